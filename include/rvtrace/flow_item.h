/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the flow layer yields: runs of blocks of executed instructions, and the events between them. */
#ifndef RVTRACE_FLOW_ITEM_H
#define RVTRACE_FLOW_ITEM_H

#include <stdbool.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/etrace.h>
#include <rvtrace/insn.h>

RVTRACE_BEGIN_DECLS

/* rvtrace_flow_item.data.id of Ownership that software wrote: offset of SiFive's register for it. */
#define RVTRACE_OWNER_ID	60

/* rvtrace_flow_item.source: all of them; SRC has 16 bits at most. */
#define RVTRACE_SOURCE_ALL	UINT32_MAX

/**
 * enum rvtrace_flow_type - kinds of items
 * @RVTRACE_FLOW_BLOCKS: blocks of instructions that executed one after the other
 * @RVTRACE_FLOW_SYNC: the stream gave a full address: decoding starts here, or was confirmed
 * @RVTRACE_FLOW_TRAP: exception or interrupt
 * @RVTRACE_FLOW_TRAP_RETURN: mret, sret ...
 * @RVTRACE_FLOW_CONTEXT: privilege or address space changed (Ownership, or as addresses say);
 *	the item's own @priv, @v, @context are the new ones
 * @RVTRACE_FLOW_STOP: tracing of the source stopped
 * @RVTRACE_FLOW_OVERFLOW: the encoder lost messages (Error); unknown until the next sync, unless
 *	code is RVTRACE_NTRACE_ECODE_DATA: what executed goes on
 * @RVTRACE_FLOW_LOST: bytes of the stream are missing (rvtrace_flow_lost()); every source is
 *	unknown until its next sync
 * @RVTRACE_FLOW_NO_IMAGE: code executed that no image holds, or that could not be followed after
 *	an error; goes on at the next message that gives an address
 * @RVTRACE_FLOW_ERROR: the stream is damaged or contradicts the images
 * @RVTRACE_FLOW_DATA: software trace (DataAcquisition, Ownership with priv_by_address,
 *	AuxAccessWrite, events of E-Trace), behind all instructions that messages before it tell of
 *	for certain
 * @RVTRACE_FLOW_UNKNOWN: a reserved or vendor-defined message, skipped
 * @RVTRACE_FLOW_ACCESS: data trace: a load, store, atomic or access of a CSR. With an address it
 *	comes right behind the instruction that made it, which is at that address
 * @RVTRACE_FLOW_ACCESSES_LOST: the encoder lost packets of data trace, but none of the flow
 * @RVTRACE_FLOW_REGISTER: a register was written (CDL)
 * @RVTRACE_FLOW_TRACEPOINT: an instruction that is marked was executed (CDL)
 * @RVTRACE_FLOW_RANGE: code that no image holds executed in line, from @address to @range.last
 *	(debug specification, without branches)
 * @RVTRACE_FLOW_CIRCUIT: something happened, or a sample was taken (SiFive: InCircuitTrace,
 *	ProgTraceSync with SYNC 15), at @address if that is known
 * @RVTRACE_FLOW_TAIL: the source is unknown from here on, at the end of the stream, of what was read
 *	in one piece or of what its encoder kept: instructions were counted, and that is as far as
 *	counts and outcomes lead. @address: the next instruction
 * @RVTRACE_FLOW_UNFOLLOWED: a stretch of unknown flow: a return that no message reports led to a
 *	caller that is not known (rvtrace_flow_ntrace.sifive). The trace counts what executed up to
 *	the next message with an address
 * @RVTRACE_FLOW_INFERRED: where a return led that no message reports, from @address to @trap.target,
 *	was inferred: of a few addresses (struct rvtrace_flow_kernel) it is the only one from which the
 *	rest of what the message tells of can have executed
 */
enum rvtrace_flow_type {
	RVTRACE_FLOW_BLOCKS,
	RVTRACE_FLOW_SYNC,
	RVTRACE_FLOW_TRAP,
	RVTRACE_FLOW_TRAP_RETURN,
	RVTRACE_FLOW_CONTEXT,
	RVTRACE_FLOW_STOP,
	RVTRACE_FLOW_OVERFLOW,
	RVTRACE_FLOW_LOST,
	RVTRACE_FLOW_NO_IMAGE,
	RVTRACE_FLOW_ERROR,
	RVTRACE_FLOW_DATA,
	RVTRACE_FLOW_UNKNOWN,
	RVTRACE_FLOW_ACCESS,
	RVTRACE_FLOW_ACCESSES_LOST,
	RVTRACE_FLOW_REGISTER,
	RVTRACE_FLOW_TRACEPOINT,
	RVTRACE_FLOW_RANGE,
	RVTRACE_FLOW_CIRCUIT,
	RVTRACE_FLOW_TAIL,
	RVTRACE_FLOW_UNFOLLOWED,
	RVTRACE_FLOW_INFERRED,
};

/* rvtrace_flow_item.flags */
#define RVTRACE_FLOW_HAS_TIME		(1u << 0)
#define RVTRACE_FLOW_HAS_PRIV		(1u << 1)
#define RVTRACE_FLOW_HAS_CONTEXT	(1u << 2)
#define RVTRACE_FLOW_HAS_ADDRESS	(1u << 3)	/* events: @address is known */
#define RVTRACE_FLOW_V			(1u << 4)	/* virtualization mode */
#define RVTRACE_FLOW_FIRST		(1u << 5)	/* sync: the source was unknown before */
#define RVTRACE_FLOW_HAS_CAUSE		(1u << 6)	/* trap: @trap.cause is known */
#define RVTRACE_FLOW_HAS_TARGET		(1u << 7)	/* trap and return: @trap.target is known */

/* rvtrace_flow_item.stop.reason: what executes is not to be traced (E-Trace). */
#define RVTRACE_STOP_FILTER	0x100

/* Tracing was turned off, or sequences were dropped (debug specification). */
#define RVTRACE_STOP_UNKNOWN	0x101

/* rvtrace_flow_item.error.tcode, see there. */
#define RVTRACE_TE_INST		0x100

enum rvtrace_trap_kind {
	RVTRACE_TRAP_UNKNOWN,		/* the encoder does not tell them apart */
	RVTRACE_TRAP_EXCEPTION,
	RVTRACE_TRAP_INTERRUPT,
};

/**
 * struct rvtrace_flow_block - instructions that executed at consecutive addresses
 * @address: of the first one
 * @code: their bytes; valid until the image changes, or the next read
 * @instructions: how many instructions, at least 1
 * @size: how many bytes
 */
struct rvtrace_flow_block {
	uint64_t address;
	const uint8_t *code;
	uint32_t instructions;
	uint32_t size;
};

/* rvtrace_flow_access.flags */
#define RVTRACE_ACCESS_HAS_ADDRESS	(1u << 0)
#define RVTRACE_ACCESS_HAS_DATA		(1u << 1)
#define RVTRACE_ACCESS_HAS_OPERAND	(1u << 2)
#define RVTRACE_ACCESS_UNALIGNED	(1u << 3)
#define RVTRACE_ACCESS_MULTIPLE		(1u << 4)	/* one of several of its instruction */
#define RVTRACE_ACCESS_REQUEST		(1u << 5)	/* split: the data come later */
#define RVTRACE_ACCESS_RESPONSE		(1u << 6)	/* split: the data, of a request before */
#define RVTRACE_ACCESS_FAILED		(1u << 7)	/* split: there are none */
#define RVTRACE_ACCESS_HAS_WRITTEN	(1u << 8)
#define RVTRACE_ACCESS_PARTIAL		(1u << 9)	/* of the address, some bits only */
#define RVTRACE_ACCESS_NO_SIZE		(1u << 10)	/* it is not known */

/**
 * struct rvtrace_flow_access - what data trace tells of an access
 * @address: where, if known; CSRs: the number
 * @data: lower and upper half of what was loaded or stored, of atomics and CSRs what was there
 *	before, if known; cut to the size
 * @operand: atomics: rs2, CSRs: rs1, if known; likewise
 * @written: atomics and CSRs: what was written, if known; likewise (debug specification)
 * @known: if RVTRACE_ACCESS_PARTIAL, which bits of @address are known; the others are 0
 * @lrid: split: what request and response have in common
 * @kind: RVTRACE_ETRACE_LOAD, _STORE, _ATOMIC or _CSR; a response whose request is not known is
 *	a load
 * @subtype: enum rvtrace_etrace_atomic, rvtrace_etrace_csr
 * @size: 2^n bytes; CSRs: that of a register; RVTRACE_ACCESS_NO_SIZE: 3
 * @flags: RVTRACE_ACCESS_HAS_ADDRESS ...
 */
struct rvtrace_flow_access {
	uint64_t address;
	uint64_t data[2];
	uint64_t operand[2];
	uint64_t written;
	uint64_t known;
	uint16_t lrid;
	uint16_t flags;
	uint8_t kind;
	uint8_t subtype;
	uint8_t size;
};

/**
 * struct rvtrace_flow_item - one run of blocks or event
 * @type: enum rvtrace_flow_type
 * @flags: RVTRACE_FLOW_HAS_TIME ...: which of the members are known
 * @priv: privilege: 0 U, 1 S, 3 M
 * @source: SRC of the message, or RVTRACE_SOURCE_ALL
 * @offset: stream offset of the message that produced the item, in bytes or nybbles, as flow.h has it
 * @time: time of that message, in units of the timestamp; it goes on where timestamps begin again
 * @context: address space (scontext)
 * @process: rvtrace_flow_place.process, RVTRACE_PROCESS_UNKNOWN without a resolver
 * @thread: rvtrace_flow_place.thread, -1 without a resolver. Where another one follows, both are
 *	those before up to the change of tasks (rvtrace_flow_config.task_switch)
 * @address: blocks: of the first instruction; sync: where the source is now; trap and return: the
 *	instruction that did not execute, or the return instruction; inferred: the return instruction;
 *	stop, overflow, error: the next instruction; no image: the first instruction without one;
 *	access, register and trace point: the instruction that made it; circuit: where it happened
 * @blocks.list: the blocks, in order; valid until the next read
 * @blocks.count: how many, at least 1
 * @blocks.instructions: of all of them
 * @sync.reason: SYNC (enum rvtrace_ntrace_sync); E-Trace: TRACE_ENABLE if it is the first one, else
 *	PERIODIC
 * @trap.target: trap: address of the handler; return, and what was inferred: where to
 * @trap.kind: enum rvtrace_trap_kind
 * @trap.cause: ecause
 * @stop.reason: EVCODE: 0 debug mode, 1 low power, 4 trace disabled; E-Trace: 4 if it says so, else
 *	RVTRACE_STOP_FILTER
 * @overflow.type: ETYPE; 0 with E-Trace
 * @overflow.code: ECODE; 0 with E-Trace, RVTRACE_NTRACE_ECODE_DATA for software trace events
 * @lost.bytes: missing bytes as told to rvtrace_flow_lost(); 0 is not known
 * @no_image.halfwords: 16-bit units of instructions that executed unseen; 0: not known (E-Trace,
 *	CDL)
 * @no_image.complete: they are all that did; false if the trace stopped or broke off before the
 *	count was reported
 * @unfollowed.halfwords: 16-bit units of instructions that executed
 * @unfollowed.complete: as @no_image.complete
 * @error.code: enum rvtrace_error
 * @error.size: how much of the stream was skipped, as @offset; 0 if the message itself was read
 * @error.tcode: type of the message, 0 if that is not known; E-Trace: RVTRACE_TE_INST and, added to
 *	it, format * 4 + subformat; debug specification: the header
 * @data.id: IDTAG, ADDR, or RVTRACE_OWNER_ID; E-Trace: identifier of a software trace event
 * @data.value: DQDATA, PROCESS; E-Trace: value of the event
 * @unknown.tcode: TCODE
 * @unknown.size: bytes of the message
 * @range.last: address of the last instruction
 * @range.instructions: how many; 0: not known, as the hart has compressed ones
 * @access: the access; valid until the next read
 * @written.value: what was written
 * @written.rd: number of the register
 * @tracepoint.number: of the trace point
 * @tail.halfwords: 16-bit units that were counted from @address on: what they are, messages yet to
 *	come would have said
 * @circuit.source: enum rvtrace_ntrace_cksrc, or a reserved one
 * @circuit.value: if @circuit.has_value: cause, code of control, target of a call, what the source
 *	says beside the address; without an address the first value that it says
 */
struct rvtrace_flow_item {
	uint8_t type;
	uint8_t flags;
	uint8_t priv;
	uint8_t reserved;
	uint32_t source;
	uint64_t offset;
	uint64_t time;
	uint64_t context;
	uint32_t process;
	int32_t thread;
	uint64_t address;
	union {
		struct {
			const struct rvtrace_flow_block *list;
			uint32_t count;
			uint32_t instructions;
		} blocks;
		struct {
			uint32_t reason;
		} sync;
		struct {
			uint64_t target;
			uint32_t kind;
			uint32_t cause;
		} trap;
		struct {
			uint32_t reason;
		} stop;
		struct {
			uint32_t type;
			uint32_t code;
		} overflow;
		struct {
			uint64_t bytes;
		} lost;
		struct {
			uint64_t halfwords;
			bool complete;
		} no_image;
		struct {
			uint64_t halfwords;
			bool complete;
		} unfollowed;
		struct {
			int32_t code;
			uint32_t size;
			uint32_t tcode;
		} error;
		struct {
			uint64_t value;
			uint32_t id;
		} data;
		struct {
			uint32_t tcode;
			uint32_t size;
		} unknown;
		struct {
			uint64_t last;
			uint64_t instructions;
		} range;
		const struct rvtrace_flow_access *access;
		struct {
			uint64_t value;
			uint32_t rd;
		} written;
		struct {
			uint32_t number;
		} tracepoint;
		struct {
			uint64_t value;
			uint32_t source;
			bool has_value;
		} circuit;
		struct {
			uint64_t halfwords;
		} tail;
	};
};

/**
 * struct rvtrace_insn_iter - the instructions of a run of blocks, one after the other
 * @address: of the current instruction
 * @code: its bytes
 * @size: how many
 * @left: how many instructions of its block follow
 * @block: the next block
 * @last: behind the last block
 *
 *	rvtrace_insn_iter_init(&iter, item);
 *	while (rvtrace_insn_iter_next(&iter))
 *		use(iter.address, iter.code, iter.size);
 */
struct rvtrace_insn_iter {
	uint64_t address;
	const uint8_t *code;
	uint32_t size;
	uint32_t left;
	const struct rvtrace_flow_block *block;
	const struct rvtrace_flow_block *last;
};

static inline void rvtrace_insn_iter_init(struct rvtrace_insn_iter *iter,
					  const struct rvtrace_flow_item *item)
{
	iter->left = 0;
	iter->block = item->blocks.list;
	iter->last = item->blocks.list + item->blocks.count;
}

static inline bool rvtrace_insn_iter_next(struct rvtrace_insn_iter *iter)
{
	if (iter->left) {
		iter->left--;
		iter->address += iter->size;
		iter->code += iter->size;
	} else {
		if (iter->block == iter->last)
			return false;
		iter->address = iter->block->address;
		iter->code = iter->block->code;
		iter->left = iter->block->instructions - 1;
		iter->block++;
	}
	iter->size = rvtrace_insn_size((uint16_t)(iter->code[0] | iter->code[1] << 8));
	return true;
}

RVTRACE_END_DECLS

#endif /* RVTRACE_FLOW_ITEM_H */
