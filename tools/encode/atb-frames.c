// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/atb-frames.h"

#include <string.h>

#define DATA_BYTES	15	/* of a frame; the auxiliary byte is behind them */
#define LAST_MIXED	14	/* byte that may be an ID and has no partner */
#define ID_REPEAT	8	/* frames after which an ID is said again */
#define ATB_ID_NEVER	0x7f

void atb_frames_init(struct atb_frames *frames, uint32_t sync_interval,
		     atb_frames_write write, void *opaque)
{
	memset(frames, 0, sizeof(*frames));
	frames->sync_interval = sync_interval;
	frames->write = write;
	frames->opaque = opaque;
	frames->id = ATB_ID_NEVER;
}

static void end_frame(struct atb_frames *frames)
{
	static const uint8_t full_sync[] = { 0xff, 0xff, 0xff, 0x7f };

	if (frames->sync_interval && frames->count % frames->sync_interval == 0)
		frames->write(frames->opaque, full_sync, sizeof(full_sync));
	frames->count++;
	frames->frames_since_id++;
	frames->write(frames->opaque, frames->frame, sizeof(frames->frame));
	memset(frames->frame, 0, sizeof(frames->frame));
	frames->used = 0;
}

static void put_auxiliary(struct atb_frames *frames, bool bit)
{
	frames->frame[DATA_BYTES] |= bit << (frames->used / 2);
}

static void put_id(struct atb_frames *frames, uint8_t id, bool delayed)
{
	put_auxiliary(frames, delayed);
	frames->frame[frames->used++] = id << 1 | 1;
	frames->id = id;
	frames->frames_since_id = 0;
}

static void put_data(struct atb_frames *frames, uint8_t byte)
{
	if (frames->used % 2) {
		frames->frame[frames->used++] = byte;
		return;
	}
	put_auxiliary(frames, byte & 1);
	frames->frame[frames->used++] = byte & ~1;
}

/* At the first byte of a pair, or at the last byte before the auxiliary one. */
static void put_byte(struct atb_frames *frames, uint8_t id, uint8_t byte)
{
	bool repeat = !frames->used && frames->frames_since_id >= ID_REPEAT;

	if (id != frames->id || repeat)
		put_id(frames, id, false);
	if (frames->used == DATA_BYTES)
		end_frame(frames);
	if (frames->used % 2) {
		put_data(frames, byte);
	} else if (frames->used == LAST_MIXED) {
		put_data(frames, byte);
		end_frame(frames);
	} else {
		/* Where it goes depends on whose byte comes next. */
		frames->pending = byte;
		frames->has_pending = true;
	}
}

static void put_after_pending(struct atb_frames *frames, uint8_t id, uint8_t byte)
{
	frames->has_pending = false;
	if (id == frames->id) {
		put_data(frames, frames->pending);
		put_data(frames, byte);
		return;
	}
	put_id(frames, id, true);
	put_data(frames, frames->pending);
	put_byte(frames, id, byte);
}

void atb_frames_put(struct atb_frames *frames, uint8_t id, const uint8_t *data, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++) {
		if (frames->has_pending)
			put_after_pending(frames, id, data[i]);
		else
			put_byte(frames, id, data[i]);
	}
}

void atb_frames_flush(struct atb_frames *frames)
{
	static const uint8_t nothing[1];

	while (frames->used || frames->has_pending) {
		if (frames->used == LAST_MIXED) {
			put_id(frames, ATB_ID_NULL, false);
			end_frame(frames);
		} else {
			atb_frames_put(frames, ATB_ID_NULL, nothing, sizeof(nothing));
		}
	}
}
