/* SPDX-License-Identifier: GPL-2.0 */
/* Marker instructions, which open and close the window of a comparison. */
#ifndef RVTRACE_TRACECTL_MARK_H
#define RVTRACE_TRACECTL_MARK_H

#include <stdbool.h>

/**
 * mark_cpus() - execute a marker once on every CPU this task may run on
 * @begin: the opening marker; else the closing one
 *
 * The task is pinned to each CPU in turn; its affinity is restored.
 *
 * Return: the number of CPUs, or a negative errno: -ENOTSUP on a machine that
 * is not RISC-V, or what sched_setaffinity() said.
 */
int mark_cpus(bool begin);

#endif /* RVTRACE_TRACECTL_MARK_H */
