// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Call layer: steps of all harts in order of time. Messages of one hart come in order; those of
 * different harts at most RVTRACE_CALLS_LAG bytes late. A hart that sends nothing holds the others
 * back for no longer than that.
 */
#include <stdlib.h>

#include "calls_internal.h"

static bool has_step(const struct hart *hart)
{
	return hart->first < hart->timed;
}

static const struct step *first_step(const struct hart *hart)
{
	return &hart->steps[hart->first];
}

/* Whether nothing older can come any more. */
static bool is_late(const struct rvtrace_calls *calls, const struct step *step)
{
	return calls->finishing || calls->newest - step->offset > RVTRACE_CALLS_LAG ||
	       step->time.best == RVTRACE_CALL_NO_TIME;
}

/* The thread still runs on another hart: steps of that one come first. */
static struct hart *runs_elsewhere(struct rvtrace_calls *calls, const struct hart *hart,
				   const struct step *step)
{
	const struct lane *lane;

	if (step->type != STEP_THREAD)
		return NULL;
	lane = calls_find_lane(calls, hart, step->thread);
	return lane && lane->hart != hart ? lane->hart : NULL;
}

/* The software trace, or what is missing, in its place. */
static void emit_item(struct rvtrace_calls *calls, const struct hart *hart,
		      const struct step *step, enum rvtrace_call_type type)
{
	calls_emit(calls, hart->lane, (struct rvtrace_call_event) {
		.type = type, .source = step->item->source, .thread = step->thread,
		.process = step->process, .lane = hart->lane->number,
		.depth = hart->lane->depth, .time = step->time,
		.instructions = hart->lane->instructions, .source_instructions = step->count,
		.item = step->item,
	});
}

static void hand_on(struct rvtrace_calls *calls, struct hart *hart, struct step *step)
{
	calls_count(hart, step);
	if (step->type == STEP_THREAD || !hart->lane)
		calls_run(calls, hart, step);
	if (!calls->error)
		calls_reach(hart->lane, step);
	if (!calls->error && step->type == STEP_ARRIVE)
		calls_check_process(calls, hart, step);
	if (calls->error)
		return;
	calls_open(calls, hart->lane, step);
	switch (step->type) {
	case STEP_ARRIVE:
		calls_arrive(calls, hart->lane, step);
		break;
	case STEP_TRAP:
		calls_trap(calls, hart->lane, step);
		break;
	case STEP_TRAP_RETURN:
		calls_trap_return(calls, hart->lane, step);
		break;
	case STEP_GAP:
		calls_cut(calls, hart, step);
		if (step->item)
			emit_item(calls, hart, step, RVTRACE_CALL_GAP);
		break;
	case STEP_ITEM:
		emit_item(calls, hart, step, RVTRACE_CALL_ITEM);
		break;
	}
}

/* The first step of a hart. */
static void hand_on_first(struct rvtrace_calls *calls, struct hart *hart)
{
	struct step step = hart->steps[hart->first++];

	hand_on(calls, hart, &step);
	free(step.item);
	if (hart->first == hart->end)
		hart->first = hart->timed = hart->end = 0;
}

static uint64_t mark_of(const struct hart *hart)
{
	return hart->has_mark ? hart->mark : 0;
}

static bool is_before(const struct hart *a, const struct hart *b)
{
	uint64_t x = first_step(a)->time.best, y = first_step(b)->time.best;

	return x < y || (x == y && a->source < b->source);
}

/* The oldest one of a heap goes up from @i. */
static void sift(struct rvtrace_calls *calls, size_t i)
{
	struct hart **queue = calls->queue, *hart = queue[i];
	size_t next;

	for (; (next = 2 * i + 1) < calls->queued; i = next) {
		if (next + 1 < calls->queued && is_before(queue[next + 1], queue[next]))
			next++;
		if (is_before(hart, queue[next]))
			break;
		queue[i] = queue[next];
	}
	queue[i] = hart;
}

/* Harts that have steps; up to @silent, the others may still have older ones. */
static void fill_queue(struct rvtrace_calls *calls, uint64_t *silent)
{
	/* at first, nobody knows of all harts */
	*silent = calls->newest - calls->begin > RVTRACE_CALLS_LAG ? UINT64_MAX : 0;
	calls->queued = 0;
	for (size_t i = 0; i < calls->hart_count; i++) {
		struct hart *hart = calls->harts[i];

		if (has_step(hart))
			calls->queue[calls->queued++] = hart;
		else if (mark_of(hart) < *silent)
			*silent = mark_of(hart);
	}
	for (size_t i = calls->queued / 2; i--;)
		sift(calls, i);
}

/* When the second hart of the queue goes on. */
static uint64_t second(const struct rvtrace_calls *calls)
{
	uint64_t time = UINT64_MAX;

	for (size_t i = 1; i < 3 && i < calls->queued; i++)
		if (first_step(calls->queue[i])->time.best < time)
			time = first_step(calls->queue[i])->time.best;
	return time;
}

/*
 * Steps of the first hart of the queue, as long as it is the first. Return: it is not any more, and
 * the next one may go on; @moved: another hart had to, so that the queue is out of order.
 */
static bool hand_on_some(struct rvtrace_calls *calls, uint64_t silent, bool *moved)
{
	struct hart *hart = calls->queue[0], *other;
	uint64_t limit = second(calls);

	while (!calls->error && has_step(hart) && first_step(hart)->time.best <= limit) {
		bool late = is_late(calls, first_step(hart));

		if (first_step(hart)->time.best > silent && !late)
			return false;
		other = runs_elsewhere(calls, hart, first_step(hart));
		if (other && has_step(other)) {
			hand_on_first(calls, other);
			*moved = true;
			return true;
		}
		if (other && !late)
			return false;
		hand_on_first(calls, hart);
	}
	return !calls->error;
}

void calls_merge(struct rvtrace_calls *calls)
{
	uint64_t silent;
	bool moved = true;

	for (;;) {
		if (moved)
			fill_queue(calls, &silent);
		moved = false;
		if (!calls->queued || !hand_on_some(calls, silent, &moved))
			break;
		if (!moved && !has_step(calls->queue[0])) {
			if (mark_of(calls->queue[0]) < silent)
				silent = mark_of(calls->queue[0]);
			calls->queue[0] = calls->queue[--calls->queued];
		}
		if (!moved && calls->queued)
			sift(calls, 0);
	}
}
