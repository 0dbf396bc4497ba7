// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parameters of the debug specification's trace, in files of their own and in recordings. */
#include <rvtrace/debugspec.h>

#include "format.h"

static int take(const struct stream_sources *sources, struct rvtrace_flow_config *config,
		struct rvtrace_failure *error)
{
	struct rvtrace_debugspec_config params;
	int ret = rvtrace_debugspec_config_from_json(sources->metadata, sources->name, &params,
						     error);

	if (!ret)
		rvtrace_flow_config_debugspec(&params, config);
	return ret;
}

static int load(const char *path, struct rvtrace_flow_config *config,
		struct rvtrace_failure *error)
{
	struct rvtrace_debugspec_config params;
	int ret = rvtrace_debugspec_config_load(path, &params, error);

	if (!ret)
		rvtrace_flow_config_debugspec(&params, config);
	return ret;
}

const struct rvtrace_format format_debugspec = {
	.name = "debugspec",
	.flow = RVTRACE_FLOW_FORMAT_DEBUGSPEC,
	.take = take,
	.load = load,
};
