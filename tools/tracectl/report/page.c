// SPDX-License-Identifier: GPL-2.0
/* tracectl report --html: what the page shows, from events. */
#include <errno.h>
#include <stdlib.h>

#include "page.h"

/* Events in memory, of all tracks; beyond, tiles end early. */
#define BUFFERED_MAX	(4 * 1024 * 1024)
#define BUFFERED_SMALL	256

static struct moment at_end(struct page *page, const struct moment *moment)
{
	if (moment->best > page->end) {
		page->end = moment->best;
		page->end_doubt = moment_doubt(moment);
	}
	return *moment;
}

#define RATE_TICKS	1000000000

static void begin_times(struct page *page, uint64_t time)
{
	const struct trace_input *in = &page->view->decode->input;

	page->has_origin = true;
	page->origin = time;
	page->sink = in->sink;
	page->rate = (double)view_span(page->view, RATE_TICKS) / RATE_TICKS;
	page->base = view_time(page->view, time);
	page->shown = page->base - (input_knows_clock(in) ? in->start : 0);
}

/* Times of another sink may count from elsewhere. */
static void change_sink(struct page *page, uint64_t time)
{
	int64_t passed = view_time(page->view, time) - page->base;

	page->sink = page->view->decode->input.sink;
	page->shift = (int64_t)(passed / page->rate) - (int64_t)(time - page->origin);
}

static int64_t ticks_of(const struct page *page, uint64_t time)
{
	return (int64_t)(time - page->origin) + page->shift;
}

/* Of an unknown time, the last known one of where it is. */
static struct moment moment_of(struct page *page, const struct rvtrace_call_time *time,
			       uint64_t instructions, const struct moment *last)
{
	struct moment moment = { .known = true };

	if (page->counts) {
		moment.best = instructions;
		moment.earliest = moment.best;
		moment.latest = moment.best;
		return at_end(page, &moment);
	}
	if (time->best == RVTRACE_CALL_NO_TIME)
		return (struct moment){ .best = last->best, .earliest = last->earliest,
					.latest = last->latest };
	if (!page->has_origin)
		begin_times(page, time->best);
	else if (page->sink != page->view->decode->input.sink)
		change_sink(page, time->best);
	moment.best = ticks_of(page, time->best);
	moment.earliest = ticks_of(page, time->earliest);
	moment.latest = time->latest == RVTRACE_CALL_NO_TIME ? INT64_MAX :
			ticks_of(page, time->latest);
	return at_end(page, &moment);
}

static struct page_lane *lane_of(struct page *page, uint32_t number)
{
	struct page_lane *lane, **lanes;
	size_t more;

	if (number >= page->lane_count) {
		more = number < 512 ? 1024 : number * 2;
		lanes = realloc(page->lanes, more * sizeof(*lanes));
		if (!lanes)
			return NULL;
		memset(lanes + page->lane_count, 0, (more - page->lane_count) * sizeof(*lanes));
		page->lanes = lanes;
		page->lane_count = more;
	}
	lane = page->lanes[number];
	if (lane)
		return lane;
	lane = calloc(1, sizeof(*lane));
	if (!lane || page_node(page, 0, number, &lane->root)) {
		free(lane);
		return NULL;
	}
	track_init(&lane->calls, TRACK_CALLS, number);
	track_init(&lane->harts, TRACK_HARTS, number);
	page->lanes[number] = lane;
	return lane;
}

/* A few: the last one first. */
static struct page_source *source_of(struct page *page, uint32_t number)
{
	const struct trace_input *in = &page->view->decode->input;
	struct page_source *source;

	for (size_t i = page->source_count; i--;)
		if (page->sources[i].source == number && page->sources[i].sink == in->sink)
			return &page->sources[i];
	if (page_grow(&page->sources, &page->source_room, page->source_count, sizeof(*source)))
		return NULL;
	source = &page->sources[page->source_count++];
	*source = (struct page_source){ .sink = in->sink, .source = number,
					.hart = input_hart(in, number) };
	track_init(&source->lanes, TRACK_LANES, page->source_count - 1);
	return source;
}

/* Time and instructions since the last event are of what executed last. */
static void count_own(struct page *page, struct page_lane *lane, const struct point *at)
{
	const struct lane_frame *top = NULL;
	bool ran = lane->seen && !lane->resting;

	if (lane->calls.depth)
		top = &lane->frames[lane->calls.depth - 1];
	totals_own(page, top, top ? top->node : lane->root, ran ? &lane->last : NULL, &at->time,
		   at->instructions - lane->instructions);
	if (ran && lane->last.known && at->time.known)
		lane->ran += at->time.best - lane->last.best;
	lane->seen = true;
	lane->last = at->time;
	lane->instructions = at->instructions;
}

/* Stacks that are too many are counted for a frame below. */
static bool is_below(const struct page_lane *lane, size_t depth, uint32_t name)
{
	while (depth--)
		if (lane->frames[depth].name == name)
			return true;
	return false;
}

static int enter(struct page *page, struct page_lane *lane,
		 const struct rvtrace_call_frame *frame, const struct point *at)
{
	size_t depth = lane->calls.depth;
	uint32_t parent = depth ? lane->frames[depth - 1].node : lane->root;
	struct lane_frame *to;
	int ret = page_grow(&lane->frames, &lane->frame_room, depth, sizeof(*lane->frames));

	if (ret)
		return ret;
	to = &lane->frames[depth];
	to->id = frame->id;
	ret = page_name(page, frame, &to->name);
	if (!ret)
		ret = page_node(page, parent, to->name, &to->node);
	if (ret)
		return ret;
	to->again = to->node == parent ? is_below(lane, depth, to->name) :
		    page->nodes[to->node].again;
	return track_enter(page, &lane->calls, to->name, at);
}

static int leave(struct page *page, uint32_t number, struct page_lane *lane,
		 const struct rvtrace_call_frame *frame, const struct point *at)
{
	struct track *track = &lane->calls;
	const struct lane_frame *top = track->depth ? &lane->frames[track->depth - 1] : NULL;
	struct ending ending = {
		.flags = frame->flags | (uint32_t)frame->kind << SLICE_KIND,
		.resting = frame->resting, .interrupted = frame->interrupted,
		.counted = true, .own = frame->own_instructions,
		.instructions = frame->instructions,
	};

	if (!top || top->id != frame->id) {
		page->unnested++;
		return 0;
	}
	lane->call_count++;
	totals_left(page, top, number, frame, &track->open[track->depth - 1].enter.time,
		    &at->time);
	return track_leave(page, track, at, &ending);
}

/* A track that has one slice at a time */
static int change(struct page *page, struct track *track, const struct point *at, bool begins,
		  uint32_t name)
{
	static const struct ending plain;
	struct point point = *at;
	int ret = 0;

	if (point.time.best < track->last.time.best && track->events)
		point.time.best = track->last.time.best;
	if (track->depth)
		ret = track_leave(page, track, &point, &plain);
	return ret || !begins ? ret : track_enter(page, track, name, &point);
}

static int run_or_rest(struct page *page, const struct rvtrace_call_event *event,
		       struct page_lane *lane, const struct point *at)
{
	struct page_source *source = source_of(page, event->source);
	bool runs = event->type == RVTRACE_CALL_RUN;
	struct point point = *at;
	int ret;

	if (!source)
		return -ENOMEM;
	lane->resting = !runs;
	lane->ran_doubt += moment_doubt(&at->time);
	ret = change(page, &lane->harts, at, runs, source - page->sources);
	point.instructions = event->source_instructions;
	if (page->counts)
		point.time = moment_of(page, &event->time, event->source_instructions, NULL);
	/* another one may have been first */
	if (ret || (!runs && source->running != event->lane))
		return ret;
	source->running = event->lane;
	return change(page, &source->lanes, &point, runs, event->lane);
}

static int end_gap(struct page *page, struct page_source *source, const struct moment *time)
{
	source->in_gap = false;
	if (time->known && time->best > source->gap.end)
		source->gap.end = time->best;
	return marks_add(page, &page->gaps, &source->gap);
}

/* What is known again of a source ends its gap. */
static int see_source(struct page *page, const struct rvtrace_call_event *event,
		      const struct moment *time)
{
	struct page_source *source = source_of(page, event->source);

	if (!source)
		return -ENOMEM;
	source->last.time = *time;
	source->last.instructions = event->source_instructions;
	return source->in_gap ? end_gap(page, source, time) : 0;
}

static void begin_gap(struct page_source *source, const struct mark *mark, bool loss)
{
	source->gaps++;
	source->losses += loss;
	/* the first reason counts */
	if (!source->in_gap)
		source->gap = *mark;
	source->in_gap = true;
}

static int gap(struct page *page, const struct rvtrace_call_event *event,
	       const struct moment *time)
{
	bool loss = view_is_loss(event->item), all = event->source == RVTRACE_SOURCE_ALL;
	struct mark mark = { .time = *time, .kind = event->item->type, .id = loss,
			     .thread = event->thread, .source = event->source };
	struct page_source *source;

	page->by_gap[event->item->type & 31]++;
	mark.end = time->latest == INT64_MAX ? time->best : time->latest;
	if (!all) {
		source = source_of(page, event->source);
		if (!source)
			return -ENOMEM;
		mark.source = source - page->sources;
		begin_gap(source, &mark, loss);
		return 0;
	}
	for (size_t i = 0; i < page->source_count; i++) {
		mark.source = i;
		if (page->sources[i].sink == page->view->decode->input.sink)
			begin_gap(&page->sources[i], &mark, loss);
	}
	return 0;
}

static int mark(struct page *page, const struct rvtrace_call_event *event,
		const struct moment *time)
{
	struct page_source *source = source_of(page, event->source);
	struct mark item = { .time = *time, .thread = event->thread };

	if (!source)
		return -ENOMEM;
	item.source = source - page->sources;
	mark_item(&item, event->item);
	return marks_add(page, &page->marks, &item);
}

/* Tiles of many threads, each with little */
static int cut_tiles(struct page *page)
{
	int ret = 0;

	for (size_t i = 0; i < page->lane_count && !ret; i++)
		if (page->lanes[i] && page->lanes[i]->calls.events >= BUFFERED_SMALL)
			ret = track_cut(page, &page->lanes[i]->calls, false);
	return ret;
}

static int use_event(struct page *page, const struct rvtrace_call_event *event)
{
	struct page_lane *lane;
	struct point at;
	int ret;

	if (event->type == RVTRACE_CALL_GAP && event->source == RVTRACE_SOURCE_ALL) {
		at.time = moment_of(page, &event->time, event->source_instructions,
				    &(struct moment){ });
		return gap(page, event, &at.time);
	}
	lane = lane_of(page, event->lane);
	if (!lane)
		return -ENOMEM;
	page->events++;
	at.time = moment_of(page, &event->time, event->instructions, &lane->last);
	at.instructions = event->instructions;
	if (event->type == RVTRACE_CALL_GAP)
		return gap(page, event, &at.time);
	ret = see_source(page, event, &at.time);
	if (ret)
		return ret;
	if (event->type == RVTRACE_CALL_ITEM)
		return mark(page, event, &at.time);
	count_own(page, lane, &at);
	if (event->type == RVTRACE_CALL_ENTER)
		ret = enter(page, lane, event->frame, &at);
	else if (event->type == RVTRACE_CALL_LEAVE)
		ret = leave(page, event->lane, lane, event->frame, &at);
	else
		ret = run_or_rest(page, event, lane, &at);
	if (!ret && page->buffered > BUFFERED_MAX)
		ret = cut_tiles(page);
	return ret;
}

static int hold_event(struct page *page, const struct rvtrace_call_event *event)
{
	int ret = page_grow(&page->held, &page->held_room, page->held_count,
			    sizeof(*page->held));
	struct held_event *held;

	if (ret)
		return ret;
	held = &page->held[page->held_count++];
	held->event = *event;
	if (event->frame)
		held->frame = *event->frame;
	if (event->item)
		held->item = *event->item;
	return 0;
}

static int use_held(struct page *page, bool counts)
{
	int ret = 0;

	page->decided = true;
	page->counts = counts;
	for (size_t i = 0; i < page->held_count && !ret; i++) {
		struct held_event *held = &page->held[i];

		if (held->event.frame)
			held->event.frame = &held->frame;
		if (held->event.item)
			held->event.item = &held->item;
		ret = use_event(page, &held->event);
	}
	free(page->held);
	page->held = NULL;
	return ret;
}

static int take_event(struct view *view, const struct rvtrace_call_event *event)
{
	struct page *page = view->data;
	bool timed = event->time.best != RVTRACE_CALL_NO_TIME;
	int ret = 0;

	if (page->decided)
		return use_event(page, event);
	if (!timed && page->held_count < HELD_EVENTS)
		return hold_event(page, event);
	ret = use_held(page, !timed);
	return ret ? ret : use_event(page, event);
}

static int begin(struct view *view)
{
	struct page *page = calloc(1, sizeof(*page));
	uint32_t root;

	if (!page)
		return -ENOMEM;
	view->data = page;
	page->view = view;
	page->spill = tmpfile();
	return page->spill ? page_node(page, 0, UINT32_MAX, &root) : -errno;
}

static int end_lane(struct page *page, struct page_lane *lane)
{
	struct point last = { .time = lane->last, .instructions = lane->instructions };
	int ret = change(page, &lane->harts, &last, false, 0);

	if (!ret)
		ret = track_cut(page, &lane->harts, true);
	return ret ? ret : track_cut(page, &lane->calls, true);
}

static int end(struct view *view)
{
	struct page *page = view->data;
	int ret = page->decided ? 0 : use_held(page, true);

	for (size_t i = 0; i < page->lane_count && !ret; i++)
		if (page->lanes[i])
			ret = end_lane(page, page->lanes[i]);
	for (size_t i = 0; i < page->source_count && !ret; i++) {
		struct page_source *source = &page->sources[i];

		if (source->in_gap)
			ret = end_gap(page, source, &source->gap.time);
		if (!ret)
			ret = change(page, &source->lanes, &source->last, false, 0);
		if (!ret)
			ret = track_cut(page, &source->lanes, true);
	}
	if (!ret)
		ret = marks_end(page, &page->marks);
	if (!ret)
		ret = marks_end(page, &page->gaps);
	return ret ? ret : page_write(page);
}

static void free_page(struct view *view)
{
	struct page *page = view->data;

	if (!page)
		return;
	for (size_t i = 0; i < page->lane_count; i++) {
		if (!page->lanes[i])
			continue;
		track_free(&page->lanes[i]->calls);
		track_free(&page->lanes[i]->harts);
		free(page->lanes[i]->frames);
		free(page->lanes[i]);
	}
	for (size_t i = 0; i < page->source_count; i++)
		track_free(&page->sources[i].lanes);
	free(page->held);
	free(page->lanes);
	free(page->sources);
	marks_free(&page->marks);
	marks_free(&page->gaps);
	totals_free(page);
	bytes_free(&page->packed);
	free(page->blocks);
	free(page->cells);
	if (page->spill)
		fclose(page->spill);
	free(page);
	view->data = NULL;
}

const struct view_ops page_view = {
	.name = "html",
	.begin = begin,
	.event = take_event,
	.end = end,
	.free = free_page,
};
