// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers of TCI 1.0. Only Active, Enable and what stands for itself are
 * reset; the specification calls the rest "Undef".
 */
#include "include/uapi/linux/rvtrace_regs.h"
#include "include/uapi/linux/rvtrace_regs_1_0.h"
#include "tools/machine/model/fields.h"
#include "tools/machine/model/generation.h"

/* Undefined after a reset */
#define U_RW	(REG_RW | REG_UNDEF)
#define U_WARL	(REG_WARL | REG_UNDEF)
#define U_BITS	(REG_BITS | REG_UNDEF)
#define U_OWN	(REG_OWN | REG_UNDEF)
#define U_WC	(REG_WC | REG_UNDEF)
#define U_W1C	(REG_W1C | REG_UNDEF)

#define IMPL(type) \
	{ RVTRACE_TR_IMPL_VER_MAJOR, REG_CONST, 1 }, \
	{ RVTRACE_TR_IMPL_VER_MINOR, REG_CONST, 0 }, \
	{ RVTRACE_TR_IMPL_COMP_TYPE, REG_CONST, RVTRACE_COMP_TYPE_##type }

static const struct reg_spec encoder[] = {
	REG("trTeControl", RVTRACE_TR_TE_CONTROL,
	    { RVTRACE_TR_TE_CONTROL_ACTIVE, REG_CONST, 1 },
	    { RVTRACE_TR_TE_CONTROL_ENABLE, REG_RW, TE_ENABLE },
	    { RVTRACE_TR_TE_CONTROL_INST_TRACING, U_RW, TE_TRACING },
	    { RVTRACE_TR_TE_CONTROL_EMPTY, REG_LIVE, TE_EMPTY },
	    { RVTRACE_TR_TE_CONTROL_INST_MODE, U_WARL, TE_INST_MODE },
	    { RVTRACE_TR_TE_CONTROL_CONTEXT, U_WARL, TE_CONTEXT },
	    { RVTRACE_TR_TE_CONTROL_INST_STALL_OR_OVERFLOW, U_W1C,
	      TE_OVERFLOW },
	    { RVTRACE_TR_TE_CONTROL_INST_STALL_ENA, U_WARL, TE_STALL },
	    { RVTRACE_TR_TE_CONTROL_INHIBIT_SRC, U_WARL, TE_INHIBIT_SRC },
	    { RVTRACE_TR_TE_CONTROL_INST_SYNC_MODE, U_WARL, TE_SYNC_MODE },
	    { RVTRACE_TR_TE_CONTROL_INST_SYNC_MAX, U_WARL, TE_SYNC_MAX },
	    { RVTRACE_TR_TE_CONTROL_FORMAT, U_WARL, TE_FORMAT }),
	REG("trTeImpl", RVTRACE_TR_TE_IMPL,
	    IMPL(ENCODER),
	    /* N-Trace 1.0 */
	    { RVTRACE_TR_TE_IMPL_PROTOCOL_MAJOR, REG_CONST, 1 },
	    { RVTRACE_TR_TE_IMPL_PROTOCOL_MINOR, REG_CONST, 0 }),
	REG("trTeInstFeatures", RVTRACE_TR_TE_INST_FEATURES,
	    { RVTRACE_TR_TE_INST_EN_SEQUENTIAL_JUMP, U_WARL,
	      TE_SEQUENTIAL_JUMP },
	    { RVTRACE_TR_TE_INST_EN_IMPLICIT_RETURN, U_WARL,
	      TE_IMPLICIT_RETURN },
	    { RVTRACE_TR_TE_INST_IMPLICIT_RETURN_MODE, U_WARL,
	      TE_RETURN_MODE },
	    { RVTRACE_TR_TE_INST_EN_REPEATED_HISTORY, U_WARL,
	      TE_REPEATED_HISTORY },
	    { RVTRACE_TR_TE_INST_EN_ALL_JUMPS, U_WARL, TE_ALL_JUMPS },
	    { RVTRACE_TR_TE_INST_EXTEND_ADDR_MSB, U_WARL, TE_EXTEND_MSB },
	    { RVTRACE_TR_TE_SRC_ID, U_BITS, TE_SRC_ID },
	    { RVTRACE_TR_TE_SRC_BITS, U_WARL, TE_SRC_BITS }),
	{}
};

static const struct reg_spec timestamp[] = {
	REG("trTsControl", RVTRACE_TR_TS_CONTROL,
	    { RVTRACE_TR_TS_CONTROL_ACTIVE, REG_WARL, TS_ACTIVE },
	    { RVTRACE_TR_TS_CONTROL_COUNT, U_WARL, TS_COUNT },
	    { RVTRACE_TR_TS_CONTROL_RESET, REG_WARL, TS_RESET },
	    { RVTRACE_TR_TS_CONTROL_RUN_IN_DEBUG, U_WARL, TS_DEBUG },
	    { RVTRACE_TR_TS_CONTROL_MODE, U_WARL, TS_TYPE },
	    { RVTRACE_TR_TS_CONTROL_PRESCALE, U_WARL, TS_PRESCALE },
	    { RVTRACE_TR_TS_CONTROL_ENABLE, U_WARL, TS_ENABLE },
	    { RVTRACE_TR_TS_CONTROL_WIDTH, REG_RO, TS_WIDTH }),
	REG("trTsCounterLow", RVTRACE_TR_TS_COUNTER_LOW,
	    { 0xffffffff, REG_LIVE, TS_LOW }),
	REG("trTsCounterHigh", RVTRACE_TR_TS_COUNTER_HIGH,
	    { 0xffffffff, REG_LIVE, TS_HIGH }),
	{}
};

static const struct reg_spec funnel[] = {
	REG("trFunnelControl", RVTRACE_TR_FUNNEL_CONTROL,
	    { RVTRACE_TR_CONTROL_ACTIVE, REG_CONST, 1 },
	    { RVTRACE_TR_CONTROL_ENABLE, REG_RW, TF_ENABLE },
	    { RVTRACE_TR_CONTROL_EMPTY, REG_LIVE, TF_EMPTY }),
	REG("trFunnelImpl", RVTRACE_TR_FUNNEL_IMPL,
	    IMPL(FUNNEL)),
	REG("trFunnelDisInput", RVTRACE_TR_FUNNEL_DIS_INPUT,
	    { RVTRACE_TR_FUNNEL_DIS_INPUTS, U_BITS, TF_DIS_INPUT }),
	{}
};

/* Bits 1:0 of addresses are always 0. */
#define ADDRESS	0xfffffffc

static const struct reg_spec ram[] = {
	REG("trRamControl", RVTRACE_TR_RAM_CONTROL,
	    { RVTRACE_TR_CONTROL_ACTIVE, REG_CONST, 1 },
	    { RVTRACE_TR_CONTROL_ENABLE, REG_RW, RAM_ENABLE },
	    { RVTRACE_TR_CONTROL_EMPTY, REG_LIVE, RAM_EMPTY },
	    { RVTRACE_TR_RAM_CONTROL_MODE, U_WARL, RAM_MODE },
	    { RVTRACE_TR_RAM_CONTROL_STOP_ON_WRAP, U_WARL,
	      RAM_STOP_ON_WRAP },
	    { RVTRACE_TR_RAM_CONTROL_MEM_FORMAT, U_WARL, RAM_MEM_FORMAT },
	    { RVTRACE_TR_RAM_CONTROL_ASYNC_FREQ, U_WARL,
	      RAM_ASYNC_FREQ }),
	REG("trRamImpl", RVTRACE_TR_RAM_IMPL,
	    IMPL(RAM_SINK),
	    { RVTRACE_TR_RAM_IMPL_HAS_SRAM, REG_RO, RAM_HAS_SRAM },
	    { RVTRACE_TR_RAM_IMPL_HAS_SMEM, REG_RO, RAM_HAS_SMEM }),
	REG("trRamStartLow", RVTRACE_TR_RAM_START_LOW,
	    { ADDRESS, U_OWN, RAM_START }),
	REG("trRamStartHigh", RVTRACE_TR_RAM_START_HIGH,
	    { 0xffffffff, U_OWN, RAM_START_HIGH }),
	REG("trRamLimitLow", RVTRACE_TR_RAM_LIMIT_LOW,
	    { ADDRESS, U_OWN, RAM_LIMIT }),
	REG("trRamLimitHigh", RVTRACE_TR_RAM_LIMIT_HIGH,
	    { 0xffffffff, U_OWN, RAM_LIMIT_HIGH }),
	/* trRamWrap "is only set to 0 if trRamWPLow is written" */
	REG("trRamWPLow", RVTRACE_TR_RAM_WP_LOW,
	    { RVTRACE_TR_RAM_WP_LOW_WRAP, U_WC, RAM_WRAP },
	    { ADDRESS, U_OWN, RAM_WP }),
	REG("trRamWPHigh", RVTRACE_TR_RAM_WP_HIGH,
	    { 0xffffffff, U_OWN, RAM_WP_HIGH }),
	REG("trRamRPLow", RVTRACE_TR_RAM_RP_LOW,
	    { ADDRESS, U_OWN, RAM_RP }),
	REG("trRamRPHigh", RVTRACE_TR_RAM_RP_HIGH,
	    { 0xffffffff, U_OWN, RAM_RP_HIGH }),
	REG("trRamData", RVTRACE_TR_RAM_DATA,
	    { 0xffffffff, REG_OWN, RAM_DATA }),
	{}
};

static const struct reg_spec pib[] = {
	REG("trPibControl", RVTRACE_TR_PIB_CONTROL,
	    { RVTRACE_TR_CONTROL_ACTIVE, REG_CONST, 1 },
	    { RVTRACE_TR_CONTROL_ENABLE, REG_RW, PIB_ENABLE },
	    { RVTRACE_TR_CONTROL_EMPTY, REG_LIVE, PIB_EMPTY },
	    { RVTRACE_TR_PIB_CONTROL_MODE, U_WARL, PIB_MODE },
	    { RVTRACE_TR_PIB_CONTROL_CLK_CENTER, U_OWN, PIB_CLK_CENTER },
	    { RVTRACE_TR_PIB_CONTROL_CALIBRATE, U_WARL, PIB_CALIBRATE },
	    { RVTRACE_TR_PIB_CONTROL_ASYNC_FREQ, U_WARL, PIB_ASYNC_FREQ },
	    /* "should be set to safe clock setting" by a reset */
	    { RVTRACE_TR_PIB_CONTROL_DIVIDER, REG_BITS, PIB_DIVIDER }),
	REG("trPibImpl", RVTRACE_TR_PIB_IMPL,
	    IMPL(PIB_SINK)),
	{}
};

static const struct reg_spec atb[] = {
	REG("trAtbBridgeControl", RVTRACE_TR_ATB_CONTROL,
	    { RVTRACE_TR_CONTROL_ACTIVE, REG_CONST, 1 },
	    { RVTRACE_TR_CONTROL_ENABLE, REG_RW, ATB_ENABLE },
	    { RVTRACE_TR_CONTROL_EMPTY, REG_LIVE, ATB_EMPTY },
	    { RVTRACE_TR_ATB_CONTROL_ID, U_RW, ATB_ID }),
	REG("trAtbBridgeImpl", RVTRACE_TR_ATB_IMPL,
	    IMPL(ATB_BRIDGE),
	    { RVTRACE_TR_ATB_IMPL_ASYNC_FREQ, U_WARL, ATB_ASYNC_FREQ }),
	{}
};

const struct generation generation_1_0 = {
	.name = "1.0",
	.encoder = encoder,
	.timestamp = timestamp,
	.funnel = funnel,
	.ram = ram,
	.pib = pib,
	.atb = atb,
	.converts = true,
	.trims = true,
	.own_pages = true,
	.sinks = SINK_FUNNEL,
	.pib_modes = 0x1f31,
	.src_bits = 6,
	.ts_types = 1 << RVTRACE_TS_TYPE_NONE | 1 << RVTRACE_TS_TYPE_EXTERNAL |
		    1 << RVTRACE_TS_TYPE_INTERNAL | 1 << 3 |
		    1 << RVTRACE_TS_TYPE_SLAVE,
	.encoder_ts_types = 1 << RVTRACE_TS_TYPE_NONE |
			    1 << RVTRACE_TS_TYPE_EXTERNAL |
			    1 << RVTRACE_TS_TYPE_INTERNAL |
			    1 << RVTRACE_TS_TYPE_SLAVE,
	.funnel_ts_types = 1 << RVTRACE_TS_TYPE_NONE |
			   1 << RVTRACE_TS_TYPE_EXTERNAL |
			   1 << RVTRACE_TS_TYPE_INTERNAL |
			   1 << RVTRACE_TS_TYPE_SLAVE,
	.ts_width = 48,
	.branch_modes = 1 << RVTRACE_INST_MODE_BRANCH,
	.history_modes = 1 << RVTRACE_INST_MODE_HISTORY,
	.inst_modes = 1 << RVTRACE_INST_MODE_OFF |
		      1 << RVTRACE_INST_MODE_BRANCH |
		      1 << RVTRACE_INST_MODE_HISTORY,
	.feature_modes = 1 << RVTRACE_INST_MODE_BRANCH |
			 1 << RVTRACE_INST_MODE_HISTORY,
};
