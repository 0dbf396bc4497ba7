// SPDX-License-Identifier: GPL-2.0
/*
 * Positions of a sink's ring, against a model that knows how many bytes the
 * hardware really wrote.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver/ring.h"

#define SIZE	4096U
#define WIDTH	8U

/*
 * Hardware: writes a counter's bytes, of which the last @posted are not in memory
 * yet, and wraps; @meanwhile of them while it is sampled. And what the driver
 * keeps to compare.
 */
struct hardware {
	struct rvtrace_ring ring;
	u64 written;
	u64 landed;
	u64 posted;
	u64 meanwhile;
	bool drained;
	_Alignas(u32) unsigned char memory[SIZE];
	unsigned char check[RVTRACE_RING_CHECK_LENGTH];
	u32 check_at;
	bool check_valid;
};

static void begin(struct hardware *hw, bool fill)
{
	hw->written = 0;
	hw->landed = 0;
	hw->drained = false;
	hw->check_valid = false;
	memset(hw->memory, 0, sizeof(hw->memory));
	rvtrace_ring_begin(&hw->ring, SIZE, WIDTH, fill);
}

/* Never a zero word, unlike memory that was cleared; another byte in every lap. */
static unsigned char trace_at(u64 position)
{
	return ((position >> 3) * 2654435761U >> 24) | 1;
}

static void land(struct hardware *hw, u64 keep)
{
	for (; hw->written - hw->landed > keep; hw->landed++)
		hw->memory[hw->landed % SIZE] = trace_at(hw->landed);
}

static void write_trace(struct hardware *hw, u64 bytes)
{
	hw->written += bytes;
	hw->drained = false;
	land(hw, hw->posted);
}

static void drain(struct hardware *hw)
{
	land(hw, 0);
	hw->drained = true;
}

static bool same(const struct hardware *hw)
{
	return hw->check_valid &&
	       !memcmp(hw->memory + hw->check_at, hw->check, sizeof(hw->check));
}

static int sample(struct hardware *hw)
{
	struct rvtrace_ring_reading reading = {
		.offset = hw->written % SIZE,
		.wrap = hw->written >= SIZE,
		.same = same(hw),
		.drained = hw->drained,
	};
	unsigned char kept[RVTRACE_RING_CHECK_LENGTH];
	u32 at, end;
	int ret;

	reading.looked = rvtrace_ring_look_at(&hw->ring, reading.offset, reading.wrap, &end);
	if (reading.looked)
		reading.unlanded = rvtrace_ring_unlanded(hw->memory + end, reading.looked,
							 hw->ring.width);
	ret = rvtrace_ring_sample(&hw->ring, &reading);
	if (hw->meanwhile)
		write_trace(hw, hw->meanwhile);
	hw->meanwhile = 0;
	if (!rvtrace_ring_check_at(&hw->ring, &at)) {
		hw->check_valid = false;
		return ret;
	}
	memcpy(kept, hw->memory + at, sizeof(kept));
	hw->check_valid = reading.same ? same(hw) : reading.wrap || hw->written < SIZE;
	hw->check_at = at;
	memcpy(hw->check, kept, sizeof(kept));
	return ret;
}

static u64 head_of(const struct hardware *hw)
{
	return hw->ring.head - hw->ring.start;
}

static void head_follows_the_pointer(void **state)
{
	struct hardware hw = {};

	(void)state;
	begin(&hw, false);
	for (int i = 0; i < 100; i++) {
		write_trace(&hw, 1000);
		assert_int_equal(sample(&hw), 0);
		assert_int_equal(head_of(&hw), hw.written);
		assert_int_equal(rvtrace_ring_consume(&hw.ring, hw.ring.head), 0);
	}
	assert_int_equal(hw.ring.lost, 0);
	assert_false(hw.ring.pending);
}

static void nothing_new_is_not_a_lap(void **state)
{
	struct hardware hw = {};

	(void)state;
	begin(&hw, false);
	write_trace(&hw, 3000);
	sample(&hw);
	write_trace(&hw, 3000);
	sample(&hw);
	for (int i = 0; i < 10; i++) {
		assert_int_equal(sample(&hw), 0);
		assert_int_equal(head_of(&hw), 6000);
	}
}

static void whole_lap_with_the_same_pointer_is_seen(void **state)
{
	struct hardware hw = {};

	(void)state;
	begin(&hw, false);
	write_trace(&hw, 3000);
	sample(&hw);
	rvtrace_ring_consume(&hw.ring, hw.ring.head);
	write_trace(&hw, 3000);
	sample(&hw);
	rvtrace_ring_consume(&hw.ring, hw.ring.head);
	write_trace(&hw, SIZE);
	assert_int_equal(sample(&hw), 0);
	assert_int_equal(head_of(&hw), hw.written);
	assert_true(hw.ring.lower_bound);
	assert_int_equal(hw.ring.lost, WIDTH);
}

static void missed_laps_are_never_reported_as_zero(void **state)
{
	struct hardware hw = {};

	(void)state;
	for (u64 more = 1; more < 5 * SIZE; more += 97) {
		begin(&hw, false);
		write_trace(&hw, 2000);
		sample(&hw);
		rvtrace_ring_consume(&hw.ring, hw.ring.head);
		write_trace(&hw, 2500);
		sample(&hw);
		rvtrace_ring_consume(&hw.ring, hw.ring.head);
		write_trace(&hw, more);
		sample(&hw);
		/* What is readable is never older than what memory holds. */
		if (hw.written - 4500 > SIZE) {
			assert_true(hw.ring.lost > 0);
			assert_true(hw.ring.lower_bound);
		} else if (more < SIZE - 2 * RVTRACE_RING_CHECK_DISTANCE) {
			assert_int_equal(hw.ring.lost, 0);
			assert_int_equal(head_of(&hw), hw.written);
		}
		/* Modulo the ring, the head is always right. */
		assert_int_equal(head_of(&hw) % SIZE, hw.written % SIZE);
	}
}

/* Whatever was written before the bytes to compare were kept. */
static void lap_during_a_sample_is_seen(void **state)
{
	struct hardware hw = {};

	(void)state;
	for (u64 before = 1000; before < 3 * SIZE; before += 1000) {
		for (u64 meanwhile = WIDTH; meanwhile < 3 * SIZE; meanwhile += 104) {
			begin(&hw, false);
			for (u64 at = 0; at < before; at += 1000) {
				write_trace(&hw, 1000);
				sample(&hw);
				rvtrace_ring_consume(&hw.ring, hw.ring.head);
			}
			hw.meanwhile = meanwhile;
			sample(&hw);
			write_trace(&hw, 400);
			sample(&hw);
			assert_true(hw.ring.lower_bound || head_of(&hw) == hw.written);
			assert_true(hw.ring.lost > 0 || meanwhile + 400 <= SIZE);
			assert_true(hw.ring.lost == 0 || meanwhile >= SIZE - 1500);
		}
	}
}

static void first_wrap_counts_one_lap(void **state)
{
	struct hardware hw = {};

	(void)state;
	begin(&hw, false);
	write_trace(&hw, 3900);
	sample(&hw);
	write_trace(&hw, 400);
	sample(&hw);
	assert_int_equal(head_of(&hw), 4300);
}

static void wrap_before_the_first_sample_is_a_lower_bound(void **state)
{
	struct hardware hw = {};

	(void)state;
	begin(&hw, false);
	write_trace(&hw, SIZE + 100);
	sample(&hw);
	assert_true(head_of(&hw) >= hw.written);
	assert_true(hw.ring.lower_bound);
	assert_true(hw.ring.lost >= 100);
}

static void slow_reader_loses_exactly_what_was_overwritten(void **state)
{
	struct hardware hw = {};

	(void)state;
	begin(&hw, false);
	for (int i = 0; i < 10; i++) {
		write_trace(&hw, 1000);
		sample(&hw);
	}
	assert_int_equal(head_of(&hw), 10000);
	assert_int_equal(hw.ring.lost, 10000 - SIZE + WIDTH);
	assert_true(hw.ring.pending);
	assert_int_equal(hw.ring.pending_start, hw.ring.start);
	assert_int_equal(hw.ring.counted, hw.ring.start + 10000 - SIZE + WIDTH);
	assert_false(hw.ring.lower_bound);
	assert_int_equal(rvtrace_ring_readable_from(&hw.ring), hw.ring.counted);
	assert_int_equal(rvtrace_ring_unread(&hw.ring), SIZE - WIDTH);
}

static void consumed_bytes_are_not_lost(void **state)
{
	struct hardware hw = {};

	(void)state;
	begin(&hw, false);
	write_trace(&hw, 3000);
	sample(&hw);
	rvtrace_ring_consume(&hw.ring, hw.ring.start + 2500);
	write_trace(&hw, 3000);
	sample(&hw);
	assert_int_equal(hw.ring.lost, 0);
	write_trace(&hw, 1000);
	sample(&hw);
	assert_int_equal(hw.ring.lost, 7000 - SIZE + WIDTH - 2500);
	assert_int_equal(hw.ring.pending_start, hw.ring.start + 2500);
}

static void bytes_used_while_overwritten_are_counted(void **state)
{
	struct hardware hw = {};
	u64 used;

	(void)state;
	begin(&hw, false);
	write_trace(&hw, 3000);
	sample(&hw);
	used = hw.ring.head;
	write_trace(&hw, 2000);
	sample(&hw);
	assert_int_equal(rvtrace_ring_consume(&hw.ring, used), 0);
	assert_int_equal(hw.ring.lost, 5000 - SIZE + WIDTH);
}

static void consume_refuses_positions_out_of_range(void **state)
{
	struct hardware hw = {};

	(void)state;
	begin(&hw, false);
	write_trace(&hw, 100);
	sample(&hw);
	assert_int_equal(rvtrace_ring_consume(&hw.ring, hw.ring.start + 50), 0);
	assert_int_equal(rvtrace_ring_consume(&hw.ring, hw.ring.start + 49), -EINVAL);
	assert_int_equal(rvtrace_ring_consume(&hw.ring, hw.ring.start + 101), -EINVAL);
	assert_int_equal(rvtrace_ring_consume(&hw.ring, hw.ring.start + 100), 0);
}

static void fill_keeps_the_whole_ring(void **state)
{
	struct hardware hw = {};

	(void)state;
	begin(&hw, true);
	write_trace(&hw, SIZE);
	assert_int_equal(sample(&hw), 0);
	assert_int_equal(head_of(&hw), SIZE);
	assert_int_equal(sample(&hw), 0);
	assert_int_equal(head_of(&hw), SIZE);
	assert_int_equal(rvtrace_ring_unread(&hw.ring), SIZE);
	assert_int_equal(hw.ring.lost, 0);
}

static void stopped_ring_gives_up_its_last_word(void **state)
{
	struct hardware hw = {};

	(void)state;
	begin(&hw, false);
	write_trace(&hw, 3000);
	sample(&hw);
	hw.ring.running = false;
	write_trace(&hw, 1096);
	sample(&hw);
	assert_int_equal(rvtrace_ring_unread(&hw.ring), SIZE);
	assert_int_equal(hw.ring.lost, 0);
}

static int sample_at(struct hardware *hw, u32 offset, bool wrap)
{
	struct rvtrace_ring_reading reading = { .offset = offset, .wrap = wrap };

	return rvtrace_ring_sample(&hw->ring, &reading);
}

static void pointer_out_of_the_ring_is_an_error(void **state)
{
	struct hardware hw = {};

	(void)state;
	begin(&hw, false);
	write_trace(&hw, 100);
	sample(&hw);
	assert_int_equal(sample_at(&hw, SIZE, false), -ERANGE);
	assert_int_equal(sample_at(&hw, 99, false), -ERANGE);
	assert_int_equal(head_of(&hw), 100);
	write_trace(&hw, SIZE);
	sample(&hw);
	assert_int_equal(sample_at(&hw, 200, false), -ERANGE);
}

static void sessions_start_at_multiples_of_the_size(void **state)
{
	struct hardware hw = {};

	(void)state;
	begin(&hw, false);
	assert_int_equal(hw.ring.start, 0);
	write_trace(&hw, 100);
	sample(&hw);
	rvtrace_ring_consume(&hw.ring, 40);
	assert_int_equal(rvtrace_ring_begin(&hw.ring, SIZE, WIDTH, false), 60);
	assert_int_equal(hw.ring.start, SIZE);
	assert_int_equal(hw.ring.lost, 0);
	assert_int_equal(rvtrace_ring_begin(&hw.ring, 3 * SIZE, WIDTH, false), 0);
	assert_int_equal(hw.ring.start, 3 * SIZE);
}

static void random_walk_agrees_with_the_hardware(void **state)
{
	struct hardware hw = {};
	u64 lost = 0, tail = 0;

	(void)state;
	srandom(1);
	begin(&hw, false);
	for (int i = 0; i < 20000; i++) {
		write_trace(&hw, random() % (SIZE / 2 / WIDTH) * WIDTH);
		assert_int_equal(sample(&hw), 0);
		assert_int_equal(head_of(&hw), hw.written);
		if (hw.written + WIDTH > SIZE + tail) {
			lost += hw.written + WIDTH - SIZE - tail;
			tail = hw.written + WIDTH - SIZE;
		}
		assert_int_equal(hw.ring.lost, lost);
		if (random() % 3 == 0) {
			tail += random() % (hw.written - tail + 1);
			assert_int_equal(rvtrace_ring_consume(&hw.ring, hw.ring.start + tail), 0);
			hw.ring.pending = false;
		}
	}
	assert_true(lost > 0);
}

static void reader_that_was_overtaken_gets_a_head_start(void **state)
{
	struct hardware hw = {};

	(void)state;
	begin(&hw, false);
	for (int i = 0; i < 5; i++) {
		write_trace(&hw, 1000);
		sample(&hw);
	}
	rvtrace_ring_catch_up(&hw.ring);
	assert_int_equal(hw.ring.lost, 5000 + WIDTH - SIZE + SIZE / 4);
	assert_int_equal(rvtrace_ring_readable_from(&hw.ring), hw.ring.start + hw.ring.lost);
	assert_int_equal(hw.ring.pending_start, hw.ring.start);
	rvtrace_ring_consume(&hw.ring, hw.ring.head);
	rvtrace_ring_catch_up(&hw.ring);
	assert_int_equal(hw.ring.lost, 5000 + WIDTH - SIZE + SIZE / 4);
}

static void what_is_discarded_is_lost(void **state)
{
	struct hardware hw = {};

	(void)state;
	begin(&hw, false);
	write_trace(&hw, 3000);
	sample(&hw);
	rvtrace_ring_consume(&hw.ring, hw.ring.start + 1000);
	rvtrace_ring_discard(&hw.ring);
	assert_int_equal(hw.ring.lost, 2000);
	assert_int_equal(hw.ring.valid_from, hw.ring.head);
	assert_int_equal(hw.ring.pending_start, hw.ring.start + 1000);
	assert_int_equal(rvtrace_ring_unread(&hw.ring), 0);
}

/* What is before the head is what was written, and is not older than a lap. */
static void check_bytes(const struct hardware *hw)
{
	u64 head = head_of(hw), from = hw->ring.valid_from - hw->ring.start;

	assert_true(head <= hw->landed);
	for (u64 at = from; at < head; at++)
		assert_int_equal(hw->memory[at % SIZE], trace_at(at));
}

static void head_waits_for_what_has_not_landed(void **state)
{
	static const u64 words[] = { 1, 7, 64, 200 };

	(void)state;
	srandom(2);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		struct hardware hw = { .posted = words[i] * WIDTH };

		begin(&hw, false);
		for (int n = 0; n < 1000; n++) {
			write_trace(&hw, random() % (SIZE / 32) * WIDTH);
			assert_int_equal(sample(&hw), 0);
			assert_int_equal(hw.ring.pointer - hw.ring.start, hw.written);
			check_bytes(&hw);
			assert_int_equal(rvtrace_ring_consume(&hw.ring, hw.ring.head), 0);
		}
		assert_true(hw.written > 10 * SIZE);
		assert_int_equal(hw.ring.lag, hw.posted);
		/* Little more than that is held back. */
		assert_true(head_of(&hw) + 2 * hw.posted >= hw.written);
	}
}

static void first_lap_shows_exactly_what_has_landed(void **state)
{
	struct hardware hw = { .posted = 7 * WIDTH };

	(void)state;
	begin(&hw, false);
	write_trace(&hw, 3 * WIDTH);
	sample(&hw);
	assert_int_equal(head_of(&hw), 0);
	assert_false(hw.ring.lag_known);
	write_trace(&hw, 20 * WIDTH);
	sample(&hw);
	assert_int_equal(head_of(&hw), 16 * WIDTH);
	assert_true(hw.ring.lag_known);
	drain(&hw);
	sample(&hw);
	assert_int_equal(head_of(&hw), hw.written);
}

static void lag_that_was_never_seen_is_taken_for_the_greatest(void **state)
{
	struct hardware hw = { .posted = 64 * WIDTH };

	(void)state;
	begin(&hw, false);
	write_trace(&hw, SIZE + 800);
	sample(&hw);
	assert_false(hw.ring.lag_known);
	assert_int_equal(hw.ring.pointer - hw.ring.head, SIZE / 2);
}

static void lag_outlives_the_session(void **state)
{
	struct hardware hw = { .posted = 16 * WIDTH };

	(void)state;
	begin(&hw, false);
	write_trace(&hw, 1000 * WIDTH / 4);
	sample(&hw);
	begin(&hw, false);
	write_trace(&hw, SIZE + 800);
	sample(&hw);
	assert_int_equal(hw.ring.pointer - hw.ring.head, 2 * hw.posted);
}

static void drained_ring_holds_nothing_back(void **state)
{
	struct hardware hw = { .posted = 64 * WIDTH };

	(void)state;
	begin(&hw, false);
	for (int i = 0; i < 10; i++) {
		write_trace(&hw, 1024);
		sample(&hw);
	}
	assert_true(head_of(&hw) < hw.written);
	drain(&hw);
	sample(&hw);
	assert_int_equal(head_of(&hw), hw.written);
	check_bytes(&hw);
	assert_int_equal(rvtrace_ring_end(&hw.ring), 0);
	/* The head does not go back when the hardware goes on. */
	write_trace(&hw, 8);
	sample(&hw);
	assert_int_equal(head_of(&hw), hw.written - 8);
}

static void what_never_landed_is_lost(void **state)
{
	struct hardware hw = { .posted = 64 * WIDTH };
	u64 lost;

	(void)state;
	begin(&hw, false);
	write_trace(&hw, 2048);
	sample(&hw);
	rvtrace_ring_consume(&hw.ring, hw.ring.head);
	lost = hw.ring.lost;
	assert_int_equal(rvtrace_ring_end(&hw.ring), hw.posted);
	assert_int_equal(hw.ring.lost, lost + hw.posted);
	assert_int_equal(rvtrace_ring_unread(&hw.ring), 0);
}

static void full_ring_waits_for_its_last_words(void **state)
{
	struct hardware hw = { .posted = 64 * WIDTH };

	(void)state;
	begin(&hw, true);
	write_trace(&hw, SIZE);
	sample(&hw);
	assert_int_equal(head_of(&hw), SIZE - hw.posted);
	drain(&hw);
	sample(&hw);
	assert_int_equal(head_of(&hw), SIZE);
}

static void zero_words_that_landed_come_late_but_come(void **state)
{
	struct hardware hw = {};

	(void)state;
	begin(&hw, false);
	write_trace(&hw, 1024);
	memset(hw.memory + 1024 - 3 * WIDTH, 0, 3 * WIDTH);
	sample(&hw);
	assert_int_equal(head_of(&hw), 1024 - 3 * WIDTH);
	write_trace(&hw, WIDTH);
	sample(&hw);
	assert_int_equal(head_of(&hw), 1024 + WIDTH);
}

static void period_is_an_eighth_of_the_fill_time(void **state)
{
	struct rvtrace_rate rate = {};
	u64 period = 0;

	(void)state;
	rvtrace_rate_begin(&rate, 0);
	/* 100 MB/s fill 1 MiB in 10.5 ms. */
	for (int i = 1; i < 1000; i++)
		period = rvtrace_rate_period(&rate, 1 << 20, i * 100000, 1000000);
	assert_in_range(period, 1200000, 1350000);
}

static void period_starts_short_and_relaxes(void **state)
{
	struct rvtrace_rate rate = {};
	u64 first, last = 0;

	(void)state;
	rvtrace_rate_begin(&rate, 0);
	first = rvtrace_rate_period(&rate, 1 << 20, 0, 1000000);
	for (int i = 0; i < 1000; i++)
		last = rvtrace_rate_period(&rate, 1 << 20, 0, 1000000);
	assert_true(first < 4000000);
	assert_true(last > 3 * first);
	assert_true(last < 17000000);
	assert_true(rvtrace_rate_period(&rate, 1 << 20, 1 << 20, 1000000) < 200000);
}

static void period_recovers_from_a_burst(void **state)
{
	struct rvtrace_rate rate = {};
	u64 last = 0;

	(void)state;
	rvtrace_rate_begin(&rate, 0);
	rvtrace_rate_period(&rate, 1 << 20, 100 << 20, 1000);
	for (int i = 0; i < 1000; i++)
		last = rvtrace_rate_period(&rate, 1 << 20, 100 << 20, 1000000);
	assert_true(last > 10000000);
}

static void period_follows_from_a_given_rate(void **state)
{
	struct rvtrace_rate rate = { .given = 1 << 30 };

	(void)state;
	rvtrace_rate_begin(&rate, 0);
	/* 1 GiB/s fill 1 MiB in 977 us. */
	for (int i = 0; i < 100; i++)
		assert_int_equal(rvtrace_rate_period(&rate, 1 << 20, i * 1000, 1000000), 244140);
}

static void rates_are_measured(void **state)
{
	struct rvtrace_rate rate = {};
	u64 pointer = 0;

	(void)state;
	rvtrace_rate_begin(&rate, pointer);
	for (int i = 0; i < 2000; i++)
		rvtrace_rate_period(&rate, 1 << 20, pointer += i == 1000 ? 9000 : 1000, 1000000);
	assert_int_equal(rate.highest, 9000000);
	assert_int_equal(rate.recent, 1008000);
	rvtrace_rate_begin(&rate, pointer);
	assert_int_equal(rate.highest, 9000000);
	assert_int_equal(rate.recent, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(head_follows_the_pointer),
		cmocka_unit_test(nothing_new_is_not_a_lap),
		cmocka_unit_test(whole_lap_with_the_same_pointer_is_seen),
		cmocka_unit_test(missed_laps_are_never_reported_as_zero),
		cmocka_unit_test(lap_during_a_sample_is_seen),
		cmocka_unit_test(first_wrap_counts_one_lap),
		cmocka_unit_test(wrap_before_the_first_sample_is_a_lower_bound),
		cmocka_unit_test(slow_reader_loses_exactly_what_was_overwritten),
		cmocka_unit_test(consumed_bytes_are_not_lost),
		cmocka_unit_test(bytes_used_while_overwritten_are_counted),
		cmocka_unit_test(consume_refuses_positions_out_of_range),
		cmocka_unit_test(fill_keeps_the_whole_ring),
		cmocka_unit_test(stopped_ring_gives_up_its_last_word),
		cmocka_unit_test(pointer_out_of_the_ring_is_an_error),
		cmocka_unit_test(sessions_start_at_multiples_of_the_size),
		cmocka_unit_test(random_walk_agrees_with_the_hardware),
		cmocka_unit_test(reader_that_was_overtaken_gets_a_head_start),
		cmocka_unit_test(what_is_discarded_is_lost),
		cmocka_unit_test(head_waits_for_what_has_not_landed),
		cmocka_unit_test(first_lap_shows_exactly_what_has_landed),
		cmocka_unit_test(lag_that_was_never_seen_is_taken_for_the_greatest),
		cmocka_unit_test(lag_outlives_the_session),
		cmocka_unit_test(drained_ring_holds_nothing_back),
		cmocka_unit_test(what_never_landed_is_lost),
		cmocka_unit_test(full_ring_waits_for_its_last_words),
		cmocka_unit_test(zero_words_that_landed_come_late_but_come),
		cmocka_unit_test(period_is_an_eighth_of_the_fill_time),
		cmocka_unit_test(period_starts_short_and_relaxes),
		cmocka_unit_test(period_recovers_from_a_burst),
		cmocka_unit_test(period_follows_from_a_given_rate),
		cmocka_unit_test(rates_are_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
