// SPDX-License-Identifier: GPL-2.0
/* Registers of version 0 as SiFive built it, and what they ask for. */
#include <string.h>

#include "include/uapi/linux/rvtrace_regs_0.h"
#include "selftests/unit/model-encoder-fixture.h"
#include "selftests/unit/nexus-text.h"
#include "tools/machine/model/funnel.h"

/* SyncMaxBTM and SyncMaxInst off, sink 8 */
#define OFF		(0xffu << 16)
#define TE(mode)	(ACTIVE | MODE(mode) | OFF | FUNNEL)
#define FIXED		(1u << 24)
#define SINK_ERROR_BIT	RVTRACE_TE0_CONTROL_SINK_ERROR

static bool next_is_on;
static uint64_t shared_time;

static bool is_on(void *opaque)
{
	(void)opaque;
	return next_is_on;
}

static uint64_t shared(void *opaque, uint64_t external, uint64_t cycles)
{
	(void)opaque;
	(void)external;
	(void)cycles;
	return shared_time;
}

static struct te_ops ops;

static int setup_0(void **state)
{
	setup(state);
	te_config_init(&bench.config, TCI_0);
	bench.config.component.active_delay = 0;
	bench.config.component.empty_delay = 0;
	bench.config.src_bits = 0;
	next_is_on = true;
	shared_time = 0;
	ops = bench_ops;
	ops.outlet.is_on = is_on;
	ops.shared = shared;
	return 0;
}

static void activate_0(void)
{
	assert_null(te_config_check(&bench.config));
	bench.te = te_model_new(&bench.config, &ops, &bench);
	set_control(ACTIVE);
}

static void trace(uint32_t more)
{
	set_control(TE(6) | ENABLE | more);
	set_control(TE(6) | ON | more);
	answer();
}

static void end(uint32_t more)
{
	set_control(TE(6) | ENABLE | more);
	set_control(TE(6) | more);
	answer();
	pass(1);
}

/* Encoder */

TEST(encoder_resets)
{
	bench.config.src_bits = 4;
	bench.config.src_id = 3;
	bench.config.hart_id = 2;
	activate_0();
	assert_int_equal(control(), ACTIVE | EMPTY | FIXED | FUNNEL | 3 << 16 |
			 0xa << 20);
	assert_int_equal(rd(RVTRACE_TE0_IMPL), 0x24300100);
	assert_int_equal(rd(RVTRACE_TS0_CONTROL), 4 << 4);
	wr(RVTRACE_TS0_CONTROL, 1);
	assert_int_equal(rd(RVTRACE_TS0_CONTROL), 40 << 24 | 4 << 4 | 1);
}

TEST(encoder_has_no_other_registers)
{
	uint32_t offset;

	activate_0();
	for (offset = 0; offset < RVTRACE_PAGE_SIZE; offset += 4) {
		if (offset == 0 || offset == 4 ||
		    (offset >= 0x40 && offset < 0x4c) ||
		    offset == 0x60 || offset == 0x64 ||
		    (offset >= 0x80 && offset < 0x100))
			continue;
		wr(offset, ~0u);
		assert_int_equal(rd(offset), 0);
	}
}

TEST(illegal_values_are_ignored)
{
	unsigned int n;

	activate_0();
	set_control(ACTIVE | MODE(7) | 7 << 16 | 4 << 20 | FUNNEL);
	for (n = 2; n < 6; n++) {
		set_control(ACTIVE | MODE(n) | 12 << 16 | (n + 6) << 20 |
			    7u << 28);
		assert_int_equal(control(), ACTIVE | EMPTY | FIXED | MODE(7) |
				 7 << 16 | 4 << 20 | FUNNEL);
	}
	/* Bits 9 to 11 are reserved, the slice format is fixed. */
	set_control(TE(1) | 0x7000e00);
	assert_int_equal(control(), TE(1) | EMPTY | FIXED);
	wr(RVTRACE_TE0_IMPL, ~0u);
	assert_int_equal(rd(RVTRACE_TE0_IMPL) & 0xf00fffff, 0x100);
}

/* The printed reset value of teSyncMaxInst is not kept when it is written. */
TEST(reserved_reset_value_cannot_be_written_back)
{
	activate_0();
	set_control(ACTIVE | MODE(6) | 3 << 16 | 0xa << 20 | FUNNEL);
	assert_int_equal(control(), ACTIVE | EMPTY | FIXED | MODE(6) | 3 << 16 |
			 5 << 20 | FUNNEL);
	set_control(ACTIVE | MODE(6) | 3 << 16 | 4 << 20 | FUNNEL);
	set_control(ACTIVE | MODE(6) | 3 << 16 | 0xa << 20 | FUNNEL);
	assert_int_equal(control(), ACTIVE | EMPTY | FIXED | MODE(6) | 3 << 16 |
			 4 << 20 | FUNNEL);
	bench.config.sync_max_inst = 1u << 15;
	te_model_free(bench.te);
	activate_0();
	assert_int_equal(control() >> 20 & 0xf, 0xa);
}

TEST(event_mode_traces_no_instructions)
{
	activate_0();
	set_control(TE(1) | ON);
	assert_int_equal(bench.requests, 0);
	assert_int_equal(control() & ON, ON);
	set_control(TE(6) | ON);
	assert_int_equal(bench.asked, 1);
}

TEST(sink_may_read_zero)
{
	bench.config.sinks = SINK_ONE | SINK_FUNNEL;
	activate_0();
	set_control(TE(6));
	assert_int_equal(control() & RVTRACE_TE_CONTROL_SINK, 0);
	assert_int_equal(rd(RVTRACE_TE0_IMPL) & 0x1f0, 0x100);
	trace(0);
	end(0);
	assert_int_equal(bench.sent.count, 2);
	bench.config.sinks |= SINK_MEMORY;
	assert_non_null(te_config_check(&bench.config));
}

/* As a P550 does it: the second return is of no call. */
static void call_and_return_twice(unsigned int mode)
{
	bench.config.call_count = 1023;
	activate_0();
	set_control(TE(mode) | ON);
	answer();
	run(2, INGRESS_DIRECT_CALL, 0x200);
	run(1, INGRESS_RETURN, 0x300);
	run(1, INGRESS_RETURN, 0x400);
	set_control(TE(mode));
	answer();
	pass(1);
}

TEST(optimized_mode_counts_calls)
{
	call_and_return_twice(7);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80",
	       "IndirectBranch B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x280");
}

TEST(history_mode_counts_no_calls)
{
	call_and_return_twice(6);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x3 U-ADDR=0x100 HIST=0x1",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x1 U-ADDR=0x380 HIST=0x1");
}

TEST(history_mode_may_count_calls)
{
	bench.config.count_modes = 1 << 6;
	call_and_return_twice(6);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x280 HIST=0x1");
}

TEST(calls_are_counted_in_version_0_up_to_1023)
{
	bench.config.call_count = 1024;
	assert_non_null(te_config_check(&bench.config));
	te_config_init(&bench.config, TCI_0_9);
	assert_null(te_config_check(&bench.config));
	bench.config.call_count = 1;
	assert_non_null(te_config_check(&bench.config));
}

TEST(overflow_is_cleared_by_zero)
{
	bench.config.fifo_size = 128;
	activate_0();
	trace(0);
	bench.full = true;
	jumps(100);
	bench.full = false;
	jumps(2);
	assert_int_equal(control() & OVERFLOW, OVERFLOW);
	set_control(TE(6) | ON | OVERFLOW);
	assert_int_equal(control() & OVERFLOW, OVERFLOW);
	set_control(TE(6) | ON);
	assert_int_equal(control() & OVERFLOW, 0);
	set_control(TE(6) | ON | OVERFLOW);
	assert_int_equal(control() & OVERFLOW, 0);
}

TEST(sink_error_is_cleared_by_one)
{
	activate_0();
	trace(0);
	jumps(200);
	assert_int_equal(control() & SINK_ERROR_BIT, 0);
	next_is_on = false;
	jumps(200);
	assert_int_equal(control() & SINK_ERROR_BIT, SINK_ERROR_BIT);
	next_is_on = true;
	set_control(TE(6) | ON);
	assert_int_equal(control() & SINK_ERROR_BIT, SINK_ERROR_BIT);
	set_control(TE(6) | ON | SINK_ERROR_BIT);
	assert_int_equal(control() & SINK_ERROR_BIT, 0);
	jumps(200);
	assert_int_equal(control() & SINK_ERROR_BIT, 0);
}

/* Synchronization */

TEST(inst_limit_counts_bytes_without_a_message)
{
	uint32_t one = (TE(6) & ~(0xfu << 20)) | 1 << 20;

	activate_0();
	set_control(one | ON);
	answer();
	/* 2^(1 + 5) bytes */
	run(31, INGRESS_NONE, 0x13e);
	run(1, INGRESS_NONE, 0x140);
	run(16, INGRESS_INDIRECT_JUMP, 0x180);
	run(16, INGRESS_NONE, 0x1a0);
	set_control(one);
	answer();
	pass(1);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80",
	       "IndirectBranchHistSync SYNC=0x4 B-TYPE=0x0 I-CNT=0x20 F-ADDR=0xa0 HIST=0x1",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x10 U-ADDR=0x60 HIST=0x1",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x10 HIST=0x1");
}

TEST(btm_limit_counts_messages)
{
	uint32_t control_0 = TE(6) & ~(0xfu << 16);

	activate_0();
	set_control(control_0 | ON);
	answer();
	jumps(31);
	assert_int_equal(count_tcode(29), 0);
	jumps(33);
	set_control(control_0);
	answer();
	pass(1);
	/* 2^(0 + 5) */
	assert_int_equal(count_tcode(29), 1);
}

/* Timestamps */

TEST(registers_select_messages_with_timestamps)
{
	static const struct {
		uint32_t select;
		size_t longer[3];	/* sync, branch, correlation */
	} cases[] = {
		{ 0, { 1, 0, 0 } },
		{ 1 << 16, { 1, 1, 0 } },
		{ 3 << 16, { 1, 1, 1 } },
	};
	size_t plain[3], i, j;

	activate_0();
	shared_time = 5;
	trace(0);
	jumps(1);
	end(0);
	for (j = 0; j < 3; j++)
		plain[j] = bench.sent.size[j];
	wr(RVTRACE_TS0_CONTROL, 1);
	for (i = 0; i < 3; i++) {
		bench.sent.count = 0;
		bench.pc = 0x100;
		wr(RVTRACE_TS0_CONTROL, 0x8001 | cases[i].select);
		trace(0);
		jumps(1);
		end(0);
		for (j = 0; j < 3; j++)
			assert_int_equal(bench.sent.size[j] - plain[j],
					 cases[i].longer[j]);
	}
	wr(RVTRACE_TS0_CONTROL, 0x8001 | 1 << 16);
	wr(RVTRACE_TS0_CONTROL, 0x8001 | 2 << 16);
	assert_int_equal(rd(RVTRACE_TS0_CONTROL), 40 << 24 | 4 << 4 | 0x18001);
}

TEST(timestamps_come_from_the_funnel)
{
	activate_0();
	wr(RVTRACE_TS0_CONTROL, 1);
	shared_time = 0x1ff12345678ull;
	assert_int_equal(rd(RVTRACE_TS_LOWER), 0x12345678);
	assert_int_equal(rd(RVTRACE_TS_UPPER), 0xff);
}

/* The last byte of message @n without its end marks */
static uint8_t last_mdo(size_t n)
{
	return bench.sent.bytes[n][bench.sent.size[n] - 1] >> 2;
}

TEST(timestamps_are_xored_or_added)
{
	activate_0();
	wr(RVTRACE_TS0_CONTROL, 1);
	wr(RVTRACE_TS0_CONTROL, 0x38001);
	shared_time = 7;
	trace(0);
	shared_time = 9;
	jumps(1);
	end(0);
	assert_int_equal(last_mdo(0), 7);
	assert_int_equal(last_mdo(1), 7 ^ 9);
	te_model_free(bench.te);
	bench.sent.count = 0;
	bench.config.ts_xor = false;
	activate_0();
	wr(RVTRACE_TS0_CONTROL, 1);
	wr(RVTRACE_TS0_CONTROL, 0x38001);
	shared_time = 7;
	trace(0);
	shared_time = 9;
	jumps(1);
	end(0);
	assert_int_equal(last_mdo(1), 2);
}

/* Instrumentation */

#define ITC(mode)	((mode) << 7)

static void stimulate(unsigned int n, uint32_t value)
{
	wr(RVTRACE_ITC_STIMULUS(n), value);
}

TEST(stimuli_become_messages)
{
	activate_0();
	wr(RVTRACE_ITC_TRACE_ENABLE, ~0u);
	set_control(TE(0) | ON | ITC(1));
	assert_int_equal(rd(RVTRACE_ITC_STIMULUS(7)), 1);
	stimulate(3, 0x12345678);
	stimulate(19, 1);
	stimulate(15, 2);
	te_model_write_part(bench.te, RVTRACE_ITC_STIMULUS(2) + 2, 0xabcd, 2);
	te_model_write_part(bench.te, RVTRACE_ITC_STIMULUS(2) + 3, 0xef, 1);
	expect("DataAcquisition IDTAG=0xc DQDATA=0x12345678",
	       "DataAcquisition IDTAG=0xc DQDATA=0x1",
	       "DataAcquisition IDTAG=0x3c DQDATA=0x2",
	       "DataAcquisition IDTAG=0xa DQDATA=0xabcd",
	       "DataAcquisition IDTAG=0xb DQDATA=0xef");
	expect_nothing();
}

TEST(stimuli_become_ownership)
{
	activate_0();
	wr(RVTRACE_ITC_TRACE_ENABLE, ~0u);
	set_control(TE(0) | ON | ITC(2));
	stimulate(3, 1);
	stimulate(15, 0x234);
	set_control(TE(0) | ON | ITC(3));
	stimulate(3, 1);
	stimulate(31, 0xffffffff);
	expect("Ownership PROCESS=0x234",
	       "DataAcquisition IDTAG=0xc DQDATA=0x1",
	       "Ownership PROCESS=0xffffffff");
	expect_nothing();
}

TEST(stimuli_need_all_enables)
{
	activate_0();
	wr(RVTRACE_ITC_TRACE_ENABLE, 1 << 4);
	set_control(TE(0) | ON);
	stimulate(4, 1);
	set_control(TE(0) | ENABLE | ITC(1));
	stimulate(4, 2);
	set_control(TE(0) | TRACING | ITC(1));
	stimulate(4, 3);
	set_control(TE(0) | ON | ITC(1));
	stimulate(5, 4);
	te_model_write_part(bench.te, RVTRACE_ITC_TRACE_ENABLE, 0, 1);
	stimulate(4, 5);
	expect("DataAcquisition IDTAG=0x10 DQDATA=0x5");
	expect_nothing();
}

TEST(stimuli_carry_timestamps_when_asked)
{
	activate_0();
	wr(RVTRACE_ITC_TRACE_ENABLE, ~0u);
	wr(RVTRACE_TS0_CONTROL, 1);
	wr(RVTRACE_TS0_CONTROL, 0x8001 | RVTRACE_TS0_CONTROL_INSTRUMENTATION);
	shared_time = 3;
	set_control(TE(0) | ON | ITC(1));
	stimulate(0, 1);
	stimulate(16, 1);
	assert_int_equal(bench.sent.size[1], bench.sent.size[0] + 1);
	assert_int_equal(last_mdo(1), 3);
	wr(RVTRACE_TS0_CONTROL, 0x8001);
	set_control(TE(0));
	set_control(TE(0) | ON | ITC(1));
	stimulate(16, 1);
	assert_int_equal(bench.sent.size[2], bench.sent.size[0]);
}

TEST(there_may_be_no_stimuli)
{
	bench.config.itc = false;
	activate_0();
	wr(RVTRACE_ITC_TRACE_ENABLE, ~0u);
	wr(RVTRACE_ITC_TRIG_ENABLE, ~0u);
	set_control(TE(0) | ON | ITC(3));
	stimulate(1, 1);
	assert_int_equal(rd(RVTRACE_ITC_TRACE_ENABLE), 0);
	assert_int_equal(rd(RVTRACE_ITC_TRIG_ENABLE), 0);
	assert_int_equal(rd(RVTRACE_ITC_STIMULUS(1)), 0);
	assert_int_equal(control() & ITC(3), 0);
	expect_nothing();
}

/* Funnel */

#define RING	0x80001000u
#define TF_ON	(RVTRACE_TF_CONTROL_ACTIVE | RVTRACE_TF_CONTROL_ENABLE | 7u << 28)

static struct tf_model *tf;
static uint8_t memory[64];
static bool memory_is_there;

static uint64_t funnel_now(void *opaque)
{
	(void)opaque;
	return bench.now;
}

static void funnel_schedule(void *opaque, uint64_t ticks)
{
	(void)opaque;
	(void)ticks;
}

static bool funnel_dma_write(void *opaque, uint64_t addr, const uint8_t *data,
			     size_t size)
{
	(void)opaque;
	if (!memory_is_there)
		return false;
	memcpy(memory + (addr - RING), data, size);
	return true;
}

static const struct tf_ops tf_ops = {
	.outlet.now = funnel_now, .timestamp = funnel_now, .schedule = funnel_schedule,
	.outlet.dma_write = funnel_dma_write,
};

static void create_funnel(struct tf_config *config)
{
	tf_config_init(config, TCI_0);
	config->component.active_delay = 0;
	config->component.empty_delay = 0;
	config->sink.burst = 0;
	tf = tf_model_new(config, &tf_ops, NULL);
	assert_non_null(tf);
	tf_model_write(tf, RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	memory_is_there = true;
}

TEST(funnel_resets)
{
	struct tf_config config;

	create_funnel(&config);
	assert_int_equal(tf_model_read(tf, RVTRACE_TF_CONTROL), 0x70000009);
	assert_int_equal(tf_model_read(tf, RVTRACE_TF_IMPL), 0x10080);
	assert_int_equal(tf_model_read(tf, RVTRACE_TS0_CONTROL), 0x20);
	tf_model_free(tf);
	config.sink.access_width = 64;
	assert_non_null(tf_config_check(&config));
}

TEST(funnel_trims_addresses)
{
	struct tf_config config;

	create_funnel(&config);
	tf_model_write(tf, RVTRACE_TE_RAM_BASE, RING + 7);
	tf_model_write(tf, RVTRACE_TE_RAM_BASE_HIGH, 5);
	assert_int_equal(tf_model_read(tf, RVTRACE_TE_RAM_BASE), RING);
	assert_int_equal(tf_model_read(tf, RVTRACE_TE_RAM_BASE_HIGH), 5);
	tf_model_write(tf, RVTRACE_TE_RAM_RP, ~0u);
	assert_int_equal(tf_model_read(tf, RVTRACE_TE_RAM_RP), 0);
	tf_model_free(tf);
}

TEST(funnel_tells_of_memory_that_is_not_there)
{
	struct tf_config config;

	create_funnel(&config);
	tf_model_write(tf, RVTRACE_TE_RAM_BASE, RING);
	tf_model_write(tf, RVTRACE_TE_RAM_LIMIT, RING + 56);
	tf_model_write(tf, RVTRACE_TE_RAM_WP, RING);
	tf_model_write(tf, RVTRACE_TF_CONTROL, TF_ON);
	tf_model_send(tf, 0, (const uint8_t *)"12345678", 8, false);
	assert_int_equal(tf_model_read(tf, 0) & SINK_ERROR_BIT, 0);
	memory_is_there = false;
	tf_model_send(tf, 0, (const uint8_t *)"12345678", 8, false);
	assert_int_equal(tf_model_read(tf, 0) & SINK_ERROR_BIT, SINK_ERROR_BIT);
	tf_model_write(tf, RVTRACE_TF_CONTROL, TF_ON | SINK_ERROR_BIT);
	assert_int_equal(tf_model_read(tf, 0) & SINK_ERROR_BIT, 0);
	tf_model_free(tf);
}

TEST(funnel_is_the_clock)
{
	struct tf_config config;

	create_funnel(&config);
	tf_model_write(tf, RVTRACE_TS0_CONTROL, 1);
	tf_model_write(tf, RVTRACE_TS0_CONTROL, 1 | 2 | 1 << 8 | 0x8000);
	assert_int_equal(tf_model_read(tf, RVTRACE_TS0_CONTROL), 0x28000123);
	bench.now += 400;
	assert_int_equal(tf_model_read(tf, RVTRACE_TS_LOWER), 100);
	assert_int_equal(tf_model_shared(tf, 0, bench.now - 40), 90);
	tf_model_write(tf, RVTRACE_TS0_CONTROL, 1 | 2 | 4 | 1 << 8);
	assert_int_equal(tf_model_read(tf, RVTRACE_TS_LOWER), 0);
	tf_model_free(tf);
}

#define Z(name)	cmocka_unit_test_setup_teardown(name, setup_0, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		Z(encoder_resets), Z(encoder_has_no_other_registers),
		Z(illegal_values_are_ignored),
		Z(reserved_reset_value_cannot_be_written_back),
		Z(event_mode_traces_no_instructions), Z(sink_may_read_zero),
		Z(optimized_mode_counts_calls), Z(history_mode_counts_no_calls),
		Z(history_mode_may_count_calls),
		Z(calls_are_counted_in_version_0_up_to_1023),
		Z(overflow_is_cleared_by_zero), Z(sink_error_is_cleared_by_one),
		Z(inst_limit_counts_bytes_without_a_message),
		Z(btm_limit_counts_messages),
		Z(registers_select_messages_with_timestamps),
		Z(timestamps_come_from_the_funnel),
		Z(timestamps_are_xored_or_added), Z(stimuli_become_messages),
		Z(stimuli_become_ownership), Z(stimuli_need_all_enables),
		Z(stimuli_carry_timestamps_when_asked),
		Z(there_may_be_no_stimuli), Z(funnel_resets),
		Z(funnel_trims_addresses),
		Z(funnel_tells_of_memory_that_is_not_there),
		Z(funnel_is_the_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
