/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What takes rights that a process which records for a user does not have. It has these few things
 * done by the daemon, which checks that they belong to its session.
 */
#ifndef RVTRACED_PRIVILEGED_H
#define RVTRACED_PRIVILEGED_H

#include <stdbool.h>

#define PRIVILEGED_RING_PAGES	128	/* of the ring of a side band event: a power of two */

/**
 * privileged_ask_through - from now on the daemon does it
 * @socket: the other end is read by privileged_serve(); a packet is a message
 */
void privileged_ask_through(int socket);

/**
 * privileged_write - write an attribute that starts, stops or flushes a session
 * @folder: SYSFS_COMPONENTS or SYSFS_SINKS
 * @device: name of the component or sink
 * @attribute: name of the attribute
 * @value: text
 *
 * Return: 0, -EPERM (not of this session) or another negative errno.
 */
int privileged_write(const char *folder, const char *device, const char *attribute,
		     const char *value);

/**
 * privileged_side_band - open the perf event of the side band
 * @cpu: CPU
 *
 * Return: its file descriptor, which the caller owns, -ENODEV (the CPU is offline) or another
 * negative errno.
 */
int privileged_side_band(int cpu);

/**
 * privileged_serve - do one thing that a process asks for
 * @socket: readable
 * @sink: the sink of its session
 * @side_band: whether its session has one
 *
 * Return: 0, or a negative errno: the process is gone, or sent what no process of ours sends.
 */
int privileged_serve(int socket, const char *sink, bool side_band);

#endif /* RVTRACED_PRIVILEGED_H */
