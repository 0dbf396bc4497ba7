// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/timestamp.h"

#include <string.h>

#include "include/uapi/linux/rvtrace_regs.h"

#define TYPE_CORE	3
#define INTERNAL	(1u << RVTRACE_TS_TYPE_INTERNAL | 1u << TYPE_CORE)

static bool is_implemented(const struct timestamp_config *config)
{
	return config->types & ~(1u << RVTRACE_TS_TYPE_NONE);
}

const char *timestamp_config_check(const struct timestamp_config *config,
				   const struct generation *generation,
				   uint32_t types)
{
	uint32_t widest = reg_largest(generation->timestamp, TS_WIDTH);

	if (!config->types || config->types & ~types)
		return "ts_types has a type that this generation does not have";
	if (config->width < 1 || config->width > 64 || config->width > widest)
		return "ts_width is more than this generation can say";
	return NULL;
}

void timestamp_init(struct timestamp *ts, const struct timestamp_config *config,
		    uint64_t (*now)(void *opaque),
		    uint64_t (*external)(void *opaque), void *opaque)
{
	bool there = is_implemented(config);
	bool internal = config->types & INTERNAL;

	memset(ts, 0, sizeof(*ts));
	ts->config = *config;
	ts->now = now;
	ts->external = external;
	ts->opaque = opaque;
	ts->legal[TS_ACTIVE] = reg_flag(there);
	ts->legal[TS_COUNT] = reg_flag(internal);
	ts->legal[TS_RESET] = reg_flag(internal);
	ts->legal[TS_DEBUG] = reg_flag(internal);
	ts->legal[TS_TYPE] = config->types;
	ts->legal[TS_PRESCALE] = config->prescale ? 0xf : 1;
	ts->legal[TS_ENABLE] = reg_flag(there && config->enable);
}

static bool is_counting(const struct timestamp *ts)
{
	return ts->fields[TS_ACTIVE] && ts->fields[TS_COUNT];
}

static uint64_t truncate(const struct timestamp *ts, uint64_t value)
{
	uint32_t width = ts->config.width;

	return width < 64 ? value & ((1ull << width) - 1) : value;
}

/* Ticks the internal counter has seen. */
static uint64_t ticks(const struct timestamp *ts, uint64_t now)
{
	if (!ts->counting || now < ts->since)
		return ts->base;
	return ts->base + (now - ts->since);
}

uint64_t timestamp_of(const struct timestamp *ts, uint64_t external,
		      uint64_t cycles)
{
	if (!ts->fields[TS_ACTIVE])
		return 0;
	switch (ts->fields[TS_TYPE]) {
	case RVTRACE_TS_TYPE_INTERNAL:
	case TYPE_CORE:
		return truncate(ts, ticks(ts, cycles) >>
				    2 * ts->fields[TS_PRESCALE]);
	case RVTRACE_TS_TYPE_EXTERNAL:
	case RVTRACE_TS_TYPE_SLAVE:
		return truncate(ts, external);
	default:
		return 0;
	}
}

bool timestamp_enabled(const struct timestamp *ts)
{
	return ts->fields[TS_ACTIVE] && ts->fields[TS_ENABLE] &&
	       ts->fields[TS_TYPE] != RVTRACE_TS_TYPE_NONE;
}

/* Registers */

static uint32_t read_live(void *owner, unsigned int id)
{
	const struct timestamp *ts = owner;
	uint64_t value = timestamp_of(ts, ts->external(ts->opaque),
				      ts->now(ts->opaque));

	return id == TS_HIGH ? value >> 32 : value;
}

static void written(void *owner)
{
	struct timestamp *ts = owner;
	uint64_t now = ts->now(ts->opaque);

	/* tsActive 0 resets the unit. */
	if (!ts->fields[TS_ACTIVE]) {
		timestamp_reset(ts);
		return;
	}
	ts->base = ts->fields[TS_RESET] ? 0 : ticks(ts, now);
	ts->since = now;
	ts->counting = is_counting(ts);
	ts->fields[TS_RESET] = 0;
}

static const struct reg_ops reg_ops = {
	.read = read_live,
	.written = written,
};

void timestamp_add_registers(struct timestamp *ts, struct component *component,
			     const struct generation *generation)
{
	if (!is_implemented(&ts->config))
		return;
	component_add(component, &(struct reg_block) {
		.specs = generation->timestamp,
		.converts = generation->converts,
		.values = ts->fields,
		.legal = ts->legal,
		.ops = &reg_ops,
		.owner = ts,
	});
}

void timestamp_reset(struct timestamp *ts)
{
	memset(ts->fields, 0, sizeof(ts->fields));
	ts->fields[TS_TYPE] = reg_lowest(ts->config.types);
	ts->fields[TS_WIDTH] = is_implemented(&ts->config) ? ts->config.width :
							     0;
	ts->base = 0;
	ts->since = 0;
	ts->counting = false;
}
