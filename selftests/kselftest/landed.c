// SPDX-License-Identifier: GPL-2.0
/*
 * What the head says is in memory is there and stays: every byte is read as soon
 * as it is published and again when it is about to be overwritten.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

/**
 * struct twice - bytes as they were when they were published
 * @first: copy of the ring
 * @read: position after the last byte copied
 * @compared: position after the last byte that was read again
 * @again: how many were
 */
struct twice {
	uint8_t *first;
	uint64_t read;
	uint64_t compared;
	uint64_t again;
};

/* Bytes from @at to @end that lie in one piece in the ring. */
static uint64_t piece(const struct reader *reader, uint64_t at, uint64_t end)
{
	uint64_t size = reader->control->data_size, left = size - at % size;

	return left < end - at ? left : end - at;
}

static void read_first(const struct reader *reader, struct twice *twice, uint64_t head)
{
	uint64_t size = reader->control->data_size, n;

	for (; twice->read < head; twice->read += n) {
		n = piece(reader, twice->read, head);
		memcpy(twice->first + twice->read % size, reader->data + twice->read % size, n);
	}
}

/* Compare up to @end. Bytes the hardware overwrote meanwhile prove nothing. */
static bool read_again(struct reader *reader, struct twice *twice, uint64_t end)
{
	uint64_t size = reader->control->data_size, at, n;
	struct rvtrace_consume c;
	bool changed = false;

	for (at = twice->compared; at < end; at += n) {
		n = piece(reader, at, end);
		if (memcmp(twice->first + at % size, reader->data + at % size, n))
			changed = true;
	}
	if (reader_consume(reader, end, &c))
		return false;
	if (c.valid_from <= twice->compared)
		twice->again += end - twice->compared;
	else
		changed = false;
	if (changed)
		printf("# a byte from %llu to %llu changed after it was published\n",
		       (unsigned long long)twice->compared, (unsigned long long)end);
	twice->compared = end;
	return !changed;
}

static bool trace_and_compare(struct reader *reader, struct twice *twice, unsigned int laps)
{
	const struct rvtrace_control *control = reader->control;
	uint64_t size = control->data_size, head = control->session_start;
	unsigned int rounds = 0;
	struct rvtrace_consume c;

	twice->read = twice->compared = head;
	while (head - control->session_start < laps * size && ++rounds < 1000000) {
		/* Which samples the pointer. */
		if (reader_consume(reader, control->tail, &c))
			return false;
		head = c.head;
		if (c.valid_from > twice->compared)
			twice->compared = c.valid_from;
		if (twice->read < twice->compared)
			twice->read = twice->compared;
		read_first(reader, twice, head);
		/* The older half: whatever was on its way then has arrived. */
		if (head > twice->compared + size / 2 &&
		    !read_again(reader, twice, head - size / 2))
			return false;
	}
	if (put(of_sink("tracing"), "0"))
		return false;
	head = control->head;
	if (control->valid_from > twice->compared)
		twice->compared = control->valid_from;
	if (twice->read < twice->compared)
		twice->read = twice->compared;
	read_first(reader, twice, head);
	return read_again(reader, twice, head);
}

static void bytes_stay(const char *ring, unsigned int laps)
{
	struct reader reader = {};
	struct twice twice = {};

	EXPECT_EQ(put(of_sink("buffer_size"), ring), 0);
	EXPECT(reader_open(&reader));
	twice.first = malloc(reader.control->data_size);
	EXPECT(twice.first);
	for (unsigned int session = 0; session < 3; session++) {
		EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
		EXPECT(trace_and_compare(&reader, &twice, laps));
	}
	printf("# %llu bytes read twice\n", (unsigned long long)twice.again);
	/* Else nothing was tested. */
	EXPECT(twice.again > reader.control->data_size);
	free(twice.first);
	reader_close(&reader);
}

static void published_bytes_stay_in_a_small_ring(void)
{
	bytes_stay("65536", 20);
}

static void published_bytes_stay_in_a_big_ring(void)
{
	bytes_stay("1048576", 4);
}

static void stop_brings_the_last_byte(void)
{
	struct reader reader = {};
	struct rvtrace_consume c;
	uint64_t head;

	EXPECT_EQ(put(of_sink("buffer_size"), "65536"), 0);
	EXPECT(reader_open(&reader));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	do {
		burn(1);
		EXPECT_EQ(reader_consume(&reader, reader.control->head, &c), 0);
	} while (c.head < 3 * 65536);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	head = reader.control->head;
	/* The last byte of a message, or idle: MSEO is 3. */
	EXPECT_EQ(reader.data[(head - 1) % 65536] & 3, 3);
	EXPECT_EQ(get_number(of_sink("head")), head);
	reader_close(&reader);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(published_bytes_stay_in_a_small_ring),
		TEST(published_bytes_stay_in_a_big_ring),
		TEST(stop_brings_the_last_byte),
	};

	return run_tests(tests, sizeof(tests) / sizeof(*tests));
}
