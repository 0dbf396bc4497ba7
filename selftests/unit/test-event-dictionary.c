// SPDX-License-Identifier: GPL-2.0
/* Dictionaries of software trace events, and values as their formats have them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <rvtrace/event_dictionary.h>

static struct rvtrace_event_dictionary *dictionary;
static char path[] = "/tmp/test-event-dictionary.XXXXXX";

static int setup(void **state)
{
	int fd;

	(void)state;
	strcpy(path + sizeof(path) - 7, "XXXXXX");
	fd = mkstemp(path);
	dictionary = rvtrace_event_dictionary_new(0, true);
	return fd < 0 || close(fd) || !dictionary;
}

static int teardown(void **state)
{
	(void)state;
	rvtrace_event_dictionary_free(dictionary);
	return unlink(path);
}

static int load(const char *text, struct rvtrace_failure *error)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	return rvtrace_event_dictionary_load(dictionary, path, error);
}

static void is_entry(const char *program, uint16_t id, const char *name, unsigned int kind)
{
	const struct rvtrace_event_entry *entry;

	entry = rvtrace_event_dictionary_find(dictionary, program, id);
	assert_non_null(entry);
	assert_string_equal(entry->name, name);
	assert_int_equal(entry->kind, kind);
	assert_ptr_equal(entry, rvtrace_event_dictionary_get(dictionary, entry->index));
}

static void is_unknown(const char *program, uint16_t id)
{
	assert_null(rvtrace_event_dictionary_find(dictionary, program, id));
}

static void specification(void **state)
{
	(void)state;
	is_entry(NULL, 4, "print", RVTRACE_EVENT_KIND_CHARACTER);
	is_entry("x", 0x4000, "THREAD_NAME", RVTRACE_EVENT_KIND_NAME);
	is_entry(NULL, 0x8000, "THREAD_SWITCH", RVTRACE_EVENT_KIND_SWITCH);
	is_unknown(NULL, 0);
	is_unknown(NULL, 1);
	is_unknown(NULL, 0x8001);
	is_unknown(NULL, 0xffff);
	assert_string_equal(rvtrace_event_dictionary_find(dictionary, "x", 0xe123)->name,
			    "STM_CLASS");
	assert_null(rvtrace_event_dictionary_get(dictionary, 3));
	rvtrace_event_dictionary_free(dictionary);
	dictionary = rvtrace_event_dictionary_new(0xc123, false);
	is_entry(NULL, 0xc123, "THREAD_SWITCH", RVTRACE_EVENT_KIND_SWITCH);
	is_unknown(NULL, 0x8000);
	is_unknown("x", 0xe123);
}

static void file_of_everybody(void **state)
{
	const struct rvtrace_event_entry *entry;

	(void)state;
	assert_int_equal(load("{\"schema\":1,\"events\":["
			      "{\"id\":\"0x100\",\"name\":\"frame\",\"format\":\"frame %u\"},"
			      "{\"id\":258,\"name\":\"request\",\"kind\":\"pair\",\"note\":\"one\"},"
			      "{\"id\":\"4\",\"name\":\"letter\",\"kind\":\"character\"},"
			      "{\"id\":\"0x4001\",\"name\":\"load\",\"kind\":\"counter\"},"
			      "{\"id\":\"0xffff\",\"name\":\"log\",\"kind\":\"string\"}]}", NULL), 0);
	is_entry(NULL, 0x100, "frame", RVTRACE_EVENT_KIND_EVENT);
	is_unknown(NULL, 0x101);
	is_entry("any", 0x102, "request", RVTRACE_EVENT_KIND_PAIR);
	is_entry("any", 0x103, "request", RVTRACE_EVENT_KIND_PAIR);
	is_unknown(NULL, 0x104);
	is_entry(NULL, 4, "letter", RVTRACE_EVENT_KIND_CHARACTER);
	is_entry(NULL, 0x4001, "load", RVTRACE_EVENT_KIND_COUNTER);
	is_entry(NULL, 0xffff, "log", RVTRACE_EVENT_KIND_STRING);
	entry = rvtrace_event_dictionary_find(dictionary, NULL, 0x100);
	assert_string_equal(entry->format, "frame %u");
	assert_null(entry->program);
}

/* What a program says of its own events comes before what others say. */
static void files_of_programs(void **state)
{
	(void)state;
	assert_int_equal(load("{\"schema\":1,\"program\":\"a\",\"events\":["
			      "{\"id\":2,\"name\":\"of a\"},{\"id\":4,\"name\":\"four\"}]}", NULL), 0);
	assert_int_equal(load("{\"schema\":1,\"events\":[{\"id\":2,\"name\":\"all\"}]}", NULL), 0);
	assert_int_equal(load("{\"schema\":1,\"program\":\"b\",\"events\":["
			      "{\"id\":2,\"name\":\"of b\"}]}", NULL), 0);
	is_entry("a", 2, "of a", RVTRACE_EVENT_KIND_EVENT);
	is_entry("b", 2, "of b", RVTRACE_EVENT_KIND_EVENT);
	is_entry("c", 2, "all", RVTRACE_EVENT_KIND_EVENT);
	is_entry(NULL, 2, "all", RVTRACE_EVENT_KIND_EVENT);
	is_entry("a", 4, "four", RVTRACE_EVENT_KIND_EVENT);
	is_entry("b", 4, "print", RVTRACE_EVENT_KIND_CHARACTER);
}

/* Refused, with an error that has file and @what; nothing of it is kept. */
static void refused(const char *text, const char *what)
{
	struct rvtrace_failure error = { };
	size_t count = 0;

	while (rvtrace_event_dictionary_get(dictionary, count))
		count++;
	assert_int_equal(load(text, &error), -EBADMSG);
	assert_int_equal(error.code, EBADMSG);
	if (!strstr(error.text, what) || strncmp(error.text, path, strlen(path)))
		fail_msg("\"%s\" is not told of in \"%s\"", what, error.text);
	assert_null(rvtrace_event_dictionary_get(dictionary, count));
}

/* An event of a file, with one before it. */
static void refused_event(const char *event, const char *what)
{
	char text[1024], told[128];

	snprintf(text, sizeof(text),
		 "{\"schema\":1,\"events\":[{\"id\":9,\"name\":\"nine\"},%s]}", event);
	snprintf(told, sizeof(told), "events[1]: %s", what);
	refused(text, told);
	is_unknown(NULL, 9);
}

static void wrong_files(void **state)
{
	struct rvtrace_failure error;

	(void)state;
	refused("", "not a text");
	refused("{", "JSON");
	refused("null", "not JSON: null");
	refused("{} {}", "more text follows");
	refused("[]", "not a JSON object");
	refused("{}", "schema is missing");
	refused("{\"schema\":2,\"events\":[]}", "schema is not 1");
	refused("{\"schema\":1}", "events is not a list");
	refused("{\"schema\":1,\"events\":{}}", "events is not a list");
	refused("{\"schema\":1,\"events\":[],\"version\":1}", "version is not known");
	refused("{\"schema\":1,\"events\":[],\"program\":3}", "program is not a text");
	refused("{\"schema\":1,\"events\":[],\"program\":\"abcdefghijklmnop\"}",
		"program is too long");
	unlink(path);
	assert_int_equal(rvtrace_event_dictionary_load(dictionary, path, &error), -ENOENT);
	assert_non_null(strstr(error.text, path));
	load("", NULL);
}

static void wrong_events(void **state)
{
	(void)state;
	refused_event("3", "the event is not an object");
	refused_event("{\"name\":\"x\"}", "id is missing");
	refused_event("{\"id\":1.5,\"name\":\"x\"}", "id is not a number");
	refused_event("{\"id\":\"1x\",\"name\":\"x\"}", "id is not a number");
	refused_event("{\"id\":\"\",\"name\":\"x\"}", "id is not a number");
	refused_event("{\"id\":\"-1\",\"name\":\"x\"}", "id is not a number");
	refused_event("{\"id\":0,\"name\":\"x\"}", "id is not from");
	refused_event("{\"id\":65536,\"name\":\"x\"}", "id is not from");
	refused_event("{\"id\":1}", "name is missing");
	refused_event("{\"id\":1,\"name\":\"\"}", "name is empty");
	refused_event("{\"id\":1,\"name\":\"a\\nb\"}", "name has a control character");
	refused_event("{\"id\":1,\"name\":\"a\\u0000b\"}", "name is too long, or has a NUL");
	refused_event("{\"id\":1,\"name\":\"x\",\"kind\":\"switch\"}", "kind is not one of");
	refused_event("{\"id\":1,\"name\":\"x\",\"kind\":\"pair\"}", "id of a pair is odd");
	refused_event("{\"id\":1,\"name\":\"x\",\"format\":\"%s\"}", "format has a conversion");
	refused_event("{\"id\":1,\"name\":\"x\",\"kind\":\"string\",\"format\":\"%u\"}",
		      "format does not suit");
	refused_event("{\"id\":1,\"name\":\"x\",\"colour\":1}", "colour is not known");
	refused_event("{\"id\":9,\"name\":\"x\"}", "id is defined already");
	refused_event("{\"id\":8,\"name\":\"x\",\"kind\":\"pair\"}", "id is defined already");
	refused_event("{\"id\":\"0x4000\",\"name\":\"x\"}", "id has a meaning");
	refused_event("{\"id\":\"0x8000\",\"name\":\"x\"}", "id has a meaning");
}

static void is_text(const char *format, uint64_t value, unsigned int width, const char *expected)
{
	char text[RVTRACE_EVENT_TEXT_MAX];

	assert_null(rvtrace_event_format_check(format));
	rvtrace_event_format(format, value, width, text);
	assert_string_equal(text, expected);
}

static void formats(void **state)
{
	(void)state;
	is_text("", 5, 64, "");
	is_text("plain", 5, 64, "plain");
	is_text("%u of 100 %%", 5, 64, "5 of 100 %");
	is_text("%u 0x%x %o", 255, 64, "255 0xff 377");
	is_text("%X %#x", 0xabc, 64, "ABC 0xabc");
	is_text("%d", UINT64_MAX, 64, "-1");
	is_text("%d", 0xffffffff, 32, "-1");
	is_text("%d", 0xffffffff, 64, "4294967295");
	is_text("%i", 0x8000, 16, "-32768");
	is_text("%u", UINT64_MAX, 64, "18446744073709551615");
	is_text("[%6u] [%-6d] [%+d] [%06x]", 42, 64, "[    42] [42    ] [+42] [00002a]");
	is_text("[%.3u] [%8.3x] [%.u]", 7, 64, "[007] [     007] [7]");
	is_text("'%c' '%3c'", 'A', 64, "'A' '  A'");
	is_text("%c", '\n', 64, ".");
	is_text("%c", 0x1e9, 64, ".");
	is_text("%64u", 1, 64,
		"                                                               1");
}

static void formats_that_cannot_be(void **state)
{
	static const char *const wrong[] = {
		"%n", "%s", "%ls", "%hhn", "%p", "%f", "%a", "%m", "%", "%5", "%5.", "%-", "%*d",
		"%.*d", "%65u", "%.65u", "%999999999999999999999u", "%lu", "%llx", "%hd", "%zu",
		"%1$u", "%'u", "%y", "%.2c", "a\nb", "%u%n", "%%%n", "% s",
	};
	char many[RVTRACE_EVENT_FORMAT_MAX + 2];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (!rvtrace_event_format_check(wrong[i]))
			fail_msg("\"%s\" was let through", wrong[i]);
	memset(many, 'x', sizeof(many) - 1);
	many[sizeof(many) - 1] = 0;
	assert_non_null(rvtrace_event_format_check(many));
	many[sizeof(many) - 2] = 0;
	assert_null(rvtrace_event_format_check(many));
}

/* More text than there is room for is cut. */
static void long_texts(void **state)
{
	char format[RVTRACE_EVENT_FORMAT_MAX + 1] = "", text[RVTRACE_EVENT_TEXT_MAX + 8];
	size_t i;

	(void)state;
	for (i = 0; i < 60; i++)
		strcat(format, "%64u");
	assert_null(rvtrace_event_format_check(format));
	memset(text, '#', sizeof(text));
	rvtrace_event_format(format, 7, 64, text);
	assert_int_equal(strlen(text), RVTRACE_EVENT_TEXT_MAX - 1);
	assert_memory_equal(text + RVTRACE_EVENT_TEXT_MAX, "########", 8);
	assert_int_equal(text[63], '7');
}

#define T(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(specification),
		T(file_of_everybody),
		T(files_of_programs),
		T(wrong_files),
		T(wrong_events),
		cmocka_unit_test(formats),
		cmocka_unit_test(formats_that_cannot_be),
		cmocka_unit_test(long_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
