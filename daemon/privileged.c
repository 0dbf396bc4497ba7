// SPDX-License-Identifier: GPL-2.0
/* What takes rights that a process which records for a user does not have. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "perf_ring.h"
#include "privileged.h"
#include "sysfs.h"
#include "tools/lib/base/pass.h"

enum what {
	WRITE_SINK,
	WRITE_COMPONENT,
	SIDE_BAND,
};

struct request {
	uint32_t what;
	int32_t cpu;
	char device[64];
	char attribute[32];
	char value[16];
};

/* What of a sink and of an encoder a session writes while it is under way */
static const struct {
	uint32_t what;
	const char *attribute;
	const char *value;
} writes[] = {
	{ WRITE_SINK, "tracing", "1" },
	{ WRITE_SINK, "tracing", "0" },
	{ WRITE_SINK, "flush", "1" },
	{ WRITE_COMPONENT, "enable", "1" },
};

static int through = -1;	/* -1: this process does it itself */

void privileged_ask_through(int socket)
{
	through = socket;
}

/* The answer is one number, and a file descriptor if one was asked for. */
static int ask(const struct request *request)
{
	int32_t answer;
	ssize_t got;
	int fd;

	/* Not pass_send(): the process may not call sendmsg(). */
	if (write(through, request, sizeof(*request)) != sizeof(*request))
		return -EPIPE;
	got = pass_receive(through, &answer, sizeof(answer), &fd);
	if (got != sizeof(answer))
		return got < 0 ? got : -EPIPE;
	if (fd >= 0)
		return fd;
	/* It was sent, and this process has no room for it. */
	return request->what == SIDE_BAND && !answer ? -EMFILE : answer;
}

int privileged_write(const char *folder, const char *device, const char *attribute,
		     const char *value)
{
	struct request request = {
		.what = strcmp(folder, SYSFS_SINKS) ? WRITE_COMPONENT : WRITE_SINK,
	};

	if (through < 0)
		return sysfs_write(folder, device, attribute, value);
	snprintf(request.device, sizeof(request.device), "%s", device);
	snprintf(request.attribute, sizeof(request.attribute), "%s", attribute);
	snprintf(request.value, sizeof(request.value), "%s", value);
	return ask(&request);
}

/* Nothing but which processes there are, what they are called and map, and when they run */
static int open_side_band(int cpu)
{
	struct perf_event_attr attr = perf_ring_side_band();

	attr.mmap = 1;
	attr.mmap2 = 1;
	attr.build_id = 1;
	attr.comm = 1;
	attr.comm_exec = 1;
	attr.task = 1;
	attr.context_switch = 1;
	attr.ksymbol = 1;
	attr.watermark = 1;
	attr.wakeup_watermark = PRIVILEGED_RING_PAGES * sysconf(_SC_PAGESIZE) / 4;
	return perf_ring_event(&attr, cpu);
}

int privileged_side_band(int cpu)
{
	const struct request request = { .what = SIDE_BAND, .cpu = cpu };

	return through < 0 ? open_side_band(cpu) : ask(&request);
}

static bool is_encoder_of(const char *sink, const char *name)
{
	struct json_object *encoders = sysfs_encoders(sink);
	bool found = false;
	size_t i;

	for (i = 0; i < json_object_array_length(encoders) && !found; i++)
		found = !strcmp(name, json_object_get_string(json_object_array_get_idx(encoders, i)));
	json_object_put(encoders);
	return found;
}

static int write_for(const struct request *request, const char *sink)
{
	size_t i;

	for (i = 0; i < sizeof(writes) / sizeof(writes[0]); i++)
		if (request->what == writes[i].what &&
		    !strcmp(request->attribute, writes[i].attribute) &&
		    !strcmp(request->value, writes[i].value))
			break;
	if (i == sizeof(writes) / sizeof(writes[0]))
		return -EPERM;
	if (request->what == WRITE_SINK)
		return strcmp(request->device, sink) ? -EPERM :
		       sysfs_write(SYSFS_SINKS, sink, request->attribute, request->value);
	return is_encoder_of(sink, request->device) ?
	       sysfs_write(SYSFS_COMPONENTS, request->device, request->attribute,
			   request->value) : -EPERM;
}

int privileged_serve(int socket, const char *sink, bool side_band)
{
	struct request request;
	int opened = -1, ret;
	int32_t answer;
	/* Its length, even if that is more; file descriptors that come along are not taken. */
	ssize_t got = recv(socket, &request, sizeof(request), MSG_TRUNC);

	if (got != sizeof(request))
		return got < 0 ? -errno : -EPROTO;
	request.device[sizeof(request.device) - 1] = 0;
	request.attribute[sizeof(request.attribute) - 1] = 0;
	request.value[sizeof(request.value) - 1] = 0;
	if (request.what == SIDE_BAND) {
		opened = side_band ? open_side_band(request.cpu) : -EPERM;
		answer = opened < 0 ? opened : 0;
	} else {
		answer = write_for(&request, sink);
	}
	ret = pass_send(socket, &answer, sizeof(answer), opened);
	if (opened >= 0)
		close(opened);
	return ret;
}
