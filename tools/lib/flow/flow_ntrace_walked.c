// SPDX-License-Identifier: LGPL-2.1-or-later
/* What an N-Trace message says of the end of the walk over what it counts. */
#include "flow_ntrace.h"

/* Back on track, at the address the message gives; @known: the last instruction led there. */
static void arrive(struct rvtrace_flow *flow, bool known)
{
	struct source *source = flow->source;

	if (flow->config.priv_by_address)
		flow_find_privilege(flow, known && flow->walk.last_kind != RVTRACE_INSN_TRAP_RETURN);
	source->pc = flow->target;
	source->reference = flow->target;
	source->gap = false;
	source->balance = 0;
}

/* A stretch that could not be followed ends here. */
static void report_gap(struct rvtrace_flow *flow)
{
	struct source *source = flow->source;

	if (source->balance < 0)
		flow_error(flow, RVTRACE_ERR_ICNT);
	else if (source->balance > 0)
		flow_gap_event(flow, true);
	source->balance = 0;
}

/*
 * The address after the walk, where the code itself says it. Return: 1; 0: it is not known;
 * RVTRACE_ERR_JUMP: a message should have given it.
 */
static int resolve(struct rvtrace_flow *flow, uint64_t *pc)
{
	struct source *source = flow->source;
	const struct walk *walk = &flow->walk;
	bool returns = walk->last_kind == RVTRACE_INSN_RETURN ||
		       walk->last_kind == RVTRACE_INSN_SWAP;
	int known = RVTRACE_ERR_JUMP;

	*pc = source->pc;
	if (source->gap)
		return 0;
	if (!walk->open)
		return 1;
	if (walk->last_kind == RVTRACE_INSN_BRANCH)	/* not taken, else it had its message */
		return source->history ? RVTRACE_ERR_JUMP : 1;
	if (source->implicit_return && returns)
		known = flow_return(flow, pc);
	if (walk->sequential || known <= 0)
		*pc = walk->target;
	if (walk->sequential)
		known = 1;
	if (known > 0 && (walk->last_kind == RVTRACE_INSN_SWAP ||
			  walk->last_kind == RVTRACE_INSN_INDIRECT_CALL))
		flow_call(flow, *pc, source->pc);
	return known;
}

static void trap(struct rvtrace_flow *flow)
{
	struct rvtrace_flow_item *item;
	uint64_t from;
	int known = resolve(flow, &from);

	if (known < 0)
		flow_error(flow, known);
	flow_trap_calls(flow, from, known > 0);
	item = flow_event(flow, RVTRACE_FLOW_TRAP);
	if (known > 0)
		flow_event_address(item, from);
	item->trap.target = flow->target;
	item->flags |= RVTRACE_FLOW_HAS_TARGET;
	if (flow->message.btype == RVTRACE_NTRACE_BTYPE_EXCEPTION)
		item->trap.kind = RVTRACE_TRAP_EXCEPTION;
	else if (flow->message.btype == RVTRACE_NTRACE_BTYPE_INTERRUPT)
		item->trap.kind = RVTRACE_TRAP_INTERRUPT;
}

/* An indirect jump whose target the message gives. */
static void indirect(struct rvtrace_flow *flow)
{
	struct source *source = flow->source;
	const struct walk *walk = &flow->walk;
	struct rvtrace_flow_item *item;

	switch (walk->last_kind) {
	case RVTRACE_INSN_INDIRECT_CALL:
		flow_call(flow, flow->target, source->pc);
		break;
	case RVTRACE_INSN_SWAP:
		flow_reported_return(flow);
		flow_call(flow, flow->target, source->pc);
		break;
	case RVTRACE_INSN_RETURN:
		flow_reported_return(flow);
		break;
	case RVTRACE_INSN_TRAP_RETURN:
		flow_trap_return_calls(flow);
		item = flow_event(flow, RVTRACE_FLOW_TRAP_RETURN);
		flow_event_address(item, walk->last_pc);
		item->trap.target = flow->target;
		item->flags |= RVTRACE_FLOW_HAS_TARGET;
		break;
	}
}

/* DirectBranch: the last instruction is a branch, and it was taken. */
static void direct_branch(struct rvtrace_flow *flow)
{
	struct source *source = flow->source;
	const struct walk *walk = &flow->walk;

	if (source->gap)
		return;
	if (walk->open && walk->last_kind == RVTRACE_INSN_BRANCH) {
		source->pc = walk->target;
	} else if (!flow->config.ntrace.all_jumps || walk->last_kind == RVTRACE_INSN_LINEAR) {
		flow_error(flow, RVTRACE_ERR_BRANCH);
		flow_gap(flow, source->pc, false);
	}
}

static void indirect_branch(struct rvtrace_flow *flow)
{
	struct source *source = flow->source;
	const struct walk *walk = &flow->walk;
	bool known = !source->gap;

	if (source->gap)
		report_gap(flow);
	if (flow->message.btype != RVTRACE_NTRACE_BTYPE_JUMP) {
		trap(flow);
	} else if (!source->gap) {
		if (walk->open && flow_kind_is_indirect(walk->last_kind)) {
			indirect(flow);
		} else if (walk->last_kind != RVTRACE_INSN_CUSTOM) {
			flow_error(flow, RVTRACE_ERR_JUMP);
			flow_forget_calls(flow);
			known = false;
		}
	}
	arrive(flow, known);
}

/* Does the address of a synchronizing message follow from the code before it? */
static bool confirms(struct rvtrace_flow *flow)
{
	const struct walk *walk = &flow->walk;
	uint64_t pc;

	if (walk->open && flow_kind_is_indirect(walk->last_kind)) {
		indirect(flow);
		return true;
	}
	if (walk->open)		/* a branch, taken or not */
		return flow->target == walk->target || flow->target == flow->source->pc;
	if (walk->last_kind == RVTRACE_INSN_CUSTOM)
		return true;
	return resolve(flow, &pc) > 0 && pc == flow->target;
}

void flow_ntrace_synchronize(struct rvtrace_flow *flow)
{
	const struct rvtrace_ntrace_message *m = &flow->message;
	struct source *source = flow->source;
	struct rvtrace_flow_item *item;
	bool first = !source->synced;
	bool known = !first && !source->gap && !flow_ntrace_is_restart(m);

	if (source->synced) {
		if (source->gap)
			report_gap(flow);
		if (m->btype != RVTRACE_NTRACE_BTYPE_JUMP) {
			trap(flow);
		} else if (known && !confirms(flow)) {
			flow_error(flow, RVTRACE_ERR_ADDRESS);
			known = false;
		}
	}
	source->synced = true;
	source->after_sync = true;
	source->last.valid = false;
	call_stack_clear(&source->stack, false);
	source->calls = 0;
	arrive(flow, known);
	item = flow_event(flow, RVTRACE_FLOW_SYNC);
	flow_event_address(item, flow->target);
	item->sync.reason = m->sync;
	if (first)
		item->flags |= RVTRACE_FLOW_FIRST;
}

static void correlation(struct rvtrace_flow *flow)
{
	struct rvtrace_flow_item *item;
	uint64_t pc = 0;
	bool known = resolve(flow, &pc) > 0;

	if (flow->source->gap)
		report_gap(flow);
	item = flow_event(flow, RVTRACE_FLOW_STOP);
	item->stop.reason = flow->message.evcode;
	if (known)
		flow_event_address(item, pc);
	flow->source->balance = 0;
	flow_leave(flow, true);
}

void flow_ntrace_data_event(struct rvtrace_flow *flow)
{
	const struct rvtrace_ntrace_message *m = &flow->message;
	struct rvtrace_flow_item *item = flow_event(flow, RVTRACE_FLOW_DATA);

	item->data.id = m->tcode == RVTRACE_NTRACE_OWNERSHIP ? RVTRACE_OWNER_ID : m->id;
	item->data.value = m->data;
	if (m->tcode == RVTRACE_NTRACE_DATA_ACQUISITION)
		flow_write_tp(flow, flow->source, m->id, m->data);
}

/* Where nothing but software trace was lost, the flow goes on, unless its encoder begins anew. */
void flow_ntrace_overflow(struct rvtrace_flow *flow)
{
	struct source *source = flow->source;
	bool known = source->synced && !source->gap;
	struct rvtrace_flow_item *item;

	source->stats.overflows++;
	if (flow->message.ecode & RVTRACE_NTRACE_ECODE_DATA)
		flow_forget_task(source);
	if (flow->message.ecode == RVTRACE_NTRACE_ECODE_DATA)
		source->data_lost = true;
	else
		flow_leave(flow, false);
	item = flow_event(flow, RVTRACE_FLOW_OVERFLOW);
	item->overflow.type = flow->message.etype;
	item->overflow.code = flow->message.ecode;
	if (known)
		flow_event_address(item, source->pc);
}

/**
 * flow_ntrace_walked() - the walk of the current message is over
 * @flow: the decoder
 */
void flow_ntrace_walked(struct rvtrace_flow *flow)
{
	struct source *source = flow->source;
	const struct walk *walk = &flow->walk;

	if (flow->closing) {
		flow_close_walked(flow);
		return;
	}
	switch (flow->message.tcode) {
	case RVTRACE_NTRACE_RESOURCE_FULL:
		return;
	case RVTRACE_NTRACE_ERROR:
		flow_ntrace_overflow(flow);
		return;
	case RVTRACE_NTRACE_OWNERSHIP:
	case RVTRACE_NTRACE_DATA_ACQUISITION:
	case RVTRACE_NTRACE_AUX_ACCESS_WRITE:
		flow_ntrace_data_event(flow);
		return;
	}
	flow_apply_pending(flow);
	if (!source->gap && (walk->bits || walk->repeats)) {
		flow_error(flow, RVTRACE_ERR_HISTORY);
		flow_forget_calls(flow);
	}
	switch (flow->message.tcode) {
	case RVTRACE_NTRACE_DIRECT_BRANCH:
		direct_branch(flow);
		break;
	case RVTRACE_NTRACE_INDIRECT_BRANCH:
	case RVTRACE_NTRACE_INDIRECT_BRANCH_HIST:
		indirect_branch(flow);
		break;
	case RVTRACE_NTRACE_PROG_TRACE_CORRELATION:
		correlation(flow);
		break;
	default:
		flow_ntrace_synchronize(flow);
		break;
	}
}
