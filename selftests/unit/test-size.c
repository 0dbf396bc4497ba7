// SPDX-License-Identifier: GPL-2.0
/* Sizes as users write them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/lib/base/size.h"

static void sizes_take_binary_suffixes(void **state)
{
	uint64_t v;

	(void)state;
	assert_int_equal(size_parse("0", &v), 0);
	assert_int_equal(v, 0);
	assert_int_equal(size_parse("64k", &v), 0);
	assert_int_equal(v, 65536);
	assert_int_equal(size_parse("4M", &v), 0);
	assert_int_equal(v, 4 << 20);
	assert_int_equal(size_parse("3g", &v), 0);
	assert_int_equal(v, 3ULL << 30);
	assert_int_equal(size_parse("3G", &v), 0);
	assert_int_equal(v, 3ULL << 30);
}

static void sizes_have_64_bits(void **state)
{
	uint64_t v;

	(void)state;
	assert_int_equal(size_parse("16777215T", &v), 0);
	assert_int_equal(size_parse("16777216T", &v), -ERANGE);
	assert_int_equal(size_parse("18446744073709551615", &v), 0);
	assert_int_equal(size_parse("18446744073709551616", &v), -ERANGE);
	assert_int_equal(size_parse("17179869184G", &v), -ERANGE);
}

static void sizes_refuse_what_is_none(void **state)
{
	static const char *const bad[] = {
		"", " 1", "-1", "+1", "1 k", "1kk", "1x", "1kB", "k", "1.5M", "0x10",
	};
	uint64_t v;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(size_parse(bad[i], &v), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_take_binary_suffixes),
		cmocka_unit_test(sizes_have_64_bits),
		cmocka_unit_test(sizes_refuse_what_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
