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

/* How the last instruction went on to @target; INGRESS_NONE: in line. */
static uint8_t step_itype(const struct pclist *list, uint64_t target)
{
	bool in_line = target == list->pc + 2 * list->insn.size;

	if (list->insn.itype == INGRESS_BRANCH_TAKEN)
		return in_line ? INGRESS_BRANCH_NOT_TAKEN :
				 INGRESS_BRANCH_TAKEN;
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

void pclist_end(struct pclist *list)
{
	struct ingress_block *block = &list->block;
	uint64_t next = list->pc + 2 * list->insn.size;

	if (!list->started)
		return;
	if (list->trap) {
		end_block(list, list->trap, list->pc);
		return;
	}
	switch (list->insn.itype) {
	case INGRESS_NONE:
		end_block(list, INGRESS_NONE, next);
		return;
	case INGRESS_BRANCH_TAKEN:
		end_block(list, INGRESS_BRANCH_NOT_TAKEN, next);
		return;
	case INGRESS_DIRECT_CALL:
	case INGRESS_DIRECT_JUMP:
	case INGRESS_OTHER_DIRECT_JUMP:
		end_block(list, list->insn.itype,
			  list->pc + list->insn.offset);
		return;
	}
	block->halfwords -= list->insn.size;
	block->cycles -= list->insn.size;
	block->time = block->cycles;
	list->insn.size = 0;
	end_block(list, INGRESS_NONE, list->pc);
}
