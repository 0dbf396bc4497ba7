/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What reading one input may take, whatever is in it: docs/formats.md promises 64 MiB and 64 bytes
 * for each byte, 1 s and 2 us for each byte, and 1 us for each instruction that it proves.
 *
 * Memory is what malloc() gave and has not back. Time is that of the processor. CPU_FACTOR, and
 * RVTRACE_PATIENCE in the environment, allow for slow machines and sanitizers.
 */
#ifndef BUDGET_H
#define BUDGET_H

#include <stddef.h>

/**
 * struct cost - what inputs took, as a share of what they may
 * @memory: the most
 * @time: the most
 */
struct cost {
	double memory;
	double time;
};

/* Seconds after which an input that proves nothing hangs. */
unsigned int budget_seconds(size_t size);

void budget_begin(size_t size);

/* Aborts if the input took too much. @most: grows to what it took. */
void budget_end(struct cost *most);

#endif /* BUDGET_H */
