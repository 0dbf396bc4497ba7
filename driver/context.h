/* SPDX-License-Identifier: GPL-2.0 */
/* context.c: which address space runs */
#ifndef RVTRACE_CONTEXT_H
#define RVTRACE_CONTEXT_H

struct rvtrace_sink;

void rvtrace_context_init(void);
void rvtrace_context_exit(void);
int rvtrace_context_arm(void);
void rvtrace_context_keep(void);
void rvtrace_context_disarm(void);
void rvtrace_context_begin(struct rvtrace_sink *sink);

#endif /* RVTRACE_CONTEXT_H */
