// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PC values of the debug specification's trace. With branches in the trace, a PC is where an
 * indirect jump led to; without, it is one end of a jump, or branch, and the next one the other. In
 * both it is the instruction before a trap, if Privilege Level follows, and the next one then is
 * where that leads to.
 */
#include "flow_debugspec.h"

/* Bytes that nobody executes in line. */
#define RANGE_MAX	(16u << 20)

static enum debugspec_found find_pc(struct rvtrace_flow *flow, uint64_t pc)
{
	struct debugspec_way *way = &flow->debugspec->way;

	*way = (struct debugspec_way) {
		.aim = AIM_PC, .pc = pc, .branches = !debugspec_has_branches(flow),
	};
	return debugspec_find(flow, way);
}

/* The current source is at @pc. */
static void arrive(struct rvtrace_flow *flow, uint64_t pc)
{
	struct debugspec_state *state = debugspec_state(flow);
	struct source *source = flow->source;
	struct rvtrace_flow_item *item;

	state->unsure = !state->fresh && !state->has_last;
	source->pc = pc;
	source->gap = false;
	if (source->synced)
		return;
	source->synced = true;
	source->stats.syncs++;
	item = flow_event(flow, RVTRACE_FLOW_SYNC);
	item->flags |= RVTRACE_FLOW_FIRST;
	item->sync.reason = state->fresh ? RVTRACE_NTRACE_SYNC_TRACE_ENABLE :
			    RVTRACE_NTRACE_SYNC_PERIODIC;
	flow_event_address(item, pc);
}

void debugspec_apply_privilege(struct rvtrace_flow *flow)
{
	struct debugspec_state *state = debugspec_state(flow);

	if (!state->has_privilege)
		return;
	state->has_privilege = false;
	flow_set_context(flow, RVTRACE_DEBUGSPEC_PRV(state->privilege), false,
			 flow->source->space);
}

/* One end of a jump or a trap: the instruction, NULL if that is not known. */
static void set_source(struct rvtrace_flow *flow, enum debugspec_source ending,
		       const struct debugspec_insn *insn)
{
	struct debugspec_state *state = debugspec_state(flow);

	state->ending = ending;
	state->from_known = insn;
	if (insn)
		state->from = *insn;
}

/* Nothing is known of the code of the last instruction. */
static void set_last(struct rvtrace_flow *flow, uint64_t pc)
{
	struct debugspec_state *state = debugspec_state(flow);

	state->has_last = true;
	state->last = (struct debugspec_insn) { .address = pc };
}

/* Whether all from where the current source is up to @pc may have executed in line. */
static bool is_range(const struct rvtrace_flow *flow, uint64_t pc)
{
	return pc - flow->source->pc < RANGE_MAX;
}

/* No image has the code up to @pc, which executed in line. */
static void range(struct rvtrace_flow *flow, uint64_t pc)
{
	struct rvtrace_flow_item *item = flow_event(flow, RVTRACE_FLOW_RANGE);
	const struct source *source = flow->source;

	flow_event_address(item, source->pc);
	item->range.last = pc;
	if (!flow->config.debugspec.compressed)
		item->range.instructions = (pc - source->pc) / 4 + 1;
}

/* Whether the instruction can have led to @target without a trap. */
static bool leads_to(const struct debugspec_insn *insn, uint64_t target)
{
	switch (insn->kind) {
	case RVTRACE_INSN_BRANCH:
	case RVTRACE_INSN_JUMP:
	case RVTRACE_INSN_CALL:
		return insn->target == target;
	case RVTRACE_INSN_LINEAR:
	case RVTRACE_INSN_CONTEXT_WRITE:
		return false;
	}
	return true;
}

/* The instruction at @pc, wherever the current source is. */
static enum debugspec_found find_insn(struct rvtrace_flow *flow, uint64_t pc)
{
	uint64_t before = flow->source->pc;
	enum debugspec_found found;

	flow->source->pc = pc;
	found = find_pc(flow, pc);
	flow->source->pc = before;
	return found;
}

/*
 * Without branches, and without knowing whether the held PC is where a jump comes from or leads to:
 * whether the PC behind it tells. Return: 1 the held one is where a jump led to, -1 where one
 * comes from, 0 nobody knows.
 */
static int side(struct rvtrace_flow *flow, uint64_t held, uint64_t next)
{
	const struct debugspec_way *way = &flow->debugspec->way;

	if (next < held)
		return -1;
	if (find_insn(flow, held) != FOUND)
		return 0;
	if (way->insn.kind == RVTRACE_INSN_LINEAR)
		return 1;
	if (way->insn.kind != RVTRACE_INSN_BRANCH)
		return next == held && way->insn.target == next ? 0 : next == held ? 1 : -1;
	return leads_to(&way->insn, next) ? 0 : 1;
}

/* Without branches, the first PCs behind a synchronization point, or damage. */
static void find_side(struct rvtrace_flow *flow)
{
	const struct debugspec_flow *d = flow->debugspec;

	if (d->packet.header != RVTRACE_DEBUGSPEC_PC || d->packet.partial)
		return;
	switch (side(flow, d->pc, d->packet.value)) {
	case 1:
		arrive(flow, d->pc);
		break;
	case -1:
		/* unless a trap came right behind it: Privilege Level follows then */
		set_last(flow, d->pc);
		debugspec_pc(flow);
		debugspec_state(flow)->held_target = true;
		flow->debugspec->packet.header = RVTRACE_DEBUGSPEC_NOP;	/* it is done */
		break;
	}
}

/* The way does not lead to the held PC: it may be the other end of a jump. */
static void lose_source(struct rvtrace_flow *flow, enum debugspec_source ending)
{
	debugspec_lose_way(flow, RVTRACE_ERR_ADDRESS);
	if (ending == SOURCE_JUMP)
		find_side(flow);
	else
		set_source(flow, ending, NULL);
}

/* There is no code on the way to @pc. */
static void source_without_code(struct rvtrace_flow *flow, enum debugspec_source ending,
				uint64_t pc)
{
	struct debugspec_state *state = debugspec_state(flow);

	if (debugspec_has_branches(flow)) {
		debugspec_no_code(flow);
	} else if (is_range(flow, pc)) {
		range(flow, pc);
		set_last(flow, pc);
	} else if (!state->has_last || state->last.address != pc) {
		lose_source(flow, ending);
		return;
	}
	set_source(flow, ending, NULL);
}

/* Whether what is behind the held PC may be the doing of ecall, ebreak, or a return. */
static bool may_be_own_trap(const struct rvtrace_flow *flow)
{
	const struct rvtrace_debugspec_packet *packet = &flow->debugspec->packet;

	return packet->header != RVTRACE_DEBUGSPEC_PRIVILEGE ||
	       !(packet->value & RVTRACE_DEBUGSPEC_INTERRUPT);
}

/* Privilege Level behind the held PC says less than there was: no trap does that. */
static bool lowers_privilege(const struct rvtrace_flow *flow)
{
	const struct rvtrace_debugspec_packet *packet = &flow->debugspec->packet;

	return packet->header == RVTRACE_DEBUGSPEC_PRIVILEGE &&
	       (int)RVTRACE_DEBUGSPEC_PRV(packet->value) < flow->source->priv;
}

/*
 * The held PC is the last instruction again: a trap right behind it, unless it is a return that the
 * way leads to once more, which then is what is told of.
 */
static bool is_right_behind(struct rvtrace_flow *flow)
{
	const struct debugspec_state *state = debugspec_state(flow);

	return state->last.kind != RVTRACE_INSN_TRAP_RETURN || !may_be_own_trap(flow) ||
	       !lowers_privilege(flow) || find_pc(flow, flow->debugspec->pc) != FOUND;
}

/* The way to one end of a jump or a trap, @found. @again: that was the last instruction before. */
static void go_to_source(struct rvtrace_flow *flow, enum debugspec_source ending,
			 enum debugspec_found found, bool again)
{
	struct debugspec_state *state = debugspec_state(flow);
	struct debugspec_flow *d = flow->debugspec;

	switch (found) {
	case FOUND:
		if (debugspec_traps(&d->way.insn) && may_be_own_trap(flow)) {
			d->way.traps = true;
			d->way.count--;
		}
		d->ending = ending;
		debugspec_walk_on(flow, AFTER_SOURCE);
		break;
	case NOT_FOUND:
		/* nothing has executed since, not even since reading began */
		if (!again && (state->has_last || ending != SOURCE_TRAP))
			lose_source(flow, ending);
		else
			set_source(flow, ending, NULL);
		break;
	case NO_CODE:
		source_without_code(flow, ending, d->pc);
		break;
	}
}

/* The held PC is one end of a jump or a trap. */
static void source(struct rvtrace_flow *flow, enum debugspec_source ending)
{
	struct debugspec_state *state = debugspec_state(flow);
	uint64_t pc = flow->debugspec->pc;
	bool again = state->has_last && state->last.address == pc;

	/* what the first trap comes behind may lie before where reading began */
	if (state->unsure && ending == SOURCE_TRAP && debugspec_known(flow))
		debugspec_lose(flow, 0);
	if (!debugspec_known(flow)) {
		set_source(flow, ending, NULL);
		set_last(flow, pc);
	} else if (again && ending == SOURCE_TRAP && is_right_behind(flow)) {
		go_to_source(flow, ending, NOT_FOUND, again);
	} else {
		go_to_source(flow, ending, find_pc(flow, pc), again);
	}
}

/* Privilege Level came twice: the last instruction was executed once more before the trap. */
void debugspec_once_more(struct rvtrace_flow *flow)
{
	struct debugspec_state *state = debugspec_state(flow);

	if (state->ending != SOURCE_TRAP || state->from_known || !state->told ||
	    !debugspec_known(flow))
		return;
	state->told = false;
	flow->debugspec->pc = state->last.address;
	go_to_source(flow, SOURCE_TRAP, find_pc(flow, state->last.address), true);
}

/**
 * debugspec_after_source() - the walk to one end of a jump or trap is over
 * @flow: the decoder
 */
void debugspec_after_source(struct rvtrace_flow *flow)
{
	set_source(flow, flow->debugspec->ending, &flow->debugspec->way.insn);
}

/* A trap return, by itself. */
static void trap_return(struct rvtrace_flow *flow, uint64_t from, uint64_t target)
{
	struct rvtrace_flow_item *item = flow_event(flow, RVTRACE_FLOW_TRAP_RETURN);

	flow_event_address(item, from);
	item->trap.target = target;
	item->flags |= RVTRACE_FLOW_HAS_TARGET;
}

static void trap(struct rvtrace_flow *flow, uint64_t target)
{
	const struct debugspec_state *state = debugspec_state(flow);
	struct rvtrace_flow_item *item = flow_event(flow, RVTRACE_FLOW_TRAP);

	if (debugspec_known(flow) && (state->from_known || state->has_last))
		flow_event_address(item, flow->source->pc);
	item->trap.target = target;
	item->flags |= RVTRACE_FLOW_HAS_TARGET;
	if (state->has_privilege)
		item->trap.kind = state->privilege & RVTRACE_DEBUGSPEC_INTERRUPT ?
				  RVTRACE_TRAP_INTERRUPT : RVTRACE_TRAP_EXCEPTION;
}

/* The other end, of a trap or a jump. */
static void target(struct rvtrace_flow *flow, uint64_t pc)
{
	struct debugspec_state *state = debugspec_state(flow);
	bool known = state->from_known;
	bool returns = known && state->from.kind == RVTRACE_INSN_TRAP_RETURN &&
		       !(state->has_privilege && state->privilege & RVTRACE_DEBUGSPEC_INTERRUPT);

	if (returns) {
		trap_return(flow, state->from.address, pc);
	} else if (state->ending == SOURCE_TRAP) {
		trap(flow, pc);
	} else if (known && !leads_to(&state->from, pc)) {
		if (debugspec_emits(flow, RVTRACE_DEBUGSPEC_EMIT_PRIV))
			flow_error(flow, RVTRACE_ERR_ADDRESS);
		else
			trap(flow, pc);
	}
	state->ending = SOURCE_NONE;
	state->told = state->has_last;
	debugspec_apply_privilege(flow);
	arrive(flow, pc);
}

/**
 * debugspec_after_jump() - the walk to an indirect jump is over; the held PC is where it led
 * @flow: the decoder
 */
void debugspec_after_jump(struct rvtrace_flow *flow)
{
	const struct debugspec_insn *insn = &flow->debugspec->way.insn;

	if (insn->kind == RVTRACE_INSN_TRAP_RETURN)
		trap_return(flow, insn->address, flow->debugspec->pc);
	arrive(flow, flow->debugspec->pc);
}

/* With branches: the held PC is the target of an indirect jump, if these are told of. */
static void jump(struct rvtrace_flow *flow)
{
	struct debugspec_flow *d = flow->debugspec;

	d->way = (struct debugspec_way) { .aim = AIM_JUMP };
	switch (debugspec_known(flow) ? debugspec_find(flow, &d->way) : NOT_FOUND) {
	case FOUND:
		if (!debugspec_jumps_untold(flow)) {
			debugspec_walk_on(flow, AFTER_JUMP);
			return;
		}
		debugspec_lose(flow, 0);
		break;
	case NOT_FOUND:
		if (debugspec_known(flow))
			debugspec_lose(flow, RVTRACE_ERR_JUMP);
		break;
	case NO_CODE:
		debugspec_no_code(flow);
		break;
	}
	arrive(flow, d->pc);
}

/* The held PC comes before Trace Disabled: the last instruction, if there is a way to it. */
static bool stop(struct rvtrace_flow *flow)
{
	struct debugspec_state *state = debugspec_state(flow);
	struct debugspec_flow *d = flow->debugspec;

	/* of a trap whose target was dropped, perhaps */
	if (state->has_last && state->last.address == d->pc)
		return true;
	switch (find_pc(flow, d->pc)) {
	case FOUND:
		debugspec_walk_on(flow, AFTER_STOP);
		return true;
	case NO_CODE:
		if (debugspec_has_branches(flow) || !is_range(flow, d->pc))
			return false;
		range(flow, d->pc);
		debugspec_lose(flow, 0);
		return true;
	default:
		if (state->unsure)
			debugspec_lose(flow, 0);
		return state->unsure;
	}
}

static bool has_vectors(const struct rvtrace_flow *flow)
{
	for (unsigned int i = 0; i < 4; i++)
		if (flow->config.trap_vector[i] & ~3ull)
			return true;
	return false;
}

/* Whether a trap may lead to @pc */
static bool is_vector(const struct rvtrace_flow *flow, uint64_t pc)
{
	for (unsigned int i = 0; i < 4; i++) {
		uint64_t base = flow->config.trap_vector[i] & ~3ull;

		if (!base)
			continue;
		/* vectored: 4 bytes for each cause of interrupts */
		if (pc == base || (flow->config.trap_vector[i] & 1 && !(pc & 3) &&
				   pc - base < 4 * 64))
			return true;
	}
	return !has_vectors(flow);
}

/*
 * With branches, without Privilege Level: the held PC and that of the packet may be of a trap, or
 * of a return. One that is told of where a jump led to has the PC of the jump in between.
 */
static bool is_bare_trap(struct rvtrace_flow *flow)
{
	const struct debugspec_state *state = debugspec_state(flow);
	const struct debugspec_flow *d = flow->debugspec;
	bool known = debugspec_known(flow);

	if (d->packet.header != RVTRACE_DEBUGSPEC_PC || !debugspec_has_branches(flow) ||
	    debugspec_emits(flow, RVTRACE_DEBUGSPEC_EMIT_PRIV))
		return false;
	if (known && state->has_last && state->last.address == d->pc)
		return true;
	if (!known && has_vectors(flow) && is_vector(flow, d->packet.value))
		return true;
	return (known ? find_pc(flow, d->pc) : find_insn(flow, d->pc)) == FOUND &&
	       ((known && is_vector(flow, d->packet.value)) ||
		d->way.insn.kind == RVTRACE_INSN_TRAP_RETURN);
}

/**
 * debugspec_resolve_held() - what the PC that was held is of
 * @flow: the decoder, whose packet is the next one of the current source
 *
 * Return: whether the packet is to be handled again.
 */
bool debugspec_resolve_held(struct rvtrace_flow *flow)
{
	struct debugspec_state *state = debugspec_state(flow);
	unsigned int header = flow->debugspec->packet.header;

	bool held_target = state->held_target;

	if (!state->held)
		return false;
	state->held = false;
	state->held_target = false;
	flow->debugspec->pc = state->held_pc;
	flow->message.offset = state->held_offset;
	if (header == RVTRACE_DEBUGSPEC_PRIVILEGE)
		source(flow, SOURCE_TRAP);
	else if (header == RVTRACE_DEBUGSPEC_DISABLED && debugspec_known(flow) &&
		 debugspec_emits(flow, RVTRACE_DEBUGSPEC_EMIT_PC) && stop(flow))
		return true;
	else if (is_bare_trap(flow))
		source(flow, SOURCE_TRAP);
	else if (debugspec_has_branches(flow))
		jump(flow);
	else if (debugspec_known(flow))
		source(flow, SOURCE_JUMP);
	else if (held_target)
		arrive(flow, state->held_pc);
	else
		find_side(flow);
	return true;
}

/**
 * debugspec_break_off() - a jump or trap whose other end does not come
 * @flow: the decoder, whose packet is the next one of the current source
 *
 * Return: whether the packet is to be handled again.
 */
bool debugspec_break_off(struct rvtrace_flow *flow)
{
	struct debugspec_state *state = debugspec_state(flow);
	unsigned int header = flow->debugspec->packet.header;
	bool known = debugspec_known(flow);

	if (state->ending == SOURCE_NONE || header == RVTRACE_DEBUGSPEC_PC)
		return false;
	if (header == RVTRACE_DEBUGSPEC_PRIVILEGE &&
	    (!state->has_privilege || state->privilege == flow->debugspec->packet.value))
		return false;
	debugspec_apply_privilege(flow);
	/* what was dropped may have been it */
	debugspec_lose(flow, known && header != RVTRACE_DEBUGSPEC_DISABLED ? RVTRACE_ERR_JUMP : 0);
	return true;
}

/**
 * debugspec_pc() - the packet is a PC
 * @flow: the decoder
 */
void debugspec_pc(struct rvtrace_flow *flow)
{
	const struct rvtrace_debugspec_packet *packet = &flow->debugspec->packet;
	struct debugspec_state *state = debugspec_state(flow);

	/* of jalr alone, to the letter: not even branches are told of */
	if (!debugspec_emits(flow, RVTRACE_DEBUGSPEC_EMIT_PC | RVTRACE_DEBUGSPEC_EMIT_BRANCH)) {
		flow->source->stats.skipped++;
		return;
	}
	if (packet->partial) {
		flow->source->stats.skipped++;
		if (debugspec_known(flow))
			debugspec_lose(flow, 0);
		state->ending = SOURCE_NONE;
	} else if (state->fresh) {
		arrive(flow, packet->value);
	} else if (state->ending != SOURCE_NONE) {
		target(flow, packet->value);
	} else {
		state->held = true;
		state->held_pc = packet->value;
		state->held_offset = packet->offset;
	}
	state->fresh = false;
}
