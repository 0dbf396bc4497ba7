// SPDX-License-Identifier: LGPL-2.1-or-later
/* Durations between pairs of events: see rvtrace/event_pair.h. */
#include <stdlib.h>
#include <string.h>

#include <rvtrace/event_pair.h>

#define BUCKETS	4096	/* a power of two */
#define NONE	UINT32_MAX

/* What is under way; @next: of the same bucket, that which began before. */
struct open_pair {
	uint64_t scope;
	uint64_t value;
	uint64_t time;
	uint32_t next;
};

/*
 * @list: what is under way and, from @free on, places for more
 * @durations: @stats.count of them
 */
struct rvtrace_event_pair {
	struct open_pair *list;
	size_t room;
	uint32_t free;
	uint32_t buckets[BUCKETS];
	uint64_t *durations;
	size_t duration_room;
	bool sorted;
	struct rvtrace_event_pair_stats stats;
};

static void empty(struct rvtrace_event_pair *pair)
{
	size_t i;

	memset(pair->buckets, 0xff, sizeof(pair->buckets));
	for (i = 0; i < pair->room; i++)
		pair->list[i].next = i + 1 < pair->room ? i + 1 : NONE;
	pair->free = pair->room ? 0 : NONE;
	pair->stats.open = 0;
}

struct rvtrace_event_pair *rvtrace_event_pair_new(void)
{
	struct rvtrace_event_pair *pair = calloc(1, sizeof(*pair));

	if (pair)
		empty(pair);
	return pair;
}

void rvtrace_event_pair_free(struct rvtrace_event_pair *pair)
{
	if (!pair)
		return;
	free(pair->list);
	free(pair->durations);
	free(pair);
}

static uint32_t *bucket_of(struct rvtrace_event_pair *pair, uint64_t scope, uint64_t value)
{
	uint64_t mixed = (value ^ scope * 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;

	return &pair->buckets[mixed >> 52 & (BUCKETS - 1)];
}

static int grow(struct rvtrace_event_pair *pair)
{
	size_t room = pair->room ? 2 * pair->room : 64, i;
	struct open_pair *list;

	if (room > RVTRACE_EVENT_PAIRS_MAX)
		return RVTRACE_ERR_BUSY;
	list = reallocarray(pair->list, room, sizeof(*list));
	if (!list)
		return RVTRACE_ERR_NO_MEMORY;
	for (i = pair->room; i < room; i++)
		list[i].next = i + 1 < room ? i + 1 : NONE;
	pair->list = list;
	pair->free = pair->room;
	pair->room = room;
	return 0;
}

int rvtrace_event_pair_begin(struct rvtrace_event_pair *pair, uint64_t scope, uint64_t value,
			     uint64_t time)
{
	uint32_t *bucket = bucket_of(pair, scope, value), place;
	int ret = pair->free == NONE ? grow(pair) : 0;

	if (ret)
		return ret;
	place = pair->free;
	pair->free = pair->list[place].next;
	pair->list[place] = (struct open_pair) {
		.scope = scope, .value = value, .time = time, .next = *bucket,
	};
	*bucket = place;
	pair->stats.open++;
	return 0;
}

static int keep_duration(struct rvtrace_event_pair *pair, uint64_t duration)
{
	if (pair->stats.count == pair->duration_room) {
		size_t room = pair->duration_room ? 2 * pair->duration_room : 64;
		uint64_t *durations = reallocarray(pair->durations, room, sizeof(*durations));

		if (!durations)
			return RVTRACE_ERR_NO_MEMORY;
		pair->durations = durations;
		pair->duration_room = room;
	}
	pair->durations[pair->stats.count++] = duration;
	pair->sorted = false;
	return 1;
}

int rvtrace_event_pair_end(struct rvtrace_event_pair *pair, uint64_t scope, uint64_t value,
			   uint64_t time, uint64_t *duration)
{
	uint32_t *link = bucket_of(pair, scope, value), place;
	uint64_t began;

	while (*link != NONE && (pair->list[*link].scope != scope ||
				 pair->list[*link].value != value))
		link = &pair->list[*link].next;
	if (*link == NONE) {
		pair->stats.ends++;
		return 0;
	}
	place = *link;
	began = pair->list[place].time;
	*link = pair->list[place].next;
	pair->list[place].next = pair->free;
	pair->free = place;
	pair->stats.open--;
	if (time < began) {
		pair->stats.backward++;
		return 0;
	}
	if (duration)
		*duration = time - began;
	return keep_duration(pair, time - began);
}

void rvtrace_event_pair_lost(struct rvtrace_event_pair *pair)
{
	if (!pair->stats.open)
		return;
	pair->stats.cut += pair->stats.open;
	empty(pair);
}

static int by_length(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The duration at @percent of 100. */
static uint64_t percentile(const struct rvtrace_event_pair *pair, unsigned int percent)
{
	uint64_t count = pair->stats.count;

	/* count * percent / 100, rounded up, without an overflow */
	return pair->durations[count / 100 * percent + (count % 100 * percent + 99) / 100 - 1];
}

void rvtrace_event_pair_stats(struct rvtrace_event_pair *pair,
			      struct rvtrace_event_pair_stats *stats)
{
	if (pair->stats.count && !pair->sorted) {
		qsort(pair->durations, pair->stats.count, sizeof(*pair->durations), by_length);
		pair->sorted = true;
	}
	*stats = pair->stats;
	if (!stats->count)
		return;
	stats->min = pair->durations[0];
	stats->median = percentile(pair, 50);
	stats->p99 = percentile(pair, 99);
	stats->max = pair->durations[stats->count - 1];
}
