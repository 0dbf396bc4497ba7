// SPDX-License-Identifier: GPL-2.0
/* tracectl encode: its command line. */
#include <string.h>

#include "tools/tracectl/parse.h"
#include "tools/tracectl/tracectl.h"
#include "encode.h"

enum {
	OPTION_FORMAT = 0x7000, OPTION_ELF, OPTION_IMAGE, OPTION_REFERENCE, OPTION_SYNC,
	OPTION_PRIV, OPTION_XLEN,
	/* N-Trace alone */
	OPTION_MODE, OPTION_REPEATED_HISTORY, OPTION_REPEAT_BRANCH, OPTION_ALL_JUMPS,
	OPTION_SEQUENTIAL_JUMP, OPTION_IMPLICIT_RETURN, OPTION_EXTEND_ADDR_MSB, OPTION_SRC_BITS,
	OPTION_SRC, OPTION_TIMESTAMPS,
	/* E-Trace alone */
	OPTION_PARAM, OPTION_MODES, OPTION_FLOW,
};

static const struct argp_option options[] = {
	{ "format", OPTION_FORMAT, "ntrace|sifive|etrace|cdl|debugspec", 0,
	  "Format of the trace; sifive: N-Trace before 1.0", 0 },
	{ "elf", OPTION_ELF, "FILE", 0, "The program, at its link address", 0 },
	{ "image", OPTION_IMAGE, "FILE@ADDRESS", 0, "More of the program, raw bytes", 0 },
	{ "output", 'o', "FILE", 0, "Write to FILE; - is standard output", 0 },
	{ "sync", OPTION_SYNC, "COUNTED:N", 0,
	  "Synchronize every N packets, cycles or halfwords (not at all)", 0 },
	{ "priv", OPTION_PRIV, "u|s|m", 0, "Privilege, if the list does not tell it (m)", 0 },
	{ "xlen", OPTION_XLEN, "32|64", 0,
	  "N-Trace, debug specification: width of addresses (as the program says, else 64)", 0 },
	{ "reference", OPTION_REFERENCE, NULL, 0,
	  "What the specification leaves open is as the reference encoders have it", 0 },
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
	{ NULL, 0, NULL, 0, "E-Trace:", 2 },
	{ "param", OPTION_PARAM, "FILE", 0,
	  "Parameters of the encoder: JSON, or an .scf file; of CDL, too (as its text has it)", 2 },
	{ "modes", OPTION_MODES, "LIST", 0,
	  "What is on: implicit-return, implicit-exception, full-address, branch-prediction, jump-target-cache, sijump (as the parameters say)",
	  2 },
	{ "flow", OPTION_FLOW, "N", 0, "flow of the encapsulation, 0 to 3 (0)", 2 },
	{ },
};

static uint64_t number(struct argp_state *state, int key, const char *arg, uint64_t max)
{
	return option_number(state, option_name(options, key), arg, 0, max);
}

static const struct option_value modes[] = {
	{ "implicit-return", ETRACE_MODE(IMPLICIT_RETURN) },
	{ "implicit-exception", ETRACE_MODE(IMPLICIT_EXCEPTION) },
	{ "full-address", ETRACE_MODE(FULL_ADDRESS) },
	{ "branch-prediction", ETRACE_MODE(BRANCH_PREDICTION) },
	{ "jump-target-cache", ETRACE_MODE(JUMP_TARGET_CACHE) },
	{ "sijump", ETRACE_MODE(SIJUMP) },
	{ },
};

/* --format that is none of enum encode_format */
#define FORMAT_SIFIVE	0x100

static const struct option_value formats[] = {
	{ "ntrace", ENCODE_NTRACE },
	{ "sifive", FORMAT_SIFIVE },
	{ "etrace", ENCODE_ETRACE },
	{ "cdl", ENCODE_CDL },
	{ "debugspec", ENCODE_DEBUGSPEC },
	{ },
};

static const struct option_value privileges[] = {
	{ "u", INGRESS_PRIV_U },
	{ "s", INGRESS_PRIV_S },
	{ "m", INGRESS_PRIV_M },
	{ },
};

static void parse_sync(struct argp_state *state, struct encode_options *o, const char *arg)
{
	static const char *const counted[] = { NULL, "packets", "cycles", "halfwords" };
	const char *colon = strchr(arg, ':');

	for (unsigned int i = 1; colon && i < sizeof(counted) / sizeof(counted[0]); i++) {
		if (strncmp(arg, counted[i], colon - arg) || counted[i][colon - arg])
			continue;
		o->sync = i;
		if (!parse_number(colon + 1, &o->sync_interval) && o->sync_interval)
			return;
	}
	argp_error(state, "--sync: %s is not packets:N, cycles:N or halfwords:N", arg);
}

static void add_image(struct argp_state *state, struct encode_options *o, char *arg,
		      bool elf)
{
	if (o->image_count == MAX_ENCODE_IMAGES)
		argp_error(state, "more than %d images", MAX_ENCODE_IMAGES);
	o->images[o->image_count] = elf ? (struct image_option) { .path = arg, .elf = true } :
					  option_image(state, arg);
	add_input(o->images[o->image_count++].path);
}

static error_t parse_ntrace(int key, char *arg, struct argp_state *state)
{
	struct encode_options *o = state->input;

	switch (key) {
	case OPTION_MODE:
		o->ntrace.history = !strcmp(arg, "history");
		if (!o->ntrace.history && strcmp(arg, "branch"))
			argp_error(state, "--mode: %s is neither branch nor history", arg);
		break;
	case OPTION_REPEATED_HISTORY:
		o->ntrace.repeated_history = true;
		break;
	case OPTION_REPEAT_BRANCH:
		o->ntrace.repeat_branch = true;
		break;
	case OPTION_ALL_JUMPS:
		o->ntrace.all_jumps = true;
		break;
	case OPTION_SEQUENTIAL_JUMP:
		o->ntrace.sequential_jump = true;
		break;
	case OPTION_IMPLICIT_RETURN:
		o->ntrace.call_stack = number(state, key, arg, NTRACE_MAX_CALL_STACK);
		break;
	case OPTION_EXTEND_ADDR_MSB:
		o->ntrace.extend_addr_msb = true;
		break;
	case OPTION_SRC_BITS:
		o->ntrace.src_bits = number(state, key, arg, 12);
		break;
	case OPTION_SRC:
		o->ntrace.src = number(state, key, arg, (1 << 12) - 1);
		break;
	case OPTION_TIMESTAMPS:
		o->ntrace.timestamp = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	o->ntrace_option = option_name(options, key);
	return 0;
}

static error_t parse_etrace(int key, char *arg, struct argp_state *state)
{
	struct encode_options *o = state->input;

	switch (key) {
	case OPTION_PARAM:
		o->param = arg;
		add_input(arg);
		return 0;
	case OPTION_MODES:
		o->modes = option_bits(state, "modes", modes, arg);
		break;
	case OPTION_FLOW:
		o->flow = number(state, key, arg, 3);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	o->etrace_option = option_name(options, key);
	return 0;
}

static void check_options(struct argp_state *state, const struct encode_options *o)
{
	if (!o->list)
		argp_error(state, "no list of executed addresses given");
	if (o->format == ENCODE_NONE)
		argp_error(state, "--format says which trace: ntrace, sifive, etrace, cdl or debugspec");
	if (!o->image_count)
		argp_error(state, "no program: --elf FILE");
	if ((o->format == ENCODE_NTRACE || o->format == ENCODE_DEBUGSPEC) && o->param)
		argp_error(state, "--param is for E-Trace and CDL");
	if (o->format != ENCODE_ETRACE && o->etrace_option)
		argp_error(state, "--%s is for E-Trace", o->etrace_option);
	if (o->format != ENCODE_NTRACE && o->ntrace_option)
		argp_error(state, "--%s is for N-Trace", o->ntrace_option);
	if (o->xlen && o->format != ENCODE_NTRACE && o->format != ENCODE_DEBUGSPEC)
		argp_error(state, "--xlen is for N-Trace and the debug specification");
	if (o->ntrace.src && !o->ntrace.src_bits)
		argp_error(state, "--src: without --src-bits messages have none");
	if (o->sifive && (o->reference || o->ntrace.repeated_history))
		argp_error(state, "--%s is not for SiFive's dialect", o->reference ? "reference" :
			   "repeated-history");
	if (o->format == ENCODE_CDL && (o->sync || o->reference))
		argp_error(state, "--%s: not with CDL: %s", o->sync ? "sync" : "reference",
			   o->sync ? "sync_interval of --param says it" : "there is none");
	if (o->format != ENCODE_DEBUGSPEC && o->debugspec.option)
		argp_error(state, "--%s is for the debug specification", o->debugspec.option);
	if (o->format == ENCODE_DEBUGSPEC && (o->sync || o->reference))
		argp_error(state, "--%s is not for the debug specification", o->sync ? "sync" :
			   "reference");
	if (o->format == ENCODE_ETRACE && !o->param)
		argp_error(state, "E-Trace needs its parameters: --param FILE");
	if (global.json)
		argp_error(state, "--json: trace has no such form");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct encode_options *o = state->input;

	switch (key) {
	case OPTION_FORMAT:
		o->format = option_choice(state, "format", formats, arg);
		o->sifive = (int)o->format == FORMAT_SIFIVE;
		if (o->sifive)
			o->format = ENCODE_NTRACE;
		return 0;
	case OPTION_ELF:
	case OPTION_IMAGE:
		add_image(state, o, arg, key == OPTION_ELF);
		return 0;
	case OPTION_SYNC:
		parse_sync(state, o, arg);
		return 0;
	case OPTION_PRIV:
		o->priv = option_choice(state, "priv", privileges, arg);
		return 0;
	case OPTION_XLEN:
		o->xlen = number(state, key, arg, 64);
		if (o->xlen != 32 && o->xlen != 64)
			argp_error(state, "--xlen: neither 32 nor 64");
		return 0;
	case OPTION_REFERENCE:
		o->reference = true;
		return 0;
	case 'o':
		o->output = strcmp(arg, "-") ? arg : NULL;
		return 0;
	case ARGP_KEY_INIT:
		o->ntrace.history = true;
		o->priv = INGRESS_PRIV_M;
		o->modes = -1;
		o->flow = -1;
		state->child_inputs[1] = &o->debugspec;
		return 0;
	case ARGP_KEY_ARG:
		if (o->list)
			argp_error(state, "more than one list");
		o->list = arg;
		add_input(arg);
		return 0;
	case ARGP_KEY_END:
		check_options(state, o);
		return 0;
	default:
		return key < OPTION_PARAM ? parse_ntrace(key, arg, state) :
					    parse_etrace(key, arg, state);
	}
}

static const struct argp_child children[] = {
	{ .argp = &global_argp }, { .argp = &encode_debugspec_argp }, { },
};

const struct argp encode_argp = {
	.options = options, .parser = parse_option, .children = children,
	.args_doc = "--format ntrace|sifive|etrace|cdl|debugspec --elf FILE [OPTION...] LIST",
	.doc = "Turn a list of executed addresses into the trace of them. LIST has one address in "
	       "hexadecimal per line, or the columns VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,"
	       "TVAL,INTERRUPT under this heading; - is standard input.",
};
