/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The call layer, step by step:
 *
 *	calls_steps.c	items of a hart -> steps: where control may enter or leave a function
 *	calls_time.c	steps get their time, once a later message has one
 *	calls_merge.c	steps of all harts in order of time
 *	calls_lane.c	threads: which one runs on which hart
 *	calls_stack.c	frames of a thread: entered, left
 *	calls_jump.c	steps of a thread -> which frames
 */
#ifndef RVTRACE_LIB_CALLS_INTERNAL_H
#define RVTRACE_LIB_CALLS_INTERNAL_H

#include <rvtrace/calls.h>

/**
 * enum step_type - kinds of steps
 * @STEP_ARRIVE: an instruction executes at @address, to which @insn led
 * @STEP_TRAP: a trap was taken instead of the instruction at @address
 * @STEP_TRAP_RETURN: it returns
 * @STEP_THREAD: from here on, @thread executes
 * @STEP_GAP: flow is missing, @item says why
 * @STEP_ITEM: @item is to be handed on
 */
enum step_type {
	STEP_ARRIVE,
	STEP_TRAP,
	STEP_TRAP_RETURN,
	STEP_THREAD,
	STEP_GAP,
	STEP_ITEM,
};

/* step.insn, besides enum rvtrace_insn_kind */
enum {
	ARRIVE_START = 64,	/* nothing is known of what executed before */
	ARRIVE_TRAP,		/* a trap's handler begins */
	ARRIVE_TRAP_RETURN,	/* a trap has returned */
};

/**
 * struct step - what happens on a hart
 * @type: enum step_type
 * @insn: of STEP_ARRIVE, enum rvtrace_insn_kind or ARRIVE_START ...
 * @priv: privilege, -1: unknown
 * @trap: enum rvtrace_trap_kind
 * @has_cause: @cause is known
 * @begins: @address is where @function begins
 * @thread, @process: as in items
 * @function, @whole, @unwinds: as in struct rvtrace_call_function
 * @start: where what is known of @function begins
 * @starts: the function itself begins there
 * @address: see there
 * @link: of calls, where they return to
 * @cause: of the trap
 * @count: instructions that the hart executed before
 * @offset: of the message
 * @time: once it is known
 * @item: owned, or NULL
 */
struct step {
	uint8_t type;
	uint8_t insn;
	int8_t priv;
	uint8_t trap;
	bool has_cause;
	bool begins;
	bool unwinds;
	bool starts;
	int32_t thread;
	uint32_t process;
	uint32_t function;
	uint32_t whole;
	uint32_t cause;
	uint64_t start;
	uint64_t address;
	uint64_t link;
	uint64_t count;
	uint64_t offset;
	struct rvtrace_call_time time;
	struct rvtrace_flow_item *item;
};

/**
 * struct hart - a source
 * @source: its SRC
 * @seen: it had an item
 * @known: where it executes is known
 * @settle: the next arrival counts, whatever led to it
 * @sleeps: it stopped, as @stopped says, and executes nothing
 * @insn, @link: how the last block ended, and the address behind it
 * @target: where its last instruction leads, 0: it does not say
 * @word: the last instruction, of 4 bytes; 0: it is another
 * @thread, @process: who executes, as items say
 * @function: what executes; no address is in it if that is to be asked again
 * @count: instructions executed
 * @offset: of the message under way
 * @message_time: its time; NO_TIME: it has none
 * @has_mark: there was a message with a time
 * @mark: the time of the last one, and how many instructions had executed then, @mark_count
 * @earliest: what is reported next has not executed before
 * @steps: from @first to before @timed they have their time, to before @end not; room for @room
 * @lane: the thread that runs on it, as far as steps were handed on
 * @done: instructions of it that were counted for threads
 */
struct hart {
	uint32_t source;
	bool seen;
	bool known;
	bool settle;
	bool sleeps;
	struct rvtrace_flow_item stopped;
	uint8_t insn;
	uint64_t link;
	uint64_t target;
	uint32_t word;
	int32_t thread;
	uint32_t process;
	struct rvtrace_call_function function;
	uint64_t count;
	uint64_t offset;
	uint64_t message_time;
	bool has_mark;
	uint64_t mark;
	uint64_t mark_count;
	uint64_t earliest;
	struct step *steps;
	size_t first;
	size_t timed;
	size_t end;
	size_t room;
	struct lane *lane;
	uint64_t done;
};

/**
 * struct frame - a frame of a thread
 * @shown: what users see
 * @whole, @unwinds: as in struct rvtrace_call_function
 * @starts: @shown.start is where the function begins
 * @restores: a signal handler returned to it: it will end the signal
 * @serial: the same for frames that replaced each other by tail calls
 * @instructions: of the thread when it was entered
 * @resting, @interrupted: of the thread when it was entered
 */
struct frame {
	struct rvtrace_call_frame shown;
	uint32_t whole;
	bool unwinds;
	bool starts;
	bool restores;
	uint64_t serial;
	uint64_t instructions;
	struct rvtrace_call_span resting;
	struct rvtrace_call_span interrupted;
};

#define SITE_BITS	14

/**
 * struct site - a place that a thread called from; of those with the same hash, the last one
 * @link: the address behind the call
 * @serial, @depth: the frame that called there last; no depth: there is none
 */
struct site {
	uint64_t link;
	uint64_t serial;
	uint32_t depth;
};

#define ENDING_BITS	12
#define ENDING_BYTES	64

/**
 * struct ending - how a block ends
 * @size, @instructions, @code: of the block
 * @insn: the last instruction
 * @word, @before: that, and the one before it, if they have 4 bytes each; else 0
 */
struct ending {
	uint32_t size;
	uint32_t instructions;
	struct rvtrace_insn insn;
	uint32_t word;
	uint32_t before;
	uint8_t code[ENDING_BYTES];
};

#define PARKED		16
#define PARKED_FRAMES	256	/* coroutines are not that deep */

/**
 * struct parked - frames that were jumped over, and may be gone on with by coroutines
 * @frames: @count of them
 */
struct parked {
	struct frame *frames;
	size_t count;
};

/**
 * struct lane - a thread, or a hart where threads are not known
 * @number: of it, from 0
 * @thread: its id; 0: idle on @source; -1: the hart
 * @source: of the hart
 * @process: of what executed last in user mode
 * @hart: on which it runs, NULL: it rests
 * @rested: when it began to rest, if @has_rested
 * @frames: @depth of them, room for @room
 * @instructions: executed so far
 * @resting: how long it did not run
 * @interrupted: how long interrupts were on top of it
 * @returned: the place to which the last trap that returned was to return
 * @last: time of its last step that has one
 * @window: whether it is before, in or after the time that is asked for
 * @parked: in a ring, @next_parked is overwritten next
 */
struct lane {
	uint32_t number;
	int32_t thread;
	uint32_t source;
	uint32_t process;
	struct hart *hart;
	bool has_rested;
	struct rvtrace_call_time rested;
	struct frame *frames;
	size_t depth;
	size_t room;
	uint64_t instructions;
	struct rvtrace_call_span resting;
	struct rvtrace_call_span interrupted;
	uint64_t returned;
	struct rvtrace_call_time last;
	enum { WINDOW_BEFORE, WINDOW_IN, WINDOW_AFTER } window;
	struct parked parked[PARKED];
	unsigned int next_parked;
};

/**
 * struct rvtrace_calls - the layer
 * @config: of the user
 * @harts: @hart_count of them, ordered by source
 * @queue: room for all of them; @queued ones that have steps, as a heap by time
 * @last: the one of the last item
 * @lanes: by thread, the newest of each; a tree
 * @all: every lane, by number, @lane_count of them
 * @sites: by hash of link and lane
 * @endings: of blocks, by hash of their end
 * @begin: offset of the first message
 * @newest: offset of the newest message
 * @waiting: items since steps were handed on
 * @frame_id: of the last frame
 * @finishing: nothing is held back any more
 * @error: what failed, or 0
 */
struct rvtrace_calls {
	struct rvtrace_calls_config config;
	struct hart **harts;
	size_t hart_count;
	struct hart **queue;
	size_t queued;
	struct hart *last;
	void *lanes;
	struct lane **all;
	size_t lane_count;
	struct site *sites;
	struct ending *endings;
	uint64_t begin;
	uint64_t newest;
	size_t waiting;
	uint64_t frame_id;
	bool finishing;
	int error;
};

/* calls_steps.c: an item of the hart. 0 or RVTRACE_ERR_NO_MEMORY */
int calls_take(struct rvtrace_calls *calls, struct hart *hart,
	       const struct rvtrace_flow_item *item);
/* A loss that hits all harts; one of them @tells of it. */
int calls_lose(const struct rvtrace_calls *calls, struct hart *hart,
	       const struct rvtrace_flow_item *item, bool tells);

/* calls_time.c: room for a step at the end, zeroed but for what all have; NULL: no memory */
struct step *calls_step(struct hart *hart, enum step_type type,
			const struct rvtrace_flow_item *item);
/* An item comes: steps of the message before it get their time. */
void calls_mark(const struct rvtrace_calls *calls, struct hart *hart,
		const struct rvtrace_flow_item *item);
/* No more items come. */
void calls_mark_end(const struct rvtrace_calls *calls, struct hart *hart);

/* calls_merge.c: hands steps on, in order */
void calls_merge(struct rvtrace_calls *calls);

/*
 * calls_lane.c: the thread that runs on a hart changes; whoever still runs it elsewhere stops.
 * No memory: calls->error.
 */
void calls_run(struct rvtrace_calls *calls, struct hart *hart, struct step *step);
/* The time of a thread does not go back, whatever harts say: a step is not older than the last. */
void calls_reach(struct lane *lane, struct step *step);
/* The lane that a step of a thread would run, NULL: there is none yet. */
struct lane *calls_find_lane(struct rvtrace_calls *calls, const struct hart *hart,
			     int32_t thread);
/* Instructions up to the step are counted. */
void calls_count(struct hart *hart, const struct step *step);
/* The time that is asked for begins, or ends, before the step. */
void calls_open(struct rvtrace_calls *calls, struct lane *lane, const struct step *step);
/* Frames that may have ended in a gap of the hart. */
void calls_cut(struct rvtrace_calls *calls, struct hart *hart, const struct step *step);
/* The thread may have the id of one that ended, or execute another program than before. */
void calls_check_process(struct rvtrace_calls *calls, struct hart *hart, const struct step *step);
/* The trace ends: of a hart; of a thread, all frames. */
void calls_end(struct rvtrace_calls *calls, struct hart *hart);
void calls_leave_lane(struct rvtrace_calls *calls, struct lane *lane);
void calls_lane_free(struct lane *lane);

/* calls_stack.c: frames */
struct frame *calls_top(const struct lane *lane);
void calls_enter(struct rvtrace_calls *calls, struct lane *lane, const struct step *step,
		 struct rvtrace_call_frame shown);
/* The frame above the top one, which is still there, is entered as of the step. */
void calls_reenter(struct rvtrace_calls *calls, struct lane *lane, const struct step *step);
/* Leaves the top frame. */
void calls_leave(struct rvtrace_calls *calls, struct lane *lane, const struct step *step,
		 unsigned int flags);
/* Leaves all but @depth frames. */
void calls_leave_to(struct rvtrace_calls *calls, struct lane *lane, const struct step *step,
		    size_t depth, unsigned int flags);
/* The same; they may be gone on with. */
void calls_park(struct rvtrace_calls *calls, struct lane *lane, const struct step *step,
		size_t depth, unsigned int flags);
/* Frames that were parked, the innermost of which was to return to @address, if there are any */
bool calls_unpark(struct rvtrace_calls *calls, struct lane *lane, const struct step *step,
		  uint64_t address);
void calls_emit(struct rvtrace_calls *calls, const struct lane *lane,
		struct rvtrace_call_event event);

/* calls_jump.c: a step of the thread that runs on its hart */
void calls_arrive(struct rvtrace_calls *calls, struct lane *lane, const struct step *step);
void calls_trap(struct rvtrace_calls *calls, struct lane *lane, const struct step *step);
void calls_trap_return(struct rvtrace_calls *calls, struct lane *lane, const struct step *step);

/* calls.c */
/* What was added since @before. */
struct rvtrace_call_span calls_span_since(const struct rvtrace_call_span *now,
					  const struct rvtrace_call_span *before);

#endif /* RVTRACE_LIB_CALLS_INTERNAL_H */
