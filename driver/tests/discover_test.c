// SPDX-License-Identifier: GPL-2.0
/* Discovery of hardware that is made of an array: what it leaves software with. */
#include <kunit/test.h>

#include <linux/prandom.h>
#include <linux/regmap.h>

#include "../access.h"
#include "../discover.h"
#include "../field.h"
#include "../rvtrace.h"
#include "../window.h"

#define REGISTERS	(RVTRACE_PAGE_SIZE / 4)

/*
 * @field, @legal: the field that keeps only these values; others are ignored
 * @wired: in every register, bits that read 1 whatever is written
 * @ones, @zeros: what was written there, all of it
 */
struct hardware {
	struct rvtrace_component c;
	u32 registers[REGISTERS];
	enum rvtrace_field_id field;
	u32 legal;
	u32 wired[REGISTERS];
	u32 ones[REGISTERS];
	u32 zeros[REGISTERS];
};

static int read_page(void *context, unsigned int reg, unsigned int *value)
{
	struct hardware *hw = context;

	*value = hw->registers[reg / 4] | hw->wired[reg / 4];
	if (rvtrace_has(&hw->c, RVTRACE_PORT_LOST) &&
	    hw->c.kind->fields[RVTRACE_PORT_LOST].reg == reg)
		hw->registers[reg / 4] = 0;
	return 0;
}

/* Of a block that is in reset only Active can be written. */
static u32 writable(const struct hardware *hw, enum rvtrace_field_id active, unsigned int reg)
{
	const struct rvtrace_field *f = &hw->c.kind->fields[active];

	return f->reg != reg || !f->mask || hw->registers[reg / 4] & f->mask ? U32_MAX : f->mask;
}

/* As 0.9.4 has it: a value that is not legal is ignored. Impl has few bits to write. */
static int write_page(void *context, unsigned int reg, unsigned int value)
{
	struct hardware *hw = context;
	const struct rvtrace_field *fields = hw->c.kind->fields;
	const struct rvtrace_field *center = &fields[RVTRACE_PIB_REF_CENTER];
	u32 *now = &hw->registers[reg / 4], kept = U32_MAX;

	hw->ones[reg / 4] |= value;
	hw->zeros[reg / 4] |= ~value;
	if (hw->legal && fields[hw->field].reg == reg &&
	    !(hw->legal & BIT(rvtrace_field_of(&hw->c, hw->field, value))))
		kept &= ~fields[hw->field].mask;
	if (reg == hw->c.kind->impl)
		kept &= fields[RVTRACE_ASYNC_FREQ].reg == reg ? fields[RVTRACE_ASYNC_FREQ].mask : 0;
	kept &= writable(hw, RVTRACE_PIB_ACTIVE, reg) & writable(hw, RVTRACE_TS_ACTIVE, reg);
	*now = (*now & ~kept) | (value & kept);
	/* "can be set only if pibMode selects one of the parallel protocols" */
	if (center->reg == reg && kept & center->mask &&
	    rvtrace_field_of(&hw->c, RVTRACE_PIB_MODE, *now) < RVTRACE_PIB_MODE_PARALLEL_1)
		*now &= ~center->mask;
	return 0;
}

static struct hardware *make(struct kunit *test, const struct rvtrace_kind *kind)
{
	struct hardware *hw = kunit_kzalloc(test, sizeof(*hw), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, hw);
	hw->c.kind = kind;
	hw->c.wanted[RVTRACE_ACTIVE] = 1;
	hw->registers[kind->fields[RVTRACE_ACTIVE].reg / 4] = kind->fields[RVTRACE_ACTIVE].mask;
	return hw;
}

static void put(struct hardware *hw, enum rvtrace_field_id id, u32 value)
{
	const struct rvtrace_field *f = &hw->c.kind->fields[id];
	u32 *reg = &hw->registers[f->reg / 4];

	*reg = (*reg & ~f->mask) | (value << __ffs(f->mask));
}

static void attach(struct kunit *test, struct hardware *hw)
{
	const struct regmap_config config = {
		.reg_bits = 32,
		.val_bits = 32,
		.reg_stride = 4,
		.max_register = RVTRACE_PAGE_SIZE - 4,
		.rd_table = hw->c.kind->regmap->rd_table,
		.reg_read = read_page,
		.reg_write = write_page,
		.use_raw_spinlock = true,
	};

	hw->c.regmap = regmap_init(NULL, NULL, hw, &config);
	KUNIT_ASSERT_FALSE(test, IS_ERR(hw->c.regmap));
}

/* All that is written in a session is what the hardware keeps. */
static void discover(struct kunit *test, struct hardware *hw)
{
	const struct rvtrace_kind *kind = hw->c.kind;

	attach(test, hw);
	KUNIT_EXPECT_EQ(test, rvtrace_discover(&hw->c), 0);
	KUNIT_EXPECT_EQ(test, rvtrace_settle(&hw->c), 0);
	KUNIT_EXPECT_EQ(test, rvtrace_configure(&hw->c), 0);
	KUNIT_EXPECT_EQ(test, rvtrace_discover_end(&hw->c), 0);
	KUNIT_EXPECT_TRUE(test, hw->registers[kind->fields[RVTRACE_ACTIVE].reg / 4] &
			  kind->fields[RVTRACE_ACTIVE].mask);
	regmap_exit(hw->c.regmap);
}

/* teSyncMaxInst of the P550 is reset to 0xA by its table, which says that 6 to 0xE are reserved. */
static const struct reserved {
	const char *name;
	u32 reset;
	u32 legal;
	u32 wanted;
} reserved[] = {
	{ "the next below", 0xa, 0x803f, 5 },
	{ "none is below", 0xa, 0x8000, 15 },
	{ "above", 0xa, 0x9000, 12 },
	{ "0", 0xa, 0x8001, 0 },
	{ "the largest", 0xf, 0x003f, 5 },
	{ "the smallest", 0, 0x0038, 3 },
	{ "legal", 0xa, 0x0c00, 0xa },
	{ "legal as the only one", 0xa, 0x0400, 0xa },
};

static void describe_reserved(const struct reserved *r, char *description)
{
	strscpy(description, r->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(reserved, reserved, describe_reserved);

static void reserved_value_gives_way_to_the_nearest(struct kunit *test)
{
	const struct reserved *r = test->param_value;
	struct hardware *hw = make(test, &rvtrace_encoder_0);

	hw->field = RVTRACE_SYNC_MAX_INST;
	hw->legal = r->legal;
	put(hw, RVTRACE_SYNC_MAX_INST, r->reset);
	discover(test, hw);
	KUNIT_EXPECT_EQ(test, hw->c.wanted[RVTRACE_SYNC_MAX_INST], r->wanted);
	KUNIT_EXPECT_EQ(test, hw->c.legal[RVTRACE_SYNC_MAX_INST], r->legal);
}

static void what_is_not_kept_beside_another_is_not_wanted(struct kunit *test)
{
	struct hardware *hw = make(test, &rvtrace_encoder_0_9);

	put(hw, RVTRACE_HAS_PIB_SINK, 1);
	put(hw, RVTRACE_PIB_REF_CENTER, 1);
	discover(test, hw);
	KUNIT_EXPECT_EQ(test, hw->c.wanted[RVTRACE_PIB_MODE], RVTRACE_PIB_MODE_OFF);
	KUNIT_EXPECT_EQ(test, hw->c.wanted[RVTRACE_PIB_REF_CENTER], 0);
	KUNIT_EXPECT_EQ(test, hw->c.legal[RVTRACE_PIB_REF_CENTER], 3);
}

/* A window of registers ends between the blocks of ATB and PIB, before both, or after. */
static void block_behind_the_window_is_not_there(struct kunit *test)
{
	static const u32 sizes[] = { RVTRACE_WINDOW_MIN, 0xf00, RVTRACE_PAGE_SIZE };

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct hardware *hw = make(test, &rvtrace_funnel_0_9);
		bool atb = sizes[i] > RVTRACE_ATB_CONTROL, pib = sizes[i] > RVTRACE_PIB_CONTROL;

		put(hw, RVTRACE_HAS_ATB_SINK, 1);
		put(hw, RVTRACE_HAS_PIB_SINK, 1);
		put(hw, RVTRACE_HAS_SBA_SINK, 1);
		KUNIT_ASSERT_EQ(test, rvtrace_window_limit(&hw->c, sizes[i]), 0);
		discover(test, hw);
		KUNIT_EXPECT_EQ(test, hw->c.wanted[RVTRACE_HAS_ATB_SINK], atb);
		KUNIT_EXPECT_EQ(test, hw->c.wanted[RVTRACE_HAS_PIB_SINK], pib);
		KUNIT_EXPECT_EQ(test, rvtrace_keeps(&hw->c, RVTRACE_SINK, RVTRACE_SINK_ATB), atb);
		KUNIT_EXPECT_EQ(test, rvtrace_keeps(&hw->c, RVTRACE_SINK, RVTRACE_SINK_PIB), pib);
		KUNIT_EXPECT_TRUE(test, rvtrace_keeps(&hw->c, RVTRACE_SINK, RVTRACE_SINK_SBA));
		rvtrace_window_free(&hw->c);
	}
}

struct known_kind {
	const char *name;
	const struct rvtrace_kind *kind;
	bool carries;
};

static const struct known_kind kinds[] = {
	{ "encoder 1.0", &rvtrace_encoder_1_0 },
	{ "funnel 1.0", &rvtrace_funnel_1_0 },
	{ "RAM sink 1.0", &rvtrace_ram_sink_1_0 },
	{ "PIB sink 1.0", &rvtrace_pib_sink_1_0 },
	{ "ATB bridge 1.0", &rvtrace_atb_bridge_1_0 },
	{ "encoder 0", &rvtrace_encoder_0, true },
	{ "funnel 0", &rvtrace_funnel_0, true },
	{ "encoder 0.9", &rvtrace_encoder_0_9, true },
	{ "funnel 0.9", &rvtrace_funnel_0_9, true },
};

static void describe_kind(const struct known_kind *known, char *description)
{
	strscpy(description, known->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(kind, kinds, describe_kind);

/* Reset leaves anything there; @left: that, by field */
static void litter(struct hardware *hw, u64 seed, u32 *left)
{
	const struct rvtrace_kind *kind = hw->c.kind;
	struct rnd_state random;
	unsigned int id;

	prandom_seed_state(&random, seed);
	for (id = 0; id < RVTRACE_FIELDS; id++)
		if (kind->fields[id].mask && rvtrace_configurable(id)) {
			left[id] = prandom_u32_state(&random) & rvtrace_max(&hw->c, id);
			put(hw, id, left[id]);
		}
}

/* The divider "should be set to safe (not too fast clock) setting". */
static void only_what_is_defined_is_a_default(struct kunit *test)
{
	const struct known_kind *known = test->param_value;
	struct hardware *hw = make(test, known->kind);
	u32 left[RVTRACE_FIELDS] = {};
	unsigned int id;

	litter(hw, 1, left);
	discover(test, hw);
	for (id = 0; id < RVTRACE_FIELDS; id++)
		if (rvtrace_has(&hw->c, id) && rvtrace_configurable(id))
			KUNIT_EXPECT_EQ_MSG(test, hw->c.wanted[id],
					    known->carries || id == RVTRACE_PIB_DIVIDER ?
					    left[id] : 0, "%s", rvtrace_field_name(id));
}

/* Where 0 is not legal, and is ignored */
static void what_is_undefined_does_not_come_back(struct kunit *test)
{
	u32 left[RVTRACE_FIELDS];

	for (u64 seed = 0; seed < 16; seed++) {
		struct hardware *hw = make(test, &rvtrace_encoder_1_0);

		hw->field = RVTRACE_SYNC_MAX;
		hw->legal = 0x0ff0;
		litter(hw, seed, left);
		discover(test, hw);
		KUNIT_EXPECT_EQ(test, hw->c.wanted[RVTRACE_SYNC_MAX], 4);
		KUNIT_EXPECT_EQ(test, hw->c.legal[RVTRACE_SYNC_MAX], 0x0ff0);
	}
}

static u32 covered(const struct rvtrace_kind *kind, unsigned int reg)
{
	u32 mask = 0;

	for (unsigned int id = 0; id < RVTRACE_FIELDS; id++)
		if (kind->fields[id].reg == reg)
			mask |= kind->fields[id].mask;
	return mask;
}

/* "software should always write 0 to reserved bits", of a later version all the more */
static void reserved_bits_are_written_as_0_since_1_0(struct kunit *test)
{
	const struct known_kind *known = test->param_value;
	struct hardware *hw = make(test, known->kind);

	for (unsigned int i = 0; i < REGISTERS; i++)
		hw->wired[i] = ~covered(known->kind, 4 * i);
	discover(test, hw);
	for (unsigned int i = 0; i < REGISTERS; i++) {
		u32 wrong = known->carries ? hw->zeros[i] : hw->ones[i];

		KUNIT_EXPECT_EQ_MSG(test, wrong & hw->wired[i], 0, "%#x", 4 * i);
	}
}

/* Reads clear the count: it is that of the session, whoever reads it and how often. */
static void what_is_lost_adds_up(struct kunit *test)
{
	const struct known_kind *known = test->param_value;
	struct hardware *hw = make(test, known->kind);
	u32 lost;

	if (!known->kind->fields[RVTRACE_PORT_LOST].mask)
		kunit_skip(test, "no software trace port");
	hw->c.te.software_trace = true;
	attach(test, hw);
	put(hw, RVTRACE_PORT_LOST, 1000);
	KUNIT_EXPECT_EQ(test, rvtrace_configure(&hw->c), 0);
	hw->c.phase = RVTRACE_PHASE_CONFIGURED;
	rvtrace_reset_status(&hw->c);
	KUNIT_EXPECT_EQ(test, rvtrace_get(&hw->c, RVTRACE_PORT_LOST, &lost), 0);
	KUNIT_EXPECT_EQ(test, lost, 0);
	for (u32 sum = 0; sum < 30; sum += 10) {
		put(hw, RVTRACE_PORT_LOST, 10);
		KUNIT_EXPECT_EQ(test, rvtrace_get(&hw->c, RVTRACE_PORT_LOST, &lost), 0);
		KUNIT_EXPECT_EQ(test, lost, sum + 10);
	}
	put(hw, RVTRACE_PORT_LOST, U32_MAX);
	KUNIT_EXPECT_EQ(test, rvtrace_get(&hw->c, RVTRACE_PORT_LOST, &lost), 0);
	KUNIT_EXPECT_EQ(test, lost, U32_MAX);
	rvtrace_reset_status(&hw->c);
	KUNIT_EXPECT_EQ(test, rvtrace_get(&hw->c, RVTRACE_PORT_LOST, &lost), 0);
	KUNIT_EXPECT_EQ(test, lost, 0);
	regmap_exit(hw->c.regmap);
}

/* Of what the specifications have, nothing depends on the device tree. */
static void only_ports_may_be_absent(struct kunit *test)
{
	const struct known_kind *known = test->param_value;
	struct hardware *hw = make(test, known->kind);
	const struct rvtrace_field *fields = known->kind->fields;

	for (unsigned int id = 0; id < RVTRACE_FIELDS; id++) {
		bool of_port = id >= RVTRACE_PORT_ENABLE && id <= RVTRACE_PORT_LOST;

		if (!fields[id].mask)
			continue;
		hw->c.te.software_trace = false;
		KUNIT_EXPECT_EQ_MSG(test, rvtrace_is_there(&hw->c, fields[id].reg), !of_port,
				    "%s", rvtrace_field_name(id));
		hw->c.te.software_trace = true;
		KUNIT_EXPECT_TRUE(test, rvtrace_is_there(&hw->c, fields[id].reg));
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(reserved_value_gives_way_to_the_nearest, reserved_gen_params),
	KUNIT_CASE(what_is_not_kept_beside_another_is_not_wanted),
	KUNIT_CASE(block_behind_the_window_is_not_there),
	KUNIT_CASE_PARAM(only_what_is_defined_is_a_default, kind_gen_params),
	KUNIT_CASE(what_is_undefined_does_not_come_back),
	KUNIT_CASE_PARAM(reserved_bits_are_written_as_0_since_1_0, kind_gen_params),
	KUNIT_CASE_PARAM(what_is_lost_adds_up, kind_gen_params),
	KUNIT_CASE_PARAM(only_ports_may_be_absent, kind_gen_params),
	{ }
};

static struct kunit_suite suite = {
	.name = "rvtrace-discover",
	.test_cases = cases,
};

kunit_test_suite(suite);
