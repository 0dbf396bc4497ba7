/* SPDX-License-Identifier: GPL-2.0 */
/* sysfs.c: files of components, and what all files have in common */
#ifndef RVTRACE_SYSFS_H
#define RVTRACE_SYSFS_H

#include <linux/device.h>
#include <linux/types.h>

#include "kind.h"

struct rvtrace_component;

extern const struct device_type rvtrace_component_types[RVTRACE_ROLES];

int rvtrace_lock_component(struct rvtrace_component *c);
ssize_t rvtrace_store(struct device *dev, struct device_attribute *attr, u64 value, size_t count,
		      int (*set)(struct rvtrace_component *c, struct device_attribute *attr,
				 u64 value));
ssize_t rvtrace_store_switch(struct device *dev, struct device_attribute *attr, const char *buf,
			     size_t count, int (*set)(struct device *dev, bool on));
int rvtrace_not_written(struct device *dev, const struct device_attribute *attr, const char *buf,
			const char *why, int error);
int rvtrace_parse_switch(struct device *dev, const struct device_attribute *attr, const char *buf,
			 bool *on);
int rvtrace_parse_one(struct device *dev, const struct device_attribute *attr, const char *buf);

#endif /* RVTRACE_SYSFS_H */
