// SPDX-License-Identifier: GPL-2.0
/* Going on with a session whose process died. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"
#include "session_internal.h"

#define CLOSE_STEPS	200	/* of 10 ms, until the files of the one that died are closed */

static struct json_object *member(struct json_object *state, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(state, name, &value);
	return value;
}

static uint64_t number(struct json_object *state, const char *name)
{
	return json_object_get_uint64(member(state, name));
}

/* The very directory, not what took its name meanwhile. */
static int open_directory(struct json_object *state, const char *path,
			  struct rvtrace_failure *error)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return rvtrace_fail(error, errno, 0, "%s: %s", path, strerror(errno));
	if (!fstat(fd, &st) && st.st_dev == number(state, "device") &&
	    st.st_ino == number(state, "inode"))
		return fd;
	close(fd);
	return rvtrace_fail(error, ESTALE, 0, "%s: no longer the directory of the recording", path);
}

/*
 * The last drain was written, or part of it, and not given back: what the
 * hardware overwrote of it since may have been overwritten while it was read.
 */
static int mark_unsure(struct session *session, uint64_t tail, uint64_t valid_from,
		       struct rvtrace_failure *error)
{
	uint64_t end = session->device.position < valid_from ? session->device.position :
							       valid_from;

	if (tail >= end)
		return 0;
	return rvtrace_recorder_mark(session->capture.recorder, 0, RVTRACE_CHUNK_OVERWRITTEN,
				     tail, end - tail, 0, error);
}

static int take_position(struct session *session, struct rvtrace_failure *error)
{
	struct device *device = &session->device;
	uint64_t tail = device->position;
	struct rvtrace_consume now;
	int ret;

	device->position = rvtrace_recorder_position(session->capture.recorder, 0);
	if (device->position < tail)
		device->position = tail;
	now = (struct rvtrace_consume) {
		.position = device->position,
		.records_position = device->records_position,
	};
	ret = device->consume(device, &now);
	if (ret)
		return rvtrace_fail(error, -ret, 0, "%s: %s", session->capture.sink,
				    strerror(-ret));
	return mark_unsure(session, tail, now.valid_from, error);
}

/* What was written and not given back is still in the ring of records. */
static void skip_records(struct session *session, int directory)
{
	struct rvtrace_recording_records *records = NULL;
	struct rvtrace_recording *recording = NULL;
	struct rvtrace_record *last = NULL;
	const struct rvtrace_record *next;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", directory);
	if (rvtrace_recording_open(path, &recording, NULL) ||
	    rvtrace_recording_records_open(recording, 0, &records, NULL))
		goto free;
	while (rvtrace_recording_records_next(records, &next, NULL) > 0) {
		struct rvtrace_record *copy = realloc(last, next->size);

		session->host->numbers->beats++;
		if (!copy)
			goto free;
		last = memcpy(copy, next, next->size);
	}
	if (last)
		device_skip_records(&session->device, last);
free:
	free(last);
	rvtrace_recording_records_free(records);
	rvtrace_recording_free(recording);
}

static struct capture_settings describe_capture(const char *sink, struct json_object *state)
{
	return (struct capture_settings) {
		.sink = sink,
		.directory_name = json_object_get_string(member(state, "directory")),
		.uid = number(state, "uid"),
		.gid = number(state, "gid"),
		.encoders = member(state, "encoders"),
		.command_pid = number(state, "command_pid"),
		.client = number(state, "client"),
		.sideband = json_object_get_boolean(member(state, "sideband")),
		.memory = json_object_get_boolean(member(state, "save_images")),
		.crowded = number(state, "crowded"),
		.generation = number(state, "resumed"),
	};
}

/* The owner's rights are enough from here on. */
static int become_owner(struct session *session, struct json_object *state,
			struct rvtrace_failure *error)
{
	struct json_object *list = member(state, "groups");
	size_t count = list ? json_object_array_length(list) : 0, i;
	gid_t *groups = calloc(count + 1, sizeof(*groups));
	int ret;

	if (!groups)
		return rvtrace_fail(error, ENOMEM, 0, "out of memory");
	for (i = 0; i < count; i++)
		groups[i] = json_object_get_int64(json_object_array_get_idx(list, i));
	ret = session->host->become(session->host->user, number(state, "uid"),
				    number(state, "gid"), groups, count, error);
	free(groups);
	return ret;
}

static int go_on(struct session *session, bool *asked, struct rvtrace_failure *error)
{
	int ret = session_set_watermark(session, number(session->kept, "watermark"), error);

	session_watch_text(session);
	if (!ret)
		ret = session_add_events(session, error);
	if (!ret)
		ret = take_position(session, error);
	if (ret)
		return ret;
	*asked = true;
	capture_error(&session->capture, "%s at position %llu",
		      json_object_get_string(member(session->kept, "why")),
		      (unsigned long long)session->device.position);
	ret = rvtrace_recorder_save_metadata(session->capture.recorder, error);
	if (ret)
		return ret;
	json_object_object_del(session->kept, "resuming");
	session->host->keep(session->host->user, session->kept);
	session_running(session);
	return 0;
}

/* The one that died may still be closing it. */
static int open_closing(struct session *session, const char *path,
			struct rvtrace_failure *error)
{
	int ret = device_open(&session->device, path, error), i;

	for (i = 0; i < CLOSE_STEPS && ret == -EBUSY; i++) {
		device_close(&session->device);
		usleep(10000);
		ret = device_open(&session->device, path, error);
	}
	return ret;
}

/* The sink of the session that was recorded, with that session still on it. */
static int reopen_sink(struct session *session, const char *name, const char *device,
		       struct rvtrace_failure *error)
{
	int ret;

	if (!device)
		return rvtrace_fail(error, ENODEV, 0, "%s was removed", name);
	ret = open_closing(session, device, error);
	if (!ret && session->device.control->session != number(session->kept, "session"))
		ret = rvtrace_fail(error, ESTALE, 0, "%s: another session began", name);
	if (!ret && session->host->daemon->config.threads)
		ret = device_ask_tasks(&session->device,
				       json_object_get_boolean(member(session->kept,
								      "task_addresses")),
				       error);
	return ret;
}

/* What is there is a recording, even if it cannot go on. */
static void end_recording(struct session *session, bool asked, const char *why)
{
	struct rvtrace_recorder *recorder = session->capture.recorder;

	/* The driver knows what of it may be trusted. */
	if (!asked)
		rvtrace_recorder_distrust(recorder, 0, NULL);

	capture_error(&session->capture,
		      "the process that recorded died, and the recording ends where it was: %s", why);
	rvtrace_recorder_mark(recorder, 0, RVTRACE_CHUNK_SESSION_END,
			      rvtrace_recorder_position(recorder, 0), 0, 0, NULL);
	capture_finish(&session->capture, false);
}

static int resume(struct session *session, const char *sink, const char *device, bool *goes_on,
		  struct rvtrace_failure *error)
{
	struct capture_settings wanted = describe_capture(sink, session->kept);
	struct rvtrace_failure why = { 0 };
	bool asked = false;
	/* First the sink: every moment costs what its ring holds. */
	int reopened = reopen_sink(session, sink, device, &why);
	int ret = capture_prepare(&session->capture, &wanted, error);

	if (!ret)
		ret = become_owner(session, session->kept, error);
	if (ret)
		return ret;
	wanted.directory = open_directory(session->kept, wanted.directory_name, error);
	if (wanted.directory < 0)
		return wanted.directory;
	ret = capture_pass(&session->capture, &wanted, error);
	if (!ret)
		ret = session->host->confine(session->host->user, error);
	if (!ret && !reopened)
		skip_records(session, wanted.directory);
	if (!ret)
		ret = capture_open(&session->capture, &wanted, error);
	close(wanted.directory);
	if (ret)
		return ret;
	*goes_on = !reopened && !go_on(session, &asked, &why);
	if (!*goes_on)
		end_recording(session, asked, why.text);
	return 0;
}

struct session *session_resume(const struct session_host *host, const char *sink,
			       const char *device, struct json_object *state, bool *goes_on,
			       struct rvtrace_failure *error)
{
	struct session *session = session_new(host, sink);

	if (!session || !member(state, "directory")) {
		rvtrace_fail(error, EINVAL, 0, "not what rvtraced wrote");
		goto free;
	}
	session->kept = json_object_get(state);
	session->release = json_object_get_boolean(member(state, "release"));
	session->all_encoders = json_object_get_boolean(member(state, "all_encoders"));
	session->max_size = number(state, "max_size");
	if (!resume(session, sink, device, goes_on, error))
		return session;
free:
	session_free(session);
	return NULL;
}
