// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reader of trace directories: records of the char device and of perf. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "recording_internal.h"

/*
 * Records of one CPU may come before older ones of another, by little more than the 1 s that the
 * driver's sampler waits at most.
 */
#define LATE_MOST	10000000000	/* ns */

struct rvtrace_recording_records {
	struct rvtrace_recording *recording;
	char file[RECORDING_FILE_MAX];
	struct frames *frames;
	const uint8_t *payload;		/* what was not read yet of a frame */
	size_t left;
	const struct rvtrace_record *ahead;	/* read, and not delivered yet; NULL at the end */
	uint64_t ahead_where;
	bool begun;
	bool missing;			/* what was damaged before may have been of a task */
	void *delivered;
	size_t room;
	uint64_t last;			/* time of the last record of a task that was delivered */
};

/* Bytes a record must have for what its type says it carries. */
static size_t record_minimum(unsigned int type)
{
	static const size_t sizes[] = {
		[RVTRACE_RECORD_SESSION_BEGIN] = sizeof(struct rvtrace_record_session_begin),
		[RVTRACE_RECORD_SESSION_END] = sizeof(struct rvtrace_record_session_end),
		[RVTRACE_RECORD_LOST] = sizeof(struct rvtrace_record_lost),
		[RVTRACE_RECORD_GAP] = sizeof(struct rvtrace_record_gap),
		[RVTRACE_RECORD_CLOCK] = sizeof(struct rvtrace_record_clock),
		[RVTRACE_RECORD_ADDRESS_SPACE] = sizeof(struct rvtrace_record_address_space),
		[RVTRACE_RECORD_TEXT] = sizeof(struct rvtrace_record_text),
		[RVTRACE_RECORD_CODE] = sizeof(struct rvtrace_record_code),
		[RVTRACE_RECORD_TRACING] = sizeof(struct rvtrace_record_tracing),
		/* Without @task, those of an older driver */
		[RVTRACE_RECORD_TASK] = offsetof(struct rvtrace_record_task, task),
	};

	if (type < sizeof(sizes) / sizeof(sizes[0]) && sizes[type])
		return sizes[type];
	return sizeof(struct rvtrace_record);
}

int rvtrace_recording_records_open(struct rvtrace_recording *recording, size_t sink,
				   struct rvtrace_recording_records **out,
				   struct rvtrace_failure *error)
{
	struct rvtrace_recording_records *records;
	int ret;

	*out = NULL;
	if (sink >= recording->sink_count)
		return rvtrace_fail(error, EINVAL, 0, "%s: no sink number %zu",
				    recording->path, sink);
	records = calloc(1, sizeof(*records));
	if (!records)
		return rvtrace_fail(error, ENOMEM, 0, "%s: out of memory", recording->path);
	records->recording = recording;
	snprintf(records->file, sizeof(records->file), "%s.records",
		 recording->sinks[sink].public.name);
	ret = frames_open(recording, records->file, &records->frames, error);
	if (ret) {
		free(records);
		return ret;
	}
	*out = records;
	return 0;
}

void rvtrace_recording_records_free(struct rvtrace_recording_records *records)
{
	if (!records)
		return;
	frames_close(records->frames);
	free(records->delivered);
	free(records);
}

/* Look at one more record. */
static int look_ahead(struct rvtrace_recording_records *records,
		      struct rvtrace_failure *error)
{
	const struct rvtrace_record *record;
	uint64_t where;
	int ret;

	records->begun = true;
	records->ahead = NULL;
	for (;;) {
		while (!records->left) {
			ret = frames_next(records->frames, &records->payload, &records->left,
					  error);
			if (ret <= 0)
				return ret;
			records->missing |= frames_missing(records->frames);
		}
		record = (const struct rvtrace_record *)records->payload;
		where = frames_end(records->frames) - records->left;
		if (records->left >= sizeof(*record) && record->size <= records->left &&
		    !(record->size % 8) && record->size >= record_minimum(record->type))
			break;
		recording_damage(records->recording, records->file, where, records->left,
				 "no record");
		records->left = 0;
		records->missing = true;
	}
	records->payload += record->size;
	records->left -= record->size;
	records->ahead = record;
	records->ahead_where = where;
	return 1;
}

static bool before(uint64_t time, uint64_t other)
{
	return time < other && other - time > LATE_MOST;
}

/* Where time goes back, the one after that tells which of two is wrong. */
static bool wrong_time(const struct rvtrace_recording_records *records,
		       const struct rvtrace_record *record)
{
	const struct rvtrace_record *ahead = records->ahead;

	if (record->type != RVTRACE_RECORD_TASK)
		return false;
	return before(record->time, records->last) ||
	       (ahead && before(ahead->time, record->time) && !before(ahead->time, records->last));
}

/* A record of a task tells what is missing before it, whoever lost that. */
static void mark_missing(struct rvtrace_recording_records *records)
{
	struct rvtrace_record_task *task = records->delivered;

	if (!records->missing || task->header.type != RVTRACE_RECORD_TASK)
		return;
	task->flags |= RVTRACE_TASK_LOST;
	records->missing = false;
}

/* What is ahead is delivered, and the next one looked at. */
static int deliver(struct rvtrace_recording_records *records, const struct rvtrace_record **out,
		   struct rvtrace_failure *error)
{
	size_t size = records->ahead->size;

	if (size > records->room) {
		void *more = realloc(records->delivered, size);

		if (!more)
			return rvtrace_fail(error, ENOMEM, 0, "%s/%s: out of memory",
					    records->recording->path, records->file);
		records->delivered = more;
		records->room = size;
	}
	memcpy(records->delivered, records->ahead, size);
	mark_missing(records);
	*out = records->delivered;
	return look_ahead(records, error);
}

int rvtrace_recording_records_next(struct rvtrace_recording_records *records,
				   const struct rvtrace_record **out,
				   struct rvtrace_failure *error)
{
	uint64_t where;
	int ret;

	if (!records->begun) {
		ret = look_ahead(records, error);
		if (ret < 0)
			return ret;
	}
	while (records->ahead) {
		where = records->ahead_where;
		ret = deliver(records, out, error);
		if (ret < 0)
			return ret;
		if (!wrong_time(records, *out)) {
			if ((*out)->type == RVTRACE_RECORD_TASK)
				records->last = (*out)->time;
			return 1;
		}
		recording_damage(records->recording, records->file, where, (*out)->size,
				 "a record with an impossible time");
	}
	return 0;
}

int recording_each_record(struct rvtrace_recording *recording, size_t sink,
			  int (*take)(void *data, const struct rvtrace_record *record),
			  void *data, struct rvtrace_failure *error)
{
	struct rvtrace_recording_records *records;
	const struct rvtrace_record *record;
	int ret;

	ret = rvtrace_recording_records_open(recording, sink, &records, error);
	if (ret)
		return ret;
	while ((ret = rvtrace_recording_records_next(records, &record, error)) > 0) {
		ret = take(data, record);
		if (ret) {
			rvtrace_fail(error, -ret, 0, "%s/%s: %s", recording->path, records->file,
				     strerror(-ret));
			break;
		}
	}
	rvtrace_recording_records_free(records);
	return ret;
}

int rvtrace_recording_sideband(struct rvtrace_recording *recording, void **bytes, size_t *size,
			       struct rvtrace_failure *error)
{
	const uint8_t *payload;
	struct frames *frames;
	size_t length, room = 0;
	int ret;

	*bytes = NULL;
	*size = 0;
	ret = frames_open(recording, "sideband", &frames, error);
	if (ret)
		return ret;
	while ((ret = frames_next(frames, &payload, &length, error)) > 0) {
		if (*size + length > room) {
			void *more;

			room = 2 * room + length;
			more = realloc(*bytes, room);
			if (!more) {
				ret = rvtrace_fail(error, ENOMEM, 0, "%s/sideband: out of memory",
						   recording->path);
				break;
			}
			*bytes = more;
		}
		memcpy((char *)*bytes + *size, payload, length);
		*size += length;
	}
	frames_close(frames);
	if (ret < 0) {
		free(*bytes);
		*bytes = NULL;
		*size = 0;
	}
	return ret;
}
