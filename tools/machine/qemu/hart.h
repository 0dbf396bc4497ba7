/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instruction trace: what a hart carries, and where it calls us.
 *
 * Both kinds of state hold bits that become part of the identity of a
 * translation block (cs_base, which RISC-V does not use otherwise). Without
 * them a block is translated as if none of this existed.
 */
#ifndef HW_RVTRACE_HART_H
#define HW_RVTRACE_HART_H

#define RVTRACE_TB	1	/* the hart reports blocks to its encoder */
#define RVTRUTH_TB	2	/* the hart logs what it retires */
#define RVTRACE_SIZES	4	/* the size of each instruction is remembered, too */
#define RVTRACE_THREADS	8	/* the hart reports what it writes to tp */
#define RVTRUTH_CALLS	64	/* the hart logs calls, too */

#define CSR_RVTRACE_SCONTEXT	0x5a8

struct CPUArchState;

/**
 * struct RVTraceCPU - block tracing of a hart
 * @tb: RVTRACE_TB, with RVTRACE_SIZES or without, or 0; RVTRACE_THREADS with any of
 *	them; changed on the hart's own thread between two blocks
 * @start: where the current straight-line block began
 * @seq_end: end of the last LUI, C.LUI or AUIPC of the block, 0 if none
 * @seq_reg: the register that instruction wrote
 * @last_size: half-words of the instruction that retired last, if that is remembered
 * @scontext: value of the CSR
 * @scontext_mask: the bits it retains; 0: there is no such CSR
 * @debug_actions: bit n: triggers of the hart may have action n
 * @event: identifier of an event that the instruction under way emits, 0: none
 * @event_value: its value
 * @listeners: who wants to know what is written to tp; RVTRACE_THREADS is set if anybody does
 * @encoder: where blocks go; NULL: none
 * @stm: where events go, too; NULL: nowhere
 */
typedef struct RVTraceCPU {
	uint64_t tb;
	uint64_t start;
	uint64_t seq_end;
	uint16_t seq_reg;
	uint16_t last_size;
	uint32_t scontext;
	uint32_t scontext_mask;
	uint32_t debug_actions;
	uint16_t event;
	uint64_t event_value;
	uint32_t listeners;
	struct RVTraceEncoder *encoder;
	struct RVTraceStm *stm;
} RVTraceCPU;

/**
 * RVTraceFlags - flags of translation blocks that are known, of tb-flags.h
 * @mode: what they are made of besides
 * @mstatus: what of it they are made of
 * @satp: the register
 * @flags: the flags
 */
typedef struct RVTraceFlags {
	uint64_t mode;
	uint64_t mstatus;
	uint64_t satp;
	uint32_t flags;
} RVTraceFlags;

/**
 * struct RVTruthCPU - ground truth of a hart
 * @tb: RVTRUTH_TB inside a window, else 0
 * @next: where the instruction being executed is logged; it counts once
 *	@next has moved past it
 * @limit: flush before a block begins beyond here
 * @log: NULL: no ground truth is wanted
 * @calls: NULL: calls are not logged
 * @sp_loaded: sp was loaded from memory after the last record of them
 */
typedef struct RVTruthCPU {
	uint64_t tb;
	uint64_t *next;
	uint64_t *limit;
	struct RVTruthLog *log;
	struct RVTruthCalls *calls;
	uint8_t sp_loaded;
} RVTruthCPU;

/**
 * rvtrace_trap() - the hart has taken a trap
 * @epc: first instruction that did not retire
 *
 * Program counter and privilege of @env are those of the trap handler.
 */
void rvtrace_trap(struct CPUArchState *env, uint64_t epc, bool interrupt,
		  uint64_t cause, uint64_t tval);

/**
 * rvtrace_xret() - the hart returns from a trap
 * @target: where to
 *
 * The program counter of @env is that of the SRET or MRET, the privilege the
 * one it returns to.
 */
void rvtrace_xret(struct CPUArchState *env, uint64_t target);

/**
 * rvtrace_trigger() - a trigger of the hart matches
 * @action: its action
 *
 * Return: whether it is for the trace hardware.
 */
bool rvtrace_trigger(struct CPUArchState *env, int action);

/* Number of the CSR whose writes emit events; 0: there is none. */
extern uint32_t rvtrace_event_csr;

/* `slti x0, rs1, imm` emits events: bits 11:0 of the identifier, and rs1 bits 15:12. */
extern bool rvtrace_event_hint;

/* Software emits an event: the CSR was written. */
void rvtrace_event(struct CPUArchState *env, uint16_t id);

/* Return: whether there is anybody for such events. */
bool rvtrace_has_events(const struct CPUArchState *env);

/* The encoder learns now what the hart has done. */
void rvtrace_hart_flush(struct CPUArchState *env);

/* The hart cleans, flushes or invalidates the cache block at @address. */
void rvtrace_cbo(struct CPUArchState *env, uint64_t address, bool invalidate);

/* The instruction being executed retires although it leaves its block early. */
void rvtruth_commit(struct CPUArchState *env);

/* As rvtrace_trap(), for the log of calls; @priv: the privilege before */
void rvtruth_trap(struct CPUArchState *env, uint64_t epc, bool interrupt,
		  uint64_t cause, uint32_t priv);

/* As rvtrace_xret(), for the log of calls; @priv: the privilege before */
void rvtruth_xret(struct CPUArchState *env, uint64_t target, uint32_t priv);

#endif
