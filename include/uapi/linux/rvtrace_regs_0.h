/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Registers of the RISC-V Trace Control Interface, version 0: the differences to version 0.9.4 in
 * rvtrace_regs.h. SiFive implements it in the HiFive Premier P550; names are those of the P550's
 * register tables.
 */
#ifndef _UAPI_LINUX_RVTRACE_REGS_0_H
#define _UAPI_LINUX_RVTRACE_REGS_0_H

#define RVTRACE_TE0_CONTROL		0x000	/* teControl */
#define  RVTRACE_TE0_CONTROL_INSTRUCTION	0x00000070
#define   RVTRACE_INSTRUCTION_EVENT		1
#define  RVTRACE_TE0_CONTROL_INSTRUMENTATION	0x00000180
#define   RVTRACE_INSTRUMENTATION_OFF		0
#define   RVTRACE_INSTRUMENTATION_ITC		1
#define   RVTRACE_INSTRUMENTATION_OWNERSHIP	2
#define   RVTRACE_INSTRUMENTATION_BOTH		3
#define  RVTRACE_TE0_CONTROL_STALL_OR_OVERFLOW	0x00001000 /* write 0 to clear */
#define  RVTRACE_TE0_CONTROL_STALL_ENABLE	0x00002000
#define  RVTRACE_TE0_CONTROL_SYNC_MAX_BTM	0x000f0000 /* 2^(n + 5) messages */
#define   RVTRACE_SYNC_MAX_BTM_OFF		15
#define  RVTRACE_TE0_CONTROL_SYNC_MAX_INST	0x00f00000 /* 2^(n + 5) bytes */
#define   RVTRACE_SYNC_MAX_INST_OFF		15
#define  RVTRACE_TE0_CONTROL_SLICE_FORMAT	0x07000000 /* 1: 6 MDO + 2 MSEO */
#define  RVTRACE_TE0_CONTROL_SINK_ERROR		0x08000000 /* write 1 to clear */

#define   RVTRACE_SINK_ONLY			0 /* of teSink: the only sink */

#define RVTRACE_TE0_IMPL		0x004	/* teImpl */
#define  RVTRACE_TE0_IMPL_SINK_BYTES		0x00030000 /* 2^n words of 32 bits */
#define  RVTRACE_TE0_IMPL_CROSSING_TYPE		0x000c0000
#define  RVTRACE_TE0_IMPL_HART_ID		0xf0000000

/* No read pointer and data; teSinkBase ... have the offsets of teRamBase ... */

#define RVTRACE_TS0_CONTROL		0x040	/* tsControl: encoder and funnel */
#define  RVTRACE_TS0_CONTROL_ENABLE		0x00008000
#define  RVTRACE_TS0_CONTROL_BRANCH		0x00030000
#define   RVTRACE_TS_BRANCH_NONE		0
#define   RVTRACE_TS_BRANCH_INDIRECT		1
#define   RVTRACE_TS_BRANCH_ALL			3
#define  RVTRACE_TS0_CONTROL_INSTRUMENTATION	0x00040000
#define  RVTRACE_TS0_CONTROL_OWNERSHIP		0x00080000

#define RVTRACE_XTI_CONTROL		0x050	/* xtiControl */
#define RVTRACE_XTO_CONTROL		0x054	/* xtoControl */
#define RVTRACE_WP_CONTROL		0x058	/* wpControl */

/* Instrumentation Trace Component */
#define RVTRACE_ITC_TRACE_ENABLE	0x060	/* itcTraceEnable */
#define RVTRACE_ITC_TRIG_ENABLE		0x064	/* itcTrigEnable */
#define RVTRACE_ITC_STIMULUS(n)		(0x080 + 4 * (n)) /* itcStimulus0 to 31 */
#define   RVTRACE_ITC_OWNERSHIP			15	/* a number with another meaning */
#define   RVTRACE_ITC_TIMESTAMPED		16	/* 16 to 31: 0 to 15 with timestamps */

/* PC Sampling: the order of its registers is not published */
#define RVTRACE_PC_CONTROL		0x100	/* pcSample, up to: */
#define RVTRACE_PC_SAMPLE_LAST		0x1fc

#endif /* _UAPI_LINUX_RVTRACE_REGS_0_H */
