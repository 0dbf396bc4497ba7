// SPDX-License-Identifier: GPL-2.0
/* tracectl events: whose an event is. */
#include <string.h>

#include "events.h"

/* The CPU that a hart is to the kernel, or -1 where that is not known */
static int cpu_of(const struct trace_input *in, uint64_t hart)
{
	const struct rvtrace_recording_sink *sink = rvtrace_recording_sink(in->recording, in->sink);
	size_t i, j;

	for (i = 0; i < sink->source_count; i++) {
		const struct rvtrace_recording_source *source = &sink->sources[i];

		for (j = 0; j < source->hart_count && source->hart_count == source->cpu_count; j++)
			if (source->harts[j] == hart)
				return source->cpus[j];
	}
	return -1;
}

/* The trace tells the address space of user code. */
static const struct rvtrace_space *space_of_context(const struct trace_input *in,
						    const struct rvtrace_event *event, uint64_t ns)
{
	const uint8_t both = RVTRACE_EVENT_HAS_CONTEXT | RVTRACE_EVENT_HAS_PRIV;

	if ((event->flags & both) != both || event->priv)
		return NULL;
	return rvtrace_spaces_of_context(in->spaces, event->context, ns, NULL);
}

static bool runs(const struct rvtrace_switches *switches, unsigned int cpu, uint64_t ns,
		 const struct rvtrace_space *space, struct rvtrace_stretch *stretch)
{
	return rvtrace_switches_at(switches, cpu, ns, stretch) &&
	       (!space || space->pid == stretch->pid);
}

/*
 * Who ran then; near a switch, the one of both whose address space it is. @ns becomes a
 * time at which it did.
 */
static bool find_stretch(const struct rvtrace_switches *switches, unsigned int cpu, uint64_t *ns,
			 const struct rvtrace_space *space, struct rvtrace_stretch *stretch)
{
	uint64_t before, after, then = *ns;

	if (runs(switches, cpu, then, space, stretch))
		return true;
	before = stretch->from - 1;
	after = stretch->until;
	*ns = before;
	if (before < then && then - before < RVTRACE_SWITCHES_NEAR_NS &&
	    runs(switches, cpu, before, space, stretch))
		return true;
	*ns = after;
	return after - then < RVTRACE_SWITCHES_NEAR_NS && runs(switches, cpu, after, space, stretch);
}

/* The same by what the hart wrote to tp, where records say whose that is. */
static bool find_told(const struct rvtrace_switches *switches, unsigned int cpu, uint64_t *ns,
		      const struct rvtrace_event *event, struct rvtrace_stretch *stretch)
{
	if (!(event->flags & RVTRACE_EVENT_HAS_THREAD) ||
	    !rvtrace_switches_of_task(switches, cpu, event->thread, *ns, stretch))
		return false;
	if (*ns < stretch->from)
		*ns = stretch->from;
	else if (*ns >= stretch->until)
		*ns = stretch->until - 1;
	return true;
}

void events_find_task(const struct events *e, const struct rvtrace_event *event,
		      struct event_task *task)
{
	const struct rvtrace_switches *switches;
	const struct rvtrace_space *space;
	struct rvtrace_stretch stretch;
	uint64_t ns = RVTRACE_TIME_NEWEST, then;
	const char *name;
	int cpu;

	*task = (struct event_task) { .pid = -1, .tid = -1 };
	if (!e->input.spaces)
		return;
	if (event->flags & RVTRACE_EVENT_HAS_TIME && e->clock && rvtrace_clock_known(e->clock))
		ns = rvtrace_clock_ns(e->clock, event->time);
	space = space_of_context(&e->input, event, ns);
	switches = rvtrace_spaces_switches(e->input.spaces);
	cpu = cpu_of(&e->input, event->hart);
	then = ns;
	if (switches && cpu >= 0 && ns != RVTRACE_TIME_NEWEST &&
	    (find_told(switches, cpu, &then, event, &stretch) ||
	     find_stretch(switches, cpu, &then, space, &stretch))) {
		task->pid = stretch.pid;
		task->tid = stretch.tid;
		name = rvtrace_switches_name(switches, cpu, then);
		if (name)
			snprintf(task->comm, sizeof(task->comm), "%s", name);
		if (!space)
			space = rvtrace_spaces_of_process(e->input.spaces, stretch.pid, then);
	}
	if (!space)
		return;
	task->pid = space->pid;
	memcpy(task->program, space->comm, sizeof(task->program));
	if (!*task->comm)
		memcpy(task->comm, space->comm, sizeof(task->comm));
}
