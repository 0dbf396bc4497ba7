// SPDX-License-Identifier: GPL-2.0
/* tracectl encode: CDL parameters of a file, for the encoder. */
#include <rvtrace/cdl.h>

#include "encode.h"

struct cdl_params encode_cdl_params(const struct rvtrace_cdl_config *config)
{
	return (struct cdl_params) {
		.flavour = config->flavour == RVTRACE_CDL_RTL ? CDL_RTL : CDL_DOC,
		.xlen = config->xlen,
		.rv64 = config->rv64,
		.pc = true,
		.sync_interval = config->sync_interval,
	};
}
