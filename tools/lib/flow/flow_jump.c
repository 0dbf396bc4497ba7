// SPDX-License-Identifier: LGPL-2.1-or-later
/* Targets of indirect jumps that code gives away. */
#include "flow_internal.h"

static uint32_t read_word(const uint8_t *code, unsigned int size)
{
	uint32_t word = code[0] | code[1] << 8;

	return size == 2 ? word : word | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
}

/* The constant that lui, c.lui or auipc at @address leaves in @reg. */
static bool loaded_constant(uint32_t word, unsigned int size, uint64_t address, unsigned int *reg,
			    uint64_t *value)
{
	*reg = (word >> 7) & 0x1f;
	if (size == 2) {
		int32_t imm = (word >> 2 & 0x1f) | (word >> 12 & 1) << 5;

		if ((word & 0xe003) != 0x6001 || *reg == 2)
			return false;
		*value = (int64_t)((imm ^ 0x20) - 0x20) * 4096;
	} else if ((word & 0x7f) == 0x37) {
		*value = (int64_t)(int32_t)(word & 0xfffff000);
	} else if ((word & 0x7f) == 0x17) {
		*value = address + (int64_t)(int32_t)(word & 0xfffff000);
	} else {
		return false;
	}
	return *reg != 0;
}

/* The base of a load of @reg; 0 of others. Compressed ones load link registers from sp only. */
static unsigned int load_base(const uint8_t *code, unsigned int size, unsigned int reg)
{
	uint32_t word;

	if (size != 4)
		return 0;
	word = read_word(code, size);
	return (word & 0x7f) == 0x03 && (word >> 7 & 0x1f) == reg ? word >> 15 & 0x1f : 0;
}

/**
 * flow_link() - whether an instruction calls or returns by x5, not by x1
 * @kind: enum rvtrace_insn_kind; RVTRACE_INSN_SWAP: the register that it returns by
 * @code: of the instruction
 * @size: bytes
 */
bool flow_link(unsigned int kind, const uint8_t *code, unsigned int size)
{
	uint32_t word = read_word(code, size);
	unsigned int rd = word >> 7 & 0x1f, rs1 = word >> 15 & 0x1f;

	switch (kind) {
	case RVTRACE_INSN_CALL:
	case RVTRACE_INSN_INDIRECT_CALL:
		/* c.jal and c.jalr link in x1 */
		return size == 4 && rd == 5;
	case RVTRACE_INSN_RETURN:
	case RVTRACE_INSN_SWAP:
		if (size == 4)
			return rs1 == 5;
		/* c.jr, c.jalr; not cm.popret */
		return (word & 0xe003) == 0x8002 && rd == 5;
	}
	return false;
}

/**
 * flow_returns_elsewhere() - a block ends with a return that is none to the caller
 * @block: ends with a return
 * @code: of it
 *
 * What was kept elsewhere than in a stack frame (by sp or s0) is of another one: longjmp(), a
 * kernel's change of tasks.
 */
bool flow_returns_elsewhere(const struct block *block, const uint8_t *code)
{
	const uint8_t *end = code + block->halfwords * 2 - block->last_size;
	unsigned int size, base, reg = 1 + 4 * block->link;
	bool elsewhere = false;

	for (; code < end; code += size) {
		size = rvtrace_insn_size(code[0] | code[1] << 8);
		base = load_base(code, size, reg);
		if (base)
			elsewhere = base != 2 && base != 8;
	}
	return elsewhere;
}

/* The instruction before the last one of a block that starts at @start; its size, 0 if unknown. */
static unsigned int before_last(const struct walk *walk, const struct block *block,
				const uint8_t *code, uint64_t start, uint32_t *word,
				uint64_t *address)
{
	unsigned int size = 0;

	if (block->instructions == 1) {
		code = walk->tail_code;
		*address = walk->tail;
		size = rvtrace_insn_size(code[0] | code[1] << 8);
		if (*address == UINT64_MAX || *address + size != start)
			return 0;
	} else {
		*address = start;
		for (unsigned int i = 0; i < block->instructions - 1u; i++) {
			*address += size;
			code += size;
			size = rvtrace_insn_size(code[0] | code[1] << 8);
		}
	}
	if (size > 4)
		return 0;
	*word = read_word(code, size);
	return size;
}

/*
 * N-Trace 1.0 "Sequential Jump Optimization": the last instruction of a block is an indirect jump;
 * the one before it may have loaded its register.
 */
bool flow_sequential_target(const struct rvtrace_flow *flow, const struct block *block,
			    const uint8_t *code, uint64_t start, uint64_t *target)
{
	unsigned int size, reg, rs1;
	uint32_t word, jump;
	uint64_t address;
	int32_t imm = 0;

	size = before_last(&flow->walk, block, code, start, &word, &address);
	if (!size)
		return false;
	jump = read_word(code + block->halfwords * 2 - block->last_size, block->last_size);
	if (block->last_size == 2) {
		if ((jump & 0xe003) != 0x8002)	/* not c.jr or c.jalr */
			return false;
		rs1 = jump >> 7 & 0x1f;
	} else {
		rs1 = jump >> 15 & 0x1f;
		imm = (int32_t)jump >> 20;
	}
	if (!loaded_constant(word, size, address, &reg, target) || reg != rs1)
		return false;
	*target = flow_address(flow, (*target + (int64_t)imm) & ~1ull);
	return true;
}

/* Zcmt: the table at jvt, one XLEN-sized address per index. */
bool flow_table_target(const struct rvtrace_flow *flow, const struct source *source,
		       unsigned int index, uint64_t *target)
{
	unsigned int size = flow->config.isa.xlen / 8;
	uint64_t entry = (flow->config.jvt & ~0x3full) + (uint64_t)index * size;
	struct rvtrace_window window;
	const uint8_t *bytes;

	if (!flow_find_code(flow, source, entry, &window) ||
	    window.last - entry < size - 1)
		return false;
	bytes = window.bytes + (entry - window.start);
	*target = 0;
	for (unsigned int i = 0; i < size; i++)
		*target |= (uint64_t)bytes[i] << (8 * i);
	*target &= ~1ull;
	return true;
}
