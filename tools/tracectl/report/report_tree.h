/* SPDX-License-Identifier: GPL-2.0 */
/* tracectl report --function: what functions called, all calls together and the longest one. */
#ifndef RVTRACE_TRACECTL_REPORT_TREE_H
#define RVTRACE_TRACECTL_REPORT_TREE_H

#include "tools/tracectl/views/views.h"

#define REPORT_REST	0xff	/* report_label.kind: the thread did not run */

/* What executes: the members of a frame that name it. */
struct report_label {
	uint32_t function;
	uint8_t kind;
	uint8_t trap;
	bool has_cause;
	uint32_t cause;
	uint64_t address;
};

/**
 * struct report_node - calls of the same function by the same callers
 * @label: what was called
 * @calls: how many
 * @cpu, @total: their time on CPUs, and in all, in units of the timestamp
 * @instructions: executed in them and what they called
 * @child: the first of what it called
 * @next: the next one that its caller called
 * @above: its caller
 */
struct report_node {
	struct report_label label;
	uint64_t calls;
	uint64_t cpu;
	uint64_t total;
	uint64_t instructions;
	struct report_node *child;
	struct report_node *next;
	struct report_node *above;
};

struct report_place;

/**
 * struct report_tree - what the functions that the user asks for called
 * @pattern: names of them; * and ? are wildcards
 * @all: every call, below a node that stands for nothing
 * @slowest: the longest call, or NULL
 * @span, @at, @lane: of that: how long it took, when it began, of whom
 * @path: its callers, the outermost first, @path_count of them
 * @places: of lanes, by number, @place_count of them
 */
struct report_tree {
	const char *pattern;
	struct report_node all;
	struct report_node *slowest;
	struct rvtrace_call_span span;
	struct rvtrace_call_time at;
	uint32_t lane;
	struct report_label *path;
	size_t path_count;
	struct report_place **places;
	size_t place_count;
};

/* NULL: no memory. @pattern must outlive it. */
struct report_tree *report_tree_new(const char *pattern);
void report_tree_free(struct report_tree *tree);

/* An event: 0 or -ENOMEM. */
int report_tree_take(struct report_tree *tree, const struct view *view,
		     const struct rvtrace_call_event *event);

/* Callees in order, those that took longest first. */
void report_tree_sort(struct report_node *node);

const char *report_label_name(const struct view *view, const struct report_label *label,
			      char *buffer, size_t size);

#endif /* RVTRACE_TRACECTL_REPORT_TREE_H */
