// SPDX-License-Identifier: GPL-2.0
/* Flow layer: the privilege as addresses say it. */
#include "flow-fixture.h"

#define KERNEL		0xffffffff80000000
#define FIRMWARE	0x80000000ull

enum { PRIV_U = 0, PRIV_S = 1, PRIV_M = 3 };

static const struct rvtrace_code *program;

static void map(uint64_t address, unsigned int privs)
{
	const struct rvtrace_mapping mapping = {
		.code = program, .size = UINT64_MAX, .address = address,
		.space = RVTRACE_SPACE_ANY, .privs = privs,
	};

	assert_int_equal(rvtrace_image_map(f.image, &mapping), 0);
}

/* The program is there three times, each in its own mode. */
static int setup_modes(void **state)
{
	struct rvtrace_window window;

	setup(state);
	f.config.priv_by_address = true;
	rvtrace_image_find(f.image, RVTRACE_SPACE_ANY, RVTRACE_PRIV_U, 0, &window);
	program = rvtrace_code_ref(window.code);
	rvtrace_image_drop(f.image, RVTRACE_SPACE_ANY);
	map(0, RVTRACE_PRIV_U);
	map(KERNEL, RVTRACE_PRIV_S);
	map(FIRMWARE, RVTRACE_PRIV_M);
	return 0;
}

static int teardown_modes(void **state)
{
	rvtrace_code_unref(program);
	return teardown(state);
}

static void put_jump(uint32_t icnt, uint64_t from, uint64_t to)
{
	put_indirect(RVTRACE_NTRACE_BTYPE_JUMP, icnt, from ^ to, 0);
}

static void put_trap(uint32_t icnt, uint64_t from, uint64_t to)
{
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, icnt, from ^ to, 0);
}

static void is_priv(int i, enum rvtrace_flow_type type, unsigned int priv)
{
	const struct rvtrace_flow_item *item = is_type(i, type);

	assert_true(item->flags & RVTRACE_FLOW_HAS_PRIV);
	assert_int_equal(item->priv, priv);
}

static void is_code(int i, uint64_t address, unsigned int priv)
{
	is_priv(i, RVTRACE_FLOW_BLOCKS, priv);
	assert_int_equal(f.items[i].address, address);
}

static void the_kernel_has_the_upper_half(void **state)
{
	(void)state;
	put_sync(0, 3, 0, KERNEL + 0x520);
	put_jump(2, KERNEL + 0x520, 0x100);
	put_trap(3, 0x100, KERNEL + 0x300);
	put_correlation(2, 0);
	decode();
	is_priv(0, RVTRACE_FLOW_CONTEXT, PRIV_S);
	is_priv(1, RVTRACE_FLOW_SYNC, PRIV_S);
	is_code(2, KERNEL + 0x520, PRIV_S);
	is_priv(3, RVTRACE_FLOW_TRAP_RETURN, PRIV_S);
	is_priv(4, RVTRACE_FLOW_CONTEXT, PRIV_U);
	is_code(5, 0x100, PRIV_U);
	is_priv(6, RVTRACE_FLOW_TRAP, PRIV_U);
	is_priv(7, RVTRACE_FLOW_CONTEXT, PRIV_S);
	is_code(8, KERNEL + 0x300, PRIV_S);
	is_stop(9, KERNEL + 0x304);
}

static void the_halves_meet_at_the_sign(void **state)
{
	(void)state;
	put_sync(0, 5, 0, 0x7ffffffffffffffe);
	put_sync(0, 5, 0, 0x8000000000000000);
	decode();
	is_priv(1, RVTRACE_FLOW_SYNC, PRIV_U);
	is_priv(3, RVTRACE_FLOW_SYNC, PRIV_S);
}

/* Whatever a process has mapped there. */
static void a_trap_to_the_lower_half_is_firmware(void **state)
{
	(void)state;
	map(FIRMWARE, RVTRACE_PRIV_U);
	put_sync(0, 3, 0, 0x100);
	put_trap(3, 0x100, FIRMWARE + 0x300);
	put_correlation(2, 0);
	decode();
	is_code(2, 0x100, PRIV_U);
	is_priv(4, RVTRACE_FLOW_CONTEXT, PRIV_M);
	is_code(5, FIRMWARE + 0x300, PRIV_M);
}

static void a_jump_changes_nothing(void **state)
{
	(void)state;
	map(FIRMWARE, RVTRACE_PRIV_U);
	put_sync(0, 3, 0, 0x100);
	put_trap(3, 0x100, FIRMWARE + 0x528);
	put_jump(2, FIRMWARE + 0x528, FIRMWARE + 0x300);
	put_sync(0, 2, 2, FIRMWARE + 0x304);
	put_correlation(0, 0);
	decode();
	is_code(5, FIRMWARE + 0x528, PRIV_M);
	is_code(6, FIRMWARE + 0x300, PRIV_M);
	is_priv(7, RVTRACE_FLOW_SYNC, PRIV_M);
	is_stop(8, FIRMWARE + 0x304);
}

/* Not even if it leads where nobody of that mode can be: it will trap. */
static void a_jump_to_the_kernel_is_none_of_its_code(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x528);
	put_jump(2, 0x528, KERNEL + 0x300);
	put_trap(0, KERNEL + 0x300, KERNEL + 0x100);
	decode();
	is_code(2, 0x528, PRIV_U);
	is_priv(3, RVTRACE_FLOW_TRAP, PRIV_U);
	is_priv(4, RVTRACE_FLOW_CONTEXT, PRIV_S);
}

static void firmware_returns_to_every_mode(void **state)
{
	(void)state;
	put_sync(0, 3, 0, FIRMWARE + 0x520);
	put_jump(2, FIRMWARE + 0x520, FIRMWARE + 0x520);
	put_jump(2, FIRMWARE + 0x520, 0x100);
	put_trap(3, 0x100, FIRMWARE + 0x520);
	put_jump(2, FIRMWARE + 0x520, KERNEL + 0x100);
	put_correlation(1, 0);
	decode();
	is_priv(0, RVTRACE_FLOW_CONTEXT, PRIV_M);
	is_code(2, FIRMWARE + 0x520, PRIV_M);
	is_code(4, FIRMWARE + 0x520, PRIV_M);
	is_priv(6, RVTRACE_FLOW_CONTEXT, PRIV_U);
	is_code(7, 0x100, PRIV_U);
	is_code(10, FIRMWARE + 0x520, PRIV_M);
	is_priv(12, RVTRACE_FLOW_CONTEXT, PRIV_S);
	is_code(13, KERNEL + 0x100, PRIV_S);
}

static void it_returns_to_user_code_where_both_are(void **state)
{
	(void)state;
	map(FIRMWARE, RVTRACE_PRIV_U);
	put_sync(0, 3, 0, 0x100);
	put_trap(3, 0x100, FIRMWARE + 0x520);
	put_jump(2, FIRMWARE + 0x520, FIRMWARE + 0x300);
	put_correlation(2, 0);
	decode();
	is_code(5, FIRMWARE + 0x520, PRIV_M);
	is_code(8, FIRMWARE + 0x300, PRIV_U);
}

/* The kernel returns to programs, even at an address that firmware has. */
static void the_kernel_returns_to_users(void **state)
{
	(void)state;
	put_sync(0, 3, 0, KERNEL + 0x520);
	put_jump(2, KERNEL + 0x520, FIRMWARE + 0x300);
	decode();
	is_priv(4, RVTRACE_FLOW_CONTEXT, PRIV_U);
}

static void firmware_without_an_image_is_left_for_known_code(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_trap(3, 0x100, 0x10000);
	put_jump(9, 0x10000, 0x20000);
	put_jump(9, 0x20000, 0x100);
	put_trap(3, 0x100, 0x10000);
	put_jump(9, 0x10000, KERNEL + 0x100);
	put_correlation(1, 0);
	decode();
	is_priv(5, RVTRACE_FLOW_NO_IMAGE, PRIV_M);
	is_priv(6, RVTRACE_FLOW_NO_IMAGE, PRIV_M);
	is_priv(7, RVTRACE_FLOW_CONTEXT, PRIV_U);
	is_code(8, 0x100, PRIV_U);
	is_priv(11, RVTRACE_FLOW_NO_IMAGE, PRIV_M);
	is_priv(12, RVTRACE_FLOW_CONTEXT, PRIV_S);
	is_code(13, KERNEL + 0x100, PRIV_S);
}

static void firmware_returns_to_users_without_an_image(void **state)
{
	(void)state;
	put_sync(0, 3, 0, FIRMWARE + 0x520);
	put_jump(2, FIRMWARE + 0x520, 0x10000);
	decode();
	is_priv(4, RVTRACE_FLOW_CONTEXT, PRIV_U);
}

static int resolve(void *data, const struct rvtrace_flow_query *query,
		   struct rvtrace_flow_place *place)
{
	(void)data;
	(void)query;
	place->user = 7;
	return 0;
}

static void user_code_is_that_of_the_process(void **state)
{
	const struct rvtrace_mapping mapping = {
		.code = program, .size = UINT64_MAX, .address = FIRMWARE, .space = 7,
		.privs = RVTRACE_PRIV_U,
	};

	(void)state;
	assert_int_equal(rvtrace_image_map(f.image, &mapping), 0);
	f.config.resolve = resolve;
	put_sync(0, 3, 0, FIRMWARE + 0x100);
	put_correlation(1, 0);
	decode();
	is_code(2, FIRMWARE + 0x100, PRIV_U);
}

/* In code of nobody, jumps and returns look the same. */
static void users_without_an_image_stay_users(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x10000);
	put_jump(9, 0x10000, 0x20000);
	put_jump(9, 0x20000, 0x100);
	put_correlation(1, 0);
	decode();
	is_priv(0, RVTRACE_FLOW_CONTEXT, PRIV_U);
	is_priv(2, RVTRACE_FLOW_NO_IMAGE, PRIV_U);
	is_priv(3, RVTRACE_FLOW_NO_IMAGE, PRIV_U);
	is_code(4, 0x100, PRIV_U);
}

static void after_a_loss_the_address_alone_counts(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	begin_message(RVTRACE_NTRACE_ERROR, 0);
	nexus_fixed(&f.msg, 0, 4);
	nexus_variable(&f.msg, RVTRACE_NTRACE_ECODE_PROGRAM);
	end_message();
	put_sync(0, 7, 0, FIRMWARE + 0x300);
	put_correlation(2, 0);
	decode();
	is_priv(1, RVTRACE_FLOW_SYNC, PRIV_U);
	assert_false(is_type(2, RVTRACE_FLOW_OVERFLOW)->flags & RVTRACE_FLOW_HAS_PRIV);
	is_priv(3, RVTRACE_FLOW_CONTEXT, PRIV_M);
	is_code(5, FIRMWARE + 0x300, PRIV_M);
}

/* A periodic synchronization may be the first message that is left. */
static void what_is_first_was_not_jumped_to(void **state)
{
	(void)state;
	put_sync(0, 2, 5, FIRMWARE + 0x300);
	put_correlation(2, 0);
	decode();
	is_code(2, FIRMWARE + 0x300, PRIV_M);
}

/* The hart was elsewhere meanwhile: what it did last says nothing. */
static void after_a_restart_the_address_alone_counts(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_sync(0, 5, 3, FIRMWARE + 0x300);
	put_correlation(2, 0);
	decode();
	is_code(2, 0x100, PRIV_U);
	is_priv(3, RVTRACE_FLOW_CONTEXT, PRIV_M);
	is_code(5, FIRMWARE + 0x300, PRIV_M);
}

static void ownership_is_softwares(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_variable(RVTRACE_NTRACE_OWNERSHIP, 9);
	put_correlation(1, 0);
	decode();
	assert_int_equal(is_type(2, RVTRACE_FLOW_DATA)->data.value, 9);
	assert_int_equal(f.items[2].data.id, RVTRACE_OWNER_ID);
	is_code(3, 0x100, PRIV_U);
	assert_false(f.items[3].flags & RVTRACE_FLOW_HAS_CONTEXT);
}

static void it_takes_64_bits(void **state)
{
	(void)state;
	f.config.isa.xlen = 32;
	assert_int_equal(rvtrace_flow_new(&f.config, f.image, &f.flow), RVTRACE_ERR_INVALID);
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_modes, teardown_modes)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_kernel_has_the_upper_half),
		TEST(the_halves_meet_at_the_sign),
		TEST(a_trap_to_the_lower_half_is_firmware),
		TEST(a_jump_changes_nothing),
		TEST(a_jump_to_the_kernel_is_none_of_its_code),
		TEST(firmware_returns_to_every_mode),
		TEST(it_returns_to_user_code_where_both_are),
		TEST(the_kernel_returns_to_users),
		TEST(firmware_without_an_image_is_left_for_known_code),
		TEST(firmware_returns_to_users_without_an_image),
		TEST(user_code_is_that_of_the_process),
		TEST(users_without_an_image_stay_users),
		TEST(after_a_loss_the_address_alone_counts),
		TEST(what_is_first_was_not_jumped_to),
		TEST(after_a_restart_the_address_alone_counts),
		TEST(ownership_is_softwares),
		TEST(it_takes_64_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
