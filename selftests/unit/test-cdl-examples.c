// SPDX-License-Identifier: GPL-2.0
/*
 * Worked examples of CDL compressed trace, each in both directions: cycles of the packed trace to
 * bytes, and bytes to items. Each quotes the sentence of "Compressed trace" that it checks.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/cdl.h>

#include "tools/encode/cdl.h"

#define CYCLES	3
#define ITEMS	8

#define SEQ(n)		.seq_valid = true, .seq = (n)
#define NONSEQ(n)	.nonseq_valid = true, .nonseq = (n)
#define BKPT(n)		.bkpt_valid = true, .bkpt = (n)
#define PC(n)		.data_valid = true, .data = (n)
#define RFW(r, n)	.data_valid = true, .data_reason = 1, .rd = (r), .data = (n)

#define BYTES(...)	.bytes = { __VA_ARGS__ }, .size = sizeof((const uint8_t[]){ __VA_ARGS__ })

/* @fill: Skips that fill the last byte, which no cycle has */
struct example {
	const char *sentence;
	uint8_t flavour;
	bool rv64;
	bool full;
	uint8_t bytes[16];
	size_t size;
	unsigned int fill;
	struct cdl_packed cycles[CYCLES];
	unsigned int cycle_count;
};

static const struct example examples[] = {
	{ "0000 Skip - i.e. a nybble of 0 is ignored",
	  CDL_DOC, BYTES(0x00), .fill = 2, .cycle_count = 0 },
	{ "SSS (i.e. 1 to 7) sequential instructions were executed since the last nybble reported",
	  CDL_DOC, BYTES(0x71), .cycles = { { SEQ(1) }, { SEQ(7) } }, .cycle_count = 2 },
	{ "1000 Non-sequential flow; a branch was taken",
	  CDL_DOC, BYTES(0x83), .cycles = { { SEQ(3), NONSEQ(0) } }, .cycle_count = 1 },
	{ "1000 (rtl: the nybbles are the same, SSS counts the branch)",
	  CDL_RTL, BYTES(0x83), .cycles = { { SEQ(3), NONSEQ(0) } }, .cycle_count = 1 },
	{ "1001 Non-sequential flow; a JAL/JALR instruction was taken",
	  CDL_DOC, BYTES(0xc9, 0x42, 0x23, 0x01), .fill = 1,
	  .cycles = { { NONSEQ(1), PC(0x1234) } }, .cycle_count = 1 },
	{ "1001 (rtl: data are 1110 and 2 * (NNN + 1) nybbles)",
	  CDL_RTL, BYTES(0xe9, 0x41, 0x23, 0x01), .fill = 1,
	  .cycles = { { NONSEQ(1), PC(0x1234) } }, .cycle_count = 1 },
	{ "1010 Non-sequential flow; an exception or interrupt was taken",
	  CDL_DOC, BYTES(0x0a), .fill = 1, .cycles = { { NONSEQ(2) } }, .cycle_count = 1 },
	{ "1011 Non-sequential flow; a return from exception was taken",
	  CDL_DOC, BYTES(0xb1), .cycles = { { SEQ(1), NONSEQ(3) } }, .cycle_count = 1 },
	{ "the 'reason' is R (0=PC, 1=RFW data)",
	  CDL_DOC, BYTES(0xdc, 0x05, 0xef, 0xbe, 0xad, 0xde),
	  .cycles = { { RFW(5, 0xdeadbeef) } }, .cycle_count = 1 },
	{ "the 'reason' is R (rtl)",
	  CDL_RTL, BYTES(0xce, 0x05, 0xef, 0xbe, 0xad, 0xde),
	  .cycles = { { RFW(5, 0xdeadbeef) } }, .cycle_count = 1 },
	{ "th (the) next 2*NNN nybbles zero-extended to the requires (required) length",
	  CDL_DOC, BYTES(0x1c, 0x80), .cycles = { { PC(0x80) } }, .cycle_count = 1 },
	{ "the next 2*NNN nybbles: none at all",
	  CDL_DOC, BYTES(0x0c), .cycles = { { PC(0) } }, .cycle_count = 1 },
	{ "the next 2*NNN nybbles (rtl: at least two)",
	  CDL_RTL, BYTES(0x0e, 0x00), .cycles = { { PC(0) } }, .cycle_count = 1 },
	{ "zero-extended: all bytes of a register may be sent as well",
	  CDL_DOC, BYTES(0x4c, 0x80, 0x00, 0x00, 0x00), .full = true,
	  .cycles = { { PC(0x80) } }, .cycle_count = 1 },
	{ "1101 (expects another nybble of form NNNN) Trace point of type NNNN seen",
	  CDL_DOC, BYTES(0xfd), .cycles = { { BKPT(15) } }, .cycle_count = 1 },
	{ "first sequential data, then non-sequential reason, then data, then trace",
	  CDL_DOC, BYTES(0x82, 0x1c, 0x80, 0x5d),
	  .cycles = { { SEQ(2), NONSEQ(0), PC(0x80), BKPT(5) } }, .cycle_count = 1 },
	{ "first sequential data ... (rtl: trace before data)",
	  CDL_RTL, BYTES(0x82, 0x5d, 0x0e, 0x80),
	  .cycles = { { SEQ(2), NONSEQ(0), PC(0x80), BKPT(5) } }, .cycle_count = 1 },
	{ "no way to have two consecutive nybbles of zero unless the second is a Skip: but in data",
	  CDL_DOC, BYTES(0x4c, 0x00, 0x00, 0x00, 0x80), .cycles = { { PC(0x80000000) } },
	  .cycle_count = 1 },
	{ "*prior* to this cycle that many sequential instructions were executed",
	  CDL_DOC, BYTES(0xc4, 0x04, 0x00, 0x00, 0x00, 0x08), .fill = 1,
	  .cycles = { { SEQ(4), PC(0x80000000) } }, .cycle_count = 1 },
	{ "(ours, RV64) 14 nybbles, and the rest in the next item",
	  CDL_DOC, BYTES(0x7c, 0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0x1c, 0xfe), .rv64 = true,
	  .cycles = { { PC(0xfedcba9876543210) } }, .cycle_count = 1 },
	{ "(ours, RV64) NNN 7 announces a rest even if that is zero",
	  CDL_DOC, BYTES(0x7c, 0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0x0c), .rv64 = true,
	  .cycles = { { PC(0xdcba9876543210) } }, .cycle_count = 1 },
	{ "(ours, RV64, rtl) 16 nybbles hold a PC",
	  CDL_RTL, BYTES(0x7e, 0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe), .rv64 = true,
	  .cycles = { { PC(0xfedcba9876543210) } }, .cycle_count = 1 },
	{ "(ours, RV64, rtl) but not a register with its number",
	  CDL_RTL, BYTES(0xfe, 0x04, 0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0x8e, 0xfe),
	  .rv64 = true, .cycles = { { RFW(4, 0xfedcba9876543210) } }, .cycle_count = 1 },
};

#define EXAMPLES	(sizeof(examples) / sizeof(examples[0]))

/* "packing data little-endian": the first nybble is in the lowest bits of the first byte. */
static void encodes(const struct example *e)
{
	const struct cdl_params params = {
		.flavour = e->flavour, .xlen = e->rv64 ? 64 : 32, .rv64 = e->rv64, .full = e->full,
	};
	uint8_t nybbles[CDL_CYCLE_MAX], bytes[16] = { 0 };
	unsigned int i, j, size, count = 0;

	for (i = 0; i < e->cycle_count; i++) {
		size = cdl_compress(&params, &e->cycles[i], nybbles);
		for (j = 0; j < size; j++, count++)
			bytes[count / 2] |= nybbles[j] << count % 2 * 4;
	}
	if (count + e->fill != 2 * e->size)
		fail_msg("%s: %u nybbles", e->sentence, count);
	if (memcmp(bytes, e->bytes, e->size))
		fail_msg("%s: other bytes", e->sentence);
}

/* What the items of a cycle say. */
static struct cdl_packed pack(const struct rvtrace_cdl_item *items, unsigned int count)
{
	struct cdl_packed cycle = { 0 };

	for (unsigned int i = 0; i < count; i++) {
		const struct rvtrace_cdl_item *item = &items[i];

		switch (item->kind) {
		case RVTRACE_CDL_SEQUENTIAL:
			cycle.seq_valid = true;
			cycle.seq = item->number;
			break;
		case RVTRACE_CDL_NONSEQUENTIAL:
			cycle.nonseq_valid = true;
			cycle.nonseq = item->number;
			break;
		case RVTRACE_CDL_DATA:
			cycle.data_valid = true;
			cycle.data_reason = item->reason;
			cycle.rd = item->rd;
			cycle.data = item->value;
			break;
		case RVTRACE_CDL_TRACEPOINT:
			cycle.bkpt_valid = true;
			cycle.bkpt = item->number;
			break;
		}
	}
	return cycle;
}

static bool same_cycle(const struct cdl_packed *a, const struct cdl_packed *b)
{
	return a->seq_valid == b->seq_valid && a->seq == b->seq &&
	       a->nonseq_valid == b->nonseq_valid && a->nonseq == b->nonseq &&
	       a->bkpt_valid == b->bkpt_valid && a->bkpt == b->bkpt &&
	       a->data_valid == b->data_valid && a->data_reason == b->data_reason &&
	       a->rd == b->rd && a->data == b->data;
}

static void decodes(const struct example *e)
{
	const struct rvtrace_cdl_config config = {
		.flavour = e->flavour, .xlen = e->rv64 ? 64 : 32, .rv64 = e->rv64,
	};
	struct rvtrace_cdl_item items[ITEMS], item;
	unsigned int count = 0, cycles = 0, skips = 0, i, next;
	struct rvtrace_cdl *reader;
	uint64_t offset = 0;
	int ret;

	assert_int_equal(rvtrace_cdl_new(&config, &reader), 0);
	assert_int_equal(rvtrace_cdl_feed(reader, e->bytes, e->size), 0);
	while ((ret = rvtrace_cdl_next(reader, &item)) == 1) {
		assert_int_equal(item.offset, offset);
		offset += item.size;
		if (item.kind == RVTRACE_CDL_SKIP)
			skips++;
		else
			items[count++] = item;
	}
	assert_int_equal(ret, 0);
	assert_int_equal(offset, 2 * e->size);
	assert_int_equal(skips, e->fill);
	for (i = 0; i < count; i = next, cycles++) {
		struct cdl_packed cycle;

		for (next = i + 1; next < count && items[next].same_cycle; next++)
			;
		cycle = pack(&items[i], next - i);
		if (cycles == e->cycle_count || !same_cycle(&cycle, &e->cycles[cycles]))
			fail_msg("%s: cycle %u", e->sentence, cycles);
	}
	assert_int_equal(cycles, e->cycle_count);
	rvtrace_cdl_free(reader);
}

static void examples_encode(void **state)
{
	(void)state;
	for (size_t i = 0; i < EXAMPLES; i++)
		encodes(&examples[i]);
}

static void examples_decode(void **state)
{
	(void)state;
	for (size_t i = 0; i < EXAMPLES; i++)
		decodes(&examples[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples_encode),
		cmocka_unit_test(examples_decode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
