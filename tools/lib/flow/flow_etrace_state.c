// SPDX-License-Identifier: LGPL-2.1-or-later
/* What encoder and decoder of E-Trace both remember: see flow_etrace.h. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "flow_etrace.h"

#define INVALID_TARGET	1ull		/* no instruction has an odd address */
#define WEAKLY_NOT_TAKEN	1	/* state of the predictor at a synchronization */

/* Calls remembered, as a power of two, where the encoder infers returns whatever it remembers. */
#define REFERENCE_STACK		12

static size_t entries(unsigned int size)
{
	return size ? (size_t)1 << size : 0;
}

static void forget_targets(struct etrace_state *state)
{
	for (size_t i = 0; i < entries(state->params.cache_size); i++)
		state->cache[i] = INVALID_TARGET;
}

/*
 * "Implicit return mode" with a stack, or with a counter of calls alone: the decoder then needs the
 * addresses of as many calls as it counts.
 */
static uint32_t stack_max(const struct rvtrace_etrace_params *params)
{
	unsigned int size = params->return_stack_size ? params->return_stack_size :
							params->call_counter_size;

	if (params->infer_all_returns && size < REFERENCE_STACK)
		size = REFERENCE_STACK;
	return size ? (uint32_t)1 << size : 0;
}

static bool same_sizes(const struct rvtrace_etrace_params *a, const struct rvtrace_etrace_params *b)
{
	return a->bpred_size == b->bpred_size && a->cache_size == b->cache_size &&
	       a->return_stack_size == b->return_stack_size &&
	       a->infer_all_returns == b->infer_all_returns &&
	       a->call_counter_size == b->call_counter_size;
}

/**
 * flow_etrace_state_resize() - other parameters hold from here on
 * @state: what does not change in size is kept
 * @params: the parameters
 *
 * Return: 0, RVTRACE_ERR_NO_MEMORY.
 */
int flow_etrace_state_resize(struct etrace_state *state, const struct rvtrace_etrace_params *params)
{
	struct etrace_stack *stack = &state->stack;
	bool same = same_sizes(&state->params, params) && state->predictor;

	state->params = *params;
	if (same)
		return 0;
	free(state->predictor);
	free(state->cache);
	free(stack->calls);
	stack->max = stack_max(params);
	stack->count_max = params->return_stack_size && params->call_counter_size ?
			   (1ull << params->call_counter_size) - 1 : 0;
	stack->calls = calloc(stack->max + 1, sizeof(*stack->calls));
	state->predictor = calloc(entries(params->bpred_size) + 1, 1);
	state->cache = calloc(entries(params->cache_size) + 1, sizeof(*state->cache));
	if (!stack->calls || !state->predictor || !state->cache)
		return RVTRACE_ERR_NO_MEMORY;
	state->predicts = false;
	flow_etrace_forget_calls(stack, true);
	forget_targets(state);
	return 0;
}

int flow_etrace_state_new(const struct rvtrace_etrace_params *params, struct etrace_state **result)
{
	struct etrace_state *state = calloc(1, sizeof(*state));

	*result = state;
	return state ? flow_etrace_state_resize(state, params) : RVTRACE_ERR_NO_MEMORY;
}

void flow_etrace_state_free(struct etrace_state *state)
{
	if (!state)
		return;
	free(state->stack.calls);
	free(state->predictor);
	free(state->cache);
	free(state);
}

/**
 * flow_etrace_state_copy() - another state, the same
 * @from: the state, without an instruction that is yet to be delivered
 *
 * Return: to be freed with flow_etrace_state_free(); NULL without memory.
 */
struct etrace_state *flow_etrace_state_copy(const struct etrace_state *from)
{
	struct etrace_state *state, own;

	if (flow_etrace_state_new(&from->params, &state)) {
		flow_etrace_state_free(state);
		return NULL;
	}
	own = *state;
	*state = *from;
	state->stack.calls = own.stack.calls;
	state->predictor = own.predictor;
	state->cache = own.cache;
	memcpy(state->stack.calls, from->stack.calls, from->stack.max * sizeof(*from->stack.calls));
	memcpy(state->predictor, from->predictor, entries(from->params.bpred_size));
	memcpy(state->cache, from->cache,
	       entries(from->params.cache_size) * sizeof(*from->cache));
	return state;
}

static bool same_stack(const struct etrace_stack *a, const struct etrace_stack *b)
{
	if (a->depth != b->depth || a->nested != b->nested || a->incomplete != b->incomplete)
		return false;
	for (uint32_t i = 1; i <= a->depth; i++) {
		const struct etrace_call *x = &a->calls[(a->top - i) & (a->max - 1)];
		const struct etrace_call *y = &b->calls[(b->top - i) & (b->max - 1)];

		if (x->link != y->link || x->count != y->count)
			return false;
	}
	return true;
}

static bool same_tail(const struct etrace_state *a, const struct etrace_state *b)
{
	uint16_t first = a->tail_code[0] | a->tail_code[1] << 8;

	return a->tail == b->tail &&
	       (a->tail == UINT64_MAX ||
		!memcmp(a->tail_code, b->tail_code, rvtrace_insn_size(first) < 4 ? 2 : 4));
}

/* All members but for what lies between the last two, which means nothing. */
static bool same_params(const struct rvtrace_etrace_params *a,
			const struct rvtrace_etrace_params *b)
{
	return !memcmp(a, b, offsetof(struct rvtrace_etrace_params, mmacas_ext) + 1) &&
	       a->modes == b->modes;
}

/**
 * flow_etrace_state_same() - whether sources with these states go on alike
 * @a: a state, between two packets
 * @b: the other one
 */
bool flow_etrace_state_same(const struct etrace_state *a, const struct etrace_state *b)
{
	return same_params(&a->params, &b->params) && a->address == b->address &&
	       a->time_offset == b->time_offset && a->owed == b->owed && a->known == b->known &&
	       a->must_branch == b->must_branch && a->inferred == b->inferred &&
	       a->irreport == b->irreport && a->irdepth == b->irdepth && a->irets == b->irets &&
	       a->predicts == b->predicts && a->returned == b->returned &&
	       a->trapped == b->trapped && a->carry == b->carry && a->privilege == b->privilege &&
	       same_tail(a, b) && same_stack(&a->stack, &b->stack) &&
	       !memcmp(a->predictor, b->predictor, entries(a->params.bpred_size)) &&
	       !memcmp(a->cache, b->cache, entries(a->params.cache_size) * sizeof(*a->cache));
}

/**
 * flow_etrace_state_synchronize() - a synchronization packet was sent
 * @state: the state
 * @first: the source was unknown before
 *
 * Calls and branches before it do not matter any more, unless resynchronization is disabled (2.0.5
 * draft): then the packet may be there because of the privilege. Targets in the cache are not used
 * again by an encoder that has invalidated them.
 */
void flow_etrace_state_synchronize(struct etrace_state *state, bool first)
{
	if (first)
		forget_targets(state);
	if (!first && etrace_has(state, RVTRACE_ETRACE_RESYNC_DISABLED))
		return;
	if (first || !state->params.infer_all_returns)
		flow_etrace_forget_calls(&state->stack, false);
	memset(state->predictor, WEAKLY_NOT_TAKEN, entries(state->params.bpred_size));
	state->predicts = true;
}

void flow_etrace_forget_calls(struct etrace_stack *stack, bool incomplete)
{
	stack->depth = 0;
	stack->nested = 0;
	stack->incomplete = incomplete;
}

/**
 * flow_etrace_call() - a call retired
 * @stack: the stack
 * @link: where it returns to
 */
void flow_etrace_call(struct etrace_stack *stack, uint64_t link)
{
	uint32_t mask = stack->max - 1;
	struct etrace_call *call;

	if (!stack->max)
		return;
	call = &stack->calls[(stack->top - 1) & mask];
	if (stack->depth && call->link == link && call->count < stack->count_max) {
		call->count++;
		stack->nested++;
		return;
	}
	call = &stack->calls[stack->top & mask];
	if (stack->depth == stack->max)
		stack->nested -= call->count + 1;
	else
		stack->depth++;
	stack->nested++;
	stack->top++;
	call->link = link;
	call->count = 0;
}

/**
 * flow_etrace_return() - a return retired
 * @stack: the stack
 * @link: where it leads to
 *
 * Return: whether that is known.
 */
bool flow_etrace_return(struct etrace_stack *stack, uint64_t *link)
{
	struct etrace_call *call;

	if (!stack->depth)
		return false;
	call = &stack->calls[(stack->top - 1) & (stack->max - 1)];
	*link = call->link;
	stack->nested--;
	if (call->count) {
		call->count--;
	} else {
		stack->top--;
		stack->depth--;
	}
	return true;
}

/* "Jump target cache mode": a jump of unknown target led to @target. */
void flow_etrace_cache(struct etrace_state *state, uint64_t target)
{
	if (state->params.cache_size && etrace_has(state, RVTRACE_ETRACE_JUMP_TARGET_CACHE))
		state->cache[etrace_index(state, target, state->params.cache_size)] = target;
}
