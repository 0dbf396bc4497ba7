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

static void hand_on(struct rvtrace_calls *calls, struct hart *hart, const struct step *step)
{
	calls_count(hart, step);
	if (step->type == STEP_THREAD || !hart->lane)
		calls_run(calls, hart, step);
	if (!calls->error && step->type == STEP_ARRIVE)
		calls_check_process(calls, hart, step);
	if (calls->error)
		return;
	calls_open(calls, hart->lane, step);
	hart->lane->last = step->time;
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

/* Nothing older than that comes of it. */
static uint64_t reached(const struct hart *hart)
{
	if (has_step(hart))
		return first_step(hart)->time.best;
	return hart->has_mark ? hart->mark : 0;
}

static struct hart *oldest(const struct rvtrace_calls *calls)
{
	struct hart *found = NULL;

	for (size_t i = 0; i < calls->hart_count; i++)
		if (has_step(calls->harts[i]) &&
		    (!found || reached(calls->harts[i]) < reached(found)))
			found = calls->harts[i];
	return found;
}

/* Up to when steps of @hart may be handed on. */
static uint64_t limit_of(const struct rvtrace_calls *calls, const struct hart *hart)
{
	uint64_t limit = UINT64_MAX;

	for (size_t i = 0; i < calls->hart_count; i++)
		if (calls->harts[i] != hart && reached(calls->harts[i]) < limit)
			limit = reached(calls->harts[i]);
	return limit;
}

/* What comes next, as long as @hart is the one. Return: whether anything came. */
static bool hand_on_some(struct rvtrace_calls *calls, struct hart *hart)
{
	uint64_t limit = limit_of(calls, hart);
	struct hart *other;
	bool some = false;

	while (!calls->error && has_step(hart) &&
	       (reached(hart) <= limit || is_late(calls, first_step(hart)))) {
		other = runs_elsewhere(calls, hart, first_step(hart));
		if (other && has_step(other)) {
			hand_on_first(calls, other);
			return true;
		}
		if (other && !is_late(calls, first_step(hart)))
			return some;
		hand_on_first(calls, hart);
		some = true;
	}
	return some;
}

void calls_merge(struct rvtrace_calls *calls)
{
	struct hart *hart;

	do {
		hart = oldest(calls);
	} while (!calls->error && hart && hand_on_some(calls, hart));
}
