// SPDX-License-Identifier: GPL-2.0
/* The process that talks to one client: it begins, and has ended. See gate.h. */
#include <errno.h>
#include <event2/util.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "gate.h"
#include "gate_process.h"
#include "tools/lib/base/pass.h"

/* The ends of the daemon first */
struct ends {
	int requests[2];
	int answers[2];
};

static void close_pair(const int *pair)
{
	close(pair[0]);
	close(pair[1]);
}

static int make_ends(struct ends *ends)
{
	if (pipe2(ends->requests, O_CLOEXEC))
		return -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends->answers)) {
		close_pair(ends->requests);
		return -1;
	}
	/* Nothing comes this way, no file either. */
	shutdown(ends->answers[0], SHUT_RD);
	return 0;
}

/* Return: -1: it could not be begun. */
static pid_t begin(int client, const struct ends *ends, struct gate_start *start)
{
	pid_t pid;

	start->client = client;
	start->requests = ends->requests[1];
	start->answers = ends->answers[1];
	start->daemon = getpid();
	pid = child_fork();
	if (!pid) {
		close(ends->answers[0]);
		gate_run(start);
	}
	return pid;
}

struct gate *gate_open(int client, const struct ucred *peer, const gid_t *groups, int group_count)
{
	struct gate_start start = { .peer = peer, .groups = groups, .group_count = group_count };
	struct gate *gate = calloc(1, sizeof(*gate));
	struct ends ends;

	if (!gate || make_ends(&ends)) {
		free(gate);
		return NULL;
	}
	gate->uid = peer->uid;
	gate->requests = ends.requests[0];
	gate->answers = ends.answers[0];
	gate->pid = begin(client, &ends, &start);
	if (gate->pid < 0) {
		close_pair(ends.requests);
		close_pair(ends.answers);
		free(gate);
		return NULL;
	}
	close(ends.requests[1]);
	close(ends.answers[1]);
	/* The last one to close it is the gate, which its user can end as soon as it goes on. */
	close(client);
	send(gate->answers, "", 1, MSG_NOSIGNAL);
	evutil_make_socket_nonblocking(gate->requests);
	evutil_make_socket_nonblocking(gate->answers);
	return gate;
}

void gate_give(struct gate *gate, int socket)
{
	const char give = GATE_GIVE;

	/* Who waits at the other end sees that nothing comes. */
	pass_send(gate->answers, &give, sizeof(give), socket);
	close(socket);
}

void gate_close(struct gate *gate)
{
	close(gate->requests);
	close(gate->answers);
}

/* Its user may stop it. It would neither see that its client is gone, nor give a directory. */
bool gate_ended(struct gate *gate)
{
	int status;

	if (gate->pid && waitpid(gate->pid, &status, WNOHANG | WUNTRACED) == gate->pid) {
		if (WIFSTOPPED(status))
			kill(gate->pid, SIGKILL);
		else
			gate->pid = 0;
	}
	return !gate->pid;
}
