/* SPDX-License-Identifier: GPL-2.0 */
/* core.c: the list of components */
#ifndef RVTRACE_CORE_H
#define RVTRACE_CORE_H

struct device;
struct device_node;
struct rvtrace_component;
struct rvtrace_kind;

int rvtrace_find(const struct device_node *np, struct rvtrace_component **found);
void rvtrace_reset_all_late(void);
int rvtrace_walk_encoders(int (*function)(struct rvtrace_component *, void *),
			  void *data);
struct rvtrace_component *rvtrace_component_alloc(struct device *parent,
						  const struct rvtrace_kind *kind);
void rvtrace_component_add(struct rvtrace_component *c);

#endif /* RVTRACE_CORE_H */
