// SPDX-License-Identifier: GPL-2.0
/* A session, as the daemon sees it. */
#include <errno.h>
#include <event2/bufferevent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log.h"
#include "worker_internal.h"

#define CLAIM_SECONDS	30	/* what a client that is still there needs to come back */
#define CLOSE_STEPS	1000
#define CLOSE_STEP_US	1000

static void reap(evutil_socket_t fd, short what, void *user)
{
	(void)fd;
	(void)what;
	worker_free(user);
}

/* In the daemon's list */
static struct worker *new_worker(struct daemon *daemon, const char *sink)
{
	struct worker *worker = calloc(1, sizeof(*worker));

	if (!worker)
		return NULL;
	LIST_INSERT_HEAD(&daemon->workers, worker, entry);
	worker->daemon = daemon;
	worker->report = worker_told;
	worker->died = worker_died;
	worker->sink = strdup(sink);
	worker->reaper = evtimer_new(daemon->base, reap, worker);
	worker->numbers = mmap(NULL, sizeof(*worker->numbers), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (worker->numbers == MAP_FAILED)
		worker->numbers = NULL;
	/* Processes of other sessions do not have it. */
	if (worker->numbers)
		madvise(worker->numbers, sizeof(*worker->numbers), MADV_DONTFORK);
	if (worker->sink && worker->reaper && worker->numbers && !worker_keep_new(worker))
		return worker;
	worker_free(worker);
	return NULL;
}

static void keep_bool(struct json_object *kept, const char *name, bool value)
{
	json_object_object_add(kept, name, json_object_new_boolean(value));
}

static void over(evutil_socket_t fd, short what, void *user)
{
	struct worker *worker = user;

	(void)fd;
	(void)what;
	worker->release = true;
	worker->over = true;
	keep_bool(worker->kept, "release", true);
	worker_ask(worker, "over");
	worker_stop(worker);
}

/* The session ends at its time, whether it has started or not. */
static void watch_limit(struct worker *worker, time_t ends)
{
	time_t now = worker_now();

	worker->ends = ends;
	json_object_object_add(worker->kept, "ends", json_object_new_int64(ends));
	if (!ends)
		return;
	worker->limit = evtimer_new(worker->daemon->base, over, worker);
	if (worker->limit)
		evtimer_add(worker->limit, &(struct timeval) {
			.tv_sec = ends > now ? ends - now : 0 });
}

/*
 * Who the recording is for, and what is wanted: whatever becomes of the process that records, it
 * has no say in that.
 */
static struct json_object *describe_settings(const struct session_settings *settings)
{
	struct json_object *kept = json_object_new_object();
	struct json_object *groups = json_object_new_array();
	int i;

	for (i = 0; i < settings->group_count; i++)
		json_object_array_add(groups, json_object_new_int64(settings->groups[i]));
	json_object_object_add(kept, "uid", json_object_new_int64(settings->uid));
	json_object_object_add(kept, "gid", json_object_new_int64(settings->gid));
	json_object_object_add(kept, "groups", groups);
	json_object_object_add(kept, "watermark", json_object_new_uint64(settings->watermark));
	json_object_object_add(kept, "max_size", json_object_new_uint64(settings->max_size));
	json_object_object_add(kept, "command_pid", json_object_new_int(settings->command_pid));
	json_object_object_add(kept, "client", json_object_new_int(settings->client));
	keep_bool(kept, "all_encoders", !settings->encoders);
	keep_bool(kept, "sideband", settings->sideband);
	keep_bool(kept, "save_images", settings->memory);
	keep_bool(kept, "detached", settings->detached);
	keep_bool(kept, "release", settings->release);
	return kept;
}

/* What the daemon itself needs of @kept */
static void take_settings(struct worker *worker, struct json_object *kept)
{
	worker->kept = kept;
	worker->uid = json_object_get_int64(worker_member(kept, "uid"));
	worker->side_band = worker->daemon->config.sideband &&
			    json_object_get_boolean(worker_member(kept, "sideband"));
	worker->detached = json_object_get_boolean(worker_member(kept, "detached"));
	worker->release = json_object_get_boolean(worker_member(kept, "release"));
}

struct worker *worker_open(struct daemon *daemon, const struct session_settings *settings,
			   struct rvtrace_failure *error)
{
	struct worker *worker = new_worker(daemon, settings->sink);

	if (!worker) {
		rvtrace_fail(error, ENOMEM, 0, "out of memory");
	} else {
		take_settings(worker, describe_settings(settings));
		if (settings->detached && daemon->config.detached_time)
			watch_limit(worker, worker_now() + daemon->config.detached_time);
		if (worker_spawn(worker, settings, error)) {
			worker_free(worker);
			worker = NULL;
		}
	}
	if (settings->directory >= 0)
		close(settings->directory);
	return worker;
}

static void unclaimed(evutil_socket_t fd, short what, void *user)
{
	struct worker *worker = user;

	(void)fd;
	(void)what;
	log_message(LOG_NOTICE, "%s: its client did not come back, stopping", worker->sink);
	worker_discard(worker);
	worker_stop(worker);
}

static void watch_claim(struct worker *worker)
{
	if (worker->detached)
		return;
	worker->orphaned = evtimer_new(worker->daemon->base, unclaimed, worker);
	if (worker->orphaned)
		evtimer_add(worker->orphaned, &(struct timeval){ .tv_sec = CLAIM_SECONDS });
}

bool worker_resume(struct daemon *daemon, const char *sink, struct json_object *state)
{
	struct rvtrace_failure error;
	struct worker *worker;

	/* The state of one that goes on already was written anew. */
	if (worker_find(daemon, sink))
		return true;
	worker = new_worker(daemon, sink);
	if (!worker)
		return false;
	take_settings(worker, json_object_get(state));
	watch_claim(worker);
	watch_limit(worker, json_object_get_int64(worker_member(state, "ends")));
	if (worker_may_resume(worker)) {
		if (!worker_go_on(worker, "rvtraced died and was started again", &error))
			return true;
		log_message(LOG_ERR, "%s: its session cannot go on: %s", sink, error.text);
	}
	worker_stop_hardware(sink, state);
	worker->state = SESSION_FINISHED;
	worker_free(worker);
	return false;
}

void worker_attach(struct worker *worker, void *owner)
{
	worker_free_event(&worker->orphaned);
	worker->owner = owner;
}

bool worker_attachable(const struct worker *worker)
{
	return worker->orphaned;
}

bool worker_may_start(const struct worker *worker)
{
	return worker->state == SESSION_OPEN && !worker->starting && !worker->stopping;
}

void worker_start(struct worker *worker)
{
	worker->starting = true;
	worker_ask(worker, "start");
}

void worker_flush(struct worker *worker)
{
	worker_ask(worker, "flush");
}

void worker_stop(struct worker *worker)
{
	if (worker->state == SESSION_FINISHED)
		return;
	if (!worker->stopping)
		worker_ask(worker, "stop");
	worker->stopping = true;
	worker_watch_patience(worker);
}

/* Whoever opens the sink next finds it free; a file system that does not answer is not waited for. */
static bool end_process(struct worker *worker)
{
	pid_t ended = 0;
	int i;

	if (!worker->pid)
		return true;
	worker_kill(worker);
	for (i = 0; !ended && i < (worker->final ? CLOSE_STEPS : 1); i++) {
		if (i)
			usleep(CLOSE_STEP_US);
		ended = waitpid(worker->pid, NULL, WNOHANG);
	}
	return ended;
}

void worker_free(struct worker *worker)
{
	struct daemon *daemon = worker->daemon;
	bool ended;

	LIST_REMOVE(worker, entry);
	worker_close_ends(worker);
	ended = end_process(worker);
	worker_free_event(&worker->reaper);
	worker_free_event(&worker->orphaned);
	worker_free_event(&worker->limit);
	worker_free_event(&worker->patience);
	worker_free_event(&worker->keeper);
	if (worker->numbers)
		munmap(worker->numbers, sizeof(*worker->numbers));
	json_object_put(worker->told);
	json_object_put(worker->kept);
	free(worker->sink);
	if (ended)
		free(worker);
	else
		LIST_INSERT_HEAD(&daemon->dying, worker, entry);
	daemon_idle(daemon);
}

void worker_free_all(struct daemon *daemon)
{
	struct worker *worker;

	while ((worker = LIST_FIRST(&daemon->workers)))
		worker_free(worker);
	while ((worker = LIST_FIRST(&daemon->dying))) {
		LIST_REMOVE(worker, entry);
		free(worker);
	}
	remains_free(&daemon->remains);
}
