// SPDX-License-Identifier: GPL-2.0
/* tracectl decode: the items of the flow, counted and handed to the outputs. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tracectl/report/report.h"
#include "tools/tracectl/views/views_run.h"
#include "decode.h"

#define CHANGED_NEAR	64	/* bytes around an error in which a change may be its cause */

/* Kernel text near the error that was another at the end of the recording. */
static const struct rvtrace_program_range *changed_near(const struct decode *d,
							const struct rvtrace_flow_item *item)
{
	if (!(item->flags & RVTRACE_FLOW_HAS_ADDRESS) || item->address < CHANGED_NEAR)
		return NULL;
	return rvtrace_program_changed(d->program, item->address - CHANGED_NEAR, 2 * CHANGED_NEAR);
}

static void count_error(struct decode *d, const struct rvtrace_flow_item *item)
{
	const struct rvtrace_program_range *changed = changed_near(d, item);
	struct decode_totals *t = &d->totals;
	char source[32] = "", address[32] = "", near[128] = "";

	if (t->errors++ >= ERRORS_TOLD)
		return;
	if (item->source != RVTRACE_SOURCE_ALL)
		snprintf(source, sizeof(source), ", source %u", item->source);
	if (item->flags & RVTRACE_FLOW_HAS_ADDRESS)
		snprintf(address, sizeof(address), ", address 0x%" PRIx64, item->address);
	if (changed)
		snprintf(near, sizeof(near), "; the text at 0x%" PRIx64 " to 0x%" PRIx64
			 " changed during the recording", changed->start, changed->end);
	snprintf(t->told[t->errors - 1], sizeof(t->told[0]), "offset %" PRIu64 ": %s%s%s%s",
		 item->offset, rvtrace_strerror(item->error.code), source, address, near);
}

/* Whether any block of a run touches kernel text that changed. */
static bool touches_changed(const struct decode *d, const struct rvtrace_flow_item *item)
{
	const struct rvtrace_flow_block *block = item->blocks.list;

	for (uint32_t i = 0; i < item->blocks.count; i++, block++)
		if (rvtrace_program_changed(d->program, block->address, block->size))
			return true;
	return false;
}

/* How many instructions of a run lie in kernel text that changed. */
static unsigned int count_changed(const struct decode *d, const struct rvtrace_flow_item *item)
{
	struct rvtrace_insn_iter iter;
	unsigned int count = 0;

	if (!d->program->changed_count || (item->flags & RVTRACE_FLOW_HAS_PRIV && !item->priv) ||
	    !touches_changed(d, item))
		return 0;
	rvtrace_insn_iter_init(&iter, item);
	while (rvtrace_insn_iter_next(&iter))
		count += rvtrace_program_changed(d->program, iter.address, iter.size) != NULL;
	return count;
}

static struct source_totals *totals_of(struct decode *d, const struct rvtrace_flow_item *item)
{
	/* Damage before the source of a message is known counts for the first. */
	return &d->totals.sources[item->source < MAX_SOURCES ? item->source : 0];
}

/* What the exit status and the warnings depend on, whatever is shown. */
static void count_damage(struct decode *d, const struct rvtrace_flow_item *item)
{
	struct source_totals *totals = totals_of(d, item);
	unsigned int i;

	totals->seen = true;
	totals->named |= item->source < MAX_SOURCES;
	switch (item->type) {
	case RVTRACE_FLOW_ACCESS:
		d->totals.accesses = true;
		break;
	case RVTRACE_FLOW_OVERFLOW:
	case RVTRACE_FLOW_ACCESSES_LOST:
		totals->overflows++;
		d->totals.overflows++;
		break;
	case RVTRACE_FLOW_LOST:
		d->totals.lost_bytes += item->lost.bytes;
		for (i = 0; i < d->input.source_count; i++)
			d->totals.sources[i].losses++;
		break;
	case RVTRACE_FLOW_ERROR:
		totals->errors++;
		count_error(d, item);
		break;
	}
}

static void count(struct decode *d, const struct rvtrace_flow_item *item)
{
	struct source_totals *totals = totals_of(d, item);

	switch (item->type) {
	case RVTRACE_FLOW_BLOCKS:
		totals->instructions += item->blocks.instructions;
		totals->changed += count_changed(d, item);
		break;
	case RVTRACE_FLOW_RANGE:
		totals->instructions += item->range.instructions;
		break;
	case RVTRACE_FLOW_NO_IMAGE:
		totals->no_image += item->no_image.halfwords;
		if (!d->totals.unseen.known && item->flags & RVTRACE_FLOW_HAS_ADDRESS)
			d->totals.unseen = (struct unseen) { true, item->offset, item->address };
		break;
	case RVTRACE_FLOW_UNFOLLOWED:
		totals->unfollowed += item->unfollowed.halfwords;
		totals->stretches++;
		break;
	case RVTRACE_FLOW_INFERRED:
		totals->inferred++;
		break;
	}
}

static void print_pc(struct decode *d, uint64_t address)
{
	if (global.json) {
		print_begin(&d->out);
		out_char(&d->out, '"');
	}
	out_hex(&d->out, address);
	out_text(&d->out, global.json ? "\"" : "\n");
}

static void print_pcs(struct decode *d, const struct rvtrace_flow_item *item)
{
	struct rvtrace_insn_iter iter;
	uint64_t i;

	/* without code, those of 4 bytes each */
	if (item->type == RVTRACE_FLOW_RANGE)
		for (i = 0; i < item->range.instructions; i++)
			print_pc(d, item->address + 4 * i);
	if (item->type != RVTRACE_FLOW_BLOCKS)
		return;
	rvtrace_insn_iter_init(&iter, item);
	while (rvtrace_insn_iter_next(&iter))
		print_pc(d, iter.address);
}

static int count_process(struct decode *d, const struct rvtrace_flow_item *item)
{
	if (!d->processes || item->source >= MAX_SOURCES ||
	    (item->type != RVTRACE_FLOW_BLOCKS && item->type != RVTRACE_FLOW_NO_IMAGE))
		return 0;
	return processes_count(d->processes, item);
}

/* Of a part, they are counted in their order later. */
static int count_missing(struct decode *d, const struct rvtrace_flow_item *item)
{
	return item->type == RVTRACE_FLOW_NO_IMAGE && d->missing ?
	       rvtrace_missing_add(d->missing, d->resolver, item) : 0;
}

/* The outputs, by enum decode_output. */
static int print_item(struct decode *d, const struct rvtrace_flow_item *item)
{
	switch (d->output) {
	case OUTPUT_SUMMARY:
		return count_process(d, item);
	case OUTPUT_REPORT:
		return report_count(d, item);
	case OUTPUT_PC:
		print_pcs(d, item);
		return 0;
	case OUTPUT_ACCESSES:
		accesses_item(d, item);
		return 0;
	case OUTPUT_CALLS:
	case OUTPUT_VIEW:
		return 0;
	default:
		listing_item(d, item);
		return 0;
	}
}

/* What the filters let through of it; calls are followed unseen. Return: whether there was any. */
static int show_part(struct decode *d, struct rvtrace_flow_item *part)
{
	int ret = d->views && d->output != OUTPUT_REPORT ? 1 : filter_cut(d, part), err;

	if (ret <= 0)
		return ret;
	count(d, part);
	err = count_missing(d, part);
	if (!err)
		err = print_item(d, part);
	return err ? err : 1;
}

/* Of a range, each part. */
static int show_item(struct decode *d, const struct rvtrace_flow_item *item)
{
	struct rvtrace_flow_item part = *item;
	int ret = show_part(d, &part);

	while (ret > 0 && item->type == RVTRACE_FLOW_RANGE && part.range.last < item->range.last) {
		uint64_t next = part.range.last + (item->range.instructions ? 4 : 1);

		part = *item;
		part.address = next;
		part.range.instructions -= part.range.instructions ? (next - item->address) / 4 : 0;
		ret = show_part(d, &part);
	}
	return ret < 0 ? ret : 0;
}

int decode_items(void *data, const struct rvtrace_flow_item *items, size_t n)
{
	struct decode *d = data;
	int ret = 0;
	size_t i;

	for (i = 0; i < n && !ret; i++) {
		count_damage(d, &items[i]);
		if (d->views)
			ret = views_item(d->views, &items[i]);
		if (ret)
			break;
		if (!filter_shows(&d->input, items[i].source))
			continue;
		ret = show_item(d, &items[i]);
		if (!ret)
			ret = order_item(d, &items[i]);
	}
	return ret ? ret : -d->out.error;
}

int decode_chunk(void *data, const struct rvtrace_chunk *chunk)
{
	struct decode *d = data;

	input_progress(&d->input, chunk->offset);
	return 0;
}

void decode_end(void *data, const struct rvtrace_flow *flow)
{
	struct rvtrace_flow_stats stats = { .size = sizeof(stats) };
	struct decode *d = data;
	unsigned int i;

	for (i = 0; i < d->input.source_count; i++) {
		rvtrace_flow_stats(flow, i, &stats);
		d->totals.sources[i].seen |= stats.messages > 0;
		d->totals.sources[i].bytes = stats.bytes;
		d->totals.sources[i].skipped = stats.skipped;
		d->totals.sources[i].tasks = stats.tasks;
		if (stats.skipped && !stats.syncs)
			d->totals.unsynchronized += stats.bytes;
	}
}
