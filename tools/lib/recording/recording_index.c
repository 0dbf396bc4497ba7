// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reader of trace directories: SINK.idx. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording_internal.h"

#define ENTRY_SIZE	RVTRACE_RECORDING_ENTRY_SIZE
#define ROOM		1024		/* entries allocated at a time */
#define WINDOW		(1024 * ENTRY_SIZE)

struct reader {
	struct rvtrace_recording *recording;
	struct recording_sink *sink;
	const char *file;
	int fd;
	uint64_t size;		/* of the file */
	uint64_t expected;	/* number of the next entry, if none is missing */
	bool disordered;
	uint64_t begin;		/* of the window in the file */
	size_t length;		/* of the window */
	uint8_t window[WINDOW];
};

/* ENTRY_SIZE bytes at @offset, which the file has; NULL: error, errno says which. */
static const uint8_t *look(struct reader *r, uint64_t offset)
{
	ssize_t got;

	if (offset < r->begin || offset + ENTRY_SIZE > r->begin + r->length) {
		got = file_pread(r->fd, r->window, sizeof(r->window), offset);
		r->begin = offset;
		r->length = got > 0 ? got : 0;
		if (got >= 0 && got < ENTRY_SIZE)
			got = -EIO;
		if (got < 0) {
			errno = -got;
			return NULL;
		}
	}
	return r->window + (offset - r->begin);
}

static int add_entry(struct recording_entry **entries, size_t *count,
		     const struct recording_entry *entry)
{
	if (!(*count % ROOM)) {
		struct recording_entry *more = reallocarray(*entries, *count + ROOM,
							    sizeof(*more));

		if (!more)
			return -ENOMEM;
		*entries = more;
	}
	(*entries)[(*count)++] = *entry;
	return 0;
}

static int take(struct reader *r, uint64_t offset, const struct recording_entry *entry,
		bool after_damage)
{
	if (entry->number < r->expected) {
		recording_damage(r->recording, r->file, offset, ENTRY_SIZE, "in the wrong place");
		r->disordered = true;
	} else {
		if (entry->number > r->expected && !after_damage)
			recording_damage(r->recording, r->file, offset, 0,
					 "%llu entries are missing",
					 (unsigned long long)(entry->number - r->expected));
		r->expected = entry->number + 1;
	}
	r->sink->index_end = offset + ENTRY_SIZE;
	return add_entry(&r->sink->entries, &r->sink->entry_count, entry);
}

/* Every entry there is, wherever it lies; a negative errno. */
static int scan(struct reader *r)
{
	struct recording_entry entry;
	uint64_t offset = 0, bad = 0;
	const uint8_t *bytes;
	int ret = 0;

	while (!ret && offset + ENTRY_SIZE <= r->size) {
		bytes = look(r, offset);
		if (!bytes)
			return -errno;
		if (!recording_entry_unpack(bytes, &entry)) {
			offset++;
			continue;
		}
		if (bad < offset)
			recording_damage(r->recording, r->file, bad, offset - bad, "damaged");
		ret = take(r, offset, &entry, bad < offset);
		offset += ENTRY_SIZE;
		bad = offset;
	}
	if (!ret && bad < r->size)
		recording_damage(r->recording, r->file, bad, r->size - bad, "damaged");
	return ret;
}

static int by_number(const void *a, const void *b)
{
	const struct recording_entry *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static void order(struct recording_sink *sink)
{
	size_t i, kept = 0;

	qsort(sink->entries, sink->entry_count, sizeof(*sink->entries), by_number);
	for (i = 0; i < sink->entry_count; i++)
		if (!kept || sink->entries[i].number != sink->entries[kept - 1].number)
			sink->entries[kept++] = sink->entries[i];
	sink->entry_count = kept;
}

/* What must hold between one entry and those before it. */
struct index_check {
	uint64_t data_end;
	uint64_t offset;
};

static const char *entry_fault(const struct recording_entry *entry, struct index_check *check)
{
	if (entry->offset + entry->length < entry->offset ||
	    entry->position + entry->length < entry->position)
		return "a length beyond 64 bits";
	if (entry->offset < check->offset && entry->type != RVTRACE_CHUNK_OVERWRITTEN)
		return "an offset before the one of the entry before";
	switch (entry->type) {
	case RVTRACE_CHUNK_DATA:
		if (entry->length > RVTRACE_RECORDING_PIECE_MAX)
			return "more data than an entry may describe";
		if (entry->offset < check->data_end)
			return "data that overlaps the entry before";
		check->data_end = entry->offset + entry->length;
		check->offset = entry->offset;
		return NULL;
	case RVTRACE_CHUNK_OVERWRITTEN:
		if (entry->offset + entry->length > check->data_end)
			return "overwritten bytes outside the data before";
		return NULL;
	case RVTRACE_CHUNK_LOST:
	case RVTRACE_CHUNK_SESSION_START:
	case RVTRACE_CHUNK_SESSION_END:
		check->offset = entry->offset;
		return NULL;
	default:
		return "an unknown type";
	}
}

/* Leaves out what cannot be, counts losses, sets the overwritten ranges apart. */
static int sort_out(struct reader *r)
{
	struct recording_sink *sink = r->sink;
	struct index_check check = { 0 };
	size_t i, kept = 0;

	for (i = 0; i < sink->entry_count; i++) {
		struct recording_entry entry = sink->entries[i];
		const char *fault = entry_fault(&entry, &check);

		if (fault) {
			recording_damage(r->recording, r->file, entry.number * ENTRY_SIZE,
					 ENTRY_SIZE, "entry with %s", fault);
			continue;
		}
		if (entry.time > sink->public.written)
			sink->public.written = entry.time;
		if (entry.type == RVTRACE_CHUNK_LOST || entry.type == RVTRACE_CHUNK_OVERWRITTEN) {
			sink->public.lost += entry.length;
			if (entry.flags & RVTRACE_CHUNK_AT_LEAST)
				sink->public.lost_at_least = true;
		}
		if (entry.type != RVTRACE_CHUNK_OVERWRITTEN)
			sink->entries[kept++] = entry;
		else if (add_entry(&sink->overwritten, &sink->overwritten_count, &entry))
			return -ENOMEM;
	}
	sink->entry_count = kept;
	sink->described = check.data_end;
	return 0;
}

static int read_index(struct reader *r)
{
	int64_t size = file_size(r->fd);
	int ret;

	if (size < 0)
		return size;
	r->size = size;
	ret = scan(r);
	if (ret)
		return ret;
	if (r->disordered)
		order(r->sink);
	r->sink->next_number = r->expected;
	return sort_out(r);
}

int recording_index_load(struct rvtrace_recording *recording, struct recording_sink *sink,
			 struct rvtrace_failure *error)
{
	struct reader *r = calloc(1, sizeof(*r));
	char file[RECORDING_FILE_MAX];
	int ret = -ENOMEM;

	snprintf(file, sizeof(file), "%s.idx", sink->public.name);
	if (r) {
		r->recording = recording;
		r->sink = sink;
		r->file = file;
		r->fd = rvtrace_recording_open_file(recording, file);
		if (r->fd >= 0) {
			ret = read_index(r);
			close(r->fd);
		} else {
			ret = 0;
			if (r->fd == -ENOENT)
				recording_damage(recording, file, 0, 0, "missing");
			else
				sink->index_error = -recording_unreadable(recording, file, 0,
									  r->fd, NULL);
		}
		free(r);
	}
	return ret ? rvtrace_fail(error, -ret, 0, "%s/%s: %s", recording->path, file,
				  strerror(-ret)) : 0;
}

int recording_index_end(struct rvtrace_recording *recording, struct recording_sink *sink,
			struct rvtrace_failure *error)
{
	struct recording_entry last = {
		.offset = recording_unconfirmed(recording, sink),
		.type = RVTRACE_CHUNK_OVERWRITTEN,
	};

	last.length = sink->end - last.offset;
	/* A writer that lives has not come to it. */
	if (!last.length || recording->written)
		return 0;
	sink->public.lost += last.length;
	if (!add_entry(&sink->overwritten, &sink->overwritten_count, &last))
		return 0;
	return rvtrace_fail(error, ENOMEM, 0, "%s: out of memory", recording->path);
}
