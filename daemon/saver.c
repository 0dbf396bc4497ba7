// SPDX-License-Identifier: GPL-2.0
/* The process that saves program images: requests and answers. */
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <json-c/json.h>

#include "child.h"
#include "confine.h"
#include "hold.h"
#include "mapped.h"
#include "saver.h"
#include "saver_internal.h"
#include "saver_lives.h"
#include "tools/lib/base/owner.h"
#include "tools/lib/base/pass.h"
#include "tools/lib/recording/seal.h"
#include "watch.h"

#define UNREAD_MAX	65536	/* bytes of requests that are not answered yet */
#define OUTLIVE_SECONDS	30	/* until another daemon has taken over */

struct server {
	struct event_base *base;
	bool begun;
	struct saver saver;
};

/* The channel is closed: if that is because who records died, hold on. */
static void outlive(pid_t recorder)
{
	int i;

	/* Its files go first. */
	for (i = 0; i < 20 && getppid() == recorder; i++)
		usleep(10000);
	if (getppid() != recorder)
		sleep(OUTLIVE_SECONDS);
}

static int begin(struct server *server, struct json_object *request,
		 struct rvtrace_failure *error)
{
	struct saver *saver = &server->saver;

	saver->min_free = saver_number(request, "min_free");
	/* Files of one name are told apart by it; what comes meanwhile counts on. */
	saver->generation = saver_number(request, "generation") << 16 | saver->lives->life << 14;
	if (saver_number(request, "memory") && !(saver->mapped = mapped_new(!saver->uid)))
		return rvtrace_fail(error, ENOMEM, 0, "images: out of memory");
	/* Before text is saved: what is saved is what will run. */
	saver->watch = watch_open(server->base, saver);
	return 0;
}

static int handle(struct server *server, struct json_object *request,
		  struct rvtrace_failure *error)
{
	const char *verb = saver_string(request, "do");
	struct saver *saver = &server->saver;

	/* Once, and first */
	if (server->begun != !!strcmp(verb, "begin"))
		return rvtrace_fail(error, EINVAL, 0, "images: '%.100s' now", verb);
	server->begun = true;
	if (!strcmp(verb, "text"))
		return saver_module(saver, request, error);
	/* All others come while nothing is traced: there is time. */
	watch_settle(saver);
	if (!strcmp(verb, "begin"))
		return begin(server, request, error);
	if (!strcmp(verb, "kernel"))
		return saver_kernel(saver, error);
	if (!strcmp(verb, "maps"))
		return saver_maps(saver, request, error);
	if (!strcmp(verb, "kallsyms"))
		return saver_kallsyms(saver, error);
	if (!strcmp(verb, "deleted"))
		return saver_deleted(saver, error);
	if (!strcmp(verb, "check"))
		return saver_check(saver, error);
	if (!strcmp(verb, "sync"))
		return saver_sync(saver, error);
	return rvtrace_fail(error, EINVAL, 0, "images: unknown request '%.100s'", verb);
}

static struct json_object *answer_to(struct server *server, struct json_object *request)
{
	struct json_object *answer = json_object_new_object();
	struct rvtrace_failure error = { 0 };
	struct saver *saver = &server->saver;
	int ret = handle(server, request, &error);

	if (ret > 0)
		json_object_object_add(answer, "changes", json_object_new_int(ret));
	if (ret >= 0)
		error = saver->failed;
	if (error.code)
		json_object_object_add(answer, "error", json_object_new_string(error.text));
	if (saver->unwatched.code)
		json_object_object_add(answer, "warning",
				       json_object_new_string(saver->unwatched.text));
	if (saver->lacking.code)
		json_object_object_add(answer, "lacks",
				       json_object_new_string(saver->lacking.text));
	saver->lacking.code = 0;
	saver->failed.code = 0;
	saver->unwatched.code = 0;
	return answer;
}

/* All that is not answered yet, with @line; the first one of all once more */
static void remember(struct server *server, struct bufferevent *channel, const char *line)
{
	struct evbuffer *input = bufferevent_get_input(channel);
	struct saver_lives *lives = server->saver.lives;
	size_t length = strlen(line), left = evbuffer_get_length(input);

	if (!server->begun)
		snprintf(lives->begin, sizeof(lives->begin), "%s",
			 length < sizeof(lives->begin) ? line : "");
	lives->request[0] = 0;
	if (length + left + 2 > sizeof(lives->request))
		return;
	evbuffer_copyout(input, lives->request + length + 1, left);
	lives->request[length + 1 + left] = 0;
	lives->request[length] = '\n';
	memcpy(lives->request, line, length);
}

/* One request. Its answer leaves before the next one is begun: see answer_left(). */
static void asked(struct bufferevent *channel, void *user)
{
	struct server *server = user;
	struct json_object *request, *answer;
	char *line;

	if (evbuffer_get_length(bufferevent_get_output(channel)))
		return;
	line = evbuffer_readln(bufferevent_get_input(channel), NULL, EVBUFFER_EOL_LF);
	if (!line) {
		/* No request is so long. */
		if (evbuffer_get_length(bufferevent_get_input(channel)) >= UNREAD_MAX)
			event_base_loopbreak(server->base);
		return;
	}
	watch_drain(server->saver.watch);
	request = seal_parse(line, strlen(line));
	remember(server, channel, line);
	answer = answer_to(server, request);
	evbuffer_add_printf(bufferevent_get_output(channel), "%s\n",
			    json_object_to_json_string_ext(answer, JSON_C_TO_STRING_PLAIN));
	json_object_put(answer);
	json_object_put(request);
	free(line);
}

static void answer_left(struct bufferevent *channel, void *user)
{
	struct server *server = user;

	server->saver.lives->request[0] = 0;
	asked(channel, user);
}

static void tell_why(struct saver *saver)
{
	const struct saver_lives *lives = saver->lives;

	rvtrace_fail(&saver->lacking, ETIME, 0,
		     "images: reading what process %d of user %u maps took too long: it is missing, and what others mapped during that time may be missing, too",
		     lives->ended[lives->life - 1].pid, lives->ended[lives->life - 1].uid);
}

/* With what the one before had begun with, and did not come to answer */
static void go_on(struct server *server, struct bufferevent *channel)
{
	struct saver_lives *lives = server->saver.lives;
	struct json_object *first = seal_parse(lives->begin, strlen(lives->begin));
	struct rvtrace_failure error = { 0 };

	if (handle(server, first, &error) < 0 || saver_kernel(&server->saver, &error) < 0)
		server->saver.failed = error;
	json_object_put(first);
	tell_why(&server->saver);
	evbuffer_prepend(bufferevent_get_input(channel), lives->request, strlen(lives->request));
	asked(channel, server);
}

static void closed(struct bufferevent *channel, short what, void *user)
{
	struct server *server = user;

	(void)channel;
	(void)what;
	event_base_loopbreak(server->base);
}

static void free_saver(struct saver *saver)
{
	size_t i;

	for (i = 0; i < saver->text_count; i++) {
		free(saver->texts[i].bytes);
		free(saver->texts[i].file);
	}
	free(saver->texts);
	while (saver_store(saver))
		;
	rvtrace_kcore_close(saver->kcore);
	watch_free(saver->watch);
	mapped_free(saver->mapped);
}

/* Whether there is something to save in */
static bool take_folder(void)
{
	int folder, moved;
	char byte;

	if (pass_receive(SAVER_CHANNEL, &byte, 1, &folder) != 1 || folder < 0)
		return false;
	if (folder == SAVER_DIRECTORY)
		return true;
	moved = dup3(folder, SAVER_DIRECTORY, O_CLOEXEC);
	close(folder);
	return moved == SAVER_DIRECTORY;
}

/* Whoever asks has read what others wrote, and so does this process from here on. */
static int give_up_rights(void)
{
	/* Events of processors that come, the kernel's text and names, and what processes map */
	uint64_t kept = 1ULL << CAP_PERFMON | 1ULL << CAP_SYS_ADMIN | 1ULL << CAP_SYS_RAWIO |
			1ULL << CAP_SYSLOG | 1ULL << CAP_SYS_PTRACE | 1ULL << CAP_DAC_OVERRIDE |
			1ULL << CAP_CHECKPOINT_RESTORE;

	/* To be the owner meanwhile */
	kept |= 1ULL << CAP_SETUID | 1ULL << CAP_SETGID;
	/*
	 * That user may neither stop nor end it, and what it reads stays its own. Who records for him
	 * may not either: the end of the channel ends it.
	 */
	prctl(PR_SET_DUMPABLE, 0);
	return rvtrace_owner_keep(kept);
}

static int live(void *user)
{
	struct bufferevent *channel = NULL;
	struct server *server = user;

	server->base = event_base_new();
	child_limit_memory();
	if (confine(CONFINE_SAVER))
		return 1;
	evutil_make_socket_nonblocking(SAVER_CHANNEL);
	if (server->base)
		channel = bufferevent_socket_new(server->base, SAVER_CHANNEL,
						 BEV_OPT_CLOSE_ON_FREE);
	if (channel) {
		bufferevent_setcb(channel, asked, answer_left, closed, server);
		bufferevent_setwatermark(channel, EV_READ, 0, UNREAD_MAX);
		bufferevent_enable(channel, EV_READ | EV_WRITE);
		if (server->saver.lives->life)
			go_on(server, channel);
		event_base_dispatch(server->base);
		bufferevent_free(channel);
	}
	free_saver(&server->saver);
	if (server->base)
		event_base_free(server->base);
	return channel ? 0 : 1;
}

int saver_main(char *const arguments[4])
{
	struct server server = {
		.saver.uid = strtoul(arguments[0], NULL, 10),
		.saver.gid = strtoul(arguments[1], NULL, 10),
		.saver.crowded = strtoul(arguments[3], NULL, 10),
		.saver.memory = STAILQ_HEAD_INITIALIZER(server.saver.memory),
		.saver.lives = saver_lives_new(),
	};
	pid_t recorder = strtol(arguments[2], NULL, 10);
	int status;

	prctl(PR_SET_NAME, "rvtraced-images");
	/* Whoever else has the other end of the channel: all ends with who records. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!server.saver.lives || getppid() != recorder || !take_folder())
		return 1;
	prctl(PR_SET_PDEATHSIG, 0);
	server.saver.lives->recorder = pidfd_open(recorder, 0);
	if (getppid() != recorder)
		return 1;
	/* Of a daemon that died, too: what runs until another one takes over would be in no image. */
	hold_text(NULL);
	if (give_up_rights())
		return 1;
	server.saver.lives->channel = SAVER_CHANNEL;
	status = saver_lives_spend(server.saver.lives, live, &server);
	if (!status)
		outlive(recorder);
	return status;
}
