/* SPDX-License-Identifier: GPL-2.0 */
/* session.c: which encoders trace into a sink, with rvtrace_lock held */
#ifndef RVTRACE_SESSION_H
#define RVTRACE_SESSION_H

#include <linux/list.h>
#include <linux/types.h>

struct rvtrace_component;
struct rvtrace_sink;

int rvtrace_session_start(struct rvtrace_sink *sink);
int rvtrace_session_stop(struct rvtrace_sink *sink, int error);
int rvtrace_session_add(struct rvtrace_component *encoder);
int rvtrace_session_remove(struct rvtrace_component *encoder);
bool rvtrace_session_choose_clock(struct rvtrace_sink *sink);
void rvtrace_session_resumes(struct rvtrace_sink *sink, struct list_head *encoders);
void rvtrace_session_unbind(struct rvtrace_component *c);

#endif /* RVTRACE_SESSION_H */
