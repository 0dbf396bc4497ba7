// SPDX-License-Identifier: GPL-2.0
/* tracectl events: its command line. */
#include <string.h>

#include "tools/tracectl/parse.h"
#include "tools/tracectl/decode/input_options.h"
#include "events.h"

enum {
	OPTION_DICTIONARY = 0x5000, OPTION_PROGRAM, OPTION_ID, OPTION_NAME, OPTION_HART, OPTION_THREAD,
	OPTION_FROM, OPTION_TO, OPTION_PRINT, OPTION_SUMMARY, OPTION_THREADS,
	OPTION_THREAD_SWITCH, OPTION_FOLLOW, OPTION_DURATION, OPTION_ABSOLUTE, OPTION_SWITCHES,
};

static const struct argp_option options[] = {
	{ "dictionary", OPTION_DICTIONARY, "FILE", 0,
	  "What identifiers mean, see docs/formats.md; may be given several times", 0 },
	{ "program", OPTION_PROGRAM, "NAME", 0,
	  "Dictionary program of events whose program the trace does not report", 0 },
	{ "print", OPTION_PRINT, NULL, 0, "Print only the characters that were printed",
	  0 },
	{ "switches", OPTION_SWITCHES, NULL, 0,
	  "Also list THREAD_SWITCH: what harts wrote to tp", 0 },
	{ "summary", OPTION_SUMMARY, NULL, 0, "Print only totals", 0 },
	{ "threads", OPTION_THREADS, "linux|all", 0,
	  "Which values of THREAD_SWITCH name a thread: those of tasks of the kernel (linux), or all",
	  0 },
	{ "thread-switch", OPTION_THREAD_SWITCH, "ID", 0,
	  "Identifier of THREAD_SWITCH (as recorded, else 0x8000)", 0 },
	{ "follow", OPTION_FOLLOW, NULL, 0,
	  "Follow a recording that is still being written, until it ends", 0 },
	{ "duration", OPTION_DURATION, "TIME", 0, "Follow for at most this long", 0 },
	{ "file", 'o', "FILE", 0, "Write to FILE instead of standard output", 0 },
	{ NULL, 0, NULL, 0, "Filters: an item is shown and counted if it matches one value of each given filter:",
	  1 },
	{ "id", OPTION_ID, "LIST", 0, "Only these identifiers, as 0x100-0x1ff,4", 1 },
	{ "name", OPTION_NAME, "NAME", 0, "Only events of this name; * and ? are wildcards", 1 },
	{ "hart", OPTION_HART, "LIST", 0, "Only these harts", 1 },
	{ "thread", OPTION_THREAD, "LIST", 0, "Only these threads, by number", 1 },
	{ "from", OPTION_FROM, "TIME", 0, "Only from TIME on, as events print it", 1 },
	{ "to", OPTION_TO, "TIME", 0, "Only up to TIME", 1 },
	{ "absolute", OPTION_ABSOLUTE, NULL, 0,
	  "Print times of CLOCK_MONOTONIC instead of times since the recording began", 1 },
	{ NULL, 0, NULL, 0, "A trace that is not in a recording:", 2 },
	{ "raw", INPUT_RAW, NULL, 0, "The object is a file of raw trace", 2 },
	{ "recording", INPUT_RECORDING, "DIR", 0,
	  "Take parameters, harts and processes from this recording of rvtraced, made during the same session", 2 },
	{ "format", INPUT_FORMAT, "ntrace|sifive|etrace|osd", 0,
	  "N-Trace with a software trace port (default); SiFive's stimulus registers; E-Trace (--param); or Open SoC Debug",
	  2 },
	{ "param", INPUT_PARAM, "FILE", 0,
	  "Parameters: metadata.json of a recording; E-Trace: any that tracectl decode takes", 2 },
	{ "xlen", INPUT_XLEN, "32|64", 0, "Width of values (64)", 2 },
	{ "src-bits", INPUT_SRC_BITS, "N", 0, "Bits of SRC in messages (0)", 2 },
	{ "module", INPUT_MODULE, "[ADDRESS:]stm|ctm|other[:WIDTH]", 0,
	  "Open SoC Debug: type of the module at ADDRESS, or of all others (stm)", 2 },
	{ },
};

static bool has_events(const struct decode_format *format)
{
	return format->set_events;
}

static const struct option_value threads[] = {
	{ "linux", RVTRACE_EVENT_THREADS_LINUX }, { "all", RVTRACE_EVENT_THREADS_ALL }, { },
};

static error_t parse_filter(int key, char *arg, struct argp_state *state)
{
	struct events *e = state->input;

	switch (key) {
	case OPTION_ID:
		e->has_ids = true;
		if (parse_numbers(arg, e->ids, EVENT_IDS))
			argp_error(state, "--id: %s is not a list of identifiers", arg);
		return 0;
	case OPTION_NAME:
		e->name = arg;
		return 0;
	case OPTION_HART:
		e->input.filter.has_harts = true;
		if (parse_list(arg, e->input.filter.harts, MAX_HARTS))
			argp_error(state, "--hart: %s is not a list of harts", arg);
		return 0;
	case OPTION_THREAD:
		filter_add_threads(state, &e->input.filter, arg);
		return 0;
	case OPTION_FROM:
		e->input.filter.from = filter_time(state, "from", arg);
		return 0;
	case OPTION_TO:
		e->input.filter.to = filter_time(state, "to", arg);
		return 0;
	case OPTION_ABSOLUTE:
		e->input.filter.absolute = true;
		return 0;
	default:
		return input_parse(key, arg, state, &e->input, has_events);
	}
}

static void check_options(struct argp_state *state, struct events *e)
{
	const struct raw_options *raw = &e->input.raw_options;

	input_check(state, &e->input);
	if (e->input.raw && raw->format->needs_param && raw->parameter)
		argp_error(state, "--%s does not apply to --format %s", raw->parameter, raw->format->name);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct events *e = state->input;

	switch (key) {
	case OPTION_DICTIONARY:
		if (e->file_count == MAX_DICTIONARIES)
			argp_error(state, "more than %d dictionaries", MAX_DICTIONARIES);
		e->files[e->file_count++] = arg;
		add_input(arg);
		return 0;
	case OPTION_PROGRAM:
		e->program = arg;
		return 0;
	case OPTION_PRINT:
		e->print = true;
		return 0;
	case OPTION_SUMMARY:
		e->summary = true;
		return 0;
	case OPTION_SWITCHES:
		e->switches = true;
		return 0;
	case OPTION_THREADS:
		e->threads = option_choice(state, "threads", threads, arg);
		return 0;
	case OPTION_THREAD_SWITCH:
		e->thread_switch = option_number(state, "thread-switch", arg, 1, UINT16_MAX);
		return 0;
	case OPTION_FOLLOW:
		e->follow.wanted = true;
		return 0;
	case OPTION_DURATION:
		e->follow.duration = option_duration(state, "duration", arg);
		return 0;
	case 'o':
		e->out.name = strcmp(arg, "-") ? arg : NULL;
		return 0;
	case ARGP_KEY_ARG:
		input_set_object(state, &e->input, arg);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, e->input.raw ? "no trace given" : "no recording given");
		return 0;
	case ARGP_KEY_END:
		check_options(state, e);
		return 0;
	default:
		return parse_filter(key, arg, state);
	}
}

static const struct argp_child children[] = GLOBAL_CHILDREN;

const struct argp events_argp = {
	.options = options, .parser = parse_option, .children = children,
	.args_doc = "[--follow] DIRECTORY\n--raw [--recording DIRECTORY] [OPTION...] FILE",
	.doc = "Print software trace events.\v"
	       "A recording: tracectl events --dictionary prog.json DIRECTORY\n"
	       "N-Trace: tracectl events --raw --src-bits 4 trace.nex\n"
	       "E-Trace: tracectl events --raw --format etrace --param params.json trace.te\n"
	       "Open SoC Debug: tracectl events --raw --format osd --print trace.osd",
};
