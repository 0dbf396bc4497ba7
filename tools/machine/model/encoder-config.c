// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/encoder-config.h"

#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/machine/model/regs.h"

/* Those of teInstFeatures that N-Trace 1.0 has. */
#define NTRACE_INST_FEATURES	(RVTRACE_TE_INST_EN_SEQUENTIAL_JUMP | \
				 RVTRACE_TE_INST_EN_CALL_STACK)

void te_config_default(struct te_config *config)
{
	*config = (struct te_config) {
		.inst_modes = 1 << RVTRACE_INST_MODE_OFF |
			      1 << RVTRACE_INST_MODE_BRANCH |
			      1 << RVTRACE_INST_MODE_HISTORY |
			      1 << RVTRACE_INST_MODE_HISTORY_OPTIMIZED,
		.sync_modes = 0xf,
		.sync_max = 0xffff,
		.sinks = 1 << RVTRACE_SINK_FUNNEL,
		.src_bits = 4,
		.src_writable = true,
		.context = true,
		.scontext = true,
		.inhibit_src = true,
		.stall = true,
		.stop_on_wrap = false,
		.inst_features = NTRACE_INST_FEATURES,
		.ts_types = 1 << RVTRACE_TS_TYPE_NONE |
			    1 << RVTRACE_TS_TYPE_EXTERNAL |
			    1 << RVTRACE_TS_TYPE_INTERNAL,
		.ts_width = 64,
		.ts_prescale = true,
		.active_delay = 50000,
		.empty_delay = 20000,
		.fifo_size = 1024,
		.icnt_bits = 17,
		.hist_bits = 32,
		.repeat_bits = 18,
		.call_stack = 16,
		.repeat_branch = true,
	};
	ramsink_config_default(&config->sink);
}

static const char *check_protocol(const struct te_config *config)
{
	struct ntrace_params params = {
		.history = true,
		.xlen = 64,
		.call_stack = config->call_stack,
		.timestamp_bits = config->ts_width,
		.icnt_bits = config->icnt_bits,
		.hist_bits = config->hist_bits,
		.repeat_bits = config->repeat_bits,
	};

	if (config->inst_features & ~NTRACE_INST_FEATURES)
		return "inst_features has bits that N-Trace does not have";
	if (config->call_stack > UINT8_MAX || config->ts_width > UINT8_MAX ||
	    config->icnt_bits > UINT8_MAX || config->hist_bits > UINT8_MAX ||
	    config->repeat_bits > UINT8_MAX)
		return "a width is more than 255";
	return ntrace_params_check(&params);
}

const char *te_config_check(const struct te_config *config)
{
	uint32_t modes = 1 << RVTRACE_INST_MODE_BRANCH |
			 1 << RVTRACE_INST_MODE_HISTORY |
			 1 << RVTRACE_INST_MODE_HISTORY_OPTIMIZED;
	uint32_t sinks = 1 << RVTRACE_SINK_SBA | 1 << RVTRACE_SINK_FUNNEL;

	if (!(config->inst_modes & modes) || config->inst_modes & ~(modes | 1))
		return "inst_modes is not a set of 0, 3, 6, 7 with one to trace";
	if (!config->sync_modes || config->sync_modes & ~0xfu)
		return "sync_modes is not a set of 0 to 3";
	if (!config->sync_max || config->sync_max & ~0xffffu)
		return "sync_max is not a set of 0 to 15";
	if (!config->sinks || config->sinks & ~sinks)
		return "sinks is not a set of 7 and 8";
	if (config->src_bits > 7 || config->src_id > 15)
		return "src_bits is more than 7 or src_id more than 15";
	if (!config->ts_types || config->ts_types & ~0x17u)
		return "ts_types is not a set of 0, 1, 2, 4";
	if (config->fifo_size < 128)
		return "fifo_size is less than 128";
	if (config->sinks & 1 << RVTRACE_SINK_SBA &&
	    ramsink_config_check(&config->sink))
		return ramsink_config_check(&config->sink);
	return check_protocol(config);
}

struct ntrace_params te_ntrace_params(const struct te_config *config,
				      uint32_t control, uint32_t impl,
				      uint32_t features, bool timestamp)
{
	uint32_t mode = field_get(RVTRACE_TE_CONTROL_INST_MODE, control);
	bool optimized = mode == RVTRACE_INST_MODE_HISTORY_OPTIMIZED;
	struct ntrace_params params = {
		.history = mode != RVTRACE_INST_MODE_BRANCH,
		.repeated_history = optimized,
		.repeat_branch = mode == RVTRACE_INST_MODE_BRANCH &&
				 config->repeat_branch,
		.sequential_jump = optimized &&
			features & RVTRACE_TE_INST_EN_SEQUENTIAL_JUMP,
		.indirect_without_hist = optimized,
		.distinguish_traps = true,
		.scontext = config->scontext,
		.filter_machine = config->filter_machine,
		.ownership = control & RVTRACE_TE_CONTROL_CONTEXT,
		.timestamp = timestamp,
		.xlen = 64,
		.timestamp_bits = config->ts_width,
		.icnt_bits = config->icnt_bits,
		.hist_bits = config->hist_bits,
		.repeat_bits = config->repeat_bits,
		.sync_mode = (enum ntrace_sync_mode)
			field_get(RVTRACE_TE_CONTROL_SYNC_MODE, control),
		/* "count reaches 2^(teSyncMax + 4)" */
		.sync_interval = 16ull <<
			field_get(RVTRACE_TE_CONTROL_SYNC_MAX, control),
	};

	if (optimized && config->hist_bits == 32) {
		params.hist_patterns[0] = 28;
		params.hist_patterns[1] = 30;
	}
	if (optimized && features & RVTRACE_TE_INST_EN_CALL_STACK)
		params.call_stack = config->call_stack;
	if (!(control & RVTRACE_TE_CONTROL_INHIBIT_SRC)) {
		params.src_bits = field_get(RVTRACE_TE_IMPL_SRC_BITS, impl);
		params.src = field_get(RVTRACE_TE_IMPL_SRC_ID, impl) &
			     ((1u << params.src_bits) - 1);
	}
	return params;
}
