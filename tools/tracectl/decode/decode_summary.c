// SPDX-License-Identifier: GPL-2.0
/* tracectl decode --summary: totals. */
#include <inttypes.h>
#include <string.h>

#include <json-c/json.h>

#include "decode.h"

#define UNKNOWN	"unknown"	/* the source of what was damaged */

static double bits_per_instruction(const struct source_totals *totals)
{
	return totals->instructions ? 8.0 * totals->bytes / totals->instructions : 0;
}

/* A message tells of code that is shown and of code that is not: its bytes are of neither alone. */
static bool has_bytes(const struct decode *d)
{
	return !filter_wants_flow(&d->input.filter);
}

static struct json_object *totals_json(const struct decode *d, unsigned int source)
{
	const struct source_totals *totals = &d->totals.sources[source];
	struct json_object *o = json_object_new_object();
	bool bytes = has_bytes(d);

	json_object_object_add(o, "hart", totals->named ?
			       json_object_new_int64(input_hart(&d->input, source)) : NULL);
	json_object_object_add(o, "bytes", bytes ? json_object_new_int64(totals->bytes) : NULL);
	json_object_object_add(o, "instructions", json_object_new_int64(totals->instructions));
	json_object_object_add(o, "bits_per_instruction", bytes ?
			       json_object_new_double(bits_per_instruction(totals)) : NULL);
	json_object_object_add(o, "no_image_bytes", json_object_new_int64(2 * totals->no_image));
	json_object_object_add(o, "unknown_flow_bytes", json_object_new_int64(2 * totals->unfollowed));
	json_object_object_add(o, "unknown_flow_stretches",
			       json_object_new_int64(totals->stretches));
	json_object_object_add(o, "inferred_returns", json_object_new_int64(totals->inferred));
	json_object_object_add(o, "overflows", json_object_new_int64(totals->overflows));
	json_object_object_add(o, "losses", json_object_new_int64(totals->losses));
	json_object_object_add(o, "changed_text_instructions",
			       json_object_new_int64(totals->changed));
	json_object_object_add(o, "errors", json_object_new_int64(totals->errors));
	json_object_object_add(o, "skipped_messages", json_object_new_int64(totals->skipped));
	json_object_object_add(o, "tasks_by_tp", json_object_new_int64(totals->tasks));
	return o;
}

/* In a column of @width */
static void totals_text(const struct decode *d, unsigned int source, int width)
{
	const struct source_totals *t = &d->totals.sources[source];
	char hart[24] = UNKNOWN, bytes[32] = "-", bits[32] = "-";

	if (t->named)
		snprintf(hart, sizeof(hart), "%" PRIu64, input_hart(&d->input, source));
	if (has_bytes(d)) {
		snprintf(bytes, sizeof(bytes), "%" PRIu64, t->bytes);
		snprintf(bits, sizeof(bits), "%.3f", bits_per_instruction(t));
	}
	fprintf(d->out.file, "%*s %12s %14" PRIu64 " %9s %14" PRIu64 " %9" PRIu64
		" %9" PRIu64 " %6" PRIu64 "\n", width, hart, bytes, t->instructions,
		bits, 2 * t->no_image, t->overflows, t->losses, t->errors);
}

static bool has_row(const struct decode *d, unsigned int source)
{
	return d->totals.sources[source].seen && filter_shows(&d->input, source);
}

/* Where no hart is known the numbers are source ids. Return: the width of the first column. */
static int print_heading(const struct decode *d)
{
	const char *heading = "source";
	bool unknown = false;
	size_t width;

	for (unsigned int i = 0; i < d->input.source_count; i++) {
		unknown |= has_row(d, i) && !d->totals.sources[i].named;
		if (has_row(d, i) && d->input.sources[i].has_hart)
			heading = "hart";
	}
	width = strlen(unknown ? UNKNOWN : heading);
	fprintf(d->out.file, "%*s %12s %14s %9s %14s %9s %9s %6s\n", (int)width, heading, "bytes",
		"instructions", "bits/insn", "no image bytes", "overflows", "losses", "errors");
	return width;
}

static void print_harts(const struct decode *d, struct json_object *array)
{
	unsigned int i;
	int width = 0;

	if (!array)
		width = print_heading(d);
	for (i = 0; i < d->input.source_count; i++) {
		if (!has_row(d, i))
			continue;
		if (array)
			json_object_array_add(array, totals_json(d, i));
		else
			totals_text(d, i, width);
	}
	if (!array && !has_bytes(d))
		fprintf(d->out.file, "bytes are left out: filters by thread, time or code choose instructions, not messages\n");
}

static struct json_object *failures_json(const struct decode *d)
{
	const struct rvtrace_recording *recording = d->input.recording;
	struct json_object *array = json_object_new_array();
	const char *line;
	size_t i;

	for (i = 0; recording && (line = rvtrace_recording_failure(recording, i)); i++)
		json_object_array_add(array, json_object_new_string(line));
	return array;
}

static void print_failures(const struct decode *d)
{
	const struct rvtrace_recording *recording = d->input.recording;
	char text[1024];
	const char *line;
	size_t i;

	for (i = 0; recording && (line = rvtrace_recording_failure(recording, i)); i++)
		fprintf(d->out.file, "%s\t%s\n", i ? "" : "\nfailed while it was recorded:\n",
			printable(line, text, sizeof(text)));
}

/* Source @i of the sink, if a switch of tasks matters to how it reports returns; else NULL */
static const struct rvtrace_recording_source *switch_source(const struct trace_input *in, size_t i,
							    const char **synchronized)
{
	const struct rvtrace_recording_sink *sink = rvtrace_recording_sink(in->recording, in->sink);
	const char *mode = rvtrace_recording_attribute(&sink->sources[i], "inst_mode");

	*synchronized = rvtrace_recording_attribute(&sink->sources[i], "sync_on_switch_active");
	if (!*synchronized ||
	    (!strcmp(*synchronized, "off") && (!mode || strcmp(mode, "history-optimized"))))
		return NULL;
	return &sink->sources[i];
}

/* How encoders were made to synchronize where tasks switch: into @object, or as text */
static void print_switches(const struct decode *d, struct json_object *object)
{
	const struct trace_input *in = &d->input;
	const struct rvtrace_recording_source *source;
	const char *synchronized, *before = "\nsynchronized where tasks switch: ";
	char text[64];
	size_t i;

	if (!in->recording)
		return;
	for (i = 0; i < rvtrace_recording_sink(in->recording, in->sink)->source_count; i++) {
		source = switch_source(in, i, &synchronized);
		if (!source)
			continue;
		if (object) {
			json_object_object_add(object, source->component,
					       json_object_new_string(synchronized));
			continue;
		}
		fprintf(d->out.file, "%s%s ", before,
			printable(source->component, text, sizeof(text)));
		fprintf(d->out.file, "%s", printable(synchronized, text, sizeof(text)));
		before = ", ";
	}
	if (!object && *before == ',')
		fputc('\n', d->out.file);
}

static void summary_json(struct decode *d)
{
	const struct trace_input *in = &d->input;
	struct json_object *all = json_object_new_object(), *harts = json_object_new_array();
	struct json_object *processes = json_object_new_array();
	struct json_object *missing = json_object_new_array();
	struct json_object *gaps = json_object_new_array();
	struct json_object *switches = json_object_new_object();

	json_object_object_add(all, "schema", json_object_new_int(JSON_SCHEMA));
	json_object_object_add(all, "sink", in->recording ? json_object_new_string(
			       rvtrace_recording_sink(in->recording, in->sink)->name) : NULL);
	json_object_object_add(all, "lost_bytes", json_object_new_int64(d->totals.lost_bytes));
	json_object_object_add(all, "recording_errors", failures_json(d));
	json_object_object_add(all, "harts", harts);
	json_object_object_add(all, "processes", processes);
	json_object_object_add(all, "missing", missing);
	json_object_object_add(all, "gaps", gaps);
	json_object_object_add(all, "sync_on_switch", switches);
	print_harts(d, harts);
	missing_print(d->missing, NULL, missing);
	gaps_print(in, NULL, gaps);
	print_switches(d, switches);
	if (d->processes)
		processes_print(d->processes, NULL, processes);
	put_json(d->out.file, all);
}

static void print_changed(const struct decode *d)
{
	uint64_t count = 0;
	unsigned int i;

	for (i = 0; i < d->input.source_count; i++)
		count += d->totals.sources[i].changed;
	if (count)
		fprintf(d->out.file, "\n%" PRIu64 " instructions executed in kernel text that changed"
			" during the recording (%zu places)\n", count, d->program->changed_count);
}

static void print_counts(const struct decode *d)
{
	uint64_t tasks = 0, skipped = 0;
	unsigned int i;

	for (i = 0; i < d->input.source_count; i++) {
		if (!filter_shows(&d->input, i))
			continue;
		tasks += d->totals.sources[i].tasks;
		skipped += d->totals.sources[i].skipped;
	}
	/* Without such writes, times tell. */
	if (tasks)
		fprintf(d->out.file, "\nthe running thread was identified %" PRIu64
			" times by writes to tp\n", tasks);
	if (skipped)
		fprintf(d->out.file, "\n%" PRIu64 " messages before their hart was synchronized\n",
			skipped);
}

/* What their callers were is not known: there is no image that would help. */
static void print_unfollowed(const struct decode *d)
{
	uint64_t stretches = 0, unfollowed = 0, inferred = 0;
	unsigned int i;

	for (i = 0; i < d->input.source_count; i++) {
		if (!filter_shows(&d->input, i))
			continue;
		stretches += d->totals.sources[i].stretches;
		unfollowed += d->totals.sources[i].unfollowed;
		inferred += d->totals.sources[i].inferred;
	}
	if (stretches)
		fprintf(d->out.file, "\n%" PRIu64 " stretches of unknown flow, %" PRIu64
			" bytes of code, after returns that the encoder left out\n", stretches,
			2 * unfollowed);
	if (inferred)
		fprintf(d->out.file, "\n%" PRIu64
			" returns that the encoder left out were inferred from the code that executed after them\n",
			inferred);
}

void decode_summary(struct decode *d)
{
	out_flush(&d->out);
	if (global.json) {
		summary_json(d);
		return;
	}
	print_harts(d, NULL);
	if (d->processes)
		processes_print(d->processes, d->out.file, NULL);
	missing_print(d->missing, d->out.file, NULL);
	gaps_print(&d->input, d->out.file, NULL);
	print_switches(d, NULL);
	print_unfollowed(d);
	print_changed(d);
	print_counts(d);
	if (d->totals.lost_bytes)
		fprintf(d->out.file, "%" PRIu64 " bytes of the stream were lost\n",
			d->totals.lost_bytes);
	print_failures(d);
}
