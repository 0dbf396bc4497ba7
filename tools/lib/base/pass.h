/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages between processes of one program, with a file descriptor each. */
#ifndef PASS_H
#define PASS_H

#include <stddef.h>
#include <sys/types.h>

/**
 * pass_send - send a message
 * @socket: a Unix socket
 * @bytes: the message
 * @size: bytes of it, one at least
 * @fd: goes along, and stays open here; -1: none
 *
 * Return: 0 or a negative errno.
 */
int pass_send(int socket, const void *bytes, size_t size, int fd);

/**
 * pass_receive - wait for a message
 * @socket: a Unix socket
 * @bytes: filled
 * @size: bytes at @bytes
 * @fd: the file descriptor that came along, which the caller owns; -1: none
 *
 * Return: bytes, 0 when the other end is closed, or a negative errno.
 */
ssize_t pass_receive(int socket, void *bytes, size_t size, int *fd);

#endif /* PASS_H */
