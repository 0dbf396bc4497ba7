/* SPDX-License-Identifier: GPL-2.0 */
/* What a decoder must know of an E-Trace encoder. */
#ifndef RVTRACE_SELFTESTS_ETRACE_DECODER_PARAMS_H
#define RVTRACE_SELFTESTS_ETRACE_DECODER_PARAMS_H

#include <rvtrace/etrace.h>

#include "tools/encode/etrace.h"

struct rvtrace_etrace_params etrace_decoder_params(const struct etrace_params *from);

#endif /* RVTRACE_SELFTESTS_ETRACE_DECODER_PARAMS_H */
