// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/timestamp.h"

#include <string.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "include/uapi/linux/rvtrace_regs_0.h"

#define TYPE_CORE	3
#define INTERNAL	(1u << RVTRACE_TS_TYPE_INTERNAL | 1u << TYPE_CORE)

const char *timestamp_config_check(const struct timestamp_config *config,
				   const struct reg_spec *specs,
				   uint32_t types)
{
	if (!config->types || config->types & ~types)
		return "ts_types has a type that this generation does not have";
	if (timestamp_is_there(config) &&
	    (config->width < 1 || config->width > 64 ||
	     config->width > reg_largest(specs, TS_WIDTH)))
		return "ts_width is more than this generation can say";
	if (config->speed > 31)
		return "ts_speed is more than 31";
	if (config->vendor > 0xff)
		return "ts_vendor has more than 8 bits";
	return NULL;
}

static bool is_counting(const struct timestamp *ts)
{
	return ts->active.up && ts->fields[TS_COUNT];
}

static uint64_t truncate(const struct timestamp *ts, uint64_t value)
{
	uint32_t width = ts->config.width;

	return width < 64 ? value & ((1ull << width) - 1) : value;
}

/* What the internal counter has counted. */
static uint64_t ticks(const struct timestamp *ts, uint64_t now)
{
	if (!ts->counting || now < ts->since)
		return ts->base;
	return ts->base + ((now - ts->since) << ts->config.speed);
}

uint64_t timestamp_of(const struct timestamp *ts, uint64_t external,
		      uint64_t cycles)
{
	if (!ts->active.up)
		return 0;
	switch (ts->fields[TS_TYPE]) {
	case RVTRACE_TS_TYPE_INTERNAL:
	case TYPE_CORE:
		return truncate(ts, ticks(ts, cycles) >>
				    2 * ts->fields[TS_PRESCALE]);
	case RVTRACE_TS_TYPE_SLAVE:
		if (ts->ops.shared)
			external = ts->ops.shared(ts->opaque, external, cycles);
		return truncate(ts, external);
	case RVTRACE_TS_TYPE_EXTERNAL:
		return truncate(ts, external);
	default:
		return 0;
	}
}

bool timestamp_enabled(const struct timestamp *ts)
{
	return ts->active.up && ts->fields[TS_ENABLE] &&
	       ts->fields[TS_TYPE] != RVTRACE_TS_TYPE_NONE;
}

/* Registers */

static uint32_t read_live(void *owner, unsigned int id)
{
	struct timestamp *ts = owner;
	uint64_t value, now = ts->ops.now(ts->opaque);
	bool active = active_read(&ts->active, now);

	switch (id) {
	case TS_ACTIVE:
		return active;
	case TS_WIDTH:
		return ts->active.up || !ts->config.hides_width ? ts->config.width : 0;
	default:
		value = timestamp_of(ts, ts->ops.external(ts->opaque), now);
		return id == TS_HIGH ? value >> 32 : value;
	}
}

static void accept(void *owner, unsigned int id, uint32_t value)
{
	struct timestamp *ts = owner;

	if (id == TS_ACTIVE)
		active_write(&ts->active, value, ts->ops.now(ts->opaque));
}

static void reset_fields(struct timestamp *ts)
{
	memset(ts->fields, 0, sizeof(ts->fields));
	ts->fields[TS_TYPE] = reg_lowest(ts->config.types);
	/* What registers do not say is: all messages carry timestamps. */
	if (!ts->selects) {
		ts->fields[TS_BRANCH] = RVTRACE_TS_BRANCH_ALL;
		ts->fields[TS_INSTRUMENTATION] = 1;
		ts->fields[TS_OWNERSHIP] = 1;
	}
	ts->base = 0;
	ts->since = 0;
	ts->counting = false;
}

static void written(void *owner)
{
	struct timestamp *ts = owner;
	uint64_t now = ts->ops.now(ts->opaque);

	if (!active_keeps(&ts->active, now)) {
		reset_fields(ts);
		return;
	}
	ts->base = ts->fields[TS_RESET] ? 0 : ticks(ts, now);
	ts->since = now;
	ts->counting = is_counting(ts);
	ts->fields[TS_RESET] = 0;
}

static const struct reg_ops reg_ops = {
	.read = read_live,
	.accept = accept,
	.written = written,
};

static void set_legal(struct timestamp *ts)
{
	bool there = timestamp_is_there(&ts->config);
	bool internal = ts->config.types & INTERNAL;

	ts->legal[TS_COUNT] = reg_flag(internal);
	ts->legal[TS_RESET] = reg_flag(internal);
	ts->legal[TS_DEBUG] = reg_flag(internal);
	ts->legal[TS_TYPE] = ts->config.types;
	ts->legal[TS_PRESCALE] = ts->config.prescale ? 0xf : 1;
	ts->legal[TS_ENABLE] = reg_flag(there);
	ts->legal[TS_BRANCH] = there ? 1 << RVTRACE_TS_BRANCH_NONE |
					1 << RVTRACE_TS_BRANCH_INDIRECT |
					1 << RVTRACE_TS_BRANCH_ALL : 1;
	ts->legal[TS_INSTRUMENTATION] = reg_flag(there);
	ts->legal[TS_OWNERSHIP] = reg_flag(there);
	ts->legal[TS_VENDOR] = there ? ts->config.vendor : 0;
}

void timestamp_init(struct timestamp *ts, const struct timestamp_config *config,
		    const struct generation *generation,
		    const struct reg_spec *specs, struct component *component,
		    const struct timestamp_ops *ops, void *opaque)
{
	memset(ts, 0, sizeof(*ts));
	ts->config = *config;
	ts->ops = *ops;
	ts->opaque = opaque;
	active_init(&ts->active, false, config->active_delay);
	set_legal(ts);
	if (!timestamp_is_there(config))
		return;
	ts->selects = reg_largest(specs, TS_BRANCH);
	component_add(component, &(struct reg_block) {
		.specs = specs,
		.converts = generation->converts,
		.values = ts->fields,
		.legal = ts->legal,
		.ops = &reg_ops,
		.owner = ts,
	});
}

void timestamp_reset(struct timestamp *ts)
{
	active_lose_power(&ts->active);
	reset_fields(ts);
}
