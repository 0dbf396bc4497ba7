// SPDX-License-Identifier: GPL-2.0
/* Copies of the files that processes mapped: what decodes elsewhere. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include <rvtrace/build_id.h>
#include <rvtrace/file.h>
#include <rvtrace/recording.h>
#include <rvtrace/spaces.h>

#include "images_internal.h"

/* Named by what identifies it, so that it is kept once. */
static int store(struct images *images, const char *path, const uint8_t *bytes, size_t size,
		 const char *build_id)
{
	char name[RVTRACE_BUILD_ID_TEXT];

	if (*build_id)
		snprintf(name, sizeof(name), "%s", build_id);
	else
		rvtrace_content_hash(bytes, size, name);
	return images_add(images, &(struct image) {
		.file = name, .kind = "file", .name = path, .build_id = build_id,
		.bytes = bytes, .size = size,
	});
}

static int copy_open(struct images *images, const char *path, int fd, const char *build_id)
{
	struct stat st = { 0 };
	void *bytes;
	int ret;

	bytes = fstat(fd, &st) || !st.st_size ? MAP_FAILED :
		mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED) {
		progress_end(&images->progress);
		warn_text("%s: no image of it can be kept: %s", path,
			  st.st_size ? strerror(errno) : "it is empty");
		return 0;
	}
	ret = store(images, path, bytes, st.st_size, build_id);
	munmap(bytes, st.st_size);
	return ret;
}

/* A file that is gone or has changed is no failure: it is just not there. */
static int copy_file(struct images *images, const char *path, const char *wanted)
{
	char build_id[RVTRACE_BUILD_ID_TEXT];
	int fd, ret = 0;

	progress_show(&images->progress, 0, 0, "keeping program files: %s", path);
	fd = rvtrace_file_open_below("/", path);
	if (fd < 0) {
		progress_end(&images->progress);
		warn_text("%s: no image of it can be kept: %s", path,
			  fd == -EINVAL ? "not a regular file" : strerror(-fd));
		return 0;
	}
	rvtrace_build_id_of_fd(fd, build_id);
	if (*wanted && strcmp(wanted, build_id)) {
		progress_end(&images->progress);
		warn_text("%s: not the file that was mapped (build id %s, wanted %s)", path,
			  *build_id ? build_id : "none", wanted);
	} else {
		ret = copy_open(images, path, fd, build_id);
	}
	close(fd);
	return ret;
}

static int copy_maps(struct images *images, const struct rvtrace_space *space,
		     struct json_object *done)
{
	char build_id[RVTRACE_BUILD_ID_TEXT];
	const struct rvtrace_space_map *map;
	struct rvtrace_space_walk walk;
	size_t k;
	int ret = 0;

	rvtrace_space_walk(&walk, space);
	while (!ret && (map = rvtrace_space_walk_next(&walk))) {
		if (map->path[0] != '/' || !strncmp(map->path, "//", 2) ||
		    json_object_object_get_ex(done, map->path, NULL))
			continue;
		json_object_object_add(done, map->path, json_object_new_boolean(true));
		build_id[0] = 0;
		for (k = 0; k < map->build_id_size; k++)
			sprintf(build_id + 2 * k, "%02x", map->build_id[k]);
		ret = copy_file(images, map->path, build_id);
	}
	return ret;
}

/* What the daemon has saved need not be copied. */
static int note_saved(void *done, struct json_object *entry, uint64_t offset)
{
	struct json_object *kind, *name;

	(void)offset;
	if (json_object_object_get_ex(entry, "kind", &kind) &&
	    json_object_object_get_ex(entry, "name", &name) && kind && name &&
	    !strcmp(json_object_get_string(kind), "file"))
		json_object_object_add(done, json_object_get_string(name),
				       json_object_new_boolean(true));
	return 0;
}

int images_copy_files(struct images *images, enum copy_images which)
{
	struct rvtrace_recording_error error;
	struct rvtrace_recording *recording;
	const struct rvtrace_space *space;
	struct rvtrace_spaces *spaces;
	struct json_object *done;
	size_t i;
	int ret;

	if (which == COPY_NONE)
		return 0;
	progress_start(&images->progress, NULL, false);
	done = json_object_new_object();
	ret = rvtrace_recording_open(images->directory, &recording, &error);
	if (!ret) {
		ret = rvtrace_recording_lines(recording, "images/index.jsonl", note_saved, done,
					      &error);
		if (!ret)
			ret = rvtrace_spaces_load(recording, &spaces, &error);
		rvtrace_recording_free(recording);
	}
	if (ret) {
		json_object_put(done);
		error_text("%s", error.text);
		return ret;
	}
	for (i = 0; !ret && (space = rvtrace_spaces_get(spaces, i)); i++)
		if (which == COPY_ALL || space->role != RVTRACE_SPACE_OTHER)
			ret = copy_maps(images, space, done);
	progress_end(&images->progress);
	json_object_put(done);
	rvtrace_spaces_free(spaces);
	return ret;
}
