/* SPDX-License-Identifier: GPL-2.0 */
/* rvtraced as tracectl record needs it: one that may be slow, stopped or die. */
#ifndef RVTRACE_TRACECTL_RECORD_DAEMON_H
#define RVTRACE_TRACECTL_RECORD_DAEMON_H

#include <rvtrace/control.h>

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
 * record_expect() - what rvtraced is busy with when it does not answer at once
 * @what: shown on a terminal after some seconds; NULL: nothing
 */
void record_expect(const char *what);

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
