// SPDX-License-Identifier: GPL-2.0
/* System Trace Module of Open SoC Debug: registers, and events as packets. */
#include "selftests/unit/osd-stm-fixture.h"

#define expect_bytes(...) do {									\
		static const uint8_t want[] = { __VA_ARGS__ };					\
												\
		assert_int_equal(rd32(STM_MEM_WRITE), sizeof(want));				\
		assert_memory_equal(bench.memory, want, sizeof(want));				\
	} while (0)

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
	/* Nobody has to call it: it knows what happened meanwhile, and when. */
	say(1, 3);
	say(1, 4);
	bench.now = 850;
	assert_int_equal(rd32(STM_MEM_WRITE), 66);
	bench.now = 899;
	assert_int_equal(rd32(STM_MEM_WRITE), 66);
	bench.now = 900;
	assert_int_equal(rd32(STM_MEM_WRITE), 88);
	assert_int_equal(rd(STM_MEM_STATUS), STM_MEM_STATUS_EMPTY);
}

/* What waits for memory has left its place as soon as there is some; the next one begins then. */
static void memory_comes_late(void **state)
{
	(void)state;
	bench.config.word_time = 10;
	begin(WIRE_MAX, 0);
	say(1, 1);
	say(1, 2);
	pass(1000);
	assert_int_equal(bench.dma, 0);
	wr(STM_MEM_CONTROL, STM_MEM_CONTROL_ENABLE);
	assert_int_equal(rd32(STM_MEM_WRITE), 22);
	pass(99);
	assert_int_equal(rd32(STM_MEM_WRITE), 22);
	pass(1);
	assert_int_equal(rd32(STM_MEM_WRITE), 44);
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
		T(memory_comes_late),
		T(configurations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
