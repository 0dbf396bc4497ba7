// SPDX-License-Identifier: GPL-2.0
/* Firmware that installs debug triggers: what it reads, and where it answers. */
#include <kunit/test.h>

#include "../dbtr.h"

#define SENTINEL	0x5e5e5e5eUL

/*
 * The word in which firmware answers: up to OpenSBI 1.6 the fifth, after those that it reads; from
 * 1.7 on, and in SBI 3.0, the first of four.
 */
static const unsigned int answers[] = { 4, 0 };

static void number_is_found_wherever_it_is(struct kunit *test)
{
	unsigned long words[RVTRACE_DBTR_WORDS + 1];

	for (unsigned int i = 0; i < ARRAY_SIZE(answers); i++) {
		for (unsigned long number = 0; number < 32; number++) {
			words[RVTRACE_DBTR_WORDS] = SENTINEL;
			rvtrace_dbtr_ask(words, 6, 0xffffffff80001000UL);
			words[answers[i]] = number;
			KUNIT_ASSERT_EQ(test, rvtrace_dbtr_number(words), number);
			KUNIT_ASSERT_EQ(test, words[RVTRACE_DBTR_WORDS], SENTINEL);
		}
	}
}

/* Words that the last one left do not pass for an answer. */
static void nothing_is_left_of_the_last_one(struct kunit *test)
{
	unsigned long words[RVTRACE_DBTR_WORDS];

	for (unsigned int i = 0; i < ARRAY_SIZE(answers); i++) {
		rvtrace_dbtr_ask(words, 6, 0x1000);
		words[answers[i]] = 3;
		rvtrace_dbtr_ask(words, 6, 0x1000);
		words[answers[i]] = 1;
		KUNIT_ASSERT_EQ(test, rvtrace_dbtr_number(words), 1);
	}
}

/* Debug specification 1.0, "Trigger Registers": action 4, execute, S-mode, not dmode, not M. */
static void trigger_is_one_that_notifies(struct kunit *test)
{
	unsigned long words[RVTRACE_DBTR_WORDS];

	rvtrace_dbtr_ask(words, 6, 0xffffffff80001002UL);
	KUNIT_ASSERT_EQ(test, words[0], 0);
	KUNIT_ASSERT_EQ(test, words[1], 0x6000000000004014UL);
	KUNIT_ASSERT_EQ(test, words[2], 0xffffffff80001002UL);
	KUNIT_ASSERT_EQ(test, words[3], 0);
	rvtrace_dbtr_ask(words, 2, 0xffffffff80001002UL);
	KUNIT_ASSERT_EQ(test, words[1], 0x2000000000004014UL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(number_is_found_wherever_it_is),
	KUNIT_CASE(nothing_is_left_of_the_last_one),
	KUNIT_CASE(trigger_is_one_that_notifies),
	{ }
};

static struct kunit_suite suite = {
	.name = "rvtrace-dbtr",
	.test_cases = cases,
};

kunit_test_suite(suite);
