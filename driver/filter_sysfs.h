/* SPDX-License-Identifier: GPL-2.0 */
/* filter_sysfs.c: their directories */
#ifndef RVTRACE_FILTER_SYSFS_H
#define RVTRACE_FILTER_SYSFS_H

struct rvtrace_component;

int rvtrace_units_add_files(struct rvtrace_component *c);

#endif /* RVTRACE_FILTER_SYSFS_H */
