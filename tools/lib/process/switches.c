// SPDX-License-Identifier: LGPL-2.1-or-later
/* Who ran when on which CPU: see rvtrace/switches.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rvtrace/switches.h>

#include "task_runs.h"

/* From @time on @pid ran, or nobody knows who; @task: tp meanwhile, 0: not known. */
struct change {
	uint64_t time;
	uint64_t task;
	int32_t pid, tid;
	bool known;
};

/* From @time on whoever runs is called that. */
struct naming {
	uint64_t time;
	char comm[16];
};

struct cpu {
	struct change *changes;
	size_t count, room;
	struct naming *namings;
	size_t naming_count, naming_room;
	struct task_runs runs;	/* of perf events the time alone */
	uint64_t whole;		/* since when perf events are all there */
};

struct rvtrace_switches {
	struct cpu *cpus;
	size_t count;
	uint64_t begin;		/* where nothing else says so, perf events are all there since */
	uint64_t last;		/* time of the last record of a task */
	struct task_exits exits;
};

static struct cpu *get_cpu(struct rvtrace_switches *s, uint32_t number)
{
	size_t count = number + 1ULL;
	struct cpu *cpus;

	if (number < s->count)
		return &s->cpus[number];
	cpus = realloc(s->cpus, count * sizeof(*cpus));
	if (!cpus)
		return NULL;
	memset(cpus + s->count, 0, (count - s->count) * sizeof(*cpus));
	s->cpus = cpus;
	for (; s->count < count; s->count++)
		cpus[s->count].whole = s->begin;
	return &cpus[number];
}

/* Whoever runs from @time on; nobody knows who if @known is false. */
static bool append(struct cpu *cpu, const struct change *change)
{
	if (cpu->count == cpu->room) {
		size_t room = cpu->room ? 2 * cpu->room : 4;
		void *changes = realloc(cpu->changes, room * sizeof(*cpu->changes));

		if (!changes)
			return false;
		cpu->changes = changes;
		cpu->room = room;
	}
	/* Of several at the same time the last one holds. */
	if (cpu->count && cpu->changes[cpu->count - 1].time == change->time)
		cpu->count--;
	cpu->changes[cpu->count++] = *change;
	return true;
}

static bool add(struct cpu *cpu, uint64_t time, bool known, int32_t pid, int32_t tid)
{
	return append(cpu, &(struct change) {
		.time = time, .pid = pid, .tid = tid, .known = known,
	});
}

static bool is_known(const struct cpu *cpu)
{
	return cpu->count && cpu->changes[cpu->count - 1].known;
}

/*
 * A task that goes and did not come was there since events are all there. What was lost happened
 * after the event before it.
 */
static bool take(struct cpu *cpu, const struct rvtrace_sideband_event *e)
{
	if (e->type == RVTRACE_SIDEBAND_LOST) {
		cpu->whole = e->time;
		return add(cpu, cpu->runs.last, false, 0, 0);
	}
	if (e->type != RVTRACE_SIDEBAND_SWITCH)
		return true;
	if (e->sw.in)
		return add(cpu, e->time, true, e->pid, e->tid);
	return is_known(cpu) || e->time < cpu->whole ||
	       add(cpu, cpu->whole, e->pid >= 0, e->pid, e->tid);
}

/* Since ever, where it was not recorded when the events of each CPU began. */
static uint64_t begin_of(const struct rvtrace_sideband *sideband)
{
	for (size_t i = 0; i < sideband->count; i++)
		if (sideband->events[i].type == RVTRACE_SIDEBAND_LOST && !sideband->events[i].lost)
			return UINT64_MAX;
	return 0;
}

struct rvtrace_switches *rvtrace_switches_new(const struct rvtrace_sideband *sideband)
{
	struct rvtrace_switches *s = calloc(1, sizeof(*s));
	struct cpu *cpu;
	size_t i;

	if (s && sideband)
		s->begin = begin_of(sideband);
	for (i = 0; s && sideband && i < sideband->count; i++) {
		const struct rvtrace_sideband_event *e = &sideband->events[i];

		if (e->cpu >= RVTRACE_SIDEBAND_CPU_MAX)
			continue;
		cpu = get_cpu(s, e->cpu);
		if (!cpu || !take(cpu, e)) {
			rvtrace_switches_free(s);
			return NULL;
		}
		cpu->runs.last = e->time;
	}
	return s;
}

int rvtrace_switches_cut(struct rvtrace_switches *s, uint64_t *first, uint64_t *last)
{
	struct cpu *cpu;

	*first = UINT64_MAX;
	*last = 0;
	for (cpu = s->cpus; cpu < s->cpus + s->count; cpu++) {
		if (!cpu->runs.last)
			continue;
		if (!add(cpu, cpu->runs.last, false, 0, 0))
			return -ENOMEM;
		if (cpu->runs.last < *first)
			*first = cpu->runs.last;
		if (cpu->runs.last > *last)
			*last = cpu->runs.last;
	}
	if (*first > *last)
		*first = *last;
	return 0;
}

/* What was lost before @time of @own happened on any CPU, after the last record of that. */
static bool lose(struct rvtrace_switches *s, const struct cpu *own, uint64_t time)
{
	struct cpu *cpu;
	uint64_t from;

	for (cpu = s->cpus; cpu < s->cpus + s->count; cpu++) {
		if (!cpu->runs.known)
			continue;
		from = cpu->runs.last + (cpu != own || time > cpu->runs.last);
		if (!add(cpu, from, false, 0, 0))
			return false;
		cpu->runs.known = false;
	}
	return true;
}

static bool runs(const struct cpu *cpu, int32_t tid)
{
	return cpu->runs.known && cpu->runs.tid == tid;
}

static bool add_name(struct cpu *cpu, const struct rvtrace_record_task *task)
{
	uint64_t time = task->header.time;
	struct naming *naming;

	/* What another CPU recorded may be later. */
	if (cpu->naming_count && cpu->namings[cpu->naming_count - 1].time > time)
		time = cpu->namings[cpu->naming_count - 1].time;
	if (cpu->naming_count == cpu->naming_room) {
		size_t room = cpu->naming_room ? 2 * cpu->naming_room : 4;
		void *namings = realloc(cpu->namings, room * sizeof(*cpu->namings));

		if (!namings)
			return false;
		cpu->namings = namings;
		cpu->naming_room = room;
	}
	naming = &cpu->namings[cpu->naming_count++];
	naming->time = time;
	memcpy(naming->comm, task->comm, sizeof(naming->comm));
	naming->comm[sizeof(naming->comm) - 1] = 0;
	return true;
}

/*
 * Who gave the name need not be who has it: wherever that runs, which is on one CPU. Of several
 * that say so, all but one missed that it went.
 */
static bool rename_task(struct rvtrace_switches *s, const struct rvtrace_record_task *task)
{
	struct cpu *cpu, *last = NULL;

	for (cpu = s->cpus; cpu < s->cpus + s->count; cpu++)
		if (runs(cpu, task->tid) && (!last || cpu->runs.last > last->runs.last))
			last = cpu;
	return !last || add_name(last, task);
}

/* Who runs from now on. */
static bool change(const struct rvtrace_switches *s, struct cpu *cpu,
		   const struct rvtrace_record_task *task)
{
	if (!add_name(cpu, task))
		return false;
	if (task_runs_missed(&cpu->runs, &s->exits, task) && !add(cpu, cpu->runs.told, false, 0, 0))
		return false;
	/* Not a switch, unless a thread takes its leader's place. */
	if (task->event == RVTRACE_TASK_EXEC && runs(cpu, task->tid))
		return true;
	return append(cpu, &(struct change) {
		.time = task->header.time, .pid = task->pid, .tid = task->tid, .known = true,
		/* An older driver has no room for it. */
		.task = task->header.size < sizeof(*task) ? 0 : task->task,
	});
}

int rvtrace_switches_add_task(struct rvtrace_switches *s, const struct rvtrace_record_task *task)
{
	bool kept = true;
	struct cpu *cpu;

	if (task->header.cpu >= RVTRACE_SIDEBAND_CPU_MAX)
		return 0;
	cpu = get_cpu(s, task->header.cpu);
	if (!cpu || (task->flags & RVTRACE_TASK_LOST && !lose(s, cpu, task->header.time)))
		return -ENOMEM;
	/* Time does not go back, but in damage. */
	if (task->header.time < cpu->runs.last)
		return 0;
	if (task->header.time > s->last)
		s->last = task->header.time;
	if (task->event == RVTRACE_TASK_RENAME)
		kept = rename_task(s, task);
	else if (task_runs_told(task))
		kept = change(s, cpu, task);
	if (!kept)
		return -ENOMEM;
	task_runs_take(&cpu->runs, &s->exits, task);
	return 0;
}

bool rvtrace_switches_scheduled(const struct rvtrace_switches *switches)
{
	return switches->last;
}

bool rvtrace_switches_any(const struct rvtrace_switches *switches)
{
	size_t i;

	for (i = 0; i < switches->count; i++)
		if (switches->cpus[i].count)
			return true;
	return false;
}

void rvtrace_switches_free(struct rvtrace_switches *switches)
{
	size_t i;

	if (!switches)
		return;
	for (i = 0; i < switches->count; i++) {
		free(switches->cpus[i].changes);
		free(switches->cpus[i].namings);
	}
	free(switches->cpus);
	free(switches);
}

/* How many of a list in order of time, which each begins with, are not after @ns */
static size_t not_after(const void *list, size_t count, size_t size, uint64_t ns)
{
	size_t low = 0, high = count, middle;
	uint64_t time;

	while (low < high) {
		middle = (low + high) / 2;
		memcpy(&time, (const char *)list + middle * size, sizeof(time));
		if (time <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t rvtrace_switches_begun(const struct rvtrace_switches *switches, unsigned int number,
			      uint64_t ns)
{
	const struct cpu *cpu = number < switches->count ? &switches->cpus[number] : NULL;

	return cpu ? not_after(cpu->changes, cpu->count, sizeof(*cpu->changes), ns) : 0;
}

bool rvtrace_switches_at(const struct rvtrace_switches *switches, unsigned int number, uint64_t ns,
			 struct rvtrace_stretch *stretch)
{
	size_t begun = rvtrace_switches_begun(switches, number, ns);
	struct rvtrace_stretch first;

	if (begun)
		return rvtrace_switches_get(switches, number, begun - 1, stretch) && stretch->known;
	*stretch = (struct rvtrace_stretch) { .until = UINT64_MAX, .pid = -1, .tid = -1 };
	if (rvtrace_switches_get(switches, number, 0, &first))
		stretch->until = first.from;
	return false;
}

bool rvtrace_switches_of_task(const struct rvtrace_switches *switches, unsigned int number,
			      uint64_t task, uint64_t ns, struct rvtrace_stretch *stretch)
{
	const struct cpu *cpu = number < switches->count ? &switches->cpus[number] : NULL;
	size_t at, i;

	if (!cpu || !task)
		return false;
	at = rvtrace_switches_begun(switches, number, ns);
	for (i = at; i > 0 && (i == at || cpu->changes[i].time + RVTRACE_SWITCHES_NEAR_NS > ns); i--)
		if (cpu->changes[i - 1].task == task)
			return rvtrace_switches_get(switches, number, i - 1, stretch);
	for (i = at; i < cpu->count && cpu->changes[i].time < ns + RVTRACE_SWITCHES_NEAR_NS; i++)
		if (cpu->changes[i].task == task)
			return rvtrace_switches_get(switches, number, i, stretch);
	return false;
}

bool rvtrace_switches_get(const struct rvtrace_switches *switches, unsigned int number,
			  size_t index, struct rvtrace_stretch *stretch)
{
	const struct cpu *cpu = number < switches->count ? &switches->cpus[number] : NULL;
	const struct change *change;

	*stretch = (struct rvtrace_stretch) { .until = UINT64_MAX, .pid = -1, .tid = -1 };
	if (!cpu || index >= cpu->count)
		return false;
	change = &cpu->changes[index];
	stretch->from = change->time;
	stretch->known = change->known;
	if (index + 1 < cpu->count)
		stretch->until = change[1].time;
	if (change->known) {
		stretch->pid = change->pid;
		stretch->tid = change->tid;
	}
	return true;
}

const char *rvtrace_switches_name(const struct rvtrace_switches *switches, unsigned int number,
				  uint64_t ns)
{
	const struct cpu *cpu = number < switches->count ? &switches->cpus[number] : NULL;
	size_t told = cpu ? not_after(cpu->namings, cpu->naming_count, sizeof(*cpu->namings), ns) : 0;

	return told ? cpu->namings[told - 1].comm : NULL;
}
