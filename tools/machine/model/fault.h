/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be wrong with a component, for tests of the software that drives
 * it. Can be changed while it runs.
 */
#ifndef RVTRACE_MODEL_FAULT_H
#define RVTRACE_MODEL_FAULT_H

#include <stdbool.h>
#include <stdint.h>

/* Members of fault.stuck */
enum fault_stuck {
	FAULT_ACTIVE = 1,	/* Active: never rises */
	FAULT_INACTIVE = 2,	/* Active: never falls */
	FAULT_EMPTY = 4,	/* Empty: never rises */
	FAULT_GONE = 8,		/* registers read ones and ignore writes */
};

/* What happens from outside, to an encoder mostly; bits 0 to 7: that external trigger */
enum fault_event {
	FAULT_TRIGGERS = 0x000000ff,
	FAULT_DEBUG_ACTION = 0x00000f00,	/* of a trigger of the hart */
	FAULT_DATA_STALL = 0x00010000,
	FAULT_DATA_DROP = 0x00020000,
	FAULT_POWER_LOSS = 0x00040000,	/* of any component: off and on again */
	FAULT_STAND_STILL = 0x00080000,	/* the hart, until its encoder does not stall it */
};

/**
 * struct fault - what is wrong, from when on
 * @after: register accesses that are still as they should be
 * @stuck: set of enum fault_stuck
 * @impl: bits of teImpl or tfImpl that read inverted
 * @clear: bits of teControl or tfControl that clear themselves, once, as soon
 *	as one of them is set
 * @at: offset of a register that does not take what is written
 * @ignores: its bits that stay as they are
 */
struct fault {
	uint32_t after;
	uint32_t stuck;
	uint32_t impl;
	uint32_t clear;
	uint32_t at;
	uint32_t ignores;
};

static inline bool fault_is(const struct fault *fault, enum fault_stuck stuck)
{
	return !fault->after && fault->stuck & stuck;
}

/* Whether a change of Active to @active is not acknowledged. */
static inline bool fault_holds(const struct fault *fault, bool active)
{
	return fault_is(fault, active ? FAULT_ACTIVE : FAULT_INACTIVE);
}

static inline uint32_t fault_impl(const struct fault *fault, uint32_t impl)
{
	return fault->after ? impl : impl ^ fault->impl;
}

/* Return: the bits of the register at @offset that stay as they are. */
static inline uint32_t fault_ignores(const struct fault *fault, uint32_t offset)
{
	return fault->after || fault->at != offset ? 0 : fault->ignores;
}

/* Return: the bits of @control that clear themselves now. */
static inline uint32_t fault_clears(struct fault *fault, uint32_t control)
{
	uint32_t bits;

	if (fault->after)
		return 0;
	bits = fault->clear & control;
	if (bits)
		fault->clear = 0;
	return bits;
}

/* A register was accessed. */
static inline void fault_accessed(struct fault *fault)
{
	if (fault->after)
		fault->after--;
}

#endif /* RVTRACE_MODEL_FAULT_H */
