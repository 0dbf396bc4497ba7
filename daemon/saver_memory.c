// SPDX-License-Identifier: GPL-2.0
/* Executable memory that no file holds: deleted files, memfd, code a JIT made. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include <rvtrace/build_id.h>

#include "saver.h"

#define MEMORY_MAX	(256 * 1024 * 1024ULL)

static bool is_deleted(const char *path)
{
	static const char suffix[] = " (deleted)";
	size_t length = strlen(path);

	return length > strlen(suffix) && !strcmp(path + length - strlen(suffix), suffix);
}

static bool is_anonymous(const char *path)
{
	return !*path || !strncmp(path, "//anon", 6) || !strncmp(path, "[anon", 5) ||
	       !strcmp(path, "[heap]") || !strncmp(path, "[stack", 6);
}

bool saver_in_no_file(const char *path)
{
	return is_anonymous(path) || is_deleted(path);
}

static ssize_t read_at(int fd, uint8_t *bytes, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, bytes + done, size - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && !done)
			return -errno;
		if (got <= 0)
			break;
		done += got;
	}
	return done;
}

/* What the mapping holds; what was mapped privately may differ from its file. */
static ssize_t read_memory(pid_t pid, uint64_t start, uint8_t *bytes, size_t size)
{
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = read_at(fd, bytes, size, start);
	close(fd);
	return got;
}

/* The build id of a file whose name is gone. */
static void deleted_build_id(pid_t pid, uint64_t start, uint64_t end, char *text)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", pid,
		 (unsigned long long)start, (unsigned long long)end);
	rvtrace_build_id_of_file(path, text);
}

static int note_missing(struct json_object *entry, const char *reason,
			struct rvtrace_recording_error *error)
{
	json_object_object_add(entry, "kind", json_object_new_string("missing"));
	json_object_object_add(entry, "reason", json_object_new_string(reason));
	return saver_line("index.jsonl", entry, error);
}

static bool all_zero(const uint8_t *bytes, size_t size)
{
	return !size || (!bytes[0] && !memcmp(bytes, bytes + 1, size - 1));
}

int saver_memory(struct saver *saver, struct json_object *request,
		 struct rvtrace_recording_error *error)
{
	uint64_t start = saver_number(request, "start"), end = saver_number(request, "end");
	char build_id[RVTRACE_BUILD_ID_TEXT] = "", name[96], hash[RVTRACE_HASH_TEXT];
	const char *path = saver_string(request, "path");
	pid_t pid = saver_number(request, "pid");
	struct json_object *entry;
	uint8_t *bytes = NULL;
	ssize_t got;
	int ret;

	if (!is_anonymous(path))
		deleted_build_id(pid, start, end, build_id);
	entry = saver_entry("file", path, build_id);
	json_object_object_add(entry, "saved", json_object_new_boolean(true));
	json_object_object_add(entry, "pid", json_object_new_int(pid));
	json_object_object_add(entry, "start", saver_hex(start));
	json_object_object_add(entry, "end", saver_hex(end));
	json_object_object_add(entry, "offset", saver_hex(saver_number(request, "offset")));
	json_object_object_add(entry, "time",
			       json_object_new_uint64(saver_number(request, "time")));
	if (end <= start || end - start > MEMORY_MAX)
		return note_missing(entry, "too much memory", error);
	bytes = malloc(end - start);
	got = bytes ? read_memory(pid, start, bytes, end - start) : -ENOMEM;
	if (got <= 0) {
		ret = note_missing(entry, got ? strerror(-got) : "the process is gone", error);
	} else if (is_anonymous(path) && all_zero(bytes, got)) {
		/* Code is still to be written there: the end of the session will show it. */
		json_object_put(entry);
		ret = 0;
	} else {
		rvtrace_content_hash(bytes, got, hash);
		snprintf(name, sizeof(name), "memory-%s", hash);
		ret = saver_image(saver, entry, name, bytes, got, error);
	}
	free(bytes);
	return ret;
}

int saver_deleted(struct saver *saver, struct json_object *request,
		  struct rvtrace_recording_error *error)
{
	const char *path = saver_string(request, "path"), *file = saver_string(request, "file");
	char build_id[RVTRACE_BUILD_ID_TEXT] = "", name[96], hash[RVTRACE_HASH_TEXT];
	int fd = open(file, O_RDONLY | O_CLOEXEC), ret;
	struct json_object *entry;
	uint8_t *bytes = NULL;
	ssize_t got = -errno;
	struct stat st = { 0 };

	rvtrace_build_id_of_file(file, build_id);
	entry = saver_entry("file", path, build_id);
	if (fd >= 0 && (fstat(fd, &st) || st.st_size > (off_t)MEMORY_MAX))
		got = -EFBIG;
	else if (fd >= 0)
		got = (bytes = malloc(st.st_size + 1)) ? read_at(fd, bytes, st.st_size, 0) : -ENOMEM;
	if (fd >= 0)
		close(fd);
	json_object_object_add(entry, "device", json_object_new_uint64(st.st_dev));
	json_object_object_add(entry, "inode", json_object_new_uint64(st.st_ino));
	if (got < 0) {
		ret = note_missing(entry, strerror(-got), error);
	} else {
		rvtrace_content_hash(bytes, got, hash);
		snprintf(name, sizeof(name), "deleted-%s", hash);
		ret = saver_image(saver, entry, name, bytes, got, error);
	}
	free(bytes);
	return ret;
}
