// SPDX-License-Identifier: LGPL-2.1-or-later
/* Files that are only data: see file.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>
#include <linux/openat2.h>

#include "file.h"
#include "file_io.h"

#ifndef CONFIGFS_MAGIC
#define CONFIGFS_MAGIC	0x62656570
#endif

static int check_regular(int fd, struct stat *st)
{
	if (fstat(fd, st))
		return -errno;
	if (S_ISLNK(st->st_mode))
		return -ELOOP;
	return S_ISREG(st->st_mode) ? 0 : S_ISDIR(st->st_mode) ? -EISDIR : -EINVAL;
}

int rvtrace_file_reopen(int fd)
{
	char path[32];
	struct stat st;
	int ret, opened;

	if (fd < 0)
		return fd;
	ret = check_regular(fd, &st);
	if (ret) {
		close(fd);
		return ret;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	opened = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	ret = opened < 0 ? -errno : opened;
	close(fd);
	return ret;
}

int rvtrace_file_open(const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC);

	return rvtrace_file_reopen(fd < 0 ? -errno : fd);
}

/* Reading a file of these does more than to read it: it waits, or takes away what it shows. */
static bool is_of_kernel(int fd)
{
	static const uint32_t magics[] = {
		PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC, SECURITYFS_MAGIC,
		CONFIGFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC,
		EFIVARFS_MAGIC, PSTOREFS_MAGIC, SELINUX_MAGIC, SMACK_MAGIC, BINFMTFS_MAGIC,
	};
	struct statfs fs;
	size_t i;

	if (fstatfs(fd, &fs))
		return true;
	for (i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if ((uint32_t)fs.f_type == magics[i])
			return true;
	return false;
}

static bool goes_up(const char *path)
{
	for (; *path; path += strcspn(path, "/"), path += strspn(path, "/"))
		if (!strncmp(path, "..", 2) && (!path[2] || path[2] == '/'))
			return true;
	return false;
}

/* Return: a file descriptor of O_PATH or a negative errno. */
static int find_below(int directory, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd = syscall(SYS_openat2, directory, path, &how, sizeof(how));

	if (fd >= 0)
		return fd;
	/* Of an older kernel, or who filters system calls. */
	if (errno == ENOSYS || errno == EPERM)
		return file_open_below(directory, path, O_PATH, 0);
	return -errno;
}

int rvtrace_file_open_below(const char *directory, const char *path)
{
	int top, fd;

	path += strspn(path, "/");
	if (!*path || goes_up(path))
		return -EINVAL;
	top = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (top < 0)
		return -errno;
	fd = find_below(top, path);
	close(top);
	if (fd >= 0 && is_of_kernel(fd)) {
		close(fd);
		fd = -EINVAL;
	}
	return rvtrace_file_reopen(fd);
}
