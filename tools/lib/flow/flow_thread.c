// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which thread executes: as tp or else time tells, and where the kernel changes tasks
 * (rvtrace/flow.h).
 */
#include "tools/lib/base/task_address.h"
#include "flow_internal.h"

#define SWITCH_MAX	16384	/* instructions from the scheduler's word to the change */
#define CHANGES_MAX	1024	/* of what is mapped, from one change of tasks to the next */

static void take_thread(struct source *source)
{
	source->thread = source->next_thread;
	source->process = source->next_process;
}

/* The thread by time may not execute yet. */
static bool may_wait(const struct source *source)
{
	return source->thread < 0 ? source->place.thread_new :
				    source->place.thread != source->thread;
}

/**
 * flow_forget_task() - who executes is known by time alone, until tp is written
 * @source: the source
 */
void flow_forget_task(struct source *source)
{
	if (!source->task)
		return;
	source->task = 0;
	flow_forget_place(source);
}

/* The task that was written to tp executes, once the kernel has changed to it. */
static void find_task(struct source *source)
{
	source->next_thread = source->place.thread;
	source->next_process = source->place.process;
	if (source->switch_left && source->priv)
		return;
	source->switch_left = 0;
	take_thread(source);
}

/**
 * flow_write_tp() - the trace tells what a hart wrote to tp, perhaps
 * @flow: the decoder
 * @source: the source
 * @id: identifier of the event
 * @value: what was written
 *
 * Each entry into the kernel writes the task once more. What users say is not believed. Who executed
 * before a change is of no known thread if none was known.
 */
void flow_write_tp(struct rvtrace_flow *flow, struct source *source, unsigned int id,
		   uint64_t value)
{
	if (!flow->config.thread_switch || id != flow->config.thread_switch ||
	    !is_task_address(value, flow->config.isa.xlen) || value == source->task)
		return;
	if (source->synced && !source->priv)
		return;
	source->task = value;
	flow_forget_place(source);
	flow_find_place(flow, source);
	if (!source->place.of_task) {
		source->task = 0;
		return;
	}
	source->stats.tasks++;
	if (source->place.from > flow_now(source))
		source->reached = source->place.from;
	source->overdue = false;
	source->switch_left = 0;
	if (flow->config.task_switch && source->synced && source->thread != source->place.thread)
		source->switch_left = SWITCH_MAX;
	find_task(source);
}

/**
 * flow_find_thread() - who executes, where a source has a place
 * @flow: the decoder
 * @source: the source
 *
 * The thread by time, once the kernel has changed to it: who schedules says that before. Users are
 * told by time alone, where it is known that they are; so is what does not come to a change. Where
 * nothing is known, as behind a loss, the kernel has changed to any thread but a new one.
 */
void flow_find_thread(const struct rvtrace_flow *flow, struct source *source)
{
	int32_t thread = source->place.thread;

	if (source->place.of_task) {
		find_task(source);
		return;
	}
	source->task = 0;
	if (source->switch_left && source->priv && thread == source->next_thread &&
	    may_wait(source))
		return;
	if (source->switch_left) {
		take_thread(source);
		source->overdue = source->priv;
	}
	source->next_thread = thread;
	source->next_process = source->place.process;
	source->switch_left = 0;
	if (flow->config.task_switch && thread >= 0 && source->priv && may_wait(source))
		source->switch_left = SWITCH_MAX;
	else
		take_thread(source);
}

/*
 * The kernel has changed tasks, and there was no time since that says so: who schedules says it
 * before, so this is the next thread by time. Where times are told at synchronizations alone, it is
 * all that tells of changes in between.
 */
static void follow(struct rvtrace_flow *flow, struct source *source)
{
	int32_t thread = source->next_thread;
	unsigned int i;

	flow_find_place(flow, source);
	for (i = 0; i < CHANGES_MAX && source->place.thread == thread &&
		    source->place.until != UINT64_MAX; i++) {
		source->reached = source->place.until;
		flow_forget_place(source);
		flow_find_place(flow, source);
	}
	source->next_thread = source->place.thread;
	source->next_process = source->place.process;
	take_thread(source);
}

/**
 * flow_pass_block() - something executed where another thread is waited for, or tasks change
 * @flow: the decoder
 * @source: the source
 * @block: the last of it, and all of it while another thread is waited for
 *
 * Behind the change of tasks the thread that was waited for executes. Firmware takes the time that
 * it takes, until other harts have answered. An encoder that counts calls leaves out returns of the
 * next task for calls of the one before.
 */
void flow_pass_block(struct rvtrace_flow *flow, struct source *source,
		     const struct rvtrace_flow_block *block)
{
	bool changed = block->address + block->size == flow->config.task_switch;

	if (changed && source->counts_calls && source->priv)
		flow_switch_calls(source);
	if (!source->switch_left) {
		/* what tells of this one was lost */
		if (changed)
			flow_forget_task(source);
		if (changed && source->overdue)
			source->overdue = false;
		else if (changed && source->priv && source->has_time && source->thread >= 0)
			follow(flow, source);
		return;
	}
	if (!changed && source->priv == 3)
		return;
	if (!changed && block->instructions < source->switch_left) {
		source->switch_left -= block->instructions;
		return;
	}
	source->switch_left = 0;
	source->overdue = !changed;
	take_thread(source);
}
