// SPDX-License-Identifier: GPL-2.0
/*
 * Where trace goes: the device tree's graph, followed when a session starts,
 * so that the order in which components probe does not matter.
 */
#include <linux/of.h>
#include <linux/of_graph.h>

#include "rvtrace.h"

/* The component a node's out-port @index leads to, with a reference, or NULL. */
static struct device_node *remote(struct device_node *np, unsigned int index)
{
	struct device_node *ports, *endpoint, *found = NULL;
	unsigned int seen = 0;

	ports = of_get_child_by_name(np, "out-ports");
	if (!ports)
		return NULL;
	for_each_endpoint_of_node(ports, endpoint) {
		if (seen++ != index)
			continue;
		found = of_graph_get_remote_port_parent(endpoint);
		of_node_put(endpoint);
		break;
	}
	of_node_put(ports);
	return found;
}

/**
 * rvtrace_graph_has_output() - whether a component has an out-port
 * @c: the component
 */
bool rvtrace_graph_has_output(struct rvtrace_component *c)
{
	struct device_node *np = remote(c->parent->of_node, 0);

	of_node_put(np);
	return np;
}

/* Next component after @c; *@next is NULL at the owner of the sink. */
static int next_component(struct rvtrace_component *c, struct rvtrace_component **next)
{
	struct device_node *np;
	int ret;

	*next = NULL;
	if (c->wanted[RVTRACE_SINK] == RVTRACE_SINK_SBA) {
		if (c->sink)
			return 0;
		dev_err(&c->dev, "traces to system memory, but has no ring\n");
		return -ENODEV;
	}
	if (c->wanted[RVTRACE_SINK] != RVTRACE_SINK_FUNNEL) {
		dev_err(&c->dev, "sink %u has no reader\n", c->wanted[RVTRACE_SINK]);
		return -EOPNOTSUPP;
	}
	np = remote(c->parent->of_node, 0);
	if (!np) {
		dev_err(&c->dev, "out-port leads nowhere\n");
		return -ENOLINK;
	}
	ret = rvtrace_find(np, next);
	if (ret)
		dev_err(&c->dev, "%pOF has no driver bound yet\n", np);
	of_node_put(np);
	return ret;
}

/**
 * rvtrace_graph_path() - components from an encoder to the owner of its sink
 * @encoder: the encoder
 * @path: out: RVTRACE_PATH_MAX components, the encoder first; no references
 *	are taken, they stay registered while rvtrace_lock is held
 * @length: out: how many
 *
 * Return: 0; -ELOOP for a loop or too long a chain; -ENOLINK for an end that
 * leads nowhere; -ENODEV for one whose component is not there; -EOPNOTSUPP for
 * a sink that the driver cannot read
 */
int rvtrace_graph_path(struct rvtrace_component *encoder,
		       struct rvtrace_component **path, unsigned int *length)
{
	struct rvtrace_component *c = encoder, *next;
	unsigned int n = 0, i;
	int ret;

	lockdep_assert_held(&rvtrace_lock);
	for (;;) {
		for (i = 0; i < n; i++)
			if (path[i] == c)
				goto loop;
		if (n == RVTRACE_PATH_MAX)
			goto loop;
		path[n++] = c;
		ret = next_component(c, &next);
		if (ret)
			return ret;
		if (!next)
			break;
		if (next->kind->role != RVTRACE_FUNNEL) {
			dev_err(&c->dev, "out-port leads to %s, not a funnel\n",
				dev_name(&next->dev));
			return -ENOLINK;
		}
		c = next;
	}
	*length = n;
	return 0;
loop:
	dev_err(&encoder->dev, "path to its sink is a loop or longer than %u components\n",
		RVTRACE_PATH_MAX);
	return -ELOOP;
}
