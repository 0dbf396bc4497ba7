// SPDX-License-Identifier: GPL-2.0
/* Frames of the CoreSight formatter, from and to bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "selftests/unit/unwrap-fixture.h"
#include "tools/encode/atb-frames.h"

#define FULL_SYNC	0xff, 0xff, 0xff, 0x7f
#define HALF_SYNC	0xff, 0x7f

/* Fifteen bytes of source 0x10: an ID, then 14 of data. */
#define FRAME_OF_0x10	0x21, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0
#define DATA_OF_0x10	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14

static struct found found;
static struct bytes frames;

static int free_all(void **state)
{
	(void)state;
	found_free(&found);
	bytes_free(&frames);
	return 0;
}

/* Takes @chunk bytes at once; 0: by chance. Returns how many of @count there were. */
static uint64_t decode(unsigned int id, const uint8_t *data, size_t size, size_t chunk,
		       unsigned int count)
{
	struct rvtrace_unwrap_handler handler = found_handler(&found);
	struct rvtrace_atb *atb;
	uint64_t counted;
	size_t piece;

	found_free(&found);
	assert_int_equal(rvtrace_atb_new(id, &handler, &atb), 0);
	for (; size; data += piece, size -= piece) {
		piece = piece_of(size, chunk);
		rvtrace_atb_feed(atb, data, piece);
	}
	rvtrace_atb_end(atb);
	counted = rvtrace_atb_count(atb, count);
	rvtrace_atb_free(atb);
	return counted;
}

static void expect(unsigned int id, const uint8_t *data, size_t size, const uint8_t *expected,
		   size_t expected_size)
{
	assert_int_equal(decode(id, data, size, 1, id), expected_size);
	assert_int_equal(found.damages, 0);
	expect_bytes(&found.bytes, expected, expected_size);
}

/*
 * Worked by hand from CoreSight Architecture Specification v3.0, chapter
 * D4: bytes at even places are an ID if bit 0 is set, else data
 * whose bit 0 is in the auxiliary byte; with an ID, that bit delays it by a byte.
 */
static const uint8_t by_hand[] = {
	0x21, 0x11,	/* now 0x10 */
	0x22, 0x33,	/* bit 0 of 0x22 is auxiliary bit 1: 0 */
	0x44, 0x55,	/* auxiliary bit 2: 0x45 */
	0x41, 0x66,	/* 0x20, after the next byte: auxiliary bit 3 */
	0x76, 0x88,	/* auxiliary bit 4: 0x77 */
	0x21, 0x99,	/* 0x10 at once */
	0x01, 0x00,	/* null source */
	0x41, 0x1c,	/* 0x20 from the next frame on; the auxiliary byte */
	0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
	0xfb, 0x81,	/* trigger; bits 0 and 7: 0xab, and an ID in the last place has no delay */
};

static const uint8_t by_hand_0x10[] = { 0x11, 0x22, 0x33, 0x45, 0x55, 0x66, 0x99 };
static const uint8_t by_hand_0x20[] = { 0x77, 0x88, 0xab, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00,
					0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07 };

static void frames_by_hand(void **state)
{
	(void)state;
	expect(0x10, by_hand, sizeof(by_hand), by_hand_0x10, sizeof(by_hand_0x10));
	expect(0x20, by_hand, sizeof(by_hand), by_hand_0x20, sizeof(by_hand_0x20));
	expect(0x6f, by_hand, sizeof(by_hand), NULL, 0);
	assert_int_equal(decode(1, by_hand, sizeof(by_hand), 1, 0), 1);
	assert_int_equal(decode(1, by_hand, sizeof(by_hand), 1, 0x7d), 0);
	assert_int_equal(decode(1, by_hand, sizeof(by_hand), 1, RVTRACE_ATB_IDS), 0);
	assert_int_equal(decode(0x20, by_hand, sizeof(by_hand), 1, RVTRACE_ATB_IDS - 1), 0);
	/* The first byte in each frame. */
	assert_int_equal(found.ats, 2);
	assert_int_equal(found.at[0], 8);
	assert_int_equal(found.at[1], 16);
}

static void encoder_makes_frames_by_hand(void **state)
{
	static const uint8_t nothing[1], first[] = { 0x11, 0x22, 0x33, 0x45, 0x55, 0x66 };
	struct atb_frames f;

	(void)state;
	atb_frames_init(&f, 0, bytes_write, &frames);
	atb_frames_put(&f, 0x10, first, sizeof(first));
	atb_frames_put(&f, 0x20, by_hand_0x20, 2);
	atb_frames_put(&f, 0x10, by_hand_0x10 + 6, 1);
	atb_frames_put(&f, ATB_ID_NULL, nothing, 1);
	atb_frames_put(&f, 0x20, by_hand_0x20 + 2, sizeof(by_hand_0x20) - 2);
	assert_int_equal(frames.size, 16);
	assert_memory_equal(frames.data, by_hand, 16);
	atb_frames_put(&f, ATB_ID_TRIGGER, nothing, 1);
	assert_int_equal(frames.size, 32);
	assert_memory_equal(frames.data + 16, by_hand + 16, 15);
	/* The bit of an ID in the last place means nothing. */
	assert_int_equal(frames.data[31], 0x01);
}

/* Full ones lie between frames, half-word ones between any two pairs of bytes. */
static void synchronization_is_skipped(void **state)
{
	(void)state;
	expect(0x10, BYTES(FULL_SYNC, FULL_SYNC, FRAME_OF_0x10, HALF_SYNC, FULL_SYNC,
			   0x20, 0xff, HALF_SYNC, HALF_SYNC, 0xfe, 0x7f, 4, 5, 6, 7, 8, 9, 10, 11,
			   12, 13, HALF_SYNC, 0xfe, 0xff, FULL_SYNC),
	       BYTES(DATA_OF_0x10, 0x21, 0xff, 0xff, 0x7f, 5, 5, 7, 7, 9, 9, 11, 11, 13, 13, 0xff));
}

static void reserved_sources_are_damage(void **state)
{
	(void)state;
	decode(0x10, BYTES(0x21, 1, 2, 3, 0xe1, 4, 6, 7, 0x21, 5, 6, 7, 8, 9, 10, 0), 3, 0x10);
	expect_bytes(&found.bytes, BYTES(1, 2, 3, 5, 6, 7, 8, 9, 10));
	assert_int_equal(found.damages, 1);
	expect_damage(&found, 0, RVTRACE_UNWRAP_RESERVED_ID, 5, 4);
	assert_int_equal(found.before[0], 3);
}

static void data_before_the_first_source_is_told(void **state)
{
	(void)state;
	decode(0x10, BYTES(2, 3, 4, 5, 6, 7, 0x21, 1, 2, 3, 4, 5, 6, 7, 8, 0x08), 16, 0x10);
	/* The delayed ID still leaves its byte to nobody. */
	expect_bytes(&found.bytes, BYTES(2, 3, 4, 5, 6, 7, 8));
	assert_int_equal(found.damages, 1);
	expect_damage(&found, 0, RVTRACE_UNWRAP_UNSYNCHRONIZED, 0, 8);
}

static void frames_cut_by_synchronization_are_lost(void **state)
{
	(void)state;
	decode(0x10, BYTES(FRAME_OF_0x10, 0x20, 1, 2, FULL_SYNC, 0x20, 9, 0x21, 1, 2, 3, 4, 5, 6, 7,
			   8, 9, 10, 11, 12, 0, FRAME_OF_0x10), 5, 0x10);
	expect_bytes(&found.bytes, BYTES(DATA_OF_0x10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
					 DATA_OF_0x10));
	assert_int_equal(found.damages, 1);
	expect_damage(&found, 0, RVTRACE_UNWRAP_TRUNCATED, 16, 10);
	assert_int_equal(found.before[0], 14);
}

static void lost_bytes_cost_until_the_next_synchronization(void **state)
{
	static const uint8_t data[] = { FULL_SYNC, FRAME_OF_0x10, FRAME_OF_0x10, FULL_SYNC,
					FRAME_OF_0x10, FULL_SYNC, FRAME_OF_0x10 };
	struct bytes cut = { };

	(void)state;
	/* Byte 22 is in the second frame. */
	bytes_add(&cut, data, 22);
	bytes_add(&cut, data + 23, sizeof(data) - 23);
	decode(0x10, cut.data, cut.size, 7, 0x10);
	bytes_free(&cut);
	expect_bytes(&found.bytes, BYTES(DATA_OF_0x10, DATA_OF_0x10, DATA_OF_0x10));
	assert_int_equal(found.damages, 1);
	expect_damage(&found, 0, RVTRACE_UNWRAP_TRUNCATED, 20, 20);
}

static void input_that_ends_in_a_frame(void **state)
{
	(void)state;
	decode(0x10, BYTES(FRAME_OF_0x10, 0x20, 1, 2), 0, 0x10);
	expect_bytes(&found.bytes, BYTES(DATA_OF_0x10));
	assert_int_equal(found.damages, 1);
	expect_damage(&found, 0, RVTRACE_UNWRAP_TRUNCATED, 16, 3);
}

static void ids_that_are_not_sources_are_refused(void **state)
{
	static const unsigned int ids[] = { 0, 0x70, 0x7d, 0x7f, 0x80, 0x110 };
	struct rvtrace_unwrap_handler handler = found_handler(&found);
	struct rvtrace_atb *atb;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		assert_int_equal(rvtrace_atb_new(ids[i], &handler, &atb), RVTRACE_ERR_INVALID);
}

/* An ID is said in the first frame and in every eighth after it. */
static void encoder_repeats_the_id(void **state)
{
	static const uint8_t data[15 * 30];
	struct atb_frames f;
	unsigned int i;

	(void)state;
	atb_frames_init(&f, 0, bytes_write, &frames);
	atb_frames_put(&f, 0x10, data, sizeof(data));
	assert_int_equal(frames.size, 30 * ATB_FRAME_SIZE);
	for (i = 0; i < 30; i++)
		assert_int_equal(frames.data[i * ATB_FRAME_SIZE], i % 8 ? 0 : 0x21);
}

static void encoder_says_whose_the_first_byte_is(void **state)
{
	static const uint8_t data[14];
	struct atb_frames f;

	(void)state;
	atb_frames_init(&f, 0, bytes_write, &frames);
	atb_frames_put(&f, ATB_ID_NULL, data, sizeof(data));
	assert_int_equal(frames.size, ATB_FRAME_SIZE);
	assert_int_equal(frames.data[0], 0x01);
}

/* A full synchronization packet before the first frame and every third after it. */
static void encoder_synchronizes(void **state)
{
	static const uint8_t data[15 * 7], sync[] = { FULL_SYNC };
	struct atb_frames f;
	size_t at = 0;
	unsigned int i;

	(void)state;
	atb_frames_init(&f, 3, bytes_write, &frames);
	atb_frames_put(&f, 0x10, data, sizeof(data) - 1);
	for (i = 0; i < 7; i++, at += ATB_FRAME_SIZE) {
		if (i % 3)
			continue;
		assert_memory_equal(frames.data + at, sync, sizeof(sync));
		at += sizeof(sync);
	}
	assert_int_equal(frames.size, at);
}

#define SOURCES	4

/* Puts half-word synchronization between pairs of bytes, by chance. */
static void add_half_syncs(void *opaque, const uint8_t *data, size_t size)
{
	static const uint8_t half_sync[] = { HALF_SYNC };
	size_t i;

	for (i = 0; i < size; i += 2) {
		/* A full synchronization packet stays in one piece. */
		while (size == ATB_FRAME_SIZE && !random_below(4))
			bytes_add(opaque, half_sync, 2);
		bytes_add(opaque, data + i, 2);
	}
}

static void encode_random(struct bytes sent[SOURCES], uint32_t sync_interval,
			  uint32_t longest, atb_frames_write write)
{
	struct atb_frames f;
	unsigned int i;

	atb_frames_init(&f, sync_interval, write, &frames);
	for (i = 0; i < 500; i++) {
		uint8_t data[100];
		size_t size = 1 + random_below(longest), j;
		unsigned int source = random_below(SOURCES);

		for (j = 0; j < size; j++)
			data[j] = random_below(3) ? random_below(256) : 0xff;
		atb_frames_put(&f, 0x6f - source, data, size);
		bytes_add(&sent[source], data, size);
		if (!random_below(50))
			atb_frames_flush(&f);
	}
	atb_frames_flush(&f);
}

static void round_trip(uint32_t sync_interval, uint32_t longest, atb_frames_write write)
{
	static const size_t chunks[] = { 0, 1, 2, 3, 15, 16, 17, 100000 };
	struct bytes sent[SOURCES] = { };
	unsigned int source;
	size_t i;

	encode_random(sent, sync_interval, longest, write);
	for (source = 0; source < SOURCES; source++) {
		for (i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
			assert_int_equal(decode(0x6f - source, frames.data, frames.size, chunks[i],
						0x6f - source), sent[source].size);
			assert_int_equal(found.damages, 0);
			expect_bytes(&found.bytes, sent[source].data, sent[source].size);
		}
		bytes_free(&sent[source]);
	}
	bytes_free(&frames);
}

static void what_is_sent_is_received(void **state)
{
	static const uint32_t longest[] = { 1, 2, 3, 15, 100 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(longest) / sizeof(longest[0]); i++) {
		round_trip(0, longest[i], bytes_write);
		round_trip(1, longest[i], bytes_write);
		round_trip(3, longest[i], add_half_syncs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(frames_by_hand, free_all),
		cmocka_unit_test_teardown(encoder_makes_frames_by_hand, free_all),
		cmocka_unit_test_teardown(synchronization_is_skipped, free_all),
		cmocka_unit_test_teardown(reserved_sources_are_damage, free_all),
		cmocka_unit_test_teardown(data_before_the_first_source_is_told, free_all),
		cmocka_unit_test_teardown(frames_cut_by_synchronization_are_lost, free_all),
		cmocka_unit_test_teardown(lost_bytes_cost_until_the_next_synchronization, free_all),
		cmocka_unit_test_teardown(input_that_ends_in_a_frame, free_all),
		cmocka_unit_test_teardown(ids_that_are_not_sources_are_refused, free_all),
		cmocka_unit_test_teardown(encoder_repeats_the_id, free_all),
		cmocka_unit_test_teardown(encoder_says_whose_the_first_byte_is, free_all),
		cmocka_unit_test_teardown(encoder_synchronizes, free_all),
		cmocka_unit_test_teardown(what_is_sent_is_received, free_all),
	};

	return cmocka_run_group_tests_name("unwrap-atb", tests, NULL, NULL);
}
