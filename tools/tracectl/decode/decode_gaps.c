// SPDX-License-Identifier: GPL-2.0
/*
 * tracectl decode: how long harts ran untraced inside the session, for --summary; and what that
 * means for places of synchronization.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <json-c/json.h>

#include <linux/rvtrace.h>

#include "decode.h"

/* Gaps that have reason and encoder in common. */
struct gaps {
	uint32_t reason;
	uint32_t encoder;
	uint64_t count;
	uint64_t duration;
};

struct table {
	struct gaps *rows;
	size_t count;
};

static struct gaps *row_of(struct table *table, uint32_t reason, uint32_t encoder)
{
	struct gaps *rows;
	size_t i;

	for (i = 0; i < table->count; i++)
		if (table->rows[i].reason == reason && table->rows[i].encoder == encoder)
			return &table->rows[i];
	rows = realloc(table->rows, (table->count + 1) * sizeof(*rows));
	if (!rows)
		return NULL;
	table->rows = rows;
	rows[table->count] = (struct gaps) { .reason = reason, .encoder = encoder };
	return &rows[table->count++];
}

static int collect(const struct trace_input *in, struct table *table)
{
	struct rvtrace_recording_records *records;
	struct rvtrace_failure error = { };
	const struct rvtrace_record *record;
	int ret;

	ret = rvtrace_recording_records_open(in->recording, in->sink, &records, &error);
	if (ret)
		return ret;
	while ((ret = rvtrace_recording_records_next(records, &record, &error)) > 0) {
		const struct rvtrace_record_gap *gap = (const void *)record;
		struct gaps *row;

		if (record->type != RVTRACE_RECORD_GAP)
			continue;
		row = row_of(table, gap->reason, gap->encoder);
		if (!row) {
			ret = -ENOMEM;
			break;
		}
		row->count++;
		row->duration += gap->duration;
	}
	rvtrace_recording_records_free(records);
	return ret;
}

static const char *reason_name(uint32_t reason)
{
	switch (reason) {
	case RVTRACE_GAP_FLUSH:
		return "flush";
	case RVTRACE_GAP_CPU_OFFLINE:
		return "cpu-offline";
	case RVTRACE_GAP_SUSPEND:
		return "suspend";
	default:
		return "unknown";
	}
}

static void print_row(const struct gaps *row, FILE *file)
{
	char who[32] = "all encoders";

	if (row->encoder != RVTRACE_GAP_ALL)
		snprintf(who, sizeof(who), "encoder%" PRIu32, row->encoder);
	fprintf(file, "%14" PRIu64 " %12.6f %-12s %s\n", row->count, row->duration / 1e9,
		reason_name(row->reason), who);
}

static struct json_object *row_json(const struct gaps *row)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "reason", json_object_new_string(reason_name(row->reason)));
	json_object_object_add(o, "encoder", row->encoder == RVTRACE_GAP_ALL ? NULL :
			       json_object_new_int64(row->encoder));
	json_object_object_add(o, "count", json_object_new_int64(row->count));
	json_object_object_add(o, "duration_ns", json_object_new_int64(row->duration));
	return o;
}

void gaps_print(const struct trace_input *in, FILE *file, struct json_object *array)
{
	struct table table = { };
	size_t i;

	if (in->recording && collect(in, &table))
		warn_text("gaps: not all records could be read");
	for (i = 0; i < table.count; i++) {
		if (array) {
			json_object_array_add(array, row_json(&table.rows[i]));
			continue;
		}
		if (!i)
			fprintf(file, "\n%14s %12s %-12s %s\n", "gaps", "seconds", "reason", "where");
		print_row(&table.rows[i], file);
	}
	free(table.rows);
}

int gaps_warn(const struct trace_input *in, struct rvtrace_failure *error)
{
	const struct decode_format *format = decode_format_of(&in->config);
	struct rvtrace_recording_records *records;
	const struct rvtrace_record *record;
	const char *reason = NULL;
	int ret;

	if (!format->counts_places || !format->counts_places(&in->config))
		return 0;
	ret = rvtrace_recording_records_open(in->recording, in->sink, &records, error);
	if (ret)
		return ret;
	while (!reason && (ret = rvtrace_recording_records_next(records, &record, error)) > 0) {
		const struct rvtrace_record_gap *gap = (const void *)record;

		if (record->type == RVTRACE_RECORD_GAP && gap->reason != RVTRACE_GAP_FLUSH)
			reason = reason_name(gap->reason);
	}
	rvtrace_recording_records_free(records);
	if (reason)
		warn_text("%s: what follows a gap (%s) may not decode: synchronization may be elsewhere",
			  rvtrace_recording_sink(in->recording, in->sink)->name, reason);
	return ret < 0 ? ret : 0;
}
