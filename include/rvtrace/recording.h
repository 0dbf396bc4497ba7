/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trace directory: its contents and its reader. docs/formats.md describes the files; the writer is
 * in recorder.h.
 *
 * The reader opens a recording that is complete, was cut anywhere or is damaged. It reads the
 * intact parts and lists the damaged ones (rvtrace_recording_damage()). It neither prints nor
 * aborts. Every function that can fail returns 0 (or a count) or a negative errno. If it has an
 * argument for it, it fills a struct rvtrace_failure.
 */
#ifndef RVTRACE_RECORDING_H
#define RVTRACE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/rvtrace.h>
#include <rvtrace/decls.h>
#include <rvtrace/error.h>

RVTRACE_BEGIN_DECLS

struct json_object;

#define RVTRACE_RECORDING_SCHEMA	2
#define RVTRACE_RECORDING_ENTRY_SIZE	64	/* bytes of an entry of SINK.idx */
#define RVTRACE_RECORDING_PIECE	(64 * 1024)	/* bytes that the writer puts in one entry */
#define RVTRACE_RECORDING_PIECE_MAX	(1024 * 1024)	/* limit of bytes in one entry */
#define RVTRACE_RECORDING_FRAME_MAX	(4 * 1024 * 1024)	/* bytes in a frame */
#define RVTRACE_RECORDING_STEP	(4 * 1024 * 1024)	/* limit of bytes in no entry yet */
#define RVTRACE_RECORDING_BLOCK	4096	/* see rvtrace_recorder_write() */
#define RVTRACE_RECORDING_SEGMENT_MIN	(64 * 1024)
#define RVTRACE_RECORDING_SEGMENT_SIZE	(1024ULL * 1024 * 1024) /* default */

/**
 * enum rvtrace_chunk_type - type of an entry of SINK.idx and of a chunk
 * @RVTRACE_CHUNK_DATA: trace bytes
 * @RVTRACE_CHUNK_LOST: positions whose bytes are not in the stream
 * @RVTRACE_CHUNK_OVERWRITTEN: trace bytes that the hardware may have overwritten during their copy
 * @RVTRACE_CHUNK_SESSION_START: a session starts
 * @RVTRACE_CHUNK_SESSION_END: a session ended
 * @RVTRACE_CHUNK_RESTART: chunks only: timestamps count from 0 again after it
 *	(RVTRACE_RECORD_RESTART)
 */
enum rvtrace_chunk_type {
	RVTRACE_CHUNK_DATA = 1,
	RVTRACE_CHUNK_LOST = 2,
	RVTRACE_CHUNK_OVERWRITTEN = 3,
	RVTRACE_CHUNK_SESSION_START = 4,
	RVTRACE_CHUNK_SESSION_END = 5,
	RVTRACE_CHUNK_RESTART = 6,
};

/**
 * enum rvtrace_chunk_flags - flags of an entry of SINK.idx and of a chunk
 * @RVTRACE_CHUNK_AT_LEAST: more may be missing
 * @RVTRACE_CHUNK_RECOVERED: data: the entry was made by a repair of the recording, so its checksum
 *	does not prove that the bytes are those written
 * @RVTRACE_CHUNK_CUT: reader only: the file ends before these bytes
 * @RVTRACE_CHUNK_DAMAGED: reader only: the bytes are not those written
 */
enum rvtrace_chunk_flags {
	RVTRACE_CHUNK_AT_LEAST = 1,
	RVTRACE_CHUNK_RECOVERED = 2,
	RVTRACE_CHUNK_CUT = 1 << 16,
	RVTRACE_CHUNK_DAMAGED = 1 << 17,
};

#define RVTRACE_HASH_TEXT	17	/* characters of a checksum in JSON, NUL included */

/**
 * rvtrace_content_hash - XXH64 of the bytes of a file
 * @bytes: the whole file
 * @size: bytes
 * @text: filled with 16 hexadecimal digits: `content` in a line of images/index.jsonl
 */
void rvtrace_content_hash(const void *bytes, size_t size, char text[RVTRACE_HASH_TEXT]);

struct rvtrace_recording;
struct rvtrace_recording_stream;
struct rvtrace_recording_records;

/**
 * struct rvtrace_recording_source - an encoder whose trace is in a stream
 * @component: name, such as "encoder0"
 * @format: "ntrace", "etrace" or "vendor"
 * @src_id: its source id; with several harts, that of the first hart; the next harts have the next
 *	ids
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
 * @name: such as "rvtrace0"
 * @component: such as "funnel0"; "" if unknown
 * @mode: "stream", "fill" or "snapshot"; "" if unknown
 * @data_size: bytes of the ring, 0 if unknown
 * @bytes: bytes of the stream, counted now from the files
 * @lost: positions lost or untrusted, counted now from SINK.idx
 * @lost_at_least: @lost is a lower bound
 * @segments: number of .bin files
 * @written: time of the last entry of SINK.idx, CLOCK_MONOTONIC, ns; 0 if unknown
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
	uint64_t written;
	const struct rvtrace_recording_source *sources;
	size_t source_count;
};

/**
 * struct rvtrace_chunk - a piece of a stream
 * @type: type of the piece
 * @flags: RVTRACE_CHUNK_AT_LEAST, RVTRACE_CHUNK_CUT
 * @position: position of the char device
 * @offset: offset in the concatenated stream
 * @length: bytes at @data, or positions lost; else 0
 * @time: time of its writing, CLOCK_MONOTONIC, ns; 0 if unknown
 * @data: the bytes of RVTRACE_CHUNK_DATA and RVTRACE_CHUNK_OVERWRITTEN, valid until the next call;
 *	else NULL
 * @restart: number of RVTRACE_CHUNK_RESTART in its stream, from 1; else 0
 */
struct rvtrace_chunk {
	enum rvtrace_chunk_type type;
	uint32_t flags;
	uint64_t position;
	uint64_t offset;
	uint64_t length;
	uint64_t time;
	const uint8_t *data;
	unsigned int restart;
};

/**
 * rvtrace_recording_open - open a trace directory
 * @path: the directory
 * @out: the recording; free it with rvtrace_recording_free()
 * @error: filled on failure, may be NULL
 *
 * Fails only if nothing can be read. Damaged parts are left out and listed. Without metadata, the
 * sinks are those with files in the directory. A file that exists and cannot be opened is listed,
 * too, and reading it fails.
 *
 * Return: 0, -ENOENT (neither metadata nor a sink's files), -EPROTONOSUPPORT (schema of another
 * version), or another negative errno.
 */
int rvtrace_recording_open(const char *path, struct rvtrace_recording **out,
			   struct rvtrace_failure *error);

/**
 * rvtrace_recording_free - close a recording
 * @recording: the recording or NULL; its streams and records must be freed before
 */
void rvtrace_recording_free(struct rvtrace_recording *recording);

/**
 * rvtrace_recording_complete - whether the writer finished
 * @recording: the recording
 */
bool rvtrace_recording_complete(const struct rvtrace_recording *recording);

/**
 * rvtrace_recording_is_here - whether the recording is from this machine and its current boot
 * @recording: the recording
 *
 * Files of this machine are then those that processes had mapped. The result is false for a
 * recording whose metadata does not identify the boot.
 */
bool rvtrace_recording_is_here(const struct rvtrace_recording *recording);

/**
 * rvtrace_recording_failure - list failures that occurred during the recording
 * @recording: the recording
 * @index: from 0
 *
 * Return: a line of text, which may contain any bytes, or NULL after the last one.
 */
const char *rvtrace_recording_failure(const struct rvtrace_recording *recording, size_t index);

/**
 * rvtrace_recording_written - whether a process is writing the recording now
 * @recording: the recording
 *
 * Uses locks of SINK.idx, so the result is valid only on the machine that records. If no process is
 * writing and the recording is not complete, its writer has died; another writer may continue it.
 */
bool rvtrace_recording_written(const struct rvtrace_recording *recording);

/**
 * rvtrace_recording_reload - read the parts written since the recording was opened
 * @recording: the recording
 * @error: filled on failure, may be NULL
 *
 * Open streams keep their place; more pieces may follow those that they delivered. All other data
 * from the recording is invalid afterwards and must be read again. Costs as much as opening.
 *
 * Return: 0; -EBADMSG (it has other sinks now) or another negative errno: nothing has changed.
 */
int rvtrace_recording_reload(struct rvtrace_recording *recording,
			     struct rvtrace_failure *error);

/**
 * rvtrace_recording_metadata - get the whole metadata.json
 * @recording: the recording
 *
 * Return: the object; it belongs to the recording and must not be changed.
 */
struct json_object *rvtrace_recording_metadata(const struct rvtrace_recording *recording);

/**
 * rvtrace_recording_open_file - open another file of the directory for reading
 * @recording: the recording
 * @name: path relative to the directory, such as "images/kernel"
 *
 * Opens only files within the directory: no absolute path, no path with "..", and no symbolic link.
 *
 * Return: a file descriptor that the caller owns, -EINVAL (such a name), -ELOOP, or another
 * negative errno.
 */
int rvtrace_recording_open_file(const struct rvtrace_recording *recording, const char *name);

/**
 * struct rvtrace_damage - bytes of a recording that differ from those written, or a file that
 *	cannot be read
 * @file: name of the file in the directory
 * @offset: first byte; for missing bytes, the first byte after them
 * @length: bytes; 0 for missing bytes
 * @error: reason why an existing file cannot be read: an errno; else 0
 * @text: one line: file, bytes, reason; the name of a file may contain any bytes
 */
struct rvtrace_damage {
	const char *file;
	uint64_t offset;
	uint64_t length;
	int error;
	const char *text;
};

/**
 * rvtrace_recording_damage - list the damage found up to now
 * @recording: the recording
 * @index: from 0
 *
 * The list grows while the recording is read. Opening checks metadata and index; all other data is
 * checked when it is read. Adjacent damage is one entry. After a thousand entries, the last one
 * stands for the rest.
 *
 * Return: the damage, valid until the recording is read further or freed; NULL if @index is too
 * big.
 */
const struct rvtrace_damage *rvtrace_recording_damage(const struct rvtrace_recording *recording,
						      size_t index);

/**
 * rvtrace_recording_lines - read a .jsonl file
 * @recording: the recording
 * @name: such as "images/index.jsonl"
 * @line: called with the object of every intact line, and the offset of the line; it may keep the
 *	object with json_object_get(). A result other than 0 ends the reading
 * @data: passed to @line
 * @error: filled on failure, may be NULL
 *
 * Return: 0, also if the file is missing; the result of @line; or a negative errno.
 */
int rvtrace_recording_lines(struct rvtrace_recording *recording, const char *name,
			    int (*line)(void *data, struct json_object *object, uint64_t offset),
			    void *data, struct rvtrace_failure *error);

/**
 * rvtrace_recording_sideband - read all intact records of the side band
 * @recording: the recording
 * @bytes: filled with perf records, one after another; free() it
 * @size: filled with the number of bytes; 0 if there are no records
 * @error: filled on failure, may be NULL
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_recording_sideband(struct rvtrace_recording *recording, void **bytes, size_t *size,
			       struct rvtrace_failure *error);

/**
 * rvtrace_recording_check_image - compare a file with its line in the index
 * @recording: the recording
 * @entry: a line of images/index.jsonl
 *
 * Checks that the file exists, and has the bytes of `size` and `content` if the line has them. If
 * not, or if the file cannot be read, this is added to the damage.
 *
 * Return: true if the file can be read, or is missing.
 */
bool rvtrace_recording_check_image(struct rvtrace_recording *recording,
				   struct json_object *entry);

/**
 * rvtrace_recording_verify - read everything once
 * @recording: the recording
 * @error: filled on failure, may be NULL
 *
 * Afterwards all damage and all unreadable files are known.
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_recording_verify(struct rvtrace_recording *recording,
			     struct rvtrace_failure *error);

/**
 * rvtrace_recording_recover - repair a recording after a cut or a crash
 * @directory: file descriptor of the directory; stays the caller's
 * @name: name of the directory in texts
 * @dry_run: only report, change nothing
 * @did: called with one line for each repair; may be NULL
 * @data: passed to @did
 * @error: filled on failure, may be NULL
 *
 * Files that end within an item are cut to whole items. Entries are added for stream bytes that the
 * index does not describe. Bytes that the index describes and that are missing become lost.
 * Metadata is made final. Damage within a file stays. A recording that needs no repair is not
 * changed.
 *
 * Return: the number of repairs (done, or needed), or a negative errno.
 */
int rvtrace_recording_recover(int directory, const char *name, bool dry_run,
			      void (*did)(void *data, const char *text), void *data,
			      struct rvtrace_failure *error);

/**
 * rvtrace_recording_sink_count - get the number of recorded sinks
 * @recording: the recording
 */
size_t rvtrace_recording_sink_count(const struct rvtrace_recording *recording);

/**
 * rvtrace_recording_sink - get one sink
 * @recording: the recording
 * @index: from 0 to rvtrace_recording_sink_count() - 1
 *
 * Return: the sink, owned by the recording; NULL if @index is too big.
 */
const struct rvtrace_recording_sink *
rvtrace_recording_sink(const struct rvtrace_recording *recording, size_t index);

/**
 * rvtrace_recording_thread_switch - identifier of software trace events that report writes to tp
 * @recording: the recording
 * @sink: from 0 to rvtrace_recording_sink_count() - 1
 *
 * Return: the identifier; 0: the recording shows no software trace port in the sink's encoders.
 */
uint16_t rvtrace_recording_thread_switch(const struct rvtrace_recording *recording, size_t sink);

/**
 * rvtrace_recording_attribute - get a recorded sysfs attribute of an encoder
 * @source: the encoder
 * @name: such as "inst_mode"
 *
 * Return: the text without newline, or NULL if it was not recorded.
 */
const char *rvtrace_recording_attribute(const struct rvtrace_recording_source *source,
					const char *name);

/**
 * rvtrace_recording_timestamp_hz - get the frequency of the trace timestamps
 * @recording: the recording
 * @sink: index of the sink
 *
 * Return: Hz, from the sink's first encoder, else from the metadata; 0 if unknown.
 */
uint64_t rvtrace_recording_timestamp_hz(const struct rvtrace_recording *recording, size_t sink);

/**
 * rvtrace_recording_timestamp_bits - get the width of the trace timestamps
 * @recording: the recording
 * @sink: index of the sink
 *
 * Return: bits, 0 if unknown.
 */
unsigned int rvtrace_recording_timestamp_bits(const struct rvtrace_recording *recording,
					      size_t sink);

/**
 * rvtrace_recording_stream_open - open a sink's stream at its beginning
 * @recording: the recording; must outlive the stream
 * @sink: index of the sink
 * @out: the stream; free it with rvtrace_recording_stream_free()
 * @error: filled on failure, may be NULL
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_recording_stream_open(struct rvtrace_recording *recording, size_t sink,
				  struct rvtrace_recording_stream **out,
				  struct rvtrace_failure *error);

/**
 * rvtrace_recording_stream_next - read the next piece of the stream
 * @stream: the stream
 * @chunk: filled
 * @error: filled on failure, may be NULL
 *
 * Pieces are in stream order. A data entry is delivered in pieces of at most 1 MiB, split where
 * trusted and overwritten bytes meet. Bytes that SINK.idx describes and the .bin files lack are
 * delivered as RVTRACE_CHUNK_LOST with RVTRACE_CHUNK_CUT. Bytes with a wrong checksum are delivered
 * with RVTRACE_CHUNK_DAMAGED, and added to the damage. A data entry that was partly overwritten is
 * not checked, because its checksum was computed during the overwriting.
 *
 * Return: 1 with a chunk, 0 at the end, or a negative errno.
 */
int rvtrace_recording_stream_next(struct rvtrace_recording_stream *stream,
				  struct rvtrace_chunk *chunk,
				  struct rvtrace_failure *error);

/**
 * rvtrace_recording_stream_seek - skip the beginning of a stream
 * @stream: the stream, which has not delivered anything yet
 * @time: CLOCK_MONOTONIC, ns
 *
 * The skipped part was written, and so traced, at @time or before. Nothing is skipped if timestamps
 * count from 0 again anywhere in the stream, because the reader of the stream must know that.
 *
 * Return: true if anything is skipped.
 */
bool rvtrace_recording_stream_seek(struct rvtrace_recording_stream *stream, uint64_t time);

/**
 * rvtrace_recording_stream_limit - set the end of a stream that is being written
 * @stream: the stream
 * @before: CLOCK_MONOTONIC, ns: the stream ends at the first entry of SINK.idx that was written
 *	then or later, and before bytes that no entry describes; UINT64_MAX: the whole stream is
 *	delivered, as without this call
 *
 * Entries about bytes (RVTRACE_CHUNK_OVERWRITTEN) are written directly after the bytes: the last
 * entry may still be followed by one of them.
 */
void rvtrace_recording_stream_limit(struct rvtrace_recording_stream *stream, uint64_t before);

/**
 * rvtrace_recording_each_chunk - read the whole stream of a sink
 * @recording: the recording
 * @sink: index of the sink
 * @take: called with every chunk, as from rvtrace_recording_stream_next(); a result other than 0
 *	ends the reading
 * @data: passed to @take
 * @error: filled on failure to read, may be NULL
 *
 * Return: 0, the result of @take, or a negative errno.
 */
int rvtrace_recording_each_chunk(struct rvtrace_recording *recording, size_t sink,
				 int (*take)(void *data, const struct rvtrace_chunk *chunk),
				 void *data, struct rvtrace_failure *error);

/**
 * rvtrace_recording_stream_free - close a stream
 * @stream: the stream or NULL
 */
void rvtrace_recording_stream_free(struct rvtrace_recording_stream *stream);

/**
 * rvtrace_recording_records_open - open a sink's records at the beginning
 * @recording: the recording; must outlive the result
 * @sink: index of the sink
 * @out: the records; free them with rvtrace_recording_records_free()
 * @error: filled on failure, may be NULL
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_recording_records_open(struct rvtrace_recording *recording, size_t sink,
				   struct rvtrace_recording_records **out,
				   struct rvtrace_failure *error);

/**
 * rvtrace_recording_records_next - read the next record
 * @records: the records
 * @out: filled with the record, valid until the next call; its size covers all members of its type
 *	(a shorter record of a known type is damage)
 * @error: filled on failure, may be NULL
 *
 * Damaged frames are left out and added to the damage; the next record of a task then has
 * RVTRACE_TASK_LOST. The same applies to a record of a task whose time is far from those before and
 * after it, which the next record of its CPU shows.
 *
 * Return: 1 with a record, 0 at the end, or a negative errno.
 */
int rvtrace_recording_records_next(struct rvtrace_recording_records *records,
				   const struct rvtrace_record **out,
				   struct rvtrace_failure *error);

/**
 * rvtrace_recording_records_free - close records
 * @records: the records or NULL
 */
void rvtrace_recording_records_free(struct rvtrace_recording_records *records);

RVTRACE_END_DECLS

#endif /* RVTRACE_RECORDING_H */
