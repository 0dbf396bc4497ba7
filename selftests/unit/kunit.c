// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include <kunit/test.h>

static const struct kunit_suite *running;

static void run_case(void **state)
{
	const struct kunit_case *c = *state;
	struct kunit test = {};

	if (running->init)
		assert_int_equal(running->init(&test), 0);
	c->run(&test);
}

int kunit_run(const struct kunit_suite *suite)
{
	const struct kunit_case *c;
	struct CMUnitTest *tests;
	size_t count = 0;
	int ret;

	for (c = suite->test_cases; c->run; c++)
		count++;
	tests = calloc(count, sizeof(*tests));
	if (!tests)
		return EXIT_FAILURE;
	for (size_t i = 0; i < count; i++) {
		tests[i].name = suite->test_cases[i].name;
		tests[i].test_func = run_case;
		tests[i].initial_state = (void *)&suite->test_cases[i];
	}
	running = suite;
	ret = _cmocka_run_group_tests(suite->name, tests, count, NULL, NULL);
	free(tests);
	return ret;
}
