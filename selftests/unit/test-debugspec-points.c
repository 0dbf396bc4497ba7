// SPDX-License-Identifier: GPL-2.0
/*
 * Synchronization points of the debug specification's trace, in buffers that wrap. Comments quote the
 * sentences that are checked.
 */
#include "debugspec-fixture.h"

static const struct debugspec_params encoder64 = { .xlen = 64, .compressed = true, .emit = 0xff };

static void put_nops(unsigned int count)
{
	while (count--)
		put_header(DEBUGSPEC_NOP);
}

/* The words of the trace, each at its place in the buffer. */
static void is_in_buffer(const uint8_t *expected, size_t size)
{
	uint8_t buffer[64];

	assert_int_equal(size, sizeof(buffer));
	for (size_t i = written.size - size; i < written.size; i++)
		buffer[i % size] = written.bytes[i];
	assert_memory_equal(buffer, expected, size);
}

/*
 * "each trace buffer must have 8 synchronization points, spaced evenly throughout the buffer, with
 * the first one at the very start of the buffer". Zeros but for a few packets; the next one would
 * have been written at byte 12.
 */
static void wrapped_buffer_decodes_from_the_next_point(void **state)
{
	struct rvtrace_debugspec_config config = rv64;
	struct rvtrace_debugspec *reader;
	struct rvtrace_debugspec_packet packet;
	static const unsigned int expected[] = {
		RVTRACE_DEBUGSPEC_TAKEN, RVTRACE_DEBUGSPEC_NOT_TAKEN, RVTRACE_DEBUGSPEC_TAKEN,
		RVTRACE_DEBUGSPEC_DISABLED,
	};
	uint8_t buffer[64] = { 0 }, stream[64];
	unsigned int count = 0;

	(void)state;
	buffer[0] = 0x02;
	buffer[8] = 0x05;
	memcpy(buffer + 12, ((const uint8_t[]){ 0x21, 0x43, 0x65, 0x87 }), 4);
	buffer[16] = 0x32;
	memcpy(stream, buffer + 12, 52);
	memcpy(stream + 52, buffer, 12);
	assert_int_equal(rvtrace_debugspec_buffer(&config, 64, 12), 0);
	assert_int_equal(config.sync_interval, 16);
	assert_int_equal(config.sync_offset, 8);
	reader = reader_of(&config, stream, sizeof(stream));
	while (rvtrace_debugspec_next(reader, &packet) > 0) {
		if (packet.header == RVTRACE_DEBUGSPEC_NOP)
			continue;
		assert_true(count < 4);
		if (!count)
			assert_int_equal(packet.offset, 8);
		assert_int_equal(packet.header, expected[count++]);
	}
	assert_int_equal(count, 4);
	ends(reader);
	begin_writing(&encoder64, 64, false);
	put_nops(22);
	debugspec_encoder_data(&written.encoder, DEBUGSPEC_LOADED, 0x87654321, 32);
	put_header(DEBUGSPEC_BRANCH_TAKEN);
	put_header(DEBUGSPEC_BRANCH_NOT_TAKEN);
	put_nops(128 - 34);
	put_header(DEBUGSPEC_BRANCH_TAKEN);
	put_nops(15);
	put_header(DEBUGSPEC_TRACE_DISABLED);
	debugspec_stream_flush(&written.stream);
	assert_int_equal(written.size, 64 + 12);
	is_in_buffer(buffer, sizeof(buffer));
}

/*
 * "A synchronization point is simply an address where there is guaranteed to be a sequence header."
 * What lies over one is damage, and is read no further than to there.
 */
static void nothing_lies_over_a_point(void **state)
{
	/* points at 0, 4 ... */
	static const uint8_t bytes[] = { 0x00, 0x00, 0x00, 0xf1, 0x22, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
	struct rvtrace_debugspec_config config = rv64;
	struct rvtrace_debugspec *reader;
	struct rvtrace_debugspec_packet packet;

	(void)state;
	assert_int_equal(rvtrace_debugspec_buffer(&config, 32, 0), 0);
	reader = reader_of(&config, bytes, sizeof(bytes));
	for (unsigned int i = 0; i < 6; i++)
		next_of(reader, RVTRACE_DEBUGSPEC_NOP);
	packet = fails(reader, RVTRACE_ERR_TRUNCATED);
	assert_int_equal(packet.offset, 6);
	assert_int_equal(next_of(reader, RVTRACE_DEBUGSPEC_TAKEN).offset, 8);
	next_of(reader, RVTRACE_DEBUGSPEC_TAKEN);
	ends(reader);
}

/* "the trace source can insert a number of Nop headers into the sequence just before" */
static void nops_are_put_before_points(void **state)
{
	struct rvtrace_debugspec_config config = rv64;
	struct rvtrace_debugspec *reader;
	struct rvtrace_debugspec_packet packet;
	unsigned int pcs = 0, nops = 0;

	(void)state;
	begin_writing(&encoder64, 96, false);
	for (unsigned int i = 0; i < 20; i++) {
		put_header(DEBUGSPEC_BRANCH_TAKEN);
		debugspec_encoder_value(&written.encoder, DEBUGSPEC_KIND_PC, 0x1000 + 2 * i);
	}
	debugspec_stream_flush(&written.stream);
	assert_int_equal(rvtrace_debugspec_buffer(&config, 96, 0), 0);
	reader = reader_of(&config, written.bytes, written.size);
	while (rvtrace_debugspec_next(reader, &packet) > 0) {
		nops += packet.header == RVTRACE_DEBUGSPEC_NOP;
		if (packet.header != RVTRACE_DEBUGSPEC_PC)
			continue;
		assert_int_equal(packet.value, 0x1000 + 2 * pcs++);
		assert_false(packet.partial);
	}
	assert_int_equal(pcs, 20);
	assert_true(nops > 0);
	ends(reader);
	/* "send one full value for each of these ... soon after each synchronization point" */
	for (unsigned int at = 12; at < written.size; at += 12) {
		config.sync_offset = 2 * at;
		reader = reader_of(&config, written.bytes, written.size);
		while (rvtrace_debugspec_next(reader, &packet) > 0)
			assert_false(packet.header == RVTRACE_DEBUGSPEC_PC && packet.partial);
		ends(reader);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrapped_buffer_decodes_from_the_next_point),
		cmocka_unit_test(nothing_lies_over_a_point),
		cmocka_unit_test(nops_are_put_before_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
