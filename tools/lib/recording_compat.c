// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lines and side band of recordings of schema 1. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include <rvtrace/recording.h>

#include "fail.h"

int rvtrace_recording_lines(struct rvtrace_recording *recording, const char *name,
			    int (*line)(void *data, struct json_object *object, uint64_t offset),
			    void *data, struct rvtrace_recording_error *error)
{
	char path[256];
	struct json_object *list;
	size_t i;
	int fd, ret = 0;

	snprintf(path, sizeof(path), "%.*s", (int)strlen(name) - 1, name);
	fd = rvtrace_recording_open_file(recording, path);
	if (fd < 0)
		return fd == -ENOENT ? 0 : fail(error, fd, path, strerror(-fd));
	list = json_object_from_fd(fd);
	close(fd);
	if (!json_object_is_type(list, json_type_array))
		ret = fail(error, -EBADMSG, path, "not a JSON list");
	for (i = 0; !ret && i < json_object_array_length(list); i++)
		ret = line(data, json_object_array_get_idx(list, i), 0);
	json_object_put(list);
	return ret;
}

int rvtrace_recording_sideband(struct rvtrace_recording *recording, void **bytes, size_t *size,
			       struct rvtrace_recording_error *error)
{
	int fd = rvtrace_recording_open_file(recording, "sideband");
	struct stat st;
	ssize_t got;

	*size = 0;
	*bytes = NULL;
	if (fd < 0)
		return fd == -ENOENT ? 0 : fail(error, fd, "sideband", strerror(-fd));
	if (!fstat(fd, &st))
		*bytes = malloc(st.st_size + 1);
	while (*bytes && (got = read(fd, (char *)*bytes + *size, st.st_size - *size)) > 0)
		*size += got;
	close(fd);
	return *bytes ? 0 : fail(error, -ENOMEM, "sideband", "out of memory");
}

void rvtrace_recording_check_image(struct rvtrace_recording *recording,
				   struct json_object *entry)
{
	(void)recording;
	(void)entry;
}

const struct rvtrace_damage *rvtrace_recording_damage(const struct rvtrace_recording *recording,
						      size_t index)
{
	(void)recording;
	(void)index;
	return NULL;
}
