// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writer of trace directories: metadata.json. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recording_writer.h"

#define RESERVE_EXTRA	65536	/* bytes the last metadata may be longer than the first */

static struct json_object *now_json(void)
{
	struct json_object *now = json_object_new_object();
	struct timespec realtime, monotonic;

	clock_gettime(CLOCK_REALTIME, &realtime);
	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	json_object_object_add(now, "realtime_ns",
			       json_object_new_int64(realtime.tv_sec * 1000000000LL +
						     realtime.tv_nsec));
	json_object_object_add(now, "monotonic_ns",
			       json_object_new_int64(monotonic.tv_sec * 1000000000LL +
						     monotonic.tv_nsec));
	return now;
}

static void set_totals(const struct rvtrace_recorder *recorder, struct json_object *object,
		       const struct recorder_sink *sink)
{
	const struct rvtrace_recorder_totals *totals = &sink->totals;

	json_object_object_add(object, "bytes", json_object_new_uint64(totals->bytes));
	json_object_object_add(object, "lost", json_object_new_uint64(totals->lost));
	json_object_object_add(object, "segments", json_object_new_uint64(totals->segments));
	json_object_object_add(object, "segment_size",
			       json_object_new_uint64(recorder->options.segment_size));
}

static void update_sinks(const struct rvtrace_recorder *recorder)
{
	struct json_object *list, *object, *name;
	size_t i, k;

	if (!json_object_object_get_ex(recorder->metadata, "sinks", &list) ||
	    !json_object_is_type(list, json_type_array))
		return;
	for (i = 0; i < json_object_array_length(list); i++) {
		object = json_object_array_get_idx(list, i);
		if (!json_object_object_get_ex(object, "name", &name))
			continue;
		for (k = 0; k < recorder->sink_count; k++)
			if (!strcmp(json_object_get_string(name), recorder->sinks[k].name))
				set_totals(recorder, object, &recorder->sinks[k]);
	}
}

/* Replaces metadata.json: temporary file, fsync, rename, fsync of the directory. */
static int replace(struct rvtrace_recorder *recorder, int fd,
		   struct rvtrace_recording_error *error)
{
	const char *text;
	size_t length, done = 0;
	int code = 0;

	text = json_object_to_json_string_length(recorder->metadata, JSON_C_TO_STRING_PRETTY |
						 JSON_C_TO_STRING_NOSLASHESCAPE, &length);
	if (!text)
		code = ENOMEM;
	while (!code && done < length) {
		ssize_t got = pwrite(fd, text + done, length - done, done);

		if (got > 0)
			done += got;
		else if (!got)
			code = EIO;
		else if (errno != EINTR)
			code = errno;
	}
	if (!code && (ftruncate(fd, length) || fsync(fd) ||
		      renameat(recorder->directory, METADATA_TEMPORARY, recorder->directory,
			       METADATA_FILE)))
		code = errno;
	/* Not every file system has directories that can be synchronised. */
	if (!code && fsync(recorder->directory) && errno != EINVAL && errno != EROFS)
		code = errno;
	if (code)
		return rvtrace_fail(error, code, 0, "%s/%s: %s", recorder->name, METADATA_FILE,
				    strerror(code));
	return 0;
}

/* Where posix_fallocate() would write zeros there is nothing to gain. */
static int reserve(struct rvtrace_recorder *recorder, struct rvtrace_recording_error *error)
{
	size_t length;
	int fd;

	json_object_to_json_string_length(recorder->metadata, JSON_C_TO_STRING_PRETTY |
					  JSON_C_TO_STRING_NOSLASHESCAPE, &length);
	fd = recorder_create_file(recorder, METADATA_TEMPORARY, error);
	if (fd < 0)
		return fd;
	recorder->reserve = fd;
	if (fallocate(fd, 0, 0, length + RESERVE_EXTRA) && errno != EOPNOTSUPP)
		return rvtrace_fail(error, errno, 0, "%s/%s: %s", recorder->name,
				    METADATA_TEMPORARY, strerror(errno));
	return 0;
}

int rvtrace_recorder_begin(struct rvtrace_recorder *recorder, struct json_object *metadata,
			   struct rvtrace_recording_error *error)
{
	int fd, ret;

	if (!faccessat(recorder->directory, METADATA_FILE, F_OK, 0))
		return rvtrace_fail(error, EEXIST, 0, "%s: holds a recording already",
				    recorder->name);
	recorder->metadata = json_object_get(metadata);
	json_object_object_add(metadata, "schema",
			       json_object_new_int(RVTRACE_RECORDING_SCHEMA));
	json_object_object_add(metadata, "complete", json_object_new_boolean(false));
	json_object_object_add(metadata, "started", now_json());
	json_object_object_add(metadata, "errors", json_object_new_array());
	update_sinks(recorder);

	fd = recorder_create_file(recorder, METADATA_TEMPORARY, error);
	if (fd < 0)
		return fd;
	ret = replace(recorder, fd, error);
	close(fd);
	if (ret) {
		unlinkat(recorder->directory, METADATA_TEMPORARY, 0);
		return ret;
	}
	return reserve(recorder, error);
}

void rvtrace_recorder_add_error(struct rvtrace_recorder *recorder, const char *text)
{
	struct json_object *errors;

	if (json_object_object_get_ex(recorder->metadata, "errors", &errors))
		json_object_array_add(errors, json_object_new_string(text));
}

int rvtrace_recorder_finish(struct rvtrace_recorder *recorder,
			    struct rvtrace_recording_error *error)
{
	int ret;

	update_sinks(recorder);
	json_object_object_add(recorder->metadata, "stopped", now_json());
	json_object_object_add(recorder->metadata, "complete", json_object_new_boolean(true));
	ret = replace(recorder, recorder->reserve, error);
	if (ret)
		return ret;
	close(recorder->reserve);
	recorder->reserve = -1;
	return 0;
}
