// SPDX-License-Identifier: GPL-2.0
/*
 * Which address space runs on a hart: its number is in scontext, so the trace's
 * Ownership messages name it.
 *
 * A number is given to an mm when it is first scheduled and belongs to it until
 * it is forgotten: fork and exec make a new mm, perhaps at an address an old
 * one had, and forget what is known of that address. The table is a cache of
 * fixed size, because nothing can be allocated under a run queue's lock; an mm
 * that was evicted gets another number, which names the same process.
 *
 * Numbers are given in turn. When scontext can hold no more of them a new round
 * begins: every mm gets another number when it is next scheduled, and those that
 * harts are running with are left out, so that a number names one mm at a time.
 *
 * Kernel threads run with number 0: kernel text is the same everywhere.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/hash.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include <trace/events/sched.h>

#include "context.h"
#include "csr.h"
#include "probes.h"
#include "records.h"
#include "rvtrace.h"

#define SET_BITS	10
#define WAYS		4
#define OWNER_STEPS	16	/* with interrupts off */

/**
 * struct context_entry - an address space with a number
 * @mm: never dereferenced
 * @context: its number
 * @round: the round it was given in; 0: it has none
 * @published: value of @context_sessions when the number was last recorded
 */
struct context_entry {
	const struct mm_struct *mm;
	u32 context;
	u32 round;
	u32 published;
};

/**
 * struct context_set - entries with one hash
 * @lock: protects the others; taken before rvtrace_sink.lock
 * @entry: the entries
 * @victim: next to be evicted
 */
struct context_set {
	raw_spinlock_t lock;
	struct context_entry entry[WAYS];
	unsigned int victim;
};

static struct context_set context_sets[1 << SET_BITS];
static u32 context_mask;

/* The number given last and its round, changed with @number_lock held. */
static u32 context_last;
static u32 context_round = 1;
static DEFINE_RAW_SPINLOCK(context_lock);

/* What each hart's scontext is, or is about to be. */
static DEFINE_PER_CPU(u32, context_active);

/* Sessions that began, changed with rvtrace_lock held. */
static u32 context_sessions;

static bool context_is_active(u32 context)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (READ_ONCE(per_cpu(context_active, cpu)) == context)
			return true;
	return false;
}

/* There are more numbers than harts. */
static void context_give(struct context_entry *entry)
{
	raw_spin_lock(&context_lock);
	do {
		if (context_last == context_mask) {
			context_last = 0;
			WRITE_ONCE(context_round, context_round + 1 ?: 1);
			/* From here on no hart takes an old number: context_take(). */
			smp_mb();
		}
		context_last++;
	} while (context_is_active(context_last));
	entry->context = context_last;
	entry->round = context_round;
	entry->published = 0;
	this_cpu_write(context_active, entry->context);
	raw_spin_unlock(&context_lock);
}

/* Run with the number that the mm has, unless a new round began. */
static bool context_take(const struct context_entry *entry)
{
	if (!entry->round)
		return false;
	this_cpu_write(context_active, entry->context);
	/* Either context_give() sees the number active, or the new round is seen here. */
	smp_mb();
	return entry->round == READ_ONCE(context_round);
}

/* A kernel thread that borrows an mm still runs in the kernel only. */
static bool context_has_user(const struct task_struct *task)
{
	return task->mm && !(task->flags & PF_KTHREAD);
}

/* The task whose address space it is: a vfork child runs in its parent's. */
static const struct task_struct *context_owner(const struct task_struct *task)
{
	const struct task_struct *parent;
	unsigned int steps;

	/* A child may begin another one in the same way, and so on. */
	for (steps = 0; steps < OWNER_STEPS && READ_ONCE(task->vfork_done); steps++) {
		parent = rcu_dereference(task->real_parent);
		if (READ_ONCE(parent->mm) != READ_ONCE(task->mm))
			break;
		task = parent;
	}
	return task;
}

static void context_publish(u32 context, const struct task_struct *task)
{
	const struct task_struct *owner = context_owner(task);
	struct rvtrace_sink *sink;

	list_for_each_entry_rcu(sink, &rvtrace_live, live) {
		raw_spin_lock(&sink->lock);
		rvtrace_record_address_space(sink, context, owner->tgid, owner->comm);
		raw_spin_unlock(&sink->lock);
	}
}

static struct context_set *context_set_of(const struct mm_struct *mm)
{
	return &context_sets[hash_ptr(mm, SET_BITS)];
}

static struct context_entry *context_find(struct context_set *set, const struct mm_struct *mm)
{
	unsigned int i;

	for (i = 0; i < WAYS; i++)
		if (set->entry[i].mm == mm)
			return &set->entry[i];
	return NULL;
}

/* Number of a user task's address space, recorded before it is used. */
static u32 context_of_task(const struct task_struct *task)
{
	const struct mm_struct *mm = task->mm;
	struct context_set *set = context_set_of(mm);
	/* Pairs with rvtrace_context_begin(). */
	u32 context, session = smp_load_acquire(&context_sessions);
	struct context_entry *entry;

	raw_spin_lock(&set->lock);
	entry = context_find(set, mm);
	if (!entry) {
		entry = &set->entry[set->victim++ % WAYS];
		entry->mm = mm;
		entry->round = 0;
	}
	if (!context_take(entry))
		context_give(entry);
	context = entry->context;
	if (entry->published != session) {
		entry->published = session;
		context_publish(context, task);
	}
	raw_spin_unlock(&set->lock);
	return context;
}

static void context_drop(const struct mm_struct *mm)
{
	struct context_set *set = context_set_of(mm);
	struct context_entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&set->lock, flags);
	entry = context_find(set, mm);
	if (entry)
		entry->mm = NULL;
	raw_spin_unlock_irqrestore(&set->lock, flags);
}

/* This hart runs @task from now on. Interrupts are off. */
static void context_enter(const struct task_struct *task)
{
	u32 context = 0;

	rcu_read_lock();
	if (!list_empty(&rvtrace_live)) {
		if (context_has_user(task))
			context = context_of_task(task);
		else
			this_cpu_write(context_active, 0);
		rvtrace_scontext_write(context);
	}
	rcu_read_unlock();
}

static void context_probe_switch(void *data, bool preempt, struct task_struct *prev,
				 struct task_struct *next, unsigned int prev_state)
{
	context_enter(next);
}

static void context_probe_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	if (child->mm && child->mm != parent->mm)
		context_drop(child->mm);
}

static void context_probe_exec(void *data, struct task_struct *task, pid_t old_pid,
			       struct linux_binprm *bprm)
{
	unsigned long flags;

	context_drop(task->mm);
	local_irq_save(flags);
	context_enter(task);
	local_irq_restore(flags);
}

/* What was known of an mm is stale: its end was not watched. */
static void context_drop_all(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(context_sets); i++)
		memset(context_sets[i].entry, 0, sizeof(context_sets[i].entry));
}

static struct rvtrace_probe context_probe_list[] = {
	{ "sched_switch", context_probe_switch },
	{ "sched_process_fork", context_probe_fork },
	{ "sched_process_exec", context_probe_exec },
};

/* It compiles if the kernel calls them as they are. */
static void context_check_types(void)
{
	check_trace_callback_type_sched_switch(context_probe_switch);
	check_trace_callback_type_sched_process_fork(context_probe_fork);
	check_trace_callback_type_sched_process_exec(context_probe_exec);
}

static struct rvtrace_probes context_probes = {
	.list = context_probe_list,
	.count = ARRAY_SIZE(context_probe_list),
	.before = context_drop_all,
};

/**
 * rvtrace_context_init() - find out whether harts have scontext
 */
void rvtrace_context_init(void)
{
	unsigned int i;

	context_check_types();
	for (i = 0; i < ARRAY_SIZE(context_sets); i++)
		raw_spin_lock_init(&context_sets[i].lock);
	context_mask = rvtrace_scontext_probe();
	/* The lowest bits in a row, if they number more than the harts. */
	context_mask &= context_mask ^ (context_mask + 1);
	if (context_mask && context_mask <= nr_cpu_ids) {
		pr_info("scontext holds %#x at most, too little for %u harts\n",
			context_mask, nr_cpu_ids);
		context_mask = 0;
	}
	if (!rvtrace_probes_init(&context_probes))
		context_mask = 0;
	if (!context_mask)
		pr_info("no scontext: the trace does not name address spaces\n");
}

/**
 * rvtrace_context_arm() - attach to the scheduler
 *
 * Return: 0 or why a probe could not be attached
 */
int rvtrace_context_arm(void)
{
	return context_mask ? rvtrace_probes_arm(&context_probes) : 0;
}

/**
 * rvtrace_context_keep() - need the probes once more, where they are attached
 */
void rvtrace_context_keep(void)
{
	if (context_mask)
		rvtrace_probes_keep(&context_probes);
}

/**
 * rvtrace_context_disarm() - undo one rvtrace_context_arm() or rvtrace_context_keep()
 *
 * May be called with any lock held.
 */
void rvtrace_context_disarm(void)
{
	if (context_mask)
		rvtrace_probes_disarm(&context_probes);
}

/**
 * rvtrace_context_exit() - wait until the probes are detached
 */
void rvtrace_context_exit(void)
{
	rvtrace_probes_exit(&context_probes);
}

static void context_enter_current(void *data)
{
	context_enter(current);
}

/**
 * rvtrace_context_begin() - name address spaces in a session's trace
 * @sink: a sink in rvtrace_live; the probes are attached
 *
 * On return every hart's scontext is current.
 */
void rvtrace_context_begin(struct rvtrace_sink *sink)
{
	lockdep_assert_held(&rvtrace_lock);
	if (!context_mask)
		return;
	rvtrace_sink_lock(sink);
	rvtrace_record_address_space(sink, 0, 0, "kernel");
	rvtrace_sink_unlock(sink);
	/* Who sees that a session began sees its sink in the list as well. */
	smp_store_release(&context_sessions, context_sessions + 1 ?: 1);
	on_each_cpu(context_enter_current, NULL, 1);
}
