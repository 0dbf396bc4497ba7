/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Client of rvtraced's control socket. The protocol is described in
 * docs/control-protocol.md: one JSON object per line each way, and the
 * directory of a recording as a file descriptor, so that the daemon writes
 * where its client may write.
 *
 * Calls block until the daemon has answered. Functions return 0 or a negative
 * errno; rvtrace_client_error() then gives one line of text.
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
 * struct rvtrace_client_settings - a session, as a client wants it
 * @size: sizeof(struct rvtrace_client_settings), see rvtrace/rvtrace.h
 * @sink: as "rvtrace0"; NULL: the only sink there is
 * @directory: where to record; NULL: the daemon chooses one under its default
 *	directory
 * @directory_fd: file descriptor of @directory, as from
 *	rvtrace_recording_directory(): it exists, by the caller's rights. Not consumed
 * @pid: process that will be traced, 0: none
 * @command: NULL-terminated argument vector for metadata.json, or NULL; arguments after the first 32 KiB
 *	are left out, and "..." says so
 * @mode: "stream" or "fill", NULL: as the sink is set
 * @buffer_size: bytes of the ring, 0: as the sink is set
 * @watermark: unread bytes at which the daemon wakes up, 0: its default
 * @max_size: trace bytes after which the session is stopped, 0: no limit
 * @save_images: save executable memory that is in no file: deleted files, memfd,
 *	code a JIT made
 * @no_sideband: do not record the kernel's perf side band
 * @detached: the session goes on when this client disconnects
 * @encoders: NULL-terminated names of the encoders to trace, NULL: all
 * @attributes: object of objects: component name, or "*" for every encoder of
 *	the session, to attribute name to value (string or number), written
 *	through sysfs before the start; NULL: none. Not consumed.
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
 * @out: the client; rvtrace_client_free() it. Set on failure too, for
 *	rvtrace_client_error(), unless memory ran out (then NULL).
 *
 * Return: 0; -ENOENT or -ECONNREFUSED (no daemon), -EACCES (not in the group
 * that may use it), or another negative errno.
 */
int rvtrace_client_connect(const char *path, struct rvtrace_client **out);

/**
 * rvtrace_client_set_patience - do not wait for ever for an answer
 * @client: the client
 * @seconds: how often to ask @waiting
 * @waiting: told how long an answer has not come yet, in seconds; other than 0
 *	ends the waiting, and the request fails with -ETIMEDOUT. The client is of
 *	no use then.
 * @user: for @waiting
 */
void rvtrace_client_set_patience(struct rvtrace_client *client, unsigned int seconds,
				 int (*waiting)(void *user, unsigned int seconds), void *user);

/**
 * rvtrace_client_free - disconnect
 * @client: the client or NULL; a session it opened and did not detach is
 *	stopped by the daemon
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
 * rvtrace_client_request - send a request, wait for the answer
 * @client: the client
 * @request: the object, `request` included; not consumed
 * @directory: file descriptor to pass along, -1: none; not consumed
 * @reply: the daemon's answer, the caller puts it; may be NULL
 *
 * Return: 0; the negative errno the daemon answered (text in
 * rvtrace_client_error()); -EPIPE (it went away), -EPROTO (its answer is not
 * JSON), or another negative errno.
 */
int rvtrace_client_request(struct rvtrace_client *client, struct json_object *request,
			   int directory, struct json_object **reply);

/**
 * rvtrace_client_list - sinks the daemon knows
 * @client: the client
 * @reply: object with `sinks`; the caller puts it
 */
int rvtrace_client_list(struct rvtrace_client *client, struct json_object **reply);

/**
 * rvtrace_client_status - live numbers
 * @client: the client
 * @sink: one sink, NULL: all
 * @reply: object with `daemon` and `sinks`; the caller puts it
 */
int rvtrace_client_status(struct rvtrace_client *client, const char *sink,
			  struct json_object **reply);

/**
 * rvtrace_client_open - open a sink and create its recording, tracing nothing yet
 * @client: the client
 * @settings: the session; the directory is created here, with the rights of
 *	the caller
 * @reply: object with `sink` and `directory`; the caller puts it; may be NULL
 *
 * The driver's probes are armed when this returns, so kernel text can be saved.
 *
 * Return: 0; -EBUSY (sink in use, or a session that others started is live),
 * -ENODEV (no such sink), -EINVAL, -E2BIG (also of @settings, see rvtrace/rvtrace.h), or another
 * negative errno.
 */
int rvtrace_client_open(struct rvtrace_client *client,
			const struct rvtrace_client_settings *settings,
			struct json_object **reply);

/**
 * rvtrace_client_start - start tracing
 * @client: the client
 * @settings: only @sink after rvtrace_client_open(); else opens as well
 * @reply: as rvtrace_client_open()
 */
int rvtrace_client_start(struct rvtrace_client *client,
			 const struct rvtrace_client_settings *settings,
			 struct json_object **reply);

/**
 * rvtrace_client_attach - come back to a session whose daemon died
 * @client: a new client, of the daemon that took over
 * @sink: the sink, NULL: the only session there is
 * @reply: as rvtrace_client_open()
 *
 * The session then ends with this client, as it would have with the old one.
 *
 * Return: 0; -ENOENT (it does not go on), -EBUSY, -EPERM, or another negative
 * errno.
 */
int rvtrace_client_attach(struct rvtrace_client *client, const char *sink,
			  struct json_object **reply);

/**
 * rvtrace_client_stop - stop tracing, wait until everything is on disk
 * @client: the client
 * @sink: the sink, NULL: the only session there is
 * @reply: object with `directory`, `bytes`, `lost`, `segments`, `errors` ...;
 *	the caller puts it; may be NULL
 *
 * The files are final when this returns. A session that was opened by
 * rvtrace_client_open() keeps the sink until rvtrace_client_close(). A session
 * that ended by itself is answered in the same way.
 */
int rvtrace_client_stop(struct rvtrace_client *client, const char *sink,
			struct json_object **reply);

/**
 * rvtrace_client_flush - drain the path without ending the session
 * @client: the client
 * @sink: the sink, NULL: the only session there is
 *
 * Everything traced before the call is on disk when this returns.
 */
int rvtrace_client_flush(struct rvtrace_client *client, const char *sink);

/**
 * rvtrace_client_close - give the sink back; stops first when needed
 * @client: the client
 * @sink: the sink, NULL: the only session there is
 * @reply: as rvtrace_client_stop(), may be NULL
 */
int rvtrace_client_close(struct rvtrace_client *client, const char *sink,
			 struct json_object **reply);

RVTRACE_END_DECLS

#endif /* RVTRACE_CONTROL_H */
