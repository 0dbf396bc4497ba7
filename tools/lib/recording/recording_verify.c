// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reader of trace directories: everything once, so that all damage is known. */
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "recording_internal.h"

#define PIECE	(256 * 1024)

/* XXH64 of @size bytes at the beginning of an open file; 0 or a negative errno. */
static int hash_file(int fd, uint64_t size, uint64_t *hash)
{
	XXH64_state_t *state = XXH64_createState();
	uint8_t *buffer = malloc(PIECE);
	ssize_t got = state && buffer ? 0 : -ENOMEM;
	uint64_t done = 0;

	if (got >= 0)
		XXH64_reset(state, 0);
	while (got >= 0 && done < size) {
		got = file_pread(fd, buffer, size - done < PIECE ? size - done : PIECE, done);
		if (!got)
			got = -EIO;
		if (got > 0) {
			XXH64_update(state, buffer, got);
			done += got;
		}
	}
	if (got >= 0)
		*hash = XXH64_digest(state);
	XXH64_freeState(state);
	free(buffer);
	return got < 0 ? (int)got : 0;
}

/* What an image was when it was read: however many lines are about it. */
struct image_hash {
	char *file;
	int64_t size;		/* or a negative errno */
	bool read;		/* @ret, @hash: once a line has a checksum */
	int ret;
	uint64_t hash;
};

static int by_file(const void *a, const void *b)
{
	return strcmp(((const struct image_hash *)a)->file, ((const struct image_hash *)b)->file);
}

static void free_hash(void *hash)
{
	free(((struct image_hash *)hash)->file);
	free(hash);
}

void recording_hashes_free(struct rvtrace_recording *recording)
{
	tdestroy(recording->hashes, free_hash);
}

/* Its size, and with @hash its checksum, which are read once */
static void read_image(const struct rvtrace_recording *recording, struct image_hash *image,
		       bool hash)
{
	int fd = rvtrace_recording_open_file(recording, image->file);

	image->size = fd < 0 ? fd : file_size(fd);
	if (image->size >= 0 && hash)
		image->ret = hash_file(fd, image->size, &image->hash);
	image->read = hash;
	if (fd >= 0)
		close(fd);
}

/* NULL: no memory */
static const struct image_hash *get_image(struct rvtrace_recording *recording, const char *file,
					  bool hash)
{
	struct image_hash *image = calloc(1, sizeof(*image)), **found;
	bool new;

	if (image)
		image->file = strdup(file);
	found = image && image->file ? tsearch(image, &recording->hashes, by_file) : NULL;
	new = found && *found == image;
	if (!new && image)
		free_hash(image);
	if (!found)
		return NULL;
	if (new || (hash && !(*found)->read))
		read_image(recording, *found, hash);
	return *found;
}

bool rvtrace_recording_check_image(struct rvtrace_recording *recording, struct json_object *entry)
{
	const char *file = json_string(entry, "file");
	const char *content = json_string(entry, "content");
	const struct image_hash *image;
	struct json_object *size;
	char text[RVTRACE_HASH_TEXT];
	int error;

	if (!*file)
		return false;
	image = get_image(recording, file, *content);
	if (image && image->size == -ENOENT) {
		recording_damage(recording, file, 0, 0, "missing");
		return true;
	}
	error = !image ? -ENOMEM : image->size < 0 ? (int)image->size : image->ret;
	if (error) {
		recording_unreadable(recording, file, 0, error, NULL);
		return false;
	}
	snprintf(text, sizeof(text), "%016" PRIx64, image->hash);
	if (json_object_object_get_ex(entry, "size", &size) &&
	    json_object_is_type(size, json_type_int) &&
	    json_object_get_uint64(size) != (uint64_t)image->size)
		recording_damage(recording, file, 0, image->size,
				 "damaged: %llu bytes were saved",
				 (unsigned long long)json_object_get_uint64(size));
	else if (*content && strcmp(text, content))
		recording_damage(recording, file, 0, image->size, "damaged");
	return true;
}

static int check_line(void *data, struct json_object *entry, uint64_t offset)
{
	(void)offset;
	rvtrace_recording_check_image(data, entry);
	return 0;
}

static int ignore_line(void *data, struct json_object *entry, uint64_t offset)
{
	(void)data;
	(void)entry;
	(void)offset;
	return 0;
}

static int ignore_chunk(void *data, const struct rvtrace_chunk *chunk)
{
	(void)data;
	(void)chunk;
	return 0;
}

static int ignore_record(void *data, const struct rvtrace_record *record)
{
	(void)data;
	(void)record;
	return 0;
}

/* A file that cannot be read is listed: the others are read nevertheless. */
static int unless_listed(const struct rvtrace_recording *recording, int ret)
{
	const struct rvtrace_damage *damage;

	for (size_t i = 0; (damage = rvtrace_recording_damage(recording, i)); i++)
		if (damage->error == -ret)
			return 0;
	return ret;
}

static int verify_sink(struct rvtrace_recording *recording, size_t sink,
		       struct rvtrace_failure *error)
{
	int ret = rvtrace_recording_each_chunk(recording, sink, ignore_chunk, NULL, error);

	ret = unless_listed(recording, ret);
	if (!ret)
		ret = recording_each_record(recording, sink, ignore_record, NULL, error);
	return unless_listed(recording, ret);
}

static int verify_lines(struct rvtrace_recording *recording, const char *file,
			int (*line)(void *data, struct json_object *object, uint64_t offset),
			struct rvtrace_failure *error)
{
	return unless_listed(recording, rvtrace_recording_lines(recording, file, line, recording,
								error));
}

int rvtrace_recording_verify(struct rvtrace_recording *recording,
			     struct rvtrace_failure *error)
{
	void *bytes = NULL;
	size_t i, size;
	int ret = 0;

	for (i = 0; !ret && i < recording->sink_count; i++)
		ret = verify_sink(recording, i, error);
	if (!ret)
		ret = rvtrace_recording_sideband(recording, &bytes, &size, error);
	free(bytes);
	ret = unless_listed(recording, ret);
	if (!ret)
		ret = verify_lines(recording, "images/index.jsonl", check_line, error);
	return ret ? ret : verify_lines(recording, "images/maps.jsonl", ignore_line, error);
}
