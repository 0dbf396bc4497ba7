// SPDX-License-Identifier: LGPL-2.1-or-later
/* Walks of E-Trace, the usual part: see flow_etrace_walk.c, which does what is left over. */
#include <stddef.h>
#include <string.h>

#include "flow_etrace.h"

_Static_assert(offsetof(struct rvtrace_flow_block, size) ==
	       offsetof(struct rvtrace_flow_block, instructions) + sizeof(uint32_t) &&
	       offsetof(struct block, size) == offsetof(struct block, extent) + sizeof(uint32_t),
	       "instructions and size of a block are copied at once");

/* How the flow goes on behind a known block: behind it, at its target, elsewhere. */
enum successor { BEHIND, TARGET, RETURN, UNKNOWN };

/* Instructions and bytes of the blocks of a run, added up at once: both are small enough. */
union extent {
	uint64_t sum;
	struct {
		uint32_t instructions;
		uint32_t bytes;
	};
};

/**
 * struct run - blocks one behind the other
 * @window: where they are
 * @blocks: all that are known
 * @near: all that begin before this offset end inside the window; 0: there may be none
 * @offset: of the next one in the window, or out of it
 * @index: the next one; 0, which is of a kind that has no successor: not known
 * @put: where it goes
 * @extent: of those that were put
 */
struct run {
	struct window window;
	struct block *blocks;
	uint64_t near;
	uint64_t offset;
	uint32_t index;
	struct rvtrace_flow_block *put;
	union extent extent;
};

/* The block at @offset is the next one. */
static __always_inline void run_to(struct run *run, uint64_t offset)
{
	run->offset = offset;
	run->index = offset <= run->window.span ? run->window.map[offset / 2] : 0;
}

/* From where the walk of the current source is. */
static __always_inline void run_start(struct run *run, const struct rvtrace_flow *flow,
				      const struct output *out)
{
	run->window = flow->source->window;
	run->blocks = flow->blocks;
	run->near = run->window.span >= flow->block_longest ?
		    run->window.span - flow->block_longest : 0;
	run->put = out->blocks + out->block_count;
	run->extent.sum = 0;
	run_to(run, flow->walk.pc - run->window.start);
}

/* Whether all of the next block, @block, lies in the window. */
static __always_inline bool run_is_inside(const struct run *run, const struct block *block)
{
	return run->offset < run->near ||
	       (run->offset <= run->window.span &&
		block->size - 1ull <= run->window.span - run->offset);
}

static __always_inline void run_put(struct run *run, const struct block *block)
{
	run->put->address = run->window.start + run->offset;
	run->put->code = run->window.bytes + run->offset;
	memcpy((char *)run->put + offsetof(struct rvtrace_flow_block, instructions), &block->extent,
	       sizeof(block->extent));
	run->put++;
	run->extent.sum += block->extent;
}

/* To what is BEHIND @block, or its TARGET. */
static __always_inline void run_step(struct run *run, struct block *block, unsigned int successor)
{
	run->offset += (int64_t)block->step[successor];
	run->index = block->next[successor];
	if (!run->index) {
		run_to(run, run->offset);
		block->next[successor] = run->index;
	}
}

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
	struct etrace_walk *w = &flow->etrace_walk;
	size_t room = out->block_max - out->block_count;
	struct run run;
	struct block *block;
	uint64_t left = w->left, link, last;
	uint32_t map = w->map;

	run_start(&run, flow, out);
	block = flow_block_of(run.blocks, run.index);
	if (state->owed && (state->must_branch || etrace_lone_branch(block)))
		return;
	while (left && room) {
		uint64_t most = left < room ? left : room, n = predicts ? 0 : most;
		enum successor successor;

		/* most blocks end in branches */
		for (; n; n--) {
			block = flow_block_of(run.blocks, run.index);
			if (block->kind != RVTRACE_INSN_BRANCH || run.offset >= run.near)
				break;
			run_put(&run, block);
			run_step(&run, block, ~map & 1);
			map >>= 1;
		}
		if (!predicts && n != most) {
			left -= most - n;
			room -= most - n;
			w->irets = 0;
			flow->walk.steps = 0;
			if (!n)
				break;
		}
		block = flow_block_of(run.blocks, run.index);
		if (!run_is_inside(&run, block))
			break;
		if (block->kind == RVTRACE_INSN_BRANCH) {
			if (predicts) {
				uint64_t end = run.window.start + run.offset + block->size;

				successor = predicted_successor(flow, end - block->last_size);
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
						 flow_address(flow, run.window.start + run.offset +
								    block->size));
		}
		run_put(&run, block);
		room--;
		if (successor == RETURN) {
			flow_etrace_return(&state->stack, &link);
			run_to(&run, link - run.window.start);
			w->irets++;
		} else {
			run_step(&run, block, successor);
		}
	}
	if (room == out->block_max - out->block_count)
		return;
	last = run.put[-1].address + run.put[-1].size - block->last_size;
	if (!left && w->has_target && flow_address(flow, last) == w->target)
		w->arrived = ARRIVED_AT_BRANCH;
	w->left = left;
	if (!predicts)
		w->map = map;
	w->returned = false;
	state->owed = false;
	flow->walk.pc = flow_address(flow, run.window.start + run.offset);
	flow->walk.tail = UINT64_MAX;
	out->block_count = out->block_max - room;
	source->stats.instructions += run.extent.instructions;
	source->stats.halfwords += run.extent.bytes / 2;
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
