// SPDX-License-Identifier: GPL-2.0
/*
 * tracectl report --html: what tiles look like from afar: for each row and bucket of time, the name
 * with the largest share, and how much of the time any slice takes.
 */
#include <errno.h>
#include <stdlib.h>

#include "page.h"

/* So that slices without a duration are seen as well, ticks. */
#define LEAST_WEIGHT	(1.0f / 16)

static double bucket_size(int64_t first, int64_t last)
{
	return last > first ? (double)(last - first) / BUCKETS : 1;
}

static unsigned int bucket_at(double offset, double size)
{
	double bucket = offset / size;

	return bucket < 0 ? 0 : bucket >= BUCKETS ? BUCKETS - 1 : bucket;
}

static int add_cell(struct page *page, size_t *count, uint32_t row, uint32_t bucket,
		    uint32_t name, float share, float total)
{
	int ret = page_grow(&page->cells, &page->cell_room, *count, sizeof(*page->cells));

	if (!ret)
		page->cells[(*count)++] = (struct cell){ .row = row, .bucket = bucket,
							 .name = name, .share = share,
							 .total = total };
	return ret;
}

static int order_cells(const void *left, const void *right)
{
	const struct cell *a = left, *b = right;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	if (a->bucket != b->bucket)
		return a->bucket < b->bucket ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

/* Those of one row and bucket become one. */
static size_t merge_cells(struct cell *cells, size_t count)
{
	size_t merged = 0;
	float share = 0;

	qsort(cells, count, sizeof(*cells), order_cells);
	for (size_t i = 0; i < count; i++) {
		struct cell *to = &cells[merged - !!merged];
		const struct cell *cell = &cells[i];

		if (!merged || to->row != cell->row || to->bucket != cell->bucket) {
			cells[merged++] = *cell;
			share = cell->share;
			continue;
		}
		share = i && cells[i - 1].name == cell->name ? share + cell->share : cell->share;
		if (share > to->share) {
			to->share = share;
			to->name = cell->name;
		}
		to->total += cell->total;
	}
	return merged;
}

void summary_free(struct summary *summary)
{
	if (!summary)
		return;
	free(summary->cells);
	free(summary);
}

static struct summary *summary_new(struct page *page, int64_t first, int64_t last, size_t count)
{
	struct summary *summary = calloc(1, sizeof(*summary));

	if (!summary)
		return NULL;
	summary->first = first;
	summary->last = last;
	summary->count = merge_cells(page->cells, count);
	summary->cells = malloc(summary->count * sizeof(*summary->cells) + 1);
	if (!summary->cells) {
		free(summary);
		return NULL;
	}
	if (summary->count)
		memcpy(summary->cells, page->cells, summary->count * sizeof(*summary->cells));
	return summary;
}

static int add_slice_cells(struct page *page, size_t *count, const struct track *track,
			   const struct slice *slice, double size)
{
	double first = slice->first - track->first, last = slice->last - track->first;
	unsigned int from = bucket_at(first, size), to = bucket_at(last, size);
	int ret = 0;

	for (unsigned int i = from; i <= to && !ret; i++) {
		double begin = i * size > first ? i * size : first;
		double end = (i + 1) * size < last ? (i + 1) * size : last;
		float weight = end - begin;

		if (weight < LEAST_WEIGHT) {
			if (i > from)
				break;
			weight = LEAST_WEIGHT;
		}
		ret = add_cell(page, count, slice->row, i, slice->name, weight, weight);
	}
	return ret;
}

static int store_summary(struct page *page, struct track *track, unsigned int level,
			 const struct summary *summary, uint32_t slices)
{
	double size = bucket_size(summary->first, summary->last);
	struct tile tile = { .first = summary->first, .last = summary->last, .slices = slices };
	struct bytes bytes = { };
	uint32_t last = 0;
	int ret;

	bytes_number(&bytes, summary->count);
	for (size_t i = 0; i < summary->count; i++) {
		const struct cell *cell = &summary->cells[i];
		uint32_t at = cell->row * BUCKETS + cell->bucket;

		bytes_number(&bytes, at - last);
		last = at;
	}
	for (size_t i = 0; i < summary->count; i++)
		bytes_number(&bytes, summary->cells[i].name);
	for (size_t i = 0; i < summary->count; i++) {
		double share = summary->cells[i].total / size * 15;

		/* sixteenths */
		bytes_byte(&bytes, share > 15 ? 15 : share);
	}
	ret = page_store(page, &bytes, level > 1 ? RANK_SUMMARY : RANK_TILE_SUMMARY, &tile.block);
	bytes_free(&bytes);
	return ret ? ret : tiles_add(&track->tiles[level], &tile);
}

/* Those that wait become one of the next level. */
static struct summary *merge_pending(struct page *page, struct track *track, unsigned int level)
{
	struct summary **list = track->pending[level];
	unsigned int count = track->pending_count[level];
	int64_t first = list[0]->first, last = list[0]->last;
	double size;
	size_t cells = 0;

	for (unsigned int i = 1; i < count; i++) {
		first = list[i]->first < first ? list[i]->first : first;
		last = list[i]->last > last ? list[i]->last : last;
	}
	size = bucket_size(first, last);
	for (unsigned int i = 0; i < count; i++) {
		double step = bucket_size(list[i]->first, list[i]->last);

		for (size_t k = 0; k < list[i]->count; k++) {
			const struct cell *cell = &list[i]->cells[k];
			double at = list[i]->first - first + (cell->bucket + 0.5) * step;

			if (add_cell(page, &cells, cell->row, bucket_at(at, size), cell->name,
				     cell->share, cell->total))
				return NULL;
		}
	}
	return summary_new(page, first, last, cells);
}

static int add_summary(struct page *page, struct track *track, unsigned int level,
		       struct summary *summary, uint32_t slices);

static int raise_pending(struct page *page, struct track *track, unsigned int level)
{
	const struct tiles *tiles = &track->tiles[level];
	struct summary *next = merge_pending(page, track, level);
	uint32_t slices = 0;

	if (!next)
		return -ENOMEM;
	for (unsigned int i = 0; i < track->pending_count[level]; i++) {
		slices += tiles->list[tiles->count - 1 - i].slices;
		summary_free(track->pending[level][i]);
	}
	track->pending_count[level] = 0;
	return add_summary(page, track, level + 1, next, slices);
}

static int add_summary(struct page *page, struct track *track, unsigned int level,
		       struct summary *summary, uint32_t slices)
{
	int ret = store_summary(page, track, level, summary, slices);

	if (ret || level == LEVELS - 1) {
		summary_free(summary);
		return ret;
	}
	track->pending[level][track->pending_count[level]++] = summary;
	return track->pending_count[level] < FAN ? 0 : raise_pending(page, track, level);
}

int summary_add_tile(struct page *page, struct track *track)
{
	double size = bucket_size(track->first, track->end);
	struct summary *summary;
	size_t cells = 0;
	int ret = 0;

	for (size_t i = 0; i < track->slice_count && !ret; i++)
		if (track->slices[i].row < SUMMARY_ROWS)
			ret = add_slice_cells(page, &cells, track, &track->slices[i], size);
	if (ret)
		return ret;
	summary = summary_new(page, track->first, track->end, cells);
	return summary ? add_summary(page, track, 1, summary, track->slice_count) : -ENOMEM;
}

int summary_finish(struct page *page, struct track *track)
{
	int ret = 0;

	/* until one tells of all */
	for (unsigned int level = 1; level < LEVELS - 1 && !ret; level++)
		if (track->pending_count[level] && track->tiles[level].count > 1)
			ret = raise_pending(page, track, level);
	return ret;
}
