// SPDX-License-Identifier: GPL-2.0
/* Flow layer: Branch or History Trace Messaging, as parameters say or messages show. */
#include <string.h>

#include "flow-fixture.h"

static void put_data(unsigned int src, uint64_t value)
{
	begin_message(RVTRACE_NTRACE_DATA_ACQUISITION, src);
	nexus_variable(&f.msg, 1);
	nexus_variable(&f.msg, value);
	end_message();
}

static void put_count(unsigned int src, uint32_t icnt)
{
	begin_message(RVTRACE_NTRACE_RESOURCE_FULL, src);
	nexus_fixed(&f.msg, RVTRACE_NTRACE_RCODE_ICNT, 4);
	nexus_variable(&f.msg, icnt);
	end_message();
}

static void put_history_correlation(unsigned int src, uint32_t icnt, uint64_t hist)
{
	begin_message(RVTRACE_NTRACE_PROG_TRACE_CORRELATION, src);
	nexus_fixed(&f.msg, 4, 4);
	nexus_fixed(&f.msg, 1, 2);
	nexus_variable(&f.msg, icnt);
	nexus_variable(&f.msg, hist);
	end_message();
}

/* From 0x100, taken at 0x102 to 0x200: what software says comes before any history. */
static void put_early_count(unsigned int src)
{
	put_sync(src, 3, 0, 0x100);
	put_count(src, 4);
	put_data(src, 7);
	put_history_correlation(src, 0, 0x3);
}

/* What put_early_count() put, in history mode: item @n and what follows */
static void is_early_count(unsigned int n)
{
	is_block(n, 0x100, 2, 1);
	assert_int_equal(is_type(n + 1, RVTRACE_FLOW_DATA)->data.value, 7);
	is_block(n + 2, 0x102, 4, 1);
	is_block(n + 3, 0x200, 2, 1);
	is_stop(n + 4, 0x202);
}

/* Without a parameter, until a message shows the mode. */
static void an_early_count_waits_for_what_shows_the_mode(void **state)
{
	(void)state;
	put_early_count(0);
	decode();
	is_early_count(1);
	rvtrace_flow_free(f.flow);
	f.flow = NULL;
	f.size = 0;
	put_sync(0, 3, 0, 0x100);
	put_count(0, 4);
	put_data(0, 7);
	put_direct(5);
	decode();
	is_block(1, 0x100, 2, 1);
	assert_int_equal(is_type(2, RVTRACE_FLOW_DATA)->data.value, 7);
	is_block(3, 0x102, 4, 1);
}

static void an_early_count_waits_for_its_history(void **state)
{
	(void)state;
	f.config.ntrace.modes[0] = RVTRACE_NTRACE_MODE_HISTORY;
	put_early_count(0);
	decode();
	is_early_count(1);
}

/* Whatever was before. */
static void every_synchronization_has_early_counts(void **state)
{
	(void)state;
	f.config.ntrace.modes[0] = RVTRACE_NTRACE_MODE_HISTORY;
	put_early_count(0);
	put_early_count(0);
	decode();
	is_type(6, RVTRACE_FLOW_SYNC);
	is_early_count(7);
}

static void lost_bytes_change_no_mode(void **state)
{
	(void)state;
	f.config.ntrace.modes[0] = RVTRACE_NTRACE_MODE_HISTORY;
	put_early_count(0);
	decode();
	assert_int_equal(rvtrace_flow_lost(f.flow, 1, f.size + 1, RVTRACE_LOST_ALIGNED), 0);
	read_items();
	is_type(0, RVTRACE_FLOW_LOST);
	decode();
	is_early_count(1);
}

/* All jumps have an outcome, too: 0x400 jal ra, 0x410. */
static void early_counts_with_all_jumps(void **state)
{
	(void)state;
	f.config.ntrace.modes[0] = RVTRACE_NTRACE_MODE_HISTORY;
	f.config.ntrace.all_jumps = true;
	put_sync(0, 3, 0, 0x400);
	put_count(0, 3);
	put_data(0, 7);
	put_history_correlation(0, 0, 0x3);
	decode();
	is_type(1, RVTRACE_FLOW_DATA);
	is_block(2, 0x400, 4, 1);
	is_block(3, 0x410, 2, 1);
	is_stop(4, 0x412);
}

/* An IndirectBranch is one without history, in either mode. */
static void history_may_be_left_out_where_it_is_empty(void **state)
{
	(void)state;
	f.config.ntrace.modes[0] = RVTRACE_NTRACE_MODE_HISTORY;
	put_sync(0, 3, 0, 0x100);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 1, 0x100 ^ 0x300, 0);
	put_count(0, 2);
	put_data(0, 7);
	put_correlation(0, 1);
	decode();
	is_block(1, 0x100, 2, 1);
	is_type(2, RVTRACE_FLOW_TRAP);
	is_block(3, 0x300, 4, 1);
	is_type(4, RVTRACE_FLOW_DATA);
	is_stop(5, 0x304);
}

/* In branch messages, what is behind a branch that was not reported is certain. */
static void counts_of_branch_messages_pass_branches(void **state)
{
	(void)state;
	f.config.ntrace.modes[0] = RVTRACE_NTRACE_MODE_BRANCH;
	put_sync(0, 3, 0, 0x100);
	put_count(0, 5);
	put_data(0, 7);
	put_direct(2);
	put_correlation(2, 0);
	decode();
	is_block(1, 0x100, 6, 2);
	is_block(2, 0x106, 4, 1);
	is_type(3, RVTRACE_FLOW_DATA);
	is_block(4, 0x10a, 4, 1);
	is_block(5, 0x300, 4, 1);
	is_stop(6, 0x304);
}

static void each_source_has_its_own_mode(void **state)
{
	(void)state;
	f.config.src_bits = 1;
	f.config.ntrace.modes[0] = RVTRACE_NTRACE_MODE_BRANCH;
	f.config.ntrace.modes[1] = RVTRACE_NTRACE_MODE_HISTORY;
	put_sync(0, 3, 0, 0x100);
	put_early_count(1);
	put_count(0, 5);
	put_data(0, 8);
	decode();
	is_type(0, RVTRACE_FLOW_SYNC);
	is_type(1, RVTRACE_FLOW_SYNC);
	is_block(2, 0x100, 2, 1);
	assert_int_equal(is_type(3, RVTRACE_FLOW_DATA)->source, 1);
	is_block(4, 0x102, 4, 1);
	is_block(5, 0x200, 2, 1);
	is_type(6, RVTRACE_FLOW_STOP);
	is_block(7, 0x100, 6, 2);
	is_block(8, 0x106, 4, 1);
	assert_int_equal(is_type(9, RVTRACE_FLOW_DATA)->source, 0);
}

/* Once, and then it counts: what comes of it is right. */
static void a_history_against_the_mode_is_told_and_believed(void **state)
{
	(void)state;
	f.config.ntrace.modes[0] = RVTRACE_NTRACE_MODE_BRANCH;
	put_sync(0, 3, 0, 0x100);
	put_resource_full(1, 0x3, 0);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 4, 0x100 ^ 0x300, 1);
	put_correlation(2, 1);
	decode();
	is_error(1, RVTRACE_ERR_MODE);
	assert_int_equal(f.items[1].error.tcode, RVTRACE_NTRACE_RESOURCE_FULL);
	is_block(2, 0x100, 6, 2);
	is_block(3, 0x200, 2, 1);
	is_type(4, RVTRACE_FLOW_TRAP);
	is_block(5, 0x300, 4, 1);
	is_stop(6, 0x304);
}

static void a_branch_message_against_the_mode_is_told_and_believed(void **state)
{
	(void)state;
	f.config.ntrace.modes[0] = RVTRACE_NTRACE_MODE_HISTORY;
	put_sync(0, 3, 0, 0x106);
	put_direct(4);
	put_indirect(RVTRACE_NTRACE_BTYPE_EXCEPTION, 2, 0x106 ^ 0x100, 0);
	put_direct(7);
	put_correlation(2, 0);
	decode();
	is_error(1, RVTRACE_ERR_MODE);
	assert_int_equal(f.items[1].error.tcode, RVTRACE_NTRACE_DIRECT_BRANCH);
	is_block(2, 0x106, 8, 2);
	is_block(3, 0x300, 4, 1);
	is_type(4, RVTRACE_FLOW_TRAP);
	is_block(5, 0x100, 6, 2);
	is_block(6, 0x106, 8, 2);
	is_block(7, 0x300, 4, 1);
	is_stop(8, 0x304);
}

/* A message that synchronizes and is against the mode. */
static void a_first_message_may_be_against_the_mode(void **state)
{
	(void)state;
	f.config.ntrace.modes[0] = RVTRACE_NTRACE_MODE_BRANCH;
	begin_message(RVTRACE_NTRACE_INDIRECT_BRANCH_HIST_SYNC, 0);
	nexus_fixed(&f.msg, 3, 4);
	nexus_fixed(&f.msg, 0, 2);
	nexus_variable(&f.msg, 0);
	nexus_variable(&f.msg, 0x100 >> 1);
	nexus_variable(&f.msg, 1);
	end_message();
	put_correlation(4, 0x3);
	decode();
	is_error(0, RVTRACE_ERR_MODE);
	is_type(1, RVTRACE_FLOW_SYNC);
	is_block(2, 0x100, 6, 2);
	is_block(3, 0x200, 2, 1);
	is_stop(4, 0x202);
}

static void modes_that_are_none_are_refused(void **state)
{
	(void)state;
	f.config.src_bits = 12;
	f.config.ntrace.modes[RVTRACE_NTRACE_SOURCES - 1] = RVTRACE_NTRACE_MODE_OPTIMIZED + 1;
	assert_int_equal(rvtrace_flow_new(&f.config, f.image, &f.flow), RVTRACE_ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_early_count_waits_for_what_shows_the_mode),
		TEST(an_early_count_waits_for_its_history),
		TEST(every_synchronization_has_early_counts),
		TEST(lost_bytes_change_no_mode),
		TEST(early_counts_with_all_jumps),
		TEST(history_may_be_left_out_where_it_is_empty),
		TEST(counts_of_branch_messages_pass_branches),
		TEST(each_source_has_its_own_mode),
		TEST(a_history_against_the_mode_is_told_and_believed),
		TEST(a_branch_message_against_the_mode_is_told_and_believed),
		TEST(a_first_message_may_be_against_the_mode),
		TEST(modes_that_are_none_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
