// SPDX-License-Identifier: GPL-2.0
/* The comparison with the ground truth: what it accepts, and that it fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "selftests/compare-core.h"
#include "tools/machine/truth.h"

#define N	40000	/* instructions of a window, more than COMPARE_PROOF */
#define S	1
#define U	0

/* A window of N instructions, privilege S except where said, and its flow. */
struct fixture {
	uint64_t words[2 * N + 64];
	struct truth truth;
	uint64_t pcs[N];
	unsigned int privs[N];
	uint64_t flow[4 * N];
	size_t count;
	struct compare_result result;
	struct compare_rules rules;
	struct compare_tables tables;
	uint64_t told;		/* instructions without an image */
};

/* Loops of 50 instructions, run 10 times each, so that places look alike. */
static uint64_t pc_at(size_t i)
{
	return 0xffffffff80001000ULL + i / 500 * 1000 + i % 50 * 2;
}

static void add_word(struct fixture *f, uint64_t word)
{
	f->words[f->truth.count++] = word;
}

static void add_state_of(struct fixture *f, unsigned int priv, uint64_t satp)
{
	add_word(f, 1 | TRUTH_STATE << 1 | (uint64_t)priv << 8 | 7ULL << 32);
	add_word(f, 0x1234);	/* tp and satp may look like anything */
	add_word(f, satp);
}

static void add_state(struct fixture *f, unsigned int priv)
{
	add_state_of(f, priv, 0x8000000000000001ULL);
}

static void build_truth(struct fixture *f)
{
	unsigned int priv = 9;
	size_t i;

	f->truth.words = f->words;
	f->truth.count = 0;
	add_word(f, 1 | TRUTH_BEGIN << 1 | 1 << 8);
	for (i = 0; i < N; i++) {
		if (f->privs[i] != priv)
			add_state(f, f->privs[i]);
		priv = f->privs[i];
		add_word(f, f->pcs[i]);
	}
	add_word(f, 1 | TRUTH_END << 1 | 1 << 8);
}

static void add_item(struct fixture *f, uint64_t item)
{
	f->flow[f->count++] = item;
}

/* The flow of instructions @from to @to, markers included. */
static void add_flow(struct fixture *f, size_t from, size_t to)
{
	for (; from < to; from++) {
		if (!from)
			add_item(f, flow_event(FLOW_BEGIN, 0));
		if (from == N - 1)
			add_item(f, flow_event(FLOW_END, 0));
		add_item(f, flow_insn(f->pcs[from], f->privs[from]));
	}
}

/* The flow with @event instead of the instructions from @gap to @resume. */
static void add_flow_around(struct fixture *f, size_t gap, unsigned int event, size_t resume)
{
	add_flow(f, 0, gap);
	add_item(f, flow_event(event, 77));
	add_flow(f, resume, N);
}

static void reset_flow(struct fixture *f)
{
	f->count = 0;
	add_item(f, flow_insn(0x4000, U));	/* before the window */
	add_item(f, flow_insn(0x4004, U));
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	size_t i;

	for (i = 0; i < N; i++) {
		f->pcs[i] = pc_at(i);
		f->privs[i] = S;
	}
	f->pcs[0] = 0x10000;
	f->pcs[N - 1] = 0x10010;
	build_truth(f);
	reset_flow(f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	free(f->tables.roots);
	free(f);
	return 0;
}

/* Instructions 1000 to 1100 become a user's, at 0x5000. */
static void run_user_code(struct fixture *f)
{
	size_t i;

	for (i = 1000; i < 1100; i++) {
		f->privs[i] = U;
		f->pcs[i] = 0x5000 + 4 * (i % 10);
	}
	build_truth(f);
}

static bool compare(struct fixture *f)
{
	return compare_hart(&f->truth, f->flow, f->count, &f->rules, &f->result);
}

static void equal_sequences_pass(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, N);
	add_item(f, flow_insn(0x4000, U));	/* behind the window */
	assert_null(truth_check(&f->truth));
	assert_true(compare(f));
	assert_int_equal(f->result.decoded, N);
	assert_int_equal(f->result.truth, N);
	assert_int_equal(f->result.windows, 1);
}

static void unknown_privilege_passes(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, N);
	f->flow[1000] = flow_insn(flow_pc(f->flow[1000]), FLOW_PRIV_UNKNOWN);
	assert_true(compare(f));
}

static void a_wrong_privilege_fails(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, N);
	f->flow[1000] = flow_insn(flow_pc(f->flow[1000]), U);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);
	assert_string_equal(f->result.shown[0].what, "wrong privilege");
}

static void a_wrong_address_fails(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, N);
	f->flow[1000] ^= 2;
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);
	assert_int_equal(f->result.shown_count, 1);
	assert_int_equal(f->result.shown[0].item, 1000);
	assert_int_equal(f->result.unaccounted, 1);
	assert_int_equal(f->result.decoded, N - 1);
}

static void every_flipped_bit_fails(void **state)
{
	struct fixture *f = *state;
	unsigned int bit;

	add_flow(f, 0, N);
	for (bit = 1; bit < 62; bit++) {
		f->flow[2000] ^= 1ULL << bit;
		assert_false(compare(f));
		f->flow[2000] ^= 1ULL << bit;
	}
	assert_true(compare(f));
}

static void missing_instructions_fail(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, 1000);
	add_flow(f, 1003, N);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 3);
	assert_int_equal(f->result.unaccounted, 3);
}

static void extra_instructions_fail(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, 1000);
	add_item(f, flow_insn(0x7000, S));
	add_flow(f, 1000, N);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);
	assert_int_equal(f->result.unaccounted, 0);
	assert_int_equal(f->result.decoded, N);
}

static void a_missing_iteration_fails(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, 1000);
	add_flow(f, 1050, N);
	assert_false(compare(f));
}

static void an_early_end_fails(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, N - 1);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 0);
	assert_int_equal(f->result.unaccounted, 1);
}

static void a_missing_window_fails(void **state)
{
	struct fixture *f = *state;

	assert_false(compare(f));
	assert_int_equal(f->result.windows, 1);
	assert_int_equal(f->result.opened, 0);
	assert_int_equal(f->result.unaccounted, N);
	f->truth.count = 0;
	assert_false(compare(f));
}

static void user_code_without_image_is_skipped(void **state)
{
	struct fixture *f = *state;

	run_user_code(f);
	add_flow_around(f, 1000, FLOW_NO_IMAGE, 1100);
	assert_true(compare(f));
	assert_int_equal(f->result.no_image, 100);
	assert_int_equal(f->result.decoded, N - 100);
}

static void kernel_code_without_image_fails(void **state)
{
	struct fixture *f = *state;

	add_flow_around(f, 990, FLOW_NO_IMAGE, 1000);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 10);
}

static bool is_command(void *data, uint64_t pc, uint32_t scontext)
{
	return pc >= *(uint64_t *)data && scontext == 7;
}

static void code_of_the_command_without_image_fails(void **state)
{
	struct fixture *f = *state;
	uint64_t from = 0x5000;

	run_user_code(f);
	add_flow_around(f, 1000, FLOW_NO_IMAGE, 1100);
	f->rules = (struct compare_rules) { .must_know = is_command, .data = &from };
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);
	from = 0x6000;
	assert_true(compare(f));
}

static void a_stretch_that_was_not_executed_fails(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, 1000);
	add_item(f, flow_event(FLOW_NO_IMAGE, 77));
	add_item(f, flow_insn(0x9998, U));
	add_flow(f, 1000, N);
	assert_false(compare(f));
}

static void a_reported_loss_is_skipped(void **state)
{
	struct fixture *f = *state;
	size_t lost;

	for (lost = 0; lost < 1200; lost += 37) {
		reset_flow(f);
		add_flow_around(f, 1000, FLOW_LOST, 1000 + lost);
		assert_true(compare(f));
		assert_int_equal(f->result.lost, lost);
		assert_int_equal(f->result.decoded, N - lost);
		assert_int_equal(f->result.losses, 1);
	}
}

static void many_losses_are_skipped(void **state)
{
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i + 100 <= N; i += 100) {
		add_flow(f, i, i + 60);
		if (i + 100 < N)
			add_item(f, flow_event(FLOW_LOST, i));
	}
	add_flow(f, N - 40, N);
	assert_true(compare(f));
	assert_int_equal(f->result.decoded + f->result.lost, N);
	assert_true(f->result.decoded >= N / 100 * 60);
}

static void damage_after_a_loss_fails(void **state)
{
	struct fixture *f = *state;
	size_t i;

	for (i = 1; i < 1000; i += 111) {
		reset_flow(f);
		add_flow_around(f, 1000, FLOW_LOST, 2000);
		f->flow[2 + 1 + 1000 + 1 + i] ^= 0x10000;
		assert_false(compare(f));
		assert_true(f->result.mismatches);
	}
}

static void a_stretch_without_image_after_a_loss_is_skipped(void **state)
{
	struct fixture *f = *state;

	run_user_code(f);
	add_flow(f, 0, 700);
	add_item(f, flow_event(FLOW_LOST, 77));
	add_flow(f, 813, 1000);
	add_item(f, flow_event(FLOW_NO_IMAGE, 77));
	add_flow(f, 1100, N);
	assert_true(compare(f));
	assert_int_equal(f->result.no_image, 100);
	assert_int_equal(f->result.lost, 113);
}

static void markers_may_be_lost(void **state)
{
	struct fixture *f = *state;

	add_item(f, flow_event(FLOW_LOST, 77));
	add_flow(f, 100, N);
	assert_true(compare(f));
	assert_int_equal(f->result.lost, 100);

	reset_flow(f);
	add_flow(f, 0, N - 100);
	add_item(f, flow_event(FLOW_LOST, 77));
	add_item(f, flow_insn(0x4000, U));	/* behind the window */
	assert_true(compare(f));
	assert_int_equal(f->result.lost, 100);
}

static void add_lost(struct fixture *f)
{
	add_item(f, flow_event(FLOW_LOST, 77));
}

/* A loss and what was never executed in the window. */
static void add_homeless(struct fixture *f)
{
	add_lost(f);
	add_item(f, flow_insn(0x4000, U));
}

/* The trace ends a segment later than the window. */
static void a_segment_may_go_on_behind_the_window(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, 1000);
	add_lost(f);
	add_flow(f, N - 700, N);
	add_item(f, flow_insn(0x4000, U));
	add_homeless(f);
	assert_true(compare(f));
	assert_int_equal(f->result.decoded, 1700);
	assert_int_equal(f->result.lost, N - 1700);
}

/* Before a lost opening marker the same happens as late in the window. */
static void what_fits_by_accident_before_the_window_is_taken_back(void **state)
{
	struct fixture *f = *state;

	add_homeless(f);
	add_lost(f);
	add_flow(f, N - 300, N - 200);
	add_homeless(f);
	add_homeless(f);
	add_lost(f);
	add_flow(f, 100, N);
	assert_true(compare(f));
	assert_int_equal(f->result.lost, 100);
	assert_int_equal(f->result.decoded, N - 100);
}

/* The segment that fits nowhere behind the accident is looked for before it. */
static void what_fitted_by_accident_does_not_hide_the_next_segment(void **state)
{
	struct fixture *f = *state;

	add_lost(f);
	add_flow(f, N - 300, N - 200);
	add_lost(f);
	add_flow(f, 100, N);
	assert_true(compare(f));
	assert_int_equal(f->result.decoded, N - 100);
}

/* Behind a lost closing marker the same happens as early in what was lost. */
static void what_fits_by_accident_behind_the_window_is_taken_back(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, 1000);
	add_homeless(f);
	add_lost(f);
	add_flow(f, 2000, 2100);
	add_homeless(f);
	add_lost(f);
	add_flow(f, 3000, 3100);
	assert_true(compare(f));
	assert_int_equal(f->result.decoded, 1000);
	assert_int_equal(f->result.lost, N - 1000);
}

static void between_proven_segments_everything_must_fit(void **state)
{
	struct fixture *f = *state;
	const size_t proof = COMPARE_PROOF + 1;

	/* between a long one and the closing marker */
	add_lost(f);
	add_flow(f, 100, 100 + proof);
	add_homeless(f);
	add_lost(f);
	add_flow(f, N - 500, N);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);
	assert_int_equal(f->result.decoded, proof + 500);

	/* between two long ones, both markers lost */
	reset_flow(f);
	add_lost(f);
	add_flow(f, 100, 100 + proof);
	add_homeless(f);
	add_homeless(f);
	add_lost(f);
	add_flow(f, N - 100 - proof, N - 100);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 2);
	assert_int_equal(f->result.decoded, 2 * proof);

	/* between the opening marker and several that are long together */
	reset_flow(f);
	add_flow(f, 0, 1000);
	add_homeless(f);
	add_lost(f);
	add_flow(f, 2000, 2000 + COMPARE_PROOF / 2);
	add_lost(f);
	add_flow(f, 20000, 20001 + COMPARE_PROOF / 2);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);
}

static void nothing_proven_fails(void **state)
{
	struct fixture *f = *state;

	add_homeless(f);
	add_lost(f);
	add_flow(f, 2000, 2100);
	add_homeless(f);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 2);
	assert_int_equal(f->result.decoded, 0);
}

static void a_loss_of_everything_is_accounted_for(void **state)
{
	struct fixture *f = *state;

	add_flow(f, 0, 10);
	add_item(f, flow_event(FLOW_LOST, 77));
	assert_true(compare(f));
	assert_int_equal(f->result.lost, N - 10);
}

static void an_error_of_the_decoder_fails(void **state)
{
	struct fixture *f = *state;

	add_flow_around(f, 1000, FLOW_ERROR, 1010);
	assert_false(compare(f));
	assert_int_equal(f->result.unaccounted, 10);
	assert_int_equal(f->result.lost, 0);
}

static void user_code_at_jit_addresses_may_lack_an_image(void **state)
{
	const struct compare_range jit = { 0x5000, 0x5010 };
	struct fixture *f = *state;

	run_user_code(f);
	add_flow_around(f, 1000, FLOW_NO_IMAGE, 1100);
	f->rules = (struct compare_rules) { .jit = &jit, .jit_count = 1 };
	assert_true(compare(f));
	assert_int_equal(f->result.jit, 40);
	assert_int_equal(f->result.no_image, 60);
}

static void jit_code_of_the_command_may_lack_an_image(void **state)
{
	const struct compare_range jit = { 0x5000, 0x5024 };
	struct fixture *f = *state;
	uint64_t from = 0x5000;

	run_user_code(f);
	add_flow_around(f, 1000, FLOW_NO_IMAGE, 1100);
	f->rules = (struct compare_rules) {
		.must_know = is_command, .data = &from, .jit = &jit, .jit_count = 1,
	};
	assert_false(compare(f));	/* one of them lies behind */
	f->rules.jit = &(const struct compare_range) { 0x5000, 0x5028 };
	assert_true(compare(f));
	assert_int_equal(f->result.jit, 100);
}

static void count_told(void *data, const struct truth_step *step, uint64_t space)
{
	struct fixture *f = data;

	assert_int_equal(step->priv, U);
	assert_int_equal(space, 3);
	f->told++;
}

static void what_lacks_an_image_is_told(void **state)
{
	struct fixture *f = *state;

	run_user_code(f);
	add_flow(f, 0, 1000);
	add_item(f, flow_event(FLOW_SPACE, 3));
	add_item(f, flow_event(FLOW_NO_IMAGE, 77));
	add_flow(f, 1100, N);
	f->rules = (struct compare_rules) { .no_image = count_told, .data = f };
	assert_true(compare(f));
	assert_int_equal(f->told, 100);
}

static void machine_mode_may_be_filtered(void **state)
{
	struct fixture *f = *state;
	size_t i;

	for (i = 1000; i < 1100; i++)
		f->privs[i] = 3;
	build_truth(f);
	add_flow(f, 0, 1000);
	add_flow(f, 1100, N);
	assert_false(compare(f));
	f->truth.without = 1U << 3;
	assert_true(compare(f));
	assert_int_equal(f->result.truth, N - 100);

	/* What the filter should have kept out is a mismatch. */
	reset_flow(f);
	add_flow(f, 0, N);
	assert_false(compare(f));
}

#define RANGE	2000	/* instructions in a range of addresses that is traced, of two loops */
#define OUTSIDE	3000
#define TAIL	7	/* of the last block, which goes on behind it */

/* The markers are in the range as well; the last block runs on behind it. */
static void run_range(struct fixture *f)
{
	size_t i;

	f->pcs[0] = pc_at(RANGE);
	f->pcs[N - 1] = pc_at(OUTSIDE - 1);
	for (i = 0; i < TAIL; i++)
		f->pcs[OUTSIDE + i] = f->pcs[OUTSIDE - 1] + 2 * (i + 1);
	build_truth(f);
	f->truth.only = (struct compare_range) { pc_at(RANGE), pc_at(OUTSIDE - 1) + 2 };
}

static void trace_range(struct fixture *f, size_t from)
{
	reset_flow(f);
	add_flow(f, 0, 1);
	add_flow(f, from, OUTSIDE + TAIL);
	add_flow(f, N - 1, N);
}

static void addresses_may_be_filtered(void **state)
{
	const struct compare_range all = { 0 };
	struct fixture *f = *state;

	run_range(f);
	trace_range(f, RANGE);
	assert_true(compare(f));
	assert_int_equal(f->result.passed, N - 2 - (OUTSIDE - RANGE) - TAIL);
	f->truth.only = all;
	assert_false(compare(f));
	run_range(f);

	/* Something of the range is missing. */
	trace_range(f, RANGE + 1);
	assert_false(compare(f));

	/* What did not run, in the range and behind it */
	trace_range(f, RANGE);
	f->flow[100] += 4;
	assert_false(compare(f));
	f->flow[100] -= 4;
	assert_true(compare(f));
	f->flow[f->count - 4] += 1 << 16;
	assert_false(compare(f));
}

/* What ran outside, but did not end a block that began inside */
static void what_ran_outside_does_not_stand_for_what_is_missing(void **state)
{
	struct fixture *f = *state;

	run_range(f);
	reset_flow(f);
	add_flow(f, 0, 1);
	add_flow(f, RANGE, OUTSIDE + TAIL);
	add_flow(f, OUTSIDE + 500, OUTSIDE + 501);
	add_flow(f, N - 1, N);
	assert_false(compare(f));

	/* between blocks that look as if one went on there */
	reset_flow(f);
	add_flow(f, 0, 1);
	add_flow(f, RANGE, OUTSIDE + 1);
	add_flow(f, OUTSIDE + 2, OUTSIDE + TAIL);
	add_flow(f, N - 1, N);
	assert_false(compare(f));

	/* of another privilege */
	trace_range(f, RANGE);
	assert_true(compare(f));
	f->privs[OUTSIDE + TAIL - 1] = U;
	build_truth(f);
	trace_range(f, RANGE);
	assert_false(compare(f));
}

#define OTHER	1000	/* instructions of another context */
#define BACK	1300

/* The contexts do the same, so that the flow could go on with either. */
static void contexts_may_be_filtered(void **state)
{
	struct fixture *f = *state;
	size_t i;

	f->truth.count = 0;
	for (i = 0; i < N; i++) {
		if (i == 0)
			add_word(f, 1 | TRUTH_BEGIN << 1 | 1 << 8);
		if (i == 0 || i == OTHER || i == BACK) {
			add_word(f, 1 | TRUTH_STATE << 1 | S << 8 |
				    (i == OTHER ? 8ULL : 7ULL) << 32);
			add_word(f, 0);
			add_word(f, 0);
		}
		add_word(f, f->pcs[i]);
	}
	add_word(f, 1 | TRUTH_END << 1 | 1 << 8);
	add_flow(f, 0, OTHER);
	add_flow(f, BACK, N);
	assert_false(compare(f));
	f->truth.by_context = true;
	f->truth.scontext = 7;
	assert_true(compare(f));
	assert_int_equal(f->result.truth, N - (BACK - OTHER));
	assert_int_equal(f->result.decoded, N - (BACK - OTHER));

	/* What the filter should have kept out, or not */
	reset_flow(f);
	add_flow(f, 0, OTHER + 1);
	add_flow(f, BACK, N);
	assert_false(compare(f));
	reset_flow(f);
	add_flow(f, 0, OTHER);
	add_flow(f, BACK + 1, N);
	assert_false(compare(f));
	f->truth.scontext = 8;
	assert_false(compare(f));
}

#define PROGRAM_A	1000	/* two stretches of user code, of two processes */
#define PROGRAM_B	2000
#define LENGTH		100
#define SATP(asid, root)	(9ULL << 60 | (uint64_t)(asid) << 44 | (root))

/* The processes run at the same addresses; @satp of A, of the kernel after it, of B. */
static void run_processes(struct fixture *f, const uint64_t satp[3])
{
	size_t i;

	f->truth.count = 0;
	add_word(f, 1 | TRUTH_BEGIN << 1 | 1 << 8);
	for (i = 0; i < N; i++) {
		bool user = (i >= PROGRAM_A && i < PROGRAM_A + LENGTH) ||
			    (i >= PROGRAM_B && i < PROGRAM_B + LENGTH);

		if (user) {
			f->privs[i] = U;
			f->pcs[i] = 0x5000 + 4 * (i % 10);
		}
		if (i == 0 || i == PROGRAM_A)
			add_state_of(f, f->privs[i], satp[0]);
		else if (i == PROGRAM_A + LENGTH)
			add_state_of(f, S, satp[1]);
		else if (i == PROGRAM_B)
			add_state_of(f, U, satp[2]);
		else if (i == PROGRAM_B + LENGTH)
			add_state_of(f, S, satp[2]);
		add_word(f, f->pcs[i]);
	}
	add_word(f, 1 | TRUTH_END << 1 | 1 << 8);
}

/* Decoded as address spaces @a and @b. */
static void add_processes(struct fixture *f, uint64_t a, uint64_t b)
{
	reset_flow(f);
	add_flow(f, 0, PROGRAM_A);
	add_item(f, flow_event(FLOW_SPACE, a));
	add_flow(f, PROGRAM_A, PROGRAM_B);
	add_item(f, flow_event(FLOW_SPACE, b));
	add_flow(f, PROGRAM_B, N);
	free(f->tables.roots);
	f->tables = (struct compare_tables) { 0 };
	f->rules.tables = &f->tables;
}

static bool are_4_and_5(void *data, uint64_t a, uint64_t b)
{
	(void)data;
	return a == 4 && b == 5;
}

static void address_spaces_are_those_of_the_page_tables(void **state)
{
	static const uint64_t two[] = { SATP(1, 100), SATP(0, 7), SATP(2, 200) };
	static const uint64_t one[] = { SATP(1, 100), SATP(0, 7), SATP(2, 100) };
	static const uint64_t stays[] = { SATP(1, 100), SATP(1, 100), SATP(1, 100) };
	struct fixture *f = *state;

	run_processes(f, two);
	add_processes(f, 4, 70);
	assert_true(compare(f));
	assert_int_equal(f->result.placed, 2 * LENGTH);

	/* two processes as one */
	add_processes(f, 4, 4);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);

	/* not known */
	add_processes(f, 4, 0);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);

	/* the address space identifier is no identity */
	run_processes(f, one);
	add_processes(f, 4, 4);
	assert_true(compare(f));

	/* one process as two */
	run_processes(f, stays);
	add_processes(f, 4, 4);
	assert_true(compare(f));
	add_processes(f, 4, 5);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);

	/* unless one is a child that has its parent's memory */
	f->rules.shared = are_4_and_5;
	add_processes(f, 4, 5);
	assert_true(compare(f));
	add_processes(f, 4, 6);
	assert_false(compare(f));

	/* but two after each other may have the same page */
	run_processes(f, one);
	add_processes(f, 4, 5);
	assert_true(compare(f));
}

static void page_tables_are_known_from_hart_to_hart(void **state)
{
	static const uint64_t two[] = { SATP(1, 100), SATP(0, 7), SATP(2, 200) };
	struct fixture *f = *state;

	run_processes(f, two);
	add_processes(f, 4, 5);
	assert_true(compare(f));
	f->tables.roots[5] = 100;
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);
}

static int64_t pid_is_space_plus_100(void *data, uint64_t space)
{
	(void)data;
	return space + 100;
}

static void an_announced_process_must_be_the_decoded_one(void **state)
{
	static const uint64_t two[] = { SATP(1, 100), SATP(0, 7), SATP(2, 200) };
	struct fixture *f = *state;
	uint64_t pid;

	run_processes(f, two);
	f->rules.pid = pid_is_space_plus_100;
	for (pid = 103; pid <= 105; pid++) {
		add_processes(f, 4, 5);
		memmove(&f->flow[PROGRAM_A + 10], &f->flow[PROGRAM_A + 9],
			(f->count - PROGRAM_A - 9) * sizeof(f->flow[0]));
		f->count++;
		f->flow[PROGRAM_A + 9] = flow_event(FLOW_PID, pid);
		assert_int_equal(compare(f), pid == 104);
		assert_int_equal(f->result.announced, 1);
		assert_int_equal(f->result.mismatches, pid != 104);
	}
}

/* Before the window nothing is judged; after a loss, what is certain to be of it. */
static void address_spaces_are_judged_after_a_loss(void **state)
{
	static const uint64_t two[] = { SATP(1, 100), SATP(0, 7), SATP(2, 200) };
	struct fixture *f = *state;
	int b;

	run_processes(f, two);
	f->rules.tables = &f->tables;
	for (b = 4; b <= 5; b++) {
		reset_flow(f);
		add_flow(f, 0, PROGRAM_A);
		add_item(f, flow_event(FLOW_SPACE, 4));
		add_flow(f, PROGRAM_A, PROGRAM_A + LENGTH);
		add_item(f, flow_event(FLOW_LOST, 77));
		add_item(f, flow_event(FLOW_SPACE, b));
		add_flow(f, PROGRAM_B - 100, N);
		assert_int_equal(compare(f), b == 5);
		assert_int_equal(f->result.lost, PROGRAM_B - 200 - PROGRAM_A);
	}
}

static void damaged_truth_is_refused(void **state)
{
	struct fixture *f = *state;

	f->truth.count--;
	assert_non_null(truth_check(&f->truth));
	f->truth.count++;
	f->truth.words++;
	f->truth.count--;
	assert_non_null(truth_check(&f->truth));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(equal_sequences_pass),
		TEST(unknown_privilege_passes),
		TEST(a_wrong_privilege_fails),
		TEST(a_wrong_address_fails),
		TEST(every_flipped_bit_fails),
		TEST(missing_instructions_fail),
		TEST(extra_instructions_fail),
		TEST(a_missing_iteration_fails),
		TEST(an_early_end_fails),
		TEST(a_missing_window_fails),
		TEST(user_code_without_image_is_skipped),
		TEST(kernel_code_without_image_fails),
		TEST(code_of_the_command_without_image_fails),
		TEST(a_stretch_that_was_not_executed_fails),
		TEST(a_reported_loss_is_skipped),
		TEST(many_losses_are_skipped),
		TEST(damage_after_a_loss_fails),
		TEST(a_stretch_without_image_after_a_loss_is_skipped),
		TEST(markers_may_be_lost),
		TEST(a_segment_may_go_on_behind_the_window),
		TEST(what_fits_by_accident_before_the_window_is_taken_back),
		TEST(what_fitted_by_accident_does_not_hide_the_next_segment),
		TEST(what_fits_by_accident_behind_the_window_is_taken_back),
		TEST(between_proven_segments_everything_must_fit),
		TEST(nothing_proven_fails),
		TEST(a_loss_of_everything_is_accounted_for),
		TEST(an_error_of_the_decoder_fails),
		TEST(user_code_at_jit_addresses_may_lack_an_image),
		TEST(jit_code_of_the_command_may_lack_an_image),
		TEST(what_lacks_an_image_is_told),
		TEST(machine_mode_may_be_filtered),
		TEST(addresses_may_be_filtered),
		TEST(what_ran_outside_does_not_stand_for_what_is_missing),
		TEST(contexts_may_be_filtered),
		TEST(address_spaces_are_those_of_the_page_tables),
		TEST(page_tables_are_known_from_hart_to_hart),
		TEST(an_announced_process_must_be_the_decoded_one),
		TEST(address_spaces_are_judged_after_a_loss),
		TEST(damaged_truth_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
