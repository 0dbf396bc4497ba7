// SPDX-License-Identifier: GPL-2.0
/* rvtraced as tracectl record needs it: one that may be slow, stopped or die. */
#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <rvtrace/recording.h>

#include "tools/tracectl/tracectl.h"
#include "record_daemon.h"

#define SAY_AFTER	10	/* seconds without an answer */
#define SAY_AFTER_LONG	60	/* to what takes rvtraced long: it saves code, completes */
#define GIVE_UP_AFTER	300

static struct {
	struct progress *progress;
	const char *what;
} doing;

void record_doing(struct progress *progress, const char *what)
{
	if (doing.progress)
		progress_end(doing.progress);
	doing.progress = progress;
	doing.what = what;
}

static int waiting(void *user, unsigned int seconds)
{
	unsigned int patience = doing.progress ? SAY_AFTER_LONG : SAY_AFTER;
	static bool said;
	sigset_t pending;

	(void)user;
	if (doing.progress)
		progress_show(doing.progress, 0, 0, "%s: %u s", doing.what, seconds);
	if (seconds >= patience && !said) {
		said = true;
		warn_text("rvtraced has not answered for %u s, still waiting (interrupt to give up)",
			  seconds);
	}
	sigpending(&pending);
	return seconds >= GIVE_UP_AFTER || sigismember(&pending, SIGINT) ||
	       sigismember(&pending, SIGTERM) || sigismember(&pending, SIGHUP);
}

int record_connect(const char *socket, struct rvtrace_client **client)
{
	int ret = rvtrace_client_connect(socket, client);

	if (!ret)
		rvtrace_client_set_patience(*client, 1, waiting, NULL);
	return ret;
}

/* A daemon that was told to end has completed the recording. */
static bool is_complete(const char *directory)
{
	struct rvtrace_recording *recording;
	bool complete;

	if (rvtrace_recording_open(directory, &recording, NULL))
		return false;
	complete = rvtrace_recording_complete(recording);
	rvtrace_recording_free(recording);
	return complete;
}

int record_reconnect(const char *socket, const char *sink, const char *directory,
		     struct rvtrace_client **client)
{
	uint64_t end = now_ns() + RETURN_WITHIN * 1000000000ULL;
	struct rvtrace_client *next;
	int ret;

	if (is_complete(directory))
		return -EPIPE;
	warn_text("rvtraced ended, waiting for its restart");
	do {
		nanosleep(&(struct timespec) { .tv_nsec = 200000000 }, NULL);
		ret = record_connect(socket, &next);
		if (!ret)
			ret = rvtrace_client_attach(next, sink, NULL);
		if (!ret) {
			rvtrace_client_free(*client);
			*client = next;
			return 0;
		}
		rvtrace_client_free(next);
	} while (now_ns() < end && !waiting(NULL, 0));
	return ret;
}

void record_stop_alone(const char *name)
{
	struct rvtrace_failure error;
	const struct rvtrace_device *sink;
	struct rvtrace_devices devices;

	if (rvtrace_devices_scan("", &devices, NULL))
		return;		/* no driver: nothing traces */
	sink = rvtrace_device_find(&devices, name);
	if (sink && rvtrace_device_write(sink, "tracing", "0", &error))
		error_text("still tracing: %s", error.text);
	rvtrace_devices_free(&devices);
}
