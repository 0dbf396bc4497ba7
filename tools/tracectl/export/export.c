// SPDX-License-Identifier: GPL-2.0
/* tracectl export: calls of a recording for the viewers that people have. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export.h"

enum { OPTION_FORMAT = 0x9000, OPTION_BY, OPTION_IMAGE_PATH };

static const struct argp_option options[] = {
	{ "format", OPTION_FORMAT, "perfetto|folded|speedscope|sqlite", 0,
	  "Write a trace for ui.perfetto.dev; or stacks for flame graph tools; or a profile for speedscope.app; or a database",
	  0 },
	{ "file", 'o', "FILE", 0, "Write to FILE; -: to standard output", 0 },
	{ "by", OPTION_BY, "instructions|time|calls", 0,
	  "What folded stacks count: instructions (default), ns or calls of the innermost function",
	  0 },
	{ "image-path", OPTION_IMAGE_PATH, "DIR", 0,
	  "Search DIR for program files that the recording lacks "
	  "(/ if this machine made the recording since it was booted)",
	  0 },
	{ },
};

static const struct export_format *const formats[] = {
	&export_perfetto, &export_folded, &export_speedscope, &export_sqlite,
};

static const struct option_value format_names[] = {
	{ "perfetto", 0 }, { "folded", 1 }, { "speedscope", 2 }, { "sqlite", 3 }, { },
};

static const struct option_value weights[] = {
	{ "instructions", EXPORT_BY_INSTRUCTIONS }, { "time", EXPORT_BY_TIME },
	{ "calls", EXPORT_BY_CALLS }, { },
};

/**
 * struct arguments - of the verb
 * @decode: the run
 * @export: what is written
 * @has_weight: --by was given
 * @has_file: -o was given
 */
struct arguments {
	struct decode *decode;
	struct export export;
	bool has_weight;
	bool has_file;
};

static void check(struct argp_state *state, const struct arguments *arguments)
{
	const struct export_format *format = arguments->export.format;

	if (!format)
		argp_error(state,
			   "no format given: --format perfetto, folded, speedscope or sqlite");
	if (!arguments->has_file)
		argp_error(state, "no file given: -o FILE, or -o - for standard output");
	if (format->binary && !arguments->decode->out.name && isatty(STDOUT_FILENO))
		argp_error(state, "--format %s is not for a terminal: -o FILE", format->name);
	if (arguments->has_weight && format != &export_folded)
		argp_error(state, "--by applies to --format folded only");
	if (filter_has_code(&arguments->decode->input.filter))
		argp_error(state,
			   "--symbol and --address do not apply to export: stacks would lack frames");
	if (global.json)
		argp_error(state, "--json is not a format of export: --format speedscope is JSON");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case OPTION_FORMAT:
		arguments->export.format = formats[option_choice(state, "format", format_names,
								 arg)];
		return 0;
	case OPTION_BY:
		arguments->has_weight = true;
		arguments->export.weight = option_choice(state, "by", weights, arg);
		return 0;
	case OPTION_IMAGE_PATH:
		decode_add_path(arguments->decode, arg);
		return 0;
	case 'o':
		arguments->has_file = true;
		arguments->decode->out.name = strcmp(arg, "-") ? arg : NULL;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[1] = &arguments->decode->input.filter;
		return 0;
	case ARGP_KEY_END:
		check(state, arguments);
		return 0;
	default:
		return parse_recording(key, arg, state, &arguments->decode->input.directory);
	}
}

int verb_export(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ .argp = &global_argp }, { .argp = &filter_argp }, { },
	};
	static const struct argp argp = {
		.options = options, .parser = parse_option, .children = children,
		.args_doc = "DIRECTORY",
		.doc = "Write the calls of a recording in the format of another program.\v"
		       "A timeline: tracectl export --format perfetto -o trace.perfetto-trace DIRECTORY\n"
		       "A flame graph: tracectl export --format folded -o - DIRECTORY | flamegraph.pl",
	};
	struct arguments arguments = { .decode = decode_new() };
	struct decode *d = arguments.decode;

	if (!d) {
		error_text("out of memory");
		return EXIT_FAILED;
	}
	parse_options(&argp, argc, argv, 0, NULL, &arguments);
	arguments.export.out = &d->out;
	d->output = OUTPUT_VIEW;
	d->view = &export_view;
	d->view_data = &arguments.export;
	d->input.object = d->input.directory;
	return decode_run(d);
}
