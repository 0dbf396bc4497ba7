/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that a privileged process handles with no more rights than their owner has. */
#ifndef RVTRACE_OWNER_H
#define RVTRACE_OWNER_H

#include <stdint.h>
#include <sys/types.h>

/**
 * rvtrace_owner_begin() - open, create and rename files as their owner could
 * @uid: the owner; (uid_t)-1, and the user that this process is: nothing changes
 * @gid: the only group of its; (gid_t)-1: that of this process
 * @kept: capabilities that stay effective if they are, one bit each; 0: none
 *
 * The thread's file system identity is that of the owner, supplementary groups are gone, and so
 * are capabilities from the effective set: the kernel decides what may be opened, and what is
 * created belongs to the owner. What is open stays so. May be nested for the same owner: what
 * was begun first holds until each was ended. For one thread of a process.
 *
 * Return: 0; -EPERM if this process may not become the owner, or is another one's meanwhile; then
 * nothing has changed, and there is nothing to end.
 */
int rvtrace_owner_begin(uid_t uid, gid_t gid, uint64_t kept);

/**
 * rvtrace_owner_become() - be a user for good, with no other rights
 * @uid: the user
 * @gid: its group
 * @groups: its other groups
 * @group_count: members of @groups
 * @kept: capabilities that root keeps, one bit each; other users have none
 *
 * Nothing that is executed later has more rights, and the user can neither trace this process nor
 * read its memory or open its files. A process that is that user already, and not
 * root, stays as it is.
 *
 * Return: 0 or a negative errno; after an error the process must end.
 */
int rvtrace_owner_become(uid_t uid, gid_t gid, const gid_t *groups, int group_count,
			 uint64_t kept);

/**
 * rvtrace_owner_keep() - give up all capabilities but some, for good
 * @kept: one bit each; what this process does not have it does not get
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_owner_keep(uint64_t kept);

/** rvtrace_owner_end() - be what this process is, again; errno stays */
void rvtrace_owner_end(void);

#endif /* RVTRACE_OWNER_H */
