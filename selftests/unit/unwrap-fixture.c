// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "selftests/unit/unwrap-fixture.h"

void bytes_add(struct bytes *bytes, const void *data, size_t size)
{
	if (!size)
		return;
	if (bytes->room - bytes->size < size) {
		bytes->room = 2 * (bytes->size + size);
		bytes->data = realloc(bytes->data, bytes->room);
		assert_non_null(bytes->data);
	}
	memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
}

void bytes_free(struct bytes *bytes)
{
	free(bytes->data);
	memset(bytes, 0, sizeof(*bytes));
}

void bytes_write(void *opaque, const uint8_t *data, size_t size)
{
	bytes_add(opaque, data, size);
}

static void take_bytes(void *data, uint64_t offset, const uint8_t *bytes, size_t size)
{
	struct found *found = data;

	if (found->ats < MAX_AT)
		found->at[found->ats++] = offset;
	bytes_add(&found->bytes, bytes, size);
}

static void take_damage(void *data, const struct rvtrace_unwrap_damage *damage)
{
	struct found *found = data;

	assert_true(found->damages < MAX_DAMAGE);
	found->before[found->damages] = found->bytes.size;
	found->damage[found->damages++] = *damage;
}

static void take_patterns(void *data, uint64_t offset, uint64_t count)
{
	struct found *found = data;

	found->patterns += count;
	found->pattern_offset = offset;
}

struct rvtrace_unwrap_handler found_handler(struct found *found)
{
	return (struct rvtrace_unwrap_handler){
		.bytes = take_bytes, .damage = take_damage, .calibration = take_patterns,
		.data = found,
	};
}

void found_free(struct found *found)
{
	bytes_free(&found->bytes);
	memset(found, 0, sizeof(*found));
}

void expect_bytes(const struct bytes *bytes, const void *expected, size_t size)
{
	assert_int_equal(bytes->size, size);
	if (size)
		assert_memory_equal(bytes->data, expected, size);
}

void expect_damage(const struct found *found, size_t index,
		   enum rvtrace_unwrap_damage_kind kind, uint64_t offset, uint64_t length)
{
	assert_true(index < found->damages);
	assert_int_equal(found->damage[index].kind, kind);
	assert_int_equal(found->damage[index].offset, offset);
	assert_int_equal(found->damage[index].length, length);
}

uint32_t random_below(uint32_t limit)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005 + 1442695040888963407;
	return (state >> 32) % limit;
}

size_t piece_of(size_t left, size_t chunk)
{
	if (!chunk)
		chunk = 1 + random_below(40);
	return chunk < left ? chunk : left;
}

#define PARALLEL(...)										\
	{ .mode = RVTRACE_PIB_MODE_PARALLEL_1, __VA_ARGS__ },					\
	{ .mode = RVTRACE_PIB_MODE_PARALLEL_2, __VA_ARGS__ },					\
	{ .mode = RVTRACE_PIB_MODE_PARALLEL_4, __VA_ARGS__ },					\
	{ .mode = RVTRACE_PIB_MODE_PARALLEL_8, __VA_ARGS__ },					\
	{ .mode = RVTRACE_PIB_MODE_PARALLEL_16, __VA_ARGS__ }
#define SERIAL(...)										\
	{ .mode = RVTRACE_PIB_MODE_SWT_MANCHESTER, __VA_ARGS__ },				\
	{ .mode = RVTRACE_PIB_MODE_SWT_UART, __VA_ARGS__ }
#define ETRACE	.format = RVTRACE_FORMAT_ETRACE

const struct rvtrace_pib_config all_pins[] = {
	SERIAL(.format = RVTRACE_FORMAT_NTRACE),
	PARALLEL(.format = RVTRACE_FORMAT_NTRACE),
	PARALLEL(.format = RVTRACE_FORMAT_NTRACE, .ref_center = true),
	SERIAL(ETRACE),
	PARALLEL(ETRACE, .src_bits = 4),
	PARALLEL(ETRACE, .src_bits = 16, .timestamp_bytes = 5),
	PARALLEL(ETRACE, .timestamp_bytes = 8, .ref_center = true),
};

const size_t all_pins_count = sizeof(all_pins) / sizeof(all_pins[0]);

/* Many ones, as in idle. */
static size_t random_ntrace(uint8_t *data)
{
	size_t size = 2 + random_below(37), i;

	for (i = 0; i < size; i++) {
		data[i] = (random_below(3) ? random_below(64) : 63) << 2;
		if (i + 1 == size)
			data[i] |= 3;
		else if (i)
			data[i] |= !random_below(4);
	}
	return size;
}

/* Many zeros, as in idle. */
static size_t random_etrace(const struct rvtrace_pib_config *config, uint8_t *data)
{
	bool extend = config->timestamp_bytes && random_below(2);
	size_t length = 1 + random_below(31), i;
	size_t size = 1 + length + config->src_bits / 8 + extend * config->timestamp_bytes;
	uint32_t zeros = random_below(4);

	data[0] = extend << 7 | random_below(4) << 5 | length;
	for (i = 1; i < size; i++)
		data[i] = random_below(zeros + 1) ? 0 : random_below(256);
	return size;
}

size_t random_message(const struct rvtrace_pib_config *config, uint8_t *data)
{
	if (config->format == RVTRACE_FORMAT_NTRACE)
		return random_ntrace(data);
	return random_etrace(config, data);
}

void decode_pins(const struct rvtrace_pib_config *config, const uint8_t *samples, size_t size,
		 size_t chunk, struct found *found)
{
	struct rvtrace_unwrap_handler handler = found_handler(found);
	struct rvtrace_pib *pib;
	size_t piece;

	found_free(found);
	assert_int_equal(rvtrace_pib_new(config, &handler, &pib), 0);
	for (; size; samples += piece, size -= piece) {
		piece = piece_of(size, chunk);
		rvtrace_pib_feed(pib, samples, piece);
	}
	rvtrace_pib_end(pib);
	rvtrace_pib_free(pib);
}

struct pib_config pib_config_of(const struct rvtrace_pib_config *config)
{
	return (struct pib_config){
		.mode = config->mode,
		.format = config->format,
		.ref_center = config->ref_center,
		.null_run = 31 + config->src_bits / 8 + config->timestamp_bytes,
	};
}
