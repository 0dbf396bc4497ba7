// SPDX-License-Identifier: GPL-2.0
/*
 * Harts that wait for their trace to be taken go on when what takes it has stopped.
 *
 * Code that waits for such a hart may hold any lock, so none is taken here. It may also keep its
 * own hart from running threads, so this is done in interrupts of a timer; and any hart may be one
 * that waits, so each has a timer. That the session is over is for the watch to find, and to say.
 */
#include <linux/atomic.h>
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

#define PERIOD	(20 * NSEC_PER_MSEC)
/* Encoders that are looked at with interrupts off */
#define MOST	16

/**
 * struct guard - what a hart has
 * @timer: runs while there are encoders to look at, and the hart is online
 * @looks: it does now, or finds that another one has
 */
struct guard {
	struct hrtimer timer;
	bool looks;
};

static DEFINE_PER_CPU(struct guard, guards);

/* Encoders that trace, and for whose trace harts wait. Changed with rvtrace_lock held. */
static LIST_HEAD(guard_encoders);

/* When a hart began to look last, in ns, and how many of the list come before what it left */
static atomic64_t guard_begun;
static unsigned int guard_next;

/* All that the trace of an encoder goes through takes it: if that is its own page, so does that. */
static bool guard_is_taken(const struct rvtrace_component *encoder)
{
	unsigned int i;

	for (i = encoder->te.path_length > 1; i < encoder->te.path_length; i++)
		if (!rvtrace_takes_trace(encoder->te.path[i]))
			return false;
	return true;
}

static void guard_look(void)
{
	unsigned int n = 0, next = READ_ONCE(guard_next);
	struct rvtrace_component *c;

	list_for_each_entry_rcu(c, &guard_encoders, te.guarded, true) {
		if (n >= next && n < next + MOST && !guard_is_taken(c))
			rvtrace_let_hart_go(c);
		n++;
	}
	WRITE_ONCE(guard_next, next + MOST < n ? next + MOST : 0);
}

/* One hart is enough. If it stands still while it looks, it is another one's turn next time. */
static bool guard_is_due(void)
{
	s64 now = ktime_get_mono_fast_ns(), begun = atomic64_read(&guard_begun);

	return now - begun >= PERIOD / 2 && atomic64_cmpxchg(&guard_begun, begun, now) == begun;
}

static enum hrtimer_restart guard_timer(struct hrtimer *timer)
{
	struct guard *guard = container_of(timer, struct guard, timer);

	WRITE_ONCE(guard->looks, true);
	/* Either rvtrace_guard_end() sees that, or what it took from the list is not seen here. */
	smp_mb();
	if (guard_is_due())
		guard_look();
	/* What was written to registers comes before. */
	mb();
	WRITE_ONCE(guard->looks, false);
	if (list_empty(&guard_encoders))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(PERIOD));
	return HRTIMER_RESTART;
}

/* On the hart, with interrupts off */
static void guard_start(void *unused)
{
	struct hrtimer *timer = this_cpu_ptr(&guards.timer);

	if (!hrtimer_active(timer) && !list_empty(&guard_encoders))
		hrtimer_start(timer, ns_to_ktime(PERIOD), HRTIMER_MODE_REL_PINNED_HARD);
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
	bool any = false;

	lockdep_assert_held(&rvtrace_lock);
	list_for_each_entry(c, encoders, stage) {
		if (!rvtrace_is_enabled(c) || !rvtrace_encoder_stalls(c))
			continue;
		list_add_tail_rcu(&c->te.guarded, &guard_encoders);
		any = true;
	}
	if (any)
		on_each_cpu_mask(rvtrace_power_online(), guard_start, NULL, true);
}

/* A hart looks, or has not left the interrupt in which it did. */
static bool guard_any_looks(void)
{
	unsigned int cpu;

	for_each_cpu(cpu, rvtrace_power_online())
		/* Its accesses come before: pairs with guard_timer(). */
		if (smp_load_acquire(&per_cpu(guards.looks, cpu)))
			return true;
	return false;
}

/**
 * rvtrace_guard_end() - undo rvtrace_guard_begin(), where it was called
 * @encoders: encoders of a session that were stopped, and may still be enabled
 *
 * They are looked at for the last time. Harts that look are waited for, by no means of RCU's: one
 * may stand still just there, for trace of these encoders that does not leave. Then that is given
 * up.
 */
void rvtrace_guard_end(struct list_head *encoders)
{
	u64 late = ktime_get_mono_fast_ns() + NSEC_PER_SEC;
	struct rvtrace_component *c;
	bool any = false;

	lockdep_assert_held(&rvtrace_lock);
	list_for_each_entry(c, encoders, stage) {
		if (list_empty(&c->te.guarded))
			continue;
		if (!guard_is_taken(c))
			rvtrace_let_hart_go(c);
		any = true;
	}
	list_for_each_entry(c, encoders, stage)
		list_del_rcu(&c->te.guarded);
	smp_mb();	/* pairs with guard_timer() */
	while (any && guard_any_looks()) {
		cpu_relax();
		if (ktime_get_mono_fast_ns() < late)
			continue;
		list_for_each_entry(c, encoders, stage)
			if (rvtrace_is_enabled(c) && rvtrace_encoder_stalls(c))
				rvtrace_let_hart_go(c);
		late = U64_MAX;
	}
	list_for_each_entry(c, encoders, stage)
		INIT_LIST_HEAD(&c->te.guarded);
}
