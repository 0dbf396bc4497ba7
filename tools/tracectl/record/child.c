// SPDX-License-Identifier: GPL-2.0
/* The command that is traced: fork, hold, exec, signals, status. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/tracectl/tracectl.h"
#include "child.h"

static sigset_t handled, before;

static bool is_executable(const char *path)
{
	struct stat st;

	return !access(path, X_OK) && !stat(path, &st) && S_ISREG(st.st_mode);
}

/* As execvp() looks for it; what it then refuses is found later. */
static int check_command(const char *name)
{
	const char *path = getenv("PATH"), *end;
	char full[4096];

	if (strchr(name, '/'))
		return is_executable(name) ? 0 : access(name, F_OK) ? ENOENT : EACCES;
	for (path = path ? path : "/usr/bin:/bin"; ; path = end + 1) {
		end = strchrnul(path, ':');
		snprintf(full, sizeof(full), "%.*s/%s", (int)(end - path), path, name);
		if (is_executable(full))
			return 0;
		if (!*end)
			return ENOENT;
	}
}

static int cannot_run(struct child *child, int error)
{
	error_text("%s: %s", child->name, strerror(error));
	child->status = error == ENOENT ? 127 : 126;
	return -error;
}

static void __attribute__((noreturn)) be_command(char **command, int go, int failed)
{
	char byte;
	int error;

	sigprocmask(SIG_SETMASK, &before, NULL);
	if (read(go, &byte, 1) == 1) {
		execvp(command[0], command);
		error = errno;
		if (write(failed, &error, sizeof(error)) < 0)
			_exit(126);
	}
	_exit(127);
}

int child_prepare(struct child *child, char **command)
{
	int go[2], failed[2], error;

	memset(child, 0, sizeof(*child));
	sigemptyset(&handled);
	sigaddset(&handled, SIGINT);
	sigaddset(&handled, SIGTERM);
	sigaddset(&handled, SIGHUP);
	sigaddset(&handled, SIGCHLD);
	sigprocmask(SIG_BLOCK, &handled, &before);
	if (!command)
		return 0;
	child->name = command[0];
	error = check_command(command[0]);
	if (error)
		return cannot_run(child, error);
	if (pipe2(go, O_CLOEXEC) < 0 || pipe2(failed, O_CLOEXEC) < 0) {
		error_text("pipe: %s", strerror(errno));
		return -errno;
	}
	child->pid = fork();
	if (!child->pid) {
		close(go[1]);
		close(failed[0]);
		be_command(command, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	child->go = go[1];
	child->failed = failed[0];
	if (child->pid < 0) {
		error_text("fork: %s", strerror(errno));
		child->pid = 0;
		return -errno;
	}
	return 0;
}

int child_go(struct child *child)
{
	int error;

	if (write(child->go, "", 1) != 1)
		return cannot_run(child, errno);
	close(child->go);
	child->go = -1;
	if (read(child->failed, &error, sizeof(error)) == sizeof(error))
		return cannot_run(child, error);
	return 0;
}

static void reap(struct child *child)
{
	int status;

	if (!child->pid || child->ended || waitpid(child->pid, &status, WNOHANG) != child->pid)
		return;
	child->ended = true;
	if (!child->status)
		child->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

enum child_event child_wait(struct child *child, uint64_t until)
{
	uint64_t now;
	int signal;

	for (;;) {
		reap(child);
		if (child->ended)
			return CHILD_ENDED;
		now = now_ns();
		if (now >= until)
			return CHILD_TIMEOUT;
		signal = sigtimedwait(&handled, NULL, &(struct timespec) {
				      (until - now) / 1000000000, (until - now) % 1000000000 });
		if (signal < 0 || signal == SIGCHLD)
			continue;
		if (!child->pid)
			return CHILD_ENDED;
		/* A terminal has sent SIGINT to the command as well. */
		if (signal != SIGINT)
			kill(child->pid, signal);
	}
}

int child_end(struct child *child)
{
	if (!child->pid)
		return child->status;
	if (child->go > 0) {
		close(child->go);	/* it never started: it exits */
		waitpid(child->pid, NULL, 0);
	} else {
		while (!child->ended)
			child_wait(child, UINT64_MAX);
	}
	close(child->failed);
	return child->status;
}
