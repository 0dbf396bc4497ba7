/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * N-Trace in the flow decoder.
 *
 *	flow_ntrace.c		messages to walks and events
 *	flow_ntrace_walked.c	what they say of the end of a walk
 *	flow_ntrace_format.c	the reader, and what else the decoder asks of a format
 *	flow_sifive.c		what SiFive's encoders report beside
 */
#ifndef FLOW_NTRACE_H
#define FLOW_NTRACE_H

#include "flow_internal.h"

/* Reasons for a synchronization that says nothing about where the source was before. */
static inline bool flow_ntrace_is_restart(const struct rvtrace_ntrace_message *m)
{
	switch (m->sync) {
	case RVTRACE_NTRACE_SYNC_RESET:
	case RVTRACE_NTRACE_SYNC_DEBUG_EXIT:
	case RVTRACE_NTRACE_SYNC_TRACE_ENABLE:
	case RVTRACE_NTRACE_SYNC_FIFO_OVERRUN:
	case RVTRACE_NTRACE_SYNC_POWER_DOWN:
		return true;
	}
	return false;
}

/* flow_ntrace.c */
int flow_ntrace_next(struct rvtrace_flow *flow);

/* flow_ntrace_walked.c */
void flow_ntrace_walked(struct rvtrace_flow *flow);
void flow_ntrace_synchronize(struct rvtrace_flow *flow);
void flow_ntrace_data_event(struct rvtrace_flow *flow);
void flow_ntrace_overflow(struct rvtrace_flow *flow);

/* flow_sifive.c */
bool flow_sifive_handle(struct rvtrace_flow *flow);

/* flow_ntrace_format.c */
extern const struct flow_format flow_ntrace_format;

#endif /* FLOW_NTRACE_H */
