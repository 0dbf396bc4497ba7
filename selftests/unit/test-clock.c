// SPDX-License-Identifier: GPL-2.0
/* Trace timestamps and CLOCK_MONOTONIC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <rvtrace/clock.h>

#define HZ	10000000ULL	/* 100 ns per tick */

static struct rvtrace_clock *c;

static int setup(void **state)
{
	(void)state;
	c = rvtrace_clock_new(HZ, 0);
	return !c;
}

static int teardown(void **state)
{
	(void)state;
	rvtrace_clock_free(c);
	return 0;
}

/* One moment a second; CLOCK_MONOTONIC is 5 s at tick 1000, and drifts by @ppm. */
static void add_seconds(unsigned int count, unsigned int ppm)
{
	for (unsigned int i = 0; i < count; i++)
		assert_int_equal(rvtrace_clock_add(c, 1000 + i * HZ,
						   5000000000 + i * (1000000000ULL + ppm * 1000ULL)),
				 0);
}

static void without_a_moment_nothing_is_known(void **state)
{
	(void)state;
	assert_int_equal(rvtrace_clock_settle(c), 0);
	assert_false(rvtrace_clock_known(c));
}

static void one_moment_and_the_frequency_are_enough(void **state)
{
	(void)state;
	add_seconds(1, 0);
	assert_int_equal(rvtrace_clock_settle(c), 0);
	assert_true(rvtrace_clock_known(c));
	assert_int_equal(rvtrace_clock_ns(c, 1010), 5000001000);
	assert_int_equal(rvtrace_clock_ns(c, 990), 4999999000);
	assert_int_equal(rvtrace_clock_ticks(c, 5000001000), 1010);
}

static void without_frequency_it_follows_from_two(void **state)
{
	(void)state;
	rvtrace_clock_free(c);
	c = rvtrace_clock_new(0, 0);
	add_seconds(1, 0);
	assert_int_equal(rvtrace_clock_settle(c), 0);
	assert_false(rvtrace_clock_known(c));
	rvtrace_clock_free(c);
	c = rvtrace_clock_new(0, 0);
	add_seconds(2, 0);
	assert_int_equal(rvtrace_clock_settle(c), 0);
	assert_true(rvtrace_clock_known(c));
	assert_int_equal(rvtrace_clock_ns(c, 1000 + 3 * HZ), 8000000000);
}

static void between_moments_is_a_straight_line(void **state)
{
	(void)state;
	add_seconds(5, 100);
	assert_int_equal(rvtrace_clock_settle(c), 0);
	assert_int_equal(rvtrace_clock_ns(c, 1000 + HZ / 2), 5500050000);
	assert_int_equal(rvtrace_clock_ns(c, 1000 + 3 * HZ), 8000300000);
}

static void an_outlier_is_left_out(void **state)
{
	(void)state;
	add_seconds(9, 50);
	assert_int_equal(rvtrace_clock_add(c, 1000 + 4 * HZ + HZ / 2, 9500225000 + 3000000), 0);
	assert_int_equal(rvtrace_clock_add(c, 1000 + 6 * HZ + HZ / 2, 11500325000 - 900000), 0);
	assert_int_equal(rvtrace_clock_settle(c), 2);
	assert_in_range(rvtrace_clock_ns(c, 1000 + 4 * HZ + HZ / 2), 9500224900, 9500225100);
	assert_in_range(rvtrace_clock_ns(c, 1000 + 6 * HZ + HZ / 2), 11500324900, 11500325100);
}

static void outliers_at_the_ends_are_left_out(void **state)
{
	(void)state;
	assert_int_equal(rvtrace_clock_add(c, 1000 - HZ, 4000000000 + 2000000), 0);
	add_seconds(8, 0);
	assert_int_equal(rvtrace_clock_add(c, 1000 + 8 * HZ, 13000000000 + 2000000), 0);
	assert_int_equal(rvtrace_clock_settle(c), 2);
	assert_int_equal(rvtrace_clock_ns(c, 1000 + 9 * HZ), 14000000000);
}

static void a_drift_is_no_outlier(void **state)
{
	uint64_t ns = 5000000000;

	(void)state;
	/* slewed by up to 500 ppm, one way and back */
	for (unsigned int i = 0; i < 40; i++) {
		rvtrace_clock_add(c, i * HZ, ns);
		ns += 1000000000 + (i < 20 ? i * 25000 : (40 - i) * 25000);
	}
	assert_int_equal(rvtrace_clock_settle(c), 0);
}

static void order_of_adding_does_not_matter(void **state)
{
	(void)state;
	rvtrace_clock_add(c, 1000 + 2 * HZ, 7000000000);
	rvtrace_clock_add(c, 1000, 5000000000);
	rvtrace_clock_add(c, 1000 + HZ, 6000000000);
	assert_int_equal(rvtrace_clock_settle(c), 0);
	assert_int_equal(rvtrace_clock_ns(c, 1000 + HZ / 2), 5500000000);
}

/* 24 bits at 10 MHz begin again every 1.7 s; between two moments they may do so more than once. */
static void timestamps_that_begin_again_go_on(void **state)
{
	const uint64_t mask = (1 << 24) - 1;

	(void)state;
	rvtrace_clock_free(c);
	c = rvtrace_clock_new(HZ, 24);
	for (unsigned int i = 0; i < 9; i++)
		rvtrace_clock_add(c, (1000 + i * HZ) & mask, 5000000000 + i * 1000000000ULL);
	rvtrace_clock_add(c, (1000 + 29 * HZ) & mask, 34000000000);
	assert_int_equal(rvtrace_clock_settle(c), 0);
	assert_int_equal(rvtrace_clock_start(c), 1000);
	assert_int_equal(rvtrace_clock_ns(c, 1000 + 2 * HZ + HZ / 2), 7500000000);
	assert_int_equal(rvtrace_clock_ns(c, 1000 + 29 * HZ), 34000000000);
	assert_int_equal(rvtrace_clock_ticks(c, 34000000000), 1000 + 29 * HZ);
}

/* Without a frequency, less than half a lap lies between two moments. */
static void they_go_on_without_a_frequency(void **state)
{
	const uint64_t mask = (1 << 25) - 1;

	(void)state;
	rvtrace_clock_free(c);
	c = rvtrace_clock_new(0, 25);
	for (unsigned int i = 0; i < 9; i++)
		rvtrace_clock_add(c, (1000 + i * HZ) & mask, 5000000000 + i * 1000000000ULL);
	assert_int_equal(rvtrace_clock_settle(c), 0);
	assert_int_equal(rvtrace_clock_ns(c, 1000 + 7 * HZ), 12000000000);
}

#define AGAIN	(1ULL << 54)	/* where times go on behind the first restart */

/* Ten seconds from 5 s on, then ten seconds from 100 s on, of a counter that is 0 at 100 s. */
static void add_restarted(unsigned int bits, uint64_t hz)
{
	const uint64_t mask = bits % 64 ? (1ULL << bits) - 1 : UINT64_MAX;

	rvtrace_clock_free(c);
	c = rvtrace_clock_new(hz, bits);
	for (unsigned int i = 0; i < 10; i++) {
		rvtrace_clock_add(c, (1000 + i * HZ) & mask, 5000000000 + i * 1000000000ULL);
		rvtrace_clock_add(c, (50 + i * HZ) & mask, 100000005000 + i * 1000000000ULL);
	}
	assert_int_equal(rvtrace_clock_restart(c, 100000001000), 0);
	assert_int_equal(rvtrace_clock_settle(c), 0);
}

static void a_restart_leads_on_to_other_times(void **state)
{
	static const unsigned int widths[] = { 0, 25, 64 };

	(void)state;
	for (unsigned int i = 0; i < 6; i++) {
		add_restarted(widths[i % 3], i < 3 ? HZ : 0);
		assert_int_equal(rvtrace_clock_ns(c, 1000 + 9 * HZ + HZ / 2), 14500000000);
		assert_int_equal(rvtrace_clock_ns(c, 1000 + 90 * HZ), 95000000000);
		assert_int_equal(rvtrace_clock_ns(c, AGAIN + 50), 100000005000);
		assert_int_equal(rvtrace_clock_ns(c, AGAIN + 20), 100000002000);
		assert_int_equal(rvtrace_clock_ns(c, AGAIN + 50 + 20 * HZ), 120000005000);
		assert_int_equal(rvtrace_clock_ticks(c, 14500000000), 1000 + 9 * HZ + HZ / 2);
		assert_int_equal(rvtrace_clock_ticks(c, 95000000000), 1000 + 90 * HZ);
		assert_int_equal(rvtrace_clock_ticks(c, 100000001000), AGAIN + 10);
		assert_int_equal(rvtrace_clock_ticks(c, 100000005000), AGAIN + 50);
	}
}

static void times_elapse_over_restarts(void **state)
{
	static const unsigned int widths[] = { 0, 25, 64 };

	(void)state;
	for (unsigned int i = 0; i < 6; i++) {
		add_restarted(widths[i % 3], i < 3 ? HZ : 0);
		assert_int_equal(rvtrace_clock_elapsed(c, 1000 + HZ), 1000 + HZ);
		assert_int_equal(rvtrace_clock_elapsed(c, AGAIN + 50), 1000 + 95 * HZ + 50);
		assert_int_equal(rvtrace_clock_elapsed(c, AGAIN + 20 * HZ), 1000 + 115 * HZ);
		assert_int_equal(rvtrace_clock_elapsed(c, 2 * AGAIN), 2 * AGAIN);
		assert_int_equal(rvtrace_clock_stamp(c, 1000 + HZ), 1000 + HZ);
		assert_int_equal(rvtrace_clock_stamp(c, 1000 + 95 * HZ - 1), 1000 + 95 * HZ - 1);
		assert_int_equal(rvtrace_clock_stamp(c, 1000 + 95 * HZ), AGAIN);
		assert_int_equal(rvtrace_clock_stamp(c, 1000 + 115 * HZ), AGAIN + 20 * HZ);
	}
}

/* Of what was before it, nothing is known: it is taken to be since the machine began. */
static void a_restart_before_all_moments_is_behind_what_was(void **state)
{
	(void)state;
	rvtrace_clock_free(c);
	c = rvtrace_clock_new(HZ, 0);
	rvtrace_clock_add(c, 50, 100000005000);
	assert_int_equal(rvtrace_clock_restart(c, 100000001000), 0);
	assert_int_equal(rvtrace_clock_settle(c), 0);
	assert_int_equal(rvtrace_clock_elapsed(c, AGAIN + 50), 100 * HZ + 50);
	assert_int_equal(rvtrace_clock_stamp(c, 0), 0);
	assert_int_equal(rvtrace_clock_stamp(c, 99 * HZ), 99 * HZ);
	assert_int_equal(rvtrace_clock_stamp(c, 101 * HZ), AGAIN + HZ);
}

/* As where the session ends at once. */
static void a_restart_without_a_moment_is_one(void **state)
{
	(void)state;
	add_seconds(4, 0);
	assert_int_equal(rvtrace_clock_restart(c, 200000000000), 0);
	assert_int_equal(rvtrace_clock_restart(c, 100000000000), 0);
	assert_int_equal(rvtrace_clock_settle(c), 0);
	assert_int_equal(rvtrace_clock_ns(c, AGAIN + HZ), 101000000000);
	assert_int_equal(rvtrace_clock_ns(c, 2 * AGAIN + HZ), 201000000000);
	assert_int_equal(rvtrace_clock_ticks(c, 199000000000), AGAIN + 99 * HZ);
}

/* Neighbours on the other side of it say nothing of a moment. */
static void a_moment_is_judged_on_its_side_of_a_restart(void **state)
{
	(void)state;
	rvtrace_clock_add(c, 1000 + 9 * HZ + HZ / 2, 14503000000);
	for (unsigned int i = 0; i < 10; i++) {
		rvtrace_clock_add(c, 1000 + i * HZ, 5000000000 + i * 1000000000ULL);
		rvtrace_clock_add(c, 50 + i * HZ, 100000005000 + i * 1000000000ULL);
	}
	assert_int_equal(rvtrace_clock_restart(c, 100000001000), 0);
	assert_int_equal(rvtrace_clock_settle(c), 1);
	assert_int_equal(rvtrace_clock_ns(c, 1000 + 10 * HZ), 15000000000);
	assert_int_equal(rvtrace_clock_ns(c, AGAIN + 50), 100000005000);
}

static void it_starts_at_the_first_moment(void **state)
{
	(void)state;
	assert_int_equal(rvtrace_clock_start(c), 0);
	add_seconds(3, 0);
	assert_int_equal(rvtrace_clock_settle(c), 0);
	assert_int_equal(rvtrace_clock_start(c), 1000);
}

static void ticks_are_the_first_ones_not_before(void **state)
{
	uint64_t ns, tick;
	unsigned int seed = 1;

	(void)state;
	add_seconds(5, 37);
	assert_int_equal(rvtrace_clock_settle(c), 0);
	for (unsigned int i = 0; i < 10000; i++) {
		ns = 4999910000 + (uint64_t)rand_r(&seed) * 4;
		tick = rvtrace_clock_ticks(c, ns);
		assert_true(rvtrace_clock_ns(c, tick) >= ns);
		assert_true(rvtrace_clock_ns(c, tick - 1) < ns);
	}
	assert_int_equal(rvtrace_clock_ticks(c, UINT64_MAX), UINT64_MAX);
	assert_int_equal(rvtrace_clock_ns(c, UINT64_MAX), UINT64_MAX);
	assert_int_equal(rvtrace_clock_ticks(c, 0), 0);
}

/* Moments are judged by three on each side. */
static void later_moments_do_not_change_what_is_settled(void **state)
{
	(void)state;
	add_seconds(3, 0);
	assert_int_equal(rvtrace_clock_settle(c), 0);
	assert_int_equal(rvtrace_clock_settled(c, 0), 0);
	rvtrace_clock_free(c);
	c = rvtrace_clock_new(HZ, 0);
	add_seconds(6, 0);
	assert_int_equal(rvtrace_clock_settle(c), 0);
	assert_int_equal(rvtrace_clock_settled(c, 0), 7000000000);
	assert_int_equal(rvtrace_clock_settled(c, 3000000000), 7000000000);
	assert_int_equal(rvtrace_clock_settled(c, 3000000001), 6000000000);
	assert_int_equal(rvtrace_clock_settled(c, 6000000000), 0);
}

static void an_outlier_settles_nothing(void **state)
{
	(void)state;
	add_seconds(2, 0);
	rvtrace_clock_add(c, 1000 + 2 * HZ, 7005000000);
	for (unsigned int i = 3; i < 6; i++)
		rvtrace_clock_add(c, 1000 + i * HZ, 5000000000 + i * 1000000000ULL);
	assert_int_equal(rvtrace_clock_settle(c), 1);
	assert_int_equal(rvtrace_clock_settled(c, 0), 6000000000);
}

static void without_moments_everything_is_settled(void **state)
{
	(void)state;
	assert_int_equal(rvtrace_clock_settle(c), 0);
	assert_true(rvtrace_clock_settled(c, 0) == UINT64_MAX);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(without_a_moment_nothing_is_known),
		TEST(one_moment_and_the_frequency_are_enough),
		TEST(without_frequency_it_follows_from_two),
		TEST(between_moments_is_a_straight_line),
		TEST(an_outlier_is_left_out),
		TEST(outliers_at_the_ends_are_left_out),
		TEST(a_drift_is_no_outlier),
		TEST(order_of_adding_does_not_matter),
		TEST(timestamps_that_begin_again_go_on),
		TEST(they_go_on_without_a_frequency),
		TEST(a_restart_leads_on_to_other_times),
		TEST(times_elapse_over_restarts),
		TEST(a_restart_before_all_moments_is_behind_what_was),
		TEST(a_restart_without_a_moment_is_one),
		TEST(a_moment_is_judged_on_its_side_of_a_restart),
		TEST(it_starts_at_the_first_moment),
		TEST(ticks_are_the_first_ones_not_before),
		TEST(later_moments_do_not_change_what_is_settled),
		TEST(an_outlier_settles_nothing),
		TEST(without_moments_everything_is_settled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
