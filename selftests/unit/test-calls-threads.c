// SPDX-License-Identifier: GPL-2.0
/* Calls: traps, signals, threads and harts, and what is missing. */
#include "selftests/unit/calls-fixture.h"

#define SYSTEM_CALL	8
#define TIMER		5
#define FAULT		13

/* Thread 1 on hart 0 is in 'a', in user mode. */
static void begin(void)
{
	mode(0);
	tick(10);
	sync_at(AT('a', 0));
	run(AT('a', 0), LINEAR);
}

static void a_trap_and_its_return(void **state)
{
	(void)state;
	begin();
	trap(AT('a', 8), RVTRACE_TRAP_EXCEPTION, SYSTEM_CALL);
	mode(1);
	run(AT('A', 0), CALL);
	run(AT('B', 0), RETURN);
	run(AT('A', 8), TRAP_RETURN);
	trap_return(AT('A', 12));
	mode(0);
	run(AT('a', 12), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +#8 +A +B -B -A -#8 -a/c <0");
	assert_int_equal(c.left[RVTRACE_CALL_TRAP].trap, RVTRACE_TRAP_EXCEPTION);
	assert_int_equal(c.left[RVTRACE_CALL_TRAP].address, AT('a', 8));
	assert_int_equal(c.left['A'].priv, 1);
	assert_int_equal(c.left['a'].own_instructions, 4);
}

/* Frames that the return finds open, as where 'A' left by mret, belong to the innermost trap. */
static void nested_traps(void **state)
{
	(void)state;
	begin();
	trap(AT('a', 8), RVTRACE_TRAP_EXCEPTION, SYSTEM_CALL);
	mode(1);
	run(AT('A', 0), LINEAR);
	trap(AT('A', 8), RVTRACE_TRAP_INTERRUPT, TIMER);
	trap(AT('C', 0), RVTRACE_TRAP_EXCEPTION, FAULT);
	run(AT('D', 0), TRAP_RETURN);
	trap_return(AT('D', 4));
	run(AT('C', 0), TRAP_RETURN);
	trap_return(AT('C', 4));
	run(AT('A', 8), TRAP_RETURN);
	trap_return(AT('A', 12));
	mode(0);
	run(AT('a', 8), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +#8 +A +#5 +C +#13 +D -D -#13 -C -#5 -A -#8 -a/c <0");
}

/* A call is made, but its first instruction is one that faults. */
static void a_trap_at_the_first_instruction_of_a_call(void **state)
{
	(void)state;
	begin();
	run(AT('a', 8), CALL);
	trap(AT('b', 0), RVTRACE_TRAP_EXCEPTION, FAULT);
	mode(1);
	run(AT('A', 0), TRAP_RETURN);
	trap_return(AT('A', 4));
	mode(0);
	run(AT('b', 0), RETURN);
	run(AT('a', 16), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b +#13 +A -A -#13 -b -a/c <0");
}

static void a_trap_that_is_older_than_the_trace(void **state)
{
	(void)state;
	mode(1);
	tick(10);
	sync_at(AT('A', 0x10));
	run(AT('A', 0x10), TRAP_RETURN);
	trap_return(AT('A', 0x14));
	mode(0);
	run(AT('a', 8), CALL);
	run(AT('b', 0), LINEAR);
	end_calls();
	calls_expect(0, ">0 +A/op -A +a/op +b -b/c -a/c <0");
}

/* An interrupt in 'a', whose return goes to the handler 'h' of a signal. */
static void deliver(void)
{
	begin();
	trap(AT('a', 8), RVTRACE_TRAP_INTERRUPT, TIMER);
	mode(1);
	run(AT('A', 0), TRAP_RETURN);
	trap_return(AT('A', 4));
	mode(0);
	run(AT('h', 0), CALL);
	run(AT('i', 0), RETURN);
	run(AT('h', 8), RETURN);
}

/* The system call of sigreturn at @address, behind which 'a' goes on. */
static void sigreturn(uint64_t address)
{
	run(address, LINEAR);
	trap(address + 8, RVTRACE_TRAP_EXCEPTION, SYSTEM_CALL);
	mode(1);
	run(AT('A', 0), TRAP_RETURN);
	trap_return(AT('A', 4));
	mode(0);
	run(AT('a', 8), CALL);
	run(AT('b', 0), RETURN);
	run(AT('a', 16), LINEAR);
	end_calls();
}

static void a_signal_and_its_return(void **state)
{
	(void)state;
	deliver();
	sigreturn(AT('r', 0));
	calls_expect(0, ">0 +a/o +#5 +A -A -#5 +$ +h +i -i -h +r +#8 +A -A -#8 -r -$ "
		     "+b -b -a/c <0");
	assert_int_equal(c.left[RVTRACE_CALL_SIGNAL].address, AT('a', 8));
}

static void a_signal_returns_by_code_without_a_name(void **state)
{
	(void)state;
	deliver();
	sigreturn(0x900000);
	calls_expect(0, ">0 +a/o +#5 +A -A -#5 +$ +h +i -i -h +?/p +#8 +A -A -#8 -? -$ "
		     "+b -b -a/c <0");
}

static void a_handler_jumps_out_of_a_signal(void **state)
{
	(void)state;
	mode(0);
	tick(10);
	sync_at(AT('a', 0));
	run(AT('a', 0), CALL);
	run(AT('b', 0), LINEAR);
	trap(AT('b', 8), RVTRACE_TRAP_EXCEPTION, FAULT);
	mode(1);
	run(AT('A', 0), TRAP_RETURN);
	trap_return(AT('A', 4));
	mode(0);
	run(AT('h', 0), RETURN);
	run(AT('a', 8), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b +#13 +A -A -#13 +$ +h -h/u -$/u -b/u -a/c <0");
}

/* __switch_to() of thread 1 on hart 0, 'S', returns in thread 2, and so on. */
static void threads_of_one_hart(void **state)
{
	(void)state;
	mode(1);
	tick(10);
	sync_at(AT('A', 0));
	run(AT('A', 0), CALL);
	run(AT('S', 0), RETURN);
	on(0, 2);
	run(AT('B', 8), CALL);
	tick(20);
	run(AT('S', 0), RETURN);
	on(0, 1);
	run(AT('A', 8), LINEAR);
	tick(30);
	end_calls();
	calls_expect(0, ">0 +A/o +S <0 >0 -S -A/c <0");
	calls_expect(1, ">0 +B/op +S <0 -S/c -B/c");
	assert_int_equal(c.left['A'].resting.best, 5);
	assert_int_equal(c.left['A'].instructions, 6);
	assert_int_equal(c.left['B'].resting.best, 0);
}

/* Messages of hart 1 come first, though it runs the thread after hart 0 has. */
static void a_thread_moves_though_messages_are_out_of_order(void **state)
{
	(void)state;
	mode(1);
	on(1, 3);
	tick(10);
	run(AT('C', 0), LINEAR);
	tick(20);
	run(AT('C', 8), CALL);
	run(AT('S', 0), RETURN);
	on(1, 1);
	tick(60);
	run(AT('A', 16), CALL);
	run(AT('E', 0), RETURN);
	on(0, 1);
	tick(12);
	run(AT('A', 0), CALL);
	tick(30);
	run(AT('B', 0), RETURN);
	run(AT('A', 8), CALL);
	tick(40);
	run(AT('S', 0), RETURN);
	on(0, 4);
	tick(50);
	run(AT('F', 0), LINEAR);
	tick(70);
	on(1, 1);
	tick(80);
	run(AT('A', 24), LINEAR);
	tick(90);
	end_calls();
	calls_expect(0, ">1 +C/o +S <1 -S/c -C/c");
	calls_expect(1, ">0 +A/o +B -B +S <0 >1 -S +E -E -A/c <1");
	calls_expect(2, ">0 +F -F/c <0");
}

/* Hart 1 is silent: after so many bytes nobody waits for it. */
static void a_silent_hart_holds_nobody_back_for_long(void **state)
{
	(void)state;
	mode(1);
	on(1, 2);
	tick(10);
	run(AT('B', 0), LINEAR);
	on(0, 1);
	tick(20);
	run(AT('A', 0), LINEAR);
	tick(30);
	run(AT('A', 8), LINEAR);
	assert_true(!c.lanes[0].length);
	c.item.offset += RVTRACE_CALLS_LAG;
	tick(40);
	for (int i = 0; i < 5000; i++)
		run(AT('A', 16), BRANCH);
	assert_true(c.lanes[0].length);
	end_calls();
	calls_expect(0, ">0 +A/o -A/c <0");
	calls_expect(1, ">1 +B/o -B/c <1");
}

/* Hart 1 says what thread 1 did at 15 only after hart 0 was trusted to be alone, up to 100. */
static void time_of_a_thread_does_not_go_back(void **state)
{
	(void)state;
	mode(1);
	on(1, 2);
	tick(10);
	run(AT('B', 0), LINEAR);
	on(0, 1);
	tick(50);
	run(AT('A', 0), CALL);
	tick(100);
	run(AT('C', 0), LINEAR);
	tick(101);
	c.item.offset += RVTRACE_CALLS_LAG;
	tick(102);
	for (int i = 0; i < 5000; i++)
		run(AT('C', 8), BRANCH);
	assert_true(c.lanes[0].length);
	on(1, 1);
	tick(15);
	run(AT('C', 0x20), RETURN);
	run(AT('A', 8), LINEAR);
	tick(16);
	end_calls();
	calls_expect(0, ">0 +A/o +C <0 >1 -C -A/c <1");
}

static void threads_of_code_without_names(void **state)
{
	(void)state;
	c.config.find = NULL;
	for (int thread = 1; thread < 3; thread++) {
		on(0, thread);
		tick(10 * thread);
		run(AT('a', 0), LINEAR);
	}
	end_calls();
	calls_expect(0, ">0 +?/op <0 -?/c");
	calls_expect(1, ">0 +?/op -?/c <0");
}

static void idle_threads_belong_to_their_harts(void **state)
{
	(void)state;
	mode(1);
	for (unsigned int hart = 0; hart < 2; hart++) {
		on(hart, 0);
		tick(10 + hart);
		run(AT('I', 0), LINEAR);
	}
	for (unsigned int hart = 0; hart < 2; hart++) {
		on(hart, 0);
		tick(20 + hart);
		run(AT('I', 8), CALL);
		run(AT('J', 0), RETURN);
		run(AT('I', 16), LINEAR);
		tick(30 + hart);
	}
	end_calls();
	calls_expect(0, ">0 +I/o +J -J -I/c <0");
	calls_expect(1, ">1 +I/o +J -J -I/c <1");
}

static void a_hart_stands_for_unknown_threads(void **state)
{
	(void)state;
	on(3, -1);
	tick(10);
	run(AT('a', 0), LINEAR);
	end_calls();
	calls_expect(0, ">3 +a/o -a/c <3");
}

/* What is told of a source of which nothing else is known. */
static void a_loss_before_anything_else(void **state)
{
	(void)state;
	on(RVTRACE_SOURCE_ALL, -1);
	gap(RVTRACE_FLOW_LOST);
	end_calls();
	calls_expect(0, ">0 !7 <0");
	assert_int_equal(c.gap.thread, -1);
	assert_int_equal(c.gap.process, RVTRACE_PROCESS_UNKNOWN);
	assert_int_equal(c.gap.source, RVTRACE_SOURCE_ALL);
}

static void two_threads(void)
{
	mode(1);
	on(0, 1);
	tick(10);
	run(AT('A', 0), CALL);
	run(AT('S', 0), RETURN);
	on(0, 2);
	run(AT('B', 0), CALL);
	run(AT('C', 0), LINEAR);
	on(1, 3);
	tick(11);
	run(AT('D', 0), CALL);
	run(AT('E', 0), LINEAR);
	tick(20);
	run(AT('E', 8), LINEAR);
	on(0, 2);
	tick(21);
}

/* Thread 1 rests, but may have run in it; thread 3 ran elsewhere. */
static void a_loss_of_one_hart(void **state)
{
	static const enum rvtrace_flow_type types[] = {
		RVTRACE_FLOW_OVERFLOW, RVTRACE_FLOW_ERROR, RVTRACE_FLOW_TAIL,
	};

	for (unsigned int i = 0; i < 3; i++) {
		calls_teardown(state);
		calls_setup(state);
		two_threads();
		gap(types[i]);
		run(AT('C', 16), RETURN);
		run(AT('B', 8), LINEAR);
		tick(30);
		on(1, 3);
		tick(31);
		run(AT('E', 16), RETURN);
		run(AT('D', 8), LINEAR);
		on(0, 1);
		tick(40);
		run(AT('A', 8), LINEAR);
		end_calls();
		calls_expect(0, ">0 +A/o +S <0 -S/c -A/c >0 +A/op -A/c <0");
		calls_expect(2, ">1 +D/o +E -E -D/c <1");
		assert_int_equal(c.gap_item.type, types[i]);
		assert_memory_equal(c.lanes[1].text, ">0 +B +C -C/c -B/c !", 20);
		assert_int_equal(c.lanes[1].depth, 0);
	}
}

static void a_loss_of_all_harts(void **state)
{
	(void)state;
	two_threads();
	on(RVTRACE_SOURCE_ALL, -1);
	gap(RVTRACE_FLOW_LOST);
	on(0, 2);
	tick(30);
	run(AT('C', 16), LINEAR);
	on(1, 3);
	tick(31);
	run(AT('E', 16), LINEAR);
	end_calls();
	calls_expect(0, ">0 +A/o +S <0 -S/c -A/c");
	calls_expect(1, ">0 +B +C -C/c -B/c !7 +C/op -C/c <0");
	calls_expect(2, ">1 +D/o +E -E/c -D/c +E/op -E/c <1");
}

/* The kernel's code is missing: what it interrupted goes on. */
static void no_image_within_a_trap(void **state)
{
	(void)state;
	begin();
	run(AT('a', 8), CALL);
	run(AT('b', 0), LINEAR);
	trap(AT('b', 8), RVTRACE_TRAP_EXCEPTION, SYSTEM_CALL);
	mode(1);
	run(AT('A', 0), CALL);
	gap(RVTRACE_FLOW_NO_IMAGE);
	trap_return(AT('A', 4));
	mode(0);
	run(AT('b', 12), RETURN);
	run(AT('a', 16), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b +#8 +A -A/c !8 -#8 -b -a/c <0");
}

static void low_power_and_wake_up(void **state)
{
	(void)state;
	begin();
	run(AT('a', 8), CALL);
	run(AT('b', 0), LINEAR);
	stop_at(AT('b', 8), 1);
	tick(50);
	sync_at(AT('b', 8));
	run(AT('b', 8), RETURN);
	run(AT('a', 16), LINEAR);
	tick(60);
	end_calls();
	calls_expect(0, ">0 +a/o +b =5 -b -a/c <0");
}

/* It goes on elsewhere: what happened in between is not known. */
static void a_stop_and_a_start_elsewhere(void **state)
{
	(void)state;
	begin();
	run(AT('a', 8), CALL);
	run(AT('b', 0), LINEAR);
	stop_at(AT('b', 8), 1);
	tick(50);
	sync_at(AT('c', 8));
	run(AT('c', 8), LINEAR);
	stop_at(AT('c', 16), 4);
	end_calls();
	calls_expect(0, ">0 +a/o +b =5 -b/c -a/c !5 +c/op -c/c !5 <0");
}

static void software_trace_in_its_place(void **state)
{
	(void)state;
	begin();
	run(AT('a', 8), CALL);
	gap(RVTRACE_FLOW_DATA);
	run(AT('b', 0), LINEAR);
	gap(RVTRACE_FLOW_DATA);
	run(AT('b', 8), RETURN);
	run(AT('a', 16), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o =10 +b =10 -b -a/c <0");
	assert_int_equal(c.gap.instructions, 6);
	assert_int_equal(c.gap.depth, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALLS_TEST(a_trap_and_its_return),
		CALLS_TEST(nested_traps),
		CALLS_TEST(a_trap_at_the_first_instruction_of_a_call),
		CALLS_TEST(a_trap_that_is_older_than_the_trace),
		CALLS_TEST(a_signal_and_its_return),
		CALLS_TEST(a_signal_returns_by_code_without_a_name),
		CALLS_TEST(a_handler_jumps_out_of_a_signal),
		CALLS_TEST(threads_of_one_hart),
		CALLS_TEST(a_thread_moves_though_messages_are_out_of_order),
		CALLS_TEST(a_silent_hart_holds_nobody_back_for_long),
		CALLS_TEST(time_of_a_thread_does_not_go_back),
		CALLS_TEST(threads_of_code_without_names),
		CALLS_TEST(idle_threads_belong_to_their_harts),
		CALLS_TEST(a_hart_stands_for_unknown_threads),
		CALLS_TEST(a_loss_before_anything_else),
		CALLS_TEST(a_loss_of_one_hart),
		CALLS_TEST(a_loss_of_all_harts),
		CALLS_TEST(no_image_within_a_trap),
		CALLS_TEST(low_power_and_wake_up),
		CALLS_TEST(a_stop_and_a_start_elsewhere),
		CALLS_TEST(software_trace_in_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
