// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * N-Trace 1.0 messages to walks and events ("Decoding Algorithm Principles").
 *
 * A message with I-CNT starts a walk over everything that retired since the last one; when the walk
 * is over, flow_ntrace_walked() applies what the message says of its end: the taken branch, the
 * target, the trap, the stop. ResourceFull with a history is walked at once, up to its last branch,
 * so that histories never pile up: the source is then ahead of its instruction count.
 */
#include "tools/lib/base/time_bits.h"
#include "tools/lib/packet/narrow_address.h"
#include "flow_ntrace.h"

/* Branches in a row that one message tells of: more than HREPEAT can, else damage. */
#define MAX_RUN		(1u << 24)

/* Reasons for a synchronization that says nothing about where the source was before. */
static bool is_restart(const struct rvtrace_ntrace_message *m)
{
	switch (m->sync) {
	case RVTRACE_NTRACE_SYNC_RESET:
	case RVTRACE_NTRACE_SYNC_DEBUG_EXIT:
	case RVTRACE_NTRACE_SYNC_TRACE_ENABLE:
	case RVTRACE_NTRACE_SYNC_FIFO_OVERRUN:
	case RVTRACE_NTRACE_SYNC_POWER_DOWN:
		return true;
	}
	return false;
}

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
	struct rvtrace_flow_item *item;

	if (source->balance < 0) {
		flow_error(flow, RVTRACE_ERR_ICNT);
	} else if (source->balance > 0) {
		item = flow_event(flow, RVTRACE_FLOW_NO_IMAGE);
		if (source->gap_has_address)
			flow_event_address(item, source->pc);
		item->no_image.halfwords = source->balance;
		item->no_image.complete = true;
		source->stats.unseen += source->balance;
	}
	source->balance = 0;
}

/* The address after the walk, where the code itself says it. */
static bool resolve(struct rvtrace_flow *flow, uint64_t *pc)
{
	struct source *source = flow->source;
	const struct walk *walk = &flow->walk;
	bool returns = walk->last_kind == RVTRACE_INSN_RETURN ||
		       walk->last_kind == RVTRACE_INSN_SWAP;
	bool known;

	*pc = source->pc;
	if (source->gap)
		return false;
	if (!walk->open)
		return true;
	if (walk->last_kind == RVTRACE_INSN_BRANCH)	/* not taken, else it had its message */
		return !source->history;
	known = source->implicit_return && returns && call_stack_pop(&source->stack, pc);
	if (walk->sequential || !known)
		*pc = walk->target;
	known |= walk->sequential;
	if (known && (walk->last_kind == RVTRACE_INSN_SWAP ||
		      walk->last_kind == RVTRACE_INSN_INDIRECT_CALL))
		call_stack_push(&source->stack, source->pc);
	return known;
}

static void trap(struct rvtrace_flow *flow)
{
	const struct source *source = flow->source;
	struct rvtrace_flow_item *item;
	uint64_t from;
	bool known = resolve(flow, &from);
	/* an implicit return to a caller that went unseen */
	bool unseen = source->implicit_return && source->stack.incomplete &&
		      (flow->walk.last_kind == RVTRACE_INSN_RETURN ||
		       flow->walk.last_kind == RVTRACE_INSN_SWAP);

	if (!known && !source->gap && !unseen)
		flow_error(flow, RVTRACE_ERR_JUMP);
	item = flow_event(flow, RVTRACE_FLOW_TRAP);
	if (known)
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
	uint64_t ignored;

	switch (walk->last_kind) {
	case RVTRACE_INSN_INDIRECT_CALL:
		call_stack_push(&source->stack, source->pc);
		break;
	case RVTRACE_INSN_SWAP:
		call_stack_pop(&source->stack, &ignored);
		call_stack_push(&source->stack, source->pc);
		break;
	case RVTRACE_INSN_RETURN:
		call_stack_pop(&source->stack, &ignored);
		break;
	case RVTRACE_INSN_TRAP_RETURN:
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
			call_stack_clear(&source->stack, true);
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
	return resolve(flow, &pc) && pc == flow->target;
}

static void synchronize(struct rvtrace_flow *flow)
{
	const struct rvtrace_ntrace_message *m = &flow->message;
	struct source *source = flow->source;
	struct rvtrace_flow_item *item;
	bool first = !source->synced;
	bool known = !first && !source->gap && !is_restart(m);

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
	bool known = resolve(flow, &pc);

	if (flow->source->gap)
		report_gap(flow);
	item = flow_event(flow, RVTRACE_FLOW_STOP);
	item->stop.reason = flow->message.evcode;
	if (known)
		flow_event_address(item, pc);
	flow->source->balance = 0;
	flow_leave(flow, true);
}

static void data_event(struct rvtrace_flow *flow)
{
	const struct rvtrace_ntrace_message *m = &flow->message;
	struct rvtrace_flow_item *item = flow_event(flow, RVTRACE_FLOW_DATA);

	item->data.id = m->tcode == RVTRACE_NTRACE_OWNERSHIP ? RVTRACE_OWNER_ID : m->id;
	item->data.value = m->data;
	if (m->tcode == RVTRACE_NTRACE_DATA_ACQUISITION)
		flow_write_tp(flow, flow->source, m->id, m->data);
}

/* Where nothing but software trace was lost, the flow goes on, unless its encoder begins anew. */
static void overflow(struct rvtrace_flow *flow)
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
		overflow(flow);
		return;
	case RVTRACE_NTRACE_OWNERSHIP:
	case RVTRACE_NTRACE_DATA_ACQUISITION:
	case RVTRACE_NTRACE_AUX_ACCESS_WRITE:
		data_event(flow);
		return;
	}
	flow_apply_pending(flow);
	if (!source->gap && (walk->bits || walk->repeats)) {
		flow_error(flow, RVTRACE_ERR_HISTORY);
		call_stack_clear(&source->stack, true);
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
		synchronize(flow);
		break;
	}
}

/* Walks what the current message counts, then flow_ntrace_walked(). */
static void count(struct rvtrace_flow *flow)
{
	const struct rvtrace_ntrace_message *m = &flow->message;
	struct source *source = flow->source;

	source->balance += m->icnt;
	flow_walk_start(flow, true, m->has_hist ? m->hist : 0, 1);
	if (!source->gap && source->balance < 0) {
		flow_error(flow, RVTRACE_ERR_ICNT);
		source->balance = 0;
		flow_gap(flow, source->pc, true);
	}
	if (source->gap) {
		flow->walking = false;
		flow_ntrace_walked(flow);
	}
}

/* RepeatBranch: the last branch message once more. */
static void repeat(struct rvtrace_flow *flow)
{
	struct rvtrace_ntrace_message *m = &flow->message;
	const struct last_branch *last = &flow->source->last;

	flow->repeats--;
	m->tcode = last->tcode;
	m->btype = last->btype;
	m->icnt = last->icnt;
	m->hist = last->hist;
	m->has_hist = last->hist;
	flow->target = last->address;
	count(flow);
}

/* The limit of what a message counts is one of all repeats together. */
static void start_repeat(struct rvtrace_flow *flow)
{
	struct source *source = flow->source;
	uint64_t halfwords = (uint64_t)flow->message.repeat * source->last.icnt;

	if (!source->last.valid) {
		flow_error(flow, RVTRACE_ERR_REPEAT);
	} else if (!source->gap && halfwords > flow->config.branches_max) {
		flow_error(flow, RVTRACE_ERR_FIELD);
		flow_gap(flow, source->pc, true);
	} else {
		flow->repeats = flow->message.repeat;
	}
}

static void remember(struct rvtrace_flow *flow)
{
	const struct rvtrace_ntrace_message *m = &flow->message;
	struct last_branch *last = &flow->source->last;

	last->tcode = m->tcode;
	last->btype = m->btype;
	last->icnt = m->icnt;
	last->hist = m->has_hist ? m->hist : 0;
	last->address = flow->target;
	last->valid = true;
}

/* A message that only tells of itself. */
static void unknown(struct rvtrace_flow *flow)
{
	struct rvtrace_flow_item *item = flow_event(flow, RVTRACE_FLOW_UNKNOWN);

	item->unknown.tcode = flow->message.tcode;
	item->unknown.size = flow->message.size;
}

/* SiFive: so many branches of the same outcome. */
static bool is_run(const struct rvtrace_flow *flow)
{
	const struct rvtrace_ntrace_message *m = &flow->message;

	return flow->config.ntrace.sifive && m->tcode == RVTRACE_NTRACE_RESOURCE_FULL &&
	       (m->rcode == RVTRACE_NTRACE_RCODE_TAKEN ||
		m->rcode == RVTRACE_NTRACE_RCODE_NOT_TAKEN);
}

static void branch_run(struct rvtrace_flow *flow)
{
	const struct rvtrace_ntrace_message *m = &flow->message;

	if (m->data > MAX_RUN)
		flow_error(flow, RVTRACE_ERR_FIELD);
	else if (m->data && !flow->source->gap)
		flow_walk_start(flow, false, m->rcode == RVTRACE_NTRACE_RCODE_TAKEN ? 3 : 2,
				m->data);
}

static void resource_full(struct rvtrace_flow *flow)
{
	const struct rvtrace_ntrace_message *m = &flow->message;
	struct source *source = flow->source;

	if (m->has_icnt)
		source->balance += m->icnt;
	else if (is_run(flow))
		branch_run(flow);
	else if (!m->has_hist)
		unknown(flow);
	else if (!source->gap)
		flow_walk_start(flow, false, m->hist, m->repeat);
}

/*
 * "Ownership Message": directly after a trap, return or synchronization it tells the new state of
 * everything that follows. A new scontext in the same privilege was written by an instruction that
 * is yet to be walked over.
 */
static void ownership(struct rvtrace_flow *flow)
{
	const struct rvtrace_ntrace_message *m = &flow->message;
	struct source *source = flow->source;
	bool scontext = m->format == RVTRACE_NTRACE_PROCESS_SCONTEXT;
	uint64_t latest = source->space;

	if (source->pending_count)
		latest = source->pending[source->pending_count - 1];
	if (scontext && source->synced && !source->gap && !source->after_sync &&
	    latest != RVTRACE_SPACE_ANY && source->priv == m->priv && source->v == m->v) {
		if (m->context == latest)
			return;
		if (source->pending_count == PENDING_MAX)
			flow_next_pending(flow);
		source->pending[source->pending_count++] = m->context;
		return;
	}
	flow_apply_pending(flow);
	flow_set_context(flow, m->priv, m->v, scontext ? m->context : source->space);
	if (scontext)
		source->after_sync = false;
}

/*
 * "Timestamp Reporting": absolute with SYNC, else to be added. Where the counter has begun again,
 * the time is the one nearest to that of the message before, whoever sent it.
 */
static void timestamp(struct rvtrace_flow *flow)
{
	const struct rvtrace_ntrace_message *m = &flow->message;
	struct source *source = flow->source;
	uint64_t time = m->tstamp;

	bool absolute = m->has_sync || m->tcode == RVTRACE_NTRACE_IN_CIRCUIT_TRACE_SYNC;

	if (!m->has_tstamp || (!absolute && !source->has_time))
		return;
	if (!absolute)
		time = flow->config.ntrace.sifive ? source->time ^ time : source->time + time;
	source->has_time = true;
	source->time = nearest_time(flow->latest, time, flow->config.time_bits);
	flow->latest = source->time;
	if (source->time - source->place.from >= source->place_span)
		source->placed = false;
}

/* The address a message gives, in full. */
static void locate(struct rvtrace_flow *flow)
{
	const struct rvtrace_ntrace_message *m = &flow->message;

	flow->target = m->address;
	if (!m->has_sync)
		flow->target ^= flow->source->reference;
	if (flow->config.ntrace.sifive)
		flow->target = extend_narrow(flow->target);
}

static bool is_history(uint8_t mode)
{
	return mode == RVTRACE_NTRACE_MODE_HISTORY || mode == RVTRACE_NTRACE_MODE_OPTIMIZED;
}

/* The mode that a message shows holds from there on, even against that of the parameters. */
static void learn_mode(struct rvtrace_flow *flow)
{
	struct source *source = flow->source;
	const struct rvtrace_ntrace_message *m = &flow->message;
	uint8_t mode = flow->config.ntrace.modes[source->id];

	if (m->has_hist || is_run(flow)) {
		if (mode == RVTRACE_NTRACE_MODE_BRANCH && !source->history)
			flow_error(flow, RVTRACE_ERR_MODE);
		source->history = true;
		source->mode_known = true;
	} else if (m->tcode == RVTRACE_NTRACE_DIRECT_BRANCH ||
		   m->tcode == RVTRACE_NTRACE_DIRECT_BRANCH_SYNC) {
		source->mode_known = true;
		if (!is_history(mode) || !source->history)
			return;
		flow_error(flow, RVTRACE_ERR_MODE);
		source->history = false;
	}
}

/* Messages about the flow of a source that is synchronized. */
static void follow(struct rvtrace_flow *flow)
{
	const struct rvtrace_ntrace_message *m = &flow->message;

	learn_mode(flow);
	switch (m->tcode) {
	case RVTRACE_NTRACE_RESOURCE_FULL:
		resource_full(flow);
		break;
	case RVTRACE_NTRACE_REPEAT_BRANCH:
		start_repeat(flow);
		break;
	case RVTRACE_NTRACE_DIRECT_BRANCH:
	case RVTRACE_NTRACE_INDIRECT_BRANCH:
	case RVTRACE_NTRACE_INDIRECT_BRANCH_HIST:
		if (m->has_address)
			locate(flow);
		remember(flow);
		count(flow);
		break;
	default:
		count(flow);
		break;
	}
}

static void unsynchronized(struct rvtrace_flow *flow)
{
	const struct rvtrace_ntrace_message *m = &flow->message;
	struct source *source = flow->source;

	flow_walk_start(flow, true, 0, 0);
	flow->walking = false;
	if (m->has_sync) {
		source->history = is_history(flow->config.ntrace.modes[source->id]);
		source->mode_known = flow->config.ntrace.modes[source->id] != RVTRACE_NTRACE_MODE_UNKNOWN;
		learn_mode(flow);
		synchronize(flow);
	} else if (m->tcode == RVTRACE_NTRACE_PROG_TRACE_CORRELATION) {
		flow_event(flow, RVTRACE_FLOW_STOP)->stop.reason = m->evcode;
	} else {
		source->stats.skipped++;
	}
}

/* Software trace and losses: behind what has been counted. */
static void walk_first(struct rvtrace_flow *flow, void (*then)(struct rvtrace_flow *flow))
{
	if (!flow_walk_counted(flow))
		then(flow);
}

static void handle(struct rvtrace_flow *flow)
{
	const struct rvtrace_ntrace_message *m = &flow->message;
	struct source *source = flow->source;

	source->stats.messages++;
	source->stats.bytes += m->size;
	if (m->has_sync) {
		if (source->data_lost && source->synced && is_restart(m))
			flow_leave(flow, false);
		source->data_lost = false;
	}
	timestamp(flow);
	if (flow->config.ntrace.sifive && flow_sifive_handle(flow))
		return;
	switch (m->tcode) {
	case RVTRACE_NTRACE_OWNERSHIP:
		if (m->format == RVTRACE_NTRACE_PROCESS_SOFTWARE)
			walk_first(flow, data_event);
		else if (m->format == RVTRACE_NTRACE_PROCESS_RESERVED)
			unknown(flow);
		else
			ownership(flow);
		break;
	case RVTRACE_NTRACE_ERROR:
		walk_first(flow, overflow);
		break;
	case RVTRACE_NTRACE_DATA_ACQUISITION:
		walk_first(flow, data_event);
		break;
	case RVTRACE_NTRACE_AUX_ACCESS_WRITE:
		if (flow->config.ntrace.sifive)
			walk_first(flow, data_event);
		else
			unknown(flow);
		break;
	case RVTRACE_NTRACE_DIRECT_BRANCH:
	case RVTRACE_NTRACE_INDIRECT_BRANCH:
	case RVTRACE_NTRACE_PROG_TRACE_SYNC:
	case RVTRACE_NTRACE_DIRECT_BRANCH_SYNC:
	case RVTRACE_NTRACE_INDIRECT_BRANCH_SYNC:
	case RVTRACE_NTRACE_RESOURCE_FULL:
	case RVTRACE_NTRACE_INDIRECT_BRANCH_HIST:
	case RVTRACE_NTRACE_INDIRECT_BRANCH_HIST_SYNC:
	case RVTRACE_NTRACE_REPEAT_BRANCH:
	case RVTRACE_NTRACE_PROG_TRACE_CORRELATION:
		source->after_sync = false;
		if (m->has_sync) {
			source->stats.syncs++;
			locate(flow);
		}
		if (source->synced)
			follow(flow);
		else
			unsynchronized(flow);
		break;
	default:
		unknown(flow);
		break;
	}
}

/**
 * flow_ntrace_next() - begin with the next message
 * @flow: the decoder, without a walk or events left over
 *
 * Return: 1, 0 if all bytes are consumed, RVTRACE_ERR_NO_MEMORY.
 */
int flow_ntrace_next(struct rvtrace_flow *flow)
{
	int ret;

	if (flow->repeats) {
		repeat(flow);
		return 1;
	}
	ret = rvtrace_ntrace_next(flow->ntrace, &flow->message);
	if (ret > 0 && flow->message.icnt > flow->config.branches_max)
		ret = RVTRACE_ERR_FIELD;
	if (ret < 0)
		return flow_damaged(flow, ret);
	if (!ret)
		return 0;
	flow->source = flow_source(flow, flow->message.src);
	if (!flow->source)
		return RVTRACE_ERR_NO_MEMORY;
	handle(flow);
	return 1;
}
