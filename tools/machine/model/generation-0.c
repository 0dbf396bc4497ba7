// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers of version 0 as SiFive built it for the HiFive Premier P550. Names
 * are those of its tables.
 */
#include "include/uapi/linux/rvtrace_regs.h"
#include "include/uapi/linux/rvtrace_regs_0.h"
#include "tools/machine/model/fields.h"
#include "tools/machine/model/generation.h"

#define ANY	0xffffffff

static const struct reg_spec encoder[] = {
	REG("teControl", RVTRACE_TE0_CONTROL,
	    { RVTRACE_TE_CONTROL_ACTIVE, REG_CONST, 1 },
	    { RVTRACE_TE_CONTROL_ENABLE, REG_RW, TE_ENABLE },
	    { RVTRACE_TE_CONTROL_INST_TRACING, REG_RW, TE_TRACING },
	    { RVTRACE_TE_CONTROL_EMPTY, REG_LIVE, TE_EMPTY },
	    { RVTRACE_TE0_CONTROL_INSTRUCTION, REG_WARL, TE_INST_MODE },
	    { RVTRACE_TE0_CONTROL_INSTRUMENTATION, REG_WARL, TE_ITC_MODE },
	    { RVTRACE_TE0_CONTROL_STALL_OR_OVERFLOW, REG_W0C, TE_OVERFLOW },
	    { RVTRACE_TE0_CONTROL_STALL_ENABLE, REG_WARL, TE_STALL },
	    { RVTRACE_TE_CONTROL_STOP_ON_WRAP, REG_WARL, TE_STOP_ON_WRAP },
	    { RVTRACE_TE_CONTROL_INHIBIT_SRC, REG_WARL, TE_INHIBIT_SRC },
	    { RVTRACE_TE0_CONTROL_SYNC_MAX_BTM, REG_WARL, TE_SYNC_MAX_BTM },
	    { RVTRACE_TE0_CONTROL_SYNC_MAX_INST, REG_WARL, TE_SYNC_MAX_INST },
	    /* 6 MDO and 2 MSEO bits */
	    { RVTRACE_TE0_CONTROL_SLICE_FORMAT, REG_CONST, 1 },
	    { RVTRACE_TE0_CONTROL_SINK_ERROR, REG_W1C, TE_SINK_ERROR },
	    { RVTRACE_TE_CONTROL_SINK, REG_WARL, TE_SINK }),
	REG("teImpl", RVTRACE_TE0_IMPL,
	    { RVTRACE_TE_IMPL_VERSION, REG_CONST, 0 },
	    { 0x000001f0, REG_RO, TE_HAS_SINKS },
	    { RVTRACE_TE0_IMPL_SINK_BYTES, REG_RO, TE_SINK_BYTES },
	    { RVTRACE_TE0_IMPL_CROSSING_TYPE, REG_RO, TE_CROSSING_TYPE },
	    { RVTRACE_TE_IMPL_SRC_ID, REG_RO, TE_SRC_ID },
	    { RVTRACE_TE_IMPL_SRC_BITS, REG_RO, TE_SRC_BITS },
	    { RVTRACE_TE0_IMPL_HART_ID, REG_RO, TE_HART_ID }),
	REG("xtiControl", RVTRACE_XTI_CONTROL,
	    REG_NIBBLES(REG_WARL, TE_TRIG_IN)),
	REG("xtoControl", RVTRACE_XTO_CONTROL,
	    REG_NIBBLES(REG_BITS, TE_TRIG_OUT)),
	REG("wpControl", RVTRACE_WP_CONTROL,
	    { ANY, REG_BITS, TE_TRIG_DEBUG }),
	REG("itcTraceEnable", RVTRACE_ITC_TRACE_ENABLE,
	    { ANY, REG_BITS, TE_ITC_TRACE_ENABLE }),
	REG("itcTrigEnable", RVTRACE_ITC_TRIG_ENABLE,
	    { ANY, REG_BITS, TE_ITC_TRIG_ENABLE }),
	REGS("itcStimulus", RVTRACE_ITC_STIMULUS(0), 31, 4, 1,
	     { ANY, REG_OWN, TE_ITC_STIMULUS }),
	REGS("pcSample", RVTRACE_PC_CONTROL, TE_PC_SAMPLES - 1, 4, 1,
	     { ANY, REG_RO, TE_PC_SAMPLE }),
	{}
};

#define TIMESTAMP_UNIT \
	{ RVTRACE_TS_CONTROL_ACTIVE, REG_OWN, TS_ACTIVE }, \
	{ RVTRACE_TS_CONTROL_COUNT, REG_WARL, TS_COUNT }, \
	{ RVTRACE_TS_CONTROL_RESET, REG_WARL, TS_RESET }, \
	{ RVTRACE_TS_CONTROL_PRESCALE, REG_WARL, TS_PRESCALE }, \
	{ RVTRACE_TS_CONTROL_WIDTH, REG_LIVE, TS_WIDTH }
#define TIMESTAMP_COUNTER \
	REG("tsLower", RVTRACE_TS_LOWER, \
	    { ANY, REG_LIVE, TS_LOW }), \
	REG("tsUpper", RVTRACE_TS_UPPER, \
	    { ANY, REG_LIVE, TS_HIGH })

static const struct reg_spec timestamp[] = {
	REG("tsControl", RVTRACE_TS0_CONTROL,
	    TIMESTAMP_UNIT,
	    { RVTRACE_TS_CONTROL_TYPE, REG_WARL, TS_TYPE },
	    { RVTRACE_TS_CONTROL_DEBUG, REG_WARL, TS_DEBUG },
	    { RVTRACE_TS0_CONTROL_ENABLE, REG_WARL, TS_ENABLE },
	    { RVTRACE_TS0_CONTROL_BRANCH, REG_WARL, TS_BRANCH },
	    { RVTRACE_TS0_CONTROL_INSTRUMENTATION, REG_WARL,
	      TS_INSTRUMENTATION },
	    { RVTRACE_TS0_CONTROL_OWNERSHIP, REG_WARL, TS_OWNERSHIP }),
	TIMESTAMP_COUNTER,
	{}
};

static const struct reg_spec funnel_timestamp[] = {
	REG("tsControl", RVTRACE_TS0_CONTROL,
	    TIMESTAMP_UNIT,
	    { RVTRACE_TS_CONTROL_TYPE, REG_RO, TS_TYPE }),
	TIMESTAMP_COUNTER,
	{}
};

static const struct reg_spec funnel[] = {
	REG("tfControl", RVTRACE_TF_CONTROL,
	    { RVTRACE_TF_CONTROL_ACTIVE, REG_CONST, 1 },
	    { RVTRACE_TF_CONTROL_ENABLE, REG_RW, TF_ENABLE },
	    { RVTRACE_TF_CONTROL_EMPTY, REG_LIVE, TF_EMPTY },
	    { RVTRACE_TF_CONTROL_STOP_ON_WRAP, REG_WARL, TF_STOP_ON_WRAP },
	    { RVTRACE_TE0_CONTROL_SINK_ERROR, REG_W1C, TF_SINK_ERROR },
	    { RVTRACE_TF_CONTROL_SINK, REG_WARL, TF_SINK }),
	REG("tfImpl", RVTRACE_TF_IMPL,
	    { RVTRACE_TF_IMPL_VERSION, REG_CONST, 0 },
	    { 0x000001f0, REG_RO, TF_HAS_SINKS },
	    { RVTRACE_TE0_IMPL_SINK_BYTES, REG_RO, TF_SINK_BYTES }),
	{}
};

/* Bits 1:0 of addresses are always 0. */
#define ADDRESS	0xfffffffc

static const struct reg_spec ram[] = {
	REG("teSinkBase", RVTRACE_TE_RAM_BASE,
	    { ADDRESS, REG_OWN, RAM_START }),
	REG("teSinkBaseHigh", RVTRACE_TE_RAM_BASE_HIGH,
	    { ANY, REG_OWN, RAM_START_HIGH },
	    { ANY, REG_OWN, RAM_LIMIT_HIGH },
	    { ANY, REG_OWN, RAM_WP_HIGH },
	    { ANY, REG_OWN, RAM_RP_HIGH }),
	REG("teSinkLimit", RVTRACE_TE_RAM_LIMIT,
	    { ADDRESS, REG_OWN, RAM_LIMIT }),
	REG("teSinkWP", RVTRACE_TE_RAM_WP,
	    { RVTRACE_TE_RAM_WP_WRAP, REG_RW, RAM_WRAP },
	    { ADDRESS, REG_OWN, RAM_WP }),
	/* The P550 has no SRAM and not these either. */
	REG("teSinkRP", RVTRACE_TE_RAM_RP,
	    { ADDRESS, REG_OWN, RAM_RP }),
	REG("teSinkData", RVTRACE_TE_RAM_DATA,
	    { ANY, REG_OWN, RAM_DATA }),
	{}
};

/* There are no Empty bits. */
static const struct reg_spec pib[] = {
	REG("pibControl", RVTRACE_PIB_CONTROL,
	    { RVTRACE_PIB_CONTROL_ACTIVE, REG_OWN, PIB_ACTIVE },
	    { RVTRACE_PIB_CONTROL_ENABLE, REG_RW, PIB_ENABLE },
	    { RVTRACE_PIB_CONTROL_MODE, REG_WARL, PIB_MODE },
	    { RVTRACE_PIB_CONTROL_REF_CENTER, REG_OWN, PIB_CLK_CENTER },
	    { RVTRACE_PIB_CONTROL_CALIBRATE, REG_WARL, PIB_CALIBRATE },
	    { RVTRACE_PIB_CONTROL_DIVIDER, REG_BITS, PIB_DIVIDER }),
	{}
};

static const struct reg_spec atb[] = {
	REG("atbControl", RVTRACE_ATB_CONTROL,
	    { RVTRACE_ATB_CONTROL_ACTIVE, REG_OWN, ATB_ACTIVE },
	    { RVTRACE_ATB_CONTROL_ENABLE, REG_RW, ATB_ENABLE },
	    { RVTRACE_ATB_CONTROL_ID, REG_OWN, ATB_ID }),
	{}
};

const struct generation generation_0 = {
	.name = "0",
	.encoder = encoder,
	.timestamp = timestamp,
	.port = te_port,
	.funnel_timestamp = funnel_timestamp,
	.funnel = funnel,
	.ram = ram,
	.pib = pib,
	.atb = atb,
	.trims = true,
	.parts = true,
	.one_high = true,
	.sinks = SINK_ONE | SINK_ANY,
	.pib_modes = 0x0f31,	/* 8 signals at most */
	.trig_events = 0x7,
	.src_bits = 4,
	.ts_types = 1 << RVTRACE_TS_TYPE_NONE | 1 << RVTRACE_TS_TYPE_EXTERNAL |
		    1 << RVTRACE_TS_TYPE_INTERNAL | 1 << 3 |
		    1 << RVTRACE_TS_TYPE_SLAVE,
	.encoder_ts_types = 1 << RVTRACE_TS_TYPE_SLAVE,
	.funnel_ts_types = 1 << RVTRACE_TS_TYPE_INTERNAL,
	.ts_width = 40,
	.ts_xor = true,
	.branch_modes = 1 << RVTRACE_INST_MODE_BRANCH,
	.history_modes = 1 << RVTRACE_INST_MODE_HISTORY |
			 1 << RVTRACE_INST_MODE_HISTORY_OPTIMIZED,
	.other_modes = 1 << RVTRACE_INSTRUCTION_EVENT,
	.inst_modes = 1 << RVTRACE_INST_MODE_OFF |
		      1 << RVTRACE_INSTRUCTION_EVENT |
		      1 << RVTRACE_INST_MODE_HISTORY |
		      1 << RVTRACE_INST_MODE_HISTORY_OPTIMIZED,
	.optimized_modes = 1 << RVTRACE_INST_MODE_HISTORY_OPTIMIZED,
};
