// SPDX-License-Identifier: GPL-2.0
/* Trace encoder: its queue, its own sink, its timestamps. */
#include "selftests/unit/model-encoder-fixture.h"

/* Overflow and stall */

static void start_small_queue(uint32_t more)
{
	bench.config.fifo_size = 128;
	activate();
	start(more);
}

TEST(overflow_is_reported_with_the_error)
{
	struct te_stats stats;

	start_small_queue(0);
	bench.full = true;
	jumps(1000);
	assert_int_equal(bench.sent.count, 0);
	te_model_stats(bench.te, &stats);
	assert_int_equal(stats.overflows, 1);
	assert_int_equal(control() & OVERFLOW, 0);
	bench.full = false;
	jumps(10);
	assert_int_equal(control() & OVERFLOW, OVERFLOW);
	disable(0);
	assert_int_equal(count_tcode(8), 1);
	assert_int_equal(count_tcode(9), 2);
	assert_int_equal(count_tcode(33), 1);
	/* Sticky until teEnable is set. */
	assert_int_equal(control() & OVERFLOW, OVERFLOW);
	set_control(HISTORY | ENABLE);
	assert_int_equal(control() & OVERFLOW, 0);
}

TEST(overflow_ends_when_half_the_queue_is_free)
{
	size_t i;

	start_small_queue(0);
	bench.full = true;
	jumps(50);
	bench.full = false;
	jumps(20);
	disable(0);
	/* Error, then at once the synchronization. */
	for (i = 0; bench.sent.bytes[i][0] >> 2 != 8; i++)
		;
	assert_int_equal(bench.sent.bytes[i + 1][0] >> 2, 9);
	assert_int_equal(count_tcode(8), 1);
}

TEST(overflow_until_the_end_is_reported)
{
	start_small_queue(0);
	bench.full = true;
	jumps(1000);
	disable(0);
	assert_int_equal(count_tcode(8), 1);
	assert_int_equal(bench.sent.bytes[bench.sent.count - 3][0] >> 2, 8);
	assert_int_equal(bench.sent.bytes[bench.sent.count - 2][0] >> 2, 9);
	assert_int_equal(bench.sent.bytes[bench.sent.count - 1][0] >> 2, 33);
	assert_int_equal(control() & EMPTY, EMPTY);
}

TEST(stall_loses_nothing)
{
	struct te_stats stats;

	start_small_queue(STALL_EN);
	bench.full = true;
	jumps(1000);
	disable(STALL_EN);
	te_model_stats(bench.te, &stats);
	assert_int_equal(stats.overflows, 0);
	assert_true(stats.stalls > 0);
	assert_true(bench.stalled > 0);
	assert_int_equal(count_tcode(28), 1000);
	assert_int_equal(count_tcode(8), 0);
	assert_int_equal(control() & OVERFLOW, OVERFLOW);
}

TEST(messages_leave_when_half_the_queue_is_used)
{
	start_small_queue(0);
	jumps(8);
	assert_int_equal(bench.sent.count, 0);
	jumps(10);
	assert_in_range(bench.sent.count, 10, 19);
	assert_true(bench.halfwords > 0);
}

/* Own system-memory sink */

TEST(own_sink_is_in_the_page)
{
	bench.config.sinks = 1 << RVTRACE_SINK_SBA | 1 << RVTRACE_SINK_FUNNEL;
	activate();
	assert_int_equal(rd(RVTRACE_TE_IMPL) & 0x1f0, 0x180);
	wr(RVTRACE_TE_RAM_BASE, BASE);
	wr(RVTRACE_TE_RAM_LIMIT, BASE + 248);
	wr(RVTRACE_TE_RAM_WP, BASE);
	set_control(ACTIVE | MODE(6) | NTRACE | OWN_MEMORY | ON);
	answer();
	set_control(ACTIVE | MODE(6) | NTRACE | OWN_MEMORY);
	answer();
	assert_int_equal(control() & EMPTY, EMPTY);
	assert_int_equal(bench.sent.count, 0);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 8);
	/* ProgTraceSync, ProgTraceCorrelation */
	assert_memory_equal(bench.memory, "\x24\x15\x00\x0b\x84\x50\x01\x07",
			    8);
}

TEST(own_sink_stops_on_wrap)
{
	bench.config.sinks = 1 << RVTRACE_SINK_SBA;
	bench.config.stop_on_wrap = true;
	bench.config.fifo_size = 128;
	activate();
	wr(RVTRACE_TE_RAM_BASE, BASE);
	wr(RVTRACE_TE_RAM_LIMIT, BASE + 120);
	wr(RVTRACE_TE_RAM_WP, BASE);
	set_control(ACTIVE | MODE(6) | NTRACE | OWN_MEMORY | ON |
		    RVTRACE_TE_CONTROL_STOP_ON_WRAP);
	answer();
	jumps(200);
	assert_int_equal(control() & ENABLE, 0);
	assert_int_equal(bench.asked, 0);
	answer();
	pass(1);
	assert_int_equal(control() & EMPTY, EMPTY);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE | 1);
	assert_int_equal(bench.memory[128], 0);
}

/* Timestamp unit */

TEST(timestamp_types_are_warl)
{
	activate();
	wr(RVTRACE_TS_CONTROL, 1);
	wr(RVTRACE_TS_CONTROL, 0x8000 | 1 << 4 | 1);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 0x40008011);
	wr(RVTRACE_TS_CONTROL, 0x8000 | 4 << 4 | 1);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 0x40008011);
	wr(RVTRACE_TS_CONTROL, 2 << 4 | 0x30f);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 0x4000032b);
	wr(RVTRACE_TS_CONTROL, 0x8110);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 0);
}

TEST(timestamp_unit_keeps_nothing_until_it_is_released)
{
	bench.config.timestamp.active_delay = 50;
	activate();
	wr(RVTRACE_TS_CONTROL, 0x8111);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 0);
	pass(49);
	wr(RVTRACE_TS_CONTROL, 0x8111);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 0);
	pass(1);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 0x40000001);
	wr(RVTRACE_TS_CONTROL, 0x8111);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 0x40008111);
	wr(RVTRACE_TS_CONTROL, 0);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 1);
	pass(50);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 0);
}

TEST(no_timestamp_unit_reads_zero)
{
	bench.config.timestamp.types = 1;
	activate();
	wr(RVTRACE_TS_CONTROL, ~0u);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 0);
	assert_int_equal(rd(RVTRACE_TS_LOWER), 0);
}

TEST(external_timestamp_follows_its_source)
{
	bench.config.timestamp.width = 40;
	activate();
	bench.time = 0x123456789abcull;
	assert_int_equal(rd(RVTRACE_TS_LOWER), 0);
	wr(RVTRACE_TS_CONTROL, 1);
	wr(RVTRACE_TS_CONTROL, 0x8011);
	assert_int_equal(rd(RVTRACE_TS_LOWER), 0x56789abc);
	assert_int_equal(rd(RVTRACE_TS_UPPER), 0x34);
	start(0);
	bench.time += 5;
	run(2, INGRESS_INDIRECT_JUMP, 0x100);
	bench.time += 2;
	disable(0);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80 TSTAMP=224789043900",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x0 HIST=0x1 TSTAMP=5",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1 TSTAMP=2");
}

TEST(internal_timestamp_counts_prescaled_ticks)
{
	activate();
	bench.now = 1000;
	wr(RVTRACE_TS_CONTROL, 1);
	wr(RVTRACE_TS_CONTROL, 0x8123);
	bench.now += 400;
	assert_int_equal(rd(RVTRACE_TS_LOWER), 100);
	/* stopped */
	wr(RVTRACE_TS_CONTROL, 0x8121);
	bench.now += 400;
	assert_int_equal(rd(RVTRACE_TS_LOWER), 100);
	wr(RVTRACE_TS_CONTROL, 0x8123);
	bench.now += 40;
	assert_int_equal(rd(RVTRACE_TS_LOWER), 110);
	start(0);
	bench.now += 12;
	run(2, INGRESS_INDIRECT_JUMP, 0x100);
	disable(0);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80 TSTAMP=110",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x0 HIST=0x1 TSTAMP=3");
	wr(RVTRACE_TS_CONTROL, 0x8127);
	assert_int_equal(rd(RVTRACE_TS_LOWER), 0);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 0x40008123);
}

/* The hart may be behind the register write that started the counter. */
TEST(internal_timestamp_never_runs_backwards)
{
	activate();
	bench.now = 1000;
	wr(RVTRACE_TS_CONTROL, 1);
	wr(RVTRACE_TS_CONTROL, 0x8023);
	start(0);
	bench.now = 990;
	run(2, INGRESS_INDIRECT_JUMP, 0x100);
	bench.now = 1003;
	disable(0);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80 TSTAMP=0",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x0 HIST=0x1 TSTAMP=0",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1 TSTAMP=3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(overflow_is_reported_with_the_error),
		T(overflow_ends_when_half_the_queue_is_free),
		T(overflow_until_the_end_is_reported), T(stall_loses_nothing),
		T(messages_leave_when_half_the_queue_is_used),
		T(own_sink_is_in_the_page), T(own_sink_stops_on_wrap),
		T(timestamp_types_are_warl), T(no_timestamp_unit_reads_zero),
		T(timestamp_unit_keeps_nothing_until_it_is_released),
		T(external_timestamp_follows_its_source),
		T(internal_timestamp_counts_prescaled_ticks),
		T(internal_timestamp_never_runs_backwards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
