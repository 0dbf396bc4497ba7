/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of the daemon share. */
#ifndef RVTRACED_DAEMON_H
#define RVTRACED_DAEMON_H

#include <stdbool.h>
#include <sys/queue.h>
#include <time.h>

#include "config.h"

struct control;
struct event_base;
struct session;
struct sinks;

LIST_HEAD(session_list, session);

/**
 * struct daemon - the process
 * @base: the one event loop
 * @config: settings as last loaded
 * @sinks: sinks udev knows
 * @control: the control socket
 * @sessions: sessions, live and finished, at most one per sink
 * @started: CLOCK_MONOTONIC seconds
 * @stopping: no new sessions; the loop ends with the last one
 */
struct daemon {
	struct event_base *base;
	struct config config;
	struct sinks *sinks;
	struct control *control;
	struct session_list sessions;
	time_t started;
	bool stopping;
};

#endif /* RVTRACED_DAEMON_H */
