// SPDX-License-Identifier: GPL-2.0
/* The comparison with the ground truth: stretches of unknown flow, which say how long they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare-fixture.h"

/* The flow of instructions @from to @to, of 2 bytes each. */
static void add_sized(struct fixture *f, size_t from, size_t to)
{
	size_t first = f->count;

	add_flow(f, from, to);
	for (; first < f->count; first++)
		if (!flow_is_event(f->flow[first]))
			f->flow[first] = flow_insn_of_size(flow_pc(f->flow[first]),
							   flow_priv(f->flow[first]), 2);
}

/* Instructions 1000 to 1100 are in a stretch that says it has @halfwords. */
static void add_around(struct fixture *f, uint64_t halfwords)
{
	reset_flow(f);
	add_sized(f, 0, 1000);
	add_item(f, flow_event(FLOW_GAP, halfwords));
	add_sized(f, 1100, N);
}

static void stretches_are_counted(void **state)
{
	struct fixture *f = *state;

	add_around(f, 100);
	assert_true(compare(f));
	assert_int_equal(f->result.gaps, 100);
	assert_int_equal(f->result.stretches, 1);
	assert_int_equal(f->result.decoded, N - 100);
	assert_int_equal(f->result.no_image, 0);
}

/* Loops have 50 half-words: a stretch of other iterations is as long as the one that executed. */
static void stretches_of_another_length_fail(void **state)
{
	static const uint64_t wrong[] = { 1, 49, 50, 51, 99, 101, 149, 150, 151, 10000 };
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		add_around(f, wrong[i]);
		assert_false(compare(f));
	}
}

static void stretches_end_behind_an_instruction(void **state)
{
	struct fixture *f = *state;
	size_t i;

	add_around(f, 99);
	for (i = 0; i < f->count; i++)	/* all of 4 bytes */
		if (!flow_is_event(f->flow[i]))
			f->flow[i] = flow_insn_of_size(flow_pc(f->flow[i]), S, 4);
	assert_false(compare(f));
	assert_string_equal(f->result.shown[0].what,
			    "a stretch of unknown flow is longer than it says");
}

/* Where nothing says how long an instruction is, a stretch ends where the flow goes on. */
static void unknown_sizes_leave_room(void **state)
{
	struct fixture *f = *state;
	size_t i;

	add_around(f, 101);
	for (i = 0; i < f->count; i++)
		if (!flow_is_event(f->flow[i]))
			f->flow[i] = flow_insn(flow_pc(f->flow[i]), flow_priv(f->flow[i]));
	assert_true(compare(f));
	assert_int_equal(f->result.gaps, 100);
	add_around(f, 1000);
	for (i = 0; i < f->count; i++)
		if (!flow_is_event(f->flow[i]))
			f->flow[i] = flow_insn(flow_pc(f->flow[i]), flow_priv(f->flow[i]));
	assert_false(compare(f));
}

static void what_follows_a_stretch_must_be_right(void **state)
{
	struct fixture *f = *state;

	add_around(f, 100);
	f->flow[2 + 1 + 1000 + 1] ^= 2;
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);
}

static void stretches_may_end_at_a_loss(void **state)
{
	struct fixture *f = *state;

	add_sized(f, 0, 1200);
	add_item(f, flow_event(FLOW_GAP, 100));
	add_item(f, flow_event(FLOW_LOST, 77));
	add_sized(f, 2000, N);
	assert_true(compare(f));
	assert_int_equal(f->result.gaps, 100);
	assert_int_equal(f->result.lost, 700);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, compare_setup, compare_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(stretches_are_counted),
		TEST(stretches_of_another_length_fail),
		TEST(stretches_end_behind_an_instruction),
		TEST(unknown_sizes_leave_room),
		TEST(what_follows_a_stretch_must_be_right),
		TEST(stretches_may_end_at_a_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
