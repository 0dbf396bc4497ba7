// SPDX-License-Identifier: GPL-2.0
/* Flow layer: which thread executes, by what harts write to tp. */
#include <string.h>

#include "flow-fixture.h"

#define THREAD_SWITCH	0x8000
#define TASK(n)		(0xffffffd000000000 + 0x1000 * (n))

/* Of tasks 1 to 3, nothing else is known; the third begins to run at 500, the first at 1000. */
static struct rvtrace_flow_query last;

static int resolve(void *data, const struct rvtrace_flow_query *query,
		   struct rvtrace_flow_place *place)
{
	unsigned int n;

	(void)data;
	last = *query;
	for (n = 1; n <= 3; n++)
		if (query->task == TASK(n)) {
			place->of_task = true;
			place->thread = 20 + n;
		}
	if (!query->task && query->time >= 1000)
		place->thread = 21;
	place->process = place->thread < 0 ? RVTRACE_PROCESS_UNKNOWN : place->thread - 10u;
	place->from = query->time;
	if (query->task == TASK(3) && query->time < 500)
		place->from = 500;
	return 0;
}

/* The kernel changes to another task behind the first instruction at 0x100. */
static int setup_tasks(void **state)
{
	setup(state);
	f.config.resolve = resolve;
	f.config.task_switch = 0x102;
	f.config.thread_switch = THREAD_SWITCH;
	put_sync(0, 3, 0, 0x300);
	put_ownership(1, 5);
	return 0;
}

static void put_event(unsigned int id, uint64_t value)
{
	begin_message(RVTRACE_NTRACE_DATA_ACQUISITION, 0);
	nexus_variable(&f.msg, id);
	nexus_variable(&f.msg, value);
	end_message();
}

/* From 0x300 to 0x100, and from there, behind the change, to 0x300 */
static void put_round(void)
{
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0x200, 0);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 3, 0x200, 0);
}

/* Threads of the blocks; -1: not known, 0: no more */
static void are_of_threads(const int *threads)
{
	int i;

	for (i = 0; i < f.count; i++) {
		if (f.items[i].type != RVTRACE_FLOW_BLOCKS)
			continue;
		assert_int_equal(f.items[i].thread, *threads);
		assert_int_equal(f.items[i].process,
				 *threads < 0 ? RVTRACE_PROCESS_UNKNOWN : *threads - 10u);
		threads++;
	}
	assert_int_equal(*threads, 0);
}

static void tp_changes_where_the_kernel_does(void **state)
{
	(void)state;
	put_event(THREAD_SWITCH, TASK(1));
	put_round();
	put_event(THREAD_SWITCH, TASK(2));
	put_round();
	decode();
	are_of_threads((int[]) { -1, -1, 21, 21, 21, 22, 0 });
}

/* The kernel writes it when it is entered, and users write what they like. */
static void what_is_no_other_task_changes_nothing(void **state)
{
	(void)state;
	put_event(THREAD_SWITCH, TASK(1));
	put_round();
	put_event(THREAD_SWITCH, TASK(1));
	put_event(THREAD_SWITCH, 0);
	put_event(THREAD_SWITCH, 0x7fff12345678);
	put_event(THREAD_SWITCH - 1, TASK(2));
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0, 0);
	decode();
	are_of_threads((int[]) { -1, -1, 21, 21, 0 });
}

static void a_task_that_nobody_knows_is_not_taken(void **state)
{
	(void)state;
	put_event(THREAD_SWITCH, TASK(1));
	put_round();
	put_event(THREAD_SWITCH, TASK(9));
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0x200, 0);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 3, 0x200, 0);
	decode();
	are_of_threads((int[]) { -1, -1, 21, -1, -1, -1, 0 });
}

/* Users are known at once; and what was not followed. */
static void who_executes_is_known_where_no_change_can_come(void **state)
{
	(void)state;
	put_event(THREAD_SWITCH, TASK(1));
	put_ownership(0, 5);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0, 0);
	put_correlation(2, 0);
	put_event(THREAD_SWITCH, TASK(2));
	put_sync(0, 5, 0, 0x300);
	put_ownership(1, 5);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0, 0);
	decode();
	are_of_threads((int[]) { 21, 21, 22, 0 });
}

/* Whoever it is cannot know that better than the kernel. */
static void users_name_nobody(void **state)
{
	(void)state;
	put_event(THREAD_SWITCH, TASK(1));
	put_ownership(0, 5);
	put_event(THREAD_SWITCH, TASK(3));
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0, 0);
	put_ownership(1, 5);
	put_event(THREAD_SWITCH, TASK(1));
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0, 0);
	decode();
	are_of_threads((int[]) { 21, 21, 0 });
	assert_int_equal(last.time, 0);
}

/* Where something was lost, so may be what told of the next task. */
static void behind_a_loss_of_everything_nobody_is_known(void **state)
{
	(void)state;
	put_event(THREAD_SWITCH, TASK(1));
	put_ownership(0, 5);
	begin_message(RVTRACE_NTRACE_ERROR, 0);
	nexus_fixed(&f.msg, 0, 4);
	nexus_variable(&f.msg, RVTRACE_NTRACE_ECODE_PROGRAM);
	end_message();
	put_sync(0, 7, 0, 0x300);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0, 0);
	decode();
	are_of_threads((int[]) { -1, 0 });
}

/* Its event was lost. */
static void a_change_that_nothing_tells_of(void **state)
{
	(void)state;
	put_event(THREAD_SWITCH, TASK(1));
	put_round();
	put_round();
	decode();
	are_of_threads((int[]) { -1, -1, 21, 21, 21, -1, 0 });
	assert_int_equal(last.task, 0);
}

/* The kernel enters itself between the one's last words and the change. */
static void a_task_that_comes_back_before_the_change(void **state)
{
	(void)state;
	put_event(THREAD_SWITCH, TASK(1));
	put_round();
	put_event(THREAD_SWITCH, TASK(2));
	put_event(THREAD_SWITCH, TASK(1));
	put_round();
	decode();
	are_of_threads((int[]) { -1, -1, 21, 21, 21, -1, 0 });
}

/* By time it did before: this is no word of a change, and the next change has none. */
static void a_task_that_executes_is_not_waited_for(void **state)
{
	(void)state;
	begin_message(RVTRACE_NTRACE_PROG_TRACE_SYNC, 0);
	nexus_fixed(&f.msg, 5, 4);
	nexus_variable(&f.msg, 0);
	nexus_variable(&f.msg, 0x300 >> 1);
	nexus_variable(&f.msg, 1000);
	end_message();
	put_event(THREAD_SWITCH, TASK(1));
	put_round();
	decode();
	are_of_threads((int[]) { 21, 21, 21, 0 });
	assert_int_equal(last.task, 0);
}

static void behind_a_loss_of_events_time_tells(void **state)
{
	(void)state;
	put_event(THREAD_SWITCH, TASK(1));
	put_round();
	begin_message(RVTRACE_NTRACE_ERROR, 0);
	nexus_fixed(&f.msg, 0, 4);
	nexus_variable(&f.msg, RVTRACE_NTRACE_ECODE_DATA);
	end_message();
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0, 0);
	decode();
	assert_int_equal(last.task, 0);
}

static void another_program_may_have_the_identifier(void **state)
{
	(void)state;
	f.config.thread_switch = 0;
	put_event(THREAD_SWITCH, TASK(1));
	put_round();
	decode();
	are_of_threads((int[]) { -1, -1, -1, 0 });
}

/* That a task runs tells that it is so late. */
static void time_goes_on_to_where_a_task_runs(void **state)
{
	(void)state;
	put_event(THREAD_SWITCH, TASK(3));
	put_ownership(1, 6);
	put_ownership(0, 6);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0, 0);
	decode();
	assert_int_equal(last.time, 500);
}

int main(void)
{
#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_tasks, teardown)
	const struct CMUnitTest tests[] = {
		TEST(tp_changes_where_the_kernel_does),
		TEST(what_is_no_other_task_changes_nothing),
		TEST(a_task_that_nobody_knows_is_not_taken),
		TEST(who_executes_is_known_where_no_change_can_come),
		TEST(users_name_nobody),
		TEST(behind_a_loss_of_everything_nobody_is_known),
		TEST(a_change_that_nothing_tells_of),
		TEST(a_task_that_comes_back_before_the_change),
		TEST(a_task_that_executes_is_not_waited_for),
		TEST(behind_a_loss_of_events_time_tells),
		TEST(another_program_may_have_the_identifier),
		TEST(time_goes_on_to_where_a_task_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
