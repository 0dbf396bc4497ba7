/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What writer and reader of trace directories share. */
#ifndef RECORDING_INTERNAL_H
#define RECORDING_INTERNAL_H

#include <dirent.h>
#include <stdbool.h>

#include <json-c/json.h>

#include "tools/lib/base/file_io.h"
#include "tools/lib/base/json.h"
#include "recorder.h"

/* An entry of SINK.idx (docs/formats.md), in host byte order. */
struct recording_entry {
	uint64_t position;
	uint64_t offset;
	uint64_t length;
	uint64_t time;
	uint32_t type;
	uint32_t flags;
	uint64_t sum;		/* of the bytes of a data entry, else 0 */
	uint64_t number;	/* place in the file, from 0 */
};

/* To the form on disk, with its checksum. */
void recording_entry_pack(const struct recording_entry *entry,
			  uint8_t bytes[RVTRACE_RECORDING_ENTRY_SIZE]);
/* Returns false when the checksum says that this is no entry. */
bool recording_entry_unpack(const uint8_t bytes[RVTRACE_RECORDING_ENTRY_SIZE],
			    struct recording_entry *entry);

#define RECORDING_NAME_MAX	64	/* of a sink */

/* Whether @name can be the one of a sink. */
bool recording_sink_name_valid(const char *name);

#define METADATA_FILE		"metadata.json"
#define METADATA_COPY		"metadata.copy.json"
#define METADATA_MAX		(4 * 1024 * 1024)

/* Where timestamps count from 0 again: the record that says so */
struct recording_restart {
	uint64_t position;
	uint64_t time;
};

/* One sink of a recording that is being read. */
struct recording_sink {
	struct rvtrace_recording_sink public;
	struct recording_entry *entries;	/* all but the overwritten ones */
	size_t entry_count;
	struct recording_entry *overwritten;
	size_t overwritten_count;
	int index_error;		/* SINK.idx is there and cannot be opened: an errno */
	uint64_t index_end;		/* offset in SINK.idx behind the last intact entry */
	uint64_t next_number;		/* of the entry that would come next */
	uint64_t described;		/* offset behind the last byte a data entry describes */
	uint64_t *segment_start;	/* offset in the stream, one per segment */
	uint64_t *segment_bytes;
	uint64_t end;			/* offset behind the last byte there is */
	struct recording_restart *restarts;
	size_t restart_count;
	uint64_t first;			/* position where the first session begins */
	bool has_first;
	bool noted;			/* the last four are, once a stream is read */
};

struct rvtrace_recording {
	char *path;
	int directory;
	struct json_object *metadata;
	struct recording_sink *sinks;
	size_t sink_count;
	struct recording_damage *damage;
	size_t damage_count;
	void *hashes;			/* of images, each read once */
	bool metadata_intact;		/* @metadata is what was written */
	bool written;			/* by somebody, when it was read */
	struct rvtrace_failure unreadable;	/* the first file that is; without one 0 */
};

/* Adds to the damage; the text becomes "FILE: bytes A to B: WHAT". */
__attribute__((format(printf, 5, 6)))
void recording_damage(struct rvtrace_recording *recording, const char *file, uint64_t offset,
		      uint64_t length, const char *format, ...);
/* The same for bytes of a segment, whose place in the stream is told too. */
void recording_damage_stream(struct rvtrace_recording *recording, const char *file,
			     uint64_t offset, uint64_t length, uint64_t stream, const char *what);
/*
 * A file that is there and cannot be read from @offset on: added to the damage, and @error filled.
 * @code is an errno of either sign; the negative one is returned.
 */
int recording_unreadable(struct rvtrace_recording *recording, const char *file, uint64_t offset,
			 int code, struct rvtrace_failure *error);
/* Forgets all. */
void recording_damage_free(struct rvtrace_recording *recording);

void recording_hashes_free(struct rvtrace_recording *recording);

/* metadata.json, or what stands in for it. */
int recording_metadata_load(struct rvtrace_recording *recording,
			    struct rvtrace_failure *error);

/*
 * Reads a text file of the directory: metadata. The caller frees *@text, which
 * ends in a NUL.
 */
int recording_read_text(const struct rvtrace_recording *recording, const char *file, char **text,
			size_t *length);

/*
 * An encoder, as a member of `sources` in the metadata has it, which must outlive it: 0 or -ENOMEM.
 * recording_sources_free() frees a list of them.
 */
int recording_source_fill(struct rvtrace_recording_source *source, struct json_object *object);
void recording_sources_free(const struct rvtrace_recording_source *sources, size_t count);

/* Opens a directory that is open already; @directory becomes the recording's. */
int recording_open_at(int directory, const char *name, struct rvtrace_recording **out,
		      struct rvtrace_failure *error);

/*
 * Creates a file, and its folder, with @flags of open() beside O_CREAT and
 * O_EXCL. A file descriptor or a negative errno.
 */
int recording_create(int directory, const char *name, int flags);

/* rvtrace_recording_append_line(); a negative errno. */
int recording_append_line(int directory, const char *name, struct json_object *object);

/* Offset behind the last intact line of a file, 0 without it; whether a newline is before it. */
int recording_lines_end(struct rvtrace_recording *recording, const char *name, uint64_t *end,
			bool *newline);

/* Checksum of @length bytes of the stream, at most RVTRACE_RECORDING_PIECE_MAX, which are there. */
int recording_stream_sum(struct rvtrace_recording *recording, const struct recording_sink *sink,
			 uint64_t offset, uint64_t length, uint64_t *sum);

/*
 * The first blocks of zeros between @offset and @end, at most
 * RVTRACE_RECORDING_PIECE_MAX bytes which are there; none: *@from is @end.
 */
int recording_stream_unwritten(struct rvtrace_recording *recording,
			       const struct recording_sink *sink, uint64_t offset, uint64_t end,
			       uint64_t *from, uint64_t *to);

/* Checksum of trace bytes, cheapest where they are aligned to 8. */
uint64_t recording_sum(const void *bytes, size_t length);

/* Calls @take for each record of a sink, until it returns an error. 0 or a negative errno. */
int recording_each_record(struct rvtrace_recording *recording, size_t sink,
			  int (*take)(void *data, const struct rvtrace_record *record),
			  void *data, struct rvtrace_failure *error);

/* Lists the files of the directory; NULL after an error, which is in errno. */
DIR *recording_list(const struct rvtrace_recording *recording);

/* Reads SINK.idx; what is damaged is listed and left out. */
int recording_index_load(struct rvtrace_recording *recording, struct recording_sink *sink,
			 struct rvtrace_failure *error);

/* Then measures the segments; @object is the sink in the metadata. */
int recording_segments_load(struct rvtrace_recording *recording, struct recording_sink *sink,
			    struct json_object *object, struct rvtrace_failure *error);

/* Its writer died, or could not write the end of what it had. */
bool recording_cut(const struct rvtrace_recording *recording);

/*
 * Where the bytes begin that the hardware may have overwritten while they were copied: a writer that
 * died had not described them, and asks the driver only then. They end where the stream does.
 */
uint64_t recording_unconfirmed(const struct rvtrace_recording *recording,
			       const struct recording_sink *sink);

/* Adds an overwritten range for them, which recording_recover() writes as an entry. */
int recording_index_end(struct rvtrace_recording *recording, struct recording_sink *sink,
			struct rvtrace_failure *error);

/* Who writes SINK.idx has it locked, for rvtrace_recording_written(). */
void recording_lock(int index);

#define RECORDING_FILE_MAX	(RECORDING_NAME_MAX + 32)

void recording_segment_name(const struct recording_sink *sink, unsigned int number,
			    char file[RECORDING_FILE_MAX]);

#endif /* RECORDING_INTERNAL_H */
