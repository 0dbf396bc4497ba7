/* SPDX-License-Identifier: GPL-2.0 */
/* What the outputs of tracectl decode have in common. */
#ifndef RVTRACE_TRACECTL_DECODE_PRINT_H
#define RVTRACE_TRACECTL_DECODE_PRINT_H

#include <rvtrace/flow.h>

#include "symbols.h"

struct decode;
struct out;
struct trace_input;

/* JSON: the document around the list @name of @output; then a comma before each but the first. */
void print_document(struct out *out, const char *output, const char *name);
void print_begin(struct out *out);
void print_document_end(struct out *out);

/* A time, if it is known, in a column; members of JSON. */
void print_time(struct out *out, const struct trace_input *in, bool known, uint64_t time);
void print_time_json(struct out *out, const struct trace_input *in, uint64_t time);

/* Of a trace with errors: the one, or how many and the first. */
void print_first_error(uint64_t count, const char *first);

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

/* calls */
extern const struct view_ops calls_view;

#endif /* RVTRACE_TRACECTL_DECODE_PRINT_H */
