// SPDX-License-Identifier: GPL-2.0
/* The request `open`: whose directory, which settings. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "request_open.h"
#include "settings.h"
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

/* A new directory below the configured one, named after sink and time. */
static int default_directory(struct daemon *daemon, const char *sink, char *path, size_t size,
			     struct rvtrace_recording_error *error)
{
	const char *parent = daemon->config.directory;
	char date[32];
	time_t now = time(NULL);
	struct tm tm;
	int i;

	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	i = config_make_directory(&daemon->config);
	if (i)
		return rvtrace_fail(error, -i, 0, "%s: %s", parent, strerror(-i));
	for (i = 0; i < 100; i++) {
		int length = i ? snprintf(path, size, "%s/%s-%s.%d", parent, sink, date, i) :
				 snprintf(path, size, "%s/%s-%s", parent, sink, date);

		if (length >= (int)size)
			return rvtrace_fail(error, ENAMETOOLONG, 0, "%s: too long", parent);
		if (!mkdir(path, 0750))
			return rvtrace_recording_directory(path, error);
		if (errno != EEXIST)
			break;
	}
	return rvtrace_fail(error, errno, 0, "%s: %s", path, strerror(errno));
}

/*
 * A client passes the directory open, so the daemon writes where its client
 * may. That it is the client's own shows that it may write there. A path alone
 * would let the daemon's rights be borrowed, so only root may send one.
 */
static int client_directory(struct connection *connection, const char *path,
			    struct rvtrace_recording_error *error)
{
	const struct ucred *peer = connection_peer(connection);
	int fd = connection_take_directory(connection);
	struct stat st;

	if (fd < 0) {
		if (peer->uid)
			return rvtrace_fail(error, EPERM, 0,
					    "pass the directory along as a file descriptor");
		if (*path != '/')
			return rvtrace_fail(error, EINVAL, 0, "%s: not an absolute path", path);
		return rvtrace_recording_directory(path, error);
	}
	if (fstat(fd, &st) || !S_ISDIR(st.st_mode)) {
		close(fd);
		return rvtrace_fail(error, ENOTDIR, 0, "%s: not a directory", path);
	}
	if (peer->uid && st.st_uid != peer->uid) {
		close(fd);
		return rvtrace_fail(error, EPERM, 0, "%s: belongs to user %u, not to user %u",
				    path, st.st_uid, peer->uid);
	}
	return fd;
}

static int give_directory(int fd, const char *path, const struct ucred *peer,
			  struct rvtrace_recording_error *error)
{
	if (!fchown(fd, peer->uid, peer->gid) || peer->uid == geteuid())
		return 0;
	return rvtrace_fail(error, errno, 0, "%s: cannot give it to its owner: %s", path,
			    strerror(errno));
}

/* Not a recording that ends with its first byte. */
static int check_free(const struct daemon *daemon, int fd, const char *path,
		      struct rvtrace_recording_error *error)
{
	uint64_t wanted = daemon->config.min_free, available;
	struct statvfs fs;

	if (fstatvfs(fd, &fs))
		return rvtrace_fail(error, errno, 0, "%s: %s", path, strerror(errno));
	available = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (!wanted || available > wanted)
		return 0;
	return rvtrace_fail_room(error, path, available, wanted);
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
			  struct rvtrace_recording_error *error)
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
		     struct rvtrace_recording_error *error)
{
	struct session *session = session_find(daemon, sink);

	if (!session)
		return 0;
	if (session_state(session) != SESSION_FINISHED || session_owner(session))
		return rvtrace_fail(error, EBUSY, 0, "%s: a session is using it", sink);
	session_free(session);
	return 0;
}

static const struct sink *wanted_sink(struct daemon *daemon, const char *name,
				      struct rvtrace_recording_error *error)
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

int request_open(struct connection *connection, struct json_object *request, bool release,
		 struct session **session, struct rvtrace_recording_error *error)
{
	struct daemon *daemon = connection_daemon(connection);
	const struct ucred *peer = connection_peer(connection);
	const char *directory = json_object_get_string(get(request, "directory"));
	const struct sink *sink = wanted_sink(daemon, json_object_get_string(get(request, "sink")),
					      error);
	struct session_settings settings = {
		.uid = peer->uid,
		.gid = peer->gid,
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
	char path[CONFIG_PATH_MAX + 64];
	int ret;

	if (!sink)
		return -error->code;
	if (daemon->stopping)
		return rvtrace_fail(error, ESHUTDOWN, 0, "rvtraced is stopping");
	settings.sink = sink->name;
	settings.device = sink->device;
	ret = check_settings(&settings, error);
	if (!ret)
		ret = make_room(daemon, sink->name, error);
	if (ret)
		return ret;
	if (directory) {
		settings.directory = client_directory(connection, directory, error);
	} else {
		settings.directory = default_directory(daemon, sink->name, path, sizeof(path),
						       error);
		if (settings.directory >= 0 &&
		    give_directory(settings.directory, path, peer, error)) {
			close(settings.directory);
			return -error->code;
		}
	}
	if (settings.directory < 0)
		return settings.directory;
	settings.directory_name = directory ? directory : path;
	ret = check_free(daemon, settings.directory, settings.directory_name, error);
	if (ret)
		close(settings.directory);
	else
		ret = session_open(daemon, &settings, session, error);
	/* Removes it only while it is empty. */
	if (ret && !directory)
		rmdir(path);
	if (!ret && !settings.detached)
		session_set_owner(*session, connection);
	return ret;
}
