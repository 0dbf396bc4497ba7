// SPDX-License-Identifier: GPL-2.0
/* RISC-V trace: the bus "rvtrace_tci", its components, and the module. */
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/slab.h>

#include "activate.h"
#include "atb.h"
#include "bind.h"
#include "compat.h"
#include "context.h"
#include "core.h"
#include "debugfs.h"
#include "field_sysfs.h"
#include "graph.h"
#include "guard.h"
#include "power.h"
#include "rvtrace.h"
#include "stm.h"
#include "switch_sync.h"
#include "sysfs.h"
#include "tasks.h"
#include "text.h"
#include "window.h"

/* Components, the graph, sessions and every configuration register. */
DEFINE_MUTEX(rvtrace_lock);

static LIST_HEAD(core_components);
static struct ida core_ids[RVTRACE_ROLES];

static RVTRACE_BUS_TYPE core_bus = {
	.name = RVTRACE_NAME,
};

/**
 * rvtrace_find() - the component of a device-tree node
 * @np: the node
 * @found: out: the component
 *
 * Return: 0; -ENODEV when none is bound to it
 */
int rvtrace_find(const struct device_node *np, struct rvtrace_component **found)
{
	struct rvtrace_component *c;

	lockdep_assert_held(&rvtrace_lock);
	list_for_each_entry(c, &core_components, node) {
		if (c->parent->of_node == np) {
			*found = c;
			return 0;
		}
	}
	return -ENODEV;
}

/**
 * rvtrace_reset_all_late() - power is back: reset what was released without
 */
void rvtrace_reset_all_late(void)
{
	struct rvtrace_component *c;

	lockdep_assert_held(&rvtrace_lock);
	list_for_each_entry(c, &core_components, node)
		rvtrace_reset_late(c);
}

/**
 * rvtrace_walk_encoders() - call a function for every encoder
 * @function: called with the encoder and @data; an error ends the walk
 * @data: for @function
 *
 * Return: 0 or the error of @function
 */
int rvtrace_walk_encoders(int (*function)(struct rvtrace_component *, void *),
			  void *data)
{
	struct rvtrace_component *c;
	int ret;

	lockdep_assert_held(&rvtrace_lock);
	list_for_each_entry(c, &core_components, node) {
		if (c->kind->role != RVTRACE_ENCODER)
			continue;
		ret = function(c, data);
		if (ret)
			return ret;
	}
	return 0;
}

static void core_release(struct device *dev)
{
	struct rvtrace_component *c = to_rvtrace_component(dev);

	rvtrace_atb_free(c);
	ida_free(&core_ids[c->kind->role], c->id);
	put_device(c->parent);
	rvtrace_window_free(c);
	kfree(c);
}

/* An encoder has the number of its first hart, if that is free. */
static int core_alloc_id(const struct device *parent, enum rvtrace_role role)
{
	struct device_node *cpu = NULL;
	int id = -ENOSPC, hart;

	if (role == RVTRACE_ENCODER)
		cpu = of_parse_phandle(parent->of_node, "cpus", 0);
	hart = cpu ? of_cpu_node_to_id(cpu) : -ENODEV;
	of_node_put(cpu);
	if (hart >= 0)
		id = ida_alloc_range(&core_ids[role], hart, hart, GFP_KERNEL);
	return id == -ENOSPC ? ida_alloc(&core_ids[role], GFP_KERNEL) : id;
}

static bool core_has_software_trace(const struct device_node *np)
{
	struct device_node *port = of_get_child_by_name(np, "software-trace");

	of_node_put(port);
	return port;
}

/**
 * rvtrace_component_alloc() - make a component, which is not on the bus yet
 * @parent: the platform device
 * @kind: what it is
 *
 * Return: the component, given back by put_device(), or an error pointer
 */
struct rvtrace_component *rvtrace_component_alloc(struct device *parent,
						  const struct rvtrace_kind *kind)
{
	struct rvtrace_component *c;
	int id;

	c = kzalloc_obj(*c);
	if (!c)
		return ERR_PTR(-ENOMEM);
	id = core_alloc_id(parent, kind->role);
	if (id < 0) {
		kfree(c);
		return ERR_PTR(id);
	}
	c->kind = kind;
	c->id = id;
	c->parent = get_device(parent);
	c->te.switch_sync = RVTRACE_SWITCH_SYNC_OFF;
	c->te.software_trace = kind->role == RVTRACE_ENCODER &&
			    core_has_software_trace(parent->of_node);
	INIT_LIST_HEAD(&c->node);
	INIT_LIST_HEAD(&c->stage);
	INIT_LIST_HEAD(&c->ts.stage);
	INIT_LIST_HEAD(&c->te.guarded);
	device_initialize(&c->dev);
	c->dev.bus = &core_bus;
	c->dev.parent = parent;
	c->dev.type = &rvtrace_component_types[kind->role];
	c->dev.release = core_release;
	c->route = rvtrace_graph_first_output(c);
	return c;
}

/**
 * rvtrace_component_add() - let sessions find a component
 * @c: a component on the bus
 */
void rvtrace_component_add(struct rvtrace_component *c)
{
	lockdep_assert_held(&rvtrace_lock);
	list_add_tail(&c->node, &core_components);
}

/* All that is left of the module, when no device is bound */
static void core_undo(void)
{
	unsigned int role;

	rvtrace_stm_exit();
	rvtrace_power_stop();
	rvtrace_text_exit();
	rvtrace_guard_exit();
	rvtrace_tasks_exit();
	rvtrace_switch_sync_exit();
	rvtrace_context_exit();
	rvtrace_sinks_exit();
	rvtrace_debugfs_exit();
	bus_unregister(&core_bus);
	for (role = 0; role < RVTRACE_ROLES; role++)
		ida_destroy(&core_ids[role]);
}

static int __init rvtrace_init(void)
{
	unsigned int role;
	int ret;

	for (role = 0; role < RVTRACE_ROLES; role++)
		ida_init(&core_ids[role]);
	rvtrace_field_sysfs_init();
	rvtrace_guard_init();
	rvtrace_context_init();
	rvtrace_tasks_init();
	rvtrace_switch_sync_init();
	ret = bus_register(&core_bus);
	if (ret) {
		rvtrace_switch_sync_exit();
		return ret;
	}
	rvtrace_debugfs_init();
	ret = rvtrace_sinks_init();
	if (ret)
		goto unregister_bus;
	ret = rvtrace_text_init();
	if (ret)
		goto exit_sinks;
	ret = rvtrace_power_start();
	if (ret)
		goto exit_text;
	/* Last: nothing may be shown of a module that goes again. */
	ret = rvtrace_bind_init();
	if (ret)
		core_undo();
	return ret;
exit_text:
	rvtrace_text_exit();
exit_sinks:
	rvtrace_sinks_exit();
unregister_bus:
	rvtrace_debugfs_exit();
	bus_unregister(&core_bus);
	return ret;
}

static void __exit rvtrace_exit(void)
{
	rvtrace_bind_exit();
	core_undo();
}

module_init(rvtrace_init);
module_exit(rvtrace_exit);

MODULE_DESCRIPTION("RISC-V trace: encoders, funnels and sinks of the Trace Control Interface");
MODULE_LICENSE("GPL");
