// SPDX-License-Identifier: GPL-2.0
/* Damage to E-Trace: what is told, and where reading goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "selftests/unit/pins-fixture.h"

#define IDLE_10	"1111111111"	/* UART */

static const struct rvtrace_pib_config etrace_bytes = {
	.size = sizeof(etrace_bytes),
	.mode = RVTRACE_PIB_MODE_PARALLEL_8, .format = RVTRACE_FORMAT_ETRACE,
};

static const struct rvtrace_pib_config etrace_bits = {
	.size = sizeof(etrace_bits),
	.mode = RVTRACE_PIB_MODE_PARALLEL_1, .format = RVTRACE_FORMAT_ETRACE,
};

static void etrace_begins_within_a_packet(void **state)
{
	unsigned int i;

	(void)state;
	add_parallel(BYTES(0x1f, 0x02));
	for (i = 0; i < 32; i++)
		add_parallel(BYTES(0));
	/* 34: headers that 2 bytes and 1 byte follow, nulls */
	add_parallel(BYTES(0x02, 0x00, 0x55, 0x00, 0x80, 0x21, 0x03));
	decode(&etrace_bytes);
	assert_int_equal(found.damages, 1);
	expect_damage(&found, 0, RVTRACE_UNWRAP_UNSYNCHRONIZED, 0, 34 * 2);
	expect_bytes(&found.bytes, BYTES(0x02, 0x00, 0x55, 0x21, 0x03));
}

static void etrace_idle_without_alignment(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 31; i++)
		add_clocked("00000000");
	add_clocked("00000001 10000100 00000000");	/* 248: null.alignment, 21 00 */
	add_clocked("00000000 00100000");		/* 272: null.idle, 04 */
	decode(&etrace_bits);
	expect_one(RVTRACE_UNWRAP_ALIGNMENT, 282, 1, 2);
	expect_bytes(&found.bytes, BYTES(0x21, 0x00));
}

static void etrace_idle_that_is_no_whole_number_of_bytes(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 31; i++)
		add_clocked("00000000");
	add_clocked("00000001 10000100 00000000");
	add_clocked("00000000 0000001");		/* 272: a bit too few */
	add_clocked("10000100 11000000");
	decode(&etrace_bits);
	expect_one(RVTRACE_UNWRAP_ALIGNMENT, 286, 1, 2);
	expect_bytes(&found.bytes, BYTES(0x21, 0x00, 0x21, 0x03));
}

/* @nulls of null.idle after something else, then null.alignment and a packet. */
static void synchronize_with(const struct rvtrace_pib_config *config, unsigned int nulls,
			     const uint8_t *packet, size_t size)
{
	struct pib_config pins = pib_config_of(config);
	unsigned int width = 1 << (config->mode - RVTRACE_PIB_MODE_PARALLEL_1);
	unsigned int sample = width / 8 + 1;
	struct pib pib;

	pins.null_run = 0;
	pib_init(&pib, &pins, bytes_write, &samples);
	pib_flush(&pib);
	/* The last one of what was idle is all ones now. */
	memmove(samples.data, samples.data + samples.size - sample, sample);
	samples.size = sample;
	samples.data[0] |= (1 << width) - 1;
	pib_idle(&pib, nulls * 8 / width);
	pib_message(&pib, packet, size);
	pib_flush(&pib);
	decode(config);
	bytes_free(&samples);
}

/* E-Trace Encapsulation 1.0, "Synchronization": N = 31 + T + S */
static void etrace_synchronization_sequences(void **state)
{
	static const struct {
		uint8_t src_bits, timestamp_bytes;
		unsigned int nulls;
	} cases[] = { { 0, 0, 31 }, { 7, 0, 31 }, { 8, 0, 32 }, { 16, 0, 33 }, { 0, 4, 35 },
		      { 12, 7, 39 } };
	static const uint8_t packet[] = { 0x05, 1, 2, 3, 4, 5, 6, 7 };
	unsigned int i, mode;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rvtrace_pib_config config = {
			.size = sizeof(config),
			.format = RVTRACE_FORMAT_ETRACE, .src_bits = cases[i].src_bits,
			.timestamp_bytes = cases[i].timestamp_bytes,
		};
		size_t size = 6 + config.src_bits / 8;

		for (mode = RVTRACE_PIB_MODE_PARALLEL_1; mode <= RVTRACE_PIB_MODE_PARALLEL_8;
		     mode++) {
			config.mode = mode;
			synchronize_with(&config, cases[i].nulls, packet, size);
			expect_bytes(&found.bytes, packet, size);
			assert_int_equal(found.damages, 1);
			synchronize_with(&config, cases[i].nulls - 1, packet, size);
			assert_int_equal(found.bytes.size, 0);
			assert_int_equal(found.damages, 1);
			assert_int_equal(found.damage[0].kind, RVTRACE_UNWRAP_UNSYNCHRONIZED);
		}
	}
}

/* A bit less than N null.idle and null.alignment is no such sequence. */
static void etrace_synchronization_to_the_bit(void **state)
{
	unsigned int zeros, i;

	(void)state;
	for (zeros = 8 * 31 + 6; zeros <= 8 * 31 + 8; zeros++) {
		add_clocked("1");
		for (i = 0; i < zeros; i++)
			add_clocked("0");
		add_clocked("1 10000100 00000000");
		decode(&etrace_bits);
		assert_int_equal(found.bytes.size, zeros < 8 * 31 + 7 ? 0 : 2);
		bytes_free(&samples);
	}
}

/* What lies on both sides of a broken frame is not next to each other. */
static void etrace_nulls_around_damage(void **state)
{
	static const struct rvtrace_pib_config config = {
		.size = sizeof(config),
		.mode = RVTRACE_PIB_MODE_SWT_UART, .format = RVTRACE_FORMAT_ETRACE,
	};
	unsigned int i;

	(void)state;
	add_text("10 " IDLE_10);
	for (i = 0; i < 20; i++)
		add_text("0 00000000 1");
	add_text("0 11111111 0" IDLE_10);
	for (i = 0; i < 20; i++)
		add_text("0 00000000 1");
	add_text("0 10000000 1 0 11111111 1");
	decode(&config);
	assert_int_equal(found.bytes.size, 0);
	assert_int_equal(found.damages, 1);
}

static void etrace_ends_within_a_packet(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 32; i++)
		add_parallel(BYTES(0));
	add_parallel(BYTES(0x21, 0x03, 0x22, 0x01));
	decode(&etrace_bytes);
	expect_one(RVTRACE_UNWRAP_TRUNCATED, 34 * 2, 2 * 2, 2);
	bytes_free(&samples);
	/* Within a header; within null.idle is no damage. */
	for (i = 0; i < 31; i++)
		add_clocked("00000000");
	add_clocked("00000001 10000100 00000000 001");
	decode(&etrace_bits);
	expect_one(RVTRACE_UNWRAP_TRUNCATED, 272, 3, 2);
	samples.data[274] &= 2;
	decode(&etrace_bits);
	assert_int_equal(found.damages, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(etrace_begins_within_a_packet, free_pins),
		cmocka_unit_test_teardown(etrace_idle_without_alignment, free_pins),
		cmocka_unit_test_teardown(etrace_idle_that_is_no_whole_number_of_bytes, free_pins),
		cmocka_unit_test_teardown(etrace_synchronization_sequences, free_pins),
		cmocka_unit_test_teardown(etrace_synchronization_to_the_bit, free_pins),
		cmocka_unit_test_teardown(etrace_nulls_around_damage, free_pins),
		cmocka_unit_test_teardown(etrace_ends_within_a_packet, free_pins),
	};

	return cmocka_run_group_tests_name("unwrap-etrace-damage", tests, NULL, NULL);
}
