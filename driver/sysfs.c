// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of components other than fields, see docs/ABI/sysfs-bus-rvtrace_tci, and what
 * all attributes have in common.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/security.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "context.h"
#include "field_sysfs.h"
#include "graph.h"
#include "power.h"
#include "route.h"
#include "rvtrace.h"
#include "session.h"
#include "setting.h"
#include "switch_sync.h"
#include "sysfs.h"
#include "timestamp.h"

/**
 * rvtrace_lock_component() - take rvtrace_lock on behalf of a user
 * @c: the component
 *
 * Return: 0; -EINTR; -ENODEV once the component is unbound
 */
int rvtrace_lock_component(struct rvtrace_component *c)
{
	int ret = mutex_lock_interruptible(&rvtrace_lock);

	if (ret)
		return ret;
	if (!list_empty(&c->node))
		return 0;
	mutex_unlock(&rvtrace_lock);
	return -ENODEV;
}

/**
 * rvtrace_store() - the rest of a store, when it is known what was written
 * @dev: the component
 * @attr: the file
 * @value: what was written
 * @count: bytes of it
 * @set: what to do, with rvtrace_lock held
 *
 * Return: @count; -EINTR; -ENODEV once the component is unbound; what @set returned
 */
ssize_t rvtrace_store(struct device *dev, struct device_attribute *attr, u64 value, size_t count,
		      int (*set)(struct rvtrace_component *c, struct device_attribute *attr,
				 u64 value))
{
	struct rvtrace_component *c = to_rvtrace_component(dev);
	int ret;

	ret = rvtrace_lock_component(c);
	if (ret)
		return ret;
	ret = set(c, attr, value);
	mutex_unlock(&rvtrace_lock);
	return ret ?: count;
}

static ssize_t enable_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", rvtrace_is_enabled(to_rvtrace_component(dev)));
}

/**
 * rvtrace_not_written() - say why a file was not written
 * @dev: component or sink
 * @attr: the file
 * @buf: what was to be written, with a newline or not
 * @why: the reason
 * @error: the same as an error
 *
 * Return: @error
 */
int rvtrace_not_written(struct device *dev, const struct device_attribute *attr, const char *buf,
			const char *why, int error)
{
	dev_err_ratelimited(dev, "%s: '%*pEp' %s\n", attr->attr.name,
			    min_t(int, strcspn(buf, "\n"), 64), buf, why);
	return error;
}

/**
 * rvtrace_parse_switch() - 0 or 1 and nothing else
 * @dev: component or sink
 * @attr: the file
 * @buf: what was written
 * @on: the result
 *
 * A word that merely starts like "yes" or "false" must not stop a session,
 * hence no kstrtobool().
 *
 * Return: 0 or -EINVAL
 */
int rvtrace_parse_switch(struct device *dev, const struct device_attribute *attr, const char *buf,
			 bool *on)
{
	*on = sysfs_streq(buf, "1");
	if (*on || sysfs_streq(buf, "0"))
		return 0;
	return rvtrace_not_written(dev, attr, buf, "is neither 0 nor 1", -EINVAL);
}

/**
 * rvtrace_parse_one() - 1 and nothing else
 * @dev: component or sink
 * @attr: a file that does something
 * @buf: what was written
 *
 * Return: 0 or -EINVAL
 */
int rvtrace_parse_one(struct device *dev, const struct device_attribute *attr, const char *buf)
{
	if (sysfs_streq(buf, "1"))
		return 0;
	return rvtrace_not_written(dev, attr, buf, "is not 1", -EINVAL);
}

/**
 * rvtrace_store_switch() - store of an attribute that starts or stops tracing
 * @dev: component or sink
 * @attr: the file
 * @buf: what was written
 * @count: bytes of it
 * @set: what to do, with rvtrace_lock held
 *
 * Return: @count; -EPERM without CAP_PERFMON, or for a start while the kernel is
 * locked down for confidentiality; -EINVAL; -EINTR; or what @set returned.
 */
ssize_t rvtrace_store_switch(struct device *dev, struct device_attribute *attr, const char *buf,
			     size_t count, int (*set)(struct device *dev, bool on))
{
	bool on, armed = false;
	int ret;

	if (!perfmon_capable()) {
		dev_err_ratelimited(dev, "starting and stopping needs CAP_PERFMON\n");
		return -EPERM;
	}
	ret = rvtrace_parse_switch(dev, attr, buf, &on);
	if (ret)
		return ret;
	if (on) {
		ret = security_locked_down(LOCKDOWN_PERF);
		if (ret)
			return ret;
		ret = rvtrace_context_arm();
		if (ret)
			return ret;
		ret = rvtrace_switch_sync_arm(&armed);
		if (ret)
			goto disarm;
	}
	ret = mutex_lock_interruptible(&rvtrace_lock);
	if (ret)
		goto disarm;
	ret = set(dev, on);
	mutex_unlock(&rvtrace_lock);
disarm:
	rvtrace_switch_sync_disarm(armed);
	if (on)
		rvtrace_context_disarm();
	return ret ?: count;
}

static int component_set_enable(struct device *dev, bool on)
{
	struct rvtrace_component *c = to_rvtrace_component(dev);

	if (list_empty(&c->node))
		return -ENODEV;
	return on ? rvtrace_session_add(c) : rvtrace_session_remove(c);
}

static ssize_t enable_store(struct device *dev, struct device_attribute *attr,
			    const char *buf, size_t count)
{
	return rvtrace_store_switch(dev, attr, buf, count, component_set_enable);
}

/* A file that does something when 1 is written to it */
struct action_attribute {
	struct device_attribute attr;
	int (*act)(struct rvtrace_component *c);
};

static int component_act(struct rvtrace_component *c, struct device_attribute *attr, u64 value)
{
	return container_of(attr, struct action_attribute, attr)->act(c);
}

static ssize_t action_store(struct device *dev, struct device_attribute *attr, const char *buf,
			    size_t count)
{
	int ret = rvtrace_parse_one(dev, attr, buf);

	return ret ?: rvtrace_store(dev, attr, 1, count, component_act);
}

static struct action_attribute reset = {
	__ATTR(reset, 0200, NULL, action_store), rvtrace_reset
};

static struct action_attribute ts_reset = {
	__ATTR(ts_reset, 0200, NULL, action_store), rvtrace_timestamp_reset
};

static struct device_attribute dev_attr_encoder_enable =
	__ATTR(enable, 0644, enable_show, enable_store);
static struct device_attribute dev_attr_enabled =
	__ATTR(enable, 0444, enable_show, NULL);

/* What software chooses of a session, other than fields */
struct choice_attribute {
	struct device_attribute attr;
	size_t offset;		/* of a bool in struct rvtrace_component */
};

static bool *choice_of(struct rvtrace_component *c, struct device_attribute *attr)
{
	return (void *)c + container_of(attr, struct choice_attribute, attr)->offset;
}

static ssize_t choice_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(*choice_of(to_rvtrace_component(dev), attr)));
}

static int component_choose(struct rvtrace_component *c, struct device_attribute *attr, u64 value)
{
	if (c->users) {
		dev_err_ratelimited(&c->dev, "%s: %llu not written, it is in a session\n",
				    attr->attr.name, value);
		return -EBUSY;
	}
	WRITE_ONCE(*choice_of(c, attr), value);
	return 0;
}

static ssize_t choice_store(struct device *dev, struct device_attribute *attr, const char *buf,
			    size_t count)
{
	bool on;
	int ret = rvtrace_parse_switch(dev, attr, buf, &on);

	return ret ?: rvtrace_store(dev, attr, on, count, component_choose);
}

static struct choice_attribute wait_for_trigger = {
	__ATTR(wait_for_trigger, 0644, choice_show, choice_store),
	offsetof(struct rvtrace_component, te.wait_for_trigger)
};

static struct choice_attribute data_trace = {
	__ATTR(data_trace, 0644, choice_show, choice_store),
	offsetof(struct rvtrace_component, te.data_trace)
};

static ssize_t generation_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", to_rvtrace_component(dev)->kind->generation);
}
static DEVICE_ATTR_RO(generation);

static ssize_t impl_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%#010x\n", to_rvtrace_component(dev)->impl);
}
static DEVICE_ATTR_RO(impl);

static ssize_t cpus_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	cpumask_var_t mask;
	ssize_t n;

	if (!alloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	rvtrace_power_harts(to_rvtrace_component(dev), mask);
	n = sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(mask));
	free_cpumask_var(mask);
	return n;
}
static DEVICE_ATTR_RO(cpus);

/* The sink's device, or an empty line while the path to it is not complete. */
static ssize_t sink_name_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct rvtrace_component *c = to_rvtrace_component(dev), *path[RVTRACE_PATH_MAX];
	const char *name = "";
	unsigned int n;
	int ret;

	ret = rvtrace_lock_component(c);
	if (ret)
		return ret;
	if (!rvtrace_graph_path(c, false, path, &n))
		name = dev_name(&path[n - 1]->sink->dev);
	ret = sysfs_emit(buf, "%s\n", name);
	mutex_unlock(&rvtrace_lock);
	return ret;
}
static DEVICE_ATTR_RO(sink_name);

static ssize_t timestamp_frequency_show(struct device *dev, struct device_attribute *attr,
					char *buf)
{
	struct rvtrace_component *c = to_rvtrace_component(dev);
	bool measured;
	u64 hz;
	int ret;

	ret = rvtrace_lock_component(c);
	if (ret)
		return ret;
	ret = rvtrace_timestamp_frequency(c, &hz, &measured);
	mutex_unlock(&rvtrace_lock);
	return ret ?: sysfs_emit(buf, "%llu %s\n", hz, measured ? "measured" : "devicetree");
}

/* To measure it keeps hardware and lock busy: not for everybody. */
static struct device_attribute dev_attr_timestamp_frequency =
	__ATTR(timestamp_frequency, 0440, timestamp_frequency_show, NULL);

static struct attribute *encoder_attributes[] = {
	&dev_attr_encoder_enable.attr,
	&wait_for_trigger.attr.attr,
	&data_trace.attr.attr,
	&reset.attr.attr,
	&dev_attr_generation.attr,
	&dev_attr_impl.attr,
	&dev_attr_cpus.attr,
	&dev_attr_timestamp_frequency.attr,
	&ts_reset.attr.attr,
	&dev_attr_sink_name.attr,
	NULL
};

/* Most encoders trace instructions only; funnels have a timestamp unit in some generations. */
static umode_t component_visible(struct kobject *kobj, struct attribute *attr, int index)
{
	struct rvtrace_component *c = to_rvtrace_component(kobj_to_dev(kobj));

	if (attr == &ts_reset.attr.attr && !c->kind->timestamp)
		return 0;
	if (attr == &data_trace.attr.attr && !c->wanted[RVTRACE_DATA_IMPLEMENTED])
		return 0;
	return attr->mode;
}

static const struct attribute_group encoder_group = {
	.attrs = encoder_attributes,
	.is_visible = component_visible,
};

static const struct attribute_group *encoder_groups[] = {
	&encoder_group,
	&rvtrace_switch_sync_group,
	&rvtrace_field_group,
	&rvtrace_route_group,
	NULL
};

static struct attribute *downstream_attributes[] = {
	&dev_attr_enabled.attr,
	&reset.attr.attr,
	&dev_attr_generation.attr,
	&dev_attr_impl.attr,
	&ts_reset.attr.attr,
	&dev_attr_sink_name.attr,
	NULL
};

static const struct attribute_group downstream_group = {
	.attrs = downstream_attributes,
	.is_visible = component_visible,
};

static const struct attribute_group *downstream_groups[] = {
	&downstream_group,
	&rvtrace_field_group,
	&rvtrace_route_group,
	NULL
};

const struct device_type rvtrace_component_types[RVTRACE_ROLES] = {
	[RVTRACE_ENCODER] = { .name = "encoder", .groups = encoder_groups },
	[RVTRACE_FUNNEL] = { .name = "funnel", .groups = downstream_groups },
	[RVTRACE_RAM_SINK] = { .name = "ramsink", .groups = downstream_groups },
	[RVTRACE_PIB_SINK] = { .name = "pibsink", .groups = downstream_groups },
	[RVTRACE_ATB_BRIDGE] = { .name = "atbbridge", .groups = downstream_groups },
};
