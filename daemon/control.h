/* SPDX-License-Identifier: GPL-2.0 */
/* The control socket: connections, lines, answers. */
#ifndef RVTRACED_CONTROL_H
#define RVTRACED_CONTROL_H

#include <sys/socket.h>

#include <json-c/json.h>

#include "daemon.h"

struct connection;

/**
 * control_open - listen
 * @daemon: the daemon
 * @path: socket; unused when systemd passed one
 * @error: one line on failure
 * @size: bytes at @error
 *
 * Return: 0 or -1.
 */
int control_open(struct daemon *daemon, const char *path, char *error, size_t size);

/**
 * control_free - close the socket and all connections, remove the file
 * @control: the socket or NULL
 */
void control_free(struct control *control);

/**
 * control_session_finished - answer those who wait for a session's end
 * @daemon: the daemon
 * @session: a finished session; it is not freed here
 */
void control_session_finished(struct daemon *daemon, struct session *session);

/** connection_daemon - the daemon a connection belongs to */
struct daemon *connection_daemon(struct connection *connection);

/** connection_peer - who is at the other end */
const struct ucred *connection_peer(const struct connection *connection);

/**
 * connection_take_directory - the file descriptor that came with the request
 * @connection: the connection
 *
 * Return: a file descriptor the caller owns, or -1.
 */
int connection_take_directory(struct connection *connection);

/**
 * connection_wait - answer once a session has finished, not now
 * @connection: the connection; it takes no further request until then
 * @session: the session
 * @close: forget the session then
 */
void connection_wait(struct connection *connection, struct session *session, bool close);

#endif /* RVTRACED_CONTROL_H */
