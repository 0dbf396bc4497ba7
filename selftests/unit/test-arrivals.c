// SPDX-License-Identifier: GPL-2.0
/* Connections that wait to be served: whose turn it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/arrivals.h"

static struct arrivals arrivals;

static void add(uid_t uid, int fd)
{
	assert_int_equal(arrivals_add(&arrivals, fd, &(struct ucred) { .uid = uid }), 0);
}

static void next_is(uid_t uid, int fd)
{
	struct ucred peer = { .uid = -1 };

	assert_int_equal(arrivals_next(&arrivals, &peer), fd);
	if (fd >= 0)
		assert_int_equal(peer.uid, uid);
}

static void users_take_turns(void **state)
{
	(void)state;
	arrivals_init(&arrivals);
	add(1000, 1);
	add(1000, 2);
	add(1000, 3);
	add(1002, 4);
	add(1001, 5);
	add(1002, 6);
	next_is(1000, 1);
	next_is(1001, 5);
	next_is(1002, 4);
	next_is(1000, 2);
	next_is(1002, 6);
	next_is(1000, 3);
	next_is(0, -1);
}

static void root_is_before_all(void **state)
{
	(void)state;
	arrivals_init(&arrivals);
	add(1000, 1);
	add(1000, 2);
	next_is(1000, 1);
	add(0, 3);
	add(0, 4);
	next_is(0, 3);
	next_is(0, 4);
	next_is(1000, 2);
	next_is(0, -1);
}

static void who_hung_up_is_gone_unless_something_is_unread(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_false(arrivals_is_gone(ends[0]));
	close(ends[1]);
	assert_true(arrivals_is_gone(ends[0]));
	close(ends[0]);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	close(ends[1]);
	assert_false(arrivals_is_gone(ends[0]));
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(users_take_turns),
		cmocka_unit_test(root_is_before_all),
		cmocka_unit_test(who_hung_up_is_gone_unless_something_is_unread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
