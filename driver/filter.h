/* SPDX-License-Identifier: GPL-2.0 */
/* filter.c: filters and comparators, by number */
#ifndef RVTRACE_FILTER_H
#define RVTRACE_FILTER_H

#include <linux/types.h>

#include "kind.h"

struct rvtrace_component;
struct seq_file;

const char *rvtrace_unit_name(enum rvtrace_unit_field_id id);
const char *rvtrace_unit_field_name(enum rvtrace_unit_field_id id);
bool rvtrace_unit_field_is(enum rvtrace_unit_field_id id, enum rvtrace_unit unit);
bool rvtrace_unit_has(const struct rvtrace_component *c, unsigned int i,
		      enum rvtrace_unit_field_id id);
bool rvtrace_unit_is_wide(const struct rvtrace_component *c, enum rvtrace_unit_field_id id);
u64 rvtrace_unit_legal(const struct rvtrace_component *c, unsigned int i,
		       enum rvtrace_unit_field_id id);
u64 rvtrace_unit_get(const struct rvtrace_component *c, unsigned int i,
		     enum rvtrace_unit_field_id id);
int rvtrace_unit_set(struct rvtrace_component *c, unsigned int i,
		     enum rvtrace_unit_field_id id, u64 value);
int rvtrace_units_discover(struct rvtrace_component *c);
int rvtrace_units_configure(struct rvtrace_component *c);
void rvtrace_units_reset(struct rvtrace_component *c);
void rvtrace_units_show(struct seq_file *m, const struct rvtrace_component *c, u16 reg, u32 value);

#endif /* RVTRACE_FILTER_H */
