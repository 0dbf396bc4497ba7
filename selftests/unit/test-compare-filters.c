// SPDX-License-Identifier: GPL-2.0
/* The comparison with the ground truth: traces of a part of what ran. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare-fixture.h"

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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, compare_setup, compare_teardown)
	const struct CMUnitTest tests[] = {
		TEST(machine_mode_may_be_filtered),
		TEST(addresses_may_be_filtered),
		TEST(what_ran_outside_does_not_stand_for_what_is_missing),
		TEST(contexts_may_be_filtered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
