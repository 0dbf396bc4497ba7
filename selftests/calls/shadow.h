/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The shadow stack: frames of threads as the machine's log of calls shows them (PREFIX.calls.N,
 * tools/machine/truth.h). It shares no code with the decoder and knows no symbols.
 *
 * A frame is known by where it returns to and by the stack pointer there. Whatever leads to that
 * place with that stack pointer ends it. What else there is:
 *
 * - A tail call is no call: the frame goes on. So it does in trampolines of ftrace and kretprobes.
 * - A call of the next instruction asks for the program counter: no frame.
 * - A call of a place that waits is a return, as that of return_to_handler().
 * - A jump that leads to no place that waits ends the frames of the same stack that are below the
 *   stack pointer: longjmp(), unwinding. In user mode a jump through ra or t0 also ends those at
 *   the stack pointer, as it leads back into what called them.
 * - If the stack pointer was loaded and leads to none of the thread's stacks, or to one that was
 *   left so, user mode goes on with another coroutine. Frames of the one that was left stay open.
 * - A trap is a frame of its own. SRET and MRET end the innermost one to their privilege, and what
 *   is above. If that leads user mode elsewhere, it is the program that execve() started, which ends
 *   all frames; the return from a signal handler, which ends the handler; or a signal handler, a
 *   frame above what was interrupted. With the same stack pointer it is neither.
 * - What the kernel writes to tp is the thread. It goes on where it waits. If it does not, it is a
 *   new one where there was an old one.
 *
 * Frames begin once every hart has opened its window, and end before the first one closes its own.
 */
#ifndef RVTRACE_CALLS_SHADOW_H
#define RVTRACE_CALLS_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/machine/truth.h"

#define SHADOW_HARTS	64
#define SHADOW_NONE	UINT32_MAX

enum shadow_kind {
	SHADOW_CALL,
	SHADOW_TRAP,
	SHADOW_SIGNAL,
};

/**
 * enum shadow_end - how a frame ended
 * @SHADOW_OPEN: it did not
 * @SHADOW_RETURNED: control came to where it was to return to
 * @SHADOW_UNWOUND: control left it for a place further down
 * @SHADOW_REPLACED: execve() did
 * @SHADOW_DEAD: its thread ended
 */
enum shadow_end {
	SHADOW_OPEN,
	SHADOW_RETURNED,
	SHADOW_UNWOUND,
	SHADOW_REPLACED,
	SHADOW_DEAD,
};

/**
 * struct shadow_place - a moment of a hart
 * @index: number of the instruction of its window that comes next
 * @ticks: as in the log
 * @time: as in the log
 * @hart: its mhartid
 */
struct shadow_place {
	uint64_t index;
	uint64_t ticks;
	uint64_t time;
	uint32_t hart;
};

/**
 * struct shadow_frame - a frame
 * @kind: enum shadow_kind
 * @end: enum shadow_end
 * @priv: privilege of what called, or was interrupted
 * @to_priv: of a trap, its own
 * @coroutine: it is on a stack that a coroutine began
 * @suspended: its stack was left for another coroutine
 * @switched: it is what another coroutine waits with: its end is where that goes on
 * @either: control came to where it was to return to while frames above it were open: it returned,
 *	or the landing pad of an exception is there
 * @epoch: programs that its thread had executed
 * @parent: the frame below, SHADOW_NONE: not known
 * @thread: serial number of the thread
 * @target: first address
 * @link: where it returns to; of traps and signals, what was interrupted
 * @sp: stack pointer there
 * @number: of a trap, a7
 * @entered: when it was entered
 * @left: when it was left, unless it is open
 */
struct shadow_frame {
	uint8_t kind;
	uint8_t end;
	uint8_t priv;
	uint8_t to_priv;
	bool coroutine;
	bool suspended;
	bool switched;
	bool either;
	uint32_t epoch;
	uint32_t parent;
	uint32_t thread;
	uint64_t target;
	uint64_t link;
	uint64_t sp;
	uint64_t number;
	struct shadow_place entered;
	struct shadow_place left;
};

/**
 * struct shadow_hart - the log of a hart
 * @calls: its records, @count of them
 * @first: the first record that counts
 * @end: the one after the last that counts
 * @next: the one to be taken next
 * @now: time of the one before
 * @tp, @satp, @priv: as of the one before
 * @thread: which executes
 * @arriving: a thread was switched to, and nothing of it was seen yet
 * @begin_index, @end_index: instructions of the window that count
 */
struct shadow_hart {
	const struct truth_call *calls;
	size_t count;
	size_t first;
	size_t end;
	size_t next;
	struct shadow_place now;
	uint64_t tp;
	uint64_t satp;
	struct shadow_thread *thread;
	bool arriving;
	uint64_t begin_index;
	uint64_t end_index;
};

/**
 * struct shadow_switch - from an instruction on, a hart executes another thread
 * @index: the instruction
 * @thread: serial number
 */
struct shadow_switch {
	uint64_t index;
	uint32_t hart;
	uint32_t thread;
};

/* Places of harts, @count of them, those of a hart in order */
struct shadow_places {
	struct shadow_place *list;
	size_t count, room;
};

/**
 * struct shadow - the frames of a machine
 * @harts: by mhartid; those without @calls have no log
 * @frames: @count of them, in order of time; those of a hart in order of its instructions
 * @switches: @switch_count of them, those of a hart in order
 * @coroutines: where coroutines changed
 * @unknown: where a trap returned to user mode of which the beginning is not known
 * @execs: programs that were executed
 * @unmatched: returns that lead to no place that waits, with frames that might have
 */
struct shadow {
	struct shadow_hart harts[SHADOW_HARTS];
	struct shadow_frame *frames;
	size_t count, room;
	struct shadow_switch *switches;
	size_t switch_count, switch_room;
	void *threads;
	uint32_t thread_count;
	struct shadow_places coroutines;
	struct shadow_places unknown;
	uint64_t execs;
	uint64_t unmatched;
};

/* Map PREFIX.calls.@hart. 0; -1 with a text on stderr */
int shadow_load(struct shadow *shadow, const char *prefix, uint32_t hart);

/* Make the frames. 0; -1 with a text on stderr */
int shadow_run(struct shadow *shadow);

/* Whether one of the places is the instruction of the hart. */
bool shadow_has_place(const struct shadow_places *places, uint64_t hart, uint64_t index);

/* shadow-rules.c: what a record does to the thread of its hart */
struct shadow_thread *shadow_thread_of(struct shadow *shadow, uint64_t task);
void shadow_take(struct shadow *shadow, struct shadow_hart *hart, const struct truth_call *call);

#endif /* RVTRACE_CALLS_SHADOW_H */
