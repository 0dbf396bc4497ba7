// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of the generations: what every one of them must hold, whatever the
 * specification says. Each test is one kind of component.
 */
#include <kunit/test.h>

#include <linux/regmap.h>

#include "../field.h"
#include "../rvtrace.h"

struct known_kind {
	const char *name;
	const struct rvtrace_kind *kind;
};

static const struct known_kind kinds[] = {
	{ "encoder 0", &rvtrace_encoder_0 },
	{ "funnel 0", &rvtrace_funnel_0 },
	{ "encoder 0.9", &rvtrace_encoder_0_9 },
	{ "funnel 0.9", &rvtrace_funnel_0_9 },
	{ "encoder 1.0", &rvtrace_encoder_1_0 },
	{ "funnel 1.0", &rvtrace_funnel_1_0 },
	{ "RAM sink 1.0", &rvtrace_ram_sink_1_0 },
	{ "PIB sink 1.0", &rvtrace_pib_sink_1_0 },
	{ "ATB bridge 1.0", &rvtrace_atb_bridge_1_0 },
};

static void describe(const struct known_kind *known, char *description)
{
	strscpy(description, known->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(kind, kinds, describe);

static const struct rvtrace_kind *kind_of(struct kunit *test)
{
	const struct known_kind *known = test->param_value;

	return known->kind;
}

static bool readable(const struct rvtrace_kind *kind, unsigned int reg)
{
	const struct regmap_access_table *table = kind->regmap->rd_table;

	return regmap_reg_in_ranges(reg, table->yes_ranges, table->n_yes_ranges);
}

static void every_field_is_in_a_register(struct kunit *test)
{
	const struct rvtrace_kind *kind = kind_of(test);

	for (unsigned int id = 0; id < RVTRACE_FIELDS; id++) {
		const struct rvtrace_field *f = &kind->fields[id];

		if (!f->mask) {
			KUNIT_EXPECT_EQ_MSG(test, f->reg | f->status, 0, "%s",
					    rvtrace_field_name(id));
			continue;
		}
		KUNIT_EXPECT_LE_MSG(test, f->reg, kind->regmap->max_register, "%s",
				    rvtrace_field_name(id));
		KUNIT_EXPECT_EQ_MSG(test, f->reg % 4, 0, "%s", rvtrace_field_name(id));
		KUNIT_EXPECT_TRUE_MSG(test, readable(kind, f->reg), "%s", rvtrace_field_name(id));
	}
}

static void every_field_is_one_row_of_bits(struct kunit *test)
{
	const struct rvtrace_kind *kind = kind_of(test);

	for (unsigned int id = 0; id < RVTRACE_FIELDS; id++) {
		u32 mask = kind->fields[id].mask;

		if (mask)
			KUNIT_EXPECT_EQ_MSG(test, mask, GENMASK(__fls(mask), __ffs(mask)), "%s",
					    rvtrace_field_name(id));
	}
}

static void no_two_fields_share_a_bit(struct kunit *test)
{
	const struct rvtrace_field *fields = kind_of(test)->fields;

	for (unsigned int id = 0; id < RVTRACE_FIELDS; id++)
		for (unsigned int other = 0; other < id; other++)
			KUNIT_EXPECT_FALSE_MSG(test, fields[id].reg == fields[other].reg &&
					       fields[id].mask & fields[other].mask, "%s and %s",
					       rvtrace_field_name(id), rvtrace_field_name(other));
}

static void what_every_component_has(struct kunit *test)
{
	const struct rvtrace_kind *kind = kind_of(test);

	KUNIT_EXPECT_EQ(test, kind->fields[RVTRACE_ACTIVE].mask, 1);
	KUNIT_EXPECT_EQ(test, kind->fields[RVTRACE_ENABLE].mask, 2);
	KUNIT_EXPECT_NE(test, kind->fields[RVTRACE_EMPTY].mask, 0);
	KUNIT_EXPECT_EQ(test, kind->fields[RVTRACE_VERSION].reg, kind->impl);
	KUNIT_EXPECT_LE(test, kind->version,
			kind->fields[RVTRACE_VERSION].mask >>
			__ffs(kind->fields[RVTRACE_VERSION].mask));
	KUNIT_EXPECT_TRUE(test, readable(kind, kind->impl));
}

/*
 * Chosen, constant and lasting exclude each other; what is cleared lasts, and is one bit or
 * counts.
 */
static void statuses_are_not_chosen(struct kunit *test)
{
	const struct rvtrace_kind *kind = kind_of(test);

	for (unsigned int id = 0; id < RVTRACE_FIELDS; id++) {
		const char *name = rvtrace_field_name(id);

		KUNIT_ASSERT_NOT_NULL(test, name);
		KUNIT_EXPECT_FALSE_MSG(test, rvtrace_configurable(id) && rvtrace_constant(id),
				       "%s", name);
		KUNIT_EXPECT_FALSE_MSG(test, rvtrace_lasting(id) &&
				       (rvtrace_configurable(id) || rvtrace_constant(id)),
				       "%s", name);
		if (kind->fields[id].status == RVTRACE_NO_STATUS)
			continue;
		KUNIT_EXPECT_TRUE_MSG(test, rvtrace_lasting(id), "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, hweight32(kind->fields[id].mask) > 1,
				    kind->fields[id].status == RVTRACE_COUNTED_UNTIL_READ,
				    "%s", name);
	}
}

/* A register that a read changes is not read for debugfs. */
static void what_reading_clears_is_precious(struct kunit *test)
{
	const struct rvtrace_kind *kind = kind_of(test);

	for (unsigned int id = 0; id < RVTRACE_FIELDS; id++) {
		const struct rvtrace_field *f = &kind->fields[id];

		if (f->status != RVTRACE_CLEARED_BY_READ &&
		    f->status != RVTRACE_COUNTED_UNTIL_READ)
			continue;
		KUNIT_ASSERT_NOT_NULL(test, kind->precious);
		KUNIT_EXPECT_TRUE_MSG(test, kind->precious(f->reg), "%s",
				      rvtrace_field_name(id));
	}
}

/* Every register of a block is there, in the order that the interface has them. */
static void blocks_are_in_the_page(struct kunit *test)
{
	const struct rvtrace_timestamp_registers *timestamp = kind_of(test)->timestamp;
	const struct rvtrace_ram_registers *ram = kind_of(test)->ram;
	const struct rvtrace_kind *kind = kind_of(test);
	const u16 *reg;

	for (reg = kind->undefined; reg && *reg; reg++)
		KUNIT_EXPECT_TRUE_MSG(test, readable(kind, *reg), "%#x", *reg);
	if (timestamp) {
		KUNIT_EXPECT_TRUE(test, readable(kind, timestamp->lower));
		KUNIT_EXPECT_EQ(test, timestamp->upper, timestamp->lower + 4);
		KUNIT_EXPECT_EQ(test, hweight32(timestamp->reset), 1);
		KUNIT_EXPECT_EQ(test, timestamp->reset & kind->fields[RVTRACE_TS_COUNT].mask, 0);
	}
	if (!ram)
		return;
	KUNIT_EXPECT_TRUE(test, readable(kind, ram->base) && readable(kind, ram->base_high) &&
			  readable(kind, ram->limit) && readable(kind, ram->wp));
	KUNIT_EXPECT_EQ(test, ram->wrap, 1);
	KUNIT_EXPECT_EQ(test, !ram->limit_high, !ram->wp_high);
	if (ram->wp_high)
		KUNIT_EXPECT_TRUE(test, readable(kind, ram->limit_high) &&
				  readable(kind, ram->wp_high));
}

/* Modes to choose from have names, the last is off. */
static void modes_of_encoders_have_names(struct kunit *test)
{
	const struct rvtrace_kind *kind = kind_of(test);
	const u8 *mode = kind->inst_mode_order;

	KUNIT_ASSERT_EQ(test, kind->role == RVTRACE_ENCODER, !!mode);
	KUNIT_ASSERT_EQ(test, !mode, !kind->inst_modes);
	if (!mode)
		return;
	for (; *mode; mode++) {
		KUNIT_ASSERT_LE(test, *mode, RVTRACE_NAMED_MAX);
		KUNIT_EXPECT_NOT_NULL(test, kind->inst_modes[*mode]);
	}
	KUNIT_EXPECT_STREQ(test, kind->inst_modes[0], "off");
}

#define KIND_CASE(function)	KUNIT_CASE_PARAM(function, kind_gen_params)

static struct kunit_case cases[] = {
	KIND_CASE(every_field_is_in_a_register),
	KIND_CASE(every_field_is_one_row_of_bits),
	KIND_CASE(no_two_fields_share_a_bit),
	KIND_CASE(what_every_component_has),
	KIND_CASE(statuses_are_not_chosen),
	KIND_CASE(what_reading_clears_is_precious),
	KIND_CASE(blocks_are_in_the_page),
	KIND_CASE(modes_of_encoders_have_names),
	{ }
};

static struct kunit_suite suite = {
	.name = "rvtrace-kind",
	.test_cases = cases,
};

kunit_test_suite(suite);
