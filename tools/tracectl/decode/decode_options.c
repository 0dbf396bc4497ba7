// SPDX-License-Identifier: GPL-2.0
/* tracectl decode: its command line. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/tracectl/parse.h"
#include "decode.h"

#define MAX_JOBS	256

enum {
	OPTION_OUTPUT = 0x4000, OPTION_PACKETS, OPTION_SUMMARY, OPTION_LINES, OPTION_IMAGE,
	OPTION_RAW, OPTION_FORMAT, OPTION_ELF, OPTION_IMPLICIT_RETURN, OPTION_SEQUENTIAL_JUMP,
	OPTION_SRC_BITS, OPTION_XLEN, OPTION_TIMESTAMPS, OPTION_RECORDING, OPTION_IMAGE_PATH,
	OPTION_DIALECT, OPTION_PARAM, OPTION_TEXT, OPTION_STVEC, OPTION_MTVEC, OPTION_ALL_JUMPS,
	OPTION_EXTEND_ADDR_MSB,
	OPTION_MODULE, OPTION_WRITE_POINTER, OPTION_MODE,
};

static const struct argp_option options[] = {
	{ "output", OPTION_OUTPUT, "listing|blocks|accesses|calls|pc", 0,
	  "Every instruction with hart, time, privilege, process and symbol; or straight pieces of code; or data accesses; or functions, indented by who called them; or addresses alone",
	  0 },
	{ "text", OPTION_TEXT, NULL, 0, "Print the text of instructions, too, in a listing", 0 },
	{ "lines", OPTION_LINES, NULL, 0, "Print source lines, too", 0 },
	{ "packets", OPTION_PACKETS, NULL, 0, "Print the messages, not the flow", 0 },
	{ "summary", OPTION_SUMMARY, NULL, 0, "Print totals per hart and process only", 0 },
	{ "jobs", 'j', "N", 0,
	  "Decode with N threads, where that is possible (one for each processor)", 0 },
	{ "file", 'o', "FILE", 0, "Write to FILE instead of standard output", 0 },
	{ "image", OPTION_IMAGE, "FILE[@ADDRESS]", 0, "One more image: firmware, or of a raw trace",
	  0 },
	{ "image-path", OPTION_IMAGE_PATH, "DIR", 0,
	  "Look for program files that the recording lacks below DIR; on this machine only if it made the recording since it was booted, or with DIR /",
	  0 },
	{ "stvec", OPTION_STVEC, "ADDRESS", 0,
	  "E-Trace with implicit exceptions, debugspec without privilege: "
	  "stvec of the kernel (as recorded)", 0 },
	{ "mtvec", OPTION_MTVEC, "ADDRESS", 0,
	  "E-Trace with implicit exceptions, debugspec without privilege: "
	  "mtvec of the firmware (as recorded)", 0 },
	{ NULL, 0, NULL, 0, "A trace that is not in a recording:", 2 },
	{ "raw", OPTION_RAW, NULL, 0, "The object is a file that holds nothing but trace", 2 },
	{ "recording", OPTION_RECORDING, "DIR", 0,
	  "What rvtraced recorded beside the trace: parameters, address spaces, images", 2 },
	{ "format", OPTION_FORMAT, "ntrace|sifive|etrace|cdl|osd|debugspec", 0,
	  "N-Trace 1.0 (if nothing says otherwise), SiFive's messages before it, E-Trace, which needs --param, CDL compressed trace, or the trace module of the debug specification of 2017; or Open SoC Debug, which has --packets only",
	  2 },
	{ "dialect", OPTION_DIALECT, "ntrace|sifive", OPTION_HIDDEN, NULL, 2 },
	{ "elf", OPTION_ELF, "FILE", 0, "The program, at its link address", 2 },
	{ "param", OPTION_PARAM, "FILE", 0,
	  "Parameters: metadata.json of a recording; of E-Trace, the .scf of the reference flow or JSON, too; of CDL and the debug specification, JSON, see docs/formats.md",
	  2 },
	{ "xlen", OPTION_XLEN, "32|64", 0,
	  "Width of addresses (as the program says, else 64; of CDL 32)", 2 },
	{ "module", OPTION_MODULE, "[ADDRESS:]stm|ctm|other[:WIDTH]", 0,
	  "Open SoC Debug: what the module at ADDRESS, or any other, is (stm)", 2 },
	{ "write-pointer", OPTION_WRITE_POINTER, "OFFSET", 0,
	  "CDL, debug specification: the file is a buffer that has wrapped, and the next byte would have been written there",
	  2 },
	{ NULL, 0, NULL, 0, "Parameters of a raw trace of N-Trace:", 3 },
	{ "src-bits", OPTION_SRC_BITS, "N", 0, "Bits of SRC in messages (0)", 3 },
	{ "mode", OPTION_MODE, "branch|history|history-optimized", 0,
	  "How branches are reported (as messages show)", 3 },
	{ "implicit-return", OPTION_IMPLICIT_RETURN, "DEPTH", 0,
	  "Returns are not reported, from calls up to DEPTH; 0: they are (of sifive 1023, unless --mode is branch or history)",
	  3 },
	{ "sequential-jump", OPTION_SEQUENTIAL_JUMP, NULL, 0,
	  "Sequentially inferable jumps are not reported", 3 },
	{ "all-jumps", OPTION_ALL_JUMPS, NULL, 0, "Direct jumps are reported like branches", 3 },
	{ "extend-addr-msb", OPTION_EXTEND_ADDR_MSB, NULL, 0,
	  "Addresses leave out equal most significant bits", 3 },
	{ "timestamps", OPTION_TIMESTAMPS, NULL, 0,
	  "Messages carry timestamps; they are recognised without this, too", 3 },
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

/* Twice is once, but not another one. */
static void set_format(struct argp_state *state, struct raw_options *raw, const char *option,
		       bool (*fits)(const struct decode_format *format), const char *arg)
{
	const struct decode_format *format = decode_format_option(state, option, fits, arg);

	if (raw->has_format && raw->format != format)
		argp_error(state, "--%s %s contradicts the format given before it", option, arg);
	raw->format = format;
	raw->has_format = true;
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

/* A parameter of the stream: given twice it is the same. @given: what it was before, or @none */
static int parameter(struct argp_state *state, int key, const char *arg, uint64_t max, int given,
		     int none)
{
	const char *name = option_name(options, key);
	int value = option_number(state, name, arg, 0, max);

	if (given != none && given != value)
		argp_error(state, "--%s %s contradicts the %d given before it", name, arg, given);
	return value;
}

static error_t parse_parameter(int key, char *arg, struct argp_state *state)
{
	struct decode *d = state->input;
	struct raw_options *raw = &d->input.raw_options;

	switch (key) {
	case OPTION_XLEN:
		raw->xlen = parameter(state, key, arg, 64, raw->xlen, 0);
		if (raw->xlen != 32 && raw->xlen != 64)
			argp_error(state, "--xlen: neither 32 nor 64");
		break;
	case OPTION_SRC_BITS:
		raw->src_bits = parameter(state, key, arg, 12, raw->src_bits, -1);
		break;
	case OPTION_IMPLICIT_RETURN:
		raw->implicit_return = parameter(state, key, arg, RAW_DEPTH_MAX,
						 raw->implicit_return, -1);
		break;
	case OPTION_MODE:
		set_mode(state, raw, arg);
		break;
	case OPTION_SEQUENTIAL_JUMP:
		raw->sequential_jump = true;
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
		return ARGP_ERR_UNKNOWN;
	}
	raw->parameter = option_name(options, key);
	return 0;
}

static void add_module(struct argp_state *state, struct raw_options *raw, const char *arg)
{
	const char *wrong = packets_osd_module(&raw->osd, arg);

	if (wrong)
		argp_error(state, "--module: %s: %s", arg, wrong);
	raw->has_modules = true;
}

static error_t parse_raw_option(int key, char *arg, struct argp_state *state)
{
	struct decode *d = state->input;
	struct raw_options *raw = &d->input.raw_options;

	switch (key) {
	case OPTION_RAW:
		d->input.raw = true;
		return 0;
	case OPTION_RECORDING:
		d->input.directory = arg;
		add_input(arg);
		break;
	case OPTION_FORMAT:
		set_format(state, raw, "format", NULL, arg);
		break;
	case OPTION_DIALECT:
		set_format(state, raw, "dialect", is_dialect, arg);
		break;
	case OPTION_ELF:
		add_image(state, d, arg, true);
		break;
	case OPTION_MODULE:
		add_module(state, raw, arg);
		break;
	case OPTION_WRITE_POINTER:
		raw->write_pointer = option_number(state, "write-pointer", arg, 0, INT64_MAX);
		raw->wrapped = true;
		break;
	case OPTION_PARAM:
		if (raw->param)
			argp_error(state, "more than one --param");
		raw->param = arg;
		add_input(arg);
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
		argp_error(state, "--%s goes with --format %s", d->trap_vector[1] ? "stvec" :
			   "mtvec", decode_format_list(has_vectors, false, " or "));
}

/* SiFive's mode says whether returns are reported; no other encoder has the mode. */
static void check_returns(struct argp_state *state, const struct raw_options *raw)
{
	bool optimized = raw->mode == RVTRACE_NTRACE_MODE_OPTIMIZED;

	if (optimized && !raw->format->sifive && !raw->param)
		argp_error(state, "--mode history-optimized is of --format sifive");
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
		argp_error(state, "--%s is of N-Trace; --param says what %s has of it",
			   raw->parameter, format->title);
	if (format->parameters == PARAMETERS_NONE)
		argp_error(state, "--%s is of N-Trace", raw->parameter);
}

/* What only makes sense together, or not at all. */
static void check_options(struct argp_state *state, struct decode *d)
{
	const struct raw_options *raw = &d->input.raw_options;
	const struct decode_format *format = raw->format;

	if (!d->input.raw && (raw->option || raw->parameter))
		argp_error(state, "--%s goes with --raw", raw->option ? raw->option :
			   raw->parameter);
	decode_check_own_options(state, &d->input);
	if (!d->input.raw) {
		d->input.directory = d->input.object;
		return;
	}
	if (!format->library && d->output != OUTPUT_PACKETS)
		argp_error(state, "--format %s has no flow: --packets", format->name);
	if (format->check)
		format->check(state, &d->input);
	check_vectors(state, d);
	check_returns(state, raw);
	if (raw->implicit_return > format->depth_max)
		argp_error(state, "--implicit-return: %d is more than the %d that %s may have",
			   raw->implicit_return, format->depth_max, format->title);
	if (d->input.directory && (raw->parameter || raw->param || raw->has_format))
		argp_error(state, "--%s and --recording, which says it", raw->parameter ?
			   raw->parameter : raw->param ? "param" : "format");
	if (format->needs_param && !raw->param)
		argp_error(state, "--format %s: no parameters given: --param FILE", format->name);
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
		if (d->input.object)
			argp_error(state, "more than one recording");
		d->input.object = arg;
		add_input(arg);
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
