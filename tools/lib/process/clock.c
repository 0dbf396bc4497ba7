// SPDX-License-Identifier: LGPL-2.1-or-later
/* Trace timestamps and CLOCK_MONOTONIC: see rvtrace/clock.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <rvtrace/clock.h>

#include "tools/lib/base/fail.h"
#include "tools/lib/base/time_bits.h"
#include "tools/lib/recording/recording_internal.h"

#define NEIGHBOURS	3	/* on each side, that a moment is judged by */
#define TOLERANCE_NS	10000.0	/* less is no contradiction */

struct moment {
	uint64_t ticks;
	uint64_t ns;
};

struct restart {
	uint64_t ns;
	uint64_t elapsed;	/* ticks when counters were 0, see rvtrace_clock_elapsed() */
};

struct rvtrace_clock {
	struct moment *moments;
	size_t count, room;
	struct restart *restarts;
	size_t restart_count;
	size_t settled;		/* the first ones, that later moments do not change */
	uint64_t newest;	/* ns of the last moment, be it left out or not */
	unsigned int bits;	/* of timestamps, 0: 64 */
	double ns_per_tick;	/* beyond the moments, 0: not known */
};

struct rvtrace_clock *rvtrace_clock_new(uint64_t hz, unsigned int bits)
{
	struct rvtrace_clock *clock = calloc(1, sizeof(*clock));

	if (!clock)
		return NULL;
	clock->bits = bits;
	if (hz)
		clock->ns_per_tick = 1e9 / hz;
	return clock;
}

void rvtrace_clock_free(struct rvtrace_clock *clock)
{
	if (!clock)
		return;
	free(clock->moments);
	free(clock->restarts);
	free(clock);
}

int rvtrace_clock_restart(struct rvtrace_clock *clock, uint64_t ns)
{
	void *restarts = realloc(clock->restarts,
				 (clock->restart_count + 1) * sizeof(*clock->restarts));

	if (!restarts)
		return -ENOMEM;
	clock->restarts = restarts;
	clock->restarts[clock->restart_count++] = (struct restart) { .ns = ns };
	return 0;
}

int rvtrace_clock_add(struct rvtrace_clock *clock, uint64_t ticks, uint64_t ns)
{
	if (clock->count == clock->room) {
		size_t room = clock->room ? 2 * clock->room : 64;
		void *moments = realloc(clock->moments, room * sizeof(*clock->moments));

		if (!moments)
			return -ENOMEM;
		clock->moments = moments;
		clock->room = room;
	}
	clock->moments[clock->count++] = (struct moment) { .ticks = ticks, .ns = ns };
	return 0;
}

/* Between how many restarts and the next one a moment is. */
static size_t part_of(const struct rvtrace_clock *clock, uint64_t ns)
{
	size_t low = 0, high = clock->restart_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (clock->restarts[middle].ns <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool same_part(const struct rvtrace_clock *clock, size_t i, size_t k)
{
	return part_of(clock, clock->moments[i].ns) == part_of(clock, clock->moments[k].ns);
}

static int by_time(const void *a, const void *b)
{
	const struct restart *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

static int by_ns(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	return x->ns != y->ns ? (x->ns > y->ns) - (x->ns < y->ns) :
				(x->ticks > y->ticks) - (x->ticks < y->ticks);
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_value);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static double slope(const struct moment *a, const struct moment *b)
{
	return (double)(int64_t)(b->ns - a->ns) / (double)(int64_t)(b->ticks - a->ticks);
}

/* The slopes between the halves of moments @first to @end; how many are appended to @slopes. */
static size_t slopes_of(const struct rvtrace_clock *clock, size_t first, size_t end,
			double *slopes)
{
	size_t half = (end - first) / 2, count = 0;

	for (size_t i = first; i < first + half; i++) {
		double s = slope(&clock->moments[i], &clock->moments[i + (end - first) - half]);

		if (isfinite(s) && s > 0)
			slopes[count++] = s;
	}
	return count;
}

/* The median: a few wrong moments do not matter. */
static int estimate_slope(struct rvtrace_clock *clock)
{
	size_t first = 0, count = 0;
	double *slopes = malloc(clock->count * sizeof(*slopes));

	if (!slopes)
		return -ENOMEM;
	for (size_t i = 1; i <= clock->count; i++) {
		if (i < clock->count && same_part(clock, i, first))
			continue;
		count += slopes_of(clock, first, i, slopes + count);
		first = i;
	}
	if (count)
		clock->ns_per_tick = median(slopes, count);
	free(slopes);
	return 0;
}

/* How far moment @i is from where moment @from and the frequency put it, in ns. */
static double distance(const struct rvtrace_clock *clock, size_t i, size_t from)
{
	const struct moment *a = &clock->moments[from], *b = &clock->moments[i];

	return (double)(int64_t)(b->ns - a->ns) -
	       clock->ns_per_tick * (double)(int64_t)(b->ticks - a->ticks);
}

/*
 * The neighbours on both sides agree on where a moment is, within their own disagreement; a
 * frequency that changes slowly is such a disagreement.
 */
static bool contradicts(const struct rvtrace_clock *clock, size_t i)
{
	size_t first = i > NEIGHBOURS ? i - NEIGHBOURS : 0, k, count = 0;
	double offsets[2 * NEIGHBOURS + 1], middle, spread;

	for (k = first; k < clock->count && k <= i + NEIGHBOURS; k++)
		if (same_part(clock, k, i))
			offsets[count++] = distance(clock, k, i);
	if (count < 4)
		return false;
	middle = median(offsets, count);
	for (k = 0; k < count; k++)
		offsets[k] = fabs(offsets[k] - middle);
	spread = median(offsets, count);
	return fabs(middle) > TOLERANCE_NS + 5 * spread;
}

/* How far the timestamp gets in @ns, if its frequency is known. */
static uint64_t advance(const struct rvtrace_clock *clock, uint64_t ns)
{
	double ticks = clock->ns_per_tick ? ns / clock->ns_per_tick : 0;

	return ticks < 0x1p63 ? (uint64_t)ticks : 0;
}

/* Timestamps that have begun again go on. */
static void unwrap(struct rvtrace_clock *clock)
{
	struct moment *m = clock->moments;
	size_t i, part, before = 0;

	for (i = 0; i < clock->count; i++, before = part) {
		part = part_of(clock, m[i].ns);
		if (part != before)
			m[i].ticks = restart_time(part, m[i].ticks, clock->bits);
		else if (i)
			m[i].ticks = nearest_time(m[i - 1].ticks +
						  advance(clock, m[i].ns - m[i - 1].ns),
						  m[i].ticks, part ? restart_bits(clock->bits) :
							      clock->bits);
	}
}

/* Where no moment is known behind a restart, it is one: the counter says 0. */
static int add_restarts(struct rvtrace_clock *clock)
{
	bool *known = calloc(clock->restart_count + 1, sizeof(*known));
	size_t i, part;
	int ret = known ? 0 : -ENOMEM;

	qsort(clock->restarts, clock->restart_count, sizeof(*clock->restarts), by_time);
	for (i = 0; i < clock->count && known; i++)
		known[part_of(clock, clock->moments[i].ns)] = true;
	for (part = 1; part <= clock->restart_count && !ret; part++)
		if (!known[part])
			ret = rvtrace_clock_add(clock, 0, clock->restarts[part - 1].ns);
	free(known);
	return ret ? -ENOMEM : 0;
}

/* At the usual pace, from the last moment before each restart to where it said 0. */
static void find_elapsed(struct rvtrace_clock *clock)
{
	uint64_t elapsed = 0, before = 0, zero;
	size_t part, i = 0;

	for (part = 1; part <= clock->restart_count && rvtrace_clock_known(clock); part++) {
		for (; i < clock->count && clock->moments[i].ns < clock->restarts[part - 1].ns; i++) {
			elapsed = rvtrace_clock_elapsed(clock, clock->moments[i].ticks);
			before = clock->moments[i].ns;
		}
		zero = rvtrace_clock_ns(clock, restart_time(part, 0, 0));
		elapsed += advance(clock, zero - before);
		clock->restarts[part - 1].elapsed = elapsed;
		before = zero;
	}
}

int rvtrace_clock_settle(struct rvtrace_clock *clock)
{
	size_t i, kept = 0, all;
	bool *bad;

	if (clock->restart_count && add_restarts(clock))
		return -ENOMEM;
	all = clock->count;
	if (!all)
		return 0;
	qsort(clock->moments, all, sizeof(*clock->moments), by_ns);
	clock->newest = clock->moments[all - 1].ns;
	unwrap(clock);
	if (!clock->ns_per_tick && estimate_slope(clock))
		return -ENOMEM;
	bad = calloc(all, sizeof(*bad));
	if (!bad)
		return -ENOMEM;
	for (i = 0; i < all && clock->ns_per_tick; i++)
		bad[i] = contradicts(clock, i);
	for (i = 0; i < all; i++) {
		const struct moment *m = &clock->moments[i];
		const struct moment *last = kept ? &clock->moments[kept - 1] : NULL;

		if (bad[i] || (last && (m->ticks <= last->ticks || m->ns <= last->ns)))
			continue;
		clock->moments[kept++] = *m;
		if (i + NEIGHBOURS < all)
			clock->settled = kept;
	}
	free(bad);
	clock->count = kept;
	find_elapsed(clock);
	return all - kept;
}

bool rvtrace_clock_known(const struct rvtrace_clock *clock)
{
	return clock->count && clock->ns_per_tick;
}

uint64_t rvtrace_clock_settled(const struct rvtrace_clock *clock, uint64_t age)
{
	size_t i = clock->settled;

	if (!clock->count)
		return UINT64_MAX;
	while (i && clock->newest - clock->moments[i - 1].ns < age)
		i--;
	return i ? clock->moments[i - 1].ns : 0;
}

uint64_t rvtrace_clock_start(const struct rvtrace_clock *clock)
{
	return clock->count ? clock->moments[0].ticks : 0;
}

/* A point @delta from @base, at an end of the range if it is outside. */
static uint64_t offset_by(uint64_t base, double delta)
{
	if (delta < 0)
		return -delta >= (double)base ? 0 : base - (uint64_t)-delta;
	return delta >= (double)(UINT64_MAX - base) ? UINT64_MAX : base + (uint64_t)delta;
}

/* Index of the last moment that is not behind a value, or of the first one. */
static size_t last_before(const struct rvtrace_clock *clock, uint64_t value, bool ns)
{
	size_t low = 0, high = clock->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct moment *m = &clock->moments[middle];

		if ((ns ? m->ns : m->ticks) <= value)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : 0;
}

/* Index of the moment whose line to the next one, or beyond, is to be used: not over a restart. */
static size_t find(const struct rvtrace_clock *clock, uint64_t value, bool ns)
{
	size_t i = last_before(clock, value, ns), part;

	if (!clock->restart_count || i + 1 == clock->count)
		return i;
	part = ns ? part_of(clock, value) : value >> RESTART_BITS;
	return part == part_of(clock, clock->moments[i + 1].ns) && !same_part(clock, i, i + 1) ?
	       i + 1 : i;
}

static double slope_at(const struct rvtrace_clock *clock, size_t i, bool before)
{
	return before || i + 1 == clock->count || !same_part(clock, i, i + 1) ?
	       clock->ns_per_tick : slope(&clock->moments[i], &clock->moments[i + 1]);
}

uint64_t rvtrace_clock_ns(const struct rvtrace_clock *clock, uint64_t ticks)
{
	size_t i = find(clock, ticks, false);
	const struct moment *m = &clock->moments[i];
	bool before = ticks < m->ticks;
	double distance = before ? -(double)(m->ticks - ticks) : (double)(ticks - m->ticks);

	return offset_by(m->ns, distance * slope_at(clock, i, before));
}

uint64_t rvtrace_clock_ticks(const struct rvtrace_clock *clock, uint64_t ns)
{
	size_t i = find(clock, ns, true);
	const struct moment *m = &clock->moments[i];
	bool before = ns < m->ns;
	double distance = before ? -(double)(m->ns - ns) : (double)(ns - m->ns);
	uint64_t ticks;
	int step;

	if (ns == UINT64_MAX)
		return ns;
	ticks = offset_by(m->ticks, distance / slope_at(clock, i, before) - 2);
	/* what rounding has left: the other direction decides */
	for (step = 0; step < 5 && ticks < UINT64_MAX && rvtrace_clock_ns(clock, ticks) < ns; step++)
		ticks++;
	return ticks;
}

uint64_t rvtrace_clock_elapsed(const struct rvtrace_clock *clock, uint64_t ticks)
{
	uint64_t part = ticks >> RESTART_BITS;

	if (!part || part > clock->restart_count || !rvtrace_clock_known(clock))
		return ticks;
	return clock->restarts[part - 1].elapsed + (ticks - restart_time(part, 0, 0));
}

uint64_t rvtrace_clock_stamp(const struct rvtrace_clock *clock, uint64_t elapsed)
{
	size_t low = 0, high = rvtrace_clock_known(clock) ? clock->restart_count : 0;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (clock->restarts[middle].elapsed <= elapsed)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? restart_time(low, 0, 0) + (elapsed - clock->restarts[low - 1].elapsed) :
		     elapsed;
}

static int take_record(void *data, const struct rvtrace_record *record)
{
	const struct rvtrace_record_clock *moment = (const void *)record;

	if (record->type == RVTRACE_RECORD_RESTART)
		return rvtrace_clock_restart(data, record->time);
	return record->type == RVTRACE_RECORD_CLOCK ?
	       rvtrace_clock_add(data, moment->trace_time, record->time) : 0;
}

int rvtrace_clock_load(struct rvtrace_recording *recording, size_t sink,
		       struct rvtrace_clock **out, struct rvtrace_failure *error)
{
	struct rvtrace_clock *clock;
	int ret;

	clock = rvtrace_clock_new(rvtrace_recording_timestamp_hz(recording, sink),
				  rvtrace_recording_timestamp_bits(recording, sink));
	if (!clock)
		return fail(error, -ENOMEM, "clock", "out of memory");
	ret = recording_each_record(recording, sink, take_record, clock, error);
	if (!ret) {
		ret = rvtrace_clock_settle(clock);
		if (ret < 0)
			fail(error, ret, "clock", "out of memory");
	}
	if (ret < 0) {
		rvtrace_clock_free(clock);
		return ret;
	}
	*out = clock;
	return 0;
}
