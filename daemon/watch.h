/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that cannot wait for the side band to be drained: code whose bytes are
 * in no file, to be saved while it is there.
 */
#ifndef RVTRACED_WATCH_H
#define RVTRACED_WATCH_H

struct event_base;
struct saver;
struct watch;

/**
 * watch_open - watch all CPUs
 * @base: event loop, which handles events as they come
 * @saver: whose images; must outlive the result. With its @mapped, what processes
 *	map is watched as well, not only kernel code
 *
 * Return: the watch, or NULL when the kernel does not offer it; @saver->unwatched
 * says why
 */
struct watch *watch_open(struct event_base *base, struct saver *saver);

/** watch_drain - handle what came until now; @watch may be NULL */
void watch_drain(struct watch *watch);

/**
 * watch_settle - handle what came until now, write all memory that was read
 * @saver: whose images
 */
void watch_settle(struct saver *saver);

/** watch_free - stop watching; @watch may be NULL */
void watch_free(struct watch *watch);

#endif /* RVTRACED_WATCH_H */
