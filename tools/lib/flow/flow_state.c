// SPDX-License-Identifier: LGPL-2.1-or-later
/* What a decoder knows between two messages: kept, compared, forgotten. */
#include <stdlib.h>
#include <string.h>

#include "flow_format.h"
#include "flow_state.h"

/**
 * struct kept - a source
 * @source: a copy, with a @state of its own
 * @has_now, @now: what the reader adds its timestamps to
 */
struct kept {
	struct source source;
	bool has_now;
	uint64_t now;
};

/**
 * struct flow_state - what a decoder knew
 * @format: of the decoder
 * @offset: where the first byte that is not part of a message read lies
 * @pending: bytes consumed of the next one
 * @latest: as struct rvtrace_flow
 * @count: how many sources there are
 * @sources: they
 */
struct flow_state {
	const struct flow_format *format;
	uint64_t offset;
	size_t pending;
	uint64_t latest;
	size_t count;
	struct kept sources[];
};

/* What is remembered of packets, but for the parameters that sources had in @like */
static void forget_packets(struct rvtrace_flow *flow, const struct flow_state *like)
{
	const struct flow_format *format = flow->format;

	if (!format->forget)
		return;
	format->forget(flow);
	for (size_t i = 0; like && i < like->count; i++)
		if (like->sources[i].source.state)
			format->forget_source(flow, &like->sources[i].source);
}

/**
 * flow_state_forget() - the decoder is as new, but for code that it has seen
 * @flow: the decoder, all of whose bytes are consumed, of a stream without data trace
 * @offset: stream offset of the next byte to be fed
 * @aligned: it starts a message
 * @like: where the parameters of the sources come from, in formats that have such; NULL: they are
 *	as at the start of the stream
 */
void flow_state_forget(struct rvtrace_flow *flow, uint64_t offset, bool aligned,
		       const struct flow_state *like)
{
	for (size_t i = 0; i < flow->source_count; i++) {
		flow_free_source(flow, flow->sources[i]);
		flow->sources[i] = NULL;
		flow->touched[i / 64] = 0;
	}
	flow->source = NULL;
	flow->inherit = NULL;
	flow->latest = flow->config.time_near;
	forget_packets(flow, like);
	flow->format->reader->seek(flow->reader, offset, aligned);
}

/**
 * flow_state_knows() - of a source what a decoder of the whole stream would know, most likely
 * @flow: the decoder, whose sources are not older than flow_state_forget()
 * @id: the source
 *
 * It was synchronized, be it stopped since. Who executes is not known yet while a change of tasks
 * is waited for, which may have been before the decoder began.
 */
bool flow_state_knows(const struct rvtrace_flow *flow, size_t id)
{
	const struct source *source = id < flow->source_count ? flow->sources[id] : NULL;

	return source && source->stats.syncs && !source->switch_left && !source->overdue;
}

/**
 * flow_state_settled() - there are sources, and each of them is known
 * @flow: the decoder, whose sources are not older than flow_state_forget()
 */
bool flow_state_settled(const struct rvtrace_flow *flow)
{
	size_t count = 0;

	for (size_t i = 0; i < flow->source_count; i++) {
		if (!flow->sources[i])
			continue;
		if (!flow_state_knows(flow, i))
			return false;
		count++;
	}
	return count;
}

static void forget_kept(const struct flow_state *state, struct kept *kept)
{
	if (kept->source.state)
		state->format->free_source(&kept->source);
}

/**
 * flow_state_free() - free what was kept
 * @state: it, or NULL
 */
void flow_state_free(struct flow_state *state)
{
	for (size_t i = 0; state && i < state->count; i++)
		forget_kept(state, &state->sources[i]);
	free(state);
}

/* Return: false without memory. */
static bool keep_source(const struct rvtrace_flow *flow, const struct source *source,
			struct kept *kept)
{
	const struct flow_format *format = flow->format;

	*kept = (struct kept) { .source = *source };
	if (!source->state)
		return true;
	if (format->source_time)
		kept->has_now = format->source_time(flow, source->id, &kept->now);
	kept->source.state = format->copy_source(source);
	return kept->source.state;
}

/**
 * flow_state_keep() - what a decoder knows
 * @flow: the decoder, all of whose bytes are consumed
 *
 * Return: to be freed with flow_state_free(); NULL without memory.
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
	state->format = flow->format;
	state->pending = flow->format->reader->pending(flow->reader, &state->offset);
	state->latest = flow->latest;
	state->count = 0;
	for (size_t i = 0; i < flow->source_count; i++) {
		if (!flow->sources[i])
			continue;
		if (!keep_source(flow, flow->sources[i], &state->sources[state->count++])) {
			flow_state_free(state);
			return NULL;
		}
	}
	return state;
}

static bool same_stack(const struct call_stack *a, const struct call_stack *b)
{
	unsigned int i, at, bt;

	if (a->count != b->count || a->incomplete != b->incomplete ||
	    a->signalled != b->signalled || a->replaced != b->replaced)
		return false;
	for (i = 1; i <= a->count; i++) {
		at = (a->top + STACK_DEPTH - i) % STACK_DEPTH;
		bt = (b->top + STACK_DEPTH - i) % STACK_DEPTH;
		if (a->entries[at] != b->entries[bt] || a->kinds[at] != b->kinds[bt])
			return false;
	}
	return true;
}

static bool same_last(const struct last_branch *a, const struct last_branch *b)
{
	if (a->valid != b->valid)
		return false;
	return !a->valid || (a->address == b->address && a->hist == b->hist &&
			     a->icnt == b->icnt && a->tcode == b->tcode && a->btype == b->btype);
}

/* Where the flow is: in a gap, where that began, if known; without synchronization, nowhere. */
static bool same_place(const struct source *a, const struct source *b)
{
	if (a->synced != b->synced || a->gap != b->gap)
		return false;
	if (!a->synced && !a->state)
		return true;
	if (!a->gap)
		return a->pc == b->pc;
	return a->gap_has_address == b->gap_has_address && a->unfollowed == b->unfollowed &&
	       (!a->gap_has_address || a->pc == b->pc);
}

/* Where code is looked up follows from the rest, once it is, for resolvers that know the same. */
static bool same_source(const struct source *a, const struct source *b)
{
	return a->id == b->id && same_place(a, b) && a->reference == b->reference &&
	       a->balance == b->balance && a->has_time == b->has_time && a->time == b->time &&
	       flow_now(a) == flow_now(b) && a->overdue == b->overdue &&
	       a->task == b->task && a->space == b->space && a->default_space == b->default_space &&
	       a->priv == b->priv && a->default_priv == b->default_priv && a->v == b->v &&
	       a->history == b->history && a->mode_known == b->mode_known &&
	       a->after_sync == b->after_sync && a->data_lost == b->data_lost &&
	       a->placed == b->placed && a->thread == b->thread &&
	       a->switch_left == b->switch_left && a->next_thread == b->next_thread &&
	       (!a->switch_left || (a->process == b->process &&
				    a->next_process == b->next_process)) &&
	       a->pending_count == b->pending_count &&
	       !memcmp(a->pending, b->pending, a->pending_count * sizeof(*a->pending)) &&
	       a->calls == b->calls && a->left_out == b->left_out &&
	       same_stack(&a->stack, &b->stack) && same_last(&a->last, &b->last);
}

static bool same_kept(const struct rvtrace_flow *flow, const struct source *source,
		      const struct kept *kept)
{
	const struct flow_format *format = flow->format;
	uint64_t now = 0;

	if (!same_source(source, &kept->source) || !source->state != !kept->source.state)
		return false;
	if (!source->state)
		return true;
	if (format->source_time && format->source_time(flow, source->id, &now) != kept->has_now)
		return false;
	return now == kept->now && format->same_source(source, &kept->source);
}

/* What was kept of the next source, which is at index @n or of a later one, if it is number @id. */
static const struct kept *kept_of(const struct flow_state *state, size_t n, size_t id)
{
	return n < state->count && state->sources[n].source.id == id ? &state->sources[n] : NULL;
}

/**
 * flow_state_same() - whether a decoder would go on as the one whose state was kept
 * @state: what was kept
 * @flow: the decoder, all of whose bytes are consumed, with the same parameters
 *
 * What was kept may know nothing of sources that the decoder knows, where it can be told:
 * flow_state_rest(). Of E-Trace it cannot (@later_sources of struct flow_format): times of packets
 * are added up before anyone asks.
 */
bool flow_state_same(const struct flow_state *state, const struct rvtrace_flow *flow)
{
	size_t pending, n = 0;
	uint64_t offset;

	pending = flow->format->reader->pending(flow->reader, &offset);
	if (offset != state->offset || pending != state->pending || flow->latest != state->latest)
		return false;
	for (size_t i = 0; i < flow->source_count; i++) {
		const struct kept *kept = kept_of(state, n, i);

		if (kept && (!flow->sources[i] || !same_kept(flow, flow->sources[i], kept)))
			return false;
		if (!kept && flow->sources[i] && !flow->format->later_sources)
			return false;
		n += kept != NULL;
	}
	return true;
}

/**
 * flow_state_rest() - what a decoder knows of sources that another one has not heard of
 * @state: what was kept of that one
 * @flow: the decoder, which is in the same state, flow_state_same()
 *
 * Return: for flow_state_inherit(), to be freed with flow_state_free(); NULL without memory.
 */
struct flow_state *flow_state_rest(const struct flow_state *state, const struct rvtrace_flow *flow)
{
	struct flow_state *rest = flow_state_keep(flow);
	size_t n = 0, count = 0;

	for (size_t i = 0; rest && i < rest->count; i++) {
		struct kept *kept = &rest->sources[i];

		if (kept_of(state, n, kept->source.id)) {
			forget_kept(rest, kept);
			n++;
		} else {
			rest->sources[count++] = *kept;
		}
	}
	if (rest)
		rest->count = count;
	return rest;
}

/**
 * flow_state_inherit() - a decoder hears of sources that it does not know yet
 * @flow: the decoder
 * @rest: they, which have sent nothing since the decoder's state was kept
 */
void flow_state_inherit(struct rvtrace_flow *flow, const struct flow_state *rest)
{
	for (size_t i = 0; i < rest->count; i++) {
		const struct source *from = &rest->sources[i].source;
		struct source *source = flow_source(flow, from->id);

		if (!source) {
			flow->failed = true;
			return;
		}
		*source = *from;
		source->stats = (struct rvtrace_flow_stats) { 0 };
		/* codes and their places are the other decoder's */
		source->generation = flow->generation;
		flow_forget_place(source);
	}
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
	to->tasks += sign * from->tasks;
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
		add(&totals[since->sources[i].source.id], &since->sources[i].source.stats, -1);
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
