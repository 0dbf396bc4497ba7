// SPDX-License-Identifier: GPL-2.0
/* tracectl decode --raw --format osd: packets of modules, not of harts, and without a flow. */
#include "trace_input.h"

static void *open_packets(const struct raw_options *raw)
{
	return packets_osd_open(&raw->osd);
}

static int set_events(const struct trace_input *in, struct rvtrace_event_config *config,
		      struct rvtrace_failure *error)
{
	const struct osd_modules *modules = &in->raw_options.osd;

	(void)error;
	config->carrier = RVTRACE_EVENT_STM;
	config->osd = (struct rvtrace_osd_config) {
		.modules = modules->list, .module_count = modules->count, .others = modules->others,
	};
	return 0;
}

static const char *own_option(const struct raw_options *raw)
{
	return raw->has_modules ? "module" : NULL;
}

static void check(struct argp_state *state, const struct trace_input *in)
{
	if (in->filter.has_harts || in->filter.range_count || in->filter.symbol_count)
		argp_error(state, "--%s: the format does not report it", in->filter.has_harts ?
			   "hart" : in->filter.range_count ? "address" : "symbol");
}

const struct decode_format decode_osd = {
	.name = "osd",
	.title = "Open SoC Debug",
	.depth_max = RAW_DEPTH_MAX,
	.packets = &packets_osd,
	.open = open_packets,
	.set_events = set_events,
	.own_option = own_option,
	.check = check,
};
