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
	bool funnel = rvtrace_graph_has_output(c);

	if (!rvtrace_has(c, RVTRACE_SINK))
		return 0;
	/* The last one that there is */
	rvtrace_prefer(c, RVTRACE_SINK, RVTRACE_SINK_ATB);
	rvtrace_prefer(c, RVTRACE_SINK, RVTRACE_SINK_PIB);
	rvtrace_prefer(c, RVTRACE_SINK, RVTRACE_SINK_SBA);
	if (funnel)
		rvtrace_prefer(c, RVTRACE_SINK, RVTRACE_SINK_FUNNEL);
	if (rvtrace_can_sink(c))
		return 0;
	return dev_err_probe(c->parent, -ENODEV, "%s and no other sink to trace to\n",
			     funnel ? "hardware has no next funnel" : "no out-port");
}
