// SPDX-License-Identifier: GPL-2.0
/* How often a ring is sampled: from how fast it fills. */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "rate.h"

/* Rates the period is made for at the start, and at least. */
#define RATE_INITIAL	(64ULL << 20)
#define RATE_FLOOR	(16ULL << 20)

/**
 * rvtrace_rate_begin() - a session begins
 * @rate: rate so far; all zero but for what was given before the first call
 * @pointer: position of the write pointer
 */
void rvtrace_rate_begin(struct rvtrace_rate *rate, u64 pointer)
{
	*rate = (struct rvtrace_rate){
		.given = rate->given,
		.highest = rate->highest,
		.expected = RATE_INITIAL,
		.pointer = pointer,
	};
}

static u64 rate_per_second(u64 bytes, u64 ns)
{
	return ns ? mul_u64_u64_div_u64(bytes, NSEC_PER_SEC, ns) : 0;
}

/**
 * rvtrace_rate_period() - when to sample next
 * @rate: rate so far
 * @size: bytes in the ring
 * @pointer: position of the write pointer
 * @ns: nanoseconds since the last call
 *
 * A quarter of the time that fills the ring at the rate that is given. Where none
 * is, at twice the highest rate seen lately, so that the reader wakes early
 * enough as well; it starts high, and what is lower relaxes slowly.
 *
 * Return: nanoseconds
 */
u64 rvtrace_rate_period(struct rvtrace_rate *rate, u64 size, u64 pointer, u64 ns)
{
	u64 bytes = min(pointer - rate->pointer, size);
	u64 now = rate_per_second(bytes, ns);

	rate->pointer = pointer;
	rate->highest = max(rate->highest, now);
	rate->bytes += bytes;
	rate->ns += ns;
	if (rate->ns >= NSEC_PER_SEC) {
		rate->recent = rate_per_second(rate->bytes, rate->ns);
		rate->bytes = 0;
		rate->ns = 0;
	}
	rate->expected -= (rate->expected - RATE_FLOOR) / 64;
	rate->expected = max(rate->expected, 2 * now);
	return mul_u64_u64_div_u64(size, NSEC_PER_SEC / 4, rate->given ?: rate->expected);
}
