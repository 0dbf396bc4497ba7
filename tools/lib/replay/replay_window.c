// SPDX-License-Identifier: LGPL-2.1-or-later
/* What a recording's stream says of some time: rvtrace_replay_window(). */
#include <errno.h>
#include <string.h>

#include <rvtrace/clock.h>

#include "tools/lib/base/fail.h"
#include "tools/lib/flow/flow_format.h"
#include "tools/lib/flow/flow_state.h"
#include "replay_internal.h"

#define BATCH		256		/* items read at a time */
#define EARLIER_NS	20000000ull	/* decoding begins so long before the window, */
#define EARLIER_MAX_NS	(64 * EARLIER_NS)	/* or eight times that, up to this, or at 0 */
#define SILENT_NS	1000000000ull	/* who is silent that long is not waited for */
#define SYNCS		2		/* of each source before the window */

/**
 * struct asked - one way to decode it
 * @sink: the sink
 * @flow: the decoder
 * @from, @to: the window
 * @later: @to, and SILENT_NS; UINT64_MAX: never
 * @sought: the first byte to come is somewhere in the stream
 * @settled: all sources are known
 * @entered: a source is in the window, or behind its beginning
 * @left: all sources are behind it
 */
struct asked {
	const struct rvtrace_recording_sink *sink;
	struct rvtrace_flow *flow;
	const struct rvtrace_replay_handler *handler;
	struct rvtrace_failure *error;
	uint64_t from;
	uint64_t to;
	uint64_t later;
	bool sought;
	bool settled;
	bool entered;
	bool left;
};

/* Whether what it sends from here on is understood. */
static bool is_known(const struct asked *w, size_t id)
{
	return flow_state_knows(w->flow, id) && w->flow->sources[id]->stats.syncs >= SYNCS;
}

/* Whether its messages from here on, in the order of the stream, say nothing of the window. */
static bool is_behind(const struct asked *w, size_t id)
{
	const struct source *source = id < w->flow->source_count ? w->flow->sources[id] : NULL;

	return source && source->has_time && source->time > w->to;
}

/* Of each source, be it silent until now. */
static bool each_source(const struct asked *w, bool (*is)(const struct asked *w, size_t id))
{
	const struct rvtrace_recording_source *source = w->sink->sources;

	for (size_t i = 0; i < w->sink->source_count; i++, source++)
		for (size_t k = 0; !k || k < source->hart_count; k++)
			if (!is(w, source->src_id + k))
				return false;
	for (size_t id = 0; id < w->flow->source_count; id++)
		if (w->flow->sources[id] && !is(w, id))
			return false;
	return true;
}

/*
 * Whether no source says more of the window, not even one that is stopped: what it says when it
 * starts may be late. Of some formats, what executed may come out later than the time that says so.
 */
static bool is_left(const struct asked *w)
{
	if (w->flow->latest <= w->to)
		return false;
	return w->flow->latest > w->later || (w->flow->format->prompt && each_source(w, is_behind));
}

static bool is_inside(const struct asked *w, const struct rvtrace_flow_item *items, int count)
{
	for (int i = 0; i < count; i++)
		if (items[i].flags & RVTRACE_FLOW_HAS_TIME && items[i].time >= w->from)
			return true;
	return false;
}

/* What was counted until here was not asked for, but who is synchronized stays so. */
static void enter(struct asked *w)
{
	w->entered = true;
	for (size_t id = 0; id < w->flow->source_count; id++) {
		struct source *source = w->flow->sources[id];

		if (source)
			source->stats = (struct rvtrace_flow_stats) {
				.syncs = source->stats.syncs,
			};
	}
}

/*
 * On the way to the window nothing is wanted but to know all sources. Return: 0, -EAGAIN: there,
 * and they are not.
 */
static int approach(struct asked *w, const struct rvtrace_flow_item *items, int count)
{
	if (!w->settled && w->flow->latest >= w->from)
		return -EAGAIN;
	if (is_inside(w, items, count))
		enter(w);
	else if (!w->settled)
		w->settled = each_source(w, is_known);
	return 0;
}

/* What is waiting in the decoder. Return: 0, -EAGAIN: too little was known, a negative errno. */
static int drain(struct asked *w)
{
	struct rvtrace_flow_item items[BATCH];
	int count = 1, ret = 0;

	while (!w->left && count && !ret) {
		count = rvtrace_flow_read(w->flow, items, BATCH);
		if (count < 0)
			return replay_errno(count, w->error);
		if (!w->entered)
			ret = approach(w, items, count);
		if (ret || !w->entered)
			continue;
		ret = w->handler->items(w->handler->data, items, count);
		w->left = is_left(w);
	}
	return ret < 0 ? ret : 0;
}

static int finish(struct asked *w)
{
	int ret = w->left ? 0 : rvtrace_flow_finish(w->flow);

	/* who does not say where it is may not say when either */
	if (!w->settled)
		return -EAGAIN;
	ret = ret ? replay_errno(ret, w->error) : drain(w);
	if (!ret && w->handler->end)
		w->handler->end(w->handler->data, w->flow);
	return ret;
}

static int play(struct asked *w, struct rvtrace_recording_stream *stream)
{
	struct rvtrace_chunk chunk;
	int ret;

	while (!w->left && (ret = rvtrace_recording_stream_next(stream, &chunk, w->error)) > 0) {
		if (w->sought)
			w->flow->format->reader->seek(w->flow->reader, chunk.offset, false);
		w->sought = false;
		ret = w->handler->chunk ? w->handler->chunk(w->handler->data, &chunk) : 0;
		if (ret >= 0)
			ret = replay_feed(w->flow, &chunk, w->error);
		if (!ret)
			ret = drain(w);
		if (ret)
			return ret;
	}
	return w->left || !ret ? finish(w) : ret;
}

/* From @ns on; 0: from the start. Return: as drain(). */
static int attempt(struct asked *w, struct rvtrace_recording *recording, size_t sink,
		   const struct rvtrace_flow_config *config, const struct rvtrace_image *image,
		   const struct rvtrace_clock *clock, uint64_t ns)
{
	struct rvtrace_recording_stream *stream;
	int ret = rvtrace_flow_new(config, image, &w->flow);

	if (ret)
		return replay_errno(ret, w->error);
	ret = rvtrace_recording_stream_open(recording, sink, &stream, w->error);
	if (!ret) {
		w->sought = ns && rvtrace_recording_stream_seek(stream, ns);
		w->settled = !w->sought;
		w->entered = !w->from;
		w->left = false;
		if (w->sought)
			w->flow->latest = rvtrace_clock_ticks(clock, ns);
		ret = play(w, stream);
	}
	rvtrace_recording_stream_free(stream);
	rvtrace_flow_free(w->flow);
	return ret;
}

/* When the window begins, where one can begin to decode right before; else 0. */
static uint64_t window_ns(const struct rvtrace_flow_config *config,
			  const struct rvtrace_clock *clock, uint64_t from)
{
	const struct flow_format *format = flow_format_of(config);

	return from && format && format->indexed && rvtrace_clock_known(clock) ?
	       rvtrace_clock_ns(clock, from) : 0;
}

static uint64_t later_than(const struct rvtrace_clock *clock, uint64_t to)
{
	return to == UINT64_MAX || !rvtrace_clock_known(clock) ? UINT64_MAX :
	       rvtrace_clock_ticks(clock, rvtrace_clock_ns(clock, to) + SILENT_NS);
}

int rvtrace_replay_window(struct rvtrace_recording *recording, size_t sink,
			  struct rvtrace_program *program, struct rvtrace_resolver *resolver,
			  uint64_t from, uint64_t to,
			  const struct rvtrace_replay_handler *handler,
			  struct rvtrace_failure *error)
{
	const struct rvtrace_clock *clock = rvtrace_resolver_clock(resolver);
	struct rvtrace_replay_handler own;
	struct asked w = {
		.sink = rvtrace_recording_sink(recording, sink), .handler = &own,
		.error = error, .from = from, .to = to, .later = later_than(clock, to),
	};
	uint64_t ns, earlier = EARLIER_NS;
	struct rvtrace_flow_config config = { .size = sizeof(config) };
	int ret = replay_handler_take(&own, handler, error);

	if (!ret)
		ret = rvtrace_replay_config(recording, sink, &config, error);
	if (ret)
		return ret;
	ns = window_ns(&config, clock, from);
	do {
		if (earlier > EARLIER_MAX_NS || earlier > ns)
			ns = 0;
		rvtrace_resolver_attach(resolver, &config);
		ret = attempt(&w, recording, sink, &config, program->image, clock,
			      ns ? ns - earlier : 0);
		earlier *= 8;
	} while (ret == -EAGAIN);
	return ret;
}
