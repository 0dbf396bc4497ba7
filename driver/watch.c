// SPDX-License-Identifier: GPL-2.0
/*
 * Trace that starts and stops by itself (TCI 1.0 chapter "Enabling and Disabling":
 * "Periodically read trTeControl for status of trace"), or is not taken. Encoders that
 * nothing can start or stop are left alone. Sinks and funnels are watched in every session.
 */
#include <linux/jiffies.h>
#include <linux/sysfs.h>

#include "access.h"
#include "activate.h"
#include "field.h"
#include "power.h"
#include "ramsink.h"
#include "rvtrace.h"
#include "sampler.h"
#include "session.h"
#include "watch.h"

/* What stopped is noticed, and its session over, within 200 ms. */
#define PERIOD	msecs_to_jiffies(100)

/*
 * A trigger may be set, or the sink of the encoder's own may be full. Triggers of the
 * hart are not known; where nothing makes an encoder ignore them it obeys.
 */
static bool watch_is_watched(const struct rvtrace_component *c)
{
	unsigned int id;

	if (c->sink || c->te.wait_for_trigger || !rvtrace_has(c, RVTRACE_INST_TRIG_EN))
		return true;
	for (id = RVTRACE_XTRIG_IN_ACTION0; id <= RVTRACE_XTRIG_IN_ACTION7; id++)
		if (c->wanted[id])
			return true;
	return c->wanted[RVTRACE_INST_TRIG_EN] || c->wanted[RVTRACE_DBG_TRIGGER] ||
	       c->wanted[RVTRACE_STOP_ON_WRAP];
}

/**
 * rvtrace_watch_look() - whether an encoder traces now, and whether that is new
 * @c: an encoder that is enabled in a session
 *
 * One read says that it is enabled and tracing. What changed is recorded.
 *
 * Return: 0; -EIO when it lost its registers; the error of the access
 */
int rvtrace_watch_look(struct rvtrace_component *c)
{
	const struct rvtrace_field *fields = c->kind->fields;
	u32 both = fields[RVTRACE_ENABLE].mask | fields[RVTRACE_INST_TRACING].mask;
	unsigned int control;
	bool tracing;
	int ret;

	lockdep_assert_held(&rvtrace_lock);
	ret = regmap_read(c->regmap, fields[RVTRACE_INST_TRACING].reg, &control);
	if (ret)
		return ret;
	if (!(control & fields[RVTRACE_ACTIVE].mask))
		return rvtrace_lost(c);
	c->wanted[RVTRACE_ENABLE] = !!(control & fields[RVTRACE_ENABLE].mask);
	/* That was no trigger. */
	if (READ_ONCE(c->te.let_go))
		return 0;
	tracing = (control & both) == both;
	if (tracing == c->te.tracing)
		return 0;
	c->te.tracing = tracing;
	rvtrace_sampler_tracing(c->te.session, c->id, tracing);
	sysfs_notify(&c->dev.kobj, NULL, rvtrace_field_name(RVTRACE_INST_TRACING));
	return 0;
}

/* The sink of the component did not take its trace; where the hardware says. */
static void watch_find_error(struct rvtrace_component *c, struct rvtrace_sink *sink)
{
	u32 error;

	if (c->wanted[RVTRACE_SINK_ERROR] || c->phase == RVTRACE_PHASE_IDLE ||
	    !rvtrace_has(c, RVTRACE_SINK_ERROR) || !rvtrace_powered(c) ||
	    rvtrace_get(c, RVTRACE_SINK_ERROR, &error) || !error)
		return;
	c->wanted[RVTRACE_SINK_ERROR] = 1;
	sink->sink_error = true;
	dev_err(&c->dev, "%s: trace is lost, the component after it does not accept it\n",
		rvtrace_field_name(RVTRACE_SINK_ERROR));
	sysfs_notify(&c->dev.kobj, NULL, rvtrace_field_name(RVTRACE_SINK_ERROR));
}

/**
 * rvtrace_watch_errors() - whether trace was taken all the way to the sink
 * @sink: a sink; the end of its session tells readers if it was not
 * @encoders: encoders that trace into it
 */
void rvtrace_watch_errors(struct rvtrace_sink *sink, struct list_head *encoders)
{
	struct rvtrace_component *c;

	lockdep_assert_held(&rvtrace_lock);
	/* A sink that stops when it is full takes nothing more, and is meant to. */
	if (sink->owner->wanted[RVTRACE_STOP_ON_WRAP] && !sink->off_chip)
		return;
	list_for_each_entry(c, encoders, stage)
		watch_find_error(c, sink);
	list_for_each_entry(c, &sink->downstream, stage)
		watch_find_error(c, sink);
}

static int watch_encoders(struct rvtrace_sink *sink)
{
	struct rvtrace_component *c;
	int ret;

	list_for_each_entry(c, &sink->encoders, stage) {
		if (!rvtrace_is_enabled(c) || !watch_is_watched(c))
			continue;
		ret = rvtrace_watch_look(c);
		if (ret)
			return ret;
	}
	return 0;
}

/* In fill mode a ring that has wrapped is full: the sampler ends the session. */
static bool watch_is_full(const struct rvtrace_component *c, struct rvtrace_sink *sink)
{
	bool wrap = false;
	u64 offset;

	if (c == sink->owner && c->wanted[RVTRACE_STOP_ON_WRAP] && !sink->off_chip)
		rvtrace_ram_pointer(sink, &offset, &wrap);
	return wrap;
}

/* What led to @stopped may never be empty: nobody waits for that. */
static void watch_give_up(struct rvtrace_component *stopped, struct rvtrace_sink *sink)
{
	struct rvtrace_component *c;
	unsigned int n;

	list_for_each_entry(c, &sink->encoders, stage) {
		for (n = 0; n < c->te.path_length && c->te.path[n] != stopped; n++)
			;
		if (n == c->te.path_length)
			continue;
		while (n--)
			c->te.path[n]->late = true;
	}
}

static int watch_downstream_look(struct rvtrace_component *c, struct rvtrace_sink *sink)
{
	const struct rvtrace_field *fields = c->kind->fields;
	unsigned int control;
	int ret;

	ret = regmap_read(c->regmap, fields[RVTRACE_ENABLE].reg, &control);
	if (ret)
		return ret;
	if (!(control & fields[RVTRACE_ACTIVE].mask))
		return rvtrace_lost(c);
	if (control & fields[RVTRACE_ENABLE].mask || watch_is_full(c, sink))
		return 0;
	dev_err(&c->dev, "%s: cleared by the hardware, the session ends\n",
		rvtrace_field_name(RVTRACE_ENABLE));
	/* Nothing that is written sets it again. */
	c->wanted[RVTRACE_ENABLE] = 0;
	watch_give_up(c, sink);
	return -EPIPE;
}

/**
 * rvtrace_watch_downstream() - whether all that trace of a session goes through takes it
 * @sink: its sink
 *
 * Sinks and funnels do, and so does an encoder with the sink in its page.
 *
 * Return: 0; -EIO when a component lost its registers, -EPIPE when a sink or funnel stopped on its
 * own, which is logged; an access error
 */
int rvtrace_watch_downstream(struct rvtrace_sink *sink)
{
	struct rvtrace_component *c;
	int ret;

	list_for_each_entry(c, &sink->downstream, stage) {
		if (!rvtrace_is_enabled(c))
			continue;
		ret = watch_downstream_look(c, sink);
		if (ret)
			return ret;
	}
	c = sink->owner;
	return c->te.session == sink && rvtrace_is_enabled(c) ? watch_downstream_look(c, sink) : 0;
}

/**
 * rvtrace_watch_begin() - look from now on
 * @sink: a sink; nothing happens without a live session, or in a pause
 *
 * Return: 0; -EIO when a component lost its registers, -EPIPE when a sink or funnel stopped
 * on its own, or an access error, and then the session is over
 */
int rvtrace_watch_begin(struct rvtrace_sink *sink)
{
	int ret;

	lockdep_assert_held(&rvtrace_lock);
	if (list_empty(&sink->encoders) || sink->paused)
		return 0;
	ret = rvtrace_watch_downstream(sink);
	if (ret)
		goto stop;
	ret = watch_encoders(sink);
	if (ret)
		goto stop;
	rvtrace_watch_errors(sink, &sink->encoders);
	schedule_delayed_work(&sink->watch, PERIOD);
	return 0;
stop:
	rvtrace_session_stop(sink, ret);
	return ret;
}

static void watch_work(struct work_struct *work)
{
	struct rvtrace_sink *sink = container_of(work, struct rvtrace_sink, watch.work);

	mutex_lock(&rvtrace_lock);
	rvtrace_watch_begin(sink);
	mutex_unlock(&rvtrace_lock);
}

/**
 * rvtrace_watch_init() - prepare a sink
 * @sink: the sink
 */
void rvtrace_watch_init(struct rvtrace_sink *sink)
{
	INIT_DELAYED_WORK(&sink->watch, watch_work);
}
