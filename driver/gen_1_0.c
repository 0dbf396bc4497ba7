// SPDX-License-Identifier: GPL-2.0
/* Trace Control Interface 1.0: what is where. */
#include "gen.h"

static const char * const inst_modes[RVTRACE_NAMED_MAX + 1] = {
	[RVTRACE_INST_MODE_OFF] = "off",
	[RVTRACE_INST_MODE_BRANCH] = "branch",
	[RVTRACE_INST_MODE_HISTORY] = "history",
	[RVTRACE_INST_MODE_VENDOR] = "vendor",
};

static const u8 inst_mode_order[] = {
	RVTRACE_INST_MODE_HISTORY,
	RVTRACE_INST_MODE_BRANCH,
	RVTRACE_INST_MODE_OFF
};

#define COMMON								\
	[RVTRACE_ACTIVE] = FIELD(TR_CONTROL, TR_CONTROL_ACTIVE),	\
	[RVTRACE_ENABLE] = FIELD(TR_CONTROL, TR_CONTROL_ENABLE),	\
	[RVTRACE_EMPTY] = FIELD(TR_CONTROL, TR_CONTROL_EMPTY),		\
	[RVTRACE_VERSION] = FIELD(TR_IMPL, TR_IMPL_VER_MAJOR),		\
	[RVTRACE_COMP_TYPE] = FIELD(TR_IMPL, TR_IMPL_COMP_TYPE)

#define TIMESTAMP							\
	[RVTRACE_TS_ACTIVE] = FIELD(TR_TS_CONTROL, TR_TS_CONTROL_ACTIVE),	\
	[RVTRACE_TS_COUNT] = FIELD(TR_TS_CONTROL, TR_TS_CONTROL_COUNT),	\
	[RVTRACE_TS_TYPE] = FIELD(TR_TS_CONTROL, TR_TS_CONTROL_MODE),	\
	[RVTRACE_TS_PRESCALE] = FIELD(TR_TS_CONTROL, TR_TS_CONTROL_PRESCALE),	\
	[RVTRACE_TS_WIDTH] = FIELD(TR_TS_CONTROL, TR_TS_CONTROL_WIDTH)

static const struct rvtrace_field encoder_fields[RVTRACE_FIELDS] = {
	COMMON,
	[RVTRACE_INST_TRACING] = FIELD(TR_TE_CONTROL, TR_TE_CONTROL_INST_TRACING),
	[RVTRACE_INST_MODE] = FIELD(TR_TE_CONTROL, TR_TE_CONTROL_INST_MODE),
	[RVTRACE_CONTEXT] = FIELD(TR_TE_CONTROL, TR_TE_CONTROL_CONTEXT),
	[RVTRACE_INST_TRIG_EN] = FIELD(TR_TE_CONTROL, TR_TE_CONTROL_INST_TRIG_ENABLE),
	[RVTRACE_INST_STALL_OR_OVERFLOW] =
		STATUS(TR_TE_CONTROL, TR_TE_CONTROL_INST_STALL_OR_OVERFLOW, CLEARED_BY_1),
	[RVTRACE_INST_STALL_EN] = FIELD(TR_TE_CONTROL, TR_TE_CONTROL_INST_STALL_ENA),
	[RVTRACE_INHIBIT_SRC] = FIELD(TR_TE_CONTROL, TR_TE_CONTROL_INHIBIT_SRC),
	[RVTRACE_SYNC_MODE] = FIELD(TR_TE_CONTROL, TR_TE_CONTROL_INST_SYNC_MODE),
	[RVTRACE_SYNC_MAX] = FIELD(TR_TE_CONTROL, TR_TE_CONTROL_INST_SYNC_MAX),
	[RVTRACE_FORMAT] = FIELD(TR_TE_CONTROL, TR_TE_CONTROL_FORMAT),
	[RVTRACE_PROTOCOL_MAJOR] = FIELD(TR_TE_IMPL, TR_TE_IMPL_PROTOCOL_MAJOR),
	[RVTRACE_PROTOCOL_MINOR] = FIELD(TR_TE_IMPL, TR_TE_IMPL_PROTOCOL_MINOR),
	[RVTRACE_INST_NO_ADDR_DIFF] = FIELD(TR_TE_INST_FEATURES, TR_TE_INST_NO_ADDR_DIFF),
	[RVTRACE_INST_NO_TRAP_ADDR] = FIELD(TR_TE_INST_FEATURES, TR_TE_INST_NO_TRAP_ADDR),
	[RVTRACE_INST_EN_SEQUENTIAL_JUMP] =
		FIELD(TR_TE_INST_FEATURES, TR_TE_INST_EN_SEQUENTIAL_JUMP),
	[RVTRACE_INST_EN_CALL_STACK] =
		FIELD(TR_TE_INST_FEATURES, TR_TE_INST_EN_IMPLICIT_RETURN),
	[RVTRACE_INST_EN_BRANCH_PREDICTION] =
		FIELD(TR_TE_INST_FEATURES, TR_TE_INST_EN_BRANCH_PREDICTION),
	[RVTRACE_INST_EN_JUMP_TARGET_CACHE] =
		FIELD(TR_TE_INST_FEATURES, TR_TE_INST_EN_JUMP_TARGET_CACHE),
	[RVTRACE_INST_IMPLICIT_RETURN_MODE] =
		FIELD(TR_TE_INST_FEATURES, TR_TE_INST_IMPLICIT_RETURN_MODE),
	[RVTRACE_INST_EN_REPEATED_HISTORY] =
		FIELD(TR_TE_INST_FEATURES, TR_TE_INST_EN_REPEATED_HISTORY),
	[RVTRACE_INST_EN_ALL_JUMPS] = FIELD(TR_TE_INST_FEATURES, TR_TE_INST_EN_ALL_JUMPS),
	[RVTRACE_INST_EXTEND_ADDR_MSB] = FIELD(TR_TE_INST_FEATURES, TR_TE_INST_EXTEND_ADDR_MSB),
	[RVTRACE_SRC_ID] = FIELD(TR_TE_INST_FEATURES, TR_TE_SRC_ID),
	[RVTRACE_SRC_BITS] = FIELD(TR_TE_INST_FEATURES, TR_TE_SRC_BITS),
	TIMESTAMP,
	[RVTRACE_TS_DEBUG] = FIELD(TR_TS_CONTROL, TR_TS_CONTROL_RUN_IN_DEBUG),
	[RVTRACE_TS_ENABLE] = FIELD(TR_TS_CONTROL, TR_TS_CONTROL_ENABLE),
};

static const struct rvtrace_field funnel_fields[RVTRACE_FIELDS] = {
	COMMON,
	[RVTRACE_DIS_INPUT] = FIELD(TR_FUNNEL_DIS_INPUT, TR_FUNNEL_DIS_INPUTS),
	TIMESTAMP,
};

static const struct rvtrace_field ram_sink_fields[RVTRACE_FIELDS] = {
	COMMON,
	[RVTRACE_RAM_MODE] = FIELD(TR_RAM_CONTROL, TR_RAM_CONTROL_MODE),
	[RVTRACE_STOP_ON_WRAP] = FIELD(TR_RAM_CONTROL, TR_RAM_CONTROL_STOP_ON_WRAP),
	[RVTRACE_MEM_FORMAT] = FIELD(TR_RAM_CONTROL, TR_RAM_CONTROL_MEM_FORMAT),
	[RVTRACE_ASYNC_FREQ] = FIELD(TR_RAM_CONTROL, TR_RAM_CONTROL_ASYNC_FREQ),
	[RVTRACE_HAS_SRAM_SINK] = FIELD(TR_RAM_IMPL, TR_RAM_IMPL_HAS_SRAM),
	[RVTRACE_HAS_SBA_SINK] = FIELD(TR_RAM_IMPL, TR_RAM_IMPL_HAS_SMEM),
};

/* "Trace Components Reset" in chapter "Reset and Discovery" */
static const u16 encoder_undefined[] = {
	RVTRACE_TR_TE_INST_FEATURES,
	RVTRACE_TR_TE_INST_FILTERS,
	RVTRACE_TR_TE_DATA_CONTROL,
	RVTRACE_TR_TE_DATA_FILTERS,
	RVTRACE_TR_TE_TRIG_DBG_CONTROL,
	RVTRACE_TR_TE_TRIG_EXT_IN_CONTROL,
	RVTRACE_TR_TE_TRIG_EXT_OUT_CONTROL,
	RVTRACE_TR_TS_CONTROL,
	0
};

static const u16 funnel_undefined[] = {
	RVTRACE_TR_FUNNEL_DIS_INPUT,
	RVTRACE_TR_TS_CONTROL,
	0
};

static const struct rvtrace_ram_registers ram = {
	.base = RVTRACE_TR_RAM_START_LOW,
	.base_high = RVTRACE_TR_RAM_START_HIGH,
	.limit = RVTRACE_TR_RAM_LIMIT_LOW,
	.limit_high = RVTRACE_TR_RAM_LIMIT_HIGH,
	.wp = RVTRACE_TR_RAM_WP_LOW,
	.wp_high = RVTRACE_TR_RAM_WP_HIGH,
	.wrap = RVTRACE_TR_RAM_WP_LOW_WRAP,
};

static const struct rvtrace_timestamp_registers timestamp = {
	.lower = RVTRACE_TR_TS_COUNTER_LOW,
	.upper = RVTRACE_TR_TS_COUNTER_HIGH,
};

static const struct regmap_range encoder_ranges[] = {
	regmap_reg_range(RVTRACE_TR_TE_CONTROL, RVTRACE_TR_TE_DATA_CONTROL),
	regmap_reg_range(RVTRACE_TR_TE_DATA_FILTERS, RVTRACE_TR_TE_DATA_FILTERS),
	regmap_reg_range(RVTRACE_TR_TS_CONTROL, RVTRACE_TR_TE_TRIG_EXT_OUT_CONTROL),
	regmap_reg_range(RVTRACE_TR_TE_FILTER_CONTROL(0), RVTRACE_TR_TE_COMP_S_MATCH_HIGH(15)),
};

static const struct regmap_access_table encoder_table = {
	.yes_ranges = encoder_ranges,
	.n_yes_ranges = ARRAY_SIZE(encoder_ranges),
};

static const struct regmap_range funnel_ranges[] = {
	regmap_reg_range(RVTRACE_TR_FUNNEL_CONTROL, RVTRACE_TR_FUNNEL_DIS_INPUT),
	regmap_reg_range(RVTRACE_TR_TS_CONTROL, RVTRACE_TR_TS_COUNTER_HIGH),
};

static const struct regmap_access_table funnel_table = {
	.yes_ranges = funnel_ranges,
	.n_yes_ranges = ARRAY_SIZE(funnel_ranges),
};

static const struct regmap_range ram_ranges[] = {
	regmap_reg_range(RVTRACE_TR_RAM_CONTROL, RVTRACE_TR_RAM_IMPL),
	regmap_reg_range(RVTRACE_TR_RAM_START_LOW, RVTRACE_TR_RAM_RP_HIGH),
	regmap_reg_range(RVTRACE_TR_RAM_DATA, RVTRACE_TR_RAM_DATA),
};

static const struct regmap_access_table ram_table = {
	.yes_ranges = ram_ranges,
	.n_yes_ranges = ARRAY_SIZE(ram_ranges),
};

/* A read of trRamData moves trRamRP. */
static bool ram_precious(struct device *dev, unsigned int reg)
{
	return reg == RVTRACE_TR_RAM_DATA;
}

static const struct regmap_config encoder_regmap = REGMAP(encoder_table, NULL);
static const struct regmap_config funnel_regmap = REGMAP(funnel_table, NULL);
static const struct regmap_config ram_regmap = REGMAP(ram_table, ram_precious);

const struct rvtrace_kind rvtrace_encoder_1_0 = {
	.generation = "TCI 1.0",
	.version = 1,
	.role = RVTRACE_ENCODER,
	.impl = RVTRACE_TR_IMPL,
	.comp_type = RVTRACE_COMP_TYPE_ENCODER,
	.inst_modes = inst_modes,
	.inst_mode_order = inst_mode_order,
	.undefined = encoder_undefined,
	.fields = encoder_fields,
	.timestamp = &timestamp,
	.regmap = &encoder_regmap,
};

const struct rvtrace_kind rvtrace_funnel_1_0 = {
	.generation = "TCI 1.0",
	.version = 1,
	.role = RVTRACE_FUNNEL,
	.impl = RVTRACE_TR_IMPL,
	.comp_type = RVTRACE_COMP_TYPE_FUNNEL,
	.undefined = funnel_undefined,
	.fields = funnel_fields,
	.timestamp = &timestamp,
	.regmap = &funnel_regmap,
};

const struct rvtrace_kind rvtrace_ram_sink_1_0 = {
	.generation = "TCI 1.0",
	.version = 1,
	.role = RVTRACE_RAM_SINK,
	.impl = RVTRACE_TR_IMPL,
	.comp_type = RVTRACE_COMP_TYPE_RAM_SINK,
	.fields = ram_sink_fields,
	.ram = &ram,
	.regmap = &ram_regmap,
};
