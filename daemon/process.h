/* SPDX-License-Identifier: GPL-2.0 */
/* The process of one session: what it is asked for and tells through the channel of worker.h. */
#ifndef RVTRACED_PROCESS_H
#define RVTRACED_PROCESS_H

#include <sys/types.h>

#include <rvtrace/recording.h>

#include "daemon.h"

struct bufferevent;
struct json_object;
struct session_numbers;
struct session_settings;

/**
 * struct process - this process
 * @daemon: what the parts of a session share with those of the daemon; no sinks, no clients
 * @session: the one session; NULL: none yet
 * @numbers: shared with the daemon
 * @channel: requests and reports
 * @beat: while the session is to end
 */
struct process {
	struct daemon daemon;
	struct session *session;
	struct session_numbers *numbers;
	struct bufferevent *channel;
	struct event *beat;
};

/**
 * struct process_start - what a process begins with
 * @daemon: that of the process which forked
 * @settings: of a new session; NULL: one is to be gone on with
 * @sink: name of the sink
 * @device: its device node, NULL: it is gone
 * @state: what was kept of a session that is gone on with
 * @numbers: shared memory
 * @channel: this end of the channel
 * @privileged: this end of the socket that privileged_serve() reads
 */
struct process_start {
	const struct daemon *daemon;
	const struct session_settings *settings;
	const char *sink;
	const char *device;
	struct json_object *state;
	struct session_numbers *numbers;
	int channel;
	int privileged;
};

/**
 * process_run - be the process of a session, just forked, all signals blocked
 * @start: how it begins
 */
__attribute__((noreturn))
void process_run(const struct process_start *start);

/**
 * process_become - have no more rights than the recording's owner from now on
 * @process: this one
 * @uid: the owner
 * @gid: its group
 * @groups: its other groups
 * @group_count: members of @groups
 * @error: filled on failure
 *
 * What else a session takes the daemon does: privileged.h.
 *
 * Return: 0 or a negative errno.
 */
int process_become(struct process *process, uid_t uid, gid_t gid, const gid_t *groups,
		   int group_count, struct rvtrace_recording_error *error);

/**
 * process_ready - tell that the session is open, or runs
 * @process: this one
 * @error: why it does not, or NULL
 */
void process_ready(struct process *process, const struct rvtrace_recording_error *error);

/** process_changed - tell what the session is now */
void process_changed(struct process *process);

/** process_finished - tell that the session's files are final */
void process_finished(struct process *process);

/**
 * process_keep - have the daemon keep what another process would need
 * @process: this one
 * @state: what that is
 */
void process_keep(struct process *process, struct json_object *state);

#endif /* RVTRACED_PROCESS_H */
