// SPDX-License-Identifier: LGPL-2.1-or-later
/* What writer and reader of trace directories share. */
#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "recording_internal.h"

_Static_assert(sizeof(struct recording_entry) == RVTRACE_RECORDING_ENTRY_SIZE, "entry of SINK.idx");

void recording_entry_pack(const struct recording_entry *entry,
			  uint8_t bytes[RVTRACE_RECORDING_ENTRY_SIZE])
{
	const struct recording_entry disk = {
		.position = htole64(entry->position),
		.offset = htole64(entry->offset),
		.length = htole64(entry->length),
		.time = htole64(entry->time),
		.type = htole32(entry->type),
		.flags = htole32(entry->flags),
	};

	memcpy(bytes, &disk, sizeof(disk));
}

void recording_entry_unpack(const uint8_t bytes[RVTRACE_RECORDING_ENTRY_SIZE],
			    struct recording_entry *entry)
{
	struct recording_entry disk;

	memcpy(&disk, bytes, sizeof(disk));
	entry->position = le64toh(disk.position);
	entry->offset = le64toh(disk.offset);
	entry->length = le64toh(disk.length);
	entry->time = le64toh(disk.time);
	entry->type = le32toh(disk.type);
	entry->flags = le32toh(disk.flags);
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
