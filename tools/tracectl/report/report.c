// SPDX-License-Identifier: GPL-2.0
/* tracectl report: the recorded command at a glance. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/tracectl/parse.h"
#include "report.h"

#define MAX_JOBS	256

enum { OPTION_ALL = 0x8000, OPTION_IMAGE_PATH };

static struct report_scene scene;

static const struct argp_option options[] = {
	{ "all", OPTION_ALL, NULL, 0,
	  "Show every process, not only the command: also rvtraced, udev and the kernel's threads", 0 },
	{ "image-path", OPTION_IMAGE_PATH, "DIR", 0,
	  "Search DIR for program files that the recording lacks "
	  "(/ if this machine made the recording since it was booted)",
	  0 },
	{ "jobs", 'j', "N", 0, "Decode with N threads (one for each processor)", 0 },
	{ },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct decode *d = state->input;

	switch (key) {
	case OPTION_ALL:
		scene.all = true;
		return 0;
	case OPTION_IMAGE_PATH:
		decode_add_path(d, arg);
		return 0;
	case 'j':
		d->jobs = option_number(state, "jobs", arg, 1, MAX_JOBS);
		return 0;
	default:
		return parse_recording(key, arg, state, &d->input.directory);
	}
}

struct json_object *report_command(const struct rvtrace_recording *recording)
{
	struct json_object *command = NULL;

	json_object_object_get_ex(rvtrace_recording_metadata(recording), "command", &command);
	return json_object_is_type(command, json_type_array) ? command : NULL;
}

static bool knows_command(const struct rvtrace_spaces *spaces)
{
	const struct rvtrace_space *space;

	for (size_t i = 0; (space = rvtrace_spaces_get(spaces, i)); i++)
		if (space->role == RVTRACE_SPACE_COMMAND)
			return true;
	return false;
}

/* The command alone, if there is one; else all but what recording itself takes. */
static void choose(const struct decode *d)
{
	bool command = !scene.all && report_command(d->input.recording) &&
		       knows_command(d->input.spaces);

	for (int class = 0; class < REPORT_CLASSES; class++)
		scene.shows[class] = scene.all || (!command && class != REPORT_UDEV &&
						   class != REPORT_RECORDER);
	scene.shows[REPORT_COMMAND] = true;
}

int report_prepare(struct decode *d, struct rvtrace_failure *error)
{
	int ret;

	if (!scene.spaces) {
		ret = report_scene_load(&scene, d->input.recording, d->input.spaces, error);
		if (ret)
			return ret;
		choose(d);
	}
	d->report = report_new(&scene);
	return d->report ? 0 : -ENOMEM;
}

/* Records that are missing are losses, too, but of no trace. */
static int status_with_records(int status)
{
	return status == EXIT_OK && (scene.gaps || scene.records_lost) ? EXIT_LOST : status;
}

int verb_report(int argc, char **argv)
{
	static const struct argp_child children[] = GLOBAL_CHILDREN;
	static const struct argp argp = {
		.options = options, .parser = parse_option, .children = children,
		.args_doc = "DIRECTORY",
		.doc = "Show how long each process and thread of the recorded command ran, and which "
		       "functions executed most instructions.\v"
		       "Without a recorded command, all processes except rvtraced and udev are shown.",
	};
	struct decode *d = decode_new();
	int status;

	if (!d) {
		error_text("out of memory");
		return EXIT_FAILED;
	}
	d->output = OUTPUT_REPORT;
	parse_options(&argp, argc, argv, 0, NULL, d);
	d->input.object = d->input.directory;
	status = status_with_records(decode_run(d));
	report_scene_free(&scene);
	return status;
}
