// SPDX-License-Identifier: GPL-2.0
/* What keeps the process that saves images for ever does not keep those after it. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/saver_lives.h"

#define NEIGHBOUR	1000
#define OTHER		1001

static int set_up(void **state)
{
	struct saver_lives *lives = saver_lives_new();

	if (lives)
		lives->seconds = 1;
	*state = lives;
	return lives ? 0 : -1;
}

static int tear_down(void **state)
{
	return munmap(*state, sizeof(struct saver_lives));
}

/* From a descriptor that nobody writes to */
static void hang(void)
{
	int ends[2];
	char byte;

	if (!pipe(ends) && read(ends[0], &byte, 1) < 0)
		_exit(9);
}

static int hangs_over_a_neighbour_then_over_root(void *user)
{
	struct saver_lives *lives = user;

	saver_lives_look(lives, 5, OTHER);
	saver_lives_looked(lives);
	if (lives->life == 2)
		return 7;
	saver_lives_look(lives, lives->life ? 20 : 10, lives->life ? 0 : NEIGHBOUR);
	hang();
	return 9;
}

static void those_after_it_leave_out_who_kept_it(void **state)
{
	struct saver_lives *lives = *state;

	assert_int_equal(saver_lives_spend(lives, hangs_over_a_neighbour_then_over_root, lives),
			 7);
	assert_int_equal(lives->life, 2);
	assert_true(saver_lives_shuns(lives, 10, NEIGHBOUR));
	assert_true(saver_lives_shuns(lives, 11, NEIGHBOUR));
	assert_true(saver_lives_shuns(lives, 20, 0));
	assert_false(saver_lives_shuns(lives, 21, 0));
	assert_false(saver_lives_shuns(lives, 5, OTHER));
}

static int hangs_always(void *user)
{
	struct saver_lives *lives = user;

	saver_lives_look(lives, 10 + lives->life, NEIGHBOUR + lives->life);
	hang();
	return 9;
}

static void there_is_a_last_one(void **state)
{
	struct saver_lives *lives = *state;

	assert_int_equal(saver_lives_spend(lives, hangs_always, lives), 1);
	assert_int_equal(lives->life, SAVER_LIVES - 1);
}

static int dies(void *user)
{
	struct saver_lives *lives = user;

	saver_lives_look(lives, 10, NEIGHBOUR);
	kill(getpid(), SIGKILL);
	return 9;
}

static int hangs_whatever_its_timer_does(void *user)
{
	struct saver_lives *lives = user;
	sigset_t timer;

	if (lives->life)
		return 7;
	sigemptyset(&timer);
	sigaddset(&timer, SIGALRM);
	sigprocmask(SIG_BLOCK, &timer, NULL);
	saver_lives_look(lives, 10, NEIGHBOUR);
	hang();
	return 9;
}

/* valgrind has no pidfd_open(), without which lives are only waited for. */
static void needs_pidfd(void)
{
	int self = pidfd_open(getpid(), 0);

	if (self < 0) {
		print_message("pidfd_open: %s\n", strerror(errno));
		skip();
	}
	close(self);
}

static void who_does_not_end_is_not_waited_for(void **state)
{
	struct saver_lives *lives = *state;

	needs_pidfd();
	assert_int_equal(saver_lives_spend(lives, hangs_whatever_its_timer_does, lives), 7);
	assert_true(saver_lives_shuns(lives, 10, NEIGHBOUR));
}

/* One that nothing kept has not earned another life. */
static void death_has_no_other(void **state)
{
	struct saver_lives *lives = *state;

	assert_int_equal(saver_lives_spend(lives, dies, lives), 1);
	assert_int_equal(lives->life, 0);
}

/* Nothing that it waits for, and no signal, lets it see that nobody asks any more. */
static int is_stopped(void *user)
{
	struct saver_lives *lives = user;

	lives->begin[0] = 1;
	return raise(SIGSTOP);
}

static void nobody_asks_any_more(void **state)
{
	struct saver_lives *lives = *state;
	int ends[2];
	pid_t asks;

	needs_pidfd();
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	asks = fork();
	if (!asks) {
		close(ends[1]);
		while (!lives->begin[0])
			usleep(1000);
		_exit(0);
	}
	close(ends[0]);
	lives->channel = ends[1];
	assert_int_equal(saver_lives_spend(lives, is_stopped, lives), 1);
	close(ends[1]);
	assert_int_equal(waitpid(asks, NULL, 0), asks);
	/* It was ended, not left behind. */
	while (waitpid(-1, NULL, 0) > 0)
		;
	assert_int_equal(errno, ECHILD);
}

static int ends(void *user)
{
	(void)user;
	return 3;
}

static void who_ends_has_done_all(void **state)
{
	assert_int_equal(saver_lives_spend(*state, ends, NULL), 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(those_after_it_leave_out_who_kept_it),
		TEST(there_is_a_last_one),
		TEST(who_does_not_end_is_not_waited_for),
		TEST(death_has_no_other),
		TEST(nobody_asks_any_more),
		TEST(who_ends_has_done_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
