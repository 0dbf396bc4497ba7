/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timestamp unit of an encoder or a funnel (TCI 0.9.4 chapter 7). */
#ifndef RVTRACE_MODEL_TIMESTAMP_H
#define RVTRACE_MODEL_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/machine/model/active.h"
#include "tools/machine/model/component.h"
#include "tools/machine/model/fields.h"
#include "tools/machine/model/generation.h"

/**
 * struct timestamp_config - what the hardware can do
 * @types: bit n: tsType n is legal; bit 0 alone: no timestamp unit
 * @width: bits of the timestamp, 1 to 64
 * @prescale: tsPrescale is implemented
 * @speed: the internal counter adds 2^speed a tick, 0 to 31
 * @hides_width: tsWidth reads 0 until tsActive was acknowledged
 * @vendor: bits of tsControl[23:16] that can be set; they do nothing else
 * @active_delay: ticks until a change of tsActive is acknowledged
 */
struct timestamp_config {
	uint32_t types;
	uint32_t width;
	bool prescale;
	uint32_t speed;
	bool hides_width;
	uint32_t vendor;
	uint64_t active_delay;
};

/**
 * struct timestamp_ops - what a timestamp unit asks of its owner
 * @now: clock, in ticks
 * @external: what an External timestamp reads now
 * @shared: a Shared timestamp at @cycles, when the External one read
 *	@external; NULL: the External one
 */
struct timestamp_ops {
	uint64_t (*now)(void *opaque);
	uint64_t (*external)(void *opaque);
	uint64_t (*shared)(void *opaque, uint64_t external, uint64_t cycles);
};

/**
 * struct timestamp - state; embedded in its owner, fields are private
 * @active: until it is released, its other fields read 0 and keep nothing
 * @selects: its registers say which messages carry timestamps
 * @base: value of the internal counter, before the prescaler, at
 *	@since
 * @since: when it was last stopped, started or reset
 * @counting: what the registers said then
 */
struct timestamp {
	struct timestamp_config config;
	struct timestamp_ops ops;
	void *opaque;
	struct active active;
	bool selects;
	uint32_t fields[TS_FIELDS];
	uint32_t legal[TS_FIELDS];
	uint64_t base;
	uint64_t since;
	bool counting;
};

/*
 * Return: NULL, or what is wrong with @config; @types: those there can be;
 * @specs: its registers
 */
const char *timestamp_config_check(const struct timestamp_config *config,
				   const struct reg_spec *specs,
				   uint32_t types);

/* Its registers, @specs, come into the page of @component. */
void timestamp_init(struct timestamp *ts, const struct timestamp_config *config,
		    const struct generation *generation,
		    const struct reg_spec *specs, struct component *component,
		    const struct timestamp_ops *ops, void *opaque);
void timestamp_reset(struct timestamp *ts);

/* Messages carry timestamps. */
bool timestamp_enabled(const struct timestamp *ts);

/* Whether there is one. */
static inline bool timestamp_is_there(const struct timestamp_config *config)
{
	return config->types & ~1u;
}

/* The timestamp of an event at @cycles, when the External one read @external. */
uint64_t timestamp_of(const struct timestamp *ts, uint64_t external,
		      uint64_t cycles);

#endif /* RVTRACE_MODEL_TIMESTAMP_H */
