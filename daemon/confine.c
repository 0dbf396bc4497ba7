// SPDX-License-Identifier: GPL-2.0
/* System calls: see confine.h. */
#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>

#include <seccomp.h>

#include "confine.h"

/* By which the C library knows them; those that a machine does not have are left out. */
static const char *const both[] = {
	/* files */
	"openat", "openat2", "open", "close", "close_range", "read", "write", "readv", "writev",
	"pread64", "pwrite64", "preadv", "pwritev", "lseek", "fstat", "newfstatat", "statx", "stat",
	"lstat", "statfs", "fstatfs", "access", "faccessat", "faccessat2", "readlink", "readlinkat",
	"getcwd", "getdents64", "mkdir", "mkdirat", "unlink", "unlinkat", "rmdir", "rename", "renameat",
	"renameat2", "ftruncate", "fallocate", "fadvise64", "sync_file_range", "fsync", "fdatasync",
	"flock", "fcntl", "ioctl", "dup", "dup3", "umask",
	/* memory */
	"mmap", "munmap", "mremap", "mprotect", "madvise", "brk",
	/* events, and the daemon at the other end of a socket */
	"epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll",
	"eventfd2", "timerfd_create", "timerfd_settime", "recvmsg", "recvfrom", "sendto",
	"connect", "bind", "getsockname", "getsockopt", "setsockopt",
	/* itself */
	"futex", "rseq", "set_robust_list", "membarrier", "clock_gettime", "clock_getres",
	"gettimeofday", "nanosleep", "clock_nanosleep", "restart_syscall", "getpid", "getppid",
	"gettid", "getuid", "geteuid", "getgid", "getegid", "getgroups", "setfsuid", "setfsgid",
	"getrandom", "getrusage", "prlimit64", "sched_getaffinity", "sched_yield", "sysinfo", "uname",
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "tgkill", "exit",
	"exit_group",
#ifdef __SANITIZE_ADDRESS__
	"clone", "ptrace", "prctl", "arch_prctl", "wait4", "getdents",
#endif
};

/* It ends the process that saves images. */
static const char *const recorder[] = { "kill", "wait4", "waitid" };

/* It looks at processes and at the kernel, partly as the owner of the recording. */
static const char *const saver[] = {
	"perf_event_open", "bpf", "setgroups", "capget", "capset", "alarm", "setitimer",
};

/* It has all its memory; what it opens it has open already, as /proc/self/fd/N. */
static const char *const gate[] = {
	"read", "write", "recvmsg", "sendmsg", "sendto", "poll", "ppoll", "close", "openat",
	"setitimer", "rt_sigreturn", "restart_syscall", "exit_group",
#ifdef __SANITIZE_ADDRESS__
	"mmap", "munmap", "mprotect", "madvise", "sigaltstack", "rt_sigaction", "rt_sigprocmask",
	"gettid", "getpid", "futex", "sched_yield", "readlink", "fstat", "newfstatat",
#endif
};

/* Messages for the log, and of udev */
static const int families[] = { AF_UNIX, AF_NETLINK };

static int allow(scmp_filter_ctx filter, const char *const *names, size_t count)
{
	int ret = 0, number;
	size_t i;

	for (i = 0; i < count && !ret; i++) {
		number = seccomp_syscall_resolve_name(names[i]);
		if (number >= 0)
			ret = seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
	}
	return ret;
}

static int allow_sockets(scmp_filter_ctx filter)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < sizeof(families) / sizeof(families[0]) && !ret; i++)
		ret = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1,
				       SCMP_A0(SCMP_CMP_EQ, families[i]));
	return ret;
}

int confine(enum confine as)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	int ret;

	if (!filter)
		return -ENOMEM;
	if (as == CONFINE_GATE)
		ret = allow(filter, gate, sizeof(gate) / sizeof(gate[0]));
	else
		ret = allow(filter, both, sizeof(both) / sizeof(both[0]));
	if (!ret && as == CONFINE_RECORDER)
		ret = allow(filter, recorder, sizeof(recorder) / sizeof(recorder[0]));
	if (!ret && as == CONFINE_SAVER)
		ret = allow(filter, saver, sizeof(saver) / sizeof(saver[0]));
	if (!ret && as != CONFINE_GATE)
		ret = allow_sockets(filter);
	if (!ret)
		ret = seccomp_load(filter);
	seccomp_release(filter);
	return ret;
}
