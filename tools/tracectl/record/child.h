/* SPDX-License-Identifier: GPL-2.0 */
/* The command that is traced. */
#ifndef RVTRACE_TRACECTL_CHILD_H
#define RVTRACE_TRACECTL_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct child - a command, from before its exec to its end
 * @pid: the process, 0 without a command
 * @go: it starts when this is written to
 * @failed: errno of its exec is read from here
 * @name: as the user typed it
 * @ended: it was waited for
 * @status: exit status as a shell gives it
 */
struct child {
	pid_t pid;
	int go;
	int failed;
	const char *name;
	bool ended;
	int status;
};

enum child_event {
	CHILD_ENDED,		/* or a signal that ends a session without command */
	CHILD_TIMEOUT,
};

/**
 * child_prepare() - fork the process that will be the command
 * @child: filled
 * @command: argument vector; NULL: no command, signals end the session
 *
 * It exists, with its process id, and waits. SIGINT and SIGTERM no longer end
 * this process: the trace is finished first.
 *
 * Return: 0, or a negative errno after a message; @child->status then says
 * what the exit status is: 127 not found, 126 not executable.
 */
int child_prepare(struct child *child, char **command);

/* Lets it exec; 0, or a negative errno after a message when that failed. */
int child_go(struct child *child);

/* Waits until it ended, or the time @until (CLOCK_MONOTONIC, ns). */
enum child_event child_wait(struct child *child, uint64_t until);

/* Waits for its end, or ends it if it never started; returns its status. */
int child_end(struct child *child);

#endif /* RVTRACE_TRACECTL_CHILD_H */
