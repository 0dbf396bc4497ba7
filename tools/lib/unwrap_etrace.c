// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * E-Trace packets among null packets (E-Trace Encapsulation 1.0, "Null
 * Encapsulation" and "Synchronization").
 */
#include "unwrap_pib.h"

#define LENGTH(header)	((header) & 0x1f)	/* 0: a null packet */
#define EXTEND(header)	((header) >> 7)
#define NULL_IDLE	0x00

/* More nulls than a packet may hold: what comes next is the first byte of one. */
static bool byte_sync(struct messages *m, uint8_t byte)
{
	uint64_t nulls = m->idle;

	m->idle = LENGTH(byte) ? 0 : nulls + 1;
	return LENGTH(byte) && nulls > m->null_run;
}

/* Where bytes begin is not known: the one bit of null.alignment is the last one of it. */
static bool bit_sync(struct messages *m, uint8_t value)
{
	uint64_t zeros = m->idle + m->width - 1;

	m->idle = value ? 0 : m->idle + m->width;
	return value == 1 << (m->width - 1) && zeros >= 8 * m->null_run + 7;
}

/* Returns whether there is nothing else in @value. */
static bool synchronize(struct rvtrace_pib *pib, uint8_t value, uint64_t offset)
{
	struct messages *m = &pib->messages;
	bool bytes = m->width == 8;

	if (!(bytes ? byte_sync(m, value) : bit_sync(m, value)) || m->state == MESSAGES_BETWEEN)
		return false;
	if (m->state == MESSAGES_INSIDE)
		messages_lose(pib, RVTRACE_UNWRAP_ALIGNMENT, offset);
	m->state = MESSAGES_BETWEEN;
	m->filled = 0;
	return !bytes;
}

static void take_header(struct rvtrace_pib *pib, uint8_t header)
{
	struct messages *m = &pib->messages;

	if (!LENGTH(header)) {
		if (header == NULL_IDLE && m->width < 8)
			m->state = MESSAGES_NULLS;
		return;
	}
	m->state = MESSAGES_INSIDE;
	m->buffer[0] = header;
	m->size = 1;
	m->left = LENGTH(header) + pib->config.src_bits / 8 +
		  EXTEND(header) * pib->config.timestamp_bytes;
}

static void take_byte(struct rvtrace_pib *pib, uint8_t byte)
{
	struct messages *m = &pib->messages;

	m->buffer[m->size++] = byte;
	if (--m->left)
		return;
	m->state = MESSAGES_BETWEEN;
	pib->handler.bytes(pib->handler.data, m->offsets[0], m->buffer, m->size);
}

void etrace_beat(struct rvtrace_pib *pib, uint8_t value, uint64_t offset)
{
	struct messages *m = &pib->messages;

	if (synchronize(pib, value, offset))
		return;
	switch (m->state) {
	case MESSAGES_SEARCH:
		if (m->width == 8 ? LENGTH(value) : value)
			messages_lose(pib, RVTRACE_UNWRAP_UNSYNCHRONIZED, offset);
		break;
	case MESSAGES_NULLS:
		if (value == 1 << (m->width - 1))
			m->state = MESSAGES_BETWEEN;
		else if (value)
			messages_lose(pib, RVTRACE_UNWRAP_ALIGNMENT, offset);
		break;
	case MESSAGES_BETWEEN:
		if (!m->filled) {
			messages_found(pib, offset);
			m->offsets[0] = offset;
		}
		if (messages_collect(m, value))
			take_header(pib, m->byte);
		break;
	case MESSAGES_INSIDE:
		if (messages_collect(m, value))
			take_byte(pib, m->byte);
		break;
	}
}

void etrace_end(struct rvtrace_pib *pib)
{
	struct messages *m = &pib->messages;

	if (m->state == MESSAGES_INSIDE || (m->filled && m->byte))
		messages_lose(pib, RVTRACE_UNWRAP_TRUNCATED, m->offsets[0]);
}
