// SPDX-License-Identifier: GPL-2.0
/* Comparison of a decoded flow with the ground truth: see compare-core.h. */
#include <stdlib.h>
#include <string.h>

#include "selftests/compare/compare-core.h"
#include "selftests/compare/compare-segment.h"

#define REPAIR_MAX	64	/* wrong instructions stepped over */
#define REPAIR_MATCH	16	/* equal ones that must follow */
#define MISMATCHES_MAX	1000	/* of one segment, before giving it up */

static void keep(struct comparison *c, const struct run *run)
{
	struct compare_result *r = c->result;

	r->decoded += run->decoded;
	r->no_image += run->no_image;
	r->jit += run->jit;
	r->passed += run->passed;
	r->placed += run->placed;
	r->threaded += run->threaded;
	r->unknown += run->unknown;
	r->announced += run->announced;
	r->gaps += run->gaps;
	r->stretches += run->stretches;
	r->mismatches += run->mismatches;
	if (run->mismatches && r->shown_count < COMPARE_SHOWN)
		r->shown[r->shown_count++] = run->first;
}

/* What comes next in the truth and in the flow. */
struct ahead {
	struct truth_step steps[REPAIR_MAX + REPAIR_MATCH];
	size_t step_count;
	size_t items[REPAIR_MAX + REPAIR_MATCH];
	uint64_t spaces[REPAIR_MAX + REPAIR_MATCH];
	uint64_t threads[REPAIR_MAX + REPAIR_MATCH];
	size_t item_count;
};

static void look_ahead(struct comparison *c, const struct run *from, struct ahead *ahead)
{
	struct run run = *from;
	uint64_t item;

	ahead->step_count = 0;
	ahead->item_count = 0;
	while (ahead->step_count < REPAIR_MAX + REPAIR_MATCH && truth_next(c->truth, &run.step))
		ahead->steps[ahead->step_count++] = run.step;
	while (ahead->item_count < REPAIR_MAX + REPAIR_MATCH && compare_peek_insn(c, &run, &item)) {
		ahead->spaces[ahead->item_count] = run.space;
		ahead->threads[ahead->item_count] = run.thread;
		ahead->items[ahead->item_count++] = run.item++;
	}
}

/* Whether enough is equal from this item and this step on; at an end of either, fewer must do. */
static bool fits(const struct comparison *c, const struct ahead *ahead, size_t item, size_t step)
{
	size_t k = 0;

	while (k < REPAIR_MATCH && item + k < ahead->item_count && step + k < ahead->step_count &&
	       compare_same(c->flow[ahead->items[item + k]], &ahead->steps[step + k]))
		k++;
	return k == REPAIR_MATCH ||
	       (k && (item + k == ahead->item_count || step + k == ahead->step_count));
}

/*
 * After a difference: the shortest way to step over wrong, missing or extra
 * instructions, so that one fault is counted as one.
 */
static bool repair(struct comparison *c, struct run *run)
{
	struct ahead ahead;
	size_t sum, i, j;

	look_ahead(c, run, &ahead);
	for (sum = 1; sum <= 2 * REPAIR_MAX; sum++)
		for (i = 0; i <= sum && i <= REPAIR_MAX; i++) {
			j = sum - i;
			if (j > REPAIR_MAX || !fits(c, &ahead, i, j))
				continue;
			run->mismatches += (i > j ? i : j) - 1;
			c->result->unaccounted += j;
			run->matched &= !j;
			if (j)
				run->step = ahead.steps[j - 1];
			run->item = ahead.items[i];
			run->space = ahead.spaces[i];
			run->thread = ahead.threads[i];
			return true;
		}
	return false;
}

/* A segment whose place in the truth is known, for certain or most likely. */
static enum run_end compare_segment(struct comparison *c, struct run *run, bool certain)
{
	uint64_t before = c->result->mismatches;
	bool repaired = true;
	enum run_end end;

	c->judging = certain;
	c->judged = false;
	c->judged_thread = false;
	c->unknown_left = COMPARE_UNKNOWN_MAX;
	run->matched = false;
	do {
		compare_reset_counts(run);
		end = compare_run_segment(c, run);
		if (end == RUN_DIFFERS)
			repaired = repair(c, run) &&
				   c->result->mismatches - before < MISMATCHES_MAX;
		keep(c, run);
	} while (end == RUN_DIFFERS && repaired);
	return end;
}

static size_t find_event(const struct comparison *c, size_t from, enum flow_event kind)
{
	while (from < c->count &&
	       !(flow_is_event(c->flow[from]) && flow_kind(c->flow[from]) == kind))
		from++;
	return from;
}

static bool is_break(uint64_t item)
{
	return flow_is_event(item) &&
	       (flow_kind(item) == FLOW_LOST || flow_kind(item) == FLOW_ERROR);
}

static size_t find_break(const struct comparison *c, size_t from)
{
	while (from < c->count && !is_break(c->flow[from]))
		from++;
	return from;
}

static uint64_t rest_of_window(const struct comparison *c, struct truth_step step)
{
	uint64_t count = 0;

	while (truth_next(c->truth, &step))
		count++;
	return count;
}

/* Segments of a window that fit nowhere, since the last one that did. */
struct homeless {
	uint64_t count;
	struct run first;
};

static void blame(struct comparison *c, struct homeless *homeless)
{
	if (!homeless->count)
		return;
	compare_reset_counts(&homeless->first);
	compare_note(&homeless->first, "what follows this loss is nowhere in the truth",
		     &homeless->first.step);
	homeless->first.mismatches = homeless->count;
	keep(c, &homeless->first);
	homeless->count = 0;
}

/*
 * Steps over breaks that follow each other; what the decoder does not know
 * right after a loss is lost as well. Returns whether all were losses.
 */
static bool skip_breaks(struct comparison *c, struct run *run)
{
	bool trusted = true;

	for (; run->item < c->count && flow_is_event(c->flow[run->item]); run->item++) {
		if (flow_kind(c->flow[run->item]) == FLOW_BEGIN)
			break;
		if (flow_kind(c->flow[run->item]) == FLOW_SPACE)
			run->space = flow_argument(c->flow[run->item]);
		else if (flow_kind(c->flow[run->item]) == FLOW_THREAD)
			run->thread = flow_argument(c->flow[run->item]);
		else
			run->offset = flow_argument(c->flow[run->item]);
		if (flow_kind(c->flow[run->item]) == FLOW_LOST) {
			c->result->losses++;
		} else if (flow_kind(c->flow[run->item]) == FLOW_ERROR) {
			compare_reset_counts(run);
			compare_note(run, "the decoder reports an error", &run->step);
			keep(c, run);
			trusted = false;
		}
	}
	return trusted;
}

/* The truth up to here is accounted for by what is known to be of the window. */
struct anchor {
	struct truth_step step;
	uint64_t decoded;
	uint64_t no_image;
	uint64_t jit;
	uint64_t gaps;
	uint64_t lost;
	uint64_t unaccounted;
	bool trusted;		/* nothing but reported losses since */
};

static struct anchor anchor_here(const struct comparison *c, const struct run *run, bool trusted)
{
	const struct compare_result *r = c->result;

	return (struct anchor) {
		.step = run->step, .decoded = r->decoded, .no_image = r->no_image,
		.jit = r->jit, .gaps = r->gaps, .lost = r->lost,
		.unaccounted = r->unaccounted, .trusted = trusted,
	};
}

static void back_to(struct comparison *c, struct run *run, const struct anchor *anchor)
{
	run->step = anchor->step;
	c->result->decoded = anchor->decoded;
	c->result->no_image = anchor->no_image;
	c->result->jit = anchor->jit;
	c->result->gaps = anchor->gaps;
	c->result->lost = anchor->lost;
	c->result->unaccounted = anchor->unaccounted;
}

static bool is_inside(const struct comparison *c)
{
	return c->rules && c->rules->inside;
}

/*
 * Everything from the break at @run->item to the end of the window. Segments
 * that fit nowhere may lie before the window, if its opening marker was lost,
 * or behind it, if its closing one was; in between they are mismatches. What
 * is in between is not said by any segment that fits: short ones, of an idle
 * hart, fit by accident. A stretch of segments that fit one after the other
 * is of the window if it has a marker or COMPARE_PROOF instructions; any other
 * is taken back when a segment that fits nowhere ends it.
 */
static void compare_after_break(struct comparison *c, struct run *run, bool opened, bool trusted)
{
	struct anchor anchor = anchor_here(c, run, trusted);
	struct homeless homeless = { 0 };
	enum run_end end;
	bool proven = opened, placed;
	uint64_t before;

	while (run->item < c->count) {
		trusted &= skip_breaks(c, run);
		anchor.trusted &= trusted;
		if (run->item == c->count)
			break;
		before = run->step.index;
		placed = compare_place_segment(c, run);
		if (!placed && !proven) {
			back_to(c, run, &anchor);
			before = run->step.index;
			placed = compare_place_segment(c, run);
		}
		if (!placed) {
			proven = false;
			if (!homeless.count++)
				homeless.first = *run;
			run->item = find_break(c, run->item);
			continue;
		}
		*(trusted ? &c->result->lost : &c->result->unaccounted) += run->step.index - before;
		end = compare_segment(c, run, proven);
		trusted = end == RUN_BREAK || (end == RUN_FLOW && is_inside(c));
		if (!proven && (end == RUN_WINDOW ||
				c->result->decoded - anchor.decoded >= COMPARE_PROOF)) {
			if (opened)
				blame(c, &homeless);
			homeless.count = 0;
			opened = proven = true;
		}
		if (end == RUN_WINDOW)
			return;
		if (proven)
			anchor = anchor_here(c, run, trusted);
		run->item = find_break(c, run->item);
	}
	if (homeless.count) {
		if (!proven) {
			back_to(c, run, &anchor);
			trusted = anchor.trusted;
		}
		if (!opened || is_inside(c) ||
		    find_event(c, homeless.first.item, FLOW_END) < c->count)
			blame(c, &homeless);
	}
	*(trusted ? &c->result->lost : &c->result->unaccounted) += rest_of_window(c, run->step);
}

/* Compares the window that starts after @step; returns where the flow stands. */
static size_t compare_window(struct comparison *c, struct truth_step step, size_t from)
{
	size_t begin = find_event(c, from, FLOW_BEGIN);
	struct run run = { .step = step, .item = begin };
	enum run_end end;

	if (is_inside(c)) {
		run.item = from;
		c->result->opened++;
		compare_after_break(c, &run, true, true);
		return run.item;
	}
	if (begin == c->count) {
		run.item = find_break(c, from);
		c->result->opened += run.item < c->count;
		compare_after_break(c, &run, false, run.item < c->count);
		return run.item;
	}
	c->result->opened++;
	end = compare_segment(c, &run, true);
	if (end != RUN_WINDOW) {
		run.item = find_break(c, run.item);
		compare_after_break(c, &run, true, end == RUN_BREAK);
	}
	return run.item;
}

bool compare_hart(const struct truth *truth, const uint64_t *flow, size_t count,
		  const struct compare_rules *rules, struct compare_result *result)
{
	struct comparison c = {
		.truth = truth, .flow = flow, .count = count, .rules = rules,
		.result = result,
		.pattern = malloc(COMPARE_PATTERN_MAX * sizeof(*c.pattern)),
		.fail = malloc(COMPARE_PATTERN_MAX * sizeof(*c.fail)),
	};
	struct truth_step step = { .index = -1 };
	size_t from = 0;

	memset(result, 0, sizeof(*result));
	if (!c.pattern || !c.fail) {
		result->shown[result->shown_count++].what = "out of memory";
		result->mismatches = 1;
		goto out;
	}
	while (step.next < truth->count) {
		struct truth_step start = step;
		uint64_t size = 0;

		start.index = -1;
		while (truth_next(truth, &step))
			size++;
		if (!size)
			continue;
		result->windows++;
		result->truth += size;
		from = compare_window(&c, start, from);
	}
out:
	compare_sizes_free(c.sizes);
	free(c.pattern);
	free(c.fail);
	return result->windows && result->opened == result->windows &&
	       !result->mismatches && !result->unaccounted &&
	       result->decoded + result->no_image + result->jit + result->passed +
	       result->gaps + result->lost == result->truth;
}
