// SPDX-License-Identifier: GPL-2.0
/* CDL compressed trace, packet layer: pieces, damage, synchronization, buffers, parameters. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <rvtrace/cdl.h>
#include <rvtrace/recording.h>

#include "tools/lib/packet/reader.h"
#include "cdl-text.h"

#define ITEMS	256

static const struct rvtrace_cdl_config doc = { .flavour = RVTRACE_CDL_DOC, .xlen = 32 };
static const struct rvtrace_cdl_config rtl = { .flavour = RVTRACE_CDL_RTL, .xlen = 32 };

/* What a reader said: its result, and the item. */
struct said {
	int ret;
	struct rvtrace_cdl_item item;
};

static struct said said[ITEMS];
static unsigned int count;
static size_t pending;
static uint64_t pending_offset;

static void take(struct rvtrace_cdl *reader)
{
	struct rvtrace_cdl_item item;
	int ret;

	while ((ret = rvtrace_cdl_next(reader, &item))) {
		assert_true(count < ITEMS);
		item.raw = NULL;
		said[count++] = (struct said) { ret, item };
	}
}

/* Reads all of @bytes, in pieces of @piece. */
static void read_pieces(const struct rvtrace_cdl_config *config, const uint8_t *bytes, size_t size,
			size_t piece)
{
	struct rvtrace_cdl *reader;
	size_t fed, take_now;

	count = 0;
	assert_int_equal(rvtrace_cdl_new(config, &reader), 0);
	for (fed = 0; fed < size; fed += take_now) {
		uint8_t copy[ITEMS];

		take_now = size - fed < piece ? size - fed : piece;
		memcpy(copy, bytes + fed, take_now);
		assert_int_equal(rvtrace_cdl_feed(reader, copy, take_now), 0);
		take(reader);
		memset(copy, 0xee, sizeof(copy));
	}
	pending = rvtrace_cdl_pending(reader, &pending_offset);
	rvtrace_cdl_free(reader);
}

static void read_text(const struct rvtrace_cdl_config *config, const char *text)
{
	uint8_t bytes[ITEMS];
	size_t size = cdl_bytes(text, bytes);

	read_pieces(config, bytes, size, size);
}

static void is_item(unsigned int i, uint64_t offset, unsigned int kind, unsigned int number)
{
	assert_true(i < count);
	assert_int_equal(said[i].ret, 1);
	assert_int_equal(said[i].item.offset, offset);
	assert_int_equal(said[i].item.kind, kind);
	assert_int_equal(said[i].item.number, number);
}

static void is_error(unsigned int i, int code, uint64_t offset, uint32_t size)
{
	assert_true(i < count);
	assert_int_equal(said[i].ret, code);
	assert_int_equal(said[i].item.offset, offset);
	assert_int_equal(said[i].item.size, size);
}

/* "111x Reserved"; in rtl it is 1110 that begins data, and 1100 that nothing sends. */
static void reserved_nybbles_are_errors_with_offsets(void **state)
{
	static const struct {
		const struct rvtrace_cdl_config *config;
		const char *text;
	} all[] = { { &doc, "3e0" }, { &doc, "3f0" }, { &rtl, "3c0" }, { &rtl, "3f0" } };

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		read_text(all[i].config, all[i].text);
		assert_int_equal(count, 2);
		is_item(0, 0, RVTRACE_CDL_SEQUENTIAL, 3);
		is_error(1, RVTRACE_ERR_RESERVED, 1, 1);
	}
}

/* "RFW data": there are 32 registers, and on RV32 they have 32 bits. The next item is read. */
static void values_that_no_register_has_are_errors(void **state)
{
	(void)state;
	read_text(&doc, "c9 02 18");	/* register 32 */
	assert_int_equal(count, 3);
	is_error(0, RVTRACE_ERR_FIELD, 0, 4);
	is_item(1, 4, RVTRACE_CDL_SEQUENTIAL, 1);
	read_text(&doc, "c5 0000000010 18");	/* a PC of 33 bits */
	assert_int_equal(count, 3);
	is_error(0, RVTRACE_ERR_FIELD, 0, 12);
	is_item(1, 12, RVTRACE_CDL_SEQUENTIAL, 1);
	read_text(&doc, "cf f1000000000000 1");	/* x31, and zeros */
	is_item(0, 0, RVTRACE_CDL_DATA, 7);
	assert_int_equal(said[0].item.rd, 31);
	is_item(1, 16, RVTRACE_CDL_SEQUENTIAL, 1);
}

/* The second part of a value of RV64 must be one. */
static void halves_of_wide_values_belong_together(void **state)
{
	const struct rvtrace_cdl_config wide = { .xlen = 64, .rv64 = true };

	(void)state;
	read_text(&wide, "c7 00000000000000 c1 08 10");
	assert_int_equal(count, 3);
	is_item(0, 0, RVTRACE_CDL_DATA, 7);
	assert_int_equal(said[0].item.size, 20);
	assert_true(said[0].item.value == 0x8000000000000000);
	is_item(1, 20, RVTRACE_CDL_SEQUENTIAL, 1);
	read_text(&wide, "c7 00000000000000 c9 80 1");	/* of a register */
	is_error(0, RVTRACE_ERR_FIELD, 0, 16);
	is_item(1, 16, RVTRACE_CDL_DATA, 1);
	read_text(&wide, "c7 00000000000000 c2 0800 1");	/* nine bytes */
	is_error(0, RVTRACE_ERR_FIELD, 0, 16);
	read_text(&wide, "c7 00000000000000 3");	/* nothing */
	is_error(0, RVTRACE_ERR_FIELD, 0, 16);
	is_item(1, 16, RVTRACE_CDL_SEQUENTIAL, 3);
}

/* An item that is not complete says where it begins. */
static void cut_item_is_pending(void **state)
{
	(void)state;
	read_text(&doc, "4c400000");
	assert_int_equal(count, 1);
	assert_int_equal(pending, 7);
	assert_int_equal(pending_offset, 1);
	read_text(&doc, "44");
	assert_int_equal(pending, 0);
}

/* Any pieces give the same items, in both flavours, with synchronization and damage. */
static void any_chunking_gives_the_same(void **state)
{
	static const char text[] =
		"0000 7 8 c4 00000080 cd 50fedcba98 d3 9 c2 4321 0000 4444 4444 4444 4444 44444444"
		"0000 7 e c4 00000080 0000000000000000000000000000000 0000 4444 4444 4444 4444 4"
		"0000 1 c4 00000000 c4 00000000 c4 00000000 c4 00000000 c4 00000000 000 c4 00000"
		"0000 7 b c4 00000080 cf 50fedcba98 d3";
	const struct rvtrace_cdl_config all[] = {
		doc, rtl, { .xlen = 32, .sync_interval = 80 },
		{ .xlen = 32, .sync_interval = 80, .anywhere = true },
		{ .xlen = 32, .anywhere = true },
		{ .xlen = 32, .anywhere = true, .unverified = true },
		{ .xlen = 64, .rv64 = true },
	};
	uint8_t bytes[ITEMS];
	size_t size = cdl_bytes(text, bytes);

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct said whole[ITEMS];
		unsigned int whole_count;
		size_t whole_pending;

		read_pieces(&all[i], bytes, size, size);
		memcpy(whole, said, sizeof(whole));
		whole_count = count;
		whole_pending = pending;
		for (size_t piece = 1; piece < size; piece++) {
			read_pieces(&all[i], bytes, size, piece);
			assert_int_equal(count, whole_count);
			assert_int_equal(pending, whole_pending);
			for (unsigned int k = 0; k < count; k++) {
				assert_int_equal(said[k].ret, whole[k].ret);
				assert_int_equal(said[k].item.offset, whole[k].item.offset);
				assert_int_equal(said[k].item.value, whole[k].item.value);
				assert_int_equal(said[k].item.kind, whole[k].item.kind);
				assert_int_equal(said[k].item.same_cycle, whole[k].item.same_cycle);
				assert_int_equal(said[k].item.unverified, whole[k].item.unverified);
			}
		}
	}
}

/* "the insertion ... of 16-bits of zero ... provides a decoder to synchronize back" */
static void places_of_synchronization_are_found(void **state)
{
	const struct rvtrace_cdl_config config = {
		.xlen = 32, .sync_interval = 64, .anywhere = true,
	};

	(void)state;
	/* begins in the middle of data, which hold four aligned zeros, too */
	read_text(&config, "0000 5555 0000 5555 5555555555555555 5555555555555555 5555555555555555"
			   "0000 3 8");
	assert_int_equal(count, 64);
	assert_int_equal(said[0].item.kind, RVTRACE_CDL_SYNC);
	assert_int_equal(said[0].item.offset, 0);
	/* the first place is none */
	read_text(&config, "0050 5555 0000 5555 5555555555555555 5555555555555555 5555555555555555"
			   "0000 3 8");
	assert_int_equal(count, 3);
	is_item(0, 64, RVTRACE_CDL_SYNC, 0);
	assert_int_equal(said[0].item.size, 4);
	is_item(1, 68, RVTRACE_CDL_SEQUENTIAL, 3);
	is_item(2, 69, RVTRACE_CDL_NONSEQUENTIAL, 0);
	assert_false(said[0].item.unverified);
}

/* "between cycles of data": where a place is not what it must be, something is damaged. */
static void damage_shows_at_the_next_place(void **state)
{
	const struct rvtrace_cdl_config config = { .xlen = 32, .sync_interval = 64 };

	(void)state;
	/* an item lies across */
	read_text(&config, "0000 1111 1111 1111 1111111111111111 1111111111111111 111111111111"
			   "c4 00 0000 8 1");
	assert_int_equal(said[count - 4].ret, RVTRACE_ERR_TRUNCATED);
	assert_int_equal(said[count - 4].item.offset, 60);
	assert_int_equal(said[count - 4].item.size, 4);
	is_item(count - 3, 64, RVTRACE_CDL_SYNC, 0);
	is_item(count - 2, 68, RVTRACE_CDL_NONSEQUENTIAL, 0);
	/* there are no zeros */
	read_text(&config, "0000 1111 1111 1111 1111111111111111 1111111111111111 1111111111111111"
			   "0010 1111 1111 1111 1111111111111111 1111111111111111 1111111111111111"
			   "0000 81");
	assert_int_equal(said[count - 4].ret, RVTRACE_ERR_SYNC);
	assert_int_equal(said[count - 4].item.offset, 64);
	is_item(count - 3, 128, RVTRACE_CDL_SYNC, 0);
	/* a reserved nybble: what follows up to the next place is of no use */
	read_text(&config, "0000 1f11 1111 1111 1111111111111111 1111111111111111 1111111111111111"
			   "0000 82");
	assert_int_equal(count, 6);
	is_error(2, RVTRACE_ERR_RESERVED, 5, 1);
	is_item(3, 64, RVTRACE_CDL_SYNC, 0);
}

/*
 * "there is no way to have two consecutive nybbles of zero unless the second is a Skip" is not so
 * in data: 14 zeros (rtl 16) may be data.
 */
static void only_more_zeros_than_data_have_are_sure(void **state)
{
	struct rvtrace_cdl_config config = { .xlen = 32, .anywhere = true };

	(void)state;
	read_text(&config, "4 00000000000000 3 8");		/* 14 */
	assert_int_equal(count, 0);
	read_text(&config, "4 000000000000000 3 8");		/* 15 */
	assert_int_equal(count, 2);
	is_item(0, 16, RVTRACE_CDL_SEQUENTIAL, 3);
	assert_false(said[0].item.unverified);
	config.flavour = RVTRACE_CDL_RTL;
	read_text(&config, "4 0000000000000000 3 8");		/* 16 */
	assert_int_equal(count, 0);
	read_text(&config, "4 00000000000000000 38");		/* 17 */
	assert_int_equal(count, 2);
}

/* "a standard number (say 4) of zero nybbles": may be tried, and is marked. */
static void unverified_synchronization_is_marked(void **state)
{
	struct rvtrace_cdl_config config = { .xlen = 32, .anywhere = true, .unverified = true };

	(void)state;
	read_text(&config, "44 000 3 8");
	assert_int_equal(count, 0);
	read_text(&config, "44 0000 38 0000000000000000 5");
	assert_int_equal(count, 20);
	is_item(0, 6, RVTRACE_CDL_SEQUENTIAL, 3);
	assert_true(said[0].item.unverified);
	is_item(18, 24, RVTRACE_CDL_SEQUENTIAL, 5);
	assert_false(said[18].item.unverified);		/* so many zeros are sure */
}

static void nothing_found_is_told(void **state)
{
	const struct rvtrace_cdl_config config = { .xlen = 32, .anywhere = true };
	const uint8_t bytes[] = { 0x11, 0x22, 0x33 };
	struct rvtrace_cdl_item item;
	struct rvtrace_cdl *reader;
	uint64_t offset;

	(void)state;
	assert_int_equal(rvtrace_cdl_new(&config, &reader), 0);
	assert_int_equal(rvtrace_cdl_lost(reader, &offset), 0);
	assert_int_equal(rvtrace_cdl_feed(reader, bytes, 3), 0);
	assert_int_equal(rvtrace_cdl_next(reader, &item), 0);
	assert_int_equal(rvtrace_cdl_lost(reader, &offset), 6);
	assert_int_equal(offset, 0);
	rvtrace_cdl_free(reader);
}

/* A reserved nybble, then nothing that could be a place to begin. */
static void nothing_found_behind_damage_is_told(void **state)
{
	const uint8_t bytes[] = { 0xe1, 0x22, 0x33, 0x03 };
	struct rvtrace_cdl_item item;
	struct rvtrace_cdl *reader;
	uint64_t offset;

	(void)state;
	assert_int_equal(rvtrace_cdl_new(&doc, &reader), 0);
	assert_int_equal(rvtrace_cdl_feed(reader, bytes, 4), 0);
	assert_int_equal(rvtrace_cdl_next(reader, &item), 1);
	assert_int_equal(rvtrace_cdl_next(reader, &item), RVTRACE_ERR_RESERVED);
	assert_int_equal(rvtrace_cdl_next(reader, &item), 0);
	assert_int_equal(rvtrace_cdl_lost(reader, &offset), 6);
	assert_int_equal(offset, 2);
	rvtrace_cdl_free(reader);
}

/* Reading may begin at any nybble. */
static void seek_begins_at_a_nybble(void **state)
{
	const uint8_t bytes[] = { 0x3f, 0x58 };
	struct rvtrace_cdl *reader;

	(void)state;
	count = 0;
	assert_int_equal(rvtrace_cdl_new(&doc, &reader), 0);
	rvtrace_cdl_seek(reader, 101);
	assert_int_equal(rvtrace_cdl_feed(reader, bytes, 1), 0);
	assert_int_equal(rvtrace_cdl_feed(reader, bytes, 1), RVTRACE_ERR_BUSY);
	take(reader);
	assert_int_equal(rvtrace_cdl_feed(reader, bytes + 1, 1), 0);
	take(reader);
	assert_int_equal(count, 3);
	is_item(0, 101, RVTRACE_CDL_SEQUENTIAL, 3);
	is_item(1, 102, RVTRACE_CDL_NONSEQUENTIAL, 0);
	is_item(2, 103, RVTRACE_CDL_SEQUENTIAL, 5);
	rvtrace_cdl_free(reader);
}

/* A PC, 0x12 to x4, a reserved nybble: of writes, the PC is none. */
static void writes_to_registers_are_read_by_whoever_wants_them(void **state)
{
	struct packet_write write;
	uint8_t bytes[ITEMS];
	size_t size = cdl_bytes("3 c1 11 ca 40 21 e", bytes);
	void *reader;

	(void)state;
	assert_int_equal(cdl_reader.new(&doc, &reader), 0);
	cdl_reader.seek(reader, 100, true);
	assert_int_equal(cdl_reader.feed(reader, bytes, size), 0);
	assert_int_equal(cdl_reader.next_write(reader, &write), 1);
	assert_int_equal(write.offset, 105);
	assert_int_equal(write.rd, 4);
	assert_int_equal(write.value, 0x12);
	assert_int_equal(cdl_reader.next_write(reader, &write), RVTRACE_ERR_RESERVED);
	assert_int_equal(write.offset, 111);
	assert_int_equal(cdl_reader.next_write(reader, &write), 0);
	cdl_reader.free(reader);
}

static void is_span(const struct rvtrace_buffer_span *span, uint64_t from, uint64_t size)
{
	assert_int_equal(span->from, from);
	assert_int_equal(span->size, size);
}

/* "On overflow the circular buffer could halt recording, or it may continue to overwrite" */
static void buffers_are_read_from_the_oldest_trace_on(void **state)
{
	struct rvtrace_cdl_config config = {
		.xlen = 32, .sync_interval = 64, .buffer = RVTRACE_CDL_STOP, .write = 40,
	};
	struct rvtrace_buffer_span spans[2];

	(void)state;
	assert_int_equal(rvtrace_cdl_replay(&config, 96, spans), 0);
	is_span(&spans[0], 0, 40);
	is_span(&spans[1], 0, 0);
	assert_false(config.anywhere);
	config.buffer = RVTRACE_CDL_OVERWRITE;
	config.wrapped = true;
	assert_int_equal(rvtrace_cdl_replay(&config, 96, spans), 0);
	is_span(&spans[0], 40, 56);
	is_span(&spans[1], 0, 40);
	assert_true(config.anywhere);
	assert_int_equal(config.start, 80);
	/* places would not be where they were */
	assert_int_equal(rvtrace_cdl_replay(&config, 100, spans), RVTRACE_ERR_INVALID);
	config.write = 97;
	assert_int_equal(rvtrace_cdl_replay(&config, 96, spans), RVTRACE_ERR_INVALID);
}

static int load(const char *text, struct rvtrace_cdl_config *config,
		struct rvtrace_failure *error)
{
	char path[] = "/tmp/test-cdl-XXXXXX";
	int fd = mkstemp(path), ret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	ret = rvtrace_cdl_config_load(path, config, error);
	unlink(path);
	return ret;
}

static void parameters_are_read(void **state)
{
	struct rvtrace_failure error;
	struct rvtrace_cdl_config config;

	(void)state;
	assert_int_equal(load("{\"flavour\":\"rtl\"}", &config, &error), 0);
	assert_int_equal(config.flavour, RVTRACE_CDL_RTL);
	assert_int_equal(config.xlen, 32);
	assert_false(config.rv64);
	assert_int_equal(load("{\"cdl\":{\"flavour\":\"doc\",\"xlen\":64,\"rv64\":true,"
			      "\"sync_interval\":128,\"buffer\":\"overwrite\",\"wrapped\":1,"
			      "\"write\":12,\"unverified\":true}}", &config, &error), 0);
	assert_int_equal(config.flavour, RVTRACE_CDL_DOC);
	assert_int_equal(config.xlen, 64);
	assert_true(config.rv64 && config.wrapped && config.unverified);
	assert_int_equal(config.sync_interval, 128);
	assert_int_equal(config.buffer, RVTRACE_CDL_OVERWRITE);
	assert_int_equal(config.write, 12);
}

static void wrong_parameters_are_named(void **state)
{
	static const char *const wrong[][2] = {
		{ "{}", "flavour" }, { "[]", "not a JSON object" }, { "{", "not JSON" },
		{ "{\"flavour\":\"verilog\"}", "flavour" }, { "{\"cdl\":1}", "cdl" },
		{ "{\"flavour\":\"doc\",\"xlen\":48}", "xlen" },
		{ "{\"flavour\":\"doc\",\"xlen\":\"64\"}", "xlen" },
		{ "{\"flavour\":\"doc\",\"rv64\":1}", "rv64" },
		{ "{\"flavour\":\"doc\",\"sync_interval\":100}", "sync_interval" },
		{ "{\"flavour\":\"doc\",\"sync_interval\":-64}", "sync_interval" },
		{ "{\"flavour\":\"doc\",\"buffer\":\"ring\"}", "buffer" },
		{ "{\"flavour\":\"doc\",\"wrapped\":1}", "wrapped" },
		{ "{\"flavour\":\"doc\",\"write\":1}", "write" },
		{ "{\"flavour\":\"doc\",\"colour\":1}", "colour" },
	};
	struct rvtrace_failure error;
	struct rvtrace_cdl_config config;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_true(load(wrong[i][0], &config, &error) < 0);
		assert_non_null(strstr(error.text, wrong[i][1]));
		assert_non_null(strstr(error.text, "test-cdl-"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reserved_nybbles_are_errors_with_offsets),
		cmocka_unit_test(values_that_no_register_has_are_errors),
		cmocka_unit_test(halves_of_wide_values_belong_together),
		cmocka_unit_test(cut_item_is_pending),
		cmocka_unit_test(any_chunking_gives_the_same),
		cmocka_unit_test(places_of_synchronization_are_found),
		cmocka_unit_test(damage_shows_at_the_next_place),
		cmocka_unit_test(only_more_zeros_than_data_have_are_sure),
		cmocka_unit_test(unverified_synchronization_is_marked),
		cmocka_unit_test(nothing_found_is_told),
		cmocka_unit_test(nothing_found_behind_damage_is_told),
		cmocka_unit_test(seek_begins_at_a_nybble),
		cmocka_unit_test(writes_to_registers_are_read_by_whoever_wants_them),
		cmocka_unit_test(buffers_are_read_from_the_oldest_trace_on),
		cmocka_unit_test(parameters_are_read),
		cmocka_unit_test(wrong_parameters_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
