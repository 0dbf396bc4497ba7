/* SPDX-License-Identifier: GPL-2.0 */
/* power.c: when registers may be accessed */
#ifndef RVTRACE_POWER_H
#define RVTRACE_POWER_H

#include <linux/types.h>

struct cpumask;
struct device;
struct rvtrace_component;

int rvtrace_power_start(void);
void rvtrace_power_stop(void);
int rvtrace_power_check(struct device *dev);
int rvtrace_power_enable(struct device *dev);
int rvtrace_power_init(struct rvtrace_component *c);
void rvtrace_power_harts(const struct rvtrace_component *c, struct cpumask *mask);
const struct cpumask *rvtrace_power_online(void);
bool rvtrace_powered(const struct rvtrace_component *c);
int rvtrace_power_get(struct rvtrace_component *c);
void rvtrace_power_put(struct rvtrace_component *c);

#endif /* RVTRACE_POWER_H */
