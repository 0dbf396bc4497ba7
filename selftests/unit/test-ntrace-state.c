// SPDX-License-Identifier: GPL-2.0
/* Flow layer: privilege, address space, time, sources, losses and damage. */
#include <string.h>
#include <time.h>

#include "flow-fixture.h"

static void a_space_has_its_own_code(void **state)
{
	static const uint8_t code[] = { 0x05, 0x05, 0x05, 0x05, 0x02, 0x90 };
	struct rvtrace_mapping mapping = { .size = UINT64_MAX, .address = 0x100, .space = 7,
					   .privs = RVTRACE_PRIV_U };
	struct rvtrace_code *c;

	(void)state;
	rvtrace_code_from_memory(code, sizeof(code), "code", &c);
	mapping.code = c;
	rvtrace_image_map(f.image, &mapping);
	rvtrace_code_unref(c);
	put_sync(0, 3, 0, 0x100);
	put_ownership(0, 7);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0, 0);
	put_variable(RVTRACE_NTRACE_OWNERSHIP, 3 << 2);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 3, 0, 0);
	decode();
	assert_int_equal(is_type(1, RVTRACE_FLOW_CONTEXT)->context, 7);
	assert_int_equal(f.items[1].priv, 0);
	is_block(2, 0x100, 4, 2);
	assert_int_equal(f.items[2].context, 7);
	is_type(3, RVTRACE_FLOW_TRAP);
	assert_int_equal(is_type(4, RVTRACE_FLOW_CONTEXT)->priv, 3);
	assert_int_equal(f.items[4].context, 7);
	is_block(5, 0x100, 6, 2);
	assert_int_equal(f.items[5].priv, 3);
}

static void a_written_context_holds_from_its_instruction_on(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x524);
	put_ownership(1, 1);
	put_ownership(1, 2);
	put_indirect(RVTRACE_NTRACE_BTYPE_JUMP, 4, 0x524 ^ 0x100, 0);
	decode();
	is_type(1, RVTRACE_FLOW_CONTEXT);
	is_block(2, 0x524, 4, 1);
	assert_int_equal(f.items[2].context, 1);
	assert_int_equal(is_type(3, RVTRACE_FLOW_CONTEXT)->context, 2);
	is_block(4, 0x528, 4, 2);
	assert_int_equal(f.items[4].context, 2);
}

/* The write was not seen, but by the end of the message it has happened. */
static void a_written_context_holds_behind_its_message(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_ownership(1, 1);
	put_ownership(1, 2);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 1, 0x100 ^ 0x524, 0);
	put_correlation(2, 0);
	decode();
	is_block(2, 0x100, 2, 1);
	assert_int_equal(f.items[2].context, 1);
	assert_int_equal(is_type(3, RVTRACE_FLOW_CONTEXT)->context, 2);
	assert_int_equal(is_type(4, RVTRACE_FLOW_TRAP)->context, 2);
	is_block(5, 0x524, 4, 1);
	assert_int_equal(f.items[5].context, 2);
}

static void a_state_can_be_given(void **state)
{
	(void)state;
	assert_int_equal(rvtrace_flow_new(&f.config, f.image, &f.flow), 0);
	assert_int_equal(rvtrace_flow_set_state(f.flow, 0, 1, 9), 0);
	assert_int_equal(rvtrace_flow_set_state(f.flow, 1, 1, 9), RVTRACE_ERR_INVALID);
	assert_int_equal(rvtrace_flow_set_state(f.flow, 0, 2, 9), RVTRACE_ERR_INVALID);
	put_sync(0, 3, 0, 0x100);
	put_correlation(1, 0);
	decode();
	is_block(1, 0x100, 2, 1);
	assert_int_equal(f.items[1].priv, 1);
	assert_int_equal(f.items[1].context, 9);
}

static void times_are_absolute_at_sync_and_added_after(void **state)
{
	(void)state;
	begin_message(RVTRACE_NTRACE_PROG_TRACE_SYNC, 0);
	nexus_fixed(&f.msg, 5, 4);
	nexus_variable(&f.msg, 0);
	nexus_variable(&f.msg, 0x100 >> 1);
	nexus_variable(&f.msg, 1000);
	end_message();
	begin_message(RVTRACE_NTRACE_DIRECT_BRANCH, 0);
	nexus_variable(&f.msg, 3);
	nexus_variable(&f.msg, 50);
	end_message();
	put_correlation(1, 0);
	decode();
	assert_int_equal(f.items[0].time, 1000);
	is_block(1, 0x100, 6, 2);
	assert_true(f.items[1].flags & RVTRACE_FLOW_HAS_TIME);
	assert_int_equal(f.items[1].time, 1050);
	assert_int_equal(f.items[1].offset, 6);
}

static void sources_are_independent(void **state)
{
	struct rvtrace_flow_stats stats = { .size = sizeof(stats) };

	(void)state;
	f.config.src_bits = 2;
	put_sync(1, 3, 0, 0x200);
	put_sync(0, 3, 0, 0x100);
	begin_message(RVTRACE_NTRACE_PROG_TRACE_CORRELATION, 1);
	nexus_fixed(&f.msg, 4, 4);
	nexus_fixed(&f.msg, 0, 2);
	nexus_variable(&f.msg, 1);
	end_message();
	put_correlation(1, 0);
	decode();
	is_block(2, 0x200, 2, 1);
	assert_int_equal(f.items[2].source, 1);
	is_block(4, 0x100, 2, 1);
	assert_int_equal(f.items[4].source, 0);
	rvtrace_flow_stats(f.flow, 1, &stats);
	assert_int_equal(stats.instructions, 1);
	assert_int_equal(stats.messages, 2);
	rvtrace_flow_stats(f.flow, 3, &stats);
	assert_int_equal(stats.messages, 0);
}

static void after_an_overflow_nothing_counts_until_sync(void **state)
{
	struct rvtrace_flow_stats stats = { .size = sizeof(stats) };

	(void)state;
	put_sync(0, 3, 0, 0x100);
	begin_message(RVTRACE_NTRACE_ERROR, 0);
	nexus_fixed(&f.msg, 0, 4);
	nexus_variable(&f.msg, RVTRACE_NTRACE_ECODE_PROGRAM);
	end_message();
	put_direct(3);
	put_sync(0, 7, 0, 0x300);
	put_correlation(2, 0);
	decode();
	assert_int_equal(is_type(1, RVTRACE_FLOW_OVERFLOW)->overflow.code, 4);
	assert_int_equal(f.items[1].address, 0x100);
	assert_true(is_type(2, RVTRACE_FLOW_SYNC)->flags & RVTRACE_FLOW_FIRST);
	is_block(3, 0x300, 4, 1);
	is_stop(4, 0x304);
	rvtrace_flow_stats(f.flow, 0, &stats);
	assert_int_equal(stats.skipped, 1);
	assert_int_equal(stats.overflows, 1);
}

static void put_data(uint32_t id, uint64_t value)
{
	begin_message(RVTRACE_NTRACE_DATA_ACQUISITION, 0);
	nexus_variable(&f.msg, id);
	nexus_variable(&f.msg, value);
	end_message();
}

/* Where it leads no message says, and what loaded its register lies in front of the data. */
static void software_trace_behind_a_sequential_jump(void **state)
{
	(void)state;
	f.config.ntrace.sequential_jump = true;
	put_sync(0, 3, 0, 0x500);
	put_resource_full(RVTRACE_NTRACE_RCODE_ICNT, 4, 0);
	put_data(5, 7);
	put_correlation(2, 0);
	decode();
	is_block(1, 0x500, 8, 2);
	assert_int_equal(is_type(2, RVTRACE_FLOW_DATA)->data.value, 7);
	is_block(3, 0x520, 4, 1);
}

static void put_lost_data(void)
{
	begin_message(RVTRACE_NTRACE_ERROR, 0);
	nexus_fixed(&f.msg, 0, 4);
	nexus_variable(&f.msg, RVTRACE_NTRACE_ECODE_DATA);
	end_message();
}

/* The flow goes on, unless the synchronization says that the encoder began anew. */
static void lost_software_trace_loses_no_instruction(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_lost_data();
	put_direct(3);
	put_sync(0, 2, 1, 0x202);
	put_lost_data();
	put_sync(0, 7, 0, 0x300);
	put_sync(0, 7, 2, 0x304);
	decode();
	is_type(1, RVTRACE_FLOW_OVERFLOW);
	is_block(2, 0x100, 6, 2);
	is_block(3, 0x200, 2, 1);
	assert_false(is_type(4, RVTRACE_FLOW_SYNC)->flags & RVTRACE_FLOW_FIRST);
	assert_int_equal(is_type(5, RVTRACE_FLOW_OVERFLOW)->address, 0x202);
	assert_true(is_type(6, RVTRACE_FLOW_SYNC)->flags & RVTRACE_FLOW_FIRST);
	is_block(7, 0x300, 4, 1);
	assert_false(is_type(8, RVTRACE_FLOW_SYNC)->flags & RVTRACE_FLOW_FIRST);
}

/* History and count before it say where it was. */
static void software_trace_has_its_place(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_resource_full(1, 2, 0);
	put_resource_full(0, 5, 0);
	put_data(4, 0x48);
	put_correlation(2, 3);
	decode();
	is_block(1, 0x100, 6, 2);
	is_block(2, 0x106, 4, 1);
	assert_int_equal(is_type(3, RVTRACE_FLOW_DATA)->data.value, 0x48);
	is_block(4, 0x10a, 4, 1);
	is_stop(5, 0x300);
}

/* A count that was full before the branches it has in it are known; with histories */
static void software_trace_waits_for_no_branch(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_resource_full(1, 2, 0);
	put_resource_full(0, 10, 0);
	put_data(4, 0x48);
	put_data(4, 0x49);
	put_correlation(0, 2);
	decode();
	is_block(1, 0x100, 6, 2);
	is_block(2, 0x106, 4, 1);
	assert_int_equal(is_type(3, RVTRACE_FLOW_DATA)->data.value, 0x48);
	assert_int_equal(is_type(4, RVTRACE_FLOW_DATA)->data.value, 0x49);
	is_block(5, 0x10a, 4, 1);
	is_block(6, 0x10e, 6, 2);
	is_stop(7, 0x114);
}

/* And the same of a jump whose target comes in the next message; a call is followed. */
static void software_trace_waits_for_no_jump(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x400);
	put_resource_full(0, 2, 0);
	put_data(4, 1);
	put_sync(0, 3, 1, 0x520);
	put_resource_full(0, 2, 0);
	put_data(4, 2);
	put_indirect(RVTRACE_NTRACE_BTYPE_JUMP, 0, 0x520 ^ 0x100, 0);
	decode();
	is_block(1, 0x400, 4, 1);
	assert_int_equal(is_type(2, RVTRACE_FLOW_DATA)->data.value, 1);
	is_block(3, 0x410, 2, 1);
	is_type(4, RVTRACE_FLOW_SYNC);
	assert_int_equal(is_type(5, RVTRACE_FLOW_DATA)->data.value, 2);
	is_block(6, 0x520, 4, 1);
	assert_int_equal(is_type(7, RVTRACE_FLOW_TRAP_RETURN)->trap.target, 0x100);
	assert_int_equal(f.count, 8);
}

static void missing_bytes_are_reported(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_resource_full(0, 20, 0);
	f.stream[f.size++] = 28 << 2;		/* cut */
	decode();
	assert_int_equal(rvtrace_flow_lost(f.flow, 400, 500, RVTRACE_LOST_ALIGNED), 0);
	read_items();
	is_block(0, 0x100, 2, 1);
	is_tail(1, 0x102, 19);
	assert_int_equal(is_type(2, RVTRACE_FLOW_LOST)->lost.bytes, 400);
	assert_int_equal(f.items[2].source, RVTRACE_SOURCE_ALL);
	f.size = 0;
	put_sync(0, 2, 9, 0x300);
	put_correlation(2, 0);
	decode();
	assert_int_equal(is_type(0, RVTRACE_FLOW_SYNC)->offset, 500);
	is_block(1, 0x300, 4, 1);
}

/* What counts and outcomes prove, then how much more was counted: of every source. */
static void counted_tails_are_walked(void **state)
{
	(void)state;
	f.config.src_bits = 1;
	f.config.ntrace.modes[1] = RVTRACE_NTRACE_MODE_BRANCH;
	put_sync(0, 3, 0, 0x400);
	put_sync(1, 3, 0, 0x100);
	for (unsigned int src = 0; src < 2; src++) {
		begin_message(RVTRACE_NTRACE_RESOURCE_FULL, src);
		nexus_fixed(&f.msg, 0, 4);
		nexus_variable(&f.msg, src ? 7 : 4);
		end_message();
	}
	decode();
	assert_int_equal(f.count, 2);
	assert_int_equal(rvtrace_flow_finish(f.flow), 0);
	read_items();
	is_block(0, 0x400, 4, 1);
	is_block(1, 0x410, 2, 1);
	is_tail(2, 0x412, 1);
	is_block(3, 0x100, 6, 2);
	is_block(4, 0x106, 4, 1);
	is_tail(5, 0x10a, 2);
	assert_int_equal(f.count, 6);
}

/* An encoder without room, too: what it had counted before. */
static void tails_before_an_overflow_are_walked(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_resource_full(0, 3, 0);
	begin_message(RVTRACE_NTRACE_ERROR, 0);
	nexus_fixed(&f.msg, 0, 4);
	nexus_variable(&f.msg, RVTRACE_NTRACE_ECODE_PROGRAM);
	end_message();
	decode();
	is_block(1, 0x100, 2, 1);
	is_tail(2, 0x102, 2);
	assert_int_equal(is_type(3, RVTRACE_FLOW_OVERFLOW)->address, 0x102);
}

/* Where no image holds them, that is what is reported. */
static void tails_without_an_image_are_gaps(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100000);
	put_resource_full(0, 3, 0);
	decode();
	assert_int_equal(rvtrace_flow_finish(f.flow), 0);
	read_items();
	is_gap(0, 0x100000, 3);
	assert_int_equal(f.count, 1);
}

static void a_cut_stream_is_reported(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	f.stream[f.size++] = 28 << 2;
	decode();
	assert_int_equal(rvtrace_flow_finish(f.flow), 0);
	read_items();
	is_error(0, RVTRACE_ERR_TRUNCATED);
	assert_int_equal(f.items[0].offset, f.size - 1);
	assert_int_equal(f.items[0].error.size, 1);
	assert_int_equal(f.count, 1);
}

static void a_damaged_message_unsynchronizes_every_source(void **state)
{
	(void)state;
	put_sync(0, 3, 0, 0x100);
	f.stream[f.size++] = 3 << 2;
	f.stream[f.size++] = 2;
	f.stream[f.size++] = 7;
	put_direct(3);
	put_sync(0, 2, 0, 0x300);
	put_correlation(2, 0);
	decode();
	is_error(1, RVTRACE_ERR_MSEO);
	assert_int_equal(f.items[1].offset, 4);
	assert_true(is_type(2, RVTRACE_FLOW_SYNC)->flags & RVTRACE_FLOW_FIRST);
	is_block(3, 0x300, 4, 1);
}

/* Of 4,096 sources, all of which were there once, one goes on: only that has something to lose. */
static void damage_costs_what_was_touched(void **state)
{
	struct rvtrace_flow_stats stats = { .size = sizeof(stats) };
	clock_t start;

	(void)state;
	f.config.src_bits = 12;
	for (unsigned int src = 0; src < 4096; src++) {
		f.size = 0;
		put_sync(src, 3, 0, 0x100);
		decode();
	}
	f.size = sizeof(f.stream);
	memset(f.stream, 3, f.size);	/* each byte ends what has not begun */
	start = clock();
	for (unsigned int i = 0; i < 200; i++) {
		struct rvtrace_flow_item items[MAX_ITEMS];

		assert_int_equal(rvtrace_flow_feed(f.flow, f.stream, f.size), 0);
		while (rvtrace_flow_read(f.flow, items, MAX_ITEMS) > 0)
			;
	}
	assert_true(clock() - start < CLOCKS_PER_SEC);
	rvtrace_flow_stats(f.flow, 0, &stats);
	assert_int_equal(stats.errors, 200 * f.size);
	f.size = 0;
	put_sync(5, 3, 0, 0x100);
	decode();
	assert_true(is_type(0, RVTRACE_FLOW_SYNC)->flags & RVTRACE_FLOW_FIRST);
}

static void software_trace_and_unknown_messages(void **state)
{
	(void)state;
	put_data(4, 0x48);
	put_variable(57, 1);
	decode();
	assert_int_equal(is_type(0, RVTRACE_FLOW_DATA)->data.id, 4);
	assert_int_equal(f.items[0].data.value, 0x48);
	assert_int_equal(is_type(1, RVTRACE_FLOW_UNKNOWN)->unknown.tcode, 57);
}

static void images_may_come_while_decoding(void **state)
{
	static const uint8_t code[] = { 0x05, 0x05, 0x05, 0x05 };
	struct rvtrace_mapping mapping = { .size = UINT64_MAX, .address = 0x8000,
					   .space = RVTRACE_SPACE_ANY, .privs = RVTRACE_PRIV_ANY };
	struct rvtrace_code *c;

	(void)state;
	put_sync(0, 3, 0, 0x8000);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 1, 0, 0);
	decode();
	is_gap(1, 0x8000, 1);
	rvtrace_code_from_memory(code, sizeof(code), "code", &c);
	mapping.code = c;
	rvtrace_image_map(f.image, &mapping);
	rvtrace_code_unref(c);
	f.size = 0;
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0, 0);
	decode();
	is_block(0, 0x8000, 4, 2);
}

static void busy_while_items_wait(void **state)
{
	struct rvtrace_flow_item item;

	(void)state;
	put_sync(0, 3, 0, 0x100);
	put_correlation(1, 0);
	assert_int_equal(rvtrace_flow_new(&f.config, f.image, &f.flow), 0);
	assert_int_equal(rvtrace_flow_feed(f.flow, f.stream, f.size), 0);
	assert_int_equal(rvtrace_flow_feed(f.flow, f.stream, f.size), RVTRACE_ERR_BUSY);
	assert_int_equal(rvtrace_flow_lost(f.flow, 0, 0, 0), RVTRACE_ERR_BUSY);
	assert_int_equal(rvtrace_flow_read(f.flow, &item, 1), 1);
	assert_int_equal(rvtrace_flow_finish(f.flow), RVTRACE_ERR_BUSY);
	while (rvtrace_flow_read(f.flow, &item, 1) > 0)
		;
	assert_int_equal(rvtrace_flow_finish(f.flow), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_space_has_its_own_code),
		TEST(a_written_context_holds_from_its_instruction_on),
		TEST(a_written_context_holds_behind_its_message),
		TEST(a_state_can_be_given),
		TEST(times_are_absolute_at_sync_and_added_after),
		TEST(sources_are_independent),
		TEST(after_an_overflow_nothing_counts_until_sync),
		TEST(software_trace_behind_a_sequential_jump),
		TEST(lost_software_trace_loses_no_instruction),
		TEST(software_trace_has_its_place),
		TEST(software_trace_waits_for_no_branch),
		TEST(software_trace_waits_for_no_jump),
		TEST(missing_bytes_are_reported),
		TEST(counted_tails_are_walked),
		TEST(tails_before_an_overflow_are_walked),
		TEST(tails_without_an_image_are_gaps),
		TEST(a_cut_stream_is_reported),
		TEST(a_damaged_message_unsynchronizes_every_source),
		TEST(damage_costs_what_was_touched),
		TEST(software_trace_and_unknown_messages),
		TEST(images_may_come_while_decoding),
		TEST(busy_while_items_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
