/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an encoder's hart must know of an instruction: its size and how it
 * changes the flow (N-Trace 1.0 table "Generating itype for different
 * instructions"). Zcmt is not classified, and Zcmp is asked for apart.
 */
#ifndef RVTRACE_ENCODE_RISCV_H
#define RVTRACE_ENCODE_RISCV_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/encode/ingress.h"

/**
 * struct riscv_insn - one instruction
 * @size: in half-words
 * @itype: INGRESS_NONE, INGRESS_TRAP_RETURN, one of the jumps, or
 *	INGRESS_BRANCH_TAKEN for any conditional branch
 * @constant: LUI, C.LUI or AUIPC: the register it loads, else 0
 * @jump_register: indirect jump: the register that holds the target, else 0
 * @offset: direct jump, branch that is taken: from its address to the target
 */
struct riscv_insn {
	uint8_t size;
	uint8_t itype;
	uint8_t constant;
	uint8_t jump_register;
	int32_t offset;
};

/* Half-words of the instruction that starts with @half. */
unsigned int riscv_insn_size(uint16_t half);

/* Classify @bits, of which a 16-bit instruction uses the lower half. */
struct riscv_insn riscv_classify(uint32_t bits, unsigned int xlen);

/* Zcmp: cm.popret and cm.popretz, which return; without it they are something else. */
bool riscv_is_popret(uint32_t bits);

#endif /* RVTRACE_ENCODE_RISCV_H */
