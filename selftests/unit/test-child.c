// SPDX-License-Identifier: GPL-2.0
/* Processes of the daemon have nothing of others open when they have begun. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/child.h"

#define WHILE_US	100000	/* which a child waits before it begins */

/* It has file @kept, -1: none, and does not wait for its parent when it ends. */
__attribute__((noreturn))
static void child(int kept, bool ends)
{
	char byte;

	usleep(WHILE_US);
	if (ends)
		_exit(1);
	if (child_keep_files(&kept, 1))
		_exit(2);
	if (kept < 0)
		_exit(fcntl(CHILD_FILES, F_GETFD) >= 0);
	_exit(read(CHILD_FILES, &byte, 1) != 0);
}

static int status_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

static void begins(bool ends)
{
	int others[2], kept[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe2(others, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(pipe2(kept, O_CLOEXEC), 0);
	pid = child_fork();
	if (!pid)
		child(kept[0], ends);
	/* Whoever closes it now is the last one. */
	close(others[1]);
	assert_int_equal(read(others[0], &byte, 1), 0);
	close(kept[1]);
	if (ends)
		assert_int_equal(pid, -1);
	else
		assert_int_equal(status_of(pid), 0);
	close(others[0]);
	close(kept[0]);
}

static void a_child_has_only_what_it_keeps(void **state)
{
	(void)state;
	begins(false);
}

static void one_that_ends_early_is_none(void **state)
{
	(void)state;
	begins(true);
}

static void a_file_that_is_missing_has_no_number(void **state)
{
	pid_t pid = child_fork();

	(void)state;
	if (!pid)
		child(-1, false);
	assert_int_equal(status_of(pid), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_has_only_what_it_keeps),
		cmocka_unit_test(one_that_ends_early_is_none),
		cmocka_unit_test(a_file_that_is_missing_has_no_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
