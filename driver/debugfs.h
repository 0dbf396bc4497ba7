/* SPDX-License-Identifier: GPL-2.0 */
/* debugfs.c: registers as they read */
#ifndef RVTRACE_DEBUGFS_H
#define RVTRACE_DEBUGFS_H

struct rvtrace_component;

void rvtrace_debugfs_init(void);
void rvtrace_debugfs_exit(void);
void rvtrace_debugfs_add(struct rvtrace_component *c);
void rvtrace_debugfs_remove(struct rvtrace_component *c);

#endif /* RVTRACE_DEBUGFS_H */
