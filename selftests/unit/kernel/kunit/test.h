/* SPDX-License-Identifier: GPL-2.0 */
/* KUnit suites of the driver's pure functions as cmocka programs on the host. */
#ifndef KERNEL_KUNIT_TEST_H
#define KERNEL_KUNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>

#define __aligned(bytes)	__attribute__((aligned(bytes)))

struct kunit {
	void *priv;
};

struct kunit_case {
	void (*run)(struct kunit *test);
	const char *name;
};

struct kunit_suite {
	const char *name;
	int (*init)(struct kunit *test);
	const struct kunit_case *test_cases;
};

#define KUNIT_CASE(function)	{ function, #function }

#define KUNIT_ASSERT_EQ(test, left, right)	((void)(test), assert_int_equal(left, right))
#define KUNIT_ASSERT_GE(test, left, right)	((void)(test), assert_true((left) >= (right)))
#define KUNIT_ASSERT_LE(test, left, right)	((void)(test), assert_true((left) <= (right)))
#define KUNIT_ASSERT_TRUE(test, condition)	((void)(test), assert_true(condition))
#define KUNIT_ASSERT_FALSE(test, condition)	((void)(test), assert_false(condition))

/**
 * kunit_run() - run a suite
 * @suite: the suite
 *
 * Return: exit status of the program
 */
int kunit_run(const struct kunit_suite *suite);

#define kunit_test_suite(suite)						\
	int main(void)							\
	{								\
		return kunit_run(&(suite));				\
	}								\
	_Static_assert(1, "a semicolon follows")

#endif /* KERNEL_KUNIT_TEST_H */
