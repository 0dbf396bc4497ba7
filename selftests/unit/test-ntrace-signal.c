// SPDX-License-Identifier: GPL-2.0
/*
 * Flow layer: encoders that count calls, and handlers of signals. No call says where they return to:
 * the kernel does.
 */
#include <string.h>

#include "flow-fixture.h"

#define HANDLER		0x7e0
#define SIGNAL_RETURN	0x7e4
#define KERNEL		0xffffffff80000000
#define FAR		0x10000
#define LOAD		0x00052503	/* lw a0, 0(a0) */
#define RETURN		0x00008067

static uint64_t signal_return;

static int resolve(void *data, const struct rvtrace_flow_query *query,
		   struct rvtrace_flow_place *place)
{
	(void)data;
	place->signal_return = signal_return;
	(void)query;
	return 0;
}

static int setup_signals(void **state)
{
	int ret = setup(state);

	f.config.ntrace.sifive = true;
	f.config.ntrace.implicit_return = true;
	f.config.resolve = resolve;
	f.config.kernel.signal_setup = 0x580;
	signal_return = SIGNAL_RETURN;
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

/* The kernel returns from the trap, after it set up a frame or not. */
static void return_from_trap(bool frame, uint64_t to)
{
	put_ownership(1, 7);
	put_jump(frame ? 2 + 1 + 2 : 2, frame ? 0x570 : 0x574, to);
	put_ownership(0, 7);
}

/* Two functions deep there is a system call, after which a handler runs. */
static void enter_handler(bool frame)
{
	put_sync(0, 3, 0, 0x7c8);
	put_ownership(0, 7);
	put_trap(2 + 2, 0x7c8, frame ? 0x570 : 0x574);
	return_from_trap(frame, HANDLER);
}

static const struct rvtrace_flow_item *inferred(void)
{
	const struct rvtrace_flow_item *found = NULL;

	for (int i = 0; i < f.count; i++) {
		assert_int_not_equal(f.items[i].type, RVTRACE_FLOW_ERROR);
		if (f.items[i].type != RVTRACE_FLOW_INFERRED)
			continue;
		assert_null(found);
		found = &f.items[i];
	}
	return found;
}

/* It executed @halfwords after its return, up to a trap. */
static void leave_handler(uint32_t halfwords)
{
	put_trap(1 + 1 + halfwords, HANDLER, 0x574);
}

static void handler_returns_to_the_kernels_code(void **state)
{
	const struct rvtrace_flow_item *item;

	(void)state;
	enter_handler(true);
	leave_handler(2);
	decode();
	item = inferred();
	assert_non_null(item);
	assert_int_equal(item->address, 0x7e2);
	assert_int_equal(item->trap.target, SIGNAL_RETURN);
	assert_int_equal(is_type(f.count - 1, RVTRACE_FLOW_TRAP)->address, SIGNAL_RETURN + 4);
}

static void are_followed(void)
{
	for (int i = 0; i < f.count; i++) {
		assert_int_not_equal(f.items[i].type, RVTRACE_FLOW_ERROR);
		assert_int_not_equal(f.items[i].type, RVTRACE_FLOW_UNFOLLOWED);
	}
}

/* The encoder counts two calls, of which the handler's return takes one. */
static void what_was_interrupted_returns_to_its_callers(void **state)
{
	(void)state;
	enter_handler(true);
	leave_handler(2);
	return_from_trap(false, 0x7dc);
	put_jump(1 + 1 + 1, 0x7dc, 0x7cc);
	put_correlation(1, 1);
	decode();
	assert_non_null(inferred());
	are_followed();
	is_stop(f.count - 1, 0x7ce);
}

/* Where the handler is about to return */
static void handler_is_interrupted_by_another(void **state)
{
	int found = 0;

	(void)state;
	enter_handler(true);
	put_trap(1, HANDLER, 0x570);
	return_from_trap(true, 0x5a0);
	put_trap(1 + 1 + 1 + 2, 0x5a0, 0x574);
	return_from_trap(false, 0x7e2);
	put_trap(1 + 2, 0x7e2, 0x574);
	decode();
	are_followed();
	for (int i = 0; i < f.count; i++)
		found += f.items[i].type == RVTRACE_FLOW_INFERRED;
	assert_int_equal(found, 2);
}

static void is_not_inferred(uint32_t halfwords)
{
	decode();
	assert_null(inferred());
	is_unfollowed(f.count - 2, halfwords);
}

/* The system call does not retire. */
static void what_executes_more_is_no_return_from_a_handler(void **state)
{
	(void)state;
	for (uint32_t halfwords = 1; halfwords < 6; halfwords++) {
		if (halfwords == 2)
			continue;
		f.size = 0;
		enter_handler(true);
		leave_handler(halfwords);
		is_not_inferred(halfwords);
	}
}

/* It returns to another function. */
static void jump_is_no_return_from_a_handler(void **state)
{
	(void)state;
	enter_handler(true);
	put_jump(1 + 1 + 2, HANDLER, 0x574);
	put_correlation(2, 1);
	decode();
	assert_null(inferred());
	is_unfollowed(f.count - 3, 2);
}

/* As after exec(), or where a debugger made the program go on elsewhere */
static void without_a_frame_there_is_no_handler(void **state)
{
	(void)state;
	enter_handler(false);
	leave_handler(2);
	is_not_inferred(2);
}

/* The frame was set up for a task that did not return yet. */
static void frame_of_another_trap_is_none(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x7c8);
	put_ownership(0, 7);
	put_trap(2 + 2, 0x7c8, 0x570);
	put_ownership(1, 7);
	put_jump(2 + 1 + 2, 0x570, 0x7d0);
	put_ownership(0, 7);
	put_trap(2, 0x7d0, 0x574);
	return_from_trap(false, HANDLER);
	leave_handler(2);
	is_not_inferred(2);
}

static void without_a_vdso_it_is_unknown(void **state)
{
	(void)state;
	signal_return = 0;
	enter_handler(true);
	leave_handler(2);
	is_not_inferred(2);
}

static void kernels_have_no_signals(void **state)
{
	(void)state;
	enter_handler(true);
	put_ownership(1, 7);
	leave_handler(2);
	is_not_inferred(2);
}

/* V of Ownership: its vDSO is another one. */
static void guests_have_signals_of_their_own(void **state)
{
	(void)state;
	enter_handler(true);
	put_variable(RVTRACE_NTRACE_OWNERSHIP, 2 | 1 << 4 | 7 << 5);
	leave_handler(2);
	is_not_inferred(2);
}

/* The kernel executes what no image has, and may change to another task there. */
static void after_a_gap_another_task_may_go_on(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x7c8);
	put_ownership(0, 7);
	put_trap(2 + 2, 0x7c8, 0x10000);
	put_ownership(1, 7);
	put_jump(8, 0x10000, 0x574);
	put_jump(2, 0x574, 0x7dc);
	put_ownership(0, 7);
	put_trap(1 + 1, 0x7dc, 0x574);
	is_not_inferred(1);
}

/* The same code where a kernel has it, but for an instruction in place of the system call */
static void map_kernel(uint64_t address, uint32_t word)
{
	struct rvtrace_mapping mapping = { .address = address, .size = 0x800,
					   .space = RVTRACE_SPACE_ANY, .privs = RVTRACE_PRIV_S };
	struct rvtrace_window window;
	struct rvtrace_code *code;
	uint8_t bytes[0x800];

	assert_true(rvtrace_image_find(f.image, RVTRACE_SPACE_ANY, RVTRACE_PRIV_S, 0, &window));
	memcpy(bytes, window.bytes, sizeof(bytes));
	for (int i = 0; i < 4; i++)
		bytes[0x7d8 + i] = word >> (8 * i);
	assert_int_equal(rvtrace_code_from_memory(bytes, sizeof(bytes), "kernel", &code), 0);
	mapping.code = code;
	assert_int_equal(rvtrace_image_map(f.image, &mapping), 0);
	rvtrace_code_unref(code);
}

/* It traps at 0x7d8 and goes on so far from 0x7e0, where it returns to 0x7d4 or not. */
static void kernel_goes_on(uint32_t word, uint32_t far)
{
	map_kernel(KERNEL, word);
	map_kernel(KERNEL + FAR, word);
	put_sync(0, 3, 0, KERNEL + 0x7c8);
	put_ownership(1, 7);
	put_trap(2 + 2, KERNEL + 0x7c8, KERNEL + 0x574);
	put_jump(2, 0x574, far + HANDLER);
}

static void kernel_goes_on_after_its_own_fault(void **state)
{
	(void)state;
	kernel_goes_on(LOAD, 0);
	put_correlation(1 + 1 + 1 + 1 + 1, 1);
	decode();
	are_followed();
	is_stop(f.count - 1, KERNEL + 0x7ce);
}

/* A kprobe on ret: its handler returns for it, and what is next returns to 0x7cc. */
static void kernel_may_have_returned_for_what_trapped(void **state)
{
	(void)state;
	kernel_goes_on(RETURN, 0);
	put_trap(1 + 1 + 2, KERNEL + HANDLER, KERNEL + 0x574);
	is_not_inferred(2);
}

/* A kprobe on a load: a copy of that executes, in place of what is there. */
static void kernel_may_execute_a_copy_of_what_trapped(void **state)
{
	(void)state;
	kernel_goes_on(LOAD, FAR);
	put_trap(1 + 1 + 2, KERNEL + FAR + HANDLER, KERNEL + 0x574);
	is_not_inferred(2);
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_signals, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(handler_returns_to_the_kernels_code),
		TEST(what_was_interrupted_returns_to_its_callers),
		TEST(handler_is_interrupted_by_another),
		TEST(what_executes_more_is_no_return_from_a_handler),
		TEST(jump_is_no_return_from_a_handler),
		TEST(without_a_frame_there_is_no_handler),
		TEST(frame_of_another_trap_is_none),
		TEST(without_a_vdso_it_is_unknown),
		TEST(kernels_have_no_signals),
		TEST(guests_have_signals_of_their_own),
		TEST(after_a_gap_another_task_may_go_on),
		TEST(kernel_goes_on_after_its_own_fault),
		TEST(kernel_may_have_returned_for_what_trapped),
		TEST(kernel_may_execute_a_copy_of_what_trapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
