// SPDX-License-Identifier: GPL-2.0
/*
 * Which task runs on which hart, as records beside the trace, for readers that ask.
 *
 * A keyed hash names tasks; where they are in memory is told to those that ask for it, and may
 * know where the kernel is. Every record tells all there is to know of its task, so one that
 * is lost makes no other worthless.
 */
#include <linux/ktime.h>
#include <linux/mm_types.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/siphash.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "compat.h"
#include "probes.h"
#include "records.h"
#include "rvtrace.h"
#include "sampler.h"
#include "task_buffer.h"
#include "tasks.h"

static siphash_key_t tasks_key;

/* Every kernel has them. */
static bool tasks_found;

static void tasks_fill(struct rvtrace_record_task *record, const struct task_struct *task,
		       enum rvtrace_task_event event, pid_t other)
{
	*record = (struct rvtrace_record_task) {
		.id = siphash_2u64((uintptr_t)task, task->start_boottime, &tasks_key),
		.pid = task->tgid,
		.tid = task->pid,
		.other = other,
		.event = event,
		.flags = task->flags & PF_KTHREAD ? RVTRACE_TASK_KERNEL : 0,
		.task = (uintptr_t)task,
	};
	/* What the kernel has behind the end of the name is of another name at most. */
	memcpy(record->comm, task->comm, sizeof(record->comm) - 1);
}

static void tasks_publish(const struct rvtrace_record_task *record)
{
	struct rvtrace_sink *sink;

	rcu_read_lock();
	list_for_each_entry_rcu(sink, &rvtrace_live, live)
		/* Pairs with rvtrace_tasks_ask(): then there are buffers. */
		if (smp_load_acquire(&sink->tasks))
			rvtrace_task_keep(sink, record);
	rcu_read_unlock();
}

static void tasks_record(const struct task_struct *task, enum rvtrace_task_event event, pid_t other)
{
	struct rvtrace_record_task record;

	tasks_fill(&record, task, event, other);
	tasks_publish(&record);
}

static void tasks_probe_switch(void *data, bool preempt, struct task_struct *prev,
			       struct task_struct *next, unsigned int prev_state)
{
	tasks_record(next, RVTRACE_TASK_SWITCH, prev->pid);
}

static void tasks_probe_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	tasks_record(child, RVTRACE_TASK_FORK, parent->pid);
}

static void tasks_probe_exec(void *data, struct task_struct *task, pid_t old_pid,
			     struct linux_binprm *bprm)
{
	tasks_record(task, RVTRACE_TASK_EXEC, old_pid);
}

static void tasks_probe_exit(RVTRACE_EXIT_ARGUMENTS)
{
	tasks_record(task, RVTRACE_TASK_EXIT, 0);
}

static void tasks_probe_rename(void *data, struct task_struct *task, const char *comm)
{
	struct rvtrace_record_task record;

	tasks_fill(&record, task, RVTRACE_TASK_RENAME, 0);
	strscpy_pad(record.comm, comm, sizeof(record.comm));
	tasks_publish(&record);
}

static struct rvtrace_probe tasks_probe_list[] = {
	{ "sched_switch", tasks_probe_switch },
	{ "sched_process_fork", tasks_probe_fork },
	{ "sched_process_exec", tasks_probe_exec },
	{ "sched_process_exit", tasks_probe_exit },
	{ "task_rename", tasks_probe_rename },
};

/* It compiles if the kernel calls them as they are. */
static void tasks_check_types(void)
{
	check_trace_callback_type_sched_switch(tasks_probe_switch);
	check_trace_callback_type_sched_process_fork(tasks_probe_fork);
	check_trace_callback_type_sched_process_exec(tasks_probe_exec);
	check_trace_callback_type_sched_process_exit(tasks_probe_exit);
	check_trace_callback_type_task_rename(tasks_probe_rename);
}

static struct rvtrace_probes tasks_probes = {
	.list = tasks_probe_list,
	.count = ARRAY_SIZE(tasks_probe_list),
};

/**
 * rvtrace_tasks_init() - find out whether the kernel tells of tasks
 */
void rvtrace_tasks_init(void)
{
	tasks_check_types();
	get_random_bytes(&tasks_key, sizeof(tasks_key));
	tasks_found = rvtrace_probes_init(&tasks_probes);
}

/**
 * rvtrace_tasks_exit() - wait until the probes are detached
 */
void rvtrace_tasks_exit(void)
{
	rvtrace_probes_exit(&tasks_probes);
}

static void tasks_record_current(void *data)
{
	struct rvtrace_record_task record;

	tasks_fill(&record, current, RVTRACE_TASK_RUNS, 0);
	rvtrace_task_keep(data, &record);
}

/**
 * rvtrace_tasks_begin() - record what every hart runs, in a session that is live
 * @sink: its sink; nothing happens unless its reader asked for that
 */
void rvtrace_tasks_begin(struct rvtrace_sink *sink)
{
	lockdep_assert_held(&rvtrace_lock);
	if (!sink->tasks)
		return;
	if (!sink->tasks_kept)
		rvtrace_probes_keep(&tasks_probes);
	sink->tasks_kept = true;
	sink->tasks_begun = ktime_get_mono_fast_ns();
	on_each_cpu(tasks_record_current, sink, 1);
	/* The reader has these at once. */
	rvtrace_sample_all(sink);
}

/**
 * rvtrace_tasks_end() - the session no longer needs what rvtrace_tasks_begin() kept
 * @sink: its sink
 */
void rvtrace_tasks_end(struct rvtrace_sink *sink)
{
	lockdep_assert_held(&rvtrace_lock);
	if (sink->tasks_kept)
		rvtrace_probes_disarm(&tasks_probes);
	sink->tasks_kept = false;
}

/* From one time that every hart is asked what it runs to the next, in one session */
#define ASK_PERIOD	(100 * NSEC_PER_MSEC)

/* How long it is too early for that, in ns; 0 also if none is to be asked */
static u64 tasks_too_early(const struct rvtrace_sink *sink)
{
	u64 since = ktime_get_mono_fast_ns() - sink->tasks_begun;

	if (sink->tasks || sink->state != RVTRACE_STATE_RUNNING || since >= ASK_PERIOD)
		return 0;
	return ASK_PERIOD - since;
}

/* Locked, unless it fails: any reader may ask, and no longer, again and again. */
static int tasks_lock_to_ask(struct rvtrace_sink *sink, bool wanted)
{
	u64 early;

	for (;;) {
		mutex_lock(&rvtrace_lock);
		early = wanted ? tasks_too_early(sink) : 0;
		if (!early)
			return 0;
		mutex_unlock(&rvtrace_lock);
		schedule_timeout_interruptible(nsecs_to_jiffies(early) + 1);
		if (signal_pending(current))
			return -ERESTARTSYS;
	}
}

/**
 * rvtrace_tasks_ask() - the reader of a sink wants records of tasks, or no longer
 * @sink: the sink, open
 * @wanted: which of the two
 * @addresses: and what tp is of each
 *
 * In a live session every hart is interrupted, 10 times in a second at most.
 *
 * Return: 0; -EPERM for one who may not know where the kernel is; -EOPNOTSUPP; -ENOMEM;
 * -ERESTARTSYS; why a probe could not be attached
 */
int rvtrace_tasks_ask(struct rvtrace_sink *sink, bool wanted, bool addresses)
{
	bool before;
	int ret = 0;

	if (!tasks_found)
		return -EOPNOTSUPP;
	if (addresses && !READ_ONCE(sink->addresses))
		return -EPERM;
	if (wanted)
		ret = rvtrace_probes_arm(&tasks_probes);
	if (ret)
		return ret;
	ret = tasks_lock_to_ask(sink, wanted);
	if (ret)
		goto disarm;
	ret = wanted ? rvtrace_task_buffers_alloc(sink) : 0;
	if (ret)
		goto unlock;
	/* With what harts keep for the reader that asked before */
	rvtrace_sample_all(sink);
	rvtrace_sink_lock(sink);
	before = sink->tasks;
	sink->task_addresses = addresses;
	if (wanted && !before) {
		rvtrace_task_buffers_forget(sink);
		sink->tasks_lost = true;
	}
	/* Who sees that it is wanted sees the buffers. */
	smp_store_release(&sink->tasks, wanted);
	rvtrace_sink_unlock(sink);
	if (wanted && !before && sink->state == RVTRACE_STATE_RUNNING)
		rvtrace_tasks_begin(sink);
	mutex_unlock(&rvtrace_lock);
	/* A reader that asks needs them once. */
	if (before)
		rvtrace_probes_disarm(&tasks_probes);
	return 0;
unlock:
	mutex_unlock(&rvtrace_lock);
disarm:
	rvtrace_probes_disarm(&tasks_probes);
	return ret;
}
