// SPDX-License-Identifier: GPL-2.0
/* Closes connections that are turned away: see closer.h. */
#include <event2/event.h>
#include <linux/sockios.h>
#include <stdbool.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rvtrace/owner.h>

#include "child.h"
#include "closer.h"
#include "confine.h"
#include "tools/lib/base/pass.h"

#define PERIOD		1	/* seconds, after which a process closes what it was given */
#define FULL		200	/* connections that it closes at once */
#define ENDING_MAX	8	/* processes that still close, unless the next one is full */

/* File descriptors of the process, in addition to those it is sent */
enum {
	FD_CHANNEL = CHILD_FILES,
	FD_LISTENING,
};

struct process {
	LIST_ENTRY(process) entry;
	pid_t pid;
};

LIST_HEAD(process_list, process);

struct closer {
	int listening;
	int channel;			/* of the process that takes them */
	int taken;
	struct event *period;
	struct process_list processes;	/* that one, and those that have not ended */
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
	rvtrace_owner_keep(0);
	confine(CONFINE_GATE);
	while (pass_receive(FD_CHANNEL, &byte, sizeof(byte), &fd) > 0)
		;
	close(FD_LISTENING);
	_exit(0);
}

/* The process before this one closes what it has when nobody has the other end of its channel. */
static int begin(struct closer *closer)
{
	struct process *process = calloc(1, sizeof(*process));
	int channel[2];

	if (!process || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel)) {
		free(process);
		return -1;
	}
	process->pid = child_fork();
	if (!process->pid)
		run(channel[1], closer->listening);
	close(channel[1]);
	if (process->pid < 0) {
		close(channel[0]);
		free(process);
		return -1;
	}
	LIST_INSERT_HEAD(&closer->processes, process, entry);
	if (closer->channel >= 0)
		close(closer->channel);
	closer->channel = channel[0];
	closer->taken = 0;
	return 0;
}

static bool few_are_ending(const struct closer *closer)
{
	const struct process *process;
	int count = -1;

	LIST_FOREACH(process, &closer->processes, entry)
		count++;
	return count < ENDING_MAX;
}

static void period_over(evutil_socket_t fd, short what, void *user)
{
	struct closer *closer = user;

	(void)fd;
	(void)what;
	if (closer->taken && (!few_are_ending(closer) || begin(closer)))
		evtimer_add(closer->period, &(struct timeval){ .tv_sec = PERIOD });
}

struct closer *closer_new(struct event_base *base, int listening)
{
	struct closer *closer = calloc(1, sizeof(*closer));

	if (!closer)
		return NULL;
	LIST_INIT(&closer->processes);
	closer->listening = listening;
	closer->channel = -1;
	closer->period = evtimer_new(base, period_over, closer);
	if (closer->period && !begin(closer))
		return closer;
	closer_free(closer);
	return NULL;
}

void closer_free(struct closer *closer)
{
	struct process *process;

	if (!closer)
		return;
	if (closer->period)
		event_free(closer->period);
	if (closer->channel >= 0)
		close(closer->channel);
	while ((process = LIST_FIRST(&closer->processes))) {
		LIST_REMOVE(process, entry);
		free(process);
	}
	free(closer);
}

void closer_take(struct closer *closer, int client)
{
	int unread = 1;

	/* Nothing is added to it from here on, and a file comes with a byte at least. */
	shutdown(client, SHUT_RDWR);
	if (!ioctl(client, SIOCINQ, &unread) && !unread) {
		close(client);
		return;
	}
	/* One that is gone is replaced. Where there is none, the connection stays open. */
	if (pass_send(closer->channel, "", 1, client) &&
	    (begin(closer) || pass_send(closer->channel, "", 1, client)))
		return;
	close(client);
	if (++closer->taken >= FULL)
		begin(closer);
	else if (!evtimer_pending(closer->period, NULL))
		evtimer_add(closer->period, &(struct timeval){ .tv_sec = PERIOD });
}

void closer_reap(struct closer *closer)
{
	struct process *process, *next;

	for (process = LIST_FIRST(&closer->processes); process; process = next) {
		next = LIST_NEXT(process, entry);
		if (waitpid(process->pid, NULL, WNOHANG) != process->pid)
			continue;
		LIST_REMOVE(process, entry);
		free(process);
	}
}
