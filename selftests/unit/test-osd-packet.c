// SPDX-License-Identifier: GPL-2.0
/* Open SoC Debug packet layer: packets and events as others have them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "osd-wire.h"

#define VECTORS		"selftests/vectors/osd/"
#define EVENT		0x8000
#define CONTINUED	0x8400
#define OVERFLOW	0x9400

static const struct rvtrace_osd_config plain;

static void expect_stm(struct rvtrace_osd *reader, uint16_t src, uint32_t timestamp, uint16_t id,
		       uint64_t value)
{
	struct rvtrace_osd_packet p;

	assert_int_equal(rvtrace_osd_next(reader, &p), 1);
	assert_int_equal(p.type, RVTRACE_OSD_EVENT);
	assert_int_equal(p.item, RVTRACE_OSD_ITEM_STM);
	assert_int_equal(p.src, src);
	assert_int_equal(p.timestamp, timestamp);
	assert_int_equal(p.id, id);
	assert_true(p.value == value);
}

static void event_of_32_bits(void **state)
{
	static const struct wire wire = {
		.bytes = { 0x00, 0x08, 0x04, 0x01, 0x00, 0x05, 0x80, 0x00, 0xde, 0xad, 0xbe, 0xef,
			   0x00, 0x04, 0x00, 0x48, 0x00, 0x00 },
		.size = 18,
	};
	struct rvtrace_osd *reader = wire_reader(&plain, &wire);
	struct rvtrace_osd_packet p;

	(void)state;
	assert_int_equal(rvtrace_osd_next(reader, &p), 1);
	assert_int_equal(p.offset, 0);
	assert_int_equal(p.size, 18);
	assert_ptr_equal(p.raw, wire.bytes);
	assert_int_equal(p.dest, 0x401);
	assert_int_equal(p.src, 5);
	assert_int_equal(p.type, RVTRACE_OSD_EVENT);
	assert_int_equal(p.sub, RVTRACE_OSD_EVENT_LAST);
	assert_int_equal(p.words, 5);
	assert_int_equal(rvtrace_osd_word(&p, 3), 0x48);
	assert_int_equal(p.item, RVTRACE_OSD_ITEM_STM);
	assert_int_equal(p.width, 32);
	assert_int_equal(p.event_offset, 0);
	assert_int_equal(p.timestamp, 0xbeefdead);
	assert_int_equal(p.id, 4);
	assert_int_equal(p.value, 'H');
	wire_end(reader);
}

static void overflow(void **state)
{
	static const struct wire wire = {
		.bytes = { 0x00, 0x04, 0x04, 0x01, 0x00, 0x05, 0x94, 0x00, 0x00, 0x19 },
		.size = 10,
	};
	struct rvtrace_osd *reader = wire_reader(&plain, &wire);
	struct rvtrace_osd_packet p;

	(void)state;
	assert_int_equal(rvtrace_osd_next(reader, &p), 1);
	assert_int_equal(p.item, RVTRACE_OSD_ITEM_OVERFLOW);
	assert_int_equal(p.src, 5);
	assert_int_equal(p.missed, 25);
	assert_string_equal(rvtrace_osd_name(p.type, p.sub), "OVERFLOW");
	wire_end(reader);
}

static void thread_switch_of_64_bits(void **state)
{
	static const struct wire wire = {
		.bytes = { 0x00, 0x0a, 0x04, 0x01, 0x00, 0x05, 0x80, 0x00, 0x01, 0x00, 0x00, 0x00,
			   0x80, 0x00, 0xb2, 0xc0, 0x00, 0xa1, 0xff, 0xe0, 0xff, 0xff },
		.size = 22,
	};
	struct rvtrace_osd *reader = wire_reader(&plain, &wire);

	(void)state;
	expect_stm(reader, 5, 0x100, 0x8000, 0xffffffe000a1b2c0);
	wire_end(reader);
}

/* Lines of @file are exactly @lines. */
static void expect_file(const char *file, const char *lines)
{
	char text[4096];
	FILE *stream = fopen(file, "rb");
	size_t size;

	assert_non_null(stream);
	size = fread(text, 1, sizeof(text) - 1, stream);
	fclose(stream);
	text[size] = 0;
	assert_string_equal(text, lines);
}

/* What osd-sw's logger of system trace wrote of the same packets. */
static void golden_system_trace(void **state)
{
	static const uint16_t events[][2] = {
		{ 4, 'H' }, { 4, 'e' }, { 4, 'l' }, { 8, 0xdead }, { 4, 'l' }, { 4, 'o' },
		{ 4, '\n' },
	};
	char lines[1024] = "", print[32] = "";
	struct rvtrace_osd_packet p;
	struct rvtrace_osd *reader;
	struct wire wire = { };
	int used = 0;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		wire_packet(&wire, 1, 2, EVENT, PAYLOAD(0xdead, 0xbeef, events[i][0],
							events[i][1], 0));
	reader = wire_reader(&plain, &wire);
	while (rvtrace_osd_next(reader, &p) == 1) {
		assert_int_equal(p.item, RVTRACE_OSD_ITEM_STM);
		used += snprintf(lines + used, sizeof(lines) - used, "%08x %04x %016" PRIx64 "\n",
				 p.timestamp, p.id, p.value);
		if (p.id == 4)
			print[strlen(print)] = p.value;
	}
	wire_end(reader);
	expect_file(VECTORS "check_systracelogger_record_trace.events.txt", lines);
	expect_file(VECTORS "check_systracelogger_record_trace.sysprint.txt", print);
}

/* What osd-sw's logger of core trace wrote of the same packets. */
static void golden_core_trace(void **state)
{
	const struct rvtrace_osd_config config = { .others = { .kind = RVTRACE_OSD_CTM } };
	struct rvtrace_osd_packet p;
	struct rvtrace_osd *reader;
	struct wire wire = { };
	char lines[1024] = "";
	int used = 0;

	(void)state;
	wire_packet(&wire, 1, 2, EVENT, PAYLOAD(0xdead, 0xbeef, 0xad00, 0xdeaf, 0x0100, 0x4567,
						0x0009));
	wire_packet(&wire, 1, 2, EVENT, PAYLOAD(0xdead, 0xdead, 0x1200, 0xdeaf, 0x0100, 0x4567,
						0x0005));
	wire_packet(&wire, 1, 2, EVENT, PAYLOAD(0xdead, 0xaddf, 0xaf00, 0xafaf, 0x0100, 0x4567,
						0x0010));
	reader = wire_reader(&config, &wire);
	while (rvtrace_osd_next(reader, &p) == 1) {
		assert_int_equal(p.item, RVTRACE_OSD_ITEM_CTM);
		assert_int_equal(p.width, 32);
		used += snprintf(lines + used, sizeof(lines) - used,
				 "%08x %d %d %d %d %016" PRIx64 " %016" PRIx64 "\n", p.timestamp,
				 p.is_modechange, p.is_call, p.is_ret, p.mode, p.pc, p.npc);
	}
	wire_end(reader);
	expect_file(VECTORS "check_coretracelogger_record_trace.txt", lines);
}

/* 11 words, of which a packet of the published hardware takes 9. */
static void core_trace_of_64_bits(void **state)
{
	const struct rvtrace_osd_config config = { .others = { .kind = RVTRACE_OSD_CTM } };
	struct rvtrace_osd_packet p;
	struct rvtrace_osd *reader;
	struct wire wire = { };

	(void)state;
	wire_packet(&wire, 1, 2, CONTINUED, PAYLOAD(1, 2, 0x1004, 0x8000, 0xffff, 0xffff, 0x5678,
						    0x1234, 0xffe0));
	wire_packet(&wire, 1, 2, EVENT, PAYLOAD(0xffff, 0x000f));
	reader = wire_reader(&config, &wire);
	assert_int_equal(rvtrace_osd_next(reader, &p), 1);
	assert_int_equal(p.item, RVTRACE_OSD_ITEM_NONE);
	assert_string_equal(rvtrace_osd_name(p.type, p.sub), "EVENT_CONTINUED");
	assert_int_equal(rvtrace_osd_next(reader, &p), 1);
	assert_int_equal(p.item, RVTRACE_OSD_ITEM_CTM);
	assert_int_equal(p.offset, 26);
	assert_int_equal(p.event_offset, 0);
	assert_int_equal(p.width, 64);
	assert_int_equal(p.timestamp, 0x20001);
	assert_true(p.npc == 0xffffffff80001004);
	assert_true(p.pc == 0xffffffe012345678);
	assert_int_equal(p.mode, 3);
	assert_true(p.is_ret);
	assert_true(p.is_call);
	assert_false(p.is_modechange);
	wire_end(reader);
}

/* Events of several modules, word by word, each module's in order. */
static void modules_take_turns(void **state)
{
	static const uint16_t payloads[3][7] = {
		{ 1, 0, 0x0011, 0xaaaa, 0xbbbb, 0xcccc, 0xdddd },
		{ 2, 0, 0x4000, 0x1111, 0x2222, 0x3333, 0x4444 },
		{ 3, 0, 0xffff, 0x0005, 0x0006, 0x0007, 0x0008 },
	};
	struct rvtrace_osd_packet p;
	struct rvtrace_osd *reader;
	struct wire wire = { };
	unsigned int word, src;

	(void)state;
	for (word = 0; word < 7; word++)
		for (src = 0; src < 3; src++)
			wire_packet(&wire, 1, 0x400 * src, word < 6 ? CONTINUED : EVENT,
				    &payloads[src][word], 1);
	reader = wire_reader(&plain, &wire);
	for (word = 0; word < 6 * 3; word++) {
		assert_int_equal(rvtrace_osd_next(reader, &p), 1);
		assert_int_equal(p.item, RVTRACE_OSD_ITEM_NONE);
	}
	expect_stm(reader, 0, 1, 0x0011, 0xddddccccbbbbaaaa);
	expect_stm(reader, 0x400, 2, 0x4000, 0x4444333322221111);
	expect_stm(reader, 0x800, 3, 0xffff, 0x0008000700060005);
	wire_end(reader);
}

/* What a module is, only the configuration says. */
static void modules_by_address(void **state)
{
	static const struct rvtrace_osd_module modules[] = {
		{ .address = 7, .kind = RVTRACE_OSD_CTM }, { .address = 8, .width = 16 },
		{ .address = 9, .kind = RVTRACE_OSD_OTHER },
	};
	const struct rvtrace_osd_config config = { .modules = modules, .module_count = 3 };
	struct rvtrace_osd_packet p;
	struct rvtrace_osd *reader;
	struct wire wire = { };
	unsigned int src;

	(void)state;
	for (src = 6; src < 10; src++)
		wire_packet(&wire, 1, src, EVENT, PAYLOAD(1, 0, 2, 3, 4, 5, 6));
	wire_packet(&wire, 1, 8, EVENT, PAYLOAD(1, 0, 2, 0x8001));
	wire_packet(&wire, 1, 9, EVENT | 0x2c00, PAYLOAD(1));
	reader = wire_reader(&config, &wire);
	expect_stm(reader, 6, 1, 2, 0x0006000500040003);
	assert_int_equal(rvtrace_osd_next(reader, &p), 1);
	assert_int_equal(p.item, RVTRACE_OSD_ITEM_CTM);
	assert_int_equal(p.npc, 0x00030002);
	assert_int_equal(p.pc, 0x00050004);
	assert_int_equal(rvtrace_osd_next(reader, &p), RVTRACE_ERR_TRAILING);
	assert_int_equal(p.src, 8);
	assert_int_equal(rvtrace_osd_next(reader, &p), 1);
	assert_int_equal(p.item, RVTRACE_OSD_ITEM_NONE);
	assert_int_equal(p.words, 7);
	expect_stm(reader, 8, 1, 2, 0x8001);
	assert_int_equal(rvtrace_osd_next(reader, &p), 1);
	assert_int_equal(p.item, RVTRACE_OSD_ITEM_NONE);
	wire_end(reader);
}

/* "Register access": every subtype with as many words as it has, and with others. */
static void register_accesses(void **state)
{
	static const struct {
		uint8_t sub;
		uint8_t words;
		const char *name;
	} accesses[] = {
		{ 0, 1, "REQ_READ_REG" }, { 1, 1, "REQ_READ_REG" }, { 2, 1, "REQ_READ_REG" },
		{ 3, 1, "REQ_READ_REG" }, { 4, 2, "REQ_WRITE_REG" }, { 5, 3, "REQ_WRITE_REG" },
		{ 6, 5, "REQ_WRITE_REG" }, { 7, 9, "REQ_WRITE_REG" },
		{ 8, 1, "RESP_READ_REG_SUCCESS" }, { 9, 2, "RESP_READ_REG_SUCCESS" },
		{ 10, 4, "RESP_READ_REG_SUCCESS" }, { 11, 8, "RESP_READ_REG_SUCCESS" },
		{ 12, 0, "RESP_READ_REG_ERROR" }, { 14, 0, "RESP_WRITE_REG_SUCCESS" },
		{ 15, 0, "RESP_WRITE_REG_ERROR" },
	};
	static const uint16_t payload[16];
	struct rvtrace_osd_packet p;
	unsigned int i, words;

	(void)state;
	for (i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
		assert_string_equal(rvtrace_osd_name(RVTRACE_OSD_REG, accesses[i].sub),
				    accesses[i].name);
		for (words = 0; words <= 10; words++) {
			struct rvtrace_osd *reader;
			struct wire wire = { };

			wire_packet(&wire, 1, 2, accesses[i].sub << 10, payload, words);
			reader = wire_reader(&plain, &wire);
			assert_int_equal(rvtrace_osd_next(reader, &p),
					 words == accesses[i].words ? 1 :
					 words < accesses[i].words ? RVTRACE_ERR_TRUNCATED :
					 RVTRACE_ERR_TRAILING);
			wire_end(reader);
		}
	}
}

static void packets_without_events(void **state)
{
	struct rvtrace_osd_packet p;
	struct rvtrace_osd *reader;
	struct wire wire = { };

	(void)state;
	wire_packet(&wire, 1, 2, 0x4000, PAYLOAD(1, 2, 3));
	wire_packet(&wire, 1, 2, 0xc000, NULL, 0);
	wire_packet(&wire, 1, 2, EVENT | 0x3ff, PAYLOAD(1, 2, 3, 4));
	reader = wire_reader(&plain, &wire);
	assert_int_equal(rvtrace_osd_next(reader, &p), 1);
	assert_string_equal(rvtrace_osd_name(p.type, p.sub), "PLAIN");
	assert_int_equal(p.words, 3);
	assert_int_equal(rvtrace_osd_next(reader, &p), 1);
	assert_string_equal(rvtrace_osd_name(p.type, p.sub), "RESERVED");
	/* reserved bits of FLAGS say nothing */
	expect_stm(reader, 2, 0x20001, 3, 4);
	wire_end(reader);
}

static void invalid_configurations(void **state)
{
	static const struct rvtrace_osd_module wide = { .width = 24 }, odd = { .kind = 3 };
	struct rvtrace_osd *reader;

	(void)state;
	assert_int_equal(rvtrace_osd_new(&(struct rvtrace_osd_config) { .others = wide },
					 &reader), RVTRACE_ERR_INVALID);
	assert_int_equal(rvtrace_osd_new(&(struct rvtrace_osd_config) {
						 .modules = &odd, .module_count = 1 },
					 &reader), RVTRACE_ERR_INVALID);
	assert_int_equal(rvtrace_osd_new(&(struct rvtrace_osd_config) {
						 .modules = &wide,
						 .module_count = RVTRACE_OSD_MODULES_MAX + 1 },
					 &reader), RVTRACE_ERR_INVALID);
}

static void busy_until_read(void **state)
{
	static const uint8_t byte;
	struct rvtrace_osd_packet p;
	struct rvtrace_osd *reader;

	(void)state;
	assert_int_equal(rvtrace_osd_new(&plain, &reader), 0);
	assert_int_equal(rvtrace_osd_feed(reader, NULL, 0), 0);
	assert_int_equal(rvtrace_osd_next(reader, &p), 0);
	assert_int_equal(rvtrace_osd_feed(reader, &byte, 1), 0);
	assert_int_equal(rvtrace_osd_feed(reader, &byte, 1), RVTRACE_ERR_BUSY);
	assert_int_equal(rvtrace_osd_next(reader, &p), 0);
	assert_int_equal(rvtrace_osd_pending(reader, NULL), 1);
	assert_int_equal(rvtrace_osd_feed(reader, &byte, 1), 0);
	assert_int_equal(rvtrace_osd_next(reader, &p), RVTRACE_ERR_TRUNCATED);
	rvtrace_osd_free(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(event_of_32_bits),
		cmocka_unit_test(overflow),
		cmocka_unit_test(thread_switch_of_64_bits),
		cmocka_unit_test(golden_system_trace),
		cmocka_unit_test(golden_core_trace),
		cmocka_unit_test(core_trace_of_64_bits),
		cmocka_unit_test(modules_take_turns),
		cmocka_unit_test(modules_by_address),
		cmocka_unit_test(register_accesses),
		cmocka_unit_test(packets_without_events),
		cmocka_unit_test(invalid_configurations),
		cmocka_unit_test(busy_until_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
