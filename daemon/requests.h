/* SPDX-License-Identifier: GPL-2.0 */
/* What a client can ask for: docs/control-protocol.md. */
#ifndef RVTRACED_REQUESTS_H
#define RVTRACED_REQUESTS_H

#include "control.h"

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

#endif /* RVTRACED_REQUESTS_H */
