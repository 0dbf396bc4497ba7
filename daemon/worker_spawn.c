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
#include "privileged.h"
#include "process.h"
#include "tools/lib/recording/seal.h"
#include "udev.h"
#include "worker_internal.h"

#define REPORT_MAX	(4 * 1024 * 1024)
#define UNREAD_MAX	4096		/* bytes of requests that a process has not read */

void worker_close_channel(struct worker *worker)
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

/* Both come in any order. */
static void check_death(struct worker *worker)
{
	if (!worker->pid && !worker->channel)
		worker->died(worker);
}

static void end_channel(struct worker *worker)
{
	worker_close_channel(worker);
	worker_kill(worker);
	check_death(worker);
}

static void readable(struct bufferevent *channel, void *user)
{
	struct evbuffer *input = bufferevent_get_input(channel);
	struct worker *worker = user;
	struct json_object *report;
	size_t length;
	char *line;

	while ((line = evbuffer_readln(input, &length, EVBUFFER_EOL_LF))) {
		report = seal_parse(line, length);
		free(line);
		worker->report(worker, report);
		json_object_put(report);
	}
	if (evbuffer_get_length(input) > REPORT_MAX)
		end_channel(worker);
}

static void channel_closed(struct bufferevent *channel, short what, void *user)
{
	/* What it told before it died is still to be read. */
	if (what & BEV_EVENT_WRITING)
		bufferevent_disable(channel, EV_WRITE);
	else
		end_channel(user);
}

static void serve(evutil_socket_t fd, short what, void *user)
{
	struct worker *worker = user;

	(void)what;
	/* The end of the process is seen at its channel. */
	if (privileged_serve(fd, worker->sink, worker->side_band))
		event_del(worker->privileged);
}

void worker_reap(struct daemon *daemon)
{
	struct worker *worker, *next;

	for (worker = LIST_FIRST(&daemon->workers); worker; worker = next) {
		next = LIST_NEXT(worker, entry);
		if (!worker->pid || waitpid(worker->pid, NULL, WNOHANG) != worker->pid)
			continue;
		worker->pid = 0;
		check_death(worker);
	}
	for (worker = LIST_FIRST(&daemon->dying); worker; worker = next) {
		next = LIST_NEXT(worker, entry);
		if (waitpid(worker->pid, NULL, WNOHANG) != worker->pid)
			continue;
		LIST_REMOVE(worker, entry);
		free(worker);
	}
}

/* The ends of the daemon; those of the process are closed. */
static int listen_to(struct worker *worker, int channel, int privileged)
{
	struct event_base *base = worker->daemon->base;

	evutil_make_socket_nonblocking(channel);
	worker->channel = bufferevent_socket_new(base, channel, BEV_OPT_CLOSE_ON_FREE);
	if (!worker->channel)
		close(channel);
	evutil_make_socket_nonblocking(privileged);
	worker->privileged = event_new(base, privileged, EV_READ | EV_PERSIST, serve, worker);
	if (!worker->privileged)
		close(privileged);
	if (!worker->channel || !worker->privileged || event_add(worker->privileged, NULL))
		return -ENOMEM;
	bufferevent_setcb(worker->channel, readable, NULL, channel_closed, worker);
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

int worker_spawn(struct worker *worker, const struct session_settings *settings,
		 struct rvtrace_failure *error)
{
	const struct sink *sink = sinks_find(worker->daemon->sinks, worker->sink);
	int channel[2], privileged[2], ret = 0;
	struct process_start start = {
		.daemon = worker->daemon,
		.settings = settings,
		.sink = worker->sink,
		.device = sink ? sink->device : NULL,
		.state = settings ? NULL : worker->kept,
		.numbers = worker->numbers,
	};

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel))
		return rvtrace_fail(error, errno, 0, "%s: %s", worker->sink, strerror(errno));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, privileged)) {
		ret = errno;
		close(channel[0]);
		close(channel[1]);
		return rvtrace_fail(error, ret, 0, "%s: %s", worker->sink, strerror(ret));
	}
	start.channel = channel[1];
	start.privileged = privileged[1];
	worker->spawned = worker_now();
	worker->pid = fork_process(&start);
	if (worker->pid < 0) {
		ret = -errno;
		worker->pid = 0;
	}
	close(channel[1]);
	close(privileged[1]);
	if (!ret) {
		ret = listen_to(worker, channel[0], privileged[0]);
	} else {
		close(channel[0]);
		close(privileged[0]);
	}
	return ret ? rvtrace_fail(error, -ret, 0, "%s: the process that records: %s", worker->sink,
				  strerror(-ret)) : 0;
}
