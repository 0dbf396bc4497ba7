// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A return that no message reports may lead to one of a few addresses. The rest of its walk tells
 * which, if it can have executed from one of them alone: as many half-words, with these branches, no
 * jump that a message would have reported, and an end as the message has it.
 */
#include "flow_internal.h"

#define DEPTH_MAX	16
#define STEPS_MAX	(1u << 16)	/* of one walk, whatever is tried */

enum verdict { GOES_ON, CAN_BE, CANNOT_BE };

/**
 * struct ahead - a walk that nobody sees
 * @walk: where it is
 * @links: where what it called is to return to
 * @depth: how many of them are known
 * @callers: so many of the newest entries of the source's stack are returned from
 * @lost: it is not known any more where returns lead
 */
struct ahead {
	struct walk walk;
	uint64_t links[DEPTH_MAX];
	unsigned int depth;
	unsigned int callers;
	bool lost;
};

static bool reports_jump(const struct rvtrace_ntrace_message *m)
{
	return (m->tcode == RVTRACE_NTRACE_INDIRECT_BRANCH ||
		m->tcode == RVTRACE_NTRACE_INDIRECT_BRANCH_HIST) &&
	       m->btype == RVTRACE_NTRACE_BTYPE_JUMP;
}

/* Whether the current message may end a walk behind an instruction of that kind. */
static enum verdict ends(const struct rvtrace_flow *flow, const struct ahead *ahead,
			 unsigned int kind)
{
	if (ahead->walk.bits || ahead->walk.repeats)
		return CANNOT_BE;
	if (!reports_jump(&flow->message))
		return CAN_BE;
	return flow_kind_is_indirect(kind) || kind == RVTRACE_INSN_CUSTOM ? CAN_BE : CANNOT_BE;
}

/* The walk ends within a block, behind an instruction or not. */
static enum verdict ends_within(const struct rvtrace_flow *flow, const struct ahead *ahead,
				struct block *block, const uint8_t *code)
{
	if (flow_cut(flow, block, code, ahead->walk.left))
		return CANNOT_BE;
	return ends(flow, ahead, block->kind);
}

static void call(const struct rvtrace_flow *flow, struct ahead *ahead, uint64_t target, bool by_x5)
{
	ahead->lost |= by_x5 || ahead->depth == DEPTH_MAX || flow_writes_return(flow, target);
	if (!ahead->lost)
		ahead->links[ahead->depth++] = ahead->walk.pc;
}

/* Return: whether it is known where to. */
static bool return_to_caller(const struct rvtrace_flow *flow, struct ahead *ahead)
{
	if (ahead->lost)
		return false;
	if (!ahead->depth)
		return flow_caller(flow->source, ahead->callers++, &ahead->walk.pc);
	ahead->walk.pc = ahead->links[--ahead->depth];
	return true;
}

/* A jump that the message reports, by an address that code says, but not to that one. */
static bool leads_elsewhere(const struct rvtrace_flow *flow, const struct block *block,
			    const uint8_t *code, uint64_t start)
{
	uint64_t target;

	return reports_jump(&flow->message) && block->instructions > 1 &&
	       flow_sequential_target(flow, block, code, start, &target) && target != flow->target;
}

/* Behind the last instruction of a block, which starts at @start. */
static enum verdict follow(const struct rvtrace_flow *flow, struct ahead *ahead,
			   const struct block *block, const uint8_t *code, uint64_t start)
{
	uint64_t target = flow_address(flow, start + (int64_t)block->target);
	struct walk *walk = &ahead->walk;
	bool taken;

	switch (block->kind) {
	case RVTRACE_INSN_BRANCH:
		if (!flow_outcome(walk, &taken))
			return walk->counted && !walk->left ? ends(flow, ahead, block->kind) :
							      CANNOT_BE;
		if (taken)
			walk->pc = target;
		break;
	case RVTRACE_INSN_CALL:
		call(flow, ahead, target, block->by_x5);
		/* fall through */
	case RVTRACE_INSN_JUMP:
		walk->pc = target;
		break;
	case BLOCK_LINK_WRITE:
		ahead->lost = true;
		break;
	case RVTRACE_INSN_CONTEXT_WRITE:
		if (flow->source->pending_count)
			return CAN_BE;
		break;
	case RVTRACE_INSN_LINEAR:
		break;
	case RVTRACE_INSN_RETURN:
		if (walk->counted && !walk->left)
			break;
		if (block->by_x5 || !return_to_caller(flow, ahead))
			return CAN_BE;
		break;
	case RVTRACE_INSN_INDIRECT_JUMP:
	case RVTRACE_INSN_INDIRECT_CALL:
		if (leads_elsewhere(flow, block, code, start))
			return CANNOT_BE;
		/* fall through */
	case RVTRACE_INSN_TRAP_RETURN:
		if (walk->left || !walk->counted)
			return CANNOT_BE;
		break;
	default:
		return CAN_BE;
	}
	return walk->counted && !walk->left ? ends(flow, ahead, block->kind) : GOES_ON;
}

static enum verdict step(struct rvtrace_flow *flow, struct ahead *ahead)
{
	struct walk *walk = &ahead->walk;
	uint64_t start = walk->pc;
	const uint8_t *code;
	struct block block;

	if (flow_block_at(flow, flow->source, start, &block, &code) <= 0 || !block.instructions)
		return CAN_BE;
	if (walk->counted && block.halfwords > walk->left)
		return ends_within(flow, ahead, &block, code);
	walk->left -= block.halfwords;
	walk->pc = flow_address(flow, start + block.halfwords * 2ull);
	return follow(flow, ahead, &block, code, start);
}

static bool is_over(const struct walk *walk)
{
	return walk->counted ? !walk->left : !walk->bits && !walk->repeats;
}

static bool can_go_on_at(struct rvtrace_flow *flow, uint64_t target, unsigned int callers)
{
	struct ahead ahead = { .walk = flow->walk, .callers = callers };
	enum verdict verdict = GOES_ON;

	ahead.walk.pc = target;
	while (verdict == GOES_ON && !is_over(&ahead.walk) && flow->walk.ahead < STEPS_MAX) {
		flow->straddles = STRADDLE_MAX;
		verdict = step(flow, &ahead);
		flow->walk.ahead++;
	}
	return verdict != CANNOT_BE;
}

/**
 * flow_can_look() - whether what is left of the walk is all that executed, and as it is looked at here
 * @flow: the decoder
 */
bool flow_can_look(const struct rvtrace_flow *flow)
{
	const struct walk *walk = &flow->walk;

	return flow->source->history && !walk->careful && !flow->closing && !is_over(walk) &&
	       !flow->config.ntrace.all_jumps && !flow->config.ntrace.sequential_jump;
}

/**
 * flow_find_target() - where the rest of the current walk goes on
 * @flow: the decoder
 * @targets: the walk goes on at one of these
 * @count: how many; what is 0 is none
 * @callers: so many of the newest entries of the source's stack are returned from before
 * @target: out: the one of them
 *
 * Return: whether it cannot be another.
 */
bool flow_find_target(struct rvtrace_flow *flow, const uint64_t *targets, unsigned int count,
		      unsigned int callers, uint64_t *target)
{
	const struct window window = flow->source->window;
	unsigned int i, straddles = flow->straddles, found = 0;

	if (!flow_can_look(flow))
		return false;
	for (i = 0; i < count && found < 2; i++) {
		if (!targets[i])
			continue;
		if (!(targets[i] & 1) && !can_go_on_at(flow, targets[i], callers))
			continue;
		*target = targets[i];
		found++;
	}
	flow->source->window = window;
	flow->straddles = straddles;
	return found == 1 && !(*target & 1) && flow->walk.ahead < STEPS_MAX;
}
