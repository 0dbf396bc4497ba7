// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reader of trace directories: SINK.idx and the sizes of the segments. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording_internal.h"

#define SEGMENTS_MAX	1000000
#define READ_ENTRIES	1024

/* What must hold between one entry and those before it. */
struct index_check {
	uint64_t data_start;
	uint64_t data_end;
	uint64_t offset;
};

static const char *entry_fault(const struct recording_entry *entry, struct index_check *check)
{
	if (entry->offset + entry->length < entry->offset ||
	    entry->position + entry->length < entry->position)
		return "a length beyond 64 bits";
	if (entry->offset < check->offset && entry->type != RVTRACE_CHUNK_OVERWRITTEN)
		return "an offset before the one of the entry before";
	switch (entry->type) {
	case RVTRACE_CHUNK_DATA:
		if (entry->offset < check->data_end)
			return "data that overlaps the entry before";
		check->data_start = entry->offset;
		check->data_end = entry->offset + entry->length;
		check->offset = entry->offset;
		return NULL;
	case RVTRACE_CHUNK_OVERWRITTEN:
		if (entry->offset < check->data_start ||
		    entry->offset + entry->length > check->data_end)
			return "overwritten bytes outside the data before";
		return NULL;
	case RVTRACE_CHUNK_LOST:
	case RVTRACE_CHUNK_SESSION_START:
	case RVTRACE_CHUNK_SESSION_END:
		check->offset = entry->offset;
		return NULL;
	default:
		return "an unknown type";
	}
}

static bool all_zero(const struct recording_entry *entry)
{
	return !entry->type && !entry->flags && !entry->position && !entry->offset &&
	       !entry->length && !entry->time;
}

static int add_entry(struct recording_sink *sink, const struct recording_entry *entry)
{
	if (!(sink->entry_count % READ_ENTRIES)) {
		struct recording_entry *entries =
			reallocarray(sink->entries, sink->entry_count + READ_ENTRIES,
				     sizeof(*entries));

		if (!entries)
			return -ENOMEM;
		sink->entries = entries;
	}
	sink->entries[sink->entry_count++] = *entry;
	if (entry->type == RVTRACE_CHUNK_LOST || entry->type == RVTRACE_CHUNK_OVERWRITTEN) {
		sink->public.lost += entry->length;
		if (entry->flags & RVTRACE_CHUNK_AT_LEAST)
			sink->public.lost_at_least = true;
	}
	return 0;
}

static int read_entries(struct rvtrace_recording *recording, struct recording_sink *sink, int fd,
			const char *file, struct rvtrace_recording_error *error)
{
	uint8_t bytes[READ_ENTRIES * RVTRACE_RECORDING_ENTRY_SIZE];
	struct index_check check = { 0 };
	struct recording_entry entry;
	uint64_t offset = 0;
	ssize_t got;
	size_t i;

	do {
		got = recording_pread(fd, bytes, sizeof(bytes), offset);
		if (got < 0)
			return rvtrace_fail(error, -got, offset, "%s/%s: offset %llu: %s",
					    recording->path, file, (unsigned long long)offset,
					    strerror(-got));
		for (i = 0; i < (size_t)got / RVTRACE_RECORDING_ENTRY_SIZE; i++) {
			const char *fault;

			recording_entry_unpack(bytes + i * RVTRACE_RECORDING_ENTRY_SIZE, &entry);
			/* A crash can leave a file longer than what was written to it. */
			if (all_zero(&entry))
				return 0;
			fault = entry_fault(&entry, &check);
			if (fault)
				return rvtrace_fail(error, EBADMSG, offset,
						    "%s/%s: offset %llu: entry with %s",
						    recording->path, file,
						    (unsigned long long)offset, fault);
			if (add_entry(sink, &entry))
				return rvtrace_fail(error, ENOMEM, offset, "%s/%s: out of memory",
						    recording->path, file);
			offset += RVTRACE_RECORDING_ENTRY_SIZE;
		}
	} while (got == (ssize_t)sizeof(bytes));
	return 0;
}

/* Size of segment @number; -ENOENT when there is none. */
static int64_t segment_size(struct rvtrace_recording *recording, const char *name,
			    unsigned int number)
{
	char file[300];
	struct stat st;

	snprintf(file, sizeof(file), "%s.%04u.bin", name, number);
	if (fstatat(recording->directory, file, &st, 0))
		return -errno;
	return S_ISREG(st.st_mode) ? st.st_size : -EINVAL;
}

static int add_segment(struct recording_sink *sink, uint64_t start, uint64_t bytes)
{
	unsigned int count = sink->public.segments;
	uint64_t *starts, *sizes;

	starts = reallocarray(sink->segment_start, count + 1, sizeof(*starts));
	if (!starts)
		return -ENOMEM;
	sink->segment_start = starts;
	sizes = reallocarray(sink->segment_bytes, count + 1, sizeof(*sizes));
	if (!sizes)
		return -ENOMEM;
	sink->segment_bytes = sizes;
	starts[count] = start;
	sizes[count] = bytes;
	sink->public.segments = count + 1;
	sink->public.bytes += bytes;
	sink->end = start + bytes;
	return 0;
}

/*
 * @expected segments are there unless some were removed; a removed one counts
 * as empty, so that the offsets of those behind it hold.
 */
static int measure_segments(struct rvtrace_recording *recording, struct recording_sink *sink,
			    uint64_t limit, uint64_t expected,
			    struct rvtrace_recording_error *error)
{
	const char *name = sink->public.name;
	unsigned int i;

	for (i = 0; i < SEGMENTS_MAX; i++) {
		int64_t size = segment_size(recording, name, i);

		if (size == -ENOENT && i >= expected)
			return 0;
		if (size == -ENOENT)
			size = 0;
		if (size < 0)
			return rvtrace_fail(error, -size, 0, "%s/%s.%04u.bin: %s",
					    recording->path, name, i, strerror(-size));
		if (limit && (uint64_t)size > limit)
			return rvtrace_fail(error, EBADMSG, limit,
					    "%s/%s.%04u.bin: longer than segment_size (%llu)",
					    recording->path, name, i,
					    (unsigned long long)limit);
		if (add_segment(sink, limit ? i * limit : sink->end, size))
			return rvtrace_fail(error, ENOMEM, 0, "%s: out of memory",
					    recording->path);
	}
	return rvtrace_fail(error, EBADMSG, 0, "%s: more than %d segments of %s",
			    recording->path, SEGMENTS_MAX, name);
}

int recording_index_load(struct rvtrace_recording *recording, struct recording_sink *sink,
			 struct rvtrace_recording_error *error)
{
	struct json_object *list = recording_json_array(recording->metadata, "sinks");
	struct json_object *object = json_object_array_get_idx(list, sink - recording->sinks);
	char file[300];
	int fd, ret;

	ret = measure_segments(recording, sink, recording_json_uint(object, "segment_size"),
			       recording_json_uint(object, "segments"), error);
	if (ret)
		return ret;
	snprintf(file, sizeof(file), "%s.idx", sink->public.name);
	fd = openat(recording->directory, file, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return rvtrace_fail(error, errno, 0, "%s/%s: %s", recording->path, file,
				    strerror(errno));
	ret = read_entries(recording, sink, fd, file, error);
	close(fd);
	return ret;
}
