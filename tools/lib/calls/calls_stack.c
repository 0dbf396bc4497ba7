// SPDX-License-Identifier: LGPL-2.1-or-later
/* Call layer: frames of a thread are entered and left. */
#include <stdlib.h>
#include <string.h>

#include "calls_internal.h"

#define DEPTH_MAX	65536	/* deeper ones have lost track of returns */

void calls_emit(struct rvtrace_calls *calls, const struct lane *lane,
		struct rvtrace_call_event event)
{
	int ret = 0;

	if (lane->window == WINDOW_IN && !calls->error)
		ret = calls->config.event(calls->config.data, &event);
	if (ret < 0)
		calls->error = ret;
}

struct frame *calls_top(const struct lane *lane)
{
	return lane->depth ? &lane->frames[lane->depth - 1] : NULL;
}

static bool make_room(struct lane *lane)
{
	size_t room = lane->room ? 2 * lane->room : 32;
	struct frame *frames;

	if (lane->depth < lane->room)
		return true;
	frames = reallocarray(lane->frames, room, sizeof(*frames));
	if (!frames)
		return false;
	lane->frames = frames;
	lane->room = room;
	return true;
}

static void emit(struct rvtrace_calls *calls, const struct lane *lane, const struct step *step,
		 enum rvtrace_call_type type, const struct frame *frame)
{
	calls_emit(calls, lane, (struct rvtrace_call_event) {
		.type = type, .source = lane->hart ? lane->hart->source : lane->source,
		.thread = lane->thread, .process = step->process, .lane = lane->number,
		.depth = frame->shown.depth + 1, .time = step->time,
		.instructions = lane->instructions,
		.source_instructions = lane->hart ? lane->hart->done : 0, .frame = &frame->shown,
	});
}

static bool is_interrupt(const struct frame *frame)
{
	return frame->shown.kind == RVTRACE_CALL_TRAP &&
	       frame->shown.trap == RVTRACE_TRAP_INTERRUPT;
}

void calls_enter(struct rvtrace_calls *calls, struct lane *lane, const struct step *step,
		 struct rvtrace_call_frame shown)
{
	const struct frame *below;
	struct frame *frame;

	if (lane->depth == DEPTH_MAX)
		calls_leave_to(calls, lane, step, 0, RVTRACE_CALL_CUT);
	if (!make_room(lane)) {
		calls->error = RVTRACE_ERR_NO_MEMORY;
		return;
	}
	below = calls_top(lane);
	frame = &lane->frames[lane->depth];
	*frame = (struct frame) {
		.shown = shown, .instructions = lane->instructions,
		.resting = lane->resting, .interrupted = lane->interrupted,
	};
	frame->shown.id = ++calls->frame_id;
	frame->serial = frame->shown.id;
	frame->shown.parent = below ? below->shown.id : 0;
	frame->shown.depth = lane->depth++;
	frame->shown.priv = step->priv;
	frame->shown.entered = step->time;
	emit(calls, lane, step, RVTRACE_CALL_ENTER, frame);
}

void calls_reenter(struct rvtrace_calls *calls, struct lane *lane, const struct step *step)
{
	struct frame *frame = &lane->frames[lane->depth++];

	frame->instructions = lane->instructions;
	frame->resting = lane->resting;
	frame->interrupted = lane->interrupted;
	frame->shown.own_instructions = 0;
	frame->shown.entered = step->time;
	frame->shown.flags |= RVTRACE_CALL_EARLIER;
	emit(calls, lane, step, RVTRACE_CALL_ENTER, frame);
}

/* For how long its thread ran in it, and not in other interrupts. */
static void end_interrupt(struct lane *lane, const struct frame *frame)
{
	struct rvtrace_call_span span;

	if (!rvtrace_call_span(&frame->shown.entered, &frame->shown.left, &span))
		return;
	rvtrace_call_span_subtract(&span, &frame->shown.resting);
	rvtrace_call_span_subtract(&span, &frame->shown.interrupted);
	rvtrace_call_span_add(&lane->interrupted, &span);
}

void calls_leave(struct rvtrace_calls *calls, struct lane *lane, const struct step *step,
		 unsigned int flags)
{
	struct frame *frame = calls_top(lane);

	frame->shown.flags |= flags;
	frame->shown.left = step->time;
	frame->shown.instructions = lane->instructions - frame->instructions;
	frame->shown.resting = calls_span_since(&lane->resting, &frame->resting);
	frame->shown.interrupted = calls_span_since(&lane->interrupted, &frame->interrupted);
	emit(calls, lane, step, RVTRACE_CALL_LEAVE, frame);
	if (is_interrupt(frame))
		end_interrupt(lane, frame);
	lane->depth--;
}

void calls_leave_to(struct rvtrace_calls *calls, struct lane *lane, const struct step *step,
		    size_t depth, unsigned int flags)
{
	while (lane->depth > depth)
		calls_leave(calls, lane, step, flags);
}

void calls_park(struct rvtrace_calls *calls, struct lane *lane, const struct step *step,
		size_t depth, unsigned int flags)
{
	struct parked *parked = &lane->parked[lane->next_parked];
	size_t count = lane->depth - depth;

	if (count <= PARKED_FRAMES) {
		free(parked->frames);
		parked->frames = reallocarray(NULL, count, sizeof(*parked->frames));
		parked->count = parked->frames ? count : 0;
		if (parked->frames)
			memcpy(parked->frames, lane->frames + depth,
			       count * sizeof(*parked->frames));
		lane->next_parked = (lane->next_parked + 1) % PARKED;
	}
	calls_leave_to(calls, lane, step, depth, flags);
}

/*
 * The frame that waits to go on at @address: the innermost one, or one in whose place another
 * coroutine began.
 */
static size_t find_waiting(const struct parked *parked, uint64_t address)
{
	size_t i = parked->count;

	while (i > 1) {
		const struct rvtrace_call_frame *shown = &parked->frames[--i].shown;

		if (shown->return_address == address &&
		    (i == parked->count - 1 ||
		     shown->flags & (RVTRACE_CALL_TAIL | RVTRACE_CALL_RESUMED)))
			return i;
	}
	return 0;
}

static struct parked *find_parked(struct lane *lane, uint64_t address, size_t *waiting)
{
	for (unsigned int i = 1; i <= PARKED; i++) {
		struct parked *parked = &lane->parked[(lane->next_parked + PARKED - i) % PARKED];

		*waiting = find_waiting(parked, address);
		if (*waiting)
			return parked;
	}
	return NULL;
}

/* Takes the first @count frames; those of another coroutine above them stay. NULL: no memory */
static struct frame *take_parked(struct parked *parked, size_t count)
{
	struct frame *frames = parked->frames, *rest;
	size_t left = parked->count - count;

	if (left <= 1) {
		*parked = (struct parked) { };
		return frames;
	}
	rest = reallocarray(NULL, left, sizeof(*rest));
	if (!rest)
		return NULL;
	memcpy(rest, frames + count, left * sizeof(*rest));
	*parked = (struct parked) { .frames = rest, .count = left };
	return frames;
}

bool calls_unpark(struct rvtrace_calls *calls, struct lane *lane, const struct step *step,
		  uint64_t address)
{
	const struct frame *top = calls_top(lane);
	struct frame *frames;
	struct parked *parked;
	size_t count;

	parked = find_parked(lane, address, &count);
	if (!parked)
		return false;
	frames = take_parked(parked, count);
	if (!frames) {
		calls->error = RVTRACE_ERR_NO_MEMORY;
		return true;
	}
	/* what called the switch waits for the coroutine now */
	frames[0].shown.return_address = top ? top->shown.return_address : 0;
	if (top)
		calls_leave(calls, lane, step, RVTRACE_CALL_SUSPENDED);
	for (size_t i = 0; i < count && !calls->error; i++) {
		calls_enter(calls, lane, step, (struct rvtrace_call_frame) {
			.function = frames[i].shown.function, .kind = frames[i].shown.kind,
			.start = frames[i].shown.start, .address = frames[i].shown.address,
			.return_address = frames[i].shown.return_address,
			.flags = RVTRACE_CALL_RESUMED,
		});
		if (calls->error)
			break;
		calls_top(lane)->whole = frames[i].whole;
		calls_top(lane)->starts = frames[i].starts;
		calls_top(lane)->unwinds = frames[i].unwinds;
	}
	free(frames);
	return true;
}
