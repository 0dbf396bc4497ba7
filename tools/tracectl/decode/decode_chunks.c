// SPDX-License-Identifier: GPL-2.0
/* The bytes of a trace, from a recording or a file, to who reads its packets. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace_input.h"

#define PIECE	(256 * 1024)

static int chunks_of_file(const struct trace_input *in, input_take take, void *user,
			  struct rvtrace_failure *error)
{
	struct rvtrace_chunk chunk = { .type = RVTRACE_CHUNK_DATA };
	int fd = input_raw_open(in, error), ret = 0;
	uint8_t *buffer = malloc(PIECE);
	ssize_t got = 0;

	chunk.data = buffer;
	while (fd >= 0 && buffer && !ret && (got = read(fd, buffer, PIECE)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			ret = rvtrace_fail(error, errno, 0, "%s: %s", in->object, strerror(errno));
			break;
		}
		chunk.length = got;
		ret = take(user, &chunk);
		chunk.offset += got;
	}
	free(buffer);
	if (fd < 0)
		return fd;
	input_raw_close(fd);
	return buffer ? ret : -ENOMEM;
}

int input_each_chunk(const struct trace_input *in, input_take take, void *user,
		     struct rvtrace_failure *error)
{
	return in->raw ? chunks_of_file(in, take, user, error) :
	       rvtrace_recording_each_chunk(in->recording, in->sink, take, user, error);
}
