// SPDX-License-Identifier: GPL-2.0
/* E-Trace packet layer: the encapsulation. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/etrace.h>

#include "selftests/unit/etrace-payload.h"

#define PACKETS		"selftests/vectors/etrace/packets/"

static struct rvtrace_etrace_params plain(void)
{
	struct rvtrace_etrace_params params;

	rvtrace_etrace_params_default(&params);
	params.iaddress_width = 64;
	return params;
}

static struct rvtrace_etrace *reader_of(const struct rvtrace_etrace_params *params,
					const uint8_t *bytes, size_t size)
{
	struct rvtrace_etrace *reader;

	assert_int_equal(rvtrace_etrace_new(params, &reader), 0);
	assert_int_equal(rvtrace_etrace_feed(reader, bytes, size), 0);
	return reader;
}

static struct rvtrace_etrace_packet next(struct rvtrace_etrace *reader)
{
	struct rvtrace_etrace_packet packet;
	int ret = rvtrace_etrace_next(reader, &packet);

	if (ret != 1)
		fail_msg("%s", ret ? rvtrace_strerror(ret) : "no packet");
	return packet;
}

static void end(struct rvtrace_etrace *reader)
{
	struct rvtrace_etrace_packet packet;

	assert_int_equal(rvtrace_etrace_next(reader, &packet), 0);
	assert_int_equal(rvtrace_etrace_pending(reader, NULL), 0);
	rvtrace_etrace_free(reader);
}

/* E-Trace 2.0, "Siemens transport": srcID of 6 bits, type of 2, 2 is instruction trace. */
static void examples_of_the_specification(void **state)
{
	static const uint8_t stream[] = {
		0x06, 0x81, 0x32, 0x04, 0x00, 0x00, 0x02,
		0x08, 0x8a, 0xbd, 0xaa, 0xaa, 0x68, 0x00, 0x00, 0x20,
		0x0a, 0x85, 0x73, 0x00, 0x00, 0x00, 0x00, 0x91, 0x82, 0x00, 0x10,
	};
	struct rvtrace_etrace_params params = plain();
	struct rvtrace_etrace_packet packet;
	struct rvtrace_etrace *reader;

	(void)state;
	params.iaddress_lsb = 0;
	params.nocontext = 0;
	params.context_width = 32;
	params.srcid_width = 6;
	params.type_width = 2;
	params.type_inst = 2;
	reader = reader_of(&params, stream, sizeof(stream));
	packet = next(reader);
	assert_int_equal(packet.offset, 0);
	assert_int_equal(packet.size, 7);
	assert_int_equal(packet.srcid, 1);
	assert_int_equal(packet.type, 2);
	assert_int_equal(packet.payload_bit, 16);
	assert_int_equal(packet.payload_bits, 40);
	assert_int_equal(packet.kind, RVTRACE_ETRACE_TE_INST);
	assert_int_equal(packet.inst.address, 0x8000010c);
	packet = next(reader);
	assert_int_equal(packet.offset, 7);
	assert_int_equal(packet.srcid, 0xa);
	assert_int_equal(packet.inst.branches, 15);
	assert_int_equal(packet.inst.address, 0x800001a2);
	packet = next(reader);
	assert_int_equal(packet.srcid, 5);
	assert_int_equal(packet.inst.address, 0x20010522);
	end(reader);
}

static uint8_t *read_file(const char *name, size_t *size)
{
	FILE *file = fopen(name, "rb");
	uint8_t *bytes = malloc(65536);

	if (!file)
		fail_msg("%s: cannot open", name);
	*size = fread(bytes, 1, 65536, file);
	fclose(file);
	return bytes;
}

/* As itrace_params.csv has it, with the srcID and the timestamp the packets have. */
static struct rvtrace_etrace_params params_of_the_library(void)
{
	struct rvtrace_etrace_params params = plain();

	params.bpred_size = 5;
	params.call_counter_size = 1;
	params.ecause_width = 6;
	params.f0s_width = 1;
	params.iaddress_lsb = 0;
	params.privilege_width = 3;
	params.return_stack_size = 1;
	params.srcid_width = 8;
	params.timestamp_width = 32;
	return params;
}

static void branch_counts(const char *name, size_t count)
{
	struct rvtrace_etrace_params params = params_of_the_library();
	struct rvtrace_etrace_packet packet;
	struct rvtrace_etrace *reader;
	uint8_t *bytes;
	size_t size, i;

	bytes = read_file(name, &size);
	reader = reader_of(&params, bytes, size);
	for (i = 0; i < count; i++) {
		packet = next(reader);
		assert_int_equal(packet.srcid, 0xef);
		assert_int_equal(packet.extend, i % 2);
		assert_int_equal(packet.timestamp, i % 2 ? 0x78563412 : 0);
		assert_int_equal(packet.inst.format, RVTRACE_ETRACE_OPT_EXT);
		assert_int_equal(packet.inst.branch_count, 0xe664423e);
		assert_int_equal(packet.inst.branch_fmt, RVTRACE_ETRACE_ADDR);
		assert_int_equal(packet.inst.address, 0x112a99a23);
	}
	end(reader);
	free(bytes);
}

/* Branch counts with an address, every other one with a timestamp */
static void packets_of_a_library(void **state)
{
	(void)state;
	branch_counts(PACKETS "combined_output_format00.dat", 2);
	branch_counts(PACKETS "repeated_hex_fromat00_5x.dat", 10);
}

/* From the packet numbered @first on, over and over. */
static void told_apart(const char *name, size_t first, size_t count)
{
	static const struct {
		uint8_t size;
		int ret;
	} packets[] = {
		{ 10, 1 }, { 16, RVTRACE_ERR_TRAILING }, { 24, RVTRACE_ERR_TRAILING },
		{ 9, RVTRACE_ERR_TRAILING }, { 16, RVTRACE_ERR_FIELD },
	};
	struct rvtrace_etrace_params params = params_of_the_library();
	struct rvtrace_etrace_packet packet;
	struct rvtrace_etrace *reader;
	uint64_t offset = 0;
	uint8_t *bytes;
	size_t size, i;

	bytes = read_file(name, &size);
	reader = reader_of(&params, bytes, size);
	for (i = first; i < first + count; i++) {
		int ret = rvtrace_etrace_next(reader, &packet);

		assert_int_equal(ret, packets[i % 5].ret);
		assert_int_equal(packet.offset, offset);
		assert_int_equal(packet.size, packets[i % 5].size);
		assert_int_equal(packet.srcid, 0xef);
		if (ret == 1) {
			assert_int_equal(packet.inst.format, RVTRACE_ETRACE_ADDR_ONLY);
			assert_int_equal(packet.inst.address, 0x11111111111111);
		}
		offset += packet.size;
	}
	assert_int_equal(offset, size);
	end(reader);
	free(bytes);
}

/* Most are of other parameters, which are not known, but where they begin is. */
static void packets_are_told_apart(void **state)
{
	(void)state;
	told_apart(PACKETS "itrace_1x_packet.dat", 1, 1);
	told_apart(PACKETS "itrace_14x_packet.dat", 0, 15);
	told_apart(PACKETS "itrace_50x_packet.dat", 0, 50);
}

/*
 * A packet with everything that may come before its payload. The bits that nothing is said of are
 * copies of the sign, or the opposite.
 */
static size_t encapsulate(const struct rvtrace_etrace_params *params, unsigned int srcid,
			  bool extend, uint64_t timestamp, unsigned int type,
			  const struct payload *payload, uint8_t *bytes)
{
	unsigned int i, length;
	struct payload p = { };
	size_t size;
	bool sign;

	put(&p, 0, 8);
	put(&p, srcid, params->srcid_width);
	put(&p, timestamp, extend ? params->timestamp_width : 0);
	put(&p, type, params->type_width);
	for (i = 0; i < payload->count; i++)
		put(&p, payload->bits[i], 1);
	sign = payload->bits[payload->count - 1];
	while (p.count % 8)
		put(&p, params->sign_padding ? sign : !sign, 1);
	size = bytes_of(&p, bytes);
	length = size - 1 - params->srcid_width / 8 - (extend ? params->timestamp_width / 8 : 0);
	assert_in_range(length, 1, 31);
	bytes[0] = length | 3 << 5 | extend << 7;
	return size;
}

static void check_encapsulated(const struct rvtrace_etrace_params *params, unsigned int srcid,
			       bool extend, unsigned int type, size_t piece)
{
	uint64_t timestamp = 0x8877665544332211;
	struct rvtrace_etrace_packet packet;
	struct rvtrace_etrace *reader;
	struct payload p = { };
	uint8_t bytes[128];
	size_t size, fed;
	int ret = 0;

	put(&p, 2, 2);
	put(&p, -0x1234ll >> 1, 63);
	put(&p, 7, 3);
	extend_sign(&p);
	compress(&p);
	size = encapsulate(params, srcid, extend, timestamp, type, &p, bytes);
	assert_int_equal(rvtrace_etrace_new(params, &reader), 0);
	for (fed = 0; !ret; fed += piece) {
		assert_int_equal(rvtrace_etrace_pending(reader, NULL), fed);
		assert_true(fed < size);
		if (piece > size - fed)
			piece = size - fed;
		assert_int_equal(rvtrace_etrace_feed(reader, bytes + fed, piece), 0);
		ret = rvtrace_etrace_next(reader, &packet);
	}
	assert_int_equal(ret, 1);
	assert_int_equal(packet.flow, 3);
	assert_int_equal(packet.size, size);
	assert_memory_equal(packet.raw, bytes, size);
	assert_int_equal(packet.srcid, srcid);
	assert_int_equal(packet.type, type);
	assert_int_equal(packet.extend, extend);
	assert_int_equal(packet.timestamp, extend ? timestamp << (64 - params->timestamp_width) >>
			 (64 - params->timestamp_width) : 0);
	assert_int_equal(packet.kind, RVTRACE_ETRACE_TE_INST);
	assert_int_equal(packet.inst.address, -0x1234ll);
	assert_false(packet.inst.is_notify);
	end(reader);
}

static void everything_before_the_payload(void **state)
{
	struct rvtrace_etrace_params params = plain();
	unsigned int srcid, type, timestamp;

	(void)state;
	for (srcid = 0; srcid <= 16; srcid++) {
		for (type = 0; type <= 8; type++) {
			for (timestamp = 0; timestamp <= 8; timestamp++) {
				unsigned int id = 0xa5a5 & ((1 << srcid) - 1);
				unsigned int t = 0x5a & ((1 << type) - 1);

				params.srcid_width = srcid;
				params.type_width = type;
				params.type_inst = t;
				params.type_data = t ^ 1;
				params.timestamp_width = 8 * timestamp;
				params.sign_padding = timestamp & 1;
				check_encapsulated(&params, id, false, t, 1);
				if (timestamp)
					check_encapsulated(&params, id, true, t, 3);
			}
		}
	}
}

static void nulls_are_passed_over(void **state)
{
	static const uint8_t stream[] = {
		0x00, 0x80, 0x60, 0x42, 0x32, 0x00, 0x00, 0x00, 0x80, 0x41, 0x43, 0x00,
	};
	struct rvtrace_etrace_params params = plain();
	struct rvtrace_etrace *reader = reader_of(&params, stream, sizeof(stream));
	struct rvtrace_etrace_packet packet;

	(void)state;
	packet = next(reader);
	assert_int_equal(packet.offset, 3);
	assert_int_equal(packet.size, 3);
	packet = next(reader);
	assert_int_equal(packet.offset, 9);
	assert_int_equal(packet.inst.format, RVTRACE_ETRACE_SYNC);
	end(reader);
}

static void types_that_are_not_instruction_trace(void **state)
{
	/* type 1 data, 2 something else, 0 instructions */
	static const uint8_t stream[] = { 0x02, 0x01, 0x00, 0x02, 0xfe, 0x0f, 0x02, 0x0c, 0x00 };
	struct rvtrace_etrace_params params = plain();
	struct rvtrace_etrace_packet packet;
	struct rvtrace_etrace *reader;

	(void)state;
	params.type_width = 2;
	reader = reader_of(&params, stream, sizeof(stream));
	packet = next(reader);
	assert_int_equal(packet.kind, RVTRACE_ETRACE_TE_DATA);
	assert_int_equal(packet.data.kind, RVTRACE_ETRACE_LOAD);
	packet = next(reader);
	assert_int_equal(packet.kind, RVTRACE_ETRACE_OTHER);
	assert_int_equal(packet.type, 2);
	assert_int_equal(packet.payload_bit, 10);
	assert_int_equal(packet.payload_bits, 8);
	assert_string_equal(rvtrace_etrace_name(&packet), "other");
	packet = next(reader);
	assert_int_equal(packet.kind, RVTRACE_ETRACE_TE_INST);
	end(reader);
}

static void extend_without_timestamps(void **state)
{
	static const uint8_t stream[] = { 0x81, 0x32, 0x41, 0x43 };
	struct rvtrace_etrace_params params = plain();
	struct rvtrace_etrace *reader = reader_of(&params, stream, sizeof(stream));
	struct rvtrace_etrace_packet packet;

	(void)state;
	assert_int_equal(rvtrace_etrace_next(reader, &packet), RVTRACE_ERR_EXTEND);
	assert_int_equal(packet.offset, 0);
	assert_int_equal(packet.size, 2);
	assert_int_equal(next(reader).offset, 2);
	end(reader);
}

static void packets_without_a_payload(void **state)
{
	static const uint8_t stream[] = { 0x01, 0x12, 0x02, 0x12, 0x43 };
	struct rvtrace_etrace_params params = plain();
	struct rvtrace_etrace_packet packet;
	struct rvtrace_etrace *reader;

	(void)state;
	params.srcid_width = 5;
	params.type_width = 3;
	reader = reader_of(&params, stream, sizeof(stream));
	assert_int_equal(rvtrace_etrace_next(reader, &packet), RVTRACE_ERR_TRUNCATED);
	assert_int_equal(packet.offset, 0);
	assert_int_equal(packet.srcid, 0x12);
	assert_int_equal(next(reader).offset, 2);
	end(reader);
}

static void bytes_are_given_one_piece_at_a_time(void **state)
{
	static const uint8_t stream[] = { 0x41, 0x43 };
	struct rvtrace_etrace_params params = plain();
	struct rvtrace_etrace *reader = reader_of(&params, stream, sizeof(stream));
	uint64_t offset;

	(void)state;
	assert_int_equal(rvtrace_etrace_feed(reader, stream, sizeof(stream)), RVTRACE_ERR_BUSY);
	next(reader);
	rvtrace_etrace_seek(reader, 1000);
	assert_int_equal(rvtrace_etrace_feed(reader, stream, 1), 0);
	assert_int_equal(rvtrace_etrace_next(reader, &(struct rvtrace_etrace_packet){}), 0);
	assert_int_equal(rvtrace_etrace_pending(reader, &offset), 1);
	assert_int_equal(offset, 1000);
	assert_int_equal(rvtrace_etrace_feed(reader, stream + 1, 1), 0);
	assert_int_equal(next(reader).offset, 1000);
	end(reader);
}

static void parameters_that_cannot_be(void **state)
{
	struct rvtrace_etrace_params params = plain();
	struct rvtrace_etrace *reader;

	(void)state;
	params.srcid_width = 17;
	assert_int_equal(rvtrace_etrace_new(&params, &reader), RVTRACE_ERR_INVALID);
	params = plain();
	params.timestamp_width = 12;
	assert_int_equal(rvtrace_etrace_new(&params, &reader), RVTRACE_ERR_INVALID);
}

/* Each source has its own support packets. */
static void modes_are_those_of_the_source(void **state)
{
	struct rvtrace_etrace_params params = plain(), now;
	struct payload support = { }, trap = { };
	struct rvtrace_etrace_packet packet;
	struct rvtrace_etrace *reader;
	uint8_t bytes[128];
	size_t size;

	(void)state;
	params.srcid_width = 8;
	put(&support, 0x21f, 16);
	put(&trap, 0x17 | 3 << 5, 7);
	put(&trap, 2, 4);
	put(&trap, 3, 2);
	put(&trap, 0x1234 >> 1, 63);
	extend_sign(&trap);
	size = encapsulate(&params, 0, false, 0, 0, &support, bytes);
	size += encapsulate(&params, 0, false, 0, 0, &trap, bytes + size);
	size += encapsulate(&params, 1, false, 0, 0, &trap, bytes + size);
	reader = reader_of(&params, bytes, size);
	next(reader);
	rvtrace_etrace_params_of(reader, 0, &now);
	assert_int_equal(now.modes, RVTRACE_ETRACE_IMPLICIT_EXCEPTION);
	rvtrace_etrace_params_of(reader, 1, &now);
	assert_int_equal(now.modes, 0);
	/* The address is left out there, so it is something behind the end. */
	assert_int_equal(rvtrace_etrace_next(reader, &packet), RVTRACE_ERR_TRAILING);
	assert_int_equal(packet.srcid, 0);
	packet = next(reader);
	assert_int_equal(packet.srcid, 1);
	assert_int_equal(packet.inst.address, 0x1234);
	end(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples_of_the_specification),
		cmocka_unit_test(packets_of_a_library),
		cmocka_unit_test(packets_are_told_apart),
		cmocka_unit_test(everything_before_the_payload),
		cmocka_unit_test(nulls_are_passed_over),
		cmocka_unit_test(types_that_are_not_instruction_trace),
		cmocka_unit_test(extend_without_timestamps),
		cmocka_unit_test(packets_without_a_payload),
		cmocka_unit_test(bytes_are_given_one_piece_at_a_time),
		cmocka_unit_test(parameters_that_cannot_be),
		cmocka_unit_test(modes_are_those_of_the_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
