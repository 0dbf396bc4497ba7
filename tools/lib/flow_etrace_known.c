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

/* Whether all of a known block at @offset lies in the window; @near: see flow_near_end(). */
static inline bool is_inside(const struct window *window, uint64_t near, uint64_t offset,
			     const struct block *block)
{
	return offset < near ||
	       (offset <= window->span && block->size - 1ull <= window->span - offset);
}

/* The block there; 0: not known, or not in the window. */
static inline uint32_t look_up(const struct window *window, uint64_t offset)
{
	return offset <= window->span ? window->map[offset / 2] : 0;
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
	struct block *blocks = flow->blocks, *block;
	uint64_t near = flow_near_end(flow, &window);
	uint64_t offset = flow->walk.pc - window.start, left = w->left;
	uint64_t instructions = 0, bytes = 0;
	uint32_t index = look_up(&window, offset), map = w->map;

	if (state->owed && (state->must_branch || etrace_lone_branch(&blocks[index])))
		return;
	while (left && put < end) {
		enum successor successor;

		block = &blocks[index];
		/* block 0 is of a kind that nobody knows a successor of */
		if (!is_inside(&window, near, offset, block))
			break;
		if (block->kind == RVTRACE_INSN_BRANCH) {
			if (predicts) {
				successor = predicted_successor(flow, window.start + offset +
								block->size - block->last_size);
			} else {
				successor = map & 1 ? BEHIND : TARGET;
				map >>= 1;
			}
			left--;
			w->irets = 0;
			flow->walk.steps = 0;
		} else {
			successor = jump_successor(state, block, w->irreport && left == 1);
			if (successor == UNKNOWN || flow->walk.steps == ETRACE_LOOP_STEPS)
				break;
			flow->walk.steps++;
			if (block->kind == RVTRACE_INSN_CALL &&
			    etrace_has(state, RVTRACE_ETRACE_IMPLICIT_RETURN))
				flow_etrace_call(&state->stack,
						 flow_address(flow, window.start + offset +
								    block->size));
		}
		put->address = window.start + offset;
		put->code = window.bytes + offset;
		put->instructions = block->instructions;
		put->size = block->size;
		put++;
		instructions += block->instructions;
		bytes += block->size;
		if (successor == RETURN) {
			uint64_t link;

			flow_etrace_return(&state->stack, &link);
			offset = link - window.start;
			index = look_up(&window, offset);
			w->irets++;
			continue;
		}
		offset += (int64_t)block->step[successor];
		index = block->next[successor];
		if (!index) {
			index = look_up(&window, offset);
			block->next[successor] = index;
		}
	}
	if (put == first)
		return;
	if (!left && w->has_target &&
	    flow_address(flow, put[-1].address + put[-1].size - block->last_size) == w->target)
		w->arrived = ARRIVED_AT_BRANCH;
	w->left = left;
	if (!predicts)
		w->map = map;
	w->returned = false;
	state->owed = false;
	flow->walk.pc = flow_address(flow, window.start + offset);
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
