// SPDX-License-Identifier: LGPL-2.1-or-later
/* What a decoder knows between two messages of N-Trace: kept, compared, forgotten. */
#include <stdlib.h>
#include <string.h>

#include "flow_internal.h"
#include "flow_state.h"

/**
 * struct flow_state - what a decoder knew
 * @offset: where the first byte that is not part of a message read lies
 * @pending: bytes consumed of the next one
 * @latest: as struct rvtrace_flow
 * @count: how many sources there are
 * @sources: copies of them
 */
struct flow_state {
	uint64_t offset;
	size_t pending;
	uint64_t latest;
	size_t count;
	struct source sources[];
};

/**
 * flow_state_forget() - the decoder is as new, but for code that it has seen
 * @flow: the decoder, all of whose bytes are consumed
 * @offset: stream offset of the next byte to be fed
 * @aligned: it starts a message
 */
void flow_state_forget(struct rvtrace_flow *flow, uint64_t offset, bool aligned)
{
	for (size_t i = 0; i < flow->source_count; i++) {
		free(flow->sources[i]);
		flow->sources[i] = NULL;
	}
	flow->source = NULL;
	flow->latest = flow->config.time_near;
	if (aligned)
		rvtrace_ntrace_seek(flow->ntrace, offset);
	else
		rvtrace_ntrace_resync(flow->ntrace, offset);
}

/**
 * flow_state_settled() - there are sources, and it is known where each of them is
 * @flow: the decoder
 */
bool flow_state_settled(const struct rvtrace_flow *flow)
{
	size_t count = 0;

	for (size_t i = 0; i < flow->source_count; i++) {
		if (!flow->sources[i])
			continue;
		if (!flow->sources[i]->synced || flow->sources[i]->gap)
			return false;
		count++;
	}
	return count;
}

/**
 * flow_state_keep() - what a decoder knows
 * @flow: the decoder, all of whose bytes are consumed
 *
 * Return: to be freed with free(); NULL without memory.
 */
struct flow_state *flow_state_keep(const struct rvtrace_flow *flow)
{
	struct flow_state *state;
	size_t count = 0;

	for (size_t i = 0; i < flow->source_count; i++)
		count += flow->sources[i] != NULL;
	state = malloc(sizeof(*state) + count * sizeof(*state->sources));
	if (!state)
		return NULL;
	state->pending = rvtrace_ntrace_pending(flow->ntrace, &state->offset);
	state->latest = flow->latest;
	state->count = 0;
	for (size_t i = 0; i < flow->source_count; i++)
		if (flow->sources[i])
			state->sources[state->count++] = *flow->sources[i];
	return state;
}

static bool same_stack(const struct call_stack *a, const struct call_stack *b)
{
	if (a->count != b->count || a->incomplete != b->incomplete)
		return false;
	for (unsigned int i = 1; i <= a->count; i++)
		if (a->entries[(a->top + STACK_DEPTH - i) % STACK_DEPTH] !=
		    b->entries[(b->top + STACK_DEPTH - i) % STACK_DEPTH])
			return false;
	return true;
}

static bool same_last(const struct last_branch *a, const struct last_branch *b)
{
	if (a->valid != b->valid)
		return false;
	return !a->valid || (a->address == b->address && a->hist == b->hist &&
			     a->icnt == b->icnt && a->tcode == b->tcode && a->btype == b->btype);
}

/* Without a resolver, the place follows from the rest. */
static bool same_source(const struct source *a, const struct source *b)
{
	return a->id == b->id && a->pc == b->pc && a->reference == b->reference &&
	       a->balance == b->balance && a->has_time == b->has_time && a->time == b->time &&
	       a->space == b->space && a->default_space == b->default_space &&
	       a->priv == b->priv && a->default_priv == b->default_priv && a->v == b->v &&
	       a->synced == b->synced && a->gap == b->gap &&
	       a->gap_has_address == b->gap_has_address && a->history == b->history &&
	       a->after_sync == b->after_sync && a->pending_count == b->pending_count &&
	       !memcmp(a->pending, b->pending, a->pending_count * sizeof(*a->pending)) &&
	       same_stack(&a->stack, &b->stack) && same_last(&a->last, &b->last);
}

/**
 * flow_state_same() - whether a decoder would go on as the one whose state was kept
 * @state: what was kept
 * @flow: the decoder, all of whose bytes are consumed, with the same parameters
 */
bool flow_state_same(const struct flow_state *state, const struct rvtrace_flow *flow)
{
	size_t pending, n = 0;
	uint64_t offset;

	pending = rvtrace_ntrace_pending(flow->ntrace, &offset);
	if (offset != state->offset || pending != state->pending || flow->latest != state->latest)
		return false;
	for (size_t i = 0; i < flow->source_count; i++) {
		if (!flow->sources[i])
			continue;
		if (n == state->count || !same_source(flow->sources[i], &state->sources[n++]))
			return false;
	}
	return n == state->count;
}

static void add(struct rvtrace_flow_stats *to, const struct rvtrace_flow_stats *from, uint64_t sign)
{
	to->instructions += sign * from->instructions;
	to->halfwords += sign * from->halfwords;
	to->blocks += sign * from->blocks;
	to->unseen += sign * from->unseen;
	to->messages += sign * from->messages;
	to->skipped += sign * from->skipped;
	to->bytes += sign * from->bytes;
	to->syncs += sign * from->syncs;
	to->overflows += sign * from->overflows;
	to->errors += sign * from->errors;
}

/**
 * flow_state_count() - add what a decoder counted
 * @flow: the decoder
 * @since: what it had counted before; NULL: nothing
 * @totals: by source
 */
void flow_state_count(const struct rvtrace_flow *flow, const struct flow_state *since,
		      struct rvtrace_flow_stats *totals)
{
	for (size_t i = 0; i < flow->source_count; i++)
		if (flow->sources[i])
			add(&totals[i], &flow->sources[i]->stats, 1);
	for (size_t i = 0; since && i < since->count; i++)
		add(&totals[since->sources[i].id], &since->sources[i].stats, -1);
}

/**
 * flow_state_set_counts() - make a decoder's statistics those of all
 * @flow: the decoder
 * @totals: by source
 *
 * Return: 0, RVTRACE_ERR_NO_MEMORY.
 */
int flow_state_set_counts(struct rvtrace_flow *flow, const struct rvtrace_flow_stats *totals)
{
	static const struct rvtrace_flow_stats none;

	for (size_t i = 0; i < flow->source_count; i++) {
		struct source *source;

		if (!memcmp(&totals[i], &none, sizeof(none)))
			continue;
		source = flow_source(flow, i);
		if (!source)
			return RVTRACE_ERR_NO_MEMORY;
		source->stats = totals[i];
	}
	return 0;
}
