// SPDX-License-Identifier: GPL-2.0
/* Positions of a sink's ring */
#include <kunit/test.h>

#include "ring_hardware.h"
#include "scale.h"

#define LARGE	(5ULL << 30)

static void head_follows_the_pointer(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	ring_hardware_begin(hw, false);
	for (int i = 0; i < 100; i++) {
		ring_hardware_write(hw, 1000);
		KUNIT_ASSERT_EQ(test, ring_hardware_sample(hw), 0);
		KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), hw->written);
		KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(&hw->ring, hw->ring.head), 0);
	}
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 0);
	KUNIT_ASSERT_FALSE(test, hw->ring.pending);
}

static void nothing_new_is_not_a_lap(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	ring_hardware_begin(hw, false);
	ring_hardware_write(hw, 3000);
	ring_hardware_sample(hw);
	ring_hardware_write(hw, 3000);
	ring_hardware_sample(hw);
	for (int i = 0; i < 10; i++) {
		KUNIT_ASSERT_EQ(test, ring_hardware_sample(hw), 0);
		KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), 6000);
	}
}

static void whole_lap_with_the_same_pointer_is_seen(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	ring_hardware_begin(hw, false);
	ring_hardware_write(hw, 3000);
	ring_hardware_sample(hw);
	rvtrace_ring_consume(&hw->ring, hw->ring.head);
	ring_hardware_write(hw, 3000);
	ring_hardware_sample(hw);
	rvtrace_ring_consume(&hw->ring, hw->ring.head);
	ring_hardware_write(hw, SIZE);
	KUNIT_ASSERT_EQ(test, ring_hardware_sample(hw), 0);
	KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), hw->written);
	KUNIT_ASSERT_TRUE(test, hw->ring.lower_bound);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, WIDTH);
}

/* That of E-Trace's encapsulation, with srcID and timestamp. */
#define SEQUENCE 42

/* Wherever it lies, if it lies there in each lap. */
static void synchronization_sequence_hides_no_lap(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	for (u32 at = 0; at < 900 - SEQUENCE; at++) {
		ring_hardware_begin(hw, false);
		ring_hardware_write(hw, 2000);
		ring_hardware_sample(hw);
		ring_hardware_write(hw, SIZE - 2000 + 900);
		memset(hw->memory + at, 0, SEQUENCE);
		ring_hardware_sample(hw);
		KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), hw->written);
		ring_hardware_write(hw, SIZE);
		memset(hw->memory + at, 0, SEQUENCE);
		ring_hardware_sample(hw);
		KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), hw->written);
	}
}

static void missed_laps_are_never_reported_as_zero(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	for (u64 more = 1; more < 5 * SIZE; more += STEP(97)) {
		ring_hardware_begin(hw, false);
		ring_hardware_write(hw, 2000);
		ring_hardware_sample(hw);
		rvtrace_ring_consume(&hw->ring, hw->ring.head);
		ring_hardware_write(hw, 2500);
		ring_hardware_sample(hw);
		rvtrace_ring_consume(&hw->ring, hw->ring.head);
		ring_hardware_write(hw, more);
		ring_hardware_sample(hw);
		/* What is readable is never older than what memory holds. */
		if (hw->written - 4500 > SIZE) {
			KUNIT_ASSERT_TRUE(test, hw->ring.lost > 0);
			KUNIT_ASSERT_TRUE(test, hw->ring.lower_bound);
		} else if (more < SIZE - 2 * RVTRACE_RING_CHECK_DISTANCE) {
			KUNIT_ASSERT_EQ(test, hw->ring.lost, 0);
			KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), hw->written);
		}
		/* Modulo the ring, the head is always right. */
		KUNIT_ASSERT_EQ(test, ring_hardware_head(hw) % SIZE, hw->written % SIZE);
	}
}

/* Whatever was written before the bytes to compare were kept. */
static void lap_during_a_sample_is_seen(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	for (u64 before = 1000; before < 3 * SIZE; before += 1000) {
		for (u64 meanwhile = WIDTH; meanwhile < 3 * SIZE; meanwhile += STEP(104)) {
			ring_hardware_begin(hw, false);
			for (u64 at = 0; at < before; at += 1000) {
				ring_hardware_write(hw, 1000);
				ring_hardware_sample(hw);
				rvtrace_ring_consume(&hw->ring, hw->ring.head);
			}
			hw->meanwhile = meanwhile;
			ring_hardware_sample(hw);
			ring_hardware_write(hw, 400);
			ring_hardware_sample(hw);
			KUNIT_ASSERT_TRUE(test, hw->ring.lower_bound ||
					  ring_hardware_head(hw) == hw->written);
			KUNIT_ASSERT_TRUE(test, hw->ring.lost > 0 || meanwhile + 400 <= SIZE);
			KUNIT_ASSERT_TRUE(test, hw->ring.lost == 0 || meanwhile >= SIZE - 1500);
		}
	}
}

static void first_wrap_counts_one_lap(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	ring_hardware_begin(hw, false);
	ring_hardware_write(hw, 3900);
	ring_hardware_sample(hw);
	ring_hardware_write(hw, 400);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), 4300);
}

static void wrap_before_the_first_sample_is_a_lower_bound(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	ring_hardware_begin(hw, false);
	ring_hardware_write(hw, SIZE + 100);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_TRUE(test, ring_hardware_head(hw) >= hw->written);
	KUNIT_ASSERT_TRUE(test, hw->ring.lower_bound);
	KUNIT_ASSERT_TRUE(test, hw->ring.lost >= 100);
}

static void slow_reader_loses_exactly_what_was_overwritten(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	ring_hardware_begin(hw, false);
	for (int i = 0; i < 10; i++) {
		ring_hardware_write(hw, 1000);
		ring_hardware_sample(hw);
	}
	KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), 10000);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 10000 - SIZE + WIDTH);
	KUNIT_ASSERT_TRUE(test, hw->ring.pending);
	KUNIT_ASSERT_EQ(test, hw->ring.pending_start, hw->ring.start);
	KUNIT_ASSERT_EQ(test, hw->ring.counted, hw->ring.start + 10000 - SIZE + WIDTH);
	KUNIT_ASSERT_FALSE(test, hw->ring.lower_bound);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_readable_from(&hw->ring), hw->ring.counted);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_unread(&hw->ring), SIZE - WIDTH);
}

static void consumed_bytes_are_not_lost(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	ring_hardware_begin(hw, false);
	ring_hardware_write(hw, 3000);
	ring_hardware_sample(hw);
	rvtrace_ring_consume(&hw->ring, hw->ring.start + 2500);
	ring_hardware_write(hw, 3000);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 0);
	ring_hardware_write(hw, 1000);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 7000 - SIZE + WIDTH - 2500);
	KUNIT_ASSERT_EQ(test, hw->ring.pending_start, hw->ring.start + 2500);
}

static void bytes_used_while_overwritten_are_counted(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;
	u64 used;

	ring_hardware_begin(hw, false);
	ring_hardware_write(hw, 3000);
	ring_hardware_sample(hw);
	used = hw->ring.head;
	ring_hardware_write(hw, 2000);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(&hw->ring, used), 0);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 5000 - SIZE + WIDTH);
}

static void consume_refuses_positions_out_of_range(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	ring_hardware_begin(hw, false);
	ring_hardware_write(hw, 100);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(&hw->ring, hw->ring.start + 50), 0);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(&hw->ring, hw->ring.start + 49), -EINVAL);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(&hw->ring, hw->ring.start + 101), -EINVAL);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(&hw->ring, hw->ring.start + 100), 0);
}

static void fill_keeps_the_whole_ring(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	ring_hardware_begin(hw, true);
	ring_hardware_write(hw, SIZE);
	KUNIT_ASSERT_EQ(test, ring_hardware_sample(hw), 0);
	KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), SIZE);
	KUNIT_ASSERT_EQ(test, ring_hardware_sample(hw), 0);
	KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), SIZE);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_unread(&hw->ring), SIZE);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 0);
}

static void stopped_ring_gives_up_its_last_word(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	ring_hardware_begin(hw, false);
	ring_hardware_write(hw, 3000);
	ring_hardware_sample(hw);
	hw->ring.running = false;
	ring_hardware_write(hw, 1096);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_unread(&hw->ring), SIZE);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 0);
}

static int sample_at(struct ring_hardware *hw, u32 offset, bool wrap)
{
	struct rvtrace_ring_reading reading = { .offset = offset, .wrap = wrap };

	return rvtrace_ring_sample(&hw->ring, &reading);
}

static void pointer_out_of_the_ring_is_an_error(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	ring_hardware_begin(hw, false);
	ring_hardware_write(hw, 100);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, sample_at(hw, SIZE, false), -ERANGE);
	KUNIT_ASSERT_EQ(test, sample_at(hw, 99, false), -ERANGE);
	KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), 100);
	ring_hardware_write(hw, SIZE);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, sample_at(hw, 200, false), -ERANGE);
}

static void sessions_start_at_multiples_of_the_size(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	ring_hardware_begin(hw, false);
	KUNIT_ASSERT_EQ(test, hw->ring.start, 0);
	ring_hardware_write(hw, 100);
	ring_hardware_sample(hw);
	rvtrace_ring_consume(&hw->ring, 40);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_begin(&hw->ring, SIZE, WIDTH, false), 60);
	KUNIT_ASSERT_EQ(test, hw->ring.start, SIZE);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 0);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_begin(&hw->ring, 3 * SIZE, WIDTH, false), 0);
	KUNIT_ASSERT_EQ(test, hw->ring.start, 3 * SIZE);
}

static void what_was_not_delivered_is_lost(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	ring_hardware_begin(hw, false);
	ring_hardware_write(hw, 1000);
	ring_hardware_sample(hw);
	rvtrace_ring_consume(&hw->ring, 600);
	rvtrace_ring_undelivered(&hw->ring, 200);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 200);
	KUNIT_ASSERT_TRUE(test, hw->ring.pending);
	KUNIT_ASSERT_EQ(test, hw->ring.pending_start, 400);
	KUNIT_ASSERT_EQ(test, hw->ring.counted, 600);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_unread(&hw->ring), 400);
	/* With what is overwritten then, it is one loss. */
	ring_hardware_write(hw, SIZE);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, hw->ring.pending_start, 400);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, hw->ring.valid_from - 400);
}

static void ring_is_larger_than_32_bits_count(struct kunit *test)
{
	struct rvtrace_ring_reading reading = { .offset = LARGE - 100, .same = true,
						.drained = true };
	struct ring_hardware *hw = test->priv;
	struct rvtrace_ring *ring = &hw->ring;
	u64 at;

	rvtrace_ring_begin(ring, LARGE, WIDTH, false);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_sample(ring, &reading), 0);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_next(ring, LARGE, &at), LARGE - 100);
	KUNIT_ASSERT_EQ(test, at, 0);
	rvtrace_ring_take(ring, LARGE - 100);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(ring, LARGE - 100), 0);
	KUNIT_ASSERT_TRUE(test, rvtrace_ring_check_at(ring, &at));
	KUNIT_ASSERT_GE(test, at, LARGE - 2 * RVTRACE_RING_LAG_MAX);

	/* Over the end, to a place that is the same in 32 bits as the one before */
	reading.offset = LARGE - 100 - (1ULL << 32);
	reading.wrap = true;
	KUNIT_ASSERT_EQ(test, rvtrace_ring_sample(ring, &reading), 0);
	KUNIT_ASSERT_EQ(test, ring->pointer, 2 * LARGE - 100 - (1ULL << 32));
	KUNIT_ASSERT_EQ(test, ring->lost, 0);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_next(ring, LARGE, &at), 100);
	KUNIT_ASSERT_EQ(test, at, LARGE - 100);
	rvtrace_ring_take(ring, 100);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_next(ring, LARGE, &at), LARGE - 100 - (1ULL << 32));
	KUNIT_ASSERT_EQ(test, at, 0);
	reading.offset = LARGE;
	KUNIT_ASSERT_EQ(test, rvtrace_ring_sample(ring, &reading), -ERANGE);
}

static void random_walk_agrees_with_the_hardware(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;
	u64 lost = 0, tail = 0;

	ring_hardware_begin(hw, false);
	for (int i = 0; i < TRIES(20000); i++) {
		ring_hardware_write(hw, ring_hardware_random() % (SIZE / 2 / WIDTH) * WIDTH);
		KUNIT_ASSERT_EQ(test, ring_hardware_sample(hw), 0);
		KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), hw->written);
		if (hw->written + WIDTH > SIZE + tail) {
			lost += hw->written + WIDTH - SIZE - tail;
			tail = hw->written + WIDTH - SIZE;
		}
		KUNIT_ASSERT_EQ(test, hw->ring.lost, lost);
		if (ring_hardware_random() % 3 == 0) {
			tail += ring_hardware_random() % (hw->written - tail + 1);
			KUNIT_ASSERT_EQ(test, 0,
					rvtrace_ring_consume(&hw->ring, hw->ring.start + tail));
			hw->ring.pending = false;
		}
	}
	KUNIT_ASSERT_TRUE(test, lost > 0);
}

static void reader_that_was_overtaken_gets_a_head_start(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	ring_hardware_begin(hw, false);
	for (int i = 0; i < 5; i++) {
		ring_hardware_write(hw, 1000);
		ring_hardware_sample(hw);
	}
	rvtrace_ring_catch_up(&hw->ring);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 5000 + WIDTH - SIZE + SIZE / 4);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_readable_from(&hw->ring),
			hw->ring.start + hw->ring.lost);
	KUNIT_ASSERT_EQ(test, hw->ring.pending_start, hw->ring.start);
	rvtrace_ring_consume(&hw->ring, hw->ring.head);
	rvtrace_ring_catch_up(&hw->ring);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 5000 + WIDTH - SIZE + SIZE / 4);
}

static void what_is_discarded_is_lost(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	ring_hardware_begin(hw, false);
	ring_hardware_write(hw, 3000);
	ring_hardware_sample(hw);
	rvtrace_ring_consume(&hw->ring, hw->ring.start + 1000);
	rvtrace_ring_discard(&hw->ring);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 2000);
	KUNIT_ASSERT_EQ(test, hw->ring.valid_from, hw->ring.head);
	KUNIT_ASSERT_EQ(test, hw->ring.pending_start, hw->ring.start + 1000);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_unread(&hw->ring), 0);
}

static void what_landed_is_taken_in_pieces(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	hw->lazy = true;
	ring_hardware_begin(hw, false);
	ring_hardware_write(hw, 3000);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), 0);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_unread(&hw->ring), 0);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(&hw->ring, hw->ring.start + 1), -EINVAL);
	KUNIT_ASSERT_EQ(test, ring_hardware_take(hw, 2000), 2000);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_unread(&hw->ring), 2000);
	KUNIT_ASSERT_EQ(test, ring_hardware_take(hw, 2000), 1000);
	KUNIT_ASSERT_EQ(test, ring_hardware_take(hw, 2000), 0);
	rvtrace_ring_consume(&hw->ring, hw->ring.head);
	/* To the end of the ring, and from its beginning */
	ring_hardware_write(hw, 2000);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, ring_hardware_take(hw, 2000), SIZE - 3000);
	KUNIT_ASSERT_EQ(test, ring_hardware_take(hw, 2000), 5000 - SIZE);
	KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), 5000);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 0);
}

static void what_is_overwritten_before_it_is_taken_is_lost(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	hw->lazy = true;
	ring_hardware_begin(hw, false);
	for (int i = 0; i < 5; i++) {
		ring_hardware_write(hw, 1000);
		ring_hardware_sample(hw);
	}
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 5000 + WIDTH - SIZE);
	KUNIT_ASSERT_EQ(test, hw->ring.head, hw->ring.valid_from);
	while (ring_hardware_take(hw, 100))
		;
	KUNIT_ASSERT_EQ(test, rvtrace_ring_unread(&hw->ring), SIZE - WIDTH);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 5000 + WIDTH - SIZE);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(head_follows_the_pointer),
	KUNIT_CASE(nothing_new_is_not_a_lap),
	KUNIT_CASE(whole_lap_with_the_same_pointer_is_seen),
	KUNIT_CASE(synchronization_sequence_hides_no_lap),
	KUNIT_CASE(missed_laps_are_never_reported_as_zero),
	KUNIT_CASE(lap_during_a_sample_is_seen),
	KUNIT_CASE(first_wrap_counts_one_lap),
	KUNIT_CASE(wrap_before_the_first_sample_is_a_lower_bound),
	KUNIT_CASE(slow_reader_loses_exactly_what_was_overwritten),
	KUNIT_CASE(consumed_bytes_are_not_lost),
	KUNIT_CASE(bytes_used_while_overwritten_are_counted),
	KUNIT_CASE(consume_refuses_positions_out_of_range),
	KUNIT_CASE(fill_keeps_the_whole_ring),
	KUNIT_CASE(stopped_ring_gives_up_its_last_word),
	KUNIT_CASE(pointer_out_of_the_ring_is_an_error),
	KUNIT_CASE(sessions_start_at_multiples_of_the_size),
	KUNIT_CASE(what_was_not_delivered_is_lost),
	KUNIT_CASE(ring_is_larger_than_32_bits_count),
	KUNIT_CASE(random_walk_agrees_with_the_hardware),
	KUNIT_CASE(reader_that_was_overtaken_gets_a_head_start),
	KUNIT_CASE(what_is_discarded_is_lost),
	KUNIT_CASE(what_landed_is_taken_in_pieces),
	KUNIT_CASE(what_is_overwritten_before_it_is_taken_is_lost),
	{ }
};

static struct kunit_suite suite = {
	.name = "rvtrace-ring",
	.init = ring_hardware_use,
	.test_cases = cases,
};

kunit_test_suite(suite);
