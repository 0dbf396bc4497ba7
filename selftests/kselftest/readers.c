// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that stream trace to a file and only read(): they sleep while nothing comes,
 * have everything when something did, and the kernel's log says what was lost.
 */
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

/**
 * struct stream - a program that streams
 * @pid: its process
 * @device: what it reads
 * @file: where it writes that to
 * @wakeups: how often it was told to read
 * @ends: how often it read the end of a session
 */
struct stream {
	pid_t pid;
	int device;
	int file;
	unsigned long wakeups;
	unsigned long ends;
};

/* Shared with the process */
static struct stream *stream;

static void take_all(void)
{
	static char buffer[65536];
	ssize_t n;

	while ((n = read(stream->device, buffer, sizeof(buffer))) > 0)
		if (write(stream->file, buffer, n) != n)
			_exit(1);
	if (n < 0 && errno != EAGAIN)
		_exit(1);
	if (!n)
		stream->ends++;
}

static void poll_reader(void)
{
	struct pollfd p = { .fd = stream->device, .events = POLLIN };

	while (poll(&p, 1, -1) == 1) {
		stream->wakeups++;
		take_all();
	}
}

static void epoll_reader(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	epoll_ctl(epoll, EPOLL_CTL_ADD, stream->device, &event);
	while (epoll_wait(epoll, &event, 1, -1) == 1) {
		stream->wakeups++;
		take_all();
	}
}

static void edge_reader(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	epoll_ctl(epoll, EPOLL_CTL_ADD, stream->device, &event);
	while (epoll_wait(epoll, &event, 1, -1) == 1) {
		stream->wakeups++;
		take_all();
	}
}

static void readable(evutil_socket_t fd, short what, void *user)
{
	(void)fd;
	(void)what;
	(void)user;
	stream->wakeups++;
	take_all();
}

static void libevent_reader(void)
{
	struct event_base *base = event_base_new();
	struct event *event = event_new(base, stream->device, EV_READ | EV_PERSIST, readable, NULL);

	event_add(event, NULL);
	event_base_dispatch(base);
}

/* What cat does: it ends with the session. */
static void blocking_reader(void)
{
	fcntl(stream->device, F_SETFL, 0);
	take_all();
}

static bool start_stream(void (*read_on)(void))
{
	char path[] = "/tmp/ksft-readers-XXXXXX";
	pid_t pid;

	stream = mmap(NULL, sizeof(*stream), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (stream == MAP_FAILED)
		return false;
	stream->device = open(sink_device(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	stream->file = mkostemp(path, O_CLOEXEC);
	unlink(path);
	if (stream->device < 0 || stream->file < 0)
		return false;
	pid = fork();
	if (!pid) {
		read_on();
		_exit(0);
	}
	stream->pid = pid;
	return pid > 0;
}

/* How often it has lost its hart so far. Return: whether it sleeps. */
static bool count_turns(unsigned long long *turns)
{
	unsigned long long n;
	char file[64], line[256];
	bool asleep = false;
	FILE *status;

	*turns = 0;
	snprintf(file, sizeof(file), "/proc/%d/status", stream->pid);
	status = fopen(file, "r");
	while (status && fgets(line, sizeof(line), status)) {
		asleep |= !strncmp(line, "State:\tS", 8);
		if (sscanf(line, "voluntary_ctxt_switches: %llu", &n) == 1 ||
		    sscanf(line, "nonvoluntary_ctxt_switches: %llu", &n) == 1)
			*turns += n;
	}
	if (status)
		fclose(status);
	return asleep;
}

/* It comes to rest, however slow the machine is: no use of a hart in a tenth of a second. */
static bool settles(unsigned long long *turns)
{
	unsigned long long before;

	for (int i = 0; i < 300; i++) {
		bool asleep = count_turns(&before);

		usleep(100000);
		if (asleep && count_turns(turns) && *turns == before)
			return true;
	}
	return false;
}

/* From then on it is not woken, and does not run, for some seconds. */
static bool is_quiet(unsigned int seconds)
{
	unsigned long long before, after;
	unsigned long wakeups;

	if (!settles(&before)) {
		printf("# it does not come to rest: %lu wakeups\n", stream->wakeups);
		return false;
	}
	wakeups = stream->wakeups;
	sleep(seconds);
	if (count_turns(&after) && after == before && stream->wakeups == wakeups)
		return true;
	printf("# %lu wakeups, %llu turns\n", stream->wakeups - wakeups, after - before);
	return false;
}

static bool set_all(const char *attribute, const char *value)
{
	const char *folder;
	char file[512];
	bool good = true;

	for (unsigned int i = 0; (folder = component(i)); i++) {
		snprintf(file, sizeof(file), "%s%s", folder, attribute);
		if (!access(file, F_OK))
			good &= !put(file, value);
	}
	return good;
}

/* Neither instructions nor writes of tp are traced, but records come: clocks every second. */
static void sleeps_while_nothing_comes(void)
{
	char mode[64], software[64];

	snprintf(mode, sizeof(mode), "%s", get(ENCODER0 "inst_mode"));
	snprintf(software, sizeof(software), "%s", get(ENCODER0 "software_trace"));
	EXPECT(is_quiet(1));
	EXPECT(set_all("inst_mode", "off"));
	EXPECT(set_all("software_trace", "0"));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(is_quiet(10));
	EXPECT_EQ(stream->ends, 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT_EQ(get_number(of_sink("head")), get_number(of_sink("tail")));
	EXPECT(set_all("inst_mode", mode));
	EXPECT(set_all("software_trace", software));
}

static uint64_t written(void)
{
	struct stat st;

	return fstat(stream->file, &st) ? 0 : st.st_size;
}

static void gets_all_and_sleeps_again(void)
{
	uint64_t size = get_number(of_sink("buffer_size")), before = written(), start;
	unsigned long ends = stream->ends;

	start = (get_number(of_sink("head")) + size - 1) / size * size;
	EXPECT(trace_something());
	EXPECT(is_quiet(1));
	EXPECT_EQ(stream->ends, ends + 1);
	EXPECT(written() > before);
	EXPECT_EQ(written() - before + get_number(of_sink("lost")),
		  get_number(of_sink("head")) - start);
}

static void streams(void (*read_on)(void))
{
	EXPECT(start_stream(read_on));
	sleeps_while_nothing_comes();
	EXPECT(!has_failed());
	EXPECT(is_quiet(1));
	EXPECT_EQ(stream->ends, 1);
	gets_all_and_sleeps_again();
	gets_all_and_sleeps_again();
}

static void poll_sleeps_while_nothing_comes(void)
{
	streams(poll_reader);
}

static void epoll_sleeps_while_nothing_comes(void)
{
	streams(epoll_reader);
}

static void edges_of_epoll_come_with_trace(void)
{
	streams(edge_reader);
}

static void libevent_sleeps_while_nothing_comes(void)
{
	streams(libevent_reader);
}

static void read_sleeps_while_nothing_comes(void)
{
	EXPECT(start_stream(blocking_reader));
	sleeps_while_nothing_comes();
}

/* What poll() reports to a reader of records, too */
static void end_is_reported_until_it_is_known(void)
{
	struct rvtrace_consume c;
	struct reader reader = {};
	struct pollfd p = { .events = POLLIN };

	EXPECT(reader_open(&reader));
	p.fd = reader.fd;
	EXPECT(trace_something());
	EXPECT_EQ(poll(&p, 1, 0), 1);
	c = (struct rvtrace_consume){
		.position = reader.control->head,
		.records_position = reader.control->records_tail,
	};
	EXPECT_EQ(ioctl(reader.fd, RVTRACE_IOC_CONSUME, &c), 0);
	EXPECT_EQ(c.state, RVTRACE_STATE_IDLE);
	EXPECT_EQ(poll(&p, 1, 0), 1);	/* records */
	EXPECT_EQ(reader_consume(&reader, reader.control->head, &c), 0);
	EXPECT_EQ(c.state, RVTRACE_STATE_IDLE);
	EXPECT_EQ(poll(&p, 1, 0), 0);
	EXPECT(trace_something());
	EXPECT_EQ(poll(&p, 1, 0), 1);
	EXPECT_EQ(p.revents, POLLIN);
	reader_close(&reader);
}

/* Bytes that the log says were lost of a session; 0: it says nothing, -1: it says it twice. */
static long long logged_loss(int log, long long session)
{
	char line[2048], what[64];
	const char *found;
	long long lost = 0;
	ssize_t n;

	snprintf(what, sizeof(what), "%s: session %lld: ", sink_name(), session);
	while ((n = read(log, line, sizeof(line) - 1)) > 0) {
		line[n] = '\0';
		found = strstr(line, what);
		if (found && strstr(found, " bytes were lost before they were read"))
			lost = lost ? -1 : atoll(found + strlen(what));
	}
	return lost;
}

/* A session in a small ring, of which @fd, if there is one, takes a little and loses much. */
static bool lose_some(int fd)
{
	char byte;

	if (put(of_sink("tracing"), "1"))
		return false;
	for (int i = 0; i < 3000; i++) {
		burn(10);
		if ((fd < 0 || read(fd, &byte, 1) == 1) && get_number(of_sink("lost")))
			break;
	}
	return !put(of_sink("tracing"), "0") && get_number(of_sink("lost"));
}

static bool read_the_rest(int fd)
{
	static char buffer[65536];
	ssize_t n;

	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		;
	return !n;
}

static void loss_of_who_only_reads_is_logged_once(void)
{
	int fd, log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	long long session;

	EXPECT(log >= 0 && lseek(log, 0, SEEK_END) >= 0);
	EXPECT_EQ(put(of_sink("buffer_size"), "16384"), 0);
	fd = open(sink_device(), O_RDONLY | O_NONBLOCK);
	EXPECT(fd >= 0);
	EXPECT(lose_some(fd));
	session = get_number(of_sink("session"));
	EXPECT_EQ(logged_loss(log, session), get_number(of_sink("lost")));
	EXPECT(read_the_rest(fd));
	close(fd);
	EXPECT_EQ(logged_loss(log, session), 0);
}

/* One who comes after the session learns of it when it goes. */
static void loss_before_a_reader_came_is_logged(void)
{
	int fd, log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	long long session;

	EXPECT(log >= 0 && lseek(log, 0, SEEK_END) >= 0);
	EXPECT_EQ(put(of_sink("buffer_size"), "16384"), 0);
	EXPECT(lose_some(-1));
	session = get_number(of_sink("session"));
	fd = open(sink_device(), O_RDONLY | O_NONBLOCK);
	EXPECT(fd >= 0);
	EXPECT_EQ(logged_loss(log, session), 0);
	EXPECT(read_the_rest(fd));
	close(fd);
	EXPECT_EQ(logged_loss(log, session), get_number(of_sink("lost")));
}

/* It has records, which say where. */
static void loss_of_who_reads_records_is_not_logged(void)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct reader reader = {};

	EXPECT(log >= 0 && lseek(log, 0, SEEK_END) >= 0);
	EXPECT_EQ(put(of_sink("buffer_size"), "16384"), 0);
	EXPECT(reader_open(&reader));
	EXPECT(lose_some(reader.fd));
	EXPECT(read_the_rest(reader.fd));
	reader_close(&reader);
	EXPECT_EQ(logged_loss(log, get_number(of_sink("session"))), 0);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(poll_sleeps_while_nothing_comes),
		TEST(epoll_sleeps_while_nothing_comes),
		TEST(edges_of_epoll_come_with_trace),
		TEST(libevent_sleeps_while_nothing_comes),
		TEST(read_sleeps_while_nothing_comes),
		TEST(end_is_reported_until_it_is_known),
		TEST(loss_of_who_only_reads_is_logged_once),
		TEST(loss_before_a_reader_came_is_logged),
		TEST(loss_of_who_reads_records_is_not_logged),
	};

	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
