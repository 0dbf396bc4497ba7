// SPDX-License-Identifier: GPL-2.0
/* Inputs that are recordings. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "folder.h"
#include "target.h"
#include "tools/lib/recording/frames.h"
#include "tools/lib/recording/recording_internal.h"

#define MARK		"\n@@ "
#define NAME_BYTES	40
#define PARTS_MAX	32
#define FRAME_BYTES	4096	/* in a frame, unless a record is longer */
#define ENTRY_BYTES	RVTRACE_RECORDING_ENTRY_SIZE
#define SEAL		",\"xxh64\":\""

struct part {
	char name[NAME_BYTES];
	const uint8_t *bytes;
	size_t size;
};

struct parts {
	struct part list[PARTS_MAX];
	size_t count;
};

static char folder[64];

/* What is there that is no folder */
static void empty(const char *path)
{
	DIR *files = opendir(path);
	struct dirent *file;

	promise(files);
	while ((file = readdir(files)))
		if (unlinkat(dirfd(files), file->d_name, 0))
			promise(errno == EISDIR || errno == EPERM);
	closedir(files);
}

static void path_of(const char *name, char path[128])
{
	snprintf(path, 128, "%s/%s", folder, name);
}

static void remove_folder(void)
{
	char images[128];

	path_of("images", images);
	if (!access(images, F_OK)) {
		empty(images);
		empty(folder);
		rmdir(images);
	}
	rmdir(folder);
}

const char *folder_path(void)
{
	if (!*folder) {
		snprintf(folder, sizeof(folder), "%s/rvtrace-fuzz-XXXXXX",
			 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
		promise(mkdtemp(folder));
		atexit(remove_folder);
	}
	return folder;
}

void folder_empty(void)
{
	char images[128];

	promise(!mkdir(folder_path(), 0700) || errno == EEXIST);
	path_of("images", images);
	promise(!mkdir(images, 0700) || errno == EEXIST);
	empty(images);
	empty(folder);
}

void folder_put(const char *name, const void *bytes, size_t size)
{
	char path[128];
	int fd;

	path_of(name, path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	promise(fd >= 0);
	promise(write(fd, bytes, size) == (ssize_t)size);
	close(fd);
	fuzz_size += size;
}

/* Bytes that grow */
struct text {
	char *bytes;
	size_t size;
};

static void append(struct text *text, const void *bytes, size_t size)
{
	text->bytes = realloc(text->bytes, text->size + size + 1);
	promise(text->bytes);
	memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
}

static void put(const struct part *part, struct text *text)
{
	folder_put(part->name, text->bytes, text->size);
	free(text->bytes);
}

/* A line or a document; @at: of a line */
static void seal(struct text *text, const uint8_t *bytes, size_t size, const char *at)
{
	size_t from = text->size;
	char end[40];

	while (size && isspace(bytes[size - 1]))
		size--;
	if (size && bytes[size - 1] == '}')
		size--;
	append(text, bytes, size);
	append(text, at, strlen(at));
	snprintf(end, sizeof(end), SEAL "%016" PRIx64 "\"}\n",
		 XXH64(text->bytes + from, text->size - from, 0));
	append(text, end, strlen(end));
}

static void put_lines(const struct part *part)
{
	const uint8_t *from = part->bytes, *end = from + part->size, *next;
	struct text text = { 0 };
	char at[32];

	for (; from < end; from = next) {
		next = memchr(from, '\n', end - from);
		next = next ? next + 1 : end;
		snprintf(at, sizeof(at), ",\"at\":%zu", text.size);
		seal(&text, from, next - from, at);
	}
	put(part, &text);
}

static void put_document(const struct part *part)
{
	struct text text = { 0 };

	seal(&text, part->bytes, part->size, "");
	put(part, &text);
}

/* How many bytes a record at @bytes says it has; @at: where, @width: of that */
static size_t record_size(const uint8_t *bytes, size_t left, size_t at, size_t width)
{
	uint32_t size = 0;

	if (left < at + width)
		return left;
	memcpy(&size, bytes + at, width);
	return size >= 8 && size < left ? size : left;
}

static void add_frame(struct text *text, const uint8_t *bytes, size_t size)
{
	static const uint8_t zeros[8];
	struct iovec iov[] = {
		{ (void *)bytes, size }, { (void *)zeros, -size & 7 },
	};
	XXH64_state_t *state = XXH64_createState();
	uint8_t header[FRAME_HEADER];

	frame_pack(header, text->size, size, iov, 2, state);
	XXH64_freeState(state);
	append(text, header, sizeof(header));
	append(text, bytes, size);
	append(text, zeros, iov[1].iov_len);
}

static void put_frames(const struct part *part, size_t at, size_t width)
{
	const uint8_t *bytes = part->bytes;
	size_t left = part->size, size = 0;
	struct text text = { 0 };

	while (size < left) {
		size += record_size(bytes + size, left - size, at, width);
		if (size < FRAME_BYTES && size < left)
			continue;
		add_frame(&text, bytes, size);
		bytes += size;
		left -= size;
		size = 0;
	}
	put(part, &text);
}

/* The trace of an index, if it is in one file */
static const struct part *trace_of(const struct parts *parts, const struct part *index)
{
	size_t stem = strchr(index->name, '.') - index->name, i;

	for (i = 0; i < parts->count; i++)
		if (!strncmp(parts->list[i].name, index->name, stem) &&
		    !strcmp(parts->list[i].name + stem, ".0000.bin"))
			return &parts->list[i];
	return NULL;
}

static void put_index(const struct parts *parts, const struct part *part)
{
	const struct part *trace = trace_of(parts, part);
	struct recording_entry entry;
	struct text text = { 0 };
	size_t at;

	append(&text, part->bytes, part->size);
	for (at = 0; at + ENTRY_BYTES <= text.size; at += ENTRY_BYTES) {
		uint8_t *bytes = (uint8_t *)text.bytes + at;
		uint64_t check = XXH64(bytes, ENTRY_BYTES - sizeof(check), 0);

		memcpy(bytes + ENTRY_BYTES - sizeof(check), &check, sizeof(check));
		promise(recording_entry_unpack(bytes, &entry));
		if (entry.type != RVTRACE_CHUNK_DATA || !trace || entry.offset > trace->size ||
		    entry.length > trace->size - entry.offset)
			continue;
		entry.sum = recording_sum(trace->bytes + entry.offset, entry.length);
		recording_entry_pack(&entry, bytes);
	}
	put(part, &text);
}

static bool ends_in(const char *name, const char *end)
{
	size_t length = strlen(name), its = strlen(end);

	return length > its && !strcmp(name + length - its, end);
}

static void put_part(const struct parts *parts, const struct part *part)
{
	if (ends_in(part->name, ".jsonl"))
		put_lines(part);
	else if (ends_in(part->name, ".json"))
		put_document(part);
	else if (ends_in(part->name, ".records"))
		put_frames(part, 0, 4);
	else if (!strcmp(part->name, "sideband"))
		put_frames(part, 6, 2);
	else if (ends_in(part->name, ".idx"))
		put_index(parts, part);
	else
		folder_put(part->name, part->bytes, part->size);
}

/* The name behind a mark, if it may be that of a file: its length with the newline; else 0 */
static size_t take_name(const uint8_t *bytes, size_t left, char name[NAME_BYTES])
{
	const uint8_t *end = memchr(bytes, '\n', left);
	const char *file = name;
	size_t length = end ? end - bytes : NAME_BYTES;

	if (!length || length >= NAME_BYTES)
		return 0;
	memcpy(name, bytes, length);
	name[length] = 0;
	if (!strncmp(name, "images/", 7))
		file += 7;
	if (!isalnum((unsigned char)*file) || strlen(name) != length ||
	    file[strspn(file, "abcdefghijklmnopqrstuvwxyz0123456789._-")] ||
	    !strcmp(name, "images"))
		return 0;
	return length + 1;
}

static void split(struct parts *parts, const uint8_t *bytes, size_t size)
{
	const uint8_t *end = bytes + size, *from = bytes, *mark;
	struct part *part = NULL;
	char name[NAME_BYTES];
	size_t skip;

	while ((mark = memmem(from, end - from, MARK, strlen(MARK)))) {
		from = mark + strlen(MARK);
		skip = take_name(from, end - from, name);
		if (!skip || parts->count == PARTS_MAX)
			continue;
		from += skip;
		if (part)
			part->size = mark - part->bytes;
		part = &parts->list[parts->count++];
		strcpy(part->name, name);
		part->bytes = from;
		part->size = end - from;
	}
}

void folder_unpack(const uint8_t *bytes, size_t size)
{
	struct parts parts = { .count = 0 };
	size_t i;

	folder_empty();
	fuzz_size = 0;
	split(&parts, bytes, size);
	for (i = 0; i < parts.count; i++)
		put_part(&parts, &parts.list[i]);
}
