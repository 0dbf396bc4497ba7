// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sequences of frames: each says where it lies and what its bytes hash to. */
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frames.h"
#include "recording_internal.h"

#define MAGIC	"RVTF"
#define WINDOW	65536		/* bytes searched at a time */

/*
 * Bytes that look like a header say how long the frame is, and there is one only if its checksum
 * is right. A real one is found behind as many false ones as this allows: by chance there is one
 * in 4 GiB.
 */
#define FALSE_MAX	(64 * 1048576ULL)	/* bytes of false frames, */
#define FALSE_SHARE	64			/* and so many times the file's */

/* As in the file, little-endian. */
struct header {
	uint64_t hash;		/* of everything behind it, payload and padding too */
	char magic[4];
	uint32_t length;	/* of the payload, which is padded to 8 */
	uint64_t offset;	/* of this header in its file */
};

_Static_assert(sizeof(struct header) == FRAME_HEADER, "header of a frame");

struct frames {
	struct rvtrace_recording *recording;
	char *file;
	int fd;			/* -1: no such file */
	uint64_t size;		/* of the file */
	uint64_t next;		/* where the next frame begins */
	uint64_t claimed;	/* where it says that it begins, if none is missing */
	uint64_t end;		/* behind the last intact one */
	bool missing;		/* something is, before that */
	uint64_t tried;		/* bytes of false frames */
	uint8_t *frame;		/* the last one read, header too */
	size_t room;
};

void frame_pack(uint8_t bytes[FRAME_HEADER], uint64_t offset, uint32_t length,
		const struct iovec *iov, int count, XXH64_state_t *state)
{
	struct header header = { .length = htole32(length), .offset = htole64(offset) };
	int i;

	memcpy(header.magic, MAGIC, sizeof(header.magic));
	XXH64_reset(state, 0);
	XXH64_update(state, &header.magic, sizeof(header) - sizeof(header.hash));
	for (i = 0; i < count; i++)
		if (iov[i].iov_len)
			XXH64_update(state, iov[i].iov_base, iov[i].iov_len);
	header.hash = htole64(XXH64_digest(state));
	memcpy(bytes, &header, sizeof(header));
}

int frames_open(struct rvtrace_recording *recording, const char *file, struct frames **out,
		struct rvtrace_failure *error)
{
	struct frames *frames = calloc(1, sizeof(*frames));
	int64_t size = 0;
	int ret = 0;

	*out = NULL;
	if (frames)
		frames->file = strdup(file);
	if (!frames || !frames->file) {
		free(frames);
		return rvtrace_fail(error, ENOMEM, 0, "%s: out of memory", recording->path);
	}
	frames->recording = recording;
	frames->fd = rvtrace_recording_open_file(recording, file);
	if (frames->fd >= 0)
		size = file_size(frames->fd);
	else if (frames->fd != -ENOENT)
		ret = frames->fd;
	if (ret || size < 0) {
		frames_close(frames);
		return recording_unreadable(recording, file, 0, ret ? ret : (int)size, error);
	}
	frames->size = size;
	*out = frames;
	return 0;
}

void frames_close(struct frames *frames)
{
	if (!frames)
		return;
	if (frames->fd >= 0)
		close(frames->fd);
	free(frames->frame);
	free(frames->file);
	free(frames);
}

uint64_t frames_end(const struct frames *frames)
{
	return frames->end;
}

bool frames_missing(const struct frames *frames)
{
	return frames->missing;
}

static bool plausible(const struct frames *frames, const struct header *header, uint64_t at)
{
	uint32_t length = le32toh(header->length);

	return !memcmp(header->magic, MAGIC, sizeof(header->magic)) &&
	       length <= RVTRACE_RECORDING_FRAME_MAX &&
	       frame_size(length) <= frames->size - at;
}

/* Whether an intact frame lies at @at, which then is in frames->frame; a negative errno. */
static int read_frame(struct frames *frames, uint64_t at)
{
	struct header header;
	size_t size;
	ssize_t got;

	got = file_pread(frames->fd, &header, sizeof(header), at);
	if (got < 0)
		return got;
	if (got < (ssize_t)sizeof(header) || !plausible(frames, &header, at))
		return 0;
	size = frame_size(le32toh(header.length));
	if (size > frames->room) {
		uint8_t *frame = realloc(frames->frame, size);

		if (!frame)
			return -ENOMEM;
		frames->frame = frame;
		frames->room = size;
	}
	got = file_pread(frames->fd, frames->frame, size, at);
	if (got < 0)
		return got;
	frames->tried += size;
	return (size_t)got == size &&
	       XXH64(frames->frame + sizeof(header.hash), size - sizeof(header.hash), 0) ==
		       le64toh(((struct header *)frames->frame)->hash);
}

static bool may_try(const struct frames *frames)
{
	return frames->tried <= FALSE_MAX + FALSE_SHARE * frames->size;
}

/* Finds the next intact frame behind @at; the end of the file without one. */
static int search(struct frames *frames, uint64_t at, uint64_t *found)
{
	const size_t before = offsetof(struct header, magic);
	uint8_t *window = malloc(WINDOW);
	const uint8_t *hit, *from;
	ssize_t got = window ? 0 : -ENOMEM;
	int ret = 0;

	*found = frames->size;
	for (at += before; !ret && got >= 0; at += got - 3) {
		got = file_pread(frames->fd, window, WINDOW, at);
		if (got < 4)
			break;
		for (from = window; !ret && may_try(frames) && (hit = memmem(from, window + got - from, MAGIC, 4));
		     from = hit + 1) {
			*found = at + (hit - window) - before;
			ret = read_frame(frames, *found);
		}
	}
	if (!ret)
		*found = frames->size;
	free(window);
	return got < 0 ? (int)got : ret;
}

/* Where frames are missing, or one lies that was read before; true: leave it out. */
static bool misplaced(struct frames *frames, const struct header *header, uint64_t size,
		      bool after_damage)
{
	uint64_t offset = le64toh(header->offset), expected = frames->claimed;

	if (offset < expected) {
		recording_damage(frames->recording, frames->file, frames->next, size,
				 "in the wrong place");
		return true;
	}
	frames->missing |= offset > expected;
	if (offset > expected && !after_damage)
		recording_damage(frames->recording, frames->file, frames->next, 0,
				 "%llu bytes are missing",
				 (unsigned long long)(offset - expected));
	frames->claimed = offset + size;
	return false;
}

int frames_next(struct frames *frames, const uint8_t **payload, size_t *length,
		struct rvtrace_failure *error)
{
	const struct header *header;
	bool skip = true;
	uint64_t size;

	if (frames->fd < 0)
		return 0;
	frames->missing = false;
	while (skip) {
		uint64_t begin = frames->next;
		int ret;

		if (begin >= frames->size)
			return 0;
		ret = read_frame(frames, begin);
		if (!ret)
			ret = search(frames, begin, &frames->next);
		if (ret < 0)
			return recording_unreadable(frames->recording, frames->file, begin, ret,
						    error);
		if (begin != frames->next) {
			recording_damage(frames->recording, frames->file, begin,
					 frames->next - begin, "damaged");
			frames->missing = true;
		}
		if (!ret)
			continue;
		header = (const void *)frames->frame;
		size = frame_size(le32toh(header->length));
		skip = misplaced(frames, header, size, begin != frames->next);
		frames->next += size;
		frames->end = frames->next;
		*payload = frames->frame + FRAME_HEADER;
		*length = le32toh(header->length);
	}
	return 1;
}
