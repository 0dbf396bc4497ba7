/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls: which function called which, in which thread, when, and for how long.
 *
 * This layer takes the items of the flow layer and yields events: a thread runs on a hart, enters a
 * function, leaves it, rests. User mode and kernel of a thread share one stack: a trap is an entry,
 * and what the kernel calls in it is above. Entries and exits of a thread are nested without
 * exception, so a timeline can draw them as they come.
 *
 *	rvtrace_calls_new(&config, &calls);
 *	while (there are items)
 *		rvtrace_calls_items(calls, items, n);
 *	rvtrace_calls_finish(calls);
 *	rvtrace_calls_free(calls);
 *
 * What the trace shows of a call is where control goes, not what the stack pointer is. From that
 * the layer follows:
 *
 * - returns, also of several frames at once (longjmp, unwinding of C++ exceptions);
 * - tail calls: a jump to the start of another function replaces the frame;
 * - PLT stubs and trampolines (ftrace, kretprobes) that jump or return to where a caller waits;
 * - traps, their returns, signal handlers, and the returns of these;
 * - switches of threads, also from one hart to another;
 * - coroutines: the frames of one are left when another one goes on, and entered again later.
 *
 * Time. Only messages have timestamps. An instruction executed between two of them, and the layer
 * interpolates by the number of instructions. Each time comes with the earliest and latest one that
 * the trace allows.
 *
 * Order. The events of a thread come in the order of time. Those of different threads may come up
 * to RVTRACE_CALLS_LAG bytes of trace late, because funnels reorder the messages of harts. A thread
 * that rests until a loss, or the end of the trace, leaves its frames there, as of the time when it
 * began to rest.
 */
#ifndef RVTRACE_CALLS_H
#define RVTRACE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/flow_config.h>
#include <rvtrace/flow_item.h>
#include <rvtrace/insn.h>
#include <rvtrace/spaces.h>

RVTRACE_BEGIN_DECLS

struct rvtrace_calls;

/* Messages of two harts with equal times are at most so many bytes of the stream apart. */
#define RVTRACE_CALLS_LAG	65536

/* rvtrace_call_function.id: nothing is known of the code. */
#define RVTRACE_CALL_NO_FUNCTION	0

/**
 * struct rvtrace_call_function - code at an address
 * @id: its own number of the function, the same for all addresses of it; 0: nothing is known
 * @start: first address to which this applies
 * @end: the one after the last; the layer asks again outside
 * @begins: @start is where a function begins: a jump to it is a tail call
 * @unwinds: it does not return to its caller, but unwinds that: _Unwind_Resume()
 * @whole: a number that a function shares with its parts at other addresses (".cold"); 0: the code
 *	has no name, and no exception is taken to go back to it
 */
struct rvtrace_call_function {
	uint32_t id;
	bool begins;
	bool unwinds;
	uint32_t whole;
	uint64_t start;
	uint64_t end;
};

/**
 * enum rvtrace_call_type - kinds of events
 * @RVTRACE_CALL_ENTER: @frame begins
 * @RVTRACE_CALL_LEAVE: @frame, the innermost one, ends; its totals are complete
 * @RVTRACE_CALL_RUN: the thread goes on, or begins, on the hart of @source
 * @RVTRACE_CALL_REST: the thread does not run on the hart of @source any more
 * @RVTRACE_CALL_GAP: a part of the flow of @source, or of all, is missing or could not be followed;
 *	@item says why. Frames that may have ended in it were left before
 * @RVTRACE_CALL_ITEM: an item of software trace, or of a circuit, trace point or register, in its
 *	place: @item
 */
enum rvtrace_call_type {
	RVTRACE_CALL_ENTER,
	RVTRACE_CALL_LEAVE,
	RVTRACE_CALL_RUN,
	RVTRACE_CALL_REST,
	RVTRACE_CALL_GAP,
	RVTRACE_CALL_ITEM,
};

/**
 * enum rvtrace_call_kind - kinds of frames
 * @RVTRACE_CALL_FUNCTION: code that was called, jumped to, or found executing
 * @RVTRACE_CALL_TRAP: an exception, interrupt or system call; what its handler calls is above
 * @RVTRACE_CALL_SIGNAL: a signal that the kernel delivered; its handler is above, the code that it
 *	interrupted below
 */
enum rvtrace_call_kind {
	RVTRACE_CALL_FUNCTION,
	RVTRACE_CALL_TRAP,
	RVTRACE_CALL_SIGNAL,
};

/* rvtrace_call_frame.flags */
#define RVTRACE_CALL_TAIL	(1u << 0)	/* entered by a jump, in place of another frame */
#define RVTRACE_CALL_OLDER	(1u << 1)	/* it executed before the trace showed it */
#define RVTRACE_CALL_PART	(1u << 2)	/* entered not at its start: no call */
#define RVTRACE_CALL_RESUMED	(1u << 3)	/* a coroutine that goes on: no call */
#define RVTRACE_CALL_CUT	(1u << 4)	/* left because of a gap, or the end of the trace */
#define RVTRACE_CALL_SUSPENDED	(1u << 5)	/* left because another coroutine goes on */
#define RVTRACE_CALL_UNWOUND	(1u << 6)	/* left by longjmp, exception or exec */
#define RVTRACE_CALL_INFERRED	(1u << 7)	/* which frame was left to is the likeliest one */
#define RVTRACE_CALL_EARLIER	(1u << 8)	/* it began before the time that is asked for */
#define RVTRACE_CALL_LATER	(1u << 9)	/* it ends after that */
#define RVTRACE_CALL_REPLACED	(1u << 10)	/* another one has its place: a tail call */

/**
 * struct rvtrace_call_time - a time
 * @best: interpolated; monotonic for each hart
 * @earliest: it was not before
 * @latest: it was not after; RVTRACE_CALL_NO_TIME: the trace has no later time
 *
 * In units of the timestamp. RVTRACE_CALL_NO_TIME in all three: unknown.
 */
struct rvtrace_call_time {
	uint64_t best;
	uint64_t earliest;
	uint64_t latest;
};

#define RVTRACE_CALL_NO_TIME	UINT64_MAX

/**
 * struct rvtrace_call_span - an amount of time
 * @best: the likeliest
 * @least: at least so much
 * @most: at most so much
 */
struct rvtrace_call_span {
	uint64_t best;
	uint64_t least;
	uint64_t most;
};

/**
 * struct rvtrace_call_frame - a function, or trap, that executes or has executed
 * @id: its number, unique, from 1
 * @parent: @id of the frame below, 0: none is known
 * @function: what rvtrace_calls_config.find said of its code
 * @flags: RVTRACE_CALL_TAIL ...
 * @kind: enum rvtrace_call_kind
 * @priv: privilege in which it executes, as in items; -1: unknown
 * @trap: of a trap: enum rvtrace_trap_kind
 * @has_cause: the trace tells @cause
 * @cause: of a trap: its cause, valid if @has_cause
 * @depth: number of frames below
 * @start: where the function begins in memory; 0: unknown
 * @address: its first instruction that was seen; of a trap or signal, the one that was interrupted
 * @return_address: where it is to return to; 0: unknown, or a trap or signal
 * @entered: when
 * @left: when, once it was left
 * @own_instructions: executed in it so far, without its callees
 * @instructions: with its callees
 * @resting: time in which its thread did not run
 * @interrupted: time in interrupts of it while its thread ran
 */
struct rvtrace_call_frame {
	uint64_t id;
	uint64_t parent;
	uint32_t function;
	uint16_t flags;
	uint8_t kind;
	int8_t priv;
	uint8_t trap;
	bool has_cause;
	uint32_t cause;
	uint32_t depth;
	uint64_t start;
	uint64_t address;
	uint64_t return_address;
	struct rvtrace_call_time entered;
	struct rvtrace_call_time left;
	uint64_t own_instructions;
	uint64_t instructions;
	struct rvtrace_call_span resting;
	struct rvtrace_call_span interrupted;
};

/**
 * struct rvtrace_call_event - what happened
 * @type: enum rvtrace_call_type
 * @source: SRC of the hart; RVTRACE_SOURCE_ALL for a gap of all
 * @thread: thread id; 0: the idle thread of the hart; -1: unknown, and the hart stands for it
 * @process: as in items
 * @lane: number of the thread, or of the hart that stands for one, from 0; unique, also where
 *	thread ids are used again
 * @depth: number of frames of the thread, with @frame
 * @time: when
 * @instructions: executed by the thread so far
 * @source_instructions: executed by the hart so far
 * @frame: ENTER and LEAVE: the frame, valid during the call
 * @item: GAP and ITEM: the item, valid during the call, without blocks
 */
struct rvtrace_call_event {
	uint8_t type;
	uint32_t source;
	int32_t thread;
	uint32_t process;
	uint32_t lane;
	uint32_t depth;
	struct rvtrace_call_time time;
	uint64_t instructions;
	uint64_t source_instructions;
	const struct rvtrace_call_frame *frame;
	const struct rvtrace_flow_item *item;
};

/**
 * struct rvtrace_calls_config - what the layer needs
 * @size: sizeof(struct rvtrace_calls_config), see rvtrace/rvtrace.h
 * @isa: of the code, as the flow layer has it
 * @late: messages are made when the next block is known (E-Trace): some of what a message reports
 *	executed before the time of the message before it
 * @from: time of the first event, in units of the timestamp; frames that are open then are entered
 *	then; 0: no limit
 * @to: time of the last event; frames that are open then are left then; UINT64_MAX or 0: no limit
 * @spaces: address spaces of the recording, which tell when a process executes another program; or
 *	NULL
 * @find: names the code at @address that @item executes; @code: its bytes, or NULL. NULL: nothing
 *	is known, and jumps are no tail calls
 * @lands: whether an exception of C++ that passes the call at @call_site goes on at @landing;
 *	@function: rvtrace_call_function.id of the caller, which begins at @start. 1: it does; 0: it
 *	does not; negative: unknown. @call_site is in the calling instruction, not after it. All are
 *	addresses in memory; see rvtrace/landing.h. NULL: nothing is known
 * @event: receives the events, valid during the call; a negative result ends the layer's work,
 *	which returns it
 * @data: passed to the functions
 */
struct rvtrace_calls_config {
	size_t size;
	struct rvtrace_isa isa;
	bool late;
	uint64_t from;
	uint64_t to;
	const struct rvtrace_spaces *spaces;
	void (*find)(void *data, const struct rvtrace_flow_item *item, uint64_t address,
		     const uint8_t *code, struct rvtrace_call_function *function);
	int (*lands)(void *data, uint32_t function, uint64_t start, uint64_t call_site,
		     uint64_t landing);
	int (*event)(void *data, const struct rvtrace_call_event *event);
	void *data;
};

/**
 * rvtrace_calls_new() - create a layer for the items of one stream
 * @config: copied
 * @calls: the new layer; free it with rvtrace_calls_free()
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_TOO_NEW, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_calls_new(const struct rvtrace_calls_config *config, struct rvtrace_calls **calls);

/**
 * rvtrace_calls_free() - free a layer; events that it holds back are dropped
 * @calls: the layer, or NULL (no effect)
 */
void rvtrace_calls_free(struct rvtrace_calls *calls);

/**
 * rvtrace_calls_items() - pass the next items to the layer
 * @calls: the layer
 * @items: in stream order, all of them, with their blocks
 * @count: number of items
 *
 * Return: 0; RVTRACE_ERR_NO_MEMORY, or what rvtrace_calls_config.event returned, after which the
 * layer can only be freed.
 */
int rvtrace_calls_items(struct rvtrace_calls *calls, const struct rvtrace_flow_item *items,
			size_t count);

/**
 * rvtrace_calls_finish() - the stream ends here
 * @calls: the layer, which can only be freed afterwards
 *
 * Yields what was held back. Frames that are open are left, with RVTRACE_CALL_CUT, at the last time
 * of their thread.
 *
 * Return: as rvtrace_calls_items().
 */
int rvtrace_calls_finish(struct rvtrace_calls *calls);

/**
 * rvtrace_call_span() - time from one moment to another
 * @from: the earlier one
 * @to: the later one
 * @span: filled; 0 in all members if a time is unknown
 *
 * Return: true if both times are known.
 */
bool rvtrace_call_span(const struct rvtrace_call_time *from, const struct rvtrace_call_time *to,
		       struct rvtrace_call_span *span);

/**
 * rvtrace_call_span_add() - add a span to a sum
 * @sum: the sum; its @most is RVTRACE_CALL_NO_TIME from the first span without a limit on
 * @span: the span
 */
void rvtrace_call_span_add(struct rvtrace_call_span *sum, const struct rvtrace_call_span *span);

/**
 * rvtrace_call_span_subtract() - take a part out of a span
 * @from: the span; no member becomes less than 0
 * @span: the part
 */
void rvtrace_call_span_subtract(struct rvtrace_call_span *from,
				const struct rvtrace_call_span *span);

RVTRACE_END_DECLS

#endif /* RVTRACE_CALLS_H */
