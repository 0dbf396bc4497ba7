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

#include "mapped.h"
#include "saver_internal.h"
#include "saver_lives.h"
#include "watch.h"
#include "tools/lib/base/owner.h"
#include "tools/lib/code/build_id.h"

#define MEMORY_MAX	(256 * 1024 * 1024ULL)
#define WAITING_MAX	(64 * 1024 * 1024ULL)

/* What was read; without @bytes @entry says why not. */
struct saver_memory {
	STAILQ_ENTRY(saver_memory) next;
	struct json_object *entry;
	uint8_t *bytes;
	size_t size;
};

static bool is_deleted(const char *path)
{
	static const char suffix[] = " (deleted)";
	size_t length = strlen(path);

	return length > strlen(suffix) && !strcmp(path + length - strlen(suffix), suffix);
}

bool saver_is_anonymous(const char *path)
{
	return !*path || !strncmp(path, "//anon", 6) || !strncmp(path, "[anon", 5) ||
	       !strcmp(path, "[heap]") || !strncmp(path, "[stack", 6);
}

bool saver_in_no_file(const char *path)
{
	return saver_is_anonymous(path) || is_deleted(path);
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

/* If the owner of the recording may; a negative errno. */
static int open_as_owner(const struct saver *saver, const char *path)
{
	int fd = saver_as_owner(saver);

	if (fd)
		return fd;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	rvtrace_owner_end();
	return fd < 0 ? -errno : fd;
}

/*
 * What the mapping holds; what was mapped privately may differ from its file. Memory that was
 * opened stays that of the program that ran then.
 */
static ssize_t read_memory(const struct saver *saver, const struct saver_piece *piece,
			   uint8_t *bytes, size_t size)
{
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", piece->pid);
	fd = open_as_owner(saver, path);
	if (fd < 0)
		return fd;
	got = read_at(fd, bytes, size, piece->start);
	close(fd);
	return got;
}

/* The build id of a file whose name is gone. */
static void deleted_build_id(const struct saver *saver, const struct saver_piece *piece, char *text)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", piece->pid,
		 (unsigned long long)piece->start, (unsigned long long)piece->end);
	fd = open_as_owner(saver, path);
	if (fd < 0)
		return;
	rvtrace_build_id_of_fd(fd, text);
	close(fd);
}

static void make_missing(struct json_object *entry, const char *reason)
{
	json_object_object_add(entry, "kind", json_object_new_string("missing"));
	json_object_object_add(entry, "reason", json_object_new_string(reason));
}

static bool all_zero(const uint8_t *bytes, size_t size)
{
	return !size || (!bytes[0] && !memcmp(bytes, bytes + 1, size - 1));
}

static struct json_object *piece_entry(const struct saver_piece *piece, const char *build_id)
{
	struct json_object *entry = saver_entry("file", piece->path, build_id);

	json_object_object_add(entry, "saved", json_object_new_boolean(true));
	json_object_object_add(entry, "pid", json_object_new_int(piece->pid));
	json_object_object_add(entry, "start", saver_hex(piece->start));
	json_object_object_add(entry, "end", saver_hex(piece->end));
	json_object_object_add(entry, "offset", saver_hex(piece->offset));
	json_object_object_add(entry, "time", json_object_new_uint64(piece->time));
	return entry;
}

/* Consumes @entry. */
static int save_bytes(struct saver *saver, struct json_object *entry, const char *prefix,
		      const uint8_t *bytes, size_t size, struct rvtrace_failure *error)
{
	char name[96], hash[RVTRACE_HASH_TEXT];

	rvtrace_content_hash(bytes, size, hash);
	snprintf(name, sizeof(name), "%s-%s", prefix, hash);
	return saver_image(saver, entry, name, bytes, size, error);
}

/* Consumes @entry and @bytes. */
static void enqueue(struct saver *saver, struct json_object *entry, uint8_t *bytes, size_t size)
{
	struct saver_memory *memory = malloc(sizeof(*memory));

	if (!memory) {
		rvtrace_fail(&saver->failed, ENOMEM, 0, "images: out of memory");
		json_object_put(entry);
		free(bytes);
		return;
	}
	*memory = (struct saver_memory) { .entry = entry, .bytes = bytes, .size = size };
	STAILQ_INSERT_TAIL(&saver->memory, memory, next);
	saver->memory_size += size;
	while (saver->memory_size > WAITING_MAX && saver_store(saver))
		;
}

void saver_memory(struct saver *saver, const struct saver_piece *piece)
{
	size_t size = piece->end > piece->start ? piece->end - piece->start : SIZE_MAX;
	char build_id[RVTRACE_BUILD_ID_TEXT] = "";
	struct json_object *entry;
	uint8_t *bytes = NULL;
	ssize_t got = -EFBIG;

	if (size <= MEMORY_MAX)
		got = (bytes = malloc(size)) ? read_memory(saver, piece, bytes, size) : -ENOMEM;
	/* Code is still to be written there: the end of the session will show it. */
	if (got > 0 && saver_is_anonymous(piece->path) && all_zero(bytes, got)) {
		free(bytes);
		return;
	}
	if (!saver_is_anonymous(piece->path))
		deleted_build_id(saver, piece, build_id);
	entry = piece_entry(piece, build_id);
	if (got <= 0) {
		make_missing(entry, got ? strerror(-got) : "the process has exited");
		free(bytes);
		bytes = NULL;
		got = 0;
	}
	enqueue(saver, entry, bytes, got);
}

bool saver_store(struct saver *saver)
{
	struct saver_memory *memory = STAILQ_FIRST(&saver->memory);
	struct rvtrace_failure error;
	int ret;

	if (!memory)
		return false;
	STAILQ_REMOVE_HEAD(&saver->memory, next);
	saver->memory_size -= memory->size;
	if (memory->bytes)
		ret = save_bytes(saver, memory->entry, "memory", memory->bytes, memory->size,
				 &error);
	else
		ret = saver_line(saver, "index.jsonl", memory->entry, &error);
	if (ret)
		saver->failed = error;
	free(memory->bytes);
	free(memory);
	return true;
}

static ssize_t read_file(int fd, const struct stat *st, uint8_t **bytes)
{
	if (st->st_size > (off_t)MEMORY_MAX)
		return -EFBIG;
	*bytes = malloc(st->st_size + 1);
	return *bytes ? read_at(fd, *bytes, st->st_size, 0) : -ENOMEM;
}

static ssize_t read_deleted(const struct saver *saver, const struct mapped_file *file,
			    const struct stat *st, uint8_t **bytes, char *build_id)
{
	char path[64];
	ssize_t got;
	int fd;

	/* What was opened with O_PATH can be opened again. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	fd = open_as_owner(saver, path);
	if (fd < 0)
		return fd;
	got = read_file(fd, st, bytes);
	rvtrace_build_id_of_fd(fd, build_id);
	close(fd);
	return got;
}

/* If it is deleted; to ask for that may take for ever. */
static int save_deleted(struct saver *saver, const struct mapped_file *file,
			struct rvtrace_failure *error)
{
	char build_id[RVTRACE_BUILD_ID_TEXT] = "";
	struct json_object *entry;
	uint8_t *bytes = NULL;
	ssize_t got = 0;
	struct stat st;
	bool gone;
	int ret;

	if (!saver_look(saver, file->pid))
		return 0;
	gone = !fstat(file->fd, &st) && !st.st_nlink;
	if (gone)
		got = read_deleted(saver, file, &st, &bytes, build_id);
	saver_lives_looked(saver->lives);
	if (!gone)
		return 0;
	entry = saver_entry("file", file->path, build_id);
	json_object_object_add(entry, "device", json_object_new_uint64(st.st_dev));
	json_object_object_add(entry, "inode", json_object_new_uint64(st.st_ino));
	if (got >= 0) {
		ret = save_bytes(saver, entry, "deleted", bytes, got, error);
	} else {
		make_missing(entry, strerror(-got));
		ret = saver_line(saver, "index.jsonl", entry, error);
	}
	free(bytes);
	return ret;
}

int saver_deleted(struct saver *saver, struct rvtrace_failure *error)
{
	const struct mapped_file *file;
	size_t at = 0;
	int ret = 0;

	while (!ret && (file = mapped_next(saver->mapped, &at)))
		ret = save_deleted(saver, file, error);
	return ret;
}
