// SPDX-License-Identifier: LGPL-2.1-or-later
/* Targets of indirect jumps that code gives away. */
#include "flow_internal.h"

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
	*word = flow_word(code, size);
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
	jump = flow_word(code + block->halfwords * 2 - block->last_size, block->last_size);
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

/**
 * flow_link_constant() - the address that x1 has behind a block that ends where it is written
 * @flow: the decoder
 * @block: of kind BLOCK_LINK_WRITE
 * @code: of it
 * @start: its address
 *
 * Return: the address, if the code itself says it; else NO_ADDRESS
 */
uint64_t flow_link_constant(const struct rvtrace_flow *flow, const struct block *block,
			    const uint8_t *code, uint64_t start)
{
	uint32_t word, last = flow_word(code + block->size - block->last_size, block->last_size);
	uint64_t address, value;
	unsigned int size, reg;

	if ((last & 0xfffff) != 0x08093)	/* addi x1, x1 */
		return NO_ADDRESS;
	size = before_last(&flow->walk, block, code, start, &word, &address);
	if (!size || !loaded_constant(word, size, address, &reg, &value) || reg != 1)
		return NO_ADDRESS;
	return flow_address(flow, (value + (int64_t)((int32_t)last >> 20)) & ~1ull);
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
