/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trace directory: writer and reader. The files are described in
 * docs/formats.md.
 *
 * The writer only appends, metadata.json excepted, which is replaced
 * atomically. The reader opens a recording that is complete, was cut anywhere
 * or is damaged: it reads what is intact and lists what is not
 * (rvtrace_recording_damage()). Neither prints or aborts; every function that
 * can fail returns 0 (or a count) or a negative errno and, where it takes one,
 * fills a struct rvtrace_recording_error.
 */
#ifndef RVTRACE_RECORDING_H
#define RVTRACE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <linux/rvtrace.h>

struct json_object;

#define RVTRACE_RECORDING_SCHEMA	2
#define RVTRACE_RECORDING_ENTRY_SIZE	64	/* bytes of an entry of SINK.idx */
#define RVTRACE_RECORDING_PIECE	(64 * 1024)	/* bytes the writer describes with one entry */
#define RVTRACE_RECORDING_PIECE_MAX	(1024 * 1024)	/* that one may describe */
#define RVTRACE_RECORDING_FRAME_MAX	(4 * 1024 * 1024)	/* bytes in a frame */
#define RVTRACE_RECORDING_BLOCK	4096	/* see rvtrace_recorder_write() */
#define RVTRACE_RECORDING_SEGMENT_MIN	(64 * 1024)
#define RVTRACE_RECORDING_SEGMENT_SIZE	(1024ULL * 1024 * 1024) /* default */

/**
 * struct rvtrace_recording_error - what went wrong, and where
 * @code: errno value, positive; EBADMSG when a file holds what it must not
 * @offset: byte offset in the file, where it means something, else 0
 * @text: one line: file, offset where it helps, what is wrong
 */
struct rvtrace_recording_error {
	int code;
	uint64_t offset;
	char text[512];
};

/**
 * rvtrace_fail - fill an error
 * @error: filled, may be NULL
 * @code: errno value, positive
 * @offset: byte offset in a file, or 0
 * @format: printf format of one line
 *
 * Return: -@code.
 */
__attribute__((format(printf, 4, 5)))
int rvtrace_fail(struct rvtrace_recording_error *error, int code, uint64_t offset,
		 const char *format, ...);

/**
 * enum rvtrace_chunk_type - type of an entry of SINK.idx and of a chunk
 * @RVTRACE_CHUNK_DATA: trace bytes
 * @RVTRACE_CHUNK_LOST: positions whose bytes are not in the stream
 * @RVTRACE_CHUNK_OVERWRITTEN: trace bytes the hardware may have overwritten
 *	while they were copied
 * @RVTRACE_CHUNK_SESSION_START: a session starts
 * @RVTRACE_CHUNK_SESSION_END: a session ended
 */
enum rvtrace_chunk_type {
	RVTRACE_CHUNK_DATA = 1,
	RVTRACE_CHUNK_LOST = 2,
	RVTRACE_CHUNK_OVERWRITTEN = 3,
	RVTRACE_CHUNK_SESSION_START = 4,
	RVTRACE_CHUNK_SESSION_END = 5,
};

/**
 * enum rvtrace_chunk_flags - flags of an entry of SINK.idx and of a chunk
 * @RVTRACE_CHUNK_AT_LEAST: more may be missing
 * @RVTRACE_CHUNK_RECOVERED: data: described by who repaired the recording, so
 *	the checksum says nothing about how the bytes came there
 * @RVTRACE_CHUNK_CUT: reader only: the file ends before these bytes
 * @RVTRACE_CHUNK_DAMAGED: reader only: the bytes are not those written
 */
enum rvtrace_chunk_flags {
	RVTRACE_CHUNK_AT_LEAST = 1,
	RVTRACE_CHUNK_RECOVERED = 2,
	RVTRACE_CHUNK_CUT = 1 << 16,
	RVTRACE_CHUNK_DAMAGED = 1 << 17,
};

#define RVTRACE_HASH_TEXT	17	/* characters of a checksum in JSON, NUL too */

/**
 * rvtrace_content_hash - XXH64 of the bytes of a file
 * @bytes: the whole file
 * @size: bytes
 * @text: filled with 16 hexadecimal digits: `content` of a line of
 *	images/index.jsonl
 */
void rvtrace_content_hash(const void *bytes, size_t size, char text[RVTRACE_HASH_TEXT]);

/* --- writer --- */

struct rvtrace_recorder;

/**
 * struct rvtrace_recorder_options - how to write
 * @segment_size: bytes of a .bin file, at least RVTRACE_RECORDING_SEGMENT_MIN;
 *	0: RVTRACE_RECORDING_SEGMENT_SIZE; rounded up to RVTRACE_RECORDING_BLOCK
 * @min_free: bytes that must stay free on the file system; 0: no limit
 * @uid: owner of the files, (uid_t)-1: the process
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
int rvtrace_recording_directory(const char *path, struct rvtrace_recording_error *error);

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
			 struct rvtrace_recording_error *error);

/**
 * rvtrace_recorder_add_sink - add a sink, create its files
 * @recorder: the recorder
 * @name: name of the sink, as in file names: letters, digits, '-' and '_'
 * @error: filled on failure, may be NULL
 *
 * Return: number of the sink in this recording, from 0, or a negative errno.
 */
int rvtrace_recorder_add_sink(struct rvtrace_recorder *recorder, const char *name,
			      struct rvtrace_recording_error *error);

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
			    struct rvtrace_recording_error *error);

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
			   struct rvtrace_recording_error *error);

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
 * stays, and an index entry for it is written if the disk still takes one.
 *
 * Return: 0, -ENOSPC (disk full or less than min_free left), -EIO, or another
 * negative errno.
 */
int rvtrace_recorder_write(struct rvtrace_recorder *recorder, int sink, uint64_t position,
			   const struct iovec *iov, int count,
			   struct rvtrace_recording_error *error);

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
			  uint32_t flags, struct rvtrace_recording_error *error);

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
			     size_t size, struct rvtrace_recording_error *error);

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
				   struct rvtrace_recording_error *error);

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
			      int count, struct rvtrace_recording_error *error);

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
			    struct rvtrace_recording_error *error);

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
			  struct json_object *object, struct rvtrace_recording_error *error);

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
				  struct rvtrace_recording_error *error);

/**
 * rvtrace_recording_update_sizes - let metadata.json know lines appended later
 * @directory: file descriptor of a complete recording
 * @error: filled on failure, may be NULL
 *
 * From then on a cut of those files can be told.
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_recording_update_sizes(int directory, struct rvtrace_recording_error *error);

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
				   struct rvtrace_recording_error *error);

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
			    struct rvtrace_recording_error *error);

/**
 * rvtrace_recorder_free - close all files
 * @recorder: the recorder or NULL; without rvtrace_recorder_finish() the
 *	recording stays incomplete, as if it had been cut here
 */
void rvtrace_recorder_free(struct rvtrace_recorder *recorder);

/* --- reader --- */

struct rvtrace_recording;
struct rvtrace_recording_stream;
struct rvtrace_recording_records;

/**
 * struct rvtrace_recording_source - an encoder whose trace is in a stream
 * @component: name, as "encoder0"
 * @format: "ntrace", "etrace" or "vendor"
 * @src_id: its source id
 * @src_bits: width of the source id in its messages, 0: none
 * @cpus: CPU numbers
 * @cpu_count: members of @cpus
 * @harts: hart ids
 * @hart_count: members of @harts
 * @attributes: every sysfs attribute, as an object of strings; never NULL
 */
struct rvtrace_recording_source {
	const char *component;
	const char *format;
	unsigned int src_id;
	unsigned int src_bits;
	const unsigned int *cpus;
	size_t cpu_count;
	const uint64_t *harts;
	size_t hart_count;
	struct json_object *attributes;
};

/**
 * struct rvtrace_recording_sink - a sink of a recording
 * @name: as "rvtrace0"
 * @component: as "funnel0"; "" when not known
 * @mode: "stream", "fill" or "snapshot"; "" when not known
 * @data_size: bytes of the ring, 0 when not known
 * @bytes: bytes of the stream, counted now from the files
 * @lost: positions lost or untrusted, counted now from SINK.idx
 * @lost_at_least: @lost is a lower bound
 * @segments: .bin files
 * @sources: the encoders
 * @source_count: members of @sources
 */
struct rvtrace_recording_sink {
	const char *name;
	const char *component;
	const char *mode;
	uint64_t data_size;
	uint64_t bytes;
	uint64_t lost;
	bool lost_at_least;
	unsigned int segments;
	const struct rvtrace_recording_source *sources;
	size_t source_count;
};

/**
 * struct rvtrace_chunk - a piece of a stream
 * @type: what it is
 * @flags: RVTRACE_CHUNK_AT_LEAST, RVTRACE_CHUNK_CUT
 * @position: position of the char device
 * @offset: offset in the concatenated stream
 * @length: bytes at @data, or positions lost; 0 for session start and end
 * @time: CLOCK_MONOTONIC, ns, when it was written; 0 when not known
 * @data: the bytes of RVTRACE_CHUNK_DATA and RVTRACE_CHUNK_OVERWRITTEN, valid
 *	until the next call; else NULL
 */
struct rvtrace_chunk {
	enum rvtrace_chunk_type type;
	uint32_t flags;
	uint64_t position;
	uint64_t offset;
	uint64_t length;
	uint64_t time;
	const uint8_t *data;
};

/**
 * rvtrace_recording_open - open a trace directory
 * @path: the directory
 * @out: the recording; rvtrace_recording_free() it
 * @error: filled on failure, may be NULL
 *
 * Fails only where nothing can be read. What is damaged is left out and listed;
 * without metadata the sinks are those whose files are there.
 *
 * Return: 0, -ENOENT (neither metadata nor a sink's files), -EPROTONOSUPPORT
 * (schema of another version), or another negative errno.
 */
int rvtrace_recording_open(const char *path, struct rvtrace_recording **out,
			   struct rvtrace_recording_error *error);

/**
 * rvtrace_recording_free - close a recording
 * @recording: the recording or NULL; its streams and records are freed before
 */
void rvtrace_recording_free(struct rvtrace_recording *recording);

/**
 * rvtrace_recording_complete - whether the writer finished
 * @recording: the recording
 */
bool rvtrace_recording_complete(const struct rvtrace_recording *recording);

/**
 * rvtrace_recording_metadata - the whole metadata.json
 * @recording: the recording
 *
 * Return: the object; it belongs to the recording and must not be changed.
 */
struct json_object *rvtrace_recording_metadata(const struct rvtrace_recording *recording);

/**
 * rvtrace_recording_open_file - open another file of the directory for reading
 * @recording: the recording
 * @name: path relative to the directory, as "images/kernel"
 *
 * Nothing outside of the directory is opened: neither an absolute path nor one
 * with "..", nor through a symbolic link.
 *
 * Return: a file descriptor the caller owns, -EINVAL (such a name), -ELOOP, or
 * another negative errno.
 */
int rvtrace_recording_open_file(const struct rvtrace_recording *recording, const char *name);

/**
 * struct rvtrace_damage - bytes of a recording that are not what was written
 * @file: name of the file in the directory
 * @offset: first byte; where bytes are missing, the byte behind them
 * @length: bytes; 0 where bytes are missing
 * @text: one line: file, bytes, what is wrong
 */
struct rvtrace_damage {
	const char *file;
	uint64_t offset;
	uint64_t length;
	const char *text;
};

/**
 * rvtrace_recording_damage - damage met so far
 * @recording: the recording
 * @index: from 0
 *
 * Grows as the recording is read: opening it checks metadata and index,
 * everything else is checked when it is read. Neighbours are told as one, and
 * beyond a thousand the last one stands for the rest.
 *
 * Return: the damage, valid until the recording is read on or freed; NULL when
 * @index is too big.
 */
const struct rvtrace_damage *rvtrace_recording_damage(const struct rvtrace_recording *recording,
						      size_t index);

/**
 * rvtrace_recording_lines - read a .jsonl file
 * @recording: the recording
 * @name: as "images/index.jsonl"
 * @line: called with the object of every intact line, which it may keep by
 *	json_object_get(), and the offset of the line; other than 0 ends the reading
 * @data: passed to @line
 * @error: filled on failure, may be NULL
 *
 * Return: 0, without the file too; what @line returned; or a negative errno.
 */
int rvtrace_recording_lines(struct rvtrace_recording *recording, const char *name,
			    int (*line)(void *data, struct json_object *object, uint64_t offset),
			    void *data, struct rvtrace_recording_error *error);

/**
 * rvtrace_recording_sideband - all intact records of the side band
 * @recording: the recording
 * @bytes: filled with perf records, one after the other; free() it
 * @size: bytes; 0 when there are none
 * @error: filled on failure, may be NULL
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_recording_sideband(struct rvtrace_recording *recording, void **bytes, size_t *size,
			       struct rvtrace_recording_error *error);

/**
 * rvtrace_recording_check_image - compare a file with what its line says
 * @recording: the recording
 * @entry: a line of images/index.jsonl
 *
 * Whether the file has the bytes that `size` and `content` promise; if not, or
 * if it is missing, that is added to the damage.
 */
void rvtrace_recording_check_image(struct rvtrace_recording *recording,
				   struct json_object *entry);

/**
 * rvtrace_recording_verify - read everything once
 * @recording: the recording
 * @error: filled on failure, may be NULL
 *
 * Afterwards all damage is known.
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_recording_verify(struct rvtrace_recording *recording,
			     struct rvtrace_recording_error *error);

/**
 * rvtrace_recording_recover - repair what a cut or a crash left
 * @directory: file descriptor of the directory; stays the caller's
 * @name: what texts call the directory
 * @dry_run: change nothing, only say
 * @did: called with one line for each thing that is done; may be NULL
 * @data: passed to @did
 * @error: filled on failure, may be NULL
 *
 * Files that end within an item are cut to whole items, stream bytes that the
 * index does not describe are described, what the index describes and is not
 * there becomes lost, metadata is made final. Damage in the midst of a file
 * stays. A recording on which there is nothing to do is not touched.
 *
 * Return: how many things were (or are to be) done, or a negative errno.
 */
int rvtrace_recording_recover(int directory, const char *name, bool dry_run,
			      void (*did)(void *data, const char *text), void *data,
			      struct rvtrace_recording_error *error);

/**
 * rvtrace_recording_sink_count - how many sinks were recorded
 * @recording: the recording
 */
size_t rvtrace_recording_sink_count(const struct rvtrace_recording *recording);

/**
 * rvtrace_recording_sink - one sink
 * @recording: the recording
 * @index: from 0 to rvtrace_recording_sink_count() - 1
 *
 * Return: the sink, owned by the recording; NULL when @index is too big.
 */
const struct rvtrace_recording_sink *
rvtrace_recording_sink(const struct rvtrace_recording *recording, size_t index);

/**
 * rvtrace_recording_attribute - a sysfs attribute of an encoder, as recorded
 * @source: the encoder
 * @name: as "inst_mode"
 *
 * Return: the text without newline, or NULL when it was not recorded.
 */
const char *rvtrace_recording_attribute(const struct rvtrace_recording_source *source,
					const char *name);

/**
 * rvtrace_recording_timestamp_hz - frequency of the trace time stamps
 * @recording: the recording
 * @sink: index of the sink
 *
 * Return: Hz: what its first encoder said, else what the metadata say; 0 when not known.
 */
uint64_t rvtrace_recording_timestamp_hz(const struct rvtrace_recording *recording, size_t sink);

/**
 * rvtrace_recording_timestamp_bits - width of the trace time stamps
 * @recording: the recording
 * @sink: index of the sink
 *
 * Return: bits, 0 when not known.
 */
unsigned int rvtrace_recording_timestamp_bits(const struct rvtrace_recording *recording,
					      size_t sink);

/**
 * rvtrace_recording_stream_open - read a sink's stream from its beginning
 * @recording: the recording; must outlive the stream
 * @sink: index of the sink
 * @out: the stream; rvtrace_recording_stream_free() it
 * @error: filled on failure, may be NULL
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_recording_stream_open(struct rvtrace_recording *recording, size_t sink,
				  struct rvtrace_recording_stream **out,
				  struct rvtrace_recording_error *error);

/**
 * rvtrace_recording_stream_next - the next piece of the stream
 * @stream: the stream
 * @chunk: filled
 * @error: filled on failure, may be NULL
 *
 * Pieces come in stream order; a data entry is delivered in pieces of at most
 * 1 MiB, split where trusted and overwritten bytes meet. Bytes that SINK.idx
 * promises and the .bin files lack are delivered as RVTRACE_CHUNK_LOST with
 * RVTRACE_CHUNK_CUT. Bytes whose checksum is wrong are delivered, with
 * RVTRACE_CHUNK_DAMAGED, and added to the damage. A data entry of which a part
 * was overwritten is not checked: its checksum was taken while that went on.
 *
 * Return: 1 with a chunk, 0 at the end, or a negative errno.
 */
int rvtrace_recording_stream_next(struct rvtrace_recording_stream *stream,
				  struct rvtrace_chunk *chunk,
				  struct rvtrace_recording_error *error);

/**
 * rvtrace_recording_stream_free - close a stream
 * @stream: the stream or NULL
 */
void rvtrace_recording_stream_free(struct rvtrace_recording_stream *stream);

/**
 * rvtrace_recording_records_open - read a sink's records from the beginning
 * @recording: the recording; must outlive the result
 * @sink: index of the sink
 * @out: the records; rvtrace_recording_records_free() them
 * @error: filled on failure, may be NULL
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_recording_records_open(struct rvtrace_recording *recording, size_t sink,
				   struct rvtrace_recording_records **out,
				   struct rvtrace_recording_error *error);

/**
 * rvtrace_recording_records_next - the next record
 * @records: the records
 * @out: the record, valid until the next call; its size covers what its type
 *	needs (shorter ones of a known type are damage)
 * @error: filled on failure, may be NULL
 *
 * Damaged frames are left out and added to the damage.
 *
 * Return: 1 with a record, 0 at the end, or a negative errno.
 */
int rvtrace_recording_records_next(struct rvtrace_recording_records *records,
				   const struct rvtrace_record **out,
				   struct rvtrace_recording_error *error);

/**
 * rvtrace_recording_records_free - close records
 * @records: the records or NULL
 */
void rvtrace_recording_records_free(struct rvtrace_recording_records *records);

#endif /* RVTRACE_RECORDING_H */
