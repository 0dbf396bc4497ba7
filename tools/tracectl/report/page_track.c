// SPDX-License-Identifier: GPL-2.0
/*
 * tracectl report --html: tracks.
 *
 * A tile has the begins and ends of slices, in order, in columns: names, times, instructions ... A
 * slice that is in several tiles is in the list of long ones, with all that is known of it.
 */
#include <errno.h>
#include <stdlib.h>

#include "page.h"

/* How the bounds of a time are written */
enum {
	BOUND_SAME,	/* as the last ones */
	BOUND_NEXT,	/* from the last latest one on */
	BOUND_EXACT,	/* both are the best */
	BOUND_OTHER,
	BOUND_UNKNOWN,	/* the time is unknown */
};

void track_init(struct track *track, enum track_kind kind, uint32_t owner)
{
	track->kind = kind;
	track->owner = owner;
}

void track_free(struct track *track)
{
	free(track->open);
	free(track->slices);
	for (size_t i = 0; i < sizeof(track->columns) / sizeof(*track->columns); i++)
		bytes_free(&track->columns[i]);
	bytes_free(&track->long_slices);
	for (int level = 0; level < LEVELS; level++) {
		free(track->tiles[level].list);
		for (unsigned int i = 0; i < track->pending_count[level]; i++)
			summary_free(track->pending[level][i]);
	}
}

int tiles_add(struct tiles *tiles, const struct tile *tile)
{
	int ret = page_grow(&tiles->list, &tiles->room, tiles->count, sizeof(*tile));

	if (!ret)
		tiles->list[tiles->count++] = *tile;
	return ret;
}

/* 0: unknown */
static void put_width(struct bytes *bytes, const struct moment *time)
{
	bytes_number(bytes, time->latest == INT64_MAX ? 0 :
			    (uint64_t)(time->latest - time->earliest) + 1);
}

void bytes_bound(struct bytes *bytes, const struct moment *last, const struct moment *time)
{
	if (!time->known) {
		bytes_byte(bytes, BOUND_UNKNOWN);
	} else if (time->earliest == time->best && time->latest == time->best) {
		bytes_byte(bytes, BOUND_EXACT);
	} else if (time->earliest == last->earliest && time->latest == last->latest) {
		bytes_byte(bytes, BOUND_SAME);
	} else if (time->earliest == last->latest) {
		bytes_byte(bytes, BOUND_NEXT);
		put_width(bytes, time);
	} else {
		bytes_byte(bytes, BOUND_OTHER);
		bytes_signed(bytes, time->earliest - last->earliest);
		put_width(bytes, time);
	}
}

/* An unknown time leaves the last bounds. */
void keep_bound(struct moment *last, const struct moment *time)
{
	struct moment before = *last;

	*last = *time;
	if (time->known)
		return;
	last->earliest = before.earliest;
	last->latest = before.latest;
}

/* The columns that every event has */
static int add_event(struct page *page, struct track *track, uint64_t name,
		     const struct point *at)
{
	struct bytes *columns = track->columns;

	if (!track->events) {
		track->start = track->last;
		track->base = track->depth;
		track->first = at->time.best;
		track->end = at->time.best;
	}
	bytes_number(&columns[COLUMN_NAME], name);
	bytes_signed(&columns[COLUMN_TIME], at->time.best - track->last.time.best);
	bytes_signed(&columns[COLUMN_COUNT], at->instructions - track->last.instructions);
	bytes_bound(&columns[COLUMN_BOUND], &track->last.time, &at->time);
	if (track->depth)
		track->open[track->depth - 1].own += at->instructions - track->last.instructions;
	if (at->time.best < track->first)
		track->first = at->time.best;
	if (at->time.best > track->end)
		track->end = at->time.best;
	keep_bound(&track->last.time, &at->time);
	track->last.instructions = at->instructions;
	track->events++;
	page->buffered++;
	return 0;
}

int track_enter(struct page *page, struct track *track, uint32_t name, const struct point *at)
{
	int ret = page_grow(&track->open, &track->open_room, track->depth, sizeof(*track->open));

	if (!ret)
		ret = add_event(page, track, name + 1ul, at);
	if (ret)
		return ret;
	track->open[track->depth++] = (struct open_slice){ .name = name, .enter = *at };
	if (track->depth > track->rows)
		track->rows = track->depth;
	return track->events < TILE_EVENTS ? 0 : track_cut(page, track, false);
}

static void put_span(struct bytes *bytes, const struct rvtrace_call_span *span)
{
	bytes_number(bytes, span->best);
	bytes_number(bytes, span->best - span->least);
	bytes_number(bytes, span->most - span->best);
}

static void put_ending(struct bytes *flags, struct bytes *more, const struct ending *ending)
{
	uint32_t all = ending->flags;

	if (ending->resting.most)
		all |= SLICE_RESTING;
	if (ending->interrupted.most)
		all |= SLICE_INTERRUPTED;
	if (ending->counted)
		all |= SLICE_COUNTED;
	bytes_number(flags, all);
	if (ending->resting.most)
		put_span(more, &ending->resting);
	if (ending->interrupted.most)
		put_span(more, &ending->interrupted);
	if (ending->counted) {
		bytes_number(more, ending->own);
		bytes_number(more, ending->instructions);
	}
}

/* Of the long ones, with nothing left to what is around. */
static void add_long(struct track *track, const struct open_slice *slice, const struct point *at,
		     const struct ending *ending)
{
	struct bytes *bytes = &track->long_slices;
	struct ending whole = *ending;
	static const struct moment zero;

	if (!whole.counted) {
		whole.counted = true;
		whole.own = slice->own;
		whole.instructions = at->instructions - slice->enter.instructions;
	}
	bytes_number(bytes, track->depth);
	bytes_number(bytes, slice->name);
	bytes_signed(bytes, slice->enter.time.best);
	bytes_bound(bytes, &zero, &slice->enter.time);
	bytes_signed(bytes, at->time.best);
	bytes_bound(bytes, &zero, &at->time);
	bytes_number(bytes, slice->enter.instructions);
	put_ending(bytes, bytes, &whole);
	track->long_count++;
}

static int add_slice(struct track *track, const struct open_slice *slice, int64_t last)
{
	int ret = page_grow(&track->slices, &track->slice_room, track->slice_count,
			    sizeof(*track->slices));

	if (!ret)
		track->slices[track->slice_count++] = (struct slice){
			.row = track->depth, .name = slice->name,
			.first = slice->enter.time.best, .last = last };
	return ret;
}

int track_leave(struct page *page, struct track *track, const struct point *at,
		const struct ending *ending)
{
	struct ending checked = *ending;
	struct open_slice *slice;
	int ret;

	if (!track->depth) {
		page->unnested++;
		return 0;
	}
	ret = add_event(page, track, 0, at);
	if (ret)
		return ret;
	slice = &track->open[--track->depth];
	checked.counted = ending->counted &&
			  (ending->own != slice->own ||
			   ending->instructions != at->instructions - slice->enter.instructions);
	if (slice->crosses) {
		add_long(track, slice, at, &checked);
	} else {
		put_ending(&track->columns[COLUMN_FLAGS], &track->columns[COLUMN_MORE], &checked);
		ret = add_slice(track, slice, at->time.best);
	}
	page->slices += track->kind == TRACK_CALLS;
	if (ret || track->events < TILE_EVENTS)
		return ret;
	return track_cut(page, track, false);
}

static int store_tile(struct page *page, struct track *track)
{
	struct tile tile = { .first = track->first, .last = track->end,
			     .slices = track->slice_count };
	struct bytes bytes = { };
	int ret;

	bytes_number(&bytes, track->events);
	bytes_number(&bytes, track->base);
	bytes_signed(&bytes, track->start.time.best);
	bytes_signed(&bytes, track->start.time.earliest);
	put_width(&bytes, &track->start.time);
	bytes_number(&bytes, track->start.instructions);
	for (int i = 0; i <= COLUMN_MORE; i++)
		bytes_number(&bytes, track->columns[i].size);
	for (int i = 0; i <= COLUMN_MORE; i++) {
		bytes.failed |= track->columns[i].failed;
		bytes_put(&bytes, track->columns[i].data, track->columns[i].size);
		track->columns[i].size = 0;
	}
	ret = page_store(page, &bytes, RANK_TILE, &tile.block);
	bytes_free(&bytes);
	return ret ? ret : tiles_add(&track->tiles[0], &tile);
}

int track_cut(struct page *page, struct track *track, bool last)
{
	int ret = 0;

	if (track->events) {
		for (size_t i = 0; i < track->depth; i++)
			track->open[i].crosses = true;
		ret = store_tile(page, track);
		/* what fits into one tile has no summary */
		if (!ret && !(last && track->tiles[0].count == 1))
			ret = summary_add_tile(page, track);
		page->buffered -= track->events;
		track->events = 0;
		track->slice_count = 0;
	}
	if (!ret && last && track->tiles[0].count > 1)
		ret = summary_finish(page, track);
	if (!ret && last && track->long_count)
		ret = page_store(page, &track->long_slices, RANK_SUMMARY, &track->long_block);
	return ret;
}
