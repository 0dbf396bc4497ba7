// SPDX-License-Identifier: GPL-2.0
/* What a funnel writes to system memory, and when. */
#include "selftests/unit/model-funnel-fixture.h"

static void high_word_goes_to_memory(void **state)
{
	(void)state;
	bench.config.sink.addr_bits = 36;
	enable(64, 0);
	wr(RVTRACE_TE_RAM_BASE_HIGH, 0x1f);
	assert_int_equal(rd(RVTRACE_TE_RAM_BASE_HIGH), 0);
	wr(RVTRACE_TE_RAM_BASE_HIGH, 0xf);
	send_text("12345678", false);
	assert_int_equal(bench.high, 0xf);
}

static void whole_words_are_written_as_they_fill(void **state)
{
	(void)state;
	enable(64, 0);
	send_text("abcde", false);
	assert_int_equal(bench.writes, 0);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_EMPTY, 0);
	send_text("fghij", false);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 8);
	assert_memory_equal(bench.memory, "abcdefgh", 8);
}

static void disable_flushes_with_idle_bytes(void **state)
{
	(void)state;
	bench.config.component.empty_delay = 10;
	enable(64, 0);
	send_text("abcdefghij", false);
	wr(RVTRACE_TF_CONTROL, ENABLED & ~RVTRACE_TF_CONTROL_ENABLE);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_EMPTY, 0);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 8);
	pass(10);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_EMPTY,
			 RVTRACE_TF_CONTROL_EMPTY);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 16);
	assert_memory_equal(bench.memory, "abcdefghij\xff\xff\xff\xff\xff\xff", 16);
}

static void disabling_twice_writes_nothing_more(void **state)
{
	(void)state;
	enable(64, 0);
	send_text("abc", false);
	wr(RVTRACE_TF_CONTROL, ENABLED & ~RVTRACE_TF_CONTROL_ENABLE);
	rd(RVTRACE_TF_CONTROL);
	wr(RVTRACE_TF_CONTROL, ENABLED & ~RVTRACE_TF_CONTROL_ENABLE);
	wr(RVTRACE_TF_CONTROL, ENABLED);
	wr(RVTRACE_TF_CONTROL, ENABLED & ~RVTRACE_TF_CONTROL_ENABLE);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 8);
}

static void disabled_funnel_accepts_and_drops(void **state)
{
	struct tf_stats stats;

	(void)state;
	create();
	assert_true(send_text("inactive", false));
	wr(RVTRACE_TF_CONTROL, RVTRACE_TF_CONTROL_ACTIVE);
	assert_true(send_text("disabled", false));
	tf_model_stats(bench.tf, &stats);
	assert_int_equal(stats.dropped, 16);
	assert_int_equal(stats.bytes, 0);
	assert_int_equal(bench.writes, 0);
}

static void wrap_sets_the_bit_until_wp_is_written(void **state)
{
	struct tf_stats stats;

	(void)state;
	enable(16, 0);
	send_text("0123456789abcde", false);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 8);
	send_text("f", false);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE | 1);
	send_text("ABCDEFGH", false);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), (BASE + 8) | 1);
	assert_memory_equal(bench.memory, "ABCDEFGH89abcdef", 16);
	tf_model_stats(bench.tf, &stats);
	assert_int_equal(stats.wraps, 1);
	wr(RVTRACE_TF_CONTROL, ENABLED & ~RVTRACE_TF_CONTROL_ENABLE);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), (BASE + 8) | 1);
	wr(RVTRACE_TE_RAM_WP, (BASE + 8) | 1);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 8);
}

static void bursts_wrap_in_two_writes(void **state)
{
	(void)state;
	bench.config.sink.burst = 32;
	enable(48, 0);
	send_text("aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb", false);
	assert_int_equal(bench.writes, 1);
	send_text("ccccccccccccccccdddddddddddddddd", false);
	assert_int_equal(bench.writes, 3);
	assert_memory_equal(bench.memory, "dddddddddddddddd", 16);
	assert_memory_equal(bench.memory + 32, "cccccccccccccccc", 16);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), (BASE + 16) | 1);
}

static void one_word_ring_wraps_at_every_word(void **state)
{
	(void)state;
	enable(8, 0);
	send_text("0123456789abcdef", false);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE | 1);
	assert_memory_equal(bench.memory, "89abcdef", 8);
}

static void stop_on_wrap_keeps_the_first_fill(void **state)
{
	(void)state;
	bench.config.sink.burst = 32;
	enable(16, RVTRACE_TF_CONTROL_STOP_ON_WRAP);
	send_text("0123456789abcdefXYZXYZXYZXYZXYZXYZXYZXYZ", false);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_ENABLE, 0);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_EMPTY,
			 RVTRACE_TF_CONTROL_EMPTY);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE | 1);
	assert_true(send_text("more", false));
	assert_memory_equal(bench.memory, "0123456789abcdef", 16);
	/* Enabled again it fills once more. */
	wr(RVTRACE_TE_RAM_WP, BASE);
	wr(RVTRACE_TF_CONTROL, ENABLED | RVTRACE_TF_CONTROL_STOP_ON_WRAP);
	send_text("ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEF", false);
	assert_memory_equal(bench.memory, "ABCDEFGHIJKLMNOP", 16);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_ENABLE, 0);
}

static void write_pointer_leads_posted_words(void **state)
{
	(void)state;
	bench.config.sink.posted_words = 3;
	enable(32, 0);
	send_text("aaaaaaaabbbbbbbbcccccccc", false);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 24);
	assert_int_equal(bench.writes, 0);
	send_text("dddddddd", false);
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE | 1);
	assert_memory_equal(bench.memory, "aaaaaaaa\0\0\0\0\0\0\0\0", 16);
	send_text("eeeeeeee", false);
	assert_memory_equal(bench.memory, "aaaaaaaabbbbbbbb\0\0\0\0\0\0\0\0", 24);
}

static void empty_is_not_about_posted_words_while_enabled(void **state)
{
	(void)state;
	bench.config.sink.posted_words = 3;
	enable(32, 0);
	send_text("aaaaaaaab", false);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_EMPTY, 0);
	send_text("bbbbbbb", false);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_EMPTY,
			 RVTRACE_TF_CONTROL_EMPTY);
	assert_int_equal(bench.writes, 0);
}

static void posted_words_land_before_empty(void **state)
{
	(void)state;
	bench.config.sink.posted_words = 1000;
	enable(32, 0);
	send_text("aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeef", false);
	assert_int_equal(bench.writes, 0);
	wr(RVTRACE_TF_CONTROL, ENABLED & ~RVTRACE_TF_CONTROL_ENABLE);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_EMPTY,
			 RVTRACE_TF_CONTROL_EMPTY);
	assert_memory_equal(bench.memory,
			    "eeeeeeeef\xff\xff\xff\xff\xff\xff\xff" "ccccccccdddddddd", 32);
}

static void posted_words_land_when_the_ring_is_full(void **state)
{
	(void)state;
	bench.config.sink.posted_words = 1000;
	enable(16, RVTRACE_TF_CONTROL_STOP_ON_WRAP);
	send_text("aaaaaaaabbbbbbbb", false);
	assert_int_equal(rd(RVTRACE_TF_CONTROL) & RVTRACE_TF_CONTROL_EMPTY,
			 RVTRACE_TF_CONTROL_EMPTY);
	assert_memory_equal(bench.memory, "aaaaaaaabbbbbbbb", 16);
}

static void posted_words_land_although_the_funnel_is_reset(void **state)
{
	(void)state;
	bench.config.sink.posted_words = 1000;
	enable(32, 0);
	send_text("aaaaaaaabbb", false);
	wr(RVTRACE_TF_CONTROL, 0);
	assert_memory_equal(bench.memory, "aaaaaaaa\0\0\0\0\0\0\0\0", 16);
}

static void limited_memory_refuses_until_time_passes(void **state)
{
	(void)state;
	bench.config.sink.bandwidth = 1 << 15;	/* half a byte per half-word */
	bench.config.sink.queue = 64;
	enable(MEMORY, 0);
	assert_true(send_text("0123456789abcdef0123456789abcdef", false));
	assert_true(send_text("0123456789abcdef0123456789abcdef", false));
	assert_false(send_text("x", false));
	tf_model_advance(bench.tf, 1);
	assert_false(send_text("x", false));
	tf_model_advance(bench.tf, 1);
	assert_true(send_text("x", false));
	assert_false(send_text("x", false));
	/* A sender that waits is always served, and leaves the queue full. */
	assert_true(send_text("0123456789abcdef0123456789abcdef", true));
	assert_false(send_text("x", false));
	tf_model_advance(bench.tf, 2);
	assert_true(send_text("x", false));
	assert_false(send_text("x", false));
	tf_model_advance(bench.tf, 1000);
	assert_true(send_text("0123456789abcdef0123456789abcdef", false));
	assert_int_equal(rd(RVTRACE_TE_RAM_WP), BASE + 128);
}

static void bandwidth_can_drop(void **state)
{
	(void)state;
	bench.config.sink.queue = 64;
	enable(MEMORY, 0);
	assert_int_equal(tf_model_bandwidth(bench.tf), 0);
	tf_model_set_bandwidth(bench.tf, 1);
	assert_true(send_text("0123456789abcdef0123456789abcdef", false));
	assert_true(send_text("0123456789abcdef0123456789abcdef", false));
	assert_false(send_text("x", false));
	tf_model_set_bandwidth(bench.tf, 0);
	assert_true(send_text("x", false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(high_word_goes_to_memory),
		T(whole_words_are_written_as_they_fill),
		T(disable_flushes_with_idle_bytes),
		T(disabling_twice_writes_nothing_more),
		T(disabled_funnel_accepts_and_drops),
		T(wrap_sets_the_bit_until_wp_is_written),
		T(bursts_wrap_in_two_writes),
		T(one_word_ring_wraps_at_every_word),
		T(stop_on_wrap_keeps_the_first_fill),
		T(write_pointer_leads_posted_words),
		T(empty_is_not_about_posted_words_while_enabled),
		T(posted_words_land_before_empty),
		T(posted_words_land_when_the_ring_is_full),
		T(posted_words_land_although_the_funnel_is_reset),
		T(limited_memory_refuses_until_time_passes),
		T(bandwidth_can_drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
