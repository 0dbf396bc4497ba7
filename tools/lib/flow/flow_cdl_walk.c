// SPDX-License-Identifier: LGPL-2.1-or-later
/* Walks of so many instructions, of which at most the last one jumps. */
#include <string.h>

#include "flow_cdl.h"

/**
 * flow_cdl_walk_start() - begin a walk of the current source, which is not in a gap
 * @flow: the decoder
 * @instructions: how many
 * @jumps: the last one is the jump of the current item
 */
void flow_cdl_walk_start(struct rvtrace_flow *flow, uint64_t instructions, bool jumps)
{
	struct walk *walk = &flow->walk;

	walk->pc = flow->source->pc;
	walk->left = instructions;
	walk->last_kind = RVTRACE_INSN_LINEAR;
	flow->cdl->jumps_last = jumps;
	flow->walking = true;
}

static bool is_direct(unsigned int kind)
{
	return kind == RVTRACE_INSN_JUMP || kind == RVTRACE_INSN_CALL;
}

static bool is_indirect(unsigned int kind)
{
	return (kind >= RVTRACE_INSN_INDIRECT_JUMP && kind <= RVTRACE_INSN_SWAP) ||
	       kind == RVTRACE_INSN_TABLE_JUMP || kind == RVTRACE_INSN_TABLE_CALL;
}

/* "Non-sequential flow": whether an instruction of a class is what the current item tells of. */
static bool fits(const struct rvtrace_flow *flow, unsigned int kind)
{
	bool rtl = flow->config.cdl.flavour == RVTRACE_CDL_RTL;

	if (kind == RVTRACE_INSN_CUSTOM)
		return true;
	switch (flow->cdl->item.number) {
	case RVTRACE_CDL_BRANCH:
		return kind == RVTRACE_INSN_BRANCH || (rtl && is_direct(kind));
	case RVTRACE_CDL_JUMP:
		return is_indirect(kind) || (!rtl && is_direct(kind));
	case RVTRACE_CDL_RETURN:
		return kind == RVTRACE_INSN_TRAP_RETURN;
	}
	return false;
}

static bool is_sequential(unsigned int kind)
{
	return kind == RVTRACE_INSN_LINEAR || kind == RVTRACE_INSN_BRANCH ||
	       kind == RVTRACE_INSN_CONTEXT_WRITE || kind == RVTRACE_INSN_CUSTOM;
}

/* The first @count instructions of a block that has more; its last one ends no block. */
static void cut(const struct rvtrace_flow *flow, struct block *block, const uint8_t *code,
		uint64_t count)
{
	struct rvtrace_insn insn = { 0 };
	uint32_t size = 0;

	for (uint64_t i = 0; i < count; i++) {
		rvtrace_insn_decode(&flow->config.isa, code + size, RVTRACE_INSN_MAX, &insn);
		size += insn.size;
	}
	block->instructions = count;
	block->size = size;
	block->halfwords = size / 2;
	block->kind = insn.kind == RVTRACE_INSN_CUSTOM ? insn.kind : RVTRACE_INSN_LINEAR;
	block->last_size = insn.size;
}

/* What lies behind the block before, in address and in memory, is one block with it. */
static void put(struct output *out, size_t first, uint64_t pc, const struct block *block,
		const uint8_t *code)
{
	struct rvtrace_flow_block *last = out->blocks + out->block_count - 1;

	if (out->block_count > first && last->address + last->size == pc &&
	    last->code + last->size == code && last->size < UINT32_MAX / 2) {
		last->size += block->halfwords * 2u;
		last->instructions += block->instructions;
		return;
	}
	flow_put_block(out, pc, block, code);
}

static enum walk_status broken(struct rvtrace_flow *flow, int error, bool has_address)
{
	struct rvtrace_flow_item *item;

	flow->source->pc = flow->walk.pc;
	if (error) {
		flow_error(flow, error);
	} else {
		item = flow_event(flow, RVTRACE_FLOW_NO_IMAGE);
		flow_event_address(item, flow->walk.pc);
		item->no_image.complete = true;
	}
	flow_gap(flow, flow->walk.pc, has_address);
	return WALK_BROKEN;
}

/* The last instruction of the walk: does it jump as it should? */
static int check_last(struct rvtrace_flow *flow, const struct block *block)
{
	struct cdl_state *state = flow->cdl;

	if (!state->jumps_last)
		return is_sequential(block->kind) ? 0 : RVTRACE_ERR_JUMP;
	if (fits(flow, block->kind))
		return 0;
	return state->item.number == RVTRACE_CDL_BRANCH ? RVTRACE_ERR_BRANCH : RVTRACE_ERR_JUMP;
}

static enum walk_status walk_one(struct rvtrace_flow *flow, struct output *out, size_t first)
{
	struct cdl_state *state = flow->cdl;
	struct source *source = flow->source;
	struct walk *walk = &flow->walk;
	const struct block *block;
	const uint8_t *code;
	int found, error;

	block = flow_get_block(flow, &code, &found);
	if (!block && found < 0)
		return WALK_NO_MEMORY;
	if (!block)
		return broken(flow, 0, true);
	if (!block->instructions)
		return broken(flow, RVTRACE_ERR_INSTRUCTION, true);
	if (block->instructions > (uint64_t)walk->left) {
		flow->loose = *block;
		cut(flow, &flow->loose, code, walk->left);
		block = &flow->loose;
	}
	if (block->instructions == (uint64_t)walk->left) {
		error = check_last(flow, block);
		if (error && state->either && is_sequential(block->kind)) {
			state->either = false;	/* SSS counted what is before the jump */
			state->carried = 1;
			walk->left++;
			return WALK_DONE;
		}
	} else {
		error = is_sequential(block->kind) ? 0 : RVTRACE_ERR_JUMP;
	}
	if (error)
		return broken(flow, error, true);
	put(out, first, walk->pc, block, code);
	source->stats.instructions += block->instructions;
	source->stats.halfwords += block->halfwords;
	walk->left -= block->instructions;
	walk->target = flow_address(flow, walk->pc + (int64_t)block->target);
	walk->pc = flow_address(flow, walk->pc + block->halfwords * 2ull);
	walk->last_pc = flow_address(flow, walk->pc - block->last_size);
	walk->last_kind = block->kind;
	return WALK_DONE;
}

/**
 * flow_cdl_walk() - go on with the walk of the current source
 * @flow: the decoder
 * @out: where the blocks go, with room for one
 *
 * Return: WALK_DONE: source->pc is behind the last instruction, which walk.last_kind, last_pc and
 * target describe. WALK_BROKEN: the source is in a gap. WALK_AGAIN, WALK_NO_MEMORY.
 */
enum walk_status flow_cdl_walk(struct rvtrace_flow *flow, struct output *out)
{
	size_t first = out->block_count;
	enum walk_status status = WALK_DONE;

	while (flow->walk.left > 0 && status == WALK_DONE) {
		if (out->block_count == out->block_max || flow->straddles == STRADDLE_MAX)
			status = WALK_AGAIN;
		else
			status = walk_one(flow, out, first);
	}
	if (status == WALK_DONE)
		flow->source->pc = flow->walk.pc;
	return status;
}
