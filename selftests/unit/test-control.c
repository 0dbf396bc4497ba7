// SPDX-License-Identifier: GPL-2.0
/* Client of the control socket, against a thread that plays the daemon. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cmocka.h>

#include <rvtrace/control.h>

#include "recording_helpers.h"

struct fixture {
	char folder[64];
	char socket[96];
	char directory[96];
	int listening;
	pthread_t thread;
	bool refuses;		/* it answers before it is asked */
	const char *answer;	/* what the daemon sends, byte by byte */
	char request[1 << 16];	/* what it received */
	bool got_directory;
	struct rvtrace_client *client;
};

static void *daemon_thread(void *user)
{
	struct fixture *f = user;
	int fd = accept(f->listening, NULL, NULL);
	char control[CMSG_SPACE(sizeof(int))];
	size_t length = 0, i;

	while (!f->refuses && !memchr(f->request, '\n', length)) {
		struct iovec iov = { f->request + length, sizeof(f->request) - 1 - length };
		struct msghdr message = {
			.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control),
		};
		ssize_t got = recvmsg(fd, &message, 0);

		if (got <= 0)
			break;
		length += got;
		if (CMSG_FIRSTHDR(&message)) {
			int passed;
			struct stat st;

			memcpy(&passed, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
			f->got_directory = !fstat(passed, &st) && S_ISDIR(st.st_mode);
			close(passed);
		}
	}
	for (i = 0; f->answer && f->answer[i]; i++)
		if (send(fd, f->answer + i, 1, MSG_NOSIGNAL) != 1)
			break;
	close(fd);
	return NULL;
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	strcpy(f->folder, "/tmp/test-control-XXXXXX");
	if (!mkdtemp(f->folder))
		return -1;
	snprintf(f->socket, sizeof(f->socket), "%s/s", f->folder);
	snprintf(f->directory, sizeof(f->directory), "%s/r", f->folder);
	strcpy(address.sun_path, f->socket);
	f->listening = socket(AF_UNIX, SOCK_STREAM, 0);
	*state = f;
	return bind(f->listening, (struct sockaddr *)&address, sizeof(address)) ||
	       listen(f->listening, 1);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	rvtrace_client_free(f->client);
	close(f->listening);
	remove_tree(f->folder);
	free(f);
	return 0;
}

static void serve(struct fixture *f, const char *answer)
{
	f->answer = answer;
	pthread_create(&f->thread, NULL, daemon_thread, f);
	assert_int_equal(rvtrace_client_connect(f->socket, &f->client), 0);
}

static void answer_is_returned(void **state)
{
	struct fixture *f = *state;
	struct json_object *reply, *value;

	serve(f, "{\"ok\":true,\"bytes\":12}\n");
	assert_int_equal(rvtrace_client_stop(f->client, "rvtrace0", &reply), 0);
	pthread_join(f->thread, NULL);
	assert_string_equal(f->request, "{\"request\":\"stop\",\"sink\":\"rvtrace0\"}\n");
	assert_true(json_object_object_get_ex(reply, "bytes", &value));
	assert_int_equal(json_object_get_int(value), 12);
	json_object_put(reply);
}

static void a_long_command_is_cut(void **state)
{
	static const char end[] = "\",\"...\"]}\n";
	char *command[1000], argument[256];
	struct rvtrace_client_settings settings = { .size = sizeof(settings), .command = command };
	struct fixture *f = *state;
	struct json_object *reply;
	size_t i, length;

	memset(argument, '\n', sizeof(argument) - 1);
	argument[sizeof(argument) - 1] = 0;
	for (i = 0; i < 999; i++)
		command[i] = argument;
	command[i] = NULL;
	serve(f, "{\"ok\":true}\n");
	assert_int_equal(rvtrace_client_open(f->client, &settings, &reply), 0);
	pthread_join(f->thread, NULL);
	json_object_put(reply);
	length = strlen(f->request);
	assert_in_range(length, 32000, 33000);
	assert_string_equal(f->request + length - strlen(end), end);
}

static void refusal_gives_errno_and_text(void **state)
{
	struct fixture *f = *state;
	struct json_object *reply;

	serve(f, "{\"ok\":false,\"errno\":16,\"error\":\"in use\"}\n");
	assert_int_equal(rvtrace_client_list(f->client, &reply), -EBUSY);
	pthread_join(f->thread, NULL);
	assert_null(reply);
	assert_string_equal(rvtrace_client_error(f->client), "in use");
}

/* Whoever has too many connections */
static void connection_is_refused(void **state)
{
	struct fixture *f = *state;
	struct json_object *reply;

	f->refuses = true;
	serve(f, "{\"ok\":false,\"errno\":87,\"error\":\"too many\"}\n");
	pthread_join(f->thread, NULL);
	assert_int_equal(rvtrace_client_list(f->client, &reply), -EUSERS);
	assert_string_equal(rvtrace_client_error(f->client), "too many");
	/* and that was all */
	assert_int_equal(rvtrace_client_list(f->client, &reply), -EPIPE);
}

static void answer_that_is_not_json(void **state)
{
	struct fixture *f = *state;

	serve(f, "hello\n");
	assert_int_equal(rvtrace_client_flush(f->client, NULL), -EPROTO);
	pthread_join(f->thread, NULL);
	assert_string_equal(f->request, "{\"request\":\"flush\"}\n");
}

static void daemon_that_goes_away(void **state)
{
	struct fixture *f = *state;
	struct json_object *reply;

	serve(f, "{\"ok\":");
	assert_int_equal(rvtrace_client_status(f->client, NULL, &reply), -EPIPE);
	pthread_join(f->thread, NULL);
	assert_non_null(strstr(rvtrace_client_error(f->client), "closed the connection"));
}

static void open_passes_settings_and_directory(void **state)
{
	struct fixture *f = *state;
	char *command[] = { "ls", "caf\xe9", NULL };
	const char *encoders[] = { "encoder1", NULL };
	struct json_object *attributes = json_tokener_parse("{\"*\":{\"context\":1}}");
	const struct rvtrace_client_settings settings = {
		.size = sizeof(settings),
		.directory = f->directory,
		.directory_fd = rvtrace_recording_directory(f->directory, NULL),
		.command = command,
		.mode = "fill",
		.buffer_size = 65536,
		.max_size = 10,
		.encoders = encoders,
		.attributes = attributes,
		.no_sideband = true,
		.detached = true,
	};
	char expected[512];

	serve(f, "{\"ok\":true}\n");
	assert_int_equal(rvtrace_client_open(f->client, &settings, NULL), 0);
	pthread_join(f->thread, NULL);
	assert_true(f->got_directory);
	snprintf(expected, sizeof(expected),
		 "\"command\":[\"ls\",\"caf\\ufffd\"],\"mode\":\"fill\",\"buffer_size\":65536,\"max_size\":10,"
		 "\"encoders\":[\"encoder1\"],\"attributes\":{\"*\":{\"context\":1}},"
		 "\"sideband\":false,\"detached\":true,");
	if (!strstr(f->request, expected))
		fail_msg("%s", f->request);
	json_object_put(attributes);
	close(settings.directory_fd);
}

/* It would not be found again. */
static void directory_whose_name_is_no_text(void **state)
{
	struct fixture *f = *state;
	struct rvtrace_client_settings settings = {
		.size = sizeof(settings), .directory = f->directory,
	};

	strcat(f->directory, "\xe9");
	settings.directory_fd = rvtrace_recording_directory(f->directory, NULL);
	serve(f, NULL);
	assert_int_equal(rvtrace_client_open(f->client, &settings, NULL), -EINVAL);
	assert_non_null(strstr(rvtrace_client_error(f->client), "is not UTF-8"));
	close(settings.directory_fd);
	rvtrace_client_free(f->client);
	f->client = NULL;
	pthread_join(f->thread, NULL);
	assert_string_equal(f->request, "");
}

static void settings_of_another_version_are_refused(void **state)
{
	struct fixture *f = *state;
	struct {
		struct rvtrace_client_settings known;
		uint64_t later;
	} settings = { .known.size = sizeof(settings), .later = 1 };

	serve(f, "{\"ok\":true}\n");
	assert_int_equal(rvtrace_client_open(f->client, &settings.known, NULL), -E2BIG);
	assert_string_not_equal(rvtrace_client_error(f->client), "");
	settings.known.size = sizeof(settings.known) - 1;
	assert_int_equal(rvtrace_client_start(f->client, &settings.known, NULL), -EINVAL);
	settings.known.size = 0;
	assert_int_equal(rvtrace_client_open(f->client, &settings.known, NULL), -EINVAL);
	settings.known.size = sizeof(settings);
	settings.later = 0;
	assert_int_equal(rvtrace_client_open(f->client, &settings.known, NULL), 0);
	pthread_join(f->thread, NULL);
	assert_string_equal(f->request, "{\"request\":\"open\"}\n");
}

static void refused_start_leaves_the_directory_open(void **state)
{
	struct fixture *f = *state;
	const struct rvtrace_client_settings settings = {
		.size = sizeof(settings),
		.directory = f->directory,
		.directory_fd = rvtrace_recording_directory(f->directory, NULL),
	};

	serve(f, "{\"ok\":false,\"errno\":19,\"error\":\"none\"}\n");
	assert_int_equal(rvtrace_client_start(f->client, &settings, NULL), -ENODEV);
	pthread_join(f->thread, NULL);
	assert_int_equal(close(settings.directory_fd), 0);
}

static void no_daemon(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(rvtrace_client_connect("/nowhere/at/all", &f->client), -ENOENT);
	assert_non_null(strstr(rvtrace_client_error(f->client), "rvtraced is not running"));
	assert_int_equal(rvtrace_client_list(f->client, NULL), -ENOTCONN);
	rvtrace_client_free(f->client);
	close(f->listening);
	f->listening = -1;
	assert_int_equal(rvtrace_client_connect(f->socket, &f->client), -ECONNREFUSED);
}

static void long_socket_path(void **state)
{
	struct fixture *f = *state;
	char path[200];

	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = 0;
	assert_int_equal(rvtrace_client_connect(path, &f->client), -ENAMETOOLONG);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(answer_is_returned),
		TEST(a_long_command_is_cut),
		TEST(refusal_gives_errno_and_text),
		TEST(connection_is_refused),
		TEST(answer_that_is_not_json),
		TEST(daemon_that_goes_away),
		TEST(open_passes_settings_and_directory),
		TEST(directory_whose_name_is_no_text),
		TEST(settings_of_another_version_are_refused),
		TEST(refused_start_leaves_the_directory_open),
		TEST(no_daemon),
		TEST(long_socket_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
