// SPDX-License-Identifier: GPL-2.0
/* The request `open`: which settings. */
#include <errno.h>
#include <string.h>

#include "request_open.h"
#include "udev.h"

static struct json_object *get(struct json_object *request, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(request, key, &value);
	return value;
}

static uint64_t get_size(struct json_object *request, const char *key)
{
	return json_object_get_uint64(get(request, key));
}

static bool get_bool(struct json_object *request, const char *key, bool absent)
{
	struct json_object *value = get(request, key);

	return value ? json_object_get_boolean(value) : absent;
}

static bool strings_only(struct json_object *array)
{
	size_t i;

	for (i = 0; array && i < json_object_array_length(array); i++)
		if (!json_object_is_type(json_object_array_get_idx(array, i), json_type_string))
			return false;
	return true;
}

static int check_settings(const struct session_settings *settings,
			  struct rvtrace_failure *error)
{
	if (!strings_only(settings->command) || !strings_only(settings->encoders))
		return rvtrace_fail(error, EINVAL, 0,
				    "'command' and 'encoders' are arrays of strings");
	if (settings->encoders && !json_object_array_length(settings->encoders))
		return rvtrace_fail(error, EINVAL, 0, "'encoders' must name one at least");
	if (!settings->attributes)
		return 0;
	json_object_object_foreach(settings->attributes, name, values) {
		if (!json_object_is_type(values, json_type_object))
			return rvtrace_fail(error, EINVAL, 0,
					    "'attributes': '%.64s' must be an object", name);
		json_object_object_foreach(values, attribute, value) {
			if (!json_object_is_type(value, json_type_string) &&
			    !json_object_is_type(value, json_type_int))
				return rvtrace_fail(error, EINVAL, 0,
						    "'attributes': '%.64s' must be a string or a number",
						    attribute);
		}
	}
	return 0;
}

/* A finished session that nobody asked about gives way to a new one. */
static int make_room(struct daemon *daemon, const char *sink,
		     struct rvtrace_failure *error)
{
	struct worker *session = worker_find(daemon, sink);

	if (!session)
		return 0;
	if (worker_state(session) != SESSION_FINISHED || worker_owner(session))
		return rvtrace_fail(error, EBUSY, 0, "%s: a session is using it", sink);
	worker_free(session);
	return 0;
}

static const struct sink *wanted_sink(struct daemon *daemon, const char *name,
				      struct rvtrace_failure *error)
{
	const struct sink *sink = sinks_find(daemon->sinks, name);

	if (sink)
		return sink;
	if (name)
		rvtrace_fail(error, ENODEV, 0, "no sink '%.64s'", name);
	else if (LIST_EMPTY(sinks_list(daemon->sinks)))
		rvtrace_fail(error, ENODEV, 0,
			     "no trace sink: no hardware, or rvtrace.ko is not loaded");
	else
		rvtrace_fail(error, EINVAL, 0, "there are several sinks: name one");
	return NULL;
}

/* Root's sessions are as large as root wants. */
static void limit_size(struct session_settings *settings, uint64_t limit)
{
	if (settings->uid && limit && (!settings->max_size || settings->max_size > limit))
		settings->max_size = limit;
}

struct worker *request_open(struct connection *connection, struct json_object *request,
			    bool release, struct rvtrace_failure *error)
{
	struct daemon *daemon = connection_daemon(connection);
	const struct ucred *peer = connection_peer(connection);
	const struct sink *sink = wanted_sink(daemon, json_object_get_string(get(request, "sink")),
					      error);
	struct session_settings settings = {
		.uid = peer->uid,
		.gid = peer->gid,
		.directory = -1,
		.directory_name = json_object_get_string(get(request, "directory")),
		.mode = json_object_get_string(get(request, "mode")),
		.buffer_size = get_size(request, "buffer_size"),
		.watermark = get_size(request, "watermark"),
		.max_size = get_size(request, "max_size"),
		.encoders = get(request, "encoders"),
		.attributes = get(request, "attributes"),
		.command = get(request, "command"),
		.command_pid = json_object_get_int(get(request, "pid")),
		.client = peer->pid,
		.sideband = get_bool(request, "sideband", true),
		.memory = get_bool(request, "save_images", false),
		.detached = get_bool(request, "detached", release),
		.release = release,
	};
	struct worker *session;

	if (!sink)
		return NULL;
	if (daemon->stopping) {
		rvtrace_fail(error, ESHUTDOWN, 0, "rvtraced is stopping");
		return NULL;
	}
	limit_size(&settings, daemon->config.session_size);
	settings.sink = sink->name;
	settings.device = sink->device;
	settings.groups = connection_groups(connection, &settings.group_count);
	if (check_settings(&settings, error) || make_room(daemon, sink->name, error))
		return NULL;
	if (settings.directory_name)
		settings.directory = connection_take_directory(connection);
	if (settings.directory == -ENOTDIR) {
		rvtrace_fail(error, ENOTDIR, 0, "%s: not a directory", settings.directory_name);
		return NULL;
	}
	if (settings.directory < -1) {
		rvtrace_fail(error, -settings.directory, 0, "%s: %s", settings.directory_name,
			     strerror(-settings.directory));
		return NULL;
	}
	session = worker_open(daemon, &settings, error);
	if (session && !settings.detached)
		worker_set_owner(session, connection);
	return session;
}
