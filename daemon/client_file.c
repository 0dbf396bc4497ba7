// SPDX-License-Identifier: GPL-2.0
/* Files that a client sent. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "client_file.h"

#define USERS		64	/* with files that are being closed */
#define CLOSING_MAX	4	/* of each */
#define WAIT_US		5000	/* for the peer of a socket */

/* An entry without files is free. */
static struct user {
	uid_t uid;
	atomic_int closing;
} users[USERS];

bool client_file_is_directory(int fd)
{
	char name[64];
	int path;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	path = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (path < 0)
		return false;
	close(path);
	return true;
}

/* Its entry, or a free one, or NULL */
static struct user *find_user(uid_t uid)
{
	struct user *user, *found = NULL;

	for (user = users; user < users + USERS; user++) {
		if (!atomic_load(&user->closing))
			found = user;
		else if (user->uid == uid)
			return user;
	}
	if (found)
		found->uid = uid;
	return found;
}

bool client_files_welcome(uid_t uid)
{
	struct user *user = find_user(uid);

	return user && atomic_load(&user->closing) < CLOSING_MAX;
}

/* @argument: file and entry */
static void *close_file(void *argument)
{
	close((intptr_t)argument / USERS);
	atomic_fetch_sub(&users[(intptr_t)argument % USERS].closing, 1);
	return NULL;
}

void client_file_close(int fd, uid_t uid)
{
	struct user *user = find_user(uid);
	void *argument = (void *)((intptr_t)fd * USERS + (user - users));
	pthread_attr_t attr;
	pthread_t thread;
	int ret = -1;

	user->uid = uid;
	atomic_fetch_add(&user->closing, 1);
	if (!pthread_attr_init(&attr)) {
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
		pthread_attr_setstacksize(&attr, 64 * 1024);
		ret = pthread_create(&thread, &attr, close_file, argument);
		pthread_attr_destroy(&attr);
	}
	if (ret)
		close_file(argument);
	/* A process that is forked now must not have it. The table forgets it first. */
	while (!ret && fcntl(fd, F_GETFD) >= 0)
		usleep(100);
}

static void set_timer(int us)
{
	const struct itimerval timer = { .it_value.tv_usec = us, .it_interval.tv_usec = us };

	setitimer(ITIMER_REAL, &timer, NULL);
}

static void wake(int number)
{
	(void)number;
}

/* The peer of a socket that lingers is waited for until a signal comes. */
void client_files_drop(void)
{
	const struct sigaction action = { .sa_handler = wake };

	sigaction(SIGALRM, &action, NULL);
	set_timer(WAIT_US);
}

void client_files_dropped(void)
{
	set_timer(0);
}
