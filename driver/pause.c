// SPDX-License-Identifier: GPL-2.0
/*
 * Pauses of a session, or of one of its encoders: what is behind them sleeps, loses power
 * or is flushed, and then tracing goes on.
 */
#include <linux/ktime.h>

#include "activate.h"
#include "off_chip.h"
#include "pause.h"
#include "rvtrace.h"
#include "sampler.h"
#include "sequence.h"
#include "session.h"
#include "wait.h"
#include "watch.h"

/* Of what is behind the encoders, which are drained themselves */
static int pause_drain(struct rvtrace_sink *sink)
{
	int ret = rvtrace_sequence_disable_downstream(sink, false);
	int err = rvtrace_off_chip_drain(sink->owner);

	return ret ?: err;
}

/* What took the trace of one had stopped meanwhile. */
static bool pause_let_go(const struct rvtrace_sink *sink)
{
	const struct rvtrace_component *c;

	list_for_each_entry(c, &sink->encoders, stage)
		if (c->te.let_go && !c->paused)
			return true;
	return false;
}

/**
 * rvtrace_session_pause() - drain everything that traces into a sink, for a while
 * @sink: the sink
 *
 * Everything is disabled, and neither readers nor the sampler touch a register until
 * rvtrace_session_resume(). Pauses nest. If the ring is full in fill mode, the session
 * is over.
 *
 * Return: 0; -ENODATA without a session; -EPIPE when a sink or funnel had stopped, -ETIMEDOUT when
 * hardware did not drain, or an access error, and then the session is over
 */
int rvtrace_session_pause(struct rvtrace_sink *sink)
{
	bool full = false;
	int ret, err;

	lockdep_assert_held(&rvtrace_lock);
	if (list_empty(&sink->encoders))
		return -ENODATA;
	dev_dbg(&sink->dev, "pause\n");
	ret = sink->paused ? 0 : rvtrace_watch_downstream(sink);
	err = rvtrace_sequence_disable_encoders(&sink->encoders);
	ret = ret ?: err;
	err = pause_drain(sink);
	ret = ret ?: err;
	rvtrace_watch_errors(sink, &sink->encoders);
	if (!ret)
		full = rvtrace_sampler_pause(sink);
	if (!ret && !full && pause_let_go(sink))
		ret = -EPIPE;
	if (!ret && !full)
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
		rvtrace_sampler_resume(sink, NULL);
		return 0;
	}
	dev_dbg(&sink->dev, "resume\n");
	ret = rvtrace_sequence_prepare(sink, &sink->encoders);
	if (ret)
		goto stop;
	rvtrace_session_choose_clock(sink);
	rvtrace_sampler_resume(sink, NULL);
	ret = rvtrace_sequence_run(sink, &sink->encoders);
	if (ret)
		goto stop;
	rvtrace_sampler_gap(sink, reason, RVTRACE_GAP_ALL, since);
	return rvtrace_watch_begin(sink);
stop:
	rvtrace_session_stop(sink, ret);
	return ret;
}

static int pause_run_encoder(struct rvtrace_sink *sink, struct list_head *encoders)
{
	int ret;

	ret = rvtrace_sequence_prepare(sink, encoders);
	if (ret)
		return ret;
	rvtrace_session_resumes(sink, encoders);
	return rvtrace_sequence_run(sink, encoders);
}

static int pause_encoder(struct rvtrace_component *encoder, struct rvtrace_sink *sink)
{
	LIST_HEAD(encoders);
	int ret, err = 0;

	dev_dbg(&encoder->dev, "pause\n");
	encoder->paused = true;
	if (encoder == sink->owner)
		return rvtrace_session_pause(sink);
	list_move(&encoder->stage, &encoders);
	ret = rvtrace_sequence_disable_encoders(&encoders);
	rvtrace_watch_errors(sink, &encoders);
	list_move_tail(&encoder->stage, &sink->encoders);
	/* Timestamps may restart before anything traces again: not before what is on its way. */
	if (!rvtrace_session_choose_clock(sink) && !sink->paused)
		err = pause_drain(sink);
	ret = ret ?: err;
	err = encoder->phase == RVTRACE_PHASE_IDLE ? 0 : rvtrace_release(encoder);
	encoder->phase = RVTRACE_PHASE_IDLE;
	encoder->te.let_go = false;
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
	struct rvtrace_sink *sink = encoder->te.session;

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
	struct rvtrace_sink *sink = encoder->te.session;
	LIST_HEAD(encoders);
	int ret;

	lockdep_assert_held(&rvtrace_lock);
	if (!sink || !encoder->paused)
		return 0;
	dev_dbg(&encoder->dev, "resume\n");
	encoder->paused = false;
	if (encoder == sink->owner)
		return rvtrace_session_resume(sink, RVTRACE_GAP_CPU_OFFLINE, encoder->since);
	if (sink->paused)
		return 0;
	list_move(&encoder->stage, &encoders);
	ret = pause_run_encoder(sink, &encoders);
	list_move_tail(&encoder->stage, &sink->encoders);
	if (ret) {
		pause_encoder(encoder, sink);
		return ret;
	}
	rvtrace_session_choose_clock(sink);
	rvtrace_sampler_gap(sink, RVTRACE_GAP_CPU_OFFLINE, encoder->id, encoder->since);
	return rvtrace_watch_begin(sink);
}

/**
 * rvtrace_session_pause_between() - put what is between encoders and the sink to reset, for a
 *	while
 * @c: the component, in a session; the encoders whose trace goes through it are paused
 *
 * It takes part again when one of them does and @paused of it is false.
 *
 * Return: 0; -ETIMEDOUT when it did not drain or go to reset; it is paused all the same
 */
int rvtrace_session_pause_between(struct rvtrace_component *c)
{
	int ret = 0, err;

	lockdep_assert_held(&rvtrace_lock);
	if (c->paused)
		return 0;
	dev_dbg(&c->dev, "pause\n");
	c->paused = true;
	if (rvtrace_is_enabled(c)) {
		ret = rvtrace_disable_begin(c);
		err = rvtrace_disable_end(c, rvtrace_deadline());
		ret = ret ?: err;
	}
	err = c->phase == RVTRACE_PHASE_IDLE ? 0 : rvtrace_release(c);
	c->phase = RVTRACE_PHASE_IDLE;
	return ret ?: err;
}

/**
 * rvtrace_session_pause_owner() - pause a session whose sink is about to have no power
 * @sink: the sink; nothing happens if it is paused for that already
 *
 * Return: what rvtrace_session_pause() returns
 */
int rvtrace_session_pause_owner(struct rvtrace_sink *sink)
{
	lockdep_assert_held(&rvtrace_lock);
	if (sink->owner->paused)
		return 0;
	sink->owner->paused = true;
	sink->owner->since = ktime_get_boottime_ns();
	return rvtrace_session_pause(sink);
}

/**
 * rvtrace_session_resume_owner() - undo rvtrace_session_pause_owner()
 * @sink: the sink; nothing happens if it is not paused for that
 *
 * Return: what rvtrace_session_resume() returns
 */
int rvtrace_session_resume_owner(struct rvtrace_sink *sink)
{
	lockdep_assert_held(&rvtrace_lock);
	if (!sink->owner->paused)
		return 0;
	sink->owner->paused = false;
	return rvtrace_session_resume(sink, RVTRACE_GAP_CPU_OFFLINE, sink->owner->since);
}

/**
 * rvtrace_session_flush() - bring every byte generated so far to memory
 * @sink: the sink
 *
 * There is no flush bit: it is a pause, and the gap is recorded.
 *
 * Return: 0; -ENODATA without a session; -EPIPE when a sink or funnel had stopped; -ETIMEDOUT when
 * hardware did not drain, or why it could not be enabled again, and then the session is over
 */
int rvtrace_session_flush(struct rvtrace_sink *sink)
{
	u64 since = ktime_get_boottime_ns();
	int ret;

	ret = rvtrace_session_pause(sink);
	return ret ?: rvtrace_session_resume(sink, RVTRACE_GAP_FLUSH, since);
}
