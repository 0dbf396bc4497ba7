// SPDX-License-Identifier: GPL-2.0
/* What the process that saves program images writes: files and lists in images/. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include "saver.h"
#include "saver_internal.h"
#include "tools/lib/base/owner.h"
#include "tools/lib/recording/seal.h"

static int write_all(int fd, const uint8_t *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t put = write(fd, bytes + done, size - done);

		if (put < 0 && errno != EINTR)
			return -errno;
		if (put > 0)
			done += put;
	}
	return 0;
}

static int check_free(const struct saver *saver, size_t size, struct rvtrace_failure *error)
{
	struct statvfs fs;
	uint64_t available;

	if (!saver->min_free || fstatvfs(SAVER_DIRECTORY, &fs))
		return 0;
	available = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (available >= saver->min_free + size)
		return 0;
	return rvtrace_fail_room(error, "program images are missing", available,
				 saver->min_free);
}

/* Writes images/@name, unless it exists already. */
static int write_file(const struct saver *saver, const char *name, const void *bytes, size_t size,
		      struct rvtrace_failure *error)
{
	int fd, ret = check_free(saver, size, error);

	if (ret)
		return ret;
	fd = openat(SAVER_DIRECTORY, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0640);
	if (fd < 0)
		return errno == EEXIST ? 0 : rvtrace_fail(error, errno, 0, "images/%s: %s", name,
							  strerror(errno));
	ret = write_all(fd, bytes, size);
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret)
		return 0;
	unlinkat(SAVER_DIRECTORY, name, 0);
	return rvtrace_fail(error, -ret, 0, "images/%s: %s", name, strerror(-ret));
}

int saver_as_owner(const struct saver *saver)
{
	return rvtrace_owner_begin(saver->uid, saver->gid, 1ULL << CAP_CHECKPOINT_RESTORE);
}

/* The same, of what is written */
static int begin_writing(const struct saver *saver, const char *name,
			 struct rvtrace_failure *error)
{
	int ret = saver_as_owner(saver);

	return ret ? rvtrace_fail(error, -ret, 0, "images/%s: %s", name, strerror(-ret)) : 0;
}

int saver_line(const struct saver *saver, const char *name, struct json_object *object,
	       struct rvtrace_failure *error)
{
	int ret = begin_writing(saver, name, error);

	if (!ret) {
		ret = rvtrace_recording_append_line(SAVER_DIRECTORY, name, object, NULL);
		rvtrace_owner_end();
		if (ret)
			rvtrace_fail(error, -ret, 0, "images/%s: %s", name, strerror(-ret));
	}
	json_object_put(object);
	return ret;
}

uint64_t saver_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

struct json_object *saver_hex(uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	return json_object_new_string(text);
}

uint64_t saver_number(struct json_object *request, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(request, name, &value);
	return json_object_get_uint64(value);
}

const char *saver_string(struct json_object *request, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(request, name, &value);
	return value ? json_object_get_string(value) : "";
}

struct json_object *saver_entry(const char *kind, const char *name, const char *build_id)
{
	struct json_object *entry = json_object_new_object();

	json_object_object_add(entry, "kind", json_object_new_string(kind));
	json_object_object_add(entry, "name", json_object_new_string(name));
	json_object_object_add(entry, "build_id", build_id && *build_id ?
			       json_object_new_string(build_id) : NULL);
	return entry;
}

int saver_image(const struct saver *saver, struct json_object *entry, const char *name,
		const void *bytes, size_t size, struct rvtrace_failure *error)
{
	char hash[RVTRACE_HASH_TEXT], file[300];
	int ret = begin_writing(saver, name, error);

	if (!ret) {
		ret = write_file(saver, name, bytes, size, error);
		rvtrace_owner_end();
	}
	if (ret) {
		json_object_put(entry);
		return ret;
	}
	rvtrace_content_hash(bytes, size, hash);
	snprintf(file, sizeof(file), "images/%s", name);
	json_object_object_add(entry, "file", json_object_new_string(file));
	json_object_object_add(entry, "size", json_object_new_uint64(size));
	json_object_object_add(entry, "content", json_object_new_string(hash));
	return saver_line(saver, "index.jsonl", entry, error);
}

/* What was saved until now outlives a disk that fails. */
static int sync_files(struct rvtrace_failure *error)
{
	int folder = openat(SAVER_DIRECTORY, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd, ret = 0;
	DIR *files = folder < 0 ? NULL : fdopendir(folder);
	struct dirent *file;

	if (!files)
		return rvtrace_fail(error, errno, 0, "images: %s", strerror(errno));
	while (!ret && (file = readdir(files))) {
		fd = openat(SAVER_DIRECTORY, file->d_name,
			    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		/* Not every file system, and not every file, can be synchronised. */
		if (fd >= 0 && fsync(fd) && errno != EINVAL && errno != EROFS)
			ret = rvtrace_fail(error, errno, 0, "images/%.255s: %s", file->d_name,
					   strerror(errno));
		if (fd >= 0)
			close(fd);
	}
	closedir(files);
	return ret;
}

int saver_sync(const struct saver *saver, struct rvtrace_failure *error)
{
	int ret = begin_writing(saver, "", error);

	if (ret)
		return ret;
	ret = sync_files(error);
	rvtrace_owner_end();
	return ret;
}
