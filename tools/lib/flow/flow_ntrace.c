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
		flow_ntrace_synchronize(flow);
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
		if (source->data_lost && source->synced && flow_ntrace_is_restart(m))
			flow_leave(flow, false);
		source->data_lost = false;
	}
	timestamp(flow);
	if (flow->config.ntrace.sifive && flow_sifive_handle(flow))
		return;
	switch (m->tcode) {
	case RVTRACE_NTRACE_OWNERSHIP:
		if (m->format == RVTRACE_NTRACE_PROCESS_SOFTWARE)
			walk_first(flow, flow_ntrace_data_event);
		else if (m->format == RVTRACE_NTRACE_PROCESS_RESERVED)
			unknown(flow);
		else
			ownership(flow);
		break;
	case RVTRACE_NTRACE_ERROR:
		walk_first(flow, flow_ntrace_overflow);
		break;
	case RVTRACE_NTRACE_DATA_ACQUISITION:
		walk_first(flow, flow_ntrace_data_event);
		break;
	case RVTRACE_NTRACE_AUX_ACCESS_WRITE:
		if (flow->config.ntrace.sifive)
			walk_first(flow, flow_ntrace_data_event);
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
	ret = rvtrace_ntrace_next(flow->reader, &flow->message);
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
