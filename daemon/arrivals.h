/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Connections that were accepted and are not served yet. To serve one takes a process, to make one
 * takes its client next to nothing: whoever makes many waits behind each of the others, not they
 * behind all of his.
 */
#ifndef RVTRACED_ARRIVALS_H
#define RVTRACED_ARRIVALS_H

#include <stdbool.h>
#include <sys/queue.h>
#include <sys/socket.h>

/** struct arrival - one of them: @fd of @peer */
struct arrival {
	TAILQ_ENTRY(arrival) entry;
	int fd;
	struct ucred peer;
};

TAILQ_HEAD(arrival_list, arrival);

/**
 * struct arrivals - all of them
 * @list: in their order
 * @last: the user who was served last
 */
struct arrivals {
	struct arrival_list list;
	uid_t last;
};

/** arrivals_init - none */
void arrivals_init(struct arrivals *arrivals);

/**
 * arrivals_add - one more
 * @arrivals: those before
 * @fd: its socket, which @arrivals has from then on
 * @peer: the client
 *
 * Return: 0, or -1 without memory: @fd is still the caller's.
 */
int arrivals_add(struct arrivals *arrivals, int fd, const struct ucred *peer);

/**
 * arrivals_next - the one to serve now: of root, else of the user behind the last one
 * @arrivals: all of them
 * @peer: the client
 *
 * Return: its socket, which is the caller's; -1: there is none.
 */
int arrivals_next(struct arrivals *arrivals, struct ucred *peer);

/** arrivals_is_gone - whether a client has hung up and left nothing to read, files neither */
bool arrivals_is_gone(int fd);

#endif /* RVTRACED_ARRIVALS_H */
