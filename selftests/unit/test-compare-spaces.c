// SPDX-License-Identifier: GPL-2.0
/* Which address spaces may be the same memory, when the trace does not name them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "selftests/compare/compare-spaces.h"
#include "selftests/unit/spaces-fixture.h"

/* A process at one time, another at another; the answer is the same both ways. */
static bool may_share(int pid_a, uint64_t ns_a, int pid_b, uint64_t ns_b)
{
	const struct rvtrace_space *a = rvtrace_spaces_of_process(f->spaces, pid_a, ns_a);
	const struct rvtrace_space *b = rvtrace_spaces_of_process(f->spaces, pid_b, ns_b);
	bool answer;

	assert_non_null(a);
	assert_non_null(b);
	answer = compare_may_share(f->spaces, a, b);
	assert_int_equal(compare_may_share(f->spaces, b, a), answer);
	return answer;
}

/* Process 10 forks 20 at 3000 and 21 at 3500; each executes a program 400 later. */
static void add_two_children(void)
{
	add_fork(&f->b, 1000, 10, 10, 5);
	add_fork(&f->b, 3000, 20, 20, 10);
	add_comm(&f->b, 3400, 20, "ls", 1);
	add_fork(&f->b, 3500, 21, 21, 10);
	add_comm(&f->b, 3900, 21, "cat", 1);
	resolve();
}

static void a_child_shares_with_its_parent(void **state)
{
	(void)state;
	add_two_children();
	assert_true(may_share(10, 3100, 20, 3100));
	assert_true(may_share(10, 3600, 21, 3600));
}

/* The hart on which both ran need not have seen their parent in between. */
static void children_of_one_parent_share(void **state)
{
	(void)state;
	add_two_children();
	assert_true(may_share(20, 3100, 21, 3600));
}

static void a_program_has_memory_of_its_own(void **state)
{
	(void)state;
	add_two_children();
	assert_false(may_share(10, 3600, 20, 3600));
	assert_false(may_share(21, 3600, 20, 3600));
	assert_false(may_share(20, 4000, 21, 4000));
}

/* Its children before and after are of other memory. */
static void a_parent_that_starts_a_program_leaves_its_children_behind(void **state)
{
	(void)state;
	add_fork(&f->b, 1000, 10, 10, 5);
	add_fork(&f->b, 3000, 20, 20, 10);
	add_comm(&f->b, 3400, 10, "env", 1);
	add_fork(&f->b, 3500, 21, 21, 10);
	resolve();
	assert_false(may_share(20, 3100, 10, 3450));
	assert_false(may_share(20, 3100, 21, 3600));
	assert_true(may_share(10, 3600, 21, 3600));
}

static void strangers_do_not_share(void **state)
{
	(void)state;
	add_fork(&f->b, 1000, 10, 10, 5);
	add_fork(&f->b, 1100, 11, 11, 6);
	add_fork(&f->b, 3000, 20, 20, 10);
	add_fork(&f->b, 3100, 21, 21, 11);
	resolve();
	assert_false(may_share(10, 1200, 11, 1200));
	assert_false(may_share(20, 3200, 21, 3200));
	assert_false(may_share(10, 3200, 21, 3200));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, spaces_setup, spaces_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_child_shares_with_its_parent),
		TEST(children_of_one_parent_share),
		TEST(a_program_has_memory_of_its_own),
		TEST(a_parent_that_starts_a_program_leaves_its_children_behind),
		TEST(strangers_do_not_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
