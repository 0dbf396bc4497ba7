// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * E-Trace packets to walks (2.0 and 2.0.5 draft, chapter "Decoder").
 *
 * A packet with an address or with branches starts a walk to the instruction it reports; when the
 * walk is over, flow_etrace_walked() applies what else the packet says.
 */
#include <string.h>

#include "tools/lib/base/time_bits.h"
#include "tools/lib/packet/etrace_internal.h"
#include "flow_access.h"
#include "flow_etrace.h"
#include "flow_format.h"

int rvtrace_flow_config_etrace(const struct rvtrace_etrace_params *params,
			       struct rvtrace_flow_config *config)
{
	const struct rvtrace_flow_config own = {
		.format = RVTRACE_FLOW_FORMAT_ETRACE,
		.isa.xlen = params->iaddress_width <= 32 ? 32 : 64,
		.src_bits = params->srcid_width,
		.etrace = *params,
	};

	return flow_config_give(config, &own);
}

/**
 * flow_etrace_leave() - the current source will be unsynchronized
 * @flow: the decoder
 */
void flow_etrace_leave(struct rvtrace_flow *flow)
{
	if (flow->source->synced)
		flow_etrace_flush(flow, false);
	flow_etrace_forget_data(flow->source);
}

/* "Timestamping"; where times are less than whole, the first is the nearest. */
static void timestamp(struct rvtrace_flow *flow)
{
	const struct rvtrace_etrace_packet *packet = &flow->packet;
	struct source *source = flow->source;
	struct etrace_state *state = source->etrace;
	unsigned int bits = etrace_time_bits(&state->params);
	uint64_t time = packet->now;

	if (!packet->has_now)
		return;
	if (!source->has_time)
		state->time_offset = bits < 64 ? nearest_time(flow->latest, time, bits) - time : 0;
	source->has_time = true;
	source->time = nearest_time(flow->latest, time + state->time_offset,
				    flow->config.time_bits);
	flow->latest = source->time;
	if (source->time - source->place.from >= source->place_span)
		source->placed = false;
}

/*
 * Begins a walk of the current source, which first leads where the last one may have led once more.
 * Return: its plan, to be filled: all else in it is 0.
 */
static inline struct etrace_walk *start_walk(struct rvtrace_flow *flow)
{
	const struct source *source = flow->source;
	const struct etrace_state *state = source->etrace;
	struct walk *walk = &flow->walk;

	flow->etrace_walk = (struct etrace_walk) {
		.again = state->inferred,
		.again_target = state->address,
		.again_irreport = state->irreport,
		.again_irdepth = state->irdepth,
		.irets = state->inferred ? state->irets : 0,
	};
	walk->pc = source->pc;
	walk->last_kind = RVTRACE_INSN_LINEAR;
	walk->tail = state->tail;
	memcpy(walk->tail_code, state->tail_code, sizeof(walk->tail_code));
	walk->mark = UINT64_MAX;
	walk->steps = 0;
	flow->walking = true;
	return &flow->etrace_walk;
}

/* The branch outcomes a packet gives. */
static void plan_outcomes(const struct rvtrace_etrace_te_inst *inst, struct etrace_walk *plan)
{
	if (inst->format == RVTRACE_ETRACE_OPT_EXT &&
	    inst->subformat == RVTRACE_ETRACE_BRANCH_COUNT) {
		plan->predicted = true;
		plan->failed = inst->branch_fmt != RVTRACE_ETRACE_ADDR;
		plan->left = inst->branch_count + 31ull + plan->failed;
		return;
	}
	plan->map = inst->branch_map;
	if (inst->format == RVTRACE_ETRACE_DIFF_DELTA)
		plan->left = inst->branches ? inst->branches : 31;
	else if (inst->format == RVTRACE_ETRACE_OPT_EXT)
		plan->left = inst->branches;
}

/* The address it gives. Return: 0, or an error if the cache has none. */
static int plan_target(const struct etrace_state *state, const struct rvtrace_etrace_te_inst *inst,
		       struct etrace_walk *plan)
{
	const struct rvtrace_etrace_params *params = &state->params;

	if (inst->format == RVTRACE_ETRACE_OPT_EXT &&
	    inst->subformat == RVTRACE_ETRACE_JUMP_TARGET_INDEX) {
		plan->has_target = true;
		plan->target = state->cache[inst->index & ((1ull << params->cache_size) - 1)];
		return plan->target & 1 ? RVTRACE_ERR_JUMP : 0;
	}
	plan->has_target = inst->has_address;
	plan->target = inst->address;
	if (!etrace_has(state, RVTRACE_ETRACE_FULL_ADDRESS))
		plan->target += state->address;
	plan->target = rvtrace_etrace_wrap(params, plan->target);
	return 0;
}

/* Formats 0 to 2. */
static void follow(struct rvtrace_flow *flow)
{
	const struct rvtrace_etrace_te_inst *inst = &flow->packet.inst;
	struct source *source = flow->source;
	struct etrace_state *state = source->etrace;
	struct etrace_walk *plan = start_walk(flow);
	int error;

	plan->updiscon = inst->is_updiscon;
	plan->irreport = inst->is_irreport;
	plan->irdepth = inst->irdepth;
	if (state->inferred)	/* it was reached once more, else a synchronization would follow */
		flow_etrace_cache(state, state->address);
	state->inferred = false;
	plan_outcomes(inst, plan);
	error = plan->left > flow->config.branches_max ? RVTRACE_ERR_FIELD :
							 plan_target(state, inst, plan);
	if (error) {
		flow->walking = false;
		flow_error(flow, error);
		flow_etrace_leave(flow);
		source->synced = false;
		return;
	}
	if (plan->has_target)
		state->address = plan->target;
	if (!source->gap && plan->predicted && !state->predicts) {
		flow_etrace_flush(flow, false);
		flow_etrace_gap(flow, source->pc, state->known);
	}
	if (source->gap || !state->known) {
		flow->walking = false;
		flow_etrace_walked(flow);
	}
}

/*
 * Format 3, subformat 0: first along the code to where it synchronizes. What is reported though no
 * jump of unknown target led there is the last instruction before that; so if it is not, it was
 * reported for such a jump, and was reached once more.
 */
static void approach(struct rvtrace_flow *flow)
{
	const struct rvtrace_etrace_te_inst *inst = &flow->packet.inst;
	struct source *source = flow->source;
	struct etrace_state *state = source->etrace;
	struct etrace_walk *plan;

	state->inferred = state->inferred && !flow_etrace_is_next(flow, inst->address);
	plan = start_walk(flow);
	plan->sync = true;
	plan->has_target = true;
	plan->target = inst->address;
	plan->other_privilege = state->privilege != inst->privilege;
	source->stats.syncs++;
	state->inferred = false;
	if (!source->synced || source->gap || !state->known) {
		flow->walking = false;
		flow_etrace_walked(flow);
	}
}

/* What was reported last may have been reached once more, and only its end says so. */
static void support(struct rvtrace_flow *flow)
{
	struct etrace_state *state = flow->source->etrace;

	if (flow->source->synced && state->inferred &&
	    flow->packet.inst.qual_status == RVTRACE_ETRACE_ENDED_NTR)
		start_walk(flow);
	else
		flow_etrace_support(flow);
}

/**
 * flow_etrace_walked() - the walk of the current packet is over
 * @flow: the decoder
 */
void flow_etrace_walked(struct rvtrace_flow *flow)
{
	flow_apply_pending(flow);
	if (flow->packet.inst.format != RVTRACE_ETRACE_SYNC)
		flow_etrace_reached(flow);
	else if (flow->packet.inst.subformat == RVTRACE_ETRACE_START)
		flow_etrace_start(flow);
	else
		flow_etrace_support(flow);
}

static void handle_inst(struct rvtrace_flow *flow)
{
	const struct rvtrace_etrace_te_inst *inst = &flow->packet.inst;

	flow->message.tcode = RVTRACE_TE_INST + inst->format * 4 + inst->subformat;
	if (inst->format != RVTRACE_ETRACE_SYNC) {
		flow->source->etrace->reports++;
		if (flow->source->synced)
			follow(flow);
		else
			flow->source->stats.skipped++;
		return;
	}
	if (inst->subformat <= RVTRACE_ETRACE_TRAP) {
		flow->source->etrace->reports++;
		flow_etrace_forget_data(flow->source);
	}
	switch (inst->subformat) {
	case RVTRACE_ETRACE_START:
		approach(flow);
		break;
	case RVTRACE_ETRACE_TRAP:
		flow->source->stats.syncs++;
		flow_etrace_trap(flow);
		break;
	case RVTRACE_ETRACE_CONTEXT:
		flow_etrace_context(flow);
		break;
	case RVTRACE_ETRACE_SUPPORT:
		support(flow);
		break;
	}
}

static void handle(struct rvtrace_flow *flow)
{
	const struct rvtrace_etrace_packet *packet = &flow->packet;
	struct rvtrace_flow_item *item;

	flow->source->stats.messages++;
	flow->source->stats.bytes += packet->size;
	timestamp(flow);
	switch (packet->kind) {
	case RVTRACE_ETRACE_TE_INST:
		handle_inst(flow);
		break;
	case RVTRACE_ETRACE_TE_DATA:
		flow_etrace_data(flow);
		break;
	case RVTRACE_ETRACE_EVENT:
		flow_etrace_software(flow);
		break;
	case RVTRACE_ETRACE_OTHER:
		item = flow_event(flow, RVTRACE_FLOW_UNKNOWN);
		item->unknown.tcode = packet->type;
		item->unknown.size = packet->size;
		break;
	}
}

/* No instruction has an odd address; that of a trap without thaddr may be anything. */
static bool has_odd_address(const struct rvtrace_etrace_packet *packet)
{
	const struct rvtrace_etrace_te_inst *inst = &packet->inst;

	if (packet->kind != RVTRACE_ETRACE_TE_INST || !(inst->address & 1))
		return false;
	return inst->format != RVTRACE_ETRACE_SYNC || inst->subformat != RVTRACE_ETRACE_TRAP ||
	       inst->thaddr;
}

/**
 * flow_etrace_next() - begin with the next packet
 * @flow: the decoder, without a walk or events left over
 *
 * Return: 1, 0 if all bytes are consumed, RVTRACE_ERR_NO_MEMORY.
 */
int flow_etrace_next(struct rvtrace_flow *flow)
{
	struct rvtrace_etrace_packet *packet = &flow->packet;
	struct rvtrace_etrace_params params;
	int ret;

	ret = rvtrace_etrace_next(flow->reader, packet);
	if (!ret)
		return 0;
	flow->message.offset = packet->offset;
	flow->message.size = packet->size;
	flow->message.tcode = 0;
	if (ret > 0 && has_odd_address(packet))
		ret = RVTRACE_ERR_FIELD;
	if (ret < 0)
		return flow_damaged(flow, ret);
	flow->source = flow_source(flow, packet->srcid);
	if (!flow->source)
		return RVTRACE_ERR_NO_MEMORY;
	if (!flow->source->etrace) {
		rvtrace_etrace_params_of(flow->reader, packet->srcid, &params);
		if (flow_etrace_state_new(&params, &flow->source->etrace))
			return RVTRACE_ERR_NO_MEMORY;
	}
	handle(flow);
	return 1;
}
