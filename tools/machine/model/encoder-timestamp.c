// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/encoder-timestamp.h"

#include <string.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/machine/model/regs.h"

enum { CONTROL, LOWER, UPPER };

static bool is_implemented(const struct te_timestamp *ts)
{
	return ts->config->ts_types & ~(1u << RVTRACE_TS_TYPE_NONE);
}

static bool legal_bit(const void *owner, uint32_t value)
{
	return !value || is_implemented(owner);
}

static bool legal_internal(const void *owner, uint32_t value)
{
	const struct te_timestamp *ts = owner;

	return !value || ts->config->ts_types & 1 << RVTRACE_TS_TYPE_INTERNAL;
}

static bool legal_type(const void *owner, uint32_t value)
{
	const struct te_timestamp *ts = owner;

	return ts->config->ts_types >> value & 1;
}

static bool legal_prescale(const void *owner, uint32_t value)
{
	const struct te_timestamp *ts = owner;

	return !value || ts->config->ts_prescale;
}

/* tsReset is written 1 and reads 0; tsActive is handled apart. */
static const struct reg_field control_fields[] = {
	{ RVTRACE_TS_CONTROL_ACTIVE, legal_bit },
	{ RVTRACE_TS_CONTROL_COUNT, legal_internal },
	{ RVTRACE_TS_CONTROL_RESET, legal_internal },
	{ RVTRACE_TS_CONTROL_DEBUG, legal_internal },
	{ RVTRACE_TS_CONTROL_TYPE, legal_type },
	{ RVTRACE_TS_CONTROL_PRESCALE, legal_prescale },
	{ RVTRACE_TS_CONTROL_ENABLE, legal_bit },
	{}
};

static uint32_t type_of(const struct te_timestamp *ts)
{
	return field_get(RVTRACE_TS_CONTROL_TYPE, ts->regs[CONTROL]);
}

static bool is_counting(uint32_t control)
{
	return control & RVTRACE_TS_CONTROL_ACTIVE &&
	       control & RVTRACE_TS_CONTROL_COUNT;
}

static uint64_t truncate(const struct te_timestamp *ts, uint64_t value)
{
	uint32_t width = ts->config->ts_width;

	return width < 64 ? value & ((1ull << width) - 1) : value;
}

/* Ticks the internal counter has seen under @control. */
static uint64_t ticks(const struct te_timestamp *ts, uint32_t control,
		      uint64_t now)
{
	if (!is_counting(control) || now < ts->since)
		return ts->base;
	return ts->base + (now - ts->since);
}

uint64_t te_timestamp_of(const struct te_timestamp *ts, uint64_t external,
			 uint64_t cycles)
{
	uint32_t control = ts->regs[CONTROL];
	unsigned int shift;

	if (!(control & RVTRACE_TS_CONTROL_ACTIVE))
		return 0;
	switch (type_of(ts)) {
	case RVTRACE_TS_TYPE_INTERNAL:
		shift = 2 * field_get(RVTRACE_TS_CONTROL_PRESCALE, control);
		return truncate(ts, ticks(ts, control, cycles) >> shift);
	case RVTRACE_TS_TYPE_EXTERNAL:
	case RVTRACE_TS_TYPE_SLAVE:
		return truncate(ts, external);
	default:
		return 0;
	}
}

static uint32_t control_read(const void *owner, uint32_t stored)
{
	const struct te_timestamp *ts = owner;

	if (!is_implemented(ts))
		return 0;
	return stored | field_put(RVTRACE_TS_CONTROL_WIDTH,
				  ts->config->ts_width);
}

static uint32_t lower_read(const void *owner, uint32_t stored)
{
	const struct te_timestamp *ts = owner;

	(void)stored;
	return te_timestamp_of(ts, ts->external, ts->now);
}

static uint32_t upper_read(const void *owner, uint32_t stored)
{
	const struct te_timestamp *ts = owner;

	(void)stored;
	return te_timestamp_of(ts, ts->external, ts->now) >> 32;
}

static void control_written(void *owner, uint32_t before)
{
	struct te_timestamp *ts = owner;
	uint32_t control = ts->regs[CONTROL];

	ts->base = ticks(ts, before, ts->now);
	ts->since = ts->now;
	if (control & RVTRACE_TS_CONTROL_RESET ||
	    !(control & RVTRACE_TS_CONTROL_ACTIVE))
		ts->base = 0;
	ts->regs[CONTROL] &= ~RVTRACE_TS_CONTROL_RESET;
	/* tsActive 0 resets the unit. */
	if (!(control & RVTRACE_TS_CONTROL_ACTIVE))
		te_timestamp_reset(ts, ts->config);
}

static const struct reg_spec specs[TE_TIMESTAMP_REGISTERS] = {
	[CONTROL] = { "tsControl", RVTRACE_TS_CONTROL, control_fields,
		      control_read, control_written },
	[LOWER] = { "tsLower", RVTRACE_TS_LOWER, NULL, lower_read },
	[UPPER] = { "tsUpper", RVTRACE_TS_UPPER, NULL, upper_read },
};

void te_timestamp_reset(struct te_timestamp *ts, const struct te_config *config)
{
	memset(ts, 0, sizeof(*ts));
	ts->config = config;
	ts->regs[CONTROL] = field_put(RVTRACE_TS_CONTROL_TYPE,
				      __builtin_ctz(config->ts_types));
}

bool te_timestamp_has_register(uint32_t offset)
{
	return reg_find(specs, TE_TIMESTAMP_REGISTERS, offset) >= 0;
}

uint32_t te_timestamp_read(struct te_timestamp *ts, uint32_t offset,
			   uint64_t now, uint64_t external)
{
	ts->now = now;
	ts->external = external;
	return reg_read(specs, TE_TIMESTAMP_REGISTERS, ts->regs, ts, offset);
}

void te_timestamp_write(struct te_timestamp *ts, uint32_t offset,
			uint32_t value, uint64_t now)
{
	ts->now = now;
	reg_write(specs, TE_TIMESTAMP_REGISTERS, ts->regs, ts, offset, value);
}

bool te_timestamp_enabled(const struct te_timestamp *ts)
{
	uint32_t control = ts->regs[CONTROL];

	return control & RVTRACE_TS_CONTROL_ACTIVE &&
	       control & RVTRACE_TS_CONTROL_ENABLE &&
	       type_of(ts) != RVTRACE_TS_TYPE_NONE;
}
