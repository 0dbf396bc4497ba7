// SPDX-License-Identifier: GPL-2.0
/* A session: one sink, drained into one trace directory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "drain.h"
#include "log.h"
#include "privileged.h"
#include "session_internal.h"
#include "settings.h"
#include "sysfs.h"

#define TICK_SECONDS	1
#define DRAIN_SECONDS	10	/* a stopped session that yields nothing for so long has failed */

time_t session_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static void free_event(struct event **event)
{
	if (*event)
		event_free(*event);
	*event = NULL;
}

/* Kernel text changes here: the driver's probes and perf's are disarmed. */
static void release(struct session *session)
{
	device_close(&session->device);
	capture_release(&session->capture);
}

/* Bytes that were traced but could not be written are lost, and the session is over. */
static void mark_end(struct session *session)
{
	uint64_t position = session->device.position, lost = device_discard(&session->device);
	struct rvtrace_failure error;
	int ret = 0;

	session->seconds = session_seconds(session);
	if (lost)
		ret = rvtrace_recorder_mark(session->capture.recorder, 0, RVTRACE_CHUNK_LOST,
					    position, lost, 0, &error);
	if (!ret)
		ret = rvtrace_recorder_mark(session->capture.recorder, 0,
					    RVTRACE_CHUNK_SESSION_END, position + lost, 0, 0,
					    &error);
	if (ret && !session->capture.failed)
		capture_error(&session->capture, "%s", error.text);
}

/* The files are final. */
static void finished(void *user)
{
	struct session *session = user;
	const struct rvtrace_recorder_totals *totals = &session->capture.totals;

	session->state = SESSION_FINISHED;
	if (session->release)
		release(session);
	log_message(totals->lost ? LOG_WARNING : LOG_INFO,
		    "%s: session ended: %llu bytes, %llu lost, %u segments in %s",
		    session->capture.sink, (unsigned long long)totals->bytes,
		    (unsigned long long)totals->lost, totals->segments,
		    session->capture.directory);
	session->host->finished(session->host->user, session);
}

/* Everything that could be written is: close the recording. */
static void finish(struct session *session)
{
	bool traced = session->started.tv_sec;

	free_event(&session->readable);
	free_event(&session->tick);
	session->state = SESSION_CLOSING;
	session->host->changed(session->host->user);
	if (traced)
		mark_end(session);
	session->records_lost = session->device.control->records_lost;
	json_object_object_add(capture_sink(&session->capture), "records_lost",
			       json_object_new_uint64(session->records_lost));
	capture_finish(&session->capture, traced);
}

static void stop_hardware(struct session *session)
{
	int ret = privileged_write(SYSFS_SINKS, session->capture.sink, "tracing", "0");

	/* Without the device there is nothing to stop. */
	if (ret && ret != -ENOENT && ret != -ENODEV)
		capture_error(&session->capture, "stopping: %s (see the kernel log)",
			      strerror(-ret));
}

/* What was written stays; the rest cannot be. */
static void abandon(struct session *session, const char *text)
{
	capture_error(&session->capture, "%s", text);
	stop_hardware(session);
	finish(session);
}

static void broke(void *user, const char *text)
{
	struct session *session = user;

	/* Whatever follows was told already, or happened while it was closed. */
	if (session->state < SESSION_CLOSING)
		abandon(session, text);
}

/* The session is over, by our own stop or by itself. */
static void ended(struct session *session)
{
	uint64_t counted = session->device.control->lost;
	struct rvtrace_recorder_totals totals;

	if (session->device.session_error)
		capture_error(&session->capture, "the driver ended the session: %s",
			      strerror(-session->device.session_error));
	/* A session that ended by itself may have left encoders enabled. */
	if (session->state == SESSION_RUNNING)
		stop_hardware(session);
	rvtrace_recorder_totals(session->capture.recorder, 0, &totals);
	if (counted != totals.lost)
		capture_error(&session->capture,
			      "the driver counted %llu bytes lost, %llu are located",
			      (unsigned long long)counted, (unsigned long long)totals.lost);
	finish(session);
}

/* Who is asked for them need not ask this process. */
static void publish(const struct session *session, const struct rvtrace_recorder_totals *totals)
{
	struct session_numbers *numbers = session->host->numbers;

	numbers->bytes = totals->bytes;
	numbers->lost = totals->lost;
	numbers->records = totals->records;
	numbers->records_lost = session->device.control->records_lost;
	numbers->sideband_lost = sideband_lost(session->capture.sideband);
	numbers->segments = totals->segments;
}

static void drain(struct session *session, uint64_t minimum)
{
	struct rvtrace_failure error;
	struct rvtrace_recorder_totals totals;
	int result = device_drain(&session->device, session->capture.recorder, 0, minimum, &error);

	if (result < 0) {
		abandon(session, error.text);
		return;
	}
	if (result == DEVICE_GONE) {
		abandon(session, "the device was removed");
		return;
	}
	if (result == DEVICE_ENDED) {
		ended(session);
		return;
	}
	if (session->state == SESSION_DRAINING)
		session->drain_deadline = session_now() + DRAIN_SECONDS;
	if (result == DEVICE_MORE)
		event_active(session->readable, EV_READ, 0);
	rvtrace_recorder_totals(session->capture.recorder, 0, &totals);
	publish(session, &totals);
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
	struct rvtrace_failure error;

	(void)fd;
	(void)what;
	if (sideband_drain(session->capture.sideband, &error)) {
		abandon(session, error.text);
		return;
	}
	if (session->state == SESSION_DRAINING && session_now() > session->drain_deadline) {
		capture_error(&session->capture,
			      "the sink did not come to its end after it was stopped");
		finish(session);
		return;
	}
	if (json_object_array_length(session->capture.errors) != session->errors_told) {
		session->errors_told = json_object_array_length(session->capture.errors);
		session->host->changed(session->host->user);
	}
	drain(session, 1);
}

static int start(struct session *session, struct rvtrace_failure *error)
{
	uint32_t before = session->device.control->session;
	int ret;

	ret = settings_start(session->capture.sink,
			     session->all_encoders ? NULL : session->capture.encoders, error);
	if (!ret && session->device.control->session == before)
		ret = rvtrace_fail(error, EIO, 0, "%s: tracing was switched on, no session began",
				   session->capture.sink);
	if (ret)
		return ret;
	device_begin(&session->device);
	return rvtrace_recorder_mark(session->capture.recorder, 0, RVTRACE_CHUNK_SESSION_START,
				     session->device.position, 0, 0, error);
}

void session_start(struct session *session)
{
	struct rvtrace_failure error;

	if (start(session, &error)) {
		/* First why, then that it is over. */
		session->host->ready(session->host->user, &error);
		abandon(session, error.text);
		return;
	}
	json_object_object_add(session->kept, "session",
			       json_object_new_int64(session->device.control->session));
	session->host->keep(session->host->user, session->kept);
	session_running(session);
	log_message(LOG_INFO, "%s: session %u started, recording to %s", session->capture.sink,
		    session->device.control->session, session->capture.directory);
	session->host->ready(session->host->user, NULL);
}

void session_running(struct session *session)
{
	clock_gettime(CLOCK_MONOTONIC, &session->started);
	session->host->numbers->started = session->started.tv_sec * 1000000000ULL +
					     session->started.tv_nsec;
	session->state = SESSION_RUNNING;
	event_add(session->readable, NULL);
	event_add(session->tick, &(struct timeval){ .tv_sec = TICK_SECONDS });
}

void session_stop(struct session *session)
{
	if (session->state == SESSION_PREPARING || session->state == SESSION_OPEN) {
		finish(session);
		return;
	}
	if (session->state != SESSION_RUNNING)
		return;
	stop_hardware(session);
	session->state = SESSION_DRAINING;
	session->host->changed(session->host->user);
	session->drain_deadline = session_now() + DRAIN_SECONDS;
	event_active(session->readable, EV_READ, 0);
}

/* Whoever asks gets the answer of a session that ended; the sink is free. */
void session_over(struct session *session)
{
	if (session->state >= SESSION_DRAINING)
		return;
	capture_error(&session->capture,
		      "ended because it was detached for too long (detached_time in rvtraced.conf)");
	session->release = true;
	session_stop(session);
}

int session_flush(struct session *session, struct rvtrace_failure *error)
{
	int ret = privileged_write(SYSFS_SINKS, session->capture.sink, "flush", "1");

	if (ret)
		return rvtrace_fail(error, -ret, 0, "%s: flushing: %s", session->capture.sink,
				    strerror(-ret));
	drain(session, 0);
	if (session->state != SESSION_RUNNING)
		return rvtrace_fail(error, EIO, 0, "%s: the session ended while it was flushed",
				    session->capture.sink);
	return 0;
}

int session_set_watermark(struct session *session, uint64_t wanted,
			  struct rvtrace_failure *error)
{
	uint64_t size = session->device.data_size;
	__u64 watermark = wanted ? wanted : session->host->daemon->config.watermark;

	/* A configured default must not refuse a small ring; a request must fit. */
	if (!watermark || (!wanted && watermark > size))
		watermark = drain_watermark(size);
	if (ioctl(session->device.fd, RVTRACE_IOC_WATERMARK, &watermark))
		return rvtrace_fail(error, errno, 0, "%s: watermark %llu: %s",
				    session->capture.sink, (unsigned long long)watermark,
				    strerror(errno));
	session->watermark = watermark;
	return 0;
}

int session_add_events(struct session *session, struct rvtrace_failure *error)
{
	struct event_base *base = session->host->daemon->base;

	session->readable = event_new(base, session->device.fd, EV_READ | EV_PERSIST, readable,
				      session);
	session->tick = event_new(base, -1, EV_PERSIST, tick, session);
	if (!session->readable || !session->tick)
		return rvtrace_fail(error, ENOMEM, 0, "out of memory");
	return 0;
}

struct session *session_new(const struct session_host *host, const char *sink)
{
	struct session *session = calloc(1, sizeof(*session));

	if (!session)
		return NULL;
	session->capture.sink = strdup(sink);
	session->capture.errors = json_object_new_array();
	session->host = host;
	session->device.fd = -1;
	if (!session->capture.sink || !session->capture.errors) {
		session_free(session);
		return NULL;
	}
	session->capture.daemon = host->daemon;
	session->capture.broke = broke;
	session->capture.finished = finished;
	session->capture.user = session;
	return session;
}

void session_free(struct session *session)
{
	if (!session)
		return;
	free_event(&session->readable);
	free_event(&session->tick);
	release(session);
	capture_free(&session->capture);
	json_object_put(session->kept);
	free(session);
}
