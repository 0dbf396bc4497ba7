// SPDX-License-Identifier: LGPL-2.1-or-later
/* A stream in pieces: see parallel_read.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/lib/base/fail.h"
#include "parallel_read.h"

/**
 * stream_piece_free() - free what a piece has
 * @piece: the piece
 */
void stream_piece_free(struct stream_piece *piece)
{
	free(piece->gaps);
	free(piece->bytes);
}

static int read_file(struct stream_reader *reader, struct stream_piece *piece, size_t room,
		     struct rvtrace_failure *error)
{
	ssize_t got;

	while (piece->size < room) {
		got = read(reader->fd, piece->bytes + piece->size, room - piece->size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail(error, -errno, reader->name, strerror(errno));
		if (!got)
			break;
		piece->size += got;
	}
	return 0;
}

static int add_gap(struct stream_piece *piece, const struct rvtrace_chunk *chunk)
{
	uint64_t next = chunk->offset;

	if (chunk->type == RVTRACE_CHUNK_OVERWRITTEN)
		next += chunk->length;
	if (piece->gap_count == piece->gap_room) {
		size_t room = piece->gap_room ? 2 * piece->gap_room : 8;
		void *gaps = realloc(piece->gaps, room * sizeof(*piece->gaps));

		if (!gaps)
			return -ENOMEM;
		piece->gaps = gaps;
		piece->gap_room = room;
	}
	piece->gaps[piece->gap_count++] = (struct stream_gap) {
		chunk->length, next, chunk->restart,
	};
	piece->offset = next;
	return 0;
}

static void take_data(struct stream_piece *piece, struct rvtrace_chunk *chunk, size_t room)
{
	size_t size = room - piece->size < chunk->length ? room - piece->size : chunk->length;

	memcpy(piece->bytes + piece->size, chunk->data, size);
	piece->size += size;
	chunk->data += size;
	chunk->length -= size;
}

static bool is_gap(const struct rvtrace_chunk *chunk)
{
	return chunk->type == RVTRACE_CHUNK_LOST || chunk->type == RVTRACE_CHUNK_OVERWRITTEN ||
	       chunk->type == RVTRACE_CHUNK_RESTART;
}

/* What is missing ends a piece that has bytes; so does a restart. */
static int read_recording(struct stream_reader *reader, struct stream_piece *piece, size_t room,
			  struct rvtrace_failure *error)
{
	struct rvtrace_chunk *chunk = &reader->left;
	int ret = 1;

	while (piece->size < room && ret > 0) {
		if (chunk->type == RVTRACE_CHUNK_DATA && chunk->length) {
			take_data(piece, chunk, room);
			continue;
		}
		if (is_gap(chunk)) {
			if (piece->size)
				return 0;
			if (add_gap(piece, chunk))
				return fail(error, -ENOMEM, reader->name, "out of memory");
			if (chunk->restart)
				reader->restart = chunk->restart;
		}
		ret = rvtrace_recording_stream_next(reader->recording, chunk, error);
		if (ret <= 0)
			*chunk = (struct rvtrace_chunk) { 0 };
	}
	return ret < 0 ? ret : 0;
}

/**
 * stream_read() - the next piece
 * @reader: where from
 * @piece: filled
 * @room: bytes that it may have, for which there is room
 * @error: filled on failure, may be NULL
 *
 * Return: 0 or a negative errno.
 */
int stream_read(struct stream_reader *reader, struct stream_piece *piece, size_t room,
		struct rvtrace_failure *error)
{
	int ret;

	piece->gap_count = 0;
	piece->size = 0;
	piece->offset = reader->next;
	ret = reader->recording ? read_recording(reader, piece, room, error) :
				  read_file(reader, piece, room, error);
	reader->next = piece->offset + piece->size;
	piece->restart = reader->restart;
	return ret;
}
