// SPDX-License-Identifier: GPL-2.0-or-later
/* Triggers of an encoder: external ones, in and out, and those of the hart. */
#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/machine/model/encoder-internal.h"

#define COUNTER_MAX	15u

/* @gated: the enable bits count */
static void set_tracing(struct te_model *te, bool on, bool gated)
{
	if (!gated || te->fields[TE_TRIG_ENABLE])
		te->fields[TE_TRACING] = on;
	if (te->fields[TE_DATA_IMPLEMENTED] &&
	    (!gated || te->fields[TE_DATA_TRIG_ENABLE]))
		te->fields[TE_DATA_TRACING] = on;
	te_update(te);
}

static void act(struct te_model *te, unsigned int action, bool gated,
		enum te_sync_reason reason)
{
	switch (action) {
	case RVTRACE_XTRIG_ACTION_START:
		set_tracing(te, true, gated);
		break;
	case RVTRACE_XTRIG_ACTION_STOP:
		set_tracing(te, false, gated);
		break;
	case RVTRACE_XTRIG_ACTION_SYNC:
		if (te->hart)
			te->protocol->synchronize(te, reason);
		break;
	default:
		break;
	}
}

void te_model_trigger(struct te_model *te, unsigned int n)
{
	if (component_is_up(&te->component) && n < TE_TRIGGERS)
		act(te, te->fields[TE_TRIG_IN + n],
		    te->generation->gates_external,
		    TE_SYNC_EXTERNAL);
}

void te_model_debug_trigger(struct te_model *te, unsigned int action)
{
	if (component_is_up(&te->component))
		act(te, action, true, TE_SYNC_EVENT);
}

void te_fire(struct te_model *te, unsigned int event)
{
	unsigned int n;

	for (n = 0; n < TE_TRIGGERS; n++)
		if (te->fields[TE_TRIG_OUT + n] >> event & 1 &&
		    (te->fired >> 4 * n & COUNTER_MAX) < COUNTER_MAX)
			te->fired += 1u << 4 * n;
}

uint32_t te_model_fired(struct te_model *te, bool clear)
{
	uint32_t fired = te->fired;

	if (clear)
		te->fired = 0;
	return fired;
}

void te_model_lose_data(struct te_model *te, bool stall, bool drop)
{
	if (!te->fields[TE_DATA_IMPLEMENTED])
		return;
	te->fields[TE_DATA_STALL] |= stall;
	te->fields[TE_DATA_DROP] |= drop;
}
