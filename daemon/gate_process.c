// SPDX-License-Identifier: GPL-2.0
/*
 * The process that talks to one client: what it does. Nobody but the client waits for it, so that
 * it may wait for the client, for the daemon, and for files to be closed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "child.h"
#include "confine.h"
#include "gate_process.h"
#include "gate_protocol.h"
#include "tools/lib/base/owner.h"
#include "tools/lib/base/pass.h"

#define READ_SIZE	16384
#define FDS_MAX		4	/* file descriptors in one message; one is kept */
#define WAIT_US		5000	/* for the peer of a socket */

/* File descriptors, all others are closed */
enum {
	FD_CLIENT = CHILD_FILES,
	FD_REQUESTS,
	FD_ANSWERS,
};

struct relay {
	char *data;	/* that is not sent yet */
	size_t length;
	enum gate_came came;
	int directory;	/* -1: none */
};

static void set_timer(int us)
{
	const struct itimerval timer = { .it_value.tv_usec = us, .it_interval.tv_usec = us };

	setitimer(ITIMER_REAL, &timer, NULL);
}

static void wake(int number)
{
	(void)number;
}

/* The peer of a socket that lingers is waited for until a signal comes. */
static void close_file(int fd)
{
	set_timer(WAIT_US);
	close(fd);
	set_timer(0);
}

static void drop_directory(struct relay *relay)
{
	if (relay->directory >= 0)
		close_file(relay->directory);
	relay->directory = -1;
	relay->came = GATE_NOTHING;
}

/* Without asking its file system */
static bool is_directory(int fd)
{
	char name[64];
	int path;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	path = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (path < 0)
		return false;
	close(path);
	return true;
}

static void keep_file(struct relay *relay, int fd)
{
	drop_directory(relay);
	if (is_directory(fd)) {
		relay->came = GATE_DIRECTORY;
		relay->directory = fd;
		return;
	}
	close_file(fd);
	relay->came = GATE_FILE;
}

static void keep_files(struct relay *relay, struct msghdr *message)
{
	struct cmsghdr *header;
	int fds[FDS_MAX];
	size_t i, count;

	for (header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
			continue;
		count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(header), count * sizeof(int));
		for (i = 0; i < count; i++)
			keep_file(relay, fds[i]);
	}
}

/* Files that are more than FDS_MAX are closed by the kernel. Returns what recvmsg() does. */
static ssize_t receive(struct relay *relay)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
	} control;
	struct iovec iov = { relay->data + relay->length, READ_SIZE };
	struct msghdr message = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t got;

	set_timer(WAIT_US);
	got = recvmsg(FD_CLIENT, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	set_timer(0);
	if (got > 0)
		keep_files(relay, &message);
	return got;
}

/* Waits for more of a request. Returns -1 when the client or the daemon wants nothing more. */
static int read_more(struct relay *relay)
{
	struct pollfd ends[] = {
		{ .fd = FD_CLIENT, .events = POLLIN },
		{ .fd = FD_ANSWERS, .events = POLLIN },
	};
	ssize_t got;

	if (poll(ends, 2, -1) < 0)
		return errno == EINTR ? 0 : -1;
	if (ends[1].revents)
		return -1;
	got = receive(relay);
	if (got > 0)
		relay->length += got;
	else if (!got || (errno != EAGAIN && errno != EINTR))
		return -1;
	return 0;
}

/* Returns the bytes of a line, or of the beginning of one that is too long; 0: the end. */
static size_t read_request(struct relay *relay)
{
	size_t seen = 0;
	char *end;

	for (;;) {
		end = memchr(relay->data + seen, '\n', relay->length - seen);
		if (end)
			return end + 1 - relay->data;
		if (relay->length > GATE_REQUEST_MAX)
			return relay->length;
		seen = relay->length;
		if (read_more(relay))
			return 0;
	}
}

/* A daemon that reads no more may have answered. */
static void put(const char *data, size_t size)
{
	ssize_t put;

	for (; size; data += put, size -= put) {
		put = write(FD_REQUESTS, data, size);
		if (put < 0)
			return;
	}
}

static void put_request(struct relay *relay, size_t size)
{
	const char came = relay->came;

	put(&came, sizeof(came));
	put(relay->data, size);
	relay->length -= size;
	memmove(relay->data, relay->data + size, relay->length);
}

static void give_directory(struct relay *relay, int socket)
{
	if (relay->directory >= 0)
		pass_send(socket, "", 1, relay->directory);
	close_file(socket);
	drop_directory(relay);
}

static int send_all(const char *data, size_t size)
{
	ssize_t put;

	for (; size; data += put, size -= put) {
		put = send(FD_CLIENT, data, size, MSG_NOSIGNAL);
		if (put < 0)
			return -1;
	}
	return 0;
}

/* Returns -1 when it was the last one, or could not be sent. */
static int relay_answer(struct relay *relay)
{
	char data[READ_SIZE];
	ssize_t got;
	int fd;

	do {
		got = pass_receive(FD_ANSWERS, data, sizeof(data), &fd);
		if (got <= 0)
			return -1;
		if (fd >= 0)
			give_directory(relay, fd);
		else if (send_all(data, got))
			return -1;
	} while (data[got - 1] != '\n');
	return 0;
}

/* The daemon goes on at once, the client does not have to wait for files either. */
__attribute__((noreturn))
static void end(struct relay *relay)
{
	close(FD_REQUESTS);
	close(FD_ANSWERS);
	drop_directory(relay);
	_exit(0);
}

/* The log is not the user's. What a sanitizer finds is for it. */
static int leave_log(void)
{
#ifndef __SANITIZE_ADDRESS__
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC), i;

	for (i = 0; i < CHILD_FILES; i++)
		if (fd < 0 || dup2(fd, i) < 0)
			return -errno;
	close(fd);
#endif
	return 0;
}

/* Where the daemon is no user's but its own, so is the gate. */
static int become(const struct gate_start *start)
{
	const struct sigaction action = { .sa_handler = wake };
	bool root = !geteuid();
	int ret = leave_log();

	if (ret)
		return ret;
	ret = rvtrace_owner_become(start->peer->uid, start->peer->gid, start->groups,
				   start->group_count, 0);
	if (ret && root)
		return ret;
	sigaction(SIGALRM, &action, NULL);
	child_take_signals();
	prctl(PR_SET_NAME, "rvtraced-gate");
	setpriority(PRIO_PROCESS, 0, 0);
	/* Changing users would take it away. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	return getppid() == start->daemon ? confine(CONFINE_GATE) : -ESRCH;
}

void gate_run(const struct gate_start *start)
{
	const int files[] = { start->client, start->requests, start->answers };
	struct relay relay = {
		.data = malloc(GATE_REQUEST_MAX + READ_SIZE),
		.came = GATE_NOTHING,
		.directory = -1,
	};
	size_t size;
	char go;

	/* Without room it does not begin, and the daemon has the client still. */
	if (!relay.data || child_keep_files(files, sizeof(files) / sizeof(files[0])) ||
	    recv(FD_ANSWERS, &go, 1, 0) != 1 || become(start))
		_exit(1);
	while ((size = read_request(&relay))) {
		put_request(&relay, size);
		if (relay_answer(&relay))
			break;
		drop_directory(&relay);
	}
	end(&relay);
}
