/* SPDX-License-Identifier: GPL-2.0 */
/* pause.c: pauses of a session, with rvtrace_lock held */
#ifndef RVTRACE_PAUSE_H
#define RVTRACE_PAUSE_H

#include <linux/types.h>

struct rvtrace_component;
struct rvtrace_sink;

int rvtrace_session_pause(struct rvtrace_sink *sink);
int rvtrace_session_resume(struct rvtrace_sink *sink, u32 reason, u64 since);
int rvtrace_session_pause_encoder(struct rvtrace_component *encoder);
int rvtrace_session_resume_encoder(struct rvtrace_component *encoder);
int rvtrace_session_pause_between(struct rvtrace_component *c);
int rvtrace_session_pause_owner(struct rvtrace_sink *sink);
int rvtrace_session_resume_owner(struct rvtrace_sink *sink);
int rvtrace_session_flush(struct rvtrace_sink *sink);

#endif /* RVTRACE_PAUSE_H */
