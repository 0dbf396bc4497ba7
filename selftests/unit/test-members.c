// SPDX-License-Identifier: GPL-2.0
/* Who counts as one user: what becomes of a lookup that fails. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "daemon/members.h"

#define GID	4242

static int group_error, user_error;
static time_t seconds;

/* In place of the system's */

struct group *getgrnam(const char *name)
{
	static char *names[] = { "alice", "nobody-knows", "bob", NULL };
	static struct group group = { .gr_gid = GID, .gr_mem = names };

	errno = group_error;
	return group_error || strcmp(name, "members") ? NULL : &group;
}

struct passwd *getpwnam(const char *name)
{
	static struct passwd user;

	if (!strcmp(name, "nobody-knows") || (user_error && !strcmp(name, "bob"))) {
		errno = *name == 'b' ? user_error : ENOENT;
		return NULL;
	}
	user.pw_uid = *name == 'a' ? 900001 : 900002;
	return &user;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	*now = (struct timespec) { .tv_sec = seconds };
	return 0;
}

static void both_are(bool alone)
{
	assert_int_equal(members_count_alone(900001), alone);
	assert_int_equal(members_count_alone(900002), alone);
}

static void those_that_are_known_stay(void **state)
{
	(void)state;
	members_load("members", true);
	both_are(true);
	group_error = EMFILE;
	members_load("members", true);
	both_are(true);
	group_error = 0;
	user_error = EIO;
	members_load("members", true);
	both_are(true);
	user_error = 0;
	/* There is no such group: that is an answer. */
	members_load("others", true);
	both_are(false);
}

static void it_is_tried_again(void **state)
{
	(void)state;
	seconds = 1000;
	members_load("others", true);
	group_error = EMFILE;
	members_load("members", true);
	group_error = 0;
	members_load("members", false);
	both_are(false);
	seconds += 60;
	members_load("members", false);
	both_are(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_that_are_known_stay),
		cmocka_unit_test(it_is_tried_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
