// SPDX-License-Identifier: LGPL-2.1-or-later
/* Trace directories whose writer died: the index says what is in the stream. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "recording_repair.h"

#define ENTRY_SIZE	RVTRACE_RECORDING_ENTRY_SIZE

/* Entries that are to replace the end of an index. */
struct tail {
	struct recording_entry *entries;
	size_t count;
	uint64_t number;	/* of the first */
};

static int tail_add(struct tail *tail, struct recording_entry entry)
{
	struct recording_entry *more = reallocarray(tail->entries, tail->count + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	tail->entries = more;
	entry.number = tail->number + tail->count;
	more[tail->count++] = entry;
	return 0;
}

/*
 * Where a write failed and one behind it did not, there are blocks of zeros. No
 * message is as long as one.
 */
static int tail_add_unwritten(struct repair *r, const struct recording_sink *sink,
			      struct tail *tail, struct recording_entry data)
{
	uint64_t end = data.offset + data.length, to = data.offset, from;
	struct recording_entry hole = data;
	int ret;

	hole.type = RVTRACE_CHUNK_OVERWRITTEN;
	hole.sum = 0;
	for (;;) {
		ret = recording_stream_unwritten(r->recording, sink, to, end, &from, &to);
		if (ret || from == end)
			return ret;
		hole.offset = from;
		hole.position = data.position + (from - data.offset);
		hole.length = to - from;
		repair_say(r,
			   "%s: %llu bytes at offset %llu of the stream were never written: lost",
			   sink->public.name, (unsigned long long)hole.length,
			   (unsigned long long)hole.offset);
		ret = tail_add(tail, hole);
		if (ret || to == end)
			return ret;
	}
}

/* Describes @length bytes that are in the files, in pieces; @trusted: not blocks of zeros. */
static int tail_add_data(struct repair *r, const struct recording_sink *sink, struct tail *tail,
			 struct recording_entry entry, uint64_t length, bool trusted)
{
	uint64_t part;
	int ret;

	entry.type = RVTRACE_CHUNK_DATA;
	entry.flags |= RVTRACE_CHUNK_RECOVERED;
	for (; length; length -= part) {
		part = length < RVTRACE_RECORDING_PIECE ? length : RVTRACE_RECORDING_PIECE;
		entry.length = part;
		ret = recording_stream_sum(r->recording, sink, entry.offset, part, &entry.sum);
		if (!ret)
			ret = tail_add(tail, entry);
		if (!ret && trusted)
			ret = tail_add_unwritten(r, sink, tail, entry);
		if (ret)
			return ret;
		entry.position += part;
		entry.offset += part;
	}
	return 0;
}

/* What is in the files and in no entry */
static int tail_add_undescribed(struct repair *r, const struct recording_sink *sink,
				struct tail *tail, uint64_t position)
{
	uint64_t from = r->goes_on ? sink->end : recording_unconfirmed(r->recording, sink);
	struct recording_entry entry = { .position = position, .offset = sink->described };
	uint64_t trusted = from - entry.offset;
	int ret = tail_add_data(r, sink, tail, entry, trusted, true);

	if (ret || from == sink->end)
		return ret;
	entry.position += trusted;
	entry.offset = from;
	ret = tail_add_data(r, sink, tail, entry, sink->end - from, false);
	if (ret)
		return ret;
	repair_say(r, "%s.idx: %llu bytes at offset %llu of the stream may be overwritten: lost",
		   sink->public.name, (unsigned long long)(sink->end - from),
		   (unsigned long long)from);
	entry.type = RVTRACE_CHUNK_OVERWRITTEN;
	entry.length = sink->end - from;
	return tail_add(tail, entry);
}

/* An entry of which only the bytes before @end are there. */
static int tail_add_clipped(struct repair *r, const struct recording_sink *sink, struct tail *tail,
			    struct recording_entry entry)
{
	uint64_t end = sink->end, there = 0;
	int ret = 0;

	if (entry.offset < end)
		there = end - entry.offset < entry.length ? end - entry.offset : entry.length;
	if (entry.type == RVTRACE_CHUNK_OVERWRITTEN) {
		entry.length = there;
		return there ? tail_add(tail, entry) : 0;
	}
	if (entry.type == RVTRACE_CHUNK_DATA) {
		ret = tail_add_data(r, sink, tail, entry, there, true);
		entry.type = RVTRACE_CHUNK_LOST;
		entry.sum = 0;
		entry.position += there;
		entry.length -= there;
		if (ret || !entry.length)
			return ret;
	}
	entry.offset = entry.offset < end ? entry.offset + there : end;
	if (entry.offset > end || entry.type == RVTRACE_CHUNK_LOST)
		entry.offset = end;
	return tail_add(tail, entry);
}

/* The entries from number @from on, in order. */
static int tail_clip(struct repair *r, const struct recording_sink *sink, struct tail *tail)
{
	size_t i = 0, k = 0;
	int ret = 0;

	while (!ret && (i < sink->entry_count || k < sink->overwritten_count)) {
		const struct recording_entry *next;

		if (k == sink->overwritten_count ||
		    (i < sink->entry_count &&
		     sink->entries[i].number < sink->overwritten[k].number))
			next = &sink->entries[i++];
		else
			next = &sink->overwritten[k++];
		if (next->number >= tail->number)
			ret = tail_add_clipped(r, sink, tail, *next);
	}
	return ret;
}

/* All or none: what says that bytes are not to be trusted comes behind what describes them. */
static int tail_write(struct repair *r, const char *file, const struct tail *tail)
{
	int fd = file_open_below(r->recording->directory, file, O_WRONLY | O_CREAT, 0640), ret = 0;
	uint64_t offset = tail->number * ENTRY_SIZE, size = tail->count * ENTRY_SIZE, done;
	uint8_t *bytes = malloc(size + 1);
	ssize_t put;
	size_t i;

	if (fd < 0 || !bytes) {
		free(bytes);
		if (fd >= 0)
			close(fd);
		return fd < 0 ? fd : -ENOMEM;
	}
	for (i = 0; i < tail->count; i++)
		recording_entry_pack(&tail->entries[i], bytes + i * ENTRY_SIZE);
	for (done = 0; done < size && !ret; done += put) {
		put = pwrite(fd, bytes + done, size - done, (off_t)(offset + done));
		if (put <= 0)
			ret = put ? -errno : -EIO;
	}
	if (ftruncate(fd, ret ? offset : offset + size) && !ret)
		ret = -errno;
	close(fd);
	free(bytes);
	return ret;
}

/* Position behind the last entry that has one. */
uint64_t repair_end_position(const struct recording_sink *sink)
{
	const struct recording_entry *last;

	if (!sink->entry_count)
		return 0;
	last = &sink->entries[sink->entry_count - 1];
	/* What was overwritten lies before. */
	while (last > sink->entries && last->type == RVTRACE_CHUNK_OVERWRITTEN)
		last--;
	return last->position + last->length;
}

/* Whether entries are about bytes behind those of which none says what they are */
static bool misses_bytes(const struct recording_sink *sink)
{
	return sink->end > sink->described && sink->entry_count &&
	       sink->entries[sink->entry_count - 1].offset > sink->described;
}

/* The index says what is in the stream: no less, no more. */
int repair_index(struct repair *r, struct recording_sink *sink)
{
	const char *file = repair_at_file(r, sink->public.name, ".idx");
	struct tail tail = { .number = sink->next_number };
	size_t i = 0;
	int ret;

	ret = repair_cut_file(r, file, sink->index_end);
	/* In an index that is damaged elsewhere entries are not where they belong. */
	if (ret || sink->end == sink->described ||
	    sink->next_number * ENTRY_SIZE != sink->index_end || misses_bytes(sink))
		return ret;
	if (sink->end > sink->described) {
		repair_say(r, r->dry_run ?
			   "%s: %llu bytes at offset %llu of the stream would be described" :
			   "%s: %llu bytes at offset %llu of the stream described", file,
			   (unsigned long long)(sink->end - sink->described),
			   (unsigned long long)sink->described);
		ret = tail_add_undescribed(r, sink, &tail, repair_end_position(sink));
	} else {
		repair_say(r, "%s: %llu bytes at offset %llu of the stream are missing: lost",
			   file, (unsigned long long)(sink->described - sink->end),
			   (unsigned long long)sink->end);
		while (sink->entries[i].offset + sink->entries[i].length <= sink->end ||
		       sink->entries[i].type != RVTRACE_CHUNK_DATA)
			i++;
		tail.number = sink->entries[i].number;
		ret = tail_clip(r, sink, &tail);
	}
	if (!ret && !r->dry_run)
		ret = tail_write(r, file, &tail);
	free(tail.entries);
	return ret;
}

/*
 * A stream that was cut ends anywhere, mostly within a message, and what the
 * hardware wrote behind that nobody knows.
 */
static int end_stream(struct repair *r, const struct recording_sink *sink)
{
	struct recording_entry end = {
		.type = RVTRACE_CHUNK_LOST,
		.flags = RVTRACE_CHUNK_AT_LEAST | RVTRACE_CHUNK_RECOVERED,
		.position = repair_end_position(sink),
		.offset = sink->end,
	};
	struct tail tail = { .number = sink->next_number };
	int ret;

	if (!sink->entry_count || sink->next_number * ENTRY_SIZE != sink->index_end ||
	    sink->entries[sink->entry_count - 1].type == RVTRACE_CHUNK_SESSION_END)
		return 0;
	repair_at_file(r, sink->public.name, ".idx");
	repair_say(r, "%s: cut at offset %llu of the stream: the rest is lost", r->file,
		   (unsigned long long)sink->end);
	ret = tail_add(&tail, end);
	if (!ret && !r->dry_run)
		ret = tail_write(r, r->file, &tail);
	free(tail.entries);
	return ret;
}

int repair_end_streams(struct repair *r)
{
	int ret = 0;
	size_t i;

	for (i = 0; !ret && i < r->recording->sink_count; i++)
		ret = end_stream(r, &r->recording->sinks[i]);
	return ret;
}
