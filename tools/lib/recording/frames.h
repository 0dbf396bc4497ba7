/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sequences of frames: SINK.records and `sideband`, docs/formats.md. */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <xxhash.h>

#include <rvtrace/recording.h>

#define FRAME_HEADER	24	/* bytes */

/* Header of a frame at @offset of its file; its payload, padded, is in @iov. */
void frame_pack(uint8_t header[FRAME_HEADER], uint64_t offset, uint32_t length,
		const struct iovec *iov, int count, XXH64_state_t *state);

/* Bytes of the whole frame with a payload of @length. */
static inline uint64_t frame_size(uint64_t length)
{
	return FRAME_HEADER + ((length + 7) & ~7ULL);
}

struct frames;

/* Reads @file of the recording; without it there are no frames. */
int frames_open(struct rvtrace_recording *recording, const char *file, struct frames **out,
		struct rvtrace_failure *error);
void frames_close(struct frames *frames);

/*
 * The payload of the next intact frame, valid until the next call; damage is
 * listed. 1, 0 at the end, or a negative errno.
 */
int frames_next(struct frames *frames, const uint8_t **payload, size_t *length,
		struct rvtrace_failure *error);

/* Whether there was something between the last intact frame and the one before it. */
bool frames_missing(const struct frames *frames);

/* Offset behind the last intact frame. */
uint64_t frames_end(const struct frames *frames);

#endif /* FRAMES_H */
