// SPDX-License-Identifier: LGPL-2.1-or-later
/* What each thread did during a recording: see rvtrace/threads.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rvtrace/sideband.h>
#include <rvtrace/threads.h>

#include "task_runs.h"

#define NOBODY	SIZE_MAX	/* without memory */

/* A thread, and where it ran last: -1 before that is known. */
struct member {
	struct rvtrace_thread thread;
	int last_cpu;
};

/* Whom a CPU runs since when; not known any more, or not @seen yet */
struct cpu {
	struct task_runs runs;
	size_t member;
	uint64_t since;
	bool seen;
};

struct rvtrace_threads {
	struct member *members;
	size_t count, room;
	size_t *slots;		/* by id: number of the member + 1, or 0 */
	size_t slot_count;	/* a power of two */
	struct cpu *cpus;
	size_t cpu_count;
	struct task_exits exits;
	struct rvtrace_threads_sum sum;
};

struct rvtrace_threads *rvtrace_threads_new(void)
{
	return calloc(1, sizeof(struct rvtrace_threads));
}

void rvtrace_threads_free(struct rvtrace_threads *threads)
{
	if (!threads)
		return;
	free(threads->members);
	free(threads->slots);
	free(threads->cpus);
	free(threads);
}

/* Ids are as good as random. */
static size_t *slot_of(const struct rvtrace_threads *t, uint64_t id)
{
	size_t i = id & (t->slot_count - 1);

	while (t->slots[i] && t->members[t->slots[i] - 1].thread.id != id)
		i = (i + 1) & (t->slot_count - 1);
	return &t->slots[i];
}

/* Room for one more thread, and twice as many slots as threads. */
static bool make_room(struct rvtrace_threads *t)
{
	size_t room = t->room ? 2 * t->room : 64, i;
	void *members, *slots;

	if (t->count < t->room)
		return true;
	members = realloc(t->members, room * sizeof(*t->members));
	if (!members)
		return false;
	t->members = members;
	slots = calloc(2 * room, sizeof(*t->slots));
	if (!slots)
		return false;
	free(t->slots);
	t->slots = slots;
	t->slot_count = 2 * room;
	t->room = room;
	for (i = 0; i < t->count; i++)
		*slot_of(t, t->members[i].thread.id) = i + 1;
	return true;
}

/* Number of the thread that a record is of, or NOBODY */
static size_t member_of(struct rvtrace_threads *t, const struct rvtrace_record_task *task)
{
	struct rvtrace_thread *thread;
	size_t *slot;

	if (!make_room(t))
		return NOBODY;
	slot = slot_of(t, task->id);
	if (!*slot) {
		t->members[t->count] = (struct member) { .last_cpu = -1 };
		*slot = ++t->count;
	}
	thread = &t->members[*slot - 1].thread;
	thread->id = task->id;
	thread->pid = task->pid;
	thread->tid = task->tid;
	thread->kernel = task->flags & RVTRACE_TASK_KERNEL;
	snprintf(thread->comm, sizeof(thread->comm), "%.*s", (int)sizeof(task->comm), task->comm);
	return *slot - 1;
}

static struct cpu *cpu_of(struct rvtrace_threads *t, unsigned int number)
{
	size_t count = number + 1;
	struct cpu *cpus;

	if (count <= t->cpu_count)
		return &t->cpus[number];
	cpus = realloc(t->cpus, count * sizeof(*cpus));
	if (!cpus)
		return NULL;
	memset(cpus + t->cpu_count, 0, (count - t->cpu_count) * sizeof(*cpus));
	t->cpus = cpus;
	t->cpu_count = count;
	return &cpus[number];
}

/* What ran up to @time did so, on a CPU of which anything is known. */
static void charge(struct rvtrace_threads *t, struct cpu *cpu, uint64_t time)
{
	if (cpu->runs.known)
		t->members[cpu->member].thread.run_ns += time - cpu->since;
	else if (cpu->seen)
		t->sum.unknown_ns += time - cpu->since;
	cpu->since = time;
}

/* Nobody knows what happened on a CPU from @time on. */
static void forget(struct rvtrace_threads *t, struct cpu *cpu, uint64_t time)
{
	if (!cpu->seen)
		return;
	charge(t, cpu, time > cpu->since ? time : cpu->since);
	cpu->runs.known = false;
}

/* What was lost happened on any CPU, after the last record of that. */
static void lose(struct rvtrace_threads *t)
{
	size_t i;

	t->sum.gaps++;
	for (i = 0; i < t->cpu_count; i++)
		forget(t, &t->cpus[i], t->cpus[i].runs.last);
}

static void take_up(struct rvtrace_threads *t, struct cpu *cpu,
		    const struct rvtrace_record_task *task, size_t number)
{
	struct member *member = &t->members[number];

	if (task_runs_missed(&cpu->runs, &t->exits, task)) {
		t->sum.gaps++;
		forget(t, cpu, cpu->runs.told);
	}
	charge(t, cpu, task->header.time);
	cpu->member = number;
	cpu->seen = true;
	if (task->event == RVTRACE_TASK_SWITCH) {
		t->sum.switches++;
		member->thread.switches++;
		member->thread.migrations += member->last_cpu >= 0 &&
					     member->last_cpu != task->header.cpu;
	}
	member->last_cpu = task->header.cpu;
}

static int add_task(struct rvtrace_threads *t, const struct rvtrace_record_task *task)
{
	struct cpu *cpu;
	size_t number;

	if (task->header.cpu >= RVTRACE_SIDEBAND_CPU_MAX)
		return 0;
	cpu = cpu_of(t, task->header.cpu);
	if (!cpu)
		return -ENOMEM;
	if (task->flags & RVTRACE_TASK_LOST)
		lose(t);
	/* Time does not go back, but in damage. */
	if (task->header.time < cpu->runs.last)
		return 0;
	t->sum.records++;
	number = member_of(t, task);
	if (number == NOBODY)
		return -ENOMEM;
	if (task_runs_told(task))
		take_up(t, cpu, task, number);
	else if (task->event == RVTRACE_TASK_FORK)
		t->members[number].thread.forked = true;
	else if (task->event == RVTRACE_TASK_EXIT)
		t->members[number].thread.exited = true;
	task_runs_take(&cpu->runs, &t->exits, task);
	return 0;
}

int rvtrace_threads_add(struct rvtrace_threads *threads, const struct rvtrace_record *record)
{
	size_t i;

	if (record->type == RVTRACE_RECORD_TASK)
		return add_task(threads, (const void *)record);
	if (record->type != RVTRACE_RECORD_SESSION_END)
		return 0;
	for (i = 0; i < threads->cpu_count; i++)
		if (threads->cpus[i].seen && record->time > threads->cpus[i].since) {
			forget(threads, &threads->cpus[i], record->time);
			threads->cpus[i].seen = false;
		}
	return 0;
}

const struct rvtrace_thread *rvtrace_threads_get(const struct rvtrace_threads *threads,
						 size_t index)
{
	return index < threads->count ? &threads->members[index].thread : NULL;
}

const struct rvtrace_threads_sum *rvtrace_threads_sum(const struct rvtrace_threads *threads)
{
	return &threads->sum;
}
