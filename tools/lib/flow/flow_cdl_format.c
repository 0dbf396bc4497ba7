// SPDX-License-Identifier: LGPL-2.1-or-later
/* CDL compressed trace as a format of the flow decoder: see flow_format.h. */
#include "flow_cdl.h"
#include "flow_format.h"

static bool is_valid(const struct rvtrace_flow_config *config)
{
	return !config->src_bits && config->isa.xlen == config->cdl.xlen &&
	       (!config->priv_by_address || config->isa.xlen == 64);
}

/* What a jump waits for, its PC, no state of a source has. */
static bool is_serial(const struct rvtrace_flow_config *config)
{
	(void)config;
	return true;
}

static int open_reader(const struct rvtrace_flow_config *config, void **reader)
{
	return cdl_reader.new(&config->cdl, reader);
}

static void new_state(struct rvtrace_flow *flow)
{
	const struct rvtrace_cdl_config *config = &flow->config.cdl;

	flow->cdl->carries = !config->anywhere;
	flow->cdl->starting = !config->anywhere && config->flavour == RVTRACE_CDL_RTL;
}

static uint64_t lost(const struct rvtrace_flow *flow, uint64_t *from)
{
	return rvtrace_cdl_lost(flow->reader, from);
}

static bool busy(const struct rvtrace_flow *flow)
{
	return flow->cdl->ending;
}

/* Recording to a buffer ended anywhere. */
static bool ends_anywhere(const struct rvtrace_flow_config *config)
{
	return config->cdl.buffer != RVTRACE_CDL_STREAM;
}

const struct flow_format flow_cdl_format = {
	.reader = &cdl_reader,
	.branches_max = RVTRACE_FLOW_HALFWORDS_MAX,
	.is_valid = is_valid,
	.is_serial = is_serial,
	.open = open_reader,
	.state_size = sizeof(struct cdl_state),
	.new_state = new_state,
	.lost = lost,
	.next = flow_cdl_next,
	.busy = busy,
	.walk = flow_cdl_walk,
	.walked = flow_cdl_walked,
	.close = flow_cdl_close,
	.ends_anywhere = ends_anywhere,
};
