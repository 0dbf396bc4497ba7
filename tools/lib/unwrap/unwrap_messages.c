// SPDX-License-Identifier: LGPL-2.1-or-later
/* Beats to messages, whatever their format is; what is damaged, and from where to where. */
#include "unwrap_pib.h"

void messages_init(struct rvtrace_pib *pib)
{
	struct messages *m = &pib->messages;

	m->width = is_serial(&pib->config) || pib->width > 8 ? 8 : pib->width;
	m->null_run = 31 + pib->config.src_bits / 8 + pib->config.timestamp_bytes;
}

static void reset(struct messages *m, int state)
{
	m->state = state;
	m->filled = 0;
	m->idle = 0;
	m->trial = false;
	m->held = 0;
	m->size = 0;
}

static bool has_begun(const struct messages *m)
{
	return m->held || m->state == MESSAGES_INSIDE;
}

void messages_lose(struct rvtrace_pib *pib, enum rvtrace_unwrap_damage_kind kind,
		   uint64_t offset)
{
	struct messages *m = &pib->messages;

	if (!pib->lost) {
		pib->damage.kind = kind;
		pib->damage.offset = has_begun(m) ? m->offsets[0] : offset;
	}
	pib->lost = true;
	reset(m, MESSAGES_SEARCH);
}

void messages_found(struct rvtrace_pib *pib, uint64_t offset)
{
	if (!pib->lost)
		return;
	pib->lost = false;
	pib->damage.length = offset - pib->damage.offset;
	pib->handler.damage(pib->handler.data, &pib->damage);
}

bool messages_collect(struct messages *m, uint8_t value)
{
	if (!m->filled)
		m->byte = 0;
	m->byte |= value << m->filled;
	m->filled = (m->filled + m->width) % 8;
	return !m->filled;
}

void messages_calibrated(struct rvtrace_pib *pib, uint64_t offset)
{
	struct messages *m = &pib->messages;

	if (has_begun(m))
		messages_lose(pib, pib->config.calibrate ? RVTRACE_UNWRAP_CALIBRATION :
			      RVTRACE_UNWRAP_TRUNCATED, offset);
	messages_found(pib, offset);
	reset(m, MESSAGES_SEARCH);
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
	if (is_serial(&pib->config) || !idle) {
		messages_lose(pib, RVTRACE_UNWRAP_CALIBRATION, beat->offset);
	} else if (pib->calibration.beats && !m->held) {
		m->offsets[0] = beat->offset;
		m->held = 1;
	}
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
	if (beat->first) {
		if (has_begun(&pib->messages))
			messages_lose(pib, RVTRACE_UNWRAP_TRUNCATED, beat->offset);
		reset(&pib->messages, MESSAGES_BETWEEN);
	}
	take(pib, beat->value, beat->offset);
	if (pib->width == 16)
		take(pib, beat->value >> 8, beat->offset);
}

void messages_end(struct rvtrace_pib *pib)
{
	struct messages *m = &pib->messages;
	bool etrace = pib->config.format == RVTRACE_FORMAT_ETRACE;

	/* Idle may end anywhere, headers may not. */
	if (!pib->config.calibrate &&
	    (has_begun(m) || (etrace && m->state == MESSAGES_BETWEEN && m->filled && m->byte)))
		messages_lose(pib, RVTRACE_UNWRAP_TRUNCATED, m->offsets[0]);
	messages_found(pib, pib->offset);
}
