/* SPDX-License-Identifier: GPL-2.0 */
/* A session, as its own files see it. */
#ifndef RVTRACED_SESSION_INTERNAL_H
#define RVTRACED_SESSION_INTERNAL_H

#include <event2/event.h>

#include "capture.h"
#include "session.h"

struct session {
	const struct session_host *host;
	struct capture capture;
	enum session_state state;
	struct device device;
	struct event *readable;
	struct event *tick;
	struct json_object *kept;	/* what a process that takes over must know */
	bool all_encoders;
	bool release;			/* the sink, as soon as the session has ended */
	bool start_wanted;		/* as soon as the images are saved */
	uint64_t watermark;
	uint64_t max_size;
	uint64_t records_lost;
	size_t errors_told;		/* of the errors until now */
	time_t drain_deadline;
	struct timespec started;
	double seconds;
};

/* A session with nothing in it; or NULL. */
struct session *session_new(const struct session_host *host, const char *sink);

/* Events of the open device. */
int session_add_events(struct session *session, struct rvtrace_failure *error);

/* Tracing: events on, recovered after a death by session_resume.c. */
void session_running(struct session *session);

/* Has kernel text saved that the device tells of. */
void session_watch_text(struct session *session);

/* CLOCK_MONOTONIC */
time_t session_now(void);

/* Seconds since tracing started. */
double session_seconds(const struct session *session);

/* Sets the watermark; @wanted 0: as configured. */
int session_set_watermark(struct session *session, uint64_t wanted,
			  struct rvtrace_failure *error);

#endif /* RVTRACED_SESSION_INTERNAL_H */
