/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is left of sessions. The process that saves images reads what any user's program has mapped,
 * and the file system may not answer: no signal ends that. All processes of a session have one of a
 * pair of sockets.
 */
#ifndef RVTRACED_REMAINS_H
#define RVTRACED_REMAINS_H

#include <sys/queue.h>
#include <sys/types.h>

struct remains;

LIST_HEAD(remains_list, remains);

/**
 * remains_watch - a session's processes begin
 * @list: those of the daemon
 * @uid: owner of the recording
 * @end: a socket of whose pair they have the other one; it is closed when all have ended
 *
 * Return: 0 or -ENOMEM.
 */
int remains_watch(struct remains_list *list, uid_t uid, int end);

/**
 * remains_count - of how many processes that record for a user they, or what they began, are there
 */
int remains_count(struct remains_list *list, uid_t uid);

/** remains_free - they are not waited for */
void remains_free(struct remains_list *list);

#endif /* RVTRACED_REMAINS_H */
