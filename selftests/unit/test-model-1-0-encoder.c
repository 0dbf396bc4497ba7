// SPDX-License-Identifier: GPL-2.0
/* Registers of TCI 1.0: encoder. */
#include <string.h>

#include "include/uapi/linux/rvtrace_regs_1_0.h"
#include "selftests/unit/model-encoder-fixture.h"
#include "selftests/unit/nexus-text.h"

#define TE_FIXED	(ACTIVE | NTRACE)
#define TE(mode)	(TE_FIXED | MODE(mode))

static void encoder_1_0(void)
{
	te_config_init(&bench.config, TCI_1_0);
	bench.config.component.active_delay = 0;
	bench.config.component.empty_delay = 0;
}

static void activate_1_0(void)
{
	create();
	set_control(ACTIVE);
	wr(RVTRACE_TR_TE_INST_FEATURES, 0);
}

/* What is left of @value in the bits of @mask of @offset */
static uint32_t kept(uint32_t offset, uint32_t mask, uint32_t value)
{
	uint32_t other = rd(offset) & ~mask;

	wr(offset, other | value << __builtin_ctz(mask));
	return (rd(offset) & mask) >> __builtin_ctz(mask);
}

TEST(encoder_resets)
{
	encoder_1_0();
	create();
	assert_int_equal(control(), 0);
	set_control(ACTIVE);
	assert_int_equal(control(), TE_FIXED | EMPTY);
	assert_int_equal(rd(RVTRACE_TR_TE_IMPL), 0x00010101);
	assert_int_equal(rd(RVTRACE_TR_TE_INST_FEATURES), 6u << 28);
	assert_int_equal(rd(RVTRACE_TR_TS_CONTROL), 0);
}

TEST(encoder_has_no_other_registers)
{
	static const uint32_t known[] = {
		RVTRACE_TR_TE_CONTROL, RVTRACE_TR_TE_IMPL,
		RVTRACE_TR_TE_INST_FEATURES, RVTRACE_TR_TS_CONTROL,
		RVTRACE_TR_TS_COUNTER_LOW, RVTRACE_TR_TS_COUNTER_HIGH,
	};
	uint32_t offset;
	size_t i;

	encoder_1_0();
	activate_1_0();
	for (offset = 0; offset < RVTRACE_PAGE_SIZE; offset += 4) {
		for (i = 0; i < 6 && known[i] != offset; i++)
			;
		if (i < 6)
			continue;
		wr(offset, ~0u);
		assert_int_equal(rd(offset), 0);
	}
}

TEST(fields_take_what_is_legal)
{
	static const struct {
		uint32_t offset;
		uint32_t mask;
		uint32_t largest;
	} fields[] = {
		{ RVTRACE_TR_TE_CONTROL, RVTRACE_TR_TE_CONTROL_CONTEXT, 1 },
		{ RVTRACE_TR_TE_CONTROL, RVTRACE_TR_TE_CONTROL_INST_STALL_ENA, 1 },
		{ RVTRACE_TR_TE_CONTROL, RVTRACE_TR_TE_CONTROL_INHIBIT_SRC, 1 },
		{ RVTRACE_TR_TE_CONTROL, RVTRACE_TR_TE_CONTROL_INST_SYNC_MODE, 3 },
		{ RVTRACE_TR_TE_CONTROL, RVTRACE_TR_TE_CONTROL_INST_SYNC_MAX, 15 },
		{ RVTRACE_TR_TE_INST_FEATURES, RVTRACE_TR_TE_SRC_ID, 0xfff },
		{ RVTRACE_TR_TE_INST_FEATURES, RVTRACE_TR_TE_SRC_BITS, 12 },
		{ RVTRACE_TR_TE_INST_FEATURES,
		  RVTRACE_TR_TE_INST_EN_SEQUENTIAL_JUMP, 1 },
		{ RVTRACE_TR_TE_INST_FEATURES,
		  RVTRACE_TR_TE_INST_EN_IMPLICIT_RETURN, 1 },
		{ RVTRACE_TR_TE_INST_FEATURES,
		  RVTRACE_TR_TE_INST_EN_REPEATED_HISTORY, 1 },
		{ RVTRACE_TR_TE_INST_FEATURES, RVTRACE_TR_TE_INST_EN_ALL_JUMPS, 1 },
		{ RVTRACE_TR_TE_INST_FEATURES, RVTRACE_TR_TE_INST_EXTEND_ADDR_MSB, 1 },
	};
	uint32_t value;
	size_t i;

	encoder_1_0();
	bench.config.src_bits = 12;
	activate_1_0();
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		for (value = 0; value <= fields[i].largest; value++)
			assert_int_equal(kept(fields[i].offset, fields[i].mask,
					      value), value);
	assert_int_equal(kept(RVTRACE_TR_TE_INST_FEATURES,
			      RVTRACE_TR_TE_SRC_BITS, 15), 12);
}

TEST(illegal_values_are_converted)
{
	encoder_1_0();
	bench.config.sync_max = 1 << 4 | 1 << 6;
	bench.config.sync_modes = 1 << 0 | 1 << 3;
	bench.config.context = false;
	activate_1_0();
	/* "cannot revert to 0 but MUST revert to supported non-0 mode" */
	set_control(TE(7));
	assert_int_equal(control() & MODE(7), MODE(6));
	set_control(TE(1));
	assert_int_equal(control() & MODE(7), MODE(3));
	set_control(TE(5));
	assert_int_equal(control() & MODE(7), MODE(3));
	set_control(TE(0));
	assert_int_equal(control() & MODE(7), 0);
	/* The state before does not matter. */
	set_control(TE(6) | 2 << 16 | 5 << 20 | RVTRACE_TR_TE_CONTROL_CONTEXT);
	assert_int_equal(control(), (TE(6) | EMPTY | 3 << 16 | 4 << 20));
	set_control(TE(6) | 15 << 20 | 2 << 24);
	assert_int_equal(control(), (TE(6) | EMPTY | 6 << 20));
	assert_int_equal(kept(RVTRACE_TR_TE_INST_FEATURES,
			      RVTRACE_TR_TE_INST_IMPLICIT_RETURN_MODE, 2), 3);
}

TEST(overflow_is_cleared_by_one)
{
	encoder_1_0();
	bench.config.fifo_size = 128;
	activate_1_0();
	set_control(TE(6) | ENABLE);
	set_control(TE(6) | ON);
	answer();
	bench.full = true;
	jumps(100);
	bench.full = false;
	jumps(2);
	assert_int_equal(control() & OVERFLOW, OVERFLOW);
	set_control(TE(6) | ON);
	assert_int_equal(control() & OVERFLOW, OVERFLOW);
	set_control(TE(6) | ON | OVERFLOW);
	assert_int_equal(control() & OVERFLOW, 0);
}

static void trace_one_way(uint32_t mode, uint32_t features)
{
	wr(RVTRACE_TR_TE_INST_FEATURES, features);
	set_control(TE(mode) | ON);
	answer();
	run(2, INGRESS_DIRECT_JUMP, 0x200);
	run(2, INGRESS_DIRECT_CALL, 0x300);
	run(1, INGRESS_RETURN, 0x204);
	run(1, INGRESS_INDIRECT_JUMP, 0x100);
	set_control(TE(mode));
	answer();
	pass(1);
}

TEST(features_count_one_by_one)
{
	encoder_1_0();
	activate_1_0();
	trace_one_way(6, 0);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x5 U-ADDR=0x182 HIST=0x1",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x1 U-ADDR=0x182 HIST=0x1",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1");
	trace_one_way(6, RVTRACE_TR_TE_INST_EN_IMPLICIT_RETURN | 3 << 6);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x6 U-ADDR=0x0 HIST=0x1",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1");
	trace_one_way(6, RVTRACE_TR_TE_INST_EN_ALL_JUMPS);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x5 U-ADDR=0x182 HIST=0x7",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x1 U-ADDR=0x182 HIST=0x1",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1");
}

TEST(repeated_history_is_a_feature)
{
	unsigned int i;

	encoder_1_0();
	activate_1_0();
	wr(RVTRACE_TR_TE_INST_FEATURES, RVTRACE_TR_TE_INST_EN_REPEATED_HISTORY);
	set_control(TE(6) | ON);
	answer();
	for (i = 0; i < 31 * 10; i++)
		run(1, INGRESS_BRANCH_TAKEN, 0x100);
	set_control(TE(6));
	answer();
	pass(1);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80",
	       "ResourceFull RCODE=0x2 RDATA=0xffffffff HREPEAT=0xa");
}

TEST(source_has_twelve_bits)
{
	char got[128];

	encoder_1_0();
	bench.config.src_bits = 12;
	activate_1_0();
	wr(RVTRACE_TR_TE_INST_FEATURES, 12u << 28 | 0xabc << 16);
	set_control(TE(6) | ON);
	answer();
	set_control(TE(6));
	answer();
	pass(1);
	nexus_text(got, sizeof(got), bench.sent.bytes[0], bench.sent.size[0], 12);
	assert_string_equal(got, "ProgTraceSync SRC=2748 SYNC=0x5 I-CNT=0x0 F-ADDR=0x80");
}

static void trace_far_away(uint32_t width)
{
	encoder_1_0();
	bench.config.etrace.iaddress_width = width;
	activate_1_0();
	wr(RVTRACE_TR_TE_INST_FEATURES, RVTRACE_TR_TE_INST_EXTEND_ADDR_MSB);
	bench.pc = 0xffffff00;
	set_control(TE(6) | ON);
	answer();
	set_control(TE(6));
	answer();
	pass(1);
}

TEST(addresses_of_64_bits_are_extended)
{
	trace_far_away(64);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x7fffff80",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1");
}

TEST(addresses_of_32_bits_are_extended)
{
	trace_far_away(32);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0xf80",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1");
}

TEST(timestamp_counts_at_its_own_place)
{
	encoder_1_0();
	bench.config.timestamp.types = 1 << 0 | 1 << 2 | 1 << 3;
	activate_1_0();
	wr(RVTRACE_TR_TS_CONTROL, 1);
	/* Shared is converted: internal core. */
	wr(RVTRACE_TR_TS_CONTROL, 1 | 4 << 4 | 2 << 8);
	assert_int_equal(rd(RVTRACE_TR_TS_CONTROL), 48 << 24 | 2 << 8 | 3 << 4 | 1);
	wr(RVTRACE_TR_TS_CONTROL, 3 | 2 << 4);
	pass(0x123456789);
	assert_int_equal(rd(0x044), 0);
	assert_int_equal(rd(RVTRACE_TR_TS_COUNTER_LOW), 0x23456789);
	assert_int_equal(rd(RVTRACE_TR_TS_COUNTER_HIGH), 1);
	wr(RVTRACE_TR_TS_CONTROL, 7 | 2 << 4);
	assert_int_equal(rd(RVTRACE_TR_TS_COUNTER_LOW), 0);
}

TEST(undefined_fields_are_garbage_until_written)
{
	uint32_t first, second;

	encoder_1_0();
	bench.config.component.undef = 1;
	create();
	set_control(ACTIVE);
	first = control();
	assert_int_equal(first & (ENABLE | EMPTY | ACTIVE), EMPTY | ACTIVE);
	assert_int_not_equal(first, TE_FIXED | EMPTY);
	assert_int_not_equal(rd(RVTRACE_TR_TE_INST_FEATURES), 6u << 28);
	set_control(0);
	set_control(ACTIVE);
	second = control();
	assert_int_not_equal(first, second);
	/* Legal they are all the same. */
	assert_int_equal(second & MODE(1) && second & MODE(4), 0);
	wr(RVTRACE_TR_TE_INST_FEATURES, 0);
	assert_int_equal(rd(RVTRACE_TR_TE_INST_FEATURES), 0);
	set_control(TE(6) | OVERFLOW);
	assert_int_equal(control(), TE(6) | EMPTY);
	assert_int_equal(rd(RVTRACE_TR_TE_IMPL), 0x00010101);
	assert_int_equal(bench.requests, 0);
}

TEST(configurations_of_other_generations_are_refused)
{
	encoder_1_0();
	bench.config.inst_modes = 1 << 7;
	assert_non_null(te_config_check(&bench.config));
	encoder_1_0();
	bench.config.sinks = SINK_MEMORY;
	assert_non_null(te_config_check(&bench.config));
	encoder_1_0();
	bench.config.timestamp.width = 64;
	assert_non_null(te_config_check(&bench.config));
	encoder_1_0();
	bench.config.src_bits = 13;
	assert_non_null(te_config_check(&bench.config));
	encoder_1_0();
	bench.config.src_id = 4096;
	assert_non_null(te_config_check(&bench.config));
	encoder_1_0();
	bench.config.etrace.iaddress_width = 48;
	assert_non_null(te_config_check(&bench.config));
	te_config_init(&bench.config, TCI_0_9);
	bench.config.inst_features = RVTRACE_TR_TE_INST_EN_ALL_JUMPS;
	assert_non_null(te_config_check(&bench.config));
	bench.config.generation = TCI_GENERATIONS;
	assert_non_null(te_config_check(&bench.config));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(encoder_resets), T(encoder_has_no_other_registers), T(fields_take_what_is_legal),
		T(illegal_values_are_converted), T(overflow_is_cleared_by_one),
		T(features_count_one_by_one), T(repeated_history_is_a_feature),
		T(source_has_twelve_bits), T(addresses_of_64_bits_are_extended),
		T(addresses_of_32_bits_are_extended), T(timestamp_counts_at_its_own_place),
		T(undefined_fields_are_garbage_until_written),
		T(configurations_of_other_generations_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
