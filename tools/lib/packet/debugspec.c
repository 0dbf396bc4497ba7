// SPDX-License-Identifier: LGPL-2.1-or-later
/* Packet layer of the debug specification's trace module: see rvtrace/debugspec.h. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include <rvtrace/debugspec.h>

#include "tools/lib/base/sized.h"
#include "pieces.h"
#include "reader.h"

#define WINDOW	10	/* bytes that hold the longest packet, wherever it begins */

/* Values that the next ones of their kind leave bits out of. */
enum kind { KIND_PC, KIND_LOAD, KIND_STORE, KIND_TIME, KINDS };

/**
 * struct context - what is known of a hart
 * @last: values by enum kind
 * @known: which bits of them
 * @generation: as the reader's, else all that is forgotten
 */
struct context {
	uint64_t last[KINDS];
	uint64_t known[KINDS];
	uint64_t generation;
};

/**
 * struct rvtrace_debugspec - the reader
 * @data: unread bytes of the caller; of the first one, the low half may have been read
 * @end: behind the last one
 * @offset: of the next nybble
 * @sync: of the next synchronization point, not before a packet under way; UINT64_MAX: there is
 *	none
 * @skipping: drop everything up to @sync
 * @since: @skipping: where that began
 * @held: nybbles of a packet that is not complete
 * @held_count: how many
 * @shift: bits that PC values leave out at the end
 * @generation: is another one when what is known of harts is forgotten
 * @contexts: by hart id
 * @context: of the hart whose packets come now
 * @hart: its id, if @has_hart
 */
struct rvtrace_debugspec {
	const uint8_t *data;
	const uint8_t *end;
	uint64_t offset;
	uint64_t sync;
	uint64_t since;
	struct rvtrace_debugspec_config config;
	bool skipping;
	bool has_hart;
	uint8_t held_count;
	uint8_t shift;
	uint8_t held[RVTRACE_DEBUGSPEC_PACKET_MAX];
	uint64_t generation;
	uint64_t hart;
	struct context *context;
	struct context *contexts;
	struct context nobody;
};

/* The first synchronization point that is not before the next nybble. */
static void find_sync(struct rvtrace_debugspec *reader)
{
	uint64_t interval = reader->config.sync_interval;
	uint64_t first = reader->config.sync_offset, past;

	reader->sync = UINT64_MAX;
	if (!interval)
		return;
	reader->sync = first;
	if (reader->offset <= first)
		return;
	past = (reader->offset - first) % interval;
	reader->sync = past ? reader->offset + (interval - past) : reader->offset;
}

static void choose_context(struct rvtrace_debugspec *reader)
{
	struct context *context = reader->has_hart ? &reader->contexts[reader->hart] :
				  &reader->nobody;

	if (context->generation != reader->generation) {
		memset(context, 0, sizeof(*context));
		context->generation = reader->generation;
	}
	reader->context = context;
}

/* Of all harts; and perhaps whose packets they are. */
static void forget(struct rvtrace_debugspec *reader)
{
	reader->generation++;
	if (reader->config.several_harts)
		reader->has_hart = false;
	choose_context(reader);
}

static void start(struct rvtrace_debugspec *reader, uint64_t offset, bool skipping)
{
	reader->data = NULL;
	reader->end = NULL;
	reader->offset = offset;
	reader->since = offset;
	reader->held_count = 0;
	reader->skipping = skipping;
	find_sync(reader);
	forget(reader);
}

int rvtrace_debugspec_new(const struct rvtrace_debugspec_config *config,
			  struct rvtrace_debugspec **result)
{
	struct rvtrace_debugspec *reader;

	if ((config->xlen != 32 && config->xlen != 64) || config->sync_interval > UINT64_MAX / 4 ||
	    config->first_hart >= RVTRACE_DEBUGSPEC_HARTS ||
	    config->sync_offset > UINT64_MAX / 4 ||
	    (config->sync_offset && !config->sync_interval) ||
	    !all_zero(config->reserved, sizeof(config->reserved)))
		return RVTRACE_ERR_INVALID;
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return RVTRACE_ERR_NO_MEMORY;
	reader->contexts = calloc(RVTRACE_DEBUGSPEC_HARTS, sizeof(*reader->contexts));
	if (!reader->contexts) {
		free(reader);
		return RVTRACE_ERR_NO_MEMORY;
	}
	reader->config = *config;
	reader->shift = config->compressed ? 1 : 2;
	reader->hart = config->first_hart;
	start(reader, 0, config->sync_offset);
	/* nothing has been lost yet */
	reader->has_hart = !config->sync_offset || !config->several_harts;
	choose_context(reader);
	*result = reader;
	return 0;
}

void rvtrace_debugspec_free(struct rvtrace_debugspec *reader)
{
	if (reader)
		free(reader->contexts);
	free(reader);
}

int rvtrace_debugspec_feed(struct rvtrace_debugspec *reader, const void *data, size_t size)
{
	return feed_bytes(&reader->data, &reader->end, data, size);
}

void rvtrace_debugspec_resync(struct rvtrace_debugspec *reader, uint64_t offset)
{
	start(reader, offset, true);
}

void rvtrace_debugspec_seek(struct rvtrace_debugspec *reader, uint64_t offset)
{
	start(reader, offset, false);
}

size_t rvtrace_debugspec_pending(const struct rvtrace_debugspec *reader, uint64_t *offset)
{
	if (offset)
		*offset = reader->offset - reader->held_count;
	return reader->held_count;
}

uint64_t rvtrace_debugspec_lost(const struct rvtrace_debugspec *reader, uint64_t *offset)
{
	*offset = reader->since;
	return reader->skipping ? reader->offset - reader->since : 0;
}

int rvtrace_debugspec_buffer(struct rvtrace_debugspec_config *config, uint64_t size,
			     uint64_t first)
{
	uint64_t bytes = size / RVTRACE_DEBUGSPEC_SYNC_POINTS;

	if (!size || size % 32 || first >= size)
		return RVTRACE_ERR_INVALID;
	config->sync_interval = 2 * bytes;
	config->sync_offset = 2 * ((bytes - first % bytes) % bytes);
	return 0;
}

/* Nybbles up to and including the last one that says how many there are. */
static unsigned int size_known_at(unsigned int header)
{
	switch (header) {
	case RVTRACE_DEBUGSPEC_PC:
	case RVTRACE_DEBUGSPEC_HART ... RVTRACE_DEBUGSPEC_TIMESTAMP:
		return 2;
	}
	return 1;
}

/* Nybbles of a packet with a header and what follows it. */
static unsigned int packet_size(unsigned int header, unsigned int next)
{
	if (size_known_at(header) == 2)
		return 3 + next;
	return header == RVTRACE_DEBUGSPEC_ENABLED || header == RVTRACE_DEBUGSPEC_PRIVILEGE ? 2 : 1;
}

/* A packet cannot be read; nothing up to the next synchronization point can. */
static int damaged(struct rvtrace_debugspec *reader, int error)
{
	reader->since = reader->offset;
	reader->held_count = 0;
	reader->skipping = true;
	find_sync(reader);
	forget(reader);
	return error;
}

/*
 * An address or a time of @width bits, whose lowest @shift bits are not sent. Excess nybbles are
 * filled up with copies of one bit.
 */
static int fill(struct rvtrace_debugspec *reader, struct rvtrace_debugspec_packet *packet,
		enum kind kind, unsigned int width, unsigned int shift)
{
	uint64_t all = width < 64 ? (1ull << width) - 1 : UINT64_MAX;
	uint64_t sent = packet->digits < 16 ? (1ull << 4 * packet->digits) - 1 : UINT64_MAX;
	struct context *context = reader->context;
	unsigned int room = width - shift;

	if (room < 64 && packet->sent >> room && packet->sent >> room != sent >> room)
		return damaged(reader, RVTRACE_ERR_FIELD);
	packet->known = (sent << shift | ((1ull << shift) - 1)) & all;
	packet->value = packet->sent << shift & all;
	packet->value |= context->last[kind] & context->known[kind] & ~packet->known;
	packet->known |= context->known[kind];
	packet->partial = packet->known != all;
	context->last[kind] = packet->value;
	context->known[kind] = packet->known;
	return 1;
}

static int change_hart(struct rvtrace_debugspec *reader, struct rvtrace_debugspec_packet *packet)
{
	if (packet->sent >= RVTRACE_DEBUGSPEC_HARTS)
		return damaged(reader, RVTRACE_ERR_FIELD);
	reader->hart = packet->sent;
	reader->has_hart = true;
	choose_context(reader);
	packet->hart = reader->hart;
	packet->has_hart = true;
	return 1;
}

static uint64_t sign_extend(uint64_t value, unsigned int width)
{
	return (uint64_t)((int64_t)(value << (64 - width)) >> (64 - width));
}

/* All nybbles of @packet are there: offset, size, header, digits and what was sent are known. */
static int take(struct rvtrace_debugspec *reader, struct rvtrace_debugspec_packet *packet)
{
	unsigned int xlen = reader->config.xlen;

	packet->value = packet->sent;
	packet->known = UINT64_MAX;
	packet->partial = false;
	packet->hart = reader->hart;
	packet->has_hart = reader->has_hart;
	switch (packet->header) {
	case RVTRACE_DEBUGSPEC_PC:
		return fill(reader, packet, KIND_PC, xlen, reader->shift);
	case RVTRACE_DEBUGSPEC_LOAD_ADDRESS:
		return fill(reader, packet, KIND_LOAD, xlen, 0);
	case RVTRACE_DEBUGSPEC_STORE_ADDRESS:
		return fill(reader, packet, KIND_STORE, xlen, 0);
	case RVTRACE_DEBUGSPEC_TIMESTAMP:
		return fill(reader, packet, KIND_TIME, 64, 0);
	case RVTRACE_DEBUGSPEC_LOAD_DATA:
	case RVTRACE_DEBUGSPEC_STORE_DATA:
		packet->value = sign_extend(packet->sent, 4 * packet->digits);
		break;
	case RVTRACE_DEBUGSPEC_HART:
		return change_hart(reader, packet);
	case RVTRACE_DEBUGSPEC_ENABLED:
		if (packet->sent)
			return damaged(reader, RVTRACE_ERR_VERSION);
		break;
	case RVTRACE_DEBUGSPEC_DISABLED:
		/* what was dropped may have had values that later ones leave bits out of */
		memset(reader->context->known, 0, sizeof(reader->context->known));
		break;
	case RVTRACE_DEBUGSPEC_RESERVED:
	case RVTRACE_DEBUGSPEC_CUSTOM0:
	case RVTRACE_DEBUGSPEC_CUSTOM1:
		return damaged(reader, RVTRACE_ERR_HEADER);
	}
	return 1;
}

/*
 * @count nybbles of a packet are there; whether a synchronization point lies in it. That is so as
 * soon as it can be seen, whatever the pieces are.
 */
static bool is_cut(const struct rvtrace_debugspec *reader, uint64_t begin, unsigned int header,
		   unsigned int next, unsigned int count, uint32_t *size)
{
	unsigned int known = size_known_at(header);

	*size = 1;
	if (known == 2) {
		if (begin + 2 >= reader->sync)
			return true;	/* the value has a nybble at least */
		if (count < 2)
			return false;
		*size = 2;
	}
	return begin + packet_size(header, next) > reader->sync;
}

/* A packet that lies in the bytes at hand with some to spare. */
static int next_whole(struct rvtrace_debugspec *reader, struct rvtrace_debugspec_packet *packet)
{
	unsigned int half = reader->offset & 1, size;
	unsigned __int128 window;
	uint64_t low;
	uint16_t high;

	memcpy(&low, reader->data, sizeof(low));
	memcpy(&high, reader->data + sizeof(low), sizeof(high));
	window = (unsigned __int128)le16toh(high) << 64 | le64toh(low);
	window >>= 4 * half;
	packet->offset = reader->offset;
	packet->header = window & 15;
	size = packet_size(packet->header, window >> 4 & 15);
	packet->size = size;
	packet->digits = size > 2 ? size - 2 : 0;
	packet->sent = size > 2 ? (uint64_t)(window >> 8) & UINT64_MAX >> (64 - 4 * (size - 2)) :
		       size == 2 ? (uint64_t)window >> 4 & 15 : 0;
	if (size > 1 && reader->offset + size > reader->sync) {
		is_cut(reader, reader->offset, packet->header, window >> 4 & 15, 2, &packet->size);
		size = packet->size;
		reader->offset += size;
		reader->data += (half + size) / 2;
		return damaged(reader, RVTRACE_ERR_TRUNCATED);
	}
	reader->offset += size;
	reader->data += (half + size) / 2;
	return take(reader, packet);
}

/* The same, of nybbles that were held. */
static int take_held(struct rvtrace_debugspec *reader, struct rvtrace_debugspec_packet *packet)
{
	const uint8_t *held = reader->held;
	unsigned int size = reader->held_count;

	packet->offset = reader->offset - size;
	packet->header = held[0];
	packet->size = size;
	packet->digits = size > 2 ? size - 2 : 0;
	packet->sent = size == 2 ? held[1] : 0;
	for (unsigned int i = 0; i < packet->digits; i++)
		packet->sent |= (uint64_t)held[2 + i] << 4 * i;
	reader->held_count = 0;
	return take(reader, packet);
}

/* Nybble by nybble, across pieces. */
static int next_slowly(struct rvtrace_debugspec *reader, struct rvtrace_debugspec_packet *packet)
{
	uint8_t *held = reader->held;

	while (reader->data != reader->end) {
		unsigned int half = reader->offset & 1, count;

		held[reader->held_count++] = *reader->data >> 4 * half & 15;
		reader->data += half;
		reader->offset++;
		count = reader->held_count;
		packet->offset = reader->offset - count;
		packet->header = held[0];
		if (is_cut(reader, packet->offset, held[0], count > 1 ? held[1] : 0, count,
			   &packet->size))
			return damaged(reader, RVTRACE_ERR_TRUNCATED);
		if (count >= size_known_at(held[0]) &&
		    count == packet_size(held[0], count > 1 ? held[1] : 0))
			return take_held(reader, packet);
	}
	return 0;
}

/* What most packets are: a header by itself, which changes nothing. */
static int next_header(struct rvtrace_debugspec *reader, unsigned int header,
		       struct rvtrace_debugspec_packet *packet)
{
	*packet = (struct rvtrace_debugspec_packet) {
		.offset = reader->offset, .known = UINT64_MAX, .hart = reader->hart,
		.size = 1, .header = header, .has_hart = reader->has_hart,
	};
	reader->data += reader->offset & 1;
	reader->offset++;
	return 1;
}

/* Return: whether reading begins. */
static bool skip(struct rvtrace_debugspec *reader)
{
	uint64_t left = 2 * (uint64_t)(reader->end - reader->data) - (reader->offset & 1);
	uint64_t size = reader->sync - reader->offset;

	/* of no bytes, no half has been read */
	if (reader->data == reader->end)
		left = 0;
	if (size > left)
		size = left;
	reader->data += ((reader->offset & 1) + size) / 2;
	reader->offset += size;
	reader->skipping = reader->offset != reader->sync;
	return !reader->skipping;
}

int rvtrace_debugspec_next(struct rvtrace_debugspec *reader,
			   struct rvtrace_debugspec_packet *packet)
{
	if (reader->skipping && !skip(reader))
		return 0;
	if (!reader->held_count && reader->data != reader->end) {
		unsigned int header = *reader->data >> 4 * (reader->offset & 1) & 15;

		if (reader->offset == reader->sync)
			reader->sync += reader->config.sync_interval;
		if (header == RVTRACE_DEBUGSPEC_NOP || header == RVTRACE_DEBUGSPEC_TAKEN ||
		    header == RVTRACE_DEBUGSPEC_NOT_TAKEN)
			return next_header(reader, header, packet);
		if (reader->end - reader->data >= WINDOW)
			return next_whole(reader, packet);
	}
	return next_slowly(reader, packet);
}

const char *rvtrace_debugspec_header_name(unsigned int header)
{
	static const char *const names[] = {
		"Nop", "PC", "Branch Taken", "Branch Not Taken", "Trace Enabled", "Trace Disabled",
		"Privilege Level", "Change Hart", "Load Address", "Store Address", "Load Data",
		"Store Data", "Timestamp", "Reserved", "Custom", "Custom",
	};

	return header < sizeof(names) / sizeof(names[0]) ? names[header] : "Reserved";
}

PACKET_READER(debugspec, seek, .units = 2);
