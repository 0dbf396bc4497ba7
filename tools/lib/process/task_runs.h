/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whom a CPU runs, as the driver's records of tasks tell it. */
#ifndef TASK_RUNS_H
#define TASK_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/rvtrace.h>

#define TASK_EXITS	1024

/* Processes whose first thread ended last, by the id of that; it may still be changed to. */
struct task_exits {
	uint64_t ids[TASK_EXITS];
	size_t count;	/* of all that ended */
};

struct task_runs {
	uint64_t last;		/* time of the last record of the CPU */
	uint64_t told;		/* of the last one that shows that it runs */
	uint64_t id;
	int32_t pid, tid;
	bool known;		/* else nobody knows who it is */
};

/* A record says who runs from then on. */
static inline bool task_runs_told(const struct rvtrace_record_task *task)
{
	return task->event == RVTRACE_TASK_RUNS || task->event == RVTRACE_TASK_SWITCH ||
	       task->event == RVTRACE_TASK_EXEC;
}

static inline bool task_has_exited(const struct task_exits *exits, uint64_t id)
{
	size_t kept = exits->count < TASK_EXITS ? exits->count : TASK_EXITS, i;

	for (i = 0; i < kept && exits->ids[i] != id; i++)
		;
	return i < kept;
}

/*
 * Whoever the task took the place of is not who was known to run: records are missing. A thread
 * that is about to execute another program has the number of its process already, and the first
 * one of that, which is dead, its.
 */
static inline bool task_runs_missed(const struct task_runs *runs, const struct task_exits *exits,
				    const struct rvtrace_record_task *task)
{
	return task->event == RVTRACE_TASK_SWITCH && runs->known && runs->tid != task->other &&
	       runs->pid != task->other && !task_has_exited(exits, runs->id);
}

/* The next record of the CPU, @exits: of all; time does not go back. */
static inline void task_runs_take(struct task_runs *runs, struct task_exits *exits,
				  const struct rvtrace_record_task *task)
{
	uint64_t time = task->header.time;

	if (task->event == RVTRACE_TASK_EXIT && task->pid == task->tid)
		exits->ids[exits->count++ % TASK_EXITS] = task->id;
	if (task_runs_told(task)) {
		*runs = (struct task_runs) {
			.told = time, .pid = task->pid, .tid = task->tid, .known = true,
			.id = task->id,
		};
	} else if ((task->event == RVTRACE_TASK_EXIT && runs->tid == task->tid) ||
		   (task->event == RVTRACE_TASK_FORK && runs->tid == task->other)) {
		runs->told = time;
	}
	runs->last = time;
}

#endif /* TASK_RUNS_H */
