// SPDX-License-Identifier: GPL-2.0
/* tracectl decode --raw --format debugspec: options of its own. */
#include "tools/tracectl/parse.h"
#include "decode.h"
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
	  "Where trace is missing, nobody knows whose follows, up to a Change Hart", 4 },
	{ "literal", OPTION_LITERAL, NULL, 0,
	  "Traps and returns are as in the specification's table to the letter", 4 },
	{ "buffer-size", OPTION_BUFFER_SIZE, "BYTES", 0,
	  "Of the buffer, an eighth of which is between two synchronization points (not known)",
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
		argp_error(state, "--emit: nothing");
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

void debugspec_config(const struct debugspec_options *o, unsigned int xlen,
		      struct rvtrace_flow_config *config)
{
	struct rvtrace_debugspec_config params = {
		.xlen = xlen ? xlen : 64,
		.compressed = !o->no_compressed,
		.several_harts = o->several_harts,
		.literal = o->literal,
		.emit = o->emit ? o->emit : RVTRACE_DEBUGSPEC_EMIT_ALL,
	};

	if (o->buffer_size)
		rvtrace_debugspec_buffer(&params, o->buffer_size, 0);
	rvtrace_flow_config_debugspec(&params, config);
}
