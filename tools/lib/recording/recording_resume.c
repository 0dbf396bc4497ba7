// SPDX-License-Identifier: LGPL-2.1-or-later
/* Trace directories whose writer died: another one goes on. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "recording_repair.h"
#include "tools/lib/base/owner.h"

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
			      struct rvtrace_failure *error)
{
	const struct recorder_sink *sink = &recorder->sinks[number];
	const struct recording_entry *last = &sink->last;
	uint64_t length = sink->unconfirmed < last->length ? sink->unconfirmed : last->length;

	return length ? rvtrace_recorder_mark(recorder, number, RVTRACE_CHUNK_OVERWRITTEN,
					      last->position + last->length - length, length, 0,
					      error) : 0;
}

static int resume_sink(struct rvtrace_recorder *recorder, const struct recording_sink *from,
		       struct rvtrace_failure *error)
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
	sink->position = repair_end_position(from);
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
	return repair_fail(recorder->name, ret, error);
}

static uint64_t segment_size_of(const struct rvtrace_recording *recording)
{
	struct json_object *list = json_array(recording->metadata, "sinks");

	return list ? json_uint(json_object_array_get_idx(list, 0), "segment_size") : 0;
}

static int resume(struct rvtrace_recorder *recorder, struct rvtrace_recording *recording,
		  struct rvtrace_failure *error)
{
	int ret = 0;
	size_t i;

	recorder->metadata = json_object_get(recording->metadata);
	for (i = 0; !ret && i < recording->sink_count; i++)
		ret = resume_sink(recorder, &recording->sinks[i], error);
	if (!ret && !faccessat(recorder->directory, "sideband", F_OK, 0)) {
		ret = open_end(recorder, "sideband", &recorder->sideband,
			       &recorder->sideband_bytes);
		ret = repair_fail(recorder->name, ret, error);
	}
	return ret ? ret : recorder_reserve_metadata(recorder, error);
}

static int resume_recording(int directory, const char *name,
			    const struct rvtrace_recorder_options *options,
			    struct rvtrace_recorder **out, struct rvtrace_failure *error)
{
	struct rvtrace_recorder_options same = *options;
	struct repair r = { .goes_on = true };
	int ret = repair_open_again(directory, name, &r.recording, error);

	if (!ret && rvtrace_recording_complete(r.recording))
		ret = rvtrace_fail(error, EALREADY, 0, "%s: the recording is complete", name);
	if (!ret)
		ret = repair_begin(&r, error);
	if (!ret)
		ret = repair_open_again(directory, name, &r.recording, error);
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
			    struct rvtrace_failure *error)
{
	int ret = rvtrace_owner_begin(options->uid, options->gid, 0);

	*out = NULL;
	if (ret) {
		close(directory);
		return repair_fail(name, ret, error);
	}
	ret = resume_recording(directory, name, options, out, error);
	rvtrace_owner_end();
	return ret;
}
