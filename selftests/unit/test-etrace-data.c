// SPDX-License-Identifier: GPL-2.0
/* E-Trace packet layer: fields of data trace. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/etrace.h>

#include "selftests/unit/etrace-payload.h"

static struct rvtrace_etrace_params unified(void)
{
	struct rvtrace_etrace_params params;

	rvtrace_etrace_params_default(&params);
	params.iaddress_width = 64;
	params.daddress_width = 64;
	params.data_width = 64;
	params.dtype_width = 4;
	params.type_width = 1;
	return params;
}

static struct rvtrace_etrace_params split(void)
{
	struct rvtrace_etrace_params params = unified();

	params.split = 1;
	params.lrid_width = 4;
	return params;
}

static int data_error(const struct rvtrace_etrace_params *params, struct payload *p)
{
	struct rvtrace_etrace_te_data data;
	uint8_t bytes[PAYLOAD_BITS / 8];

	extend_sign(p);
	return rvtrace_etrace_parse_data(params, bytes, bytes_of(p, bytes), &data);
}

/* With and without compression, the same. */
static struct rvtrace_etrace_te_data parse_data(const struct rvtrace_etrace_params *params,
						struct payload *p)
{
	struct rvtrace_etrace_te_data data[2];
	uint8_t bytes[PAYLOAD_BITS / 8];

	memset(data, 0, sizeof(data));
	extend_sign(p);
	assert_int_equal(rvtrace_etrace_parse_data(params, bytes, bytes_of(p, bytes), &data[0]),
			 0);
	compress(p);
	assert_int_equal(rvtrace_etrace_parse_data(params, bytes, bytes_of(p, bytes), &data[1]),
			 0);
	assert_memory_equal(&data[0], &data[1], sizeof(data[0]));
	return data[0];
}

/* What diff says of data that comes with an address */
static const uint8_t data_codings[] = {
	RVTRACE_ETRACE_FULL, RVTRACE_ETRACE_XORED, RVTRACE_ETRACE_FULL,
	RVTRACE_ETRACE_DIFFERENTIAL,
};

static void loads_and_stores(void **state)
{
	struct rvtrace_etrace_params params = unified();
	struct rvtrace_etrace_te_data data;
	unsigned int type, size, diff;

	(void)state;
	for (type = 0; type < 4; type++) {
		for (size = 0; size < 4; size++) {
			for (diff = 0; diff < 4; diff++) {
				unsigned int length = (1 << size) - 1;
				uint64_t value = 0x8182838485868788 >> (56 - 8 * length);
				unsigned int shift = type & 1 ? 0 : size;
				struct payload p = { };

				put(&p, type, 3);
				put(&p, size, 2);
				put(&p, diff, 2);
				put(&p, length, size);
				put(&p, value, 8 * (length + 1));
				put(&p, -0x1238ll >> shift, 64);
				data = parse_data(&params, &p);
				assert_int_equal(data.format, type);
				assert_int_equal(data.kind, type & 2 ? RVTRACE_ETRACE_STORE :
						 RVTRACE_ETRACE_LOAD);
				assert_int_equal(data.unaligned, type & 1);
				assert_int_equal(data.size, size);
				assert_int_equal(data.diff, diff);
				assert_int_equal(data.data_len, length);
				assert_true(data.has_data && data.has_address);
				assert_false(data.has_operand || data.split || data.multiple);
				/* The most significant byte is 0x81: negative. */
				assert_int_equal(data.data[0], (uint64_t)((int64_t)(value <<
						 (56 - 8 * length)) >> (56 - 8 * length)));
				assert_int_equal(data.data[1], UINT64_MAX);
				assert_int_equal(data.address, -0x1238ll);
				assert_int_equal(data.data_coding, data_codings[diff]);
				assert_int_equal(data.address_coding, diff ?
						 RVTRACE_ETRACE_DIFFERENTIAL :
						 RVTRACE_ETRACE_FULL);
			}
		}
	}
}

static void format_of_loads_and_stores_alone(void **state)
{
	struct rvtrace_etrace_params params = unified();
	struct rvtrace_etrace_te_data data;
	struct payload p = { };

	(void)state;
	params.dtype_width = 1;
	params.daddress_width = 32;
	params.data_width = 32;
	put(&p, 2, 2);
	put(&p, 2, 2);
	put(&p, 0, 2);
	put(&p, 3, 2);
	put(&p, 0x11223344, 32);
	put(&p, 0x80001000 >> 2, 32);
	data = parse_data(&params, &p);
	assert_int_equal(data.kind, RVTRACE_ETRACE_STORE);
	assert_int_equal(data.data[0], 0x11223344);
	assert_int_equal(data.address, 0x80001000);
}

static void fewer_bytes_than_the_size(void **state)
{
	struct rvtrace_etrace_params params = unified();
	struct rvtrace_etrace_te_data data;
	struct payload p = { };

	(void)state;
	put(&p, 0, 3);
	put(&p, 3, 2);
	put(&p, 2, 2);
	put(&p, 0, 3);
	put(&p, 0xfe, 8);
	put(&p, 1, 64);
	data = parse_data(&params, &p);
	assert_int_equal(data.size, 3);
	assert_int_equal(data.data_len, 0);
	assert_int_equal(data.data[0], -2ll);
	assert_int_equal(data.address, 8);
}

static void data_of_128_bits(void **state)
{
	struct rvtrace_etrace_params params = unified();
	struct rvtrace_etrace_te_data data;
	struct payload p = { }, less = { };

	(void)state;
	params.data_width = 128;
	put(&p, 2, 3);
	put(&p, 4, 3);
	put(&p, 0, 2);
	put(&p, 15, 4);
	put(&p, 0x0102030405060708, 64);
	put(&p, 0xf112131415161718, 64);
	put(&p, 0x1000 >> 4, 64);
	data = parse_data(&params, &p);
	assert_int_equal(data.size, 4);
	assert_int_equal(data.data[0], 0x0102030405060708);
	assert_int_equal(data.data[1], 0xf112131415161718);
	assert_int_equal(data.address, 0x1000);
	put(&less, 2, 3);
	put(&less, 4, 3);
	put(&less, 0, 2);
	put(&less, 9, 4);
	put(&less, 0x0102030405060708, 64);
	put(&less, 0x9234, 16);
	put(&less, 0, 64);
	data = parse_data(&params, &less);
	assert_int_equal(data.data[0], 0x0102030405060708);
	assert_int_equal(data.data[1], 0xffffffffffff9234);
}

static void without_data(void **state)
{
	struct rvtrace_etrace_params params = unified();
	struct rvtrace_etrace_te_data data;
	unsigned int diff;

	(void)state;
	params.modes = RVTRACE_ETRACE_NO_DATA;
	for (diff = 0; diff < 2; diff++) {
		struct payload load = { }, atomic = { }, csr = { };

		put(&load, 1, 3);
		put(&load, 1, 2);
		put(&load, diff, 1);
		put(&load, 0xffff, 64);
		data = parse_data(&params, &load);
		assert_int_equal(data.address, 0xffff);
		assert_int_equal(data.address_coding, diff);
		assert_false(data.has_data);

		put(&atomic, 6, 3);
		put(&atomic, RVTRACE_ETRACE_SC_FAILED, 3);
		put(&atomic, 2, 2);
		put(&atomic, diff, 1);
		put(&atomic, 0x4000 >> 2, 64);
		data = parse_data(&params, &atomic);
		assert_int_equal(data.kind, RVTRACE_ETRACE_ATOMIC);
		assert_int_equal(data.subtype, RVTRACE_ETRACE_SC_FAILED);
		assert_int_equal(data.address, 0x4000);
		assert_false(data.has_data || data.has_operand);

		put(&csr, 5, 3);
		put(&csr, RVTRACE_ETRACE_CSR_RS, 2);
		put(&csr, diff, 1);
		put(&csr, 0x342 >> 6, 6);
		put(&csr, 0x342 & 0x3f, 6);
		data = parse_data(&params, &csr);
		assert_int_equal(data.kind, RVTRACE_ETRACE_CSR);
		assert_int_equal(data.subtype, RVTRACE_ETRACE_CSR_RS);
		assert_int_equal(data.csr, 0x342);
		assert_false(data.has_data || data.has_operand);
	}
}

static void without_addresses(void **state)
{
	static const uint8_t codings[] = { RVTRACE_ETRACE_FULL, RVTRACE_ETRACE_XORED, 0,
					   RVTRACE_ETRACE_DIFFERENTIAL };
	struct rvtrace_etrace_params params = unified();
	struct rvtrace_etrace_te_data data;
	unsigned int diff, width;

	(void)state;
	params.modes = RVTRACE_ETRACE_NO_ADDRESS;
	for (width = 1; width <= 2; width++) {
		params.ddiff_width = width;
		for (diff = 0; diff < 1u << width; diff++) {
			struct payload store = { }, atomic = { };

			put(&store, 3, 3);
			put(&store, 2, 2);
			put(&store, diff, width);
			put(&store, -0x1234ll, 64);
			put(&atomic, 6, 3);
			put(&atomic, RVTRACE_ETRACE_MAX, 3);
			put(&atomic, 2, 2);
			put(&atomic, diff, width);
			put(&atomic, 1, 2);
			put(&atomic, 0x8123, 16);
			put(&atomic, 0x7654, 64);
			if (diff == 2) {
				assert_int_equal(data_error(&params, &store), RVTRACE_ERR_FIELD);
				assert_int_equal(data_error(&params, &atomic), RVTRACE_ERR_FIELD);
				continue;
			}
			data = parse_data(&params, &store);
			assert_int_equal(data.data[0], -0x1234ll);
			assert_false(data.has_address);
			assert_int_equal(data.data_coding, width == 2 ? codings[diff] : diff ?
					 RVTRACE_ETRACE_COMPRESSED : RVTRACE_ETRACE_FULL);
			data = parse_data(&params, &atomic);
			assert_int_equal(data.operand[0], (uint64_t)(int64_t)(int16_t)0x8123);
			assert_int_equal(data.data[0], 0x7654);
			assert_false(data.has_address);
		}
	}
	params.modes |= RVTRACE_ETRACE_NO_DATA;
	assert_int_equal(data_error(&params, &(struct payload){ .count = 16 }), RVTRACE_ERR_FIELD);
}

static void atomics(void **state)
{
	struct rvtrace_etrace_params params = unified();
	struct rvtrace_etrace_te_data data;
	unsigned int type, size;

	(void)state;
	for (type = 0; type < 8; type++) {
		for (size = 2; size < 4; size++) {
			struct payload p = { };

			put(&p, 6, 3);
			put(&p, type, 3);
			put(&p, size, 2);
			put(&p, 3, 2);
			put(&p, 2, size);
			put(&p, 0x123456, 24);
			put(&p, 3, size);
			put(&p, 0x80000001, 32);
			put(&p, 0x88 >> size, 64);
			if (type == RVTRACE_ETRACE_SC_FAILED) {
				assert_int_equal(data_error(&params, &p), RVTRACE_ERR_FIELD);
				continue;
			}
			data = parse_data(&params, &p);
			assert_int_equal(data.kind, RVTRACE_ETRACE_ATOMIC);
			assert_int_equal(data.subtype, type);
			assert_int_equal(data.size, size);
			assert_int_equal(data.op_len, 2);
			assert_int_equal(data.operand[0], 0x123456);
			assert_int_equal(data.data[0], 0xffffffff80000001);
			assert_int_equal(data.address, 0x88);
			assert_int_equal(data.data_coding, RVTRACE_ETRACE_DIFFERENTIAL);
		}
	}
}

static void csrs(void **state)
{
	static const uint16_t addresses[] = { 0x300, 0x7c0, 0xbff, 0xc00, 0xf14 };
	struct rvtrace_etrace_params params = unified();
	struct rvtrace_etrace_te_data data;
	unsigned int i, xlen;

	(void)state;
	for (i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		bool read_only = addresses[i] >= 0xc00;

		for (xlen = 32; xlen <= 64; xlen += 32) {
			unsigned int width = xlen / 32 + 1;
			struct payload p = { };

			params.iaddress_width = xlen;
			put(&p, 5, 3);
			put(&p, RVTRACE_ETRACE_CSR_RC, 2);
			put(&p, 1, 2);
			put(&p, 3, width);
			put(&p, 0xfffffffe, 32);
			put(&p, addresses[i] >> 6, 6);
			if (!read_only) {
				put(&p, 0, width);
				put(&p, 0x55, 8);
			}
			put(&p, addresses[i] & 0x3f, 6);
			data = parse_data(&params, &p);
			assert_int_equal(data.kind, RVTRACE_ETRACE_CSR);
			assert_int_equal(data.subtype, RVTRACE_ETRACE_CSR_RC);
			assert_int_equal(data.csr, addresses[i]);
			assert_int_equal(data.data[0], -2ll);
			assert_int_equal(data.data_coding, RVTRACE_ETRACE_XORED);
			assert_int_equal(data.has_operand, !read_only);
			assert_int_equal(data.operand[0], read_only ? 0 : 0x55);
		}
	}
}

static void split_loads(void **state)
{
	struct rvtrace_etrace_params params = split(), not_split = unified();
	struct rvtrace_etrace_te_data data;
	unsigned int resp;
	struct payload p = { };

	(void)state;
	put(&p, 0, 3);
	put(&p, 3, 2);
	put(&p, 9, 4);
	put(&p, 1, 1);
	put(&p, -8ll >> 3, 64);
	data = parse_data(&params, &p);
	assert_int_equal(data.kind, RVTRACE_ETRACE_LOAD);
	assert_true(data.split);
	assert_int_equal(data.lrid, 9);
	assert_int_equal(data.address, -8ll);
	assert_int_equal(data.address_coding, RVTRACE_ETRACE_DIFFERENTIAL);
	assert_false(data.has_data);
	for (resp = 0; resp < 4; resp++) {
		struct payload answer = { };

		put(&answer, 4, 3);
		put(&answer, 3, 2);
		put(&answer, 9, 4);
		put(&answer, resp, 2);
		if (resp)
			put(&answer, 0x8000000000000001, 64);
		data = parse_data(&params, &answer);
		assert_int_equal(data.kind, RVTRACE_ETRACE_LOAD_DATA);
		assert_int_equal(data.lrid, 9);
		assert_int_equal(data.error, !resp);
		assert_int_equal(data.has_data, resp > 0);
		assert_int_equal(data.data[0], resp ? 0x8000000000000001 : 0);
		assert_int_equal(data.data_coding, data_codings[resp]);
		assert_int_equal(data_error(&not_split, &answer), RVTRACE_ERR_FIELD);
	}
}

/* A header goes into the first byte, which is there. */
static size_t encapsulated(const struct payload *p, uint8_t *bytes)
{
	size_t size = bytes_of(p, bytes);

	bytes[0] = size - 1;
	return size;
}

/* The length of the data has as many bits as the size of its request says. */
static void split_atomics(void **state)
{
	struct rvtrace_etrace_params params = split();
	struct rvtrace_etrace_packet packet;
	struct rvtrace_etrace *reader;
	struct payload request = { }, answer = { }, other = { };
	uint8_t bytes[128];
	size_t size;

	(void)state;
	put(&request, 0, 8);
	put(&request, 1, 1);
	put(&request, 6, 3);
	put(&request, RVTRACE_ETRACE_OR, 3);
	put(&request, 2, 2);
	put(&request, 5, 4);
	put(&request, 1, 2);
	put(&request, 0, 2);
	put(&request, 0x7f, 8);
	put(&request, 0x40 >> 2, 64);
	extend_sign(&request);
	put(&answer, 0, 8);
	put(&answer, 1, 1);
	put(&answer, 7, 3);
	put(&answer, 5, 4);
	put(&answer, 2, 2);
	put(&answer, 1, 2);
	put(&answer, 0x8001, 16);
	extend_sign(&answer);
	put(&other, 0, 8);
	put(&other, 1, 1);
	put(&other, 7, 3);
	put(&other, 6, 4);
	put(&other, 2, 2);
	put(&other, 0, 22);
	params.sign_padding = 1;
	size = encapsulated(&request, bytes);
	size += encapsulated(&answer, bytes + size);
	size += encapsulated(&other, bytes + size);
	assert_int_equal(rvtrace_etrace_new(&params, &reader), 0);
	assert_int_equal(rvtrace_etrace_feed(reader, bytes, size), 0);
	assert_int_equal(rvtrace_etrace_next(reader, &packet), 1);
	assert_int_equal(packet.data.kind, RVTRACE_ETRACE_ATOMIC);
	assert_int_equal(packet.data.lrid, 5);
	assert_int_equal(packet.data.operand[0], 0x7f);
	assert_int_equal(packet.data.address, 0x40);
	assert_int_equal(rvtrace_etrace_next(reader, &packet), 1);
	assert_int_equal(packet.data.kind, RVTRACE_ETRACE_ATOMIC_DATA);
	assert_int_equal(packet.data.size, 2);
	assert_int_equal(packet.data.data_len, 1);
	assert_int_equal(packet.data.data[0], (uint64_t)(int64_t)(int16_t)0x8001);
	/* No request had that id. */
	assert_int_equal(rvtrace_etrace_next(reader, &packet), RVTRACE_ERR_FIELD);
	rvtrace_etrace_free(reader);
}

/* 2.0.5 draft: format and subformat */
static void multiple_accesses(void **state)
{
	static const uint8_t widths[] = { 0, 0, 1, 2, 2 };
	struct rvtrace_etrace_params params = unified();
	struct rvtrace_etrace_te_data data;
	unsigned int dtype, format;

	(void)state;
	params.mmacas_ext = 1;
	for (dtype = 1; dtype <= 4; dtype++) {
		params.dtype_width = dtype;
		for (format = 0; format < 2 && format < 1u << widths[dtype]; format++) {
			struct payload p = { };

			put(&p, format, widths[dtype]);
			put(&p, 2, 2);
			put(&p, 1, 2);
			put(&p, 0, 2);
			put(&p, 1, 1);
			put(&p, 0x1234, 16);
			put(&p, 0x2000 >> 1, 64);
			data = parse_data(&params, &p);
			assert_int_equal(data.kind, RVTRACE_ETRACE_STORE);
			assert_int_equal(data.multiple, format);
			assert_int_equal(data.data[0], 0x1234);
			assert_int_equal(data.address, 0x2000);
		}
	}
}

static void subformats_of_atomics_and_csrs(void **state)
{
	struct rvtrace_etrace_params params = unified();
	struct rvtrace_etrace_te_data data;
	unsigned int subformat;

	(void)state;
	params.mmacas_ext = 1;
	params.modes = RVTRACE_ETRACE_NO_DATA;
	for (subformat = 0; subformat < 16; subformat++) {
		bool csr = subformat >= 4 && subformat < 7;
		struct payload p = { };

		put(&p, 2, 2);
		put(&p, subformat, 4);
		put(&p, csr ? 0 : 3, csr ? 1 : 2);
		put(&p, 0, csr ? 0 : 1);
		put(&p, 0x20, 64);
		if (subformat < 4) {
			assert_int_equal(data_error(&params, &p), RVTRACE_ERR_FIELD);
			continue;
		}
		data = parse_data(&params, &p);
		assert_int_equal(data.kind, csr ? RVTRACE_ETRACE_CSR : RVTRACE_ETRACE_ATOMIC);
		assert_int_equal(data.subtype, csr ? subformat - 4 : subformat == 7 ?
				 RVTRACE_ETRACE_CAS_FAILED : subformat - 8);
		assert_int_equal(csr ? data.csr : data.address, csr ? 0x800 : 0x100);
	}
}

static void comparisons_that_failed(void **state)
{
	struct rvtrace_etrace_params params = unified();
	struct rvtrace_etrace_te_data data;
	struct payload p = { };

	(void)state;
	params.mmacas_ext = 1;
	put(&p, 2, 2);
	put(&p, 7, 4);
	put(&p, 3, 2);
	put(&p, 1, 2);
	put(&p, 1, 3);
	put(&p, 0x1234, 16);
	put(&p, 0x48 >> 3, 64);
	data = parse_data(&params, &p);
	assert_int_equal(data.subtype, RVTRACE_ETRACE_CAS_FAILED);
	assert_int_equal(data.operand[0], 0x1234);
	assert_int_equal(data.address, 0x48);
	assert_false(data.has_data);
}

static void sizes_and_types_that_cannot_be(void **state)
{
	struct rvtrace_etrace_params params = unified();
	struct payload wide = { }, reserved = { };

	(void)state;
	params.data_width = 32;
	put(&wide, 0, 3);
	put(&wide, 3, 2);
	put(&wide, 0, 80);
	assert_int_equal(data_error(&params, &wide), RVTRACE_ERR_FIELD);
	params = unified();
	put(&reserved, 5, 3);
	put(&reserved, 3, 2);
	put(&reserved, 0, 40);
	assert_int_equal(data_error(&params, &reserved), RVTRACE_ERR_FIELD);
	memset(&reserved, 0, sizeof(reserved));
	put(&reserved, 7, 3);
	put(&reserved, 0, 40);
	assert_int_equal(data_error(&params, &reserved), RVTRACE_ERR_FIELD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_and_stores),
		cmocka_unit_test(format_of_loads_and_stores_alone),
		cmocka_unit_test(fewer_bytes_than_the_size),
		cmocka_unit_test(data_of_128_bits),
		cmocka_unit_test(without_data),
		cmocka_unit_test(without_addresses),
		cmocka_unit_test(atomics),
		cmocka_unit_test(csrs),
		cmocka_unit_test(split_loads),
		cmocka_unit_test(split_atomics),
		cmocka_unit_test(multiple_accesses),
		cmocka_unit_test(subformats_of_atomics_and_csrs),
		cmocka_unit_test(comparisons_that_failed),
		cmocka_unit_test(sizes_and_types_that_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
