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
#include <rvtrace/flow_item.h>
#include <rvtrace/image.h>
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
 * @task: what the hart wrote to tp last, the address of a task of the kernel; 0: not known
 */
struct rvtrace_flow_query {
	unsigned int source;
	bool has_context;
	bool has_time;
	uint64_t context;
	uint64_t time;
	uint64_t offset;
	uint64_t address;
	uint64_t task;
};

/**
 * struct rvtrace_flow_place - the answer
 * @user: address space of the image that holds U-mode code, or RVTRACE_SPACE_ANY
 * @kernel: address space of the image that holds what the kernel has beside the code it always
 *	has, or RVTRACE_SPACE_ANY
 * @from: first timestamp for which this holds
 * @until: first one for which it does not; UINT64_MAX: always. Of no meaning without a time
 * @process: what items say of it, or RVTRACE_PROCESS_UNKNOWN
 * @thread: the same; -1: not known. Of both see rvtrace_flow_config.task_switch
 * @thread_new: it was chosen so lately that the kernel may be yet to change to it
 * @of_task: @process and @thread are those of the query's task. If that began to run later than the
 *	query says, @from is when
 */
struct rvtrace_flow_place {
	uint64_t user;
	uint64_t kernel;
	uint64_t from;
	uint64_t until;
	uint32_t process;
	int32_t thread;
	bool thread_new;
	bool of_task;
};

/**
 * typedef rvtrace_flow_resolve - answers where code is looked up
 * @data: rvtrace_flow_config.resolve_data
 * @query: the question
 * @place: the answer
 *
 * Asked when a source's context changes, its time leaves the range of the last answer, or the trace
 * tells of a write to tp. May change the image, but not what a space holds that is the last answer
 * to some source.
 *
 * Return: 0; RVTRACE_ERR_NO_MEMORY.
 */
typedef int (*rvtrace_flow_resolve)(void *data, const struct rvtrace_flow_query *query,
				    struct rvtrace_flow_place *place);

/* rvtrace_flow_config.branches_max if that is 0: E-Trace: a second of a loop without interrupts. */
#define RVTRACE_FLOW_BRANCHES_MAX	(1u << 30)

/*
 * The same of N-Trace: a loop of 1,024 half-words as often as B-CNT can say, which has 18 bits.
 * I-CNT of any encoder is far below ("Maximum Field Sizes": 22 bits).
 */
#define RVTRACE_FLOW_HALFWORDS_MAX	(1u << 28)

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
 * @task_switch: of a kernel, the address behind the instruction by which it changes to another task;
 *	0: not known. Where a resolver gives another thread, by time, items have thread and process
 *	before it up to there, but no user's, and not for more than 16,384 instructions. Where none is
 *	known before, as behind a loss, and the other is new, they have none. Where the kernel gets
 *	there before any time says so, as between synchronizations that alone have times, the next one
 *	by time executes behind it. What is of no known privilege is the kernel's here
 * @thread_switch: identifier of the software trace events that tell what harts write to tp; 0: of
 *	none. Where a resolver knows the task of one, that executes behind @task_switch, whatever
 *	the time is, up to the next one or to a loss of events
 * @src_bits: width of SRC, 0 if messages have none
 * @extend_addr_msb: addresses leave out identical most significant bits
 * @implicit_return: returns to where the call came from are not reported
 *	(trTeInstImplicitReturnMode is not 0; teInstEnCallStack), whatever @modes say
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
 *	(I-CNT), and RepeatBranch of more, all together; behind that decoding goes on at the next
 *	address. 0: RVTRACE_FLOW_BRANCHES_MAX, N-Trace: RVTRACE_FLOW_HALFWORDS_MAX
 * @jvt: CSR jvt, base of the table of cm.jt and cm.jalt
 * @modes: N-Trace, by SRC: enum rvtrace_ntrace_mode, how branches are reported (trTeInstMode).
 *	Where that is not known, messages show it: a history, or DirectBranch. Until then software trace
 *	behind a count comes before the first branch in it, whose outcome may follow
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
	uint64_t task_switch;
	uint16_t thread_switch;
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
 * @tasks: how often a write to tp told that another task executes
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
	uint64_t tasks;
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

#endif /* RVTRACE_FLOW_H */
