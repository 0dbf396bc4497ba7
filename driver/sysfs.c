// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of components, see docs/ABI/sysfs-bus-rvtrace.
 *
 * One entry of the table below makes one file, named and worded like the field
 * in the specification. A configuration field gets a second file that lists
 * the values this hardware keeps.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/kstrtox.h>
#include <linux/security.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "rvtrace.h"

#define VALUES	(RVTRACE_NAMED_MAX + 1)

static const char * const sync_modes[VALUES] = {
	[RVTRACE_SYNC_MODE_OFF] = "off",
	[RVTRACE_SYNC_MODE_MESSAGES] = "messages",
	[RVTRACE_SYNC_MODE_CYCLES] = "cycles",
	[RVTRACE_SYNC_MODE_HALF_WORDS] = "half-words",
};

static const char * const formats[VALUES] = {
	[RVTRACE_FORMAT_ETRACE] = "etrace",
	[RVTRACE_FORMAT_NTRACE] = "ntrace",
	[RVTRACE_FORMAT_VENDOR] = "vendor",
};

static const char * const sinks[VALUES] = {
	[RVTRACE_SINK_SRAM] = "sram",
	[RVTRACE_SINK_ATB] = "atb",
	[RVTRACE_SINK_PIB] = "pib",
	[RVTRACE_SINK_SBA] = "system-memory",
	[RVTRACE_SINK_FUNNEL] = "funnel",
};

static const char * const xtrig_actions[VALUES] = {
	[RVTRACE_XTRIG_ACTION_NONE] = "none",
	[RVTRACE_XTRIG_ACTION_START] = "start",
	[RVTRACE_XTRIG_ACTION_STOP] = "stop",
	[RVTRACE_XTRIG_ACTION_SYNC] = "sync",
};

static const char * const xtrig_events[VALUES] = {
	[0] = "none",
	[RVTRACE_XTRIG_EVENT_START] = "start",
	[RVTRACE_XTRIG_EVENT_STOP] = "stop",
	[RVTRACE_XTRIG_EVENT_START | RVTRACE_XTRIG_EVENT_STOP] = "start,stop",
};

static const char * const pib_modes[VALUES] = {
	[RVTRACE_PIB_MODE_OFF] = "off",
	[RVTRACE_PIB_MODE_SWT_MANCHESTER] = "swt-manchester",
	[RVTRACE_PIB_MODE_SWT_UART] = "swt-uart",
	[RVTRACE_PIB_MODE_PARALLEL_1] = "parallel-1",
	[RVTRACE_PIB_MODE_PARALLEL_2] = "parallel-2",
	[RVTRACE_PIB_MODE_PARALLEL_4] = "parallel-4",
	[RVTRACE_PIB_MODE_PARALLEL_8] = "parallel-8",
	[RVTRACE_PIB_MODE_PARALLEL_16] = "parallel-16",
};

static const char * const ram_modes[VALUES] = {
	[RVTRACE_RAM_MODE_SRAM] = "sram",
	[RVTRACE_RAM_MODE_SMEM] = "smem",
};

static const char * const ts_types[VALUES] = {
	[RVTRACE_TS_TYPE_NONE] = "none",
	[RVTRACE_TS_TYPE_EXTERNAL] = "external",
	[RVTRACE_TS_TYPE_INTERNAL] = "internal",
	[RVTRACE_TS_TYPE_INTERNAL_CORE] = "internal-core",
	[RVTRACE_TS_TYPE_SLAVE] = "slave",
};

/**
 * struct field_attribute - a field as a file
 * @id: the field
 * @names: names of its VALUES values, with holes; NULL where they are just numbers
 * @value: the file with the value
 * @available: the file with the values that can be chosen
 * @available_name: its name
 */
struct field_attribute {
	enum rvtrace_field_id id;
	const char * const *names;
	struct device_attribute value;
	struct device_attribute available;
	char available_name[40];
};

#define NUMBER(field)		{ .id = RVTRACE_##field }
#define NAMES(field, list)	{ .id = RVTRACE_##field, .names = list }
#define NTH(field, n, list)	{ .id = RVTRACE_##field + (n), .names = list }

static struct field_attribute fields[] = {
	NUMBER(ACTIVE),
	NUMBER(INST_TRACING),
	NUMBER(EMPTY),
	NUMBER(INST_MODE),
	NUMBER(INSTRUMENTATION),
	NUMBER(CONTEXT),
	NUMBER(INST_TRIG_EN),
	NUMBER(INST_STALL_OR_OVERFLOW),
	NUMBER(INST_STALL_EN),
	NUMBER(STOP_ON_WRAP),
	NUMBER(INHIBIT_SRC),
	NAMES(SYNC_MODE, sync_modes),
	NUMBER(SYNC_MAX),
	NUMBER(SYNC_MAX_BTM),
	NUMBER(SYNC_MAX_INST),
	NAMES(FORMAT, formats),
	NAMES(SINK, sinks),
	NUMBER(SINK_ERROR),
	NUMBER(VERSION),
	NUMBER(VERSION_MINOR),
	NUMBER(HAS_SRAM_SINK),
	NUMBER(HAS_ATB_SINK),
	NUMBER(HAS_PIB_SINK),
	NUMBER(HAS_SBA_SINK),
	NUMBER(HAS_FUNNEL_SINK),
	NUMBER(SINK_BYTES),
	NUMBER(PROTOCOL_MAJOR),
	NUMBER(PROTOCOL_MINOR),
	NUMBER(SRC_ID),
	NUMBER(SRC_BITS),
	NUMBER(INST_NO_ADDR_DIFF),
	NUMBER(INST_NO_TRAP_ADDR),
	NUMBER(INST_EN_SEQUENTIAL_JUMP),
	NUMBER(INST_EN_CALL_STACK),
	NUMBER(INST_EN_BRANCH_PREDICTION),
	NUMBER(INST_EN_JUMP_TARGET_CACHE),
	NUMBER(INST_IMPLICIT_RETURN_MODE),
	NUMBER(INST_EN_REPEATED_HISTORY),
	NUMBER(INST_EN_ALL_JUMPS),
	NUMBER(INST_EXTEND_ADDR_MSB),
	NUMBER(INST_FILTERS),
	NUMBER(DATA_IMPLEMENTED),
	NUMBER(DATA_ENABLE),
	NUMBER(DATA_TRACING),
	NUMBER(DATA_TRIG_ENABLE),
	NUMBER(DATA_STALL),
	NUMBER(DATA_STALL_ENABLE),
	NUMBER(DATA_DROP),
	NUMBER(DATA_DROP_ENABLE),
	NUMBER(DATA_NO_VALUE),
	NUMBER(DATA_NO_ADDR),
	NUMBER(DATA_ADDR_COMPRESS),
	NUMBER(DATA_ADDRESS_MODE),
	NUMBER(DATA_FILTERS),
	NAMES(XTRIG_IN_ACTION0, xtrig_actions),
	NTH(XTRIG_IN_ACTION0, 1, xtrig_actions),
	NTH(XTRIG_IN_ACTION0, 2, xtrig_actions),
	NTH(XTRIG_IN_ACTION0, 3, xtrig_actions),
	NTH(XTRIG_IN_ACTION0, 4, xtrig_actions),
	NTH(XTRIG_IN_ACTION0, 5, xtrig_actions),
	NTH(XTRIG_IN_ACTION0, 6, xtrig_actions),
	NTH(XTRIG_IN_ACTION0, 7, xtrig_actions),
	NAMES(XTRIG_OUT_EVENT0, xtrig_events),
	NTH(XTRIG_OUT_EVENT0, 1, xtrig_events),
	NTH(XTRIG_OUT_EVENT0, 2, xtrig_events),
	NTH(XTRIG_OUT_EVENT0, 3, xtrig_events),
	NTH(XTRIG_OUT_EVENT0, 4, xtrig_events),
	NTH(XTRIG_OUT_EVENT0, 5, xtrig_events),
	NTH(XTRIG_OUT_EVENT0, 6, xtrig_events),
	NTH(XTRIG_OUT_EVENT0, 7, xtrig_events),
	NUMBER(DBG_TRIGGER),
	NUMBER(ITC_TRACE),
	NUMBER(ITC_TRIG),
	NUMBER(PIB_ACTIVE),
	NUMBER(PIB_ENABLE),
	NUMBER(PIB_EMPTY),
	NAMES(PIB_MODE, pib_modes),
	NUMBER(PIB_REF_CENTER),
	NUMBER(PIB_CALIBRATE),
	NUMBER(PIB_DIVIDER),
	NUMBER(ATB_ACTIVE),
	NUMBER(ATB_ENABLE),
	NUMBER(ATB_EMPTY),
	NUMBER(ATB_ID),
	NUMBER(DIS_INPUT),
	NAMES(RAM_MODE, ram_modes),
	NUMBER(MEM_FORMAT),
	NUMBER(ASYNC_FREQ),
	NUMBER(TS_COUNT),
	NUMBER(TS_DEBUG),
	NAMES(TS_TYPE, ts_types),
	NUMBER(TS_PRESCALE),
	NUMBER(TS_ENABLE),
	NUMBER(TS_BRANCH),
	NUMBER(TS_INSTRUMENTATION),
	NUMBER(TS_OWNERSHIP),
	NUMBER(TS_WIDTH),
};

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

/* What the modes of an encoder mean depends on the generation. */
static const char * const *names_of(const struct rvtrace_component *c,
				    const struct field_attribute *f)
{
	return f->id == RVTRACE_INST_MODE ? c->kind->inst_modes : f->names;
}

static const char *value_name(const struct rvtrace_component *c,
			      const struct field_attribute *f, u32 value)
{
	const char * const *names = names_of(c, f);

	return names && value < VALUES ? names[value] : NULL;
}

/**
 * rvtrace_value_name() - what users call a value of a field
 * @c: a component that has the field
 * @id: the field
 * @value: the value
 *
 * Return: NULL when it is just a number
 */
const char *rvtrace_value_name(const struct rvtrace_component *c, enum rvtrace_field_id id,
			       u32 value)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (fields[i].id == id)
			return value_name(c, &fields[i], value);
	return NULL;
}

/* Status comes from the hardware while it is active, else it is the reset value. */
static int field_value(struct rvtrace_component *c, enum rvtrace_field_id id, u32 *value)
{
	*value = c->wanted[id];
	if (rvtrace_configurable(id) || rvtrace_constant(id))
		return 0;
	if (c->active && rvtrace_powered(c))
		return rvtrace_get(c, id, value);
	*value = id == RVTRACE_EMPTY;
	if (id == RVTRACE_INST_STALL_OR_OVERFLOW)
		*value = c->overflow;
	return 0;
}

static ssize_t field_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct field_attribute *f = container_of(attr, struct field_attribute, value);
	struct rvtrace_component *c = to_rvtrace_component(dev);
	u32 value;
	int ret;

	ret = rvtrace_lock_component(c);
	if (ret)
		return ret;
	ret = field_value(c, f->id, &value);
	mutex_unlock(&rvtrace_lock);
	if (ret)
		return ret;
	if (value_name(c, f, value))
		return sysfs_emit(buf, "%s\n", value_name(c, f, value));
	return sysfs_emit(buf, "%u\n", value);
}

static int parse_value(const struct rvtrace_component *c, const struct field_attribute *f,
		       const char *buf, u32 *value)
{
	const char * const *names = names_of(c, f);
	unsigned int i;
	int ret;

	for (i = 0; names && i < VALUES; i++) {
		if (names[i] && sysfs_streq(names[i], buf)) {
			*value = i;
			return 0;
		}
	}
	ret = kstrtou32(buf, 0, value);
	if (ret)
		dev_err_ratelimited(&c->dev, "%s: '%*pEp' is no value of it\n",
				    rvtrace_field_name(f->id), (int)strcspn(buf, "\n"), buf);
	return ret;
}

static ssize_t field_store(struct device *dev, struct device_attribute *attr,
			   const char *buf, size_t count)
{
	const struct field_attribute *f = container_of(attr, struct field_attribute, value);
	struct rvtrace_component *c = to_rvtrace_component(dev);
	u32 value;
	int ret;

	ret = parse_value(c, f, buf, &value);
	if (!ret)
		ret = rvtrace_lock_component(c);
	if (ret)
		return ret;
	ret = rvtrace_set(c, f->id, value);
	mutex_unlock(&rvtrace_lock);
	return ret ?: count;
}

static ssize_t available_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct field_attribute *f = container_of(attr, struct field_attribute, available);
	struct rvtrace_component *c = to_rvtrace_component(dev);
	const char *separator = "";
	unsigned int value;
	int n = 0;

	if (rvtrace_is_wide(c, f->id))
		return sysfs_emit(buf, "0x%llx\n", c->legal[f->id]);
	for (value = 0; value < 64; value++) {
		if (!(c->legal[f->id] & BIT_ULL(value)))
			continue;
		if (value_name(c, f, value))
			n += sysfs_emit_at(buf, n, "%s%s", separator, value_name(c, f, value));
		else
			n += sysfs_emit_at(buf, n, "%s%u", separator, value);
		separator = " ";
	}
	return n + sysfs_emit_at(buf, n, "\n");
}

static ssize_t enable_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(to_rvtrace_component(dev)->enabled));
}

/**
 * rvtrace_parse_switch() - 0 or 1 and nothing else
 * @buf: what was written
 * @on: the result
 *
 * A word that merely starts like "yes" or "false" must not stop a session,
 * hence no kstrtobool().
 *
 * Return: 0 or -EINVAL
 */
int rvtrace_parse_switch(const char *buf, bool *on)
{
	*on = sysfs_streq(buf, "1");
	return *on || sysfs_streq(buf, "0") ? 0 : -EINVAL;
}

/**
 * rvtrace_store_switch() - store of an attribute that starts or stops tracing
 * @dev: component or sink
 * @buf: what was written
 * @count: bytes of it
 * @set: what to do, with rvtrace_lock held
 *
 * Return: @count; -EPERM without CAP_PERFMON, or for a start while the kernel is
 * locked down for confidentiality; -EINVAL; -EINTR; or what @set returned.
 */
ssize_t rvtrace_store_switch(struct device *dev, const char *buf, size_t count,
			     int (*set)(struct device *dev, bool on))
{
	bool on;
	int ret;

	if (!perfmon_capable()) {
		dev_err_ratelimited(dev, "starting and stopping needs CAP_PERFMON\n");
		return -EPERM;
	}
	ret = rvtrace_parse_switch(buf, &on);
	if (!ret && on)
		ret = security_locked_down(LOCKDOWN_PERF);
	if (!ret && on)
		ret = rvtrace_context_arm();
	if (ret)
		return ret;
	ret = mutex_lock_interruptible(&rvtrace_lock);
	if (!ret) {
		ret = set(dev, on);
		mutex_unlock(&rvtrace_lock);
	}
	if (on)
		rvtrace_context_disarm();
	return ret ?: count;
}

static int set_enable(struct device *dev, bool on)
{
	struct rvtrace_component *c = to_rvtrace_component(dev);

	if (list_empty(&c->node))
		return -ENODEV;
	return on ? rvtrace_session_add(c) : rvtrace_session_remove(c);
}

static ssize_t enable_store(struct device *dev, struct device_attribute *attr,
			    const char *buf, size_t count)
{
	return rvtrace_store_switch(dev, buf, count, set_enable);
}

static ssize_t reset_store(struct device *dev, struct device_attribute *attr, const char *buf,
			   size_t count)
{
	struct rvtrace_component *c = to_rvtrace_component(dev);
	bool on;
	int ret;

	ret = rvtrace_parse_switch(buf, &on);
	if (ret)
		return ret;
	if (!on)
		return -EINVAL;
	ret = rvtrace_lock_component(c);
	if (ret)
		return ret;
	ret = rvtrace_reset(c);
	mutex_unlock(&rvtrace_lock);
	return ret ?: count;
}
static DEVICE_ATTR_WO(reset);

static struct device_attribute dev_attr_encoder_enable =
	__ATTR(enable, 0644, enable_show, enable_store);
static struct device_attribute dev_attr_enabled =
	__ATTR(enable, 0444, enable_show, NULL);

static ssize_t wait_for_trigger_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(to_rvtrace_component(dev)->waits));
}

static ssize_t wait_for_trigger_store(struct device *dev, struct device_attribute *attr,
				      const char *buf, size_t count)
{
	struct rvtrace_component *c = to_rvtrace_component(dev);
	bool on;
	int ret;

	ret = rvtrace_parse_switch(buf, &on);
	if (!ret)
		ret = rvtrace_lock_component(c);
	if (ret)
		return ret;
	if (c->users) {
		dev_err_ratelimited(dev, "wait_for_trigger: %d not written, it is in a session\n",
				    on);
		ret = -EBUSY;
	} else {
		WRITE_ONCE(c->waits, on);
	}
	mutex_unlock(&rvtrace_lock);
	return ret ?: count;
}
static DEVICE_ATTR_RW(wait_for_trigger);

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
static DEVICE_ATTR_RO(timestamp_frequency);

static struct attribute *field_attributes[2 * ARRAY_SIZE(fields) + 1];

static bool is_field(const struct attribute *attr, const struct field_attribute *f)
{
	return attr == &f->value.attr || attr == &f->available.attr;
}

/* Only what the component's generation has gets a file. */
static umode_t field_visible(struct kobject *kobj, struct attribute *attr, int index)
{
	struct rvtrace_component *c = to_rvtrace_component(kobj_to_dev(kobj));
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (is_field(attr, &fields[i]))
			return rvtrace_has(c, fields[i].id) ? attr->mode : 0;
	return 0;
}

static const struct attribute_group field_group = {
	.attrs = field_attributes,
	.is_visible = field_visible,
};

static struct attribute *encoder_attributes[] = {
	&dev_attr_encoder_enable.attr,
	&dev_attr_wait_for_trigger.attr,
	&dev_attr_reset.attr,
	&dev_attr_generation.attr,
	&dev_attr_impl.attr,
	&dev_attr_cpus.attr,
	&dev_attr_timestamp_frequency.attr,
	&dev_attr_sink_name.attr,
	NULL
};

static const struct attribute_group encoder_group = {
	.attrs = encoder_attributes,
};

static const struct attribute_group *encoder_groups[] = {
	&encoder_group,
	&field_group,
	&rvtrace_route_group,
	NULL
};

static struct attribute *downstream_attributes[] = {
	&dev_attr_enabled.attr,
	&dev_attr_reset.attr,
	&dev_attr_generation.attr,
	&dev_attr_impl.attr,
	&dev_attr_sink_name.attr,
	NULL
};

static const struct attribute_group downstream_group = {
	.attrs = downstream_attributes,
};

static const struct attribute_group *downstream_groups[] = {
	&downstream_group,
	&field_group,
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

/**
 * rvtrace_sysfs_init() - make the files of the table
 */
void rvtrace_sysfs_init(void)
{
	struct attribute **next = field_attributes;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		struct field_attribute *f = &fields[i];
		bool configurable = rvtrace_configurable(f->id);

		sysfs_attr_init(&f->value.attr);
		f->value.attr.name = rvtrace_field_name(f->id);
		f->value.attr.mode = configurable ? 0644 : 0444;
		f->value.show = field_show;
		f->value.store = configurable ? field_store : NULL;
		*next++ = &f->value.attr;
		if (!configurable)
			continue;

		snprintf(f->available_name, sizeof(f->available_name), "%s_available",
			 rvtrace_field_name(f->id));
		sysfs_attr_init(&f->available.attr);
		f->available.attr.name = f->available_name;
		f->available.attr.mode = 0444;
		f->available.show = available_show;
		*next++ = &f->available.attr;
	}
}
