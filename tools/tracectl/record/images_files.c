// SPDX-License-Identifier: GPL-2.0
/* Copies of the files that processes mapped: what decodes elsewhere. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <json-c/json.h>

#include <rvtrace/recording.h>
#include <rvtrace/spaces.h>

#include "images_internal.h"
#include "tools/lib/base/file.h"
#include "tools/lib/code/build_id.h"

/*
 * Of files that no process of the command maps: who maps them is anybody, and need not have what
 * copies of them take.
 */
#define OTHERS_FILE_MAX	(256ULL << 20)
#define OTHERS_MAX	(1ULL << 30)	/* together, with holes: all is hashed */
#define OTHERS_FREE	(64ULL << 20)	/* bytes of the file system that they leave free */

#define TOLD_MAX	20	/* files that are left out, one by one */

#define COPY		"copy"		/* a file in images/ until it has its name */

/* A file of other processes */
struct other {
	const struct rvtrace_space_map *map;
	int64_t size;
};

struct copying {
	struct images *images;
	struct json_object *done;	/* files, by path and by what identifies them */
	bool others;
	struct other *other;
	size_t other_count;
	uint64_t others_room;
	unsigned int told;
};

__attribute__((format(printf, 3, 4)))
static int leave_out(struct copying *c, const char *path, const char *format, ...)
{
	char text[256];
	va_list args;

	if (c->told++ >= TOLD_MAX)
		return 0;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	progress_end(&c->images->progress);
	warn_text("%s: %s", path, text);
	return 0;
}

static int no_image(struct copying *c, const char *path, const char *why)
{
	return leave_out(c, path, "no image of it can be kept: %s", why);
}

/* Named by what identifies it, so that it is kept once. */
static int store(struct copying *c, const char *path, const void *bytes, size_t size,
		 const char *build_id)
{
	char name[RVTRACE_BUILD_ID_TEXT];

	if (*build_id)
		snprintf(name, sizeof(name), "%s", build_id);
	else
		rvtrace_content_hash(bytes, size, name);
	return images_add(c->images, &(struct image) {
		.file = name, .kind = "file", .name = path, .build_id = build_id,
		.bytes = bytes, .size = size, .copy = COPY,
	});
}

static void hex(const uint8_t *bytes, size_t size, char *text)
{
	size_t i;

	text[0] = 0;
	for (i = 0; i < size; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
}

/* Whether a file has the build id of what was mapped; says so if not. */
static bool has_build_id(struct copying *c, const struct rvtrace_space_map *map, int fd,
			 char *build_id)
{
	char wanted[RVTRACE_BUILD_ID_TEXT];

	hex(map->build_id, map->build_id_size, wanted);
	rvtrace_build_id_of_fd(fd, build_id);
	if (!*wanted || !strcmp(wanted, build_id))
		return true;
	leave_out(c, map->path, "not the file that was mapped (build id %s, wanted %s)",
		  *build_id ? build_id : "none", wanted);
	return false;
}

/* What the copy has is looked at again: the file may have changed meanwhile. */
static int keep_copy(struct copying *c, const struct rvtrace_space_map *map, int copy, size_t size)
{
	char build_id[RVTRACE_BUILD_ID_TEXT];
	void *bytes;
	int ret;

	if (!has_build_id(c, map, copy, build_id))
		return 0;
	bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, copy, 0);
	if (bytes == MAP_FAILED)
		return no_image(c, map->path, strerror(errno));
	ret = store(c, map->path, bytes, size, build_id);
	munmap(bytes, size);
	return ret;
}

/* Whether there is room for @st; says so if not. */
static bool has_room(struct copying *c, const char *path, const struct stat *st)
{
	uint64_t takes = (uint64_t)st->st_blocks * 512;
	struct statvfs fs;

	if (!c->others)
		return true;
	if ((uint64_t)st->st_size > OTHERS_FILE_MAX || (uint64_t)st->st_size > c->others_room) {
		leave_out(c, path, "not kept: of files of other processes, %llu MiB each and %llu MiB together are",
			  OTHERS_FILE_MAX >> 20, OTHERS_MAX >> 20);
		return false;
	}
	if (fstatvfs(c->images->folder, &fs) ||
	    (uint64_t)fs.f_bavail * fs.f_frsize >= takes + OTHERS_FREE)
		return true;
	leave_out(c, path, "not kept: the disk is almost full");
	return false;
}

static bool is_zero(const char *bytes, size_t size)
{
	return !*bytes && !memcmp(bytes, bytes + 1, size - 1);
}

/* Where data goes on, @size if nowhere before that */
static int64_t next_data(int fd, int64_t from, int64_t size)
{
	int64_t next = lseek(fd, from, SEEK_DATA);

	if (next < 0)
		return errno == ENXIO ? size : from;
	return MIN(next, size);
}

static int write_at(int fd, const char *bytes, size_t size, int64_t at)
{
	ssize_t put;

	for (; size; bytes += put, size -= put, at += put) {
		put = pwrite(fd, bytes, size, at);
		if (put < 0 && errno == EINTR)
			put = 0;
		else if (put <= 0)
			return put ? -errno : -ENOSPC;
	}
	return 0;
}

/* Holes stay holes. Return: bytes, or a negative errno. */
static int64_t copy_bytes(int from, int to, int64_t size)
{
	static char bytes[1 << 16];
	int64_t done = 0;
	ssize_t got = 1;
	int ret = 0;

	while (!ret && got && (done = next_data(from, done, size)) < size) {
		got = pread(from, bytes, MIN(size - done, (int64_t)sizeof(bytes)), done);
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0 && !is_zero(bytes, got))
			ret = write_at(to, bytes, got, done);
		done += MAX(got, 0);
	}
	if (!ret && ftruncate(to, done))
		ret = -errno;
	return ret ? ret : done;
}

static int copy_open(struct copying *c, const struct rvtrace_space_map *map, int fd,
		     const struct stat *st)
{
	int copy = images_copy(c->images, COPY), ret = 0;
	int64_t size;

	if (copy < 0)
		return copy;
	if (c->others)
		c->others_room -= st->st_size;
	size = copy_bytes(fd, copy, st->st_size);
	if (size > 0)
		ret = keep_copy(c, map, copy, size);
	else
		no_image(c, map->path, size ? strerror(-size) : "it is empty");
	images_copied(c->images, COPY);
	close(copy);
	return ret;
}

/* Where no build id tells files apart */
static bool is_another(const struct rvtrace_space_map *map, const struct stat *st)
{
	return !map->build_id_size && (st->st_ino != map->inode || st->st_dev != map->device);
}

/* A file that is gone or has changed is no failure: it is just not there. */
static int copy_file(struct copying *c, const struct rvtrace_space_map *map)
{
	char build_id[RVTRACE_BUILD_ID_TEXT];
	struct stat st;
	int fd, ret = 0;

	progress_show(&c->images->progress, 0, 0, "keeping program files: %s", map->path);
	fd = rvtrace_file_open_below("/", map->path);
	if (fd < 0)
		return no_image(c, map->path,
				fd == -EINVAL ? "not a regular file" : strerror(-fd));
	if (fstat(fd, &st))
		no_image(c, map->path, strerror(errno));
	else if (is_another(map, &st))
		leave_out(c, map->path, "not the file that was mapped (by its inode)");
	else if (has_build_id(c, map, fd, build_id) && has_room(c, map->path, &st))
		ret = copy_open(c, map, fd, &st);
	close(fd);
	return ret;
}

/* Whether a file was dealt with; it is now. Another one may have had its name, for another process. */
static bool note_file(struct json_object *done, const char *path, const char *id, uint64_t device,
		      uint64_t inode)
{
	char key[RVTRACE_BUILD_ID_TEXT + 48];
	struct json_object *files;

	snprintf(key, sizeof(key), "%s %llx %llx", id, *id ? 0 : (unsigned long long)device,
		 *id ? 0 : (unsigned long long)inode);
	if (!json_object_object_get_ex(done, path, &files)) {
		files = json_object_new_object();
		json_object_object_add(done, path, files);
	}
	if (json_object_object_get_ex(files, key, NULL))
		return true;
	json_object_object_add(files, key, json_object_new_boolean(true));
	return false;
}

static bool is_done(struct copying *c, const struct rvtrace_space_map *map)
{
	char id[RVTRACE_BUILD_ID_TEXT];

	hex(map->build_id, map->build_id_size, id);
	return note_file(c->done, map->path, id, map->device, map->inode);
}

static int add_other(struct copying *c, const struct rvtrace_space_map *map)
{
	struct other *other = reallocarray(c->other, c->other_count + 1, sizeof(*other));
	struct stat st;

	if (!other) {
		error_text("out of memory");
		return -ENOMEM;
	}
	c->other = other;
	other[c->other_count++] = (struct other) {
		.map = map, .size = lstat(map->path, &st) ? 0 : st.st_size,
	};
	return 0;
}

static int by_size(const void *a, const void *b)
{
	const struct other *one = a, *other = b;

	return (one->size > other->size) - (one->size < other->size);
}

/* The smallest first: a few large ones do not take the room of programs that all use. */
static int copy_others(struct copying *c)
{
	size_t i;
	int ret = 0;

	if (c->other_count)
		qsort(c->other, c->other_count, sizeof(*c->other), by_size);
	for (i = 0; i < c->other_count && !ret; i++)
		ret = copy_file(c, c->other[i].map);
	return ret;
}

static int copy_maps(struct copying *c, const struct rvtrace_space *space)
{
	const struct rvtrace_space_map *map;
	struct rvtrace_space_walk walk;
	int ret = 0;

	rvtrace_space_walk(&walk, space);
	while (!ret && (map = rvtrace_space_walk_next(&walk))) {
		if (map->path[0] == '/' && strncmp(map->path, "//", 2) && !is_done(c, map))
			ret = c->others ? add_other(c, map) : copy_file(c, map);
	}
	return ret;
}

static uint64_t number(struct json_object *entry, const char *name)
{
	return json_object_get_uint64(json_object_object_get(entry, name));
}

/* What the daemon has saved need not be copied. */
static int note_saved(void *done, struct json_object *entry, uint64_t offset)
{
	const char *kind = json_object_get_string(json_object_object_get(entry, "kind"));
	const char *name = json_object_get_string(json_object_object_get(entry, "name"));
	const char *id = json_object_get_string(json_object_object_get(entry, "build_id"));
	uint64_t inode = number(entry, "inode");

	(void)offset;
	/* A name says nothing: anybody may have a file of that name, for a process. */
	if (kind && name && !strcmp(kind, "file") && (id || inode))
		note_file(done, name, id ? id : "", number(entry, "device"), inode);
	return 0;
}

static int copy_spaces(struct copying *c, const struct rvtrace_spaces *spaces)
{
	const struct rvtrace_space *space;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && (space = rvtrace_spaces_get(spaces, i)); i++)
		if ((space->role == RVTRACE_SPACE_OTHER) == c->others)
			ret = copy_maps(c, space);
	return ret;
}

int images_copy_files(struct images *images, enum copy_images which)
{
	struct copying c = { .images = images, .others_room = OTHERS_MAX };
	struct rvtrace_failure error;
	struct rvtrace_recording *recording;
	struct rvtrace_spaces *spaces;
	int ret;

	if (which == COPY_NONE)
		return 0;
	progress_start(&images->progress, NULL, false);
	c.done = json_object_new_object();
	ret = rvtrace_recording_open(images->directory, &recording, &error);
	if (!ret) {
		ret = rvtrace_recording_lines(recording, "images/index.jsonl", note_saved, c.done,
					      &error);
		if (!ret)
			ret = rvtrace_spaces_load(recording, &spaces, &error);
		rvtrace_recording_free(recording);
	}
	if (ret) {
		json_object_put(c.done);
		error_text("%s", error.text);
		return ret;
	}
	c.others = false;
	ret = copy_spaces(&c, spaces);
	c.others = true;
	if (!ret && which == COPY_ALL)
		ret = copy_spaces(&c, spaces);
	if (!ret)
		ret = copy_others(&c);
	progress_end(&images->progress);
	if (c.told > TOLD_MAX)
		warn_text("%u more files were left out", c.told - TOLD_MAX);
	free(c.other);
	json_object_put(c.done);
	rvtrace_spaces_free(spaces);
	return ret;
}
