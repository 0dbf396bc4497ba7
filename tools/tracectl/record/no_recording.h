/* SPDX-License-Identifier: GPL-2.0 */
/* Names of recordings that are none. */
#ifndef RVTRACE_TRACECTL_NO_RECORDING_H
#define RVTRACE_TRACECTL_NO_RECORDING_H

#include <rvtrace/recording.h>

/* @ret: why @path could not be opened; if it is a file, @error says what to do. Return: @ret */
int explain_no_recording(const char *path, int ret, struct rvtrace_failure *error);

#endif /* RVTRACE_TRACECTL_NO_RECORDING_H */
