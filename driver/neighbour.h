/* SPDX-License-Identifier: GPL-2.0 */
/* neighbour.c: components that another driver holds */
#ifndef RVTRACE_NEIGHBOUR_H
#define RVTRACE_NEIGHBOUR_H

#include <linux/types.h>

struct device_node;

/* Of the name of a driver, with its NUL */
#define RVTRACE_DRIVER_NAME	64

bool rvtrace_held_by_other(struct device_node *np, char *name);
void rvtrace_report_held(void);

#endif /* RVTRACE_NEIGHBOUR_H */
