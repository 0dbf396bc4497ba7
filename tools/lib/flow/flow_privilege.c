// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Privilege by address: see rvtrace/flow.h. Only traps and returns change the privilege, and each
 * of them comes with the address that it leads to.
 */
#include "flow_internal.h"

enum { PRIV_U = 0, PRIV_S = 1, PRIV_M = 3 };

static bool holds(const struct rvtrace_flow *flow, uint64_t space, unsigned int priv, uint64_t pc)
{
	struct rvtrace_window window;

	return rvtrace_image_find(flow->image, space, priv, pc, &window);
}

/* Of an address in the lower half that no trap led to, and no jump. */
static int low_privilege(struct rvtrace_flow *flow, struct source *source, uint64_t pc)
{
	if (flow->walk.last_kind == RVTRACE_INSN_TRAP_RETURN && source->priv == PRIV_S)
		return PRIV_U;
	flow_find_place(flow, source);
	if (holds(flow, source->place.user, RVTRACE_PRIV_U, pc))
		return PRIV_U;
	/* firmware that nobody has an image of is left when other code is known to run */
	return holds(flow, RVTRACE_SPACE_ANY, RVTRACE_PRIV_M, pc) ||
	       (source->priv == PRIV_M && source->gap) ? PRIV_M : PRIV_U;
}

/**
 * flow_find_privilege() - the privilege at the address that the current message gives
 * @flow: the decoder
 * @jumped: a jump led there
 */
void flow_find_privilege(struct rvtrace_flow *flow, bool jumped)
{
	struct source *source = flow->source;
	int priv;

	if (jumped && flow->message.btype == RVTRACE_NTRACE_BTYPE_JUMP)
		return;
	if (flow->target >> 63)
		priv = PRIV_S;
	else if (flow->message.btype != RVTRACE_NTRACE_BTYPE_JUMP)
		priv = PRIV_M;
	else
		priv = low_privilege(flow, source, flow->target);
	flow_set_context(flow, priv, false, source->space);
}
