/* SPDX-License-Identifier: GPL-2.0 */
/* The request `open`: whose directory, which settings. */
#ifndef RVTRACED_REQUEST_OPEN_H
#define RVTRACED_REQUEST_OPEN_H

#include "control.h"
#include "session.h"

/**
 * request_open - open a session as a client wants it
 * @connection: who asks
 * @request: its request, types checked
 * @release: the session gives the sink back when it ends, and is detached
 *	unless the request says otherwise
 * @session: the session
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int request_open(struct connection *connection, struct json_object *request, bool release,
		 struct session **session, struct rvtrace_recording_error *error);

#endif /* RVTRACED_REQUEST_OPEN_H */
