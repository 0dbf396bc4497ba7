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

static int open_reader(const struct rvtrace_flow_config *config, void **reader)
{
	return debugspec_reader.new(&config->debugspec, reader);
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
	uint64_t lost = rvtrace_debugspec_lost(flow->reader, from);

	if (!lost)
		*from = d->unowned_from;
	return lost ? lost : d->unowned;
}

const struct flow_format flow_debugspec_format = {
	.reader = &debugspec_reader,
	.branches_max = RVTRACE_FLOW_HALFWORDS_MAX,
	.is_valid = is_valid,
	.is_serial = is_serial,
	.open = open_reader,
	.state_size = sizeof(struct debugspec_flow),
	.free_source = free_source,
	.begin = begin,
	.lost = lost,
	.next = flow_debugspec_next,
	.walk = flow_debugspec_walk,
	.walked = flow_debugspec_walked,
	.leave = flow_debugspec_leave,
};
