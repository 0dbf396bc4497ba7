// SPDX-License-Identifier: GPL-2.0
/* tracectl decode: its command line. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/tracectl/parse.h"
#include "decode.h"
#include "input_options.h"

#define MAX_JOBS	256

enum {
	OPTION_OUTPUT = 0x4000, OPTION_PACKETS, OPTION_SUMMARY, OPTION_LINES, OPTION_IMAGE,
	OPTION_ELF, OPTION_IMPLICIT_RETURN, OPTION_SEQUENTIAL_JUMP, OPTION_TIMESTAMPS, OPTION_COUNT_RETURNS,
	OPTION_IMAGE_PATH, OPTION_DIALECT, OPTION_TEXT, OPTION_STVEC, OPTION_MTVEC,
	OPTION_ALL_JUMPS, OPTION_EXTEND_ADDR_MSB, OPTION_WRITE_POINTER, OPTION_MODE,
};

static const struct argp_option options[] = {
	{ "output", OPTION_OUTPUT, "listing|blocks|accesses|calls|pc", 0,
	  "Print every instruction with hart, time, privilege, process and symbol; or straight blocks of code; or data accesses; or functions, indented by call depth; or addresses alone",
	  0 },
	{ "text", OPTION_TEXT, NULL, 0, "Print the text of instructions in a listing", 0 },
	{ "lines", OPTION_LINES, NULL, 0, "Print source lines as well", 0 },
	{ "packets", OPTION_PACKETS, NULL, 0, "Print the messages, not the flow", 0 },
	{ "summary", OPTION_SUMMARY, NULL, 0, "Print totals per hart and process only", 0 },
	{ "jobs", 'j', "N", 0,
	  "Decode with N threads, where that is possible (one for each processor)", 0 },
	{ "file", 'o', "FILE", 0, "Write to FILE instead of standard output", 0 },
	{ "image", OPTION_IMAGE, "FILE[@ADDRESS]", 0, "Another image: firmware, or the program of a raw trace",
	  0 },
	{ "image-path", OPTION_IMAGE_PATH, "DIR", 0,
	  "Search DIR for program files that the recording lacks "
	  "(/ if this machine made the recording since it was booted)",
	  0 },
	{ "stvec", OPTION_STVEC, "ADDRESS", 0,
	  "E-Trace with implicit exceptions, debugspec without privilege: "
	  "stvec of the kernel (as recorded)", 0 },
	{ "mtvec", OPTION_MTVEC, "ADDRESS", 0,
	  "E-Trace with implicit exceptions, debugspec without privilege: "
	  "mtvec of the firmware (as recorded)", 0 },
	{ NULL, 0, NULL, 0, "A trace that is not in a recording:", 2 },
	{ "raw", INPUT_RAW, NULL, 0, "The object is a file of raw trace", 2 },
	{ "recording", INPUT_RECORDING, "DIR", 0,
	  "Take parameters, address spaces and images from this recording of rvtraced, made during the same session", 2 },
	{ "format", INPUT_FORMAT, "ntrace|sifive|etrace|cdl|osd|debugspec", 0,
	  "N-Trace 1.0 (default), SiFive's messages before it, E-Trace, which needs --param, CDL compressed trace, or the trace module of the debug specification of 2017; or Open SoC Debug, with --packets only",
	  2 },
	{ "dialect", OPTION_DIALECT, "ntrace|sifive", OPTION_HIDDEN, NULL, 2 },
	{ "elf", OPTION_ELF, "FILE", 0, "The program, at its link address", 2 },
	{ "param", INPUT_PARAM, "FILE", 0,
	  "Parameters: metadata.json of a recording; for E-Trace also the reference flow's .scf or JSON; for CDL and the debug specification also JSON, see docs/formats.md",
	  2 },
	{ "xlen", INPUT_XLEN, "32|64", 0,
	  "Width of addresses (that of the program, else 64; for CDL 32)", 2 },
	{ "module", INPUT_MODULE, "[ADDRESS:]stm|ctm|other[:WIDTH]", 0,
	  "Open SoC Debug: type of the module at ADDRESS, or of all others (stm)", 2 },
	{ "write-pointer", OPTION_WRITE_POINTER, "OFFSET", 0,
	  "CDL, debug specification: the file is a buffer that has wrapped, and the next byte would have been written there",
	  2 },
	{ NULL, 0, NULL, 0, "Parameters of a raw trace of N-Trace:", 3 },
	{ "src-bits", INPUT_SRC_BITS, "N", 0, "Bits of SRC in messages (0)", 3 },
	{ "mode", OPTION_MODE, "branch|history|history-optimized", 0,
	  "How branches are reported (detected from messages)", 3 },
	{ "implicit-return", OPTION_IMPLICIT_RETURN, "DEPTH", 0,
	  "Returns from calls up to DEPTH are not reported; 0: all are (sifive: 1023, unless --mode is branch or history)",
	  3 },
	{ "count-returns", OPTION_COUNT_RETURNS, NULL, 0,
	  "With --implicit-return: the encoder counts calls, and compares no addresses", 3 },
	{ "sequential-jump", OPTION_SEQUENTIAL_JUMP, NULL, 0,
	  "Sequentially inferable jumps are not reported", 3 },
	{ "all-jumps", OPTION_ALL_JUMPS, NULL, 0, "Direct jumps are reported like branches", 3 },
	{ "extend-addr-msb", OPTION_EXTEND_ADDR_MSB, NULL, 0,
	  "Addresses leave out equal most significant bits", 3 },
	{ "timestamps", OPTION_TIMESTAMPS, NULL, 0,
	  "Messages carry timestamps; they are recognised without this option as well", 3 },
	{ },
};

static void add_image(struct argp_state *state, struct decode *d, char *arg, bool elf)
{
	if (d->image_count == MAX_DECODE_IMAGES)
		argp_error(state, "more than %d images", MAX_DECODE_IMAGES);
	d->images[d->image_count] = elf ? (struct image_option) { .path = arg, .elf = true } :
					  option_image(state, arg);
	add_input(d->images[d->image_count++].path);
}

void decode_add_path(struct decode *d, const char *directory)
{
	int fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int ret = fd < 0 ? -errno : rvtrace_program_search(d->program, directory);

	if (ret) {
		error_text("--image-path: %s: %s", directory, strerror(-ret));
		exit(EXIT_FAILED);
	}
	close(fd);
}

/* As recordings of before named N-Trace and what SiFive has of it. */
static bool is_dialect(const struct decode_format *format)
{
	return format->library && !strcmp(format->library, "ntrace");
}

static const struct option_value modes[] = {
	{ "branch", RVTRACE_NTRACE_MODE_BRANCH }, { "history", RVTRACE_NTRACE_MODE_HISTORY },
	{ "history-optimized", RVTRACE_NTRACE_MODE_OPTIMIZED }, { },
};

static void set_mode(struct argp_state *state, struct raw_options *raw, const char *arg)
{
	uint8_t mode = option_choice(state, "mode", modes, arg);

	if (raw->mode && raw->mode != mode)
		argp_error(state, "--mode %s contradicts the one given before it", arg);
	raw->mode = mode;
}

static error_t parse_parameter(int key, char *arg, struct argp_state *state)
{
	struct decode *d = state->input;
	struct raw_options *raw = &d->input.raw_options;

	switch (key) {
	case OPTION_IMPLICIT_RETURN:
		raw->implicit_return = input_parameter(state, "implicit-return", arg, 0,
						       RAW_DEPTH_MAX, raw->implicit_return, -1);
		break;
	case OPTION_MODE:
		set_mode(state, raw, arg);
		break;
	case OPTION_SEQUENTIAL_JUMP:
		raw->sequential_jump = true;
		break;
	case OPTION_COUNT_RETURNS:
		raw->count_returns = true;
		break;
	case OPTION_ALL_JUMPS:
		raw->all_jumps = true;
		break;
	case OPTION_EXTEND_ADDR_MSB:
		raw->extend_addr_msb = true;
		break;
	case OPTION_TIMESTAMPS:
		break;
	default:
		return input_parse(key, arg, state, &d->input, NULL);
	}
	raw->parameter = option_name(options, key);
	return 0;
}

static error_t parse_raw_option(int key, char *arg, struct argp_state *state)
{
	struct decode *d = state->input;
	struct raw_options *raw = &d->input.raw_options;

	switch (key) {
	case OPTION_DIALECT:
		input_set_format(state, raw, "dialect", is_dialect, arg);
		break;
	case OPTION_ELF:
		add_image(state, d, arg, true);
		break;
	case OPTION_WRITE_POINTER:
		raw->write_pointer = option_number(state, "write-pointer", arg, 0, INT64_MAX);
		raw->wrapped = true;
		break;
	default:
		return parse_parameter(key, arg, state);
	}
	raw->option = option_name(options, key);
	return 0;
}

static const struct option_value outputs[] = {
	{ "listing", OUTPUT_LISTING },
	{ "blocks", OUTPUT_BLOCKS },
	{ "accesses", OUTPUT_ACCESSES },
	{ "calls", OUTPUT_CALLS },
	{ "pc", OUTPUT_PC },
	{ },
};

static bool has_vectors(const struct decode_format *format)
{
	return format->has_vectors;
}

/* Other formats report where a trap leads. */
static void check_vectors(struct argp_state *state, const struct decode *d)
{
	if ((d->trap_vector[1] || d->trap_vector[3]) && !d->input.directory &&
	    !d->input.raw_options.format->has_vectors)
		argp_error(state, "--%s needs --format %s", d->trap_vector[1] ? "stvec" :
			   "mtvec", decode_format_list(has_vectors, false, " or "));
}

/* SiFive's mode says whether returns are reported; no other encoder has the mode. */
static void check_returns(struct argp_state *state, const struct raw_options *raw)
{
	bool optimized = raw->mode == RVTRACE_NTRACE_MODE_OPTIMIZED;

	if (optimized && !raw->format->sifive && !raw->param)
		argp_error(state, "--mode history-optimized needs --format sifive");
	if (raw->count_returns && raw->implicit_return <= 0)
		argp_error(state, "--count-returns needs --implicit-return");
	if (optimized && !raw->implicit_return)
		argp_error(state, "--implicit-return 0 contradicts --mode history-optimized");
}

/* Most are of N-Trace alone. */
static void check_parameters(struct argp_state *state, const struct raw_options *raw)
{
	const struct decode_format *format = raw->format;

	if (!raw->parameter || !strcmp(raw->parameter, "xlen"))
		return;
	if (format->parameters == PARAMETERS_IN_FILE)
		argp_error(state, "--%s applies to N-Trace only; --param gives it for %s",
			   raw->parameter, format->title);
	if (format->parameters == PARAMETERS_NONE)
		argp_error(state, "--%s applies to N-Trace only", raw->parameter);
}

/* What only makes sense together, or not at all. */
static void check_options(struct argp_state *state, struct decode *d)
{
	const struct raw_options *raw = &d->input.raw_options;
	const struct decode_format *format = raw->format;

	input_check(state, &d->input);
	if (!d->input.raw)
		return;
	if (!format->library && d->output != OUTPUT_PACKETS)
		argp_error(state, "--format %s has no flow: use --packets", format->name);
	if (format->check)
		format->check(state, &d->input);
	check_vectors(state, d);
	check_returns(state, raw);
	if (raw->implicit_return > format->depth_max)
		argp_error(state, "--implicit-return: %d is more than the %d that %s may have",
			   raw->implicit_return, format->depth_max, format->title);
	check_parameters(state, raw);
	if (!d->input.directory && !d->image_count && !format->needs_no_program &&
	    (d->output != OUTPUT_PACKETS || filter_has_code(&d->input.filter)))
		argp_error(state, "no program given: --elf FILE, or --image FILE@ADDRESS");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct decode *d = state->input;

	switch (key) {
	case OPTION_OUTPUT:
		d->output = option_choice(state, "output", outputs, arg);
		return 0;
	case OPTION_PACKETS:
		d->output = OUTPUT_PACKETS;
		return 0;
	case OPTION_SUMMARY:
		d->output = OUTPUT_SUMMARY;
		return 0;
	case OPTION_LINES:
		d->lines = true;
		return 0;
	case OPTION_TEXT:
		d->wants_text = true;
		return 0;
	case OPTION_IMAGE:
		add_image(state, d, arg, false);
		return 0;
	case OPTION_IMAGE_PATH:
		decode_add_path(d, arg);
		return 0;
	case OPTION_STVEC:
		d->trap_vector[1] = option_number(state, "stvec", arg, 0, UINT64_MAX);
		return 0;
	case OPTION_MTVEC:
		d->trap_vector[3] = option_number(state, "mtvec", arg, 0, UINT64_MAX);
		return 0;
	case 'j':
		d->jobs = option_number(state, "jobs", arg, 1, MAX_JOBS);
		return 0;
	case 'o':
		d->out.name = strcmp(arg, "-") ? arg : NULL;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[1] = &d->input.filter;
		state->child_inputs[2] = &d->input.raw_options.debugspec;
		return 0;
	case ARGP_KEY_ARG:
		input_set_object(state, &d->input, arg);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, d->input.raw ? "no trace given" : "no recording given");
		return 0;
	case ARGP_KEY_END:
		check_options(state, d);
		return 0;
	default:
		return parse_raw_option(key, arg, state);
	}
}

const struct argp decode_argp = {
	.options = options, .parser = parse_option, .children = decode_children,
	.args_doc = "DIRECTORY\n--raw [--recording DIRECTORY] [OPTION...] FILE",
	.doc = "Print what was executed.\v"
	       "A recording: tracectl decode --lines DIRECTORY\n"
	       "N-Trace: tracectl decode --raw --elf prog.elf --implicit-return 8 trace.nex\n"
	       "E-Trace: tracectl decode --raw --format etrace --param p.scf --elf p.elf t.te\n"
	       "Addresses alone, for scripts: --output pc",
};
