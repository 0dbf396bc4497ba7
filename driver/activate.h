/* SPDX-License-Identifier: GPL-2.0 */
/* activate.c: one component at a time, in and out of reset, enabled or not */
#ifndef RVTRACE_ACTIVATE_H
#define RVTRACE_ACTIVATE_H

#include <linux/ktime.h>
#include <linux/types.h>

#include "kind.h"

struct rvtrace_component;

int rvtrace_hold_begin(struct rvtrace_component *c);
int rvtrace_hold_end(struct rvtrace_component *c, ktime_t deadline);
int rvtrace_hold(struct rvtrace_component *c);
int rvtrace_hold_anew(struct rvtrace_component *c);
int rvtrace_hold_again(struct rvtrace_component *c);
int rvtrace_release_begin(struct rvtrace_component *c);
int rvtrace_release_end(struct rvtrace_component *c, ktime_t deadline);
bool rvtrace_reset_late(struct rvtrace_component *c);
int rvtrace_release(struct rvtrace_component *c);
int rvtrace_block_release(struct rvtrace_component *c, enum rvtrace_field_id active);
int rvtrace_block_reset(struct rvtrace_component *c, enum rvtrace_field_id active);
int rvtrace_enable_begin(struct rvtrace_component *c);
int rvtrace_enable_end(struct rvtrace_component *c, ktime_t deadline);
int rvtrace_lost(struct rvtrace_component *c);
int rvtrace_disable_begin(struct rvtrace_component *c);
int rvtrace_disable_end(struct rvtrace_component *c, ktime_t deadline);

#endif /* RVTRACE_ACTIVATE_H */
