// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Walks of E-Trace (2.0 and 2.0.5 draft, chapter "Decoder"): from the last instruction reported
 * along branches with known outcome to the next one.
 *
 * The last instruction of a walk is the one reported. It is a branch that the last outcome belongs
 * to, or the target of a jump that code does not give away; else code alone leads there.
 */
#include <string.h>

#include "flow_etrace.h"

/* Blocks without a jump in a row; more are no program. */
#define STRAIGHT_MAX	64

/* Code and trace contradict each other: nothing is known until the next synchronization. */
static enum walk_status wrong(struct rvtrace_flow *flow, int error, uint64_t pc)
{
	struct source *source = flow->source;

	source->pc = pc;
	flow_error(flow, error);
	source->synced = false;
	source->etrace->owed = false;
	flow_apply_pending(flow);
	return WALK_BROKEN;
}

/**
 * flow_etrace_gap() - the current source cannot be followed until the next address
 * @flow: the decoder
 * @pc: where the gap starts
 * @has_address: @pc is known
 *
 * Return: WALK_BROKEN.
 */
enum walk_status flow_etrace_gap(struct rvtrace_flow *flow, uint64_t pc, bool has_address)
{
	struct source *source = flow->source;
	struct rvtrace_flow_item *item = flow_event(flow, RVTRACE_FLOW_NO_IMAGE);

	if (has_address)
		flow_event_address(item, pc);
	source->pc = pc;
	source->gap = true;
	source->etrace->owed = false;
	source->etrace->known = false;
	source->etrace->predicts = false;
	flow_etrace_forget_calls(&source->etrace->stack, true);
	flow_apply_pending(flow);
	return WALK_BROKEN;
}

/*
 * The same address over and over, with as many calls open, is a loop without an exit unless there
 * is a branch in it.
 */
static bool loops(struct rvtrace_flow *flow)
{
	struct walk *walk = &flow->walk;
	uint64_t nested = flow->source->etrace->stack.nested;

	walk->steps++;
	if (walk->steps <= ETRACE_LOOP_STEPS)
		return false;
	if (walk->steps == ETRACE_LOOP_STEPS + 1 || !(walk->steps & (walk->steps - 1))) {
		walk->mark = walk->pc;
		flow->etrace_walk.mark_nested = nested;
	} else if (walk->pc == walk->mark && nested == flow->etrace_walk.mark_nested) {
		return true;
	}
	return false;
}

/* The walk goes on at walk->pc, where code led. */
static enum walk_status jumped(struct rvtrace_flow *flow)
{
	flow->walk.tail = UINT64_MAX;
	return loops(flow) ? wrong(flow, RVTRACE_ERR_LOOP, flow->walk.pc) : WALK_DONE;
}

/* What is left for the branch that is reported but not walked over yet. */
static void carry_outcome(struct etrace_walk *w, struct etrace_state *state)
{
	state->must_branch = w->left;
	state->carry = CARRY_NONE;
	if (!w->left)
		return;
	w->left = 0;
	if (w->predicted)
		state->carry = w->failed ? CARRY_FAILED : CARRY_PREDICTED;
	else
		state->carry = w->map & 1 ? CARRY_NOT_TAKEN : CARRY_TAKEN;
}

/* The instruction there is a branch. */
static bool is_branch(struct rvtrace_flow *flow, uint64_t pc)
{
	unsigned int straddles = flow->straddles;
	struct block block;
	const uint8_t *code;
	int found;

	found = flow_block_at(flow, flow->source, pc, &block, &code);
	flow->straddles = straddles;
	return found > 0 && block.instructions == 1 && block.kind == RVTRACE_INSN_BRANCH;
}

/*
 * "irreport": all branches are done, so this return is the reported one if as many returns were
 * inferred before it (irets), or if it failed to return from the call of that number, to
 * @predicted (irdepth; a counter cannot know). Synchronizations: what is inferred before the last
 * instruction is reported.
 */
static bool is_reported_return(struct rvtrace_flow *flow, uint64_t predicted)
{
	const struct etrace_walk *w = &flow->etrace_walk;
	const struct etrace_state *state = flow->source->etrace;
	uint32_t irdepth;

	if (w->sync && !w->again)
		return !state->params.infer_all_returns;
	if (w->again ? !w->again_irreport : !w->irreport || w->left > 1)
		return false;
	irdepth = w->again ? w->again_irdepth : w->irdepth;
	if (state->params.iret_ext ? irdepth != w->irets :
	    !state->params.return_stack_size || irdepth != state->stack.depth ||
	    predicted == (w->again ? w->again_target : w->target))
		return false;
	return w->again || !w->left || is_branch(flow, w->target);
}

/* jalr with x0 is a jump to a constant. */
static bool constant_target(const struct rvtrace_flow *flow, const struct block *block,
			    const uint8_t *code, uint64_t *target)
{
	const uint8_t *insn = code + block->halfwords * 2 - block->last_size;
	uint32_t word;

	if (block->last_size != 4 || block->kind == RVTRACE_INSN_TRAP_RETURN)
		return false;
	word = insn[0] | insn[1] << 8 | (uint32_t)insn[2] << 16 | (uint32_t)insn[3] << 24;
	if (word >> 15 & 0x1f)
		return false;
	*target = flow_address(flow, (uint64_t)((int64_t)(int32_t)word >> 20) & ~1ull);
	return true;
}

/**
 * flow_etrace_successor() - where an indirect jump leads if code or earlier calls tell
 * @flow: the decoder
 * @block: ends in the jump
 * @code: its bytes
 * @start: its address
 * @implicit: set: it is a return whose call is known
 * @target: the result
 *
 * Return: whether they tell.
 */
bool flow_etrace_successor(struct rvtrace_flow *flow, const struct block *block,
			   const uint8_t *code, uint64_t start, bool *implicit, uint64_t *target)
{
	const struct etrace_state *state = flow->source->etrace;

	*implicit = false;
	if (constant_target(flow, block, code, target))
		return true;
	if (etrace_has(state, RVTRACE_ETRACE_SIJUMP) &&
	    block->kind != RVTRACE_INSN_TRAP_RETURN &&
	    flow_sequential_target(flow, block, code, start, target))
		return true;
	if (!etrace_has(state, RVTRACE_ETRACE_IMPLICIT_RETURN) ||
	    block->kind != RVTRACE_INSN_RETURN)
		return false;
	*implicit = etrace_peek(&state->stack, target) ||
		    (state->params.infer_all_returns && !state->stack.incomplete &&
		     rvtrace_image_entry(flow->image, target));
	return *implicit;
}

static bool goes_on(unsigned int kind)
{
	return kind == RVTRACE_INSN_LINEAR || kind == RVTRACE_INSN_CUSTOM ||
	       kind == RVTRACE_INSN_CONTEXT_WRITE;
}

/**
 * flow_etrace_is_next() - whether @pc comes next, as encoders that look at blocks see it
 * @flow: the decoder; the instruction owed is no branch
 * @pc: the address
 *
 * Return: whether it follows the instruction owed, with nothing but straight code between them.
 */
bool flow_etrace_is_next(struct rvtrace_flow *flow, uint64_t pc)
{
	unsigned int straddles = flow->straddles;
	uint64_t owed = flow->source->pc, start = owed;
	struct block block = { .kind = RVTRACE_INSN_LINEAR };
	const uint8_t *code;

	for (unsigned int i = 0; goes_on(block.kind); i++) {
		int found = flow_block_at(flow, flow->source, start, &block, &code);

		flow->straddles = straddles;
		if (found <= 0 || !block.instructions || i == STRAIGHT_MAX)
			return true;
		if (pc != owed && pc - start < block.halfwords * 2ull)
			return true;
		start = flow_address(flow, start + block.halfwords * 2ull);
	}
	/* only the last instruction itself leads elsewhere */
	if (start - block.last_size != owed)
		return false;
	if (block.kind == RVTRACE_INSN_JUMP || block.kind == RVTRACE_INSN_CALL)
		return pc == flow_address(flow, owed + (int64_t)block.target);
	return true;
}

static enum walk_status trap_return(struct rvtrace_flow *flow)
{
	struct rvtrace_flow_item *item = flow_event(flow, RVTRACE_FLOW_TRAP_RETURN);

	flow_event_address(item, flow->walk.last_pc);
	item->trap.target = flow->walk.pc;
	item->flags |= RVTRACE_FLOW_HAS_TARGET;
	return WALK_AGAIN;	/* the event comes before the next block */
}

/* A jump to where only the packet says. @predicted: where a return was expected to lead to. */
static enum walk_status uninferable(struct rvtrace_flow *flow, uint64_t predicted)
{
	struct etrace_walk *w = &flow->etrace_walk;
	struct etrace_state *state = flow->source->etrace;

	if (!w->again && (!w->has_target || w->left > 1))
		return wrong(flow, RVTRACE_ERR_JUMP, flow->walk.last_pc);
	flow->walk.tail = UINT64_MAX;
	state->owed = true;
	state->known = true;
	if (w->again) {
		w->again = false;
		w->irets = 0;
		flow->walk.pc = w->again_target;
		flow->walk.steps = 0;
		state->carry = CARRY_NONE;
		state->must_branch = false;
	} else {
		w->arrived = ARRIVED_BY_JUMP;
		flow->walk.pc = w->target;
		carry_outcome(w, state);
		if (w->target != predicted)
			flow_etrace_cache(state, w->target);
	}
	return flow->walk.last_kind == RVTRACE_INSN_TRAP_RETURN ? trap_return(flow) : WALK_DONE;
}

/* An indirect jump; walk->pc is behind it. */
static enum walk_status indirect(struct rvtrace_flow *flow, const struct block *block,
				 const uint8_t *code, uint64_t start)
{
	struct etrace_state *state = flow->source->etrace;
	bool returns = etrace_has(state, RVTRACE_ETRACE_IMPLICIT_RETURN);
	uint64_t next = flow->walk.pc, target, predicted = UINT64_MAX;
	uint8_t kind = block->kind;	/* @block may move when code is looked at */
	bool implicit, known;

	known = flow_etrace_successor(flow, block, code, start, &implicit, &target);
	if (implicit && is_reported_return(flow, target)) {
		known = false;
		implicit = false;
		predicted = target;
	}
	if (returns && kind == RVTRACE_INSN_RETURN &&
	    !flow_etrace_return(&state->stack, &next) && state->stack.incomplete && !known)
		return flow_etrace_gap(flow, next, false);
	if (returns && (kind == RVTRACE_INSN_INDIRECT_CALL || kind == RVTRACE_INSN_TABLE_CALL))
		flow_etrace_call(&state->stack, next);
	if (!known)
		return uninferable(flow, predicted);
	flow->walk.pc = target;
	if (implicit) {
		flow->etrace_walk.irets++;
		flow->etrace_walk.returned = true;
	}
	return jumped(flow);
}

static enum walk_status branch(struct rvtrace_flow *flow, bool taken, bool carried)
{
	struct etrace_walk *w = &flow->etrace_walk;
	struct walk *walk = &flow->walk;

	if (etrace_learns(flow->source->etrace))
		etrace_learn(flow->source->etrace, walk->last_pc, taken);
	if (taken)
		walk->pc = walk->target;
	walk->tail = UINT64_MAX;
	walk->mark = UINT64_MAX;
	walk->steps = 0;
	w->irets = 0;
	if (!carried && !w->left && w->has_target && walk->last_pc == w->target)
		w->arrived = ARRIVED_AT_BRANCH;
	return WALK_DONE;
}

/* What the last instruction of a block does; walk->pc is behind it. */
static enum walk_status advance(struct rvtrace_flow *flow, const struct block *block,
				const uint8_t *code, uint64_t start)
{
	struct walk *walk = &flow->walk;

	switch (block->kind) {
	case RVTRACE_INSN_CALL:
		if (etrace_has(flow->source->etrace, RVTRACE_ETRACE_IMPLICIT_RETURN))
			flow_etrace_call(&flow->source->etrace->stack, walk->pc);
		walk->pc = flow_address(flow, start + (int64_t)block->target);
		return jumped(flow);
	case RVTRACE_INSN_JUMP:
		walk->pc = flow_address(flow, start + (int64_t)block->target);
		return jumped(flow);
	case RVTRACE_INSN_CONTEXT_WRITE:
		walk->tail = UINT64_MAX;
		if (!flow->source->pending_count)
			return WALK_DONE;
		flow_next_pending(flow);
		return WALK_AGAIN;	/* the event comes before the next block */
	case RVTRACE_INSN_LINEAR:	/* the code goes on elsewhere */
	case RVTRACE_INSN_CUSTOM:
		walk->tail = walk->last_pc;
		memcpy(walk->tail_code, code + block->halfwords * 2 - block->last_size,
		       block->last_size < 4 ? 2 : 4);
		/* another thread executes the next block */
		return walk->pc == flow->config.task_switch ? WALK_AGAIN : WALK_DONE;
	}
	return indirect(flow, block, code, start);
}

/* Whether the walk may end where code alone has led, once it is at its target. */
static inline bool may_end(const struct etrace_walk *w, const struct etrace_state *state)
{
	if (w->left || w->again || !w->has_target || w->updiscon || w->other_privilege)
		return false;
	if (!w->irreport)
		return true;
	/* without irets before it, it is reported for the return that leads there */
	if (state->params.iret_ext)
		return w->irdepth && w->irdepth == w->irets;
	return w->irdepth == state->stack.depth;
}

/* irets do not count the return whose target is reported: behind one that was, the walk goes on. */
static bool behind_return(const struct etrace_walk *w, const struct etrace_state *state)
{
	return w->returned && !w->sync && state->params.iret_ext;
}

/*
 * The target lies in the block at walk->pc: the walk ends in front of it. Return: whether an
 * instruction begins there.
 */
static bool end_inside(struct rvtrace_flow *flow, struct output *out, const uint8_t *code)
{
	struct walk *walk = &flow->walk;
	struct etrace_walk *w = &flow->etrace_walk;
	unsigned int offset = w->target - walk->pc, done = 0, size = 0;
	struct block part = { .kind = RVTRACE_INSN_LINEAR };

	while (done < offset) {
		size = rvtrace_insn_size((uint16_t)(code[done] | code[done + 1] << 8));
		done += size;
		part.instructions++;
	}
	if (done != offset)
		return false;
	if (offset) {
		part.size = offset;
		part.halfwords = offset / 2;
		flow_put_block(out, walk->pc, &part, code);
		flow->source->stats.instructions += part.instructions;
		flow->source->stats.halfwords += part.halfwords;
		walk->tail = w->target - size;
		memcpy(walk->tail_code, code + offset - size, size < 4 ? 2 : 4);
	}
	walk->pc = w->target;
	w->arrived = ARRIVED_BY_CODE;
	flow->source->etrace->owed = true;
	flow->source->etrace->known = true;
	flow->source->etrace->carry = CARRY_NONE;
	flow->source->etrace->must_branch = false;
	return true;
}

static bool ends_inside(struct rvtrace_flow *flow, struct output *out, const struct block *block,
			const uint8_t *code)
{
	const struct etrace_state *state = flow->source->etrace;
	const struct etrace_walk *w = &flow->etrace_walk;
	uint64_t offset = w->target - flow->walk.pc;

	if (offset >= block->halfwords * 2ull || !may_end(w, state) ||
	    (!offset && (state->owed || behind_return(w, state))))
		return false;
	return end_inside(flow, out, code);
}

/* What is wrong with going over @block; 0 nothing. */
static int check(const struct etrace_walk *w, const struct etrace_state *state,
		 const struct block *block)
{
	bool branch = block->kind == RVTRACE_INSN_BRANCH;

	if (!block->instructions)
		return RVTRACE_ERR_INSTRUCTION;
	if (!state->owed || !etrace_lone_branch(block))
		return (state->owed && state->must_branch) || (branch && !w->left) ?
		       RVTRACE_ERR_HISTORY : 0;
	return state->carry == CARRY_NONE ? RVTRACE_ERR_HISTORY : 0;
}

static enum walk_status walk_one(struct rvtrace_flow *flow, struct output *out)
{
	struct source *source = flow->source;
	struct etrace_state *state = source->etrace;
	struct etrace_walk *w = &flow->etrace_walk;
	struct walk *walk = &flow->walk;
	const struct block *block;
	uint64_t start = walk->pc;
	const uint8_t *code;
	bool carried, taken = false;
	int found, error;

	block = flow_get_block(flow, &code, &found);
	if (!block)
		return found < 0 ? WALK_NO_MEMORY : flow_etrace_gap(flow, start, true);
	carried = state->owed && etrace_lone_branch(block);
	if (w->again && block->kind == RVTRACE_INSN_BRANCH && !carried) {
		w->again = false;	/* then it has not been there once more */
		return WALK_DONE;
	}
	if (block->instructions && ends_inside(flow, out, block, code))
		return WALK_DONE;
	error = check(w, state, block);
	if (error)
		return wrong(flow, error, start);
	if (carried && !etrace_owed_outcome(state, start, &taken))
		return flow_etrace_gap(flow, start, true);
	flow_put_block(out, start, block, code);
	source->stats.instructions += block->instructions;
	source->stats.halfwords += block->halfwords;
	walk->pc = flow_address(flow, start + block->halfwords * 2ull);
	walk->last_kind = block->kind;
	walk->last_pc = walk->pc - block->last_size;
	w->returned = false;
	state->owed = false;
	if (block->kind != RVTRACE_INSN_BRANCH)
		return advance(flow, block, code, start);
	walk->target = flow_address(flow, start + (int64_t)block->target);
	if (!carried)
		taken = etrace_outcome(w, state, walk->last_pc);
	return branch(flow, taken, carried);
}

static bool is_over(const struct etrace_walk *w)
{
	return w->arrived || (!w->again && !w->has_target && !w->left);
}

/**
 * flow_etrace_walk() - go on with the walk of the current source
 * @flow: the decoder
 * @out: where the blocks go, with room for one
 *
 * Return: WALK_DONE: at its end, source->pc and etrace_walk.arrived say where. WALK_BROKEN: the
 * source is in a gap, or unsynchronized. WALK_AGAIN, WALK_NO_MEMORY.
 */
enum walk_status flow_etrace_walk(struct rvtrace_flow *flow, struct output *out)
{
	const struct etrace_walk *w = &flow->etrace_walk;
	enum walk_status status;

	while (!is_over(w)) {
		if (!w->again && w->left && flow->walk.steps < ETRACE_LOOP_STEPS)
			flow_etrace_walk_known(flow, out);
		if (is_over(w))
			break;
		if (out->block_count == out->block_max || flow->straddles == STRADDLE_MAX)
			return WALK_AGAIN;
		status = walk_one(flow, out);
		if (status != WALK_DONE)
			return status;
	}
	flow->source->pc = flow->walk.pc;
	flow->source->etrace->tail = flow->walk.tail;
	memcpy(flow->source->etrace->tail_code, flow->walk.tail_code,
	       sizeof(flow->walk.tail_code));
	return WALK_DONE;
}
