/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Items of the flow layer: runs of blocks of executed instructions, and the events between them. */
#ifndef RVTRACE_FLOW_ITEM_H
#define RVTRACE_FLOW_ITEM_H

#include <stdbool.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/etrace.h>
#include <rvtrace/insn.h>

RVTRACE_BEGIN_DECLS

/* rvtrace_flow_item.data.id of Ownership that software wrote: offset of SiFive's register. */
#define RVTRACE_OWNER_ID	60

/* rvtrace_flow_item.source: all sources; SRC has 16 bits at most. */
#define RVTRACE_SOURCE_ALL	UINT32_MAX

/**
 * enum rvtrace_flow_type - kinds of items
 * @RVTRACE_FLOW_BLOCKS: blocks of instructions that executed one after another
 * @RVTRACE_FLOW_SYNC: the stream has a full address: decoding starts here, or was confirmed
 * @RVTRACE_FLOW_TRAP: exception or interrupt
 * @RVTRACE_FLOW_TRAP_RETURN: mret, sret ...
 * @RVTRACE_FLOW_CONTEXT: privilege or address space changed (by Ownership, or by addresses); the
 *	item's own @priv, @v, @context are the new ones
 * @RVTRACE_FLOW_STOP: tracing of the source stopped
 * @RVTRACE_FLOW_OVERFLOW: the encoder lost messages (Error); the source is unknown until its next
 *	sync, unless code is RVTRACE_NTRACE_ECODE_DATA: then the flow continues
 * @RVTRACE_FLOW_LOST: bytes of the stream are missing (rvtrace_flow_lost()); every source is
 *	unknown until its next sync
 * @RVTRACE_FLOW_NO_IMAGE: the executed code is in no image, or could not be followed after an
 *	error; decoding resumes at the next message with an address
 * @RVTRACE_FLOW_ERROR: the stream is damaged or contradicts the images
 * @RVTRACE_FLOW_DATA: software trace (DataAcquisition, Ownership with priv_by_address,
 *	AuxAccessWrite, events of E-Trace), after all instructions that earlier messages report for
 *	certain
 * @RVTRACE_FLOW_UNKNOWN: a reserved or vendor-defined message, skipped
 * @RVTRACE_FLOW_ACCESS: data trace: a load, store, atomic or CSR access. With an address, it
 *	directly follows the instruction that made it, which is at that address
 * @RVTRACE_FLOW_ACCESSES_LOST: the encoder lost packets of data trace, but none of the flow
 * @RVTRACE_FLOW_REGISTER: a register was written (CDL)
 * @RVTRACE_FLOW_TRACEPOINT: a marked instruction was executed (CDL)
 * @RVTRACE_FLOW_RANGE: code that is in no image executed in line, from @address to @range.last
 *	(debug specification, without branches)
 * @RVTRACE_FLOW_CIRCUIT: an event or a sample (SiFive: InCircuitTrace, ProgTraceSync with SYNC 15),
 *	at @address if that is known
 * @RVTRACE_FLOW_TAIL: end of the stream, of the part that was read in one piece, or of the trace
 *	that the encoder kept: the source is unknown from here on. More instructions were counted,
 *	but counts and branch outcomes lead only to @address, the next instruction
 * @RVTRACE_FLOW_UNFOLLOWED: a stretch of unknown flow: a return that no message reports led to an
 *	unknown caller (rvtrace_flow_ntrace.sifive). The trace counts the instructions up to the
 *	next message with an address
 * @RVTRACE_FLOW_INFERRED: the target of a return that no message reports was inferred: from
 *	@address to @trap.target. Of a few addresses (struct rvtrace_flow_kernel), it is the only
 *	one from which the rest of the instructions in the message can have executed
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

/* rvtrace_flow_item.stop.reason: a filter excludes the executed code (E-Trace). */
#define RVTRACE_STOP_FILTER	0x100

/* Tracing was turned off, or sequences were dropped (debug specification). */
#define RVTRACE_STOP_UNKNOWN	0x101

/* rvtrace_flow_item.error.tcode, see there. */
#define RVTRACE_TE_INST		0x100

enum rvtrace_trap_kind {
	RVTRACE_TRAP_UNKNOWN,		/* the encoder does not distinguish them */
	RVTRACE_TRAP_EXCEPTION,
	RVTRACE_TRAP_INTERRUPT,
};

/**
 * struct rvtrace_flow_block - instructions that executed at consecutive addresses
 * @address: address of the first instruction
 * @code: bytes of the instructions; valid until the image changes, or the next read
 * @instructions: number of instructions, at least 1
 * @size: number of bytes
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
#define RVTRACE_ACCESS_REQUEST		(1u << 5)	/* split: the data follow later */
#define RVTRACE_ACCESS_RESPONSE		(1u << 6)	/* split: data of an earlier request */
#define RVTRACE_ACCESS_FAILED		(1u << 7)	/* split: there are no data */
#define RVTRACE_ACCESS_HAS_WRITTEN	(1u << 8)
#define RVTRACE_ACCESS_PARTIAL		(1u << 9)	/* the address has unknown bits */
#define RVTRACE_ACCESS_NO_SIZE		(1u << 10)	/* the size is unknown */

/**
 * struct rvtrace_flow_access - an access that data trace reports
 * @address: address, if known; CSRs: the number
 * @data: lower and upper half of the loaded or stored value; for atomics and CSRs, the value before
 *	the access; if known, cut to the size
 * @operand: atomics: rs2, CSRs: rs1; if known, cut to the size
 * @written: atomics and CSRs: the value written; if known, cut to the size (debug specification)
 * @known: if RVTRACE_ACCESS_PARTIAL, mask of the known bits of @address; the others are 0
 * @lrid: split: id that request and response share
 * @kind: RVTRACE_ETRACE_LOAD, _STORE, _ATOMIC or _CSR; a response with an unknown request is a load
 * @subtype: enum rvtrace_etrace_atomic, rvtrace_etrace_csr
 * @size: 2^n bytes; CSRs: size of a register; RVTRACE_ACCESS_NO_SIZE: 3
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
 * @reserved: unused
 * @source: SRC of the message, or RVTRACE_SOURCE_ALL
 * @offset: stream offset of the message that produced the item, in bytes or nybbles, see flow.h
 * @time: time of that message, in units of the timestamp, extended where timestamps wrap
 * @context: address space (scontext)
 * @process: rvtrace_flow_place.process, RVTRACE_PROCESS_UNKNOWN without a resolver
 * @thread: rvtrace_flow_place.thread, -1 without a resolver. Before a change to another thread,
 *	both are the previous ones up to the task switch (rvtrace_flow_config.task_switch)
 * @address: blocks: the first instruction; sync: the current instruction of the source; trap and
 *	return: the instruction that did not execute, or the return instruction; inferred: the
 *	return instruction; stop, overflow, error: the next instruction; no image: the first
 *	instruction without one; access, register and trace point: the instruction that made it;
 *	circuit: the place of the event
 * @blocks: valid for RVTRACE_FLOW_BLOCKS
 * @blocks.list: the blocks, in order; valid until the next read
 * @blocks.count: number of blocks, at least 1
 * @blocks.instructions: number of instructions in all blocks
 * @sync: valid for RVTRACE_FLOW_SYNC
 * @sync.reason: SYNC (enum rvtrace_ntrace_sync); E-Trace: TRACE_ENABLE for the first one, else
 *	PERIODIC
 * @trap: valid for RVTRACE_FLOW_TRAP, RVTRACE_FLOW_TRAP_RETURN and RVTRACE_FLOW_INFERRED
 * @trap.target: trap: address of the handler; return, and inferred: address of the target
 * @trap.kind: enum rvtrace_trap_kind
 * @trap.cause: ecause
 * @stop: valid for RVTRACE_FLOW_STOP
 * @stop.reason: EVCODE: 0 debug mode, 1 low power, 4 trace disabled; E-Trace: 4 if the packet
 *	reports it, else RVTRACE_STOP_FILTER
 * @overflow: valid for RVTRACE_FLOW_OVERFLOW
 * @overflow.type: ETYPE; 0 with E-Trace
 * @overflow.code: ECODE; 0 with E-Trace, RVTRACE_NTRACE_ECODE_DATA for software trace events
 * @lost: valid for RVTRACE_FLOW_LOST
 * @lost.bytes: missing bytes, as passed to rvtrace_flow_lost(); 0: unknown
 * @no_image: valid for RVTRACE_FLOW_NO_IMAGE
 * @no_image.halfwords: 16-bit units of instructions that executed without an image; 0: unknown
 *	(E-Trace, CDL)
 * @no_image.complete: the count is complete; false if the trace stopped or was interrupted before
 *	the whole count was reported
 * @unfollowed: valid for RVTRACE_FLOW_UNFOLLOWED
 * @unfollowed.halfwords: 16-bit units of instructions that executed
 * @unfollowed.complete: as @no_image.complete
 * @error: valid for RVTRACE_FLOW_ERROR
 * @error.code: enum rvtrace_error
 * @error.size: skipped part of the stream, in units of @offset; 0 if the message itself was read
 * @error.tcode: type of the message, 0 if unknown; E-Trace: RVTRACE_TE_INST plus format * 4 +
 *	subformat; debug specification: the header
 * @data: valid for RVTRACE_FLOW_DATA
 * @data.id: IDTAG, ADDR, or RVTRACE_OWNER_ID; E-Trace: identifier of a software trace event
 * @data.value: DQDATA, PROCESS; E-Trace: value of the event
 * @unknown: valid for RVTRACE_FLOW_UNKNOWN
 * @unknown.tcode: TCODE
 * @unknown.size: bytes of the message
 * @range: valid for RVTRACE_FLOW_RANGE
 * @range.last: address of the last instruction
 * @range.instructions: number of instructions; 0: unknown, because the hart has compressed ones
 * @access: the access; valid until the next read
 * @written: valid for RVTRACE_FLOW_REGISTER
 * @written.value: value written
 * @written.rd: number of the register
 * @tracepoint: valid for RVTRACE_FLOW_TRACEPOINT
 * @tracepoint.number: number of the trace point
 * @tail: valid for RVTRACE_FLOW_TAIL
 * @tail.halfwords: 16-bit units counted from @address on; only messages that are not in the stream
 *	would have reported their flow
 * @circuit: valid for RVTRACE_FLOW_CIRCUIT
 * @circuit.source: enum rvtrace_ntrace_cksrc, or a reserved one
 * @circuit.value: if @circuit.has_value: cause, control code, or target of a call, as the source
 *	reports it in addition to the address; without an address, the first reported value
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
 * struct rvtrace_insn_iter - iterator over the instructions of a run of blocks
 * @address: address of the current instruction
 * @code: its bytes
 * @size: number of its bytes
 * @left: number of instructions that follow in its block
 * @block: the next block
 * @last: end of the list, after the last block
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
