// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The way through the code of the debug specification's trace. It is looked for first, so that no
 * instruction comes out that did not execute, and walked then.
 */
#include <string.h>

#include "flow_debugspec.h"

/* Blocks without a branch in a row, behind which there is nothing to be found. */
#define BLOCKS_MAX	65536

static uint32_t word_of(const struct debugspec_insn *insn)
{
	uint32_t word = insn->code[0] | insn->code[1] << 8;

	if (insn->size == 4)
		word |= (uint32_t)insn->code[2] << 16 | (uint32_t)insn->code[3] << 24;
	return word;
}

/**
 * debugspec_traps() - whether an instruction always traps: ecall, ebreak
 * @insn: the instruction
 */
bool debugspec_traps(const struct debugspec_insn *insn)
{
	uint32_t word = word_of(insn);

	return insn->size == 2 ? word == 0x9002 :
	       insn->size == 4 && (word & ~0x00100000u) == 0x00000073;
}

/* The block at @pc. Return: as flow_block_at(). */
static int block_at(struct rvtrace_flow *flow, uint64_t pc, struct block *block,
		    const uint8_t **code)
{
	flow_find_place(flow, flow->source);
	return flow_block_at(flow, flow->source, pc, block, code);
}

static void take_insn(struct debugspec_insn *insn, uint64_t address, const uint8_t *code,
		      unsigned int size, unsigned int kind)
{
	*insn = (struct debugspec_insn) { .address = address, .size = size, .kind = kind };
	memcpy(insn->code, code, size < sizeof(insn->code) ? size : sizeof(insn->code));
}

/* Whether an instruction is what is looked for. */
static bool is_aim(const struct rvtrace_flow *flow, const struct debugspec_way *way,
		   const struct debugspec_insn *insn, const uint8_t *code)
{
	switch (way->aim) {
	case AIM_PC:
		return insn->address == way->pc;
	case AIM_BRANCH:
		return insn->kind == RVTRACE_INSN_BRANCH;
	case AIM_JUMP:
		return flow_kind_is_indirect(insn->kind);
	case AIM_ACCESS:
		return debugspec_makes_access(flow, way->access, code, insn->size);
	default:
		return insn->kind == RVTRACE_INSN_TRAP_RETURN || debugspec_traps(insn);
	}
}

/* Whether looking can pass over a whole block but its last instruction. */
static bool passes(const struct debugspec_way *way, uint64_t pc, const struct block *block)
{
	if (way->aim == AIM_BRANCH || way->aim == AIM_JUMP)
		return true;
	return way->aim == AIM_PC && way->pc - pc >= (uint64_t)block->size - block->last_size;
}

/* Looks in a block, behind @before instructions. Return: whether it is there. */
static bool look(const struct rvtrace_flow *flow, struct debugspec_way *way, uint64_t before,
		 uint64_t pc, const struct block *block, const uint8_t *code)
{
	uint32_t first = passes(way, pc, block) ? block->instructions - 1 : 0;
	uint32_t at = first ? block->size - block->last_size : 0;

	for (uint32_t i = first; i < block->instructions; i++) {
		unsigned int size = rvtrace_insn_size(code[at] | code[at + 1] << 8);
		bool last = i + 1 == block->instructions;

		take_insn(&way->insn, flow_address(flow, pc + at), code + at, size,
			  last ? block->kind : RVTRACE_INSN_LINEAR);
		way->count = before + i + 1;
		if (last && (block->kind == RVTRACE_INSN_BRANCH ||
			     block->kind == RVTRACE_INSN_JUMP || block->kind == RVTRACE_INSN_CALL))
			way->insn.target = flow_address(flow, pc + (int64_t)block->target);
		if (is_aim(flow, way, &way->insn, code + at))
			return true;
		at += size;
	}
	return false;
}

/* Where the code goes on behind a block. Return: whether that is known. */
static bool follow(const struct rvtrace_flow *flow, const struct debugspec_way *way,
		   const struct block *block, uint64_t *pc)
{
	uint64_t behind = flow_address(flow, *pc + block->size);

	switch (block->kind) {
	case RVTRACE_INSN_BRANCH:
		*pc = behind;
		return way->branches;
	case RVTRACE_INSN_JUMP:
	case RVTRACE_INSN_CALL:
		*pc = flow_address(flow, *pc + (int64_t)block->target);
		return !way->branches;
	case RVTRACE_INSN_TABLE_JUMP:
	case RVTRACE_INSN_TABLE_CALL:
		return !way->branches && flow_table_target(flow, flow->source, block->target, pc);
	}
	*pc = behind;
	return !flow_kind_is_indirect(block->kind);
}

/* A branch and an indirect jump have been reported before anything is told of what follows. */
static bool was_reported(const struct debugspec_way *way)
{
	unsigned int kind = way->insn.kind;

	if (way->aim != AIM_PC || way->branches)
		return false;
	return kind == RVTRACE_INSN_BRANCH ||
	       (flow_kind_is_indirect(kind) && kind != RVTRACE_INSN_TRAP_RETURN);
}

/**
 * debugspec_find() - the way from where the current source is
 * @flow: the decoder
 * @way: @aim to @access say to what; the rest is filled in
 *
 * Return: enum debugspec_found. Without memory, the decoder has failed and there is no code.
 */
enum debugspec_found debugspec_find(struct rvtrace_flow *flow, struct debugspec_way *way)
{
	unsigned int straddles = flow->straddles, next = 1;
	uint64_t pc = flow->source->pc, mark = pc;
	const uint8_t *code;
	struct block block;
	int found;

	way->count = 0;
	for (unsigned int i = 0; i < BLOCKS_MAX; i++) {
		found = block_at(flow, pc, &block, &code);
		flow->straddles = straddles;
		if (found < 0)
			flow->failed = true;
		if (found <= 0)
			return NO_CODE;
		if (!block.instructions)
			return NOT_FOUND;
		if (look(flow, way, way->count, pc, &block, code))
			return was_reported(way) ? NOT_FOUND : FOUND;
		if (!follow(flow, way, &block, &pc) || pc == mark)
			return NOT_FOUND;
		/* a loop leads to a mark of it before long */
		if (i == next) {
			mark = pc;
			next *= 2;
		}
	}
	return NOT_FOUND;
}

/* Cuts a block behind @count instructions. */
static void cut(struct block *block, const uint8_t *code, uint32_t count)
{
	uint32_t size = 0, last = 0;

	for (uint32_t i = 0; i < count; i++) {
		last = rvtrace_insn_size(code[size] | code[size + 1] << 8);
		size += last;
	}
	block->instructions = count;
	block->size = size;
	block->halfwords = size / 2;
	block->last_size = last;
	block->kind = RVTRACE_INSN_LINEAR;
}

/**
 * debugspec_ends_at_jump() - whether a way that led nowhere ends at an indirect jump
 * @way: the way
 */
bool debugspec_ends_at_jump(const struct debugspec_way *way)
{
	return flow_kind_is_indirect(way->insn.kind);
}

/* The next block of the way. */
static enum walk_status walk_one(struct rvtrace_flow *flow, struct output *out)
{
	struct debugspec_way *way = &flow->debugspec->way;
	struct source *source = flow->source;
	const uint8_t *code;
	struct block block;
	uint64_t pc;
	int found = block_at(flow, source->pc, &block, &code);

	if (found < 0)
		return WALK_NO_MEMORY;
	if (!found || !block.instructions) {	/* the image has changed meanwhile */
		debugspec_no_code(flow);
		return WALK_BROKEN;
	}
	if (block.instructions > way->count)
		cut(&block, code, way->count);
	flow_put_block(out, source->pc, &block, code);
	way->count -= block.instructions;
	source->stats.instructions += block.instructions;
	source->stats.halfwords += block.halfwords;
	pc = source->pc;
	if (follow(flow, way, &block, &pc) || !flow_kind_is_indirect(block.kind))
		source->pc = pc;
	else
		source->pc = flow_address(flow, source->pc + block.size);
	/* a jump or branch that is the last one: what is behind it is seen to later */
	return WALK_DONE;
}

/**
 * flow_debugspec_walk() - go on with the walk of the current source
 * @flow: the decoder
 * @out: where the blocks go, with room for one
 *
 * Return: enum walk_status.
 */
enum walk_status flow_debugspec_walk(struct rvtrace_flow *flow, struct output *out)
{
	enum walk_status status = WALK_DONE;

	while (flow->debugspec->way.count && status == WALK_DONE) {
		if (out->block_count == out->block_max || flow->straddles == STRADDLE_MAX)
			status = WALK_AGAIN;
		else
			status = walk_one(flow, out);
	}
	return status;
}
