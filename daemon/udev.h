/* SPDX-License-Identifier: GPL-2.0 */
/* Sinks as udev knows them, coming and going; their sessions, as sysfs does. */
#ifndef RVTRACED_UDEV_H
#define RVTRACED_UDEV_H

#include <stddef.h>
#include <sys/queue.h>

struct event_base;
struct sinks;

/**
 * struct sink - a sink with a char device
 * @name: as "rvtrace0"
 * @device: as "/dev/rvtrace0"
 * @state: its file "state", open; -1 when it could not be
 */
struct sink {
	LIST_ENTRY(sink) entry;
	char *name;
	char *device;
	int state;
};

LIST_HEAD(sink_list, sink);

/**
 * sinks_new - find the sinks, watch for more
 * @base: event loop
 * @error: one line on failure
 * @size: bytes at @error
 *
 * Return: the sinks, or NULL.
 */
struct sinks *sinks_new(struct event_base *base, char *error, size_t size);

/**
 * sinks_watch - be told of sinks that came, and of sessions that begin and end
 * @sinks: the sinks
 * @changed: called with the name of the sink
 * @user: for @changed
 */
void sinks_watch(struct sinks *sinks, void (*changed)(void *user, const char *sink), void *user);

/**
 * sinks_list - the sinks there are now
 * @sinks: the sinks
 */
const struct sink_list *sinks_list(struct sinks *sinks);

/**
 * sinks_find - one sink
 * @sinks: the sinks
 * @name: its name, NULL: the only one there is
 *
 * Return: the sink, valid until the loop runs again; or NULL.
 */
const struct sink *sinks_find(struct sinks *sinks, const char *name);

/**
 * sinks_free - stop watching
 * @sinks: the sinks or NULL
 */
void sinks_free(struct sinks *sinks);

#endif /* RVTRACED_UDEV_H */
