// SPDX-License-Identifier: GPL-2.0
/*
 * Encoders that synchronize where tasks switch.
 *
 * One that leaves returns out by a count of calls alone leaves those of the next task out for
 * calls of the last one. A synchronization sets the count to 0: from there on the trace says
 * where returns lead.
 */
#include <linux/atomic.h>
#include <linux/device.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include <trace/events/sched.h>

#include "access.h"
#include "core.h"
#include "dbtr.h"
#include "encoder.h"
#include "field.h"
#include "probes.h"
#include "rvtrace.h"
#include "switch_sync.h"
#include "sysfs.h"

static const char * const switch_sync_names[RVTRACE_SWITCH_SYNCS] = {
	[RVTRACE_SWITCH_SYNC_AUTO] = "auto",
	[RVTRACE_SWITCH_SYNC_TRIGGER] = "trigger",
	[RVTRACE_SWITCH_SYNC_RESTART] = "restart",
	[RVTRACE_SWITCH_SYNC_OFF] = "off",
};

/* Every kernel has it. */
static bool switch_sync_found;

/* Of each hart: its encoder, while that is to be restarted */
static DEFINE_PER_CPU(struct rvtrace_component *, switch_sync_restarts);

/* Interrupts are off, and a run queue's lock is held. */
static void switch_sync_probe(void *data, bool preempt, struct task_struct *prev,
			      struct task_struct *next, unsigned int prev_state)
{
	struct rvtrace_component *c = __this_cpu_read(switch_sync_restarts);

	if (c)
		rvtrace_restart(c);
}

static struct rvtrace_probe switch_sync_probe_list[] = {
	{ "sched_switch", switch_sync_probe },
};

static struct rvtrace_probes switch_sync_probes = {
	.list = switch_sync_probe_list,
	.count = ARRAY_SIZE(switch_sync_probe_list),
};

/**
 * rvtrace_switch_sync_init() - find out whether the kernel tells of switches
 */
void rvtrace_switch_sync_init(void)
{
	/* It compiles if the kernel calls it as it is. */
	check_trace_callback_type_sched_switch(switch_sync_probe);
	switch_sync_found = rvtrace_probes_init(&switch_sync_probes);
	rvtrace_dbtr_init();
}

/**
 * rvtrace_switch_sync_exit() - wait until the probe is detached
 */
void rvtrace_switch_sync_exit(void)
{
	rvtrace_probes_exit(&switch_sync_probes);
	rvtrace_dbtr_exit();
}

static bool switch_sync_counts(const struct rvtrace_component *c)
{
	return c->kind->counted_modes;
}

/* One that restarts, or is told by triggers, does so for all that it traces. */
static bool switch_sync_has_hart(const struct rvtrace_component *c)
{
	return c->hart_count == 1;
}

static bool switch_sync_can(const struct rvtrace_component *c, enum rvtrace_switch_sync choice)
{
	switch (choice) {
	case RVTRACE_SWITCH_SYNC_TRIGGER:
		return switch_sync_has_hart(c) && rvtrace_dbtr_found();
	case RVTRACE_SWITCH_SYNC_RESTART:
		return switch_sync_has_hart(c) && switch_sync_found;
	default:
		return true;
	}
}

static int switch_sync_find(struct rvtrace_component *c, void *unused)
{
	return switch_sync_counts(c);
}

/**
 * rvtrace_switch_sync_arm() - attach to the scheduler, where there are encoders that count
 * @armed: out: it is to be undone by rvtrace_switch_sync_disarm()
 *
 * Return: 0 or why the probe could not be attached
 */
int rvtrace_switch_sync_arm(bool *armed)
{
	int ret;

	*armed = false;
	if (!switch_sync_found)
		return 0;
	mutex_lock(&rvtrace_lock);
	*armed = rvtrace_walk_encoders(switch_sync_find, NULL);
	mutex_unlock(&rvtrace_lock);
	if (!*armed)
		return 0;
	rvtrace_dbtr_find_modules();
	ret = rvtrace_probes_arm(&switch_sync_probes);
	*armed = !ret;
	return ret;
}

/**
 * rvtrace_switch_sync_disarm() - undo rvtrace_switch_sync_arm()
 * @armed: what that said
 *
 * May be called with any lock held.
 */
void rvtrace_switch_sync_disarm(bool armed)
{
	if (armed)
		rvtrace_probes_disarm(&switch_sync_probes);
}

/**
 * rvtrace_switch_sync_join() - an encoder joins a session
 * @c: the encoder
 *
 * The probe stays as long as it is in the session, also while its hart is offline.
 */
void rvtrace_switch_sync_join(struct rvtrace_component *c)
{
	c->te.switch_sync = RVTRACE_SWITCH_SYNC_OFF;
	/* An encoder that was bound just now finds no probe. */
	c->te.switch_probe = switch_sync_counts(c) && rvtrace_probes_try_keep(&switch_sync_probes);
}

/**
 * rvtrace_switch_sync_leave() - undo rvtrace_switch_sync_join()
 * @c: the encoder
 */
void rvtrace_switch_sync_leave(struct rvtrace_component *c)
{
	rvtrace_switch_sync_disarm(c->te.switch_probe);
	c->te.switch_probe = false;
}

/* In the mode that it has now, returns are left out that lead elsewhere. */
static bool switch_sync_is_needed(const struct rvtrace_component *c)
{
	return c->kind->counted_modes & BIT(c->wanted[RVTRACE_INST_MODE]);
}

static int switch_sync_stalls(struct rvtrace_component *c, void *unused)
{
	return rvtrace_encoder_stalls(c);
}

/*
 * Nothing but software, or what its own hart executes, may stop an encoder that is restarted. Nor
 * may a hart stand still for its trace while it has the lock of registers: whoever lets it go on
 * would wait for that.
 */
static const char *switch_sync_no_restart(const struct rvtrace_component *c)
{
	unsigned int id;

	if (rvtrace_walk_encoders(switch_sync_stalls, NULL))
		return "an encoder stalls its hart";
	if (c == c->te.session->owner && c->wanted[RVTRACE_STOP_ON_WRAP])
		return "its sink may stop it";
	for (id = RVTRACE_XTRIG_IN_ACTION0; id <= RVTRACE_XTRIG_IN_ACTION7; id++)
		if (c->wanted[id] == RVTRACE_XTRIG_ACTION_STOP)
			return "an external trigger may stop it";
	return c->te.switch_probe ? NULL : "the kernel does not report task switches";
}

/* Whether triggers do it. That there are none is told to those alone who asked for them. */
static bool switch_sync_trigger(struct rvtrace_component *c)
{
	const char *why;
	int ret;

	ret = rvtrace_dbtr_install(c->harts[0].cpu, &c->te.switch_triggers, &why);
	if (!ret)
		return true;
	if (ret != -EOPNOTSUPP || c->te.sync_on_switch == RVTRACE_SWITCH_SYNC_TRIGGER)
		dev_warn_ratelimited(&c->dev, "no trigger where tasks switch: %s\n", why);
	return false;
}

static bool switch_sync_restart(struct rvtrace_component *c)
{
	const char *why = switch_sync_no_restart(c);

	if (why)
		dev_warn_ratelimited(&c->dev, "not restarted where tasks switch: %s\n", why);
	else
		WRITE_ONCE(per_cpu(switch_sync_restarts, c->harts[0].cpu), c);
	return !why;
}

/**
 * rvtrace_switch_sync_begin() - an encoder is about to trace: make it synchronize
 * @c: the encoder, enabled
 */
void rvtrace_switch_sync_begin(struct rvtrace_component *c)
{
	enum rvtrace_switch_sync choice = c->te.sync_on_switch;

	lockdep_assert_held(&rvtrace_lock);
	if (!switch_sync_counts(c))
		return;
	if (choice == RVTRACE_SWITCH_SYNC_AUTO)
		choice = switch_sync_is_needed(c) ? RVTRACE_SWITCH_SYNC_TRIGGER :
						    RVTRACE_SWITCH_SYNC_OFF;
	if (choice != RVTRACE_SWITCH_SYNC_OFF && !switch_sync_has_hart(c)) {
		dev_warn_ratelimited(&c->dev, "not synchronized where tasks switch: it does not follow one hart\n");
		choice = RVTRACE_SWITCH_SYNC_OFF;
	}
	if (choice == RVTRACE_SWITCH_SYNC_TRIGGER && !switch_sync_trigger(c))
		choice = RVTRACE_SWITCH_SYNC_RESTART;
	if (choice == RVTRACE_SWITCH_SYNC_RESTART && !switch_sync_restart(c))
		choice = RVTRACE_SWITCH_SYNC_OFF;
	WRITE_ONCE(c->te.switch_sync, choice);
}

static void switch_sync_finish(void *unused)
{
}

/**
 * rvtrace_switch_sync_end() - undo rvtrace_switch_sync_begin()
 * @c: an encoder that was stopped
 *
 * Context: may sleep.
 */
void rvtrace_switch_sync_end(struct rvtrace_component *c)
{
	unsigned int cpu;

	lockdep_assert_held(&rvtrace_lock);
	if (!switch_sync_counts(c) || c->te.switch_sync == RVTRACE_SWITCH_SYNC_OFF)
		return;
	cpu = c->harts[0].cpu;
	if (xchg(&per_cpu(switch_sync_restarts, cpu), NULL))
		/* Who has read it lets no interrupt through until it has written. */
		smp_call_function_single(cpu, switch_sync_finish, NULL, true);
	if (c->te.switch_triggers && rvtrace_dbtr_uninstall(cpu, c->te.switch_triggers))
		dev_warn_ratelimited(&c->dev, "debug triggers stay where tasks switch: firmware does not remove them\n");
	c->te.switch_triggers = 0;
}

static ssize_t sync_on_switch_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct rvtrace_component *c = to_rvtrace_component(dev);

	return sysfs_emit(buf, "%s\n", switch_sync_names[READ_ONCE(c->te.sync_on_switch)]);
}

static int switch_sync_set(struct rvtrace_component *c, struct device_attribute *attr, u64 value)
{
	if (c->users) {
		dev_err_ratelimited(&c->dev, "%s: %s not written, it is in a session\n",
				    attr->attr.name, switch_sync_names[value]);
		return -EBUSY;
	}
	if (!switch_sync_can(c, value)) {
		dev_err_ratelimited(&c->dev, "%s: %s not written, the hardware has no way to do that\n",
				    attr->attr.name, switch_sync_names[value]);
		return -EINVAL;
	}
	WRITE_ONCE(c->te.sync_on_switch, value);
	return 0;
}

static ssize_t sync_on_switch_store(struct device *dev, struct device_attribute *attr,
				    const char *buf, size_t count)
{
	int value = sysfs_match_string(switch_sync_names, buf);

	if (value < 0)
		return rvtrace_not_written(dev, attr, buf, "is not one of its values", value);
	return rvtrace_store(dev, attr, value, count, switch_sync_set);
}
static DEVICE_ATTR_RW(sync_on_switch);

static ssize_t sync_on_switch_available_show(struct device *dev, struct device_attribute *attr,
					     char *buf)
{
	const struct rvtrace_component *c = to_rvtrace_component(dev);
	unsigned int value;
	int n = 0;

	for (value = 0; value < RVTRACE_SWITCH_SYNCS; value++)
		if (switch_sync_can(c, value))
			n += sysfs_emit_at(buf, n, "%s%s", n ? " " : "", switch_sync_names[value]);
	return n + sysfs_emit_at(buf, n, "\n");
}
static DEVICE_ATTR_RO(sync_on_switch_available);

static ssize_t sync_on_switch_active_show(struct device *dev, struct device_attribute *attr,
					  char *buf)
{
	const struct rvtrace_component *c = to_rvtrace_component(dev);

	return sysfs_emit(buf, "%s\n", switch_sync_names[READ_ONCE(c->te.switch_sync)]);
}
static DEVICE_ATTR_RO(sync_on_switch_active);

static struct attribute *switch_sync_attributes[] = {
	&dev_attr_sync_on_switch.attr,
	&dev_attr_sync_on_switch_available.attr,
	&dev_attr_sync_on_switch_active.attr,
	NULL
};

static umode_t switch_sync_visible(struct kobject *kobj, struct attribute *attr, int index)
{
	return switch_sync_counts(to_rvtrace_component(kobj_to_dev(kobj))) ? attr->mode : 0;
}

const struct attribute_group rvtrace_switch_sync_group = {
	.attrs = switch_sync_attributes,
	.is_visible = switch_sync_visible,
};
