// SPDX-License-Identifier: GPL-2.0
/* The process that saves program images: requests, files, lists. */
#include <dirent.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include "confine.h"
#include "hold.h"
#include "mapped.h"
#include "saver.h"
#include "saver_lives.h"
#include "tools/lib/base/owner.h"
#include "tools/lib/base/pass.h"
#include "tools/lib/recording/seal.h"
#include "watch.h"

#define OUTLIVE_SECONDS	30	/* until another daemon has taken over */

struct server {
	struct event_base *base;
	bool begun;
	struct saver saver;
};

/* The channel is closed: if that is because the daemon died, hold on. */
static void outlive(pid_t daemon)
{
	int i;

	/* Its files go first. */
	for (i = 0; i < 20 && getppid() == daemon; i++)
		usleep(10000);
	if (getppid() != daemon)
		sleep(OUTLIVE_SECONDS);
}

static int write_all(int fd, const uint8_t *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t put = write(fd, bytes + done, size - done);

		if (put < 0 && errno != EINTR)
			return -errno;
		if (put > 0)
			done += put;
	}
	return 0;
}

static int check_free(const struct saver *saver, size_t size, struct rvtrace_recording_error *error)
{
	struct statvfs fs;
	uint64_t available;

	if (!saver->min_free || fstatvfs(SAVER_DIRECTORY, &fs))
		return 0;
	available = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (available >= saver->min_free + size)
		return 0;
	return rvtrace_fail_room(error, "program images are missing", available,
				 saver->min_free);
}

/* Writes images/@name, unless it exists already. */
static int write_file(const struct saver *saver, const char *name, const void *bytes, size_t size,
		      struct rvtrace_recording_error *error)
{
	int fd, ret = check_free(saver, size, error);

	if (ret)
		return ret;
	fd = openat(SAVER_DIRECTORY, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0640);
	if (fd < 0)
		return errno == EEXIST ? 0 : rvtrace_fail(error, errno, 0, "images/%s: %s", name,
							  strerror(errno));
	ret = write_all(fd, bytes, size);
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret)
		return 0;
	unlinkat(SAVER_DIRECTORY, name, 0);
	return rvtrace_fail(error, -ret, 0, "images/%s: %s", name, strerror(-ret));
}

int saver_as_owner(const struct saver *saver)
{
	return rvtrace_owner_begin(saver->uid, saver->gid, 1ULL << CAP_CHECKPOINT_RESTORE);
}

/* The same, of what is written */
static int begin_writing(const struct saver *saver, const char *name,
			 struct rvtrace_recording_error *error)
{
	int ret = saver_as_owner(saver);

	return ret ? rvtrace_fail(error, -ret, 0, "images/%s: %s", name, strerror(-ret)) : 0;
}

int saver_line(const struct saver *saver, const char *name, struct json_object *object,
	       struct rvtrace_recording_error *error)
{
	int ret = begin_writing(saver, name, error);

	if (!ret) {
		ret = rvtrace_recording_append_line(SAVER_DIRECTORY, name, object, NULL);
		rvtrace_owner_end();
		if (ret)
			rvtrace_fail(error, -ret, 0, "images/%s: %s", name, strerror(-ret));
	}
	json_object_put(object);
	return ret;
}

uint64_t saver_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

struct json_object *saver_hex(uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	return json_object_new_string(text);
}

uint64_t saver_number(struct json_object *request, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(request, name, &value);
	return json_object_get_uint64(value);
}

const char *saver_string(struct json_object *request, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(request, name, &value);
	return value ? json_object_get_string(value) : "";
}

struct json_object *saver_entry(const char *kind, const char *name, const char *build_id)
{
	struct json_object *entry = json_object_new_object();

	json_object_object_add(entry, "kind", json_object_new_string(kind));
	json_object_object_add(entry, "name", json_object_new_string(name));
	json_object_object_add(entry, "build_id", build_id && *build_id ?
			       json_object_new_string(build_id) : NULL);
	return entry;
}

int saver_image(const struct saver *saver, struct json_object *entry, const char *name,
		const void *bytes, size_t size, struct rvtrace_recording_error *error)
{
	char hash[RVTRACE_HASH_TEXT], file[300];
	int ret = begin_writing(saver, name, error);

	if (!ret) {
		ret = write_file(saver, name, bytes, size, error);
		rvtrace_owner_end();
	}
	if (ret) {
		json_object_put(entry);
		return ret;
	}
	rvtrace_content_hash(bytes, size, hash);
	snprintf(file, sizeof(file), "images/%s", name);
	json_object_object_add(entry, "file", json_object_new_string(file));
	json_object_object_add(entry, "size", json_object_new_uint64(size));
	json_object_object_add(entry, "content", json_object_new_string(hash));
	return saver_line(saver, "index.jsonl", entry, error);
}

/* What was saved until now outlives a disk that fails. */
static int sync_files(struct rvtrace_recording_error *error)
{
	int folder = openat(SAVER_DIRECTORY, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd, ret = 0;
	DIR *files = folder < 0 ? NULL : fdopendir(folder);
	struct dirent *file;

	if (!files)
		return rvtrace_fail(error, errno, 0, "images: %s", strerror(errno));
	while (!ret && (file = readdir(files))) {
		fd = openat(SAVER_DIRECTORY, file->d_name,
			    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		/* Not every file system, and not every file, can be synchronised. */
		if (fd >= 0 && fsync(fd) && errno != EINVAL && errno != EROFS)
			ret = rvtrace_fail(error, errno, 0, "images/%.255s: %s", file->d_name,
					   strerror(errno));
		if (fd >= 0)
			close(fd);
	}
	closedir(files);
	return ret;
}

static int sync_as_owner(const struct saver *saver, struct rvtrace_recording_error *error)
{
	int ret = begin_writing(saver, "", error);

	if (ret)
		return ret;
	ret = sync_files(error);
	rvtrace_owner_end();
	return ret;
}

static int begin(struct server *server, struct json_object *request,
		 struct rvtrace_recording_error *error)
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
		  struct rvtrace_recording_error *error)
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
	saver_settle(saver);
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
		return sync_as_owner(saver, error);
	return rvtrace_fail(error, EINVAL, 0, "images: unknown request '%.100s'", verb);
}

static struct json_object *answer_to(struct server *server, struct json_object *request)
{
	struct json_object *answer = json_object_new_object();
	struct rvtrace_recording_error error = { 0 };
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
	if (!line)
		return;
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
		     "images: reading what process %d of user %u maps took too long: it is missing, and so may be what others mapped meanwhile",
		     lives->ended[lives->life - 1].pid, lives->ended[lives->life - 1].uid);
}

/* With what the one before had begun with, and did not come to answer */
static void go_on(struct server *server, struct bufferevent *channel)
{
	struct saver_lives *lives = server->saver.lives;
	struct json_object *first = seal_parse(lives->begin, strlen(lives->begin));
	struct rvtrace_recording_error error = { 0 };

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
static int give_up_rights(const struct saver *saver)
{
	/* Events of processors that come, the kernel's text and names, and what processes map */
	uint64_t kept = 1ULL << CAP_PERFMON | 1ULL << CAP_SYS_ADMIN | 1ULL << CAP_SYS_RAWIO |
			1ULL << CAP_SYSLOG | 1ULL << CAP_SYS_PTRACE | 1ULL << CAP_DAC_OVERRIDE |
			1ULL << CAP_CHECKPOINT_RESTORE;

	/* To be the owner meanwhile */
	kept |= 1ULL << CAP_SETUID | 1ULL << CAP_SETGID;
	/* Who records for that user ends this process, too; what it reads stays its own. */
	prctl(PR_SET_DUMPABLE, 0);
	if (setreuid(saver->uid, -1))
		return -errno;
	return rvtrace_owner_keep(kept);
}

static int live(void *user)
{
	struct bufferevent *channel = NULL;
	struct server *server = user;

	server->base = event_base_new();
	if (confine(CONFINE_SAVER))
		return 1;
	evutil_make_socket_nonblocking(SAVER_CHANNEL);
	if (server->base)
		channel = bufferevent_socket_new(server->base, SAVER_CHANNEL,
						 BEV_OPT_CLOSE_ON_FREE);
	if (channel) {
		bufferevent_setcb(channel, asked, answer_left, closed, server);
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

int saver_main(char *const owner[2])
{
	struct server server = {
		.saver.uid = strtoul(owner[0], NULL, 10),
		.saver.gid = strtoul(owner[1], NULL, 10),
		.saver.memory = STAILQ_HEAD_INITIALIZER(server.saver.memory),
		.saver.lives = saver_lives_new(),
	};
	pid_t daemon = getppid();
	int status;

	prctl(PR_SET_NAME, "rvtraced-images");
	if (!server.saver.lives || !take_folder())
		return 1;
	/* Of a daemon that died, too: what runs until another one takes over would be in no image. */
	hold_text(NULL);
	if (give_up_rights(&server.saver))
		return 1;
	status = saver_lives_spend(server.saver.lives, live, &server);
	if (!status)
		outlive(daemon);
	return status;
}
