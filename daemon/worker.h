/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session, as the daemon sees it: a process of its own, with the rights of who asked for it,
 * drains the sink and writes the recording, so that no file of a user is touched with other rights,
 * and no file system that a user chose delays anybody else.
 *
 * Both talk in JSON objects, one a line. The daemon asks: {"do": "start"}, stop, over, flush. The
 * process tells: {"event": E, "state": N, "session": {...}}, with "errno" and "error" where
 * something failed; E is opened, resumed ("goes_on"), ready, flushed, changed, keep ("kept") or
 * finished. A process that dies is replaced while its session runs: a gap that is counted.
 *
 * The process reads what users write, so that it may come to tell anything: what is not of the
 * expected type is ignored, and what decides about rights is never taken from it.
 */
#ifndef RVTRACED_WORKER_H
#define RVTRACED_WORKER_H

#include <json-c/json.h>

#include "daemon.h"
#include "session.h"

/**
 * enum worker_wait - what a client waits for
 * @WAIT_READY: the session is open, or runs
 * @WAIT_FLUSHED: what was traced is written
 * @WAIT_FINISHED: its files are final
 * @WAIT_CLOSED: the same, and it is to be forgotten then
 */
enum worker_wait {
	WAIT_READY,
	WAIT_FLUSHED,
	WAIT_FINISHED,
	WAIT_CLOSED,
};

/**
 * struct worker_clients - those who wait for something of a session
 * @answer: it is that far; @error: why it cannot be, NULL: it is done
 * @finished: answer all of them: the session has finished, and is not freed here
 */
struct worker_clients {
	void (*answer)(struct daemon *daemon, struct worker *worker, enum worker_wait wait,
		       const struct rvtrace_failure *error);
	void (*finished)(struct daemon *daemon, struct worker *worker);
};

/**
 * worker_open - begin a session
 * @daemon: the daemon
 * @settings: what is wanted; @directory, a socket, is closed by this call
 * @error: filled on failure
 *
 * @answer of the clients is called once it is open, or could not be opened.
 *
 * Return: the session, or NULL.
 */
struct worker *worker_open(struct daemon *daemon, const struct session_settings *settings,
			   struct rvtrace_failure *error);

/**
 * worker_resume - go on with the session of a daemon that died
 * @daemon: the daemon
 * @sink: name of the sink
 * @state: what was kept of it
 *
 * Return: whether that is tried.
 */
bool worker_resume(struct daemon *daemon, const char *sink, struct json_object *state);

/**
 * worker_attach - the client of a resumed session has come back
 * @worker: the session
 * @owner: its connection
 */
void worker_attach(struct worker *worker, void *owner);

/** worker_attachable - whether a resumed session waits for its client */
bool worker_attachable(const struct worker *worker);

/** worker_may_start - whether a session is open, and nobody has asked for its start or its end */
bool worker_may_start(const struct worker *worker);

/**
 * worker_start - start tracing
 * @worker: a session that may start
 *
 * @answer of the clients is called then.
 */
void worker_start(struct worker *worker);

/** worker_listens - whether the process takes what it is asked for */
bool worker_listens(const struct worker *worker);

/**
 * worker_flush - have everything traced until now written
 * @worker: a running session
 *
 * @answer of the clients is called then.
 */
void worker_flush(struct worker *worker);

/**
 * worker_stop - stop tracing and write the rest
 * @worker: the session; when it is finished already nothing happens
 *
 * @finished of the clients is called when the files are final; also when the process did not
 * come to that in time.
 */
void worker_stop(struct worker *worker);

/**
 * worker_discard - forget the session as soon as it has finished
 * @worker: the session, in any state; it has no owner any more
 */
void worker_discard(struct worker *worker);

/**
 * worker_free - give the sink back and forget the session
 * @worker: the session, in any state; a live one is cut, not drained
 */
void worker_free(struct worker *worker);

/** worker_free_all - of all sessions */
void worker_free_all(struct daemon *daemon);

/** worker_reap - a child process has ended */
void worker_reap(struct daemon *daemon);

/**
 * worker_find - the session of a sink
 * @daemon: the daemon
 * @sink: its name, NULL: the only session there is
 *
 * Return: the session or NULL.
 */
struct worker *worker_find(struct daemon *daemon, const char *sink);

/** worker_next - the session after this one in the daemon's list, or NULL */
struct worker *worker_next(const struct worker *worker);

/** worker_state - where in its life a session is */
enum session_state worker_state(const struct worker *worker);

/** worker_releases - whether it gives the sink back as soon as it has ended */
bool worker_releases(const struct worker *worker);

/** worker_uid - owner of its recording */
uid_t worker_uid(const struct worker *worker);

/** worker_sink - name of its sink */
const char *worker_sink(const struct worker *worker);

/** worker_owner - the connection it ends with, or NULL */
void *worker_owner(const struct worker *worker);

/** worker_set_owner - set the connection it ends with */
void worker_set_owner(struct worker *worker, void *owner);

/**
 * worker_describe - add a session's numbers to an object
 * @worker: the session
 * @object: directory, session_state, bytes, lost, segments ... are added
 */
void worker_describe(const struct worker *worker, struct json_object *object);

#endif /* RVTRACED_WORKER_H */
