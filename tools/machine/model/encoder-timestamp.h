/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timestamp unit of an encoder (TCI 0.9.4 chapter 7). */
#ifndef RVTRACE_MODEL_ENCODER_TIMESTAMP_H
#define RVTRACE_MODEL_ENCODER_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/machine/model/encoder.h"

#define TE_TIMESTAMP_REGISTERS	3

/**
 * struct te_timestamp - state
 * @base: value of the internal counter, in ticks before the prescaler, at
 *	@since
 * @since: when it was last stopped, started or reset
 */
struct te_timestamp {
	const struct te_config *config;
	uint32_t regs[TE_TIMESTAMP_REGISTERS];
	uint64_t base;
	uint64_t since;
	uint64_t now;
	uint64_t external;
};

void te_timestamp_reset(struct te_timestamp *ts, const struct te_config *config);

bool te_timestamp_has_register(uint32_t offset);

/* @now: clock in ticks; @external: what an External timestamp reads. */
uint32_t te_timestamp_read(struct te_timestamp *ts, uint32_t offset,
			   uint64_t now, uint64_t external);
void te_timestamp_write(struct te_timestamp *ts, uint32_t offset,
			uint32_t value, uint64_t now);

/* Messages carry timestamps. */
bool te_timestamp_enabled(const struct te_timestamp *ts);

/* The timestamp of an event at @cycles, when the External one read @external. */
uint64_t te_timestamp_of(const struct te_timestamp *ts, uint64_t external,
			 uint64_t cycles);

#endif /* RVTRACE_MODEL_ENCODER_TIMESTAMP_H */
