/* SPDX-License-Identifier: GPL-2.0 */
/* A session, as its own files see it. */
#ifndef RVTRACED_SESSION_INTERNAL_H
#define RVTRACED_SESSION_INTERNAL_H

#include <event2/event.h>

#include "capture.h"
#include "session.h"

struct session {
	LIST_ENTRY(session) entry;
	struct daemon *daemon;
	struct capture capture;
	enum session_state state;
	struct device device;
	struct event *readable;
	struct event *tick;
	struct event *reaper;
	struct event *orphaned;
	struct event *limit;		/* of a detached session */
	time_t ends;			/* CLOCK_MONOTONIC: when that is; 0: never */
	struct json_object *kept;	/* what a daemon that takes over must know */
	uid_t uid;
	bool all_encoders;
	bool release;
	bool detached;
	bool start_wanted;		/* as soon as the images are saved */
	bool discard;
	void *owner;
	uint64_t watermark;
	uint64_t max_size;
	uint64_t records_lost;
	time_t drain_deadline;
	struct timespec started;
	double seconds;
};

/* A session in the daemon's list, with nothing in it; or NULL. */
struct session *session_new(struct daemon *daemon, const char *sink);

/* Events of the open device. */
int session_add_events(struct session *session, struct rvtrace_recording_error *error);

/* Tracing: events on, recovered after a death by session_resume.c. */
void session_running(struct session *session);

/* Has kernel text saved that the device tells of. */
void session_watch_text(struct session *session);

/* The session ends at its time, whether it has started or not. */
void session_watch_limit(struct session *session);

/* CLOCK_MONOTONIC */
time_t session_now(void);

/* Seconds since tracing started. */
double session_seconds(const struct session *session);

/* Sets the watermark; @wanted 0: as configured. */
int session_set_watermark(struct session *session, uint64_t wanted,
			  struct rvtrace_recording_error *error);

#endif /* RVTRACED_SESSION_INTERNAL_H */
