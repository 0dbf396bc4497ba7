// SPDX-License-Identifier: GPL-2.0
/* The N-Trace encoder: synchronization, timestamps, losses, limits. */
#include "selftests/unit/encode-fixture.h"

/* "Synchronizing Messages" */

TEST(sync_after_messages)
{
	struct ntrace_params *params = plain(false);

	params->sync_mode = NTRACE_SYNC_MESSAGES;
	params->sync_interval = 2;
	begin();
	run(2, INGRESS_BRANCH_TAKEN, 0x100);
	run(2, INGRESS_BRANCH_TAKEN, 0x100);
	run(2, INGRESS_BRANCH_TAKEN, 0x200);
	run(2, INGRESS_BRANCH_TAKEN, 0x100);
	expect("DirectBranch I-CNT=0x2",
	       "DirectBranch I-CNT=0x2",
	       "DirectBranchSync SYNC=0x2 I-CNT=0x2 F-ADDR=0x100",
	       "DirectBranch I-CNT=0x2");
	expect_nothing();
}

TEST(sync_after_half_words)
{
	struct ntrace_params *params = plain(true);

	params->sync_mode = NTRACE_SYNC_HALF_WORDS;
	params->sync_interval = 16;
	begin();
	run_on(8);
	run_not_taken(7);
	expect_nothing();
	run_on(1);
	expect("IndirectBranchHistSync SYNC=0x2 B-TYPE=0x0 I-CNT=0x10 F-ADDR=0x90 HIST=0x2");
	run_on(15);
	expect_nothing();
	run(1, INGRESS_EXCEPTION, 0x400);
	expect("IndirectBranchHistSync SYNC=0x2 B-TYPE=0x2 I-CNT=0x10 F-ADDR=0x200 HIST=0x1");
}

TEST(sync_after_cycles)
{
	struct ntrace_params *params = plain(false);

	params->sync_mode = NTRACE_SYNC_CYCLES;
	params->sync_interval = 1000;
	bench.cycles = 5000;
	begin();
	bench.cycles = 5999;
	run_on(2);
	expect_nothing();
	bench.cycles = 6000;
	run_on(2);
	expect("ProgTraceSync SYNC=0x2 I-CNT=0x4 F-ADDR=0x84");
	run(2, INGRESS_INDIRECT_JUMP, 0x300);
	expect("IndirectBranch B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x104");
}

TEST(sync_sends_what_was_held_back)
{
	plain(true)->repeated_history = true;
	begin();
	branches(62, true);
	ntrace_encoder_request_sync(&bench.enc, NTRACE_SYNC_EXTERNAL_TRIGGER);
	branches(1, true);
	expect("ResourceFull RCODE=0x2 RDATA=0xffffffff HREPEAT=0x2",
	       "IndirectBranchHistSync SYNC=0x0 B-TYPE=0x0 I-CNT=0x7e F-ADDR=0x80 HIST=0x3");
}

/* "Timestamp Reporting" */

TEST(timestamps_are_absolute_at_sync_then_relative)
{
	plain(true)->timestamp = true;
	bench.time = 1000;
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80 TSTAMP=1000");
	bench.time = 1007;
	run(2, INGRESS_INDIRECT_JUMP, 0x100);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x0 HIST=0x1 TSTAMP=7");
	run(2, INGRESS_INDIRECT_JUMP, 0x100);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x0 HIST=0x1 TSTAMP=0");
	bench.time = 1010;
	ntrace_encoder_request_sync(&bench.enc, NTRACE_SYNC_EVENT);
	run_on(2);
	expect("IndirectBranchHistSync SYNC=0x6 B-TYPE=0x0 I-CNT=0x2 F-ADDR=0x82 HIST=0x1 TSTAMP=1010");
}

TEST(narrow_timestamps_wrap)
{
	struct ntrace_params *params = plain(false);

	params->timestamp = true;
	params->timestamp_bits = 8;
	bench.time = 0x1fe;
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80 TSTAMP=254");
	bench.time = 0x203;
	run(2, INGRESS_BRANCH_TAKEN, 0x100);
	expect("DirectBranch I-CNT=0x2 TSTAMP=5");
}

TEST(held_messages_carry_their_own_time)
{
	struct ntrace_params *params = plain(false);

	params->timestamp = true;
	params->repeat_branch = true;
	start(0x100);
	bench.time = 1;
	run(2, INGRESS_BRANCH_TAKEN, 0x100);
	bench.time = 5;
	run(2, INGRESS_BRANCH_TAKEN, 0x100);
	bench.time = 100;
	run(0, INGRESS_INTERRUPT, 0x200);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80 TSTAMP=0",
	       "DirectBranch I-CNT=0x2 TSTAMP=1",
	       "RepeatBranch B-CNT=0x1 TSTAMP=4",
	       "IndirectBranch B-TYPE=0x3 I-CNT=0x0 U-ADDR=0x180 TSTAMP=95");
}

/* "Error Message" */

TEST(loss_is_reported_before_the_next_sync)
{
	struct ntrace_params *params = plain(true);

	params->ownership = true;
	params->timestamp = true;
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80 TSTAMP=0",
	       "Ownership PROCESS=0x2 TSTAMP=0");
	bench.full = true;
	bench.time = 10;
	branches(3, true);
	run(2, INGRESS_INDIRECT_JUMP, 0x200);
	bench.time = 20;
	run(2, INGRESS_INDIRECT_JUMP, 0x300);
	expect_nothing();
	bench.full = false;
	bench.time = 30;
	run(5, INGRESS_BRANCH_TAKEN, 0x380);
	expect("Error ETYPE=0x0 ECODE=0x4 TSTAMP=10",
	       "ProgTraceSync SYNC=0x7 I-CNT=0x0 F-ADDR=0x1c0 TSTAMP=30",
	       "Ownership PROCESS=0x2 TSTAMP=0");
	run(2, INGRESS_INDIRECT_JUMP, 0x380);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x0 HIST=0x1 TSTAMP=0");
	expect_nothing();
}

TEST(lost_ownership_is_named)
{
	plain(true)->ownership = true;
	begin();
	expect("Ownership PROCESS=0x2");
	bench.full = true;
	bench.context.scontext = 5;
	run_on(2);
	bench.full = false;
	run_on(2);
	expect("Error ETYPE=0x0 ECODE=0x8",
	       "ProgTraceSync SYNC=0x7 I-CNT=0x0 F-ADDR=0x84",
	       "Ownership PROCESS=0xa2");
}

TEST(stop_after_a_loss_says_where)
{
	plain(true);
	begin();
	bench.full = true;
	run(2, INGRESS_INDIRECT_JUMP, 0x200);
	bench.full = false;
	stop();
	expect("Error ETYPE=0x0 ECODE=0x4",
	       "ProgTraceSync SYNC=0x7 I-CNT=0x0 F-ADDR=0x100",
	       "ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x0 HIST=0x1");
	expect_nothing();
}

TEST(loss_at_the_stop_is_owed)
{
	plain(true);
	begin();
	bench.full = true;
	stop();
	assert_false(ntrace_encoder_report_loss(&bench.enc));
	bench.full = false;
	assert_true(ntrace_encoder_report_loss(&bench.enc));
	expect("Error ETYPE=0x0 ECODE=0x4");
	assert_true(ntrace_encoder_report_loss(&bench.enc));
	expect_nothing();
}

TEST(nothing_is_sent_while_stopped)
{
	plain(true);
	start(0x100);
	stop();
	run(2, INGRESS_INDIRECT_JUMP, 0x200);
	stop();
	assert_int_equal(bench.sent.count, 2);
}

/* Limits */

TEST(longest_message_fits)
{
	struct ntrace_params *params = plain(true);

	params->src_bits = 12;
	params->timestamp = true;
	params->icnt_bits = 22;
	bench.time = UINT64_MAX;
	start(UINT64_MAX - 1);
	branches(30, true);
	run_on((1 << 21) - 61);
	ntrace_encoder_request_sync(&bench.enc, NTRACE_SYNC_EVENT);
	run(0, INGRESS_EXCEPTION, UINT64_MAX - 1);
	assert_in_range(bench.sent.size[bench.sent.count - 1], 34, 38);
}

TEST(bad_parameters_are_named)
{
	plain(true)->call_stack = 33;
	assert_string_equal(ntrace_params_check(&bench.params),
			    "call_stack is not 0 to 32");
	plain(true)->repeat_branch = true;
	assert_non_null(ntrace_params_check(&bench.params));
	plain(false)->repeated_history = true;
	assert_non_null(ntrace_params_check(&bench.params));
	plain(true)->hist_patterns[0] = 20;
	assert_non_null(ntrace_params_check(&bench.params));
	plain(true)->sync_mode = NTRACE_SYNC_CYCLES;
	assert_non_null(ntrace_params_check(&bench.params));
	plain(true)->src = 4;
	bench.params.src_bits = 2;
	assert_non_null(ntrace_params_check(&bench.params));
}

#define T(name)	cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(sync_after_messages), T(sync_after_half_words),
		T(sync_after_cycles), T(sync_sends_what_was_held_back),
		T(timestamps_are_absolute_at_sync_then_relative),
		T(narrow_timestamps_wrap),
		T(held_messages_carry_their_own_time),
		T(loss_is_reported_before_the_next_sync),
		T(lost_ownership_is_named), T(stop_after_a_loss_says_where),
		T(loss_at_the_stop_is_owed), T(nothing_is_sent_while_stopped),
		T(longest_message_fits), T(bad_parameters_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
