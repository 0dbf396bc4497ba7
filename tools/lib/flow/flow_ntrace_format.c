// SPDX-License-Identifier: LGPL-2.1-or-later
/* N-Trace, SiFive's dialect as well, as a format of the flow decoder: see flow_format.h. */
#include "flow_format.h"
#include "flow_ntrace.h"

static bool is_valid(const struct rvtrace_flow_config *config)
{
	for (size_t i = 0; i < RVTRACE_NTRACE_SOURCES; i++)
		if (config->ntrace.modes[i] > RVTRACE_NTRACE_MODE_OPTIMIZED)
			return false;
	return !config->priv_by_address || config->isa.xlen == 64;
}

static int new(struct rvtrace_flow *flow)
{
	const struct rvtrace_flow_config *config = &flow->config;
	const struct rvtrace_ntrace_config ntrace = {
		.src_bits = config->src_bits,
		.xlen = config->isa.xlen,
		.extend_addr_msb = config->ntrace.extend_addr_msb,
		.sifive = config->ntrace.sifive,
		.software_owner = config->priv_by_address,
	};

	return rvtrace_ntrace_new(&ntrace, &flow->ntrace);
}

static void free_reader(struct rvtrace_flow *flow)
{
	rvtrace_ntrace_free(flow->ntrace);
}

static void new_source(const struct rvtrace_flow *flow, struct source *source)
{
	source->implicit_return = flow->config.ntrace.implicit_return ||
		flow->config.ntrace.modes[source->id] == RVTRACE_NTRACE_MODE_OPTIMIZED;
}

static int feed(struct rvtrace_flow *flow, const void *data, size_t size)
{
	return rvtrace_ntrace_feed(flow->ntrace, data, size);
}

static size_t pending(const struct rvtrace_flow *flow, uint64_t *offset)
{
	return rvtrace_ntrace_pending(flow->ntrace, offset);
}

static void seek(struct rvtrace_flow *flow, uint64_t offset)
{
	rvtrace_ntrace_seek(flow->ntrace, offset);
}

static void resync(struct rvtrace_flow *flow, uint64_t offset)
{
	rvtrace_ntrace_resync(flow->ntrace, offset);
}

const struct flow_format flow_ntrace_format = {
	.units = 1,
	.branches_max = RVTRACE_FLOW_HALFWORDS_MAX,
	.later_sources = true,
	.prompt = true,
	.indexed = true,
	.is_valid = is_valid,
	.new = new,
	.free = free_reader,
	.new_source = new_source,
	.feed = feed,
	.pending = pending,
	.seek = seek,
	.resync = resync,
	.next = flow_ntrace_next,
	.walk = flow_walk,
	.walked = flow_ntrace_walked,
};
