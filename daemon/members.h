/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who counts as one user. Whoever has subordinate uids can be any of them and stay in the group, so
 * that only who is a member by the user database counts alone; all others together are one user.
 */
#ifndef RVTRACED_MEMBERS_H
#define RVTRACED_MEMBERS_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * members_load - look up who is a member
 * @group: name of the group
 * @again: even if neither /etc/group nor /etc/passwd has changed
 *
 * Members that the group names, from wherever the system has its users, and users of /etc/passwd whose
 * own group it is. If that fails, those that are known stay, and it is tried again some seconds later. A
 * directory of users that does not answer delays this call, not members_count_alone().
 */
void members_load(const char *group, bool again);

/** members_count_alone - whether a user is root or a member */
bool members_count_alone(uid_t uid);

/** members_same - whether two users count as one */
bool members_same(uid_t one, uid_t other);

#endif /* RVTRACED_MEMBERS_H */
