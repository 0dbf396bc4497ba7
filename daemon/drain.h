/* SPDX-License-Identifier: GPL-2.0 */
/* Arithmetic of draining a ring: what to write, what is lost. */
#ifndef RVTRACED_DRAIN_H
#define RVTRACED_DRAIN_H

#include <stdint.h>

/*
 * More than the trace of one drain, when the harts that drain are traced: a
 * drain that begins with less would be the reason of the next.
 */
#define DRAIN_COST	(64 * 1024)

/**
 * drain_watermark - unread bytes at which to drain, where nobody says
 * @data_size: bytes in the ring
 *
 * Return: an eighth of the ring, but not less than DRAIN_COST or half of it.
 */
uint64_t drain_watermark(uint64_t data_size);

/**
 * struct drain_plan - the next step
 * @lost: positions from the one asked for that are gone
 * @start: first position to write
 * @length: bytes to write, 0: none
 * @offset: where @start is in the ring
 * @first: bytes from @offset to write first; @length - @first follow from
 *	the beginning of the ring
 */
struct drain_plan {
	uint64_t lost;
	uint64_t start;
	uint64_t length;
	uint64_t offset;
	uint64_t first;
};

/**
 * drain_plan - decide the next step
 * @position: first position not written yet
 * @head: position after the last byte the hardware wrote
 * @valid_from: first position that has not been overwritten
 * @data_size: bytes in the ring, not 0
 * @limit: most bytes to write in one step
 *
 * Positions before @valid_from, or more than @data_size before @head, are lost.
 */
struct drain_plan drain_plan(uint64_t position, uint64_t head, uint64_t valid_from,
			     uint64_t data_size, uint64_t limit);

/**
 * drain_overwritten - how much of what was written may have been overwritten
 * @plan: the step that was carried out
 * @valid_from: as sampled after that
 *
 * Return: bytes from @plan->start on, at most @plan->length.
 */
uint64_t drain_overwritten(const struct drain_plan *plan, uint64_t valid_from);

#endif /* RVTRACED_DRAIN_H */
