// SPDX-License-Identifier: GPL-2.0
/* A recording without a stream, beside a session that somebody else reads. */
#include <dirent.h>
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture.h"
#include "companion.h"
#include "log.h"
#include "sysfs.h"
#include "worker.h"

#define TICK_SECONDS	1

struct companion {
	LIST_ENTRY(companion) entry;
	struct daemon *daemon;
	struct capture capture;
	struct event *tick;
	struct event *reaper;
	unsigned long session;
	bool ending;
};

static unsigned long long sink_number(const char *sink, const char *attribute)
{
	char value[64];

	sysfs_read(SYSFS_SINKS, sink, attribute, value, sizeof(value));
	return strtoull(value, NULL, 10);
}

static bool is_running(const char *sink)
{
	char state[32];

	sysfs_read(SYSFS_SINKS, sink, "state", state, sizeof(state));
	return !strcmp(state, "running");
}

static void free_companion(struct companion *companion)
{
	LIST_REMOVE(companion, entry);
	if (companion->tick)
		event_free(companion->tick);
	if (companion->reaper)
		event_free(companion->reaper);
	capture_free(&companion->capture);
	free(companion);
}

static void reap(evutil_socket_t fd, short what, void *user)
{
	struct companion *companion = user;
	struct daemon *daemon = companion->daemon;

	(void)fd;
	(void)what;
	free_companion(companion);
	daemon_idle(daemon);
}

static void finished(void *user)
{
	struct companion *companion = user;

	log_message(LOG_INFO, "%s: session %lu, which others read, has ended: %s",
		    companion->capture.sink, companion->session, companion->capture.directory);
	event_active(companion->reaper, EV_TIMEOUT, 0);
}

static void end(struct companion *companion)
{
	if (companion->ending)
		return;
	companion->ending = true;
	event_del(companion->tick);
	capture_finish(&companion->capture, true);
}

static void broke(void *user, const char *text)
{
	struct companion *companion = user;

	if (companion->ending)
		return;
	capture_error(&companion->capture, "%s", text);
	end(companion);
}

/* The pair that the driver's attribute gives, as the driver would record it. */
static int record_clock(struct companion *companion, struct rvtrace_failure *error)
{
	struct rvtrace_record_clock clock = {
		.header.size = sizeof(clock),
		.header.type = RVTRACE_RECORD_CLOCK,
		.header.position = sink_number(companion->capture.sink, "head"),
	};
	unsigned long long trace, monotonic, realtime;
	char value[128];

	if (sysfs_read(SYSFS_SINKS, companion->capture.sink, "clock", value, sizeof(value)) ||
	    sscanf(value, "%llu %llu %llu", &trace, &monotonic, &realtime) != 3)
		return 0;
	clock.header.time = monotonic;
	clock.trace_time = trace;
	clock.realtime = realtime;
	return rvtrace_recorder_records(companion->capture.recorder, 0, &clock, sizeof(clock),
					error);
}

static void tick(evutil_socket_t fd, short what, void *user)
{
	struct companion *companion = user;
	struct rvtrace_failure error;

	(void)fd;
	(void)what;
	if (sideband_drain(companion->capture.sideband, &error) ||
	    record_clock(companion, &error))
		broke(companion, error.text);
	else
		companion_check(companion->daemon, companion->capture.sink, false);
}

/* Names end with a date, so that their order is that of time. */
static int by_date(const struct dirent **a, const struct dirent **b)
{
	const char *x = (*a)->d_name + strlen((*a)->d_name) - 15;
	const char *y = (*b)->d_name + strlen((*b)->d_name) - 15;

	return strcmp(x, y);
}

static int is_companion(const struct dirent *entry)
{
	return !fnmatch("*-[0-9]*-[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]"
			"-[0-9][0-9][0-9][0-9][0-9][0-9]", entry->d_name, 0);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* Leaves room for one more. */
static void remove_old(const struct config *config)
{
	char path[CONFIG_PATH_MAX + 256];
	struct dirent **entries;
	int count = scandir(config->directory, &entries, is_companion, by_date), i;

	for (i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", config->directory, entries[i]->d_name);
		if (count - i >= config->companions &&
		    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT))
			log_message(LOG_WARNING, "%s: %s", path, strerror(errno));
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

static int make_directory(struct companion *companion, const char *sink, char *path, size_t size,
			  struct rvtrace_failure *error)
{
	const char *parent = companion->daemon->config.directory;
	int ret = config_make_directory(&companion->daemon->config);
	time_t now = time(NULL);
	char date[32];
	struct tm tm;

	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	if (ret)
		return rvtrace_fail(error, -ret, 0, "%s: %s", parent, strerror(-ret));
	snprintf(path, size, "%s/%s-%lu-%s", parent, sink, companion->session, date);
	return rvtrace_recording_directory(path, error);
}

static int open_capture(struct companion *companion, bool late,
			struct rvtrace_failure *error)
{
	char path[CONFIG_PATH_MAX + 128];
	struct capture_settings settings = {
		.sink = companion->capture.sink,
		.directory_name = path,
		.uid = geteuid(),
		.gid = getegid(),
		.data_size = sink_number(companion->capture.sink, "buffer_size"),
		.sideband = true,
		.companion = true,
		.late = late,
	};
	int ret;

	settings.directory = make_directory(companion, companion->capture.sink, path, sizeof(path),
					    error);
	if (settings.directory < 0)
		return settings.directory;
	settings.encoders = sysfs_encoders(companion->capture.sink);
	ret = capture_prepare(&companion->capture, &settings, error);
	if (!ret)
		ret = capture_pass(&companion->capture, &settings, error);
	if (!ret)
		ret = capture_open(&companion->capture, &settings, error);
	json_object_put(settings.encoders);
	close(settings.directory);
	return ret;
}

static void begin(struct daemon *daemon, const char *sink, bool late)
{
	struct companion *companion = calloc(1, sizeof(*companion));
	struct rvtrace_failure error = { 0 };

	if (!companion)
		return;
	LIST_INSERT_HEAD(&daemon->companions, companion, entry);
	companion->daemon = daemon;
	companion->session = sink_number(sink, "session");
	companion->capture.daemon = daemon;
	companion->capture.sink = strdup(sink);
	companion->capture.errors = json_object_new_array();
	companion->capture.broke = broke;
	companion->capture.finished = finished;
	companion->capture.user = companion;
	companion->tick = event_new(daemon->base, -1, EV_PERSIST, tick, companion);
	companion->reaper = evtimer_new(daemon->base, reap, companion);
	remove_old(&daemon->config);
	if (!companion->capture.sink || !companion->tick || !companion->reaper ||
	    open_capture(companion, late, &error) || record_clock(companion, &error)) {
		log_message(LOG_ERR, "%s: no companion recording of session %lu is made: %s", sink,
			    companion->session, error.text);
		free_companion(companion);
		return;
	}
	event_add(companion->tick, &(struct timeval){ .tv_sec = TICK_SECONDS });
	log_message(LOG_INFO, "%s: session %lu is read by others; what is needed to decode it is in %s",
		    sink, companion->session, companion->capture.directory);
}

void companion_check(struct daemon *daemon, const char *sink, bool late)
{
	bool running = is_running(sink);
	struct companion *companion;

	LIST_FOREACH(companion, &daemon->companions, entry) {
		if (companion->ending || strcmp(companion->capture.sink, sink))
			continue;
		if (running && sink_number(sink, "session") == companion->session)
			return;
		end(companion);
	}
	if (running && daemon->config.companions && !daemon->stopping &&
	    !worker_find(daemon, sink))
		begin(daemon, sink, late);
}

void companions_stop(struct daemon *daemon)
{
	struct companion *companion;

	LIST_FOREACH(companion, &daemon->companions, entry)
		end(companion);
}

void companions_free(struct daemon *daemon)
{
	struct companion *companion;

	while ((companion = LIST_FIRST(&daemon->companions)))
		free_companion(companion);
}
