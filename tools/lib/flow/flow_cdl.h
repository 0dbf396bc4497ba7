/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the flow decoder has of CDL compressed trace.
 *
 *	flow_cdl.c		items to walks and events
 *	flow_cdl_walk.c		walks of so many instructions
 *	flow_cdl_format.c	what the decoder asks of a format
 */
#ifndef FLOW_CDL_H
#define FLOW_CDL_H

#include <rvtrace/cdl.h>

#include "flow_internal.h"

#define CDL_LATER	16	/* items that wait for the PC of a jump before them */
#define CDL_JUMPS	2	/* whose PC may be under way: hardware sends it a cycle later */

/* What to do when the walk is over. */
enum cdl_action {
	CDL_NOTHING,
	CDL_JUMPED,
	CDL_LOCATE,		/* a PC that belongs to no jump */
	CDL_REPORT,		/* a register or a trace point */
};

/**
 * struct cdl_jump - one whose PC did not come yet
 * @known: the code told where it leads
 * @target: where, if @known
 */
struct cdl_jump {
	bool known;
	uint64_t target;
};

/**
 * struct cdl_state - what lies between two items
 * @item: being handled
 * @later: items that wait, oldest first
 * @later_count: how many
 * @later_jumps: jumps among them
 * @jumps: whose PC did not come yet, oldest first; only the last one can be unknown
 * @jump_count: how many
 * @starting: rtl: nothing was executed before the first PC, but for @first, if @has_first: the
 *	first instruction is a jump
 * @leading: jumps without a PC before the source is synchronized, CDL_JUMPS at most
 * @waiting: the last of @jumps is not known: nothing can be walked until its PC comes
 * @trapped: it is a trap, from @from
 * @returned: it is a return from a trap, at @from
 * @has_from: @from is known
 * @owed: instructions that were reported and not walked
 * @carried: rtl: instructions walked that the next SSS counts as well, if @carries
 * @carries: @carried is known
 * @seven: the last item was SSS 7
 * @counted: it was SSS
 * @jump_pc: the last jump, if @has_jump_pc
 * @jumps_last: of the walk: its last instruction is the jump
 * @either: of the walk: or the one behind it is
 * @nybbles: of all items
 * @ending: @final follows when all items are handled; @damage: enum rvtrace_error, instead of it
 * @has_final: @final is valid
 */
struct cdl_state {
	struct rvtrace_cdl_item item;
	struct rvtrace_cdl_item later[CDL_LATER];
	unsigned int later_count;
	unsigned int later_jumps;
	struct cdl_jump jumps[CDL_JUMPS];
	unsigned int jump_count;
	bool starting;
	bool has_first;
	struct rvtrace_cdl_item first;
	unsigned int leading;
	bool waiting;
	bool trapped;
	bool returned;
	bool has_from;
	uint64_t from;
	uint64_t owed;
	unsigned int carried;
	bool carries;
	bool seven;
	bool counted;
	bool has_jump_pc;
	uint64_t jump_pc;
	uint8_t action;		/* enum cdl_action */
	bool jumps_last;
	bool either;
	uint64_t nybbles;
	bool ending;
	bool has_final;
	int damage;
	uint64_t damage_offset;
	uint32_t damage_size;
	struct rvtrace_flow_item final;
};

/* flow_cdl.c */
int flow_cdl_next(struct rvtrace_flow *flow);
void flow_cdl_walked(struct rvtrace_flow *flow);
void flow_cdl_close(struct rvtrace_flow *flow, const struct rvtrace_flow_item *final);

/* flow_cdl_walk.c */
void flow_cdl_walk_start(struct rvtrace_flow *flow, uint64_t instructions, bool jumps);
enum walk_status flow_cdl_walk(struct rvtrace_flow *flow, struct output *out);

/* flow_cdl_format.c */
extern const struct flow_format flow_cdl_format;

#endif /* FLOW_CDL_H */
