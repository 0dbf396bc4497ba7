/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace ingress port: what a hart tells its trace encoder.
 *
 * E-Trace 2.0 chapter 4 (Instruction Trace Interface) defines the port; the
 * names of the itypes are those of N-Trace 1.0 chapter "Trace Ingress Port".
 * Plain C without any dependency: the emulated machine, the command-line
 * encoder and the unit tests all drive the encoders through this header.
 */
#ifndef RVTRACE_INGRESS_H
#define RVTRACE_INGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* What ended a block. */
enum ingress_itype {
	INGRESS_NONE = 0,		/* nothing special: the block was cut */
	INGRESS_EXCEPTION = 1,		/* trap after the last retired instruction */
	INGRESS_INTERRUPT = 2,		/* likewise, asynchronous */
	INGRESS_TRAP_RETURN = 3,	/* mret, sret */
	INGRESS_BRANCH_NOT_TAKEN = 4,
	INGRESS_BRANCH_TAKEN = 5,
	INGRESS_INDIRECT_CALL = 8,
	INGRESS_DIRECT_CALL = 9,
	INGRESS_INDIRECT_JUMP = 10,
	INGRESS_DIRECT_JUMP = 11,
	INGRESS_COROUTINE_SWAP = 12,
	INGRESS_RETURN = 13,
	INGRESS_OTHER_INDIRECT_JUMP = 14,
	INGRESS_OTHER_DIRECT_JUMP = 15,
};

/* RISC-V privilege as on the port */
enum ingress_priv {
	INGRESS_PRIV_U = 0,
	INGRESS_PRIV_S = 1,
	INGRESS_PRIV_M = 3,
	INGRESS_PRIV_DEBUG = 4,
};

struct ingress_context {
	uint8_t priv;		/* enum ingress_priv */
	bool v;			/* virtualization mode */
	bool ie;		/* interrupts of that privilege are enabled (debug specification) */
	uint32_t scontext;	/* last value written to scontext */
};

/* What a data access is (dtype); multi-memory and compare-and-swap as in the 2.0.5 draft. */
enum ingress_dtype {
	INGRESS_LOAD = 0,
	INGRESS_STORE = 1,
	INGRESS_CSR_RW = 4,
	INGRESS_CSR_RS = 5,
	INGRESS_CSR_RC = 6,
	INGRESS_CAS_FAILED = 7,
	INGRESS_SWAP = 8,
	INGRESS_ADD = 9,
	INGRESS_AND = 10,
	INGRESS_OR = 11,
	INGRESS_XOR = 12,
	INGRESS_MAX = 13,
	INGRESS_MIN = 14,
	INGRESS_SC_FAILED = 15,
};

/*
 * One data access of an instruction that retired (Data Trace Interface). Values have 128 bits,
 * the lower half first; what is above the access's size does not matter.
 */
struct ingress_access {
	uint64_t pc;		/* of the instruction */
	uint64_t address;	/* of CSRs the number */
	uint64_t data[2];	/* loaded or stored; of atomics and CSRs what was there before.
				 * Of no meaning if it comes with an ingress_response
				 */
	uint64_t operand[2];	/* atomics: rs2; CSRs: rs1 */
	uint8_t dtype;		/* enum ingress_dtype */
	uint8_t size;		/* 2^n bytes; CSRs: any */
	uint8_t lrid;		/* split loads and atomics */
	bool multiple;		/* one of several accesses of the instruction */
	bool unread;		/* CSRs: rd is x0 and it is written alone (debug specification), */
	bool unwritten;		/* or rs1 is x0, or the immediate 0, and it is read alone */
	bool unsigned_order;	/* maximum and minimum: of unsigned numbers */
};

/* The answer to a split load or atomic. */
struct ingress_response {
	uint64_t data[2];
	uint64_t time;		/* timestamp */
	uint8_t lrid;
	bool error;		/* there is no data */
};

/*
 * One block of instructions that retired one after the other without a
 * discontinuity, and what ended it. A block may hold no instruction at all
 * (@halfwords 0): a trap right after a jump.
 */
struct ingress_block {
	uint64_t start;		/* address of the first instruction */
	uint32_t halfwords;	/* retired, in units of 16 bits (iretire) */
	uint8_t last_size;	/* half-words of the last instruction; 0 if none */
	uint8_t itype;		/* enum ingress_itype */
	bool sequential;	/* indirect jump whose register the instruction
				 * retired just before loaded with LUI, C.LUI or
				 * AUIPC (sijump); false if not known
				 */
	bool ebreak;		/* exception: that of ebreak (debug specification) */
	bool notify;		/* a trigger asks to have the last instruction reported
				 * (trigger[2] of E-Trace)
				 */
	uint64_t target;	/* address of the next instruction to retire */
	uint64_t time;		/* timestamp, in units of the timestamp unit */
	uint64_t cycles;	/* clock, for the periodic synchronization */
	uint64_t cause;		/* trap: scause or mcause, without the interrupt bit */
	uint64_t tval;		/* trap: stval or mtval */
	struct ingress_context context;	/* in force after the block */
	const struct ingress_access *accesses;	/* of its instructions, in program order */
	uint32_t access_count;
};

#endif /* RVTRACE_INGRESS_H */
