// SPDX-License-Identifier: GPL-2.0
/*
 * Components with several out-ports send every message to all that is enabled behind
 * them. Sessions follow one, the route; other funnels throw away what comes.
 */
#include <linux/string.h>
#include <linux/sysfs.h>

#include "access.h"
#include "discover.h"
#include "graph.h"
#include "route.h"
#include "rvtrace.h"
#include "sysfs.h"

/* Inputs of @c from what is routed elsewhere. What uses a sink of its own sends nothing. */
static int route_find_unrouted(struct rvtrace_component *c)
{
	struct rvtrace_input input;
	unsigned int n;
	u32 bit, wanted = c->wanted[RVTRACE_DIS_INPUT];

	c->unrouted = 0;
	for (n = 0; rvtrace_graph_input(c, n, &input); n++) {
		if (!input.from || input.chosen ||
		    rvtrace_sink_choice(input.from) != RVTRACE_SINK_FUNNEL)
			continue;
		/* The device tree may give a port any number. */
		bit = input.port < 32 ? BIT(input.port) : 0;
		if (bit && rvtrace_keeps(c, RVTRACE_DIS_INPUT, wanted | bit)) {
			c->unrouted |= bit;
		} else if (input.from->users) {
			dev_err(&c->dev,
				"cannot discard the trace of %s, which has another sink\n",
				dev_name(&input.from->dev));
			return -EBUSY;
		}
	}
	return 0;
}

/**
 * rvtrace_route_apply() - let only those take a component's trace that shall
 * @c: a component that is held and about to be configured for a session
 *
 * Return: 0; -EBUSY when a component that is enabled would take it as well, or this
 * one that of another session; an access error
 */
int rvtrace_route_apply(struct rvtrace_component *c)
{
	struct rvtrace_component *next;
	unsigned int n;
	u32 before;
	int ret;

	for (n = 0; rvtrace_graph_output(c, n, &next); n++) {
		if (!next || !rvtrace_is_enabled(next))
			continue;
		before = next->unrouted;
		ret = route_find_unrouted(next);
		if (ret)
			return ret;
		if (next->unrouted == before)
			continue;
		ret = rvtrace_update(next, RVTRACE_DIS_INPUT);
		if (ret)
			return ret;
	}
	return route_find_unrouted(c);
}

/* The component that the route leads to, or an empty line while it has no driver. */
static ssize_t route_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct rvtrace_component *c = to_rvtrace_component(dev), *next;
	int ret;

	ret = rvtrace_lock_component(c);
	if (ret)
		return ret;
	rvtrace_graph_output(c, c->route, &next);
	ret = sysfs_emit(buf, "%s\n", next ? dev_name(&next->dev) : "");
	mutex_unlock(&rvtrace_lock);
	return ret;
}

static int route_set(struct rvtrace_component *c, const struct device_attribute *attr,
		     const char *name)
{
	struct rvtrace_component *next;
	unsigned int n;

	if (c->users)
		return rvtrace_not_written(&c->dev, attr, name, "not written, it is in a session",
					   -EBUSY);
	for (n = 0; rvtrace_graph_output(c, n, &next); n++) {
		if (next && sysfs_streq(dev_name(&next->dev), name)) {
			c->route = n;
			return 0;
		}
	}
	return rvtrace_not_written(&c->dev, attr, name, "is not where an out-port leads",
				   -EINVAL);
}

static ssize_t route_store(struct device *dev, struct device_attribute *attr, const char *buf,
			   size_t count)
{
	struct rvtrace_component *c = to_rvtrace_component(dev);
	int ret;

	ret = rvtrace_lock_component(c);
	if (ret)
		return ret;
	ret = route_set(c, attr, buf);
	mutex_unlock(&rvtrace_lock);
	return ret ?: count;
}
static DEVICE_ATTR_RW(route);

static ssize_t route_available_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct rvtrace_component *c = to_rvtrace_component(dev), *next;
	const char *separator = "";
	unsigned int n;
	int ret, length = 0;

	ret = rvtrace_lock_component(c);
	if (ret)
		return ret;
	for (n = 0; rvtrace_graph_output(c, n, &next); n++) {
		if (!next)
			continue;
		length += sysfs_emit_at(buf, length, "%s%s", separator, dev_name(&next->dev));
		separator = " ";
	}
	mutex_unlock(&rvtrace_lock);
	return length + sysfs_emit_at(buf, length, "\n");
}
static DEVICE_ATTR_RO(route_available);

static struct attribute *route_attributes[] = {
	&dev_attr_route.attr,
	&dev_attr_route_available.attr,
	NULL
};

static umode_t route_visible(struct kobject *kobj, struct attribute *attr, int index)
{
	struct rvtrace_component *c = to_rvtrace_component(kobj_to_dev(kobj));

	return rvtrace_graph_outputs(c) > 1 ? attr->mode : 0;
}

const struct attribute_group rvtrace_route_group = {
	.attrs = route_attributes,
	.is_visible = route_visible,
};
