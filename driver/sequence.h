/* SPDX-License-Identifier: GPL-2.0 */
/* sequence.c: the order of enabling and disabling, with rvtrace_lock held */
#ifndef RVTRACE_SEQUENCE_H
#define RVTRACE_SEQUENCE_H

#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/types.h>

struct rvtrace_component;
struct rvtrace_sink;

int rvtrace_sequence_each(struct rvtrace_sink *sink, struct list_head *encoders,
			  int (*function)(struct rvtrace_component *c, ktime_t deadline));
int rvtrace_sequence_prepare(struct rvtrace_sink *sink, struct list_head *encoders);
int rvtrace_sequence_run(struct rvtrace_sink *sink, struct list_head *encoders);
int rvtrace_sequence_disable_encoders(struct list_head *encoders);
int rvtrace_sequence_disable_downstream(struct rvtrace_sink *sink, bool unused);
int rvtrace_sequence_release(struct rvtrace_sink *sink, struct list_head *encoders);

#endif /* RVTRACE_SEQUENCE_H */
