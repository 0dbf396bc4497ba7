// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reader of trace directories: the stream of a sink. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording_internal.h"

#define PIECE_MAX	(1024 * 1024)

struct rvtrace_recording_stream {
	struct rvtrace_recording *recording;
	const struct recording_sink *sink;
	size_t next;			/* entry that comes next */
	size_t data;			/* the data entry @run belongs to */
	struct recording_entry run;	/* what is left of the bytes being delivered */
	uint64_t offset;		/* behind the last byte a run covered */
	uint64_t position;		/* the position that belongs to it */
	unsigned int segment;
	int fd;				/* open file of @segment, or -1 */
	uint8_t buffer[PIECE_MAX];
};

#define NO_ENTRY	SIZE_MAX

int rvtrace_recording_stream_open(struct rvtrace_recording *recording, size_t sink,
				  struct rvtrace_recording_stream **out,
				  struct rvtrace_recording_error *error)
{
	struct rvtrace_recording_stream *stream;

	*out = NULL;
	if (sink >= recording->sink_count)
		return rvtrace_fail(error, EINVAL, 0, "%s: no sink number %zu",
				    recording->path, sink);
	stream = malloc(sizeof(*stream));
	if (!stream)
		return rvtrace_fail(error, ENOMEM, 0, "%s: out of memory", recording->path);
	memset(stream, 0, offsetof(struct rvtrace_recording_stream, buffer));
	stream->recording = recording;
	stream->sink = &recording->sinks[sink];
	stream->fd = -1;
	*out = stream;
	return 0;
}

void rvtrace_recording_stream_free(struct rvtrace_recording_stream *stream)
{
	if (!stream)
		return;
	if (stream->fd >= 0)
		close(stream->fd);
	free(stream);
}

/* Starts delivering @length bytes at stream->offset that go on where the last ended. */
static void start_run(struct rvtrace_recording_stream *stream, size_t data, uint64_t length,
		      uint64_t time)
{
	stream->data = data;
	stream->run = (struct recording_entry) {
		.position = stream->position,
		.offset = stream->offset,
		.length = length,
		.time = time,
		.type = RVTRACE_CHUNK_DATA,
	};
	stream->offset += length;
	stream->position += length;
}

/*
 * Takes the next entry. Bytes that no entry describes follow those before them.
 * Returns 1 when @chunk was filled, 0 when a run was started, -1 at the end.
 */
static int take_entry(struct rvtrace_recording_stream *stream, struct rvtrace_chunk *chunk)
{
	const struct recording_sink *sink = stream->sink;
	const struct recording_entry *entry;

	while (stream->next < sink->entry_count &&
	       sink->entries[stream->next].type == RVTRACE_CHUNK_OVERWRITTEN)
		stream->next++;
	if (stream->next == sink->entry_count) {
		if (stream->offset >= sink->end)
			return -1;
		start_run(stream, NO_ENTRY, sink->end - stream->offset, 0);
		return 0;
	}
	entry = &sink->entries[stream->next];
	if (entry->offset > stream->offset) {
		start_run(stream, NO_ENTRY, entry->offset - stream->offset, 0);
		return 0;
	}
	stream->position = entry->position;
	if (entry->type == RVTRACE_CHUNK_DATA) {
		start_run(stream, stream->next++, entry->length, entry->time);
		return 0;
	}
	stream->position += entry->length;
	stream->next++;
	*chunk = (struct rvtrace_chunk) {
		.type = entry->type,
		.flags = entry->flags,
		.position = entry->position,
		.offset = entry->offset,
		.length = entry->length,
		.time = entry->time,
	};
	return 1;
}

/* Bytes at the start of the run that are all trusted, or all not (*@entry). */
static uint64_t same_trust(const struct rvtrace_recording_stream *stream,
			   const struct recording_entry **entry)
{
	const struct recording_sink *sink = stream->sink;
	uint64_t offset = stream->run.offset, length = stream->run.length;
	size_t i;

	*entry = NULL;
	if (stream->data == NO_ENTRY)
		return length;
	for (i = stream->data + 1; i < sink->entry_count; i++) {
		const struct recording_entry *other = &sink->entries[i];

		if (other->type == RVTRACE_CHUNK_DATA)
			break;
		if (other->type != RVTRACE_CHUNK_OVERWRITTEN)
			continue;
		if (other->offset > offset) {
			if (other->offset - offset < length)
				length = other->offset - offset;
		} else if (other->offset + other->length > offset) {
			*entry = other;
			if (other->offset + other->length - offset < length)
				length = other->offset + other->length - offset;
		}
	}
	return length;
}

/* Bytes in one file from @offset on; 0: they are missing up to *@missing. */
static uint64_t in_segment(struct rvtrace_recording_stream *stream, uint64_t offset,
			   unsigned int *segment, uint64_t *missing)
{
	const struct recording_sink *sink = stream->sink;
	unsigned int i = stream->segment;

	*missing = UINT64_MAX;
	for (; i < sink->public.segments; i++) {
		if (offset < sink->segment_start[i]) {
			*missing = sink->segment_start[i];
			return 0;
		}
		if (offset - sink->segment_start[i] < sink->segment_bytes[i]) {
			*segment = i;
			return sink->segment_bytes[i] - (offset - sink->segment_start[i]);
		}
	}
	return 0;
}

static int read_piece(struct rvtrace_recording_stream *stream, unsigned int segment,
		      uint64_t offset, size_t length, struct rvtrace_recording_error *error)
{
	struct rvtrace_recording *recording = stream->recording;
	uint64_t where = offset - stream->sink->segment_start[segment];
	char file[300];
	ssize_t got;

	snprintf(file, sizeof(file), "%s.%04u.bin", stream->sink->public.name, segment);
	if (stream->fd < 0 || stream->segment != segment) {
		if (stream->fd >= 0)
			close(stream->fd);
		stream->segment = segment;
		stream->fd = openat(recording->directory, file, O_RDONLY | O_CLOEXEC);
		if (stream->fd < 0)
			return rvtrace_fail(error, errno, where, "%s/%s: %s", recording->path,
					    file, strerror(errno));
		posix_fadvise(stream->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	}
	got = recording_pread(stream->fd, stream->buffer, length, where);
	if (got < 0 || (size_t)got < length)
		return rvtrace_fail(error, got < 0 ? -got : EIO, where,
				    "%s/%s: offset %llu: %s", recording->path, file,
				    (unsigned long long)where,
				    got < 0 ? strerror(-got) : "became shorter while it was read");
	return 0;
}

static int take_piece(struct rvtrace_recording_stream *stream, struct rvtrace_chunk *chunk,
		      struct rvtrace_recording_error *error)
{
	struct recording_entry *run = &stream->run;
	const struct recording_entry *overwritten;
	uint64_t length, there, missing;
	unsigned int segment;
	int ret;

	length = same_trust(stream, &overwritten);
	there = in_segment(stream, run->offset, &segment, &missing);
	*chunk = (struct rvtrace_chunk) {
		.type = overwritten ? RVTRACE_CHUNK_OVERWRITTEN : RVTRACE_CHUNK_DATA,
		.flags = overwritten ? overwritten->flags : 0,
		.position = run->position,
		.offset = run->offset,
		.time = run->time,
	};
	if (there) {
		if (length > there)
			length = there;
		if (length > PIECE_MAX)
			length = PIECE_MAX;
		ret = read_piece(stream, segment, run->offset, length, error);
		if (ret)
			return ret;
		chunk->data = stream->buffer;
	} else {
		if (run->length < missing - run->offset)
			length = run->length;
		else
			length = missing - run->offset;
		chunk->type = RVTRACE_CHUNK_LOST;
		chunk->flags = RVTRACE_CHUNK_CUT;
	}
	chunk->length = length;
	run->offset += length;
	run->position += length;
	run->length -= length;
	return 1;
}

int rvtrace_recording_stream_next(struct rvtrace_recording_stream *stream,
				  struct rvtrace_chunk *chunk,
				  struct rvtrace_recording_error *error)
{
	int got;

	while (!stream->run.length) {
		got = take_entry(stream, chunk);
		if (got)
			return got > 0;
	}
	return take_piece(stream, chunk, error);
}
