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
 * Kernel threads run with number 0: kernel text is the same everywhere.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/hash.h>
#include <linux/mm_types.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>

#include "rvtrace.h"

#define SET_BITS	10
#define WAYS		4

/**
 * struct entry - an address space with a number
 * @mm: never dereferenced
 * @context: its number
 * @published: value of @sessions when the number was last recorded
 */
struct entry {
	const struct mm_struct *mm;
	u32 context;
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
static atomic_t last_context = ATOMIC_INIT(0);
static u32 context_mask;

/* Sinks with a live session, changed with rvtrace_lock held. */
static LIST_HEAD(receivers);
static u32 sessions;

/* Openers and sessions that need the probes, with @arm_lock held. */
static unsigned int armed;
static DEFINE_MUTEX(arm_lock);

static u32 new_context(void)
{
	u32 context;

	do {
		context = atomic_inc_return(&last_context) & context_mask;
	} while (!context);
	return context;
}

/* A kernel thread that borrows an mm still runs in the kernel only. */
static bool has_user(const struct task_struct *task)
{
	return task->mm && !(task->flags & PF_KTHREAD);
}

static void publish(u32 context, const struct task_struct *task)
{
	struct rvtrace_sink *sink;

	list_for_each_entry_rcu(sink, &receivers, receiver) {
		raw_spin_lock(&sink->lock);
		rvtrace_record_address_space(sink, context, task->tgid, task->comm);
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
	struct entry *entry;
	u32 context;

	raw_spin_lock(&set->lock);
	entry = find(set, mm);
	if (!entry) {
		entry = &set->entry[set->victim++ % WAYS];
		entry->mm = mm;
		entry->context = new_context();
		entry->published = 0;
	}
	context = entry->context;
	if (entry->published != READ_ONCE(sessions)) {
		entry->published = READ_ONCE(sessions);
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
	rcu_read_lock();
	if (!list_empty(&receivers))
		rvtrace_scontext_write(has_user(task) ? context_of(task) : 0);
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

/* Tracepoints that modules may attach to are found by name. */
static struct probe {
	const char *name;
	void *function;
	struct tracepoint *tracepoint;
} probes[] = {
	{ "sched_switch", probe_switch },
	{ "sched_process_fork", probe_fork },
	{ "sched_process_exec", probe_exec },
};

static void find_tracepoint(struct tracepoint *tracepoint, void *data)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(tracepoint->name, probes[i].name))
			probes[i].tracepoint = tracepoint;
}

/**
 * rvtrace_context_init() - find out whether harts have scontext
 */
void rvtrace_context_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sets); i++)
		raw_spin_lock_init(&sets[i].lock);
	for_each_kernel_tracepoint(find_tracepoint, NULL);
	context_mask = rvtrace_scontext_probe();
	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!probes[i].tracepoint)
			context_mask = 0;
	if (!context_mask)
		pr_info("no scontext: the trace does not name address spaces\n");
}

static void unregister(unsigned int count)
{
	while (count--)
		tracepoint_probe_unregister(probes[count].tracepoint,
					    probes[count].function, NULL);
	tracepoint_synchronize_unregister();
}

static int register_probes(void)
{
	unsigned int i;
	int ret;

	/* What was known of an mm is stale: its end was not watched. */
	for (i = 0; i < ARRAY_SIZE(sets); i++)
		memset(sets[i].entry, 0, sizeof(sets[i].entry));
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		ret = tracepoint_probe_register(probes[i].tracepoint,
						probes[i].function, NULL);
		if (ret) {
			unregister(i);
			return ret;
		}
	}
	return 0;
}

/**
 * rvtrace_context_arm() - attach to the scheduler, which patches kernel text
 *
 * Return: 0 or why a probe could not be attached
 */
int rvtrace_context_arm(void)
{
	int ret = 0;

	if (!context_mask)
		return 0;
	mutex_lock(&arm_lock);
	if (!armed)
		ret = register_probes();
	if (!ret)
		armed++;
	mutex_unlock(&arm_lock);
	return ret;
}

/**
 * rvtrace_context_disarm() - undo one rvtrace_context_arm()
 */
void rvtrace_context_disarm(void)
{
	if (!context_mask)
		return;
	mutex_lock(&arm_lock);
	if (!--armed)
		unregister(ARRAY_SIZE(probes));
	mutex_unlock(&arm_lock);
}

static void enter_current(void *data)
{
	enter(current);
}

/**
 * rvtrace_context_begin() - name address spaces in a session's trace
 * @sink: a sink with a live session; rvtrace_context_arm() was called
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
	list_add_rcu(&sink->receiver, &receivers);
	WRITE_ONCE(sessions, sessions + 1 ?: 1);
	on_each_cpu(enter_current, NULL, 1);
}

/**
 * rvtrace_context_end() - the session is over
 * @sink: the sink
 */
void rvtrace_context_end(struct rvtrace_sink *sink)
{
	lockdep_assert_held(&rvtrace_lock);
	if (!context_mask)
		return;
	list_del_rcu(&sink->receiver);
	synchronize_rcu();
}
