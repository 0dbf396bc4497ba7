// SPDX-License-Identifier: GPL-2.0
/* Who counts as one user: see members.h. */
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "members.h"

#define PASSWD	"/etc/passwd"
#define GROUP	"/etc/group"

static struct {
	uid_t *uids;
	size_t count;
	struct stat passwd;
	struct stat group;
} members;

static bool has_changed(const char *path, struct stat *known)
{
	struct stat st = { 0 };
	bool same;

	stat(path, &st);
	same = st.st_ino == known->st_ino && st.st_dev == known->st_dev &&
	       st.st_size == known->st_size &&
	       st.st_ctim.tv_sec == known->st_ctim.tv_sec &&
	       st.st_ctim.tv_nsec == known->st_ctim.tv_nsec;
	*known = st;
	return !same;
}

static void add(uid_t uid)
{
	uid_t *uids = reallocarray(members.uids, members.count + 1, sizeof(*uids));

	if (!uids)
		return;
	uids[members.count++] = uid;
	members.uids = uids;
}

static void add_named(const struct group *group)
{
	const struct passwd *user;
	char **name;

	for (name = group->gr_mem; *name; name++) {
		user = getpwnam(*name);
		if (user)
			add(user->pw_uid);
	}
}

static void add_by_own_group(gid_t gid)
{
	FILE *file = fopen(PASSWD, "re");
	const struct passwd *user;

	if (!file)
		return;
	while ((user = fgetpwent(file)))
		if (user->pw_gid == gid)
			add(user->pw_uid);
	fclose(file);
}

void members_load(const char *name, bool again)
{
	bool changed = has_changed(PASSWD, &members.passwd);
	const struct group *group;
	gid_t gid;

	/* Both are to be known. */
	changed |= has_changed(GROUP, &members.group);
	if (!changed && !again)
		return;
	free(members.uids);
	members.uids = NULL;
	members.count = 0;
	group = getgrnam(name);
	if (!group)
		return;
	gid = group->gr_gid;
	add_named(group);
	add_by_own_group(gid);
}

bool members_count_alone(uid_t uid)
{
	size_t i;

	for (i = 0; i < members.count && members.uids[i] != uid; i++)
		;
	return !uid || i < members.count;
}

bool members_same(uid_t one, uid_t other)
{
	return one == other || (!members_count_alone(one) && !members_count_alone(other));
}
