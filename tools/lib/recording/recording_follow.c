// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reader of trace directories: those that are still being written. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "recording_internal.h"

void recording_lock(int index)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	/* Where a file system has no locks, it seems that nobody writes. */
	fcntl(index, F_OFD_SETLK, &whole);
}

static bool is_locked(const struct rvtrace_recording *recording, const char *sink)
{
	struct flock whole = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	char file[RECORDING_FILE_MAX];
	bool locked;
	int fd;

	if (!recording_sink_name_valid(sink))
		return false;
	snprintf(file, sizeof(file), "%s.idx", sink);
	fd = rvtrace_recording_open_file(recording, file);
	if (fd < 0)
		return false;
	locked = !fcntl(fd, F_OFD_GETLK, &whole) && whole.l_type != F_UNLCK;
	close(fd);
	return locked;
}

bool rvtrace_recording_written(const struct rvtrace_recording *recording)
{
	struct json_object *sinks = json_array(recording->metadata, "sinks");
	bool written = false;
	size_t i;

	for (i = 0; sinks && i < json_object_array_length(sinks) && !written; i++)
		written = is_locked(recording, json_string(
						json_object_array_get_idx(sinks, i), "name"));
	return written;
}

/* All but the path and the directory; streams know a sink by where it lies. */
static void exchange(struct rvtrace_recording *a, struct rvtrace_recording *b)
{
	struct rvtrace_recording old = *a;
	size_t i;

	for (i = 0; i < a->sink_count; i++) {
		struct recording_sink sink = a->sinks[i];

		a->sinks[i] = b->sinks[i];
		b->sinks[i] = sink;
	}
	a->metadata = b->metadata;
	a->damage = b->damage;
	a->damage_count = b->damage_count;
	a->metadata_intact = b->metadata_intact;
	a->written = b->written;
	a->unreadable = b->unreadable;
	b->metadata = old.metadata;
	b->damage = old.damage;
	b->damage_count = old.damage_count;
}

int rvtrace_recording_reload(struct rvtrace_recording *recording,
			     struct rvtrace_failure *error)
{
	int directory = fcntl(recording->directory, F_DUPFD_CLOEXEC, 0), ret;
	struct rvtrace_recording *now;

	if (directory < 0)
		return rvtrace_fail(error, errno, 0, "%s: %s", recording->path, strerror(errno));
	ret = recording_open_at(directory, recording->path, &now, error);
	if (ret)
		return ret;
	if (now->sink_count == recording->sink_count)
		exchange(recording, now);
	else
		ret = rvtrace_fail(error, EBADMSG, 0, "%s/%s: the sinks have changed",
				   recording->path, METADATA_FILE);
	rvtrace_recording_free(now);
	return ret;
}
