/* SPDX-License-Identifier: GPL-2.0 */
/* What a process of the storm computes, and its exit status. */
#ifndef RVTRACE_STORM_WORK_H
#define RVTRACE_STORM_WORK_H

#include <stdint.h>

/** work() - a number from 0 to 99 that depends on @seed alone, after some branches */
static inline int work(uint32_t seed)
{
	uint32_t x = seed * 2654435761u + 1;
	int i, odd = 0;

	for (i = 0; i < 200; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		if (x & 1)
			odd++;
	}
	return (x + odd) % 100;
}

#endif /* RVTRACE_STORM_WORK_H */
