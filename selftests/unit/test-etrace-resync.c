// SPDX-License-Identifier: GPL-2.0
/* E-Trace packet layer: where to begin in a stream, damage, and time. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/etrace.h>

#include "selftests/unit/etrace-payload.h"

#define STREAM_MAX	(1 << 20)

static struct rvtrace_etrace_params plain(void)
{
	struct rvtrace_etrace_params params;

	rvtrace_etrace_params_default(&params);
	params.iaddress_width = 64;
	return params;
}

static struct rvtrace_etrace *reader_of(const struct rvtrace_etrace_params *params)
{
	struct rvtrace_etrace *reader;

	assert_int_equal(rvtrace_etrace_new(params, &reader), 0);
	return reader;
}

/* Offset of the first packet, right or wrong, if it is not known what the first byte is. */
static int64_t first_after(const struct rvtrace_etrace_params *params, const uint8_t *bytes,
			   size_t size, size_t piece)
{
	struct rvtrace_etrace *reader = reader_of(params);
	struct rvtrace_etrace_packet packet;
	size_t fed;
	int ret = 0;

	rvtrace_etrace_resync(reader, 500);
	for (fed = 0; !ret && fed < size; fed += piece) {
		if (piece > size - fed)
			piece = size - fed;
		assert_int_equal(rvtrace_etrace_feed(reader, bytes + fed, piece), 0);
		ret = rvtrace_etrace_next(reader, &packet);
	}
	rvtrace_etrace_free(reader);
	return ret ? (int64_t)packet.offset - 500 : -1;
}

/* Encapsulation 1.0, "Synchronization": longer than nulls in a packet can be. */
static void reading_begins_behind_a_synchronization_sequence(void **state)
{
	static const uint8_t srcids[] = { 0, 6, 8, 15, 16 };
	struct rvtrace_etrace_params params = plain();
	unsigned int i, timestamp, nulls;

	(void)state;
	for (i = 0; i < sizeof(srcids); i++) {
		for (timestamp = 0; timestamp <= 8; timestamp++) {
			unsigned int longest = 31 + timestamp + srcids[i] / 8;

			params.srcid_width = srcids[i];
			params.timestamp_width = 8 * timestamp;
			for (nulls = longest - 1; nulls < longest + 3; nulls++) {
				uint8_t bytes[128] = { 0x12, 0x34 };

				bytes[1 + nulls] = 0x80;
				bytes[2 + nulls] = 0x42;
				/* The second byte is not null. */
				assert_int_equal(first_after(&params, bytes, 120, 120),
						 nulls < longest ? -1 : 2 + (int)nulls);
				assert_int_equal(first_after(&params, bytes, 120, 1),
						 nulls < longest ? -1 : 2 + (int)nulls);
			}
		}
	}
}

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Packets of addresses, each of which is the offset of its header; a sync sequence now and then. */
static size_t make_stream(uint8_t *bytes, size_t limit, unsigned int every, uint64_t *state)
{
	unsigned int number = 0;
	size_t size = 0;

	while (size + 64 < limit) {
		struct payload p = { };
		size_t length;

		if (++number % every == 0) {
			memset(bytes + size, 0, 32);
			size += 32;
			bytes[size - 1] = 0x80;
		}
		put(&p, 2, 2);
		put(&p, size, 63);
		put(&p, 0, 3);
		extend_sign(&p);
		/* Some are compressed, some are longer than they need be. */
		if (random_next(state) % 2)
			compress(&p);
		length = bytes_of(&p, bytes + size + 1);
		bytes[size] = length | 2 << 5;
		size += 1 + length;
	}
	return size;
}

/* How many packets lie where they say; the others are damage or come of it. */
static unsigned int count_right(const uint8_t *bytes, size_t size, uint64_t removed_at,
				uint64_t removed, uint64_t *last_wrong)
{
	struct rvtrace_etrace_params params = plain();
	struct rvtrace_etrace *reader = reader_of(&params);
	struct rvtrace_etrace_packet packet;
	unsigned int right = 0;
	uint64_t from = 0;
	int ret;

	assert_int_equal(rvtrace_etrace_feed(reader, bytes, size), 0);
	*last_wrong = 0;
	while ((ret = rvtrace_etrace_next(reader, &packet))) {
		uint64_t original = packet.offset;

		/* Forward, and within the stream. */
		assert_true(packet.offset >= from && packet.offset + packet.size <= size);
		from = packet.offset + packet.size;
		if (original >= removed_at)
			original += removed;
		if (ret == 1 && packet.inst.address == original << 1)
			right++;
		else
			*last_wrong = packet.offset;
	}
	rvtrace_etrace_free(reader);
	return right;
}

static void a_cut_costs_packets_up_to_the_next_sequence(void **state)
{
	uint8_t *bytes = malloc(STREAM_MAX), *cut = malloc(STREAM_MAX);
	uint64_t random = 0x123456789abcdef, wrong;
	size_t size, at, removed;
	unsigned int all, right;

	(void)state;
	size = make_stream(bytes, 3000, 16, &random);
	all = count_right(bytes, size, size, 0, &wrong);
	assert_true(all > 200);
	assert_int_equal(wrong, 0);
	for (at = 0; at < size - 700; at++) {
		removed = 1 + random_next(&random) % 20;
		memcpy(cut, bytes, at);
		memcpy(cut + at, bytes + at + removed, size - at - removed);
		right = count_right(cut, size - removed, at, removed, &wrong);
		/* 16 packets of at most 10 bytes and a sequence */
		assert_true(wrong < at + 2 * (16 * 10 + 32));
		assert_true(right + 2 * 16 + 20 >= all);
	}
	free(cut);
	free(bytes);
}

static void a_stream_cut_anywhere_ends_with_an_incomplete_packet(void **state)
{
	struct rvtrace_etrace_params params = plain();
	uint64_t random = 0xabcdef0123456789, end, offset;
	uint8_t *bytes = malloc(STREAM_MAX);
	size_t size = make_stream(bytes, 1000, 8, &random), at;

	(void)state;
	for (at = 1; at < size; at++) {
		struct rvtrace_etrace *reader = reader_of(&params);
		struct rvtrace_etrace_packet packet;
		int ret;

		assert_int_equal(rvtrace_etrace_feed(reader, bytes, at), 0);
		end = 0;
		while ((ret = rvtrace_etrace_next(reader, &packet))) {
			assert_int_equal(ret, 1);
			end = packet.offset + packet.size;
		}
		if (rvtrace_etrace_pending(reader, &offset)) {
			assert_in_range(offset, end, at - 1);
			assert_int_equal(rvtrace_etrace_pending(reader, NULL), at - offset);
		} else {
			for (; end < at; end++)
				assert_int_equal(bytes[end] & 0x1f, 0);
		}
		rvtrace_etrace_free(reader);
	}
	free(bytes);
}

/* Anything may come; pieces of any size give the same. */
static void random_bytes(void **state)
{
	struct rvtrace_etrace_params params = plain();
	uint64_t random = 0x243f6a8885a308d3;
	uint8_t bytes[2000];
	unsigned int round, i;

	(void)state;
	params.srcid_width = 5;
	params.type_width = 2;
	params.timestamp_width = 24;
	params.bpred_size = 5;
	params.cache_size = 4;
	params.f0s_width = 1;
	params.return_stack_size = 3;
	for (round = 0; round < 200; round++) {
		struct rvtrace_etrace *whole = reader_of(&params), *parts = reader_of(&params);
		struct rvtrace_etrace_packet a, b;
		size_t fed = 0, piece;
		int ret, other;

		for (i = 0; i < sizeof(bytes); i++)
			bytes[i] = random_next(&random) >> 20;
		assert_int_equal(rvtrace_etrace_feed(whole, bytes, sizeof(bytes)), 0);
		while ((ret = rvtrace_etrace_next(whole, &a))) {
			while (!(other = rvtrace_etrace_next(parts, &b)) && fed < sizeof(bytes)) {
				piece = 1 + random_next(&random) % 30;
				if (piece > sizeof(bytes) - fed)
					piece = sizeof(bytes) - fed;
				rvtrace_etrace_feed(parts, bytes + fed, piece);
				fed += piece;
			}
			assert_int_equal(ret, other);
			assert_int_equal(a.offset, b.offset);
			assert_int_equal(a.size, b.size);
			assert_int_equal(a.srcid, b.srcid);
			assert_int_equal(a.kind, b.kind);
			assert_memory_equal(a.raw, b.raw, a.size);
			if (ret == 1 && a.kind == RVTRACE_ETRACE_TE_INST)
				assert_int_equal(a.inst.address, b.inst.address);
		}
		rvtrace_etrace_free(whole);
		rvtrace_etrace_free(parts);
	}
}

/* A start with a time, or a packet with a timestamp, as one packet. */
static struct rvtrace_etrace_packet at(struct rvtrace_etrace *reader,
				       const struct rvtrace_etrace_params *params, bool full,
				       uint64_t time, bool extend, uint64_t timestamp)
{
	struct rvtrace_etrace_packet packet;
	static uint8_t bytes[128];
	struct payload p = { };
	size_t size;

	put(&p, 0, 8);
	put(&p, timestamp, extend ? params->timestamp_width : 0);
	put(&p, full ? 0x13 : 2, full ? 5 : 2);
	if (full) {
		put(&p, 3, 2);
		put(&p, time, params->time_width);
	}
	put(&p, 0x80, 64);
	extend_sign(&p);
	size = bytes_of(&p, bytes);
	bytes[0] = (size - 1 - (extend ? params->timestamp_width / 8 : 0)) | extend << 7;
	assert_int_equal(rvtrace_etrace_feed(reader, bytes, size), 0);
	assert_int_equal(rvtrace_etrace_next(reader, &packet), 1);
	assert_int_equal(rvtrace_etrace_next(reader, &(struct rvtrace_etrace_packet){}), 0);
	return packet;
}

/* 2.0.5 draft, "Timestamping" */
static void partial_timestamps_go_on_from_full_ones(void **state)
{
	struct rvtrace_etrace_params params = plain();
	struct rvtrace_etrace *reader;

	(void)state;
	params.notime = 0;
	params.time_width = 48;
	params.timestamp_width = 16;
	reader = reader_of(&params);
	assert_false(at(reader, &params, false, 0, true, 0x1234).has_now);
	assert_int_equal(at(reader, &params, true, 0x1234fff0, false, 0).now, 0x1234fff0);
	assert_false(at(reader, &params, false, 0, false, 0).has_now);
	assert_int_equal(at(reader, &params, false, 0, true, 0xfff8).now, 0x1234fff8);
	assert_int_equal(at(reader, &params, false, 0, true, 0x0003).now, 0x12350003);
	assert_int_equal(at(reader, &params, false, 0, true, 0x0003).now, 0x12350003);
	assert_int_equal(at(reader, &params, false, 0, true, 0x0002).now, 0x12360002);
	assert_int_equal(at(reader, &params, true, 0x99999999, true, 0x0002).now, 0x99999999);
	assert_int_equal(at(reader, &params, false, 0, true, 0x999a).now, 0x9999999a);
	rvtrace_etrace_free(reader);
}

/* "Standard Support Packet format" has 16 and 32 bits */
static void times_of_few_bits_go_on(void **state)
{
	struct rvtrace_etrace_params params = plain();
	struct rvtrace_etrace *reader;

	(void)state;
	params.notime = 0;
	params.time_width = 16;
	reader = reader_of(&params);
	assert_int_equal(at(reader, &params, true, 0xfff0, false, 0).now, 0xfff0);
	assert_int_equal(at(reader, &params, true, 0xfff0, false, 0).now, 0xfff0);
	assert_int_equal(at(reader, &params, true, 0x0010, false, 0).now, 0x10010);
	assert_int_equal(at(reader, &params, true, 0x0001, false, 0).now, 0x20001);
	rvtrace_etrace_free(reader);
}

/* They tell more, and may be a little later. */
static void timestamps_of_more_bits_than_times(void **state)
{
	struct rvtrace_etrace_params params = plain();
	struct rvtrace_etrace *reader;

	(void)state;
	params.notime = 0;
	params.time_width = 16;
	params.timestamp_width = 32;
	reader = reader_of(&params);
	assert_int_equal(at(reader, &params, false, 0, true, 0x12340010).now, 0x12340010);
	assert_int_equal(at(reader, &params, true, 0x0020, true, 0x12340021).now, 0x12340021);
	assert_int_equal(at(reader, &params, true, 0x0030, false, 0).now, 0x12340030);
	assert_int_equal(at(reader, &params, true, 0x0000, false, 0).now, 0x12350000);
	assert_int_equal(at(reader, &params, false, 0, true, 0x10).now, 0x100000010);
	rvtrace_etrace_free(reader);
}

static void timestamps_without_full_times(void **state)
{
	struct rvtrace_etrace_params params = plain();
	struct rvtrace_etrace *reader;

	(void)state;
	params.timestamp_width = 8;
	reader = reader_of(&params);
	assert_int_equal(at(reader, &params, false, 0, true, 0xf0).now, 0xf0);
	assert_int_equal(at(reader, &params, false, 0, true, 0x10).now, 0x110);
	rvtrace_etrace_free(reader);
	params.timestamp_width = 64;
	reader = reader_of(&params);
	assert_int_equal(at(reader, &params, false, 0, true, 0xfedcba9876543210).now,
			 0xfedcba9876543210);
	assert_int_equal(at(reader, &params, false, 0, true, 5).now, 5);
	rvtrace_etrace_free(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reading_begins_behind_a_synchronization_sequence),
		cmocka_unit_test(a_cut_costs_packets_up_to_the_next_sequence),
		cmocka_unit_test(a_stream_cut_anywhere_ends_with_an_incomplete_packet),
		cmocka_unit_test(random_bytes),
		cmocka_unit_test(partial_timestamps_go_on_from_full_ones),
		cmocka_unit_test(times_of_few_bits_go_on),
		cmocka_unit_test(timestamps_of_more_bits_than_times),
		cmocka_unit_test(timestamps_without_full_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
