// SPDX-License-Identifier: GPL-2.0
/* Calls: times of entries and exits, amounts of time, and what a window shows of them. */
#include "selftests/unit/calls-fixture.h"

#define NO_TIME	RVTRACE_CALL_NO_TIME

static void is_time(const struct rvtrace_call_time *time, uint64_t best, uint64_t earliest,
		    uint64_t latest)
{
	assert_int_equal(time->best, best);
	assert_int_equal(time->earliest, earliest);
	assert_int_equal(time->latest, latest);
}

static void is_span(const struct rvtrace_call_span *span, uint64_t best, uint64_t least,
		    uint64_t most)
{
	assert_int_equal(span->best, best);
	assert_int_equal(span->least, least);
	assert_int_equal(span->most, most);
}

/* Between two messages, in proportion to instructions: 100 of them from 1000 to 1200. */
static void times_between_messages(void **state)
{
	struct rvtrace_call_span span;

	(void)state;
	tick(1000);
	run(AT('a', 0), CALL);
	tick(1200);
	run_more(AT('b', 0), 30, CALL);
	run_more(AT('c', 0), 20, RETURN);
	run_more(AT('b', 120), 50, RETURN);
	tick(1300);
	run_more(AT('a', 8), 10, LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b +c -c -b -a/c <0");
	is_time(&c.left['a'].entered, 1000, 0, 1001);
	is_time(&c.left['b'].entered, 1000, 1000, 1201);
	is_time(&c.left['c'].entered, 1060, 1000, 1201);
	is_time(&c.left['c'].left, 1100, 1000, 1201);
	is_time(&c.left['b'].left, 1200, 1200, 1301);
	assert_true(rvtrace_call_span(&c.left['c'].entered, &c.left['c'].left, &span));
	is_span(&span, 40, 0, 201);
	assert_true(rvtrace_call_span(&c.left['c'].entered, &c.left['b'].left, &span));
	is_span(&span, 140, 0, 301);
	assert_true(rvtrace_call_span(&c.left['a'].entered, &c.left['b'].left, &span));
	is_span(&span, 200, 199, 1301);
}

static void no_timestamps(void **state)
{
	struct rvtrace_call_span span;

	(void)state;
	silent();
	run(AT('a', 0), CALL);
	silent();
	run(AT('b', 0), RETURN);
	run(AT('a', 8), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b -b -a/c <0");
	is_time(&c.left['b'].left, NO_TIME, NO_TIME, NO_TIME);
	is_time(&c.left['a'].left, NO_TIME, NO_TIME, NO_TIME);
	assert_false(rvtrace_call_span(&c.left['b'].entered, &c.left['b'].left, &span));
	is_span(&span, 0, 0, 0);
	is_span(&c.left['a'].resting, 0, 0, 0);
}

/* What comes before the first time has none, whatever comes later. */
static void the_first_message_has_no_time(void **state)
{
	(void)state;
	silent();
	run(AT('a', 0), CALL);
	tick(50);
	run(AT('b', 0), RETURN);
	tick(60);
	run(AT('a', 8), LINEAR);
	end_calls();
	is_time(&c.left['a'].entered, NO_TIME, NO_TIME, NO_TIME);
	is_time(&c.left['b'].entered, 50, 0, 51);
	is_time(&c.left['b'].left, 50, 50, 61);
}

/* Messages of one time, and one without any: all of it is between 10 and 30. */
static void timestamps_that_stand_still(void **state)
{
	(void)state;
	tick(10);
	run(AT('a', 0), CALL);
	tick(10);
	run(AT('b', 0), CALL);
	tick(9);
	run(AT('c', 0), CALL);
	silent();
	run(AT('d', 0), CALL);
	tick(30);
	run(AT('e', 0), LINEAR);
	end_calls();
	is_time(&c.left['b'].entered, 10, 10, 31);
	is_time(&c.left['c'].entered, 15, 10, 31);
	is_time(&c.left['d'].entered, 20, 10, 31);
	is_time(&c.left['e'].entered, 25, 10, 31);
	is_time(&c.left['e'].left, 30, 30, 31);
}

/* Half of 2^50 ticks, and of 2^30 instructions, is where it is. */
static void a_time_of_large_numbers(void **state)
{
	const struct rvtrace_flow_item range = {
		.type = RVTRACE_FLOW_RANGE, .range.instructions = 1u << 29,
	};

	(void)state;
	tick(1000);
	run(AT('a', 0), LINEAR);
	tick(1000 + (1ull << 50));
	assert_int_equal(give(range), 0);
	run(AT('b', 0), LINEAR);
	assert_int_equal(give(range), 0);
	tick(1100 + (1ull << 50));
	run(AT('c', 0), LINEAR);
	end_calls();
	assert_in_range(c.left['b'].entered.best, 1000 + (1ull << 49) - (1 << 21), 1000 + (1ull << 49));
}

/* Nobody knows when that was, but that it was not before 20: no span of it has an upper bound. */
static void there_is_no_later_time(void **state)
{
	struct rvtrace_call_span span;

	(void)state;
	tick(10);
	run(AT('a', 0), CALL);
	tick(20);
	run(AT('b', 0), CALL);
	silent();
	run(AT('c', 0), LINEAR);
	end_calls();
	is_time(&c.left['c'].entered, 20, 20, NO_TIME);
	is_time(&c.left['c'].left, 20, 20, NO_TIME);
	assert_true(rvtrace_call_span(&c.left['c'].entered, &c.left['c'].left, &span));
	is_span(&span, 0, 0, NO_TIME);
	assert_true(rvtrace_call_span(&c.left['b'].entered, &c.left['c'].left, &span));
	is_span(&span, 10, 0, NO_TIME);
}

/* Two harts: whatever the order of messages, events come in the order of time, also at the end. */
static void harts_in_order_of_time(void **state)
{
	(void)state;
	c.ordered = true;
	for (unsigned int i = 0; i < 4; i++) {
		for (unsigned int hart = 0; hart < 3; hart++) {
			on(hart, hart + 1);
			tick(10 + 10 * i + 3 * hart);
			run(AT('a', 8 * i), CALL);
			run(AT('b', 0), RETURN);
		}
	}
	end_calls();
	calls_expect(2, ">2 +a/o +b -b +b -b +b -b +b -b/c -a/c <2");
}

/* Nothing is known of hart 1 until hart 0 has said a lot, but not as much as the lag. */
static void a_hart_that_comes_late(void **state)
{
	(void)state;
	c.ordered = true;
	for (unsigned int hart = 0; hart < 2; hart++) {
		on(hart, hart + 1);
		for (unsigned int i = 0; i < 400; i++) {
			tick(10 + 10 * i + 3 * hart);
			run(AT('a', 0), CALL);
			run(AT('b', 0), RETURN);
			run(AT('a', 8), BRANCH);
		}
	}
	on(2, 3);
	c.item.offset += 2 * RVTRACE_CALLS_LAG;
	for (unsigned int i = 0; i < 3000; i++) {
		tick(5000 + i);
		run(AT('c', 0), BRANCH);
	}
	assert_true(c.events > 400);
	end_calls();
}

static void rest_and_interrupts(void **state)
{
	(void)state;
	tick(100);
	mode(0);
	run(AT('a', 0), CALL);
	tick(110);
	run_more(AT('b', 0), 10, LINEAR);
	trap(AT('b', 40), RVTRACE_TRAP_INTERRUPT, 5);
	tick(120);
	mode(1);
	run_more(AT('A', 0), 5, CALL);
	run_more(AT('S', 0), 5, RETURN);
	on(0, 2);
	tick(130);
	run_more(AT('B', 8), 5, CALL);
	run_more(AT('S', 0), 5, RETURN);
	on(0, 1);
	tick(140);
	run_more(AT('A', 20), 10, TRAP_RETURN);
	trap_return(AT('A', 56));
	tick(150);
	mode(0);
	run_more(AT('b', 40), 10, RETURN);
	tick(160);
	run_more(AT('a', 8), 10, LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b +#5 +A +S <0 >0 -S -A -#5 -b -a/c <0");
	is_span(&c.left['b'].resting, 10, 0, 21);
	is_span(&c.left['b'].interrupted, 20, 0, 41);
	is_span(&c.left['A'].resting, 10, 0, 21);
	is_span(&c.left['A'].interrupted, 0, 0, 0);
	is_span(&c.left[RVTRACE_CALL_TRAP].interrupted, 0, 0, 0);
	is_span(&c.left['a'].interrupted, 20, 0, 41);
	assert_int_equal(c.left['b'].own_instructions, 20);
	assert_int_equal(c.left['b'].instructions, 40);
	assert_int_equal(c.left['A'].instructions, 20);
	assert_int_equal(c.left['a'].instructions, 52);
}

/* Time in an interrupt is that of no function that it interrupts, and counts once. */
static void interrupts_of_interrupts(void **state)
{
	(void)state;
	tick(100);
	mode(0);
	run(AT('a', 0), CALL);
	tick(110);
	run_more(AT('b', 0), 10, LINEAR);
	trap(AT('b', 40), RVTRACE_TRAP_INTERRUPT, 5);
	tick(120);
	mode(1);
	run_more(AT('A', 0), 10, LINEAR);
	trap(AT('A', 40), RVTRACE_TRAP_INTERRUPT, 7);
	tick(130);
	run_more(AT('S', 0), 10, TRAP_RETURN);
	trap_return(AT('A', 40));
	tick(140);
	run_more(AT('A', 40), 10, TRAP_RETURN);
	trap_return(AT('b', 40));
	tick(150);
	mode(0);
	run_more(AT('b', 40), 10, RETURN);
	tick(160);
	run_more(AT('a', 8), 10, LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b +#5 +A +#7 +S -S -#7 -A -#5 -b -a/c <0");
	is_span(&c.left['S'].interrupted, 0, 0, 0);
	is_span(&c.left['A'].interrupted, 10, 0, 21);
	is_span(&c.left[RVTRACE_CALL_TRAP].interrupted, 10, 0, 21);
	is_span(&c.left['b'].interrupted, 30, 0, 62);
	is_span(&c.left['a'].interrupted, 30, 0, 62);
}

/* 'a' calls 'b' from 10 to 20, 'c' from 20 to 30, 'd' from 30 to 40, each of 10 instructions. */
static void four_functions(void)
{
	tick(10);
	run(AT('a', 0), CALL);
	tick(20);
	run_more(AT('b', 0), 10, RETURN);
	tick(30);
	run_more(AT('a', 8), 1, CALL);
	run_more(AT('c', 0), 9, RETURN);
	tick(40);
	run_more(AT('a', 12), 1, CALL);
	run_more(AT('d', 0), 9, RETURN);
	tick(50);
	run(AT('a', 16), LINEAR);
	end_calls();
}

static void a_window(void **state)
{
	(void)state;
	c.windowed = true;
	c.config.from = 15;
	c.config.to = 35;
	four_functions();
	calls_expect(0, ">0 +a/ol +b/l -b/l +c -c +d -d/l -a/l <0");
	is_time(&c.entered['b'].entered, 15, 15, 15);
	is_time(&c.left['d'].left, 35, 35, 35);
	is_time(&c.left['a'].entered, 15, 15, 15);
	is_time(&c.left['a'].left, 35, 35, 35);
	assert_int_equal(c.entered['a'].own_instructions, 0);
	assert_int_equal(c.left['b'].own_instructions, 0);
	assert_int_equal(c.left['c'].own_instructions, 9);
}

static void a_window_without_an_end(void **state)
{
	(void)state;
	c.windowed = true;
	c.config.from = 35;
	c.config.to = UINT64_MAX;
	four_functions();
	calls_expect(0, ">0 +a/ol +d/l -d/l -a/cl <0");
}

static void a_window_behind_everything(void **state)
{
	(void)state;
	c.config.from = 1000;
	four_functions();
	assert_int_equal(c.events, 0);
}

/* Thread 1 rests from 10 to 30; the window begins and ends while thread 2 runs, or before. */
static void rest_of_a_window(uint64_t from, uint64_t to)
{
	c.windowed = true;
	c.config.from = from;
	c.config.to = to;
	mode(1);
	tick(10);
	run(AT('A', 0), CALL);
	run(AT('S', 0), RETURN);
	on(0, 2);
	run(AT('B', 8), LINEAR);
	tick(30);
	run(AT('B', 16), CALL);
	run(AT('S', 0), RETURN);
	tick(50);
	on(0, 1);
	run(AT('A', 8), LINEAR);
	tick(60);
	run(AT('A', 16), LINEAR);
	tick(70);
	end_calls();
}

static void a_window_begins_while_a_thread_rests(void **state)
{
	(void)state;
	rest_of_a_window(20, 55);
	calls_expect(0, "+A/ol +S/l >0 -S/l -A/l <0");
	is_time(&c.left['A'].entered, 20, 20, 20);
	is_span(&c.left['A'].resting, 10, 10, 31);
	is_time(&c.left['A'].left, 55, 55, 55);
}

static void a_window_ends_while_a_thread_rests(void **state)
{
	(void)state;
	rest_of_a_window(5, 25);
	calls_expect(0, ">0 +A/o +S <0 -S/l -A/l");
	is_time(&c.left['A'].left, 25, 25, 25);
	is_span(&c.left['A'].resting, 15, 14, 25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALLS_TEST(times_between_messages),
		CALLS_TEST(no_timestamps),
		CALLS_TEST(the_first_message_has_no_time),
		CALLS_TEST(timestamps_that_stand_still),
		CALLS_TEST(a_time_of_large_numbers),
		CALLS_TEST(there_is_no_later_time),
		CALLS_TEST(harts_in_order_of_time),
		CALLS_TEST(a_hart_that_comes_late),
		CALLS_TEST(rest_and_interrupts),
		CALLS_TEST(interrupts_of_interrupts),
		CALLS_TEST(a_window),
		CALLS_TEST(a_window_without_an_end),
		CALLS_TEST(a_window_behind_everything),
		CALLS_TEST(a_window_begins_while_a_thread_rests),
		CALLS_TEST(a_window_ends_while_a_thread_rests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
