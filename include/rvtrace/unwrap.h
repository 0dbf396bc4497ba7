/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trace that left the chip, back to the bytes that the encoders sent: from
 * frames of the CoreSight formatter.
 *
 * A decoder takes its input in pieces of any size and hands on what it finds
 * through callbacks, in order. Damage never ends it: it says which bytes of
 * the input gave nothing and goes on where it can be certain again.
 */
#ifndef RVTRACE_UNWRAP_H
#define RVTRACE_UNWRAP_H

#include <stddef.h>
#include <stdint.h>

#include <rvtrace/error.h>

/**
 * enum rvtrace_unwrap_damage_kind - why input gave nothing
 * @RVTRACE_UNWRAP_UNSYNCHRONIZED: before the first place where reading can begin
 * @RVTRACE_UNWRAP_TRUNCATED: ends too early
 * @RVTRACE_UNWRAP_RESERVED_ID: ATB: a source that the specification reserves
 */
enum rvtrace_unwrap_damage_kind {
	RVTRACE_UNWRAP_UNSYNCHRONIZED,
	RVTRACE_UNWRAP_TRUNCATED,
	RVTRACE_UNWRAP_RESERVED_ID,
};

/**
 * struct rvtrace_unwrap_damage - input that gave nothing
 * @kind: why, where it began
 * @offset: of its first byte in the input
 * @length: bytes
 */
struct rvtrace_unwrap_damage {
	enum rvtrace_unwrap_damage_kind kind;
	uint64_t offset;
	uint64_t length;
};

/**
 * rvtrace_unwrap_damage_text() - a kind of damage in words
 * @kind: the kind
 *
 * Return: a static string, never NULL.
 */
const char *rvtrace_unwrap_damage_text(enum rvtrace_unwrap_damage_kind kind);

/**
 * struct rvtrace_unwrap_handler - who takes what was found
 * @bytes: trace, found at @offset of the input; valid during the call
 * @damage: what comes next does not follow what came before
 * @data: for all of them
 */
struct rvtrace_unwrap_handler {
	void (*bytes)(void *data, uint64_t offset, const uint8_t *bytes, size_t size);
	void (*damage)(void *data, const struct rvtrace_unwrap_damage *damage);
	void *data;
};

#define RVTRACE_ATB_IDS		128
#define RVTRACE_ATB_ID_FIRST	0x01
#define RVTRACE_ATB_ID_LAST	0x6f	/* the others are not sources of trace */

struct rvtrace_atb;

/**
 * rvtrace_atb_new() - a decoder of formatter frames (Arm CoreSight Architecture
 *	Specification v3.0, chapter D4)
 * @id: the source whose bytes are wanted, RVTRACE_ATB_ID_FIRST to
 *	RVTRACE_ATB_ID_LAST
 * @handler: takes them, copied
 * @atb: the new decoder; free it with rvtrace_atb_free()
 *
 * The input begins with a frame or a synchronization packet.
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_atb_new(unsigned int id, const struct rvtrace_unwrap_handler *handler,
		    struct rvtrace_atb **atb);
void rvtrace_atb_free(struct rvtrace_atb *atb);

/**
 * rvtrace_atb_feed() - give the decoder the next bytes
 * @atb: the decoder
 * @data: bytes
 * @size: how many
 */
void rvtrace_atb_feed(struct rvtrace_atb *atb, const void *data, size_t size);

/**
 * rvtrace_atb_end() - there is no more
 * @atb: the decoder
 */
void rvtrace_atb_end(struct rvtrace_atb *atb);

/**
 * rvtrace_atb_count() - bytes of a source up to now
 * @atb: the decoder
 * @id: any source, 0 to RVTRACE_ATB_IDS - 1
 */
uint64_t rvtrace_atb_count(const struct rvtrace_atb *atb, unsigned int id);

#endif /* RVTRACE_UNWRAP_H */
