// SPDX-License-Identifier: LGPL-2.1-or-later
/* N-Trace messages among idle (N-Trace 1.0, "PIB Idle Cycles Explained"). */
#include "unwrap_pib.h"

#define MSEO(byte)	((byte) & 3)
#define MSEO_RESERVED	2
#define MSEO_END	3

/*
 * Ones in a row before a zero: the longest run within a message has 13, so that
 * after more the zero begins a message. The specification demands one idle byte
 * only; then what follows shows whether it was one.
 */
#define IDLE_CERTAIN	14
#define IDLE_LIKELY	8

/* What is held are messages. */
static void trust(struct rvtrace_pib *pib)
{
	struct messages *m = &pib->messages;
	size_t begin, end = 0;
	unsigned int i;

	messages_found(pib, m->offsets[0]);
	for (i = 0; i < m->held; i++) {
		begin = end;
		while (MSEO(m->buffer[end++]) != MSEO_END)
			;
		pib->handler.bytes(pib->handler.data, m->offsets[i], m->buffer + begin,
				   end - begin);
	}
	m->trial = false;
	m->held = 0;
	m->size = 0;
}

/* This is no message: on trial, it need not be one's fault. */
static void refuse(struct rvtrace_pib *pib, enum rvtrace_unwrap_damage_kind kind)
{
	struct messages *m = &pib->messages;

	messages_lose(pib, m->trial ? RVTRACE_UNWRAP_UNSYNCHRONIZED : kind, m->offsets[0]);
}

static void take_byte(struct rvtrace_pib *pib, uint8_t byte)
{
	struct messages *m = &pib->messages;
	unsigned int mseo = MSEO(byte);

	if (mseo == MSEO_RESERVED || (mseo && !m->length)) {
		refuse(pib, RVTRACE_UNWRAP_MSEO);
		/* Bytes are where they are: one that ends a message does. */
		if (mseo == MSEO_END && m->width == 8)
			m->state = MESSAGES_BETWEEN;
		return;
	}
	if (m->length == RVTRACE_NTRACE_MESSAGE_MAX) {
		refuse(pib, RVTRACE_UNWRAP_TOO_LONG);
		return;
	}
	m->buffer[m->size++] = byte;
	m->length++;
	if (mseo != MSEO_END)
		return;
	m->state = MESSAGES_BETWEEN;
	m->held++;
	if (!m->trial || m->held == UNWRAP_TRIAL)
		trust(pib);
}

/* Returns whether a message begins here. */
static bool search(struct rvtrace_pib *pib, uint8_t value, bool ones, uint64_t idle,
		   uint64_t offset)
{
	struct messages *m = &pib->messages;

	if (ones && m->width < 8)
		return false;
	if (m->width == 8 ? !ones : idle < IDLE_LIKELY)
		messages_lose(pib, RVTRACE_UNWRAP_UNSYNCHRONIZED, offset);
	if (m->width == 8) {
		if (MSEO(value) == MSEO_END)
			m->state = MESSAGES_BETWEEN;
		return false;
	}
	m->trial = idle < IDLE_CERTAIN;
	return idle >= IDLE_LIKELY;
}

void ntrace_beat(struct rvtrace_pib *pib, uint8_t value, uint64_t offset)
{
	struct messages *m = &pib->messages;
	bool ones = value == (1 << m->width) - 1;
	uint64_t idle = m->idle;

	m->idle = ones ? idle + m->width : 0;
	if (m->state == MESSAGES_SEARCH && !search(pib, value, ones, idle, offset))
		return;
	if (m->state != MESSAGES_INSIDE) {
		if (ones)
			return;
		/* This is certain, unlike what is on trial. */
		if (m->trial && idle >= IDLE_CERTAIN)
			refuse(pib, RVTRACE_UNWRAP_UNSYNCHRONIZED);
		m->offsets[m->held] = offset;
		m->length = 0;
		m->state = MESSAGES_INSIDE;
	}
	if (messages_collect(m, value))
		take_byte(pib, m->byte);
}
