// SPDX-License-Identifier: GPL-2.0
/* RAM sinks: SRAM as software sees it, and how trace is aligned in memory. */
#include <string.h>

#include "selftests/unit/model-sink-fixture.h"

#define TF(sink)	(RVTRACE_TF_CONTROL_ACTIVE | (uint32_t)(sink) << 28)
#define TF_ON(sink)	(TF(sink) | RVTRACE_TF_CONTROL_ENABLE)
#define TR		RVTRACE_TR_CONTROL_ACTIVE
#define TR_ON		(TR | RVTRACE_TR_CONTROL_ENABLE)

static void start_sram(void)
{
	wr(RVTRACE_TE_RAM_WP, 0);
	wr(RVTRACE_TF_CONTROL, TF_ON(RVTRACE_SINK_SRAM));
}

TEST(sram_tells_its_size)
{
	configure_funnel(TCI_0_9, SINK_SRAM);
	create_funnel();
	assert_int_equal(rd(RVTRACE_TF_IMPL), 0x11);
	assert_int_equal(rd(RVTRACE_TF_CONTROL), 0x40000009);
	wr(RVTRACE_TE_RAM_WP, ~0u);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), 60);
	assert_int_equal(rd(RVTRACE_TE_RAM_LIMIT), 60);
	wr(RVTRACE_TE_RAM_BASE, 32);
	wr(RVTRACE_TE_RAM_BASE_HIGH, 1);
	wr(RVTRACE_TE_RAM_LIMIT, 32);
	assert_int_equal(rd(RVTRACE_TE_RAM_BASE), 0);
	assert_int_equal(rd(RVTRACE_TE_RAM_BASE_HIGH), 0);
	assert_int_equal(rd(RVTRACE_TE_RAM_LIMIT), 60);
}

TEST(sram_is_read_by_words)
{
	configure_funnel(TCI_0_9, SINK_SRAM);
	create_funnel();
	start_sram();
	assert_true(send_text("0123456789"));
	wr(RVTRACE_TF_CONTROL, TF(RVTRACE_SINK_SRAM));
	assert_int_equal(sinks.told_size, 10);
	assert_memory_equal(sinks.told, "0123456789", 10);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), 12);
	assert_int_equal(rd(RVTRACE_TE_RAM_RP), 0);
	assert_int_equal(rd(RVTRACE_TE_RAM_DATA), 0x33323130);
	assert_int_equal(rd(RVTRACE_TE_RAM_RP), 4);
	assert_int_equal(rd(RVTRACE_TE_RAM_DATA), 0x37363534);
	assert_int_equal(rd(RVTRACE_TE_RAM_DATA), 0xffff3938);
	wr(RVTRACE_TE_RAM_RP, 60);
	rd(RVTRACE_TE_RAM_DATA);
	assert_int_equal(rd(RVTRACE_TE_RAM_RP), 0);
	wr(RVTRACE_TE_RAM_RP, ~0u);
	assert_int_equal(rd(RVTRACE_TE_RAM_RP), 60);
}

TEST(sram_can_be_written)
{
	configure_funnel(TCI_0_9, SINK_SRAM);
	create_funnel();
	wr(RVTRACE_TE_RAM_RP, 4);
	wr(RVTRACE_TE_RAM_DATA, 0x12345678);
	assert_int_equal(rd(RVTRACE_TE_RAM_RP), 8);
	wr(RVTRACE_TE_RAM_RP, 4);
	assert_int_equal(rd(RVTRACE_TE_RAM_DATA), 0x12345678);
	tf_model_free(sinks.tf);
	sinks.funnel.sink.sram_write = false;
	create_funnel();
	wr(RVTRACE_TE_RAM_DATA, 0x12345678);
	assert_int_equal(rd(RVTRACE_TE_RAM_RP), 0);
	assert_int_equal(rd(RVTRACE_TE_RAM_DATA), 0);
}

TEST(sram_wraps)
{
	configure_funnel(TCI_0_9, SINK_SRAM);
	create_funnel();
	start_sram();
	assert_true(send_messages(20));
	wr(RVTRACE_TF_CONTROL, TF(RVTRACE_SINK_SRAM));
	assert_int_equal(rd(RVTRACE_TE_RAM_WP) & 1, 1);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP) & ~1u,
			 (sinks.sent_size + 3) / 4 * 4 % 64);
	/* Kept while inactive */
	wr(RVTRACE_TF_CONTROL, 0);
	wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	wr(RVTRACE_TE_RAM_RP, 0);
	assert_int_not_equal(rd(RVTRACE_TE_RAM_DATA), 0);
}

TEST(sram_stops_on_wrap)
{
	configure_funnel(TCI_0_9, SINK_SRAM);
	create_funnel();
	wr(RVTRACE_TE_RAM_WP, 0);
	wr(RVTRACE_TF_CONTROL, TF_ON(RVTRACE_SINK_SRAM) |
	   RVTRACE_TF_CONTROL_STOP_ON_WRAP);
	assert_true(send_messages(20));
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_ENABLE, 0);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), 1);
	assert_int_equal(rd(RVTRACE_TE_RAM_DATA) & 0xff, sinks.sent[0]);
}

/* As hardware that fails: each time it is enabled it takes so much, and what came is there. */
TEST(sink_stops_that_is_not_full)
{
	configure_funnel(TCI_0_9, SINK_SRAM);
	sinks.funnel.component.stops_after = 10;
	create_funnel();
	for (unsigned int i = 0; i < 2; i++) {
		start_sram();
		assert_true(send_text("01234567"));
		assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_ENABLE,
				 RVTRACE_TF_CONTROL_ENABLE);
		assert_true(send_text("89"));
		assert_int_equal(rd(RVTRACE_TF_CONTROL) &
				 (RVTRACE_TF_CONTROL_ENABLE | RVTRACE_TF_CONTROL_EMPTY),
				 RVTRACE_TF_CONTROL_EMPTY);
		assert_true(send_text("abcd"));
		assert_int_equal(rd(RVTRACE_TE_RAM_WP), 12);
	}
}

TEST(sram_may_be_closed_while_it_runs)
{
	configure_funnel(TCI_0_9, SINK_SRAM);
	create_funnel();
	start_sram();
	assert_true(send_text("0123456789"));
	assert_int_equal(rd(RVTRACE_TE_RAM_DATA), 0x33323130);
	wr(RVTRACE_TF_CONTROL, 0);
	tf_model_free(sinks.tf);
	sinks.funnel.sink.sram_live = false;
	create_funnel();
	start_sram();
	assert_true(send_text("0123456789"));
	wr(RVTRACE_TE_RAM_RP, 8);
	assert_int_equal(rd(RVTRACE_TE_RAM_DATA), 0);
	assert_int_equal(rd(RVTRACE_TE_RAM_RP), 0);
	wr(RVTRACE_TF_CONTROL, TF(RVTRACE_SINK_SRAM));
	wr(RVTRACE_TE_RAM_RP, 4);
	assert_int_equal(rd(RVTRACE_TE_RAM_DATA), 0x37363534);
}

TEST(sink_is_chosen_by_the_register)
{
	configure_funnel(TCI_0_9, SINK_SRAM | SINK_MEMORY);
	sinks.funnel.sink.access_width = 16;
	create_funnel();
	assert_int_equal(rd(RVTRACE_TF_IMPL), 0x91);
	wr(RVTRACE_TF_CONTROL, TF(RVTRACE_SINK_SBA));
	wr(RVTRACE_TE_RAM_WP, 0x80000010);
	wr(RVTRACE_TE_RAM_RP, 0x80000010);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), 0x80000010);
	assert_int_equal(rd(RVTRACE_TE_RAM_RP), 0);
	wr(RVTRACE_TF_CONTROL, TF(RVTRACE_SINK_SRAM));
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), 0);
	wr(RVTRACE_TE_RAM_WP, 4);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), 4);
	wr(RVTRACE_TF_CONTROL, TF(RVTRACE_SINK_PIB));
	assert_int_equal(rd(RVTRACE_TF_CONTROL) >> 28, RVTRACE_SINK_SRAM);
}

TEST(sram_of_its_own_page)
{
	configure_sink(SINK_KIND_RAM);
	sinks.config.ram_modes = RAMSINK_SRAM;
	create_sink();
	assert_int_equal(rd(RVTRACE_TR_RAM_IMPL), 0x1901);
	wr(0, TR | RVTRACE_TR_RAM_CONTROL_MODE);
	assert_int_equal(rd(0), TR | RVTRACE_TR_CONTROL_EMPTY);
	assert_int_equal(rd(RVTRACE_TR_RAM_LIMIT_LOW), 60);
	wr(RVTRACE_TR_RAM_RP_LOW, 60);
	assert_int_equal(rd(RVTRACE_TR_RAM_RP_LOW), 60);
	wr(RVTRACE_TR_RAM_WP_LOW, 0);
	wr(0, TR_ON);
	assert_true(send_text("01234567"));
	wr(0, TR);
	assert_int_equal(rd(RVTRACE_TR_RAM_WP_LOW), 8);
	wr(RVTRACE_TR_RAM_RP_LOW, 4);
	assert_int_equal(rd(RVTRACE_TR_RAM_DATA), 0x37363534);
	assert_int_equal(rd(RVTRACE_TR_RAM_RP_LOW), 8);
}

TEST(sram_limit_may_be_trimmed)
{
	configure_sink(SINK_KIND_RAM);
	sinks.config.ram_modes = RAMSINK_SRAM | RAMSINK_SMEM;
	sinks.config.ram.sram_limit = true;
	create_sink();
	assert_int_equal(rd(RVTRACE_TR_RAM_IMPL), 0x3901);
	wr(0, TR);
	wr(RVTRACE_TR_RAM_LIMIT_LOW, ~0u);
	assert_int_equal(rd(RVTRACE_TR_RAM_LIMIT_LOW), 60);
	wr(RVTRACE_TR_RAM_LIMIT_LOW, 12);
	wr(RVTRACE_TR_RAM_WP_LOW, 0);
	wr(0, TR_ON);
	assert_true(send_text("0123456789abcdefghij"));
	assert_int_equal(rd(RVTRACE_TR_RAM_WP_LOW), 4 | 1);
	wr(0, TR);
	wr(RVTRACE_TR_RAM_RP_LOW, 12);
	rd(RVTRACE_TR_RAM_DATA);
	assert_int_equal(rd(RVTRACE_TR_RAM_DATA), 0x6a696867);
	wr(0, TR | RVTRACE_TR_RAM_CONTROL_MODE);
	assert_int_equal(rd(RVTRACE_TR_RAM_LIMIT_LOW), 0);
}

TEST(bad_sram_is_named)
{
	configure_sink(SINK_KIND_RAM);
	sinks.config.ram_modes = RAMSINK_SRAM;
	sinks.config.ram.sram_size = 6;
	assert_non_null(sink_config_check(&sinks.config));
	sinks.config.ram.sram_size = 0;
	assert_non_null(sink_config_check(&sinks.config));
	sinks.config.ram_modes = 0;
	assert_non_null(sink_config_check(&sinks.config));
}

#define TEXT_8		"01234567"
#define MESSAGES	200
#define SEQUENCE	42	/* 31 of payload, 8 of timestamp, 2 of srcID, null.alignment */

/* What is in memory after MESSAGES, with trRamAsyncFreq @level. Return: bytes. */
static uint32_t store_messages(uint32_t format, uint32_t level, uint8_t *bytes)
{
	uint32_t size, i, word;

	configure_sink(SINK_KIND_RAM);
	sinks.config.ram_modes = RAMSINK_SRAM;
	sinks.config.ram.sram_size = 4096;
	sinks.config.ram.async_freqs = 0xff;
	sinks.config.ram.format = format;
	create_sink();
	wr(0, TR | level << 12);
	wr(RVTRACE_TR_RAM_WP_LOW, 0);
	wr(0, TR_ON | level << 12);
	for (i = 0; i < MESSAGES; i++)
		assert_true(send_text(TEXT_8));
	wr(0, TR | level << 12);
	size = rd(RVTRACE_TR_RAM_WP_LOW);
	wr(RVTRACE_TR_RAM_RP_LOW, 0);
	for (i = 0; i < size; i += 4) {
		word = rd(RVTRACE_TR_RAM_DATA);
		memcpy(bytes + i, &word, 4);
	}
	return size;
}

/* In front of the first message behind 512 bytes */
TEST(etrace_is_aligned_in_memory)
{
	static const uint8_t idle[SEQUENCE - 1];
	uint32_t size, at = 0, sequences = 0, n;
	uint8_t bytes[4096];

	size = store_messages(RVTRACE_FORMAT_ETRACE, 1, bytes);
	for (n = 0; n < MESSAGES; n++) {
		if (n && n % (512 / 8) == 0) {
			assert_memory_equal(bytes + at, idle, sizeof(idle));
			assert_int_equal(bytes[at + sizeof(idle)], 0x80);
			at += SEQUENCE;
			sequences++;
		}
		assert_memory_equal(bytes + at, TEXT_8, 8);
		at += 8;
	}
	assert_int_equal(sequences, 3);
	assert_in_range(size, at, at + 3);
	assert_memory_equal(bytes + at, idle, size - at);
}

TEST(alignment_is_only_where_it_is_asked_for)
{
	uint8_t bytes[4096];

	assert_int_equal(store_messages(RVTRACE_FORMAT_ETRACE, 0, bytes), 8 * MESSAGES);
	sink_model_free(sinks.sink);
	assert_int_equal(store_messages(RVTRACE_FORMAT_NTRACE, 1, bytes), 8 * MESSAGES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		S(sram_tells_its_size), S(sram_is_read_by_words), S(sram_can_be_written),
		S(sram_wraps), S(sram_stops_on_wrap), S(sink_stops_that_is_not_full),
		S(sram_may_be_closed_while_it_runs),
		S(sink_is_chosen_by_the_register), S(sram_of_its_own_page),
		S(sram_limit_may_be_trimmed), S(bad_sram_is_named), S(etrace_is_aligned_in_memory),
		S(alignment_is_only_where_it_is_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
