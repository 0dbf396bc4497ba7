// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * E-Trace packets among null packets (E-Trace Encapsulation 1.0, "Null
 * Encapsulation" and "Synchronization").
 */
#include "unwrap_pib.h"

#define LENGTH(header)	((header) & 0x1f)	/* 0: a null packet */
#define EXTEND(header)	((header) >> 7)
#define NULL_IDLE	0x00
#define TOP_BIT(m)	(1 << ((m)->width - 1))

/*
 * More nulls than a packet may hold: the next byte begins one. Where bytes are
 * not known, the one bit of null.alignment is the last one of it.
 */
static bool is_sync(struct messages *m, uint8_t value)
{
	uint64_t idle = m->idle;

	if (m->width == 8) {
		m->idle = LENGTH(value) ? 0 : idle + 1;
		return LENGTH(value) && idle > m->null_run;
	}
	m->idle = value ? 0 : idle + m->width;
	return value == TOP_BIT(m) && idle + m->width - 1 >= 8 * m->null_run + 7;
}

static void search(struct rvtrace_pib *pib, uint8_t value, uint64_t offset)
{
	struct messages *m = &pib->messages;

	if (is_sync(m, value))
		m->state = MESSAGES_BETWEEN;
	else if (!m->idle)
		messages_lose(pib, RVTRACE_UNWRAP_UNSYNCHRONIZED, offset);
}

/* null.idle ends with null.alignment, a whole number of bytes after it began. */
static void take_nulls(struct rvtrace_pib *pib, uint8_t value, uint64_t offset)
{
	struct messages *m = &pib->messages;

	m->filled = (m->filled + m->width) % 8;
	if (!value)
		return;
	if (value != TOP_BIT(m) || m->filled)
		messages_lose(pib, RVTRACE_UNWRAP_ALIGNMENT, offset);
	if (value == TOP_BIT(m))
		m->state = MESSAGES_BETWEEN;
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

	if (m->state == MESSAGES_SEARCH) {
		search(pib, value, offset);
		/* That was the end of null.alignment. */
		if (m->width < 8)
			return;
	}
	switch (m->state) {
	case MESSAGES_SEARCH:
		break;
	case MESSAGES_NULLS:
		take_nulls(pib, value, offset);
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
