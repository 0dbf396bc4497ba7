// SPDX-License-Identifier: GPL-2.0
/* Options of a trace that is not in a recording: see input_options.h. */
#include <string.h>

#include "tools/tracectl/parse.h"
#include "input_options.h"
#include "trace_input.h"

static const char *const names[] = {
	[INPUT_RECORDING - INPUT_RAW] = "recording", [INPUT_FORMAT - INPUT_RAW] = "format",
	[INPUT_PARAM - INPUT_RAW] = "param", [INPUT_XLEN - INPUT_RAW] = "xlen",
	[INPUT_SRC_BITS - INPUT_RAW] = "src-bits", [INPUT_MODULE - INPUT_RAW] = "module",
};

void input_set_format(struct argp_state *state, struct raw_options *raw, const char *option,
		      bool (*fits)(const struct decode_format *format), const char *arg)
{
	const struct decode_format *format = decode_format_option(state, option, fits, arg);

	if (raw->has_format && raw->format != format)
		argp_error(state, "--%s %s contradicts the format given before it", option, arg);
	raw->format = format;
	raw->has_format = true;
}

int input_parameter(struct argp_state *state, const char *option, const char *arg, uint64_t min,
		    uint64_t max, int given, int none)
{
	int value = option_number(state, option, arg, min, max);

	if (given != none && given != value)
		argp_error(state, "--%s %s contradicts the %d given before it", option, arg, given);
	return value;
}

static void add_module(struct argp_state *state, struct raw_options *raw, const char *arg)
{
	const char *wrong = packets_osd_module(&raw->osd, arg);

	if (wrong)
		argp_error(state, "--module: %s: %s", arg, wrong);
	raw->has_modules = true;
}

static error_t parse_parameter(int key, const char *arg, struct argp_state *state,
			       struct raw_options *raw)
{
	const char *name;

	if (key != INPUT_XLEN && key != INPUT_SRC_BITS)
		return ARGP_ERR_UNKNOWN;
	name = names[key - INPUT_RAW];
	if (key == INPUT_XLEN)
		raw->xlen = input_parameter(state, name, arg, 32, 64, raw->xlen, 0);
	else
		raw->src_bits = input_parameter(state, name, arg, 0, 12, raw->src_bits, -1);
	if (key == INPUT_XLEN && raw->xlen != 32 && raw->xlen != 64)
		argp_error(state, "--xlen: neither 32 nor 64");
	raw->parameter = name;
	return 0;
}

error_t input_parse(int key, char *arg, struct argp_state *state, struct trace_input *in,
		    bool (*fits)(const struct decode_format *format))
{
	struct raw_options *raw = &in->raw_options;

	switch (key) {
	case INPUT_RAW:
		in->raw = true;
		return 0;
	case INPUT_RECORDING:
		in->directory = arg;
		add_input(arg);
		break;
	case INPUT_FORMAT:
		input_set_format(state, raw, names[key - INPUT_RAW], fits, arg);
		break;
	case INPUT_PARAM:
		if (raw->param && strcmp(raw->param, arg))
			argp_error(state, "more than one --param");
		raw->param = arg;
		add_input(arg);
		break;
	case INPUT_MODULE:
		add_module(state, raw, arg);
		break;
	default:
		return parse_parameter(key, arg, state, raw);
	}
	raw->option = names[key - INPUT_RAW];
	return 0;
}

void input_set_object(struct argp_state *state, struct trace_input *in, const char *arg)
{
	if (in->object)
		argp_error(state, "more than one recording");
	in->object = arg;
	add_input(arg);
}

void input_check(struct argp_state *state, struct trace_input *in)
{
	const struct raw_options *raw = &in->raw_options;

	if (!in->raw && (raw->option || raw->parameter))
		argp_error(state, "--%s needs --raw", raw->option ? raw->option :
			   raw->parameter);
	decode_check_own_options(state, in);
	if (!in->raw) {
		in->directory = in->object;
		return;
	}
	if (!raw->format->library && in->directory)
		argp_error(state, "--recording does not apply to --format %s", raw->format->name);
	if (in->directory && (raw->parameter || raw->param || raw->has_format))
		argp_error(state, "--%s contradicts --recording, which gives it", raw->parameter ?
			   raw->parameter : raw->param ? "param" : "format");
	if (!raw->format->library && (raw->param || raw->parameter))
		argp_error(state, "--%s does not apply to --format %s", raw->param ? "param" :
			   raw->parameter, raw->format->name);
	if (raw->format->needs_param && !raw->param)
		argp_error(state, "--format %s: no parameters given: --param FILE",
			   raw->format->name);
}
