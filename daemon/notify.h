/* SPDX-License-Identifier: GPL-2.0 */
/* What systemd is told and gives: sd_notify(3), sd_listen_fds(3). */
#ifndef RVTRACED_NOTIFY_H
#define RVTRACED_NOTIFY_H

#include <stdint.h>

/**
 * notify_send - tell the service manager, if there is one
 * @state: as "READY=1"
 */
void notify_send(const char *state);

/**
 * notify_reloading - tell the service manager that a reload begins
 */
void notify_reloading(void);

/**
 * notify_watchdog - how often "WATCHDOG=1" is expected
 *
 * Return: microseconds, 0: never.
 */
uint64_t notify_watchdog(void);

/**
 * notify_listening_socket - the socket the service manager listens on for us
 *
 * Return: a file descriptor, or -1.
 */
int notify_listening_socket(void);

#endif /* RVTRACED_NOTIFY_H */
