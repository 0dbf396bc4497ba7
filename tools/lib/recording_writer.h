/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The writer of trace directories, as its own files see it. */
#ifndef RECORDING_WRITER_H
#define RECORDING_WRITER_H

#include "recording_internal.h"

#define METADATA_FILE		"metadata.json"
#define METADATA_TEMPORARY	"metadata.json.tmp"

struct recorder_sink {
	char *name;
	int segment;			/* the .bin file being written */
	int direct;			/* the same with O_DIRECT, or -1 */
	int index;
	int records;
	uint64_t segment_bytes;
	uint64_t index_bytes;
	struct recording_entry last;	/* the last data entry */
	struct rvtrace_recorder_totals totals;
};

#define RECORDER_BOUNCE_SIZE	(64 * RVTRACE_RECORDING_BLOCK)

struct rvtrace_recorder {
	char *name;
	int directory;
	int sideband;
	int reserve;			/* METADATA_TEMPORARY, space reserved */
	uint64_t sideband_bytes;
	uint64_t until_free_check;
	uint8_t *bounce;		/* aligned memory, RECORDER_BOUNCE_SIZE */
	struct rvtrace_recorder_options options;
	struct json_object *metadata;
	struct recorder_sink *sinks;
	size_t sink_count;
};

/* Creates a file of the recording; a file descriptor or a negative errno. */
int recorder_create_file(struct rvtrace_recorder *recorder, const char *name,
			 struct rvtrace_recording_error *error);

/*
 * pwritev() all of it, continuing what was interrupted or written in part.
 * *@done grows by the bytes that are in the file, on failure too.
 */
int recorder_write_at(int fd, const struct iovec *iov, int count, uint64_t offset, uint64_t *done);

/* Moves the first @limit bytes of @iov to @first; members of @first. */
int recorder_take(struct iovec *iov, int count, uint64_t limit, struct iovec first[2]);

/* Bytes in @iov. */
uint64_t recorder_length(const struct iovec *iov, int count);

/* Appends to the segment, which has room; *@done as above, from 0. */
int recorder_segment_write(struct rvtrace_recorder *recorder, struct recorder_sink *sink,
			   const struct iovec *iov, int count, uint64_t *done);

#endif /* RECORDING_WRITER_H */
