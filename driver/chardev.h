/* SPDX-License-Identifier: GPL-2.0 */
/* chardev.c: /dev/rvtraceN */
#ifndef RVTRACE_CHARDEV_H
#define RVTRACE_CHARDEV_H

struct file_operations;
struct rvtrace_sink;

extern const struct file_operations rvtrace_fops;

void rvtrace_log_loss(struct rvtrace_sink *sink);
bool rvtrace_pages_held(struct rvtrace_sink *sink);

#endif /* RVTRACE_CHARDEV_H */
