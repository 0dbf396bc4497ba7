// SPDX-License-Identifier: GPL-2.0
/* The comparison with the ground truth: traces of which a part was lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare-fixture.h"

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

/* Tracing began in the window and ended in it, without a marker. */
static void where_all_is_inside_everything_must_fit(void **state)
{
	struct fixture *f = *state;

	f->rules.inside = true;
	f->count = 0;
	add_flow(f, 100, 1000);
	add_lost(f);
	add_flow(f, 2000, 3000);
	assert_true(compare(f));
	assert_int_equal(f->result.lost, N - 1900);
	add_homeless(f);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);

	f->count = 0;
	add_item(f, flow_insn(0x4000, U));
	add_lost(f);
	add_flow(f, 2000, 3000);
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);
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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, compare_setup, compare_teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_reported_loss_is_skipped),
		TEST(many_losses_are_skipped),
		TEST(damage_after_a_loss_fails),
		TEST(a_stretch_without_image_after_a_loss_is_skipped),
		TEST(markers_may_be_lost),
		TEST(a_segment_may_go_on_behind_the_window),
		TEST(what_fits_by_accident_before_the_window_is_taken_back),
		TEST(what_fitted_by_accident_does_not_hide_the_next_segment),
		TEST(what_fits_by_accident_behind_the_window_is_taken_back),
		TEST(where_all_is_inside_everything_must_fit),
		TEST(between_proven_segments_everything_must_fit),
		TEST(nothing_proven_fails),
		TEST(a_loss_of_everything_is_accounted_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
