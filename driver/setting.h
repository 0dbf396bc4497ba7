/* SPDX-License-Identifier: GPL-2.0 */
/* setting.c: what users choose */
#ifndef RVTRACE_SETTING_H
#define RVTRACE_SETTING_H

#include <linux/types.h>

#include "kind.h"

struct rvtrace_component;

int rvtrace_check_atb_id(struct rvtrace_component *c, u32 value);
int rvtrace_set(struct rvtrace_component *c, enum rvtrace_field_id id, u32 value);
int rvtrace_reset(struct rvtrace_component *c);

#endif /* RVTRACE_SETTING_H */
