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

/* The answer that a process gets, and the daemon's to it */
static int asked(const char *folder, const char *device, const char *attribute, const char *value)
{
	int pair[2], status;
	pid_t pid;

	written[0] = 0;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		privileged_ask_through(pair[1]);
		_exit(-privileged_write(folder, device, attribute, value));
	}
	assert_int_equal(privileged_serve(pair[0], SINK, true), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	close(pair[0]);
	close(pair[1]);
	return WEXITSTATUS(status);
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

/* Whatever a process sends; the other end is open, so that an answer would get there */
static void what_is_no_request_is_refused(void **state)
{
	static const size_t sizes[] = { 1, 100, 4000 };
	char bytes[4000];
	int pair[2];
	size_t i;

	(void)state;
	written[0] = 0;
	memset(bytes, 0xff, sizeof(bytes));
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
		assert_int_equal(send(pair[1], bytes, sizes[i], 0), sizes[i]);
		assert_int_equal(privileged_serve(pair[0], SINK, true), -EPROTO);
		assert_string_equal(written, "");
		assert_int_equal(recv(pair[1], bytes, 1, MSG_DONTWAIT), -1);
		close(pair[1]);
		assert_true(privileged_serve(pair[0], SINK, true) < 0);
		close(pair[0]);
	}
}

static int lowest_free(void)
{
	int fd = dup(STDERR_FILENO);

	close(fd);
	return fd;
}

/* A request with file descriptors, which none has */
static void passed_files_are_not_taken(void **state)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} rights = { .header = {
		.cmsg_len = CMSG_LEN(2 * sizeof(int)),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
	} };
	const int files[2] = { STDIN_FILENO, STDERR_FILENO };
	char bytes[120] = "";	/* as long as a request */
	struct iovec iov = { bytes, sizeof(bytes) };
	struct msghdr message = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &rights, .msg_controllen = sizeof(rights),
	};
	int pair[2], before, i;

	(void)state;
	memcpy(CMSG_DATA(&rights.header), files, sizeof(files));
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	before = lowest_free();
	for (i = 0; i < 3; i++) {
		assert_int_equal(sendmsg(pair[1], &message, 0), sizeof(bytes));
		privileged_serve(pair[0], SINK, true);
		assert_int_equal(lowest_free(), before);
	}
	close(pair[0]);
	close(pair[1]);
}

/* A session without the side band opens none. */
static void no_side_band_is_opened(void **state)
{
	int pair[2], status;
	pid_t pid;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		privileged_ask_through(pair[1]);
		_exit(-privileged_side_band(0));
	}
	assert_int_equal(privileged_serve(pair[0], SINK, false), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EPERM);
	close(pair[0]);
	close(pair[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_session_is_started_and_stopped),
		cmocka_unit_test(nothing_else_is_written),
		cmocka_unit_test(what_is_no_request_is_refused),
		cmocka_unit_test(passed_files_are_not_taken),
		cmocka_unit_test(no_side_band_is_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
