// SPDX-License-Identifier: GPL-2.0
/* rvtraced: drains trace sinks to disk. */
#include <argp.h>
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rvtrace/control.h>

#include "companion.h"
#include "control.h"
#include "describe.h"
#include "hold.h"
#include "log.h"
#include "members.h"
#include "notify.h"
#include "requests.h"
#include "saver.h"
#include "state.h"
#include "udev.h"
#include "worker.h"

#define STATE_DIR	"/var/lib/rvtrace"

/* Exit statuses of tracectl, as far as they fit. */
enum {
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
};

struct options {
	char config[CONFIG_PATH_MAX];
	char socket[RUN_PATH_MAX];
	char state_dir[CONFIG_PATH_MAX];
	bool foreground;
	int verbosity;
};

struct program {
	struct daemon daemon;
	struct options options;
	struct event *terminate;
	struct event *interrupt;
	struct event *hangup;
	struct event *child;
	struct event *watchdog;
};

const char *argp_program_version = "rvtraced " RVTRACED_VERSION;

static const struct argp_option argp_options[] = {
	{ "foreground", 'f', NULL, 0, "Stay in the foreground, write the log to stderr", 0 },
	{ "config", 'c', "FILE", 0, "Configuration, default " CONFIG_FILE, 0 },
	{ "socket", 's', "PATH", 0, "Control socket, default " RVTRACE_CONTROL_SOCKET, 0 },
	{ "state-dir", 'd', "DIR", 0, "Directory of recordings that name none, default "
	  STATE_DIR, 0 },
	{ "verbose", 'v', NULL, 0, "Log details", 0 },
	{ "quiet", 'q', NULL, 0, "Log warnings and errors only", 0 },
	{ 0 },
};

/* A path that holds in the background, too, whose working directory is another. */
static void set_path(struct argp_state *state, const char *option, const char *path, char *out,
		     size_t size)
{
	char folder[CONFIG_PATH_MAX] = "/";

	if (!*path)
		argp_error(state, "%s: the path is empty", option);
	if (*path != '/' && !getcwd(folder, sizeof(folder)))
		argp_failure(state, STATUS_USAGE, errno, "%s: the current directory", option);
	if (*path == '/')
		path++;
	if ((size_t)snprintf(out, size, "%s%s%s", folder, folder[1] ? "/" : "", path) >= size)
		argp_error(state, "%s: the path has more than %zu bytes", option, size - 1);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'f':
		options->foreground = true;
		return 0;
	case 'c':
		set_path(state, "--config", argument, options->config, sizeof(options->config));
		return 0;
	case 's':
		set_path(state, "--socket", argument, options->socket, sizeof(options->socket));
		return 0;
	case 'd':
		set_path(state, "--state-dir", argument, options->state_dir,
			 sizeof(options->state_dir));
		return 0;
	case 'v':
		options->verbosity = 1;
		return 0;
	case 'q':
		options->verbosity = -1;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument '%s'", argument);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.doc = "Record RISC-V trace to disk, on behalf of tracectl.",
};

static int load_config(const struct program *program, struct config *config)
{
	const struct options *options = &program->options;
	const char *file = *options->config ? options->config : CONFIG_FILE;
	char error[512];

	config_defaults(config, STATE_DIR);
	if (config_load(config, file, *options->config, error, sizeof(error))) {
		log_message(LOG_ERR, "%s", error);
		return -1;
	}
	if (!*options->state_dir)
		return 0;
	if (!config_may_be_directory(options->state_dir)) {
		log_message(LOG_ERR, "--state-dir: %s: not a directory", options->state_dir);
		return -1;
	}
	strcpy(config->directory, options->state_dir);
	return 0;
}

/* Traces hold addresses and what programs do: nobody else reads them. */
static void set_mask(const struct config *config)
{
	umask(config->group_access ? 0027 : 0077);
}

/* What is opened later, and what is passed to processes, is never one of them. */
static void open_standard_files(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* perf events and segments are many on a big machine. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static void terminate(evutil_socket_t number, short what, void *user)
{
	struct daemon *daemon = &((struct program *)user)->daemon;
	struct worker *worker, *next;

	(void)what;
	if (daemon->stopping) {
		log_message(LOG_WARNING, "second signal: not waiting for sessions");
		event_base_loopbreak(daemon->base);
		return;
	}
	log_message(LOG_INFO, "%s: stopping", number == SIGINT ? "SIGINT" : "SIGTERM");
	notify_send("STOPPING=1");
	daemon->stopping = true;
	companions_stop(daemon);
	daemon_idle(daemon);
	for (worker = LIST_FIRST(&daemon->workers); worker; worker = next) {
		next = worker_next(worker);
		worker_discard(worker);
		worker_stop(worker);
	}
}

/* What a companion records would otherwise change the text of the session that it is for. */
static void hold(const struct daemon *daemon)
{
	struct rvtrace_failure error;
	static bool held;

	if (held || !daemon->config.companions)
		return;
	held = true;
	if (hold_text(&error))
		log_message(LOG_NOTICE, "%s", error.text);
}

static void reload(evutil_socket_t number, short what, void *user)
{
	struct program *program = user;
	struct config config;

	(void)number;
	(void)what;
	notify_reloading();
	if (load_config(program, &config)) {
		log_message(LOG_ERR, "the configuration stays as it was");
	} else {
		program->daemon.config = config;
		daemon_set_priority(&config);
		set_mask(&config);
		hold(&program->daemon);
		members_load(config.group, true);
		log_message(LOG_INFO, "configuration loaded; sessions keep what they started with");
	}
	notify_send("READY=1");
}

static void child(evutil_socket_t number, short what, void *user)
{
	struct program *program = user;

	(void)number;
	(void)what;
	worker_reap(&program->daemon);
	control_reap(program->daemon.control);
}

static void watchdog(evutil_socket_t fd, short what, void *user)
{
	(void)fd;
	(void)what;
	(void)user;
	notify_send("WATCHDOG=1");
}

static int add_events(struct program *program)
{
	struct event_base *base = program->daemon.base;
	uint64_t period = notify_watchdog() / 2;
	struct timeval interval = {
		.tv_sec = period / 1000000,
		.tv_usec = period % 1000000,
	};

	program->terminate = evsignal_new(base, SIGTERM, terminate, program);
	program->interrupt = evsignal_new(base, SIGINT, terminate, program);
	program->hangup = evsignal_new(base, SIGHUP, reload, program);
	program->child = evsignal_new(base, SIGCHLD, child, program);
	program->watchdog = event_new(base, -1, EV_PERSIST, watchdog, program);
	if (!program->terminate || !program->interrupt || !program->hangup ||
	    !program->child || !program->watchdog || evsignal_add(program->child, NULL) ||
	    evsignal_add(program->terminate, NULL) ||
	    evsignal_add(program->interrupt, NULL) || evsignal_add(program->hangup, NULL) ||
	    (period && event_add(program->watchdog, &interval))) {
		log_message(LOG_ERR, "cannot set up the event loop");
		return -1;
	}
	return 0;
}

static void free_events(struct program *program)
{
	struct event *const events[] = {
		program->terminate, program->interrupt, program->hangup, program->child,
		program->watchdog,
	};
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (events[i])
			event_free(events[i]);
}

static int set_up(struct program *program)
{
	struct daemon *daemon = &program->daemon;
	const char *path = *program->options.socket ? program->options.socket :
						      RVTRACE_CONTROL_SOCKET;
	char error[512];

	snprintf(daemon->run_directory, sizeof(daemon->run_directory), "%s", path);
	*strrchr(daemon->run_directory, '/') = 0;
	daemon->base = event_base_new();
	if (!daemon->base) {
		log_message(LOG_ERR, "cannot set up the event loop");
		return -1;
	}
	if (add_events(program))
		return -1;
	/* Who waits for the socket begins no session before that. */
	hold(daemon);
	daemon->sinks = sinks_new(daemon->base, error, sizeof(error));
	if (!daemon->sinks || control_open(daemon, path, request_handle, error, sizeof(error))) {
		log_message(LOG_ERR, "%s", error);
		return -1;
	}
	return 0;
}

static void sink_changed(void *user, const char *sink)
{
	companion_check(user, sink, false);
}

/* Sessions of a daemon that died, then those of others. */
static void take_over(struct daemon *daemon)
{
	const struct sink *sink;

	state_each(daemon, worker_resume);
	LIST_FOREACH(sink, sinks_list(daemon->sinks), entry)
		companion_check(daemon, sink->name, true);
	sinks_watch(daemon->sinks, sink_changed, daemon);
}

static void tear_down(struct program *program)
{
	struct daemon *daemon = &program->daemon;
	struct control *control = daemon->control;

	worker_free_all(daemon);
	companions_free(daemon);
	daemon->control = NULL;
	daemon->clients = NULL;
	control_free(control);
	sinks_free(daemon->sinks);
	free_events(program);
	if (daemon->base)
		event_base_free(daemon->base);
	libevent_global_shutdown();
}

/* The socket is there before the parent returns, so a client may connect. */
static int go_to_background(struct program *program)
{
	if (program->options.foreground)
		return 0;
	if (daemon(0, 0) || event_reinit(program->daemon.base)) {
		log_message(LOG_ERR, "going to the background: %s", strerror(errno));
		return -1;
	}
	log_to_syslog();
	return 0;
}

/* The processes that it begins are those of the background. */
static int serve(struct program *program)
{
	program->daemon.pid = getpid();
	if (!control_serve(program->daemon.control))
		return 0;
	log_message(LOG_ERR, "cannot serve clients: %s", strerror(errno));
	return -1;
}

int main(int argc, char **argv)
{
	struct program program = { 0 };
	struct timespec now;
	int status = STATUS_FAILED;

	open_standard_files();
	if (argc == 6 && !strcmp(argv[1], SAVER_OPTION))
		return saver_main(argv + 2);
	argp_err_exit_status = STATUS_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &program.options);
	log_open(program.options.verbosity);
	LIST_INIT(&program.daemon.workers);
	LIST_INIT(&program.daemon.dying);
	LIST_INIT(&program.daemon.remains);
	LIST_INIT(&program.daemon.companions);
	clock_gettime(CLOCK_MONOTONIC, &now);
	program.daemon.started = now.tv_sec;
	signal(SIGPIPE, SIG_IGN);
	if (load_config(&program, &program.daemon.config))
		return STATUS_USAGE;
	raise_file_limit();
	set_mask(&program.daemon.config);
	daemon_set_priority(&program.daemon.config);
	if (!set_up(&program) && !go_to_background(&program) && !serve(&program)) {
		take_over(&program.daemon);
		notify_send("READY=1");
		log_message(LOG_INFO, "ready");
		event_base_dispatch(program.daemon.base);
		status = 0;
	}
	tear_down(&program);
	return status;
}
