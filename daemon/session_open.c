// SPDX-License-Identifier: GPL-2.0
/* The beginning of a session: sink, recording, program images. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session_directory.h"
#include "session_internal.h"
#include "settings.h"
#include "sysfs.h"

/* Without its images, or room for them, a recording is not begun. */
static void refuse(struct session *session)
{
	struct rvtrace_failure error = { .code = EIO };
	struct json_object *errors = session->capture.errors;

	snprintf(error.text, sizeof(error.text), "%s", json_object_get_string(
		 json_object_array_get_idx(errors, json_object_array_length(errors) - 1)));
	session->host->ready(session->host->user, &error);
	session_stop(session);
}

/* What was running when it was saved is what will run: the session may start. */
static void prepared(void *user)
{
	struct session *session = user;

	if (session->state != SESSION_PREPARING)
		return;
	session->state = SESSION_OPEN;
	if (session->capture.failed) {
		refuse(session);
		return;
	}
	if (session->start_wanted)
		session_start(session);
	else
		session->host->ready(session->host->user, NULL);
}

static void text_came(void *user, const struct rvtrace_record_text *text)
{
	struct session *session = user;
	char name[sizeof(text->name) + 1];

	/* initialisation code is gone by now, and in records */
	if (!text->address || text->flags & (RVTRACE_TEXT_GONE | RVTRACE_TEXT_INIT))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)sizeof(text->name), text->name);
	images_text(session->capture.images, name, text->address, text->size,
		    text->header.time);
}

void session_watch_text(struct session *session)
{
	session->device.text = text_came;
	session->device.steps = &session->host->numbers->beats;
	session->device.user = session;
}

/* What another process needs to go on, in addition to the settings: see session_resume.c. */
static struct json_object *describe_kept(const struct session *session,
					 const struct session_settings *settings)
{
	struct json_object *kept = json_object_new_object();
	struct stat st;

	if (fstat(settings->directory, &st))
		memset(&st, 0, sizeof(st));
	json_object_object_add(kept, "directory",
			       json_object_new_string(settings->directory_name));
	json_object_object_add(kept, "device", json_object_new_uint64(st.st_dev));
	json_object_object_add(kept, "inode", json_object_new_uint64(st.st_ino));
	json_object_object_add(kept, "encoders", json_object_get(session->capture.encoders));
	json_object_object_add(kept, "task_addresses",
			       json_object_new_boolean(session->device.task_addresses));
	return kept;
}

static struct capture_settings describe_capture(const struct session *session,
						const struct session_settings *settings,
						struct json_object *encoders)
{
	return (struct capture_settings) {
		.sink = settings->sink,
		.directory = settings->directory,
		.directory_name = settings->directory_name,
		.uid = settings->uid,
		.gid = settings->gid,
		.data_size = session->device.data_size,
		.encoders = encoders,
		.command = settings->command,
		.command_pid = settings->command_pid,
		.client = settings->client,
		.sideband = settings->sideband,
		.threads = session->device.tasks,
		.task_addresses = session->device.task_addresses,
		.memory = settings->memory,
		.crowded = settings->crowded,
	};
}

/* Whether the trace has what harts write to tp */
static bool traces_tp(struct json_object *encoders)
{
	char value[SYSFS_VALUE_MAX];
	size_t i;

	for (i = 0; i < json_object_array_length(encoders); i++)
		if (!sysfs_read(SYSFS_COMPONENTS, json_object_get_string(
					json_object_array_get_idx(encoders, i)),
				"software_trace_threads", value, sizeof(value)) &&
		    !strcmp(value, "1"))
			return true;
	return false;
}

/* What takes more rights than the owner of the recording has */
static int prepare(struct session *session, const struct session_settings *settings,
		   struct json_object *encoders, struct rvtrace_failure *error)
{
	int ret = settings_idle(settings->sink, error);

	if (!ret)
		ret = settings_apply(settings, encoders, error);
	if (!ret)
		ret = device_open(&session->device, settings->device, error);
	if (!ret && session->host->daemon->config.threads)
		ret = device_ask_tasks(&session->device, traces_tp(encoders), error);
	if (!ret)
		ret = session_set_watermark(session, settings->watermark, error);
	return ret;
}

static int begin(struct session *session, const struct session_settings *settings,
		 struct json_object *encoders, struct rvtrace_failure *error)
{
	int ret = prepare(session, settings, encoders, error);
	struct capture_settings wanted;

	if (ret)
		return ret;
	wanted = describe_capture(session, settings, encoders);
	ret = capture_prepare(&session->capture, &wanted, error);
	if (!ret)
		ret = session->host->become(session->host->user, settings->uid, settings->gid,
					    settings->groups, settings->group_count, error);
	if (!ret)
		ret = session_directory_check(&session->host->daemon->config, settings, error);
	if (!ret)
		ret = capture_pass(&session->capture, &wanted, error);
	if (!ret)
		ret = session->host->confine(session->host->user, error);
	if (!ret)
		ret = capture_open(&session->capture, &wanted, error);
	if (!ret)
		ret = session_add_events(session, error);
	if (ret)
		return ret;
	session_watch_text(session);
	session->kept = describe_kept(session, settings);
	images_wait(session->capture.images, prepared, session);
	return 0;
}

struct session *session_open(const struct session_host *host,
			     const struct session_settings *settings,
			     struct rvtrace_failure *error)
{
	struct session *session = session_new(host, settings->sink);
	struct json_object *encoders;
	int ret;

	if (!session) {
		rvtrace_fail(error, ENOMEM, 0, "out of memory");
		return NULL;
	}
	session->release = settings->release;
	session->start_wanted = settings->release;
	session->max_size = settings->max_size;
	session->all_encoders = !settings->encoders;
	encoders = settings->encoders ? json_object_get(settings->encoders) :
					sysfs_encoders(settings->sink);
	ret = begin(session, settings, encoders, error);
	json_object_put(encoders);
	if (!ret)
		return session;
	session_free(session);
	return NULL;
}
