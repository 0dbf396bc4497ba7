/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whom a CPU runs, as the driver's records of tasks tell it. */
#ifndef TASK_RUNS_H
#define TASK_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/rvtrace.h>

struct task_runs {
	uint64_t last;		/* time of the last record of the CPU */
	uint64_t told;		/* of the last one that shows that it runs */
	int32_t pid, tid;
	bool known;		/* else nobody knows who it is */
	bool exited;		/* it has, and may be given another number */
};

/* A record says who runs from then on. */
static inline bool task_runs_told(const struct rvtrace_record_task *task)
{
	return task->event == RVTRACE_TASK_RUNS || task->event == RVTRACE_TASK_SWITCH ||
	       task->event == RVTRACE_TASK_EXEC;
}

/*
 * Whoever the task took the place of is not who was known to run: records are missing. A thread
 * that is about to execute another program has the number of its process already, and the first
 * one of that, which is dead, its.
 */
static inline bool task_runs_missed(const struct task_runs *runs,
				    const struct rvtrace_record_task *task)
{
	return task->event == RVTRACE_TASK_SWITCH && runs->known && !runs->exited &&
	       runs->tid != task->other && runs->pid != task->other;
}

/* The next record of the CPU; time does not go back. */
static inline void task_runs_take(struct task_runs *runs, const struct rvtrace_record_task *task)
{
	uint64_t time = task->header.time;

	if (task_runs_told(task)) {
		*runs = (struct task_runs) {
			.told = time, .pid = task->pid, .tid = task->tid, .known = true,
		};
	} else if (task->event == RVTRACE_TASK_EXIT && runs->tid == task->tid) {
		runs->exited = true;
		runs->told = time;
	} else if (task->event == RVTRACE_TASK_FORK && runs->tid == task->other) {
		runs->told = time;
	}
	runs->last = time;
}

#endif /* TASK_RUNS_H */
