// SPDX-License-Identifier: GPL-2.0
/* What a component is and can do (TCI 0.9.4 chapter 14, 1.0 chapter "Reset and Discovery"). */
#include <linux/delay.h>
#include <linux/ktime.h>

#include "access.h"
#include "activate.h"
#include "discover.h"
#include "field.h"
#include "rvtrace.h"
#include "timestamp.h"
#include "wait.h"

/* Which values are kept: of a narrow field, all are tried. */
static int discover_try_values(const struct rvtrace_trial *t, u64 *legal)
{
	u32 value, kept;
	int ret;

	for (value = 0; value <= t->max; value++) {
		ret = t->write(t, value, &kept);
		if (ret)
			return ret;
		if (kept == value)
			*legal |= BIT_ULL(value);
	}
	if (!*legal)
		return 0;
	/* What reset left, legal or not, is read until something else is kept. */
	value = __ffs64(*legal);
	ret = t->write(t, value, &kept);
	if (ret)
		return ret;
	if (kept != value)
		*legal &= ~BIT_ULL(value);
	return 0;
}

/* Write a value, and remember which bits were seen as 1 and as 0. */
static int discover_see(const struct rvtrace_trial *t, u32 value, u32 *ones, u32 *zeros)
{
	u32 kept;
	int ret;

	ret = t->write(t, value, &kept);
	if (ret)
		return ret;
	*ones |= kept;
	*zeros |= ~kept;
	return 0;
}

/*
 * Which bits can be 1 and can be 0; others are wired to one of them. Each is tried where
 * hardware refuses all ones or none, such as an ATB ID that is reserved.
 */
static int discover_try_bits(const struct rvtrace_trial *t, u64 *legal)
{
	u32 bit, ones = 0, zeros = 0;
	int ret;

	ret = discover_see(t, t->max, &ones, &zeros);
	if (ret)
		return ret;
	ret = discover_see(t, 0, &ones, &zeros);
	if (ret)
		return ret;
	for (bit = 1; (ones & zeros) != t->max && bit && bit <= t->max; bit <<= 1) {
		ret = discover_see(t, bit, &ones, &zeros);
		if (ret)
			return ret;
	}
	*legal = ones & zeros;
	return 0;
}

/* The largest legal value that is not above @value, or else the smallest. */
static u32 discover_nearest(u64 legal, u32 value)
{
	u64 below = legal & GENMASK_ULL(value, 0);

	return below ? fls64(below) - 1 : __ffs64(legal);
}

/**
 * rvtrace_find_legal() - learn what a field keeps
 * @t: the field
 * @value: in: what it is to be; out: what it can be instead, where hardware refuses that,
 *	as reset may leave what is reserved (teSyncMaxInst of the P550 by its table)
 * @legal: out: bit n: it keeps the value n; of a wide field, the bits that can be set
 *
 * Return: 0 or an access error
 */
int rvtrace_find_legal(const struct rvtrace_trial *t, u32 *value, u64 *legal)
{
	u32 kept;
	int ret;

	*legal = 0;
	ret = t->wide ? discover_try_bits(t, legal) : discover_try_values(t, legal);
	if (ret)
		return ret;
	ret = t->write(t, *value, &kept);
	if (ret || kept == *value)
		return ret;
	if (t->wide)
		*value = (*value & *legal) | (kept & ~*legal);
	else
		*value = *legal ? discover_nearest(*legal, *value) : kept;
	return 0;
}

static int discover_try_field(const struct rvtrace_trial *t, u32 value, u32 *kept)
{
	return rvtrace_try(t->c, t->id, value, kept);
}

static int discover_field(struct rvtrace_component *c, enum rvtrace_field_id id)
{
	const struct rvtrace_trial trial = {
		.write = discover_try_field,
		.c = c,
		.id = id,
		.max = rvtrace_max(c, id),
		.wide = rvtrace_is_wide(c, id),
	};
	u32 value = c->wanted[id];
	int ret;

	ret = rvtrace_find_legal(&trial, &value, &c->legal[id]);
	if (ret)
		return ret;
	c->wanted[id] = value;
	return 0;
}

/**
 * rvtrace_is_wide() - whether a field is too wide for every value to be tried
 * @c: a component that has the field
 * @id: the field
 *
 * Of such a field rvtrace_component.legal has the bits that can be chosen.
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
		return !((value ^ c->wanted[id]) & ~c->legal[id]);
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

/*
 * A timestamp unit that is not there reads 0 for ever, one that is may do so for some time:
 * that long it is waited for.
 */
#define UNIT_MS	10

static int discover_timestamp(struct rvtrace_component *c, u32 *active, u32 *width)
{
	ktime_t deadline = ktime_add_ms(ktime_get(), UNIT_MS);
	bool late;
	int ret;

	for (;;) {
		late = ktime_after(ktime_get(), deadline);
		ret = rvtrace_get(c, RVTRACE_TS_ACTIVE, active);
		if (ret)
			return ret;
		ret = rvtrace_get(c, RVTRACE_TS_WIDTH, width);
		if (ret || *active || *width || late)
			return ret;
		usleep_range(100, 200);
	}
}

static int discover_release_timestamp(struct rvtrace_component *c)
{
	u32 active, width;
	int ret;

	if (!rvtrace_has(c, RVTRACE_TS_ACTIVE))
		return 0;
	ret = rvtrace_activate(c, RVTRACE_TS_ACTIVE);
	if (ret)
		return ret;
	ret = discover_timestamp(c, &active, &width);
	if (ret)
		return ret;
	c->wanted[RVTRACE_TS_ACTIVE] = active || width;
	c->wanted[RVTRACE_TS_WIDTH] = width;
	return rvtrace_timestamp_ready(c, rvtrace_deadline());
}

static int discover_release_blocks(struct rvtrace_component *c)
{
	int ret;

	ret = discover_release_timestamp(c);
	if (ret)
		return ret;
	ret = rvtrace_block_release(c, RVTRACE_PIB_ACTIVE);
	if (ret)
		return ret;
	return rvtrace_block_release(c, RVTRACE_ATB_ACTIVE);
}

/* Reset leaves anything there. */
static bool discover_is_undefined(const struct rvtrace_component *c, enum rvtrace_field_id id)
{
	const struct rvtrace_field *f = &c->kind->fields[id];
	const u16 *reg;

	for (reg = c->kind->undefined; reg && *reg; reg++)
		if (*reg == f->reg)
			return true;
	return f->reg == c->kind->fields[RVTRACE_ACTIVE].reg &&
	       f->mask & c->kind->undefined_control;
}

static int discover_clear_undefined(struct rvtrace_component *c)
{
	const u16 *reg;
	int ret;

	if (c->kind->undefined_control) {
		ret = regmap_update_bits(c->regmap, c->kind->fields[RVTRACE_ACTIVE].reg,
					 c->kind->undefined_control, 0);
		if (ret)
			return ret;
	}
	for (reg = c->kind->undefined; reg && *reg; reg++) {
		ret = regmap_write(c->regmap, *reg, 0);
		if (ret)
			return ret;
	}
	return 0;
}

/* What a field is without software; 0 may not be kept, and then anything is. */
static int discover_read_initial(struct rvtrace_component *c, enum rvtrace_field_id id)
{
	c->wanted[id] = 0;
	return discover_is_undefined(c, id) ? 0 : rvtrace_get(c, id, &c->wanted[id]);
}

/* A block of the page may be after the last register that the device tree has. */
static void discover_hide_block(struct rvtrace_component *c, enum rvtrace_field_id has,
				enum rvtrace_field_id active, u32 choice)
{
	if (!c->wanted[has] || c->kind->fields[active].mask)
		return;
	dev_warn(rvtrace_device(c), "%s: not used, its registers are after the end of reg\n",
		 rvtrace_field_name(has));
	c->wanted[has] = 0;
	c->legal[RVTRACE_SINK] &= ~BIT_ULL(choice);
}

/**
 * rvtrace_discover() - learn what the component can do
 * @c: a component that was just released from reset
 *
 * The values read first become what software wants, 0 where reset does not define
 * them; then every configuration field is tried with every value (TCI 0.9.4 chapter
 * 14). Ends with rvtrace_discover_end().
 *
 * Return: 0 or an access error
 */
int rvtrace_discover(struct rvtrace_component *c)
{
	unsigned int id;
	int ret;

	ret = discover_clear_undefined(c);
	if (ret)
		return ret;
	for (id = 0; id < RVTRACE_FIELDS; id++) {
		if (!rvtrace_has(c, id) || !rvtrace_constant(id))
			continue;
		ret = rvtrace_get(c, id, &c->wanted[id]);
		if (ret)
			return ret;
	}
	ret = discover_release_blocks(c);
	if (ret)
		return ret;
	for (id = 0; id < RVTRACE_FIELDS; id++) {
		if (!rvtrace_has(c, id) || !rvtrace_configurable(id))
			continue;
		ret = discover_read_initial(c, id);
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
	discover_hide_block(c, RVTRACE_HAS_PIB_SINK, RVTRACE_PIB_ACTIVE, RVTRACE_SINK_PIB);
	discover_hide_block(c, RVTRACE_HAS_ATB_SINK, RVTRACE_ATB_ACTIVE, RVTRACE_SINK_ATB);
	return 0;
}

/**
 * rvtrace_settle() - let software want what the hardware keeps
 * @c: a component after discovery, for which defaults were chosen
 *
 * A value may be kept only beside some of another field, such as pibRefCenter; reset
 * need not care. rvtrace_configure() could not verify what is not kept, nor could
 * rvtrace_set() mend it.
 *
 * Return: 0 or an access error
 */
int rvtrace_settle(struct rvtrace_component *c)
{
	unsigned int id;
	int ret;

	for (id = 0; id < RVTRACE_FIELDS; id++) {
		if (!rvtrace_has(c, id) || !rvtrace_configurable(id))
			continue;
		ret = rvtrace_try(c, id, c->wanted[id], &c->wanted[id]);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * rvtrace_discover_end() - the blocks of a component's page are released when they are used
 * @c: a component, whatever came of its discovery
 *
 * Return: 0; -ETIMEDOUT or an access error
 */
int rvtrace_discover_end(struct rvtrace_component *c)
{
	int ret, err;

	ret = rvtrace_block_reset(c, RVTRACE_PIB_ACTIVE);
	err = rvtrace_block_reset(c, RVTRACE_ATB_ACTIVE);
	return ret ?: err;
}
