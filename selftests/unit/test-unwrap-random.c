// SPDX-License-Identifier: GPL-2.0
/* Random messages through pins of every mode, samples with and without damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "selftests/unit/pins-fixture.h"
#include "selftests/unit/share.h"

static struct bytes sent;

/* Messages with idle or none in between; what leaves the pins goes to samples. */
static void encode_random(const struct rvtrace_pib_config *config, unsigned int messages,
			  uint32_t async_interval)
{
	struct pib_config pins = pib_config_of(config);
	struct pib pib;
	unsigned int i;

	bytes_free(&sent);
	bytes_free(&samples);
	pins.async_interval = async_interval;
	pib_init(&pib, &pins, bytes_write, &samples);
	for (i = 0; i < messages; i++) {
		uint8_t message[MESSAGE_MAX];
		size_t size = random_message(config, message);

		pib_message(&pib, message, size);
		bytes_add(&sent, message, size);
		if (!random_below(3))
			pib_idle(&pib, random_below(40));
	}
	pib_flush(&pib);
}

static void expect_sent(const struct rvtrace_pib_config *config, const struct bytes *pins,
			size_t chunk)
{
	decode_pins(config, pins->data, pins->size, chunk, &found);
	if (found.damages || found.bytes.size != sent.size)
		print_message("mode %u, format %u, ref-center %u, chunk %zu\n", config->mode,
			      config->format, config->ref_center, chunk);
	assert_int_equal(found.damages, 0);
	expect_bytes(&found.bytes, sent.data, sent.size);
}

static void what_is_sent_is_received(void **state)
{
	static const size_t chunks[] = { 0, 1, 2, 3, 7, 4096, 10000000 };
	size_t i, j;

	(void)state;
	for (i = 0; i < all_pins_count; i++) {
		encode_random(&all_pins[i], 300, i % 2 ? 300 : 0);
		for (j = 0; j < sizeof(chunks) / sizeof(chunks[0]); j++)
			if (!is_left_out())
				expect_sent(&all_pins[i], &samples, chunks[j]);
	}
}

static unsigned int sample_size(const struct rvtrace_pib_config *config)
{
	switch (config->mode) {
	case RVTRACE_PIB_MODE_PARALLEL_8:
		return 2;
	case RVTRACE_PIB_MODE_PARALLEL_16:
		return 3;
	default:
		return 1;
	}
}

/* Samples of a clock of its own that runs @rate times as fast as the pins change. */
static struct bytes resample(const struct rvtrace_pib_config *config, double rate)
{
	unsigned int size = sample_size(config);
	struct bytes faster = { };
	size_t i, j = 0;

	for (i = 0; i < samples.size / size; i++)
		for (; j < (i + 1) * rate; j++)
			bytes_add(&faster, samples.data + i * size, size);
	return faster;
}

static bool is_serial(const struct rvtrace_pib_config *config)
{
	return config->mode < RVTRACE_PIB_MODE_PARALLEL_1;
}

static void faster_samples_are_understood(void **state)
{
	static const double rates[] = { 1.3, 2, 2.5, 3.7, 8, 8.68, 100 };
	uint64_t at[MAX_AT];
	size_t i, j, k;

	(void)state;
	for (i = 0; i < all_pins_count; i++) {
		struct rvtrace_pib_config config = all_pins[i];

		encode_random(&config, 30, 0);
		expect_sent(&config, &samples, 0);
		memcpy(at, found.at, sizeof(at));
		/* Without a clock beside the data there must be two samples of each. */
		for (j = is_serial(&config); j < sizeof(rates) / sizeof(rates[0]); j++) {
			struct bytes faster;

			if (is_left_out())
				continue;
			faster = resample(&config, rates[j]);
			if (config.mode == RVTRACE_PIB_MODE_SWT_UART)
				config.samples_per_bit = rates[j];
			if (config.mode == RVTRACE_PIB_MODE_SWT_MANCHESTER)
				config.samples_per_bit = 2 * rates[j];
			expect_sent(&config, &faster, 0);
			for (k = 0; k < MAX_AT && rates[j] == (int)rates[j]; k++)
				assert_int_equal(found.at[k], at[k] * rates[j]);
			bytes_free(&faster);
		}
	}
}

/* A logic analyser with 40 channels, all others of which do something else. */
static void signals_above_are_ignored(void **state)
{
	size_t i, j;

	(void)state;
	for (i = 0; i < all_pins_count; i++) {
		struct rvtrace_pib_config config = all_pins[i];
		unsigned int size = sample_size(&config);
		unsigned int used = is_serial(&config) ? 1 :
				    (1 << (config.mode - RVTRACE_PIB_MODE_PARALLEL_1)) + 1;
		struct bytes wide = { };

		encode_random(&config, 30, 0);
		config.sample_bytes = 5;
		for (j = 0; j < samples.size; j += size) {
			uint64_t pins = 0, others = random_below(UINT32_MAX) * 0x100000001ull;

			memcpy(&pins, samples.data + j, size);
			pins |= others >> used << used;
			bytes_add(&wide, &pins, 5);
		}
		expect_sent(&config, &wide, 0);
		bytes_free(&wide);
	}
}

/* A receiver that is told the rate 3 % too high or too low. */
static void inexact_rates_are_understood(void **state)
{
	static const double rates[] = { 7.76, 8.24 };
	size_t i, j;

	(void)state;
	for (i = 0; i < all_pins_count; i++) {
		struct rvtrace_pib_config config = all_pins[i];
		bool manchester = config.mode == RVTRACE_PIB_MODE_SWT_MANCHESTER;

		if (!is_serial(&config))
			continue;
		encode_random(&config, 30, 0);
		for (j = 0; j < sizeof(rates) / sizeof(rates[0]); j++) {
			struct bytes faster = resample(&config, rates[j]);

			config.samples_per_bit = manchester ? 16 : 8;
			expect_sent(&config, &faster, 0);
			bytes_free(&faster);
		}
	}
}

/* Up to three of eight samples at either end of a period have what is next to it. */
static void skew_is_tolerated(void **state)
{
	static const struct rvtrace_pib_config config = {
		.size = sizeof(config),
		.mode = RVTRACE_PIB_MODE_PARALLEL_4, .format = RVTRACE_FORMAT_NTRACE,
	};
	struct bytes skewed = { };
	unsigned int j;
	size_t i;

	(void)state;
	encode_random(&config, 100, 0);
	for (i = 1; i + 1 < samples.size; i++) {
		unsigned int late = random_below(4), early = random_below(4);

		for (j = 0; j < 8; j++) {
			size_t from = j < late ? i - 1 : j >= 8 - early ? i + 1 : i;
			uint8_t pins = (samples.data[i] & 16) | (samples.data[from] & 15);

			bytes_add(&skewed, &pins, 1);
		}
	}
	/* The last sample is left out above. */
	for (j = 0; j < 8; j++)
		bytes_add(&skewed, &samples.data[samples.size - 1], 1);
	expect_sent(&config, &skewed, 0);
	bytes_free(&skewed);
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
				if (!is_left_out())
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

			if (is_left_out())
				continue;
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
		cmocka_unit_test_teardown(what_is_sent_is_received, free_pins),
		cmocka_unit_test_teardown(faster_samples_are_understood, free_pins),
		cmocka_unit_test_teardown(signals_above_are_ignored, free_pins),
		cmocka_unit_test_teardown(inexact_rates_are_understood, free_pins),
		cmocka_unit_test_teardown(skew_is_tolerated, free_pins),
		cmocka_unit_test_teardown(one_sample_is_damaged, free_pins),
		cmocka_unit_test_teardown(random_samples, free_pins),
	};

	return cmocka_run_group_tests_name("unwrap-random", tests, NULL, NULL);
}
