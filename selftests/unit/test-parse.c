// SPDX-License-Identifier: GPL-2.0
/* Values as users write them. */
#include <argp.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tools/tracectl/parse.h"

static void expect_time(const char *text, uint64_t hz, uint64_t ticks)
{
	uint64_t v = ~ticks;

	assert_int_equal(parse_time(text, hz, &v), 0);
	assert_int_equal(v, ticks);
}

static void times_are_ticks_of_a_clock(void **state)
{
	(void)state;
	expect_time("1.5", 10000000, 15000000);
	expect_time("1.5s", 10000000, 15000000);
	expect_time("20ms", 10000000, 200000);
	expect_time("0.25ms", 10000000, 2500);
	expect_time("300us", 10000000, 3000);
	expect_time("1000NS", 10000000, 10);
	expect_time("0", 10000000, 0);
	expect_time("7.", 1000, 7000);
	expect_time("0.000000001", 1000000000, 1);
	expect_time("3", 1, 3);
}

static void times_are_the_nearest_tick(void **state)
{
	(void)state;
	expect_time("49ns", 10000000, 0);
	expect_time("50ns", 10000000, 1);
	expect_time("149ns", 10000000, 1);
	expect_time("5000ns", 999999867, 5000);
	/* less than a nanosecond does not count, nor do digits behind the 18th */
	expect_time("1.0000000009", 1000000000, 1000000000);
	expect_time("0.0000000000000000009999999", 1000000000, 0);
}

static void times_are_numbers_where_the_clock_is_not_known(void **state)
{
	uint64_t v;

	(void)state;
	expect_time("42", 0, 42);
	expect_time("0x10", 0, 16);
	expect_time("18446744073709551615", 0, UINT64_MAX);
	assert_int_equal(parse_time("1.5", 0, &v), -EINVAL);
	assert_int_equal(parse_time("5us", 0, &v), -EINVAL);
}

static void times_that_do_not_fit_are_refused(void **state)
{
	uint64_t v;

	(void)state;
	expect_time("18446744073.709551615", 1000000000, UINT64_MAX);
	assert_int_equal(parse_time("18446744073.709551616", 1000000000, &v), -ERANGE);
	expect_time("18446744073709551615", 1, UINT64_MAX);
	assert_int_equal(parse_time("18446744073709551615", 2, &v), -ERANGE);
	assert_int_equal(parse_time("18446744073709551615", UINT64_MAX, &v), -ERANGE);
	expect_time("1ns", UINT64_MAX, 18446744074);
	assert_int_equal(parse_time("18446744073709551616", 1000, &v), -ERANGE);
}

static void times_refuse_what_is_none(void **state)
{
	static const char *const bad[] = {
		"", "x", "-1", "+1", " 1", ".5", "1.5.5", "1,5", "1 s", "1m", "1e3", "0x10", "1.5u", "s",
	};
	uint64_t v;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse_time(bad[i], 1000, &v), -EINVAL);
}

static void numbers_may_be_hexadecimal(void **state)
{
	uint64_t v;

	(void)state;
	assert_int_equal(parse_number("0x80000000", &v), 0);
	assert_int_equal(v, 0x80000000);
	assert_int_equal(parse_number("12", &v), 0);
	assert_int_equal(v, 12);
	assert_int_equal(parse_number("12z", &v), -EINVAL);
	assert_int_equal(parse_number("", &v), -EINVAL);
}

static void lists_take_ranges(void **state)
{
	bool member[8] = { };
	static const bool expected[8] = { 1, 1, 1, 1, 0, 1, 0, 0 };

	(void)state;
	assert_int_equal(parse_list("0-3,5", member, 8), 0);
	assert_memory_equal(member, expected, sizeof(member));
	assert_int_equal(parse_list("7", member, 8), 0);
	assert_true(member[7]);
}

static void lists_refuse_what_is_none(void **state)
{
	bool member[8];

	(void)state;
	assert_int_equal(parse_list("", member, 8), -EINVAL);
	assert_int_equal(parse_list("1,", member, 8), -EINVAL);
	assert_int_equal(parse_list("1-", member, 8), -EINVAL);
	assert_int_equal(parse_list("3-1", member, 8), -EINVAL);
	assert_int_equal(parse_list("1;2", member, 8), -EINVAL);
	assert_int_equal(parse_list("8", member, 8), -ERANGE);
	assert_int_equal(parse_list("0-4000000000", member, 8), -ERANGE);
}

static void switches_are_on_or_off(void **state)
{
	bool on = false;

	(void)state;
	assert_int_equal(parse_switch("on", &on), 0);
	assert_true(on);
	assert_int_equal(parse_switch("0", &on), 0);
	assert_false(on);
	assert_int_equal(parse_switch("maybe", &on), -EINVAL);
}

static const struct option_value choices[] = { { "one", 1 }, { "two", 2 }, { "twofold", 4 }, { } };

/* No message, and no end of the program. */
static struct argp_state quiet = { .flags = ARGP_NO_ERRS };

static void options_are_one_of_their_choices(void **state)
{
	(void)state;
	assert_int_equal(option_choice(&quiet, "o", choices, "two"), 2);
	assert_int_equal(option_choice(&quiet, "o", choices, "twofold"), 4);
	assert_int_equal(option_choice(&quiet, "o", choices, "tw"), 0);
	assert_int_equal(option_choice(&quiet, "o", choices, "two,one"), 0);
	assert_int_equal(option_choice(&quiet, "o", choices, ""), 0);
}

static void options_are_bits_of_their_choices(void **state)
{
	(void)state;
	assert_int_equal(option_bits(&quiet, "o", choices, "two"), 2);
	assert_int_equal(option_bits(&quiet, "o", choices, "twofold,one"), 5);
	assert_int_equal(option_bits(&quiet, "o", choices, ",one,,two,"), 3);
	assert_int_equal(option_bits(&quiet, "o", choices, "one,three,two"), 3);
	assert_int_equal(option_bits(&quiet, "o", choices, ""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_ticks_of_a_clock),
		cmocka_unit_test(times_are_the_nearest_tick),
		cmocka_unit_test(times_are_numbers_where_the_clock_is_not_known),
		cmocka_unit_test(times_that_do_not_fit_are_refused),
		cmocka_unit_test(times_refuse_what_is_none),
		cmocka_unit_test(numbers_may_be_hexadecimal),
		cmocka_unit_test(lists_take_ranges),
		cmocka_unit_test(lists_refuse_what_is_none),
		cmocka_unit_test(switches_are_on_or_off),
		cmocka_unit_test(options_are_one_of_their_choices),
		cmocka_unit_test(options_are_bits_of_their_choices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
