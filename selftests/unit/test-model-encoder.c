// SPDX-License-Identifier: GPL-2.0
/* Trace encoder as software and hart see it: registers, starting and stopping. */
#include "include/uapi/linux/rvtrace_regs_1_0.h"
#include "selftests/unit/model-encoder-fixture.h"
#include "selftests/unit/nexus-text.h"

/* Registers */

TEST(inactive_registers_read_zero)
{
	uint32_t offset;

	create();
	for (offset = 0; offset < RVTRACE_PAGE_SIZE; offset += 4) {
		if (offset != RVTRACE_TE_CONTROL)
			wr(offset, ~0u);
		assert_int_equal(rd(offset), 0);
	}
	set_control(~ACTIVE);
	assert_int_equal(control(), 0);
	set_control(ACTIVE);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 0);
	assert_int_equal(rd(RVTRACE_TE_INST_FEATURES), 0);
}

TEST(unimplemented_registers_read_zero)
{
	static const uint32_t known[] = {
		RVTRACE_TE_CONTROL, RVTRACE_TE_IMPL, RVTRACE_TE_INST_FEATURES,
		RVTRACE_TS_CONTROL, RVTRACE_TS_LOWER, RVTRACE_TS_UPPER,
	};
	uint32_t offset;
	size_t i;

	activate();
	for (offset = 0; offset < RVTRACE_PAGE_SIZE; offset += 4) {
		for (i = 0; i < 6 && known[i] != offset; i++)
			;
		if (i < 6)
			continue;
		wr(offset, ~0u);
		assert_int_equal(rd(offset), 0);
	}
}

TEST(reset_values_are_legal)
{
	create();
	set_control(ACTIVE);
	assert_int_equal(control(), ACTIVE | EMPTY | NTRACE | FUNNEL);
	assert_int_equal(rd(RVTRACE_TE_IMPL), 0x04000101);
}

TEST(active_takes_time_both_ways)
{
	bench.config.component.active_delay = 50;
	create();
	set_control(HISTORY | ENABLE);
	assert_int_equal(control(), 0);
	pass(49);
	assert_int_equal(control(), 0);
	pass(1);
	assert_int_equal(control(), ACTIVE | EMPTY | NTRACE | FUNNEL);
	set_control(0);
	assert_int_equal(control(), ACTIVE);
	pass(50);
	assert_int_equal(control(), 0);
}

TEST(deactivating_resets_everything)
{
	activate();
	wr(RVTRACE_TE_INST_FEATURES, ~0u);
	wr(RVTRACE_TS_CONTROL, 1);
	wr(RVTRACE_TS_CONTROL, 0x8011);
	start(0);
	jumps(3);
	set_control(0);
	assert_int_equal(bench.asked, 0);
	answer();
	set_control(ACTIVE);
	assert_int_equal(control(), ACTIVE | EMPTY | NTRACE | FUNNEL);
	assert_int_equal(rd(RVTRACE_TE_INST_FEATURES), 0);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 0);
	assert_int_equal(bench.sent.count, 0);
}

TEST(illegal_values_keep_the_legal_ones)
{
	unsigned int n;

	bench.config.inst_modes = 1 << 0 | 1 << 6;
	bench.config.sync_modes = 1 << 0 | 1 << 3;
	bench.config.sync_max = 1 << 4 | 1 << 6;
	bench.config.context = false;
	bench.config.inhibit_src = false;
	bench.config.stall = false;
	activate();
	set_control(HISTORY | 3 << 16 | 6 << 20);
	for (n = 0; n < 8; n++) {
		set_control(ACTIVE | MODE(n) | n << 24 | (n & 3) << 16 |
			    n << 20 | n << 28 | 0xfa00);
		assert_int_equal(control() & RVTRACE_TE_CONTROL_INST_MODE,
				 n >= 6 || n == 0 ? (n ? MODE(6) : 0) :
				 MODE(0));
		assert_int_equal(control() >> 24, 0x81);
		assert_int_equal(control() & 0xea00, 0);
	}
	set_control(HISTORY | 3 << 16 | 6 << 20);
	set_control(HISTORY | 2 << 16 | 5 << 20);
	assert_int_equal(control() & 0x00f30000, 3 << 16 | 6 << 20);
}

TEST(source_id_may_be_fixed)
{
	bench.config.src_id = 5;
	bench.config.src_bits = 3;
	bench.config.src_writable = false;
	create();
	set_control(ACTIVE);
	wr(RVTRACE_TE_IMPL, 0);
	assert_int_equal(rd(RVTRACE_TE_IMPL), 0x03500101);
}

TEST(source_bits_are_limited)
{
	bench.config.src_bits = 3;
	create();
	set_control(ACTIVE);
	wr(RVTRACE_TE_IMPL, 2 << 24 | 9 << 20);
	assert_int_equal(rd(RVTRACE_TE_IMPL), 0x02900101);
	wr(RVTRACE_TE_IMPL, 4 << 24 | 1 << 20);
	assert_int_equal(rd(RVTRACE_TE_IMPL), 0x02100101);
}

TEST(features_of_other_formats_stay_zero)
{
	activate();
	wr(RVTRACE_TE_INST_FEATURES, ~0u);
	assert_int_equal(rd(RVTRACE_TE_INST_FEATURES), 0xc);
}

TEST(bad_configurations_are_named)
{
	bench.config.fifo_size = 127;
	assert_string_equal(te_config_check(&bench.config),
			    "fifo_size is less than 128");
	assert_null(te_model_new(&bench.config, &bench_ops, &bench));
	setup(NULL);
	bench.config.inst_modes = 1;
	assert_non_null(te_config_check(&bench.config));
	setup(NULL);
	bench.config.inst_features = RVTRACE_TE_INST_NO_ADDR_DIFF;
	assert_non_null(te_config_check(&bench.config));
	setup(NULL);
	bench.config.hist_bits = 33;
	assert_non_null(te_config_check(&bench.config));
	setup(NULL);
	bench.config.icnt_bits = 256 + 16;
	assert_non_null(te_config_check(&bench.config));
	setup(NULL);
	bench.config.src_id = 16;
	assert_non_null(te_config_check(&bench.config));
}

/* Starting and stopping */

TEST(tracing_needs_enable_and_mode)
{
	activate();
	set_control(HISTORY | TRACING);
	assert_int_equal(bench.requests, 0);
	set_control((HISTORY & ~MODE(7)) | ON);
	assert_int_equal(bench.requests, 0);
	set_control(HISTORY | ON);
	assert_int_equal(bench.asked, 1);
	assert_int_equal(bench.requests, 1);
	set_control(HISTORY | ON);
	assert_int_equal(bench.requests, 1);
	set_control(HISTORY | ENABLE);
	assert_int_equal(bench.asked, 0);
}

TEST(trace_starts_with_sync_and_ends_with_correlation)
{
	activate();
	start(0);
	run(2, INGRESS_INDIRECT_JUMP, 0x200);
	run(3, INGRESS_NONE, 0x206);
	disable(0);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x180 HIST=0x1",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x3 HIST=0x1");
	expect_nothing();
	assert_int_equal(bench.halfwords, 5);
}

TEST(empty_drops_and_rises)
{
	bench.config.component.empty_delay = 20;
	activate();
	assert_int_equal(control() & EMPTY, EMPTY);
	start(0);
	assert_int_equal(control() & EMPTY, 0);
	jumps(1);
	set_control(HISTORY | ENABLE);
	set_control(HISTORY);
	/* The hart has not stopped yet. */
	pass(1000);
	assert_int_equal(control() & EMPTY, 0);
	answer();
	assert_int_equal(control() & EMPTY, 0);
	pass(19);
	assert_int_equal(control() & EMPTY, 0);
	pass(1);
	assert_int_equal(control() & EMPTY, EMPTY);
	assert_int_equal(count_tcode(33), 1);
}

/* Faults */

static void set_fault(const struct fault *fault)
{
	te_model_set_fault(bench.te, fault);
}

TEST(stuck_active_is_never_acknowledged)
{
	bench.config.component.active_delay = 10;
	bench.config.component.fault.stuck = FAULT_ACTIVE;
	create();
	set_control(ACTIVE);
	pass(1000);
	assert_int_equal(bench.alarm, 0);
	assert_int_equal(control(), 0);
	set_control(0);
	set_fault(&(struct fault){});
	set_control(ACTIVE);
	pass(10);
	assert_int_equal(control(), ACTIVE | EMPTY | NTRACE | FUNNEL);
}

TEST(stuck_inactive_keeps_active_and_loses_the_rest)
{
	activate();
	start(0);
	set_fault(&(struct fault){ .stuck = FAULT_INACTIVE });
	set_control(0);
	assert_int_equal(bench.asked, 0);
	assert_int_equal(control(), ACTIVE);
	set_fault(&(struct fault){});
	assert_int_equal(control(), 0);
	set_control(ACTIVE);
	answer();
	assert_int_equal(control(), ACTIVE | EMPTY | NTRACE | FUNNEL);
}

TEST(stuck_empty_drains_but_does_not_say_so)
{
	activate();
	start(0);
	set_fault(&(struct fault){ .stuck = FAULT_EMPTY });
	disable(0);
	assert_int_equal(control() & EMPTY, 0);
	assert_int_equal(count_tcode(33), 1);
	set_fault(&(struct fault){});
	assert_int_equal(control() & EMPTY, EMPTY);
}

TEST(gone_registers_read_ones)
{
	struct te_stats stats;

	activate();
	te_model_stats(bench.te, &stats);
	assert_int_equal(stats.accesses, 2);
	set_fault(&(struct fault){ .after = 1, .stuck = FAULT_GONE });
	assert_int_equal(rd(RVTRACE_TE_IMPL), 0x101);
	assert_int_equal(rd(RVTRACE_TE_IMPL), UINT32_MAX);
	set_control(0);
	set_fault(&(struct fault){ .impl = 0x111 });
	assert_int_equal(rd(RVTRACE_TE_IMPL), 0x010);
	assert_int_equal(control() & ACTIVE, ACTIVE);
}

TEST(encoder_can_stop_by_itself)
{
	activate();
	start(0);
	jumps(1);
	set_fault(&(struct fault){ .clear = RVTRACE_TE_CONTROL_INST_TRACING });
	assert_int_equal(bench.asked, 0);
	answer();
	pass(1);
	assert_int_equal(control() & (ON | EMPTY), ENABLE | EMPTY);
	assert_int_equal(count_tcode(33), 1);
	/* Once only, when it is set */
	set_fault(&(struct fault){ .after = 1, .clear = ENABLE });
	set_control(HISTORY | ON);
	answer();
	assert_int_equal(control() & ON, TRACING);
	assert_int_equal(bench.asked, 0);
	answer();
	set_control(HISTORY | ON);
	assert_int_equal(control() & ON, ON);
}

TEST(stopping_alone_empties_too)
{
	bench.config.component.empty_delay = 20;
	activate();
	start(0);
	set_control(HISTORY | ENABLE);
	answer();
	pass(20);
	assert_int_equal(control() & (EMPTY | ENABLE), EMPTY | ENABLE);
}

TEST(restart_before_the_answer_makes_a_gap)
{
	activate();
	start(0);
	jumps(1);
	set_control(HISTORY | ENABLE);
	set_control(HISTORY | ON);
	answer();
	disable(0);
	assert_int_equal(count_tcode(9), 2);
	assert_int_equal(count_tcode(33), 2);
}

TEST(stop_before_the_start_makes_nothing)
{
	activate();
	set_control(HISTORY | ON);
	set_control(HISTORY | ENABLE);
	answer();
	set_control(HISTORY);
	pass(1);
	assert_int_equal(control() & EMPTY, EMPTY);
	assert_int_equal(bench.sent.count, 0);
}

TEST(blocks_before_the_start_are_ignored)
{
	activate();
	set_control(HISTORY | ON);
	jumps(100);
	answer();
	disable(0);
	assert_int_equal(bench.sent.count, 2);
}

TEST(modes_select_the_messages)
{
	activate();
	set_control(ACTIVE | MODE(3) | NTRACE | FUNNEL | ON);
	answer();
	run(2, INGRESS_BRANCH_TAKEN, 0x100);
	run(2, INGRESS_BRANCH_TAKEN, 0x100);
	run(2, INGRESS_BRANCH_TAKEN, 0x100);
	set_control(ACTIVE | MODE(7) | NTRACE | FUNNEL);
	answer();
	wr(RVTRACE_TE_INST_FEATURES, RVTRACE_TE_INST_EN_CALL_STACK);
	set_control(ACTIVE | MODE(7) | NTRACE | FUNNEL | ON);
	answer();
	run(2, INGRESS_DIRECT_CALL, 0x200);
	run(1, INGRESS_RETURN, 0x104);
	run(1, INGRESS_RETURN, 0x400);
	set_control(ACTIVE | MODE(7) | NTRACE | FUNNEL);
	answer();
	pass(1);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80",
	       "DirectBranch I-CNT=0x2",
	       "RepeatBranch B-CNT=0x2",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x0 I-CNT=0x0",
	       "ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80",
	       "IndirectBranch B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x280",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1");
}

TEST(call_stack_is_for_optimized_mode)
{
	activate();
	wr(RVTRACE_TE_INST_FEATURES, RVTRACE_TE_INST_EN_CALL_STACK);
	start(0);
	run(2, INGRESS_DIRECT_CALL, 0x200);
	run(1, INGRESS_RETURN, 0x104);
	disable(0);
	assert_int_equal(count_tcode(28), 1);
}

TEST(sync_max_is_a_power_of_two_from_16)
{
	activate();
	start(3 << 16 | 1 << 20);
	run(31, INGRESS_NONE, 0x13e);
	run(1, INGRESS_NONE, 0x140);
	run(32, INGRESS_NONE, 0x180);
	disable(3 << 16 | 1 << 20);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80",
	       "IndirectBranchHistSync SYNC=0x2 B-TYPE=0x0 I-CNT=0x20 F-ADDR=0xa0 HIST=0x1",
	       "IndirectBranchHistSync SYNC=0x2 B-TYPE=0x0 I-CNT=0x20 F-ADDR=0xc0 HIST=0x1",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1");
}

TEST(source_is_sent_unless_inhibited)
{
	char got[128];

	create();
	set_control(ACTIVE);
	wr(RVTRACE_TE_IMPL, 3 << 24 | 0xd << 20);
	start(0);
	disable(0);
	/* teSrcID has more bits than teSrcBits: the lower ones are sent. */
	nexus_text(got, sizeof(got), bench.sent.bytes[0], bench.sent.size[0], 3);
	assert_string_equal(got, "ProgTraceSync SRC=5 SYNC=0x5 I-CNT=0x0 F-ADDR=0x80");
	bench.sent.checked = 2;
	start(RVTRACE_TE_CONTROL_INHIBIT_SRC);
	disable(RVTRACE_TE_CONTROL_INHIBIT_SRC);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80");
}

TEST(context_sends_ownership)
{
	activate();
	start(RVTRACE_TE_CONTROL_CONTEXT);
	disable(RVTRACE_TE_CONTROL_CONTEXT);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80",
	       "Ownership PROCESS=0xe");
}

/* Protocols */

static void create_1_0(uint32_t formats)
{
	te_config_init(&bench.config, TCI_1_0);
	bench.config.component.active_delay = 0;
	bench.config.formats = formats;
	bench.config.inst_features |= formats & 1 ? 0x3f : 0;
}

static uint32_t kept(uint32_t offset, uint32_t value)
{
	wr(offset, value);
	return rd(offset);
}

static uint32_t protocol_version(void)
{
	return rd(RVTRACE_TR_TE_IMPL) >> 16 & 0xff;
}

TEST(format_is_ntrace_unless_there_is_another)
{
	create_1_0(2);
	create();
	set_control(ACTIVE);
	assert_int_equal(kept(RVTRACE_TE_CONTROL, ACTIVE | MODE(6)) & NTRACE, NTRACE);
	assert_int_equal(protocol_version(), 0x01);
	assert_int_equal(kept(RVTRACE_TR_TE_INST_FEATURES, 0x33), 0);
}

TEST(format_selects_the_protocol)
{
	create_1_0(3);
	bench.config.etrace.protocol_minor = 1;
	create();
	set_control(ACTIVE);
	assert_int_equal(kept(RVTRACE_TE_CONTROL, ACTIVE | MODE(6) | NTRACE) & NTRACE, NTRACE);
	assert_int_equal(protocol_version(), 0x01);
	assert_int_equal(kept(RVTRACE_TE_CONTROL, ACTIVE | MODE(6)) & NTRACE, 0);
	assert_int_equal(protocol_version(), 0x10);
}

/* E-Trace 2.0, table "Optional and run-time configurable modes": "Hardcode to 0." */
TEST(what_etrace_does_not_have_reads_0)
{
	create_1_0(1);
	create();
	set_control(ACTIVE);
	assert_int_equal(kept(RVTRACE_TR_TE_INST_FEATURES, 0xffff), 0x3f);
	assert_int_equal(kept(RVTRACE_TE_CONTROL, ACTIVE | MODE(6) | RVTRACE_TE_CONTROL_CONTEXT) &
			 RVTRACE_TE_CONTROL_CONTEXT, 0);
}

TEST(features_without_what_they_need_read_0)
{
	create_1_0(1);
	bench.config.etrace.sijump = false;
	bench.config.etrace.bpred_size = 0;
	bench.config.etrace.return_stack_size = 0;
	create();
	set_control(ACTIVE);
	assert_int_equal(kept(RVTRACE_TR_TE_INST_FEATURES, 0xffff),
			 RVTRACE_TR_TE_INST_NO_ADDR_DIFF | RVTRACE_TR_TE_INST_NO_TRAP_ADDR |
			 RVTRACE_TR_TE_INST_EN_JUMP_TARGET_CACHE);
}

static void refused(const char *wrong)
{
	assert_string_equal(te_config_check(&bench.config), wrong);
	create_1_0(1);
}

TEST(bad_configurations_of_etrace_are_named)
{
	te_config_init(&bench.config, TCI_0);
	bench.config.formats = 1;
	refused("formats has one that this generation does not have");
	bench.config.formats = 4;
	refused("formats is not a set of 0, 1 and 7");
	bench.config.fifo_size = 251;
	refused("fifo_size is less than the 252 that E-Trace needs");
	bench.config.etrace.timestamp_width = 12;
	refused("timestamp_width is not 0 to 64 in steps of 8");
	bench.config.etrace.bpred_size = 256 + 1;
	refused("a width or size of E-Trace is more than 255");
	bench.config.etrace.ecause_width = 32;
	refused("a trap with these widths is longer than 31 bytes");
	bench.config.etrace.iret_ext = true;
	refused("irets needs the standard support packet");
	bench.config.etrace.ctype = 4;
	refused("ctype is not 0 to 3");
	bench.config.etrace.protocol_minor = 2;
	refused("protocol_minor is not 0 or 1");
	assert_null(te_config_check(&bench.config));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(inactive_registers_read_zero),
		T(unimplemented_registers_read_zero),
		T(reset_values_are_legal), T(active_takes_time_both_ways),
		T(deactivating_resets_everything),
		T(illegal_values_keep_the_legal_ones),
		T(source_id_may_be_fixed), T(source_bits_are_limited),
		T(features_of_other_formats_stay_zero),
		T(bad_configurations_are_named),
		T(format_is_ntrace_unless_there_is_another),
		T(format_selects_the_protocol),
		T(what_etrace_does_not_have_reads_0),
		T(features_without_what_they_need_read_0),
		T(bad_configurations_of_etrace_are_named),
		T(tracing_needs_enable_and_mode),
		T(trace_starts_with_sync_and_ends_with_correlation),
		T(empty_drops_and_rises), T(stopping_alone_empties_too),
		T(stuck_active_is_never_acknowledged),
		T(stuck_inactive_keeps_active_and_loses_the_rest),
		T(stuck_empty_drains_but_does_not_say_so),
		T(gone_registers_read_ones), T(encoder_can_stop_by_itself),
		T(restart_before_the_answer_makes_a_gap),
		T(stop_before_the_start_makes_nothing),
		T(blocks_before_the_start_are_ignored),
		T(modes_select_the_messages),
		T(call_stack_is_for_optimized_mode),
		T(sync_max_is_a_power_of_two_from_16),
		T(source_is_sent_unless_inhibited), T(context_sends_ownership),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
