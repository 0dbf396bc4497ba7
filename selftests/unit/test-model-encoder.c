// SPDX-License-Identifier: GPL-2.0
/* Trace encoder as software and hart see it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "selftests/unit/nexus-text.h"
#include "tools/machine/model/encoder.h"

#define MAX_MESSAGES	20000
#define BASE		0x80000000u

#define ACTIVE		RVTRACE_TE_CONTROL_ACTIVE
#define ENABLE		RVTRACE_TE_CONTROL_ENABLE
#define TRACING		RVTRACE_TE_CONTROL_INST_TRACING
#define EMPTY		RVTRACE_TE_CONTROL_EMPTY
#define OVERFLOW	RVTRACE_TE_CONTROL_INST_STALL_OR_OVERFLOW
#define STALL_EN	RVTRACE_TE_CONTROL_INST_STALL_EN
#define MODE(n)		((n) << 4)
#define NTRACE		(1u << 24)
#define FUNNEL		(8u << 28)
#define OWN_MEMORY	(7u << 28)
#define HISTORY		(ACTIVE | MODE(6) | NTRACE | FUNNEL)
#define ON		(ENABLE | TRACING)

/* An encoder, the hart before it and the funnel behind it. */
struct bench {
	struct te_model *te;
	struct te_config config;
	uint64_t now;
	uint64_t time;
	uint64_t alarm;		/* 0: none */
	int asked;		/* -1: nothing, else the latest request */
	unsigned int requests;
	uint64_t pc;
	bool full;
	uint32_t halfwords;
	size_t stalled;
	size_t count;
	size_t checked;
	uint8_t size[MAX_MESSAGES];
	uint8_t bytes[MAX_MESSAGES][64];
	uint8_t memory[256];
};

static struct bench bench;

static void set_tracing(void *opaque, bool on)
{
	struct bench *b = opaque;

	b->asked = on;
	b->requests++;
}

static uint64_t now(void *opaque)
{
	return ((struct bench *)opaque)->now;
}

static uint64_t timestamp(void *opaque)
{
	return ((struct bench *)opaque)->time;
}

static void schedule(void *opaque, uint64_t ticks)
{
	struct bench *b = opaque;

	b->alarm = b->now + ticks;
}

static bool send(void *opaque, const uint8_t *message, size_t size, bool wait)
{
	struct bench *b = opaque;

	if (b->full && !wait)
		return false;
	assert_true(b->count < MAX_MESSAGES);
	b->size[b->count] = size;
	memcpy(b->bytes[b->count++], message, size);
	return true;
}

static void advance(void *opaque, uint32_t halfwords)
{
	((struct bench *)opaque)->halfwords += halfwords;
}

static void stalled(void *opaque, size_t bytes)
{
	((struct bench *)opaque)->stalled += bytes;
}

static void dma_write(void *opaque, uint64_t addr, const uint8_t *data,
		      size_t size)
{
	struct bench *b = opaque;

	assert_in_range(addr, BASE, BASE + sizeof(b->memory) - size);
	memcpy(b->memory + (addr - BASE), data, size);
}

static const struct te_ops ops = {
	.set_tracing = set_tracing,
	.now = now,
	.timestamp = timestamp,
	.schedule = schedule,
	.send = send,
	.advance = advance,
	.stalled = stalled,
	.dma_write = dma_write,
};

static uint32_t rd(uint32_t offset)
{
	return te_model_read(bench.te, offset);
}

static void wr(uint32_t offset, uint32_t value)
{
	te_model_write(bench.te, offset, value);
}

static uint32_t control(void)
{
	return rd(RVTRACE_TE_CONTROL);
}

static void set_control(uint32_t value)
{
	wr(RVTRACE_TE_CONTROL, value);
}

static void pass(uint64_t ticks)
{
	bench.now += ticks;
	if (bench.alarm && bench.now >= bench.alarm) {
		bench.alarm = 0;
		te_model_tick(bench.te);
	}
}

static int setup(void **state)
{
	(void)state;
	memset(&bench, 0, sizeof(bench));
	bench.now = 1;
	bench.asked = -1;
	bench.pc = 0x100;
	te_config_default(&bench.config);
	bench.config.active_delay = 0;
	bench.config.empty_delay = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	te_model_free(bench.te);
	return 0;
}

static void create(void)
{
	assert_null(te_config_check(&bench.config));
	bench.te = te_model_new(&bench.config, &ops, &bench);
	assert_non_null(bench.te);
}

/* Active, without a source id. */
static void activate(void)
{
	create();
	set_control(ACTIVE);
	wr(RVTRACE_TE_IMPL, 0);
}

static void answer(void)
{
	static const struct ingress_context machine = { .priv = 3 };
	int on = bench.asked;

	bench.asked = -1;
	if (on == 1)
		te_model_started(bench.te, bench.pc, &machine, bench.time,
				 bench.now);
	else if (on == 0)
		te_model_stopped(bench.te, bench.pc, bench.time, bench.now);
}

static void run(uint32_t halfwords, uint8_t itype, uint64_t target)
{
	struct ingress_block block = {
		.start = bench.pc,
		.halfwords = halfwords,
		.itype = itype,
		.target = target,
		.time = bench.time,
		.cycles = bench.now,
		.context = { .priv = 3 },
	};

	bench.pc = target;
	te_model_retire(bench.te, &block);
}

/* @count jumps of 2 half-words: messages of 5 bytes or so. */
static void jumps(unsigned int count)
{
	while (count--)
		run(2, INGRESS_INDIRECT_JUMP, bench.pc ^ 0x1000);
}

static void start(uint32_t more)
{
	set_control(HISTORY | ENABLE | more);
	set_control(HISTORY | ON | more);
	answer();
}

/* Chapter 15 */
static void disable(uint32_t more)
{
	set_control(HISTORY | ENABLE | more);
	set_control(HISTORY | more);
	answer();
	pass(bench.config.empty_delay);
}

static void expect(const char *text)
{
	char got[256];

	if (bench.checked == bench.count)
		fail_msg("no message, expected: %s", text);
	nexus_text(got, sizeof(got), bench.bytes[bench.checked],
		   bench.size[bench.checked], 0);
	bench.checked++;
	assert_string_equal(got, text);
}

static size_t count_tcode(unsigned int tcode)
{
	size_t i, n = 0;

	for (i = 0; i < bench.count; i++)
		n += bench.bytes[i][0] >> 2 == tcode;
	return n;
}

/* Registers */

static void inactive_registers_read_zero(void **state)
{
	uint32_t offset;

	(void)state;
	create();
	for (offset = 0; offset < RVTRACE_PAGE_SIZE; offset += 4) {
		if (offset != RVTRACE_TE_CONTROL)
			wr(offset, ~0u);
		assert_int_equal(rd(offset), 0);
	}
	set_control(~ACTIVE);
	assert_int_equal(control(), 0);
	set_control(ACTIVE);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 64u << 24);
	assert_int_equal(rd(RVTRACE_TE_INST_FEATURES), 0);
}

static void unimplemented_registers_read_zero(void **state)
{
	static const uint32_t known[] = {
		RVTRACE_TE_CONTROL, RVTRACE_TE_IMPL, RVTRACE_TE_INST_FEATURES,
		RVTRACE_TS_CONTROL, RVTRACE_TS_LOWER, RVTRACE_TS_UPPER,
	};
	uint32_t offset;
	size_t i;

	(void)state;
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

static void reset_values_are_legal(void **state)
{
	(void)state;
	create();
	set_control(ACTIVE);
	assert_int_equal(control(), ACTIVE | EMPTY | NTRACE | FUNNEL);
	assert_int_equal(rd(RVTRACE_TE_IMPL), 0x04000101);
}

static void active_takes_time_both_ways(void **state)
{
	(void)state;
	bench.config.active_delay = 50;
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

static void deactivating_resets_everything(void **state)
{
	(void)state;
	activate();
	wr(RVTRACE_TE_INST_FEATURES, ~0u);
	wr(RVTRACE_TS_CONTROL, 0x8011);
	start(0);
	jumps(3);
	set_control(0);
	assert_int_equal(bench.asked, 0);
	answer();
	set_control(ACTIVE);
	assert_int_equal(control(), ACTIVE | EMPTY | NTRACE | FUNNEL);
	assert_int_equal(rd(RVTRACE_TE_INST_FEATURES), 0);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 64u << 24);
	assert_int_equal(bench.count, 0);
}

static void illegal_values_keep_the_legal_ones(void **state)
{
	unsigned int n;

	(void)state;
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

static void source_id_may_be_fixed(void **state)
{
	(void)state;
	bench.config.src_id = 5;
	bench.config.src_bits = 3;
	bench.config.src_writable = false;
	create();
	set_control(ACTIVE);
	wr(RVTRACE_TE_IMPL, 0);
	assert_int_equal(rd(RVTRACE_TE_IMPL), 0x03500101);
}

static void source_bits_are_limited(void **state)
{
	(void)state;
	bench.config.src_bits = 3;
	create();
	set_control(ACTIVE);
	wr(RVTRACE_TE_IMPL, 2 << 24 | 9 << 20);
	assert_int_equal(rd(RVTRACE_TE_IMPL), 0x02900101);
	wr(RVTRACE_TE_IMPL, 4 << 24 | 1 << 20);
	assert_int_equal(rd(RVTRACE_TE_IMPL), 0x02100101);
}

static void features_of_other_formats_stay_zero(void **state)
{
	(void)state;
	activate();
	wr(RVTRACE_TE_INST_FEATURES, ~0u);
	assert_int_equal(rd(RVTRACE_TE_INST_FEATURES), 0xc);
}

/* Starting and stopping */

static void tracing_needs_enable_and_mode(void **state)
{
	(void)state;
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

static void trace_starts_with_sync_and_ends_with_correlation(void **state)
{
	(void)state;
	activate();
	start(0);
	run(2, INGRESS_INDIRECT_JUMP, 0x200);
	run(3, INGRESS_NONE, 0x206);
	disable(0);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80");
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x180 HIST=0x1");
	expect("ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x3 HIST=0x1");
	assert_int_equal(bench.checked, bench.count);
	assert_int_equal(bench.halfwords, 5);
}

static void empty_drops_and_rises(void **state)
{
	(void)state;
	bench.config.empty_delay = 20;
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

static void stopping_alone_empties_too(void **state)
{
	(void)state;
	bench.config.empty_delay = 20;
	activate();
	start(0);
	set_control(HISTORY | ENABLE);
	answer();
	pass(20);
	assert_int_equal(control() & (EMPTY | ENABLE), EMPTY | ENABLE);
}

static void restart_before_the_answer_makes_a_gap(void **state)
{
	(void)state;
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

static void stop_before_the_start_makes_nothing(void **state)
{
	(void)state;
	activate();
	set_control(HISTORY | ON);
	set_control(HISTORY | ENABLE);
	answer();
	set_control(HISTORY);
	pass(1);
	assert_int_equal(control() & EMPTY, EMPTY);
	assert_int_equal(bench.count, 0);
}

static void blocks_before_the_start_are_ignored(void **state)
{
	(void)state;
	activate();
	set_control(HISTORY | ON);
	jumps(100);
	answer();
	disable(0);
	assert_int_equal(bench.count, 2);
}

static void modes_select_the_messages(void **state)
{
	(void)state;
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
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80");
	expect("DirectBranch I-CNT=0x2");
	expect("RepeatBranch B-CNT=0x2");
	expect("ProgTraceCorrelation EVCODE=0x4 CDF=0x0 I-CNT=0x0");
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80");
	expect("IndirectBranch B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x280");
	expect("ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1");
}

static void call_stack_is_for_optimized_mode(void **state)
{
	(void)state;
	activate();
	wr(RVTRACE_TE_INST_FEATURES, RVTRACE_TE_INST_EN_CALL_STACK);
	start(0);
	run(2, INGRESS_DIRECT_CALL, 0x200);
	run(1, INGRESS_RETURN, 0x104);
	disable(0);
	assert_int_equal(count_tcode(28), 1);
}

static void sync_max_is_a_power_of_two_from_16(void **state)
{
	(void)state;
	activate();
	start(3 << 16 | 1 << 20);
	run(31, INGRESS_NONE, 0x13e);
	run(1, INGRESS_NONE, 0x140);
	run(32, INGRESS_NONE, 0x180);
	disable(3 << 16 | 1 << 20);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80");
	expect("IndirectBranchHistSync SYNC=0x2 B-TYPE=0x0 I-CNT=0x20 F-ADDR=0xa0 HIST=0x1");
	expect("IndirectBranchHistSync SYNC=0x2 B-TYPE=0x0 I-CNT=0x20 F-ADDR=0xc0 HIST=0x1");
	expect("ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1");
}

static void source_is_sent_unless_inhibited(void **state)
{
	char got[128];

	(void)state;
	create();
	set_control(ACTIVE);
	wr(RVTRACE_TE_IMPL, 3 << 24 | 0xd << 20);
	start(0);
	disable(0);
	/* teSrcID has more bits than teSrcBits: the lower ones are sent. */
	nexus_text(got, sizeof(got), bench.bytes[0], bench.size[0], 3);
	assert_string_equal(got, "ProgTraceSync SRC=5 SYNC=0x5 I-CNT=0x0 F-ADDR=0x80");
	bench.checked = 2;
	start(RVTRACE_TE_CONTROL_INHIBIT_SRC);
	disable(RVTRACE_TE_CONTROL_INHIBIT_SRC);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80");
}

static void context_sends_ownership(void **state)
{
	(void)state;
	activate();
	start(RVTRACE_TE_CONTROL_CONTEXT);
	disable(RVTRACE_TE_CONTROL_CONTEXT);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80");
	expect("Ownership PROCESS=0xe");
}

/* Overflow and stall */

static void overflow_is_reported_with_the_error(void **state)
{
	struct te_stats stats;

	(void)state;
	bench.config.fifo_size = 128;
	activate();
	start(0);
	bench.full = true;
	jumps(1000);
	assert_int_equal(bench.count, 0);
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

static void overflow_ends_when_half_the_queue_is_free(void **state)
{
	size_t i;

	(void)state;
	bench.config.fifo_size = 128;
	activate();
	start(0);
	bench.full = true;
	jumps(50);
	bench.full = false;
	jumps(20);
	disable(0);
	/* Error, then at once the synchronization. */
	for (i = 0; bench.bytes[i][0] >> 2 != 8; i++)
		;
	assert_int_equal(bench.bytes[i + 1][0] >> 2, 9);
	assert_int_equal(count_tcode(8), 1);
}

static void overflow_until_the_end_is_reported(void **state)
{
	(void)state;
	bench.config.fifo_size = 128;
	activate();
	start(0);
	bench.full = true;
	jumps(1000);
	disable(0);
	assert_int_equal(count_tcode(8), 1);
	assert_int_equal(bench.bytes[bench.count - 3][0] >> 2, 8);
	assert_int_equal(bench.bytes[bench.count - 2][0] >> 2, 9);
	assert_int_equal(bench.bytes[bench.count - 1][0] >> 2, 33);
	assert_int_equal(control() & EMPTY, EMPTY);
}

static void stall_loses_nothing(void **state)
{
	struct te_stats stats;

	(void)state;
	bench.config.fifo_size = 128;
	activate();
	start(STALL_EN);
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

static void messages_leave_when_half_the_queue_is_used(void **state)
{
	(void)state;
	bench.config.fifo_size = 128;
	activate();
	start(0);
	jumps(8);
	assert_int_equal(bench.count, 0);
	jumps(10);
	assert_in_range(bench.count, 10, 19);
	assert_true(bench.halfwords > 0);
}

/* Own system-memory sink */

static void own_sink_is_in_the_page(void **state)
{
	(void)state;
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
	assert_int_equal(bench.count, 0);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 8);
	/* ProgTraceSync, ProgTraceCorrelation */
	assert_memory_equal(bench.memory, "\x24\x15\x00\x0b\x84\x50\x01\x07",
			    8);
}

static void own_sink_stops_on_wrap(void **state)
{
	(void)state;
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

static void timestamp_types_are_warl(void **state)
{
	(void)state;
	activate();
	wr(RVTRACE_TS_CONTROL, 0x8000 | 1 << 4 | 1);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 0x40008011);
	wr(RVTRACE_TS_CONTROL, 0x8000 | 4 << 4 | 1);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 0x40008011);
	wr(RVTRACE_TS_CONTROL, 2 << 4 | 0x30f);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 0x4000032b);
	wr(RVTRACE_TS_CONTROL, 0x8110);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 0x40000000);
}

static void no_timestamp_unit_reads_zero(void **state)
{
	(void)state;
	bench.config.ts_types = 1;
	activate();
	wr(RVTRACE_TS_CONTROL, ~0u);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 0);
	assert_int_equal(rd(RVTRACE_TS_LOWER), 0);
}

static void external_timestamp_follows_its_source(void **state)
{
	(void)state;
	bench.config.ts_width = 40;
	activate();
	bench.time = 0x123456789abcull;
	assert_int_equal(rd(RVTRACE_TS_LOWER), 0);
	wr(RVTRACE_TS_CONTROL, 0x8011);
	assert_int_equal(rd(RVTRACE_TS_LOWER), 0x56789abc);
	assert_int_equal(rd(RVTRACE_TS_UPPER), 0x34);
	start(0);
	bench.time += 5;
	run(2, INGRESS_INDIRECT_JUMP, 0x100);
	bench.time += 2;
	disable(0);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80 TSTAMP=224789043900");
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x0 HIST=0x1 TSTAMP=5");
	expect("ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1 TSTAMP=2");
}

static void internal_timestamp_counts_prescaled_ticks(void **state)
{
	(void)state;
	activate();
	bench.now = 1000;
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
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80 TSTAMP=110");
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x0 HIST=0x1 TSTAMP=3");
	wr(RVTRACE_TS_CONTROL, 0x8127);
	assert_int_equal(rd(RVTRACE_TS_LOWER), 0);
	assert_int_equal(rd(RVTRACE_TS_CONTROL), 0x40008123);
}

/* The hart may be behind the register write that started the counter. */
static void internal_timestamp_never_runs_backwards(void **state)
{
	(void)state;
	activate();
	bench.now = 1000;
	wr(RVTRACE_TS_CONTROL, 0x8023);
	start(0);
	bench.now = 990;
	run(2, INGRESS_INDIRECT_JUMP, 0x100);
	bench.now = 1003;
	disable(0);
	expect("ProgTraceSync SYNC=0x5 I-CNT=0x0 F-ADDR=0x80 TSTAMP=0");
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x0 HIST=0x1 TSTAMP=0");
	expect("ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1 TSTAMP=3");
}

static void bad_configurations_are_named(void **state)
{
	(void)state;
	bench.config.fifo_size = 127;
	assert_string_equal(te_config_check(&bench.config),
			    "fifo_size is less than 128");
	assert_null(te_model_new(&bench.config, &ops, &bench));
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

#define T(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(inactive_registers_read_zero),
		T(unimplemented_registers_read_zero), T(reset_values_are_legal),
		T(active_takes_time_both_ways),
		T(deactivating_resets_everything),
		T(illegal_values_keep_the_legal_ones),
		T(source_id_may_be_fixed), T(source_bits_are_limited),
		T(features_of_other_formats_stay_zero),
		T(tracing_needs_enable_and_mode),
		T(trace_starts_with_sync_and_ends_with_correlation),
		T(empty_drops_and_rises), T(stopping_alone_empties_too),
		T(restart_before_the_answer_makes_a_gap),
		T(stop_before_the_start_makes_nothing),
		T(blocks_before_the_start_are_ignored),
		T(modes_select_the_messages),
		T(call_stack_is_for_optimized_mode),
		T(sync_max_is_a_power_of_two_from_16),
		T(source_is_sent_unless_inhibited), T(context_sends_ownership),
		T(overflow_is_reported_with_the_error),
		T(overflow_ends_when_half_the_queue_is_free),
		T(overflow_until_the_end_is_reported), T(stall_loses_nothing),
		T(messages_leave_when_half_the_queue_is_used),
		T(own_sink_is_in_the_page), T(own_sink_stops_on_wrap),
		T(timestamp_types_are_warl), T(no_timestamp_unit_reads_zero),
		T(external_timestamp_follows_its_source),
		T(internal_timestamp_counts_prescaled_ticks),
		T(internal_timestamp_never_runs_backwards),
		T(bad_configurations_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
