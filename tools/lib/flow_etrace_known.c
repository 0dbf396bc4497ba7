// SPDX-License-Identifier: LGPL-2.1-or-later
/* Walks of E-Trace, the usual part: see flow_etrace_walk.c, which does what is left over. */
#include "flow_etrace.h"

/* How the flow goes on behind a known block: behind it, at its target, elsewhere. */
enum successor { BEHIND, TARGET, RETURN, UNKNOWN };

/* Of a block without a branch, while there are outcomes to go. @reported: returns may be. */
static inline enum successor jump_successor(const struct etrace_state *state,
					    const struct block *block, bool reported)
{
	switch (block->kind) {
	case RVTRACE_INSN_JUMP:
	case RVTRACE_INSN_CALL:
		return TARGET;
	case RVTRACE_INSN_RETURN:
		if (etrace_has(state, RVTRACE_ETRACE_IMPLICIT_RETURN) &&
		    !etrace_has(state, RVTRACE_ETRACE_SIJUMP) && state->stack.depth && !reported)
			return RETURN;
	}
	return UNKNOWN;
}

/* Of the branch at @pc, which the predictor learns from. */
static inline enum successor predicted_successor(struct rvtrace_flow *flow, uint64_t pc)
{
	const struct etrace_state *state = flow->source->etrace;
	uint64_t address = flow_address(flow, pc);
	bool taken = etrace_outcome(&flow->etrace_walk, state, address);

	if (etrace_learns(state))
		etrace_learn(state, address, taken);
	return taken ? TARGET : BEHIND;
}

/*
 * Most of every walk: known blocks inside the window, up to the last branch. Stops in front of
 * everything that may be a special case. @predicts: branches have to do with the predictor.
 */
static __always_inline void walk_blocks(struct rvtrace_flow *flow, struct output *out,
					bool predicts)
{
	struct source *source = flow->source;
	struct etrace_state *state = source->etrace;
	const struct window window = source->window;
	struct rvtrace_flow_block *first = out->blocks + out->block_count, *put = first;
	const struct rvtrace_flow_block *end = out->blocks + out->block_max;
	struct etrace_walk *w = &flow->etrace_walk;
	struct block *blocks = flow->blocks;
	uint64_t offset = flow->walk.pc - window.start, steps = flow->walk.steps;
	uint32_t index = offset <= window.span ? window.map[offset / 2] : 0;
	uint64_t instructions = 0, left = w->left, bytes = 0;
	uint32_t map = w->map, irets = w->irets;
	unsigned int last_size = 0;

	if (state->owed && (state->must_branch || etrace_lone_branch(&blocks[index])))
		return;
	while (left && put < end) {
		struct block *block = &blocks[index];
		unsigned int successor;

		/* block 0 goes nowhere */
		if (block->size - 1ull > window.span - offset)
			break;
		last_size = block->last_size;
		if (block->kind == RVTRACE_INSN_BRANCH) {
			if (predicts) {
				successor = predicted_successor(flow, window.start + offset +
								      block->size - last_size);
			} else {
				successor = map & 1 ? BEHIND : TARGET;
				map >>= 1;
			}
			left--;
			irets = 0;
			steps = 0;
		} else {
			successor = jump_successor(state, block, w->irreport && left == 1);
			if (successor == UNKNOWN || steps == ETRACE_LOOP_STEPS)
				break;
			steps++;
		}
		*put++ = (struct rvtrace_flow_block) {
			.address = window.start + offset,
			.code = window.bytes + offset,
			.instructions = block->instructions,
			.size = block->size,
		};
		instructions += block->instructions;
		bytes += block->size;
		if (block->kind == RVTRACE_INSN_CALL &&
		    etrace_has(state, RVTRACE_ETRACE_IMPLICIT_RETURN))
			flow_etrace_call(&state->stack, flow_address(flow, window.start + offset +
								     block->size));
		if (successor == RETURN) {
			flow_etrace_return(&state->stack, &offset);
			offset -= window.start;
			index = offset <= window.span ? window.map[offset / 2] : 0;
			irets++;
			continue;
		}
		offset += (int64_t)block->step[successor];
		if (offset > window.span)
			break;
		index = block->next[successor];
		if (!index) {
			index = window.map[offset / 2];
			block->next[successor] = index;
		}
	}
	if (put == first)
		return;
	if (!left && w->has_target &&
	    flow_address(flow, put[-1].address + put[-1].size - last_size) == w->target)
		w->arrived = ARRIVED_AT_BRANCH;
	w->left = left;
	if (!predicts)
		w->map = map;
	w->irets = irets;
	w->returned = false;
	state->owed = false;
	flow->walk.pc = flow_address(flow, window.start + offset);
	flow->walk.steps = steps;
	flow->walk.tail = UINT64_MAX;
	out->block_count = put - out->blocks;
	source->stats.instructions += instructions;
	source->stats.halfwords += bytes / 2;
}

/**
 * flow_etrace_walk_known() - go on with a walk as far as that is simple
 * @flow: the decoder; there are outcomes to go, and no earlier visit of its last address
 * @out: where the blocks go, with room or without
 */
void flow_etrace_walk_known(struct rvtrace_flow *flow, struct output *out)
{
	if (flow->etrace_walk.predicted || etrace_learns(flow->source->etrace))
		walk_blocks(flow, out, true);
	else
		walk_blocks(flow, out, false);
}
