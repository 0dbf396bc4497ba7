/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One stream of several encoders, for formats that have such: the funnel that they lead to has it,
 * so that what depends on places of the buffer is where its sink has it.
 */
#ifndef RVTRACE_MODEL_SHARED_STREAM_H
#define RVTRACE_MODEL_SHARED_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct shared_stream - that stream, as it is lent to one encoder at a time
 * @input: the funnel's, that the encoder leads to
 * @wait: the hart waits for room
 * @waited: it had to
 * @put: take @size bytes
 * @has_room: whether so many would be taken; false: what they tell is lost
 * @opaque: of these
 * @state: what the format has of its own, as large as struct shared_format says
 */
struct shared_stream {
	unsigned int input;
	bool wait;
	bool waited;
	void (*put)(void *opaque, const uint8_t *bytes, size_t size);
	bool (*has_room)(void *opaque, size_t size);
	void *opaque;
	void *state;
};

/**
 * struct shared_format - how encoders of a format share a stream
 * @state_size: bytes of its state
 * @check: NULL, or what is wrong with a buffer of @bytes
 * @init: the stream is at the start of such a buffer
 */
struct shared_format {
	size_t state_size;
	const char *(*check)(uint32_t bytes);
	void (*init)(struct shared_stream *stream, uint32_t bytes);
};

/* That of the one format that has it. */
const struct shared_format *shared_format(void);

#endif /* RVTRACE_MODEL_SHARED_STREAM_H */
