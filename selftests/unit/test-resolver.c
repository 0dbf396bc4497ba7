// SPDX-License-Identifier: GPL-2.0
/* Whose code a hart executes at any time of a recording. */
#include "selftests/unit/resolver-fixture.h"

static void timestamps_are_near_to_the_first_moment(void **state)
{
	(void)state;
	load();
	assert_int_equal(bench.config.time_near, 1000000 / TICK);
}

static void switches_name_the_process(void **state)
{
	(void)state;
	add_switch(&bench.sideband, 1000, 0, 10, 1);
	add_fork(&bench.sideband, 2000, 20, 20, 10);
	add_switch(&bench.sideband, 3000, 0, 20, 1);
	add_comm(&bench.sideband, 4000, 20, "ls", 1);
	add_switch(&bench.sideband, 5000, 0, 0, 1);
	load();
	ask(0, -1, 500);
	assert_int_equal(pid(), -1);
	assert_int_equal(bench.place.until, 10);
	assert_int_equal(user_at(0x10000), 0);
	ask(0, -1, 1000);
	assert_int_equal(pid(), 10);
	assert_int_equal(bench.place.thread, 10);
	assert_int_equal(user_at(0x10000), 1);
	assert_int_equal(bench.place.from, 10);
	assert_int_equal(bench.place.until, 30);
	ask(0, -1, 3000);
	assert_int_equal(pid(), 20);
	assert_int_equal(user_at(0x10000), 1);
	assert_int_equal(bench.place.until, 40);
	ask(0, -1, 4000);
	assert_int_equal(pid(), 20);
	assert_int_equal(user_at(0x10000), 0);
	/* another CPU, of which nothing is known */
	ask(1, -1, 3000);
	assert_int_equal(pid(), -1);
	assert_int_equal(bench.place.thread, -1);
	/* without a time */
	ask(0, -1, -1);
	assert_int_equal(pid(), -1);
}

/* For a millisecond; then it is asked again. */
static void a_thread_is_new_for_a_while(void **state)
{
	(void)state;
	add_switch(&bench.sideband, 1000, 0, 10, 1);
	add_switch(&bench.sideband, 9000000, 0, 20, 1);
	load();
	ask(0, -1, 500);
	assert_false(bench.place.thread_new);
	ask(0, -1, 1000);
	assert_true(bench.place.thread_new);
	assert_int_equal(bench.place.until, 1001000 / TICK);
	ask(0, -1, 1000999);
	assert_true(bench.place.thread_new);
	ask(0, -1, 1001000);
	assert_false(bench.place.thread_new);
	assert_int_equal(bench.place.thread, 10);
	assert_int_equal(bench.place.until, 9000000 / TICK);
}

#define TASK(n)	(0xffffffd000000000 + (n))

static void task(uint64_t time, int32_t tid, int32_t other)
{
	const struct rvtrace_record_task r = {
		.header = { .size = sizeof(r), .type = RVTRACE_RECORD_TASK, .time = time },
		.event = other ? RVTRACE_TASK_SWITCH : RVTRACE_TASK_RUNS,
		.id = tid, .pid = tid, .tid = tid, .other = other, .task = TASK(tid),
	};

	record(&r, sizeof(r));
}

/* What harts write to tp, if records know it about then, comes before the time. */
static void tp_tells_the_thread(void **state)
{
	(void)state;
	task(1000000, 10, 0);
	task(3000000, 20, 10);
	task(3020000, 30, 20);
	load();
	assert_int_equal(bench.config.thread_switch, 0x8000);
	bench.task = TASK(20);
	ask(0, -1, 2990000);
	assert_true(bench.place.of_task);
	assert_int_equal(bench.place.thread, 20);
	assert_int_equal(bench.place.from, 3000000 / TICK);
	assert_int_equal(bench.place.until, (3020000 + 1000000) / TICK);
	ask(0, -1, 3030000);
	assert_int_equal(bench.place.thread, 20);
	assert_int_equal(bench.place.from, 3030000 / TICK);
	bench.task = TASK(30);
	ask(0, -1, 3030000);
	assert_int_equal(bench.place.thread, 30);
	assert_true(bench.place.until == UINT64_MAX);
	/* too early, unknown, another CPU, without a time */
	ask(0, -1, 2900000);
	assert_false(bench.place.of_task);
	assert_int_equal(bench.place.thread, 10);
	bench.task = TASK(40);
	ask(0, -1, 2990000);
	assert_int_equal(bench.place.thread, 10);
	bench.task = TASK(20);
	ask(1, -1, 2990000);
	assert_false(bench.place.of_task);
	ask(0, -1, -1);
	assert_false(bench.place.of_task);
	assert_int_equal(bench.place.thread, -1);
}

static void a_context_names_it_without_switches_and_time(void **state)
{
	(void)state;
	context(900, 5, 10);
	load();
	ask(1, 5, 2000);
	assert_int_equal(pid(), 10);
	assert_int_equal(user_at(0x10000), 1);
	assert_true(bench.place.until == UINT64_MAX);
	ask(1, 5, -1);
	assert_int_equal(user_at(0x10000), 1);
	ask(1, 6, 2000);
	assert_int_equal(pid(), -1);
	assert_int_equal(user_at(0x10000), 0);
}

/* Beside a session that others read nobody records what the numbers name. */
static void switches_name_it_where_no_context_is_named(void **state)
{
	(void)state;
	add_switch(&bench.sideband, 1000, 0, 10, 1);
	add_switch(&bench.sideband, 3000, 0, 0, 1);
	load();
	ask(0, 5, 500);
	assert_int_equal(pid(), -1);
	ask(0, 5, 1000);
	assert_int_equal(pid(), 10);
	assert_int_equal(user_at(0x10000), 1);
	assert_int_equal(bench.place.until, 30);
	ask(0, 0, 3000);
	assert_int_equal(user_at(0x10000), 0);
}

static void what_is_mapped_depends_on_the_time(void **state)
{
	(void)state;
	context(900, 5, 10);
	image("a", 2, "\"kind\":\"file\",\"name\":\"/lib/a.so\"");
	image("b", 3, "\"kind\":\"file\",\"name\":\"/lib/b.so\"");
	add_mmap(&bench.sideband, 2000, 10, 0x50000, 0x2000, 0, "/lib/a.so");
	add_mmap(&bench.sideband, 3000, 10, 0x50000, 0x1000, 0, "/lib/b.so");
	/* nobody has this one: what it covers is not seen */
	add_mmap(&bench.sideband, 4000, 10, 0x51000, 0x1000, 0, "/lib/c.so");
	load();
	ask(0, 5, 1999);
	assert_int_equal(user_at(0x50000), 0);
	assert_int_equal(bench.place.until, 20);
	ask(0, 5, 2000);
	assert_int_equal(user_at(0x50000), 2);
	assert_int_equal(user_at(0x10000), 1);
	assert_int_equal(bench.place.until, 30);
	ask(0, 5, 3000);
	assert_int_equal(user_at(0x50000), 3);
	assert_int_equal(user_at(0x51000), 2);
	ask(0, 5, -1);
	assert_int_equal(user_at(0x50000), 3);
	assert_int_equal(user_at(0x51000), 0);
	/* and back again, as another hart may be behind */
	ask(1, 5, 2500);
	assert_int_equal(user_at(0x50000), 2);
}

/* What one source still uses stays while others go through hundreds of states. */
static void what_is_in_use_is_kept(void **state)
{
	uint64_t first;
	int i;

	(void)state;
	context(900, 5, 10);
	image("a", 2, "\"kind\":\"file\",\"name\":\"/lib/a.so\"");
	for (i = 0; i < 60; i++)
		add_mmap(&bench.sideband, 2000 + 100 * i, 10, 0x50000 + 0x10000 * i, 0x1000, 0, "/lib/a.so");
	load();
	ask(1, 5, 2050);
	first = bench.place.user;
	for (i = 0; i < 1000; i++) {
		ask(0, 5, 2050 + 100 * (i % 60));
		assert_int_equal(user_at(0x50000 + 0x10000 * (i % 60)), 2);
		assert_int_equal(user_at(0x50000 + 0x10000 * (i % 60 + 1)), 0);
	}
	bench.place.user = first;
	assert_int_equal(user_at(0x50000), 2);
	assert_int_equal(user_at(0x60000), 0);
}

/* Thousands of processes: states are forgotten, and made again when they are needed. */
static void states_that_were_forgotten_are_made_again(void **state)
{
	int i, round;

	(void)state;
	for (i = 0; i < 600; i++) {
		char text[256];

		snprintf(text, sizeof(text), "{\"pid\":%d,\"comm\":\"p\",\"time\":500,\"maps\":["
			 "{\"start\":\"0x%x\",\"end\":\"0x%x\",\"offset\":\"0x0\",\"path\":\"/bin/sh\"}]}",
			 100 + i, 0x100000 + i * 0x1000, 0x101000 + i * 0x1000);
		line("images/maps.jsonl", text);
		context(900, 100 + i, 100 + i);
	}
	load();
	for (round = 0; round < 3; round++)
		for (i = 0; i < 600; i++) {
			ask(0, 100 + i, 1000);
			assert_int_equal(user_at(0x100000 + i * 0x1000), 1);
			assert_int_equal(user_at(0x100000 + (i + 1) * 0x1000), 0);
		}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, resolver_setup, resolver_teardown)
	const struct CMUnitTest tests[] = {
		TEST(timestamps_are_near_to_the_first_moment),
		TEST(switches_name_the_process),
		TEST(a_thread_is_new_for_a_while),
		TEST(tp_tells_the_thread),
		TEST(a_context_names_it_without_switches_and_time),
		TEST(switches_name_it_where_no_context_is_named),
		TEST(what_is_mapped_depends_on_the_time),
		TEST(what_is_in_use_is_kept),
		TEST(states_that_were_forgotten_are_made_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
