/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A library of the storm. All have the same size and the same function at the
 * same place, with other code each: one decoded with another's is a mismatch.
 */
#include <stdint.h>
#include <stdlib.h>

uint32_t storm_library(uint32_t seed);

static int descending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x > y ? -1 : x < y;
}

__attribute__((aligned(4096))) uint32_t storm_library(uint32_t seed)
{
	uint32_t values[16], x = seed + LIBRARY;
	static volatile uint32_t sum;
	int i;

	for (i = 0; i < 16; i++) {
		x = x * 1664525 + 1013904223;
#if LIBRARY == 1
		values[i] = x;
#elif LIBRARY == 2
		values[i] = x & 1 ? x >> 3 : x << 1;
#elif LIBRARY == 3
		values[i] = x;
		while (values[i] > 1000)
			values[i] /= 3;
#else
		values[i] = x & 4 ? x & 8 ? 7 : x : ~x;
#endif
	}
	qsort(values, 16, sizeof(values[0]), descending);
	for (i = 0; i < 16; i++)
		sum = sum * 31 + values[i];
	return seed + LIBRARY;
}
