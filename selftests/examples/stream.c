// SPDX-License-Identifier: GPL-2.0
/*
 * The trace of every sink of a recording, as the hardware wrote it; what was lost, on stderr.
 * C, and C++ as well.
 *
 *	cc stream.c $(pkg-config --cflags --libs librvtrace) -o stream
 *	stream RECORDING > TRACE
 */
#include <inttypes.h>
#include <stdio.h>

#include <rvtrace/rvtrace.h>

static int copy(struct rvtrace_recording *recording, size_t sink,
		struct rvtrace_failure *error)
{
	struct rvtrace_recording_stream *stream;
	struct rvtrace_chunk chunk;
	int ret;

	ret = rvtrace_recording_stream_open(recording, sink, &stream, error);
	if (ret)
		return ret;
	while ((ret = rvtrace_recording_stream_next(stream, &chunk, error)) > 0)
		if (chunk.data)
			fwrite(chunk.data, 1, chunk.length, stdout);
		else if (chunk.type == RVTRACE_CHUNK_LOST)
			fprintf(stderr, "%" PRIu64 " bytes lost at %" PRIu64 "\n", chunk.length,
				chunk.position);
	rvtrace_recording_stream_free(stream);
	return ret;
}

int main(int argc, char **argv)
{
	struct rvtrace_recording *recording;
	struct rvtrace_failure error;
	size_t i, count;
	int ret;

	if (argc != 2) {
		fprintf(stderr, "usage: stream RECORDING\n");
		return 2;
	}
	ret = rvtrace_recording_open(argv[1], &recording, &error);
	if (ret) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	count = rvtrace_recording_sink_count(recording);
	for (i = 0; i < count && !ret; i++)
		ret = copy(recording, i, &error);
	if (ret)
		fprintf(stderr, "%s\n", error.text);
	rvtrace_recording_free(recording);
	return ret != 0;
}
