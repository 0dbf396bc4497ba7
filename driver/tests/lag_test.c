// SPDX-License-Identifier: GPL-2.0
/* Writes that are posted: the head waits until they have landed. */
#include <kunit/test.h>

#include "ring_hardware.h"
#include "scale.h"

/* What is before the head is what was written, and is not older than a lap. */
static bool bytes_are_right(const struct ring_hardware *hw)
{
	u64 head = ring_hardware_head(hw), at = hw->ring.valid_from - hw->ring.start;

	while (at < head && hw->memory[at % SIZE] == ring_hardware_trace_at(at))
		at++;
	return head <= hw->landed && at >= head;
}

static void head_waits_for_what_has_not_landed(struct kunit *test)
{
	static const u64 words[] = { 1, 7, 64, 200 };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct ring_hardware *hw = test->priv;

		ring_hardware_use(test);
		hw->posted = words[i] * WIDTH;
		ring_hardware_begin(hw, false);
		for (int n = 0; n < TRIES(1000); n++) {
			ring_hardware_write(hw, ring_hardware_random() % (SIZE / 32) * WIDTH);
			KUNIT_ASSERT_EQ(test, ring_hardware_sample(hw), 0);
			KUNIT_ASSERT_EQ(test, hw->ring.pointer - hw->ring.start, hw->written);
			KUNIT_ASSERT_TRUE(test, bytes_are_right(hw));
			KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(&hw->ring, hw->ring.head), 0);
		}
		KUNIT_ASSERT_TRUE(test, hw->written > 10 * SIZE);
		KUNIT_ASSERT_EQ(test, hw->ring.lag, hw->posted);
		/* Little more than that is held back. */
		KUNIT_ASSERT_TRUE(test, ring_hardware_head(hw) + 2 * hw->posted >= hw->written);
	}
}

static void first_lap_shows_exactly_what_has_landed(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	hw->posted = 7 * WIDTH;
	ring_hardware_begin(hw, false);
	ring_hardware_write(hw, 3 * WIDTH);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), 0);
	KUNIT_ASSERT_FALSE(test, hw->ring.lag_known);
	ring_hardware_write(hw, 20 * WIDTH);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), 16 * WIDTH);
	KUNIT_ASSERT_TRUE(test, hw->ring.lag_known);
	ring_hardware_drain(hw);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), hw->written);
}

static void lag_that_was_never_seen_is_taken_for_the_greatest(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	hw->posted = 64 * WIDTH;
	ring_hardware_begin(hw, false);
	ring_hardware_write(hw, SIZE + 800);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_FALSE(test, hw->ring.lag_known);
	KUNIT_ASSERT_EQ(test, hw->ring.pointer - hw->ring.head, SIZE / 2);
}

static void lag_outlives_the_session(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	hw->posted = 16 * WIDTH;
	ring_hardware_begin(hw, false);
	ring_hardware_write(hw, 1000 * WIDTH / 4);
	ring_hardware_sample(hw);
	ring_hardware_begin(hw, false);
	ring_hardware_write(hw, SIZE + 800);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, hw->ring.pointer - hw->ring.head, 2 * hw->posted);
}

static void drained_ring_holds_nothing_back(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	hw->posted = 64 * WIDTH;
	ring_hardware_begin(hw, false);
	for (int i = 0; i < 10; i++) {
		ring_hardware_write(hw, 1024);
		ring_hardware_sample(hw);
	}
	KUNIT_ASSERT_TRUE(test, ring_hardware_head(hw) < hw->written);
	ring_hardware_drain(hw);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), hw->written);
	KUNIT_ASSERT_TRUE(test, bytes_are_right(hw));
	KUNIT_ASSERT_EQ(test, rvtrace_ring_end(&hw->ring), 0);
	/* The head does not go back when the hardware goes on. */
	ring_hardware_write(hw, 8);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), hw->written - 8);
}

static void what_never_landed_is_lost(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;
	u64 lost;

	hw->posted = 64 * WIDTH;
	ring_hardware_begin(hw, false);
	ring_hardware_write(hw, 2048);
	ring_hardware_sample(hw);
	rvtrace_ring_consume(&hw->ring, hw->ring.head);
	lost = hw->ring.lost;
	KUNIT_ASSERT_EQ(test, rvtrace_ring_end(&hw->ring), hw->posted);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, lost + hw->posted);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_unread(&hw->ring), 0);
}

static void full_ring_waits_for_its_last_words(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	hw->posted = 64 * WIDTH;
	ring_hardware_begin(hw, true);
	ring_hardware_write(hw, SIZE);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), SIZE - hw->posted);
	ring_hardware_drain(hw);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), SIZE);
}

static void zero_words_that_landed_come_late_but_come(struct kunit *test)
{
	struct ring_hardware *hw = test->priv;

	ring_hardware_begin(hw, false);
	ring_hardware_write(hw, 1024);
	memset(hw->memory + 1024 - 3 * WIDTH, 0, 3 * WIDTH);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), 1024 - 3 * WIDTH);
	ring_hardware_write(hw, WIDTH);
	ring_hardware_sample(hw);
	KUNIT_ASSERT_EQ(test, ring_hardware_head(hw), 1024 + WIDTH);
}

static struct kunit_case cases[] = {
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
	.name = "rvtrace-lag",
	.init = ring_hardware_use,
	.test_cases = cases,
};

kunit_test_suite(suite);
