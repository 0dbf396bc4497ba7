// SPDX-License-Identifier: LGPL-2.1-or-later
/* E-Trace: what packets say beside the way through the code. */
#include <string.h>

#include "tools/lib/packet/etrace_internal.h"
#include "flow_access.h"
#include "flow_etrace.h"

static int privilege(const struct rvtrace_flow *flow)
{
	const struct source *source = flow->source;

	if (!source->etrace->params.privilege_width)
		return source->default_priv;
	return etrace_privilege(flow->packet.inst.privilege);
}

static bool is_virtual(const struct rvtrace_etrace_te_inst *inst)
{
	return inst->privilege == ETRACE_VU || inst->privilege == ETRACE_VS;
}

/* Privilege and context of the instruction that a synchronization packet gives. */
static void set_context(struct rvtrace_flow *flow)
{
	const struct rvtrace_etrace_te_inst *inst = &flow->packet.inst;

	flow_apply_pending(flow);
	flow->source->etrace->privilege = inst->privilege;
	flow_set_context(flow, privilege(flow), is_virtual(inst),
			 inst->has_context ? inst->context : flow->source->space);
}

/* Where the source is after the instruction that was flushed, if that is known. */
static void go_behind(struct rvtrace_flow *flow, const struct block *block, const uint8_t *code)
{
	struct source *source = flow->source;
	struct etrace_state *state = source->etrace;
	bool returns = etrace_has(state, RVTRACE_ETRACE_IMPLICIT_RETURN);
	uint64_t start = source->pc, next, ignored;
	bool implicit, taken;

	next = flow_address(flow, start + block->halfwords * 2ull);
	source->pc = next;
	switch (block->kind) {
	case RVTRACE_INSN_LINEAR:
	case RVTRACE_INSN_CUSTOM:
		return;
	case RVTRACE_INSN_CONTEXT_WRITE:
		if (source->pending_count)
			flow_next_pending(flow);
		return;
	case RVTRACE_INSN_BRANCH:
		state->known = etrace_owed_outcome(state, start, &taken);
		if (state->known && etrace_learns(state))
			etrace_learn(state, start, taken);
		if (state->known && taken)
			source->pc = flow_address(flow, start + (int64_t)block->target);
		return;
	case RVTRACE_INSN_CALL:
		if (returns)
			flow_etrace_call(&state->stack, next);
		source->pc = flow_address(flow, start + (int64_t)block->target);
		return;
	case RVTRACE_INSN_JUMP:
		source->pc = flow_address(flow, start + (int64_t)block->target);
		return;
	}
	flow->walk.tail = state->tail;
	memcpy(flow->walk.tail_code, state->tail_code, sizeof(state->tail_code));
	state->known = flow_etrace_successor(flow, block, code, start, &implicit, &source->pc);
	state->returned = implicit;
	if (returns && block->kind == RVTRACE_INSN_RETURN)
		flow_etrace_return(&state->stack, &ignored);
	if (returns && (block->kind == RVTRACE_INSN_INDIRECT_CALL ||
			block->kind == RVTRACE_INSN_TABLE_CALL))
		flow_etrace_call(&state->stack, next);
}

/* ecall and ebreak do not retire. An encoder that reports them means the exception. */
static bool is_environment_call(const uint8_t *code, unsigned int size)
{
	static const uint8_t ecall[] = { 0x73, 0, 0, 0 };
	static const uint8_t ebreak[] = { 0x73, 0, 0x10, 0 };
	static const uint8_t c_ebreak[] = { 0x02, 0x90 };

	if (size == sizeof(c_ebreak))
		return !memcmp(code, c_ebreak, sizeof(c_ebreak));
	return size == sizeof(ecall) &&
	       (!memcmp(code, ecall, sizeof(ecall)) || !memcmp(code, ebreak, sizeof(ebreak)));
}

/* Code stays where it is while the decoder is there, but for what lies in two places. */
static void queue_block(struct rvtrace_flow *flow, const struct block *block, const uint8_t *code)
{
	struct source *source = flow->source;
	struct etrace_state *state = source->etrace;
	struct rvtrace_flow_item *item = flow_event(flow, RVTRACE_FLOW_BLOCKS);

	if (code == flow->straddle[flow->straddles])
		code = memcpy(state->code, code, block->halfwords * 2);
	state->block.address = source->pc;
	state->block.code = code;
	state->block.size = block->halfwords * 2;
	state->block.instructions = 1;
	flow_pass_switch(flow, source, &state->block);
	item->address = source->pc;
	item->blocks.list = &state->block;
	item->blocks.count = 1;
	item->blocks.instructions = 1;
	source->stats.instructions++;
	source->stats.halfwords += block->halfwords;
	source->stats.blocks++;
}

/**
 * flow_etrace_deliver() - a block comes out of the queue
 * @flow: the decoder
 * @out: where it goes, with room
 * @item: its item
 *
 * What the state of its source has of it is used again for the next packet.
 */
void flow_etrace_deliver(struct rvtrace_flow *flow, struct output *out,
			 struct rvtrace_flow_item *item)
{
	const struct etrace_state *state = flow->sources[item->source]->etrace;
	struct rvtrace_flow_block *block = &out->blocks[out->block_count++];

	*block = state->block;
	if (block->code == state->code)
		block->code = memcpy(flow->straddle[flow->straddles++], state->code, block->size);
	item->blocks.list = block;
}

/**
 * flow_etrace_flush() - the instruction owed comes out alone
 * @flow: the decoder; its source is synchronized
 * @trapped: an exception follows
 *
 * source->pc is then the next instruction, if state.known.
 */
void flow_etrace_flush(struct rvtrace_flow *flow, bool trapped)
{
	struct source *source = flow->source;
	unsigned int straddles = flow->straddles;
	struct block block;
	const uint8_t *code;
	int found;

	source->etrace->returned = false;
	if (!source->etrace->owed)
		return;
	source->etrace->owed = false;
	found = flow_block_at(flow, source, source->pc, &block, &code);
	flow->straddles = straddles;
	if (found < 0)
		flow->failed = true;
	if (found <= 0) {
		flow_etrace_gap(flow, source->pc, true);
		return;
	}
	if (!block.instructions) {
		flow_error(flow, RVTRACE_ERR_INSTRUCTION);
		source->etrace->known = false;
		return;
	}
	if (block.instructions > 1) {
		block.instructions = 1;
		block.kind = RVTRACE_INSN_LINEAR;
		block.last_size = rvtrace_insn_size((uint16_t)(code[0] | code[1] << 8));
		block.size = block.last_size;
		block.halfwords = block.last_size / 2;
	}
	if (trapped && is_environment_call(code, block.last_size))
		return;
	queue_block(flow, &block, code);
	go_behind(flow, &block, code);
}

/*
 * The walk of a packet of format 0 to 2 is over. Behind a gap the source is at the instruction
 * reported all the same; if it is a branch, the last outcome is its own.
 */
void flow_etrace_reached(struct rvtrace_flow *flow)
{
	const struct rvtrace_etrace_te_inst *inst = &flow->packet.inst;
	const struct etrace_walk *w = &flow->etrace_walk;
	struct source *source = flow->source;
	struct etrace_state *state = source->etrace;

	if (!source->synced)
		return;
	if (w->arrived) {
		state->inferred = w->arrived == ARRIVED_BY_CODE && !inst->is_notify;
		state->irreport = inst->is_irreport;
		state->irdepth = inst->irdepth;
		state->irets = w->irets;
		return;
	}
	if (!w->has_target || (!source->gap && state->known))
		return;
	source->gap = false;
	source->pc = w->target;
	state->owed = true;
	state->known = true;
	state->must_branch = false;
	state->tail = UINT64_MAX;
	if (w->predicted)
		state->carry = CARRY_UNKNOWN;
	else if (inst->branches)
		state->carry = inst->branch_map >> (inst->branches - 1) & 1 ? CARRY_NOT_TAKEN :
									      CARRY_TAKEN;
	else
		state->carry = CARRY_NONE;
	if (!inst->is_notify)
		flow_etrace_cache(state, w->target);
}

/* Back on track at @pc, which a synchronization packet gives. */
static void synchronize(struct rvtrace_flow *flow, uint64_t pc)
{
	const struct rvtrace_etrace_te_inst *inst = &flow->packet.inst;
	struct source *source = flow->source;
	struct etrace_state *state = source->etrace;

	flow_etrace_state_synchronize(state, !source->synced);
	source->synced = true;
	source->gap = false;
	source->pc = pc;
	state->address = pc;
	state->owed = true;
	state->known = true;
	state->trapped = false;
	state->carry = inst->branch ? CARRY_NOT_TAKEN : CARRY_TAKEN;
	state->must_branch = !inst->branch;
	state->inferred = false;
}

static void sync_event(struct rvtrace_flow *flow, bool first)
{
	struct rvtrace_flow_item *item = flow_event(flow, RVTRACE_FLOW_SYNC);

	flow_event_address(item, flow->source->pc);
	item->sync.reason = first ? RVTRACE_NTRACE_SYNC_TRACE_ENABLE :
				    RVTRACE_NTRACE_SYNC_PERIODIC;
	if (first)
		item->flags |= RVTRACE_FLOW_FIRST;
}

/* Format 3, subformat 0, behind the walk that leads there. */
void flow_etrace_start(struct rvtrace_flow *flow)
{
	struct source *source = flow->source;
	bool first = !source->synced;

	if (first || flow->etrace_walk.arrived != ARRIVED_BY_CODE)
		source->etrace->tail = UINT64_MAX;
	set_context(flow);
	synchronize(flow, flow->packet.inst.address);
	sync_event(flow, first);
}

/* "Implicit exception mode": the handler, as far as the vector is known. */
static bool find_handler(const struct rvtrace_flow *flow, uint64_t *handler)
{
	const struct rvtrace_etrace_te_inst *inst = &flow->packet.inst;
	int priv = privilege(flow);
	uint64_t vector = priv < 0 || is_virtual(inst) ? 0 : flow->config.trap_vector[priv];

	*handler = inst->address;
	if (inst->has_address)
		return true;
	*handler = vector & ~3ull;
	if (vector & 1 && inst->interrupt)
		*handler += 4ull * inst->ecause;
	return vector;
}

/*
 * Where it happened: what code does not tell, packets of exceptions without a handler do. So it is
 * with a return that did not lead where it was expected to; of interrupts nothing would tell that.
 */
static bool find_epc(const struct rvtrace_flow *flow, uint64_t *epc)
{
	const struct rvtrace_etrace_te_inst *inst = &flow->packet.inst;
	const struct source *source = flow->source;
	/* The address may be anything, even an odd one, where it is not that of the exception. */
	bool told = !inst->interrupt && !inst->thaddr && inst->has_address &&
		    !(inst->address & 1) && !source->etrace->trapped;

	*epc = source->pc;
	if (source->synced && !source->gap && source->etrace->known &&
	    (!source->etrace->returned || (!inst->interrupt && !(told && inst->address))))
		return true;
	*epc = inst->address;
	return told;
}

/* Format 3, subformat 1. */
void flow_etrace_trap(struct rvtrace_flow *flow)
{
	const struct rvtrace_etrace_te_inst *inst = &flow->packet.inst;
	struct source *source = flow->source;
	bool first = !source->synced;
	struct rvtrace_flow_item *item;
	uint64_t handler, epc;
	bool known;

	if (source->synced)
		flow_etrace_flush(flow, !inst->interrupt);
	known = inst->thaddr && find_handler(flow, &handler);
	item = flow_event(flow, RVTRACE_FLOW_TRAP);
	if (find_epc(flow, &epc))
		flow_event_address(item, epc);
	item->flags |= RVTRACE_FLOW_HAS_CAUSE;
	item->trap.cause = inst->ecause;
	item->trap.kind = inst->interrupt ? RVTRACE_TRAP_INTERRUPT : RVTRACE_TRAP_EXCEPTION;
	source->etrace->tail = UINT64_MAX;
	source->etrace->inferred = false;
	source->etrace->known = false;
	source->etrace->trapped = true;
	if (known) {
		item->trap.target = handler;
		item->flags |= RVTRACE_FLOW_HAS_TARGET;
		set_context(flow);
		synchronize(flow, handler);
		if (first)
			sync_event(flow, first);
	} else if (inst->thaddr) {
		source->synced = false;
		flow_error(flow, RVTRACE_ERR_VECTOR);
	}
}

/* Format 3, subformat 2: a change that code tells the place of, if anything does. */
void flow_etrace_context(struct rvtrace_flow *flow)
{
	const struct rvtrace_etrace_te_inst *inst = &flow->packet.inst;
	struct source *source = flow->source;

	if (!inst->has_context)
		return;
	if (!source->synced || source->gap) {
		flow_set_context(flow, source->priv, source->v, inst->context);
		return;
	}
	if (inst->context == (source->pending_count ? source->pending[source->pending_count - 1] :
						      source->space))
		return;
	if (source->pending_count == PENDING_MAX)
		flow_next_pending(flow);
	source->pending[source->pending_count++] = inst->context;
}

/*
 * Software trace: what emitted the event is the instruction reported before, unless that may have
 * been reached once more since.
 */
void flow_etrace_software(struct rvtrace_flow *flow)
{
	const struct rvtrace_etrace_event *event = &flow->packet.event;
	struct source *source = flow->source;
	struct rvtrace_flow_item *item;

	if (!event->id) {
		source->stats.overflows++;
		flow_forget_task(source);
		item = flow_event(flow, RVTRACE_FLOW_OVERFLOW);
		item->overflow.code = RVTRACE_NTRACE_ECODE_DATA;
		return;
	}
	if (source->synced && !source->etrace->inferred)
		flow_etrace_flush(flow, false);
	item = flow_event(flow, RVTRACE_FLOW_DATA);
	item->data.id = event->id;
	item->data.value = event->value;
	flow_write_tp(flow, source, event->id, event->value);
}

static void stop(struct rvtrace_flow *flow)
{
	struct source *source = flow->source;
	struct rvtrace_flow_item *item;

	source->etrace->trapped = false;
	if (!source->synced)
		return;
	flow_etrace_flush(flow, false);
	flow_apply_pending(flow);
	item = flow_event(flow, RVTRACE_FLOW_STOP);
	item->stop.reason = flow->packet.inst.ienable ? RVTRACE_STOP_FILTER : 4;
	if (!source->gap && source->etrace->known)
		flow_event_address(item, source->pc);
	flow_leave(flow, true);
}

static void lost(struct rvtrace_flow *flow)
{
	struct source *source = flow->source;
	struct rvtrace_flow_item *item;
	bool known;

	source->stats.overflows++;
	if (source->synced)
		flow_etrace_flush(flow, false);
	known = source->synced && !source->gap && source->etrace->known;
	flow_leave(flow, false);
	item = flow_event(flow, RVTRACE_FLOW_OVERFLOW);
	if (known)
		flow_event_address(item, source->pc);
}

static void accesses_lost(struct rvtrace_flow *flow)
{
	flow_etrace_forget_data(flow->source);
	flow_event(flow, RVTRACE_FLOW_ACCESSES_LOST);
}

/* Format 3, subformat 3. */
void flow_etrace_support(struct rvtrace_flow *flow)
{
	const struct rvtrace_etrace_te_inst *inst = &flow->packet.inst;
	struct rvtrace_etrace_params params;

	if (inst->qual_status == RVTRACE_ETRACE_TRACE_LOST)
		lost(flow);
	else if (inst->qual_status != RVTRACE_ETRACE_NO_CHANGE || !inst->ienable)
		stop(flow);
	else if (inst->dloss)
		accesses_lost(flow);
	rvtrace_etrace_params_of(flow->reader, flow->packet.srcid, &params);
	if (flow_etrace_state_resize(flow->source->etrace, &params))
		flow->failed = true;
}
