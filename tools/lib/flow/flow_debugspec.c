// SPDX-License-Identifier: LGPL-2.1-or-later
/* Packets of the debug specification's trace to walks and events: see flow_debugspec.h. */
#include <stdlib.h>

#include "tools/lib/base/time_bits.h"
#include "flow_debugspec.h"
#include "flow_format.h"

int rvtrace_flow_config_debugspec(const struct rvtrace_debugspec_config *params,
				  struct rvtrace_flow_config *config)
{
	const struct rvtrace_flow_config own = {
		.format = RVTRACE_FLOW_FORMAT_DEBUGSPEC,
		.isa.xlen = params->xlen,
		.src_bits = RVTRACE_DEBUGSPEC_HART_BITS,
		.debugspec = *params,
	};

	return flow_config_give(config, &own);
}

/**
 * debugspec_walk_on() - walk the way that was found, then go on
 * @flow: the decoder
 * @after: with what
 */
void debugspec_walk_on(struct rvtrace_flow *flow, enum debugspec_after after)
{
	flow->debugspec->after = after;
	flow->walking = flow->debugspec->way.count;
	if (!flow->walking)
		flow_debugspec_walked(flow);
}

static void forget_place(struct debugspec_state *state)
{
	state->has_last = false;
	state->told = false;
	state->ending = SOURCE_NONE;
	state->has_privilege = false;
	state->more = 0;
}

/**
 * debugspec_lose() - the current source cannot be followed until the next PC
 * @flow: the decoder
 * @error: why: enum rvtrace_error, or 0
 */
void debugspec_lose(struct rvtrace_flow *flow, int error)
{
	if (error)
		flow_error(flow, error);
	flow_gap(flow, flow->source->pc, false);
	forget_place(debugspec_state(flow));
}

/**
 * debugspec_lose_way() - the same, as the way that was looked for is not there
 * @flow: the decoder
 * @error: why, unless it ended at an indirect jump that nothing tells of
 */
void debugspec_lose_way(struct rvtrace_flow *flow, int error)
{
	bool untold = debugspec_jumps_untold(flow) &&
		      debugspec_ends_at_jump(&flow->debugspec->way);

	debugspec_lose(flow, untold ? 0 : error);
}

/**
 * debugspec_no_code() - there is no code where the current source is
 * @flow: the decoder
 */
void debugspec_no_code(struct rvtrace_flow *flow)
{
	flow_event_address(flow_event(flow, RVTRACE_FLOW_NO_IMAGE), flow->source->pc);
	flow_gap(flow, flow->source->pc, true);
	forget_place(debugspec_state(flow));
}

/* "Trace Disabled": what follows it tells more of why. */
static void disabled(struct rvtrace_flow *flow, bool dropped)
{
	struct debugspec_state *state = debugspec_state(flow);
	struct rvtrace_flow_item *item;
	bool known = debugspec_known(flow);

	state->disabled = false;
	item = flow_event(flow, dropped ? RVTRACE_FLOW_OVERFLOW : RVTRACE_FLOW_STOP);
	item->offset = state->disabled_offset;
	if (dropped)
		flow->source->stats.overflows++;
	else
		item->stop.reason = RVTRACE_STOP_UNKNOWN;
	if (known)
		flow_event_address(item, flow->source->pc);
}

/**
 * flow_debugspec_leave() - the current source is unsynchronized from here on
 * @flow: the decoder
 */
void flow_debugspec_leave(struct rvtrace_flow *flow)
{
	struct debugspec_state *state = debugspec_state(flow);

	if (!state)
		return;
	debugspec_drop_access(flow);
	if (state->disabled)
		disabled(flow, false);
	state->held = false;
	state->held_target = false;
	state->fresh = false;
	state->has_time = false;
	forget_place(state);
}

/**
 * flow_debugspec_walked() - the way under way has been walked
 * @flow: the decoder
 */
void flow_debugspec_walked(struct rvtrace_flow *flow)
{
	struct debugspec_flow *d = flow->debugspec;
	struct debugspec_state *state = debugspec_state(flow);

	if (d->way.count)	/* it broke off */
		return;
	state->more = 0;
	state->told = false;
	state->unsure = false;
	state->has_last = true;
	state->last = d->way.insn;
	switch (d->after) {
	case AFTER_BRANCH:
		if (d->taken)
			flow->source->pc = d->way.insn.target;
		break;
	case AFTER_JUMP:
		debugspec_after_jump(flow);
		break;
	case AFTER_SOURCE:
		debugspec_after_source(flow);
		break;
	case AFTER_ACCESS:
		debugspec_after_access(flow);
		break;
	case AFTER_TRAP:
		debugspec_after_trap(flow);
		break;
	}
}

/* Branch Taken, Branch Not Taken */
static void branch(struct rvtrace_flow *flow)
{
	struct debugspec_flow *d = flow->debugspec;

	if (!debugspec_known(flow)) {
		flow->source->stats.skipped++;
		return;
	}
	d->way = (struct debugspec_way) { .aim = AIM_BRANCH };
	d->taken = d->packet.header == RVTRACE_DEBUGSPEC_TAKEN;
	switch (debugspec_find(flow, &d->way)) {
	case FOUND:
		debugspec_walk_on(flow, AFTER_BRANCH);
		break;
	case NOT_FOUND:
		debugspec_lose_way(flow, debugspec_ends_at_jump(&d->way) ? RVTRACE_ERR_JUMP :
				   RVTRACE_ERR_BRANCH);
		break;
	case NO_CODE:
		debugspec_no_code(flow);
		break;
	}
}

/* Where it was not disabled before, tracing begins anew: nothing has executed meanwhile. */
static void enabled(struct rvtrace_flow *flow)
{
	struct source *source = flow->source;
	uint32_t process = source->process, switch_left = source->switch_left;
	int32_t thread = source->thread;

	if (source->synced) {
		flow_leave(flow, true);
		source->thread = thread;
		source->process = process;
		source->switch_left = switch_left;
	}
	debugspec_state(flow)->fresh = true;
}

static void apply_time(struct rvtrace_flow *flow)
{
	struct debugspec_state *state = debugspec_state(flow);
	struct source *source = flow->source;

	if (!state->has_time)
		return;
	state->has_time = false;
	source->has_time = true;
	source->time = nearest_time(flow->latest, state->time, flow->config.time_bits);
	flow->latest = source->time;
	if (source->time - source->place.from >= source->place_span)
		source->placed = false;
}

/* It is that of what follows, not of what waits. */
static void timestamp(struct rvtrace_flow *flow)
{
	struct debugspec_state *state = debugspec_state(flow);

	if (flow->debugspec->packet.partial)
		return;
	state->has_time = true;
	state->time = flow->debugspec->packet.value;
	if (!state->held && !state->access.header && !state->disabled)
		apply_time(flow);
}

/*
 * What waits for the next packet. Return: there was something, and the packet is to be handled
 * again.
 */
static bool resolve(struct rvtrace_flow *flow)
{
	struct debugspec_state *state = debugspec_state(flow);

	if (state->disabled) {
		bool has_time = state->has_time;

		disabled(flow, flow->debugspec->packet.header != RVTRACE_DEBUGSPEC_ENABLED);
		flow_leave(flow, false);
		state->has_time = has_time;
		state->fresh = true;
		return true;
	}
	return debugspec_resolve_access(flow) || debugspec_resolve_held(flow) ||
	       debugspec_break_off(flow);
}

/* What of register "trace" lets packets with a header come; to the letter, jalr emits PC by two. */
static bool is_emitted(const struct rvtrace_flow *flow, unsigned int header)
{
	static const uint8_t emit[] = {
		[RVTRACE_DEBUGSPEC_PC] = RVTRACE_DEBUGSPEC_EMIT_PC,
		[RVTRACE_DEBUGSPEC_TAKEN] = RVTRACE_DEBUGSPEC_EMIT_BRANCH,
		[RVTRACE_DEBUGSPEC_NOT_TAKEN] = RVTRACE_DEBUGSPEC_EMIT_BRANCH,
		[RVTRACE_DEBUGSPEC_PRIVILEGE] = RVTRACE_DEBUGSPEC_EMIT_PRIV,
		[RVTRACE_DEBUGSPEC_LOAD_ADDRESS] = RVTRACE_DEBUGSPEC_EMIT_LOAD_ADDRESS,
		[RVTRACE_DEBUGSPEC_STORE_ADDRESS] = RVTRACE_DEBUGSPEC_EMIT_STORE_ADDRESS,
		[RVTRACE_DEBUGSPEC_LOAD_DATA] = RVTRACE_DEBUGSPEC_EMIT_LOAD_DATA,
		[RVTRACE_DEBUGSPEC_STORE_DATA] = RVTRACE_DEBUGSPEC_EMIT_STORE_DATA,
		[RVTRACE_DEBUGSPEC_TIMESTAMP] = RVTRACE_DEBUGSPEC_EMIT_TIMESTAMP,
	};
	uint8_t bits = emit[header];

	if (header == RVTRACE_DEBUGSPEC_PC && flow->config.debugspec.literal)
		bits |= RVTRACE_DEBUGSPEC_EMIT_STORE_DATA;
	return !bits || debugspec_emits(flow, bits);
}

static void handle(struct rvtrace_flow *flow)
{
	const struct rvtrace_debugspec_packet *packet = &flow->debugspec->packet;
	struct debugspec_state *state = debugspec_state(flow);

	if (packet->header == RVTRACE_DEBUGSPEC_TIMESTAMP && is_emitted(flow, packet->header)) {
		timestamp(flow);
		return;
	}
	if (resolve(flow)) {
		flow->repeats = 1;
		return;
	}
	if (!is_emitted(flow, packet->header)) {
		debugspec_lose(flow, RVTRACE_ERR_EMIT);
		return;
	}
	apply_time(flow);
	switch (packet->header) {
	case RVTRACE_DEBUGSPEC_PC:
		debugspec_pc(flow);
		break;
	case RVTRACE_DEBUGSPEC_TAKEN:
	case RVTRACE_DEBUGSPEC_NOT_TAKEN:
		branch(flow);
		break;
	case RVTRACE_DEBUGSPEC_ENABLED:
		enabled(flow);
		break;
	case RVTRACE_DEBUGSPEC_DISABLED:
		state->disabled = true;
		state->disabled_offset = packet->offset;
		break;
	case RVTRACE_DEBUGSPEC_PRIVILEGE:
		debugspec_privilege(flow);
		break;
	default:
		debugspec_take_access(flow);
		break;
	}
}

/* Nobody knows whose the packet is. */
static void count_unowned(struct debugspec_flow *d)
{
	if (d->packet.header == RVTRACE_DEBUGSPEC_NOP)
		return;
	if (!d->unowned)
		d->unowned_from = d->packet.offset;
	d->unowned += d->packet.size;
}

/* The packet layer's next one. Return: as flow_debugspec_next(). */
static int read_packet(struct rvtrace_flow *flow)
{
	struct debugspec_flow *d = flow->debugspec;
	struct debugspec_state *state;
	int ret = rvtrace_debugspec_next(flow->reader, &d->packet);

	if (!ret)
		return 0;
	flow->message.offset = d->packet.offset;
	flow->message.size = d->packet.size;
	flow->message.tcode = d->packet.header;
	if (ret < 0)
		return flow_damaged(flow, ret);
	flow->source = d->packet.has_hart ? flow_source(flow, d->packet.hart) : NULL;
	if (!d->packet.has_hart) {
		count_unowned(d);
		return 1;
	}
	d->unowned = 0;
	if (!flow->source)
		return RVTRACE_ERR_NO_MEMORY;
	if (!flow->source->debugspec) {
		flow->source->debugspec = calloc(1, sizeof(*flow->source->debugspec));
		if (!flow->source->debugspec)
			return RVTRACE_ERR_NO_MEMORY;
	}
	state = debugspec_state(flow);
	state->nybbles += d->packet.size;
	flow->source->stats.messages++;
	flow->source->stats.bytes = (state->nybbles + 1) / 2;
	return 1;
}

/**
 * flow_debugspec_next() - begin with the next packet, or with one once more
 * @flow: the decoder, without a walk or events left over
 *
 * Return: 1, 0 if all bytes are consumed, RVTRACE_ERR_NO_MEMORY.
 */
int flow_debugspec_next(struct rvtrace_flow *flow)
{
	struct debugspec_flow *d = flow->debugspec;
	int ret;

	if (d->shown_count - d->shown_since > DEBUGSPEC_SHOWN_MAX) {
		flow->accessed = true;
		return 1;
	}
	if (!flow->repeats) {
		ret = read_packet(flow);
		if (ret <= 0 || flow->closing || !flow->source)
			return ret;
	}
	flow->repeats = 0;
	flow->message.offset = d->packet.offset;
	if (d->packet.header != RVTRACE_DEBUGSPEC_NOP && d->packet.header != RVTRACE_DEBUGSPEC_HART)
		handle(flow);
	return 1;
}
