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

static void put(struct region *r, struct insn *insn, uint32_t word)
{
	memcpy(r->code + insn->offset, &word, insn->size);
}

static void encode_insn(struct world *w, struct region *r, struct insn *insn)
{
	int32_t delta = r->insns[insn->target].offset - insn->offset;
	struct insn *load = insn - 1;
	int32_t imm;

	switch (insn->op) {
	case OP_LINEAR:
		put(r, insn, insn->size == 2 ? 0x0505 : 0x00150513);
		break;
	case OP_BRANCH:
		put(r, insn, enc_branch(delta));
		break;
	case OP_JUMP:
		put(r, insn, enc_jal(rnd(w, 2) ? 0 : 6, delta));
		break;
	case OP_CALL:
		put(r, insn, enc_jal(rnd(w, 2) ? 1 : 5, delta));
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
		put(r, insn, access_word(insn->access));
		break;
	}
}

/* Instructions that an offset of 12 bits reaches over. */
#define NEAR	(2047 / 4)

/* Where a direct jump leads: in E-Trace, only branches lead back. */
static unsigned int random_target(struct world *w, unsigned int from, enum op op)
{
	unsigned int first = 0, behind = INSNS - 2;

	if (w->is_etrace && op != OP_BRANCH && from + 1 < INSNS) {
		first = from + 1;
		behind = INSNS;
	}
	if (op == OP_SEQUENTIAL) {
		if (first + NEAR < from)
			first = from - NEAR;
		if (behind > from + NEAR)
			behind = from + NEAR;
	}
	return first + rnd(w, behind - first);
}

static void make_region(struct world *w, int which, uint64_t base, uint8_t priv, uint64_t space,
			bool hidden)
{
	struct region *r = &w->regions[which];
	uint32_t offset = 0;

	r->base = base;
	r->priv = priv;
	r->space = space;
	r->hidden = hidden;
	for (unsigned int i = 0; i < INSNS; i++) {
		struct insn *insn = &r->insns[i];
		unsigned int dice = rnd(w, 100);
		bool can_compress = false;

		insn->op = OP_LINEAR;
		if (i && insn[-1].op == OP_LOAD)
			insn->op = OP_SEQUENTIAL;
		else if (dice < 55 || i >= INSNS - 2)
			can_compress = true;
		else if (dice < 75)
			insn->op = OP_BRANCH;
		else if (dice < 79)
			insn->op = OP_JUMP;
		else if (dice < 85)
			insn->op = OP_CALL;
		else if (dice < 87)
			insn->op = OP_INDIRECT;
		else if (dice < 89)
			insn->op = OP_INDIRECT_CALL;
		else if (dice < 94)
			insn->op = OP_RETURN;
		else if (dice < 95)
			insn->op = OP_SWAP;
		else if (dice < 97)
			insn->op = OP_LOAD;
		else if (priv)
			insn->op = dice < 99 || which != KERNEL ? OP_XRET : OP_CONTEXT;
		if (insn->op == OP_LINEAR && !rnd(w, 3)) {
			insn->op = OP_ACCESS;
			insn->access = random_access(w);
		}
		insn->target = random_target(w, i, insn->op);
		if (insn->op >= OP_INDIRECT && insn->op <= OP_SWAP)
			can_compress = true;
		insn->size = can_compress && rnd(w, 2) ? 2 : 4;
		if (insn->op == OP_ACCESS)
			insn->size = access_insn_size(insn->access);
		insn->offset = offset;
		offset += insn->size;
	}
	/* the last one jumps back: nothing runs off the end */
	r->insns[INSNS - 1].op = w->is_etrace ? OP_INDIRECT : OP_JUMP;
	r->insns[INSNS - 1].size = 4;
	for (unsigned int i = 0; i < INSNS; i++)
		encode_insn(w, r, &r->insns[i]);
}

void world_make_code(struct world *w)
{
	make_region(w, KERNEL, 0xffffffff80000000ull, 1, RVTRACE_SPACE_ANY, false);
	make_region(w, FIRMWARE, 0x80000000ull, 3, RVTRACE_SPACE_ANY, false);
	make_region(w, USER1, 0x10000, 0, 0, false);
	make_region(w, USER2, 0x10000, 0, 1, false);
	make_region(w, USER3, 0x10000, 0, 2, !w->is_etrace);
}
