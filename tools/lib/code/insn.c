// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Instruction classifier: see rvtrace/insn.h. Encodings are those of the
 * unprivileged and privileged specifications, chapters in the comments.
 */
#include <rvtrace/error.h>
#include <rvtrace/insn.h>

#define CSR_SCONTEXT	0x5a8

static unsigned int bits(uint32_t word, unsigned int high, unsigned int low)
{
	return (word >> low) & ((2u << (high - low)) - 1);
}

static int32_t sign_extend(uint32_t value, unsigned int width)
{
	uint32_t sign = 1u << (width - 1);

	return (int32_t)((value ^ sign) - sign);
}

static bool is_link(unsigned int reg)
{
	return reg == 1 || reg == 5;
}

/* N-Trace 1.0, table "Generating itype for different instructions". */
static enum rvtrace_insn_kind jalr_kind(unsigned int rd, unsigned int rs1)
{
	if (is_link(rd))
		return is_link(rs1) && rd != rs1 ? RVTRACE_INSN_SWAP : RVTRACE_INSN_INDIRECT_CALL;
	return is_link(rs1) ? RVTRACE_INSN_RETURN : RVTRACE_INSN_INDIRECT_JUMP;
}

/* CJ format: offset[11|4|9:8|10|6|7|3:1|5]. */
static int32_t cj_offset(uint16_t word)
{
	return sign_extend(bits(word, 12, 12) << 11 | bits(word, 11, 11) << 4 |
			   bits(word, 10, 9) << 8 | bits(word, 8, 8) << 10 |
			   bits(word, 7, 7) << 6 | bits(word, 6, 6) << 7 |
			   bits(word, 5, 3) << 1 | bits(word, 2, 2) << 5, 12);
}

/* CB format: offset[8|4:3] and offset[7:6|2:1|5]. */
static int32_t cb_offset(uint16_t word)
{
	return sign_extend(bits(word, 12, 12) << 8 | bits(word, 11, 10) << 3 |
			   bits(word, 6, 5) << 6 | bits(word, 4, 3) << 1 |
			   bits(word, 2, 2) << 5, 9);
}

/* Zcmp and Zcmt share the encodings of Zcd's c.fsdsp. */
static void decode_zcm(const struct rvtrace_isa *isa, uint16_t word, struct rvtrace_insn *insn)
{
	if (isa->zcmt && bits(word, 12, 10) == 0) {
		insn->offset = bits(word, 9, 2);
		insn->kind = insn->offset < 32 ? RVTRACE_INSN_TABLE_JUMP : RVTRACE_INSN_TABLE_CALL;
	} else if (isa->zcmp && (bits(word, 12, 8) == 0x1c || bits(word, 12, 8) == 0x1e)) {
		insn->kind = RVTRACE_INSN_RETURN;	/* cm.popretz, cm.popret */
	}
}

static void decode_16(const struct rvtrace_isa *isa, uint16_t word, struct rvtrace_insn *insn)
{
	unsigned int rs1 = bits(word, 11, 7);

	/* quadrant and funct3 */
	switch (bits(word, 1, 0) << 3 | bits(word, 15, 13)) {
	case 1 << 3 | 1:	/* c.jal, c.addiw in RV64 */
		if (isa->xlen == 32) {
			insn->kind = RVTRACE_INSN_CALL;
			insn->offset = cj_offset(word);
		}
		break;
	case 1 << 3 | 5:	/* c.j */
		insn->kind = RVTRACE_INSN_JUMP;
		insn->offset = cj_offset(word);
		break;
	case 1 << 3 | 6:	/* c.beqz */
	case 1 << 3 | 7:	/* c.bnez */
		insn->kind = RVTRACE_INSN_BRANCH;
		insn->offset = cb_offset(word);
		break;
	case 2 << 3 | 4:	/* c.jr, c.jalr: rs2 is 0 and rs1 is not */
		if (bits(word, 6, 2) == 0 && rs1)
			insn->kind = jalr_kind(bits(word, 12, 12), rs1);
		break;
	case 2 << 3 | 5:
		decode_zcm(isa, word, insn);
		break;
	}
}

static void decode_system(uint32_t word, struct rvtrace_insn *insn)
{
	unsigned int funct3 = bits(word, 14, 12);

	switch (word) {
	case 0x10200073:	/* sret */
	case 0x30200073:	/* mret */
	case 0x70200073:	/* mnret */
	case 0x7b200073:	/* dret */
		insn->kind = RVTRACE_INSN_TRAP_RETURN;
		return;
	}
	if (funct3 == 0 && (bits(word, 31, 26) == 0x23 || bits(word, 31, 26) == 0x33)) {
		insn->kind = RVTRACE_INSN_CUSTOM;
	} else if (bits(word, 31, 20) == CSR_SCONTEXT && (funct3 & 3)) {
		/* csrrs and csrrc of x0 or 0 do not write */
		if ((funct3 & 3) == 1 || bits(word, 19, 15))
			insn->kind = RVTRACE_INSN_CONTEXT_WRITE;
	}
}

static void decode_32(uint32_t word, struct rvtrace_insn *insn)
{
	switch (bits(word, 6, 0)) {
	case 0x63:	/* BRANCH, every funct3 */
		insn->kind = RVTRACE_INSN_BRANCH;
		insn->offset = sign_extend(bits(word, 31, 31) << 12 | bits(word, 7, 7) << 11 |
					   bits(word, 30, 25) << 5 | bits(word, 11, 8) << 1, 13);
		break;
	case 0x6f:	/* JAL */
		insn->kind = is_link(bits(word, 11, 7)) ? RVTRACE_INSN_CALL : RVTRACE_INSN_JUMP;
		insn->offset = sign_extend(bits(word, 31, 31) << 20 | bits(word, 19, 12) << 12 |
					   bits(word, 20, 20) << 11 | bits(word, 30, 21) << 1, 21);
		break;
	case 0x67:	/* JALR */
		if (bits(word, 14, 12) == 0)
			insn->kind = jalr_kind(bits(word, 11, 7), bits(word, 19, 15));
		break;
	case 0x73:	/* SYSTEM */
		decode_system(word, insn);
		break;
	case 0x0b:	/* custom-0 to custom-3 */
	case 0x2b:
	case 0x5b:
	case 0x7b:
		insn->kind = RVTRACE_INSN_CUSTOM;
		break;
	}
}

int rvtrace_insn_decode(const struct rvtrace_isa *isa, const uint8_t *code, size_t size,
			struct rvtrace_insn *insn)
{
	uint16_t low = (uint16_t)(code[0] | code[1] << 8);

	insn->offset = 0;
	insn->kind = RVTRACE_INSN_LINEAR;
	insn->size = rvtrace_insn_size(low);
	if (!insn->size)
		return RVTRACE_ERR_INSTRUCTION;
	if (insn->size > size)
		return RVTRACE_ERR_TRUNCATED;
	if (insn->size == 2)
		decode_16(isa, low, insn);
	else if (insn->size == 4)
		decode_32(low | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24, insn);
	else
		insn->kind = RVTRACE_INSN_CUSTOM;	/* no standard extension is longer */
	return 0;
}
