// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Data accesses of instructions: see rvtrace/insn.h. Encodings are those of the unprivileged and
 * privileged specifications.
 */
#include <rvtrace/etrace.h>
#include <rvtrace/insn.h>

static unsigned int bits(uint32_t word, unsigned int high, unsigned int low)
{
	return (word >> low) & ((2u << (high - low)) - 1);
}

static bool moves(struct rvtrace_insn_access *access, unsigned int kind, unsigned int size)
{
	access->kind = kind;
	access->size = size;
	return true;
}

/* Zcb: c.lbu, c.lhu and c.lh, c.sb, c.sh */
static bool decode_zcb(uint16_t word, struct rvtrace_insn_access *access)
{
	unsigned int op = bits(word, 12, 10);

	return op < 4 && moves(access, op & 2 ? RVTRACE_INSN_STORES : RVTRACE_INSN_LOADS, op & 1);
}

/* Zcmp: rlist 4 is ra, 15 is ra and s0 to s11. */
static bool decode_zcmp(const struct rvtrace_isa *isa, uint16_t word,
			struct rvtrace_insn_access *access)
{
	unsigned int op = bits(word, 12, 8), rlist = bits(word, 7, 4);

	if (op < 0x18 || op & 1 || rlist < 4)
		return false;
	access->count = rlist == 15 ? 13 : rlist - 3;
	return moves(access, op == 0x18 ? RVTRACE_INSN_STORES : RVTRACE_INSN_LOADS,
		     isa->xlen == 32 ? 2 : 3);
}

static bool decode_16(const struct rvtrace_isa *isa, uint16_t word,
		      struct rvtrace_insn_access *access)
{
	unsigned int funct3 = bits(word, 15, 13), word_size = isa->xlen == 32 ? 2 : 3;

	if (bits(word, 1, 0) == 1)
		return false;
	switch (funct3) {
	case 1:		/* c.fld, c.fldsp */
		return moves(access, RVTRACE_INSN_LOADS, 3);
	case 2:		/* c.lw, c.lwsp */
		return moves(access, RVTRACE_INSN_LOADS, 2);
	case 3:		/* c.flw, c.flwsp; RV64: c.ld, c.ldsp */
		return moves(access, RVTRACE_INSN_LOADS, word_size);
	case 4:
		return bits(word, 1, 0) == 0 && decode_zcb(word, access);
	case 5:		/* c.fsd, c.fsdsp */
		if (bits(word, 1, 0) == 2 && (isa->zcmp || isa->zcmt))
			return isa->zcmp && decode_zcmp(isa, word, access);
		return moves(access, RVTRACE_INSN_STORES, 3);
	case 6:		/* c.sw, c.swsp */
		return moves(access, RVTRACE_INSN_STORES, 2);
	case 7:		/* c.fsw, c.fswsp; RV64: c.sd, c.sdsp */
		return moves(access, RVTRACE_INSN_STORES, word_size);
	}
	return false;
}

/* LOAD-FP and STORE-FP: scalars, else vectors */
static bool decode_fp(uint32_t word, unsigned int kind, struct rvtrace_insn_access *access)
{
	unsigned int width = bits(word, 14, 12);

	if (width >= 1 && width <= 4)
		return moves(access, kind, width);
	access->count = 0;
	return moves(access, kind, RVTRACE_INSN_SIZE_ANY);
}

static bool decode_atomic(uint32_t word, struct rvtrace_insn_access *access)
{
	unsigned int size = bits(word, 14, 12);

	if (size > 4)
		return false;
	switch (bits(word, 31, 27)) {
	case 0x02:	/* lr */
	case 0x06:	/* Zalasr's loads */
		return moves(access, RVTRACE_INSN_LOADS, size);
	case 0x03:	/* sc */
		access->conditional = true;
		return moves(access, RVTRACE_INSN_STORES, size);
	case 0x07:	/* Zalasr's stores */
		return moves(access, RVTRACE_INSN_STORES, size);
	case 0x05:	/* amocas */
		access->conditional = true;
		access->subtype = RVTRACE_ETRACE_SWAP;
		break;
	case 0x01:
	case 0x09:	/* ssamoswap */
		access->subtype = RVTRACE_ETRACE_SWAP;
		break;
	case 0x00:
		access->subtype = RVTRACE_ETRACE_ADD;
		break;
	case 0x04:
		access->subtype = RVTRACE_ETRACE_XOR;
		break;
	case 0x08:
		access->subtype = RVTRACE_ETRACE_OR;
		break;
	case 0x0c:
		access->subtype = RVTRACE_ETRACE_AND;
		break;
	case 0x10:
	case 0x18:
		access->subtype = RVTRACE_ETRACE_MIN;
		break;
	case 0x14:
	case 0x1c:
		access->subtype = RVTRACE_ETRACE_MAX;
		break;
	default:
		return false;
	}
	return moves(access, RVTRACE_INSN_ATOMIC, size);
}

static bool decode_system(uint32_t word, struct rvtrace_insn_access *access)
{
	unsigned int funct3 = bits(word, 14, 12), funct7 = bits(word, 31, 25);

	if (funct3 & 3) {	/* csrrw, csrrs, csrrc, and with an immediate */
		access->subtype = (funct3 & 3) - 1;
		access->csr = bits(word, 31, 20);
		return moves(access, RVTRACE_INSN_CSR, RVTRACE_INSN_SIZE_ANY);
	}
	/* hlv, hlvx, hsv */
	if (funct3 == 4 && funct7 >> 3 == 6)
		return moves(access, funct7 & 1 ? RVTRACE_INSN_STORES : RVTRACE_INSN_LOADS,
			     funct7 >> 1 & 3);
	return false;
}

static bool decode_32(uint32_t word, struct rvtrace_insn_access *access)
{
	unsigned int funct3 = bits(word, 14, 12);

	switch (bits(word, 6, 0)) {
	case 0x03:	/* LOAD */
		return funct3 < 7 && moves(access, RVTRACE_INSN_LOADS, funct3 & 3);
	case 0x23:	/* STORE */
		return funct3 < 4 && moves(access, RVTRACE_INSN_STORES, funct3);
	case 0x07:	/* LOAD-FP */
		return decode_fp(word, RVTRACE_INSN_LOADS, access);
	case 0x27:	/* STORE-FP */
		return decode_fp(word, RVTRACE_INSN_STORES, access);
	case 0x2f:	/* AMO */
		return decode_atomic(word, access);
	case 0x73:	/* SYSTEM */
		return decode_system(word, access);
	}
	return false;
}

bool rvtrace_insn_access(const struct rvtrace_isa *isa, const uint8_t *code, size_t size,
			 struct rvtrace_insn_access *access)
{
	uint16_t low = (uint16_t)(code[0] | code[1] << 8);

	*access = (struct rvtrace_insn_access) { .count = 1 };
	if (size == 2)
		return decode_16(isa, low, access);
	if (size == 4)
		return decode_32(low | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24, access);
	return false;
}
