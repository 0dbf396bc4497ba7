// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reader of trace directories: records of the char device. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording_internal.h"

#define RECORD_MAX	65536

struct rvtrace_recording_records {
	struct rvtrace_recording *recording;
	const char *sink;
	int fd;			/* -1: no such file, so no records */
	uint64_t offset;	/* of buffer[0] in the file */
	size_t start;		/* of what was not delivered yet */
	size_t end;
	_Alignas(struct rvtrace_record) uint8_t buffer[4 * RECORD_MAX];
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
	};

	if (type < sizeof(sizes) / sizeof(sizes[0]) && sizes[type])
		return sizes[type];
	return sizeof(struct rvtrace_record);
}

int rvtrace_recording_records_open(struct rvtrace_recording *recording, size_t sink,
				   struct rvtrace_recording_records **out,
				   struct rvtrace_recording_error *error)
{
	struct rvtrace_recording_records *records;
	char file[300];

	*out = NULL;
	if (sink >= recording->sink_count)
		return rvtrace_fail(error, EINVAL, 0, "%s: no sink number %zu",
				    recording->path, sink);
	records = calloc(1, sizeof(*records));
	if (!records)
		return rvtrace_fail(error, ENOMEM, 0, "%s: out of memory", recording->path);
	records->recording = recording;
	records->sink = recording->sinks[sink].public.name;
	snprintf(file, sizeof(file), "%s.records", records->sink);
	records->fd = openat(recording->directory, file, O_RDONLY | O_CLOEXEC);
	if (records->fd < 0 && errno != ENOENT) {
		int code = errno;

		free(records);
		return rvtrace_fail(error, code, 0, "%s/%s: %s", recording->path, file,
				    strerror(code));
	}
	*out = records;
	return 0;
}

void rvtrace_recording_records_free(struct rvtrace_recording_records *records)
{
	if (!records)
		return;
	if (records->fd >= 0)
		close(records->fd);
	free(records);
}

/* Makes @size bytes available at buffer + start; 1, 0 at the end of the file, or an error. */
static int want(struct rvtrace_recording_records *records, size_t size,
		struct rvtrace_recording_error *error)
{
	ssize_t got;

	if (records->end - records->start >= size)
		return 1;
	if (records->fd < 0)
		return 0;
	memmove(records->buffer, records->buffer + records->start, records->end - records->start);
	records->offset += records->start;
	records->end -= records->start;
	records->start = 0;
	got = recording_pread(records->fd, records->buffer + records->end,
			      sizeof(records->buffer) - records->end,
			      records->offset + records->end);
	if (got < 0)
		return rvtrace_fail(error, -got, records->offset + records->end,
				    "%s/%s.records: offset %llu: %s", records->recording->path,
				    records->sink,
				    (unsigned long long)(records->offset + records->end),
				    strerror(-got));
	records->end += got;
	return records->end >= size;
}

int rvtrace_recording_records_next(struct rvtrace_recording_records *records,
				   const struct rvtrace_record **out,
				   struct rvtrace_recording_error *error)
{
	const struct rvtrace_record *record;
	uint64_t where;
	int ret;

	ret = want(records, sizeof(*record), error);
	if (ret <= 0)
		return ret;
	record = (const struct rvtrace_record *)(records->buffer + records->start);
	where = records->offset + records->start;
	/* A crash can leave a file longer than what was written to it. */
	if (!record->size && !record->type && !record->position && !record->time)
		return 0;
	if (record->size % 8 || record->size > RECORD_MAX ||
	    record->size < record_minimum(record->type))
		return rvtrace_fail(error, EBADMSG, where,
				    "%s/%s.records: offset %llu: record of type %u with size %u",
				    records->recording->path, records->sink,
				    (unsigned long long)where, record->type, record->size);
	ret = want(records, record->size, error);
	if (ret <= 0)
		return ret;
	record = (const struct rvtrace_record *)(records->buffer + records->start);
	records->start += record->size;
	*out = record;
	return 1;
}
