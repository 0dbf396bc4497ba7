/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The flow decoder inside: what its E-Trace files share.
 *
 *	flow_etrace.c		packets to walks
 *	flow_etrace_walk.c	walks over code
 *	flow_etrace_known.c	the same, over code that was decoded before
 *	flow_etrace_events.c	synchronizations, traps, the end of what is traced
 *	flow_etrace_data.c	data trace, see flow_access.h
 *	flow_etrace_state.c	return stack, branch predictor, jump target cache
 *	flow_etrace_format.c	the reader, and what else the decoder asks of a format
 *
 * A packet reports an instruction that retired. It is not walked over at once but with what comes
 * behind it, so that blocks are not cut: it is owed.
 */
#ifndef RVTRACE_FLOW_ETRACE_H
#define RVTRACE_FLOW_ETRACE_H

#include "flow_internal.h"

/* Jumps in a row before a loop is suspected; a power of two. */
#define ETRACE_LOOP_STEPS	4096

/* What a branch that is owed did, if it is one. */
enum carry {
	CARRY_NONE,		/* it must be no branch */
	CARRY_TAKEN,
	CARRY_NOT_TAKEN,
	CARRY_PREDICTED,	/* as the predictor says */
	CARRY_FAILED,		/* not as the predictor says */
	CARRY_UNKNOWN,		/* the predictor is not known */
};

/* Return addresses; @count: further calls that return to the same one. */
struct etrace_call {
	uint64_t link;
	uint64_t count;
};

/**
 * struct etrace_stack - return addresses the encoder knows as well
 * @calls: @max of them, the oldest is overwritten
 * @top: where the next one goes
 * @depth: how many there are (irdepth)
 * @nested: all calls in them
 * @incomplete: calls may have gone unseen; only what was pushed since is here
 */
struct etrace_stack {
	struct etrace_call *calls;
	uint64_t count_max;
	uint64_t nested;
	uint32_t max;
	uint32_t top;
	uint32_t depth;
	bool incomplete;
};

/**
 * struct etrace_state - what a source has with E-Trace only
 * @params: as support packets left them
 * @reports: packets that report an instruction
 * @address: last address reported, to which differential ones are added
 * @stack: implicit returns
 * @predictor: two bits for each entry: prediction, last outcome
 * @cache: jump targets; odd: invalid
 * @time_offset: what to add to the times of the packet layer
 * @owed: the instruction at source->pc has retired; else it is the next one, if @known
 * @known: source->pc is where the source is
 * @carry: enum carry, of the instruction owed
 * @must_branch: it must be a branch
 * @inferred: it was reported and reached without a jump of unknown target: it may have been reached
 *	once more since, by one
 * @irreport, @irdepth: as in the packet that did so
 * @irets: returns that were inferred before
 * @predicts: the predictor is the encoder's
 * @trapped: the handler of the last trap did not begin
 * @returned: source->pc is where the last instruction, a return, was expected to lead to
 * @privilege: as sent
 * @tail, @tail_code: see struct walk: the instruction before the one owed
 * @block: the last instruction, delivered alone
 * @code: its bytes, if they lie in two places
 */
struct etrace_state {
	struct rvtrace_etrace_params params;
	uint64_t reports;
	uint64_t address;
	struct etrace_stack stack;
	uint8_t *predictor;
	uint64_t *cache;
	uint64_t time_offset;
	uint64_t tail;
	uint8_t tail_code[4];
	bool owed;
	bool known;
	bool must_branch;
	bool inferred;
	bool irreport;
	uint32_t irdepth;
	uint32_t irets;
	bool predicts;
	bool returned;
	bool trapped;
	uint8_t carry;
	uint8_t privilege;
	struct rvtrace_flow_block block;
	uint8_t code[STRADDLE_SIZE];
};

static inline bool etrace_has(const struct etrace_state *state, unsigned int mode)
{
	return state->params.modes & mode;
}

/* flow_etrace.c */
int flow_etrace_next(struct rvtrace_flow *flow);
void flow_etrace_walked(struct rvtrace_flow *flow);
void flow_etrace_leave(struct rvtrace_flow *flow);

/* flow_etrace_state.c */
int flow_etrace_state_new(const struct rvtrace_etrace_params *params, struct etrace_state **state);
int flow_etrace_state_resize(struct etrace_state *state,
			     const struct rvtrace_etrace_params *params);
void flow_etrace_state_free(struct etrace_state *state);
struct etrace_state *flow_etrace_state_copy(const struct etrace_state *from);
bool flow_etrace_state_same(const struct etrace_state *a, const struct etrace_state *b);
void flow_etrace_state_synchronize(struct etrace_state *state, bool first);
void flow_etrace_call(struct etrace_stack *stack, uint64_t link);
bool flow_etrace_return(struct etrace_stack *stack, uint64_t *link);
void flow_etrace_forget_calls(struct etrace_stack *stack, bool incomplete);
void flow_etrace_cache(struct etrace_state *state, uint64_t target);

static inline bool etrace_peek(const struct etrace_stack *stack, uint64_t *link)
{
	if (!stack->depth)
		return false;
	*link = stack->calls[(stack->top - 1) & (stack->max - 1)].link;
	return true;
}

/* Entry of a table of 2^@size: the lowest bits of an address that differ. */
static inline uint64_t etrace_index(const struct etrace_state *state, uint64_t address,
				    unsigned int size)
{
	return address >> state->params.iaddress_lsb & ((1ull << size) - 1);
}

static inline uint8_t *etrace_prediction(const struct etrace_state *state, uint64_t pc)
{
	return &state->predictor[etrace_index(state, pc, state->params.bpred_size)];
}

/* "Branch prediction mode": the prediction changes when it failed twice. */
static inline void etrace_learn(const struct etrace_state *state, uint64_t pc, bool taken)
{
	uint8_t *entry = etrace_prediction(state, pc);

	*entry = ((*entry == 1 || *entry == 2) ? taken : *entry >> 1) << 1 | taken;
}

/* What the branch that is owed does, as far as it is known. */
static inline bool etrace_owed_outcome(const struct etrace_state *state, uint64_t pc, bool *taken)
{
	switch (state->carry) {
	case CARRY_TAKEN:
	case CARRY_NOT_TAKEN:
		*taken = state->carry == CARRY_TAKEN;
		return true;
	case CARRY_PREDICTED:
	case CARRY_FAILED:
		*taken = (*etrace_prediction(state, pc) >> 1) == (state->carry == CARRY_PREDICTED);
		return true;
	}
	return false;
}

/* Whether the next outcome is that the branch at @pc is taken. */
static inline bool etrace_outcome(struct etrace_walk *w, const struct etrace_state *state,
				  uint64_t pc)
{
	bool taken;

	w->left--;
	if (w->predicted) {
		taken = *etrace_prediction(state, pc) >> 1;
		if (!w->left && w->failed)
			taken = !taken;
	} else {
		taken = !(w->map & 1);
		w->map >>= 1;
	}
	return taken;
}

static inline bool etrace_learns(const struct etrace_state *state)
{
	return etrace_has(state, RVTRACE_ETRACE_BRANCH_PREDICTION) && state->predicts;
}

/* It is walked over with an outcome of an earlier packet, if it is owed. */
static inline bool etrace_lone_branch(const struct block *block)
{
	return block->kind == RVTRACE_INSN_BRANCH && block->instructions == 1;
}

/* flow_etrace_known.c */
void flow_etrace_walk_known(struct rvtrace_flow *flow, struct output *out);

/* flow_etrace_walk.c */
bool flow_etrace_successor(struct rvtrace_flow *flow, const struct block *block,
			   const uint8_t *code, uint64_t start, bool *implicit, uint64_t *target);
bool flow_etrace_is_next(struct rvtrace_flow *flow, uint64_t pc);
enum walk_status flow_etrace_walk(struct rvtrace_flow *flow, struct output *out);
enum walk_status flow_etrace_gap(struct rvtrace_flow *flow, uint64_t pc, bool has_address);

/* flow_etrace_events.c */
void flow_etrace_deliver(struct rvtrace_flow *flow, struct output *out,
			 struct rvtrace_flow_item *item);
void flow_etrace_flush(struct rvtrace_flow *flow, bool trapped);
void flow_etrace_reached(struct rvtrace_flow *flow);
void flow_etrace_start(struct rvtrace_flow *flow);
void flow_etrace_trap(struct rvtrace_flow *flow);
void flow_etrace_support(struct rvtrace_flow *flow);
void flow_etrace_context(struct rvtrace_flow *flow);
void flow_etrace_software(struct rvtrace_flow *flow);

/* flow_etrace_format.c */
extern const struct flow_format flow_etrace_format;

#endif /* RVTRACE_FLOW_ETRACE_H */
