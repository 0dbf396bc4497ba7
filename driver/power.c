// SPDX-License-Identifier: GPL-2.0
/*
 * Power: registers may be in the power domain of the hart they trace. They are accessed
 * while their device is resumed, one of its harts is online and none idles deeper than it
 * takes to wait for an interrupt.
 *
 * An encoder whose last hart goes offline is paused until one is back, and so are those whose
 * trace goes through a component of which that is so; if it is the sink's, the session is
 * paused. All sessions are paused while the system sleeps. A notifier does it, not the
 * components' own suspend(): they do not suspend in the order of the trace, and the freezer,
 * which comes before, patches kernel text for the time being, so that trace of it would not
 * decode. Clocks are paired on both sides, because only that of the trace goes on.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/ktime.h>
#include <linux/of.h>
#include <linux/pm_runtime.h>
#include <linux/rculist.h>
#include <linux/smp.h>
#include <linux/suspend.h>

#include "bind.h"
#include "core.h"
#include "guard.h"
#include "pause.h"
#include "power.h"
#include "records.h"
#include "rvtrace.h"
#include "sink_clock.h"
#include "timestamp.h"
#include "wait.h"

/* Harts that are online, changed with rvtrace_lock held. */
static struct cpumask power_online;

/* The system sleeps, or is about to, and since when. */
static bool power_asleep;
static u64 power_asleep_since;

/**
 * rvtrace_power_check() - whether a node says which harts a component follows
 * @dev: its device; the property cpus may be absent
 *
 * Return: 0; -ENODEV when an entry names no hart
 */
int rvtrace_power_check(struct device *dev)
{
	struct device_node *cpu;
	int i, count;
	bool hart;

	if (!of_find_property(dev->of_node, "cpus", NULL))
		return 0;
	count = of_property_count_u32_elems(dev->of_node, "cpus");
	if (count <= 0)
		return dev_err_probe(dev, -ENODEV, "cpus: not a list of harts\n");
	for (i = 0; i < count; i++) {
		cpu = of_parse_phandle(dev->of_node, "cpus", i);
		hart = of_node_is_type(cpu, "cpu");
		of_node_put(cpu);
		if (!hart)
			return dev_err_probe(dev, -ENODEV, "cpus: entry %d is not a hart\n", i);
	}
	return 0;
}

/**
 * rvtrace_power_init() - find out which harts a component follows
 * @c: a component that is being probed
 *
 * Return: 0; -ENOMEM; -ENODEV when the kernel knows none of them
 */
int rvtrace_power_init(struct rvtrace_component *c)
{
	struct device_node *np = c->parent->of_node, *cpu;
	int i, id, count = of_count_phandle_with_args(np, "cpus", NULL);

	if (count <= 0)
		return 0;
	c->harts = devm_kcalloc(c->parent, count, sizeof(*c->harts), GFP_KERNEL);
	if (!c->harts)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		cpu = of_parse_phandle(np, "cpus", i);
		id = of_cpu_node_to_id(cpu);
		of_node_put(cpu);
		if (id >= 0)
			c->harts[c->hart_count++].cpu = id;
	}
	/* Their power state is unknown. */
	if (!c->hart_count)
		return dev_err_probe(c->parent, -ENODEV,
				     "cpus: the kernel uses none of these harts\n");
	return 0;
}

/* Settings that are written one after another do not cycle the power of the component. */
#define AUTOSUSPEND_MS	100

/**
 * rvtrace_power_enable() - let the power of a device follow who holds it
 * @dev: the device of a component that is being probed
 *
 * Return: 0; -ENOMEM
 */
int rvtrace_power_enable(struct device *dev)
{
	pm_runtime_set_autosuspend_delay(dev, AUTOSUSPEND_MS);
	pm_runtime_use_autosuspend(dev);
	return devm_pm_runtime_enable(dev);
}

/**
 * rvtrace_power_harts() - the harts that a component follows
 * @c: the component
 * @mask: out: their numbers
 */
void rvtrace_power_harts(const struct rvtrace_component *c, struct cpumask *mask)
{
	unsigned int i;

	cpumask_clear(mask);
	for (i = 0; i < c->hart_count; i++)
		cpumask_set_cpu(c->harts[i].cpu, mask);
}

/**
 * rvtrace_power_online() - the harts that are online
 *
 * A hart that goes takes rvtrace_lock first, so they stay while the caller has it.
 *
 * Return: their numbers
 */
const struct cpumask *rvtrace_power_online(void)
{
	lockdep_assert_held(&rvtrace_lock);
	return &power_online;
}

/* A hart of a component is online, other than @leaving; or it follows none. */
static bool power_has_hart(const struct rvtrace_component *c, unsigned int leaving)
{
	unsigned int i;

	for (i = 0; i < c->hart_count; i++)
		if (c->harts[i].cpu != leaving &&
		    cpumask_test_cpu(c->harts[i].cpu, &power_online))
			return true;
	return !c->hart_count;
}

/**
 * rvtrace_powered() - whether the registers of a component can have power
 * @c: the component; one that follows no hart depends on none
 */
bool rvtrace_powered(const struct rvtrace_component *c)
{
	lockdep_assert_held(&rvtrace_lock);
	return !power_asleep && power_has_hart(c, nr_cpu_ids);
}

static void power_wake(void *unused)
{
}

/* The hart leaves the state that it idles in now, and takes no deeper one than the first. */
static int power_keep_awake(struct rvtrace_hart *hart)
{
	struct device *dev = get_cpu_device(hart->cpu);
	int ret;

	if (!dev)
		return 0;
	ret = dev_pm_qos_add_request(dev, &hart->awake, DEV_PM_QOS_RESUME_LATENCY, 0);
	if (ret < 0)
		return ret;
	/* Fails for a hart that is offline, which idles no more. */
	smp_call_function_single(hart->cpu, power_wake, NULL, true);
	return 0;
}

static void power_let_idle(struct rvtrace_component *c)
{
	unsigned int i;

	for (i = 0; i < c->hart_count; i++)
		if (dev_pm_qos_request_active(&c->harts[i].awake))
			dev_pm_qos_remove_request(&c->harts[i].awake);
}

/**
 * rvtrace_power_get() - power the registers of a component
 * @c: the component
 *
 * Return: 0; why it cannot be powered
 */
int rvtrace_power_get(struct rvtrace_component *c)
{
	unsigned int i;
	int ret;

	ret = pm_runtime_resume_and_get(c->parent);
	if (!ret) {
		ret = rvtrace_timestamp_power_get(c);
		if (ret)
			pm_runtime_put(c->parent);
	}
	if (ret) {
		dev_err_ratelimited(rvtrace_device(c), "cannot be powered: error %d\n", ret);
		return ret;
	}
	for (i = 0; i < c->hart_count && !ret; i++)
		ret = power_keep_awake(&c->harts[i]);
	if (ret)
		rvtrace_power_put(c);
	return ret;
}

/**
 * rvtrace_power_put() - undo rvtrace_power_get()
 * @c: the component; its device is suspended when it was not powered again for a moment
 */
void rvtrace_power_put(struct rvtrace_component *c)
{
	power_let_idle(c);
	rvtrace_timestamp_power_put(c);
	pm_runtime_mark_last_busy(c->parent);
	pm_runtime_put_autosuspend(c->parent);
}

/* What the trace of an encoder goes through has a hart, other than @leaving. */
static bool power_path_has_hart(const struct rvtrace_component *encoder, unsigned int leaving)
{
	unsigned int i;

	for (i = 0; i < encoder->te.path_length; i++)
		if (!power_has_hart(encoder->te.path[i], leaving))
			return false;
	return true;
}

/* @leaving: number of a hart that does not count as online any more */
static int power_pause_encoder(struct rvtrace_component *encoder, void *leaving)
{
	if (!power_path_has_hart(encoder, *(unsigned int *)leaving))
		rvtrace_session_pause_encoder(encoder);
	return 0;
}

static int power_resume_encoder(struct rvtrace_component *encoder, void *unused)
{
	if (power_path_has_hart(encoder, nr_cpu_ids))
		rvtrace_session_resume_encoder(encoder);
	return 0;
}

/* What depends on @leaving, or on no hart that is online, leaves its session: sources first. */
static void power_leave_sessions(unsigned int leaving)
{
	struct rvtrace_sink *sink, *next;
	struct rvtrace_component *c;

	rvtrace_walk_encoders(power_pause_encoder, &leaving);
	list_for_each_entry_safe(sink, next, &rvtrace_live, live) {
		list_for_each_entry_reverse(c, &sink->downstream, stage)
			if (c != sink->owner && !power_has_hart(c, leaving))
				rvtrace_session_pause_between(c);
		if (!power_has_hart(sink->owner, leaving))
			rvtrace_session_pause_owner(sink);
	}
}

/* What has a hart again takes part: the sink last, for then all starts at once. */
static void power_return_to_sessions(void)
{
	struct rvtrace_sink *sink, *next;
	struct rvtrace_component *c;

	list_for_each_entry(sink, &rvtrace_live, live)
		list_for_each_entry(c, &sink->downstream, stage)
			if (c != sink->owner && power_has_hart(c, nr_cpu_ids))
				c->paused = false;
	rvtrace_walk_encoders(power_resume_encoder, NULL);
	list_for_each_entry_safe(sink, next, &rvtrace_live, live)
		if (power_has_hart(sink->owner, nr_cpu_ids))
			rvtrace_session_resume_owner(sink);
}

static int power_hart_online(unsigned int cpu)
{
	mutex_lock(&rvtrace_lock);
	cpumask_set_cpu(cpu, &power_online);
	rvtrace_guard_hart_online();
	rvtrace_reset_all_late();
	/* While the system sleeps nothing has power: power_resume() makes up for it. */
	if (!power_asleep)
		power_return_to_sessions();
	rvtrace_probe_again();
	mutex_unlock(&rvtrace_lock);
	return 0;
}

static int power_hart_offline(unsigned int cpu)
{
	mutex_lock(&rvtrace_lock);
	if (!power_asleep)
		power_leave_sessions(cpu);
	cpumask_clear_cpu(cpu, &power_online);
	rvtrace_guard_hart_offline();
	mutex_unlock(&rvtrace_lock);
	return 0;
}

static void power_suspend(void)
{
	struct rvtrace_sink *sink, *next;

	mutex_lock(&rvtrace_lock);
	power_asleep_since = ktime_get_boottime_ns();
	list_for_each_entry_safe(sink, next, &rvtrace_live, live) {
		rvtrace_clock_pair(sink);
		rvtrace_session_pause(sink);
	}
	power_asleep = true;
	mutex_unlock(&rvtrace_lock);
}

static void power_resume(void)
{
	struct rvtrace_sink *sink, *next;

	mutex_lock(&rvtrace_lock);
	power_asleep = false;
	rvtrace_reset_all_late();
	/* Those whose harts left meanwhile must not come back with their session. */
	power_leave_sessions(nr_cpu_ids);
	list_for_each_entry_safe(sink, next, &rvtrace_live, live) {
		rvtrace_session_resume(sink, RVTRACE_GAP_SUSPEND, power_asleep_since);
		rvtrace_clock_pair(sink);
	}
	power_return_to_sessions();
	rvtrace_probe_again();
	mutex_unlock(&rvtrace_lock);
}

static int power_sleep_changed(struct notifier_block *block, unsigned long event, void *unused)
{
	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		power_suspend();
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		power_resume();
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block power_notifier = {
	.notifier_call = power_sleep_changed,
};

static enum cpuhp_state power_hotplug_state;

/**
 * rvtrace_power_start() - follow harts that come and go, and the system that sleeps
 *
 * Return: 0 or why the driver is not told of them
 */
int rvtrace_power_start(void)
{
	int ret;

	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "rvtrace:online", power_hart_online,
				power_hart_offline);
	if (ret < 0)
		return ret;
	power_hotplug_state = ret;
	ret = register_pm_notifier(&power_notifier);
	if (ret)
		cpuhp_remove_state_nocalls(power_hotplug_state);
	return ret;
}

/**
 * rvtrace_power_stop() - undo rvtrace_power_start()
 */
void rvtrace_power_stop(void)
{
	unregister_pm_notifier(&power_notifier);
	cpuhp_remove_state_nocalls(power_hotplug_state);
}
