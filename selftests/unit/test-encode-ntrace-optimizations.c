// SPDX-License-Identifier: GPL-2.0
/* The N-Trace encoder: registers that are full, and what it leaves out. */
#include "selftests/unit/encode-fixture.h"

/* HIST full */

TEST(hist_full_keeps_icnt)
{
	plain(true);
	begin();
	branches(31, true);
	expect("ResourceFull RCODE=0x1 RDATA=0xffffffff");
	branches(1, false);
	ends_with("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x40 HIST=0x2");
}

TEST(small_hist_is_sent_early)
{
	plain(true)->hist_bits = 3;
	begin();
	branches(2, true);
	branches(1, false);
	stop();
	expect("ResourceFull RCODE=0x1 RDATA=0x7",
	       "ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x6 HIST=0x2");
}

TEST(icnt_and_hist_full_are_two_messages)
{
	struct ntrace_params *params = plain(true);

	params->hist_bits = 3;
	params->icnt_bits = 4;
	begin();
	branches(1, true);
	run(6, INGRESS_BRANCH_TAKEN, 0x100);
	expect("ResourceFull RCODE=0x1 RDATA=0x7",
	       "ResourceFull RCODE=0x0 RDATA=0x8");
	expect_nothing();
}

/* "Repeated History Optimization" */

TEST(repeated_history_counts_registers)
{
	plain(true)->repeated_history = true;
	begin();
	branches(310, true);
	expect_nothing();
	branches(1, false);
	stop();
	expect("ResourceFull RCODE=0x2 RDATA=0xffffffff HREPEAT=0xa",
	       "ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x26e HIST=0x2");
}

TEST(repeated_history_finds_shorter_patterns)
{
	struct ntrace_params *params = plain(true);
	int i;

	params->repeated_history = true;
	params->hist_patterns[0] = 28;
	params->hist_patterns[1] = 30;
	begin();
	for (i = 0; i < 100; i++) {
		branches(2, false);
		branches(1, true);
	}
	stop();
	expect("ResourceFull RCODE=0x2 RDATA=0x49249249 HREPEAT=0xa",
	       "ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x258 HIST=0x1");
}

TEST(hrepeat_splits_at_its_maximum)
{
	struct ntrace_params *params = plain(true);

	params->repeated_history = true;
	params->repeat_bits = 2;
	params->hist_bits = 5;
	begin();
	branches(4 * 7, true);
	stop();
	expect("ResourceFull RCODE=0x2 RDATA=0x1f HREPEAT=0x3",
	       "ResourceFull RCODE=0x2 RDATA=0x1f HREPEAT=0x3",
	       "ResourceFull RCODE=0x1 RDATA=0x1f",
	       "ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x38 HIST=0x1");
}

TEST(unrepeated_registers_go_one_by_one)
{
	plain(true)->repeated_history = true;
	begin();
	branches(31, true);
	branches(31, false);
	expect("ResourceFull RCODE=0x1 RDATA=0xffffffff");
	expect_nothing();
	run(2, INGRESS_INDIRECT_JUMP, 0x100);
	expect("ResourceFull RCODE=0x1 RDATA=0x80000000",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x7e U-ADDR=0x0 HIST=0x1");
}

/* RepeatBranch */

TEST(equal_branches_are_counted)
{
	int i;

	plain(false)->repeat_branch = true;
	begin();
	for (i = 0; i < 11; i++)
		run(4, INGRESS_BRANCH_TAKEN, 0x100);
	run_not_taken(4);
	run_on(2);
	stop();
	expect("DirectBranch I-CNT=0x4",
	       "RepeatBranch B-CNT=0xa",
	       "ProgTraceCorrelation EVCODE=0x0 CDF=0x0 I-CNT=0x6");
}

TEST(repeated_jump_needs_an_equal_address_field)
{
	int i;

	plain(false)->repeat_branch = true;
	begin();
	for (i = 0; i < 5; i++)
		run(4, INGRESS_INDIRECT_JUMP, 0x200);
	stop();
	expect("IndirectBranch B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x180",
	       "IndirectBranch B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x0",
	       "RepeatBranch B-CNT=0x3",
	       "ProgTraceCorrelation EVCODE=0x0 CDF=0x0 I-CNT=0x0");
}

TEST(alternating_jumps_are_not_repeated)
{
	plain(false)->repeat_branch = true;
	begin();
	run(4, INGRESS_INDIRECT_JUMP, 0x200);
	run(4, INGRESS_INDIRECT_JUMP, 0x100);
	run(4, INGRESS_INDIRECT_JUMP, 0x200);
	expect("IndirectBranch B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x180",
	       "IndirectBranch B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x180",
	       "IndirectBranch B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x180");
}

TEST(full_branch_counter_starts_again)
{
	struct ntrace_params *params = plain(false);
	int i;

	params->repeat_branch = true;
	params->repeat_bits = 2;
	begin();
	for (i = 0; i < 6; i++)
		run(4, INGRESS_BRANCH_TAKEN, 0x100);
	stop();
	expect("DirectBranch I-CNT=0x4",
	       "RepeatBranch B-CNT=0x3",
	       "DirectBranch I-CNT=0x4",
	       "RepeatBranch B-CNT=0x1",
	       "ProgTraceCorrelation EVCODE=0x0 CDF=0x0 I-CNT=0x0");
}

TEST(other_messages_end_a_repetition)
{
	struct ntrace_params *params = plain(false);

	params->repeat_branch = true;
	params->ownership = true;
	begin();
	run(4, INGRESS_BRANCH_TAKEN, 0x100);
	bench.context.scontext = 7;
	run(4, INGRESS_BRANCH_TAKEN, 0x100);
	run(4, INGRESS_BRANCH_TAKEN, 0x100);
	stop();
	expect("Ownership PROCESS=0x2",
	       "DirectBranch I-CNT=0x4",
	       "RepeatBranch B-CNT=0x1",
	       "Ownership PROCESS=0xe2",
	       "DirectBranch I-CNT=0x4",
	       "ProgTraceCorrelation EVCODE=0x0 CDF=0x0 I-CNT=0x0");
}

/* "Implicit Return Optimization" */

TEST(matching_return_is_inferred)
{
	plain(true)->call_stack = 2;
	begin();
	run(2, INGRESS_DIRECT_CALL, 0x200);	/* returns to 0x104 */
	run(1, INGRESS_RETURN, 0x104);
	run_on(2);
	ends_with("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x5 HIST=0x1");
}

TEST(mismatched_return_is_sent_and_pops)
{
	plain(true)->call_stack = 2;
	begin();
	run(2, INGRESS_DIRECT_CALL, 0x200);	/* returns to 0x104 */
	run(2, INGRESS_DIRECT_CALL, 0x300);	/* returns to 0x204 */
	run(1, INGRESS_RETURN, 0x400);
	run(1, INGRESS_RETURN, 0x104);
	stop();
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x5 U-ADDR=0x280 HIST=0x1",
	       "ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x1 HIST=0x1");
}

TEST(full_call_stack_forgets_the_oldest)
{
	plain(true)->call_stack = 2;
	begin();
	run(2, INGRESS_DIRECT_CALL, 0x200);
	run(2, INGRESS_INDIRECT_CALL, 0x300);
	run(2, INGRESS_DIRECT_CALL, 0x400);
	run(1, INGRESS_RETURN, 0x304);
	run(1, INGRESS_RETURN, 0x204);
	run(1, INGRESS_RETURN, 0x104);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x100 HIST=0x1",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x5 U-ADDR=0x102 HIST=0x1");
	expect_nothing();
}

TEST(recursion_deeper_than_the_stack_is_sent)
{
	plain(true)->call_stack = 2;
	begin();
	run(2, INGRESS_DIRECT_CALL, 0x100);
	run(2, INGRESS_DIRECT_CALL, 0x100);
	run(2, INGRESS_DIRECT_CALL, 0x104);
	run(1, INGRESS_RETURN, 0x104);
	run(1, INGRESS_RETURN, 0x104);
	run(1, INGRESS_RETURN, 0x104);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x9 U-ADDR=0x2 HIST=0x1");
	expect_nothing();
}

TEST(coroutine_swap_pops_and_pushes)
{
	plain(true)->call_stack = 4;
	begin();
	run(2, INGRESS_DIRECT_CALL, 0x200);
	run(2, INGRESS_COROUTINE_SWAP, 0x104);
	run(2, INGRESS_COROUTINE_SWAP, 0x204);
	run(2, INGRESS_COROUTINE_SWAP, 0x300);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x8 U-ADDR=0x100 HIST=0x1");
}

TEST(sync_forgets_the_calls)
{
	plain(true)->call_stack = 4;
	begin();
	run(2, INGRESS_DIRECT_CALL, 0x200);
	ntrace_encoder_request_sync(&bench.enc, NTRACE_SYNC_EVENT);
	run_on(2);
	run(1, INGRESS_RETURN, 0x104);
	expect("IndirectBranchHistSync SYNC=0x6 B-TYPE=0x0 I-CNT=0x4 F-ADDR=0x102 HIST=0x1",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x1 U-ADDR=0x180 HIST=0x1");
}

/* Returns that SiFive's encoders leave out, because they count calls */

TEST(counted_return_is_left_out_wherever_it_goes)
{
	plain(true)->call_count = 1023;
	begin();
	run(2, INGRESS_DIRECT_CALL, 0x200);	/* the next instruction is at 0x104 */
	run(1, INGRESS_RETURN, 0x800);
	run(1, INGRESS_RETURN, 0x104);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x2 HIST=0x1");
	expect_nothing();
}

/* Of 1,030 calls, 1,023 have their returns left out. */
TEST(calls_are_counted_up_to_the_limit)
{
	plain(true)->call_count = 1023;
	begin();
	for (int i = 0; i < 1030; i++)
		run(2, INGRESS_DIRECT_CALL, 0x100);
	for (int i = 0; i < 1023; i++)
		run(1, INGRESS_RETURN, 0x100);
	expect_nothing();
	run(1, INGRESS_RETURN, 0x100);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0xc0c U-ADDR=0x0 HIST=0x1");
	expect_nothing();
}

TEST(swap_is_counted_as_a_return_and_a_call)
{
	plain(true)->call_count = 2;
	begin();
	run(2, INGRESS_DIRECT_CALL, 0x200);
	run(2, INGRESS_COROUTINE_SWAP, 0x300);
	expect_nothing();
	run(1, INGRESS_RETURN, 0x400);
	expect_nothing();
	run(1, INGRESS_RETURN, 0x100);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x6 U-ADDR=0x0 HIST=0x1");
}

TEST(swap_is_counted_as_a_call_only)
{
	plain(true)->call_count = 2;
	bench.params.swap_is_call = true;
	begin();
	run(2, INGRESS_DIRECT_CALL, 0x200);
	run(2, INGRESS_COROUTINE_SWAP, 0x300);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x100 HIST=0x1");
	run(1, INGRESS_RETURN, 0x400);
	run(1, INGRESS_RETURN, 0x400);
	expect_nothing();
	run(1, INGRESS_RETURN, 0x300);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x3 U-ADDR=0x0 HIST=0x1");
}

TEST(traps_leave_the_count)
{
	plain(true)->call_count = 1023;
	begin();
	run(2, INGRESS_DIRECT_CALL, 0x200);
	run(1, INGRESS_EXCEPTION, 0x800);
	run(1, INGRESS_TRAP_RETURN, 0x200);
	expect("IndirectBranchHist B-TYPE=0x2 I-CNT=0x3 U-ADDR=0x480 HIST=0x1",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x1 U-ADDR=0x500 HIST=0x1");
	run(1, INGRESS_RETURN, 0x104);
	expect_nothing();
}

TEST(traps_clear_the_count_as_a_fault)
{
	plain(true)->call_count = 1023;
	bench.params.traps_clear_calls = true;
	begin();
	run(2, INGRESS_DIRECT_CALL, 0x200);
	run(1, INGRESS_EXCEPTION, 0x800);
	run(1, INGRESS_TRAP_RETURN, 0x200);
	expect("IndirectBranchHist B-TYPE=0x2 I-CNT=0x3 U-ADDR=0x480 HIST=0x1",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x1 U-ADDR=0x500 HIST=0x1");
	run(1, INGRESS_RETURN, 0x104);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x1 U-ADDR=0x182 HIST=0x1");
}

static void synchronize_at_a_call(bool call_after_sync, bool calls_outlive_sync)
{
	plain(true)->call_count = 1023;
	bench.params.call_after_sync = call_after_sync;
	bench.params.calls_outlive_sync = calls_outlive_sync;
	begin();
	run(2, INGRESS_DIRECT_CALL, 0x200);
	ntrace_encoder_request_sync(&bench.enc, NTRACE_SYNC_EVENT);
	run(2, INGRESS_DIRECT_CALL, 0x300);
	expect("IndirectBranchHistSync SYNC=0x6 B-TYPE=0x0 I-CNT=0x4 F-ADDR=0x180 HIST=0x1");
	run(1, INGRESS_RETURN, 0x204);
}

TEST(synchronization_clears_the_count)
{
	synchronize_at_a_call(false, false);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x1 U-ADDR=0x82 HIST=0x1");
}

TEST(call_of_a_synchronization_may_be_counted)
{
	synchronize_at_a_call(true, false);
	expect_nothing();
	run(1, INGRESS_RETURN, 0x104);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x102 HIST=0x1");
}

TEST(synchronization_leaves_the_count_as_a_fault)
{
	synchronize_at_a_call(false, true);
	run(1, INGRESS_RETURN, 0x104);
	expect_nothing();
	run(1, INGRESS_RETURN, 0x104);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x3 U-ADDR=0x102 HIST=0x1");
}

/* "Sequential Jump Optimization" */

static void sequential(uint32_t halfwords, uint64_t target)
{
	struct ingress_block block = next_block(halfwords,
						INGRESS_INDIRECT_JUMP, target);

	block.sequential = true;
	ntrace_encoder_block(&bench.enc, &block);
}

TEST(sequential_jump_is_inferred)
{
	plain(true)->sequential_jump = true;
	begin();
	sequential(4, 0x20000);
	ends_with("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x4 HIST=0x1");
}

TEST(sequential_jump_needs_its_constant_in_the_message)
{
	plain(true)->sequential_jump = true;
	begin();
	ntrace_encoder_request_sync(&bench.enc, NTRACE_SYNC_EVENT);
	run_on(2);
	sequential(2, 0x20000);
	expect("IndirectBranchHistSync SYNC=0x6 B-TYPE=0x0 I-CNT=0x2 F-ADDR=0x82 HIST=0x1",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x10082 HIST=0x1");
}

#define T(name)	cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(hist_full_keeps_icnt), T(small_hist_is_sent_early),
		T(icnt_and_hist_full_are_two_messages),
		T(repeated_history_counts_registers),
		T(repeated_history_finds_shorter_patterns),
		T(hrepeat_splits_at_its_maximum),
		T(unrepeated_registers_go_one_by_one),
		T(equal_branches_are_counted),
		T(repeated_jump_needs_an_equal_address_field),
		T(alternating_jumps_are_not_repeated),
		T(full_branch_counter_starts_again),
		T(other_messages_end_a_repetition),
		T(matching_return_is_inferred),
		T(mismatched_return_is_sent_and_pops),
		T(full_call_stack_forgets_the_oldest),
		T(recursion_deeper_than_the_stack_is_sent),
		T(coroutine_swap_pops_and_pushes), T(sync_forgets_the_calls),
		T(counted_return_is_left_out_wherever_it_goes),
		T(calls_are_counted_up_to_the_limit), T(swap_is_counted_as_a_return_and_a_call),
		T(swap_is_counted_as_a_call_only), T(traps_leave_the_count), T(traps_clear_the_count_as_a_fault),
		T(synchronization_clears_the_count),
		T(synchronization_leaves_the_count_as_a_fault), T(call_of_a_synchronization_may_be_counted),
		T(sequential_jump_is_inferred),
		T(sequential_jump_needs_its_constant_in_the_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
