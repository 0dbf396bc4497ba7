/* SPDX-License-Identifier: GPL-2.0 */
/* Where the control socket is: its folder, its group, and what a daemon before left there. */
#ifndef RVTRACED_CONTROL_SOCKET_H
#define RVTRACED_CONTROL_SOCKET_H

#include <stddef.h>
#include <sys/stat.h>

/**
 * control_socket_listen() - listen at a path
 * @path: where, absolute
 * @group: whose members may connect
 * @error: filled on failure
 * @size: its size
 *
 * Return: a file descriptor, or -1.
 */
int control_socket_listen(const char *path, const char *group, char *error, size_t size);

/**
 * control_socket_remove() - remove it again
 * @path: where it was
 * @file: what lstat() said of it; anything that took its place meanwhile stays
 */
void control_socket_remove(const char *path, const struct stat *file);

#endif /* RVTRACED_CONTROL_SOCKET_H */
