// SPDX-License-Identifier: GPL-2.0
/* The process of one session. */
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <json-c/json.h>

#include "child.h"
#include "confine.h"
#include "log.h"
#include "privileged.h"
#include "process.h"
#include "session.h"
#include "session_directory.h"
#include "tools/lib/base/owner.h"
#include "tools/lib/base/pass.h"
#include "tools/lib/recording/seal.h"

#define BEATS		4	/* in the time after which a process has failed */
#define BEAT_MAX	5	/* seconds */
#define FILES_MAX	64	/* besides events of processors */

/* File descriptors, all others are closed */
enum {
	FD_CHANNEL = CHILD_FILES,
	FD_PRIVILEGED,
	FD_ALIVE,	/* for as long as any process is there that this one begins */
	FD_DIRECTORY,	/* a socket through which it comes */
};

/**
 * struct process - this process
 * @daemon: what the parts of a session share with those of the daemon; no sinks, no clients
 * @host: this process, as its session sees it
 * @session: the one session; NULL: none yet
 * @channel: orders and reports
 * @beat: while the session is to end
 */
struct process {
	struct daemon daemon;
	struct session_host host;
	struct session *session;
	struct bufferevent *channel;
	struct event *beat;
};

static void report(struct process *process, const char *event, struct json_object *object)
{
	struct json_object *session;

	json_object_object_add(object, "event", json_object_new_string(event));
	if (process->session) {
		session = json_object_new_object();
		session_describe(process->session, session);
		json_object_object_add(object, "state",
				       json_object_new_int(session_state(process->session)));
		json_object_object_add(object, "session", session);
	}
	evbuffer_add_printf(bufferevent_get_output(process->channel), "%s\n",
			    json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
	json_object_put(object);
}

static void report_result(struct process *process, const char *event,
			  const struct rvtrace_failure *error)
{
	struct json_object *object = json_object_new_object();

	if (error) {
		json_object_object_add(object, "errno", json_object_new_int(error->code));
		json_object_object_add(object, "error", json_object_new_string(error->text));
	}
	report(process, event, object);
}

static void ready(void *user, const struct rvtrace_failure *error)
{
	report_result(user, "ready", error);
}

static void changed(void *user)
{
	report_result(user, "changed", NULL);
}

/* It may finish before it is known here, and is told of with its numbers. */
static void finished(void *user, struct session *session)
{
	struct process *process = user;

	process->session = session;
	report_result(process, "finished", NULL);
}

static void keep(void *user, struct json_object *state)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "kept", json_object_get(state));
	report(user, "keep", object);
}

/*
 * Each processor has a ring of the side band, of locked memory, which is not the owner's to pay for.
 * There is room for all of them twice, and for no more.
 */
static void limit_rings(void)
{
	uint64_t cpus = sysconf(_SC_NPROCESSORS_CONF), page = sysconf(_SC_PAGESIZE);

	child_limit(RLIMIT_MEMLOCK, 2 * cpus * (PRIVILEGED_RING_PAGES + 1) * page);
	child_limit(RLIMIT_NOFILE, FILES_MAX + 2 * cpus);
}

static int become(void *user, uid_t uid, gid_t gid, const gid_t *groups, int group_count,
		  struct rvtrace_failure *error)
{
	struct process *process = user;
	int ret;

	limit_rings();
	/* Root records anywhere. */
	ret = rvtrace_owner_become(uid, gid, groups, group_count,
				   uid ? 0 : 1ULL << CAP_DAC_OVERRIDE);
	if (ret)
		return rvtrace_fail(error, -ret, 0, "user %u: %s", uid, strerror(-ret));
	privileged_ask_through(FD_PRIVILEGED);
	/* What the owner writes into the recording meanwhile is read, should this process do so. */
	child_limit_memory();
	/* Changing users took it away. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != process->daemon.pid)
		exit(1);
	return 0;
}

/* From here on it passes no file on, which the daemon might have to close. */
static int close_off(void *user, struct rvtrace_failure *error)
{
	int ret = confine(CONFINE_RECORDER);

	(void)user;
	return ret ? rvtrace_fail(error, -ret, 0, "system calls: %s", strerror(-ret)) : 0;
}

static void beat(evutil_socket_t fd, short what, void *user)
{
	struct process *process = user;

	(void)fd;
	(void)what;
	process->host.numbers->beats++;
}

static void start_beat(struct process *process)
{
	uint64_t silent = process->daemon.config.silent_time;
	const struct timeval interval = {
		.tv_sec = silent >= BEATS * BEAT_MAX ? BEAT_MAX : silent / BEATS,
		.tv_usec = silent >= BEATS * BEAT_MAX ? 0 : silent % BEATS * (1000000 / BEATS),
	};

	if (!silent)
		return;
	process->beat = event_new(process->daemon.base, -1, EV_PERSIST, beat, process);
	if (process->beat)
		event_add(process->beat, &interval);
}

static void handle(struct process *process, const char *verb)
{
	struct rvtrace_failure error = { 0 };
	struct session *session = process->session;

	if (!session)
		return;
	/* Whoever waits for what is no longer possible learns that the session has ended. */
	if (!strcmp(verb, "start")) {
		if (session_state(session) == SESSION_OPEN)
			session_start(session);
		return;
	}
	if (!strcmp(verb, "flush")) {
		if (session_state(session) != SESSION_RUNNING)
			return;
		report_result(process, "flushed", session_flush(session, &error) ? &error : NULL);
		return;
	}
	if (!process->beat)
		start_beat(process);
	if (!strcmp(verb, "over"))
		session_over(session);
	else
		session_stop(session);
}

static void asked(struct bufferevent *channel, void *user)
{
	struct process *process = user;
	struct json_object *request, *verb;
	char *line;

	while ((line = evbuffer_readln(bufferevent_get_input(channel), NULL, EVBUFFER_EOL_LF))) {
		request = seal_parse(line, strlen(line));
		free(line);
		if (json_object_object_get_ex(request, "do", &verb))
			handle(process, json_object_get_string(verb));
		json_object_put(request);
	}
}

/* Whatever the daemon closes the channel for, it wants nothing more. */
static void closed(struct bufferevent *channel, short what, void *user)
{
	struct process *process = user;

	(void)channel;
	(void)what;
	event_base_loopbreak(process->daemon.base);
}

/* Those of the daemon are not for a process that becomes a user. */
static int keep_files(const struct process_start *start)
{
	const int files[] = {
		start->ends.channel, start->ends.privileged, start->ends.alive,
		start->settings ? start->settings->directory : -1,
	};
	int ret = child_keep_files(files, sizeof(files) / sizeof(files[0]));

	return ret ? ret : fcntl(FD_ALIVE, F_SETFD, 0);
}

/* It is the client's: nobody else waits for its file system. */
static int receive_directory(struct rvtrace_failure *error)
{
	ssize_t got;
	char byte;
	int fd;

	got = pass_receive(FD_DIRECTORY, &byte, sizeof(byte), &fd);
	close(FD_DIRECTORY);
	if (got > 0 && fd >= 0)
		return fd;
	return rvtrace_fail(error, ECANCELED, 0, "the directory was not received: the client has exited");
}

static struct session *open_session(struct process *process, const struct process_start *start,
				    struct rvtrace_failure *error)
{
	struct session_settings settings = *start->settings;
	struct session_directory directory;
	struct session *session = NULL;

	if (settings.directory >= 0) {
		settings.directory = receive_directory(error);
		if (settings.directory < 0)
			return NULL;
	}
	if (session_directory_open(&process->daemon, &settings, &directory, error))
		return NULL;
	session = session_open(&process->host, &settings, error);
	session_directory_close(&directory, session != NULL);
	return session;
}

static void begin(struct process *process, const struct process_start *start)
{
	struct rvtrace_failure error = { 0 };
	struct json_object *object;
	bool goes_on = false;

	if (start->settings) {
		process->session = open_session(process, start, &error);
		if (process->session)
			report_result(process, "opened", NULL);
		else
			ready(process, &error);
		return;
	}
	process->session = session_resume(&process->host, start->sink, start->device, start->state,
					  &goes_on, &error);
	if (!process->session)
		log_message(LOG_ERR, "%s: its session cannot go on: %s", start->sink, error.text);
	object = json_object_new_object();
	json_object_object_add(object, "goes_on", json_object_new_boolean(goes_on));
	report(process, "resumed", object);
}

void process_run(const struct process_start *start)
{
	struct process process = {
		.daemon = {
			.config = start->daemon->config,
			.pid = start->daemon->pid,
		},
		.host = {
			.daemon = &process.daemon,
			.numbers = start->numbers,
			.become = become,
			.confine = close_off,
			.ready = ready,
			.changed = changed,
			.finished = finished,
			.keep = keep,
			.user = &process,
		},
	};

	log_reopen();
	child_take_signals();
	prctl(PR_SET_NAME, "rvtraced-record");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (keep_files(start) || getppid() != start->daemon->pid)
		exit(1);
	daemon_set_priority(&process.daemon.config);
	process.daemon.base = event_base_new();
	evutil_make_socket_nonblocking(FD_CHANNEL);
	if (process.daemon.base)
		process.channel = bufferevent_socket_new(process.daemon.base, FD_CHANNEL, 0);
	if (!process.channel)
		exit(1);
	bufferevent_setcb(process.channel, asked, NULL, closed, &process);
	bufferevent_enable(process.channel, EV_READ | EV_WRITE);
	begin(&process, start);
	event_base_dispatch(process.daemon.base);
	session_free(process.session);
	if (process.beat)
		event_free(process.beat);
	bufferevent_free(process.channel);
	event_base_free(process.daemon.base);
	exit(0);
}
