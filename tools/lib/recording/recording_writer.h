/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The writer of trace directories, as its own files see it. */
#ifndef RECORDING_WRITER_H
#define RECORDING_WRITER_H

#include "recording_internal.h"

#include <xxhash.h>

/* The two files that hold the metadata, in the order in which they are replaced. */
enum { METADATA_FILES = 2 };
extern const char *const metadata_files[METADATA_FILES];
extern const char *const metadata_temporary[METADATA_FILES];

/* Entries of a step that begins and wraps anywhere, and of what of it was overwritten */
#define RECORDER_BATCH	(RVTRACE_RECORDING_STEP / RVTRACE_RECORDING_PIECE + 8)

struct recorder_sink {
	char *name;
	int segment;			/* the .bin file being written */
	int direct;			/* the same with O_DIRECT, or -1 */
	int index;
	int records;
	uint64_t segment_bytes;
	uint64_t index_bytes;
	uint64_t index_room;		/* bytes of the disk that are kept for it */
	uint64_t records_room;
	uint64_t position;		/* behind what was stored or marked */
	struct recording_entry last;	/* the last write, in one */
	uint64_t unconfirmed;		/* bytes at its end that the writer before did not describe */
	struct rvtrace_recorder_totals totals;
	unsigned int batch_count;	/* entries that are not in the file yet */
	uint8_t batch[RECORDER_BATCH * RVTRACE_RECORDING_ENTRY_SIZE];
};

#define RECORDER_BOUNCE_SIZE	(64 * RVTRACE_RECORDING_BLOCK)

struct rvtrace_recorder {
	char *name;
	int directory;
	int sideband;
	int reserve[METADATA_FILES];	/* metadata_temporary, space reserved */
	XXH64_state_t *state;
	uint64_t sideband_bytes;
	uint64_t sideband_room;
	uint64_t sideband_last;		/* what may still come when the disk is full */
	uint64_t until_free_check;
	uint8_t *bounce;		/* aligned memory, RECORDER_BOUNCE_SIZE */
	struct rvtrace_recorder_options options;
	struct json_object *metadata;
	struct recorder_sink *sinks;
	size_t sink_count;
};

#define RECORDER_PARTS_MAX	4	/* members of an iovec */

/*
 * pwritev() all of it, continuing what was interrupted or written in part.
 * *@done grows by the bytes that are in the file, on failure too.
 */
int recorder_write_at(int fd, const struct iovec *iov, int count, uint64_t offset, uint64_t *done);

/* Files are opened with their owner's rights until rvtrace_owner_end(); or a negative errno. */
int recorder_as_owner(const struct rvtrace_recorder *recorder);

/* A second descriptor of a segment, past the page cache, or -1. */
int recorder_open_direct(int fd);

/* Adds a sink whose files are still to be opened; its number or a negative errno. */
int recorder_new_sink(struct rvtrace_recorder *recorder, const char *name,
		      struct rvtrace_failure *error);

/* Replaces metadata.json and its copy by what is in @metadata now. */
int recorder_replace_metadata(struct rvtrace_recorder *recorder,
			      struct rvtrace_failure *error);
/* Creates the files that recorder_replace_metadata() needs, on a disk that may get full. */
int recorder_reserve_metadata(struct rvtrace_recorder *recorder,
			      struct rvtrace_failure *error);
/* Totals and sizes of files, as they are now. */
void recorder_update_metadata(struct rvtrace_recorder *recorder);

/* Moves the first @limit bytes of @iov to @first; members of @first. */
int recorder_take(struct iovec *iov, int count, uint64_t limit, struct iovec first[2]);

/* Bytes in @iov. */
uint64_t recorder_length(const struct iovec *iov, int count);

/* Appends to the segment, which has room; *@done as above, from 0. */
int recorder_segment_write(struct rvtrace_recorder *recorder, struct recorder_sink *sink,
			   const struct iovec *iov, int count, uint64_t *done);

#endif /* RECORDING_WRITER_H */
