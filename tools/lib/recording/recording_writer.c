// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writer of trace directories: streams, index, records, side band. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "frames.h"
#include "recording_writer.h"
#include "tools/lib/base/owner.h"

#define FREE_CHECK_INTERVAL	(8ULL * 1024 * 1024)	/* bytes between looks at min_free */
#define SINKS_MAX		64
#define LAST_ENTRIES		16	/* more than follow the last write */
#define MORE_ROOM		(64ULL * 1024)	/* bytes for which room is made at once */
#define LAST_RECORDS		(256ULL * 1024)	/* as many as a record ring holds */

int rvtrace_recording_directory(const char *path, struct rvtrace_failure *error)
{
	bool made = !mkdir(path, 0750);
	int fd;

	if (!made && errno != EEXIST)
		return rvtrace_fail(error, errno, 0, "%s: %s", path, strerror(errno));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return rvtrace_fail(error, errno, 0, "%s: %s", path, strerror(errno));
	if (!faccessat(fd, METADATA_FILE, F_OK, 0) || !faccessat(fd, METADATA_COPY, F_OK, 0)) {
		close(fd);
		return rvtrace_fail(error, EEXIST, 0, "%s: holds a recording already", path);
	}
	return fd;
}

int recorder_as_owner(const struct rvtrace_recorder *recorder)
{
	return rvtrace_owner_begin(recorder->options.uid, recorder->options.gid, 0);
}

int rvtrace_recorder_create(const struct rvtrace_recorder *recorder, const char *name,
			    struct rvtrace_failure *error)
{
	int fd = recorder_as_owner(recorder);

	if (!fd) {
		fd = recording_create(recorder->directory, name, O_WRONLY);
		rvtrace_owner_end();
	}
	return fd < 0 ? rvtrace_fail(error, -fd, 0, "%s/%s: %s", recorder->name, name,
				     strerror(-fd)) : fd;
}

int rvtrace_recorder_line(const struct rvtrace_recorder *recorder, const char *name,
			  struct json_object *object, struct rvtrace_failure *error)
{
	int ret = recorder_as_owner(recorder);

	if (!ret) {
		ret = recording_append_line(recorder->directory, name, object);
		rvtrace_owner_end();
	}
	return ret ? rvtrace_fail(error, -ret, 0, "%s/%s: %s", recorder->name, name,
				  strerror(-ret)) : 0;
}

int rvtrace_recorder_new(int directory, const char *name,
			 const struct rvtrace_recorder_options *options,
			 struct rvtrace_recorder **out,
			 struct rvtrace_failure *error)
{
	struct rvtrace_recorder *recorder = calloc(1, sizeof(*recorder));

	*out = NULL;
	if (recorder)
		recorder->name = strdup(name);
	/* Touched now: page faults amid a session would cost what a ring holds. */
	if (recorder && !posix_memalign((void **)&recorder->bounce, RVTRACE_RECORDING_BLOCK,
					RECORDER_BOUNCE_SIZE))
		memset(recorder->bounce, 0, RECORDER_BOUNCE_SIZE);
	if (recorder)
		recorder->state = XXH64_createState();
	if (!recorder || !recorder->name || !recorder->bounce || !recorder->state) {
		if (recorder) {
			XXH64_freeState(recorder->state);
			free(recorder->bounce);
			free(recorder->name);
		}
		free(recorder);
		close(directory);
		return rvtrace_fail(error, ENOMEM, 0, "%s: out of memory", name);
	}
	recorder->directory = directory;
	recorder->sideband = -1;
	recorder->reserve[0] = -1;
	recorder->reserve[1] = -1;
	recorder->options.uid = -1;
	recorder->options.gid = -1;
	if (options)
		recorder->options = *options;
	if (!recorder->options.segment_size)
		recorder->options.segment_size = RVTRACE_RECORDING_SEGMENT_SIZE;
	if (recorder->options.segment_size < RVTRACE_RECORDING_SEGMENT_MIN) {
		rvtrace_recorder_free(recorder);
		return rvtrace_fail(error, EINVAL, 0, "%s: segment size below %u bytes", name,
				    RVTRACE_RECORDING_SEGMENT_MIN);
	}
	recorder->options.segment_size = (recorder->options.segment_size +
					  RVTRACE_RECORDING_BLOCK - 1) /
					 RVTRACE_RECORDING_BLOCK * RVTRACE_RECORDING_BLOCK;
	*out = recorder;
	return 0;
}

static void close_segment(struct recorder_sink *sink)
{
	if (sink->segment >= 0)
		close(sink->segment);
	if (sink->direct >= 0)
		close(sink->direct);
}

/*
 * The very file once more, whatever its name is of by now. Where the file system does not offer it
 * the page cache does.
 */
int recorder_open_direct(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_DIRECT | O_CLOEXEC);
}

/* Opens the next segment; the one before, if any, is full. */
static int segment_open(struct rvtrace_recorder *recorder, struct recorder_sink *sink,
			struct rvtrace_failure *error)
{
	char file[RECORDING_FILE_MAX];
	int fd;

	snprintf(file, sizeof(file), "%s.%04u.bin", sink->name, sink->totals.segments);
	fd = rvtrace_recorder_create(recorder, file, error);
	if (fd < 0)
		return fd;
	close_segment(sink);
	sink->segment = fd;
	sink->direct = recorder_open_direct(fd);
	sink->segment_bytes = 0;
	sink->totals.segments++;
	return 0;
}

int recorder_new_sink(struct rvtrace_recorder *recorder, const char *name,
		      struct rvtrace_failure *error)
{
	struct recorder_sink *sinks, *sink;

	if (!recording_sink_name_valid(name) || recorder->sink_count >= SINKS_MAX)
		return rvtrace_fail(error, EINVAL, 0, "%s: bad name of a sink: '%s'",
				    recorder->name, name);
	sinks = reallocarray(recorder->sinks, recorder->sink_count + 1, sizeof(*sinks));
	if (!sinks)
		return rvtrace_fail(error, ENOMEM, 0, "%s: out of memory", recorder->name);
	recorder->sinks = sinks;
	sink = &sinks[recorder->sink_count];
	*sink = (struct recorder_sink) {
		.segment = -1, .direct = -1, .index = -1, .records = -1,
	};
	sink->name = strdup(name);
	if (!sink->name)
		return rvtrace_fail(error, ENOMEM, 0, "%s: out of memory", recorder->name);
	return recorder->sink_count++;
}

int rvtrace_recorder_add_sink(struct rvtrace_recorder *recorder, const char *name,
			      struct rvtrace_failure *error)
{
	int number = recorder_new_sink(recorder, name, error), ret;
	char file[RECORDING_FILE_MAX];
	struct recorder_sink *sink;

	if (number < 0)
		return number;
	sink = &recorder->sinks[number];
	snprintf(file, sizeof(file), "%s.idx", name);
	sink->index = ret = rvtrace_recorder_create(recorder, file, error);
	if (ret < 0)
		return ret;
	recording_lock(sink->index);
	snprintf(file, sizeof(file), "%s.records", name);
	sink->records = ret = rvtrace_recorder_create(recorder, file, error);
	if (ret < 0)
		return ret;
	ret = segment_open(recorder, sink, error);
	return ret ? ret : number;
}

int rvtrace_recorder_find_sink(const struct rvtrace_recorder *recorder, const char *name)
{
	size_t i;

	for (i = 0; i < recorder->sink_count; i++)
		if (!strcmp(recorder->sinks[i].name, name))
			return i;
	return -ENOENT;
}

uint64_t rvtrace_recorder_position(const struct rvtrace_recorder *recorder, int sink)
{
	return recorder->sinks[sink].position;
}

struct json_object *rvtrace_recorder_metadata(const struct rvtrace_recorder *recorder)
{
	return recorder->metadata;
}

static uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* Appends to a file that holds whole items only: a part is cut off again. */
static int append(struct rvtrace_recorder *recorder, const char *name, const char *suffix, int fd,
		  const struct iovec *iov, int count, uint64_t *size,
		  struct rvtrace_failure *error)
{
	uint64_t done = 0;
	int ret = recorder_write_at(fd, iov, count, *size, &done);

	if (!ret) {
		*size += done;
		return 0;
	}
	/* Should that fail too: readers ignore a partial last item. */
	if (done && ftruncate(fd, *size))
		*size += done;
	return rvtrace_fail(error, -ret, *size, "%s/%s%s: offset %llu: %s", recorder->name, name,
			    suffix, (unsigned long long)*size, strerror(-ret));
}

/* Writes the entries that were kept back, in one. */
static int flush(struct rvtrace_recorder *recorder, struct recorder_sink *sink,
		 struct rvtrace_failure *error)
{
	struct iovec iov = { sink->batch, sink->batch_count * RVTRACE_RECORDING_ENTRY_SIZE };
	int ret;

	ret = append(recorder, sink->name, ".idx", sink->index, &iov, 1, &sink->index_bytes, error);
	if (!ret)
		sink->totals.entries += sink->batch_count;
	sink->batch_count = 0;
	return ret;
}

static int batch_add(struct rvtrace_recorder *recorder, struct recorder_sink *sink,
		     struct recording_entry *entry, struct rvtrace_failure *error)
{
	int ret = sink->batch_count == RECORDER_BATCH ? flush(recorder, sink, error) : 0;

	if (ret)
		return ret;
	entry->number = sink->totals.entries + sink->batch_count;
	recording_entry_pack(entry, sink->batch +
			     sink->batch_count++ * RVTRACE_RECORDING_ENTRY_SIZE);
	return 0;
}

/*
 * Pieces end where memory is aligned to them, so that all but the first can be
 * summed up fast; that one is short where it cannot.
 */
static uint64_t piece_length(const char *bytes, uint64_t left)
{
	uint64_t size = (uintptr_t)bytes % sizeof(uint64_t) ? RVTRACE_RECORDING_BLOCK :
							      RVTRACE_RECORDING_PIECE;
	uint64_t length = size - (uintptr_t)bytes % size;

	return length < left ? length : left;
}

/* Describes the write @whole in pieces, so that damage is told from what is intact. */
static int describe(struct rvtrace_recorder *recorder, struct recorder_sink *sink,
		    const struct recording_entry *whole, const struct iovec *iov, int count,
		    struct rvtrace_failure *error)
{
	struct recording_entry entry = *whole;
	uint64_t left = whole->length;
	int i, ret = 0;

	for (i = 0; !ret && i < count; i++) {
		const char *bytes = iov[i].iov_base;
		uint64_t part = iov[i].iov_len < left ? iov[i].iov_len : left;

		for (left -= part; !ret && part; part -= entry.length) {
			entry.length = piece_length(bytes, part);
			entry.sum = recording_sum(bytes, entry.length);
			ret = batch_add(recorder, sink, &entry, error);
			entry.position += entry.length;
			entry.offset += entry.length;
			bytes += entry.length;
		}
	}
	return ret;
}

static int check_free(struct rvtrace_recorder *recorder, uint64_t length,
		      struct rvtrace_failure *error)
{
	struct statvfs fs;
	uint64_t available;

	if (!recorder->options.min_free)
		return 0;
	if (recorder->until_free_check > length) {
		recorder->until_free_check -= length;
		return 0;
	}
	if (fstatvfs(recorder->directory, &fs))
		return rvtrace_fail(error, errno, 0, "%s: %s", recorder->name, strerror(errno));
	available = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (available < recorder->options.min_free + length)
		return rvtrace_fail_room(error, recorder->name, available,
					 recorder->options.min_free);
	available -= recorder->options.min_free + length;
	recorder->until_free_check = available < FREE_CHECK_INTERVAL ? available :
								       FREE_CHECK_INTERVAL;
	return 0;
}

/* Has the disk keep @needed bytes for a file. */
static int keep_room(int fd, uint64_t needed, uint64_t *room)
{
	if (needed <= *room)
		return 0;
	needed += MORE_ROOM;
	/* Where posix_fallocate() would write zeros there is nothing to gain. */
	if (fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, needed) && errno != EOPNOTSUPP)
		return -errno;
	*room = needed;
	return 0;
}

/*
 * Keeps room for the entries of a write of @length bytes and for those that tell how the stream
 * ended: when the disk is full, it is the stream that finds no room.
 */
static int reserve_index(struct rvtrace_recorder *recorder, struct recorder_sink *sink,
			 uint64_t length, struct rvtrace_failure *error)
{
	uint64_t entries = length / RVTRACE_RECORDING_BLOCK + LAST_ENTRIES;
	uint64_t needed = sink->index_bytes + entries * RVTRACE_RECORDING_ENTRY_SIZE;
	int ret;

	ret = keep_room(sink->index, needed, &sink->index_room);
	if (!ret)
		return 0;
	return rvtrace_fail(error, -ret, sink->index_bytes, "%s/%s.idx: offset %llu: %s",
			    recorder->name, sink->name, (unsigned long long)sink->index_bytes,
			    strerror(-ret));
}

/* Writes over as many segments as it takes; *@done grows by what is in the files. */
static int stream_append(struct rvtrace_recorder *recorder, struct recorder_sink *sink,
			 const struct iovec *iov, int count, uint64_t *done,
			 struct rvtrace_failure *error)
{
	struct iovec first[2], rest[2];
	uint64_t part;
	int used, ret = 0;

	memcpy(rest, iov, count * sizeof(*iov));
	while (!ret && recorder_length(rest, count)) {
		if (sink->segment_bytes == recorder->options.segment_size) {
			ret = segment_open(recorder, sink, error);
			if (ret)
				return ret;
		}
		used = recorder_take(rest, count,
				     recorder->options.segment_size - sink->segment_bytes, first);
		ret = recorder_segment_write(recorder, sink, first, used, &part);
		sink->segment_bytes += part;
		*done += part;
		if (ret)
			rvtrace_fail(error, -ret, sink->segment_bytes,
				     "%s/%s.%04u.bin: offset %llu: %s", recorder->name,
				     sink->name, sink->totals.segments - 1,
				     (unsigned long long)sink->segment_bytes, strerror(-ret));
	}
	return ret;
}

int rvtrace_recorder_write(struct rvtrace_recorder *recorder, int number, uint64_t position,
			   const struct iovec *iov, int count,
			   struct rvtrace_failure *error)
{
	struct recorder_sink *sink = &recorder->sinks[number];
	uint64_t length = recorder_length(iov, count), done = 0;
	int ret, index_ret;

	if (!length)
		return 0;
	ret = flush(recorder, sink, error);
	if (!ret)
		ret = check_free(recorder, length, error);
	if (!ret)
		ret = reserve_index(recorder, sink, length, error);
	if (ret)
		return ret;
	ret = stream_append(recorder, sink, iov, count, &done, error);
	if (!done)
		return ret;
	sink->last = (struct recording_entry) {
		.position = position,
		.offset = sink->totals.bytes,
		.length = done,
		.time = monotonic_ns(),
		.type = RVTRACE_CHUNK_DATA,
	};
	sink->totals.bytes += done;
	sink->position = position + done;
	/* The first failure is the one to report. */
	index_ret = describe(recorder, sink, &sink->last, iov, count, ret ? NULL : error);
	return ret ? ret : index_ret;
}

int rvtrace_recorder_confirm(struct rvtrace_recorder *recorder, int number,
			     struct rvtrace_failure *error)
{
	return flush(recorder, &recorder->sinks[number], error);
}

int rvtrace_recorder_mark(struct rvtrace_recorder *recorder, int number,
			  enum rvtrace_chunk_type type, uint64_t position, uint64_t length,
			  uint32_t flags, struct rvtrace_failure *error)
{
	struct recorder_sink *sink = &recorder->sinks[number];
	const struct recording_entry *last = &sink->last;
	struct recording_entry entry = {
		.position = position,
		.offset = sink->totals.bytes,
		.length = length,
		.time = monotonic_ns(),
		.type = type,
		.flags = flags,
	};
	int ret;

	if (type == RVTRACE_CHUNK_OVERWRITTEN) {
		if (position < last->position || length > last->length ||
		    position - last->position > last->length - length)
			return rvtrace_fail(error, EINVAL, sink->index_bytes,
					    "%s/%s.idx: overwritten bytes outside the last write",
					    recorder->name, sink->name);
		entry.offset = last->offset + (position - last->position);
	}
	/* Lost, be there room for the entry or not. */
	if (type == RVTRACE_CHUNK_LOST || type == RVTRACE_CHUNK_OVERWRITTEN)
		sink->totals.lost += length;
	if (type != RVTRACE_CHUNK_OVERWRITTEN)
		sink->position = position + length;
	ret = batch_add(recorder, sink, &entry, error);
	return ret ? ret : flush(recorder, sink, error);
}

/* One frame around what is in @iov, whole records of at most FRAME_MAX bytes. */
static int append_frame(struct rvtrace_recorder *recorder, const char *name, const char *suffix,
			int fd, const struct iovec *iov, int count, uint64_t *size,
			struct rvtrace_failure *error)
{
	static const uint8_t zeros[8];
	uint64_t length = recorder_length(iov, count);
	struct iovec parts[RECORDER_PARTS_MAX];
	uint8_t header[FRAME_HEADER];

	if (!length)
		return 0;
	if (length > RVTRACE_RECORDING_FRAME_MAX)
		return rvtrace_fail(error, EMSGSIZE, *size, "%s/%s%s: %llu bytes of records at once",
				    recorder->name, name, suffix, (unsigned long long)length);
	memcpy(parts + 1, iov, count * sizeof(*iov));
	parts[0] = (struct iovec) { header, sizeof(header) };
	parts[count + 1] = (struct iovec) { (void *)zeros, -length % 8 };
	frame_pack(header, *size, length, parts + 1, count + 1, recorder->state);
	return append(recorder, name, suffix, fd, parts, count + 2, size, error);
}

int rvtrace_recorder_records(struct rvtrace_recorder *recorder, int number, const void *data,
			     size_t size, struct rvtrace_failure *error)
{
	struct recorder_sink *sink = &recorder->sinks[number];
	struct iovec iov = { (void *)data, size };

	/* A full disk: what was kept is used. */
	keep_room(sink->records, sink->totals.records + size + LAST_RECORDS, &sink->records_room);
	return append_frame(recorder, sink->name, ".records", sink->records, &iov, 1,
			    &sink->totals.records, error);
}

int rvtrace_recorder_sideband_room(struct rvtrace_recorder *recorder, uint64_t size,
				   struct rvtrace_failure *error)
{
	int ret;

	if (recorder->sideband < 0) {
		ret = rvtrace_recorder_create(recorder, "sideband", error);
		if (ret < 0)
			return ret;
		recorder->sideband = ret;
	}
	recorder->sideband_last = size;
	ret = keep_room(recorder->sideband, recorder->sideband_bytes + size,
			&recorder->sideband_room);
	return ret ? rvtrace_fail(error, -ret, 0, "%s/sideband: %s", recorder->name,
				  strerror(-ret)) : 0;
}

int rvtrace_recorder_sideband(struct rvtrace_recorder *recorder, const struct iovec *iov,
			      int count, struct rvtrace_failure *error)
{
	int ret = recorder->sideband < 0 ? rvtrace_recorder_sideband_room(recorder, 0, error) : 0;

	if (ret)
		return ret;
	/* A full disk: what was kept is used. */
	keep_room(recorder->sideband, recorder->sideband_bytes + recorder_length(iov, count) +
		  recorder->sideband_last, &recorder->sideband_room);
	return append_frame(recorder, "sideband", "", recorder->sideband, iov, count,
			    &recorder->sideband_bytes, error);
}

void rvtrace_recorder_totals(const struct rvtrace_recorder *recorder, int sink,
			     struct rvtrace_recorder_totals *totals)
{
	*totals = recorder->sinks[sink].totals;
}

void rvtrace_recorder_free(struct rvtrace_recorder *recorder)
{
	size_t i;

	if (!recorder)
		return;
	for (i = 0; i < recorder->sink_count; i++) {
		struct recorder_sink *sink = &recorder->sinks[i];

		close_segment(sink);
		if (sink->index >= 0)
			close(sink->index);
		if (sink->records >= 0)
			close(sink->records);
		free(sink->name);
	}
	free(recorder->sinks);
	if (recorder->sideband >= 0)
		close(recorder->sideband);
	for (i = 0; i < METADATA_FILES; i++) {
		if (recorder->reserve[i] < 0)
			continue;
		close(recorder->reserve[i]);
		if (recorder_as_owner(recorder))
			continue;
		unlinkat(recorder->directory, metadata_temporary[i], 0);
		rvtrace_owner_end();
	}
	json_object_put(recorder->metadata);
	close(recorder->directory);
	XXH64_freeState(recorder->state);
	free(recorder->bounce);
	free(recorder->name);
	free(recorder);
}
