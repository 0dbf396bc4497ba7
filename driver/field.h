/* SPDX-License-Identifier: GPL-2.0 */
/* field.c: what a field is */
#ifndef RVTRACE_FIELD_H
#define RVTRACE_FIELD_H

#include <linux/types.h>

#include "kind.h"

struct rvtrace_component;

const char *rvtrace_field_name(enum rvtrace_field_id id);
bool rvtrace_configurable(enum rvtrace_field_id id);
bool rvtrace_constant(enum rvtrace_field_id id);
bool rvtrace_lasting(enum rvtrace_field_id id);
enum rvtrace_field_id rvtrace_within(enum rvtrace_field_id id);
bool rvtrace_has(const struct rvtrace_component *c, enum rvtrace_field_id id);
bool rvtrace_is_there(const struct rvtrace_component *c, u16 reg);
u32 rvtrace_max(const struct rvtrace_component *c, enum rvtrace_field_id id);
u32 rvtrace_field_of(const struct rvtrace_component *c, enum rvtrace_field_id id, u32 reg);

#endif /* RVTRACE_FIELD_H */
