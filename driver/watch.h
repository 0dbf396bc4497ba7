/* SPDX-License-Identifier: GPL-2.0 */
/* watch.c: trace that stops by itself */
#ifndef RVTRACE_WATCH_H
#define RVTRACE_WATCH_H

#include <linux/list.h>

struct rvtrace_component;
struct rvtrace_sink;

int rvtrace_watch_look(struct rvtrace_component *c);
void rvtrace_watch_errors(struct rvtrace_sink *sink, struct list_head *encoders);
int rvtrace_watch_downstream(struct rvtrace_sink *sink);
int rvtrace_watch_begin(struct rvtrace_sink *sink);
void rvtrace_watch_init(struct rvtrace_sink *sink);

#endif /* RVTRACE_WATCH_H */
