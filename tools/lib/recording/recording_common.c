// SPDX-License-Identifier: LGPL-2.1-or-later
/* What writer and reader of trace directories share. */
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include "recording_internal.h"

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

bool recording_sink_name_valid(const char *name)
{
	size_t length = strlen(name);

	return length && length < RECORDING_NAME_MAX &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
		       length;
}
