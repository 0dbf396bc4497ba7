// SPDX-License-Identifier: GPL-2.0
/* The process of a session: it begins, is listened to, and has ended. */
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <fcntl.h>
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

#define REPORT_MAX	(256 * 1024)
#define REST_MAX	(1024 * 1024)	/* of an ended process: more than a pipe takes by default */
#define UNREAD_MAX	4096		/* bytes of orders that a process has not read */

void worker_close_ends(struct worker *worker)
{
	int requests;

	if (worker->reports)
		bufferevent_free(worker->reports);
	if (worker->orders)
		bufferevent_free(worker->orders);
	worker->reports = NULL;
	worker->orders = NULL;
	if (!worker->requests)
		return;
	requests = event_get_fd(worker->requests);
	worker_free_event(&worker->requests);
	close(requests);
	close(worker->answers);
}

void worker_kill(const struct worker *worker)
{
	if (worker->pid)
		kill(worker->pid, SIGKILL);
}

bool worker_listens(const struct worker *worker)
{
	return worker->orders &&
	       evbuffer_get_length(bufferevent_get_output(worker->orders)) < UNREAD_MAX;
}

void worker_ask(struct worker *worker, const char *verb)
{
	if (worker->orders)
		evbuffer_add_printf(bufferevent_get_output(worker->orders), "{\"do\":\"%s\"}\n",
				    verb);
}

static void take_reports(struct worker *worker)
{
	struct evbuffer *input = bufferevent_get_input(worker->reports);
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

static void readable(struct bufferevent *reports, void *user)
{
	take_reports(user);
	if (evbuffer_get_length(bufferevent_get_input(reports)) > REPORT_MAX)
		end_reports(user);
}

static void reports_over(struct bufferevent *reports, short what, void *user)
{
	(void)reports;
	(void)what;
	end_reports(user);
}

/* What it told before it died is still to be read. */
static void orders_over(struct bufferevent *orders, short what, void *user)
{
	(void)what;
	(void)user;
	bufferevent_disable(orders, EV_WRITE);
}

static void serve(evutil_socket_t fd, short what, void *user)
{
	struct worker *worker = user;

	(void)what;
	/* The end of the process is seen otherwise. */
	if (privileged_serve(fd, worker->answers, worker->sink, worker->side_band))
		event_del(worker->requests);
}

/* Somebody else may have the other end of the pipe: all that the process wrote is in there. */
static void read_rest(struct worker *worker)
{
	struct evbuffer *input;
	int got = 1;

	if (!worker->reports)
		return;
	input = bufferevent_get_input(worker->reports);
	evbuffer_unfreeze(input, 0);
	for (size_t size = 0; got > 0 && size < REST_MAX; size += got)
		got = evbuffer_read(input, bufferevent_getfd(worker->reports), -1);
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
	const int all[] = { ends->orders, ends->reports, ends->requests, ends->answers,
			    ends->alive };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i] >= 0)
			close(all[i]);
}

static int make_pipe(int *reader, int *writer)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	*reader = ends[0];
	*writer = ends[1];
	return 0;
}

static int make_answers(int *reader, int *writer)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -1;
	*reader = ends[0];
	*writer = ends[1];
	/* Nothing comes this way, no file either. */
	return shutdown(*writer, SHUT_RD);
}

static int make_ends(struct process_ends *daemon, struct process_ends *process)
{
	int ret;

	*daemon = (struct process_ends) { -1, -1, -1, -1, -1 };
	*process = *daemon;
	if (!make_pipe(&process->orders, &daemon->orders) &&
	    !make_pipe(&daemon->reports, &process->reports) &&
	    !make_pipe(&daemon->requests, &process->requests) &&
	    !make_pipe(&daemon->alive, &process->alive) &&
	    !make_answers(&process->answers, &daemon->answers))
		return 0;
	ret = -errno;
	close_ends(daemon);
	close_ends(process);
	return ret;
}

static struct bufferevent *open_pipe(struct event_base *base, int fd)
{
	struct bufferevent *pipe;

	evutil_make_socket_nonblocking(fd);
	pipe = bufferevent_socket_new(base, fd, BEV_OPT_CLOSE_ON_FREE);
	if (!pipe)
		close(fd);
	return pipe;
}

/* Takes the ends of the daemon. */
static int listen_to(struct worker *worker, const struct process_ends *ends)
{
	struct event_base *base = worker->daemon->base;

	if (remains_watch(&worker->daemon->remains, ends->alive))
		close(ends->alive);
	worker->orders = open_pipe(base, ends->orders);
	worker->reports = open_pipe(base, ends->reports);
	evutil_make_socket_nonblocking(ends->answers);
	evutil_make_socket_nonblocking(ends->requests);
	worker->answers = ends->answers;
	worker->requests = event_new(base, ends->requests, EV_READ | EV_PERSIST, serve, worker);
	if (!worker->requests) {
		close(ends->requests);
		close(ends->answers);
	}
	if (!worker->orders || !worker->reports || !worker->requests ||
	    event_add(worker->requests, NULL))
		return -ENOMEM;
	bufferevent_setcb(worker->orders, NULL, NULL, orders_over, worker);
	bufferevent_setcb(worker->reports, readable, NULL, reports_over, worker);
	bufferevent_enable(worker->orders, EV_WRITE);
	bufferevent_enable(worker->reports, EV_READ);
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
	struct process_ends ends;
	int ret;
	struct process_start start = {
		.daemon = worker->daemon,
		.settings = settings,
		.sink = worker->sink,
		.device = sink ? sink->device : NULL,
		.state = settings ? NULL : worker->kept,
		.numbers = worker->numbers,
	};

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
