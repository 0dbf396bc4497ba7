// SPDX-License-Identifier: GPL-2.0
/* What others learn about a session. */
#include <time.h>

#include "session_internal.h"

double session_seconds(const struct session *session)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - session->started.tv_sec +
	       (now.tv_nsec - session->started.tv_nsec) / 1e9;
}

enum session_state session_state(const struct session *session)
{
	return session->state;
}

const char *session_state_name(enum session_state state)
{
	static const char *const names[] = {
		"preparing", "open", "running", "draining", "closing", "finished",
	};

	return names[state];
}

static void add_number(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

void session_describe(const struct session *session, struct json_object *object)
{
	struct rvtrace_recorder_totals totals = session->capture.totals;
	bool live = session->state == SESSION_RUNNING || session->state == SESSION_DRAINING;

	if (session->capture.recorder)
		rvtrace_recorder_totals(session->capture.recorder, 0, &totals);
	json_object_object_add(object, "session_state",
			       json_object_new_string(session_state_name(session->state)));
	json_object_object_add(object, "directory",
			       json_object_new_string(session->capture.directory));
	add_number(object, "bytes", totals.bytes);
	add_number(object, "lost", totals.lost);
	add_number(object, "segments", totals.segments);
	add_number(object, "records", totals.records);
	add_number(object, "records_lost", session->device.control && live ?
		   session->device.control->records_lost : session->records_lost);
	add_number(object, "sideband_lost", session->state >= SESSION_CLOSING ?
		   session->capture.sideband_lost : sideband_lost(session->capture.sideband));
	json_object_object_add(object, "seconds",
			       json_object_new_double(live ? session_seconds(session) :
							     session->seconds));
	add_number(object, "text_changes", session->capture.text_changes);
	json_object_object_add(object, "errors", json_object_get(session->capture.errors));
	json_object_object_add(object, "warnings", json_object_get(session->capture.warnings));
}
