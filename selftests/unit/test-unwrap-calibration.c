// SPDX-License-Identifier: GPL-2.0
/* Calibration patterns of a PIB: TCI 0.9.4 chapter 12.2, 1.0 "Calibration Mode". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "selftests/unit/pins-fixture.h"

/* Column "Wire Sequence" of the table; of the SWT modes, the bytes before it. */
static const struct wires {
	uint8_t mode;
	unsigned int width;
	unsigned int size;	/* of a sample */
	unsigned int period;
	uint16_t sequence[32];
} wires[] = {
	{ RVTRACE_PIB_MODE_PARALLEL_1, 1, 1, 32,
	  { 0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0,
	    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1 } },
	{ RVTRACE_PIB_MODE_PARALLEL_2, 2, 1, 16,
	  { 2, 1, 2, 1, 2, 1, 2, 1, 0, 3, 0, 3, 3, 0, 3, 0 } },
	{ RVTRACE_PIB_MODE_PARALLEL_4, 4, 1, 8, { 0xa, 5, 0xa, 5, 0, 0xf, 0xf, 0 } },
	{ RVTRACE_PIB_MODE_PARALLEL_8, 8, 2, 4, { 0xaa, 0x55, 0, 0xff } },
	{ RVTRACE_PIB_MODE_PARALLEL_16, 16, 3, 4, { 0xaaaa, 0x5555, 0, 0xffff } },
};

#define WIRES	(sizeof(wires) / sizeof(wires[0]))

/* @count beats of the pattern from its @phase on, with TRC_CLK. */
static void add_pattern(const struct wires *w, unsigned int phase, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		uint32_t clock = samples.size / w->size % 2;
		uint32_t pins = w->sequence[(phase + i) % w->period] | clock << w->width;

		bytes_add(&samples, &pins, w->size);
	}
}

static struct rvtrace_pib_config config_of(const struct wires *w)
{
	return (struct rvtrace_pib_config){
		.size = sizeof(struct rvtrace_pib_config),
		.mode = w->mode, .format = RVTRACE_FORMAT_NTRACE, .calibrate = true,
	};
}

static void wire_sequences_from_any_phase_on(void **state)
{
	unsigned int i, phase;

	(void)state;
	for (i = 0; i < WIRES; i++) {
		struct rvtrace_pib_config config = config_of(&wires[i]);

		for (phase = 0; phase < wires[i].period; phase++) {
			add_pattern(&wires[i], phase, 10 * wires[i].period + phase);
			decode(&config);
			assert_int_equal(found.damages, 0);
			assert_int_equal(found.bytes.size, 0);
			assert_int_equal(found.patterns, 10);
			assert_int_equal(found.pattern_offset, 0);
			bytes_free(&samples);
		}
	}
}

/* The encoder's pins, without what it sends before. */
static void encode(const struct rvtrace_pib_config *config, uint32_t repeat)
{
	struct pib_config pins = pib_config_of(config);
	struct pib pib;

	pib_init(&pib, &pins, bytes_write, &samples);
	pib_flush(&pib);
	bytes_free(&samples);
	pib_calibrate(&pib, repeat);
	pib_flush(&pib);
}

static void encoder_sends_wire_sequences(void **state)
{
	unsigned int i, j;

	(void)state;
	for (i = 0; i < WIRES; i++) {
		const struct wires *w = &wires[i];
		struct rvtrace_pib_config config = config_of(w);

		encode(&config, 1);
		for (j = 0; j < w->period; j++) {
			uint32_t pins = 0;

			memcpy(&pins, samples.data + j * w->size, w->size);
			assert_int_equal(pins & ((1 << w->width) - 1), w->sequence[j]);
		}
		bytes_free(&samples);
	}
}

static const struct rvtrace_pib_config uart = {
	.size = sizeof(uart),
	.mode = RVTRACE_PIB_MODE_SWT_UART, .format = RVTRACE_FORMAT_NTRACE, .calibrate = true,
};

static const struct rvtrace_pib_config manchester = {
	.size = sizeof(manchester),
	.mode = RVTRACE_PIB_MODE_SWT_MANCHESTER, .format = RVTRACE_FORMAT_NTRACE,
	.calibrate = true,
};

#define UART_PATTERN	"0 01010101 1  0 10101010 1  0 00000000 1  0 11111111 1"
#define MANCHESTER_PATTERN									\
	"01 10 01 10 01 10 01 10  10 01 10 01 10 01 10 01 "					\
	"01 01 01 01 01 01 01 01  10 10 10 10 10 10 10 10 "

static void expect_patterns(const struct rvtrace_pib_config *config, uint64_t count,
			    uint64_t offset)
{
	decode(config);
	assert_int_equal(found.damages, 0);
	assert_int_equal(found.patterns, count);
	assert_int_equal(found.pattern_offset, offset);
}

static void swt_patterns_by_hand(void **state)
{
	(void)state;
	add_text("1111111111" UART_PATTERN UART_PATTERN UART_PATTERN);
	expect_patterns(&uart, 3, 10);
	bytes_free(&samples);
	/* Around each, or around several of them. */
	add_text("000 10" MANCHESTER_PATTERN "00 10" MANCHESTER_PATTERN "00");
	expect_patterns(&manchester, 2, 3);
	bytes_free(&samples);
	add_text("000 10" MANCHESTER_PATTERN MANCHESTER_PATTERN MANCHESTER_PATTERN "00");
	expect_patterns(&manchester, 3, 3);
	bytes_free(&samples);
	encode(&uart, 2);
	bytes_free(&samples);
	encode(&manchester, 1);
	assert_int_equal(samples.size, 2 * (1 + 32 + 1));
}

static void trace_after_the_pattern(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < all_pins_count; i++) {
		struct pib_config pins = pib_config_of(&all_pins[i]);
		uint8_t message[MESSAGE_MAX];
		size_t size = random_message(&all_pins[i], message);
		struct pib pib;

		pib_init(&pib, &pins, bytes_write, &samples);
		/* Its end fits the pattern. */
		if (all_pins[i].format == RVTRACE_FORMAT_NTRACE)
			message[size - 1] = 0xff;
		pib_message(&pib, message, size);
		pib_calibrate(&pib, 2 + random_below(5));
		pib_message(&pib, message, size);
		/* The next one begins at a place of its own. */
		pib_idle(&pib, 11);
		pib_calibrate(&pib, 3);
		pib_message(&pib, message, size);
		pib_flush(&pib);
		decode(&all_pins[i]);
		if (found.bytes.size != 3 * size)
			print_message("mode %u, format %u, ref-center %u\n", all_pins[i].mode,
				      all_pins[i].format, all_pins[i].ref_center);
		assert_int_equal(found.bytes.size, 3 * size);
		assert_memory_equal(found.bytes.data + 2 * size, message, size);
		assert_in_range(found.patterns, 5, 9);
		bytes_free(&samples);
	}
}

static void one_wrong_beat_is_told(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < WIRES; i++) {
		const struct wires *w = &wires[i];
		struct rvtrace_pib_config config = config_of(w);
		unsigned int wrong = 5 * w->period;

		add_pattern(w, 0, 20 * w->period);
		samples.data[wrong * w->size] ^= 1;
		decode(&config);
		assert_int_equal(found.damages, 1);
		expect_damage(&found, 0, RVTRACE_UNWRAP_CALIBRATION, wrong * w->size, w->size);
		assert_int_equal(found.patterns, 5 + 14);
		assert_int_equal(found.pattern_offset, (wrong + 1) * w->size);
		bytes_free(&samples);
	}
}

static void exchanged_wires_are_told(void **state)
{
	struct wires w = wires[2];
	struct rvtrace_pib_config config = config_of(&w);
	unsigned int i;

	(void)state;
	/* TRC_DATA[0] is connected to TRC_DATA[1] as well. */
	for (i = 0; i < w.period; i++)
		w.sequence[i] = (w.sequence[i] & ~1) | (w.sequence[i] >> 1 & 1);
	add_pattern(&w, 0, 100);
	decode(&config);
	assert_int_equal(found.patterns, 0);
	assert_int_equal(found.damages, 1);
	expect_damage(&found, 0, RVTRACE_UNWRAP_CALIBRATION, 0, 100);
}

static void trace_is_not_the_pattern(void **state)
{
	struct rvtrace_pib_config config = config_of(&wires[3]);
	struct pib_config pins = pib_config_of(&config);
	static const uint8_t message[] = { 0x1c, 0x53 };
	struct pib pib;

	(void)state;
	pib_init(&pib, &pins, bytes_write, &samples);
	pib_calibrate(&pib, 4);
	pib_message(&pib, message, sizeof(message));
	pib_flush(&pib);
	decode(&config);
	assert_int_equal(found.bytes.size, 0);
	assert_int_equal(found.patterns, 4);
	assert_int_equal(found.damages, 1);
	/* And so is the idle before it. */
	expect_damage(&found, 0, RVTRACE_UNWRAP_CALIBRATION, samples.size - 8, 8);
}

static void idle_is_no_pattern(void **state)
{
	unsigned int i, format;

	(void)state;
	for (i = 0; i < WIRES; i++) {
		for (format = RVTRACE_FORMAT_ETRACE; format <= RVTRACE_FORMAT_NTRACE; format++) {
			struct rvtrace_pib_config config = config_of(&wires[i]);
			struct pib_config pins;
			struct pib pib;

			config.format = format;
			pins = pib_config_of(&config);
			pib_init(&pib, &pins, bytes_write, &samples);
			pib_flush(&pib);
			decode(&config);
			assert_int_equal(found.damages, 0);
			assert_int_equal(found.patterns, 0);
			/* Before and after it, it does no harm. */
			pib_calibrate(&pib, 3);
			pib_idle(&pib, 100);
			pib_flush(&pib);
			decode(&config);
			assert_int_equal(found.damages, 0);
			assert_int_equal(found.patterns, 3);
			/* Amid it, it does. */
			pib_calibrate(&pib, 3);
			pib_flush(&pib);
			decode(&config);
			assert_int_equal(found.damages, 1);
			assert_int_equal(found.damage[0].kind, RVTRACE_UNWRAP_CALIBRATION);
			assert_int_equal(found.patterns, 6);
			bytes_free(&samples);
		}
	}
}

/*
 * The pattern begins with 0, as null.idle does: behind it that bit is null.idle's.
 * To the bit, so that 8 * 31 + 7 zeros are enough and one less is not.
 */
static void idle_that_continues_the_pattern(void **state)
{
	struct rvtrace_pib_config config = config_of(&wires[0]);
	unsigned int zeros, i;

	(void)state;
	config.calibrate = false;
	for (zeros = 8 * 31 + 6; zeros <= 8 * 31 + 7; zeros++) {
		config.format = RVTRACE_FORMAT_ETRACE;
		add_pattern(&wires[0], 0, 2 * 32);
		for (i = 0; i < zeros; i++)
			add_clocked("0");
		add_clocked("1 10000100 00000000");
		decode(&config);
		assert_int_equal(found.bytes.size, zeros < 8 * 31 + 7 ? 0 : 2);
		bytes_free(&samples);
	}
	/* Ones do not continue it: after 13 the message is on trial. */
	config.format = RVTRACE_FORMAT_NTRACE;
	add_pattern(&wires[0], 0, 2 * 32 + 1);
	add_clocked("1111111111111 00111000 11001010");
	decode(&config);
	assert_int_equal(found.bytes.size, 0);
}

/* Nor does a byte that is no null. */
static void bytes_that_continue_the_pattern(void **state)
{
	struct rvtrace_pib_config config = config_of(&wires[3]);
	static const uint8_t bytes[] = { [31] = 0x21, 0x03 };

	(void)state;
	config.calibrate = false;
	config.format = RVTRACE_FORMAT_ETRACE;
	add_pattern(&wires[3], 0, 2 * 4 + 1);
	add_parallel(bytes, sizeof(bytes));
	decode(&config);
	assert_int_equal(found.patterns, 2);
	assert_int_equal(found.bytes.size, 0);
}

/* Where a message begins has to be found anew. */
static void rest_of_a_message_after_the_pattern(void **state)
{
	struct rvtrace_pib_config config = config_of(&wires[3]);
	static const uint8_t idle[] = { 0xff, 0xff }, rest[] = { 0x20, 0x53, 0x1c, 0x53 };

	(void)state;
	config.calibrate = false;
	add_parallel(idle, sizeof(idle));
	add_pattern(&wires[3], 0, 2 * 4);
	add_parallel(rest, sizeof(rest));
	decode(&config);
	expect_bytes(&found.bytes, rest + 2, 2);
	assert_int_equal(found.damages, 1);
	expect_damage(&found, 0, RVTRACE_UNWRAP_UNSYNCHRONIZED, 20, 4);
}

/* What fits the end of the pattern is the message's, which is cut all the same. */
static void message_cut_by_the_pattern(void **state)
{
	struct rvtrace_pib_config config = config_of(&wires[3]);
	static const uint8_t bytes[] = { [32] = 0x1f, 0x01, 0xff };

	(void)state;
	config.calibrate = false;
	config.format = RVTRACE_FORMAT_ETRACE;
	add_parallel(bytes, sizeof(bytes));
	add_pattern(&wires[3], 0, 3 * 4);
	decode(&config);
	assert_int_equal(found.patterns, 3);
	assert_int_equal(found.pattern_offset, 35 * 2);
	expect_one(RVTRACE_UNWRAP_TRUNCATED, 32 * 2, 3 * 2, 0);
}

/* E-Trace: null.idle and null.alignment are idle, other null packets are not. */
static void null_packets_after_the_pattern(void **state)
{
	struct rvtrace_pib_config config = config_of(&wires[3]);
	static const uint8_t nulls[] = { 0x00, 0x80, 0x00, 0x40 };

	(void)state;
	config.format = RVTRACE_FORMAT_ETRACE;
	add_pattern(&wires[3], 0, 2 * 4);
	add_parallel(nulls, 3);
	decode(&config);
	assert_int_equal(found.damages, 0);
	add_parallel(nulls + 3, 1);
	decode(&config);
	assert_int_equal(found.damages, 1);
	expect_damage(&found, 0, RVTRACE_UNWRAP_CALIBRATION, 16, 8);
}

/* What lies on both sides of a broken frame is not next to each other. */
static void halves_around_damage_are_no_pattern(void **state)
{
	(void)state;
	add_text("1111111111" UART_PATTERN "0 11111111 0 1111111111" UART_PATTERN);
	decode(&uart);
	assert_int_equal(found.patterns, 0);
	assert_int_equal(found.damages, 1);
}

/* A message on trial is told before the pattern that ends the trial. */
static void trial_before_the_pattern(void **state)
{
	struct rvtrace_pib_config config = config_of(&wires[0]);

	(void)state;
	config.calibrate = false;
	add_clocked("11111111 00111000 11001010 1");
	add_pattern(&wires[0], 0, 32 * 3);
	decode(&config);
	assert_int_equal(found.patterns, 3);
	assert_int_equal(found.bytes.size, 0);
	assert_int_equal(found.damages, 1);
	assert_int_equal(found.damage[0].offset, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(wire_sequences_from_any_phase_on, free_pins),
		cmocka_unit_test_teardown(encoder_sends_wire_sequences, free_pins),
		cmocka_unit_test_teardown(swt_patterns_by_hand, free_pins),
		cmocka_unit_test_teardown(trace_after_the_pattern, free_pins),
		cmocka_unit_test_teardown(one_wrong_beat_is_told, free_pins),
		cmocka_unit_test_teardown(exchanged_wires_are_told, free_pins),
		cmocka_unit_test_teardown(trace_is_not_the_pattern, free_pins),
		cmocka_unit_test_teardown(idle_is_no_pattern, free_pins),
		cmocka_unit_test_teardown(idle_that_continues_the_pattern, free_pins),
		cmocka_unit_test_teardown(bytes_that_continue_the_pattern, free_pins),
		cmocka_unit_test_teardown(halves_around_damage_are_no_pattern, free_pins),
		cmocka_unit_test_teardown(rest_of_a_message_after_the_pattern, free_pins),
		cmocka_unit_test_teardown(message_cut_by_the_pattern, free_pins),
		cmocka_unit_test_teardown(null_packets_after_the_pattern, free_pins),
		cmocka_unit_test_teardown(trial_before_the_pattern, free_pins),
	};

	return cmocka_run_group_tests_name("unwrap-calibration", tests, NULL, NULL);
}
