// SPDX-License-Identifier: GPL-2.0
/* tracectl encode: N-Trace, and SiFive's messages before it. */
#include <string.h>

#include "tools/encode/ntrace.h"
#include "tools/tracectl/tracectl.h"
#include "encode.h"
#include "encode_format.h"

enum {
	OPTION_MODE = 0x7400, OPTION_REPEATED_HISTORY, OPTION_REPEAT_BRANCH, OPTION_ALL_JUMPS,
	OPTION_SEQUENTIAL_JUMP, OPTION_IMPLICIT_RETURN, OPTION_EXTEND_ADDR_MSB, OPTION_SRC_BITS,
	OPTION_SRC, OPTION_TIMESTAMPS,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "N-Trace:", 1 },
	{ "mode", OPTION_MODE, "branch|history", 0, "Instruction messaging (history)", 1 },
	{ "repeated-history", OPTION_REPEATED_HISTORY, NULL, 0, "Count equal histories", 1 },
	{ "repeat-branch", OPTION_REPEAT_BRANCH, NULL, 0, "Count equal branch messages", 1 },
	{ "all-jumps", OPTION_ALL_JUMPS, NULL, 0, "Report direct jumps like branches", 1 },
	{ "sequential-jump", OPTION_SEQUENTIAL_JUMP, NULL, 0,
	  "Do not report sequentially inferable jumps", 1 },
	{ "implicit-return", OPTION_IMPLICIT_RETURN, "DEPTH", 0,
	  "Do not report returns from calls up to DEPTH, 0 to 32 (0)", 1 },
	{ "extend-addr-msb", OPTION_EXTEND_ADDR_MSB, NULL, 0,
	  "Addresses skip equal most significant bits", 1 },
	{ "src-bits", OPTION_SRC_BITS, "N", 0, "Bits of SRC (0)", 1 },
	{ "src", OPTION_SRC, "N", 0, "SRC (0)", 1 },
	{ "timestamps", OPTION_TIMESTAMPS, NULL, 0,
	  "Timestamps count the half-words that retired", 1 },
	{ },
};

/**
 * struct own - what the command line says, and the encoder
 * @option: name of an option that was given
 */
static struct own {
	const char *option;
	struct ntrace_params params;
	struct ntrace_encoder encoder;
} own;

static uint64_t number(struct argp_state *state, int key, const char *arg, uint64_t max)
{
	return option_number(state, option_name(options, key), arg, 0, max);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct ntrace_params *params = &own.params;

	switch (key) {
	case ARGP_KEY_INIT:
		params->history = true;
		return 0;
	case OPTION_MODE:
		params->history = !strcmp(arg, "history");
		if (!params->history && strcmp(arg, "branch"))
			argp_error(state, "--mode: %s is neither branch nor history", arg);
		break;
	case OPTION_REPEATED_HISTORY:
		params->repeated_history = true;
		break;
	case OPTION_REPEAT_BRANCH:
		params->repeat_branch = true;
		break;
	case OPTION_ALL_JUMPS:
		params->all_jumps = true;
		break;
	case OPTION_SEQUENTIAL_JUMP:
		params->sequential_jump = true;
		break;
	case OPTION_IMPLICIT_RETURN:
		params->call_stack = number(state, key, arg, NTRACE_MAX_CALL_STACK);
		break;
	case OPTION_EXTEND_ADDR_MSB:
		params->extend_addr_msb = true;
		break;
	case OPTION_SRC_BITS:
		params->src_bits = number(state, key, arg, 12);
		break;
	case OPTION_SRC:
		params->src = number(state, key, arg, (1 << 12) - 1);
		break;
	case OPTION_TIMESTAMPS:
		params->timestamp = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	own.option = option_name(options, key);
	return 0;
}

const struct argp encode_ntrace_argp = { .options = options, .parser = parse_option };

static void check(struct argp_state *state, const struct encode_options *o)
{
	(void)o;
	if (own.params.src && !own.params.src_bits)
		argp_error(state, "--src: without --src-bits messages have none");
}

static void check_sifive(struct argp_state *state, const struct encode_options *o)
{
	check(state, o);
	if (o->reference || own.params.repeated_history)
		argp_error(state, "--%s does not apply to SiFive's dialect", o->reference ? "reference" :
			   "repeated-history");
}

static void set_reference(struct ntrace_params *params)
{
	params->icnt_bits = 30;
	params->indirect_without_hist = true;
	params->distinguish_traps = false;
	params->hist_patterns[0] = params->repeated_history ? 28 : 0;
	params->hist_patterns[1] = params->repeated_history ? 30 : 0;
}

static int prepare_dialect(struct encode *e, bool sifive)
{
	struct ntrace_params *params = &own.params;
	const char *wrong;

	if (!e->xlen)
		e->xlen = 64;
	params->xlen = e->xlen;
	params->distinguish_traps = true;
	params->timestamp_bits = 64;
	params->timestamp_xor = sifive;
	params->branch_runs = sifive && params->history;
	params->icnt_bits = 22;
	params->hist_bits = 32;
	params->repeat_bits = 18;
	params->sync_mode = (enum ntrace_sync_mode)e->options.sync;
	params->sync_interval = e->options.sync_interval;
	if (e->options.reference)
		set_reference(params);
	wrong = ntrace_params_check(params);
	if (wrong) {
		error_text("%s", wrong);
		return EXIT_USAGE;
	}
	ntrace_encoder_init(&own.encoder, params, encode_write, e);
	return EXIT_OK;
}

static int prepare(struct encode *e)
{
	return prepare_dialect(e, false);
}

static int prepare_sifive(struct encode *e)
{
	return prepare_dialect(e, true);
}

static void start(struct encode *e, uint64_t pc)
{
	ntrace_encoder_start(&own.encoder, pc, &e->first, 0, 0, e->options.reference ?
			     NTRACE_SYNC_RESET : NTRACE_SYNC_ENABLE);
}

static void block(struct encode *e, const struct ingress_block *block)
{
	(void)e;
	ntrace_encoder_block(&own.encoder, block);
}

static void stop(struct encode *e)
{
	ntrace_encoder_stop(&own.encoder, 0, e->time, e->cycles, e->options.reference ?
			    NTRACE_EVCODE_DEBUG : NTRACE_EVCODE_DISABLED);
}

const struct encode_format encode_ntrace = {
	.name = "ntrace",
	.title = "N-Trace",
	.has_xlen = true,
	.own_option = &own.option,
	.check = check,
	.prepare = prepare,
	.start = start,
	.block = block,
	.stop = stop,
};

const struct encode_format encode_sifive = {
	.name = "sifive",
	.title = "N-Trace",
	.has_xlen = true,
	.own_option = &own.option,
	.check = check_sifive,
	.prepare = prepare_sifive,
	.start = start,
	.block = block,
	.stop = stop,
};
