// SPDX-License-Identifier: GPL-2.0
/* tracectl decode --raw --format cdl. */
#include <errno.h>
#include <inttypes.h>

#include "trace_input.h"

/* As its text has it. */
static void set_config(const struct raw_options *raw, struct rvtrace_flow_config *config)
{
	const struct rvtrace_cdl_config cdl = { .xlen = raw->xlen ? raw->xlen : 32 };

	rvtrace_flow_config_cdl(&cdl, config);
}

/* Parameters may say so, too. */
static int wraps(struct trace_input *in, struct rvtrace_failure *error)
{
	const struct raw_options *raw = &in->raw_options;
	struct rvtrace_cdl_config *cdl = &in->config.cdl;

	if (raw->wrapped && cdl->buffer != RVTRACE_CDL_STREAM)
		return rvtrace_fail(error, EINVAL, 0,
				    "--write-pointer contradicts parameters that describe a buffer");
	if (raw->wrapped) {
		cdl->buffer = RVTRACE_CDL_OVERWRITE;
		cdl->wrapped = true;
		cdl->write = raw->write_pointer;
	}
	return cdl->buffer != RVTRACE_CDL_STREAM;
}

static int unwrap(struct trace_input *in, uint64_t size, struct rvtrace_failure *error)
{
	struct rvtrace_cdl_config *cdl = &in->config.cdl;

	if (!rvtrace_cdl_replay(cdl, size, in->spans))
		return 0;
	return rvtrace_fail(error, EINVAL, 0,
			    "%s: %" PRIu64 " bytes do not fit write %" PRIu64 ", sync_interval %u",
			    in->object, size, cdl->write, cdl->sync_interval);
}

static bool counts_places(const struct rvtrace_flow_config *config)
{
	return config->cdl.sync_interval;
}

const struct decode_format decode_cdl = {
	.name = "cdl",
	.title = "CDL",
	.library = "cdl",
	.width = "xlen",
	.parameters = PARAMETERS_NONE,
	.depth_max = RAW_DEPTH_MAX,
	.packets = &packets_cdl,
	.set_config = set_config,
	.wraps = wraps,
	.unwrap = unwrap,
	.counts_places = counts_places,
};
