/* SPDX-License-Identifier: GPL-2.0 */
/* route.c: which out-port it takes */
#ifndef RVTRACE_ROUTE_H
#define RVTRACE_ROUTE_H

struct attribute_group;
struct rvtrace_component;

extern const struct attribute_group rvtrace_route_group;

int rvtrace_route_apply(struct rvtrace_component *c);

#endif /* RVTRACE_ROUTE_H */
