// SPDX-License-Identifier: GPL-2.0
/* Random programs: what is checked of them when they are decoded. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "random-program-check.h"

#define ITEMS	300

uint64_t seed;

void check_that(bool holds, const char *condition, int line)
{
	if (!holds)
		fail_msg("seed %llu: %s, line %d", (unsigned long long)seed, condition, line);
}

struct hart *hart_of(struct world *w, unsigned int source)
{
	for (unsigned int i = 0; i < w->hart_count; i++)
		if (w->sources[i] == source)
			return &w->harts[i];
	return NULL;
}

const struct truth *check_next(struct hart *h, const struct rvtrace_flow_item *item,
			       uint64_t address)
{
	const struct truth *t = &h->truth[h->done];

	check(h->done < h->count);
	if (address != t->pc)
		fail_msg("seed %llu hart %d: instruction %zu of %zu at %llx, not %llx, offset %llu",
			 (unsigned long long)seed, (int)(h - h->world->harts), h->done, h->count,
			 (unsigned long long)t->pc, (unsigned long long)address,
			 (unsigned long long)item->offset);
	h->done++;
	return t;
}

void check_intact(const struct rvtrace_flow_item *item)
{
	if (item->type == RVTRACE_FLOW_ERROR)
		fail_msg("seed %llu: at %llu: %s", (unsigned long long)seed,
			 (unsigned long long)item->offset, rvtrace_strerror(item->error.code));
	if (item->type == RVTRACE_FLOW_LOST || item->type == RVTRACE_FLOW_NO_IMAGE ||
	    item->type == RVTRACE_FLOW_UNKNOWN)
		fail_msg("seed %llu: item of type %d", (unsigned long long)seed, item->type);
}

void decode_pieces(struct world *w, struct rvtrace_flow *flow, const uint8_t *bytes, size_t size,
		   bool tiny, take_item take)
{
	struct rvtrace_flow_item items[ITEMS];
	size_t chunk;
	int n;

	for (size_t at = 0; at < size; at += chunk) {
		chunk = 1 + rnd(w, tiny && rnd(w, 2) ? 3 : 500);
		if (chunk > size - at)
			chunk = size - at;
		assert_int_equal(rvtrace_flow_feed(flow, bytes + at, chunk), 0);
		while ((n = rvtrace_flow_read(flow, items, 1 + rnd(w, ITEMS))) > 0)
			for (int i = 0; i < n; i++)
				take(w, &items[i]);
		assert_int_equal(n, 0);
	}
}

void decode_end(struct world *w, struct rvtrace_flow *flow, take_item take)
{
	struct rvtrace_flow_item items[ITEMS];
	int n;

	assert_int_equal(rvtrace_flow_finish(flow), 0);
	while ((n = rvtrace_flow_read(flow, items, ITEMS)) > 0)
		for (int i = 0; i < n; i++)
			take(w, &items[i]);
	assert_int_equal(n, 0);
}
