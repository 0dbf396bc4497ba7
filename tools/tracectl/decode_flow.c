// SPDX-License-Identifier: GPL-2.0
/* tracectl decode: the flow as addresses, as a listing, and its totals. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "decode.h"

#define CHANGED_NEAR	64	/* bytes around an error in which a change may be its cause */

static const char privs[] = "US?M";

void decode_sources(struct decode *d)
{
	const struct rvtrace_recording_sink *sink;
	size_t i;

	for (i = 0; i < MAX_SOURCES; i++)
		d->sources[i] = (struct source_totals) { .hart = i };
	if (d->processes)
		processes_reset(d->processes);
	if (!d->recording)
		return;
	sink = rvtrace_recording_sink(d->recording, d->sink);
	for (i = 0; i < sink->source_count; i++) {
		const struct rvtrace_recording_source *source = &sink->sources[i];

		if (source->src_id >= MAX_SOURCES)
			continue;
		d->sources[source->src_id].seen = true;
		if (source->hart_count)
			d->sources[source->src_id].hart = source->harts[0];
	}
}

bool decode_shows(const struct decode *d, unsigned int source)
{
	uint64_t hart;

	if (!d->hart_filter || source >= MAX_SOURCES)
		return true;
	hart = d->sources[source].hart;
	return hart < MAX_HARTS && d->hart[hart];
}

static void print_time(const struct decode *d, const struct rvtrace_flow_item *item)
{
	if (!(item->flags & RVTRACE_FLOW_HAS_TIME))
		fprintf(d->out.file, "%16s", "-");
	else if (d->timestamp_hz)
		fprintf(d->out.file, "%6" PRIu64 ".%09" PRIu64, item->time / d->timestamp_hz,
			(uint64_t)((item->time % d->timestamp_hz) * 1e9 / d->timestamp_hz));
	else
		fprintf(d->out.file, "%16" PRIu64, item->time);
}

static void print_head(const struct decode *d, const struct rvtrace_flow_item *item)
{
	const struct rvtrace_space *space = NULL;
	char pid[32] = "?", tid[16] = "?";

	if (item->source == RVTRACE_SOURCE_ALL)
		fputs("[ all] ", d->out.file);
	else
		fprintf(d->out.file, "[%4" PRIu64 "] ", item->source < MAX_SOURCES ?
			d->sources[item->source].hart : item->source);
	print_time(d, item);
	fprintf(d->out.file, " %c ", item->flags & RVTRACE_FLOW_HAS_PRIV ? privs[item->priv & 3] : '?');
	if (d->resolver)
		space = rvtrace_resolver_space(d->resolver, item);
	if (space)
		snprintf(pid, sizeof(pid), "%d", space->pid);
	if (item->thread >= 0)
		snprintf(tid, sizeof(tid), "%d", item->thread);
	fprintf(d->out.file, "%15s/%-7s %7s ", space ? space->comm : "?", pid, tid);
}

static void list_blocks(struct decode *d, const struct rvtrace_flow_item *item)
{
	struct rvtrace_insn_iter iter;
	char name[256];

	rvtrace_insn_iter_init(&iter, item);
	while (rvtrace_insn_iter_next(&iter)) {
		print_head(d, item);
		symbols_name(d->symbols, d->resolver, item, iter.address, iter.code, name,
			     sizeof(name));
		fprintf(d->out.file, "0x%" PRIx64 " %s\n", iter.address, name);
	}
}

static void list_event(struct decode *d, const struct rvtrace_flow_item *item)
{
	print_head(d, item);
	switch (item->type) {
	case RVTRACE_FLOW_SYNC:
		fprintf(d->out.file, "-- sync, reason %u\n", item->sync.reason);
		break;
	case RVTRACE_FLOW_TRAP:
		fprintf(d->out.file, "-- %s at 0x%" PRIx64 " to 0x%" PRIx64 "\n",
			item->trap.kind == RVTRACE_TRAP_EXCEPTION ? "exception" :
			item->trap.kind == RVTRACE_TRAP_INTERRUPT ? "interrupt" : "trap",
			item->address, item->trap.target);
		break;
	case RVTRACE_FLOW_TRAP_RETURN:
		fprintf(d->out.file, "-- trap return to 0x%" PRIx64 "\n", item->trap.target);
		break;
	case RVTRACE_FLOW_CONTEXT:
		fprintf(d->out.file, "-- context %" PRIu64 "\n", item->context);
		break;
	case RVTRACE_FLOW_STOP:
		fprintf(d->out.file, "-- stop, reason %u\n", item->stop.reason);
		break;
	case RVTRACE_FLOW_OVERFLOW:
		fprintf(d->out.file, "-- overflow: messages lost\n");
		break;
	case RVTRACE_FLOW_LOST:
		fprintf(d->out.file, "-- %" PRIu64 " bytes of trace lost\n", item->lost.bytes);
		break;
	case RVTRACE_FLOW_NO_IMAGE:
		fprintf(d->out.file, "-- 0x%" PRIx64 ": no image, %" PRIu64 " bytes of code executed\n",
			item->address, 2 * item->no_image.halfwords);
		break;
	case RVTRACE_FLOW_ERROR:
		fprintf(d->out.file, "-- offset %" PRIu64 ": %s\n", item->offset,
			rvtrace_strerror(item->error.code));
		break;
	case RVTRACE_FLOW_DATA:
		fprintf(d->out.file, "-- data: id %u value 0x%" PRIx64 "\n", item->data.id,
			item->data.value);
		break;
	default:
		fprintf(d->out.file, "-- message of unknown type %u\n", item->unknown.tcode);
	}
}

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
	char source[32] = "", address[32] = "", near[128] = "";

	if (d->errors++)
		return;
	if (item->source != RVTRACE_SOURCE_ALL)
		snprintf(source, sizeof(source), ", source %u", item->source);
	if (item->flags & RVTRACE_FLOW_HAS_ADDRESS)
		snprintf(address, sizeof(address), ", address 0x%" PRIx64, item->address);
	if (changed)
		snprintf(near, sizeof(near), "; the text at 0x%" PRIx64 " to 0x%" PRIx64
			 " changed during the recording", changed->start, changed->end);
	snprintf(d->first_error, sizeof(d->first_error), "offset %" PRIu64 ": %s%s%s%s",
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

static void count(struct decode *d, const struct rvtrace_flow_item *item)
{
	/* Damage before the source of a message is known counts for the first. */
	struct source_totals *totals = &d->sources[item->source < MAX_SOURCES ? item->source : 0];
	unsigned int i;

	totals->seen = true;
	switch (item->type) {
	case RVTRACE_FLOW_BLOCKS:
		totals->instructions += item->blocks.instructions;
		totals->changed += count_changed(d, item);
		break;
	case RVTRACE_FLOW_NO_IMAGE:
		totals->no_image += item->no_image.halfwords;
		break;
	case RVTRACE_FLOW_OVERFLOW:
		totals->overflows++;
		d->overflows++;
		break;
	case RVTRACE_FLOW_LOST:
		d->lost_bytes += item->lost.bytes;
		for (i = 0; i < MAX_SOURCES; i++)
			d->sources[i].losses++;
		break;
	case RVTRACE_FLOW_ERROR:
		totals->errors++;
		count_error(d, item);
		break;
	}
}

static int count_process(struct decode *d, const struct rvtrace_flow_item *item)
{
	if (!d->processes || item->source >= MAX_SOURCES ||
	    (item->type != RVTRACE_FLOW_BLOCKS && item->type != RVTRACE_FLOW_NO_IMAGE))
		return 0;
	return processes_count(d->processes, item);
}

static int count_missing(struct decode *d, const struct rvtrace_flow_item *item)
{
	return item->type == RVTRACE_FLOW_NO_IMAGE ?
	       rvtrace_missing_add(d->missing, d->resolver, item) : 0;
}

static void list_item(struct decode *d, const struct rvtrace_flow_item *item)
{
	if (item->type == RVTRACE_FLOW_BLOCKS)
		list_blocks(d, item);
	else
		list_event(d, item);
}

static void print_pcs(struct decode *d, const struct rvtrace_flow_item *item)
{
	struct rvtrace_insn_iter iter;

	if (item->type != RVTRACE_FLOW_BLOCKS)
		return;
	rvtrace_insn_iter_init(&iter, item);
	while (rvtrace_insn_iter_next(&iter)) {
		out_hex(&d->out, iter.address);
		out_char(&d->out, '\n');
	}
}

int decode_items(void *data, const struct rvtrace_flow_item *items, size_t n)
{
	struct decode *d = data;
	int ret = 0;
	size_t i;

	for (i = 0; i < n && !ret; i++) {
		count(d, &items[i]);
		if (!decode_shows(d, items[i].source))
			continue;
		ret = count_missing(d, &items[i]);
		if (d->output == OUTPUT_SUMMARY)
			ret = ret ? ret : count_process(d, &items[i]);
		else if (d->output == OUTPUT_LISTING)
			list_item(d, &items[i]);
		else
			print_pcs(d, &items[i]);
	}
	return !ret && ferror(d->out.file) ? -EPIPE : ret;
}

int decode_chunk(void *data, const struct rvtrace_chunk *chunk)
{
	struct decode *d = data;

	if (d->stream_bytes)
		progress_show(&d->progress, "decoding: %.1f of %.1f MB", chunk->offset / 1e6,
			      d->stream_bytes / 1e6);
	else
		progress_show(&d->progress, "decoding: %.1f MB", chunk->offset / 1e6);
	return 0;
}

void decode_end(void *data, const struct rvtrace_flow *flow)
{
	struct rvtrace_flow_stats stats;
	struct decode *d = data;
	unsigned int i;

	for (i = 0; i < MAX_SOURCES; i++) {
		if (!d->sources[i].seen)
			continue;
		rvtrace_flow_stats(flow, i, &stats);
		d->sources[i].bytes = stats.bytes;
	}
}

static double bits_per_instruction(const struct source_totals *totals)
{
	return totals->instructions ? 8.0 * totals->bytes / totals->instructions : 0;
}

static struct json_object *totals_json(const struct source_totals *totals)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "hart", json_object_new_int64(totals->hart));
	json_object_object_add(o, "bytes", json_object_new_int64(totals->bytes));
	json_object_object_add(o, "instructions", json_object_new_int64(totals->instructions));
	json_object_object_add(o, "bits_per_instruction",
			       json_object_new_double(bits_per_instruction(totals)));
	json_object_object_add(o, "no_image_bytes", json_object_new_int64(2 * totals->no_image));
	json_object_object_add(o, "overflows", json_object_new_int64(totals->overflows));
	json_object_object_add(o, "losses", json_object_new_int64(totals->losses));
	json_object_object_add(o, "changed_text_instructions",
			       json_object_new_int64(totals->changed));
	json_object_object_add(o, "errors", json_object_new_int64(totals->errors));
	return o;
}

static void print_harts(const struct decode *d, struct json_object *array)
{
	unsigned int i;

	if (!array)
		fprintf(d->out.file, "%4s %12s %14s %9s %14s %9s %9s %6s\n", "hart", "bytes",
			"instructions", "bits/insn", "no image bytes", "overflows", "losses",
			"errors");
	for (i = 0; i < MAX_SOURCES; i++) {
		const struct source_totals *t = &d->sources[i];

		if (!t->seen || !decode_shows(d, i))
			continue;
		if (array)
			json_object_array_add(array, totals_json(t));
		else
			fprintf(d->out.file, "%4" PRIu64 " %12" PRIu64 " %14" PRIu64 " %9.3f %14" PRIu64
				" %9" PRIu64 " %9" PRIu64 " %6" PRIu64 "\n", t->hart, t->bytes,
				t->instructions, bits_per_instruction(t), 2 * t->no_image,
				t->overflows, t->losses, t->errors);
	}
}

static void summary_json(struct decode *d)
{
	struct json_object *all = json_object_new_object(), *harts = json_object_new_array();
	struct json_object *processes = json_object_new_array();
	struct json_object *missing = json_object_new_array();
	struct json_object *gaps = json_object_new_array();

	json_object_object_add(all, "schema", json_object_new_int(JSON_SCHEMA));
	json_object_object_add(all, "sink", d->recording ? json_object_new_string(
			       rvtrace_recording_sink(d->recording, d->sink)->name) : NULL);
	json_object_object_add(all, "lost_bytes", json_object_new_int64(d->lost_bytes));
	json_object_object_add(all, "harts", harts);
	json_object_object_add(all, "processes", processes);
	json_object_object_add(all, "missing", missing);
	json_object_object_add(all, "gaps", gaps);
	print_harts(d, harts);
	missing_print(d->missing, NULL, missing);
	gaps_print(d, NULL, gaps);
	if (d->processes)
		processes_print(d->processes, NULL, processes);
	fprintf(d->out.file, "%s\n", json_object_to_json_string_ext(all,
		JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(all);
}

static void print_changed(const struct decode *d)
{
	uint64_t count = 0;
	unsigned int i;

	for (i = 0; i < MAX_SOURCES; i++)
		count += d->sources[i].changed;
	if (count)
		fprintf(d->out.file, "\n%" PRIu64 " instructions executed in kernel text that changed"
			" during the recording (%zu places)\n", count, d->program->changed_count);
}

void decode_summary(struct decode *d)
{
	if (global.json) {
		summary_json(d);
		return;
	}
	print_harts(d, NULL);
	if (d->processes)
		processes_print(d->processes, d->out.file, NULL);
	missing_print(d->missing, d->out.file, NULL);
	gaps_print(d, d->out.file, NULL);
	print_changed(d);
	if (d->lost_bytes)
		fprintf(d->out.file, "%" PRIu64 " bytes of the stream were lost\n", d->lost_bytes);
}
