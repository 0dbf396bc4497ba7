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
 * struct session_settings - what a session is to be
 * @sink: name of the sink
 * @device: its device node
 * @directory: file descriptor of the recording's directory, or, until its process runs, of a socket
 *	through which that comes; -1: none came along
 * @directory_name: its path; NULL: a new one below that of the configuration
 * @uid: owner of the files
 * @gid: group of the files
 * @groups: other groups of the owner
 * @group_count: members of @groups
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
	const gid_t *groups;
	int group_count;
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

struct process;

/**
 * session_resume - go on with the session of a process that died
 * @process: this one
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
struct session *session_resume(struct process *process, const char *sink, const char *device,
			       struct json_object *state, bool *goes_on,
			       struct rvtrace_recording_error *error);

/**
 * session_open - open a sink and create the recording
 * @process: this one; it has no more rights than the recording's owner when this returns
 * @settings: what is wanted, @directory and @directory_name set
 * @error: filled on failure
 *
 * process_ready() is called once its program images are saved.
 *
 * Return: the session; NULL on failure: @error has -EBUSY (a session that others started is live,
 * or the device is read by others), or another errno.
 */
struct session *session_open(struct process *process, const struct session_settings *settings,
			     struct rvtrace_recording_error *error);

/**
 * session_start - start tracing
 * @session: an open session
 *
 * process_ready() is called then; if that failed, process_finished(), too.
 */
void session_start(struct session *session);

/**
 * session_stop - stop tracing and write the rest
 * @session: the session; when it is finished already nothing happens
 *
 * process_finished() is called when the files are final, perhaps before this returns. The session
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
int session_flush(struct session *session, struct rvtrace_recording_error *error);

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
