// SPDX-License-Identifier: GPL-2.0
/* tracectl report --html: moments with a meaning: software trace, and gaps. */
#include <stdlib.h>

#include "page.h"

#define BLOCK_MARKS	8192

void mark_item(struct mark *mark, const struct rvtrace_flow_item *item)
{
	switch (item->type) {
	case RVTRACE_FLOW_DATA:
		mark->kind = MARK_DATA;
		mark->id = item->data.id;
		mark->value = item->data.value;
		return;
	case RVTRACE_FLOW_CIRCUIT:
		mark->kind = MARK_CIRCUIT;
		mark->id = item->circuit.source;
		mark->value = item->circuit.has_value ? item->circuit.value : item->address;
		return;
	case RVTRACE_FLOW_REGISTER:
		mark->kind = MARK_REGISTER;
		mark->id = item->written.rd;
		mark->value = item->written.value;
		return;
	case RVTRACE_FLOW_TRACEPOINT:
		mark->kind = MARK_TRACEPOINT;
		mark->id = item->tracepoint.number;
		mark->value = item->address;
		return;
	default:
		mark->kind = MARK_OTHER;
		mark->id = item->type;
		mark->value = item->address;
	}
}

const char *gap_text(uint32_t type)
{
	static const char *const texts[] = {
		[RVTRACE_FLOW_STOP] = "tracing was stopped",
		[RVTRACE_FLOW_OVERFLOW] = "the encoder lost messages",
		[RVTRACE_FLOW_LOST] = "a part of the stream is missing",
		[RVTRACE_FLOW_NO_IMAGE] = "code without an image",
		[RVTRACE_FLOW_ERROR] = "damaged, or it contradicts the images",
		[RVTRACE_FLOW_UNFOLLOWED] = "a return to an unknown caller",
		[RVTRACE_FLOW_TAIL] = "end of the trace",
		[RVTRACE_FLOW_RANGE] = "code without an image, in line",
	};
	static const char other[] = "the flow is unknown";

	return type < sizeof(texts) / sizeof(*texts) && texts[type] ? texts[type] : other;
}

static int store(struct page *page, struct marks *marks)
{
	struct tile tile = { .first = marks->first, .last = marks->end,
			     .slices = marks->waiting };
	int ret = page_store(page, &marks->bytes, RANK_TOTALS, &tile.block);

	marks->bytes.size = 0;
	marks->waiting = 0;
	marks->last = (struct mark){ };
	return ret ? ret : tiles_add(&marks->tiles, &tile);
}

int marks_add(struct page *page, struct marks *marks, const struct mark *mark)
{
	struct bytes *bytes = &marks->bytes;
	int64_t end = mark->end > mark->time.best ? mark->end : mark->time.best;

	if (!marks->waiting || mark->time.best < marks->first)
		marks->first = mark->time.best;
	if (!marks->waiting || end > marks->end)
		marks->end = end;
	bytes_signed(bytes, mark->time.best - marks->last.time.best);
	bytes_bound(bytes, &marks->last.time, &mark->time);
	bytes_number(bytes, end - mark->time.best);
	bytes_number(bytes, mark->source);
	bytes_number(bytes, mark->kind);
	bytes_signed(bytes, mark->thread);
	bytes_number(bytes, mark->id);
	/* two halves: numbers of the page have 53 bits */
	bytes_number(bytes, mark->value & UINT32_MAX);
	bytes_number(bytes, mark->value >> 32);
	keep_bound(&marks->last.time, &mark->time);
	marks->count++;
	return ++marks->waiting < BLOCK_MARKS ? 0 : store(page, marks);
}

int marks_end(struct page *page, struct marks *marks)
{
	return marks->waiting ? store(page, marks) : 0;
}

void marks_free(struct marks *marks)
{
	bytes_free(&marks->bytes);
	free(marks->tiles.list);
}
