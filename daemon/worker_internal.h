/* SPDX-License-Identifier: GPL-2.0 */
/* A session of the daemon, as its own files see it. */
#ifndef RVTRACED_WORKER_INTERNAL_H
#define RVTRACED_WORKER_INTERNAL_H

#include <event2/event.h>

#include "worker.h"

struct worker {
	LIST_ENTRY(worker) entry;
	struct daemon *daemon;
	char *sink;
	uid_t uid;
	bool release;
	bool detached;
	bool side_band;
	bool starting;			/* the process was asked to start the session */
	bool stopping;			/* the process was asked to end the session */
	bool over;			/* as it was there for too long */
	bool killed;			/* one process did not come to the end */
	int deaths;			/* processes in a row that died soon */
	time_t spawned;			/* CLOCK_MONOTONIC */
	bool discard;
	void *owner;
	enum session_state state;
	pid_t pid;			/* 0: it has ended */
	bool final;			/* it has no file open that could delay its end */
	struct bufferevent *channel;	/* NULL: it has told all */
	/* The process has told something. */
	void (*report)(struct worker *worker, struct json_object *report);
	/* It has ended, and all that it told was read. */
	void (*died)(struct worker *worker);
	struct event *privileged;	/* it asks for what it has no rights to do */
	struct session_numbers *numbers;
	struct json_object *told;	/* the session, as the process last described it; NULL: never */
	struct json_object *kept;	/* what another process would need, once there is a session */
	struct event *reaper;
	struct event *orphaned;
	struct event *limit;		/* of a detached session */
	struct event *patience;		/* while the process is to go on with the session, or to end it */
	uint64_t beats;
	int patient;			/* how often it was waited once more as it beats */
	bool hurried;			/* since the daemon is to end, it has less time */
	struct event *keeper;		/* a second after @kept was written */
	int keeps;			/* how often it was since */
	bool unkept;			/* it has changed since */
	time_t ends;			/* CLOCK_MONOTONIC: when a detached session does; 0: never */
};

/* A member of an object, or NULL. */
struct json_object *worker_member(struct json_object *object, const char *name);

void worker_free_event(struct event **event);

/* Begins the process: with @settings a new session, else one with what was kept of it. */
int worker_spawn(struct worker *worker, const struct session_settings *settings,
		 struct rvtrace_failure *error);

/* Before the first time: 0 or -ENOMEM; then it writes @kept, at once or within a second. */
int worker_keep_new(struct worker *worker);
void worker_keep(struct worker *worker);

/* Nothing more is heard of the process, or asked of it. */
void worker_close_ends(struct worker *worker);

/* Ends the process, if there is one. */
void worker_kill(const struct worker *worker);

/* Seconds of CLOCK_MONOTONIC */
time_t worker_now(void);

/* Whether the sink has a session that another process could go on with. */
bool worker_has_session(const struct worker *worker);

/* Tells the process what to do, if it still listens. */
void worker_ask(struct worker *worker, const char *verb);

/* What follows from a report of the process. */
void worker_told(struct worker *worker, struct json_object *report);

/* What follows from its death. */
void worker_died(struct worker *worker);

/* From here to its report, or to the end of the session, the process does something, or has failed. */
void worker_watch_patience(struct worker *worker);

/* Whether another process may try; it is kept that it does. */
bool worker_may_resume(struct worker *worker);

/* Another process goes on; @why: what befell the one before. */
int worker_go_on(struct worker *worker, const char *why, struct rvtrace_failure *error);

/*
 * Nobody else knows of the session, and all that it would still trace is lost. @state: NULL if the
 * process had the sink until now, so that no other session began.
 */
void worker_stop_hardware(const char *sink, struct json_object *state);

#endif /* RVTRACED_WORKER_INTERNAL_H */
