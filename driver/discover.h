/* SPDX-License-Identifier: GPL-2.0 */
/* discover.c: what a component can do */
#ifndef RVTRACE_DISCOVER_H
#define RVTRACE_DISCOVER_H

#include <linux/types.h>

#include "kind.h"

struct rvtrace_component;

/**
 * struct rvtrace_trial - a field of which is to be found out what it keeps
 * @write: write a value, which becomes what software wants, and read what is kept; 0 or
 *	an access error
 * @c: its component, which is held and not enabled
 * @unit: of a filter, comparator or word: its number
 * @id: enum rvtrace_field_id, or of those enum rvtrace_unit_field_id
 * @max: the largest value that can be written, less than 64 unless it is
 * @wide: too wide for every value to be tried
 */
struct rvtrace_trial {
	int (*write)(const struct rvtrace_trial *t, u32 value, u32 *kept);
	struct rvtrace_component *c;
	unsigned int unit;
	unsigned int id;
	u32 max;
	bool wide;
};

int rvtrace_find_legal(const struct rvtrace_trial *t, u32 *value, u64 *legal);
int rvtrace_discover(struct rvtrace_component *c);
int rvtrace_settle(struct rvtrace_component *c);
int rvtrace_discover_end(struct rvtrace_component *c);
bool rvtrace_is_wide(const struct rvtrace_component *c, enum rvtrace_field_id id);
bool rvtrace_keeps(const struct rvtrace_component *c, enum rvtrace_field_id id, u32 value);
void rvtrace_prefer(struct rvtrace_component *c, enum rvtrace_field_id id, u32 value);

#endif /* RVTRACE_DISCOVER_H */
