// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: the order in which components are enabled and disabled.
 *
 * Enabling: every component is released from reset, from sink to source; all
 * are configured; the sink's memory is set up; sinks, funnels and encoders are enabled
 * from sink to source, then tracing starts. Disabling follows chapter 15 of TCI 0.9.4.
 * In each of these steps everything is written before anything is waited for.
 *
 * Components are shared: a funnel is enabled by the first encoder that needs it
 * and disabled with the last.
 */
#include <linux/ktime.h>
#include <linux/module.h>

#include "rvtrace.h"

/* Insert behind every component that is nearer to the sink. */
static void insert_downstream(struct rvtrace_sink *sink, struct rvtrace_component *c)
{
	struct rvtrace_component *other;

	list_for_each_entry(other, &sink->downstream, stage)
		if (other->depth > c->depth)
			break;
	list_add_tail(&c->stage, &other->stage);
}

static void leave_path(struct rvtrace_component *encoder)
{
	unsigned int i;

	for (i = 0; i < encoder->path_length; i++)
		encoder->path[i]->users--;
	encoder->path_length = 0;
	encoder->paused = false;
	encoder->session = NULL;
}

/* Claim all components from the encoder to the sink. */
static int join_path(struct rvtrace_component *encoder, struct rvtrace_sink *sink)
{
	struct rvtrace_component *path[RVTRACE_PATH_MAX];
	unsigned int n, i;
	int ret;

	if (encoder->session)
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
		if (path[i]->users == 1 && path[i] != encoder)
			insert_downstream(sink, path[i]);
		encoder->path[i] = path[i];
	}
	encoder->path_length = n;
	encoder->paused = !rvtrace_powered(encoder);
	encoder->since = ktime_get_boottime_ns();
	encoder->tracing = !encoder->waits;
	encoder->data_tracing = encoder->data && !encoder->waits;
	encoder->session = sink;
	if (encoder->paused)
		dev_info(&encoder->dev, "traced when one of its harts comes online\n");
	return 0;
}

/*
 * Call @function for what is behind the encoders, the sink first, then for them. What
 * it waits for has one deadline.
 */
static int each(struct rvtrace_sink *sink, struct list_head *encoders,
		int (*function)(struct rvtrace_component *c, ktime_t deadline))
{
	ktime_t deadline = rvtrace_deadline();
	struct rvtrace_component *c;
	int ret;

	list_for_each_entry(c, &sink->downstream, stage) {
		ret = function(c, deadline);
		if (ret)
			return ret;
	}
	list_for_each_entry(c, encoders, stage) {
		ret = function(c, deadline);
		if (ret)
			return ret;
	}
	return 0;
}

/* What runs already, and what takes no part. */
static bool is_settled(const struct rvtrace_component *c)
{
	return c->enabled || c->paused;
}

static int hold(struct rvtrace_component *c, ktime_t deadline)
{
	int ret;

	if (is_settled(c))
		return 0;
	if (c->held)
		return rvtrace_hold_again(c);
	ret = rvtrace_hold_begin(c);
	c->held = !ret;
	return ret;
}

static int release_timestamp(struct rvtrace_component *c, ktime_t deadline)
{
	return c->blank && !is_settled(c) ? rvtrace_timestamp_release(c) : 0;
}

static int configure(struct rvtrace_component *c, ktime_t deadline)
{
	int ret;

	if (!c->blank || is_settled(c))
		return 0;
	c->ts_begun = false;
	ret = rvtrace_timestamp_ready(c, deadline);
	if (!ret)
		ret = rvtrace_route_apply(c);
	if (!ret)
		ret = rvtrace_configure(c);
	c->blank = ret;
	return ret;
}

static int enable(struct rvtrace_component *c, ktime_t deadline)
{
	return is_settled(c) ? 0 : rvtrace_enable_begin(c);
}

/* Release and configure what is not yet, or lost its registers in a pause. */
static int prepare(struct rvtrace_sink *sink, struct list_head *encoders)
{
	u32 offset = 0;
	bool blank;
	int ret;

	ret = each(sink, encoders, hold);
	if (!ret)
		ret = each(sink, encoders, rvtrace_hold_end);
	if (!ret)
		ret = each(sink, encoders, release_timestamp);
	if (ret)
		return ret;
	blank = sink->owner->blank;
	ret = each(sink, encoders, configure);
	if (!ret)
		ret = rvtrace_timestamp_begin(encoders, &sink->encoders);
	if (ret < 0)
		return ret;
	sink->restarted = ret;
	if (!blank)
		return 0;
	if (sink->off_chip)
		return rvtrace_off_chip_enable(sink->owner);
	if (sink->paused)
		offset = rvtrace_sampler_rewind(sink);
	return rvtrace_ram_setup(sink, offset);
}

/* Tracing begins when everything is enabled. */
static int run(struct rvtrace_sink *sink, struct list_head *encoders)
{
	struct rvtrace_component *c;
	int ret;

	ret = each(sink, encoders, enable);
	if (!ret)
		ret = each(sink, encoders, rvtrace_enable_end);
	if (ret)
		return ret;
	list_for_each_entry(c, encoders, stage) {
		if (!c->enabled)
			continue;
		ret = rvtrace_encoder_start(c);
		if (ret)
			return ret;
	}
	return 0;
}

/* Chapter 15, disabling; goes on after errors and returns the first. */
static int disable_encoders(struct list_head *encoders)
{
	struct rvtrace_component *c;
	ktime_t deadline;
	int ret = 0, err;

	list_for_each_entry(c, encoders, stage) {
		if (!c->enabled)
			continue;
		err = rvtrace_encoder_stop(c);
		ret = ret ?: err;
	}
	list_for_each_entry(c, encoders, stage) {
		if (!c->enabled)
			continue;
		err = rvtrace_disable_begin(c);
		ret = ret ?: err;
	}
	deadline = rvtrace_deadline();
	list_for_each_entry(c, encoders, stage) {
		err = rvtrace_encoder_drain(c, deadline);
		ret = ret ?: err;
	}
	return ret;
}

/* What is as far from the sink is drained together. */
static int disable_level(struct rvtrace_sink *sink, unsigned int depth, bool unused)
{
	struct rvtrace_component *c;
	ktime_t deadline;
	int ret = 0, err;

	list_for_each_entry(c, &sink->downstream, stage) {
		if (c->depth != depth || !c->enabled || (unused && c->users))
			continue;
		err = rvtrace_disable_begin(c);
		ret = ret ?: err;
	}
	deadline = rvtrace_deadline();
	list_for_each_entry(c, &sink->downstream, stage) {
		err = rvtrace_disable_end(c, deadline);
		ret = ret ?: err;
	}
	return ret;
}

/* Everything behind the encoders, or what nobody uses any more: from source to sink. */
static int disable_downstream(struct rvtrace_sink *sink, bool unused)
{
	unsigned int depth = RVTRACE_PATH_MAX;
	int ret = 0, err;

	while (depth--) {
		err = disable_level(sink, depth, unused);
		ret = ret ?: err;
	}
	return ret;
}

/* Put what has no users to reset: @encoders that have left, then source to sink. */
static int release(struct rvtrace_sink *sink, struct list_head *encoders)
{
	struct rvtrace_component *c, *next;
	ktime_t deadline;
	LIST_HEAD(idle);
	int ret = 0, err;

	list_splice_init(encoders, &idle);
	list_for_each_entry_safe_reverse(c, next, &sink->downstream, stage)
		if (!c->users)
			list_move_tail(&c->stage, &idle);
	list_for_each_entry(c, &idle, stage) {
		err = c->held ? rvtrace_release_begin(c) : 0;
		ret = ret ?: err;
		c->held = false;
	}
	deadline = rvtrace_deadline();
	list_for_each_entry_safe(c, next, &idle, stage) {
		err = rvtrace_release_end(c, deadline);
		ret = ret ?: err;
		list_del_init(&c->stage);
	}
	return ret;
}

/* The first encoder that takes part, or NULL. */
static struct rvtrace_component *first_of(struct list_head *encoders)
{
	struct rvtrace_component *c;

	list_for_each_entry(c, encoders, stage)
		if (!c->paused)
			return c;
	return NULL;
}

/* It pairs clocks. */
static void choose_clock(struct rvtrace_sink *sink)
{
	rvtrace_sampler_clock(sink, first_of(&sink->encoders));
}

/* Disable encoders and what only they used, and give the path back. */
static int withdraw(struct rvtrace_sink *sink, struct list_head *encoders)
{
	struct rvtrace_component *c;
	int ret, err;

	ret = disable_encoders(encoders);
	choose_clock(sink);
	list_for_each_entry(c, encoders, stage)
		leave_path(c);
	err = disable_downstream(sink, true);
	rvtrace_watch_errors(sink, encoders);
	return ret ?: err;
}

/* The module stays as long as the session. */
static int begin(struct rvtrace_sink *sink, struct rvtrace_component *clock)
{
	if (!try_module_get(THIS_MODULE))
		return -ENODEV;
	rvtrace_context_keep();
	rvtrace_sampler_begin(sink, clock);
	rvtrace_context_begin(sink);
	rvtrace_sink_announce(sink);
	return 0;
}

static int end(struct rvtrace_sink *sink, int error)
{
	int ret = rvtrace_sampler_end(sink, error);

	rvtrace_context_disarm();
	rvtrace_sink_announce(sink);
	module_put(THIS_MODULE);
	return ret;
}

static void choose_sink(struct rvtrace_sink *sink)
{
	u32 choice = rvtrace_sink_choice(sink->owner);

	sink->sram.used = choice == RVTRACE_SINK_SRAM;
	sink->off_chip = choice != RVTRACE_SINK_SRAM && choice != RVTRACE_SINK_SBA;
}

/* A session begins: what happened in the last one counts no more. */
static int forget(struct rvtrace_component *c, ktime_t deadline)
{
	if (c->fresh)
		rvtrace_forget(c);
	c->fresh = false;
	return 0;
}

/* Bring @encoders into @sink's session, which may be a new one. */
static int admit(struct rvtrace_sink *sink, struct list_head *encoders)
{
	bool first = list_empty(&sink->encoders);
	bool begun = false;
	int ret;

	if (first && !first_of(encoders)) {
		dev_err_ratelimited(&sink->dev, "the harts of all encoders are offline\n");
		ret = -ENODEV;
		goto undo;
	}
	if (first)
		choose_sink(sink);
	ret = rvtrace_sources_choose(encoders, &sink->encoders);
	/* Where the session is paused, they are prepared and run with the others. */
	if (!ret && !sink->paused)
		ret = prepare(sink, encoders);
	if (!ret)
		ret = each(sink, encoders, forget);
	if (!ret && first) {
		sink->sink_error = false;
		ret = begin(sink, first_of(encoders));
		begun = !ret;
	}
	if (!ret && !sink->paused)
		ret = run(sink, encoders);
	if (!ret) {
		list_splice_tail_init(encoders, &sink->encoders);
		return rvtrace_watch_begin(sink);
	}
	rvtrace_sources_undo(encoders);
undo:
	withdraw(sink, encoders);
	if (first)
		rvtrace_off_chip_disable(sink->owner);
	if (begun)
		end(sink, ret);
	release(sink, encoders);
	return ret;
}

struct gather {
	struct rvtrace_sink *sink;
	struct list_head encoders;
	int error;
};

/* An encoder that leads elsewhere, or nowhere, is not ours to start. */
static int gather_encoder(struct rvtrace_component *c, void *data)
{
	struct gather *g = data;
	int ret;

	if (c->session)
		return 0;
	ret = join_path(c, g->sink);
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
	struct gather g = { .sink = sink, .error = -ENODEV };

	lockdep_assert_held(&rvtrace_lock);
	INIT_LIST_HEAD(&g.encoders);
	rvtrace_walk_encoders(gather_encoder, &g);
	if (!list_empty(&g.encoders))
		return admit(sink, &g.encoders);
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
	if (encoder->session)
		return 0;
	ret = rvtrace_graph_path(encoder, true, path, &n);
	if (ret)
		return ret;
	sink = path[n - 1]->sink;
	ret = join_path(encoder, sink);
	if (ret)
		return ret;
	list_add_tail(&encoder->stage, &encoders);
	return admit(sink, &encoders);
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
	rvtrace_sampler_pair(sink);
	list_splice_init(&sink->encoders, &encoders);
	ret = withdraw(sink, &encoders);
	err = rvtrace_off_chip_disable(sink->owner);
	ret = ret ?: err;
	err = end(sink, error ?: ret);
	if (!ret && !error)
		ret = err;
	err = release(sink, &encoders);
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
	struct rvtrace_sink *sink = encoder->session;
	LIST_HEAD(encoders);
	int ret, err;

	lockdep_assert_held(&rvtrace_lock);
	if (!sink)
		return 0;
	if (list_is_singular(&sink->encoders))
		return rvtrace_session_stop(sink, 0);
	list_move(&encoder->stage, &encoders);
	ret = withdraw(sink, &encoders);
	err = release(sink, &encoders);
	return ret ?: err;
}

/**
 * rvtrace_session_pause() - drain everything that traces into a sink, for a while
 * @sink: the sink
 *
 * Everything is disabled, and neither readers nor the sampler touch a register until
 * rvtrace_session_resume(). Pauses nest. If the ring is full in fill mode, the session
 * is over.
 *
 * Return: 0; -ENODATA without a session; -ETIMEDOUT when hardware did not drain, or
 * an access error, and then the session is over
 */
int rvtrace_session_pause(struct rvtrace_sink *sink)
{
	int ret, err;

	lockdep_assert_held(&rvtrace_lock);
	if (list_empty(&sink->encoders))
		return -ENODATA;
	ret = disable_encoders(&sink->encoders);
	err = disable_downstream(sink, false);
	ret = ret ?: err;
	err = rvtrace_off_chip_drain(sink->owner);
	ret = ret ?: err;
	rvtrace_watch_errors(sink, &sink->encoders);
	if (!ret && !rvtrace_sampler_pause(sink))
		return 0;
	err = rvtrace_session_stop(sink, ret);
	return ret ?: err;
}

/**
 * rvtrace_session_resume() - trace again after rvtrace_session_pause()
 * @sink: the sink; nothing happens if it is not paused, or still is by another pause
 * @reason: enum rvtrace_gap_reason
 * @since: ktime_get_boottime_ns() when the pause began
 *
 * Pointers and settings are as they were, also where hardware was powered off in
 * between and lost its registers. An encoder that a trigger had stopped stays so.
 *
 * Return: 0; why it could not be enabled again, and then the session is over
 */
int rvtrace_session_resume(struct rvtrace_sink *sink, u32 reason, u64 since)
{
	int ret;

	lockdep_assert_held(&rvtrace_lock);
	if (!sink->paused)
		return 0;
	if (sink->paused > 1) {
		rvtrace_sampler_resume(sink);
		return 0;
	}
	ret = prepare(sink, &sink->encoders);
	if (!ret) {
		choose_clock(sink);
		rvtrace_sampler_resume(sink);
		ret = run(sink, &sink->encoders);
	}
	if (ret) {
		rvtrace_session_stop(sink, ret);
		return ret;
	}
	rvtrace_sampler_gap(sink, reason, RVTRACE_GAP_ALL, since);
	return rvtrace_watch_begin(sink);
}

static int pause_encoder(struct rvtrace_component *encoder, struct rvtrace_sink *sink)
{
	LIST_HEAD(encoders);
	int ret, err = 0;

	encoder->paused = true;
	if (encoder == sink->owner)
		return rvtrace_session_pause(sink);
	list_move(&encoder->stage, &encoders);
	ret = disable_encoders(&encoders);
	rvtrace_watch_errors(sink, &encoders);
	list_move_tail(&encoder->stage, &sink->encoders);
	choose_clock(sink);
	if (encoder->held)
		err = rvtrace_release(encoder);
	encoder->held = false;
	return ret ?: err;
}

/**
 * rvtrace_session_pause_encoder() - drain one encoder and put it to reset, for a while
 * @encoder: the encoder; nothing happens if it is in no session, or paused
 *
 * The others of its session go on; if the sink is its own, the session is paused. May
 * be called while the session is paused.
 *
 * Return: 0; -ETIMEDOUT when it did not drain or go to reset; it is paused all the
 * same
 */
int rvtrace_session_pause_encoder(struct rvtrace_component *encoder)
{
	struct rvtrace_sink *sink = encoder->session;

	lockdep_assert_held(&rvtrace_lock);
	if (!sink || encoder->paused)
		return 0;
	encoder->since = ktime_get_boottime_ns();
	return pause_encoder(encoder, sink);
}

/**
 * rvtrace_session_resume_encoder() - trace again after rvtrace_session_pause_encoder()
 * @encoder: the encoder; nothing happens if it is not paused
 *
 * While its session is paused, the encoder comes back with that.
 *
 * Return: 0; why it could not be enabled, and then it stays paused; what
 * rvtrace_watch_begin() returns
 */
int rvtrace_session_resume_encoder(struct rvtrace_component *encoder)
{
	struct rvtrace_sink *sink = encoder->session;
	LIST_HEAD(encoders);
	int ret;

	lockdep_assert_held(&rvtrace_lock);
	if (!sink || !encoder->paused)
		return 0;
	encoder->paused = false;
	if (encoder == sink->owner)
		return rvtrace_session_resume(sink, RVTRACE_GAP_CPU_OFFLINE, encoder->since);
	if (sink->paused)
		return 0;
	rvtrace_sampler_resume(sink);
	list_move(&encoder->stage, &encoders);
	ret = prepare(sink, &encoders);
	if (!ret)
		ret = run(sink, &encoders);
	list_move_tail(&encoder->stage, &sink->encoders);
	if (ret) {
		pause_encoder(encoder, sink);
		return ret;
	}
	choose_clock(sink);
	rvtrace_sampler_gap(sink, RVTRACE_GAP_CPU_OFFLINE, encoder->id, encoder->since);
	return rvtrace_watch_begin(sink);
}

/**
 * rvtrace_session_flush() - bring every byte generated so far to memory
 * @sink: the sink
 *
 * There is no flush bit: it is a pause, and the gap is recorded.
 *
 * Return: 0; -ENODATA without a session; -ETIMEDOUT when hardware did not
 * drain, or why it could not be enabled again, and then the session is over
 */
int rvtrace_session_flush(struct rvtrace_sink *sink)
{
	u64 since = ktime_get_boottime_ns();
	int ret;

	ret = rvtrace_session_pause(sink);
	return ret ?: rvtrace_session_resume(sink, RVTRACE_GAP_FLUSH, since);
}

struct through {
	struct rvtrace_component *component;
	struct rvtrace_sink *sink;
};

static int find_through(struct rvtrace_component *encoder, void *data)
{
	struct through *through = data;
	unsigned int i;

	for (i = 0; i < encoder->path_length; i++)
		if (encoder->path[i] == through->component)
			through->sink = encoder->session;
	return 0;
}

/**
 * rvtrace_session_unbind() - a component is about to go: end its session
 * @c: the component
 */
void rvtrace_session_unbind(struct rvtrace_component *c)
{
	struct through through = { .component = c };

	lockdep_assert_held(&rvtrace_lock);
	rvtrace_walk_encoders(find_through, &through);
	if (through.sink)
		rvtrace_session_stop(through.sink, -ENODEV);
}
