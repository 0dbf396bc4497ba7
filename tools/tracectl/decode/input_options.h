/* SPDX-License-Identifier: GPL-2.0 */
/* Options of a trace that is not in a recording, shared by the verbs that read one. */
#ifndef RVTRACE_TRACECTL_INPUT_OPTIONS_H
#define RVTRACE_TRACECTL_INPUT_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

struct decode_format;
struct raw_options;
struct trace_input;

/* Keys of --raw, --recording, --format, --param, --xlen, --src-bits and --module */
enum {
	INPUT_RAW = 0x4800, INPUT_RECORDING, INPUT_FORMAT, INPUT_PARAM, INPUT_XLEN, INPUT_SRC_BITS,
	INPUT_MODULE,
};

/* What a parser returns for one of these. @fits: formats of the verb, see decode_format_option() */
error_t input_parse(int key, char *arg, struct argp_state *state, struct trace_input *in,
		    bool (*fits)(const struct decode_format *format));

/* The format that @option names: twice is once, but not another one. */
void input_set_format(struct argp_state *state, struct raw_options *raw, const char *option,
		      bool (*fits)(const struct decode_format *format), const char *arg);

/* A parameter of the stream: given twice it is the same. @given: what it was before, or @none */
int input_parameter(struct argp_state *state, const char *option, const char *arg, uint64_t min,
		    uint64_t max, int given, int none);

/* The recording or the trace */
void input_set_object(struct argp_state *state, struct trace_input *in, const char *arg);

/* What only makes sense together, or not at all: argp_error(). Then it is known which recording. */
void input_check(struct argp_state *state, struct trace_input *in);

#endif /* RVTRACE_TRACECTL_INPUT_OPTIONS_H */
