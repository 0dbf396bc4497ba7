/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Active bit of a PIB or ATB sink, or a timestamp unit, in the page of another
 * component: it is on its own, and takes its time as that of a component does.
 */
#ifndef RVTRACE_MODEL_ACTIVE_H
#define RVTRACE_MODEL_ACTIVE_H

#include "tools/machine/model/power.h"

/**
 * struct active - state of the bit
 * @delay: ticks until a change is acknowledged
 * @always: there is no such bit, the block has a page of its own
 * @up: fields keep what is written
 */
struct active {
	struct power power;
	uint64_t delay;
	bool always;
	bool up;
};

static inline void active_init(struct active *active, bool always,
			       uint64_t delay)
{
	power_reset(&active->power);
	active->delay = delay;
	active->always = always;
	active->up = always;
}

static inline void active_settle(struct active *active, uint64_t now)
{
	power_settle(&active->power, now);
	active->up = active->always || power_is_up(&active->power);
}

static inline void active_write(struct active *active, bool on, uint64_t now)
{
	active_settle(active, now);
	power_request(&active->power, on, now, active->delay);
	if (!on)
		active->up = active->always;
}

static inline bool active_read(struct active *active, uint64_t now)
{
	active_settle(active, now);
	return active->power.active;
}

/* Power is off, and on again. */
static inline void active_lose_power(struct active *active)
{
	power_reset(&active->power);
	active->up = active->always;
}

/*
 * The register with the bit was written. Return: whether the fields beside it keep
 * that; the write that releases the block, or comes before it is, changes nothing.
 */
static inline bool active_keeps(struct active *active, uint64_t now)
{
	bool kept = active->up;

	active_settle(active, now);
	return kept;
}

#endif /* RVTRACE_MODEL_ACTIVE_H */
