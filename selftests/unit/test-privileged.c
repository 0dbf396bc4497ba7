// SPDX-License-Identifier: GPL-2.0
/* What the daemon does for a process that records: what its session takes, and no more. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/privileged.h"
#include "daemon/sysfs.h"

#define SINK	"rvtrace0"

/* What sysfs has: FOLDER/DEVICE/ATTRIBUTE=VALUE */
static char written[256];

int __wrap_sysfs_write(const char *folder, const char *device, const char *attribute,
		       const char *value);
struct json_object *__wrap_sysfs_encoders(const char *sink);

int __wrap_sysfs_write(const char *folder, const char *device, const char *attribute,
		       const char *value)
{
	snprintf(written, sizeof(written), "%s/%s/%s=%s", folder, device, attribute, value);
	return -EXDEV;
}

struct json_object *__wrap_sysfs_encoders(const char *sink)
{
	struct json_object *encoders = json_object_new_array();

	assert_string_equal(sink, SINK);
	json_object_array_add(encoders, json_object_new_string("encoder1"));
	return encoders;
}

/* What connects a process with the daemon: the daemon's ends first */
struct ends {
	int requests[2];
	int answers[2];
};

static void open_ends(struct ends *ends)
{
	assert_int_equal(pipe(ends->requests), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends->answers), 0);
}

static void close_ends(const struct ends *ends)
{
	for (int i = 0; i < 2; i++) {
		close(ends->requests[i]);
		close(ends->answers[i]);
	}
}

static int serve(const struct ends *ends, bool side_band)
{
	return privileged_serve(ends->requests[0], ends->answers[0], SINK, side_band);
}

/* A process that asks for something, and then ends with the answer */
static pid_t start_asking(const struct ends *ends)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		privileged_ask_through(ends->requests[1], ends->answers[1]);
	return pid;
}

static int answer_to(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* The answer that a process gets, and the daemon's to it */
static int asked(const char *folder, const char *device, const char *attribute, const char *value)
{
	struct ends ends;
	int answer;
	pid_t pid;

	written[0] = 0;
	open_ends(&ends);
	pid = start_asking(&ends);
	if (!pid)
		_exit(-privileged_write(folder, device, attribute, value));
	assert_int_equal(serve(&ends, true), 0);
	answer = answer_to(pid);
	close_ends(&ends);
	return answer;
}

static void a_session_is_started_and_stopped(void **state)
{
	static const struct {
		const char *folder, *device, *attribute, *value;
	} cases[] = {
		{ SYSFS_SINKS, SINK, "tracing", "1" },
		{ SYSFS_SINKS, SINK, "tracing", "0" },
		{ SYSFS_SINKS, SINK, "flush", "1" },
		{ SYSFS_COMPONENTS, "encoder1", "enable", "1" },
	};
	char expected[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(asked(cases[i].folder, cases[i].device, cases[i].attribute,
				       cases[i].value), EXDEV);
		snprintf(expected, sizeof(expected), "%s/%s/%s=%s", cases[i].folder,
			 cases[i].device, cases[i].attribute, cases[i].value);
		assert_string_equal(written, expected);
	}
}

static void nothing_else_is_written(void **state)
{
	static const char name[] = "0123456789012345678901234567890123456789012345678901234567890123456789";
	static const struct {
		const char *folder, *device, *attribute, *value;
	} cases[] = {
		{ SYSFS_SINKS, "rvtrace1", "tracing", "1" },
		{ SYSFS_SINKS, SINK, "tracing", "2" },
		{ SYSFS_SINKS, SINK, "buffer_size", "1" },
		{ SYSFS_SINKS, SINK, "enable", "1" },
		{ SYSFS_SINKS, "encoder1", "tracing", "1" },
		{ SYSFS_SINKS, "", "tracing", "1" },
		{ SYSFS_COMPONENTS, "encoder0", "enable", "1" },
		{ SYSFS_COMPONENTS, "encoder1", "enable", "0" },
		{ SYSFS_COMPONENTS, "encoder1", "reset", "1" },
		{ SYSFS_COMPONENTS, SINK, "tracing", "1" },
		{ SYSFS_COMPONENTS, "../encoder1", "enable", "1" },
		{ "/etc", "encoder1", "enable\n", "1" },
		{ SYSFS_SINKS, name, name, name },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(asked(cases[i].folder, cases[i].device, cases[i].attribute,
				       cases[i].value), EPERM);
		assert_string_equal(written, "");
	}
}

/* Whatever a process sends; the other ends are open, so that an answer would get there */
static void what_is_no_request_is_refused(void **state)
{
	static const size_t sizes[] = { 1, 100, 119 };
	struct ends ends;
	char bytes[119];
	size_t i;

	(void)state;
	written[0] = 0;
	memset(bytes, 0xff, sizeof(bytes));
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		open_ends(&ends);
		assert_int_equal(write(ends.requests[1], bytes, sizes[i]), sizes[i]);
		assert_int_equal(serve(&ends, true), -EPROTO);
		assert_string_equal(written, "");
		assert_int_equal(recv(ends.answers[1], bytes, 1, MSG_DONTWAIT), -1);
		close(ends.requests[1]);
		assert_int_equal(serve(&ends, true), -EPROTO);
		ends.requests[1] = dup(ends.requests[0]);
		close_ends(&ends);
	}
}

/* Nor is what is as long as a request, or as several. */
static void what_asks_for_nothing_is_refused(void **state)
{
	char bytes[4 * 120];
	struct ends ends;
	int32_t answer;

	(void)state;
	written[0] = 0;
	memset(bytes, 0xff, sizeof(bytes));
	open_ends(&ends);
	assert_int_equal(write(ends.requests[1], bytes, sizeof(bytes)), sizeof(bytes));
	for (int i = 0; i < 4; i++) {
		assert_int_equal(serve(&ends, true), 0);
		assert_int_equal(recv(ends.answers[1], &answer, sizeof(answer), 0), sizeof(answer));
		assert_int_equal(answer, -EPERM);
	}
	assert_string_equal(written, "");
	close_ends(&ends);
}

/* A session without the side band opens none. */
static void no_side_band_is_opened(void **state)
{
	struct ends ends;
	pid_t pid;

	(void)state;
	open_ends(&ends);
	pid = start_asking(&ends);
	if (!pid)
		_exit(-privileged_side_band(0));
	assert_int_equal(serve(&ends, false), 0);
	assert_int_equal(answer_to(pid), EPERM);
	close_ends(&ends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_session_is_started_and_stopped),
		cmocka_unit_test(nothing_else_is_written),
		cmocka_unit_test(what_is_no_request_is_refused),
		cmocka_unit_test(what_asks_for_nothing_is_refused),
		cmocka_unit_test(no_side_band_is_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
