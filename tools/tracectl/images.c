// SPDX-License-Identifier: GPL-2.0
/* images/index.jsonl and the files it lists. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "images_internal.h"
#include "parse.h"
#include "tracectl.h"

struct images *images_new(const char *directory)
{
	struct images *images = calloc(1, sizeof(*images));
	char path[4096];

	snprintf(path, sizeof(path), "%s/images", directory);
	if (mkdir(path, 0755) < 0 && errno != EEXIST) {
		error_text("%s: %s", path, strerror(errno));
		free(images);
		return NULL;
	}
	if (images) {
		images->directory = strdup(directory);
		images->fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (!images || !images->directory || images->fd < 0) {
		error_text("out of memory");
		images_free(images);
		return NULL;
	}
	return images;
}

void images_free(struct images *images)
{
	size_t i;

	if (!images)
		return;
	for (i = 0; i < images->text_count; i++)
		free(images->texts[i].bytes);
	free(images->texts);
	if (images->fd >= 0)
		close(images->fd);
	free(images->directory);
	free(images);
}

int images_line(struct images *images, const char *file, struct json_object *object)
{
	struct rvtrace_recording_error error;
	int ret = rvtrace_recording_append_line(images->fd, file, object, &error);

	json_object_put(object);
	if (ret)
		error_text("%s/%s", images->directory, error.text);
	return ret;
}

static int write_file(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), ret = 0;
	size_t done = 0;
	ssize_t put;

	if (fd < 0)
		ret = -errno;
	while (!ret && done < size) {
		put = write(fd, (const char *)bytes + done, size - done);
		if (put < 0 && errno != EINTR)
			ret = -errno;
		else if (put > 0)
			done += put;
	}
	if (fd >= 0 && close(fd) < 0 && !ret)
		ret = -errno;
	if (ret)
		error_text("%s: %s", path, strerror(-ret));
	return ret;
}

static int images_write(struct images *images, const char *name, const void *bytes, size_t size)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/images/%s", images->directory, name);
	return write_file(path, bytes, size);
}

int images_add(struct images *images, const char *file, const char *kind, const char *name,
	       const char *build_id, uint64_t address, const void *bytes, size_t size)
{
	struct json_object *entry;
	char text[4096];
	int ret = images_write(images, file, bytes, size);

	if (ret)
		return ret;
	entry = json_object_new_object();
	snprintf(text, sizeof(text), "images/%s", file);
	json_object_object_add(entry, "file", json_object_new_string(text));
	json_object_object_add(entry, "kind", json_object_new_string(kind));
	json_object_object_add(entry, "name", json_object_new_string(name));
	json_object_object_add(entry, "build_id", build_id && *build_id ?
			       json_object_new_string(build_id) : NULL);
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
	json_object_object_add(entry, "address", json_object_new_string(text));
	json_object_object_add(entry, "size", json_object_new_int64(size));
	rvtrace_content_hash(bytes, size, text);
	json_object_object_add(entry, "content", json_object_new_string(text));
	return images_line(images, "images/index.jsonl", entry);
}

int images_finish(struct images *images)
{
	struct rvtrace_recording_error error;
	int ret = rvtrace_recording_update_sizes(images->fd, &error);

	if (ret)
		error_text("%s: %s", images->directory, error.text);
	return ret;
}

int images_save_firmware(struct images *images, const char *file, const char *address)
{
	char name[32], *bytes = NULL;
	uint64_t where;
	struct stat st;
	ssize_t got = 0;
	int fd, ret;

	if (parse_number(address, &where)) {
		error_text("--image %s@%s: not an address", file, address);
		return -EINVAL;
	}
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && !fstat(fd, &st))
		bytes = malloc(st.st_size + 1);
	if (bytes)
		got = read(fd, bytes, st.st_size);
	if (!bytes || got != st.st_size) {
		ret = errno ? -errno : -EIO;
		error_text("--image %s: %s", file, strerror(-ret));
	} else {
		snprintf(name, sizeof(name), "firmware-%u", images->firmware++);
		ret = images_add(images, name, "firmware", file, NULL, where, bytes, got);
	}
	if (fd >= 0)
		close(fd);
	free(bytes);
	return ret;
}
