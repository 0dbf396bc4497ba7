// SPDX-License-Identifier: GPL-2.0
/* Pin samples of a PIB and messages, worked by hand from the specifications. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "selftests/unit/pins-fixture.h"

#define SIZE		.size = sizeof(struct rvtrace_pib_config)
#define NTRACE(m)	{ SIZE, .mode = RVTRACE_PIB_MODE_##m, .format = RVTRACE_FORMAT_NTRACE }

static void expect(const struct rvtrace_pib_config *config, const uint8_t *pins, size_t size,
		   const uint8_t *expected, size_t expected_size)
{
	decode_pins(config, pins, size, 1, &found);
	assert_int_equal(found.damages, 0);
	expect_bytes(&found.bytes, expected, expected_size);
}

/* Where the first two messages began. */
static void expect_at(uint64_t first, uint64_t second)
{
	assert_true(found.ats >= 2);
	assert_int_equal(found.at[0], first);
	assert_int_equal(found.at[1], second);
}

/* What the encoder makes of two messages, after what pib_init() made. */
static void expect_encoded(const struct rvtrace_pib_config *config, const uint8_t *first,
			   size_t first_size, uint32_t idle, const uint8_t *second,
			   size_t second_size, const uint8_t *expected, size_t size)
{
	struct pib_config pins = pib_config_of(config);
	struct pib pib;
	size_t begin;

	pib_init(&pib, &pins, bytes_write, &samples);
	pib_flush(&pib);
	begin = samples.size;
	pib_message(&pib, first, first_size);
	pib_idle(&pib, idle);
	pib_message(&pib, second, second_size);
	pib_flush(&pib);
	assert_int_equal(samples.size - begin, size);
	assert_memory_equal(samples.data + begin, expected, size);
	bytes_free(&samples);
}

/* Two N-Trace messages. MSEO (bits 0 and 1) are 00, but 11 in the last byte. */
static const uint8_t two[] = { 0x1c, 0x53 }, three[] = { 0x80, 0xfd, 0xff };
static const uint8_t both[] = { 0x1c, 0x53, 0x80, 0xfd, 0xff };

/*
 * TCI 0.9.4, chapter 12.3: start 10, logic 0 01, logic 1 10, stop and idle 00;
 * least significant bit first.
 */
#define START	1, 0
#define ZERO	0, 1
#define ONE	1, 0
#define STOP	0, 0

#define MANCHESTER_BOTH										\
	START, ZERO, ZERO, ONE, ONE, ONE, ZERO, ZERO, ZERO,	/* 0x1c */			\
	ONE, ONE, ZERO, ZERO, ONE, ZERO, ONE, ZERO, STOP,	/* 0x53 */			\
	STOP, STOP,						/* idle */			\
	START, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ONE,	/* 0x80 */			\
	ONE, ZERO, ONE, ONE, ONE, ONE, ONE, ONE,		/* 0xfd */			\
	ONE, ONE, ONE, ONE, ONE, ONE, ONE, ONE, STOP		/* 0xff */

static void manchester_by_hand(void **state)
{
	static const struct rvtrace_pib_config config = NTRACE(SWT_MANCHESTER);

	(void)state;
	expect(&config, BYTES(STOP, STOP, MANCHESTER_BOTH), both, sizeof(both));
	expect_at(4, 4 + 2 * (1 + 16 + 1 + 2));
	expect_encoded(&config, two, sizeof(two), 2, three, sizeof(three), BYTES(MANCHESTER_BOTH));
}

/* Chapter 12.4: a low start bit, 8 data bits, LSB first, and a high stop bit; idle is high. */
#define UART_BOTH										\
	0, 0, 0, 1, 1, 1, 0, 0, 0, 1,	/* 0x1c */						\
	0, 1, 1, 0, 0, 1, 0, 1, 0, 1,	/* 0x53 */						\
	1, 1,				/* idle */						\
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1,	/* 0x80 */						\
	0, 1, 0, 1, 1, 1, 1, 1, 1, 1,	/* 0xfd */						\
	0, 1, 1, 1, 1, 1, 1, 1, 1, 1	/* 0xff */

static void uart_by_hand(void **state)
{
	static const struct rvtrace_pib_config config = NTRACE(SWT_UART);

	(void)state;
	expect(&config, BYTES(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, UART_BOTH), both, sizeof(both));
	expect_at(10, 10 + 20 + 2);
	expect_encoded(&config, two, sizeof(two), 2, three, sizeof(three), BYTES(UART_BOTH));
}

/* Bits of a byte on TRC_DATA[0], with TRC_CLK, which changes with each, on bit 1. */
#define BITS(a, b, c, d, e, f, g, h)	0 | (a), 2 | (b), 0 | (c), 2 | (d), 0 | (e), 2 | (f), \
					0 | (g), 2 | (h)
/* From the other edge on. */
#define STIB(a, b, c, d, e, f, g, h)	2 | (a), 0 | (b), 2 | (c), 0 | (d), 2 | (e), 0 | (f), \
					2 | (g), 0 | (h)
#define IDLE_BYTE	BITS(1, 1, 1, 1, 1, 1, 1, 1)
#define BITS_1C		BITS(0, 0, 1, 1, 1, 0, 0, 0)
#define BITS_53		BITS(1, 1, 0, 0, 1, 0, 1, 0)
#define STIB_1C		STIB(0, 0, 1, 1, 1, 0, 0, 0)
#define STIB_53		STIB(1, 1, 0, 0, 1, 0, 1, 0)

/* N-Trace 1.0, "PIB Idle Cycles Explained": no, two, three and eight idle bits. */
static void one_bit_with_any_number_of_idle_bits(void **state)
{
	static const struct rvtrace_pib_config config = NTRACE(PARALLEL_1);
	static const uint8_t expected[] = { 0x1c, 0x53, 0x1c, 0x53 };

	(void)state;
	expect(&config, BYTES(IDLE_BYTE, IDLE_BYTE, BITS_1C, BITS_53, BITS_1C, BITS_53),
	       expected, 4);
	expect(&config, BYTES(IDLE_BYTE, IDLE_BYTE, BITS_1C, BITS_53, 0 | 1, 2 | 1,
			      BITS_1C, BITS_53), expected, 4);
	expect(&config, BYTES(IDLE_BYTE, IDLE_BYTE, BITS_1C, BITS_53, 0 | 1, 2 | 1, 0 | 1,
			      STIB_1C, STIB_53), expected, 4);
	expect(&config, BYTES(IDLE_BYTE, IDLE_BYTE, BITS_1C, BITS_53, IDLE_BYTE,
			      BITS_1C, BITS_53), expected, 4);
	expect_encoded(&config, two, 2, 3, two, 2,
		       BYTES(STIB_1C, STIB_53, 2 | 1, 0 | 1, 2 | 1, BITS_1C, BITS_53));
}

/* Chapter 12.5: TRC_DATA[0] is the least significant bit in each beat. TRC_CLK is above. */
static void two_bits_by_hand(void **state)
{
	static const struct rvtrace_pib_config config = NTRACE(PARALLEL_2);

	(void)state;
	expect(&config, BYTES(0 | 3, 4 | 3, 0 | 3, 4 | 3, 0 | 3, 4 | 3, 0 | 3,
			      4 | 0, 0 | 3, 4 | 1, 0 | 0,	/* 0x1c */
			      4 | 3, 0 | 0, 4 | 1, 0 | 1,	/* 0x53 */
			      4 | 3,
			      0 | 0, 4 | 0, 0 | 0, 4 | 2,	/* 0x80 */
			      0 | 1, 4 | 3, 0 | 3, 4 | 3,	/* 0xfd */
			      0 | 3, 4 | 3, 0 | 3, 4 | 3,	/* 0xff */
			      0 | 3), both, sizeof(both));
	expect_at(7, 16);
}

static void four_bits_by_hand(void **state)
{
	static const struct rvtrace_pib_config config = NTRACE(PARALLEL_4);

	(void)state;
	expect(&config, BYTES(16 | 15, 15, 16 | 15, 15,
			      16 | 12, 1, 16 | 3, 5,		/* 0x1c, 0x53 */
			      16 | 15,
			      0, 16 | 8, 13, 16 | 15, 15, 16 | 15), both, sizeof(both));
}

/* The figure in chapter 12.5 with pibRefCenter=0: a 5-byte message, then a 2-byte one. */
static void figure_without_ref_center(void **state)
{
	static const struct rvtrace_pib_config config = NTRACE(PARALLEL_8);
	static const uint8_t five[] = { 0x10, 0x20, 0x30, 0x40, 0x53 };
	static const uint8_t all[] = { 0x10, 0x20, 0x30, 0x40, 0x53, 0x1c, 0x53 };

	(void)state;
	/* In the figure TRC_CLK is high at first. Bytes of data, then TRC_CLK. */
	expect(&config, BYTES(0xff, 1, 0x10, 0, 0x20, 1, 0x30, 0, 0x40, 1, 0x53, 0,
			      0xff, 1, 0xff, 0, 0x1c, 1, 0x53, 0, 0xff, 1), all, sizeof(all));
	expect_at(2, 16);
	expect_encoded(&config, five, 5, 2, two, 2,
		       BYTES(0x10, 1, 0x20, 0, 0x30, 1, 0x40, 0, 0x53, 1, 0xff, 0, 0xff, 1,
			     0x1c, 0, 0x53, 1));
}

/* The figure with pibRefCenter=1: 4 bytes, data change between two edges of TRC_CLK. */
static void figure_with_ref_center(void **state)
{
	static const struct rvtrace_pib_config config = {
		.size = sizeof(config),
		.mode = RVTRACE_PIB_MODE_PARALLEL_8, .format = RVTRACE_FORMAT_NTRACE,
		.ref_center = true,
	};
	static const uint8_t four[] = { 0x10, 0x20, 0x30, 0x53 };

	(void)state;
	expect(&config, BYTES(0xff, 0, 0xff, 1,
			      0x10, 1, 0x10, 0, 0x20, 0, 0x20, 1, 0x30, 1, 0x30, 0, 0x53, 0,
			      0x53, 1, 0xff, 1, 0xff, 0), four, sizeof(four));
	expect_encoded(&config, four, 4, 1, two, 2,
		       BYTES(0x10, 0, 0x10, 1, 0x20, 1, 0x20, 0, 0x30, 0, 0x30, 1, 0x53, 1,
			     0x53, 0, 0xff, 0, 0xff, 1, 0x1c, 1, 0x1c, 0, 0x53, 0, 0x53, 1));
}

/* "In 16-bit mode first byte of message is transmitted on LSB part". */
static void sixteen_bits_by_hand(void **state)
{
	static const struct rvtrace_pib_config config = NTRACE(PARALLEL_16);

	(void)state;
	/* Messages that begin with the second byte are understood, too. */
	expect(&config, BYTES(0xff, 0xff, 0, 0x80, 0xfd, 1, 0xff, 0x1c, 0, 0x53, 0x80, 1,
			      0xfd, 0xff, 0, 0xff, 0x1c, 1, 0x53, 0xff, 0),
	       BYTES(0x80, 0xfd, 0xff, 0x1c, 0x53, 0x80, 0xfd, 0xff, 0x1c, 0x53));
	expect_encoded(&config, three, 3, 0, two, 2,
		       BYTES(0x80, 0xfd, 0, 0xff, 0xff, 1, 0x1c, 0x53, 0));
}

#define PACKET_1	0x02, 0x00, 0x80	/* header: 2 bytes follow */
#define PACKET_2	0x21, 0x00		/* flow 1: no null packet */
#define PACKET_3	0x22, 0x01, 0x03

/*
 * E-Trace Encapsulation 1.0, "Null Encapsulation": 00 is null.idle, 80
 * null.alignment, the last null before a packet. To begin with, 31 of them.
 */
static void etrace_bytes_by_hand(void **state)
{
	static const struct rvtrace_pib_config config = {
		.size = sizeof(config),
		.mode = RVTRACE_PIB_MODE_PARALLEL_8, .format = RVTRACE_FORMAT_ETRACE,
	};
	uint8_t pins[128] = { };
	unsigned int i;

	(void)state;
	for (i = 0; i < 64; i++)
		pins[2 * i + 1] = i % 2;
	pins[31 * 2] = 0x80;
	memcpy(pins + 32 * 2, BYTES(0x02, 0, 0x00, 1, 0x80, 0, 0x21, 1, 0x00, 0));
	pins[38 * 2] = 0x80;
	memcpy(pins + 39 * 2, BYTES(0x21, 1, 0x00, 0));
	expect(&config, pins, 42 * 2, BYTES(PACKET_1, PACKET_2, PACKET_2));
	expect_at(32 * 2, 35 * 2);
	expect_encoded(&config, BYTES(PACKET_1), 2, BYTES(PACKET_2),
		       BYTES(0x80, 0, 0x02, 1, 0, 0, 0x80, 1, 0, 0, 0, 1, 0x80, 0, 0x21, 1, 0, 0));
}

/* "The single 1 at the end of this sequence uniquely identifies the byte boundary". */
static void etrace_bits_by_hand(void **state)
{
	static const struct rvtrace_pib_config config = {
		.size = sizeof(config),
		.mode = RVTRACE_PIB_MODE_PARALLEL_1, .format = RVTRACE_FORMAT_ETRACE,
	};
	uint8_t pins[31 * 8 + 3], clocked[sizeof(pins) + 100], bits[] = {
		0, 0, 0, 0, 0, 0, 0, 1,
		0, 1, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 1,
		1, 0, 0, 0, 0, 1, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 1,
		1, 0, 0, 0, 0, 1, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,
	};
	unsigned int i;

	(void)state;
	/* Three more zeros than whole bytes of them. */
	memset(pins, 0, sizeof(pins));
	memcpy(clocked, pins, sizeof(pins));
	memcpy(clocked + sizeof(pins), bits, sizeof(bits));
	for (i = 0; i < sizeof(pins) + sizeof(bits); i++)
		clocked[i] |= i % 2 << 1;
	expect(&config, clocked, sizeof(pins) + sizeof(bits),
	       BYTES(PACKET_1, PACKET_2, PACKET_2));
}

/* More than one packet between a start and a stop bit. */
static void etrace_manchester_by_hand(void **state)
{
	static const struct rvtrace_pib_config config = {
		.size = sizeof(config),
		.mode = RVTRACE_PIB_MODE_SWT_MANCHESTER, .format = RVTRACE_FORMAT_ETRACE,
	};
	static const struct rvtrace_pib_config faster = {
		.size = sizeof(faster),
		.mode = RVTRACE_PIB_MODE_SWT_MANCHESTER, .format = RVTRACE_FORMAT_ETRACE,
		.samples_per_bit = 16,
	};
	static const uint8_t pins[] = {
		STOP, STOP, START,
		ZERO, ONE, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO,		/* 0x02 */
		ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO,		/* 0x00 */
		ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ONE,		/* 0x80 */
		ZERO, ONE, ZERO, ZERO, ZERO, ONE, ZERO, ZERO,		/* 0x22 */
		ONE, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO,		/* 0x01 */
		ONE, ONE, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO,		/* 0x03 */
		STOP,
	};
	size_t i;

	(void)state;
	expect(&config, pins, sizeof(pins), BYTES(PACKET_1, PACKET_3));
	expect_at(4, 6 + 3 * 16);
	/* Sampled eight times as often; the second one begins amid two low phases. */
	for (i = 0; i < sizeof(pins); i++)
		add_same(pins[i], 8);
	expect(&faster, samples.data, samples.size, BYTES(PACKET_1, PACKET_3));
	expect_at(4 * 8, (6 + 3 * 16) * 8);
}

/* Eight bits: bytes are where they are, null.idle need not end with null.alignment. */
static void etrace_bytes_without_alignment(void **state)
{
	static const struct rvtrace_pib_config config = {
		.size = sizeof(config),
		.mode = RVTRACE_PIB_MODE_PARALLEL_8, .format = RVTRACE_FORMAT_ETRACE,
	};
	uint8_t pins[128] = { };
	unsigned int i;

	(void)state;
	for (i = 0; i < 64; i++)
		pins[2 * i + 1] = i % 2;
	for (i = 32; i < 64; i += 4)
		memcpy(pins + i * 2, BYTES(0x21, 0, 0x05, 1));
	expect(&config, pins, sizeof(pins), BYTES(0x21, 5, 0x21, 5, 0x21, 5, 0x21, 5, 0x21, 5,
						  0x21, 5, 0x21, 5, 0x21, 5));
}

/* Samples that the encoder makes of @count messages of 40 bytes, less those of pib_init(). */
static size_t encoded_size(const struct rvtrace_pib_config *config, uint32_t async_interval,
			   unsigned int count, uint32_t idle)
{
	static const uint8_t message[40] = { [39] = 3 };
	struct pib_config pins = pib_config_of(config);
	struct pib pib;
	size_t begin, size;

	pins.async_interval = async_interval;
	pib_init(&pib, &pins, bytes_write, &samples);
	pib_flush(&pib);
	begin = samples.size;
	for (; count; count--) {
		pib_message(&pib, message, sizeof(message));
		pib_idle(&pib, idle);
	}
	pib_flush(&pib);
	size = samples.size - begin;
	bytes_free(&samples);
	return size;
}

static void alignment_sequences_are_sent_in_time(void **state)
{
	static const struct rvtrace_pib_config ntrace = NTRACE(PARALLEL_8);
	static const struct rvtrace_pib_config etrace = {
		.size = sizeof(etrace),
		.mode = RVTRACE_PIB_MODE_PARALLEL_8, .format = RVTRACE_FORMAT_ETRACE,
	};

	(void)state;
	assert_int_equal(encoded_size(&ntrace, 0, 10, 0), 2 * 10 * 40);
	/* Before the third, fifth, seventh and ninth message. */
	assert_int_equal(encoded_size(&ntrace, 80, 10, 0), 2 * (10 * 40 + 4 * 2));
	assert_int_equal(encoded_size(&ntrace, 81, 10, 0), 2 * (10 * 40 + 3 * 2));
	assert_int_equal(encoded_size(&ntrace, 80, 10, 1), 2 * (10 * 41 + 4 * 2));
	/* null.alignment is the last null, of those that pib_init() sent as well. */
	assert_int_equal(encoded_size(&etrace, 0, 10, 0), 2 * (1 + 10 * 40));
	assert_int_equal(encoded_size(&etrace, 0, 10, 2), 2 * (10 * 43));
	assert_int_equal(encoded_size(&etrace, 80, 10, 0), 2 * (1 + 10 * 40 + 4 * 32));
}

static void wrong_parameters_are_refused(void **state)
{
	static const struct rvtrace_pib_config wrong[] = {
		{ SIZE, .mode = RVTRACE_PIB_MODE_OFF, .format = RVTRACE_FORMAT_NTRACE },
		{ SIZE, .mode = 6, .format = RVTRACE_FORMAT_NTRACE },
		{ SIZE, .mode = 13, .format = RVTRACE_FORMAT_NTRACE },
		{ SIZE, .mode = RVTRACE_PIB_MODE_PARALLEL_8, .format = 2 },
		{ SIZE, .mode = RVTRACE_PIB_MODE_SWT_UART, .format = RVTRACE_FORMAT_NTRACE,
		  .ref_center = true },
		{ SIZE, .mode = RVTRACE_PIB_MODE_SWT_UART, .format = RVTRACE_FORMAT_NTRACE,
		  .samples_per_bit = 1.9 },
		{ SIZE, .mode = RVTRACE_PIB_MODE_SWT_MANCHESTER, .format = RVTRACE_FORMAT_NTRACE,
		  .samples_per_bit = 3.9 },
		{ SIZE, .mode = RVTRACE_PIB_MODE_PARALLEL_8, .format = RVTRACE_FORMAT_NTRACE,
		  .samples_per_bit = 4 },
		{ SIZE, .mode = RVTRACE_PIB_MODE_PARALLEL_8, .sample_bytes = 1 },
		{ SIZE, .mode = RVTRACE_PIB_MODE_PARALLEL_8, .sample_bytes = 9 },
		{ SIZE, .mode = RVTRACE_PIB_MODE_PARALLEL_8, .src_bits = 17 },
		{ SIZE, .mode = RVTRACE_PIB_MODE_PARALLEL_8, .timestamp_bytes = 9 },
	};
	struct rvtrace_unwrap_handler handler = found_handler(&found);
	struct rvtrace_pib *pib;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(rvtrace_pib_new(&wrong[i], &handler, &pib), RVTRACE_ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(manchester_by_hand, free_pins),
		cmocka_unit_test_teardown(uart_by_hand, free_pins),
		cmocka_unit_test_teardown(one_bit_with_any_number_of_idle_bits, free_pins),
		cmocka_unit_test_teardown(two_bits_by_hand, free_pins),
		cmocka_unit_test_teardown(four_bits_by_hand, free_pins),
		cmocka_unit_test_teardown(figure_without_ref_center, free_pins),
		cmocka_unit_test_teardown(figure_with_ref_center, free_pins),
		cmocka_unit_test_teardown(sixteen_bits_by_hand, free_pins),
		cmocka_unit_test_teardown(etrace_bytes_by_hand, free_pins),
		cmocka_unit_test_teardown(etrace_bits_by_hand, free_pins),
		cmocka_unit_test_teardown(etrace_manchester_by_hand, free_pins),
		cmocka_unit_test_teardown(etrace_bytes_without_alignment, free_pins),
		cmocka_unit_test_teardown(alignment_sequences_are_sent_in_time, free_pins),
		cmocka_unit_test_teardown(wrong_parameters_are_refused, free_pins),
	};

	return cmocka_run_group_tests_name("unwrap-pib", tests, NULL, NULL);
}
