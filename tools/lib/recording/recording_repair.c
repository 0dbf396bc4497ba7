// SPDX-License-Identifier: LGPL-2.1-or-later
/* Trace directories whose writer died: the ends of their files are repaired. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "frames.h"
#include "recording_repair.h"

void repair_say(struct repair *r, const char *format, ...)
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
const char *repair_at_file(struct repair *r, const char *name, const char *ending)
{
	snprintf(r->file, sizeof(r->file), "%s%s", name, ending);
	return r->file;
}

int repair_cut_file(struct repair *r, const char *file, uint64_t size)
{
	int fd = file_open_below(r->recording->directory, file, O_WRONLY, 0);
	int64_t there = fd < 0 ? fd : file_size(fd);
	int ret = 0;

	if (there > (int64_t)size) {
		repair_say(r, r->dry_run ?
			   "%s: %llu bytes would be cut off after the last whole item, at %llu" :
			   "%s: %llu bytes cut off after the last whole item, at %llu", file,
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
	return ret ? ret : repair_cut_file(r, file, end);
}

static int repair_lines(struct repair *r, const char *file)
{
	bool newline = true;
	uint64_t end;
	int fd, ret;

	ret = recording_lines_end(r->recording, file, &end, &newline);
	if (!ret)
		ret = repair_cut_file(r, file, end);
	if (ret || newline)
		return ret;
	repair_say(r, r->dry_run ? "%s: a newline would be added at its end" :
		   "%s: newline added at its end", file);
	if (r->dry_run)
		return 0;
	fd = file_open_below(r->recording->directory, file, O_WRONLY | O_APPEND, 0);
	if (fd < 0)
		return fd;
	ret = write(fd, "\n", 1) == 1 ? 0 : -EIO;
	close(fd);
	return ret;
}

static int remove_temporary(struct repair *r, const char *file)
{
	if (faccessat(r->recording->directory, file, F_OK, 0))
		return 0;
	repair_say(r, !r->dry_run ? "%s: removed" : "%s: would be removed", file);
	return !r->dry_run && unlinkat(r->recording->directory, file, 0) ? -errno : 0;
}

/* Everything but the metadata; 0 or a negative errno. */
static int repair_ends(struct repair *r)
{
	struct rvtrace_recording *recording = r->recording;
	int ret = 0;
	size_t i;

	for (i = 0; !ret && i < METADATA_FILES; i++)
		ret = remove_temporary(r, repair_at_file(r, metadata_temporary[i], ""));
	for (i = 0; !ret && i < recording->sink_count; i++) {
		ret = repair_index(r, &recording->sinks[i]);
		if (!ret)
			ret = repair_frames(r, repair_at_file(r, recording->sinks[i].public.name,
							      ".records"));
	}
	if (!ret)
		ret = repair_frames(r, repair_at_file(r, "sideband", ""));
	if (!ret)
		ret = repair_lines(r, repair_at_file(r, "images/index.jsonl", ""));
	return ret ? ret : repair_lines(r, repair_at_file(r, "images/maps.jsonl", ""));
}

int repair_fail(const char *name, int ret, struct rvtrace_failure *error)
{
	return ret ? rvtrace_fail(error, -ret, 0, "%s: %s", name, strerror(-ret)) : 0;
}

int repair_fail_of(const struct repair *r, int ret, struct rvtrace_failure *error)
{
	return ret ? rvtrace_fail(error, -ret, 0, "%s/%s: %s", r->recording->path, r->file,
				  strerror(-ret)) : 0;
}

/* What cannot be read is not gone: no end is cut for it, and nothing of it is lost. */
int repair_begin(struct repair *r, struct rvtrace_failure *error)
{
	if (!r->recording->unreadable.code)
		return repair_fail_of(r, repair_ends(r), error);
	if (error)
		*error = r->recording->unreadable;
	return -r->recording->unreadable.code;
}

int repair_open_again(int directory, const char *name, struct rvtrace_recording **recording,
		      struct rvtrace_failure *error)
{
	int copy = fcntl(directory, F_DUPFD_CLOEXEC, 0);

	rvtrace_recording_free(*recording);
	*recording = NULL;
	return copy < 0 ? repair_fail(name, -errno, error) :
			  recording_open_at(copy, name, recording, error);
}
