// SPDX-License-Identifier: GPL-2.0
/* What connects the daemon with a process that records, which may do anything with it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <event2/event.h>

#include "daemon/child.h"
#include "daemon/confine.h"
#include "daemon/members.h"
#include "daemon/privileged.h"
#include "daemon/process.h"
#include "daemon/udev.h"
#include "daemon/worker_internal.h"
#include "tools/lib/base/pass.h"

#define HOLD_SECONDS	60	/* more than any of this takes */

/* File descriptors of the process */
enum {
	FD_CHANNEL = CHILD_FILES,
	FD_PRIVILEGED,
	FD_ALIVE,
};

static struct {
	int died, reports, remaining;
	void (*process)(void);
	void (*report)(struct worker *worker, struct json_object *object);
} calls;

/* The rest of the daemon */

const struct sink *sinks_find(struct sinks *sinks, const char *name)
{
	(void)sinks;
	(void)name;
	return NULL;
}

int privileged_serve(int socket, const char *sink, bool side_band)
{
	char bytes[256];

	(void)sink;
	(void)side_band;
	return read(socket, bytes, sizeof(bytes)) > 0 ? 0 : -EPROTO;
}

bool members_same(uid_t one, uid_t other)
{
	return one == other;
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
	const int files[] = { start->ends.channel, start->ends.privileged, start->ends.alive };

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

/* As the daemon does with one that does not answer */
static void end_worker(evutil_socket_t fd, short what, void *user)
{
	(void)fd;
	(void)what;
	worker_close_ends(user);
	worker_kill(user);
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
		.daemon = &daemon, .sink = "rvtrace0", .kept = json_object_new_object(),
		.report = calls.report ? calls.report : report, .died = died,
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
	calls.remaining = remains_count(&daemon.remains, worker->uid);
	remains_free(&daemon.remains);
	worker_kill(worker);
	worker_close_ends(worker);
	munmap(worker->numbers, sizeof(*worker->numbers));
	json_object_put(worker->kept);
	event_free(children);
	event_free(end);
	event_base_free(daemon.base);
	free(worker);
}

/* Each that can be sent is one more report. */
static void send_files(void)
{
	if (confine(CONFINE_RECORDER))
		_exit(1);
	for (int fd = FD_CHANNEL; fd <= FD_ALIVE; fd++)
		if (!pass_send(fd, "x", 1, STDIN_FILENO))
			write(FD_CHANNEL, "{}\n", 3);
	write(FD_CHANNEL, "{}\n", 3);
	_exit(0);
}

/* The last close would be the daemon's. */
static void it_can_send_no_file(void **state)
{
	(void)state;
	run(send_files);
	assert_int_equal(calls.died, 1);
	assert_int_equal(calls.remaining, 0);
	assert_int_equal(calls.reports, 1);
}

static void leave_ends_to_another(void)
{
	write(FD_CHANNEL, "{}\n{}\n", 6);
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

/* Reads an order into memory that never comes. */
static void wait_in_the_middle(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	size_t size = sysconf(_SC_PAGESIZE);
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	char *page;

	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range.start = (uintptr_t)page;
	range.range.len = size;
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range))
		_exit(0);
	write(FD_CHANNEL, "{}\n", 3);
	read(FD_CHANNEL, page, size);
	_exit(0);
}

static void ask_and_end(struct worker *worker, struct json_object *object)
{
	report(worker, object);
	worker_ask(worker, "stop");
	/* Once that has left */
	event_base_once(worker->daemon->base, -1, EV_TIMEOUT, end_worker, worker,
			&(struct timeval){ .tv_usec = 100000 });
}

static void memory_that_never_comes_keeps_it_only(void **state)
{
	(void)state;
	calls.report = ask_and_end;
	run(wait_in_the_middle);
	calls.report = NULL;
	assert_int_equal(calls.died, 1);
	if (!calls.reports)
		skip();
}

static void tell_without_end(void)
{
	char bytes[4096];

	memset(bytes, ' ', sizeof(bytes));
	while (write(FD_CHANNEL, bytes, sizeof(bytes)) > 0)
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
	for (int fd = FD_CHANNEL; fd <= FD_ALIVE; fd++)
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
		cmocka_unit_test(memory_that_never_comes_keeps_it_only),
		cmocka_unit_test(a_report_without_end_is_the_last),
		cmocka_unit_test(one_that_tells_nothing_any_more_is_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
