// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writer of trace directories: metadata.json. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recording_writer.h"
#include "seal.h"
#include "tools/lib/base/owner.h"

/* The copy first: where only one was replaced, metadata.json is the older one. */
const char *const metadata_files[METADATA_FILES] = { METADATA_COPY, METADATA_FILE };
const char *const metadata_temporary[METADATA_FILES] = {
	METADATA_COPY ".tmp", METADATA_FILE ".tmp",
};

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
	struct json_object *list, *object;
	size_t i, k;

	if (!json_object_object_get_ex(recorder->metadata, "sinks", &list) ||
	    !json_object_is_type(list, json_type_array))
		return;
	for (i = 0; i < json_object_array_length(list); i++) {
		object = json_object_array_get_idx(list, i);
		for (k = 0; k < recorder->sink_count; k++)
			if (!strcmp(json_string(object, "name"), recorder->sinks[k].name))
				set_totals(recorder, object, &recorder->sinks[k]);
	}
}

static void add_size(struct json_object *files, int directory, const char *name)
{
	int fd = file_open_below(directory, name, O_RDONLY, 0);
	int64_t size = fd < 0 ? -1 : file_size(fd);

	if (size >= 0)
		json_object_object_add(files, name, json_object_new_int64(size));
	if (fd >= 0)
		close(fd);
}

/* How long the files are that nothing else tells to be complete. */
static struct json_object *sizes_json(int directory, struct json_object *metadata)
{
	static const char *const others[] = {
		"sideband", "images/index.jsonl", "images/maps.jsonl",
	};
	struct json_object *list = json_array(metadata, "sinks");
	struct json_object *files = json_object_new_object();
	size_t i;

	for (i = 0; list && i < json_object_array_length(list); i++) {
		const char *name = json_string(json_object_array_get_idx(list, i), "name");
		char file[RECORDING_FILE_MAX];

		snprintf(file, sizeof(file), "%s.idx", name);
		add_size(files, directory, file);
		snprintf(file, sizeof(file), "%s.records", name);
		add_size(files, directory, file);
	}
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		add_size(files, directory, others[i]);
	return files;
}

void recorder_update_metadata(struct rvtrace_recorder *recorder)
{
	update_sinks(recorder);
	if (recorder_as_owner(recorder))
		return;
	json_object_object_add(recorder->metadata, "files",
			       sizes_json(recorder->directory, recorder->metadata));
	rvtrace_owner_end();
}

/* Temporary file, fsync, rename, fsync of the directory; a negative errno. */
static int replace(int directory, int fd, const char *temporary, const char *file,
		   const char *text, size_t length)
{
	size_t done = 0;

	while (done < length) {
		ssize_t got = pwrite(fd, text + done, length - done, done);

		if (!got)
			return -EIO;
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0)
			done += got;
	}
	if (ftruncate(fd, length) || fsync(fd) || renameat(directory, temporary, directory, file))
		return -errno;
	/* Not every file system has directories that can be synchronised. */
	if (fsync(directory) && errno != EINVAL && errno != EROFS)
		return -errno;
	return 0;
}

/* *@i: which failed */
static int replace_all(struct rvtrace_recorder *recorder, const char *text, size_t length, int *i)
{
	int ret;

	for (*i = 0; *i < METADATA_FILES; ++*i) {
		ret = replace(recorder->directory, recorder->reserve[*i], metadata_temporary[*i],
			      metadata_files[*i], text, length);
		if (ret)
			return ret;
		close(recorder->reserve[*i]);
		recorder->reserve[*i] = -1;
	}
	return 0;
}

int recorder_replace_metadata(struct rvtrace_recorder *recorder,
			      struct rvtrace_failure *error)
{
	size_t length;
	char *text = seal_object(recorder->metadata, true, -1, &length);
	int i = 0, ret = text ? recorder_as_owner(recorder) : -ENOMEM;

	if (!ret) {
		ret = replace_all(recorder, text, length, &i);
		rvtrace_owner_end();
	}
	free(text);
	return ret ? rvtrace_fail(error, -ret, 0, "%s/%s: %s", recorder->name, metadata_files[i],
				  strerror(-ret)) : 0;
}

int recorder_reserve_metadata(struct rvtrace_recorder *recorder,
			      struct rvtrace_failure *error)
{
	size_t length;
	int i, ret;

	json_object_to_json_string_length(recorder->metadata, JSON_C_TO_STRING_PRETTY |
					  JSON_C_TO_STRING_NOSLASHESCAPE, &length);
	for (i = 0; i < METADATA_FILES; i++) {
		ret = rvtrace_recorder_create(recorder, metadata_temporary[i], error);
		if (ret < 0)
			return ret;
		recorder->reserve[i] = ret;
		/* Where posix_fallocate() would write zeros there is nothing to gain. */
		if (fallocate(ret, 0, 0, length + RESERVE_EXTRA) && errno != EOPNOTSUPP)
			return rvtrace_fail(error, errno, 0, "%s/%s: %s", recorder->name,
					    metadata_temporary[i], strerror(errno));
	}
	return 0;
}

int rvtrace_recorder_begin(struct rvtrace_recorder *recorder, struct json_object *metadata,
			   struct rvtrace_failure *error)
{
	int ret;

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

	ret = recorder_reserve_metadata(recorder, error);
	return ret ? ret : rvtrace_recorder_save_metadata(recorder, error);
}

int rvtrace_recorder_save_metadata(struct rvtrace_recorder *recorder,
				   struct rvtrace_failure *error)
{
	int ret = recorder_replace_metadata(recorder, error);

	return ret ? ret : recorder_reserve_metadata(recorder, error);
}

void rvtrace_recorder_add_error(struct rvtrace_recorder *recorder, const char *text)
{
	struct json_object *errors;

	if (json_object_object_get_ex(recorder->metadata, "errors", &errors))
		json_object_array_add(errors, json_object_new_string(text));
}

static int sync_file(int fd)
{
	/* Not every file system has files that can be synchronised. */
	return fd >= 0 && fsync(fd) && errno != EINVAL ? -errno : 0;
}

/* What was kept for more is given back. */
static int finish_file(int fd, uint64_t size)
{
	return fd >= 0 && ftruncate(fd, size) ? -errno : sync_file(fd);
}

int rvtrace_recorder_finish(struct rvtrace_recorder *recorder,
			    struct rvtrace_failure *error)
{
	size_t i;
	int ret;

	for (i = 0; i < recorder->sink_count; i++) {
		struct recorder_sink *sink = &recorder->sinks[i];

		ret = rvtrace_recorder_confirm(recorder, i, error);
		if (ret)
			return ret;
		ret = finish_file(sink->index, sink->index_bytes);
		if (!ret)
			ret = finish_file(sink->records, sink->totals.records);
		if (!ret)
			ret = sync_file(sink->segment);
		if (ret)
			return rvtrace_fail(error, -ret, 0, "%s/%s: %s", recorder->name,
					    sink->name, strerror(-ret));
	}
	ret = finish_file(recorder->sideband, recorder->sideband_bytes);
	if (ret)
		return rvtrace_fail(error, -ret, 0, "%s/sideband: %s", recorder->name,
				    strerror(-ret));
	recorder_update_metadata(recorder);
	json_object_object_add(recorder->metadata, "stopped", now_json());
	json_object_object_add(recorder->metadata, "complete", json_object_new_boolean(true));
	return recorder_replace_metadata(recorder, error);
}
