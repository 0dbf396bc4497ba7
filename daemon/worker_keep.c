// SPDX-License-Identifier: GPL-2.0
/* What another process would need of a session is written down. */
#include <errno.h>

#include "state.h"
#include "worker_internal.h"

#define KEEPS_MAX	8	/* within a second */

static void keep_again(evutil_socket_t fd, short what, void *user)
{
	struct worker *worker = user;

	(void)fd;
	(void)what;
	worker->keeps = 0;
	if (worker->unkept)
		worker_keep(worker);
}

int worker_keep_new(struct worker *worker)
{
	worker->keeper = evtimer_new(worker->daemon->base, keep_again, worker);
	return worker->keeper ? 0 : -ENOMEM;
}

/* The process may tell of something else all the time. */
void worker_keep(struct worker *worker)
{
	worker->unkept = worker->keeps == KEEPS_MAX;
	if (worker->unkept)
		return;
	state_keep(worker->daemon, worker->sink, worker->kept);
	if (!worker->keeps++)
		evtimer_add(worker->keeper, &(struct timeval){ .tv_sec = 1 });
}
