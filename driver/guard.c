// SPDX-License-Identifier: GPL-2.0
/*
 * Harts that wait for their trace to be taken go on when what takes it has stopped.
 *
 * Code that waits for such a hart may hold any lock, so none is taken here. It may also keep its own
 * hart from running threads, so this is done in interrupts of a timer; and any hart may be one that
 * waits, so each has a timer. That the session is over is for the watch to find, and to say.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/smp.h>

#include "access.h"
#include "compat.h"
#include "encoder.h"
#include "guard.h"
#include "power.h"
#include "rvtrace.h"

#define PERIOD	ms_to_ktime(20)
/* Encoders that a hart looks at with interrupts off */
#define MOST	16

/**
 * struct guard - what a hart has
 * @timer: runs while there are encoders to look at, and the hart is online
 * @next: how many of them come before the one to be looked at next
 * @looks: it does now
 */
struct guard {
	struct hrtimer timer;
	unsigned int next;
	bool looks;
};

static DEFINE_PER_CPU(struct guard, guards);

/* Encoders that trace, and for whose trace harts wait. Changed with rvtrace_lock held. */
static LIST_HEAD(guard_encoders);

/* All that the trace of an encoder goes through takes it. */
static bool guard_is_taken(const struct rvtrace_component *encoder)
{
	unsigned int i;

	for (i = 0; i < encoder->te.path_length; i++)
		if (!rvtrace_takes_trace(encoder->te.path[i]))
			return false;
	return true;
}

static void guard_look(struct guard *guard)
{
	struct rvtrace_component *c;
	unsigned int n = 0;

	list_for_each_entry_rcu(c, &guard_encoders, te.guarded, true) {
		if (n >= guard->next && n < guard->next + MOST && !guard_is_taken(c)) {
			WRITE_ONCE(c->te.let_go, true);
			rvtrace_let_hart_go(c);
		}
		n++;
	}
	guard->next = guard->next + MOST < n ? guard->next + MOST : 0;
}

static enum hrtimer_restart guard_timer(struct hrtimer *timer)
{
	struct guard *guard = container_of(timer, struct guard, timer);

	WRITE_ONCE(guard->looks, true);
	/* Either rvtrace_guard_end() sees that, or what it took from the list is not seen here. */
	smp_mb();
	guard_look(guard);
	smp_store_release(&guard->looks, false);
	if (list_empty(&guard_encoders))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, PERIOD);
	return HRTIMER_RESTART;
}

/* On the hart, with interrupts off */
static void guard_start(void *unused)
{
	struct hrtimer *timer = this_cpu_ptr(&guards.timer);

	if (!hrtimer_active(timer) && !list_empty(&guard_encoders))
		hrtimer_start(timer, PERIOD, HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * rvtrace_guard_init() - prepare all harts
 */
void rvtrace_guard_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		hrtimer_setup(&per_cpu(guards.timer, cpu), guard_timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * rvtrace_guard_exit() - wait until nothing is looked at; there is nothing to look at any more
 */
void rvtrace_guard_exit(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu(guards.timer, cpu));
}

/**
 * rvtrace_guard_hart_online() - this hart is one of rvtrace_power_online()
 */
void rvtrace_guard_hart_online(void)
{
	lockdep_assert_held(&rvtrace_lock);
	local_irq_disable();
	guard_start(NULL);
	local_irq_enable();
}

/**
 * rvtrace_guard_hart_offline() - this hart is none of them any more
 */
void rvtrace_guard_hart_offline(void)
{
	lockdep_assert_held(&rvtrace_lock);
	hrtimer_cancel(this_cpu_ptr(&guards.timer));
}

/**
 * rvtrace_guard_begin() - let harts of encoders go on, should their trace not be taken
 * @encoders: encoders of a session, about to trace; what their trace goes through is enabled
 */
void rvtrace_guard_begin(struct list_head *encoders)
{
	struct rvtrace_component *c;

	lockdep_assert_held(&rvtrace_lock);
	list_for_each_entry(c, encoders, stage) {
		c->te.let_go = false;
		if (!rvtrace_is_enabled(c) || !rvtrace_encoder_stalls(c))
			continue;
		list_add_tail_rcu(&c->te.guarded, &guard_encoders);
	}
	if (!list_empty(&guard_encoders))
		on_each_cpu_mask(rvtrace_power_online(), guard_start, NULL, true);
}

/**
 * rvtrace_guard_end() - undo rvtrace_guard_begin(), if it was called
 * @encoder: an encoder that does not trace any more, and is still enabled
 */
void rvtrace_guard_end(struct rvtrace_component *encoder)
{
	unsigned int cpu;

	lockdep_assert_held(&rvtrace_lock);
	if (list_empty(&encoder->te.guarded))
		return;
	list_del_rcu(&encoder->te.guarded);
	smp_mb();	/* pairs with guard_timer() */
	for_each_cpu(cpu, rvtrace_power_online())
		while (smp_load_acquire(&per_cpu(guards.looks, cpu)))
			cpu_relax();
	INIT_LIST_HEAD(&encoder->te.guarded);
}
