/* SPDX-License-Identifier: GPL-2.0 */
/* What is checked of a decoded random program alike, whatever the format. */
#ifndef RVTRACE_RANDOM_PROGRAM_CHECK_H
#define RVTRACE_RANDOM_PROGRAM_CHECK_H

#include "random-program.h"
#include "share.h"

extern uint64_t seed;		/* of the program at hand */

/* Programs 1 to @count, but those that are left out. */
#define for_each_seed(count)						\
	for (seed = 1; seed <= (count); seed++)				\
		if (!is_left_out())

/* An assertion that tells the program. */
#define check(condition)	check_that(condition, #condition, __LINE__)

void check_that(bool holds, const char *condition, int line);

/* What retires next on the hart; it must be the instruction at @address. */
const struct truth *check_next(struct hart *h, const struct rvtrace_flow_item *item,
			       uint64_t address);

/* Of code that is all there and an intact trace: no error, nothing lost, nothing unknown. */
void check_intact(const struct rvtrace_flow_item *item);

typedef void (*take_item)(struct world *w, const struct rvtrace_flow_item *item);

/* Feeds bytes in random pieces, half of them of 1 to 3 bytes if @tiny. */
void decode_pieces(struct world *w, struct rvtrace_flow *flow, const uint8_t *bytes, size_t size,
		   bool tiny, take_item take);
/* There are no more. */
void decode_end(struct world *w, struct rvtrace_flow *flow, take_item take);

#endif /* RVTRACE_RANDOM_PROGRAM_CHECK_H */
