/* SPDX-License-Identifier: GPL-2.0 */
/* What the outputs of tracectl decode have in common. */
#ifndef RVTRACE_TRACECTL_DECODE_PRINT_H
#define RVTRACE_TRACECTL_DECODE_PRINT_H

#include <rvtrace/flow.h>

#include "symbols.h"

struct decode;
struct out;

/* JSON: the document around the list @name of @output; then a comma before each but the first. */
void print_document(struct decode *d, const char *output, const char *name);
void print_begin(struct decode *d);
void print_document_end(struct decode *d);

/* The nearest nanosecond: of a clock of up to 1 GHz, parse_time() finds the tick again. */
uint64_t print_ns(const struct decode *d, uint64_t time);

/*
 * Whether times of the sink under way are known as CLOCK_MONOTONIC; if so, that is what users are
 * shown. Else it is the trace's own time.
 */
bool knows_clock(const struct decode *d);

/* The trace's own time: counters that restart do not show. In ticks. */
uint64_t elapsed_time(const struct decode *d, uint64_t time);

/* A time, if it is known, in a column; members of JSON. */
void print_time(struct decode *d, bool known, uint64_t time);
void print_time_json(struct decode *d, uint64_t time);

/*
 * Who executes: columns with a blank behind them; JSON: members, each with a comma before it.
 * The same for all of an item.
 */
void print_who(struct decode *d, const struct rvtrace_flow_item *item);

/* Name of @address, and its line if lines are asked for. JSON: members. */
void print_place(struct decode *d, const struct symbol_place *place, uint64_t address);

/* All but blocks: an event, in words. JSON: its members, "type" first. */
void print_event(struct decode *d, const struct rvtrace_flow_item *item);

/* An access of data trace, in words. JSON: its members, a comma before each. */
void print_access_text(struct out *out, const struct rvtrace_flow_access *access);
void print_access_json(struct out *out, const struct rvtrace_flow_access *access);

/* accesses */
void accesses_item(struct decode *d, const struct rvtrace_flow_item *item);

/* listing and blocks */
void listing_item(struct decode *d, const struct rvtrace_flow_item *item);

/* calls: 0 or -ENOMEM. */
int calls_item(struct decode *d, const struct rvtrace_flow_item *item);

struct calls *calls_new(void);
void calls_free(struct calls *calls);

#endif /* RVTRACE_TRACECTL_DECODE_PRINT_H */
