// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/debugspec-stream.h"

#include <string.h>

#define WORD_NYBBLES	8
#define WORD_BYTES	4

void debugspec_stream_init(struct debugspec_stream *stream, uint32_t buffer, bool several,
			   debugspec_write write, debugspec_room room, void *opaque)
{
	memset(stream, 0, sizeof(*stream));
	stream->write = write;
	stream->room = room;
	stream->opaque = opaque;
	/* "8 synchronization points, spaced evenly throughout the buffer" */
	stream->interval = buffer / 8 * 2;
	stream->several = several;
}

bool debugspec_is_buffer(uint64_t bytes, unsigned int xlen)
{
	/* RV64: an eighth of it has to hold a value of 18 nybbles. */
	unsigned int least = xlen == 64 ? 96 : 64;

	return bytes >= least && bytes <= UINT32_MAX && bytes % (8 * WORD_BYTES) == 0;
}

unsigned int debugspec_bytes(unsigned int nybbles)
{
	return (nybbles + WORD_NYBBLES - 1) / WORD_NYBBLES * WORD_BYTES;
}

void debugspec_header(struct debugspec_sequence *sequence, enum debugspec_header header)
{
	sequence->nybble[0] = header;
	sequence->size = 1;
}

void debugspec_packet(struct debugspec_sequence *sequence, enum debugspec_header header,
		      unsigned int packet)
{
	debugspec_header(sequence, header);
	sequence->nybble[1] = packet;
	sequence->size = 2;
}

void debugspec_value(struct debugspec_sequence *sequence, enum debugspec_header header,
		     uint64_t value, unsigned int digits)
{
	/* "a single number N. It is followed by N+1 4-bit packets" */
	debugspec_packet(sequence, header, digits - 1);
	while (digits--) {
		sequence->nybble[sequence->size++] = value & 0xf;
		value >>= 4;
	}
}

unsigned int debugspec_digits_after(uint64_t value, uint64_t last)
{
	unsigned int digits = 1;

	for (value = (value ^ last) >> 4; value; value >>= 4)
		digits++;
	return digits;
}

unsigned int debugspec_digits_signed(uint64_t value)
{
	unsigned int digits = 1;

	while (digits < 16 && value >> (4 * digits - 1) &&
	       value >> (4 * digits - 1) != UINT64_MAX >> (4 * digits - 1))
		digits++;
	return digits;
}

static void put_nybble(struct debugspec_stream *stream, unsigned int nybble)
{
	unsigned int place = stream->position++ % WORD_NYBBLES;

	stream->word |= nybble << (4 * place);
	if (place + 1 < WORD_NYBBLES)
		return;
	stream->write(stream->opaque, stream->word);
	stream->word = 0;
}

static void change_hart(struct debugspec_sequence *sequence, uint64_t hart)
{
	debugspec_value(sequence, DEBUGSPEC_CHANGE_HART, hart, debugspec_digits_after(hart, 0));
}

/* Nybbles up to the next synchronization point; at one, up to the next but one. */
static uint64_t left(const struct debugspec_stream *stream)
{
	return stream->interval ? stream->interval - stream->position % stream->interval :
				  UINT64_MAX;
}

static bool at_sync(const struct debugspec_stream *stream)
{
	return stream->interval && stream->position % stream->interval == 0;
}

/* How a sequence is put: with so many Nops before it, and behind them a Change Hart. */
struct place {
	unsigned int nops;
	struct debugspec_sequence change;
};

static struct place find_place(const struct debugspec_stream *stream, uint64_t hart,
			       unsigned int size)
{
	bool change = stream->hart != hart || (stream->several && at_sync(stream));
	struct place place = { 0 };

	if (change)
		change_hart(&place.change, hart);
	if (size + place.change.size <= left(stream))
		return place;
	place.nops = left(stream);
	if (stream->several || stream->hart != hart)
		change_hart(&place.change, hart);
	return place;
}

uint64_t debugspec_stream_syncs(const struct debugspec_stream *stream, uint64_t hart,
				unsigned int size)
{
	struct place place = find_place(stream, hart, size);

	return stream->interval ? (stream->position + place.nops) / stream->interval : 0;
}

unsigned int debugspec_stream_longest(const struct debugspec_stream *stream, uint64_t hart)
{
	struct debugspec_sequence change = { .size = 0 };

	if (!stream->interval)
		return DEBUGSPEC_MAX_NYBBLES;
	if (stream->several)
		change_hart(&change, hart);
	return stream->interval - change.size < DEBUGSPEC_MAX_NYBBLES ?
	       stream->interval - change.size : DEBUGSPEC_MAX_NYBBLES;
}

bool debugspec_stream_put(struct debugspec_stream *stream, uint64_t hart,
			  const struct debugspec_sequence *sequence)
{
	struct place place = find_place(stream, hart, sequence->size);

	if (sequence->size > debugspec_stream_longest(stream, hart))
		return false;
	if (stream->room && !stream->room(stream->opaque, place.nops + place.change.size +
					  sequence->size))
		return false;
	for (unsigned int i = 0; i < place.nops; i++)
		put_nybble(stream, DEBUGSPEC_NOP);
	for (unsigned int i = 0; i < place.change.size; i++)
		put_nybble(stream, place.change.nybble[i]);
	for (unsigned int i = 0; i < sequence->size; i++)
		put_nybble(stream, sequence->nybble[i]);
	stream->hart = hart;
	return true;
}

void debugspec_stream_flush(struct debugspec_stream *stream)
{
	while (stream->position % WORD_NYBBLES)
		put_nybble(stream, DEBUGSPEC_NOP);
}
