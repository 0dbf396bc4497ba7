// SPDX-License-Identifier: GPL-2.0
/* tracectl encode --format cdl. */
#include <rvtrace/cdl.h>

#include "tools/encode/cdl.h"
#include "tools/tracectl/tracectl.h"
#include "encode.h"
#include "encode_format.h"

/**
 * struct own - the encoder
 * @config: what parameters say
 */
static struct own {
	struct rvtrace_cdl_config config;
	struct cdl_encoder encoder;
} own;

static void check(struct argp_state *state, const struct encode_options *o)
{
	if (o->sync || o->reference)
		argp_error(state, "--%s does not apply to CDL: %s", o->sync ? "sync" : "reference",
			   o->sync ? "sync_interval of --param says it" : "there is none");
}

static int load(struct encode *e)
{
	struct rvtrace_failure error = { 0 };

	if (e->options.param &&
	    rvtrace_cdl_config_load(e->options.param, &own.config, &error)) {
		error_text("%s", error.text);
		return EXIT_FAILED;
	}
	e->single = true;	/* it counts instructions */
	return EXIT_OK;
}

static int check_params(struct encode *e, struct cdl_params *params)
{
	const struct rvtrace_cdl_config *config = &own.config;
	const char *wrong;

	*params = (struct cdl_params) {
		.flavour = config->flavour == RVTRACE_CDL_RTL ? CDL_RTL : CDL_DOC,
		.xlen = config->xlen,
		.rv64 = config->rv64,
		.pc = true,
		.sync_interval = config->sync_interval,
	};
	wrong = cdl_params_check(params);
	if (!wrong)
		return EXIT_OK;
	error_text("%s: %s", e->options.param ? e->options.param : "--format cdl", wrong);
	return EXIT_FAILED;
}

static int prepare(struct encode *e)
{
	struct rvtrace_cdl_config *config = &own.config;
	struct cdl_params params;
	int status;

	if (e->xlen && e->options.param && e->xlen != config->xlen) {
		error_text("%s: parameters of a hart of %u bits (xlen), but the program has %u",
			   e->options.param, config->xlen, e->xlen);
		return EXIT_FAILED;
	}
	if (!e->options.param)
		config->xlen = e->xlen ? e->xlen : 32;
	e->xlen = config->xlen;
	status = check_params(e, &params);
	if (!status)
		cdl_encoder_init(&own.encoder, &params, encode_write, e);
	return status;
}

static void start(struct encode *e, uint64_t pc)
{
	(void)e;
	(void)pc;
	cdl_encoder_start(&own.encoder);
}

static void block(struct encode *e, const struct ingress_block *block)
{
	(void)e;
	cdl_encoder_block(&own.encoder, block);
}

static void stop(struct encode *e)
{
	(void)e;
	cdl_encoder_stop(&own.encoder);
}

const struct encode_format encode_cdl = {
	.name = "cdl",
	.title = "CDL",
	.has_param = true,
	.check = check,
	.load = load,
	.prepare = prepare,
	.start = start,
	.block = block,
	.stop = stop,
};
