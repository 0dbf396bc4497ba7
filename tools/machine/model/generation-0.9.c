// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers of TCI 0.9.4. */
#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/machine/model/fields.h"
#include "tools/machine/model/generation.h"

static const struct reg_spec encoder[] = {
	REG("teControl", RVTRACE_TE_CONTROL,
	    { RVTRACE_TE_CONTROL_ACTIVE, REG_CONST, 1 },
	    { RVTRACE_TE_CONTROL_ENABLE, REG_RW, TE_ENABLE },
	    { RVTRACE_TE_CONTROL_INST_TRACING, REG_RW, TE_TRACING },
	    { RVTRACE_TE_CONTROL_EMPTY, REG_LIVE, TE_EMPTY },
	    { RVTRACE_TE_CONTROL_INST_MODE, REG_WARL, TE_INST_MODE },
	    { RVTRACE_TE_CONTROL_CONTEXT, REG_WARL, TE_CONTEXT },
	    { RVTRACE_TE_CONTROL_INST_STALL_OR_OVERFLOW, REG_RO,
	      TE_OVERFLOW },
	    { RVTRACE_TE_CONTROL_INST_STALL_EN, REG_WARL, TE_STALL },
	    { RVTRACE_TE_CONTROL_STOP_ON_WRAP, REG_WARL, TE_STOP_ON_WRAP },
	    { RVTRACE_TE_CONTROL_INHIBIT_SRC, REG_WARL, TE_INHIBIT_SRC },
	    { RVTRACE_TE_CONTROL_SYNC_MODE, REG_WARL, TE_SYNC_MODE },
	    { RVTRACE_TE_CONTROL_SYNC_MAX, REG_WARL, TE_SYNC_MAX },
	    { RVTRACE_TE_CONTROL_FORMAT, REG_WARL, TE_FORMAT },
	    { RVTRACE_TE_CONTROL_SINK, REG_WARL, TE_SINK }),
	REG("teImpl", RVTRACE_TE_IMPL,
	    { RVTRACE_TE_IMPL_VERSION, REG_CONST, 1 },
	    { 0x000001f0, REG_RO, TE_HAS_SINKS },
	    { RVTRACE_TE_IMPL_SRC_ID, REG_BITS, TE_SRC_ID },
	    { RVTRACE_TE_IMPL_SRC_BITS, REG_WARL, TE_SRC_BITS }),
	REG("teInstFeatures", RVTRACE_TE_INST_FEATURES,
	    { RVTRACE_TE_INST_EN_SEQUENTIAL_JUMP, REG_WARL,
	      TE_SEQUENTIAL_JUMP },
	    { RVTRACE_TE_INST_EN_CALL_STACK, REG_WARL,
	      TE_IMPLICIT_RETURN }),
	{}
};

static const struct reg_spec timestamp[] = {
	REG("tsControl", RVTRACE_TS_CONTROL,
	    { RVTRACE_TS_CONTROL_ACTIVE, REG_WARL, TS_ACTIVE },
	    { RVTRACE_TS_CONTROL_COUNT, REG_WARL, TS_COUNT },
	    { RVTRACE_TS_CONTROL_RESET, REG_WARL, TS_RESET },
	    { RVTRACE_TS_CONTROL_DEBUG, REG_WARL, TS_DEBUG },
	    { RVTRACE_TS_CONTROL_TYPE, REG_WARL, TS_TYPE },
	    { RVTRACE_TS_CONTROL_PRESCALE, REG_WARL, TS_PRESCALE },
	    { RVTRACE_TS_CONTROL_ENABLE, REG_WARL, TS_ENABLE },
	    { RVTRACE_TS_CONTROL_WIDTH, REG_RO, TS_WIDTH }),
	REG("tsLower", RVTRACE_TS_LOWER,
	    { 0xffffffff, REG_LIVE, TS_LOW }),
	REG("tsUpper", RVTRACE_TS_UPPER,
	    { 0xffffffff, REG_LIVE, TS_HIGH }),
	{}
};

static const struct reg_spec funnel[] = {
	REG("tfControl", RVTRACE_TF_CONTROL,
	    { RVTRACE_TF_CONTROL_ACTIVE, REG_CONST, 1 },
	    { RVTRACE_TF_CONTROL_ENABLE, REG_RW, TF_ENABLE },
	    { RVTRACE_TF_CONTROL_EMPTY, REG_LIVE, TF_EMPTY },
	    { RVTRACE_TF_CONTROL_STOP_ON_WRAP, REG_WARL, TF_STOP_ON_WRAP },
	    { RVTRACE_TF_CONTROL_SINK, REG_WARL, TF_SINK }),
	REG("tfImpl", RVTRACE_TF_IMPL,
	    { RVTRACE_TF_IMPL_VERSION, REG_CONST, 1 },
	    { 0x000001f0, REG_RO, TF_HAS_SINKS }),
	{}
};

/* Bits 1:0 of addresses are always 0. */
#define ADDRESS	0xfffffffc

static const struct reg_spec ram[] = {
	REG("teRamBase", RVTRACE_TE_RAM_BASE,
	    { ADDRESS, REG_OWN, RAM_START }),
	REG("teRamBaseHigh", RVTRACE_TE_RAM_BASE_HIGH,
	    { 0xffffffff, REG_OWN, RAM_START_HIGH },
	    { 0xffffffff, REG_OWN, RAM_LIMIT_HIGH },
	    { 0xffffffff, REG_OWN, RAM_WP_HIGH },
	    { 0xffffffff, REG_OWN, RAM_RP_HIGH }),
	REG("teRamLimit", RVTRACE_TE_RAM_LIMIT,
	    { ADDRESS, REG_OWN, RAM_LIMIT }),
	/* teWrap "is only set to 0 if teRamWP is written" */
	REG("teRamWP", RVTRACE_TE_RAM_WP,
	    { RVTRACE_TE_RAM_WP_WRAP, REG_WC, RAM_WRAP },
	    { ADDRESS, REG_OWN, RAM_WP }),
	REG("teRamRP", RVTRACE_TE_RAM_RP,
	    { ADDRESS, REG_OWN, RAM_RP }),
	REG("teRamData", RVTRACE_TE_RAM_DATA,
	    { 0xffffffff, REG_OWN, RAM_DATA }),
	{}
};

static const struct reg_spec pib[] = {
	REG("pibControl", RVTRACE_PIB_CONTROL,
	    { RVTRACE_PIB_CONTROL_ACTIVE, REG_RW, PIB_ACTIVE },
	    { RVTRACE_PIB_CONTROL_ENABLE, REG_RW, PIB_ENABLE },
	    { RVTRACE_PIB_CONTROL_EMPTY, REG_LIVE, PIB_EMPTY },
	    { RVTRACE_PIB_CONTROL_MODE, REG_WARL, PIB_MODE },
	    { RVTRACE_PIB_CONTROL_REF_CENTER, REG_OWN, PIB_CLK_CENTER },
	    { RVTRACE_PIB_CONTROL_CALIBRATE, REG_WARL, PIB_CALIBRATE },
	    { RVTRACE_PIB_CONTROL_DIVIDER, REG_BITS, PIB_DIVIDER }),
	{}
};

static const struct reg_spec atb[] = {
	REG("atbControl", RVTRACE_ATB_CONTROL,
	    { RVTRACE_ATB_CONTROL_ACTIVE, REG_RW, ATB_ACTIVE },
	    { RVTRACE_ATB_CONTROL_ENABLE, REG_RW, ATB_ENABLE },
	    { RVTRACE_ATB_CONTROL_EMPTY, REG_LIVE, ATB_EMPTY },
	    { RVTRACE_ATB_CONTROL_ID, REG_RW, ATB_ID }),
	{}
};

const struct generation generation_0_9 = {
	.name = "0.9",
	.encoder = encoder,
	.timestamp = timestamp,
	.funnel = funnel,
	.ram = ram,
	.pib = pib,
	.atb = atb,
	.one_high = true,
	.sinks = SINK_ANY,
	.pib_modes = 0x1f31,
	.src_bits = 4,
	.ts_types = 1 << RVTRACE_TS_TYPE_NONE | 1 << RVTRACE_TS_TYPE_EXTERNAL |
		    1 << RVTRACE_TS_TYPE_INTERNAL | 1 << RVTRACE_TS_TYPE_SLAVE,
	.encoder_ts_types = 1 << RVTRACE_TS_TYPE_NONE |
			    1 << RVTRACE_TS_TYPE_EXTERNAL |
			    1 << RVTRACE_TS_TYPE_INTERNAL,
	.funnel_ts_types = 1 << RVTRACE_TS_TYPE_NONE,
	.ts_width = 64,
	.branch_modes = 1 << RVTRACE_INST_MODE_BRANCH,
	.history_modes = 1 << RVTRACE_INST_MODE_HISTORY |
			 1 << RVTRACE_INST_MODE_HISTORY_OPTIMIZED,
	.inst_modes = 1 << RVTRACE_INST_MODE_OFF |
		      1 << RVTRACE_INST_MODE_BRANCH |
		      1 << RVTRACE_INST_MODE_HISTORY |
		      1 << RVTRACE_INST_MODE_HISTORY_OPTIMIZED,
	.feature_modes = 1 << RVTRACE_INST_MODE_HISTORY_OPTIMIZED,
	.optimized_modes = 1 << RVTRACE_INST_MODE_HISTORY_OPTIMIZED,
};
