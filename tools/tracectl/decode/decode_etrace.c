// SPDX-License-Identifier: GPL-2.0
/* tracectl decode --raw --format etrace. */
#include <errno.h>

#include "trace_input.h"

static int set_events(const struct trace_input *in, struct rvtrace_event_config *config,
		      struct rvtrace_failure *error)
{
	const struct rvtrace_etrace_params *params = &in->config.etrace;

	if (params->type_event == RVTRACE_ETRACE_NO_EVENTS &&
	    params->event_srcid_bit == RVTRACE_ETRACE_NO_EVENTS)
		return rvtrace_fail(error, EPROTONOSUPPORT, 0,
				    "%s: type_event, event_srcid_bit: no packets carry software trace events",
				    in->object);
	config->carrier = RVTRACE_EVENT_ETRACE;
	config->etrace = *params;
	return 0;
}

const struct decode_format decode_etrace = {
	.name = "etrace",
	.title = "E-Trace",
	.library = "etrace",
	.width = "iaddress_width",
	.is_narrow = true,
	.needs_param = true,
	.has_vectors = true,
	.parameters = PARAMETERS_IN_FILE,
	.depth_max = RAW_DEPTH_MAX,
	.packets = &packets_etrace,
	.set_events = set_events,
};
