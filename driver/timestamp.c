// SPDX-License-Identifier: GPL-2.0
/* Timestamp unit (TCI 0.9.4 chapter 7). */
#include "rvtrace.h"

/**
 * rvtrace_timestamp_configure() - keep the timestamp unit out of reset
 * @c: an encoder that is held
 *
 * Return: 0; -ETIMEDOUT; an access error
 */
int rvtrace_timestamp_configure(struct rvtrace_component *c)
{
	int ret;

	if (!c->kind->timestamp || !c->wanted[RVTRACE_TS_ACTIVE])
		return 0;
	ret = rvtrace_switch(c, RVTRACE_TS_ACTIVE, true);
	if (ret)
		return ret;
	return rvtrace_poll(c, RVTRACE_TS_ACTIVE, 1, "release of the timestamp unit");
}

/**
 * rvtrace_timestamp_read() - the time that trace messages carry now
 * @c: an encoder that is held, or NULL
 *
 * The counter is two registers: read until the upper one did not change. May be
 * called in any context.
 *
 * Return: the timestamp; without a timestamp unit, the time CSR
 */
u64 rvtrace_timestamp_read(struct rvtrace_component *c)
{
	unsigned int lower, upper, again;

	if (!c || !c->kind->timestamp || !c->wanted[RVTRACE_TS_ACTIVE] ||
	    c->wanted[RVTRACE_TS_TYPE] == RVTRACE_TS_TYPE_NONE)
		return rvtrace_time();
	if (regmap_read(c->regmap, c->kind->timestamp->upper, &again))
		return 0;
	do {
		upper = again;
		if (regmap_read(c->regmap, c->kind->timestamp->lower, &lower) ||
		    regmap_read(c->regmap, c->kind->timestamp->upper, &again))
			return 0;
	} while (again != upper);
	return (u64)upper << 32 | lower;
}
