// SPDX-License-Identifier: GPL-2.0
/* The comparison with the ground truth: whose threads were decoded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compare-fixture.h"

#define FIRST	1000	/* two stretches of user code, the kernel in between */
#define SECOND	2000
#define LENGTH	100
#define TASK_A	0xffffffd800a1b2c0
#define TASK_B	0xffffffd800a1c300
#define TLS	0x3f95801740

static void add_tp(struct fixture *f, unsigned int priv, uint64_t tp)
{
	add_word(f, 1 | TRUTH_STATE << 1 | priv << 8);
	add_word(f, tp);
	add_word(f, 0);
}

/*
 * The same code, of task @first and then of task @second: the kernel has the task in tp, users what
 * they like, and a trap writes 0 for a moment.
 */
static void run_threads(struct fixture *f, uint64_t first, uint64_t second)
{
	size_t i;

	f->truth.count = 0;
	add_word(f, 1 | TRUTH_BEGIN << 1 | 1 << 8);
	for (i = 0; i < N; i++) {
		if ((i >= FIRST && i < FIRST + LENGTH) || (i >= SECOND && i < SECOND + LENGTH)) {
			f->privs[i] = U;
			f->pcs[i] = 0x5000 + 4 * (i % 10);
		}
		if (i == 0 || i == FIRST + LENGTH)
			add_tp(f, S, first);
		else if (i == FIRST || i == SECOND)
			add_tp(f, U, TLS);
		else if (i == FIRST + LENGTH + 10)
			add_tp(f, S, 0);
		else if (i == FIRST + LENGTH + 20 || i == SECOND + LENGTH)
			add_tp(f, S, second);
		add_word(f, f->pcs[i]);
	}
	add_word(f, 1 | TRUTH_END << 1 | 1 << 8);
}

/* Decoded as threads @a and @b, 0: not known. */
static void add_threads(struct fixture *f, uint64_t a, uint64_t b)
{
	reset_flow(f);
	add_flow(f, 0, FIRST);
	add_item(f, flow_event(FLOW_THREAD, a));
	add_flow(f, FIRST, SECOND);
	add_item(f, flow_event(FLOW_THREAD, b));
	add_flow(f, SECOND, N);
	f->rules.threads = true;
}

/* Those of the kernel are judged as well. */
static void run_both_tasks(struct fixture *f)
{
	run_threads(f, TASK_A, TASK_B);
	f->rules.threads = true;
	f->rules.kernel_threads = true;
}

static void insert_item(struct fixture *f, size_t at, uint64_t item)
{
	memmove(&f->flow[at + 1], &f->flow[at], (f->count - at) * sizeof(f->flow[0]));
	f->count++;
	f->flow[at] = item;
}

static void is_wrong(struct fixture *f, const char *what)
{
	assert_false(compare(f));
	assert_int_equal(f->result.mismatches, 1);
	assert_string_equal(f->result.shown[0].what, what);
}

static void threads_change_where_tasks_do(void **state)
{
	struct fixture *f = *state;

	run_threads(f, TASK_A, TASK_B);
	add_threads(f, 51, 52);
	assert_true(compare(f));
	assert_int_equal(f->result.threaded, 2 * LENGTH);
	add_threads(f, 51, 51);
	is_wrong(f, "another task, yet the thread did not change");
	add_threads(f, 51, 0);
	is_wrong(f, "code of an unknown thread");

	run_threads(f, TASK_A, TASK_A);
	add_threads(f, 51, 51);
	assert_true(compare(f));
	add_threads(f, 51, 52);
	is_wrong(f, "another thread, yet tp did not change");
	f->rules.threads = false;
	assert_true(compare(f));
	assert_int_equal(f->result.threaded, 0);
}

/* The kernel's own: up to the instruction that writes tp, it is of the thread before. */
static void the_kernel_changes_threads(void **state)
{
	struct fixture *f = *state;
	size_t i;

	run_both_tasks(f);
	for (i = 0; i < 3; i++) {
		reset_flow(f);
		add_flow(f, 0, FIRST + LENGTH + 19 + i);
		/* behind the marker, and what is before that */
		insert_item(f, 3, flow_event(FLOW_THREAD, 51));
		add_item(f, flow_event(FLOW_THREAD, 52));
		add_flow(f, FIRST + LENGTH + 19 + i, N);
		assert_int_equal(compare(f), i == 1);
		assert_int_equal(!!f->result.mismatches, i != 1);
		assert_int_equal(f->result.threaded, N);
	}
}

/* Up to there, and for a while: what the kernel executes first may be of no known thread. */
static void the_kernels_first_may_be_unknown(void **state)
{
	struct fixture *f = *state;
	size_t i;

	run_both_tasks(f);
	for (i = 0; i < 3; i++) {
		reset_flow(f);
		add_flow(f, 0, FIRST - 100);
		add_item(f, flow_event(FLOW_LOST, 0));
		if (i == 2)	/* of a user */
			add_flow(f, FIRST, FIRST + LENGTH + 20);
		else
			add_flow(f, FIRST + LENGTH, FIRST + LENGTH + 20 + i);
		insert_item(f, 3, flow_event(FLOW_THREAD, 51));
		insert_item(f, FIRST - 100 + 5, flow_event(FLOW_THREAD, 0));
		add_item(f, flow_event(FLOW_THREAD, 52));
		add_flow(f, FIRST + LENGTH + 20 + (i == 1), N);
		assert_int_equal(compare(f), !i);
		assert_int_equal(!!f->result.mismatches, !!i);
	}
}

/* So may be what follows where a filter passed over others. */
static void behind_what_was_passed_over_too(void **state)
{
	struct fixture *f = *state;
	size_t i;

	run_both_tasks(f);
	for (i = 0; i < 3; i++) {
		reset_flow(f);
		add_flow(f, 0, FIRST + LENGTH);
		insert_item(f, 3, flow_event(FLOW_THREAD, 51));
		if (i)
			add_item(f, flow_event(FLOW_STOPPED, 0));
		add_item(f, flow_event(FLOW_THREAD, 0));
		add_flow(f, FIRST + LENGTH, FIRST + LENGTH + 20);
		/* who ran before is known, and that it is another one */
		add_item(f, flow_event(FLOW_THREAD, i == 2 ? 51 : 52));
		add_flow(f, FIRST + LENGTH + 20, N);
		assert_int_equal(compare(f), i == 1);
		assert_int_equal(!f->result.mismatches, i == 1);
		assert_int_equal(f->result.unknown, i ? 20 : 0);
	}
}

/* In the middle of what one task executed */
static void a_switch_that_was_not(void **state)
{
	struct fixture *f = *state;

	run_threads(f, TASK_A, TASK_B);
	reset_flow(f);
	add_flow(f, 0, FIRST);
	add_item(f, flow_event(FLOW_THREAD, 51));
	add_flow(f, FIRST, FIRST + LENGTH / 2);
	add_item(f, flow_event(FLOW_THREAD, 52));
	add_flow(f, FIRST + LENGTH / 2, N);
	f->rules.threads = true;
	assert_false(compare(f));
	assert_string_equal(f->result.shown[0].what, "another thread, yet tp did not change");
}

static bool is_50_to_51(void *data, uint64_t from, uint64_t to)
{
	(void)data;
	return from == 50 && to == 51;
}

static void one_that_got_another_number(void **state)
{
	struct fixture *f = *state;

	run_threads(f, TASK_A, TASK_A);
	f->rules.renumbered = is_50_to_51;
	add_threads(f, 51, 52);
	assert_true(compare(f));
	assert_int_equal(f->result.threaded, 2 * LENGTH);
	add_threads(f, 52, 51);
	is_wrong(f, "another thread, yet tp did not change");
	add_threads(f, 51, 53);
	is_wrong(f, "another thread, yet tp did not change");

	/* none before, and an unknown one */
	add_threads(f, 0, 51);
	assert_false(compare(f));
	add_threads(f, 51, 0);
	is_wrong(f, "code of an unknown thread");
}

static int64_t is_50(void *data, uint64_t space)
{
	(void)data;
	(void)space;
	return 50;
}

static void who_announces_itself_has_one_thread(void **state)
{
	struct fixture *f = *state;
	uint64_t thread;

	run_threads(f, TASK_A, TASK_B);
	f->rules.pid = is_50;
	for (thread = 50; thread <= 52; thread++) {
		add_threads(f, thread, thread + 100);
		insert_item(f, FIRST + 9, flow_event(FLOW_PID, 50));
		assert_int_equal(compare(f), thread == 51);
		assert_int_equal(f->result.announced, 1);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, compare_setup, compare_teardown)
	const struct CMUnitTest tests[] = {
		TEST(threads_change_where_tasks_do),
		TEST(the_kernel_changes_threads),
		TEST(the_kernels_first_may_be_unknown),
		TEST(behind_what_was_passed_over_too),
		TEST(a_switch_that_was_not),
		TEST(one_that_got_another_number),
		TEST(who_announces_itself_has_one_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
