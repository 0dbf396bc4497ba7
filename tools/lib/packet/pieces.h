/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A stream of messages that comes in pieces of any size: which bytes are unread, and the start of
 * a message that lies across two pieces.
 */
#ifndef PIECES_H
#define PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rvtrace/error.h>

#define PIECES_MESSAGE_MAX	256	/* bytes of a message */
#define PIECES_BEHIND		8	/* bytes that may be read behind a message put together */

/**
 * struct pieces - where reading is
 * @data: unread bytes of the caller
 * @end: behind the last one
 * @offset: stream offset of @data
 * @partial_size: bytes in @partial
 * @skipping: drop everything up to the next place where a message may begin
 * @reset_partial: the message in @partial is complete and was handed out
 * @partial: bytes of a message that lies across two pieces
 */
struct pieces {
	const uint8_t *data;
	const uint8_t *end;
	uint64_t offset;
	uint32_t partial_size;
	bool skipping;
	bool reset_partial;
	uint8_t partial[PIECES_MESSAGE_MAX + PIECES_BEHIND];
};

/* The unread bytes from @next to @end become those at @data; RVTRACE_ERR_BUSY if there are any. */
static inline int feed_bytes(const uint8_t **next, const uint8_t **end, const void *data,
			     size_t size)
{
	if (*next != *end)
		return RVTRACE_ERR_BUSY;
	*next = data;
	*end = size ? *next + size : data;	/* which may be NULL then */
	return 0;
}

static inline int pieces_feed(struct pieces *pieces, const void *data, size_t size)
{
	return feed_bytes(&pieces->data, &pieces->end, data, size);
}

/* What was not read yet is dropped. */
static inline void pieces_seek(struct pieces *pieces, uint64_t offset, bool skipping)
{
	pieces->data = NULL;
	pieces->end = NULL;
	pieces->offset = offset;
	pieces->partial_size = 0;
	pieces->reset_partial = false;
	pieces->skipping = skipping;
}

/* Bytes of a message that is not complete; @offset: of its first byte, may be NULL. */
static inline size_t pieces_pending(const struct pieces *pieces, uint64_t *offset)
{
	size_t size = pieces->reset_partial ? 0 : pieces->partial_size;

	if (offset)
		*offset = pieces->offset - size;
	return size;
}

/* Before each message: the last one that was put together is not needed any more. */
static inline void pieces_begin(struct pieces *pieces)
{
	if (!pieces->reset_partial)
		return;
	pieces->reset_partial = false;
	pieces->partial_size = 0;
}

/* Everything before @to is read. */
static inline void pieces_advance(struct pieces *pieces, const uint8_t *to)
{
	pieces->offset += to - pieces->data;
	pieces->data = to;
}

/* Everything before @to belongs to a message whose rest is yet to come. */
static inline void pieces_keep(struct pieces *pieces, const uint8_t *to)
{
	size_t size = to - pieces->data;

	memcpy(pieces->partial + pieces->partial_size, pieces->data, size);
	pieces->partial_size += size;
	pieces_advance(pieces, to);
}

/* Everything before @to, and what was kept, is one message; @size: its bytes. Its first one. */
static inline const uint8_t *pieces_take(struct pieces *pieces, const uint8_t *to, size_t *size)
{
	const uint8_t *message = pieces->data;

	if (pieces->partial_size) {
		pieces_keep(pieces, to);
		pieces->reset_partial = true;
		*size = pieces->partial_size;
		return pieces->partial;
	}
	*size = to - message;
	pieces_advance(pieces, to);
	return message;
}

/* Everything before @to, and what was kept, is of no use. Stream offset and bytes of it. */
static inline size_t pieces_drop(struct pieces *pieces, const uint8_t *to, uint64_t *offset)
{
	size_t size = pieces->partial_size + (to - pieces->data);

	*offset = pieces->offset - pieces->partial_size;
	pieces_advance(pieces, to);
	pieces->partial_size = 0;
	return size;
}

#endif /* PIECES_H */
