/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arithmetic of a sink's ring: from a write pointer and one sticky wrap bit to
 * 64-bit positions that only grow, and what was lost on the way. Nothing here
 * touches hardware or locks.
 */
#ifndef RVTRACE_RING_H
#define RVTRACE_RING_H

#include <linux/types.h>

/*
 * The bytes compared to notice a missed lap: @LENGTH of them, @DISTANCE back. More than
 * what trace may have at the same place in every lap: the synchronization sequence of
 * E-Trace's encapsulation is up to 42 bytes.
 */
#define RVTRACE_RING_CHECK_DISTANCE	256
#define RVTRACE_RING_CHECK_LENGTH	64

/* How far before the pointer bytes are looked for that have not landed. */
#define RVTRACE_RING_LAG_MAX		4096ULL

/**
 * struct rvtrace_ring - positions of one session
 * @start: position of the session's first byte, a multiple of @size
 * @pointer: position of the hardware's write pointer
 * @landed: position after the last byte known to have landed in memory
 * @head: position after the last byte that the CPU may read
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
 * @lag: most bytes before the pointer that were seen not to have landed; of the
 *	hardware, so it outlives the session
 * @lag_known: @lag was measured
 */
struct rvtrace_ring {
	u64 start;
	u64 pointer;
	u64 landed;
	u64 head;
	u64 valid_from;
	u64 tail;
	u64 counted;
	u64 lost;
	u64 pending_start;
	u64 size;
	u32 width;
	bool wrapped;
	bool fill;
	bool running;
	bool pending;
	bool lower_bound;
	u32 lag;
	bool lag_known;
};

/**
 * struct rvtrace_ring_reading - what one look at the hardware said
 * @offset: write pointer, as an offset from the ring's first byte
 * @wrap: its sticky wrap bit
 * @same: the bytes that the last sample kept are still there; false where it kept
 *	none
 * @looked: bytes before the pointer that rvtrace_ring_look_at() named
 * @unlanded: how many of them have not landed
 * @drained: everything before the pointer has landed
 */
struct rvtrace_ring_reading {
	u64 offset;
	bool wrap;
	bool same;
	u32 looked;
	u32 unlanded;
	bool drained;
};

/**
 * struct rvtrace_lap - memory of the hardware's own, from which the ring is filled
 * @size: bytes of it
 * @origin: position that its first byte had in the first lap
 * @unsure: whole laps may have gone unnoticed since the last byte was copied
 * @known: how many bytes of @check there are
 * @check: the last ones that were copied
 *
 * The hardware's pointer is a position in the ring like any other; the head is
 * how far the bytes were copied.
 */
struct rvtrace_lap {
	u32 size;
	u64 origin;
	bool unsure;
	u32 known;
	u8 check[RVTRACE_RING_CHECK_LENGTH];
};

u64 rvtrace_ring_begin(struct rvtrace_ring *ring, u64 size, u32 width, bool fill);
bool rvtrace_ring_check_at(const struct rvtrace_ring *ring, u64 *offset);
u32 rvtrace_ring_look_at(const struct rvtrace_ring *ring, u64 offset, bool wrap, u64 *end);
u32 rvtrace_ring_unlanded(const void *end, u32 looked, u32 width);
int rvtrace_ring_sample(struct rvtrace_ring *ring, const struct rvtrace_ring_reading *reading);
u64 rvtrace_ring_next(const struct rvtrace_ring *ring, u64 most, u64 *offset);
void rvtrace_ring_take(struct rvtrace_ring *ring, u64 count);
u64 rvtrace_ring_end(struct rvtrace_ring *ring);
bool rvtrace_ring_full(const struct rvtrace_ring *ring);
bool rvtrace_ring_consumable(const struct rvtrace_ring *ring, u64 position);
int rvtrace_ring_consume(struct rvtrace_ring *ring, u64 position);
void rvtrace_ring_undelivered(struct rvtrace_ring *ring, u64 count);
void rvtrace_ring_discard(struct rvtrace_ring *ring);
void rvtrace_ring_catch_up(struct rvtrace_ring *ring);
u64 rvtrace_ring_readable_from(const struct rvtrace_ring *ring);
u64 rvtrace_ring_unread(const struct rvtrace_ring *ring);
u64 rvtrace_ring_due(const struct rvtrace_ring *ring);
u64 rvtrace_ring_offset(const struct rvtrace_ring *ring, u64 position);

void rvtrace_lap_begin(struct rvtrace_ring *ring, struct rvtrace_lap *lap, u32 size);
void rvtrace_lap_rewind(struct rvtrace_ring *ring, struct rvtrace_lap *lap);
u32 rvtrace_lap_offset(const struct rvtrace_lap *lap, u64 position);
int rvtrace_lap_follow(struct rvtrace_ring *ring, struct rvtrace_lap *lap, u64 offset, bool wrap,
		       bool timely);
u32 rvtrace_lap_next(const struct rvtrace_ring *ring, const struct rvtrace_lap *lap, u64 most,
		     u64 *from);
bool rvtrace_lap_verify(struct rvtrace_ring *ring, struct rvtrace_lap *lap, u64 from, bool same);
void rvtrace_lap_make_room(struct rvtrace_ring *ring, struct rvtrace_lap *lap, u64 from,
			   u32 count);
void rvtrace_lap_copied(struct rvtrace_ring *ring, struct rvtrace_lap *lap, const void *bytes,
			u32 count);

#endif /* RVTRACE_RING_H */
