/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Client of rvtraced's control socket. docs/control-protocol.md describes the protocol: one JSON
 * object per line in each direction. The client passes the directory of a recording as a file
 * descriptor, so the daemon writes only where its client may write.
 *
 * Calls block until the daemon answers. Functions return 0 or a negative errno; after an error,
 * rvtrace_client_error() returns one line of text.
 */
#ifndef RVTRACE_CONTROL_H
#define RVTRACE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>

RVTRACE_BEGIN_DECLS

struct json_object;
struct rvtrace_client;

#define RVTRACE_CONTROL_SOCKET	"/run/rvtrace/rvtraced.sock"

/**
 * struct rvtrace_client_settings - a session as a client requests it
 * @size: sizeof(struct rvtrace_client_settings), see rvtrace/rvtrace.h
 * @sink: name, such as "rvtrace0"; NULL: the only sink
 * @directory: directory of the recording; NULL: the daemon chooses one in its default directory
 * @directory_fd: file descriptor of @directory, as from rvtrace_recording_directory(); the
 *	directory exists and was opened with the caller's rights. Not consumed
 * @pid: process that will be traced, 0: none
 * @command: NULL-terminated argument vector for metadata.json, or NULL; "..." replaces arguments
 *	after the first 32 KiB
 * @mode: "stream" or "fill"; NULL: the sink's setting
 * @buffer_size: bytes of the ring, 0: the sink's setting
 * @watermark: unread bytes at which the daemon wakes up, 0: its default
 * @max_size: trace bytes after which the session is stopped, 0: no limit
 * @save_images: save executable memory that is in no file: deleted files, memfd, JIT code
 * @no_sideband: do not record the kernel's perf side band
 * @detached: the session continues when this client disconnects
 * @encoders: NULL-terminated names of the encoders to trace, NULL: all
 * @attributes: attributes to write through sysfs before the start, NULL: none. An object maps a
 *	component name, or "*" for every encoder of the session, to an object that maps attribute
 *	names to values (string or number). Not consumed.
 */
struct rvtrace_client_settings {
	size_t size;
	const char *sink;
	const char *directory;
	int directory_fd;
	int pid;
	char *const *command;
	const char *mode;
	uint64_t buffer_size;
	uint64_t watermark;
	uint64_t max_size;
	bool save_images;
	bool no_sideband;
	bool detached;
	const char *const *encoders;
	struct json_object *attributes;
};

/**
 * rvtrace_client_connect - connect to the daemon
 * @path: socket, NULL: RVTRACE_CONTROL_SOCKET
 * @out: the client; free it with rvtrace_client_free(). Set on failure too, for
 *	rvtrace_client_error(), except without memory (then NULL).
 *
 * Return: 0; -ENOENT or -ECONNREFUSED (no daemon), -EACCES (the caller is not in the group that may
 * use it), or another negative errno.
 */
int rvtrace_client_connect(const char *path, struct rvtrace_client **out);

/**
 * rvtrace_client_set_patience - limit how long a request waits for its answer
 * @client: the client
 * @seconds: interval of the calls of @waiting
 * @waiting: called with the seconds that the answer is overdue; a result other than 0 ends the
 *	wait, and the request fails with -ETIMEDOUT. The client cannot be used afterwards.
 * @user: passed to @waiting
 */
void rvtrace_client_set_patience(struct rvtrace_client *client, unsigned int seconds,
				 int (*waiting)(void *user, unsigned int seconds), void *user);

/**
 * rvtrace_client_free - disconnect
 * @client: the client or NULL; the daemon stops a session that this client opened and did not
 *	detach
 */
void rvtrace_client_free(struct rvtrace_client *client);

/**
 * rvtrace_client_error - one line about the last failure
 * @client: the client or NULL
 *
 * Return: text, never NULL, valid until the next call with @client.
 */
const char *rvtrace_client_error(const struct rvtrace_client *client);

/**
 * rvtrace_client_request - send a request and wait for the answer
 * @client: the client
 * @request: the object, with its member `request`; not consumed
 * @directory: file descriptor to pass with the request, -1: none; not consumed
 * @reply: the daemon's answer, may be NULL; the caller releases it with json_object_put()
 *
 * Return: 0; the negative errno that the daemon returned (text in rvtrace_client_error()); -EPIPE
 * (the daemon disconnected), -EPROTO (the answer is not JSON), or another negative errno.
 */
int rvtrace_client_request(struct rvtrace_client *client, struct json_object *request,
			   int directory, struct json_object **reply);

/**
 * rvtrace_client_list - list the daemon's sinks
 * @client: the client
 * @reply: object with `sinks`; the caller releases it with json_object_put()
 */
int rvtrace_client_list(struct rvtrace_client *client, struct json_object **reply);

/**
 * rvtrace_client_status - get live counters
 * @client: the client
 * @sink: one sink, NULL: all
 * @reply: object with `daemon` and `sinks`; the caller releases it with json_object_put()
 */
int rvtrace_client_status(struct rvtrace_client *client, const char *sink,
			  struct json_object **reply);

/**
 * rvtrace_client_open - open a sink and create its recording, without starting trace
 * @client: the client
 * @settings: the session; the directory is created by this call, with the rights of the caller
 * @reply: object with `sink` and `directory`, may be NULL; the caller releases it with
 *	json_object_put()
 *
 * The driver's probes are armed when this returns, so kernel text can be saved.
 *
 * Return: 0; -EBUSY (the sink is in use, or another client's session is live), -ENODEV (no such
 * sink), -EINVAL, -E2BIG (for @settings too, see rvtrace/rvtrace.h), or another negative errno.
 */
int rvtrace_client_open(struct rvtrace_client *client,
			const struct rvtrace_client_settings *settings,
			struct json_object **reply);

/**
 * rvtrace_client_start - start tracing
 * @client: the client
 * @settings: only @sink after rvtrace_client_open(); otherwise this opens the sink as well
 * @reply: as rvtrace_client_open()
 */
int rvtrace_client_start(struct rvtrace_client *client,
			 const struct rvtrace_client_settings *settings,
			 struct json_object **reply);

/**
 * rvtrace_client_attach - attach to a session again after its daemon died
 * @client: a new client, of the daemon that took over
 * @sink: the sink, NULL: the only session
 * @reply: as rvtrace_client_open()
 *
 * The session then ends with this client, as it would have ended with the old one.
 *
 * Return: 0; -ENOENT (the session did not continue), -EBUSY, -EPERM, or another negative errno.
 */
int rvtrace_client_attach(struct rvtrace_client *client, const char *sink,
			  struct json_object **reply);

/**
 * rvtrace_client_stop - stop tracing and wait until all trace is on disk
 * @client: the client
 * @sink: the sink, NULL: the only session
 * @reply: object with `directory`, `bytes`, `lost`, `segments`, `errors` ..., may be NULL; the
 *	caller releases it with json_object_put()
 *
 * The files are final when this returns. A session that rvtrace_client_open() opened keeps the sink
 * until rvtrace_client_close(). A session that ended on its own gets the same answer.
 */
int rvtrace_client_stop(struct rvtrace_client *client, const char *sink,
			struct json_object **reply);

/**
 * rvtrace_client_flush - drain the path without ending the session
 * @client: the client
 * @sink: the sink, NULL: the only session
 *
 * All trace from before the call is on disk when this returns.
 */
int rvtrace_client_flush(struct rvtrace_client *client, const char *sink);

/**
 * rvtrace_client_close - release the sink, after a stop if the session is live
 * @client: the client
 * @sink: the sink, NULL: the only session
 * @reply: as rvtrace_client_stop(), may be NULL
 */
int rvtrace_client_close(struct rvtrace_client *client, const char *sink,
			 struct json_object **reply);

RVTRACE_END_DECLS

#endif /* RVTRACE_CONTROL_H */
