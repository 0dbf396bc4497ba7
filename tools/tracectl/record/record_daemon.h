/* SPDX-License-Identifier: GPL-2.0 */
/* rvtraced as tracectl record needs it: one that may be slow, stopped or die. */
#ifndef RVTRACE_TRACECTL_RECORD_DAEMON_H
#define RVTRACE_TRACECTL_RECORD_DAEMON_H

#include <rvtrace/control.h>

struct progress;

#define RETURN_WITHIN	15	/* seconds in which another daemon takes over */

/**
 * record_connect() - connect to rvtraced
 * @socket: its socket, NULL: the usual one
 * @client: filled, on failure too
 *
 * Requests that are not answered for seconds say so; an interrupt, or some
 * minutes, end the waiting.
 *
 * Return: 0 or a negative errno.
 */
int record_connect(const char *socket, struct rvtrace_client **client);

/**
 * record_doing() - say on a terminal what rvtraced is waited for, and how long
 * @progress: where that is shown, NULL: nothing is any more
 * @what: what rvtraced does
 */
void record_doing(struct progress *progress, const char *what);

/**
 * record_reconnect() - come back to the session of a daemon that died
 * @socket: its socket, NULL: the usual one
 * @sink: the sink of the session
 * @directory: its recording
 * @client: replaced when the session goes on
 *
 * Waits some seconds for another daemon to take over, unless the recording is
 * complete.
 *
 * Return: 0 or a negative errno.
 */
int record_reconnect(const char *socket, const char *sink, const char *directory,
		     struct rvtrace_client **client);

/**
 * record_stop_alone() - stop tracing without rvtraced
 * @sink: the sink
 *
 * A daemon that was killed leaves the harts tracing, and nobody to read.
 */
void record_stop_alone(const char *sink);

#endif /* RVTRACE_TRACECTL_RECORD_DAEMON_H */
