/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What writer and reader of trace directories share. */
#ifndef RECORDING_INTERNAL_H
#define RECORDING_INTERNAL_H

#include <json-c/json.h>

#include <rvtrace/recording.h>

/* An entry of SINK.idx, laid out as there (docs/formats.md), in host byte order. */
struct recording_entry {
	uint64_t position;
	uint64_t offset;
	uint64_t length;
	uint64_t time;
	uint32_t type;
	uint32_t flags;
};

/* To and from the byte order on disk. */
void recording_entry_pack(const struct recording_entry *entry,
			  uint8_t bytes[RVTRACE_RECORDING_ENTRY_SIZE]);
void recording_entry_unpack(const uint8_t bytes[RVTRACE_RECORDING_ENTRY_SIZE],
			    struct recording_entry *entry);

/* read() until @size bytes or the end; bytes read or a negative errno. */
ssize_t recording_pread(int fd, void *data, size_t size, uint64_t offset);

/* One sink of a recording that is being read. */
struct recording_sink {
	struct rvtrace_recording_sink public;
	struct recording_entry *entries;
	size_t entry_count;
	uint64_t *segment_start;	/* offset in the stream, one per segment */
	uint64_t *segment_bytes;
	uint64_t end;			/* offset behind the last byte there is */
};

struct rvtrace_recording {
	char *path;
	int directory;
	struct json_object *metadata;
	struct recording_sink *sinks;
	size_t sink_count;
};

/* Reads SINK.idx and measures the segments; fills counts of @sink->public. */
int recording_index_load(struct rvtrace_recording *recording, struct recording_sink *sink,
			 struct rvtrace_recording_error *error);

/* Members of a JSON object, with a default for what is absent or of another type. */
const char *recording_json_string(struct json_object *object, const char *key);
uint64_t recording_json_uint(struct json_object *object, const char *key);
struct json_object *recording_json_array(struct json_object *object, const char *key);

#endif /* RECORDING_INTERNAL_H */
