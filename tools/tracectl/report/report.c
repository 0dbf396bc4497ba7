// SPDX-License-Identifier: GPL-2.0
/* tracectl report: the recorded command at a glance. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/tracectl/parse.h"
#include "page.h"
#include "report_options.h"

#define MAX_JOBS	256

enum {
	OPTION_ALL = 0x8000, OPTION_IMAGE_PATH, OPTION_FUNCTION, OPTION_SORT, OPTION_THREAD,
	OPTION_PID, OPTION_TIME, OPTION_HTML,
};

struct report_options report_options;

static const struct argp_option options[] = {
	{ "all", OPTION_ALL, NULL, 0,
	  "Show every process, not only the command: also rvtraced, udev and the kernel's threads", 0 },
	{ "image-path", OPTION_IMAGE_PATH, "DIR", 0,
	  "Search DIR for program files that the recording lacks "
	  "(/ if this machine made the recording since it was booted)",
	  0 },
	{ "function", OPTION_FUNCTION, "GLOB", 0,
	  "Show what functions of this name called, and the slowest call; * and ? are wildcards", 0 },
	{ "sort", OPTION_SORT, "self|cpu|total|calls|worst|instructions", 0,
	  "Order of functions (self)", 0 },
	{ "pid", OPTION_PID, "LIST", 0, "Only these processes, by number", 0 },
	{ "thread", OPTION_THREAD, "LIST", 0, "Only these threads, by number", 0 },
	{ "time", OPTION_TIME, "A-B", 0,
	  "Only from A to B, each a time as listings print it, or a part of the recording as 10%",
	  0 },
	{ "html", OPTION_HTML, "FILE", 0,
	  "Write a page that shows every call to FILE, for a browser", 0 },
	{ "jobs", 'j', "N", OPTION_HIDDEN, "No effect: one thread follows calls", 0 },
	{ },
};

static const struct option_value sorts[] = {
	{ "self", REPORT_SORT_SELF }, { "cpu", REPORT_SORT_CPU }, { "total", REPORT_SORT_TOTAL },
	{ "calls", REPORT_SORT_CALLS }, { "worst", REPORT_SORT_WORST },
	{ "instructions", REPORT_SORT_INSTRUCTIONS }, { },
};

/* The page has everything: it cannot be had otherwise. */
static void check_page(struct argp_state *state, const struct decode *d, bool sorted)
{
	if (d->view != &page_view)
		return;
	if (report_options.function || sorted || global.json)
		argp_error(state, "--html does not go with --%s", report_options.function ?
			   "function" : sorted ? "sort" : "json");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct decode *d = state->input;
	static bool sorted;

	switch (key) {
	case OPTION_ALL:
		report_options.scene.all = true;
		return 0;
	case OPTION_FUNCTION:
		report_options.function = arg;
		return 0;
	case OPTION_SORT:
		report_options.sort = option_choice(state, "sort", sorts, arg);
		sorted = true;
		return 0;
	case OPTION_PID:
		filter_add_processes(state, &d->input.filter, arg);
		return 0;
	case OPTION_THREAD:
		filter_add_threads(state, &d->input.filter, arg);
		return 0;
	case OPTION_TIME:
		filter_set_window(state, &d->input.filter, arg);
		return 0;
	case OPTION_HTML:
		d->output = OUTPUT_VIEW;
		d->view = &page_view;
		d->view_data = NULL;
		d->out.name = strcmp(arg, "-") ? arg : NULL;
		return 0;
	case OPTION_IMAGE_PATH:
		decode_add_path(d, arg);
		return 0;
	case 'j':
		d->jobs = option_number(state, "jobs", arg, 1, MAX_JOBS);
		return 0;
	case ARGP_KEY_END:
		check_page(state, d, sorted);
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

/*
 * The command alone, if there is one; else all but what recording itself takes. Who asks for some
 * processes or threads wants these.
 */
static void choose(const struct decode *d)
{
	const struct decode_filter *filter = &d->input.filter;
	struct report_scene *scene = &report_options.scene;
	bool command;

	scene->all |= filter->process_count || filter->thread_count;
	command = !scene->all && report_command(d->input.recording) &&
		  knows_command(d->input.spaces);
	for (int class = 0; class < REPORT_CLASSES; class++)
		scene->shows[class] = scene->all || (!command && class != REPORT_UDEV &&
						     class != REPORT_RECORDER);
	scene->shows[REPORT_COMMAND] = true;
}

int report_prepare(struct decode *d, struct rvtrace_failure *error)
{
	int ret;

	if (!report_options.scene.spaces) {
		ret = report_scene_load(&report_options.scene, d->input.recording, d->input.spaces, error);
		if (ret)
			return ret;
		choose(d);
	}
	report_options.calls.scene = &report_options.scene;
	report_options.scene.filter = &d->input.filter;
	if (report_options.function) {
		report_options.calls.tree = report_tree_new(report_options.function);
		if (!report_options.calls.tree)
			return -ENOMEM;
	}
	d->report = report_new(&report_options.scene);
	return d->report ? 0 : -ENOMEM;
}

/* Records that are missing are losses, too, but of no trace. */
static int status_with_records(int status)
{
	return status == EXIT_OK && (report_options.scene.gaps || report_options.scene.records_lost) ? EXIT_LOST : status;
}

int verb_report(int argc, char **argv)
{
	static const struct argp_child children[] = GLOBAL_CHILDREN;
	static const struct argp argp = {
		.options = options, .parser = parse_option, .children = children,
		.args_doc = "DIRECTORY",
		.doc = "Show how long each process and thread of the recorded command ran, and what took the "
		       "time: functions, system calls, interrupts.\v"
		       "Without a recorded command, all processes except rvtraced and udev are shown.",
	};
	struct decode *d = decode_new();
	int status;

	if (!d) {
		error_text("out of memory");
		return EXIT_FAILED;
	}
	d->output = OUTPUT_REPORT;
	d->view = &report_view;
	d->view_data = &report_options.calls;
	global.color &= isatty(STDOUT_FILENO);
	parse_options(&argp, argc, argv, 0, NULL, d);
	d->input.object = d->input.directory;
	status = status_with_records(decode_run(d));
	report_scene_free(&report_options.scene);
	return status;
}
