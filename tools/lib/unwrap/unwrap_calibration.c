// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Calibration patterns (TCI 0.9.4 chapter 12.2) among beats. They may begin at
 * any place; 64 bits that fit are no chance.
 */
#include "unwrap_pib.h"

#define HISTORY_BITS	64

/* The pattern, in the order of transmission from bit 0 on, as often as it fits. */
static uint64_t pattern_of(uint8_t mode)
{
	switch (mode) {
	case RVTRACE_PIB_MODE_PARALLEL_2:	/* 66 66 CC 33 */
		return 0x33cc666633cc6666;
	case RVTRACE_PIB_MODE_PARALLEL_4:	/* 5A 5A F0 0F */
		return 0x0ff05a5a0ff05a5a;
	case RVTRACE_PIB_MODE_PARALLEL_16:	/* AA AA 55 55 00 00 FF FF */
		return 0xffff00005555aaaa;
	default:				/* AA 55 00 FF */
		return 0xff0055aaff0055aa;
	}
}

static unsigned int bits_of(const struct rvtrace_pib *pib)
{
	return is_serial(&pib->config) ? 8 : pib->width;
}

void calibration_init(struct rvtrace_pib *pib)
{
	struct calibration *c = &pib->calibration;
	uint64_t pattern = pattern_of(pib->config.mode);
	unsigned int bits = bits_of(pib);

	c->depth = HISTORY_BITS / bits;
	do {
		c->rotations[c->period++] = pattern;
		pattern = pattern >> bits | pattern << (HISTORY_BITS - bits);
	} while (pattern != c->rotations[0]);
}

static void pop(struct rvtrace_pib *pib)
{
	struct calibration *c = &pib->calibration;
	struct beat beat = c->queue[c->oldest];

	c->oldest = (c->oldest + 1) % c->depth;
	c->used--;
	messages_beat(pib, &beat);
}

static void end_pattern(struct rvtrace_pib *pib)
{
	struct calibration *c = &pib->calibration;

	if (!c->active)
		return;
	c->active = false;
	if (pib->handler.calibration)
		pib->handler.calibration(pib->handler.data, c->offset, c->beats / c->period);
	/* A zero behind a whole pattern fits, but may be the first one of null.idle. */
	if (c->rotation == 1 && bits_of(pib) == 1 && pib->config.format == RVTRACE_FORMAT_ETRACE)
		pib->messages.idle = 1;
}

/* All that waits is the pattern, or the end of a message that looks like its end. */
static void take_pattern(struct rvtrace_pib *pib)
{
	struct calibration *c = &pib->calibration;
	unsigned int before = (c->period - c->rotation) % c->period;

	if (!c->active) {
		for (; before && pib->messages.state == MESSAGES_INSIDE; before--)
			pop(pib);
		c->active = true;
		c->offset = c->queue[c->oldest].offset;
		c->beats = 0;
		messages_calibrated(pib, c->offset);
	}
	c->beats += c->used;
	c->used = 0;
	/* As at the beginning, there is no message that has begun. */
	pib->serial.uart.fresh = true;
}

static bool is_pattern(struct calibration *c)
{
	unsigned int i;

	for (i = 0; i < c->period; i++) {
		if (c->history == c->rotations[i]) {
			c->rotation = i;
			return true;
		}
	}
	return false;
}

void calibration_beat(struct rvtrace_pib *pib, const struct beat *beat)
{
	struct calibration *c = &pib->calibration;
	unsigned int bits = bits_of(pib);

	c->history = c->history >> bits | (uint64_t)beat->value << (HISTORY_BITS - bits);
	if (c->used == c->depth)
		pop(pib);
	c->queue[(c->oldest + c->used++) % c->depth] = *beat;
	if (is_pattern(c))
		take_pattern(pib);
	else
		end_pattern(pib);
}

static void flush(struct rvtrace_pib *pib)
{
	end_pattern(pib);
	while (pib->calibration.used)
		pop(pib);
	pib->calibration.history = 0;
}

void calibration_damage(struct rvtrace_pib *pib, enum rvtrace_unwrap_damage_kind kind,
			uint64_t offset)
{
	flush(pib);
	messages_lose(pib, kind, offset);
}

void calibration_end(struct rvtrace_pib *pib)
{
	flush(pib);
}
