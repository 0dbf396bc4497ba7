// SPDX-License-Identifier: GPL-2.0
/* Trace funnel (TCI 0.9.4 chapter 11). */
#include "rvtrace.h"

/**
 * rvtrace_funnel_defaults() - choose where a funnel's trace goes
 * @c: a funnel after discovery
 *
 * Return: 0; -ENODEV when it has no sink the driver can use
 */
int rvtrace_funnel_defaults(struct rvtrace_component *c)
{
	u64 legal = c->legal[RVTRACE_SINK];
	bool funnel = rvtrace_graph_has_output(c);

	if (!rvtrace_has(c, RVTRACE_SINK))
		return 0;
	if (funnel && legal & BIT_ULL(RVTRACE_SINK_FUNNEL)) {
		c->wanted[RVTRACE_SINK] = RVTRACE_SINK_FUNNEL;
		return 0;
	}
	if (legal & BIT_ULL(RVTRACE_SINK_SBA)) {
		c->wanted[RVTRACE_SINK] = RVTRACE_SINK_SBA;
		return 0;
	}
	if (legal == BIT_ULL(RVTRACE_SINK_ONLY))
		return 0;
	return dev_err_probe(c->parent, -ENODEV, "%s and no system-memory sink to trace to\n",
			     funnel ? "hardware has no next funnel" : "no out-port");
}
