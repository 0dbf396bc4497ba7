/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that cannot wait for the side band to be drained: code whose bytes are
 * in no file, to be saved while it is there.
 */
#ifndef RVTRACED_WATCH_H
#define RVTRACED_WATCH_H

#include <stdbool.h>

struct event_base;
struct images;
struct watch;

/**
 * watch_open - watch all CPUs
 * @base: event loop
 * @images: who is told; must outlive the result
 * @memory: watch what processes map as well, not only kernel code
 *
 * Return: the watch, or NULL when the kernel does not offer it.
 */
struct watch *watch_open(struct event_base *base, struct images *images, bool memory);

/** watch_free - stop watching; @watch may be NULL */
void watch_free(struct watch *watch);

#endif /* RVTRACED_WATCH_H */
