/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a decoder knows between two messages. */
#ifndef RVTRACE_FLOW_STATE_H
#define RVTRACE_FLOW_STATE_H

#include <rvtrace/flow.h>

struct flow_state;

void flow_state_forget(struct rvtrace_flow *flow, uint64_t offset, bool aligned,
		       const struct flow_state *like);
bool flow_state_knows(const struct rvtrace_flow *flow, size_t id);
bool flow_state_settled(const struct rvtrace_flow *flow);
struct flow_state *flow_state_keep(const struct rvtrace_flow *flow);
void flow_state_free(struct flow_state *state);
bool flow_state_same(const struct flow_state *state, const struct rvtrace_flow *flow);
struct flow_state *flow_state_rest(const struct flow_state *state, const struct rvtrace_flow *flow);
void flow_state_inherit(struct rvtrace_flow *flow, const struct flow_state *rest);
void flow_state_count(const struct rvtrace_flow *flow, const struct flow_state *since,
		      struct rvtrace_flow_stats *totals);
int flow_state_set_counts(struct rvtrace_flow *flow, const struct rvtrace_flow_stats *totals);

#endif /* RVTRACE_FLOW_STATE_H */
