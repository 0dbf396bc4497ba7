/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * E-Trace packet layer: bytes in, packets out. E-Trace 2.0 with the extensions of the 2.0.5 draft,
 * in the encapsulation of "Unformatted Trace & Diagnostic Data Packet Encapsulation" 1.0.
 *
 * The layer needs no program image. The reader takes the stream in pieces of any size; a packet may
 * cross pieces. The reader allocates nothing per packet. Members have the names of the fields in
 * the specification.
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
	RVTRACE_ETRACE_OPT_EXT = 0,	/* see subformat */
	RVTRACE_ETRACE_DIFF_DELTA = 1,	/* branch map, and address unless branches is 0 */
	RVTRACE_ETRACE_ADDR_ONLY = 2,
	RVTRACE_ETRACE_SYNC = 3,	/* see subformat */
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
 * @branch: format 3, 0 and 1: 0 if @address is a taken branch
 * @privilege: format 3, 0 to 2
 * @interrupt: trap: 1 interrupt, 0 exception
 * @thaddr: trap: 1 if @address is the address of the handler
 * @notify: as sent
 * @updiscon: as sent
 * @irreport: as sent
 * @is_notify: @notify differs from the bit before it, so it is a notification
 * @is_updiscon: the same for @updiscon
 * @is_irreport: the same for @irreport; @irdepth is valid
 * @branches: format 1, and 0 with an index: number of valid bits of @branch_map. In format 1,
 *	0: 31 bits and no address
 * @branch_fmt: branch count: enum rvtrace_etrace_branch_fmt
 * @ienable: support: instruction trace is enabled
 * @encoder_mode: support: 0, branch trace
 * @qual_status: support: enum rvtrace_etrace_qual_status
 * @denable: support: data trace is enabled
 * @dloss: support: packets of data trace were lost
 * @standard: support: a standard packet: see rvtrace_etrace_params_support()
 * @modes: support: RVTRACE_ETRACE_SIJUMP ..., decoded from ioptions and doptions
 * @time: as sent, time_width bits
 * @context: as sent
 * @address: formats 0 to 2: the difference to the last address, sign-extended; use
 *	rvtrace_etrace_wrap() with full addresses. Format 3: the address, extended as by
 *	rvtrace_etrace_wrap(). In bytes: the bits that iaddress_lsb leaves out are restored
 * @tval: trap: as sent
 * @ecause: trap: as sent
 * @branch_map: bit 0 is the oldest branch; 0 taken, 1 not taken; bits above the valid ones as sent
 * @branch_count: branch count: correctly predicted branches minus 31; if the field is at its
 *	maximum, @branch_fmt is RVTRACE_ETRACE_ADDR
 * @index: jump target cache: the index of the entry
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

/* te_data: subject of the packet */
enum rvtrace_etrace_data_kind {
	RVTRACE_ETRACE_LOAD,		/* unified, or the request of a split one */
	RVTRACE_ETRACE_STORE,
	RVTRACE_ETRACE_LOAD_DATA,	/* split load: the loaded data */
	RVTRACE_ETRACE_CSR,
	RVTRACE_ETRACE_ATOMIC,		/* unified, or the request of a split one */
	RVTRACE_ETRACE_ATOMIC_DATA,	/* split atomic: the loaded data */
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

/* te_data: encoding of a value */
enum rvtrace_etrace_coding {
	RVTRACE_ETRACE_FULL,
	RVTRACE_ETRACE_DIFFERENTIAL,	/* to be added to the last value */
	RVTRACE_ETRACE_XORED,		/* to be XORed with the last value */
	RVTRACE_ETRACE_COMPRESSED,	/* one of these two, the only one that the encoder has */
};

/**
 * struct rvtrace_etrace_te_data - a packet of data trace
 * @format: as sent
 * @subtype: enum rvtrace_etrace_atomic or rvtrace_etrace_csr, by @kind
 * @kind: enum rvtrace_etrace_data_kind
 * @multiple: one of several accesses of an instruction (2.0.5 draft)
 * @unaligned: loads and stores: @address is not aligned to the size
 * @split: the hart has split loads: @lrid is valid
 * @has_address: @address is valid
 * @has_data: @data is valid
 * @has_operand: @operand is valid
 * @error: split: the load failed
 * @size: 2^n bytes
 * @diff: as sent; split data: resp
 * @address_coding: enum rvtrace_etrace_coding of @address
 * @data_coding: enum rvtrace_etrace_coding of @data and, from the 2.0.5 draft on, @operand
 * @data_len: as sent, if the packet has it: bytes of data minus 1
 * @op_len: as sent, if the packet has it: bytes of operand minus 1
 * @lrid: load request id
 * @csr: CSR: its address, 12 bits
 * @address: sign-extended if it is differential; the bits that the alignment leaves out are
 *	restored
 * @data: lower and upper half, sign-extended, not cut to the size
 * @operand: lower and upper half, sign-extended, not cut to the size
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
 * @value: its value, zero-extended; for identifier 0: the number of lost events, where
 *	RVTRACE_ETRACE_LOST_MAX means at least that number
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
 * @offset: offset of its header in the stream
 * @raw: its bytes; valid until the next call on the reader
 * @size: bytes
 * @flow: flow of the encapsulation
 * @extend: extend of the encapsulation: the packet has a timestamp
 * @kind: enum rvtrace_etrace_kind
 * @type: type of the encapsulation, 0 if it has none
 * @srcid: srcID, 0 if it has none; for an event without the bit that marks it as one
 *	(event_srcid_bit)
 * @payload_bit: first bit of the payload (after type), counted from the first bit of @raw
 * @payload_bits: bits of the payload
 * @timestamp: timestamp of the encapsulation, as sent, if @extend
 * @has_now: @now is valid
 * @now: time of the packet: its time field, or its timestamp if that has more bits. A time of fewer
 *	than 64 bits is extended from the previous time (2.0.5 draft, "Timestamping"), beginning
 *	with the first one. Timestamps that have no more bits than the time field are extended
 *	beginning with the first timestamp
 * @inst: valid for TE_INST
 * @data: valid for TE_DATA
 * @event: valid for EVENT
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
 * rvtrace_etrace_parse_inst() - parse the payload of a packet of instruction trace
 * @params: parameters at the time of the packet, valid by rvtrace_etrace_params_check()
 * @payload: its bytes
 * @size: number of bytes, 1 to 40
 * @inst: filled
 *
 * For packets in other encapsulations. The reader parses its packets on its own.
 *
 * Return: 0, RVTRACE_ERR_TRUNCATED, RVTRACE_ERR_TRAILING, RVTRACE_ERR_FIELD, RVTRACE_ERR_INVALID.
 */
int rvtrace_etrace_parse_inst(const struct rvtrace_etrace_params *params, const void *payload,
			      size_t size, struct rvtrace_etrace_te_inst *inst);

/**
 * rvtrace_etrace_parse_data() - parse the payload of a packet of data trace
 * @params: as rvtrace_etrace_parse_inst()
 * @payload: its bytes
 * @size: number of bytes, 1 to 40
 * @data: filled
 *
 * The data packet of a split atomic in the format of 2.0 cannot be parsed without the size of its
 * request, which only the reader knows.
 *
 * Return: as rvtrace_etrace_parse_inst().
 */
int rvtrace_etrace_parse_data(const struct rvtrace_etrace_params *params, const void *payload,
			      size_t size, struct rvtrace_etrace_te_data *data);

/**
 * rvtrace_etrace_params_support() - apply a support packet to parameters
 * @params: changed: the modes; by a standard support packet also the widths and sizes
 * @inst: the support packet
 *
 * The reader does this on its own, for each source.
 *
 * Return: 0; RVTRACE_ERR_FIELD: packets cannot be read with its values; nothing is changed.
 */
int rvtrace_etrace_params_support(struct rvtrace_etrace_params *params,
				  const struct rvtrace_etrace_te_inst *inst);

struct rvtrace_etrace;

/**
 * rvtrace_etrace_new() - create a reader at stream offset 0
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
 * rvtrace_etrace_free() - free a reader; the last packet is invalid afterwards
 * @reader: the reader, or NULL (no effect)
 */
void rvtrace_etrace_free(struct rvtrace_etrace *reader);

/**
 * rvtrace_etrace_feed() - pass the next bytes of the stream to the reader
 * @reader: the reader
 * @data: bytes; must stay valid until rvtrace_etrace_next() returns 0
 * @size: number of bytes
 *
 * Return: 0; RVTRACE_ERR_BUSY while bytes of an earlier call are unread.
 */
int rvtrace_etrace_feed(struct rvtrace_etrace *reader, const void *data, size_t size);

/**
 * rvtrace_etrace_next() - read the next packet
 * @reader: the reader
 * @packet: filled; after an error only @offset, @size, @raw, @flow and, if these fields were read,
 *	@srcid, @type and @kind are valid
 *
 * Null packets are skipped. After an error, the next call continues after the packet.
 *
 * Return: 1 a packet, 0 all bytes are consumed (feed more), RVTRACE_ERR_EXTEND,
 * RVTRACE_ERR_TRUNCATED, RVTRACE_ERR_TRAILING, RVTRACE_ERR_FIELD.
 */
int rvtrace_etrace_next(struct rvtrace_etrace *reader, struct rvtrace_etrace_packet *packet);

/**
 * rvtrace_etrace_resync() - continue where the next byte fed may be anywhere in a packet
 * @reader: the reader
 * @offset: stream offset of the next byte to be fed
 *
 * Drops a partial packet and unread bytes. Reading starts after the next synchronization sequence,
 * which is more consecutive null bytes than fit into a packet.
 */
void rvtrace_etrace_resync(struct rvtrace_etrace *reader, uint64_t offset);

/**
 * rvtrace_etrace_restart() - timestamps count from 0 again after the bytes fed
 * @reader: the reader
 *
 * As in a new reader, the time of each source is unknown until its packets report it in full.
 */
void rvtrace_etrace_restart(struct rvtrace_etrace *reader);

/**
 * rvtrace_etrace_seek() - continue at the header of a packet, the next byte fed
 * @reader: the reader
 * @offset: stream offset of the next byte to be fed
 *
 * Drops a partial packet and unread bytes. The effect of support packets stays.
 */
void rvtrace_etrace_seek(struct rvtrace_etrace *reader, uint64_t offset);

/**
 * rvtrace_etrace_pending() - count the bytes of an incomplete packet
 * @reader: the reader
 * @offset: stream offset of its first byte, may be NULL
 *
 * Return: the number of bytes consumed for it, 0 between packets. After the last byte of a
 * stream, a result other than 0 means that the stream was cut.
 */
size_t rvtrace_etrace_pending(const struct rvtrace_etrace *reader, uint64_t *offset);

/**
 * rvtrace_etrace_params_of() - current parameters of one source
 * @reader: the reader
 * @srcid: the source
 * @params: filled: the parameters of the reader, with the changes of support packets
 */
void rvtrace_etrace_params_of(const struct rvtrace_etrace *reader, unsigned int srcid,
			      struct rvtrace_etrace_params *params);

/**
 * rvtrace_etrace_name() - name of a kind of packet in the specification
 * @packet: the packet
 *
 * Return: a static string.
 */
const char *rvtrace_etrace_name(const struct rvtrace_etrace_packet *packet);

RVTRACE_END_DECLS

#endif /* RVTRACE_ETRACE_H */
