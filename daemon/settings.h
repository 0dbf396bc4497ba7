/* SPDX-License-Identifier: GPL-2.0 */
/* Putting a session's settings into the hardware, through sysfs. */
#ifndef RVTRACED_SETTINGS_H
#define RVTRACED_SETTINGS_H

#include <rvtrace/recording.h>

#include "session_settings.h"

/**
 * settings_idle - refuse a sink on which a session is live
 * @sink: name of the sink
 * @error: filled on failure
 *
 * Return: 0 or -EBUSY.
 */
int settings_idle(const char *sink, struct rvtrace_failure *error);

/**
 * settings_apply - write mode, ring size and attributes
 * @settings: what is wanted
 * @encoders: array of the session's encoders, checked here
 * @error: filled on failure
 *
 * Return: 0 or a negative errno; what was written before the failure stays.
 */
int settings_apply(const struct session_settings *settings, struct json_object *encoders,
		   struct rvtrace_failure *error);

/**
 * settings_start - switch tracing on
 * @sink: name of the sink
 * @encoders: array of encoders, NULL: all
 * @error: filled on failure; what was switched on is still on
 *
 * Return: 0 or a negative errno.
 */
int settings_start(const char *sink, struct json_object *encoders,
		   struct rvtrace_failure *error);

#endif /* RVTRACED_SETTINGS_H */
