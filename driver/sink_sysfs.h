/* SPDX-License-Identifier: GPL-2.0 */
/* sink_sysfs.c: files of sinks */
#ifndef RVTRACE_SINK_SYSFS_H
#define RVTRACE_SINK_SYSFS_H

struct attribute_group;
struct rvtrace_sink;

extern const struct attribute_group *rvtrace_sink_groups[];

void rvtrace_sink_notify(struct rvtrace_sink *sink);

#endif /* RVTRACE_SINK_SYSFS_H */
