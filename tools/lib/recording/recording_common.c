// SPDX-License-Identifier: LGPL-2.1-or-later
/* What writer and reader of trace directories share. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "recording_internal.h"

#define MIB	1048576.0

/* An entry as in the file, little-endian. */
struct disk_entry {
	uint64_t position;
	uint64_t offset;
	uint64_t length;
	uint64_t time;
	uint32_t type;
	uint32_t flags;
	uint64_t sum;
	uint64_t number;
	uint64_t check;		/* of everything before it */
};

_Static_assert(sizeof(struct disk_entry) == RVTRACE_RECORDING_ENTRY_SIZE, "entry of SINK.idx");

void recording_entry_pack(const struct recording_entry *entry,
			  uint8_t bytes[RVTRACE_RECORDING_ENTRY_SIZE])
{
	struct disk_entry disk = {
		.position = htole64(entry->position),
		.offset = htole64(entry->offset),
		.length = htole64(entry->length),
		.time = htole64(entry->time),
		.type = htole32(entry->type),
		.flags = htole32(entry->flags),
		.sum = htole64(entry->sum),
		.number = htole64(entry->number),
	};

	disk.check = htole64(XXH64(&disk, offsetof(struct disk_entry, check), 0));
	memcpy(bytes, &disk, sizeof(disk));
}

bool recording_entry_unpack(const uint8_t bytes[RVTRACE_RECORDING_ENTRY_SIZE],
			    struct recording_entry *entry)
{
	struct disk_entry disk;

	memcpy(&disk, bytes, sizeof(disk));
	entry->position = le64toh(disk.position);
	entry->offset = le64toh(disk.offset);
	entry->length = le64toh(disk.length);
	entry->time = le64toh(disk.time);
	entry->type = le32toh(disk.type);
	entry->flags = le32toh(disk.flags);
	entry->sum = le64toh(disk.sum);
	entry->number = le64toh(disk.number);
	return le64toh(disk.check) == XXH64(&disk, offsetof(struct disk_entry, check), 0);
}

void rvtrace_content_hash(const void *bytes, size_t size, char text[RVTRACE_HASH_TEXT])
{
	snprintf(text, RVTRACE_HASH_TEXT, "%016" PRIx64, (uint64_t)XXH64(bytes, size, 0));
}

int rvtrace_fail(struct rvtrace_recording_error *error, int code, uint64_t offset,
		 const char *format, ...)
{
	va_list args;

	if (error) {
		error->code = code;
		error->offset = offset;
		va_start(args, format);
		vsnprintf(error->text, sizeof(error->text), format, args);
		va_end(args);
	}
	return -code;
}

int rvtrace_fail_room(struct rvtrace_recording_error *error, const char *name, uint64_t available,
		      uint64_t min_free)
{
	return rvtrace_fail(error, ENOSPC, 0, "%s: the disk is full: %.1f MiB free, min_free is %.1f MiB",
			    name, available / MIB, min_free / MIB);
}

ssize_t recording_pread(int fd, void *data, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, (char *)data + done, size - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += got;
	}
	return done;
}

int64_t recording_file_size(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	return S_ISREG(st.st_mode) ? st.st_size : -EINVAL;
}

int recording_open_below(int directory, const char *name, int flags, mode_t mode)
{
	char component[256];
	int fd = directory, next;

	for (;;) {
		size_t length = strcspn(name, "/");
		bool last = !name[length];

		memcpy(component, name, length < sizeof(component) ? length : 0);
		component[length < sizeof(component) ? length : 0] = 0;
		if (!component[0] || !strcmp(component, ".") || !strcmp(component, ".."))
			next = -EINVAL;
		else
			next = openat(fd, component, O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK |
				      (last ? flags : O_RDONLY | O_DIRECTORY), mode);
		if (next == -1)
			next = -errno;
		if (fd != directory)
			close(fd);
		if (last || next < 0)
			return next;
		fd = next;
		name += length + 1;
	}
}

bool recording_sink_name_valid(const char *name)
{
	size_t length = strlen(name);

	return length && length < RECORDING_NAME_MAX &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
		       length;
}
