// SPDX-License-Identifier: GPL-2.0
/* How the daemon's other processes begin: see child.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"

#define FILES_MAX	8
#define MEMORY_MAX	(1ULL << 30)

static int alone = -1;	/* where the child says that it has nothing of others open */

/* A child that ends before it says so has closed all, and was none. */
static pid_t wait_until_alone(int fd, pid_t pid)
{
	char byte;

	if (read(fd, &byte, sizeof(byte)) == sizeof(byte))
		return pid;
	waitpid(pid, NULL, 0);
	errno = EAGAIN;
	return -1;
}

pid_t child_fork(void)
{
	sigset_t all, before;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (!pid) {
		close(ends[0]);
		alone = ends[1];
		return 0;
	}
	close(ends[1]);
	if (pid > 0)
		pid = wait_until_alone(ends[0], pid);
	close(ends[0]);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

/* As the number @to; a file of -1 leaves that free */
static int place(int file, int to)
{
	if (file < 0)
		close(to);
	else if (dup3(file, to, O_CLOEXEC) < 0)
		return -errno;
	return 0;
}

int child_keep_files(const int *files, int count)
{
	int kept[FILES_MAX], i, ret = 0;

	if (count >= FILES_MAX)
		return -EINVAL;
	for (i = 0; i <= count; i++) {
		kept[i] = i < count ? files[i] : alone;
		if (kept[i] < 0)
			continue;
		kept[i] = fcntl(kept[i], F_DUPFD_CLOEXEC, CHILD_FILES + count + 1);
		if (kept[i] < 0)
			return -errno;
	}
	for (i = 0; i <= count && !ret; i++)
		ret = place(kept[i], CHILD_FILES + i);
	if (ret || close_range(CHILD_FILES + count + 1, ~0U, 0))
		return ret ? ret : -errno;
	if (write(CHILD_FILES + count, "", 1) != 1)
		return -errno;
	return close(CHILD_FILES + count);
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

void child_limit(int resource, rlim_t most)
{
	const struct rlimit limit = { most, most };

	setrlimit(resource, &limit);
}

void child_limit_memory(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long pages;

	if (!file)
		return;
	if (fscanf(file, "%llu", &pages) == 1)
		child_limit(RLIMIT_AS, pages * sysconf(_SC_PAGESIZE) + MEMORY_MAX);
	fclose(file);
}
