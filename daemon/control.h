/* SPDX-License-Identifier: GPL-2.0 */
/* The control socket: connections, lines, answers. */
#ifndef RVTRACED_CONTROL_H
#define RVTRACED_CONTROL_H

#include <sys/socket.h>

#include "daemon.h"
#include "worker.h"

struct connection;

/**
 * control_open - listen
 * @daemon: the daemon
 * @path: socket; unused when systemd passed one
 * @handle: carries out a request, as request_handle() does
 * @error: one line on failure
 * @size: bytes at @error
 *
 * Return: 0 or -1.
 */
int control_open(struct daemon *daemon, const char *path,
		 struct json_object *(*handle)(struct connection *connection, const char *line,
					       size_t length),
		 char *error, size_t size);

/**
 * control_serve - begin to accept clients
 * @control: the socket; this process does not go to the background any more
 *
 * Return: 0 or -1.
 */
int control_serve(struct control *control);

/**
 * control_reap - a child process has ended
 * @control: the socket or NULL
 */
void control_reap(struct control *control);

/**
 * control_free - close the socket and all connections, remove the file
 * @control: the socket or NULL
 */
void control_free(struct control *control);

/** connection_daemon - the daemon a connection belongs to */
struct daemon *connection_daemon(struct connection *connection);

/** connection_peer - who is at the other end */
const struct ucred *connection_peer(const struct connection *connection);

/**
 * connection_take_directory - have the directory that came with the request sent
 * @connection: the connection
 *
 * It is sent when the request was handled. By then this process has closed what is returned.
 *
 * Return: a socket through which it comes, which the caller owns; -1: none came; -ENOTDIR: something
 * else did; or another negative errno.
 */
int connection_take_directory(struct connection *connection);

/**
 * connection_groups - groups of who is at the other end
 * @connection: the connection
 * @count: set to how many there are
 *
 * Return: the groups, which the connection owns.
 */
const gid_t *connection_groups(const struct connection *connection, int *count);

/**
 * connection_wait - answer later, not now
 * @connection: the connection; it takes no further request until then
 * @session: the session
 * @wait: until when
 */
void connection_wait(struct connection *connection, struct worker *session,
		     enum worker_wait wait);

#endif /* RVTRACED_CONTROL_H */
