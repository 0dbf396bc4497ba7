// SPDX-License-Identifier: GPL-2.0
/*
 * Flow layer: encoders that count calls, and handlers of signals. No call says where they return to:
 * the kernel does.
 */
#include "flow-fixture.h"

#define HANDLER		0x7e0
#define SIGNAL_RETURN	0x7e4
#define KERNEL		0xffffffff80000000

static uint64_t signal_return;

static int resolve(void *data, const struct rvtrace_flow_query *query,
		   struct rvtrace_flow_place *place)
{
	(void)data;
	place->signal_return = signal_return;
	place->process = query->context;
	return 0;
}

static int setup_signals(void **state)
{
	int ret = setup(state);

	f.config.ntrace.sifive = true;
	f.config.ntrace.implicit_return = true;
	f.config.resolve = resolve;
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

/* Two functions deep there is a system call, after which a handler runs. */
static void enter_handler(unsigned int priv)
{
	put_sync(0, 3, 0, 0x7c8);
	put_ownership(priv, 7);
	put_trap(2 + 2, 0x7c8, 0x574);
	put_jump(2, 0x574, HANDLER);
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
	enter_handler(0);
	leave_handler(2);
	decode();
	item = inferred();
	assert_non_null(item);
	assert_int_equal(item->address, 0x7e2);
	assert_int_equal(item->trap.target, SIGNAL_RETURN);
	assert_int_equal(is_type(f.count - 1, RVTRACE_FLOW_TRAP)->address, SIGNAL_RETURN + 4);
}

/* The encoder counts two calls, of which the handler's return takes one. */
static void what_was_interrupted_returns_to_its_callers(void **state)
{
	(void)state;
	enter_handler(0);
	leave_handler(2);
	put_jump(2, 0x574, 0x7dc);
	put_jump(1 + 1 + 1, 0x7dc, 0x7cc);
	put_correlation(1, 1);
	decode();
	assert_non_null(inferred());
	for (int i = 0; i < f.count; i++)
		assert_int_not_equal(f.items[i].type, RVTRACE_FLOW_UNFOLLOWED);
	is_stop(f.count - 1, 0x7ce);
}

/* Where the handler is about to return */
static void handler_is_interrupted_by_another(void **state)
{
	int found = 0;

	(void)state;
	enter_handler(0);
	put_trap(1, HANDLER, 0x574);
	put_jump(2, 0x574, 0x5a0);
	put_trap(1 + 1 + 1 + 2, 0x5a0, 0x574);
	put_jump(2, 0x574, 0x7e2);
	put_trap(1 + 2, 0x7e2, 0x574);
	decode();
	for (int i = 0; i < f.count; i++) {
		assert_int_not_equal(f.items[i].type, RVTRACE_FLOW_ERROR);
		assert_int_not_equal(f.items[i].type, RVTRACE_FLOW_UNFOLLOWED);
		found += f.items[i].type == RVTRACE_FLOW_INFERRED;
	}
	assert_int_equal(found, 2);
}

/* As where a debugger made the program go on elsewhere: the system call does not retire. */
static void what_executes_more_is_no_return_from_a_handler(void **state)
{
	(void)state;
	for (uint32_t halfwords = 1; halfwords < 6; halfwords++) {
		if (halfwords == 2)
			continue;
		f.size = 0;
		enter_handler(0);
		leave_handler(halfwords);
		decode();
		assert_null(inferred());
		is_unfollowed(f.count - 2, halfwords);
	}
}

/* It returns to another function. */
static void jump_is_no_return_from_a_handler(void **state)
{
	(void)state;
	enter_handler(0);
	put_jump(1 + 1 + 2, HANDLER, 0x574);
	put_correlation(2, 1);
	decode();
	assert_null(inferred());
	is_unfollowed(f.count - 3, 2);
}

/* The kernel writes scontext before it returns. */
static void another_program_is_no_handler(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x7c8);
	put_ownership(0, 7);
	put_trap(2 + 2, 0x7c8, 0x524);
	put_ownership(0, 8);
	put_jump(2 + 1 + 1, 0x524, 0x574);
	put_jump(2, 0x574, HANDLER);
	leave_handler(2);
	decode();
	assert_null(inferred());
	is_unfollowed(f.count - 2, 2);
}

static void without_a_vdso_it_is_unknown(void **state)
{
	(void)state;
	signal_return = 0;
	enter_handler(0);
	leave_handler(2);
	decode();
	assert_null(inferred());
	is_unfollowed(f.count - 2, 2);
}

static void kernels_have_no_signals(void **state)
{
	(void)state;
	enter_handler(1);
	leave_handler(2);
	decode();
	assert_null(inferred());
	is_unfollowed(f.count - 2, 2);
}

/* The same code where a kernel has it */
static void map_kernel(void)
{
	struct rvtrace_mapping mapping = { .address = KERNEL, .size = 0x800,
					   .space = RVTRACE_SPACE_ANY, .privs = RVTRACE_PRIV_S };
	struct rvtrace_window window;
	struct rvtrace_code *code;

	assert_true(rvtrace_image_find(f.image, RVTRACE_SPACE_ANY, RVTRACE_PRIV_S, 0x7c8, &window));
	assert_int_equal(rvtrace_code_from_memory(window.bytes, 0x800, "kernel", &code), 0);
	mapping.code = code;
	assert_int_equal(rvtrace_image_map(f.image, &mapping), 0);
	rvtrace_code_unref(code);
}

/* It traps at 0x7d8 and goes on at 0x7e0, which returns to 0x7d4. */
static void kernel_goes_on_after_its_own_fault(void **state)
{
	(void)state;
	map_kernel();
	put_sync(0, 3, 0, KERNEL + 0x7c8);
	put_ownership(1, 7);
	put_trap(2 + 2, KERNEL + 0x7c8, KERNEL + 0x574);
	put_jump(2, 0x574, HANDLER);
	put_correlation(1 + 1 + 1 + 1 + 1, 1);
	decode();
	for (int i = 0; i < f.count; i++) {
		assert_int_not_equal(f.items[i].type, RVTRACE_FLOW_ERROR);
		assert_int_not_equal(f.items[i].type, RVTRACE_FLOW_UNFOLLOWED);
	}
	is_stop(f.count - 1, KERNEL + 0x7ce);
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
		TEST(another_program_is_no_handler),
		TEST(without_a_vdso_it_is_unknown),
		TEST(kernels_have_no_signals),
		TEST(kernel_goes_on_after_its_own_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
