// SPDX-License-Identifier: GPL-2.0
/*
 * How long parts of a program take, from its trace: sorts ever more numbers, and marks begin and
 * end of each. Prints what it measured itself, numbers and ns, around the marks.
 *
 *	tracectl record -o timing.rvtrace -- example-timing
 *	tracectl events --dictionary events.json timing.rvtrace
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <rvtrace/stm.h>

#define EVENT_SORT	0x100

#define MAX		4096

static int compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

int main(void)
{
	static uint32_t numbers[MAX];
	uint32_t random = 1;

	for (unsigned int count = 16; count <= MAX; count *= 2) {
		uint64_t begin;

		for (unsigned int i = 0; i < count; i++) {
			random = random * 1664525 + 1013904223;
			numbers[i] = random;
		}
		begin = now();
		RVTRACE_STM_BEGIN(EVENT_SORT, count);
		qsort(numbers, count, sizeof(*numbers), compare);
		RVTRACE_STM_END(EVENT_SORT, count);
		printf("%u %" PRIu64 "\n", count, now() - begin);
	}
	return 0;
}
