// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parameters of CDL compressed trace, in files of their own and in the metadata of recordings. */
#include <rvtrace/cdl.h>

#include "tools/lib/packet/cdl_internal.h"
#include "format.h"

/* One hart: the trace does not tell them apart, nor the privilege. */
static int take(const struct stream_sources *sources, struct rvtrace_flow_config *config,
		struct rvtrace_failure *error)
{
	struct rvtrace_cdl_config cdl;
	int ret = cdl_config_of_source(sources->metadata, sources->list[0].component,
				       sources->name, &cdl, error);

	if (ret)
		return ret;
	rvtrace_flow_config_cdl(&cdl, config);
	config->priv_by_address = config->isa.xlen == 64;
	return 0;
}

static int load(const char *path, struct rvtrace_flow_config *config,
		struct rvtrace_failure *error)
{
	struct rvtrace_cdl_config cdl;
	int ret = rvtrace_cdl_config_load(path, &cdl, error);

	if (!ret)
		rvtrace_flow_config_cdl(&cdl, config);
	return ret;
}

const struct rvtrace_format format_cdl = {
	.name = "cdl",
	.flow = RVTRACE_FLOW_FORMAT_CDL,
	.take = take,
	.load = load,
};
