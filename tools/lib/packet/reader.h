/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the readers of all formats have in common, for code that need not know the format. */
#ifndef PACKET_READER_H
#define PACKET_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct packet_write - a hart wrote a register
 * @offset: stream offset of the packet, in units
 * @value: what was written
 * @rd: number of the register
 */
struct packet_write {
	uint64_t offset;
	uint64_t value;
	unsigned int rd;
};

/**
 * struct packet_reader - how packets of a format are read
 * @units: of stream offsets, in a byte
 * @new: as rvtrace_ntrace_new(), with the parameters of the format
 * @free: as rvtrace_ntrace_free()
 * @feed: as rvtrace_ntrace_feed()
 * @pending: as rvtrace_ntrace_pending(), in units
 * @seek: as rvtrace_ntrace_seek() if the next byte begins a packet, else as rvtrace_ntrace_resync()
 * @restart: as rvtrace_etrace_restart(); NULL: the reader adds no times
 * @next_write: the next write; 1, 0 if all bytes are consumed, or an enum rvtrace_error with the
 *	@offset of the damage. Such a stream has nothing else that tells processes apart; NULL: it
 *	has no writes
 */
struct packet_reader {
	unsigned int units;
	int (*new)(const void *config, void **reader);
	void (*free)(void *reader);
	int (*feed)(void *reader, const void *data, size_t size);
	size_t (*pending)(const void *reader, uint64_t *offset);
	void (*seek)(void *reader, uint64_t offset, bool aligned);
	void (*restart)(void *reader);
	int (*next_write)(void *reader, struct packet_write *write);
};

extern const struct packet_reader ntrace_reader;
extern const struct packet_reader etrace_reader;
extern const struct packet_reader cdl_reader;
extern const struct packet_reader debugspec_reader;
extern const struct packet_reader osd_reader;

/*
 * Defines @format_reader, of rvtrace_@format_new() and its like. @to_packet: how it goes to where a
 * packet begins: seek, or resync if it has nothing else. What follows sets the other members.
 */
#define PACKET_READER(format, to_packet, ...)						\
static int format##_reader_new(const void *config, void **reader)			\
{											\
	struct rvtrace_##format *result;						\
	int err = rvtrace_##format##_new(config, &result);				\
											\
	if (!err)									\
		*reader = result;							\
	return err;									\
}											\
static void format##_reader_free(void *reader)						\
{											\
	rvtrace_##format##_free(reader);						\
}											\
static int format##_reader_feed(void *reader, const void *data, size_t size)		\
{											\
	return rvtrace_##format##_feed(reader, data, size);				\
}											\
static size_t format##_reader_pending(const void *reader, uint64_t *offset)		\
{											\
	return rvtrace_##format##_pending(reader, offset);				\
}											\
static void format##_reader_seek(void *reader, uint64_t offset, bool aligned)		\
{											\
	if (aligned)									\
		rvtrace_##format##_##to_packet(reader, offset);				\
	else										\
		rvtrace_##format##_resync(reader, offset);				\
}											\
const struct packet_reader format##_reader = {						\
	.new = format##_reader_new,							\
	.free = format##_reader_free,							\
	.feed = format##_reader_feed,							\
	.pending = format##_reader_pending,						\
	.seek = format##_reader_seek,							\
	__VA_ARGS__									\
}

#endif /* PACKET_READER_H */
