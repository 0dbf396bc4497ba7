// SPDX-License-Identifier: GPL-2.0
/* Flow layer: how N-Trace messages are walked over the code. */
#include "flow-fixture.h"

/* The three runs of "Example of I-CNT Handling in BTM mode". */
static void branch_messages(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_direct(3);
	put_correlation(1, 0);
	put_sync(0, 3, 0, 0x100);
	put_direct(7);
	put_correlation(2, 0);
	put_sync(0, 3, 0, 0x100);
	put_correlation(10, 0);
	decode();
	assert_int_equal(is_type(0, RVTRACE_FLOW_SYNC)->sync.reason, 3);
	assert_true(f.items[0].flags & RVTRACE_FLOW_FIRST);
	is_block(1, 0x100, 6, 2);
	is_block(2, 0x200, 2, 1);
	assert_int_equal(is_type(3, RVTRACE_FLOW_STOP)->address, 0x202);
	is_block(5, 0x100, 6, 2);
	is_block(6, 0x106, 8, 2);
	is_block(7, 0x300, 4, 1);
	assert_int_equal(is_type(8, RVTRACE_FLOW_STOP)->address, 0x304);
	is_block(10, 0x100, 6, 2);
	is_block(11, 0x106, 8, 2);
	is_block(12, 0x10e, 6, 2);
	is_stop(13, 0x114);
}

/* "Example of I-CNT Handling in HTM mode". */
static void history_messages(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_correlation(4, 0x3);
	put_sync(0, 3, 0, 0x100);
	put_correlation(9, 0x5);
	put_sync(0, 3, 0, 0x100);
	put_correlation(10, 0x4);
	decode();
	is_block(1, 0x100, 6, 2);
	is_block(2, 0x200, 2, 1);
	is_block(5, 0x100, 6, 2);
	is_block(6, 0x106, 8, 2);
	is_block(7, 0x300, 4, 1);
	is_block(10, 0x100, 6, 2);
	is_block(11, 0x106, 8, 2);
	is_block(12, 0x10e, 6, 2);
	is_stop(13, 0x114);
}

/* "Examples of I-CNT Field Full Generation", both ways. */
static void full_instruction_counts(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_resource_full(0, 7, 0);
	put_correlation(3, 0x4);
	put_sync(0, 3, 0, 0x100);
	put_sync(0, 4, 7, 0x10e);
	put_correlation(3, 0);
	decode();
	is_block(1, 0x100, 6, 2);
	is_block(2, 0x106, 8, 2);
	is_block(3, 0x10e, 6, 2);
	is_type(4, RVTRACE_FLOW_STOP);
	is_block(6, 0x100, 6, 2);
	is_block(7, 0x106, 8, 2);
	assert_int_equal(is_type(8, RVTRACE_FLOW_SYNC)->sync.reason, 4);
	is_block(9, 0x10e, 6, 2);
	is_stop(10, 0x114);
}

/* I-CNT of 1, 5 and 0 are correct in the example: traps. */
static void traps_end_blocks_anywhere(void **state)
{
	const struct rvtrace_flow_item *trap;

	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 1, 0x100 ^ 0x300, 0);
	put_indirect(RVTRACE_NTRACE_BTYPE_INTERRUPT, 0, 0x300 ^ 0x100, 0);
	put_indirect(RVTRACE_NTRACE_BTYPE_TRAP, 5, 0x100 ^ 0x520, 0);
	put_indirect(RVTRACE_NTRACE_BTYPE_JUMP, 2, 0x520 ^ 0x10a, 0);
	put_correlation(0, 0);
	decode();
	is_block(1, 0x100, 2, 1);
	trap = is_type(2, RVTRACE_FLOW_TRAP);
	assert_int_equal(trap->address, 0x102);
	assert_int_equal(trap->trap.target, 0x300);
	assert_int_equal(trap->trap.kind, RVTRACE_TRAP_EXCEPTION);
	trap = is_type(3, RVTRACE_FLOW_TRAP);
	assert_int_equal(trap->address, 0x300);
	assert_int_equal(trap->trap.kind, RVTRACE_TRAP_INTERRUPT);
	is_block(4, 0x100, 6, 2);
	is_block(5, 0x106, 4, 1);
	trap = is_type(6, RVTRACE_FLOW_TRAP);
	assert_int_equal(trap->address, 0x10a);
	assert_int_equal(trap->trap.kind, RVTRACE_TRAP_UNKNOWN);
	is_block(7, 0x520, 4, 1);
	trap = is_type(8, RVTRACE_FLOW_TRAP_RETURN);
	assert_int_equal(trap->address, 0x520);
	assert_int_equal(trap->trap.target, 0x10a);
	is_stop(9, 0x10a);
}

/* More at once than the caller wants to walk is damage; decoding goes on at the next address. */
static void instruction_counts_may_have_a_limit(void **state)
{
	(void)state;
	f.config.branches_max = 9;
	put_sync(0, 3, 0, 0x100);
	put_correlation(10, 0x4);
	put_sync(0, 3, 0, 0x100);
	put_correlation(9, 0x5);
	decode();
	is_error(1, RVTRACE_ERR_FIELD);
	is_block(3, 0x100, 6, 2);
	is_block(4, 0x106, 8, 2);
	is_block(5, 0x300, 4, 1);
	is_stop(6, 0x304);
}

/* I-CNT of 4, 6 and 9 are incorrect in the example. */
static void counts_that_end_inside_an_instruction_are_errors(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 4, 0x100 ^ 0x300, 0);
	put_correlation(2, 0);
	decode();
	is_block(1, 0x100, 6, 2);
	is_error(2, RVTRACE_ERR_ICNT);
	assert_int_equal(f.items[2].address, 0x106);
	is_gap(3, 0x106, 1);
	is_type(4, RVTRACE_FLOW_TRAP);
	assert_false(f.items[4].flags & RVTRACE_FLOW_HAS_ADDRESS);
	/* the address is still good */
	is_block(5, 0x300, 4, 1);
	is_stop(6, 0x304);
}

static void histories_are_walked_ahead_of_the_count(void **state)
{
	(void)state;
	/* 0x100: not taken, taken to 0x300; back by a jump; the same three times */
	put_sync(0, 3, 0, 0x100);
	put_resource_full(1, 0x4, 0);
	decode();
	is_block(1, 0x100, 6, 2);
	is_block(2, 0x106, 8, 2);
	assert_int_equal(f.count, 3);
	f.size = 0;
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 8, 0x100 ^ 0x200, 1);
	put_correlation(1, 1);
	decode();
	is_block(0, 0x10e, 2, 1);
	assert_int_equal(is_type(1, RVTRACE_FLOW_TRAP)->address, 0x110);
	is_block(2, 0x200, 2, 1);
	is_stop(3, 0x202);
}

static void too_much_or_too_little_history_is_an_error(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 7, 0x100 ^ 0x300, 0x2);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0x300 ^ 0x100, 0x3);
	decode();
	is_block(1, 0x100, 6, 2);
	is_block(2, 0x106, 8, 2);
	is_error(3, RVTRACE_ERR_JUMP);
	is_type(4, RVTRACE_FLOW_TRAP);
	is_block(5, 0x300, 4, 1);
	is_error(6, RVTRACE_ERR_HISTORY);
}

static void a_loop_without_an_exit_is_an_error(void **state)
{
	struct rvtrace_flow_item items[64];
	int n, type = 0;

	(void)state;
	put_sync(0, 3, 0, 0x404);
	put_resource_full(1, 0x3, 0);
	assert_int_equal(rvtrace_flow_new(&f.config, f.image, &f.flow), 0);
	assert_int_equal(rvtrace_flow_feed(f.flow, f.stream, f.size), 0);
	while ((n = rvtrace_flow_read(f.flow, items, 64)) > 0)
		type = items[n - 1].type;
	assert_int_equal(type, RVTRACE_FLOW_ERROR);
}

/* 0x8000: c.addi, c.bnez 0x8000 */
static void map_loop(void)
{
	static const uint8_t loop[] = { 0x05, 0x05, 0x7d, 0xfd };
	struct rvtrace_mapping mapping = { .size = UINT64_MAX, .address = 0x8000,
					   .space = RVTRACE_SPACE_ANY, .privs = RVTRACE_PRIV_ANY };
	struct rvtrace_code *code;

	assert_int_equal(rvtrace_code_from_memory(loop, sizeof(loop), "loop", &code), 0);
	mapping.code = code;
	assert_int_equal(rvtrace_image_map(f.image, &mapping), 0);
	rvtrace_code_unref(code);
}

static void check_run(const struct rvtrace_flow_item *item)
{
	assert_int_equal(item->type, RVTRACE_FLOW_BLOCKS);
	assert_int_equal(item->address, 0x8000);
	assert_int_equal(item->blocks.instructions, 2 * item->blocks.count);
	for (uint32_t i = 0; i < item->blocks.count; i++) {
		assert_int_equal(item->blocks.list[i].address, 0x8000);
		assert_int_equal(item->blocks.list[i].size, 4);
		assert_int_equal(item->blocks.list[i].instructions, 2);
	}
}

static void blocks_of_a_message_are_runs(void **state)
{
	struct rvtrace_flow_item item;
	unsigned int count = 0, runs = 0;

	(void)state;
	map_loop();
	put_sync(0, 3, 0, 0x8000);
	put_resource_full(2, 0x7, 5000);
	put_correlation(20000, 1);
	assert_int_equal(rvtrace_flow_new(&f.config, f.image, &f.flow), 0);
	assert_int_equal(rvtrace_flow_feed(f.flow, f.stream, f.size), 0);
	assert_int_equal(rvtrace_flow_read(f.flow, &item, 1), 1);
	assert_int_equal(item.type, RVTRACE_FLOW_SYNC);
	while (count < 10000) {
		assert_int_equal(rvtrace_flow_read(f.flow, &item, 1), 1);
		check_run(&item);
		count += item.blocks.count;
		runs++;
	}
	assert_int_equal(count, 10000);
	assert_in_range(runs, 2, 100);
	assert_int_equal(rvtrace_flow_read(f.flow, &item, 1), 1);
	assert_int_equal(item.type, RVTRACE_FLOW_STOP);
	assert_int_equal(rvtrace_flow_read(f.flow, &item, 1), 0);
}

static void instructions_of_a_run(void **state)
{
	struct rvtrace_flow_item items[4];
	struct rvtrace_insn_iter iter;
	unsigned int count = 0;

	(void)state;
	map_loop();
	put_sync(0, 3, 0, 0x8000);
	put_resource_full(1, 0xf, 0);
	assert_int_equal(rvtrace_flow_new(&f.config, f.image, &f.flow), 0);
	assert_int_equal(rvtrace_flow_feed(f.flow, f.stream, f.size), 0);
	assert_int_equal(rvtrace_flow_read(f.flow, items, 4), 2);
	rvtrace_insn_iter_init(&iter, &items[1]);
	while (rvtrace_insn_iter_next(&iter)) {
		assert_int_equal(iter.address, count % 2 ? 0x8002 : 0x8000);
		assert_int_equal(iter.size, 2);
		assert_int_equal(iter.code[0], count % 2 ? 0x7d : 0x05);
		count++;
	}
	assert_int_equal(count, 6);
}

static void repeated_branches(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 1, 0, 0);
	put_variable(RVTRACE_NTRACE_REPEAT_BRANCH, 2);
	put_correlation(0, 0);
	decode();
	for (int i = 0; i < 3; i++) {
		is_block(1 + 2 * i, 0x100, 2, 1);
		assert_int_equal(is_type(2 + 2 * i, RVTRACE_FLOW_TRAP)->trap.target, 0x100);
	}
	is_stop(7, 0x100);
}

/* Where the source was says something about where it is, unless it had stopped. */
static void synchronizations_confirm_the_address(void **state)
{
	static const bool restarts[] = {
		[RVTRACE_NTRACE_SYNC_RESET] = true,
		[RVTRACE_NTRACE_SYNC_DEBUG_EXIT] = true,
		[RVTRACE_NTRACE_SYNC_TRACE_ENABLE] = true,
		[RVTRACE_NTRACE_SYNC_FIFO_OVERRUN] = true,
		[RVTRACE_NTRACE_SYNC_POWER_DOWN] = true,
	};

	for (unsigned int reason = 0; reason < sizeof(restarts); reason++) {
		if (reason) {
			teardown(state);
			setup(state);
		}
		put_sync(0, RVTRACE_NTRACE_SYNC_RESET, 0, 0x100);
		put_sync(0, reason, 1, 0x100);
		decode();
		is_block(1, 0x100, 2, 1);
		if (!restarts[reason])
			is_error(2, RVTRACE_ERR_ADDRESS);
		is_type(restarts[reason] ? 2 : 3, RVTRACE_FLOW_SYNC);
	}
}

/* More half-words than a message may tell of, or encoders do: nobody waits for them. */
static void repeats_have_a_limit(void **state)
{
	(void)state;
	f.config.branches_max = 9;
	put_sync(0, 3, 0, 0x100);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 1, 0, 0);
	put_variable(RVTRACE_NTRACE_REPEAT_BRANCH, 9);
	put_variable(RVTRACE_NTRACE_REPEAT_BRANCH, 10);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 1, 0, 0);
	put_correlation(0, 0);
	decode();
	for (int i = 0; i < 10; i++) {
		is_block(1 + 2 * i, 0x100, 2, 1);
		is_type(2 + 2 * i, RVTRACE_FLOW_TRAP);
	}
	is_error(21, RVTRACE_ERR_FIELD);
	assert_int_equal(f.items[21].address, 0x100);
	is_gap(22, 0x100, 1);
	is_type(23, RVTRACE_FLOW_TRAP);
	is_stop(24, 0x100);
}

static void repeats_have_a_limit_by_default(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, RVTRACE_FLOW_HALFWORDS_MAX, 0, 0);
	put_variable(RVTRACE_NTRACE_REPEAT_BRANCH, 2);
	decode();
	is_error(f.count - 1, RVTRACE_ERR_FIELD);
}

static void nothing_to_repeat_is_an_error(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_variable(RVTRACE_NTRACE_REPEAT_BRANCH, 2);
	decode();
	is_error(1, RVTRACE_ERR_REPEAT);
}

/* Of no use for the flow, and no harm: neither to this source nor to others. */
static void reserved_encodings(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_variable(RVTRACE_NTRACE_OWNERSHIP, 0x5);
	put_variable(RVTRACE_NTRACE_OWNERSHIP, 0x8);
	put_resource_full(9, 5, 0);
	put_resource_full(4, 5, 0);
	put_correlation(1, 0);
	decode();
	for (int i = 1; i < 5; i++)
		assert_int_equal(is_type(i, RVTRACE_FLOW_UNKNOWN)->unknown.tcode,
				 i < 3 ? RVTRACE_NTRACE_OWNERSHIP : RVTRACE_NTRACE_RESOURCE_FULL);
	is_block(5, 0x100, 2, 1);
	is_stop(6, 0x102);
}

static void implicit_returns(void **state)
{
	(void)state;
	f.config.ntrace.implicit_return = true;
	put_sync(0, 3, 0, 0x400);
	put_correlation(2 + 2 + 1, 1);
	decode();
	is_block(1, 0x400, 4, 1);
	is_block(2, 0x410, 4, 2);
	is_block(3, 0x404, 2, 1);
	is_stop(4, 0x406);
}

static void a_return_without_its_call_is_an_error(void **state)
{
	(void)state;
	f.config.ntrace.implicit_return = true;
	put_sync(0, 3, 0, 0x410);
	put_correlation(2 + 1, 1);
	decode();
	is_block(1, 0x410, 4, 2);
	is_error(2, RVTRACE_ERR_JUMP);
}

/* An encoder that compares addresses reports that return. */
static void compared_calls_outlive_a_change_of_tasks(void **state)
{
	(void)state;
	f.config.task_switch = 0x412;
	f.config.ntrace.implicit_return = true;
	put_sync(0, 3, 0, 0x400);
	put_correlation(2 + 2 + 1, 1);
	decode();
	is_block(3, 0x412, 2, 1);
	is_block(4, 0x404, 2, 1);
}

/* "Implicit Return": both sides begin anew at a synchronization. */
static void a_synchronization_forgets_the_calls(void **state)
{
	(void)state;
	f.config.ntrace.implicit_return = true;
	put_sync(0, 3, 0, 0x400);
	put_sync(0, 2, 2, 0x410);
	put_correlation(2 + 1, 1);
	decode();
	is_block(1, 0x400, 4, 1);
	is_type(2, RVTRACE_FLOW_SYNC);
	is_block(3, 0x410, 4, 2);
	is_error(4, RVTRACE_ERR_JUMP);
}

static void indirect_jumps_need_their_message(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x410);
	put_indirect(RVTRACE_NTRACE_BTYPE_JUMP, 2, 0x410 ^ 0x404, 0);
	put_indirect(RVTRACE_NTRACE_BTYPE_JUMP, 1, 0x404 ^ 0x410, 0);
	decode();
	is_block(1, 0x410, 4, 2);
	is_block(2, 0x404, 2, 1);
	is_error(3, RVTRACE_ERR_JUMP);
}

static void sequential_jumps(void **state)
{
	(void)state;
	f.config.ntrace.sequential_jump = true;
	put_sync(0, 3, 0, 0x500);
	put_indirect(RVTRACE_NTRACE_BTYPE_JUMP, 4 + 2, 0x500 ^ 0x100, 1);
	put_correlation(1, 1);
	decode();
	is_block(1, 0x500, 8, 2);
	is_block(2, 0x520, 4, 1);
	is_type(3, RVTRACE_FLOW_TRAP_RETURN);
	is_block(4, 0x100, 2, 1);
	is_stop(5, 0x102);
}

static void table_jumps(void **state)
{
	static const uint8_t code[] = { 0x16, 0xa0 };	/* cm.jt 5 */
	uint8_t table[6 * 8] = { [5 * 8] = 0x00, 0x02 };
	struct rvtrace_mapping mapping = { .size = UINT64_MAX, .space = RVTRACE_SPACE_ANY,
					   .privs = RVTRACE_PRIV_ANY };
	struct rvtrace_code *c, *t;

	(void)state;
	f.config.isa.zcmt = true;
	f.config.jvt = 0x2000;
	rvtrace_code_from_memory(code, sizeof(code), "code", &c);
	rvtrace_code_from_memory(table, sizeof(table), "table", &t);
	mapping.code = c;
	mapping.address = 0x1000;
	rvtrace_image_map(f.image, &mapping);
	mapping.code = t;
	mapping.address = 0x2000;
	rvtrace_image_map(f.image, &mapping);
	rvtrace_code_unref(c);
	rvtrace_code_unref(t);
	put_sync(0, 3, 0, 0x1000);
	put_correlation(2, 0);
	decode();
	is_block(1, 0x1000, 2, 1);
	is_block(2, 0x200, 2, 1);
	is_stop(3, 0x202);
}

/* Code without an image is counted; the next address needs none. */
static void no_image_until_the_next_address(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x8000);
	put_resource_full(1, 0x155, 0);
	put_resource_full(0, 100, 0);
	put_indirect(RVTRACE_NTRACE_BTYPE_JUMP, 23, 0x8000 ^ 0x8100, 0x3);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 0, 0x8100 ^ 0x100, 1);
	put_correlation(1, 1);
	decode();
	is_gap(1, 0x8000, 123);
	assert_true(f.items[1].no_image.complete);
	/* nothing executed at 0x8100 */
	assert_int_equal(is_type(2, RVTRACE_FLOW_TRAP)->trap.target, 0x100);
	assert_int_equal(f.items[2].address, 0x8100);
	is_block(3, 0x100, 2, 1);
	is_stop(4, 0x102);
}

static void sync_at_another_address_is_an_error_and_believed(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_sync(0, 2, 1, 0x300);
	put_correlation(2, 0);
	decode();
	is_block(1, 0x100, 2, 1);
	is_error(2, RVTRACE_ERR_ADDRESS);
	is_type(3, RVTRACE_FLOW_SYNC);
	is_block(4, 0x300, 4, 1);
	is_stop(5, 0x304);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(branch_messages),
		TEST(history_messages),
		TEST(full_instruction_counts),
		TEST(instruction_counts_may_have_a_limit),
		TEST(traps_end_blocks_anywhere),
		TEST(counts_that_end_inside_an_instruction_are_errors),
		TEST(histories_are_walked_ahead_of_the_count),
		TEST(too_much_or_too_little_history_is_an_error),
		TEST(a_loop_without_an_exit_is_an_error),
		TEST(blocks_of_a_message_are_runs),
		TEST(instructions_of_a_run),
		TEST(repeated_branches),
		TEST(synchronizations_confirm_the_address),
		TEST(repeats_have_a_limit),
		TEST(repeats_have_a_limit_by_default),
		TEST(nothing_to_repeat_is_an_error),
		TEST(reserved_encodings),
		TEST(implicit_returns),
		TEST(compared_calls_outlive_a_change_of_tasks),
		TEST(a_return_without_its_call_is_an_error),
		TEST(a_synchronization_forgets_the_calls),
		TEST(indirect_jumps_need_their_message),
		TEST(sequential_jumps),
		TEST(table_jumps),
		TEST(no_image_until_the_next_address),
		TEST(sync_at_another_address_is_an_error_and_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
