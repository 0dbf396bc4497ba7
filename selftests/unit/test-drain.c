// SPDX-License-Identifier: GPL-2.0
/* Arithmetic of draining a ring. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "daemon/drain.h"

#define RING	4096
#define ALL	UINT64_MAX

static void check(struct drain_plan plan, uint64_t lost, uint64_t start, uint64_t length,
		  uint64_t offset, uint64_t first)
{
	assert_int_equal(plan.lost, lost);
	assert_int_equal(plan.start, start);
	assert_int_equal(plan.length, length);
	if (length) {
		assert_int_equal(plan.offset, offset);
		assert_int_equal(plan.first, first);
	}
}

static void nothing_new(void **state)
{
	(void)state;
	check(drain_plan(8192, 8192, 0, RING, ALL), 0, 8192, 0, 0, 0);
	check(drain_plan(8192, 8000, 0, RING, ALL), 0, 8192, 0, 0, 0);
}

static void one_piece(void **state)
{
	(void)state;
	check(drain_plan(8192, 8292, 8192, RING, ALL), 0, 8192, 100, 0, 100);
	check(drain_plan(8292, 12288, 8192, RING, ALL), 0, 8292, 3996, 100, 3996);
}

static void two_pieces_at_the_wrap(void **state)
{
	(void)state;
	check(drain_plan(12188, 12388, 8292, RING, ALL), 0, 12188, 200, 3996, 100);
	check(drain_plan(8193, 12289, 8193, RING, ALL), 0, 8193, RING, 1, RING - 1);
}

static void limit_cuts(void **state)
{
	(void)state;
	check(drain_plan(12188, 12388, 8292, RING, 50), 0, 12188, 50, 3996, 50);
	check(drain_plan(12188, 12388, 8292, RING, 150), 0, 12188, 150, 3996, 100);
}

static void overwritten_before_written_is_lost(void **state)
{
	(void)state;
	check(drain_plan(8192, 12300, 8204, RING, ALL), 12, 8204, 4096, 12, 4084);
	/* The driver knows of more than a lap would say. */
	check(drain_plan(8192, 8292, 8250, RING, ALL), 58, 8250, 42, 58, 42);
}

static void lapped_without_valid_from(void **state)
{
	(void)state;
	check(drain_plan(0, 3 * RING + 5, 0, RING, ALL), 2 * RING + 5, 2 * RING + 5, RING, 5,
	      RING - 5);
}

static void all_of_it_is_lost(void **state)
{
	(void)state;
	check(drain_plan(100, 200, 200, RING, ALL), 100, 200, 0, 0, 0);
	check(drain_plan(100, 200, 300, RING, ALL), 100, 200, 0, 0, 0);
}

static void positions_near_the_end_of_64_bits(void **state)
{
	uint64_t head = UINT64_MAX - 10;

	(void)state;
	check(drain_plan(head - 20, head, 0, RING, ALL), 0, head - 20, 20, (head - 20) % RING, 20);
}

static void overwritten_while_written(void **state)
{
	struct drain_plan plan = drain_plan(8192, 9192, 8192, RING, ALL);

	(void)state;
	assert_int_equal(drain_overwritten(&plan, 8192), 0);
	assert_int_equal(drain_overwritten(&plan, 0), 0);
	assert_int_equal(drain_overwritten(&plan, 8193), 1);
	assert_int_equal(drain_overwritten(&plan, 9192), 1000);
	assert_int_equal(drain_overwritten(&plan, 99999), 1000);
}

/* Whatever the numbers: every position is lost, written or left, once. */
static void random_steps_account_for_every_position(void **state)
{
	int i;

	(void)state;
	srand(1);
	for (i = 0; i < 200000; i++) {
		uint64_t size = 1 + rand() % 64, position = rand() % 500;
		uint64_t head = rand() % 1000, valid_from = rand() % 1000, limit = 1 + rand() % 80;
		struct drain_plan plan = drain_plan(position, head, valid_from, size, limit);

		assert_int_equal(plan.start, position + plan.lost);
		assert_true(plan.length <= limit && plan.length <= size);
		if (head <= position) {
			assert_int_equal(plan.lost + plan.length, 0);
			continue;
		}
		assert_true(plan.start + plan.length <= head);
		if (plan.length) {
			assert_true(plan.start >= valid_from && head - plan.start <= size);
			assert_int_equal(plan.offset, plan.start % size);
			assert_true(plan.first && plan.first <= plan.length);
			assert_true(plan.offset + plan.first <= size);
			assert_true(plan.first == plan.length || plan.offset + plan.first == size);
		} else {
			assert_true(plan.start == head);
		}
	}
}

static void watermark_leaves_room_and_outweighs_a_drain(void **state)
{
	(void)state;
	assert_int_equal(drain_watermark(8192), 4096);
	assert_int_equal(drain_watermark(2 * DRAIN_COST), DRAIN_COST);
	assert_int_equal(drain_watermark(8 * DRAIN_COST), DRAIN_COST);
	assert_int_equal(drain_watermark(16 << 20), 2 << 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(watermark_leaves_room_and_outweighs_a_drain),
		cmocka_unit_test(nothing_new),
		cmocka_unit_test(one_piece),
		cmocka_unit_test(two_pieces_at_the_wrap),
		cmocka_unit_test(limit_cuts),
		cmocka_unit_test(overwritten_before_written_is_lost),
		cmocka_unit_test(lapped_without_valid_from),
		cmocka_unit_test(all_of_it_is_lost),
		cmocka_unit_test(positions_near_the_end_of_64_bits),
		cmocka_unit_test(overwritten_while_written),
		cmocka_unit_test(random_steps_account_for_every_position),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
