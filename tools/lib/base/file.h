/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that are only data: whatever a path leads to, nothing but a regular file is opened, since
 * to open a FIFO waits, and to open a device does what its driver likes.
 */
#ifndef RVTRACE_FILE_H
#define RVTRACE_FILE_H

/**
 * rvtrace_file_open() - open a regular file for reading that the user named
 * @path: the file; links are followed
 *
 * Return: a file descriptor, -EINVAL (it is no regular file) or another negative errno.
 */
int rvtrace_file_open(const char *path);

/**
 * rvtrace_file_open_below() - open a regular file for reading that a recording names
 * @directory: below it, which the user named; "/": anywhere
 * @path: relative to @directory, with or without a slash before it
 *
 * Links are followed as if @directory were the root of all files, but not those of /proc, which
 * lead to files that this process has open. Linux before 5.6 cannot do that: then no link is
 * followed. Files of /proc, /sys and the like are not opened.
 *
 * Return: a file descriptor; -EINVAL (it is no regular file, or there is a ".." in @path), -ELOOP
 * (a link that is not followed) or another negative errno.
 */
int rvtrace_file_open_below(const char *directory, const char *path);

/**
 * rvtrace_file_reopen() - open for reading what was opened with O_PATH
 * @fd: a file descriptor of O_PATH, which is closed, or a negative errno
 *
 * Return: a file descriptor; @fd if it is an errno; -EINVAL (it is no regular file), -ELOOP (it is
 * a link) or another negative errno.
 */
int rvtrace_file_reopen(int fd);

#endif /* RVTRACE_FILE_H */
