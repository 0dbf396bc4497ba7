/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is left of sessions. The process that saves images reads what any user's program has mapped,
 * and the file system may not answer: no signal ends that. All processes of a session have the end
 * of a pipe.
 */
#ifndef RVTRACED_REMAINS_H
#define RVTRACED_REMAINS_H

#include <sys/queue.h>

struct remains;

LIST_HEAD(remains_list, remains);

/**
 * remains_watch - a session's processes begin
 * @list: those of the daemon
 * @end: the end of a pipe of which they have the other one; it is closed when all have ended
 *
 * Return: 0 or -ENOMEM.
 */
int remains_watch(struct remains_list *list, int end);

/** remains_count - of how many spawned processes, or processes that those began, some are there */
int remains_count(struct remains_list *list);

/** remains_free - they are not waited for */
void remains_free(struct remains_list *list);

#endif /* RVTRACED_REMAINS_H */
