// SPDX-License-Identifier: GPL-2.0
/* What a decoder must know of an E-Trace encoder. */
#include "selftests/unit/etrace-decoder-params.h"

struct rvtrace_etrace_params etrace_decoder_params(const struct etrace_params *from)
{
	struct rvtrace_etrace_params to;

	rvtrace_etrace_params_default(&to);
	to.iaddress_width = from->iaddress_width;
	to.iaddress_lsb = from->iaddress_lsb;
	to.bpred_size = from->bpred_size;
	to.cache_size = from->cache_size;
	to.return_stack_size = from->return_stack_size;
	to.call_counter_size = from->call_counter_size;
	to.context_width = from->context_width;
	to.nocontext = from->nocontext;
	to.time_width = from->time_width;
	to.notime = from->notime;
	to.ecause_width = from->ecause_width;
	to.privilege_width = from->privilege_width;
	to.f0s_width = from->f0s_width;
	to.srcid_width = from->src_bits;
	to.timestamp_width = 8 * from->timestamp_bytes;
	to.type_width = from->type_bits;
	to.type_inst = from->type_inst;
	to.type_data = !from->type_inst;
	if (from->src_event)
		to.event_srcid_bit = __builtin_ctz(from->src_event);
	else if (!etrace_events_check(from))
		to.type_event = from->type_event;
	to.sign_padding = from->sign_padding;
	to.protocol_minor = from->standard_support;
	to.encoder_mode_width = from->encoder_mode_width;
	to.ioptions_width = from->ioptions_width;
	to.denable_width = from->denable_width;
	to.dloss_width = from->dloss_width;
	to.doptions_width = from->doptions_width;
	to.iret_ext = from->irets;
	if (from->data) {
		to.type_data = from->type_data;
		to.data_width = from->data_width;
		to.daddress_width = from->daddress_width;
		to.dtype_width = from->dtype_width;
		to.split = from->lrid_width > 0;
		to.lrid_width = from->lrid_width;
		to.ddiff_width = from->ddiff_width;
		to.mmacas_ext = from->mmacas;
	}
	for (unsigned int i = 0; i < RVTRACE_ETRACE_MODES; i++)
		to.option[i] = from->option[i];
	return to;
}
