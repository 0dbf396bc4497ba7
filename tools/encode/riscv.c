// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/riscv.h"

#define OPCODE_AUIPC	0x17
#define OPCODE_LUI	0x37
#define OPCODE_BRANCH	0x63
#define OPCODE_JALR	0x67
#define OPCODE_JAL	0x6f

#define INSN_SRET	0x10200073
#define INSN_MRET	0x30200073
#define INSN_MNRET	0x70200073

unsigned int riscv_insn_size(uint16_t half)
{
	if ((half & 0x3) != 0x3)
		return 1;
	if ((half & 0x1f) != 0x1f)
		return 2;
	if ((half & 0x3f) == 0x1f)
		return 3;
	if ((half & 0x7f) == 0x3f)
		return 4;
	/* 80 bits and more: bits 14:12 count further 16-bit parcels. */
	return 5 + ((half >> 12) & 0x7);
}

/* Bits @from and up of @value, @count of them, moved to bit @to. */
static uint32_t move(uint32_t value, unsigned int from, unsigned int count,
		     unsigned int to)
{
	return (value >> from & ((1u << count) - 1)) << to;
}

static int32_t sign_extend(uint32_t value, unsigned int bits)
{
	return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

static int32_t jal_offset(uint32_t bits)
{
	return sign_extend(move(bits, 31, 1, 20) | move(bits, 12, 8, 12) |
			   move(bits, 20, 1, 11) | move(bits, 21, 10, 1), 21);
}

static int32_t c_j_offset(uint32_t bits)
{
	return sign_extend(move(bits, 12, 1, 11) | move(bits, 8, 1, 10) |
			   move(bits, 9, 2, 8) | move(bits, 6, 1, 7) |
			   move(bits, 7, 1, 6) | move(bits, 2, 1, 5) |
			   move(bits, 11, 1, 4) | move(bits, 3, 3, 1), 12);
}

static int32_t branch_offset(uint32_t bits)
{
	return sign_extend(move(bits, 31, 1, 12) | move(bits, 7, 1, 11) |
			   move(bits, 25, 6, 5) | move(bits, 8, 4, 1), 13);
}

static int32_t c_branch_offset(uint32_t bits)
{
	return sign_extend(move(bits, 12, 1, 8) | move(bits, 5, 2, 6) |
			   move(bits, 2, 1, 5) | move(bits, 10, 2, 3) |
			   move(bits, 3, 2, 1), 9);
}

static bool is_link(unsigned int reg)
{
	return reg == 1 || reg == 5;
}

static enum ingress_itype classify_jal(unsigned int rd)
{
	if (is_link(rd))
		return INGRESS_DIRECT_CALL;
	return rd ? INGRESS_OTHER_DIRECT_JUMP : INGRESS_DIRECT_JUMP;
}

static enum ingress_itype classify_jalr(unsigned int rd, unsigned int rs1)
{
	if (is_link(rd)) {
		if (is_link(rs1) && rd != rs1)
			return INGRESS_COROUTINE_SWAP;
		return INGRESS_INDIRECT_CALL;
	}
	if (is_link(rs1))
		return INGRESS_RETURN;
	return rd ? INGRESS_OTHER_INDIRECT_JUMP : INGRESS_INDIRECT_JUMP;
}

static void classify_32(struct riscv_insn *insn, uint32_t bits)
{
	unsigned int rd = (bits >> 7) & 0x1f;
	unsigned int rs1 = (bits >> 15) & 0x1f;

	switch (bits & 0x7f) {
	case OPCODE_AUIPC:
	case OPCODE_LUI:
		insn->constant = rd;
		return;
	case OPCODE_BRANCH:
		insn->itype = INGRESS_BRANCH_TAKEN;
		insn->offset = branch_offset(bits);
		return;
	case OPCODE_JAL:
		insn->itype = classify_jal(rd);
		insn->offset = jal_offset(bits);
		return;
	case OPCODE_JALR:
		insn->itype = classify_jalr(rd, rs1);
		insn->jump_register = rs1;
		return;
	}
	if (bits == INSN_SRET || bits == INSN_MRET || bits == INSN_MNRET)
		insn->itype = INGRESS_TRAP_RETURN;
}

/* Quadrant and funct3 as one number. */
#define C_OP(quadrant, funct3)	((quadrant) << 3 | (funct3))

static void classify_16(struct riscv_insn *insn, uint16_t bits,
			unsigned int xlen)
{
	unsigned int rd = (bits >> 7) & 0x1f;
	unsigned int rs2 = (bits >> 2) & 0x1f;

	switch (C_OP(bits & 0x3, bits >> 13)) {
	case C_OP(1, 1):	/* C.JAL; RV64: C.ADDIW */
		if (xlen != 32)
			break;
		insn->itype = INGRESS_DIRECT_CALL;
		insn->offset = c_j_offset(bits);
		break;
	case C_OP(1, 3):	/* C.LUI; rd 2: C.ADDI16SP */
		if (rd != 2)
			insn->constant = rd;
		break;
	case C_OP(1, 5):	/* C.J */
		insn->itype = INGRESS_DIRECT_JUMP;
		insn->offset = c_j_offset(bits);
		break;
	case C_OP(1, 6):	/* C.BEQZ */
	case C_OP(1, 7):	/* C.BNEZ */
		insn->itype = INGRESS_BRANCH_TAKEN;
		insn->offset = c_branch_offset(bits);
		break;
	case C_OP(2, 4):	/* C.JR, C.JALR with rs2 0 and rs1 not 0 */
		if (rs2 || !rd)
			break;
		insn->itype = classify_jalr(bits & 0x1000 ? 1 : 0, rd);
		insn->jump_register = rd;
		break;
	}
}

struct riscv_insn riscv_classify(uint32_t bits, unsigned int xlen)
{
	struct riscv_insn insn = {
		.size = riscv_insn_size(bits),
		.itype = INGRESS_NONE,
	};

	if (insn.size == 1)
		classify_16(&insn, bits, xlen);
	else if (insn.size == 2)
		classify_32(&insn, bits);
	return insn;
}

bool riscv_is_popret(uint32_t bits)
{
	return (bits & 0xfd03) == 0xbc02;
}
