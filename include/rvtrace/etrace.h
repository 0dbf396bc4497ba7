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

#include <rvtrace/error.h>

struct json_object;
struct rvtrace_recording_error;

/* Longest encapsulated packet: header, srcID, timestamp, payload. */
#define RVTRACE_ETRACE_PACKET_MAX	(1 + 2 + 8 + 31)

/*
 * What the encoder may be told while it runs: bits of rvtrace_etrace_params.modes and of
 * rvtrace_etrace_te_inst.modes, whatever their order is in ioptions and doptions.
 */
#define RVTRACE_ETRACE_SIJUMP			(1u << 0)	/* sequentially inferable jumps */
#define RVTRACE_ETRACE_IMPLICIT_RETURN		(1u << 1)
#define RVTRACE_ETRACE_BRANCH_PREDICTION	(1u << 2)
#define RVTRACE_ETRACE_JUMP_TARGET_CACHE	(1u << 3)
#define RVTRACE_ETRACE_IMPLICIT_EXCEPTION	(1u << 4)
#define RVTRACE_ETRACE_FULL_ADDRESS		(1u << 5)
#define RVTRACE_ETRACE_RESYNC_DISABLED		(1u << 6)	/* standard support packet only */
#define RVTRACE_ETRACE_NO_ADDRESS		(1u << 7)	/* data trace: data only */
#define RVTRACE_ETRACE_NO_DATA			(1u << 8)	/* data trace: addresses only */
#define RVTRACE_ETRACE_FULL_DADDRESS		(1u << 9)	/* data trace: never differential */
#define RVTRACE_ETRACE_FULL_DATA		(1u << 10)	/* data trace: never compressed */
#define RVTRACE_ETRACE_MODES			11

/* rvtrace_etrace_params.option: no bit of the support packet says it. */
#define RVTRACE_ETRACE_NO_OPTION		0xff
#define RVTRACE_ETRACE_NO_EVENTS		0xff	/* .type_event: there are none */

/**
 * struct rvtrace_etrace_params - what the stream does not say about itself
 *
 * Parameters of the encoder (E-Trace 2.0, "Parameters and Discovery"); names as there, without _p:
 * @arch: version of the architecture
 * @blocks: how often iretire, itype ... are replicated
 * @bpred_size: the branch predictor has 2^n entries; 0: there is none
 * @cache_size: the jump target cache has 2^n entries; 0: there is none
 * @call_counter_size: the counter of nested calls has n bits; 0: there is none
 * @ctype_width: of the ctype bus
 * @context_width: of context, 0 to 64
 * @time_width: of time, 0 to 64
 * @ecause_width: of ecause, 0 to 32
 * @ecause_choice: bits of ecause for multiple choice
 * @f0s_width: of subformat in format 0, 0 to 8
 * @filter_context: filters look at the context
 * @filter_time: at the time
 * @filter_excint: at exceptions and interrupts
 * @filter_privilege: at the privilege
 * @filter_tval: at the trap value
 * @iaddress_lsb: bits of an address that are not sent, 0 to 3
 * @iaddress_width: of addresses, 8 to 64; addresses of 33 bits and more are sign-extended
 * @iretire_width: of the iretire bus
 * @ilastsize_width: of the ilastsize bus
 * @itype_width: of the itype bus
 * @nocontext: packets have no context
 * @notime: packets have no time
 * @privilege_width: of privilege, 0 to 8
 * @retires: instructions a block may retire
 * @return_stack_size: the return stack has 2^n entries; 0: there is none
 * @sijump: the encoder can leave out sequentially inferable jumps
 * @impdef_width: of the impdef bus
 * @comparators: how many, for filters
 * @filters: how many
 * @taken_branches: how many a block may have
 * @daddress_width: of data addresses, 8 to 64
 * @dblock_width: of the dblock bus
 * @data_width: of data, 8, 16, 32, 64 or 128
 * @dsize_width: of the dsize bus
 * @dtype_width: of the dtype bus; 1: only loads and stores, and format has 2 bits if loads are
 *	unified
 * @iaddr_lsbs_width: of the iaddr_lsbs bus
 * @lrid_width: of load request ids, 0 to 8
 * @lresp_width: of the lresp bus
 * @ldata_width: of the ldata bus
 * @sdata_width: of the sdata bus
 *
 * Encapsulation 1.0:
 * @srcid_width: bits of srcID, 0 to 16 (trTeSrcBits, 0 with trTeInhibitSrc)
 * @timestamp_width: bits of timestamp where header.extend is 1, 0 to 64 in steps of 8
 * @type_width: bits of type, 0 to 8
 * @type_inst: type of instruction trace
 * @type_data: type of data trace, if @type_width is not 0
 * @type_event: type of software trace events, if @type_width is 2 or more, or
 *	RVTRACE_ETRACE_NO_EVENTS
 * @sign_padding: where srcID and type are not a whole number of bytes together: 1: the payload
 *	is sign-extended to the end of its last byte; 0: it is a whole number of bytes and the
 *	rest of the last byte means nothing, as "Packet Length" has it
 *
 * What E-Trace leaves to the implementation:
 * @protocol_minor: 0: the support packet of 2.0, as the following widths say; 1 or more: the
 *	standard one of the 2.0.5 draft (trTeProtocolMinor)
 * @encoder_mode_width: E, 0 to 8
 * @ioptions_width: N, 0 to 32
 * @denable_width: 1 if the support packet has denable, else 0
 * @dloss_width: the same of dloss
 * @doptions_width: M, 0 to 32
 * @option: for each mode, by its number: the bit of ioptions or doptions that says it, or
 *	RVTRACE_ETRACE_NO_OPTION
 * @split: 1: loads and atomics are split into request and data
 * @ddiff_width: bits of diff in data trace without addresses and of CSRs, 1 or 2
 * @iret_ext: 1: packets have irets (2.0.5 draft, "Implicit Return"), else irdepth
 * @infer_all_returns: 1: with implicit returns, the encoder reports no return at all, as the
 *	encoder of the reference flow does: neither behind a synchronization, when both sides have
 *	forgotten the calls before, nor a boot ROM's jump to where the program begins, which looks
 *	like one
 * @mmacas_ext: 1: data trace as in the 2.0.5 draft ("Data Trace of Multiple-Memory Access and
 *	Compare and Swap")
 * @modes: RVTRACE_ETRACE_SIJUMP ...: before the first support packet
 */
struct rvtrace_etrace_params {
	uint8_t arch;
	uint8_t blocks;
	uint8_t bpred_size;
	uint8_t cache_size;
	uint8_t call_counter_size;
	uint8_t ctype_width;
	uint8_t context_width;
	uint8_t time_width;
	uint8_t ecause_width;
	uint8_t ecause_choice;
	uint8_t f0s_width;
	uint8_t filter_context;
	uint8_t filter_time;
	uint8_t filter_excint;
	uint8_t filter_privilege;
	uint8_t filter_tval;
	uint8_t iaddress_lsb;
	uint8_t iaddress_width;
	uint8_t iretire_width;
	uint8_t ilastsize_width;
	uint8_t itype_width;
	uint8_t nocontext;
	uint8_t notime;
	uint8_t privilege_width;
	uint8_t retires;
	uint8_t return_stack_size;
	uint8_t sijump;
	uint8_t impdef_width;
	uint8_t comparators;
	uint8_t filters;
	uint8_t taken_branches;
	uint8_t daddress_width;
	uint8_t dblock_width;
	uint8_t data_width;
	uint8_t dsize_width;
	uint8_t dtype_width;
	uint8_t iaddr_lsbs_width;
	uint8_t lrid_width;
	uint8_t lresp_width;
	uint8_t ldata_width;
	uint8_t sdata_width;
	uint8_t srcid_width;
	uint8_t timestamp_width;
	uint8_t type_width;
	uint8_t type_inst;
	uint8_t type_data;
	uint8_t type_event;
	uint8_t sign_padding;
	uint8_t protocol_minor;
	uint8_t encoder_mode_width;
	uint8_t ioptions_width;
	uint8_t denable_width;
	uint8_t dloss_width;
	uint8_t doptions_width;
	uint8_t option[RVTRACE_ETRACE_MODES];
	uint8_t split;
	uint8_t ddiff_width;
	uint8_t iret_ext;
	uint8_t infer_all_returns;
	uint8_t mmacas_ext;
	uint16_t modes;
};

/**
 * rvtrace_etrace_params_default() - what holds where nothing is said
 * @params: filled: the defaults of "Discovery of encoder parameters", no srcID, timestamp and
 *	type, the support packet of the reference flow (encoder_mode 1 bit, ioptions 5:
 *	implicit return, implicit exception, full address, jump target cache, branch prediction)
 */
void rvtrace_etrace_params_default(struct rvtrace_etrace_params *params);

/**
 * rvtrace_etrace_params_check() - whether packets can be read with these parameters
 * @params: the parameters
 * @name: filled on failure with the name of the parameter to blame, may be NULL
 * @why: filled on failure with what is wrong with it, may be NULL; both are static
 *
 * Return: 0, RVTRACE_ERR_INVALID.
 */
int rvtrace_etrace_params_check(const struct rvtrace_etrace_params *params, const char **name,
				const char **why);

/**
 * rvtrace_etrace_params_load() - parameters from a file
 * @path: a JSON file (see rvtrace_etrace_params_from_json()), or a static config file (.scf) as
 *	the reference flow of E-Trace has them: lines of `name=value`, `#` and `[` begin what is
 *	ignored; infer_all_returns is 1 there unless a line says otherwise
 * @params: filled
 * @error: filled on failure, may be NULL; its text names file and parameter
 *
 * The attributes in table "Required instruction trace attributes" must be there (context_width
 * and time_width only if nocontext and notime are not 1), everything else has its default. A name
 * may end in _p.
 *
 * Return: 0; a negative errno: -EBADMSG: a parameter is missing, unknown, out of range, given
 * twice with different values, or contradicts another one.
 */
int rvtrace_etrace_params_load(const char *path, struct rvtrace_etrace_params *params,
			       struct rvtrace_recording_error *error);

/**
 * rvtrace_etrace_params_from_json() - parameters from JSON
 * @object: an object of numbers; or one that has such an object as its member `etrace`; or
 *	metadata of a recording: the member `etrace` of all sources whose format is `etrace`,
 *	which must be the same
 * @where: what @error's text begins with
 * @params: filled
 * @error: filled on failure, may be NULL
 *
 * Return: as rvtrace_etrace_params_load().
 */
int rvtrace_etrace_params_from_json(struct json_object *object, const char *where,
				    struct rvtrace_etrace_params *params,
				    struct rvtrace_recording_error *error);

/**
 * rvtrace_etrace_params_to_json() - an object that rvtrace_etrace_params_from_json() reads
 * @params: the parameters
 *
 * Return: a new object with all parameters by name; NULL: out of memory.
 */
struct json_object *rvtrace_etrace_params_to_json(const struct rvtrace_etrace_params *params);

/**
 * rvtrace_etrace_param() - one parameter by number, for whoever handles them all
 * @params: the parameters
 * @index: from 0 on
 * @name: filled: without _p; static
 * @value: filled
 *
 * Return: whether there is a parameter of that number.
 */
bool rvtrace_etrace_param(const struct rvtrace_etrace_params *params, size_t index,
			  const char **name, unsigned int *value);

/**
 * rvtrace_etrace_params_set() - one parameter by name
 * @params: the parameters
 * @name: with or without _p
 * @value: what it shall be
 *
 * Return: 0; RVTRACE_ERR_INVALID: there is none of that name, or none may have that value.
 */
int rvtrace_etrace_params_set(struct rvtrace_etrace_params *params, const char *name,
			      uint64_t value);

/**
 * rvtrace_etrace_wrap() - an address as the encoder's address bus has it
 * @params: the parameters
 * @address: the address, for example the sum of the last one and a differential one
 *
 * Return: @address in iaddress_width bits: zero-extended up to 32 bits, else sign-extended.
 */
static inline uint64_t rvtrace_etrace_wrap(const struct rvtrace_etrace_params *params,
					   uint64_t address)
{
	unsigned int above = 64 - params->iaddress_width;

	if (params->iaddress_width <= 32)
		return address << above >> above;
	return (uint64_t)((int64_t)(address << above) >> above);
}

/**
 * rvtrace_etrace_irdepth_width() - bits of irdepth, or of irets
 * @params: the parameters
 *
 * Return: 0 to 31.
 */
static inline unsigned int
rvtrace_etrace_irdepth_width(const struct rvtrace_etrace_params *params)
{
	if (params->iret_ext)
		return 8;
	return params->return_stack_size + !!params->return_stack_size + params->call_counter_size;
}

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
	uint8_t encoder_mode;
	uint8_t qual_status;
	bool denable;
	bool dloss;
	bool standard;
	uint64_t address;
	uint64_t time;
	uint64_t context;
	uint64_t tval;
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
 * @srcid: srcID, 0 without
 * @payload_bit: first bit of the payload (behind type), counted from the first one of @raw
 * @payload_bits: its length
 * @timestamp: of the encapsulation, as sent, if @extend
 * @has_now: @now is valid
 * @now: time of the packet, made of full times (the time field, or a timestamp of 64 bits) and
 *	partial timestamps (2.0.5 draft, "Timestamping"). If packets have no time field, it counts
 *	from the first timestamp
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

#endif /* RVTRACE_ETRACE_H */
