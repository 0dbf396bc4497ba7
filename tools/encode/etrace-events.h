/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Software trace events in E-Trace (docs/formats.md, "Software trace events"). */
#ifndef RVTRACE_ENCODE_ETRACE_EVENTS_H
#define RVTRACE_ENCODE_ETRACE_EVENTS_H

#include "tools/encode/etrace.h"

/* The instruction that was held is reported: so are its events. */
void etrace_emit_held_events(struct etrace_encoder *enc);

/* It never will be. */
void etrace_drop_held_events(struct etrace_encoder *enc);

#endif /* RVTRACE_ENCODE_ETRACE_EVENTS_H */
