// SPDX-License-Identifier: GPL-2.0
/* What systemd is told and gives: sd_notify(3), sd_listen_fds(3). */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "notify.h"

#define LISTEN_FD	3

void notify_send(const char *state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	size_t length;
	int fd;

	if (!path || (*path != '/' && *path != '@'))
		return;
	length = strlen(path);
	if (length >= sizeof(address.sun_path))
		return;
	memcpy(address.sun_path, path, length);
	/* '@' stands for the abstract namespace. */
	if (*path == '@')
		address.sun_path[0] = 0;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address,
	       offsetof(struct sockaddr_un, sun_path) + length);
	close(fd);
}

void notify_reloading(void)
{
	struct timespec now;
	char state[64];

	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(state, sizeof(state), "RELOADING=1\nMONOTONIC_USEC=%lld",
		 now.tv_sec * 1000000LL + now.tv_nsec / 1000);
	notify_send(state);
}

/* Whether a variable that names a process names this one. */
static int meant_for_us(const char *variable)
{
	const char *pid = getenv(variable);

	return pid && strtol(pid, NULL, 10) == getpid();
}

uint64_t notify_watchdog(void)
{
	const char *usec = getenv("WATCHDOG_USEC");

	if (!usec || (getenv("WATCHDOG_PID") && !meant_for_us("WATCHDOG_PID")))
		return 0;
	return strtoull(usec, NULL, 10);
}

int notify_listening_socket(void)
{
	const char *count = getenv("LISTEN_FDS");

	if (!count || strcmp(count, "1") || !meant_for_us("LISTEN_PID"))
		return -1;
	fcntl(LISTEN_FD, F_SETFD, FD_CLOEXEC);
	fcntl(LISTEN_FD, F_SETFL, O_NONBLOCK);
	return LISTEN_FD;
}
