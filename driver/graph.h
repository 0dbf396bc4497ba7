/* SPDX-License-Identifier: GPL-2.0 */
/* graph.c: where trace goes */
#ifndef RVTRACE_GRAPH_H
#define RVTRACE_GRAPH_H

#include <linux/types.h>

struct device;
struct rvtrace_component;
struct rvtrace_kind;

/**
 * struct rvtrace_input - an in-port of a component
 * @from: the component that leads there, or NULL
 * @port: its number
 * @chosen: the trace of @from takes it
 */
struct rvtrace_input {
	struct rvtrace_component *from;
	unsigned int port;
	bool chosen;
};

u32 rvtrace_sink_choice(const struct rvtrace_component *c);
bool rvtrace_has_ring(const struct rvtrace_component *c);
bool rvtrace_can_leave(const struct rvtrace_component *c);
bool rvtrace_can_sink(struct rvtrace_component *c);
int rvtrace_choose_sink(struct rvtrace_component *c);
int rvtrace_graph_check(struct device *dev, const struct rvtrace_kind *kind);
bool rvtrace_graph_has_output(struct rvtrace_component *c);
unsigned int rvtrace_graph_outputs(const struct rvtrace_component *c);
unsigned int rvtrace_graph_first_output(const struct rvtrace_component *c);
bool rvtrace_graph_output(struct rvtrace_component *c, unsigned int n,
			  struct rvtrace_component **next);
bool rvtrace_graph_input(struct rvtrace_component *c, unsigned int n,
			 struct rvtrace_input *input);
int rvtrace_graph_path(struct rvtrace_component *encoder, bool report,
		       struct rvtrace_component **path, unsigned int *length);

#endif /* RVTRACE_GRAPH_H */
