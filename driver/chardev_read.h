/* SPDX-License-Identifier: GPL-2.0 */
/* chardev_read.c: read() of /dev/rvtraceN */
#ifndef RVTRACE_CHARDEV_READ_H
#define RVTRACE_CHARDEV_READ_H

#include <linux/types.h>

struct file;
struct rvtrace_sink;

enum rvtrace_readiness {
	RVTRACE_NO_NEWS,
	RVTRACE_DATA,
	RVTRACE_FINISHED,
};

int rvtrace_consume_locked(struct rvtrace_sink *sink, u64 position);
void rvtrace_report_change(struct rvtrace_sink *sink, u32 before);
enum rvtrace_readiness rvtrace_readiness_locked(struct rvtrace_sink *sink, u64 bytes);
ssize_t rvtrace_read(struct file *file, char __user *buf, size_t count, loff_t *pos);

#endif /* RVTRACE_CHARDEV_READ_H */
