/* SPDX-License-Identifier: GPL-2.0 */
/* switch_sync.c: encoders that synchronize where tasks switch */
#ifndef RVTRACE_SWITCH_SYNC_H
#define RVTRACE_SWITCH_SYNC_H

#include <linux/types.h>

struct rvtrace_component;
struct attribute_group;

extern const struct attribute_group rvtrace_switch_sync_group;

void rvtrace_switch_sync_init(void);
void rvtrace_switch_sync_exit(void);
int rvtrace_switch_sync_arm(bool *armed);
void rvtrace_switch_sync_disarm(bool armed);
void rvtrace_switch_sync_join(struct rvtrace_component *c);
void rvtrace_switch_sync_leave(struct rvtrace_component *c);
void rvtrace_switch_sync_begin(struct rvtrace_component *c);
void rvtrace_switch_sync_end(struct rvtrace_component *c);

#endif /* RVTRACE_SWITCH_SYNC_H */
