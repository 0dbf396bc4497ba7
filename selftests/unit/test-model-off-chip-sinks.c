// SPDX-License-Identifier: GPL-2.0
/* PIB and ATB sinks as software sees them, and what leaves the chip. */
#include <string.h>

#include <rvtrace/unwrap.h>

#include "selftests/unit/model-sink-fixture.h"

#define TF(sink)	(RVTRACE_TF_CONTROL_ACTIVE | (uint32_t)(sink) << 28)
#define TF_ON(sink)	(TF(sink) | RVTRACE_TF_CONTROL_ENABLE)
#define TR		RVTRACE_TR_CONTROL_ACTIVE
#define TR_ON		(TR | RVTRACE_TR_CONTROL_ENABLE)

static uint8_t found[OUT_MAX];
static size_t found_size;
static uint64_t calibrations;
static unsigned int damages;

static void take_bytes(void *data, uint64_t offset, const uint8_t *bytes,
		       size_t size)
{
	(void)data;
	(void)offset;
	memcpy(found + found_size, bytes, size);
	found_size += size;
}

static void take_damage(void *data,
			const struct rvtrace_unwrap_damage *damage)
{
	(void)data;
	(void)damage;
	damages++;
}

static void take_calibration(void *data, uint64_t offset, uint64_t count)
{
	(void)data;
	(void)offset;
	calibrations += count;
}

static const struct rvtrace_unwrap_handler handler = {
	.size = sizeof(handler),
	take_bytes, take_damage, take_calibration, NULL
};

static void unwrap_pins(const struct rvtrace_pib_config *config)
{
	struct rvtrace_pib *pib;

	found_size = 0;
	calibrations = 0;
	damages = 0;
	assert_int_equal(rvtrace_pib_new(config, &handler, &pib), 0);
	rvtrace_pib_feed(pib, sinks.out, sinks.out_size);
	rvtrace_pib_end(pib);
	rvtrace_pib_free(pib);
}

/* What left the chip is what was sent, to the bit. */
static void expect_pins(uint8_t mode, bool ref_center)
{
	const struct rvtrace_pib_config config = {
		.size = sizeof(config),
		.mode = mode,
		.format = RVTRACE_FORMAT_NTRACE,
		.ref_center = ref_center,
	};

	unwrap_pins(&config);
	assert_int_equal(damages, 0);
	assert_int_equal(found_size, sinks.sent_size);
	assert_memory_equal(found, sinks.sent, found_size);
	assert_int_equal(sinks.told_size, found_size);
	assert_memory_equal(sinks.told, found, found_size);
}

static const uint8_t modes[] = {
	RVTRACE_PIB_MODE_SWT_MANCHESTER, RVTRACE_PIB_MODE_SWT_UART,
	RVTRACE_PIB_MODE_PARALLEL_1, RVTRACE_PIB_MODE_PARALLEL_2,
	RVTRACE_PIB_MODE_PARALLEL_4, RVTRACE_PIB_MODE_PARALLEL_8,
	RVTRACE_PIB_MODE_PARALLEL_16,
};

#define MODES	(sizeof(modes) / sizeof(modes[0]))

static bool is_parallel(uint8_t mode)
{
	return mode >= RVTRACE_PIB_MODE_PARALLEL_1;
}

/* PIB */

#define PIB(mode)	(RVTRACE_PIB_CONTROL_ACTIVE | (mode) << 4)

TEST(pib_fields_take_what_is_legal)
{
	unsigned int mode;

	configure_funnel(TCI_0_9, SINK_PIB);
	sinks.funnel.pib.divider_bits = 8;
	create_funnel();
	assert_int_equal(rd(RVTRACE_TF_IMPL), 0x41);
	wr(RVTRACE_PIB_CONTROL, PIB(12));
	/* The write that activates does nothing else. */
	assert_int_equal(rd(RVTRACE_PIB_CONTROL), 0x00070009);
	for (mode = 0; mode < 16; mode++) {
		wr(RVTRACE_PIB_CONTROL, PIB(4));
		wr(RVTRACE_PIB_CONTROL, PIB(mode));
		assert_int_equal(rd(RVTRACE_PIB_CONTROL) >> 4 & 0xf,
				 0x1f31 >> mode & 1 ? mode : 4);
	}
	wr(RVTRACE_PIB_CONTROL, PIB(5) | 0x300 | 0xffff0000);
	assert_int_equal(rd(RVTRACE_PIB_CONTROL), 0x00ff0259);
	wr(RVTRACE_PIB_CONTROL, PIB(11) | 0x300);
	assert_int_equal(rd(RVTRACE_PIB_CONTROL), 0x000003b9);
	wr(RVTRACE_PIB_CONTROL, PIB(4) | 0x300);
	assert_int_equal(rd(RVTRACE_PIB_CONTROL), 0x00000249);
	wr(RVTRACE_PIB_CONTROL, 0);
	assert_int_equal(rd(RVTRACE_PIB_CONTROL) & ~0xffff0000u, 8);
}

TEST(pib_stays_active_when_its_page_is_not)
{
	configure_funnel(TCI_0_9, SINK_PIB);
	create_funnel();
	wr(RVTRACE_PIB_CONTROL, PIB(0));
	wr(RVTRACE_PIB_CONTROL, PIB(8));
	wr(RVTRACE_TF_CONTROL, 0);
	assert_int_equal(rd(RVTRACE_PIB_CONTROL), 0);
	wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	assert_int_equal(rd(RVTRACE_PIB_CONTROL), 0x00000089);
}

/* Chapter 12: activate, set mode, enable */
static void run_pib(uint8_t mode, uint32_t more)
{
	wr(RVTRACE_PIB_CONTROL, PIB(0));
	wr(RVTRACE_PIB_CONTROL, PIB(mode) | more);
	wr(RVTRACE_PIB_CONTROL,
	   PIB(mode) | more | RVTRACE_PIB_CONTROL_ENABLE);
	wr(RVTRACE_TF_CONTROL, TF_ON(RVTRACE_SINK_PIB));
}

TEST(pins_carry_every_message_in_every_mode)
{
	uint32_t center;
	size_t i;

	for (i = 0; i < MODES; i++) {
		for (center = 0; center <= is_parallel(modes[i]); center++) {
			sinks_setup(NULL);
			configure_funnel(TCI_0_9, SINK_PIB);
			create_funnel();
			run_pib(modes[i], center << 8);
			assert_true(send_messages(200));
			wr(RVTRACE_TF_CONTROL, TF(RVTRACE_SINK_PIB));
			assert_int_equal(rd(RVTRACE_TF_CONTROL) &
					 RVTRACE_TF_CONTROL_EMPTY,
					 RVTRACE_TF_CONTROL_EMPTY);
			pass(sinks.funnel.pib.empty_delay);
			assert_int_equal(rd(RVTRACE_PIB_CONTROL) &
					 RVTRACE_PIB_CONTROL_EMPTY,
					 RVTRACE_PIB_CONTROL_EMPTY);
			expect_pins(modes[i], center);
			sinks_teardown(NULL);
		}
	}
	sinks_setup(NULL);
}

TEST(pib_empties_later_than_what_feeds_it)
{
	configure_funnel(TCI_0_9, SINK_PIB);
	create_funnel();
	run_pib(RVTRACE_PIB_MODE_PARALLEL_8, 0);
	assert_true(send_messages(1));
	wr(RVTRACE_TF_CONTROL, TF(RVTRACE_SINK_PIB));
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & 8, 8);
	assert_int_equal(rd(RVTRACE_PIB_CONTROL) & 8, 0);
	pass(sinks.funnel.pib.empty_delay - 1);
	assert_int_equal(rd(RVTRACE_PIB_CONTROL) & 8, 0);
	pass(1);
	assert_int_equal(rd(RVTRACE_PIB_CONTROL) & 8, 8);
}

TEST(pib_that_is_disabled_takes_nothing)
{
	configure_funnel(TCI_0_9, SINK_PIB);
	create_funnel();
	wr(RVTRACE_TF_CONTROL, TF_ON(RVTRACE_SINK_PIB));
	assert_false(send_messages(1));
	run_pib(RVTRACE_PIB_MODE_OFF, 0);
	assert_false(send_messages(1));
	run_pib(RVTRACE_PIB_MODE_SWT_UART, RVTRACE_PIB_CONTROL_CALIBRATE);
	assert_false(send_messages(1));
	run_pib(RVTRACE_PIB_MODE_SWT_UART, 0);
	assert_true(send_messages(1));
}

TEST(pib_calibrates_in_every_mode)
{
	struct rvtrace_pib_config config = {
		.size = sizeof(config),
		.format = RVTRACE_FORMAT_NTRACE,
		.calibrate = true,
	};
	size_t i;

	for (i = 0; i < MODES; i++) {
		sinks_setup(NULL);
		configure_funnel(TCI_0_9, SINK_PIB);
		create_funnel();
		run_pib(modes[i], RVTRACE_PIB_CONTROL_CALIBRATE);
		config.mode = modes[i];
		unwrap_pins(&config);
		assert_int_equal(calibrations, sinks.funnel.pib.calibrations);
		assert_int_equal(damages, 0);
		sinks_teardown(NULL);
	}
	sinks_setup(NULL);
}

/* Messages that fit before the first is refused */
static unsigned int fits(uint8_t mode, uint32_t more)
{
	unsigned int n;

	sinks_setup(NULL);
	configure_funnel(TCI_0_9, SINK_PIB);
	sinks.funnel.pib.rate = 1 << 16;
	sinks.funnel.pib.queue = 64;
	create_funnel();
	run_pib(mode, more);
	for (n = 0; send_text("0123456") && n < 1000; n++)
		advance(40);
	sinks_teardown(NULL);
	return n;
}

TEST(pins_have_the_rate_of_mode_and_divider)
{
	/* 40 bits in the time of 7 bytes, or twice, or a third of that */
	assert_int_equal(fits(RVTRACE_PIB_MODE_PARALLEL_1, 0), 29);
	assert_int_equal(fits(RVTRACE_PIB_MODE_SWT_UART, 0), 29);
	assert_int_equal(fits(RVTRACE_PIB_MODE_PARALLEL_2, 0), 1000);
	assert_int_equal(fits(RVTRACE_PIB_MODE_PARALLEL_2, 1 << 8), 29);
	assert_true(fits(RVTRACE_PIB_MODE_PARALLEL_4, 2 << 16) < 200);
	assert_true(fits(RVTRACE_PIB_MODE_SWT_MANCHESTER, 0) < 15);
	sinks_setup(NULL);
}

TEST(pib_of_version_0_has_no_empty_bit)
{
	configure_funnel(TCI_0, SINK_PIB);
	create_funnel();
	wr(RVTRACE_PIB_CONTROL, PIB(0));
	wr(RVTRACE_PIB_CONTROL, PIB(11));
	wr(RVTRACE_PIB_CONTROL, PIB(12));
	assert_int_equal(rd(RVTRACE_PIB_CONTROL), 0x000000b1);
	wr(RVTRACE_TF_CONTROL, TF_ON(RVTRACE_SINK_PIB));
	assert_false(send_messages(1));
	/* teSinkError */
	assert_int_equal(rd(RVTRACE_TF_CONTROL) >> 27 & 1, 1);
}

TEST(pib_of_its_own_page)
{
	configure_sink(SINK_KIND_PIB);
	sinks.config.pib.async_freqs = 0x11;
	create_sink();
	assert_int_equal(rd(0), 0x00070009);
	assert_int_equal(rd(4), 0xa01);
	wr(0, TR | 15 << 4 | 0x300 | 5 << 12 | 3 << 16);
	assert_int_equal(rd(0), 0x000343c9);
	wr(0, TR | RVTRACE_PIB_MODE_PARALLEL_4 << 4);
	wr(0, TR_ON | RVTRACE_PIB_MODE_PARALLEL_4 << 4);
	assert_true(send_messages(50));
	wr(0, TR | RVTRACE_PIB_MODE_PARALLEL_4 << 4);
	assert_int_equal(rd(0) & RVTRACE_TR_CONTROL_EMPTY,
			 RVTRACE_TR_CONTROL_EMPTY);
	expect_pins(RVTRACE_PIB_MODE_PARALLEL_4, false);
	assert_false(send_messages(1));
}

/* ATB */

#define ATB(id)	(RVTRACE_ATB_CONTROL_ACTIVE | (id) << 8)

static void expect_frames(unsigned int id)
{
	struct rvtrace_atb *atb;

	found_size = 0;
	damages = 0;
	assert_int_equal(rvtrace_atb_new(id, &handler, &atb), 0);
	rvtrace_atb_feed(atb, sinks.out, sinks.out_size);
	rvtrace_atb_end(atb);
	rvtrace_atb_free(atb);
	assert_int_equal(damages, 0);
	assert_int_equal(found_size, sinks.sent_size);
	assert_memory_equal(found, sinks.sent, found_size);
	assert_int_equal(sinks.told_size, found_size);
	assert_memory_equal(sinks.told, found, found_size);
}

TEST(frames_carry_every_message)
{
	configure_funnel(TCI_0_9, SINK_ATB);
	sinks.funnel.atb.others = 3;
	create_funnel();
	assert_int_equal(rd(RVTRACE_TF_IMPL), 0x21);
	wr(RVTRACE_ATB_CONTROL, ATB(0x15) | 2);
	assert_int_equal(rd(RVTRACE_ATB_CONTROL), 9);
	wr(RVTRACE_ATB_CONTROL, ATB(0x15));
	wr(RVTRACE_ATB_CONTROL, ATB(0x15) | 2);
	wr(RVTRACE_TF_CONTROL, TF_ON(RVTRACE_SINK_ATB));
	assert_true(send_messages(300));
	assert_int_equal(rd(RVTRACE_ATB_CONTROL), 0x1503);
	wr(RVTRACE_TF_CONTROL, TF(RVTRACE_SINK_ATB));
	rd(RVTRACE_TF_CONTROL);
	pass(sinks.funnel.atb.empty_delay);
	assert_int_equal(rd(RVTRACE_ATB_CONTROL), 0x150b);
	expect_frames(0x15);
}

TEST(reserved_ids_are_nobodys)
{
	configure_funnel(TCI_0, SINK_ATB);
	create_funnel();
	wr(RVTRACE_ATB_CONTROL, ATB(0));
	wr(RVTRACE_ATB_CONTROL, ATB(0x70) | 2);
	wr(RVTRACE_TF_CONTROL, TF_ON(RVTRACE_SINK_ATB));
	/* No Empty bit either */
	assert_int_equal(rd(RVTRACE_ATB_CONTROL), 0x7003);
	assert_true(send_messages(10));
	wr(RVTRACE_ATB_CONTROL, ATB(0x70));
	assert_int_equal(sinks.out_size, 0);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) >> 27 & 1, 0);
	assert_true(send_messages(1));
	assert_int_equal(rd(RVTRACE_TF_CONTROL) >> 27 & 1, 1);
}

TEST(bridge_of_its_own_page)
{
	configure_sink(SINK_KIND_ATB);
	sinks.config.atb.async_freqs = 0x81;
	create_sink();
	assert_int_equal(rd(0), 9);
	assert_int_equal(rd(4), 0xe01);
	wr(4, ~0u);
	assert_int_equal(rd(4), 0x7e01);
	wr(0, TR | 0x6f << 8);
	wr(0, TR_ON | 0x6f << 8);
	assert_true(send_messages(100));
	wr(0, TR | 0x6f << 8);
	assert_int_equal(rd(0), 0x6f09);
	expect_frames(0x6f);
}

/* Of @control, bits of @kept: those beside Active that a write leaves there */
static void expect_delay(uint32_t control, uint64_t delay, uint32_t kept)
{
	wr(control, 1 | kept);
	assert_int_equal(rd(control) & (1 | kept), 0);
	pass(delay - 1);
	wr(control, 1 | kept);
	assert_int_equal(rd(control) & (1 | kept), 0);
	pass(1);
	assert_int_equal(rd(control) & (1 | kept), 1);
	wr(control, 1 | kept);
	assert_int_equal(rd(control) & (1 | kept), 1 | kept);
	wr(control, 0);
	assert_int_equal(rd(control) & (1 | kept), 1);
	pass(delay);
	assert_int_equal(rd(control) & (1 | kept), 0);
	wr(control, kept);
	assert_int_equal(rd(control) & (1 | kept), 0);
	/* Nobody looked when it was due. */
	wr(control, 1);
	pass(delay);
	wr(control, 1 | kept);
	assert_int_equal(rd(control) & (1 | kept), 1 | kept);
}

TEST(sinks_take_their_time_out_of_reset_and_into_it)
{
	configure_funnel(TCI_0_9, SINK_PIB | SINK_ATB);
	sinks.funnel.pib.active_delay = 100;
	sinks.funnel.atb.active_delay = 30;
	create_funnel();
	expect_delay(RVTRACE_PIB_CONTROL, 100, 0x80);
	expect_delay(RVTRACE_ATB_CONTROL, 30, 0x1500);
}

TEST(reset_leaves_any_atb_id)
{
	configure_funnel(TCI_0_9, SINK_ATB);
	sinks.funnel.atb.id = 0x75;
	create_funnel();
	wr(RVTRACE_ATB_CONTROL, ATB(0x15));
	assert_int_equal(rd(RVTRACE_ATB_CONTROL), 0x7509);
	wr(RVTRACE_ATB_CONTROL, ATB(0x70));
	assert_int_equal(rd(RVTRACE_ATB_CONTROL), 0x7009);
}

TEST(reserved_ids_may_be_refused)
{
	configure_funnel(TCI_0_9, SINK_ATB);
	sinks.funnel.atb.refuses = true;
	create_funnel();
	wr(RVTRACE_ATB_CONTROL, ATB(0));
	wr(RVTRACE_ATB_CONTROL, ATB(0x7f));
	assert_int_equal(rd(RVTRACE_ATB_CONTROL), 9);
	wr(RVTRACE_ATB_CONTROL, ATB(0x6f));
	assert_int_equal(rd(RVTRACE_ATB_CONTROL), 0x6f09);
	wr(RVTRACE_ATB_CONTROL, ATB(0));
	assert_int_equal(rd(RVTRACE_ATB_CONTROL), 0x6f09);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		S(pib_fields_take_what_is_legal), S(pib_stays_active_when_its_page_is_not),
		S(pins_carry_every_message_in_every_mode), S(pib_empties_later_than_what_feeds_it),
		S(pib_that_is_disabled_takes_nothing), S(pib_calibrates_in_every_mode),
		S(pins_have_the_rate_of_mode_and_divider), S(pib_of_version_0_has_no_empty_bit),
		S(pib_of_its_own_page), S(frames_carry_every_message), S(reserved_ids_are_nobodys),
		S(bridge_of_its_own_page), S(sinks_take_their_time_out_of_reset_and_into_it),
		S(reset_leaves_any_atb_id), S(reserved_ids_may_be_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
