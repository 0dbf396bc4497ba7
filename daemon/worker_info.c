// SPDX-License-Identifier: GPL-2.0
/* What is known about a session of the daemon, and noted of it. */
#include <string.h>
#include <time.h>

#include "worker_internal.h"

struct json_object *worker_member(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, name, &value);
	return value;
}

void worker_free_event(struct event **event)
{
	if (*event)
		event_free(*event);
	*event = NULL;
}

time_t worker_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

bool worker_has_session(const struct worker *worker)
{
	return worker_member(worker->kept, "session");
}

struct worker *worker_find(struct daemon *daemon, const char *sink)
{
	struct worker *worker, *first = LIST_FIRST(&daemon->workers);

	if (!sink)
		return first && !LIST_NEXT(first, entry) ? first : NULL;
	LIST_FOREACH(worker, &daemon->workers, entry)
		if (!strcmp(worker->sink, sink))
			return worker;
	return NULL;
}

struct worker *worker_next(const struct worker *worker)
{
	return LIST_NEXT(worker, entry);
}

enum session_state worker_state(const struct worker *worker)
{
	return worker->state;
}

bool worker_releases(const struct worker *worker)
{
	return worker->release;
}

uid_t worker_uid(const struct worker *worker)
{
	return worker->uid;
}

const char *worker_sink(const struct worker *worker)
{
	return worker->sink;
}

void *worker_owner(const struct worker *worker)
{
	return worker->owner;
}

void worker_set_owner(struct worker *worker, void *owner)
{
	worker->owner = owner;
}

void worker_discard(struct worker *worker)
{
	worker->discard = true;
	worker->owner = NULL;
	if (worker->state == SESSION_FINISHED)
		event_active(worker->reaper, EV_TIMEOUT, 0);
}

static void add_number(struct json_object *object, const char *name, uint64_t value)
{
	json_object_object_add(object, name, json_object_new_uint64(value));
}

static void add_live(const struct worker *worker, struct json_object *object)
{
	const struct session_numbers *numbers = worker->numbers;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	add_number(object, "bytes", numbers->bytes);
	add_number(object, "lost", numbers->lost);
	add_number(object, "segments", numbers->segments);
	add_number(object, "records", numbers->records);
	add_number(object, "records_lost", numbers->records_lost);
	add_number(object, "sideband_lost", numbers->sideband_lost);
	json_object_object_add(object, "seconds", json_object_new_double(
		now.tv_sec + now.tv_nsec / 1e9 - numbers->started / 1e9));
}

void worker_describe(const struct worker *worker, struct json_object *object)
{
	json_object_object_add(object, "session_state",
			       json_object_new_string(session_state_name(worker->state)));
	if (worker->told) {
		json_object_object_foreach(worker->told, name, value)
			json_object_object_add(object, name, json_object_get(value));
	}
	if (worker->state == SESSION_RUNNING || worker->state == SESSION_DRAINING)
		add_live(worker, object);
}
