/* SPDX-License-Identifier: GPL-2.0 */
/* What a client can ask for: docs/control-protocol.md. */
#ifndef RVTRACED_REQUESTS_H
#define RVTRACED_REQUESTS_H

#include "control.h"
#include "worker.h"

/**
 * request_handle - carry out one request
 * @connection: who asks
 * @line: the request's text, NUL-terminated
 * @length: bytes at @line
 *
 * Return: the answer, owned by the caller; NULL when it comes later
 * (connection_wait()).
 */
struct json_object *request_handle(struct connection *connection, const char *line,
				   size_t length);

/**
 * request_session_result - the answer to `stop` and `close`
 * @session: a finished session
 *
 * Return: the answer, owned by the caller.
 */
struct json_object *request_session_result(const struct worker *session);

/**
 * request_refuse - an answer that says why not
 * @code: errno value, positive
 * @format: printf format of one line
 *
 * Return: the answer, owned by the caller.
 */
__attribute__((format(printf, 2, 3)))
struct json_object *request_refuse(int code, const char *format, ...);

#endif /* RVTRACED_REQUESTS_H */
