// SPDX-License-Identifier: GPL-2.0
/* Open SoC Debug packet layer: what is damaged, cut, or read from anywhere. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "osd-wire.h"

#define EVENT		0x8000
#define CONTINUED	0x8400
#define OVERFLOW	0x9400
#define PACKETS_MAX	512

static const struct rvtrace_osd_config plain;

/* The only packet of a stream. */
static int only(unsigned int flags, unsigned int words)
{
	static const uint16_t payload[130];
	struct rvtrace_osd_packet p;
	struct rvtrace_osd *reader;
	struct wire wire = { };
	int ret;

	wire_packet(&wire, 1, 2, flags, payload, words);
	reader = wire_reader(&plain, &wire);
	ret = rvtrace_osd_next(reader, &p);
	assert_int_equal(p.offset, 0);
	if (ret != RVTRACE_ERR_TOO_LONG)
		assert_int_equal(p.size, wire.size);
	rvtrace_osd_free(reader);
	return ret;
}

static void events_of_wrong_length(void **state)
{
	unsigned int words;

	(void)state;
	for (words = 0; words < 12; words++)
		assert_int_equal(only(EVENT, words),
				 words == 4 || words == 5 || words == 7 ? 1 :
				 words < 7 ? RVTRACE_ERR_TRUNCATED : RVTRACE_ERR_TRAILING);
	assert_int_equal(only(EVENT, 124), RVTRACE_ERR_TRAILING);
	assert_int_equal(only(EVENT, 125), RVTRACE_ERR_TOO_LONG);
	assert_int_equal(only(OVERFLOW, 0), RVTRACE_ERR_TRUNCATED);
	assert_int_equal(only(OVERFLOW, 1), 1);
	assert_int_equal(only(OVERFLOW, 2), RVTRACE_ERR_TRAILING);
	assert_int_equal(only(CONTINUED, 0), RVTRACE_ERR_TRUNCATED);
}

static void reserved_subtypes(void **state)
{
	unsigned int sub;

	(void)state;
	for (sub = 0; sub < 16; sub++)
		if (sub != 0 && sub != 1 && sub != 5)
			assert_int_equal(only(EVENT | sub << 10, 5), RVTRACE_ERR_FIELD);
	assert_int_equal(only(13 << 10, 0), RVTRACE_ERR_FIELD);
}

static void overflow_amid_an_event(void **state)
{
	struct rvtrace_osd_packet p;
	struct rvtrace_osd *reader;
	struct wire wire = { };

	(void)state;
	wire_packet(&wire, 1, 2, CONTINUED, PAYLOAD(1, 2, 3));
	wire_packet(&wire, 1, 3, OVERFLOW, PAYLOAD(9));
	wire_packet(&wire, 1, 2, OVERFLOW, PAYLOAD(1));
	wire_packet(&wire, 1, 2, EVENT, PAYLOAD(1, 2, 3, 4));
	reader = wire_reader(&plain, &wire);
	assert_int_equal(rvtrace_osd_next(reader, &p), 1);
	assert_int_equal(rvtrace_osd_next(reader, &p), 1);
	assert_int_equal(rvtrace_osd_next(reader, &p), RVTRACE_ERR_TRUNCATED);
	assert_int_equal(p.offset, 24);
	assert_int_equal(p.src, 2);
	assert_int_equal(p.sub, RVTRACE_OSD_EVENT_OVERFLOW);
	assert_int_equal(rvtrace_osd_next(reader, &p), 1);
	assert_int_equal(p.value, 4);
	wire_end(reader);
}

static void events_without_end(void **state)
{
	static const uint16_t payload[9];
	struct rvtrace_osd_packet p;
	struct rvtrace_osd *reader;
	struct wire wire = { };
	unsigned int i;

	(void)state;
	for (i = 0; i < 100; i++)
		wire_packet(&wire, 1, 2, CONTINUED, payload, 9);
	wire_packet(&wire, 1, 2, EVENT, PAYLOAD(1));
	wire_packet(&wire, 1, 2, EVENT, PAYLOAD(1, 2, 3, 4));
	reader = wire_reader(&plain, &wire);
	for (i = 0; i < 100; i++)
		assert_int_equal(rvtrace_osd_next(reader, &p), 1);
	assert_int_equal(rvtrace_osd_next(reader, &p), RVTRACE_ERR_TRAILING);
	assert_int_equal(rvtrace_osd_next(reader, &p), 1);
	wire_end(reader);
}

static void too_many_events_at_once(void **state)
{
	struct rvtrace_osd_packet p;
	struct rvtrace_osd *reader;
	struct wire wire = { };
	uint64_t offset;
	unsigned int i;

	(void)state;
	for (i = 0; i <= RVTRACE_OSD_OPEN_MAX; i++)
		wire_packet(&wire, 1, i, CONTINUED, PAYLOAD(i, 0, 0x123));
	for (i = 1; i <= RVTRACE_OSD_OPEN_MAX; i++)
		wire_packet(&wire, 1, i, EVENT, PAYLOAD(i));
	reader = wire_reader(&plain, &wire);
	for (i = 0; i < RVTRACE_OSD_OPEN_MAX; i++)
		assert_int_equal(rvtrace_osd_next(reader, &p), 1);
	assert_int_equal(rvtrace_osd_next(reader, &p), RVTRACE_ERR_TOO_LONG);
	assert_int_equal(p.src, RVTRACE_OSD_OPEN_MAX);
	for (i = 1; i < RVTRACE_OSD_OPEN_MAX; i++) {
		assert_int_equal(rvtrace_osd_next(reader, &p), 1);
		assert_int_equal(p.item, RVTRACE_OSD_ITEM_STM);
		assert_int_equal(p.src, i);
		assert_int_equal(p.timestamp, i);
		assert_int_equal(p.value, i);
	}
	assert_int_equal(rvtrace_osd_next(reader, &p), RVTRACE_ERR_TRUNCATED);
	assert_int_equal(rvtrace_osd_next(reader, &p), 0);
	assert_int_equal(rvtrace_osd_pending(reader, &offset), 14);
	assert_int_equal(offset, 0);
	rvtrace_osd_free(reader);
}

/* A stream as modules send it, and where its packets begin. */
static size_t random_stream(struct wire *wire, uint64_t *offsets, unsigned int seed)
{
	size_t count = 0, i;

	srandom(seed);
	while (wire->size < 2000) {
		uint16_t payload[11];
		bool stm = random() % 2;
		unsigned int words = random() % 9 == 0 ? 1 : stm ? 5 : 11;

		for (i = 0; i < words; i++)
			payload[i] = random();
		offsets[count++] = wire->size;
		if (words == 1) {
			wire_packet(wire, 0x401, 5 + stm, OVERFLOW, payload, 1);
		} else if (words == 5) {
			wire_packet(wire, 0x401, 5, EVENT, payload, 5);
		} else {
			wire_packet(wire, 0x401, 6, CONTINUED, payload, 9);
			offsets[count++] = wire->size;
			wire_packet(wire, 0x401, 6, EVENT, payload + 9, 2);
		}
	}
	return count;
}

static const struct rvtrace_osd_module ctm = { .address = 6, .kind = RVTRACE_OSD_CTM };
static const struct rvtrace_osd_config both = { .modules = &ctm, .module_count = 1 };

static void expect_same(const struct rvtrace_osd_packet *a, const struct rvtrace_osd_packet *b)
{
	assert_int_equal(a->offset, b->offset);
	assert_int_equal(a->size, b->size);
	assert_int_equal(a->dest, b->dest);
	assert_int_equal(a->src, b->src);
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->sub, b->sub);
	assert_int_equal(a->words, b->words);
	assert_int_equal(a->item, b->item);
	assert_int_equal(a->width, b->width);
	assert_int_equal(a->event_offset, b->event_offset);
	assert_int_equal(a->timestamp, b->timestamp);
	assert_int_equal(a->id, b->id);
	assert_int_equal(a->missed, b->missed);
	assert_int_equal(a->mode, b->mode);
	assert_int_equal(a->is_ret, b->is_ret);
	assert_int_equal(a->is_call, b->is_call);
	assert_int_equal(a->is_modechange, b->is_modechange);
	assert_true(a->value == b->value && a->pc == b->pc && a->npc == b->npc);
}

/* In pieces of any size it is the same packets. */
static void pieces(void **state)
{
	struct rvtrace_osd_packet whole[PACKETS_MAX], p;
	uint64_t offsets[PACKETS_MAX];
	struct rvtrace_osd *reader;
	struct wire wire = { };
	size_t count, piece, fed, i;

	(void)state;
	count = random_stream(&wire, offsets, 1);
	reader = wire_reader(&both, &wire);
	for (i = 0; i < count; i++) {
		assert_int_equal(rvtrace_osd_next(reader, &whole[i]), 1);
		assert_int_equal(whole[i].offset, offsets[i]);
		assert_int_equal(whole[i].item == RVTRACE_OSD_ITEM_NONE,
				 whole[i].sub == RVTRACE_OSD_EVENT_CONTINUED);
	}
	wire_end(reader);
	for (piece = 1; piece < 60; piece++) {
		assert_int_equal(rvtrace_osd_new(&both, &reader), 0);
		for (i = 0, fed = 0; fed < wire.size; fed += piece) {
			size_t size = piece < wire.size - fed ? piece : wire.size - fed;

			assert_int_equal(rvtrace_osd_feed(reader, wire.bytes + fed, size), 0);
			while (rvtrace_osd_next(reader, &p) == 1) {
				assert_true(i < count);
				assert_memory_equal(p.raw, wire.bytes + offsets[i], p.size);
				expect_same(&p, &whole[i++]);
			}
		}
		assert_int_equal(i, count);
		wire_end(reader);
	}
}

/* Cut anywhere, what is left of the last packet is told, and where it begins. */
static void cut_anywhere(void **state)
{
	uint64_t offsets[PACKETS_MAX], offset;
	struct rvtrace_osd_packet p;
	struct wire wire = { };
	size_t count, size, read;

	(void)state;
	count = random_stream(&wire, offsets, 2);
	for (size = 1; size < wire.size; size++) {
		struct wire part = wire;
		struct rvtrace_osd *reader;
		uint64_t end = 0;
		int ret;

		part.size = size;
		reader = wire_reader(&plain, &part);
		for (read = 0; (ret = rvtrace_osd_next(reader, &p)); read++) {
			assert_true(read < count);
			end = p.offset + p.size;
		}
		if (rvtrace_osd_pending(reader, &offset) && end < size)
			assert_true(offset <= end);
		else
			assert_int_equal(end, size);
		rvtrace_osd_free(reader);
	}
}

/* From anywhere on: nothing but packets that are there, all but the first few. */
static void from_anywhere(void **state)
{
	uint64_t offsets[PACKETS_MAX];
	struct rvtrace_osd_packet p;
	struct wire wire = { };
	size_t count, from, i;

	(void)state;
	count = random_stream(&wire, offsets, 3);
	for (from = 0; from < wire.size; from++) {
		struct rvtrace_osd *reader;
		int ret;

		for (i = 0; i < count && offsets[i] < from; i++)
			;
		assert_int_equal(rvtrace_osd_new(&both, &reader), 0);
		rvtrace_osd_resync(reader, from);
		assert_int_equal(rvtrace_osd_feed(reader, wire.bytes + from, wire.size - from), 0);
		/* the rest of an event whose beginning is not there is an error, and the only one */
		for (; (ret = rvtrace_osd_next(reader, &p)); i++) {
			assert_int_equal(p.offset, offsets[i]);
			assert_true(ret == 1 || (ret == RVTRACE_ERR_TRUNCATED && p.src == 6));
		}
		if (i < count)
			assert_true(wire.size - offsets[i] < 34 &&
				    rvtrace_osd_pending(reader, NULL));
		rvtrace_osd_free(reader);
	}
}

/* A word count that cannot be: what is behind it is found. */
static void wrong_word_count(void **state)
{
	static const uint16_t counts[] = { 0, 1, 2, 128, 0xffff };
	struct rvtrace_osd_packet p;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct rvtrace_osd *reader;
		struct wire wire = { };

		wire_packet(&wire, 1, 2, EVENT, PAYLOAD(1, 0, 3, 4));
		wire_word(&wire, counts[i]);
		wire_word(&wire, 0x1234);
		for (k = 0; k < 5; k++)
			wire_packet(&wire, 1, 2, EVENT, PAYLOAD(10 + k, 0, 3, 4));
		reader = wire_reader(&plain, &wire);
		assert_int_equal(rvtrace_osd_next(reader, &p), 1);
		assert_int_equal(rvtrace_osd_next(reader, &p), counts[i] < 3 ?
				 RVTRACE_ERR_TRUNCATED : RVTRACE_ERR_TOO_LONG);
		assert_int_equal(p.offset, 16);
		assert_int_equal(p.size, 2);
		for (k = 0; k < 5; k++) {
			assert_int_equal(rvtrace_osd_next(reader, &p), 1);
			assert_int_equal(p.timestamp, 10 + k);
		}
		wire_end(reader);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_of_wrong_length),
		cmocka_unit_test(reserved_subtypes),
		cmocka_unit_test(overflow_amid_an_event),
		cmocka_unit_test(events_without_end),
		cmocka_unit_test(too_many_events_at_once),
		cmocka_unit_test(pieces),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(from_anywhere),
		cmocka_unit_test(wrong_word_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
