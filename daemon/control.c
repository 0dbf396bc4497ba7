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

#include "client_file.h"
#include "control.h"
#include "control_socket.h"
#include "log.h"
#include "notify.h"
#include "requests.h"

#define REQUEST_MAX	(1024 * 1024)
#define READ_SIZE	16384
#define CONNECTIONS_ROOT	128	/* of root, in addition to CONFIG_CONNECTIONS_MAX */
#define FDS_MAX		4	/* file descriptors in one message; one is kept */
#define ACCEPT_PAUSE	1	/* seconds, when file descriptors ran out */
#define REFUSED_PAUSE	10	/* seconds, between two log lines about clients without room */

struct connection {
	LIST_ENTRY(connection) entry;
	struct control *control;
	int fd;
	int directory;			/* that came along; -1: none, -ENOTDIR: another file */
	struct ucred peer;
	gid_t *groups;			/* of the peer */
	int group_count;
	struct event *readable;
	struct event *writable;
	struct evbuffer *in;
	struct evbuffer *out;
	struct worker *waiting;	/* it answers the current request */
	enum connection_wait wait;	/* ... when it is that far */
	bool last;			/* close once the answer is out */
};

LIST_HEAD(connection_list, connection);

struct control {
	struct daemon *daemon;
	char *path;			/* NULL: systemd owns the socket */
	struct stat file;		/* what is to be removed at @path */
	int fd;
	time_t refused;			/* when the log last had that a client was */
	struct event *incoming;
	struct event *resume;
	struct connection_list connections;
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
	int fd = connection->directory;

	connection->directory = -1;
	return fd;
}

static void drop_directory(struct connection *connection)
{
	int fd = connection_take_directory(connection);

	if (fd >= 0)
		close(fd);
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
			log_message(LOG_NOTICE, "%s: its client went away, stopping",
				    worker_sink(session));
		worker_discard(session);
		worker_stop(session);
	}
}

/* With what was not read of it */
static void close_socket(int fd)
{
	client_files_drop();
	close(fd);
	client_files_dropped();
}

static void connection_free(struct connection *connection)
{
	LIST_REMOVE(connection, entry);
	orphan_sessions(connection);
	drop_directory(connection);
	if (connection->readable)
		event_free(connection->readable);
	if (connection->writable)
		event_free(connection->writable);
	if (connection->in)
		evbuffer_free(connection->in);
	if (connection->out)
		evbuffer_free(connection->out);
	close_socket(connection->fd);
	free(connection->groups);
	free(connection);
}

/* Writes what the socket takes. Returns -1 when the peer is gone. */
static int flush_out(struct connection *connection)
{
	while (evbuffer_get_length(connection->out)) {
		if (evbuffer_write(connection->out, connection->fd) >= 0)
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
		answer = request_handle(connection, line, length);
		free(line);
		drop_directory(connection);
		if (answer)
			put_answer(connection, answer);
		if (flush_out(connection))
			connection->last = true;
	}
	if (evbuffer_get_length(connection->in) > REQUEST_MAX && !connection->last &&
	    !connection->waiting && !evbuffer_get_length(connection->out)) {
		put_answer(connection, request_refuse(EMSGSIZE, "the request is longer than %d bytes",
						      REQUEST_MAX));
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

static void keep_directory(struct connection *connection, struct msghdr *message)
{
	struct cmsghdr *header;
	int fds[FDS_MAX];
	size_t i, count;

	for (header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
			continue;
		count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(header), count * sizeof(int));
		for (i = 0; i < count; i++) {
			drop_directory(connection);
			connection->directory = client_file_is_directory(fds[i]) ? fds[i] :
										   -ENOTDIR;
			if (connection->directory < 0)
				client_file_close(fds[i], connection->peer.uid);
		}
	}
}

static void readable(evutil_socket_t fd, short what, void *user)
{
	struct connection *connection = user;
	char data[READ_SIZE];
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
	} control;
	struct iovec iov = { data, sizeof(data) };
	struct msghdr message = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = client_files_welcome(connection->peer.uid) ? sizeof(control) : 0,
	};
	ssize_t got;

	(void)what;
	client_files_drop();
	got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	client_files_dropped();
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		connection_free(connection);
		return;
	}
	keep_directory(connection, &message);
	if (evbuffer_add(connection->in, data, got)) {
		connection_free(connection);
		return;
	}
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
static void find_groups(struct connection *connection)
{
	socklen_t length = 0;

	/* It tells how much there is. */
	if (!getsockopt(connection->fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &length) ||
	    errno != ERANGE)
		return;
	connection->groups = malloc(length);
	if (connection->groups && !getsockopt(connection->fd, SOL_SOCKET, SO_PEERGROUPS,
					      connection->groups, &length))
		connection->group_count = length / sizeof(gid_t);
}

static void connection_new(struct control *control, int fd, const struct ucred *peer)
{
	struct connection *connection = calloc(1, sizeof(*connection));

	if (!connection) {
		close_socket(fd);
		return;
	}
	connection->control = control;
	connection->fd = fd;
	connection->directory = -1;
	connection->peer = *peer;
	find_groups(connection);
	LIST_INSERT_HEAD(&control->connections, connection, entry);
	connection->in = evbuffer_new();
	connection->out = evbuffer_new();
	connection->readable = event_new(control->daemon->base, fd, EV_READ | EV_PERSIST,
					 readable, connection);
	connection->writable = event_new(control->daemon->base, fd, EV_WRITE, writable,
					 connection);
	if (!connection->in || !connection->out || !connection->readable ||
	    !connection->writable || event_add(connection->readable, NULL)) {
		connection_free(connection);
		return;
	}
	log_message(LOG_DEBUG, "client: pid %d, uid %d", connection->peer.pid,
		    (int)connection->peer.uid);
}

/* Neither root nor another user is locked out by one who has all that he may have. */
static struct json_object *no_room(const struct control *control, uid_t uid)
{
	int limit = control->daemon->config.connections, own = 0, users = 0;
	const struct connection *connection;

	LIST_FOREACH(connection, &control->connections, entry) {
		own += connection->peer.uid == uid;
		users += connection->peer.uid != 0;
	}
	if (!uid)
		return own < CONNECTIONS_ROOT ? NULL :
		       request_refuse(EUSERS, "root has %d connections already", own);
	if (own >= limit)
		return request_refuse(EUSERS, "user %u has %d connections already (see rvtraced.conf)",
				      uid, own);
	if (users >= CONFIG_CONNECTIONS_MAX)
		return request_refuse(EUSERS, "all users together have %d connections already",
				      users);
	return NULL;
}

/* Says why not, as far as the socket takes it, and closes it. */
static void turn_away(struct control *control, int fd, const struct ucred *peer,
		      struct json_object *answer)
{
	char line[512];
	struct timespec now;
	int size = snprintf(line, sizeof(line), "%s\n",
			    json_object_to_json_string_ext(answer, JSON_C_TO_STRING_PLAIN));

	if (send(fd, line, size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		log_message(LOG_DEBUG, "client: uid %u: %s", peer->uid, strerror(errno));
	close_socket(fd);
	json_object_put(answer);
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (control->refused && now.tv_sec < control->refused + REFUSED_PAUSE)
		return;
	control->refused = now.tv_sec;
	log_message(LOG_WARNING, "no connection for pid %d of user %u: there are too many",
		    peer->pid, peer->uid);
}

static void resume(evutil_socket_t fd, short what, void *user)
{
	struct control *control = user;

	(void)fd;
	(void)what;
	event_add(control->incoming, NULL);
}

static void incoming(evutil_socket_t listening, short what, void *user)
{
	struct control *control = user;
	int fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct json_object *refusal;
	struct ucred peer;
	socklen_t length = sizeof(peer);

	(void)what;
	if (fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length)) {
		close_socket(fd);
		return;
	}
	if (fd >= 0) {
		refusal = no_room(control, peer.uid);
		if (refusal)
			turn_away(control, fd, &peer, refusal);
		else
			connection_new(control, fd, &peer);
		return;
	}
	if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
		return;
	log_message(LOG_ERR, "accepting a client: %s", strerror(errno));
	event_del(control->incoming);
	evtimer_add(control->resume, &(struct timeval){ .tv_sec = ACCEPT_PAUSE });
}

int control_open(struct daemon *daemon, const char *path, char *error, size_t size)
{
	struct control *control = calloc(1, sizeof(*control));
	int fd;

	if (!control) {
		snprintf(error, size, "out of memory");
		return -1;
	}
	LIST_INIT(&control->connections);
	control->daemon = daemon;
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
	if (!control->incoming || !control->resume || event_add(control->incoming, NULL)) {
		snprintf(error, size, "out of memory");
		control_free(control);
		return -1;
	}
	daemon->control = control;
	return 0;
}

/* Anything that took the place of the socket meanwhile stays. */
static void remove_socket(const struct control *control)
{
	struct stat st;

	if (control->path && !lstat(control->path, &st) && st.st_dev == control->file.st_dev &&
	    st.st_ino == control->file.st_ino)
		unlink(control->path);
}

void control_free(struct control *control)
{
	struct connection *connection;

	if (!control)
		return;
	while ((connection = LIST_FIRST(&control->connections)))
		connection_free(connection);
	if (control->incoming)
		event_free(control->incoming);
	if (control->resume)
		event_free(control->resume);
	remove_socket(control);
	close(control->fd);
	free(control->path);
	free(control);
}

void connection_wait(struct connection *connection, struct worker *session,
		     enum connection_wait wait)
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

void control_session_answer(struct daemon *daemon, struct worker *session,
			    enum connection_wait wait,
			    const struct rvtrace_recording_error *error)
{
	struct connection *connection;

	if (!daemon->control)
		return;
	LIST_FOREACH(connection, &daemon->control->connections, entry)
		if (connection->waiting == session && connection->wait == wait)
			answer_later(connection, error ?
				     request_refuse(error->code, "%s", error->text) :
				     request_session_result(session));
}

void control_session_finished(struct daemon *daemon, struct worker *session)
{
	struct connection *connection;

	if (!daemon->control)
		return;
	LIST_FOREACH(connection, &daemon->control->connections, entry) {
		if (connection->waiting != session)
			continue;
		if (connection->wait == WAIT_CLOSED)
			worker_discard(session);
		if (connection->wait == WAIT_READY || connection->wait == WAIT_FLUSHED)
			answer_later(connection,
				     request_refuse(ECANCELED, "%s: the session was ended",
						    worker_sink(session)));
		else
			answer_later(connection, request_session_result(session));
	}
}
