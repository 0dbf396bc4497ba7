// SPDX-License-Identifier: GPL-2.0
/* Trace Control Interface 0.9.4: what is where. */
#include "gen.h"

static const char * const inst_modes[RVTRACE_NAMED_MAX + 1] = {
	[RVTRACE_INST_MODE_OFF] = "off",
	[RVTRACE_INST_MODE_BRANCH] = "branch",
	[RVTRACE_INST_MODE_HISTORY] = "history",
	[RVTRACE_INST_MODE_HISTORY_OPTIMIZED] = "history-optimized",
};

static const u8 inst_mode_order[] = {
	RVTRACE_INST_MODE_HISTORY_OPTIMIZED,
	RVTRACE_INST_MODE_HISTORY,
	RVTRACE_INST_MODE_BRANCH,
	RVTRACE_INST_MODE_OFF
};

static const struct rvtrace_field encoder_fields[RVTRACE_FIELDS] = {
	[RVTRACE_ACTIVE] = FIELD(TE_CONTROL, TE_CONTROL_ACTIVE),
	[RVTRACE_ENABLE] = FIELD(TE_CONTROL, TE_CONTROL_ENABLE),
	[RVTRACE_INST_TRACING] = FIELD(TE_CONTROL, TE_CONTROL_INST_TRACING),
	[RVTRACE_EMPTY] = FIELD(TE_CONTROL, TE_CONTROL_EMPTY),
	[RVTRACE_INST_MODE] = FIELD(TE_CONTROL, TE_CONTROL_INST_MODE),
	[RVTRACE_CONTEXT] = FIELD(TE_CONTROL, TE_CONTROL_CONTEXT),
	[RVTRACE_INST_TRIG_EN] = FIELD(TE_CONTROL, TE_CONTROL_INST_TRIG_EN),
	[RVTRACE_INST_STALL_OR_OVERFLOW] =
		FIELD(TE_CONTROL, TE_CONTROL_INST_STALL_OR_OVERFLOW),
	[RVTRACE_INST_STALL_EN] = FIELD(TE_CONTROL, TE_CONTROL_INST_STALL_EN),
	[RVTRACE_STOP_ON_WRAP] = FIELD(TE_CONTROL, TE_CONTROL_STOP_ON_WRAP),
	[RVTRACE_INHIBIT_SRC] = FIELD(TE_CONTROL, TE_CONTROL_INHIBIT_SRC),
	[RVTRACE_SYNC_MODE] = FIELD(TE_CONTROL, TE_CONTROL_SYNC_MODE),
	[RVTRACE_SYNC_MAX] = FIELD(TE_CONTROL, TE_CONTROL_SYNC_MAX),
	[RVTRACE_FORMAT] = FIELD(TE_CONTROL, TE_CONTROL_FORMAT),
	[RVTRACE_SINK] = FIELD(TE_CONTROL, TE_CONTROL_SINK),
	[RVTRACE_VERSION] = FIELD(TE_IMPL, TE_IMPL_VERSION),
	[RVTRACE_HAS_SRAM_SINK] = FIELD(TE_IMPL, TE_IMPL_HAS_SRAM_SINK),
	[RVTRACE_HAS_SBA_SINK] = FIELD(TE_IMPL, TE_IMPL_HAS_SBA_SINK),
	[RVTRACE_HAS_FUNNEL_SINK] = FIELD(TE_IMPL, TE_IMPL_HAS_FUNNEL_SINK),
	[RVTRACE_SRC_ID] = FIELD(TE_IMPL, TE_IMPL_SRC_ID),
	[RVTRACE_SRC_BITS] = FIELD(TE_IMPL, TE_IMPL_SRC_BITS),
	[RVTRACE_INST_NO_ADDR_DIFF] = FIELD(TE_INST_FEATURES, TE_INST_NO_ADDR_DIFF),
	[RVTRACE_INST_NO_TRAP_ADDR] = FIELD(TE_INST_FEATURES, TE_INST_NO_TRAP_ADDR),
	[RVTRACE_INST_EN_SEQUENTIAL_JUMP] =
		FIELD(TE_INST_FEATURES, TE_INST_EN_SEQUENTIAL_JUMP),
	[RVTRACE_INST_EN_CALL_STACK] = FIELD(TE_INST_FEATURES, TE_INST_EN_CALL_STACK),
	[RVTRACE_INST_EN_BRANCH_PREDICTION] =
		FIELD(TE_INST_FEATURES, TE_INST_EN_BRANCH_PREDICTION),
	[RVTRACE_INST_EN_JUMP_TARGET_CACHE] =
		FIELD(TE_INST_FEATURES, TE_INST_EN_JUMP_TARGET_CACHE),
	[RVTRACE_TS_ACTIVE] = FIELD(TS_CONTROL, TS_CONTROL_ACTIVE),
	[RVTRACE_TS_COUNT] = FIELD(TS_CONTROL, TS_CONTROL_COUNT),
	[RVTRACE_TS_DEBUG] = FIELD(TS_CONTROL, TS_CONTROL_DEBUG),
	[RVTRACE_TS_TYPE] = FIELD(TS_CONTROL, TS_CONTROL_TYPE),
	[RVTRACE_TS_PRESCALE] = FIELD(TS_CONTROL, TS_CONTROL_PRESCALE),
	[RVTRACE_TS_ENABLE] = FIELD(TS_CONTROL, TS_CONTROL_ENABLE),
	[RVTRACE_TS_WIDTH] = FIELD(TS_CONTROL, TS_CONTROL_WIDTH),
};

/* Chapter 11; "tfEnable: teActive" in its table is a misprint of teEnable. */
static const struct rvtrace_field funnel_fields[RVTRACE_FIELDS] = {
	[RVTRACE_ACTIVE] = FIELD(TF_CONTROL, TF_CONTROL_ACTIVE),
	[RVTRACE_ENABLE] = FIELD(TF_CONTROL, TF_CONTROL_ENABLE),
	[RVTRACE_EMPTY] = FIELD(TF_CONTROL, TF_CONTROL_EMPTY),
	[RVTRACE_STOP_ON_WRAP] = FIELD(TF_CONTROL, TF_CONTROL_STOP_ON_WRAP),
	[RVTRACE_SINK] = FIELD(TF_CONTROL, TF_CONTROL_SINK),
	[RVTRACE_VERSION] = FIELD(TF_IMPL, TF_IMPL_VERSION),
	[RVTRACE_HAS_SRAM_SINK] = FIELD(TF_IMPL, TF_IMPL_HAS_SRAM_SINK),
	[RVTRACE_HAS_SBA_SINK] = FIELD(TF_IMPL, TF_IMPL_HAS_SBA_SINK),
	[RVTRACE_HAS_FUNNEL_SINK] = FIELD(TF_IMPL, TF_IMPL_HAS_FUNNEL_SINK),
};

static const struct rvtrace_ram_registers ram = {
	.base = RVTRACE_TE_RAM_BASE,
	.base_high = RVTRACE_TE_RAM_BASE_HIGH,
	.limit = RVTRACE_TE_RAM_LIMIT,
	.wp = RVTRACE_TE_RAM_WP,
	.wrap = RVTRACE_TE_RAM_WP_WRAP,
};

static const struct rvtrace_timestamp_registers timestamp = {
	.lower = RVTRACE_TS_LOWER,
	.upper = RVTRACE_TS_UPPER,
};

/* Reserved in teImpl; tfImpl has nothing beyond the sinks but what vendors add. */
#define ENCODER_IMPL_ZERO	0x00000e00
#define FUNNEL_IMPL_ZERO	(ENCODER_IMPL_ZERO | RVTRACE_TE_IMPL_SRC_ID | \
				 RVTRACE_TE_IMPL_SRC_BITS)

/* A read of teDataControl clears its deltas, one of teRamData moves teRamRP. */
static bool precious(struct device *dev, unsigned int reg)
{
	return reg == RVTRACE_TE_DATA_CONTROL || reg == RVTRACE_TE_RAM_DATA;
}

static const struct regmap_range encoder_ranges[] = {
	regmap_reg_range(RVTRACE_TE_CONTROL, RVTRACE_TE_RAM_DATA),
	regmap_reg_range(RVTRACE_TS_CONTROL, RVTRACE_TS_UPPER),
	regmap_reg_range(RVTRACE_XTRIG_IN_CONTROL, RVTRACE_DBG_TRIGGER_CONTROL),
};

static const struct regmap_access_table encoder_table = {
	.yes_ranges = encoder_ranges,
	.n_yes_ranges = ARRAY_SIZE(encoder_ranges),
};

static const struct regmap_range funnel_ranges[] = {
	regmap_reg_range(RVTRACE_TF_CONTROL, RVTRACE_TF_IMPL),
	regmap_reg_range(RVTRACE_TE_RAM_BASE, RVTRACE_TE_RAM_DATA),
};

static const struct regmap_access_table funnel_table = {
	.yes_ranges = funnel_ranges,
	.n_yes_ranges = ARRAY_SIZE(funnel_ranges),
};

static const struct regmap_config encoder_regmap = REGMAP(encoder_table, precious);
static const struct regmap_config funnel_regmap = REGMAP(funnel_table, precious);

const struct rvtrace_kind rvtrace_encoder_0_9 = {
	.generation = "TCI 0.9",
	.version = 1,
	.role = RVTRACE_ENCODER,
	.impl = RVTRACE_TE_IMPL,
	.impl_zero = ENCODER_IMPL_ZERO,
	.inst_modes = inst_modes,
	.inst_mode_order = inst_mode_order,
	.fields = encoder_fields,
	.ram = &ram,
	.timestamp = &timestamp,
	.regmap = &encoder_regmap,
};

const struct rvtrace_kind rvtrace_funnel_0_9 = {
	.generation = "TCI 0.9",
	.version = 1,
	.role = RVTRACE_FUNNEL,
	.impl = RVTRACE_TF_IMPL,
	.impl_zero = FUNNEL_IMPL_ZERO,
	.fields = funnel_fields,
	.ram = &ram,
	.regmap = &funnel_regmap,
};
