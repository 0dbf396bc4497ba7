/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that a client sent. They may be of a file system of the client's own, or of a socket whose
 * peer listens to nobody: what does not answer must not hold up the daemon. Closing a directory asks
 * no file system, and neither does looking whether it is one.
 */
#ifndef RVTRACED_CLIENT_FILE_H
#define RVTRACED_CLIENT_FILE_H

#include <stdbool.h>
#include <sys/types.h>

/** client_file_is_directory - whether a file is a directory */
bool client_file_is_directory(int fd);

/**
 * client_file_close - close a file that is no directory, however long that takes
 * @fd: the file
 * @uid: whose it was
 */
void client_file_close(int fd, uid_t uid);

/** client_files_welcome - whether a user may send files: few of this one's are still being closed */
bool client_files_welcome(uid_t uid);

/**
 * client_files_drop - begin to drop files that were sent and are not taken
 *
 * Until client_files_dropped() no system call waits for the peer of a socket.
 */
void client_files_drop(void);

/** client_files_dropped - the end of that */
void client_files_dropped(void);

#endif /* RVTRACED_CLIENT_FILE_H */
