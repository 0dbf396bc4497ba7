// SPDX-License-Identifier: GPL-2.0
/* N-Trace packet layer. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/ntrace.h>

#define PACKETS(...)	((const uint8_t[]){ __VA_ARGS__ }), sizeof((const uint8_t[]){ __VA_ARGS__ })

static const struct rvtrace_ntrace_config plain = { .xlen = 64 };

static struct rvtrace_ntrace *reader_of(const struct rvtrace_ntrace_config *config,
					const uint8_t *bytes, size_t size)
{
	struct rvtrace_ntrace *reader;

	assert_int_equal(rvtrace_ntrace_new(config, &reader), 0);
	assert_int_equal(rvtrace_ntrace_feed(reader, bytes, size), 0);
	return reader;
}

/* Reads what must be the only message of a stream. */
static struct rvtrace_ntrace_message only(const struct rvtrace_ntrace_config *config,
					  const uint8_t *bytes, size_t size)
{
	struct rvtrace_ntrace *reader = reader_of(config, bytes, size);
	struct rvtrace_ntrace_message m, end;

	assert_int_equal(rvtrace_ntrace_next(reader, &m), 1);
	assert_int_equal(rvtrace_ntrace_next(reader, &end), 0);
	assert_int_equal(rvtrace_ntrace_pending(reader, NULL), 0);
	m.raw = NULL;
	rvtrace_ntrace_free(reader);
	return m;
}

static int only_error(const struct rvtrace_ntrace_config *config, const uint8_t *bytes,
		      size_t size)
{
	struct rvtrace_ntrace *reader = reader_of(config, bytes, size);
	struct rvtrace_ntrace_message m;
	int ret = rvtrace_ntrace_next(reader, &m);

	rvtrace_ntrace_free(reader);
	return ret;
}

/* N-Trace 1.0, table "MDO and MSEO Encoding Example". */
static void example_of_the_specification(void **state)
{
	struct rvtrace_ntrace_message m = only(&plain, PACKETS(0xff, 0x70, 0xd0, 0x1d, 0x1d, 0xf8,
							       0xff, 0xff));

	(void)state;
	assert_int_equal(m.offset, 1);
	assert_int_equal(m.size, 6);
	assert_int_equal(m.tcode, RVTRACE_NTRACE_INDIRECT_BRANCH_HIST);
	assert_int_equal(m.btype, 0);
	assert_int_equal(m.icnt, 0x7d);
	assert_int_equal(m.address, 0x7 << 1);
	assert_int_equal(m.hist, 0xffe);
	assert_false(m.has_tstamp);
	assert_false(m.has_sync);
}

static void prog_trace_sync(void **state)
{
	/* from the reference dump of a 32-bit core */
	struct rvtrace_ntrace_config config = { .xlen = 32 };
	struct rvtrace_ntrace_message m = only(&config, PACKETS(0x24, 0x05, 0x44, 0x28, 0x20, 0x00,
								0x43));

	(void)state;
	assert_int_equal(m.tcode, RVTRACE_NTRACE_PROG_TRACE_SYNC);
	assert_true(m.has_sync);
	assert_int_equal(m.sync, RVTRACE_NTRACE_SYNC_RESET);
	assert_int_equal(m.icnt, 0);
	assert_int_equal(m.address, 0x20010522);
}

static void source_and_timestamp(void **state)
{
	struct rvtrace_ntrace_config config = { .xlen = 64, .src_bits = 3 };
	/* DirectBranch, SRC 5, I-CNT 0x17 over two bytes, TSTAMP 0x41 */
	struct rvtrace_ntrace_message m = only(&config, PACKETS(3 << 2, (5 | (7 << 3)) << 2,
								2 << 2 | 1, 1 << 2, 1 << 2 | 3));

	(void)state;
	assert_int_equal(m.src, 5);
	assert_int_equal(m.icnt, 0x17);
	assert_true(m.has_tstamp);
	assert_int_equal(m.tstamp, 0x41);
}

/* N-Trace 1.0 "Virtual Addresses Optimization", the four examples; F-ADDR of ProgTraceSync. */
static void extended_addresses(void **state)
{
	static const struct {
		uint8_t field[11];
		uint8_t size;
		uint64_t address;
	} examples[] = {
		{ { 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x7f }, 6, 0xFFFFFFFFE },
		{ { 0xfc, 0xfc, 0xfc, 0xfc, 0x7c, 0xf3 }, 6, 0xFFFFFFFE3FFFFFFE },
		{ { 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x03 }, 7, 0x1FFFFFFFFE },
		{ { 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x17 }, 11,
		  0xBFFFFFFFFFFFFFFE },
	};
	struct rvtrace_ntrace_config config = { .xlen = 64, .extend_addr_msb = true };

	(void)state;
	for (unsigned int i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		uint8_t bytes[16] = { 0x24, 0x05 };
		struct rvtrace_ntrace_message m;

		memcpy(bytes + 2, examples[i].field, examples[i].size);
		m = only(&config, bytes, 2 + examples[i].size);
		assert_int_equal(m.address, examples[i].address);
	}
}

static void extended_address_of_32_bits(void **state)
{
	struct rvtrace_ntrace_config config = { .xlen = 32, .extend_addr_msb = true };
	struct rvtrace_ntrace_message m = only(&config, PACKETS(0x24, 0x05, 0x80 | 3));

	(void)state;
	assert_int_equal(m.address, 0xffffffc0);
}

static void ownership(void **state)
{
	/* PROCESS=0x3B2: scontext 0x1D, VU-mode; then TSTAMP 2 */
	struct rvtrace_ntrace_message m = only(&plain, PACKETS(2 << 2, 0x32 << 2, 0xe << 2 | 1,
							       2 << 2 | 3));

	(void)state;
	assert_int_equal(m.tcode, RVTRACE_NTRACE_OWNERSHIP);
	assert_int_equal(m.format, RVTRACE_NTRACE_PROCESS_SCONTEXT);
	assert_int_equal(m.priv, 0);
	assert_true(m.v);
	assert_int_equal(m.context, 0x1d);
	assert_int_equal(m.tstamp, 2);

	/* PROCESS=0xC: M-mode */
	m = only(&plain, PACKETS(2 << 2, 0xc << 2 | 3));
	assert_int_equal(m.format, RVTRACE_NTRACE_PROCESS_PRIV);
	assert_int_equal(m.priv, 3);
	assert_false(m.v);
}

/* Later specifications, and vendors, may say more: what is not known is no damage. */
static void reserved_encodings(void **state)
{
	struct rvtrace_ntrace_message m = only(&plain, PACKETS(2 << 2, 0x8 << 2 | 3));

	(void)state;
	/* PRV 2, FORMAT 1 */
	assert_int_equal(m.format, RVTRACE_NTRACE_PROCESS_RESERVED);
	assert_int_equal(m.data, 0x8);
	m = only(&plain, PACKETS(2 << 2, 0x5 << 2 | 1, 2 << 2 | 3));
	assert_int_equal(m.format, RVTRACE_NTRACE_PROCESS_RESERVED);
	assert_int_equal(m.tstamp, 2);
	/* any number of RDATA: none is a timestamp for sure */
	for (unsigned int rcode = 3; rcode < 16; rcode++) {
		m = only(&plain, PACKETS(27 << 2, (rcode | 1 << 4) << 2 | 1, 6 << 2 | 1,
					 7 << 2 | 3));
		assert_int_equal(m.rcode, rcode);
		assert_false(m.has_icnt || m.has_hist || m.has_tstamp);
		m = only(&plain, PACKETS(27 << 2, (rcode | 1 << 4) << 2 | 3));
		assert_int_equal(m.rcode, rcode);
	}
}

/* Words of its own: what would be a wrong FORMAT or PRV is none. */
static void ownership_of_software(void **state)
{
	const struct rvtrace_ntrace_config config = { .xlen = 64, .software_owner = true };
	struct rvtrace_ntrace_message m = only(&config, PACKETS(2 << 2, 0x9 << 2 | 1,
								2 << 2 | 3));

	(void)state;
	assert_int_equal(m.format, RVTRACE_NTRACE_PROCESS_SOFTWARE);
	assert_int_equal(m.data, 9);
	assert_int_equal(m.tstamp, 2);
}

static void resource_full(void **state)
{
	struct rvtrace_ntrace_message m;

	(void)state;
	m = only(&plain, PACKETS(27 << 2, (0 | 1 << 4) << 2, 5 << 2 | 3));
	assert_true(m.has_icnt);
	assert_int_equal(m.icnt, 0x15);
	m = only(&plain, PACKETS(27 << 2, (1 | 1 << 4) << 2, 2 << 2 | 3));
	assert_true(m.has_hist);
	assert_int_equal(m.hist, 0x9);
	assert_int_equal(m.repeat, 1);
	/* from the reference dump: RDATA 0x80000000, HREPEAT 8 */
	m = only(&plain, PACKETS(0x6c, 0x08, 0x00, 0x00, 0x00, 0x00, 0x81, 0x23));
	assert_int_equal(m.rcode, 2);
	assert_int_equal(m.hist, 0x80000000);
	assert_int_equal(m.repeat, 8);
	assert_false(m.has_tstamp);
}

static void correlation(void **state)
{
	/* from the reference dump */
	struct rvtrace_ntrace_message m = only(&plain, PACKETS(0x84, 0x40, 0xa8, 0xec, 0x14, 0x05,
							       0xb7));

	(void)state;
	assert_int_equal(m.tcode, RVTRACE_NTRACE_PROG_TRACE_CORRELATION);
	assert_int_equal(m.evcode, 0);
	assert_int_equal(m.icnt, 0x45eea);
	assert_int_equal(m.hist, 0x2d);
	/* EVCODE 4, CDF 0 */
	m = only(&plain, PACKETS(0x84, 4 << 2, 3 << 2 | 3));
	assert_int_equal(m.evcode, 4);
	assert_int_equal(m.icnt, 3);
	assert_false(m.has_hist);
}

static void error_repeat_and_data(void **state)
{
	struct rvtrace_ntrace_message m;

	(void)state;
	m = only(&plain, PACKETS(8 << 2, (0 | 0 << 4) << 2, 3 << 2 | 3));
	assert_int_equal(m.tcode, RVTRACE_NTRACE_ERROR);
	assert_int_equal(m.etype, 0);
	assert_int_equal(m.ecode, 0xc);
	m = only(&plain, PACKETS(30 << 2, 9 << 2 | 3));
	assert_int_equal(m.repeat, 9);
	m = only(&plain, PACKETS(7 << 2, 4 << 2 | 1, 8 << 2, 1 << 2 | 3));
	assert_int_equal(m.id, 4);
	assert_int_equal(m.data, 0x48);
}

static void vendor_messages_are_delimited(void **state)
{
	struct rvtrace_ntrace_message m = only(&plain, PACKETS(56 << 2, 1, 2 << 2 | 1, 0x3f));

	(void)state;
	assert_int_equal(m.tcode, 56);
	assert_int_equal(m.size, 4);
	assert_string_equal(rvtrace_ntrace_tcode_name(56), "Vendor");
	assert_string_equal(rvtrace_ntrace_tcode_name(13), "Reserved");
	assert_string_equal(rvtrace_ntrace_tcode_name(28), "IndirectBranchHist");
}

/* More than the 22 bits that hardware is advised to stop at */
static void icnt_may_be_large(void **state)
{
	struct rvtrace_ntrace_message m = only(&plain, PACKETS(3 << 2, 0, 0, 0, 0, 0x83));

	(void)state;
	assert_int_equal(m.icnt, 1u << 29);
}

static void errors_are_typed(void **state)
{
	(void)state;
	/* reserved MSEO in a message; field end and message end outside of one */
	assert_int_equal(only_error(&plain, PACKETS(3 << 2, 2, 7)), RVTRACE_ERR_MSEO);
	assert_int_equal(only_error(&plain, PACKETS(3 << 2 | 1)), RVTRACE_ERR_MSEO);
	assert_int_equal(only_error(&plain, PACKETS(3 << 2 | 3)), RVTRACE_ERR_MSEO);
	/* IndirectBranch without U-ADDR; HIST missing */
	assert_int_equal(only_error(&plain, PACKETS(4 << 2, 7)), RVTRACE_ERR_TRUNCATED);
	assert_int_equal(only_error(&plain, PACKETS(28 << 2, 1, 7)), RVTRACE_ERR_TRUNCATED);
	/* a field behind TSTAMP */
	assert_int_equal(only_error(&plain, PACKETS(3 << 2, 5, 5, 7)), RVTRACE_ERR_TRAILING);
	/* HIST without a stop bit, CDF 2, I-CNT of more than 30 bits */
	assert_int_equal(only_error(&plain, PACKETS(28 << 2, 1, 5, 3)), RVTRACE_ERR_FIELD);
	assert_int_equal(only_error(&plain, PACKETS(33 << 2, 2 << 6, 5, 7)), RVTRACE_ERR_FIELD);
	assert_int_equal(only_error(&plain, PACKETS(3 << 2, 0, 0, 0, 0, 0, 7)), RVTRACE_ERR_FIELD);
	/* I-CNT of 65 bits: bit 64 in the packet that straddles it, and in the one behind */
	assert_int_equal(only_error(&plain, PACKETS(3 << 2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x43)),
			 RVTRACE_ERR_FIELD);
	assert_int_equal(only_error(&plain, PACKETS(3 << 2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7)),
			 RVTRACE_ERR_FIELD);
}

/* Of two bytes or of one, in the last byte of a message, or of a variable-length field. */
static void fixed_fields_that_are_cut(void **state)
{
	const struct rvtrace_ntrace_config wide = { .xlen = 64, .src_bits = 12 };
	const struct rvtrace_ntrace_config narrow = { .xlen = 64, .src_bits = 2 };

	(void)state;
	/* SRC of DirectBranch */
	assert_int_equal(only_error(&wide, PACKETS(0x0c, 0x07, 0x04, 0x07)), RVTRACE_ERR_TRUNCATED);
	assert_int_equal(only_error(&wide, PACKETS(0x0c, 0x05, 0x04, 0x07)), RVTRACE_ERR_TRUNCATED);
	/* CDF of ProgTraceCorrelation, B-TYPE of IndirectBranchSync */
	assert_int_equal(only_error(&narrow, PACKETS(0x84, 0x07, 0x05, 0x07)), RVTRACE_ERR_TRUNCATED);
	assert_int_equal(only_error(&narrow, PACKETS(0x30, 0x07, 0x05, 0x07)), RVTRACE_ERR_TRUNCATED);
	assert_int_equal(only_error(&narrow, PACKETS(0x30, 0x05, 0x05, 0x07)), RVTRACE_ERR_TRUNCATED);
}

static void the_largest_values(void **state)
{
	const struct rvtrace_ntrace_config narrow = { .xlen = 32 };

	(void)state;
	/* B-CNT of 18 bits */
	assert_int_equal(only(&plain, PACKETS(0x78, 0xfc, 0xfc, 0xff)).repeat, 0x3ffff);
	assert_int_equal(only_error(&plain, PACKETS(0x78, 0x00, 0x00, 0x00, 0x07)),
			 RVTRACE_ERR_FIELD);
	/* addresses of IndirectBranch, which leave out bit 0 */
	assert_int_equal(only(&narrow, PACKETS(0x10, 0x11, 0, 0, 0, 0, 0, 0x07)).address,
			 0x80000000);
	assert_int_equal(only_error(&narrow, PACKETS(0x10, 0x11, 0, 0, 0, 0, 0, 0x0b)),
			 RVTRACE_ERR_FIELD);
	assert_int_equal(only(&plain, PACKETS(0x10, 0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
					      0x13)).address, 1ull << 63);
	assert_int_equal(only_error(&plain, PACKETS(0x10, 0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
						    0x23)), RVTRACE_ERR_FIELD);
}

static void error_has_the_offset_and_reading_resumes(void **state)
{
	static const uint8_t bytes[] = { 0xff, 3 << 2, 7, 3 << 2, 2, 4, 8, 3, 3 << 2, 0xb };
	struct rvtrace_ntrace *reader = reader_of(&plain, bytes, sizeof(bytes));
	struct rvtrace_ntrace_message m;

	(void)state;
	assert_int_equal(rvtrace_ntrace_next(reader, &m), 1);
	assert_int_equal(m.offset, 1);
	assert_int_equal(rvtrace_ntrace_next(reader, &m), RVTRACE_ERR_MSEO);
	assert_int_equal(m.offset, 3);
	assert_int_equal(rvtrace_ntrace_next(reader, &m), 1);
	assert_int_equal(m.offset, 8);
	assert_int_equal(m.icnt, 2);
	assert_int_equal(rvtrace_ntrace_next(reader, &m), 0);
	rvtrace_ntrace_free(reader);
}

static void zeroes_are_one_error_not_a_message(void **state)
{
	static const uint8_t zeroes[RVTRACE_NTRACE_MESSAGE_MAX * 4];
	struct rvtrace_ntrace *reader = reader_of(&plain, zeroes, sizeof(zeroes));
	struct rvtrace_ntrace_message m;

	(void)state;
	assert_int_equal(rvtrace_ntrace_next(reader, &m), RVTRACE_ERR_TOO_LONG);
	assert_int_equal(m.offset, 0);
	assert_int_equal(rvtrace_ntrace_next(reader, &m), 0);
	rvtrace_ntrace_free(reader);
}

static void any_chunking_gives_the_same(void **state)
{
	static const uint8_t bytes[] = { 0x24, 0x05, 0x44, 0x28, 0x20, 0x00, 0x43, 0xff, 0x6c, 0x08,
					 0x00, 0x00, 0x00, 0x00, 0x81, 0x23, 0x84, 0x40, 0xa8, 0xec,
					 0x14, 0x05, 0xb7 };
	static const uint64_t offsets[] = { 0, 8, 16 };
	struct rvtrace_ntrace *reader;
	struct rvtrace_ntrace_message m;

	(void)state;
	for (size_t chunk = 1; chunk <= sizeof(bytes); chunk++) {
		unsigned int count = 0;

		assert_int_equal(rvtrace_ntrace_new(&plain, &reader), 0);
		for (size_t at = 0; at < sizeof(bytes); at += chunk) {
			size_t size = chunk < sizeof(bytes) - at ? chunk : sizeof(bytes) - at;

			assert_int_equal(rvtrace_ntrace_feed(reader, bytes + at, size), 0);
			while (rvtrace_ntrace_next(reader, &m) == 1) {
				assert_int_equal(m.offset, offsets[count++]);
				assert_memory_equal(m.raw, bytes + m.offset, m.size);
			}
		}
		assert_int_equal(count, 3);
		rvtrace_ntrace_free(reader);
	}
}

static void cut_message_is_pending(void **state)
{
	static const uint8_t bytes[] = { 3 << 2, 7, 28 << 2, 1 };
	struct rvtrace_ntrace *reader = reader_of(&plain, bytes, sizeof(bytes));
	struct rvtrace_ntrace_message m;
	uint64_t offset;

	(void)state;
	assert_int_equal(rvtrace_ntrace_feed(reader, bytes, 1), RVTRACE_ERR_BUSY);
	assert_int_equal(rvtrace_ntrace_next(reader, &m), 1);
	assert_int_equal(rvtrace_ntrace_next(reader, &m), 0);
	assert_int_equal(rvtrace_ntrace_pending(reader, &offset), 2);
	assert_int_equal(offset, 2);
	rvtrace_ntrace_free(reader);
}

static void resync_skips_the_rest_of_a_message(void **state)
{
	static const uint8_t bytes[] = { 8, 4, 7, 0xff, 3 << 2, 0xb };
	struct rvtrace_ntrace_message m;
	struct rvtrace_ntrace *reader;

	(void)state;
	assert_int_equal(rvtrace_ntrace_new(&plain, &reader), 0);
	rvtrace_ntrace_resync(reader, 1000);
	assert_int_equal(rvtrace_ntrace_feed(reader, bytes, sizeof(bytes)), 0);
	assert_int_equal(rvtrace_ntrace_next(reader, &m), 1);
	assert_int_equal(m.offset, 1004);
	assert_int_equal(m.icnt, 2);
	rvtrace_ntrace_free(reader);
}

static void parameters_are_checked(void **state)
{
	struct rvtrace_ntrace_config wide = { .xlen = 64, .src_bits = 13 };
	struct rvtrace_ntrace_config odd = { .xlen = 48 };
	struct rvtrace_ntrace *reader;

	(void)state;
	assert_int_equal(rvtrace_ntrace_new(&wide, &reader), RVTRACE_ERR_INVALID);
	assert_int_equal(rvtrace_ntrace_new(&odd, &reader), RVTRACE_ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(example_of_the_specification),
		cmocka_unit_test(prog_trace_sync),
		cmocka_unit_test(source_and_timestamp),
		cmocka_unit_test(extended_addresses),
		cmocka_unit_test(extended_address_of_32_bits),
		cmocka_unit_test(ownership),
		cmocka_unit_test(reserved_encodings),
		cmocka_unit_test(ownership_of_software),
		cmocka_unit_test(resource_full),
		cmocka_unit_test(correlation),
		cmocka_unit_test(error_repeat_and_data),
		cmocka_unit_test(vendor_messages_are_delimited),
		cmocka_unit_test(icnt_may_be_large),
		cmocka_unit_test(errors_are_typed),
		cmocka_unit_test(fixed_fields_that_are_cut),
		cmocka_unit_test(the_largest_values),
		cmocka_unit_test(error_has_the_offset_and_reading_resumes),
		cmocka_unit_test(zeroes_are_one_error_not_a_message),
		cmocka_unit_test(any_chunking_gives_the_same),
		cmocka_unit_test(cut_message_is_pending),
		cmocka_unit_test(resync_skips_the_rest_of_a_message),
		cmocka_unit_test(parameters_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
