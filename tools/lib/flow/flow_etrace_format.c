// SPDX-License-Identifier: LGPL-2.1-or-later
/* E-Trace as a format of the flow decoder: see flow_format.h. */
#include "tools/lib/packet/etrace_internal.h"
#include "flow_etrace.h"
#include "flow_format.h"

static bool is_valid(const struct rvtrace_flow_config *config)
{
	return config->src_bits == config->etrace.srcid_width && !config->priv_by_address;
}

/* What the type tells apart. */
static bool has_accesses(const struct rvtrace_flow_config *config)
{
	return config->etrace.type_width;
}

static size_t pass(const struct rvtrace_flow_config *config, const uint8_t *bytes, size_t size,
		   size_t at)
{
	return etrace_reader_pass(&config->etrace, bytes, size, at);
}

static unsigned int time_bits(const struct rvtrace_flow_config *config)
{
	return etrace_time_bits(&config->etrace);
}

static int open_reader(const struct rvtrace_flow_config *config, void **reader)
{
	return etrace_reader.new(&config->etrace, reader);
}

static void free_source(struct source *source)
{
	flow_etrace_state_free(source->etrace);
}

static void *copy_source(const struct source *source)
{
	return flow_etrace_state_copy(source->etrace);
}

static bool same_source(const struct source *a, const struct source *b)
{
	return flow_etrace_state_same(a->etrace, b->etrace);
}

static bool source_time(const struct rvtrace_flow *flow, unsigned int id, uint64_t *time)
{
	return etrace_reader_time(flow->reader, id, time);
}

static void forget(struct rvtrace_flow *flow)
{
	etrace_reader_forget(flow->reader);
}

static void forget_source(struct rvtrace_flow *flow, const struct source *like)
{
	etrace_reader_set_params(flow->reader, like->id, &like->etrace->params);
}

const struct flow_format flow_etrace_format = {
	.reader = &etrace_reader,
	.branches_max = RVTRACE_FLOW_BRANCHES_MAX,
	.is_valid = is_valid,
	.has_accesses = has_accesses,
	.is_serial = has_accesses,	/* they wait for their instructions */
	.pass = pass,
	.time_bits = time_bits,
	.open = open_reader,
	.free_source = free_source,
	.copy_source = copy_source,
	.same_source = same_source,
	.source_time = source_time,
	.forget = forget,
	.forget_source = forget_source,
	.next = flow_etrace_next,
	.walk = flow_etrace_walk,
	.walked = flow_etrace_walked,
	.deliver = flow_etrace_deliver,
	.leave = flow_etrace_leave,
};
