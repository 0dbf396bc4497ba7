// SPDX-License-Identifier: LGPL-2.1-or-later
/* One stream decoded by several threads: see rvtrace/parallel.h. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rvtrace/parallel.h>

#include "etrace_internal.h"
#include "fail.h"
#include "flow_state.h"

#define MAX_SRC_BITS	16		/* of any format */
#define BATCH		256		/* items read at a time */
#define SEGMENT		(512 * 1024)	/* bytes */
#define PIECE		(64 * 1024)	/* bytes fed at a time */
#define UNSETTLED	128		/* of a segment, fed while sources are not synchronized */
#define WAITING		2		/* segments kept for each thread */

/**
 * struct segment - a piece of the stream
 * @bytes, @size: the bytes
 * @offset: stream offset of the first one
 * @first: E-Trace: behind so many of them a packet begins
 * @part: of the handler
 * @state: of its decoder where its items begin, if @begun; NULL: it never knew enough
 * @begin: how many of its bytes the decoder of the segment before takes
 * @begun: @state and @begin hold
 * @confirmed: its decoder goes on as one that decoded all would
 * @dropped: it does not: the decoder of a segment before does its work
 * @left: its own thread has done with it
 */
struct segment {
	uint8_t *bytes;
	size_t size;
	uint64_t offset;
	size_t first;
	void *part;
	struct flow_state *state;
	size_t begin;
	bool begun;
	bool confirmed;
	bool dropped;
	bool left;
};

/**
 * struct parallel - all threads
 * @lock: for everything below
 * @changed: something below has changed
 * @segments: a ring; segment number N is in N modulo @room
 * @segment: bytes of a segment
 * @taken: how many segments were begun
 * @committed: how many are over
 * @next: stream offset of the next byte to be read
 * @inside: E-Trace: bytes from there on that belong to a packet that began before
 * @seed: E-Trace: what was known behind the first piece of the stream, where support packets are
 * @at_end: there is nothing behind the segments taken
 * @ret: the first failure, 0 without
 * @totals: statistics of what was committed
 * @last: decoder that got to the end
 */
struct parallel {
	int fd;
	const char *name;
	const struct rvtrace_flow_config *config;
	const struct rvtrace_image *image;
	const struct rvtrace_parallel_handler *handler;
	struct rvtrace_recording_error *error;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct segment *segments;
	size_t room;
	size_t segment;
	uint64_t taken;
	uint64_t committed;
	uint64_t next;
	size_t inside;
	struct flow_state *seed;
	bool at_end;
	int ret;
	struct rvtrace_flow_stats *totals;
	struct rvtrace_flow *last;
};

static struct segment *segment_at(struct parallel *p, uint64_t number)
{
	return &p->segments[number % p->room];
}

static bool is_etrace(const struct parallel *p)
{
	return p->config->format == RVTRACE_FLOW_FORMAT_ETRACE;
}

static int set_failed(struct parallel *p, int ret, const char *what)
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
	return set_failed(p, -ENOMEM, "out of memory");
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

/* What is waiting in @flow, into @part; NULL: nowhere. */
static int drain(struct parallel *p, struct rvtrace_flow *flow, void *part)
{
	struct rvtrace_flow_item items[BATCH];
	int count, ret;

	while ((count = rvtrace_flow_read(flow, items, BATCH)) > 0) {
		ret = part ? p->handler->items(part, items, count) : 0;
		if (ret < 0)
			return set_failed(p, ret, NULL);
	}
	return count < 0 ? no_memory(p) : 0;
}

static int feed(struct parallel *p, struct rvtrace_flow *flow, const struct segment *s, size_t at,
		size_t size, void *part)
{
	int ret = rvtrace_flow_feed(flow, s->bytes + at, size);

	return ret ? set_failed(p, -EINVAL, rvtrace_strerror(ret)) : drain(p, flow, part);
}

/* Everything before is over: what is in the part so far may go. */
static int commit_early(struct parallel *p, uint64_t number, void *part)
{
	bool first;
	int ret;

	pthread_mutex_lock(&p->lock);
	first = p->committed == number && segment_at(p, number)->confirmed;
	pthread_mutex_unlock(&p->lock);
	ret = first ? p->handler->commit(p->handler->data, part) : 0;
	return ret < 0 ? set_failed(p, ret, NULL) : 0;
}

/* Bytes @at to @end of segment @in, for the part of segment @number. */
static int decode(struct parallel *p, struct rvtrace_flow *flow, const struct segment *in,
		  size_t at, size_t end, uint64_t number)
{
	struct segment *s = segment_at(p, number);
	int ret = 0;

	while (at < end && !ret) {
		size_t size = end - at < PIECE ? end - at : PIECE;

		if (given_up(p, s))
			return -ECANCELED;
		ret = feed(p, flow, in, at, size, s->part);
		if (!ret)
			ret = commit_early(p, number, s->part);
		at += size;
	}
	return ret;
}

/* What support packets said, for who begins behind them. */
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
static ssize_t begin_stream(struct parallel *p, struct rvtrace_flow *flow, const struct segment *s)
{
	size_t size = s->size < PIECE ? s->size : PIECE;
	int ret;

	flow_state_forget(flow, 0, true, NULL);
	if (!is_etrace(p))
		return 0;
	ret = decode(p, flow, s, 0, size, 0);
	if (!ret)
		ret = plant(p, flow);
	return ret ? ret : (ssize_t)size;
}

/* To a place in the middle of the stream. */
static void jump(struct parallel *p, struct rvtrace_flow *flow, const struct segment *s)
{
	pthread_mutex_lock(&p->lock);
	while (is_etrace(p) && !p->seed && !p->ret)
		pthread_cond_wait(&p->changed, &p->lock);
	pthread_mutex_unlock(&p->lock);
	flow_state_forget(flow, s->offset + s->first, is_etrace(p), p->seed);
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
	while (!state && at < s->size && !ret) {
		bool before = settled;

		size = p->segment / UNSETTLED + 1;
		if (size > s->size - at)
			size = s->size - at;
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
	size_t size = 0;
	ssize_t got;

	while (size < p->segment) {
		got = read(p->fd, s->bytes + size, p->segment - size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		size += got;
	}
	s->size = size;
	s->offset = p->next;
	p->next += size;
	s->first = p->inside < size ? p->inside : size;
	p->inside -= s->first;
	if (is_etrace(p) && !p->inside)
		p->inside = etrace_reader_pass(&p->config->etrace, s->bytes, size, s->first);
	return size != 0;
}

/* The next segment, when there is room; locked. Return: 1, 0 at the end or after a failure. */
static int take(struct parallel *p, uint64_t *number)
{
	struct segment *s;
	int ret;

	while (!p->ret && !p->at_end && p->taken == p->committed + p->room)
		pthread_cond_wait(&p->changed, &p->lock);
	if (p->ret || p->at_end)
		return 0;
	s = segment_at(p, p->taken);
	ret = fill(p, s);
	s->state = NULL;
	s->begun = false;
	s->confirmed = !p->taken;
	s->dropped = false;
	s->left = false;
	s->part = ret > 0 ? p->handler->part_new(p->handler->data) : NULL;
	if (ret > 0 && s->part) {
		*number = p->taken++;
	} else {
		p->at_end = true;
		if (ret)
			p->ret = fail(p->error, ret < 0 ? ret : -ENOMEM, p->name,
				      ret < 0 ? strerror(-ret) : "out of memory");
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

/* Segment @s is to be gone on with by its own decoder if @same, else not at all. */
static void judge(struct parallel *p, struct segment *of, struct segment *s, bool same)
{
	pthread_mutex_lock(&p->lock);
	while (!p->ret && !of->confirmed && !of->dropped)
		pthread_cond_wait(&p->changed, &p->lock);
	if (of->confirmed) {
		s->confirmed = same;
		s->dropped = !same;
	}
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
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
		return set_failed(p, ret, NULL);
	flow_state_count(flow, s->state, p->totals);
	p->handler->part_free(s->part);
	flow_state_free(s->state);
	pthread_mutex_lock(&p->lock);
	s->part = NULL;
	s->state = NULL;
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
		return set_failed(p, ret, NULL);
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

	judge(p, s, s, true);
	if (given_up(p, s))
		return -ECANCELED;
	ret = rvtrace_flow_finish(flow);
	ret = ret ? set_failed(p, -EINVAL, rvtrace_strerror(ret)) : drain(p, flow, s->part);
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
		struct segment *own = segment_at(p, *number);
		struct segment *s = wait_begun(p, own, *number + 1);
		bool same;
		int ret;

		if (given_up(p, own))
			return -ECANCELED;
		if (!s)
			return finish_stream(p, flow, *number);
		ret = decode(p, flow, s, 0, s->begin, *number);
		if (ret)
			return ret;
		same = s->state && flow_state_same(s->state, flow);
		judge(p, own, s, same);
		if (given_up(p, own))
			return -ECANCELED;
		if (same)
			return 0;
		ret = take_over(p, *number);
		if (!ret)
			ret = decode(p, flow, s, s->begin, s->size, ++*number);
		if (ret)
			return ret;
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
	} else {
		at = begin_stream(p, flow, s);
		ret = at < 0 ? at : 0;
	}
	if (!ret)
		ret = decode(p, flow, s, at, s->size, number);
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
static void do_all(struct parallel *p, struct rvtrace_flow *flow)
{
	struct segment *s = segment_at(p, 0);
	uint64_t number;
	bool more;
	int ret = 0;

	more = take(p, &number);
	while (more && !ret) {
		ret = decode(p, flow, s, 0, s->size, 0);
		if (!ret)
			ret = fill(p, s);
		if (ret < 0 && !p->ret)
			set_failed(p, ret, strerror(-ret));
		more = ret > 0;
		ret = ret > 0 ? 0 : ret;
	}
	if (!p->ret && s->part && !finish_stream(p, flow, 0))
		commit(p, 0, flow);
}

static void *work(void *data)
{
	struct parallel *p = data;
	struct rvtrace_flow *flow = NULL;
	int ret = rvtrace_flow_new(p->config, p->image, &flow);
	uint64_t number = 0;
	bool last;

	if (ret) {
		set_failed(p, ret == RVTRACE_ERR_NO_MEMORY ? -ENOMEM : -EINVAL,
			   rvtrace_strerror(ret));
		return NULL;
	}
	while (p->room > 1) {
		pthread_mutex_lock(&p->lock);
		ret = take(p, &number);
		pthread_mutex_unlock(&p->lock);
		if (!ret)
			break;
		do_segment(p, flow, number);
	}
	if (p->room == 1)
		do_all(p, flow);
	pthread_mutex_lock(&p->lock);
	last = p->last == flow;
	pthread_mutex_unlock(&p->lock);
	if (!last)
		rvtrace_flow_free(flow);
	return NULL;
}

static int finish(struct parallel *p)
{
	if (!p->last && !p->ret && rvtrace_flow_new(p->config, p->image, &p->last))
		return fail(p->error, -ENOMEM, p->name, "out of memory");
	if (!p->ret && flow_state_set_counts(p->last, p->totals))
		return fail(p->error, -ENOMEM, p->name, "out of memory");
	if (!p->ret && p->handler->end)
		p->handler->end(p->handler->data, p->last);
	return p->ret;
}

static int run(struct parallel *p, unsigned int jobs)
{
	pthread_t *threads = calloc(jobs, sizeof(*threads));
	unsigned int started = 0;
	int ret = threads ? 0 : ENOMEM;

	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	while (!ret && started < jobs) {
		ret = pthread_create(&threads[started], NULL, work, p);
		started += !ret;
	}
	if (ret)
		set_failed(p, -ret, strerror(ret));
	while (started)
		pthread_join(threads[--started], NULL);
	free(threads);
	ret = finish(p);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	return ret;
}

int rvtrace_parallel_file(int fd, const char *name, const struct rvtrace_flow_config *config,
			  const struct rvtrace_image *image, unsigned int jobs, size_t segment,
			  const struct rvtrace_parallel_handler *handler,
			  struct rvtrace_recording_error *error)
{
	struct parallel p = {
		.fd = fd, .name = name, .config = config, .image = image, .handler = handler,
		.error = error, .segment = segment ? segment : SEGMENT,
	};
	int ret = -ENOMEM;
	size_t i;

	/* with data trace, and where the image depends on the time, decoders cannot be compared */
	if ((is_etrace(&p) && config->etrace.type_width) || config->resolve)
		jobs = 1;
	p.room = jobs > 1 ? WAITING * jobs : 1;
	if (config->src_bits > MAX_SRC_BITS)
		return fail(error, -EINVAL, name, rvtrace_strerror(RVTRACE_ERR_INVALID));
	p.segments = calloc(p.room, sizeof(*p.segments));
	p.totals = calloc((size_t)1 << config->src_bits, sizeof(*p.totals));
	for (i = 0; p.segments && i < p.room; i++) {
		p.segments[i].bytes = malloc(p.segment);
		if (!p.segments[i].bytes)
			break;
	}
	if (p.segments && p.totals && i == p.room)
		ret = run(&p, jobs);
	else
		fail(error, ret, name, "out of memory");
	rvtrace_flow_free(p.last);
	for (i = 0; p.segments && i < p.room; i++) {
		if (p.segments[i].part)
			handler->part_free(p.segments[i].part);
		flow_state_free(p.segments[i].state);
		free(p.segments[i].bytes);
	}
	flow_state_free(p.seed);
	free(p.segments);
	free(p.totals);
	return ret;
}
