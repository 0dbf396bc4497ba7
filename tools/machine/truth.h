/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ground truth: every instruction a hart of the emulated machine retired.
 *
 * One file per hart, PREFIX.N for hart N: a struct truth_header, then 64-bit
 * little-endian words. Addresses of instructions are even, so bit 0 tells:
 *
 *   bit 0 clear   an instruction at this address retired
 *   bit 0 set     TRUTH_STATE + two words: the state from here on
 *		   TRUTH_BEGIN / TRUTH_END: a marker opened or closed the window
 *
 * Only what retires between the markers of a hart is in its file. The opening
 * marker itself is the first instruction listed, the closing one the last.
 * A marker is a HINT, a no-op on every RISC-V core: slti x0, x0, imm.
 * A file holds as many windows as the hart opened, in order.
 */
#ifndef RVTRACE_TRUTH_H
#define RVTRACE_TRUTH_H

#include <stdint.h>

#define TRUTH_MAGIC	"RVTRUTH1"

/* Of each access to memory, see plugin/truth-accesses.c */
struct truth_access {
	uint64_t address;
	uint64_t value;		/* of 2^@size bytes; what is above is 0 */
	uint8_t size;
	uint8_t store;		/* else it was loaded */
	uint8_t reserved[6];	/* 0 */
};

struct truth_header {
	char magic[8];
	uint32_t hart;
	uint32_t reserved;	/* 0 */
};

/* slti x0, x0, imm */
#define TRUTH_MARKER_BEGIN	0x7a502013u	/* imm 0x7a5 */
#define TRUTH_MARKER_END	0x7a602013u	/* imm 0x7a6 */

#define TRUTH_KIND(word)	(((word) >> 1) & 0x7)
#define TRUTH_STATE		0	/* [1:3] kind, [8:9] priv, [32:63] scontext; then tp, satp */
#define TRUTH_BEGIN		1	/* [1:3] kind, [8:63] window number, from 1 */
#define TRUTH_END		2

#define TRUTH_PRIV(word)	(((word) >> 8) & 0x3)
#define TRUTH_SCONTEXT(word)	((uint32_t)((word) >> 32))

#endif /* RVTRACE_TRUTH_H */
