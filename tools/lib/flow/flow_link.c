// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What code does to the register that calls link in. Apart from calls, x1 is saved in a stack frame
 * (by sp or s0) and loaded from there. All else that writes it makes it lead elsewhere than to the
 * caller: longjmp(), a kernel's change of tasks, a jump to a function that is to return to another
 * one; or it is a number like any other until it is loaded from the frame.
 */
#include "flow_internal.h"

#define X1	1
#define SP	2
#define S0	8

#define OP_LOAD		0x03
#define OP_IMM		0x13
#define OP_AUIPC	0x17
#define OP_IMM_32	0x1b
#define OP_STORE	0x23
#define OP_AMO		0x2f
#define OP_REG		0x33
#define OP_LUI		0x37
#define OP_REG_32	0x3b
#define OP_FP		0x53
#define OP_V		0x57
#define OP_SYSTEM	0x73

#define ADD_FUNCT	0xfe00707f

enum link_use { LINK_KEPT, LINK_SAVED, LINK_LOADED, LINK_WRITTEN };

static unsigned int rd_of(uint32_t word)
{
	return word >> 7 & 0x1f;
}

static unsigned int rs1_of(uint32_t word)
{
	return word >> 15 & 0x1f;
}

static unsigned int rs2_of(uint32_t word)
{
	return word >> 20 & 0x1f;
}

static bool is_in_frame(uint32_t word, unsigned int xlen)
{
	return (rs1_of(word) == SP || rs1_of(word) == S0) &&
	       (word >> 12 & 7) == (xlen == 64 ? 3 : 2);
}

static enum link_use use_in_32_bits(uint32_t word, unsigned int xlen)
{
	unsigned int funct3 = word >> 12 & 7, funct5 = word >> 27;
	bool writes = false;

	if ((word & 0x7f) == OP_STORE)
		return rs2_of(word) == X1 && is_in_frame(word, xlen) ? LINK_SAVED : LINK_KEPT;
	if (rd_of(word) != X1)
		return LINK_KEPT;
	switch (word & 0x7f) {
	case OP_LOAD:
		return is_in_frame(word, xlen) ? LINK_LOADED : LINK_WRITTEN;
	case OP_IMM:
	case OP_IMM_32:
	case OP_REG:
	case OP_REG_32:
	case OP_AUIPC:
	case OP_LUI:
	case OP_AMO:
		writes = true;
		break;
	case OP_SYSTEM:
		writes = funct3;
		break;
	case OP_FP:	/* comparisons, conversions to integers, moves of their bits */
		writes = funct5 == 0x14 || funct5 == 0x18 || funct5 == 0x1c;
		break;
	case OP_V:	/* vsetvl and its like; vmv.x.s, vcpop, vfirst */
		writes = funct3 == 7 || (funct3 == 2 && word >> 26 == 0x10);
		break;
	}
	return writes ? LINK_WRITTEN : LINK_KEPT;
}

static enum link_use use_in_16_bits(uint32_t word, unsigned int xlen)
{
	unsigned int funct3 = word >> 13, rs2 = word >> 2 & 0x1f, rd = rd_of(word);
	bool wide = xlen == 64;

	if ((word & 3) == 2 && funct3 == (wide ? 7 : 6) && rs2 == X1)	/* c.sdsp, c.swsp */
		return LINK_SAVED;
	if (rd != X1 || !(word & 3))
		return LINK_KEPT;
	if ((word & 3) == 1)	/* c.addi, c.addiw, c.li, c.lui */
		return funct3 > 3 || (!wide && funct3 == 1) ||
		       (funct3 == 3 && !(word & 0x107c)) ? LINK_KEPT : LINK_WRITTEN;
	switch (funct3) {
	case 0:		/* c.slli */
		return LINK_WRITTEN;
	case 2:		/* c.lwsp */
		return wide ? LINK_WRITTEN : LINK_LOADED;
	case 3:		/* c.ldsp, c.flwsp */
		return wide ? LINK_LOADED : LINK_KEPT;
	case 4:		/* c.mv, c.add; not c.jr, c.jalr */
		return rs2 ? LINK_WRITTEN : LINK_KEPT;
	}
	return LINK_KEPT;
}

static enum link_use use_of(const uint8_t *code, unsigned int size, unsigned int xlen)
{
	if (size > 4)
		return LINK_KEPT;
	return size == 2 ? use_in_16_bits(flow_word(code, size), xlen) :
			   use_in_32_bits(flow_word(code, size), xlen);
}

static bool is_upper(uint32_t word, unsigned int size)
{
	if (size == 2)
		return (word & 0xe003) == 0x6001;
	return (word & 0x7f) == OP_LUI || (word & 0x7f) == OP_AUIPC;
}

/*
 * The upper part of an address. As a rule, what follows calls that or writes the rest: that counts.
 */
static bool is_completed(const struct rvtrace_isa *isa, const uint8_t *code, uint32_t left)
{
	struct rvtrace_insn insn;
	uint32_t word;

	if (rvtrace_insn_decode(isa, code, left, &insn) || insn.size > 4)
		return false;
	word = flow_word(code, insn.size);
	if (insn.kind == RVTRACE_INSN_INDIRECT_CALL)
		return insn.size == 2 || rd_of(word) == X1;
	return use_of(code, insn.size, isa->xlen) == LINK_WRITTEN && !is_upper(word, insn.size);
}

/* add sp, sp, reg */
static bool moves_sp(uint32_t word, unsigned int size)
{
	if (size == 2)
		return (word & 0xf003) == 0x9002 && rd_of(word) == SP && (word >> 2 & 0x1f);
	return (word & ADD_FUNCT) == OP_REG && rd_of(word) == SP;
}

/*
 * Whether code returns and does not load x1 before that: frames were left whose size is not in the
 * code. So returns who has unwound them, to the handler of an exception.
 */
static bool returns(const struct rvtrace_isa *isa, const uint8_t *code, uint32_t left)
{
	struct rvtrace_insn insn;

	for (; !rvtrace_insn_decode(isa, code, left, &insn); code += insn.size, left -= insn.size) {
		if (insn.kind != RVTRACE_INSN_LINEAR)
			return insn.kind == RVTRACE_INSN_RETURN;
		if (use_of(code, insn.size, isa->xlen) == LINK_LOADED)
			return false;
	}
	return true;
}

/**
 * flow_writes_link() - whether x1 leads elsewhere than to the caller behind an instruction
 * @isa: of the code
 * @code: of the instruction, which is linear
 * @size: bytes of it
 * @left: bytes of code from it on
 */
bool flow_writes_link(const struct rvtrace_isa *isa, const uint8_t *code, unsigned int size,
		      uint32_t left)
{
	uint32_t word;

	if (size > 4)
		return false;
	word = flow_word(code, size);
	if (moves_sp(word, size))
		return returns(isa, code + size, left - size);
	if (use_of(code, size, isa->xlen) != LINK_WRITTEN)
		return false;
	return !is_upper(word, size) || !is_completed(isa, code + size, left - size);
}

/**
 * flow_follow_link() - x1 does not lead to the caller: whether that changes in code that executed
 * @flow: the decoder; flow_link_is_set()
 * @code: the code
 * @size: bytes
 */
void flow_follow_link(struct rvtrace_flow *flow, const uint8_t *code, uint32_t size)
{
	unsigned int done = 0, n;

	for (; done < size; done += n) {
		n = rvtrace_insn_size(code[done] | code[done + 1] << 8);
		switch (use_of(code + done, n, flow->config.isa.xlen)) {
		case LINK_SAVED:
			flow_keep_link(flow);
			return;
		case LINK_LOADED:
			flow_drop_link(flow);
			return;
		default:
			break;
		}
	}
}

/**
 * flow_is_by_x5() - whether an instruction calls or returns by x5, not by x1
 * @kind: enum rvtrace_insn_kind; RVTRACE_INSN_SWAP: the register that it returns by
 * @code: of the instruction
 * @size: bytes
 */
bool flow_is_by_x5(unsigned int kind, const uint8_t *code, unsigned int size)
{
	uint32_t word = flow_word(code, size);

	switch (kind) {
	case RVTRACE_INSN_CALL:
	case RVTRACE_INSN_INDIRECT_CALL:
		/* c.jal and c.jalr link in x1 */
		return size == 4 && rd_of(word) == 5;
	case RVTRACE_INSN_RETURN:
	case RVTRACE_INSN_SWAP:
		if (size == 4)
			return rs1_of(word) == 5;
		/* c.jr, c.jalr; not cm.popret */
		return (word & 0xe003) == 0x8002 && rd_of(word) == 5;
	}
	return false;
}
