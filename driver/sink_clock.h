/* SPDX-License-Identifier: GPL-2.0 */
/* sink_clock.c: the clock of a session's trace, and ours */
#ifndef RVTRACE_SINK_CLOCK_H
#define RVTRACE_SINK_CLOCK_H

struct rvtrace_component;
struct rvtrace_moment;
struct rvtrace_sink;

void rvtrace_clock_use(struct rvtrace_sink *sink, struct rvtrace_component *clock);
int rvtrace_clock_moment(struct rvtrace_sink *sink, struct rvtrace_moment *moment);
void rvtrace_clock_pair(struct rvtrace_sink *sink);

#endif /* RVTRACE_SINK_CLOCK_H */
