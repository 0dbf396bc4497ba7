// SPDX-License-Identifier: GPL-2.0
/* tracectl decode --raw --format debugspec: options of its own. */
#include <errno.h>
#include <inttypes.h>

#include "tools/tracectl/parse.h"
#include "trace_input.h"
#include "decode_debugspec.h"

enum {
	OPTION_EMIT = 0x5000, OPTION_NO_COMPRESSED, OPTION_SEVERAL_HARTS, OPTION_LITERAL,
	OPTION_BUFFER_SIZE,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Parameters of a raw trace of the debug specification:", 4 },
	{ "emit", OPTION_EMIT, "LIST", 0,
	  "What is traced: pc, branch, priv, loadaddr, storeaddr, loaddata, storedata, timestamp (all)",
	  4 },
	{ "no-compressed", OPTION_NO_COMPRESSED, NULL, 0,
	  "The harts have no compressed instructions: PCs begin with bit 2", 4 },
	{ "several-harts", OPTION_SEVERAL_HARTS, NULL, 0,
	  "After missing trace, the hart is unknown until the next Change Hart", 4 },
	{ "literal", OPTION_LITERAL, NULL, 0,
	  "Encode traps and returns exactly as the specification's table does", 4 },
	{ "buffer-size", OPTION_BUFFER_SIZE, "BYTES", 0,
	  "Size of the buffer; an eighth of it is between two synchronization points (unknown)",
	  4 },
	{ },
};

static const struct option_value events[] = {
	{ "pc", RVTRACE_DEBUGSPEC_EMIT_PC },
	{ "branch", RVTRACE_DEBUGSPEC_EMIT_BRANCH },
	{ "priv", RVTRACE_DEBUGSPEC_EMIT_PRIV },
	{ "loadaddr", RVTRACE_DEBUGSPEC_EMIT_LOAD_ADDRESS },
	{ "storeaddr", RVTRACE_DEBUGSPEC_EMIT_STORE_ADDRESS },
	{ "loaddata", RVTRACE_DEBUGSPEC_EMIT_LOAD_DATA },
	{ "storedata", RVTRACE_DEBUGSPEC_EMIT_STORE_DATA },
	{ "timestamp", RVTRACE_DEBUGSPEC_EMIT_TIMESTAMP },
	{ },
};

unsigned int debugspec_events(struct argp_state *state, const char *arg)
{
	unsigned int set = option_bits(state, "emit", events, arg);

	if (!set)
		argp_error(state, "--emit: the list is empty");
	return set;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct debugspec_options *o = state->input;

	switch (key) {
	case OPTION_EMIT:
		o->emit = debugspec_events(state, arg);
		o->parameter = "emit";
		return 0;
	case OPTION_NO_COMPRESSED:
		o->no_compressed = true;
		o->parameter = "no-compressed";
		return 0;
	case OPTION_SEVERAL_HARTS:
		o->several_harts = true;
		o->parameter = "several-harts";
		return 0;
	case OPTION_LITERAL:
		o->literal = true;
		o->parameter = "literal";
		return 0;
	case OPTION_BUFFER_SIZE:
		o->buffer_size = option_size(state, "buffer-size", arg);
		if (o->buffer_size > DEBUGSPEC_BUFFER_MAX || o->buffer_size % 32)
			argp_error(state, "--buffer-size: %s is not a multiple of 32 up to %lluG", arg,
				   DEBUGSPEC_BUFFER_MAX >> 30);
		o->parameter = "buffer-size";
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp debugspec_argp = { .options = options, .parser = parse_option };

static void set_config(const struct raw_options *raw, struct rvtrace_flow_config *config)
{
	const struct debugspec_options *given = &raw->debugspec;
	struct rvtrace_debugspec_config params = {
		.xlen = raw->xlen ? raw->xlen : 64,
		.compressed = !given->no_compressed,
		.several_harts = given->several_harts,
		.literal = given->literal,
		.emit = given->emit ? given->emit : RVTRACE_DEBUGSPEC_EMIT_ALL,
	};

	if (given->buffer_size)
		rvtrace_debugspec_buffer(&params, given->buffer_size, 0);
	rvtrace_flow_config_debugspec(&params, config);
}

static const char *own_option(const struct raw_options *raw)
{
	return raw->debugspec.parameter;
}

static void check(struct argp_state *state, const struct trace_input *in)
{
	const struct raw_options *raw = &in->raw_options;

	if (raw->param && raw->debugspec.parameter)
		argp_error(state, "--%s contradicts --param, which gives it", raw->debugspec.parameter);
}

static int wraps(struct trace_input *in, struct rvtrace_failure *error)
{
	(void)error;
	return in->raw_options.wrapped;
}

static int unwrap(struct trace_input *in, uint64_t size, struct rvtrace_failure *error)
{
	uint64_t said = in->config.debugspec.sync_interval / 2 * RVTRACE_DEBUGSPEC_SYNC_POINTS;
	uint64_t write = in->raw_options.write_pointer;

	if (said && said != size)
		return rvtrace_fail(error, EINVAL, 0,
				    "%s: not of the %" PRIu64 " bytes of its buffer (buffer_size)",
				    in->object, said);
	if (rvtrace_debugspec_buffer(&in->config.debugspec, size, write))
		return rvtrace_fail(error, EINVAL, 0,
				    "%s: not a multiple of 32 bytes with write pointer %" PRIu64,
				    in->object, write);
	rvtrace_buffer_unwrap(size, write, in->spans);
	return 0;
}

static bool counts_places(const struct rvtrace_flow_config *config)
{
	return config->debugspec.sync_interval;
}

const struct decode_format decode_debugspec = {
	.name = "debugspec",
	.title = "the debug specification",
	.library = "debugspec",
	.width = "xlen",
	.needs_no_program = true,
	.has_vectors = true,
	.parameters = PARAMETERS_NONE,
	.depth_max = RAW_DEPTH_MAX,
	.packets = &packets_debugspec,
	.set_config = set_config,
	.own_option = own_option,
	.check = check,
	.wraps = wraps,
	.unwrap = unwrap,
	.counts_places = counts_places,
};
