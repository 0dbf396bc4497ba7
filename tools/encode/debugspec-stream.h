/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nybbles of the debug specification's trace (chapter "Trace Module"), as they are written to a
 * buffer: one stream for all harts, with Nops before synchronization points and Change Hart where
 * the hart changes.
 */
#ifndef RVTRACE_ENCODE_DEBUGSPEC_STREAM_H
#define RVTRACE_ENCODE_DEBUGSPEC_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Header, size and value of 64 bits */
#define DEBUGSPEC_MAX_NYBBLES	18

/* Table "Trace Sequence Header Packets" */
enum debugspec_header {
	DEBUGSPEC_NOP = 0,
	DEBUGSPEC_PC = 1,
	DEBUGSPEC_BRANCH_TAKEN = 2,
	DEBUGSPEC_BRANCH_NOT_TAKEN = 3,
	DEBUGSPEC_TRACE_ENABLED = 4,
	DEBUGSPEC_TRACE_DISABLED = 5,
	DEBUGSPEC_PRIVILEGE_LEVEL = 6,
	DEBUGSPEC_CHANGE_HART = 7,
	DEBUGSPEC_LOAD_ADDR = 8,
	DEBUGSPEC_STORE_ADDR = 9,
	DEBUGSPEC_LOADED = 10,
	DEBUGSPEC_STORED = 11,
	DEBUGSPEC_TIME = 12,
	DEBUGSPEC_RESERVED_HEADER = 13,
	DEBUGSPEC_CUSTOM_14 = 14,
	DEBUGSPEC_CUSTOM_15 = 15,
};

/* A sequence: its nybbles, one in each byte. */
struct debugspec_sequence {
	uint8_t nybble[DEBUGSPEC_MAX_NYBBLES];
	uint8_t size;
};

/**
 * debugspec_write - take a 32-bit word of the buffer
 *
 * The first nybble is in bits 3:0.
 */
typedef void (*debugspec_write)(void *opaque, uint32_t word);

/**
 * debugspec_room - whether so many nybbles may be written
 *
 * Return: false when there is no room. What was to be written is lost then.
 */
typedef bool (*debugspec_room)(void *opaque, unsigned int nybbles);

/**
 * struct debugspec_stream - what the harts share; all fields but @position are private
 * @interval: nybbles between synchronization points; 0: there are none
 * @several: more than one hart: Change Hart comes first behind each synchronization point
 * @position: nybbles written so far
 * @hart: whose sequences come now
 */
struct debugspec_stream {
	debugspec_write write;
	debugspec_room room;
	void *opaque;
	uint32_t interval;
	bool several;
	uint64_t position;
	uint64_t hart;
	uint32_t word;
};

/**
 * debugspec_stream_init() - a stream at the start of a buffer
 * @buffer: its bytes, a multiple of 32 and at least 64; 0: it has no synchronization points
 * @several: several harts write to it
 * @room: NULL: there always is
 *
 * The first hart is 0 until it is told otherwise.
 */
void debugspec_stream_init(struct debugspec_stream *stream, uint32_t buffer, bool several,
			   debugspec_write write, debugspec_room room, void *opaque);

/* Whether a buffer of so many bytes can have 8 synchronization points, with a value between them. */
bool debugspec_is_buffer(uint64_t bytes, unsigned int xlen);

/* Bytes that are written for so many nybbles at most: up to a word may have begun already. */
unsigned int debugspec_bytes(unsigned int nybbles);

/* How many synchronization points were passed; @size nybbles of @hart would come behind so many. */
uint64_t debugspec_stream_syncs(const struct debugspec_stream *stream, uint64_t hart,
				unsigned int size);

/* The longest sequence that has room between two synchronization points. */
unsigned int debugspec_stream_longest(const struct debugspec_stream *stream, uint64_t hart);

/**
 * debugspec_stream_put() - write a sequence of @hart
 *
 * Return: whether there was room for it, with Nops and Change Hart; there never is for one that is
 *	longer than debugspec_stream_longest().
 */
bool debugspec_stream_put(struct debugspec_stream *stream, uint64_t hart,
			  const struct debugspec_sequence *sequence);

/* Fill the last word with Nops. */
void debugspec_stream_flush(struct debugspec_stream *stream);

/* A header alone, or with one packet behind it. */
void debugspec_header(struct debugspec_sequence *sequence, enum debugspec_header header);
void debugspec_packet(struct debugspec_sequence *sequence, enum debugspec_header header,
		      unsigned int packet);

/* A header with a value sequence of @digits packets, 1 to 16. */
void debugspec_value(struct debugspec_sequence *sequence, enum debugspec_header header,
		     uint64_t value, unsigned int digits);

/* As few packets as a value needs: above are the bits of @last; zeros; copies of its sign. */
unsigned int debugspec_digits_after(uint64_t value, uint64_t last);
unsigned int debugspec_digits_signed(uint64_t value);

#endif /* RVTRACE_ENCODE_DEBUGSPEC_STREAM_H */
