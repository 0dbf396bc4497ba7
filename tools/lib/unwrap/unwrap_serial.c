// SPDX-License-Identifier: LGPL-2.1-or-later
/* SWT modes: TRC_DATA[0] to bytes (TCI 0.9.4 chapters 12.3 and 12.4). */
#include "unwrap_pib.h"

#define UART_DATA_BITS	8
#define UART_FRAME_BITS	10

/*
 * Longer than any frame is high: the next start bit is one. As much: this many
 * frames in a row are hardly right by chance.
 */
#define UART_IDLE	UART_FRAME_BITS
#define UART_GOOD	16

/* Two low phases in a row are within a message. */
#define MANCHESTER_GAP	3

static bool is_uart(const struct rvtrace_pib *pib)
{
	return pib->config.mode == RVTRACE_PIB_MODE_SWT_UART;
}

void serial_init(struct rvtrace_pib *pib)
{
	double samples = pib->config.samples_per_bit;

	if (is_uart(pib))
		pib->serial.unit = samples ? samples : 1;
	else
		pib->serial.unit = samples ? samples / 2 : 1;
	pib->serial.uart.fresh = true;
}

static void damage(struct rvtrace_pib *pib, enum rvtrace_unwrap_damage_kind kind, uint64_t offset)
{
	struct uart *uart = &pib->serial.uart;

	uart->locked = false;
	uart->fresh = false;
	uart->inside = false;
	uart->good = 0;
	pib->serial.manchester.state = MANCHESTER_SEARCH;
	calibration_damage(pib, kind, offset);
}

static void uart_stop(struct rvtrace_pib *pib, bool level)
{
	struct uart *uart = &pib->serial.uart;

	uart->inside = false;
	if (!level) {
		damage(pib, RVTRACE_UNWRAP_STOP, uart->offset);
	} else if (uart->locked) {
		const struct beat beat = {
			.offset = uart->offset, .value = uart->byte, .first = uart->fresh,
		};

		uart->fresh = false;
		calibration_beat(pib, &beat);
	} else if (++uart->good == UART_GOOD) {
		uart->locked = true;
	}
}

static void uart_bit(struct rvtrace_pib *pib, bool level, uint64_t offset)
{
	struct uart *uart = &pib->serial.uart;

	uart->idle = level ? uart->idle + 1 : 0;
	if (uart->inside && uart->bits < UART_DATA_BITS) {
		uart->byte |= level << uart->bits++;
		return;
	}
	if (uart->inside) {
		uart_stop(pib, level);
	} else if (uart->high && !level) {
		if (!uart->locked) {
			uart->fresh = false;
			calibration_damage(pib, RVTRACE_UNWRAP_UNSYNCHRONIZED, offset);
		}
		uart->inside = true;
		uart->bits = 0;
		uart->byte = 0;
		uart->offset = offset;
	}
	if (uart->idle >= UART_IDLE)
		uart->locked = true;
	uart->high = level;
}

static void manchester_stop(struct rvtrace_pib *pib)
{
	struct manchester *m = &pib->serial.manchester;

	if (m->bits % 8)
		damage(pib, RVTRACE_UNWRAP_BYTE, m->start);
	else if (!m->bits)
		damage(pib, RVTRACE_UNWRAP_TRUNCATED, m->start);
	else
		m->state = MANCHESTER_IDLE;
}

static void manchester_bit(struct rvtrace_pib *pib)
{
	struct manchester *m = &pib->serial.manchester;

	m->byte |= m->first << m->bits % 8;
	m->state = MANCHESTER_FIRST;
	if (++m->bits % 8 == 0) {
		const struct beat beat = {
			.offset = m->bits == 8 ? m->start : m->offset, .value = m->byte,
			.first = m->bits == 8,
		};

		calibration_beat(pib, &beat);
		m->byte = 0;
	}
}

static void manchester_phase(struct rvtrace_pib *pib, bool level, uint64_t offset)
{
	struct manchester *m = &pib->serial.manchester;

	m->low = level ? 0 : m->low + 1;
	switch (m->state) {
	case MANCHESTER_SEARCH:
		if (level)
			calibration_damage(pib, RVTRACE_UNWRAP_UNSYNCHRONIZED, offset);
		break;
	case MANCHESTER_IDLE:
		m->start = offset;
		if (level)
			m->state = MANCHESTER_START;
		break;
	case MANCHESTER_START:
		m->bits = 0;
		m->byte = 0;
		m->state = MANCHESTER_FIRST;
		if (level)
			damage(pib, RVTRACE_UNWRAP_TRANSITION, m->start);
		break;
	case MANCHESTER_FIRST:
		if (m->bits % 8 == 0)
			m->offset = offset;
		m->first = level;
		m->state = MANCHESTER_SECOND;
		break;
	case MANCHESTER_SECOND:
		if (m->first != level)
			manchester_bit(pib);
		else if (level)
			damage(pib, RVTRACE_UNWRAP_TRANSITION, m->start);
		else
			manchester_stop(pib);
		break;
	}
	if (m->state == MANCHESTER_SEARCH && m->low >= MANCHESTER_GAP)
		m->state = MANCHESTER_IDLE;
}

void serial_sample(struct rvtrace_pib *pib, bool level)
{
	struct serial *s = &pib->serial;
	uint64_t offset;

	if (!s->begun || level != s->level) {
		if (s->begun && !s->units)
			damage(pib, RVTRACE_UNWRAP_GLITCH, s->offset);
		s->begun = true;
		s->level = level;
		s->offset = pib->offset;
		s->samples = 0;
		s->units = 0;
	}
	s->samples++;
	/* Half of it is enough to be one: it ends where the level changes. */
	if (s->samples < (s->units + 0.5) * s->unit)
		return;
	offset = s->offset + (uint64_t)(s->units * s->unit);
	s->units++;
	if (is_uart(pib))
		uart_bit(pib, level, offset);
	else
		manchester_phase(pib, level, offset);
}

void serial_end(struct rvtrace_pib *pib)
{
	struct manchester *m = &pib->serial.manchester;
	struct uart *uart = &pib->serial.uart;
	struct serial *s = &pib->serial;

	/* It may have been high all the time: that is idle. */
	if (is_uart(pib) && s->begun && !uart->locked && (!s->level || s->offset))
		damage(pib, RVTRACE_UNWRAP_UNSYNCHRONIZED, 0);
	if (uart->inside && uart->locked)
		damage(pib, RVTRACE_UNWRAP_TRUNCATED, uart->offset);
	if (m->state != MANCHESTER_SEARCH && m->state != MANCHESTER_IDLE)
		damage(pib, RVTRACE_UNWRAP_TRUNCATED, m->start);
}
