// SPDX-License-Identifier: GPL-2.0
/* Where a segment of the flow lies in the truth: see compare-segment.h. */
#include "selftests/compare/compare-segment.h"

static size_t fill_pattern(struct comparison *c, const struct run *from)
{
	struct run ahead = *from;
	size_t length = 0, k = 0;
	uint64_t item;

	for (; length < COMPARE_PATTERN_MAX && compare_peek_insn(c, &ahead, &item); ahead.item++) {
		c->pattern[length++] = flow_pc(item);
		/* What follows the closing marker is not in the window. */
		if (flow_is_event(c->flow[ahead.item - 1]) &&
		    flow_kind(c->flow[ahead.item - 1]) == FLOW_END)
			break;
	}
	for (size_t i = 1; i < length; i++) {
		while (k && c->pattern[i] != c->pattern[k])
			k = c->fail[k - 1];
		if (c->pattern[i] == c->pattern[k])
			k++;
		c->fail[i] = k;
	}
	return length;
}

/*
 * The search is that of Knuth, Morris and Pratt for the instructions up to the first
 * event; places where the rest of the segment then differs are given up.
 */
bool compare_place_segment(struct comparison *c, struct run *run)
{
	struct truth_step step = run->step, start = run->step;
	uint64_t started = 0, read = 0;
	struct run candidate;
	size_t length, k = 0;
	enum run_end end;

	c->judging = false;
	c->fail[0] = 0;
	length = fill_pattern(c, run);
	if (!length)
		return false;
	while (truth_next(c->truth, &step)) {
		read++;
		while (k && step.pc != c->pattern[k])
			k = c->fail[k - 1];
		if (step.pc == c->pattern[k])
			k++;
		if (k < length)
			continue;
		for (; started < read - length; started++)
			truth_next(c->truth, &start);
		candidate = *run;
		compare_reset_counts(&candidate);
		candidate.step = start;
		candidate.matched = false;
		end = compare_run_segment(c, &candidate);
		if (end != RUN_DIFFERS && !candidate.mismatches) {
			run->step = start;
			return true;
		}
		k = c->fail[k - 1];
	}
	return false;
}
