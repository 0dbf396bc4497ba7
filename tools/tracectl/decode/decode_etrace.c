// SPDX-License-Identifier: GPL-2.0
/* tracectl decode --raw --format etrace. */
#include "decode.h"

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
	.has_events = true,
	.carrier = RVTRACE_EVENT_ETRACE,
};
