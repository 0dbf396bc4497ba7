// SPDX-License-Identifier: GPL-2.0
/* The N-Trace encoder, message by message: addresses, counts, sources. */
#include <stdio.h>

#include "selftests/unit/encode-fixture.h"

/* "Example of I-CNT Handling in BTM mode" */

TEST(branch_first_taken)
{
	plain(false);
	begin();
	run(3, INGRESS_BRANCH_TAKEN, 0x200);
	expect("DirectBranch I-CNT=0x3");
	run_on(1);
	ends_with("ProgTraceCorrelation EVCODE=0x0 CDF=0x0 I-CNT=0x1");
}

TEST(branch_second_taken)
{
	plain(false);
	begin();
	run_not_taken(3);
	expect_nothing();
	run(4, INGRESS_BRANCH_TAKEN, 0x300);
	expect("DirectBranch I-CNT=0x7");
	run_on(2);
	ends_with("ProgTraceCorrelation EVCODE=0x0 CDF=0x0 I-CNT=0x2");
}

TEST(branch_none_taken)
{
	plain(false);
	begin();
	run_not_taken(3);
	run_not_taken(4);
	run_on(3);
	ends_with("ProgTraceCorrelation EVCODE=0x0 CDF=0x0 I-CNT=0xa");
}

/* "Example of I-CNT Handling in HTM mode" */

TEST(history_first_taken)
{
	plain(true);
	begin();
	run(3, INGRESS_BRANCH_TAKEN, 0x200);
	run_on(1);
	ends_with("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x4 HIST=0x3");
}

TEST(history_second_taken)
{
	plain(true);
	begin();
	run_not_taken(3);
	run(4, INGRESS_BRANCH_TAKEN, 0x300);
	run_on(2);
	ends_with("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x9 HIST=0x5");
}

TEST(history_none_taken)
{
	plain(true);
	begin();
	run_not_taken(3);
	run_not_taken(4);
	run_on(3);
	ends_with("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0xa HIST=0x4");
}

TEST(history_empty_is_stop_bit)
{
	plain(true);
	begin();
	ends_with("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x0 HIST=0x1");
}

/* "Examples of I-CNT Field Full Generation": a counter of 4 bits */

static void icnt_full_run(void)
{
	int i;

	begin();
	run_on(1);
	run_not_taken(2);
	for (i = 0; i < 5; i++)
		run_on(2);
	run_on(1);
	stop();
}

TEST(icnt_full_is_resource_full)
{
	plain(true)->icnt_bits = 4;
	icnt_full_run();
	expect("ResourceFull RCODE=0x0 RDATA=0x9",
	       "ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x5 HIST=0x2");
	expect_nothing();
}

TEST(icnt_full_may_be_sync)
{
	struct ntrace_params *params = plain(false);

	params->icnt_bits = 4;
	params->icnt_sync = true;
	icnt_full_run();
	expect("ProgTraceSync SYNC=0x4 I-CNT=0x9 F-ADDR=0x89",
	       "ProgTraceCorrelation EVCODE=0x0 CDF=0x0 I-CNT=0x5");
	expect_nothing();
}

/* "Address XOR Calculation Examples" */

TEST(uaddr_is_xor_with_last_address)
{
	plain(false);
	start(0x3fc04);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x1fe02");
	run(2, INGRESS_INDIRECT_JUMP, 0x3f368);
	expect("IndirectBranch B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x7b6");
	run(2, INGRESS_BRANCH_TAKEN, 0x3f000);
	expect("DirectBranch I-CNT=0x2");
	run(2, INGRESS_RETURN, 0x3e100);
	expect("IndirectBranch B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x934");
}

/* "N-Trace Message Example": the bytes of one message */
TEST(message_example_bytes)
{
	static const uint8_t want[] = { 0x70, 0xd0, 0x1d, 0x1d, 0xf8, 0xff };
	struct ntrace_params *params = plain(true);
	int i;

	start(0x1000);
	/* HIST 0xffe: ten taken, one not taken; I-CNT 0x7d; U-ADDR 7 */
	for (i = 0; i < 10; i++)
		run(2, INGRESS_BRANCH_TAKEN, 0x1000);
	run_not_taken(2);
	run_on(0x7d - 22 - 2);
	run(2, INGRESS_INDIRECT_JUMP, 0x1000 ^ 0xe);
	assert_int_equal(params->src_bits, 0);
	assert_int_equal(bench.sent.count, 2);
	assert_int_equal(bench.sent.size[1], sizeof(want));
	assert_memory_equal(bench.sent.bytes[1], want, sizeof(want));
}

/* "Virtual Addresses Optimization": the last bytes of the examples */

static void expect_address(uint64_t address, const uint8_t *want, size_t size)
{
	plain(false)->extend_addr_msb = true;
	start(address);
	/* TCODE, then SYNC and I-CNT in one byte */
	assert_int_equal(bench.sent.size[0], size + 2);
	/* the last byte ends the message here, not only the field */
	assert_memory_equal(bench.sent.bytes[0] + 2, want, size - 1);
	assert_int_equal(bench.sent.bytes[0][size + 1], want[size - 1] | 3);
}

TEST(extended_address_examples)
{
	static const uint8_t positive[] = { 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x7d };
	static const uint8_t skipped[] = { 0xfc, 0xfc, 0xfc, 0xfc, 0x7c, 0xf1 };
	static const uint8_t extra[] = { 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x01 };
	static const uint8_t whole[] = { 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc,
					 0xfc, 0xfc, 0xfc, 0x15 };

	expect_address(0xffffffffeull, positive, sizeof(positive));
	expect_address(0xfffffffe3ffffffeull, skipped, sizeof(skipped));
	expect_address(0x1ffffffffeull, extra, sizeof(extra));
	expect_address(0xbffffffffffffffeull, whole, sizeof(whole));
}

TEST(plain_kernel_address_is_63_bits)
{
	plain(false);
	start(0xffffffff800031f4ull);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x7fffffffc00018fa");
	assert_int_equal(bench.sent.size[0], 2 + 11);
}

/* As SiFive's: bits 48 to 1, of differences too */
TEST(addresses_lose_bits)
{
	plain(true)->address_bits = 49;
	start(0xffffffff80000100);
	run(2, INGRESS_INDIRECT_JUMP, 0x10000);
	run(2, INGRESS_INDIRECT_JUMP, 0xffff800000000000);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0xffffc0000080",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0xffffc0008080 HIST=0x1",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0xc00000008000 HIST=0x1");
}

TEST(addresses_of_32_bits_lose_none)
{
	struct ntrace_params *params = plain(true);

	params->xlen = 32;
	params->address_bits = 49;
	start(0xc0000100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x60000080");
	params->address_bits = 32;
	assert_non_null(ntrace_params_check(params));
	params->address_bits = 65;
	assert_non_null(ntrace_params_check(params));
	params->address_bits = 64;
	assert_null(ntrace_params_check(params));
	params->extend_addr_msb = true;
	assert_non_null(ntrace_params_check(params));
}

/* "Ownership Message" */

TEST(ownership_examples)
{
	plain(true)->ownership = true;
	bench.context = (struct ingress_context) { .v = true, .scontext = 0x1d };
	begin();
	expect("Ownership PROCESS=0x3b2");
	bench.context.v = false;
	bench.context.priv = 3;
	run(2, INGRESS_INTERRUPT, 0x200);
	expect("IndirectBranchHist B-TYPE=0x3 I-CNT=0x2 U-ADDR=0x180 HIST=0x1",
	       "Ownership PROCESS=0xc");
	bench.context.scontext = 1;
	run_on(2);
	expect("Ownership PROCESS=0x2e");
	run_on(2);
	expect_nothing();
}

TEST(without_scontext_ownership_tells_the_privilege_only)
{
	plain(true)->ownership = true;
	bench.params.scontext = false;
	bench.context.priv = INGRESS_PRIV_S;
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80",
	       "Ownership PROCESS=0x4");
	bench.context.scontext = 5;
	run_on(2);
	expect_nothing();
	bench.context.priv = INGRESS_PRIV_U;
	run(2, INGRESS_TRAP_RETURN, 0x200);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x180 HIST=0x1",
	       "Ownership PROCESS=0x0");
}

/* "Detailed Rules", "SYNC Field Values" */

static void filtered(void)
{
	plain(true)->ownership = true;
	bench.params.filter_machine = true;
	bench.context.priv = INGRESS_PRIV_S;
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80",
	       "Ownership PROCESS=0x6");
}

static void trap_to_machine(uint32_t halfwords)
{
	bench.context.priv = INGRESS_PRIV_M;
	run(halfwords, INGRESS_EXCEPTION, 0x80000000);
}

static void return_from_machine(uint64_t target)
{
	bench.context.priv = INGRESS_PRIV_S;
	run(2, INGRESS_TRAP_RETURN, target);
}

TEST(machine_mode_is_filtered)
{
	filtered();
	run_not_taken(2);
	trap_to_machine(3);
	expect("ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x5 HIST=0x2");
	run(9, INGRESS_INDIRECT_JUMP, 0x80001000);
	run(0, INGRESS_EXCEPTION, 0x80000000);
	run(2, INGRESS_TRAP_RETURN, 0x80001000);
	branches(100, true);
	expect_nothing();
	return_from_machine(0x10a);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x85",
	       "Ownership PROCESS=0x6");
	run_on(1);
	ends_with("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x1 HIST=0x1");
}

TEST(trap_to_filtered_code_right_after_a_jump)
{
	filtered();
	run(2, INGRESS_INDIRECT_JUMP, 0x200);
	trap_to_machine(0);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x180 HIST=0x1",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1");
}

TEST(filtered_trace_that_starts_in_machine_mode_waits)
{
	plain(false)->filter_machine = true;
	bench.context.priv = INGRESS_PRIV_M;
	start(0x80000000);
	branches(3, true);
	expect_nothing();
	return_from_machine(0x100);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80");
	trap_to_machine(4);
	expect("ProgTraceCorrelation EVCODE=0x4 CDF=0x0 I-CNT=0x4");
	/* It has stopped already. */
	stop();
	expect_nothing();
	return_from_machine(0x100);
	expect_nothing();
}

TEST(loss_before_filtered_code_is_reported_after_it)
{
	filtered();
	bench.full = true;
	run(2, INGRESS_INDIRECT_JUMP, 0x200);
	trap_to_machine(4);
	branches(3, true);
	bench.full = false;
	return_from_machine(0x208);
	expect("Error ETYPE=0x0 ECODE=0x4",
	       "ProgTraceSync SYNC=0x7 I-CNT=0x0 F-ADDR=0x104",
	       "Ownership PROCESS=0x6");
}

TEST(loss_before_filtered_code_is_reported_at_the_stop)
{
	filtered();
	bench.full = true;
	trap_to_machine(4);
	bench.full = false;
	stop();
	expect("Error ETYPE=0x0 ECODE=0x4");
	expect_nothing();
}

TEST(ownership_is_off_without_context)
{
	plain(true);
	begin();
	bench.context.priv = 3;
	run(2, INGRESS_EXCEPTION, 0x200);
	expect("IndirectBranchHist B-TYPE=0x2 I-CNT=0x2 U-ADDR=0x180 HIST=0x1");
	expect_nothing();
}

/* "Corner Cases and Sequences" */

TEST(back_to_back_returns)
{
	plain(true);
	begin();
	run(1, INGRESS_RETURN, 0x200);
	run(1, INGRESS_RETURN, 0x300);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x1 U-ADDR=0x180 HIST=0x1",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x1 U-ADDR=0x80 HIST=0x1");
}

TEST(back_to_back_exceptions)
{
	plain(false);
	begin();
	run(0, INGRESS_EXCEPTION, 0x200);
	run(0, INGRESS_EXCEPTION, 0x300);
	expect("IndirectBranch B-TYPE=0x2 I-CNT=0x0 U-ADDR=0x180",
	       "IndirectBranch B-TYPE=0x2 I-CNT=0x0 U-ADDR=0x80");
}

TEST(interrupt_at_first_instruction)
{
	plain(false);
	begin();
	run(0, INGRESS_INTERRUPT, 0x200);
	expect("IndirectBranch B-TYPE=0x3 I-CNT=0x0 U-ADDR=0x180");
}

TEST(interrupt_after_trap_return)
{
	plain(true)->ownership = true;
	bench.context.priv = 1;
	begin();
	expect("Ownership PROCESS=0x6");
	bench.context.priv = 0;
	run(2, INGRESS_TRAP_RETURN, 0x200);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x180 HIST=0x1",
	       "Ownership PROCESS=0x0");
	bench.context.priv = 1;
	run(0, INGRESS_INTERRUPT, 0x300);
	expect("IndirectBranchHist B-TYPE=0x3 I-CNT=0x0 U-ADDR=0x80 HIST=0x1",
	       "Ownership PROCESS=0x4");
}

TEST(traps_may_share_a_btype)
{
	plain(false)->distinguish_traps = false;
	begin();
	run(0, INGRESS_EXCEPTION, 0x200);
	run(0, INGRESS_INTERRUPT, 0x300);
	expect("IndirectBranch B-TYPE=0x1 I-CNT=0x0 U-ADDR=0x180",
	       "IndirectBranch B-TYPE=0x1 I-CNT=0x0 U-ADDR=0x80");
}

TEST(direct_jumps_are_inferred)
{
	plain(true);
	begin();
	run(2, INGRESS_DIRECT_JUMP, 0x200);
	run(2, INGRESS_DIRECT_CALL, 0x300);
	run(2, INGRESS_OTHER_DIRECT_JUMP, 0x400);
	ends_with("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x6 HIST=0x1");
}

TEST(all_jumps_are_taken_branches)
{
	plain(true)->all_jumps = true;
	begin();
	run(2, INGRESS_DIRECT_JUMP, 0x200);
	run_not_taken(2);
	run(2, INGRESS_DIRECT_CALL, 0x300);
	ends_with("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x6 HIST=0xd");
}

TEST(empty_hist_may_be_omitted)
{
	plain(true)->indirect_without_hist = true;
	begin();
	run(2, INGRESS_INDIRECT_JUMP, 0x200);
	run_not_taken(2);
	run(2, INGRESS_INDIRECT_JUMP, 0x300);
	expect("IndirectBranch B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x180",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x80 HIST=0x2");
}

/* SRC */

TEST(source_follows_tcode)
{
	struct ntrace_params *params = plain(true);
	static const uint8_t widths[] = { 1, 3, 4, 6, 7, 12 };
	char text[128];
	size_t i;

	for (i = 0; i < sizeof(widths); i++) {
		params = plain(true);
		params->src_bits = widths[i];
		params->src = (1 << widths[i]) - 1;
		start(0x100);
		run(2, INGRESS_EXCEPTION, 0x200);
		snprintf(text, sizeof(text),
			 "ProgTraceSync SRC=%u SYNC=0x3 I-CNT=0x0 F-ADDR=0x80",
			 params->src);
		expect(text);
		snprintf(text, sizeof(text),
			 "IndirectBranchHist SRC=%u B-TYPE=0x2 I-CNT=0x2 U-ADDR=0x180 HIST=0x1",
			 params->src);
		expect(text);
	}
}

#define T(name)	cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(branch_first_taken), T(branch_second_taken),
		T(branch_none_taken), T(history_first_taken),
		T(history_second_taken), T(history_none_taken),
		T(history_empty_is_stop_bit), T(icnt_full_is_resource_full),
		T(icnt_full_may_be_sync), T(uaddr_is_xor_with_last_address),
		T(message_example_bytes), T(extended_address_examples),
		T(plain_kernel_address_is_63_bits), T(addresses_lose_bits),
		T(addresses_of_32_bits_lose_none), T(ownership_examples),
		T(without_scontext_ownership_tells_the_privilege_only),
		T(machine_mode_is_filtered),
		T(trap_to_filtered_code_right_after_a_jump),
		T(filtered_trace_that_starts_in_machine_mode_waits),
		T(loss_before_filtered_code_is_reported_after_it),
		T(loss_before_filtered_code_is_reported_at_the_stop),
		T(ownership_is_off_without_context), T(back_to_back_returns),
		T(back_to_back_exceptions), T(interrupt_at_first_instruction),
		T(interrupt_after_trap_return), T(traps_may_share_a_btype),
		T(direct_jumps_are_inferred), T(all_jumps_are_taken_branches),
		T(empty_hist_may_be_omitted), T(source_follows_tcode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
