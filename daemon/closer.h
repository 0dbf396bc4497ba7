/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Closes connections that are turned away. What is unread in one may carry files whose close takes
 * for ever, as gate.h explains: processes have them that wait for nothing else, and for one user's
 * connections only. A user has four of those, and one more for each table of open files that
 * connections have filled. Each of these connections carries a file, or more bytes than a socket
 * takes by default: others are closed at once. The daemon has none of them open.
 *
 * What limits their number is memory: each of these connections takes the kernel about 8 KiB, so
 * one more process is the end of 65,000 of them and of half a GiB.
 */
#ifndef RVTRACED_CLOSER_H
#define RVTRACED_CLOSER_H

#include <sys/types.h>

struct closer;
struct event_base;

/**
 * closer_new - begin
 * @base: the event loop
 * @listening: the socket that clients connect to. Connections that were not accepted are closed
 *	after the daemon, too
 *
 * Return: the closer or NULL.
 */
struct closer *closer_new(struct event_base *base, int listening);

/** closer_free - end; everything is closed, and not waited for */
void closer_free(struct closer *closer);

/**
 * closer_take - close a connection
 * @closer: the closer
 * @client: its socket
 * @uid: of the client
 *
 * Return: 0; -1: no process can be begun for it. As then nobody can be served either, no further
 * connection is to be accepted for a while. It is closed when the daemon has ended.
 */
int closer_take(struct closer *closer, int client, uid_t uid);

/** closer_reap - a child process has ended */
void closer_reap(struct closer *closer);

#endif /* RVTRACED_CLOSER_H */
