// SPDX-License-Identifier: GPL-2.0
/* Processes of the storm. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "announce.h"
#include "storm.h"

void storm_count(const struct storm *storm, pid_t pid)
{
	struct storm_totals *t = storm->totals;

	t->processes++;
	if (pid >= 0 && pid < STORM_PIDS && t->pids[pid]++)
		t->reused++;
}

pid_t storm_fork(const struct storm *storm)
{
	pid_t pid = fork();

	if (pid > 0)
		storm_count(storm, pid);
	else if (!pid)
		announce_pid();
	return pid;
}

bool storm_wait(pid_t pid, int status)
{
	int got;

	return pid > 0 && waitpid(pid, &got, 0) == pid && WIFEXITED(got) &&
	       WEXITSTATUS(got) == status;
}

bool storm_call(const struct storm *storm, bool (*function)(const struct storm *, uint32_t),
		uint32_t random)
{
	pid_t pid = storm_fork(storm);

	if (!pid)
		_exit(!function(storm, random));
	return storm_wait(pid, 0);
}

char *storm_path(const char *directory, const char *name, unsigned int number)
{
	char *path;

	return asprintf(&path, "%s/%s-%u", directory, name, number) < 0 ? NULL : path;
}

bool storm_copy(const char *from, int fd)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n = 1;
	off_t done = 0;

	if (in < 0 || fstat(in, &st) < 0)
		return false;
	while (done < st.st_size && n > 0)
		n = sendfile(fd, in, &done, st.st_size - done);
	close(in);
	return done == st.st_size;
}
