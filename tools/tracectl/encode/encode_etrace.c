// SPDX-License-Identifier: GPL-2.0
/* tracectl encode: E-Trace parameters of a file, for the encoder. */
#include "encode.h"

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

struct etrace_params encode_etrace_params(const struct encode_options *options,
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
	if (options->modes >= 0)
		to.modes = options->modes;
	if (options->reference)
		set_reference(&to);
	if (options->flow >= 0)
		to.flow = options->flow;
	return to;
}
