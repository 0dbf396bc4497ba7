// SPDX-License-Identifier: GPL-2.0
/* Damage to N-Trace in parallel modes: what is told, and where reading goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "selftests/unit/pins-fixture.h"

static const struct rvtrace_pib_config one_bit = {
	.size = sizeof(one_bit),
	.mode = RVTRACE_PIB_MODE_PARALLEL_1, .format = RVTRACE_FORMAT_NTRACE,
};

static const struct rvtrace_pib_config eight_bits = {
	.size = sizeof(eight_bits),
	.mode = RVTRACE_PIB_MODE_PARALLEL_8, .format = RVTRACE_FORMAT_NTRACE,
};

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

/* TRC_CLK never moves, whatever TRC_DATA does; with it, all ones are idle. */
static void clock_that_stands_still(void **state)
{
	static const struct rvtrace_pib_config center = {
		.size = sizeof(center),
		.mode = RVTRACE_PIB_MODE_PARALLEL_1, .format = RVTRACE_FORMAT_NTRACE,
		.ref_center = true,
	};

	(void)state;
	decode(&one_bit);
	assert_int_equal(found.damages, 0);
	add_text("0110 1001 1110 1111 1111 1111 1111 1010");
	decode(&one_bit);
	expect_one(RVTRACE_UNWRAP_UNSYNCHRONIZED, 0, 32, 0);
	decode(&center);
	expect_one(RVTRACE_UNWRAP_UNSYNCHRONIZED, 0, 32, 0);
	bytes_free(&samples);
	add_clocked("1111 1111 1111 1111");
	decode(&one_bit);
	assert_int_equal(found.damages, 0);
	decode(&center);
	assert_int_equal(found.damages, 0);
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

/* Thirteen ones leave them on trial, fourteen are a beginning that is certain. */
static void ones_between_messages_on_trial(void **state)
{
	(void)state;
	add_clocked(P_IDLE P_1C P_53 "1111111111111" P_1C P_53 P_1C P_53 P_1C P_53 P_1C P_53);
	decode(&one_bit);
	assert_int_equal(found.damages, 0);
	assert_int_equal(found.bytes.size, 10);
	bytes_free(&samples);
	add_clocked(P_IDLE P_1C P_53 "11111111111111" P_1C P_53 P_1C P_53 P_1C P_53 P_1C P_53);
	decode(&one_bit);
	expect_one(RVTRACE_UNWRAP_UNSYNCHRONIZED, 8, 30, 0);
	assert_int_equal(found.bytes.size, 8);
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

/* What is on trial when the input ends in a sample is told as well. */
static void trial_that_ends_within_a_sample(void **state)
{
	static const struct rvtrace_pib_config config = {
		.size = sizeof(config),
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(reserved_mseo_sequences, free_pins),
		cmocka_unit_test_teardown(one_byte_that_only_ends, free_pins),
		cmocka_unit_test_teardown(parallel_begins_within_a_message, free_pins),
		cmocka_unit_test_teardown(parallel_ends_within_a_message, free_pins),
		cmocka_unit_test_teardown(input_ends_within_a_sample, free_pins),
		cmocka_unit_test_teardown(clock_that_stands_still, free_pins),
		cmocka_unit_test_teardown(wires_that_are_low, free_pins),
		cmocka_unit_test_teardown(bits_after_damage_need_idle, free_pins),
		cmocka_unit_test_teardown(one_idle_byte_and_four_messages, free_pins),
		cmocka_unit_test_teardown(what_is_on_trial_is_told_when_it_is_dropped, free_pins),
		cmocka_unit_test_teardown(ones_between_messages_on_trial, free_pins),
		cmocka_unit_test_teardown(second_message_on_trial_is_none, free_pins),
		cmocka_unit_test_teardown(ones_before_the_first_message, free_pins),
		cmocka_unit_test_teardown(ones_within_a_message_are_not_idle, free_pins),
		cmocka_unit_test_teardown(trial_that_ends_within_a_sample, free_pins),
	};

	return cmocka_run_group_tests_name("unwrap-ntrace-damage", tests, NULL, NULL);
}
