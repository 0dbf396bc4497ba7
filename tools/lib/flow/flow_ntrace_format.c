// SPDX-License-Identifier: LGPL-2.1-or-later
/* N-Trace, SiFive's dialect as well, as a format of the flow decoder: see flow_format.h. */
#include "flow_format.h"
#include "flow_ntrace.h"

static bool is_valid(const struct rvtrace_flow_config *config)
{
	for (size_t i = 0; i < RVTRACE_NTRACE_SOURCES; i++)
		if (config->ntrace.modes[i] > RVTRACE_NTRACE_MODE_OPTIMIZED)
			return false;
	if (!all_zero(config->ntrace.reserved, sizeof(config->ntrace.reserved)))
		return false;
	return !config->priv_by_address || config->isa.xlen == 64;
}

static int open_reader(const struct rvtrace_flow_config *config, void **reader)
{
	const struct rvtrace_ntrace_config ntrace = {
		.src_bits = config->src_bits,
		.xlen = config->isa.xlen,
		.extend_addr_msb = config->ntrace.extend_addr_msb,
		.sifive = config->ntrace.sifive,
		.software_owner = config->priv_by_address,
	};

	return ntrace_reader.new(&ntrace, reader);
}

static bool leaves_out(const struct rvtrace_flow_config *config, unsigned int id)
{
	return config->ntrace.implicit_return ||
	       config->ntrace.modes[id] == RVTRACE_NTRACE_MODE_OPTIMIZED;
}

/* No address is compared. */
static bool counts_calls(const struct rvtrace_flow_config *config)
{
	return config->ntrace.sifive || config->ntrace.count_returns;
}

static bool follows_link(const struct rvtrace_flow_config *config)
{
	unsigned int id;

	for (id = 0; counts_calls(config) && id < RVTRACE_NTRACE_SOURCES; id++)
		if (leaves_out(config, id))
			return true;
	return false;
}

static void new_source(const struct rvtrace_flow *flow, struct source *source)
{
	source->implicit_return = leaves_out(&flow->config, source->id);
	source->counts_calls = source->implicit_return && counts_calls(&flow->config);
}

const struct flow_format flow_ntrace_format = {
	.reader = &ntrace_reader,
	.branches_max = RVTRACE_FLOW_HALFWORDS_MAX,
	.later_sources = true,
	.prompt = true,
	.indexed = true,
	.is_valid = is_valid,
	.open = open_reader,
	.follows_link = follows_link,
	.new_source = new_source,
	.next = flow_ntrace_next,
	.walk = flow_walk,
	.walked = flow_ntrace_walked,
};
