// SPDX-License-Identifier: GPL-2.0
/* What a component is and can do (TCI 0.9.4 chapter 14, 1.0 chapter "Reset and Discovery"). */
#include "rvtrace.h"

static int discover_field(struct rvtrace_component *c, enum rvtrace_field_id id)
{
	u32 initial = c->wanted[id], value = 0, max = rvtrace_max(c, id), kept;
	int ret;

	c->legal[id] = 0;
	if (rvtrace_is_wide(c, id)) {
		ret = rvtrace_try(c, id, max, &kept);
		if (ret)
			return ret;
		c->legal[id] = kept;
	}
	for (; !rvtrace_is_wide(c, id) && value <= max; value++) {
		ret = rvtrace_try(c, id, value, &kept);
		if (ret)
			return ret;
		if (kept == value)
			c->legal[id] |= BIT_ULL(value);
	}
	return rvtrace_try(c, id, initial, &kept);
}

/**
 * rvtrace_is_wide() - whether a field is too wide for every value to be tried
 * @c: a component that has the field
 * @id: the field
 *
 * Of such a field rvtrace_component.legal has the bits that can be set.
 */
bool rvtrace_is_wide(const struct rvtrace_component *c, enum rvtrace_field_id id)
{
	return rvtrace_max(c, id) > 63;
}

/**
 * rvtrace_keeps() - whether the hardware keeps a value, as discovered
 * @c: a component after discovery
 * @id: the field, which the component may lack
 * @value: the value
 */
bool rvtrace_keeps(const struct rvtrace_component *c, enum rvtrace_field_id id, u32 value)
{
	if (!rvtrace_has(c, id) || value > rvtrace_max(c, id))
		return false;
	if (rvtrace_is_wide(c, id))
		return !(value & ~c->legal[id]);
	return c->legal[id] & BIT_ULL(value);
}

/**
 * rvtrace_prefer() - choose a value where the hardware keeps it
 * @c: a component after discovery
 * @id: the field, which the component may lack
 * @value: its default from now on
 */
void rvtrace_prefer(struct rvtrace_component *c, enum rvtrace_field_id id, u32 value)
{
	if (rvtrace_keeps(c, id, value))
		c->wanted[id] = value;
}

/* pibRefCenter "can be set only if pibMode selects one of the parallel protocols". */
static int discover_ref_center(struct rvtrace_component *c)
{
	u32 mode = c->wanted[RVTRACE_PIB_MODE], parallel;
	int ret;

	for (parallel = RVTRACE_PIB_MODE_PARALLEL_1; parallel <= RVTRACE_PIB_MODE_PARALLEL_16;
	     parallel++)
		rvtrace_prefer(c, RVTRACE_PIB_MODE, parallel);
	ret = discover_field(c, RVTRACE_PIB_REF_CENTER);
	c->wanted[RVTRACE_PIB_MODE] = mode;
	return ret;
}

/* Some blocks do not exist, or have no reset of their own. */
static int release_block(struct rvtrace_component *c, enum rvtrace_field_id active)
{
	u32 kept;
	int ret;

	if (!rvtrace_has(c, active))
		return 0;
	ret = rvtrace_switch(c, active, true);
	if (!ret)
		ret = rvtrace_get(c, active, &kept);
	if (!ret)
		c->wanted[active] = kept;
	return ret;
}

static int reset_block(struct rvtrace_component *c, enum rvtrace_field_id active)
{
	return rvtrace_has(c, active) ? rvtrace_switch(c, active, false) : 0;
}

/**
 * rvtrace_discover() - learn what the component can do
 * @c: a component that was just released from reset
 *
 * The values read first become what software wants; then every configuration
 * field is tried with every value (TCI 0.9.4 chapter 14).
 *
 * Return: 0 or an access error
 */
int rvtrace_discover(struct rvtrace_component *c)
{
	static const enum rvtrace_field_id blocks[] = { RVTRACE_TS_ACTIVE, RVTRACE_PIB_ACTIVE,
							RVTRACE_ATB_ACTIVE };
	const u16 *reg;
	unsigned int i, id;
	int ret;

	for (reg = c->kind->undefined; reg && *reg; reg++) {
		ret = regmap_write(c->regmap, *reg, 0);
		if (ret)
			return ret;
	}
	for (id = 0; id < RVTRACE_FIELDS; id++) {
		if (!rvtrace_has(c, id) || !rvtrace_constant(id))
			continue;
		ret = rvtrace_get(c, id, &c->wanted[id]);
		if (ret)
			return ret;
	}
	for (i = 0; i < ARRAY_SIZE(blocks); i++) {
		ret = release_block(c, blocks[i]);
		if (ret)
			return ret;
	}
	for (id = 0; id < RVTRACE_FIELDS; id++) {
		if (!rvtrace_has(c, id) || !rvtrace_configurable(id))
			continue;
		ret = rvtrace_get(c, id, &c->wanted[id]);
		if (ret)
			return ret;
	}
	for (id = 0; id < RVTRACE_FIELDS; id++) {
		if (!rvtrace_has(c, id) || !rvtrace_configurable(id))
			continue;
		ret = id == RVTRACE_PIB_REF_CENTER ? discover_ref_center(c) :
						     discover_field(c, id);
		if (ret)
			return ret;
	}
	/* They are released when they are used. */
	ret = reset_block(c, RVTRACE_PIB_ACTIVE);
	return ret ?: reset_block(c, RVTRACE_ATB_ACTIVE);
}
