/* SPDX-License-Identifier: GPL-2.0 */
/* Writing attributes so that a command that is refused changes nothing. */
#ifndef RVTRACE_TRACECTL_CHANGES_H
#define RVTRACE_TRACECTL_CHANGES_H

#include "tools/tracectl/tracectl.h"

/**
 * changes_write() - write an attribute
 * @device: of which component or sink; it is there until changes_end()
 * @name: the attribute
 * @value: what to write
 *
 * Return: 0; a negative errno, after one line that says what was refused and what it can be.
 */
int changes_write(const struct rvtrace_device *device, const char *name, const char *value);

/**
 * changes_end() - keep what was written since this was called last, or undo it
 * @ret: what the command comes to: undo it, unless that is 0
 *
 * Return: @ret
 */
int changes_end(int ret);

#endif /* RVTRACE_TRACECTL_CHANGES_H */
