/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trace that left the chip, back to the bytes that the encoders sent: from
 * samples of the pins of a PIB, and from frames of the CoreSight formatter.
 *
 * A decoder takes its input in pieces of any size and hands on what it finds
 * through callbacks, in order. Damage never ends it: it says which bytes of
 * the input gave nothing and goes on where it can be certain again.
 */
#ifndef RVTRACE_UNWRAP_H
#define RVTRACE_UNWRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/rvtrace_regs.h>

#include <rvtrace/decls.h>
#include <rvtrace/error.h>

RVTRACE_BEGIN_DECLS

/**
 * enum rvtrace_unwrap_damage_kind - why input gave nothing
 * @RVTRACE_UNWRAP_UNSYNCHRONIZED: before the first place where reading can begin, or the end if
 *	there is none, as where TRC_CLK never moves
 * @RVTRACE_UNWRAP_TRUNCATED: ends too early
 * @RVTRACE_UNWRAP_RESERVED_ID: ATB: a source that the specification reserves
 * @RVTRACE_UNWRAP_GLITCH: SWT: TRC_DATA[0] changed for less than half a bit
 * @RVTRACE_UNWRAP_STOP: UART: low where the stop bit should be
 * @RVTRACE_UNWRAP_TRANSITION: Manchester: high in both phases of a bit
 * @RVTRACE_UNWRAP_BYTE: Manchester: a stop bit within a byte
 * @RVTRACE_UNWRAP_MSEO: N-Trace: reserved sequence of MSEO bits
 * @RVTRACE_UNWRAP_TOO_LONG: N-Trace: the message is longer than any may be
 * @RVTRACE_UNWRAP_ALIGNMENT: E-Trace: null.idle that does not end with null.alignment, or not
 *	a whole number of bytes after it began
 * @RVTRACE_UNWRAP_CALIBRATION: differs from the calibration pattern
 */
enum rvtrace_unwrap_damage_kind {
	RVTRACE_UNWRAP_UNSYNCHRONIZED,
	RVTRACE_UNWRAP_TRUNCATED,
	RVTRACE_UNWRAP_RESERVED_ID,
	RVTRACE_UNWRAP_GLITCH,
	RVTRACE_UNWRAP_STOP,
	RVTRACE_UNWRAP_TRANSITION,
	RVTRACE_UNWRAP_BYTE,
	RVTRACE_UNWRAP_MSEO,
	RVTRACE_UNWRAP_TOO_LONG,
	RVTRACE_UNWRAP_ALIGNMENT,
	RVTRACE_UNWRAP_CALIBRATION,
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
 * @size: sizeof(struct rvtrace_unwrap_handler), see rvtrace/rvtrace.h
 * @bytes: trace, found at @offset of the input; valid during the call. From a PIB, a whole message
 * @damage: what comes next does not follow what came before
 * @calibration: PIB: the calibration pattern @count times in a row, from @offset of the input on;
 *	may be NULL
 * @data: for all of them
 */
struct rvtrace_unwrap_handler {
	size_t size;
	void (*bytes)(void *data, uint64_t offset, const uint8_t *bytes, size_t size);
	void (*damage)(void *data, const struct rvtrace_unwrap_damage *damage);
	void (*calibration)(void *data, uint64_t offset, uint64_t count);
	void *data;
};

/**
 * struct rvtrace_pib_config - what the samples do not say about themselves
 * @size: sizeof(struct rvtrace_pib_config), see rvtrace/rvtrace.h
 * @mode: pibMode, RVTRACE_PIB_MODE_* but off
 * @format: RVTRACE_FORMAT_*, which says what idle and messages look like
 * @ref_center: parallel modes: pibRefCenter (trPibClkCenter)
 * @calibrate: pibCalibrate: there is nothing but the calibration pattern
 * @sample_bytes: bytes of a sample, at most 8; 0: as many as its signals need
 * @src_bits: E-Trace: width of srcID
 * @timestamp_bytes: E-Trace: of a timestamp, if a packet has one
 * @samples_per_bit: SWT modes: samples in a bit period: 1 or, not necessarily a whole number, 2
 *	and more; Manchester, which has two phases, twice that. 0: the least
 */
struct rvtrace_pib_config {
	size_t size;
	uint8_t mode;
	uint8_t format;
	bool ref_center;
	bool calibrate;
	uint8_t sample_bytes;
	uint8_t src_bits;
	uint8_t timestamp_bytes;
	double samples_per_bit;
};

struct rvtrace_pib;

/**
 * rvtrace_pib_new() - a decoder of pin samples (TCI 0.9.4 chapter 12; 1.0 "Trace PIB Sink"), in
 *	the format that docs/formats.md gives under "Pin samples"
 * @config: parameters, copied
 * @handler: takes what is found, copied
 * @pib: the new decoder; free it with rvtrace_pib_free()
 *
 * Idle is left out, and so are null packets and calibration patterns.
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_TOO_NEW, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_pib_new(const struct rvtrace_pib_config *config,
		    const struct rvtrace_unwrap_handler *handler, struct rvtrace_pib **pib);

/**
 * rvtrace_pib_free() - free a decoder
 * @pib: the decoder; NULL: nothing is done
 */
void rvtrace_pib_free(struct rvtrace_pib *pib);

/**
 * rvtrace_pib_feed() - give the decoder the next bytes
 * @pib: the decoder
 * @samples: bytes; a sample may lie across two calls
 * @size: how many
 */
void rvtrace_pib_feed(struct rvtrace_pib *pib, const void *samples, size_t size);

/**
 * rvtrace_pib_end() - there is no more
 * @pib: the decoder
 */
void rvtrace_pib_end(struct rvtrace_pib *pib);

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
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_TOO_NEW, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_atb_new(unsigned int id, const struct rvtrace_unwrap_handler *handler,
		    struct rvtrace_atb **atb);

/**
 * rvtrace_atb_free() - free a decoder
 * @atb: the decoder; NULL: nothing is done
 */
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

RVTRACE_END_DECLS

#endif /* RVTRACE_UNWRAP_H */
