/* SPDX-License-Identifier: GPL-2.0 */
/* Readers of packets: what they say of the same bytes is the same in whatever pieces. */
#ifndef TARGET_READER_H
#define TARGET_READER_H

#include "target.h"

/**
 * struct said - what a reader said of one packet
 * @ret: enum rvtrace_error, or 1
 * @offset: of the packet
 * @size: of it
 * @what: what else is told, if @ret is 1
 */
struct said {
	int64_t ret;
	uint64_t offset;
	uint64_t size;
	uint64_t what[2];
};

/**
 * struct reader - a packet layer
 * @units: of offsets and sizes, in a byte: bytes or nybbles
 * @pending_max: of a packet that is not complete; 0: what was told of may not be complete either
 * @open: a new one, that may begin anywhere
 * @feed: as rvtrace_etrace_feed(), and so on
 * @next: checks the next packet; @offset, @size and @what of @said are filled in
 * @pending: as rvtrace_etrace_pending()
 * @close: frees it
 */
struct reader {
	unsigned int units;
	size_t pending_max;
	void *(*open)(const void *config, bool anywhere);
	int (*feed)(void *reader, const void *bytes, size_t size);
	int (*next)(void *reader, struct said *said);
	size_t (*pending)(const void *reader, uint64_t *offset);
	void (*close)(void *reader);
};

/* The reader of rvtrace_@format_new() and its like; its next() stands before this. */
#define READER(format, units, pending_max)						\
static void *open_reader(const void *config, bool anywhere)				\
{											\
	struct rvtrace_##format *reader;						\
											\
	promise(!rvtrace_##format##_new(config, &reader));				\
	if (anywhere)									\
		rvtrace_##format##_resync(reader, 0);					\
	return reader;									\
}											\
static int feed(void *reader, const void *bytes, size_t size)				\
{											\
	return rvtrace_##format##_feed(reader, bytes, size);				\
}											\
static size_t pending(const void *reader, uint64_t *offset)				\
{											\
	return rvtrace_##format##_pending(reader, offset);				\
}											\
static void close_reader(void *reader)							\
{											\
	rvtrace_##format##_free(reader);						\
}											\
static const struct reader reader = {							\
	units, pending_max, open_reader, feed, next, pending, close_reader,		\
}

/* Reads everything, at once and in pieces. */
void read_both(const struct reader *kind, const void *config, bool anywhere,
	       const uint8_t *bytes, size_t size, size_t piece);

#endif /* TARGET_READER_H */
