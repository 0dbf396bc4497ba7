/* SPDX-License-Identifier: GPL-2.0 */
/* Decoded instructions of a hart become the items of compare-core.h. */
#ifndef RVTRACE_COMPARE_FLOW_H
#define RVTRACE_COMPARE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/flow.h>

#include "selftests/compare/compare-core.h"

/**
 * struct compare_flow - the flow of one hart, as it is decoded
 * @items: as in compare-core.h
 * @count: of them
 * @room: for so many
 * @offset: of the last FLOW_OFFSET
 * @space: of the last FLOW_SPACE
 * @thread: of the last FLOW_THREAD
 * @has_space: @space still holds
 * @has_thread: @thread still holds
 * @digits: of the process id being announced, -1: none is
 * @pid: what they say so far
 */
struct compare_flow {
	uint64_t *items;
	size_t count, room;
	uint64_t offset;
	uint64_t space;
	uint64_t thread;
	bool has_space;
	bool has_thread;
	int digits;
	uint64_t pid;
};

/**
 * struct compare_traced - a hart, and what was decoded of it
 * @traced: it has an encoder; nothing else is valid if it has none
 * @stopped: its trace stopped, and did not go on yet
 * @id: mhartid
 * @bytes: of its trace
 * @instructions: decoded, in and out of the windows
 * @errors: reported by the decoder
 * @flow: what it ran
 */
struct compare_traced {
	bool traced;
	bool stopped;
	uint64_t id;
	uint64_t bytes;
	uint64_t instructions;
	uint64_t errors;
	struct compare_flow flow;
};

/**
 * compare_flow_init() - an empty flow
 * @flow: of a hart
 */
void compare_flow_init(struct compare_flow *flow);

/**
 * compare_flow_free() - free the items
 * @flow: of a hart
 */
void compare_flow_free(struct compare_flow *flow);

/**
 * compare_flow_offset() - say how far the trace is, now and then
 * @flow: of a hart
 * @offset: in the trace
 *
 * Return: 0, or -ENOMEM, as of all that follow.
 */
int compare_flow_offset(struct compare_flow *flow, uint64_t offset);

/**
 * compare_flow_space() - say whose the user code is that follows
 * @flow: of a hart
 * @space: address space, 0: not known
 */
int compare_flow_space(struct compare_flow *flow, uint64_t space);

/**
 * compare_flow_thread() - say of which thread the code is that follows
 * @flow: of a hart
 * @thread: thread id and 1, 0: not known
 */
int compare_flow_thread(struct compare_flow *flow, uint64_t thread);

/**
 * compare_flow_break() - say that something is missing here
 * @flow: of a hart
 * @kind: FLOW_NO_IMAGE, FLOW_LOST, FLOW_ERROR or FLOW_STOPPED
 * @offset: in the trace
 */
int compare_flow_break(struct compare_flow *flow, enum flow_event kind, uint64_t offset);

/**
 * compare_flow_gap() - add a stretch of unknown flow
 * @flow: of a hart
 * @item: RVTRACE_FLOW_UNFOLLOWED
 */
int compare_flow_gap(struct compare_flow *flow, const struct rvtrace_flow_item *item);

/**
 * compare_flow_range() - add code that no image holds, of which both ends are known
 * @flow: of a hart
 * @item: RVTRACE_FLOW_RANGE
 * @priv: its privilege, or FLOW_PRIV_UNKNOWN
 */
int compare_flow_range(struct compare_flow *flow, const struct rvtrace_flow_item *item,
		       unsigned int priv);

/**
 * compare_flow_insn() - add an instruction, and what it says as a marker or an announcement
 * @flow: of a hart
 * @iter: the instruction
 * @priv: its privilege, or FLOW_PRIV_UNKNOWN
 */
int compare_flow_insn(struct compare_flow *flow, const struct rvtrace_insn_iter *iter,
		      unsigned int priv);

#endif /* RVTRACE_COMPARE_FLOW_H */
