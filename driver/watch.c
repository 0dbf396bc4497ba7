// SPDX-License-Identifier: GPL-2.0
/*
 * Trace that starts and stops by itself (TCI 1.0 chapter "Enabling and Disabling":
 * "Periodically read trTeControl for status of trace"), or is not taken. Encoders that
 * nothing can start or stop are left alone.
 */
#include <linux/jiffies.h>
#include <linux/sysfs.h>

#include "access.h"
#include "activate.h"
#include "field.h"
#include "power.h"
#include "rvtrace.h"
#include "sampler.h"
#include "session.h"
#include "watch.h"

#define PERIOD	msecs_to_jiffies(100)

/*
 * A trigger may be set, or the sink of the encoder's own may be full. Triggers of the
 * hart are not known; where nothing makes an encoder ignore them it obeys.
 */
static bool watch_is_watched(const struct rvtrace_component *c)
{
	unsigned int id;

	if (c->te.wait_for_trigger || !rvtrace_has(c, RVTRACE_INST_TRIG_EN))
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
	dev_err(&c->dev, "%s: trace is lost, what it goes to does not take it\n",
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

/**
 * rvtrace_watch_begin() - look from now on, while there is an encoder to look at
 * @sink: a sink; nothing happens without a live session, or in a pause
 *
 * Return: 0; -EIO when an encoder lost its registers, or an access error, and then the
 * session is over
 */
int rvtrace_watch_begin(struct rvtrace_sink *sink)
{
	struct rvtrace_component *c;
	bool watched = false;
	int ret;

	lockdep_assert_held(&rvtrace_lock);

	list_for_each_entry(c, &sink->encoders, stage) {
		if (!rvtrace_is_enabled(c) || !watch_is_watched(c))
			continue;
		ret = rvtrace_watch_look(c);
		if (ret) {
			rvtrace_session_stop(sink, ret);
			return ret;
		}
		watched = true;
	}
	if (watched) {
		rvtrace_watch_errors(sink, &sink->encoders);
		schedule_delayed_work(&sink->watch, PERIOD);
	}
	return 0;
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
