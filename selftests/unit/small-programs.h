/* SPDX-License-Identifier: GPL-2.0 */
/* Programs of a few instructions. */
#ifndef RVTRACE_SELFTESTS_SMALL_PROGRAMS_H
#define RVTRACE_SELFTESTS_SMALL_PROGRAMS_H

#include <stdint.h>

#include "tools/encode/ingress.h"

#define BASE	0x1000u		/* where they lie */

/**
 * struct insn - an instruction of a program, at an offset of so many bytes
 * @target: where a branch, call or jump leads
 */
struct insn {
	uint16_t offset;
	uint8_t size;
	uint8_t itype;
	uint16_t target;
	uint32_t word;
};

/**
 * struct program - a program
 * @insns: ends with one of no size
 * @handler: where traps lead
 * @jumps: where indirect jumps may lead
 * @returns: where returns may, beside where they were called from
 */
struct program {
	struct insn insns[16];
	uint16_t handler;
	uint16_t jumps[5];
	uint16_t returns[2];
};

/* The loop of "Format 2 notify and updiscon fields", with a branch, a call and jumps on its way */
static const struct program loop = {
	.insns = {
		{ 0x00, 2, INGRESS_NONE, 0, 0x0001 },
		{ 0x02, 2, INGRESS_BRANCH_TAKEN, 0x00, 0xfc7d },
		{ 0x04, 4, INGRESS_DIRECT_CALL, 0x10, 0x00c000ef },
		{ 0x08, 2, INGRESS_INDIRECT_JUMP, 0, 0x8502 },
		{ 0x0a, 2, INGRESS_NONE, 0, 0x0001 },
		{ 0x0c, 2, INGRESS_NONE, 0, 0x0001 },
		{ 0x0e, 2, INGRESS_DIRECT_JUMP, 0x00, 0xbfcd },
		{ 0x10, 2, INGRESS_NONE, 0, 0x0001 },
		{ 0x12, 2, INGRESS_RETURN, 0, 0x8082 },
		{ 0x14, 2, INGRESS_NONE, 0, 0x0001 },
		{ 0x16, 4, INGRESS_TRAP_RETURN, 0, 0x30200073 },
	},
	.handler = 0x14,
	.jumps = { 0x00, 0x02, 0x08, 0x0a, 0x12 },
	.returns = { 0x02, 0x0a },
};

/* "Background" of irets: a function twice without a branch between them; one that calls itself */
static const struct program calls = {
	.insns = {
		{ 0x00, 4, INGRESS_DIRECT_CALL, 0x14, 0x014000ef },
		{ 0x04, 2, INGRESS_NONE, 0, 0x0001 },
		{ 0x06, 4, INGRESS_DIRECT_CALL, 0x14, 0x00e000ef },
		{ 0x0a, 2, INGRESS_BRANCH_TAKEN, 0x00, 0xf87d },
		{ 0x0c, 4, INGRESS_DIRECT_CALL, 0x18, 0x00c000ef },
		{ 0x10, 2, INGRESS_INDIRECT_JUMP, 0, 0x8502 },
		{ 0x12, 2, INGRESS_NONE, 0, 0x0001 },
		{ 0x14, 2, INGRESS_NONE, 0, 0x0001 },
		{ 0x16, 2, INGRESS_RETURN, 0, 0x8082 },
		{ 0x18, 2, INGRESS_BRANCH_TAKEN, 0x1e, 0xe019 },
		{ 0x1a, 4, INGRESS_DIRECT_CALL, 0x18, 0xfffff0ef },
		{ 0x1e, 2, INGRESS_NONE, 0, 0x0001 },
		{ 0x20, 2, INGRESS_RETURN, 0, 0x8082 },
		{ 0x24, 2, INGRESS_NONE, 0, 0x0001 },
		{ 0x26, 4, INGRESS_TRAP_RETURN, 0, 0x30200073 },
	},
	.handler = 0x24,
	.jumps = { 0x00, 0x04, 0x0c, 0x12, 0x16 },
	.returns = { 0x04, 0x10 },
};

/* Traps lead to a branch. */
static const struct program branches = {
	.insns = {
		{ 0x00, 2, INGRESS_NONE, 0, 0x0001 },
		{ 0x02, 2, INGRESS_NONE, 0, 0x0001 },
		{ 0x04, 2, INGRESS_BRANCH_TAKEN, 0x00, 0xfc75 },
		{ 0x06, 2, INGRESS_NONE, 0, 0x0001 },
		{ 0x08, 2, INGRESS_BRANCH_TAKEN, 0x00, 0xfc65 },
		{ 0x0a, 2, INGRESS_DIRECT_JUMP, 0x00, 0xbfdd },
	},
	.handler = 0x08,
};

/* A loop that can be left without a branch that goes another way than it did before */
static const struct program counted = {
	.insns = {
		{ 0x00, 4, INGRESS_DIRECT_CALL, 0x08, 0x008000ef },
		{ 0x04, 2, INGRESS_BRANCH_TAKEN, 0x00, 0xfc75 },
		{ 0x06, 2, INGRESS_INDIRECT_JUMP, 0, 0x8502 },
		{ 0x08, 2, INGRESS_RETURN, 0, 0x8082 },
		{ 0x0a, 2, INGRESS_NONE, 0, 0x0001 },
		{ 0x0c, 2, INGRESS_NONE, 0, 0x0001 },
		{ 0x0e, 4, INGRESS_TRAP_RETURN, 0, 0x30200073 },
	},
	.handler = 0x0c,
	.jumps = { 0x00, 0x04, 0x06, 0x08, 0x0a },
	.returns = { 0x06, 0x0a },
};

#endif /* RVTRACE_SELFTESTS_SMALL_PROGRAMS_H */
