/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * N-Trace in the flow decoder.
 *
 *	flow_ntrace.c		messages to walks and events
 *	flow_ntrace_format.c	the reader, and what else the decoder asks of a format
 *	flow_sifive.c		what SiFive's encoders report beside
 */
#ifndef FLOW_NTRACE_H
#define FLOW_NTRACE_H

#include "flow_internal.h"

/* flow_ntrace.c */
int flow_ntrace_next(struct rvtrace_flow *flow);
void flow_ntrace_walked(struct rvtrace_flow *flow);

/* flow_sifive.c */
bool flow_sifive_handle(struct rvtrace_flow *flow);

/* flow_ntrace_format.c */
extern const struct flow_format flow_ntrace_format;

#endif /* FLOW_NTRACE_H */
