/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Comparison of a hart's decoded flow with the ground truth, without files
 * and without a decoder: two sequences in memory.
 *
 * The flow of a hart is a sequence of 64-bit items. An even item is an
 * instruction: its address, with the privilege in bits 61:60 and its size in
 * half-words, if it is 1 or 2, in bits 59:58, else 0. An odd item is
 * an event: kind in bits 1:4, an argument in bits 63:5.
 */
#ifndef RVTRACE_COMPARE_CORE_H
#define RVTRACE_COMPARE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLOW_PRIV_UNKNOWN	2	/* reserved by the architecture */

enum flow_event {
	FLOW_NO_IMAGE,	/* unknown instructions up to the next one; argument: trace offset */
	FLOW_LOST,	/* reported loss, up to the next item; argument: trace offset */
	FLOW_BEGIN,	/* the next instruction is the opening marker */
	FLOW_END,	/* the next instruction is the closing marker */
	FLOW_OFFSET,	/* argument: trace offset from here on */
	FLOW_ERROR,	/* the decoder gave up, up to the next item; argument: trace offset */
	FLOW_SPACE,	/* argument: address space from here on, 0: not known */
	FLOW_PID,	/* argument: process id that the instructions before announced */
	FLOW_THREAD,	/* argument: thread id and 1 from here on, 0: not known */
	FLOW_STOPPED,	/* a filter passed over what came here; argument: trace offset */
	FLOW_GAP,	/* a stretch of unknown flow; argument: its half-words */
};

static inline uint64_t flow_insn(uint64_t pc, unsigned int priv)
{
	return (pc & ~(15ULL << 58) & ~1ULL) | (uint64_t)priv << 60;
}

static inline uint64_t flow_insn_of_size(uint64_t pc, unsigned int priv, unsigned int size)
{
	return flow_insn(pc, priv) | (size == 2 || size == 4 ? size / 2ULL << 58 : 0);
}

static inline uint64_t flow_event(enum flow_event kind, uint64_t argument)
{
	return argument << 5 | (uint64_t)kind << 1 | 1;
}

static inline bool flow_is_event(uint64_t item)
{
	return item & 1;
}

static inline enum flow_event flow_kind(uint64_t item)
{
	return (item >> 1) & 15;
}

static inline uint64_t flow_argument(uint64_t item)
{
	return item >> 5;
}

static inline unsigned int flow_priv(uint64_t item)
{
	return (item >> 60) & 3;
}

static inline unsigned int flow_halfwords(uint64_t item)
{
	return (item >> 58) & 3;
}

/* Bits 61:58 of an address repeat bit 57 in every translation mode. */
static inline uint64_t flow_pc(uint64_t item)
{
	return (item & ~(15ULL << 58)) | ((item >> 57 & 1) ? 15ULL << 58 : 0);
}

/**
 * struct compare_range - addresses
 * @start: the first
 * @end: after the last
 */
struct compare_range {
	uint64_t start;
	uint64_t end;
};

/**
 * struct truth - the words of a truth file after its header
 * @words: the words
 * @count: how many
 * @without: set of privileges whose instructions are passed over
 * @only: addresses that are traced, none: all; blocks that begin in them are traced
 *	to their end
 * @by_context: whether what runs with another scontext is passed over
 * @scontext: than this one
 */
struct truth {
	const uint64_t *words;
	size_t count;
	unsigned int without;
	struct compare_range only;
	bool by_context;
	uint32_t scontext;
};

/**
 * struct truth_step - where a reader of the truth stands
 * @next: index of the next word
 * @pc: address of the current instruction
 * @index: its number in the window, from 0
 * @priv: its privilege
 * @scontext: scontext while it ran
 * @satp: satp while it ran
 * @satp_writes: how often satp had changed before
 * @task: what tp was last while the kernel ran, the task; 0: it did not yet
 * @task_changes: how often that had changed before
 */
struct truth_step {
	size_t next;
	uint64_t pc;
	uint64_t index;
	unsigned int priv;
	uint32_t scontext;
	uint64_t satp;
	uint64_t satp_writes;
	uint64_t task;
	uint64_t task_changes;
};

/**
 * truth_next() - advance to the next instruction of the window
 * @truth: the truth
 * @step: where the reader stands; zeroed: before the first word
 *
 * Return: true with the instruction in @step; false at the end of the window
 * or of the file, @step then stands behind TRUTH_END.
 */
bool truth_next(const struct truth *truth, struct truth_step *step);

/**
 * truth_check() - whether a truth file is whole
 * @truth: the truth
 *
 * Return: NULL, or what is wrong with it.
 */
const char *truth_check(const struct truth *truth);

/**
 * struct compare_tables - which page table an address space was seen with
 * @roots: root page table by address space, 0: none yet
 * @count: members of @roots
 *
 * Shared by the harts of a recording. free() @roots.
 */
struct compare_tables {
	uint64_t *roots;
	size_t count;
};

/**
 * struct compare_rules - what else is judged
 * @must_know: whether user code at @pc in address space @scontext belongs to
 *	the traced command; NULL: never
 * @jit: user code that may lack an image
 * @jit_count: members of @jit
 * @no_image: told of every instruction skipped for want of an image, except
 *	those in @jit; may be NULL
 * @pid: process of an address space, -1: none; NULL: not judged
 * @shared: whether two address spaces may share their memory, as those of a
 *	child of vfork() and its parent; NULL: none does
 * @renumbered: whether thread id @from became @to; NULL: none did
 * @tables: not NULL: address spaces of user code are judged
 * @threads: threads of user code are judged
 * @kernel_threads: and of the kernel's
 * @no_firmware: what executes in M-mode may lack an image
 * @unfollowed: returns may lead to where it is not known, from code without an image, too
 * @inside: the window opened before tracing began and closed after it ended: its markers
 *	are not in the flow, and every segment fits somewhere
 * @data: for the functions
 */
struct compare_rules {
	bool (*must_know)(void *data, uint64_t pc, uint32_t scontext);
	const struct compare_range *jit;
	size_t jit_count;
	void (*no_image)(void *data, const struct truth_step *step, uint64_t space);
	int64_t (*pid)(void *data, uint64_t space);
	bool (*shared)(void *data, uint64_t a, uint64_t b);
	bool (*renumbered)(void *data, uint64_t from, uint64_t to);
	struct compare_tables *tables;
	bool threads;
	bool kernel_threads;
	bool no_firmware;
	bool unfollowed;
	bool inside;
	void *data;
};

/**
 * struct compare_mismatch - one difference
 * @what: what is wrong
 * @index: number of the instruction in the window
 * @item: index in the flow
 * @offset: trace offset of the last FLOW_OFFSET, FLOW_NO_IMAGE, FLOW_LOST or FLOW_STOPPED
 * @truth_pc: what retired, 0 at the end of the window
 * @truth_priv: its privilege
 */
struct compare_mismatch {
	const char *what;
	uint64_t index;
	size_t item;
	uint64_t offset;
	uint64_t truth_pc;
	unsigned int truth_priv;
};

#define COMPARE_PROOF	16384	/* instructions that do not fit a window by accident */
#define COMPARE_SHOWN	5	/* mismatches kept with their context */

/**
 * struct compare_result - numbers of a hart, all in instructions
 * @windows: windows in the truth
 * @opened: windows whose opening marker was found, or is in a reported loss
 * @truth: in the windows
 * @decoded: matched
 * @no_image: skipped inside stretches without an image, @jit aside
 * @jit: skipped there, at addresses of the rules' @jit
 * @placed: of @decoded, user code whose address space was judged
 * @threaded: of @decoded, code whose thread was judged
 * @unknown: of @decoded, code of the kernel of no known thread, where that may be
 * @announced: process ids announced, all of them right but for mismatches
 * @passed: not traced as their addresses are not
 * @lost: inside reported losses
 * @losses: reported losses inside the windows
 * @gaps: inside stretches of unknown flow, which say how long they are
 * @stretches: how many of those
 * @mismatches: differences that no rule explains
 * @unaccounted: of the truth, neither matched nor skipped by a rule
 * @shown_count: members of @shown
 * @shown: the first mismatches
 */
struct compare_result {
	uint64_t windows;
	uint64_t opened;
	uint64_t truth;
	uint64_t decoded;
	uint64_t no_image;
	uint64_t jit;
	uint64_t placed;
	uint64_t threaded;
	uint64_t unknown;
	uint64_t announced;
	uint64_t passed;
	uint64_t lost;
	uint64_t losses;
	uint64_t gaps;
	uint64_t stretches;
	uint64_t mismatches;
	uint64_t unaccounted;
	unsigned int shown_count;
	struct compare_mismatch shown[COMPARE_SHOWN];
};

/**
 * compare_hart() - compare a hart's flow with its truth
 * @truth: what retired
 * @flow: what was decoded
 * @count: items in @flow
 * @rules: what else is judged, or NULL
 * @result: filled
 *
 * Every instruction of a window must be matched by one of the flow at the
 * same address, and at the same privilege where the flow knows it, except
 * user-mode ones in a stretch without an image, those in a stretch of unknown
 * flow, as many as that says, and those in a reported loss.
 * After a loss the flow up to the next one must be found, as a whole, later
 * in the window.
 *
 * User code must run in a known address space; each has one root page table,
 * and none takes over from another while satp stays what it is. Code must be of a known thread, of
 * the same one as before exactly if the kernel's tp, the task, did not become another one; a process
 * that announces itself has one thread. What the kernel executes first, and behind a loss and what a
 * filter passed over, may be of none, up to a change of tasks and for 20,000 instructions.
 *
 * Return: true when everything is accounted for: no mismatch, every window
 * found, at least one of them.
 */
bool compare_hart(const struct truth *truth, const uint64_t *flow, size_t count,
		  const struct compare_rules *rules, struct compare_result *result);

#endif /* RVTRACE_COMPARE_CORE_H */
