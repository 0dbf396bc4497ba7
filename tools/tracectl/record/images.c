// SPDX-License-Identifier: GPL-2.0
/* Files in images/ and their lines in the index. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/lib/base/file.h"
#include "tools/lib/recording/recorder.h"
#include "tools/tracectl/tracectl.h"
#include "images_internal.h"

/* Not through a link that whoever owns the recording put there. */
static int open_folder(int directory)
{
	if (directory < 0 || (mkdirat(directory, "images", 0750) && errno != EEXIST))
		return -1;
	return openat(directory, "images", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

struct images *images_new(const char *directory)
{
	struct images *images = calloc(1, sizeof(*images));

	if (images) {
		images->directory = strdup(directory);
		images->fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		images->folder = open_folder(images->fd);
	}
	if (!images || !images->directory) {
		error_text("out of memory");
	} else if (images->folder < 0) {
		error_text("%s/images: %s", directory, strerror(errno));
	} else {
		return images;
	}
	images_free(images);
	return NULL;
}

void images_free(struct images *images)
{
	if (!images)
		return;
	if (images->folder >= 0)
		close(images->folder);
	if (images->fd >= 0)
		close(images->fd);
	free(images->directory);
	free(images);
}

void images_hush(struct images *images)
{
	images->hushed = true;
}

static void tell(const struct images *images, const char *file, const char *what)
{
	if (!images->hushed)
		error_text("%s%s%s: %s", images->directory, file ? "/" : "", file ? file : "", what);
}

/* Whether a file is there that has other bytes. A build id says who made a file, and proves nothing. */
static bool is_taken(const struct images *images, const char *file, const void *bytes, size_t size)
{
	int fd = openat(images->folder, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	void *there = MAP_FAILED;
	struct stat st;
	bool same;

	if (fd < 0)
		return errno != ENOENT;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size == (off_t)size)
		there = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	same = there != MAP_FAILED && !memcmp(there, bytes, size);
	if (there != MAP_FAILED)
		munmap(there, size);
	close(fd);
	return !same;
}

/* What is there under that name has the same content. */
static int write_file(struct images *images, const char *file, const void *bytes, size_t size)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(images->folder, file, flags, 0640), ret = 0;
	size_t done = 0;
	ssize_t put;

	if (fd < 0 && errno == EEXIST)
		return 0;
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
	if (!ret)
		return 0;
	unlinkat(images->folder, file, 0);
	return ret;
}

int images_copy(struct images *images, const char *name)
{
	int fd;

	unlinkat(images->folder, name, 0);
	fd = openat(images->folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
	if (fd < 0)
		tell(images, "images", strerror(errno));
	return fd < 0 ? -errno : fd;
}

void images_copied(struct images *images, const char *name)
{
	unlinkat(images->folder, name, 0);
}

/* What is there under that name has the same content. */
static int place_copy(const struct images *images, const char *copy, const char *file)
{
	if (!faccessat(images->folder, file, F_OK, AT_SYMLINK_NOFOLLOW))
		return 0;
	return renameat(images->folder, copy, images->folder, file) ? -errno : 0;
}

static void add_address(struct json_object *entry, const char *name, uint64_t address)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
	json_object_object_add(entry, name, json_object_new_string(text));
}

int images_add(struct images *images, const struct image *image)
{
	struct json_object *entry = json_object_new_object();
	const char *name = image->file;
	char file[256], hash[RVTRACE_HASH_TEXT];
	struct rvtrace_failure error;
	int ret;

	rvtrace_content_hash(image->bytes, image->size, hash);
	if (is_taken(images, name, image->bytes, image->size))
		name = hash;
	snprintf(file, sizeof(file), "images/%s", name);
	json_object_object_add(entry, "kind", json_object_new_string(image->kind));
	json_object_object_add(entry, "name", json_object_new_string(image->name));
	json_object_object_add(entry, "build_id", image->build_id && *image->build_id ?
			       json_object_new_string(image->build_id) : NULL);
	add_address(entry, "address", image->address);
	if (image->mtvec)
		add_address(entry, "mtvec", image->mtvec);
	json_object_object_add(entry, "file", json_object_new_string(file));
	json_object_object_add(entry, "size", json_object_new_uint64(image->size));
	json_object_object_add(entry, "content", json_object_new_string(hash));
	ret = image->copy ? place_copy(images, image->copy, name) :
	      write_file(images, name, image->bytes, image->size);
	if (ret) {
		tell(images, file, strerror(-ret));
	} else {
		ret = rvtrace_recording_append_line(images->fd, "images/index.jsonl", entry,
						    &error);
		if (ret)
			tell(images, NULL, error.text);
	}
	images->changed = true;
	json_object_put(entry);
	return ret;
}

int images_finish(struct images *images)
{
	struct rvtrace_failure error;
	int ret = images->changed ? rvtrace_recording_update_sizes(images->fd, &error) : 0;

	if (ret)
		tell(images, NULL, error.text);
	return ret;
}

static int add_firmware(struct images *images, const char *path, uint64_t address,
			uint64_t mtvec, const void *bytes, size_t size)
{
	char name[32];

	snprintf(name, sizeof(name), "firmware-%u", images->firmware++);
	return images_add(images, &(struct image) {
		.file = name, .kind = "firmware", .name = path, .address = address,
		.mtvec = mtvec, .bytes = bytes, .size = size,
	});
}

int images_save_firmware(struct images *images, const char *file, uint64_t address,
			 uint64_t mtvec)
{
	char *bytes = NULL;
	struct stat st;
	ssize_t got = 0;
	int fd, ret;

	fd = rvtrace_file_open(file);
	if (fd >= 0 && !fstat(fd, &st))
		bytes = malloc(st.st_size + 1);
	if (bytes)
		got = read(fd, bytes, st.st_size);
	if (!bytes || got != st.st_size) {
		ret = fd < 0 ? fd : errno ? -errno : -EIO;
		error_text("--image %s: %s", file, strerror(-ret));
	} else {
		ret = add_firmware(images, file, address, mtvec, bytes, got);
	}
	if (fd >= 0)
		close(fd);
	free(bytes);
	return ret;
}
