// SPDX-License-Identifier: GPL-2.0
/* Pin samples that are damaged: what is told, and where reading goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "selftests/unit/unwrap-fixture.h"

#define BYTES(...)	((const uint8_t[]){ __VA_ARGS__ }), sizeof((const uint8_t[]){ __VA_ARGS__ })

static struct found found;
static struct bytes samples;

static int free_all(void **state)
{
	(void)state;
	found_free(&found);
	bytes_free(&samples);
	return 0;
}

static const struct rvtrace_pib_config uart = {
	.mode = RVTRACE_PIB_MODE_SWT_UART, .format = RVTRACE_FORMAT_NTRACE,
};

static const struct rvtrace_pib_config manchester = {
	.mode = RVTRACE_PIB_MODE_SWT_MANCHESTER, .format = RVTRACE_FORMAT_NTRACE,
};

static const struct rvtrace_pib_config one_bit = {
	.mode = RVTRACE_PIB_MODE_PARALLEL_1, .format = RVTRACE_FORMAT_NTRACE,
};

static const struct rvtrace_pib_config eight_bits = {
	.mode = RVTRACE_PIB_MODE_PARALLEL_8, .format = RVTRACE_FORMAT_NTRACE,
};

static const struct rvtrace_pib_config etrace_bytes = {
	.mode = RVTRACE_PIB_MODE_PARALLEL_8, .format = RVTRACE_FORMAT_ETRACE,
};

static const struct rvtrace_pib_config etrace_bits = {
	.mode = RVTRACE_PIB_MODE_PARALLEL_1, .format = RVTRACE_FORMAT_ETRACE,
};

static void add(const uint8_t *data, size_t size)
{
	bytes_add(&samples, data, size);
}

/* @size samples that are all @value. */
static void add_same(uint8_t value, size_t size)
{
	for (; size; size--)
		bytes_add(&samples, &value, 1);
}

/* One byte a bit: @bits, of which the first is the first character. */
static void add_text(const char *bits)
{
	for (; *bits; bits++)
		if (*bits != ' ')
			add_same(*bits == '1', 1);
}

/* 16 bits a sample: bytes on eight wires, and TRC_CLK. */
static void add_parallel(const uint8_t *bytes, size_t size)
{
	for (; size; size--, bytes++) {
		bool clock = samples.size / 2 % 2;

		add(bytes, 1);
		add_same(clock, 1);
	}
}

/* One wire, and TRC_CLK. */
static void add_clocked(const char *bits)
{
	for (; *bits; bits++)
		if (*bits != ' ')
			add_same((*bits == '1') | samples.size % 2 << 1, 1);
}

static void decode(const struct rvtrace_pib_config *config)
{
	decode_pins(config, samples.data, samples.size, 1, &found);
}

static void expect_one(enum rvtrace_unwrap_damage_kind kind, uint64_t offset, uint64_t length,
		       size_t before)
{
	assert_int_equal(found.damages, 1);
	expect_damage(&found, 0, kind, offset, length);
	assert_int_equal(found.before[0], before);
}

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

static void uart_glitch(void **state)
{
	static const struct rvtrace_pib_config config = {
		.mode = RVTRACE_PIB_MODE_SWT_UART, .format = RVTRACE_FORMAT_NTRACE,
		.samples_per_bit = 8,
	};

	(void)state;
	add_same(1, 80);
	add_same(0, 3);		/* offset 80 */
	add_same(1, 80);
	add_same(0, 8 * 8);	/* 163: a byte with MSEO 11, which ends a message */
	add_same(1, 8 * 2);
	add_same(0, 8 * 9);	/* 243 */
	add_same(1, 8);
	add_same(0, 8 * 7);
	add_same(1, 8 * 3);
	decode(&config);
	assert_int_equal(found.damages, 1);
	assert_int_equal(found.damage[0].kind, RVTRACE_UNWRAP_GLITCH);
	assert_int_equal(found.damage[0].offset, 80);
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

/* N-Trace 1.0, "MSEO Sequences": 10 is reserved, and so is 01 after 11. */
static void reserved_mseo_sequences(void **state)
{
	(void)state;
	add_parallel(BYTES(0xff, 0x1c, 0x53, 0x1c, 0x22, 0x30, 0x53, 0x1c, 0x57, 0xff,
			   0x11, 0x53, 0x1c, 0x5b));
	decode(&eight_bits);
	assert_int_equal(found.damages, 2);
	expect_damage(&found, 0, RVTRACE_UNWRAP_MSEO, 3 * 2, 4 * 2);
	expect_damage(&found, 1, RVTRACE_UNWRAP_MSEO, 10 * 2, 2 * 2);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53, 0x1c, 0x57, 0x1c, 0x5b));
	assert_int_equal(found.before[0], 2);
	assert_int_equal(found.before[1], 4);
}

static void one_byte_that_only_ends(void **state)
{
	(void)state;
	add_parallel(BYTES(0xff, 0x53, 0x1c, 0x53));
	decode(&eight_bits);
	expect_one(RVTRACE_UNWRAP_MSEO, 2, 2, 0);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53));
}

static void parallel_begins_within_a_message(void **state)
{
	(void)state;
	add_parallel(BYTES(0x20, 0x53, 0x1c, 0x53));
	decode(&eight_bits);
	expect_one(RVTRACE_UNWRAP_UNSYNCHRONIZED, 0, 4, 0);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53));
}

static void parallel_ends_within_a_message(void **state)
{
	(void)state;
	add_parallel(BYTES(0xff, 0x1c, 0x53, 0x1c));
	decode(&eight_bits);
	expect_one(RVTRACE_UNWRAP_TRUNCATED, 6, 2, 2);
}

static void input_ends_within_a_sample(void **state)
{
	(void)state;
	add_parallel(BYTES(0xff, 0x1c, 0x53));
	add_same(0x1c, 1);
	decode(&eight_bits);
	expect_one(RVTRACE_UNWRAP_TRUNCATED, 6, 1, 2);
}

/* Nothing drives the pins. */
static void wires_that_are_low(void **state)
{
	unsigned int i;

	(void)state;
	add_parallel(BYTES(0xff, 0x1c, 0x53));
	for (i = 0; i < 1000; i++)
		add_parallel(BYTES(0));
	decode(&eight_bits);
	expect_one(RVTRACE_UNWRAP_TOO_LONG, 6, 2000, 2);
}

#define P_IDLE	"11111111"
#define P_1C	"00111000"
#define P_53	"11001010"

static void bits_after_damage_need_idle(void **state)
{
	(void)state;
	add_clocked(P_IDLE P_IDLE P_1C P_53);
	add_clocked("01111000" P_53 P_1C P_53);		/* 32 */
	add_clocked(P_IDLE "111111" P_1C P_53 P_1C P_53);	/* 64 */
	decode(&one_bit);
	expect_one(RVTRACE_UNWRAP_MSEO, 32, 46, 2);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53, 0x1c, 0x53, 0x1c, 0x53));
}

/* "PIB must generate at least one idle byte" */
static void one_idle_byte_and_four_messages(void **state)
{
	(void)state;
	add_clocked("0011");
	add_clocked(P_IDLE P_1C P_53 P_1C P_53 P_1C P_53 P_1C P_53 P_1C);
	decode(&one_bit);
	assert_int_equal(found.damages, 2);
	expect_damage(&found, 0, RVTRACE_UNWRAP_UNSYNCHRONIZED, 0, 12);
	expect_damage(&found, 1, RVTRACE_UNWRAP_TRUNCATED, 12 + 64, 8);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53, 0x1c, 0x53, 0x1c, 0x53, 0x1c, 0x53));
}

/* Two messages after one idle byte, then a beginning that is certain. */
static void what_is_on_trial_is_told_when_it_is_dropped(void **state)
{
	(void)state;
	add_clocked(P_IDLE P_1C P_53 P_1C P_53 P_IDLE P_IDLE P_1C P_53);
	decode(&one_bit);
	expect_one(RVTRACE_UNWRAP_UNSYNCHRONIZED, 8, 48, 0);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53));
}

/* What was right before does not make its first byte one amid a message: MSEO is 01. */
static void second_message_on_trial_is_none(void **state)
{
	(void)state;
	add_clocked(P_IDLE P_1C P_53 "1 01 111000" P_53 P_IDLE P_IDLE P_1C P_53);
	decode(&one_bit);
	assert_int_equal(found.damages, 1);
	expect_damage(&found, 0, RVTRACE_UNWRAP_UNSYNCHRONIZED, 8, 49);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53));
}

/* From eight ones on it is likely that they are idle, from fourteen on certain. */
static void ones_before_the_first_message(void **state)
{
	static const struct {
		const char *ones;
		unsigned int needed;	/* messages; 0: it is never enough */
	} cases[] = { { "1111111", 0 }, { "11111111", 4 }, { "1111111111111", 4 },
		      { "11111111111111", 1 } };
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		add_clocked("0");
		add_clocked(cases[i].ones);
		add_clocked(P_1C P_53 P_1C P_53 P_1C P_53 P_1C P_53);
		decode(&one_bit);
		assert_int_equal(found.bytes.size, cases[i].needed ? 8 : 0);
		bytes_free(&samples);
		/* Too few of them on trial. */
		add_clocked("0");
		add_clocked(cases[i].ones);
		add_clocked(P_1C P_53 P_1C P_53 P_1C P_53);
		decode(&one_bit);
		assert_int_equal(found.bytes.size, cases[i].needed == 1 ? 6 : 0);
		bytes_free(&samples);
	}
}

/* 00 111111, 11 000000: eight ones which are not idle. */
static void ones_within_a_message_are_not_idle(void **state)
{
	(void)state;
	add_clocked("00111111 11001010");
	add_clocked(P_1C P_53 P_IDLE P_IDLE P_1C P_53);
	decode(&one_bit);
	assert_int_equal(found.damages, 1);
	assert_int_equal(found.damage[0].kind, RVTRACE_UNWRAP_UNSYNCHRONIZED);
	expect_bytes(&found.bytes, BYTES(0x1c, 0x53));
}

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
		.mode = RVTRACE_PIB_MODE_SWT_UART, .format = RVTRACE_FORMAT_ETRACE,
	};
	unsigned int i;

	(void)state;
	add_text("10" IDLE_10);
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

/* What is held for trial when the input ends in a sample is told as well. */
static void trial_that_ends_within_a_sample(void **state)
{
	static const struct rvtrace_pib_config config = {
		.mode = RVTRACE_PIB_MODE_PARALLEL_1, .format = RVTRACE_FORMAT_NTRACE,
		.sample_bytes = 2,
	};
	struct bytes wide = { };
	size_t i;

	(void)state;
	add_clocked(P_IDLE P_1C P_53 "1");
	for (i = 0; i < samples.size; i++)
		bytes_add(&wide, (const uint8_t[]){ samples.data[i], 0 }, 2);
	bytes_add(&wide, "", 1);
	decode_pins(&config, wide.data, wide.size, 1, &found);
	bytes_free(&wide);
	expect_one(RVTRACE_UNWRAP_TRUNCATED, 16, 35, 0);
}

/*
 * A sample too many, one too few, or one that is wrong: what was whole before
 * is there, and so is all that follows a few alignment sequences.
 */
#define MESSAGES	400
#define DAMAGED		150	/* this message */
#define ASYNC_INTERVAL	200

static void damage_once(const struct rvtrace_pib_config *config, unsigned int how)
{
	struct pib_config pins = pib_config_of(config);
	unsigned int i, size = 1;
	struct bytes sent = { };
	size_t before = 0, after = 0, where = 0, last = 0;
	struct pib pib;

	if (config->mode >= RVTRACE_PIB_MODE_PARALLEL_8)
		size = config->mode - RVTRACE_PIB_MODE_PARALLEL_8 + 2;
	pins.async_interval = ASYNC_INTERVAL;
	pib_init(&pib, &pins, bytes_write, &samples);
	for (i = 0; i < MESSAGES; i++) {
		uint8_t message[MESSAGE_MAX];
		size_t length = random_message(config, message);

		if (i == DAMAGED) {
			pib_flush(&pib);
			before = sent.size;
			where = samples.size + random_below(5) * size;
		}
		pib_message(&pib, message, length);
		bytes_add(&sent, message, length);
		if (where && !after && sent.size > before + 4 * ASYNC_INTERVAL)
			after = sent.size;
		if (config->mode == RVTRACE_PIB_MODE_SWT_UART && i % 20 == 0)
			pib_idle(&pib, 10);
	}
	pib_flush(&pib);
	last = sent.size - after;
	if (how == 0) {
		memmove(samples.data + where, samples.data + where + size,
			samples.size - where - size);
		samples.size -= size;
	} else if (how == 1) {
		bytes_add(&samples, samples.data, size);
		memmove(samples.data + where + size, samples.data + where,
			samples.size - where - size);
	} else {
		samples.data[where] ^= 1 << random_below(config->mode == 8 ? 2 : 1);
	}
	decode_pins(config, samples.data, samples.size, 0, &found);
	assert_true(found.bytes.size >= before + last);
	assert_memory_equal(found.bytes.data, sent.data, before);
	assert_memory_equal(found.bytes.data + found.bytes.size - last,
			    sent.data + sent.size - last, last);
	if (found.damages)
		assert_true(found.before[0] >= before);
	bytes_free(&sent);
	bytes_free(&samples);
}

static void one_sample_is_damaged(void **state)
{
	unsigned int how, times;
	size_t i;

	(void)state;
	for (i = 0; i < all_pins_count; i++)
		for (how = 0; how < 3; how++)
			for (times = 0; times < 20; times++)
				damage_once(&all_pins[i], how);
}

/* Whatever comes: no crash, and every byte is accounted for in order. */
static void random_samples(void **state)
{
	uint8_t data[5000];
	size_t i, j, k;

	(void)state;
	for (i = 0; i < all_pins_count; i++) {
		for (j = 0; j < 20; j++) {
			uint64_t end = 0;

			for (k = 0; k < sizeof(data); k++)
				data[k] = random_below(4) ? 0xff * random_below(2) :
					  random_below(256);
			memset(&found, 0, sizeof(found));
			decode_pins(&all_pins[i], data, 200 + random_below(300), 0, &found);
			for (k = 0; k < found.damages; k++) {
				assert_true(found.damage[k].offset >= end);
				end = found.damage[k].offset + found.damage[k].length;
			}
			assert_true(end <= 500);
			found_free(&found);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(uart_stop_bit_is_low, free_all),
		cmocka_unit_test_teardown(uart_without_idle, free_all),
		cmocka_unit_test_teardown(uart_glitch, free_all),
		cmocka_unit_test_teardown(uart_ends_within_a_frame, free_all),
		cmocka_unit_test_teardown(uart_ends_within_the_first_frame, free_all),
		cmocka_unit_test_teardown(uart_ends_within_a_message, free_all),
		cmocka_unit_test_teardown(uart_begins_within_a_frame, free_all),
		cmocka_unit_test_teardown(manchester_without_transition, free_all),
		cmocka_unit_test_teardown(manchester_start_without_transition, free_all),
		cmocka_unit_test_teardown(manchester_stop_within_a_byte, free_all),
		cmocka_unit_test_teardown(manchester_stop_within_a_message, free_all),
		cmocka_unit_test_teardown(manchester_message_without_bytes, free_all),
		cmocka_unit_test_teardown(manchester_begins_within_a_message, free_all),
		cmocka_unit_test_teardown(manchester_ends_within_a_message, free_all),
		cmocka_unit_test_teardown(manchester_ends_within_the_first_byte, free_all),
		cmocka_unit_test_teardown(reserved_mseo_sequences, free_all),
		cmocka_unit_test_teardown(one_byte_that_only_ends, free_all),
		cmocka_unit_test_teardown(parallel_begins_within_a_message, free_all),
		cmocka_unit_test_teardown(parallel_ends_within_a_message, free_all),
		cmocka_unit_test_teardown(input_ends_within_a_sample, free_all),
		cmocka_unit_test_teardown(wires_that_are_low, free_all),
		cmocka_unit_test_teardown(bits_after_damage_need_idle, free_all),
		cmocka_unit_test_teardown(one_idle_byte_and_four_messages, free_all),
		cmocka_unit_test_teardown(what_is_on_trial_is_told_when_it_is_dropped, free_all),
		cmocka_unit_test_teardown(second_message_on_trial_is_none, free_all),
		cmocka_unit_test_teardown(ones_before_the_first_message, free_all),
		cmocka_unit_test_teardown(ones_within_a_message_are_not_idle, free_all),
		cmocka_unit_test_teardown(etrace_begins_within_a_packet, free_all),
		cmocka_unit_test_teardown(etrace_idle_without_alignment, free_all),
		cmocka_unit_test_teardown(etrace_idle_that_is_no_whole_number_of_bytes, free_all),
		cmocka_unit_test_teardown(etrace_synchronization_sequences, free_all),
		cmocka_unit_test_teardown(etrace_synchronization_to_the_bit, free_all),
		cmocka_unit_test_teardown(etrace_nulls_around_damage, free_all),
		cmocka_unit_test_teardown(etrace_ends_within_a_packet, free_all),
		cmocka_unit_test_teardown(trial_that_ends_within_a_sample, free_all),
		cmocka_unit_test_teardown(one_sample_is_damaged, free_all),
		cmocka_unit_test_teardown(random_samples, free_all),
	};

	return cmocka_run_group_tests_name("unwrap-pib-damage", tests, NULL, NULL);
}
