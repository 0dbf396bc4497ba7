/* SPDX-License-Identifier: GPL-2.0 */
/* tracectl report: what is counted of calls. */
#ifndef RVTRACE_TRACECTL_REPORT_CALLS_H
#define RVTRACE_TRACECTL_REPORT_CALLS_H

#include "tools/tracectl/views/views.h"
#include "report_tree.h"

struct report;
struct report_scene;

/**
 * struct report_calls_of - calls of a function, a system call or an interrupt
 * @calls: how many began
 * @timed: of them, those whose time is known: they ended, and were seen to begin
 * @self_instructions: executed in it
 * @instructions: executed in it and what it called; recursion counts once
 * @self: CPU time of it alone
 * @cpu: CPU time with what it called
 * @total: the same with rest and interrupts
 * @worst: the longest call, and when and in which lane that began
 */
struct report_calls_of {
	uint64_t calls;
	uint64_t timed;
	uint64_t self_instructions;
	uint64_t instructions;
	struct rvtrace_call_span self;
	struct rvtrace_call_span cpu;
	struct rvtrace_call_span total;
	struct rvtrace_call_span worst;
	struct rvtrace_call_time worst_at;
	uint32_t worst_lane;
};

/**
 * struct report_kind - system calls, interrupts and other traps by name
 * @name: the kind's
 * @calls: of it
 */
struct report_kind {
	char name[64];
	struct report_calls_of calls;
};

/**
 * struct report_cpu - what a hart did, in units of the timestamp
 * @hart: its id
 * @busy: it ran threads, of those that are shown or not
 * @idle: it ran its idle thread
 * @interrupts: it handled interrupts, which are in @busy and @idle
 */
struct report_cpu {
	uint64_t hart;
	uint64_t busy;
	uint64_t idle;
	uint64_t interrupts;
};

/* A list of kinds. */
struct report_kinds {
	struct report_kind *list;
	size_t count;
};

struct report_stack;

/**
 * struct report_calls - what is counted
 * @scene: who was there
 * @functions: by id; room for @function_room
 * @system_calls, @interrupts, @exceptions: by name
 * @cpus: @cpu_count of them
 * @stacks: of lanes, by number; @stack_count of them
 * @gaps: parts of the flow that are missing, or could not be followed
 * @losses: of them, those that are losses of trace
 * @cut: frames that were open then, or at the end
 * @tree: what functions called that the user asks for, or NULL
 */
struct report_calls {
	const struct report_scene *scene;
	struct report_calls_of *functions;
	uint32_t function_room;
	struct report_kinds system_calls;
	struct report_kinds interrupts;
	struct report_kinds exceptions;
	struct report_cpu *cpus;
	size_t cpu_count;
	struct report_stack **stacks;
	size_t stack_count;
	uint64_t gaps;
	uint64_t losses;
	uint64_t cut;
	struct report_tree *tree;
};

/* Rows of threads as lanes have them: what executed and ran in a window. 0 or -ENOMEM */
int report_count_lanes(const struct report_calls *c, const struct view *view,
		       struct report *report);

/* @data is a struct report_calls. */
extern const struct view_ops report_view;

#endif /* RVTRACE_TRACECTL_REPORT_CALLS_H */
