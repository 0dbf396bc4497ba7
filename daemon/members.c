// SPDX-License-Identifier: GPL-2.0
/* Who counts as one user: see members.h. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "members.h"

#define PASSWD	"/etc/passwd"
#define GROUP	"/etc/group"
#define RETRY	10	/* seconds, after which what failed is tried again */

struct list {
	uid_t *uids;
	size_t count;
};

static struct {
	struct list list;
	struct stat passwd;
	struct stat group;
	time_t retry;	/* CLOCK_MONOTONIC; 0: nothing failed */
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

/* Each returns -1 when it could not look; who is not found is no error. */

static int add(struct list *list, uid_t uid)
{
	uid_t *uids = reallocarray(list->uids, list->count + 1, sizeof(*uids));

	if (!uids)
		return -1;
	uids[list->count++] = uid;
	list->uids = uids;
	return 0;
}

/* As getpwnam(3) has it */
static int failure(void)
{
	return errno && errno != ENOENT && errno != ESRCH && errno != EBADF && errno != EPERM ?
	       -1 : 0;
}

static int add_named(struct list *list, const struct group *group)
{
	const struct passwd *user;
	char **name;
	int ret = 0;

	for (name = group->gr_mem; *name && !ret; name++) {
		errno = 0;
		user = getpwnam(*name);
		ret = user ? add(list, user->pw_uid) : failure();
	}
	return ret;
}

static int add_by_own_group(struct list *list, gid_t gid)
{
	FILE *file = fopen(PASSWD, "re");
	const struct passwd *user;
	int ret = 0;

	if (!file)
		return failure();
	while (!ret && (user = fgetpwent(file)))
		if (user->pw_gid == gid)
			ret = add(list, user->pw_uid);
	fclose(file);
	return ret;
}

static int look_up(struct list *list, const char *name)
{
	const struct group *group;
	gid_t gid;

	errno = 0;
	group = getgrnam(name);
	if (!group)
		return failure();
	gid = group->gr_gid;
	return add_named(list, group) || add_by_own_group(list, gid) ? -1 : 0;
}

static bool is_time(time_t now)
{
	return members.retry && now >= members.retry;
}

void members_load(const char *name, bool again)
{
	bool changed = has_changed(PASSWD, &members.passwd);
	struct list list = { 0 };
	struct timespec now;

	/* Both are to be known. */
	changed |= has_changed(GROUP, &members.group);
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!changed && !again && !is_time(now.tv_sec))
		return;
	if (look_up(&list, name)) {
		free(list.uids);
		members.retry = now.tv_sec + RETRY;
		return;
	}
	free(members.list.uids);
	members.list = list;
	members.retry = 0;
}

bool members_count_alone(uid_t uid)
{
	size_t i;

	for (i = 0; i < members.list.count && members.list.uids[i] != uid; i++)
		;
	return !uid || i < members.list.count;
}

bool members_same(uid_t one, uid_t other)
{
	return one == other || (!members_count_alone(one) && !members_count_alone(other));
}
