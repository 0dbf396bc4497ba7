// SPDX-License-Identifier: LGPL-2.1-or-later
/* Privilege Level of the debug specification's trace: of a trap, or of the target of one. */
#include "flow_debugspec.h"

/**
 * debugspec_after_trap() - the walk to an instruction that traps or returns is over
 * @flow: the decoder
 */
void debugspec_after_trap(struct rvtrace_flow *flow)
{
	const struct debugspec_insn *insn = &flow->debugspec->way.insn;
	struct rvtrace_flow_item *item;

	item = flow_event(flow, insn->kind == RVTRACE_INSN_TRAP_RETURN ? RVTRACE_FLOW_TRAP_RETURN :
			  RVTRACE_FLOW_TRAP);
	flow_event_address(item, insn->address);
	if (item->type == RVTRACE_FLOW_TRAP)
		item->trap.kind = RVTRACE_TRAP_EXCEPTION;
	debugspec_apply_privilege(flow);
	debugspec_lose(flow, 0);
}

/* To the letter, ecall, ebreak and returns emit Privilege Level alone. */
static void literal(struct rvtrace_flow *flow)
{
	struct debugspec_flow *d = flow->debugspec;

	d->way = (struct debugspec_way) { .aim = AIM_TRAP };
	if (debugspec_find(flow, &d->way) != FOUND) {
		debugspec_apply_privilege(flow);
		debugspec_lose_way(flow, RVTRACE_ERR_JUMP);
		return;
	}
	if (d->way.insn.kind != RVTRACE_INSN_TRAP_RETURN) {
		d->way.traps = true;
		d->way.count--;
	}
	debugspec_walk_on(flow, AFTER_TRAP);
}

/**
 * debugspec_privilege() - the packet is Privilege Level
 * @flow: the decoder
 */
void debugspec_privilege(struct rvtrace_flow *flow)
{
	const struct rvtrace_debugspec_packet *packet = &flow->debugspec->packet;
	struct debugspec_state *state = debugspec_state(flow);

	if (state->ending != SOURCE_NONE && state->has_privilege) {
		debugspec_once_more(flow);
		return;
	}
	state->has_privilege = true;
	state->privilege = packet->value;
	if (state->ending != SOURCE_NONE)
		return;
	if (flow->config.debugspec.literal && debugspec_has_branches(flow) && debugspec_known(flow) &&
	    !(packet->value & RVTRACE_DEBUGSPEC_INTERRUPT))
		literal(flow);
	else
		debugspec_apply_privilege(flow);
}
