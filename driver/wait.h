/* SPDX-License-Identifier: GPL-2.0 */
/* wait.c: until hardware acknowledges */
#ifndef RVTRACE_WAIT_H
#define RVTRACE_WAIT_H

#include <linux/ktime.h>
#include <linux/types.h>

#include "kind.h"

struct device;
struct rvtrace_component;

/* The longest time that a module parameter may ask for */
#define RVTRACE_WAIT_MS_MAX	60000U

struct device *rvtrace_device(struct rvtrace_component *c);
int rvtrace_poll(struct rvtrace_component *c, enum rvtrace_field_id id, u32 value,
		 const char *what, ktime_t deadline);
ktime_t rvtrace_deadline(void);

#endif /* RVTRACE_WAIT_H */
