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
#include "tools/machine/model/fields.h"

/**
 * struct atbsink_config - what the hardware can do
 * @async_freqs: bit n: trAtbBridgeAsyncFreq n is legal
 * @empty_delay: ticks from the last message until Empty
 * @sync_interval: frames between two synchronization packets of the formatter,
 *	0: none
 * @others: other sources on the same ATB, whose bytes come in between
 */
struct atbsink_config {
	uint32_t async_freqs;
	uint64_t empty_delay;
	uint32_t sync_interval;
	uint32_t others;
};

/**
 * struct atbsink - state; embedded in its owner, fields are private
 * @own_page: Active is that of the page
 * @active: as it was when atbsink_update() last looked
 * @busy_until: when what was sent is on the bus
 * @turn: messages so far, for @others
 */
struct atbsink {
	struct atbsink_config config;
	bool own_page;
	uint32_t fields[ATB_FIELDS];
	uint32_t legal[ATB_FIELDS];
	bool active;
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

/* Fields were changed. */
void atbsink_update(struct atbsink *sink);

/* Send a whole message at time @now; a sink that is disabled drops it. */
void atbsink_put(struct atbsink *sink, const uint8_t *data, size_t size,
		 uint64_t now);
void atbsink_flush(struct atbsink *sink);
bool atbsink_empty(const struct atbsink *sink, uint64_t now);

#endif /* RVTRACE_MODEL_ATBSINK_H */
