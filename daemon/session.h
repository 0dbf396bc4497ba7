/* SPDX-License-Identifier: GPL-2.0 */
/* A session: one sink, drained into one trace directory. */
#ifndef RVTRACED_SESSION_H
#define RVTRACED_SESSION_H

#include <json-c/json.h>

#include "daemon.h"
#include "device.h"

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
 * struct session_settings - what a session is to be
 * @sink: name of the sink
 * @device: its device node
 * @directory: file descriptor of the recording's directory; session_open()
 *	owns it from its call on
 * @directory_name: its path, for messages
 * @uid: owner of the files
 * @gid: group of the files
 * @mode: mode of the sink, NULL: as it is
 * @buffer_size: size of the ring, 0: as it is
 * @watermark: unread bytes at which to drain, 0: as configured
 * @max_size: trace bytes after which to stop, 0: none
 * @encoders: array of names, NULL: all that can reach the sink
 * @attributes: object of objects, or NULL
 * @command: array, or NULL
 * @command_pid: the traced process, 0: none
 * @client: process that asked for the session
 * @sideband: record the side band
 * @memory: save executable memory that is in no file
 * @detached: the session outlives who asked for it
 * @release: start at once, and give the sink back as soon as the session has ended
 */
struct session_settings {
	const char *sink;
	const char *device;
	int directory;
	const char *directory_name;
	uid_t uid;
	gid_t gid;
	const char *mode;
	uint64_t buffer_size;
	uint64_t watermark;
	uint64_t max_size;
	struct json_object *encoders;
	struct json_object *attributes;
	struct json_object *command;
	pid_t command_pid;
	pid_t client;
	bool sideband;
	bool memory;
	bool detached;
	bool release;
};

/**
 * session_resume - go on with the session of a daemon that died
 * @daemon: the daemon
 * @sink: name of the sink
 * @state: what was kept of it
 *
 * Where that cannot be, the recording is finished as it is. Either way its
 * errors say so.
 *
 * Return: whether it goes on
 */
bool session_resume(struct daemon *daemon, const char *sink, struct json_object *state);

/**
 * session_attach - the client of a resumed session has come back
 * @session: the session
 * @owner: its connection
 */
void session_attach(struct session *session, void *owner);

/** session_attachable - whether a resumed session waits for its client */
bool session_attachable(const struct session *session);

/**
 * session_open - open a sink and create the recording
 * @daemon: the daemon
 * @settings: what is wanted
 * @out: the session
 * @error: filled on failure
 *
 * control_session_ready() is called once its program images are saved.
 *
 * Return: 0, -EBUSY (a session that others started is live, or the device is
 * read by others), or another negative errno.
 */
int session_open(struct daemon *daemon, const struct session_settings *settings,
		 struct session **out, struct rvtrace_recording_error *error);

/**
 * session_start - start tracing
 * @session: an open session
 * @error: filled on failure; the session is then finished
 *
 * Return: 0 or a negative errno.
 */
int session_start(struct session *session, struct rvtrace_recording_error *error);

/**
 * session_stop - stop tracing and write the rest
 * @session: the session; when it is finished already nothing happens
 *
 * control_session_finished() is called when the files are final, perhaps
 * before this returns. The session still exists then.
 */
void session_stop(struct session *session);

/**
 * session_flush - have everything traced until now written
 * @session: a running session
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int session_flush(struct session *session, struct rvtrace_recording_error *error);

/**
 * session_discard - forget the session as soon as it has finished
 * @session: the session, in any state; it has no owner any more
 */
void session_discard(struct session *session);

/**
 * session_free - give the sink back and forget the session
 * @session: the session, in any state, or NULL; a live one is cut, not drained
 */
void session_free(struct session *session);

/**
 * session_find - the session of a sink
 * @daemon: the daemon
 * @sink: its name, NULL: the only session there is
 *
 * Return: the session or NULL.
 */
struct session *session_find(struct daemon *daemon, const char *sink);

/** session_next - the session after this one in the daemon's list, or NULL */
struct session *session_next(const struct session *session);

/** session_state - where in its life a session is */
enum session_state session_state(const struct session *session);

/** session_releases - whether it gives the sink back as soon as it has ended */
bool session_releases(const struct session *session);

/** session_uid - owner of its recording */
uid_t session_uid(const struct session *session);

/** session_sink - name of its sink */
const char *session_sink(const struct session *session);

/** session_owner - the connection it ends with, or NULL */
void *session_owner(const struct session *session);

/** session_set_owner - set the connection it ends with */
void session_set_owner(struct session *session, void *owner);

/**
 * session_describe - add a session's numbers to an object
 * @session: the session
 * @object: directory, session_state, bytes, lost, segments ... are added
 */
void session_describe(const struct session *session, struct json_object *object);

#endif /* RVTRACED_SESSION_H */
