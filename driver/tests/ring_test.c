// SPDX-License-Identifier: GPL-2.0
/*
 * Positions of a sink's ring, against a model that knows how many bytes the
 * hardware really wrote.
 */
#include <kunit/test.h>

#include "../ring.h"
#include "scale.h"

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
	unsigned char memory[SIZE] __aligned(4);
	unsigned char check[RVTRACE_RING_CHECK_LENGTH];
	u32 check_at;
	bool check_valid;
};

static u32 random_state;

static u32 next_random(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return random_state >> 8;
}

static int use_hardware(struct kunit *test)
{
	static struct hardware hardware;

	memset(&hardware, 0, sizeof(hardware));
	random_state = 1;
	test->priv = &hardware;
	return 0;
}

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

/* A word at a time: all its bytes are equal. */
static void land(struct hardware *hw, u64 keep)
{
	u64 left;

	for (; hw->written - hw->landed > keep; hw->landed += left) {
		left = min(hw->written - hw->landed - keep, 8 - hw->landed % 8);
		memset(hw->memory + hw->landed % SIZE, trace_at(hw->landed), left);
	}
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

static void head_follows_the_pointer(struct kunit *test)
{
	struct hardware *hw = test->priv;

	begin(hw, false);
	for (int i = 0; i < 100; i++) {
		write_trace(hw, 1000);
		KUNIT_ASSERT_EQ(test, sample(hw), 0);
		KUNIT_ASSERT_EQ(test, head_of(hw), hw->written);
		KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(&hw->ring, hw->ring.head), 0);
	}
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 0);
	KUNIT_ASSERT_FALSE(test, hw->ring.pending);
}

static void nothing_new_is_not_a_lap(struct kunit *test)
{
	struct hardware *hw = test->priv;

	begin(hw, false);
	write_trace(hw, 3000);
	sample(hw);
	write_trace(hw, 3000);
	sample(hw);
	for (int i = 0; i < 10; i++) {
		KUNIT_ASSERT_EQ(test, sample(hw), 0);
		KUNIT_ASSERT_EQ(test, head_of(hw), 6000);
	}
}

static void whole_lap_with_the_same_pointer_is_seen(struct kunit *test)
{
	struct hardware *hw = test->priv;

	begin(hw, false);
	write_trace(hw, 3000);
	sample(hw);
	rvtrace_ring_consume(&hw->ring, hw->ring.head);
	write_trace(hw, 3000);
	sample(hw);
	rvtrace_ring_consume(&hw->ring, hw->ring.head);
	write_trace(hw, SIZE);
	KUNIT_ASSERT_EQ(test, sample(hw), 0);
	KUNIT_ASSERT_EQ(test, head_of(hw), hw->written);
	KUNIT_ASSERT_TRUE(test, hw->ring.lower_bound);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, WIDTH);
}

/* That of E-Trace's encapsulation, with srcID and timestamp. */
#define SEQUENCE 42

/* Wherever it lies, if it lies there in each lap. */
static void synchronization_sequence_hides_no_lap(struct kunit *test)
{
	struct hardware *hw = test->priv;

	for (u32 at = 0; at < 900 - SEQUENCE; at++) {
		begin(hw, false);
		write_trace(hw, 2000);
		sample(hw);
		write_trace(hw, SIZE - 2000 + 900);
		memset(hw->memory + at, 0, SEQUENCE);
		sample(hw);
		KUNIT_ASSERT_EQ(test, head_of(hw), hw->written);
		write_trace(hw, SIZE);
		memset(hw->memory + at, 0, SEQUENCE);
		sample(hw);
		KUNIT_ASSERT_EQ(test, head_of(hw), hw->written);
	}
}

static void missed_laps_are_never_reported_as_zero(struct kunit *test)
{
	struct hardware *hw = test->priv;

	for (u64 more = 1; more < 5 * SIZE; more += STEP(97)) {
		begin(hw, false);
		write_trace(hw, 2000);
		sample(hw);
		rvtrace_ring_consume(&hw->ring, hw->ring.head);
		write_trace(hw, 2500);
		sample(hw);
		rvtrace_ring_consume(&hw->ring, hw->ring.head);
		write_trace(hw, more);
		sample(hw);
		/* What is readable is never older than what memory holds. */
		if (hw->written - 4500 > SIZE) {
			KUNIT_ASSERT_TRUE(test, hw->ring.lost > 0);
			KUNIT_ASSERT_TRUE(test, hw->ring.lower_bound);
		} else if (more < SIZE - 2 * RVTRACE_RING_CHECK_DISTANCE) {
			KUNIT_ASSERT_EQ(test, hw->ring.lost, 0);
			KUNIT_ASSERT_EQ(test, head_of(hw), hw->written);
		}
		/* Modulo the ring, the head is always right. */
		KUNIT_ASSERT_EQ(test, head_of(hw) % SIZE, hw->written % SIZE);
	}
}

/* Whatever was written before the bytes to compare were kept. */
static void lap_during_a_sample_is_seen(struct kunit *test)
{
	struct hardware *hw = test->priv;

	for (u64 before = 1000; before < 3 * SIZE; before += 1000) {
		for (u64 meanwhile = WIDTH; meanwhile < 3 * SIZE; meanwhile += STEP(104)) {
			begin(hw, false);
			for (u64 at = 0; at < before; at += 1000) {
				write_trace(hw, 1000);
				sample(hw);
				rvtrace_ring_consume(&hw->ring, hw->ring.head);
			}
			hw->meanwhile = meanwhile;
			sample(hw);
			write_trace(hw, 400);
			sample(hw);
			KUNIT_ASSERT_TRUE(test, hw->ring.lower_bound || head_of(hw) == hw->written);
			KUNIT_ASSERT_TRUE(test, hw->ring.lost > 0 || meanwhile + 400 <= SIZE);
			KUNIT_ASSERT_TRUE(test, hw->ring.lost == 0 || meanwhile >= SIZE - 1500);
		}
	}
}

static void first_wrap_counts_one_lap(struct kunit *test)
{
	struct hardware *hw = test->priv;

	begin(hw, false);
	write_trace(hw, 3900);
	sample(hw);
	write_trace(hw, 400);
	sample(hw);
	KUNIT_ASSERT_EQ(test, head_of(hw), 4300);
}

static void wrap_before_the_first_sample_is_a_lower_bound(struct kunit *test)
{
	struct hardware *hw = test->priv;

	begin(hw, false);
	write_trace(hw, SIZE + 100);
	sample(hw);
	KUNIT_ASSERT_TRUE(test, head_of(hw) >= hw->written);
	KUNIT_ASSERT_TRUE(test, hw->ring.lower_bound);
	KUNIT_ASSERT_TRUE(test, hw->ring.lost >= 100);
}

static void slow_reader_loses_exactly_what_was_overwritten(struct kunit *test)
{
	struct hardware *hw = test->priv;

	begin(hw, false);
	for (int i = 0; i < 10; i++) {
		write_trace(hw, 1000);
		sample(hw);
	}
	KUNIT_ASSERT_EQ(test, head_of(hw), 10000);
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
	struct hardware *hw = test->priv;

	begin(hw, false);
	write_trace(hw, 3000);
	sample(hw);
	rvtrace_ring_consume(&hw->ring, hw->ring.start + 2500);
	write_trace(hw, 3000);
	sample(hw);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 0);
	write_trace(hw, 1000);
	sample(hw);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 7000 - SIZE + WIDTH - 2500);
	KUNIT_ASSERT_EQ(test, hw->ring.pending_start, hw->ring.start + 2500);
}

static void bytes_used_while_overwritten_are_counted(struct kunit *test)
{
	struct hardware *hw = test->priv;
	u64 used;

	begin(hw, false);
	write_trace(hw, 3000);
	sample(hw);
	used = hw->ring.head;
	write_trace(hw, 2000);
	sample(hw);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(&hw->ring, used), 0);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 5000 - SIZE + WIDTH);
}

static void consume_refuses_positions_out_of_range(struct kunit *test)
{
	struct hardware *hw = test->priv;

	begin(hw, false);
	write_trace(hw, 100);
	sample(hw);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(&hw->ring, hw->ring.start + 50), 0);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(&hw->ring, hw->ring.start + 49), -EINVAL);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(&hw->ring, hw->ring.start + 101), -EINVAL);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(&hw->ring, hw->ring.start + 100), 0);
}

static void fill_keeps_the_whole_ring(struct kunit *test)
{
	struct hardware *hw = test->priv;

	begin(hw, true);
	write_trace(hw, SIZE);
	KUNIT_ASSERT_EQ(test, sample(hw), 0);
	KUNIT_ASSERT_EQ(test, head_of(hw), SIZE);
	KUNIT_ASSERT_EQ(test, sample(hw), 0);
	KUNIT_ASSERT_EQ(test, head_of(hw), SIZE);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_unread(&hw->ring), SIZE);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 0);
}

static void stopped_ring_gives_up_its_last_word(struct kunit *test)
{
	struct hardware *hw = test->priv;

	begin(hw, false);
	write_trace(hw, 3000);
	sample(hw);
	hw->ring.running = false;
	write_trace(hw, 1096);
	sample(hw);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_unread(&hw->ring), SIZE);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 0);
}

static int sample_at(struct hardware *hw, u32 offset, bool wrap)
{
	struct rvtrace_ring_reading reading = { .offset = offset, .wrap = wrap };

	return rvtrace_ring_sample(&hw->ring, &reading);
}

static void pointer_out_of_the_ring_is_an_error(struct kunit *test)
{
	struct hardware *hw = test->priv;

	begin(hw, false);
	write_trace(hw, 100);
	sample(hw);
	KUNIT_ASSERT_EQ(test, sample_at(hw, SIZE, false), -ERANGE);
	KUNIT_ASSERT_EQ(test, sample_at(hw, 99, false), -ERANGE);
	KUNIT_ASSERT_EQ(test, head_of(hw), 100);
	write_trace(hw, SIZE);
	sample(hw);
	KUNIT_ASSERT_EQ(test, sample_at(hw, 200, false), -ERANGE);
}

static void sessions_start_at_multiples_of_the_size(struct kunit *test)
{
	struct hardware *hw = test->priv;

	begin(hw, false);
	KUNIT_ASSERT_EQ(test, hw->ring.start, 0);
	write_trace(hw, 100);
	sample(hw);
	rvtrace_ring_consume(&hw->ring, 40);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_begin(&hw->ring, SIZE, WIDTH, false), 60);
	KUNIT_ASSERT_EQ(test, hw->ring.start, SIZE);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 0);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_begin(&hw->ring, 3 * SIZE, WIDTH, false), 0);
	KUNIT_ASSERT_EQ(test, hw->ring.start, 3 * SIZE);
}

static void random_walk_agrees_with_the_hardware(struct kunit *test)
{
	struct hardware *hw = test->priv;
	u64 lost = 0, tail = 0;

	begin(hw, false);
	for (int i = 0; i < TRIES(20000); i++) {
		write_trace(hw, next_random() % (SIZE / 2 / WIDTH) * WIDTH);
		KUNIT_ASSERT_EQ(test, sample(hw), 0);
		KUNIT_ASSERT_EQ(test, head_of(hw), hw->written);
		if (hw->written + WIDTH > SIZE + tail) {
			lost += hw->written + WIDTH - SIZE - tail;
			tail = hw->written + WIDTH - SIZE;
		}
		KUNIT_ASSERT_EQ(test, hw->ring.lost, lost);
		if (next_random() % 3 == 0) {
			tail += next_random() % (hw->written - tail + 1);
			KUNIT_ASSERT_EQ(test, 0,
					rvtrace_ring_consume(&hw->ring, hw->ring.start + tail));
			hw->ring.pending = false;
		}
	}
	KUNIT_ASSERT_TRUE(test, lost > 0);
}

static void reader_that_was_overtaken_gets_a_head_start(struct kunit *test)
{
	struct hardware *hw = test->priv;

	begin(hw, false);
	for (int i = 0; i < 5; i++) {
		write_trace(hw, 1000);
		sample(hw);
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
	struct hardware *hw = test->priv;

	begin(hw, false);
	write_trace(hw, 3000);
	sample(hw);
	rvtrace_ring_consume(&hw->ring, hw->ring.start + 1000);
	rvtrace_ring_discard(&hw->ring);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 2000);
	KUNIT_ASSERT_EQ(test, hw->ring.valid_from, hw->ring.head);
	KUNIT_ASSERT_EQ(test, hw->ring.pending_start, hw->ring.start + 1000);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_unread(&hw->ring), 0);
}

/* What is before the head is what was written, and is not older than a lap. */
static bool bytes_are_right(const struct hardware *hw)
{
	u64 head = head_of(hw), at = hw->ring.valid_from - hw->ring.start;

	while (at < head && hw->memory[at % SIZE] == trace_at(at))
		at++;
	return head <= hw->landed && at >= head;
}

static void head_waits_for_what_has_not_landed(struct kunit *test)
{
	static const u64 words[] = { 1, 7, 64, 200 };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct hardware *hw = test->priv;

		use_hardware(test);
		hw->posted = words[i] * WIDTH;
		begin(hw, false);
		for (int n = 0; n < TRIES(1000); n++) {
			write_trace(hw, next_random() % (SIZE / 32) * WIDTH);
			KUNIT_ASSERT_EQ(test, sample(hw), 0);
			KUNIT_ASSERT_EQ(test, hw->ring.pointer - hw->ring.start, hw->written);
			KUNIT_ASSERT_TRUE(test, bytes_are_right(hw));
			KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(&hw->ring, hw->ring.head), 0);
		}
		KUNIT_ASSERT_TRUE(test, hw->written > 10 * SIZE);
		KUNIT_ASSERT_EQ(test, hw->ring.lag, hw->posted);
		/* Little more than that is held back. */
		KUNIT_ASSERT_TRUE(test, head_of(hw) + 2 * hw->posted >= hw->written);
	}
}

static void first_lap_shows_exactly_what_has_landed(struct kunit *test)
{
	struct hardware *hw = test->priv;

	hw->posted = 7 * WIDTH;
	begin(hw, false);
	write_trace(hw, 3 * WIDTH);
	sample(hw);
	KUNIT_ASSERT_EQ(test, head_of(hw), 0);
	KUNIT_ASSERT_FALSE(test, hw->ring.lag_known);
	write_trace(hw, 20 * WIDTH);
	sample(hw);
	KUNIT_ASSERT_EQ(test, head_of(hw), 16 * WIDTH);
	KUNIT_ASSERT_TRUE(test, hw->ring.lag_known);
	drain(hw);
	sample(hw);
	KUNIT_ASSERT_EQ(test, head_of(hw), hw->written);
}

static void lag_that_was_never_seen_is_taken_for_the_greatest(struct kunit *test)
{
	struct hardware *hw = test->priv;

	hw->posted = 64 * WIDTH;
	begin(hw, false);
	write_trace(hw, SIZE + 800);
	sample(hw);
	KUNIT_ASSERT_FALSE(test, hw->ring.lag_known);
	KUNIT_ASSERT_EQ(test, hw->ring.pointer - hw->ring.head, SIZE / 2);
}

static void lag_outlives_the_session(struct kunit *test)
{
	struct hardware *hw = test->priv;

	hw->posted = 16 * WIDTH;
	begin(hw, false);
	write_trace(hw, 1000 * WIDTH / 4);
	sample(hw);
	begin(hw, false);
	write_trace(hw, SIZE + 800);
	sample(hw);
	KUNIT_ASSERT_EQ(test, hw->ring.pointer - hw->ring.head, 2 * hw->posted);
}

static void drained_ring_holds_nothing_back(struct kunit *test)
{
	struct hardware *hw = test->priv;

	hw->posted = 64 * WIDTH;
	begin(hw, false);
	for (int i = 0; i < 10; i++) {
		write_trace(hw, 1024);
		sample(hw);
	}
	KUNIT_ASSERT_TRUE(test, head_of(hw) < hw->written);
	drain(hw);
	sample(hw);
	KUNIT_ASSERT_EQ(test, head_of(hw), hw->written);
	KUNIT_ASSERT_TRUE(test, bytes_are_right(hw));
	KUNIT_ASSERT_EQ(test, rvtrace_ring_end(&hw->ring), 0);
	/* The head does not go back when the hardware goes on. */
	write_trace(hw, 8);
	sample(hw);
	KUNIT_ASSERT_EQ(test, head_of(hw), hw->written - 8);
}

static void what_never_landed_is_lost(struct kunit *test)
{
	struct hardware *hw = test->priv;
	u64 lost;

	hw->posted = 64 * WIDTH;
	begin(hw, false);
	write_trace(hw, 2048);
	sample(hw);
	rvtrace_ring_consume(&hw->ring, hw->ring.head);
	lost = hw->ring.lost;
	KUNIT_ASSERT_EQ(test, rvtrace_ring_end(&hw->ring), hw->posted);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, lost + hw->posted);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_unread(&hw->ring), 0);
}

static void full_ring_waits_for_its_last_words(struct kunit *test)
{
	struct hardware *hw = test->priv;

	hw->posted = 64 * WIDTH;
	begin(hw, true);
	write_trace(hw, SIZE);
	sample(hw);
	KUNIT_ASSERT_EQ(test, head_of(hw), SIZE - hw->posted);
	drain(hw);
	sample(hw);
	KUNIT_ASSERT_EQ(test, head_of(hw), SIZE);
}

static void zero_words_that_landed_come_late_but_come(struct kunit *test)
{
	struct hardware *hw = test->priv;

	begin(hw, false);
	write_trace(hw, 1024);
	memset(hw->memory + 1024 - 3 * WIDTH, 0, 3 * WIDTH);
	sample(hw);
	KUNIT_ASSERT_EQ(test, head_of(hw), 1024 - 3 * WIDTH);
	write_trace(hw, WIDTH);
	sample(hw);
	KUNIT_ASSERT_EQ(test, head_of(hw), 1024 + WIDTH);
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
	KUNIT_CASE(random_walk_agrees_with_the_hardware),
	KUNIT_CASE(reader_that_was_overtaken_gets_a_head_start),
	KUNIT_CASE(what_is_discarded_is_lost),
	KUNIT_CASE(head_waits_for_what_has_not_landed),
	KUNIT_CASE(first_lap_shows_exactly_what_has_landed),
	KUNIT_CASE(lag_that_was_never_seen_is_taken_for_the_greatest),
	KUNIT_CASE(lag_outlives_the_session),
	KUNIT_CASE(drained_ring_holds_nothing_back),
	KUNIT_CASE(what_never_landed_is_lost),
	KUNIT_CASE(full_ring_waits_for_its_last_words),
	KUNIT_CASE(zero_words_that_landed_come_late_but_come),
	{ }
};

static struct kunit_suite suite = {
	.name = "rvtrace-ring",
	.init = use_hardware,
	.test_cases = cases,
};

kunit_test_suite(suite);
