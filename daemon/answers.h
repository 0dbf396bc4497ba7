/* SPDX-License-Identifier: GPL-2.0 */
/* Answers to clients: docs/control-protocol.md. */
#ifndef RVTRACED_ANSWERS_H
#define RVTRACED_ANSWERS_H

#include "worker.h"

/**
 * answer_accept - an answer that says it was done
 *
 * Return: the answer, owned by the caller, to which what was asked for may be added.
 */
struct json_object *answer_accept(void);

/**
 * answer_session - the answer to `stop` and `close`
 * @session: a finished session
 *
 * Return: the answer, owned by the caller.
 */
struct json_object *answer_session(const struct worker *session);

/**
 * answer_refusal - an answer that says why not
 * @code: errno value, positive
 * @format: printf format of one line
 *
 * Return: the answer, owned by the caller.
 */
__attribute__((format(printf, 2, 3)))
struct json_object *answer_refusal(int code, const char *format, ...);

#endif /* RVTRACED_ANSWERS_H */
