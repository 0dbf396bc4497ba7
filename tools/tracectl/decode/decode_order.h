/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracectl decode: items of several harts in order of time.
 *
 * A hart's items are in order, those of several harts as their messages came. What is printed of
 * an item is held until each other hart has come as far; of a hart that says nothing for so long
 * that what is held exceeds a limit, that is not waited for. Both depend on the items alone, and
 * not on how many threads decode.
 */
#ifndef RVTRACE_TRACECTL_DECODE_ORDER_H
#define RVTRACE_TRACECTL_DECODE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct decode;
struct order;
struct rvtrace_flow_item;

/**
 * struct order_entry - what was printed of one source at one time
 * @source: the source
 * @has_time: @time is known
 * @time: of the items
 * @size: bytes of the text
 */
struct order_entry {
	uint32_t source;
	bool has_time;
	uint64_t time;
	size_t size;
};

/* Entries of a text that is put in order later. */
struct order_log {
	struct order_entry *entries;
	size_t count;
	size_t room;
	uint64_t logged;	/* bytes of the output */
};

/* If the sink under way has several sources, its output is put in order: 0, or -ENOMEM. */
int order_begin(struct decode *d);

/* Prints what is held; what is printed from here on is not put in order. */
void order_end(struct decode *d);
void order_free(struct order *order);

/* What was printed since the last item is of this one. 0, -ENOMEM or why it was not written. */
int order_item(struct decode *d, const struct rvtrace_flow_item *item);

/* Whether output is put in order. */
bool order_is_on(const struct decode *d);

/* Puts a text in order that was logged; the log is empty then. 0, -ENOMEM or why it was not written. */
int order_logged(struct decode *d, struct order_log *log, const char *text);

#endif /* RVTRACE_TRACECTL_DECODE_ORDER_H */
