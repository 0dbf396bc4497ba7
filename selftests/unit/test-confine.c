// SPDX-License-Identifier: GPL-2.0
/* What processes of the daemon that read what others wrote may still ask of the kernel. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND	0
#endif

#include "daemon/confine.h"

/* Ends a child with the line, plus 1, that did not hold */
#define holds(condition) do { if (!(condition)) _exit(__LINE__ % 255 + 1); } while (0)
#define refused(call) holds((call) == -1 && errno == ENOSYS)

/* 0 only if @child came to its end: it may have become another program */
static int exit_status(void (*child)(enum confine as), enum confine as)
{
	int status = -1, end[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(end), 0);
	pid = fork();
	if (!pid) {
		holds(!confine(as));
		child(as);
		holds(write(end[1], "", 1) == 1);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	close(end[1]);
	if (!WEXITSTATUS(status))
		assert_int_equal(read(end[0], &byte, 1), 1);
	close(end[0]);
	return WEXITSTATUS(status);
}

static void records(enum confine as)
{
	char path[] = "/tmp/rvtrace-confine-XXXXXX", byte = 'x';
	int file = mkstemp(path), socket;

	holds(file >= 0);
	holds(write(file, &byte, 1) == 1 && !fsync(file) && !ftruncate(file, 4096));
	holds(pread(file, &byte, 1, 0) == 1 && byte == 'x');
	holds(!unlink(path) && !close(file));
	socket = syscall(SYS_socket, AF_UNIX, SOCK_DGRAM, 0);
	holds(socket >= 0 && !close(socket));
	socket = syscall(SYS_socket, AF_NETLINK, SOCK_RAW, 0);
	holds(socket >= 0 && !close(socket));
	free(malloc(1 << 24));
	holds(!usleep(10));
	if (as == CONFINE_RECORDER)
		holds(!kill(getpid(), 0));
	else
		holds(syscall(SYS_setgroups, 0, NULL) != -1 || errno == EPERM);
}

static void does_what_it_never_has_to(enum confine as)
{
	char *const none[] = { NULL };

	/* It has gone too far by then to return an error. */
	if (!RUNNING_ON_VALGRIND) {
		refused(execve("/bin/true", none, none));
		refused(syscall(SYS_execveat, AT_FDCWD, "/bin/true", none, none, 0));
	}
	refused(syscall(SYS_socket, AF_INET, SOCK_DGRAM, 0));
	refused(syscall(SYS_socket, AF_PACKET, SOCK_RAW, 0));
	refused(syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, NULL));
	refused(syscall(SYS_unshare, 0));
	refused(syscall(SYS_setuid, 0));
	refused(syscall(SYS_setresuid, 0, 0, 0));
	refused(syscall(SYS_process_vm_readv, getpid(), NULL, 0, NULL, 0, 0));
	refused(syscall(SYS_fchmodat, AT_FDCWD, "/tmp", 0777));
	refused(syscall(SYS_fchownat, AT_FDCWD, "/tmp", 0, 0, 0));
	refused(syscall(SYS_finit_module, -1, "", 0));
	refused(syscall(SYS_keyctl, 0));
#ifndef __SANITIZE_ADDRESS__
	refused(fork());
	refused(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	refused(prctl(PR_SET_DUMPABLE, 1));
#endif
	if (as != CONFINE_SAVER)
		refused(syscall(SYS_setgroups, 0, NULL));
	if (as != CONFINE_RECORDER)
		refused(syscall(SYS_kill, getppid(), 0));
}

static void what_it_needs_it_has(void **state)
{
	(void)state;
	assert_int_equal(exit_status(records, CONFINE_RECORDER), 0);
	assert_int_equal(exit_status(records, CONFINE_SAVER), 0);
}

static void what_it_does_not_need_it_has_not(void **state)
{
	(void)state;
	assert_int_equal(exit_status(does_what_it_never_has_to, CONFINE_RECORDER), 0);
	assert_int_equal(exit_status(does_what_it_never_has_to, CONFINE_SAVER), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_needs_it_has),
		cmocka_unit_test(what_it_does_not_need_it_has_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
