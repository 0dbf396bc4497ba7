// SPDX-License-Identifier: GPL-2.0
/* Trace funnel (TCI 0.9.4 chapters 11 and 15). */
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

	if (funnel && legal & BIT_ULL(RVTRACE_SINK_FUNNEL)) {
		c->wanted[RVTRACE_SINK] = RVTRACE_SINK_FUNNEL;
		return 0;
	}
	if (legal & BIT_ULL(RVTRACE_SINK_SBA)) {
		c->wanted[RVTRACE_SINK] = RVTRACE_SINK_SBA;
		return 0;
	}
	return dev_err_probe(c->parent, -ENODEV, "%s and no system-memory sink to trace to\n",
			     funnel ? "hardware has no next funnel" : "no out-port");
}

/**
 * rvtrace_funnel_disable() - flush to the sink and wait until all has left
 * @c: a funnel whose sources are empty
 *
 * Return: 0; -ETIMEDOUT; an access error
 */
int rvtrace_funnel_disable(struct rvtrace_component *c)
{
	int ret;

	c->enabled = false;
	ret = rvtrace_switch(c, RVTRACE_ENABLE, false);
	if (!ret)
		ret = rvtrace_poll(c, RVTRACE_ENABLE, 0, "disable");
	if (!ret)
		ret = rvtrace_poll(c, RVTRACE_EMPTY, 1, "drain");
	return ret;
}
