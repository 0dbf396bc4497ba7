// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What code does to the registers that calls link in. A function saves x1 in its stack frame (by sp or
 * s0) and loads it from there. All else that writes x1 makes it lead elsewhere than to the caller:
 * longjmp(), a kernel's change of tasks, a jump to a function that is to return to another one; or it
 * is a number like any other until it is loaded from the frame. Nor does a return lead to the caller
 * from another stack.
 */
#include "flow_internal.h"

#define X1	1
#define SP	2
#define X5	5
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

#define FUNCT		0x707f
#define ADDI		0x0013
#define ADD		0x0033
#define ADD_FUNCT	0xfe00707f

/* ld x1, -8(gp); lw x1, -4(gp): clang's shadow call stack */
#define POP_SHADOW_64	0xff81b083
#define POP_SHADOW_32	0xffc1a083

enum use { KEPT, SAVED, LOADED, WRITTEN };

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

static enum use use_in_32_bits(uint32_t word, unsigned int xlen, unsigned int reg)
{
	unsigned int funct3 = word >> 12 & 7, funct5 = word >> 27;
	bool writes = false;

	if ((word & 0x7f) == OP_STORE)
		return rs2_of(word) == reg && is_in_frame(word, xlen) ? SAVED : KEPT;
	if (rd_of(word) != reg)
		return KEPT;
	switch (word & 0x7f) {
	case OP_LOAD:
		if (word == (xlen == 64 ? POP_SHADOW_64 : POP_SHADOW_32))
			return LOADED;
		return is_in_frame(word, xlen) ? LOADED : WRITTEN;
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
	return writes ? WRITTEN : KEPT;
}

static enum use use_in_16_bits(uint32_t word, unsigned int xlen, unsigned int reg)
{
	unsigned int funct3 = word >> 13, rs2 = word >> 2 & 0x1f;
	bool wide = xlen == 64;

	if ((word & 3) == 2 && funct3 == (wide ? 7 : 6) && rs2 == reg)	/* c.sdsp, c.swsp */
		return SAVED;
	if (rd_of(word) != reg || !(word & 3))
		return KEPT;
	if ((word & 3) == 1)	/* c.addi, c.addiw, c.li, c.lui */
		return funct3 > 3 || (!wide && funct3 == 1) ||
		       (funct3 == 3 && !(word & 0x107c)) ? KEPT : WRITTEN;
	switch (funct3) {
	case 0:		/* c.slli */
		return WRITTEN;
	case 2:		/* c.lwsp */
		return wide ? WRITTEN : LOADED;
	case 3:		/* c.ldsp, c.flwsp */
		return wide ? LOADED : KEPT;
	case 4:		/* c.mv, c.add; not c.jr, c.jalr */
		return rs2 ? WRITTEN : KEPT;
	}
	return KEPT;
}

/* cm.push and cm.pop, of whatever registers: x1 is one of them. */
static bool is_cm_push(uint32_t word)
{
	return (word & 0xff03) == 0xb802;
}

static bool is_cm_pop(uint32_t word)
{
	return (word & 0xf903) == 0xb802 && !is_cm_push(word);
}

/* What an instruction does to x1 or x5. */
static enum use use_of(const struct rvtrace_isa *isa, const uint8_t *code, unsigned int size,
		       unsigned int reg)
{
	uint32_t word;

	if (size > 4)
		return KEPT;
	word = flow_word(code, size);
	if (size == 4)
		return use_in_32_bits(word, isa->xlen, reg);
	if (isa->zcmp && reg == X1 && (is_cm_push(word) || is_cm_pop(word)))
		return is_cm_push(word) ? SAVED : LOADED;
	return use_in_16_bits(word, isa->xlen, reg);
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
	return use_of(isa, code, insn.size, X1) == WRITTEN && !is_upper(word, insn.size);
}

/* A frame begins: addi sp, sp, -N */
static bool opens_frame(const struct rvtrace_isa *isa, uint32_t word, unsigned int size)
{
	if (size == 2)	/* c.addi, c.addi16sp */
		return ((word & 0xf003) == 0x1001 || (word & 0xf003) == 0x7001 ||
			(isa->zcmp && is_cm_push(word))) &&
		       (rd_of(word) == SP || (word & 3) == 2);
	return (word & FUNCT) == ADDI && rd_of(word) == SP && rs1_of(word) == SP && word >> 31;
}

/* add sp, sp, reg */
static bool adds_to_sp(uint32_t word, unsigned int size)
{
	if (size == 2)
		return (word & 0xf003) == 0x9002 && rd_of(word) == SP && (word >> 2 & 0x1f);
	return (word & ADD_FUNCT) == ADD && rd_of(word) == SP && rs1_of(word) == SP;
}

/* addi sp, s0: the frame that the function had all the time */
static bool takes_frame(uint32_t word, unsigned int size)
{
	if (size == 2)	/* c.mv sp, s0 */
		return word == 0x8122;
	return (word & FUNCT) == ADDI && rd_of(word) == SP && rs1_of(word) == S0;
}

/* mv sp, reg; ld sp, n(reg) */
static bool sets_sp(uint32_t word, unsigned int size, unsigned int xlen)
{
	if (takes_frame(word, size))
		return false;
	if (size == 2)	/* c.mv, c.ldsp, c.lwsp */
		return rd_of(word) == SP &&
		       (((word & 0xf003) == 0x8002 && (word >> 2 & 0x1f)) ||
			(word & 0xe003) == (xlen == 64 ? 0x6002 : 0x4002));
	if (rd_of(word) != SP)
		return false;
	return (word & 0x7f) == OP_LOAD || ((word & FUNCT) == ADDI && rs1_of(word) != SP);
}

/*
 * Straight-line code ends with a return, or a jump if @jumps, in the stack that it has now: it loads no
 * x1 if not @loads, and does not take its frame.
 */
static bool leaves(const struct rvtrace_isa *isa, const uint8_t *code, uint32_t left, bool jumps,
		   bool loads)
{
	struct rvtrace_insn insn;
	uint32_t word;

	for (; !rvtrace_insn_decode(isa, code, left, &insn); code += insn.size, left -= insn.size) {
		if (insn.kind == RVTRACE_INSN_RETURN)
			return !flow_is_by_x5(insn.kind, code, insn.size);
		if (insn.kind != RVTRACE_INSN_LINEAR)
			return jumps && insn.kind == RVTRACE_INSN_INDIRECT_JUMP;
		if (insn.size > 4)
			continue;
		word = flow_word(code, insn.size);
		if (takes_frame(word, insn.size) ||
		    (!loads && use_of(isa, code, insn.size, X1) == LOADED))
			return false;
	}
	return true;
}

/**
 * flow_leaves_stack() - whether code goes on in other frames than its callers'
 * @isa: of the code
 * @code: of an instruction, which is linear
 * @size: bytes of it
 * @left: bytes of code from it on
 *
 * By a number of bytes that the code does not say: so returns who has unwound frames, to the handler
 * of an exception. Or by another address: another context, as swapcontext() and coroutines have it.
 */
bool flow_leaves_stack(const struct rvtrace_isa *isa, const uint8_t *code, unsigned int size,
		       uint32_t left)
{
	uint32_t word;

	if (size > 4)
		return false;
	word = flow_word(code, size);
	if (adds_to_sp(word, size))
		return leaves(isa, code + size, left - size, false, false);
	return sets_sp(word, size, isa->xlen) && leaves(isa, code + size, left - size, true, true);
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
	if (use_of(isa, code, size, X1) != WRITTEN)
		return false;
	return !is_upper(flow_word(code, size), size) ||
	       !is_completed(isa, code + size, left - size);
}

/**
 * flow_follow_link() - no frame has what is in x1: whether that changes in code that executed
 * @flow: the decoder; flow_link_is_set()
 * @code: the code
 * @size: bytes
 *
 * A number may be kept in a frame, too: an address is saved in a frame that began behind it.
 */
void flow_follow_link(struct rvtrace_flow *flow, const uint8_t *code, uint32_t size)
{
	const struct rvtrace_isa *isa = &flow->config.isa;
	unsigned int done, n;
	enum use use;

	for (done = 0; done < size && flow_link_is_set(flow->source); done += n) {
		n = rvtrace_insn_size(code[done] | code[done + 1] << 8);
		if (n <= 4 && opens_frame(isa, flow_word(code + done, n), n))
			flow_open_frame(flow);
		use = use_of(isa, code + done, n, X1);
		if (use == SAVED)
			flow_keep_link(flow);
		else if (use == LOADED)
			flow_drop_link(flow);
	}
}

/**
 * flow_writes_x5() - whether a block that returns by x5 has written it, other than from a frame
 * @isa: of the code
 * @code: of the block
 * @size: bytes
 */
bool flow_writes_x5(const struct rvtrace_isa *isa, const uint8_t *code, uint32_t size)
{
	bool written = false;
	unsigned int n;
	enum use use;

	for (; size; code += n, size -= n) {
		n = rvtrace_insn_size(code[0] | code[1] << 8);
		use = use_of(isa, code, n, X5);
		if (use == WRITTEN || use == LOADED)
			written = use == WRITTEN;
	}
	return written;
}

/**
 * flow_dispatches() - whether a block jumps by an address from a table, as Linux does to handlers
 * @block: it ends with a jump
 * @code: of it
 *
 * ld t0, 0(t0); jr t0. Others that return by x5 load it from a stack.
 */
bool flow_dispatches(const struct block *block, const uint8_t *code)
{
	uint32_t word;

	if (block->kind != RVTRACE_INSN_RETURN || !block->by_x5 || block->size < block->last_size + 4)
		return false;
	word = flow_word(code + block->size - block->last_size - 4, 4);
	return word == 0x0002b283 || word == 0x0002a283;
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
