/* SPDX-License-Identifier: GPL-2.0 */
/* Packets of the debug specification's trace, written and read. */
#ifndef RVTRACE_SELFTESTS_DEBUGSPEC_FIXTURE_H
#define RVTRACE_SELFTESTS_DEBUGSPEC_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/debugspec.h>

#include "tools/encode/debugspec.h"

#define BYTES(...)	((const uint8_t[]){ __VA_ARGS__ }), sizeof((const uint8_t[]){ __VA_ARGS__ })

static const struct rvtrace_debugspec_config rv64 = { .xlen = 64, .compressed = true };
static const struct rvtrace_debugspec_config rv64_uncompressed = { .xlen = 64 };
static const struct rvtrace_debugspec_config rv32 = { .xlen = 32, .compressed = true };

/* What was written. */
static struct {
	uint8_t bytes[1024];
	size_t size;
	struct debugspec_stream stream;
	struct debugspec_encoder encoder;
} written;

static inline void take_word(void *opaque, uint32_t word)
{
	(void)opaque;
	assert_true(written.size + 4 <= sizeof(written.bytes));
	for (unsigned int i = 0; i < 4; i++)
		written.bytes[written.size++] = word >> 8 * i;
}

static inline void begin_writing(const struct debugspec_params *params, uint32_t buffer,
				 bool several)
{
	memset(&written, 0, sizeof(written));
	debugspec_stream_init(&written.stream, buffer, several, take_word, NULL, NULL);
	debugspec_encoder_init(&written.encoder, params, &written.stream);
}

static inline void put_header(enum debugspec_header header)
{
	struct debugspec_sequence sequence;

	debugspec_header(&sequence, header);
	assert_true(debugspec_stream_put(&written.stream, written.encoder.params.hart, &sequence));
}

static inline void put_packet(enum debugspec_header header, unsigned int packet)
{
	struct debugspec_sequence sequence;

	debugspec_packet(&sequence, header, packet);
	assert_true(debugspec_stream_put(&written.stream, written.encoder.params.hart, &sequence));
}

/* What is in words; the last one is filled up with Nops. */
static inline void is_written(const uint8_t *bytes, size_t size)
{
	debugspec_stream_flush(&written.stream);
	assert_true(written.size >= size && written.size < size + 4);
	assert_memory_equal(written.bytes, bytes, size);
	for (size_t i = size; i < written.size; i++)
		assert_int_equal(written.bytes[i], 0);
}

static inline struct rvtrace_debugspec *reader_of(const struct rvtrace_debugspec_config *config,
						  const uint8_t *bytes, size_t size)
{
	struct rvtrace_debugspec *reader;

	assert_int_equal(rvtrace_debugspec_new(config, &reader), 0);
	assert_int_equal(rvtrace_debugspec_feed(reader, bytes, size), 0);
	return reader;
}

static inline struct rvtrace_debugspec_packet next_of(struct rvtrace_debugspec *reader,
						      unsigned int header)
{
	struct rvtrace_debugspec_packet packet;

	assert_int_equal(rvtrace_debugspec_next(reader, &packet), 1);
	assert_int_equal(packet.header, header);
	return packet;
}

static inline void is_value(struct rvtrace_debugspec *reader, unsigned int header, uint64_t value,
			    uint64_t known)
{
	struct rvtrace_debugspec_packet packet = next_of(reader, header);

	assert_int_equal(packet.value, value);
	assert_int_equal(packet.known, known);
}

static inline struct rvtrace_debugspec_packet fails(struct rvtrace_debugspec *reader, int error)
{
	struct rvtrace_debugspec_packet packet;

	assert_int_equal(rvtrace_debugspec_next(reader, &packet), error);
	return packet;
}

/* Nothing but Nops, and nothing left over. */
static inline void ends(struct rvtrace_debugspec *reader)
{
	struct rvtrace_debugspec_packet packet;
	int ret;

	while ((ret = rvtrace_debugspec_next(reader, &packet)) > 0)
		assert_int_equal(packet.header, RVTRACE_DEBUGSPEC_NOP);
	assert_int_equal(ret, 0);
	assert_int_equal(rvtrace_debugspec_pending(reader, NULL), 0);
	rvtrace_debugspec_free(reader);
}

#endif /* RVTRACE_SELFTESTS_DEBUGSPEC_FIXTURE_H */
