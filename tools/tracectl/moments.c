// SPDX-License-Identifier: GPL-2.0
/* Moments: see moments.h. */
#include <errno.h>
#include <inttypes.h>

#include <json-c/json.h>

#include "moments.h"
#include "parse.h"

/* UINT64_MAX: there is none. */
static uint64_t first_record(struct rvtrace_recording *recording, size_t sink)
{
	struct rvtrace_recording_records *records;
	const struct rvtrace_record *record;
	uint64_t time = UINT64_MAX;

	if (rvtrace_recording_records_open(recording, sink, &records, NULL))
		return time;
	if (rvtrace_recording_records_next(records, &record, NULL) > 0)
		time = record->time;
	rvtrace_recording_records_free(records);
	return time;
}

uint64_t moments_start(struct rvtrace_recording *recording)
{
	struct json_object *metadata = rvtrace_recording_metadata(recording), *started, *ns;
	size_t count = rvtrace_recording_sink_count(recording), i;
	uint64_t start = UINT64_MAX, time;

	for (i = 0; i < count; i++) {
		time = first_record(recording, i);
		if (time < start)
			start = time;
	}
	if (start != UINT64_MAX)
		return start;
	/* That includes what was saved before the session. */
	return json_object_object_get_ex(metadata, "started", &started) &&
	       json_object_object_get_ex(started, "monotonic_ns", &ns) ?
	       json_object_get_uint64(ns) : 0;
}

void print_moment(struct out *out, int64_t ns)
{
	uint64_t distance = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	char seconds[24];

	snprintf(seconds, sizeof(seconds), "%s%" PRIu64, ns < 0 ? "-" : "", distance / NS_PER_S);
	out_format(out, "%*s.%09" PRIu64, MOMENT_WIDTH - 10, seconds, distance % NS_PER_S);
}

int parse_moment(const char *text, int64_t *ns)
{
	bool before = *text == '-';
	uint64_t distance;
	int ret = parse_time(text + before, NS_PER_S, &distance);

	if (ret)
		return ret;
	if (distance > INT64_MAX)
		return -ERANGE;
	*ns = before ? -(int64_t)distance : (int64_t)distance;
	return 0;
}
