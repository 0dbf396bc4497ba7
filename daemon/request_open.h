/* SPDX-License-Identifier: GPL-2.0 */
/* The request `open`: which settings. */
#ifndef RVTRACED_REQUEST_OPEN_H
#define RVTRACED_REQUEST_OPEN_H

#include "control.h"
#include "worker.h"

/**
 * request_open - open a session as a client wants it
 * @connection: who asks
 * @request: its request, types checked
 * @release: the session gives the sink back when it ends, and is detached
 *	unless the request says otherwise
 * @error: filled on failure
 *
 * Return: the session, to be waited for; NULL on failure.
 */
struct worker *request_open(struct connection *connection, struct json_object *request,
			    bool release, struct rvtrace_failure *error);

#endif /* RVTRACED_REQUEST_OPEN_H */
