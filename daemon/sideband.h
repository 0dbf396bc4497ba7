/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's perf side band, recorded beside the trace. */
#ifndef RVTRACED_SIDEBAND_H
#define RVTRACED_SIDEBAND_H

#include <stdint.h>

#include "tools/lib/recording/recorder.h"

struct event_base;
struct sideband;

/* Told that the side band cannot be written any more; called once. */
typedef void (*sideband_failed)(void *user, const struct rvtrace_failure *error);

/**
 * sideband_open - start recording the side band of all CPUs, of those that come online as well
 * @base: event loop
 * @recorder: where it goes; must outlive the result
 * @failed: called when a write fails
 * @user: for @failed
 * @error: filled on failure: why the kernel does not offer it
 *
 * Return: the side band, or NULL.
 */
struct sideband *sideband_open(struct event_base *base, struct rvtrace_recorder *recorder,
			       sideband_failed failed, void *user,
			       struct rvtrace_failure *error);

/**
 * sideband_drain - write what is there
 * @sideband: the side band or NULL
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int sideband_drain(struct sideband *sideband, struct rvtrace_failure *error);

/**
 * sideband_stop - write the rest, record no more
 * @sideband: the side band or NULL
 * @error: filled on failure
 *
 * The events stay open until sideband_free(): opening and closing them patches
 * kernel text, which whoever compares that text with the trace must not see
 * change. The recorder is not used any more.
 *
 * Return: 0 or a negative errno.
 */
int sideband_stop(struct sideband *sideband, struct rvtrace_failure *error);

/**
 * sideband_lost - records the kernel dropped
 * @sideband: the side band or NULL
 */
uint64_t sideband_lost(const struct sideband *sideband);

/**
 * sideband_free - close all events
 * @sideband: the side band or NULL
 */
void sideband_free(struct sideband *sideband);

#endif /* RVTRACED_SIDEBAND_H */
