/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decoders of trace that left the chip: they restore the bytes that the encoders sent, from samples
 * of the pins of a PIB, and from frames of the CoreSight formatter.
 *
 * A decoder takes its input in pieces of any size, and passes its results to callbacks, in order.
 * Damage never ends it: it reports the bytes of the input without a result and continues at the
 * next certain place.
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
 * enum rvtrace_unwrap_damage_kind - reason why input has no result
 * @RVTRACE_UNWRAP_UNSYNCHRONIZED: before the first place at which reading can begin; or up to the
 *	end if there is none, as when TRC_CLK never changes
 * @RVTRACE_UNWRAP_TRUNCATED: ends too early
 * @RVTRACE_UNWRAP_RESERVED_ID: ATB: a source that the specification reserves
 * @RVTRACE_UNWRAP_GLITCH: SWT: TRC_DATA[0] changed for less than half a bit
 * @RVTRACE_UNWRAP_STOP: UART: low in place of the stop bit
 * @RVTRACE_UNWRAP_TRANSITION: Manchester: high in both phases of a bit
 * @RVTRACE_UNWRAP_BYTE: Manchester: a stop bit within a byte
 * @RVTRACE_UNWRAP_MSEO: N-Trace: reserved sequence of MSEO bits
 * @RVTRACE_UNWRAP_TOO_LONG: N-Trace: the message is longer than any valid message
 * @RVTRACE_UNWRAP_ALIGNMENT: E-Trace: null.idle that does not end with null.alignment, or that is
 *	not a whole number of bytes long
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
 * struct rvtrace_unwrap_damage - input without a result
 * @kind: reason, at its first byte
 * @offset: offset of its first byte in the input
 * @length: bytes
 */
struct rvtrace_unwrap_damage {
	enum rvtrace_unwrap_damage_kind kind;
	uint64_t offset;
	uint64_t length;
};

/**
 * rvtrace_unwrap_damage_text() - text of a kind of damage
 * @kind: the kind
 *
 * Return: a static string, never NULL.
 */
const char *rvtrace_unwrap_damage_text(enum rvtrace_unwrap_damage_kind kind);

/**
 * struct rvtrace_unwrap_handler - receiver of the results
 * @size: sizeof(struct rvtrace_unwrap_handler), see rvtrace/rvtrace.h
 * @bytes: receives trace from @offset of the input; valid during the call. From a PIB, a whole
 *	message
 * @damage: reports damage: the next result does not follow the previous one
 * @calibration: PIB: reports the calibration pattern @count times in a row, from @offset of the
 *	input on; may be NULL
 * @data: passed to all of them
 */
struct rvtrace_unwrap_handler {
	size_t size;
	void (*bytes)(void *data, uint64_t offset, const uint8_t *bytes, size_t size);
	void (*damage)(void *data, const struct rvtrace_unwrap_damage *damage);
	void (*calibration)(void *data, uint64_t offset, uint64_t count);
	void *data;
};

/**
 * struct rvtrace_pib_config - parameters that the samples do not contain
 * @size: sizeof(struct rvtrace_pib_config), see rvtrace/rvtrace.h
 * @mode: pibMode, RVTRACE_PIB_MODE_* except off
 * @format: RVTRACE_FORMAT_*, which determines the form of idle and messages
 * @ref_center: parallel modes: pibRefCenter (trPibClkCenter)
 * @calibrate: pibCalibrate: the input has only the calibration pattern
 * @sample_bytes: bytes of a sample, at most 8; 0: as many as its signals need
 * @src_bits: E-Trace: width of srcID
 * @timestamp_bytes: E-Trace: bytes of a timestamp, if a packet has one
 * @samples_per_bit: SWT modes: samples in a bit period: 1, or 2 or more, not necessarily a whole
 *	number; Manchester, which has two phases, twice that. 0: the minimum
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
 * rvtrace_pib_new() - create a decoder of pin samples (TCI 0.9.4 chapter 12; 1.0 "Trace PIB Sink"),
 *	in the format of docs/formats.md, "Pin samples"
 * @config: parameters, copied
 * @handler: receives the results, copied
 * @pib: the new decoder; free it with rvtrace_pib_free()
 *
 * The results have no idle, no null packets and no calibration patterns.
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_TOO_NEW, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_pib_new(const struct rvtrace_pib_config *config,
		    const struct rvtrace_unwrap_handler *handler, struct rvtrace_pib **pib);

/**
 * rvtrace_pib_free() - free a decoder
 * @pib: the decoder, or NULL (no effect)
 */
void rvtrace_pib_free(struct rvtrace_pib *pib);

/**
 * rvtrace_pib_feed() - pass the next bytes to the decoder
 * @pib: the decoder
 * @samples: bytes; a sample may cross two calls
 * @size: number of bytes
 */
void rvtrace_pib_feed(struct rvtrace_pib *pib, const void *samples, size_t size);

/**
 * rvtrace_pib_end() - end of the input
 * @pib: the decoder
 */
void rvtrace_pib_end(struct rvtrace_pib *pib);

#define RVTRACE_ATB_IDS		128
#define RVTRACE_ATB_ID_FIRST	0x01
#define RVTRACE_ATB_ID_LAST	0x6f	/* the others are not sources of trace */

struct rvtrace_atb;

/**
 * rvtrace_atb_new() - create a decoder of formatter frames (Arm CoreSight Architecture
 *	Specification v3.0, chapter D4)
 * @id: the source whose bytes the handler receives, RVTRACE_ATB_ID_FIRST to RVTRACE_ATB_ID_LAST
 * @handler: receives the bytes, copied
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
 * @atb: the decoder, or NULL (no effect)
 */
void rvtrace_atb_free(struct rvtrace_atb *atb);

/**
 * rvtrace_atb_feed() - pass the next bytes to the decoder
 * @atb: the decoder
 * @data: bytes
 * @size: number of bytes
 */
void rvtrace_atb_feed(struct rvtrace_atb *atb, const void *data, size_t size);

/**
 * rvtrace_atb_end() - end of the input
 * @atb: the decoder
 */
void rvtrace_atb_end(struct rvtrace_atb *atb);

/**
 * rvtrace_atb_count() - count the bytes of a source up to now
 * @atb: the decoder
 * @id: any source, 0 to RVTRACE_ATB_IDS - 1
 */
uint64_t rvtrace_atb_count(const struct rvtrace_atb *atb, unsigned int id);

RVTRACE_END_DECLS

#endif /* RVTRACE_UNWRAP_H */
