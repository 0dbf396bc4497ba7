// SPDX-License-Identifier: GPL-2.0
/* What several threads decoded: see parallel-fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "selftests/unit/parallel-fixture.h"

#define PART_MAX	30000	/* bytes in a part that has to wait */

struct part {
	struct record record;
	bool counted;
};

static void append(struct record *r, const void *bytes, size_t size)
{
	if (!size)
		return;
	if (r->size + size > r->room) {
		r->room = 2 * (r->size + size);
		r->bytes = realloc(r->bytes, r->room);
		if (!r->bytes)
			abort();	/* not the thread of the test */
	}
	memcpy(r->bytes + r->size, bytes, size);
	r->size += size;
}

void record_item(struct record *r, const struct rvtrace_flow_item *item)
{
	struct rvtrace_flow_item head = *item;

	if (item->type == RVTRACE_FLOW_ACCESS) {
		head.access = NULL;
		append(r, &head, sizeof(head));
		append(r, item->access, offsetof(struct rvtrace_flow_access, flags) + 1);
		return;
	}
	if (item->type != RVTRACE_FLOW_BLOCKS) {
		append(r, item, sizeof(*item));
		return;
	}
	head.address = 0;
	head.blocks.list = NULL;
	head.blocks.count = 0;
	head.blocks.instructions = 0;
	for (uint32_t i = 0; i < item->blocks.count; i++) {
		struct rvtrace_flow_block block = item->blocks.list[i];

		append(r, &head, sizeof(head));
		append(r, block.code, block.size);
		block.code = NULL;
		append(r, &block, sizeof(block));
	}
}

static void *part_new(void *data, unsigned int worker)
{
	(void)data;
	(void)worker;
	return calloc(1, sizeof(struct part));
}

static int take_items(void *data, const struct rvtrace_flow_item *items, size_t count)
{
	struct part *part = data;

	for (size_t i = 0; i < count; i++)
		record_item(&part->record, &items[i]);
	return part->record.size > PART_MAX;
}

static int commit(void *data, void *p)
{
	struct result *result = data;
	struct part *part = p;

	if (result->fail_at && ++result->commits == result->fail_at)
		return -77;
	append(&result->all, part->record.bytes, part->record.size);
	if (part->record.size && !part->counted) {
		part->counted = true;
		result->parts++;
	}
	part->record.size = 0;
	return 0;
}

static void part_free(void *p)
{
	struct part *part = p;

	free(part->record.bytes);
	free(part);
}

void take_stats(const struct rvtrace_flow *flow, struct rvtrace_flow_stats stats[HARTS])
{
	for (unsigned int i = 0; i < HARTS; i++) {
		stats[i].size = sizeof(stats[i]);
		assert_int_equal(rvtrace_flow_stats(flow, i, &stats[i]), 0);
	}
}

static void end(void *data, const struct rvtrace_flow *flow)
{
	struct result *result = data;

	take_stats(flow, result->stats);
}

struct rvtrace_parallel_handler parallel_handler(struct result *result)
{
	return (struct rvtrace_parallel_handler) {
		.size = sizeof(struct rvtrace_parallel_handler),
		.part_new = part_new, .items = take_items, .commit = commit,
		.part_free = part_free, .end = end, .data = result,
	};
}

unsigned int expect_same(struct result *together, struct result *alone)
{
	assert_int_equal(together->all.size, alone->all.size);
	assert_memory_equal(together->all.bytes, alone->all.bytes, alone->all.size);
	free(alone->all.bytes);
	free(together->all.bytes);
	return together->parts;
}

struct ntrace_params qsort_params(bool history, unsigned int call_stack, uint64_t sync)
{
	return (struct ntrace_params) {
		.xlen = 64, .history = history, .call_stack = call_stack, .timestamp = true,
		.timestamp_bits = 64, .icnt_bits = 17, .hist_bits = 32, .repeat_bits = 18,
		.repeated_history = history,
		.sync_mode = sync ? NTRACE_SYNC_MESSAGES : NTRACE_SYNC_OFF, .sync_interval = sync,
	};
}
