/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Active bit of a component: a change takes time, and until it is
 * acknowledged the bit reads what it was (TCI 0.9.4 chapter 5, teActive).
 */
#ifndef RVTRACE_MODEL_POWER_H
#define RVTRACE_MODEL_POWER_H

#include <stdbool.h>
#include <stdint.h>

#define POWER_NEVER	UINT64_MAX

/**
 * struct power - state of the bit
 * @active: as it reads
 * @wanted: as last written
 * @due: when @wanted is acknowledged, or POWER_NEVER
 */
struct power {
	bool active;
	bool wanted;
	uint64_t due;
};

static inline void power_reset(struct power *power)
{
	power->active = false;
	power->wanted = false;
	power->due = POWER_NEVER;
}

/* Other registers can be accessed. */
static inline bool power_is_up(const struct power *power)
{
	return power->active && power->wanted;
}

/* The bit was written. Return: whether that is a change to wait for. */
static inline bool power_request(struct power *power, bool on, uint64_t now,
				 uint64_t delay)
{
	if (on == power->wanted)
		return false;
	power->wanted = on;
	power->due = on == power->active ? POWER_NEVER : now + delay;
	return true;
}

/* Acknowledge the change if it is time. */
static inline void power_settle(struct power *power, uint64_t now)
{
	if (now < power->due || power->due == POWER_NEVER)
		return;
	power->due = POWER_NEVER;
	power->active = power->wanted;
}

#endif /* RVTRACE_MODEL_POWER_H */
