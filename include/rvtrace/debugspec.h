/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Packet layer of the trace module in the RISC-V debug specification of 2017 (chapter "Trace
 * Module", later removed): bytes in, sequences out.
 *
 * The specification's packets have 4 bits, the first one in the low half of a byte. A sequence is a
 * header packet and the packets that belong to it. Here a sequence is called a packet, as in all
 * formats of this library. Offsets and sizes count nybbles (4 bits). The layer needs no program
 * image. The reader takes the stream in pieces of any size; a packet may cross pieces. The reader
 * allocates nothing per packet.
 *
 * In the flow layer (rvtrace/flow.h), sources are harts, named by their ids. A parameter
 * (rvtrace_debugspec_config.emit) says what is traced. With branches, the trace reports branches
 * and the targets of indirect jumps; the code supplies the rest. Without branches, it reports both
 * ends of every jump, and no code is needed (RVTRACE_FLOW_RANGE).
 *
 * Traps and returns from traps are reported in the same way as interrupts, with or without
 * branches: PC of the last instruction, Privilege Level, PC of the target. The PC of ecall and
 * ebreak is their own address. With @literal and branches, they are reported by table "Trace Data
 * Events", "as if they were jal": Privilege Level alone; their targets are unknown then. A PC
 * before Trace Disabled is the last instruction. The first PC after Trace Enabled or Disabled is
 * the next instruction.
 *
 * Loads, stores and CSR accesses are in program order with branches and PCs. So each access belongs
 * to the next instruction that makes an access of its kind; this is exact if all accesses are
 * traced. Atomics and CSR instructions have two accesses: the value read and the value written. If
 * the code is unknown, so are size and instruction.
 *
 * The specification leaves some cases ambiguous. The decoder resolves them as follows:
 *
 * - A trap after the same instruction as the previous trap directly follows that trap, and no
 *   instruction executed between them. Exceptions: Privilege Level is sent twice with one value, as
 *   the encoder of this project does; or the privilege decreases, and the path leads to that
 *   instruction, a return, once more.
 * - A PC before Trace Disabled that equals the last reported instruction means that execution of
 *   the instruction, not another one.
 * - With branches in the trace, the number of iterations of a loop without branches before a trap
 *   is unknown. The decoder reports one iteration.
 * - Without Privilege Level, two PCs where the code has one jump are a trap if the second one is a
 *   known trap vector (@trap_vector), or if no vector is known and the path of the code leads to
 *   the first one.
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

/* Hart ids are below this; larger ids are damage. */
#define RVTRACE_DEBUGSPEC_HARTS		4096
#define RVTRACE_DEBUGSPEC_HART_BITS	12

/* "Synchronization": number of synchronization points in each buffer. */
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

/* Contents of the trace: register "trace", bits 16 to 23, from bit 0 on. */
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
 * struct rvtrace_debugspec_config - parameters that the stream does not contain
 * @xlen: 32 or 64
 * @compressed: the harts have compressed instructions: PC values begin with bit 1, else with bit 2
 * @several_harts: after lost or skipped bytes, the hart of packets is unknown up to the next Change
 *	Hart; false: they belong to the hart from before
 * @first_hart: hart of the first packets if no Change Hart precedes them, below
 *	RVTRACE_DEBUGSPEC_HARTS
 * @emit: what is traced, set of enum rvtrace_debugspec_emit; the packet layer ignores it
 * @literal: traps and jalr are traced as the specification's table says to the letter, see above;
 *	the packet layer ignores it
 * @sync_interval: nybbles from one synchronization point to the next, an eighth of the buffer; 0:
 *	unknown
 * @sync_offset: stream offset of the first synchronization point. If it is not 0, everything before
 *	it is skipped, because it may begin anywhere in a packet. 0 with @sync_interval 0
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
 * @offset: offset of its header in the stream, in nybbles
 * @sent: the value as sent, zero-extended
 * @value: PC, addresses, timestamp: with the bits that were not sent, and bit 0 (bits 1 and 0) of a
 *	PC, restored; data: sign-extended to 64 bits; hart: its id; Privilege Level: the packet;
 *	Trace Enabled: the version
 * @known: mask of the known bits of @value: for addresses, those sent since the last
 *	synchronization; for other values, all
 * @hart: hart of the packet, if @has_hart; for Change Hart, that of the following packets
 * @size: in nybbles
 * @header: enum rvtrace_debugspec_header
 * @digits: nybbles of the value, 1 to 16; 0: the packet has no value sequence
 * @has_hart: @hart is known
 * @partial: some bits of @value are unknown, within the width that values of its kind have
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
 * rvtrace_debugspec_new() - create a reader at stream offset 0
 * @config: parameters, copied
 * @reader: the new reader; free it with rvtrace_debugspec_free()
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_debugspec_new(const struct rvtrace_debugspec_config *config,
			  struct rvtrace_debugspec **reader);

/**
 * rvtrace_debugspec_free() - free a reader
 * @reader: the reader, or NULL (no effect)
 */
void rvtrace_debugspec_free(struct rvtrace_debugspec *reader);

/**
 * rvtrace_debugspec_feed() - pass the next bytes of the stream to the reader
 * @reader: the reader
 * @data: bytes; must stay valid until rvtrace_debugspec_next() returns 0
 * @size: number of bytes
 *
 * Return: 0; RVTRACE_ERR_BUSY while bytes of an earlier call are unread.
 */
int rvtrace_debugspec_feed(struct rvtrace_debugspec *reader, const void *data, size_t size);

/**
 * rvtrace_debugspec_next() - read the next packet
 * @reader: the reader
 * @packet: filled; after an error only @offset, @size (nybbles read of the invalid packet) and
 *	@header are valid
 *
 * After an error, reading continues at the next synchronization point, and earlier values are
 * unknown there. Without synchronization points, it never continues.
 *
 * Return: 1 a packet, 0 all bytes are consumed (feed more), RVTRACE_ERR_HEADER a reserved or custom
 * header, RVTRACE_ERR_VERSION, RVTRACE_ERR_TRUNCATED a synchronization point is within the packet,
 * RVTRACE_ERR_FIELD an address with more bits than the harts have, or a hart id that is too large.
 */
int rvtrace_debugspec_next(struct rvtrace_debugspec *reader,
			   struct rvtrace_debugspec_packet *packet);

/**
 * rvtrace_debugspec_resync() - continue where the next nybble may be anywhere in a packet
 * @reader: the reader
 * @offset: stream offset of the first nybble of the next byte to be fed, even
 *
 * Drops a partial packet and unread bytes; reading starts at the next synchronization point.
 */
void rvtrace_debugspec_resync(struct rvtrace_debugspec *reader, uint64_t offset);

/**
 * rvtrace_debugspec_seek() - continue at a header
 * @reader: the reader
 * @offset: its stream offset; if odd, the header is in the upper half of the next byte to be fed
 *
 * Drops a partial packet and unread bytes; earlier values are unknown afterwards.
 */
void rvtrace_debugspec_seek(struct rvtrace_debugspec *reader, uint64_t offset);

/**
 * rvtrace_debugspec_pending() - count the nybbles of an incomplete packet
 * @reader: the reader
 * @offset: filled with the stream offset of the first one, in nybbles; may be NULL
 *
 * Return: the number of nybbles consumed for it, 0 between packets. After the last byte of a
 * stream, a result other than 0 means that the stream was cut.
 */
size_t rvtrace_debugspec_pending(const struct rvtrace_debugspec *reader, uint64_t *offset);

/**
 * rvtrace_debugspec_lost() - count nybbles skipped in the search for a synchronization point
 * @reader: the reader
 * @offset: filled with the offset of the first skipped nybble: the start, that of the last
 *	rvtrace_debugspec_resync(), or the one after unreadable nybbles
 *
 * Return: nybbles skipped since then, 0 if a synchronization point was found.
 */
uint64_t rvtrace_debugspec_lost(const struct rvtrace_debugspec *reader, uint64_t *offset);

/**
 * rvtrace_debugspec_buffer() - set the parameters for the synchronization points of a buffer
 * @config: @sync_interval and @sync_offset are filled in
 * @size: bytes of the buffer, a multiple of 32
 * @first: byte of the buffer at which the stream begins: 0, or, if the buffer has wrapped, the
 *	place of the next packet (tbufwrite - tbufstart)
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
 * rvtrace_debugspec_config_load() - read parameters of the debug specification's trace from a file
 * @path: a JSON file: an object of numbers, alone or as the member debugspec of another object or
 *	of the sources in a recording of one sink
 * @params: filled
 * @error: filled on failure, may be NULL; its text names file and parameter
 *
 * Return: 0, -EBADMSG.
 */
int rvtrace_debugspec_config_load(const char *path, struct rvtrace_debugspec_config *params,
				  struct rvtrace_failure *error);

/**
 * rvtrace_debugspec_config_from_json() - read parameters from a JSON object
 * @object: the object, as rvtrace_debugspec_config_load() reads it
 * @path: name of the object in error texts
 * @params: filled
 * @error: filled on failure, may be NULL
 *
 * Return: 0, -EBADMSG.
 */
int rvtrace_debugspec_config_from_json(struct json_object *object, const char *path,
				       struct rvtrace_debugspec_config *params,
				       struct rvtrace_failure *error);

/**
 * rvtrace_flow_config_debugspec() - make the configuration for the debug specification's trace
 * @params: its parameters
 * @config: filled, except its size
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_TOO_NEW.
 */
int rvtrace_flow_config_debugspec(const struct rvtrace_debugspec_config *params,
				  struct rvtrace_flow_config *config);

RVTRACE_END_DECLS

#endif /* RVTRACE_DEBUGSPEC_H */
