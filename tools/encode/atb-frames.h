/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace of several ATB sources as frames of the CoreSight formatter (Arm
 * CoreSight Architecture Specification v3.0, chapter D4 "Trace Formatter").
 */
#ifndef RVTRACE_ENCODE_ATB_FRAMES_H
#define RVTRACE_ENCODE_ATB_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ATB_FRAME_SIZE	16
#define ATB_ID_NULL	0x00
#define ATB_ID_TRIGGER	0x7d

/* Takes whole frames and synchronization packets, in order. */
typedef void (*atb_frames_write)(void *opaque, const uint8_t *data, size_t size);

/* State of one formatter; fields are private. */
struct atb_frames {
	atb_frames_write write;
	void *opaque;
	uint32_t sync_interval;
	uint32_t count;
	uint32_t frames_since_id;
	uint8_t frame[ATB_FRAME_SIZE];
	uint8_t used;		/* bytes of it, auxiliary byte aside */
	uint8_t id;		/* of the data that follows */
	uint8_t pending;	/* goes to the next pair of bytes */
	bool has_pending;
};

/**
 * atb_frames_init() - a formatter that has sent nothing
 * @sync_interval: frames between two full synchronization packets, one before
 *	the first; 0: there are none, as in a trace buffer
 */
void atb_frames_init(struct atb_frames *frames, uint32_t sync_interval,
		     atb_frames_write write, void *opaque);

/* Append @size bytes of source @id; ATB_ID_TRIGGER is one, too. */
void atb_frames_put(struct atb_frames *frames, uint8_t id, const uint8_t *data, size_t size);

/* Fill the frame that has begun with the null source. */
void atb_frames_flush(struct atb_frames *frames);

#endif /* RVTRACE_ENCODE_ATB_FRAMES_H */
