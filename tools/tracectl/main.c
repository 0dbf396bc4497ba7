// SPDX-License-Identifier: GPL-2.0
/* tracectl: control, record and decode hardware trace. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suggest.h"
#include "tracectl.h"

const char *argp_program_version = "tracectl 0.1";
error_t argp_err_exit_status = EXIT_USAGE;

struct global_options global = { .color = true, .escapes = true };

static int verb_help(int argc, char **argv);

static const struct verb {
	const char *name;
	verb_fn run;
	const char *what;
} verbs[] = {
	{ "list", verb_list, "list components, their connections and what they support" },
	{ "discover", verb_discover, "show what the hardware supports" },
	{ "registers", verb_registers, "show the registers, for root" },
	{ "reset", verb_reset, "reset settings to what the driver chose" },
	{ "status", verb_status, "show the state of every sink and encoder" },
	{ "start", verb_start, "start tracing into a sink" },
	{ "stop", verb_stop, "stop tracing into a sink" },
	{ "enable", verb_enable, "start tracing of single encoders" },
	{ "disable", verb_disable, "stop tracing of single encoders" },
	{ "flush", verb_flush, "drain what the hardware still holds, continue tracing" },
	{ "filter", verb_filter, "choose which code is traced" },
	{ "trigger", verb_trigger, "set which external triggers start and stop trace" },
	{ "record", verb_record, "trace a command to disk" },
	{ "report", verb_report, "show a recorded command at a glance: threads, hottest functions" },
	{ "export", verb_export, "write calls for Perfetto, speedscope, flame graphs, SQLite" },
	{ "decode", verb_decode, "show what executed, from a trace of any format" },
	{ "events", verb_events, "show software trace events" },
	{ "threads", verb_threads, "show which thread ran how long, and where" },
	{ "encode", verb_encode, "make trace from a list of executed addresses" },
	{ "recover", verb_recover, "repair a recording that was cut, or check one" },
	{ "unwrap", verb_unwrap, "extract trace from pin samples or CoreSight frames" },
	{ "help", verb_help, "list the options of a verb, or the verbs" },
};

#define VERBS	(sizeof(verbs) / sizeof(verbs[0]))

enum { OPTION_JSON = 0x1000, OPTION_NO_COLOR };

static error_t parse_global(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	(void)state;
	switch (key) {
	case OPTION_JSON:
		global.json = true;
		return 0;
	case OPTION_NO_COLOR:
		global.color = global.escapes = false;
		return 0;
	case 'q':
		global.quiet = true;
		return 0;
	case 'v':
		global.verbose++;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option global_options[] = {
	{ "json", OPTION_JSON, NULL, 0, "Print JSON", -2 },
	{ "quiet", 'q', NULL, 0, "Print only errors and warnings on standard error", -2 },
	{ "verbose", 'v', NULL, 0, "Print details", -2 },
	{ "no-color", OPTION_NO_COLOR, NULL, 0, "No colors", -2 },
	{ },
};

const struct argp global_argp = { .options = global_options, .parser = parse_global };

static error_t parse_verb(int key, char *arg, struct argp_state *state)
{
	int *index = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		(void)arg;
		*index = state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no verb given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static char *list_verbs(int key, const char *text, void *input)
{
	size_t i, used = 0, size = 4096;
	char *out;

	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	out = malloc(size);
	if (!out)
		return NULL;
	used += snprintf(out, size, "Verbs:\n");
	for (i = 0; i < VERBS; i++)
		used += snprintf(out + used, size - used, "  %-9s %s\n", verbs[i].name,
				 verbs[i].what);
	snprintf(out + used, size - used, "\ntracectl VERB --help lists its options.");
	return out;
}

static int unknown_verb(const char *verb)
{
	struct suggestion s = suggest(verb, strlen(verb));
	char meant[SUGGESTION_TEXT];

	for (size_t i = 0; i < VERBS; i++)
		suggest_name(&s, verbs[i].name);
	suggest_text(&s, meant);
	error_text("unknown verb %s%s", verb, *meant ? meant : "; tracectl --help lists them");
	return EXIT_USAGE;
}

static int run_verb(int argc, char **argv)
{
	char name[64];

	for (size_t i = 0; i < VERBS; i++) {
		if (strcmp(argv[0], verbs[i].name))
			continue;
		snprintf(name, sizeof(name), "tracectl %s", verbs[i].name);
		argv[0] = name;
		return verbs[i].run(argc, argv);
	}
	return unknown_verb(argv[0]);
}

/* The first of the arguments that is none of the options of all verbs is at *@index. */
static void parse_command_line(int argc, char **argv, int *index)
{
	static const struct argp_child children[] = GLOBAL_CHILDREN;
	static const struct argp argp = {
		.parser = parse_verb,
		.args_doc = "VERB [OBJECT] [OPTION...]",
		.doc = "Control, record and decode RISC-V hardware trace.\v",
		.children = children,
		.help_filter = list_verbs,
	};

	parse_options(&argp, argc, argv, ARGP_IN_ORDER, NULL, index);
}

/* tracectl help [VERB]: what --help prints */
static int verb_help(int argc, char **argv)
{
	char program[] = "tracectl", option[] = "--help";
	char *verb = argc > 1 && argv[1][0] != '-' ? argv[1] : program;
	char *arguments[] = { verb, option, NULL };
	int index = 0;

	if (argc > 2 || (argc > 1 && verb == program && strcmp(argv[1], option))) {
		error_text("help takes one verb: %s is not one", argv[argc - 1]);
		return EXIT_USAGE;
	}
	if (verb != program)
		return run_verb(2, arguments);
	parse_command_line(2, arguments, &index);
	return EXIT_USAGE;
}

/* Programs are read where they are mapped. */
static void file_got_shorter(int number)
{
	static const char text[] = "tracectl: error: a file became shorter while it was read\n";

	(void)number;
	_exit(write(STDERR_FILENO, text, sizeof(text) - 1) < 0 ? EXIT_FAILURE : EXIT_FAILED);
}

int main(int argc, char **argv)
{
	const struct sigaction shorter = { .sa_handler = file_got_shorter };
	int index = 0;

	sigaction(SIGBUS, &shorter, NULL);
	if ((getenv("NO_COLOR") && *getenv("NO_COLOR")) ||
	    (getenv("TERM") && !strcmp(getenv("TERM"), "dumb")))
		global.color = global.escapes = false;
	parse_command_line(argc, argv, &index);
	return run_verb(argc - index, argv + index);
}
