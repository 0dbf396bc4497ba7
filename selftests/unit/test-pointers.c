// SPDX-License-Identifier: GPL-2.0
/* Who ran where in a stream that has writes to tp and no time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "selftests/unit/switches-fixture.h"
#include "tools/lib/process/pointers.h"

#define KERNEL		0xff60000000000000ull
#define TASK(pid)	(KERNEL + 0x1000 * (pid))

static struct rvtrace_pointers *pointers;

static int teardown(void **state)
{
	rvtrace_pointers_free(pointers);
	pointers = NULL;
	return switches_teardown(state);
}

/* Digits: who runs from 100, 200, ... on */
static void run(const char *pids)
{
	for (unsigned int i = 0; pids[i]; i++)
		add_switch(&b, 100 * (i + 1), 0, pids[i] - '0', 1);
	build();
	pointers = rvtrace_pointers_new(switches, 0);
	assert_non_null(pointers);
}

/* Trace that begins at @ns and @offset: whose task is written, 10 nybbles apart */
static void trace(uint64_t ns, uint64_t offset, const char *pids)
{
	assert_int_equal(rvtrace_pointers_begin(pointers, offset, ns), 0);
	for (unsigned int i = 0; pids[i]; i++)
		assert_int_equal(rvtrace_pointers_add(pointers, offset + 10 * i,
						      TASK(pids[i] - '0')), 0);
}

static void match(void)
{
	assert_int_equal(rvtrace_pointers_match(pointers), 0);
}

static void is(uint64_t offset, int pid, uint64_t from)
{
	struct rvtrace_stretch at;

	assert_true(rvtrace_pointers_at(pointers, offset, &at));
	assert_int_equal(at.pid, pid);
	assert_int_equal(at.from, from);
}

static void is_unknown(uint64_t offset)
{
	struct rvtrace_stretch at;

	assert_false(rvtrace_pointers_at(pointers, offset, &at));
	assert_false(at.known);
}

static void switches_are_in_order(void **state)
{
	(void)state;
	run("12131214");
	trace(350, 10, "31214");
	match();
	is_unknown(9);
	is(10, 3, 400);
	is(19, 3, 400);
	is(20, 1, 500);
	is(30, 2, 600);
	is(49, 1, 700);
	is(1000, 4, 800);
}

/* The time is only about right: of what is near to it, only one gives 2 one address. */
static void no_task_has_two_addresses(void **state)
{
	(void)state;
	run("1213121412131214");
	trace(350, 10, "12141213");
	match();
	is(10, 1, 500);
	is(20, 2, 600);
	is(40, 4, 800);
}

static void user_mode_and_traps_do_not_count(void **state)
{
	(void)state;
	run("123");
	assert_int_equal(rvtrace_pointers_begin(pointers, 0, 150), 0);
	assert_int_equal(rvtrace_pointers_add(pointers, 10, TASK(1)), 0);
	assert_int_equal(rvtrace_pointers_add(pointers, 20, 0x3f80001000), 0);
	assert_int_equal(rvtrace_pointers_add(pointers, 30, TASK(1)), 0);
	assert_int_equal(rvtrace_pointers_add(pointers, 40, 0), 0);
	assert_int_equal(rvtrace_pointers_add(pointers, 50, TASK(1)), 0);
	assert_int_equal(rvtrace_pointers_add(pointers, 60, TASK(2)), 0);
	match();
	is(59, 1, 100);
	is(60, 2, 200);
}

/* Behind it what is known of tasks decides. */
static void it_goes_on_behind_a_loss(void **state)
{
	(void)state;
	run("1213141213");
	trace(150, 0, "121314");
	trace(0, 100, "213");
	match();
	is(0, 1, 100);
	is(50, 4, 600);
	is(100, 2, 800);
	is(120, 3, 1000);
}

/* Decoding fails again and again: nothing of it was at a time before that of the last match. */
static void pieces_without_a_match_do_not_go_back(void **state)
{
	(void)state;
	run("1213121");
	trace(150, 0, "1213");
	trace(0, 100, "");
	trace(0, 110, "9");
	trace(0, 120, "");
	trace(0, 130, "9");
	trace(0, 200, "12");
	match();
	is(30, 3, 400);
	is_unknown(110);
	is_unknown(130);
	is(200, 1, 500);
	is(210, 2, 600);
}

static void nothing_is_invented(void **state)
{
	(void)state;
	run("121212");
	trace(150, 0, "1213");
	match();
	is_unknown(0);
	is_unknown(30);
	is_unknown(1000);
}

static void nothing_is_known_before_the_kernel_is_entered(void **state)
{
	(void)state;
	run("12");
	trace(150, 0, "");
	trace(150, 10, "12");
	match();
	is_unknown(0);
	is(10, 1, 100);
	is(20, 2, 200);
}

#define RUN(name)	cmocka_unit_test_setup_teardown(name, switches_setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(switches_are_in_order),
		RUN(no_task_has_two_addresses),
		RUN(user_mode_and_traps_do_not_count),
		RUN(it_goes_on_behind_a_loss),
		RUN(pieces_without_a_match_do_not_go_back),
		RUN(nothing_is_invented),
		RUN(nothing_is_known_before_the_kernel_is_entered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
