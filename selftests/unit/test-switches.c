// SPDX-License-Identifier: GPL-2.0
/* Who ran when on which CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "selftests/unit/switches-fixture.h"

static struct rvtrace_stretch at;

static void is(unsigned int cpu, uint64_t ns, int pid, uint64_t from, uint64_t until)
{
	assert_true(rvtrace_switches_at(switches, cpu, ns, &at));
	assert_int_equal(at.pid, pid);
	assert_int_equal(at.from, from);
	assert_int_equal(at.until, until);
}

static void is_unknown(unsigned int cpu, uint64_t ns, uint64_t until)
{
	assert_false(rvtrace_switches_at(switches, cpu, ns, &at));
	assert_false(at.known);
	assert_int_equal(at.until, until);
}

static void every_cpu_has_its_own(void **state)
{
	(void)state;
	add_switch(&b, 100, 0, 7, 1);
	add_switch(&b, 150, 2, 9, 1);
	add_switch(&b, 200, 0, 8, 1);
	build();
	is_unknown(0, 99, 100);
	is(0, 100, 7, 100, 200);
	is(0, 199, 7, 100, 200);
	is(0, 1000, 8, 200, UINT64_MAX);
	is(2, 160, 9, 150, UINT64_MAX);
	is_unknown(1, 160, UINT64_MAX);
	is_unknown(77, 160, UINT64_MAX);
	assert_int_equal(rvtrace_switches_begun(switches, 0, 99), 0);
	assert_int_equal(rvtrace_switches_begun(switches, 0, 100), 1);
	assert_int_equal(rvtrace_switches_begun(switches, 0, 199), 1);
	assert_int_equal(rvtrace_switches_begun(switches, 0, 1000), 2);
	assert_int_equal(rvtrace_switches_begun(switches, 77, 1000), 0);
}

static void who_goes_first_was_there_before(void **state)
{
	(void)state;
	add_switch(&b, 100, 0, 7, 0);
	add_switch(&b, 101, 0, 0, 1);
	build();
	is(0, 5, 7, 0, 101);
	is(0, 101, 0, 101, UINT64_MAX);
}

static void a_dead_task_that_goes_first_is_not_known(void **state)
{
	(void)state;
	add_switch(&b, 100, 0, -1, 0);
	add_switch(&b, 101, 0, 4, 1);
	build();
	is_unknown(0, 50, 101);
	is(0, 101, 4, 101, UINT64_MAX);
}

/* What was lost came after the last event of that CPU, and ends with its next switch. */
static void what_was_lost_is_unknown_there_only(void **state)
{
	(void)state;
	add_switch(&b, 100, 0, 7, 1);
	add_switch(&b, 100, 1, 6, 1);
	add_switch(&b, 200, 0, 8, 1);
	add_comm(&b, 250, 6, "on cpu 1", 0);
	add_lost(&b, 300, 5);
	add_switch(&b, 400, 0, 9, 1);
	build();
	is(0, 150, 7, 100, 200);
	is_unknown(0, 200, 400);
	is_unknown(0, 350, 400);
	is(0, 400, 9, 400, UINT64_MAX);
	is(1, 350, 6, 100, UINT64_MAX);
}

/* Who goes behind a loss was there when it ended. */
static void a_loss_before_anything_is_unknown(void **state)
{
	(void)state;
	add_lost(&b, 300, 5);
	add_switch(&b, 400, 0, 9, 0);
	build();
	is_unknown(0, 299, 300);
	is(0, 300, 9, 300, UINT64_MAX);
}

/* Events began at 300 or a bit before, and once more at 700, after the CPU had gone. */
static void before_events_were_opened_nobody_is_known(void **state)
{
	(void)state;
	add_switch(&b, 290, 0, 3, 0);
	add_lost(&b, 300, 0);
	add_switch(&b, 400, 0, 9, 0);
	add_switch(&b, 410, 0, 8, 1);
	add_switch(&b, 500, 0, 8, 0);
	add_switch(&b, 510, 0, 7, 1);
	add_lost(&b, 700, 0);
	add_switch(&b, 800, 0, 6, 0);
	add_switch(&b, 810, 0, 5, 1);
	build();
	is_unknown(0, 280, 290);
	is_unknown(0, 290, 300);
	is(0, 300, 9, 300, 410);
	is(0, 505, 8, 410, 510);
	is_unknown(0, 510, 700);
	is(0, 700, 6, 700, 810);
	is(0, 810, 5, 810, UINT64_MAX);
}

static void a_dead_task_that_goes_behind_a_loss_is_not_known(void **state)
{
	(void)state;
	add_lost(&b, 300, 0);
	add_switch(&b, 400, 0, -1, 0);
	add_switch(&b, 500, 0, 4, 1);
	build();
	is_unknown(0, 350, 500);
	is(0, 500, 4, 500, UINT64_MAX);
}

static void behind_a_side_band_that_was_cut_nobody_is_known(void **state)
{
	uint64_t first, last;

	(void)state;
	add_switch(&b, 400, 0, 8, 1);
	add_switch(&b, 500, 0, 8, 0);
	add_switch(&b, 510, 0, 7, 1);
	add_switch(&b, 600, 0, 7, 0);
	add_switch(&b, 450, 1, 6, 1);
	build();
	assert_int_equal(rvtrace_switches_cut(switches, &first, &last), 0);
	assert_int_equal(first, 450);
	assert_int_equal(last, 600);
	is(0, 450, 8, 400, 510);
	is(0, 599, 7, 510, 600);
	is_unknown(0, 600, UINT64_MAX);
	is_unknown(1, 450, UINT64_MAX);
}

static void cpus_that_cannot_be_are_ignored(void **state)
{
	(void)state;
	add_switch(&b, 100, 0x7fffffff, 7, 1);
	add_switch(&b, 100, 0, 7, 1);
	build();
	is(0, 100, 7, 100, UINT64_MAX);
	is_unknown(0x7fffffff, 100, UINT64_MAX);
}

static struct rvtrace_record_task task(uint64_t time, uint32_t cpu, uint16_t event, int32_t tid,
				       const char *comm)
{
	struct rvtrace_record_task record = {
		.header = { .size = sizeof(record), .type = RVTRACE_RECORD_TASK, .cpu = cpu,
			    .time = time },
		.event = event, .pid = tid, .tid = tid,
	};

	strncpy(record.comm, comm, sizeof(record.comm));
	return record;
}

/* Whoever gives a name runs on another CPU; that one's records may be a bit older. */
static void a_name_is_where_its_thread_runs(void **state)
{
	const struct rvtrace_record_task records[] = {
		task(100, 0, RVTRACE_TASK_RUNS, 7, "parent"),
		task(100, 1, RVTRACE_TASK_RUNS, 8, "parent"),
		task(300, 0, RVTRACE_TASK_RENAME, 8, "child"),
		task(290, 1, RVTRACE_TASK_SWITCH, 9, "next"),
	};

	(void)state;
	build();
	assert_false(rvtrace_switches_scheduled(switches));
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(rvtrace_switches_add_task(switches, &records[i]), 0);
	assert_true(rvtrace_switches_scheduled(switches));
	assert_string_equal(rvtrace_switches_name(switches, 0, 400), "parent");
	assert_string_equal(rvtrace_switches_name(switches, 1, 200), "parent");
	assert_string_equal(rvtrace_switches_name(switches, 1, 300), "child");
	assert_int_equal(rvtrace_switches_add_task(switches, &records[3]), 0);
	assert_string_equal(rvtrace_switches_name(switches, 1, 299), "parent");
	assert_string_equal(rvtrace_switches_name(switches, 1, 300), "next");
}

/* What the hart wrote to tp says which of them it is, near a time. */
static void who_has_a_task_near_a_time(void **state)
{
	const uint64_t a = 0xffffffd000000000, b = a + 0x1000, other = a + 0x2000;
	struct rvtrace_stretch stretch;
	struct rvtrace_record_task record;

	(void)state;
	build();
	for (unsigned int i = 0; i < 40; i++) {
		record = task(1000000 * (i + 1), 1, i ? RVTRACE_TASK_SWITCH : RVTRACE_TASK_RUNS,
			      i < 30 ? 7 + i % 2 : 9, "");
		record.other = i < 31 ? 8 - i % 2 : 9;
		record.task = i < 30 ? i % 2 ? b : a : i == 39 ? other : 0;
		assert_int_equal(rvtrace_switches_add_task(switches, &record), 0);
	}
	/* around it */
	assert_true(rvtrace_switches_of_task(switches, 1, a, 1500000, &stretch));
	assert_int_equal(stretch.tid, 7);
	assert_int_equal(stretch.from, 1000000);
	assert_int_equal(stretch.until, 2000000);
	/* that has ended lately, or else the next one */
	assert_true(rvtrace_switches_of_task(switches, 1, a, 2049999, &stretch));
	assert_int_equal(stretch.from, 1000000);
	assert_false(rvtrace_switches_of_task(switches, 1, a, 2050000, &stretch));
	assert_false(rvtrace_switches_of_task(switches, 1, a, 2950000, &stretch));
	assert_true(rvtrace_switches_of_task(switches, 1, a, 2950001, &stretch));
	assert_int_equal(stretch.from, 3000000);
	assert_false(rvtrace_switches_of_task(switches, 1, b, 0, &stretch));
	assert_true(rvtrace_switches_of_task(switches, 1, b, 1999999, &stretch));
	assert_int_equal(stretch.tid, 8);
	assert_int_equal(stretch.from, 2000000);
	assert_true(rvtrace_switches_of_task(switches, 1, other, UINT64_MAX / 2, &stretch));
	assert_int_equal(stretch.from, 40000000);
	assert_int_equal(stretch.until, UINT64_MAX);
	/* nobody, and elsewhere */
	assert_false(rvtrace_switches_of_task(switches, 1, 0, 35000000, &stretch));
	assert_false(rvtrace_switches_of_task(switches, 0, a, 1500000, &stretch));
	assert_false(rvtrace_switches_of_task(switches, 2, a, 1500000, &stretch));
	/* an older driver does not say */
	record = task(50000000, 0, RVTRACE_TASK_RUNS, 5, "");
	record.task = a;
	record.header.size = offsetof(struct rvtrace_record_task, task);
	assert_int_equal(rvtrace_switches_add_task(switches, &record), 0);
	assert_false(rvtrace_switches_of_task(switches, 0, a, 50000000, &stretch));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, switches_setup, switches_teardown)
	const struct CMUnitTest tests[] = {
		TEST(every_cpu_has_its_own),
		TEST(who_goes_first_was_there_before),
		TEST(a_dead_task_that_goes_first_is_not_known),
		TEST(what_was_lost_is_unknown_there_only),
		TEST(a_loss_before_anything_is_unknown),
		TEST(before_events_were_opened_nobody_is_known),
		TEST(a_dead_task_that_goes_behind_a_loss_is_not_known),
		TEST(behind_a_side_band_that_was_cut_nobody_is_known),
		TEST(cpus_that_cannot_be_are_ignored),
		TEST(a_name_is_where_its_thread_runs),
		TEST(who_has_a_task_near_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
