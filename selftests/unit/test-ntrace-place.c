// SPDX-License-Identifier: GPL-2.0
/* Flow layer: where code is looked up, as a resolver says; and tracing that leaves modes out. */
#include <string.h>

#include "flow-fixture.h"

#define MAX_QUERIES	32

/* Answers, each for the times from the one before on. */
struct answer {
	uint64_t until;
	struct rvtrace_flow_place place;
};

static struct answer answers[4];
static struct rvtrace_flow_query queries[MAX_QUERIES];
static unsigned int query_count;

static int resolve(void *data, const struct rvtrace_flow_query *query,
		   struct rvtrace_flow_place *place)
{
	const struct answer *a = data;
	uint64_t from = 0;

	assert_true(query_count < MAX_QUERIES);
	queries[query_count++] = *query;
	while (query->has_time && query->time >= a->until)
		from = (a++)->until;
	*place = a->place;
	place->from = from;
	place->until = a->until;
	return 0;
}

/* c.add at 0x100 and 0x102, then c.ebreak; in space @space, U-mode. */
static void map_other_code(uint64_t space, unsigned int privs)
{
	static const uint8_t bytes[] = { 0x05, 0x05, 0x05, 0x05, 0x02, 0x90 };
	struct rvtrace_mapping mapping = { .size = UINT64_MAX, .address = 0x100, .space = space,
					   .privs = privs };
	struct rvtrace_code *code;

	assert_int_equal(rvtrace_code_from_memory(bytes, sizeof(bytes), "other", &code), 0);
	mapping.code = code;
	assert_int_equal(rvtrace_image_map(f.image, &mapping), 0);
	rvtrace_code_unref(code);
}

static int setup_places(void **state)
{
	setup(state);
	query_count = 0;
	memset(answers, 0, sizeof(answers));
	for (unsigned int i = 0; i < 4; i++)
		answers[i] = (struct answer) {
			.until = UINT64_MAX,
			.place = { .user = RVTRACE_SPACE_ANY, .kernel = RVTRACE_SPACE_ANY,
				   .process = 10 + i, .thread = 20 + i },
		};
	f.config.resolve = resolve;
	f.config.resolve_data = answers;
	return 0;
}

static void put_timed_sync(uint64_t address, uint64_t time)
{
	begin_message(RVTRACE_NTRACE_PROG_TRACE_SYNC, 0);
	nexus_fixed(&f.msg, 5, 4);
	nexus_variable(&f.msg, 0);
	nexus_variable(&f.msg, address >> 1);
	nexus_variable(&f.msg, time);
	end_message();
}

static void put_timed_exception(uint32_t icnt, uint64_t uaddr, uint64_t time)
{
	begin_message(RVTRACE_NTRACE_INDIRECT_BRANCH, 0);
	nexus_fixed(&f.msg, RVTRACE_NTRACE_BTYPE_EXCEPTION, 2);
	nexus_variable(&f.msg, icnt);
	nexus_variable(&f.msg, uaddr >> 1);
	nexus_variable(&f.msg, time);
	end_message();
}

/* The first @count instructions of a stretch at 0x100: 2 of them are 4 or 6 bytes there. */
static void is_other(int i)
{
	is_block(i, 0x100, 4, 2);
}

static void is_program(int i)
{
	is_block(i, 0x100, 6, 2);
}

/* From time 150 on other code is mapped at the same address: the end of a stretch decides. */
static void code_is_that_of_its_time(void **state)
{
	(void)state;
	map_other_code(7, RVTRACE_PRIV_U);
	answers[0].until = 150;
	answers[1].until = 200;
	answers[1].place.user = 7;
	put_timed_sync(0x100, 100);
	put_ownership(0, 1);
	put_timed_exception(3, 0, 49);
	put_timed_exception(2, 0, 1);
	put_timed_exception(2, 0, 49);
	put_timed_exception(3, 0, 1);
	decode();
	is_program(2);
	assert_int_equal(f.items[2].process, 10);
	assert_int_equal(f.items[2].thread, 20);
	is_type(3, RVTRACE_FLOW_TRAP);
	is_other(4);
	assert_int_equal(f.items[4].process, 11);
	is_type(5, RVTRACE_FLOW_TRAP);
	is_other(6);
	is_type(7, RVTRACE_FLOW_TRAP);
	is_program(8);
	assert_int_equal(f.items[8].process, 12);
}

/* Twice for the first message (its context comes after it), then when a range is left. */
static void it_is_asked_when_the_answer_no_longer_holds(void **state)
{
	(void)state;
	answers[0].until = 150;
	put_timed_sync(0x100, 100);
	put_ownership(0, 5);
	put_timed_exception(3, 0, 10);
	put_timed_exception(3, 0, 10);
	put_timed_exception(3, 0, 10);
	put_timed_exception(3, 0, 30);
	put_timed_exception(3, 0, 10);
	decode();
	assert_int_equal(query_count, 3);
	assert_false(queries[0].has_context);
	assert_true(queries[0].has_time);
	assert_int_equal(queries[0].time, 100);
	assert_true(queries[1].has_context);
	assert_int_equal(queries[1].context, 5);
	assert_int_equal(queries[2].time, 160);
}

static void without_time_it_is_asked_without(void **state)
{
	(void)state;
	map_other_code(7, RVTRACE_PRIV_U);
	answers[0].place.user = 7;
	put_sync(0, 3, 0, 0x100);
	put_ownership(0, 5);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0, 0);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0, 0);
	put_timed_sync(0x100, 100);
	decode();
	is_other(2);
	is_other(4);
	assert_false(queries[0].has_time);
	assert_int_equal(query_count, 3);
	assert_true(queries[2].has_time);
}

static void what_the_kernel_has_is_not_the_users(void **state)
{
	(void)state;
	map_other_code(7, RVTRACE_PRIV_U);
	map_other_code(8, RVTRACE_PRIV_S);
	answers[0].place.kernel = 8;
	put_sync(0, 3, 0, 0x100);
	put_ownership(1, 5);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0, 0);
	put_ownership(0, 5);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 3, 0, 0);
	decode();
	is_other(2);
	assert_int_equal(f.items[2].priv, 1);
	is_program(5);
	assert_int_equal(f.items[5].priv, 0);
}

/* Blocks of @thread, by their addresses, in order. */
static void is_of_thread(int *i, int32_t thread, uint64_t address)
{
	while (f.items[*i].type != RVTRACE_FLOW_BLOCKS)
		assert_true(++*i < f.count);
	assert_int_equal(f.items[*i].address, address);
	assert_int_equal(f.items[*i].process,
			 thread < 0 ? RVTRACE_PROCESS_UNKNOWN : (uint32_t)thread - 10);
	assert_int_equal(f.items[(*i)++].thread, thread);
}

/*
 * The kernel changes to another task behind the first instruction at 0x100. Who schedules said so
 * before: at 150, and at 200.
 */
static void put_switches(unsigned int priv, uint32_t first, uint32_t second)
{
	f.config.task_switch = 0x102;
	answers[0].until = 150;
	answers[1].until = 200;
	put_timed_sync(0x300, 100);
	put_ownership(priv, 5);
	put_timed_exception(2, 0, 10);
	put_timed_exception(2, 0, first);
	put_timed_exception(2, 0x200, second);
	put_timed_exception(3, 0, 1);
	put_timed_exception(3, 0, 1);
	decode();
}

static void threads_change_where_the_kernel_does(void **state)
{
	int i = 0;

	(void)state;
	put_switches(1, 50, 10);
	is_of_thread(&i, 20, 0x300);
	is_of_thread(&i, 20, 0x300);
	is_of_thread(&i, 20, 0x300);
	is_of_thread(&i, 20, 0x100);
	is_of_thread(&i, 21, 0x102);
	/* before any time says so */
	is_of_thread(&i, 21, 0x100);
	is_of_thread(&i, 22, 0x102);
}

/* Times come at synchronizations alone: each change leads to the next thread. */
static void changes_between_two_times(void **state)
{
	int i = 0;

	(void)state;
	f.config.task_switch = 0x102;
	answers[0].until = 150;
	answers[1].until = 200;
	/* not of threads */
	answers[2].until = 250;
	answers[2].place = answers[1].place;
	put_timed_sync(0x300, 100);
	put_ownership(1, 5);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0x200, 0);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 3, 0, 0);
	put_timed_sync(0x100, 160);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 3, 0, 0);
	decode();
	is_of_thread(&i, 20, 0x300);
	is_of_thread(&i, 20, 0x100);
	is_of_thread(&i, 21, 0x102);
	is_of_thread(&i, 21, 0x100);
	is_of_thread(&i, 23, 0x102);
}

/* The next one is told of before: it must have been elsewhere. */
static void a_change_that_was_not_seen(void **state)
{
	int i = 0;

	(void)state;
	put_switches(1, 50, 50);
	is_of_thread(&i, 20, 0x300);
	is_of_thread(&i, 20, 0x300);
	is_of_thread(&i, 21, 0x300);
	is_of_thread(&i, 21, 0x100);
	is_of_thread(&i, 22, 0x102);
	is_of_thread(&i, 22, 0x100);
}

/* The kernel has left already. */
static void users_have_the_thread_of_their_time(void **state)
{
	int i = 0;

	(void)state;
	put_switches(0, 50, 10);
	is_of_thread(&i, 20, 0x300);
	is_of_thread(&i, 21, 0x300);
	is_of_thread(&i, 21, 0x300);
	is_of_thread(&i, 21, 0x100);
}

/* What executed meanwhile was not traced. */
static void a_stop_ends_the_waiting(void **state)
{
	int i = 0;

	(void)state;
	f.config.task_switch = 0x102;
	answers[0].until = 150;
	put_timed_sync(0x300, 100);
	put_ownership(1, 5);
	put_timed_exception(2, 0, 10);
	put_correlation(2, 0);
	put_timed_sync(0x300, 160);
	put_ownership(1, 5);
	put_timed_exception(2, 0, 1);
	decode();
	is_of_thread(&i, 20, 0x300);
	is_of_thread(&i, 20, 0x300);
	is_of_thread(&i, 21, 0x300);
}

/* Whether the kernel had changed when tracing began is not known, if the thread is new. */
static void behind_a_stop_a_new_thread_is_waited_for(void **state)
{
	unsigned int priv;
	int i = 0;

	(void)state;
	f.config.task_switch = 0x102;
	answers[0].until = 150;
	answers[1].place.thread_new = true;
	put_timed_sync(0x300, 100);
	put_ownership(1, 5);
	put_timed_exception(2, 0, 10);
	for (priv = 0; priv < 2; priv++) {
		put_correlation(2, 0);
		put_timed_sync(0x300, 160);
		put_ownership(!priv, 5);
		put_timed_exception(2, 0x200, 1);
		put_timed_exception(3, 0x200, 1);
	}
	decode();
	is_of_thread(&i, 20, 0x300);
	for (priv = 0; priv < 2; priv++) {
		is_of_thread(&i, 20 + priv, 0x300);
		is_of_thread(&i, priv ? 21 : -1, 0x300);
		is_of_thread(&i, priv ? 21 : -1, 0x100);
		is_of_thread(&i, 21, 0x102);
	}
}

/* Not for ever: the clock may have been wrong. */
static void a_change_that_does_not_come(void **state)
{
	uint64_t instructions[2] = { };
	int i;

	(void)state;
	f.config.task_switch = 0x102;
	answers[0].until = 150;
	put_timed_sync(0x300, 100);
	put_ownership(1, 5);
	put_timed_exception(2, 0x300 ^ 0x406, 60);
	for (i = 0; i < 40; i++)
		put_timed_exception(1000, 0, 1);
	assert_int_equal(rvtrace_flow_new(&f.config, f.image, &f.flow), 0);
	assert_int_equal(rvtrace_flow_feed(f.flow, f.stream, f.size), 0);
	while ((i = rvtrace_flow_read(f.flow, f.items, MAX_ITEMS)) > 0)
		while (i--)
			if (f.items[i].type == RVTRACE_FLOW_BLOCKS)
				instructions[f.items[i].thread - 20] +=
					f.items[i].blocks.instructions;
	assert_int_equal(instructions[0] + instructions[1], 40001);
	assert_in_range(instructions[0], 1000, 20000);
}

/* Had it been late, it leads to that thread, not to the next one. */
static void a_change_that_comes_too_late(void **state)
{
	int i, thread = 0;

	(void)state;
	f.config.task_switch = 0x102;
	answers[0].until = 150;
	answers[1].until = 200;
	put_timed_sync(0x300, 100);
	put_ownership(1, 5);
	put_timed_exception(2, 0x300 ^ 0x406, 60);
	for (i = 0; i < 20; i++)
		put_timed_exception(1000, 0, 1);
	put_timed_exception(1000, 0x406 ^ 0x100, 1);
	put_timed_exception(3, 0, 1);
	put_timed_exception(3, 0, 1);
	assert_int_equal(rvtrace_flow_new(&f.config, f.image, &f.flow), 0);
	assert_int_equal(rvtrace_flow_feed(f.flow, f.stream, f.size), 0);
	while ((i = rvtrace_flow_read(f.flow, f.items, MAX_ITEMS)) > 0)
		for (int j = 0; j < i; j++)
			if (f.items[j].address == 0x102 && f.items[j].type == RVTRACE_FLOW_BLOCKS)
				thread = 100 * thread + f.items[j].thread;
	assert_int_equal(thread, 2122);
}

static int no_memory(void *data, const struct rvtrace_flow_query *query,
		     struct rvtrace_flow_place *place)
{
	(void)data;
	(void)query;
	(void)place;
	return RVTRACE_ERR_NO_MEMORY;
}

static void a_resolver_without_memory_ends_it(void **state)
{
	(void)state;
	f.config.resolve = no_memory;
	put_sync(0, 3, 0, 0x100);
	assert_int_equal(rvtrace_flow_new(&f.config, f.image, &f.flow), 0);
	assert_int_equal(rvtrace_flow_feed(f.flow, f.stream, f.size), 0);
	assert_int_equal(rvtrace_flow_read(f.flow, f.items, MAX_ITEMS), RVTRACE_ERR_NO_MEMORY);
}

/*
 * Machine mode is left out: the encoder stops in front of the handler (ProgTraceCorrelation with
 * EVCODE 4) and resumes behind its mret with a synchronizing message (SYNC 5, or 7 after a loss).
 */
static void modes_left_out_are_stops_and_syncs(void **state)
{
	const struct rvtrace_flow_item *item;

	(void)state;
	f.config.resolve = NULL;
	put_sync(0, 5, 0, 0x100);
	put_ownership(1, 5);
	put_correlation(3, 0);
	put_sync(0, 5, 0, 0x300);
	put_ownership(1, 5);
	put_correlation(2, 0);
	put_sync(0, 5, 0, 0x304);
	put_ownership(0, 5);
	put_correlation(0, 0);
	decode();
	is_program(2);
	item = is_type(3, RVTRACE_FLOW_STOP);
	assert_int_equal(item->address, 0x106);
	assert_int_equal(item->stop.reason, 4);
	item = is_type(4, RVTRACE_FLOW_SYNC);
	assert_true(item->flags & RVTRACE_FLOW_FIRST);
	assert_int_equal(item->address, 0x300);
	/* nothing changed: no context event */
	is_block(5, 0x300, 4, 1);
	assert_int_equal(f.items[5].context, 5);
	is_type(6, RVTRACE_FLOW_STOP);
	is_type(7, RVTRACE_FLOW_SYNC);
	assert_int_equal(is_type(8, RVTRACE_FLOW_CONTEXT)->priv, 0);
	is_stop(9, 0x304);
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_places, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(code_is_that_of_its_time),
		TEST(it_is_asked_when_the_answer_no_longer_holds),
		TEST(without_time_it_is_asked_without),
		TEST(what_the_kernel_has_is_not_the_users),
		TEST(threads_change_where_the_kernel_does),
		TEST(changes_between_two_times),
		TEST(a_change_that_was_not_seen),
		TEST(users_have_the_thread_of_their_time),
		TEST(a_stop_ends_the_waiting),
		TEST(behind_a_stop_a_new_thread_is_waited_for),
		TEST(a_change_that_does_not_come),
		TEST(a_change_that_comes_too_late),
		TEST(a_resolver_without_memory_ends_it),
		TEST(modes_left_out_are_stops_and_syncs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
