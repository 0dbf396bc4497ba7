// SPDX-License-Identifier: GPL-2.0
/*
 * Positions of a ring (TCI 0.9.4 chapter 6).
 *
 * The hardware gives the address it will write next and a bit that says that
 * it wrapped at least once since its pointers were set. How often it wrapped
 * between two samples has to be inferred. The pointer alone says how many bytes
 * were written modulo the ring's size; whether a whole lap went unnoticed shows
 * in the memory: the bytes written shortly before the last sample are still
 * there or they are not.
 */
#include "ring.h"

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#endif

/* Rates the period is made for at the start, and at least. */
#define RATE_INITIAL	(64ULL << 20)
#define RATE_FLOOR	(16ULL << 20)

/**
 * rvtrace_ring_offset() - where a position lies in the ring
 * @ring: the ring
 * @position: any position
 *
 * Return: byte offset from the ring's first byte
 */
u32 rvtrace_ring_offset(const struct rvtrace_ring *ring, u64 position)
{
	u64 remainder;

	div64_u64_rem(position, ring->size, &remainder);
	return remainder;
}

/**
 * rvtrace_ring_begin() - start a session in the ring
 * @ring: the ring; its positions go on from the session before
 * @size: bytes in the ring
 * @width: bytes the hardware writes at once
 * @fill: the hardware stops at the first wrap
 *
 * Return: bytes of the session before that were never consumed nor counted as
 * lost; they are discarded
 */
u64 rvtrace_ring_begin(struct rvtrace_ring *ring, u32 size, u32 width, bool fill)
{
	u64 discarded = rvtrace_ring_unread(ring);

	*ring = (struct rvtrace_ring){
		.start = div64_u64(ring->head + size - 1, size) * size,
		.size = size,
		.width = width,
		.fill = fill,
		.running = true,
	};
	ring->head = ring->start;
	ring->valid_from = ring->start;
	ring->tail = ring->start;
	ring->counted = ring->start;
	return discarded;
}

/**
 * rvtrace_ring_check_at() - which bytes tell whether a lap was missed
 * @ring: the ring
 * @offset: out: offset of RVTRACE_RING_CHECK_LENGTH bytes, contiguous
 *
 * They lie behind the head far enough that the hardware's writes have reached
 * memory. Compare them with what they were at the last sample.
 *
 * Return: false when the session has not written enough bytes yet
 */
bool rvtrace_ring_check_at(const struct rvtrace_ring *ring, u32 *offset)
{
	if (ring->head - ring->start < RVTRACE_RING_CHECK_DISTANCE)
		return false;
	*offset = rvtrace_ring_offset(ring, ring->head - RVTRACE_RING_CHECK_DISTANCE);
	*offset -= *offset % RVTRACE_RING_CHECK_LENGTH;
	return true;
}

/* Everything before @position that was not consumed is lost. */
static void count_loss(struct rvtrace_ring *ring, u64 position, bool lower_bound)
{
	u64 seen = rvtrace_ring_readable_from(ring);

	if (position > seen) {
		ring->lost += position - seen;
		ring->counted = position;
		if (!ring->pending)
			ring->pending_start = seen;
		ring->pending = true;
	}
	if (ring->pending && lower_bound)
		ring->lower_bound = true;
}

/**
 * rvtrace_ring_sample() - account for what the hardware wrote
 * @ring: the ring
 * @offset: write pointer, as an offset from the ring's first byte
 * @wrap: the hardware's sticky wrap bit
 * @check: whether the bytes of rvtrace_ring_check_at() were overwritten;
 *	ignored where it returned false
 *
 * Where the check cannot tell, because so much was written that the bytes it
 * compares may have gone in this very lap, one more lap is assumed: a loss is
 * never reported as zero (and is flagged "at least").
 *
 * Return: 0; -ERANGE when the pointer lies outside the ring or went back
 */
int rvtrace_ring_sample(struct rvtrace_ring *ring, u32 offset, bool wrap,
			enum rvtrace_ring_check check)
{
	u32 previous = rvtrace_ring_offset(ring, ring->head);
	u64 head, guard, unused;
	bool missed = false;
	u32 at;

	if (offset >= ring->size)
		return -ERANGE;
	if (!wrap) {
		if (ring->wrapped || ring->start + offset < ring->head)
			return -ERANGE;
		head = ring->start + offset;
	} else if (!ring->wrapped) {
		head = ring->start + ring->size + offset;
	} else {
		head = ring->head + (offset >= previous ? offset - previous :
				     ring->size - previous + offset);
	}

	if (wrap && !ring->fill) {
		if (!rvtrace_ring_check_at(ring, &at) ||
		    head - ring->head > ring->size - 2 * RVTRACE_RING_CHECK_DISTANCE)
			missed = true;
		else
			missed = check == RVTRACE_RING_CHANGED;
		if (missed)
			head += ring->size;
	}

	ring->head = head;
	ring->wrapped = wrap;

	/* While it runs, the hardware may be replacing one more word. */
	guard = ring->running && !ring->fill ? ring->width : 0;
	unused = ring->start + ring->size;
	if (head + guard > unused)
		ring->valid_from = max(ring->valid_from, head + guard - ring->size);
	count_loss(ring, ring->valid_from, missed);
	return 0;
}

/**
 * rvtrace_ring_consume() - the reader needs nothing before a position any more
 * @ring: the ring
 * @position: from the tail to the head
 *
 * Return: 0; -EINVAL for a position out of that range
 */
int rvtrace_ring_consume(struct rvtrace_ring *ring, u64 position)
{
	if (position < ring->tail || position > ring->head)
		return -EINVAL;
	ring->tail = position;
	return 0;
}

/**
 * rvtrace_ring_catch_up() - give up bytes that are about to be overwritten
 * @ring: a ring whose reader was overtaken
 *
 * A reader that goes on with the oldest byte is overtaken again at once.
 */
void rvtrace_ring_catch_up(struct rvtrace_ring *ring)
{
	count_loss(ring, min(ring->head, ring->valid_from + ring->size / 4), false);
}

/**
 * rvtrace_ring_discard() - the bytes that were not consumed are gone
 * @ring: a ring the hardware does not write to
 */
void rvtrace_ring_discard(struct rvtrace_ring *ring)
{
	ring->valid_from = ring->head;
	count_loss(ring, ring->head, false);
}

/**
 * rvtrace_ring_readable_from() - first position a reader may still read
 * @ring: the ring
 *
 * Return: the position; equal to the head when there is nothing to read
 */
u64 rvtrace_ring_readable_from(const struct rvtrace_ring *ring)
{
	return max(ring->tail, ring->counted);
}

/**
 * rvtrace_ring_unread() - bytes neither consumed nor lost
 * @ring: the ring
 *
 * Return: bytes
 */
u64 rvtrace_ring_unread(const struct rvtrace_ring *ring)
{
	u64 from = rvtrace_ring_readable_from(ring);

	return ring->head > from ? ring->head - from : 0;
}

/**
 * rvtrace_rate_period() - when to sample next
 * @rate: rate so far; all zero before the first call
 * @size: bytes in the ring
 * @head: position after the last byte written
 * @ns: nanoseconds since the last call
 *
 * The period is a quarter of the time that fills the ring at twice the highest
 * rate seen lately, so that the reader wakes early enough as well. It starts
 * from a high rate; what is lower relaxes slowly.
 *
 * Return: nanoseconds
 */
u64 rvtrace_rate_period(struct rvtrace_rate *rate, u32 size, u64 head, u64 ns)
{
	u64 bytes = min(head - rate->head, (u64)size);
	u64 now = ns ? div64_u64(bytes * NSEC_PER_SEC, ns) : 0;

	rate->head = head;
	if (!rate->peak)
		rate->peak = RATE_INITIAL;
	rate->peak -= (rate->peak - RATE_FLOOR) / 64;
	rate->peak = max(rate->peak, 2 * now);
	return div64_u64((u64)size * (NSEC_PER_SEC / 4), rate->peak);
}
