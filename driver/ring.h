/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arithmetic of a sink's ring: from a write pointer and one sticky wrap bit to
 * 64-bit positions that only grow, and what was lost on the way. Nothing here
 * touches hardware, locks or memory.
 */
#ifndef RVTRACE_RING_H
#define RVTRACE_RING_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include "../selftests/unit/kernel_shim.h"
#endif

/* The bytes compared to notice a missed lap: @LENGTH of them, @DISTANCE back. */
#define RVTRACE_RING_CHECK_DISTANCE	256
#define RVTRACE_RING_CHECK_LENGTH	32

/**
 * enum rvtrace_ring_check - what became of the bytes written before the last head
 * @RVTRACE_RING_SAME: they are still there
 * @RVTRACE_RING_CHANGED: they were overwritten
 */
enum rvtrace_ring_check {
	RVTRACE_RING_SAME,
	RVTRACE_RING_CHANGED,
};

/**
 * struct rvtrace_ring - positions of one session
 * @start: position of the session's first byte, a multiple of @size
 * @head: position after the last byte known to be written
 * @valid_from: first position not overwritten
 * @tail: first position not consumed
 * @counted: losses before this position are in @lost
 * @lost: bytes of the session overwritten before they were consumed
 * @pending_start: first position of the loss not yet recorded
 * @size: bytes in the ring
 * @width: bytes the hardware writes at once
 * @wrapped: the hardware's wrap bit was seen
 * @fill: the hardware stops at the first wrap
 * @running: the hardware may be writing
 * @pending: a loss from @pending_start to @counted is not yet recorded
 * @lower_bound: more whole laps may be missing in the pending loss
 */
struct rvtrace_ring {
	u64 start;
	u64 head;
	u64 valid_from;
	u64 tail;
	u64 counted;
	u64 lost;
	u64 pending_start;
	u32 size;
	u32 width;
	bool wrapped;
	bool fill;
	bool running;
	bool pending;
	bool lower_bound;
};

u64 rvtrace_ring_begin(struct rvtrace_ring *ring, u32 size, u32 width, bool fill);
bool rvtrace_ring_check_at(const struct rvtrace_ring *ring, u32 *offset);
int rvtrace_ring_sample(struct rvtrace_ring *ring, u32 offset, bool wrap,
			enum rvtrace_ring_check check);
int rvtrace_ring_consume(struct rvtrace_ring *ring, u64 position);
void rvtrace_ring_discard(struct rvtrace_ring *ring);
void rvtrace_ring_catch_up(struct rvtrace_ring *ring);
u64 rvtrace_ring_readable_from(const struct rvtrace_ring *ring);
u64 rvtrace_ring_unread(const struct rvtrace_ring *ring);
u32 rvtrace_ring_offset(const struct rvtrace_ring *ring, u64 position);

/**
 * struct rvtrace_rate - how often a ring has to be sampled
 * @peak: bytes per second the period is made for
 * @head: position at the last call
 */
struct rvtrace_rate {
	u64 peak;
	u64 head;
};

u64 rvtrace_rate_period(struct rvtrace_rate *rate, u32 size, u64 head, u64 ns);

#endif /* RVTRACE_RING_H */
