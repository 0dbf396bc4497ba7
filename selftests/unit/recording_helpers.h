/* SPDX-License-Identifier: GPL-2.0 */
/* Trace directories of tests: make, change, remove. */
#ifndef RECORDING_HELPERS_H
#define RECORDING_HELPERS_H

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/lib/recording/recorder.h"

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void remove_tree(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static inline struct json_object *test_metadata(const char *sink)
{
	struct json_object *metadata = json_object_new_object();
	struct json_object *sinks = json_object_new_array(), *object = json_object_new_object();

	json_object_object_add(object, "name", json_object_new_string(sink));
	json_object_object_add(object, "mode", json_object_new_string("stream"));
	json_object_array_add(sinks, object);
	json_object_object_add(metadata, "sinks", sinks);
	return metadata;
}

/* A recorder with one sink "s0", begun, in a new directory. */
static inline struct rvtrace_recorder *test_recorder(const char *path, uint64_t segment_size,
						     uint64_t min_free)
{
	const struct rvtrace_recorder_options options = {
		.segment_size = segment_size,
		.min_free = min_free,
		.uid = -1,
		.gid = -1,
	};
	struct rvtrace_failure error = { 0 };
	struct rvtrace_recorder *recorder;
	struct json_object *metadata = test_metadata("s0");
	int fd = rvtrace_recording_directory(path, &error);

	if (fd < 0 || rvtrace_recorder_new(fd, path, &options, &recorder, &error) ||
	    rvtrace_recorder_add_sink(recorder, "s0", &error) ||
	    rvtrace_recorder_begin(recorder, metadata, &error)) {
		fprintf(stderr, "%s\n", error.text);
		abort();
	}
	json_object_put(metadata);
	return recorder;
}

#endif /* RECORDING_HELPERS_H */
