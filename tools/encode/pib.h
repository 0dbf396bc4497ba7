/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the pins of a Pin Interface Block do (TCI 0.9.4 chapter 12): one sample
 * each time that one of them may change, in the format that docs/formats.md
 * gives under "Pin samples".
 */
#ifndef RVTRACE_ENCODE_PIB_H
#define RVTRACE_ENCODE_PIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PIB_BUFFER	512

/**
 * struct pib_config - what the PIB was told
 * @mode: pibMode, one of RVTRACE_PIB_MODE_* but off
 * @format: RVTRACE_FORMAT_*, which says what idle looks like
 * @ref_center: pibRefCenter: TRC_CLK has its edges amid the bit periods
 * @null_run: E-Trace: null.idle packets in an alignment sequence, 31 plus whole
 *	bytes of srcID plus bytes of timestamp (E-Trace Encapsulation, "Synchronization")
 * @async_interval: bytes of messages between two alignment sequences; 0: there
 *	is one at the beginning only
 */
struct pib_config {
	uint8_t mode;
	uint8_t format;
	bool ref_center;
	uint32_t null_run;
	uint32_t async_interval;
};

/* Takes samples, in order. */
typedef void (*pib_write)(void *opaque, const uint8_t *samples, size_t size);

/* State of the pins; fields are private. */
struct pib {
	struct pib_config config;
	pib_write write;
	void *opaque;
	uint32_t since_async;
	bool clock;		/* TRC_CLK */
	bool has_first;		/* 16-bit mode: the first byte of two */
	bool unaligned;		/* E-Trace: null.idle without null.alignment */
	uint8_t first;
	uint16_t used;
	uint8_t buffer[PIB_BUFFER];
};

/* pibEnable was set: from the quiescent state to the first alignment sequence. */
void pib_init(struct pib *pib, const struct pib_config *config, pib_write write, void *opaque);

/* Send a whole message. */
void pib_message(struct pib *pib, const uint8_t *data, size_t size);

/* There is nothing to send for @periods bit periods, or somewhat longer. */
void pib_idle(struct pib *pib, uint32_t periods);

/*
 * Send the calibration pattern (chapter 12.2), @repeat times. The specification
 * does not say where start and stop bits of the Manchester protocol are: around
 * each repetition.
 */
void pib_calibrate(struct pib *pib, uint32_t repeat);

/* Hand on all samples there are. */
void pib_flush(struct pib *pib);

#endif /* RVTRACE_ENCODE_PIB_H */
