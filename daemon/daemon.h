/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of the daemon share. */
#ifndef RVTRACED_DAEMON_H
#define RVTRACED_DAEMON_H

#include <stdbool.h>
#include <sys/queue.h>
#include <sys/types.h>
#include <time.h>

#include "config.h"
#include "remains.h"

#define RUN_PATH_MAX	256	/* more than the path of a socket may have */

struct companion;
struct control;
struct event_base;
struct sinks;
struct worker;
struct worker_clients;

LIST_HEAD(companion_list, companion);
LIST_HEAD(worker_list, worker);

/**
 * struct daemon - the process
 * @base: the one event loop
 * @config: settings as last loaded
 * @sinks: sinks udev knows
 * @control: the control socket
 * @clients: who waits for something of a session; NULL: nobody can
 * @run_directory: folder of the control socket, for what lives as long as it does
 * @companions: recordings beside sessions of others, at most one per sink
 * @workers: sessions, live and finished, at most one per sink
 * @dying: processes of sessions that were freed before they ended
 * @remains: what is left of any
 * @pid: the daemon's process
 * @started: CLOCK_MONOTONIC seconds
 * @stopping: no new sessions; the loop ends with the last of them
 */
struct daemon {
	struct event_base *base;
	struct config config;
	struct sinks *sinks;
	struct control *control;
	const struct worker_clients *clients;
	char run_directory[RUN_PATH_MAX];
	struct companion_list companions;
	struct worker_list workers;
	struct worker_list dying;
	struct remains_list remains;
	pid_t pid;
	time_t started;
	bool stopping;
};

/**
 * daemon_idle - a session or companion is gone: end the loop if it was the last
 * @daemon: the daemon
 */
void daemon_idle(struct daemon *daemon);

/**
 * daemon_set_priority - run this process as configured
 * @config: the configuration
 */
void daemon_set_priority(const struct config *config);

#endif /* RVTRACED_DAEMON_H */
