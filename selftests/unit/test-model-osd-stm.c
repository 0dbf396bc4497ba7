// SPDX-License-Identifier: GPL-2.0
/* System Trace Module of Open SoC Debug: registers, and packets in memory, as readers have them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "osd-wire.h"
#include "tools/machine/model/osd-stm.h"

#define MEMORY		0x123450000ull
#define DEST		0x401
#define SRC		5
#define NEVER		UINT64_MAX

/* @due: when the module asked to be called; @dma: how often it wrote */
static struct {
	struct stm_config config;
	struct stm_model *stm;
	uint64_t now;
	uint64_t due;
	unsigned int dma;
	uint8_t memory[WIRE_MAX];
} bench;

static uint64_t now(void *opaque)
{
	(void)opaque;
	return bench.now;
}

static void schedule(void *opaque, uint64_t ticks)
{
	(void)opaque;
	bench.due = bench.now + ticks;
}

static bool dma_write(void *opaque, uint64_t addr, const uint8_t *data, size_t size)
{
	(void)opaque;
	bench.dma++;
	if (addr < MEMORY || addr + size > MEMORY + WIRE_MAX)
		return false;
	memcpy(bench.memory + (addr - MEMORY), data, size);
	return true;
}

static const struct stm_ops ops = {
	.now = now, .schedule = schedule, .dma_write = dma_write,
};

static int setup(void **state)
{
	(void)state;
	memset(&bench, 0, sizeof(bench));
	bench.due = NEVER;
	stm_config_init(&bench.config);
	bench.config.address = SRC;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	if (bench.stm)
		stm_model_free(bench.stm);
	return 0;
}

static void create(void)
{
	assert_null(stm_config_check(&bench.config));
	bench.stm = stm_model_new(&bench.config, &ops, NULL);
	assert_non_null(bench.stm);
}

static uint32_t rd(uint32_t offset)
{
	return stm_model_read(bench.stm, offset, 2);
}

static void wr(uint32_t offset, uint32_t value)
{
	stm_model_write(bench.stm, offset, value, 2);
}

static uint32_t rd32(uint32_t offset)
{
	return stm_model_read(bench.stm, offset, 4);
}

static void wr32(uint32_t offset, uint32_t value)
{
	stm_model_write(bench.stm, offset, value, 4);
}

/* Time passes, and the module is called when it asked for that. */
static void pass(uint64_t ticks)
{
	uint64_t end = bench.now + ticks;

	while (bench.due <= end) {
		bench.now = bench.due;
		bench.due = NEVER;
		stm_model_tick(bench.stm);
	}
	bench.now = end;
}

static void place(uint64_t base, uint32_t size)
{
	wr32(STM_MEM_BASE, base);
	wr32(STM_MEM_BASE + 4, base >> 32);
	wr32(STM_MEM_SIZE, size);
	wr32(STM_MEM_WRITE, 0);
	wr32(STM_MEM_READ, 0);
}

static void begin(uint32_t size, uint32_t control)
{
	create();
	wr(STM_MOD_EVENT_DEST, DEST);
	place(MEMORY, size);
	wr(STM_MEM_CONTROL, control);
	wr(STM_MOD_CS, STM_MOD_CS_ACTIVE);
}

/* All memory there is, and every event goes there at once */
static void begin_plain(void)
{
	begin(WIRE_MAX, STM_MEM_CONTROL_ENABLE);
}

static void say(uint16_t id, uint64_t value)
{
	stm_model_event(bench.stm, id, value, bench.now);
}

#define expect_bytes(...) do {									\
		static const uint8_t want[] = { __VA_ARGS__ };					\
												\
		assert_int_equal(rd32(STM_MEM_WRITE), sizeof(want));				\
		assert_memory_equal(bench.memory, want, sizeof(want));				\
	} while (0)

/* What a reader finds from the beginning of the buffer on */

static struct rvtrace_osd *open_reader(void)
{
	static const struct rvtrace_osd_config config;
	struct rvtrace_osd *reader;

	assert_int_equal(rvtrace_osd_new(&config, &reader), 0);
	assert_int_equal(rvtrace_osd_feed(reader, bench.memory, rd32(STM_MEM_WRITE)), 0);
	return reader;
}

static void expect_event(struct rvtrace_osd *reader, uint32_t time, uint16_t id, uint64_t value)
{
	struct rvtrace_osd_packet p;

	do {
		assert_int_equal(rvtrace_osd_next(reader, &p), 1);
		assert_int_equal(p.dest, DEST);
		assert_int_equal(p.src, SRC);
	} while (p.type == RVTRACE_OSD_EVENT && p.sub == RVTRACE_OSD_EVENT_CONTINUED);
	assert_int_equal(p.item, RVTRACE_OSD_ITEM_STM);
	assert_int_equal(p.width, bench.config.valwidth);
	assert_int_equal(p.timestamp, time);
	assert_int_equal(p.id, id);
	assert_true(p.value == value);
}

static void expect_overflow(struct rvtrace_osd *reader, unsigned int missed)
{
	struct rvtrace_osd_packet p;

	assert_int_equal(rvtrace_osd_next(reader, &p), 1);
	assert_int_equal(p.item, RVTRACE_OSD_ITEM_OVERFLOW);
	assert_int_equal(p.dest, DEST);
	assert_int_equal(p.src, SRC);
	assert_int_equal(p.missed, missed);
}

/* Registers */

static void registers_of_every_module(void **state)
{
	(void)state;
	bench.config.valwidth = 32;
	create();
	assert_int_equal(rd(STM_MOD_VENDOR), 1);
	assert_int_equal(rd(STM_MOD_TYPE), 4);
	assert_int_equal(rd(STM_MOD_VERSION), 0);
	assert_int_equal(rd(STM_MOD_CS), 0);
	assert_int_equal(rd(STM_MOD_EVENT_DEST), 0);
	assert_int_equal(rd(STM_VALWIDTH), 32);
	wr32(STM_MOD_VENDOR, UINT32_MAX);
	wr(STM_MOD_VERSION, 0xffff);
	wr(STM_VALWIDTH, 64);
	assert_int_equal(rd32(STM_MOD_VENDOR), 0x00040001);
	assert_int_equal(rd(STM_MOD_VERSION), 0);
	assert_int_equal(rd(STM_VALWIDTH), 32);
	/* Bits 15:1 are reserved. */
	wr(STM_MOD_CS, 0xffff);
	assert_int_equal(rd(STM_MOD_CS), 1);
	wr(STM_MOD_CS, 0xfffe);
	assert_int_equal(rd(STM_MOD_CS), 0);
	wr(STM_MOD_EVENT_DEST, 0xfedc);
	assert_int_equal(rd(STM_MOD_EVENT_DEST), 0xfedc);
}

/* By addresses of words, as the texts and the binding of this module have them */
static bool is_there(uint32_t address)
{
	return address <= 0x4 || address == 0x200 || (address >= 0x300 && address <= 0x303) ||
	       address == 0x310 || address == 0x311 || (address >= 0x314 && address <= 0x31d);
}

static void registers_that_are_not_there(void **state)
{
	uint32_t address, before;

	(void)state;
	create();
	for (address = 0; address < 0x800; address++) {
		if (is_there(address))
			continue;
		assert_int_equal(rd(2 * address), 0);
		wr(2 * address, 0xffff);
		assert_int_equal(rd(2 * address), 0);
	}
	for (address = 0; address < 0x800; address += 2) {
		if (is_there(address) || is_there(address + 1))
			continue;
		wr32(2 * address, UINT32_MAX);
		assert_int_equal(rd32(2 * address), 0);
	}
	/* Half of an access of 4 bytes */
	before = rd(STM_VALWIDTH);
	assert_int_equal(rd32(STM_VALWIDTH), before);
	wr32(STM_MOD_EVENT_DEST, 0x12345678);
	assert_int_equal(rd32(STM_MOD_EVENT_DEST), 0x5678);
	/* None of that did anything. */
	assert_int_equal(rd(STM_MOD_CS), 0);
	assert_int_equal(rd(STM_THREADS), 0);
	assert_int_equal(rd(STM_SWITCH), 0x8000);
	assert_int_equal(rd(STM_MEM_CONTROL), 0);
	assert_int_equal(rd(STM_MEM_STATUS), STM_MEM_STATUS_EMPTY);
	assert_int_equal(rd32(STM_MEM_SIZE), 0);
}

static void registers_of_the_buffer(void **state)
{
	(void)state;
	create();
	for (unsigned int i = 0; i < 4; i++)
		wr(STM_MEM_BASE + 2 * i, 0xa1bf + i);
	assert_int_equal(rd32(STM_MEM_BASE), 0xa1c0a1b0);
	assert_int_equal(rd32(STM_MEM_BASE + 4), 0xa1c2a1c1);
	assert_int_equal(rd(STM_MEM_BASE + 2), 0xa1c0);
	wr32(STM_MEM_SIZE, 0x1234567f);
	wr32(STM_MEM_WRITE, 0x00123457);
	wr32(STM_MEM_READ, 0x00654321);
	assert_int_equal(rd32(STM_MEM_SIZE), 0x12345670);
	assert_int_equal(rd32(STM_MEM_WRITE), 0x00123456);
	assert_int_equal(rd32(STM_MEM_READ), 0x00654320);
	wr(STM_MEM_CONTROL, 0xffff);
	assert_int_equal(rd(STM_MEM_CONTROL), STM_MEM_CONTROL_ENABLE | STM_MEM_CONTROL_KEEP);
	/* Enabled, it is where it was, and reading goes on. */
	place(0, 0);
	assert_int_equal(rd32(STM_MEM_BASE), 0xa1c0a1b0);
	assert_int_equal(rd32(STM_MEM_BASE + 4), 0xa1c2a1c1);
	assert_int_equal(rd32(STM_MEM_SIZE), 0x12345670);
	assert_int_equal(rd32(STM_MEM_WRITE), 0x00123456);
	assert_int_equal(rd32(STM_MEM_READ), 0);
	stm_model_reset(bench.stm);
	assert_int_equal(rd(STM_MEM_CONTROL), 0);
	assert_int_equal(rd32(STM_MEM_BASE), 0);
	assert_int_equal(rd32(STM_MEM_SIZE), 0);
}

/* Events */

static void events_of_16_bits(void **state)
{
	(void)state;
	bench.config.valwidth = 16;
	begin_plain();
	bench.now = 0x1abcd1234;
	say(0x3fff, 0xffffffffffff5678);
	expect_bytes(0x00, 0x07, 0x04, 0x01, 0x00, 0x05, 0x80, 0x00, 0x12, 0x34, 0xab, 0xcd,
		     0x3f, 0xff, 0x56, 0x78);
}

/* Worked by hand */
static void events_of_32_bits(void **state)
{
	(void)state;
	bench.config.valwidth = 32;
	begin_plain();
	bench.now = 0xbeefdead;
	say(4, 'H');
	expect_bytes(0x00, 0x08, 0x04, 0x01, 0x00, 0x05, 0x80, 0x00, 0xde, 0xad, 0xbe, 0xef,
		     0x00, 0x04, 0x00, 0x48, 0x00, 0x00);
}

static void events_of_64_bits(void **state)
{
	(void)state;
	begin_plain();
	bench.now = 0x100;
	wr(STM_THREADS, STM_THREADS_ENABLE);
	stm_model_thread(bench.stm, 0xffffffe000a1b2c0, 0x100);
	expect_bytes(0x00, 0x0a, 0x04, 0x01, 0x00, 0x05, 0x80, 0x00, 0x01, 0x00, 0x00, 0x00,
		     0x80, 0x00, 0xb2, 0xc0, 0x00, 0xa1, 0xff, 0xe0, 0xff, 0xff);
}

/* "the limit may not be less than 8 words": 64 bits are two packets then, 32 are one. */
static void events_of_several_packets(void **state)
{
	struct rvtrace_osd *reader;

	(void)state;
	bench.config.packet_words = 8;
	begin_plain();
	bench.now = 7;
	say(0x123, 0x1122334455667788);
	expect_bytes(0x00, 0x08, 0x04, 0x01, 0x00, 0x05, 0x84, 0x00, 0x00, 0x07, 0x00, 0x00,
		     0x01, 0x23, 0x77, 0x88, 0x55, 0x66,
		     0x00, 0x05, 0x04, 0x01, 0x00, 0x05, 0x80, 0x00, 0x33, 0x44, 0x11, 0x22);
	reader = open_reader();
	expect_event(reader, 7, 0x123, 0x1122334455667788);
	wire_end(reader);
	stm_model_free(bench.stm);
	bench.config.valwidth = 32;
	begin_plain();
	say(0x123, 0x55667788);
	expect_bytes(0x00, 0x08, 0x04, 0x01, 0x00, 0x05, 0x80, 0x00, 0x00, 0x07, 0x00, 0x00,
		     0x01, 0x23, 0x77, 0x88, 0x55, 0x66);
}

/* "0x0000: not used" */
static void identifiers(void **state)
{
	struct rvtrace_osd *reader;

	(void)state;
	begin_plain();
	say(0, 1);
	assert_int_equal(rd32(STM_MEM_WRITE), 0);
	say(1, 1);
	say(0x8001, 2);
	say(0xffff, UINT64_MAX);
	reader = open_reader();
	expect_event(reader, 0, 1, 1);
	expect_event(reader, 0, 0x8001, 2);
	expect_event(reader, 0, 0xffff, UINT64_MAX);
	wire_end(reader);
}

static void writes_to_tp(void **state)
{
	struct rvtrace_osd *reader;

	(void)state;
	begin_plain();
	assert_false(stm_model_hears_threads(bench.stm));
	stm_model_thread(bench.stm, 1, 0);
	wr(STM_THREADS, 0xffff);
	assert_int_equal(rd(STM_THREADS), STM_THREADS_ENABLE);
	assert_true(stm_model_hears_threads(bench.stm));
	stm_model_thread(bench.stm, 2, 0);
	wr(STM_SWITCH, 0xc123);
	stm_model_thread(bench.stm, 3, 0);
	wr(STM_MOD_CS, 0);
	assert_false(stm_model_hears_threads(bench.stm));
	stm_model_thread(bench.stm, 4, 0);
	reader = open_reader();
	expect_event(reader, 0, 0x8000, 2);
	expect_event(reader, 0, 0xc123, 3);
	wire_end(reader);
}

/* "A stalled module MAY NOT send any debug events": what comes then is none. */
static void stalled(void **state)
{
	struct rvtrace_osd *reader;

	(void)state;
	bench.config.word_time = 10;
	create();
	assert_int_equal(rd(STM_MOD_CS), 0);
	wr(STM_MOD_EVENT_DEST, DEST);
	place(MEMORY, WIRE_MAX);
	wr(STM_MEM_CONTROL, STM_MEM_CONTROL_ENABLE);
	say(1, 1);
	pass(1000);
	assert_int_equal(rd32(STM_MEM_WRITE), 0);
	wr(STM_MOD_CS, STM_MOD_CS_ACTIVE);
	say(1, 2);
	wr(STM_MOD_CS, 0);
	say(1, 3);
	assert_int_equal(rd(STM_MEM_STATUS), 0);
	pass(1000);
	assert_int_equal(rd(STM_MEM_STATUS), STM_MEM_STATUS_EMPTY);
	assert_int_equal(rd32(STM_LOST), 0);
	reader = open_reader();
	expect_event(reader, 1000, 1, 2);
	wire_end(reader);
}

/* A word takes its time, and all packets of an event as many as they have words. */
static void words_take_time(void **state)
{
	(void)state;
	bench.config.word_time = 10;
	begin_plain();
	bench.now = 500;
	say(1, 1);
	say(1, 2);
	assert_int_equal(bench.due, 500 + 10 * 10);
	pass(99);
	assert_int_equal(bench.dma, 0);
	pass(1);
	assert_int_equal(bench.dma, 1);
	assert_int_equal(rd32(STM_MEM_WRITE), 22);
	assert_int_equal(bench.due, 500 + 2 * 10 * 10);
	/* Nobody has to call it: it knows what happened meanwhile. */
	bench.now += 1000;
	assert_int_equal(rd32(STM_MEM_WRITE), 44);
	assert_int_equal(rd(STM_MEM_STATUS), STM_MEM_STATUS_EMPTY);
}

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

static void configurations(void **state)
{
	(void)state;
	assert_null(stm_config_check(&bench.config));
	bench.config.valwidth = 48;
	assert_non_null(stm_config_check(&bench.config));
	bench.config.valwidth = 16;
	assert_null(stm_config_check(&bench.config));
	bench.config.depth = 0;
	assert_non_null(stm_config_check(&bench.config));
	bench.config.depth = STM_DEPTH_MAX + 1;
	assert_non_null(stm_config_check(&bench.config));
	bench.config.depth = STM_DEPTH_MAX;
	bench.config.packet_words = 7;
	assert_non_null(stm_config_check(&bench.config));
	bench.config.packet_words = 13;
	assert_non_null(stm_config_check(&bench.config));
}

#define T(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(registers_of_every_module),
		T(registers_that_are_not_there),
		T(registers_of_the_buffer),
		T(events_of_16_bits),
		T(events_of_32_bits),
		T(events_of_64_bits),
		T(events_of_several_packets),
		T(identifiers),
		T(writes_to_tp),
		T(stalled),
		T(words_take_time),
		T(overflow_is_told),
		T(overflow_after_overflow),
		T(overflow_has_a_largest_count),
		T(ring_begins_again),
		T(ring_keeps),
		T(buffers_that_are_none),
		T(no_memory),
		T(reset_forgets),
		T(every_event_comes_or_is_counted),
		T(configurations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
