// SPDX-License-Identifier: GPL-2.0
/* Closes connections that are turned away: see closer.h. */
#include <event2/event.h>
#include <event2/util.h>
#include <linux/sockios.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "closer.h"
#include "confine.h"
#include "members.h"
#include "tools/lib/base/owner.h"
#include "tools/lib/base/pass.h"

#define PERIOD		1	/* seconds, after which a process closes what it was given */
#define PROCESSES_MAX	4	/* of a user, besides those that are full */
#define SPARE		64	/* file descriptors of a process that are not connections */
#define PEEK_SIZE	65536
#define PEEKS		16	/* a socket takes less than all of them, unless root wants it to */

/* File descriptors of the process, in addition to those it is sent */
enum {
	FD_CHANNEL = CHILD_FILES,
	FD_LISTENING,
};

/**
 * struct batch - connections of a user, and the process that closes them
 * @channel: through which it gets them, -1: it has all and closes them
 * @count: how many it has
 */
struct batch {
	LIST_ENTRY(batch) entry;
	pid_t pid;
	uid_t uid;
	int channel;
	rlim_t count;
};

LIST_HEAD(batch_list, batch);

struct closer {
	int listening;
	rlim_t full;			/* so many connections are a batch */
	struct event *period;
	struct batch_list batches;	/* whose processes have not ended */
	struct batch *listener;		/* it has the listening socket, and what no other one has */
};

/* The listening socket refuses clients from the beginning of its close. */
__attribute__((noreturn))
static void run(int channel, int listening)
{
	const int files[] = { channel, listening };
	char byte;
	int fd;

	if (child_keep_files(files, sizeof(files) / sizeof(files[0])))
		_exit(1);
	child_take_signals();
	prctl(PR_SET_NAME, "rvtraced-close");
	setpriority(PRIO_PROCESS, 0, 0);
	if (rvtrace_owner_keep(0) || confine(CONFINE_GATE))
		_exit(1);
	while (pass_receive(FD_CHANNEL, &byte, sizeof(byte), &fd) > 0)
		;
	if (listening >= 0)
		close(FD_LISTENING);
	_exit(0);
}

/* Return: NULL: there is no process for it. */
static struct batch *begin(struct closer *closer, uid_t uid, int listening)
{
	struct batch *batch = calloc(1, sizeof(*batch));
	int channel[2];

	if (!batch || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel)) {
		free(batch);
		return NULL;
	}
	batch->pid = child_fork();
	if (!batch->pid)
		run(channel[1], listening);
	close(channel[1]);
	if (batch->pid < 0) {
		close(channel[0]);
		free(batch);
		return NULL;
	}
	batch->uid = uid;
	batch->channel = channel[0];
	LIST_INSERT_HEAD(&closer->batches, batch, entry);
	return batch;
}

static void end(struct batch *batch)
{
	close(batch->channel);
	batch->channel = -1;
}

/* Of a user: the one that is filled, or a new one */
static struct batch *find_batch(struct closer *closer, uid_t uid)
{
	struct batch *batch;

	LIST_FOREACH(batch, &closer->batches, entry)
		if (batch != closer->listener && batch->channel >= 0 &&
		    members_same(batch->uid, uid))
			return batch;
	return begin(closer, uid, -1);
}

/* The process waits for nothing but this, and closes nothing before the end of its channel. */
static int put(struct closer *closer, struct batch *batch, int client)
{
	if (!batch || batch->count >= closer->full ||
	    pass_send(batch->channel, "", 1, client))
		return -1;
	batch->count++;
	close(client);
	return 0;
}

static bool others_are_ending(const struct closer *closer, const struct batch *than)
{
	const struct batch *batch;
	int count = 0;

	LIST_FOREACH(batch, &closer->batches, entry)
		count += batch != closer->listener && batch->channel < 0 &&
			 members_same(batch->uid, than->uid);
	return count >= PROCESSES_MAX - 1;
}

static void wait_for_period(struct closer *closer)
{
	if (!evtimer_pending(closer->period, NULL))
		evtimer_add(closer->period, &(struct timeval){ .tv_sec = PERIOD });
}

/* The last process that a user may have takes what comes until it is full. */
static void period_over(evutil_socket_t fd, short what, void *user)
{
	struct closer *closer = user;
	struct batch *batch;

	(void)fd;
	(void)what;
	LIST_FOREACH(batch, &closer->batches, entry) {
		if (batch == closer->listener || batch->channel < 0)
			continue;
		if (others_are_ending(closer, batch))
			wait_for_period(closer);
		else
			end(batch);
	}
}

static rlim_t find_full(void)
{
	struct rlimit files;

	return getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur < 2 * SPARE ?
	       SPARE : files.rlim_cur - SPARE;
}

struct closer *closer_new(struct event_base *base, int listening)
{
	struct closer *closer = calloc(1, sizeof(*closer));

	if (!closer)
		return NULL;
	LIST_INIT(&closer->batches);
	closer->full = find_full();
	closer->period = evtimer_new(base, period_over, closer);
	closer->listener = begin(closer, 0, listening);
	if (closer->period && closer->listener)
		return closer;
	closer_free(closer);
	return NULL;
}

void closer_free(struct closer *closer)
{
	struct batch *batch;

	if (!closer)
		return;
	if (closer->period)
		event_free(closer->period);
	while ((batch = LIST_FIRST(&closer->batches))) {
		LIST_REMOVE(batch, entry);
		if (batch->channel >= 0)
			end(batch);
		free(batch);
	}
	free(closer);
}

/*
 * All that is unread is there to be seen, and no file is with it: the kernel says so where there is
 * no room for one, and opens none.
 */
static bool has_no_file(int client)
{
	static char bytes[PEEK_SIZE];
	struct iovec iov[PEEKS];
	struct msghdr message = { .msg_iov = iov, .msg_iovlen = PEEKS };
	int unread = -1, i;

	for (i = 0; i < PEEKS; i++)
		iov[i] = (struct iovec) { bytes, sizeof(bytes) };
	return !ioctl(client, SIOCINQ, &unread) &&
	       (!unread || (recvmsg(client, &message, MSG_PEEK | MSG_DONTWAIT) == unread &&
			    !(message.msg_flags & MSG_CTRUNC)));
}

int closer_take(struct closer *closer, int client, uid_t uid)
{
	struct batch *batch;

	/* Nothing is added to it from here on, and a file comes with a byte at least. */
	shutdown(client, SHUT_RDWR);
	if (has_no_file(client)) {
		close(client);
		return 0;
	}
	wait_for_period(closer);
	batch = find_batch(closer, uid);
	if (put(closer, batch, client)) {
		/* It closes that when the daemon ends. */
		put(closer, closer->listener, client);
		return -1;
	}
	if (batch->count == closer->full)
		end(batch);
	return 0;
}

void closer_reap(struct closer *closer)
{
	struct batch *batch, *next;

	for (batch = LIST_FIRST(&closer->batches); batch; batch = next) {
		next = LIST_NEXT(batch, entry);
		if (waitpid(batch->pid, NULL, WNOHANG) != batch->pid)
			continue;
		LIST_REMOVE(batch, entry);
		if (batch->channel >= 0)
			end(batch);
		if (batch == closer->listener)
			closer->listener = NULL;
		free(batch);
	}
}
