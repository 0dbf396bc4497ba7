// SPDX-License-Identifier: GPL-2.0
/* tracectl decode --raw: N-Trace, and SiFive's messages before it. */
#include <string.h>

#include "trace_input.h"

/* SiFive's encoders do, in a mode that nothing may say; in the others each return is reported. */
static bool leaves_returns_out(const struct raw_options *raw)
{
	if (raw->implicit_return >= 0)
		return raw->implicit_return;
	return raw->format->sifive && !raw->mode;
}

static void set_config(const struct raw_options *raw, struct rvtrace_flow_config *config)
{
	*config = (struct rvtrace_flow_config) {
		.size = sizeof(*config),
		.isa.xlen = raw->xlen ? raw->xlen : 64,
		.src_bits = raw->src_bits < 0 ? 0 : raw->src_bits,
		.ntrace = {
			.implicit_return = leaves_returns_out(raw),
			.count_returns = raw->count_returns,
			.sequential_jump = raw->sequential_jump,
			.all_jumps = raw->all_jumps,
			.extend_addr_msb = raw->extend_addr_msb,
			.sifive = raw->format->sifive,
		},
	};
	memset(config->ntrace.modes, raw->mode, sizeof(config->ntrace.modes));
}

static int set_events(const struct trace_input *in, struct rvtrace_event_config *config,
		      struct rvtrace_failure *error)
{
	const struct rvtrace_flow_config *flow = &in->config;
	bool sifive = flow->ntrace.sifive;

	(void)error;
	config->carrier = sifive ? RVTRACE_EVENT_ITC : RVTRACE_EVENT_PORT;
	config->ntrace = (struct rvtrace_ntrace_config) {
		.src_bits = flow->src_bits, .xlen = flow->isa.xlen,
		.extend_addr_msb = flow->ntrace.extend_addr_msb, .sifive = sifive,
		.software_owner = flow->priv_by_address && sifive,
	};
	return 0;
}

/* Encoders of one stream may differ in that: one that does is enough. */
static bool infers_returns(const struct rvtrace_flow_ntrace *config)
{
	bool infers = config->implicit_return;

	for (size_t i = 0; i < RVTRACE_NTRACE_SOURCES && !infers; i++)
		infers = config->modes[i] == RVTRACE_NTRACE_MODE_OPTIMIZED;
	return infers;
}

static bool has_other_mode(const struct rvtrace_flow_ntrace *config, uint8_t mode)
{
	for (size_t i = 0; i < RVTRACE_NTRACE_SOURCES; i++)
		if (config->modes[i] && config->modes[i] != mode)
			return true;
	return false;
}

const char *decode_ntrace_contradiction(const struct raw_options *raw,
					const struct rvtrace_flow_config *config)
{
	static const struct rvtrace_flow_ntrace none;
	bool is_ntrace = config->format == RVTRACE_FLOW_FORMAT_NTRACE;
	const struct rvtrace_flow_ntrace *ntrace = is_ntrace ? &config->ntrace : &none;

	if (raw->implicit_return >= 0 && (raw->implicit_return > 0) != infers_returns(ntrace))
		return "--implicit-return";
	if (raw->count_returns && !ntrace->count_returns)
		return "--count-returns";
	if (raw->mode && (!is_ntrace || has_other_mode(ntrace, raw->mode)))
		return "--mode";
	if (raw->sequential_jump && !ntrace->sequential_jump)
		return "--sequential-jump";
	if (raw->all_jumps && !ntrace->all_jumps)
		return "--all-jumps";
	if (raw->extend_addr_msb && !ntrace->extend_addr_msb)
		return "--extend-addr-msb";
	return NULL;
}

const struct decode_format decode_ntrace = {
	.name = "ntrace",
	.title = "N-Trace",
	.library = "ntrace",
	.width = "machine",
	.depth_max = 32,	/* N-Trace 1.0, "Implicit Return Optimization" */
	.packets = &packets_ntrace,
	.set_events = set_events,
	.set_config = set_config,
};

const struct decode_format decode_sifive = {
	.name = "sifive",
	.title = "SiFive",
	.library = "ntrace",
	.sifive = true,
	.width = "machine",
	.depth_max = RAW_DEPTH_MAX,
	.packets = &packets_ntrace,
	.set_events = set_events,
	.set_config = set_config,
};
