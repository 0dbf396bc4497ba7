// SPDX-License-Identifier: GPL-2.0
/* Going on with a session whose daemon died. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rvtrace/owner.h>

#include "log.h"
#include "session_internal.h"
#include "state.h"
#include "sysfs.h"
#include "udev.h"

#define CLAIM_SECONDS	30	/* what a client that is still there needs to come back */

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
			  struct rvtrace_recording_error *error)
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
		       struct rvtrace_recording_error *error)
{
	uint64_t end = session->device.position < valid_from ? session->device.position :
							       valid_from;

	if (tail >= end)
		return 0;
	return rvtrace_recorder_mark(session->capture.recorder, 0, RVTRACE_CHUNK_OVERWRITTEN,
				     tail, end - tail, 0, error);
}

static int take_position(struct session *session, struct rvtrace_recording_error *error)
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
static void read_records(struct session *session, int directory)
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

/* Whoever owns the recording may have put anything there. */
static void skip_records(struct session *session, int directory)
{
	if (rvtrace_owner_begin(number(session->kept, "uid"), number(session->kept, "gid"), 0))
		return;
	read_records(session, directory);
	rvtrace_owner_end();
}

static int open_capture(struct session *session, const char *sink, int directory,
			struct json_object *state, struct rvtrace_recording_error *error)
{
	const struct capture_settings wanted = {
		.sink = sink,
		.directory = directory,
		.directory_name = json_object_get_string(member(state, "directory")),
		.uid = number(state, "uid"),
		.gid = number(state, "gid"),
		.encoders = member(state, "encoders"),
		.command_pid = number(state, "command_pid"),
		.client = number(state, "client"),
		.sideband = json_object_get_boolean(member(state, "sideband")),
		.memory = json_object_get_boolean(member(state, "save_images")),
		.generation = number(state, "resumed"),
	};

	return capture_open(&session->capture, &wanted, error);
}

static void unclaimed(evutil_socket_t fd, short what, void *user)
{
	struct session *session = user;

	(void)fd;
	(void)what;
	log_message(LOG_NOTICE, "%s: its client did not come back, stopping",
		    session->capture.sink);
	session_discard(session);
	session_stop(session);
}

static int go_on(struct session *session, struct rvtrace_recording_error *error)
{
	int ret = session_set_watermark(session, number(session->kept, "watermark"), error);

	session_watch_text(session);
	if (!ret)
		ret = session_add_events(session, error);
	if (!ret)
		ret = take_position(session, error);
	if (ret)
		return ret;
	capture_error(&session->capture, "rvtraced died and was started again at position %llu",
		      (unsigned long long)session->device.position);
	ret = rvtrace_recorder_save_metadata(session->capture.recorder, error);
	if (ret)
		return ret;
	json_object_object_del(session->kept, "resuming");
	state_keep(session->daemon, session->capture.sink, session->kept);
	session_running(session);
	session_watch_limit(session);
	if (session->detached)
		return 0;
	session->orphaned = evtimer_new(session->daemon->base, unclaimed, session);
	if (session->orphaned)
		evtimer_add(session->orphaned, &(struct timeval){ .tv_sec = CLAIM_SECONDS });
	return 0;
}

/* The sink of the session that was recorded, with that session still on it. */
static int reopen_sink(struct session *session, const char *name,
		       struct rvtrace_recording_error *error)
{
	const struct sink *sink = sinks_find(session->daemon->sinks, name);
	int ret;

	if (!sink)
		return rvtrace_fail(error, ENODEV, 0, "%s is gone", name);
	ret = device_open(&session->device, sink->device, error);
	if (!ret && session->device.control->session != number(session->kept, "session"))
		ret = rvtrace_fail(error, ESTALE, 0, "%s: another session began", name);
	if (!ret && session->daemon->config.threads)
		ret = device_ask_tasks(&session->device,
				       json_object_get_boolean(member(session->kept,
								      "task_addresses")),
				       error);
	return ret;
}

/* What is there is a recording, even if it cannot go on. */
static void end_recording(struct session *session, const char *why)
{
	struct rvtrace_recorder *recorder = session->capture.recorder;

	capture_error(&session->capture,
		      "rvtraced died, and the recording ends where it was: %s", why);
	rvtrace_recorder_mark(recorder, 0, RVTRACE_CHUNK_SESSION_END,
			      rvtrace_recorder_position(recorder, 0), 0, 0, NULL);
	session_discard(session);
	capture_finish(&session->capture, false);
}

static bool resume(struct daemon *daemon, const char *sink, struct json_object *state)
{
	const char *path = json_object_get_string(member(state, "directory"));
	struct rvtrace_recording_error error = { 0 }, why = { 0 };
	int directory = path ? open_directory(state, path, &error) : -EINVAL, ret, reopened;
	struct session *session = directory < 0 ? NULL : session_new(daemon, sink);

	if (!session) {
		log_message(LOG_ERR, "%s: its session cannot go on: %s", sink, error.text);
		if (directory >= 0)
			close(directory);
		return false;
	}
	session->kept = json_object_get(state);
	json_object_object_add(state, "resumed",
			       json_object_new_int(number(state, "resumed") + 1));
	session->uid = number(state, "uid");
	session->release = json_object_get_boolean(member(state, "release"));
	session->detached = json_object_get_boolean(member(state, "detached"));
	session->all_encoders = json_object_get_boolean(member(state, "all_encoders"));
	session->max_size = number(state, "max_size");
	session->ends = number(state, "ends");
	/* First the sink: every moment costs what its ring holds. */
	reopened = reopen_sink(session, sink, &why);
	if (!reopened)
		skip_records(session, directory);
	ret = open_capture(session, sink, directory, state, &error);
	close(directory);
	if (ret) {
		log_message(LOG_ERR, "%s: its session cannot go on: %s", sink, error.text);
		session_free(session);
		return false;
	}
	if (!reopened && !go_on(session, &why))
		return true;
	end_recording(session, why.text);
	return false;
}

/* Nobody else knows of the session, and all that it would still trace is lost. */
static void stop_hardware(const char *sink, struct json_object *state)
{
	char value[64] = "";
	int ret;

	sysfs_read(SYSFS_SINKS, sink, "session", value, sizeof(value));
	if (strtoull(value, NULL, 10) != number(state, "session"))
		return;
	ret = sysfs_write(SYSFS_SINKS, sink, "tracing", "0");
	if (ret)
		log_message(LOG_ERR, "%s: stopping: %s (see the kernel log)", sink, strerror(-ret));
}

/* What made a daemon die would do so again. */
static bool may_resume(struct daemon *daemon, const char *sink, struct json_object *state)
{
	if (json_object_get_boolean(member(state, "resuming"))) {
		log_message(LOG_ERR,
			    "%s: its session cannot go on: rvtraced died when it tried; 'tracectl recover' repairs %s",
			    sink, json_object_get_string(member(state, "directory")));
		return false;
	}
	json_object_object_add(state, "resuming", json_object_new_boolean(true));
	state_keep(daemon, sink, state);
	return true;
}

bool session_resume(struct daemon *daemon, const char *sink, struct json_object *state)
{
	if (may_resume(daemon, sink, state) && resume(daemon, sink, state))
		return true;
	stop_hardware(sink, state);
	return false;
}

void session_attach(struct session *session, void *owner)
{
	event_free(session->orphaned);
	session->orphaned = NULL;
	session_set_owner(session, owner);
}

bool session_attachable(const struct session *session)
{
	return session->orphaned;
}
