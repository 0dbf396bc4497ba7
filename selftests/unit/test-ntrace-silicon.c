// SPDX-License-Identifier: GPL-2.0
/*
 * Messages that encoders on silicon sent: their bytes, or their fields and offsets as the vendor's
 * decoder prints them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/ntrace.h>

#include "tools/encode/nexus.h"

#define ROOM	256

struct stream {
	struct nexus_message msg;
	uint8_t bytes[ROOM];
	size_t size;
};

static struct rvtrace_ntrace *reader;
static struct rvtrace_ntrace_message m;

static int teardown(void **state)
{
	(void)state;
	rvtrace_ntrace_free(reader);
	reader = NULL;
	return 0;
}

static void read_stream(const struct rvtrace_ntrace_config *config, const void *bytes, size_t size)
{
	assert_int_equal(rvtrace_ntrace_new(config, &reader), 0);
	assert_int_equal(rvtrace_ntrace_feed(reader, bytes, size), 0);
}

/* The next message, which begins there. */
static void next_is(uint64_t offset, unsigned int tcode, unsigned int src)
{
	assert_int_equal(rvtrace_ntrace_next(reader, &m), 1);
	assert_int_equal(m.offset, offset);
	assert_int_equal(m.tcode, tcode);
	assert_int_equal(m.src, src);
}

static void nothing_is_left(void)
{
	assert_int_equal(rvtrace_ntrace_next(reader, &m), 0);
	assert_int_equal(rvtrace_ntrace_pending(reader, NULL), 0);
}

/*
 * A P550. Slices, the low one first: TCODE 011101, SRC 01, SYNC 0010; B-TYPE 00 and I-CNT 0100;
 * F-ADDR 0b 28 01 00 00 01; HIST 03; TSTAMP 0f 1d 28 28 33 3f 04.
 */
static void branch_of_a_p550(void **state)
{
	static const uint8_t bytes[] = {
		0x74, 0x24, 0x41, 0x2c, 0xa0, 0x04, 0x00, 0x00, 0x05, 0x0d,
		0x3c, 0x74, 0xa0, 0xa0, 0xcc, 0xfc, 0x13,
	};
	const struct rvtrace_ntrace_config config = { .src_bits = 2, .xlen = 64, .sifive = true };

	(void)state;
	read_stream(&config, bytes, sizeof(bytes));
	next_is(0, RVTRACE_NTRACE_INDIRECT_BRANCH_HIST_SYNC, 1);
	assert_int_equal(m.size, 17);
	assert_int_equal(m.sync, RVTRACE_NTRACE_SYNC_PERIODIC);
	assert_int_equal(m.btype, RVTRACE_NTRACE_BTYPE_JUMP);
	assert_int_equal(m.icnt, 4);
	assert_int_equal(m.address, 0x80003416);
	assert_int_equal(m.hist, 3);
	assert_true(m.has_tstamp);
	assert_int_equal(m.tstamp, 0x4ff3a2874f);
	nothing_is_left();
}

static void begin(struct stream *s, unsigned int tcode, unsigned int src)
{
	nexus_begin(&s->msg);
	nexus_fixed(&s->msg, tcode, 6);
	nexus_fixed(&s->msg, src, 12);
}

static void end(struct stream *s, uint64_t tstamp)
{
	nexus_variable(&s->msg, tstamp);
	nexus_end(&s->msg);
	memcpy(s->bytes + s->size, s->msg.bytes, s->msg.size);
	s->size += s->msg.size;
}

static void put_sync(struct stream *s, unsigned int reason, uint64_t icnt, uint64_t faddr,
		     uint64_t tstamp)
{
	begin(s, 9, 5);
	nexus_fixed(&s->msg, reason, 4);
	nexus_variable(&s->msg, icnt);
	nexus_variable(&s->msg, faddr);
	end(s, tstamp);
}

static void put_ownership(struct stream *s, unsigned int format, unsigned int priv,
			  uint64_t context)
{
	begin(s, 2, 5);
	nexus_fixed(&s->msg, format, 2);
	nexus_fixed(&s->msg, priv, 2);
	nexus_fixed(&s->msg, 0, 1);
	nexus_variable(&s->msg, context);
	end(s, 0);
}

static void put_indirect(struct stream *s, uint64_t icnt, uint64_t uaddr, uint64_t tstamp)
{
	begin(s, 4, 5);
	nexus_fixed(&s->msg, 0, 2);
	nexus_variable(&s->msg, icnt);
	nexus_variable(&s->msg, uaddr);
	end(s, tstamp);
}

static void put_direct(struct stream *s, uint64_t icnt, uint64_t tstamp)
{
	begin(s, 3, 5);
	nexus_variable(&s->msg, icnt);
	end(s, tstamp);
}

/* What a K3 prints of its trace, field by field, and what of it is left out in between. */
static void put_k3(struct stream *s)
{
	put_sync(s, 5, 0, 0xffffffffc05b1f1a, 0x32fb1f870);
	put_ownership(s, 3, 1, 0);
	put_ownership(s, 2, 1, 0x6b5);
	s->bytes[s->size++] = NEXUS_IDLE;
	put_indirect(s, 0x16, 0x35c5, 3);
	put_indirect(s, 0x17, 0x4c7, 0);
	put_indirect(s, 0xe, 0x1e78f, 0);
	put_direct(s, 0x10, 1);
	put_indirect(s, 0x27, 0x5e, 0);
	put_indirect(s, 0xf, 0x4a0615, 5);
	put_sync(s, 2, 0xb, 0xffffffffc05b2954, 0x32fb37eb9);
	put_direct(s, 0xc, 3);
	begin(s, 33, 5);
	nexus_fixed(&s->msg, 4, 4);
	nexus_fixed(&s->msg, 0, 2);
	nexus_variable(&s->msg, 0x11);
	end(s, 4);
	s->bytes[s->size++] = NEXUS_IDLE;
}

static void sync_is(unsigned int reason, uint32_t icnt, uint64_t address, uint64_t tstamp)
{
	assert_int_equal(m.sync, reason);
	assert_int_equal(m.icnt, icnt);
	assert_int_equal(m.address, address);
	assert_int_equal(m.tstamp, tstamp);
}

static void owner_is(unsigned int format, uint64_t context)
{
	assert_int_equal(m.format, format);
	assert_int_equal(m.priv, 1);
	assert_false(m.v);
	assert_int_equal(m.context, context);
	assert_int_equal(m.tstamp, 0);
}

static void branch_is(uint32_t icnt, uint64_t address, uint64_t tstamp)
{
	assert_int_equal(m.btype, RVTRACE_NTRACE_BTYPE_JUMP);
	assert_int_equal(m.icnt, icnt);
	assert_int_equal(m.address, address);
	assert_int_equal(m.tstamp, tstamp);
}

/* Offsets are those that are printed; from +81 on messages follow one another here. */
static void messages_of_a_k3(void **state)
{
	const struct rvtrace_ntrace_config config = { .src_bits = 12, .xlen = 64 };
	struct stream s = { };

	(void)state;
	put_k3(&s);
	read_stream(&config, s.bytes, s.size);
	next_is(0, RVTRACE_NTRACE_PROG_TRACE_SYNC, 5);
	sync_is(RVTRACE_NTRACE_SYNC_TRACE_ENABLE, 0, 0xffffffff80b63e34, 0x32fb1f870);
	next_is(21, RVTRACE_NTRACE_OWNERSHIP, 5);
	owner_is(RVTRACE_NTRACE_PROCESS_HCONTEXT, 0);
	next_is(26, RVTRACE_NTRACE_OWNERSHIP, 5);
	owner_is(RVTRACE_NTRACE_PROCESS_SCONTEXT, 1717);
	next_is(34, RVTRACE_NTRACE_INDIRECT_BRANCH, 5);
	branch_is(0x16, 0x35c5 << 1, 3);
	next_is(43, RVTRACE_NTRACE_INDIRECT_BRANCH, 5);
	branch_is(0x17, 0x4c7 << 1, 0);
	next_is(51, RVTRACE_NTRACE_INDIRECT_BRANCH, 5);
	branch_is(0xe, 0x1e78f << 1, 0);
	next_is(59, RVTRACE_NTRACE_DIRECT_BRANCH, 5);
	branch_is(0x10, 0, 1);
	next_is(64, RVTRACE_NTRACE_INDIRECT_BRANCH, 5);
	branch_is(0x27, 0x5e << 1, 0);
	next_is(72, RVTRACE_NTRACE_INDIRECT_BRANCH, 5);
	branch_is(0xf, 0x4a0615 << 1, 5);
	next_is(81, RVTRACE_NTRACE_PROG_TRACE_SYNC, 5);
	sync_is(RVTRACE_NTRACE_SYNC_PERIODIC, 0xb, 0xffffffff80b652a8, 0x32fb37eb9);
	next_is(103, RVTRACE_NTRACE_DIRECT_BRANCH, 5);
	branch_is(0xc, 0, 3);
	next_is(108, RVTRACE_NTRACE_PROG_TRACE_CORRELATION, 5);
	assert_int_equal(m.evcode, 4);
	assert_false(m.has_hist);
	branch_is(0x11, 0, 4);
	nothing_is_left();
}

/* A full address in as many slices as its register takes, the last ones filled with @high. */
static int read_full_address(uint64_t faddr, unsigned int xlen, const uint8_t *high, size_t count)
{
	const struct rvtrace_ntrace_config config = { .src_bits = 0, .xlen = xlen };
	uint8_t bytes[32] = { 9 << 2, 5 << 2 | 1 };	/* SYNC, and I-CNT 0 */
	size_t size = 2;
	int ret;

	for (unsigned int i = 0; i < 60; i += 6)
		bytes[size++] = (faddr >> i & 0x3f) << 2;
	bytes[size++] = (faddr >> 60 | high[0] << 4) << 2;
	for (size_t i = 1; i < count; i++)
		bytes[size++] = high[i] << 2;
	bytes[size - 1] |= 3;
	read_stream(&config, bytes, size);
	ret = rvtrace_ntrace_next(reader, &m);
	rvtrace_ntrace_free(reader);
	reader = NULL;
	return ret;
}

/* Bits 64 and 65 of 11 slices are those of the sign, or 0. What is no address is damage. */
static void signs_of_full_addresses(void **state)
{
	static const uint8_t zeros[2], ones[] = { 3, 0x3f }, mixed[] = { 3, 0x1f };

	(void)state;
	assert_int_equal(read_full_address(0xffffffffc05b1f1a, 64, zeros, 1), 1);
	assert_int_equal(m.address, 0xffffffff80b63e34);
	assert_int_equal(read_full_address(0xffffffffc05b1f1a, 64, ones, 1), 1);
	assert_int_equal(m.address, 0xffffffff80b63e34);
	assert_int_equal(read_full_address(0xffffffffc05b1f1a, 64, ones, 2), 1);
	assert_int_equal(m.address, 0xffffffff80b63e34);
	assert_int_equal(read_full_address(0x7fffffffc05b1f1a, 64, zeros, 2), 1);
	assert_int_equal(m.address, 0xffffffff80b63e34);
	assert_int_equal(read_full_address(0xffffffffc05b1f1a, 32, ones, 2), 1);
	assert_int_equal(m.address, 0x80b63e34);
	assert_int_equal(read_full_address(0xffffffffc05b1f1a, 64, mixed, 2), RVTRACE_ERR_FIELD);
	assert_int_equal(read_full_address(0xbfffffffc05b1f1a, 64, zeros, 1), RVTRACE_ERR_FIELD);
	assert_int_equal(read_full_address(0x405b1f1a, 64, ones, 1), RVTRACE_ERR_FIELD);
	assert_int_equal(read_full_address(0xffffffff805b1f1a, 32, ones, 2), RVTRACE_ERR_FIELD);
	assert_int_equal(read_full_address(0x80000000, 32, zeros, 2), RVTRACE_ERR_FIELD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(branch_of_a_p550, teardown),
		cmocka_unit_test_teardown(messages_of_a_k3, teardown),
		cmocka_unit_test_teardown(signs_of_full_addresses, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
