/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PIB sink: trace leaves the chip over pins (TCI 0.9.4 chapter 12). Its
 * registers are a block of the page of the encoder or funnel that owns it, with
 * an Active bit of their own, or have a page of their own (1.0).
 */
#ifndef RVTRACE_MODEL_PIBSINK_H
#define RVTRACE_MODEL_PIBSINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/encode/pib.h"
#include "tools/machine/model/active.h"
#include "tools/machine/model/bottleneck.h"
#include "tools/machine/model/fields.h"

/**
 * struct pibsink_config - what the hardware can do
 * @modes: bit n: pibMode n is legal (0, 4, 5, 8 to 12; version 0: up to 11)
 * @ref_center: pibRefCenter is implemented
 * @calibrate: pibCalibrate is implemented
 * @divider_bits: width of pibDivider, up to 16
 * @divider: what it is reset to
 * @async_freqs: bit n: trPibAsyncFreq n is legal
 * @rate: bits that one signal can carry while the harts retire one half-word
 *	(16 bits) of instructions, at bit rate 1 and divider 0, as 16.16 fixed
 *	point; 0 is unlimited
 * @queue: bytes that may wait for the pins while @rate is limited, at least 64
 * @active_delay: ticks until pibActive reads what was written
 * @empty_delay: ticks from the last message until Empty
 * @calibrations: how often the calibration pattern is sent
 * @format: of what comes (values of teFormat, 0 or 1): what is idle
 */
struct pibsink_config {
	uint32_t modes;
	bool ref_center;
	bool calibrate;
	uint32_t divider_bits;
	uint32_t divider;
	uint32_t async_freqs;
	uint32_t rate;
	uint32_t queue;
	uint64_t active_delay;
	uint64_t empty_delay;
	uint32_t calibrations;
	uint32_t format;
};

/**
 * struct pibsink - state; embedded in its owner, fields are private
 * @active: pibActive
 * @enabled: as it was when pibsink_update() last looked
 * @busy_until: when what was sent is on the pins
 */
struct pibsink {
	struct pibsink_config config;
	pib_write write;
	void *opaque;
	struct active active;
	uint32_t fields[PIB_FIELDS];
	uint32_t legal[PIB_FIELDS];
	bool enabled;
	uint64_t busy_until;
	struct bottleneck bottleneck;
	struct pib pins;
};

/* A PIB with all modes up to @modes' and everything implemented. */
void pibsink_config_default(struct pibsink_config *config);

/* Return: NULL, or what is wrong with @config; @modes: those there can be */
const char *pibsink_config_check(const struct pibsink_config *config,
				 uint32_t modes);

/* @write takes what the pins do, in the format of tools/encode/pib.h. */
void pibsink_init(struct pibsink *sink, const struct pibsink_config *config,
		  bool own_page, pib_write write, void *opaque);
void pibsink_reset(struct pibsink *sink);

/* The fields that no table can describe are written at time @now. */
void pibsink_accept(struct pibsink *sink, enum pib_field id, uint32_t value,
		    uint64_t now);

/* Fields were changed. */
void pibsink_update(struct pibsink *sink, uint64_t now);

/*
 * Send a whole message at time @now. Return: false when there is no room, or
 * when the PIB "does not accept input": it is disabled, or calibrates.
 */
bool pibsink_put(struct pibsink *sink, const uint8_t *data, size_t size,
		 bool wait, uint64_t now);
bool pibsink_has_room(const struct pibsink *sink, size_t size);

/* The harts retired @halfwords: that much time has passed on the pins. */
void pibsink_advance(struct pibsink *sink, uint32_t halfwords);

/* All there is goes to the pins. */
void pibsink_flush(struct pibsink *sink);
bool pibsink_empty(const struct pibsink *sink, uint64_t now);

#endif /* RVTRACE_MODEL_PIBSINK_H */
