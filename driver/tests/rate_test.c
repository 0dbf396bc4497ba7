// SPDX-License-Identifier: GPL-2.0
/* How often a ring is sampled, from how fast trace comes. */
#include <kunit/test.h>

#include "../rate.h"

static void period_is_an_eighth_of_the_fill_time(struct kunit *test)
{
	struct rvtrace_rate rate = {};
	u64 period = 0;

	rvtrace_rate_begin(&rate, 0);
	/* 100 MB/s fill 1 MiB in 10.5 ms. */
	for (int i = 1; i < 1000; i++)
		period = rvtrace_rate_period(&rate, 1 << 20, i * 100000, 1000000);
	KUNIT_ASSERT_GE(test, period, 1200000);
	KUNIT_ASSERT_LE(test, period, 1350000);
}

static void period_starts_short_and_relaxes(struct kunit *test)
{
	struct rvtrace_rate rate = {};
	u64 first, last = 0;

	rvtrace_rate_begin(&rate, 0);
	first = rvtrace_rate_period(&rate, 1 << 20, 0, 1000000);
	for (int i = 0; i < 1000; i++)
		last = rvtrace_rate_period(&rate, 1 << 20, 0, 1000000);
	KUNIT_ASSERT_TRUE(test, first < 4000000);
	KUNIT_ASSERT_TRUE(test, last > 3 * first);
	KUNIT_ASSERT_TRUE(test, last < 17000000);
	KUNIT_ASSERT_TRUE(test, rvtrace_rate_period(&rate, 1 << 20, 1 << 20, 1000000) < 200000);
}

static void period_recovers_from_a_burst(struct kunit *test)
{
	struct rvtrace_rate rate = {};
	u64 last = 0;

	rvtrace_rate_begin(&rate, 0);
	rvtrace_rate_period(&rate, 1 << 20, 100 << 20, 1000);
	for (int i = 0; i < 1000; i++)
		last = rvtrace_rate_period(&rate, 1 << 20, 100 << 20, 1000000);
	KUNIT_ASSERT_TRUE(test, last > 10000000);
}

static void period_follows_from_a_given_rate(struct kunit *test)
{
	struct rvtrace_rate rate = { .given = 1 << 30 };

	rvtrace_rate_begin(&rate, 0);
	/* 1 GiB/s fill 1 MiB in 977 us. */
	for (int i = 0; i < 100; i++)
		KUNIT_ASSERT_EQ(test, rvtrace_rate_period(&rate, 1 << 20, i * 1000, 1000000),
				244140);
}

static void rates_are_measured(struct kunit *test)
{
	struct rvtrace_rate rate = {};
	u64 pointer = 0;

	rvtrace_rate_begin(&rate, pointer);
	for (int i = 0; i < 2000; i++)
		rvtrace_rate_period(&rate, 1 << 20, pointer += i == 1000 ? 9000 : 1000, 1000000);
	KUNIT_ASSERT_EQ(test, rate.highest, 9000000);
	KUNIT_ASSERT_EQ(test, rate.recent, 1008000);
	rvtrace_rate_begin(&rate, pointer);
	KUNIT_ASSERT_EQ(test, rate.highest, 9000000);
	KUNIT_ASSERT_EQ(test, rate.recent, 0);
}

/* Bytes times nanoseconds of a second do not fit in 64 bits. */
static void rate_of_a_large_ring_is_measured(struct kunit *test)
{
	struct rvtrace_rate rate = {};

	rvtrace_rate_begin(&rate, 0);
	rvtrace_rate_period(&rate, 64ULL << 30, 40ULL << 30, 2000000000);
	KUNIT_ASSERT_EQ(test, rate.highest, 20ULL << 30);
	KUNIT_ASSERT_EQ(test, rate.recent, 20ULL << 30);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(period_is_an_eighth_of_the_fill_time),
	KUNIT_CASE(period_starts_short_and_relaxes),
	KUNIT_CASE(period_recovers_from_a_burst),
	KUNIT_CASE(period_follows_from_a_given_rate),
	KUNIT_CASE(rates_are_measured),
	KUNIT_CASE(rate_of_a_large_ring_is_measured),
	{ }
};

static struct kunit_suite suite = {
	.name = "rvtrace-rate",
	.test_cases = cases,
};

kunit_test_suite(suite);
