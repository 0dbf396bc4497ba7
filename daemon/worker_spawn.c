// SPDX-License-Identifier: GPL-2.0
/* The process of a session: it begins, is listened to, and has ended. */
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "members.h"
#include "privileged.h"
#include "process.h"
#include "tools/lib/recording/seal.h"
#include "udev.h"
#include "worker_internal.h"

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS	83	/* Linux 6.16 */
#endif

#define REMAINS_MAX	16		/* of a user, until less is looked at */
#define REPORT_MAX	(256 * 1024)
#define REST_MAX	(1024 * 1024)	/* of an ended process: more than a socket takes by default */
#define UNREAD_MAX	4096		/* bytes of orders that a process has not read */

void worker_close_ends(struct worker *worker)
{
	int privileged;

	if (worker->channel)
		bufferevent_free(worker->channel);
	worker->channel = NULL;
	if (!worker->privileged)
		return;
	privileged = event_get_fd(worker->privileged);
	worker_free_event(&worker->privileged);
	close(privileged);
}

void worker_kill(const struct worker *worker)
{
	if (worker->pid)
		kill(worker->pid, SIGKILL);
}

bool worker_listens(const struct worker *worker)
{
	return worker->channel &&
	       evbuffer_get_length(bufferevent_get_output(worker->channel)) < UNREAD_MAX;
}

void worker_ask(struct worker *worker, const char *verb)
{
	if (worker->channel)
		evbuffer_add_printf(bufferevent_get_output(worker->channel), "{\"do\":\"%s\"}\n",
				    verb);
}

static void take_reports(struct worker *worker)
{
	struct evbuffer *input = bufferevent_get_input(worker->channel);
	struct json_object *report;
	size_t length;
	char *line;

	while ((line = evbuffer_readln(input, &length, EVBUFFER_EOL_LF))) {
		report = seal_parse(line, length);
		free(line);
		worker->report(worker, report);
		json_object_put(report);
	}
}

/* Its death follows, if that was not its reason. */
static void end_reports(struct worker *worker)
{
	worker_close_ends(worker);
	worker_kill(worker);
}

static void readable(struct bufferevent *channel, void *user)
{
	take_reports(user);
	if (evbuffer_get_length(bufferevent_get_input(channel)) > REPORT_MAX)
		end_reports(user);
}

static void channel_over(struct bufferevent *channel, short what, void *user)
{
	/* What it told before it died is still to be read. */
	if (what & BEV_EVENT_WRITING)
		bufferevent_disable(channel, EV_WRITE);
	else
		end_reports(user);
}

static void serve(evutil_socket_t fd, short what, void *user)
{
	struct worker *worker = user;

	(void)what;
	/* The end of the process is seen otherwise. */
	if (privileged_serve(fd, worker->sink, worker->side_band))
		event_del(worker->privileged);
}

/* Somebody else may have the other end: all that the process wrote is in there. */
static void read_rest(struct worker *worker)
{
	struct evbuffer *input;
	int got = 1;

	if (!worker->channel)
		return;
	input = bufferevent_get_input(worker->channel);
	evbuffer_unfreeze(input, 0);
	for (size_t size = 0; got > 0 && size < REST_MAX; size += got)
		got = evbuffer_read(input, bufferevent_getfd(worker->channel), -1);
	take_reports(worker);
	worker_close_ends(worker);
}

void worker_reap(struct daemon *daemon)
{
	struct worker *worker, *next;

	for (worker = LIST_FIRST(&daemon->workers); worker; worker = next) {
		next = LIST_NEXT(worker, entry);
		if (!worker->pid || waitpid(worker->pid, NULL, WNOHANG) != worker->pid)
			continue;
		worker->pid = 0;
		read_rest(worker);
		worker->died(worker);
	}
	for (worker = LIST_FIRST(&daemon->dying); worker; worker = next) {
		next = LIST_NEXT(worker, entry);
		if (waitpid(worker->pid, NULL, WNOHANG) != worker->pid)
			continue;
		LIST_REMOVE(worker, entry);
		free(worker);
	}
}

static void close_ends(const struct process_ends *ends)
{
	const int all[] = { ends->channel, ends->privileged, ends->alive };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i] >= 0)
			close(all[i]);
}

static int make_pair(int type, int *daemon, int *process)
{
	const int none = 0;
	int ends[2];

	if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends))
		return -1;
	*daemon = ends[0];
	*process = ends[1];
	/* The process cannot send files; where the kernel knows this, it takes none either. */
	setsockopt(*daemon, SOL_SOCKET, SO_PASSRIGHTS, &none, sizeof(none));
	return 0;
}

static int make_ends(struct process_ends *daemon, struct process_ends *process)
{
	int ret;

	*daemon = (struct process_ends) { -1, -1, -1 };
	*process = *daemon;
	if (!make_pair(SOCK_STREAM, &daemon->channel, &process->channel) &&
	    !make_pair(SOCK_SEQPACKET, &daemon->privileged, &process->privileged) &&
	    !make_pair(SOCK_STREAM, &daemon->alive, &process->alive))
		return 0;
	ret = -errno;
	close_ends(daemon);
	close_ends(process);
	return ret;
}

/* Takes the ends of the daemon. */
static int listen_to(struct worker *worker, const struct process_ends *ends)
{
	struct event_base *base = worker->daemon->base;

	if (remains_watch(&worker->daemon->remains, worker->uid, ends->alive))
		close(ends->alive);
	evutil_make_socket_nonblocking(ends->channel);
	worker->channel = bufferevent_socket_new(base, ends->channel, BEV_OPT_CLOSE_ON_FREE);
	if (!worker->channel)
		close(ends->channel);
	evutil_make_socket_nonblocking(ends->privileged);
	worker->privileged = event_new(base, ends->privileged, EV_READ | EV_PERSIST, serve, worker);
	if (!worker->privileged)
		close(ends->privileged);
	if (!worker->channel || !worker->privileged || event_add(worker->privileged, NULL))
		return -ENOMEM;
	bufferevent_setcb(worker->channel, readable, NULL, channel_over, worker);
	bufferevent_enable(worker->channel, EV_READ | EV_WRITE);
	return 0;
}

/* Returns in the daemon only. */
static pid_t fork_process(const struct process_start *start)
{
	pid_t pid;

	madvise(start->numbers, sizeof(*start->numbers), MADV_DOFORK);
	pid = child_fork();
	if (!pid)
		process_run(start);
	madvise(start->numbers, sizeof(*start->numbers), MADV_DONTFORK);
	return pid;
}

/* Files of programs are on file systems of which too many did not answer: as images.h has it. */
static unsigned int find_crowded(const struct worker *worker)
{
	const struct worker *other;
	int running = 0, remain;

	LIST_FOREACH(other, &worker->daemon->workers, entry)
		running += other->pid && members_same(other->uid, worker->uid);
	remain = remains_count(&worker->daemon->remains, worker->uid) - running;
	return remain < REMAINS_MAX ? 0 : remain < 2 * REMAINS_MAX ? 1 : 2;
}

int worker_spawn(struct worker *worker, const struct session_settings *settings,
		 struct rvtrace_failure *error)
{
	unsigned int crowded = find_crowded(worker);
	struct session_settings wanted;
	const struct sink *sink = sinks_find(worker->daemon->sinks, worker->sink);
	struct process_ends ends;
	int ret;
	struct process_start start = {
		.daemon = worker->daemon,
		.settings = settings ? &wanted : NULL,
		.sink = worker->sink,
		.device = sink ? sink->device : NULL,
		.state = settings ? NULL : worker->kept,
		.numbers = worker->numbers,
	};

	if (settings)
		wanted = *settings;
	wanted.crowded = crowded;
	json_object_object_add(worker->kept, "crowded", json_object_new_int(crowded));
	ret = make_ends(&ends, &start.ends);
	if (ret)
		return rvtrace_fail(error, -ret, 0, "%s: %s", worker->sink, strerror(-ret));
	worker->spawned = worker_now();
	worker->pid = fork_process(&start);
	if (worker->pid < 0) {
		ret = -errno;
		worker->pid = 0;
	}
	close_ends(&start.ends);
	if (!ret)
		ret = listen_to(worker, &ends);
	else
		close_ends(&ends);
	return ret ? rvtrace_fail(error, -ret, 0, "%s: the process that records: %s", worker->sink,
				  strerror(-ret)) : 0;
}
