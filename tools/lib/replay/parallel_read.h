/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stream in pieces of nearly equal size, from a file or a recording. */
#ifndef RVTRACE_PARALLEL_READ_H
#define RVTRACE_PARALLEL_READ_H

#include <stddef.h>
#include <stdint.h>

#include <rvtrace/recording.h>

/**
 * struct stream_gap - bytes that are missing, or a restart of timestamps
 * @bytes: how many, as rvtrace_flow_lost() wants it
 * @next: stream offset of what follows
 * @restart: number of the restart, as rvtrace_flow_restart() wants it; 0: bytes are missing
 */
struct stream_gap {
	uint64_t bytes;
	uint64_t next;
	unsigned int restart;
};

/**
 * struct stream_piece - bytes that follow one another
 * @gaps, @gap_count, @gap_room: what is missing before them
 * @bytes, @size: they; neither them nor gaps: the stream is at its end
 * @offset: stream offset of the first one
 * @restart: number of the last restart before them, 0 without
 */
struct stream_piece {
	struct stream_gap *gaps;
	size_t gap_count;
	size_t gap_room;
	uint8_t *bytes;
	size_t size;
	uint64_t offset;
	unsigned int restart;
};

/**
 * struct stream_reader - where it is read from
 * @recording: NULL: @fd is
 * @name: what error texts call it
 * @left: of the recording, what is left of the last chunk
 * @next: stream offset of what was not read yet
 * @restart: number of the last restart before it, 0 without
 */
struct stream_reader {
	struct rvtrace_recording_stream *recording;
	int fd;
	const char *name;
	struct rvtrace_chunk left;
	uint64_t next;
	unsigned int restart;
};

int stream_read(struct stream_reader *reader, struct stream_piece *piece, size_t room,
		struct rvtrace_failure *error);
void stream_piece_free(struct stream_piece *piece);

#endif /* RVTRACE_PARALLEL_READ_H */
