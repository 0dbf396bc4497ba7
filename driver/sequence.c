// SPDX-License-Identifier: GPL-2.0
/*
 * The order in which the components of a session are enabled and disabled.
 *
 * Enabling: every component is released from reset, from sink to source; all
 * are configured; the sink's memory is set up; sinks, funnels and encoders are enabled
 * from sink to source, then tracing starts. Disabling follows chapter 15 of TCI 0.9.4.
 * In each of these steps everything is written before anything is waited for, but for Enable
 * where harts stall.
 */
#include <linux/ktime.h>

#include "access.h"
#include "activate.h"
#include "atb.h"
#include "encoder.h"
#include "guard.h"
#include "off_chip.h"
#include "ramsink.h"
#include "route.h"
#include "rvtrace.h"
#include "sampler.h"
#include "sequence.h"
#include "stm.h"
#include "switch_sync.h"
#include "timestamp.h"
#include "wait.h"

/**
 * rvtrace_sequence_each() - call a function for every component of a session
 * @sink: its sink
 * @encoders: encoders of it, or those that are about to join
 * @function: called for what is behind the encoders, the sink first, then for them; what
 *	it waits for has one deadline
 *
 * Return: 0, or what a call returned; then there are no more
 */
int rvtrace_sequence_each(struct rvtrace_sink *sink, struct list_head *encoders,
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
static bool sequence_is_settled(const struct rvtrace_component *c)
{
	return rvtrace_is_enabled(c) || c->paused;
}

/* What is to be configured. */
static bool sequence_is_due(const struct rvtrace_component *c)
{
	return c->phase == RVTRACE_PHASE_HELD && !c->paused;
}

static int sequence_hold(struct rvtrace_component *c, ktime_t deadline)
{
	int ret;

	if (sequence_is_settled(c))
		return 0;
	if (c->phase != RVTRACE_PHASE_IDLE)
		return rvtrace_hold_again(c);
	ret = rvtrace_hold_begin(c);
	if (ret)
		return ret;
	c->phase = RVTRACE_PHASE_HELD;
	return 0;
}

static int sequence_release_timestamp(struct rvtrace_component *c, ktime_t deadline)
{
	return sequence_is_due(c) ? rvtrace_timestamp_release(c) : 0;
}

static int sequence_configure(struct rvtrace_component *c, ktime_t deadline)
{
	int ret;

	if (!sequence_is_due(c))
		return 0;
	c->ts.begun = false;
	ret = rvtrace_timestamp_ready(c, deadline);
	if (ret)
		return ret;
	ret = rvtrace_route_apply(c);
	if (ret)
		return ret;
	ret = rvtrace_atb_begin(c);
	if (ret)
		return ret;
	ret = rvtrace_configure(c);
	if (ret)
		return ret;
	dev_dbg(&c->dev, "configured\n");
	c->phase = RVTRACE_PHASE_CONFIGURED;
	return 0;
}

static int sequence_enable(struct rvtrace_component *c, ktime_t deadline)
{
	return sequence_is_settled(c) ? 0 : rvtrace_enable_begin(c);
}

/*
 * Where harts wait for their trace, whoever sends it finds the next one enabled (TCI 1.0,
 * chapter "Enabling and Disabling").
 */
static int sequence_enable_in_turn(struct rvtrace_component *c, ktime_t deadline)
{
	int ret = sequence_enable(c, deadline);

	return ret ?: rvtrace_enable_end(c, deadline);
}

static bool sequence_any_stalls(struct list_head *encoders)
{
	struct rvtrace_component *c;

	list_for_each_entry(c, encoders, stage)
		if (rvtrace_encoder_stalls(c))
			return true;
	return false;
}

/**
 * rvtrace_sequence_prepare() - release and configure what is not yet
 * @sink: the session's sink
 * @encoders: encoders that join, or those of a session that was paused
 *
 * What lost its registers in a pause is configured again; if timestamps of a live session
 * restart for that, @sink knows.
 *
 * Return: 0; -ETIMEDOUT when hardware did not come out of reset; an access error
 */
int rvtrace_sequence_prepare(struct rvtrace_sink *sink, struct list_head *encoders)
{
	u64 offset = 0;
	bool setup;
	int ret;

	ret = rvtrace_sequence_each(sink, encoders, sequence_hold);
	if (ret)
		return ret;
	ret = rvtrace_sequence_each(sink, encoders, rvtrace_hold_end);
	if (ret)
		return ret;
	ret = rvtrace_sequence_each(sink, encoders, sequence_release_timestamp);
	if (ret)
		return ret;
	setup = sequence_is_due(sink->owner);
	ret = rvtrace_sequence_each(sink, encoders, sequence_configure);
	if (ret)
		return ret;
	ret = rvtrace_timestamp_begin(encoders, &sink->encoders);
	if (ret < 0)
		return ret;
	sink->restarted = ret && sink->state == RVTRACE_STATE_RUNNING;
	if (sink->restarted)
		dev_info(&sink->dev, "timestamps restart at 0\n");
	if (!setup)
		return 0;
	if (sink->off_chip)
		return rvtrace_off_chip_enable(sink->owner);
	if (sink->paused)
		offset = rvtrace_sampler_rewind(sink);
	return rvtrace_ram_setup(sink, offset);
}

/**
 * rvtrace_sequence_run() - enable everything from sink to source, then begin to trace
 * @sink: the session's sink
 * @encoders: as rvtrace_sequence_prepare() had them
 *
 * Return: 0; -ETIMEDOUT when hardware was not enabled; an access error
 */
int rvtrace_sequence_run(struct rvtrace_sink *sink, struct list_head *encoders)
{
	bool stalls = sequence_any_stalls(encoders);
	struct rvtrace_component *c;
	int ret;

	ret = rvtrace_sequence_each(sink, encoders,
				    stalls ? sequence_enable_in_turn : sequence_enable);
	if (ret)
		return ret;
	ret = rvtrace_sequence_each(sink, encoders, rvtrace_enable_end);
	if (ret)
		return ret;
	rvtrace_guard_begin(encoders);
	list_for_each_entry(c, encoders, stage)
		if (rvtrace_is_enabled(c))
			rvtrace_switch_sync_begin(c);
	list_for_each_entry(c, encoders, stage) {
		if (!rvtrace_is_enabled(c))
			continue;
		ret = rvtrace_encoder_start(c);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * rvtrace_sequence_disable_encoders() - stop tracing, disable, and drain
 * @encoders: encoders, of which some may not be enabled
 *
 * Goes on after errors. Source: TCI 0.9.4, chapter 15.
 *
 * Return: 0 or the first error; -ETIMEDOUT when one did not drain
 */
int rvtrace_sequence_disable_encoders(struct list_head *encoders)
{
	struct rvtrace_component *c;
	ktime_t deadline;
	int ret = 0, err;

	list_for_each_entry(c, encoders, stage) {
		if (!rvtrace_is_enabled(c))
			continue;
		err = rvtrace_encoder_stop(c);
		ret = ret ?: err;
	}
	/* Nothing waits for harts from here on, until none of them can stand still. */
	rvtrace_guard_end(encoders);
	list_for_each_entry(c, encoders, stage) {
		if (!rvtrace_is_enabled(c))
			continue;
		err = rvtrace_disable_begin(c);
		ret = ret ?: err;
	}
	deadline = rvtrace_deadline();
	list_for_each_entry(c, encoders, stage) {
		err = rvtrace_encoder_drain(c, deadline);
		ret = ret ?: err;
	}
	list_for_each_entry(c, encoders, stage) {
		rvtrace_switch_sync_end(c);
		rvtrace_stm_wait(c);
	}
	return ret;
}

/* What is as far from the sink is drained together. */
static int sequence_disable_level(struct rvtrace_sink *sink, unsigned int depth, bool unused)
{
	struct rvtrace_component *c;
	ktime_t deadline;
	int ret = 0, err;

	list_for_each_entry(c, &sink->downstream, stage) {
		if (c->depth != depth || !rvtrace_is_enabled(c) || (unused && c->users))
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

/**
 * rvtrace_sequence_disable_downstream() - disable and drain what is behind the encoders
 * @sink: the session's sink
 * @unused: only what no encoder uses any more
 *
 * From source to sink; goes on after errors.
 *
 * Return: 0 or the first error; -ETIMEDOUT when something did not drain
 */
int rvtrace_sequence_disable_downstream(struct rvtrace_sink *sink, bool unused)
{
	unsigned int depth = RVTRACE_PATH_MAX;
	int ret = 0, err;

	while (depth--) {
		err = sequence_disable_level(sink, depth, unused);
		ret = ret ?: err;
	}
	return ret;
}

/**
 * rvtrace_sequence_release() - put what has no users to reset
 * @sink: the session's sink
 * @encoders: those that have left; then what is behind them, from source to sink. The
 *	list is empty then
 *
 * Return: 0 or the first error; -ETIMEDOUT when something did not go to reset
 */
int rvtrace_sequence_release(struct rvtrace_sink *sink, struct list_head *encoders)
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
		err = c->phase == RVTRACE_PHASE_IDLE ? 0 : rvtrace_release_begin(c);
		ret = ret ?: err;
		c->phase = RVTRACE_PHASE_IDLE;
		c->te.let_go = false;
		rvtrace_atb_end(c);
	}
	deadline = rvtrace_deadline();
	list_for_each_entry_safe(c, next, &idle, stage) {
		err = rvtrace_release_end(c, deadline);
		ret = ret ?: err;
		list_del_init(&c->stage);
	}
	return ret;
}
