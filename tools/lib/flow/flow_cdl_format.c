// SPDX-License-Identifier: LGPL-2.1-or-later
/* CDL compressed trace as a format of the flow decoder: see flow_format.h. */
#include <stdlib.h>

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

static int new(struct rvtrace_flow *flow)
{
	const struct rvtrace_cdl_config *config = &flow->config.cdl;
	int err;

	flow->cdl = calloc(1, sizeof(*flow->cdl));
	if (!flow->cdl)
		return RVTRACE_ERR_NO_MEMORY;
	err = rvtrace_cdl_new(config, &flow->cdl->reader);
	if (err) {
		free(flow->cdl);
		return err;
	}
	flow->cdl->carries = !config->anywhere;
	flow->cdl->starting = !config->anywhere && config->flavour == RVTRACE_CDL_RTL;
	return 0;
}

static void free_reader(struct rvtrace_flow *flow)
{
	rvtrace_cdl_free(flow->cdl->reader);
	free(flow->cdl);
}

static uint64_t lost(const struct rvtrace_flow *flow, uint64_t *from)
{
	return rvtrace_cdl_lost(flow->cdl->reader, from);
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

static int feed(struct rvtrace_flow *flow, const void *data, size_t size)
{
	return rvtrace_cdl_feed(flow->cdl->reader, data, size);
}

static size_t pending(const struct rvtrace_flow *flow, uint64_t *offset)
{
	return rvtrace_cdl_pending(flow->cdl->reader, offset);
}

static void seek(struct rvtrace_flow *flow, uint64_t offset)
{
	rvtrace_cdl_seek(flow->cdl->reader, offset);
}

static void resync(struct rvtrace_flow *flow, uint64_t offset)
{
	rvtrace_cdl_resync(flow->cdl->reader, offset);
}

const struct flow_format flow_cdl_format = {
	.units = 2,
	.branches_max = RVTRACE_FLOW_HALFWORDS_MAX,
	.is_valid = is_valid,
	.is_serial = is_serial,
	.new = new,
	.free = free_reader,
	.feed = feed,
	.pending = pending,
	.lost = lost,
	.seek = seek,
	.resync = resync,
	.next = flow_cdl_next,
	.busy = busy,
	.walk = flow_cdl_walk,
	.walked = flow_cdl_walked,
	.close = flow_cdl_close,
	.ends_anywhere = ends_anywhere,
};
