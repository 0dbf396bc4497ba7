// SPDX-License-Identifier: GPL-2.0
/* Flow layer: returns that an encoder leaves out because it counted calls. */
#include "flow-fixture.h"

static int setup_counting(void **state)
{
	int ret = setup(state);

	f.config.ntrace.sifive = true;
	f.config.ntrace.implicit_return = true;
	return ret;
}

/* A message with an address, which is XORed with @from, the last one. */
static void put_address(unsigned int btype, uint32_t icnt, uint64_t from, uint64_t to)
{
	put_indirect(btype, icnt, from ^ to, 1);
}

static void put_trap(uint32_t icnt, uint64_t from, uint64_t to)
{
	put_address(RVTRACE_NTRACE_BTYPE_EXCEPTION, icnt, from, to);
}

static void put_jump(uint32_t icnt, uint64_t from, uint64_t to)
{
	put_address(RVTRACE_NTRACE_BTYPE_JUMP, icnt, from, to);
}

static void counted_returns_are_followed(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x558);
	put_correlation(2 + 3 + 1, 1);
	decode();
	is_block(1, 0x558, 4, 1);
	is_block(2, 0x560, 6, 2);
	is_block(3, 0x55c, 2, 1);
	is_stop(4, 0x55e);
}

/* Behind 0x410 another task executes, which was called from elsewhere. */
static void counted_calls_are_of_a_task(void **state)
{
	(void)state;
	f.config.task_switch = 0x412;
	put_sync(0, 3, 0, 0x400);
	put_trap(2 + 2 + 3, 0x400, 0x300);
	decode();
	is_block(1, 0x400, 4, 1);
	is_block(2, 0x410, 2, 1);
	is_block(3, 0x412, 2, 1);
	is_unfollowed(4, 3);
	assert_true(f.items[4].unfollowed.complete);
	is_type(5, RVTRACE_FLOW_TRAP);
	assert_false(f.items[5].flags & RVTRACE_FLOW_HAS_ADDRESS);
}

/* What longjmp() loads is no address of the caller, and the encoder does not look. */
static void returns_of_longjmp_are_not_followed(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x540);
	put_trap(2 + 3 + 3, 0x540, 0x300);
	decode();
	is_block(1, 0x540, 4, 1);
	is_block(2, 0x550, 4, 1);
	is_block(3, 0x554, 2, 1);
	is_unfollowed(4, 3);
}

/* The bits that name a register of other instructions are part of an immediate in this one. */
static void popret_returns_by_x1(void **state)
{
	(void)state;
	f.config.isa.zcmp = true;
	put_sync(0, 3, 0, 0x5b0);
	put_correlation(2 + 3 + 1, 1);
	decode();
	is_block(2, 0x5b8, 6, 2);
	is_block(3, 0x5b4, 2, 1);
	is_stop(4, 0x5b6);
}

static void calls_by_x5_are_returned_to_by_x5(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x420);
	put_correlation(2 + 1 + 1, 1);
	decode();
	is_block(1, 0x420, 4, 1);
	is_block(2, 0x430, 2, 1);
	is_block(3, 0x424, 2, 1);
	is_stop(4, 0x426);
}

/* Kernels before Linux 6.11 jump to handlers so: an address from a table, which no call left there. */
static void calls_by_x1_are_not_returned_to_by_x5(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x440);
	put_correlation(2 + 1 + 5, 1);
	decode();
	is_block(1, 0x440, 4, 1);
	is_block(2, 0x430, 2, 1);
	is_unfollowed(3, 5);
	assert_true(f.items[3].unfollowed.complete);
	is_type(4, RVTRACE_FLOW_STOP);
}

static void traps_count_nothing(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x590);
	put_trap(2 + 1, 0x590, 0x570);
	put_jump(2 + 1 + 2, 0x570, 0x5a2);
	put_correlation(1 + 1 + 1, 1);
	decode();
	is_block(1, 0x590, 4, 1);
	is_block(2, 0x5a0, 2, 1);
	is_type(3, RVTRACE_FLOW_TRAP);
	is_block(4, 0x570, 4, 1);
	is_block(5, 0x580, 2, 1);
	is_block(6, 0x574, 4, 1);
	is_type(7, RVTRACE_FLOW_TRAP_RETURN);
	is_block(8, 0x5a2, 4, 2);
	is_block(9, 0x594, 2, 1);
	is_stop(10, 0x596);
}

/*
 * `la ra, X; tail f`, as kernels before Linux 6.11 do it, or a task that began in the handler: the
 * count is that of the call before the trap. What was interrupted is not what f() returns to.
 */
static void return_from_handler(unsigned int priv)
{
	put_sync(0, 3, 0, 0x590);
	put_ownership(priv, 7);
	put_trap(2 + 1, 0x590, 0x580);
	put_jump(1 + 7, 0x580, 0x574);
	put_jump(2, 0x574, 0x5a2);
	put_correlation(1 + 1 + 1, 1);
	decode();
	is_type(4, RVTRACE_FLOW_TRAP);
	is_block(5, 0x580, 2, 1);
	is_unfollowed(6, 7);
	is_block(7, 0x574, 4, 1);
	is_type(8, RVTRACE_FLOW_TRAP_RETURN);
	is_block(9, 0x5a2, 4, 2);
}

/* Firmware goes on with what it interrupted. */
static void handlers_do_not_return_to_what_was_interrupted(void **state)
{
	(void)state;
	return_from_handler(3);
	is_block(10, 0x594, 2, 1);
	is_stop(11, 0x596);
}

/* A kernel may go on with another task. */
static void handlers_may_change_tasks(void **state)
{
	(void)state;
	return_from_handler(1);
	is_unfollowed(10, 1);
}

/* Behind a system call, and behind one that was emulated */
static void traps_return_behind_their_instruction(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x590);
	put_trap(2, 0x590, 0x570);
	put_jump(2 + 1 + 2, 0x570, 0x5a2);
	put_correlation(1 + 1 + 1, 1);
	decode();
	is_block(7, 0x5a2, 4, 2);
	is_block(8, 0x594, 2, 1);
}

/*
 * The kernel returns to a handler, which is returned from to who makes the kernel return to what it
 * had interrupted.
 */
static void signals_interrupt_what_goes_on_behind_them(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x590);
	put_trap(2 + 1, 0x590, 0x570);
	put_jump(2 + 1 + 2, 0x570, 0x580);	/* the signal's handler */
	put_trap(1 + 4, 0x580, 0x570);
	decode();
	is_type(7, RVTRACE_FLOW_TRAP_RETURN);
	is_block(8, 0x580, 2, 1);
	is_unfollowed(9, 4);
	is_type(10, RVTRACE_FLOW_TRAP);
	assert_int_equal(f.count, 11);
}

/* The count is 0: the handler's return is reported, and nothing is unknown. */
static void reported_returns_of_signals_lose_nothing(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x5a0);
	put_trap(1, 0x5a0, 0x574);
	put_jump(2, 0x574, 0x596);	/* the signal's handler: ret */
	put_jump(1, 0x596, 0x100);	/* who makes a system call */
	put_trap(1, 0x100, 0x574);
	put_jump(2, 0x574, 0x5a2);	/* behind 0x5a0: it was interrupted at 0x5a2 */
	put_jump(2, 0x5a2, 0x400);
	put_correlation(2 + 2 + 1, 1);
	decode();
	for (int i = 0; i < f.count; i++) {
		assert_int_not_equal(f.items[i].type, RVTRACE_FLOW_ERROR);
		assert_int_not_equal(f.items[i].type, RVTRACE_FLOW_UNFOLLOWED);
	}
	is_block(f.count - 2, 0x404, 2, 1);
}

/* An encoder whose count a trap clears, for example */
static void reported_returns_must_not_be_counted(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x590);
	put_jump(2 + 3 + 2, 0x590, 0x400);
	put_jump(2 + 2, 0x400, 0x404);
	put_correlation(1, 1);
	decode();
	is_error(f.count - 3, RVTRACE_ERR_CALLS);
	is_block(f.count - 2, 0x404, 2, 1);
	is_stop(f.count - 1, 0x406);
}

/* An encoder that leaves out no return at all, though its mode is the one that does so */
static void all_returns_may_be_reported(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x400);
	put_jump(2 + 2, 0x400, 0x404);
	put_correlation(1, 1);
	decode();
	is_block(2, 0x410, 4, 2);
	is_block(3, 0x404, 2, 1);
	is_stop(4, 0x406);
}

/* An encoder whose count no synchronization clears, for example */
static void returns_left_out_must_be_counted(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x400);
	put_sync(0, 2, 2, 0x410);
	put_correlation(2 + 1, 1);
	decode();
	is_block(3, 0x410, 4, 2);
	is_error(4, RVTRACE_ERR_JUMP);
}

/* A return that is reported says that the count is 0. */
static void counts_are_known_again_behind_a_reported_return(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x540);
	put_jump(2 + 3 + 3, 0x540, 0x412);
	put_jump(1, 0x412, 0x412);
	put_correlation(1 + 1, 1);
	decode();
	is_unfollowed(4, 3);
	is_block(5, 0x412, 2, 1);
	is_block(6, 0x412, 2, 1);
	is_error(7, RVTRACE_ERR_JUMP);
}

/* trTeInstImplicitReturnMode 1: it may count less far, so that a return is reported earlier. */
static void others_may_count_less_far(void **state)
{
	(void)state;
	f.config.ntrace.sifive = false;
	f.config.ntrace.count_returns = true;
	put_sync(0, 3, 0, 0x7c8);
	put_trap(2 + 2, 0x7c8, 0x574);
	put_jump(2, 0x574, 0x7dc);
	put_jump(1 + 1 + 1, 0x7dc, 0x7cc);
	put_correlation(1, 1);
	decode();
	for (int i = 0; i < f.count; i++) {
		assert_int_not_equal(f.items[i].type, RVTRACE_FLOW_ERROR);
		assert_int_not_equal(f.items[i].type, RVTRACE_FLOW_UNFOLLOWED);
	}
	is_stop(f.count - 1, 0x7ce);
}

/* It compares no address: what longjmp() loads may be any. */
static void others_that_count_do_not_compare(void **state)
{
	(void)state;
	f.config.ntrace.sifive = false;
	f.config.ntrace.count_returns = true;
	put_sync(0, 3, 0, 0x540);
	put_trap(2 + 3 + 3, 0x540, 0x300);
	decode();
	is_unfollowed(4, 3);
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_counting, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(counted_returns_are_followed),
		TEST(counted_calls_are_of_a_task),
		TEST(others_may_count_less_far),
		TEST(others_that_count_do_not_compare),
		TEST(returns_of_longjmp_are_not_followed),
		TEST(popret_returns_by_x1),
		TEST(calls_by_x5_are_returned_to_by_x5),
		TEST(calls_by_x1_are_not_returned_to_by_x5),
		TEST(traps_count_nothing),
		TEST(handlers_do_not_return_to_what_was_interrupted),
		TEST(handlers_may_change_tasks),
		TEST(traps_return_behind_their_instruction),
		TEST(signals_interrupt_what_goes_on_behind_them),
		TEST(reported_returns_of_signals_lose_nothing),
		TEST(reported_returns_must_not_be_counted),
		TEST(all_returns_may_be_reported),
		TEST(returns_left_out_must_be_counted),
		TEST(counts_are_known_again_behind_a_reported_return),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
