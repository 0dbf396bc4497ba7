/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which boot of the machine it is. */
#ifndef RVTRACE_BOOT_ID_H
#define RVTRACE_BOOT_ID_H

#define RVTRACE_BOOT_ID_TEXT	37	/* a UUID and NUL */

/**
 * rvtrace_boot_id() - what names the time since this machine was booted
 * @text: filled, as in /proc/sys/kernel/random/boot_id; "" when it cannot be read
 */
void rvtrace_boot_id(char text[RVTRACE_BOOT_ID_TEXT]);

#endif /* RVTRACE_BOOT_ID_H */
