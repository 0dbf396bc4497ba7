/* SPDX-License-Identifier: GPL-2.0 */
/* sampler.c: how far the hardware wrote */
#ifndef RVTRACE_SAMPLER_H
#define RVTRACE_SAMPLER_H

#include <linux/types.h>

struct rvtrace_component;
struct rvtrace_rate;
struct rvtrace_sink;

void rvtrace_sampler_init(struct rvtrace_sink *sink);
void rvtrace_sampler_begin(struct rvtrace_sink *sink, struct rvtrace_component *clock);
void rvtrace_sampler_rates(struct rvtrace_sink *sink, struct rvtrace_rate *rates);
bool rvtrace_sampler_pause(struct rvtrace_sink *sink);
u64 rvtrace_sampler_rewind(struct rvtrace_sink *sink);
void rvtrace_sampler_resume(struct rvtrace_sink *sink, struct rvtrace_component *clock);
int rvtrace_sampler_end(struct rvtrace_sink *sink, int error);
void rvtrace_sampler_forget(struct rvtrace_sink *sink);
void rvtrace_sampler_gap(struct rvtrace_sink *sink, u32 reason, u32 encoder, u64 since);
void rvtrace_sampler_tracing(struct rvtrace_sink *sink, u32 encoder, bool tracing);
void rvtrace_sample(struct rvtrace_sink *sink);
void rvtrace_sample_all(struct rvtrace_sink *sink);
void rvtrace_sample_locked(struct rvtrace_sink *sink);
void rvtrace_publish_locked(struct rvtrace_sink *sink);

#endif /* RVTRACE_SAMPLER_H */
