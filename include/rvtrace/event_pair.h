/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Durations between begin and end events of software. */
#ifndef RVTRACE_EVENT_PAIR_H
#define RVTRACE_EVENT_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/error.h>

RVTRACE_BEGIN_DECLS

#define RVTRACE_EVENT_PAIRS_MAX	(1u << 20)	/* of a kind, open at the same time */

/**
 * struct rvtrace_event_pair_stats - durations, in the unit of the times given
 * @count: number of durations
 * @min: the shortest one; it and all following durations are 0 if @count is 0
 * @median: half of them are not longer
 * @p99: 99 of 100 are not longer
 * @max: the longest one
 * @open: pairs with a begin and no end yet
 * @ends: ends without a begin
 * @cut: begins before a loss of events, whose ends may be lost
 * @backward: pairs whose end has an earlier time than their begin
 *
 * @median and @p99 are durations that occurred: in ascending order of the N durations, the ones
 *	with
 * the numbers N / 2 and N * 99 / 100, rounded up, counted from 1.
 */
struct rvtrace_event_pair_stats {
	uint64_t count;
	uint64_t min;
	uint64_t median;
	uint64_t p99;
	uint64_t max;
	uint64_t open;
	uint64_t ends;
	uint64_t cut;
	uint64_t backward;
};

struct rvtrace_event_pair;

/**
 * rvtrace_event_pair_new() - create a collection of pairs of one kind, empty
 *
 * Return: the pairs; free them with rvtrace_event_pair_free(). NULL without memory.
 */
struct rvtrace_event_pair *rvtrace_event_pair_new(void);

/**
 * rvtrace_event_pair_free() - free the pairs, open ones included
 * @pair: the pairs, or NULL (no effect)
 */
void rvtrace_event_pair_free(struct rvtrace_event_pair *pair);

/**
 * rvtrace_event_pair_begin() - add a begin event
 * @pair: the pairs
 * @scope: owner of the pair: an address space, or 0; only an end in the same scope belongs to it
 * @value: distinguishes open pairs
 * @time: time of the event
 *
 * Of open pairs with equal scope and value, the one that began last ends first.
 *
 * Return: 0, RVTRACE_ERR_NO_MEMORY, RVTRACE_ERR_BUSY (RVTRACE_EVENT_PAIRS_MAX pairs are open; this
 * one is not counted).
 */
int rvtrace_event_pair_begin(struct rvtrace_event_pair *pair, uint64_t scope, uint64_t value,
			     uint64_t time);

/**
 * rvtrace_event_pair_end() - add an end event
 * @pair: the pairs
 * @scope: scope of the begin
 * @value: value of the begin
 * @time: time of the event
 * @duration: filled if the pair is counted; may be NULL
 *
 * Return: 1 the pair is counted, 0 it has no begin, or ended before it began,
 * RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_event_pair_end(struct rvtrace_event_pair *pair, uint64_t scope, uint64_t value,
			   uint64_t time, uint64_t *duration);

/**
 * rvtrace_event_pair_lost() - report that events were lost
 * @pair: the pairs
 *
 * Open pairs are dropped. Otherwise such a begin could be matched with the end of a later begin
 * that was lost.
 */
void rvtrace_event_pair_lost(struct rvtrace_event_pair *pair);

/**
 * rvtrace_event_pair_stats() - statistics of the durations up to now
 * @pair: the pairs
 * @stats: filled
 */
void rvtrace_event_pair_stats(struct rvtrace_event_pair *pair,
			      struct rvtrace_event_pair_stats *stats);

RVTRACE_END_DECLS

#endif /* RVTRACE_EVENT_PAIR_H */
