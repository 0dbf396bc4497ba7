/* SPDX-License-Identifier: GPL-2.0 */
/* The process of one session: what it is asked for and tells through the channel of worker.h. */
#ifndef RVTRACED_PROCESS_H
#define RVTRACED_PROCESS_H

#include <sys/types.h>

#include <rvtrace/recording.h>

#include "daemon.h"

struct json_object;
struct session_numbers;
struct session_settings;

/**
 * struct process_ends - one side's ends of what connects it with the other
 *
 * Sockets: who reads from a pipe, writes to it or closes it may have to wait for memory of who does so
 * at the other end.
 *
 * @channel: orders of the daemon, and reports
 * @privileged: what privileged_serve() reads and answers; a packet is a message
 * @alive: whether any process of the session is there
 */
struct process_ends {
	int channel;
	int privileged;
	int alive;
};

/**
 * struct process_start - what a process begins with
 * @daemon: that of the process which forked
 * @settings: of a new session; NULL: one is to be gone on with
 * @sink: name of the sink
 * @device: its device node, NULL: it is gone
 * @state: what was kept of a session that is gone on with
 * @numbers: shared memory
 * @ends: those of the process
 */
struct process_start {
	const struct daemon *daemon;
	const struct session_settings *settings;
	const char *sink;
	const char *device;
	struct json_object *state;
	struct session_numbers *numbers;
	struct process_ends ends;
};

/**
 * process_run - be the process of a session, just forked, all signals blocked
 * @start: how it begins
 */
__attribute__((noreturn))
void process_run(const struct process_start *start);

#endif /* RVTRACED_PROCESS_H */
