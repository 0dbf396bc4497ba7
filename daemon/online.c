// SPDX-License-Identifier: GPL-2.0
/* Told of CPUs that come online. */
#include <event2/event.h>
#include <libudev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "online.h"

struct online {
	struct udev *udev;
	struct udev_monitor *monitor;
	struct event *event;
	void (*came)(void *user, int cpu);
	void *user;
};

static void take(struct online *online, struct udev_device *device)
{
	const char *action = udev_device_get_action(device);
	const char *name = udev_device_get_sysname(device);
	int cpu;

	if (action && !strcmp(action, "online") && name && sscanf(name, "cpu%d", &cpu) == 1)
		online->came(online->user, cpu);
}

static void received(evutil_socket_t fd, short what, void *user)
{
	struct online *online = user;
	struct udev_device *device;

	(void)fd;
	(void)what;
	while ((device = udev_monitor_receive_device(online->monitor))) {
		take(online, device);
		udev_device_unref(device);
	}
}

struct online *online_new(struct event_base *base, void (*came)(void *user, int cpu), void *user)
{
	struct online *online = calloc(1, sizeof(*online));

	if (!online)
		return NULL;
	online->came = came;
	online->user = user;
	online->udev = udev_new();
	if (!online->udev)
		goto failed;
	/* udevd has nothing to add, and every moment counts. */
	online->monitor = udev_monitor_new_from_netlink(online->udev, "kernel");
	if (!online->monitor ||
	    udev_monitor_filter_add_match_subsystem_devtype(online->monitor, "cpu", NULL) < 0 ||
	    udev_monitor_enable_receiving(online->monitor) < 0)
		goto failed;
	online->event = event_new(base, udev_monitor_get_fd(online->monitor), EV_READ | EV_PERSIST,
				  received, online);
	if (online->event && !event_add(online->event, NULL))
		return online;
failed:
	log_message(LOG_WARNING, "CPUs that come online are not reported: code that they run may have no name");
	online_free(online);
	return NULL;
}

void online_free(struct online *online)
{
	if (!online)
		return;
	if (online->event)
		event_free(online->event);
	udev_monitor_unref(online->monitor);
	udev_unref(online->udev);
	free(online);
}
