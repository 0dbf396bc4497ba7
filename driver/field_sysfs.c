// SPDX-License-Identifier: GPL-2.0
/*
 * Fields of components as files, see docs/ABI/sysfs-bus-rvtrace_tci.
 *
 * One entry of the table below makes one file, named and worded like the field
 * in the specification. A configuration field gets a second file that lists
 * the values this hardware keeps.
 */
#include <linux/kstrtox.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "access.h"
#include "discover.h"
#include "field.h"
#include "field_sysfs.h"
#include "power.h"
#include "rvtrace.h"
#include "setting.h"
#include "sysfs.h"

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

#define NUMBER(field)		{ .id = field }
#define NAMES(field, list)	{ .id = field, .names = list }

static struct field_attribute fields[] = {
	NUMBER(RVTRACE_ACTIVE),
	NUMBER(RVTRACE_INST_TRACING),
	NUMBER(RVTRACE_EMPTY),
	NUMBER(RVTRACE_INST_MODE),
	NUMBER(RVTRACE_INSTRUMENTATION),
	NUMBER(RVTRACE_CONTEXT),
	NUMBER(RVTRACE_INST_TRIG_EN),
	NUMBER(RVTRACE_INST_STALL_OR_OVERFLOW),
	NUMBER(RVTRACE_INST_STALL_EN),
	NUMBER(RVTRACE_STOP_ON_WRAP),
	NUMBER(RVTRACE_INHIBIT_SRC),
	NAMES(RVTRACE_SYNC_MODE, sync_modes),
	NUMBER(RVTRACE_SYNC_MAX),
	NUMBER(RVTRACE_SYNC_MAX_BTM),
	NUMBER(RVTRACE_SYNC_MAX_INST),
	NAMES(RVTRACE_FORMAT, formats),
	NAMES(RVTRACE_SINK, sinks),
	NUMBER(RVTRACE_SINK_ERROR),
	NUMBER(RVTRACE_VERSION),
	NUMBER(RVTRACE_VERSION_MINOR),
	NUMBER(RVTRACE_HAS_SRAM_SINK),
	NUMBER(RVTRACE_HAS_ATB_SINK),
	NUMBER(RVTRACE_HAS_PIB_SINK),
	NUMBER(RVTRACE_HAS_SBA_SINK),
	NUMBER(RVTRACE_HAS_FUNNEL_SINK),
	NUMBER(RVTRACE_SINK_BYTES),
	NUMBER(RVTRACE_PROTOCOL_MAJOR),
	NUMBER(RVTRACE_PROTOCOL_MINOR),
	NUMBER(RVTRACE_SRC_ID),
	NUMBER(RVTRACE_SRC_BITS),
	NUMBER(RVTRACE_INST_NO_ADDR_DIFF),
	NUMBER(RVTRACE_INST_NO_TRAP_ADDR),
	NUMBER(RVTRACE_INST_EN_SEQUENTIAL_JUMP),
	NUMBER(RVTRACE_INST_EN_CALL_STACK),
	NUMBER(RVTRACE_INST_EN_BRANCH_PREDICTION),
	NUMBER(RVTRACE_INST_EN_JUMP_TARGET_CACHE),
	NUMBER(RVTRACE_INST_IMPLICIT_RETURN_MODE),
	NUMBER(RVTRACE_INST_EN_REPEATED_HISTORY),
	NUMBER(RVTRACE_INST_EN_ALL_JUMPS),
	NUMBER(RVTRACE_INST_EXTEND_ADDR_MSB),
	NUMBER(RVTRACE_INST_FILTERS),
	NUMBER(RVTRACE_DATA_IMPLEMENTED),
	NUMBER(RVTRACE_DATA_ENABLE),
	NUMBER(RVTRACE_DATA_TRACING),
	NUMBER(RVTRACE_DATA_TRIG_ENABLE),
	NUMBER(RVTRACE_DATA_STALL),
	NUMBER(RVTRACE_DATA_STALL_ENABLE),
	NUMBER(RVTRACE_DATA_DROP),
	NUMBER(RVTRACE_DATA_DROP_ENABLE),
	NUMBER(RVTRACE_DATA_NO_VALUE),
	NUMBER(RVTRACE_DATA_NO_ADDR),
	NUMBER(RVTRACE_DATA_ADDR_COMPRESS),
	NUMBER(RVTRACE_DATA_ADDRESS_MODE),
	NUMBER(RVTRACE_DATA_FILTERS),
	NAMES(RVTRACE_XTRIG_IN_ACTION0, xtrig_actions),
	NAMES(RVTRACE_XTRIG_IN_ACTION0 + 1, xtrig_actions),
	NAMES(RVTRACE_XTRIG_IN_ACTION0 + 2, xtrig_actions),
	NAMES(RVTRACE_XTRIG_IN_ACTION0 + 3, xtrig_actions),
	NAMES(RVTRACE_XTRIG_IN_ACTION0 + 4, xtrig_actions),
	NAMES(RVTRACE_XTRIG_IN_ACTION0 + 5, xtrig_actions),
	NAMES(RVTRACE_XTRIG_IN_ACTION0 + 6, xtrig_actions),
	NAMES(RVTRACE_XTRIG_IN_ACTION0 + 7, xtrig_actions),
	NAMES(RVTRACE_XTRIG_OUT_EVENT0, xtrig_events),
	NAMES(RVTRACE_XTRIG_OUT_EVENT0 + 1, xtrig_events),
	NAMES(RVTRACE_XTRIG_OUT_EVENT0 + 2, xtrig_events),
	NAMES(RVTRACE_XTRIG_OUT_EVENT0 + 3, xtrig_events),
	NAMES(RVTRACE_XTRIG_OUT_EVENT0 + 4, xtrig_events),
	NAMES(RVTRACE_XTRIG_OUT_EVENT0 + 5, xtrig_events),
	NAMES(RVTRACE_XTRIG_OUT_EVENT0 + 6, xtrig_events),
	NAMES(RVTRACE_XTRIG_OUT_EVENT0 + 7, xtrig_events),
	NUMBER(RVTRACE_DBG_TRIGGER),
	NUMBER(RVTRACE_ITC_TRACE),
	NUMBER(RVTRACE_ITC_TRIG),
	NUMBER(RVTRACE_PORT_ENABLE),
	NUMBER(RVTRACE_PORT_THREADS),
	NUMBER(RVTRACE_PORT_USER),
	NUMBER(RVTRACE_PORT_COM),
	NUMBER(RVTRACE_PORT_RESERVED),
	NUMBER(RVTRACE_PORT_SYS),
	NUMBER(RVTRACE_PORT_SWITCH),
	NUMBER(RVTRACE_PORT_LOST),
	NUMBER(RVTRACE_PIB_ACTIVE),
	NUMBER(RVTRACE_PIB_ENABLE),
	NUMBER(RVTRACE_PIB_EMPTY),
	NAMES(RVTRACE_PIB_MODE, pib_modes),
	NUMBER(RVTRACE_PIB_REF_CENTER),
	NUMBER(RVTRACE_PIB_CALIBRATE),
	NUMBER(RVTRACE_PIB_DIVIDER),
	NUMBER(RVTRACE_ATB_ACTIVE),
	NUMBER(RVTRACE_ATB_ENABLE),
	NUMBER(RVTRACE_ATB_EMPTY),
	NUMBER(RVTRACE_ATB_ID),
	NUMBER(RVTRACE_DIS_INPUT),
	NAMES(RVTRACE_RAM_MODE, ram_modes),
	NUMBER(RVTRACE_MEM_FORMAT),
	NUMBER(RVTRACE_ASYNC_FREQ),
	NUMBER(RVTRACE_TS_COUNT),
	NUMBER(RVTRACE_TS_DEBUG),
	NAMES(RVTRACE_TS_TYPE, ts_types),
	NUMBER(RVTRACE_TS_PRESCALE),
	NUMBER(RVTRACE_TS_ENABLE),
	NUMBER(RVTRACE_TS_BRANCH),
	NUMBER(RVTRACE_TS_INSTRUMENTATION),
	NUMBER(RVTRACE_TS_OWNERSHIP),
	NUMBER(RVTRACE_TS_VENDOR),
	NUMBER(RVTRACE_TS_WIDTH),
};

/* What the modes of an encoder mean depends on the generation. */
static const char * const *field_names(const struct rvtrace_component *c,
				       const struct field_attribute *f)
{
	return f->id == RVTRACE_INST_MODE ? c->kind->inst_modes : f->names;
}

static const char *field_value_name(const struct rvtrace_component *c,
				    const struct field_attribute *f, u32 value)
{
	const char * const *names = field_names(c, f);

	return names && value < VALUES ? names[value] : NULL;
}

/**
 * rvtrace_value_name() - what users call a value of a field
 * @c: a component, which need not have the field
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
			return field_value_name(c, &fields[i], value);
	return NULL;
}

/* Status comes from the hardware while it is active; else it is what lasts, or the reset value. */
static int field_value(struct rvtrace_component *c, enum rvtrace_field_id id, u32 *value)
{
	*value = c->wanted[id];
	if (rvtrace_configurable(id) || rvtrace_constant(id))
		return 0;
	if (c->active && rvtrace_powered(c))
		return rvtrace_get(c, id, value);
	if (!rvtrace_lasting(id))
		*value = id == RVTRACE_EMPTY;
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
	if (field_value_name(c, f, value))
		return sysfs_emit(buf, "%s\n", field_value_name(c, f, value));
	return sysfs_emit(buf, "%u\n", value);
}

static int field_parse(const struct rvtrace_component *c, const struct field_attribute *f,
		       const char *buf, u32 *value)
{
	const char * const *names = field_names(c, f);
	unsigned int i;

	for (i = 0; names && i < VALUES; i++) {
		if (names[i] && sysfs_streq(names[i], buf)) {
			*value = i;
			return 0;
		}
	}
	return kstrtou32(buf, 0, value);
}

static int field_set(struct rvtrace_component *c, struct device_attribute *attr, u64 value)
{
	return rvtrace_set(c, container_of(attr, struct field_attribute, value)->id, value);
}

static ssize_t field_store(struct device *dev, struct device_attribute *attr,
			   const char *buf, size_t count)
{
	const struct field_attribute *f = container_of(attr, struct field_attribute, value);
	u32 value;
	int ret;

	ret = field_parse(to_rvtrace_component(dev), f, buf, &value);
	if (ret)
		return rvtrace_not_written(dev, attr, buf, "is not one of its values", ret);
	return rvtrace_store(dev, attr, value, count, field_set);
}

static ssize_t field_available_show(struct device *dev, struct device_attribute *attr, char *buf)
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
		if (field_value_name(c, f, value))
			n += sysfs_emit_at(buf, n, "%s%s", separator,
					   field_value_name(c, f, value));
		else
			n += sysfs_emit_at(buf, n, "%s%u", separator, value);
		separator = " ";
	}
	return n + sysfs_emit_at(buf, n, "\n");
}

static struct attribute *field_attributes[2 * ARRAY_SIZE(fields) + 1];

static bool field_is_attribute(const struct attribute *attr, const struct field_attribute *f)
{
	return attr == &f->value.attr || attr == &f->available.attr;
}

/* Only what the component's generation has gets a file. */
static umode_t field_visible(struct kobject *kobj, struct attribute *attr, int index)
{
	struct rvtrace_component *c = to_rvtrace_component(kobj_to_dev(kobj));
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (field_is_attribute(attr, &fields[i]))
			return rvtrace_has(c, fields[i].id) ? attr->mode : 0;
	return 0;
}

const struct attribute_group rvtrace_field_group = {
	.attrs = field_attributes,
	.is_visible = field_visible,
};

/**
 * rvtrace_field_sysfs_init() - make the files of the table
 */
void rvtrace_field_sysfs_init(void)
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
		f->available.show = field_available_show;
		*next++ = &f->available.attr;
	}
}
