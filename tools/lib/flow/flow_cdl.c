// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * CDL compressed trace: items to walks and events.
 *
 * Instructions are owed until something happens at the end of them; then they are walked, and
 * flow_cdl_walked() does the rest. A jump to where the code does not say waits for its PC, and with
 * it all that follows.
 */
#include <stdlib.h>
#include <string.h>

#include "flow_cdl.h"
#include "flow_format.h"

#define REGISTER_TP	4	/* the task, while the kernel runs */

int rvtrace_flow_config_cdl(const struct rvtrace_cdl_config *params,
			    struct rvtrace_flow_config *config)
{
	const struct rvtrace_flow_config own = {
		.format = RVTRACE_FLOW_FORMAT_CDL,
		.isa.xlen = params->xlen,
		.cdl = *params,
	};

	return flow_config_give(config, &own);
}

static bool is_rtl(const struct rvtrace_flow *flow)
{
	return flow->config.cdl.flavour == RVTRACE_CDL_RTL;
}

/* Nothing is known of what comes next. */
static void forget(struct cdl_state *state)
{
	state->jump_count = 0;
	state->starting = false;
	state->has_first = false;
	state->leading = 0;
	state->waiting = false;
	state->owed = 0;
	state->carried = 0;
	state->carries = false;
	state->seven = false;
	state->has_jump_pc = false;
}

static void drop_jump(struct cdl_state *state)
{
	state->jump_count--;
	memmove(&state->jumps[0], &state->jumps[1], state->jump_count * sizeof(state->jumps[0]));
}

/* At an address that a PC gives; @kind: of the jump that led there, linear: not known. */
static void arrive(struct rvtrace_flow *flow, uint64_t pc, bool trapped, unsigned int kind)
{
	struct source *source = flow->source;

	flow->target = pc;
	if (flow->config.priv_by_address) {
		flow->message.btype = trapped ? RVTRACE_NTRACE_BTYPE_TRAP :
						RVTRACE_NTRACE_BTYPE_JUMP;
		flow->walk.last_kind = kind;
		flow_find_privilege(flow, kind == RVTRACE_INSN_INDIRECT_JUMP);
	}
	source->pc = pc;
	source->gap = false;
	flow->cdl->owed = 0;
}

static void report_jump(struct rvtrace_flow *flow, bool has_target, uint64_t target)
{
	struct cdl_state *state = flow->cdl;
	struct rvtrace_flow_item *item;

	if (!state->trapped && !state->returned)
		return;
	item = flow_event(flow, state->trapped ? RVTRACE_FLOW_TRAP : RVTRACE_FLOW_TRAP_RETURN);
	if (state->has_from)
		flow_event_address(item, state->from);
	if (has_target) {
		item->trap.target = target;
		item->flags |= RVTRACE_FLOW_HAS_TARGET;
	}
}

/* The PC of the jump that waits for it does not come; at the end that is no contradiction. */
static void give_up(struct rvtrace_flow *flow)
{
	struct cdl_state *state = flow->cdl;
	struct source *source = flow->source;

	report_jump(flow, false, 0);
	state->waiting = false;
	state->jump_count = 0;
	if (!source->gap) {
		if (!state->ending)
			flow_error(flow, RVTRACE_ERR_JUMP);
		flow_gap(flow, source->pc, false);
	}
}

/* A contradiction, up to the next PC. */
static void lose_way(struct rvtrace_flow *flow, int error)
{
	flow_error(flow, error);
	flow_gap(flow, flow->source->pc, true);
	flow->cdl->owed = 0;
}

static void synchronize(struct rvtrace_flow *flow, uint64_t pc, bool first)
{
	struct source *source = flow->source;
	bool elsewhere = first || source->gap || source->pc != pc;
	struct rvtrace_flow_item *item;

	source->stats.syncs++;
	source->synced = true;
	flow->cdl->leading = 0;
	arrive(flow, pc, false, RVTRACE_INSN_LINEAR);
	item = flow_event(flow, RVTRACE_FLOW_SYNC);
	flow_event_address(item, pc);
	item->sync.reason = elsewhere ? RVTRACE_NTRACE_SYNC_TRACE_ENABLE :
				    RVTRACE_NTRACE_SYNC_PERIODIC;
	if (first)
		item->flags |= RVTRACE_FLOW_FIRST;
}

/* A PC that belongs to no jump, that of the instruction in this cycle: tracing was off before. */
static void locate(struct rvtrace_flow *flow)
{
	synchronize(flow, flow->cdl->item.value, false);
}

/* "PC should come next": it is that of the first jump without one. */
static void pair(struct rvtrace_flow *flow, uint64_t pc)
{
	struct cdl_state *state = flow->cdl;
	struct source *source = flow->source;
	struct cdl_jump jump = state->jumps[0];
	unsigned int kind = state->has_from ? RVTRACE_INSN_INDIRECT_JUMP : RVTRACE_INSN_LINEAR;
	bool last = state->jump_count == 1;

	drop_jump(state);
	if (!jump.known) {
		state->waiting = false;
		report_jump(flow, true, pc);
		arrive(flow, pc, state->trapped, state->returned ? RVTRACE_INSN_TRAP_RETURN : kind);
		return;
	}
	if (jump.target == pc || source->gap)
		return;
	flow_error(flow, RVTRACE_ERR_ADDRESS);
	if (last && !state->owed) {
		arrive(flow, pc, false, RVTRACE_INSN_LINEAR);
		return;
	}
	state->jump_count = 0;
	state->waiting = false;
	flow_gap(flow, source->pc, true);
}

static void begin_walk(struct rvtrace_flow *flow, enum cdl_action action, uint64_t instructions,
		       bool jumps)
{
	struct cdl_state *state = flow->cdl;

	state->action = action;
	state->owed = 0;
	if (flow->source->gap || !flow->source->synced) {
		flow_cdl_walked(flow);
		return;
	}
	flow_cdl_walk_start(flow, instructions, jumps);
}

/*
 * rtl: the first PC comes in the cycle of the first instruction, behind what else that does.
 * Return: whether the item was taken care of.
 */
static bool start(struct rvtrace_flow *flow)
{
	struct cdl_state *state = flow->cdl;
	const struct rvtrace_cdl_item *item = &state->item;
	bool is_pc = item->kind == RVTRACE_CDL_DATA && item->reason == RVTRACE_CDL_PC;

	if (item->kind == RVTRACE_CDL_NONSEQUENTIAL && !state->has_first) {
		state->first = *item;
		state->has_first = true;
		return true;
	}
	if (item->after_jump && !is_pc)
		return false;
	state->starting = false;
	if (!state->has_first)
		return false;
	state->has_first = false;
	if (is_pc && item->after_jump && !(item->value & 1)) {
		synchronize(flow, item->value, true);
		state->later[state->later_count++] = state->first;
		state->later_jumps++;
		return true;
	}
	state->carried = 1;	/* as any jump before the first PC */
	state->leading = 1;
	return false;
}

static void take_pc(struct rvtrace_flow *flow)
{
	struct cdl_state *state = flow->cdl;
	struct source *source = flow->source;
	uint64_t pc = state->item.value;

	if (pc & 1) {
		flow_error(flow, RVTRACE_ERR_FIELD);
		if (state->waiting)
			give_up(flow);
		else if (state->jump_count)
			drop_jump(state);
	} else if (!source->synced) {
		/* how much of the next SSS was executed before is to be known */
		if (state->leading < 2 && (!is_rtl(flow) || state->carries))
			synchronize(flow, pc, true);
		else
			source->stats.skipped++;
		if (!source->synced && state->leading)
			state->leading--;
	} else if (state->jump_count) {
		pair(flow, pc);
	} else {
		begin_walk(flow, CDL_LOCATE, state->owed, false);
	}
}

/* "SSS (i.e. 1 to 7) sequential instructions were executed". */
static void sequential(struct rvtrace_flow *flow)
{
	struct cdl_state *state = flow->cdl;
	unsigned int count = state->item.number, carried = is_rtl(flow) ? state->carried : 0;

	state->carried = 0;
	state->carries = true;
	if (!flow->source->synced) {
		flow->source->stats.skipped++;
		return;
	}
	state->seven = count == 7;
	if (flow->source->gap)
		return;
	if (count < carried)
		lose_way(flow, RVTRACE_ERR_ICNT);
	else
		state->owed += count - carried;
}

/* "Non-sequential flow": in rtl, SSS of the same cycle has counted it. */
static void jump(struct rvtrace_flow *flow, bool seven)
{
	struct cdl_state *state = flow->cdl;
	struct source *source = flow->source;
	bool counted = is_rtl(flow) && state->item.same_cycle;
	bool traps = state->item.number == RVTRACE_CDL_TRAP;

	if (is_rtl(flow)) {
		state->carried = counted ? 0 : state->carries ? state->carried + 1 : 1;
		state->carries = true;
	}
	if (!source->synced) {
		source->stats.skipped++;
		state->leading += state->leading < CDL_JUMPS;
		return;
	}
	if (!source->gap && counted && !state->owed)
		lose_way(flow, RVTRACE_ERR_ICNT);
	state->either = counted && seven && !traps;
	begin_walk(flow, CDL_JUMPED, state->owed + !counted - (traps && !source->gap), !traps);
}

/* The walk up to a jump, and over it, is over. */
static void jumped(struct rvtrace_flow *flow)
{
	struct cdl_state *state = flow->cdl;
	struct source *source = flow->source;
	const struct walk *walk = &flow->walk;
	unsigned int kind = source->gap ? RVTRACE_INSN_CUSTOM : walk->last_kind;
	struct cdl_jump *next;

	state->trapped = state->item.number == RVTRACE_CDL_TRAP;
	state->returned = state->item.number == RVTRACE_CDL_RETURN;
	state->has_from = !source->gap;
	state->from = state->trapped ? source->pc : walk->last_pc;
	state->has_jump_pc = state->has_from;
	state->jump_pc = state->from;
	if (state->jump_count == CDL_JUMPS)
		drop_jump(state);
	next = &state->jumps[state->jump_count++];
	next->known = !state->trapped && (kind == RVTRACE_INSN_BRANCH ||
					  kind == RVTRACE_INSN_JUMP || kind == RVTRACE_INSN_CALL);
	next->target = walk->target;
	if (next->known)
		source->pc = walk->target;
	state->waiting = !next->known;
}

/* Registers and trace points: where, as far as that can be said. */
static void report(struct rvtrace_flow *flow)
{
	struct cdl_state *state = flow->cdl;
	const struct rvtrace_cdl_item *item = &state->item;
	bool data = item->kind == RVTRACE_CDL_DATA;
	struct rvtrace_flow_item *event;

	event = flow_event(flow, data ? RVTRACE_FLOW_REGISTER : RVTRACE_FLOW_TRACEPOINT);
	if (data) {
		event->written.value = item->value;
		event->written.rd = item->rd;
		if (item->rd == REGISTER_TP)
			flow_forget_place(flow->source);
	} else {
		event->tracepoint.number = item->number;
	}
	if (item->after_jump) {
		if (state->has_jump_pc && !(data && is_rtl(flow)))
			flow_event_address(event, state->jump_pc);
	} else if (!is_rtl(flow) && flow->source->synced && !flow->source->gap) {
		flow_event_address(event, flow->source->pc);
	}
}

/**
 * flow_cdl_walked() - the walk of the current item is over
 * @flow: the decoder
 */
void flow_cdl_walked(struct rvtrace_flow *flow)
{
	switch (flow->cdl->action) {
	case CDL_JUMPED:
		jumped(flow);
		break;
	case CDL_LOCATE:
		locate(flow);
		break;
	case CDL_REPORT:
		report(flow);
		break;
	}
}

static void handle(struct rvtrace_flow *flow)
{
	struct cdl_state *state = flow->cdl;
	const struct rvtrace_cdl_item *item = &state->item;
	bool seven = state->seven;

	if (state->starting && start(flow))
		return;
	state->seven = false;
	state->counted = item->kind == RVTRACE_CDL_SEQUENTIAL;
	switch (item->kind) {
	case RVTRACE_CDL_SEQUENTIAL:
		sequential(flow);
		break;
	case RVTRACE_CDL_NONSEQUENTIAL:
		jump(flow, seven);
		break;
	case RVTRACE_CDL_DATA:
	case RVTRACE_CDL_TRACEPOINT:
		if (item->kind == RVTRACE_CDL_DATA && item->reason == RVTRACE_CDL_PC)
			take_pc(flow);
		else if (is_rtl(flow) || item->after_jump)
			report(flow);
		else
			begin_walk(flow, CDL_REPORT, state->owed, false);
		break;
	}
}

static void set_message(struct rvtrace_flow *flow, uint64_t offset, uint32_t size)
{
	flow->message.offset = offset;
	flow->message.size = size;
	flow->message.tcode = 0;
}

/* An item that comes behind a jump whose PC did not. */
static void put_off(struct rvtrace_flow *flow, const struct rvtrace_cdl_item *item)
{
	struct cdl_state *state = flow->cdl;
	bool jumps = item->kind == RVTRACE_CDL_NONSEQUENTIAL;

	/* the hardware sends it with the next instruction, which may jump */
	if (state->later_count == CDL_LATER - 1 || (jumps && state->later_jumps))
		give_up(flow);
	state->later[state->later_count++] = *item;
	state->later_jumps += jumps;
}

/* The oldest item that was put off. */
static void take_later(struct cdl_state *state)
{
	state->item = state->later[0];
	state->later_count--;
	state->later_jumps -= state->item.kind == RVTRACE_CDL_NONSEQUENTIAL;
	memmove(&state->later[0], &state->later[1], state->later_count * sizeof(state->later[0]));
}

/* All items are handled. */
static int end(struct rvtrace_flow *flow)
{
	struct cdl_state *state = flow->cdl;

	/* rtl: whether the last one jumped would have come next */
	if (is_rtl(flow) && state->counted && state->owed &&
	    (flow->config.cdl.buffer != RVTRACE_CDL_STREAM || state->damage || state->has_final))
		state->owed--;
	state->counted = false;
	if (state->owed) {
		begin_walk(flow, CDL_NOTHING, state->owed, false);
		return 1;
	}
	state->ending = false;
	forget(state);
	if (state->damage) {
		set_message(flow, state->damage_offset, state->damage_size);
		return flow_damaged(flow, state->damage);
	}
	flow_close_all(flow, state->has_final ? &state->final : NULL);
	return 1;
}

/**
 * flow_cdl_close() - no items follow that have to do with those before
 * @flow: the decoder
 * @final: what to deliver when all of them are handled; may be NULL
 */
void flow_cdl_close(struct rvtrace_flow *flow, const struct rvtrace_flow_item *final)
{
	struct cdl_state *state = flow->cdl;

	state->ending = true;
	state->damage = 0;
	state->has_final = final;
	if (final)
		state->final = *final;
}

static void damaged(struct rvtrace_flow *flow, const struct rvtrace_cdl_item *item, int code)
{
	struct cdl_state *state = flow->cdl;

	state->ending = true;
	state->damage = code;
	state->damage_offset = item->offset;
	state->damage_size = item->size;
}

static void count(struct rvtrace_flow *flow, const struct rvtrace_cdl_item *item)
{
	struct rvtrace_flow_stats *stats = &flow->source->stats;

	stats->messages++;
	flow->cdl->nybbles += item->size;
	stats->bytes = flow->cdl->nybbles / 2;
}

/**
 * flow_cdl_next() - begin with the next item
 * @flow: the decoder, without a walk or events left over
 *
 * Return: 1, 0 if all bytes are consumed, RVTRACE_ERR_NO_MEMORY.
 */
int flow_cdl_next(struct rvtrace_flow *flow)
{
	struct cdl_state *state = flow->cdl;
	struct rvtrace_cdl_item item;
	int ret;

	flow->source = flow_source(flow, 0);
	if (!flow->source)
		return RVTRACE_ERR_NO_MEMORY;
	if (state->waiting && state->ending)
		give_up(flow);
	if (state->later_count && !state->waiting) {
		take_later(state);
		set_message(flow, state->item.offset, state->item.size);
		handle(flow);
		return 1;
	}
	if (state->ending)
		return end(flow);
	do {
		ret = rvtrace_cdl_next(flow->reader, &item);
		if (ret <= 0)
			break;
		count(flow, &item);
	} while (item.kind == RVTRACE_CDL_SKIP || item.kind == RVTRACE_CDL_SYNC);
	if (ret < 0) {
		damaged(flow, &item, ret);
		return 1;
	}
	if (!ret)
		return 0;
	set_message(flow, item.offset, item.size);
	if (state->waiting && (item.kind != RVTRACE_CDL_DATA || item.reason != RVTRACE_CDL_PC)) {
		put_off(flow, &item);
		return 1;
	}
	state->item = item;
	if (state->waiting)
		take_pc(flow);
	else
		handle(flow);
	return 1;
}
