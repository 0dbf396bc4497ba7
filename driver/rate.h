/* SPDX-License-Identifier: GPL-2.0 */
/* rate.c: how often a ring is sampled */
#ifndef RVTRACE_RATE_H
#define RVTRACE_RATE_H

#include <linux/types.h>

/**
 * struct rvtrace_rate - how often a ring has to be sampled
 * @given: bytes per second that the sink can never exceed; 0 when not known
 * @highest: the highest rate measured, in bytes per second
 * @recent: the rate of the last second or so, in bytes per second
 * @expected: bytes per second the period is made for
 * @pointer: position at the last call
 * @bytes: written since @recent was measured
 * @ns: time since then
 */
struct rvtrace_rate {
	u64 given;
	u64 highest;
	u64 recent;
	u64 expected;
	u64 pointer;
	u64 bytes;
	u64 ns;
};

void rvtrace_rate_begin(struct rvtrace_rate *rate, u64 pointer);
u64 rvtrace_rate_period(struct rvtrace_rate *rate, u64 size, u64 pointer, u64 ns);

#endif /* RVTRACE_RATE_H */
