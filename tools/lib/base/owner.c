// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Rights of a file's owner, for a while: see owner.h.
 *
 * Only what file systems look at changes, for this thread alone. With another effective user the
 * owner could change the priority of this process meanwhile.
 */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "owner.h"

#define WORDS	_LINUX_CAPABILITY_U32S_3

/* What this process is when it is not an owner */
static struct {
	unsigned int depth;
	bool changed;
	uid_t uid;
	gid_t gid;
	gid_t *groups;
	int group_count;
	struct __user_cap_data_struct capabilities[WORDS];
} self;

/* The system calls: the library's functions change all threads. */
static int capabilities(long call, struct __user_cap_data_struct *data)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return syscall(call, &header, data);
}

static int set_groups(const gid_t *groups, int count)
{
	return syscall(SYS_setgroups, count, groups);
}

static bool save_groups(void)
{
	self.groups = NULL;
	self.group_count = getgroups(0, NULL);
	if (self.group_count <= 0)
		return !self.group_count;
	self.groups = calloc(self.group_count, sizeof(*self.groups));
	return self.groups && getgroups(self.group_count, self.groups) == self.group_count;
}

/* An identity that cannot be set leaves the one before: that is how one asks for it. */
static bool set_identity(uid_t uid, gid_t gid)
{
	setfsgid(gid);
	setfsuid(uid);
	return (gid_t)setfsgid(-1) == gid && (uid_t)setfsuid(-1) == uid;
}

static bool leave_capabilities(uint64_t kept)
{
	struct __user_cap_data_struct left[WORDS];
	int i;

	for (i = 0; i < WORDS; i++) {
		left[i] = self.capabilities[i];
		left[i].effective &= (uint32_t)(kept >> 32 * i);
	}
	return !capabilities(SYS_capset, left);
}

/* Capabilities first: without them neither groups nor identity can be set. */
static void restore(void)
{
	if (capabilities(SYS_capset, self.capabilities) ||
	    set_groups(self.groups, self.group_count) || !set_identity(self.uid, self.gid))
		abort();	/* to go on as somebody else would be worse */
	/* It became more by the change of identity. */
	capabilities(SYS_capset, self.capabilities);
	free(self.groups);
	self.groups = NULL;
}

static bool become(uid_t uid, gid_t gid, uint64_t kept)
{
	self.uid = setfsuid(-1);
	self.gid = setfsgid(-1);
	if (capabilities(SYS_capget, self.capabilities) || !save_groups() || set_groups(NULL, 0)) {
		free(self.groups);
		return false;
	}
	if (set_identity(uid, gid) && leave_capabilities(kept))
		return true;
	restore();
	return false;
}

int rvtrace_owner_begin(uid_t uid, gid_t gid, uint64_t kept)
{
	bool same = uid == (uid_t)-1 ||
		    (uid == geteuid() && (gid == (gid_t)-1 || gid == getegid()));

	if (self.depth) {
		if (uid != (uid_t)-1 && uid != (uid_t)setfsuid(-1))
			return -EPERM;
	} else {
		if (!same && !become(uid, gid == (gid_t)-1 ? getegid() : gid, kept))
			return -EPERM;
		self.changed = !same;
	}
	self.depth++;
	return 0;
}

void rvtrace_owner_end(void)
{
	int saved = errno;

	if (!--self.depth && self.changed)
		restore();
	errno = saved;
}

int rvtrace_owner_keep(uint64_t kept)
{
	struct __user_cap_data_struct left[WORDS];
	int i;

	if (capabilities(SYS_capget, left))
		return -errno;
	for (i = 0; i < WORDS; i++) {
		left[i].permitted &= (uint32_t)(kept >> 32 * i);
		left[i].effective = left[i].permitted;
		left[i].inheritable = 0;
	}
	return capabilities(SYS_capset, left) ? -errno : 0;
}

int rvtrace_owner_become(uid_t uid, gid_t gid, const gid_t *groups, int group_count,
			 uint64_t kept)
{
	if (geteuid() && uid == geteuid())
		return 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || set_groups(groups, group_count) ||
	    setresgid(gid, gid, gid) || setresuid(uid, uid, uid) ||
	    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		return -errno;
	return rvtrace_owner_keep(kept);
}
