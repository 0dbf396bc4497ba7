// SPDX-License-Identifier: GPL-2.0
/* Times of the call layer against the machine's clock: see judge.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "selftests/calls/judge.h"

/*
 * struct unit - of timestamps
 * @ticks: they count those of the machine, else the CSR `time`
 * @offset: added to them, it is the machine's
 * @least, @most: what @offset can be so that all times are inside
 * @ratio: ticks of the machine in one
 */
struct unit {
	bool ticks;
	int64_t offset;
	int64_t least;
	int64_t most;
	uint64_t ratio;
};

static uint64_t time_of(const struct unit *unit, const struct shadow_place *place)
{
	return unit->ticks ? place->ticks : place->time;
}

/* Calls @take with each moment of frames that both have. */
static void each(struct judge *judge, struct unit *unit,
		 void (*take)(struct judge *judge, struct unit *unit, uint32_t s, uint32_t l,
			      const struct shadow_place *place,
			      const struct rvtrace_call_time *time))
{
	uint32_t s;

	for (s = 0; s < judge->shadow->count; s++) {
		const struct shadow_frame *truth = &judge->shadow->frames[s];
		uint32_t l = judge->layer_of[s];
		const struct layer_frame *frame = &judge->layer->frames[l];

		if (l == LAYER_NONE)
			continue;
		take(judge, unit, s, l, &truth->entered, &frame->first.entered);
		if (truth->end != SHADOW_RETURNED || !frame->is_left ||
		    frame->last.flags & RVTRACE_CALL_CUT ||
		    align_index(&judge->harts[frame->left_source], frame->left_ordinal) !=
		    truth->left.index)
			continue;
		take(judge, unit, s, l, &truth->left, &frame->last.left);
	}
}

static bool is_known(const struct rvtrace_call_time *time)
{
	return time->best != RVTRACE_CALL_NO_TIME && time->latest != RVTRACE_CALL_NO_TIME &&
	       time->earliest;
}

/* The clock of an encoder begins when it is started: only one beginning fits all times. */
static void narrow(struct judge *judge, struct unit *unit, uint32_t s, uint32_t l,
		   const struct shadow_place *place, const struct rvtrace_call_time *time)
{
	int64_t least, most;

	(void)judge, (void)s, (void)l;
	if (!is_known(time))
		return;
	least = time_of(unit, place) - time->latest;
	most = time_of(unit, place) - time->earliest;
	if (least > unit->least)
		unit->least = least;
	if (most < unit->most)
		unit->most = most;
}

static void compare(struct judge *judge, struct unit *unit, uint32_t s, uint32_t l,
		    const struct shadow_place *place, const struct rvtrace_call_time *time)
{
	int64_t truth = time_of(unit, place) - unit->offset;

	if (!is_known(time)) {
		judge->no_time++;
		return;
	}
	judge->times++;
	if (truth >= (int64_t)time->earliest && truth <= (int64_t)time->latest &&
	    time->best >= time->earliest && time->best <= time->latest)
		return;
	if (judge->outside++ < judge->show)
		printf("time outside: truth %" PRId64 ", layer %" PRIu64 " (%" PRIu64 " to %"
		       PRIu64 "), frames %" PRIu32 " and %" PRIu64 ", hart %" PRIu32
		       " instruction %" PRIu64 "\n", truth, time->best, time->earliest,
		       time->latest, s, judge->layer->frames[l].first.id, place->hart,
		       place->index);
}

static void compare_span(struct judge *judge, const struct unit *unit, uint32_t s, uint32_t l)
{
	const struct shadow_frame *truth = &judge->shadow->frames[s];
	const struct layer_frame *frame = &judge->layer->frames[l];
	uint64_t took = truth->left.ticks - truth->entered.ticks;
	struct rvtrace_call_span span;

	if (truth->end != SHADOW_RETURNED || !frame->is_left || truth->suspended ||
	    frame->last.flags & RVTRACE_CALL_CUT)
		return;
	if (!rvtrace_call_span(&frame->first.entered, &frame->last.left, &span)) {
		judge->no_time++;
		return;
	}
	judge->spans++;
	if (took >= span.least * unit->ratio &&
	    (span.most > UINT64_MAX / unit->ratio || took <= span.most * unit->ratio))
		return;
	if (judge->outside++ < judge->show)
		printf("duration outside: truth %" PRIu64 " ticks, layer %" PRIu64 " (%" PRIu64
		       " to %" PRIu64 ") of %" PRIu64 " ticks, frames %" PRIu32 " and %" PRIu64
		       "\n", took, span.best, span.least, span.most, unit->ratio, s,
		       frame->first.id);
}

/* Ticks in a unit of the CSR `time` */
static uint64_t ratio_of(const struct shadow *shadow)
{
	const struct shadow_frame *first = &shadow->frames[0];
	const struct shadow_frame *last = &shadow->frames[shadow->count - 1];
	uint64_t ticks = last->entered.ticks - first->entered.ticks;
	uint64_t time = last->entered.time - first->entered.time;

	return time ? (ticks + time / 2) / time : 1;
}

void judge_times(struct judge *judge)
{
	struct unit unit = { .least = INT64_MIN, .most = INT64_MAX };
	uint32_t s;

	if (!judge->shadow->count)
		return;
	unit.ratio = ratio_of(judge->shadow);
	each(judge, &unit, narrow);
	if (unit.least == INT64_MIN) {
		printf("no frame has a time\n");
		return;
	}
	/* a clock of the encoder's own, or that of harts */
	if (unit.least > 1000000 || unit.most < -1000000) {
		unit = (struct unit) {
			.ticks = true, .ratio = 1, .least = INT64_MIN, .most = INT64_MAX,
		};
		each(judge, &unit, narrow);
		unit.offset = unit.least + (unit.most - unit.least) / 2;
	}
	printf("timestamps count %s, offset %" PRId64 " (%" PRId64 " to %" PRId64 ")\n",
	       unit.ticks ? "ticks" : "time", unit.offset, unit.least, unit.most);
	each(judge, &unit, compare);
	for (s = 0; s < judge->shadow->count; s++)
		if (judge->layer_of[s] != LAYER_NONE)
			compare_span(judge, &unit, s, judge->layer_of[s]);
}
