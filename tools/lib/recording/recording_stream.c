// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reader of trace directories: the stream of a sink. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording_internal.h"

#define PIECE_MAX	RVTRACE_RECORDING_PIECE_MAX
#define BLOCK		512	/* the least that a disk writes */

struct rvtrace_recording_stream {
	struct rvtrace_recording *recording;
	struct recording_sink *sink;
	bool begun;
	size_t next;			/* entry that comes next */
	size_t overwritten;		/* range that comes next */
	size_t restart;			/* the one that comes next */
	struct recording_entry run;	/* what is left of the bytes being delivered */
	bool unchecked;			/* the checksum of @run */
	uint64_t offset;		/* behind the last byte a run covered */
	uint64_t position;		/* the position that belongs to it */
	uint64_t before;		/* see rvtrace_recording_stream_limit() */
	unsigned int segment;
	int fd;				/* open file of @segment, or -1 */
	uint64_t begin;			/* offset of what is in @buffer */
	size_t loaded;
	_Alignas(uint64_t) uint8_t buffer[PIECE_MAX];
};

int rvtrace_recording_stream_open(struct rvtrace_recording *recording, size_t sink,
				  struct rvtrace_recording_stream **out,
				  struct rvtrace_failure *error)
{
	struct rvtrace_recording_stream *stream;

	*out = NULL;
	if (sink >= recording->sink_count)
		return rvtrace_fail(error, EINVAL, 0, "%s: no sink number %zu",
				    recording->path, sink);
	if (recording->sinks[sink].index_error)
		return rvtrace_fail(error, recording->sinks[sink].index_error, 0, "%s/%s.idx: %s",
				    recording->path, recording->sinks[sink].public.name,
				    strerror(recording->sinks[sink].index_error));
	stream = malloc(sizeof(*stream));
	if (!stream)
		return rvtrace_fail(error, ENOMEM, 0, "%s: out of memory", recording->path);
	memset(stream, 0, offsetof(struct rvtrace_recording_stream, buffer));
	stream->recording = recording;
	stream->sink = &recording->sinks[sink];
	stream->fd = -1;
	stream->before = UINT64_MAX;
	*out = stream;
	return 0;
}

void rvtrace_recording_stream_limit(struct rvtrace_recording_stream *stream, uint64_t before)
{
	stream->before = before;
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
static void start_run(struct rvtrace_recording_stream *stream, uint64_t length,
		      const struct recording_entry *entry)
{
	stream->run = (struct recording_entry) {
		.position = stream->position,
		.offset = stream->offset,
		.length = length,
		.time = entry ? entry->time : 0,
		.sum = entry ? entry->sum : 0,
		.type = RVTRACE_CHUNK_DATA,
	};
	stream->unchecked = entry;
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

	if (stream->next == sink->entry_count) {
		if (stream->offset >= sink->end || stream->before != UINT64_MAX)
			return -1;
		start_run(stream, sink->end - stream->offset, NULL);
		return 0;
	}
	entry = &sink->entries[stream->next];
	if (entry->time >= stream->before)
		return -1;
	if (entry->offset > stream->offset) {
		start_run(stream, entry->offset - stream->offset, NULL);
		return 0;
	}
	stream->position = entry->position;
	if (entry->type == RVTRACE_CHUNK_DATA) {
		start_run(stream, entry->length, entry);
		stream->next++;
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
static uint64_t same_trust(struct rvtrace_recording_stream *stream,
			   const struct recording_entry **entry)
{
	const struct recording_sink *sink = stream->sink;
	uint64_t offset = stream->run.offset, length = stream->run.length;
	const struct recording_entry *range;

	*entry = NULL;
	for (; stream->overwritten < sink->overwritten_count; stream->overwritten++) {
		range = &sink->overwritten[stream->overwritten];
		if (range->offset > offset)
			return range->offset - offset < length ? range->offset - offset : length;
		if (range->offset + range->length > offset) {
			*entry = range;
			return range->offset + range->length - offset < length ?
				       range->offset + range->length - offset : length;
		}
	}
	return length;
}

/* Bytes in one file from @offset on; 0: they are missing up to *@missing. */
static uint64_t in_segment(const struct rvtrace_recording_stream *stream, uint64_t offset,
			   unsigned int *segment, uint64_t *missing)
{
	const struct recording_sink *sink = stream->sink;
	unsigned int low = 0, high = sink->public.segments;

	/* The last one that begins at @offset or before: the first begins at 0. */
	while (high - low > 1) {
		unsigned int middle = low + (high - low) / 2;

		if (sink->segment_start[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	*segment = low;
	/* What is missing of several in a row is missed once. */
	while (high < sink->public.segments && !sink->segment_bytes[high])
		high++;
	*missing = high < sink->public.segments ? sink->segment_start[high] : UINT64_MAX;
	if (!sink->public.segments || offset - sink->segment_start[low] >= sink->segment_bytes[low])
		return 0;
	return sink->segment_bytes[low] - (offset - sink->segment_start[low]);
}

static int open_segment(struct rvtrace_recording_stream *stream, unsigned int segment,
			struct rvtrace_failure *error)
{
	char file[RECORDING_FILE_MAX];

	if (stream->fd >= 0 && stream->segment == segment)
		return 0;
	if (stream->fd >= 0)
		close(stream->fd);
	stream->segment = segment;
	recording_segment_name(stream->sink, segment, file);
	stream->fd = rvtrace_recording_open_file(stream->recording, file);
	if (stream->fd < 0)
		return recording_unreadable(stream->recording, file, 0, stream->fd, error);
	posix_fadvise(stream->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return 0;
}

/* Reads up to @length bytes, fewer where some are missing; 0 or a negative errno. */
static int load(struct rvtrace_recording_stream *stream, uint64_t offset, uint64_t length,
		struct rvtrace_failure *error)
{
	uint64_t part, where, missing;
	char file[RECORDING_FILE_MAX];
	unsigned int segment;
	ssize_t got;
	int ret;

	stream->begin = offset;
	stream->loaded = 0;
	for (length = length < PIECE_MAX ? length : PIECE_MAX; length; length -= part) {
		part = in_segment(stream, offset + stream->loaded, &segment, &missing);
		part = part < length ? part : length;
		if (!part)
			return 0;
		ret = open_segment(stream, segment, error);
		if (ret)
			return ret;
		where = offset + stream->loaded - stream->sink->segment_start[segment];
		got = file_pread(stream->fd, stream->buffer + stream->loaded, part, where);
		if (got == (ssize_t)part) {
			stream->loaded += part;
			continue;
		}
		recording_segment_name(stream->sink, segment, file);
		if (got < 0)
			return recording_unreadable(stream->recording, file, where, got, error);
		return rvtrace_fail(error, EIO, where,
				    "%s/%s: offset %llu: became shorter while it was read",
				    stream->recording->path, file, (unsigned long long)where);
	}
	return 0;
}

/* Whether a part of the run was overwritten while it was copied. */
static bool is_overwritten(const struct rvtrace_recording_stream *stream)
{
	const struct recording_entry *run = &stream->run, *range;
	size_t i;

	for (i = stream->overwritten; i < stream->sink->overwritten_count; i++) {
		range = &stream->sink->overwritten[i];
		if (range->offset >= run->offset + run->length)
			return false;
		if (range->offset + range->length > run->offset)
			return true;
	}
	return false;
}

/* Damage is told by file: a run may lie in several. */
static void report_run(const struct rvtrace_recording_stream *stream)
{
	uint64_t offset = stream->run.offset, end = offset + stream->run.length, part, missing;
	char file[RECORDING_FILE_MAX];
	unsigned int segment;

	for (; offset < end; offset += part) {
		part = in_segment(stream, offset, &segment, &missing);
		part = part < end - offset ? part : end - offset;
		recording_segment_name(stream->sink, segment, file);
		recording_damage_stream(stream->recording, file,
					offset - stream->sink->segment_start[segment], part,
					offset, "damaged");
	}
}

int recording_stream_sum(struct rvtrace_recording *recording, const struct recording_sink *sink,
			 uint64_t offset, uint64_t length, uint64_t *sum)
{
	struct rvtrace_recording_stream *stream;
	int ret = rvtrace_recording_stream_open(recording, sink - recording->sinks, &stream, NULL);

	if (!ret)
		ret = load(stream, offset, length, NULL);
	if (!ret && stream->loaded < length)
		ret = -ENODATA;
	if (!ret)
		*sum = recording_sum(stream->buffer, length);
	rvtrace_recording_stream_free(stream);
	return ret;
}

static bool is_zero(const uint8_t *bytes, size_t length)
{
	return !*bytes && !memcmp(bytes, bytes + 1, length - 1);
}

int recording_stream_unwritten(struct rvtrace_recording *recording,
			       const struct recording_sink *sink, uint64_t offset, uint64_t end,
			       uint64_t *from, uint64_t *to)
{
	struct rvtrace_recording_stream *stream;
	int ret = rvtrace_recording_stream_open(recording, sink - recording->sinks, &stream, NULL);
	uint64_t at = (offset + BLOCK - 1) / BLOCK * BLOCK;

	*from = end;
	*to = end;
	if (!ret)
		ret = load(stream, offset, end - offset, NULL);
	for (; !ret && at + BLOCK <= offset + stream->loaded; at += BLOCK) {
		bool zero = is_zero(stream->buffer + (at - offset), BLOCK);

		if (zero && *from == end)
			*from = at;
		if (!zero && *from != end) {
			*to = at;
			break;
		}
	}
	if (!ret && *from != end && *to == end)
		*to = at;
	rvtrace_recording_stream_free(stream);
	return ret;
}

/*
 * Checks the run before it is delivered: who decodes it shall know. Bytes that
 * are missing have been told of.
 */
static int check_run(struct rvtrace_recording_stream *stream,
		     struct rvtrace_failure *error)
{
	struct recording_entry *run = &stream->run;
	int ret = load(stream, run->offset, run->length, error);

	if (ret || stream->loaded < run->length || is_overwritten(stream) ||
	    recording_sum(stream->buffer, run->length) == run->sum)
		return ret;
	run->flags |= RVTRACE_CHUNK_DAMAGED;
	report_run(stream);
	return 0;
}

/* Bytes of the run that are in the buffer, read if need be; 0: they are missing. */
static uint64_t in_buffer(struct rvtrace_recording_stream *stream, int *ret,
			  struct rvtrace_failure *error)
{
	uint64_t offset = stream->run.offset;

	*ret = 0;
	if (offset < stream->begin || offset - stream->begin >= stream->loaded)
		*ret = load(stream, offset, stream->run.length, error);
	return *ret ? 0 : stream->loaded - (offset - stream->begin);
}

/* Notes where the first session begins, and restarts. */
static int note(void *data, const struct rvtrace_record *record)
{
	struct recording_sink *sink = data;
	struct recording_restart *restarts;

	if (record->type == RVTRACE_RECORD_SESSION_BEGIN && !sink->has_first) {
		sink->first = record->position;
		sink->has_first = true;
	}
	if (record->type != RVTRACE_RECORD_RESTART)
		return 0;
	restarts = realloc(sink->restarts, (sink->restart_count + 1) * sizeof(*restarts));
	if (!restarts)
		return -ENOMEM;
	sink->restarts = restarts;
	restarts[sink->restart_count++] = (struct recording_restart) {
		.position = record->position, .time = record->time,
	};
	return 0;
}

/*
 * What records say of the stream, in whose order they are; after a reload there may be more. Its
 * first bytes may have no entry.
 */
static int know(struct rvtrace_recording_stream *stream, struct rvtrace_failure *error)
{
	struct recording_sink *sink = stream->sink;
	size_t number = sink - stream->recording->sinks;
	int ret = 0;

	if (!sink->noted) {
		sink->restart_count = 0;
		ret = recording_each_record(stream->recording, number, note, sink, error);
		sink->noted = !ret;
	}
	if (!stream->begun)
		stream->position = sink->first;
	stream->begun = !ret;
	return ret;
}

bool rvtrace_recording_stream_seek(struct rvtrace_recording_stream *stream, uint64_t time)
{
	const struct recording_sink *sink = stream->sink;
	const struct recording_entry *entry = NULL;
	size_t next = 0;

	if (know(stream, NULL) || sink->restart_count)
		return false;
	for (size_t i = 0; i < sink->entry_count && sink->entries[i].time <= time; i++) {
		if (sink->entries[i].type != RVTRACE_CHUNK_DATA)
			continue;
		entry = &sink->entries[i];
		next = i;
	}
	if (!next)
		return false;
	stream->next = next;
	stream->offset = entry->offset;
	stream->position = entry->position;
	return true;
}

/* Whether timestamps count from 0 again where the run begins */
static bool is_restart(const struct rvtrace_recording_stream *stream)
{
	const struct recording_sink *sink = stream->sink;

	return stream->restart < sink->restart_count &&
	       sink->restarts[stream->restart].position <= stream->run.position;
}

static int take_restart(struct rvtrace_recording_stream *stream, struct rvtrace_chunk *chunk)
{
	const struct recording_restart *restart = &stream->sink->restarts[stream->restart++];

	*chunk = (struct rvtrace_chunk) {
		.type = RVTRACE_CHUNK_RESTART,
		.position = stream->run.position,
		.offset = stream->run.offset,
		.time = restart->time,
		.restart = stream->restart,
	};
	return 1;
}

/* Bytes at the start of the run, up to the next restart at most */
static uint64_t before_restart(const struct rvtrace_recording_stream *stream, uint64_t length)
{
	const struct recording_sink *sink = stream->sink;
	uint64_t left;

	if (stream->restart >= sink->restart_count)
		return length;
	left = sink->restarts[stream->restart].position - stream->run.position;
	return left < length ? left : length;
}

static int take_piece(struct rvtrace_recording_stream *stream, struct rvtrace_chunk *chunk,
		      struct rvtrace_failure *error)
{
	struct recording_entry *run = &stream->run;
	const struct recording_entry *overwritten;
	uint64_t length, there, missing;
	unsigned int segment;
	int ret;

	length = before_restart(stream, same_trust(stream, &overwritten));
	there = in_buffer(stream, &ret, error);
	if (ret)
		return ret;
	*chunk = (struct rvtrace_chunk) {
		.type = overwritten ? RVTRACE_CHUNK_OVERWRITTEN : RVTRACE_CHUNK_DATA,
		.flags = overwritten ? overwritten->flags : run->flags,
		.position = run->position,
		.offset = run->offset,
		.time = run->time,
	};
	if (there) {
		length = length < there ? length : there;
		chunk->data = stream->buffer + (run->offset - stream->begin);
	} else {
		in_segment(stream, run->offset, &segment, &missing);
		length = run->length < missing - run->offset ? run->length : missing - run->offset;
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
				  struct rvtrace_failure *error)
{
	int got = know(stream, error);

	if (got)
		return got;
	while (!stream->run.length) {
		got = take_entry(stream, chunk);
		if (got)
			return got > 0;
	}
	if (is_restart(stream))
		return take_restart(stream, chunk);
	if (stream->unchecked) {
		got = check_run(stream, error);
		if (got)
			return got;
		stream->unchecked = false;
	}
	return take_piece(stream, chunk, error);
}

int rvtrace_recording_each_chunk(struct rvtrace_recording *recording, size_t sink,
				 int (*take)(void *data, const struct rvtrace_chunk *chunk),
				 void *data, struct rvtrace_failure *error)
{
	struct rvtrace_recording_stream *stream;
	struct rvtrace_chunk chunk;
	int ret;

	ret = rvtrace_recording_stream_open(recording, sink, &stream, error);
	if (ret)
		return ret;
	while ((ret = rvtrace_recording_stream_next(stream, &chunk, error)) > 0) {
		ret = take(data, &chunk);
		if (ret)
			break;
	}
	rvtrace_recording_stream_free(stream);
	return ret;
}
