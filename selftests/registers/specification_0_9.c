// SPDX-License-Identifier: GPL-2.0
/* Trace Control Interface 0.9.4 */
#include "specification.h"

/* Chapter 6, in the page of an encoder or a funnel */
#define RAM_SINK							\
	REGISTER(0x010, "teRamBase",					\
		 RAM(31, 2, "teRamBase", WARL, base)),			\
	REGISTER(0x014, "teRamBaseHigh",				\
		 RAM(31, 0, "teRamBaseHigh", WARL, base_high)),		\
	REGISTER(0x018, "teRamLimit",					\
		 RAM(31, 2, "teRamLimit", WARL, limit)),		\
	REGISTER(0x01c, "teRamWP",					\
		 RAM(0, 0, "teWrap", WARL, wrap),			\
		 RAM(31, 2, "teRamWP", WARL, wp)),			\
	REGISTER(0x020, "teRamRP",					\
		 RAM(31, 2, "teRamRP", WARL, rp)),			\
	REGISTER(0x024, "teRamData",					\
		 RAM(31, 0, "teRamData", PORT, data))

/* Chapter 13 */
#define ATB_SINK							\
	REGISTER(0xe00, "atbControl",					\
		 FIELD(0, 0, "atbActive", RW, ATB_ACTIVE),		\
		 FIELD(1, 1, "atbEnable", RW, ATB_ENABLE),		\
		 FIELD(3, 3, "atbEmpty", R, ATB_EMPTY),			\
		 FIELD(14, 8, "atbId", RW, ATB_ID))

/* Chapter 12 */
#define PIB_SINK							\
	REGISTER(0xf00, "pibControl",					\
		 FIELD(0, 0, "pibActive", RW, PIB_ACTIVE),		\
		 FIELD(1, 1, "pibEnable", RW, PIB_ENABLE),		\
		 FIELD(3, 3, "pibEmpty", R, PIB_EMPTY),			\
		 FIELD(7, 4, "pibMode", WARL, PIB_MODE),		\
		 FIELD(8, 8, "pibRefCenter", WARL, PIB_REF_CENTER),	\
		 FIELD(9, 9, "pibCalibrate", WARL, PIB_CALIBRATE),	\
		 FIELD(31, 16, "pibDivider", WARL, PIB_DIVIDER))

const struct spec_register spec_encoder_0_9[] = {
	/* Chapter 5 */
	REGISTER(0x000, "teControl",
		 FIELD(0, 0, "teActive", RW, ACTIVE),
		 FIELD(1, 1, "teEnable", RW, ENABLE),
		 FIELD(2, 2, "teInstTracing", RW, INST_TRACING),
		 FIELD(3, 3, "teEmpty", R, EMPTY),
		 FIELD(6, 4, "teInstMode", WARL, INST_MODE),
		 FIELD(9, 9, "teContext", WARL, CONTEXT),
		 FIELD(11, 11, "teInstTrigEn", WARL, INST_TRIG_EN),
		 FIELD(12, 12, "teInstStallOrOverflow", R, INST_STALL_OR_OVERFLOW),
		 FIELD(13, 13, "teInstStallEn", WARL, INST_STALL_EN),
		 FIELD(14, 14, "teStopOnWrap", WARL, STOP_ON_WRAP),
		 FIELD(15, 15, "teInhibitSrc", WARL, INHIBIT_SRC),
		 FIELD(17, 16, "teSyncMode", WARL, SYNC_MODE),
		 FIELD(23, 20, "teSyncMax", WARL, SYNC_MAX),
		 FIELD(26, 24, "teFormat", WARL, FORMAT),
		 FIELD(31, 28, "teSink", WARL, SINK)),
	REGISTER(0x004, "teImpl",
		 FIELD(3, 0, "teVersion", R, VERSION),
		 FIELD(4, 4, "hasSRAMSink", R, HAS_SRAM_SINK),
		 FIELD(5, 5, "hasATBSink", R, HAS_ATB_SINK),
		 FIELD(6, 6, "hasPIBSink", R, HAS_PIB_SINK),
		 FIELD(7, 7, "hasSBASink", R, HAS_SBA_SINK),
		 FIELD(8, 8, "hasFunnelSink", R, HAS_FUNNEL_SINK),
		 FIELD(23, 20, "teSrcID", WARL, SRC_ID),
		 FIELD(26, 24, "teSrcBits", WARL, SRC_BITS)),
	REGISTER(0x008, "teInstFeatures",
		 FIELD(0, 0, "teInstNoAddrDiff", WARL, INST_NO_ADDR_DIFF),
		 FIELD(1, 1, "teInstNoTrapAddr", WARL, INST_NO_TRAP_ADDR),
		 FIELD(2, 2, "teInstEnSequentialJump", WARL, INST_EN_SEQUENTIAL_JUMP),
		 FIELD(3, 3, "teInstEnCallStack", WARL, INST_EN_CALL_STACK),
		 FIELD(4, 4, "teInstEnBranchPrediction", WARL, INST_EN_BRANCH_PREDICTION),
		 FIELD(5, 5, "teInstEnJumpTargetCache", WARL, INST_EN_JUMP_TARGET_CACHE)),
	REGISTER(0x00c, "teDataControl",
		 FIELD(0, 0, "teDataImplemented", R, DATA_IMPLEMENTED),
		 FIELD(1, 1, "teDataEnable", WARL, DATA_ENABLE),
		 FIELD(2, 2, "teDataTracing", RW, DATA_TRACING),
		 FIELD(3, 3, "teDataTrigEnable", WARL, DATA_TRIG_ENABLE),
		 FIELD(4, 4, "teDataStallDelta", RC, DATA_STALL),
		 FIELD(5, 5, "teDataStallEnable", WARL, DATA_STALL_ENABLE),
		 FIELD(6, 6, "teDataDropDelta", RC, DATA_DROP),
		 FIELD(7, 7, "teDataDropEnable", WARL, DATA_DROP_ENABLE),
		 FIELD(16, 16, "teDataNoValue", WARL, DATA_NO_VALUE),
		 FIELD(18, 17, "teDataAddressMode", WARL, DATA_ADDRESS_MODE)),
	RAM_SINK,
	/* Chapter 7; what [23:15] hold is left to the system, tsEnable among it */
	REGISTER(0x040, "tsControl",
		 FIELD(0, 0, "tsActive", RW, TS_ACTIVE),
		 FIELD(1, 1, "tsCount", WARL, TS_COUNT),
		 TIMESTAMP(2, 2, "tsReset", W1, reset),
		 FIELD(3, 3, "tsDebug", WARL, TS_DEBUG),
		 FIELD(6, 4, "tsType", WARL, TS_TYPE),
		 FIELD(9, 8, "tsPrescale", WARL, TS_PRESCALE),
		 FIELD(15, 15, "tsEnable", WARL, TS_ENABLE),
		 FIELD(23, 16, "tsVendor" /* no name there */, WARL, TS_VENDOR),
		 FIELD(31, 24, "tsWidth", R, TS_WIDTH)),
	REGISTER(0x044, "tsLower",
		 TIMESTAMP(31, 0, "tsLower", R, lower)),
	REGISTER(0x048, "tsUpper",
		 TIMESTAMP(31, 0, "tsUpper", R, upper)),
	/* Chapter 8 */
	REGISTER(0x050, "xTrigInControl",
		 FIELD(3, 0, "xTrigInAction0", WARL, XTRIG_IN_ACTION0),
		 FIELD(7, 4, "xTrigInAction1", WARL, XTRIG_IN_ACTION0 + 1),
		 FIELD(11, 8, "xTrigInAction2", WARL, XTRIG_IN_ACTION0 + 2),
		 FIELD(15, 12, "xTrigInAction3", WARL, XTRIG_IN_ACTION0 + 3),
		 FIELD(19, 16, "xTrigInAction4", WARL, XTRIG_IN_ACTION0 + 4),
		 FIELD(23, 20, "xTrigInAction5", WARL, XTRIG_IN_ACTION0 + 5),
		 FIELD(27, 24, "xTrigInAction6", WARL, XTRIG_IN_ACTION0 + 6),
		 FIELD(31, 28, "xTrigInAction7", WARL, XTRIG_IN_ACTION0 + 7)),
	REGISTER(0x054, "xTrigOutControl",
		 FIELD(3, 0, "xTrigOutEvent0", WARL, XTRIG_OUT_EVENT0),
		 FIELD(7, 4, "xTrigOutEvent1", WARL, XTRIG_OUT_EVENT0 + 1),
		 FIELD(11, 8, "xTrigOutEvent2", WARL, XTRIG_OUT_EVENT0 + 2),
		 FIELD(15, 12, "xTrigOutEvent3", WARL, XTRIG_OUT_EVENT0 + 3),
		 FIELD(19, 16, "xTrigOutEvent4", WARL, XTRIG_OUT_EVENT0 + 4),
		 FIELD(23, 20, "xTrigOutEvent5", WARL, XTRIG_OUT_EVENT0 + 5),
		 FIELD(27, 24, "xTrigOutEvent6", WARL, XTRIG_OUT_EVENT0 + 6),
		 FIELD(31, 28, "xTrigOutEvent7", WARL, XTRIG_OUT_EVENT0 + 7)),
	/* Chapter 9: the vendor's */
	REGISTER(0x058, "dbgTriggerControl",
		 FIELD(31, 0, "dbgTriggerControl", WARL, DBG_TRIGGER)),
	/* Chapter 10: what is in it is the encoder's */
	REGISTERS(0x300, 4, 64, "trace filter",
		  UNIT(31, 0, "trace filter", WARL, FILTER_WORD_VALUE)),
	SOFTWARE_TRACE(0x700, "te"),
	ATB_SINK,
	PIB_SINK,
	{ 0 }
};

/* Chapter 11; "teActive" beside tfEnable is a misprint. */
const struct spec_register spec_funnel_0_9[] = {
	REGISTER(0x000, "tfControl",
		 FIELD(0, 0, "tfActive", RW, ACTIVE),
		 FIELD(1, 1, "tfEnable", RW, ENABLE),
		 FIELD(3, 3, "tfEmpty", R, EMPTY),
		 FIELD(14, 14, "tfStopOnWrap", WARL, STOP_ON_WRAP),
		 FIELD(31, 28, "tfSink", WARL, SINK)),
	REGISTER(0x004, "tfImpl",
		 FIELD(3, 0, "tfVersion", R, VERSION),
		 FIELD(4, 4, "hasSRAMSink", R, HAS_SRAM_SINK),
		 FIELD(5, 5, "hasATBSink", R, HAS_ATB_SINK),
		 FIELD(6, 6, "hasPIBSink", R, HAS_PIB_SINK),
		 FIELD(7, 7, "hasSBASink", R, HAS_SBA_SINK),
		 FIELD(8, 8, "hasFunnelSink", R, HAS_FUNNEL_SINK)),
	RAM_SINK,
	ATB_SINK,
	PIB_SINK,
	{ 0 }
};
