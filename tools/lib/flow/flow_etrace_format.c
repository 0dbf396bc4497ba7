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

static int new(struct rvtrace_flow *flow)
{
	return rvtrace_etrace_new(&flow->config.etrace, &flow->etrace);
}

static void free_reader(struct rvtrace_flow *flow)
{
	rvtrace_etrace_free(flow->etrace);
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
	return etrace_reader_time(flow->etrace, id, time);
}

static void forget(struct rvtrace_flow *flow)
{
	etrace_reader_forget(flow->etrace);
}

static void forget_source(struct rvtrace_flow *flow, const struct source *like)
{
	etrace_reader_set_params(flow->etrace, like->id, &like->etrace->params);
}

static void restart(struct rvtrace_flow *flow)
{
	rvtrace_etrace_restart(flow->etrace);
}

static int feed(struct rvtrace_flow *flow, const void *data, size_t size)
{
	return rvtrace_etrace_feed(flow->etrace, data, size);
}

static size_t pending(const struct rvtrace_flow *flow, uint64_t *offset)
{
	return rvtrace_etrace_pending(flow->etrace, offset);
}

static void seek(struct rvtrace_flow *flow, uint64_t offset)
{
	rvtrace_etrace_seek(flow->etrace, offset);
}

static void resync(struct rvtrace_flow *flow, uint64_t offset)
{
	rvtrace_etrace_resync(flow->etrace, offset);
}

const struct flow_format flow_etrace_format = {
	.units = 1,
	.branches_max = RVTRACE_FLOW_BRANCHES_MAX,
	.is_valid = is_valid,
	.has_accesses = has_accesses,
	.is_serial = has_accesses,	/* they wait for their instructions */
	.pass = pass,
	.time_bits = time_bits,
	.new = new,
	.free = free_reader,
	.free_source = free_source,
	.copy_source = copy_source,
	.same_source = same_source,
	.source_time = source_time,
	.forget = forget,
	.forget_source = forget_source,
	.feed = feed,
	.pending = pending,
	.seek = seek,
	.resync = resync,
	.next = flow_etrace_next,
	.walk = flow_etrace_walk,
	.walked = flow_etrace_walked,
	.deliver = flow_etrace_deliver,
	.leave = flow_etrace_leave,
	.restart = restart,
};
