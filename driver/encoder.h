/* SPDX-License-Identifier: GPL-2.0 */
/* encoder.c: the control block of an encoder */
#ifndef RVTRACE_ENCODER_H
#define RVTRACE_ENCODER_H

#include <linux/ktime.h>
#include <linux/types.h>

struct device;
struct rvtrace_component;

int rvtrace_encoder_defaults(struct rvtrace_component *c);
bool rvtrace_encoder_stalls(const struct rvtrace_component *c);
int rvtrace_encoder_start(struct rvtrace_component *c);
int rvtrace_encoder_stop(struct rvtrace_component *c);
int rvtrace_encoder_drain(struct rvtrace_component *c, ktime_t deadline);

#endif /* RVTRACE_ENCODER_H */
