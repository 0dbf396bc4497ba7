// SPDX-License-Identifier: GPL-2.0
/* images/ of a recording, filled by a process of its own: saver.h. */
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <json-c/json.h>

#include "images.h"
#include "log.h"
#include "saver.h"
#include "tools/lib/base/owner.h"
#include "tools/lib/base/pass.h"

#define SILENCE_SECONDS	100	/* a process that answers nothing for so long has failed */

static const struct timeval silence = { .tv_sec = SILENCE_SECONDS };

struct images {
	struct images_settings settings;
	pid_t pid;
	struct bufferevent *channel;	/* NULL: the process failed */
	struct event *idle;
	unsigned int outstanding;
	unsigned int changes;
	images_done done;
	void *user;
};

static void tell_idle(evutil_socket_t fd, short what, void *user)
{
	struct images *images = user;
	images_done done = images->done;

	(void)fd;
	(void)what;
	images->done = NULL;
	if (done)
		done(images->user);
}

static void check_idle(struct images *images)
{
	if (images->done && (!images->outstanding || !images->channel))
		event_active(images->idle, EV_TIMEOUT, 0);
}

/* Consumes @request. */
static void ask(struct images *images, struct json_object *request)
{
	if (images->channel) {
		/* From now on silence means something. */
		if (!images->outstanding++)
			bufferevent_set_timeouts(images->channel, &silence, NULL);
		evbuffer_add_printf(bufferevent_get_output(images->channel), "%s\n",
				    json_object_to_json_string_ext(request,
								   JSON_C_TO_STRING_PLAIN));
	}
	json_object_put(request);
}

static struct json_object *new_request(const char *verb)
{
	struct json_object *request = json_object_new_object();

	json_object_object_add(request, "do", json_object_new_string(verb));
	return request;
}

static void add_number(struct json_object *request, const char *name, uint64_t value)
{
	json_object_object_add(request, name, json_object_new_uint64(value));
}

/* At once, not with the next events: who waits for the folder is root's, and no signal ends it. */
static void close_channel(struct images *images)
{
	int fd = bufferevent_getfd(images->channel);

	bufferevent_setfd(images->channel, -1);
	bufferevent_free(images->channel);
	images->channel = NULL;
	close(fd);
}

static void end_process(struct images *images)
{
	if (images->channel)
		close_channel(images);
	if (images->pid <= 0)
		return;
	/* Who records for a user may not: it ends as it was left. */
	kill(images->pid, SIGKILL);
	while (waitpid(images->pid, NULL, 0) < 0 && errno == EINTR)
		;
	images->pid = 0;
}

static void answered(struct bufferevent *channel, void *user)
{
	struct images *images = user;
	struct json_object *answer, *value;
	char *line;

	while (images->channel &&
	       (line = evbuffer_readln(bufferevent_get_input(channel), NULL, EVBUFFER_EOL_LF))) {
		answer = json_tokener_parse(line);
		free(line);
		images->outstanding--;
		if (json_object_object_get_ex(answer, "changes", &value))
			images->changes += json_object_get_int(value);
		if (json_object_object_get_ex(answer, "warning", &value))
			log_message(LOG_WARNING, "%s", json_object_get_string(value));
		if (json_object_object_get_ex(answer, "lacks", &value))
			images->settings.lacks(images->settings.user,
					       json_object_get_string(value));
		if (json_object_object_get_ex(answer, "error", &value))
			images->settings.failed(images->settings.user,
						json_object_get_string(value));
		json_object_put(answer);
	}
	check_idle(images);
}

static void broke(struct bufferevent *channel, short what, void *user)
{
	struct images *images = user;

	/* It has nothing to say while it has nothing to do. */
	if (what & BEV_EVENT_TIMEOUT && !images->outstanding) {
		bufferevent_enable(channel, EV_READ);
		return;
	}
	end_process(images);
	images->settings.failed(images->settings.user, what & BEV_EVENT_TIMEOUT ?
				"images: saving them took too long, the rest is missing" :
				"images: the process that saves them died, the rest is missing");
	check_idle(images);
}

/* A negative errno, or the folder, not through a link that the recording's owner put there. */
static int make_folder(const struct images_settings *settings, int directory)
{
	int fd = rvtrace_owner_begin(settings->uid, settings->gid, 0);

	if (fd)
		return fd;
	if (!mkdirat(directory, "images", 0750) || errno == EEXIST)
		fd = openat(directory, "images",
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	else
		fd = -1;
	rvtrace_owner_end();
	return fd < 0 ? -errno : fd;
}

static int open_folder(const struct images_settings *settings, int directory,
		       struct rvtrace_failure *error)
{
	int fd = make_folder(settings, directory);

	return fd < 0 ? rvtrace_fail(error, -fd, 0, "%s/images: %s", settings->directory_name,
				     strerror(-fd)) : fd;
}

static int spawn(struct images *images, int channel)
{
	char uid[16], gid[16], pid[16], crowded[16];
	char *const arguments[] = {
		"rvtraced", SAVER_OPTION, uid, gid, pid, crowded, NULL
	};
	posix_spawn_file_actions_t actions;
	int ret;

	snprintf(uid, sizeof(uid), "%u", images->settings.uid);
	snprintf(gid, sizeof(gid), "%u", images->settings.gid);
	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(crowded, sizeof(crowded), "%u", images->settings.crowded);

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, channel, SAVER_CHANNEL);
	ret = posix_spawn(&images->pid, "/proc/self/exe", &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (!ret)
		setpriority(PRIO_PROCESS, images->pid, images->settings.nice);
	return -ret;
}

/* Moved out of the way of the number that the process expects. */
static int above_fixed(int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, SAVER_CHANNEL + 1);

	close(fd);
	return moved;
}

static int start(struct images *images, struct event_base *base,
		 struct rvtrace_failure *error)
{
	int pair[2], ret;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return rvtrace_fail(error, errno, 0, "images: %s", strerror(errno));
	pair[1] = above_fixed(pair[1]);
	ret = spawn(images, pair[1]);
	close(pair[1]);
	evutil_make_socket_nonblocking(pair[0]);
	if (!ret)
		images->channel = bufferevent_socket_new(base, pair[0], BEV_OPT_CLOSE_ON_FREE);
	images->idle = evtimer_new(base, tell_idle, images);
	if (!images->channel)
		close(pair[0]);
	if (ret || !images->channel || !images->idle)
		return rvtrace_fail(error, ret ? -ret : ENOMEM, 0,
				    "images: starting the process that saves them: %s",
				    strerror(ret ? -ret : ENOMEM));
	bufferevent_setcb(images->channel, answered, NULL, broke, images);
	bufferevent_set_timeouts(images->channel, &silence, NULL);
	bufferevent_enable(images->channel, EV_READ | EV_WRITE);
	return 0;
}

static void ask_maps(struct images *images)
{
	struct json_object *request = new_request("maps"), *recorders = json_object_new_array();

	json_object_array_add(recorders, json_object_new_int(getpid()));
	if (images->settings.daemon != getpid())
		json_object_array_add(recorders, json_object_new_int(images->settings.daemon));
	if (images->settings.client)
		json_object_array_add(recorders, json_object_new_int(images->settings.client));
	add_number(request, "command", images->settings.command);
	json_object_object_add(request, "recorders", recorders);
	ask(images, request);
}

struct images *images_new(struct event_base *base, const struct images_settings *settings,
			  struct rvtrace_failure *error)
{
	struct images *images = calloc(1, sizeof(*images));

	if (!images) {
		rvtrace_fail(error, ENOMEM, 0, "images: out of memory");
		return NULL;
	}
	images->settings = *settings;
	if (!start(images, base, error))
		return images;
	images_free(images);
	return NULL;
}

int images_pass(struct images *images, int directory, struct rvtrace_failure *error)
{
	int folder = open_folder(&images->settings, directory, error), ret;

	if (folder < 0)
		return folder;
	ret = images->channel ? pass_send(bufferevent_getfd(images->channel), "", 1, folder) :
				-EPIPE;
	close(folder);
	return ret ? rvtrace_fail(error, -ret, 0, "images: %s", strerror(-ret)) : 0;
}

void images_begin(struct images *images)
{
	const struct images_settings *settings = &images->settings;
	struct json_object *request = new_request("begin");

	add_number(request, "min_free", settings->min_free);
	add_number(request, "generation", settings->generation);
	add_number(request, "memory", settings->memory);
	ask(images, request);
	ask(images, new_request("kernel"));
	ask_maps(images);
	ask(images, new_request("sync"));
}

void images_wait(struct images *images, images_done done, void *user)
{
	if (!images) {
		done(user);
		return;
	}
	images->done = done;
	images->user = user;
	check_idle(images);
}

void images_text(struct images *images, const char *name, uint64_t address, uint64_t size,
		 uint64_t time)
{
	struct json_object *request;

	if (!images)
		return;
	request = new_request("text");
	json_object_object_add(request, "name", json_object_new_string(name));
	add_number(request, "address", address);
	add_number(request, "size", size);
	add_number(request, "time", time);
	ask(images, request);
}

void images_end(struct images *images, bool symbols)
{
	if (!images)
		return;
	ask(images, new_request("check"));
	if (images->settings.memory) {
		ask_maps(images);
		ask(images, new_request("deleted"));
	}
	if (symbols)
		ask(images, new_request("kallsyms"));
	ask(images, new_request("sync"));
}

unsigned int images_changes(const struct images *images)
{
	return images ? images->changes : 0;
}

void images_free(struct images *images)
{
	if (!images)
		return;
	end_process(images);
	if (images->idle)
		event_free(images->idle);
	free(images);
}
