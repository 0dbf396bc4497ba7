/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session: one sink, drained into one trace directory, by a process of its own that has the
 * rights of the recording's owner: worker.h.
 */
#ifndef RVTRACED_SESSION_H
#define RVTRACED_SESSION_H

#include <json-c/json.h>

#include "daemon.h"
#include "device.h"
#include "session_settings.h"

struct session;

/**
 * enum session_state - life of a session
 * @SESSION_PREPARING: sink open, recording created, program images being saved
 * @SESSION_OPEN: ready to start
 * @SESSION_RUNNING: tracing
 * @SESSION_DRAINING: tracing has stopped, the rest is being written
 * @SESSION_CLOSING: the rest is written, program images are being compared
 * @SESSION_FINISHED: files are final
 */
enum session_state {
	SESSION_PREPARING,
	SESSION_OPEN,
	SESSION_RUNNING,
	SESSION_DRAINING,
	SESSION_CLOSING,
	SESSION_FINISHED,
};

/**
 * struct session_numbers - what changes all the time, in memory shared with the daemon
 * @bytes: trace bytes written
 * @lost: trace bytes lost
 * @records: bytes of records written
 * @records_lost: records the driver had no room for
 * @sideband_lost: records of the side band that the kernel had no room for
 * @segments: segment files
 * @started: CLOCK_MONOTONIC, ns, when tracing started
 * @beats: changes while the process of a session that is to end does something
 */
struct session_numbers {
	uint64_t bytes;
	uint64_t lost;
	uint64_t records;
	uint64_t records_lost;
	uint64_t sideband_lost;
	uint64_t segments;
	uint64_t started;
	uint64_t beats;
};

/**
 * struct session_host - the process of a session, as the session sees it
 * @daemon: configuration and event loop
 * @numbers: shared with who asks for them
 * @become: have no more rights than the recording's owner from now on: the user @uid with the group
 *	@gid and others. Returns 0 or a negative errno, with @error filled
 * @confine: take nothing but what recording takes from now on; as @become
 * @ready: the session is open, or runs; @error: why it does not, or NULL
 * @changed: the session's state or its errors have changed
 * @finished: the files of @session are final
 * @keep: @state is what another process would need
 * @user: first argument of all of them
 */
struct session_host {
	struct daemon *daemon;
	struct session_numbers *numbers;
	int (*become)(void *user, uid_t uid, gid_t gid, const gid_t *groups, int group_count,
		      struct rvtrace_failure *error);
	int (*confine)(void *user, struct rvtrace_failure *error);
	void (*ready)(void *user, const struct rvtrace_failure *error);
	void (*changed)(void *user);
	void (*finished)(void *user, struct session *session);
	void (*keep)(void *user, struct json_object *state);
	void *user;
};

/**
 * session_resume - go on with the session of a process that died
 * @host: this process; it must outlive the session
 * @sink: name of the sink
 * @device: its device node, NULL: it is gone
 * @state: what was kept of it
 * @goes_on: set: whether it does; else the recording is finished as it is
 * @error: filled on failure
 *
 * The recording's errors say so either way.
 *
 * Return: the session; NULL on failure: there is nothing to finish.
 */
struct session *session_resume(const struct session_host *host, const char *sink,
			       const char *device, struct json_object *state, bool *goes_on,
			       struct rvtrace_failure *error);

/**
 * session_open - open a sink and create the recording
 * @host: this process, which must outlive the session; it has no more rights than the
 *	recording's owner when this returns
 * @settings: what is wanted, @directory and @directory_name set
 * @error: filled on failure
 *
 * @ready of the host is called once its program images are saved.
 *
 * Return: the session; NULL on failure: @error has -EBUSY (a session that others started is live,
 * or the device is read by others), or another errno.
 */
struct session *session_open(const struct session_host *host,
			     const struct session_settings *settings,
			     struct rvtrace_failure *error);

/**
 * session_start - start tracing
 * @session: an open session
 *
 * @ready of the host is called then; if that failed, @finished, too.
 */
void session_start(struct session *session);

/**
 * session_stop - stop tracing and write the rest
 * @session: the session; when it is finished already nothing happens
 *
 * @finished of the host is called when the files are final, perhaps before this returns. The session
 * still exists then.
 */
void session_stop(struct session *session);

/**
 * session_over - stop a detached session that was there for too long
 * @session: the session
 */
void session_over(struct session *session);

/**
 * session_flush - have everything traced until now written
 * @session: a running session
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int session_flush(struct session *session, struct rvtrace_failure *error);

/**
 * session_free - give the sink back and forget the session
 * @session: the session, in any state, or NULL; a live one is cut, not drained
 */
void session_free(struct session *session);

/** session_state - where in its life a session is */
enum session_state session_state(const struct session *session);

/**
 * session_describe - add a session's numbers to an object
 * @session: the session
 * @object: directory, session_state, bytes, lost, segments ... are added
 */
void session_describe(const struct session *session, struct json_object *object);

/** session_state_name - as answers have it */
const char *session_state_name(enum session_state state);

#endif /* RVTRACED_SESSION_H */
