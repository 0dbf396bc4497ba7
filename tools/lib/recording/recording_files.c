// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reader of trace directories: the segments of a stream. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording_internal.h"

#define SEGMENTS_MAX	1000000

void recording_segment_name(const struct recording_sink *sink, unsigned int number,
			    char file[RECORDING_FILE_MAX])
{
	snprintf(file, RECORDING_FILE_MAX, "%s.%04u.bin", sink->public.name, number);
}

/* Size of a segment; -ENOENT when there is none, another errno where it cannot be read. */
static int64_t segment_size(struct rvtrace_recording *recording, const char *file)
{
	int fd = rvtrace_recording_open_file(recording, file);
	int64_t size;

	if (fd == -ENOENT)
		return -ENOENT;
	size = fd < 0 ? fd : file_size(fd);
	if (fd >= 0)
		close(fd);
	return size < 0 ? recording_unreadable(recording, file, 0, size, NULL) : size;
}

static int add_segment(struct recording_sink *sink, uint64_t start, uint64_t bytes)
{
	unsigned int count = sink->public.segments;
	uint64_t *starts, *sizes;

	/* with room for as many more, where their number is a power of two */
	if (!(count & (count - 1))) {
		starts = reallocarray(sink->segment_start, 2 * count + 1, sizeof(*starts));
		if (!starts)
			return -ENOMEM;
		sink->segment_start = starts;
		sizes = reallocarray(sink->segment_bytes, 2 * count + 1, sizeof(*sizes));
		if (!sizes)
			return -ENOMEM;
		sink->segment_bytes = sizes;
	}
	sink->segment_start[count] = start;
	sink->segment_bytes[count] = bytes;
	sink->public.segments = count + 1;
	sink->public.bytes += bytes;
	sink->end = start + bytes;
	return 0;
}

/* How large the segments are: as the metadata says, or as the first one is. */
static uint64_t segment_limit(struct rvtrace_recording *recording,
			      const struct recording_sink *sink, struct json_object *object)
{
	uint64_t limit = json_uint(object, "segment_size");
	char file[RECORDING_FILE_MAX];

	if (limit >= RVTRACE_RECORDING_SEGMENT_MIN)
		return limit;
	recording_segment_name(sink, 1, file);
	if (segment_size(recording, file) == -ENOENT)
		return UINT64_MAX;
	recording_segment_name(sink, 0, file);
	limit = segment_size(recording, file);
	return limit && limit <= INT64_MAX ? limit : UINT64_MAX;
}

/*
 * Which segments there are files of, up to the last one; NULL after an error, which is in errno.
 * Their number does not say how many there are: nothing is to be done for each of those that are
 * missing.
 */
static bool *segments_there(const struct rvtrace_recording *recording,
			    const struct recording_sink *sink, unsigned int *end)
{
	DIR *directory = recording_list(recording);
	bool *there = directory ? calloc(SEGMENTS_MAX, sizeof(*there)) : NULL;
	size_t length = strlen(sink->public.name);
	char file[RECORDING_FILE_MAX];
	const struct dirent *entry;

	*end = 0;
	while (there && (entry = readdir(directory))) {
		unsigned long number;

		if (strncmp(entry->d_name, sink->public.name, length) ||
		    entry->d_name[length] != '.')
			continue;
		number = strtoul(entry->d_name + length + 1, NULL, 10);
		if (number >= SEGMENTS_MAX)
			continue;
		recording_segment_name(sink, number, file);
		if (strcmp(file, entry->d_name))
			continue;
		there[number] = true;
		if (number >= *end)
			*end = number + 1;
	}
	if (directory)
		closedir(directory);
	return there;
}

/* Segment @i begins at @start and has from @least to @most bytes. */
static uint64_t measure_segment(struct rvtrace_recording *recording,
				const struct recording_sink *sink, unsigned int i, uint64_t start,
				uint64_t least, uint64_t most)
{
	char file[RECORDING_FILE_MAX];
	int64_t there;
	uint64_t size;

	recording_segment_name(sink, i, file);
	there = segment_size(recording, file);
	/* Reading fails there, nothing is missing. */
	if (there < 0)
		return least ? least : 1;
	size = there;
	if (size > most) {
		recording_damage_stream(recording, file, most, size - most, start + most,
					"more than was recorded");
		return most;
	}
	if (size < least)
		recording_damage_stream(recording, file, size, 0, start + size,
					"the rest is missing");
	return size;
}

static void report_missing(struct rvtrace_recording *recording, const struct recording_sink *sink,
			   unsigned int first, unsigned int last)
{
	char file[RECORDING_FILE_MAX], other[RECORDING_FILE_MAX];

	recording_segment_name(sink, first, file);
	recording_segment_name(sink, last, other);
	if (first == last)
		recording_damage(recording, file, 0, 0, "missing");
	else
		recording_damage(recording, file, 0, 0, "missing, as are those up to %s", other);
}

/* The next one that there is; @end: none */
static unsigned int next_there(const bool *there, unsigned int i, unsigned int end)
{
	while (i < end && !there[i])
		i++;
	return i;
}

int recording_segments_load(struct rvtrace_recording *recording, struct recording_sink *sink,
			    struct json_object *object, struct rvtrace_failure *error)
{
	uint64_t limit = segment_limit(recording, sink, object), promised = sink->described;
	uint64_t start, rest, least, total, size;
	bool exact = rvtrace_recording_complete(recording) && recording->metadata_intact;
	unsigned int i, end, next = 0;
	bool *there = segments_there(recording, sink, &end);
	int ret = there ? 0 : -errno;

	if (exact) {
		total = json_uint(object, "bytes");
		promised = total > promised ? total : promised;
	}
	/* The first that is missing at the end stands for all that should follow. */
	for (i = 0; !ret && i <= end; i++) {
		if (__builtin_mul_overflow(limit, i, &start))
			break;
		rest = promised > start ? promised - start : 0;
		least = rest < limit ? rest : limit;
		if (i < end && there[i]) {
			size = measure_segment(recording, sink, i, start, least,
					       exact ? least : limit);
		} else {
			if (!least)
				break;
			if (i >= next) {
				next = next_there(there, i, end);
				report_missing(recording, sink, i, next > i && next < end ?
					       next - 1 : i);
			}
			size = 0;
		}
		ret = add_segment(sink, start, size);
	}
	free(there);
	return ret ? rvtrace_fail(error, -ret, 0, "%s: %s", recording->path, strerror(-ret)) : 0;
}

uint64_t recording_unconfirmed(const struct rvtrace_recording *recording,
			       const struct recording_sink *sink)
{
	if (sink->end <= sink->described || !recording_cut(recording))
		return sink->end;
	if (sink->end - sink->described <= RVTRACE_RECORDING_STEP)
		return sink->described;
	return sink->end - RVTRACE_RECORDING_STEP;
}
