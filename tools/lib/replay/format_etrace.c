// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parameters of E-Trace, in files of their own and in the metadata of recordings. */
#include <rvtrace/etrace_params.h>

#include "format.h"

static int take(const struct stream_sources *sources, struct rvtrace_flow_config *config,
		struct rvtrace_failure *error)
{
	struct rvtrace_etrace_params params;
	int ret = rvtrace_etrace_params_from_json(sources->metadata, sources->name, &params, error);

	if (!ret)
		rvtrace_flow_config_etrace(&params, config);
	return ret;
}

static int load(const char *path, struct rvtrace_flow_config *config,
		struct rvtrace_failure *error)
{
	struct rvtrace_etrace_params params;
	int ret = rvtrace_etrace_params_load(path, &params, error);

	if (!ret)
		rvtrace_flow_config_etrace(&params, config);
	return ret;
}

const struct rvtrace_format format_etrace = {
	.name = "etrace",
	.flow = RVTRACE_FLOW_FORMAT_ETRACE,
	.suffix = ".scf",
	.take = take,
	.load = load,
};
