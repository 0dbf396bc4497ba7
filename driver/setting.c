// SPDX-License-Identifier: GPL-2.0
/* Settings: what users choose a configuration field to be. */
#include "access.h"
#include "activate.h"
#include "discover.h"
#include "field.h"
#include "field_sysfs.h"
#include "filter.h"
#include "graph.h"
#include "power.h"
#include "rvtrace.h"
#include "setting.h"
#include "timestamp.h"

/**
 * rvtrace_check_atb_id() - whether a component may have an ID on the bus
 * @c: the component
 * @value: the ID
 *
 * Return: 0; -EINVAL for one that the bus reserves
 */
int rvtrace_check_atb_id(struct rvtrace_component *c, u32 value)
{
	if (value >= RVTRACE_ATB_ID_MIN && value <= RVTRACE_ATB_ID_MAX)
		return 0;
	dev_err_ratelimited(&c->dev, "%s: %#x is reserved by the bus\n",
			    rvtrace_field_name(RVTRACE_ATB_ID), value);
	return -EINVAL;
}

/* Say that a value was not written, and why. */
static void setting_not_written(struct rvtrace_component *c, enum rvtrace_field_id id, u32 value,
				const char *why)
{
	const char *name = rvtrace_value_name(c, id, value);

	if (name)
		dev_err_ratelimited(&c->dev, "%s: %s not written, %s\n", rvtrace_field_name(id),
				    name, why);
	else
		dev_err_ratelimited(&c->dev, "%s: %u not written, %s\n", rvtrace_field_name(id),
				    value, why);
}

/* Write a value, which the hardware shall keep. */
static int setting_try(struct rvtrace_component *c, enum rvtrace_field_id id, u32 value)
{
	u32 kept;
	int ret;

	ret = rvtrace_try(c, id, value, &kept);
	if (ret)
		return ret;
	if (kept != value)
		return rvtrace_refused(c, id, value, kept);
	/* Nor may it take from others of its register what they have. */
	return rvtrace_verify(c, c->kind->fields[id].reg);
}

/**
 * rvtrace_set() - choose the value of a configuration field
 * @c: the component
 * @id: the field; one that the component has not is 0
 * @value: the value
 *
 * A value the hardware does not keep is reported and the old one restored. Without power,
 * what it keeps is known from discovery; the value is written when it is traced.
 *
 * Return: 0; -EINVAL when the value is not legal; -EBUSY while the component is
 * part of a session; -ETIMEDOUT or an access error
 */
int rvtrace_set(struct rvtrace_component *c, enum rvtrace_field_id id, u32 value)
{
	enum rvtrace_field_id within = rvtrace_within(id);
	u32 old = c->wanted[id];
	int ret, err;

	lockdep_assert_held(&rvtrace_lock);
	if (c->users) {
		setting_not_written(c, id, value, "it is in a session");
		return -EBUSY;
	}
	if (!rvtrace_has(c, id)) {
		if (!value)
			return 0;
		setting_not_written(c, id, value, "there is no such field");
		return -EINVAL;
	}
	if (value > rvtrace_max(c, id)) {
		dev_err_ratelimited(&c->dev, "%s: %u is more than %u\n", rvtrace_field_name(id),
				    value, rvtrace_max(c, id));
		return -EINVAL;
	}
	if (id == RVTRACE_ATB_ID) {
		ret = rvtrace_check_atb_id(c, value);
		if (ret)
			return ret;
	}
	if (!rvtrace_powered(c)) {
		if (!rvtrace_keeps(c, id, value)) {
			setting_not_written(c, id, value, "hardware did not keep it at discovery");
			return -EINVAL;
		}
		c->wanted[id] = value;
		return 0;
	}
	ret = rvtrace_hold(c);
	if (ret)
		return ret;
	ret = rvtrace_timestamp_configure(c);
	if (ret)
		goto release;
	if (within) {
		ret = rvtrace_block_release(c, within);
		if (ret)
			goto release;
	}
	ret = rvtrace_configure(c);
	if (ret)
		goto release;

	ret = setting_try(c, id, value);
	if (ret) {
		c->wanted[id] = old;
		rvtrace_update(c, id);
	}
release:
	err = within ? rvtrace_block_reset(c, within) : 0;
	ret = ret ?: err;
	err = rvtrace_release(c);
	ret = ret ?: err;
	if (ret)
		c->wanted[id] = old;
	return ret;
}

/**
 * rvtrace_reset() - choose for every configuration field what discovery chose
 * @c: the component
 *
 * Return: 0; -EBUSY while the component is part of a session
 */
int rvtrace_reset(struct rvtrace_component *c)
{
	unsigned int id;

	lockdep_assert_held(&rvtrace_lock);
	if (c->users) {
		dev_err_ratelimited(&c->dev, "not reset, it is in a session\n");
		return -EBUSY;
	}
	for (id = 0; id < RVTRACE_FIELDS; id++)
		if (rvtrace_configurable(id))
			c->wanted[id] = c->defaults[id];
	c->route = rvtrace_graph_first_output(c);
	rvtrace_units_reset(c);
	c->te.wait_for_trigger = false;
	c->te.data_trace = false;
	WRITE_ONCE(c->te.sync_on_switch, RVTRACE_SWITCH_SYNC_AUTO);
	return 0;
}
