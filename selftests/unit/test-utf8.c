// SPDX-License-Identifier: GPL-2.0
/* What of a name is a character. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tools/lib/utf8.h"

static void characters(void **state)
{
	(void)state;
	assert_int_equal(utf8_character("a"), 1);
	assert_int_equal(utf8_character("\x7f"), 1);
	assert_int_equal(utf8_character("\xc2\x80"), 2);
	assert_int_equal(utf8_character("\xdf\xbf""a"), 2);
	assert_int_equal(utf8_character("\xe0\xa0\x80"), 3);
	assert_int_equal(utf8_character("\xed\x9f\xbf"), 3);
	assert_int_equal(utf8_character("\xef\xbf\xbf"), 3);
	assert_int_equal(utf8_character("\xf0\x90\x80\x80"), 4);
	assert_int_equal(utf8_character("\xf4\x8f\xbf\xbf"), 4);
}

/* Cut, not the shortest form, half of a pair of UTF-16, beyond the last one, never a first byte */
static void bytes_that_are_none(void **state)
{
	(void)state;
	assert_int_equal(utf8_character(""), 0);
	assert_int_equal(utf8_character("\xc3"), 0);
	assert_int_equal(utf8_character("\xe2\x82"), 0);
	assert_int_equal(utf8_character("\xf0\x9f\x98""a"), 0);
	assert_int_equal(utf8_character("\xc1\xbf"), 0);
	assert_int_equal(utf8_character("\xe0\x9f\xbf"), 0);
	assert_int_equal(utf8_character("\xf0\x8f\xbf\xbf"), 0);
	assert_int_equal(utf8_character("\xed\xa0\x80"), 0);
	assert_int_equal(utf8_character("\xf4\x90\x80\x80"), 0);
	assert_int_equal(utf8_character("\x80"), 0);
	assert_int_equal(utf8_character("\xf8\x88\x80\x80\x80"), 0);
	assert_int_equal(utf8_character("\xff"), 0);
}

static void documents(void **state)
{
	char *json = utf8_json("[\"caf\xc3\xa9\",\"caf\xe9\",\"\xe2\x82\"]");

	(void)state;
	assert_string_equal(json, "[\"caf\xc3\xa9\",\"caf\\ufffd\",\"\\ufffd\\ufffd\"]");
	free(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(characters),
		cmocka_unit_test(bytes_that_are_none),
		cmocka_unit_test(documents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
