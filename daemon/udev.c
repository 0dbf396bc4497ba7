// SPDX-License-Identifier: GPL-2.0
/* Sinks as udev knows them, coming and going; their sessions, as sysfs does. */
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <libudev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "log.h"
#include "sysfs.h"
#include "udev.h"

#define SUBSYSTEM	"rvtrace_sink"

struct sinks {
	struct udev *udev;
	struct udev_monitor *monitor;
	struct event *event;
	int states;	/* an epoll of the sinks' files "state": libevent knows no EPOLLPRI */
	struct event *state_event;
	struct sink_list list;
	void (*changed)(void *user, const char *sink);
	void *user;
};

static struct sink *find(struct sinks *sinks, const char *name)
{
	struct sink *sink;

	LIST_FOREACH(sink, &sinks->list, entry)
		if (!strcmp(sink->name, name))
			return sink;
	return NULL;
}

/* What is changed after it was read wakes those who wait. */
static bool read_state(const struct sink *sink)
{
	char state[32];

	return pread(sink->state, state, sizeof(state), 0) > 0;
}

static void watch_state(struct sinks *sinks, struct sink *sink)
{
	struct epoll_event event = { .events = EPOLLPRI, .data.ptr = sink };
	char path[256];

	snprintf(path, sizeof(path), SYSFS_SINKS "/%s/state", sink->name);
	sink->state = open(path, O_RDONLY | O_CLOEXEC);
	if (sink->state < 0 || !read_state(sink) ||
	    epoll_ctl(sinks->states, EPOLL_CTL_ADD, sink->state, &event))
		log_message(LOG_WARNING, "%s: %s: sessions that others begin are not noticed",
			    path, strerror(errno));
}

static void free_sink(struct sink *sink)
{
	if (sink->state >= 0)
		close(sink->state);
	free(sink->name);
	free(sink->device);
	free(sink);
}

static void add(struct sinks *sinks, struct udev_device *device)
{
	const char *name = udev_device_get_sysname(device);
	const char *node = udev_device_get_devnode(device);
	struct sink *sink;

	if (!name || !node || find(sinks, name))
		return;
	sink = calloc(1, sizeof(*sink));
	if (!sink)
		return;
	sink->state = -1;
	sink->name = strdup(name);
	sink->device = strdup(node);
	if (!sink->name || !sink->device) {
		free_sink(sink);
		return;
	}
	LIST_INSERT_HEAD(&sinks->list, sink, entry);
	watch_state(sinks, sink);
	log_message(LOG_INFO, "%s: sink found, %s", name, node);
}

/* A session on the sink learns from its device that it is gone. */
static void drop(struct sinks *sinks, const char *name)
{
	struct sink *sink = name ? find(sinks, name) : NULL;

	if (!sink)
		return;
	log_message(LOG_INFO, "%s: sink removed", name);
	LIST_REMOVE(sink, entry);
	/* closing alone leaves it there while a child that was just forked has the file, too */
	if (sink->state >= 0)
		epoll_ctl(sinks->states, EPOLL_CTL_DEL, sink->state, NULL);
	free_sink(sink);
}

static void scan(struct sinks *sinks)
{
	struct udev_enumerate *enumerate = udev_enumerate_new(sinks->udev);
	struct udev_list_entry *entry;

	if (!enumerate)
		return;
	udev_enumerate_add_match_subsystem(enumerate, SUBSYSTEM);
	udev_enumerate_scan_devices(enumerate);
	udev_list_entry_foreach(entry, udev_enumerate_get_list_entry(enumerate)) {
		struct udev_device *device = udev_device_new_from_syspath(
			sinks->udev, udev_list_entry_get_name(entry));

		if (device)
			add(sinks, device);
		udev_device_unref(device);
	}
	udev_enumerate_unref(enumerate);
}

static void received(struct sinks *sinks, struct udev_device *device)
{
	const char *action = udev_device_get_action(device);
	const char *name = udev_device_get_sysname(device);

	if (action && !strcmp(action, "remove"))
		drop(sinks, name);
	else
		add(sinks, device);
	if (sinks->changed && name)
		sinks->changed(sinks->user, name);
}

static void changed(evutil_socket_t fd, short what, void *user)
{
	struct sinks *sinks = user;
	struct udev_device *device;

	(void)fd;
	(void)what;
	while ((device = udev_monitor_receive_device(sinks->monitor))) {
		received(sinks, device);
		udev_device_unref(device);
	}
}

/* A session began or ended, or its sink goes: then the file cannot be read any more. */
static void state_changed(evutil_socket_t fd, short what, void *user)
{
	struct sinks *sinks = user;
	struct epoll_event event;

	(void)what;
	while (epoll_wait(fd, &event, 1, 0) == 1) {
		struct sink *sink = event.data.ptr;

		if (!read_state(sink))
			epoll_ctl(fd, EPOLL_CTL_DEL, sink->state, NULL);
		else if (sinks->changed)
			sinks->changed(sinks->user, sink->name);
	}
}

static int watch_states(struct sinks *sinks, struct event_base *base)
{
	sinks->states = epoll_create1(EPOLL_CLOEXEC);
	if (sinks->states < 0)
		return -1;
	sinks->state_event = event_new(base, sinks->states, EV_READ | EV_PERSIST, state_changed,
				       sinks);
	return sinks->state_event ? event_add(sinks->state_event, NULL) : -1;
}

struct sinks *sinks_new(struct event_base *base, char *error, size_t size)
{
	struct sinks *sinks = calloc(1, sizeof(*sinks));
	/* Without udevd nobody relays events and nodes have no rules to wait for. */
	const char *source = access("/run/udev/control", F_OK) ? "kernel" : "udev";

	if (!sinks)
		goto failed;
	sinks->states = -1;
	sinks->udev = udev_new();
	if (!sinks->udev)
		goto failed;
	sinks->monitor = udev_monitor_new_from_netlink(sinks->udev, source);
	if (!sinks->monitor ||
	    udev_monitor_filter_add_match_subsystem_devtype(sinks->monitor, SUBSYSTEM, NULL) < 0 ||
	    udev_monitor_enable_receiving(sinks->monitor) < 0)
		goto failed;
	sinks->event = event_new(base, udev_monitor_get_fd(sinks->monitor), EV_READ | EV_PERSIST,
				 changed, sinks);
	if (!sinks->event || event_add(sinks->event, NULL) || watch_states(sinks, base))
		goto failed;
	scan(sinks);
	return sinks;

failed:
	snprintf(error, size, "cannot watch devices through libudev");
	sinks_free(sinks);
	return NULL;
}

void sinks_watch(struct sinks *sinks, void (*told)(void *user, const char *sink), void *user)
{
	sinks->changed = told;
	sinks->user = user;
}

const struct sink_list *sinks_list(struct sinks *sinks)
{
	return &sinks->list;
}

const struct sink *sinks_find(struct sinks *sinks, const char *name)
{
	const struct sink *sink = name ? find(sinks, name) : LIST_FIRST(&sinks->list);

	if (!sink) {
		/* The module may have been loaded a moment ago. */
		scan(sinks);
		sink = name ? find(sinks, name) : LIST_FIRST(&sinks->list);
	}
	return !name && sink && LIST_NEXT(sink, entry) ? NULL : sink;
}

void sinks_free(struct sinks *sinks)
{
	struct sink *sink;

	if (!sinks)
		return;
	while ((sink = LIST_FIRST(&sinks->list))) {
		LIST_REMOVE(sink, entry);
		free_sink(sink);
	}
	if (sinks->event)
		event_free(sinks->event);
	if (sinks->state_event)
		event_free(sinks->state_event);
	if (sinks->states >= 0)
		close(sinks->states);
	udev_monitor_unref(sinks->monitor);
	udev_unref(sinks->udev);
	free(sinks);
}
