/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * E-Trace 2.0 encoder, with the extensions of the 2.0.5 draft: ingress blocks in, packets out.
 *
 * One struct etrace_encoder per hart. No allocation, no globals. Packets go out one whole
 * encapsulated packet at a time through a callback that may refuse; then the encoder reports the
 * loss in a support packet and synchronizes (chapter "Format 3 subformat 3").
 *
 * What an instruction calls for is decided when it is known what comes after it (chapter
 * "Reference Compressed Branch Trace Algorithm"): the last instruction of a block is held until
 * then.
 */
#ifndef RVTRACE_ENCODE_ETRACE_H
#define RVTRACE_ENCODE_ETRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/encode/ingress.h"

/* Longest encapsulated packet: header, srcID, timestamp, payload. */
#define ETRACE_MAX_PACKET	(1 + 2 + 8 + 31)

#define ETRACE_MAX_RETURN_STACK	15	/* as a power of two, as are these: */
#define ETRACE_MAX_PREDICTOR	16
#define ETRACE_MAX_CACHE	16

#define ETRACE_MAX_ACCESSES	64	/* of one instruction */
#define ETRACE_LRIDS		256
#define ETRACE_MAX_EVENTS	2	/* of one instruction */
#define ETRACE_MAX_LOST		0xffff	/* events, as a packet tells it */
#define ETRACE_SIZES		5	/* of data: 1 to 16 bytes */

/* Modes, in ioptions and doptions: bits of etrace_params.modes. */
enum etrace_mode {
	ETRACE_SIJUMP,			/* sequentially inferable jumps are not reported */
	ETRACE_IMPLICIT_RETURN,
	ETRACE_BRANCH_PREDICTION,
	ETRACE_JUMP_TARGET_CACHE,
	ETRACE_IMPLICIT_EXCEPTION,
	ETRACE_FULL_ADDRESS,
	ETRACE_RESYNC_DISABLED,		/* set by the encoder itself */
	ETRACE_NO_ADDRESS,		/* data trace: data alone */
	ETRACE_NO_DATA,			/* data trace: addresses alone */
	ETRACE_FULL_DADDRESS,		/* data trace: no differential addresses */
	ETRACE_FULL_DATA,		/* data trace: no compressed data */
	ETRACE_MODES,
};

#define ETRACE_MODE(mode)	(1u << ETRACE_##mode)

/* etrace_params.option: no bit of the support packet says it. */
#define ETRACE_NO_OPTION	0xff

/* qual_status */
enum etrace_qual_status {
	ETRACE_NO_CHANGE = 0,
	ETRACE_ENDED_REP = 1,
	ETRACE_TRACE_LOST = 2,
	ETRACE_ENDED_NTR = 3,
};

/* How a change of the context is reported (ctype). */
enum etrace_ctype {
	ETRACE_CONTEXT_UNREPORTED = 0,
	ETRACE_CONTEXT_IMPRECISE = 1,
	ETRACE_CONTEXT_PRECISE = 2,
	ETRACE_CONTEXT_DISCONTINUITY = 3,
};

/* What the resynchronization counts. */
enum etrace_sync_mode {
	ETRACE_SYNC_OFF = 0,
	ETRACE_SYNC_PACKETS = 1,
	ETRACE_SYNC_CYCLES = 2,
	ETRACE_SYNC_HALF_WORDS = 3,
};

/**
 * etrace_filter - whether what comes after @block is traced
 *
 * Called with the opaque pointer of etrace_encoder_init(), once for each block, and once for one
 * without instructions before the first.
 */
typedef bool (*etrace_filter)(void *opaque, const struct ingress_block *block);

/**
 * struct etrace_params - how to encode
 *
 * Names of chapter "Parameters and Discovery", without _p:
 * @iaddress_width: 8 to 64; above 32, the hart is one of RV64
 * @iaddress_lsb: 0 to 2
 * @bpred_size: 2^n entries, 0: there is no predictor
 * @cache_size: 2^n entries, 0: there is no cache
 * @return_stack_size: 2^n entries, 0: there is no stack
 * @call_counter_size: counts 2^n calls, 0: there is no counter; with a return stack (2.0.5
 *	draft): how often an entry counts the same return address, 2^n. 0 to 15
 * @context_width: 1 to 64
 * @nocontext: packets have no context
 * @time_width: 1 to 64
 * @notime: packets have no time
 * @ecause_width: 0 to 32
 * @privilege_width: 0 to 8; what does not fit into it is cut off
 * @f0s_width: 0 to 8
 * @data_width: of data trace: 8 to 128
 * @daddress_width: 8 to 64
 * @dtype_width: 1 to 4: which kinds of accesses there are (enum ingress_dtype); 1: format has 2
 *	bits if loads are unified
 * @lrid_width: 0: loads and atomics are unified, else they are split
 *
 * Encapsulation:
 * @src: srcID
 * @src_bits: its width, 0 (not sent) to 16
 * @flow: 0 to 3
 * @timestamp_bytes: 0 (not sent) to 8
 * @type_bits: width of type, 0 to 8
 * @type_inst: type of instruction trace
 * @type_data: type of data trace
 * @type_event: type of software trace events: 2 or more (etrace_events_check())
 * @src_event: instead of a type of their own: the bit of srcID that is set in their packets, and
 *	in no other; 0: they have @type_event
 * @sign_padding: srcID and type that are not whole bytes together: the sign goes on to the end
 *	of the last byte; false: the payload is a whole number of bytes, and zeroes follow
 *
 * What is on:
 * @modes: set of ETRACE_MODE()
 * @ctype: how the hart has changes of the context reported
 * @sync_mode: what the resynchronization counts
 * @sync_interval: packets, cycles or half-words
 * @filter: what is traced; NULL: all is
 * @data: data trace
 *
 * What the specification leaves open, or has in versions:
 * @standard_support: the support packet of the 2.0.5 draft
 * @irets: irets instead of irdepth (2.0.5 draft)
 * @encoder_mode_width: of encoder_mode, if the support packet is not the standard one
 * @ioptions_width: likewise
 * @denable_width: likewise, 0 or 1
 * @dloss_width: likewise, 0 or 1
 * @doptions_width: likewise
 * @option: for each mode its bit in ioptions or doptions, or ETRACE_NO_OPTION
 * @early_filter: the end of what is traced is known early enough for updiscon to tell it;
 *	qual_status is never ended_ntr
 * @sync_waits: a resynchronization waits for a packet, and that packet counts (counting packets)
 * @infer_all_returns: a return is inferred whatever the stack or counter holds
 * @irdepth_ones: irdepth that tells nothing has all bits set, whatever updiscon is
 * @whole_sync: formats 0 and 3 are not sign-compressed
 * @ddiff_width: bits of diff in data trace without addresses and of CSRs: 1 (XOR is what
 *	compresses then) or 2
 * @mmacas: data trace as in the 2.0.5 draft
 */
struct etrace_params {
	uint8_t iaddress_width;
	uint8_t iaddress_lsb;
	uint8_t bpred_size;
	uint8_t cache_size;
	uint8_t return_stack_size;
	uint8_t call_counter_size;
	uint8_t context_width;
	bool nocontext;
	uint8_t time_width;
	bool notime;
	uint8_t ecause_width;
	uint8_t privilege_width;
	uint8_t f0s_width;
	uint8_t data_width;
	uint8_t daddress_width;
	uint8_t dtype_width;
	uint8_t lrid_width;

	uint16_t src;
	uint16_t src_event;
	uint8_t src_bits;
	uint8_t flow;
	uint8_t timestamp_bytes;
	uint8_t type_bits;
	uint8_t type_inst;
	uint8_t type_data;
	uint8_t type_event;
	bool sign_padding;

	uint16_t modes;
	enum etrace_ctype ctype;
	enum etrace_sync_mode sync_mode;
	uint64_t sync_interval;
	etrace_filter filter;
	bool data;

	bool standard_support;
	bool irets;
	uint8_t encoder_mode_width;
	uint8_t ioptions_width;
	uint8_t denable_width;
	uint8_t dloss_width;
	uint8_t doptions_width;
	uint8_t option[ETRACE_MODES];
	bool early_filter;
	bool sync_waits;
	bool infer_all_returns;
	bool irdepth_ones;
	bool whole_sync;
	uint8_t ddiff_width;
	bool mmacas;
};

/**
 * etrace_emit - take one encapsulated packet
 *
 * Return: false when there is no room. The packet is lost then; a support packet that says so
 * and a synchronization follow when there is room again.
 */
typedef bool (*etrace_emit)(void *opaque, const uint8_t *packet, size_t size);

/* An instruction that retired, or a trap. */
struct etrace_event {
	bool valid;
	bool trap;
	bool branch;
	bool taken;
	bool sequential;
	bool notify;
	uint8_t itype;		/* how it went on; INGRESS_NONE: in line */
	uint32_t halfwords;	/* retired with it and before it, since the last event */
	uint64_t pc;		/* its address; trap: where the hart was */
	uint64_t next;		/* address after it, in line */
	uint64_t target;	/* where it went */
	uint64_t time;
	uint64_t cycles;
	uint64_t cause;
	uint64_t tval;
	struct ingress_context context;	/* in force for it; trap: before it */
};

/* Expected return addresses; the oldest entry falls out when it is full. */
struct etrace_return_stack {
	uint32_t top;
	uint32_t used;		/* without a stack: the counter of calls */
	uint64_t address[1 << ETRACE_MAX_RETURN_STACK];
	uint32_t count[1 << ETRACE_MAX_RETURN_STACK];
};

/* Branches that were not reported yet. */
struct etrace_branches {
	uint32_t map;		/* the first 31; oldest in bit 0, 1: not taken */
	uint64_t count;
	bool missed;		/* one of them was predicted wrong */
	bool failed;		/* after 31 and more correct ones, not in count */
};

/* How the instruction before went on. */
struct etrace_previous {
	bool discon;		/* to where nobody can infer */
	bool returned;		/* it was a return, and inferred */
	bool failed;		/* it was a return, and not where it was expected */
	bool unexpected;	/* it was a return, and nothing was expected */
	uint32_t depth;		/* of a return: calls that were open before it */
};

/* What was sent last, for differences. */
struct etrace_last_value {
	bool valid;
	uint64_t value[2];
};

/*
 * Data trace. What compresses is relative to the last packet of the same size that had an address,
 * data or an operand; CSRs have data and operands of their own.
 */
struct etrace_accesses {
	struct etrace_last_value address[ETRACE_SIZES];
	struct etrace_last_value data[ETRACE_SIZES + 1];	/* the last: CSRs */
	struct etrace_last_value operand[ETRACE_SIZES + 1];
	struct ingress_access held[ETRACE_MAX_ACCESSES];	/* of the event that is */
	unsigned int held_count;
	uint8_t requested[ETRACE_LRIDS];	/* 0: nothing; size + 1, of atomics + 16 */
	bool lost;		/* a packet, and it is not reported */
};

/* A software trace event. */
struct etrace_software_event {
	uint16_t id;
	uint64_t value;
	uint64_t time;
};

/*
 * Software trace: events of the instruction that is held come behind the packet that reports it.
 */
struct etrace_events {
	struct etrace_software_event held[ETRACE_MAX_EVENTS];
	unsigned int held_count;
	uint64_t lost;		/* and not reported */
	uint64_t lost_total;
};

/* State of one encoder; all fields are private. */
struct etrace_encoder {
	struct etrace_params params;
	etrace_emit emit;
	void *opaque;

	bool enabled;
	bool tracing;		/* enabled and not filtered */
	bool first;		/* the next instruction is the first traced one */
	struct etrace_event held;
	struct etrace_event pending;	/* trap that is not reported with its handler yet */
	bool pending_told;	/* but was, with thaddr 0 */
	struct ingress_context context;	/* after the last block */
	struct ingress_context last;	/* of the last event */
	uint32_t reported_context;

	uint64_t address;	/* reference for differential addresses */
	struct etrace_branches branches;
	struct etrace_previous previous;
	bool unconfirmed;	/* the last packet may be taken for an earlier visit */
	uint32_t irets;		/* inferred returns since the last branch or packet */
	bool returned_since_call;
	bool branch_since_return;

	uint64_t sync_count;	/* packets or half-words since the last synchronization */
	uint64_t sync_cycles;	/* clock at the last one */
	uint8_t sync_state;	/* as in chapter "Resynchronisation": 1 to 3 */

	uint64_t time;		/* of the event at hand */
	uint64_t last_time;	/* of the last packet */
	bool timed;		/* there is one */
	bool lost;		/* packets were, and it is not reported */

	struct etrace_accesses accesses;
	struct etrace_events events;

	/* Last, and cleared only as far as the parameters reach: see etrace_forget() */
	struct etrace_return_stack stack;
	bool cached[1 << ETRACE_MAX_CACHE];
	uint64_t cache[1 << ETRACE_MAX_CACHE];
	uint8_t predictor[1 << ETRACE_MAX_PREDICTOR];
};

/* Return: NULL, or what is wrong with @params. */
const char *etrace_params_check(const struct etrace_params *params);

/* Return: NULL, or why @params, which are valid, have no room for software trace events. */
const char *etrace_events_check(const struct etrace_params *params);

/**
 * etrace_encoder_init() - prepare an encoder
 * @params: valid parameters; copied
 */
void etrace_encoder_init(struct etrace_encoder *enc, const struct etrace_params *params,
			 etrace_emit emit, void *opaque);

/**
 * etrace_encoder_start() - tracing starts: a support packet
 * @pc: address of the next instruction
 * @context: in force now
 * @time: timestamp
 * @cycles: clock, as in ingress_block
 */
void etrace_encoder_start(struct etrace_encoder *enc, uint64_t pc,
			  const struct ingress_context *context, uint64_t time, uint64_t cycles);

/**
 * etrace_encoder_block() - encode one block
 * @block: ignored while tracing is stopped
 *
 * Data packets of an instruction come behind the packet that reports it, if one does, and before
 * any that reports a later one. What data_width or dtype_width cannot tell, and what is more
 * than ETRACE_MAX_ACCESSES, counts as lost.
 */
void etrace_encoder_block(struct etrace_encoder *enc, const struct ingress_block *block);

/**
 * etrace_encoder_response() - a split load or atomic has ended
 * @response: ignored if its request was not sent
 */
void etrace_encoder_response(struct etrace_encoder *enc, const struct ingress_response *response);

/**
 * etrace_encoder_event() - software trace: the last instruction emitted an event
 * @id: identifier, 1 to 0xffff
 * @value: 32 bits if iaddress_width is up to 32, else 64
 * @time: timestamp, not before that of the last block
 *
 * The instruction is reported (notify), and the event right behind it: in a packet of type_event,
 * or with src_event, with 16 bits of identifier and the value. Where there is none that was
 * traced, the event is sent at once. What there is no room for is lost; that alone loses no
 * instructions if the caller makes sure of room first.
 */
void etrace_encoder_event(struct etrace_encoder *enc, uint16_t id, uint64_t value, uint64_t time);

/* An event was lost before it came here. */
void etrace_encoder_lose_event(struct etrace_encoder *enc);

/**
 * etrace_encoder_report_lost_events() - an event with identifier 0 and how many were lost
 * @time: timestamp
 *
 * Sent before the next event or the end of the trace, at the latest.
 */
void etrace_encoder_report_lost_events(struct etrace_encoder *enc, uint64_t time);

/* Synchronize as if the resynchronization were due. */
void etrace_encoder_request_sync(struct etrace_encoder *enc);

/**
 * etrace_encoder_stop() - tracing stops: the last instruction is reported, and a support packet
 * @time: timestamp
 */
void etrace_encoder_stop(struct etrace_encoder *enc, uint64_t time);

/* Report a loss that could not be reported yet. Return: nothing is owed. */
bool etrace_encoder_report_loss(struct etrace_encoder *enc);

/**
 * etrace_synchronization() - null packets from which a decoder finds the next packet
 * @out: room for 31 + 2 + 8 + 1 bytes
 *
 * E-Trace encapsulation 1.0, chapter "Synchronization": as for unframed streams.
 *
 * Return: how many bytes.
 */
size_t etrace_synchronization(const struct etrace_params *params, uint8_t *out);

#endif /* RVTRACE_ENCODE_ETRACE_H */
