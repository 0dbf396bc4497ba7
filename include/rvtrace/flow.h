/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flow layer: a trace stream and program images in, executed code and events out.
 *
 * One decoder takes one stream with the messages of any number of sources (harts), each of which
 * has its own state. It yields items: runs of blocks of executed instructions and the events between
 * them, in stream order, which for each source is program order.
 *
 *	rvtrace_flow_new(&config, image, &flow);
 *	while ((size = read(fd, buffer, sizeof(buffer))) > 0) {
 *		rvtrace_flow_feed(flow, buffer, size);
 *		while ((n = rvtrace_flow_read(flow, items, 64)) > 0)
 *			for (i = 0; i < n; i++)
 *				handle(&items[i]);
 *	}
 *	rvtrace_flow_finish(flow);
 *	... rvtrace_flow_read() until 0 again ...
 *	rvtrace_flow_free(flow);
 *
 * Executed means retired: an instruction that trapped (ecall and ebreak included) is in no block.
 *
 * When does a change of privilege or address space take effect? Ownership messages follow the
 * message of the trap, return or synchronization that changed it, and the code behind that message
 * is walked only when the next one arrives; so every instruction is looked up in the state in which
 * it ran. A write to scontext is reported between two flow messages: the new value holds behind the
 * next instruction that writes scontext. (Writes that change nothing are not reported; where such a
 * write comes between, the new value holds from there. Up to 8 writes between two messages are told
 * apart.)
 *
 * Where no message tells the privilege, addresses may: with priv_by_address, what executes in the
 * upper half does so in S-mode, what a trap leads to in the lower half in M-mode (firmware, at
 * physical addresses). A jump changes nothing. A return, or what is not known to be one, leads in
 * the lower half to U-mode, unless there is firmware and no user code.
 *
 * Where the flow cannot be followed, because no image holds the code or after an error, decoding
 * goes on at the next message with an address: addresses do not depend on images. With implicit
 * returns the calls and returns in between are unknown, so only calls seen since are returned to;
 * an implicit return to an earlier one cannot be followed either.
 *
 * E-Trace: a packet reports an instruction, which comes out with those behind it, when the next
 * packet has arrived. What is written to scontext is reported at the earliest convenience: the new
 * value holds as above, but at the latest from the next packet with an address on. After an error
 * decoding goes on at the next synchronization. How much executed unseen is not known.
 *
 * Data trace of E-Trace says what was accessed, not by which instruction. The specification does
 * not promise much about the order of packets: unified accesses are signalled with their
 * instruction, and the requests of split ones as well (E-Trace 2.0, "Data Trace Interface
 * requirements"), so they come in program order; nothing is said of where they lie between packets
 * of instruction trace. What is relied upon here is that a data packet does not come behind the
 * packet that reports an instruction behind its own. Then the code tells: each access belongs to
 * the next instruction that makes one of its kind and size (CSR, operation). That is exact where
 * all accesses are traced. Where filters leave some out, an access may be taken for that of an
 * instruction of the same kind nearby; conditional stores that failed are left out by every encoder
 * that sends data. What fits nowhere, or arrives while the flow cannot be followed, has no
 * instruction. Responses of split accesses come when they come; they are those of the last request
 * with their lrid.
 *
 * Compressed addresses, data and operands are relative to the last ones of an access of the same
 * size since the last synchronization; CSRs have last data of their own. Where those are not
 * known, neither are these. With ddiff_width 1, compressed data are XORed.
 *
 * Two formats consist of nybbles, not of bytes, the lower half of each byte first: CDL compressed
 * trace and the debug specification's. Of these, offsets and sizes of what was read (items, their
 * errors) count nybbles, so nybble N is in byte N / 2. What was fed or is missing, and where, is
 * told in bytes, as of all formats.
 *
 * CDL compressed trace: one source, number 0. What executed comes out with the next event, or at
 * the end. A jump whose target the code does not tell waits for its PC: PCs belong to jumps in
 * their order. If two jumps go by without it, or it does not come for other reasons, the flow goes
 * on at the next PC. In the flavour doc, what is reported of a register or a trace point has the
 * address of its instruction; in rtl, which reports instructions later than that, trace points do
 * if the instruction jumped. There SSS 7 right before a jump counts the jump if the code allows,
 * else the jump comes behind them; a Skip between them, as the encoders of this project have it,
 * means the latter.
 *
 * Debug specification: sources are harts, by their ids. What is traced is a parameter
 * (rvtrace_debugspec_config.emit): with branches, those and the targets of indirect jumps are
 * reported, and the code says the rest; without them both ends of every jump, and no code is needed
 * (RVTRACE_FLOW_RANGE). Traps and returns from them are reported as interrupts are, with branches
 * or without: PC of the last instruction, Privilege Level, PC of the target; that of ecall and
 * ebreak is their own. @literal: with branches they are as table "Trace Data Events" has it, "as if
 * they were jal": Privilege Level alone. Then their targets are not known. A PC before Trace
 * Disabled is the last instruction, the first one behind Trace Enabled or Disabled is the next one.
 *
 * Loads, stores and accesses of CSRs come in program order with the branches and PCs, so each one
 * is that of the next instruction that makes one of its kind, exactly where all of them are
 * traced. Atomics and CSRs are two accesses, of what was read and of what was written. Where the
 * code is not known, neither are size and instruction.
 *
 * What the specification leaves ambiguous: a trap behind the same instruction as the one before it
 * is taken for one right behind that, with nothing executed in between, unless Privilege Level is
 * there twice, with one value, as the encoder of this project has it; or the privilege becomes
 * less, and the way leads to that instruction, a return, once more. A PC before Trace Disabled that
 * is the last instruction told of stands for that, not for another visit. With branches in the
 * trace, how often a loop of jumps alone ran before a trap is not known, once is what comes out.
 * Without Privilege Level, two PCs where the code has one jump are a trap if the second is a known
 * trap vector (@trap_vector), or none is known and the first is on the way there.
 */
#ifndef RVTRACE_FLOW_H
#define RVTRACE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/cdl.h>
#include <rvtrace/debugspec.h>
#include <rvtrace/error.h>
#include <rvtrace/etrace.h>
#include <rvtrace/image.h>
#include <rvtrace/insn.h>
#include <rvtrace/ntrace.h>

enum rvtrace_flow_format {
	RVTRACE_FLOW_FORMAT_NTRACE,
	RVTRACE_FLOW_FORMAT_ETRACE,
	RVTRACE_FLOW_FORMAT_CDL,
	RVTRACE_FLOW_FORMAT_DEBUGSPEC,
};

/* rvtrace_flow_place.process: not known. */
#define RVTRACE_PROCESS_UNKNOWN	UINT32_MAX

/**
 * struct rvtrace_flow_query - whose code does a source execute?
 * @source: SRC
 * @has_context: @context is known
 * @has_time: @time is known
 * @context: address space (scontext)
 * @time: timestamp of the message whose code is about to be looked up
 * @offset: of that message, as items have it
 * @address: CDL: that the last jump led to
 */
struct rvtrace_flow_query {
	unsigned int source;
	bool has_context;
	bool has_time;
	uint64_t context;
	uint64_t time;
	uint64_t offset;
	uint64_t address;
};

/**
 * struct rvtrace_flow_place - the answer
 * @user: address space of the image that holds U-mode code, or RVTRACE_SPACE_ANY
 * @kernel: address space of the image that holds what the kernel has beside the code it always
 *	has, or RVTRACE_SPACE_ANY
 * @from: first timestamp for which this holds
 * @until: first one for which it does not; UINT64_MAX: always. Of no meaning without a time
 * @process: what items say of it, or RVTRACE_PROCESS_UNKNOWN
 * @thread: the same; -1: not known
 */
struct rvtrace_flow_place {
	uint64_t user;
	uint64_t kernel;
	uint64_t from;
	uint64_t until;
	uint32_t process;
	int32_t thread;
};

/**
 * typedef rvtrace_flow_resolve - answers where code is looked up
 * @data: rvtrace_flow_config.resolve_data
 * @query: the question
 * @place: the answer
 *
 * Asked when a source's context changes, its time leaves the range of the last answer, or CDL tells
 * of a write to tp. May
 * change the image, but not what a space holds that is the last answer to some source.
 *
 * Return: 0; RVTRACE_ERR_NO_MEMORY.
 */
typedef int (*rvtrace_flow_resolve)(void *data, const struct rvtrace_flow_query *query,
				    struct rvtrace_flow_place *place);

/* rvtrace_flow_config.branches_max if that is 0: a second of a loop without interrupts. */
#define RVTRACE_FLOW_BRANCHES_MAX	(1u << 30)

/**
 * struct rvtrace_flow_config - what the stream does not say about itself
 * @format: message format
 * @isa: instruction set; @isa.xlen is the width of addresses too
 * @etrace: E-Trace: its parameters, see rvtrace_flow_config_etrace(). From @extend_addr_msb to
 *	@priv_by_address and @sifive all must be false then
 * @cdl: CDL: its parameters, see rvtrace_flow_config_cdl(). From @extend_addr_msb to @all_jumps and
 *	@sifive all must be false then
 * @debugspec: debug specification: its parameters, see rvtrace_flow_config_debugspec()
 * @trap_vector: E-Trace, implicit exception mode: the vector (mtvec, stvec: with its mode in bits
 *	1:0) that a trap to privilege 0 to 3 goes through; 0: not known, then such a trap is
 *	RVTRACE_ERR_VECTOR, and decoding goes on at the next synchronization. A guest's vectors
 *	(vstvec) never are
 * @src_bits: width of SRC, 0 if messages have none
 * @extend_addr_msb: addresses leave out identical most significant bits
 * @implicit_return: returns to where the call came from are not reported
 *	(trTeInstImplicitReturnMode is not 0; teInstEnCallStack)
 * @sequential_jump: nor are jumps whose target the instruction before them loaded
 *	(trTeInstEnSequentialJump)
 * @all_jumps: direct jumps are reported as taken branches (trTeInstEnAllJumps)
 * @priv_by_address: the encoders do not tell the privilege (trTeContext is 0 or not there), but a
 *	Linux kernel has the upper half of all addresses, see below. Ownership messages are then
 *	software's data. @isa.xlen must be 64
 * @time_bits: width of timestamps, which begin again at 0 behind the last one; 0: 64
 * @time_near: a time less than half their range away from the first one
 * @sifive: N-Trace as SiFive's encoders have it, see struct rvtrace_ntrace_config; a timestamp is
 *	what differs from the one before, not what is to be added
 * @branches_max: E-Trace: a packet of more branches than these, all predicted, is
 *	RVTRACE_ERR_FIELD, and decoding goes on at the next synchronization: it is more likely
 *	damaged, and the walk takes as long as it says. N-Trace: so is a message of more half-words
 *	(I-CNT). 0: RVTRACE_FLOW_BRANCHES_MAX
 * @jvt: CSR jvt, base of the table of cm.jt and cm.jalt
 * @modes: N-Trace, by SRC: enum rvtrace_ntrace_mode, how branches are reported (trTeInstMode).
 *	Where that is not known, messages show it, but none before the first history: software trace
 *	behind a count is until then placed as if no branch in it had been taken
 * @resolve: where code is looked up; NULL: in the address space that the context names
 * @resolve_data: for @resolve
 */
struct rvtrace_flow_config {
	enum rvtrace_flow_format format;
	struct rvtrace_isa isa;
	struct rvtrace_etrace_params etrace;
	struct rvtrace_cdl_config cdl;
	struct rvtrace_debugspec_config debugspec;
	uint64_t trap_vector[4];
	uint8_t src_bits;
	bool extend_addr_msb;
	bool implicit_return;
	bool sequential_jump;
	bool all_jumps;
	bool priv_by_address;
	bool sifive;
	uint8_t time_bits;
	uint64_t time_near;
	uint64_t branches_max;
	uint64_t jvt;
	uint8_t modes[RVTRACE_NTRACE_SOURCES];
	rvtrace_flow_resolve resolve;
	void *resolve_data;
};

/* rvtrace_flow_item.data.id of Ownership that software wrote: offset of SiFive's register for it. */
#define RVTRACE_OWNER_ID	60

/* rvtrace_flow_item.source: all of them. */
#define RVTRACE_SOURCE_ALL	0xffff

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
 * @RVTRACE_FLOW_UNKNOWN: a reserved or vendor-defined message, skipped, or InCircuitTrace
 * @RVTRACE_FLOW_ACCESS: data trace: a load, store, atomic or access of a CSR. With an address it
 *	comes right behind the instruction that made it, which is at that address
 * @RVTRACE_FLOW_ACCESSES_LOST: the encoder lost packets of data trace, but none of the flow
 * @RVTRACE_FLOW_REGISTER: a register was written (CDL)
 * @RVTRACE_FLOW_TRACEPOINT: an instruction that is marked was executed (CDL)
 * @RVTRACE_FLOW_RANGE: code that no image holds executed in line, from @address to @range.last
 *	(debug specification, without branches)
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
 * @offset: stream offset of the message that produced the item, in bytes or nybbles, see above
 * @time: time of that message, in units of the timestamp; it goes on where timestamps begin again
 * @context: address space (scontext)
 * @process: rvtrace_flow_place.process, RVTRACE_PROCESS_UNKNOWN without a resolver
 * @thread: rvtrace_flow_place.thread, -1 without a resolver
 * @address: blocks: of the first instruction; sync: where the source is now; trap and return: the
 *	instruction that did not execute, or the return instruction; stop, overflow, error: the next
 *	instruction; no image: the first instruction without one; access, register and trace point:
 *	the instruction that made it
 * @blocks.list: the blocks, in order; valid until the next read
 * @blocks.count: how many, at least 1
 * @blocks.instructions: of all of them
 * @sync.reason: SYNC (enum rvtrace_ntrace_sync); E-Trace: TRACE_ENABLE if it is the first one, else
 *	PERIODIC
 * @trap.target: trap: address of the handler; return: where to
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
 */
struct rvtrace_flow_item {
	uint8_t type;
	uint8_t flags;
	uint8_t priv;
	uint8_t reserved;
	uint16_t source;
	uint16_t reserved2;
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
	};
};

struct rvtrace_flow;

/**
 * rvtrace_flow_config_etrace() - configuration for a stream of E-Trace
 * @params: parameters of the encoders
 * @config: filled; the width of addresses is taken for that of registers
 */
void rvtrace_flow_config_etrace(const struct rvtrace_etrace_params *params,
				struct rvtrace_flow_config *config);

/**
 * rvtrace_flow_config_cdl() - configuration for a stream of CDL compressed trace
 * @params: its parameters
 * @config: filled
 */
void rvtrace_flow_config_cdl(const struct rvtrace_cdl_config *params,
			     struct rvtrace_flow_config *config);

/**
 * rvtrace_flow_config_debugspec() - configuration for a stream of the debug specification's trace
 * @params: its parameters
 * @config: filled
 */
void rvtrace_flow_config_debugspec(const struct rvtrace_debugspec_config *params,
				   struct rvtrace_flow_config *config);

/**
 * rvtrace_flow_new() - a decoder at stream offset 0
 * @config: parameters, copied
 * @image: program images; must outlive the decoder and may be added to between calls
 * @flow: the new decoder; free it with rvtrace_flow_free()
 *
 * Every source is unknown until its first synchronizing message: what comes before it is counted in
 * the statistics and yields no blocks.
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_flow_new(const struct rvtrace_flow_config *config, const struct rvtrace_image *image,
		     struct rvtrace_flow **flow);

/**
 * rvtrace_flow_free() - free a decoder, not its image; what items point to is not valid any more
 * @flow: the decoder; NULL: nothing is done
 */
void rvtrace_flow_free(struct rvtrace_flow *flow);

/**
 * rvtrace_flow_feed() - give the decoder the next bytes of the stream
 * @flow: the decoder
 * @data: bytes; the caller keeps them until rvtrace_flow_read() returned 0
 * @size: how many
 *
 * Return: 0; RVTRACE_ERR_BUSY while rvtrace_flow_read() has not returned 0.
 */
int rvtrace_flow_feed(struct rvtrace_flow *flow, const void *data, size_t size);

/**
 * rvtrace_flow_read() - the next items
 * @flow: the decoder
 * @items: room for them
 * @max: how many, at least 1
 *
 * Damage in the stream and contradictions are items, not failures.
 *
 * Return: the number of items; 0 if all bytes are consumed (feed more);
 * RVTRACE_ERR_NO_MEMORY, after which the decoder can only be freed.
 */
int rvtrace_flow_read(struct rvtrace_flow *flow, struct rvtrace_flow_item *items, size_t max);

/**
 * rvtrace_flow_restart() - timestamps count from 0 again here
 * @flow: the decoder, all of whose bytes are consumed
 * @number: for which time, from 1
 *
 * As when counters lost their power (RVTRACE_RECORD_RESTART). Times go on, from @number << 54 on:
 * nothing traces so long between two restarts. Those of sources are not known until they say them.
 *
 * Return: 0; RVTRACE_ERR_BUSY while rvtrace_flow_read() has not returned 0.
 */
int rvtrace_flow_restart(struct rvtrace_flow *flow, unsigned int number);

/* rvtrace_flow_lost() flags */
#define RVTRACE_LOST_ALIGNED	(1u << 0)	/* the next byte fed starts a message */

/**
 * rvtrace_flow_lost() - bytes of the stream are missing here
 * @flow: the decoder, all of whose bytes are consumed
 * @bytes: how many are missing, 0 if not known
 * @offset: stream offset of the next byte to be fed, in bytes
 * @flags: RVTRACE_LOST_ALIGNED, or 0 if the next byte may lie anywhere in a message
 *
 * Drops a partial message. Every source is unknown until its next synchronizing message. Yields one
 * RVTRACE_FLOW_LOST item.
 *
 * Return: 0; RVTRACE_ERR_BUSY while rvtrace_flow_read() has not returned 0.
 */
int rvtrace_flow_lost(struct rvtrace_flow *flow, uint64_t bytes, uint64_t offset,
		      unsigned int flags);

/**
 * rvtrace_flow_finish() - the stream ends here
 * @flow: the decoder, all of whose bytes are consumed
 *
 * What is left is reported by rvtrace_flow_read(): a message that was cut, and stretches without
 * image that no message has ended.
 *
 * Return: 0; RVTRACE_ERR_BUSY while rvtrace_flow_read() has not returned 0.
 */
int rvtrace_flow_finish(struct rvtrace_flow *flow);

/**
 * rvtrace_flow_set_state() - privilege and address space of a source, where the trace does not tell
 * @flow: the decoder
 * @source: SRC
 * @priv: 0, 1, 3, or -1 for unknown: then code of any privilege mode matches
 * @space: address space (scontext), or RVTRACE_SPACE_ANY for unknown: then, without a resolver,
 *	only mappings made for every space match
 *
 * Holds until a message says otherwise, and is what a synchronization without Ownership resets to.
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_flow_set_state(struct rvtrace_flow *flow, unsigned int source, int priv,
			   uint64_t space);

/**
 * struct rvtrace_flow_stats - what was decoded
 * @instructions: in blocks
 * @halfwords: 16-bit units of them
 * @blocks: how many blocks
 * @unseen: 16-bit units executed without an image, or behind an error
 * @messages: all messages
 * @skipped: messages of no use because the source was unknown
 * @bytes: of all messages
 * @syncs: synchronizing messages
 * @overflows: Error messages
 * @errors: error items
 */
struct rvtrace_flow_stats {
	uint64_t instructions;
	uint64_t halfwords;
	uint64_t blocks;
	uint64_t unseen;
	uint64_t messages;
	uint64_t skipped;
	uint64_t bytes;
	uint64_t syncs;
	uint64_t overflows;
	uint64_t errors;
};

/**
 * rvtrace_flow_stats() - statistics of a source
 * @flow: the decoder
 * @source: SRC
 * @stats: the result; all 0 if the source never sent a message. Errors that cannot be attributed to
 *	a source count for source 0
 */
void rvtrace_flow_stats(const struct rvtrace_flow *flow, unsigned int source,
			struct rvtrace_flow_stats *stats);

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

#endif /* RVTRACE_FLOW_H */
