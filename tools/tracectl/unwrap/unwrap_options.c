// SPDX-License-Identifier: GPL-2.0
/* tracectl unwrap: its command line. */
#include <stdlib.h>
#include <string.h>

#include "tools/tracectl/parse.h"
#include "tools/tracectl/tracectl.h"
#include "unwrap.h"

enum {
	OPTION_PIB = 0x6000, OPTION_ATB, OPTION_FORMAT, OPTION_REF_CENTER, OPTION_CALIBRATE,
	OPTION_SAMPLES_PER_BIT, OPTION_SAMPLE_BYTES, OPTION_SRC_BITS, OPTION_TIMESTAMP_BYTES,
};

static const struct argp_option options[] = {
	{ "pib", OPTION_PIB, "MODE", 0,
	  "The file has pin samples: swt-manchester, swt-uart, parallel-1, -2, -4, -8, -16", 0 },
	{ "atb", OPTION_ATB, "ID|list", 0,
	  "The file has formatter frames: extract the trace of source ID, or list the sources", 0 },
	{ "output", 'o', "FILE", 0, "Write to FILE; - is standard output", 0 },
	{ "format", OPTION_FORMAT, "ntrace|etrace", 0, "Format of the trace (ntrace)", 0 },
	{ "ref-center", OPTION_REF_CENTER, NULL, 0,
	  "Edges of TRC_CLK are in the middle of bit periods", 1 },
	{ "calibrate", OPTION_CALIBRATE, NULL, 0,
	  "Check that the file has only the calibration pattern", 1 },
	{ "samples-per-bit", OPTION_SAMPLES_PER_BIT, "N", 0,
	  "SWT modes: samples in a bit period, as 8 or 8.68", 1 },
	{ "sample-bytes", OPTION_SAMPLE_BYTES, "N", 0, "Bytes of a sample", 1 },
	{ "src-bits", OPTION_SRC_BITS, "N", 0, "E-Trace: width of srcID (0)", 1 },
	{ "timestamp-bytes", OPTION_TIMESTAMP_BYTES, "N", 0,
	  "E-Trace: bytes of a timestamp (0)", 1 },
	{ },
};

static const struct option_value modes[] = {
	{ "swt-manchester", RVTRACE_PIB_MODE_SWT_MANCHESTER },
	{ "swt-uart", RVTRACE_PIB_MODE_SWT_UART },
	{ "parallel-1", RVTRACE_PIB_MODE_PARALLEL_1 },
	{ "parallel-2", RVTRACE_PIB_MODE_PARALLEL_2 },
	{ "parallel-4", RVTRACE_PIB_MODE_PARALLEL_4 },
	{ "parallel-8", RVTRACE_PIB_MODE_PARALLEL_8 },
	{ "parallel-16", RVTRACE_PIB_MODE_PARALLEL_16 },
	{ },
};

static const struct option_value formats[] = {
	{ "ntrace", RVTRACE_FORMAT_NTRACE }, { "etrace", RVTRACE_FORMAT_ETRACE }, { },
};

static double parse_samples(struct argp_state *state, const char *arg)
{
	char *end;
	double value = strtod(arg, &end);

	if (end == arg || *end || !(value >= 1 && value <= UINT32_MAX))
		argp_error(state, "--samples-per-bit: %s is not a number from 1 on", arg);
	return value;
}

static error_t parse_pins(int key, char *arg, struct argp_state *state)
{
	struct unwrap_options *o = state->input;

	o->etrace_told |= key == OPTION_SRC_BITS || key == OPTION_TIMESTAMP_BYTES;
	switch (key) {
	case OPTION_REF_CENTER:
		o->pins.ref_center = true;
		return 0;
	case OPTION_CALIBRATE:
		o->pins.calibrate = true;
		return 0;
	case OPTION_SAMPLES_PER_BIT:
		o->pins.samples_per_bit = parse_samples(state, arg);
		return 0;
	case OPTION_SAMPLE_BYTES:
		o->pins.sample_bytes = option_number(state, "sample-bytes", arg, 1, 8);
		return 0;
	case OPTION_SRC_BITS:
		o->pins.src_bits = option_number(state, "src-bits", arg, 0, 16);
		return 0;
	case OPTION_TIMESTAMP_BYTES:
		o->pins.timestamp_bytes = option_number(state, "timestamp-bytes", arg, 0, 8);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void check_pins(struct argp_state *state, const struct unwrap_options *o)
{
	bool serial = o->pins.mode < RVTRACE_PIB_MODE_PARALLEL_1;

	if (serial && o->pins.ref_center)
		argp_error(state, "--ref-center: SWT modes have no TRC_CLK");
	if (!serial && o->pins.samples_per_bit)
		argp_error(state, "--samples-per-bit: parallel modes have TRC_CLK");
	if (o->etrace_told && o->pins.format != RVTRACE_FORMAT_ETRACE)
		argp_error(state, "--src-bits and --timestamp-bytes need --format etrace");
}

static void check_options(struct argp_state *state, const struct unwrap_options *o)
{
	if (!o->input)
		argp_error(state, "no file given");
	if (!o->pib && !o->atb)
		argp_error(state, "either --pib or --atb");
	if (o->pib)
		check_pins(state, o);
	if (!o->pins.calibrate && !o->list && !o->output && global.json)
		argp_error(state, "--json: standard output has the trace; name a file with -o");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct unwrap_options *o = state->input;

	switch (key) {
	case OPTION_PIB:
		o->pib = true;
		o->pins.mode = option_choice(state, "pib", modes, arg);
		return 0;
	case OPTION_ATB:
		o->atb = true;
		o->list = !strcmp(arg, "list");
		if (!o->list)
			o->id = option_number(state, "atb", arg, RVTRACE_ATB_ID_FIRST,
					      RVTRACE_ATB_ID_LAST);
		return 0;
	case OPTION_FORMAT:
		o->pins.format = option_choice(state, "format", formats, arg);
		return 0;
	case 'o':
		o->output = strcmp(arg, "-") ? arg : NULL;
		return 0;
	case ARGP_KEY_INIT:
		o->pins.format = RVTRACE_FORMAT_NTRACE;
		return 0;
	case ARGP_KEY_ARG:
		if (o->input)
			argp_error(state, "more than one file");
		o->input = arg;
		add_input(arg);
		return 0;
	case ARGP_KEY_END:
		check_options(state, o);
		return 0;
	default:
		return parse_pins(key, arg, state);
	}
}

static const struct argp_child children[] = GLOBAL_CHILDREN;

const struct argp unwrap_argp = {
	.options = options, .parser = parse_option, .children = children,
	.args_doc = "--pib MODE [OPTION...] FILE\n--atb ID [OPTION...] FILE",
	.doc = "Turn what a logic analyser or a CoreSight trace buffer captured into trace that "
	       "decode --raw reads. FILE - is standard input.",
};
