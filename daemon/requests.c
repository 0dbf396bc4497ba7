// SPDX-License-Identifier: GPL-2.0
/* What a client can ask for: docs/control-protocol.md. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "answers.h"
#include "describe.h"
#include "members.h"
#include "request_open.h"
#include "requests.h"
#include "sysfs.h"
#include "tools/lib/recording/seal.h"
#include "udev.h"

static const char *string_member(struct json_object *request, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(request, key, &value) ? json_object_get_string(value) :
								  NULL;
}

/* An attribute as a number where it is one; left out when it cannot be read. */
static void add_attribute(struct json_object *object, const char *sink, const char *attribute)
{
	char value[SYSFS_VALUE_MAX], *end;
	unsigned long long number;

	if (sysfs_read(SYSFS_SINKS, sink, attribute, value, sizeof(value)))
		return;
	number = strtoull(value, &end, 10);
	json_object_object_add(object, attribute, *value && !*end ?
			       json_object_new_uint64(number) : json_object_new_string(value));
}

static struct json_object *describe_sink(struct daemon *daemon, const struct sink *sink)
{
	static const char *const attributes[] = {
		"component", "state", "mode", "buffer_size", "session", "head", "tail", "lost",
	};
	struct json_object *object = json_object_new_object();
	struct worker *session = worker_find(daemon, sink->name);
	size_t i;

	json_object_object_add(object, "name", json_object_new_string(sink->name));
	json_object_object_add(object, "device", json_object_new_string(sink->device));
	for (i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		add_attribute(object, sink->name, attributes[i]);
	json_object_object_add(object, "encoders", sysfs_encoders(sink->name));
	if (session)
		worker_describe(session, object);
	return object;
}

static struct json_object *describe_daemon(const struct daemon *daemon)
{
	struct json_object *object = json_object_new_object();
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	json_object_object_add(object, "version", json_object_new_string(RVTRACED_VERSION));
	json_object_object_add(object, "pid", json_object_new_int(getpid()));
	json_object_object_add(object, "seconds",
			       json_object_new_int64(now.tv_sec - daemon->started));
	json_object_object_add(object, "directory",
			       json_object_new_string(daemon->config.directory));
	return object;
}

/* list, status */
static struct json_object *do_status(struct connection *connection, struct json_object *request)
{
	struct daemon *daemon = connection_daemon(connection);
	const char *name = string_member(request, "sink");
	struct json_object *answer, *list;
	const struct sink *sink;

	sink = sinks_find(daemon->sinks, name);
	if (name && !sink)
		return answer_refusal(ENODEV, "no sink '%.64s'", name);
	answer = answer_accept();
	list = json_object_new_array();
	json_object_object_add(answer, "daemon", describe_daemon(daemon));
	LIST_FOREACH(sink, sinks_list(daemon->sinks), entry)
		if (!name || !strcmp(sink->name, name))
			json_object_array_add(list, describe_sink(daemon, sink));
	json_object_object_add(answer, "sinks", list);
	return answer;
}

static struct worker *wanted_session(struct connection *connection, struct json_object *request,
				      struct json_object **refusal)
{
	struct daemon *daemon = connection_daemon(connection);
	const char *name = string_member(request, "sink");
	struct worker *session = worker_find(daemon, name);

	if (session)
		return session;
	if (name)
		*refusal = answer_refusal(ENOENT, "rvtraced has no session on '%.64s'", name);
	else if (LIST_EMPTY(&daemon->workers))
		*refusal = answer_refusal(ENOENT, "rvtraced has no session");
	else
		*refusal = answer_refusal(EINVAL, "there are several sessions: name a sink");
	return NULL;
}

/* As above, if the client may decide what becomes of it. */
static struct worker *own_session(struct connection *connection, struct json_object *request,
				   struct json_object **refusal)
{
	struct worker *session = wanted_session(connection, request, refusal);
	uid_t uid = connection_peer(connection)->uid;

	if (!session || !uid || uid == worker_uid(session))
		return session;
	*refusal = answer_refusal(EPERM, "%s: the session is of user %u: needs root or that user",
				  worker_sink(session), worker_uid(session));
	return NULL;
}

/* Those of a user that are not over, or whose process is not; root may have any number. */
static struct json_object *too_many_sessions(struct connection *connection)
{
	const struct daemon *daemon = connection_daemon(connection);
	uid_t uid = connection_peer(connection)->uid;
	const struct worker *session;
	int count = 0;

	for (session = LIST_FIRST(&daemon->workers); session; session = worker_next(session))
		count += members_same(worker_uid(session), uid) &&
			 worker_state(session) != SESSION_FINISHED;
	for (session = LIST_FIRST(&daemon->dying); session; session = worker_next(session))
		count += members_same(worker_uid(session), uid);
	if (!uid || count < daemon->config.sessions)
		return NULL;
	if (members_count_alone(uid))
		return answer_refusal(EUSERS, "user %u has %d sessions already (see rvtraced.conf)",
				      uid, count);
	return answer_refusal(EUSERS, "users that group '%s' does not name have %d sessions already (see rvtraced.conf)",
			      daemon->config.group, count);
}

/* @release: it starts at once, and gives the sink back when it ends */
static struct json_object *open_session(struct connection *connection,
					struct json_object *request, bool release)
{
	struct json_object *refusal = too_many_sessions(connection);
	struct rvtrace_failure error;
	struct worker *session;

	if (refusal)
		return refusal;
	session = request_open(connection, request, release, &error);
	if (!session)
		return answer_refusal(error.code, "%s", error.text);
	connection_wait(connection, session, WAIT_READY);
	return NULL;
}

static struct json_object *do_open(struct connection *connection, struct json_object *request)
{
	return open_session(connection, request, false);
}

static struct json_object *do_start(struct connection *connection, struct json_object *request)
{
	struct daemon *daemon = connection_daemon(connection);
	struct worker *session = worker_find(daemon, string_member(request, "sink"));
	struct json_object *refusal = NULL;

	if (!session || worker_state(session) != SESSION_OPEN)
		return open_session(connection, request, true);
	if (!own_session(connection, request, &refusal))
		return refusal;
	if (!worker_may_start(session))
		return answer_refusal(EBUSY, "%s: the session is being started or ended",
				      worker_sink(session));
	if (json_object_object_length(request) > 2)
		return answer_refusal(EINVAL, "%s is open already: settings belong to 'open'",
				      worker_sink(session));
	worker_start(session);
	connection_wait(connection, session, WAIT_READY);
	return NULL;
}

/* A client whose daemon died comes back to its session. */
static struct json_object *do_attach(struct connection *connection, struct json_object *request)
{
	struct json_object *refusal = NULL;
	struct worker *session = own_session(connection, request, &refusal);

	if (!session)
		return refusal;
	if (!worker_attachable(session))
		return answer_refusal(EBUSY, "%s: the session does not wait for its client",
				      worker_sink(session));
	worker_attach(session, connection);
	if (worker_state(session) != SESSION_PREPARING)
		return answer_session(session);
	connection_wait(connection, session, WAIT_READY);
	return NULL;
}

/* stop, close */
static struct json_object *end_session(struct connection *connection,
				       struct json_object *request, bool close)
{
	struct json_object *answer = NULL;
	struct worker *session = own_session(connection, request, &answer);

	if (!session)
		return answer;
	if (worker_state(session) == SESSION_FINISHED) {
		answer = answer_session(session);
		if (close || worker_releases(session))
			worker_discard(session);
		return answer;
	}
	connection_wait(connection, session, close || worker_releases(session) ?
			WAIT_CLOSED : WAIT_FINISHED);
	worker_stop(session);
	return NULL;
}

static struct json_object *do_stop(struct connection *connection, struct json_object *request)
{
	return end_session(connection, request, false);
}

static struct json_object *do_close(struct connection *connection, struct json_object *request)
{
	return end_session(connection, request, true);
}

static struct json_object *do_flush(struct connection *connection, struct json_object *request)
{
	struct json_object *refusal = NULL;
	struct worker *session = own_session(connection, request, &refusal);

	if (!session)
		return refusal;
	if (worker_state(session) != SESSION_RUNNING)
		return answer_refusal(EINVAL, "%s: not tracing", worker_sink(session));
	if (!worker_listens(session))
		return answer_refusal(EAGAIN, "%s: the process that records does not answer",
				      worker_sink(session));
	worker_flush(session);
	connection_wait(connection, session, WAIT_FLUSHED);
	return NULL;
}

/* Members of requests; every request has `request`. */
enum member_use {
	USE_SINK = 1,
	USE_OPEN = 2,
};

static const struct {
	const char *name;
	enum json_type type;
	enum member_use use;
} members[] = {
	{ "sink", json_type_string, USE_SINK },
	{ "directory", json_type_string, USE_OPEN },
	{ "command", json_type_array, USE_OPEN },
	{ "mode", json_type_string, USE_OPEN },
	{ "buffer_size", json_type_int, USE_OPEN },
	{ "watermark", json_type_int, USE_OPEN },
	{ "max_size", json_type_int, USE_OPEN },
	{ "encoders", json_type_array, USE_OPEN },
	{ "attributes", json_type_object, USE_OPEN },
	{ "pid", json_type_int, USE_OPEN },
	{ "save_images", json_type_boolean, USE_OPEN },
	{ "sideband", json_type_boolean, USE_OPEN },
	{ "detached", json_type_boolean, USE_OPEN },
};

static const struct {
	const char *name;
	struct json_object *(*handle)(struct connection *connection, struct json_object *request);
	unsigned int uses;
} verbs[] = {
	{ "list", do_status, 0 },
	{ "status", do_status, USE_SINK },
	{ "open", do_open, USE_SINK | USE_OPEN },
	{ "start", do_start, USE_SINK | USE_OPEN },
	{ "attach", do_attach, USE_SINK },
	{ "stop", do_stop, USE_SINK },
	{ "flush", do_flush, USE_SINK },
	{ "close", do_close, USE_SINK },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct json_object *check_member(const char *verb, unsigned int uses, const char *name,
					struct json_object *value)
{
	size_t i;

	for (i = 0; i < COUNT(members); i++) {
		if (strcmp(members[i].name, name))
			continue;
		if (!(members[i].use & uses))
			return answer_refusal(EINVAL, "'%s' does not take '%s'", verb, name);
		if (!json_object_is_type(value, members[i].type))
			return answer_refusal(EINVAL, "'%s' must be of type %s", name,
					      json_type_to_name(members[i].type));
		if (members[i].type == json_type_int && json_object_get_int64(value) < 0)
			return answer_refusal(EINVAL, "'%s' must not be negative", name);
		return NULL;
	}
	return answer_refusal(EINVAL, "unknown member '%.64s'", name);
}

static struct json_object *dispatch(struct connection *connection, struct json_object *request)
{
	struct json_object *refusal;
	struct json_object *verb;
	const char *name;
	size_t i;

	if (!json_object_is_type(request, json_type_object))
		return answer_refusal(EINVAL, "a request is a JSON object on one line");
	if (!json_object_object_get_ex(request, "request", &verb) ||
	    !json_object_is_type(verb, json_type_string))
		return answer_refusal(EINVAL, "a request needs 'request', a string");
	name = json_object_get_string(verb);
	for (i = 0; i < COUNT(verbs) && strcmp(verbs[i].name, name); i++)
		;
	if (i == COUNT(verbs))
		return answer_refusal(EINVAL, "unknown request '%.64s'", name);
	json_object_object_foreach(request, key, value) {
		refusal = strcmp(key, "request") ? check_member(name, verbs[i].uses, key, value) :
						   NULL;
		if (refusal)
			return refusal;
	}
	return verbs[i].handle(connection, request);
}

struct json_object *request_handle(struct connection *connection, const char *line, size_t length)
{
	struct json_object *request, *answer;
	enum json_tokener_error result;
	struct json_tokener *tokener;
	size_t end;

	if (!seal_is_plausible(line, length))
		return answer_refusal(EINVAL, "the request has too many objects and arrays");
	tokener = json_tokener_new();
	if (!tokener)
		return answer_refusal(ENOMEM, "out of memory");
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT |
			       JSON_TOKENER_VALIDATE_UTF8);
	/* With the NUL behind it, so that the end of the line is the end. */
	request = json_tokener_parse_ex(tokener, line, length + 1);
	result = json_tokener_get_error(tokener);
	end = json_tokener_get_parse_end(tokener);
	if (result != json_tokener_success || end != length)
		answer = answer_refusal(EINVAL, "the request is not JSON: offset %zu: %s", end,
					result != json_tokener_success ?
						json_tokener_error_desc(result) :
						"more follows");
	else
		answer = dispatch(connection, request);
	json_object_put(request);
	json_tokener_free(tokener);
	return answer;
}
