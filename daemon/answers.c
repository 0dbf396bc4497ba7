// SPDX-License-Identifier: GPL-2.0
/* Answers to clients: docs/control-protocol.md. */
#include <stdarg.h>
#include <stdio.h>

#include "answers.h"
#include "tools/lib/base/utf8.h"

struct json_object *answer_refusal(int code, const char *format, ...)
{
	struct json_object *answer = json_object_new_object();
	char text[600], line[4 * sizeof(text)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* One line; half a character, where a name was shortened, is none. */
	utf8_copy_visible(line, sizeof(line), text);
	json_object_object_add(answer, "ok", json_object_new_boolean(false));
	json_object_object_add(answer, "errno", json_object_new_int(code));
	json_object_object_add(answer, "error", json_object_new_string(line));
	return answer;
}

struct json_object *answer_accept(void)
{
	struct json_object *answer = json_object_new_object();

	json_object_object_add(answer, "ok", json_object_new_boolean(true));
	return answer;
}

struct json_object *answer_session(const struct worker *session)
{
	struct json_object *answer = answer_accept();

	json_object_object_add(answer, "sink", json_object_new_string(worker_sink(session)));
	worker_describe(session, answer);
	return answer;
}
