// SPDX-License-Identifier: GPL-2.0
/*
 * Positions of a ring that is filled from the hardware's own memory, against a
 * model that knows how many bytes the hardware really wrote.
 */
#include <kunit/test.h>

#include "../ring.h"
#include "scale.h"

#define SIZE	4096U
#define LAP	1024U

static u32 random_state;

static u32 next_random(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return random_state >> 8;
}

/* Another byte in every lap */
static unsigned char trace_at(u64 position)
{
	return (u32)(position >> 3) * 2654435761U >> 24;
}

/*
 * Hardware whose memory is copied to the ring; it writes @meanwhile bytes while that
 * happens, once.
 */
struct sram {
	struct rvtrace_ring ring;
	struct rvtrace_lap lap;
	u64 written;
	u64 meanwhile;
	bool timely;
	unsigned char sram[LAP];
	unsigned char memory[SIZE];
};

static int use_sram(struct kunit *test)
{
	static struct sram sram;

	random_state = 1;
	test->priv = &sram;
	return 0;
}

static void begin_sram(struct sram *hw, bool fill)
{
	memset(hw, 0, sizeof(*hw));
	rvtrace_ring_begin(&hw->ring, SIZE, 4, fill);
	rvtrace_lap_begin(&hw->ring, &hw->lap, LAP);
}

static void write_sram(struct sram *hw, u64 bytes)
{
	for (; bytes; bytes--, hw->written++)
		hw->sram[hw->written % LAP] = trace_at(hw->written);
}

static int follow(struct sram *hw)
{
	return rvtrace_lap_follow(&hw->ring, &hw->lap, hw->written % LAP, hw->written >= LAP,
				  hw->timely);
}

static void read_sram(struct sram *hw, u64 position, void *bytes, u32 count)
{
	for (u32 i = 0; i < count; i++)
		((unsigned char *)bytes)[i] =
			hw->sram[rvtrace_lap_offset(&hw->lap, position + i)];
}

static bool copy_some(struct kunit *test, struct sram *hw)
{
	unsigned char bytes[256], last[RVTRACE_RING_CHECK_LENGTH];
	u32 count;
	u64 from;

	KUNIT_ASSERT_EQ(test, follow(hw), 0);
	count = rvtrace_lap_next(&hw->ring, &hw->lap, sizeof(bytes), &from);
	if (!count && !hw->lap.unsure)
		return false;
	read_sram(hw, from, bytes, count / 2);
	write_sram(hw, count ? hw->meanwhile : 0);
	hw->meanwhile = 0;
	read_sram(hw, from + count / 2, bytes + count / 2, count - count / 2);
	read_sram(hw, hw->ring.head - hw->lap.known, last, hw->lap.known);
	KUNIT_ASSERT_EQ(test, follow(hw), 0);
	if (!rvtrace_lap_verify(&hw->ring, &hw->lap, from,
				!memcmp(last, hw->lap.check, hw->lap.known)))
		return true;
	rvtrace_lap_make_room(&hw->ring, &hw->lap, from, count);
	for (u32 i = 0; i < count; i++)
		hw->memory[rvtrace_ring_offset(&hw->ring, from + i)] = bytes[i];
	rvtrace_lap_copied(&hw->ring, &hw->lap, bytes, count);
	return count;
}

static void copy_sram(struct kunit *test, struct sram *hw)
{
	while (copy_some(test, hw))
		;
}

static void stop_sram(struct kunit *test, struct sram *hw)
{
	hw->ring.running = false;
	copy_sram(test, hw);
}

/* What a reader may read is what was written there. */
static void check_copied(struct kunit *test, const struct sram *hw)
{
	u64 from = rvtrace_ring_readable_from(&hw->ring);

	KUNIT_ASSERT_TRUE(test, from >= hw->ring.valid_from);
	for (; from < hw->ring.head; from++)
		KUNIT_ASSERT_EQ(test, hw->memory[rvtrace_ring_offset(&hw->ring, from)],
				trace_at(from - hw->ring.start));
}

static void sram_that_is_copied_in_time_loses_nothing(struct kunit *test)
{
	struct sram *hw = test->priv;

	begin_sram(hw, false);
	for (int i = 0; i < 1000; i++) {
		write_sram(hw, next_random() % (LAP / 8) * 4);
		hw->meanwhile = next_random() % (LAP / 16) * 4;
		copy_sram(test, hw);
		KUNIT_ASSERT_EQ(test, hw->ring.head - hw->ring.start, hw->written);
		check_copied(test, hw);
		KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(&hw->ring, hw->ring.head), 0);
	}
	KUNIT_ASSERT_TRUE(test, hw->written > 100 * LAP);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 0);
	KUNIT_ASSERT_FALSE(test, hw->ring.pending);
}

static void lap_of_sram_that_was_missed_is_noticed(struct kunit *test)
{
	struct sram *hw = test->priv;

	for (u64 more = 0; more < LAP; more += 4) {
		for (int stopped = 0; stopped < 2; stopped++) {
			begin_sram(hw, false);
			write_sram(hw, 900);
			copy_sram(test, hw);
			write_sram(hw, 900);
			copy_sram(test, hw);
			KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(&hw->ring, hw->ring.head), 0);
			KUNIT_ASSERT_EQ(test, hw->ring.lost, 0);
			write_sram(hw, LAP + more);
			hw->ring.running = !stopped;
			copy_sram(test, hw);
			/* Nothing tells of one lap from two. */
			if (stopped && !more)
				hw->written += LAP;
			KUNIT_ASSERT_EQ(test, hw->ring.pointer - hw->ring.start, hw->written);
			KUNIT_ASSERT_EQ(test, hw->ring.head, hw->ring.pointer);
			KUNIT_ASSERT_EQ(test, hw->ring.lost,
					hw->written - 1800 - LAP + (stopped ? 0 : 4));
			KUNIT_ASSERT_TRUE(test, hw->ring.lower_bound);
		}
	}
}

static void sram_of_a_stopped_sink_is_the_last_lap(struct kunit *test)
{
	struct sram *hw = test->priv;

	begin_sram(hw, false);
	write_sram(hw, LAP + 300);
	stop_sram(test, hw);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 300);
	KUNIT_ASSERT_EQ(test, hw->ring.pending_start, hw->ring.start);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_unread(&hw->ring), LAP);
	KUNIT_ASSERT_TRUE(test, hw->ring.lower_bound);
	check_copied(test, hw);

	begin_sram(hw, false);
	hw->timely = true;
	for (int i = 0; i < 10; i++) {
		write_sram(hw, 500);
		KUNIT_ASSERT_EQ(test, follow(hw), 0);
	}
	stop_sram(test, hw);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 5000 - LAP);
	KUNIT_ASSERT_FALSE(test, hw->ring.lower_bound);
	check_copied(test, hw);
}

static void laps_that_were_seen_are_counted(struct kunit *test)
{
	struct sram *hw = test->priv;

	begin_sram(hw, false);
	for (int i = 0; i < 10; i++) {
		write_sram(hw, 500);
		KUNIT_ASSERT_EQ(test, follow(hw), 0);
	}
	stop_sram(test, hw);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 5000 - LAP);
	KUNIT_ASSERT_TRUE(test, hw->ring.lower_bound);
	check_copied(test, hw);
}

/* A lap of which nothing tells: one is assumed, and bytes are those of the last. */
static void loss_in_sram_is_never_reported_as_none(struct kunit *test)
{
	struct sram *hw = test->priv;

	begin_sram(hw, false);
	write_sram(hw, 2 * LAP);
	stop_sram(test, hw);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, LAP);
	KUNIT_ASSERT_TRUE(test, hw->ring.lower_bound);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_unread(&hw->ring), LAP);
	check_copied(test, hw);
}

static void full_sram_has_lost_nothing(struct kunit *test)
{
	struct sram *hw = test->priv;

	begin_sram(hw, true);
	write_sram(hw, LAP);
	copy_sram(test, hw);
	stop_sram(test, hw);
	KUNIT_ASSERT_TRUE(test, hw->ring.wrapped);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 0);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_unread(&hw->ring), LAP);
	check_copied(test, hw);
}

static void bytes_that_sram_loses_take_the_unread_ones_along(struct kunit *test)
{
	struct sram *hw = test->priv;

	begin_sram(hw, false);
	write_sram(hw, 1000);
	copy_sram(test, hw);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(&hw->ring, hw->ring.start + 100), 0);
	write_sram(hw, 2000);
	stop_sram(test, hw);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 3000 - 100 - LAP);
	KUNIT_ASSERT_EQ(test, hw->ring.pending_start, hw->ring.start + 100);
	KUNIT_ASSERT_EQ(test, hw->ring.valid_from, hw->ring.head - LAP);
	check_copied(test, hw);
}

static void ring_that_is_filled_from_sram_overwrites_its_oldest_bytes(struct kunit *test)
{
	struct sram *hw = test->priv;

	begin_sram(hw, false);
	for (int i = 0; i < 20; i++) {
		write_sram(hw, 500);
		copy_sram(test, hw);
		KUNIT_ASSERT_EQ(test, hw->ring.lost + rvtrace_ring_unread(&hw->ring), hw->written);
		check_copied(test, hw);
	}
	KUNIT_ASSERT_EQ(test, rvtrace_ring_unread(&hw->ring), SIZE);
	KUNIT_ASSERT_FALSE(test, hw->ring.lower_bound);
}

static void sram_that_begins_anew_goes_on_in_the_ring(struct kunit *test)
{
	struct sram *hw = test->priv;

	begin_sram(hw, false);
	write_sram(hw, LAP - 100);
	copy_sram(test, hw);
	write_sram(hw, 200);
	stop_sram(test, hw);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(&hw->ring, hw->ring.head), 0);
	rvtrace_lap_rewind(&hw->ring, &hw->lap);
	hw->ring.running = true;
	for (u64 i = 0; i < 600; i++)
		hw->sram[i] = trace_at(LAP + 100 + i);
	KUNIT_ASSERT_EQ(test, rvtrace_lap_follow(&hw->ring, &hw->lap, 600, false, false), 0);
	hw->written = 600;
	copy_sram(test, hw);
	KUNIT_ASSERT_EQ(test, hw->ring.head - hw->ring.start, LAP + 100 + 600);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 0);
	check_copied(test, hw);
}

static void sram_that_begins_anew_does_not_overwrite_a_ring_that_is_filled(struct kunit *test)
{
	struct sram *hw = test->priv;
	u64 size = LAP + 400;

	begin_sram(hw, true);
	hw->ring.size = size;
	write_sram(hw, LAP - 100);
	stop_sram(test, hw);
	KUNIT_ASSERT_FALSE(test, rvtrace_ring_full(&hw->ring));
	rvtrace_lap_rewind(&hw->ring, &hw->lap);
	hw->ring.running = true;
	for (u64 i = 0; i < 600; i++)
		hw->sram[i] = trace_at(LAP - 100 + i);
	KUNIT_ASSERT_EQ(test, rvtrace_lap_follow(&hw->ring, &hw->lap, 600, false, false), 0);
	KUNIT_ASSERT_TRUE(test, rvtrace_ring_full(&hw->ring));
	hw->written = 600;
	copy_sram(test, hw);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_unread(&hw->ring), size);
	KUNIT_ASSERT_EQ(test, hw->ring.lost, 0);
	KUNIT_ASSERT_EQ(test, rvtrace_ring_end(&hw->ring), LAP - 100 + 600 - size);
	check_copied(test, hw);
}

static void pointer_outside_sram_is_an_error(struct kunit *test)
{
	struct sram *hw = test->priv;

	begin_sram(hw, false);
	KUNIT_ASSERT_EQ(test, rvtrace_lap_follow(&hw->ring, &hw->lap, LAP, false, false), -ERANGE);
	KUNIT_ASSERT_EQ(test, rvtrace_lap_follow(&hw->ring, &hw->lap, 500, false, false), 0);
	KUNIT_ASSERT_EQ(test, rvtrace_lap_follow(&hw->ring, &hw->lap, 400, false, false), -ERANGE);
	KUNIT_ASSERT_EQ(test, rvtrace_lap_follow(&hw->ring, &hw->lap, 400, true, false), 0);
	KUNIT_ASSERT_EQ(test, rvtrace_lap_follow(&hw->ring, &hw->lap, 600, false, false), -ERANGE);
	KUNIT_ASSERT_EQ(test, hw->ring.pointer - hw->ring.start, LAP + 400);
}

/* However it is copied: what was read, lost and is unread is what was written. */
static void every_byte_of_sram_is_read_or_counted(struct kunit *test)
{
	u64 consumed, to;
	struct sram *hw = test->priv;

	for (int i = 0; i < TRIES(2000); i++) {
		begin_sram(hw, false);
		hw->timely = true;
		consumed = 0;
		for (int n = next_random() % 20; n >= 0; n--) {
			write_sram(hw, next_random() % (LAP / 4) * 4);
			KUNIT_ASSERT_EQ(test, follow(hw), 0);
			hw->meanwhile = next_random() % (LAP / 4) * 4;
			if (next_random() % 2)
				copy_sram(test, hw);
			check_copied(test, hw);
			to = rvtrace_ring_readable_from(&hw->ring);
			to += next_random() % (hw->ring.head - to + 1);
			consumed += to - rvtrace_ring_readable_from(&hw->ring);
			KUNIT_ASSERT_EQ(test, rvtrace_ring_consume(&hw->ring, to), 0);
		}
		stop_sram(test, hw);
		check_copied(test, hw);
		KUNIT_ASSERT_EQ(test, hw->ring.head - hw->ring.start, hw->written);
		KUNIT_ASSERT_EQ(test, consumed + hw->ring.lost + rvtrace_ring_unread(&hw->ring),
				hw->written);
		KUNIT_ASSERT_FALSE(test, hw->ring.lower_bound);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(sram_that_is_copied_in_time_loses_nothing),
	KUNIT_CASE(lap_of_sram_that_was_missed_is_noticed),
	KUNIT_CASE(sram_of_a_stopped_sink_is_the_last_lap),
	KUNIT_CASE(laps_that_were_seen_are_counted),
	KUNIT_CASE(loss_in_sram_is_never_reported_as_none),
	KUNIT_CASE(full_sram_has_lost_nothing),
	KUNIT_CASE(bytes_that_sram_loses_take_the_unread_ones_along),
	KUNIT_CASE(ring_that_is_filled_from_sram_overwrites_its_oldest_bytes),
	KUNIT_CASE(sram_that_begins_anew_goes_on_in_the_ring),
	KUNIT_CASE(sram_that_begins_anew_does_not_overwrite_a_ring_that_is_filled),
	KUNIT_CASE(pointer_outside_sram_is_an_error),
	KUNIT_CASE(every_byte_of_sram_is_read_or_counted),
	{ }
};

static struct kunit_suite suite = {
	.name = "rvtrace-lap",
	.init = use_sram,
	.test_cases = cases,
};

kunit_test_suite(suite);
