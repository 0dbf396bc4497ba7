/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Packet layer of the trace module in the RISC-V debug specification of 2017 (chapter "Trace
 * Module", later removed): bytes in, sequences out.
 *
 * Its packets have 4 bits, the first one in the low half of a byte. A sequence is a header packet
 * and what follows it; here it is called a packet, as in the other formats, and offsets and sizes
 * count in units of 4 bits: nybbles. Needs no program image. The reader takes the stream in pieces
 * of any size; a packet may lie across them. Nothing is allocated per packet.
 *
 * In the flow layer (rvtrace/flow.h), sources are harts, by their ids. What is traced is a parameter
 * (rvtrace_debugspec_config.emit): with branches, those and the targets of indirect jumps are
 * reported, and the code says the rest; without them both ends of every jump, and no code is needed
 * (RVTRACE_FLOW_RANGE). Traps and returns from them are reported as interrupts are, with branches
 * or without: PC of the last instruction, Privilege Level, PC of the target; that of ecall and
 * ebreak is their own. @literal: with branches they are as table "Trace Data Events" has it, "as if
 * they were jal": Privilege Level alone. Then their targets are not known. A PC before Trace
 * Disabled is the last instruction, the first one behind Trace Enabled or Disabled is the next one.
 *
 * Loads, stores and accesses of CSRs come in program order with the branches and PCs, so each one
 * is that of the next instruction that makes one of its kind, exactly where all of them are
 * traced. Atomics and CSRs are two accesses, of what was read and of what was written. Where the
 * code is not known, neither are size and instruction.
 *
 * What the specification leaves ambiguous: a trap behind the same instruction as the one before it
 * is taken for one right behind that, with nothing executed in between, unless Privilege Level is
 * there twice, with one value, as the encoder of this project has it; or the privilege becomes
 * less, and the way leads to that instruction, a return, once more. A PC before Trace Disabled that
 * is the last instruction told of stands for that, not for another visit. With branches in the
 * trace, how often a loop of jumps alone ran before a trap is not known, once is what comes out.
 * Without Privilege Level, two PCs where the code has one jump are a trap if the second is a known
 * trap vector (@trap_vector), or none is known and the first is on the way there.
 */
#ifndef RVTRACE_DEBUGSPEC_H
#define RVTRACE_DEBUGSPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/error.h>

RVTRACE_BEGIN_DECLS

struct rvtrace_flow_config;
struct json_object;

/* Nybbles of the longest packet: header, size, a value of 64 bits. */
#define RVTRACE_DEBUGSPEC_PACKET_MAX	18

/* Hart ids are below this; larger ones are damage. */
#define RVTRACE_DEBUGSPEC_HARTS		4096
#define RVTRACE_DEBUGSPEC_HART_BITS	12

/* "Synchronization": so many points in each buffer. */
#define RVTRACE_DEBUGSPEC_SYNC_POINTS	8

/* Table "Trace Sequence Header Packets" */
enum rvtrace_debugspec_header {
	RVTRACE_DEBUGSPEC_NOP = 0x0,
	RVTRACE_DEBUGSPEC_PC = 0x1,
	RVTRACE_DEBUGSPEC_TAKEN = 0x2,
	RVTRACE_DEBUGSPEC_NOT_TAKEN = 0x3,
	RVTRACE_DEBUGSPEC_ENABLED = 0x4,
	RVTRACE_DEBUGSPEC_DISABLED = 0x5,
	RVTRACE_DEBUGSPEC_PRIVILEGE = 0x6,
	RVTRACE_DEBUGSPEC_HART = 0x7,
	RVTRACE_DEBUGSPEC_LOAD_ADDRESS = 0x8,
	RVTRACE_DEBUGSPEC_STORE_ADDRESS = 0x9,
	RVTRACE_DEBUGSPEC_LOAD_DATA = 0xa,
	RVTRACE_DEBUGSPEC_STORE_DATA = 0xb,
	RVTRACE_DEBUGSPEC_TIMESTAMP = 0xc,
	RVTRACE_DEBUGSPEC_RESERVED = 0xd,
	RVTRACE_DEBUGSPEC_CUSTOM0 = 0xe,
	RVTRACE_DEBUGSPEC_CUSTOM1 = 0xf,
};

/* What the trace has: register "trace", bits 16 to 23, from bit 0 on. */
enum rvtrace_debugspec_emit {
	RVTRACE_DEBUGSPEC_EMIT_PC = 1 << 0,
	RVTRACE_DEBUGSPEC_EMIT_BRANCH = 1 << 1,
	RVTRACE_DEBUGSPEC_EMIT_PRIV = 1 << 2,
	RVTRACE_DEBUGSPEC_EMIT_LOAD_ADDRESS = 1 << 3,
	RVTRACE_DEBUGSPEC_EMIT_STORE_ADDRESS = 1 << 4,
	RVTRACE_DEBUGSPEC_EMIT_LOAD_DATA = 1 << 5,
	RVTRACE_DEBUGSPEC_EMIT_STORE_DATA = 1 << 6,
	RVTRACE_DEBUGSPEC_EMIT_TIMESTAMP = 1 << 7,
};

#define RVTRACE_DEBUGSPEC_EMIT_ALL	0xff

/* rvtrace_debugspec_packet.value of PRIVILEGE */
#define RVTRACE_DEBUGSPEC_INTERRUPT	0x8
#define RVTRACE_DEBUGSPEC_PRV(value)	((value) >> 1 & 3)
#define RVTRACE_DEBUGSPEC_IE		0x1

/**
 * struct rvtrace_debugspec_config - what the stream does not say about itself
 * @xlen: 32 or 64
 * @compressed: the harts have compressed instructions: PC values begin with bit 1, else with bit 2
 * @several_harts: after bytes were lost or skipped, it is not known whose packets come up to the
 *	next Change Hart; false: those of the hart that there was
 * @first_hart: whose the first packets are, where no Change Hart comes before them, below
 *	RVTRACE_DEBUGSPEC_HARTS
 * @emit: what is traced, set of enum rvtrace_debugspec_emit; of no meaning to the packet layer
 * @literal: traps and jalr are traced as the specification's table says to the letter, see
 *	rvtrace/flow.h; of no meaning to the packet layer
 * @sync_interval: nybbles from one synchronization point to the next, an eighth of the buffer; 0:
 *	not known
 * @sync_offset: stream offset of the first one. If it is not 0, what comes before it is skipped, as
 *	it may begin anywhere in a packet. 0 with @sync_interval 0
 * @reserved: 0
 */
struct rvtrace_debugspec_config {
	uint8_t xlen;
	bool compressed;
	bool several_harts;
	uint16_t first_hart;
	uint8_t emit;
	bool literal;
	uint64_t sync_interval;
	uint64_t sync_offset;
	uint64_t reserved[5];
};

/**
 * struct rvtrace_debugspec_packet - one packet
 * @offset: of its header in the stream, in nybbles
 * @sent: the value as it was sent, with zeros above
 * @value: PC, addresses, timestamp: with the bits left out, and bit 0 (bits 1 and 0) of a PC, put
 *	back; data: sign-extended to 64 bits; hart: its id; Privilege Level: the packet; Trace
 *	Enabled: the version
 * @known: which bits of @value are known: those of addresses that were sent since the last
 *	synchronization, all of others
 * @hart: whose packet it is, if @has_hart; of Change Hart, whose the next ones are
 * @size: in nybbles
 * @header: enum rvtrace_debugspec_header
 * @digits: nybbles of the value, 1 to 16; 0: it has no value sequence
 * @has_hart: @hart is known
 * @partial: bits of @value within the width that values of its kind have are not known
 */
struct rvtrace_debugspec_packet {
	uint64_t offset;
	uint64_t sent;
	uint64_t value;
	uint64_t known;
	uint64_t hart;
	uint32_t size;
	uint8_t header;
	uint8_t digits;
	bool has_hart;
	bool partial;
};

struct rvtrace_debugspec;

/**
 * rvtrace_debugspec_new() - a reader at stream offset 0
 * @config: parameters, copied
 * @reader: the new reader; free it with rvtrace_debugspec_free()
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_debugspec_new(const struct rvtrace_debugspec_config *config,
			  struct rvtrace_debugspec **reader);

/**
 * rvtrace_debugspec_free() - free a reader
 * @reader: the reader; NULL: nothing is done
 */
void rvtrace_debugspec_free(struct rvtrace_debugspec *reader);

/**
 * rvtrace_debugspec_feed() - give the reader the next bytes of the stream
 * @reader: the reader
 * @data: bytes; the caller keeps them until rvtrace_debugspec_next() returned 0
 * @size: how many
 *
 * Return: 0; RVTRACE_ERR_BUSY while bytes given earlier are unread.
 */
int rvtrace_debugspec_feed(struct rvtrace_debugspec *reader, const void *data, size_t size);

/**
 * rvtrace_debugspec_next() - the next packet
 * @reader: the reader
 * @packet: where to put it; after an error only @offset, @size (nybbles read of what is wrong) and
 *	@header are valid
 *
 * After an error reading goes on at the next synchronization point, where nothing is known of
 * earlier values; without such points, never.
 *
 * Return: 1 a packet, 0 all bytes are consumed (feed more), RVTRACE_ERR_HEADER a reserved or custom
 * header, RVTRACE_ERR_VERSION, RVTRACE_ERR_TRUNCATED a synchronization point lies in the packet,
 * RVTRACE_ERR_FIELD an address with more bits than the harts have, or a hart id that is too large.
 */
int rvtrace_debugspec_next(struct rvtrace_debugspec *reader,
			   struct rvtrace_debugspec_packet *packet);

/**
 * rvtrace_debugspec_resync() - the next nybble may lie anywhere in a packet
 * @reader: the reader
 * @offset: stream offset of the first nybble of the next byte to be fed, even
 *
 * Drops a partial packet and unread bytes; reading starts at the next synchronization point.
 */
void rvtrace_debugspec_resync(struct rvtrace_debugspec *reader, uint64_t offset);

/**
 * rvtrace_debugspec_seek() - the next nybble is a header
 * @reader: the reader
 * @offset: its stream offset; if it is odd, it is in the upper half of the next byte to be fed
 *
 * Drops a partial packet and unread bytes; nothing is known of earlier values.
 */
void rvtrace_debugspec_seek(struct rvtrace_debugspec *reader, uint64_t offset);

/**
 * rvtrace_debugspec_pending() - nybbles of a packet that is not complete yet
 * @reader: the reader
 * @offset: stream offset of the first one, in nybbles, may be NULL
 *
 * Return: the number of nybbles consumed for it, 0 between packets. After the last byte of a
 * stream, anything but 0 means that the stream was cut.
 */
size_t rvtrace_debugspec_pending(const struct rvtrace_debugspec *reader, uint64_t *offset);

/**
 * rvtrace_debugspec_lost() - what was read without a place to begin
 * @reader: the reader
 * @offset: where that starts, in nybbles: at the start, at the last rvtrace_debugspec_resync(), or
 *	behind what could not be read
 *
 * Return: nybbles skipped since then, 0 if a synchronization point came.
 */
uint64_t rvtrace_debugspec_lost(const struct rvtrace_debugspec *reader, uint64_t *offset);

/**
 * rvtrace_debugspec_buffer() - synchronization points of a buffer, as parameters
 * @config: @sync_interval and @sync_offset are filled in
 * @size: bytes of the buffer, a multiple of 32
 * @first: byte of the buffer that the stream begins with: 0, or where the next packet would have
 *	been written (tbufwrite - tbufstart) if the buffer has wrapped
 *
 * Return: 0, RVTRACE_ERR_INVALID.
 */
int rvtrace_debugspec_buffer(struct rvtrace_debugspec_config *config, uint64_t size,
			     uint64_t first);

/**
 * rvtrace_debugspec_header_name() - name of a header as the specification prints it
 * @header: enum rvtrace_debugspec_header
 *
 * Return: a static string, never NULL.
 */
const char *rvtrace_debugspec_header_name(unsigned int header);

/**
 * rvtrace_debugspec_config_load() - parameters of the debug specification's trace from a file
 * @path: JSON: an object of numbers, by itself or as the member debugspec of another one or of the
 *	sources of a recording of one sink
 * @params: filled
 * @error: filled on failure, may be NULL; its text names file and parameter
 *
 * Return: 0, -EBADMSG.
 */
int rvtrace_debugspec_config_load(const char *path, struct rvtrace_debugspec_config *params,
				  struct rvtrace_failure *error);

/**
 * rvtrace_debugspec_config_from_json() - the same from JSON that was read already
 * @object: it
 * @path: what errors call it
 * @params: filled
 * @error: filled on failure, may be NULL
 *
 * Return: 0, -EBADMSG.
 */
int rvtrace_debugspec_config_from_json(struct json_object *object, const char *path,
				       struct rvtrace_debugspec_config *params,
				       struct rvtrace_failure *error);

/**
 * rvtrace_flow_config_debugspec() - configuration for a stream of the debug specification's trace
 * @params: its parameters
 * @config: filled, but for its size
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_TOO_NEW.
 */
int rvtrace_flow_config_debugspec(const struct rvtrace_debugspec_config *params,
				  struct rvtrace_flow_config *config);

RVTRACE_END_DECLS

#endif /* RVTRACE_DEBUGSPEC_H */
