// SPDX-License-Identifier: GPL-2.0
/*
 * System Trace Module of Open SoC Debug: its buffer in memory, and what is lost where neither that
 * nor its own has room.
 */
#include "selftests/unit/osd-stm-fixture.h"

/* What is lost */

static void overflow_is_told(void **state)
{
	struct rvtrace_osd *reader;
	unsigned int i;

	(void)state;
	bench.config.valwidth = 32;
	bench.config.depth = 3;
	begin(WIRE_MAX, 0);
	for (i = 0; i < 3 + 25; i++)
		say(1, i);
	assert_int_equal(bench.dma, 0);
	assert_int_equal(rd(STM_MEM_STATUS), 0);
	assert_int_equal(rd32(STM_LOST), 25);
	wr(STM_MEM_CONTROL, STM_MEM_CONTROL_ENABLE);
	say(2, 99);
	assert_int_equal(rd(STM_MEM_STATUS), STM_MEM_STATUS_EMPTY);
	reader = open_reader();
	for (i = 0; i < 3; i++)
		expect_event(reader, 0, 1, i);
	expect_overflow(reader, 25);
	expect_event(reader, 0, 2, 99);
	wire_end(reader);
	assert_memory_equal(bench.memory + 3 * 18, "\x00\x04\x04\x01\x00\x05\x94\x00\x00\x19", 10);
	assert_int_equal(rd32(STM_LOST), 25);
	wr(STM_LOST + 2, 0);
	assert_int_equal(rd32(STM_LOST), 0);
}

/* The overflow has the place that is free first; what comes then is lost again. */
static void overflow_after_overflow(void **state)
{
	struct rvtrace_osd *reader;

	(void)state;
	bench.config.depth = 1;
	bench.config.word_time = 10;
	begin_plain();
	say(1, 0);
	say(1, 1);
	say(1, 2);
	pass(100);
	say(1, 3);
	pass(40);
	say(1, 4);
	pass(80);
	say(1, 5);
	pass(1000);
	reader = open_reader();
	expect_event(reader, 0, 1, 0);
	expect_overflow(reader, 2);
	expect_overflow(reader, 1);
	expect_overflow(reader, 1);
	expect_event(reader, 220, 1, 5);
	wire_end(reader);
	assert_int_equal(rd32(STM_LOST), 4);
}

/* "at least" */
static void overflow_has_a_largest_count(void **state)
{
	struct rvtrace_osd *reader;
	unsigned int i;

	(void)state;
	bench.config.depth = 1;
	begin(WIRE_MAX, 0);
	for (i = 0; i < 1 + 0x10005; i++)
		say(1, i);
	assert_int_equal(rd32(STM_LOST), 0x10005);
	wr(STM_MEM_CONTROL, STM_MEM_CONTROL_ENABLE);
	reader = open_reader();
	expect_event(reader, 0, 1, 0);
	expect_overflow(reader, 0xffff);
	wire_end(reader);
}

/* Memory */

static void ring_begins_again(void **state)
{
	static const struct rvtrace_osd_config config;
	struct rvtrace_osd_packet p;
	struct rvtrace_osd *reader;
	unsigned int i;
	uint8_t all[64];
	uint32_t at;

	(void)state;
	begin(64, STM_MEM_CONTROL_ENABLE);
	say(1, 0);
	say(1, 1);
	assert_int_equal(rd(STM_MEM_STATUS), STM_MEM_STATUS_EMPTY);
	for (i = 2; i < 100; i++)
		say(1, i);
	assert_int_equal(rd(STM_MEM_STATUS), STM_MEM_STATUS_EMPTY | STM_MEM_STATUS_WRAPPED);
	at = rd32(STM_MEM_WRITE);
	assert_int_equal(at, 100 * 22 % 64);
	for (i = 0; i < 64; i++) {
		all[i] = bench.memory[(at + i) % 64];
		assert_int_equal(bench.memory[64 + i], 0);
	}
	/* The last 64 bytes are 20 of an event, and two events. */
	assert_int_equal(rvtrace_osd_new(&config, &reader), 0);
	rvtrace_osd_resync(reader, 0);
	assert_int_equal(rvtrace_osd_feed(reader, all, sizeof(all)), 0);
	assert_int_equal(rvtrace_osd_next(reader, &p), 1);
	assert_int_equal(p.offset, 20);
	assert_int_equal(p.value, 98);
	rvtrace_osd_free(reader);
	wr(STM_MEM_STATUS, STM_MEM_STATUS_WRAPPED);
	assert_int_equal(rd(STM_MEM_STATUS), STM_MEM_STATUS_EMPTY);
}

/* Nothing that is to be kept is written over: packets wait, then events are lost. */
static void ring_keeps(void **state)
{
	struct rvtrace_osd *reader;
	unsigned int i;

	(void)state;
	bench.config.depth = 2;
	begin(64, STM_MEM_CONTROL_ENABLE | STM_MEM_CONTROL_KEEP);
	for (i = 0; i < 7; i++)
		say(1, i);
	assert_int_equal(rd32(STM_MEM_WRITE), 2 * 22);
	assert_int_equal(rd(STM_MEM_STATUS), 0);
	assert_int_equal(rd32(STM_LOST), 3);
	reader = open_reader();
	expect_event(reader, 0, 1, 0);
	expect_event(reader, 0, 1, 1);
	wire_end(reader);
	/* Room for one more, in two pieces */
	wr32(STM_MEM_READ, 22);
	assert_int_equal(rd32(STM_MEM_WRITE), 2);
	assert_int_equal(rd(STM_MEM_STATUS), STM_MEM_STATUS_WRAPPED);
	/* For one more, and for the overflow */
	wr32(STM_MEM_READ, 44);
	assert_int_equal(rd32(STM_MEM_WRITE), 34);
	assert_int_equal(rd(STM_MEM_STATUS), STM_MEM_STATUS_EMPTY | STM_MEM_STATUS_WRAPPED);
	assert_int_equal(bench.memory[24 + 7], 0);
	assert_int_equal(bench.memory[24 + 6], 0x94);
	assert_int_equal(bench.memory[24 + 9], 3);
}

/* One that is full would look as one that is empty. */
static void ring_is_never_full(void **state)
{
	(void)state;
	bench.config.valwidth = 16;
	begin(64, STM_MEM_CONTROL_ENABLE | STM_MEM_CONTROL_KEEP);
	for (unsigned int i = 0; i < 4; i++)
		say(1, i);
	assert_int_equal(rd32(STM_MEM_WRITE), 3 * 16);
	assert_int_equal(rd(STM_MEM_STATUS), 0);
	wr32(STM_MEM_READ, 2);
	assert_int_equal(rd32(STM_MEM_WRITE), 0);
	assert_int_equal(rd(STM_MEM_STATUS), STM_MEM_STATUS_EMPTY | STM_MEM_STATUS_WRAPPED);
}

static void buffers_that_are_none(void **state)
{
	(void)state;
	begin(STM_MEM_MIN - STM_MEM_ALIGN, STM_MEM_CONTROL_ENABLE);
	say(1, 1);
	wr(STM_MEM_CONTROL, 0);
	wr32(STM_MEM_SIZE, STM_MEM_MIN);
	wr32(STM_MEM_WRITE, STM_MEM_MIN);
	wr(STM_MEM_CONTROL, STM_MEM_CONTROL_ENABLE);
	assert_int_equal(rd(STM_MEM_STATUS), 0);
	assert_int_equal(bench.dma, 0);
	wr(STM_MEM_CONTROL, 0);
	wr32(STM_MEM_WRITE, STM_MEM_MIN - 22);
	wr(STM_MEM_CONTROL, STM_MEM_CONTROL_ENABLE);
	assert_int_equal(rd(STM_MEM_STATUS), STM_MEM_STATUS_EMPTY | STM_MEM_STATUS_WRAPPED);
	assert_int_equal(rd32(STM_MEM_WRITE), 0);
}

static void no_memory(void **state)
{
	struct rvtrace_osd *reader;
	unsigned int i;

	(void)state;
	bench.config.depth = 2;
	begin(WIRE_MAX, 0);
	place(0x1000, WIRE_MAX);
	wr(STM_MEM_CONTROL, STM_MEM_CONTROL_ENABLE);
	for (i = 0; i < 5; i++)
		say(1, i);
	assert_int_equal(bench.dma, 1);
	assert_int_equal(rd(STM_MEM_STATUS), STM_MEM_STATUS_ERROR);
	assert_int_equal(rd32(STM_MEM_WRITE), 0);
	wr(STM_MEM_CONTROL, 0);
	place(MEMORY, WIRE_MAX);
	wr(STM_MEM_CONTROL, STM_MEM_CONTROL_ENABLE);
	assert_int_equal(bench.dma, 1);
	wr(STM_MEM_STATUS, STM_MEM_STATUS_ERROR);
	assert_int_equal(rd(STM_MEM_STATUS), STM_MEM_STATUS_EMPTY);
	reader = open_reader();
	expect_event(reader, 0, 1, 0);
	expect_event(reader, 0, 1, 1);
	expect_overflow(reader, 3);
	wire_end(reader);
}

static void reset_forgets(void **state)
{
	(void)state;
	bench.config.depth = 2;
	begin(WIRE_MAX, 0);
	for (unsigned int i = 0; i < 5; i++)
		say(1, i);
	stm_model_reset(bench.stm);
	assert_int_equal(rd(STM_MOD_CS), 0);
	assert_int_equal(rd(STM_MOD_EVENT_DEST), 0);
	assert_int_equal(rd32(STM_LOST), 0);
	place(MEMORY, WIRE_MAX);
	wr(STM_MEM_CONTROL, STM_MEM_CONTROL_ENABLE);
	assert_int_equal(rd(STM_MEM_STATUS), STM_MEM_STATUS_EMPTY);
	assert_int_equal(rd32(STM_MEM_WRITE), 0);
	wr(STM_MOD_CS, STM_MOD_CS_ACTIVE);
	say(1, 5);
	assert_int_equal(rd32(STM_MEM_WRITE), 22);
}

/*
 * Bursts of events, and a reader that takes what there is now and then: each event comes, in order
 * and as it was, or is counted where it is missing.
 */

struct follower {
	struct rvtrace_osd *reader;
	uint32_t read;
	uint64_t next;
	uint64_t lost;
	uint64_t overflows;
};

static uint32_t random_below(uint32_t end)
{
	static uint32_t x = 2463534242;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x % end;
}

#define TIMES	20000

static uint64_t times[TIMES];

static void follow_packet(struct follower *f, const struct rvtrace_osd_packet *p)
{
	uint64_t mask = bench.config.valwidth == 16 ? 0xffff : UINT32_MAX;

	if (p->item == RVTRACE_OSD_ITEM_OVERFLOW) {
		assert_true(p->missed > 0 && p->missed < 0xffff);
		f->lost += p->missed;
		f->next += p->missed;
		f->overflows++;
	} else if (p->item == RVTRACE_OSD_ITEM_STM) {
		assert_int_equal(p->width, bench.config.valwidth);
		assert_int_equal(p->id, 1 + f->next % 0xffff);
		assert_int_equal(p->value & mask, f->next & mask);
		assert_int_equal(p->timestamp, (uint32_t)times[f->next]);
		f->next++;
	}
}

static void follow(struct follower *f, uint32_t size)
{
	uint32_t write = rd32(STM_MEM_WRITE), end;
	struct rvtrace_osd_packet p;
	int ret;

	while (f->read != write) {
		end = write < f->read ? size : write;
		assert_int_equal(rvtrace_osd_feed(f->reader, bench.memory + f->read,
						  end - f->read), 0);
		while ((ret = rvtrace_osd_next(f->reader, &p)) > 0)
			follow_packet(f, &p);
		assert_int_equal(ret, 0);
		f->read = end % size;
	}
	wr32(STM_MEM_READ, f->read);
}

static void bursts(uint32_t valwidth, uint32_t depth, uint32_t packet_words, uint64_t word_time,
		   uint32_t size)
{
	static const struct rvtrace_osd_config config;
	struct follower f = { };
	unsigned int i;

	bench.config.valwidth = valwidth;
	bench.config.depth = depth;
	bench.config.packet_words = packet_words;
	bench.config.word_time = word_time;
	bench.now = 0xffff0000;
	bench.due = NEVER;
	begin(size, STM_MEM_CONTROL_ENABLE | STM_MEM_CONTROL_KEEP);
	assert_int_equal(rvtrace_osd_new(&config, &f.reader), 0);
	for (i = 0; i < TIMES; i++) {
		times[i] = bench.now;
		stm_model_event(bench.stm, 1 + i % 0xffff, i * 0x100000001, bench.now);
		pass(random_below(16) ? random_below(20) : random_below(2000));
		if (!random_below(12))
			follow(&f, size);
	}
	/* All that waits comes now. */
	while (!(rd(STM_MEM_STATUS) & STM_MEM_STATUS_EMPTY)) {
		follow(&f, size);
		pass(1000);
	}
	follow(&f, size);
	assert_int_equal(f.next, TIMES);
	assert_int_equal(f.lost, rd32(STM_LOST));
	assert_int_equal(rvtrace_osd_pending(f.reader, NULL), 0);
	/* Neither all nor nothing was lost. */
	assert_in_range(f.lost, TIMES / 100, TIMES * 9 / 10);
	assert_in_range(f.overflows, 10, f.lost);
	rvtrace_osd_free(f.reader);
	stm_model_free(bench.stm);
	bench.stm = NULL;
}

static void every_event_comes_or_is_counted(void **state)
{
	(void)state;
	bursts(64, 8, 12, 10, 4096);
	bursts(64, 8, 8, 5, 4096);
	bursts(32, 8, 12, 7, 2048);
	bursts(16, 3, 12, 9, 4096);
	bursts(64, 1, 12, 1, 4096);
	/* Memory is what is slow. */
	bursts(32, 8, 12, 0, 128);
	bursts(64, 2, 8, 0, 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(overflow_is_told),
		T(overflow_after_overflow),
		T(overflow_has_a_largest_count),
		T(ring_begins_again),
		T(ring_keeps),
		T(ring_is_never_full),
		T(buffers_that_are_none),
		T(no_memory),
		T(reset_forgets),
		T(every_event_comes_or_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
