// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/etrace-predict.h"

#include <string.h>

#include "tools/encode/etrace-packets.h"

/* States of the branch predictor: the prediction, and the last outcome below it */
#define PREDICT_TAKEN	2
#define LAST_TAKEN	1
#define PREDICTOR_RESET	1

#define FULL_MAP	31

static unsigned int table_index(const struct etrace_encoder *enc, uint64_t address,
				unsigned int size)
{
	return address >> enc->params.iaddress_lsb & ((1u << size) - 1);
}

void etrace_forget_targets(struct etrace_encoder *enc)
{
	memset(enc->cached, 0, 1u << enc->params.cache_size);
}

void etrace_forget(struct etrace_encoder *enc)
{
	memset(enc->predictor, PREDICTOR_RESET, 1u << enc->params.bpred_size);
	etrace_forget_targets(enc);
	enc->stack.used = 0;
	enc->stack.top = 0;
	enc->irets = 0;
	enc->returned_since_call = false;
	enc->branch_since_return = false;
}

/* Branches */

/* The prediction changes when it fails twice in a row. Return: whether it was right. */
static bool train(struct etrace_encoder *enc, uint64_t pc, bool taken)
{
	uint8_t *state = &enc->predictor[table_index(enc, pc, enc->params.bpred_size)];
	bool predicted = *state & PREDICT_TAKEN;
	bool last = *state & LAST_TAKEN;
	bool right = predicted == taken;

	if (predicted != last)
		predicted = taken;
	*state = (predicted ? PREDICT_TAKEN : 0) | (taken ? LAST_TAKEN : 0);
	return right;
}

void etrace_branch(struct etrace_encoder *enc, const struct etrace_event *branch, bool reported)
{
	struct etrace_branches *b = &enc->branches;
	bool right = false;

	if (etrace_has_mode(enc, ETRACE_BRANCH_PREDICTION))
		right = train(enc, branch->pc, branch->taken);
	if (reported)
		return;
	if (b->count >= FULL_MAP && !right) {
		b->failed = true;
		return;
	}
	if (b->count < FULL_MAP)
		b->map |= (uint32_t)!branch->taken << b->count;
	b->missed |= !right;
	b->count++;
}

bool etrace_counts_branches(const struct etrace_encoder *enc)
{
	return enc->branches.count >= FULL_MAP && !enc->branches.missed;
}

/* Jump target cache */

unsigned int etrace_cache_index(const struct etrace_encoder *enc, uint64_t address)
{
	return table_index(enc, address, enc->params.cache_size);
}

bool etrace_cache_hit(const struct etrace_encoder *enc, uint64_t address)
{
	unsigned int i = etrace_cache_index(enc, address);

	return etrace_has_mode(enc, ETRACE_JUMP_TARGET_CACHE) && enc->cached[i] &&
	       enc->cache[i] == address;
}

void etrace_cache_store(struct etrace_encoder *enc, uint64_t address)
{
	unsigned int i = etrace_cache_index(enc, address);

	enc->cache[i] = address;
	enc->cached[i] = true;
}

/* Returns: a stack of addresses, each perhaps with a counter, or a counter alone */

void etrace_call(struct etrace_encoder *enc, uint64_t address)
{
	const struct etrace_params *p = &enc->params;
	struct etrace_return_stack *s = &enc->stack;
	uint32_t repeats = p->call_counter_size ? (1u << p->call_counter_size) - 1 : 0;
	uint32_t size;

	enc->returned_since_call = false;
	if (!p->return_stack_size) {
		if (s->used < 1u << p->call_counter_size)
			s->used++;
		return;
	}
	size = 1u << p->return_stack_size;
	if (s->used && s->address[s->top] == address && s->count[s->top] < repeats) {
		s->count[s->top]++;
		return;
	}
	s->top = (s->top + 1) % size;
	s->address[s->top] = address;
	s->count[s->top] = 0;
	if (s->used < size)
		s->used++;
}

static void pop(struct etrace_encoder *enc)
{
	struct etrace_return_stack *s = &enc->stack;

	if (!enc->params.return_stack_size) {
		s->used--;
	} else if (s->count[s->top]) {
		s->count[s->top]--;
	} else {
		s->top = (s->top - 1) % (1u << enc->params.return_stack_size);
		s->used--;
	}
}

bool etrace_return_fails(const struct etrace_encoder *enc, uint64_t target)
{
	const struct etrace_return_stack *s = &enc->stack;

	return etrace_has_mode(enc, ETRACE_IMPLICIT_RETURN) && !enc->params.infer_all_returns &&
	       enc->params.return_stack_size && s->used && s->address[s->top] != target;
}

enum etrace_return etrace_return_to(struct etrace_encoder *enc, uint64_t target, uint32_t *depth)
{
	bool fails = etrace_return_fails(enc, target);

	*depth = enc->stack.used;
	if (!etrace_has_mode(enc, ETRACE_IMPLICIT_RETURN))
		return ETRACE_RETURN_UNKNOWN;
	enc->returned_since_call = true;
	enc->branch_since_return = false;
	if (enc->params.infer_all_returns)
		return ETRACE_RETURN_INFERRED;
	if (!enc->stack.used)
		return ETRACE_RETURN_UNKNOWN;
	pop(enc);
	return fails ? ETRACE_RETURN_FAILED : ETRACE_RETURN_INFERRED;
}

uint32_t etrace_depth(const struct etrace_encoder *enc)
{
	return enc->stack.used;
}
