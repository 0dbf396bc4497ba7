/* SPDX-License-Identifier: GPL-2.0 */
/* field_sysfs.c: fields as files */
#ifndef RVTRACE_FIELD_SYSFS_H
#define RVTRACE_FIELD_SYSFS_H

#include <linux/types.h>

#include "kind.h"

struct attribute_group;
struct rvtrace_component;

extern const struct attribute_group rvtrace_field_group;

const char *rvtrace_value_name(const struct rvtrace_component *c, enum rvtrace_field_id id,
			       u32 value);
void rvtrace_field_sysfs_init(void);

#endif /* RVTRACE_FIELD_SYSFS_H */
