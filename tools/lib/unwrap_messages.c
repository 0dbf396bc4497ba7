// SPDX-License-Identifier: LGPL-2.1-or-later
/* Beats to messages, whatever their format is; what is damaged, and from where to where. */
#include "unwrap_pib.h"

void messages_init(struct rvtrace_pib *pib)
{
	struct messages *m = &pib->messages;

	m->width = is_serial(&pib->config) || pib->width > 8 ? 8 : pib->width;
	m->null_run = 31 + pib->config.src_bits / 8 + pib->config.timestamp_bytes;
	pib->lost = true;
}

static void search(struct messages *m)
{
	m->state = MESSAGES_SEARCH;
	m->filled = 0;
	m->byte = 0;
	m->idle = 0;
	m->trial = false;
	m->held = 0;
	m->start = 0;
	m->size = 0;
}

void messages_lose(struct rvtrace_pib *pib, enum rvtrace_unwrap_damage_kind kind,
		   uint64_t offset)
{
	struct messages *m = &pib->messages;

	/* What there is of a message is lost, too. */
	if (!pib->lost && m->state == MESSAGES_INSIDE)
		offset = m->offsets[m->held];
	if (!pib->lost || !pib->lost_data) {
		pib->damage.kind = kind;
		pib->damage.offset = offset;
	}
	pib->lost = true;
	pib->lost_data = true;
	search(m);
}

void messages_doubt(struct rvtrace_pib *pib, uint64_t offset)
{
	if (pib->messages.state == MESSAGES_INSIDE)
		messages_lose(pib, RVTRACE_UNWRAP_TRUNCATED, offset);
	if (!pib->lost)
		pib->lost_data = false;
	pib->lost = true;
	search(&pib->messages);
}

void messages_found(struct rvtrace_pib *pib, uint64_t offset)
{
	if (pib->lost && pib->lost_data) {
		pib->damage.length = offset - pib->damage.offset;
		pib->handler.damage(pib->handler.data, &pib->damage);
	}
	pib->lost = false;
}

bool messages_collect(struct messages *m, uint8_t value)
{
	if (!m->filled)
		m->byte = 0;
	m->byte |= value << m->filled;
	m->filled = (m->filled + m->width) % 8;
	return !m->filled;
}

static void begin(struct rvtrace_pib *pib, uint64_t offset)
{
	if (pib->messages.state == MESSAGES_INSIDE)
		messages_lose(pib, RVTRACE_UNWRAP_TRUNCATED, offset);
	messages_found(pib, offset);
	search(&pib->messages);
	pib->messages.state = MESSAGES_BETWEEN;
}

void messages_calibrated(struct rvtrace_pib *pib, uint64_t offset)
{
	struct messages *m = &pib->messages;

	if (pib->config.calibrate && m->held)
		messages_lose(pib, RVTRACE_UNWRAP_CALIBRATION, m->offsets[0]);
	messages_doubt(pib, offset);
	messages_found(pib, offset);
}

/* Idle may be before and after the pattern: only what follows shows whether it was amid it. */
static void calibrating_beat(struct rvtrace_pib *pib, const struct beat *beat)
{
	struct messages *m = &pib->messages;
	uint16_t ones = (1 << pib->width) - 1;
	bool idle;

	if (pib->config.format == RVTRACE_FORMAT_NTRACE)
		idle = beat->value == ones;
	else
		idle = !(beat->value & (ones >> 1));
	if (!m->held)
		m->offsets[0] = beat->offset;
	if (is_serial(&pib->config) || !idle)
		messages_lose(pib, RVTRACE_UNWRAP_CALIBRATION, m->offsets[0]);
	else if (pib->calibration.beats)
		m->held = 1;
}

static void take(struct rvtrace_pib *pib, uint8_t value, uint64_t offset)
{
	if (pib->config.format == RVTRACE_FORMAT_NTRACE)
		ntrace_beat(pib, value, offset);
	else
		etrace_beat(pib, value, offset);
}

void messages_beat(struct rvtrace_pib *pib, const struct beat *beat)
{
	if (pib->config.calibrate) {
		calibrating_beat(pib, beat);
		return;
	}
	if (beat->first)
		begin(pib, beat->offset);
	take(pib, beat->value, beat->offset);
	if (pib->width == 16)
		take(pib, beat->value >> 8, beat->offset);
	if (beat->last && pib->messages.state == MESSAGES_INSIDE)
		messages_lose(pib, RVTRACE_UNWRAP_TRUNCATED, beat->offset);
}

void messages_end(struct rvtrace_pib *pib)
{
	if (pib->config.format == RVTRACE_FORMAT_NTRACE)
		ntrace_end(pib);
	else
		etrace_end(pib);
	messages_found(pib, pib->offset);
}
