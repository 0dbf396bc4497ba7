// SPDX-License-Identifier: GPL-2.0
/* What connects the daemon with a process that records, which may do anything with it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <event2/event.h>

#include "daemon/child.h"
#include "daemon/privileged.h"
#include "daemon/process.h"
#include "daemon/udev.h"
#include "daemon/worker_internal.h"
#include "tools/lib/base/pass.h"

#define HOLD_SECONDS	60	/* more than any of this takes */

/* File descriptors of the process */
enum {
	FD_ORDERS = CHILD_FILES,
	FD_REPORTS,
	FD_REQUESTS,
	FD_ANSWERS,
	FD_ALIVE,
};

static struct {
	int died, reports, remaining;
	void (*process)(void);
} calls;

/* The rest of the daemon */

const struct sink *sinks_find(struct sinks *sinks, const char *name)
{
	(void)sinks;
	(void)name;
	return NULL;
}

int privileged_serve(int requests, int answers, const char *sink, bool side_band)
{
	char bytes[256];

	(void)answers;
	(void)sink;
	(void)side_band;
	return read(requests, bytes, sizeof(bytes)) > 0 ? 0 : -EPROTO;
}

void worker_free_event(struct event **event)
{
	if (*event)
		event_free(*event);
	*event = NULL;
}

time_t worker_now(void)
{
	return 1000;
}

void process_run(const struct process_start *start)
{
	const int files[] = {
		start->ends.orders, start->ends.reports, start->ends.requests, start->ends.answers,
		start->ends.alive,
	};

	if (!child_keep_files(files, sizeof(files) / sizeof(files[0])))
		calls.process();
	_exit(1);
}

static void report(struct worker *worker, struct json_object *object)
{
	(void)worker;
	(void)object;
	calls.reports++;
}

static void died(struct worker *worker)
{
	calls.died++;
	event_base_loopbreak(worker->daemon->base);
}

static void child_ended(evutil_socket_t fd, short what, void *user)
{
	(void)fd;
	(void)what;
	worker_reap(user);
}

static void too_long(evutil_socket_t fd, short what, void *user)
{
	(void)fd;
	(void)what;
	event_base_loopbreak(user);
}

/* Until the process is known to have ended; how it did. */
static void run(void (*process)(void))
{
	struct daemon daemon = { .base = event_base_new(), .pid = getpid() };
	struct worker *worker = calloc(1, sizeof(*worker));
	struct rvtrace_failure error;
	struct event *children, *end;

	calls.died = 0;
	calls.reports = 0;
	calls.process = process;
	*worker = (struct worker) {
		.daemon = &daemon, .sink = "rvtrace0", .report = report, .died = died,
		.numbers = mmap(NULL, sizeof(*worker->numbers), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0),
	};
	LIST_INSERT_HEAD(&daemon.workers, worker, entry);
	children = evsignal_new(daemon.base, SIGCHLD, child_ended, &daemon);
	event_add(children, NULL);
	end = evtimer_new(daemon.base, too_long, daemon.base);
	event_add(end, &(struct timeval){ .tv_sec = HOLD_SECONDS / 2 });
	assert_int_equal(worker_spawn(worker, NULL, &error), 0);
	event_base_dispatch(daemon.base);
	calls.remaining = remains_count(&daemon.remains);
	remains_free(&daemon.remains);
	worker_kill(worker);
	worker_close_ends(worker);
	munmap(worker->numbers, sizeof(*worker->numbers));
	event_free(children);
	event_free(end);
	event_base_free(daemon.base);
	free(worker);
}

/* Each that can be tells so in a report. */
static void send_files(void)
{
	for (int fd = FD_ORDERS; fd <= FD_ALIVE; fd++)
		if (!pass_send(fd, "x", 1, STDIN_FILENO))
			write(FD_REPORTS, "{}\n", 3);
	_exit(0);
}

/* The last close would be the daemon's. */
static void it_can_send_no_file(void **state)
{
	(void)state;
	run(send_files);
	assert_int_equal(calls.died, 1);
	assert_int_equal(calls.remaining, 0);
	assert_int_equal(calls.reports, 0);
}

static void leave_ends_to_another(void)
{
	write(FD_REPORTS, "{}\n{}\n", 6);
	if (!fork()) {
		/* Whoever runs the test waits for the end of its output. */
		close_range(STDIN_FILENO, STDERR_FILENO, 0);
		sleep(HOLD_SECONDS);
		_exit(0);
	}
	_exit(0);
}

static void its_death_is_known_whoever_has_its_ends(void **state)
{
	(void)state;
	run(leave_ends_to_another);
	assert_int_equal(calls.died, 1);
	assert_int_equal(calls.remaining, 1);
	assert_int_equal(calls.reports, 2);
}

static void tell_without_end(void)
{
	char bytes[4096];

	memset(bytes, ' ', sizeof(bytes));
	while (write(FD_REPORTS, bytes, sizeof(bytes)) > 0)
		;
	sleep(HOLD_SECONDS);
	_exit(0);
}

static void a_report_without_end_is_the_last(void **state)
{
	(void)state;
	run(tell_without_end);
	assert_int_equal(calls.died, 1);
	assert_int_equal(calls.reports, 0);
}

static void close_ends(void)
{
	for (int fd = FD_ORDERS; fd <= FD_ANSWERS; fd++)
		close(fd);
	sleep(HOLD_SECONDS);
	_exit(0);
}

static void one_that_tells_nothing_any_more_is_ended(void **state)
{
	(void)state;
	run(close_ends);
	assert_int_equal(calls.died, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_can_send_no_file),
		cmocka_unit_test(its_death_is_known_whoever_has_its_ends),
		cmocka_unit_test(a_report_without_end_is_the_last),
		cmocka_unit_test(one_that_tells_nothing_any_more_is_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
