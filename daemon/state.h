/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a daemon that takes the place of one that died must know: a file per
 * session below the folder of the control socket.
 */
#ifndef RVTRACED_STATE_H
#define RVTRACED_STATE_H

#include <json-c/json.h>

#include "daemon.h"

/**
 * state_keep - write the state of a session, in place of an older one
 * @daemon: the daemon
 * @sink: name of the sink
 * @state: the state
 *
 * A failure is logged: the session then ends with the daemon.
 */
void state_keep(const struct daemon *daemon, const char *sink, struct json_object *state);

/**
 * state_forget - remove the state of a session
 * @daemon: the daemon
 * @sink: name of the sink
 */
void state_forget(const struct daemon *daemon, const char *sink);

/**
 * state_each - what a daemon that died has left
 * @daemon: the daemon
 * @found: called for each session; what it returns false for is forgotten
 */
void state_each(struct daemon *daemon,
		bool (*found)(struct daemon *daemon, const char *sink,
			      struct json_object *state));

#endif /* RVTRACED_STATE_H */
