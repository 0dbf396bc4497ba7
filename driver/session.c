// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: which encoders trace into a sink, from when to when.
 *
 * Components are shared: a funnel is enabled by the first encoder that needs it
 * and disabled with the last.
 */
#include <linux/ktime.h>
#include <linux/module.h>

#include "access.h"
#include "chardev.h"
#include "context.h"
#include "core.h"
#include "graph.h"
#include "off_chip.h"
#include "power.h"
#include "rvtrace.h"
#include "sampler.h"
#include "sequence.h"
#include "session.h"
#include "sink_clock.h"
#include "sink_sysfs.h"
#include "source.h"
#include "switch_sync.h"
#include "watch.h"

/* Insert behind every component that is nearer to the sink. */
static void session_insert_downstream(struct rvtrace_sink *sink, struct rvtrace_component *c)
{
	struct rvtrace_component *other;

	list_for_each_entry(other, &sink->downstream, stage)
		if (other->depth > c->depth)
			break;
	list_add_tail(&c->stage, &other->stage);
}

static void session_leave_path(struct rvtrace_component *encoder)
{
	unsigned int i;

	for (i = 0; i < encoder->te.path_length; i++)
		encoder->te.path[i]->users--;
	encoder->te.path_length = 0;
	encoder->paused = false;
	encoder->te.session = NULL;
	rvtrace_switch_sync_leave(encoder);
}

/* Everything that the trace of an encoder of a session goes through can have power. */
static bool session_path_powered(const struct rvtrace_component *encoder)
{
	unsigned int i;

	for (i = 0; i < encoder->te.path_length; i++)
		if (!rvtrace_powered(encoder->te.path[i]))
			return false;
	return true;
}

/* Claim all components from the encoder to the sink. */
static int session_join_path(struct rvtrace_component *encoder, struct rvtrace_sink *sink)
{
	struct rvtrace_component *path[RVTRACE_PATH_MAX];
	unsigned int n, i;
	int ret;

	if (encoder->te.session)
		return -EBUSY;
	ret = rvtrace_graph_path(encoder, true, path, &n);
	if (ret)
		return ret;
	if (path[n - 1] != sink->owner)
		return -ENOLINK;
	for (i = 0; i < n; i++) {
		path[i]->depth = n - 1 - i;
		if (!path[i]->users++)
			path[i]->fresh = true;
		if (path[i]->users == 1 && path[i] != encoder) {
			session_insert_downstream(sink, path[i]);
			path[i]->paused = !rvtrace_powered(path[i]);
		}
		encoder->te.path[i] = path[i];
	}
	encoder->te.path_length = n;
	encoder->paused = !session_path_powered(encoder);
	encoder->since = ktime_get_boottime_ns();
	encoder->te.tracing = !encoder->te.wait_for_trigger;
	encoder->te.data_tracing = encoder->te.data_trace && !encoder->te.wait_for_trigger;
	encoder->te.session = sink;
	rvtrace_switch_sync_join(encoder);
	if (encoder->paused)
		dev_info(&encoder->dev, "not traced until each component on its path has a hart online\n");
	return 0;
}

/* The first encoder that takes part, or NULL. */
static struct rvtrace_component *session_first(struct list_head *encoders)
{
	struct rvtrace_component *c;

	list_for_each_entry(c, encoders, stage)
		if (!c->paused)
			return c;
	return NULL;
}

/**
 * rvtrace_session_choose_clock() - choose the encoder whose timestamp is paired with clocks
 * @sink: the session's sink
 *
 * Return: false when none takes part in the session for now
 */
bool rvtrace_session_choose_clock(struct rvtrace_sink *sink)
{
	struct rvtrace_component *clock = session_first(&sink->encoders);

	rvtrace_clock_use(sink, clock);
	return clock;
}

/**
 * rvtrace_session_resumes() - encoders are about to trace in a session that is live
 * @sink: the session's sink
 * @encoders: they are prepared, and not yet in the list of its encoders
 */
void rvtrace_session_resumes(struct rvtrace_sink *sink, struct list_head *encoders)
{
	rvtrace_sampler_resume(sink, sink->restarted ? session_first(encoders) : NULL);
}

/* Disable encoders and what only they used, and give the path back. */
static int session_withdraw(struct rvtrace_sink *sink, struct list_head *encoders)
{
	struct rvtrace_component *c;
	int ret, err;

	ret = rvtrace_sequence_disable_encoders(encoders);
	rvtrace_session_choose_clock(sink);
	list_for_each_entry(c, encoders, stage)
		session_leave_path(c);
	err = rvtrace_sequence_disable_downstream(sink, true);
	rvtrace_watch_errors(sink, encoders);
	return ret ?: err;
}

/* The module stays as long as the session. */
static int session_begin(struct rvtrace_sink *sink, struct rvtrace_component *clock)
{
	if (!try_module_get(THIS_MODULE))
		return -ENODEV;
	rvtrace_context_keep();
	rvtrace_sampler_begin(sink, clock);
	rvtrace_context_begin(sink);
	rvtrace_sink_notify(sink);
	dev_dbg(&sink->dev, "session %u begins\n", sink->session);
	return 0;
}

static int session_end(struct rvtrace_sink *sink, int error)
{
	int ret = rvtrace_sampler_end(sink, error);

	dev_dbg(&sink->dev, "session %u ends: %d\n", sink->session, ret);
	rvtrace_context_disarm();
	rvtrace_sink_notify(sink);
	module_put(THIS_MODULE);
	return ret;
}

static void session_choose_sink(struct rvtrace_sink *sink)
{
	u32 choice = rvtrace_sink_choice(sink->owner);

	sink->sram.used = choice == RVTRACE_SINK_SRAM;
	sink->off_chip = choice != RVTRACE_SINK_SRAM && choice != RVTRACE_SINK_SBA;
}

/* A session begins: what happened in the last one counts no more. */
static int session_reset_status(struct rvtrace_component *c, ktime_t deadline)
{
	if (c->fresh)
		rvtrace_reset_status(c);
	c->fresh = false;
	return 0;
}

/* Bring @encoders into @sink's session, which may be a new one. */
static int session_admit(struct rvtrace_sink *sink, struct list_head *encoders)
{
	bool first = list_empty(&sink->encoders);
	bool begun = false;
	int ret;

	if (first && sink->size && !READ_ONCE(sink->open) && rvtrace_pages_held(sink)) {
		dev_err_ratelimited(&sink->dev,
				    "not started, an earlier reader still maps its pages\n");
		ret = -EBUSY;
		goto withdraw;
	}
	if (first && !session_first(encoders)) {
		dev_err_ratelimited(&sink->dev, "not started, on the path of each encoder a hart is offline\n");
		ret = -ENODEV;
		goto withdraw;
	}
	if (first)
		session_choose_sink(sink);
	ret = rvtrace_sources_choose(encoders, &sink->encoders);
	if (ret)
		goto undo_sources;
	/* Where the session is paused, they are prepared and run with the others. */
	if (!sink->paused) {
		ret = rvtrace_sequence_prepare(sink, encoders);
		if (ret)
			goto undo_sources;
	}
	ret = rvtrace_sequence_each(sink, encoders, session_reset_status);
	if (ret)
		goto undo_sources;
	if (first) {
		sink->sink_error = false;
		ret = session_begin(sink, session_first(encoders));
		if (ret)
			goto undo_sources;
		begun = true;
	}
	if (!sink->paused) {
		if (!first)
			rvtrace_session_resumes(sink, encoders);
		ret = rvtrace_sequence_run(sink, encoders);
		if (ret)
			goto undo_sources;
	}
	rvtrace_sources_report(encoders);
	list_splice_tail_init(encoders, &sink->encoders);
	if (!sink->paused)
		rvtrace_session_choose_clock(sink);
	return rvtrace_watch_begin(sink);
undo_sources:
	rvtrace_sources_undo(encoders);
withdraw:
	session_withdraw(sink, encoders);
	if (first)
		rvtrace_off_chip_disable(sink->owner);
	if (begun)
		session_end(sink, ret);
	rvtrace_sequence_release(sink, encoders);
	return ret;
}

struct session_gather {
	struct rvtrace_sink *sink;
	struct list_head encoders;
	int error;
};

/* An encoder that leads elsewhere, or nowhere, is not ours to start. */
static int session_gather_encoder(struct rvtrace_component *c, void *data)
{
	struct session_gather *g = data;
	int ret;

	if (c->te.session)
		return 0;
	ret = session_join_path(c, g->sink);
	if (ret) {
		g->error = ret;
		return 0;
	}
	list_add_tail(&c->stage, &g->encoders);
	return 0;
}

/**
 * rvtrace_session_start() - trace all encoders that can reach a sink
 * @sink: the sink
 *
 * Encoders already tracing into it go on.
 *
 * Return: 0; when no encoder reaches the sink, why, or -ENODEV; when one cannot
 * be started, why, and then none was; what rvtrace_watch_begin() returns
 */
int rvtrace_session_start(struct rvtrace_sink *sink)
{
	struct session_gather g = { .sink = sink, .error = -ENODEV };

	lockdep_assert_held(&rvtrace_lock);
	INIT_LIST_HEAD(&g.encoders);
	rvtrace_walk_encoders(session_gather_encoder, &g);
	if (!list_empty(&g.encoders))
		return session_admit(sink, &g.encoders);
	if (!list_empty(&sink->encoders))
		return 0;
	dev_err_ratelimited(&sink->dev, "not started, the trace of no encoder leads here\n");
	return g.error;
}

/**
 * rvtrace_session_add() - trace one encoder into its sink
 * @encoder: the encoder
 *
 * Return: 0, also when it is traced already; else why not
 */
int rvtrace_session_add(struct rvtrace_component *encoder)
{
	struct rvtrace_component *path[RVTRACE_PATH_MAX];
	struct rvtrace_sink *sink;
	LIST_HEAD(encoders);
	unsigned int n;
	int ret;

	lockdep_assert_held(&rvtrace_lock);
	if (encoder->te.session)
		return 0;
	ret = rvtrace_graph_path(encoder, true, path, &n);
	if (ret)
		return ret;
	sink = path[n - 1]->sink;
	ret = session_join_path(encoder, sink);
	if (ret)
		return ret;
	list_add_tail(&encoder->stage, &encoders);
	return session_admit(sink, &encoders);
}

/**
 * rvtrace_session_stop() - stop and drain everything that traces into a sink
 * @sink: the sink
 * @error: why, or 0; recorded with the end of the session
 *
 * Return: 0, also without a session; -ETIMEDOUT when hardware did not drain or
 * go to reset; -EIO when trace was not taken on its way, or hardware lost its registers;
 * then the session is over as well
 */
int rvtrace_session_stop(struct rvtrace_sink *sink, int error)
{
	LIST_HEAD(encoders);
	int ret, err;

	lockdep_assert_held(&rvtrace_lock);
	if (list_empty(&sink->encoders))
		return 0;
	rvtrace_clock_pair(sink);
	list_splice_init(&sink->encoders, &encoders);
	ret = session_withdraw(sink, &encoders);
	err = rvtrace_off_chip_disable(sink->owner);
	ret = ret ?: err;
	err = session_end(sink, error ?: ret);
	if (!ret && !error)
		ret = err;
	err = rvtrace_sequence_release(sink, &encoders);
	return ret ?: err;
}

/**
 * rvtrace_session_remove() - stop tracing one encoder
 * @encoder: the encoder; the last one ends the session
 *
 * Return: 0, also when it is not traced; -ETIMEDOUT when it did not drain
 */
int rvtrace_session_remove(struct rvtrace_component *encoder)
{
	struct rvtrace_sink *sink = encoder->te.session;
	LIST_HEAD(encoders);
	int ret, err;

	lockdep_assert_held(&rvtrace_lock);
	if (!sink)
		return 0;
	if (list_is_singular(&sink->encoders))
		return rvtrace_session_stop(sink, 0);
	list_move(&encoder->stage, &encoders);
	ret = session_withdraw(sink, &encoders);
	err = rvtrace_sequence_release(sink, &encoders);
	return ret ?: err;
}

struct session_path_search {
	struct rvtrace_component *component;
	struct rvtrace_sink *sink;
};

static int session_search_path(struct rvtrace_component *encoder, void *data)
{
	struct session_path_search *search = data;
	unsigned int i;

	for (i = 0; i < encoder->te.path_length; i++)
		if (encoder->te.path[i] == search->component)
			search->sink = encoder->te.session;
	return 0;
}

/**
 * rvtrace_session_unbind() - a component is about to go: end its session
 * @c: the component
 */
void rvtrace_session_unbind(struct rvtrace_component *c)
{
	struct session_path_search search = { .component = c };

	lockdep_assert_held(&rvtrace_lock);
	rvtrace_walk_encoders(session_search_path, &search);
	if (search.sink)
		rvtrace_session_stop(search.sink, -ENODEV);
}
