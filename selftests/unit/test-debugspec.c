// SPDX-License-Identifier: GPL-2.0
/*
 * Packet layer of the debug specification's trace, and its encoder: what a stream says, and how it
 * is written. Comments quote the sentences that are checked.
 */
#include "debugspec-fixture.h"

#define ALL	UINT64_MAX

static const struct debugspec_params encoder64 = { .xlen = 64, .compressed = true, .emit = 0xff };

/*
 * "0100 Trace Enabled: Followed by a single packet indicating the version of the trace data
 * (currently 0)." "0001 PC: Followed by a Value Sequence containing bits XLEN-1:1 of the PC if the
 * compressed ISA is supported"
 */
static void enabled_pc_and_branches(void **state)
{
	static const uint8_t bytes[] = { 0x04, 0xf1, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00,
					 0x32, 0x00 };
	struct rvtrace_debugspec *reader = reader_of(&rv64, bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(next_of(reader, RVTRACE_DEBUGSPEC_ENABLED).value, 0);
	is_value(reader, RVTRACE_DEBUGSPEC_PC, 0x80000000, ALL);
	assert_int_equal(next_of(reader, RVTRACE_DEBUGSPEC_TAKEN).offset, 20);
	assert_int_equal(next_of(reader, RVTRACE_DEBUGSPEC_NOT_TAKEN).offset, 21);
	next_of(reader, RVTRACE_DEBUGSPEC_NOP);
	next_of(reader, RVTRACE_DEBUGSPEC_NOP);
	ends(reader);
	begin_writing(&encoder64, 0, false);
	put_packet(DEBUGSPEC_TRACE_ENABLED, 0);
	debugspec_encoder_value(&written.encoder, DEBUGSPEC_KIND_PC, 0x80000000);
	put_header(DEBUGSPEC_BRANCH_TAKEN);
	put_header(DEBUGSPEC_BRANCH_NOT_TAKEN);
	is_written(bytes, sizeof(bytes));
}

/* Two more packets, behind the PC 0x80000000. */
static void check_short_pc(const struct rvtrace_debugspec_config *config, bool compressed,
			   uint64_t pc)
{
	struct debugspec_params params = { .xlen = 64, .compressed = compressed, .emit = 0xff };
	struct rvtrace_debugspec *reader;

	begin_writing(&params, 0, false);
	debugspec_encoder_value(&written.encoder, DEBUGSPEC_KIND_PC, 0x80000000);
	debugspec_encoder_value(&written.encoder, DEBUGSPEC_KIND_PC, pc);
	debugspec_stream_flush(&written.stream);
	assert_memory_equal(written.bytes + 9, ((const uint8_t[]){ 0x11, 0x92 }), 2);
	reader = reader_of(config, written.bytes, written.size);
	is_value(reader, RVTRACE_DEBUGSPEC_PC, 0x80000000, ALL);
	is_value(reader, RVTRACE_DEBUGSPEC_PC, pc, ALL);
	ends(reader);
}

/* "Missing bits must be filled in with the last PC value." */
static void pc_is_filled_with_the_last_one(void **state)
{
	(void)state;
	check_short_pc(&rv64, true, 0x80000124);
}

/* "or bits XLEN-1:2 of the PC if the compressed ISA is not supported" */
static void pc_without_compressed_isa_begins_with_bit_2(void **state)
{
	(void)state;
	check_short_pc(&rv64_uncompressed, false, 0x80000248);
}

/* "1010 Load Data: ... Missing bits must be filled in by sign extending the value." */
static void data_are_sign_extended(void **state)
{
	static const uint8_t bytes[] = { 0x0a, 0xaf, 0x70, 0x1a, 0x08 };
	struct rvtrace_debugspec *reader = reader_of(&rv64, bytes, sizeof(bytes));

	(void)state;
	is_value(reader, RVTRACE_DEBUGSPEC_LOAD_DATA, -1ull, ALL);
	is_value(reader, RVTRACE_DEBUGSPEC_LOAD_DATA, 7, ALL);
	is_value(reader, RVTRACE_DEBUGSPEC_LOAD_DATA, 8, ALL);
	ends(reader);
	begin_writing(&encoder64, 0, false);
	debugspec_encoder_data(&written.encoder, DEBUGSPEC_LOADED, -1ull, 64);
	debugspec_encoder_data(&written.encoder, DEBUGSPEC_LOADED, 7, 64);
	debugspec_encoder_data(&written.encoder, DEBUGSPEC_LOADED, 8, 64);
	is_written(bytes, sizeof(bytes));
}

/*
 * "0110 Privilege Level: ... an interrupt (1) or something else (0) in bit 3, PRV[1:0] in bits 2:1,
 * and IE in bit 0." "0111 Change Hart: ... Missing bits must be filled in with 0."
 */
static void privilege_hart_and_store(void **state)
{
	static const uint8_t bytes[] = { 0xe6, 0x07, 0x92, 0x41, 0xb3, 0x50 };
	struct rvtrace_debugspec *reader = reader_of(&rv64, bytes, sizeof(bytes));
	struct rvtrace_debugspec_packet packet;

	(void)state;
	packet = next_of(reader, RVTRACE_DEBUGSPEC_PRIVILEGE);
	assert_true(packet.value & RVTRACE_DEBUGSPEC_INTERRUPT);
	assert_int_equal(RVTRACE_DEBUGSPEC_PRV(packet.value), 3);
	assert_false(packet.value & RVTRACE_DEBUGSPEC_IE);
	assert_int_equal(packet.hart, 0);
	assert_int_equal(next_of(reader, RVTRACE_DEBUGSPEC_HART).hart, 2);
	packet = next_of(reader, RVTRACE_DEBUGSPEC_STORE_ADDRESS);
	assert_int_equal(packet.value, 0x34);
	assert_int_equal(packet.known, 0xff);
	assert_true(packet.partial);
	assert_int_equal(packet.hart, 2);
	is_value(reader, RVTRACE_DEBUGSPEC_STORE_DATA, 5, ALL);
	ends(reader);
	begin_writing(&encoder64, 0, false);
	put_packet(DEBUGSPEC_PRIVILEGE_LEVEL, 1 << 3 | 3 << 1);
	written.encoder.params.hart = 2;
	/* as behind a 0 */
	written.encoder.full[DEBUGSPEC_KIND_STORE] = 0;
	debugspec_encoder_value(&written.encoder, DEBUGSPEC_KIND_STORE, 0x34);
	debugspec_encoder_data(&written.encoder, DEBUGSPEC_STORED, 5, 64);
	is_written(bytes, sizeof(bytes));
}

/* "It is followed by N+1 4-bit packets which contain the value.": needs 4, there are 2 */
static void truncated_value_is_pending(void **state)
{
	struct rvtrace_debugspec *reader = reader_of(&rv64, BYTES(0x3c, 0x21));
	struct rvtrace_debugspec_packet packet;
	uint64_t offset = 1;

	(void)state;
	assert_int_equal(rvtrace_debugspec_next(reader, &packet), 0);
	assert_int_equal(rvtrace_debugspec_pending(reader, &offset), 4);
	assert_int_equal(offset, 0);
	/* and the rest of it */
	assert_int_equal(rvtrace_debugspec_feed(reader, BYTES(0x43)), 0);
	packet = next_of(reader, RVTRACE_DEBUGSPEC_TIMESTAMP);
	assert_int_equal(packet.value, 0x4321);
	assert_int_equal(packet.known, 0xffff);
	ends(reader);
}

/* Of one hart, where Change Hart was lost; the next one counts. */
static void first_packets_are_of_the_first_hart(void **state)
{
	struct rvtrace_debugspec_config config = rv64;
	struct rvtrace_debugspec *reader;
	struct rvtrace_debugspec_packet packet;

	(void)state;
	config.first_hart = 5;
	config.sync_interval = 8;
	config.sync_offset = 2;
	reader = reader_of(&config, BYTES(0xff, 0x72, 0x10, 0x02));
	packet = next_of(reader, RVTRACE_DEBUGSPEC_TAKEN);
	assert_true(packet.has_hart);
	assert_int_equal(packet.hart, 5);
	assert_int_equal(next_of(reader, RVTRACE_DEBUGSPEC_HART).hart, 1);
	assert_int_equal(next_of(reader, RVTRACE_DEBUGSPEC_TAKEN).hart, 1);
	ends(reader);
	config.first_hart = RVTRACE_DEBUGSPEC_HARTS;
	assert_int_equal(rvtrace_debugspec_new(&config, &reader), RVTRACE_ERR_INVALID);
}

/* Behind a reserved header nothing can be read up to the next point, if there is one. */
static void rest_without_a_point_is_lost(void **state)
{
	struct rvtrace_debugspec_config config = rv64;

	(void)state;
	for (unsigned int points = 0; points < 2; points++) {
		struct rvtrace_debugspec_packet packet;
		struct rvtrace_debugspec *reader;
		uint64_t offset;

		config.sync_interval = points ? 8 : 0;
		reader = reader_of(&config, BYTES(0x02, 0x2d, 0x22, 0x22, 0x22, 0x22));
		next_of(reader, RVTRACE_DEBUGSPEC_TAKEN);
		next_of(reader, RVTRACE_DEBUGSPEC_NOP);
		assert_int_equal(rvtrace_debugspec_lost(reader, &offset), 0);
		fails(reader, RVTRACE_ERR_HEADER);
		while (rvtrace_debugspec_next(reader, &packet) > 0)
			assert_true(points);
		assert_int_equal(rvtrace_debugspec_lost(reader, &offset), points ? 0 : 9);
		assert_int_equal(offset, 3);
		rvtrace_debugspec_free(reader);
	}
}

/* "The first packet contains bits 3:0 of the value. The next packet contains bits 7:4" */
static void values_have_4_to_64_bits(void **state)
{
	(void)state;
	for (unsigned int digits = 1; digits <= 16; digits++) {
		uint64_t value = 0xfedcba9876543217ull & (ALL >> (64 - 4 * digits));
		struct debugspec_sequence sequence;
		struct rvtrace_debugspec *reader;
		struct rvtrace_debugspec_packet packet;

		begin_writing(&encoder64, 0, false);
		debugspec_value(&sequence, DEBUGSPEC_LOAD_ADDR, value, digits);
		assert_true(debugspec_stream_put(&written.stream, 0, &sequence));
		debugspec_stream_flush(&written.stream);
		assert_int_equal(written.bytes[0] >> 4, digits - 1);
		assert_int_equal(written.bytes[1] & 15, 7);
		reader = reader_of(&rv64, written.bytes, written.size);
		packet = next_of(reader, RVTRACE_DEBUGSPEC_LOAD_ADDRESS);
		assert_int_equal(packet.digits, digits);
		assert_int_equal(packet.size, digits + 2);
		assert_int_equal(packet.sent, value);
		assert_int_equal(packet.known, ALL >> (64 - 4 * digits));
		assert_int_equal(packet.partial, digits < 16);
		ends(reader);
	}
}

/*
 * "1000 Load Address: ... filled in with the last Load Address value." "1001 Store Address: ...
 * with the last Store Address value." "1100 Timestamp: ... with the last Timestamp value."
 */
static void each_kind_is_filled_with_its_own_last_value(void **state)
{
	static const struct {
		enum debugspec_kind kind;
		uint64_t value;
		uint8_t header;
		uint8_t digits;
	} steps[] = {
		{ DEBUGSPEC_KIND_LOAD, 0x1111222233334444, RVTRACE_DEBUGSPEC_LOAD_ADDRESS, 16 },
		{ DEBUGSPEC_KIND_STORE, 0x5555666677778888, RVTRACE_DEBUGSPEC_STORE_ADDRESS, 16 },
		{ DEBUGSPEC_KIND_TIME, 0x99aabbccddee, RVTRACE_DEBUGSPEC_TIMESTAMP, 16 },
		{ DEBUGSPEC_KIND_PC, 0xffffffff80001234, RVTRACE_DEBUGSPEC_PC, 16 },
		{ DEBUGSPEC_KIND_LOAD, 0x1111222233334440, RVTRACE_DEBUGSPEC_LOAD_ADDRESS, 1 },
		{ DEBUGSPEC_KIND_STORE, 0x5555666677770000, RVTRACE_DEBUGSPEC_STORE_ADDRESS, 4 },
		{ DEBUGSPEC_KIND_TIME, 0x99aabbccddff, RVTRACE_DEBUGSPEC_TIMESTAMP, 2 },
		{ DEBUGSPEC_KIND_PC, 0xffffffff80001034, RVTRACE_DEBUGSPEC_PC, 3 },
	};
	struct rvtrace_debugspec *reader;

	(void)state;
	begin_writing(&encoder64, 0, false);
	for (unsigned int i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		debugspec_encoder_value(&written.encoder, steps[i].kind, steps[i].value);
	debugspec_stream_flush(&written.stream);
	reader = reader_of(&rv64, written.bytes, written.size);
	for (unsigned int i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct rvtrace_debugspec_packet packet = next_of(reader, steps[i].header);

		assert_int_equal(packet.value, steps[i].value);
		assert_int_equal(packet.digits, steps[i].digits);
		assert_false(packet.partial);
	}
	ends(reader);
}

/* Bits that were never sent stay unknown, whatever comes above them. */
static void bits_that_were_never_sent_are_not_invented(void **state)
{
	struct rvtrace_debugspec *reader = reader_of(&rv64, BYTES(0x18, 0x34, 0x08, 0x07));

	(void)state;
	is_value(reader, RVTRACE_DEBUGSPEC_LOAD_ADDRESS, 0x34, 0xff);
	is_value(reader, RVTRACE_DEBUGSPEC_LOAD_ADDRESS, 0x37, 0xff);
	ends(reader);
}

/* A PC of 32 bits takes 8 packets; what is above it is filling. */
static void values_of_32_bits(void **state)
{
	static const uint8_t wide[] = { 0xf1, 0xff, 0xff, 0xff, 0x3f, 0, 0, 0, 0, 0 };
	static const uint8_t signs[] = { 0x71, 0x00, 0x00, 0x00, 0xc0, 0 };
	static const uint8_t wrong[] = { 0x88, 0x00, 0x00, 0x00, 0x00, 0x01 };
	struct rvtrace_debugspec *reader = reader_of(&rv32, wide, sizeof(wide));

	(void)state;
	is_value(reader, RVTRACE_DEBUGSPEC_PC, 0x7ffffffe, UINT32_MAX);
	ends(reader);
	reader = reader_of(&rv32, signs, sizeof(signs));
	is_value(reader, RVTRACE_DEBUGSPEC_PC, 0x80000000, UINT32_MAX);
	ends(reader);
	reader = reader_of(&rv32, wrong, sizeof(wrong));
	assert_int_equal(fails(reader, RVTRACE_ERR_FIELD).offset, 0);
	ends(reader);
}

/* Each hart has last values of its own. */
static void harts_have_contexts_of_their_own(void **state)
{
	static const uint8_t bytes[] = {
		0x18, 0x34,		/* hart 0: load at 0x34 */
		0x07, 0x81, 0x50,	/* hart 1: load at 0x..5 */
		0x07, 0x80, 0x60,	/* hart 0: load at 0x36 */
	};
	struct rvtrace_debugspec *reader = reader_of(&rv64, bytes, sizeof(bytes));

	(void)state;
	is_value(reader, RVTRACE_DEBUGSPEC_LOAD_ADDRESS, 0x34, 0xff);
	next_of(reader, RVTRACE_DEBUGSPEC_HART);
	is_value(reader, RVTRACE_DEBUGSPEC_LOAD_ADDRESS, 0x5, 0xf);
	next_of(reader, RVTRACE_DEBUGSPEC_HART);
	is_value(reader, RVTRACE_DEBUGSPEC_LOAD_ADDRESS, 0x36, 0xff);
	ends(reader);
}

/* "or that some sequences were dropped because the trace buffer overflowed": with what they said */
static void nothing_is_known_behind_trace_disabled(void **state)
{
	struct rvtrace_debugspec *reader = reader_of(&rv64, BYTES(0x18, 0x34, 0x85, 0x60));

	(void)state;
	is_value(reader, RVTRACE_DEBUGSPEC_LOAD_ADDRESS, 0x34, 0xff);
	next_of(reader, RVTRACE_DEBUGSPEC_DISABLED);
	is_value(reader, RVTRACE_DEBUGSPEC_LOAD_ADDRESS, 0x6, 0xf);
	ends(reader);
}

/* "1101 Reserved for future standards." "1110, 1111 Reserved for custom trace data." */
static void reserved_and_custom_headers_end_at_the_next_point(void **state)
{
	(void)state;
	for (unsigned int header = 13; header <= 15; header++) {
		/* points at 0, 4, 8 ... */
		uint8_t bytes[12] = { 0x08, 0x02, header << 4, 0x22, 0x32, 0x08, 0x05 };
		struct rvtrace_debugspec_config config = rv64;
		struct rvtrace_debugspec *reader;
		struct rvtrace_debugspec_packet packet;

		assert_int_equal(rvtrace_debugspec_buffer(&config, 32, 0), 0);
		reader = reader_of(&config, bytes, sizeof(bytes));
		is_value(reader, RVTRACE_DEBUGSPEC_LOAD_ADDRESS, 2, 0xf);
		next_of(reader, RVTRACE_DEBUGSPEC_NOP);
		next_of(reader, RVTRACE_DEBUGSPEC_NOP);
		packet = fails(reader, RVTRACE_ERR_HEADER);
		assert_int_equal(packet.offset, 5);
		assert_int_equal(packet.size, 1);
		assert_int_equal(next_of(reader, RVTRACE_DEBUGSPEC_TAKEN).offset, 8);
		next_of(reader, RVTRACE_DEBUGSPEC_NOT_TAKEN);
		/* known no longer */
		is_value(reader, RVTRACE_DEBUGSPEC_LOAD_ADDRESS, 5, 0xf);
		ends(reader);
	}
}

static void without_points_nothing_is_read_behind_an_error(void **state)
{
	struct rvtrace_debugspec *reader = reader_of(&rv64, BYTES(0xd2, 0x22, 0x22, 0x22));

	(void)state;
	next_of(reader, RVTRACE_DEBUGSPEC_TAKEN);
	fails(reader, RVTRACE_ERR_HEADER);
	ends(reader);
}

/* "the version of the trace data (currently 0)" */
static void other_versions_are_not_read(void **state)
{
	struct rvtrace_debugspec *reader = reader_of(&rv64, BYTES(0x14, 0x22));

	(void)state;
	assert_int_equal(fails(reader, RVTRACE_ERR_VERSION).offset, 0);
	ends(reader);
}

static void hart_ids_that_are_too_large_are_damage(void **state)
{
	struct rvtrace_debugspec *reader = reader_of(&rv64, BYTES(0x37, 0x00, 0x10));

	(void)state;
	fails(reader, RVTRACE_ERR_FIELD);
	ends(reader);
}

/* Which hart's packets come is not known where trace is missing, until it is told. */
static void harts_are_unknown_behind_a_loss(void **state)
{
	struct rvtrace_debugspec_config config = rv64;
	struct rvtrace_debugspec *reader;
	struct rvtrace_debugspec_packet packet;

	(void)state;
	config.several_harts = true;
	assert_int_equal(rvtrace_debugspec_buffer(&config, 32, 0), 0);
	reader = reader_of(&config, BYTES(0x07, 0x25, 0x00, 0x00));
	assert_int_equal(next_of(reader, RVTRACE_DEBUGSPEC_HART).hart, 5);
	assert_int_equal(next_of(reader, RVTRACE_DEBUGSPEC_TAKEN).hart, 5);
	while (rvtrace_debugspec_next(reader, &packet) > 0)
		;
	rvtrace_debugspec_resync(reader, 202);
	assert_int_equal(rvtrace_debugspec_feed(reader, BYTES(0xff, 0xff, 0xff, 0x72, 0x60, 0x03)),
			 0);
	packet = next_of(reader, RVTRACE_DEBUGSPEC_TAKEN);
	assert_false(packet.has_hart);
	assert_int_equal(packet.offset, 208);
	next_of(reader, RVTRACE_DEBUGSPEC_HART);
	packet = next_of(reader, RVTRACE_DEBUGSPEC_NOT_TAKEN);
	assert_true(packet.has_hart);
	assert_int_equal(packet.hart, 6);
	ends(reader);
}

/* Bytes are fed, but the first nybble to be read may be the upper half of one. */
static void reading_begins_at_any_nybble(void **state)
{
	struct rvtrace_debugspec *reader = reader_of(&rv64, NULL, 0);

	(void)state;
	rvtrace_debugspec_seek(reader, 41);
	assert_int_equal(rvtrace_debugspec_feed(reader, BYTES(0x2f, 0x03)), 0);
	assert_int_equal(next_of(reader, RVTRACE_DEBUGSPEC_TAKEN).offset, 41);
	assert_int_equal(next_of(reader, RVTRACE_DEBUGSPEC_NOT_TAKEN).offset, 42);
	ends(reader);
}

static void arguments_are_checked(void **state)
{
	struct rvtrace_debugspec_config config = { .xlen = 16 };
	struct rvtrace_debugspec *reader;

	(void)state;
	assert_int_equal(rvtrace_debugspec_new(&config, &reader), RVTRACE_ERR_INVALID);
	config.xlen = 32;
	config.sync_offset = 4;
	assert_int_equal(rvtrace_debugspec_new(&config, &reader), RVTRACE_ERR_INVALID);
	assert_int_equal(rvtrace_debugspec_buffer(&config, 0, 0), RVTRACE_ERR_INVALID);
	assert_int_equal(rvtrace_debugspec_buffer(&config, 48, 0), RVTRACE_ERR_INVALID);
	assert_int_equal(rvtrace_debugspec_buffer(&config, 64, 64), RVTRACE_ERR_INVALID);
	reader = reader_of(&rv64, BYTES(0));
	assert_int_equal(rvtrace_debugspec_feed(reader, BYTES(0)), RVTRACE_ERR_BUSY);
	ends(reader);
}

static void headers_have_the_names_of_the_specification(void **state)
{
	(void)state;
	assert_string_equal(rvtrace_debugspec_header_name(RVTRACE_DEBUGSPEC_NOP), "Nop");
	assert_string_equal(rvtrace_debugspec_header_name(RVTRACE_DEBUGSPEC_NOT_TAKEN),
			    "Branch Not Taken");
	assert_string_equal(rvtrace_debugspec_header_name(RVTRACE_DEBUGSPEC_TIMESTAMP),
			    "Timestamp");
	assert_string_equal(rvtrace_debugspec_header_name(RVTRACE_DEBUGSPEC_CUSTOM1), "Custom");
	assert_string_equal(rvtrace_debugspec_header_name(16), "Reserved");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(enabled_pc_and_branches),
		cmocka_unit_test(pc_is_filled_with_the_last_one),
		cmocka_unit_test(pc_without_compressed_isa_begins_with_bit_2),
		cmocka_unit_test(data_are_sign_extended),
		cmocka_unit_test(privilege_hart_and_store),
		cmocka_unit_test(truncated_value_is_pending),
		cmocka_unit_test(first_packets_are_of_the_first_hart),
		cmocka_unit_test(rest_without_a_point_is_lost),
		cmocka_unit_test(values_have_4_to_64_bits),
		cmocka_unit_test(each_kind_is_filled_with_its_own_last_value),
		cmocka_unit_test(bits_that_were_never_sent_are_not_invented),
		cmocka_unit_test(values_of_32_bits),
		cmocka_unit_test(harts_have_contexts_of_their_own),
		cmocka_unit_test(nothing_is_known_behind_trace_disabled),
		cmocka_unit_test(reserved_and_custom_headers_end_at_the_next_point),
		cmocka_unit_test(without_points_nothing_is_read_behind_an_error),
		cmocka_unit_test(other_versions_are_not_read),
		cmocka_unit_test(hart_ids_that_are_too_large_are_damage),
		cmocka_unit_test(harts_are_unknown_behind_a_loss),
		cmocka_unit_test(reading_begins_at_any_nybble),
		cmocka_unit_test(arguments_are_checked),
		cmocka_unit_test(headers_have_the_names_of_the_specification),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
