// SPDX-License-Identifier: GPL-2.0
/* A session: one sink, drained into one trace directory. */
#include <errno.h>
#include <event2/event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "control.h"
#include "describe.h"
#include "drain.h"
#include "log.h"
#include "session.h"
#include "settings.h"
#include "sideband.h"
#include "sysfs.h"

#define TICK_SECONDS	1
#define DRAIN_SECONDS	10	/* a stopped session that yields nothing for so long has failed */

struct session {
	LIST_ENTRY(session) entry;
	struct daemon *daemon;
	char *sink;
	char *directory;
	enum session_state state;
	struct device device;
	struct rvtrace_recorder *recorder;
	struct rvtrace_recorder_totals totals;	/* final once finished */
	struct sideband *sideband;
	struct event *readable;
	struct event *tick;
	struct event *reaper;
	struct json_object *metadata;
	struct json_object *encoders;
	struct json_object *errors;
	bool all_encoders;
	bool release;
	bool discard;
	void *owner;
	uint64_t watermark;
	uint64_t max_size;
	uint64_t records_lost;
	uint64_t sideband_lost;		/* final once finished */
	time_t drain_deadline;
	struct timespec started;
	double seconds;
};

static double seconds_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - then->tv_sec + (now.tv_nsec - then->tv_nsec) / 1e9;
}

static time_t monotonic_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* One line in the log, in metadata.json and in the answer to `stop`. */
__attribute__((format(printf, 2, 3)))
static void note_error(struct session *session, const char *format, ...)
{
	char text[600];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	log_message(LOG_ERR, "%s: %s", session->sink, text);
	json_object_array_add(session->errors, json_object_new_string(text));
	if (session->recorder)
		rvtrace_recorder_add_error(session->recorder, text);
}

static struct json_object *sink_object(struct session *session)
{
	struct json_object *sinks;

	json_object_object_get_ex(session->metadata, "sinks", &sinks);
	return json_object_array_get_idx(sinks, 0);
}

static void free_event(struct event **event)
{
	if (*event)
		event_free(*event);
	*event = NULL;
}

static void finish_sideband(struct session *session)
{
	struct rvtrace_recording_error error;

	/* A full disk was told of already. */
	if (sideband_stop(session->sideband, &error) &&
	    !json_object_array_length(session->errors))
		note_error(session, "%s", error.text);
	session->sideband_lost = sideband_lost(session->sideband);
	json_object_object_add(session->metadata, "sideband_lost",
			       json_object_new_uint64(session->sideband_lost));
}

/* Kernel text changes here: the driver's probes and perf's are disarmed. */
static void release(struct session *session)
{
	device_close(&session->device);
	sideband_free(session->sideband);
	session->sideband = NULL;
}

/* Bytes that were traced but could not be written are lost, and the session is over. */
static void mark_end(struct session *session)
{
	uint64_t position = session->device.position, lost = device_discard(&session->device);
	struct rvtrace_recording_error error;
	int ret = 0;

	session->seconds = seconds_since(&session->started);
	if (lost)
		ret = rvtrace_recorder_mark(session->recorder, 0, RVTRACE_CHUNK_LOST, position,
					    lost, 0, &error);
	if (!ret)
		ret = rvtrace_recorder_mark(session->recorder, 0, RVTRACE_CHUNK_SESSION_END,
					    position + lost, 0, 0, &error);
	if (ret && !json_object_array_length(session->errors))
		note_error(session, "%s", error.text);
}

/* Everything that could be written is: close the recording. */
static void finish(struct session *session)
{
	struct rvtrace_recording_error error;

	free_event(&session->readable);
	free_event(&session->tick);
	if (session->started.tv_sec)
		mark_end(session);
	/*
	 * Again: a start may have given an encoder another source id, and
	 * whether it overflowed is known now. Not earlier: what the daemon does
	 * while harts are traced fills the ring.
	 */
	describe_sources(session->metadata, session->encoders);
	finish_sideband(session);
	session->records_lost = session->device.control->records_lost;
	json_object_object_add(sink_object(session), "records_lost",
			       json_object_new_uint64(session->records_lost));
	rvtrace_recorder_totals(session->recorder, 0, &session->totals);
	if (rvtrace_recorder_finish(session->recorder, &error))
		note_error(session, "%s", error.text);
	rvtrace_recorder_free(session->recorder);
	session->recorder = NULL;
	session->state = SESSION_FINISHED;
	if (session->release)
		release(session);
	log_message(session->totals.lost ? LOG_WARNING : LOG_INFO,
		    "%s: session ended: %llu bytes, %llu lost, %u segments in %s", session->sink,
		    (unsigned long long)session->totals.bytes,
		    (unsigned long long)session->totals.lost, session->totals.segments,
		    session->directory);
	control_session_finished(session->daemon, session);
	if (session->discard)
		event_active(session->reaper, EV_TIMEOUT, 0);
}

void session_discard(struct session *session)
{
	session->discard = true;
	session->owner = NULL;
	if (session->state == SESSION_FINISHED)
		event_active(session->reaper, EV_TIMEOUT, 0);
}

/* From the loop, so that whoever finished the session may still look at it. */
static void reap(evutil_socket_t fd, short what, void *user)
{
	(void)fd;
	(void)what;
	session_free(user);
}

static void stop_hardware(struct session *session)
{
	int ret = sysfs_write(SYSFS_SINKS, session->sink, "tracing", "0");

	/* Without the device there is nothing to stop. */
	if (ret && ret != -ENOENT && ret != -ENODEV)
		note_error(session, "stopping: %s (see the kernel log)", strerror(-ret));
}

/* What was written stays; the rest cannot be. */
static void abandon(struct session *session, const char *text)
{
	note_error(session, "%s", text);
	stop_hardware(session);
	finish(session);
}

static void sideband_broke(void *user, const struct rvtrace_recording_error *error)
{
	abandon(user, error->text);
}

/* The session is over, by our own stop or by itself. */
static void ended(struct session *session)
{
	uint64_t counted = session->device.control->lost;
	struct rvtrace_recorder_totals totals;

	if (session->device.session_error)
		note_error(session, "the driver ended the session: %s",
			   strerror(-session->device.session_error));
	/* A session that ended by itself may have left encoders enabled. */
	if (session->state == SESSION_RUNNING)
		stop_hardware(session);
	rvtrace_recorder_totals(session->recorder, 0, &totals);
	if (counted != totals.lost)
		note_error(session, "the driver counted %llu bytes lost, %llu are located",
			   (unsigned long long)counted, (unsigned long long)totals.lost);
	finish(session);
}

static void drain(struct session *session, uint64_t minimum)
{
	struct rvtrace_recording_error error;
	struct rvtrace_recorder_totals totals;
	int result = device_drain(&session->device, session->recorder, 0, minimum, &error);

	if (result < 0) {
		abandon(session, error.text);
		return;
	}
	if (result == DEVICE_GONE) {
		abandon(session, "the device went away");
		return;
	}
	if (result == DEVICE_ENDED) {
		ended(session);
		return;
	}
	if (session->state == SESSION_DRAINING)
		session->drain_deadline = monotonic_seconds() + DRAIN_SECONDS;
	if (result == DEVICE_MORE)
		event_active(session->readable, EV_READ, 0);
	rvtrace_recorder_totals(session->recorder, 0, &totals);
	if (session->max_size && totals.bytes >= session->max_size)
		session_stop(session);
}

static void readable(evutil_socket_t fd, short what, void *user)
{
	struct session *session = user;

	(void)fd;
	(void)what;
	drain(session, session->state == SESSION_RUNNING ? session->watermark : 1);
}

/* Data below the watermark, and what poll() does not tell of. */
static void tick(evutil_socket_t fd, short what, void *user)
{
	struct session *session = user;
	struct rvtrace_recording_error error;

	(void)fd;
	(void)what;
	if (sideband_drain(session->sideband, &error)) {
		abandon(session, error.text);
		return;
	}
	if (session->state == SESSION_DRAINING && monotonic_seconds() > session->drain_deadline) {
		note_error(session, "the sink did not come to its end after it was stopped");
		finish(session);
		return;
	}
	drain(session, 1);
}

int session_start(struct session *session, struct rvtrace_recording_error *error)
{
	uint32_t before = session->device.control->session;
	int ret;

	ret = settings_start(session->sink, session->all_encoders ? NULL : session->encoders, error);
	if (!ret && session->device.control->session == before)
		ret = rvtrace_fail(error, EIO, 0, "%s: tracing was switched on, no session began",
				   session->sink);
	if (ret) {
		abandon(session, error->text);
		return ret;
	}
	clock_gettime(CLOCK_MONOTONIC, &session->started);
	session->state = SESSION_RUNNING;
	device_begin(&session->device);
	ret = rvtrace_recorder_mark(session->recorder, 0, RVTRACE_CHUNK_SESSION_START,
				    session->device.position, 0, 0, error);
	if (ret) {
		abandon(session, error->text);
		return ret;
	}
	event_add(session->readable, NULL);
	event_add(session->tick, &(struct timeval){ .tv_sec = TICK_SECONDS });
	log_message(LOG_INFO, "%s: session %u started, recording to %s", session->sink,
		    session->device.control->session, session->directory);
	return 0;
}

void session_stop(struct session *session)
{
	if (session->state == SESSION_OPEN) {
		finish(session);
		return;
	}
	if (session->state != SESSION_RUNNING)
		return;
	stop_hardware(session);
	session->state = SESSION_DRAINING;
	session->drain_deadline = monotonic_seconds() + DRAIN_SECONDS;
	event_active(session->readable, EV_READ, 0);
}

int session_flush(struct session *session, struct rvtrace_recording_error *error)
{
	int ret = sysfs_write(SYSFS_SINKS, session->sink, "flush", "1");

	if (ret)
		return rvtrace_fail(error, -ret, 0, "%s: flushing: %s", session->sink,
				    strerror(-ret));
	drain(session, 0);
	if (session->state == SESSION_FINISHED)
		return rvtrace_fail(error, EIO, 0, "%s: the session ended while it was flushed",
				    session->sink);
	return 0;
}

static int watermark_set(struct session *session, uint64_t wanted,
			 struct rvtrace_recording_error *error)
{
	uint64_t size = session->device.data_size;
	__u64 watermark = wanted ? wanted : session->daemon->config.watermark;

	/* A configured default must not refuse a small ring; a request must fit. */
	if (!watermark || (!wanted && watermark > size))
		watermark = drain_watermark(size);
	if (ioctl(session->device.fd, RVTRACE_IOC_WATERMARK, &watermark))
		return rvtrace_fail(error, errno, 0, "%s: watermark %llu: %s", session->sink,
				    (unsigned long long)watermark, strerror(errno));
	session->watermark = watermark;
	return 0;
}

static int create_recording(struct session *session, const struct session_settings *settings,
			    struct rvtrace_recording_error *error)
{
	const struct config *config = &session->daemon->config;
	const struct rvtrace_recorder_options options = {
		.segment_size = config->segment_size,
		.min_free = config->min_free,
		.uid = settings->uid,
		.gid = settings->gid,
	};
	struct rvtrace_recording_error why;
	int ret;

	ret = rvtrace_recorder_new(dup(settings->directory), settings->directory_name, &options,
				   &session->recorder, error);
	if (ret)
		return ret;
	ret = rvtrace_recorder_add_sink(session->recorder, session->sink, error);
	if (ret < 0)
		return ret;
	if (settings->sideband && config->sideband) {
		session->sideband = sideband_open(session->daemon->base, session->recorder,
						  sideband_broke, session, &why);
		if (!session->sideband)
			log_message(LOG_WARNING, "%s: %s", session->sink, why.text);
	}
	session->metadata = describe_recording(session->sink, session->encoders,
					       settings->command, session->device.data_size);
	json_object_object_add(session->metadata, "sideband",
			       json_object_new_boolean(session->sideband != NULL));
	return rvtrace_recorder_begin(session->recorder, session->metadata, error);
}

static int prepare(struct session *session, const struct session_settings *settings,
		   struct rvtrace_recording_error *error)
{
	int ret;

	session->encoders = settings->encoders ? json_object_get(settings->encoders) :
						 sysfs_encoders(session->sink);
	session->all_encoders = !settings->encoders;
	session->errors = json_object_new_array();
	ret = settings_idle(session->sink, error);
	if (!ret)
		ret = settings_apply(settings, session->encoders, error);
	if (!ret)
		ret = device_open(&session->device, settings->device, error);
	if (!ret)
		ret = watermark_set(session, settings->watermark, error);
	if (!ret)
		ret = create_recording(session, settings, error);
	if (ret)
		return ret;
	session->readable = event_new(session->daemon->base, session->device.fd,
				      EV_READ | EV_PERSIST, readable, session);
	session->tick = event_new(session->daemon->base, -1, EV_PERSIST, tick, session);
	session->reaper = evtimer_new(session->daemon->base, reap, session);
	if (!session->readable || !session->tick || !session->reaper)
		return rvtrace_fail(error, ENOMEM, 0, "out of memory");
	return 0;
}

int session_open(struct daemon *daemon, const struct session_settings *settings,
		 struct session **out, struct rvtrace_recording_error *error)
{
	struct session *session = calloc(1, sizeof(*session));
	int ret;

	*out = NULL;
	if (!session) {
		close(settings->directory);
		return rvtrace_fail(error, ENOMEM, 0, "out of memory");
	}
	session->daemon = daemon;
	session->device.fd = -1;
	session->sink = strdup(settings->sink);
	session->directory = strdup(settings->directory_name);
	session->release = settings->release;
	session->max_size = settings->max_size;
	LIST_INSERT_HEAD(&daemon->sessions, session, entry);
	ret = prepare(session, settings, error);
	close(settings->directory);
	if (ret) {
		session_free(session);
		return ret;
	}
	*out = session;
	return 0;
}

void session_free(struct session *session)
{
	if (!session)
		return;
	LIST_REMOVE(session, entry);
	if (session->daemon->stopping && LIST_EMPTY(&session->daemon->sessions))
		event_base_loopbreak(session->daemon->base);
	free_event(&session->readable);
	free_event(&session->tick);
	free_event(&session->reaper);
	release(session);
	rvtrace_recorder_free(session->recorder);
	json_object_put(session->metadata);
	json_object_put(session->encoders);
	json_object_put(session->errors);
	free(session->sink);
	free(session->directory);
	free(session);
}

struct session *session_find(struct daemon *daemon, const char *sink)
{
	struct session *session, *first = LIST_FIRST(&daemon->sessions);

	if (!sink)
		return first && !LIST_NEXT(first, entry) ? first : NULL;
	LIST_FOREACH(session, &daemon->sessions, entry)
		if (!strcmp(session->sink, sink))
			return session;
	return NULL;
}

struct session *session_next(const struct session *session)
{
	return LIST_NEXT(session, entry);
}

enum session_state session_state(const struct session *session)
{
	return session->state;
}

bool session_releases(const struct session *session)
{
	return session->release;
}

const char *session_sink(const struct session *session)
{
	return session->sink;
}

void *session_owner(const struct session *session)
{
	return session->owner;
}

void session_set_owner(struct session *session, void *owner)
{
	session->owner = owner;
}

static void add_number(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

void session_describe(const struct session *session, struct json_object *object)
{
	static const char *const states[] = { "open", "running", "draining", "finished" };
	struct rvtrace_recorder_totals totals = session->totals;
	bool live = session->state == SESSION_RUNNING || session->state == SESSION_DRAINING;

	if (session->recorder)
		rvtrace_recorder_totals(session->recorder, 0, &totals);
	json_object_object_add(object, "session_state",
			       json_object_new_string(states[session->state]));
	json_object_object_add(object, "directory", json_object_new_string(session->directory));
	add_number(object, "bytes", totals.bytes);
	add_number(object, "lost", totals.lost);
	add_number(object, "segments", totals.segments);
	add_number(object, "records", totals.records);
	add_number(object, "records_lost", session->device.control && live ?
		   session->device.control->records_lost : session->records_lost);
	add_number(object, "sideband_lost", session->state == SESSION_FINISHED ?
		   session->sideband_lost : sideband_lost(session->sideband));
	json_object_object_add(object, "seconds",
			       json_object_new_double(live ? seconds_since(&session->started) :
							     session->seconds));
	json_object_object_add(object, "errors", json_object_get(session->errors));
}
