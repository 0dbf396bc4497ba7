// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Call layer: the time of steps. A message with a time tells that what it reports has executed by
 * then, and after the message before it.
 */
#include <stdlib.h>
#include <string.h>

#include "calls_internal.h"

#define WAITING	(1u << 16)	/* steps that wait for a later time */

/* Makes room at the end, by moving what is left to the front. */
static bool make_room(struct hart *hart)
{
	struct step *steps = hart->steps;
	size_t room = hart->room ? 2 * hart->room : 256;

	if (hart->end < hart->room)
		return true;
	if (hart->first > hart->room / 2) {
		memmove(steps, steps + hart->first, (hart->end - hart->first) * sizeof(*steps));
		hart->timed -= hart->first;
		hart->end -= hart->first;
		hart->first = 0;
		return true;
	}
	steps = reallocarray(steps, room, sizeof(*steps));
	if (!steps)
		return false;
	hart->steps = steps;
	hart->room = room;
	return true;
}

struct step *calls_step(struct hart *hart, enum step_type type,
			const struct rvtrace_flow_item *item)
{
	struct step *step;

	if (!make_room(hart))
		return NULL;
	step = &hart->steps[hart->end++];
	*step = (struct step) {
		.type = type,
		.priv = item->flags & RVTRACE_FLOW_HAS_PRIV ? item->priv : -1,
		.thread = hart->thread,
		.process = hart->process,
		.count = hart->count,
		.offset = item->offset,
	};
	return step;
}

/* @part of @all of @length. */
static uint64_t share(uint64_t length, uint64_t part, uint64_t all)
{
	return all ? (unsigned __int128)length * part / all : length;
}

/* Steps since the last mark were taken by @time. */
static void set_times(struct hart *hart, uint64_t time)
{
	uint64_t from = hart->has_mark ? hart->mark : time;
	uint64_t all = hart->count - hart->mark_count;

	for (; hart->timed < hart->end; hart->timed++) {
		struct step *step = &hart->steps[hart->timed];

		step->time = (struct rvtrace_call_time) {
			.best = from + share(time - from, step->count - hart->mark_count, all),
			.earliest = hart->has_mark ? hart->earliest : 0,
			.latest = time + 1,
		};
	}
}

/* No later time is known. */
static void give_up(struct hart *hart)
{
	uint64_t time = hart->has_mark ? hart->mark : RVTRACE_CALL_NO_TIME;

	for (; hart->timed < hart->end; hart->timed++)
		hart->steps[hart->timed].time = (struct rvtrace_call_time) {
			time, hart->has_mark ? hart->earliest : time, RVTRACE_CALL_NO_TIME,
		};
}

static void end_message(const struct rvtrace_calls *calls, struct hart *hart)
{
	uint64_t time = hart->message_time;

	if (time == RVTRACE_CALL_NO_TIME || (hart->has_mark && time <= hart->mark)) {
		if (!hart->has_mark || hart->end - hart->timed > WAITING)
			give_up(hart);
		return;
	}
	set_times(hart, time);
	hart->earliest = !calls->config.late ? time : hart->has_mark ? hart->mark : 0;
	hart->has_mark = true;
	hart->mark = time;
	hart->mark_count = hart->count;
}

void calls_mark(const struct rvtrace_calls *calls, struct hart *hart,
		const struct rvtrace_flow_item *item)
{
	if (hart->seen && item->offset == hart->offset)
		return;
	if (hart->seen)
		end_message(calls, hart);
	hart->offset = item->offset;
	hart->message_time = item->flags & RVTRACE_FLOW_HAS_TIME ? item->time :
			     RVTRACE_CALL_NO_TIME;
}

void calls_mark_end(const struct rvtrace_calls *calls, struct hart *hart)
{
	end_message(calls, hart);
	give_up(hart);
}
