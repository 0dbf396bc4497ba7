// SPDX-License-Identifier: GPL-2.0
/*
 * tracectl events: of a recording that is still being written.
 *
 * What was written is printed once the recording says whose it is: records that tell who ran, and
 * pairs of clocks, come behind the trace. Nothing is printed that they could still change.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/tracectl/record/record_daemon.h"
#include "events.h"

#define SECOND		1000000000ULL	/* ns */
#define SIDEBAND_NS	(2 * SECOND)	/* rvtraced writes the side band once a second */
#define PAUSE_NS	(SECOND / 5)	/* between looks at the recording, at least */
#define PAUSE_COSTS	9		/* and so many times what the last one took */

static int stop;	/* an eventfd: a signal came */

static void on_signal(int signal)
{
	const uint64_t one = 1;

	(void)signal;
	/* It cannot fail: nobody else counts. */
	if (write(stop, &one, sizeof(one)) < 0)
		_exit(EXIT_FAILED);
}

/* The first signal ends following, another one everything. */
static int begin_waiting(struct follow *f, struct rvtrace_failure *error)
{
	const struct sigaction action = {
		.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_RESETHAND,
	};

	stop = eventfd(0, EFD_CLOEXEC);
	f->notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (stop < 0 || f->notify < 0)
		return rvtrace_fail(error, errno, 0, "--follow: %s", strerror(errno));
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	f->end = f->duration ? now_ns() + f->duration : UINT64_MAX;
	return 0;
}

/* Up to @until: whether it was for something to read, or -EPIPE: nobody reads the output. */
static int wait_until(struct events *e, int notify, uint64_t until)
{
	struct follow *f = &e->follow;
	struct pollfd fds[] = {
		{ .fd = stop, .events = POLLIN }, { .fd = notify, .events = POLLIN },
		{ .fd = fileno(e->out.file) },
	};
	uint64_t now = now_ns();
	struct timespec left;

	until = until < f->end ? until : f->end;
	if (now < until) {
		left = (struct timespec) { (until - now) / SECOND, (until - now) % SECOND };
		if (ppoll(fds, 3, until == UINT64_MAX ? NULL : &left, NULL) < 0 && errno != EINTR)
			return -errno;
	}
	f->stopped = fds[0].revents || now_ns() >= f->end;
	return fds[2].revents & (POLLERR | POLLHUP) ? -EPIPE : 0;
}

/* Files that change tell so; else a look every second has to do. */
static int wait_for_more(struct events *e)
{
	const struct follow *f = &e->follow;
	uint64_t pause = PAUSE_COSTS * f->cost, now = now_ns();
	char notes[4096];
	int ret;

	ret = wait_until(e, -1, now + (pause > PAUSE_NS ? pause : PAUSE_NS));
	if (!ret && !f->stopped)
		ret = wait_until(e, f->watched ? f->notify : -1,
				 f->watched && !f->gone ? UINT64_MAX : now + SECOND);
	while (read(f->notify, notes, sizeof(notes)) > 0)
		;
	return ret;
}

/* -ENOENT: there is no recording yet, or nobody has said of what. */
static int try_open(struct events *e, struct rvtrace_failure *error)
{
	struct trace_input *in = &e->input;
	int ret;

	if (!e->follow.watched)
		e->follow.watched = inotify_add_watch(e->follow.notify, in->directory, IN_MODIFY |
						      IN_CREATE | IN_MOVED_TO |
						      IN_CLOSE_WRITE) >= 0;
	ret = rvtrace_recording_open(in->directory, &in->recording, error);
	if (ret || json_object_object_get_ex(rvtrace_recording_metadata(in->recording), "complete",
					     NULL))
		return ret;
	rvtrace_recording_free(in->recording);
	in->recording = NULL;
	return rvtrace_fail(error, ENOENT, 0, "%s: no metadata", in->directory);
}

int follow_open(struct events *e, struct rvtrace_failure *error)
{
	bool said = false;
	int ret = begin_waiting(&e->follow, error);

	while (!ret) {
		ret = try_open(e, error);
		if (ret != -ENOENT || e->follow.stopped)
			break;
		if (!said)
			info_text("%s: waiting for a recording", e->input.directory);
		said = true;
		ret = wait_for_more(e);
	}
	return ret;
}

/* Whether nobody writes the recording, and nobody is going to. */
static bool has_died(struct events *e)
{
	struct follow *f = &e->follow;

	if (rvtrace_recording_written(e->input.recording))
		f->gone = 0;
	else if (!f->gone)
		f->gone = now_ns();
	f->died = f->gone && now_ns() - f->gone >= RETURN_WITHIN * SECOND;
	return f->died;
}

/* What was written before may be printed; without clocks, all but what was written last. */
static uint64_t find_limit(struct events *e)
{
	const struct rvtrace_recording_sink *sink = rvtrace_recording_sink(e->input.recording, 0);
	struct follow *f = &e->follow;
	uint64_t settled;

	f->over = true;
	if (rvtrace_recording_complete(e->input.recording))
		return UINT64_MAX;
	if (f->stopped)
		return now_ns();
	if (has_died(e))
		return UINT64_MAX;
	f->over = false;
	settled = rvtrace_clock_settled(e->clock, SIDEBAND_NS);
	if (settled != UINT64_MAX)
		return settled;
	/* The first pair of clocks is written before the first bytes. */
	return sink->bytes ? sink->written : 0;
}

/* What the recording has come to. */
static int look(struct events *e, struct rvtrace_failure *error)
{
	uint64_t begun = now_ns(), limit;
	struct trace_input *in = &e->input;
	int ret;

	ret = rvtrace_recording_reload(in->recording, error);
	if (ret)
		return ret;
	rvtrace_clock_free(e->clock);
	e->clock = NULL;
	in->clock = NULL;
	ret = rvtrace_clock_load(in->recording, 0, &e->clock, error);
	if (ret)
		return ret;
	in->clock = e->clock;
	in->timestamp_hz = rvtrace_recording_timestamp_hz(in->recording, 0);
	ret = filter_begin(in, error);
	if (ret)
		return ret;
	limit = find_limit(e);
	if (limit > e->follow.limit) {
		e->follow.limit = limit;
		rvtrace_spaces_free(in->spaces);
		in->spaces = NULL;
		ret = rvtrace_spaces_load(in->recording, &in->spaces, error);
	}
	e->follow.cost = now_ns() - begun;
	return ret;
}

/* What was printed so far can be seen while nothing comes. */
static int wait_and_look(struct events *e, struct rvtrace_failure *error)
{
	int ret;

	out_flush(&e->out);
	fflush(e->out.file);
	ret = wait_for_more(e);
	return ret ? ret : look(e, error);
}

int follow_begin(struct events *e, struct rvtrace_failure *error)
{
	int ret = look(e, error);

	while (!ret && !e->follow.limit)
		ret = wait_and_look(e, error);
	return ret;
}

int follow_each_chunk(struct events *e, input_take take, struct rvtrace_failure *error)
{
	struct rvtrace_recording_stream *stream;
	struct rvtrace_chunk chunk;
	int ret;

	ret = rvtrace_recording_stream_open(e->input.recording, 0, &stream, error);
	while (!ret) {
		rvtrace_recording_stream_limit(stream, e->follow.limit);
		while ((ret = rvtrace_recording_stream_next(stream, &chunk, error)) > 0) {
			ret = take(e, &chunk);
			if (ret)
				break;
		}
		if (ret || e->follow.over)
			break;
		ret = wait_and_look(e, error);
	}
	rvtrace_recording_stream_free(stream);
	return ret;
}
