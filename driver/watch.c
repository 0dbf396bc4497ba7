// SPDX-License-Identifier: GPL-2.0
/*
 * Trace that starts and stops by itself (TCI 1.0 chapter "Enabling and Disabling":
 * "Periodically read trTeControl for status of trace"). Encoders that nothing can
 * start or stop are left alone.
 */
#include <linux/jiffies.h>
#include <linux/sysfs.h>

#include "rvtrace.h"

#define PERIOD	msecs_to_jiffies(100)

/* A trigger may be set, or the sink of the encoder's own may be full. */
static bool is_watched(const struct rvtrace_component *c)
{
	unsigned int id;

	if (c->waits)
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
 * Return: 0 or the error of the access
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
	c->wanted[RVTRACE_ENABLE] = !!(control & fields[RVTRACE_ENABLE].mask);
	tracing = (control & both) == both;
	if (tracing == c->tracing)
		return 0;
	c->tracing = tracing;
	rvtrace_sampler_tracing(c->session, c->id, tracing);
	sysfs_notify(&c->dev.kobj, NULL, rvtrace_field_name(RVTRACE_INST_TRACING));
	return 0;
}

static bool look_at_all(struct rvtrace_sink *sink)
{
	struct rvtrace_component *c;
	bool watched = false;

	list_for_each_entry(c, &sink->encoders, stage) {
		if (!c->enabled || !is_watched(c))
			continue;
		rvtrace_watch_look(c);
		watched = true;
	}
	return watched;
}

static void look(struct work_struct *work)
{
	struct rvtrace_sink *sink = container_of(work, struct rvtrace_sink, watch.work);

	mutex_lock(&rvtrace_lock);
	rvtrace_watch_begin(sink);
	mutex_unlock(&rvtrace_lock);
}

/**
 * rvtrace_watch_begin() - look from now on, while there is an encoder to look at
 * @sink: a sink; nothing happens without a live session, or in a pause
 */
void rvtrace_watch_begin(struct rvtrace_sink *sink)
{
	lockdep_assert_held(&rvtrace_lock);
	if (look_at_all(sink))
		schedule_delayed_work(&sink->watch, PERIOD);
}

/**
 * rvtrace_watch_init() - prepare a sink
 * @sink: the sink
 */
void rvtrace_watch_init(struct rvtrace_sink *sink)
{
	INIT_DELAYED_WORK(&sink->watch, look);
}
