/* SPDX-License-Identifier: GPL-2.0 */
/* Where a session records: the directory that its client passed, or a new one. */
#ifndef RVTRACED_SESSION_DIRECTORY_H
#define RVTRACED_SESSION_DIRECTORY_H

#include <rvtrace/recording.h>

#include "daemon.h"
#include "session_settings.h"

/**
 * struct session_directory - a directory
 * @fd: the directory
 * @path: of a new one; "": it is the client's
 */
struct session_directory {
	int fd;
	char path[CONFIG_PATH_MAX + 64];
};

/**
 * session_directory_open - find or make the directory
 * @daemon: the daemon
 * @settings: what is wanted; @directory and @directory_name become what is found
 * @directory: filled; session_directory_close() it, unless this fails
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int session_directory_open(const struct daemon *daemon, struct session_settings *settings,
			   struct session_directory *directory,
			   struct rvtrace_failure *error);

/**
 * session_directory_check - whether the directory is its owner's, and there is room
 * @config: how much is to stay free
 * @settings: with the directory; it is looked at with the rights of this process, which is the
 *	owner's by then, as its file system may answer nobody else
 * @error: filled on failure
 *
 * Return: 0 or a negative errno.
 */
int session_directory_check(const struct config *config, const struct session_settings *settings,
			    struct rvtrace_failure *error);

/**
 * session_directory_close - the directory is used by its name or not at all from now on
 * @directory: the directory
 * @used: there is a recording in it; else a new one is removed while it is empty
 */
void session_directory_close(struct session_directory *directory, bool used);

#endif /* RVTRACED_SESSION_DIRECTORY_H */
