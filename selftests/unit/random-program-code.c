// SPDX-License-Identifier: GPL-2.0
/* Code of random programs, see random-program.h. */
#include <string.h>

#include "random-program.h"

/* Encodings, from the unprivileged specification. */

static uint32_t enc_branch(int32_t o)
{
	return 0x00000063 | ((uint32_t)o >> 12 & 1) << 31 | ((uint32_t)o >> 5 & 0x3f) << 25 |
	       ((uint32_t)o >> 1 & 0xf) << 8 | ((uint32_t)o >> 11 & 1) << 7;
}

static uint32_t enc_jal(unsigned int rd, int32_t o)
{
	return 0x6f | rd << 7 | ((uint32_t)o >> 20 & 1) << 31 | ((uint32_t)o >> 1 & 0x3ff) << 21 |
	       ((uint32_t)o >> 11 & 1) << 20 | ((uint32_t)o >> 12 & 0xff) << 12;
}

static uint32_t enc_jalr(unsigned int rd, unsigned int rs1, int32_t imm)
{
	return 0x67 | rd << 7 | rs1 << 15 | (uint32_t)imm << 20;
}

/* c.beqz and c.bnez */
static uint16_t enc_c_branch(bool nonzero, int32_t o)
{
	return 0xc101 | (uint16_t)nonzero << 13 | ((uint32_t)o >> 8 & 1) << 12 |
	       ((uint32_t)o >> 3 & 3) << 10 | ((uint32_t)o >> 6 & 3) << 5 |
	       ((uint32_t)o >> 1 & 3) << 3 | ((uint32_t)o >> 5 & 1) << 2;
}

/* c.j; c.jal, which RV32 alone has */
static uint16_t enc_c_jump(bool link, int32_t o)
{
	return (link ? 0x2001 : 0xa001) | ((uint32_t)o >> 11 & 1) << 12 |
	       ((uint32_t)o >> 4 & 1) << 11 | ((uint32_t)o >> 8 & 3) << 9 |
	       ((uint32_t)o >> 10 & 1) << 8 | ((uint32_t)o >> 6 & 1) << 7 |
	       ((uint32_t)o >> 7 & 1) << 6 | ((uint32_t)o >> 1 & 7) << 3 |
	       ((uint32_t)o >> 5 & 1) << 2;
}

static void put(struct region *r, struct insn *insn, uint32_t word)
{
	memcpy(r->code + insn->offset, &word, insn->size);
}

static void encode_insn(struct world *w, struct region *r, struct insn *insn)
{
	int32_t delta = r->insns[insn->target].offset - insn->offset;
	struct insn *load = insn - 1;
	int32_t imm;

	if (insn->accesses) {
		put(r, insn, access_word(insn->access));
		return;
	}
	switch (insn->op) {
	case OP_LINEAR:
		put(r, insn, insn->size == 2 ? 0x0505 : 0x00150513);
		break;
	case OP_BRANCH:
		put(r, insn, insn->size == 2 ? enc_c_branch(rnd(w, 2), delta) : enc_branch(delta));
		break;
	case OP_JUMP:
		put(r, insn, insn->size == 2 ? enc_c_jump(false, delta) :
					       enc_jal(rnd(w, 2) ? 0 : 6, delta));
		break;
	case OP_CALL:
		put(r, insn, insn->size == 2 ? enc_c_jump(true, delta) :
					       enc_jal(rnd(w, 2) ? 1 : 5, delta));
		break;
	case OP_INDIRECT:
		put(r, insn, insn->size == 2 ? 0x8782 : enc_jalr(0, 10, 0));
		break;
	case OP_INDIRECT_CALL:
		put(r, insn, insn->size == 2 ? 0x9782 : enc_jalr(1, 10, 0));
		break;
	case OP_RETURN:
		put(r, insn, insn->size == 2 ? 0x8082 : enc_jalr(0, 5, 0));
		break;
	case OP_SWAP:
		put(r, insn, insn->size == 2 ? 0x9282 : enc_jalr(5, 1, 0));
		break;
	case OP_LOAD:		/* auipc x7 */
		put(r, insn, 0x397);
		break;
	case OP_SEQUENTIAL:
		imm = r->insns[insn->target].offset - load->offset;
		put(r, insn, enc_jalr(0, 7, imm));
		break;
	case OP_XRET:
		put(r, insn, r->priv == 3 ? 0x30200073 : 0x10200073);
		break;
	case OP_CONTEXT:	/* csrw scontext, x10 */
		put(r, insn, 0x5a851073);
		break;
	case OP_ACCESS:
		break;
	}
}

/* Instructions that the offset of @insn reaches over, if they all have four bytes. */
static unsigned int reach_of(const struct insn *insn)
{
	if (insn->op == OP_SEQUENTIAL)
		return 2047 / 4;
	if (insn->size == 4)
		return INSNS;
	return insn->op == OP_BRANCH ? 254 / 4 : 2046 / 4;
}

/*
 * Where a direct jump leads: in E-Trace, only branches lead back, and how often the others led to
 * themselves nothing tells. What user code does that leads to itself ends in a trap.
 */
static unsigned int random_target(struct world *w, const struct region *r, unsigned int from)
{
	const struct insn *insn = &r->insns[from];
	unsigned int first = 0, behind = w->insns - 2, reach = reach_of(insn);
	bool only_ahead = w->is_etrace && insn->op != OP_BRANCH && from + 1 < w->insns;

	if (!rnd(w, 10) && (insn->op == OP_BRANCH ||
			    (insn->op == OP_JUMP && !w->is_etrace && !r->priv)))
		return from;
	if (only_ahead) {
		first = from + 1;
		behind = w->insns;
	}
	if (first + reach < from)
		first = from - reach;
	if (behind > from + reach)
		behind = from + reach;
	return first + rnd(w, behind - first);
}

static enum op random_op(struct world *w, const struct region *r, unsigned int i)
{
	unsigned int dice = rnd(w, 100);

	if (i && r->insns[i - 1].op == OP_LOAD)
		return OP_SEQUENTIAL;
	if (dice < 55 || i >= w->insns - 2)
		return rnd(w, 3) ? OP_LINEAR : OP_ACCESS;
	if (dice < 75)
		return OP_BRANCH;
	if (dice < 79)
		return OP_JUMP;
	if (dice < 85)
		return OP_CALL;
	if (dice < 87)
		return OP_INDIRECT;
	if (dice < 89)
		return OP_INDIRECT_CALL;
	if (dice < 94)
		return OP_RETURN;
	if (dice < 95)
		return OP_SWAP;
	if (dice < 97)
		return OP_LOAD;
	if (!r->priv)
		return OP_LINEAR;
	return dice < 99 || r->priv != 1 ? OP_XRET : OP_CONTEXT;
}

static bool can_compress(const struct world *w, enum op op)
{
	switch (op) {
	case OP_CALL:
		return w->xlen == 32;
	case OP_LINEAR:
	case OP_BRANCH:
	case OP_JUMP:
	case OP_INDIRECT:
	case OP_INDIRECT_CALL:
	case OP_RETURN:
	case OP_SWAP:
		return true;
	default:
		return false;
	}
}

static void make_insn(struct world *w, struct region *r, unsigned int i)
{
	struct insn *insn = &r->insns[i];

	insn->op = random_op(w, r, i);
	insn->size = can_compress(w, insn->op) && rnd(w, 2) ? 2 : 4;
	if (i == w->insns - 1) {	/* nothing runs off the end */
		insn->op = w->is_etrace ? OP_INDIRECT : OP_JUMP;
		insn->size = 4;
	}
	insn->accesses = insn->op == OP_ACCESS ||
			 (insn->op == OP_RETURN && w->zcmp && rnd(w, 2));
	if (insn->accesses) {
		insn->access = random_access(w, insn->op == OP_RETURN);
		insn->size = access_insn_size(insn->access);
	}
	insn->target = random_target(w, r, i);
	insn->taken = !w->regular ? 170 : rnd(w, 2) ? 1 : 254;
	insn->offset = i ? insn[-1].offset + insn[-1].size : 0;
}

static void make_region(struct world *w, int which, uint64_t base, uint8_t priv, uint64_t space,
			bool hidden)
{
	struct region *r = &w->regions[which];

	r->base = base;
	r->priv = priv;
	r->space = space;
	r->hidden = hidden;
	for (unsigned int i = 0; i < w->insns; i++)
		make_insn(w, r, i);
	for (unsigned int i = 0; i < w->insns; i++)
		encode_insn(w, r, &r->insns[i]);
}

void world_make_code(struct world *w)
{
	unsigned int width = w->address_width;
	uint64_t kernel = w->xlen == 64 ? 0xffffffff80000000ull : 0xc0000000;
	uint64_t firmware = 0x80000000ull, user = 0x10000;

	if (width < 32) {	/* a quarter for each */
		kernel = 3ull << (width - 2);
		firmware = 2ull << (width - 2);
		user = width > 18 ? user : 1ull << (width - 2);
	} else if (width > 33 && width < 64) {	/* as far away as it gets */
		kernel = ~0ull << (width - 1);
	}
	make_region(w, KERNEL, kernel, 1, RVTRACE_SPACE_ANY, false);
	make_region(w, FIRMWARE, firmware, 3, RVTRACE_SPACE_ANY, false);
	make_region(w, USER1, user, 0, 0, false);
	make_region(w, USER2, user, 0, 1, false);
	make_region(w, USER3, user, 0, 2, !w->is_etrace);
}
