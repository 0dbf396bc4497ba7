// SPDX-License-Identifier: GPL-2.0
/* A process becomes another one while its memory is saved: the secret of that one is not. */
#include <fcntl.h>
#include <grp.h>
#include <linux/sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/saver.h"
#include "daemon/saver_internal.h"

#define USER	65534
#define AT	0x10000000UL
#define SIZE	4096

#define NEVER	0

/* What the victim is told to do */
#define EXECUTE	'e'
#define REUSE	'u'

/* What is heard of it */
#define READY	'r'
#define SECRET	's'
#define CANNOT	'n'	/* have another group */

static char folder[] = "/tmp/rvtrace-saver-XXXXXX", program[64];
static int orders[2], answers[2];
static int moment, now;	/* a call of the saver before which the victim changes, and the last one */
static char order, answer;
static pid_t victim;

ssize_t __real_pread(int fd, void *bytes, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t offset);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

static void tell(char what)
{
	if (write(answers[1], &what, 1) != 1)
		_exit(1);
}

static char hear(int fd)
{
	char byte = 0;

	return read(fd, &byte, 1) == 1 ? byte : 0;
}

/* Code in no file, where all of them have it */
static void map_code(const char *text)
{
	char *at = mmap((void *)AT, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (at == MAP_FAILED)
		_exit(1);
	strcpy(at, text);
}

/* What the setgid program does */
static int keep_secret(int told)
{
	answers[1] = told;
	map_code("secret");
	tell(getegid() == getgid() ? CANNOT : SECRET);
	pause();
	return 0;
}

static void execute_program(void)
{
	char end[16];

	snprintf(end, sizeof(end), "%d", answers[1]);
	execl(program, program, end, NULL);
	_exit(1);
}

/* Of the user, until it is told to become another one */
__attribute__((noreturn))
static void be_victim(void)
{
	/* Its change of users made it one that only root may look at. */
	if (setgroups(0, NULL) || setgid(USER) || setuid(USER) || prctl(PR_SET_DUMPABLE, 1))
		_exit(1);
	map_code("public");
	tell(READY);
	if (hear(orders[0]) == EXECUTE)
		execute_program();
	_exit(0);
}

/* Root's, under the number of the user's that has ended */
static void reuse(pid_t pid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&pid,
		.set_tid_size = 1,
	};
	long child;

	/* The end of the child shows at that of the pipe. */
	close(answers[0]);
	if (pipe(answers))
		return;
	child = syscall(SYS_clone3, &args, sizeof(args));
	if (child) {
		close(answers[1]);
		return;
	}
	moment = NEVER;
	map_code("secret");
	tell(SECRET);
	pause();
	_exit(0);
}

static void become_another(void)
{
	if (write(orders[1], &order, 1) != 1)
		_exit(1);
	if (order == REUSE && waitpid(victim, NULL, 0) == victim)
		reuse(victim);
	answer = hear(answers[0]);
}

static void pass(void)
{
	if (++now == moment)
		become_another();
}

int __wrap_open(const char *path, int flags, ...)
{
	if (strstr(path, "/mem"))
		pass();
	return __real_open(path, flags);
}

ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t offset)
{
	pass();
	return __real_pread(fd, bytes, size, offset);
}

static void begin_victim(void)
{
	assert_int_equal(pipe(orders), 0);
	assert_int_equal(pipe(answers), 0);
	victim = fork();
	assert_true(victim >= 0);
	if (!victim)
		be_victim();
	close(orders[0]);
	close(answers[1]);
	assert_int_equal(hear(answers[0]), READY);
}

static void end_victim(void)
{
	kill(victim, SIGKILL);
	waitpid(victim, NULL, 0);
	close(orders[1]);
	close(answers[0]);
}

/* Whether @text is in a file of the recording; all of them are removed. */
static bool was_saved(const char *text)
{
	char command[160];
	int status;

	snprintf(command, sizeof(command), "grep -rq %s %s/images; s=$?; rm -f %s/images/*; exit $s",
		 text, folder, folder);
	status = system(command);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
	return !WEXITSTATUS(status);
}

static void save(void)
{
	struct saver saver = {
		.uid = USER,
		.gid = USER,
		.memory = STAILQ_HEAD_INITIALIZER(saver.memory),
	};
	const struct saver_piece piece = {
		.pid = victim,
		.path = "",
		.start = AT,
		.end = AT + SIZE,
		.time = 1,
	};

	now = 0;
	pass();
	saver_memory(&saver, &piece);
	assert_true(saver_store(&saver));
	assert_int_equal(saver.failed.code, 0);
}

static void assert_secret_is_kept(char how, const char *cannot)
{
	if (geteuid()) {
		print_message("only root can be somebody else\n");
		skip();
	}
	order = how;
	for (moment = 1;; moment++) {
		begin_victim();
		save();
		end_victim();
		if (now < moment)
			break;
		if (answer != SECRET) {
			print_message("%s\n", cannot);
			skip();
		}
		assert_false(was_saved("secret"));
	}
	/* Asked for, opened, read */
	assert_true(moment > 3);
}

static void memory_is_saved(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	moment = NEVER;
	begin_victim();
	save();
	end_victim();
	assert_true(was_saved("public"));
}

static void program_with_more_rights_keeps_its_secret(void **state)
{
	(void)state;
	assert_secret_is_kept(EXECUTE, "the file system ignores setgid");
}

static void process_of_that_number_keeps_its_secret(void **state)
{
	(void)state;
	assert_secret_is_kept(REUSE, "the number of a process cannot be chosen");
}

/* A copy of this program, and the folder that the saver has */
static int set_up(void **state)
{
	char command[300];
	int fd;

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(program, sizeof(program), "%s/program", folder);
	snprintf(command, sizeof(command),
		 "cp /proc/%d/exe %s && chmod 2755 %s && chmod 711 %s && mkdir -m 777 %s/images",
		 getpid(), program, program, folder, folder);
	if (system(command))
		return -1;
	snprintf(command, sizeof(command), "%s/images", folder);
	fd = open(command, O_RDONLY | O_DIRECTORY);
	return dup2(fd, SAVER_DIRECTORY) == SAVER_DIRECTORY ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_saved),
		cmocka_unit_test(program_with_more_rights_keeps_its_secret),
		cmocka_unit_test(process_of_that_number_keeps_its_secret),
	};

	if (argc > 1)
		return keep_secret(atoi(argv[1]));
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
