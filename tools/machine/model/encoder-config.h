/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an encoder can do, and what its registers ask of it. */
#ifndef RVTRACE_MODEL_ENCODER_CONFIG_H
#define RVTRACE_MODEL_ENCODER_CONFIG_H

#include "tools/encode/ntrace.h"
#include "tools/machine/model/encoder.h"

/**
 * te_ntrace_params() - how to encode
 * @control: teControl
 * @impl: teImpl
 * @features: teInstFeatures
 * @timestamp: messages carry timestamps
 */
struct ntrace_params te_ntrace_params(const struct te_config *config,
				      uint32_t control, uint32_t impl,
				      uint32_t features, bool timestamp);

#endif /* RVTRACE_MODEL_ENCODER_CONFIG_H */
