// SPDX-License-Identifier: LGPL-2.1-or-later
/* Trace directories whose writer died: their ends are repaired. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rvtrace/owner.h>

#include "frames.h"
#include "recording_writer.h"

#define ENTRY_SIZE	RVTRACE_RECORDING_ENTRY_SIZE

struct repair {
	struct rvtrace_recording *recording;
	bool dry_run;
	bool goes_on;			/* another writer will ask the driver what may be trusted */
	void (*did)(void *data, const char *text);
	void *data;
	int count;
	char file[RECORDING_FILE_MAX];	/* whose repair failed */
};

__attribute__((format(printf, 2, 3)))
static void say(struct repair *r, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	r->count++;
	if (r->did)
		r->did(r->data, text);
}

/* The file that is repaired next; its name */
static const char *at_file(struct repair *r, const char *name, const char *ending)
{
	snprintf(r->file, sizeof(r->file), "%s%s", name, ending);
	return r->file;
}

static int cut_file(struct repair *r, const char *file, uint64_t size)
{
	int fd = file_open_below(r->recording->directory, file, O_WRONLY, 0);
	int64_t there = fd < 0 ? fd : file_size(fd);
	int ret = 0;

	if (there > (int64_t)size) {
		say(r, "%s: %llu bytes cut off behind the last whole item, at %llu", file,
		    (unsigned long long)(there - size), (unsigned long long)size);
		if (!r->dry_run && ftruncate(fd, size))
			ret = -errno;
	}
	if (fd >= 0)
		close(fd);
	return there < 0 && there != -ENOENT ? (int)there : ret;
}

static int repair_frames(struct repair *r, const char *file)
{
	const uint8_t *payload;
	struct frames *frames;
	uint64_t end;
	size_t length;
	int ret;

	ret = frames_open(r->recording, file, &frames, NULL);
	if (ret)
		return ret;
	while ((ret = frames_next(frames, &payload, &length, NULL)) > 0)
		continue;
	end = frames_end(frames);
	frames_close(frames);
	return ret ? ret : cut_file(r, file, end);
}

static int repair_lines(struct repair *r, const char *file)
{
	bool newline = true;
	uint64_t end;
	int fd, ret;

	ret = recording_lines_end(r->recording, file, &end, &newline);
	if (!ret)
		ret = cut_file(r, file, end);
	if (ret || newline)
		return ret;
	say(r, "%s: newline added at its end", file);
	if (r->dry_run)
		return 0;
	fd = file_open_below(r->recording->directory, file, O_WRONLY | O_APPEND, 0);
	if (fd < 0)
		return fd;
	ret = write(fd, "\n", 1) == 1 ? 0 : -EIO;
	close(fd);
	return ret;
}

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
		say(r, "%s: %llu bytes at offset %llu of the stream were never written: lost",
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
	say(r, "%s.idx: %llu bytes at offset %llu of the stream may be overwritten: lost",
	    sink->public.name, (unsigned long long)(sink->end - from), (unsigned long long)from);
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
static uint64_t end_position(const struct recording_sink *sink)
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
static int repair_index(struct repair *r, struct recording_sink *sink)
{
	const char *file = at_file(r, sink->public.name, ".idx");
	struct tail tail = { .number = sink->next_number };
	size_t i = 0;
	int ret;

	ret = cut_file(r, file, sink->index_end);
	/* In an index that is damaged elsewhere entries are not where they belong. */
	if (ret || sink->end == sink->described ||
	    sink->next_number * ENTRY_SIZE != sink->index_end || misses_bytes(sink))
		return ret;
	if (sink->end > sink->described) {
		say(r, "%s: %llu bytes at offset %llu of the stream described", file,
		    (unsigned long long)(sink->end - sink->described),
		    (unsigned long long)sink->described);
		ret = tail_add_undescribed(r, sink, &tail, end_position(sink));
	} else {
		say(r, "%s: %llu bytes at offset %llu of the stream are not there: lost", file,
		    (unsigned long long)(sink->described - sink->end),
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
		.position = end_position(sink),
		.offset = sink->end,
	};
	struct tail tail = { .number = sink->next_number };
	int ret;

	if (!sink->entry_count || sink->next_number * ENTRY_SIZE != sink->index_end ||
	    sink->entries[sink->entry_count - 1].type == RVTRACE_CHUNK_SESSION_END)
		return 0;
	at_file(r, sink->public.name, ".idx");
	say(r, "%s: cut at offset %llu of the stream: what came then is lost", r->file,
	    (unsigned long long)sink->end);
	ret = tail_add(&tail, end);
	if (!ret && !r->dry_run)
		ret = tail_write(r, r->file, &tail);
	free(tail.entries);
	return ret;
}

static int end_streams(struct repair *r)
{
	int ret = 0;
	size_t i;

	for (i = 0; !ret && i < r->recording->sink_count; i++)
		ret = end_stream(r, &r->recording->sinks[i]);
	return ret;
}

static int remove_temporary(struct repair *r, const char *file)
{
	if (faccessat(r->recording->directory, file, F_OK, 0))
		return 0;
	say(r, "%s: removed", file);
	return !r->dry_run && unlinkat(r->recording->directory, file, 0) ? -errno : 0;
}

/* Everything but the metadata; 0 or a negative errno. */
static int repair_ends(struct repair *r)
{
	struct rvtrace_recording *recording = r->recording;
	int ret = 0;
	size_t i;

	for (i = 0; !ret && i < METADATA_FILES; i++)
		ret = remove_temporary(r, at_file(r, metadata_temporary[i], ""));
	for (i = 0; !ret && i < recording->sink_count; i++) {
		ret = repair_index(r, &recording->sinks[i]);
		if (!ret)
			ret = repair_frames(r, at_file(r, recording->sinks[i].public.name,
						       ".records"));
	}
	if (!ret)
		ret = repair_frames(r, at_file(r, "sideband", ""));
	if (!ret)
		ret = repair_lines(r, at_file(r, "images/index.jsonl", ""));
	return ret ? ret : repair_lines(r, at_file(r, "images/maps.jsonl", ""));
}

static int fail_repair(const char *name, int ret, struct rvtrace_recording_error *error)
{
	return ret ? rvtrace_fail(error, -ret, 0, "%s: %s", name, strerror(-ret)) : 0;
}

static int fail_repair_of(const struct repair *r, int ret, struct rvtrace_recording_error *error)
{
	return ret ? rvtrace_fail(error, -ret, 0, "%s/%s: %s", r->recording->path, r->file,
				  strerror(-ret)) : 0;
}

/* What cannot be read is not gone: no end is cut for it, and nothing of it is lost. */
static int begin_repair(struct repair *r, struct rvtrace_recording_error *error)
{
	if (!r->recording->unreadable.code)
		return fail_repair_of(r, repair_ends(r), error);
	if (error)
		*error = r->recording->unreadable;
	return -r->recording->unreadable.code;
}

/* Root does what the owner of the recording could. 0 or a negative errno. */
static int as_owner_of(int directory)
{
	struct stat st;

	if (fstat(directory, &st))
		return -errno;
	return geteuid() ? rvtrace_owner_begin(-1, -1, 0) :
			   rvtrace_owner_begin(st.st_uid, st.st_gid, 0);
}

/* A recorder that only writes metadata */
static int metadata_writer(int directory, const char *name, struct json_object *metadata,
			   struct rvtrace_recorder **out, struct rvtrace_recording_error *error)
{
	int copy = fcntl(directory, F_DUPFD_CLOEXEC, 0), ret;

	if (copy < 0)
		return fail_repair(name, -errno, error);
	ret = rvtrace_recorder_new(copy, name, NULL, out, error);
	if (ret)
		return ret;
	(*out)->metadata = json_object_get(metadata);
	return recorder_reserve_metadata(*out, error);
}

static int write_metadata(int directory, const char *name, struct json_object *metadata,
			  struct rvtrace_recording_error *error)
{
	struct rvtrace_recorder *recorder = NULL;
	int ret = metadata_writer(directory, name, metadata, &recorder, error);

	if (!ret) {
		recorder_update_metadata(recorder);
		ret = recorder_replace_metadata(recorder, error);
	}
	rvtrace_recorder_free(recorder);
	return ret;
}

static bool has_damage(const struct rvtrace_recording *recording, const char *file)
{
	size_t i;

	for (i = 0; i < recording->damage_count; i++)
		if (!strcmp(rvtrace_recording_damage(recording, i)->file, file))
			return true;
	return false;
}

/* Whether both files hold the same, final metadata. */
static bool metadata_final(const struct rvtrace_recording *recording)
{
	char *text = NULL, *copy = NULL;
	size_t length, copy_length;
	bool same;

	recording_read_text(recording, METADATA_FILE, &text, &length);
	recording_read_text(recording, METADATA_COPY, &copy, &copy_length);
	same = text && copy && length == copy_length && !memcmp(text, copy, length);
	free(text);
	free(copy);
	return same && rvtrace_recording_complete(recording) && recording->metadata_intact;
}

/* What the files hold now, after the repair. */
static void set_totals(struct rvtrace_recording *recording)
{
	struct json_object *list = json_array(recording->metadata, "sinks"), *object;
	size_t i, k;

	for (i = 0; list && i < json_object_array_length(list); i++) {
		object = json_object_array_get_idx(list, i);
		for (k = 0; k < recording->sink_count; k++) {
			const struct rvtrace_recording_sink *sink = &recording->sinks[k].public;

			if (strcmp(sink->name, json_string(object, "name")))
				continue;
			json_object_object_add(object, "bytes",
					       json_object_new_uint64(sink->bytes));
			json_object_object_add(object, "lost", json_object_new_uint64(sink->lost));
			json_object_object_add(object, "segments",
					       json_object_new_uint64(sink->segments));
		}
	}
}

static int finish_metadata(struct repair *r, int directory, const char *name,
			   struct rvtrace_recording_error *error)
{
	struct json_object *metadata = rvtrace_recording_metadata(r->recording), *errors;

	if (metadata_final(r->recording) && !r->count)
		return 0;
	say(r, "%s: %s", METADATA_FILE, rvtrace_recording_complete(r->recording) ?
	    "written again" : "made final");
	if (r->dry_run)
		return 0;
	errors = json_array(metadata, "errors");
	if (!errors) {
		errors = json_object_new_array();
		json_object_object_add(metadata, "errors", errors);
	}
	if (!rvtrace_recording_complete(r->recording)) {
		json_object_array_add(errors, json_object_new_string(
				      "the recording was cut and recovered"));
		json_object_object_add(metadata, "cut",
				       json_object_new_boolean(true));
	}
	if (has_damage(r->recording, METADATA_FILE) && !r->recording->metadata_intact)
		json_object_array_add(errors, json_object_new_string(
				      "the metadata was damaged: what it says may be wrong"));
	json_object_object_add(metadata, "complete", json_object_new_boolean(true));
	set_totals(r->recording);
	return write_metadata(directory, name, metadata, error);
}

static int open_again(int directory, const char *name, struct rvtrace_recording **recording,
		      struct rvtrace_recording_error *error)
{
	int copy = fcntl(directory, F_DUPFD_CLOEXEC, 0);

	rvtrace_recording_free(*recording);
	*recording = NULL;
	return copy < 0 ? fail_repair(name, -errno, error) :
			  recording_open_at(copy, name, recording, error);
}

static int recover(int directory, const char *name, bool dry_run,
		   void (*did)(void *data, const char *text), void *data,
		   struct rvtrace_recording_error *error)
{
	struct repair r = { .dry_run = dry_run, .did = did, .data = data };
	int ret = open_again(directory, name, &r.recording, error);

	if (ret)
		return ret;
	ret = begin_repair(&r, error);
	if (!ret && !dry_run)
		ret = open_again(directory, name, &r.recording, error);
	if (!ret && !rvtrace_recording_complete(r.recording))
		ret = fail_repair_of(&r, end_streams(&r), error);
	if (!ret && !dry_run)
		ret = open_again(directory, name, &r.recording, error);
	if (!ret)
		ret = finish_metadata(&r, directory, name, error);
	rvtrace_recording_free(r.recording);
	return ret ? ret : r.count;
}

int rvtrace_recording_recover(int directory, const char *name, bool dry_run,
			      void (*did)(void *data, const char *text), void *data,
			      struct rvtrace_recording_error *error)
{
	int ret = as_owner_of(directory);

	if (ret)
		return fail_repair(name, ret, error);
	ret = recover(directory, name, dry_run, did, data, error);
	rvtrace_owner_end();
	return ret;
}

static int update_sizes(int directory, struct rvtrace_recording_error *error)
{
	struct rvtrace_recording *recording = NULL;
	int ret = open_again(directory, METADATA_FILE, &recording, error);

	if (ret)
		return ret;
	if (rvtrace_recording_complete(recording) && recording->metadata_intact)
		ret = write_metadata(directory, METADATA_FILE, recording->metadata, error);
	rvtrace_recording_free(recording);
	return ret;
}

int rvtrace_recording_update_sizes(int directory, struct rvtrace_recording_error *error)
{
	int ret = as_owner_of(directory);

	if (ret)
		return fail_repair(METADATA_FILE, ret, error);
	ret = update_sizes(directory, error);
	rvtrace_owner_end();
	return ret;
}

/* Opens a file that is appended to; -1 in *@fd without it. */
static int open_end(const struct rvtrace_recorder *recorder, const char *file, int *fd,
		    uint64_t *size)
{
	int64_t there;

	*fd = file_open_below(recorder->directory, file, O_WRONLY, 0);
	if (*fd == -ENOENT)
		*fd = rvtrace_recorder_create(recorder, file, NULL);
	if (*fd < 0)
		return *fd;
	there = file_size(*fd);
	*size = there > 0 ? there : 0;
	return there < 0 ? (int)there : 0;
}

static int resume_segment(struct rvtrace_recorder *recorder, const struct recording_sink *from,
			  struct recorder_sink *sink)
{
	unsigned int last = from->public.segments ? from->public.segments - 1 : 0;
	char file[RECORDING_FILE_MAX];
	uint64_t size;
	int ret;

	recording_segment_name(from, last, file);
	ret = open_end(recorder, file, &sink->segment, &size);
	if (ret)
		return ret;
	sink->direct = recorder_open_direct(sink->segment);
	sink->segment_bytes = size;
	sink->totals.segments = last + 1;
	return 0;
}

/* One write has many entries: from the last one back, as far as they follow each other. */
static bool take_last(struct recording_entry *last, const struct recording_entry *before)
{
	if (before->type != RVTRACE_CHUNK_DATA)
		return last->type != RVTRACE_CHUNK_DATA;
	if (last->type != RVTRACE_CHUNK_DATA) {
		*last = *before;
		return true;
	}
	if (before->position + before->length != last->position)
		return false;
	last->position = before->position;
	last->offset = before->offset;
	last->length += before->length;
	return true;
}

/* Bytes at the end that the writer before did not come to describe */
static uint64_t recovered_end(const struct recording_sink *from)
{
	uint64_t length = 0;
	size_t i;

	for (i = from->entry_count; i; i--) {
		const struct recording_entry *entry = &from->entries[i - 1];

		if (entry->type != RVTRACE_CHUNK_DATA || !(entry->flags & RVTRACE_CHUNK_RECOVERED))
			break;
		length += entry->length;
	}
	return length < RVTRACE_RECORDING_STEP ? length : RVTRACE_RECORDING_STEP;
}

int rvtrace_recorder_distrust(struct rvtrace_recorder *recorder, int number,
			      struct rvtrace_recording_error *error)
{
	const struct recorder_sink *sink = &recorder->sinks[number];
	const struct recording_entry *last = &sink->last;
	uint64_t length = sink->unconfirmed < last->length ? sink->unconfirmed : last->length;

	return length ? rvtrace_recorder_mark(recorder, number, RVTRACE_CHUNK_OVERWRITTEN,
					      last->position + last->length - length, length, 0,
					      error) : 0;
}

static int resume_sink(struct rvtrace_recorder *recorder, const struct recording_sink *from,
		       struct rvtrace_recording_error *error)
{
	int number = recorder_new_sink(recorder, from->public.name, error), ret;
	char file[RECORDING_FILE_MAX];
	struct recorder_sink *sink;
	size_t i;

	if (number < 0)
		return number;
	sink = &recorder->sinks[number];
	sink->totals.bytes = from->end;
	sink->totals.lost = from->public.lost;
	sink->totals.entries = from->next_number;
	sink->position = end_position(from);
	for (i = from->entry_count; i && take_last(&sink->last, &from->entries[i - 1]); i--)
		;
	sink->unconfirmed = recovered_end(from);
	snprintf(file, sizeof(file), "%s.idx", sink->name);
	ret = open_end(recorder, file, &sink->index, &sink->index_bytes);
	if (!ret)
		recording_lock(sink->index);
	snprintf(file, sizeof(file), "%s.records", sink->name);
	if (!ret)
		ret = open_end(recorder, file, &sink->records, &sink->totals.records);
	if (!ret)
		ret = resume_segment(recorder, from, sink);
	return fail_repair(recorder->name, ret, error);
}

static uint64_t segment_size_of(const struct rvtrace_recording *recording)
{
	struct json_object *list = json_array(recording->metadata, "sinks");

	return list ? json_uint(json_object_array_get_idx(list, 0), "segment_size") : 0;
}

static int resume(struct rvtrace_recorder *recorder, struct rvtrace_recording *recording,
		  struct rvtrace_recording_error *error)
{
	int ret = 0;
	size_t i;

	recorder->metadata = json_object_get(recording->metadata);
	for (i = 0; !ret && i < recording->sink_count; i++)
		ret = resume_sink(recorder, &recording->sinks[i], error);
	if (!ret && !faccessat(recorder->directory, "sideband", F_OK, 0))
		ret = fail_repair(recorder->name, open_end(recorder, "sideband", &recorder->sideband,
							   &recorder->sideband_bytes), error);
	return ret ? ret : recorder_reserve_metadata(recorder, error);
}

static int resume_recording(int directory, const char *name,
			    const struct rvtrace_recorder_options *options,
			    struct rvtrace_recorder **out, struct rvtrace_recording_error *error)
{
	struct rvtrace_recorder_options same = *options;
	struct repair r = { .goes_on = true };
	int ret = open_again(directory, name, &r.recording, error);

	if (!ret && rvtrace_recording_complete(r.recording))
		ret = rvtrace_fail(error, EALREADY, 0, "%s: the recording is complete", name);
	if (!ret)
		ret = begin_repair(&r, error);
	if (!ret)
		ret = open_again(directory, name, &r.recording, error);
	if (ret) {
		rvtrace_recording_free(r.recording);
		close(directory);
		return ret;
	}
	same.segment_size = segment_size_of(r.recording);
	ret = rvtrace_recorder_new(directory, name, &same, out, error);
	if (!ret)
		ret = resume(*out, r.recording, error);
	rvtrace_recording_free(r.recording);
	if (ret) {
		rvtrace_recorder_free(*out);
		*out = NULL;
	}
	return ret;
}

int rvtrace_recorder_resume(int directory, const char *name,
			    const struct rvtrace_recorder_options *options,
			    struct rvtrace_recorder **out,
			    struct rvtrace_recording_error *error)
{
	int ret = rvtrace_owner_begin(options->uid, options->gid, 0);

	*out = NULL;
	if (ret) {
		close(directory);
		return fail_repair(name, ret, error);
	}
	ret = resume_recording(directory, name, options, out, error);
	rvtrace_owner_end();
	return ret;
}
