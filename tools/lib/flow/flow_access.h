/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Data accesses on their way through the flow decoder.
 *
 *	flow_etrace_data.c	packets to accesses
 *	flow_access.c		accesses to their instructions
 *
 * Accesses arrive before the code that made them is walked over. They wait in a queue of their
 * source; when the code comes, runs of blocks are cut behind the instructions they belong to.
 */
#ifndef FLOW_ACCESS_H
#define FLOW_ACCESS_H

#include "flow_internal.h"

#define ACCESS_QUEUE_MAX	65536	/* a power of two */
#define ACCESS_SHOWN_MAX	64	/* of one read */
#define ACCESS_LRIDS		256
#define ACCESS_SIZES		5

/**
 * struct access_entry - an access that waits
 * @item: its item, but for the instruction
 * @report: source->etrace->reports when it came
 * @adrift: its instruction cannot be known
 */
struct access_entry {
	struct rvtrace_flow_item item;
	struct rvtrace_flow_access access;
	uint64_t report;
	bool adrift;
};

/* The last value of a size. */
struct access_last {
	bool valid;
	uint64_t value[2];
};

/**
 * struct access_queue - what data trace adds to a source
 * @entries: a ring of @room, the oldest at @head
 * @overrun: value of source->etrace->reports for which there were too many
 * @has_overrun: @overrun is valid
 * @address, @data, @operand: last ones, by size; then of CSRs
 * @requests: by lrid; those without RVTRACE_ACCESS_REQUEST are none
 * @requesters: instructions that made them, if they are in @requester_known
 */
struct access_queue {
	struct access_entry *entries;
	size_t room;
	size_t head;
	size_t count;
	uint64_t overrun;
	bool has_overrun;
	struct access_last address[ACCESS_SIZES + 1];
	struct access_last data[ACCESS_SIZES + 1];
	struct access_last operand[ACCESS_SIZES + 1];
	struct rvtrace_flow_access requests[ACCESS_LRIDS];
	uint64_t requesters[ACCESS_LRIDS];
	bool requester_known[ACCESS_LRIDS];
};

/* flow_etrace_data.c */
void flow_etrace_data(struct rvtrace_flow *flow);
void flow_etrace_forget_data(struct source *source);

/* flow_access.c */
struct access_stage *flow_access_new(void);
void flow_access_free(struct access_stage *stage);
void flow_access_free_queue(struct access_queue *queue);
struct access_queue *flow_access_queue(struct rvtrace_flow *flow);
void flow_access_put(struct rvtrace_flow *flow, const struct rvtrace_flow_access *access);
int flow_access_read(struct rvtrace_flow *flow, struct rvtrace_flow_item *items, size_t max);
bool flow_access_idle(const struct rvtrace_flow *flow);

#endif /* FLOW_ACCESS_H */
