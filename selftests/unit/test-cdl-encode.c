// SPDX-License-Identifier: GPL-2.0
/* CDL compressed trace encoder: instructions to nybbles, recorder, circular buffers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cdl-text.h"
#include "tools/encode/cdl.h"

static uint8_t stream[4096];
static size_t stream_size;
static struct cdl_encoder encoder;

static bool keep(void *opaque, const uint8_t *bytes, size_t size)
{
	(void)opaque;
	assert_true(stream_size + size <= sizeof(stream));
	memcpy(stream + stream_size, bytes, size);
	stream_size += size;
	return true;
}

static void begin(const struct cdl_params *params)
{
	assert_null(cdl_params_check(params));
	stream_size = 0;
	cdl_encoder_init(&encoder, params, keep, NULL);
	cdl_encoder_start(&encoder);
}

static void begin_flavour(unsigned int flavour)
{
	const struct cdl_params params = {
		.flavour = flavour, .xlen = 32, .pc = true, .rfw = true, .tracepoints = true,
	};

	begin(&params);
}

/* @count instructions of 4 bytes from @pc on; the last one goes to @target. */
static void run(uint64_t pc, unsigned int count, unsigned int change, uint64_t target)
{
	for (unsigned int i = 0; i < count; i++) {
		const struct cdl_insn insn = {
			.pc = pc + 4 * i, .target = target,
			.change = i + 1 < count ? CDL_SEQUENTIAL : change,
		};

		cdl_encoder_insn(&encoder, &insn);
	}
}

/* The stream is @text, filled up with Skips. */
static void is_stream(const char *text)
{
	uint8_t expected[512] = { 0 };
	size_t size;

	cdl_encoder_stop(&encoder);
	size = (cdl_bytes(text, expected) + 3) / 4 * 4;
	assert_int_equal(stream_size, size);
	assert_memory_equal(stream, expected, size);
}

/* "the compressed trace may record a sequential control field (... *prior* to this cycle ...)" */
static void text_counts_what_is_before_the_jump(void **state)
{
	(void)state;
	begin_flavour(CDL_DOC);
	run(0x100, 3, CDL_BRANCH_TAKEN, 0x200);
	run(0x200, 1, CDL_JAL, 0x300);
	run(0x300, 8, CDL_JALR, 0x1234);
	run(0x1234, 9, CDL_SEQUENTIAL, 0);
	is_stream("c2 0010 2 8 c2 0020 9 c2 0030 7 9 c2 4321 7 2");
}

/* What the hardware sends: SSS counts all, and is left out for a jump alone. */
static void hardware_counts_all(void **state)
{
	(void)state;
	begin_flavour(CDL_RTL);
	run(0x100, 3, CDL_BRANCH_TAKEN, 0x200);
	run(0x200, 1, CDL_JAL, 0x300);
	run(0x300, 5, CDL_JALR, 0x1234);
	run(0x1234, 9, CDL_SEQUENTIAL, 0);
	/* the jump at 0x200 comes before the PC that led there, and is in SSS 6 as well */
	is_stream("e1 0010 3 8 8 e1 0020 e1 0030 6 9 e1 4321 7 2");
}

/* A jump behind SSS 7 would be taken for the seventh: a Skip, but not in plain hardware. */
static void skip_keeps_cycles_apart(void **state)
{
	const struct cdl_params plain = {
		.flavour = CDL_RTL, .xlen = 32, .pc = true, .plain = true,
	};

	(void)state;
	begin_flavour(CDL_RTL);
	run(0x100, 7, CDL_SEQUENTIAL, 0);
	run(0x11c, 1, CDL_JAL, 0x300);
	run(0x300, 1, CDL_SEQUENTIAL, 0);
	is_stream("e1 0010 7 0 8 e1 0030 2");
	begin(&plain);
	run(0x100, 7, CDL_SEQUENTIAL, 0);
	run(0x11c, 1, CDL_JAL, 0x300);
	run(0x300, 1, CDL_SEQUENTIAL, 0);
	is_stream("e1 0010 7 8 e1 0030 2");
	begin_flavour(CDL_RTL);
	run(0x100, 7, CDL_JAL, 0x300);
	run(0x300, 1, CDL_SEQUENTIAL, 0);
	is_stream("e1 0010 7 8 e1 0030 1");
}

/* "1010: an exception or interrupt was taken", "1011: a return from exception was taken" */
static void traps_and_returns(void **state)
{
	(void)state;
	begin_flavour(CDL_DOC);
	run(0x100, 2, CDL_TRAP, 0x500);
	run(0x500, 2, CDL_RET, 0x104);
	is_stream("c2 0010 1 a c2 0050 1 b c2 4010");
	begin_flavour(CDL_RTL);
	run(0x100, 2, CDL_TRAP, 0x500);
	run(0x500, 2, CDL_RET, 0x104);
	is_stream("e1 0010 2 a e1 0050 2 b e1 4010");
}

/* "then data, then trace": one field of data in a cycle. */
static void registers_and_trace_points(void **state)
{
	const struct cdl_insn jal = {
		.pc = 0x100, .target = 0x200, .change = CDL_JAL, .rfw_valid = true, .rfw_rd = 1,
		.rfw_data = 0x104, .tracepoint_valid = true, .tracepoint = 9,
	};
	struct cdl_insn add = jal;

	(void)state;
	add.pc = 0x200;
	add.change = CDL_SEQUENTIAL;
	add.rfw_rd = 31;
	begin_flavour(CDL_DOC);
	cdl_encoder_insn(&encoder, &jal);
	cdl_encoder_insn(&encoder, &add);
	is_stream("c2 0010 9 cb 104010 d9 c2 0020 cb f14010 d9 1");
	begin_flavour(CDL_RTL);
	cdl_encoder_insn(&encoder, &jal);
	cdl_encoder_insn(&encoder, &add);
	is_stream("8 d9 e1 0010 ea 104010 d9 e1 0020 ea f14010 2");
	/* a trace point of the target, not of the jump */
	add.rfw_valid = false;
	begin_flavour(CDL_DOC);
	run(0x100, 1, CDL_JALR, 0x200);
	cdl_encoder_insn(&encoder, &add);
	is_stream("c2 0010 9 c2 0020 0 d9 1");
}

/* "configurable so that the packed trace includes": what is off is not there. */
static void what_is_off_is_not_sent(void **state)
{
	const struct cdl_params params = { .flavour = CDL_DOC, .xlen = 32 };
	const struct cdl_insn jal = {
		.pc = 0x100, .target = 0x200, .change = CDL_JAL, .rfw_valid = true,
		.tracepoint_valid = true,
	};

	(void)state;
	begin(&params);
	cdl_encoder_insn(&encoder, &jal);
	run(0x200, 2, CDL_SEQUENTIAL, 0);
	is_stream("9 2");
}

/* "inserting quad-nybbles of zero between cycles of data ... at regular intervals" */
static void recorder_puts_quads_between_cycles(void **state)
{
	const struct cdl_params params = {
		.flavour = CDL_DOC, .xlen = 32, .pc = true, .sync_interval = 64,
	};

	(void)state;
	begin(&params);
	for (unsigned int i = 0; i < 14; i++)
		run(0x100, 2, CDL_BRANCH_TAKEN, 0x100);
	/* seven cycles of 8 nybbles behind the first PC, then Skips up to the next place */
	is_stream("0000 c2 0010 18c20010 18c20010 18c20010 18c20010 18c20010 18c20010 000000"
		  "0000 18c20010 18c20010 18c20010 18c20010 18c20010 18c20010 18c20010 0000"
		  "0000 18c20010");
}

/* So that the first PC behind a place can be used, whatever the jump's own cycle has instead. */
static void no_place_parts_a_jump_from_its_pc(void **state)
{
	const struct cdl_params params = {
		.flavour = CDL_DOC, .xlen = 32, .pc = true, .rfw = true, .sync_interval = 64,
	};
	const struct cdl_insn jal = {
		.pc = 0x100, .target = 0x200, .change = CDL_JAL, .rfw_valid = true, .rfw_rd = 1,
	};

	(void)state;
	begin(&params);
	for (unsigned int i = 0; i < 6; i++)
		run(0x100, 2, CDL_BRANCH_TAKEN, 0x100);
	cdl_encoder_insn(&encoder, &jal);
	/* 6 nybbles are left for the 5 of the jump */
	is_stream("0000 c2 0010 18c20010 18c20010 18c20010 18c20010 18c20010 18c20010 000000"
		  "0000 9 c9 10 c2 0020");
}

/* "defined to be recorded little-endian; hence the first nybble is in the lowest data nybble" */
static void first_nybble_is_the_lowest(void **state)
{
	struct cdl_recorder recorder = { .emit = keep };
	const uint8_t nybbles[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	const uint8_t expected[4] = { 0x21, 0x43, 0x65, 0x87 };

	(void)state;
	stream_size = 0;
	cdl_record(&recorder, nybbles, 8, 0);
	assert_int_equal(stream_size, 4);
	assert_memory_equal(stream, expected, 4);
}

/* "On overflow the circular buffer could halt recording, or it may continue to overwrite" */
static void buffers_stop_or_wrap(void **state)
{
	uint8_t memory[8] = { 0 };
	struct cdl_buffer buffer = { .bytes = memory, .size = 8, .mode = CDL_STOP };
	const uint8_t words[3][4] = { { 1 }, { 2 }, { 3 } };

	(void)state;
	assert_true(cdl_buffer_emit(&buffer, words[0], 4));
	assert_true(cdl_buffer_emit(&buffer, words[1], 4));
	assert_true(buffer.stopped);
	assert_false(cdl_buffer_emit(&buffer, words[2], 4));
	assert_int_equal(memory[0], 1);
	assert_int_equal(buffer.write, 8);
	buffer = (struct cdl_buffer) { .bytes = memory, .size = 8, .mode = CDL_OVERWRITE };
	for (unsigned int i = 0; i < 3; i++)
		assert_true(cdl_buffer_emit(&buffer, words[i], 4));
	assert_true(buffer.wrapped);
	assert_int_equal(buffer.write, 4);
	assert_int_equal(memory[0], 3);
	assert_int_equal(memory[4], 2);
}

/* The ingress port does not tell how many instructions there are. */
static void blocks_have_one_instruction(void **state)
{
	struct ingress_block block = { .start = 0x100, .halfwords = 2, .last_size = 2 };

	(void)state;
	begin_flavour(CDL_DOC);
	assert_true(cdl_encoder_block(&encoder, &block));
	block = (struct ingress_block) {
		.start = 0x104, .halfwords = 2, .last_size = 2, .itype = INGRESS_EXCEPTION,
		.target = 0x500,
	};
	assert_true(cdl_encoder_block(&encoder, &block));
	block = (struct ingress_block) { .start = 0x500, .halfwords = 4, .last_size = 2 };
	assert_false(cdl_encoder_block(&encoder, &block));
	is_stream("c2 0010 2 a c2 0050");
}

static void parameters_are_checked(void **state)
{
	static const struct cdl_params wrong[] = {
		{ .xlen = 48 }, { .xlen = 32, .rv64 = true }, { .xlen = 64 },
		{ .xlen = 32, .sync_interval = 60 }, { .xlen = 32, .sync_interval = 56 },
		{ .xlen = 64, .rv64 = true, .sync_interval = 64 }, { .xlen = 32, .flavour = 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_non_null(cdl_params_check(&wrong[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_counts_what_is_before_the_jump),
		cmocka_unit_test(hardware_counts_all),
		cmocka_unit_test(skip_keeps_cycles_apart),
		cmocka_unit_test(traps_and_returns),
		cmocka_unit_test(registers_and_trace_points),
		cmocka_unit_test(what_is_off_is_not_sent),
		cmocka_unit_test(recorder_puts_quads_between_cycles),
		cmocka_unit_test(no_place_parts_a_jump_from_its_pc),
		cmocka_unit_test(first_nybble_is_the_lowest),
		cmocka_unit_test(buffers_stop_or_wrap),
		cmocka_unit_test(blocks_have_one_instruction),
		cmocka_unit_test(parameters_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
