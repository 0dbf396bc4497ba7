/* SPDX-License-Identifier: GPL-2.0 */
/* task_buffer.c: records of tasks between the hart that writes them and the record ring */
#ifndef RVTRACE_TASK_BUFFER_H
#define RVTRACE_TASK_BUFFER_H

#include <linux/types.h>

struct rvtrace_record_task;
struct rvtrace_sink;

int rvtrace_task_buffers_alloc(struct rvtrace_sink *sink);
void rvtrace_task_buffers_free(struct rvtrace_sink *sink);
void rvtrace_task_buffers_forget(struct rvtrace_sink *sink);
void rvtrace_task_keep(struct rvtrace_sink *sink, const struct rvtrace_record_task *record);
unsigned int rvtrace_tasks_rounds(void);
bool rvtrace_tasks_merge(struct rvtrace_sink *sink);

#endif /* RVTRACE_TASK_BUFFER_H */
