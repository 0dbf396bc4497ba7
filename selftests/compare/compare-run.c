// SPDX-License-Identifier: GPL-2.0
/* A run over a segment of the flow, instruction by instruction: see compare-segment.h. */
#include <stdlib.h>
#include <string.h>

#include "selftests/compare/compare-segment.h"

#define PRIVILEGED_MAX	65536	/* without image, before giving a segment up */

#define SATP_ROOT	((1ULL << 44) - 1)	/* PPN; the rest is MODE and ASID */

void compare_reset_counts(struct run *run)
{
	run->decoded = run->no_image = run->jit = 0;
	run->passed = run->placed = run->threaded = run->unknown = 0;
	run->announced = run->gaps = run->stretches = run->mismatches = 0;
}

void compare_note(struct run *run, const char *what, const struct truth_step *step)
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
		compare_note(run, "another process than the one that ran", &run->step);
	else if (c->rules->threads && run->thread != (uint64_t)pid + 1)
		compare_note(run, "another thread than the one that ran", &run->step);
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
		compare_note(run, "user code in an unknown address space", step);
	else if (stayed && !shared(c, c->space, run->space))
		compare_note(run, "another address space, yet satp did not change", step);
	else if (!same_root(c, run->space, step->satp & SATP_ROOT))
		compare_note(run, "an address space with another page table than before", step);
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
	if (c->unknown_left == COMPARE_UNKNOWN_MAX)
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
		compare_note(run, "code of an unknown thread", step);
	else if (stayed && !renumbered(c, run))
		compare_note(run, "another thread, yet tp did not change", step);
	else if (c->judged_thread && c->thread == run->thread && c->task && c->task != step->task)
		compare_note(run, "another task, yet the thread did not change", step);
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
			c->unknown_left = COMPARE_UNKNOWN_MAX;
			break;
		case FLOW_PID:
			judge_pid(c, run, flow_argument(*item));
			break;
		case FLOW_NO_IMAGE:
		case FLOW_GAP:
		case FLOW_LOST:
		case FLOW_ERROR:
			return false;
		default:
			break;
		}
	}
	return false;
}

bool compare_same(uint64_t item, const struct truth_step *step)
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
	bool told = false, jit = false, bare;

	run->offset = flow_argument(c->flow[run->item++]);
	if (!compare_peek_insn(c, run, &item))
		return true;	/* whatever follows says what it is */
	while (truth_next(c->truth, &step)) {
		if (flow_pc(item) == step.pc && (!jit || compare_goes_on(c, run, &step)))
			return true;
		jit |= in_jit(c, step.pc);
		if (jit && !step.priv && c->rules->unfollowed && !in_jit(c, step.pc)) {
			run->gaps++;
			run->step = step;
			continue;
		}
		bare = step.priv == 3 && c->rules && c->rules->no_firmware;
		if (step.priv != 0 && !bare) {
			compare_note(run, "not user code, yet without an image", &step);
			if (++privileged > PRIVILEGED_MAX)
				return false;
		} else if (!told && !bare && c->rules && c->rules->must_know && !in_jit(c, step.pc) &&
			   c->rules->must_know(c->rules->data, step.pc, step.scontext)) {
			compare_note(run, "code of the traced command without an image", &step);
			told = true;
		}
		count_no_image(c, run, &step);
		run->step = step;
	}
	compare_note(run, "the flow goes on where the window has ended", &step);
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
			if (flow_kind(item) != FLOW_NO_IMAGE && flow_kind(item) != FLOW_GAP)
				return truth_next(c->truth, &step) ? RUN_BREAK : RUN_WINDOW;
			if (!(flow_kind(item) == FLOW_GAP ? compare_skip_gap(c, run) :
							    skip_no_image(c, run)))
				return RUN_DIFFERS;
			step = run->step;
			continue;
		}
		if (!truth_next(c->truth, &step))
			return RUN_WINDOW;
		if (is_outside(c->truth, step.pc) &&
		    !(compare_same(item, &step) && may_end_block(run, &step))) {
			run->step = step;
			run->matched = false;
			run->passed++;
			continue;
		}
		if (!compare_same(item, &step)) {
			compare_note(run, flow_pc(item) == step.pc ? "wrong privilege" : "wrong address",
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
