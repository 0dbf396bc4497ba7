/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * N-Trace 1.0 encoder: ingress blocks in, messages out.
 *
 * One struct ntrace_encoder per hart. No allocation, no globals. Messages go
 * out one whole message at a time through a callback that may refuse; then
 * the encoder reports the loss as chapter "Error Message" demands.
 */
#ifndef RVTRACE_ENCODE_NTRACE_H
#define RVTRACE_ENCODE_NTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/encode/ingress.h"
#include "tools/encode/nexus.h"

#define NTRACE_MAX_CALL_STACK	32
#define NTRACE_MAX_CALL_COUNT	1023

/* TCODE */
enum ntrace_tcode {
	NTRACE_OWNERSHIP = 2,
	NTRACE_DIRECT_BRANCH = 3,
	NTRACE_INDIRECT_BRANCH = 4,
	NTRACE_DATA_ACQUISITION = 7,	/* Nexus, not of N-Trace 1.0 */
	NTRACE_ERROR = 8,
	NTRACE_PROG_TRACE_SYNC = 9,
	NTRACE_DIRECT_BRANCH_SYNC = 11,
	NTRACE_INDIRECT_BRANCH_SYNC = 12,
	NTRACE_AUX_ACCESS_WRITE = 14,	/* Nexus, not of N-Trace 1.0 */
	NTRACE_RESOURCE_FULL = 27,
	NTRACE_INDIRECT_BRANCH_HIST = 28,
	NTRACE_INDIRECT_BRANCH_HIST_SYNC = 29,
	NTRACE_REPEAT_BRANCH = 30,
	NTRACE_PROG_TRACE_CORRELATION = 33,
	NTRACE_IN_CIRCUIT_TRACE = 34,		/* SiFive, as is */
	NTRACE_IN_CIRCUIT_TRACE_SYNC = 35,	/* this */
};

/* CKSRC: what in-circuit trace tells of */
enum ntrace_cksrc {
	NTRACE_CKSRC_CONTROL = 0,
	NTRACE_CKSRC_EXTERNAL_TRIGGER = 8,
	NTRACE_CKSRC_CALL = 9,
	NTRACE_CKSRC_EXCEPTION = 10,
	NTRACE_CKSRC_INTERRUPT = 11,
	NTRACE_CKSRC_CONTEXT = 13,
	NTRACE_CKSRC_WATCHPOINT = 14,
	NTRACE_CKSRC_PC_SAMPLE = 15,
};

/* SYNC */
enum ntrace_sync {
	NTRACE_SYNC_EXTERNAL_TRIGGER = 0,
	NTRACE_SYNC_RESET = 1,
	NTRACE_SYNC_PERIODIC = 2,
	NTRACE_SYNC_DEBUG_EXIT = 3,
	NTRACE_SYNC_ICNT = 4,
	NTRACE_SYNC_ENABLE = 5,
	NTRACE_SYNC_EVENT = 6,
	NTRACE_SYNC_OVERRUN = 7,
	NTRACE_SYNC_POWER_UP = 9,
};

/* EVCODE */
enum ntrace_evcode {
	NTRACE_EVCODE_DEBUG = 0,
	NTRACE_EVCODE_LOW_POWER = 1,
	NTRACE_EVCODE_DISABLED = 4,
};

/**
 * struct ntrace_circuit - a message of in-circuit trace (SiFive)
 * @source: CKSRC
 * @sync: the Sync form: an address and a time by themselves
 * @has_more: there is a second CKDATA
 * @where: address; CONTROL without a second CKDATA: a code
 * @more: the second CKDATA: CALL: address of what is called; else as it is
 */
struct ntrace_circuit {
	enum ntrace_cksrc source;
	bool sync;
	bool has_more;
	uint64_t where;
	uint64_t more;
};

/* Messages that can do without a timestamp, if timestamps there are */
enum ntrace_untimed {
	NTRACE_UNTIMED_INDIRECT = 1,	/* indirect branches, traps */
	NTRACE_UNTIMED_OTHER = 2,	/* direct branches and what is no branch */
	NTRACE_UNTIMED_OWNERSHIP = 4,
	NTRACE_UNTIMED_DATA = 8,
};

/* What the periodic synchronization counts (teSyncMode). */
enum ntrace_sync_mode {
	NTRACE_SYNC_OFF = 0,
	NTRACE_SYNC_MESSAGES = 1,
	NTRACE_SYNC_CYCLES = 2,
	NTRACE_SYNC_HALF_WORDS = 3,
};

/**
 * ntrace_filter - whether what comes after @block is traced
 *
 * Called with the opaque pointer of ntrace_encoder_init(), once for each block,
 * and once for one without instructions before the first.
 */
typedef bool (*ntrace_filter)(void *opaque, const struct ingress_block *block);

/**
 * struct ntrace_params - how to encode
 * @history: History Trace Messaging; false is Branch Trace Messaging
 * @repeated_history: count equal full HIST registers (RCODE 2)
 * @branch_runs: a HIST register full of equal outcomes is a count of them, and those that follow
 *	count with it (RCODE 8 and 9, SiFive's)
 * @repeat_branch: count equal branch messages (RepeatBranch); Branch Trace
 *	Messaging only
 * @all_jumps: direct jumps are reported like taken branches
 * @sequential_jump: trust ingress_block.sequential
 * @indirect_without_hist: with an empty HIST register send IndirectBranch
 *	instead of IndirectBranchHist (a choice the specification leaves)
 * @icnt_sync: a full I-CNT is reported by ProgTraceSync, SYNC 4, instead of
 *	ResourceFull; Branch Trace Messaging only
 * @distinguish_traps: B-TYPE 2 and 3 for exception and interrupt; false is 1
 *	for both
 * @extend_addr_msb: addresses skip equal most significant bits
 * @ownership: Ownership messages
 * @scontext: the hart has scontext; false: Ownership tells V and PRV only,
 *	after a synchronization too
 * @filter_machine: what runs in M-mode is not traced
 * @filter: what else is not; NULL: all is
 * @timestamp: messages end with TSTAMP
 * @timestamp_xor: TSTAMP is what differs from the one before, not by how much
 *	(SiFive's)
 * @untimed: set of enum ntrace_untimed: those without TSTAMP all the same
 * @place_data: before DataAcquisition, ResourceFull messages tell what has
 *	retired, so that it has its place among the instructions
 * @call_stack: entries of the return address stack, full addresses; the
 *	oldest entry is lost when it is full; 0: returns are not inferred
 * @call_count: how far calls are counted, not together with @call_stack: while the count is
 *	above 0, a return is not reported, wherever it goes (SiFive's); 0: they are not counted
 * @swap_is_call: a co-routine swap is counted, and reported, as a call; false: as a return, then
 *	as a call
 * @calls_outlive_sync: what no encoder does, to see that it is noticed: synchronizations leave the
 *	count
 * @traps_clear_calls: likewise: traps clear it
 * @call_after_sync: a call that a synchronization reports is counted after that has cleared
 *	the count; false: before
 * @xlen: 32 or 64
 * @address_bits: with @xlen 64: of addresses that many bits are sent, bit 0 counted, which never
 *	is; the reader extends them (SiFive's: 49); 0: all
 * @src: source id
 * @src_bits: its width, 0 (not sent) to 12
 * @timestamp_bits: timestamps count modulo 2^n, 1 to 64
 * @icnt_bits: I-CNT is full when bit n - 1 is set, 4 to 30; more than 22 are
 *	more than N-Trace 1.0 advises
 * @hist_bits: size of HIST with its stop bit, 3 to 32
 * @hist_patterns: with @repeated_history: further pattern lengths that are
 *	tried, in this order, when two full registers differ; each more than
 *	2/3 of @hist_bits - 1 and less than it; 0: none
 * @repeat_bits: size of the HREPEAT and B-CNT counters, 1 to 18; of RDATA with @branch_runs
 * @sync_mode: what the periodic synchronization counts
 * @sync_interval: messages, cycles or half-words between synchronizations
 * @icnt_interval: half-words without a message after which one synchronizes,
 *	giving SYNC 4; 0: no limit
 */
struct ntrace_params {
	bool history;
	bool repeated_history;
	bool branch_runs;
	bool repeat_branch;
	bool all_jumps;
	bool sequential_jump;
	bool indirect_without_hist;
	bool icnt_sync;
	bool distinguish_traps;
	bool extend_addr_msb;
	bool ownership;
	bool scontext;
	bool filter_machine;
	ntrace_filter filter;
	bool place_data;
	bool timestamp;
	bool timestamp_xor;
	uint8_t untimed;
	uint8_t call_stack;
	uint16_t call_count;
	bool swap_is_call;
	bool call_after_sync;
	bool calls_outlive_sync;
	bool traps_clear_calls;
	uint8_t xlen;
	uint8_t address_bits;
	uint16_t src;
	uint8_t src_bits;
	uint8_t timestamp_bits;
	uint8_t icnt_bits;
	uint8_t hist_bits;
	uint8_t hist_patterns[2];
	uint8_t repeat_bits;
	enum ntrace_sync_mode sync_mode;
	uint64_t sync_interval;
	uint64_t icnt_interval;
};

/**
 * ntrace_emit - take one message
 *
 * Return: false when there is no room. The message is lost then; an Error
 * message and a synchronization follow when there is room again.
 */
typedef bool (*ntrace_emit)(void *opaque, const uint8_t *message, size_t size);

/* The return address stack; the oldest entry falls out when it is full. */
struct ntrace_call_stack {
	uint64_t address[NTRACE_MAX_CALL_STACK];
	uint8_t size;
	uint8_t top;
	uint8_t used;
};

/*
 * Branch history, oldest bit most significant, below a stop bit. With
 * repeated history it holds up to two full registers, to find the pattern
 * that is being repeated, or what follows the pattern while that repeats.
 */
struct ntrace_history {
	uint64_t bits;
	uint64_t pattern;
	uint8_t used;		/* bits, without the stop bit */
	uint8_t length;		/* of the pattern, 0: none is repeating */
	uint32_t count;		/* its repetitions */
	uint64_t time;		/* when the last one ended */
};

/* A branch message that could be repeated. */
struct ntrace_last_branch {
	uint8_t tcode;		/* 0: none */
	uint8_t btype;
	uint32_t icnt;
	uint64_t uaddr;
	uint32_t repeats;
	uint64_t time;
};

/* State of one encoder; all fields are private. */
struct ntrace_encoder {
	struct ntrace_params params;
	ntrace_emit emit;
	void *opaque;

	bool enabled;
	bool tracing;		/* enabled and not filtered */
	uint64_t icnt;
	struct ntrace_history hist;
	uint64_t address;	/* reference for U-ADDR */
	uint64_t time;		/* last reported */
	struct ingress_context context;

	struct ntrace_last_branch last;
	struct ntrace_call_stack stack;
	uint16_t calls;		/* counted, and not returned from */

	uint64_t sync_count;	/* messages or half-words since the last one */
	uint64_t sync_cycles;	/* clock at the last one */
	int sync_request;	/* SYNC asked for, -1: none */

	uint8_t lost;		/* ECODE of what was lost and not reported */
	bool resync;		/* nothing but a synchronization may follow */
	uint64_t lost_time;

	struct nexus_message msg;
};

/* Return: NULL, or what is wrong with @params. */
const char *ntrace_params_check(const struct ntrace_params *params);

/**
 * ntrace_encoder_init() - prepare an encoder
 * @params: valid parameters; copied
 */
void ntrace_encoder_init(struct ntrace_encoder *enc,
			 const struct ntrace_params *params, ntrace_emit emit,
			 void *opaque);

/**
 * ntrace_encoder_start() - tracing starts
 * @pc: address of the next instruction
 * @context: in force now
 * @time: timestamp
 * @cycles: clock, as in ingress_block
 * @reason: value of SYNC, unless messages were lost before: 7 then
 */
void ntrace_encoder_start(struct ntrace_encoder *enc, uint64_t pc,
			  const struct ingress_context *context, uint64_t time,
			  uint64_t cycles, enum ntrace_sync reason);

/* Encode one block. Ignored while tracing is stopped. */
void ntrace_encoder_block(struct ntrace_encoder *enc,
			  const struct ingress_block *block);

/* Synchronize at the end of the next block, giving @reason as SYNC. */
void ntrace_encoder_request_sync(struct ntrace_encoder *enc,
				 enum ntrace_sync reason);

/**
 * ntrace_encoder_stop() - tracing stops: ProgTraceCorrelation
 * @pc: address of the instruction that would have been next
 * @time: timestamp
 * @cycles: clock, as in ingress_block
 * @evcode: reason
 *
 * While tracing is stopped only a loss that was not reported yet is.
 */
void ntrace_encoder_stop(struct ntrace_encoder *enc, uint64_t pc, uint64_t time,
			 uint64_t cycles, enum ntrace_evcode evcode);

/**
 * ntrace_encoder_data() - DataAcquisition: software wrote something
 * @tag: IDTAG
 * @data: DQDATA
 * @time: timestamp
 * @timed: it may carry one
 *
 * Return: false when it was lost.
 */
bool ntrace_encoder_data(struct ntrace_encoder *enc, uint32_t tag, uint64_t data,
			 uint64_t time, bool timed);

/*
 * What software said was lost on its way here. Messages of instructions go on; an Error and a
 * synchronization come with the next block.
 */
void ntrace_encoder_lose_data(struct ntrace_encoder *enc, uint64_t time);

/* Ownership: software says what runs, in words of its own. */
void ntrace_encoder_owner(struct ntrace_encoder *enc, uint32_t process,
			  uint64_t time);

/*
 * AuxAccessWrite: software wrote something to an address (Nexus). Return: false when it was lost.
 */
bool ntrace_encoder_auxiliary(struct ntrace_encoder *enc, uint32_t address, uint64_t data,
			      uint64_t time);

/* In-circuit trace, of what happened meanwhile. Return: false when it was lost. */
bool ntrace_encoder_circuit(struct ntrace_encoder *enc, const struct ntrace_circuit *circuit,
			    uint64_t time);

/* Report a loss that could not be reported yet. Return: nothing is owed. */
bool ntrace_encoder_report_loss(struct ntrace_encoder *enc);

#endif /* RVTRACE_ENCODE_NTRACE_H */
