// SPDX-License-Identifier: LGPL-2.1-or-later
/* Address spaces of a recording: its side band, maps.json and records. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include <rvtrace/spaces.h>

#include "fail.h"
#include "spaces_internal.h"

static int read_whole(int fd, void **out, size_t *size)
{
	struct stat st;
	size_t done = 0;
	char *bytes;
	ssize_t got;

	if (fstat(fd, &st) < 0)
		return -errno;
	bytes = malloc(st.st_size + 1);
	if (!bytes)
		return -ENOMEM;
	while (done < (size_t)st.st_size) {
		got = read(fd, bytes + done, st.st_size - done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			free(bytes);
			return -errno;
		}
		if (!got)
			break;
		done += got;
	}
	bytes[done] = 0;
	*out = bytes;
	*size = done;
	return 0;
}

/* Return: 0; -ENOENT without the file. */
static int read_file(struct rvtrace_recording *recording, const char *name, void **out,
		     size_t *size, struct rvtrace_recording_error *error)
{
	int fd = rvtrace_recording_open_file(recording, name), ret;

	if (fd < 0)
		return fail(error, fd, name, strerror(-fd));
	ret = read_whole(fd, out, size);
	close(fd);
	return ret ? fail(error, ret, name, strerror(-ret)) : 0;
}

static int load_maps(struct rvtrace_recording *recording, struct rvtrace_spaces *spaces,
		     struct rvtrace_recording_error *error)
{
	struct json_object *maps;
	void *text;
	size_t size;
	int ret;

	ret = read_file(recording, "images/maps.json", &text, &size, error);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	maps = json_tokener_parse(text);
	free(text);
	if (!maps)
		return fail(error, -EBADMSG, "images/maps.json", "not JSON");
	ret = rvtrace_spaces_add_maps(spaces, maps, error);
	json_object_put(maps);
	return ret;
}

static int load_sideband(struct rvtrace_recording *recording, struct rvtrace_spaces *spaces,
			 struct rvtrace_recording_error *error)
{
	struct rvtrace_sideband sideband;
	void *bytes;
	size_t size;
	int ret;

	ret = read_file(recording, "sideband", &bytes, &size, error);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	ret = rvtrace_sideband_parse(bytes, size, &sideband, error);
	if (ret) {
		free(bytes);
		return ret;
	}
	spaces_own_sideband(spaces, &sideband, bytes);
	return rvtrace_spaces_add_sideband(spaces, &sideband);
}

static int load_records(struct rvtrace_recording *recording, size_t sink,
			struct rvtrace_spaces *spaces, struct rvtrace_recording_error *error)
{
	struct rvtrace_recording_records *records;
	const struct rvtrace_record *record;
	int ret;

	ret = rvtrace_recording_records_open(recording, sink, &records, error);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	while ((ret = rvtrace_recording_records_next(records, &record, error)) > 0) {
		if (record->type != RVTRACE_RECORD_ADDRESS_SPACE)
			continue;
		ret = rvtrace_spaces_add_context(spaces, (const void *)record);
		if (ret)
			break;
	}
	rvtrace_recording_records_free(records);
	return ret;
}

int rvtrace_spaces_load(struct rvtrace_recording *recording, struct rvtrace_spaces **out,
			struct rvtrace_recording_error *error)
{
	struct rvtrace_spaces *spaces = rvtrace_spaces_new();
	size_t sink;
	int ret;

	if (!spaces)
		return fail(error, -ENOMEM, "address spaces", "out of memory");
	ret = load_maps(recording, spaces, error);
	if (!ret)
		ret = load_sideband(recording, spaces, error);
	for (sink = 0; !ret && sink < rvtrace_recording_sink_count(recording); sink++)
		ret = load_records(recording, sink, spaces, error);
	if (!ret)
		ret = rvtrace_spaces_resolve(spaces);
	if (ret) {
		if (ret == -ENOMEM)
			fail(error, ret, "address spaces", "out of memory");
		rvtrace_spaces_free(spaces);
		return ret;
	}
	*out = spaces;
	return 0;
}
