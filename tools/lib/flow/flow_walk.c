// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Walks over the code: from the address of a source through everything the code determines, with
 * branch outcomes where there are any, for a number of half-words or until no outcomes are left.
 */
#include <limits.h>
#include <string.h>

#include "flow_internal.h"

/* Jumps in a row before a loop is suspected; a power of two. */
#define LOOP_STEPS	4096

/**
 * flow_walk_start() - begin a walk of the current source
 * @flow: the decoder
 * @counted: walk all half-words that were reported, else until @hist is used up
 * @hist: branch outcomes with a stop bit; 0 for none
 * @repeats: how many times @hist happened
 */
void flow_walk_start(struct rvtrace_flow *flow, bool counted, uint64_t hist, uint32_t repeats)
{
	struct walk *walk = &flow->walk;
	unsigned int bits = hist ? 63 - __builtin_clzll(hist) : 0;

	walk->pc = flow->source->pc;
	walk->left = flow->source->balance;
	walk->hist = hist;
	walk->bits = repeats ? bits : 0;
	walk->pattern_bits = bits;
	walk->repeats = bits && repeats ? repeats - 1 : 0;
	walk->counted = counted;
	walk->careful = false;
	walk->stopped = false;
	walk->open = false;
	walk->last_kind = RVTRACE_INSN_LINEAR;
	walk->tail = UINT64_MAX;
	walk->mark = UINT64_MAX;
	walk->steps = 0;
	walk->ahead = 0;
	flow->walking = true;
}

/**
 * flow_walk_counted() - begin a walk over what has been counted, as far as that is certain
 * @flow: the decoder
 *
 * Return: whether the current source has counted anything.
 */
bool flow_walk_counted(struct rvtrace_flow *flow)
{
	const struct source *source = flow->source;

	if (!source->synced || source->gap || source->balance <= 0)
		return false;
	flow_walk_start(flow, true, 0, 0);
	flow->walk.careful = true;
	return true;
}

/**
 * flow_outcome() - the outcome of the next branch
 * @walk: a walk
 * @taken: out
 *
 * Return: whether there is one.
 */
bool flow_outcome(struct walk *walk, bool *taken)
{
	if (!walk->bits) {
		if (!walk->repeats)
			return false;
		walk->repeats--;
		walk->bits = walk->pattern_bits;
	}
	walk->bits--;
	*taken = walk->hist >> walk->bits & 1;
	walk->mark = UINT64_MAX;
	walk->steps = 0;
	return true;
}

/*
 * Without a branch in between, the same address over and over is a loop without an exit. Calls and
 * implicit returns may lead to an address again, but not for thousands of jumps.
 */
static bool loops(struct walk *walk)
{
	if (walk->counted)
		return false;
	walk->steps++;
	if (walk->steps <= LOOP_STEPS)
		return false;
	if (walk->steps == LOOP_STEPS + 1 || !(walk->steps & (walk->steps - 1)))
		walk->mark = walk->pc;
	else if (walk->pc == walk->mark)
		return true;
	return false;
}

/**
 * flow_gap() - the current source cannot be followed until the next address
 * @flow: the decoder
 * @pc: where the gap starts
 * @has_address: @pc is known
 */
void flow_gap(struct rvtrace_flow *flow, uint64_t pc, bool has_address)
{
	struct source *source = flow->source;

	source->pc = pc;
	source->gap = true;
	source->gap_has_address = has_address;
	source->unfollowed = false;
	flow_forget_calls(flow);
	flow_apply_pending(flow);
}

/**
 * flow_next_pending() - the next write of scontext that was reported has happened
 * @flow: the decoder; its source has one pending
 */
void flow_next_pending(struct rvtrace_flow *flow)
{
	struct source *source = flow->source;
	uint64_t space = source->pending[0];

	source->pending_count--;
	for (unsigned int i = 0; i < source->pending_count; i++)
		source->pending[i] = source->pending[i + 1];
	flow_set_context(flow, source->priv, source->v, space);
}

/**
 * flow_apply_pending() - all writes of scontext that were reported have happened
 * @flow: the decoder
 */
void flow_apply_pending(struct rvtrace_flow *flow)
{
	while (flow->source->pending_count)
		flow_next_pending(flow);
}

static enum walk_status broken(struct rvtrace_flow *flow, int error, uint64_t pc, bool has_address)
{
	struct source *source = flow->source;

	source->balance = flow->walk.left;
	source->pc = pc;
	if (error)
		flow_error(flow, error);
	flow_gap(flow, pc, has_address);
	return WALK_BROKEN;
}

/* A return to a caller that is not known, or should have been reported. */
static enum walk_status unfollowed(struct rvtrace_flow *flow, int error, uint64_t next)
{
	enum walk_status status = broken(flow, error, next, false);

	flow->source->unfollowed = flow->source->counts_calls && !error;
	return status;
}

/* An indirect jump in the middle of a walk: its target must be known without the trace. */
static enum walk_status infer(struct rvtrace_flow *flow, const struct block *block)
{
	struct source *source = flow->source;
	struct walk *walk = &flow->walk;
	uint64_t next = walk->pc, target;
	unsigned int kind = block->kind;	/* @block may move */
	bool returns = source->implicit_return &&
		       (kind == RVTRACE_INSN_RETURN || kind == RVTRACE_INSN_SWAP);
	int known = returns ? flow_return(flow, &target) : 0;

	if (walk->sequential)	/* there it goes, whoever called */
		target = walk->target;
	else if (!returns)
		return broken(flow, RVTRACE_ERR_JUMP, walk->last_pc, true);
	else if (known <= 0)
		return unfollowed(flow, known, next);
	if (kind == RVTRACE_INSN_SWAP || kind == RVTRACE_INSN_INDIRECT_CALL)
		flow_call(flow, target, next);
	walk->pc = target;
	walk->open = false;
	if (loops(walk))
		return broken(flow, RVTRACE_ERR_LOOP, target, true);
	return flow->queue_count ? WALK_AGAIN : WALK_DONE; /* what was inferred comes before */
}

/* A direct conditional branch; walk->pc is behind it. */
static enum walk_status branch(struct rvtrace_flow *flow)
{
	struct walk *walk = &flow->walk;
	bool taken;

	if (flow_outcome(walk, &taken)) {
		if (taken)
			walk->pc = walk->target;
	} else if (walk->left == 0) {
		walk->open = true;
	} else if (flow->source->history) {
		return broken(flow, RVTRACE_ERR_HISTORY, walk->last_pc, true);
	}
	return WALK_DONE;
}

/* A direct jump or call; with all_jumps each has an outcome, always taken. */
static enum walk_status jump(struct rvtrace_flow *flow, const struct block *block)
{
	struct walk *walk = &flow->walk;
	bool taken = true;

	if (block->kind == RVTRACE_INSN_CALL)
		flow_call(flow, walk->target, walk->pc);
	if (flow->config.ntrace.all_jumps && flow->source->history &&
	    (!flow_outcome(walk, &taken) || !taken))
		return broken(flow, RVTRACE_ERR_HISTORY, walk->last_pc, true);
	walk->pc = walk->target;
	return loops(walk) ? broken(flow, RVTRACE_ERR_LOOP, walk->pc, true) : WALK_DONE;
}

static enum walk_status table_jump(struct rvtrace_flow *flow, const struct block *block)
{
	struct walk *walk = &flow->walk;
	uint64_t target;

	if (!flow_table_target(flow, flow->source, block->target, &target))
		return broken(flow, 0, walk->pc, false);
	if (block->kind == RVTRACE_INSN_TABLE_CALL)
		flow_call(flow, target, walk->pc);
	walk->target = target;
	walk->pc = target;
	return loops(walk) ? broken(flow, RVTRACE_ERR_LOOP, target, true) : WALK_DONE;
}

/* Behind the last instruction of a block, x1 leads elsewhere, or the stack is another. */
static void write_link(struct rvtrace_flow *flow, const struct block *block, const uint8_t *code,
		       uint64_t start)
{
	const uint8_t *last = code + block->size - block->last_size;

	flow->walk.last_kind = RVTRACE_INSN_LINEAR;
	if (!flow->source->counts_calls)
		return;
	if (flow_writes_link(&flow->config.isa, last, block->last_size, block->last_size))
		flow_set_link(flow, flow_link_constant(flow, block, code, start));
	else
		flow_leave_stack(flow);
}

/* A block ends with an indirect jump: how it uses x5 */
static void look_at_x5(struct rvtrace_flow *flow, const struct block *block, const uint8_t *code)
{
	flow->walk.dispatches = flow_dispatches(block, code);
	if (block->kind == RVTRACE_INSN_RETURN && block->by_x5 &&
	    flow_writes_x5(&flow->config.isa, code, block->size))
		flow_drop_x5(flow);
}

/* What the last instruction of a block does; walk->pc is behind it. */
static enum walk_status advance(struct rvtrace_flow *flow, const struct block *block,
				const uint8_t *code, uint64_t start)
{
	struct walk *walk = &flow->walk;
	bool more = walk->counted ? walk->left != 0 : walk->bits || walk->repeats;

	walk->last_kind = block->kind;
	walk->last_pc = walk->pc - block->last_size;
	switch (block->kind) {
	case RVTRACE_INSN_BRANCH:
		walk->target = flow_address(flow, start + (int64_t)block->target);
		return branch(flow);
	case RVTRACE_INSN_JUMP:
	case RVTRACE_INSN_CALL:
		walk->target = flow_address(flow, start + (int64_t)block->target);
		walk->last_by_x5 = block->by_x5;
		return jump(flow, block);
	case RVTRACE_INSN_TABLE_JUMP:
	case RVTRACE_INSN_TABLE_CALL:
		walk->last_by_x5 = false;
		return table_jump(flow, block);
	case RVTRACE_INSN_CONTEXT_WRITE:
		if (!flow->source->pending_count)
			return WALK_DONE;
		flow_next_pending(flow);
		return WALK_AGAIN;	/* the event comes before the next block */
	case BLOCK_LINK_WRITE:
		write_link(flow, block, code, start);
		/* fall through */
	case RVTRACE_INSN_LINEAR:	/* the code goes on elsewhere */
		walk->tail = walk->last_pc;
		memcpy(walk->tail_code, code + block->halfwords * 2 - block->last_size,
		       block->last_size < 4 ? 2 : 4);
		/* another thread executes the next block */
		return walk->pc == flow->config.task_switch ? WALK_AGAIN : WALK_DONE;
	}
	if (!flow_kind_is_indirect(block->kind))
		return WALK_DONE;
	walk->open = true;
	walk->sequential = flow->config.ntrace.sequential_jump &&
			   flow_sequential_target(flow, block, code, start, &walk->target);
	walk->last_by_x5 = block->by_x5;
	if (flow->source->counts_calls)
		look_at_x5(flow, block, code);
	/* At the end of a careful walk, no message says where it led. */
	more |= walk->careful && walk->sequential;
	return more ? infer(flow, block) : WALK_DONE;
}

/**
 * flow_cut() - a walk ends inside a block
 * @flow: the decoder
 * @block: cut; its last instruction is then not the one that ended it
 * @code: of it
 * @left: half-words that are left of it
 *
 * Return: 0, or an error if it ends inside an instruction.
 */
int flow_cut(const struct rvtrace_flow *flow, struct block *block, const uint8_t *code, int64_t left)
{
	struct rvtrace_insn insn = { 0 };
	uint16_t instructions = 0;
	uint16_t halfwords = 0;

	while (halfwords < left) {
		rvtrace_insn_decode(&flow->config.isa, code + 2 * halfwords, RVTRACE_INSN_MAX,
				    &insn);
		if (halfwords + insn.size / 2 > left)
			break;
		halfwords += insn.size / 2;
		instructions++;
	}
	block->kind = insn.kind == RVTRACE_INSN_CUSTOM ? insn.kind : RVTRACE_INSN_LINEAR;
	block->last_size = insn.size;
	block->instructions = instructions;
	block->size = halfwords * 2;
	block->halfwords = halfwords;
	return halfwords < left ? RVTRACE_ERR_ICNT : 0;
}

/* How the flow goes on behind a known block: behind it, at its target, elsewhere. */
enum successor { BEHIND, TARGET, RETURN, UNKNOWN };

/* Of a block that ends without a branch, in the middle of a walk. */
static enum successor jump_successor(const struct rvtrace_flow *flow, const struct block *block)
{
	switch (block->kind) {
	case RVTRACE_INSN_CALL:
		if (flow->source->counts_calls)
			return UNKNOWN;
		return flow->config.ntrace.all_jumps ? UNKNOWN : TARGET;
	case RVTRACE_INSN_JUMP:
		return flow->config.ntrace.all_jumps ? UNKNOWN : TARGET;
	case RVTRACE_INSN_RETURN:
		return flow->source->implicit_return && !flow->source->counts_calls &&
		       !flow->config.ntrace.sequential_jump &&
		       flow->source->stack.count ? RETURN : UNKNOWN;
	}
	return UNKNOWN;
}

/* A history yet to come may have the outcomes of branches in the middle of a walk. */
static bool may_have_outcomes(const struct source *source)
{
	return source->history || !source->mode_known;
}

/*
 * Most of every walk: known blocks inside the window whose successors are plain. Stops in front of
 * everything else, and of the last block: what ends a walk is looked at in full. Without histories,
 * a branch in the middle of a walk was not taken.
 */
static void walk_known(struct rvtrace_flow *flow, struct output *out)
{
	struct source *source = flow->source;
	const struct window window = source->window;
	struct rvtrace_flow_block *put = out->blocks + out->block_count;
	const struct rvtrace_flow_block *end = out->blocks + out->block_max;
	struct block *blocks = flow->blocks;
	struct walk *walk = &flow->walk;
	bool falls = walk->counted && !(walk->careful ? may_have_outcomes(source) : source->history);
	unsigned int bits = falls ? UINT_MAX : walk->bits;
	uint64_t offset = walk->pc - window.start, hist = walk->hist;
	uint32_t repeats = walk->repeats;
	int64_t most = walk->counted ? 2 * (walk->left - 1) : INT64_MAX, left = most;
	const struct rvtrace_flow_block *since = put;	/* the last outcome */
	uint32_t index = offset <= window.span ? window.map[offset / 2] : 0;
	uint64_t instructions = 0;

	/* what finds loops looks at the steps from there on, whatever the room was */
	if (!walk->counted && end - put > (int64_t)(LOOP_STEPS - walk->steps))
		end = put + (LOOP_STEPS - walk->steps);
	while (put < end) {
		struct block *block = flow_block_of(blocks, index);
		unsigned int successor;

		/* block 0 goes nowhere */
		if (block->size > left || block->size - 1ull > window.span - offset)
			break;
		if (block->kind == RVTRACE_INSN_BRANCH) {
			if (!bits) {
				if (!repeats)
					break;
				repeats--;
				bits = walk->pattern_bits;
			}
			bits--;
			since = put + 1;
			successor = hist >> (bits & 63) & 1;
		} else {
			if (!walk->counted && !bits && !repeats)
				break;
			successor = jump_successor(flow, block);
			if (successor == UNKNOWN)
				break;
		}
		*put++ = (struct rvtrace_flow_block) {
			.address = window.start + offset,
			.code = window.bytes + offset,
			.instructions = block->instructions,
			.size = block->size,
		};
		instructions += block->instructions;
		left -= block->size;
		if (block->kind == RVTRACE_INSN_CALL)
			call_stack_push(&source->stack, flow_address(flow, window.start + offset +
								     block->size));
		if (successor == RETURN) {
			uint64_t link;	/* not @offset, which stays in a register */

			call_stack_pop(&source->stack, &link);
			offset = link - window.start;
			index = offset <= window.span ? window.map[offset / 2] : 0;
			continue;
		}
		/* as often one as the other: no branch */
		offset += (int64_t)block->step[successor];
		if (offset > window.span)
			break;
		index = block->next[successor];
		if (!index) {
			index = window.map[offset / 2];
			block->next[successor] = index;
		}
	}
	if (since != out->blocks + out->block_count)
		walk->steps = 0;
	walk->steps += put - since;
	walk->bits = falls ? 0 : bits;
	walk->repeats = repeats;
	walk->pc = flow_address(flow, window.start + offset);
	walk->left -= (most - left) / 2;
	out->block_count = put - out->blocks;
	source->stats.instructions += instructions;
}

/*
 * Whether a message yet to come may say where the last instruction of a block leads, all of which
 * was reported.
 */
static bool is_unsure(const struct rvtrace_flow *flow, const struct block *block,
		      const uint8_t *code, uint64_t start)
{
	bool last = block->halfwords == flow->walk.left;
	uint64_t target;

	switch (block->kind) {
	case RVTRACE_INSN_LINEAR:
	case RVTRACE_INSN_CONTEXT_WRITE:
	case BLOCK_LINK_WRITE:
		return false;
	case RVTRACE_INSN_BRANCH:
		return last || may_have_outcomes(flow->source);
	case RVTRACE_INSN_JUMP:
	case RVTRACE_INSN_CALL:
		return flow->config.ntrace.all_jumps && (last || may_have_outcomes(flow->source));
	}
	if (!last)
		return false;
	/* A walk that begins with it would not know what has loaded its register. */
	return !flow->config.ntrace.sequential_jump ||
	       !flow_sequential_target(flow, block, code, start, &target);
}

static enum walk_status walk_one(struct rvtrace_flow *flow, struct output *out)
{
	struct source *source = flow->source;
	struct walk *walk = &flow->walk;
	const struct block *block;
	uint64_t start = walk->pc;
	const uint8_t *code;
	int found, error = 0;

	block = flow_get_block(flow, &code, &found);
	if (!block && found < 0)
		return WALK_NO_MEMORY;
	if (!block)
		return broken(flow, 0, start, true);
	if (!block->instructions)
		return broken(flow, RVTRACE_ERR_INSTRUCTION, start, true);
	if (walk->counted && block->halfwords > walk->left) {
		flow->loose = *block;
		block = &flow->loose;
		error = flow_cut(flow, &flow->loose, code, walk->left);
	} else if (walk->careful && is_unsure(flow, block, code, start)) {
		walk->stopped = true;
		flow->loose = *block;
		block = &flow->loose;
		flow_cut(flow, &flow->loose, code, block->halfwords - block->last_size / 2);
	}
	if (block->instructions)
		flow_put_block(out, start, block, code);
	source->stats.instructions += block->instructions;
	if (flow_link_is_set(source))
		flow_follow_link(flow, code, block->size);
	walk->left -= block->halfwords;
	walk->pc = flow_address(flow, start + block->halfwords * 2ull);
	if (error)
		return broken(flow, error, walk->pc, true);
	return advance(flow, block, code, start);
}

static enum walk_status walk_all(struct rvtrace_flow *flow, struct output *out)
{
	struct walk *walk = &flow->walk;
	enum walk_status status;

	while (walk->counted ? walk->left > 0 : walk->bits || walk->repeats) {
		if (walk->steps < LOOP_STEPS && !flow_link_is_set(flow->source))
			walk_known(flow, out);
		if (out->block_count == out->block_max || flow->straddles == STRADDLE_MAX)
			return WALK_AGAIN;
		if (!walk->counted && !walk->bits && !walk->repeats)
			break;
		status = walk_one(flow, out);
		if (status != WALK_DONE)
			return status;
		if (walk->stopped)
			break;
	}
	flow->source->pc = walk->pc;
	flow->source->balance = walk->left;
	return WALK_DONE;
}

/**
 * flow_walk() - go on with the walk of the current source
 * @flow: the decoder
 * @out: where the blocks go, with room for one
 *
 * Return: WALK_DONE: at its end, source->pc and source->balance say where; if walk.open, the last
 * instruction has not been followed. WALK_BROKEN: the source is in a gap. WALK_AGAIN,
 * WALK_NO_MEMORY.
 */
enum walk_status flow_walk(struct rvtrace_flow *flow, struct output *out)
{
	int64_t left = flow->walk.left;
	enum walk_status status = walk_all(flow, out);

	flow->source->stats.halfwords += left - flow->walk.left;
	return status;
}
