// SPDX-License-Identifier: GPL-2.0
/* Strings and pairs that software trace events are parts of. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/event_pair.h>
#include <rvtrace/event_string.h>

static uint64_t random_state = 1;

static uint64_t rnd(uint64_t below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 32) % below;
}

/* The next characters, the first one in the lowest byte */
static uint64_t part(const char *text, unsigned int width)
{
	uint64_t value = 0;
	unsigned int shift;

	for (shift = 0; shift < width && *text; shift += 8)
		value |= (uint64_t)(unsigned char)*text++ << shift;
	return value;
}

static struct rvtrace_event event_of(uint16_t id, uint64_t value, unsigned int width)
{
	return (struct rvtrace_event) { .id = id, .value = value, .width = width };
}

static int add(struct rvtrace_event_strings *strings, struct rvtrace_event event,
	       struct rvtrace_event_string *string)
{
	return rvtrace_event_strings_add(strings, &event, 0, string);
}

static void is_string(const struct rvtrace_event_string *string, const char *text, bool incomplete)
{
	assert_string_equal(string->text, text);
	assert_int_equal(string->length, strlen(text));
	assert_int_equal(string->incomplete, incomplete);
	assert_int_equal(string->more, false);
}

static void name_of_a_thread(void **state)
{
	struct rvtrace_event_strings *strings = rvtrace_event_strings_new(true);
	struct rvtrace_event_string string;

	(void)state;
	assert_int_equal(add(strings, event_of(0x4000, 0x62612d7265747570, 64), &string), 0);
	assert_int_equal(add(strings, event_of(0x4000, 0x0000000000006463, 64), &string), 1);
	is_string(&string, "puter-abcd", false);
	/* The next one replaces it; one that fills its event is ended by the next. */
	assert_int_equal(add(strings, event_of(0x4000, 0x68676665, 32), &string), 0);
	assert_int_equal(add(strings, event_of(0x4000, 0, 32), &string), 1);
	is_string(&string, "efgh", false);
	assert_int_equal(add(strings, event_of(0x4000, 0, 64), &string), 1);
	is_string(&string, "", false);
	/* Behind the NUL nothing counts. */
	assert_int_equal(add(strings, event_of(0x4000, 0x7a7a007a, 32), &string), 1);
	is_string(&string, "z", false);
	rvtrace_event_strings_free(strings);
}

static void strings_of_many(void **state)
{
	struct rvtrace_event_strings *strings = rvtrace_event_strings_new(true);
	struct rvtrace_event one = event_of(1, part("aaaaaaaa", 64), 64), other = one;
	struct rvtrace_event_string string;

	(void)state;
	/* Of two harts, of two identifiers, of two threads of a hart, of two registers */
	other.source = 1;
	other.value = part("bbbbbbbb", 64);
	assert_int_equal(add(strings, one, &string), 0);
	assert_int_equal(add(strings, other, &string), 0);
	assert_int_equal(add(strings, event_of(2, part("c", 64), 64), &string), 1);
	is_string(&string, "c", false);
	one.flags = RVTRACE_EVENT_HAS_THREAD;
	one.thread = 5;
	one.value = part("dddddddd", 64);
	assert_int_equal(add(strings, one, &string), 0);
	one.thread = 6;
	one.value = part("e", 64);
	assert_int_equal(add(strings, one, &string), 1);
	is_string(&string, "e", false);
	/* The thread goes on elsewhere. */
	one.thread = 5;
	one.source = 9;
	one.value = part("f", 64);
	assert_int_equal(add(strings, one, &string), 1);
	is_string(&string, "ddddddddf", false);
	other.value = part("g", 64);
	assert_int_equal(add(strings, other, &string), 1);
	is_string(&string, "bbbbbbbbg", false);
	assert_int_equal(add(strings, event_of(1, part("h", 64), 64), &string), 1);
	is_string(&string, "aaaaaaaah", false);
	one.carrier = RVTRACE_EVENT_ITC;
	one.value = part("iiiiiiii", 64);
	assert_int_equal(add(strings, one, &string), 0);
	one.channel = 3;
	one.value = 0;
	assert_int_equal(add(strings, one, &string), 1);
	is_string(&string, "", false);
	rvtrace_event_strings_free(strings);
}

/* As many characters as identifiers say; a FLAG ends it, and a channel is one string. */
static void what_the_stm_class_wrote(void **state)
{
	struct rvtrace_event_strings *strings = rvtrace_event_strings_new(true);
	struct rvtrace_event_string string;

	(void)state;
	assert_int_equal(add(strings, event_of(0xe053, part("trace me", 64), 64), &string), 0);
	assert_int_equal(add(strings, event_of(0xe061, part("x:", 16), 64), &string), 0);
	assert_int_equal(add(strings, event_of(0xe056, part(" now", 32), 64), &string), 0);
	/* What is beyond the width is nobody's. */
	assert_int_equal(add(strings, event_of(0xe050, part("!???????", 64), 64), &string), 0);
	assert_int_equal(add(strings, event_of(0xe058, 0, 64), &string), 1);
	is_string(&string, "trace me now!", false);
	assert_int_equal(add(strings, event_of(0xe06c, 0, 64), &string), 1);
	is_string(&string, "x:", false);
	/* A message of bytes, of a hart that has 32 bits */
	assert_int_equal(add(strings, event_of(0xe053, 0x41004200, 32), &string), 0);
	assert_int_equal(add(strings, event_of(0xe058, 0, 32), &string), 1);
	assert_int_equal(string.length, 4);
	assert_memory_equal(string.text, "\0B\0A", 5);
	rvtrace_event_strings_free(strings);
}

static void strings_behind_a_loss(void **state)
{
	struct rvtrace_event_strings *strings = rvtrace_event_strings_new(true);
	struct rvtrace_event incomplete = event_of(1, part("jk", 64), 64);
	struct rvtrace_event_string string;

	(void)state;
	assert_int_equal(add(strings, event_of(1, part("abcdefgh", 64), 64), &string), 0);
	rvtrace_event_strings_lost(strings);
	assert_int_equal(add(strings, event_of(1, part("i", 64), 64), &string), 1);
	is_string(&string, "i", true);
	assert_int_equal(add(strings, event_of(1, part("whole", 64), 64), &string), 1);
	is_string(&string, "whole", false);
	assert_int_equal(add(strings, event_of(2, part("new", 64), 64), &string), 1);
	is_string(&string, "new", true);
	incomplete.flags = RVTRACE_EVENT_INCOMPLETE;
	assert_int_equal(add(strings, incomplete, &string), 1);
	is_string(&string, "jk", true);
	rvtrace_event_strings_free(strings);
}

/* Of a hart, where the trace does not tell threads, but their numbers are known */
static void strings_of_numbers(void **state)
{
	struct rvtrace_event_strings *strings = rvtrace_event_strings_new(true);
	struct rvtrace_event one = event_of(1, part("aaaaaaaa", 64), 64);
	struct rvtrace_event other = event_of(1, part("bbb", 64), 64);
	struct rvtrace_event_string string;

	(void)state;
	assert_int_equal(rvtrace_event_strings_add(strings, &one, 50, &string), 0);
	assert_int_equal(rvtrace_event_strings_add(strings, &other, 51, &string), 1);
	is_string(&string, "bbb", false);
	/* It goes on elsewhere. */
	one.source = 3;
	one.value = part("c", 64);
	assert_int_equal(rvtrace_event_strings_add(strings, &one, 50, &string), 1);
	is_string(&string, "aaaaaaaac", false);
	rvtrace_event_strings_free(strings);
}

static void strings_without_an_end(void **state)
{
	struct rvtrace_event_strings *strings = rvtrace_event_strings_new(true);
	struct rvtrace_event_string string;
	struct rvtrace_event last;

	(void)state;
	assert_int_equal(rvtrace_event_strings_end(strings, &last, &string), 0);
	assert_int_equal(add(strings, event_of(2, part("abcdefgh", 64), 64), &string), 0);
	assert_int_equal(add(strings, event_of(1, part("ijklmnop", 64), 64), &string), 0);
	assert_int_equal(add(strings, event_of(2, part("qrstuvwx", 64), 64), &string), 0);
	assert_int_equal(add(strings, event_of(3, part("y", 64), 64), &string), 1);
	/* The one that waits longest */
	assert_int_equal(rvtrace_event_strings_end(strings, &last, &string), 1);
	is_string(&string, "ijklmnop", true);
	assert_int_equal(last.id, 1);
	assert_int_equal(rvtrace_event_strings_end(strings, &last, &string), 1);
	is_string(&string, "abcdefghqrstuvwx", true);
	assert_int_equal(last.value, part("qrstuvwx", 64));
	assert_int_equal(rvtrace_event_strings_end(strings, &last, &string), 0);
	rvtrace_event_strings_free(strings);
}

/* Where the trace is not one of Linux, its identifiers are as all others. */
static void no_stm_class(void **state)
{
	struct rvtrace_event_strings *strings = rvtrace_event_strings_new(false);
	struct rvtrace_event_string string;

	(void)state;
	assert_int_equal(add(strings, event_of(0xe050, part("abcdefgh", 64), 64), &string), 0);
	assert_int_equal(add(strings, event_of(0xe050, part("i", 64), 64), &string), 1);
	is_string(&string, "abcdefghi", false);
	rvtrace_event_strings_free(strings);
}

static void long_strings(void **state)
{
	struct rvtrace_event_strings *strings = rvtrace_event_strings_new(true);
	struct rvtrace_event_string string;
	size_t length = 0, parts = 0, i;
	int ret;

	(void)state;
	for (i = 0; i < 1000; i++) {
		ret = add(strings, event_of(1, part("abcdefgh", 64), 64), &string);
		assert_in_range(ret, 0, 1);
		if (!ret)
			continue;
		assert_true(string.more);
		assert_int_equal(strlen(string.text), string.length);
		length += string.length;
		parts++;
	}
	assert_int_equal(add(strings, event_of(1, 0, 64), &string), 1);
	assert_false(string.more);
	assert_int_equal(length + string.length, 8000);
	assert_in_range(parts, 7, 8);
	rvtrace_event_strings_free(strings);
}

static void too_many_strings(void **state)
{
	struct rvtrace_event_strings *strings = rvtrace_event_strings_new(true);
	struct rvtrace_event_string string;
	size_t i;

	(void)state;
	for (i = 1; i <= RVTRACE_EVENT_STRINGS_MAX; i++)
		assert_int_equal(add(strings, event_of(i, 'a', 8), &string), 0);
	assert_int_equal(rvtrace_event_strings_dropped(strings), 0);
	assert_int_equal(add(strings, event_of(1, 'b', 8), &string), 0);
	assert_int_equal(add(strings, event_of(i, 'c', 8), &string), 0);
	assert_int_equal(rvtrace_event_strings_dropped(strings), 1);
	assert_int_equal(add(strings, event_of(1, 0, 8), &string), 1);
	is_string(&string, "ab", false);
	/* What goes on of the one that was dropped, or seems to */
	assert_int_equal(add(strings, event_of(2, 'd', 8), &string), 0);
	assert_int_equal(add(strings, event_of(2, 0, 8), &string), 1);
	is_string(&string, "d", true);
	assert_int_equal(add(strings, event_of(2, 'e', 8), &string), 0);
	assert_int_equal(add(strings, event_of(2, 0, 8), &string), 1);
	is_string(&string, "e", false);
	rvtrace_event_strings_free(strings);
}

#define THREADS	40

/* Random strings of threads that interrupt each other anywhere come out whole. */
static void random_strings(void **state)
{
	struct rvtrace_event_strings *strings = rvtrace_event_strings_new(true);
	char text[THREADS][64] = { }, *at[THREADS] = { };
	struct rvtrace_event_string string;
	unsigned int round, whole = 0;

	(void)state;
	for (round = 0; round < 100000; round++) {
		unsigned int t = rnd(THREADS), width = t % 2 ? 32 : 64, i, count, length;
		struct rvtrace_event event;

		if (!at[t]) {
			length = rnd(60);
			for (i = 0; i < length; i++)
				text[t][i] = 1 + rnd(255);
			text[t][length] = 0;
			at[t] = text[t];
		}
		event = event_of(1 + t % 3, part(at[t], width), width);
		event.flags = RVTRACE_EVENT_HAS_THREAD;
		event.thread = t;
		event.source = rnd(4);
		count = strlen(at[t]);
		assert_int_equal(add(strings, event, &string), count < width / 8);
		if (count >= width / 8) {
			at[t] += width / 8;
			continue;
		}
		is_string(&string, text[t], false);
		at[t] = NULL;
		whole++;
	}
	assert_true(whole > 10000);
	rvtrace_event_strings_free(strings);
}

static void durations(void **state)
{
	struct rvtrace_event_pair *pair = rvtrace_event_pair_new();
	struct rvtrace_event_pair_stats stats;
	uint64_t duration, i;

	(void)state;
	rvtrace_event_pair_stats(pair, &stats);
	assert_int_equal(stats.count, 0);
	assert_int_equal(stats.max, 0);
	/* 1 to 200, in no order, several at the same time */
	for (i = 1; i <= 200; i++)
		assert_int_equal(rvtrace_event_pair_begin(pair, 0, i * 7 % 211, 1000 + i), 0);
	for (i = 200; i; i--) {
		assert_int_equal(rvtrace_event_pair_end(pair, 0, i * 7 % 211, 1000 + 2 * i,
							&duration), 1);
		assert_int_equal(duration, i);
	}
	rvtrace_event_pair_stats(pair, &stats);
	assert_int_equal(stats.count, 200);
	assert_int_equal(stats.min, 1);
	assert_int_equal(stats.median, 100);
	assert_int_equal(stats.p99, 198);
	assert_int_equal(stats.max, 200);
	assert_int_equal(stats.open, 0);
	/* One more, and the number in the middle is rounded up. */
	rvtrace_event_pair_begin(pair, 0, 1, 0);
	assert_int_equal(rvtrace_event_pair_end(pair, 0, 1, UINT64_MAX, &duration), 1);
	rvtrace_event_pair_stats(pair, &stats);
	assert_int_equal(stats.median, 101);
	assert_int_equal(stats.p99, 199);
	assert_true(stats.max == UINT64_MAX);
	rvtrace_event_pair_free(pair);
}

static void pairs_that_are_none(void **state)
{
	struct rvtrace_event_pair *pair = rvtrace_event_pair_new();
	struct rvtrace_event_pair_stats stats;
	uint64_t duration = 77;

	(void)state;
	assert_int_equal(rvtrace_event_pair_end(pair, 0, 1, 5, &duration), 0);
	rvtrace_event_pair_begin(pair, 0, 1, 10);
	/* Another value, another scope */
	assert_int_equal(rvtrace_event_pair_end(pair, 0, 2, 11, &duration), 0);
	assert_int_equal(rvtrace_event_pair_end(pair, 1, 1, 11, &duration), 0);
	/* Back in time */
	assert_int_equal(rvtrace_event_pair_end(pair, 0, 1, 9, &duration), 0);
	assert_int_equal(duration, 77);
	/* The last one that began ends first. */
	rvtrace_event_pair_begin(pair, 0, 1, 20);
	rvtrace_event_pair_begin(pair, 0, 1, 30);
	assert_int_equal(rvtrace_event_pair_end(pair, 0, 1, 31, &duration), 1);
	assert_int_equal(duration, 1);
	rvtrace_event_pair_lost(pair);
	assert_int_equal(rvtrace_event_pair_end(pair, 0, 1, 40, &duration), 0);
	rvtrace_event_pair_begin(pair, 0, 3, 50);
	rvtrace_event_pair_stats(pair, &stats);
	assert_int_equal(stats.count, 1);
	assert_int_equal(stats.ends, 4);
	assert_int_equal(stats.backward, 1);
	assert_int_equal(stats.cut, 1);
	assert_int_equal(stats.open, 1);
	rvtrace_event_pair_free(pair);
}

static void too_many_pairs(void **state)
{
	struct rvtrace_event_pair *pair = rvtrace_event_pair_new();
	uint64_t i;

	(void)state;
	for (i = 0; i < RVTRACE_EVENT_PAIRS_MAX; i++)
		assert_int_equal(rvtrace_event_pair_begin(pair, 0, i, i), 0);
	assert_int_equal(rvtrace_event_pair_begin(pair, 0, i, i), RVTRACE_ERR_BUSY);
	assert_int_equal(rvtrace_event_pair_end(pair, 0, 5, 6, NULL), 1);
	assert_int_equal(rvtrace_event_pair_begin(pair, 0, i, i), 0);
	rvtrace_event_pair_free(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(name_of_a_thread),
		cmocka_unit_test(strings_of_many),
		cmocka_unit_test(what_the_stm_class_wrote),
		cmocka_unit_test(strings_behind_a_loss),
		cmocka_unit_test(strings_of_numbers),
		cmocka_unit_test(strings_without_an_end),
		cmocka_unit_test(no_stm_class),
		cmocka_unit_test(long_strings),
		cmocka_unit_test(too_many_strings),
		cmocka_unit_test(random_strings),
		cmocka_unit_test(durations),
		cmocka_unit_test(pairs_that_are_none),
		cmocka_unit_test(too_many_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
