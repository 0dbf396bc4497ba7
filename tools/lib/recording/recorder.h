/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writer of a trace directory. The files are described in docs/formats.md; the
 * reader is in recording.h.
 *
 * The writer only appends, metadata.json excepted, which is replaced
 * atomically. It neither prints nor aborts; errors are those of recording.h.
 */
#ifndef RVTRACE_RECORDER_H
#define RVTRACE_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <rvtrace/recording.h>

struct json_object;

struct rvtrace_recorder;

/**
 * struct rvtrace_recorder_options - how to write
 * @segment_size: bytes of a .bin file, at least RVTRACE_RECORDING_SEGMENT_MIN;
 *	0: RVTRACE_RECORDING_SEGMENT_SIZE; rounded up to RVTRACE_RECORDING_BLOCK
 * @min_free: bytes that must stay free on the file system; 0: no limit
 * @uid: owner of the files, (uid_t)-1: the process. Files are created, opened and replaced with
 *	no more rights than the owner has (tools/lib/base/owner.h)
 * @gid: group of the files, (gid_t)-1: the process
 */
struct rvtrace_recorder_options {
	uint64_t segment_size;
	uint64_t min_free;
	uid_t uid;
	gid_t gid;
};

/**
 * struct rvtrace_recorder_totals - what was written for one sink
 * @bytes: bytes of the stream
 * @lost: positions lost or untrusted
 * @segments: .bin files
 * @records: bytes of SINK.records
 * @entries: entries of SINK.idx
 */
struct rvtrace_recorder_totals {
	uint64_t bytes;
	uint64_t lost;
	uint64_t records;
	uint64_t entries;
	unsigned int segments;
};

/**
 * rvtrace_recording_directory - create or take the directory of a recording
 * @path: directory; made (mode 0750) when it does not exist, its parent not
 * @error: filled on failure, may be NULL
 *
 * Return: a file descriptor of the directory, which the caller owns, or
 * -EEXIST when it holds a recording already, or another negative errno.
 */
int rvtrace_recording_directory(const char *path, struct rvtrace_failure *error);

/**
 * rvtrace_recorder_new - start a recording in a directory
 * @directory: file descriptor of the directory; the recorder owns it from
 *	here on, on failure too
 * @name: what error texts call the directory; copied
 * @options: how to write, NULL: defaults
 * @out: the recorder; rvtrace_recorder_free() it
 * @error: filled on failure, may be NULL
 *
 * Files are created with O_EXCL: nothing that exists is written to.
 *
 * Return: 0, -EINVAL (segment size), -EEXIST, or another negative errno.
 */
int rvtrace_recorder_new(int directory, const char *name,
			 const struct rvtrace_recorder_options *options,
			 struct rvtrace_recorder **out,
			 struct rvtrace_failure *error);

/**
 * rvtrace_recorder_add_sink - add a sink, create its files
 * @recorder: the recorder
 * @name: name of the sink, as in file names: letters, digits, '-' and '_'
 * @error: filled on failure, may be NULL
 *
 * Return: number of the sink in this recording, from 0, or a negative errno.
 */
int rvtrace_recorder_add_sink(struct rvtrace_recorder *recorder, const char *name,
			      struct rvtrace_failure *error);

/**
 * rvtrace_recorder_resume - go on with a recording whose writer died
 * @directory: file descriptor of the directory; the recorder owns it from
 *	here on, on failure too
 * @name: as in rvtrace_recorder_new()
 * @options: @min_free, @uid and @gid are used; the segment size is the one of
 *	the recording
 * @out: the recorder, in the state of one that has begun, with the sinks and
 *	metadata that were there; rvtrace_recorder_free() it
 * @error: filled on failure, may be NULL
 *
 * Repairs the ends of the files as rvtrace_recording_recover() does.
 *
 * Return: 0, -EALREADY (the recording is complete), or another negative errno.
 */
int rvtrace_recorder_resume(int directory, const char *name,
			    const struct rvtrace_recorder_options *options,
			    struct rvtrace_recorder **out,
			    struct rvtrace_failure *error);

/**
 * rvtrace_recorder_find_sink - number of a sink, after a resume
 * @recorder: the recorder
 * @name: name of the sink
 *
 * Return: its number, or -ENOENT.
 */
int rvtrace_recorder_find_sink(const struct rvtrace_recorder *recorder, const char *name);

/**
 * rvtrace_recorder_position - where the stream of a sink goes on
 * @recorder: the recorder
 * @sink: number of the sink
 *
 * Return: the position behind the last byte stored or marked as lost, 0 when
 * there is none. Up to where it goes on the caller marks as lost.
 */
uint64_t rvtrace_recorder_position(const struct rvtrace_recorder *recorder, int sink);

/**
 * rvtrace_recorder_distrust - mark what the writer before had not described as overwritten
 * @recorder: a recorder that was resumed, before anything was written
 * @sink: number of the sink
 * @error: filled on failure, may be NULL
 *
 * For who cannot ask the driver any more whether the hardware overwrote it while it was copied.
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_recorder_distrust(struct rvtrace_recorder *recorder, int sink,
			      struct rvtrace_failure *error);

/**
 * rvtrace_recorder_metadata - the metadata as it will be written
 * @recorder: the recorder, begun
 *
 * Return: the object; it belongs to the recorder. Changes count when the
 * recording is finished.
 */
struct json_object *rvtrace_recorder_metadata(const struct rvtrace_recorder *recorder);

/**
 * rvtrace_recorder_begin - write metadata.json for the first time
 * @recorder: the recorder
 * @metadata: object as docs/formats.md describes it; the recorder takes a
 *	reference and sets `schema`, `complete` and, in each member of `sinks`
 *	whose `name` it knows, `segment_size`, `bytes`, `lost`, `segments`
 * @error: filled on failure, may be NULL
 *
 * Space for the last metadata.json is reserved, so that a full disk does not
 * prevent finishing.
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_recorder_begin(struct rvtrace_recorder *recorder, struct json_object *metadata,
			   struct rvtrace_failure *error);

/**
 * rvtrace_recorder_write - append trace bytes to a sink's stream
 * @recorder: the recorder
 * @sink: number of the sink
 * @position: position of the first byte
 * @iov: the bytes, in order; not changed
 * @count: members of @iov, 1 or 2
 * @error: filled on failure, may be NULL
 *
 * Writes past the page cache where the file system allows; cheapest while the
 * stream's size is a multiple of RVTRACE_RECORDING_BLOCK before and after the
 * call and the bytes are aligned to that in memory.
 *
 * Interrupted and partial writes are continued. On failure what was written
 * stays, and it is described as well. Index entries of up to
 * RVTRACE_RECORDING_STEP bytes are kept back until rvtrace_recorder_confirm():
 * were the writer to die before, readers trust nothing that has no entry.
 *
 * Return: 0, -ENOSPC (disk full or less than min_free left), -EIO, or another
 * negative errno.
 */
int rvtrace_recorder_write(struct rvtrace_recorder *recorder, int sink, uint64_t position,
			   const struct iovec *iov, int count,
			   struct rvtrace_failure *error);

/**
 * rvtrace_recorder_confirm - describe the last write in the index
 * @recorder: the recorder
 * @sink: number of the sink
 * @error: filled on failure, may be NULL
 *
 * To be called when it is known how much of it the hardware overwrote while it was copied, if
 * nothing. rvtrace_recorder_mark() says how much, and confirms the rest; the next
 * rvtrace_recorder_write() and rvtrace_recorder_finish() confirm, too.
 *
 * Return: 0, -ENOSPC, or another negative errno.
 */
int rvtrace_recorder_confirm(struct rvtrace_recorder *recorder, int sink,
			     struct rvtrace_failure *error);

/**
 * rvtrace_recorder_mark - append an index entry that carries no bytes
 * @recorder: the recorder
 * @sink: number of the sink
 * @type: any type but RVTRACE_CHUNK_DATA; RVTRACE_CHUNK_OVERWRITTEN refers to
 *	bytes of the last rvtrace_recorder_write()
 * @position: first position
 * @length: positions; 0 for session start and end
 * @flags: 0 or RVTRACE_CHUNK_AT_LEAST
 * @error: filled on failure, may be NULL
 *
 * Return: 0, -EINVAL (range outside the last write), or another negative errno.
 */
int rvtrace_recorder_mark(struct rvtrace_recorder *recorder, int sink,
			  enum rvtrace_chunk_type type, uint64_t position, uint64_t length,
			  uint32_t flags, struct rvtrace_failure *error);

/**
 * rvtrace_recorder_records - append records of the char device
 * @recorder: the recorder
 * @sink: number of the sink
 * @data: whole records without RVTRACE_RECORD_PAD
 * @size: bytes
 * @error: filled on failure, may be NULL
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_recorder_records(struct rvtrace_recorder *recorder, int sink, const void *data,
			     size_t size, struct rvtrace_failure *error);

/**
 * rvtrace_recorder_sideband_room - keep room for perf records
 * @recorder: the recorder
 * @size: bytes that may have to be written when the disk is full
 * @error: filled on failure, may be NULL
 *
 * Creates `sideband`.
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_recorder_sideband_room(struct rvtrace_recorder *recorder, uint64_t size,
				   struct rvtrace_failure *error);

/**
 * rvtrace_recorder_sideband - append perf records to `sideband`
 * @recorder: the recorder
 * @iov: whole records, in order; not changed
 * @count: members of @iov, 1 or 2
 * @error: filled on failure, may be NULL
 *
 * The file is created at the first call, unless it was before.
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_recorder_sideband(struct rvtrace_recorder *recorder, const struct iovec *iov,
			      int count, struct rvtrace_failure *error);

/**
 * rvtrace_recorder_create - create another file of the recording
 * @recorder: the recorder; none of its state is used or changed, so another
 *	thread or a forked child may call this
 * @name: as "images/kernel"; the folder is made when it does not exist
 * @error: filled on failure, may be NULL
 *
 * Return: a file descriptor the caller owns, -EEXIST, or another negative errno.
 */
int rvtrace_recorder_create(const struct rvtrace_recorder *recorder, const char *name,
			    struct rvtrace_failure *error);

/**
 * rvtrace_recorder_line - append a line to a .jsonl file of the recording
 * @recorder: the recorder; as in rvtrace_recorder_create()
 * @name: as "images/maps.jsonl"; file and folder are made when they do not exist
 * @object: an object; sealed on its way, not changed
 * @error: filled on failure, may be NULL
 *
 * Return: 0 or a negative errno; then nothing was appended.
 */
int rvtrace_recorder_line(const struct rvtrace_recorder *recorder, const char *name,
			  struct json_object *object, struct rvtrace_failure *error);

/**
 * rvtrace_recording_append_line - the same, without a recorder
 * @directory: file descriptor of the recording
 * @name: as "images/index.jsonl"
 * @object: an object; sealed on its way, not changed
 * @error: filled on failure, may be NULL
 *
 * Return: 0 or a negative errno; then nothing was appended.
 */
int rvtrace_recording_append_line(int directory, const char *name, struct json_object *object,
				  struct rvtrace_failure *error);

/**
 * rvtrace_recording_update_sizes - let metadata.json know lines appended later
 * @directory: file descriptor of a complete recording
 * @error: filled on failure, may be NULL
 *
 * From then on a cut of those files can be told.
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_recording_update_sizes(int directory, struct rvtrace_failure *error);

/**
 * rvtrace_recorder_add_error - add a line to `errors` of metadata.json
 * @recorder: the recorder, after rvtrace_recorder_begin()
 * @text: the line; copied
 */
void rvtrace_recorder_add_error(struct rvtrace_recorder *recorder, const char *text);

/**
 * rvtrace_recorder_save_metadata - write metadata.json as it is now
 * @recorder: the recorder, after rvtrace_recorder_begin() or rvtrace_recorder_resume()
 * @error: filled on failure, may be NULL
 *
 * What was added stays even if nobody can finish the recording. Not on a disk that
 * is full: room is needed for the last metadata.json, too.
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_recorder_save_metadata(struct rvtrace_recorder *recorder,
				   struct rvtrace_failure *error);

/**
 * rvtrace_recorder_totals - numbers of a sink so far
 * @recorder: the recorder
 * @sink: number of the sink
 * @totals: filled
 */
void rvtrace_recorder_totals(const struct rvtrace_recorder *recorder, int sink,
			     struct rvtrace_recorder_totals *totals);

/**
 * rvtrace_recorder_finish - replace metadata.json, `complete` now true
 * @recorder: the recorder; only rvtrace_recorder_totals() and
 *	rvtrace_recorder_free() may follow
 * @error: filled on failure, may be NULL
 *
 * Return: 0 or a negative errno; the first metadata.json is then still there.
 */
int rvtrace_recorder_finish(struct rvtrace_recorder *recorder,
			    struct rvtrace_failure *error);

/**
 * rvtrace_recorder_free - close all files
 * @recorder: the recorder or NULL; without rvtrace_recorder_finish() the
 *	recording stays incomplete, as if it had been cut here
 */
void rvtrace_recorder_free(struct rvtrace_recorder *recorder);

#endif /* RVTRACE_RECORDER_H */
