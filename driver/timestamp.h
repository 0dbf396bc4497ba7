/* SPDX-License-Identifier: GPL-2.0 */
/* timestamp.c: the timestamp unit */
#ifndef RVTRACE_TIMESTAMP_H
#define RVTRACE_TIMESTAMP_H

#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/types.h>

struct rvtrace_component;

/**
 * struct rvtrace_moment - one moment on several clocks
 * @trace: the trace timestamp
 * @monotonic: CLOCK_MONOTONIC in ns
 * @realtime: CLOCK_REALTIME in ns
 */
struct rvtrace_moment {
	u64 trace;
	u64 monotonic;
	u64 realtime;
};

int rvtrace_timestamp_init(struct rvtrace_component *c);
int rvtrace_timestamp_power_get(struct rvtrace_component *c);
void rvtrace_timestamp_power_put(struct rvtrace_component *c);
void rvtrace_timestamp_defaults(struct rvtrace_component *c);
int rvtrace_timestamp_configure(struct rvtrace_component *c);
int rvtrace_timestamp_release(struct rvtrace_component *c);
int rvtrace_timestamp_ready(struct rvtrace_component *c, ktime_t deadline);
int rvtrace_timestamp_begin(struct list_head *joining, struct list_head *live);
void rvtrace_timestamp_moment(struct rvtrace_component *c, struct rvtrace_moment *moment);
int rvtrace_timestamp_reset(struct rvtrace_component *c);
int rvtrace_timestamp_frequency(struct rvtrace_component *c, u64 *hz, bool *measured);

#endif /* RVTRACE_TIMESTAMP_H */
