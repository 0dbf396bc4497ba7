// SPDX-License-Identifier: GPL-2.0
/*
 * Where trace goes: the device tree's graph. What it says of a component is
 * checked when that is probed; it is followed when a session starts, so that the
 * order in which components probe does not matter.
 */
#include <linux/of.h>
#include <linux/of_graph.h>
#include <linux/string.h>

#include "bind.h"
#include "core.h"
#include "discover.h"
#include "field.h"
#include "graph.h"
#include "neighbour.h"
#include "rvtrace.h"
#include "sram.h"

/* Endpoint @n in a node's @ports, with a reference, or NULL. */
static struct device_node *graph_endpoint(const struct device_node *np, const char *ports,
					  unsigned int n)
{
	struct device_node *list = of_get_child_by_name(np, ports), *endpoint = NULL;

	do
		endpoint = of_graph_get_next_endpoint(list, endpoint);
	while (endpoint && n--);
	of_node_put(list);
	return endpoint;
}

static bool graph_has_endpoint(const struct device_node *np, const char *ports)
{
	struct device_node *endpoint = graph_endpoint(np, ports, 0);

	of_node_put(endpoint);
	return endpoint;
}

/* The node that out-port @n of a node leads to, with a reference, or NULL. */
static struct device_node *graph_node_after(const struct device_node *np, unsigned int n)
{
	struct device_node *endpoint = graph_endpoint(np, "out-ports", n);
	struct device_node *next = of_graph_get_remote_port_parent(endpoint);

	of_node_put(endpoint);
	return next;
}

static unsigned int graph_count_outputs(const struct device_node *np)
{
	struct device_node *endpoint;
	unsigned int n = 0;

	while ((endpoint = graph_endpoint(np, "out-ports", n))) {
		of_node_put(endpoint);
		n++;
	}
	return n;
}

/* Whether what @np describes is, or may be, a component that takes trace. */
static bool graph_takes_trace(const struct device_node *np)
{
	const struct of_device_id *match = of_match_node(rvtrace_matches, np);
	const struct rvtrace_kind * const *kinds = match ? match->data : NULL;

	while (kinds && *kinds && (*kinds)->role == RVTRACE_ENCODER)
		kinds++;
	return kinds && *kinds;
}

static bool graph_is_coresight(const struct device_node *np)
{
	struct property *p;
	const char *name;

	of_property_for_each_string(np, "compatible", p, name)
		if (strstarts(name, "arm,coresight-"))
			return true;
	return false;
}

/* What is at the other end of the out-port must take trace, of ours or by a bus of CoreSight. */
static int graph_check_next(struct device *dev, const struct rvtrace_kind *kind,
			    const struct device_node *next)
{
	if (!next)
		return dev_err_probe(dev, -ENODEV, "out-port is not connected\n");
	if (!graph_takes_trace(next) &&
	    (kind->fields[RVTRACE_SINK].mask || !graph_is_coresight(next)))
		return dev_err_probe(dev, -ENODEV,
				     "out-port leads to %pOF, not to a funnel or sink\n", next);
	return 0;
}

/* An out-port leads to what is a component of ours by its node, whatever it does. */
static bool graph_goes_on(const struct device_node *np)
{
	struct device_node *next;
	bool ours = false;
	unsigned int n;

	for (n = 0; !ours && (next = graph_node_after(np, n)); n++) {
		ours = of_match_node(rvtrace_matches, next);
		of_node_put(next);
	}
	return ours;
}

/* The first out-port that leads to what may probe; as many as there are: none does. */
static unsigned int graph_first_output(const struct device_node *np)
{
	struct device_node *next;
	bool available = false;
	unsigned int n;

	for (n = 0; !available && (next = graph_node_after(np, n)); n++) {
		available = of_device_is_available(next);
		of_node_put(next);
	}
	return available ? n - 1 : n;
}

/* A sink that a board does not use is disabled; a way that has no other end leads nowhere. */
static int graph_check_available(struct device *dev)
{
	struct device_node *next;
	int ret = 0;

	if (graph_first_output(dev->of_node) < graph_count_outputs(dev->of_node))
		return 0;
	next = graph_node_after(dev->of_node, 0);
	ret = dev_err_probe(dev, -ENODEV, "out-port leads to %pOF, which is disabled\n", next);
	of_node_put(next);
	return ret;
}

/*
 * Ways on from @np, the last of @n components, must end before they are too long; one
 * in a circle never does. They end at what is no component of ours.
 */
static int graph_check_ways(struct device *dev, const struct device_node *np, unsigned int n)
{
	struct device_node *next;
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && (next = graph_node_after(np, i)); i++) {
		if (next == dev->of_node)
			ret = dev_err_probe(dev, -ENODEV,
					    "out-ports form a loop of %u components\n", n);
		else if (!graph_takes_trace(next))
			ret = 0;
		else if (n == RVTRACE_PATH_MAX)
			ret = dev_err_probe(dev, -ENODEV,
					    "out-ports form a loop or a chain of more than %u components\n",
					    RVTRACE_PATH_MAX);
		else
			ret = graph_check_ways(dev, next, n + 1);
		of_node_put(next);
	}
	return ret;
}

/**
 * rvtrace_graph_check() - whether the ports of a component can be right
 * @dev: its device
 * @kind: what it is
 *
 * An encoder or a funnel that may have a sink in its page needs no out-port. A bridge
 * that leads to nothing of ours ends the path, and what is behind it is not looked at. The
 * same is so of what has no field to choose a sink and leads to CoreSight.
 *
 * Return: 0; -ENODEV, after one line that says why
 */
int rvtrace_graph_check(struct device *dev, const struct rvtrace_kind *kind)
{
	struct device_node *next;
	unsigned int n, i;
	int ret = 0;

	if (kind->role != RVTRACE_ENCODER && !graph_has_endpoint(dev->of_node, "in-ports"))
		return dev_err_probe(dev, -ENODEV, "no in-port\n");
	if (kind->role == RVTRACE_RAM_SINK || kind->role == RVTRACE_PIB_SINK ||
	    (kind->role == RVTRACE_ATB_BRIDGE && !graph_goes_on(dev->of_node)))
		return 0;
	if (!graph_has_endpoint(dev->of_node, "out-ports")) {
		if (kind->fields[RVTRACE_SINK].mask)
			return 0;
		return dev_err_probe(dev, -ENODEV, "no out-port\n");
	}
	n = graph_count_outputs(dev->of_node);
	for (i = 0; !ret && i < n; i++) {
		next = graph_node_after(dev->of_node, i);
		ret = graph_check_next(dev, kind, next);
		of_node_put(next);
	}
	if (ret)
		return ret;
	ret = graph_check_available(dev);
	if (ret)
		return ret;
	return graph_check_ways(dev, dev->of_node, 1);
}

/**
 * rvtrace_graph_has_output() - whether a component has an out-port
 * @c: the component
 */
bool rvtrace_graph_has_output(struct rvtrace_component *c)
{
	return graph_has_endpoint(c->parent->of_node, "out-ports");
}

/**
 * rvtrace_graph_outputs() - how many out-ports a component has
 * @c: the component
 */
unsigned int rvtrace_graph_outputs(const struct rvtrace_component *c)
{
	return graph_count_outputs(c->parent->of_node);
}

/**
 * rvtrace_graph_first_output() - which out-port trace takes unless somebody chooses
 * @c: the component
 *
 * Return: number of the first one that leads to a node that is not disabled; 0 without any
 */
unsigned int rvtrace_graph_first_output(const struct rvtrace_component *c)
{
	unsigned int n = graph_first_output(c->parent->of_node);

	return n < rvtrace_graph_outputs(c) ? n : 0;
}

/**
 * rvtrace_graph_output() - the component that an out-port leads to
 * @c: the component
 * @n: which of its out-ports
 * @next: out: NULL where none is bound
 *
 * Return: false when there are not so many out-ports
 */
bool rvtrace_graph_output(struct rvtrace_component *c, unsigned int n,
			  struct rvtrace_component **next)
{
	struct device_node *np = graph_node_after(c->parent->of_node, n);
	bool found = np;

	if (!np || rvtrace_find(np, next))
		*next = NULL;
	of_node_put(np);
	return found;
}

/* The out-port at the other end of the in-port's @endpoint is the chosen one. */
static bool graph_is_chosen(const struct rvtrace_component *from,
			    const struct device_node *endpoint)
{
	struct device_node *chosen = graph_endpoint(from->parent->of_node, "out-ports",
						    from->route);
	struct device_node *remote = of_graph_get_remote_endpoint(endpoint);
	bool same = chosen == remote;

	of_node_put(remote);
	of_node_put(chosen);
	return same && rvtrace_sink_choice(from) == RVTRACE_SINK_FUNNEL;
}

/**
 * rvtrace_graph_input() - what leads to a component
 * @c: the component
 * @n: which of its in-ports, counted
 * @input: out: @from is NULL where nothing is bound
 *
 * Return: false when there are not so many in-ports
 */
bool rvtrace_graph_input(struct rvtrace_component *c, unsigned int n,
			 struct rvtrace_input *input)
{
	struct device_node *in = graph_endpoint(c->parent->of_node, "in-ports", n), *np;
	struct of_endpoint where;

	if (!in)
		return false;
	np = of_graph_get_remote_port_parent(in);
	if (!np || rvtrace_find(np, &input->from))
		input->from = NULL;
	of_node_put(np);
	of_graph_parse_endpoint(in, &where);
	input->port = where.port;
	input->chosen = input->from && graph_is_chosen(input->from, in);
	of_node_put(in);
	return true;
}

/* The end of the way at @c: say why if asked to. */
static int graph_no_way(struct rvtrace_component *c, bool report, int error, const char *why)
{
	if (report)
		dev_err(&c->dev, "%pOF %s\n", c->parent->of_node, why);
	return error;
}

/* Nothing of ours is bound to the node @np that @c leads to. */
static void graph_report_missing(struct rvtrace_component *c, struct device_node *np)
{
	char name[RVTRACE_DRIVER_NAME];

	if (rvtrace_held_by_other(np, name))
		dev_err(&c->dev, "%pOF leads to %pOF, which is held by another driver: %s\n",
			c->parent->of_node, np, name);
	else
		dev_err(&c->dev, "%pOF leads to %pOF, which has no driver\n",
			c->parent->of_node, np);
}

static int graph_find_next(struct rvtrace_component *c, bool report,
			   struct rvtrace_component **next)
{
	struct device_node *np = graph_node_after(c->parent->of_node, c->route);
	int ret;

	if (!np)
		return graph_no_way(c, report, -ENOLINK, "traces to a funnel, but has no out-port");
	ret = rvtrace_find(np, next);
	if (ret && report)
		graph_report_missing(c, np);
	of_node_put(np);
	return ret;
}

/* "The one sink" of version 0 */
static u32 graph_only_sink(const struct rvtrace_component *c)
{
	if (c->wanted[RVTRACE_HAS_FUNNEL_SINK])
		return RVTRACE_SINK_FUNNEL;
	if (c->wanted[RVTRACE_HAS_SBA_SINK])
		return RVTRACE_SINK_SBA;
	if (c->wanted[RVTRACE_HAS_SRAM_SINK])
		return RVTRACE_SINK_SRAM;
	return c->wanted[RVTRACE_HAS_PIB_SINK] ? RVTRACE_SINK_PIB : RVTRACE_SINK_ATB;
}

/* By out-port @n trace leaves the interface: what is there has another driver, or none. */
static bool graph_leaves_by(const struct rvtrace_component *c, unsigned int n)
{
	struct device_node *next = graph_node_after(c->parent->of_node, n);
	bool leaves = c->kind->role == RVTRACE_ATB_BRIDGE;

	if (next)
		leaves = !of_match_node(rvtrace_matches, next);
	of_node_put(next);
	return leaves;
}

/**
 * rvtrace_can_leave() - whether trace of a component can leave the interface over a bus
 * @c: a component after discovery
 *
 * Return: true for what has a bridge in its page, or is one that leads to nothing of ours,
 * or leads to CoreSight
 */
bool rvtrace_can_leave(const struct rvtrace_component *c)
{
	unsigned int n;

	if (rvtrace_has(c, RVTRACE_SINK))
		return rvtrace_has(c, RVTRACE_ATB_ID);
	for (n = 0; n == 0 || n < rvtrace_graph_outputs(c); n++)
		if (graph_leaves_by(c, n))
			return true;
	return false;
}

/**
 * rvtrace_sink_choice() - where the trace of a component goes
 * @c: the component
 *
 * Return: a value of teSink, also where the hardware has no such field
 */
u32 rvtrace_sink_choice(const struct rvtrace_component *c)
{
	if (rvtrace_has(c, RVTRACE_SINK))
		return c->wanted[RVTRACE_SINK] ?: graph_only_sink(c);
	switch (c->kind->role) {
	case RVTRACE_RAM_SINK:
		return c->wanted[RVTRACE_RAM_MODE] == RVTRACE_RAM_MODE_SRAM ?
		       RVTRACE_SINK_SRAM : RVTRACE_SINK_SBA;
	case RVTRACE_PIB_SINK:
		return RVTRACE_SINK_PIB;
	default:
		return graph_leaves_by(c, c->route) ? RVTRACE_SINK_ATB : RVTRACE_SINK_FUNNEL;
	}
}

/**
 * rvtrace_has_ring() - whether a component has a sink whose trace can be read
 * @c: a component after discovery
 */
bool rvtrace_has_ring(const struct rvtrace_component *c)
{
	return (c->kind->ram && c->wanted[RVTRACE_HAS_SBA_SINK]) || rvtrace_sram_readable(c);
}

/**
 * rvtrace_can_sink() - whether the driver can use the sink that was chosen
 * @c: a component after discovery
 */
bool rvtrace_can_sink(struct rvtrace_component *c)
{
	switch (rvtrace_sink_choice(c)) {
	case RVTRACE_SINK_FUNNEL:
		return rvtrace_graph_has_output(c);
	case RVTRACE_SINK_SBA:
		return c->wanted[RVTRACE_HAS_SBA_SINK];
	case RVTRACE_SINK_SRAM:
		return rvtrace_sram_readable(c);
	case RVTRACE_SINK_PIB:
		return rvtrace_has(c, RVTRACE_PIB_MODE);
	case RVTRACE_SINK_ATB:
		return rvtrace_has(c, RVTRACE_ATB_ID);
	default:
		return false;
	}
}

static const char *graph_why_no_sink(struct rvtrace_component *c)
{
	return rvtrace_graph_has_output(c) ? "hardware has no funnel" : "no out-port";
}

/**
 * rvtrace_choose_sink() - the sink that an encoder or a funnel has at first
 * @c: the component after discovery
 *
 * Return: 0; -ENODEV when there is none that the driver can use
 */
int rvtrace_choose_sink(struct rvtrace_component *c)
{
	if (!rvtrace_has(c, RVTRACE_SINK))
		return 0;
	/* The last one that there is */
	rvtrace_prefer(c, RVTRACE_SINK, RVTRACE_SINK_ATB);
	rvtrace_prefer(c, RVTRACE_SINK, RVTRACE_SINK_PIB);
	if (rvtrace_sram_readable(c))
		rvtrace_prefer(c, RVTRACE_SINK, RVTRACE_SINK_SRAM);
	rvtrace_prefer(c, RVTRACE_SINK, RVTRACE_SINK_SBA);
	if (rvtrace_graph_has_output(c))
		rvtrace_prefer(c, RVTRACE_SINK, RVTRACE_SINK_FUNNEL);
	if (rvtrace_can_sink(c))
		return 0;
	return dev_err_probe(c->parent, -ENODEV, "%s and no other sink to trace to\n",
			     graph_why_no_sink(c));
}

static bool graph_has_sink(const struct rvtrace_component *c, u32 choice)
{
	if (!c->sink)
		return false;
	if (choice == RVTRACE_SINK_SRAM)
		return rvtrace_sram_readable(c);
	return choice != RVTRACE_SINK_SBA || c->sink->memory.dma;
}

static const char *graph_no_sink(u32 choice)
{
	return choice == RVTRACE_SINK_SBA ? "traces to system memory, but has no ring" :
	       "traces to a sink that it lacks";
}

/* Next component after @c; *@next is NULL at the owner of the sink. */
static int graph_next(struct rvtrace_component *c, bool report,
		      struct rvtrace_component **next)
{
	u32 choice = rvtrace_sink_choice(c);

	*next = NULL;
	switch (choice) {
	case RVTRACE_SINK_FUNNEL:
		return graph_find_next(c, report, next);
	case RVTRACE_SINK_SRAM:
	case RVTRACE_SINK_SBA:
	case RVTRACE_SINK_PIB:
	case RVTRACE_SINK_ATB:
		if (graph_has_sink(c, choice))
			return 0;
		return graph_no_way(c, report, -ENODEV, graph_no_sink(choice));
	default:
		return graph_no_way(c, report, -EOPNOTSUPP, "traces to a sink that has no reader");
	}
}

/**
 * rvtrace_graph_path() - components from an encoder to the owner of its sink
 * @encoder: the encoder, or a funnel
 * @report: say in one line why there is none
 * @path: out: RVTRACE_PATH_MAX components, the encoder first; no references
 *	are taken, they stay registered while rvtrace_lock is held
 * @length: out: how many
 *
 * Return: 0; -ENOLINK without an out-port; -ENODEV for one whose component is
 * not there; -EOPNOTSUPP for a sink that the driver cannot read; -ELOOP when
 * the device tree is no longer the one that was checked
 */
int rvtrace_graph_path(struct rvtrace_component *encoder, bool report,
		       struct rvtrace_component **path, unsigned int *length)
{
	struct rvtrace_component *c = encoder;
	unsigned int n = 0;
	int ret;

	lockdep_assert_held(&rvtrace_lock);
	while (c) {
		if (n == RVTRACE_PATH_MAX)
			return -ELOOP;
		path[n++] = c;
		ret = graph_next(c, report, &c);
		if (ret)
			return ret;
	}
	*length = n;
	return 0;
}
