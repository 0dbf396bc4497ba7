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
#define PROCESSES_MAX	4	/* of a user */
#define SPARE		64	/* file descriptors of a process that are not connections */

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

/* A connection that found no room */
struct left {
	LIST_ENTRY(left) entry;
	uid_t uid;
	int client;
};

LIST_HEAD(batch_list, batch);
LIST_HEAD(left_list, left);

struct closer {
	int listening;
	rlim_t full;			/* so many connections are a batch */
	struct event *period;
	struct batch_list batches;	/* whose processes have not ended */
	struct left_list left;
	struct batch *listener;		/* it has the listening socket and nothing else */
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
	rvtrace_owner_keep(0);
	confine(CONFINE_GATE);
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
	evutil_make_socket_nonblocking(channel[0]);
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

/* Of a user: one that is filled, or a new one */
static struct batch *find_batch(struct closer *closer, uid_t uid)
{
	struct batch *batch;
	int count = 0;

	LIST_FOREACH(batch, &closer->batches, entry) {
		if (batch == closer->listener || !members_same(batch->uid, uid))
			continue;
		if (batch->channel >= 0 && batch->count < closer->full)
			return batch;
		count++;
	}
	return count < PROCESSES_MAX ? begin(closer, uid, -1) : NULL;
}

static int put(struct closer *closer, int client, uid_t uid)
{
	struct batch *batch = find_batch(closer, uid);

	/* The process has room for it, so that it is not the last one that closes it here. */
	if (!batch || pass_send(batch->channel, "", 1, client))
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
	struct left *left, *next;
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
	for (left = LIST_FIRST(&closer->left); left; left = next) {
		next = LIST_NEXT(left, entry);
		if (put(closer, left->client, left->uid))
			continue;
		LIST_REMOVE(left, entry);
		free(left);
	}
	if (!LIST_EMPTY(&closer->left))
		wait_for_period(closer);
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
	LIST_INIT(&closer->left);
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
	struct left *left;

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
	/* They end with this process. */
	while ((left = LIST_FIRST(&closer->left))) {
		LIST_REMOVE(left, entry);
		free(left);
	}
	free(closer);
}

void closer_take(struct closer *closer, int client, uid_t uid)
{
	struct left *left;
	int unread = 1;

	/* Nothing is added to it from here on, and a file comes with a byte at least. */
	shutdown(client, SHUT_RDWR);
	if (!ioctl(client, SIOCINQ, &unread) && !unread) {
		close(client);
		return;
	}
	wait_for_period(closer);
	if (!put(closer, client, uid))
		return;
	left = malloc(sizeof(*left));
	if (!left)
		return;
	left->client = client;
	left->uid = uid;
	LIST_INSERT_HEAD(&closer->left, left, entry);
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
