// SPDX-License-Identifier: GPL-2.0
/* tracectl record: trace a command to disk. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/lib/recording/recorder.h"
#include "tools/tracectl/hardware/settings.h"
#include "tools/tracectl/parse.h"
#include "tools/tracectl/tracectl.h"
#include "child.h"
#include "images.h"
#include "mark.h"
#include "record_daemon.h"

#define MAX_IMAGES	16

struct record {
	struct settings settings;
	const char *directory;
	const char *sink;
	const char *socket;
	uint64_t duration;	/* ns, 0: as long as the command runs */
	uint64_t max_size;
	struct image_option images[MAX_IMAGES];
	unsigned int image_count;
	uint64_t mtvec;		/* of them, 0: not given */
	enum copy_images copy;
	bool mark;
	bool save_images;
	bool no_sideband;
	char **command;		/* NULL: until interrupted */
};

enum {
	OPTION_DURATION = 0x3000, OPTION_MAX_SIZE, OPTION_IMAGE, OPTION_COPY, OPTION_SAVE,
	OPTION_MARK, OPTION_SINK, OPTION_SOCKET, OPTION_NO_SIDEBAND, OPTION_MTVEC,
};

static const struct argp_option options[] = {
	{ "output", 'o', "DIR", 0, "Directory of the recording (rvtrace-DATE-TIME)", 0 },
	{ "sink", OPTION_SINK, "SINK", 0, "Sink to record (the only one)", 0 },
	{ "duration", OPTION_DURATION, "TIME", 0, "Trace for at most this long", 0 },
	{ "max-size", OPTION_MAX_SIZE, "SIZE", 0,
	  "Stop tracing once this many bytes were written", 0 },
	{ "image", OPTION_IMAGE, "FILE@ADDRESS", 0, "Firmware, kept with the recording", 0 },
	{ "mtvec", OPTION_MTVEC, "ADDRESS", 0,
	  "mtvec of the firmware of --image, for E-Trace with implicit exceptions", 0 },
	{ "copy-images", OPTION_COPY, "all|command|none", 0,
	  "Whose program files to keep (command)", 0 },
	{ "save-images", OPTION_SAVE, NULL, 0,
	  "Keep code that is in no file: of deleted files, memfd, compiled at run time", 0 },
	{ "mark", OPTION_MARK, NULL, 0,
	  "Execute a marker instruction on each CPU before and after the command", 0 },
	{ "no-sideband", OPTION_NO_SIDEBAND, NULL, 0,
	  "Do not record which files processes map", 0 },
	{ "socket", OPTION_SOCKET, "PATH", 0, "Control socket of rvtraced", 0 },
	{ },
};

static const struct option_value copies[] = {
	{ "all", COPY_ALL }, { "command", COPY_COMMAND }, { "none", COPY_NONE }, { },
};

static void parse_image(struct argp_state *state, struct record *r, char *arg)
{
	struct image_option image = option_image(state, arg);

	if (!image.has_address)
		argp_error(state, "--image: %s is not FILE@ADDRESS", arg);
	if (r->image_count == MAX_IMAGES)
		argp_error(state, "--image: more than %d", MAX_IMAGES);
	r->images[r->image_count++] = image;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct record *r = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &r->settings;
		return 0;
	case 'o':
		r->directory = arg;
		return 0;
	case OPTION_SINK:
		r->sink = arg;
		return 0;
	case OPTION_DURATION:
		r->duration = option_duration(state, "duration", arg);
		return 0;
	case OPTION_MAX_SIZE:
		r->max_size = option_size(state, "max-size", arg);
		return 0;
	case OPTION_IMAGE:
		parse_image(state, r, arg);
		return 0;
	case OPTION_MTVEC:
		if (parse_number(arg, &r->mtvec) || !r->mtvec)
			argp_error(state, "--mtvec: %s is not an address", arg);
		return 0;
	case OPTION_COPY:
		r->copy = option_choice(state, "copy-images", copies, arg);
		return 0;
	case OPTION_SAVE:
		r->save_images = true;
		return 0;
	case OPTION_MARK:
		r->mark = true;
		return 0;
	case OPTION_NO_SIDEBAND:
		r->no_sideband = true;
		return 0;
	case OPTION_SOCKET:
		r->socket = arg;
		return 0;
	case ARGP_KEY_ARG:
		r->command = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* A recording under way. */
struct session {
	const struct record *options;
	struct rvtrace_client *client;
	struct images *images;
	struct child child;
	char directory[4096];
	char *sink;
	bool opened;
	bool started;
	size_t errors;		/* that ended it, or left it incomplete */
	uint64_t bytes;
	uint64_t lost;
};

static bool daemon_gone(int ret)
{
	return ret == -EPIPE || ret == -ECONNRESET;
}

/*
 * Says what rvtraced answered, or that it cannot answer any more. Returns 0 when
 * another daemon goes on with the session: ask that one.
 */
static int daemon_failed(struct session *s, int ret)
{
	if (s->opened && ret == -ETIMEDOUT) {
		s->opened = false;
		s->started = false;
		record_stop_alone(s->sink);
		error_text("rvtraced does not answer: what it has written is in %s", s->directory);
		return ret;
	}
	if (!s->opened || !daemon_gone(ret)) {
		error_text("%s", rvtrace_client_error(s->client));
		return ret;
	}
	if (s->started &&
	    !record_reconnect(s->options->socket, s->sink, s->directory, &s->client))
		return 0;
	s->opened = false;
	s->started = false;
	record_stop_alone(s->sink);
	error_text("rvtraced ended: tracing was stopped, what it had written is in %s",
		   s->directory);
	return -EPIPE;
}

static void choose_directory(struct session *s)
{
	time_t now = time(NULL);
	struct tm tm;

	if (s->options->directory) {
		snprintf(s->directory, sizeof(s->directory), "%s", s->options->directory);
		return;
	}
	localtime_r(&now, &tm);
	strftime(s->directory, sizeof(s->directory), "rvtrace-%Y%m%d-%H%M%S", &tm);
}

static const char *string_member(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, name, &value);
	return value ? json_object_get_string(value) : "";
}

static void show_warnings(struct json_object *reply)
{
	struct json_object *warnings;
	size_t i;

	if (!json_object_object_get_ex(reply, "warnings", &warnings) ||
	    !json_object_is_type(warnings, json_type_array))
		return;
	for (i = 0; i < json_object_array_length(warnings); i++)
		warn_text("%s", json_object_get_string(json_object_array_get_idx(warnings, i)));
}

/* The named one, or the only one; which one else is for rvtraced to say. */
static const struct rvtrace_device *the_sink(const struct rvtrace_devices *devices,
					     const char *name)
{
	const struct rvtrace_device *sink = NULL;

	for (size_t i = 0; i < devices->count; i++) {
		const struct rvtrace_device *device = &devices->items[i];

		if (device->kind != RVTRACE_DEVICE_SINK || (name && strcmp(device->name, name)))
			continue;
		if (sink)
			return NULL;
		sink = device;
	}
	return sink;
}

/* Makes the directory of the recording, which is removed again if there will be none. */
static int open_with_directory(struct session *s, struct rvtrace_client_settings *settings,
			       struct json_object **reply)
{
	bool made = access(s->directory, F_OK) != 0;
	struct rvtrace_failure error;
	struct progress progress;
	int ret;

	settings->directory = s->directory;
	settings->directory_fd = rvtrace_recording_directory(s->directory, &error);
	if (settings->directory_fd < 0) {
		error_text("%s", error.text);
		return settings->directory_fd;
	}
	progress_start(&progress, NULL, false);
	record_doing(&progress, "rvtraced saves the code of the kernel and what processes map");
	ret = rvtrace_client_open(s->client, settings, reply);
	record_doing(NULL, NULL);
	close(settings->directory_fd);
	/* Only while it is empty. */
	if (ret && made)
		rmdir(s->directory);
	return ret ? daemon_failed(s, ret) : 0;
}

static int open_session(struct session *s)
{
	const struct record *r = s->options;
	struct rvtrace_client_settings settings = {
		.size = sizeof(settings),
		.sink = r->sink, .command = r->command,
		.mode = r->settings.sink_mode, .buffer_size = r->settings.buffer_size,
		.max_size = r->max_size, .pid = s->child.pid,
		.save_images = r->save_images, .no_sideband = r->no_sideband,
	};
	struct rvtrace_failure error;
	struct rvtrace_devices devices;
	struct json_object *reply;
	int ret;

	ret = rvtrace_devices_scan("", &devices, &error);
	if (ret) {
		error_text("%s", error.text);
		return ret;
	}
	ret = settings_check(&r->settings, &devices, the_sink(&devices, r->sink));
	if (!ret)
		settings.attributes = settings_attributes(&r->settings, &devices);
	rvtrace_devices_free(&devices);
	if (ret)
		return ret;
	ret = record_connect(r->socket, &s->client);
	if (ret) {
		json_object_put(settings.attributes);
		daemon_failed(s, ret);
		return ret == -ENOENT ? -ECONNREFUSED : ret;
	}
	ret = open_with_directory(s, &settings, &reply);
	json_object_put(settings.attributes);
	if (ret)
		return ret;
	s->opened = true;
	s->sink = strdup(string_member(reply, "sink"));
	show_warnings(reply);
	json_object_put(reply);
	return s->sink ? 0 : -ENOMEM;
}

static int save_firmware(struct session *s)
{
	const struct record *r = s->options;
	unsigned int i;
	int ret = 0;

	s->images = images_new(s->directory);
	if (!s->images)
		return -EIO;
	for (i = 0; i < r->image_count && !ret; i++)
		ret = images_save_firmware(s->images, r->images[i].path, r->images[i].address,
					   r->mtvec);
	return ret;
}

static uint64_t member(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, name, &value);
	return json_object_get_int64(value);
}

/* Errors of the session that were not shown yet, when they come or at its end. */
static void show_errors(struct session *s, struct json_object *reply)
{
	struct json_object *errors;

	if (!json_object_object_get_ex(reply, "errors", &errors) ||
	    !json_object_is_type(errors, json_type_array))
		return;
	for (; s->errors < json_object_array_length(errors); s->errors++)
		error_text("%s", json_object_get_string(json_object_array_get_idx(errors,
										  s->errors)));
}

/* Asks the daemon how far it is, and so finds out when it is gone. */
static int show_progress(struct session *s, struct progress *progress)
{
	struct json_object *reply = NULL, *sinks, *sink;
	int ret = rvtrace_client_status(s->client, s->sink, &reply);

	/* Of a sink that vanished the answer to the stop will tell. */
	if (ret && !daemon_gone(ret) && ret != -ETIMEDOUT)
		return 0;
	if (ret) {
		progress_end(progress);
		return daemon_failed(s, ret);
	}
	if (json_object_object_get_ex(reply, "sinks", &sinks) &&
	    json_object_is_type(sinks, json_type_array) &&
	    (sink = json_object_array_get_idx(sinks, 0))) {
		show_errors(s, sink);
		progress_show(progress, s->options->duration ? now_ns() - progress->start : 0,
			      s->options->duration, "recording: %.1f s, %.1f MB, %llu bytes lost",
			      (now_ns() - progress->start) / 1e9, member(sink, "bytes") / 1e6,
			      (unsigned long long)member(sink, "lost"));
	}
	json_object_put(reply);
	return 0;
}

static int mark(struct session *s, bool begin)
{
	int ret = s->options->mark ? mark_cpus(begin) : 0;

	if (ret < 0)
		error_text("--mark: %s", strerror(-ret));
	return ret < 0 ? ret : 0;
}

static int stop_session(struct session *s)
{
	struct json_object *reply = NULL;
	struct progress progress;
	int ret;

	if (!s->started)
		return 0;
	progress_start(&progress, NULL, false);
	record_doing(&progress, "rvtraced completes the recording");
	do {
		ret = rvtrace_client_stop(s->client, s->sink, &reply);
	} while (ret && !daemon_failed(s, ret));
	record_doing(NULL, NULL);
	if (ret)
		return ret;
	s->started = false;
	s->bytes = member(reply, "bytes");
	s->lost = member(reply, "lost");
	if (member(reply, "text_changes"))
		info_text("kernel text changed in %llu places while tracing",
			  (unsigned long long)member(reply, "text_changes"));
	show_errors(s, reply);
	json_object_put(reply);
	return 0;
}

/* Waits for the command, for the end of --duration, for a signal. */
static int run(struct session *s)
{
	const struct rvtrace_client_settings settings = {
		.size = sizeof(settings), .sink = s->sink,
	};
	const struct record *r = s->options;
	struct progress progress;
	uint64_t end;
	int ret;

	ret = rvtrace_client_start(s->client, &settings, NULL);
	if (ret)
		return daemon_failed(s, ret);
	s->started = true;
	progress_start(&progress, NULL, false);
	/* the command has the terminal */
	progress.wanted &= !r->command;
	end = r->duration ? progress.start + r->duration : UINT64_MAX;
	ret = mark(s, true);
	if (!ret && r->command)
		ret = child_go(&s->child);
	while (!ret && child_wait(&s->child, end < now_ns() + 1000000000ULL ?
				  end : now_ns() + 1000000000ULL) == CHILD_TIMEOUT &&
	       now_ns() < end)
		ret = show_progress(s, &progress);
	progress_end(&progress);
	if (!ret)
		ret = mark(s, false);
	return ret;
}

static int finish(struct session *s)
{
	int ret;

	ret = stop_session(s);
	if (s->errors && s->images)
		images_hush(s->images);
	if (!ret && s->images)
		ret = images_copy_files(s->images, s->options->copy);
	if (!ret && s->images)
		ret = images_finish(s->images);
	return ret;
}

/* Done, and a person looks on. */
static void hint(const struct session *s)
{
	char name[sizeof(s->directory)];

	if (isatty(STDERR_FILENO))
		info_text("tracectl report %s shows which threads ran, and where",
			  printable(s->directory, name, sizeof(name)));
}

static int record(struct session *s)
{
	int ret, finished;

	ret = open_session(s);
	if (!ret)
		ret = save_firmware(s);
	if (!ret) {
		ret = run(s);
		finished = finish(s);
		ret = ret ? ret : finished;
	}
	if (s->opened && rvtrace_client_close(s->client, s->options->sink, NULL) && !ret)
		ret = daemon_failed(s, -EIO);
	return ret;
}

int verb_record(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ .argp = &settings_argp }, { .argp = &global_argp }, { },
	};
	static const struct argp argp = {
		.options = options, .parser = parse_option, .children = children,
		.args_doc = "[--] [COMMAND [ARGUMENT...]]",
		.doc = "Trace a command, and everything else that runs until it ends, to disk.\v"
		       "Without COMMAND, trace until interrupted or for --duration.",
	};
	struct record r = { .copy = COPY_COMMAND };
	struct session s = { .options = &r };
	int ret, status;

	settings_init(&r.settings);
	parse_options(&argp, argc, argv, ARGP_IN_ORDER, NULL, &r);
	choose_directory(&s);
	ret = child_prepare(&s.child, r.command);
	if (!ret)
		ret = record(&s);
	status = child_end(&s.child);
	if (!ret) {
		info_text("%s: %llu bytes of trace, %llu lost", s.directory,
			  (unsigned long long)s.bytes, (unsigned long long)s.lost);
		hint(&s);
	}
	images_free(s.images);
	rvtrace_client_free(s.client);
	settings_free(&r.settings);
	free(s.sink);
	if (status)
		return status;
	if (ret)
		return status_of(ret);
	if (s.errors)
		return EXIT_FAILED;
	return s.lost ? EXIT_LOST : EXIT_OK;
}
