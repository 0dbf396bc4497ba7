// SPDX-License-Identifier: GPL-2.0
/* Flow layer: encoders that count calls, and code that writes the register that calls link in. */
#include <string.h>

#include "flow-fixture.h"

static int setup_counting(void **state)
{
	int ret = setup(state);

	f.config.ntrace.sifive = true;
	f.config.ntrace.implicit_return = true;
	return ret;
}

static void put_jump(uint32_t icnt, uint64_t from, uint64_t to)
{
	put_indirect(RVTRACE_NTRACE_BTYPE_JUMP, icnt, from ^ to, 1);
}

static void put_trap(uint32_t icnt, uint64_t from, uint64_t to)
{
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, icnt, from ^ to, 1);
}

/* The last return is followed, and all others. */
static void ends_at(uint64_t address)
{
	decode();
	for (int i = 0; i < f.count; i++) {
		assert_int_not_equal(f.items[i].type, RVTRACE_FLOW_ERROR);
		assert_int_not_equal(f.items[i].type, RVTRACE_FLOW_UNFOLLOWED);
	}
	is_stop(f.count - 1, address);
}

/* It is not known where the last return leads. So many half-words behind it there is a trap. */
static void ends_unknown(uint64_t from, uint32_t before, uint32_t halfwords)
{
	put_trap(before + halfwords, from, 0x300);
	decode();
	is_unfollowed(f.count - 2, halfwords);
	is_type(f.count - 1, RVTRACE_FLOW_TRAP);
}

/* Kernels before Linux 6.11 enter their handlers so: la ra, X; tail f. */
static void function_is_to_return_to_another(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x590);
	put_trap(2, 0x590, 0x600);
	put_correlation(2 + 2 + 1 + 1 + 1 + 2 + 1 + 1 + 1 + 1 + 1, 1);
	ends_at(0x616);
}

/* It was interrupted between the two instructions that write it: what it has is not known. */
static void half_an_address_is_none(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x590);
	put_trap(2, 0x590, 0x600);
	put_trap(2, 0x600, 0x574);
	put_jump(2, 0x574, 0x604);
	ends_unknown(0x604, 2 + 1 + 1 + 1 + 2 + 1 + 1 + 1 + 1, 5);
}

static void number_is_replaced_by_what_the_frame_has(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x650);
	put_correlation(2 + 1 + 1 + 1 + 1 + 1 + 1, 1);
	ends_at(0x656);
}

static void called_by_two_instructions_it_has_one_address(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x6c0);
	put_jump(2 + 2, 0x6c0, 0x640);
	put_correlation(1 + 1 + 1, 1);
	ends_at(0x6ca);
}

/* return_to_handler of function graph tracing: who traces returns for the function, by a call. */
static void call_in_place_of_a_return_is_not_returned_to(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x5c0);
	put_jump(2 + 1, 0x5c0, 0x666);
	put_correlation(1 + 1 + 1, 1);
	ends_at(0x5c6);
}

static void unwound_frames_are_not_returned_to(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x670);
	ends_unknown(0x670, 2 + 1 + 1 + 1, 4);
}

static void large_frame_is_left_by_the_same_instruction(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x6d0);
	put_correlation(2 + 1 + 1 + 1 + 1, 1);
	ends_at(0x6d6);
}

static void other_context_does_not_return_to_this_one(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x690);
	put_jump(2 + 2 + 2 + 1, 0x690, 0x6b0);
	ends_unknown(0x6b0, 1 + 1, 4);
}

/* What it loads is in a frame, of another stack. */
static void other_stack_does_not_return_to_this_one(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x6f0);
	ends_unknown(0x6f0, 2 + 1 + 1 + 1, 4);
}

/* No frame began since: it is no address to return to. */
static void number_may_be_kept_in_the_frame(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x710);
	put_correlation(2 + 1 + 1 + 2 + 2 + 1 + 1 + 1 + 1, 1);
	ends_at(0x716);
}

/* By a function that is called by x5, which moves sp by what is in a register, and does not return */
static void others_may_save_it(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x740);
	put_jump(1, 0x740, 0x750);
	put_correlation(2 + 1 + 1 + 1 + 1 + 2 + 1 + 1 + 1 + 1 + 1, 1);
	ends_at(0x744);
}

static void x5_that_was_written_is_not_returned_to(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x780);
	ends_unknown(0x780, 2 + 2 + 1, 4);
}

static void trap_does_not_hide_that_it_was_written(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x540);
	put_trap(2 + 2, 0x540, 0x574);
	put_jump(2, 0x574, 0x554);
	ends_unknown(0x554, 1, 3);
}

/* A kretprobe: the handler of a breakpoint makes what was interrupted return to elsewhere. */
static void caller_of_what_was_interrupted_changes(void **state)
{
	(void)state;
	f.config.kernel.return_writers[1] = 0x580;
	put_sync(0, 3, 0, 0x590);
	put_trap(2, 0x590, 0x570);
	put_jump(2 + 1 + 2, 0x570, 0x5a0);
	ends_unknown(0x5a0, 1 + 1 + 1, 3);
}

/* Listed once */
static void is_inferred(uint64_t from, uint64_t to)
{
	int found = 0;

	for (int i = 0; i < f.count; i++) {
		if (f.items[i].type != RVTRACE_FLOW_INFERRED)
			continue;
		assert_int_equal(f.items[i].address, from);
		assert_int_equal(f.items[i].trap.target, to);
		is_type(i + 1, RVTRACE_FLOW_BLOCKS);
		assert_int_equal(f.items[i + 1].address, to);
		found++;
	}
	assert_int_equal(found, 1);
}

static void begin_handlers(const uint64_t *handlers, unsigned int count)
{
	memcpy(f.config.kernel.handlers, handlers, count * sizeof(*handlers));
	put_sync(0, 3, 0, 0x798);
	put_ownership(1, 7);
}

/* As of a kernel: jr t0, to one of @handlers, and @halfwords up to a trap at @address */
static void enters_handler(const uint64_t *handlers, unsigned int count, uint32_t halfwords,
			   uint64_t hist, uint64_t target, uint64_t address)
{
	begin_handlers(handlers, count);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2 + 2 + 1 + halfwords, 0x798 ^ 0x300, hist);
	decode();
	is_type(f.count - 1, RVTRACE_FLOW_TRAP);
	if (target) {
		assert_int_equal(f.items[f.count - 1].address, address);
		is_inferred(0x7a4, target);
	} else {
		is_unfollowed(f.count - 2, halfwords);
	}
}

/* One begins with a branch, of which the message has no outcome, one is left by a jump to be reported. */
static void handler_is_the_one_that_can_have_executed(void **state)
{
	static const uint64_t handlers[] = { 0x102, 0x600, 0x520 };

	(void)state;
	enters_handler(handlers, 3, 4, 1, 0x600, 0x608);
}

/* A call, which returns, and a branch that was taken: another one has no branch. */
static void handler_is_the_one_with_these_branches(void **state)
{
	static const uint64_t handlers[] = { 0x600, 0x7b0 };

	(void)state;
	enters_handler(handlers, 2, 2 + 1 + 1 + 2, 3, 0x7b0, 0x7bc);
}

/* Two that differ in length alone. The caller of one goes on with a branch and a jump to be reported. */
static void handler_returns_to_who_was_there_before(void **state)
{
	static const uint64_t handlers[] = { 0x580, 0x640 };

	(void)state;
	memcpy(f.config.kernel.handlers, handlers, sizeof(handlers));
	put_sync(0, 3, 0, 0x7fa);
	put_ownership(1, 7);
	put_indirect(RVTRACE_NTRACE_BTYPE_JUMP, 2 + 2 + 2 + 1 + 1 + 1 + 2 + 1, 0x7fa ^ 0x300, 3);
	put_correlation(2, 1);
	ends_at(0x304);
	is_inferred(0x7a4, 0x640);
}

static void handler_that_cannot_be_told_from_another_is_unknown(void **state)
{
	static const uint64_t handlers[] = { 0x640, 0x5a0 };

	(void)state;
	enters_handler(handlers, 2, 2, 1, 0, 0);
}

static void handler_that_none_can_be_is_unknown(void **state)
{
	static const uint64_t handlers[] = { 0x102, 0x520 };

	(void)state;
	enters_handler(handlers, 2, 3, 1, 0, 0);
}

static void handler_of_which_nothing_executed_is_unknown(void **state)
{
	static const uint64_t handlers[] = { 0x600 };

	(void)state;
	begin_handlers(handlers, 1);
	put_trap(2 + 2 + 1, 0x798, 0x300);
	decode();
	is_type(f.count - 1, RVTRACE_FLOW_TRAP);
	assert_false(f.items[f.count - 1].flags & RVTRACE_FLOW_HAS_ADDRESS);
}

/* There may be another handler there. */
static void odd_address_is_no_handler(void **state)
{
	static const uint64_t handlers[] = { 0x600, 0x601 };

	(void)state;
	enters_handler(handlers, 2, 4, 1, 0, 0);
}

/* Another one may be without an image. */
static void handler_without_code_may_be_the_one(void **state)
{
	static const uint64_t handlers[] = { 0x600, 0x10000 };

	(void)state;
	enters_handler(handlers, 2, 4, 1, 0, 0);
}

/* What is not loaded from a table by x5 itself is no handler. */
static void other_jumps_by_x5_enter_no_handler(void **state)
{
	(void)state;
	f.config.kernel.handlers[0] = 0x600;
	put_sync(0, 3, 0, 0x780);
	put_ownership(1, 7);
	ends_unknown(0x780, 2 + 2 + 1, 4);
}

/* What a user jumps to is no handler of the kernel's. */
static void users_enter_no_handler(void **state)
{
	(void)state;
	f.config.kernel.handlers[0] = 0x600;
	put_sync(0, 3, 0, 0x798);
	put_ownership(0, 7);
	ends_unknown(0x798, 2 + 2 + 1, 4);
}

/* 0x580 may make what calls 0x5a0 return to @catcher. */
static void returns_from_traced(uint64_t catcher)
{
	f.config.kernel.return_writers[1] = 0x580;
	f.config.kernel.return_catchers[0] = catcher;
	put_sync(0, 3, 0, 0x590);
	put_ownership(1, 7);
	put_trap(2, 0x590, 0x570);
	put_jump(2 + 1 + 2, 0x570, 0x5a0);
}

static void return_that_was_not_changed_is_told_by_what_executes(void **state)
{
	(void)state;
	returns_from_traced(0x102);
	put_trap(1 + 1 + 1 + 1, 0x5a0, 0x300);
	decode();
	is_type(f.count - 1, RVTRACE_FLOW_TRAP);
	assert_int_equal(f.items[f.count - 1].address, 0x596);
	is_inferred(0x5a4, 0x594);
}

/* Behind one half-word there is a jump: the caller has none there. */
static void return_that_was_changed_is_told_by_what_executes(void **state)
{
	(void)state;
	returns_from_traced(0x52a);
	put_jump(1 + 1 + 1 + 1, 0x5a0, 0x300);
	put_correlation(2, 1);
	ends_at(0x304);
	is_inferred(0x5a4, 0x52a);
}

/* A recording of an earlier version does not say where functions return to then. */
static void return_is_unknown_without_catchers(void **state)
{
	(void)state;
	returns_from_traced(0);
	ends_unknown(0x5a0, 1 + 1 + 1, 1);
}

static void return_that_may_have_changed_is_unknown(void **state)
{
	(void)state;
	returns_from_traced(0x5a0);
	ends_unknown(0x5a0, 1 + 1 + 1, 1);
}

/*
 * The next task was changed from in the same function, or is new. Either calls, by two instructions,
 * and the message says what: @called.
 */
static void changes_task(uint64_t start, uint64_t called)
{
	f.config.task_switch = 0x81a;
	f.config.kernel.task_starts[0] = start;
	put_sync(0, 3, 0, 0x800);
	put_ownership(1, 7);
	put_jump(2 + 2 + 2 + 1 + 1 + 2 + 2, 0x800, called);
	put_correlation(1, 1);
}

static void task_goes_on_where_it_was_changed_from(void **state)
{
	(void)state;
	changes_task(0x820, 0x640);
	ends_at(0x642);
	is_inferred(0x81a, 0x804);
}

static void task_begins_where_it_was_made(void **state)
{
	(void)state;
	changes_task(0x820, 0x5a0);
	ends_at(0x5a2);
	is_inferred(0x81a, 0x820);
}

static void task_that_does_neither_is_unknown(void **state)
{
	(void)state;
	changes_task(0x820, 0x528);
	decode();
	is_unfollowed(f.count - 3, 4);
	is_stop(f.count - 1, 0x52a);
}

/* A recording of an earlier version does not say where tasks begin. */
static void task_is_unknown_without_starts(void **state)
{
	(void)state;
	changes_task(0, 0x640);
	decode();
	is_unfollowed(f.count - 3, 4);
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_counting, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(function_is_to_return_to_another),
		TEST(half_an_address_is_none),
		TEST(number_is_replaced_by_what_the_frame_has),
		TEST(called_by_two_instructions_it_has_one_address),
		TEST(call_in_place_of_a_return_is_not_returned_to),
		TEST(unwound_frames_are_not_returned_to),
		TEST(large_frame_is_left_by_the_same_instruction),
		TEST(other_context_does_not_return_to_this_one),
		TEST(other_stack_does_not_return_to_this_one),
		TEST(number_may_be_kept_in_the_frame),
		TEST(others_may_save_it),
		TEST(x5_that_was_written_is_not_returned_to),
		TEST(trap_does_not_hide_that_it_was_written),
		TEST(caller_of_what_was_interrupted_changes),
		TEST(handler_is_the_one_that_can_have_executed),
		TEST(handler_is_the_one_with_these_branches),
		TEST(handler_returns_to_who_was_there_before),
		TEST(handler_that_cannot_be_told_from_another_is_unknown),
		TEST(handler_of_which_nothing_executed_is_unknown),
		TEST(odd_address_is_no_handler),
		TEST(handler_without_code_may_be_the_one),
		TEST(other_jumps_by_x5_enter_no_handler),
		TEST(return_is_unknown_without_catchers),
		TEST(handler_that_none_can_be_is_unknown),
		TEST(users_enter_no_handler),
		TEST(return_that_was_not_changed_is_told_by_what_executes),
		TEST(return_that_was_changed_is_told_by_what_executes),
		TEST(return_that_may_have_changed_is_unknown),
		TEST(task_goes_on_where_it_was_changed_from),
		TEST(task_begins_where_it_was_made),
		TEST(task_that_does_neither_is_unknown),
		TEST(task_is_unknown_without_starts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
