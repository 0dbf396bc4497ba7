/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ATB sink: trace goes to CoreSight infrastructure, here a formatter that
 * makes frames of it (TCI 0.9.4 chapter 13). Registers as those of the PIB
 * sink.
 */
#ifndef RVTRACE_MODEL_ATBSINK_H
#define RVTRACE_MODEL_ATBSINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/encode/atb-frames.h"
#include "tools/machine/model/active.h"
#include "tools/machine/model/fields.h"

/**
 * struct atbsink_config - what the hardware can do
 * @async_freqs: bit n: trAtbBridgeAsyncFreq n is legal
 * @id: what atbId is reset to
 * @refuses: reserved values of atbId are ignored
 * @active_delay: ticks until atbActive reads what was written
 * @empty_delay: ticks from the last message until Empty
 * @sync_interval: frames between two synchronization packets of the formatter,
 *	0: none
 * @others: other sources on the same ATB, whose bytes come in between
 */
struct atbsink_config {
	uint32_t async_freqs;
	uint32_t id;
	bool refuses;
	uint64_t active_delay;
	uint64_t empty_delay;
	uint32_t sync_interval;
	uint32_t others;
};

/**
 * struct atbsink - state; embedded in its owner, fields are private
 * @active: atbActive
 * @busy_until: when what was sent is on the bus
 * @turn: messages so far, for @others
 */
struct atbsink {
	struct atbsink_config config;
	struct active active;
	uint32_t fields[ATB_FIELDS];
	uint32_t legal[ATB_FIELDS];
	uint64_t busy_until;
	uint32_t turn;
	struct atb_frames frames;
};

void atbsink_config_default(struct atbsink_config *config);

/* Return: NULL, or what is wrong with @config. */
const char *atbsink_config_check(const struct atbsink_config *config);

/* @write takes whole frames. */
void atbsink_init(struct atbsink *sink, const struct atbsink_config *config,
		  bool own_page, atb_frames_write write, void *opaque);
void atbsink_reset(struct atbsink *sink);

/* The fields that no table can describe are written at time @now. */
void atbsink_accept(struct atbsink *sink, enum atb_field id, uint32_t value,
		    uint64_t now);

/* Fields were changed. */
void atbsink_update(struct atbsink *sink, uint64_t now);

/* Send a whole message at time @now; a sink that is disabled drops it. */
void atbsink_put(struct atbsink *sink, const uint8_t *data, size_t size,
		 uint64_t now);
void atbsink_flush(struct atbsink *sink);
bool atbsink_empty(const struct atbsink *sink, uint64_t now);

#endif /* RVTRACE_MODEL_ATBSINK_H */
