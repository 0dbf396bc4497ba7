/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GNU build ids of files and of what runs. */
#ifndef RVTRACE_BUILD_ID_H
#define RVTRACE_BUILD_ID_H

#include "tools/lib/base/boot_id.h"

#define RVTRACE_BUILD_ID_TEXT	41	/* hex digits and NUL */

/**
 * rvtrace_build_id_of_fd() - build id of an ELF file
 * @fd: the file, open for reading; it stays open
 * @text: filled with hex digits; "" when there is none
 */
void rvtrace_build_id_of_fd(int fd, char text[RVTRACE_BUILD_ID_TEXT]);

/**
 * rvtrace_build_id_of_file() - build id of an ELF file
 * @path: the file
 * @text: filled with hex digits; "" when it cannot be read or has none
 */
void rvtrace_build_id_of_file(const char *path, char text[RVTRACE_BUILD_ID_TEXT]);

/**
 * rvtrace_build_id_of_notes() - build id in a file of ELF notes, as sysfs has them
 * @path: the file
 * @text: filled with hex digits; "" when it cannot be read or has none
 */
void rvtrace_build_id_of_notes(const char *path, char text[RVTRACE_BUILD_ID_TEXT]);

#endif /* RVTRACE_BUILD_ID_H */
