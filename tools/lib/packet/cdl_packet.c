// SPDX-License-Identifier: LGPL-2.1-or-later
/* CDL compressed trace, packet layer: see rvtrace/cdl.h. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include <rvtrace/cdl.h>

#include "pieces.h"
#include "reader.h"

#define HOLD		32	/* bytes; two of the longest items fit */
#define NO_PLACE	UINT64_MAX
#define REGISTERS	32

__extension__ typedef unsigned __int128 wide;

/* What a control nybble is; the kinds, and: */
#define RESERVED	0xff

/**
 * struct rvtrace_cdl - the reader
 * @kinds: by control nybble
 * @ranks: by kind: place in a cycle of the packed trace
 * @extra: nybbles of data besides 2 * NNN
 * @longest: zeros in a row that an item can have
 * @data, @end: bytes given that are not in @hold
 * @hold: bytes of an item that lies across two pieces; behind these @held, a copy of those at @data
 * @at: the next nybble, counted from @hold or else @data
 * @offset: stream offset of the next nybble
 * @since: @skipping: where that began
 * @place: of the next synchronization
 * @zeros: in a row, just before the next nybble: while skipping all, else items
 * @rank: of the item before
 * @jumped: there is a non-sequential flow in its cycle
 * @skipping: looking for a place where an item begins
 * @verified: it is sure that one began there
 */
struct rvtrace_cdl {
	struct rvtrace_cdl_config config;
	uint8_t kinds[16];
	uint8_t ranks[8];
	uint8_t extra;
	uint8_t longest;
	uint8_t rank;
	bool jumped;
	bool skipping;
	bool verified;
	const uint8_t *data;
	const uint8_t *end;
	uint8_t hold[HOLD];
	size_t held;
	size_t at;
	uint64_t offset;
	uint64_t since;
	uint64_t place;
	unsigned int zeros;
};

/* Nybbles to be read, from number @at of @bytes on. */
struct window {
	const uint8_t *bytes;
	size_t at;
	size_t avail;
};

static void set_kinds(struct rvtrace_cdl *reader)
{
	bool rtl = reader->config.flavour == RVTRACE_CDL_RTL;
	unsigned int i;

	for (i = 1; i < 16; i++)
		reader->kinds[i] = i < 8 ? RVTRACE_CDL_SEQUENTIAL :
				   i < 12 ? RVTRACE_CDL_NONSEQUENTIAL : RESERVED;
	reader->kinds[0] = RVTRACE_CDL_SKIP;
	reader->kinds[13] = RVTRACE_CDL_TRACEPOINT;
	reader->kinds[rtl ? 14 : 12] = RVTRACE_CDL_DATA;
	reader->extra = rtl ? 2 : 0;
	reader->longest = 14 + reader->extra;
	reader->ranks[RVTRACE_CDL_SEQUENTIAL] = 1;
	reader->ranks[RVTRACE_CDL_NONSEQUENTIAL] = 2;
	reader->ranks[RVTRACE_CDL_DATA] = rtl ? 4 : 3;
	reader->ranks[RVTRACE_CDL_TRACEPOINT] = rtl ? 3 : 4;
}

static void start_at(struct rvtrace_cdl *reader, uint64_t offset, bool anywhere)
{
	uint64_t interval = reader->config.sync_interval;

	reader->data = NULL;
	reader->end = NULL;
	reader->held = 0;
	reader->at = offset & 1;
	reader->offset = offset;
	reader->since = offset;
	reader->place = interval ? (offset + interval - 1) / interval * interval : NO_PLACE;
	reader->zeros = 0;
	reader->rank = UINT8_MAX;
	reader->skipping = anywhere;
	reader->verified = !anywhere;
}

int rvtrace_cdl_new(const struct rvtrace_cdl_config *config, struct rvtrace_cdl **result)
{
	struct rvtrace_cdl *reader;

	if (rvtrace_cdl_config_check(config))
		return RVTRACE_ERR_INVALID;
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return RVTRACE_ERR_NO_MEMORY;
	reader->config = *config;
	set_kinds(reader);
	start_at(reader, config->start, config->anywhere);
	*result = reader;
	return 0;
}

void rvtrace_cdl_free(struct rvtrace_cdl *reader)
{
	free(reader);
}

int rvtrace_cdl_feed(struct rvtrace_cdl *reader, const void *data, size_t size)
{
	return feed_bytes(&reader->data, &reader->end, data, size);
}

void rvtrace_cdl_seek(struct rvtrace_cdl *reader, uint64_t offset)
{
	start_at(reader, offset, false);
}

void rvtrace_cdl_resync(struct rvtrace_cdl *reader, uint64_t offset)
{
	start_at(reader, offset, true);
}

size_t rvtrace_cdl_pending(const struct rvtrace_cdl *reader, uint64_t *offset)
{
	size_t size = reader->held ? 2 * reader->held - reader->at : 0;

	if (offset)
		*offset = reader->offset;
	return size;
}

uint64_t rvtrace_cdl_lost(const struct rvtrace_cdl *reader, uint64_t *offset)
{
	*offset = reader->since;
	return reader->skipping ? reader->offset - reader->since : 0;
}

static inline unsigned int nybble(const uint8_t *bytes, size_t at)
{
	return bytes[at / 2] >> (at & 1) * 4 & 0xf;
}

/* @count nybbles, at most 16, from number @at on, of which @avail may be read. */
static inline uint64_t gather(const uint8_t *bytes, size_t at, unsigned int count, size_t avail)
{
	unsigned int odd = at & 1;
	uint64_t value;

	bytes += at / 2;
	if (avail >= 18) {
		memcpy(&value, bytes, sizeof(value));
		value = le64toh(value);
		if (odd)
			value = value >> 4 | (uint64_t)bytes[8] << 60;
		return count < 16 ? value & ((1ull << 4 * count) - 1) : value;
	}
	value = 0;
	for (unsigned int i = count; i--;)
		value = value << 4 | nybble(bytes, odd + i);
	return value;
}

/* Bytes that a PC or a write to a register takes at most. */
static unsigned int value_bytes(const struct rvtrace_cdl *reader, unsigned int reason)
{
	return reader->config.xlen / 8 + (reason == RVTRACE_CDL_RFW);
}

/*
 * The second part of a value, behind @size nybbles of the first one. Return: nybbles of both parts,
 * 0: more are needed, RVTRACE_ERR_FIELD.
 */
static int take_rest(const struct rvtrace_cdl *reader, const struct window *w, unsigned int size,
		     const struct rvtrace_cdl_item *item, wide *value)
{
	unsigned int control, header, count, low = size - 2;
	size_t at = w->at + size;

	if (w->avail < size + 2)
		return 0;
	control = nybble(w->bytes, at);
	header = nybble(w->bytes, at + 1);
	count = 2 * (header & 7) + reader->extra;
	if (reader->kinds[control] != RVTRACE_CDL_DATA || header >> 3 != item->reason ||
	    low + count > 2 * value_bytes(reader, item->reason))
		return RVTRACE_ERR_FIELD;
	if (w->avail < size + 2 + count)
		return 0;
	*value |= (wide)gather(w->bytes, at + 2, count, w->avail - size - 2) << 4 * low;
	return size + 2 + count;
}

/* "Data for a PC or RFW". Return: as take_rest(); @size: of the first part, if it is complete. */
static int take_data(const struct rvtrace_cdl *reader, const struct window *w,
		     struct rvtrace_cdl_item *item)
{
	unsigned int header, count, xlen = reader->config.xlen;
	int size;
	wide value;

	if (w->avail < 2)
		return 0;
	header = nybble(w->bytes, w->at + 1);
	item->reason = header >> 3;
	item->number = header & 7;
	count = 2 * item->number + reader->extra;
	size = 2 + count;
	if (w->avail < 2 + count)
		return 0;
	item->size = size;
	value = gather(w->bytes, w->at + 2, count, w->avail - 2);
	if (reader->config.rv64 && item->number == 7 &&
	    count < 2 * value_bytes(reader, item->reason)) {
		size = take_rest(reader, w, size, item, &value);
		if (size <= 0)
			return size;
		item->size = size;
	}
	if (item->reason == RVTRACE_CDL_RFW) {
		unsigned int rd = value & 0xff;

		item->rd = rd;
		value >>= 8;
		if (rd >= REGISTERS)
			return RVTRACE_ERR_FIELD;
	}
	item->value = value;
	return value >> xlen ? RVTRACE_ERR_FIELD : size;
}

/*
 * The item at the window. Return: its size, 0: more nybbles are needed, RVTRACE_ERR_RESERVED,
 * RVTRACE_ERR_FIELD: then @size says what to go on behind.
 */
static int take(const struct rvtrace_cdl *reader, const struct window *w,
		struct rvtrace_cdl_item *item)
{
	unsigned int control = nybble(w->bytes, w->at);

	item->kind = reader->kinds[control];
	item->size = 1;
	item->value = 0;
	item->reason = 0;
	item->rd = 0;
	switch (item->kind) {
	case RVTRACE_CDL_SKIP:
		item->number = 0;
		return 1;
	case RVTRACE_CDL_SEQUENTIAL:
		item->number = control;
		return 1;
	case RVTRACE_CDL_NONSEQUENTIAL:
		item->number = control & 3;
		return 1;
	case RVTRACE_CDL_DATA:
		return take_data(reader, w, item);
	case RVTRACE_CDL_TRACEPOINT:
		if (w->avail < 2)
			return 0;
		item->number = nybble(w->bytes, w->at + 1);
		item->size = 2;
		return 2;
	}
	return RVTRACE_ERR_RESERVED;
}

/* What can be read, the bytes held and those behind them side by side. */
static struct window look(struct rvtrace_cdl *reader)
{
	size_t given = reader->end - reader->data, copied;
	struct window w = { .bytes = reader->data, .at = reader->at, .avail = 2 * given };

	if (reader->held) {
		copied = given < HOLD - reader->held ? given : HOLD - reader->held;
		if (copied)
			memcpy(reader->hold + reader->held, reader->data, copied);
		w.bytes = reader->hold;
		w.avail = 2 * (reader->held + copied);
	}
	w.avail -= w.avail < w.at ? w.avail : w.at;
	return w;
}

static void advance(struct rvtrace_cdl *reader, size_t nybbles)
{
	reader->at += nybbles;
	reader->offset += nybbles;
	if (reader->held && reader->at >= 2 * reader->held) {
		reader->at -= 2 * reader->held;
		reader->held = 0;
	}
}

/* What is left is less than an item: kept until more comes. */
static void keep(struct rvtrace_cdl *reader)
{
	size_t given = reader->end - reader->data, first = reader->at / 2;

	if (reader->held) {
		reader->held += given - first;	/* look() has put them there */
		memmove(reader->hold, reader->hold + first, reader->held);
	} else if (2 * given > reader->at) {
		reader->held = given - first;
		memcpy(reader->hold, reader->data + first, reader->held);
	} else if (given) {
		reader->at = 0;
		reader->data = reader->end;
		return;
	} else {
		return;		/* where the next byte begins to count is known */
	}
	reader->at &= 1;
	reader->data = reader->end;
}

/* Whether four zeros are in front of the window: 1, 0, or -1: that takes more nybbles. */
static int sees_quad(const struct window *w)
{
	for (unsigned int i = 0; i < RVTRACE_CDL_QUAD; i++) {
		if (i == w->avail)
			return -1;
		if (nybble(w->bytes, w->at + i))
			return 0;
	}
	return 1;
}

/* On to the next place of synchronization that is one. Return: whether it is there. */
static bool find_place(struct rvtrace_cdl *reader, struct window *w)
{
	while (w->avail) {
		uint64_t distance = reader->place - reader->offset;
		bool near = distance < w->avail;

		advance(reader, near ? distance : w->avail);
		*w = look(reader);
		if (!near)
			continue;
		switch (sees_quad(w)) {
		case 1:
			return true;
		case 0:
			reader->place += reader->config.sync_interval;
			break;
		default:
			return false;
		}
	}
	return false;
}

/* On behind a run of zeros. Return: whether there is one. */
static bool find_zeros(struct rvtrace_cdl *reader, struct window *w)
{
	unsigned int least = reader->config.unverified ? RVTRACE_CDL_QUAD : reader->longest + 1u;
	bool found = false;

	while (w->avail && !found) {
		size_t i;

		for (i = 0; i < w->avail && !found; i++) {
			bool zero = !nybble(w->bytes, w->at + i);

			found = !zero && reader->zeros >= least;
			if (!found)
				reader->zeros = zero ? reader->zeros + 1 : 0;
		}
		advance(reader, found ? i - 1 : i);
		*w = look(reader);
	}
	return found;
}

/* Everything up to a place where an item begins is of no use. Return: whether there is one. */
static bool skip(struct rvtrace_cdl *reader, struct window *w)
{
	bool places = reader->place != NO_PLACE;

	if (!(places ? find_place(reader, w) : find_zeros(reader, w)))
		return false;
	reader->verified = places || reader->zeros > reader->longest;
	reader->zeros = 0;
	reader->skipping = false;
	return true;
}

/* Consumes @size nybbles and fails. */
static int fail(struct rvtrace_cdl *reader, struct rvtrace_cdl_item *item, size_t size,
		bool skipping, int err)
{
	memset(item, 0, sizeof(*item));
	item->offset = reader->offset;
	item->size = size;
	item->unverified = !reader->verified;
	reader->skipping = skipping;
	reader->rank = UINT8_MAX;
	reader->zeros = 0;
	advance(reader, size);
	reader->since = reader->offset;
	return err;
}

/* The reader is at a place of synchronization. */
static int take_sync(struct rvtrace_cdl *reader, const struct window *w,
		     struct rvtrace_cdl_item *item)
{
	int there = sees_quad(w);

	if (there < 0)
		return 0;
	reader->place += reader->config.sync_interval;
	if (!there)
		return fail(reader, item, 1, true, RVTRACE_ERR_SYNC);
	reader->verified = true;
	memset(item, 0, sizeof(*item));
	item->kind = RVTRACE_CDL_SYNC;
	item->size = RVTRACE_CDL_QUAD;
	return item->size;
}

/* What the item has in common with all others; the reader goes on behind it. */
static int finish(struct rvtrace_cdl *reader, const struct window *w,
		  struct rvtrace_cdl_item *item)
{
	unsigned int rank = reader->ranks[item->kind];

	if (!reader->verified) {
		reader->zeros = rank ? 0 : reader->zeros + 1;
		reader->verified = reader->zeros > reader->longest;
	}
	item->offset = reader->offset;
	item->raw = w->bytes + w->at / 2;
	item->unverified = !reader->verified;
	item->same_cycle = rank > reader->rank;
	item->after_jump = item->same_cycle && reader->jumped;
	reader->jumped = item->after_jump || item->kind == RVTRACE_CDL_NONSEQUENTIAL;
	reader->rank = rank ? rank : UINT8_MAX;
	advance(reader, item->size);
	return 1;
}

int rvtrace_cdl_next(struct rvtrace_cdl *reader, struct rvtrace_cdl_item *item)
{
	struct window w = look(reader);
	uint64_t limit;
	int ret;

	if (reader->skipping && !skip(reader, &w)) {
		keep(reader);
		return 0;
	}
	limit = reader->place - reader->offset;
	if (!w.avail) {
		keep(reader);
		return 0;
	}
	if (!limit) {
		ret = take_sync(reader, &w, item);
	} else if (w.avail < limit) {
		ret = take(reader, &w, item);
	} else {
		w.avail = limit;
		ret = take(reader, &w, item);
		if (!ret)
			return fail(reader, item, limit, false, RVTRACE_ERR_TRUNCATED);
	}
	if (ret > 0)
		return finish(reader, &w, item);
	if (ret == RVTRACE_ERR_RESERVED || ret == RVTRACE_ERR_FIELD)
		return fail(reader, item, item->size, ret == RVTRACE_ERR_RESERVED, ret);
	if (!ret)
		keep(reader);
	return ret;
}

const char *rvtrace_cdl_name(unsigned int kind)
{
	static const char *const names[] = {
		[RVTRACE_CDL_SKIP] = "Skip",
		[RVTRACE_CDL_SEQUENTIAL] = "Sequential",
		[RVTRACE_CDL_NONSEQUENTIAL] = "Non-sequential",
		[RVTRACE_CDL_DATA] = "Data",
		[RVTRACE_CDL_TRACEPOINT] = "Trace point",
		[RVTRACE_CDL_SYNC] = "Sync",
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "Reserved";
}

const char *rvtrace_cdl_reason_name(unsigned int reason)
{
	static const char *const names[] = { "branch", "jump", "exception or interrupt", "return" };

	return names[reason & 3];
}

static int next_write(void *reader, struct packet_write *write)
{
	struct rvtrace_cdl_item item = { 0 };
	int ret;

	do {
		ret = rvtrace_cdl_next(reader, &item);
	} while (ret > 0 && (item.kind != RVTRACE_CDL_DATA || item.reason == RVTRACE_CDL_PC));
	*write = (struct packet_write) {
		.offset = item.offset, .value = item.value, .rd = item.rd,
	};
	return ret;
}

PACKET_READER(cdl, seek, .units = 2, .next_write = next_write);
