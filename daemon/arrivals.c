// SPDX-License-Identifier: GPL-2.0
/* Connections that were accepted and are not served yet: see arrivals.h. */
#include <linux/sockios.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "arrivals.h"

void arrivals_init(struct arrivals *arrivals)
{
	TAILQ_INIT(&arrivals->list);
	arrivals->last = 0;
}

int arrivals_add(struct arrivals *arrivals, int fd, const struct ucred *peer)
{
	struct arrival *arrival = malloc(sizeof(*arrival));

	if (!arrival)
		return -1;
	arrival->fd = fd;
	arrival->peer = *peer;
	TAILQ_INSERT_TAIL(&arrivals->list, arrival, entry);
	return 0;
}

/* How many users behind the last one @uid is; root is before them. */
static uid_t distance(const struct arrivals *arrivals, uid_t uid)
{
	return uid ? uid - arrivals->last - 1 : 0;
}

static struct arrival *find_next(const struct arrivals *arrivals)
{
	struct arrival *arrival, *found = NULL;

	TAILQ_FOREACH(arrival, &arrivals->list, entry) {
		if (!arrival->peer.uid)
			return arrival;
		if (!found || distance(arrivals, arrival->peer.uid) <
			      distance(arrivals, found->peer.uid))
			found = arrival;
	}
	return found;
}

int arrivals_next(struct arrivals *arrivals, struct ucred *peer)
{
	struct arrival *arrival = find_next(arrivals);
	int fd;

	if (!arrival)
		return -1;
	fd = arrival->fd;
	*peer = arrival->peer;
	if (peer->uid)
		arrivals->last = peer->uid;
	TAILQ_REMOVE(&arrivals->list, arrival, entry);
	free(arrival);
	return fd;
}

/* A file comes with a byte at least. */
bool arrivals_is_gone(int fd)
{
	struct pollfd end = { .fd = fd };
	int unread = 1;

	return poll(&end, 1, 0) == 1 && end.revents & POLLHUP &&
	       !ioctl(fd, SIOCINQ, &unread) && !unread;
}
