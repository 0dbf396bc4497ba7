// SPDX-License-Identifier: GPL-2.0
/* tracectl encode --format etrace. */
#include <rvtrace/etrace.h>

#include "tools/encode/etrace.h"
#include "tools/tracectl/tracectl.h"
#include "encode.h"
#include "encode_format.h"

enum { OPTION_PARAM = 0x7800, OPTION_MODES, OPTION_FLOW };

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "E-Trace:", 2 },
	{ "param", OPTION_PARAM, "FILE", 0,
	  "Parameters of the encoder: JSON, or an .scf file; for CDL JSON (defaults of its text)", 2 },
	{ "modes", OPTION_MODES, "LIST", 0,
	  "Modes that are on: implicit-return, implicit-exception, full-address, branch-prediction, jump-target-cache, sijump (those of the parameters)",
	  2 },
	{ "flow", OPTION_FLOW, "N", 0, "Flow field of the encapsulation, 0 to 3 (0)", 2 },
	{ },
};

static const struct option_value mode_names[] = {
	{ "implicit-return", ETRACE_MODE(IMPLICIT_RETURN) },
	{ "implicit-exception", ETRACE_MODE(IMPLICIT_EXCEPTION) },
	{ "full-address", ETRACE_MODE(FULL_ADDRESS) },
	{ "branch-prediction", ETRACE_MODE(BRANCH_PREDICTION) },
	{ "jump-target-cache", ETRACE_MODE(JUMP_TARGET_CACHE) },
	{ "sijump", ETRACE_MODE(SIJUMP) },
	{ },
};

/**
 * struct own - what the command line says, and the encoder
 * @option: name of an option that was given
 * @modes: set of ETRACE_MODE(); -1: as the parameters say
 * @flow: of the encapsulation; -1: 0
 * @loaded: what parameters say
 */
static struct own {
	const char *option;
	int modes;
	int flow;
	struct rvtrace_etrace_params loaded;
	struct etrace_params params;
	struct etrace_encoder encoder;
} own;

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct encode_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		own.modes = -1;
		own.flow = -1;
		return 0;
	case OPTION_PARAM:
		o->param = arg;
		add_input(arg);
		return 0;
	case OPTION_MODES:
		own.modes = option_bits(state, "modes", mode_names, arg);
		break;
	case OPTION_FLOW:
		own.flow = option_number(state, "flow", arg, 0, 3);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	own.option = option_name(options, key);
	return 0;
}

const struct argp encode_etrace_argp = { .options = options, .parser = parse_option };

static void check(struct argp_state *state, const struct encode_options *o)
{
	if (!o->param)
		argp_error(state, "E-Trace needs its parameters: --param FILE");
}

static const struct {
	enum etrace_mode mode;
	unsigned int bit;	/* RVTRACE_ETRACE_ */
} modes[] = {
	{ ETRACE_SIJUMP, RVTRACE_ETRACE_SIJUMP },
	{ ETRACE_IMPLICIT_RETURN, RVTRACE_ETRACE_IMPLICIT_RETURN },
	{ ETRACE_BRANCH_PREDICTION, RVTRACE_ETRACE_BRANCH_PREDICTION },
	{ ETRACE_JUMP_TARGET_CACHE, RVTRACE_ETRACE_JUMP_TARGET_CACHE },
	{ ETRACE_IMPLICIT_EXCEPTION, RVTRACE_ETRACE_IMPLICIT_EXCEPTION },
	{ ETRACE_FULL_ADDRESS, RVTRACE_ETRACE_FULL_ADDRESS },
	{ ETRACE_RESYNC_DISABLED, RVTRACE_ETRACE_RESYNC_DISABLED },
	{ ETRACE_NO_ADDRESS, RVTRACE_ETRACE_NO_ADDRESS },
	{ ETRACE_NO_DATA, RVTRACE_ETRACE_NO_DATA },
	{ ETRACE_FULL_DADDRESS, RVTRACE_ETRACE_FULL_DADDRESS },
	{ ETRACE_FULL_DATA, RVTRACE_ETRACE_FULL_DATA },
};

static void set_modes(struct etrace_params *to, const struct rvtrace_etrace_params *from)
{
	for (unsigned int i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		unsigned int number = __builtin_ctz(modes[i].bit);

		to->option[modes[i].mode] = from->option[number] == RVTRACE_ETRACE_NO_OPTION ?
					    ETRACE_NO_OPTION : from->option[number];
		if (from->modes & modes[i].bit)
			to->modes |= 1u << modes[i].mode;
	}
	to->modes &= ~ETRACE_MODE(RESYNC_DISABLED);
}

static void set_reference(struct etrace_params *to)
{
	to->flow = 2;
	to->irdepth_ones = true;
	to->sync_waits = to->sync_mode == ETRACE_SYNC_PACKETS;
}

static struct etrace_params params_of(const struct encode_options *options,
				      const struct rvtrace_etrace_params *params)
{
	struct etrace_params to = {
		.iaddress_width = params->iaddress_width,
		.iaddress_lsb = params->iaddress_lsb,
		.bpred_size = params->bpred_size,
		.cache_size = params->cache_size,
		.return_stack_size = params->return_stack_size,
		.call_counter_size = params->call_counter_size,
		.context_width = params->context_width,
		.nocontext = params->nocontext,
		.time_width = params->time_width,
		.notime = params->notime,
		.ecause_width = params->ecause_width,
		.privilege_width = params->privilege_width,
		.f0s_width = params->f0s_width,
		.data_width = params->data_width,
		.daddress_width = params->daddress_width,
		.dtype_width = params->dtype_width,
		.lrid_width = params->split ? params->lrid_width : 0,
		.src_bits = params->srcid_width,
		.timestamp_bytes = params->timestamp_width / 8,
		.type_bits = params->type_width,
		.type_inst = params->type_inst,
		.type_data = params->type_data,
		.sign_padding = params->sign_padding,
		.data = params->type_width > 0,
		.ctype = ETRACE_CONTEXT_PRECISE,
		.standard_support = params->protocol_minor,
		.irets = params->iret_ext,
		.encoder_mode_width = params->encoder_mode_width,
		.ioptions_width = params->ioptions_width,
		.denable_width = params->denable_width,
		.dloss_width = params->dloss_width,
		.doptions_width = params->doptions_width,
		.ddiff_width = params->ddiff_width,
		.mmacas = params->mmacas_ext,
		.infer_all_returns = params->infer_all_returns,
		.sync_mode = (enum etrace_sync_mode)options->sync,
		.sync_interval = options->sync_interval,
	};

	set_modes(&to, params);
	if (own.modes >= 0)
		to.modes = own.modes;
	if (options->reference)
		set_reference(&to);
	if (own.flow >= 0)
		to.flow = own.flow;
	return to;
}

static int load(struct encode *e)
{
	struct rvtrace_failure error = { 0 };

	if (rvtrace_etrace_params_load(e->options.param, &own.loaded, &error)) {
		error_text("%s", error.text);
		return EXIT_FAILED;
	}
	e->xlen = own.loaded.iaddress_width <= 32 ? 32 : 64;
	e->address_width = own.loaded.iaddress_width;
	e->single = own.loaded.retires <= 1;
	return EXIT_OK;
}

static int prepare(struct encode *e)
{
	const char *wrong;

	own.params = params_of(&e->options, &own.loaded);
	wrong = etrace_params_check(&own.params);
	if (!wrong && e->options.reference && !own.loaded.infer_all_returns &&
	    own.params.modes & ETRACE_MODE(IMPLICIT_RETURN))
		wrong = "infer_all_returns is 0, but --reference reports no return";
	if (wrong) {
		error_text("%s: %s", e->options.param, wrong);
		return EXIT_FAILED;
	}
	etrace_encoder_init(&own.encoder, &own.params, encode_write, e);
	return EXIT_OK;
}

static void start(struct encode *e, uint64_t pc)
{
	etrace_encoder_start(&own.encoder, pc, &e->first, 0, 0);
}

/* The reference encoder has no clock. */
static uint64_t time_of(const struct encode *e, uint64_t time)
{
	return e->options.reference ? 0 : time;
}

static void block(struct encode *e, const struct ingress_block *listed)
{
	struct ingress_block block = *listed;

	block.time = time_of(e, block.time);
	etrace_encoder_block(&own.encoder, &block);
}

static void stop(struct encode *e)
{
	etrace_encoder_stop(&own.encoder, time_of(e, e->time));
}

static const char *check_accesses(void)
{
	if (!own.params.data)
		return encode_no_accesses();
	return own.params.lrid_width ? "a list does not give when split accesses are answered" : NULL;
}

const struct encode_format encode_etrace = {
	.name = "etrace",
	.title = "E-Trace",
	.has_param = true,
	.own_option = &own.option,
	.check = check,
	.load = load,
	.prepare = prepare,
	.start = start,
	.block = block,
	.stop = stop,
	.accesses = "type_width (E-Trace)",
	.check_accesses = check_accesses,
};
