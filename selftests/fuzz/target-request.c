// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzing: what processes of connections and of sessions tell the daemon. Missing are the processes
 * themselves, the hardware, and files that outlive the daemon.
 */
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <json-c/json.h>

#include "daemon/closer.h"
#include "daemon/control.h"
#include "daemon/gate.h"
#include "daemon/log.h"
#include "daemon/requests.h"
#include "daemon/state.h"
#include "daemon/udev.h"
#include "daemon/worker_internal.h"
#include "folder.h"
#include "target.h"
#include "tools/lib/recording/seal.h"

#define TURNS		1000	/* of the event loop until all is over */
#define REQUEST_US	20	/* to answer a request of any size, an empty one, too */

static struct daemon the_daemon;
static struct sink_list sinks = LIST_HEAD_INITIALIZER(sinks);
static struct sink the_sinks[] = {
	{ .name = "rvtrace0", .device = "/dev/rvtrace0", .state = -1 },
	{ .name = "rvtrace1", .device = "/dev/rvtrace1", .state = -1 },
};

/* The rest of the daemon */

void log_message(int priority, const char *format, ...)
{
	(void)priority;
	(void)format;
}

void daemon_idle(struct daemon *daemon)
{
	(void)daemon;
}

const struct sink_list *sinks_list(struct sinks *all)
{
	(void)all;
	return &sinks;
}

const struct sink *sinks_find(struct sinks *all, const char *name)
{
	const struct sink *sink;

	(void)all;
	LIST_FOREACH(sink, &sinks, entry)
		if (name && !strcmp(sink->name, name))
			return sink;
	return NULL;
}

void state_keep(const struct daemon *daemon, const char *sink, struct json_object *state)
{
	(void)daemon;
	promise(sinks_find(NULL, sink));
	promise(json_object_to_json_string(state));
}

void state_forget(const struct daemon *daemon, const char *sink)
{
	(void)daemon;
	promise(sinks_find(NULL, sink));
}

const char *session_state_name(enum session_state state)
{
	static const char *const names[] = {
		"preparing", "open", "running", "draining", "closing", "finished",
	};

	promise(state <= SESSION_FINISHED);
	return names[state];
}

static void expect_strings(struct json_object *array)
{
	size_t i;

	promise(!array || json_object_is_type(array, json_type_array));
	for (i = 0; array && i < json_object_array_length(array); i++)
		promise(json_object_is_type(json_object_array_get_idx(array, i), json_type_string));
}

/* What a process gets of what a client wants */
int worker_spawn(struct worker *worker, const struct session_settings *settings,
		 struct rvtrace_failure *error)
{
	(void)error;
	worker->spawned = worker_now();
	if (!settings)
		return 0;
	promise(settings->uid == geteuid() && settings->gid == getegid());
	promise(settings->client == getpid() && sinks_find(NULL, settings->sink));
	promise(settings->directory == -1 || settings->directory_name);
	expect_strings(settings->encoders);
	expect_strings(settings->command);
	promise(!settings->attributes || json_object_is_type(settings->attributes,
							     json_type_object));
	return 0;
}

void worker_ask(struct worker *worker, const char *verb)
{
	(void)worker;
	(void)verb;
}

bool worker_listens(const struct worker *worker)
{
	(void)worker;
	return true;
}

void worker_close_ends(struct worker *worker)
{
	(void)worker;
}

void worker_kill(const struct worker *worker)
{
	(void)worker;
}

/* What the client sends is what its gate would have made of it. */
struct gate *gate_open(int client, const struct ucred *peer, const gid_t *groups, int group_count)
{
	struct gate *gate = calloc(1, sizeof(*gate));

	promise(!group_count || groups);
	gate->uid = peer->uid;
	gate->requests = client;
	gate->answers = dup(client);
	fcntl(client, F_SETFL, O_NONBLOCK);
	return gate;
}

void gate_give(struct gate *gate, int socket)
{
	promise(gate->requests >= 0 && !close(socket));
}

void gate_close(struct gate *gate)
{
	close(gate->requests);
	close(gate->answers);
}

bool gate_ended(struct gate *gate)
{
	(void)gate;
	return true;
}

struct closer *closer_new(struct event_base *base, int listening)
{
	(void)listening;
	return (struct closer *)base;
}

void closer_free(struct closer *closer)
{
	(void)closer;
}

int closer_take(struct closer *closer, int client, uid_t uid)
{
	(void)uid;
	promise(closer);
	return close(client);
}

void closer_reap(struct closer *closer)
{
	(void)closer;
}

/* The client, and its gate */

struct client {
	bool in_line;	/* what came with it was said */
	int fd;
	int asked;
	int answered;
	char *line;	/* that has no end yet */
	size_t length;
};

static int begin(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char error[512];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	size_t i;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", folder_path());
	if (!the_daemon.base) {
		signal(SIGPIPE, SIG_IGN);
		folder_empty();
		the_daemon.base = event_base_new();
		the_daemon.config = (struct config) {
			.group = "root", .connections = 4, .sessions = 1, .silent_time = 60,
			.detached_time = 3600, .sideband = true,
		};
		strcpy(the_daemon.config.directory, folder_path());
		for (i = 0; i < sizeof(the_sinks) / sizeof(the_sinks[0]); i++)
			LIST_INSERT_HEAD(&sinks, &the_sinks[i], entry);
		promise(!control_open(&the_daemon, address.sun_path, request_handle, error,
				      sizeof(error)));
		promise(!control_serve(the_daemon.control));
	}
	promise(!connect(fd, (struct sockaddr *)&address, sizeof(address)));
	return fd;
}

static void turn(void)
{
	event_base_loop(the_daemon.base, EVLOOP_NONBLOCK);
}

static void check_answer(struct client *client)
{
	struct json_object *answer = json_tokener_parse(client->line), *member;
	bool ok;

	promise(json_object_is_type(answer, json_type_object));
	promise(json_object_object_get_ex(answer, "ok", &member) &&
		json_object_is_type(member, json_type_boolean));
	ok = json_object_get_boolean(member);
	promise(ok || (json_object_object_get_ex(answer, "errno", &member) &&
		       json_object_is_type(member, json_type_int)));
	promise(ok || (json_object_object_get_ex(answer, "error", &member) &&
		       *json_object_get_string(member)));
	json_object_put(answer);
	promise(++client->answered <= client->asked);
}

static void take(struct client *client, const char *bytes, size_t size)
{
	client->line = realloc(client->line, client->length + size + 1);
	for (; size; size--, bytes++) {
		client->line[client->length++] = *bytes;
		if (*bytes != '\n')
			continue;
		client->line[client->length - 1] = 0;
		check_answer(client);
		client->length = 0;
	}
}

/* Return: whether the daemon is still there. */
static bool listen_to(struct client *client)
{
	char bytes[4096];
	ssize_t got;

	while ((got = recv(client->fd, bytes, sizeof(bytes), 0)) > 0)
		take(client, bytes, got);
	return got < 0 && errno == EAGAIN;
}

/* @lines as a gate sends them; the first one came with @came. What it returns is the caller's. */
static char *as_gate(struct client *client, const uint8_t *lines, size_t *size, enum gate_came came)
{
	char *bytes = malloc(*size * 2), *at = bytes;
	size_t i;

	for (i = 0; i < *size; i++) {
		if (!client->in_line) {
			*at++ = came;
			came = GATE_NOTHING;
			client->asked++;
			fuzz_extra_us += REQUEST_US;
		}
		*at++ = lines[i];
		client->in_line = lines[i] != '\n';
	}
	*size = at - bytes;
	return bytes;
}

static void ask(struct client *client, const uint8_t *lines, size_t size, enum gate_came came)
{
	char *bytes = as_gate(client, lines, &size, came), *at = bytes;
	int turns = TURNS;
	ssize_t sent;

	while (size && turns--) {
		sent = send(client->fd, at, size, MSG_NOSIGNAL);
		if (sent > 0) {
			at += sent;
			size -= sent;
		}
		turn();
		if (!listen_to(client) || (sent < 0 && errno != EAGAIN))
			break;
	}
	free(bytes);
}

static void tell_line(struct worker *worker, const char *line)
{
	struct json_object *report = seal_parse(line, strlen(line));

	worker_told(worker, report);
	json_object_put(report);
}

/* The process of a session, the newest one there is */
static void tell(const uint8_t *bytes, size_t size)
{
	struct worker *worker = LIST_FIRST(&the_daemon.workers);
	char *line = strndup((const char *)bytes, size);

	if (worker)
		tell_line(worker, line);
	free(line);
	turn();
}

static void die(void)
{
	struct worker *worker = LIST_FIRST(&the_daemon.workers);

	if (worker)
		worker_died(worker);
	turn();
}

static bool is_of_client(uint8_t first)
{
	return !strchr("!=%+-", first) || !first;
}

/* A line, with its end if it has one, or as many as the client sends in a row */
static void do_lines(struct client *client, const uint8_t *line, size_t size)
{
	static const char finished[] = "{\"event\":\"finished\"}";
	int answered;

	if (*line == '!')
		tell(line + 1, size - 1);
	else if (*line == '=')
		tell((const uint8_t *)finished, strlen(finished));
	else if (*line == '%')
		die();
	else if (*line == '+')
		ask(client, line + 1, size - 1, GATE_DIRECTORY);
	else if (*line == '-')
		ask(client, line + 1, size - 1, GATE_FILE);
	else
		ask(client, line, size, GATE_NOTHING);
	do {
		answered = client->answered;
		turn();
		listen_to(client);
	} while (client->answered > answered);
}

static const uint8_t *end_of_line(const uint8_t *line, const uint8_t *last)
{
	const uint8_t *end = memchr(line, '\n', last - line);

	return end ? end + 1 : last;
}

/* Nothing of the input is left. */
static void end(struct client *client)
{
	struct worker *worker;
	int turns = TURNS;

	close(client->fd);
	free(client->line);
	while ((worker = LIST_FIRST(&the_daemon.workers)) && turns--) {
		if (worker->state != SESSION_FINISHED)
			tell_line(worker, "{\"event\":\"finished\"}");
		turn();
		if (worker == LIST_FIRST(&the_daemon.workers))
			worker_free(worker);
	}
	while (event_base_get_num_events(the_daemon.base, EVENT_BASE_COUNT_ADDED) > 1 && turns--)
		turn();
	promise(turns > 0 && LIST_EMPTY(&the_daemon.dying));
}

/*
 * Lines that a client sends; after "+" with a directory, after "-" with a file. Other lines are of
 * the process of a session: after "!" what it reports; "=": it has finished; "%": it dies.
 */
void fuzz_request(const uint8_t *bytes, size_t size)
{
	struct client client = { .fd = begin() };
	const uint8_t *next, *last = bytes + size;

	turn();
	for (; bytes < last; bytes = next) {
		next = end_of_line(bytes, last);
		while (is_of_client(*bytes) && next < last && is_of_client(*next))
			next = end_of_line(next, last);
		do_lines(&client, bytes, next - bytes);
	}
	end(&client);
}
