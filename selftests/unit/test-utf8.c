// SPDX-License-Identifier: GPL-2.0
/* What of a name is a character. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tools/lib/base/utf8.h"

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

static void check_visible(const char *text, const char *expected)
{
	char copy[128];

	assert_string_equal(utf8_copy_visible(copy, sizeof(copy), text), expected);
}

/* C0, DEL, C1, separators of lines and paragraphs, directions; their neighbours are as they are */
static void controls(void **state)
{
	(void)state;
	check_visible("", "");
	check_visible(" a~\\", " a~\\");
	check_visible("\x01\t\n\r\x1b\x1f\x7f", "\\x01\\x09\\x0a\\x0d\\x1b\\x1f\\x7f");
	check_visible("\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", "\\xc2\\x80\\xc2\\x9b\\xc2\\x9f\xc2\xa0");
	check_visible("\xd8\x9b\xd8\x9c\xd8\x9d", "\xd8\x9b\\xd8\\x9c\xd8\x9d");
	check_visible("\xe2\x80\x8d\xe2\x80\x8e", "\xe2\x80\x8d\\xe2\\x80\\x8e");
	check_visible("\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xae\xe2\x80\xaf",
		      "\xe2\x80\xa7\\xe2\\x80\\xa8\\xe2\\x80\\xae\xe2\x80\xaf");
	check_visible("\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xaf\xe2\x81\xb0",
		      "\xe2\x81\xa5\\xe2\\x81\\xa6\\xe2\\x81\\xaf\xe2\x81\xb0");
	check_visible("\x9b\xff\xe2\x80", "\\x9b\\xff\\xe2\\x80");
}

/* Whole characters and escapes */
static void too_little_room(void **state)
{
	char copy[8];

	(void)state;
	assert_string_equal(utf8_copy_visible(copy, 1, "a"), "");
	assert_string_equal(utf8_copy_visible(copy, 8, "1234567"), "1234567");
	assert_string_equal(utf8_copy_visible(copy, 8, "12345678"), "1234567");
	assert_string_equal(utf8_copy_visible(copy, 8, "1234\x1b"), "1234");
	assert_string_equal(utf8_copy_visible(copy, 8, "123\x1b"), "123\\x1b");
	assert_string_equal(utf8_copy_visible(copy, 3, "\xc3\xa9\xc3\xa9"), "\xc3\xa9");
}

static void documents(void **state)
{
	char *json = utf8_json("[\"caf\xc3\xa9\",\"caf\xe9\",\"\xe2\x82\"]");

	(void)state;
	assert_string_equal(json, "[\"caf\xc3\xa9\",\"caf\\ufffd\",\"\\ufffd\\ufffd\"]");
	free(json);
	json = utf8_json("{\n\t\"a\":\"\\u001b\x7f\xc2\x9b\xe2\x80\xae\"}\n");
	assert_string_equal(json, "{\n\t\"a\":\"\\u001b\\u007f\\u009b\\u202e\"}\n");
	free(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(characters),
		cmocka_unit_test(bytes_that_are_none),
		cmocka_unit_test(controls),
		cmocka_unit_test(too_little_room),
		cmocka_unit_test(documents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
