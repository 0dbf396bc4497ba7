// SPDX-License-Identifier: GPL-2.0
/* Arithmetic of draining a ring: what to write, what is lost. */
#include "drain.h"

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t drain_watermark(uint64_t data_size)
{
	if (data_size / 2 < DRAIN_COST)
		return data_size / 2;
	return data_size / 8 > DRAIN_COST ? data_size / 8 : DRAIN_COST;
}

struct drain_plan drain_plan(uint64_t position, uint64_t head, uint64_t valid_from,
			     uint64_t data_size, uint64_t limit)
{
	struct drain_plan plan = { .start = position };

	if (head <= position)
		return plan;
	if (head - position > data_size)
		plan.start = head - data_size;
	if (valid_from > plan.start)
		plan.start = min_u64(valid_from, head);
	plan.lost = plan.start - position;
	plan.length = min_u64(head - plan.start, limit);
	plan.offset = plan.start % data_size;
	plan.first = min_u64(plan.length, data_size - plan.offset);
	return plan;
}

uint64_t drain_overwritten(const struct drain_plan *plan, uint64_t valid_from)
{
	return valid_from > plan->start ? min_u64(valid_from - plan->start, plan->length) : 0;
}
