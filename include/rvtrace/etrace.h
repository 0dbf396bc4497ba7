/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * E-Trace packet layer: bytes in, packets out. E-Trace 2.0 with the extensions of the 2.0.5 draft,
 * in the encapsulation of "Unformatted Trace & Diagnostic Data Packet Encapsulation" 1.0.
 *
 * Needs no program image. The reader takes the stream in pieces of any size; a packet may lie
 * across two of them. Nothing is allocated per packet. Members are named as the specification
 * names the fields.
 */
#ifndef RVTRACE_ETRACE_H
#define RVTRACE_ETRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/error.h>
#include <rvtrace/etrace_params.h>

RVTRACE_BEGIN_DECLS

/* Longest encapsulated packet: header, srcID, timestamp, payload. */
#define RVTRACE_ETRACE_PACKET_MAX	(1 + 2 + 8 + 31)

/* te_inst: format */
enum rvtrace_etrace_format {
	RVTRACE_ETRACE_OPT_EXT = 0,	/* subformat tells */
	RVTRACE_ETRACE_DIFF_DELTA = 1,	/* branch map, and address unless branches is 0 */
	RVTRACE_ETRACE_ADDR_ONLY = 2,
	RVTRACE_ETRACE_SYNC = 3,	/* subformat tells */
};

/* te_inst: subformat of format 0 */
enum rvtrace_etrace_subformat_0 {
	RVTRACE_ETRACE_BRANCH_COUNT = 0,
	RVTRACE_ETRACE_JUMP_TARGET_INDEX = 1,
};

/* te_inst: subformat of format 3 */
enum rvtrace_etrace_subformat_3 {
	RVTRACE_ETRACE_START = 0,
	RVTRACE_ETRACE_TRAP = 1,
	RVTRACE_ETRACE_CONTEXT = 2,
	RVTRACE_ETRACE_SUPPORT = 3,
};

/* te_inst: branch_fmt */
enum rvtrace_etrace_branch_fmt {
	RVTRACE_ETRACE_NO_ADDR = 0,	/* a branch failed the prediction */
	RVTRACE_ETRACE_ADDR = 2,
	RVTRACE_ETRACE_ADDR_FAIL = 3,	/* address is a branch that failed the prediction */
};

/* te_inst: qual_status */
enum rvtrace_etrace_qual_status {
	RVTRACE_ETRACE_NO_CHANGE = 0,
	RVTRACE_ETRACE_ENDED_REP = 1,
	RVTRACE_ETRACE_TRACE_LOST = 2,
	RVTRACE_ETRACE_ENDED_NTR = 3,
};

/**
 * struct rvtrace_etrace_te_inst - a packet of instruction trace
 * @format: enum rvtrace_etrace_format
 * @subformat: formats 0 and 3; 0 else
 * @has_address: @address is valid
 * @has_time: @time is valid
 * @has_context: @context is valid
 * @has_tval: @tval is valid
 * @branch: format 3, 0 and 1: 0 if @address is a branch that was taken
 * @privilege: format 3, 0 to 2
 * @interrupt: trap: 1 interrupt, 0 exception
 * @thaddr: trap: 1 @address is that of the handler
 * @notify: as sent
 * @updiscon: as sent
 * @irreport: as sent
 * @is_notify: @notify differs from the bit before it: it says something
 * @is_updiscon: the same of @updiscon
 * @is_irreport: the same of @irreport; @irdepth is valid
 * @branches: format 1, and 0 with an index: how many bits of @branch_map are valid. In format 1,
 *	0: 31 bits and no address
 * @branch_fmt: branch count: enum rvtrace_etrace_branch_fmt
 * @ienable: support: instruction trace is enabled
 * @encoder_mode: support: 0, branch trace
 * @qual_status: support: enum rvtrace_etrace_qual_status
 * @denable: support: data trace is enabled
 * @dloss: support: packets of data trace were lost
 * @standard: support: it is a standard one: see rvtrace_etrace_params_support()
 * @modes: support: RVTRACE_ETRACE_SIJUMP ..., as ioptions and doptions say
 * @time: as sent, time_width bits
 * @context: as sent
 * @address: formats 0 to 2: the difference to the last address, sign-extended; with full addresses
 *	use rvtrace_etrace_wrap(). Format 3: the address, extended as rvtrace_etrace_wrap() does.
 *	In bytes: what iaddress_lsb left out is put back
 * @tval: trap: as sent
 * @ecause: trap: as sent
 * @branch_map: bit 0 is the oldest branch; 0 taken, 1 not taken; bits above the valid ones as sent
 * @branch_count: branch count: correctly predicted branches minus 31; if that is all it can hold,
 *	@branch_fmt is RVTRACE_ETRACE_ADDR
 * @index: jump target cache: the entry
 * @irdepth: as sent; irets with iret_ext
 * @ioptions: support: as sent; bits 0 to 7 of the standard packet, from sijump to iret_ext
 * @doptions: support: as sent; bits 0 to 4 of the standard packet, from mmacas_ext to full_data
 * @sizes: standard support packet: time_width to cache_size, 18 bits as sent
 */
struct rvtrace_etrace_te_inst {
	uint8_t format;
	uint8_t subformat;
	bool has_address;
	bool has_time;
	bool has_context;
	bool has_tval;
	bool branch;
	uint8_t privilege;
	bool interrupt;
	bool thaddr;
	bool notify;
	bool updiscon;
	bool irreport;
	bool is_notify;
	bool is_updiscon;
	bool is_irreport;
	uint8_t branches;
	uint8_t branch_fmt;
	bool ienable;
	uint8_t qual_status;
	bool denable;
	bool dloss;
	bool standard;
	uint64_t address;
	uint64_t time;
	uint64_t context;
	uint64_t tval;
	uint32_t encoder_mode;
	uint32_t ecause;
	uint32_t branch_map;
	uint32_t branch_count;
	uint32_t index;
	uint32_t irdepth;
	uint32_t ioptions;
	uint32_t doptions;
	uint32_t sizes;
	uint16_t modes;
};

/* te_data: what it is about */
enum rvtrace_etrace_data_kind {
	RVTRACE_ETRACE_LOAD,		/* unified, or the request of a split one */
	RVTRACE_ETRACE_STORE,
	RVTRACE_ETRACE_LOAD_DATA,	/* split load: what was loaded */
	RVTRACE_ETRACE_CSR,
	RVTRACE_ETRACE_ATOMIC,		/* unified, or the request of a split one */
	RVTRACE_ETRACE_ATOMIC_DATA,	/* split atomic: what was loaded */
};

/* te_data: subtype of atomics */
enum rvtrace_etrace_atomic {
	RVTRACE_ETRACE_SWAP = 0,
	RVTRACE_ETRACE_ADD = 1,
	RVTRACE_ETRACE_AND = 2,
	RVTRACE_ETRACE_OR = 3,
	RVTRACE_ETRACE_XOR = 4,
	RVTRACE_ETRACE_MAX = 5,
	RVTRACE_ETRACE_MIN = 6,
	RVTRACE_ETRACE_SC_FAILED = 7,	/* conditional store failure */
	RVTRACE_ETRACE_CAS_FAILED = 8,	/* compare and swap failure, 2.0.5 draft */
};

/* te_data: subtype of CSR accesses */
enum rvtrace_etrace_csr {
	RVTRACE_ETRACE_CSR_RW = 0,
	RVTRACE_ETRACE_CSR_RS = 1,
	RVTRACE_ETRACE_CSR_RC = 2,
};

/* te_data: how a value was sent */
enum rvtrace_etrace_coding {
	RVTRACE_ETRACE_FULL,
	RVTRACE_ETRACE_DIFFERENTIAL,	/* to be added to the last one */
	RVTRACE_ETRACE_XORED,		/* to be XORed with the last one */
	RVTRACE_ETRACE_COMPRESSED,	/* one of these two: the only one the encoder has */
};

/**
 * struct rvtrace_etrace_te_data - a packet of data trace
 * @format: as sent
 * @subtype: enum rvtrace_etrace_atomic or rvtrace_etrace_csr, by @kind
 * @kind: enum rvtrace_etrace_data_kind
 * @multiple: one access of an instruction that makes several (2.0.5 draft)
 * @unaligned: loads and stores: @address is not aligned to the size
 * @split: of a hart with split loads: @lrid is valid
 * @has_address: @address is valid
 * @has_data: @data is valid
 * @has_operand: @operand is valid
 * @error: split: the load failed
 * @size: 2^n bytes
 * @diff: as sent; split data: resp
 * @address_coding: enum rvtrace_etrace_coding of @address
 * @data_coding: of @data and, from the 2.0.5 draft on, @operand
 * @data_len: as sent, where the packet has it: bytes of data minus 1
 * @op_len: the same of operand
 * @lrid: load request id
 * @csr: CSR: its address, 12 bits
 * @address: sign-extended if it is differential; what the alignment leaves out is put back
 * @data: lower and upper half, sign-extended, not cut to the size
 * @operand: the same
 */
struct rvtrace_etrace_te_data {
	uint8_t format;
	uint8_t subtype;
	uint8_t kind;
	bool multiple;
	bool unaligned;
	bool split;
	bool has_address;
	bool has_data;
	bool has_operand;
	bool error;
	uint8_t size;
	uint8_t diff;
	uint8_t address_coding;
	uint8_t data_coding;
	uint8_t data_len;
	uint8_t op_len;
	uint16_t lrid;
	uint16_t csr;
	uint64_t address;
	uint64_t data[2];
	uint64_t operand[2];
};

/**
 * struct rvtrace_etrace_event - a packet of software trace (docs/formats.md)
 * @id: identifier; 0: events were lost
 * @value: its value, zero-extended; of identifier 0: how many were lost, RVTRACE_ETRACE_LOST_MAX:
 *	at least so many
 */
struct rvtrace_etrace_event {
	uint16_t id;
	uint64_t value;
};
#define RVTRACE_ETRACE_LOST_MAX		0xffff

/* rvtrace_etrace_packet.kind */
enum rvtrace_etrace_kind {
	RVTRACE_ETRACE_TE_INST,
	RVTRACE_ETRACE_TE_DATA,
	RVTRACE_ETRACE_EVENT,
	RVTRACE_ETRACE_OTHER,		/* of a type that E-Trace does not define */
};

/**
 * struct rvtrace_etrace_packet - one packet
 * @offset: of its header in the stream
 * @raw: its bytes; valid until the next call on the reader
 * @size: bytes
 * @flow: of the encapsulation
 * @extend: of the encapsulation: it has a timestamp
 * @kind: enum rvtrace_etrace_kind
 * @type: of the encapsulation, 0 without
 * @srcid: srcID, 0 without; of an event without the bit that says it is one (event_srcid_bit)
 * @payload_bit: first bit of the payload (behind type), counted from the first one of @raw
 * @payload_bits: its length
 * @timestamp: of the encapsulation, as sent, if @extend
 * @has_now: @now is valid
 * @now: time of the packet: its time field, or its timestamp if that has more bits. What has fewer
 *	than 64 goes on from the time before (2.0.5 draft, "Timestamping"), from the first on;
 *	timestamps that have no more bits than the time field, from the first of those on
 * @inst: TE_INST
 * @data: TE_DATA
 * @event: EVENT
 */
struct rvtrace_etrace_packet {
	uint64_t offset;
	const uint8_t *raw;
	uint64_t timestamp;
	uint64_t now;
	uint16_t payload_bit;
	uint16_t payload_bits;
	uint16_t srcid;
	uint8_t size;
	uint8_t flow;
	bool extend;
	bool has_now;
	uint8_t kind;
	uint8_t type;
	union {
		struct rvtrace_etrace_te_inst inst;
		struct rvtrace_etrace_te_data data;
		struct rvtrace_etrace_event event;
	};
};

/**
 * rvtrace_etrace_parse_inst() - the fields of a payload of instruction trace
 * @params: parameters as they are when the packet was sent, which rvtrace_etrace_params_check()
 *	finds nothing wrong with
 * @payload: its bytes
 * @size: how many, 1 to 40
 * @inst: filled
 *
 * For packets in other encapsulations. The reader does this by itself.
 *
 * Return: 0, RVTRACE_ERR_TRUNCATED, RVTRACE_ERR_TRAILING, RVTRACE_ERR_FIELD, RVTRACE_ERR_INVALID.
 */
int rvtrace_etrace_parse_inst(const struct rvtrace_etrace_params *params, const void *payload,
			      size_t size, struct rvtrace_etrace_te_inst *inst);

/**
 * rvtrace_etrace_parse_data() - the fields of a payload of data trace
 * @params: as rvtrace_etrace_parse_inst()
 * @payload: its bytes
 * @size: how many, 1 to 40
 * @data: filled
 *
 * The data of a split atomic as 2.0 has it cannot be read without the size of its request; only
 * the reader knows it.
 *
 * Return: as rvtrace_etrace_parse_inst().
 */
int rvtrace_etrace_parse_data(const struct rvtrace_etrace_params *params, const void *payload,
			      size_t size, struct rvtrace_etrace_te_data *data);

/**
 * rvtrace_etrace_params_support() - parameters behind a support packet
 * @params: changed: the modes; by a standard support packet the widths and sizes too
 * @inst: the support packet
 *
 * The reader does this by itself, for each source.
 *
 * Return: 0; RVTRACE_ERR_FIELD: packets cannot be read with what it says; nothing is changed.
 */
int rvtrace_etrace_params_support(struct rvtrace_etrace_params *params,
				  const struct rvtrace_etrace_te_inst *inst);

struct rvtrace_etrace;

/**
 * rvtrace_etrace_new() - a reader at stream offset 0
 * @params: parameters of all sources, copied
 * @reader: the new reader; free it with rvtrace_etrace_free()
 *
 * The first byte fed must be the header of a packet or a null packet; otherwise call
 * rvtrace_etrace_resync() first.
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_etrace_new(const struct rvtrace_etrace_params *params, struct rvtrace_etrace **reader);

/**
 * rvtrace_etrace_free() - free a reader; the last packet is not valid any more
 * @reader: the reader; NULL: nothing is done
 */
void rvtrace_etrace_free(struct rvtrace_etrace *reader);

/**
 * rvtrace_etrace_feed() - give the reader the next bytes of the stream
 * @reader: the reader
 * @data: bytes; the caller keeps them until rvtrace_etrace_next() returned 0
 * @size: how many
 *
 * Return: 0; RVTRACE_ERR_BUSY while bytes given earlier are unread.
 */
int rvtrace_etrace_feed(struct rvtrace_etrace *reader, const void *data, size_t size);

/**
 * rvtrace_etrace_next() - the next packet
 * @reader: the reader
 * @packet: where to put it; after an error only @offset, @size, @raw, @flow and, if the packet got
 *	that far, @srcid, @type and @kind are valid
 *
 * Null packets are passed over. After an error the next call goes on behind the packet.
 *
 * Return: 1 a packet, 0 all bytes are consumed (feed more), RVTRACE_ERR_EXTEND,
 * RVTRACE_ERR_TRUNCATED, RVTRACE_ERR_TRAILING, RVTRACE_ERR_FIELD.
 */
int rvtrace_etrace_next(struct rvtrace_etrace *reader, struct rvtrace_etrace_packet *packet);

/**
 * rvtrace_etrace_resync() - the next byte fed may lie anywhere in a packet
 * @reader: the reader
 * @offset: stream offset of the next byte to be fed
 *
 * Drops a partial packet and unread bytes; reading starts behind the next synchronization
 * sequence: more null bytes in a row than fit into a packet.
 */
void rvtrace_etrace_resync(struct rvtrace_etrace *reader, uint64_t offset);

/**
 * rvtrace_etrace_restart() - behind the bytes fed, timestamps count from 0 again
 * @reader: the reader
 *
 * As in a new reader, the time of each source is not known until its packets say it in full.
 */
void rvtrace_etrace_restart(struct rvtrace_etrace *reader);

/**
 * rvtrace_etrace_seek() - the next byte fed is the header of a packet
 * @reader: the reader
 * @offset: stream offset of the next byte to be fed
 *
 * Drops a partial packet and unread bytes. What support packets said holds on.
 */
void rvtrace_etrace_seek(struct rvtrace_etrace *reader, uint64_t offset);

/**
 * rvtrace_etrace_pending() - bytes of a packet that is not complete yet
 * @reader: the reader
 * @offset: stream offset of its first byte, may be NULL
 *
 * Return: the number of bytes consumed for it, 0 between packets. After the last byte of a
 * stream, anything but 0 means that the stream was cut.
 */
size_t rvtrace_etrace_pending(const struct rvtrace_etrace *reader, uint64_t *offset);

/**
 * rvtrace_etrace_params_of() - parameters of one source as they are now
 * @reader: the reader
 * @srcid: the source
 * @params: filled: what the reader was given, and what support packets changed
 */
void rvtrace_etrace_params_of(const struct rvtrace_etrace *reader, unsigned int srcid,
			      struct rvtrace_etrace_params *params);

/**
 * rvtrace_etrace_name() - name of a kind of packet as the specification has it
 * @packet: the packet
 *
 * Return: a static string.
 */
const char *rvtrace_etrace_name(const struct rvtrace_etrace_packet *packet);

RVTRACE_END_DECLS

#endif /* RVTRACE_ETRACE_H */
