/* SPDX-License-Identifier: GPL-2.0 */
/* tasks.c: which task runs */
#ifndef RVTRACE_TASKS_H
#define RVTRACE_TASKS_H

#include <linux/types.h>

struct rvtrace_sink;

void rvtrace_tasks_init(void);
void rvtrace_tasks_exit(void);
int rvtrace_tasks_ask(struct rvtrace_sink *sink, bool wanted, bool addresses);
void rvtrace_tasks_begin(struct rvtrace_sink *sink);
void rvtrace_tasks_end(struct rvtrace_sink *sink);

#endif /* RVTRACE_TASKS_H */
