// SPDX-License-Identifier: GPL-2.0
/* tracectl encode: its command line. */
#include <string.h>

#include "tools/tracectl/parse.h"
#include "tools/tracectl/tracectl.h"
#include "encode.h"
#include "encode_format.h"

enum {
	OPTION_FORMAT = 0x7000, OPTION_ELF, OPTION_IMAGE, OPTION_REFERENCE, OPTION_SYNC,
	OPTION_PRIV, OPTION_XLEN,
};

static const struct argp_option options[] = {
	{ "format", OPTION_FORMAT, ENCODE_FORMATS, 0,
	  "Format of the trace; sifive: N-Trace before 1.0", 0 },
	{ "elf", OPTION_ELF, "FILE", 0, "The program, at its link address", 0 },
	{ "image", OPTION_IMAGE, "FILE@ADDRESS", 0, "Another part of the program, raw bytes", 0 },
	{ "output", 'o', "FILE", 0, "Write to FILE; - is standard output", 0 },
	{ "sync", OPTION_SYNC, "COUNTED:N", 0,
	  "Synchronize every N messages, cycles or half-words (not at all)", 0 },
	{ "priv", OPTION_PRIV, "u|s|m", 0, "Privilege, if the list does not give it (m)", 0 },
	{ "xlen", OPTION_XLEN, "32|64", 0,
	  "N-Trace, debug specification: width of addresses (that of the program, else 64)", 0 },
	{ "reference", OPTION_REFERENCE, NULL, 0,
	  "Encode what the specification leaves open as the reference encoders do", 0 },
	{ },
};

static const struct option_value privileges[] = {
	{ "u", INGRESS_PRIV_U },
	{ "s", INGRESS_PRIV_S },
	{ "m", INGRESS_PRIV_M },
	{ },
};

static void parse_sync(struct argp_state *state, struct encode_options *o, char *arg)
{
	static const char *const counted[] = { NULL, "messages", "cycles", "half-words" };
	char *colon = strchr(arg, ':');

	o->sync = 0;
	for (unsigned int i = 1; colon && i < sizeof(counted) / sizeof(counted[0]); i++) {
		*colon = 0;
		if (!strcmp(sync_unit(arg), counted[i]))
			o->sync = i;
		*colon = ':';
	}
	if (!o->sync || parse_number(colon + 1, &o->sync_interval) || !o->sync_interval)
		argp_error(state, "--sync: %s is not messages:N, cycles:N or half-words:N", arg);
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

static void check_options(struct argp_state *state, const struct encode_options *o)
{
	if (!o->list)
		argp_error(state, "no list of executed addresses given");
	if (!o->format)
		argp_error(state, "--format says which trace: %s", encode_format_names());
	if (!o->image_count)
		argp_error(state, "no program: --elf FILE");
	encode_check_format(state, o);
	if (global.json)
		argp_error(state, "--json: trace has no JSON form");
}

static void init_options(struct argp_state *state, struct encode_options *o)
{
	o->priv = INGRESS_PRIV_M;
	for (size_t i = 0; encode_children[i].argp; i++)
		state->child_inputs[i] = o;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct encode_options *o = state->input;

	switch (key) {
	case OPTION_FORMAT:
		o->format = encode_format_option(state, arg);
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
		o->xlen = option_number(state, "xlen", arg, 0, 64);
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
		init_options(state, o);
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
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp encode_argp = {
	.options = options, .parser = parse_option, .children = encode_children,
	.args_doc = "--format " ENCODE_FORMATS " --elf FILE [OPTION...] LIST",
	.doc = "Turn a list of executed addresses into trace. LIST has one address in "
	       "hexadecimal per line, or the columns VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,"
	       "TVAL,INTERRUPT under this heading; - is standard input.",
};
