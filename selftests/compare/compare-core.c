// SPDX-License-Identifier: GPL-2.0
/* Comparison of a decoded flow with the ground truth: see compare-core.h. */
#include <stdlib.h>
#include <string.h>

#include "selftests/compare/compare-core.h"
#include "selftests/compare/compare-segment.h"

#define REPAIR_MAX	64	/* wrong instructions stepped over */
#define REPAIR_MATCH	16	/* equal ones that must follow */
#define PRIVILEGED_MAX	65536	/* without image, before giving a segment up */
#define MISMATCHES_MAX	1000	/* of one segment, before giving it up */
#define UNKNOWN_MAX	20000	/* of the kernel's behind a gap, of a thread not known */

#define SATP_ROOT	((1ULL << 44) - 1)	/* PPN; the rest is MODE and ASID */

void compare_reset_counts(struct run *run)
{
	run->decoded = run->no_image = run->jit = 0;
	run->passed = run->placed = run->threaded = run->unknown = 0;
	run->announced = run->mismatches = 0;
}

static void note(struct run *run, const char *what, const struct truth_step *step)
{
	if (!run->mismatches++)
		run->first = (struct compare_mismatch) {
			.what = what, .index = step->index, .item = run->item,
			.offset = run->offset, .truth_pc = step->pc,
			.truth_priv = step->priv,
		};
}

/* The process that announced itself must be the one of the address space. */
static void judge_pid(struct comparison *c, struct run *run, int64_t pid)
{
	if (!c->judging || !c->rules || !c->rules->pid)
		return;
	run->announced++;
	if (c->rules->pid(c->rules->data, run->space) != pid)
		note(run, "another process than the one that ran", &run->step);
	else if (c->rules->threads && run->thread != (uint64_t)pid + 1)
		note(run, "another thread than the one that ran", &run->step);
}

static bool same_root(struct comparison *c, uint64_t space, uint64_t root)
{
	struct compare_tables *tables = c->rules->tables;
	size_t count;
	void *roots;

	if (space >= tables->count) {
		count = 2 * space + 64;
		roots = realloc(tables->roots, count * sizeof(*tables->roots));
		if (!roots)
			return false;
		tables->roots = roots;
		memset(tables->roots + tables->count, 0,
		       (count - tables->count) * sizeof(*tables->roots));
		tables->count = count;
	}
	if (!tables->roots[space])
		tables->roots[space] = root;
	return tables->roots[space] == root;
}

static bool shared(const struct comparison *c, uint64_t a, uint64_t b)
{
	return c->rules->shared && c->rules->shared(c->rules->data, a, b);
}

/* User code at @step was decoded as that of the run's address space. */
static void judge_space(struct comparison *c, struct run *run, const struct truth_step *step)
{
	bool stayed = c->judged && c->satp_writes == step->satp_writes;

	run->placed++;
	if (stayed && c->space == run->space)
		return;
	if (!run->space)
		note(run, "user code in an unknown address space", step);
	else if (stayed && !shared(c, c->space, run->space))
		note(run, "another address space, yet satp did not change", step);
	else if (!same_root(c, run->space, step->satp & SATP_ROOT))
		note(run, "an address space with another page table than before", step);
	c->judged = true;
	c->space = run->space;
	c->satp_writes = step->satp_writes;
}

static bool judges_thread(const struct comparison *c, const struct truth_step *step)
{
	if (!c->judging || !c->rules || !c->rules->threads)
		return false;
	return !step->priv || (step->priv == 1 && c->rules->kernel_threads);
}

/* Where something is missing, the kernel may have changed tasks before, or do so yet. */
static bool may_be_unknown(struct comparison *c, struct run *run, const struct truth_step *step)
{
	if (c->unknown_left == UNKNOWN_MAX)
		c->unknown_changes = step->task_changes;
	if (run->thread || step->priv != 1 || c->unknown_changes != step->task_changes)
		c->unknown_left = 0;
	if (!c->unknown_left)
		return false;
	c->unknown_left--;
	run->unknown++;
	return true;
}

/* The thread that executes another program takes the number of the first one of its process. */
static bool renumbered(const struct comparison *c, const struct run *run)
{
	return c->thread && c->rules->renumbered &&
	       c->rules->renumbered(c->rules->data, c->thread - 1, run->thread - 1);
}

/* The code at @step was decoded as that of the run's thread. */
static void judge_thread(struct comparison *c, struct run *run, const struct truth_step *step)
{
	bool stayed = c->judged_thread && c->task_changes == step->task_changes;

	if (may_be_unknown(c, run, step))
		return;
	run->threaded++;
	if (stayed && c->thread == run->thread)
		return;
	if (!run->thread)
		note(run, "code of an unknown thread", step);
	else if (stayed && !renumbered(c, run))
		note(run, "another thread, yet tp did not change", step);
	else if (c->judged_thread && c->thread == run->thread && c->task && c->task != step->task)
		note(run, "another task, yet the thread did not change", step);
	c->judged_thread = true;
	c->thread = run->thread;
	c->task = step->task;
	c->task_changes = step->task_changes;
}

bool compare_peek_insn(struct comparison *c, struct run *run, uint64_t *item)
{
	for (; run->item < c->count; run->item++) {
		*item = c->flow[run->item];
		if (!flow_is_event(*item))
			return true;
		switch (flow_kind(*item)) {
		case FLOW_OFFSET:
			run->offset = flow_argument(*item);
			break;
		case FLOW_SPACE:
			run->space = flow_argument(*item);
			break;
		case FLOW_THREAD:
			run->thread = flow_argument(*item);
			break;
		case FLOW_STOPPED:
			run->offset = flow_argument(*item);
			c->unknown_left = UNKNOWN_MAX;
			break;
		case FLOW_PID:
			judge_pid(c, run, flow_argument(*item));
			break;
		case FLOW_NO_IMAGE:
		case FLOW_LOST:
		case FLOW_ERROR:
			return false;
		default:
			break;
		}
	}
	return false;
}

static bool same(uint64_t item, const struct truth_step *step)
{
	return flow_pc(item) == step->pc &&
	       (flow_priv(item) == FLOW_PRIV_UNKNOWN || flow_priv(item) == step->priv);
}

/* What begins outside of the addresses that are traced is not. */
static bool is_outside(const struct truth *truth, uint64_t pc)
{
	return truth->only.end && (pc < truth->only.start || pc >= truth->only.end);
}

/*
 * The end of a block that began inside may be traced: what follows an instruction that
 * was. Anything else outside, though it be what the flow goes on with, is not that.
 */
static bool may_end_block(const struct run *run, const struct truth_step *step)
{
	uint64_t size = step->pc - run->step.pc;

	return run->matched && (size == 2 || size == 4) && step->priv == run->step.priv;
}

static bool in_jit(const struct comparison *c, uint64_t pc)
{
	size_t i;

	for (i = 0; c->rules && i < c->rules->jit_count; i++)
		if (pc >= c->rules->jit[i].start && pc < c->rules->jit[i].end)
			return true;
	return false;
}

static void count_no_image(struct comparison *c, struct run *run, const struct truth_step *step)
{
	if (!step->priv && in_jit(c, step->pc)) {
		run->jit++;
		return;
	}
	run->no_image++;
	if (c->judging && c->rules && c->rules->no_image)
		c->rules->no_image(c->rules->data, step, run->space);
}

/*
 * A stretch without an image ends at the next instruction the decoder knows.
 * Only user code of others may be inside.
 */
static bool skip_no_image(struct comparison *c, struct run *run)
{
	struct truth_step step = run->step;
	uint64_t item, privileged = 0;
	bool told = false;

	run->offset = flow_argument(c->flow[run->item++]);
	if (!compare_peek_insn(c, run, &item))
		return true;	/* whatever follows says what it is */
	while (truth_next(c->truth, &step)) {
		if (flow_pc(item) == step.pc)
			return true;
		if (step.priv != 0) {
			note(run, "not user code, yet without an image", &step);
			if (++privileged > PRIVILEGED_MAX)
				return false;
		} else if (!told && c->rules && c->rules->must_know && !in_jit(c, step.pc) &&
			   c->rules->must_know(c->rules->data, step.pc, step.scontext)) {
			note(run, "code of the traced command without an image", &step);
			told = true;
		}
		count_no_image(c, run, &step);
		run->step = step;
	}
	note(run, "the flow goes on where the window has ended", &step);
	return false;
}

enum run_end compare_run_segment(struct comparison *c, struct run *run)
{
	struct truth_step step = run->step;
	uint64_t item;

	for (;;) {
		if (!compare_peek_insn(c, run, &item)) {
			if (run->item >= c->count)
				return truth_next(c->truth, &step) ? RUN_FLOW : RUN_WINDOW;
			if (flow_kind(item) != FLOW_NO_IMAGE)
				return truth_next(c->truth, &step) ? RUN_BREAK : RUN_WINDOW;
			if (!skip_no_image(c, run))
				return RUN_DIFFERS;
			step = run->step;
			continue;
		}
		if (!truth_next(c->truth, &step))
			return RUN_WINDOW;
		if (is_outside(c->truth, step.pc) &&
		    !(same(item, &step) && may_end_block(run, &step))) {
			run->step = step;
			run->matched = false;
			run->passed++;
			continue;
		}
		if (!same(item, &step)) {
			note(run, flow_pc(item) == step.pc ? "wrong privilege" : "wrong address",
			     &step);
			return RUN_DIFFERS;
		}
		if (!step.priv && c->judging && c->rules && c->rules->tables)
			judge_space(c, run, &step);
		if (judges_thread(c, &step))
			judge_thread(c, run, &step);
		run->step = step;
		run->matched = true;
		run->item++;
		run->decoded++;
	}
}

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
	       same(c->flow[ahead->items[item + k]], &ahead->steps[step + k]))
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
	c->unknown_left = UNKNOWN_MAX;
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
	note(&homeless->first, "what follows this loss is nowhere in the truth",
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
			note(run, "the decoder reports an error", &run->step);
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
	uint64_t lost;
	uint64_t unaccounted;
	bool trusted;		/* nothing but reported losses since */
};

static struct anchor anchor_here(const struct comparison *c, const struct run *run, bool trusted)
{
	const struct compare_result *r = c->result;

	return (struct anchor) {
		.step = run->step, .decoded = r->decoded, .no_image = r->no_image,
		.jit = r->jit, .lost = r->lost, .unaccounted = r->unaccounted,
		.trusted = trusted,
	};
}

static void back_to(struct comparison *c, struct run *run, const struct anchor *anchor)
{
	run->step = anchor->step;
	c->result->decoded = anchor->decoded;
	c->result->no_image = anchor->no_image;
	c->result->jit = anchor->jit;
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
	free(c.pattern);
	free(c.fail);
	return result->windows && result->opened == result->windows &&
	       !result->mismatches && !result->unaccounted &&
	       result->decoded + result->no_image + result->jit + result->passed +
	       result->lost == result->truth;
}
