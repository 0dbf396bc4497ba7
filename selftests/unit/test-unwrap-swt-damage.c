// SPDX-License-Identifier: GPL-2.0
/* Damage in SWT modes: what is told, and where reading goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "selftests/unit/pins-fixture.h"

static const struct rvtrace_pib_config uart = {
	.size = sizeof(uart),
	.mode = RVTRACE_PIB_MODE_SWT_UART, .format = RVTRACE_FORMAT_NTRACE,
};

static const struct rvtrace_pib_config manchester = {
	.size = sizeof(manchester),
	.mode = RVTRACE_PIB_MODE_SWT_MANCHESTER, .format = RVTRACE_FORMAT_NTRACE,
};

/* Frames of a start bit, 8 of data, and a stop bit. */
#define UART_1C	"0 00111000 1"
#define UART_53	"0 11001010 1"
#define IDLE_10	"1111111111"

static void uart_stop_bit_is_low(void **state)
{
	(void)state;
	add_text(IDLE_10 UART_1C UART_53);
	add_text(UART_1C "0 11001010 0");	/* offsets 30 and 40 */
	add_text(IDLE_10 UART_1C UART_53);	/* 50: at 60 the next frame is certain */
	add_text(UART_1C UART_53);		/* 80: a message that is seen to begin */
	decode(&uart);
	expect_one(RVTRACE_UNWRAP_STOP, 30, 50, 2);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53, 0x1c, 0x53));
}

/* Frames that follow each other without a pause are found, too. */
static void uart_without_idle(void **state)
{
	unsigned int i;

	(void)state;
	add_text("1 0 00000000 0 1");
	for (i = 0; i < 40; i++)
		add_text(UART_1C UART_53);
	decode(&uart);
	assert_int_equal(found.damages, 1);
	assert_int_equal(found.damage[0].kind, RVTRACE_UNWRAP_UNSYNCHRONIZED);
	assert_int_equal(found.damage[0].offset, 1);
	/* 16 frames, and some before one was seen where it was. */
	assert_in_range(found.damage[0].length, 170, 300);
	assert_int_equal(found.bytes.size, 80 - (found.damage[0].length - 11) / 10);
}

/* Frames behind a wrong one may be anywhere. */
static void uart_after_a_wrong_frame(void **state)
{
	unsigned int i;

	(void)state;
	add_text(IDLE_10 UART_1C UART_53 "0 11001010 0 1");	/* 30 */
	for (i = 0; i < 3; i++)
		add_text(UART_1C UART_53);
	decode(&uart);
	expect_one(RVTRACE_UNWRAP_STOP, 30, 71, 2);
}

/* Fifteen in a row are too few, twice as well. */
static void uart_frames_that_are_too_few(void **state)
{
	unsigned int i, times;

	(void)state;
	add_text("01");
	for (times = 0; times < 2; times++) {
		for (i = 0; i < 15; i++)
			add_text(UART_53);
		add_text("0 00000000 0 1");
	}
	decode(&uart);
	expect_one(RVTRACE_UNWRAP_UNSYNCHRONIZED, 2, samples.size - 2, 0);
	/* Sixteen are enough. */
	for (i = 0; i < 16; i++)
		add_text(UART_53);
	add_text(UART_53 UART_1C UART_53);
	decode(&uart);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53));
}

static void uart_glitch(void **state)
{
	static const struct rvtrace_pib_config config = {
		.size = sizeof(config),
		.mode = RVTRACE_PIB_MODE_SWT_UART, .format = RVTRACE_FORMAT_NTRACE,
		.samples_per_bit = 8,
	};
	static const char bits[] = IDLE_10 UART_53 UART_1C UART_53;
	const char *bit;

	(void)state;
	add_same(1, 100);
	add_same(0, 3);
	for (bit = bits; *bit; bit++)
		add_same(*bit == '1', *bit == ' ' ? 0 : 8);
	decode(&config);
	/* The first frame ends a message, whose beginning nobody saw. */
	expect_one(RVTRACE_UNWRAP_GLITCH, 100, 3 + 8 * 20, 0);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53));
}

/* Eight ones and a stop bit may be in a frame. */
static void uart_nine_high_bits_are_not_idle(void **state)
{
	(void)state;
	add_text("0 111111111" UART_53 UART_1C UART_53);
	decode(&uart);
	assert_int_equal(found.bytes.size, 0);
	bytes_free(&samples);
	add_text("0 1111111111" UART_53 UART_1C UART_53);
	decode(&uart);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53));
}

static void uart_ends_within_a_frame(void **state)
{
	(void)state;
	add_text(IDLE_10 UART_1C UART_53 UART_1C "0 110");
	decode(&uart);
	expect_one(RVTRACE_UNWRAP_TRUNCATED, 30, 14, 2);
}

static void uart_ends_within_the_first_frame(void **state)
{
	(void)state;
	add_text(IDLE_10 UART_1C UART_53 "0 110");
	decode(&uart);
	expect_one(RVTRACE_UNWRAP_TRUNCATED, 30, 4, 2);
}

static void uart_ends_within_a_message(void **state)
{
	(void)state;
	add_text(IDLE_10 UART_1C UART_53 UART_1C "1");
	decode(&uart);
	expect_one(RVTRACE_UNWRAP_TRUNCATED, 30, 11, 2);
}

static void uart_begins_within_a_frame(void **state)
{
	(void)state;
	add_text("1010 1" IDLE_10 UART_53 UART_1C UART_53);
	decode(&uart);
	expect_one(RVTRACE_UNWRAP_UNSYNCHRONIZED, 1, 24, 0);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53));
}

/* Nine high bits at the end are not idle. */
static void uart_never_synchronized(void **state)
{
	static const struct rvtrace_pib_config config = {
		.size = sizeof(config),
		.mode = RVTRACE_PIB_MODE_SWT_UART, .format = RVTRACE_FORMAT_NTRACE,
		.samples_per_bit = 8,
	};

	(void)state;
	add_same(0, 20000);
	decode(&uart);
	expect_one(RVTRACE_UNWRAP_UNSYNCHRONIZED, 0, 20000, 0);
	decode(&config);
	expect_one(RVTRACE_UNWRAP_UNSYNCHRONIZED, 0, 20000, 0);
	add_same(1, 9);
	decode(&uart);
	expect_one(RVTRACE_UNWRAP_UNSYNCHRONIZED, 0, 20009, 0);
}

static void lines_that_are_idle(void **state)
{
	(void)state;
	decode(&uart);
	assert_int_equal(found.damages, 0);
	add_same(1, 3);
	decode(&uart);
	assert_int_equal(found.damages, 0);
	add_same(1, 20000);
	decode(&uart);
	assert_int_equal(found.damages, 0);
	bytes_free(&samples);
	add_same(0, 20000);
	decode(&manchester);
	assert_int_equal(found.damages, 0);
}

/* Start 10, zero 01, one 10, stop 00. */
#define M_1C	"01 01 10 10 10 01 01 01"
#define M_53	"10 10 01 01 10 01 10 01"
#define M_MESSAGE	"10 " M_1C M_53 "00"

static void manchester_without_transition(void **state)
{
	(void)state;
	add_text("000" M_MESSAGE);
	add_text("10" M_1C "10 10 11 01 10 01 10 01 00");	/* 39 */
	add_text("00" M_MESSAGE);				/* 75 */
	decode(&manchester);
	expect_one(RVTRACE_UNWRAP_TRANSITION, 39, 38, 2);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53, 0x1c, 0x53));
}

static void manchester_first_byte_without_transition(void **state)
{
	(void)state;
	add_text("000 10 01 01 11 000" M_MESSAGE);
	decode(&manchester);
	expect_one(RVTRACE_UNWRAP_TRANSITION, 3, 11, 0);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53));
}

/* They are in messages, too; three are not. */
static void manchester_after_two_low_phases(void **state)
{
	(void)state;
	add_text("1 00" M_MESSAGE "0" M_MESSAGE);
	decode(&manchester);
	expect_one(RVTRACE_UNWRAP_UNSYNCHRONIZED, 0, 40, 0);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53));
}

static void manchester_start_without_transition(void **state)
{
	(void)state;
	add_text("0000 11 000" M_MESSAGE);
	decode(&manchester);
	expect_one(RVTRACE_UNWRAP_TRANSITION, 4, 5, 0);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53));
}

static void manchester_stop_within_a_byte(void **state)
{
	(void)state;
	add_text("000 10" M_1C "10 10 01 00 00" M_MESSAGE);
	decode(&manchester);
	expect_one(RVTRACE_UNWRAP_BYTE, 3, 28, 0);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53));
}

static void manchester_stop_within_a_message(void **state)
{
	(void)state;
	add_text("000 10" M_1C "00" M_MESSAGE);
	decode(&manchester);
	expect_one(RVTRACE_UNWRAP_TRUNCATED, 3, 20, 0);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53));
}

static void manchester_message_without_bytes(void **state)
{
	(void)state;
	add_text("000 10 00 000" M_MESSAGE);
	decode(&manchester);
	expect_one(RVTRACE_UNWRAP_TRUNCATED, 3, 7, 0);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53));
}

static void manchester_begins_within_a_message(void **state)
{
	(void)state;
	add_text("01 10" M_53 "00" M_MESSAGE "00" M_MESSAGE);
	decode(&manchester);
	/* The last bit, 0, and the stop bit are low twice only. */
	expect_one(RVTRACE_UNWRAP_UNSYNCHRONIZED, 1, 59, 0);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53));
}

static void manchester_ends_within_a_message(void **state)
{
	(void)state;
	add_text("000" M_MESSAGE "10" M_1C "10 1");
	decode(&manchester);
	expect_one(RVTRACE_UNWRAP_TRUNCATED, 39, 21, 2);
}

static void manchester_ends_within_the_first_byte(void **state)
{
	(void)state;
	add_text("000" M_MESSAGE "10 01 0");
	decode(&manchester);
	expect_one(RVTRACE_UNWRAP_TRUNCATED, 39, 5, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(uart_stop_bit_is_low, free_pins),
		cmocka_unit_test_teardown(uart_without_idle, free_pins),
		cmocka_unit_test_teardown(uart_after_a_wrong_frame, free_pins),
		cmocka_unit_test_teardown(uart_frames_that_are_too_few, free_pins),
		cmocka_unit_test_teardown(uart_glitch, free_pins),
		cmocka_unit_test_teardown(uart_nine_high_bits_are_not_idle, free_pins),
		cmocka_unit_test_teardown(uart_ends_within_a_frame, free_pins),
		cmocka_unit_test_teardown(uart_ends_within_the_first_frame, free_pins),
		cmocka_unit_test_teardown(uart_ends_within_a_message, free_pins),
		cmocka_unit_test_teardown(uart_begins_within_a_frame, free_pins),
		cmocka_unit_test_teardown(uart_never_synchronized, free_pins),
		cmocka_unit_test_teardown(lines_that_are_idle, free_pins),
		cmocka_unit_test_teardown(manchester_without_transition, free_pins),
		cmocka_unit_test_teardown(manchester_first_byte_without_transition, free_pins),
		cmocka_unit_test_teardown(manchester_after_two_low_phases, free_pins),
		cmocka_unit_test_teardown(manchester_start_without_transition, free_pins),
		cmocka_unit_test_teardown(manchester_stop_within_a_byte, free_pins),
		cmocka_unit_test_teardown(manchester_stop_within_a_message, free_pins),
		cmocka_unit_test_teardown(manchester_message_without_bytes, free_pins),
		cmocka_unit_test_teardown(manchester_begins_within_a_message, free_pins),
		cmocka_unit_test_teardown(manchester_ends_within_a_message, free_pins),
		cmocka_unit_test_teardown(manchester_ends_within_the_first_byte, free_pins),
	};

	return cmocka_run_group_tests_name("unwrap-swt-damage", tests, NULL, NULL);
}
