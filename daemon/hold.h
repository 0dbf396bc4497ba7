/* SPDX-License-Identifier: GPL-2.0 */
/* Kernel text that stays as it is during a session: hold.c. */
#ifndef RVTRACED_HOLD_H
#define RVTRACED_HOLD_H

struct rvtrace_failure;

/**
 * hold_text - have the kernel keep patched what a session patches, until this process ends
 * @error: filled on failure, or NULL
 *
 * Return: 0 or a negative errno; what could be held is held.
 */
int hold_text(struct rvtrace_failure *error);

#endif /* RVTRACED_HOLD_H */
