/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Items of flow made by hand for the layer of calls, and what it says of them. Whatever a test
 * does, each event is compared with what must hold of all: frames nested, time in order, counts
 * that add up.
 *
 * Function 'a' of user mode is at AT('a', 0), and is its own number; 'A' is one of the kernel. A
 * small letter from 'u' on is the part of the function 20 letters before it that lies elsewhere.
 */
#ifndef CALLS_FIXTURE_H
#define CALLS_FIXTURE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <rvtrace/calls.h>

#define CALLS_LANES	12
#define CALLS_TEXT	8192
#define FUNCTION	0x1000

enum {
	LINEAR = RVTRACE_INSN_LINEAR,
	BRANCH = RVTRACE_INSN_BRANCH,
	JUMP = RVTRACE_INSN_JUMP,
	CALL = RVTRACE_INSN_CALL,
	INDIRECT_JUMP = RVTRACE_INSN_INDIRECT_JUMP,
	INDIRECT_CALL = RVTRACE_INSN_INDIRECT_CALL,
	RETURN = RVTRACE_INSN_RETURN,
	SWAP = RVTRACE_INSN_SWAP,
	TRAP_RETURN = RVTRACE_INSN_TRAP_RETURN,
};

/**
 * struct calls_lane - a thread as its events show it
 * @ids: of its frames, @depth of them, with room for @room
 * @instructions: of the frames, as their callees told
 * @last: time of its last event
 * @count: its instructions at its last event
 * @text: the events, see calls_expect()
 */
struct calls_lane {
	uint64_t *ids;
	uint64_t *instructions;
	size_t depth;
	size_t room;
	uint64_t last;
	uint64_t count;
	char text[CALLS_TEXT];
	size_t length;
};

/**
 * struct calls_fixture - the layer and its input
 * @config: may be changed until the first item
 * @item: what the next items have in common
 * @lanes: of the first threads
 * @open: what is open of threads in all
 * @left: the last frame that was left, by number of its function; traps 1, signals 2
 * @entered: the same as entered
 * @gap, @gap_item: of the last gap or item
 * @events: so far
 * @fail_at: the event of this number returns @fail
 * @quiet: no text is kept
 * @windowed: counts are only those of a window
 * @ordered: entries of all threads come in order of time, of which @last is that of the last one
 * @finds: how often it was asked for a function
 */
struct calls_fixture {
	struct rvtrace_calls_config config;
	struct rvtrace_calls *calls;
	struct rvtrace_flow_item item;
	struct calls_lane lanes[CALLS_LANES];
	struct rvtrace_call_frame left[256];
	struct rvtrace_call_frame entered[256];
	struct rvtrace_call_event gap;
	struct rvtrace_flow_item gap_item;
	uint64_t events;
	uint64_t last_id;
	uint64_t fail_at;
	int fail;
	bool quiet;
	bool windowed;
	bool ordered;
	uint64_t last;
	unsigned int finds;
};

extern struct calls_fixture c;

#define CALLS_TEST(name) cmocka_unit_test_setup_teardown(name, calls_setup, calls_teardown)

int calls_setup(void **state);
int calls_teardown(void **state);

static inline uint64_t AT(char function, uint64_t offset)
{
	return (function >= 'a' ? 0x10000 + FUNCTION * (uint64_t)(function - 'a') :
				  0xffffffff80000000 + FUNCTION * (uint64_t)(function - 'A')) + offset;
}

/* The next items are of a message with this time, or with none. */
void tick(uint64_t time);
void silent(void);

/* The next items are of this hart and thread, of user mode (0) or the kernel (1). */
void on(uint32_t source, int32_t thread);
void mode(uint8_t priv);

/* @count instructions executed from @address on, the last one of this kind; run(): two of them */
void run_more(uint64_t address, uint32_t count, unsigned int insn);
void run(uint64_t address, unsigned int insn);

/* Items. Traps are told by kind and cause, the address is that of what did not execute. */
int give(struct rvtrace_flow_item item);
void trap(uint64_t address, unsigned int kind, uint32_t cause);
void trap_return(uint64_t address);
void gap(enum rvtrace_flow_type type);
void sync_at(uint64_t address);
void stop_at(uint64_t address, uint32_t reason);
void end_calls(void);

/*
 * What the thread of a number did: "+a" entered, "-a" left, ">0" runs on hart 0, "<0" rests, "!5"
 * a gap by an item of type 5, "=10" an item. Function "?" has no number, "#8" is a trap and its
 * cause, "$" a signal. Behind a slash are flags: (entered) t tail, o older, p part, r resumed, l
 * clipped; (left) c cut, s suspended, u unwound, i inferred, x replaced, l clipped.
 */
void calls_expect(unsigned int lane, const char *text);

#endif /* CALLS_FIXTURE_H */
