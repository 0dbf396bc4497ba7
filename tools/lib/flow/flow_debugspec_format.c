// SPDX-License-Identifier: LGPL-2.1-or-later
/* The debug specification's trace as a format of the flow decoder: see flow_format.h. */
#include <stdlib.h>

#include "flow_debugspec.h"
#include "flow_format.h"

static bool is_valid(const struct rvtrace_flow_config *config)
{
	return config->src_bits == RVTRACE_DEBUGSPEC_HART_BITS &&
	       config->isa.xlen == config->debugspec.xlen && !config->priv_by_address;
}

/* No state of a source has the PC that is held back, nor accesses that wait for instructions. */
static bool is_serial(const struct rvtrace_flow_config *config)
{
	(void)config;
	return true;
}

static int new(struct rvtrace_flow *flow)
{
	int err;

	flow->debugspec = calloc(1, sizeof(*flow->debugspec));
	if (!flow->debugspec)
		return RVTRACE_ERR_NO_MEMORY;
	err = rvtrace_debugspec_new(&flow->config.debugspec, &flow->debugspec->reader);
	if (err)
		free(flow->debugspec);
	return err;
}

static void free_reader(struct rvtrace_flow *flow)
{
	rvtrace_debugspec_free(flow->debugspec->reader);
	free(flow->debugspec);
}

static void free_source(struct source *source)
{
	free(source->debugspec);
}

static void begin(struct rvtrace_flow *flow)
{
	flow->debugspec->shown_since = flow->debugspec->shown_count;
}

static uint64_t lost(const struct rvtrace_flow *flow, uint64_t *from)
{
	const struct debugspec_flow *d = flow->debugspec;
	uint64_t lost = rvtrace_debugspec_lost(d->reader, from);

	if (!lost)
		*from = d->unowned_from;
	return lost ? lost : d->unowned;
}

static int feed(struct rvtrace_flow *flow, const void *data, size_t size)
{
	return rvtrace_debugspec_feed(flow->debugspec->reader, data, size);
}

static size_t pending(const struct rvtrace_flow *flow, uint64_t *offset)
{
	return rvtrace_debugspec_pending(flow->debugspec->reader, offset);
}

static void seek(struct rvtrace_flow *flow, uint64_t offset)
{
	rvtrace_debugspec_seek(flow->debugspec->reader, offset);
}

static void resync(struct rvtrace_flow *flow, uint64_t offset)
{
	rvtrace_debugspec_resync(flow->debugspec->reader, offset);
}

const struct flow_format flow_debugspec_format = {
	.units = 2,
	.branches_max = RVTRACE_FLOW_HALFWORDS_MAX,
	.is_valid = is_valid,
	.is_serial = is_serial,
	.new = new,
	.free = free_reader,
	.free_source = free_source,
	.begin = begin,
	.feed = feed,
	.pending = pending,
	.lost = lost,
	.seek = seek,
	.resync = resync,
	.next = flow_debugspec_next,
	.walk = flow_debugspec_walk,
	.walked = flow_debugspec_walked,
	.leave = flow_debugspec_leave,
};
