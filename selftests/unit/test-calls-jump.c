// SPDX-License-Identifier: GPL-2.0
/* Calls: which frames of one thread are entered and left, as control goes from place to place. */
#include "selftests/unit/calls-fixture.h"

/* 'a', which begins at its start, calls at 8 bytes from there: it goes on at AT('a', 8). */
static void begin(void)
{
	tick(10);
	sync_at(AT('a', 0));
	run(AT('a', 0), CALL);
}

static void calls_return(void **state)
{
	(void)state;
	begin();
	run(AT('b', 0), INDIRECT_CALL);
	run(AT('c', 0), RETURN);
	run(AT('b', 8), BRANCH);
	run(AT('b', 0x20), RETURN);
	run(AT('a', 8), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b +c -c -b -a/c <0");
	assert_int_equal(c.left['c'].return_address, AT('b', 8));
	assert_int_equal(c.left['b'].instructions, 8);
	assert_int_equal(c.left['b'].own_instructions, 6);
	assert_int_equal(c.left['a'].instructions, 12);
	assert_int_equal(c.left['b'].start, AT('b', 0));
	assert_int_equal(c.left['b'].parent, c.left['a'].id);
}

static void a_function_calls_itself(void **state)
{
	(void)state;
	begin();
	run(AT('b', 0), CALL);
	run(AT('b', 0), CALL);
	run(AT('b', 0), RETURN);
	run(AT('b', 8), RETURN);
	run(AT('b', 8), RETURN);
	run(AT('a', 8), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b +b +b -b -b -b -a/c <0");
}

/* A call of the next instruction asks where it is. */
static void a_call_of_the_next_instruction_is_none(void **state)
{
	(void)state;
	begin();
	run(AT('b', 0), CALL);
	run(AT('b', 8), RETURN);
	run(AT('a', 8), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b -b -a/c <0");
}

static void a_tail_call_replaces_the_frame(void **state)
{
	(void)state;
	begin();
	run(AT('b', 0), JUMP);
	run(AT('c', 0), INDIRECT_JUMP);
	run(AT('d', 0), RETURN);
	run(AT('a', 8), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b -b/x +c/t -c/x +d/t -d -a/c <0");
	assert_int_equal(c.left['d'].return_address, AT('a', 8));
}

/* A branch of a loop to the start of its own function, and a jump within it. */
static void a_jump_within_a_function_is_no_call(void **state)
{
	(void)state;
	begin();
	run(AT('b', 0), BRANCH);
	run(AT('b', 0), INDIRECT_JUMP);
	run(AT('b', 0x40), RETURN);
	run(AT('a', 8), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b -b -a/c <0");
}

/* A stub has no name: jumps to code of which nothing is known, and from there. */
static void a_stub_jumps_on(void **state)
{
	(void)state;
	begin();
	run(0x900000, INDIRECT_JUMP);
	run(AT('b', 0), RETURN);
	run(AT('a', 8), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +?/p -?/x +b/t -b -a/c <0");
}

static void falls_through_into_the_next_function(void **state)
{
	(void)state;
	begin();
	run_more(AT('c', -8), 4, RETURN);
	run(AT('a', 8), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b/p -b/x +c/t -c -a/c <0");
	assert_int_equal(c.left['b'].own_instructions, 2);
	assert_int_equal(c.left['c'].own_instructions, 2);
	assert_int_equal(c.left['c'].address, AT('c', 0));
}

static void several_frames_return_at_once(void **state)
{
	(void)state;
	begin();
	run(AT('b', 0), CALL);
	run(AT('c', 0), CALL);
	run(AT('d', 0), RETURN);
	run(AT('a', 8), CALL);
	run(AT('e', 0), RETURN);
	run(AT('a', 16), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b +c +d -d/u -c/u -b/u +e -e -a/c <0");
}

/* A trampoline jumps to behind the call. */
static void a_jump_to_the_caller_returns(void **state)
{
	(void)state;
	begin();
	run(AT('b', 0), CALL);
	run(AT('c', 0), INDIRECT_JUMP);
	run(AT('b', 8), INDIRECT_JUMP);
	run(AT('a', 8), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b +c -c -b -a/c <0");
}

/* setjmp() of 'b' at its call of 's', which has returned when longjmp() comes. */
static void longjmp_goes_to_where_setjmp_was_called(void **state)
{
	(void)state;
	begin();
	run(AT('b', 0), CALL);
	run(AT('s', 0), RETURN);
	run(AT('b', 8), CALL);
	run(AT('c', 0), CALL);
	run(AT('l', 0), RETURN);
	run(AT('b', 8), RETURN);
	run(AT('a', 8), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b +s -s +c +l -l/u -c/u -b -a/c <0");
}

/* Of two frames of 'b', the one that called setjmp() last. */
static void longjmp_knows_frames_of_a_recursion(void **state)
{
	(void)state;
	begin();
	run(AT('b', 0), CALL);
	run(AT('b', 0), BRANCH);
	run(AT('b', 0x20), CALL);
	run(AT('s', 0), RETURN);
	run(AT('b', 0x28), CALL);
	run(AT('c', 0), CALL);
	run(AT('l', 0), RETURN);
	run(AT('b', 0x28), RETURN);
	run(AT('b', 8), RETURN);
	run(AT('a', 8), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b +b +s -s +c +l -l/u -c/u -b -b -a/c <0");
}

/* The frame that called there is gone: another one at its depth is not meant. */
static void a_site_of_a_frame_that_is_gone_is_not_taken(void **state)
{
	(void)state;
	begin();
	run(AT('b', 0), CALL);
	run(AT('s', 0), RETURN);
	run(AT('b', 8), RETURN);
	run(AT('a', 8), CALL);
	run(AT('c', 0), CALL);
	run(AT('d', 0), RETURN);
	run(AT('b', 8), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b +s -s -b +c +d -d/ui -c/ui -a/ui +b/op -b/c <0");
}

/* Unwinding of C++ goes to a handler in a function that is open: here in its cold part. */
static void an_exception_goes_to_a_part_of_a_function(void **state)
{
	(void)state;
	begin();
	run(AT('b', 0), CALL);
	run(AT('c', 0), CALL);
	run(AT('d', 0), RETURN);
	run(AT('v', 0x10), JUMP);
	run(AT('b', 0x20), RETURN);
	run(AT('a', 8), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b +c +d -d/ui -c/ui -b/x +v/tp -v/x +b/tp -b -a/c <0");
}

static void a_cold_part_has_its_function_frame(void **state)
{
	(void)state;
	begin();
	run(AT('b', 0), BRANCH);
	run(AT('v', 0), INDIRECT_JUMP);
	run(AT('b', 0x30), RETURN);
	run(AT('a', 8), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b -b/x +v/t -v/x +b/tp -b -a/c <0");
	assert_int_equal(c.left['b'].return_address, AT('a', 8));
}

/* 'a' is older than the trace, and what called it is not known. */
static void a_return_to_an_unknown_caller(void **state)
{
	(void)state;
	tick(10);
	sync_at(AT('a', 0x100));
	run(AT('a', 0x100), RETURN);
	run(AT('b', 0x100), CALL);
	run(AT('c', 0), RETURN);
	run(AT('b', 0x108), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/op -a +b/op +c -c -b/c <0");
}

/* kretprobes: what returned goes to the start of a trampoline, which goes to the caller. */
static void a_return_to_a_start_is_a_trampoline(void **state)
{
	(void)state;
	begin();
	run(AT('b', 0), RETURN);
	run(AT('t', 0), INDIRECT_JUMP);
	run(AT('a', 8), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b -b/x +t/t -t -a/c <0");
}

/* 'a' resumes 'g' by 's', which goes back by 's', and is resumed again: 's' changes stacks. */
static void coroutines_go_on(void **state)
{
	(void)state;
	begin();				/* a: resume */
	run(AT('s', 0), INDIRECT_JUMP);		/* the coroutine begins */
	run(AT('g', 0), CALL);
	run(AT('h', 0), CALL);			/* yields */
	run(AT('s', 0), RETURN);		/* to a */
	run(AT('a', 8), CALL);			/* resume */
	run(AT('s', 0), RETURN);
	run(AT('h', 8), RETURN);
	run(AT('g', 8), CALL);			/* yields */
	run(AT('s', 0), RETURN);
	run(AT('a', 16), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +s -s/x +g/t +h +s -s/u -h/u -g/u +s -s/s +g/r +h/r -h +s -s/u -g/u "
		     "-a/c <0");
}

/* Frames of a coroutine that goes on are parts of functions as before. */
static void an_exception_in_a_coroutine_that_went_on(void **state)
{
	(void)state;
	begin();
	run(AT('s', 0), INDIRECT_JUMP);
	run(AT('c', 0), CALL);
	run(AT('h', 0), CALL);
	run(AT('s', 0), RETURN);
	run(AT('a', 8), CALL);
	run(AT('s', 0), RETURN);
	run(AT('h', 8), RETURN);
	run(AT('c', 8), CALL);
	run(AT('d', 0), RETURN);
	run(AT('w', 0x10), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +s -s/x +c/t +h +s -s/u -h/u -c/u +s -s/s +c/r +h/r -h +d -d/ui "
		     "-c/x +w/tp -w/c -a/c <0");
}

static void a_swap_calls_or_returns(void **state)
{
	(void)state;
	begin();
	run(AT('b', 0), SWAP);
	run(AT('c', 0), SWAP);
	run(AT('b', 8), RETURN);
	run(AT('a', 8), LINEAR);
	end_calls();
	calls_expect(0, ">0 +a/o +b +c -c -b -a/c <0");
}

static void jumps_are_no_calls_where_nothing_is_known(void **state)
{
	(void)state;
	c.config.find = NULL;
	begin();
	run(AT('b', 0), JUMP);
	run_more(AT('c', -4), 4, RETURN);
	run(AT('a', 8), LINEAR);
	end_calls();
	calls_expect(0, ">0 +?/op +?/p -? -?/c <0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALLS_TEST(calls_return),
		CALLS_TEST(a_function_calls_itself),
		CALLS_TEST(a_call_of_the_next_instruction_is_none),
		CALLS_TEST(a_tail_call_replaces_the_frame),
		CALLS_TEST(a_jump_within_a_function_is_no_call),
		CALLS_TEST(a_stub_jumps_on),
		CALLS_TEST(falls_through_into_the_next_function),
		CALLS_TEST(several_frames_return_at_once),
		CALLS_TEST(a_jump_to_the_caller_returns),
		CALLS_TEST(longjmp_goes_to_where_setjmp_was_called),
		CALLS_TEST(longjmp_knows_frames_of_a_recursion),
		CALLS_TEST(a_site_of_a_frame_that_is_gone_is_not_taken),
		CALLS_TEST(an_exception_goes_to_a_part_of_a_function),
		CALLS_TEST(a_cold_part_has_its_function_frame),
		CALLS_TEST(a_return_to_an_unknown_caller),
		CALLS_TEST(a_return_to_a_start_is_a_trampoline),
		CALLS_TEST(coroutines_go_on),
		CALLS_TEST(an_exception_in_a_coroutine_that_went_on),
		CALLS_TEST(a_swap_calls_or_returns),
		CALLS_TEST(jumps_are_no_calls_where_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
