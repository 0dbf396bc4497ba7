// SPDX-License-Identifier: GPL-2.0
/* The daemon's log: what clients name begins no line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/log.h"

#define TEXT_SIZE	8192

/* What log_message() writes to a pipe */
static const char *logged(int priority, const char *name)
{
	static char text[TEXT_SIZE];
	int ends[2], kept = dup(STDERR_FILENO);
	ssize_t got;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	log_open(0);
	log_message(priority, "recording to %s", name);
	assert_int_equal(dup2(kept, STDERR_FILENO), STDERR_FILENO);
	close(kept);
	close(ends[1]);
	got = read(ends[0], text, sizeof(text) - 1);
	close(ends[0]);
	text[got > 0 ? got : 0] = 0;
	return text;
}

static void one_line(void **state)
{
	(void)state;
	assert_string_equal(logged(LOG_INFO, "/tmp/a"), "<6>recording to /tmp/a\n");
	assert_string_equal(logged(LOG_INFO, "/tmp/caf\xc3\xa9"), "<6>recording to /tmp/caf\xc3\xa9\n");
	assert_string_equal(logged(LOG_INFO, "a\n<0>disk failed\r\x1b[2J\x7f\xc2\x85\xff"),
			    "<6>recording to a\\x0a<0>disk failed\\x0d\\x1b[2J\\x7f\\xc2\\x85\\xff\n");
	assert_string_equal(logged(LOG_DEBUG, "a"), "");
}

/* As long as a line may be, and longer: still one line */
static void long_names(void **state)
{
	char name[3000];
	const char *text;

	(void)state;
	memset(name, '\n', sizeof(name));
	name[sizeof(name) - 1] = 0;
	text = logged(LOG_ERR, name);
	assert_memory_equal(text, "<3>recording to \\x0a\\x0a", 24);
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_line),
		cmocka_unit_test(long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
