// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel text that stays as it is during a session.
 *
 * The first perf event that wants context switches, and the first probe in a tracepoint, patch the
 * scheduler; the last one patches it back. The side band does the one in the middle of a session
 * that others began, the driver the other at its end, before anybody can compare text. So events
 * that count nothing need both for as long as this process lives.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <rvtrace/recording.h>

#include "hold.h"
#include "perf_ring.h"

#define EVENTS	"/sys/kernel/tracing/events"

/* Those that the driver attaches to. */
static const char *const tracepoints[] = {
	"sched/sched_switch", "sched/sched_process_fork", "sched/sched_process_exec",
	"sched/sched_process_exit", "task/task_rename",
};

/* What mounts tracefs for this process alone; a negative errno. */
static int mount_tracefs(void)
{
	int context = fsopen("tracefs", FSOPEN_CLOEXEC), ret = -1;

	if (context >= 0 && !fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		ret = fsmount(context, FSMOUNT_CLOEXEC, 0);
	if (ret < 0)
		ret = -errno;
	if (context >= 0)
		close(context);
	return ret;
}

static int open_events(void)
{
	int fd = open(EVENTS, O_RDONLY | O_DIRECTORY | O_CLOEXEC), mounted;

	if (fd >= 0)
		return fd;
	mounted = mount_tracefs();
	if (mounted < 0)
		return mounted;
	fd = openat(mounted, "events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	close(mounted);
	return fd;
}

/* Its number in perf_event_attr, or a negative errno. */
static int tracepoint_id(int events, const char *name)
{
	char path[64], text[16];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%s/id", name);
	fd = openat(events, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (got <= 0)
		return -EIO;
	text[got] = 0;
	return atoi(text);
}

/* Of this process, and never enabled: text is patched all the same. */
static int hold_event(struct perf_event_attr *attr)
{
	attr->disabled = 1;
	return syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) < 0 ?
	       -errno : 0;
}

static int hold_tracepoint(int events, const char *name)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	int id = tracepoint_id(events, name);

	attr.config = id;
	return id < 0 ? id : hold_event(&attr);
}

static int hold_switches(void)
{
	struct perf_event_attr attr = perf_ring_side_band();

	attr.context_switch = 1;
	return hold_event(&attr);
}

static int fail_hold(struct rvtrace_failure *error, const char *what, int code)
{
	return code ? rvtrace_fail(error, -code, 0, "kernel text may change with each session: %s: %s",
				   what, strerror(-code)) : 0;
}

int hold_text(struct rvtrace_failure *error)
{
	int ret = fail_hold(error, "perf events", hold_switches()), events, held;
	size_t i;

	events = open_events();
	if (events < 0)
		return fail_hold(error, EVENTS, events);
	for (i = 0; i < sizeof(tracepoints) / sizeof(tracepoints[0]); i++) {
		held = fail_hold(error, tracepoints[i], hold_tracepoint(events, tracepoints[i]));
		ret = ret ? ret : held;
	}
	close(events);
	return ret;
}
