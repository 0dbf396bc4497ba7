/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The debug specification's trace in the flow decoder. Decisions where that is silent are in
 * rvtrace/debugspec.h.
 *
 *	flow_debugspec.c		packets to events and walks
 *	flow_debugspec_pc.c		PC values: what they are of, and where they lead
 *	flow_debugspec_privilege.c	Privilege Level
 *	flow_debugspec_access.c		addresses and data to accesses, and to their instructions
 *	flow_debugspec_walk.c		the way through the code: first looked for, then walked
 *	flow_debugspec_format.c		what the decoder asks of a format
 *
 * What a PC is of shows in what follows it, so one PC of each hart is held back until its next
 * packet. A packet that has something to wait for is handled again when that is done.
 */
#ifndef FLOW_DEBUGSPEC_H
#define FLOW_DEBUGSPEC_H

#include "flow_internal.h"

#define DEBUGSPEC_SHOWN		256	/* accesses at a time, */
#define DEBUGSPEC_SHOWN_MAX	(DEBUGSPEC_SHOWN - 2 * QUEUE_SIZE)	/* and those of one read */

/* Packets that tell of an access: kind, and whether they have an address */
#define DEBUGSPEC_LOAD		1
#define DEBUGSPEC_STORE		2
#define DEBUGSPEC_ADDRESS	4

/* What to look for in the code. */
enum debugspec_aim {
	AIM_PC,			/* the instruction at an address, up to and including it */
	AIM_BRANCH,		/* the next branch */
	AIM_JUMP,		/* the next indirect jump, or return from a trap */
	AIM_ACCESS,		/* the next instruction that makes an access */
	AIM_TRAP,		/* the next ecall, ebreak or return from a trap */
};

/* What came of looking. */
enum debugspec_found {
	FOUND,
	NOT_FOUND,		/* the code leads elsewhere, or not on without knowing more */
	NO_CODE,
};

/* What is to be done when the walk is over. */
enum debugspec_after {
	AFTER_BRANCH,
	AFTER_JUMP,
	AFTER_SOURCE,		/* one end of a jump or a trap */
	AFTER_STOP,
	AFTER_ACCESS,
	AFTER_TRAP,		/* of which the trace does not tell the target */
};

/**
 * struct debugspec_insn - an instruction on the way
 * @address: of it
 * @target: where it leads, if it is a direct jump or a branch
 * @kind: enum rvtrace_insn_kind
 * @size: bytes
 * @code: the first of them
 */
struct debugspec_insn {
	uint64_t address;
	uint64_t target;
	uint8_t kind;
	uint8_t size;
	uint8_t code[4];
};

/**
 * struct debugspec_way - a way through the code
 * @aim: enum debugspec_aim
 * @pc: AIM_PC: the address
 * @branches: goes on behind branches: those that were taken are reported
 * @access: AIM_ACCESS: by what packets: DEBUGSPEC_LOAD ...
 * @count: instructions on it; while it is walked, those that are left
 * @insn: the last one
 * @traps: that traps, so the way ends before it
 */
struct debugspec_way {
	uint8_t aim;
	uint64_t pc;
	bool branches;
	uint8_t access;
	uint64_t count;
	struct debugspec_insn insn;
	bool traps;
};

/**
 * struct debugspec_access - address and data that belong together
 * @header: of their first packet; 0: there is none
 * @has_address, @has_data: what there is
 * @address, @known: of the address, the latter of its bits
 * @data: the data
 * @offset: of the first packet
 */
struct debugspec_access {
	uint8_t header;
	bool has_address;
	bool has_data;
	uint64_t address;
	uint64_t known;
	uint64_t data;
	uint64_t offset;
};

/* One end of a jump or trap was reported, the other is yet to come. */
enum debugspec_source {
	SOURCE_NONE,
	SOURCE_JUMP,
	SOURCE_TRAP,		/* or return from one; Privilege Level may come before the target */
};

/**
 * struct debugspec_state - what a source has beside struct source
 * @fresh: tracing has begun: the first PC is where the hart is
 * @held: what the last PC is of is not known yet; it is @held_pc, at @held_offset
 * @held_target: it is where a jump led, unless Privilege Level follows
 * @unsure: reading began where the hart is, and what it executed before is not known
 * @disabled: Trace Disabled came, at @disabled_offset
 * @ending: enum debugspec_source
 * @from: what is known of that: the instruction, if @from_known
 * @has_privilege: Privilege Level came: @privilege
 * @has_last: @last is the last instruction on the way; without code, its address alone
 * @told: a jump or trap was told to come from @last, and nothing was of what executed since
 * @has_time: @time is to be the source's, when what came before it is done
 * @nybbles: of its packets
 * @access: whose data are yet to come
 * @more: DEBUGSPEC_LOAD or DEBUGSPEC_STORE: @last may still make accesses of this kind; 0: it
 *	makes none
 * @left: how many; 0: any number
 */
struct debugspec_state {
	bool fresh;
	bool held;
	bool held_target;
	bool disabled;
	bool from_known;
	bool has_privilege;
	bool has_last;
	bool told;
	bool unsure;
	bool has_time;
	uint8_t ending;
	uint8_t privilege;
	uint8_t more;
	uint8_t left;
	uint64_t held_pc;
	uint64_t held_offset;
	uint64_t disabled_offset;
	uint64_t time;
	uint64_t nybbles;
	struct debugspec_insn last;
	struct debugspec_insn from;
	struct debugspec_access access;
};

/**
 * struct debugspec_flow - what the decoder has beside struct rvtrace_flow
 * @packet: the packet being handled
 * @way: the way under way
 * @access: AFTER_ACCESS: it
 * @after: enum debugspec_after
 * @ending: AFTER_SOURCE: enum debugspec_source
 * @taken: AFTER_BRANCH: it was
 * @pc: the PC being handled, held or not
 * @unowned: nybbles of packets of which no Change Hart has told whose they are, the first one at
 *	@unowned_from; 0 as soon as one tells
 * @shown: accesses that items point to, the next one at @shown_count modulo its size
 * @shown_since: @shown_count when this read began
 */
struct debugspec_flow {
	struct rvtrace_debugspec_packet packet;
	struct debugspec_way way;
	struct debugspec_access access;
	uint8_t after;
	uint8_t ending;
	bool taken;
	uint64_t pc;
	uint64_t unowned;
	uint64_t unowned_from;
	struct rvtrace_flow_access shown[DEBUGSPEC_SHOWN];
	uint64_t shown_count;
	uint64_t shown_since;
};

static inline struct debugspec_state *debugspec_state(const struct rvtrace_flow *flow)
{
	return flow->source->debugspec;
}

static inline bool debugspec_emits(const struct rvtrace_flow *flow, unsigned int what)
{
	return flow->config.debugspec.emit & what;
}

/* To the letter, indirect jumps are told of only where data of stores are traced. */
static inline bool debugspec_jumps_untold(const struct rvtrace_flow *flow)
{
	return flow->config.debugspec.literal &&
	       debugspec_emits(flow, RVTRACE_DEBUGSPEC_EMIT_BRANCH) &&
	       !debugspec_emits(flow, RVTRACE_DEBUGSPEC_EMIT_STORE_DATA);
}

/* The hart's place in the code is known. */
static inline bool debugspec_known(const struct rvtrace_flow *flow)
{
	return flow->source->synced && !flow->source->gap;
}

static inline bool debugspec_has_branches(const struct rvtrace_flow *flow)
{
	return debugspec_emits(flow, RVTRACE_DEBUGSPEC_EMIT_BRANCH);
}

/* flow_debugspec.c */
int flow_debugspec_next(struct rvtrace_flow *flow);
void flow_debugspec_walked(struct rvtrace_flow *flow);
void flow_debugspec_leave(struct rvtrace_flow *flow);
void debugspec_walk_on(struct rvtrace_flow *flow, enum debugspec_after after);
void debugspec_lose(struct rvtrace_flow *flow, int error);
void debugspec_lose_way(struct rvtrace_flow *flow, int error);
void debugspec_no_code(struct rvtrace_flow *flow);

/* flow_debugspec_pc.c */
bool debugspec_resolve_held(struct rvtrace_flow *flow);
bool debugspec_break_off(struct rvtrace_flow *flow);
void debugspec_pc(struct rvtrace_flow *flow);
void debugspec_apply_privilege(struct rvtrace_flow *flow);
void debugspec_once_more(struct rvtrace_flow *flow);
void debugspec_after_source(struct rvtrace_flow *flow);
void debugspec_after_jump(struct rvtrace_flow *flow);

/* flow_debugspec_access.c */
bool debugspec_resolve_access(struct rvtrace_flow *flow);
void debugspec_take_access(struct rvtrace_flow *flow);
void debugspec_after_access(struct rvtrace_flow *flow);
void debugspec_drop_access(struct rvtrace_flow *flow);
bool debugspec_makes_access(const struct rvtrace_flow *flow, uint8_t which, const uint8_t *code,
			    size_t size);

/* flow_debugspec_privilege.c */
void debugspec_after_trap(struct rvtrace_flow *flow);
void debugspec_privilege(struct rvtrace_flow *flow);

/* flow_debugspec_walk.c */
enum walk_status flow_debugspec_walk(struct rvtrace_flow *flow, struct output *out);
enum debugspec_found debugspec_find(struct rvtrace_flow *flow, struct debugspec_way *way);
bool debugspec_ends_at_jump(const struct debugspec_way *way);
bool debugspec_traps(const struct debugspec_insn *insn);

/* flow_debugspec_format.c */
extern const struct flow_format flow_debugspec_format;

#endif /* FLOW_DEBUGSPEC_H */
