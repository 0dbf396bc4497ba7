/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timestamp unit of an encoder or a funnel (TCI 0.9.4 chapter 7). */
#ifndef RVTRACE_MODEL_TIMESTAMP_H
#define RVTRACE_MODEL_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/machine/model/component.h"
#include "tools/machine/model/fields.h"
#include "tools/machine/model/generation.h"

/**
 * struct timestamp_config - what the hardware can do
 * @types: bit n: tsType n is legal; bit 0 alone: no timestamp unit
 * @width: bits of the timestamp, 1 to 64
 * @prescale: tsPrescale is implemented
 * @enable: it can be put into messages
 */
struct timestamp_config {
	uint32_t types;
	uint32_t width;
	bool prescale;
	bool enable;
};

/**
 * struct timestamp - state; embedded in its owner, fields are private
 * @now: clock, in ticks
 * @external: what an External or Shared timestamp reads now
 * @base: value of the internal counter, in ticks before the prescaler, at
 *	@since
 * @since: when it was last stopped, started or reset
 * @counting: what the registers said then
 */
struct timestamp {
	struct timestamp_config config;
	uint64_t (*now)(void *opaque);
	uint64_t (*external)(void *opaque);
	void *opaque;
	uint32_t fields[TS_FIELDS];
	uint32_t legal[TS_FIELDS];
	uint64_t base;
	uint64_t since;
	bool counting;
};

/* Return: NULL, or what is wrong with @config; @types: those there can be */
const char *timestamp_config_check(const struct timestamp_config *config,
				   const struct generation *generation,
				   uint32_t types);

void timestamp_init(struct timestamp *ts, const struct timestamp_config *config,
		    uint64_t (*now)(void *opaque),
		    uint64_t (*external)(void *opaque), void *opaque);

/* Add its registers to the page of @component. */
void timestamp_add_registers(struct timestamp *ts, struct component *component,
			     const struct generation *generation);
void timestamp_reset(struct timestamp *ts);

/* Messages carry timestamps. */
bool timestamp_enabled(const struct timestamp *ts);

/*
 * The timestamp of an event at @cycles, when the External or Shared one read
 * @external.
 */
uint64_t timestamp_of(const struct timestamp *ts, uint64_t external,
		      uint64_t cycles);

#endif /* RVTRACE_MODEL_TIMESTAMP_H */
