// SPDX-License-Identifier: GPL-2.0
/* Encoder whose teFormat 7 is CDL, or the trace of the debug specification. */
#include <string.h>

#include "selftests/unit/model-encoder-fixture.h"
#include "tools/encode/cdl.h"
#include "tools/encode/debugspec.h"

#define VENDOR		(7u << 24)
#define PIECES		3
#define STEPS		400

/* What an encoder of its own makes of the same blocks */
static struct {
	uint8_t bytes[65536];
	size_t size;
} want;

static bool keep(void *opaque, const uint8_t *bytes, size_t size)
{
	(void)opaque;
	assert_true(want.size + size <= sizeof(want.bytes));
	memcpy(want.bytes + want.size, bytes, size);
	want.size += size;
	return true;
}

static void keep_word(void *opaque, uint32_t word)
{
	const uint8_t bytes[] = { word, word >> 8, word >> 16, word >> 24 };

	keep(opaque, bytes, sizeof(bytes));
}

static void configure(enum te_vendor vendor)
{
	memset(&want, 0, sizeof(want));
	bench.config.formats |= 1u << RVTRACE_FORMAT_VENDOR;
	bench.config.vendor.format = vendor;
	bench.config.etrace.iaddress_width = 32;
}

/* Instruction @i of a program that jumps, branches, traps and returns */
static struct ingress_block step_of(unsigned int i)
{
	static const uint8_t itypes[] = {
		INGRESS_NONE, INGRESS_BRANCH_TAKEN, INGRESS_NONE, INGRESS_BRANCH_NOT_TAKEN,
		INGRESS_INDIRECT_CALL, INGRESS_NONE, INGRESS_EXCEPTION, INGRESS_TRAP_RETURN,
		INGRESS_NONE, INGRESS_NONE, INGRESS_RETURN,
	};
	struct ingress_block block = {
		.start = bench.pc,
		.halfwords = 2,
		.last_size = 2,
		.itype = itypes[i % sizeof(itypes)],
		.target = bench.pc + 4,
		.time = i,
		.cycles = bench.now,
		.cause = 2,
		.context = { .priv = INGRESS_PRIV_M },
	};

	if (block.itype != INGRESS_NONE && block.itype != INGRESS_BRANCH_NOT_TAKEN)
		block.target = 0x80000000u | ((i * 2654435761u) & 0xffff0) | 0x100;
	return block;
}

static void retire(struct ingress_block block)
{
	bench.pc = block.target;
	te_model_retire(bench.te, &block);
}

static void trace_on(uint32_t more)
{
	set_control(ACTIVE | MODE(6) | FUNNEL | VENDOR | ENABLE | more);
	set_control(ACTIVE | MODE(6) | FUNNEL | VENDOR | ON | more);
	answer();
}

static void trace_off(uint32_t more)
{
	set_control(ACTIVE | MODE(6) | FUNNEL | VENDOR | ENABLE | more);
	answer();
	pass(bench.config.component.empty_delay);
}

static void expect_wanted(void)
{
	size_t at = 0;

	for (size_t i = 0; i < bench.sent.count; i++) {
		assert_true(at + bench.sent.size[i] <= want.size);
		assert_memory_equal(bench.sent.bytes[i], want.bytes + at, bench.sent.size[i]);
		at += bench.sent.size[i];
	}
	assert_int_equal(at, want.size);
}

static struct te_stats stats(void)
{
	struct te_stats s;

	te_model_stats(bench.te, &s);
	return s;
}

TEST(cdl_is_what_its_encoder_makes)
{
	const struct cdl_params params = {
		.flavour = CDL_RTL, .xlen = 32, .pc = true, .sync_interval = 64,
	};
	struct cdl_encoder encoder;

	configure(TE_VENDOR_CDL);
	bench.config.vendor.cdl_flavour = CDL_RTL;
	bench.config.vendor.cdl_interval = 64;
	activate();
	cdl_encoder_init(&encoder, &params, keep, NULL);
	for (unsigned int piece = 0; piece < PIECES; piece++) {
		trace_on(0);
		assert_true(te_model_needs_instructions(bench.te));
		cdl_encoder_start(&encoder);
		for (unsigned int i = 0; i < STEPS; i++) {
			struct ingress_block block = step_of(i);

			assert_true(cdl_encoder_block(&encoder, &block));
			retire(block);
		}
		trace_off(0);
		cdl_encoder_stop(&encoder);
	}
	expect_wanted();
	assert_true(want.size > 1000);
}

/* What is sent when it is enabled for a while, with half as many nybbles as lie between zeros */
static size_t send_a_little(void)
{
	size_t first = bench.sent.count;

	trace_on(0);
	bench.pc = 0x100;
	for (unsigned int i = 0; i < 20; i++)
		retire(step_of(i));
	trace_off(0);
	set_control(ACTIVE | MODE(6) | FUNNEL | VENDOR);
	pass(bench.config.component.empty_delay);
	assert_true(bench.sent.count > first);
	return first;
}

/* "quad-nybbles of zero", where the ring begins: enabled again it goes on where it was. */
TEST(cdl_begins_anew_when_it_is_released)
{
	static const uint8_t zeros[2];
	size_t first;

	configure(TE_VENDOR_CDL);
	activate();
	first = send_a_little();
	assert_memory_equal(bench.sent.bytes[first], zeros, sizeof(zeros));
	first = send_a_little();
	assert_memory_not_equal(bench.sent.bytes[first], zeros, sizeof(zeros));
	set_control(0);
	set_control(ACTIVE);
	first = send_a_little();
	assert_memory_equal(bench.sent.bytes[first], zeros, sizeof(zeros));
}

/* Of tp (x4), by the instruction that wrote it; M-mode's do not count. */
TEST(cdl_tells_of_threads)
{
	const struct ingress_context machine = { .priv = INGRESS_PRIV_M };
	const struct ingress_context supervisor = { .priv = INGRESS_PRIV_S };
	const struct cdl_params params = {
		.flavour = CDL_DOC, .xlen = 32, .pc = true, .rfw = true, .sync_interval = 128,
	};
	struct cdl_encoder encoder;

	configure(TE_VENDOR_CDL);
	bench.config.vendor.cdl_threads = true;
	activate();
	assert_false(te_model_hears_threads(bench.te));
	trace_on(0);
	assert_true(te_model_hears_threads(bench.te));
	cdl_encoder_init(&encoder, &params, keep, NULL);
	cdl_encoder_start(&encoder);
	for (unsigned int i = 0; i < STEPS; i++) {
		struct ingress_block block = step_of(i);
		struct cdl_insn insn = { .pc = block.start, .rfw_rd = 4, .rfw_data = i };

		block.itype = i % 7 ? INGRESS_NONE : INGRESS_BRANCH_TAKEN;
		insn.target = block.target;
		insn.change = i % 7 ? CDL_SEQUENTIAL : CDL_BRANCH_TAKEN;
		insn.rfw_valid = i % 5 == 2;
		cdl_encoder_insn(&encoder, &insn);
		retire(block);
		if (insn.rfw_valid)
			te_model_thread(bench.te, i, &supervisor, i, bench.now);
		te_model_thread(bench.te, 99, &machine, i, bench.now);
	}
	trace_off(0);
	assert_false(te_model_hears_threads(bench.te));
	cdl_encoder_stop(&encoder);
	expect_wanted();
	assert_true(want.size > 300);
}

/* It could not tell of a loss, so there is none, teInstStallEn or not. */
TEST(cdl_waits)
{
	configure(TE_VENDOR_CDL);
	bench.config.fifo_size = 128;
	activate();
	trace_on(0);
	bench.full = true;
	for (unsigned int i = 0; i < STEPS; i++)
		retire(step_of(i));
	assert_int_equal(stats().overflows, 0);
	assert_true(stats().stalls > 1);
}

static void make_debugspec(uint32_t more, bool full)
{
	configure(TE_VENDOR_DEBUGSPEC);
	bench.config.vendor.emit = DEBUGSPEC_EMITPC | DEBUGSPEC_EMITBRANCH | DEBUGSPEC_EMITPRIV |
				   DEBUGSPEC_EMITTIMESTAMP;
	bench.config.vendor.buffer = 256;
	bench.config.fifo_size = 128;
	activate();
	trace_on(more);
	bench.full = full;
	for (unsigned int i = 0; i < STEPS; i++)
		retire(step_of(i));
}

TEST(debugspec_is_what_its_encoder_makes)
{
	const struct debugspec_params params = {
		.xlen = 32, .compressed = true,
		.emit = DEBUGSPEC_EMITPC | DEBUGSPEC_EMITBRANCH | DEBUGSPEC_EMITPRIV |
			DEBUGSPEC_EMITTIMESTAMP,
	};
	const struct ingress_context machine = { .priv = INGRESS_PRIV_M };
	struct debugspec_encoder encoder;
	struct debugspec_stream stream;

	make_debugspec(0, false);
	assert_true(te_model_needs_sizes(bench.te));
	assert_false(te_model_needs_instructions(bench.te));
	trace_off(0);
	debugspec_stream_init(&stream, 256, false, keep_word, NULL, NULL);
	bench.pc = 0x100;
	for (unsigned int piece = 0; piece < PIECES; piece++) {
		debugspec_encoder_init(&encoder, &params, &stream);
		debugspec_encoder_start(&encoder, &machine);
		if (piece)
			trace_on(0);
		for (unsigned int i = 0; i < STEPS; i++) {
			struct ingress_block block = step_of(i);

			debugspec_encoder_block(&encoder, &block);
			if (piece)
				retire(block);
			bench.pc = block.target;
		}
		debugspec_encoder_stop(&encoder);
		debugspec_stream_flush(&stream);
		if (piece)
			trace_off(0);
	}
	expect_wanted();
	assert_true(want.size > 1000);
}

/* "Data Dropped": Trace Disabled tells of it, and teInstStallOrOverflow. */
TEST(debugspec_tells_of_losses)
{
	size_t lost;

	make_debugspec(0, true);
	assert_true(stats().overflows > 0);
	assert_int_equal(stats().stalls, 0);
	assert_int_equal(control() & OVERFLOW, 0);
	lost = bench.sent.count;
	bench.full = false;
	for (unsigned int i = 0; i < STEPS; i++)
		retire(step_of(i));
	assert_int_equal(control() & OVERFLOW, OVERFLOW);
	assert_true(bench.sent.count > lost);
}

TEST(debugspec_waits_with_stall_enable)
{
	make_debugspec(STALL_EN, true);
	assert_int_equal(stats().overflows, 0);
	assert_true(stats().stalls > 1);
}

static void expect_wrong(const char *part)
{
	const char *wrong = te_config_check(&bench.config);

	assert_non_null(wrong);
	assert_non_null(strstr(wrong, part));
}

TEST(what_cannot_be_is_refused)
{
	configure(TE_VENDOR_NONE);
	expect_wrong("formats has 7 without vendor");
	configure(TE_VENDOR_DEBUGSPEC + 1);
	expect_wrong("vendor is not 0 to 2");
	configure(TE_VENDOR_CDL);
	bench.config.vendor.cdl_flavour = 2;
	expect_wrong("cdl_flavour");
	configure(TE_VENDOR_CDL);
	bench.config.vendor.cdl_flavour = CDL_DOC;
	bench.config.vendor.cdl_interval = 60;
	expect_wrong("sync_interval");
	bench.config.vendor.cdl_interval = 64;
	assert_null(te_config_check(&bench.config));
	bench.config.etrace.iaddress_width = 64;
	expect_wrong("sync_interval");
	configure(TE_VENDOR_DEBUGSPEC);
	bench.config.vendor.buffer = 64;
	assert_null(te_config_check(&bench.config));
	bench.config.etrace.iaddress_width = 64;
	expect_wrong("buffer");
	bench.config.vendor.buffer = 100;
	expect_wrong("buffer");
	bench.config.vendor.buffer = 0;
	bench.config.vendor.emit = 0;
	expect_wrong("nothing");
	bench.config.vendor.emit = 0x107;
	expect_wrong("emit");
	bench.config.vendor.emit = 7;
	bench.config.filter_machine = true;
	expect_wrong("filtered");
	bench.config.filter_machine = false;
	bench.config.formats = 1 << RVTRACE_FORMAT_NTRACE;
	expect_wrong("vendor is there without it");
}

/* Not legal where there is none */
TEST(no_vendor_no_format)
{
	activate();
	set_control(ACTIVE | MODE(6) | FUNNEL | VENDOR);
	assert_int_not_equal(control() & VENDOR, VENDOR);
}

#define RUN(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(cdl_is_what_its_encoder_makes),
		RUN(cdl_begins_anew_when_it_is_released),
		RUN(cdl_tells_of_threads),
		RUN(cdl_waits),
		RUN(debugspec_is_what_its_encoder_makes),
		RUN(debugspec_tells_of_losses),
		RUN(debugspec_waits_with_stall_enable),
		RUN(what_cannot_be_is_refused),
		RUN(no_vendor_no_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
