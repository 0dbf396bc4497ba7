// SPDX-License-Identifier: GPL-2.0
/* Registers of TCI 1.0: encoder, funnel and RAM sink, each with its own page. */
#include <string.h>

#include "include/uapi/linux/rvtrace_regs_1_0.h"
#include "selftests/unit/model-encoder-fixture.h"
#include "selftests/unit/nexus-text.h"
#include "tools/machine/model/funnel.h"
#include "tools/machine/model/sink.h"

/* Encoder */

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

/* Funnel and RAM sink behind it */

#define RING		0x123456000ull
#define RING_SIZE	64
#define F_ON		(RVTRACE_TR_CONTROL_ACTIVE | RVTRACE_TR_CONTROL_ENABLE)
#define F_EMPTY		(RVTRACE_TR_CONTROL_ACTIVE | RVTRACE_TR_CONTROL_EMPTY)
#define SMEM		RVTRACE_TR_RAM_CONTROL_MODE

static struct {
	struct tf_model *tf;
	struct sink_model *sink;
	struct tf_config funnel_config;
	struct sink_config sink_config;
	uint64_t now;
	uint8_t memory[RING_SIZE];
	unsigned int errors;
} path;

static uint64_t path_now(void *opaque)
{
	(void)opaque;
	return path.now;
}

static void path_schedule(void *opaque, uint64_t ticks)
{
	(void)opaque;
	(void)ticks;
}

static bool path_send(void *opaque, const uint8_t *message, size_t size,
		      bool wait)
{
	(void)opaque;
	return sink_model_send(path.sink, message, size, wait);
}

static void path_advance(void *opaque, uint32_t halfwords)
{
	(void)opaque;
	sink_model_advance(path.sink, halfwords);
}

static bool path_dma_write(void *opaque, uint64_t addr, const uint8_t *data,
			   size_t size)
{
	(void)opaque;
	assert_in_range(addr, RING, RING + RING_SIZE - size);
	memcpy(path.memory + (addr - RING), data, size);
	return true;
}

static const struct tf_ops tf_ops = {
	.outlet.now = path_now, .timestamp = path_now, .schedule = path_schedule,
	.outlet.send = path_send, .outlet.advance = path_advance,
};

static const struct sink_ops sink_ops = {
	.outlet.now = path_now, .schedule = path_schedule,
	.outlet.dma_write = path_dma_write,
};

static int path_setup(void **state)
{
	(void)state;
	memset(&path, 0, sizeof(path));
	tf_config_init(&path.funnel_config, TCI_1_0);
	path.funnel_config.component.active_delay = 0;
	path.funnel_config.component.empty_delay = 0;
	sink_config_init(&path.sink_config, TCI_1_0, SINK_KIND_RAM);
	path.sink_config.component.active_delay = 0;
	path.sink_config.component.empty_delay = 0;
	path.sink_config.ram.burst = 0;
	return 0;
}

static int path_teardown(void **state)
{
	(void)state;
	tf_model_free(path.tf);
	sink_model_free(path.sink);
	return 0;
}

static uint32_t frd(uint32_t offset)
{
	return tf_model_read(path.tf, offset);
}

static void fwr(uint32_t offset, uint32_t value)
{
	tf_model_write(path.tf, offset, value);
}

static uint32_t srd(uint32_t offset)
{
	return sink_model_read(path.sink, offset);
}

static void swr(uint32_t offset, uint32_t value)
{
	sink_model_write(path.sink, offset, value);
}

/* Both active */
static void path_create(void)
{
	path.tf = tf_model_new(&path.funnel_config, &tf_ops, NULL);
	path.sink = sink_model_new(&path.sink_config, &sink_ops, NULL);
	assert_non_null(path.tf);
	assert_non_null(path.sink);
	fwr(0, RVTRACE_TR_CONTROL_ACTIVE);
	swr(0, RVTRACE_TR_CONTROL_ACTIVE);
}

static void set_ring(void)
{
	swr(RVTRACE_TR_RAM_START_LOW, (uint32_t)RING);
	swr(RVTRACE_TR_RAM_START_HIGH, RING >> 32);
	swr(RVTRACE_TR_RAM_LIMIT_LOW, (uint32_t)RING + RING_SIZE - 8);
	swr(RVTRACE_TR_RAM_LIMIT_HIGH, RING >> 32);
	swr(RVTRACE_TR_RAM_WP_LOW, (uint32_t)RING);
	swr(RVTRACE_TR_RAM_WP_HIGH, RING >> 32);
}

static bool send_text(unsigned int input, const char *text)
{
	return tf_model_send(path.tf, input, (const uint8_t *)text,
			     strlen(text), false);
}

TEST(funnel_and_sink_reset)
{
	path_create();
	assert_int_equal(frd(RVTRACE_TR_FUNNEL_CONTROL), F_EMPTY);
	assert_int_equal(frd(RVTRACE_TR_FUNNEL_IMPL), 0x801);
	assert_int_equal(frd(RVTRACE_TR_FUNNEL_DIS_INPUT), 0);
	assert_int_equal(frd(RVTRACE_TR_TS_CONTROL), 0);
	assert_int_equal(srd(RVTRACE_TR_RAM_CONTROL), F_EMPTY | SMEM);
	assert_int_equal(srd(RVTRACE_TR_RAM_IMPL), 0x2901);
}

TEST(funnel_and_sink_have_no_other_registers)
{
	static const bool funnel[0x100] = {
		[0] = true, [1] = true, [2] = true, [0x10] = true, [0x12] = true,
		[0x13] = true,
	};
	static const bool sink[0x100] = {
		[0] = true, [1] = true, [4] = true, [5] = true, [6] = true,
		[7] = true, [8] = true, [9] = true,
	};
	uint32_t offset;

	path_create();
	for (offset = 0; offset < RVTRACE_PAGE_SIZE; offset += 4) {
		if (offset >= 0x400 || !funnel[offset / 4]) {
			fwr(offset, ~0u);
			assert_int_equal(frd(offset), 0);
		}
		if (offset >= 0x400 || !sink[offset / 4]) {
			swr(offset, ~0u);
			assert_int_equal(srd(offset), 0);
		}
	}
}

TEST(trace_goes_through_to_memory_above_four_gigabytes)
{
	struct sink_stats stats;

	path_create();
	set_ring();
	swr(0, F_ON | SMEM);
	fwr(0, F_ON);
	assert_true(send_text(0, "0123456789"));
	assert_true(send_text(1, "abc"));
	assert_int_equal(srd(0) & RVTRACE_TR_CONTROL_EMPTY, 0);
	fwr(0, RVTRACE_TR_CONTROL_ACTIVE);
	assert_int_equal(frd(0), F_EMPTY);
	swr(0, RVTRACE_TR_CONTROL_ACTIVE | SMEM);
	assert_int_equal(srd(0), F_EMPTY | SMEM);
	assert_memory_equal(path.memory, "0123456789abc\xff\xff\xff", 16);
	assert_int_equal(srd(RVTRACE_TR_RAM_WP_LOW), (uint32_t)RING + 16);
	assert_int_equal(srd(RVTRACE_TR_RAM_WP_HIGH), RING >> 32);
	sink_model_stats(path.sink, &stats);
	assert_int_equal(stats.bytes, 13);
}

TEST(each_component_has_its_own_enable)
{
	struct sink_stats stats;
	struct tf_stats funnel;

	path_create();
	set_ring();
	fwr(0, F_ON);
	send_text(0, "abc");
	sink_model_stats(path.sink, &stats);
	assert_int_equal(stats.dropped, 3);
	fwr(0, RVTRACE_TR_CONTROL_ACTIVE);
	swr(0, F_ON | SMEM);
	send_text(0, "abcd");
	tf_model_stats(path.tf, &funnel);
	assert_int_equal(funnel.dropped, 4);
	assert_int_equal(srd(RVTRACE_TR_RAM_WP_LOW), (uint32_t)RING);
}

TEST(disabled_inputs_are_read_and_discarded)
{
	path.funnel_config.dis_input = 0x5;
	path_create();
	set_ring();
	swr(0, F_ON | SMEM);
	fwr(0, F_ON);
	fwr(RVTRACE_TR_FUNNEL_DIS_INPUT, 0xffffffff);
	assert_int_equal(frd(RVTRACE_TR_FUNNEL_DIS_INPUT), 0x5);
	assert_true(send_text(0, "aaaaaaaa"));
	assert_true(send_text(1, "bbbbbbbb"));
	assert_true(send_text(2, "cccccccc"));
	fwr(RVTRACE_TR_FUNNEL_DIS_INPUT, 0);
	assert_true(send_text(0, "dddddddd"));
	assert_memory_equal(path.memory, "bbbbbbbbdddddddd", 16);
}

TEST(stop_on_wrap_disables_the_sink_alone)
{
	path_create();
	set_ring();
	swr(0, F_ON | SMEM | RVTRACE_TR_RAM_CONTROL_STOP_ON_WRAP);
	fwr(0, F_ON);
	while (srd(0) & RVTRACE_TR_CONTROL_ENABLE)
		assert_true(send_text(0, "0123456789abcdef"));
	assert_true(send_text(0, "more"));
	assert_int_equal(srd(0), F_EMPTY | SMEM |
			 RVTRACE_TR_RAM_CONTROL_STOP_ON_WRAP);
	assert_int_equal(frd(0) & RVTRACE_TR_CONTROL_ENABLE,
			 RVTRACE_TR_CONTROL_ENABLE);
	assert_int_equal(srd(RVTRACE_TR_RAM_WP_LOW), (uint32_t)RING | 1);
	assert_memory_equal(path.memory + 48, "0123456789abcdef", 16);
}

TEST(addresses_are_trimmed)
{
	path.sink_config.ram.addr_bits = 40;
	path.sink_config.ram.access_width = 16;
	path_create();
	swr(RVTRACE_TR_RAM_START_LOW, 0xffffffff);
	swr(RVTRACE_TR_RAM_START_HIGH, 0xffffffff);
	assert_int_equal(srd(RVTRACE_TR_RAM_START_LOW), 0xfffffff0);
	assert_int_equal(srd(RVTRACE_TR_RAM_START_HIGH), 0xff);
	swr(RVTRACE_TR_RAM_LIMIT_LOW, 0x1234567c);
	assert_int_equal(srd(RVTRACE_TR_RAM_LIMIT_LOW), 0x12345670);
	swr(RVTRACE_TR_RAM_START_LOW, 0);
	assert_int_equal(srd(RVTRACE_TR_RAM_START_LOW), 0);
	assert_int_equal(srd(RVTRACE_TR_RAM_START_HIGH), 0xff);
	/* The read pointer is not implemented. */
	swr(RVTRACE_TR_RAM_RP_LOW, 0x12345670);
	assert_int_equal(srd(RVTRACE_TR_RAM_RP_LOW), 0);
}

TEST(sink_controls_are_legal)
{
	path.sink_config.stop_on_wrap = false;
	path.sink_config.ram.mem_formats = 1 << 0 | 1 << 3;
	path.sink_config.ram.async_freqs = 0x5;
	path_create();
	swr(0, RVTRACE_TR_CONTROL_ACTIVE | 0x7700);
	assert_int_equal(srd(0), F_EMPTY | SMEM | 3 << 9 | 2 << 12);
	swr(0, RVTRACE_TR_CONTROL_ACTIVE | 1 << 9 | 1 << 12);
	assert_int_equal(srd(0), F_EMPTY | SMEM | 3 << 9 | 2 << 12);
	swr(0, RVTRACE_TR_CONTROL_ACTIVE);
	assert_int_equal(srd(0), F_EMPTY | SMEM);
}

TEST(undefined_pointers_stay_aligned)
{
	path.sink_config.component.undef = 7;
	path.funnel_config.component.undef = 7;
	path_create();
	assert_int_not_equal(srd(RVTRACE_TR_RAM_START_LOW), 0);
	assert_int_equal(srd(RVTRACE_TR_RAM_START_LOW) & 7, 0);
	assert_int_not_equal(srd(RVTRACE_TR_RAM_WP_HIGH), 0);
	assert_int_equal(srd(0) & RVTRACE_TR_CONTROL_ENABLE, 0);
	assert_int_not_equal(frd(RVTRACE_TR_FUNNEL_DIS_INPUT), 0);
	set_ring();
	assert_int_equal(srd(RVTRACE_TR_RAM_WP_LOW), (uint32_t)RING);
}

TEST(enable_may_lag_behind)
{
	path.sink_config.component.enable_delay = 30;
	path_create();
	set_ring();
	swr(0, F_ON | SMEM);
	assert_int_equal(srd(0) & RVTRACE_TR_CONTROL_ENABLE, 0);
	path.now += 29;
	assert_int_equal(srd(0) & RVTRACE_TR_CONTROL_ENABLE, 0);
	path.now++;
	assert_int_equal(srd(0) & RVTRACE_TR_CONTROL_ENABLE,
			 RVTRACE_TR_CONTROL_ENABLE);
	swr(0, RVTRACE_TR_CONTROL_ACTIVE | SMEM);
	assert_int_equal(srd(0) & RVTRACE_TR_CONTROL_ENABLE,
			 RVTRACE_TR_CONTROL_ENABLE);
	path.now += 30;
	assert_int_equal(srd(0), F_EMPTY | SMEM);
	/* A reset does not lag. */
	swr(0, F_ON | SMEM);
	path.now += 30;
	swr(0, 0);
	swr(0, RVTRACE_TR_CONTROL_ACTIVE);
	assert_int_equal(srd(0), F_EMPTY | SMEM);
}

TEST(range_may_be_fixed)
{
	path.sink_config.ram.fixed_start = RING;
	path.sink_config.ram.fixed_limit = RING + 56;
	path_create();
	swr(RVTRACE_TR_RAM_START_LOW, 0);
	swr(RVTRACE_TR_RAM_START_HIGH, ~0u);
	swr(RVTRACE_TR_RAM_LIMIT_LOW, ~0u);
	assert_int_equal(srd(RVTRACE_TR_RAM_START_LOW), (uint32_t)RING);
	assert_int_equal(srd(RVTRACE_TR_RAM_START_HIGH), RING >> 32);
	assert_int_equal(srd(RVTRACE_TR_RAM_LIMIT_LOW), (uint32_t)RING + 56);
	assert_int_equal(srd(RVTRACE_TR_RAM_LIMIT_HIGH), RING >> 32);
	swr(RVTRACE_TR_RAM_WP_LOW, (uint32_t)RING + 8);
	assert_int_equal(srd(RVTRACE_TR_RAM_WP_LOW), (uint32_t)RING + 8);
}

TEST(sink_can_be_broken)
{
	struct fault fault = { .stuck = FAULT_EMPTY };

	path_create();
	set_ring();
	swr(0, F_ON | SMEM);
	sink_model_set_fault(path.sink, &fault);
	swr(0, RVTRACE_TR_CONTROL_ACTIVE | SMEM);
	assert_int_equal(srd(0) & RVTRACE_TR_CONTROL_EMPTY, 0);
	fault = (struct fault){ .impl = 0x100 };
	sink_model_set_fault(path.sink, &fault);
	assert_int_equal(srd(0) & RVTRACE_TR_CONTROL_EMPTY,
			 RVTRACE_TR_CONTROL_EMPTY);
	assert_int_equal(srd(RVTRACE_TR_RAM_IMPL), 0x2801);
}

#define P(name)	cmocka_unit_test_setup_teardown(name, path_setup, path_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(encoder_resets), T(encoder_has_no_other_registers),
		T(fields_take_what_is_legal), T(illegal_values_are_converted),
		T(overflow_is_cleared_by_one), T(features_count_one_by_one),
		T(repeated_history_is_a_feature), T(source_has_twelve_bits),
		T(addresses_of_64_bits_are_extended),
		T(addresses_of_32_bits_are_extended),
		T(timestamp_counts_at_its_own_place),
		T(undefined_fields_are_garbage_until_written),
		T(configurations_of_other_generations_are_refused),
		P(funnel_and_sink_reset),
		P(funnel_and_sink_have_no_other_registers),
		P(trace_goes_through_to_memory_above_four_gigabytes),
		P(each_component_has_its_own_enable),
		P(disabled_inputs_are_read_and_discarded),
		P(stop_on_wrap_disables_the_sink_alone),
		P(addresses_are_trimmed), P(sink_controls_are_legal),
		P(undefined_pointers_stay_aligned), P(enable_may_lag_behind),
		P(range_may_be_fixed), P(sink_can_be_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
