// SPDX-License-Identifier: GPL-2.0
/*
 * Trace Control Interface version 0: the register tables of the HiFive Premier
 * P550, and what version 0 has beside (read pointer and data, PIB, ATB, an
 * encoder's own timestamp counter).
 */
#include "specification.h"

#define RAM_SINK							\
	REGISTER(0x010, "teSinkBase",					\
		 RAM(31, 2, "teSinkBase", RW, base)),			\
	REGISTER(0x014, "teSinkBaseHigh",				\
		 RAM(31, 0, "teSinkBaseH", RW, base_high)),		\
	REGISTER(0x018, "teSinkLimit",					\
		 RAM(31, 2, "teSinkLimit", RW, limit)),			\
	REGISTER(0x01c, "teSinkWP",					\
		 RAM(0, 0, "teSinkWrapped", RW, wrap),			\
		 RAM(31, 2, "teSinkWP", RW, wp)),			\
	REGISTER(0x020, "teSinkRP",					\
		 RAM(31, 2, "teSinkRP", WARL, rp)),			\
	REGISTER(0x024, "teSinkData",					\
		 RAM(31, 0, "teSinkData", PORT, data))

#define TIMESTAMP_COUNTER						\
	REGISTER(0x044, "tsLower",					\
		 TIMESTAMP(31, 0, "tsLower", R, lower)),		\
	REGISTER(0x048, "tsUpper",					\
		 TIMESTAMP(31, 0, "tsUpper", R, upper))

/* Without atbEmpty and pibEmpty */
#define ATB_SINK							\
	REGISTER(0xe00, "atbControl",					\
		 FIELD(0, 0, "atbActive", RW, ATB_ACTIVE),		\
		 FIELD(1, 1, "atbEnable", RW, ATB_ENABLE),		\
		 FIELD(14, 8, "atbId", RW, ATB_ID))

#define PIB_SINK							\
	REGISTER(0xf00, "pibControl",					\
		 FIELD(0, 0, "pibActive", RW, PIB_ACTIVE),		\
		 FIELD(1, 1, "pibEnable", RW, PIB_ENABLE),		\
		 FIELD(7, 4, "pibMode", WARL, PIB_MODE),		\
		 FIELD(8, 8, "pibRefCenter", WARL, PIB_REF_CENTER),	\
		 FIELD(9, 9, "pibCalibrate", WARL, PIB_CALIBRATE),	\
		 FIELD(31, 16, "pibDivider", WARL, PIB_DIVIDER))

const struct spec_register spec_encoder_0[] = {
	REGISTER(0x000, "teControl",
		 FIELD(0, 0, "teActive", RW, ACTIVE),
		 FIELD(1, 1, "teEnable", RW, ENABLE),
		 FIELD(2, 2, "teTracing", RW, INST_TRACING),
		 FIELD(3, 3, "teEmpty", R, EMPTY),
		 FIELD(6, 4, "teInstruction", WARL, INST_MODE),
		 FIELD(8, 7, "teInstrumentation", RW, INSTRUMENTATION),
		 FIELD(12, 12, "teStallOrOverflow", RW0C, INST_STALL_OR_OVERFLOW),
		 FIELD(13, 13, "teStallEnable", RW, INST_STALL_EN),
		 FIELD(14, 14, "teStopOnWrap", RW, STOP_ON_WRAP),
		 FIELD(15, 15, "teInhibitSrc", RW, INHIBIT_SRC),
		 FIELD(19, 16, "teSyncMaxBTM", WARL, SYNC_MAX_BTM),
		 FIELD(23, 20, "teSyncMaxInst", WARL, SYNC_MAX_INST),
		 FIELD(26, 24, "teSliceFormat", R, FORMAT),
		 FIELD(27, 27, "teSinkError", RW1C, SINK_ERROR),
		 FIELD(31, 28, "teSink", WARL, SINK)),
	REGISTER(0x004, "teImpl",
		 FIELD(3, 0, "version", R, VERSION),
		 FIELD(4, 4, "hasSRAMSink", R, HAS_SRAM_SINK),
		 FIELD(5, 5, "hasATBSink", R, HAS_ATB_SINK),
		 FIELD(6, 6, "hasPIBSink", R, HAS_PIB_SINK),
		 FIELD(7, 7, "hasSBASink", R, HAS_SBA_SINK),
		 FIELD(8, 8, "hasFunnelSink", R, HAS_FUNNEL_SINK),
		 FIELD(17, 16, "sinkBytes", R, SINK_BYTES),
		 UNUSED(19, 18, "crossingType", R),
		 FIELD(23, 20, "srcID", R, SRC_ID),
		 FIELD(26, 24, "nSrcBits", R, SRC_BITS),
		 UNUSED(31, 28, "hartid", R)),
	RAM_SINK,
	/* tsCount, tsReset, tsDebug and tsPrescale are not in the P550's encoders. */
	REGISTER(0x040, "tsControl",
		 FIELD(0, 0, "tsActive", RW, TS_ACTIVE),
		 FIELD(1, 1, "tsCount", WARL, TS_COUNT),
		 TIMESTAMP(2, 2, "tsReset", W1, reset),
		 FIELD(3, 3, "tsDebug", WARL, TS_DEBUG),
		 FIELD(6, 4, "tsType", WARL, TS_TYPE),
		 FIELD(9, 8, "tsPrescale", WARL, TS_PRESCALE),
		 FIELD(15, 15, "tsEnable", RW, TS_ENABLE),
		 FIELD(17, 16, "tsBranch", WARL, TS_BRANCH),
		 FIELD(18, 18, "tsInstrumentation", RW, TS_INSTRUMENTATION),
		 FIELD(19, 19, "tsOwnership", RW, TS_OWNERSHIP),
		 FIELD(31, 24, "tsWidth", R, TS_WIDTH)),
	TIMESTAMP_COUNTER,
	REGISTER(0x050, "xtiControl",
		 FIELD(3, 0, "xtiAction0", WARL, XTRIG_IN_ACTION0),
		 FIELD(7, 4, "xtiAction1", WARL, XTRIG_IN_ACTION0 + 1),
		 FIELD(11, 8, "xtiAction2", WARL, XTRIG_IN_ACTION0 + 2),
		 FIELD(15, 12, "xtiAction3", WARL, XTRIG_IN_ACTION0 + 3),
		 FIELD(19, 16, "xtiAction4", WARL, XTRIG_IN_ACTION0 + 4),
		 FIELD(23, 20, "xtiAction5", WARL, XTRIG_IN_ACTION0 + 5),
		 FIELD(27, 24, "xtiAction6", WARL, XTRIG_IN_ACTION0 + 6),
		 FIELD(31, 28, "xtiAction7", WARL, XTRIG_IN_ACTION0 + 7)),
	REGISTER(0x054, "xtoControl",
		 FIELD(3, 0, "xtoEvent0", WARL, XTRIG_OUT_EVENT0),
		 FIELD(7, 4, "xtoEvent1", WARL, XTRIG_OUT_EVENT0 + 1),
		 FIELD(11, 8, "xtoEvent2", WARL, XTRIG_OUT_EVENT0 + 2),
		 FIELD(15, 12, "xtoEvent3", WARL, XTRIG_OUT_EVENT0 + 3),
		 FIELD(19, 16, "xtoEvent4", WARL, XTRIG_OUT_EVENT0 + 4),
		 FIELD(23, 20, "xtoEvent5", WARL, XTRIG_OUT_EVENT0 + 5),
		 FIELD(27, 24, "xtoEvent6", WARL, XTRIG_OUT_EVENT0 + 6),
		 FIELD(31, 28, "xtoEvent7", WARL, XTRIG_OUT_EVENT0 + 7)),
	REGISTER(0x058, "wpControl",
		 FIELD(31, 0, "wpControl", WARL, DBG_TRIGGER)),
	REGISTER(0x060, "itcTraceEnable",
		 FIELD(31, 0, "itcTraceEnable", RW, ITC_TRACE)),
	REGISTER(0x064, "itcTrigEnable",
		 FIELD(31, 0, "itcTrigEnable", RW, ITC_TRIG)),
	REGISTERS(0x080, 4, 32, "itcStimulus",
		  KIND(31, 0, "itcStimulus", RW, stimulus)),
	/* pcControl and pcSample: where is what is not published */
	REGISTERS(0x100, 4, 64, "pcSample",
		  UNUSED(31, 0, "pcSample", R)),
	SOFTWARE_TRACE(0x700, "te"),
	ATB_SINK,
	PIB_SINK,
	{ 0 }
};

/* "RW" of its version is a misprint. */
const struct spec_register spec_funnel_0[] = {
	REGISTER(0x000, "tfControl",
		 FIELD(0, 0, "tfActive", RW, ACTIVE),
		 FIELD(1, 1, "tfEnable", RW, ENABLE),
		 FIELD(3, 3, "tfEmpty", R, EMPTY),
		 FIELD(14, 14, "tfStopOnWrap", RW, STOP_ON_WRAP),
		 FIELD(27, 27, "tfSinkError", RW1C, SINK_ERROR),
		 FIELD(31, 28, "tfSink", WARL, SINK)),
	REGISTER(0x004, "tfImpl",
		 FIELD(3, 0, "version", R, VERSION),
		 FIELD(4, 4, "hasSRAMSink", R, HAS_SRAM_SINK),
		 FIELD(5, 5, "hasATBSink", R, HAS_ATB_SINK),
		 FIELD(6, 6, "hasPIBSink", R, HAS_PIB_SINK),
		 FIELD(7, 7, "hasSBASink", R, HAS_SBA_SINK),
		 FIELD(8, 8, "hasFunnelSink", R, HAS_FUNNEL_SINK),
		 FIELD(17, 16, "sinkBytes", R, SINK_BYTES)),
	RAM_SINK,
	REGISTER(0x040, "tsControl",
		 FIELD(0, 0, "tsActive", RW, TS_ACTIVE),
		 FIELD(1, 1, "tsCount", RW, TS_COUNT),
		 TIMESTAMP(2, 2, "tsReset", W1, reset),
		 FIELD(6, 4, "tsType", R, TS_TYPE),
		 FIELD(9, 8, "tsPrescale", RW, TS_PRESCALE),
		 FIELD(31, 24, "tsWidth", R, TS_WIDTH)),
	TIMESTAMP_COUNTER,
	ATB_SINK,
	PIB_SINK,
	{ 0 }
};
