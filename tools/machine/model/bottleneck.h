/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a sink can take while harts execute: so much for each half-word that
 * they retire, and a queue for what comes faster. Independent of time, so that
 * overflows repeat.
 */
#ifndef RVTRACE_MODEL_BOTTLENECK_H
#define RVTRACE_MODEL_BOTTLENECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct bottleneck - state
 * @backlog: bytes that wait, as 16.16 fixed point
 */
struct bottleneck {
	uint64_t backlog;
};

/**
 * bottleneck_admit() - let @size bytes in
 * @rate: bytes per half-word, as 16.16 fixed point; 0: no limit
 * @queue: bytes that may wait
 * @wait: the sender waits, so the queue does not limit
 *
 * Return: false when there is no room.
 */
static inline bool bottleneck_admit(struct bottleneck *b, uint64_t rate,
				    uint32_t queue, size_t size, bool wait)
{
	uint64_t limit = (uint64_t)queue << 16;
	uint64_t backlog = b->backlog + ((uint64_t)size << 16);

	if (!rate)
		return true;
	if (backlog > limit && !wait)
		return false;
	b->backlog = backlog < limit ? backlog : limit;
	return true;
}

/* Whether bottleneck_admit() would. */
static inline bool bottleneck_has_room(const struct bottleneck *b,
				       uint64_t rate, uint32_t queue,
				       size_t size)
{
	return !rate || b->backlog + ((uint64_t)size << 16) <=
			(uint64_t)queue << 16;
}

/* The harts retired @halfwords. */
static inline void bottleneck_advance(struct bottleneck *b, uint64_t rate,
				      uint32_t halfwords)
{
	uint64_t done = rate * halfwords;

	b->backlog -= done < b->backlog ? done : b->backlog;
}

#endif /* RVTRACE_MODEL_BOTTLENECK_H */
