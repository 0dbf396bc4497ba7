// SPDX-License-Identifier: GPL-2.0
/* tracectl export: from events of the call layer to what formats write. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export.h"

static uint64_t limited(uint64_t value, uint64_t least, uint64_t most)
{
	return value < least ? least : value > most ? most : value;
}

struct export_moment export_moment(const struct export *x, const struct rvtrace_call_time *time,
				   uint64_t after)
{
	struct export_moment moment = { after, after, after, false };

	if (time->best == RVTRACE_CALL_NO_TIME)
		return moment;
	moment.known = true;
	moment.best = view_time(x->view, time->best);
	if (moment.best < after)
		moment.best = after;
	moment.earliest = limited(view_time(x->view, time->earliest), 0, moment.best);
	moment.latest = EXPORT_OPEN;
	if (time->latest != RVTRACE_CALL_NO_TIME)
		moment.latest = limited(view_time(x->view, time->latest), moment.best,
					EXPORT_OPEN);
	return moment;
}

/* Without timestamps, each thread has its own instructions as a clock. */
static struct export_moment moment_of(const struct export *x, const struct export_lane *lane,
				      const struct rvtrace_call_event *event)
{
	uint64_t after = lane->timed ? lane->time : 0, count = event->instructions;

	if (x->unit)
		return export_moment(x, &event->time, after);
	if (count < after)
		count = after;
	return (struct export_moment) { count, count, count, true };
}

static struct export_lane *lane_of(struct export *x, uint32_t number)
{
	size_t room = x->lane_count;

	if (export_grow(&x->lanes, &room, number, sizeof(*x->lanes)))
		return NULL;
	x->lane_count = room;
	if (!x->lanes[number])
		x->lanes[number] = calloc(1, sizeof(**x->lanes));
	if (x->lanes[number])
		x->lanes[number]->number = number;
	return x->lanes[number];
}

/* What passed since the last event of the lane belongs to what executed there. */
static int pass(struct export *x, struct export_lane *lane, const struct export_moment *time)
{
	uint64_t elapsed = lane->timed ? time->best - lane->time : 0;
	int ret = 0;

	if (time->known || lane->timed) {
		lane->time = time->best;
		lane->timed = true;
	}
	if (lane->time > x->latest)
		x->latest = lane->time;
	if (!elapsed || (!lane->running && !lane->in_gap))
		return 0;
	if (x->format->pass)
		ret = x->format->pass(x, lane, elapsed);
	if (lane->depth && !lane->in_gap)
		lane->stack[lane->depth - 1].time += elapsed;
	return ret;
}

static int call(int (*function)(struct export *x, const struct export_step *step),
		struct export *x, const struct export_step *step)
{
	return function ? function(x, step) : 0;
}

static int end_gap(struct export *x, const struct export_step *step)
{
	int ret;

	if (!step->lane->in_gap)
		return 0;
	ret = call(x->format->gap_end, x, step);
	step->lane->in_gap = false;
	return ret;
}

static int enter(struct export *x, struct export_step *step)
{
	struct export_lane *lane = step->lane;
	const struct rvtrace_call_frame *frame = step->event->frame;
	uint32_t name = export_name(x, frame);

	if (!name || export_grow(&lane->stack, &lane->room, lane->depth, sizeof(*lane->stack)))
		return -ENOMEM;
	/* what enters functions runs */
	lane->running = true;
	step->frame = &lane->stack[lane->depth++];
	*step->frame = (struct export_frame) {
		.frame = *frame, .name = name, .is_call = view_is_call(frame),
		.entered = step->time,
	};
	return call(x->format->enter, x, step);
}

/* The innermost frame. */
static int leave_top(struct export *x, struct export_step *step)
{
	int ret;

	step->frame = &step->lane->stack[step->lane->depth - 1];
	ret = call(x->format->leave, x, step);
	step->lane->depth--;
	return ret;
}

/* What ends it is not shown: it is cut, and what it executed is not known. */
static int leave_unseen(struct export *x, const struct export_step *step)
{
	struct rvtrace_call_frame frame = step->lane->stack[step->lane->depth - 1].frame;
	struct rvtrace_call_event event = *step->event;
	struct export_step copy = *step;

	frame.flags |= RVTRACE_CALL_CUT;
	frame.left = event.time;
	event.frame = &frame;
	copy.event = &event;
	return leave_top(x, &copy);
}

/*
 * Events of a thread are nested; but where a thread is shown on some harts only, frames may be
 * entered and left elsewhere.
 */
static int leave(struct export *x, struct export_step *step)
{
	struct export_lane *lane = step->lane;
	size_t depth = lane->depth;
	int ret = 0;

	while (depth && lane->stack[depth - 1].frame.id != step->event->frame->id)
		depth--;
	if (!depth)
		return 0;
	while (lane->depth > depth && !ret)
		ret = leave_unseen(x, step);
	return ret ? ret : leave_top(x, step);
}

static int begin_gap(struct export *x, const struct export_step *step)
{
	struct export_lane *lane = step->lane;

	lane->in_gap = true;
	lane->gap_is_loss = view_is_loss(step->event->item);
	lane->gap = step->time.best;
	return call(x->format->gap, x, step);
}

/*
 * Every thread that runs may have done anything in it. Frames that ended in it are left when the
 * turn of their hart comes.
 */
static void hit_others(struct export *x, const struct export_step *step)
{
	x->loss = *step->event;
	x->loss_item = *step->event->item;
	x->loss.item = &x->loss_item;
	x->loss_number = x->losses;
	for (size_t i = 0; i < x->lane_count; i++) {
		struct export_lane *lane = x->lanes[i];

		if (!lane || lane == step->lane || !lane->running || lane->hit)
			continue;
		lane->hit = true;
		lane->hit_at = step->time.best > lane->time ? step->time.best : lane->time;
	}
}

/* The gap of a lane that was hit, once its frames are left: up to what comes now. */
static int begin_late_gap(struct export *x, struct export_lane *lane, uint64_t limit)
{
	uint64_t at = limited(lane->hit_at, lane->time, limit > lane->time ? limit : lane->time);
	struct export_step step = {
		.event = &x->loss, .lane = lane, .time = { at, at, at, x->loss.time.best !=
							   RVTRACE_CALL_NO_TIME },
	};
	int ret;

	lane->hit = false;
	if (lane->in_gap)
		return 0;
	ret = pass(x, lane, &step.time);
	return ret ? ret : begin_gap(x, &step);
}

static int gap(struct export *x, struct export_step *step)
{
	int ret;

	x->losses++;
	ret = call(x->format->loss, x, step);
	if (step->event->source == RVTRACE_SOURCE_ALL)
		hit_others(x, step);
	step->lane->hit = false;
	return ret ? ret : begin_gap(x, step);
}

static int run_or_rest(struct export *x, const struct export_step *step, bool runs)
{
	step->lane->running = runs;
	return call(runs ? x->format->run : x->format->rest, x, step);
}

static int take(struct export *x, struct export_step *step)
{
	int ret = 0;

	if (step->event->type != RVTRACE_CALL_ITEM)
		ret = end_gap(x, step);
	if (ret)
		return ret;
	switch (step->event->type) {
	case RVTRACE_CALL_ENTER:
		return enter(x, step);
	case RVTRACE_CALL_LEAVE:
		return leave(x, step);
	case RVTRACE_CALL_RUN:
		return run_or_rest(x, step, true);
	case RVTRACE_CALL_REST:
		return run_or_rest(x, step, false);
	case RVTRACE_CALL_GAP:
		return gap(x, step);
	default:
		return call(x->format->item, x, step);
	}
}

static bool is_cut(const struct rvtrace_call_event *event)
{
	return event->type == RVTRACE_CALL_LEAVE && event->frame->flags & RVTRACE_CALL_CUT;
}

static int export_event(struct view *view, const struct rvtrace_call_event *event)
{
	struct export *x = view->data;
	struct export_step step = { .event = event, .lane = lane_of(x, event->lane) };
	int ret = 0;

	if (!step.lane)
		return -ENOMEM;
	x->unit = view_unit(view);
	step.time = moment_of(x, step.lane, event);
	if (step.lane->hit && !is_cut(event) && event->type != RVTRACE_CALL_GAP)
		ret = begin_late_gap(x, step.lane, step.time.best);
	if (!ret)
		ret = pass(x, step.lane, &step.time);
	step.lane->instructions = event->instructions;
	return ret ? ret : take(x, &step);
}

static int export_begin(struct view *view)
{
	struct export *x = view->data;

	x->view = view;
	return x->format->begin ? x->format->begin(x) : 0;
}

/* What is still unknown at the end stays so. */
static int end_lane(struct export *x, struct export_lane *lane)
{
	const struct rvtrace_call_event none = {
		.type = RVTRACE_CALL_LEAVE, .lane = lane->number,
		.time = { RVTRACE_CALL_NO_TIME, RVTRACE_CALL_NO_TIME, RVTRACE_CALL_NO_TIME },
	};
	struct export_step step = { .lane = lane };
	int ret = lane->hit ? begin_late_gap(x, lane, x->latest) : 0;

	step.time = (struct export_moment) { lane->time, lane->time, lane->time, false };
	if (!ret)
		ret = end_gap(x, &step);
	step.event = &none;
	while (lane->depth && !ret)
		ret = leave_unseen(x, &step);
	return ret;
}

static int export_end(struct view *view)
{
	struct export *x = view->data;
	int ret = 0;

	for (size_t i = 0; i < x->lane_count && !ret; i++)
		if (x->lanes[i])
			ret = end_lane(x, x->lanes[i]);
	if (!ret && x->format->end)
		ret = x->format->end(x);
	return ret;
}

static void export_free(struct view *view)
{
	struct export *x = view->data;

	if (x->format->free)
		x->format->free(x);
	for (size_t i = 0; i < x->lane_count; i++) {
		if (!x->lanes[i])
			continue;
		free(x->lanes[i]->stack);
		free(x->lanes[i]->own);
		free(x->lanes[i]);
	}
	free(x->lanes);
	export_names_free(x);
}

const struct view_ops export_view = {
	.name = "export",
	.begin = export_begin, .event = export_event, .end = export_end, .free = export_free,
};

int export_temporary(const struct export *x)
{
	const char *folder = getenv("TMPDIR");
	char *copy = x->out->name ? strdup(x->out->name) : NULL;
	int fd = copy ? open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
	FILE *file;

	free(copy);
	if (fd < 0 && folder && *folder)
		fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	file = tmpfile();
	fd = file ? dup(fileno(file)) : -errno;
	if (file)
		fclose(file);
	return fd;
}
