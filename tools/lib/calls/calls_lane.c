// SPDX-License-Identifier: LGPL-2.1-or-later
/* Call layer: threads, and which one runs on which hart. */
#include <search.h>
#include <stdlib.h>

#include "calls_internal.h"

static int by_thread(const void *a, const void *b)
{
	const struct lane *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	/* idle threads, and unknown ones, belong to their harts */
	return x->thread > 0 ? 0 : (x->source > y->source) - (x->source < y->source);
}

struct lane *calls_find_lane(struct rvtrace_calls *calls, const struct hart *hart, int32_t thread)
{
	const struct lane key = { .thread = thread, .source = hart->source };
	struct lane **found = tfind(&key, &calls->lanes, by_thread);

	return found ? *found : NULL;
}

void calls_lane_free(struct lane *lane)
{
	for (unsigned int i = 0; i < PARKED; i++)
		free(lane->parked[i].frames);
	free(lane->frames);
	free(lane);
}

static struct lane *new_lane(struct rvtrace_calls *calls, const struct hart *hart, int32_t thread)
{
	struct lane *lane = calloc(1, sizeof(*lane)), **all;

	all = reallocarray(calls->all, calls->lane_count + 1, sizeof(*all));
	if (all)
		calls->all = all;
	if (!lane || !all) {
		free(lane);
		return NULL;
	}
	lane->thread = thread;
	lane->source = hart->source;
	lane->process = RVTRACE_PROCESS_UNKNOWN;
	lane->number = calls->lane_count;
	lane->window = calls->config.from ? WINDOW_BEFORE : WINDOW_IN;
	return all[calls->lane_count++] = lane;
}

/* The lane takes its thread's place, if there was one before. */
static struct lane *add_lane(struct rvtrace_calls *calls, const struct hart *hart, int32_t thread)
{
	struct lane *lane = new_lane(calls, hart, thread), **found;

	found = lane ? tsearch(lane, &calls->lanes, by_thread) : NULL;
	if (!found) {
		calls->error = RVTRACE_ERR_NO_MEMORY;
		return NULL;
	}
	*found = lane;
	return lane;
}

static void emit(struct rvtrace_calls *calls, const struct hart *hart, const struct lane *lane,
		 const struct step *step, enum rvtrace_call_type type)
{
	calls_emit(calls, lane, (struct rvtrace_call_event) {
		.type = type, .source = hart->source, .thread = lane->thread,
		.process = step->process, .lane = lane->number, .depth = lane->depth,
		.time = step->time, .instructions = lane->instructions,
		.source_instructions = hart->done,
	});
}

static struct step step_at(const struct step *step, uint64_t time)
{
	struct step at = *step;

	at.time = (struct rvtrace_call_time) { time, time, time };
	return at;
}

/* A thread that rests has done so until then. */
static void rest_until(struct lane *lane, const struct step *step)
{
	struct rvtrace_call_span span;

	if (!lane->has_rested || lane->hart)
		return;
	if (rvtrace_call_span(&lane->rested, &step->time, &span))
		rvtrace_call_span_add(&lane->resting, &span);
	lane->rested = step->time;
}

/* What is open begins anew, as of then. */
static void open_window(struct rvtrace_calls *calls, struct lane *lane, const struct step *step)
{
	size_t depth = lane->depth;

	rest_until(lane, step);
	lane->window = WINDOW_IN;
	lane->instructions = 0;
	if (lane->hart)
		emit(calls, lane->hart, lane, step, RVTRACE_CALL_RUN);
	lane->depth = 0;
	while (lane->depth < depth && !calls->error)
		calls_reenter(calls, lane, step);
}

static void close_window(struct rvtrace_calls *calls, struct lane *lane, const struct step *step)
{
	rest_until(lane, step);
	calls_leave_to(calls, lane, step, 0, RVTRACE_CALL_LATER);
	if (lane->hart)
		emit(calls, lane->hart, lane, step, RVTRACE_CALL_REST);
	lane->window = WINDOW_AFTER;
}

void calls_open(struct rvtrace_calls *calls, struct lane *lane, const struct step *step)
{
	const struct rvtrace_calls_config *config = &calls->config;
	struct step at;

	if (step->time.best == RVTRACE_CALL_NO_TIME)
		return;
	if (lane->window == WINDOW_BEFORE && step->time.best >= config->from) {
		at = step_at(step, config->from);
		open_window(calls, lane, &at);
	}
	if (lane->window == WINDOW_IN && config->to && step->time.best > config->to) {
		at = step_at(step, config->to);
		close_window(calls, lane, &at);
	}
}

static void rest(struct rvtrace_calls *calls, struct hart *hart, const struct step *step)
{
	struct lane *lane = hart->lane;

	if (!lane)
		return;
	calls_open(calls, lane, step);
	lane->hart = NULL;
	hart->lane = NULL;
	lane->has_rested = true;
	lane->rested = step->time;
	if (step->time.best != RVTRACE_CALL_NO_TIME)
		lane->last = step->time;
	emit(calls, hart, lane, step, RVTRACE_CALL_REST);
}

static void put(struct rvtrace_calls *calls, struct hart *hart, struct lane *lane,
		const struct step *step)
{
	rest(calls, hart, step);
	if (lane->hart)
		rest(calls, lane->hart, step);
	calls_open(calls, lane, step);
	rest_until(lane, step);
	lane->hart = hart;
	hart->lane = lane;
	emit(calls, hart, lane, step, RVTRACE_CALL_RUN);
}

/* As calls_reach(), of a lane that may be none, and goes no further. */
static void not_before(const struct lane *lane, struct step *step)
{
	if (!lane || step->time.best >= lane->last.best)
		return;
	step->time.best = lane->last.best;
	if (step->time.latest < step->time.best)
		step->time.latest = step->time.best;
}

void calls_reach(struct lane *lane, struct step *step)
{
	not_before(lane, step);
	if (step->time.best != RVTRACE_CALL_NO_TIME)
		lane->last = step->time;
}

void calls_run(struct rvtrace_calls *calls, struct hart *hart, struct step *step)
{
	/* without a step of its own, the thread has gone to another hart */
	int32_t thread = step->type == STEP_THREAD ? step->thread : -1;
	struct lane *lane = calls_find_lane(calls, hart, thread);

	if (!lane)
		lane = add_lane(calls, hart, thread);
	if (!lane || lane->hart == hart)
		return;
	not_before(hart->lane, step);
	not_before(lane, step);
	put(calls, hart, lane, step);
}

void calls_count(struct hart *hart, const struct step *step)
{
	uint64_t count = step->count - hart->done;
	struct frame *top;

	hart->done = step->count;
	if (!hart->lane)
		return;
	hart->lane->instructions += count;
	top = calls_top(hart->lane);
	if (top)
		top->shown.own_instructions += count;
}

/* The space with which a process began. */
static const struct rvtrace_space *root_of(const struct rvtrace_spaces *spaces, uint32_t process)
{
	const struct rvtrace_space *space = rvtrace_spaces_get(spaces, process), *parent;

	while (space && space->parent != space->index) {
		parent = rvtrace_spaces_get(spaces, space->parent);
		if (!parent || parent->pid != space->pid)
			break;
		space = parent;
	}
	return space;
}

/*
 * User code of another address space: the program is another, of the same process, or of one that
 * vfork() made. Else the thread is another, too, which has the id of one that ended.
 */
void calls_check_process(struct rvtrace_calls *calls, struct hart *hart, const struct step *step)
{
	const struct rvtrace_spaces *spaces = calls->config.spaces;
	const struct rvtrace_space *before, *now, *root;
	struct lane *lane = hart->lane;

	if (!spaces || step->priv || step->process == RVTRACE_PROCESS_UNKNOWN ||
	    step->process == lane->process)
		return;
	before = rvtrace_spaces_get(spaces, lane->process);
	now = rvtrace_spaces_get(spaces, step->process);
	root = root_of(spaces, step->process);
	if (before && now && (root_of(spaces, lane->process) == root ||
			      root->parent == before->index)) {
		calls_leave_to(calls, lane, step, 0, RVTRACE_CALL_UNWOUND);
	} else if (lane->thread > 0 && before && now && before->until <= now->from) {
		calls_leave_to(calls, lane, step, 0, RVTRACE_CALL_CUT);
		lane = add_lane(calls, hart, lane->thread);
		if (!lane)
			return;
		put(calls, hart, lane, step);
	}
	lane->process = step->process;
}

/* The innermost trap, and what is below it; 0: there is none. */
static size_t depth_of_trap(const struct lane *lane)
{
	size_t depth = lane->depth;

	while (depth && lane->frames[depth - 1].shown.kind != RVTRACE_CALL_TRAP)
		depth--;
	return depth;
}

static bool is_loss(const struct step *step)
{
	switch (step->item ? step->item->type : RVTRACE_FLOW_LOST) {
	case RVTRACE_FLOW_LOST:
	case RVTRACE_FLOW_OVERFLOW:
	case RVTRACE_FLOW_STOP:
	case RVTRACE_FLOW_ERROR:
	case RVTRACE_FLOW_TAIL:
		return true;
	}
	return false;
}

void calls_cut(struct rvtrace_calls *calls, struct hart *hart, const struct step *step)
{
	bool within = step->item && (step->item->type == RVTRACE_FLOW_NO_IMAGE ||
				     step->item->type == RVTRACE_FLOW_UNFOLLOWED ||
				     step->item->type == RVTRACE_FLOW_RANGE);

	/* traps are reported: these are of the innermost one */
	calls_leave_to(calls, hart->lane, step, within ? depth_of_trap(hart->lane) : 0,
		       RVTRACE_CALL_CUT);
	if (!is_loss(step))
		return;
	/* other threads may have run, and rest again */
	for (size_t i = 0; i < calls->lane_count && !calls->error; i++)
		if (!calls->all[i]->hart)
			calls_leave_lane(calls, calls->all[i]);
}

void calls_leave_lane(struct rvtrace_calls *calls, struct lane *lane)
{
	const struct step step = {
		.thread = lane->thread, .process = lane->process,
		.time = lane->rested,
	};

	calls_leave_to(calls, lane, &step, 0, RVTRACE_CALL_CUT);
}

void calls_end(struct rvtrace_calls *calls, struct hart *hart)
{
	uint64_t time = hart->has_mark ? hart->mark : RVTRACE_CALL_NO_TIME;
	struct step last = {
		.thread = hart->thread, .process = hart->process, .count = hart->count,
		.time = { time, time, RVTRACE_CALL_NO_TIME },
	};

	/* if the last time is that of the end */
	if (hart->has_mark && hart->count == hart->mark_count)
		last.time.latest = time + 1;
	calls_count(hart, &last);
	if (!hart->lane)
		return;
	calls_reach(hart->lane, &last);
	calls_open(calls, hart->lane, &last);
	calls_leave_to(calls, hart->lane, &last, 0, RVTRACE_CALL_CUT);
	rest(calls, hart, &last);
}
