// SPDX-License-Identifier: GPL-2.0
/* What each thread did, and who ran, from records of tasks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <rvtrace/switches.h>
#include <rvtrace/threads.h>

#define TEST(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)

static struct rvtrace_threads *threads;
static struct rvtrace_switches *switches;
static struct rvtrace_stretch at;
static int32_t process;	/* of the next records, or 0: the thread's own number */

static int setup(void **state)
{
	(void)state;
	process = 0;
	threads = rvtrace_threads_new();
	switches = rvtrace_switches_new(NULL);
	return !threads || !switches;
}

static int teardown(void **state)
{
	(void)state;
	rvtrace_threads_free(threads);
	rvtrace_switches_free(switches);
	return 0;
}

/* Ids are tids here, but for those of idle tasks. */
static void add(uint64_t time, unsigned int cpu, uint16_t event, int32_t tid, int32_t other,
		uint16_t flags)
{
	struct rvtrace_record_task task = {
		.header = {
			.size = sizeof(task), .type = RVTRACE_RECORD_TASK, .cpu = cpu, .time = time,
		},
		.id = tid ? (uint64_t)tid : 1000000 + cpu, .pid = process ?: tid, .tid = tid, .other = other,
		.event = event, .flags = flags,
	};

	memcpy(task.comm, "sixteen letters.", sizeof(task.comm));
	assert_int_equal(rvtrace_threads_add(threads, &task.header), 0);
	assert_int_equal(rvtrace_switches_add_task(switches, &task), 0);
}

static void end(uint64_t time)
{
	struct rvtrace_record_session_end record = {
		.header = {
			.size = sizeof(record), .type = RVTRACE_RECORD_SESSION_END, .time = time,
		},
	};

	assert_int_equal(rvtrace_threads_add(threads, &record.header), 0);
}

static const struct rvtrace_thread *thread(int32_t tid)
{
	const struct rvtrace_thread *t;
	size_t i;

	for (i = 0; (t = rvtrace_threads_get(threads, i)); i++)
		if (t->tid == tid)
			return t;
	fail();
	return NULL;
}

static void time_is_of_who_runs(void **state)
{
	(void)state;
	add(100, 0, RVTRACE_TASK_RUNS, 7, 0, 0);
	add(110, 1, RVTRACE_TASK_RUNS, 0, 0, RVTRACE_TASK_KERNEL);
	add(150, 0, RVTRACE_TASK_SWITCH, 8, 7, 0);
	add(160, 1, RVTRACE_TASK_SWITCH, 7, 0, 0);
	add(190, 0, RVTRACE_TASK_SWITCH, 7, 8, 0);
	end(200);
	assert_int_equal(thread(7)->run_ns, 50 + 40 + 10);
	assert_int_equal(thread(7)->switches, 2);
	assert_int_equal(thread(7)->migrations, 2);
	assert_int_equal(thread(8)->run_ns, 40);
	assert_int_equal(thread(8)->migrations, 0);
	assert_int_equal(thread(0)->run_ns, 50);
	assert_true(thread(0)->kernel);
	assert_string_equal(thread(8)->comm, "sixteen letters.");
	assert_int_equal(rvtrace_threads_sum(threads)->switches, 3);
	assert_int_equal(rvtrace_threads_sum(threads)->gaps, 0);
	assert_int_equal(rvtrace_threads_sum(threads)->unknown_ns, 0);
	assert_true(rvtrace_switches_at(switches, 0, 189, &at));
	assert_int_equal(at.tid, 8);
	assert_int_equal(at.from, 150);
	assert_int_equal(at.until, 190);
	assert_false(rvtrace_switches_at(switches, 0, 99, &at));
}

static void after_a_loss_nobody_is_known_to_run(void **state)
{
	(void)state;
	add(100, 0, RVTRACE_TASK_RUNS, 7, 0, 0);
	add(105, 1, RVTRACE_TASK_RUNS, 9, 0, 0);
	add(120, 0, RVTRACE_TASK_SWITCH, 8, 7, 0);
	add(150, 0, RVTRACE_TASK_SWITCH, 7, 5, RVTRACE_TASK_LOST);
	add(180, 1, RVTRACE_TASK_SWITCH, 9, 4, 0);
	end(200);
	assert_int_equal(thread(7)->run_ns, 20 + 50);
	assert_int_equal(thread(8)->run_ns, 0);
	/* what was lost may be of right after 105 */
	assert_int_equal(thread(9)->run_ns, 20);
	assert_int_equal(rvtrace_threads_sum(threads)->gaps, 1);
	assert_int_equal(rvtrace_threads_sum(threads)->unknown_ns, 30 + 75);
	assert_false(rvtrace_switches_at(switches, 0, 149, &at));
	assert_false(rvtrace_switches_at(switches, 1, 106, &at));
	assert_int_equal(at.from, 106);
	assert_int_equal(at.until, 180);
	assert_true(rvtrace_switches_at(switches, 0, 150, &at));
	assert_int_equal(at.tid, 7);
}

/* A record that is of no switch tells as well what was not lost. */
static void any_record_ends_what_is_known(void **state)
{
	(void)state;
	add(100, 0, RVTRACE_TASK_RUNS, 7, 0, 0);
	add(105, 1, RVTRACE_TASK_RUNS, 9, 0, 0);
	add(140, 0, RVTRACE_TASK_FORK, 8, 7, 0);
	add(150, 0, RVTRACE_TASK_EXIT, 7, 0, RVTRACE_TASK_LOST);
	add(155, 0, RVTRACE_TASK_EXIT, 8, 0, RVTRACE_TASK_LOST);
	end(160);
	assert_int_equal(thread(7)->run_ns, 40);
	assert_int_equal(thread(9)->run_ns, 0);
	assert_int_equal(rvtrace_threads_sum(threads)->unknown_ns, 20 + 55);
	assert_true(rvtrace_switches_at(switches, 0, 139, &at));
	assert_false(rvtrace_switches_at(switches, 1, 139, &at));
	assert_false(rvtrace_switches_at(switches, 1, 140, &at));
	assert_int_equal(at.until, UINT64_MAX);
}

/* Records of one CPU may come before older ones of another. */
static void a_loss_is_not_before_what_is_known(void **state)
{
	struct rvtrace_stretch first, second;

	(void)state;
	add(100, 0, RVTRACE_TASK_RUNS, 7, 0, 0);
	add(100, 1, RVTRACE_TASK_RUNS, 9, 0, 0);
	add(120, 0, RVTRACE_TASK_SWITCH, 8, 7, 0);
	add(119, 1, RVTRACE_TASK_SWITCH, 5, 9, RVTRACE_TASK_LOST);
	end(200);
	assert_int_equal(thread(5)->run_ns, 81);
	assert_int_equal(thread(9)->run_ns, 0);
	assert_int_equal(rvtrace_threads_sum(threads)->unknown_ns, 80 + 19);
	assert_true(rvtrace_switches_get(switches, 0, 0, &first));
	assert_true(rvtrace_switches_get(switches, 0, 1, &second));
	assert_true(first.known && second.known);
	assert_int_equal(first.until, 120);
	assert_int_equal(second.until, 121);
	assert_true(rvtrace_switches_at(switches, 1, 119, &at));
	assert_int_equal(at.tid, 5);
}

static void only_who_runs_is_a_switch(void **state)
{
	(void)state;
	add(100, 0, RVTRACE_TASK_FORK, 8, 7, 0);
	add(110, 0, RVTRACE_TASK_RENAME, 8, 0, 0);
	add(120, 0, RVTRACE_TASK_EXIT, 8, 0, 0);
	assert_false(rvtrace_switches_any(switches));
	add(130, 0, RVTRACE_TASK_RUNS, 7, 0, 0);
	assert_true(rvtrace_switches_any(switches));
}

static void one_that_took_the_place_of_another_shows_what_is_missing(void **state)
{
	(void)state;
	add(100, 0, RVTRACE_TASK_RUNS, 7, 0, 0);
	add(120, 0, RVTRACE_TASK_SWITCH, 8, 7, 0);
	add(150, 0, RVTRACE_TASK_SWITCH, 7, 5, 0);
	end(160);
	assert_int_equal(thread(8)->run_ns, 0);
	assert_int_equal(rvtrace_threads_sum(threads)->gaps, 1);
	assert_int_equal(rvtrace_threads_sum(threads)->unknown_ns, 30);
	assert_false(rvtrace_switches_at(switches, 0, 130, &at));
}

/* What others do on its CPU does not show that a thread still runs there; what it does, does. */
static void what_shows_that_a_thread_still_runs(void **state)
{
	(void)state;
	add(100, 0, RVTRACE_TASK_RUNS, 7, 0, 0);
	add(120, 0, RVTRACE_TASK_FORK, 8, 7, 0);
	add(140, 0, RVTRACE_TASK_FORK, 10, 8, 0);
	add(150, 0, RVTRACE_TASK_RENAME, 8, 0, 0);
	add(160, 0, RVTRACE_TASK_EXIT, 10, 0, 0);
	add(200, 0, RVTRACE_TASK_SWITCH, 9, 8, 0);
	end(210);
	assert_int_equal(rvtrace_threads_sum(threads)->gaps, 1);
	assert_int_equal(thread(7)->run_ns, 20);
	assert_true(rvtrace_switches_at(switches, 0, 119, &at));
	assert_false(rvtrace_switches_at(switches, 0, 120, &at));
	assert_int_equal(at.until, 200);
}

static void time_does_not_go_back_on_a_cpu(void **state)
{
	(void)state;
	add(100, 0, RVTRACE_TASK_RUNS, 7, 0, 0);
	add(150, 0, RVTRACE_TASK_SWITCH, 8, 7, 0);
	add(140, 0, RVTRACE_TASK_SWITCH, 9, 8, 0);
	end(160);
	assert_int_equal(rvtrace_threads_sum(threads)->records, 2);
	assert_int_equal(thread(8)->run_ns, 10);
	assert_true(rvtrace_switches_at(switches, 0, 155, &at));
	assert_int_equal(at.tid, 8);
}

static void between_sessions_nobody_is_asked_for(void **state)
{
	(void)state;
	add(100, 0, RVTRACE_TASK_RUNS, 7, 0, 0);
	end(200);
	add(300, 0, RVTRACE_TASK_RUNS, 8, 0, 0);
	end(400);
	assert_int_equal(thread(7)->run_ns, 100);
	assert_int_equal(thread(8)->run_ns, 100);
	assert_int_equal(rvtrace_threads_sum(threads)->unknown_ns, 0);
	assert_int_equal(rvtrace_threads_sum(threads)->gaps, 0);
}

static void exec_of_a_thread_makes_it_another(void **state)
{
	(void)state;
	process = 6;
	add(100, 0, RVTRACE_TASK_RUNS, 7, 0, 0);
	add(110, 0, RVTRACE_TASK_FORK, 8, 7, 0);
	add(120, 0, RVTRACE_TASK_SWITCH, 8, 7, 0);
	add(130, 0, RVTRACE_TASK_EXIT, 7, 0, 0);
	/* before the record of it */
	add(132, 0, RVTRACE_TASK_SWITCH, 7, 6, 0);
	add(136, 0, RVTRACE_TASK_SWITCH, 8, 7, 0);
	add(140, 0, RVTRACE_TASK_EXEC, 6, 8, 0);
	add(150, 0, RVTRACE_TASK_SWITCH, 0, 6, RVTRACE_TASK_KERNEL);
	assert_int_equal(thread(8)->run_ns, 12 + 4);
	assert_int_equal(thread(6)->run_ns, 10);
	assert_int_equal(thread(6)->switches, 0);
	assert_true(thread(8)->forked && thread(7)->exited && !thread(8)->exited);
	assert_true(rvtrace_switches_at(switches, 0, 139, &at));
	assert_int_equal(at.tid, 8);
	assert_true(rvtrace_switches_at(switches, 0, 140, &at));
	assert_int_equal(at.tid, 6);
	assert_int_equal(at.until, 150);
	assert_int_equal(rvtrace_threads_sum(threads)->gaps, 0);
}

/* On another CPU thread 8 of it executes another program, and takes its number. */
static void the_first_thread_of_a_process_dies_under_another_number(void **state)
{
	struct rvtrace_stretch stretch;

	(void)state;
	process = 6;
	add(100, 0, RVTRACE_TASK_RUNS, 6, 0, 0);
	add(110, 0, RVTRACE_TASK_EXIT, 6, 0, 0);
	process = 0;
	add(130, 0, RVTRACE_TASK_SWITCH, 9, 8, 0);
	assert_int_equal(thread(6)->run_ns, 30);
	assert_int_equal(rvtrace_threads_sum(threads)->gaps, 0);
	assert_true(rvtrace_switches_at(switches, 0, 120, &stretch));
	assert_int_equal(stretch.tid, 6);
	assert_int_equal(stretch.until, 130);
	/* nobody else does */
	add(150, 0, RVTRACE_TASK_SWITCH, 7, 5, 0);
	assert_int_equal(rvtrace_threads_sum(threads)->gaps, 1);
	assert_false(rvtrace_switches_at(switches, 0, 140, &stretch));
}

/* It ended, and others ran, before it is changed to once more and its number is another. */
static void an_ended_thread_is_changed_to_once_more(void **state)
{
	struct rvtrace_stretch stretch;

	(void)state;
	process = 6;
	add(100, 0, RVTRACE_TASK_RUNS, 6, 0, 0);
	add(110, 0, RVTRACE_TASK_EXIT, 6, 0, 0);
	process = 0;
	add(120, 0, RVTRACE_TASK_SWITCH, 9, 6, 0);
	process = 6;
	add(140, 1, RVTRACE_TASK_SWITCH, 6, 9, 0);
	process = 0;
	add(150, 1, RVTRACE_TASK_SWITCH, 9, 8, 0);
	assert_int_equal(thread(6)->run_ns, 30);
	assert_int_equal(rvtrace_threads_sum(threads)->gaps, 0);
	assert_true(rvtrace_switches_at(switches, 1, 145, &stretch));
	assert_int_equal(stretch.tid, 6);
	assert_int_equal(stretch.until, 150);
}

static void exec_is_no_switch(void **state)
{
	struct rvtrace_stretch stretch;

	(void)state;
	add(100, 0, RVTRACE_TASK_RUNS, 7, 0, 0);
	add(110, 0, RVTRACE_TASK_EXEC, 7, 7, 0);
	add(120, 0, RVTRACE_TASK_SWITCH, 8, 7, 0);
	assert_true(rvtrace_switches_get(switches, 0, 0, &stretch));
	assert_int_equal(stretch.until, 120);
	assert_true(rvtrace_switches_get(switches, 0, 1, &stretch));
	assert_int_equal(stretch.tid, 8);
}

static void what_cannot_be_is_left_out(void **state)
{
	(void)state;
	add(100, 0, RVTRACE_TASK_RUNS, 7, 0, 0);
	add(150, 0, RVTRACE_TASK_SWITCH, 8, 7, 0);
	add(120, 0, RVTRACE_TASK_SWITCH, 7, 8, 0);
	add(160, 60000, RVTRACE_TASK_SWITCH, 7, 8, 0);
	end(160);
	assert_int_equal(thread(7)->run_ns, 50);
	assert_int_equal(thread(8)->run_ns, 10);
	assert_int_equal(rvtrace_threads_sum(threads)->gaps, 0);
}

static void many_threads_are_kept_apart(void **state)
{
	int i;

	(void)state;
	add(1, 0, RVTRACE_TASK_RUNS, 1, 0, 0);
	for (i = 2; i <= 5000; i++)
		add(i, 0, RVTRACE_TASK_SWITCH, i, i - 1, 0);
	for (i = 1; i < 5000; i++)
		assert_int_equal(rvtrace_threads_get(threads, i - 1)->run_ns, 1);
	assert_null(rvtrace_threads_get(threads, 5000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(time_is_of_who_runs),
		TEST(after_a_loss_nobody_is_known_to_run),
		TEST(any_record_ends_what_is_known),
		TEST(a_loss_is_not_before_what_is_known),
		TEST(only_who_runs_is_a_switch),
		TEST(one_that_took_the_place_of_another_shows_what_is_missing),
		TEST(what_shows_that_a_thread_still_runs),
		TEST(time_does_not_go_back_on_a_cpu),
		TEST(between_sessions_nobody_is_asked_for),
		TEST(exec_of_a_thread_makes_it_another),
		TEST(the_first_thread_of_a_process_dies_under_another_number),
		TEST(an_ended_thread_is_changed_to_once_more),
		TEST(exec_is_no_switch),
		TEST(what_cannot_be_is_left_out),
		TEST(many_threads_are_kept_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
