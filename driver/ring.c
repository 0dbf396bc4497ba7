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
 *
 * The pointer may be ahead of memory: writes are posted. In the first lap that
 * shows, for the memory was cleared: words before the pointer that are zero have
 * not landed. How far the pointer was ahead at most is remembered, and twice as
 * much is held back in later laps, where old trace looks like new; until that
 * was measured, as much as was ever looked at.
 *
 * Where the hardware has memory of its own, the ring is filled from that by the
 * CPU. Laps are those of that memory then, what was copied last tells whether one
 * was missed, and a loss is never assumed beyond the one that shows.
 */
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "ring.h"

static u64 ring_modulo(u64 dividend, u64 divisor)
{
	u64 rest;

	div64_u64_rem(dividend, divisor, &rest);
	return rest;
}

/**
 * rvtrace_ring_offset() - where a position lies in the ring
 * @ring: the ring
 * @position: any position
 *
 * Return: byte offset from the ring's first byte
 */
u64 rvtrace_ring_offset(const struct rvtrace_ring *ring, u64 position)
{
	return ring_modulo(position, ring->size);
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
u64 rvtrace_ring_begin(struct rvtrace_ring *ring, u64 size, u32 width, bool fill)
{
	u64 discarded = rvtrace_ring_unread(ring);

	*ring = (struct rvtrace_ring){
		.start = div64_u64(ring->pointer + size - 1, size) * size,
		.size = size,
		.width = width,
		.fill = fill,
		.running = true,
		.lag = ring->lag,
		.lag_known = ring->lag_known,
	};
	ring->pointer = ring->start;
	ring->landed = ring->start;
	ring->head = ring->start;
	ring->valid_from = ring->start;
	ring->tail = ring->start;
	ring->counted = ring->start;
	return discarded;
}

/* Bytes before the pointer that may not have landed, where memory does not tell. */
static u32 ring_held_back(const struct rvtrace_ring *ring)
{
	u64 lag = ring->lag_known ? 2ULL * ring->lag : RVTRACE_RING_LAG_MAX;

	return min(lag, ring->size / 2);
}

/**
 * rvtrace_ring_check_at() - which bytes tell whether a lap was missed
 * @ring: the ring
 * @offset: out: offset of RVTRACE_RING_CHECK_LENGTH bytes, contiguous
 *
 * They lie behind the pointer far enough that the hardware's writes have reached
 * memory. Keep them, and compare them at the next sample.
 *
 * Return: false when the session has not written enough bytes yet
 */
bool rvtrace_ring_check_at(const struct rvtrace_ring *ring, u64 *offset)
{
	u32 distance = ring_held_back(ring) + RVTRACE_RING_CHECK_DISTANCE;

	if (ring->pointer - ring->start < distance)
		return false;
	*offset = rvtrace_ring_offset(ring, ring->pointer - distance);
	*offset -= *offset % RVTRACE_RING_CHECK_LENGTH;
	return true;
}

/* Everything before @position that was not consumed is lost. */
static void ring_count_loss(struct rvtrace_ring *ring, u64 position, bool lower_bound)
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
 * rvtrace_ring_look_at() - which bytes tell what has not landed
 * @ring: the ring
 * @offset: write pointer, as an offset from the ring's first byte
 * @wrap: the hardware's sticky wrap bit
 * @end: out: offset of the first byte after them
 *
 * Return: how many; 0 where memory held something before this lap
 */
u32 rvtrace_ring_look_at(const struct rvtrace_ring *ring, u64 offset, bool wrap, u64 *end)
{
	if (offset >= ring->size || (wrap && !ring->fill))
		return 0;
	*end = wrap ? ring->size : offset;
	return min(*end, RVTRACE_RING_LAG_MAX);
}

static bool ring_is_zero(const u32 *word, u32 width)
{
	u32 i;

	for (i = 0; i < width / sizeof(*word); i++)
		if (word[i])
			return false;
	return true;
}

/**
 * rvtrace_ring_unlanded() - count the bytes of the zero words before a pointer
 * @end: the pointer, into memory that was cleared
 * @looked: bytes to look at before it
 * @width: bytes of a word; divides @looked
 *
 * Return: bytes; what landed and is zero by chance is among them
 */
u32 rvtrace_ring_unlanded(const void *end, u32 looked, u32 width)
{
	u32 n = 0;

	while (n + width <= looked && ring_is_zero(end - n - width, width))
		n += width;
	return n;
}

/*
 * The pointer's new position, not counting laps of @size bytes that nothing tells of;
 * the first began at @origin.
 */
static int ring_follow_pointer(struct rvtrace_ring *ring, u64 origin, u64 size, u64 offset,
			       bool wrap, u64 *pointer)
{
	u64 previous = ring_modulo(ring->pointer - origin, size);

	if (offset >= size)
		return -ERANGE;
	if (!wrap && (ring->wrapped || origin + offset < ring->pointer))
		return -ERANGE;
	if (!wrap)
		*pointer = origin + offset;
	else if (!ring->wrapped)
		*pointer = origin + size + offset;
	else
		*pointer = ring->pointer + (offset >= previous ? offset - previous :
					    size - previous + offset);
	return 0;
}

/*
 * Where the check cannot tell, because so much was written that the bytes it
 * compares may have gone in this very lap, one more lap is assumed.
 */
static bool ring_missed_lap(const struct rvtrace_ring *ring, u64 pointer, bool same)
{
	u64 tells = ring->size - 2 * RVTRACE_RING_CHECK_DISTANCE - ring_held_back(ring);

	return !same || pointer - ring->pointer > tells;
}

/* Bytes before the pointer that must not be handed out yet. */
static u32 ring_learn_lag(struct rvtrace_ring *ring, const struct rvtrace_ring_reading *reading)
{
	if (reading->drained)
		return 0;
	if (reading->wrap && !ring->fill)
		return ring_held_back(ring);
	ring->lag = max(ring->lag, reading->unlanded);
	if (reading->unlanded < reading->looked)
		ring->lag_known = true;
	return reading->unlanded;
}

/**
 * rvtrace_ring_sample() - account for what the hardware wrote
 * @ring: the ring
 * @reading: what the hardware and the memory said; the pointer was read first
 *
 * A loss is never reported as zero: where it cannot be told whether a lap was
 * missed, one is assumed, and the loss is flagged "at least".
 *
 * Return: 0; -ERANGE when the pointer lies outside the ring or went back
 */
int rvtrace_ring_sample(struct rvtrace_ring *ring, const struct rvtrace_ring_reading *reading)
{
	bool missed = false;
	u64 pointer, guard;
	int ret;

	ret = ring_follow_pointer(ring, ring->start, ring->size, reading->offset, reading->wrap,
				  &pointer);
	if (ret)
		return ret;
	if (reading->wrap && !ring->fill)
		missed = ring_missed_lap(ring, pointer, reading->same);
	if (missed)
		pointer += ring->size;

	ring->pointer = pointer;
	ring->wrapped = reading->wrap;
	ring->landed = max(ring->landed, pointer - ring_learn_lag(ring, reading));

	/* While it runs, the hardware may be replacing one more word. */
	guard = ring->running && !ring->fill ? ring->width : 0;
	if (pointer + guard > ring->start + ring->size)
		ring->valid_from = max(ring->valid_from, pointer + guard - ring->size);
	/* Bytes that are gone are never made readable. */
	ring->head = max(ring->head, min(ring->valid_from, ring->landed));
	ring_count_loss(ring, ring->valid_from, missed);
	return 0;
}

/**
 * rvtrace_ring_next() - which bytes that landed the CPU may not read yet
 * @ring: the ring
 * @most: how many at a time
 * @offset: out: where the first one lies in the ring
 *
 * Return: how many, in one piece in the ring; 0 when all that landed can be read
 */
u64 rvtrace_ring_next(const struct rvtrace_ring *ring, u64 most, u64 *offset)
{
	u64 count = ring->landed - ring->head;

	if (!count)
		return 0;
	*offset = rvtrace_ring_offset(ring, ring->head);
	return min(count, min(ring->size - *offset, most));
}

/**
 * rvtrace_ring_take() - the CPU may read what rvtrace_ring_next() named
 * @ring: the ring
 * @count: how many bytes
 */
void rvtrace_ring_take(struct rvtrace_ring *ring, u64 count)
{
	ring->head += count;
}

/**
 * rvtrace_ring_end() - nothing lands any more
 * @ring: a ring that was sampled after its hardware was stopped
 *
 * Return: bytes after the head, which the hardware did not say have landed, or for
 * which there was no room; they count as lost
 */
u64 rvtrace_ring_end(struct rvtrace_ring *ring)
{
	u64 missing = ring->pointer - ring->head;

	ring->landed = ring->head;
	ring->lost += missing;
	return missing;
}

/**
 * rvtrace_ring_full() - whether a session in fill mode is over
 * @ring: a ring that was sampled
 */
bool rvtrace_ring_full(const struct rvtrace_ring *ring)
{
	return ring->fill && (ring->wrapped || ring->pointer - ring->start >= ring->size);
}

/**
 * rvtrace_ring_consumable() - whether a reader may say that it needs nothing before a position
 * @ring: the ring
 * @position: any position
 *
 * Return: whether it is from the tail to the head
 */
bool rvtrace_ring_consumable(const struct rvtrace_ring *ring, u64 position)
{
	return position >= ring->tail && position <= ring->head;
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
	if (!rvtrace_ring_consumable(ring, position))
		return -EINVAL;
	ring->tail = position;
	return 0;
}

/**
 * rvtrace_ring_undelivered() - what was consumed last did not reach the reader
 * @ring: the ring
 * @count: how many bytes
 */
void rvtrace_ring_undelivered(struct rvtrace_ring *ring, u64 count)
{
	u64 from = ring->tail - count;

	ring->lost += count;
	ring->counted = max(ring->counted, ring->tail);
	ring->pending_start = ring->pending ? min(ring->pending_start, from) : from;
	ring->pending = true;
}

/**
 * rvtrace_ring_catch_up() - give up bytes that are about to be overwritten
 * @ring: a ring whose reader was overtaken
 *
 * A reader that goes on with the oldest byte is overtaken again at once.
 */
void rvtrace_ring_catch_up(struct rvtrace_ring *ring)
{
	ring_count_loss(ring, min(ring->head, ring->valid_from + ring->size / 4), false);
}

/**
 * rvtrace_ring_discard() - the bytes that were not consumed are gone
 * @ring: a ring the hardware does not write to
 */
void rvtrace_ring_discard(struct rvtrace_ring *ring)
{
	ring->landed = ring->head;
	ring->valid_from = ring->head;
	ring_count_loss(ring, ring->head, false);
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
 * rvtrace_ring_due() - bytes that a reader who comes finds
 * @ring: the ring
 *
 * Return: bytes that landed and are neither consumed nor lost; those that cannot be read yet can
 * be when they are asked for
 */
u64 rvtrace_ring_due(const struct rvtrace_ring *ring)
{
	u64 from = rvtrace_ring_readable_from(ring);

	return ring->landed > from ? ring->landed - from : 0;
}

/**
 * rvtrace_lap_begin() - start a session whose bytes are copied
 * @ring: the ring, begun
 * @lap: the hardware's memory
 * @size: bytes of it
 */
void rvtrace_lap_begin(struct rvtrace_ring *ring, struct rvtrace_lap *lap, u32 size)
{
	*lap = (struct rvtrace_lap){ .size = size, .origin = ring->start };
}

/**
 * rvtrace_lap_rewind() - the hardware begins at the first byte of its memory again
 * @ring: the ring
 * @lap: the hardware's memory, of which all was copied that can be
 */
void rvtrace_lap_rewind(struct rvtrace_ring *ring, struct rvtrace_lap *lap)
{
	*lap = (struct rvtrace_lap){
		.size = lap->size,
		.origin = ring->pointer,
		.unsure = lap->unsure && ring->head < ring->pointer,
	};
	ring->wrapped = false;
}

/**
 * rvtrace_lap_offset() - where a position lies in the hardware's memory
 * @lap: the hardware's memory
 * @position: a position of the session
 *
 * Return: byte offset from its first byte
 */
u32 rvtrace_lap_offset(const struct rvtrace_lap *lap, u64 position)
{
	return ring_modulo(position - lap->origin, lap->size);
}

/**
 * rvtrace_lap_follow() - account for what the hardware wrote to memory of its own
 * @ring: the ring
 * @lap: the hardware's memory
 * @offset: write pointer, as an offset from its first byte
 * @wrap: its sticky wrap bit
 * @timely: since the last call there was no time for a whole lap
 *
 * Return: 0; -ERANGE when the pointer lies outside the memory or went back
 */
int rvtrace_lap_follow(struct rvtrace_ring *ring, struct rvtrace_lap *lap, u64 offset, bool wrap,
		       bool timely)
{
	int ret = ring_follow_pointer(ring, lap->origin, lap->size, offset, wrap, &ring->pointer);

	if (ret)
		return ret;
	ring->wrapped = wrap;
	if (wrap && !ring->fill && !timely)
		lap->unsure = true;
	return 0;
}

/* First position that is still in the hardware's memory. */
static u64 ring_lap_oldest(const struct rvtrace_ring *ring, const struct rvtrace_lap *lap)
{
	/* While it runs, the hardware may be replacing one more word. */
	u64 end = ring->pointer + (ring->running && !ring->fill ? ring->width : 0);

	return end > lap->origin + lap->size ? end - lap->size : lap->origin;
}

/**
 * rvtrace_lap_next() - which bytes to copy next
 * @ring: the ring
 * @lap: the hardware's memory
 * @most: how many at a time
 * @from: out: position of the first one; those from the head to it are gone
 *
 * In fill mode, none for which the ring has no room: the hardware does not know of
 * bytes from before it began anew.
 *
 * Return: how many, in one piece in the hardware's memory; 0 when all were copied, if
 * no lap was missed
 */
u32 rvtrace_lap_next(const struct rvtrace_ring *ring, const struct rvtrace_lap *lap, u64 most,
		     u64 *from)
{
	u64 end = ring->fill ? min(ring->pointer, ring->start + ring->size) : ring->pointer;
	u64 count;

	*from = max(ring->head, ring_lap_oldest(ring, lap));
	if (*from >= end)
		return 0;
	count = min(end - *from, (u64)(lap->size - rvtrace_lap_offset(lap, *from)));
	return min(count, most);
}

/**
 * rvtrace_lap_verify() - whether bytes are what they were taken for
 * @ring: a ring that followed the pointer after they were read
 * @lap: the hardware's memory
 * @from: position of the first one
 * @same: read after them, the last ones copied before are still there
 *
 * A loss is never reported as zero: where none shows, but it cannot be told
 * whether a lap was missed, one is assumed.
 *
 * Return: false when rvtrace_lap_next() is to be asked again
 */
bool rvtrace_lap_verify(struct rvtrace_ring *ring, struct rvtrace_lap *lap, u64 from, bool same)
{
	bool tells = lap->known && ring_lap_oldest(ring, lap) + lap->known <= ring->head;

	if (!ring->wrapped || ring->fill)
		return true;
	if (tells && same) {
		lap->unsure = false;
	} else if (tells || (lap->unsure && from == ring->head)) {
		ring->pointer += lap->size;
		lap->unsure = true;
		return false;
	}
	return ring_lap_oldest(ring, lap) <= from;
}

/**
 * rvtrace_lap_make_room() - the ring's oldest bytes are about to be replaced
 * @ring: the ring
 * @lap: the hardware's memory
 * @from: position of the first byte that comes
 * @count: how many
 *
 * Readers see one piece: with bytes that were gone before they could be copied,
 * those before them go that were not consumed.
 */
void rvtrace_lap_make_room(struct rvtrace_ring *ring, struct rvtrace_lap *lap, u64 from,
			   u32 count)
{
	if (from > ring->head) {
		ring->head = from;
		ring->landed = from;
		ring->valid_from = from;
		lap->known = 0;
		ring_count_loss(ring, from, lap->unsure);
	}
	if (from + count > ring->start + ring->size)
		ring->valid_from = max(ring->valid_from, from + count - ring->size);
	ring_count_loss(ring, ring->valid_from, false);
}

/**
 * rvtrace_lap_copied() - bytes were copied to the head of the ring
 * @ring: the ring
 * @lap: the hardware's memory
 * @bytes: the bytes
 * @count: how many
 */
void rvtrace_lap_copied(struct rvtrace_ring *ring, struct rvtrace_lap *lap, const void *bytes,
			u32 count)
{
	const u32 room = sizeof(lap->check);
	u32 last = min(count, room);
	u32 keep = min(lap->known, room - last);

	memmove(lap->check, lap->check + lap->known - keep, keep);
	memcpy(lap->check + keep, bytes + count - last, last);
	lap->known = keep + last;
	lap->unsure = false;
	ring->head += count;
	ring->landed = ring->head;
}
