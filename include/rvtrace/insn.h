/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Effect of an instruction on the flow, in the classes of the trace ingress port (N-Trace 1.0
 * chapter "Trace Ingress Port", E-Trace 2.0 chapter 4).
 */
#ifndef RVTRACE_INSN_H
#define RVTRACE_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>

RVTRACE_BEGIN_DECLS

#define RVTRACE_INSN_MAX	22	/* bytes of the longest defined encoding */

/**
 * enum rvtrace_insn_kind - classes of instructions
 * @RVTRACE_INSN_LINEAR: continues with the next instruction
 * @RVTRACE_INSN_BRANCH: direct conditional branch
 * @RVTRACE_INSN_JUMP: direct jump that is not a call
 * @RVTRACE_INSN_CALL: direct jump that links in x1 or x5
 * @RVTRACE_INSN_INDIRECT_JUMP: indirect jump, neither call nor return
 * @RVTRACE_INSN_INDIRECT_CALL: indirect jump that links in x1 or x5
 * @RVTRACE_INSN_RETURN: indirect jump through x1 or x5 that does not link there
 * @RVTRACE_INSN_SWAP: coroutine swap: return and call
 * @RVTRACE_INSN_TRAP_RETURN: mret, sret, mnret, dret
 * @RVTRACE_INSN_TABLE_JUMP: cm.jt
 * @RVTRACE_INSN_TABLE_CALL: cm.jalt
 * @RVTRACE_INSN_CONTEXT_WRITE: writes CSR scontext, otherwise linear
 * @RVTRACE_INSN_CUSTOM: in an encoding space for custom instructions: any effect is possible
 */
enum rvtrace_insn_kind {
	RVTRACE_INSN_LINEAR,
	RVTRACE_INSN_BRANCH,
	RVTRACE_INSN_JUMP,
	RVTRACE_INSN_CALL,
	RVTRACE_INSN_INDIRECT_JUMP,
	RVTRACE_INSN_INDIRECT_CALL,
	RVTRACE_INSN_RETURN,
	RVTRACE_INSN_SWAP,
	RVTRACE_INSN_TRAP_RETURN,
	RVTRACE_INSN_TABLE_JUMP,
	RVTRACE_INSN_TABLE_CALL,
	RVTRACE_INSN_CONTEXT_WRITE,
	RVTRACE_INSN_CUSTOM,
};

/**
 * struct rvtrace_isa - parameters that change the meaning of an encoding
 * @xlen: 32 or 64
 * @zcmp: cm.push, cm.popret ... instead of Zcd's c.fsdsp
 * @zcmt: cm.jt and cm.jalt instead of Zcd's c.fsdsp
 * @reserved: 0
 */
struct rvtrace_isa {
	uint8_t xlen;
	bool zcmp;
	bool zcmt;
	uint8_t reserved[5];
};

/**
 * struct rvtrace_insn - one instruction, classified
 * @offset: direct branches, jumps and calls: target minus own address; table jumps: index into the
 *	table
 * @size: bytes
 * @kind: enum rvtrace_insn_kind
 */
struct rvtrace_insn {
	int32_t offset;
	uint8_t size;
	uint8_t kind;
};

/**
 * rvtrace_insn_size() - length of an instruction
 * @low: its first 16 bits
 *
 * Return: bytes, even; 0 for the encodings reserved for 192 bits and more.
 */
static inline unsigned int rvtrace_insn_size(uint16_t low)
{
	if ((low & 0x3) != 0x3)
		return 2;
	if ((low & 0x1c) != 0x1c)
		return 4;
	if ((low & 0x3f) == 0x1f)
		return 6;
	if ((low & 0x7f) == 0x3f)
		return 8;
	if ((low & 0x7000) != 0x7000)
		return 10 + 2 * ((low >> 12) & 0x7);
	return 0;
}

/**
 * rvtrace_insn_decode() - classify one instruction
 * @isa: meaning of the encodings
 * @code: its bytes
 * @size: bytes readable at @code, at least 2
 * @insn: filled
 *
 * Return: 0; RVTRACE_ERR_INSTRUCTION for a reserved length; RVTRACE_ERR_TRUNCATED if @size is less
 * than its length, which is in @insn->size.
 */
int rvtrace_insn_decode(const struct rvtrace_isa *isa, const uint8_t *code, size_t size,
			struct rvtrace_insn *insn);

/* Kinds of accesses: rvtrace_insn_access.kind */
enum rvtrace_insn_access_kind {
	RVTRACE_INSN_LOADS,
	RVTRACE_INSN_STORES,
	RVTRACE_INSN_ATOMIC,		/* amo*; lr and sc load and store */
	RVTRACE_INSN_CSR,
};

/* rvtrace_insn_access.size: any, or the size of the elements of a vector. */
#define RVTRACE_INSN_SIZE_ANY	0xff

/**
 * struct rvtrace_insn_access - data accesses of an instruction
 * @kind: enum rvtrace_insn_access_kind
 * @subtype: as in E-Trace: enum rvtrace_etrace_atomic, rvtrace_etrace_csr
 * @size: 2^n bytes, or RVTRACE_INSN_SIZE_ANY
 * @count: number of accesses; 0: as many as the vector has elements
 * @conditional: sc, amocas: the access may fail
 * @csr: number of the CSR
 */
struct rvtrace_insn_access {
	uint8_t kind;
	uint8_t subtype;
	uint8_t size;
	uint8_t count;
	bool conditional;
	uint16_t csr;
};

/**
 * rvtrace_insn_access() - get the data accesses of one instruction
 * @isa: meaning of the encodings
 * @code: its bytes
 * @size: its length
 * @access: filled
 *
 * Return: true if it makes any; accesses of custom instructions are unknown.
 */
bool rvtrace_insn_access(const struct rvtrace_isa *isa, const uint8_t *code, size_t size,
			 struct rvtrace_insn_access *access);

RVTRACE_END_DECLS

#endif /* RVTRACE_INSN_H */
