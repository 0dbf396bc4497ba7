// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/pclist.h"

#include <string.h>

void pclist_init(struct pclist *list, unsigned int xlen, pclist_fetch fetch,
		 pclist_block emit, void *opaque)
{
	memset(list, 0, sizeof(*list));
	list->xlen = xlen;
	list->fetch = fetch;
	list->emit = emit;
	list->opaque = opaque;
}

static void end_block(struct pclist *list, uint8_t itype, uint64_t target)
{
	struct ingress_block *block = &list->block;

	block->itype = itype;
	block->target = target;
	block->sequential = list->constant &&
			    list->constant == list->insn.jump_register;
	block->context = list->context;
	list->emit(list->opaque, block);
	block->start = target;
	block->halfwords = 0;
	block->last_size = 0;
	block->ebreak = false;
	block->cause = 0;
	block->tval = 0;
}

/* @distance bytes from the last instruction on */
static uint64_t pc_at(const struct pclist *list, int32_t distance)
{
	uint64_t pc = list->pc + distance;

	return list->xlen == 32 ? (uint32_t)pc : pc;
}

static uint64_t behind(const struct pclist *list)
{
	return pc_at(list, 2 * list->insn.size);
}

/* Where the last instruction leads, if it is a branch that is taken or a direct jump */
static uint64_t direct_target(const struct pclist *list)
{
	return pc_at(list, list->insn.offset);
}

static bool is_direct_jump(const struct pclist *list)
{
	return list->insn.itype == INGRESS_DIRECT_CALL ||
	       list->insn.itype == INGRESS_DIRECT_JUMP ||
	       list->insn.itype == INGRESS_OTHER_DIRECT_JUMP;
}

/* How the last instruction went on to @target; INGRESS_NONE: in line. */
static uint8_t step_itype(struct pclist *list, uint64_t target)
{
	bool in_line = target == behind(list);

	if (list->insn.itype == INGRESS_BRANCH_TAKEN) {
		if (in_line)
			return INGRESS_BRANCH_NOT_TAKEN;
		if (target == direct_target(list))
			return INGRESS_BRANCH_TAKEN;
		/* The exception is of the instruction where it leads, if it is not taken. */
		end_block(list, INGRESS_BRANCH_NOT_TAKEN, behind(list));
		return INGRESS_EXCEPTION;
	}
	if (is_direct_jump(list) && target != direct_target(list)) {
		end_block(list, list->insn.itype, direct_target(list));
		return INGRESS_EXCEPTION;
	}
	if (list->insn.itype != INGRESS_NONE)
		return list->insn.itype;
	return in_line ? INGRESS_NONE : INGRESS_EXCEPTION;
}

static bool same_context(const struct ingress_context *a, const struct ingress_context *b)
{
	return a->priv == b->priv && a->v == b->v && a->scontext == b->scontext;
}

/* The hart goes on at @pc. Return: how it got there. */
static uint8_t step(struct pclist *list, uint64_t pc)
{
	struct ingress_block *block = &list->block;
	uint8_t itype = INGRESS_NONE;

	if (!list->started) {
		list->started = true;
		block->start = pc;
		block->context = list->context;
		return INGRESS_NONE;
	}
	if (list->trap)
		itype = list->trap;
	else if (list->insn.size)
		itype = step_itype(list, pc);
	if (itype != INGRESS_NONE || !same_context(&block->context, &list->context) ||
	    (list->single && block->halfwords))
		end_block(list, itype, pc);
	return itype;
}

void pclist_trap(struct pclist *list, uint64_t epc, uint8_t itype, uint64_t cause, uint64_t tval)
{
	uint32_t bits;

	step(list, epc);
	memset(&list->insn, 0, sizeof(list->insn));
	list->trap = itype;
	list->pc = epc;
	list->block.cause = cause;
	list->block.tval = tval;
	list->block.ebreak = itype == INGRESS_EXCEPTION && list->fetch(list->opaque, epc, &bits) &&
			     (bits == 0x00100073 || (bits & 0xffff) == 0x9002);
}

void pclist_context(struct pclist *list, const struct ingress_context *context)
{
	list->context = *context;
}

bool pclist_add(struct pclist *list, uint64_t pc)
{
	struct ingress_block *block = &list->block;
	uint8_t itype;
	uint32_t bits;

	if (!list->fetch(list->opaque, pc, &bits))
		return false;
	itype = step(list, pc);
	list->trap = 0;
	/* Only what retired just before, without a trap between, counts. */
	list->constant = itype == INGRESS_NONE ? list->insn.constant : 0;
	list->insn = riscv_classify(bits, list->xlen);
	if (list->zcmp && riscv_is_popret(bits))
		list->insn.itype = INGRESS_RETURN;
	list->pc = pc;
	block->halfwords += list->insn.size;
	block->last_size = list->insn.size;
	block->cycles += list->insn.size;
	block->time = block->cycles;
	return true;
}

bool pclist_end(struct pclist *list)
{
	struct ingress_block *block = &list->block;

	if (!list->started)
		return true;
	if (list->trap) {
		end_block(list, list->trap, list->pc);
		return true;
	}
	if (is_direct_jump(list)) {
		end_block(list, list->insn.itype, direct_target(list));
		return true;
	}
	switch (list->insn.itype) {
	case INGRESS_NONE:
		end_block(list, INGRESS_NONE, behind(list));
		return true;
	case INGRESS_BRANCH_TAKEN:
		end_block(list, INGRESS_BRANCH_NOT_TAKEN, behind(list));
		return true;
	}
	block->halfwords -= list->insn.size;
	block->cycles -= list->insn.size;
	block->time = block->cycles;
	list->insn.size = 0;
	end_block(list, INGRESS_NONE, list->pc);
	return false;
}
