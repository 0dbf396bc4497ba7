// SPDX-License-Identifier: GPL-2.0
/* How the daemon's other processes begin: see child.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "child.h"

#define FILES_MAX	8

pid_t child_fork(void)
{
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid)
		sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

int child_keep_files(const int *files, int count)
{
	int kept[FILES_MAX], i;

	if (count > FILES_MAX)
		return -EINVAL;
	for (i = 0; i < count; i++) {
		kept[i] = files[i] < 0 ? -1 :
			  fcntl(files[i], F_DUPFD_CLOEXEC, CHILD_FILES + count);
		if (files[i] >= 0 && kept[i] < 0)
			return -errno;
	}
	for (i = 0; i < count; i++) {
		if (kept[i] < 0)
			close(CHILD_FILES + i);
		else if (dup3(kept[i], CHILD_FILES + i, O_CLOEXEC) < 0)
			return -errno;
	}
	return close_range(CHILD_FILES + count, ~0U, 0) ? -errno : 0;
}

void child_take_signals(void)
{
	static const int ignored[] = { SIGTERM, SIGINT, SIGHUP, SIGPIPE };
	sigset_t all;
	size_t i;

	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigfillset(&all);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
}
