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

#include "probes.h"
#include "csr.h"
#include "rvtrace.h"

#define SET_BITS	10
#define WAYS		4

/**
 * struct entry - an address space with a number
 * @mm: never dereferenced
 * @context: its number
 * @round: the round it was given in; 0: it has none
 * @published: value of @sessions when the number was last recorded
 */
struct entry {
	const struct mm_struct *mm;
	u32 context;
	u32 round;
	u32 published;
};

/**
 * struct set - entries with one hash
 * @lock: protects the others; taken before rvtrace_sink.lock
 * @entry: the entries
 * @victim: next to be evicted
 */
struct set {
	raw_spinlock_t lock;
	struct entry entry[WAYS];
	unsigned int victim;
};

static struct set sets[1 << SET_BITS];
static u32 context_mask;

/* The number given last and its round, changed with @number_lock held. */
static u32 last_context;
static u32 this_round = 1;
static DEFINE_RAW_SPINLOCK(number_lock);

/* What each hart's scontext is, or is about to be. */
static DEFINE_PER_CPU(u32, active);

/* Sessions that began, changed with rvtrace_lock held. */
static u32 sessions;

static bool is_active(u32 context)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (READ_ONCE(per_cpu(active, cpu)) == context)
			return true;
	return false;
}

/* There are more numbers than harts. */
static void give_context(struct entry *entry)
{
	raw_spin_lock(&number_lock);
	do {
		if (last_context == context_mask) {
			last_context = 0;
			WRITE_ONCE(this_round, this_round + 1 ?: 1);
			/* From here on no hart takes an old number: take_context(). */
			smp_mb();
		}
		last_context++;
	} while (is_active(last_context));
	entry->context = last_context;
	entry->round = this_round;
	entry->published = 0;
	this_cpu_write(active, entry->context);
	raw_spin_unlock(&number_lock);
}

/* Run with the number that the mm has, unless a new round began. */
static bool take_context(const struct entry *entry)
{
	if (!entry->round)
		return false;
	this_cpu_write(active, entry->context);
	/* Either give_context() sees the number active, or the new round is seen here. */
	smp_mb();
	return entry->round == READ_ONCE(this_round);
}

/* A kernel thread that borrows an mm still runs in the kernel only. */
static bool has_user(const struct task_struct *task)
{
	return task->mm && !(task->flags & PF_KTHREAD);
}

/* The task whose address space it is: a vfork child runs in its parent's. */
static const struct task_struct *owner_of(const struct task_struct *task)
{
	const struct task_struct *parent;

	while (READ_ONCE(task->vfork_done)) {
		parent = rcu_dereference(task->real_parent);
		if (READ_ONCE(parent->mm) != READ_ONCE(task->mm))
			break;
		task = parent;
	}
	return task;
}

static void publish(u32 context, const struct task_struct *task)
{
	const struct task_struct *owner = owner_of(task);
	struct rvtrace_sink *sink;

	list_for_each_entry_rcu(sink, &rvtrace_live, live) {
		raw_spin_lock(&sink->lock);
		rvtrace_record_address_space(sink, context, owner->tgid, owner->comm);
		raw_spin_unlock(&sink->lock);
	}
}

static struct set *set_of(const struct mm_struct *mm)
{
	return &sets[hash_ptr(mm, SET_BITS)];
}

static struct entry *find(struct set *set, const struct mm_struct *mm)
{
	unsigned int i;

	for (i = 0; i < WAYS; i++)
		if (set->entry[i].mm == mm)
			return &set->entry[i];
	return NULL;
}

/* Number of a user task's address space, recorded before it is used. */
static u32 context_of(const struct task_struct *task)
{
	const struct mm_struct *mm = task->mm;
	struct set *set = set_of(mm);
	/* Pairs with rvtrace_context_begin(). */
	u32 context, session = smp_load_acquire(&sessions);
	struct entry *entry;

	raw_spin_lock(&set->lock);
	entry = find(set, mm);
	if (!entry) {
		entry = &set->entry[set->victim++ % WAYS];
		entry->mm = mm;
		entry->round = 0;
	}
	if (!take_context(entry))
		give_context(entry);
	context = entry->context;
	if (entry->published != session) {
		entry->published = session;
		publish(context, task);
	}
	raw_spin_unlock(&set->lock);
	return context;
}

static void forget(const struct mm_struct *mm)
{
	struct set *set = set_of(mm);
	struct entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&set->lock, flags);
	entry = find(set, mm);
	if (entry)
		entry->mm = NULL;
	raw_spin_unlock_irqrestore(&set->lock, flags);
}

/* This hart runs @task from now on. Interrupts are off. */
static void enter(const struct task_struct *task)
{
	u32 context = 0;

	rcu_read_lock();
	if (!list_empty(&rvtrace_live)) {
		if (has_user(task))
			context = context_of(task);
		else
			this_cpu_write(active, 0);
		rvtrace_scontext_write(context);
	}
	rcu_read_unlock();
}

static void probe_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	enter(next);
}

static void probe_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	if (child->mm && child->mm != parent->mm)
		forget(child->mm);
}

static void probe_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	unsigned long flags;

	forget(task->mm);
	local_irq_save(flags);
	enter(task);
	local_irq_restore(flags);
}

/* What was known of an mm is stale: its end was not watched. */
static void forget_all(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sets); i++)
		memset(sets[i].entry, 0, sizeof(sets[i].entry));
}

static struct rvtrace_probe list[] = {
	{ "sched_switch", probe_switch },
	{ "sched_process_fork", probe_fork },
	{ "sched_process_exec", probe_exec },
};

static struct rvtrace_probes probes = {
	.list = list,
	.count = ARRAY_SIZE(list),
	.before = forget_all,
};

/**
 * rvtrace_context_init() - find out whether harts have scontext
 */
void rvtrace_context_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sets); i++)
		raw_spin_lock_init(&sets[i].lock);
	context_mask = rvtrace_scontext_probe();
	/* The lowest bits in a row, if they number more than the harts. */
	context_mask &= context_mask ^ (context_mask + 1);
	if (context_mask && context_mask <= nr_cpu_ids) {
		pr_info("scontext holds %#x at most, too little for %u harts\n",
			context_mask, nr_cpu_ids);
		context_mask = 0;
	}
	if (!rvtrace_probes_init(&probes))
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
	return context_mask ? rvtrace_probes_arm(&probes) : 0;
}

/**
 * rvtrace_context_keep() - need the probes once more, where they are attached
 */
void rvtrace_context_keep(void)
{
	if (context_mask)
		rvtrace_probes_keep(&probes);
}

/**
 * rvtrace_context_disarm() - undo one rvtrace_context_arm() or rvtrace_context_keep()
 *
 * May be called with any lock held.
 */
void rvtrace_context_disarm(void)
{
	if (context_mask)
		rvtrace_probes_disarm(&probes);
}

/**
 * rvtrace_context_exit() - wait until the probes are detached
 */
void rvtrace_context_exit(void)
{
	rvtrace_probes_exit(&probes);
}

static void enter_current(void *data)
{
	enter(current);
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
	raw_spin_lock_irq(&sink->lock);
	rvtrace_record_address_space(sink, 0, 0, "kernel");
	raw_spin_unlock_irq(&sink->lock);
	/* Who sees that a session began sees its sink in the list as well. */
	smp_store_release(&sessions, sessions + 1 ?: 1);
	on_each_cpu(enter_current, NULL, 1);
}
