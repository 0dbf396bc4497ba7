/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Registers of the RISC-V Trace Control Interface, version 0.9.4.
 *
 * Each register offset is followed by its fields as masks, in the order and
 * with the names of the specification: teControl.teInstMode is
 * RVTRACE_TE_CONTROL_INST_MODE. Encoders and funnels share the layout of
 * section 0; a funnel implements the subset named tf* (chapter 11).
 */
#ifndef _UAPI_LINUX_RVTRACE_REGS_H
#define _UAPI_LINUX_RVTRACE_REGS_H

#define RVTRACE_PAGE_SIZE		0x1000	/* chapter 3.1 */

/* Chapter 5: trace encoder */
#define RVTRACE_TE_CONTROL		0x000	/* teControl */
#define  RVTRACE_TE_CONTROL_ACTIVE		0x00000001
#define  RVTRACE_TE_CONTROL_ENABLE		0x00000002
#define  RVTRACE_TE_CONTROL_INST_TRACING	0x00000004
#define  RVTRACE_TE_CONTROL_EMPTY		0x00000008
#define  RVTRACE_TE_CONTROL_INST_MODE		0x00000070
#define   RVTRACE_INST_MODE_OFF			0
#define   RVTRACE_INST_MODE_BRANCH		3
#define   RVTRACE_INST_MODE_HISTORY		6
#define   RVTRACE_INST_MODE_HISTORY_OPTIMIZED	7 /* not in 1.0, where this is: */
#define   RVTRACE_INST_MODE_VENDOR		7
#define  RVTRACE_TE_CONTROL_CONTEXT		0x00000200
#define  RVTRACE_TE_CONTROL_INST_TRIG_EN	0x00000800
#define  RVTRACE_TE_CONTROL_INST_STALL_OR_OVERFLOW 0x00001000
#define  RVTRACE_TE_CONTROL_INST_STALL_EN	0x00002000
#define  RVTRACE_TE_CONTROL_STOP_ON_WRAP	0x00004000
#define  RVTRACE_TE_CONTROL_INHIBIT_SRC		0x00008000
#define  RVTRACE_TE_CONTROL_SYNC_MODE		0x00030000
#define   RVTRACE_SYNC_MODE_OFF			0
#define   RVTRACE_SYNC_MODE_MESSAGES		1
#define   RVTRACE_SYNC_MODE_CYCLES		2
#define   RVTRACE_SYNC_MODE_HALF_WORDS		3
#define  RVTRACE_TE_CONTROL_SYNC_MAX		0x00f00000 /* 2^(n + 4) */
#define  RVTRACE_TE_CONTROL_FORMAT		0x07000000
#define   RVTRACE_FORMAT_ETRACE			0
#define   RVTRACE_FORMAT_NTRACE			1
#define   RVTRACE_FORMAT_VENDOR			7
#define  RVTRACE_TE_CONTROL_SINK		0xf0000000
#define   RVTRACE_SINK_SRAM			4
#define   RVTRACE_SINK_ATB			5
#define   RVTRACE_SINK_PIB			6
#define   RVTRACE_SINK_SBA			7 /* system memory */
#define   RVTRACE_SINK_FUNNEL			8

#define RVTRACE_TE_IMPL			0x004	/* teImpl */
#define  RVTRACE_TE_IMPL_VERSION		0x0000000f
#define  RVTRACE_TE_IMPL_HAS_SRAM_SINK		0x00000010
#define  RVTRACE_TE_IMPL_HAS_ATB_SINK		0x00000020
#define  RVTRACE_TE_IMPL_HAS_PIB_SINK		0x00000040
#define  RVTRACE_TE_IMPL_HAS_SBA_SINK		0x00000080
#define  RVTRACE_TE_IMPL_HAS_FUNNEL_SINK	0x00000100
#define  RVTRACE_TE_IMPL_SRC_ID			0x00f00000
#define  RVTRACE_TE_IMPL_SRC_BITS		0x07000000

#define RVTRACE_TE_INST_FEATURES	0x008	/* teInstFeatures */
#define  RVTRACE_TE_INST_NO_ADDR_DIFF		0x00000001
#define  RVTRACE_TE_INST_NO_TRAP_ADDR		0x00000002
#define  RVTRACE_TE_INST_EN_SEQUENTIAL_JUMP	0x00000004
#define  RVTRACE_TE_INST_EN_CALL_STACK		0x00000008
#define  RVTRACE_TE_INST_EN_BRANCH_PREDICTION	0x00000010
#define  RVTRACE_TE_INST_EN_JUMP_TARGET_CACHE	0x00000020

#define RVTRACE_TE_DATA_CONTROL		0x00c	/* teDataControl */
#define  RVTRACE_TE_DATA_IMPLEMENTED		0x00000001
#define  RVTRACE_TE_DATA_ENABLE			0x00000002
#define  RVTRACE_TE_DATA_TRACING		0x00000004
#define  RVTRACE_TE_DATA_TRIG_ENABLE		0x00000008
#define  RVTRACE_TE_DATA_STALL_DELTA		0x00000010 /* clears on read */
#define  RVTRACE_TE_DATA_STALL_ENABLE		0x00000020
#define  RVTRACE_TE_DATA_DROP_DELTA		0x00000040 /* clears on read */
#define  RVTRACE_TE_DATA_DROP_ENABLE		0x00000080
#define  RVTRACE_TE_DATA_NO_VALUE		0x00010000
#define  RVTRACE_TE_DATA_ADDRESS_MODE		0x00060000

/* Chapter 6: RAM sink, in the page of the encoder or funnel that owns it */
#define RVTRACE_TE_RAM_BASE		0x010	/* teRamBase */
#define RVTRACE_TE_RAM_BASE_HIGH	0x014	/* teRamBaseHigh */
#define RVTRACE_TE_RAM_LIMIT		0x018	/* teRamLimit: last word */
#define RVTRACE_TE_RAM_WP		0x01c	/* teRamWP */
#define  RVTRACE_TE_RAM_WP_WRAP			0x00000001 /* teWrap */
#define RVTRACE_TE_RAM_RP		0x020	/* teRamRP */
#define RVTRACE_TE_RAM_DATA		0x024	/* teRamData: read moves RP */

/* Chapter 7: timestamp unit */
#define RVTRACE_TS_CONTROL		0x040	/* tsControl */
#define  RVTRACE_TS_CONTROL_ACTIVE		0x00000001
#define  RVTRACE_TS_CONTROL_COUNT		0x00000002
#define  RVTRACE_TS_CONTROL_RESET		0x00000004
#define  RVTRACE_TS_CONTROL_DEBUG		0x00000008
#define  RVTRACE_TS_CONTROL_TYPE		0x00000070
#define   RVTRACE_TS_TYPE_NONE			0
#define   RVTRACE_TS_TYPE_EXTERNAL		1
#define   RVTRACE_TS_TYPE_INTERNAL		2
#define   RVTRACE_TS_TYPE_INTERNAL_CORE		3 /* 1.0 and P550; else reserved */
#define   RVTRACE_TS_TYPE_SLAVE			4
#define  RVTRACE_TS_CONTROL_PRESCALE		0x00000300 /* 2^2n */
/*
 * 0.9.4 leaves [23:15] to the system. Version 0, the P550 and 1.0 have Enable at bit 15. The driver
 * uses bit 15, too, where it is retained.
 */
#define  RVTRACE_TS_CONTROL_ENABLE		0x00008000
#define  RVTRACE_TS_CONTROL_VENDOR		0x00ff0000 /* which messages carry timestamps */
#define  RVTRACE_TS_CONTROL_WIDTH		0xff000000
#define RVTRACE_TS_LOWER		0x044	/* tsLower */
#define RVTRACE_TS_UPPER		0x048	/* tsUpper */

/* Chapter 8, 9: triggers; 4 bits for each of 8 inputs or outputs */
#define RVTRACE_XTRIG_IN_CONTROL	0x050	/* xTrigInControl */
#define   RVTRACE_XTRIG_ACTION_NONE		0
#define   RVTRACE_XTRIG_ACTION_START		2
#define   RVTRACE_XTRIG_ACTION_STOP		3
#define   RVTRACE_XTRIG_ACTION_SYNC		4
#define RVTRACE_XTRIG_OUT_CONTROL	0x054	/* xTrigOutControl */
#define   RVTRACE_XTRIG_EVENT_START		0x1
#define   RVTRACE_XTRIG_EVENT_STOP		0x2
#define RVTRACE_DBG_TRIGGER_CONTROL	0x058	/* dbgTriggerControl */

/* Chapter 10: trace filter, up to 0x3fc; its contents are those of the encoder */
#define RVTRACE_FILTER			0x300
#define RVTRACE_FILTER_LAST		0x3fc

/* Chapter 11: trace funnel */
#define RVTRACE_TF_CONTROL		0x000	/* tfControl */
#define  RVTRACE_TF_CONTROL_ACTIVE		0x00000001
#define  RVTRACE_TF_CONTROL_ENABLE		0x00000002
#define  RVTRACE_TF_CONTROL_EMPTY		0x00000008
#define  RVTRACE_TF_CONTROL_STOP_ON_WRAP	0x00004000
#define  RVTRACE_TF_CONTROL_SINK		0xf0000000
#define RVTRACE_TF_IMPL			0x004	/* tfImpl */
#define  RVTRACE_TF_IMPL_VERSION		0x0000000f
#define  RVTRACE_TF_IMPL_HAS_SRAM_SINK		0x00000010
#define  RVTRACE_TF_IMPL_HAS_ATB_SINK		0x00000020
#define  RVTRACE_TF_IMPL_HAS_PIB_SINK		0x00000040
#define  RVTRACE_TF_IMPL_HAS_SBA_SINK		0x00000080
#define  RVTRACE_TF_IMPL_HAS_FUNNEL_SINK	0x00000100

/* Chapter 12: PIB sink, in the page of the encoder or funnel that owns it */
#define RVTRACE_PIB_CONTROL		0xf00	/* pibControl */
#define  RVTRACE_PIB_CONTROL_ACTIVE		0x00000001
#define  RVTRACE_PIB_CONTROL_ENABLE		0x00000002
#define  RVTRACE_PIB_CONTROL_EMPTY		0x00000008
#define  RVTRACE_PIB_CONTROL_MODE		0x000000f0
#define   RVTRACE_PIB_MODE_OFF			0
#define   RVTRACE_PIB_MODE_SWT_MANCHESTER	4
#define   RVTRACE_PIB_MODE_SWT_UART		5
#define   RVTRACE_PIB_MODE_PARALLEL_1		8
#define   RVTRACE_PIB_MODE_PARALLEL_2		9
#define   RVTRACE_PIB_MODE_PARALLEL_4		10
#define   RVTRACE_PIB_MODE_PARALLEL_8		11
#define   RVTRACE_PIB_MODE_PARALLEL_16		12
/* TRC_DATA signals of a parallel mode */
#define   RVTRACE_PIB_MODE_SIGNALS(mode)	(1 << ((mode) - RVTRACE_PIB_MODE_PARALLEL_1))
#define  RVTRACE_PIB_CONTROL_REF_CENTER		0x00000100
#define  RVTRACE_PIB_CONTROL_CALIBRATE		0x00000200
#define  RVTRACE_PIB_CONTROL_DIVIDER		0xffff0000

/* Chapter 13: ATB sink, in the page of the encoder or funnel that owns it */
#define RVTRACE_ATB_CONTROL		0xe00	/* atbControl */
#define  RVTRACE_ATB_CONTROL_ACTIVE		0x00000001
#define  RVTRACE_ATB_CONTROL_ENABLE		0x00000002
#define  RVTRACE_ATB_CONTROL_EMPTY		0x00000008
#define  RVTRACE_ATB_CONTROL_ID			0x00007f00
#define   RVTRACE_ATB_ID_MIN			0x01
#define   RVTRACE_ATB_ID_MAX			0x6f

/*
 * Software trace port of encoders whose node has software-trace. No specification of trace control
 * has it. It is where vendors may have their own registers ("Blocks reserved for Vendor-specific
 * Trace Components").
 */
#define RVTRACE_SOFTWARE_TRACE		0x700	/* teSoftwareTrace */
#define  RVTRACE_SOFTWARE_TRACE_ENABLE		0x00000001
#define  RVTRACE_SOFTWARE_TRACE_THREADS		0x00000002 /* writes to tp are events */
/* Identifiers by their upper two bits; THREAD_SWITCH counts as one of SYS */
#define  RVTRACE_SOFTWARE_TRACE_USER		0x00000010
#define  RVTRACE_SOFTWARE_TRACE_COM		0x00000020
#define  RVTRACE_SOFTWARE_TRACE_RESERVED	0x00000040
#define  RVTRACE_SOFTWARE_TRACE_SYS		0x00000080
#define  RVTRACE_SOFTWARE_TRACE_SWITCH		0xffff0000 /* identifier of THREAD_SWITCH */
#define RVTRACE_SOFTWARE_TRACE_LOST	0x704	/* teSoftwareTraceLost: clears on read */

#define RVTRACE_THREAD_SWITCH			0x8000 /* its identifier after reset */

#endif /* _UAPI_LINUX_RVTRACE_REGS_H */
