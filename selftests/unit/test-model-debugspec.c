// SPDX-License-Identifier: GPL-2.0
/* Trace module of the debug specification: registers, buffer, triggers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/debugspec.h>

#include "selftests/unit/messages.h"
#include "tools/machine/model/debugspec-module.h"

#define BASE		0x80001000u
#define HART		5	/* the only one of its stream: no Change Hart */
#define MEMORY		4096
#define STEPS		500
#define EMIT(set)	((uint32_t)(set) << 16)
#define FLOW		EMIT(DEBUGSPEC_EMITPC | DEBUGSPEC_EMITBRANCH | DEBUGSPEC_EMITPRIV)
#define FULL(n)		((n) << 8)
#define TO(n)		((n) << 4)
#define DEFAULTS	(TO(DSM_DESTINATION_SYSTEM_RAM) | DSM_TRACE_STALL)

/* @busy: memory takes nothing; @stalls: it was waited for; @full: exceptions */
static struct {
	struct dsm_model dsm;
	uint8_t memory[MEMORY];
	uint32_t out[MEMORY];
	unsigned int outs;
	unsigned int writes;
	bool busy;
	unsigned int stalls;
	unsigned int full;
	uint64_t pc;
	unsigned int step;
} bench;

/* What an encoder makes of the same blocks, in a ring of @size */
static struct {
	uint8_t memory[MEMORY];
	uint32_t size;
	uint64_t write;
	struct debugspec_encoder encoder;
	struct debugspec_stream stream;
} want;

static bool room(void *opaque, unsigned int bytes, bool stall)
{
	(void)opaque;
	assert_true(bytes > 0);
	bench.stalls += bench.busy && stall;
	return !bench.busy || stall;
}

static void put(uint8_t *memory, uint64_t at, uint32_t word)
{
	assert_true(at % 4 == 0 && at + 4 <= MEMORY);
	for (unsigned int i = 0; i < 4; i++)
		memory[at + i] = word >> (8 * i);
}

static void write_word(void *opaque, uint64_t address, uint32_t word)
{
	(void)opaque;
	bench.writes++;
	put(bench.memory, address - BASE, word);
}

static void off_chip(void *opaque, uint32_t word)
{
	(void)opaque;
	assert_true(bench.outs < MEMORY);
	bench.out[bench.outs++] = word;
}

static void full(void *opaque)
{
	(void)opaque;
	bench.full++;
}

static const struct dsm_ops ops = {
	.room = room, .write = write_word, .off_chip = off_chip, .full = full,
};

static void make(uint8_t xlen, uint8_t destinations)
{
	const struct dsm_config config = {
		.hart = HART, .xlen = xlen, .compressed = true, .destinations = destinations,
	};

	memset(&bench, 0, sizeof(bench));
	bench.pc = 0x100;
	assert_null(dsm_config_check(&config, &ops));
	dsm_init(&bench.dsm, &config, &ops, NULL);
}

static uint64_t rd(unsigned int csr)
{
	uint64_t value = UINT64_MAX;

	assert_true(dsm_read(&bench.dsm, csr, &value));
	return value;
}

static void wr(unsigned int csr, uint64_t value)
{
	assert_true(dsm_write(&bench.dsm, csr, value));
}

static void set_buffer(uint64_t size)
{
	wr(DSM_TBUFSTART, BASE);
	wr(DSM_TBUFEND, BASE + size);
}

static void trigger(unsigned int action)
{
	dsm_trigger(&bench.dsm, action, bench.pc, NULL);
}

static struct ingress_block next_block(void)
{
	static const uint8_t itypes[] = {
		INGRESS_BRANCH_TAKEN, INGRESS_BRANCH_NOT_TAKEN, INGRESS_INDIRECT_CALL,
		INGRESS_EXCEPTION, INGRESS_TRAP_RETURN, INGRESS_RETURN,
	};
	unsigned int i = bench.step++;
	struct ingress_block block = {
		.start = bench.pc, .halfwords = 6, .last_size = 2,
		.itype = itypes[i % sizeof(itypes)],
		.target = 0x80000000u | ((i * 2654435761u) & 0xfffe), .time = i, .cause = 2,
		.context = { .priv = INGRESS_PRIV_M },
	};

	if (block.itype == INGRESS_BRANCH_NOT_TAKEN)
		block.target = block.start + 12;
	bench.pc = block.target;
	return block;
}

static void run(unsigned int steps)
{
	while (steps--) {
		const struct ingress_block block = next_block();

		dsm_retire(&bench.dsm, &block);
	}
}

static void want_word(void *opaque, uint32_t word)
{
	(void)opaque;
	put(want.memory, want.write, word);
	want.write += 4;
	if (want.write == want.size)
		want.write = 0;
}

/* The same steps as run(), @size 0: that leave the chip; @stop: tracing ends behind them */
static void want_steps(uint8_t xlen, uint8_t emit, uint32_t size, unsigned int steps, bool stop)
{
	const struct debugspec_params params = { .xlen = xlen, .compressed = true, .emit = emit };
	const struct ingress_context before = { 0 };
	uint64_t pc = bench.pc;

	memset(&want, 0, sizeof(want));
	want.size = size;
	debugspec_stream_init(&want.stream, size, false, want_word, NULL, NULL);
	debugspec_encoder_init(&want.encoder, &params, &want.stream);
	debugspec_encoder_start(&want.encoder, &before);
	bench.pc = 0x100;
	bench.step = 0;
	while (steps--) {
		const struct ingress_block block = next_block();

		debugspec_encoder_block(&want.encoder, &block);
	}
	if (stop) {
		debugspec_encoder_stop(&want.encoder);
		debugspec_stream_flush(&want.stream);
	}
	bench.pc = pc;
}

TEST(registers_after_reset)
{
	uint64_t value;

	make(32, 1 << 1);
	assert_int_equal(rd(DSM_TRACE), DEFAULTS | DSM_TRACE_SUPPORTED);
	assert_int_equal(rd(DSM_TBUFSTART), 0);
	assert_int_equal(rd(DSM_TBUFEND), 0);
	assert_int_equal(rd(DSM_TBUFWRITE), 0);
	assert_false(dsm_read(&bench.dsm, 0x727, &value));
	assert_false(dsm_read(&bench.dsm, 0x72c, &value));
	make(32, 1 << 2);
	assert_int_equal(rd(DSM_TRACE), TO(2) | DSM_TRACE_STALL | DSM_TRACE_SUPPORTED);
}

/* Each field of the register list: access, and what it cannot hold */
TEST(fields)
{
	make(32, 1 << 1 | 1 << 2);
	wr(DSM_TRACE, ~0u);
	/* fullaction 3 and destination 3 are reserved, discard is write-only, the rest read-only */
	assert_int_equal(rd(DSM_TRACE), 0x00ff0000 | DEFAULTS | DSM_TRACE_SUPPORTED);
	wr(DSM_TRACE, 0);
	/* destination 0 is not there */
	assert_int_equal(rd(DSM_TRACE), TO(1) | DSM_TRACE_SUPPORTED);
	for (unsigned int bit = 16; bit < 24; bit++) {
		wr(DSM_TRACE, 1u << bit | DEFAULTS);
		assert_int_equal(rd(DSM_TRACE), 1u << bit | DEFAULTS | DSM_TRACE_SUPPORTED);
	}
	for (unsigned int n = 0; n < 3; n++) {
		wr(DSM_TRACE, FULL(n) | TO(2));
		assert_int_equal(rd(DSM_TRACE), FULL(n) | TO(2) | DSM_TRACE_SUPPORTED);
	}
	wr(DSM_TBUFSTART, 0x123456789abcdef0);
	assert_int_equal(rd(DSM_TBUFSTART), 0x9abcdef0);
	assert_false(dsm_write(&bench.dsm, DSM_TBUFWRITE, BASE));
	make(64, 1 << 1);
	wr(DSM_TBUFEND, 0x123456789abcdef0);
	assert_int_equal(rd(DSM_TBUFEND), 0x123456789abcdef0);
}

TEST(a_trace_from_start_to_stop)
{
	make(32, 1 << 1);
	set_buffer(2048);
	wr(DSM_TRACE, FLOW | DEFAULTS);
	run(3);
	assert_int_equal(bench.writes, 0);
	bench.step = 0;
	bench.pc = 0x100;
	bench.dsm.context = (struct ingress_context) { 0 };
	trigger(DSM_ACTION_START);
	run(100);
	trigger(DSM_ACTION_STOP);
	want_steps(32, 7, 2048, 100, true);
	assert_int_equal(rd(DSM_TBUFWRITE), BASE + want.write);
	assert_memory_equal(bench.memory, want.memory, want.write);
	assert_true(want.write > 100);
	assert_int_equal(rd(DSM_TRACE) & DSM_TRACE_WRAPPED, 0);
	run(100);
	assert_int_equal(rd(DSM_TBUFWRITE), BASE + want.write);
}

/* "0 means wrap and overwrite" */
static void wraps(uint8_t xlen, uint32_t size)
{
	make(xlen, 1 << 1);
	set_buffer(size);
	wr(DSM_TRACE, FLOW | DEFAULTS | FULL(DSM_FULL_WRAP));
	trigger(DSM_ACTION_START);
	run(STEPS);
	trigger(DSM_ACTION_STOP);
	want_steps(xlen, 7, size, STEPS, true);
	assert_int_equal(rd(DSM_TBUFWRITE), BASE + want.write);
	assert_memory_equal(bench.memory, want.memory, MEMORY);
	assert_true(rd(DSM_TRACE) & DSM_TRACE_WRAPPED);
	assert_true(bench.writes * 4 > 2 * size);
	assert_int_equal(bench.full, 0);
	/* "resets the trace write pointer to the start of the memory, as well as wrapped" */
	wr(DSM_TRACE, rd(DSM_TRACE) | DSM_TRACE_DISCARD);
	assert_int_equal(rd(DSM_TRACE) & (DSM_TRACE_WRAPPED | DSM_TRACE_DISCARD), 0);
	assert_int_equal(rd(DSM_TBUFWRITE), BASE);
}

TEST(full_means_wrap)
{
	wraps(32, 64);
	wraps(32, 256);
	wraps(64, 96);
	wraps(64, 512);
}

/* "1 means turn off trace until discard is written as 1", "2 means cause a trace full exception" */
static void stops(unsigned int action)
{
	make(32, 1 << 1);
	set_buffer(128);
	wr(DSM_TRACE, FLOW | DEFAULTS | FULL(action));
	trigger(DSM_ACTION_START);
	run(STEPS);
	assert_int_equal(bench.writes, 128 / 4);
	assert_int_equal(rd(DSM_TBUFWRITE), BASE + 128);
	assert_int_equal(rd(DSM_TRACE) & DSM_TRACE_WRAPPED, 0);
	assert_int_equal(bench.full, action == DSM_FULL_EXCEPTION);
	want_steps(32, 7, 2048, STEPS / 4, false);
	/* up to where the longer buffer has no synchronization point and the full one has */
	assert_memory_equal(bench.memory, want.memory, 12);
	wr(DSM_TRACE, (uint32_t)rd(DSM_TRACE) & ~DSM_TRACE_DISCARD);
	run(10);
	assert_int_equal(bench.writes, 128 / 4);
	wr(DSM_TRACE, (uint32_t)rd(DSM_TRACE) | DSM_TRACE_DISCARD);
	assert_int_equal(rd(DSM_TBUFWRITE), BASE);
	run(STEPS);
	assert_int_equal(bench.writes, 2 * 128 / 4);
	assert_int_equal(bench.full, 2 * (action == DSM_FULL_EXCEPTION));
	/* "0100 Trace Enabled", "version of the trace data (currently 0)" */
	assert_int_equal(bench.memory[0], 0x04);
}

TEST(full_means_stop)
{
	stops(DSM_FULL_STOP);
}

TEST(full_means_an_exception)
{
	stops(DSM_FULL_EXCEPTION);
}

TEST(stall)
{
	make(32, 1 << 1);
	set_buffer(2048);
	wr(DSM_TRACE, FLOW | DEFAULTS);
	trigger(DSM_ACTION_START);
	bench.busy = true;
	run(100);
	assert_true(bench.stalls > 0);
	want_steps(32, 7, 2048, 100, false);
	assert_int_equal(rd(DSM_TBUFWRITE), BASE + want.write);
}

/* How many packets with @header lie in a buffer that has not wrapped. */
static unsigned int count_of(unsigned int header)
{
	const struct rvtrace_debugspec_config config = { .xlen = 32, .compressed = true };
	struct rvtrace_debugspec *reader;
	struct rvtrace_debugspec_packet packet;
	unsigned int count = 0;
	int ret;

	assert_int_equal(rvtrace_debugspec_new(&config, &reader), 0);
	assert_int_equal(rvtrace_debugspec_feed(reader, bench.memory, rd(DSM_TBUFWRITE) - BASE), 0);
	while ((ret = rvtrace_debugspec_next(reader, &packet)) > 0)
		count += packet.header == header;
	assert_int_equal(ret, 0);
	rvtrace_debugspec_free(reader);
	return count;
}

/* "When 0 individual trace sequences may be dropped", "Trace Disabled must be emitted" */
TEST(no_stall)
{
	uint64_t before;

	make(32, 1 << 1);
	set_buffer(2048);
	wr(DSM_TRACE, FLOW | TO(1));
	trigger(DSM_ACTION_START);
	run(7);
	before = rd(DSM_TBUFWRITE);
	bench.busy = true;
	run(100);
	assert_int_equal(bench.stalls, 0);
	assert_int_equal(rd(DSM_TBUFWRITE), before);
	bench.busy = false;
	run(7);
	assert_true(rd(DSM_TBUFWRITE) > before);
	assert_true(bench.dsm.encoder.placed);
	assert_int_equal(count_of(RVTRACE_DEBUGSPEC_ENABLED), 1);
	assert_int_equal(count_of(RVTRACE_DEBUGSPEC_DISABLED), 1);
}

/* Another fullaction does not. */
TEST(another_emit_begins_another_trace)
{
	unsigned int branches;

	make(32, 1 << 1);
	set_buffer(2048);
	wr(DSM_TRACE, FLOW | DEFAULTS);
	trigger(DSM_ACTION_START);
	run(12);
	wr(DSM_TRACE, FLOW | DEFAULTS | FULL(DSM_FULL_STOP));
	run(12);
	wr(DSM_TRACE, EMIT(DEBUGSPEC_EMITPC) | DEFAULTS);
	branches = count_of(RVTRACE_DEBUGSPEC_TAKEN);
	assert_true(branches > 0);
	assert_int_equal(count_of(RVTRACE_DEBUGSPEC_ENABLED), 1);
	assert_int_equal(count_of(RVTRACE_DEBUGSPEC_DISABLED), 1);
	run(12);
	trigger(DSM_ACTION_STOP);
	assert_int_equal(count_of(RVTRACE_DEBUGSPEC_ENABLED), 2);
	assert_int_equal(count_of(RVTRACE_DEBUGSPEC_DISABLED), 2);
	assert_int_equal(count_of(RVTRACE_DEBUGSPEC_TAKEN), branches);
}

static void is_off_chip(unsigned int steps)
{
	want_steps(32, 7, 0, steps, true);
	assert_int_equal(4 * bench.outs, want.write);
	for (unsigned int i = 0; i < bench.outs; i++) {
		uint8_t word[4];

		put(word, 0, bench.out[i]);
		assert_memory_equal(word, want.memory + 4 * i, 4);
	}
}

TEST(off_the_chip)
{
	make(32, 1 << 1 | 1 << 2);
	set_buffer(64);
	wr(DSM_TRACE, FLOW | TO(DSM_DESTINATION_OFF_CHIP));
	bench.busy = true;
	trigger(DSM_ACTION_START);
	run(100);
	trigger(DSM_ACTION_STOP);
	assert_int_equal(bench.writes, 0);
	assert_int_equal(bench.stalls, 0);
	assert_int_equal(rd(DSM_TBUFWRITE), BASE);
	is_off_chip(100);
}

/*
 * "When tracing to RAM, it resets the trace write pointer", "If destination is 1, this register
 * contains the start address": else nothing is discarded
 */
TEST(nothing_is_discarded_off_the_chip)
{
	for (unsigned int i = 0; i < 20; i++) {
		make(32, 1 << 1 | 1 << 2);
		wr(DSM_TRACE, FLOW | TO(DSM_DESTINATION_OFF_CHIP));
		trigger(DSM_ACTION_START);
		run(i);
		wr(DSM_TRACE, FLOW | TO(DSM_DESTINATION_OFF_CHIP) | DSM_TRACE_DISCARD);
		set_buffer(64);
		run(20 - i);
		trigger(DSM_ACTION_STOP);
		is_off_chip(20);
	}
}

static unsigned int nybble(unsigned int at)
{
	return bench.memory[at / 2] >> (at % 2 * 4) & 0xf;
}

/* "4: Emit trace data for this match." */
TEST(matches)
{
	const struct ingress_access store = {
		.address = 0x1234, .data = { 0x7f }, .dtype = INGRESS_STORE, .size = 0,
	};
	const struct ingress_access load = {
		.address = 0x1230, .data = { 0x80 }, .dtype = INGRESS_LOAD, .size = 0,
	};

	make(32, 1 << 1);
	set_buffer(2048);
	wr(DSM_TRACE, DEFAULTS);
	dsm_trigger(&bench.dsm, DSM_ACTION_EMIT, 0x100, &store);
	trigger(DSM_ACTION_START);
	dsm_trigger(&bench.dsm, DSM_ACTION_EMIT, 0x100, &store);
	dsm_trigger(&bench.dsm, DSM_ACTION_EMIT, 0x104, &load);
	dsm_trigger(&bench.dsm, DSM_ACTION_EMIT, 0x108, NULL);
	trigger(DSM_ACTION_STOP);
	/* Store Address 00001234, Store Data 7f, Load Address 00001230, Load Data ffffff80, PC */
	static const uint8_t expected[] = {
		9, 7, 4, 3, 2, 1, 0, 0, 0, 0, 11, 1, 15, 7,
		8, 7, 0, 3, 2, 1, 0, 0, 0, 0, 10, 1, 0, 8,
		1, 7, 4, 8, 0, 0, 0, 0, 0, 0,
	};
	for (unsigned int i = 0; i < sizeof(expected); i++)
		assert_int_equal(nybble(i), expected[i]);
}

/* "Trace is disabled." */
TEST(debug_mode)
{
	uint64_t before;

	make(32, 1 << 1);
	set_buffer(2048);
	wr(DSM_TRACE, FLOW | DEFAULTS);
	trigger(DSM_ACTION_START);
	run(10);
	dsm_debug_mode(&bench.dsm, true);
	before = rd(DSM_TBUFWRITE);
	assert_true(before > BASE);
	run(50);
	trigger(DSM_ACTION_STOP);
	assert_int_equal(rd(DSM_TBUFWRITE), before);
	/* "No action is taken if a trigger matches." */
	dsm_debug_mode(&bench.dsm, false);
	run(50);
	assert_true(rd(DSM_TBUFWRITE) > before);
}

TEST(buffers_that_cannot_be)
{
	static const struct {
		uint64_t start;
		uint64_t end;
	} wrong[] = {
		{ BASE, BASE }, { BASE + 64, BASE }, { BASE, BASE + 63 }, { BASE, BASE + 32 },
		{ BASE + 2, BASE + 66 }, { BASE, BASE + 100 },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		make(32, 1 << 1);
		wr(DSM_TBUFSTART, wrong[i].start);
		wr(DSM_TBUFEND, wrong[i].end);
		wr(DSM_TRACE, FLOW | DEFAULTS);
		trigger(DSM_ACTION_START);
		run(STEPS);
		assert_int_equal(bench.writes, 0);
		/* it begins where the buffer can be used */
		set_buffer(64);
		run(STEPS);
		assert_true(bench.writes > 16);
	}
}

TEST(configurations)
{
	struct dsm_config config = { .xlen = 16, .destinations = 1 << 1 };
	const struct dsm_ops closed = { .room = room, .write = write_word, .full = full };

	assert_non_null(dsm_config_check(&config, &ops));
	config.xlen = 32;
	assert_null(dsm_config_check(&config, &ops));
	config.destinations = 1;
	assert_non_null(dsm_config_check(&config, &ops));
	config.destinations = 1 << 2;
	assert_null(dsm_config_check(&config, &ops));
	assert_non_null(dsm_config_check(&config, &closed));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_after_reset),
		cmocka_unit_test(fields),
		cmocka_unit_test(a_trace_from_start_to_stop),
		cmocka_unit_test(full_means_wrap),
		cmocka_unit_test(full_means_stop),
		cmocka_unit_test(full_means_an_exception),
		cmocka_unit_test(stall),
		cmocka_unit_test(no_stall),
		cmocka_unit_test(another_emit_begins_another_trace),
		cmocka_unit_test(off_the_chip),
		cmocka_unit_test(nothing_is_discarded_off_the_chip),
		cmocka_unit_test(matches),
		cmocka_unit_test(debug_mode),
		cmocka_unit_test(buffers_that_cannot_be),
		cmocka_unit_test(configurations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
