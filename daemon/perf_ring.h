/* SPDX-License-Identifier: GPL-2.0 */
/* One perf event on one CPU, and its ring. */
#ifndef RVTRACED_PERF_RING_H
#define RVTRACED_PERF_RING_H

#include <stddef.h>
#include <stdint.h>

#include <event2/event.h>
#include <linux/perf_event.h>

/**
 * struct perf_ring - an open event
 * @fd: the event, -1: closed
 * @page: control page, the ring behind it
 * @size: bytes of the ring, a power of two
 * @event: fires when the ring is to be read
 */
struct perf_ring {
	int fd;
	struct perf_event_mmap_page *page;
	size_t size;
	struct event *event;
};

/**
 * perf_ring_side_band - what all events here have in common
 *
 * Return: attributes of an event that counts nothing, whose records carry
 * process, time (CLOCK_MONOTONIC) and CPU.
 */
struct perf_event_attr perf_ring_side_band(void);

/**
 * perf_ring_event - open an event of all processes
 * @attr: what is wanted
 * @cpu: CPU
 *
 * Return: its file descriptor, which the caller owns, -ENODEV (the CPU is offline), -EACCES, or
 * another negative errno.
 */
int perf_ring_event(struct perf_event_attr *attr, int cpu);

/**
 * perf_ring_open - map the ring of an event
 * @ring: filled; perf_ring_close() it, after a failure too
 * @fd: the event, which the ring owns from here on; negative: that is the error
 * @pages: pages of the ring, a power of two
 * @base: event loop
 * @readable: called when the ring is to be read
 * @user: for @readable
 *
 * Return: 0 or a negative errno.
 */
int perf_ring_open(struct perf_ring *ring, int fd, size_t pages, struct event_base *base,
		   event_callback_fn readable, void *user);

/**
 * perf_ring_unread - bytes that were not read yet
 * @ring: the ring
 * @first: filled with the piece before the end of the ring
 * @first_length: its bytes; the rest is at the beginning of the ring
 *
 * Return: bytes.
 */
size_t perf_ring_unread(const struct perf_ring *ring, const uint8_t **first,
			size_t *first_length);

/** perf_ring_data - the beginning of the ring */
uint8_t *perf_ring_data(const struct perf_ring *ring);

/**
 * perf_ring_consume - give space back
 * @ring: the ring
 * @length: bytes
 */
void perf_ring_consume(struct perf_ring *ring, size_t length);

/** perf_ring_close - close the event; the ring may be closed or half open */
void perf_ring_close(struct perf_ring *ring);

#endif /* RVTRACED_PERF_RING_H */
