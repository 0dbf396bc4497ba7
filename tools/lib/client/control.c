// SPDX-License-Identifier: LGPL-2.1-or-later
/* Client of rvtraced's control socket: connection, requests, answers. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <json-c/json.h>

#include <rvtrace/control.h>

#include "tools/lib/base/sized.h"
#include "tools/lib/base/utf8.h"

#define REPLY_MAX	(16 * 1024 * 1024)
#define COMMAND_MAX	(32 * 1024)	/* bytes of JSON; a request has at most twice that */

struct rvtrace_client {
	int fd;
	char *buffer;		/* received, not yet used */
	size_t length;
	size_t size;
	unsigned int patience;	/* seconds between two calls of @waiting, 0: never */
	int (*waiting)(void *user, unsigned int seconds);
	void *user;
	char error[512];
};

__attribute__((format(printf, 3, 4)))
static int fail(struct rvtrace_client *client, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(client->error, sizeof(client->error), format, args);
	va_end(args);
	return -code;
}

/* Whose members may connect; as a number without a name. */
static int fail_permission(struct rvtrace_client *client, const char *path)
{
	const struct group *group;
	struct stat st;

	if (stat(path, &st))
		return fail(client, EACCES, "%s: not permitted: needs root", path);
	group = st.st_mode & S_IWGRP && st.st_gid ? getgrgid(st.st_gid) : NULL;
	if (group)
		return fail(client, EACCES, "%s: not permitted: needs root or group %s", path,
			    group->gr_name);
	return fail(client, EACCES,
		    "%s: not permitted: needs root (or the group that rvtraced.conf names)", path);
}

int rvtrace_client_connect(const char *path, struct rvtrace_client **out)
{
	struct rvtrace_client *client = calloc(1, sizeof(*client));
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	*out = client;
	if (!client)
		return -ENOMEM;
	client->fd = -1;
	if (!path)
		path = RVTRACE_CONTROL_SOCKET;
	if (strlen(path) >= sizeof(address.sun_path))
		return fail(client, ENAMETOOLONG, "%s: too long for the path of a socket", path);
	strcpy(address.sun_path, path);
	client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (client->fd < 0)
		return fail(client, errno, "socket: %s", strerror(errno));
	if (!connect(client->fd, (struct sockaddr *)&address, sizeof(address)))
		return 0;
	switch (errno) {
	case ENOENT:
	case ECONNREFUSED:
		return fail(client, errno,
			    "%s: rvtraced is not running; as root: systemctl start rvtraced", path);
	case EACCES:
		return fail_permission(client, path);
	default:
		return fail(client, errno, "%s: %s", path, strerror(errno));
	}
}

void rvtrace_client_free(struct rvtrace_client *client)
{
	if (!client)
		return;
	if (client->fd >= 0)
		close(client->fd);
	free(client->buffer);
	free(client);
}

const char *rvtrace_client_error(const struct rvtrace_client *client)
{
	return client ? client->error : "out of memory";
}

/* Sends @text; @directory, unless -1, goes along with its first byte. */
static int send_text(struct rvtrace_client *client, const char *text, size_t length, int directory)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	size_t done = 0;

	while (done < length) {
		struct iovec iov = { (char *)text + done, length - done };
		struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };
		ssize_t got;

		if (directory >= 0 && !done) {
			message.msg_control = &control;
			message.msg_controllen = sizeof(control);
			control.header.cmsg_level = SOL_SOCKET;
			control.header.cmsg_type = SCM_RIGHTS;
			control.header.cmsg_len = CMSG_LEN(sizeof(int));
			memcpy(CMSG_DATA(&control.header), &directory, sizeof(int));
		}
		got = sendmsg(client->fd, &message, MSG_NOSIGNAL);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail(client, errno == ECONNRESET ? EPIPE : errno,
				    "sending to rvtraced: %s", strerror(errno));
		done += got;
	}
	return 0;
}

void rvtrace_client_set_patience(struct rvtrace_client *client, unsigned int seconds,
				 int (*waiting)(void *user, unsigned int seconds), void *user)
{
	client->patience = seconds;
	client->waiting = waiting;
	client->user = user;
}

/* Until something comes, or whoever waits has had enough. */
static int wait_for_answer(struct rvtrace_client *client)
{
	struct pollfd pollfd = { .fd = client->fd, .events = POLLIN };
	unsigned int seconds = 0;
	int ready;

	while (client->patience) {
		ready = poll(&pollfd, 1, client->patience * 1000);
		if (ready > 0)
			return 0;
		if (ready < 0 && errno != EINTR)
			return fail(client, errno, "waiting for rvtraced: %s", strerror(errno));
		seconds += ready ? 0 : client->patience;
		if (client->waiting(client->user, seconds))
			return fail(client, ETIMEDOUT, "rvtraced does not answer");
	}
	return 0;
}

/* Receives up to a newline; the line, without it, is at the start of the buffer. */
static int receive_line(struct rvtrace_client *client, size_t *line)
{
	size_t scanned = 0;

	for (;;) {
		char *end = client->length > scanned ?
			memchr(client->buffer + scanned, '\n', client->length - scanned) : NULL;
		ssize_t got;

		if (end) {
			*line = end - client->buffer;
			return 0;
		}
		scanned = client->length;
		if (client->length == client->size) {
			size_t size = client->size ? 2 * client->size : 4096;
			char *buffer = size <= REPLY_MAX ? realloc(client->buffer, size) : NULL;

			if (!buffer)
				return fail(client, EPROTO, "rvtraced's answer is too long");
			client->buffer = buffer;
			client->size = size;
		}
		if (wait_for_answer(client))
			return -ETIMEDOUT;
		got = recv(client->fd, client->buffer + client->length,
			   client->size - client->length, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno != ECONNRESET)
			return fail(client, errno, "receiving from rvtraced: %s", strerror(errno));
		if (got <= 0)
			return fail(client, EPIPE, "rvtraced closed the connection");
		client->length += got;
	}
}

static int receive_reply(struct rvtrace_client *client, struct json_object **reply)
{
	struct json_object *ok, *value;
	size_t line = 0;
	int ret = receive_line(client, &line);

	*reply = NULL;
	if (ret)
		return ret;
	client->buffer[line] = 0;
	*reply = json_tokener_parse(client->buffer);
	client->length -= line + 1;
	memmove(client->buffer, client->buffer + line + 1, client->length);
	if (!json_object_is_type(*reply, json_type_object) ||
	    !json_object_object_get_ex(*reply, "ok", &ok))
		return fail(client, EPROTO, "rvtraced's answer is not understood");
	if (json_object_get_boolean(ok))
		return 0;
	ret = EIO;
	if (json_object_object_get_ex(*reply, "errno", &value) && json_object_get_int(value) > 0)
		ret = json_object_get_int(value);
	return fail(client, ret, "%s", json_object_object_get_ex(*reply, "error", &value) ?
		    json_object_get_string(value) : "rvtraced refused without a reason");
}

int rvtrace_client_request(struct rvtrace_client *client, struct json_object *request,
			   int directory, struct json_object **reply)
{
	struct json_object *answer;
	const char *json;
	char *text;
	int ret;

	if (reply)
		*reply = NULL;
	if (client->fd < 0)
		return fail(client, ENOTCONN, "not connected to rvtraced");
	client->error[0] = 0;
	json = json_object_to_json_string_ext(request, JSON_C_TO_STRING_PLAIN);
	/* Arguments of commands may be any bytes. */
	text = json ? utf8_json(json) : NULL;
	if (!text)
		return fail(client, ENOMEM, "out of memory");
	ret = send_text(client, text, strlen(text), directory);
	if (!ret)
		ret = send_text(client, "\n", 1, -1);
	free(text);
	/* A daemon that refuses the connection says why before it closes it. */
	if (ret && ret != -EPIPE)
		return ret;
	ret = receive_reply(client, &answer);
	if (!ret && reply)
		*reply = answer;
	else
		json_object_put(answer);
	return ret;
}

static struct json_object *new_request(const char *verb, const char *sink)
{
	struct json_object *request = json_object_new_object();

	json_object_object_add(request, "request", json_object_new_string(verb));
	if (sink)
		json_object_object_add(request, "sink", json_object_new_string(sink));
	return request;
}

static int simple_request(struct rvtrace_client *client, const char *verb, const char *sink,
			  struct json_object **reply)
{
	struct json_object *request = new_request(verb, sink);
	int ret = rvtrace_client_request(client, request, -1, reply);

	json_object_put(request);
	return ret;
}

int rvtrace_client_list(struct rvtrace_client *client, struct json_object **reply)
{
	return simple_request(client, "list", NULL, reply);
}

int rvtrace_client_status(struct rvtrace_client *client, const char *sink,
			  struct json_object **reply)
{
	return simple_request(client, "status", sink, reply);
}

int rvtrace_client_attach(struct rvtrace_client *client, const char *sink,
			  struct json_object **reply)
{
	return simple_request(client, "attach", sink, reply);
}

int rvtrace_client_stop(struct rvtrace_client *client, const char *sink,
			struct json_object **reply)
{
	return simple_request(client, "stop", sink, reply);
}

int rvtrace_client_flush(struct rvtrace_client *client, const char *sink)
{
	return simple_request(client, "flush", sink, NULL);
}

int rvtrace_client_close(struct rvtrace_client *client, const char *sink,
			 struct json_object **reply)
{
	return simple_request(client, "close", sink, reply);
}

static struct json_object *string_array(const char *const *strings)
{
	struct json_object *array = json_object_new_array();

	for (; *strings; strings++)
		json_object_array_add(array, json_object_new_string(*strings));
	return array;
}

static void add_size(struct json_object *request, const char *key, uint64_t value)
{
	if (value)
		json_object_object_add(request, key, json_object_new_uint64(value));
}

/* As it is sent */
static size_t sent_size(struct json_object *value)
{
	char *text = utf8_json(json_object_to_json_string(value));
	size_t size = text ? strlen(text) : COMMAND_MAX;

	free(text);
	return size;
}

/* A request has room for the beginning of a command, as JSON. */
static struct json_object *command_array(char *const *command)
{
	struct json_object *array = json_object_new_array(), *argument;
	size_t size = 0;

	for (; *command; command++) {
		argument = json_object_new_string(*command);
		size += sent_size(argument) + 1;
		if (size > COMMAND_MAX) {
			json_object_put(argument);
			argument = json_object_new_string("...");
		}
		json_object_array_add(array, argument);
		if (size > COMMAND_MAX)
			break;
	}
	return array;
}

static struct json_object *session_request(const char *verb,
					   const struct rvtrace_client_settings *settings)
{
	struct json_object *request = new_request(verb, settings->sink);

	if (settings->command)
		json_object_object_add(request, "command", command_array(settings->command));
	if (settings->mode)
		json_object_object_add(request, "mode", json_object_new_string(settings->mode));
	add_size(request, "buffer_size", settings->buffer_size);
	add_size(request, "watermark", settings->watermark);
	add_size(request, "max_size", settings->max_size);
	if (settings->encoders)
		json_object_object_add(request, "encoders", string_array(settings->encoders));
	if (settings->attributes)
		json_object_object_add(request, "attributes",
				       json_object_get(settings->attributes));
	add_size(request, "pid", settings->pid);
	if (settings->save_images)
		json_object_object_add(request, "save_images", json_object_new_boolean(true));
	if (settings->no_sideband)
		json_object_object_add(request, "sideband", json_object_new_boolean(false));
	if (settings->detached)
		json_object_object_add(request, "detached", json_object_new_boolean(true));
	return request;
}

/* Who goes on with the session of a daemon that died looks for it by its name. */
static bool is_text(const char *name)
{
	size_t size;

	for (; *name; name += size) {
		size = utf8_character(name);
		if (!size)
			return false;
	}
	return true;
}

static int session_call(struct rvtrace_client *client, const char *verb,
			const struct rvtrace_client_settings *wanted,
			struct json_object **reply)
{
	struct rvtrace_client_settings settings;
	struct json_object *request;
	char *path = NULL;
	int ret;

	ret = sized_take(&settings, sizeof(settings), wanted, &settings.attributes + 1);
	if (ret)
		return fail(client, ret == RVTRACE_ERR_TOO_NEW ? E2BIG : EINVAL, "settings: %s",
			    rvtrace_strerror(ret));
	if (settings.directory)
		path = realpath(settings.directory, NULL);
	if (path && !is_text(path)) {
		ret = fail(client, EINVAL, "%s: the name of the directory is not UTF-8", path);
		free(path);
		return ret;
	}
	request = session_request(verb, &settings);
	if (settings.directory)
		json_object_object_add(request, "directory",
				       json_object_new_string(path ? path : settings.directory));
	ret = rvtrace_client_request(client, request,
				     settings.directory ? settings.directory_fd : -1, reply);
	json_object_put(request);
	free(path);
	return ret;
}

int rvtrace_client_open(struct rvtrace_client *client,
			const struct rvtrace_client_settings *settings,
			struct json_object **reply)
{
	return session_call(client, "open", settings, reply);
}

int rvtrace_client_start(struct rvtrace_client *client,
			 const struct rvtrace_client_settings *settings,
			 struct json_object **reply)
{
	return session_call(client, "start", settings, reply);
}
