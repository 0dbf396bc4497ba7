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

/*
 * Calls, if they are asked for: PREFIX.calls.N, a struct truth_header with TRUTH_CALLS_MAGIC, then
 * these, in order. Jumps of Zcmp and Zcmt are not in it.
 */
#define TRUTH_CALLS_MAGIC	"RVCALLS1"

enum truth_call_kind {
	TRUTH_CALL_WINDOW,	/* a window begins; @target is tp, @link satp */
	TRUTH_CALL_CALL,	/* jal, jalr that links to ra or t0 */
	TRUTH_CALL_SWAP,	/* jalr that links to one of them and jumps to the other */
	TRUTH_CALL_RETURN,	/* jalr that jumps to ra or t0 and does not link to them */
	TRUTH_CALL_JUMP,	/* any other jalr */
	TRUTH_CALL_TRAP,	/* was taken before the instruction at @pc; @value: cause */
	TRUTH_CALL_XRET,	/* sret, mret */
	TRUTH_CALL_STATE,	/* from here on @target is tp, @link satp */
	TRUTH_CALL_END,		/* of the window */
};

/* truth_call.flags */
#define TRUTH_CALL_SP_LOADED	1	/* sp was loaded from memory after the record before */
#define TRUTH_CALL_INTERRUPT	2	/* the trap is one */

/**
 * struct truth_call - what changes the stack of calls
 * @kind: enum truth_call_kind
 * @priv: privilege before; of TRUTH_CALL_STATE, of a window: the one that holds
 * @to_priv: privilege after
 * @size: of the instruction, in bytes, of jumps
 * @flags: TRUTH_CALL_SP_LOADED ...
 * @index: instructions of the window that retired before it
 * @ticks: clock of the trace hardware then; jumps: once the instruction has retired. 0: of
 *	TRUTH_CALL_WINDOW, _STATE and _END, where it cannot be read
 * @time: the CSR `time`, as @ticks
 * @pc: address of the jump, or the first instruction that did not retire
 * @target: where it leads to
 * @link: of a jump that links, what follows it; of another, and of a return, ra; of a trap a7
 * @sp: stack pointer
 * @value: of a trap its cause
 */
struct truth_call {
	uint8_t kind;
	uint8_t priv;
	uint8_t to_priv;
	uint8_t size;
	uint32_t flags;
	uint64_t index;
	uint64_t ticks;
	uint64_t time;
	uint64_t pc;
	uint64_t target;
	uint64_t link;
	uint64_t sp;
	uint64_t value;
};

#define TRUTH_PRIV(word)	(((word) >> 8) & 0x3)
#define TRUTH_SCONTEXT(word)	((uint32_t)((word) >> 32))

#endif /* RVTRACE_TRUTH_H */
