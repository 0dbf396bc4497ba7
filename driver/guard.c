// SPDX-License-Identifier: GPL-2.0
/*
 * Harts that wait for their trace to be taken go on when what takes it has stopped.
 *
 * Whoever has a lock may wait for such a hart, or be on it: none is taken here. Who waits for it to
 * answer an interrupt lets no thread run: timers do it, on a hart that does not wait for its trace,
 * if there is one. That the session is over is for the watch to find, and to say.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/smp.h>

#include "access.h"
#include "compat.h"
#include "core.h"
#include "encoder.h"
#include "guard.h"
#include "power.h"
#include "rvtrace.h"

#define PERIOD	ms_to_ktime(50)

/* Where timers run [rvtrace_lock] */
static unsigned int guard_hart;

/* All that the trace of an encoder goes through takes it. */
static bool guard_is_taken(const struct rvtrace_component *encoder)
{
	unsigned int i;

	for (i = 0; i < encoder->te.path_length; i++)
		if (!rvtrace_takes_trace(encoder->te.path[i]))
			return false;
	return true;
}

static enum hrtimer_restart guard_look(struct hrtimer *timer)
{
	struct rvtrace_component *c = container_of(timer, struct rvtrace_component, te.guard);

	if (!guard_is_taken(c))
		rvtrace_let_hart_go(c);
	hrtimer_forward_now(timer, PERIOD);
	return HRTIMER_RESTART;
}

/**
 * rvtrace_guard_init() - prepare a component, which may be an encoder
 * @c: the component
 */
void rvtrace_guard_init(struct rvtrace_component *c)
{
	hrtimer_setup(&c->te.guard, guard_look, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
}

static int guard_exclude(struct rvtrace_component *c, void *harts)
{
	unsigned int i;

	for (i = 0; c->te.guarded && i < c->hart_count; i++)
		cpumask_clear_cpu(c->harts[i].cpu, harts);
	return 0;
}

/* One that does not wait for its trace, if there is one */
static void guard_choose_hart(void)
{
	static struct cpumask harts;

	cpumask_copy(&harts, rvtrace_power_online());
	rvtrace_walk_encoders(guard_exclude, &harts);
	if (cpumask_empty(&harts))
		cpumask_copy(&harts, rvtrace_power_online());
	if (!cpumask_test_cpu(guard_hart, &harts))
		guard_hart = cpumask_first(&harts);
}

static void guard_start_here(void *data)
{
	struct rvtrace_component *c = data;

	hrtimer_start(&c->te.guard, PERIOD, HRTIMER_MODE_REL_PINNED_HARD);
}

static int guard_start(struct rvtrace_component *c, void *unused)
{
	if (!c->te.guarded)
		return 0;
	hrtimer_cancel(&c->te.guard);
	return smp_call_function_single(guard_hart, guard_start_here, c, true);
}

/**
 * rvtrace_guard_begin() - let harts of encoders go on, should their trace not be taken
 * @encoders: encoders of a session, about to trace; what their trace goes through is enabled
 */
void rvtrace_guard_begin(struct list_head *encoders)
{
	struct rvtrace_component *c;

	list_for_each_entry(c, encoders, stage)
		c->te.guarded = rvtrace_is_enabled(c) && rvtrace_encoder_stalls(c);
	rvtrace_guard_move();
}

/**
 * rvtrace_guard_end() - undo rvtrace_guard_begin(), if it was called
 * @encoder: an encoder that is about to stop tracing
 */
void rvtrace_guard_end(struct rvtrace_component *encoder)
{
	encoder->te.guarded = false;
	hrtimer_cancel(&encoder->te.guard);
}

/**
 * rvtrace_guard_move() - rvtrace_power_online() has changed
 */
void rvtrace_guard_move(void)
{
	lockdep_assert_held(&rvtrace_lock);
	guard_choose_hart();
	rvtrace_walk_encoders(guard_start, NULL);
}
