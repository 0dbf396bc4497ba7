/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parts of the comparison of compare-core.h: runs over a segment of the flow, which is what
 * lies between two reported losses, and the search for where it belongs.
 */
#ifndef RVTRACE_COMPARE_SEGMENT_H
#define RVTRACE_COMPARE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "selftests/compare/compare-core.h"

#define COMPARE_PATTERN_MAX	32768	/* instructions looked for after a loss */
#define COMPARE_UNKNOWN_MAX	20000	/* of the kernel's behind a gap, of a thread not known */

struct compare_sizes;

/**
 * enum run_end - how a run over a segment ends
 * @RUN_WINDOW: the window is complete
 * @RUN_BREAK: a reported loss or an error of the decoder follows
 * @RUN_FLOW: the flow ends
 * @RUN_DIFFERS: the flow and the truth differ
 */
enum run_end {
	RUN_WINDOW,
	RUN_BREAK,
	RUN_FLOW,
	RUN_DIFFERS,
};

/**
 * struct comparison - the comparison of a hart
 * @truth: what retired
 * @flow: what was decoded
 * @count: items in @flow
 * @rules: what else is judged, or NULL
 * @result: numbers so far
 * @pattern: room for COMPARE_PATTERN_MAX addresses
 * @fail: room for as many lengths
 * @judging: the place is certain: not only addresses are judged
 * @space: the address space judged last
 * @satp_writes: how often satp had changed then
 * @judged: there was one
 * @thread: the thread judged last
 * @task: the task then
 * @task_changes: how often that had changed then
 * @judged_thread: there was one
 * @unknown_left: so many more of the kernel's instructions may be of no known thread
 * @unknown_changes: @task_changes at the first of them
 * @sizes: of instructions; NULL: not asked for yet
 */
struct comparison {
	const struct truth *truth;
	const uint64_t *flow;
	size_t count;
	const struct compare_rules *rules;
	struct compare_result *result;
	uint64_t *pattern;
	size_t *fail;
	bool judging;
	uint64_t space;
	uint64_t satp_writes;
	bool judged;
	uint64_t thread;
	uint64_t task;
	uint64_t task_changes;
	bool judged_thread;
	uint64_t unknown_left;
	uint64_t unknown_changes;
	struct compare_sizes *sizes;
};

/**
 * struct run - what one run over a segment found; added to the result when it is kept
 * @step: the last instruction consumed
 * @matched: by one of the flow
 * @item: next item of the flow
 * @offset: trace offset of the last item that has one
 * @space: address space of the last FLOW_SPACE
 * @thread: that of the last FLOW_THREAD
 * @decoded: as of struct compare_result all that follow
 * @no_image: so far
 * @jit: so far
 * @passed: so far
 * @placed: so far
 * @threaded: so far
 * @unknown: so far
 * @announced: so far
 * @gaps: so far
 * @stretches: so far
 * @mismatches: so far
 * @first: the first of them
 */
struct run {
	struct truth_step step;
	bool matched;
	size_t item;
	uint64_t offset;
	uint64_t space;
	uint64_t thread;
	uint64_t decoded;
	uint64_t no_image;
	uint64_t jit;
	uint64_t passed;
	uint64_t placed;
	uint64_t threaded;
	uint64_t unknown;
	uint64_t announced;
	uint64_t gaps;
	uint64_t stretches;
	uint64_t mismatches;
	struct compare_mismatch first;
};

/**
 * compare_reset_counts() - forget what a run found, but not where it stands
 * @run: the run
 */
void compare_reset_counts(struct run *run);

/**
 * compare_note() - count a mismatch, and keep the first one
 * @run: the run
 * @what: what is wrong
 * @step: where in the truth
 */
void compare_note(struct run *run, const char *what, const struct truth_step *step);

/**
 * compare_same() - whether an item is the instruction that retired
 * @item: of the flow, an instruction
 * @step: that of the truth
 *
 * Return: true if address and, as far as it is known, privilege are the same.
 */
bool compare_same(uint64_t item, const struct truth_step *step);

/**
 * compare_goes_on() - whether what executed is what the flow goes on with, as far as it says that
 * @c: the comparison
 * @run: the flow
 * @next: what executed
 */
bool compare_goes_on(struct comparison *c, const struct run *run, const struct truth_step *next);

/**
 * compare_peek_insn() - the next instruction of the flow, events that say nothing here skipped
 * @c: the comparison
 * @run: stands at the instruction or at what is there instead
 * @item: that item; unchanged at the end of the flow
 *
 * Return: true; false at the end of the flow and where something is missing.
 */
bool compare_peek_insn(struct comparison *c, struct run *run, uint64_t *item);

/**
 * compare_skip_gap() - step over what executed in a stretch of unknown flow
 * @c: the comparison
 * @run: stands at the stretch
 *
 * As many half-words as it says. The sizes of instructions are those that others had at the same
 * address. Where none was decoded, the size is not known: then the stretch may end where the flow
 * goes on.
 *
 * Return: false with a mismatch if no instruction ends there.
 */
bool compare_skip_gap(struct comparison *c, struct run *run);

/**
 * compare_sizes_free() - free the sizes of instructions
 * @table: they, or NULL
 */
void compare_sizes_free(struct compare_sizes *table);

/**
 * compare_run_segment() - compare from @run on as far as it goes
 * @c: the comparison
 * @run: where to begin; where it ended, and what was found
 *
 * Return: why it ended.
 */
enum run_end compare_run_segment(struct comparison *c, struct run *run);

/**
 * compare_place_segment() - find where a segment belongs
 * @c: the comparison; its place is not certain from here on
 * @run: stands at the segment; its step is set before the place
 *
 * Finds the first place at or after the step of @run where the segment of the flow
 * fits, up to the next reported loss. The first place is the right choice: it
 * leaves most of the truth to the segments after it.
 *
 * Return: true, or false with @run as it was when there is none.
 */
bool compare_place_segment(struct comparison *c, struct run *run);

#endif /* RVTRACE_COMPARE_SEGMENT_H */
