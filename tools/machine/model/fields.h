/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the fields of registers mean, whatever the generation and wherever it
 * puts them. Names are those of TCI 1.0 and 0.9.4; what is not in the table of
 * a generation keeps its reset value.
 */
#ifndef RVTRACE_MODEL_FIELDS_H
#define RVTRACE_MODEL_FIELDS_H

/* Trace encoder */
enum te_field {
	TE_ENABLE,
	TE_TRACING,
	TE_EMPTY,
	TE_INST_MODE,
	TE_CONTEXT,
	TE_OVERFLOW,
	TE_STALL,
	TE_STOP_ON_WRAP,
	TE_INHIBIT_SRC,
	TE_SYNC_MODE,
	TE_SYNC_MAX,
	TE_FORMAT,
	TE_SINK,
	TE_HAS_SINKS,		/* bit 0: SRAM, and so on */
	TE_SRC_ID,
	TE_SRC_BITS,
	TE_SEQUENTIAL_JUMP,
	TE_IMPLICIT_RETURN,
	TE_RETURN_MODE,
	TE_REPEATED_HISTORY,
	TE_ALL_JUMPS,
	TE_EXTEND_MSB,
	TE_SYNC_MAX_BTM,
	TE_SYNC_MAX_INST,
	TE_SINK_ERROR,
	TE_SINK_BYTES,
	TE_CROSSING_TYPE,
	TE_HART_ID,
	TE_ITC_MODE,
	TE_ITC_TRACE_ENABLE,
	TE_ITC_TRIG_ENABLE,
	TE_ITC_STIMULUS,	/* 32 of them */
	TE_FIELDS = TE_ITC_STIMULUS + 32
};

/* Timestamp unit */
enum ts_field {
	TS_ACTIVE,
	TS_COUNT,
	TS_RESET,
	TS_DEBUG,
	TS_TYPE,
	TS_PRESCALE,
	TS_ENABLE,
	TS_BRANCH,
	TS_INSTRUMENTATION,
	TS_OWNERSHIP,
	TS_WIDTH,
	TS_LOW,
	TS_HIGH,
	TS_FIELDS
};

/* Trace funnel */
enum tf_field {
	TF_ENABLE,
	TF_EMPTY,
	TF_STOP_ON_WRAP,
	TF_SINK,
	TF_HAS_SINKS,
	TF_DIS_INPUT,
	TF_SINK_ERROR,
	TF_SINK_BYTES,
	TF_FIELDS
};

/* What all sinks have */
enum sink_field {
	SINK_ENABLE,
	SINK_EMPTY,
};

/* RAM sink */
enum ram_field {
	RAM_ENABLE = SINK_ENABLE,
	RAM_EMPTY = SINK_EMPTY,
	RAM_MODE,
	RAM_STOP_ON_WRAP,
	RAM_MEM_FORMAT,
	RAM_ASYNC_FREQ,
	RAM_HAS_SRAM,
	RAM_HAS_SMEM,
	RAM_START,
	RAM_LIMIT,
	RAM_WP,
	RAM_RP,
	RAM_START_HIGH,
	RAM_LIMIT_HIGH,
	RAM_WP_HIGH,
	RAM_RP_HIGH,
	RAM_WRAP,
	RAM_DATA,
	RAM_FIELDS
};

/* PIB sink */
enum pib_field {
	PIB_ENABLE = SINK_ENABLE,
	PIB_EMPTY = SINK_EMPTY,
	PIB_ACTIVE,		/* in the page of another component */
	PIB_MODE,
	PIB_CLK_CENTER,
	PIB_CALIBRATE,
	PIB_ASYNC_FREQ,
	PIB_DIVIDER,
	PIB_FIELDS
};

/* ATB sink or bridge */
enum atb_field {
	ATB_ENABLE = SINK_ENABLE,
	ATB_EMPTY = SINK_EMPTY,
	ATB_ACTIVE,		/* in the page of another component */
	ATB_ID,
	ATB_ASYNC_FREQ,
	ATB_FIELDS
};

#endif /* RVTRACE_MODEL_FIELDS_H */
