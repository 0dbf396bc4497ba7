// SPDX-License-Identifier: GPL-2.0
/* What the process of a session tells, and what follows from its silence and its death. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "state.h"
#include "sysfs.h"
#include "worker_internal.h"

/* A member of a report */
struct member {
	const char *name;
	enum json_type type;
};

#define STOPPING_SECONDS	15	/* of silence, while the daemon is to end */
#define STOPPING_PATIENT	3	/* then so often it may say that it goes on */
#define PATIENT			10	/* and otherwise */
#define MEMBERS_MAX		1000	/* of an array */
#define SOON_SECONDS		10
#define DEATHS_MAX		5	/* processes in a row that died so soon */

void worker_stop_hardware(const char *sink, struct json_object *state)
{
	char value[64] = "", tracing[64] = "";
	int ret;

	sysfs_read(SYSFS_SINKS, sink, "session", value, sizeof(value));
	sysfs_read(SYSFS_SINKS, sink, "tracing", tracing, sizeof(tracing));
	if (!strcmp(tracing, "0") ||
	    (state &&
	     strtoull(value, NULL, 10) != json_object_get_uint64(worker_member(state, "session"))))
		return;
	ret = sysfs_write(SYSFS_SINKS, sink, "tracing", "0");
	if (ret)
		log_message(LOG_ERR, "%s: stopping: %s (see the kernel log)", sink, strerror(-ret));
}

static void answer(struct worker *worker, enum worker_wait wait,
		   const struct rvtrace_failure *error)
{
	const struct worker_clients *clients = worker->daemon->clients;

	if (clients)
		clients->answer(worker->daemon, worker, wait, error);
}

/* Whatever it still tells or asks for is ignored: the sink may be another session's from now on. */
static void set_finished(struct worker *worker)
{
	worker->state = SESSION_FINISHED;
	if (worker->privileged)
		event_del(worker->privileged);
	state_forget(worker->daemon, worker->sink);
	worker_free_event(&worker->patience);
	worker_free_event(&worker->limit);
	if (worker->keeper)
		event_del(worker->keeper);
	if (worker->daemon->clients)
		worker->daemon->clients->finished(worker->daemon, worker);
	/* From the loop, so that whoever finished the session may still look at it. */
	if (worker->discard)
		event_active(worker->reaper, EV_TIMEOUT, 0);
}

/* That of this session, or what it was about to begin with */
static void stop_own_hardware(struct worker *worker)
{
	if (worker_has_session(worker))
		worker_stop_hardware(worker->sink, worker->kept);
	else if (worker->told)	/* else it has not opened the sink */
		worker_stop_hardware(worker->sink, NULL);
}

/* The recording stays as it is. */
static void give_up(struct worker *worker, const char *why)
{
	bool refused = worker->state == SESSION_PREPARING && !worker_has_session(worker);
	struct json_object *errors = worker_member(worker->told, "errors");
	struct rvtrace_failure error;

	rvtrace_fail(&error, EIO, 0, "%s; 'tracectl recover' repairs what was recorded", why);
	log_message(LOG_ERR, "%s: %s", worker->sink, error.text);
	if (errors)
		json_object_array_add(errors, json_object_new_string(error.text));
	worker_kill(worker);
	stop_own_hardware(worker);
	answer(worker, WAIT_READY, &error);
	/* Whoever asked for it knows now that there is none. */
	if (refused)
		worker_discard(worker);
	set_finished(worker);
}

/* Another process is tried once: it was the process that failed, or it will wait for the same. */
static void out_of_patience(evutil_socket_t fd, short what, void *user)
{
	struct worker *worker = user;

	(void)fd;
	(void)what;
	/* It has something to write still, or says so: that may be all that it does. */
	if (worker->beats != worker->numbers->beats) {
		worker->beats = worker->numbers->beats;
		if (worker->patient++ < (worker->daemon->stopping ? STOPPING_PATIENT : PATIENT))
			return;
	} else if (worker->pid && !worker->killed) {
		worker->killed = true;
		worker_kill(worker);
		return;
	}
	worker_close_ends(worker);
	give_up(worker, "the process that records does not answer");
}

void worker_watch_patience(struct worker *worker)
{
	struct timeval interval = { .tv_sec = worker->daemon->config.silent_time };
	bool hurry = worker->daemon->stopping;

	if (!interval.tv_sec || (worker->patience && (!hurry || worker->hurried)))
		return;
	worker->hurried = hurry;
	if (hurry && interval.tv_sec > STOPPING_SECONDS)
		interval.tv_sec = STOPPING_SECONDS;
	if (!worker->patience)
		worker->patience = event_new(worker->daemon->base, -1, EV_PERSIST, out_of_patience,
					     worker);
	worker->beats = worker->numbers->beats;
	worker->patient = 0;
	if (worker->patience)
		event_add(worker->patience, &interval);
}

/* What failed, if anything did */
static bool find_error(struct json_object *report, struct rvtrace_failure *error)
{
	const char *text = json_object_get_string(worker_member(report, "error"));
	int code = json_object_get_int(worker_member(report, "errno"));

	if (!code)
		return false;
	rvtrace_fail(error, code, 0, "%s", text ? text : strerror(code));
	return true;
}

static void told_ready(struct worker *worker, struct json_object *report)
{
	struct rvtrace_failure error;
	bool failed = find_error(report, &error);

	worker->starting = false;
	answer(worker, WAIT_READY, failed ? &error : NULL);
	if (!failed)
		return;
	worker_discard(worker);
	/* Else it tells that it has finished what it began. */
	if (!worker_member(report, "session")) {
		stop_own_hardware(worker);
		worker->final = true;
		set_finished(worker);
	}
}

static void told_flushed(struct worker *worker, struct json_object *report)
{
	struct rvtrace_failure error;

	answer(worker, WAIT_FLUSHED, find_error(report, &error) ? &error : NULL);
}

/* Its answer to `attach` waits for this. */
static void told_resumed(struct worker *worker, struct json_object *report)
{
	if (json_object_get_boolean(worker_member(report, "goes_on"))) {
		answer(worker, WAIT_READY, NULL);
		if (worker->stopping)
			worker_ask(worker, worker->over ? "over" : "stop");
		else
			worker_free_event(&worker->patience);
		return;
	}
	worker_stop_hardware(worker->sink, worker->kept);
	worker_discard(worker);
	if (!worker_member(report, "session"))
		set_finished(worker);
}

/* One of an object's members, if it is of that type; arrays are of strings, the first ones. */
static struct json_object *typed_member(struct json_object *object, const char *name,
					enum json_type type)
{
	struct json_object *value = worker_member(object, name);
	size_t i, count;

	if (!json_object_is_type(value, type))
		return NULL;
	count = type == json_type_array ? json_object_array_length(value) : 0;
	if (count > MEMBERS_MAX)
		json_object_array_del_idx(value, MEMBERS_MAX, count - MEMBERS_MAX);
	for (i = 0; type == json_type_array && i < json_object_array_length(value); i++)
		if (!json_object_is_type(json_object_array_get_idx(value, i), json_type_string))
			return NULL;
	return value;
}

static void take_members(struct json_object *to, struct json_object *from,
			 const struct member *members, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct json_object *value = typed_member(from, members[i].name, members[i].type);

		if (value)
			json_object_object_add(to, members[i].name, json_object_get(value));
	}
}

/* Where it records, which is opened with the rights of its owner, and which session of the sink. */
static void told_keep(struct worker *worker, struct json_object *report)
{
	static const struct member members[] = {
		{ "directory", json_type_string },
		{ "device", json_type_int },
		{ "inode", json_type_int },
		{ "encoders", json_type_array },
		{ "task_addresses", json_type_boolean },
		{ "session", json_type_int },
	};

	take_members(worker->kept, worker_member(report, "kept"), members,
		     sizeof(members) / sizeof(members[0]));
	json_object_object_del(worker->kept, "resuming");
	worker_keep(worker);
}

/* What others are told of the session */
static void told_session(struct worker *worker, struct json_object *report)
{
	static const struct member members[] = {
		{ "directory", json_type_string },
		{ "bytes", json_type_int },
		{ "lost", json_type_int },
		{ "segments", json_type_int },
		{ "records", json_type_int },
		{ "records_lost", json_type_int },
		{ "sideband_lost", json_type_int },
		{ "seconds", json_type_double },
		{ "text_changes", json_type_int },
		{ "errors", json_type_array },
		{ "warnings", json_type_array },
	};
	struct json_object *session = typed_member(report, "session", json_type_object);
	struct json_object *number = typed_member(report, "state", json_type_int);
	int64_t state = json_object_get_int64(number);

	if (!session)
		return;
	json_object_put(worker->told);
	worker->told = json_object_new_object();
	take_members(worker->told, session, members, sizeof(members) / sizeof(members[0]));
	if (number && state >= SESSION_PREPARING && state <= SESSION_CLOSING)
		worker->state = state;
}

/* Also when it could not go on with the session of the one before, which is told of after that. */
static void told_finished(struct worker *worker)
{
	if (worker_member(worker->kept, "resuming")) {
		stop_own_hardware(worker);
		worker_discard(worker);
	}
	worker->final = true;
	set_finished(worker);
}

void worker_told(struct worker *worker, struct json_object *report)
{
	const char *event = json_object_get_string(typed_member(report, "event",
								json_type_string));

	if (!event || worker->state == SESSION_FINISHED)
		return;
	told_session(worker, report);
	if (!strcmp(event, "ready"))
		told_ready(worker, report);
	else if (!strcmp(event, "flushed"))
		told_flushed(worker, report);
	else if (!strcmp(event, "resumed"))
		told_resumed(worker, report);
	else if (!strcmp(event, "keep"))
		told_keep(worker, report);
	else if (!strcmp(event, "finished"))
		told_finished(worker);
}

/* What made a process die when it tried may do so again. */
bool worker_may_resume(struct worker *worker)
{
	struct json_object *state = worker->kept;

	if (json_object_get_boolean(worker_member(state, "resuming"))) {
		log_message(LOG_ERR,
			    "%s: its session cannot go on: the process that tried it died; 'tracectl recover' repairs %s",
			    worker->sink, json_object_get_string(worker_member(state, "directory")));
		return false;
	}
	json_object_object_add(state, "resuming", json_object_new_boolean(true));
	json_object_object_add(state, "resumed", json_object_new_int(
		json_object_get_int(worker_member(state, "resumed")) + 1));
	/* At once, however often something was kept just now */
	worker->keeps = 0;
	worker_keep(worker);
	return true;
}

int worker_go_on(struct worker *worker, const char *why, struct rvtrace_failure *error)
{
	json_object_object_add(worker->kept, "why", json_object_new_string(why));
	worker->state = SESSION_PREPARING;
	worker_watch_patience(worker);
	return worker_spawn(worker, NULL, error);
}

/* Somebody, or something, ends each of them. */
static bool dies_again_and_again(struct worker *worker)
{
	worker->deaths = worker_now() - worker->spawned < SOON_SECONDS ? worker->deaths + 1 : 0;
	return worker->deaths > DEATHS_MAX;
}

void worker_died(struct worker *worker)
{
	struct rvtrace_failure error;

	if (worker->state == SESSION_FINISHED)
		return;
	worker->starting = false;
	rvtrace_fail(&error, EIO, 0, "%s: the process that records died", worker->sink);
	answer(worker, WAIT_FLUSHED, &error);
	log_message(LOG_WARNING, "%s", error.text);
	if (worker_has_session(worker) && !dies_again_and_again(worker) &&
	    worker_may_resume(worker) && !worker_go_on(worker, "the process that records died, and another one went on", &error))
		return;
	give_up(worker, "the process that records died");
}
