// SPDX-License-Identifier: GPL-2.0
/* tracectl decode --raw: N-Trace, and SiFive's messages before it. */
#include <string.h>

#include "decode.h"

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
		.isa.xlen = raw->xlen ? raw->xlen : 64,
		.src_bits = raw->src_bits < 0 ? 0 : raw->src_bits,
		.implicit_return = leaves_returns_out(raw),
		.sequential_jump = raw->sequential_jump,
		.all_jumps = raw->all_jumps,
		.extend_addr_msb = raw->extend_addr_msb,
		.sifive = raw->format->sifive,
	};
	memset(config->modes, raw->mode, sizeof(config->modes));
}

const struct decode_format decode_ntrace = {
	.name = "ntrace",
	.title = "N-Trace",
	.library = "ntrace",
	.width = "machine",
	.depth_max = 32,	/* N-Trace 1.0, "Implicit Return Optimization" */
	.packets = &packets_ntrace,
	.has_events = true,
	.carrier = RVTRACE_EVENT_PORT,
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
	.has_events = true,
	.carrier = RVTRACE_EVENT_ITC,
	.set_config = set_config,
};
