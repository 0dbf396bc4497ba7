/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trace directory: what is in it, and its reader. The files are described in
 * docs/formats.md; the writer is in recorder.h.
 *
 * The reader opens a recording that is complete, was cut anywhere or is
 * damaged: it reads what is intact and lists what is not
 * (rvtrace_recording_damage()). It neither prints nor aborts; every function
 * that can fail returns 0 (or a count) or a negative errno and, where it takes
 * one, fills a struct rvtrace_failure.
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
#define RVTRACE_RECORDING_PIECE	(64 * 1024)	/* bytes the writer describes with one entry */
#define RVTRACE_RECORDING_PIECE_MAX	(1024 * 1024)	/* that one may describe */
#define RVTRACE_RECORDING_FRAME_MAX	(4 * 1024 * 1024)	/* bytes in a frame */
#define RVTRACE_RECORDING_STEP	(4 * 1024 * 1024)	/* bytes that are in no entry yet, at most */
#define RVTRACE_RECORDING_BLOCK	4096	/* see rvtrace_recorder_write() */
#define RVTRACE_RECORDING_SEGMENT_MIN	(64 * 1024)
#define RVTRACE_RECORDING_SEGMENT_SIZE	(1024ULL * 1024 * 1024) /* default */

/**
 * enum rvtrace_chunk_type - type of an entry of SINK.idx and of a chunk
 * @RVTRACE_CHUNK_DATA: trace bytes
 * @RVTRACE_CHUNK_LOST: positions whose bytes are not in the stream
 * @RVTRACE_CHUNK_OVERWRITTEN: trace bytes the hardware may have overwritten
 *	while they were copied
 * @RVTRACE_CHUNK_SESSION_START: a session starts
 * @RVTRACE_CHUNK_SESSION_END: a session ended
 * @RVTRACE_CHUNK_RESTART: chunks only: timestamps count from 0 again behind it
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

struct rvtrace_recording;
struct rvtrace_recording_stream;
struct rvtrace_recording_records;

/**
 * struct rvtrace_recording_source - an encoder whose trace is in a stream
 * @component: name, as "encoder0"
 * @format: "ntrace", "etrace" or "vendor"
 * @src_id: its source id; of several harts the first has it, the others those behind it
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
 * @written: CLOCK_MONOTONIC, ns, when the last entry of SINK.idx was; 0 when not known
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
 * @type: what it is
 * @flags: RVTRACE_CHUNK_AT_LEAST, RVTRACE_CHUNK_CUT
 * @position: position of the char device
 * @offset: offset in the concatenated stream
 * @length: bytes at @data, or positions lost; else 0
 * @time: CLOCK_MONOTONIC, ns, when it was written; 0 when not known
 * @data: the bytes of RVTRACE_CHUNK_DATA and RVTRACE_CHUNK_OVERWRITTEN, valid
 *	until the next call; else NULL
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
 * @out: the recording; rvtrace_recording_free() it
 * @error: filled on failure, may be NULL
 *
 * Fails only where nothing can be read. What is damaged is left out and listed;
 * without metadata the sinks are those whose files are there. A file that is
 * there and cannot be opened is listed, too, and reading it fails.
 *
 * Return: 0, -ENOENT (neither metadata nor a sink's files), -EPROTONOSUPPORT
 * (schema of another version), or another negative errno.
 */
int rvtrace_recording_open(const char *path, struct rvtrace_recording **out,
			   struct rvtrace_failure *error);

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
 * rvtrace_recording_is_here - whether this machine was recorded, since it was booted
 * @recording: the recording
 *
 * Files of this machine are then those that processes had mapped. Recordings whose metadata does
 * not say which boot it was are of another one.
 */
bool rvtrace_recording_is_here(const struct rvtrace_recording *recording);

/**
 * rvtrace_recording_failure - what went wrong while the recording was made
 * @recording: the recording
 * @index: from 0
 *
 * Return: a line of text, which may hold any bytes, or NULL: there are no more.
 */
const char *rvtrace_recording_failure(const struct rvtrace_recording *recording, size_t index);

/**
 * rvtrace_recording_written - whether somebody writes the recording now
 * @recording: the recording
 *
 * By locks of SINK.idx, so on the machine that records only. Where nobody does and the
 * recording is not complete, its writer has died; another one may go on with it.
 */
bool rvtrace_recording_written(const struct rvtrace_recording *recording);

/**
 * rvtrace_recording_reload - see what was written since the recording was opened
 * @recording: the recording
 * @error: filled on failure, may be NULL
 *
 * Streams that are open go on where they are: behind what they have delivered there may be more.
 * Everything else that was got from the recording is to be got anew. Costs what opening does.
 *
 * Return: 0; -EBADMSG (it has other sinks now) or another negative errno: nothing has changed.
 */
int rvtrace_recording_reload(struct rvtrace_recording *recording,
			     struct rvtrace_failure *error);

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
 * struct rvtrace_damage - bytes of a recording that are not what was written, or a file that
 *	cannot be read
 * @file: name of the file in the directory
 * @offset: first byte; where bytes are missing, the byte behind them
 * @length: bytes; 0 where bytes are missing
 * @error: why the file cannot be read, although it is there: an errno; else 0
 * @text: one line: file, bytes, what is wrong; the name of a file may hold any bytes
 */
struct rvtrace_damage {
	const char *file;
	uint64_t offset;
	uint64_t length;
	int error;
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
			    void *data, struct rvtrace_failure *error);

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
			       struct rvtrace_failure *error);

/**
 * rvtrace_recording_check_image - compare a file with what its line says
 * @recording: the recording
 * @entry: a line of images/index.jsonl
 *
 * Whether the file is there, and has the bytes that `size` and `content` promise, where they are;
 * if not, or if it cannot be read, that is added to the damage.
 *
 * Return: whether the file can be read, or is missing.
 */
bool rvtrace_recording_check_image(struct rvtrace_recording *recording,
				   struct json_object *entry);

/**
 * rvtrace_recording_verify - read everything once
 * @recording: the recording
 * @error: filled on failure, may be NULL
 *
 * Afterwards all damage is known, and which files cannot be read.
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_recording_verify(struct rvtrace_recording *recording,
			     struct rvtrace_failure *error);

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
			      struct rvtrace_failure *error);

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
 * rvtrace_recording_thread_switch - which software trace events of a sink tell of writes to tp
 * @recording: the recording
 * @sink: from 0 to rvtrace_recording_sink_count() - 1
 *
 * Return: their identifier; 0: its encoders have no software trace port, as far as is recorded.
 */
uint16_t rvtrace_recording_thread_switch(const struct rvtrace_recording *recording, size_t sink);

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
				  struct rvtrace_failure *error);

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
				  struct rvtrace_failure *error);

/**
 * rvtrace_recording_stream_seek - begin later
 * @stream: the stream, of which nothing was delivered yet
 * @time: CLOCK_MONOTONIC, ns
 *
 * What is left out was written, and so traced, at @time or before. Nothing is where timestamps
 * count from 0 again somewhere, as that has to be known.
 *
 * Return: whether anything is left out.
 */
bool rvtrace_recording_stream_seek(struct rvtrace_recording_stream *stream, uint64_t time);

/**
 * rvtrace_recording_stream_limit - where to end in a recording that is being written
 * @stream: the stream
 * @before: CLOCK_MONOTONIC, ns: the stream ends at the first entry of SINK.idx that was written
 *	then or later, and before bytes that no entry describes; UINT64_MAX: all there is is
 *	delivered, as without this call
 *
 * What is said of bytes (RVTRACE_CHUNK_OVERWRITTEN) is written right behind them: an entry that is
 * the last one there may not be all.
 */
void rvtrace_recording_stream_limit(struct rvtrace_recording_stream *stream, uint64_t before);

/**
 * rvtrace_recording_each_chunk - read all of a sink's stream
 * @recording: the recording
 * @sink: index of the sink
 * @take: called with every chunk as of rvtrace_recording_stream_next(); other than 0 ends
 *	the reading
 * @data: passed to @take
 * @error: filled on failure to read, may be NULL
 *
 * Return: 0, what @take returned, or a negative errno.
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
				   struct rvtrace_failure *error);

/**
 * rvtrace_recording_records_next - the next record
 * @records: the records
 * @out: the record, valid until the next call; its size covers what its type
 *	needs (shorter ones of a known type are damage)
 * @error: filled on failure, may be NULL
 *
 * Damaged frames are left out and added to the damage; the next record of a task has
 * RVTRACE_TASK_LOST then. So is a record of a task at a time that is far from those before and
 * after it, which the next one of its CPU shows.
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
