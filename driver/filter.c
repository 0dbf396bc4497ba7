// SPDX-License-Identifier: GPL-2.0
/*
 * Filters and comparators (TCI 1.0, chapter "Trace Encoder Filter Registers"; 0.9.4
 * chapter 10), which are units: an encoder has several that are alike.
 *
 * What software wants of them is kept and written whenever the encoder is configured,
 * also where that is nothing: reset does not clear them in all generations.
 */
#include <linux/device.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "activate.h"
#include "discover.h"
#include "filter.h"
#include "power.h"
#include "rvtrace.h"

static const char * const unit_names[RVTRACE_UNITS] = {
	[RVTRACE_UNIT_FILTER] = "filter",
	[RVTRACE_UNIT_COMPARATOR] = "comparator",
	[RVTRACE_UNIT_FILTER_WORD] = "filter_word",
};

/*
 * The field of a unit that says whether there is one: of a filter that is not there
 * it cannot be set, nor can what a comparator that is not there compares with.
 */
static const enum rvtrace_unit_field_id filter_telling[RVTRACE_UNITS] = {
	[RVTRACE_UNIT_FILTER] = RVTRACE_FILTER_ENABLE,
	[RVTRACE_UNIT_COMPARATOR] = RVTRACE_COMP_P_MATCH_LOW,
	[RVTRACE_UNIT_FILTER_WORD] = RVTRACE_FILTER_WORD_VALUE,
};

#define UNIT_FIELD(name, unit)		{ name, unit }
/* Bits 63 to 32 of the field before it */
#define UNIT_FIELD_HIGH(name, unit)	{ name, unit, true }

static const struct {
	const char *name;
	enum rvtrace_unit unit;
	bool high;
} unit_fields[RVTRACE_UNIT_FIELDS] = {
	[RVTRACE_COMP_P_MATCH_LOW] = UNIT_FIELD("p_match", RVTRACE_UNIT_COMPARATOR),
	[RVTRACE_COMP_P_MATCH_HIGH] = UNIT_FIELD_HIGH("p_match", RVTRACE_UNIT_COMPARATOR),
	[RVTRACE_COMP_S_MATCH_LOW] = UNIT_FIELD("s_match", RVTRACE_UNIT_COMPARATOR),
	[RVTRACE_COMP_S_MATCH_HIGH] = UNIT_FIELD_HIGH("s_match", RVTRACE_UNIT_COMPARATOR),
	[RVTRACE_COMP_P_INPUT] = UNIT_FIELD("p_input", RVTRACE_UNIT_COMPARATOR),
	[RVTRACE_COMP_S_INPUT] = UNIT_FIELD("s_input", RVTRACE_UNIT_COMPARATOR),
	[RVTRACE_COMP_P_FUNCTION] = UNIT_FIELD("p_function", RVTRACE_UNIT_COMPARATOR),
	[RVTRACE_COMP_S_FUNCTION] = UNIT_FIELD("s_function", RVTRACE_UNIT_COMPARATOR),
	[RVTRACE_COMP_MATCH_MODE] = UNIT_FIELD("match_mode", RVTRACE_UNIT_COMPARATOR),
	[RVTRACE_COMP_P_NOTIFY] = UNIT_FIELD("p_notify", RVTRACE_UNIT_COMPARATOR),
	[RVTRACE_COMP_S_NOTIFY] = UNIT_FIELD("s_notify", RVTRACE_UNIT_COMPARATOR),
	[RVTRACE_FILTER_CHOICE_PRIVILEGE] =
		UNIT_FIELD("match_choice_privilege", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_VALUE_INTERRUPT] = UNIT_FIELD("match_value_interrupt", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_CHOICE_ECAUSE_LOW] = UNIT_FIELD("match_choice_ecause", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_CHOICE_ECAUSE_HIGH] =
		UNIT_FIELD_HIGH("match_choice_ecause", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_VALUE_IMPDEF] = UNIT_FIELD("match_value_impdef", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_MASK_IMPDEF] = UNIT_FIELD("match_mask_impdef", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_CHOICE_DTYPE] = UNIT_FIELD("match_choice_dtype", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_CHOICE_DSIZE] = UNIT_FIELD("match_choice_dsize", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_ENABLE] = UNIT_FIELD("enable", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_MATCH_PRIVILEGE] = UNIT_FIELD("match_privilege", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_MATCH_ECAUSE] = UNIT_FIELD("match_ecause", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_MATCH_INTERRUPT] = UNIT_FIELD("match_interrupt", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_MATCH_COMP1] = UNIT_FIELD("match_comp1", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_COMP1] = UNIT_FIELD("comp1", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_MATCH_COMP2] = UNIT_FIELD("match_comp2", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_COMP2] = UNIT_FIELD("comp2", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_MATCH_COMP3] = UNIT_FIELD("match_comp3", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_COMP3] = UNIT_FIELD("comp3", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_MATCH_IMPDEF] = UNIT_FIELD("match_impdef", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_MATCH_DTYPE] = UNIT_FIELD("match_dtype", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_MATCH_DSIZE] = UNIT_FIELD("match_dsize", RVTRACE_UNIT_FILTER),
	[RVTRACE_FILTER_WORD_VALUE] = UNIT_FIELD("value", RVTRACE_UNIT_FILTER_WORD),
};

/**
 * rvtrace_unit_name() - what the units that have a field are called
 * @id: the field
 */
const char *rvtrace_unit_name(enum rvtrace_unit_field_id id)
{
	return unit_names[unit_fields[id].unit];
}

/**
 * rvtrace_unit_field_name() - name of a field as users see it
 * @id: the field
 */
const char *rvtrace_unit_field_name(enum rvtrace_unit_field_id id)
{
	return unit_fields[id].name;
}

/**
 * rvtrace_unit_field_is() - whether a field is one of a sort of units
 * @id: the field; one that is the high half of another is none
 * @unit: the sort
 */
bool rvtrace_unit_field_is(enum rvtrace_unit_field_id id, enum rvtrace_unit unit)
{
	return unit_fields[id].unit == unit && !unit_fields[id].high;
}

static const struct rvtrace_field *filter_field(const struct rvtrace_component *c,
						enum rvtrace_unit_field_id id)
{
	return &c->kind->units->fields[id];
}

static u32 filter_max(const struct rvtrace_component *c, enum rvtrace_unit_field_id id)
{
	u32 mask = filter_field(c, id)->mask;

	return mask >> __ffs(mask);
}

static bool filter_has_high(enum rvtrace_unit_field_id id)
{
	return id + 1 < RVTRACE_UNIT_FIELDS && unit_fields[id + 1].high;
}

/**
 * rvtrace_unit_is_wide() - whether a field is too wide for every value to be tried
 * @c: an encoder that has the field
 * @id: the field
 */
bool rvtrace_unit_is_wide(const struct rvtrace_component *c, enum rvtrace_unit_field_id id)
{
	return filter_max(c, id) > 31;
}

/**
 * rvtrace_unit_has() - whether a unit is there and has a field that can be set
 * @c: an encoder after discovery
 * @i: number of the unit
 * @id: the field
 */
bool rvtrace_unit_has(const struct rvtrace_component *c, unsigned int i,
		      enum rvtrace_unit_field_id id)
{
	u32 legal;

	if (!c->te.units || !filter_field(c, id)->mask)
		return false;
	legal = c->te.units[i].legal[id];
	return rvtrace_unit_is_wide(c, id) ? legal : legal & ~1U;
}

/**
 * rvtrace_unit_legal() - what a field can be, as discovered
 * @c: the encoder
 * @i: number of the unit
 * @id: the field, which it has
 *
 * Return: a set of values; of a wide field, the bits that can be set
 */
u64 rvtrace_unit_legal(const struct rvtrace_component *c, unsigned int i,
		       enum rvtrace_unit_field_id id)
{
	const u32 *legal = c->te.units[i].legal;

	return legal[id] | (filter_has_high(id) ? (u64)legal[id + 1] << 32 : 0);
}

/**
 * rvtrace_unit_get() - what software wants a field to be
 * @c: the encoder
 * @i: number of the unit
 * @id: the field, which it has
 */
u64 rvtrace_unit_get(const struct rvtrace_component *c, unsigned int i,
		     enum rvtrace_unit_field_id id)
{
	const u32 *wanted = c->te.units[i].wanted;

	return wanted[id] | (filter_has_high(id) ? (u64)wanted[id + 1] << 32 : 0);
}

static void filter_want(struct rvtrace_component *c, unsigned int i, enum rvtrace_unit_field_id id,
			u64 value)
{
	c->te.units[i].wanted[id] = value;
	if (filter_has_high(id))
		c->te.units[i].wanted[id + 1] = value >> 32;
}

static u32 filter_register(const struct rvtrace_component *c, unsigned int i,
			   enum rvtrace_unit_field_id id)
{
	return filter_field(c, id)->reg + i * c->kind->units->stride;
}

/* No bit of a register of units is set but by software. */
static int filter_write(struct rvtrace_component *c, unsigned int i,
			enum rvtrace_unit_field_id one)
{
	u32 image = 0, id;

	for (id = 0; id < RVTRACE_UNIT_FIELDS; id++) {
		const struct rvtrace_field *f = filter_field(c, id);

		if (f->mask && f->reg == filter_field(c, one)->reg)
			image |= (c->te.units[i].wanted[id] << __ffs(f->mask)) & f->mask;
	}
	return regmap_write(c->regmap, filter_register(c, i, one), image);
}

static int filter_read(struct rvtrace_component *c, unsigned int i,
		       enum rvtrace_unit_field_id id, u32 *value)
{
	u32 mask = filter_field(c, id)->mask;
	unsigned int reg;
	int ret;

	ret = regmap_read(c->regmap, filter_register(c, i, id), &reg);
	if (ret)
		return ret;
	*value = (reg & mask) >> __ffs(mask);
	return 0;
}

/* Write what is wanted of a field, and of those beside it; read the field. */
static int filter_write_read(struct rvtrace_component *c, unsigned int i,
			     enum rvtrace_unit_field_id id, u64 *kept)
{
	u32 low, high = 0;
	int ret;

	ret = filter_write(c, i, id);
	if (ret)
		return ret;
	if (filter_has_high(id)) {
		ret = filter_write(c, i, id + 1);
		if (ret)
			return ret;
	}
	ret = filter_read(c, i, id, &low);
	if (ret)
		return ret;
	if (filter_has_high(id)) {
		ret = filter_read(c, i, id + 1, &high);
		if (ret)
			return ret;
	}
	*kept = low | (u64)high << 32;
	return 0;
}

static int filter_refused(struct rvtrace_component *c, unsigned int i,
			  enum rvtrace_unit_field_id id, u64 asked, u64 kept)
{
	dev_err_ratelimited(&c->dev, "%s%u/%s: asked for %#llx, hardware kept %#llx\n",
			    rvtrace_unit_name(id), i, unit_fields[id].name, asked, kept);
	return -EINVAL;
}

/* Whether hardware keeps a value that the field can hold, as discovered. */
static bool filter_keeps(const struct rvtrace_component *c, unsigned int i,
			 enum rvtrace_unit_field_id id, u64 value)
{
	u64 legal = rvtrace_unit_legal(c, i, id);

	if (rvtrace_unit_is_wide(c, id))
		return !((value ^ rvtrace_unit_get(c, i, id)) & ~legal);
	return legal & BIT_ULL(value);
}

/**
 * rvtrace_unit_set() - choose the value of a field
 * @c: the encoder
 * @i: number of the unit
 * @id: the field, which it has
 * @value: the value
 *
 * A value the hardware does not keep is reported and the old one restored. Without power,
 * what it keeps is known from discovery; the value is written when it is traced.
 *
 * Return: 0; -EINVAL when the value is not legal; -EBUSY while the encoder is part
 * of a session; -ETIMEDOUT or an access error
 */
int rvtrace_unit_set(struct rvtrace_component *c, unsigned int i,
		     enum rvtrace_unit_field_id id, u64 value)
{
	u64 old = rvtrace_unit_get(c, i, id), kept;
	int ret, err;

	lockdep_assert_held(&rvtrace_lock);
	if (c->users) {
		dev_err_ratelimited(&c->dev, "%s%u/%s: %#llx not written, it is in a session\n",
				    rvtrace_unit_name(id), i, unit_fields[id].name, value);
		return -EBUSY;
	}
	if (!filter_has_high(id) && value > filter_max(c, id)) {
		dev_err_ratelimited(&c->dev, "%s%u/%s: %#llx is more than %#x\n",
				    rvtrace_unit_name(id), i, unit_fields[id].name, value,
				    filter_max(c, id));
		return -EINVAL;
	}
	if (!rvtrace_powered(c)) {
		if (!filter_keeps(c, i, id, value))
			return filter_refused(c, i, id, value, old);
		filter_want(c, i, id, value);
		return 0;
	}
	ret = rvtrace_hold(c);
	if (ret)
		return ret;
	filter_want(c, i, id, value);
	ret = filter_write_read(c, i, id, &kept);
	if (!ret && kept != value)
		ret = filter_refused(c, i, id, value, kept);
	if (ret) {
		filter_want(c, i, id, old);
		filter_write_read(c, i, id, &kept);
	}
	err = rvtrace_release(c);
	ret = ret ?: err;
	if (ret)
		filter_want(c, i, id, old);
	return ret;
}

static int filter_try(const struct rvtrace_trial *t, u32 value, u32 *kept)
{
	int ret;

	t->c->te.units[t->unit].wanted[t->id] = value;
	ret = filter_write(t->c, t->unit, t->id);
	return ret ?: filter_read(t->c, t->unit, t->id, kept);
}

static int filter_discover_field(struct rvtrace_component *c, unsigned int i,
				 enum rvtrace_unit_field_id id)
{
	const struct rvtrace_trial trial = {
		.write = filter_try,
		.c = c,
		.unit = i,
		.id = id,
		.max = filter_max(c, id),
		.wide = rvtrace_unit_is_wide(c, id),
	};
	u32 value;
	u64 legal;
	int ret;

	/* What it is without software: what reset left, if that is defined. */
	ret = c->kind->units->undefined ? filter_try(&trial, 0, &value) :
					  filter_read(c, i, id, &value);
	if (ret)
		return ret;
	ret = rvtrace_find_legal(&trial, &value, &legal);
	if (ret)
		return ret;
	c->te.units[i].wanted[id] = value;
	c->te.units[i].legal[id] = legal;
	return 0;
}

static int filter_discover_unit(struct rvtrace_component *c, unsigned int i, enum rvtrace_unit unit,
				bool *there)
{
	unsigned int id;
	int ret;

	if (!filter_field(c, filter_telling[unit])->mask)
		return 0;
	ret = filter_discover_field(c, i, filter_telling[unit]);
	if (ret || !rvtrace_unit_has(c, i, filter_telling[unit]))
		return ret;
	*there = true;
	for (id = 0; id < RVTRACE_UNIT_FIELDS; id++) {
		if (unit_fields[id].unit != unit || !filter_field(c, id)->mask ||
		    id == filter_telling[unit])
			continue;
		ret = filter_discover_field(c, i, id);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * rvtrace_units_discover() - find filters and comparators and what they can do
 * @c: an encoder that was just released from reset
 *
 * Return: 0; -ENOMEM; an access error
 */
int rvtrace_units_discover(struct rvtrace_component *c)
{
	const struct rvtrace_unit_registers *registers = c->kind->units;
	unsigned int unit, i;
	bool there = false;
	int ret = 0;

	if (!registers)
		return 0;
	c->te.units = devm_kcalloc(c->parent, registers->count, sizeof(*c->te.units), GFP_KERNEL);
	if (!c->te.units)
		return -ENOMEM;
	for (unit = 0; unit < RVTRACE_UNITS; unit++)
		for (i = 0; !ret && i < registers->count; i++)
			ret = filter_discover_unit(c, i, unit, &there);
	for (i = 0; i < registers->count; i++)
		memcpy(c->te.units[i].defaults, c->te.units[i].wanted,
		       sizeof(c->te.units[i].defaults));
	if (ret || there)
		return ret;
	devm_kfree(c->parent, c->te.units);
	c->te.units = NULL;
	return 0;
}

/* Its register was not written for a field before it. */
static bool filter_is_first(const struct rvtrace_component *c, unsigned int i,
			    enum rvtrace_unit_field_id id)
{
	unsigned int other;

	for (other = 0; other < id; other++)
		if (rvtrace_unit_has(c, i, other) &&
		    filter_field(c, other)->reg == filter_field(c, id)->reg)
			return false;
	return true;
}

static int filter_configure_field(struct rvtrace_component *c, unsigned int i,
				  enum rvtrace_unit_field_id id)
{
	u32 kept;
	int ret;

	if (filter_is_first(c, i, id)) {
		ret = filter_write(c, i, id);
		if (ret)
			return ret;
	}
	ret = filter_read(c, i, id, &kept);
	if (ret)
		return ret;
	if (kept != c->te.units[i].wanted[id])
		return filter_refused(c, i, id, c->te.units[i].wanted[id], kept);
	return 0;
}

/**
 * rvtrace_units_configure() - write every field of every unit and verify it
 * @c: an encoder that is held and not enabled
 *
 * Return: 0; -EINVAL when hardware does not keep a value; an access error
 */
int rvtrace_units_configure(struct rvtrace_component *c)
{
	unsigned int id, i;
	int ret;

	for (id = 0; c->te.units && id < RVTRACE_UNIT_FIELDS; id++) {
		for (i = 0; i < c->kind->units->count; i++) {
			if (!rvtrace_unit_has(c, i, id))
				continue;
			ret = filter_configure_field(c, i, id);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/**
 * rvtrace_units_reset() - choose for every field what discovery found
 * @c: the component
 */
void rvtrace_units_reset(struct rvtrace_component *c)
{
	unsigned int i;

	for (i = 0; c->te.units && i < c->kind->units->count; i++)
		memcpy(c->te.units[i].wanted, c->te.units[i].defaults,
		       sizeof(c->te.units[i].wanted));
}

/**
 * rvtrace_units_show() - the fields of units that a register is made up of
 * @m: where to print them
 * @c: the component
 * @reg: offset of the register
 * @value: what it reads
 */
void rvtrace_units_show(struct seq_file *m, const struct rvtrace_component *c, u16 reg, u32 value)
{
	unsigned int i, id;
	u32 mask;

	for (i = 0; c->te.units && i < c->kind->units->count; i++) {
		for (id = 0; id < RVTRACE_UNIT_FIELDS; id++) {
			if (!rvtrace_unit_has(c, i, id) || filter_register(c, i, id) != reg)
				continue;
			mask = filter_field(c, id)->mask;
			seq_printf(m, " %s%u/%s%s=%#x", rvtrace_unit_name(id), i,
				   unit_fields[id].name, unit_fields[id].high ? "(63:32)" : "",
				   (value & mask) >> __ffs(mask));
		}
	}
}
