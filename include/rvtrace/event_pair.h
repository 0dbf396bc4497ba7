/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Begin and end of what software does: how long each took. */
#ifndef RVTRACE_EVENT_PAIR_H
#define RVTRACE_EVENT_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/error.h>

RVTRACE_BEGIN_DECLS

#define RVTRACE_EVENT_PAIRS_MAX	(1u << 20)	/* of a kind, under way at the same time */

/**
 * struct rvtrace_event_pair_stats - durations, in the unit of the times given
 * @count: how many
 * @min: the shortest one; 0 where there is none, and so all of the following
 * @median: half of them are not longer
 * @p99: 99 of 100 are not longer
 * @max: the longest one
 * @open: begun, and not ended yet
 * @ends: ends of what had not begun
 * @cut: begun before events were lost, so that their end may have been
 * @backward: ended at an earlier time than they began
 *
 * @median and @p99 are durations that occurred: of N in ascending order those with the numbers
 * N / 2 and N * 99 / 100, rounded up, from 1.
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
 * rvtrace_event_pair_new() - pairs of one kind, none of them yet
 *
 * Return: the pairs, rvtrace_event_pair_free() them; NULL without memory.
 */
struct rvtrace_event_pair *rvtrace_event_pair_new(void);

/**
 * rvtrace_event_pair_free() - free the pairs; those under way end
 * @pair: the pairs; NULL: nothing is done
 */
void rvtrace_event_pair_free(struct rvtrace_event_pair *pair);

/**
 * rvtrace_event_pair_begin() - something begins
 * @pair: the pairs
 * @scope: whose it is: an address space, or 0; only an end of the same one belongs to it
 * @value: which of those under way
 * @time: when
 *
 * Of equal ones the last one that began is the first one to end.
 *
 * Return: 0, RVTRACE_ERR_NO_MEMORY, RVTRACE_ERR_BUSY (RVTRACE_EVENT_PAIRS_MAX are under way; it is
 * not counted).
 */
int rvtrace_event_pair_begin(struct rvtrace_event_pair *pair, uint64_t scope, uint64_t value,
			     uint64_t time);

/**
 * rvtrace_event_pair_end() - something ends
 * @pair: the pairs
 * @scope: as it began
 * @value: as it began
 * @time: when
 * @duration: filled, of those that are counted; may be NULL
 *
 * Return: 1 it is counted, 0 it had not begun, or ended before it began, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_event_pair_end(struct rvtrace_event_pair *pair, uint64_t scope, uint64_t value,
			   uint64_t time, uint64_t *duration);

/**
 * rvtrace_event_pair_lost() - events were lost
 * @pair: the pairs
 *
 * What is under way is given up: with an end of what began meanwhile it would make a pair that
 * never was.
 */
void rvtrace_event_pair_lost(struct rvtrace_event_pair *pair);

/**
 * rvtrace_event_pair_stats() - durations up to now
 * @pair: the pairs
 * @stats: filled
 */
void rvtrace_event_pair_stats(struct rvtrace_event_pair *pair,
			      struct rvtrace_event_pair_stats *stats);

RVTRACE_END_DECLS

#endif /* RVTRACE_EVENT_PAIR_H */
