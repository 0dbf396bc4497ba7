/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a list of executed addresses and the program's bytes to ingress blocks.
 */
#ifndef RVTRACE_ENCODE_PCLIST_H
#define RVTRACE_ENCODE_PCLIST_H

#include "tools/encode/ingress.h"
#include "tools/encode/riscv.h"

/**
 * pclist_fetch - read the program
 * @bits: the 4 bytes at @address, little-endian; where only 2 exist the upper
 *	half is 0
 *
 * Return: false when there is no code at @address.
 */
typedef bool (*pclist_fetch)(void *opaque, uint64_t address, uint32_t *bits);

typedef void (*pclist_block)(void *opaque, const struct ingress_block *block);

/* State of one conversion; fields are private. */
struct pclist {
	pclist_fetch fetch;
	pclist_block emit;
	void *opaque;
	unsigned int xlen;
	bool single;		/* public: a block for every instruction (retires_p 1) */
	bool zcmp;		/* public: the hart has Zcmp */
	bool started;
	struct riscv_insn insn;	/* last one listed */
	uint64_t pc;		/* its address */
	uint8_t constant;	/* register its predecessor loaded */
	uint8_t trap;		/* INGRESS_EXCEPTION or _INTERRUPT taken since, else 0 */
	struct ingress_context context;	/* of what is added next */
	struct ingress_block block;
};

void pclist_init(struct pclist *list, unsigned int xlen, pclist_fetch fetch,
		 pclist_block emit, void *opaque);

/**
 * pclist_add() - the instruction at @pc retired
 *
 * A step that the previous instruction cannot have made is reported as an
 * exception, in case the list does not carry traps. A taken branch to the instruction that
 * follows it counts as not taken. Clock and timestamp of a block are the
 * number of half-words retired before its end.
 *
 * Return: false when there is no code at @pc; nothing is added then.
 */
bool pclist_add(struct pclist *list, uint64_t pc);

/**
 * pclist_trap() - a trap was taken
 * @epc: address of the instruction that did not retire because of it
 * @itype: INGRESS_EXCEPTION or INGRESS_INTERRUPT
 * @cause: as in ingress_block
 * @tval: as in ingress_block
 *
 * The next instruction added, or trap, is what it went to.
 */
void pclist_trap(struct pclist *list, uint64_t epc, uint8_t itype, uint64_t cause, uint64_t tval);

/* Privilege and context of the instructions that are added from now on. */
void pclist_context(struct pclist *list, const struct ingress_context *context);

/**
 * pclist_end() - the list ends: report what is left
 *
 * How its last instruction went on is not known. A branch counts as not
 * taken; an indirect jump or trap return is left out.
 *
 * Return: whether nothing was left out.
 */
bool pclist_end(struct pclist *list);

#endif /* RVTRACE_ENCODE_PCLIST_H */
