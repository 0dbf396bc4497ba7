// SPDX-License-Identifier: GPL-2.0
/* Values as users write them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tools/tracectl/parse.h"

static void sizes_take_binary_suffixes(void **state)
{
	uint64_t v;

	(void)state;
	assert_int_equal(parse_size("0", &v), 0);
	assert_int_equal(v, 0);
	assert_int_equal(parse_size("64k", &v), 0);
	assert_int_equal(v, 65536);
	assert_int_equal(parse_size("4M", &v), 0);
	assert_int_equal(v, 4 << 20);
	assert_int_equal(parse_size("3g", &v), 0);
	assert_int_equal(v, 3ULL << 30);
	assert_int_equal(parse_size("16777215T", &v), 0);
	assert_int_equal(parse_size("16777216T", &v), -ERANGE);
	assert_int_equal(parse_size("18446744073709551615", &v), 0);
	assert_int_equal(parse_size("18446744073709551616", &v), -ERANGE);
}

static void sizes_refuse_what_is_none(void **state)
{
	static const char *const bad[] = { "", " 1", "-1", "+1", "1 k", "1kk", "k", "1.5M", "0x10" };
	uint64_t v;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse_size(bad[i], &v), -EINVAL);
}

static void durations_are_seconds_without_a_suffix(void **state)
{
	uint64_t v;

	(void)state;
	assert_int_equal(parse_duration("2", &v), 0);
	assert_int_equal(v, 2000000000);
	assert_int_equal(parse_duration("10ms", &v), 0);
	assert_int_equal(v, 10000000);
	assert_int_equal(parse_duration("5us", &v), 0);
	assert_int_equal(v, 5000);
	assert_int_equal(parse_duration("7ns", &v), 0);
	assert_int_equal(v, 7);
	assert_int_equal(parse_duration("9223372037", &v), -ERANGE);
	assert_int_equal(parse_duration("1m", &v), -EINVAL);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_take_binary_suffixes),
		cmocka_unit_test(sizes_refuse_what_is_none),
		cmocka_unit_test(durations_are_seconds_without_a_suffix),
		cmocka_unit_test(numbers_may_be_hexadecimal),
		cmocka_unit_test(lists_take_ranges),
		cmocka_unit_test(lists_refuse_what_is_none),
		cmocka_unit_test(switches_are_on_or_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
