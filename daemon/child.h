/* SPDX-License-Identifier: GPL-2.0 */
/* How the daemon's other processes begin. */
#ifndef RVTRACED_CHILD_H
#define RVTRACED_CHILD_H

#include <sys/resource.h>
#include <sys/types.h>

#define CHILD_FILES	3	/* the first file descriptor of child_keep_files() */

/**
 * child_fork - fork
 *
 * Returns when the child has closed what is not its own with child_keep_files(). The last one to
 * close a file of a client would otherwise be a child that belongs to somebody else, or, of a child
 * that ends before, the daemon.
 *
 * Return: as of fork(); -1 as well if the child ended before that. The child begins with all
 * signals blocked: child_take_signals().
 */
pid_t child_fork(void);

/**
 * child_keep_files - keep some files of the daemon and close all others
 * @files: they become CHILD_FILES and those after it; -1: that one is closed
 * @count: members of @files
 *
 * To be called in each child, before it waits for anything. Standard input, output and error stay.
 * Low numbers, so that few are left.
 *
 * Return: 0 or a negative errno.
 */
int child_keep_files(const int *files, int count);

/**
 * child_take_signals - ignore those that end the daemon
 *
 * The daemon decides when its processes end; a terminal and a service manager tell all of them.
 */
void child_take_signals(void);

/** child_limit - a limit that this process cannot raise again; see setrlimit() */
void child_limit(int resource, rlim_t most);

/** child_limit_memory - of memory, this process gets 1 GiB more than what it has mapped */
void child_limit_memory(void);

#endif /* RVTRACED_CHILD_H */
