// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "selftests/unit/pins-fixture.h"

struct found found;
struct bytes samples;

int free_pins(void **state)
{
	(void)state;
	found_free(&found);
	bytes_free(&samples);
	return 0;
}

void add_same(uint8_t value, size_t size)
{
	for (; size; size--)
		bytes_add(&samples, &value, 1);
}

void add_text(const char *bits)
{
	for (; *bits; bits++)
		if (*bits != ' ')
			add_same(*bits == '1', 1);
}

void add_parallel(const uint8_t *bytes, size_t size)
{
	for (; size; size--, bytes++) {
		bool clock = samples.size / 2 % 2;

		add_same(*bytes, 1);
		add_same(clock, 1);
	}
}

void add_clocked(const char *bits)
{
	for (; *bits; bits++)
		if (*bits != ' ')
			add_same((*bits == '1') | samples.size % 2 << 1, 1);
}

void decode(const struct rvtrace_pib_config *config)
{
	decode_pins(config, samples.data, samples.size, 1, &found);
}

void expect_one(enum rvtrace_unwrap_damage_kind kind, uint64_t offset, uint64_t length,
		size_t before)
{
	assert_int_equal(found.damages, 1);
	expect_damage(&found, 0, kind, offset, length);
	assert_int_equal(found.before[0], before);
}

#define PINS(m, ...)										\
	{ .size = sizeof(struct rvtrace_pib_config), .mode = RVTRACE_PIB_MODE_##m, __VA_ARGS__ }
#define PARALLEL(...)										\
	PINS(PARALLEL_1, __VA_ARGS__),								\
	PINS(PARALLEL_2, __VA_ARGS__),								\
	PINS(PARALLEL_4, __VA_ARGS__),								\
	PINS(PARALLEL_8, __VA_ARGS__),								\
	PINS(PARALLEL_16, __VA_ARGS__)
#define SERIAL(...)										\
	PINS(SWT_MANCHESTER, __VA_ARGS__),							\
	PINS(SWT_UART, __VA_ARGS__)
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
