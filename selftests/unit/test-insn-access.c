// SPDX-License-Identifier: GPL-2.0
/*
 * What instructions access: the encodings are those of the listings in the unprivileged and
 * privileged specifications, with the operands at random; what is not listed accesses nothing.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/etrace.h>
#include <rvtrace/insn.h>

#define LOADS		RVTRACE_INSN_LOADS
#define STORES		RVTRACE_INSN_STORES
#define ATOMIC		RVTRACE_INSN_ATOMIC
#define CSR		RVTRACE_INSN_CSR
#define RESERVED	0xff	/* of the specification: anything may be said */
#define ANY		RVTRACE_INSN_SIZE_ANY
#define N		0xfe	/* the letters n of the encoding say the size */
#define FILLS		256	/* of each encoding */
#define ROWS(table)	(table), sizeof(table) / sizeof((table)[0])

/* Where an encoding means that; nothing: everywhere */
#define RV32		1
#define RV64		2
#define ZCD		4	/* neither Zcmp nor Zcmt, which have its encodings */
#define ZCMP		8
#define VECTOR		16	/* as many accesses as the vector has */
#define MAY_FAIL	32
#define REGISTERS	64	/* as many accesses as the list has */

/**
 * struct row - a line of a listing
 * @encoding: bits, the highest first; a dot or a letter is of an operand
 * @size: 2^n bytes, ANY or N
 * @flags: from RV32 on
 */
struct row {
	const char *name;
	const char *encoding;
	uint8_t kind;
	uint8_t size;
	uint8_t subtype;
	uint8_t flags;
};

static const struct row compressed[] = {
	{ "c.fld", "001 ... ... .. ... 00", LOADS, 3, 0, 0 },
	{ "c.lw", "010 ... ... .. ... 00", LOADS, 2, 0, 0 },
	{ "c.flw", "011 ... ... .. ... 00", LOADS, 2, 0, RV32 },
	{ "c.ld", "011 ... ... .. ... 00", LOADS, 3, 0, RV64 },
	{ "c.fsd", "101 ... ... .. ... 00", STORES, 3, 0, 0 },
	{ "c.sw", "110 ... ... .. ... 00", STORES, 2, 0, 0 },
	{ "c.fsw", "111 ... ... .. ... 00", STORES, 2, 0, RV32 },
	{ "c.sd", "111 ... ... .. ... 00", STORES, 3, 0, RV64 },
	{ "c.fldsp", "001 . ..... ..... 10", LOADS, 3, 0, 0 },
	{ "c.lwsp", "010 . ..... ..... 10", LOADS, 2, 0, 0 },
	{ "c.flwsp", "011 . ..... ..... 10", LOADS, 2, 0, RV32 },
	{ "c.ldsp", "011 . ..... ..... 10", LOADS, 3, 0, RV64 },
	{ "c.fsdsp", "101 ...... ..... 10", STORES, 3, 0, ZCD },
	{ "c.swsp", "110 ...... ..... 10", STORES, 2, 0, 0 },
	{ "c.fswsp", "111 ...... ..... 10", STORES, 2, 0, RV32 },
	{ "c.sdsp", "111 ...... ..... 10", STORES, 3, 0, RV64 },
	/* Zcb */
	{ "c.lbu", "100 000 ... .. ... 00", LOADS, 0, 0, 0 },
	{ "c.lhu", "100 001 ... 0. ... 00", LOADS, 1, 0, 0 },
	{ "c.lh", "100 001 ... 1. ... 00", LOADS, 1, 0, 0 },
	{ "c.sb", "100 010 ... .. ... 00", STORES, 0, 0, 0 },
	{ "c.sh", "100 011 ... 0. ... 00", STORES, 1, 0, 0 },
	{ "c.sh, bit 6", "100 011 ... 1. ... 00", RESERVED, 0, 0, 0 },
	/* Zcmp; lists below 4 are reserved */
	{ "cm: list", "101 11..0 00.. .. 10", RESERVED, 0, 0, ZCMP },
	{ "cm.push", "101 11000 .... .. 10", STORES, 2, 0, ZCMP | RV32 | REGISTERS },
	{ "cm.push", "101 11000 .... .. 10", STORES, 3, 0, ZCMP | RV64 | REGISTERS },
	{ "cm.pop", "101 11010 .... .. 10", LOADS, 2, 0, ZCMP | RV32 | REGISTERS },
	{ "cm.pop", "101 11010 .... .. 10", LOADS, 3, 0, ZCMP | RV64 | REGISTERS },
	{ "cm.popretz", "101 11100 .... .. 10", LOADS, 2, 0, ZCMP | RV32 | REGISTERS },
	{ "cm.popretz", "101 11100 .... .. 10", LOADS, 3, 0, ZCMP | RV64 | REGISTERS },
	{ "cm.popret", "101 11110 .... .. 10", LOADS, 2, 0, ZCMP | RV32 | REGISTERS },
	{ "cm.popret", "101 11110 .... .. 10", LOADS, 3, 0, ZCMP | RV64 | REGISTERS },
};

static const struct row uncompressed[] = {
	{ "lb", "............ ..... 000 ..... 0000011", LOADS, 0, 0, 0 },
	{ "lh", "............ ..... 001 ..... 0000011", LOADS, 1, 0, 0 },
	{ "lw", "............ ..... 010 ..... 0000011", LOADS, 2, 0, 0 },
	{ "ld", "............ ..... 011 ..... 0000011", LOADS, 3, 0, RV64 },
	{ "lbu", "............ ..... 100 ..... 0000011", LOADS, 0, 0, 0 },
	{ "lhu", "............ ..... 101 ..... 0000011", LOADS, 1, 0, 0 },
	{ "lwu", "............ ..... 110 ..... 0000011", LOADS, 2, 0, RV64 },
	{ "sb", "....... ..... ..... 000 ..... 0100011", STORES, 0, 0, 0 },
	{ "sh", "....... ..... ..... 001 ..... 0100011", STORES, 1, 0, 0 },
	{ "sw", "....... ..... ..... 010 ..... 0100011", STORES, 2, 0, 0 },
	{ "sd", "....... ..... ..... 011 ..... 0100011", STORES, 3, 0, RV64 },
	{ "flh", "............ ..... 001 ..... 0000111", LOADS, 1, 0, 0 },
	{ "flw", "............ ..... 010 ..... 0000111", LOADS, 2, 0, 0 },
	{ "fld", "............ ..... 011 ..... 0000111", LOADS, 3, 0, 0 },
	{ "flq", "............ ..... 100 ..... 0000111", LOADS, 4, 0, 0 },
	{ "fsh", "....... ..... ..... 001 ..... 0100111", STORES, 1, 0, 0 },
	{ "fsw", "....... ..... ..... 010 ..... 0100111", STORES, 2, 0, 0 },
	{ "fsd", "....... ..... ..... 011 ..... 0100111", STORES, 3, 0, 0 },
	{ "fsq", "....... ..... ..... 100 ..... 0100111", STORES, 4, 0, 0 },
	/* Vectors: elements of 8, 16, 32 and 64 bits, or indices of so many */
	{ "vl 8", "............ ..... 000 ..... 0000111", LOADS, ANY, 0, VECTOR },
	{ "vl 16", "............ ..... 101 ..... 0000111", LOADS, ANY, 0, VECTOR },
	{ "vl 32", "............ ..... 110 ..... 0000111", LOADS, ANY, 0, VECTOR },
	{ "vl 64", "............ ..... 111 ..... 0000111", LOADS, ANY, 0, VECTOR },
	{ "vs 8", "............ ..... 000 ..... 0100111", STORES, ANY, 0, VECTOR },
	{ "vs 16", "............ ..... 101 ..... 0100111", STORES, ANY, 0, VECTOR },
	{ "vs 32", "............ ..... 110 ..... 0100111", STORES, ANY, 0, VECTOR },
	{ "vs 64", "............ ..... 111 ..... 0100111", STORES, ANY, 0, VECTOR },
	/* Zalrsc, Zaamo, Zabha, Zacas, Zalasr, Zicfiss */
	{ "lr.w", "00010 .. 00000 ..... 010 ..... 0101111", LOADS, 2, 0, 0 },
	{ "lr.d", "00010 .. 00000 ..... 011 ..... 0101111", LOADS, 3, 0, RV64 },
	{ "sc.w", "00011 .. ..... ..... 010 ..... 0101111", STORES, 2, 0, MAY_FAIL },
	{ "sc.d", "00011 .. ..... ..... 011 ..... 0101111", STORES, 3, 0, MAY_FAIL | RV64 },
	{ "amoswap", "00001 .. ..... ..... 0nn ..... 0101111", ATOMIC, N, RVTRACE_ETRACE_SWAP, 0 },
	{ "amoadd", "00000 .. ..... ..... 0nn ..... 0101111", ATOMIC, N, RVTRACE_ETRACE_ADD, 0 },
	{ "amoxor", "00100 .. ..... ..... 0nn ..... 0101111", ATOMIC, N, RVTRACE_ETRACE_XOR, 0 },
	{ "amoand", "01100 .. ..... ..... 0nn ..... 0101111", ATOMIC, N, RVTRACE_ETRACE_AND, 0 },
	{ "amoor", "01000 .. ..... ..... 0nn ..... 0101111", ATOMIC, N, RVTRACE_ETRACE_OR, 0 },
	{ "amomin", "10000 .. ..... ..... 0nn ..... 0101111", ATOMIC, N, RVTRACE_ETRACE_MIN, 0 },
	{ "amomax", "10100 .. ..... ..... 0nn ..... 0101111", ATOMIC, N, RVTRACE_ETRACE_MAX, 0 },
	{ "amominu", "11000 .. ..... ..... 0nn ..... 0101111", ATOMIC, N, RVTRACE_ETRACE_MIN, 0 },
	{ "amomaxu", "11100 .. ..... ..... 0nn ..... 0101111", ATOMIC, N, RVTRACE_ETRACE_MAX, 0 },
	{ "amocas", "00101 .. ..... ..... 0nn ..... 0101111", ATOMIC, N, RVTRACE_ETRACE_SWAP,
	  MAY_FAIL },
	{ "amocas.q", "00101 .. ..... ..... 100 ..... 0101111", ATOMIC, 4, RVTRACE_ETRACE_SWAP,
	  MAY_FAIL | RV64 },
	{ "l.aq", "00110 1. 00000 ..... 0nn ..... 0101111", LOADS, N, 0, 0 },
	{ "s.rl", "00111 .1 ..... ..... 0nn 00000 0101111", STORES, N, 0, 0 },
	{ "ssamoswap.w", "01001 .. ..... ..... 010 ..... 0101111", ATOMIC, 2,
	  RVTRACE_ETRACE_SWAP, 0 },
	{ "ssamoswap.d", "01001 .. ..... ..... 011 ..... 0101111", ATOMIC, 3,
	  RVTRACE_ETRACE_SWAP, RV64 },
	/* Zicsr */
	{ "csrrw", "............ ..... 001 ..... 1110011", CSR, ANY, RVTRACE_ETRACE_CSR_RW, 0 },
	{ "csrrs", "............ ..... 010 ..... 1110011", CSR, ANY, RVTRACE_ETRACE_CSR_RS, 0 },
	{ "csrrc", "............ ..... 011 ..... 1110011", CSR, ANY, RVTRACE_ETRACE_CSR_RC, 0 },
	{ "csrrwi", "............ ..... 101 ..... 1110011", CSR, ANY, RVTRACE_ETRACE_CSR_RW, 0 },
	{ "csrrsi", "............ ..... 110 ..... 1110011", CSR, ANY, RVTRACE_ETRACE_CSR_RS, 0 },
	{ "csrrci", "............ ..... 111 ..... 1110011", CSR, ANY, RVTRACE_ETRACE_CSR_RC, 0 },
	/* Hypervisor */
	{ "hlv.b", "0110000 00000 ..... 100 ..... 1110011", LOADS, 0, 0, 0 },
	{ "hlv.bu", "0110000 00001 ..... 100 ..... 1110011", LOADS, 0, 0, 0 },
	{ "hlv.h", "0110010 00000 ..... 100 ..... 1110011", LOADS, 1, 0, 0 },
	{ "hlv.hu", "0110010 00001 ..... 100 ..... 1110011", LOADS, 1, 0, 0 },
	{ "hlvx.hu", "0110010 00011 ..... 100 ..... 1110011", LOADS, 1, 0, 0 },
	{ "hlv.w", "0110100 00000 ..... 100 ..... 1110011", LOADS, 2, 0, 0 },
	{ "hlvx.wu", "0110100 00011 ..... 100 ..... 1110011", LOADS, 2, 0, 0 },
	{ "hlv.wu", "0110100 00001 ..... 100 ..... 1110011", LOADS, 2, 0, RV64 },
	{ "hlv.d", "0110110 00000 ..... 100 ..... 1110011", LOADS, 3, 0, RV64 },
	{ "hsv.b", "0110001 ..... ..... 100 00000 1110011", STORES, 0, 0, 0 },
	{ "hsv.h", "0110011 ..... ..... 100 00000 1110011", STORES, 1, 0, 0 },
	{ "hsv.w", "0110101 ..... ..... 100 00000 1110011", STORES, 2, 0, 0 },
	{ "hsv.d", "0110111 ..... ..... 100 00000 1110011", STORES, 3, 0, RV64 },
	/* What is like one of these, and reserved */
	{ "lr, sc", "0001. .. ..... ..... 0.. ..... 0101111", RESERVED, 0, 0, 0 },
	{ "l.aq, s.rl", "0011. .. ..... ..... 0.. ..... 0101111", RESERVED, 0, 0, 0 },
	{ "ssamoswap", "01001 .. ..... ..... 00. ..... 0101111", RESERVED, 0, 0, 0 },
	{ "16 bytes", "..... .. ..... ..... 100 ..... 0101111", RESERVED, 0, 0, 0 },
	{ "hlv, hsv", "0110... ..... ..... 100 ..... 1110011", RESERVED, 0, 0, 0 },
};

/* Operands of an encoding are 1 in @operand, letters also in @letter. */
struct bits {
	uint32_t fixed;
	uint32_t operand;
	uint32_t letter;
};

static struct bits bits_of(const struct row *row)
{
	struct bits b = { 0 };
	const char *at;

	for (at = row->encoding; *at; at++) {
		if (*at == ' ')
			continue;
		b.fixed = b.fixed << 1 | (*at == '1');
		b.operand = b.operand << 1 | (*at != '0' && *at != '1');
		b.letter = b.letter << 1 | (*at == 'n');
	}
	return b;
}

static bool is_of(const struct row *row, const struct rvtrace_isa *isa)
{
	unsigned int xlen = isa->xlen == 32 ? RV32 : RV64;

	return (!(row->flags & (RV32 | RV64)) || row->flags & xlen) &&
	       (!(row->flags & ZCD) || !(isa->zcmp || isa->zcmt)) &&
	       (!(row->flags & ZCMP) || isa->zcmp);
}

/* The first that matches, or NULL. */
static const struct row *find(const struct row *rows, size_t count,
			      const struct rvtrace_isa *isa, uint32_t word)
{
	for (; count; count--, rows++) {
		struct bits b = bits_of(rows);

		if (!((word ^ b.fixed) & ~b.operand) && is_of(rows, isa))
			return rows;
	}
	return NULL;
}

/* Zcmp: ra; ra and s0; ... ra and s0 to s9; ra and s0 to s11 */
static unsigned int count_of(const struct row *row, uint32_t word)
{
	static const uint8_t counts[16] = { 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13 };

	if (row->flags & REGISTERS)
		return counts[word >> 4 & 15];
	return row->flags & VECTOR ? 0 : 1;
}

static unsigned int size_of(const struct row *row, uint32_t word)
{
	uint32_t letter = bits_of(row).letter;

	return row->size == N ? (word & letter) / (letter & -letter) : row->size;
}

static bool decode(const struct rvtrace_isa *isa, uint64_t word, size_t size,
		   struct rvtrace_insn_access *access)
{
	uint8_t bytes[8];

	for (unsigned int i = 0; i < sizeof(bytes); i++)
		bytes[i] = word >> (8 * i);
	memset(access, 0x5a, sizeof(*access));
	return rvtrace_insn_access(isa, bytes, size, access);
}

static void check(const struct row *row, const struct rvtrace_isa *isa, uint32_t word, size_t size)
{
	struct rvtrace_insn_access access;
	bool any = decode(isa, word, size, &access);

	if (row && row->kind == RESERVED)
		return;
	if (any != !!row)
		fail_msg("%08x on RV%u, %s: accesses %s", word, isa->xlen,
			 row ? row->name : "none of them", any ? "something" : "nothing");
	if (!row)
		return;
	if (access.kind != row->kind || access.subtype != row->subtype ||
	    access.size != size_of(row, word) || access.count != count_of(row, word) ||
	    access.conditional != !!(row->flags & MAY_FAIL) ||
	    access.csr != (row->kind == CSR ? word >> 20 : 0))
		fail_msg("%08x on RV%u, %s: kind %u, subtype %u, size %u, count %u, %s, CSR 0x%x",
			 word, isa->xlen, row->name, access.kind, access.subtype, access.size,
			 access.count, access.conditional ? "conditional" : "always", access.csr);
}

static uint32_t random_word(void)
{
	static uint64_t state = 1;

	state = state * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
	return state >> 32;
}

static const struct rvtrace_isa rv64 = { .xlen = 64 };
static const struct rvtrace_isa rv32 = { .xlen = 32 };

static void every_compressed_one(void **state)
{
	static const struct rvtrace_isa isas[] = {
		{ .xlen = 64 }, { .xlen = 32 }, { .xlen = 64, .zcmp = true },
		{ .xlen = 32, .zcmp = true }, { .xlen = 64, .zcmp = true, .zcmt = true },
		{ .xlen = 32, .zcmt = true },
	};
	bool seen[sizeof(compressed) / sizeof(compressed[0])] = { false };
	const struct row *row;

	(void)state;
	for (size_t i = 0; i < sizeof(isas) / sizeof(isas[0]); i++)
		for (uint32_t word = 0; word < 0x10000; word++) {
			if ((word & 3) == 3)
				continue;
			row = find(ROWS(compressed), &isas[i], word);
			if (row)
				seen[row - compressed] = true;
			check(row, &isas[i], word, 2);
		}
	for (size_t i = 0; i < sizeof(seen); i++)
		assert_true(seen[i]);
}

/* Of 4 bytes: whatever the operands are */
static void every_listed_one(void **state)
{
	const struct rvtrace_isa *const isas[] = { &rv64, &rv32 };

	(void)state;
	for (size_t i = 0; i < sizeof(uncompressed) / sizeof(uncompressed[0]); i++) {
		const struct row *row = &uncompressed[i];
		struct bits b = bits_of(row);

		for (unsigned int k = 0; k < 2 * FILLS; k++) {
			uint32_t word = b.fixed | (random_word() & b.operand);

			if (is_of(row, isas[k % 2]) && row->kind != RESERVED)
				check(row, isas[k % 2], word, 4);
		}
	}
}

static void no_other_one(void **state)
{
	unsigned int opcode, funct3, funct7, none = 0, i;

	(void)state;
	for (opcode = 3; opcode < 0x80; opcode += 4)
		for (funct3 = 0; funct3 < 8; funct3++)
			for (funct7 = 0; funct7 < 0x80; funct7++)
				for (i = 0; i < 2; i++) {
					uint32_t word = (random_word() & 0x01ff8f80) |
							funct7 << 25 | funct3 << 12 | opcode;
					const struct row *row = find(ROWS(uncompressed), &rv64,
								     word);

					check(row, &rv64, word, 4);
					none += !row;
				}
	assert_true(none > 50000);
}

static const char *name_of(const struct rvtrace_isa *isa, uint32_t word)
{
	const struct row *row = (word & 3) == 3 ? find(ROWS(uncompressed), isa, word) :
				find(ROWS(compressed), isa, word);

	return row ? row->name : "nothing";
}

/* The listings above, where the GNU assembler knows the instruction. */
static void listings_are_what_the_assembler_makes(void **state)
{
	static const struct {
		uint32_t word;
		const char *name;
	} table[] = {
		{ 0xfff58503, "lb" }, { 0x800f9503, "lh" }, { 0x7ff02d83, "lw" },
		{ 0x0085b503, "ld" }, { 0x0005c503, "lbu" }, { 0x0005d503, "lhu" },
		{ 0x0005e503, "lwu" }, { 0xfea58fa3, "sb" }, { 0x7fff9fa3, "sh" },
		{ 0x80a5a023, "sw" }, { 0x0005b423, "sd" }, { 0x00259007, "flh" },
		{ 0x0045af87, "flw" }, { 0x0085b507, "fld" }, { 0x00059127, "fsh" },
		{ 0xfff5ae27, "fsw" }, { 0x00a5b427, "fsd" }, { 0x0105c507, "flq" },
		{ 0x00a5c827, "fsq" }, { 0x1005a52f, "lr.w" }, { 0x1605b52f, "lr.d" },
		{ 0x18c5a52f, "sc.w" }, { 0x1ac5b52f, "sc.d" }, { 0x08c5a52f, "amoswap" },
		{ 0x04c5a52f, "amoadd" }, { 0x20c5a52f, "amoxor" }, { 0x60c5a52f, "amoand" },
		{ 0x40c5a52f, "amoor" }, { 0x80c5a52f, "amomin" }, { 0xa0c5a52f, "amomax" },
		{ 0xc0c5a52f, "amominu" }, { 0xe0c5a52f, "amomaxu" }, { 0x30059573, "csrrw" },
		{ 0xc0002573, "csrrs" }, { 0xfff5b573, "csrrc" }, { 0x5a8fd573, "csrrwi" },
		{ 0x1800e073, "csrrsi" }, { 0x00007573, "csrrci" }, { 0x6005c573, "hlv.b" },
		{ 0x6015c573, "hlv.bu" }, { 0x6405c573, "hlv.h" }, { 0x6415c573, "hlv.hu" },
		{ 0x6435c573, "hlvx.hu" }, { 0x6805c573, "hlv.w" }, { 0x6815c573, "hlv.wu" },
		{ 0x6835c573, "hlvx.wu" }, { 0x6c05c573, "hlv.d" }, { 0x62a5c073, "hsv.b" },
		{ 0x66a5c073, "hsv.h" }, { 0x6aa5c073, "hsv.w" }, { 0x6ea5c073, "hsv.d" },
		{ 0x02050087, "vl 8" }, { 0x02055087, "vl 16" }, { 0x00056087, "vl 32" },
		{ 0x02057087, "vl 64" }, { 0x020500a7, "vs 8" }, { 0x0ab570a7, "vs 64" },
		{ 0x06255087, "vl 16" }, { 0x2e456127, "vs 32" }, { 0xe2857407, "vl 64" },
		{ 0x028500a7, "vs 8" }, { 0x02b50087, "vl 8" }, { 0x03056087, "vl 32" },
		{ 0x41c8, "c.lw" }, { 0x6588, "c.ld" }, { 0x4512, "c.lwsp" },
		{ 0x6522, "c.ldsp" }, { 0x2588, "c.fld" }, { 0x2522, "c.fldsp" },
		{ 0xc1c8, "c.sw" }, { 0xe588, "c.sd" }, { 0xc22a, "c.swsp" },
		{ 0xe42a, "c.sdsp" }, { 0xa588, "c.fsd" }, { 0xa42a, "c.fsdsp" },
	};
	static const uint32_t others[] = {
		/* fence, ecall, mret, sfence.vma, auipc, arithmetic, jumps, branches, wfi ... */
		0x0ff0000f, 0x0000100f, 0x00000073, 0x30200073, 0x12000073, 0x00001517, 0x6505,
		0x0505, 0x952e, 0x2505, 0x02a57553, 0x52a57543, 0x022180d7, 0x000000ef,
		0x000500e7, 0x00b50063, 0x10500073, 0x0001, 0x0028, 0x4505, 0xa001, 0xc101,
		0x0506, 0x8502, 0x852e, 0x9502, 0x9002,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		assert_string_equal(name_of(&rv64, table[i].word), table[i].name);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_string_equal(name_of(&rv64, others[i]), "nothing");
	assert_string_equal(name_of(&rv32, 0x61c8), "c.flw");
	assert_string_equal(name_of(&rv32, 0x6512), "c.flwsp");
	assert_string_equal(name_of(&rv32, 0xe1c8), "c.fsw");
	assert_string_equal(name_of(&rv32, 0xe22a), "c.fswsp");
}

/* The listings have none of 6 bytes and more. */
static void longer_ones_are_not_known(void **state)
{
	struct rvtrace_insn_access access;

	(void)state;
	assert_false(decode(&rv64, 0xfff5851f, 6, &access));
	assert_false(decode(&rv64, 0xfff5853f, 8, &access));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_compressed_one),
		cmocka_unit_test(every_listed_one),
		cmocka_unit_test(no_other_one),
		cmocka_unit_test(listings_are_what_the_assembler_makes),
		cmocka_unit_test(longer_ones_are_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
