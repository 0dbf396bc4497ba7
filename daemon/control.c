// SPDX-License-Identifier: GPL-2.0
/* The control socket: connections, lines, answers. */
#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answers.h"
#include "arrivals.h"
#include "closer.h"
#include "control.h"
#include "control_socket.h"
#include "gate.h"
#include "log.h"
#include "members.h"
#include "notify.h"

#define READ_SIZE	16384
#define CONNECTIONS_ROOT	128	/* of root, in addition to CONFIG_CONNECTIONS_MAX */
#define ACCEPT_MAX	256	/* connections in a row */
#define ACCEPT_PAUSE	1	/* seconds, when file descriptors or processes ran out */
#define REFUSED_PAUSE	10	/* seconds, between two log lines about clients without room */

struct connection {
	LIST_ENTRY(connection) entry;
	struct control *control;
	struct gate *gate;
	enum gate_came came;		/* with the current request */
	int wanted;			/* where its directory is to be sent; -1: nowhere */
	struct ucred peer;
	gid_t *groups;			/* of the peer */
	int group_count;
	struct event *readable;
	struct event *writable;
	struct evbuffer *in;
	struct evbuffer *out;
	struct worker *waiting;	/* it answers the current request */
	enum worker_wait wait;		/* ... when it is that far */
	bool last;			/* close once the answer is out */
};

LIST_HEAD(connection_list, connection);

struct control {
	struct daemon *daemon;
	struct json_object *(*handle)(struct connection *connection, const char *line,
				      size_t length);
	char *path;			/* NULL: systemd owns the socket */
	struct stat file;		/* what is to be removed at @path */
	int fd;
	time_t refused;			/* when the log last had that a client was */
	struct event *incoming;
	struct event *resume;
	struct closer *closer;
	struct arrivals arrivals;	/* clients that have no gate yet */
	struct event *serve;		/* the next one of them */
	struct connection_list connections;
	struct gate_list closed;	/* gates that have not ended */
};

struct daemon *connection_daemon(struct connection *connection)
{
	return connection->control->daemon;
}

const struct ucred *connection_peer(const struct connection *connection)
{
	return &connection->peer;
}

const gid_t *connection_groups(const struct connection *connection, int *count)
{
	*count = connection->group_count;
	return connection->groups;
}

int connection_take_directory(struct connection *connection)
{
	int ends[2];

	if (connection->came == GATE_NOTHING)
		return -1;
	if (connection->came != GATE_DIRECTORY)
		return -ENOTDIR;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	connection->came = GATE_NOTHING;
	connection->wanted = ends[0];
	return ends[1];
}

/* Whoever waits for it has the other end, and nobody else. */
static void give_directory(struct connection *connection)
{
	if (connection->wanted >= 0)
		gate_give(connection->gate, connection->wanted);
	connection->wanted = -1;
}

/* Sessions that end with their client are stopped and finalised. */
static void orphan_sessions(struct connection *connection)
{
	struct worker *session, *next;

	for (session = LIST_FIRST(&connection->control->daemon->workers); session; session = next) {
		next = worker_next(session);
		if (worker_owner(session) != connection)
			continue;
		if (worker_state(session) != SESSION_FINISHED)
			log_message(LOG_NOTICE, "%s: its client ended, stopping",
				    worker_sink(session));
		worker_discard(session);
		worker_stop(session);
	}
}

/* A client whose gate does not end has that connection still. */
static void close_gate(struct control *control, struct gate *gate)
{
	gate_close(gate);
	if (gate_ended(gate))
		free(gate);
	else
		LIST_INSERT_HEAD(&control->closed, gate, entry);
}

static void connection_free(struct connection *connection)
{
	LIST_REMOVE(connection, entry);
	orphan_sessions(connection);
	if (connection->readable)
		event_free(connection->readable);
	if (connection->writable)
		event_free(connection->writable);
	if (connection->in)
		evbuffer_free(connection->in);
	if (connection->out)
		evbuffer_free(connection->out);
	close_gate(connection->control, connection->gate);
	free(connection->groups);
	free(connection);
}

/* Writes what the gate takes. Returns -1 when it is gone. */
static int flush_out(struct connection *connection)
{
	while (evbuffer_get_length(connection->out)) {
		if (evbuffer_write(connection->out, connection->gate->answers) >= 0)
			continue;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return -1;
		event_add(connection->writable, NULL);
		return 0;
	}
	return 0;
}

static void put_answer(struct connection *connection, struct json_object *answer)
{
	evbuffer_add_printf(connection->out, "%s\n",
			    json_object_to_json_string_ext(answer, JSON_C_TO_STRING_PLAIN |
							   JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(answer);
}

/* Handles complete lines, one request at a time, each answered before the next. */
static void handle_lines(struct connection *connection)
{
	struct json_object *answer;
	size_t length;
	char *line;

	while (!connection->waiting && !connection->last &&
	       !evbuffer_get_length(connection->out)) {
		line = evbuffer_readln(connection->in, &length, EVBUFFER_EOL_LF);
		if (!line)
			break;
		connection->came = *line;
		answer = connection->control->handle(connection, line + !!length,
						     length - !!length);
		free(line);
		give_directory(connection);
		if (answer)
			put_answer(connection, answer);
		if (flush_out(connection))
			connection->last = true;
	}
	/* What came along is a byte in addition. */
	if (evbuffer_get_length(connection->in) > GATE_REQUEST_MAX + 1 && !connection->last &&
	    !connection->waiting && !evbuffer_get_length(connection->out)) {
		put_answer(connection, answer_refusal(EMSGSIZE,
						      "the request is longer than %d bytes",
						      GATE_REQUEST_MAX));
		connection->last = true;
		flush_out(connection);
	}
}

/* After anything happened: go on, or close. Frees @connection when it is over. */
static void proceed(struct connection *connection)
{
	handle_lines(connection);
	if (connection->last && !event_pending(connection->writable, EV_WRITE, NULL)) {
		connection_free(connection);
		return;
	}
	/* Not to read on keeps a client that does not listen from filling memory. */
	if (connection->waiting || connection->last || evbuffer_get_length(connection->out))
		event_del(connection->readable);
	else
		event_add(connection->readable, NULL);
}

static void readable(evutil_socket_t fd, short what, void *user)
{
	struct connection *connection = user;
	int got = evbuffer_read(connection->in, fd, READ_SIZE);

	(void)what;
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0)
		connection_free(connection);
	else
		proceed(connection);
}

static void writable(evutil_socket_t fd, short what, void *user)
{
	struct connection *connection = user;

	(void)fd;
	(void)what;
	if (flush_out(connection))
		connection_free(connection);
	else
		proceed(connection);
}

/* For the process that records: without them it is refused what only such a group may do. */
static gid_t *find_groups(int fd, int *count)
{
	socklen_t length = 0;
	gid_t *groups;

	*count = 0;
	/* It tells how much there is. */
	if (!getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &length) || errno != ERANGE)
		return NULL;
	groups = malloc(length);
	if (groups && !getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &length))
		*count = length / sizeof(gid_t);
	return groups;
}

static int add_events(struct connection *connection)
{
	struct event_base *base = connection->control->daemon->base;

	connection->in = evbuffer_new();
	connection->out = evbuffer_new();
	connection->readable = event_new(base, connection->gate->requests, EV_READ | EV_PERSIST,
					 readable, connection);
	connection->writable = event_new(base, connection->gate->answers, EV_WRITE, writable,
					 connection);
	return connection->in && connection->out && connection->readable &&
	       connection->writable && !event_add(connection->readable, NULL) ? 0 : -1;
}

/* Return: -1: @fd is still the caller's. */
static int connection_new(struct control *control, int fd, const struct ucred *peer)
{
	struct connection *connection = calloc(1, sizeof(*connection));

	if (!connection)
		return -1;
	connection->control = control;
	connection->wanted = -1;
	connection->peer = *peer;
	connection->groups = find_groups(fd, &connection->group_count);
	connection->gate = gate_open(fd, peer, connection->groups, connection->group_count);
	if (!connection->gate) {
		free(connection->groups);
		free(connection);
		return -1;
	}
	LIST_INSERT_HEAD(&control->connections, connection, entry);
	if (add_events(connection))
		connection_free(connection);
	else
		log_message(LOG_DEBUG, "client: pid %d, uid %d", peer->pid, (int)peer->uid);
	return 0;
}

void control_reap(struct control *control)
{
	struct connection *connection;
	struct gate *gate, *next;

	if (!control)
		return;
	/* The number of a process that has ended may become another one's. */
	LIST_FOREACH(connection, &control->connections, entry)
		gate_ended(connection->gate);
	for (gate = LIST_FIRST(&control->closed); gate; gate = next) {
		next = LIST_NEXT(gate, entry);
		if (!gate_ended(gate))
			continue;
		LIST_REMOVE(gate, entry);
		free(gate);
	}
	closer_reap(control->closer);
}

/* @own: of those who count as @uid; @users: of all but root; those that wait for a gate, too */
static void count_connections(const struct control *control, uid_t uid, int *own, int *users)
{
	const struct connection *connection;
	const struct arrival *arrival;
	const struct gate *gate;

	*own = 0;
	*users = 0;
	LIST_FOREACH(connection, &control->connections, entry) {
		*own += members_same(connection->peer.uid, uid);
		*users += connection->peer.uid != 0;
	}
	LIST_FOREACH(gate, &control->closed, entry) {
		*own += members_same(gate->uid, uid);
		*users += gate->uid != 0;
	}
	TAILQ_FOREACH(arrival, &control->arrivals.list, entry) {
		*own += members_same(arrival->peer.uid, uid);
		*users += arrival->peer.uid != 0;
	}
}

/* Neither root nor another user is locked out by one who has all that he may have. */
static struct json_object *no_room(struct control *control, uid_t uid)
{
	const struct config *config = &control->daemon->config;
	int own, users;

	members_load(config->group, false);
	/* Those that have just ended make room. */
	control_reap(control);
	count_connections(control, uid, &own, &users);
	if (!uid)
		return own < CONNECTIONS_ROOT ? NULL :
		       answer_refusal(EUSERS, "root has %d connections already", own);
	if (own >= config->connections && members_count_alone(uid))
		return answer_refusal(EUSERS, "user %u has %d connections already (see rvtraced.conf)",
				      uid, own);
	if (own >= config->connections)
		return answer_refusal(EUSERS, "users that group '%s' does not name have %d connections already (see rvtraced.conf)",
				      config->group, own);
	if (users >= CONFIG_CONNECTIONS_MAX)
		return answer_refusal(EUSERS, "all users together have %d connections already",
				      users);
	return NULL;
}

static void pause_accepting(struct control *control)
{
	event_del(control->incoming);
	evtimer_add(control->resume, &(struct timeval){ .tv_sec = ACCEPT_PAUSE });
}

/* Says why not, as far as the socket takes it, and closes it. */
static void turn_away(struct control *control, int fd, const struct ucred *peer,
		      struct json_object *answer, const char *why)
{
	char line[512];
	struct timespec now;
	int size = snprintf(line, sizeof(line), "%s\n",
			    json_object_to_json_string_ext(answer, JSON_C_TO_STRING_PLAIN));

	if (send(fd, line, size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		log_message(LOG_DEBUG, "client: uid %u: %s", peer->uid, strerror(errno));
	if (closer_take(control->closer, fd, peer->uid))
		pause_accepting(control);
	json_object_put(answer);
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (control->refused && now.tv_sec < control->refused + REFUSED_PAUSE)
		return;
	control->refused = now.tv_sec;
	log_message(LOG_WARNING, "no connection for pid %d of user %u: %s", peer->pid, peer->uid,
		    why);
}

static void resume(evutil_socket_t fd, short what, void *user)
{
	struct control *control = user;

	(void)fd;
	(void)what;
	event_add(control->incoming, NULL);
}

/* From the loop, which hears all others before: an event that is made active does not let it. */
static void serve_next(struct control *control)
{
	evtimer_add(control->serve, &(struct timeval){ 0 });
}

/* One at a time: whoever connected meanwhile takes part, and root is before all. */
static void serve(evutil_socket_t fd, short what, void *user)
{
	struct control *control = user;
	struct ucred peer;
	int client = arrivals_next(&control->arrivals, &peer);

	(void)fd;
	(void)what;
	if (client < 0)
		return;
	serve_next(control);
	if (arrivals_is_gone(client))
		close(client);
	else if (connection_new(control, client, &peer))
		turn_away(control, client, &peer, answer_refusal(EAGAIN, "no process for it"),
			  "no process for it");
}

static void welcome(struct control *control, int fd)
{
	struct json_object *refusal;
	struct ucred peer = { .uid = -1 };
	socklen_t length = sizeof(peer);

	if (arrivals_is_gone(fd)) {
		close(fd);
		return;
	}
	refusal = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) ?
		  answer_refusal(errno, "%s", strerror(errno)) : no_room(control, peer.uid);
	if (!refusal && arrivals_add(&control->arrivals, fd, &peer))
		refusal = answer_refusal(ENOMEM, "out of memory");
	if (refusal)
		turn_away(control, fd, &peer, refusal, "there are too many");
	else
		serve_next(control);
}

/* All that are there, so that none waits behind many of another one's. */
static void incoming(evutil_socket_t listening, short what, void *user)
{
	struct control *control = user;
	int count, fd = 0;

	(void)what;
	for (count = 0; count < ACCEPT_MAX && fd >= 0 &&
	     event_pending(control->incoming, EV_READ, NULL); count++) {
		fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			welcome(control, fd);
	}
	if (fd >= 0 || errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
		return;
	log_message(LOG_ERR, "accepting a client: %s", strerror(errno));
	pause_accepting(control);
}

void connection_wait(struct connection *connection, struct worker *session,
		     enum worker_wait wait)
{
	connection->waiting = session;
	connection->wait = wait;
}

/* Sent, and the next request taken, from the loop. */
static void answer_later(struct connection *connection, struct json_object *answer)
{
	connection->waiting = NULL;
	put_answer(connection, answer);
	event_active(connection->writable, EV_WRITE, 0);
}

static void session_answer(struct daemon *daemon, struct worker *session, enum worker_wait wait,
			   const struct rvtrace_failure *error)
{
	struct connection *connection;

	LIST_FOREACH(connection, &daemon->control->connections, entry)
		if (connection->waiting == session && connection->wait == wait)
			answer_later(connection, error ?
				     answer_refusal(error->code, "%s", error->text) :
				     answer_session(session));
}

static void session_finished(struct daemon *daemon, struct worker *session)
{
	struct connection *connection;

	LIST_FOREACH(connection, &daemon->control->connections, entry) {
		if (connection->waiting != session)
			continue;
		if (connection->wait == WAIT_CLOSED)
			worker_discard(session);
		if (connection->wait == WAIT_READY || connection->wait == WAIT_FLUSHED)
			answer_later(connection,
				     answer_refusal(ECANCELED, "%s: the session was ended",
						    worker_sink(session)));
		else
			answer_later(connection, answer_session(session));
	}
}

int control_open(struct daemon *daemon, const char *path,
		 struct json_object *(*handle)(struct connection *connection, const char *line,
					       size_t length),
		 char *error, size_t size)
{
	static const struct worker_clients clients = {
		.answer = session_answer,
		.finished = session_finished,
	};
	struct control *control = calloc(1, sizeof(*control));
	int fd;

	if (!control) {
		snprintf(error, size, "out of memory");
		return -1;
	}
	LIST_INIT(&control->connections);
	LIST_INIT(&control->closed);
	arrivals_init(&control->arrivals);
	control->daemon = daemon;
	control->handle = handle;
	fd = notify_listening_socket();
	if (fd < 0) {
		fd = control_socket_listen(path, daemon->config.group, error, size);
		if (fd >= 0 && !lstat(path, &control->file))
			control->path = strdup(path);
	}
	control->fd = fd;
	if (fd < 0) {
		free(control);
		return -1;
	}
	control->incoming = event_new(daemon->base, fd, EV_READ | EV_PERSIST, incoming, control);
	control->resume = evtimer_new(daemon->base, resume, control);
	control->serve = evtimer_new(daemon->base, serve, control);
	if (!control->incoming || !control->resume || !control->serve) {
		snprintf(error, size, "out of memory");
		control_free(control);
		return -1;
	}
	members_load(daemon->config.group, true);
	daemon->control = control;
	daemon->clients = &clients;
	return 0;
}

int control_serve(struct control *control)
{
	control->closer = closer_new(control->daemon->base, control->fd);
	return control->closer && !event_add(control->incoming, NULL) ? 0 : -1;
}

void control_free(struct control *control)
{
	struct connection *connection;
	struct gate *gate;
	struct ucred peer;
	int client;

	if (!control)
		return;
	while ((connection = LIST_FIRST(&control->connections)))
		connection_free(connection);
	while ((gate = LIST_FIRST(&control->closed))) {
		LIST_REMOVE(gate, entry);
		free(gate);
	}
	if (control->incoming)
		event_free(control->incoming);
	if (control->resume)
		event_free(control->resume);
	if (control->serve)
		event_free(control->serve);
	while ((client = arrivals_next(&control->arrivals, &peer)) >= 0)
		closer_take(control->closer, client, peer.uid);
	if (control->path)
		control_socket_remove(control->path, &control->file);
	/* The last one to close it, with those that nobody accepted, is the closer. */
	close(control->fd);
	closer_free(control->closer);
	free(control->path);
	free(control);
}
