// SPDX-License-Identifier: LGPL-2.1-or-later
/* One stream decoded by several threads: what each of them does. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/base/fail.h"
#include "parallel_internal.h"

#define BATCH		256		/* items read at a time */
#define PIECE		(64 * 1024)	/* bytes fed at a time */
#define UNSETTLED	4096		/* bytes fed while sources are not synchronized, */
#define UNSETTLED_PART	128		/* or such a part of a small segment */

static struct segment *segment_at(struct parallel *p, uint64_t number)
{
	return &p->segments[number % p->room];
}

/**
 * parallel_failed() - decoding ends, with the first failure there was
 * @p: the decoding
 * @ret: a negative errno
 * @what: in words; NULL: that was told, or is not ours to tell
 *
 * Return: @ret.
 */
int parallel_failed(struct parallel *p, int ret, const char *what)
{
	pthread_mutex_lock(&p->lock);
	if (!p->ret)
		p->ret = what ? fail(p->error, ret, p->name, what) : ret;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	return ret;
}

static int no_memory(struct parallel *p)
{
	return parallel_failed(p, -ENOMEM, "out of memory");
}

/* Whether a thread is to give up the segment it is in. */
static bool given_up(struct parallel *p, const struct segment *s)
{
	bool result;

	pthread_mutex_lock(&p->lock);
	result = p->ret || s->dropped;
	pthread_mutex_unlock(&p->lock);
	return result;
}

/* What is in the part of @s so far may go, when everything before it is over. */
static int commit_early(struct parallel *p, struct segment *s, bool wait)
{
	bool first;
	int ret;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		first = p->committed == s->number && s->confirmed;
		if (first || !wait || p->ret || s->dropped)
			break;
		pthread_cond_wait(&p->changed, &p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	if (!first)
		return wait ? -ECANCELED : 0;
	ret = p->handler->commit(p->handler->data, s->part);
	return ret < 0 ? parallel_failed(p, ret, NULL) : 0;
}

static int take_items(struct parallel *p, struct segment *s, const struct rvtrace_flow_item *items,
		      size_t count)
{
	int ret = p->handler->items(s->part, items, count);

	if (ret > 0)
		return commit_early(p, s, true);
	return ret < 0 ? parallel_failed(p, ret, NULL) : 0;
}

/* What is waiting in @flow, for the part of @to; NULL: for nobody. All of it is read, whatever. */
static int drain(struct parallel *p, struct rvtrace_flow *flow, struct segment *to)
{
	struct rvtrace_flow_item items[BATCH];
	int count, ret = 0;

	while ((count = rvtrace_flow_read(flow, items, BATCH)) > 0)
		if (to && !ret)
			ret = take_items(p, to, items, count);
	return count < 0 ? no_memory(p) : ret;
}

static int feed(struct parallel *p, struct rvtrace_flow *flow, const struct segment *s, size_t at,
		size_t size, struct segment *to)
{
	int ret = rvtrace_flow_feed(flow, s->piece.bytes + at, size);

	return ret ? parallel_failed(p, -EINVAL, rvtrace_strerror(ret)) : drain(p, flow, to);
}

/* What is missing before the bytes of segment @in, for the part of @to. */
static int pass_gaps(struct parallel *p, struct rvtrace_flow *flow, const struct segment *in,
		     struct segment *to)
{
	int ret = 0;

	for (size_t i = 0; i < in->piece.gap_count && !ret; i++) {
		const struct stream_gap *gap = &in->piece.gaps[i];

		ret = gap->restart ? rvtrace_flow_restart(flow, gap->restart) :
				     rvtrace_flow_lost(flow, gap->bytes, gap->next, 0);
		ret = ret ? parallel_failed(p, -EINVAL, rvtrace_strerror(ret)) :
			    drain(p, flow, to);
	}
	return ret;
}

/* Bytes @at to @end of segment @in, for the part of @to. */
static int decode(struct parallel *p, struct rvtrace_flow *flow, const struct segment *in,
		  size_t at, size_t end, struct segment *to)
{
	int ret = 0;

	while (at < end && !ret) {
		size_t size = end - at < PIECE ? end - at : PIECE;

		if (given_up(p, to))
			return -ECANCELED;
		ret = feed(p, flow, in, at, size, to);
		if (!ret)
			ret = commit_early(p, to, false);
		at += size;
	}
	return ret;
}

/* What the stream begins with, for who begins behind it. */
static int plant(struct parallel *p, struct rvtrace_flow *flow)
{
	struct flow_state *seed = flow_state_keep(flow);

	if (!seed)
		return no_memory(p);
	pthread_mutex_lock(&p->lock);
	p->seed = seed;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	return 0;
}

/* The start of the stream. Return: how many bytes of segment @s were decoded, a negative errno. */
static ssize_t begin_stream(struct parallel *p, struct rvtrace_flow *flow, struct segment *s)
{
	size_t size = s->piece.size < PIECE ? s->piece.size : PIECE;
	int ret;

	flow_state_forget(flow, 0, true, NULL);
	ret = pass_gaps(p, flow, s, s);
	if (ret || !p->format->pass)
		return ret;
	ret = decode(p, flow, s, 0, size, s);
	if (!ret)
		ret = plant(p, flow);
	return ret ? ret : (ssize_t)size;
}

/* To a place in the middle of the stream. */
static void jump(struct parallel *p, struct rvtrace_flow *flow, const struct segment *s)
{
	pthread_mutex_lock(&p->lock);
	while (p->format->pass && !p->seed && !p->ret)
		pthread_cond_wait(&p->changed, &p->lock);
	pthread_mutex_unlock(&p->lock);
	flow_state_forget(flow, s->piece.offset + s->first, s->aligned, p->seed);
	if (s->piece.restart)
		rvtrace_flow_restart(flow, s->piece.restart);
}

/*
 * From anywhere in the stream to where the decoder knows what one of the whole stream would know:
 * when every source that is there has been synchronized for a while.
 */
static int begin(struct parallel *p, struct rvtrace_flow *flow, struct segment *s)
{
	struct flow_state *state = NULL;
	bool settled = false;
	size_t at = s->first, size;
	int ret = 0;

	jump(p, flow, s);
	while (!state && at < s->piece.size && !ret) {
		bool before = settled;

		size = p->segment / UNSETTLED_PART + 1;
		if (size > UNSETTLED)
			size = UNSETTLED;
		if (size > s->piece.size - at)
			size = s->piece.size - at;
		ret = feed(p, flow, s, at, size, NULL);
		at += size;
		settled = flow_state_settled(flow);
		if (ret || !before || !settled)
			continue;
		state = flow_state_keep(flow);
		if (!state)
			return no_memory(p);
	}
	pthread_mutex_lock(&p->lock);
	s->state = state;
	s->begin = at;
	s->begun = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	if (ret)
		return ret;
	return state ? 0 : -ECANCELED;
}

/* Reads a segment. Return: 1, 0 at the end, a negative errno. */
static int fill(struct parallel *p, struct segment *s)
{
	const struct stream_piece *piece = &s->piece;
	int ret = stream_read(&p->reader, &s->piece, p->segment, p->error);

	if (ret)
		return ret;
	/* where bytes are missing, they may be those that would tell */
	for (size_t i = 0; i < piece->gap_count; i++)
		p->aligned &= piece->gaps[i].restart != 0;
	s->aligned = p->aligned;
	s->first = 0;
	if (p->aligned) {
		s->first = p->inside < piece->size ? p->inside : piece->size;
		p->inside -= s->first;
		if (!p->inside)
			p->inside = p->format->pass(&p->workers->config, piece->bytes, piece->size,
						    s->first);
	}
	return piece->size || piece->gap_count;
}

/* The next segment, when there is room; locked. Return: 1, 0 at the end or after a failure. */
static int take(struct worker *w, uint64_t *number)
{
	struct parallel *p = w->parallel;
	struct segment *s;
	int ret;

	while (!p->ret && !p->at_end && p->taken == p->committed + p->room)
		pthread_cond_wait(&p->changed, &p->lock);
	if (p->ret || p->at_end)
		return 0;
	s = segment_at(p, p->taken);
	s->parallel = p;
	ret = fill(p, s);
	s->state = NULL;
	s->rest = NULL;
	s->begun = false;
	s->confirmed = !p->taken;
	s->dropped = false;
	s->left = false;
	s->part = ret > 0 ? p->handler->part_new(p->handler->data, w->number) : NULL;
	if (ret > 0 && s->part) {
		s->number = p->taken++;
		*number = s->number;
	} else {
		p->at_end = true;
		p->ret = ret > 0 ? fail(p->error, -ENOMEM, p->name, "out of memory") : ret;
	}
	pthread_cond_broadcast(&p->changed);
	return !p->at_end;
}

/* Waits until segment @number can be gone on with. Return: it, NULL at the end of the stream. */
static struct segment *wait_begun(struct parallel *p, const struct segment *of, uint64_t number)
{
	struct segment *s = NULL;

	pthread_mutex_lock(&p->lock);
	while (!p->ret && !of->dropped) {
		if (number < p->taken) {
			s = segment_at(p, number);
			if (s->begun)
				break;
		} else if (p->at_end) {
			break;
		}
		s = NULL;
		pthread_cond_wait(&p->changed, &p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	return s;
}

/* Return: whether what was decoded of segment @s holds, once that is known. */
static bool wait_confirmed(struct parallel *p, const struct segment *s)
{
	bool result;

	pthread_mutex_lock(&p->lock);
	while (!p->ret && !s->confirmed && !s->dropped)
		pthread_cond_wait(&p->changed, &p->lock);
	result = !p->ret && s->confirmed;
	pthread_mutex_unlock(&p->lock);
	return result;
}

/* The decoder of a segment needs to know what was known before it. */
static void inherit(void *data, struct rvtrace_flow *flow)
{
	const struct segment *s = data;

	if (wait_confirmed(s->parallel, s) && s->rest)
		flow_state_inherit(flow, s->rest);
}

/*
 * Segment @s, to whose beginning @flow got, is to be gone on with by its own decoder if that one was
 * in the same state there, else not at all. Return: 1 if it was, 0, a negative errno.
 */
static int judge(struct parallel *p, const struct rvtrace_flow *flow, struct segment *s)
{
	bool same = s->state && flow_state_same(s->state, flow);
	struct flow_state *rest = same ? flow_state_rest(s->state, flow) : NULL;

	if (same && !rest)
		return no_memory(p);
	pthread_mutex_lock(&p->lock);
	s->rest = rest;
	s->confirmed = same;
	s->dropped = !same;
	p->again += !same;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	return same;
}

/* Waits until everything before segment @number is over. Return: 0, -ECANCELED after a failure. */
static int wait_turn(struct parallel *p, uint64_t number)
{
	int ret;

	pthread_mutex_lock(&p->lock);
	while (!p->ret && p->committed != number)
		pthread_cond_wait(&p->changed, &p->lock);
	ret = p->ret ? -ECANCELED : 0;
	pthread_mutex_unlock(&p->lock);
	return ret;
}

/* What @flow did for segment @number, and those it took over before, is over. */
static int commit(struct parallel *p, uint64_t number, struct rvtrace_flow *flow)
{
	struct segment *s = segment_at(p, number);
	int ret = wait_turn(p, number);

	if (ret)
		return ret;
	ret = p->handler->commit(p->handler->data, s->part);
	if (ret < 0)
		return parallel_failed(p, ret, NULL);
	flow_state_count(flow, s->state, p->totals);
	p->handler->part_free(s->part);
	flow_state_free(s->state);
	flow_state_free(s->rest);
	pthread_mutex_lock(&p->lock);
	s->part = NULL;
	s->state = NULL;
	s->rest = NULL;
	p->committed++;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	return 0;
}

/* Segment @number is over; its decoder goes on through the next one, which was dropped. */
static int take_over(struct parallel *p, uint64_t number)
{
	struct segment *own = segment_at(p, number), *s = segment_at(p, number + 1);
	int ret = wait_turn(p, number);

	if (ret)
		return ret;
	ret = p->handler->commit(p->handler->data, own->part);
	if (ret < 0)
		return parallel_failed(p, ret, NULL);
	pthread_mutex_lock(&p->lock);
	while (!p->ret && !s->left)
		pthread_cond_wait(&p->changed, &p->lock);
	ret = p->ret ? -ECANCELED : 0;
	if (!ret) {
		p->handler->part_free(s->part);
		flow_state_free(s->state);
		s->part = own->part;
		s->state = own->state;
		own->part = NULL;
		own->state = NULL;
		flow_state_free(own->rest);
		own->rest = NULL;
		s->dropped = false;
		s->confirmed = true;
		p->committed++;
	}
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	return ret;
}

/* Nothing is behind segment @number. */
static int finish_stream(struct parallel *p, struct rvtrace_flow *flow, uint64_t number)
{
	struct segment *s = segment_at(p, number);
	int ret;

	ret = rvtrace_flow_finish(flow);
	ret = ret ? parallel_failed(p, -EINVAL, rvtrace_strerror(ret)) : drain(p, flow, s);
	pthread_mutex_lock(&p->lock);
	p->last = flow;
	pthread_mutex_unlock(&p->lock);
	return ret;
}

/*
 * Behind segment @number: to where the next one begins by itself, or through it if it cannot, until
 * one can or the stream ends. @number is then that of the segment where it does.
 */
static int go_on(struct parallel *p, struct rvtrace_flow *flow, uint64_t *number)
{
	for (;;) {
		struct segment *own = segment_at(p, *number), *s;
		int ret;

		if (!wait_confirmed(p, own))
			return -ECANCELED;
		flow_inherit(flow);
		s = wait_begun(p, own, *number + 1);
		if (given_up(p, own))
			return -ECANCELED;
		if (!s)
			return finish_stream(p, flow, *number);
		ret = pass_gaps(p, flow, s, own);
		if (!ret)
			ret = decode(p, flow, s, 0, s->begin, own);
		if (!ret)
			ret = judge(p, flow, s);
		if (ret)
			return ret > 0 ? 0 : ret;
		ret = take_over(p, *number);
		if (!ret)
			ret = decode(p, flow, s, s->begin, s->piece.size, s);
		if (ret)
			return ret;
		++*number;
	}
}

static void do_segment(struct parallel *p, struct rvtrace_flow *flow, uint64_t number)
{
	struct segment *s = segment_at(p, number);
	ssize_t at;
	int ret = 0;

	if (number) {
		ret = begin(p, flow, s);
		at = s->begin;
		flow->inherit = inherit;
		flow->inherit_data = s;
	} else {
		at = begin_stream(p, flow, s);
		ret = at < 0 ? at : 0;
	}
	if (!ret)
		ret = decode(p, flow, s, at, s->piece.size, s);
	if (!ret)
		ret = go_on(p, flow, &number);
	if (!ret)
		ret = commit(p, number, flow);
	if (!ret)
		return;
	/* whoever takes it over waits for that */
	pthread_mutex_lock(&p->lock);
	s->left = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

/* All of it by one thread. */
static void do_all(struct worker *w, struct rvtrace_flow *flow)
{
	struct parallel *p = w->parallel;
	struct segment *s = segment_at(p, 0);
	uint64_t number;
	int ret = take(w, &number);

	while (ret > 0) {
		ret = pass_gaps(p, flow, s, s);
		if (!ret)
			ret = decode(p, flow, s, 0, s->piece.size, s);
		if (ret)
			return;
		ret = fill(p, s);
	}
	if (ret < 0)
		p->ret = ret;
	if (!p->ret && s->part && !finish_stream(p, flow, 0))
		commit(p, 0, flow);
}

/**
 * parallel_work() - a thread, from the first segment that it gets to the end of the stream
 * @data: struct worker
 */
void *parallel_work(void *data)
{
	struct worker *w = data;
	struct parallel *p = w->parallel;
	struct rvtrace_flow *flow = NULL;
	int ret = rvtrace_flow_new(&w->config, w->image, &flow);
	uint64_t number = 0;
	bool last;

	if (ret) {
		parallel_failed(p, ret == RVTRACE_ERR_NO_MEMORY ? -ENOMEM : -EINVAL,
				rvtrace_strerror(ret));
		return NULL;
	}
	while (p->room > 1) {
		pthread_mutex_lock(&p->lock);
		ret = take(w, &number);
		pthread_mutex_unlock(&p->lock);
		if (!ret)
			break;
		do_segment(p, flow, number);
	}
	if (p->room == 1)
		do_all(w, flow);
	pthread_mutex_lock(&p->lock);
	last = p->last == flow;
	pthread_mutex_unlock(&p->lock);
	if (!last)
		rvtrace_flow_free(flow);
	return NULL;
}
