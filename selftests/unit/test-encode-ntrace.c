// SPDX-License-Identifier: GPL-2.0
/* The N-Trace encoder, message by message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "selftests/unit/nexus-text.h"
#include "tools/encode/ntrace.h"

#define MAX_MESSAGES	4096

/* An encoder, what it sent, and how many bytes it may send. */
struct bench {
	struct ntrace_encoder enc;
	struct ntrace_params params;
	struct ingress_context context;
	uint64_t pc;
	uint64_t time;
	uint64_t cycles;
	bool full;
	size_t count;
	size_t checked;
	uint8_t size[MAX_MESSAGES];
	uint8_t bytes[MAX_MESSAGES][NEXUS_MAX_MESSAGE];
};

static struct bench bench;

static bool emit(void *opaque, const uint8_t *message, size_t size)
{
	struct bench *b = opaque;

	if (b->full)
		return false;
	assert_true(b->count < MAX_MESSAGES);
	assert_true(size <= NEXUS_MAX_MESSAGE);
	b->size[b->count] = size;
	memcpy(b->bytes[b->count++], message, size);
	return true;
}

static struct ntrace_params *plain(bool history)
{
	memset(&bench, 0, sizeof(bench));
	bench.params = (struct ntrace_params) {
		.history = history,
		.distinguish_traps = true,
		.xlen = 64,
		.timestamp_bits = 64,
		.icnt_bits = 22,
		.hist_bits = 32,
		.repeat_bits = 18,
	};
	return &bench.params;
}

static void start(uint64_t pc)
{
	assert_null(ntrace_params_check(&bench.params));
	ntrace_encoder_init(&bench.enc, &bench.params, emit, &bench);
	bench.pc = pc;
	ntrace_encoder_start(&bench.enc, pc, &bench.context, bench.time,
			     bench.cycles, NTRACE_SYNC_DEBUG_EXIT);
}

static struct ingress_block next_block(uint32_t halfwords, uint8_t itype,
				       uint64_t target)
{
	struct ingress_block block = {
		.start = bench.pc,
		.halfwords = halfwords,
		.last_size = halfwords < 2 ? halfwords : 2,
		.itype = itype,
		.target = target,
		.time = bench.time,
		.cycles = bench.cycles,
		.context = bench.context,
	};

	bench.pc = target;
	return block;
}

static void run(uint32_t halfwords, uint8_t itype, uint64_t target)
{
	struct ingress_block block = next_block(halfwords, itype, target);

	ntrace_encoder_block(&bench.enc, &block);
}

static void run_on(uint32_t halfwords)
{
	run(halfwords, INGRESS_NONE, bench.pc + 2 * halfwords);
}

static void run_not_taken(uint32_t halfwords)
{
	run(halfwords, INGRESS_BRANCH_NOT_TAKEN, bench.pc + 2 * halfwords);
}

static void stop(void)
{
	ntrace_encoder_stop(&bench.enc, bench.pc, bench.time, bench.cycles,
			    NTRACE_EVCODE_DEBUG);
}

/* The next message sent is @text. */
static void expect(const char *text)
{
	char got[256];

	if (bench.checked == bench.count)
		fail_msg("no message, expected: %s", text);
	nexus_text(got, sizeof(got), bench.bytes[bench.checked],
		   bench.size[bench.checked], bench.params.src_bits);
	bench.checked++;
	assert_string_equal(got, text);
}

static void expect_nothing(void)
{
	char got[256];

	if (bench.checked == bench.count)
		return;
	nexus_text(got, sizeof(got), bench.bytes[bench.checked],
		   bench.size[bench.checked], bench.params.src_bits);
	fail_msg("unexpected message: %s", got);
}

/* "Example of I-CNT Handling in BTM mode" */

static void branch_first_taken(void **state)
{
	(void)state;
	plain(false);
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	run(3, INGRESS_BRANCH_TAKEN, 0x200);
	expect("DirectBranch I-CNT=0x3");
	run_on(1);
	stop();
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x0 I-CNT=0x1");
	expect_nothing();
}

static void branch_second_taken(void **state)
{
	(void)state;
	plain(false);
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	run_not_taken(3);
	expect_nothing();
	run(4, INGRESS_BRANCH_TAKEN, 0x300);
	expect("DirectBranch I-CNT=0x7");
	run_on(2);
	stop();
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x0 I-CNT=0x2");
}

static void branch_none_taken(void **state)
{
	(void)state;
	plain(false);
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	run_not_taken(3);
	run_not_taken(4);
	run_on(3);
	stop();
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x0 I-CNT=0xa");
}

/* "Example of I-CNT Handling in HTM mode" */

static void history_first_taken(void **state)
{
	(void)state;
	plain(true);
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	run(3, INGRESS_BRANCH_TAKEN, 0x200);
	run_on(1);
	stop();
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x4 HIST=0x3");
}

static void history_second_taken(void **state)
{
	(void)state;
	plain(true);
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	run_not_taken(3);
	run(4, INGRESS_BRANCH_TAKEN, 0x300);
	run_on(2);
	stop();
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x9 HIST=0x5");
}

static void history_none_taken(void **state)
{
	(void)state;
	plain(true);
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	run_not_taken(3);
	run_not_taken(4);
	run_on(3);
	stop();
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0xa HIST=0x4");
}

static void history_empty_is_stop_bit(void **state)
{
	(void)state;
	plain(true);
	start(0x100);
	stop();
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x0 HIST=0x1");
}

/* "Examples of I-CNT Field Full Generation": a counter of 4 bits */

static void icnt_full_run(void)
{
	int i;

	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	run_on(1);
	run_not_taken(2);
	for (i = 0; i < 5; i++)
		run_on(2);
	run_on(1);
	stop();
}

static void icnt_full_is_resource_full(void **state)
{
	(void)state;
	plain(true)->icnt_bits = 4;
	icnt_full_run();
	expect("ResourceFull RCODE=0x0 RDATA=0x9");
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x5 HIST=0x2");
	expect_nothing();
}

static void icnt_full_may_be_sync(void **state)
{
	struct ntrace_params *params = plain(false);

	(void)state;
	params->icnt_bits = 4;
	params->icnt_sync = true;
	icnt_full_run();
	expect("ProgTraceSync SYNC=0x4 I-CNT=0x9 F-ADDR=0x89");
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x0 I-CNT=0x5");
	expect_nothing();
}

/* "Address XOR Calculation Examples" */

static void uaddr_is_xor_with_last_address(void **state)
{
	(void)state;
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
static void message_example_bytes(void **state)
{
	static const uint8_t want[] = { 0x70, 0xd0, 0x1d, 0x1d, 0xf8, 0xff };
	struct ntrace_params *params = plain(true);
	int i;

	(void)state;
	start(0x1000);
	/* HIST 0xffe: ten taken, one not taken; I-CNT 0x7d; U-ADDR 7 */
	for (i = 0; i < 10; i++)
		run(2, INGRESS_BRANCH_TAKEN, 0x1000);
	run_not_taken(2);
	run_on(0x7d - 22 - 2);
	run(2, INGRESS_INDIRECT_JUMP, 0x1000 ^ 0xe);
	assert_int_equal(params->src_bits, 0);
	assert_int_equal(bench.count, 2);
	assert_int_equal(bench.size[1], sizeof(want));
	assert_memory_equal(bench.bytes[1], want, sizeof(want));
}

/* "Virtual Addresses Optimization": the last bytes of the examples */

static void expect_address(uint64_t address, const uint8_t *want, size_t size)
{
	plain(false)->extend_addr_msb = true;
	start(address);
	/* TCODE, then SYNC and I-CNT in one byte */
	assert_int_equal(bench.size[0], size + 2);
	/* the last byte ends the message here, not only the field */
	assert_memory_equal(bench.bytes[0] + 2, want, size - 1);
	assert_int_equal(bench.bytes[0][size + 1], want[size - 1] | 3);
}

static void extended_address_examples(void **state)
{
	static const uint8_t positive[] = { 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x7d };
	static const uint8_t skipped[] = { 0xfc, 0xfc, 0xfc, 0xfc, 0x7c, 0xf1 };
	static const uint8_t extra[] = { 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x01 };
	static const uint8_t whole[] = { 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc,
					 0xfc, 0xfc, 0xfc, 0x15 };

	(void)state;
	expect_address(0xffffffffeull, positive, sizeof(positive));
	expect_address(0xfffffffe3ffffffeull, skipped, sizeof(skipped));
	expect_address(0x1ffffffffeull, extra, sizeof(extra));
	expect_address(0xbffffffffffffffeull, whole, sizeof(whole));
}

static void plain_kernel_address_is_63_bits(void **state)
{
	(void)state;
	plain(false);
	start(0xffffffff800031f4ull);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x7fffffffc00018fa");
	assert_int_equal(bench.size[0], 2 + 11);
}

/* "Ownership Message" */

static void ownership_examples(void **state)
{
	(void)state;
	plain(true)->ownership = true;
	bench.context = (struct ingress_context) { .v = true, .scontext = 0x1d };
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("Ownership PROCESS=0x3b2");
	bench.context.v = false;
	bench.context.priv = 3;
	run(2, INGRESS_INTERRUPT, 0x200);
	expect("IndirectBranchHist B-TYPE=0x3 I-CNT=0x2 U-ADDR=0x180 HIST=0x1");
	expect("Ownership PROCESS=0xc");
	bench.context.scontext = 1;
	run_on(2);
	expect("Ownership PROCESS=0x2e");
	run_on(2);
	expect_nothing();
}

static void ownership_is_off_without_context(void **state)
{
	(void)state;
	plain(true);
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	bench.context.priv = 3;
	run(2, INGRESS_EXCEPTION, 0x200);
	expect("IndirectBranchHist B-TYPE=0x2 I-CNT=0x2 U-ADDR=0x180 HIST=0x1");
	expect_nothing();
}

/* "Corner Cases and Sequences" */

static void back_to_back_returns(void **state)
{
	(void)state;
	plain(true);
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	run(1, INGRESS_RETURN, 0x200);
	run(1, INGRESS_RETURN, 0x300);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x1 U-ADDR=0x180 HIST=0x1");
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x1 U-ADDR=0x80 HIST=0x1");
}

static void back_to_back_exceptions(void **state)
{
	(void)state;
	plain(false);
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	run(0, INGRESS_EXCEPTION, 0x200);
	run(0, INGRESS_EXCEPTION, 0x300);
	expect("IndirectBranch B-TYPE=0x2 I-CNT=0x0 U-ADDR=0x180");
	expect("IndirectBranch B-TYPE=0x2 I-CNT=0x0 U-ADDR=0x80");
}

static void interrupt_at_first_instruction(void **state)
{
	(void)state;
	plain(false);
	start(0x100);
	run(0, INGRESS_INTERRUPT, 0x200);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("IndirectBranch B-TYPE=0x3 I-CNT=0x0 U-ADDR=0x180");
}

static void interrupt_after_trap_return(void **state)
{
	(void)state;
	plain(true)->ownership = true;
	bench.context.priv = 1;
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("Ownership PROCESS=0x6");
	bench.context.priv = 0;
	run(2, INGRESS_TRAP_RETURN, 0x200);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x180 HIST=0x1");
	expect("Ownership PROCESS=0x0");
	bench.context.priv = 1;
	run(0, INGRESS_INTERRUPT, 0x300);
	expect("IndirectBranchHist B-TYPE=0x3 I-CNT=0x0 U-ADDR=0x80 HIST=0x1");
	expect("Ownership PROCESS=0x4");
}

static void traps_may_share_a_btype(void **state)
{
	(void)state;
	plain(false)->distinguish_traps = false;
	start(0x100);
	run(0, INGRESS_EXCEPTION, 0x200);
	run(0, INGRESS_INTERRUPT, 0x300);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("IndirectBranch B-TYPE=0x1 I-CNT=0x0 U-ADDR=0x180");
	expect("IndirectBranch B-TYPE=0x1 I-CNT=0x0 U-ADDR=0x80");
}

static void direct_jumps_are_inferred(void **state)
{
	(void)state;
	plain(true);
	start(0x100);
	run(2, INGRESS_DIRECT_JUMP, 0x200);
	run(2, INGRESS_DIRECT_CALL, 0x300);
	run(2, INGRESS_OTHER_DIRECT_JUMP, 0x400);
	stop();
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x6 HIST=0x1");
}

static void all_jumps_are_taken_branches(void **state)
{
	(void)state;
	plain(true)->all_jumps = true;
	start(0x100);
	run(2, INGRESS_DIRECT_JUMP, 0x200);
	run_not_taken(2);
	run(2, INGRESS_DIRECT_CALL, 0x300);
	stop();
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x6 HIST=0xd");
}

static void empty_hist_may_be_omitted(void **state)
{
	(void)state;
	plain(true)->indirect_without_hist = true;
	start(0x100);
	run(2, INGRESS_INDIRECT_JUMP, 0x200);
	run_not_taken(2);
	run(2, INGRESS_INDIRECT_JUMP, 0x300);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("IndirectBranch B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x180");
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x80 HIST=0x2");
}

/* HIST full */

static void branches(unsigned int count, bool taken)
{
	while (count--) {
		if (taken)
			run(2, INGRESS_BRANCH_TAKEN, bench.pc);
		else
			run_not_taken(2);
	}
}

static void hist_full_keeps_icnt(void **state)
{
	(void)state;
	plain(true);
	start(0x100);
	branches(31, true);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("ResourceFull RCODE=0x1 RDATA=0xffffffff");
	branches(1, false);
	stop();
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x40 HIST=0x2");
}

static void small_hist_is_sent_early(void **state)
{
	(void)state;
	plain(true)->hist_bits = 3;
	start(0x100);
	branches(2, true);
	branches(1, false);
	stop();
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("ResourceFull RCODE=0x1 RDATA=0x7");
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x6 HIST=0x2");
}

static void icnt_and_hist_full_are_two_messages(void **state)
{
	struct ntrace_params *params = plain(true);

	(void)state;
	params->hist_bits = 3;
	params->icnt_bits = 4;
	start(0x100);
	branches(1, true);
	run(6, INGRESS_BRANCH_TAKEN, 0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("ResourceFull RCODE=0x1 RDATA=0x7");
	expect("ResourceFull RCODE=0x0 RDATA=0x8");
	expect_nothing();
}

/* "Repeated History Optimization" */

static void repeated_history_counts_registers(void **state)
{
	(void)state;
	plain(true)->repeated_history = true;
	start(0x100);
	branches(310, true);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect_nothing();
	branches(1, false);
	stop();
	expect("ResourceFull RCODE=0x2 RDATA=0xffffffff HREPEAT=0xa");
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x26e HIST=0x2");
}

static void repeated_history_finds_shorter_patterns(void **state)
{
	struct ntrace_params *params = plain(true);
	int i;

	(void)state;
	params->repeated_history = true;
	params->hist_patterns[0] = 28;
	params->hist_patterns[1] = 30;
	start(0x100);
	for (i = 0; i < 100; i++) {
		branches(2, false);
		branches(1, true);
	}
	stop();
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("ResourceFull RCODE=0x2 RDATA=0x49249249 HREPEAT=0xa");
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x258 HIST=0x1");
}

static void hrepeat_splits_at_its_maximum(void **state)
{
	struct ntrace_params *params = plain(true);

	(void)state;
	params->repeated_history = true;
	params->repeat_bits = 2;
	params->hist_bits = 5;
	start(0x100);
	branches(4 * 7, true);
	stop();
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("ResourceFull RCODE=0x2 RDATA=0x1f HREPEAT=0x3");
	expect("ResourceFull RCODE=0x2 RDATA=0x1f HREPEAT=0x3");
	expect("ResourceFull RCODE=0x1 RDATA=0x1f");
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x38 HIST=0x1");
}

static void unrepeated_registers_go_one_by_one(void **state)
{
	(void)state;
	plain(true)->repeated_history = true;
	start(0x100);
	branches(31, true);
	branches(31, false);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("ResourceFull RCODE=0x1 RDATA=0xffffffff");
	expect_nothing();
	run(2, INGRESS_INDIRECT_JUMP, 0x100);
	expect("ResourceFull RCODE=0x1 RDATA=0x80000000");
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x7e U-ADDR=0x0 HIST=0x1");
}

/* RepeatBranch */

static void equal_branches_are_counted(void **state)
{
	int i;

	(void)state;
	plain(false)->repeat_branch = true;
	start(0x100);
	for (i = 0; i < 11; i++)
		run(4, INGRESS_BRANCH_TAKEN, 0x100);
	run_not_taken(4);
	run_on(2);
	stop();
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("DirectBranch I-CNT=0x4");
	expect("RepeatBranch B-CNT=0xa");
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x0 I-CNT=0x6");
}

static void repeated_jump_needs_an_equal_address_field(void **state)
{
	int i;

	(void)state;
	plain(false)->repeat_branch = true;
	start(0x100);
	for (i = 0; i < 5; i++)
		run(4, INGRESS_INDIRECT_JUMP, 0x200);
	stop();
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("IndirectBranch B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x180");
	expect("IndirectBranch B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x0");
	expect("RepeatBranch B-CNT=0x3");
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x0 I-CNT=0x0");
}

static void alternating_jumps_are_not_repeated(void **state)
{
	(void)state;
	plain(false)->repeat_branch = true;
	start(0x100);
	run(4, INGRESS_INDIRECT_JUMP, 0x200);
	run(4, INGRESS_INDIRECT_JUMP, 0x100);
	run(4, INGRESS_INDIRECT_JUMP, 0x200);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("IndirectBranch B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x180");
	expect("IndirectBranch B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x180");
	expect("IndirectBranch B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x180");
}

static void full_branch_counter_starts_again(void **state)
{
	struct ntrace_params *params = plain(false);
	int i;

	(void)state;
	params->repeat_branch = true;
	params->repeat_bits = 2;
	start(0x100);
	for (i = 0; i < 6; i++)
		run(4, INGRESS_BRANCH_TAKEN, 0x100);
	stop();
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("DirectBranch I-CNT=0x4");
	expect("RepeatBranch B-CNT=0x3");
	expect("DirectBranch I-CNT=0x4");
	expect("RepeatBranch B-CNT=0x1");
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x0 I-CNT=0x0");
}

static void other_messages_end_a_repetition(void **state)
{
	struct ntrace_params *params = plain(false);

	(void)state;
	params->repeat_branch = true;
	params->ownership = true;
	start(0x100);
	run(4, INGRESS_BRANCH_TAKEN, 0x100);
	bench.context.scontext = 7;
	run(4, INGRESS_BRANCH_TAKEN, 0x100);
	run(4, INGRESS_BRANCH_TAKEN, 0x100);
	stop();
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("Ownership PROCESS=0x2");
	expect("DirectBranch I-CNT=0x4");
	expect("RepeatBranch B-CNT=0x1");
	expect("Ownership PROCESS=0xe2");
	expect("DirectBranch I-CNT=0x4");
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x0 I-CNT=0x0");
}

/* "Implicit Return Optimization" */

static void matching_return_is_inferred(void **state)
{
	(void)state;
	plain(true)->call_stack = 2;
	start(0x100);
	run(2, INGRESS_DIRECT_CALL, 0x200);	/* returns to 0x104 */
	run(1, INGRESS_RETURN, 0x104);
	run_on(2);
	stop();
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x5 HIST=0x1");
}

static void mismatched_return_is_sent_and_pops(void **state)
{
	(void)state;
	plain(true)->call_stack = 2;
	start(0x100);
	run(2, INGRESS_DIRECT_CALL, 0x200);	/* returns to 0x104 */
	run(2, INGRESS_DIRECT_CALL, 0x300);	/* returns to 0x204 */
	run(1, INGRESS_RETURN, 0x400);
	run(1, INGRESS_RETURN, 0x104);
	stop();
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x5 U-ADDR=0x280 HIST=0x1");
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x1 HIST=0x1");
}

static void full_call_stack_forgets_the_oldest(void **state)
{
	(void)state;
	plain(true)->call_stack = 2;
	start(0x100);
	run(2, INGRESS_DIRECT_CALL, 0x200);
	run(2, INGRESS_INDIRECT_CALL, 0x300);
	run(2, INGRESS_DIRECT_CALL, 0x400);
	run(1, INGRESS_RETURN, 0x304);
	run(1, INGRESS_RETURN, 0x204);
	run(1, INGRESS_RETURN, 0x104);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x100 HIST=0x1");
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x5 U-ADDR=0x102 HIST=0x1");
	expect_nothing();
}

static void recursion_deeper_than_the_stack_is_sent(void **state)
{
	(void)state;
	plain(true)->call_stack = 2;
	start(0x100);
	run(2, INGRESS_DIRECT_CALL, 0x100);
	run(2, INGRESS_DIRECT_CALL, 0x100);
	run(2, INGRESS_DIRECT_CALL, 0x104);
	run(1, INGRESS_RETURN, 0x104);
	run(1, INGRESS_RETURN, 0x104);
	run(1, INGRESS_RETURN, 0x104);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x9 U-ADDR=0x2 HIST=0x1");
	expect_nothing();
}

static void coroutine_swap_pops_and_pushes(void **state)
{
	(void)state;
	plain(true)->call_stack = 4;
	start(0x100);
	run(2, INGRESS_DIRECT_CALL, 0x200);
	run(2, INGRESS_COROUTINE_SWAP, 0x104);
	run(2, INGRESS_COROUTINE_SWAP, 0x204);
	run(2, INGRESS_COROUTINE_SWAP, 0x300);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x8 U-ADDR=0x100 HIST=0x1");
}

static void sync_forgets_the_calls(void **state)
{
	(void)state;
	plain(true)->call_stack = 4;
	start(0x100);
	run(2, INGRESS_DIRECT_CALL, 0x200);
	ntrace_encoder_request_sync(&bench.enc, NTRACE_SYNC_EVENT);
	run_on(2);
	run(1, INGRESS_RETURN, 0x104);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("IndirectBranchHistSync SYNC=0x6 B-TYPE=0x0 I-CNT=0x4 F-ADDR=0x102 HIST=0x1");
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x1 U-ADDR=0x180 HIST=0x1");
}

/* "Sequential Jump Optimization" */

static void sequential(uint32_t halfwords, uint64_t target)
{
	struct ingress_block block = next_block(halfwords,
						INGRESS_INDIRECT_JUMP, target);

	block.sequential = true;
	ntrace_encoder_block(&bench.enc, &block);
}

static void sequential_jump_is_inferred(void **state)
{
	(void)state;
	plain(true)->sequential_jump = true;
	start(0x100);
	sequential(4, 0x20000);
	stop();
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x4 HIST=0x1");
}

static void sequential_jump_needs_its_constant_in_the_message(void **state)
{
	(void)state;
	plain(true)->sequential_jump = true;
	start(0x100);
	ntrace_encoder_request_sync(&bench.enc, NTRACE_SYNC_EVENT);
	run_on(2);
	sequential(2, 0x20000);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("IndirectBranchHistSync SYNC=0x6 B-TYPE=0x0 I-CNT=0x2 F-ADDR=0x82 HIST=0x1");
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x10082 HIST=0x1");
}

/* "Synchronizing Messages" */

static void sync_after_messages(void **state)
{
	struct ntrace_params *params = plain(false);

	(void)state;
	params->sync_mode = NTRACE_SYNC_MESSAGES;
	params->sync_interval = 2;
	start(0x100);
	run(2, INGRESS_BRANCH_TAKEN, 0x100);
	run(2, INGRESS_BRANCH_TAKEN, 0x100);
	run(2, INGRESS_BRANCH_TAKEN, 0x200);
	run(2, INGRESS_BRANCH_TAKEN, 0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("DirectBranch I-CNT=0x2");
	expect("DirectBranch I-CNT=0x2");
	expect("DirectBranchSync SYNC=0x2 I-CNT=0x2 F-ADDR=0x100");
	expect("DirectBranch I-CNT=0x2");
	expect_nothing();
}

static void sync_after_half_words(void **state)
{
	struct ntrace_params *params = plain(true);

	(void)state;
	params->sync_mode = NTRACE_SYNC_HALF_WORDS;
	params->sync_interval = 16;
	start(0x100);
	run_on(8);
	run_not_taken(7);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect_nothing();
	run_on(1);
	expect("IndirectBranchHistSync SYNC=0x2 B-TYPE=0x0 I-CNT=0x10 F-ADDR=0x90 HIST=0x2");
	run_on(15);
	expect_nothing();
	run(1, INGRESS_EXCEPTION, 0x400);
	expect("IndirectBranchHistSync SYNC=0x2 B-TYPE=0x2 I-CNT=0x10 F-ADDR=0x200 HIST=0x1");
}

static void sync_after_cycles(void **state)
{
	struct ntrace_params *params = plain(false);

	(void)state;
	params->sync_mode = NTRACE_SYNC_CYCLES;
	params->sync_interval = 1000;
	bench.cycles = 5000;
	start(0x100);
	bench.cycles = 5999;
	run_on(2);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect_nothing();
	bench.cycles = 6000;
	run_on(2);
	expect("ProgTraceSync SYNC=0x2 I-CNT=0x4 F-ADDR=0x84");
	run(2, INGRESS_INDIRECT_JUMP, 0x300);
	expect("IndirectBranch B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x104");
}

static void sync_sends_what_was_held_back(void **state)
{
	(void)state;
	plain(true)->repeated_history = true;
	start(0x100);
	branches(62, true);
	ntrace_encoder_request_sync(&bench.enc, NTRACE_SYNC_EXTERNAL_TRIGGER);
	branches(1, true);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("ResourceFull RCODE=0x2 RDATA=0xffffffff HREPEAT=0x2");
	expect("IndirectBranchHistSync SYNC=0x0 B-TYPE=0x0 I-CNT=0x7e F-ADDR=0x80 HIST=0x3");
}

/* "Timestamp Reporting" */

static void timestamps_are_absolute_at_sync_then_relative(void **state)
{
	(void)state;
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

static void narrow_timestamps_wrap(void **state)
{
	struct ntrace_params *params = plain(false);

	(void)state;
	params->timestamp = true;
	params->timestamp_bits = 8;
	bench.time = 0x1fe;
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80 TSTAMP=254");
	bench.time = 0x203;
	run(2, INGRESS_BRANCH_TAKEN, 0x100);
	expect("DirectBranch I-CNT=0x2 TSTAMP=5");
}

static void held_messages_carry_their_own_time(void **state)
{
	struct ntrace_params *params = plain(false);

	(void)state;
	params->timestamp = true;
	params->repeat_branch = true;
	start(0x100);
	bench.time = 1;
	run(2, INGRESS_BRANCH_TAKEN, 0x100);
	bench.time = 5;
	run(2, INGRESS_BRANCH_TAKEN, 0x100);
	bench.time = 100;
	run(0, INGRESS_INTERRUPT, 0x200);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80 TSTAMP=0");
	expect("DirectBranch I-CNT=0x2 TSTAMP=1");
	expect("RepeatBranch B-CNT=0x1 TSTAMP=4");
	expect("IndirectBranch B-TYPE=0x3 I-CNT=0x0 U-ADDR=0x180 TSTAMP=95");
}

/* SRC */

static void source_follows_tcode(void **state)
{
	struct ntrace_params *params = plain(true);
	static const uint8_t widths[] = { 1, 3, 4, 6, 7, 12 };
	char text[128];
	size_t i;

	(void)state;
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

/* "Error Message" */

static void loss_is_reported_before_the_next_sync(void **state)
{
	struct ntrace_params *params = plain(true);

	(void)state;
	params->ownership = true;
	params->timestamp = true;
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80 TSTAMP=0");
	expect("Ownership PROCESS=0x2 TSTAMP=0");
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
	expect("Error ETYPE=0x0 ECODE=0x4 TSTAMP=10");
	expect("ProgTraceSync SYNC=0x7 I-CNT=0x0 F-ADDR=0x1c0 TSTAMP=30");
	expect("Ownership PROCESS=0x2 TSTAMP=0");
	run(2, INGRESS_INDIRECT_JUMP, 0x380);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x0 HIST=0x1 TSTAMP=0");
	expect_nothing();
}

static void lost_ownership_is_named(void **state)
{
	(void)state;
	plain(true)->ownership = true;
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	expect("Ownership PROCESS=0x2");
	bench.full = true;
	bench.context.scontext = 5;
	run_on(2);
	bench.full = false;
	run_on(2);
	expect("Error ETYPE=0x0 ECODE=0x8");
	expect("ProgTraceSync SYNC=0x7 I-CNT=0x0 F-ADDR=0x84");
	expect("Ownership PROCESS=0xa2");
}

static void stop_after_a_loss_says_where(void **state)
{
	(void)state;
	plain(true);
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	bench.full = true;
	run(2, INGRESS_INDIRECT_JUMP, 0x200);
	bench.full = false;
	stop();
	expect("Error ETYPE=0x0 ECODE=0x4");
	expect("ProgTraceSync SYNC=0x7 I-CNT=0x0 F-ADDR=0x100");
	expect("ProgTraceCorrelation EVCODE=0x0 CDF=0x1 I-CNT=0x0 HIST=0x1");
	expect_nothing();
}

static void loss_at_the_stop_is_owed(void **state)
{
	(void)state;
	plain(true);
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
	bench.full = true;
	stop();
	assert_false(ntrace_encoder_report_loss(&bench.enc));
	bench.full = false;
	assert_true(ntrace_encoder_report_loss(&bench.enc));
	expect("Error ETYPE=0x0 ECODE=0x4");
	assert_true(ntrace_encoder_report_loss(&bench.enc));
	expect_nothing();
}

static void nothing_is_sent_while_stopped(void **state)
{
	(void)state;
	plain(true);
	start(0x100);
	stop();
	run(2, INGRESS_INDIRECT_JUMP, 0x200);
	stop();
	assert_int_equal(bench.count, 2);
}

/* Limits */

static void longest_message_fits(void **state)
{
	struct ntrace_params *params = plain(true);

	(void)state;
	params->src_bits = 12;
	params->timestamp = true;
	params->icnt_bits = 22;
	bench.time = UINT64_MAX;
	start(UINT64_MAX - 1);
	branches(30, true);
	run_on((1 << 21) - 61);
	ntrace_encoder_request_sync(&bench.enc, NTRACE_SYNC_EVENT);
	run(0, INGRESS_EXCEPTION, UINT64_MAX - 1);
	assert_in_range(bench.size[bench.count - 1], 34, 38);
}

static void bad_parameters_are_named(void **state)
{
	(void)state;
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
		T(branch_first_taken), T(branch_second_taken),
		T(branch_none_taken), T(history_first_taken),
		T(history_second_taken), T(history_none_taken),
		T(history_empty_is_stop_bit), T(icnt_full_is_resource_full),
		T(icnt_full_may_be_sync), T(uaddr_is_xor_with_last_address),
		T(message_example_bytes), T(extended_address_examples),
		T(plain_kernel_address_is_63_bits), T(ownership_examples),
		T(ownership_is_off_without_context), T(back_to_back_returns),
		T(back_to_back_exceptions), T(interrupt_at_first_instruction),
		T(interrupt_after_trap_return), T(traps_may_share_a_btype),
		T(direct_jumps_are_inferred), T(all_jumps_are_taken_branches),
		T(empty_hist_may_be_omitted), T(hist_full_keeps_icnt),
		T(small_hist_is_sent_early),
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
		T(sequential_jump_is_inferred),
		T(sequential_jump_needs_its_constant_in_the_message),
		T(sync_after_messages), T(sync_after_half_words),
		T(sync_after_cycles), T(sync_sends_what_was_held_back),
		T(timestamps_are_absolute_at_sync_then_relative),
		T(narrow_timestamps_wrap), T(held_messages_carry_their_own_time),
		T(source_follows_tcode),
		T(loss_is_reported_before_the_next_sync),
		T(lost_ownership_is_named), T(stop_after_a_loss_says_where),
		T(loss_at_the_stop_is_owed), T(nothing_is_sent_while_stopped),
		T(longest_message_fits), T(bad_parameters_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
