// SPDX-License-Identifier: GPL-2.0
/* See hart.h. Compressed instructions are executed as the 32-bit ones they stand for. */
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "selftests/bench/hart.h"

enum { OP_LOAD = 0x03, OP_IMM = 0x13, OP_AUIPC = 0x17, OP_IMM_32 = 0x1b, OP_STORE = 0x23,
       OP_REG = 0x33, OP_LUI = 0x37, OP_REG_32 = 0x3b, OP_BRANCH = 0x63, OP_JALR = 0x67,
       OP_JAL = 0x6f };

#define ECALL	0x00000073

static uint32_t bits(uint32_t word, unsigned int high, unsigned int low)
{
	return word >> low & ((2u << (high - low)) - 1);
}

static int64_t sign_extend(uint64_t value, unsigned int width)
{
	return (int64_t)(value << (64 - width)) >> (64 - width);
}

uint8_t *hart_at(struct hart *hart, uint64_t address, size_t size)
{
	uint64_t offset = address - hart->base;

	return offset <= HART_MEMORY - size ? hart->memory + offset : NULL;
}

static const char *load_segments(struct hart *hart, Elf *elf)
{
	GElf_Ehdr header;
	GElf_Phdr segment;
	size_t count, size;
	const char *bytes = elf_rawfile(elf, &size);

	if (!bytes || !gelf_getehdr(elf, &header) || header.e_machine != EM_RISCV ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || elf_getphdrnum(elf, &count))
		return "no RV64 program";
	hart->base = 0;
	for (size_t i = 0; i < count; i++) {
		uint8_t *to;

		if (!gelf_getphdr(elf, i, &segment) || segment.p_type != PT_LOAD)
			continue;
		if (!hart->base)
			hart->base = segment.p_vaddr - HART_STACK;
		to = hart_at(hart, segment.p_vaddr, segment.p_memsz);
		if (!to || segment.p_offset + segment.p_filesz > size ||
		    segment.p_filesz > segment.p_memsz)
			return "does not fit into memory";
		memcpy(to, bytes + segment.p_offset, segment.p_filesz);
	}
	hart->pc = header.e_entry;
	return NULL;
}

const char *hart_load(struct hart *hart, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *wrong = "cannot be read";
	Elf *elf = NULL;

	memset(hart, 0, sizeof(*hart));
	elf_version(EV_CURRENT);
	if (fd >= 0)
		elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf)
		wrong = load_segments(hart, elf);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return wrong;
}

static uint32_t r_type(uint32_t op, uint32_t rd, uint32_t rs1, uint32_t rs2, uint32_t funct)
{
	return op | rd << 7 | rs1 << 15 | rs2 << 20 | (funct & 7) << 12 | (funct >> 3) << 25;
}

static uint32_t i_type(uint32_t op, uint32_t rd, uint32_t rs1, uint32_t imm, uint32_t funct3)
{
	return op | rd << 7 | funct3 << 12 | rs1 << 15 | imm << 20;
}

static uint32_t s_type(uint32_t rs1, uint32_t rs2, uint32_t imm, uint32_t funct3)
{
	return OP_STORE | bits(imm, 4, 0) << 7 | funct3 << 12 | rs1 << 15 | rs2 << 20 |
	       bits(imm, 11, 5) << 25;
}

static uint32_t b_type(uint32_t rs1, uint32_t imm, uint32_t funct3)
{
	return OP_BRANCH | bits(imm, 11, 11) << 7 | bits(imm, 4, 1) << 8 | funct3 << 12 |
	       rs1 << 15 | bits(imm, 10, 5) << 25 | bits(imm, 12, 12) << 31;
}

static uint32_t j_type(uint32_t rd, uint32_t imm)
{
	return OP_JAL | rd << 7 | bits(imm, 19, 12) << 12 | bits(imm, 11, 11) << 20 |
	       bits(imm, 10, 1) << 21 | bits(imm, 20, 20) << 31;
}

/* Offsets of loads and stores of 4 and 8 bytes */
static uint32_t offset_4(uint32_t c)
{
	return bits(c, 12, 10) << 3 | bits(c, 6, 6) << 2 | bits(c, 5, 5) << 6;
}

static uint32_t offset_8(uint32_t c)
{
	return bits(c, 12, 10) << 3 | bits(c, 6, 5) << 6;
}

static uint32_t expand_0(uint32_t c)
{
	uint32_t rd = 8 + bits(c, 4, 2), rs1 = 8 + bits(c, 9, 7);
	uint32_t imm = bits(c, 12, 11) << 4 | bits(c, 10, 7) << 6 | bits(c, 6, 6) << 2 |
		       bits(c, 5, 5) << 3;

	switch (bits(c, 15, 13)) {
	case 0:
		return imm ? i_type(OP_IMM, rd, 2, imm, 0) : 0;
	case 2:
		return i_type(OP_LOAD, rd, rs1, offset_4(c), 2);
	case 3:
		return i_type(OP_LOAD, rd, rs1, offset_8(c), 3);
	case 6:
		return s_type(rs1, rd, offset_4(c), 2);
	case 7:
		return s_type(rs1, rd, offset_8(c), 3);
	}
	return 0;
}

static uint32_t expand_arithmetic(uint32_t c, uint32_t imm)
{
	/* sub xor or and subw addw: funct7 and funct3 */
	static const uint32_t functs[] = { 0x100, 4, 6, 7, 0x100, 0 };
	uint32_t rd = 8 + bits(c, 9, 7), rs2 = 8 + bits(c, 4, 2);
	uint32_t which = bits(c, 12, 12) << 2 | bits(c, 6, 5);

	switch (bits(c, 11, 10)) {
	case 0:
		return i_type(OP_IMM, rd, rd, imm & 0x3f, 5);
	case 1:
		return i_type(OP_IMM, rd, rd, (imm & 0x3f) | 0x400, 5);
	case 2:
		return i_type(OP_IMM, rd, rd, imm, 7);
	}
	return which > 5 ? 0 : r_type(which > 3 ? OP_REG_32 : OP_REG, rd, rd, rs2, functs[which]);
}

static uint32_t expand_1(uint32_t c)
{
	uint32_t rd = bits(c, 11, 7), rs1 = 8 + bits(c, 9, 7);
	uint32_t imm = sign_extend(bits(c, 12, 12) << 5 | bits(c, 6, 2), 6);
	uint32_t jump = sign_extend(bits(c, 12, 12) << 11 | bits(c, 11, 11) << 4 |
				    bits(c, 10, 9) << 8 | bits(c, 8, 8) << 10 |
				    bits(c, 7, 7) << 6 | bits(c, 6, 6) << 7 |
				    bits(c, 5, 3) << 1 | bits(c, 2, 2) << 5, 12);
	uint32_t branch = sign_extend(bits(c, 12, 12) << 8 | bits(c, 11, 10) << 3 |
				      bits(c, 6, 5) << 6 | bits(c, 4, 3) << 1 |
				      bits(c, 2, 2) << 5, 9);
	uint32_t stack = sign_extend(bits(c, 12, 12) << 9 | bits(c, 6, 6) << 4 |
				     bits(c, 5, 5) << 6 | bits(c, 4, 3) << 7 |
				     bits(c, 2, 2) << 5, 10);

	switch (bits(c, 15, 13)) {
	case 0:
		return i_type(OP_IMM, rd, rd, imm, 0);
	case 1:
		return i_type(OP_IMM_32, rd, rd, imm, 0);
	case 2:
		return i_type(OP_IMM, rd, 0, imm, 0);
	case 3:
		return rd == 2 ? i_type(OP_IMM, 2, 2, stack, 0) : OP_LUI | rd << 7 | imm << 12;
	case 4:
		return expand_arithmetic(c, imm);
	case 5:
		return j_type(0, jump);
	case 6:
		return b_type(rs1, branch, 0);
	}
	return b_type(rs1, branch, 1);
}

static uint32_t expand_2(uint32_t c)
{
	uint32_t rd = bits(c, 11, 7), rs2 = bits(c, 6, 2), link = bits(c, 12, 12);

	switch (bits(c, 15, 13)) {
	case 0:
		return i_type(OP_IMM, rd, rd, link << 5 | rs2, 1);
	case 2:
		return i_type(OP_LOAD, rd, 2, link << 5 | bits(c, 6, 4) << 2 |
			      bits(c, 3, 2) << 6, 2);
	case 3:
		return i_type(OP_LOAD, rd, 2, link << 5 | bits(c, 6, 5) << 3 |
			      bits(c, 4, 2) << 6, 3);
	case 4:
		if (rs2)
			return r_type(OP_REG, rd, link ? rd : 0, rs2, 0);
		return rd ? i_type(OP_JALR, link, rd, 0, 0) : 0;
	case 6:
		return s_type(2, rs2, bits(c, 12, 9) << 2 | bits(c, 8, 7) << 6, 2);
	case 7:
		return s_type(2, rs2, bits(c, 12, 10) << 3 | bits(c, 9, 7) << 6, 3);
	}
	return 0;
}

static uint32_t expand(uint32_t c)
{
	switch (c & 3) {
	case 0:
		return expand_0(c);
	case 1:
		return expand_1(c);
	}
	return expand_2(c);
}

static bool load(struct hart *hart, uint32_t word, uint64_t address, uint64_t *value)
{
	unsigned int size = 1u << bits(word, 13, 12);
	const uint8_t *from = hart_at(hart, address, size);

	*value = 0;
	if (!from || bits(word, 14, 12) == 7)
		return false;
	memcpy(value, from, size);	/* both little-endian */
	if (!bits(word, 14, 14))
		*value = sign_extend(*value, 8 * size);
	return true;
}

static bool store(struct hart *hart, uint32_t word, uint64_t address, uint64_t value)
{
	unsigned int size = 1u << bits(word, 13, 12);
	uint8_t *to = hart_at(hart, address, size);

	if (!to || bits(word, 14, 14))
		return false;
	memcpy(to, &value, size);
	return true;
}

static bool taken(uint32_t word, uint64_t a, uint64_t b)
{
	bool result;

	switch (bits(word, 14, 13)) {
	case 0:
		result = a == b;
		break;
	case 2:
		result = (int64_t)a < (int64_t)b;
		break;
	default:
		result = a < b;
		break;
	}
	return result != bits(word, 12, 12);
}

/* Integer computation; @alternate: sub, sra. */
static uint64_t compute(unsigned int funct3, bool alternate, uint64_t a, uint64_t b)
{
	switch (funct3) {
	case 0:
		return alternate ? a - b : a + b;
	case 1:
		return a << (b & 63);
	case 2:
		return (int64_t)a < (int64_t)b;
	case 3:
		return a < b;
	case 4:
		return a ^ b;
	case 5:
		return alternate ? (uint64_t)((int64_t)a >> (b & 63)) : a >> (b & 63);
	case 6:
		return a | b;
	}
	return a & b;
}

/* The same of 32 bits; @b of shifts has 5. */
static uint64_t compute_32(unsigned int funct3, bool alternate, uint32_t a, uint32_t b)
{
	switch (funct3) {
	case 0:
		return (int32_t)(alternate ? a - b : a + b);
	case 1:
		return (int32_t)(a << (b & 31));
	}
	return alternate ? (int32_t)a >> (b & 31) : (int32_t)(a >> (b & 31));
}

/* M; what the program does not divide by is 0 and -1. */
static bool multiply(uint32_t word, bool narrow, uint64_t a, uint64_t b, uint64_t *value)
{
	unsigned int funct3 = bits(word, 14, 12);

	if (narrow) {
		a = funct3 & 1 ? (uint32_t)a : (uint64_t)(int32_t)a;
		b = funct3 & 1 ? (uint32_t)b : (uint64_t)(int32_t)b;
	}
	if (funct3 >= 4 && (!b || b == UINT64_MAX))
		return false;
	switch (funct3) {
	case 0:
		*value = a * b;
		break;
	case 1:
		*value = (unsigned __int128)((__int128)(int64_t)a * (int64_t)b) >> 64;
		break;
	case 3:
		*value = (unsigned __int128)a * b >> 64;
		break;
	case 4:
		*value = (int64_t)a / (int64_t)b;
		break;
	case 5:
		*value = a / b;
		break;
	case 6:
		*value = (int64_t)a % (int64_t)b;
		break;
	case 7:
		*value = a % b;
		break;
	default:
		return false;
	}
	if (narrow)
		*value = (int32_t)*value;
	return true;
}

/* What leaves a value in a register and goes on in line. */
static bool evaluate(struct hart *hart, uint32_t word, uint64_t a, uint64_t b, uint64_t *value)
{
	unsigned int funct3 = bits(word, 14, 12);
	int64_t imm = (int32_t)word >> 20;
	bool alternate = word >> 30 & 1, narrow = word >> 3 & 1;

	switch (word & 0x7f) {
	case OP_LOAD:
		return load(hart, word, a + imm, value);
	case OP_LUI:
		*value = (int64_t)(int32_t)(word & 0xfffff000);
		return true;
	case OP_AUIPC:
		*value = hart->pc + (int64_t)(int32_t)(word & 0xfffff000);
		return true;
	case OP_IMM:
		*value = compute(funct3, funct3 == 5 && alternate, a, imm);
		return true;
	case OP_IMM_32:
		*value = compute_32(funct3, funct3 == 5 && alternate, a, imm);
		return true;
	case OP_REG:
	case OP_REG_32:
		if (word >> 25 == 1)
			return multiply(word, narrow, a, b, value);
		*value = narrow ? compute_32(funct3, alternate, a, b) :
				  compute(funct3, alternate, a, b);
		return true;
	}
	return false;
}

int hart_step(struct hart *hart)
{
	const uint8_t *code = hart_at(hart, hart->pc, 4);
	uint32_t word, size = 4;
	uint64_t a, b, value;

	if (!code)
		return -1;
	memcpy(&word, code, 4);
	if ((word & 3) != 3) {
		word = expand(word & 0xffff);
		size = 2;
	}
	if (word == ECALL)
		return 0;
	a = hart->x[bits(word, 19, 15)];
	b = hart->x[bits(word, 24, 20)];
	value = hart->pc + size;
	switch (word & 0x7f) {
	case OP_BRANCH:
		hart->pc += taken(word, a, b) ? sign_extend(bits(word, 31, 31) << 12 |
			    bits(word, 7, 7) << 11 | bits(word, 30, 25) << 5 |
			    bits(word, 11, 8) << 1, 13) : size;
		return 1;
	case OP_STORE:
		hart->pc = value;
		return store(hart, word, a + sign_extend(bits(word, 31, 25) << 5 |
			     bits(word, 11, 7), 12), b) ? 1 : -1;
	case OP_JAL:
		hart->pc += sign_extend(bits(word, 31, 31) << 20 | bits(word, 19, 12) << 12 |
					bits(word, 20, 20) << 11 | bits(word, 30, 21) << 1, 21);
		break;
	case OP_JALR:
		hart->pc = (a + ((int32_t)word >> 20)) & ~1ull;
		break;
	default:
		if (!evaluate(hart, word, a, b, &value))
			return -1;
		hart->pc += size;
		break;
	}
	if (bits(word, 11, 7))
		hart->x[bits(word, 11, 7)] = value;
	return 1;
}
