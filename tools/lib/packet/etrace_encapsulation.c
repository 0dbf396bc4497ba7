// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * E-Trace packet layer: packets of "Unformatted Trace & Diagnostic Data Packet Encapsulation" 1.0.
 * See rvtrace/etrace.h.
 */
#include <stdlib.h>
#include <string.h>

#include "etrace_internal.h"
#include "pieces.h"
#include "reader.h"

#define LENGTH(header)	((header) & 0x1f)	/* 0: a null packet */
#define FLOW(header)	(((header) >> 5) & 0x3)
#define EXTEND(header)	((header) >> 7)
#define LENGTH_MAX	31
#define SHORT_MAX	8	/* bytes behind the header that are loaded at once */

_Static_assert(RVTRACE_ETRACE_PACKET_MAX <= PIECES_MESSAGE_MAX, "packets can be put together");
_Static_assert(LENGTH_MAX <= PAYLOAD_MAX, "any payload can be aligned");

/**
 * struct source - what is known of one srcID
 * @params: as its support packets changed them
 * @layout: made of @params
 * @known: @params and @layout are filled
 * @has_now: @now is valid
 * @now: time of its last packet that had one
 */
struct source {
	struct rvtrace_etrace_params params;
	struct layout layout;
	bool known;
	bool has_now;
	uint64_t now;
};

/**
 * struct rvtrace_etrace - a reader
 * @params: of all sources, before their first support packets
 * @timestamp_bytes: T
 * @srcid_bytes: S
 * @source_mask: bits of a srcID
 * @event_mask: that of them which packets of events have set
 * @before: bits of srcID and type
 * @plain: a packet is a header and payload, unless it has a timestamp
 * @nulls: while synchronizing: null bytes in a row up to now
 * @sources: by srcID
 * @sizes: split loads: for each source, by lrid, the size of the last request
 */
struct rvtrace_etrace {
	struct pieces pieces;
	struct rvtrace_etrace_params params;
	unsigned int timestamp_bytes;
	unsigned int srcid_bytes;
	unsigned int source_mask;
	unsigned int event_mask;
	unsigned int before;
	bool plain;
	uint64_t nulls;
	struct source *sources;
	uint8_t *sizes;
};

int rvtrace_etrace_new(const struct rvtrace_etrace_params *params, struct rvtrace_etrace **reader)
{
	struct rvtrace_etrace *r;
	size_t sources;

	if (rvtrace_etrace_params_check(params, NULL, NULL))
		return RVTRACE_ERR_INVALID;
	r = calloc(1, sizeof(*r));
	if (!r)
		return RVTRACE_ERR_NO_MEMORY;
	sources = (size_t)1 << params->srcid_width;
	r->params = *params;
	r->timestamp_bytes = params->timestamp_width / 8;
	r->srcid_bytes = params->srcid_width / 8;
	r->source_mask = sources - 1;
	if (params->event_srcid_bit != RVTRACE_ETRACE_NO_EVENTS)
		r->event_mask = 1u << params->event_srcid_bit;
	r->before = params->srcid_width + params->type_width;
	r->plain = !r->before;
	r->sources = calloc(sources, sizeof(*r->sources));
	if (params->split && params->type_width)
		r->sizes = calloc(sources << params->lrid_width, sizeof(*r->sizes));
	if (!r->sources || (params->split && params->type_width && !r->sizes)) {
		rvtrace_etrace_free(r);
		return RVTRACE_ERR_NO_MEMORY;
	}
	*reader = r;
	return 0;
}

void rvtrace_etrace_free(struct rvtrace_etrace *reader)
{
	if (!reader)
		return;
	free(reader->sources);
	free(reader->sizes);
	free(reader);
}

int rvtrace_etrace_feed(struct rvtrace_etrace *reader, const void *data, size_t size)
{
	return pieces_feed(&reader->pieces, data, size);
}

void rvtrace_etrace_seek(struct rvtrace_etrace *reader, uint64_t offset)
{
	pieces_seek(&reader->pieces, offset, false);
}

void rvtrace_etrace_resync(struct rvtrace_etrace *reader, uint64_t offset)
{
	pieces_seek(&reader->pieces, offset, true);
	reader->nulls = 0;
}

size_t rvtrace_etrace_pending(const struct rvtrace_etrace *reader, uint64_t *offset)
{
	return pieces_pending(&reader->pieces, offset);
}

static struct source *get_source(struct rvtrace_etrace *reader, unsigned int srcid)
{
	struct source *source = &reader->sources[srcid];

	if (!source->known) {
		source->params = reader->params;
		etrace_layout(&source->params, &source->layout);
		source->known = true;
	}
	return source;
}

void rvtrace_etrace_params_of(const struct rvtrace_etrace *reader, unsigned int srcid,
			      struct rvtrace_etrace_params *params)
{
	const struct source *source = &reader->sources[srcid & reader->source_mask];

	*params = source->known ? source->params : reader->params;
}

void etrace_reader_set_params(struct rvtrace_etrace *reader, unsigned int srcid,
			      const struct rvtrace_etrace_params *params)
{
	struct source *source = &reader->sources[srcid & reader->source_mask];

	source->params = *params;
	etrace_layout(&source->params, &source->layout);
	source->known = true;
}

void etrace_reader_forget(struct rvtrace_etrace *reader)
{
	size_t sources = (size_t)reader->source_mask + 1;

	memset(reader->sources, 0, sources * sizeof(*reader->sources));
	if (reader->sizes)
		memset(reader->sizes, 0, sources << reader->params.lrid_width);
}

void rvtrace_etrace_restart(struct rvtrace_etrace *reader)
{
	for (unsigned int i = 0; i <= reader->source_mask; i++) {
		reader->sources[i].has_now = false;
		reader->sources[i].now = 0;
	}
}

bool etrace_reader_time(const struct rvtrace_etrace *reader, unsigned int srcid, uint64_t *now)
{
	const struct source *source = &reader->sources[srcid & reader->source_mask];

	*now = source->now;
	return source->has_now;
}

size_t etrace_reader_pass(const struct rvtrace_etrace_params *params, const uint8_t *bytes,
			  size_t size, size_t at)
{
	unsigned int timestamp = params->timestamp_width / 8, srcid = params->srcid_width / 8;

	while (at < size) {
		uint8_t header = bytes[at++];

		if (LENGTH(header))
			at += srcid + EXTEND(header) * timestamp + LENGTH(header);
	}
	return at - size;
}

/*
 * Behind more nulls than a packet may hold, the next byte begins one (encapsulation 1.0,
 * "Synchronization").
 */
static void synchronize(struct rvtrace_etrace *reader)
{
	uint64_t longest = LENGTH_MAX + reader->timestamp_bytes + reader->srcid_bytes;
	struct pieces *pieces = &reader->pieces;
	const uint8_t *p;

	for (p = pieces->data; p < pieces->end; p++) {
		if (!LENGTH(*p)) {
			reader->nulls++;
		} else if (reader->nulls < longest) {
			reader->nulls = 0;
		} else {
			pieces->skipping = false;
			break;
		}
	}
	pieces_advance(pieces, p);
}

static void skip(struct rvtrace_etrace *reader)
{
	struct pieces *pieces = &reader->pieces;
	const uint8_t *p;

	if (pieces->skipping) {
		synchronize(reader);
		return;
	}
	for (p = pieces->data; p < pieces->end && !LENGTH(*p); p++)
		;
	pieces_advance(pieces, p);
}

/* srcID, timestamp and type; the bits of the first byte of the payload that belong to them. */
static unsigned int get_fields(const struct rvtrace_etrace *reader,
			       const uint8_t *readable, struct rvtrace_etrace_packet *packet)
{
	const struct rvtrace_etrace_params *params = &reader->params;
	unsigned int timestamp = packet->extend ? params->timestamp_width : 0;
	struct bits b;

	bits_start(&b, packet->raw + 1, packet->size - 1, readable);
	packet->srcid = bits_get(&b, params->srcid_width);
	packet->timestamp = bits_get(&b, timestamp);
	packet->type = bits_get(&b, params->type_width);
	return params->srcid_width + timestamp + params->type_width;
}

static enum rvtrace_etrace_kind kind_of(const struct rvtrace_etrace_params *params,
					unsigned int type)
{
	if (!params->type_width || type == params->type_inst)
		return RVTRACE_ETRACE_TE_INST;
	if (type == params->type_data)
		return RVTRACE_ETRACE_TE_DATA;
	return type == params->type_event && type != RVTRACE_ETRACE_NO_EVENTS ?
	       RVTRACE_ETRACE_EVENT : RVTRACE_ETRACE_OTHER;
}

/* The payload begins @bit bits into a byte: a copy that does not. Its length in bytes. */
static size_t align_payload(const struct rvtrace_etrace_packet *packet, bool sign_padding,
			    uint8_t *copy)
{
	const uint8_t *first = packet->raw + packet->payload_bit / 8;
	unsigned int shift = packet->payload_bit % 8;
	size_t size = packet->payload_bits / 8, i;

	for (i = 0; i < size; i++)
		copy[i] = first[i] >> shift | first[i + 1] << (8 - shift);
	if (sign_padding && packet->payload_bits % 8) {
		copy[i] = (int8_t)first[i] >> shift;
		size++;
	}
	return size;
}

/* Bytes of the payload, from a byte boundary on; 0: there is none. */
static bool get_payload(const struct rvtrace_etrace *reader, struct bits *b, uint8_t *copy,
			const uint8_t *readable, struct rvtrace_etrace_packet *packet)
{
	unsigned int used = reader->plain && !packet->extend ? 0 :
			    get_fields(reader, readable, packet);
	unsigned int bits = 8 * (packet->size - 1);
	bool sign_padding = reader->params.sign_padding;
	size_t size;

	packet->payload_bit = 8 + used;
	packet->payload_bits = bits > used ? bits - used : 0;
	if (!sign_padding)
		packet->payload_bits &= ~7;
	if (!packet->payload_bits)
		return false;
	if (used % 8) {
		size = align_payload(packet, sign_padding, copy);
		bits_start(b, copy, size, copy + PAYLOAD_MAX);
	} else {
		bits_start(b, packet->raw + 1 + used / 8, packet->payload_bits / 8, readable);
	}
	return true;
}

/*
 * A time of @width bits goes on from the last one; if it is smaller than before, one more lap went
 * by (2.0.5 draft, "Timestamping").
 */
static void take_time(struct source *source, uint64_t time, unsigned int width)
{
	source->now = source->has_now ? source->now + ((time - source->now) & bits_mask(width)) :
					time;
}

/* Timestamps that have no more bits than the time field are parts of a time that it told. */
static void tell_time(const struct rvtrace_etrace *reader, struct source *source,
		      struct rvtrace_etrace_packet *packet)
{
	bool timed = packet->kind == RVTRACE_ETRACE_TE_INST && packet->inst.has_time;
	unsigned int width = reader->params.timestamp_width;
	bool wider = width > source->layout.time;

	packet->has_now = false;
	if (!timed && !packet->extend)
		return;
	if (timed && !(wider && packet->extend)) {
		take_time(source, packet->inst.time, source->layout.time);
		source->has_now = true;
	} else {
		take_time(source, packet->timestamp, width);
		source->has_now |= wider || width == 64;
	}
	packet->has_now = source->has_now;
	packet->now = source->now;
}

static int get_inst(struct bits *b, struct source *source, struct rvtrace_etrace_packet *packet)
{
	int ret = etrace_get_inst(b, &source->params, &source->layout, &packet->inst);

	if (ret != INST_SUPPORT)
		return ret;
	ret = rvtrace_etrace_params_support(&source->params, &packet->inst);
	etrace_layout(&source->params, &source->layout);
	return ret;
}

static int get_data(const struct rvtrace_etrace *reader, struct bits *b,
		    const struct source *source, struct rvtrace_etrace_packet *packet)
{
	uint8_t *sizes = NULL;

	if (reader->sizes)
		sizes = reader->sizes + ((size_t)packet->srcid << reader->params.lrid_width);
	return etrace_get_data(b, &source->params, &source->layout, sizes, &packet->data);
}

/* Identifier, and a value as wide as a register of the hart. */
static int get_event(struct bits *b, const struct rvtrace_etrace_params *params,
		     struct rvtrace_etrace_event *event)
{
	event->id = bits_get(b, 16);
	event->value = bits_get(b, params->iaddress_width <= 32 ? 32 : 64);
	if (!event->id && event->value > RVTRACE_ETRACE_LOST_MAX)
		return RVTRACE_ERR_FIELD;
	return bits_done(b) ? 0 : RVTRACE_ERR_TRAILING;
}

/* What the header says, and nothing else. */
static void start_packet(struct rvtrace_etrace_packet *packet, uint8_t header)
{
	packet->flow = FLOW(header);
	packet->extend = EXTEND(header);
	packet->srcid = 0;
	packet->type = 0;
	packet->timestamp = 0;
	packet->has_now = false;
	packet->now = 0;
	packet->kind = RVTRACE_ETRACE_OTHER;
}

static int parse(struct rvtrace_etrace *reader, const uint8_t *readable,
		 struct rvtrace_etrace_packet *packet)
{
	uint8_t copy[PAYLOAD_MAX];
	struct source *source;
	struct bits b;
	int err = 0;

	start_packet(packet, packet->raw[0]);
	if (packet->extend && !reader->timestamp_bytes)
		return RVTRACE_ERR_EXTEND;
	if (!get_payload(reader, &b, copy, readable, packet))
		return RVTRACE_ERR_TRUNCATED;
	packet->kind = packet->srcid & reader->event_mask ? RVTRACE_ETRACE_EVENT :
		       kind_of(&reader->params, packet->type);
	packet->srcid &= ~reader->event_mask;
	source = get_source(reader, packet->srcid);
	if (packet->kind == RVTRACE_ETRACE_TE_INST)
		err = get_inst(&b, source, packet);
	else if (packet->kind == RVTRACE_ETRACE_TE_DATA)
		err = get_data(reader, &b, source, packet);
	else if (packet->kind == RVTRACE_ETRACE_EVENT)
		err = get_event(&b, &source->params, &packet->event);
	if (!err)
		tell_time(reader, source, packet);
	return err;
}

/*
 * Most packets: instruction trace without a timestamp, behind the header not longer than a word and
 * all there. Return: whether it is one that etrace_get_short() reads; else nothing is consumed.
 */
static bool next_short(struct rvtrace_etrace *reader, struct rvtrace_etrace_packet *packet)
{
	const struct rvtrace_etrace_params *params = &reader->params;
	struct pieces *pieces = &reader->pieces;
	const uint8_t *raw = pieces->data;
	unsigned int before = reader->before, bits, type;
	uint64_t word;
	size_t size;

	if (pieces->partial_size || pieces->skipping || pieces->end - raw < 1 + SHORT_MAX)
		return false;
	size = reader->srcid_bytes + LENGTH(raw[0]);
	bits = 8 * size - before;
	if (EXTEND(raw[0]) || size > SHORT_MAX || 8 * size <= before)
		return false;
	if (!params->sign_padding)
		bits &= ~7;
	word = bits_word(raw + 1);
	type = word >> params->srcid_width & bits_mask(params->type_width);
	if (!bits || kind_of(params, type) != RVTRACE_ETRACE_TE_INST || word & reader->event_mask)
		return false;
	start_packet(packet, raw[0]);
	packet->kind = RVTRACE_ETRACE_TE_INST;
	packet->type = type;
	packet->srcid = word & reader->source_mask;
	if (!etrace_get_short((int64_t)(word << (64 - before - bits)) >> (64 - bits), bits,
			      &get_source(reader, packet->srcid)->layout, &packet->inst))
		return false;
	packet->raw = raw;
	packet->size = 1 + size;
	packet->offset = pieces->offset;
	packet->payload_bit = 8 + before;
	packet->payload_bits = bits;
	pieces_advance(pieces, raw + 1 + size);
	return true;
}

static __attribute__((__noinline__)) int
next_any(struct rvtrace_etrace *reader, struct rvtrace_etrace_packet *packet)
{
	struct pieces *pieces = &reader->pieces;
	const uint8_t *readable;
	uint8_t header;
	size_t size;
	int err;

	if (!pieces->partial_size)
		skip(reader);
	if (pieces->data == pieces->end)
		return 0;
	header = pieces->partial_size ? pieces->partial[0] : *pieces->data;
	size = 1 + reader->srcid_bytes + EXTEND(header) * reader->timestamp_bytes + LENGTH(header);
	if ((size_t)(pieces->end - pieces->data) < size - pieces->partial_size) {
		pieces_keep(pieces, pieces->end);
		return 0;
	}
	readable = pieces->partial_size ? pieces->partial + sizeof(pieces->partial) : pieces->end;
	packet->raw = pieces_take(pieces, pieces->data + (size - pieces->partial_size), &size);
	packet->size = size;
	packet->offset = pieces->offset - size;
	err = parse(reader, readable, packet);
	return err ? err : 1;
}

int rvtrace_etrace_next(struct rvtrace_etrace *reader, struct rvtrace_etrace_packet *packet)
{
	pieces_begin(&reader->pieces);
	return next_short(reader, packet) ? 1 : next_any(reader, packet);
}

static void restart(void *reader)
{
	rvtrace_etrace_restart(reader);
}

PACKET_READER(etrace, seek, .units = 1, .restart = restart);
